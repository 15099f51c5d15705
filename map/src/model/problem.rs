//! The mapping problem: all that an engine knows of a graph and a fabric.

use super::matching::{self, Closest, PortChoice};
use super::memory::{self, AccessPace};
use super::resources::Resources;
use super::site::Site;
use super::tech::{self, Candidates};
use super::units::UnitTiming;
use crate::codes;
use crate::timing;
use crate::timing::dry::Control;
use crate::timing::nest::{LoopIndex, Nest};
use crate::timing::recurrence::{self, CycleEdge, Slowest};
use loom_adg::Fabric;
use loom_base::{Diagnostic, Diagnostics};
use loom_dfg::graph::{Use, ValueDef};
use loom_dfg::{Graph, NodeId, OpKind, ValueId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A netlist to place on sites and to route over channels, at no site twice and over no channel twice.
///
/// Promises: every node has a candidate and every candidate is a site; [`Problem::start`] and the first ports together are a
/// legal placement; what [`super::arch_check`] says of the resources holds. An engine needs nothing else, and no engine is
/// given the fabric.
pub struct Problem<'a> {
    /// The netlist.
    pub graph: &'a Graph,
    /// The fabric's sites and channels.
    pub resources: Arc<Resources>,
    /// By node: where it may run.
    pub candidates: Candidates,
    /// By node: timing on each of its candidates.
    pub units: Vec<Vec<UnitTiming>>,
    /// A legal start: the candidate of each node.
    pub start: Vec<usize>,
    /// By argument: fabric inputs for it; none where it has no uses.
    pub inputs: Vec<PortChoice>,
    /// By result: fabric outputs for it.
    pub outputs: Vec<PortChoice>,
    /// By value: its bits.
    pub widths: Vec<u32>,
    /// Its loops, and what bounds a turn of each.
    pub loops: Arc<BoundedLoops>,
    /// Recurrence bound before mapping, at least 1.
    pub bound: f64,
}

/// Turns that a bound is given in as whole cycles.
const PARTS: u64 = 64;

/// The loops of a netlist, with what no placement goes below.
pub struct BoundedLoops {
    /// Which lies in which, and how often they turn.
    pub nest: Nest,
    /// Finds their slowest turns.
    pub slowest: Slowest,
    /// Where tokens go in a dry run.
    pub control: Control,
    /// By loop: cycles of a turn, at least 1.
    bounds: Vec<f64>,
    /// Cycles of a run in which every loop is at its bound.
    pub least: f64,
}

impl BoundedLoops {
    fn new(graph: &Graph) -> BoundedLoops {
        let nest = Nest::new(graph);
        let slowest = Slowest::new(graph, &nest);
        let control = Control::new(graph, &nest);
        let bounds = vec![1.0; nest.loops().count()];
        BoundedLoops { nest, slowest, control, bounds, least: 0.0 }
    }

    /// Cycles of a turn, at least.
    pub fn bound(&self, of: LoopIndex) -> f64 {
        self.bounds[of.0]
    }

    /// The same as whole cycles for so many turns.
    pub fn bound_in_turns(&self, of: LoopIndex) -> (u64, u64) {
        ((self.bound(of) * PARTS as f64) as u64, PARTS)
    }

    /// The slowest turn as cycles and turns, where edges are so long; the bound where none is slower.
    pub fn turn(&self, of: LoopIndex, length: &dyn Fn(CycleEdge) -> u64) -> (u64, u64) {
        self.slowest.turn(of, length, self.bound_in_turns(of))
    }

    /// The part of a run at its bounds that is spent in a loop.
    pub fn share(&self, of: LoopIndex) -> f64 {
        self.nest.turns(of) * self.bound(of) / self.least
    }

    fn raise(&mut self, of: LoopIndex, bound: f64) {
        self.bounds[of.0] = self.bounds[of.0].max(bound);
    }
}

impl<'a> Problem<'a> {
    /// Sets the problem up. Errors: what no engine could solve, by counting and matching alone.
    pub fn new(graph: &'a Graph, fabric: &Fabric, memory_latency: u32) -> Result<Problem<'a>, Diagnostics> {
        let resources = Arc::new(Resources::new(fabric));
        let mut candidates = tech::candidates(graph, fabric, &resources.lanes)?;
        let loops = Arc::new(BoundedLoops::new(graph));
        let paces = paces(graph, &loops, &timing::loops::fastest(graph, fabric, memory_latency));
        let start = first_sites(graph, fabric, &resources, &mut candidates, &|n| paces[n])?;
        let (inputs, outputs) = ports(graph, fabric)?;
        let timing = |&site: &Site| UnitTiming::of(fabric, memory_latency, site);
        let units = candidates.iter().map(|list| list.iter().map(timing).collect()).collect();
        let widths = graph.values.iter().map(|v| v.ty.width(fabric.index_width())).collect();
        let mut problem = Problem {
            graph,
            resources,
            candidates,
            units,
            start,
            inputs,
            outputs,
            widths,
            loops,
            bound: 1.0,
        };
        problem.set_bounds();
        Ok(problem)
    }

    /// The same with a start of its own, which those that `stay` cannot leave.
    pub fn starting_at(&self, sites: &[Site], stay: &dyn Fn(usize) -> bool) -> Problem<'a> {
        let option = |n: usize| {
            let option = self.candidates[n].iter().position(|&c| c == sites[n]);
            option.expect("a node sits on one of its candidates")
        };
        let mut problem = Problem {
            resources: self.resources.clone(),
            candidates: self.candidates.clone(),
            units: self.units.clone(),
            start: (0..sites.len()).map(option).collect(),
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            widths: self.widths.clone(),
            loops: self.loops.clone(),
            ..*self
        };
        for n in (0..sites.len()).filter(|&n| stay(n)) {
            let at = std::mem::take(&mut problem.start[n]);
            problem.candidates[n] = vec![sites[n]];
            problem.units[n] = vec![self.units[n][at]];
        }
        problem
    }

    /// Timing of a node on one of its candidates.
    pub fn timing_at(&self, node: usize, at: Site) -> UnitTiming {
        let option = self.candidates[node].iter().position(|&c| c == at);
        self.units[node][option.expect("a node sits on one of its candidates")]
    }

    /// Registers from operands to results of a node in the legal start.
    pub fn first_stages(&self, node: usize) -> u32 {
        self.units[node][self.start[node]].stages()
    }

    /// Registers that no placement avoids on the way from a node to one that uses a value of it, where there are such. None
    /// are known of a large fabric.
    pub fn closest(&self) -> Vec<(Use, u32)> {
        if self.resources.is_large() {
            return Vec::new();
        }
        let mut closest = Closest::new(&self.candidates, &self.resources);
        let mut list = Vec::new();
        for (n, node) in self.graph.node_ids().zip(&self.graph.nodes) {
            for (operand, &v) in node.operands.iter().enumerate() {
                let ValueDef::Result { node: from, .. } = self.graph.value(v).def else { continue };
                let registers = closest.registers(from.0 as usize, n.0 as usize);
                list.extend((registers > 0).then_some((Use::Operand { node: n, operand }, registers)));
            }
        }
        list
    }

    /// Sets what no placement goes below: each op on its fastest unit, and the nodes of each cycle as close as can be. On a large
    /// fabric the units alone count.
    fn set_bounds(&mut self) {
        let graph = self.graph;
        let of = |units: &Vec<UnitTiming>| {
            let stages = units.iter().map(UnitTiming::stages).min();
            (stages.unwrap_or(0), units.iter().map(|t| t.interval).min().unwrap_or(1))
        };
        let fastest: Vec<(u32, i64)> = self.units.iter().map(of).collect();
        let mut closest = Closest::new(&self.candidates, &self.resources);
        let is_large = self.resources.is_large();
        let mut hop = |from, to| if is_large { 0 } else { closest.registers(from, to) };
        let mut bound = timing::bound_before_mapping(graph, &|n| fastest[n], &mut hop);
        let mut loops = BoundedLoops::new(graph);
        for (n, &(_, interval)) in fastest.iter().enumerate() {
            loops.raise(loops.nest.node(n), interval as f64);
        }
        let length = by_edge(graph, &fastest, &mut hop);
        for l in loops.nest.loops() {
            let (cycles, turns) = loops.slowest.turn(l, &length, (1, 1));
            loops.raise(l, cycles as f64 / turns as f64);
        }
        if !is_large {
            let cycles = recurrence::cycles(graph, &loops.nest, usize::MAX);
            for (cycle, least) in
                matching::cycle_bounds(&cycles, &self.candidates, &self.resources, &self.units)
            {
                bound = bound.max(least);
                loops.raise(cycle.in_loop, least);
            }
        }
        loops.least = loops.nest.cycles(|l| loops.bound(l));
        (self.bound, self.loops) = (bound, Arc::new(loops));
    }
}

/// By node: its loop, and the cycles of a turn of it where everything that it runs through is near and free.
fn paces(graph: &Graph, loops: &BoundedLoops, fastest: &[(u32, i64)]) -> Vec<AccessPace> {
    let length = by_edge(graph, fastest, &mut |_, _| 0);
    let of = |l: LoopIndex| {
        let (cycles, turns) = loops.slowest.turn(l, &length, (1, 1));
        cycles.div_ceil(turns.max(1))
    };
    let turns: Vec<u64> = loops.nest.loops().map(of).collect();
    (0..graph.nodes.len()).map(|n| loops.nest.node(n)).map(|l| (l.0, turns[l.0])).collect()
}

/// What an edge takes before mapping, by consumer and operand.
fn by_edge<'h>(
    graph: &'h Graph,
    fastest: &'h [(u32, i64)],
    hop: &mut dyn FnMut(usize, usize) -> u32,
) -> impl Fn(CycleEdge) -> u64 + 'h {
    let way = graph.nodes.iter().enumerate().map(|(to, node)| {
        let of = |v: &ValueId| match graph.value(*v).def {
            ValueDef::Result { node: from, .. } => hop(from.0 as usize, to),
            ValueDef::Argument(_) | ValueDef::Literal(_) => 0,
        };
        node.operands.iter().map(of).collect()
    });
    let way: Vec<Vec<u32>> = way.collect();
    move |(node, operand)| u64::from(fastest[node].0 + way[node][operand])
}

/// A legal start. Accesses have their lanes first, in a way that regions allow; where the placer could not keep that, their
/// lane is the only candidate left to them.
fn first_sites(
    graph: &Graph,
    fabric: &Fabric,
    resources: &Resources,
    candidates: &mut Candidates,
    pace: &dyn Fn(usize) -> AccessPace,
) -> Result<Vec<usize>, Diagnostics> {
    let lanes = memory::first_lanes(graph, fabric, &resources.lanes, pace)?;
    // Those of external memory: private ones keep their scratchpad.
    let mut interfaces = fabric.memories().filter(|(_, m)| m.is_external());
    let tables_suffice = interfaces.all(|(_, m)| m.regions >= m.loads.max(m.stores));
    for (&n, &at) in &lanes {
        // A private memory moves as a whole, which the placer does not do; nor does it count regions.
        let external = memory::access(graph.nodes[n].op).is_some_and(|a| !a.1);
        if !external || !tables_suffice {
            candidates[n] = vec![Site::lane(at)];
        }
    }
    let mut only = candidates.clone();
    for (&n, &at) in &lanes {
        only[n] = vec![Site::lane(at)];
    }
    let mut start = matching::capacity(&only, resources)
        .map_err(|(nodes, pes)| vec![too_many(graph, fabric, &nodes, pes)])?;
    for (&n, &at) in &lanes {
        start[n] =
            candidates[n].iter().position(|&c| c == Site::lane(at)).expect("a first lane is a candidate");
    }
    Ok(start)
}

/// The ports each argument and result may have, with one that is its own.
fn ports(graph: &Graph, fabric: &Fabric) -> Result<(Vec<PortChoice>, Vec<PortChoice>), Diagnostics> {
    let (top, flat, index_width) = (&fabric.adg().top, fabric.flat(), fabric.index_width());
    let side = |values: &[(ValueId, bool)], argument: bool| {
        let (ports, channels) =
            if argument { (&top.inputs, &flat.inputs) } else { (&top.outputs, &flat.outputs) };
        let connected = |k: usize| channels[k].is_some();
        let fitting = |&(v, needs): &(ValueId, bool)| match needs {
            true => PortChoice {
                ports: matching::ports_for(ports, connected, graph.value(v).ty, index_width),
                first: 0,
            },
            false => PortChoice::default(),
        };
        let mut choices: Vec<PortChoice> = values.iter().map(fitting).collect();
        let needing: Vec<usize> = (0..values.len()).filter(|&i| values[i].1).collect();
        let widths: Vec<u32> = values.iter().map(|&(v, _)| graph.value(v).ty.width(index_width)).collect();
        matching::first_ports(&mut choices, needing, &widths, ports)
            .map_err(|i| vec![no_port(graph, fabric, argument, i)])?;
        Ok::<_, Diagnostics>(choices)
    };
    let uses = graph.uses();
    let arguments: Vec<_> = graph.arguments.iter().map(|&v| (v, !uses[v.0 as usize].is_empty())).collect();
    let results: Vec<_> = graph.outputs.iter().map(|out| (out.value, true)).collect();
    Ok((side(&arguments, true)?, side(&results, false)?))
}

pub(super) fn too_many(graph: &Graph, fabric: &Fabric, nodes: &[NodeId], pes: usize) -> Diagnostic {
    let kinds: BTreeSet<OpKind> = nodes.iter().map(|&n| graph.kind(n)).collect();
    let mut kinds: Vec<String> = kinds.iter().map(OpKind::to_string).collect();
    kinds.sort();
    Diagnostic::error(
        codes::TOO_MANY_OPS,
        format!("{} ops compete for {pes} PEs of `{}`", nodes.len(), fabric.name()),
    )
    .at_opt(nodes.first().and_then(|&n| graph.node(n).span.clone()), "one of them")
    .note(format!("the ops are of {}", kinds.join(", ")))
    .help(match nodes.len() - pes {
        1 => "take a fabric with one more PE that runs one of these, or a larger mesh".to_string(),
        n => format!("take a fabric with {n} more PEs that run one of these, or a larger mesh"),
    })
}

fn no_port(graph: &Graph, fabric: &Fabric, argument: bool, i: usize) -> Diagnostic {
    let (what, name, count, ports) = if argument {
        (
            "argument",
            graph.value(graph.arguments[i]).name.clone(),
            graph.arguments.len(),
            &fabric.adg().top.inputs,
        )
    } else {
        ("result", graph.outputs[i].name.clone(), graph.outputs.len(), &fabric.adg().top.outputs)
    };
    let value = if argument { graph.arguments[i] } else { graph.outputs[i].value };
    let width = graph.value(value).ty.width(fabric.index_width());
    let wide = ports.iter().filter(|p| p.ty.width >= width && !p.ty.is_tagged()).count();
    if wide == 0 {
        let widest = ports.iter().map(|p| p.ty.width).max().unwrap_or(0);
        return Diagnostic::error(
            codes::PORT_WIDTH,
            format!("{what} `{name}` is {width} bits, the widest port of `{}` is {widest}", fabric.name()),
        )
        .help("take a fabric with wider links");
    }
    Diagnostic::error(
        codes::TOO_MANY_PORTS,
        format!(
            "{count} {what}s need a port of their own, `{}` has {wide} wide enough for `{name}`",
            fabric.name()
        ),
    )
    .help("take a larger mesh: its ports are the links at its edges")
}
