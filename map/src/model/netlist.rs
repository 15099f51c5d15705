//! What is placed and routed: the graph with its memory nodes taken apart, one node for each access, and without the casts
//! that change no bits ([`super::casts`]).
//!
//! A memory node of the graph stands for many ports; on a fabric each access has a lane of an interface of its own. The
//! data of loads and stores pass a `handshake.load` or `handshake.store` unchanged, so they are routed past its unit,
//! straight between memory and users: the unit only joins address and control token. A token from memory that nobody
//! uses is taken by a `join` whose result is discarded.
//!
//! Guarantees: nodes keep their order (an access's first lane has the place of the memory node, further ones follow after all
//! others), arguments and outputs their numbers, values their names. An operand behind a cast that is gone says as which type
//! its node reads it.

use super::casts::same_bits;
use loom_dfg::graph::{Graph, ValueDef, ValueId};
use loom_dfg::op::Ports;
use loom_dfg::{Op, OpKind};
use std::ops::Range;

/// Operand of a unit that operand `operand` of a netlist node goes to.
pub fn unit_input(kind: OpKind, operand: usize) -> usize {
    match kind {
        // (address, control) of (address, data, control)
        OpKind::Load | OpKind::Store => 2 * operand,
        _ => operand,
    }
}

/// Result of a unit that result `result` of a netlist node comes from.
pub fn unit_output(kind: OpKind, result: usize) -> usize {
    match kind {
        // The address of (data, address).
        OpKind::Load | OpKind::Store => result + 1,
        _ => result,
    }
}

/// What a node of the netlist is made of: op, operands, results as values of the graph.
struct Plan {
    node: usize,
    op: Op,
    operands: Vec<ValueId>,
    results: Vec<ValueId>,
}

/// The netlist of a verified graph, for fabrics of that index width.
pub fn netlist(graph: &Graph, index_width: u32) -> Graph {
    // Data that pass a load, store or cast: what to take instead.
    let mut instead = same_bits(graph, index_width);
    let gone: Vec<bool> = (instead.iter().enumerate()).map(|(v, i)| i.0 as usize != v).collect();
    for node in &graph.nodes {
        match node.op.kind() {
            // load: (address, data, control) to (data, address); store: the same.
            OpKind::Load | OpKind::Store => instead[node.results[0].0 as usize] = node.operands[1],
            _ => {}
        }
    }
    let real = |mut v: ValueId| {
        // A load's data may be cast and be another store's: chains end after as many steps as there are nodes.
        for _ in 0..graph.nodes.len() {
            match instead[v.0 as usize] {
                next if next == v => break,
                next => v = next,
            }
        }
        v
    };
    let mut plans = Vec::new();
    let mut further = Vec::new();
    for (n, node) in graph.nodes.iter().enumerate() {
        let operand = |i: usize| node.operands[i];
        match node.op {
            _ if node.results.first().is_some_and(|v| gone[v.0 as usize]) => {}
            Op::Memory(id, kind) => {
                let (ports, external) = match kind {
                    OpKind::Extmemory(ports) => (ports, true),
                    OpKind::Memory(ports) => (ports, false),
                    _ => continue,
                };
                let single = |loads, stores| {
                    let ports = Ports { loads, stores };
                    Op::Memory(id, if external { OpKind::Extmemory(ports) } else { OpKind::Memory(ports) })
                };
                let mut accesses = Vec::new();
                for i in 0..ports.stores as usize {
                    accesses.push(Plan {
                        node: n,
                        op: single(0, 1),
                        operands: vec![operand(ports.store_data(i)), operand(ports.store_address(i))],
                        results: vec![node.results[ports.store_done(i)]],
                    });
                }
                for i in 0..ports.loads as usize {
                    accesses.push(Plan {
                        node: n,
                        op: single(1, 0),
                        operands: vec![operand(ports.load_address(i))],
                        results: vec![node.results[ports.load_data(i)], node.results[ports.load_done(i)]],
                    });
                }
                let mut accesses = accesses.into_iter();
                plans.extend(accesses.next());
                further.extend(accesses);
            }
            op => {
                let access = matches!(op.kind(), OpKind::Load | OpKind::Store);
                let (operands, results) = if access {
                    (vec![operand(0), operand(2)], vec![node.results[1]])
                } else {
                    ((0..node.operands.len()).map(operand).collect(), node.results.clone())
                };
                plans.push(Plan { node: n, op, operands, results });
            }
        }
    }
    plans.extend(further);
    build(graph, plans, &real)
}

/// Where the access stands that a lane serves: the node that gives it addresses.
fn access_span(graph: &Graph, plan: &Plan) -> Option<Range<usize>> {
    let &address = plan.operands.last()?;
    match (plan.op, graph.value(address).def) {
        (Op::Memory(..), ValueDef::Result { node, .. }) => graph.node(node).span.clone(),
        _ => None,
    }
}

fn build(graph: &Graph, plans: Vec<Plan>, real: &dyn Fn(ValueId) -> ValueId) -> Graph {
    let mut net = Graph {
        memories: graph.memories.clone(),
        max_join_fanin: graph.max_join_fanin,
        profile: graph.profile.clone(),
        ..Graph::new(graph.name.clone())
    };
    let mut new: Vec<Option<ValueId>> = vec![None; graph.values.len()];
    for &a in &graph.arguments {
        let value = graph.value(a);
        new[a.0 as usize] = Some(net.add_argument(value.name.clone(), value.ty));
    }
    for (value, new) in graph.values.iter().zip(&mut new) {
        if let ValueDef::Literal(bits) = value.def {
            *new = Some(net.add_literal(value.name.clone(), bits, value.ty));
        }
    }
    // Results first, operands when every value is known.
    for plan in &plans {
        let types: Vec<_> = plan.results.iter().map(|&v| graph.value(v).ty).collect();
        let node = net.add_node(plan.op, &[], &types);
        let span = graph.nodes[plan.node].span.clone().or_else(|| access_span(graph, plan));
        net.nodes[node.0 as usize].span = span;
        for (result, &v) in plan.results.iter().enumerate() {
            let id = net.result(node, result);
            net.values[id.0 as usize].name = graph.value(v).name.clone();
            new[v.0 as usize] = Some(id);
        }
    }
    let at = |v: ValueId| new[real(v).0 as usize].expect("every value has a producer in the netlist");
    for (node, plan) in net.nodes.iter_mut().zip(&plans) {
        node.operands = plan.operands.iter().map(|&v| at(v)).collect();
        let types = plan.operands.iter().map(|&v| graph.value(v).ty).enumerate();
        node.read_as = types.filter(|&(i, ty)| net.values[node.operands[i].0 as usize].ty != ty).collect();
    }
    for output in &graph.outputs {
        net.add_output(output.name.clone(), at(output.value));
    }
    let uses = net.uses();
    for (v, uses) in uses.iter().enumerate() {
        let ValueDef::Result { node, .. } = net.values[v].def else { continue };
        if uses.is_empty() && matches!(net.node(node).op, Op::Memory(..)) {
            let taker =
                net.add_node(Op::Plain(OpKind::Join(1)), &[ValueId(v as u32)], &[loom_dfg::Type::None]);
            let taken = net.result(taker, 0);
            net.values[taken.0 as usize].name = format!("{}_taken", net.values[v].name);
        }
    }
    net
}
