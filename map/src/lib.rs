//! Mapping a dataflow graph onto a fabric: placement, routing, slack, bounds, and a legality check written apart.
//!
//! Guarantees: the same seed and inputs give the same mapping on any machine; a mapping that is returned passed
//! [`check`]. The mapper sees resources, channels and legality, never file formats or Verilog. Budgets are in steps.
//!
//! Refuses, with the reason: ops that no unit runs, more ops than PEs that run them (by a matching, with the set that
//! does not fit), more ports than the fabric has, and routing that stays overused after its rounds. Not built yet:
//! temporal PEs, routes through tag components and temporal switches other than those of memory lanes, decomposable
//! switches, FUs of several ops.

pub mod check;
pub mod codes;
pub mod config;
pub mod deadlock;
pub mod mapping;
pub mod model;
pub mod place;
pub mod report;
pub mod route;
pub mod slack;
pub mod timing;

pub use mapping::{Mapping, Placement, Route, Step};
pub use model::{memory, netlist, tech};
pub use timing::Timing;

use loom_adg::{ChannelId, Fabric, SinkPort};
use loom_base::{Diagnostic, Diagnostics, Rng};
use loom_dfg::graph::{Use, ValueDef};
use loom_dfg::Graph;
use model::matching;
use model::resources::Resources;
use place::Problem;
use route::{Failure, Net};
use slack::Solution;
use timing::{recurrence, routed};

/// Budgets and seed.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Decides every random choice.
    pub seed: u64,
    /// Annealing steps for each op, argument and result.
    pub steps_per_item: u64,
    /// Placements to try before the best is taken, or failure is reported.
    pub attempts: u32,
    /// Rounds of the router.
    pub rounds: u32,
    /// Times slack may be added.
    pub slack_steps: u32,
    /// Cycles from a request to the answer of external memory, for which slack is laid out.
    pub memory_latency: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            seed: 1,
            steps_per_item: 1500,
            attempts: 16,
            rounds: 60,
            slack_steps: 24,
            memory_latency: 1,
        }
    }
}

/// Steps of placement, over all attempts at a large graph.
const MOST_STEPS: u64 = 5_000_000;
/// Most weight of links against registers and cycles.
const MOST_EFFORT: u64 = 256;
/// A mapping with what is known of it.
#[derive(Clone, Debug)]
pub struct Mapped {
    /// The mapping.
    pub mapping: Mapping,
    /// Bounds and the expected interval.
    pub timing: Timing,
    /// Recurrence bound of the graph on this fabric's units, before placement.
    pub mii_ops: f64,
    /// Placements tried.
    pub attempts: u32,
}

/// Maps a verified graph onto a legal fabric. `progress` is told what is going on and how far it is (0 to 1).
pub fn map(
    graph: &Graph,
    fabric: &Fabric,
    options: &Options,
    progress: &mut dyn FnMut(&str, f64),
) -> Result<Mapped, Diagnostics> {
    let wrong = loom_dfg::verify::verify_index_width(graph, fabric.index_width());
    if loom_base::diag::has_errors(&wrong) {
        return Err(wrong);
    }
    let unbuilt = tech::without_hardware(graph);
    if !unbuilt.is_empty() {
        return Err(unbuilt);
    }
    let net = netlist::netlist(graph);
    let graph = &net;
    let resources = Resources::new(fabric);
    let mut candidates = tech::candidates(graph, fabric, &resources.lanes)?;
    let lanes = memory::first_lanes(graph, fabric, &resources.lanes)?;
    let tables_suffice = fabric.memories().all(|(_, m)| m.regions >= m.loads.max(m.stores));
    for (&n, &at) in &lanes {
        // A private memory moves as a whole, which the placer does not do; nor does it count regions.
        let external = memory::access(graph.nodes[n].op).is_some_and(|a| !a.1);
        if !external || !tables_suffice {
            candidates[n] = vec![at];
        }
    }
    // Lanes are given out already, in a way that regions allow.
    let mut only = candidates.clone();
    for (&n, &at) in &lanes {
        only[n] = vec![at];
    }
    let mut matched = matching::capacity(&only, &resources)
        .map_err(|(nodes, pes)| vec![too_many(graph, fabric, &nodes, pes)])?;
    for (&n, at) in &lanes {
        matched[n] = candidates[n].iter().position(|c| c == at).expect("a first lane is a candidate");
    }
    let ports = matching::first_ports(graph, fabric)
        .map_err(|(argument, i)| vec![no_port(graph, fabric, argument, i)])?;
    let timing_at = |at| routed::unit_timing(fabric, options.memory_latency, at);
    let unit = |n: usize| timing_at(candidates[n][matched[n]]);
    // The fastest unit for each op: what no placement goes below.
    let fastest = |n: usize| {
        let all = candidates[n].iter().map(|&c| timing_at(c));
        let stages = |t: &routed::UnitTiming| t.latency + u32::from(t.buffered);
        (all.clone().map(|t| stages(&t)).min().unwrap_or(0), all.map(|t| t.interval).min().unwrap_or(1))
    };
    let mut closest = matching::Closest::new(&candidates, &resources);
    let stages = |at| {
        let t = timing_at(at);
        t.latency + u32::from(t.buffered)
    };
    let cycles = recurrence::cycles(graph).list;
    let mii_ops = timing::bound_before_mapping(graph, &fastest, &mut |from, to| closest.registers(from, to))
        .max(matching::cycle_bound(&cycles, &candidates, &resources, &stages));
    let latency: Vec<u32> =
        (0..graph.nodes.len()).map(|n| unit(n).latency + u32::from(unit(n).buffered)).collect();
    let problem = Problem {
        graph,
        fabric,
        resources: &resources,
        candidates: &candidates,
        matched: &matched,
        ports: &ports,
        latency: &latency,
        bound: mii_ops,
    };

    let lookahead = route::Lookahead::new(&resources);
    let mut rng = Rng::new(options.seed);
    let mut best: Option<Solution> = None;
    let mut failure = None;
    let mut attempts = 0;
    let mut effort = 1;
    // Where nothing was routed yet, some more placements are tried.
    let steps = place::steps(&problem, options.steps_per_item);
    let most = options.attempts.min((MOST_STEPS / steps.max(1)).max(4) as u32);
    while attempts < most || best.is_none() && attempts < 2 * most {
        progress("placing and routing", f64::from(attempts) / f64::from(most));
        attempts += 1;
        let mut own = rng.split();
        let place = place::place(&problem, &mut own, steps, effort);
        match slack::solve(&problem, place, &lookahead, options) {
            Err(e) => {
                failure = Some(e);
                // Links count for more after each failure; far more would leave no room for anything else.
                effort = (2 * effort).min(MOST_EFFORT);
            }
            Ok(solution) => {
                if best.as_ref().is_none_or(|b| solution.beats(b)) {
                    best = Some(solution);
                }
            }
        }
        let done = |b: &Solution| b.lacking == 0 && b.timing.ii <= mii_ops + 1e-6;
        if best.as_ref().is_some_and(done) {
            break;
        }
    }
    let Some(solution) = best else {
        return Err(vec![unroutable(
            graph,
            fabric,
            failure.expect("at least one attempt was made"),
            attempts,
        )]);
    };
    let mapping = to_mapping(graph, fabric, &resources, &solution);
    let problems = check::check_netlist(graph, fabric, &mapping);
    if loom_base::diag::has_errors(&problems) {
        return Err(problems);
    }
    Ok(Mapped { mapping, timing: solution.timing, mii_ops, attempts })
}

fn to_mapping(graph: &Graph, fabric: &Fabric, resources: &Resources, s: &Solution) -> Mapping {
    let mut placements: Vec<Placement> = (graph.nodes.iter().zip(&s.place.nodes))
        .map(|(node, &(component, fu))| Placement {
            component,
            fu,
            inputs: vec![0; node.operands.len()],
            outputs: vec![None; node.results.len()],
        })
        .collect();
    let mut routes = Vec::new();
    for (net, tree) in s.nets.iter().zip(&s.trees) {
        let source = fabric.flat().channel(tree.source.expect("routed")).source;
        if let (ValueDef::Result { node, result }, loom_adg::SourcePort::Port(_, port)) =
            (graph.value(net.value).def, source)
        {
            if !resources.lanes.contains_key(&s.place.nodes[node.0 as usize]) {
                placements[node.0 as usize].outputs[result] = Some(port);
            }
        }
        for (end, &c) in net.ends.iter().zip(&tree.ends) {
            if let (Use::Operand { node, operand }, SinkPort::Port(_, port)) =
                (end.use_, fabric.flat().channel(c).sink)
            {
                if !resources.lanes.contains_key(&s.place.nodes[node.0 as usize]) {
                    placements[node.0 as usize].inputs[operand] = port;
                }
            }
        }
        let mut steps: Vec<Step> = tree.channels.values().filter_map(|c| c.0.map(|(_, step)| step)).collect();
        steps.sort();
        routes.push(Route { value: net.value, source, steps });
    }
    Mapping { placements, arguments: s.place.arguments.clone(), outputs: s.place.outputs.clone(), routes }
}

fn too_many(graph: &Graph, fabric: &Fabric, nodes: &[loom_dfg::NodeId], pes: usize) -> Diagnostic {
    let mut kinds: Vec<String> = nodes.iter().map(|&n| graph.kind(n).to_string()).collect();
    kinds.sort();
    kinds.dedup();
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

fn unroutable(
    graph: &Graph,
    fabric: &Fabric,
    (failure, nets): (Failure, Vec<Net>),
    attempts: u32,
) -> Diagnostic {
    let d = Diagnostic::error(
        codes::UNROUTABLE,
        format!("`{}` was placed on `{}` {attempts} times, but never routed", graph.name, fabric.name()),
    );
    match failure {
        Failure::NoWay(n, _) => {
            let value = graph.value(nets[n].value);
            d.note(format!("no way leads from `%{}` to one of its uses, whatever else is routed", value.name))
                .help("connect the switches of the fabric, or give its PEs more ports")
        }
        Failure::Overused(channels) => {
            let names: Vec<String> = channels.iter().take(8).map(|&c| channel_name(fabric, c)).collect();
            let count = match channels.len() {
                1 => "1 channel is".to_string(),
                n => format!("{n} channels are"),
            };
            d.note(format!("{count} still wanted twice: {}", names.join(", ")))
                .help("give the tiles one more channel per link (`channels`), or take a larger mesh")
        }
    }
}

/// A channel by its two ends.
pub fn channel_name(fabric: &Fabric, c: ChannelId) -> String {
    let channel = fabric.flat().channel(c);
    format!("{} -> {}", fabric.source_name(channel.source), fabric.sink_name(channel.sink))
}
