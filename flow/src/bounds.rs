//! Lower bounds on the cycles of a case: of its graph on a fabric's units wherever they stand, and of a mapping.
//!
//! Both are the earliest times of this run, token by token ([`loom_dfg::interp::least_cycles`]): trip counts, sides taken, loops in loops and
//! the order of memory are what they are in it. The first counts the fastest unit for each op and the registers that no placement avoids,
//! so nothing that the mapper does goes below it; the second the units, the registers and the ports of memory of the mapping. Neither
//! counts what waits for room in a queue.

use crate::configured::Configured;
use loom_dfg::graph::{Graph, Use, ValueDef};
use loom_dfg::interp::{least_cycles, Delays, InterpOptions, Outcome, Storage};
use loom_dfg::{CoveredSource, Node, NodeId, Op, OpKind, ValueId};
use loom_map::netlist::unit_input;
use loom_map::timing::finished::Finished;
use loom_map::timing::loops::fastest;
use loom_sim::Case;
use std::collections::{BTreeMap, HashMap};

/// Fewest cycles of a case, from its first to its last result. None where a run does not come to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeastCycles {
    /// On any mapping onto the fabric.
    pub graph: Option<u64>,
    /// On this mapping.
    pub mapping: Option<u64>,
}

/// What bounds the runs of a mapping.
pub(crate) struct CycleBounds {
    /// Of the graph, then of the mapping.
    delays: Vec<Delays>,
}

impl CycleBounds {
    /// With external memory that answers after so many cycles.
    pub fn new(configured: &Configured, latency: u32) -> CycleBounds {
        let graph = configured.graph_delays(latency);
        CycleBounds { delays: [graph].into_iter().chain(configured.mapping_delays(latency)).collect() }
    }

    /// Fewest cycles of a run on these inputs and this memory, and what the graph does in it.
    pub fn of_run(
        &self,
        graph: &Graph,
        inputs: &[Vec<u64>],
        memories: &mut dyn Storage,
        options: &InterpOptions,
    ) -> (Outcome, LeastCycles) {
        let (outcome, cycles) = least_cycles(graph, inputs, memories, options, &self.delays);
        let mut cycles = cycles.unwrap_or_default().into_iter();
        (outcome, LeastCycles { graph: cycles.next(), mapping: cycles.next() })
    }
}

impl Configured {
    /// The bounds of a case, whose memory answers as soon as it says.
    pub fn least_cycles(&self, case: &Case) -> LeastCycles {
        let options = InterpOptions {
            index_width: self.fabric.index_width(),
            max_steps: case.max_steps,
            ..InterpOptions::default()
        };
        let mut memories = case.memories(self.graph());
        let bounds = CycleBounds::new(self, case.axi.latency);
        bounds.of_run(self.graph(), &case.inputs, &mut memories, &options).1
    }

    fn graph_delays(&self, latency: u32) -> Delays {
        let closest = self.mapped.closest.iter().map(|&(use_, registers)| (use_, registers.into()));
        self.delays(&fastest(&self.netlist, &self.fabric, latency), closest)
    }

    fn mapping_delays(&self, latency: u32) -> Option<Delays> {
        let finished = Finished::new(&self.netlist, &self.fabric, &self.mapped.mapping, latency)?;
        let mut delays = self.delays(&finished.units(), finished.registers());
        self.share_ports(&mut delays);
        Some(delays)
    }

    /// Accesses that the mapping has at one port of an interface.
    fn share_ports(&self, delays: &mut Delays) {
        let graph = self.graph();
        let mut numbers = BTreeMap::new();
        let mut port_of = HashMap::new();
        for (node, p) in self.netlist.nodes.iter().zip(&self.mapped.mapping.placements) {
            if let (Op::Memory(..), Some(&first)) = (node.op, node.results.first()) {
                let next = numbers.len();
                let number = *numbers.entry((p.component, p.fu >= loom_map::memory::STORE)).or_insert(next);
                port_of.insert(&self.netlist.value(first).name[..], number);
            }
        }
        for ((_, node, ports), list) in graph.memory_nodes().zip(&mut delays.ports) {
            let stores = (0..ports.stores as usize).map(|i| ports.store_done(i));
            let firsts = stores.chain((0..ports.loads as usize).map(|i| ports.load_data(i)));
            for (port, result) in list.iter_mut().zip(firsts) {
                let name = &graph.value(graph.result(node, result)).name[..];
                // One that is not mapped keeps a port of its own.
                *port = port_of.get(name).copied().unwrap_or(numbers.len() + *port);
            }
        }
    }

    /// Delays of the graph from those of its netlist: by node registers from operands to results and cycles between firings, and
    /// registers on the way to a use. What the netlist does not have takes no time.
    fn delays(&self, units: &[(u32, i64)], ways: impl Iterator<Item = (Use, u64)>) -> Delays {
        let (graph, net) = (self.graph(), &self.netlist);
        // Values keep their names.
        let values: HashMap<&str, ValueId> =
            graph.values.iter().enumerate().map(|(v, value)| (&value.name[..], ValueId(v as u32))).collect();
        let same = |v: ValueId| values.get(&net.value(v).name[..]).copied();
        let mut delays = Delays::none(graph);
        for (node, &(stages, interval)) in net.nodes.iter().zip(units) {
            for v in node.results.iter().filter_map(|&v| same(v)) {
                delays.stages[v.0 as usize] = stages.into();
                delays.interval[v.0 as usize] = interval.unsigned_abs().max(1);
            }
        }
        for (use_, registers) in ways {
            match use_ {
                Use::Output(k) => delays.outputs[k] = registers,
                Use::Operand { node, operand } => {
                    let node = net.node(node);
                    let (name, op, operand) = covered_operand(net, node, operand);
                    let made = name.and_then(|name| values.get(name).copied());
                    if let Some((n, i)) = made.and_then(|v| operand_of(graph, v, op, operand)) {
                        delays.operands[n.0 as usize][i] = registers;
                    }
                }
            }
        }
        delays
    }
}

/// Which of its ops takes an operand of a node, by the name of that op's first result, and as which operand.
fn covered_operand<'a>(net: &'a Graph, node: &'a Node, operand: usize) -> (Option<&'a str>, Op, usize) {
    for op in &node.covers {
        let at = op.operands.iter().position(|o| o.0 == CoveredSource::Operand(operand));
        if let Some(at) = at {
            return (Some(&op.name), op.op, at);
        }
    }
    (node.results.first().map(|&v| &net.value(v).name[..]), node.op, operand)
}

/// The operand of the graph that an operand of a netlist node is; `first` is that node's first result.
fn operand_of(graph: &Graph, first: ValueId, op: Op, operand: usize) -> Option<(NodeId, usize)> {
    let ValueDef::Result { node, result } = graph.value(first).def else { return None };
    let (Op::Memory(..), OpKind::Memory(ports) | OpKind::Extmemory(ports)) = (op, graph.kind(node)) else {
        return Some((node, unit_input(op.kind(), operand)));
    };
    let store = (0..ports.stores as usize).find(|&i| ports.store_done(i) == result);
    let load = (0..ports.loads as usize).find(|&i| ports.load_data(i) == result);
    let at = match (store, load, operand) {
        (Some(i), _, 0) => ports.store_data(i),
        (Some(i), _, _) => ports.store_address(i),
        (_, Some(i), _) => ports.load_address(i),
        _ => return None,
    };
    Some((node, at))
}
