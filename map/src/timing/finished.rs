//! The figures of a finished mapping, from its placements and routes alone: what a mapping that is read claims is held against
//! them, and runs against the registers on its ways.
//!
//! Guarantees: for a mapping that [`crate::map`] gave, its own figures. Refuses one whose routes miss their uses; what else is illegal is
//! for [`crate::check`].

use super::dry::{self, Queues};
use super::figures::figures;
use super::nest::Nest;
use super::recurrence::{CycleEdge, Slowest};
use super::routed::{self, Routed};
use super::Timing;
use crate::mapping::{Mapping, Route};
use crate::model::memory::{self, Lanes};
use crate::model::place::Place;
use crate::model::problem::Problem;
use crate::model::site::Site;
use crate::model::units::UnitTiming;
use crate::route::RouteTree;
use crate::slack;
use loom_adg::{ChannelId, Component, Fabric, SinkPort};
use loom_base::Diagnostics;
use loom_dfg::graph::Use;
use loom_dfg::{Graph, NodeId, ValueId};
use std::collections::{BTreeMap, HashMap};

/// A turn of a loop on a mapping.
pub struct SlowestTurn {
    /// How long it takes.
    pub cycles: u64,
    /// Iterations that so many cycles are for.
    pub turns: u64,
    /// Cycles that all of them take in a run.
    pub in_run: f64,
    /// Its ops in their order.
    pub steps: Vec<TurnStep>,
}

/// An op of a turn, with the way to it.
pub struct TurnStep {
    /// Number of the node in the netlist.
    pub node: usize,
    /// Which operand the turn comes by.
    pub operand: usize,
    /// Cycles of the op.
    pub op: u64,
    /// Registers on the way to it.
    pub way: u64,
}

/// A finished mapping of a netlist.
pub struct Finished<'a> {
    net: &'a Graph,
    fabric: &'a Fabric,
    place: Place,
    units: Vec<UnitTiming>,
    memory_latency: u32,
    /// By value: its uses, with its way.
    trees: BTreeMap<ValueId, (Vec<Use>, RouteTree)>,
}

impl<'a> Finished<'a> {
    /// Follows the routes; none where one ends before its uses. External memory answers after so many cycles.
    pub fn new(
        net: &'a Graph,
        fabric: &'a Fabric,
        mapping: &'a Mapping,
        memory_latency: u32,
    ) -> Option<Finished<'a>> {
        let site = |p: &crate::Placement| match fabric.component(p.component) {
            Component::Memory(_) => Site::lane((p.component, p.fu)),
            _ => Site::spatial(p.component, p.fu),
        };
        let place = Place {
            nodes: mapping.placements.iter().map(site).collect(),
            arguments: mapping.arguments.clone(),
            outputs: mapping.outputs.clone(),
        };
        let units = place.nodes.iter().map(|&site| UnitTiming::of(fabric, memory_latency, site)).collect();
        let lanes = memory::lanes(fabric);
        let trees = routed::routed_values(net).into_iter().map(|(value, uses)| {
            let route = mapping.routes.iter().find(|r| r.value == value)?;
            let sinks = uses.iter().map(|&use_| sink(fabric, &lanes, mapping, use_)).collect();
            Some((value, (uses, tree(fabric, route, sinks)?)))
        });
        let trees = trees.collect::<Option<_>>()?;
        Some(Finished { net, fabric, place, units, memory_latency, trees })
    }

    /// By node: registers from operands to results, and cycles between firings.
    pub fn units(&self) -> Vec<(u32, i64)> {
        self.units.iter().map(|u| (u.stages(), u.interval)).collect()
    }

    /// Every use, with the registers on the way to it.
    pub fn registers(&self) -> impl Iterator<Item = (Use, u64)> + '_ {
        self.trees.values().flat_map(|(uses, tree)| {
            uses.iter().zip(&tree.ends).map(|(&use_, &end)| (use_, routed::registers(tree, end)))
        })
    }

    /// The mapping problem it solves.
    pub fn problem(&self) -> Result<Problem<'a>, Diagnostics> {
        Problem::new(self.net, self.fabric, self.memory_latency)
    }

    /// Its figures.
    pub fn timing(&self, problem: &Problem) -> Timing {
        self.routed(problem, |routed| figures(routed, &problem.loops).0)
    }

    /// Cycles of a dry run, as far as there is one.
    pub fn dry_run(&self, problem: &Problem, queues: Queues) -> Option<u64> {
        let run = |routed: &Routed| dry::run(routed, &problem.loops.control, &BTreeMap::new(), queues);
        Some(self.routed(problem, run)?.cycles)
    }

    fn routed<T>(&self, problem: &Problem, look: impl Fn(&Routed) -> T) -> T {
        let nets = slack::requests::requests(problem, &self.place);
        let trees: Vec<RouteTree> = nets.iter().map(|net| self.trees[&net.value].1.clone()).collect();
        let routed = Routed {
            graph: self.net,
            resources: &problem.resources,
            place: &self.place,
            units: &self.units,
            nets: &nets,
            trees: &trees,
        };
        look(&routed)
    }

    /// Of each loop the slowest turn, in the order of the loops.
    pub fn slowest_turns(&self) -> Vec<SlowestTurn> {
        let nest = Nest::new(self.net);
        let slowest = Slowest::new(self.net, &nest);
        let ways: HashMap<Use, u64> = self.registers().collect();
        let step = |(node, operand): CycleEdge| {
            let use_ = Use::Operand { node: NodeId(node as u32), operand };
            let (op, way) = (u64::from(self.units[node].stages()), ways.get(&use_).copied().unwrap_or(0));
            TurnStep { node, operand, op, way }
        };
        let length = |edge| step(edge).op + step(edge).way;
        let of = |l| {
            let cycle = slowest.slowest(l, &length, (1, 1))?;
            let (cycles, turns) = cycle.time(&length);
            let in_run = nest.turns(l) * cycles as f64 / turns as f64;
            Some(SlowestTurn { cycles, turns, in_run, steps: cycle.edges.into_iter().map(step).collect() })
        };
        nest.loops().filter_map(of).collect()
    }
}

/// Where a use takes its token.
fn sink(fabric: &Fabric, lanes: &Lanes, mapping: &Mapping, use_: Use) -> SinkPort {
    match use_ {
        Use::Output(o) => SinkPort::Boundary(mapping.outputs[o]),
        Use::Operand { node, operand } => {
            let p = &mapping.placements[node.0 as usize];
            match fabric.component(p.component) {
                Component::Memory(_) => {
                    fabric.flat().channel(lanes[&(p.component, p.fu)].requests[operand]).sink
                }
                _ => SinkPort::Port(p.component, p.inputs[operand]),
            }
        }
    }
}

/// The channels of a route, from its source through its steps, and where its uses end.
fn tree(fabric: &Fabric, route: &Route, sinks: Vec<SinkPort>) -> Option<RouteTree> {
    let flat = fabric.flat();
    let source = flat.channel_from(route.source)?;
    let mut channels = BTreeMap::from([(source, (None, 0))]);
    let mut todo = vec![source];
    while let Some(c) = todo.pop() {
        let SinkPort::Port(id, port) = flat.channel(c).sink else { continue };
        for &step in &route.steps {
            let (input, output) = step.ports();
            if (step.component(), input) != (id, port) {
                continue;
            }
            let next: ChannelId = flat.at(id).outputs[output]?;
            channels.insert(next, (Some((c, step)), 0));
            todo.push(next);
        }
    }
    let at = |sink: &SinkPort| channels.keys().copied().find(|&c| flat.channel(c).sink == *sink);
    let ends = sinks.iter().map(at).collect::<Option<_>>()?;
    Some(RouteTree { channels, source: Some(source), ends })
}
