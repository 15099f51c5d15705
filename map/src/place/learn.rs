//! Which cycles a placement is judged by: those of few edges from the start, another one when a placement makes it the slowest.
//!
//! A graph has more cycles than could be counted in every step, and a few of them decide. What was slow once is kept, for this
//! placement and the next ones.

use super::cost::{CycleState, UNIT};
use crate::model::problem::Problem;
use crate::timing::recurrence::{Cycle, CycleEdge, Slowest};

/// Most cycles counted.
const MOST_CYCLES: usize = 400;
/// Most that are learned at once, without first tokens and with them.
const AT_ONCE: usize = 4;

/// The cycles that count, and how others are found.
#[derive(Clone)]
pub(super) struct Learner {
    /// In the order in which they were learned.
    pub cycles: Vec<Cycle>,
    slowest: Slowest,
    /// By node and operand: its wire.
    wire_of: Vec<Vec<usize>>,
}

impl Learner {
    /// These count from the start.
    pub fn new(problem: &Problem, cycles: Vec<Cycle>, wire_of: Vec<Vec<usize>>) -> Learner {
        Learner { cycles, slowest: Slowest::new(problem.graph), wire_of }
    }

    /// A cycle without any register on its wires, and those wires.
    pub fn state(&self, problem: &Problem, cycle: &Cycle) -> (CycleState, Vec<usize>) {
        let length = cycle.edges.iter().map(|&(node, _)| u64::from(problem.first_stages(node))).sum();
        let unit = (UNIT as f64 / problem.bound) as u64;
        let wires = cycle.edges.iter().map(|&(node, operand)| self.wire_of[node][operand]).collect();
        (CycleState::new(length, cycle.tokens.into(), unit, cycle.outer), wires)
    }

    /// Learns cycles that are slower than all that count, as those are now and with so many registers on each wire; gives how many
    /// it knew.
    pub fn learn(&mut self, problem: &Problem, counted: &[CycleState], registers: &[u64]) -> usize {
        let known = self.cycles.len();
        let length = |(node, operand): CycleEdge| {
            u64::from(problem.first_stages(node)) + registers[self.wire_of[node][operand]]
        };
        for outer in [false, true] {
            // What reaches the bound costs little.
            let floor = ((problem.bound * UNIT as f64) as u64, UNIT);
            // Those through first tokens only where they are slower than the others too, which are found with them.
            let alike = counted.iter().filter(|c| outer || !c.outer);
            let mut most = alike.map(|c| (c.length(), c.tokens)).fold(floor, slower);
            for _ in 0..AT_ONCE {
                if self.cycles.len() >= MOST_CYCLES {
                    return known;
                }
                let Some(cycle) = self.slowest.beyond(&length, most, outer) else { break };
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

/// The one with more cycles an iteration; the first of two alike.
fn slower(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    if b.0 * a.1 > a.0 * b.1 {
        b
    } else {
        a
    }
}
