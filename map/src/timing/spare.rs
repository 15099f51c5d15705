//! What a register on each way would cost: cycles that a way may be longer until its loop is slower, and what a run loses from there.
//!
//! A loop is as slow as its slowest turn; what lies on it is late by as much as it is longer, and other ways are late only when they
//! are longer by what the slowest of their own turns has to spare. (Slack and criticality of a timing-driven router: McMurchie and
//! Ebeling, PathFinder, FPGA 1995.)

use super::nest::{LoopIndex, TurnEdge};
use super::recurrence::{CycleEdge, Slowest};
use crate::model::problem::Problem;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// By node and operand: the part of a run, 0 to 1, that is longer by as much as the way to the operand is, divided by one more than the cycles
/// that it has to spare. `length` gives what an edge takes, up to the results of its consumer.
pub fn urgency(problem: &Problem, length: &dyn Fn(CycleEdge) -> u64) -> Vec<Vec<f64>> {
    let loops = &problem.loops;
    let nest = &loops.nest;
    let turns: Vec<(u64, u64)> = nest.loops().map(|l| loops.turn(l, length)).collect();
    let cycles = |l: LoopIndex| turns[l.0].0 as f64 / turns[l.0].1 as f64;
    let run = nest.cycles(cycles);
    let mut urgency: Vec<Vec<f64>> =
        problem.graph.nodes.iter().map(|n| vec![0.0; n.operands.len()]).collect();
    for l in nest.loops() {
        let share = nest.turns(l) * cycles(l) / run;
        for ((node, operand), spare) in loops.slowest.spare(l, length, turns[l.0]) {
            let here = &mut urgency[node][operand];
            *here = here.max(share / (1.0 + spare));
        }
    }
    urgency
}

impl Slowest {
    /// By edge of a loop: cycles that it may be longer until some turn takes longer than `turn.0` cycles in `turn.1` turns, which none does now.
    fn spare(
        &self,
        of: LoopIndex,
        length: &dyn Fn(CycleEdge) -> u64,
        turn: (u64, u64),
    ) -> Vec<(CycleEdge, f64)> {
        let (cycles, turns) = (turn.0 as i64, turn.1 as i64);
        let edges = self.edges(of);
        let over = |e: &TurnEdge| length((e.to, e.operand)) as i64 * turns - cycles * i64::from(e.turns);
        let ways: Vec<i64> = edges.iter().map(over).collect();
        // Longest ways to each node, which end as no circle is longer than nothing: with them as heights no edge leads up.
        let mut height = vec![0i64; self.nodes()];
        for _ in 0..self.nodes() {
            let mut is_done = true;
            for (e, way) in edges.iter().zip(&ways) {
                if height[e.from] + way > height[e.to] {
                    height[e.to] = height[e.from] + way;
                    is_done = false;
                }
            }
            if is_done {
                break;
            }
        }
        let mut after: Vec<Vec<(usize, u64)>> = vec![Vec::new(); self.nodes()];
        let drop = |e: &TurnEdge, way: i64| (height[e.to] - height[e.from] - way).max(0) as u64;
        for (e, &way) in edges.iter().zip(&ways) {
            after[e.from].push((e.to, drop(e, way)));
        }
        // What a circle has to spare is the sum of its drops, so the least way back tells (Johnson 1977).
        let mut by_end: Vec<usize> = (0..edges.len()).collect();
        by_end.sort_by_key(|&e| edges[e].to);
        let mut spare = Vec::new();
        for ends in by_end.chunk_by(|&a, &b| edges[a].to == edges[b].to) {
            let back = nearest(&after, edges[ends[0]].to);
            for &e in ends.iter().filter(|&&e| back[edges[e].from] != u64::MAX) {
                let total = drop(&edges[e], ways[e]) + back[edges[e].from];
                spare.push(((edges[e].to, edges[e].operand), total as f64 / turns as f64));
            }
        }
        spare
    }
}

/// Least ways from a node to all others (Dijkstra 1959).
fn nearest(after: &[Vec<(usize, u64)>], from: usize) -> Vec<u64> {
    let mut least = vec![u64::MAX; after.len()];
    least[from] = 0;
    let mut heap = BinaryHeap::from([Reverse((0, from))]);
    while let Some(Reverse((way, at))) = heap.pop() {
        if way > least[at] {
            continue;
        }
        for &(to, on) in &after[at] {
            if way + on < least[to] {
                least[to] = way + on;
                heap.push(Reverse((way + on, to)));
            }
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::{CycleEdge, Problem};
    use crate::model::netlist::netlist;
    use loom_base::{Rng, Source};
    use loom_testkit::fabrics::{fabric, root};

    /// Whatever the lengths, no edge could be longer by a cycle more than it has to spare, and each by as much.
    #[test]
    fn a_loop_is_slower_from_what_is_spared_on() {
        let fabric = fabric("configs/mesh-4x4.toml");
        let path = "kernels/nested/nested.dfg.mlir";
        let text = std::fs::read_to_string(root().join(path)).expect("a kernel");
        let graph = loom_dfg::parse(&Source::new(path, text)).expect("a graph");
        let net = netlist(&graph, fabric.index_width());
        let problem = Problem::new(&net, &fabric, 1).expect("it fits");
        let (loops, mut rng, mut looked_at) = (&problem.loops, Rng::new(11), 0);
        for _ in 0..20 {
            let lengths: Vec<Vec<u64>> =
                net.nodes.iter().map(|n| n.operands.iter().map(|_| rng.below(6) as u64).collect()).collect();
            let length = |(node, operand): CycleEdge| lengths[node][operand];
            for l in loops.nest.loops() {
                let turn = loops.slowest.turn(l, &length, (1, 1));
                for (edge, spare) in loops.slowest.spare(l, &length, turn) {
                    let is_slower = |more: u64| {
                        let longer = |e: CycleEdge| length(e) + if e == edge { more } else { 0 };
                        loops.slowest.beyond(l, &longer, turn).is_some()
                    };
                    let most = spare.floor() as u64;
                    assert!(!is_slower(most) && is_slower(most + 1), "{edge:?} has {spare}");
                    looked_at += 1;
                }
            }
        }
        assert!(looked_at > 100, "{looked_at} edges");
    }
}
