//! Which cycles a placement is judged by: those of few edges from the start, another one when a placement makes it the slowest.
//!
//! A graph has more cycles than could be counted in every step, and a few of them decide. What was slow once is kept, for this
//! placement and the next ones.

use super::cost::{CycleClass, CycleState};
use crate::model::problem::Problem;
use crate::timing::recurrence::{Cycle, CycleEdge};

/// Most cycles counted.
const MOST_CYCLES: usize = 400;
/// Most of a loop that are learned at once.
const AT_ONCE: usize = 4;

/// The cycles that count.
#[derive(Clone)]
pub(super) struct Learner {
    /// In the order in which they were learned.
    pub cycles: Vec<Cycle>,
    /// By node and operand: its wire.
    wire_of: Vec<Vec<usize>>,
}

impl Learner {
    /// These count from the start.
    pub fn new(cycles: Vec<Cycle>, wire_of: Vec<Vec<usize>>) -> Learner {
        Learner { cycles, wire_of }
    }

    /// What a cycle costs by, how long it is without any register on its wires, and those wires.
    pub fn state(&self, problem: &Problem, cycle: &Cycle) -> (CycleClass, u32, Vec<usize>) {
        let length = cycle.edges.iter().map(|&(node, _)| problem.first_stages(node)).sum();
        let wires = cycle.edges.iter().map(|&(node, operand)| self.wire_of[node][operand]).collect();
        (CycleClass::new(&problem.loops, cycle.in_loop, cycle.tokens.into()), length, wires)
    }

    /// Learns cycles that are slower than all of their loop that count, as those are now and with so many registers on each wire; gives how
    /// many it knew.
    pub fn learn(&mut self, problem: &Problem, counted: &[CycleState], registers: &[u64]) -> usize {
        let (known, loops) = (self.cycles.len(), &problem.loops);
        let length = |(node, operand): CycleEdge| {
            u64::from(problem.first_stages(node)) + registers[self.wire_of[node][operand]]
        };
        // What reaches the bound costs little.
        let mut slowest: Vec<(u64, u64)> = loops.nest.loops().map(|l| loops.bound_in_turns(l)).collect();
        for (cycle, state) in self.cycles.iter().zip(counted) {
            let most = &mut slowest[cycle.in_loop.0];
            *most = slower(*most, (state.length.into(), cycle.tokens.into()));
        }
        for (l, mut most) in loops.nest.loops().zip(slowest) {
            for _ in 0..AT_ONCE {
                if self.cycles.len() >= MOST_CYCLES {
                    return known;
                }
                let Some(cycle) = loops.slowest.beyond(l, &length, most) else { break };
                let now = (cycle.edges.iter().map(|&edge| length(edge)).sum(), cycle.tokens.into());
                if slower(most, now) == most {
                    break;
                }
                most = now;
                self.cycles.push(cycle);
            }
        }
        known
    }
}

/// The one with more cycles a turn; the first of two alike.
fn slower(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    if b.0 * a.1 > a.0 * b.1 {
        b
    } else {
        a
    }
}
