//! What a loop's header computes besides its test moves behind the test, to the side that needs it.
//!
//! The before-region of an `scf.while` then holds the test alone, which is what a counting loop looks like. What both
//! sides need is computed on both when that is cheap: the loop's side once an iteration, the other once.

use super::graph::{FlowGraph, FlowNode, FlowNodeId, Terminator};
use super::loops::{LoopId, Loops};
use crate::bits::Bits;
use crate::hints::Hints;
use crate::ir::{Kind, OpId};

/// Operations of one header that may stand on both sides.
const MOST_DOUBLED: usize = 4;

/// Works on every loop that only its header leaves.
pub fn run(graph: &mut FlowGraph, loops: &mut Loops) {
    let order = graph.order();
    let live = graph.live(&order);
    for l in (0..loops.list.len() as u32).map(LoopId) {
        let header = loops[l].header;
        let leaves = |n: FlowNodeId| graph[n].edges.iter().any(|e| !loops.is_in(e.to, Some(l)));
        // A loop of one node is tested at its end: `normalize::rotate` wants it in one piece.
        if loops[l].nodes.len() == 2 {
            continue;
        }
        let goes_on = graph[header].edges.iter().filter(|e| loops.is_in(e.to, Some(l))).count();
        if goes_on == 1 && leaves(header) && loops[l].nodes.iter().all(|&n| n == header || !leaves(n)) {
            sink(graph, loops, header, l, &live);
        }
    }
}

fn sink(graph: &mut FlowGraph, loops: &mut Loops, header: FlowNodeId, l: LoopId, live: &[Bits]) {
    let node = &graph[header];
    let mut needed: Vec<Bits> = node.edges.iter().map(|e| graph.live_on(e, &live[e.to.0 as usize])).collect();
    let inside: Vec<bool> = node.edges.iter().map(|e| loops.is_in(e.to, Some(l))).collect();
    let mut stays = Bits::new(graph.variables());
    if let Terminator::Test(v) | Terminator::Switch(v, _) = node.end {
        stays.add(v.0);
    }
    let mut kept: Vec<OpId> = Vec::new();
    let mut sunk: Vec<Vec<OpId>> = vec![Vec::new(); node.edges.len()];
    let (mut doubled, mut writes_follow) = (0, false);
    for &op in node.ops.iter().rev() {
        let results = &graph.func.op(op).results;
        let mut wanted: Vec<usize> =
            (0..sunk.len()).filter(|&k| results.iter().any(|&r| needed[k].has(r.0))).collect();
        let is_load = graph.func.op(op).kind == Kind::Load;
        let movable = graph.is_pure(op) || (is_load && !writes_follow);
        let cheap = wanted.len() == 1 || (wanted.len() == 2 && graph.is_free(op) && doubled < MOST_DOUBLED);
        let mut read = Vec::new();
        graph.reads(op, &mut read);
        if movable && !results.iter().any(|&r| stays.has(r.0)) && (cheap || wanted.is_empty()) {
            doubled += usize::from(wanted.len() == 2);
            for k in wanted.drain(..) {
                sunk[k].push(op);
                read.iter().for_each(|&v| needed[k].add(v.0));
            }
        } else {
            writes_follow |= !graph.is_pure(op) && !is_load;
            read.iter().for_each(|&v| stays.add(v.0));
            kept.push(op);
        }
    }
    // Nothing is won where the way on still has to wait for what stays.
    if sunk.iter().zip(&inside).all(|(ops, &inside)| ops.is_empty() || !inside) {
        return;
    }
    kept.reverse();
    graph.nodes[header.0 as usize].ops = kept;
    for (k, mut ops) in sunk.into_iter().enumerate().filter(|(_, ops)| !ops.is_empty()) {
        ops.reverse();
        let edge = graph[header].edges[k].clone();
        let (span, around) = (graph[header].span.clone(), loops.common(header, edge.to));
        let new = graph.add(FlowNode {
            ops,
            end: Terminator::Jump,
            edges: vec![edge],
            hints: Hints::default(),
            span,
        });
        loops.add(new, around);
        let edge = &mut graph.nodes[header.0 as usize].edges[k];
        edge.to = new;
        edge.writes.clear();
    }
}
