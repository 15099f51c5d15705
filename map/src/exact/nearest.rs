//! What no placement goes below: nodes on sites, and on every connection of a recurrence the fewest registers that lead from the one
//! site to the other, whatever else is routed.
//!
//! Circles that are too slow are forbidden when a placement has them, with all placements that have them for the same reason.

use super::places::PlaceLiterals;
use super::sat::{Answer, Conflicts, Sat};
use super::turns::{Circle, Interval, Turns};
use crate::model::problem::Problem;
use crate::model::site::Site;
use batsat::Lit;

/// The search for placements by distances alone.
pub struct Nearest<'a> {
    problem: &'a Problem<'a>,
    turns: &'a Turns,
    sat: Sat,
    places: PlaceLiterals,
    /// By connection, for 1, 2, ...: whether at least so many registers lie on it.
    registers: Vec<Vec<Lit>>,
    /// What was asked for last.
    target: Option<Interval>,
}

impl<'a> Nearest<'a> {
    /// Nothing is too slow yet.
    pub fn new(problem: &'a Problem<'a>, turns: &'a Turns, budget: &Conflicts) -> Nearest<'a> {
        let mut sat = Sat::new(budget);
        let places = PlaceLiterals::new(problem, &mut sat);
        let registers = vec![Vec::new(); turns.list.len()];
        let mut nearest = Nearest { problem, turns, sat, places, registers, target: None };
        nearest.distances();
        nearest
    }

    /// Joins registers on connections to the sites at their ends.
    fn distances(&mut self) {
        for (e, turn) in self.turns.list.iter().enumerate() {
            let most = self.places.furthest(self.problem, turn);
            let list: Vec<Lit> = (0..most).map(|_| self.sat.var()).collect();
            for pair in list.windows(2) {
                self.sat.implies(&[pair[1]], [pair[0]]);
            }
            for registers in 0..=most {
                let fewer = list.get(usize::from(registers)).map(|&more| !more);
                self.places.keep_near(self.problem, &mut self.sat, turn, registers, fewer);
            }
            self.registers[e] = list;
        }
    }

    /// A placement whose recurrences and memory ports, with the fewest registers, are below an interval; with the interval
    /// that they have. Intervals asked for must not grow.
    pub fn below(&mut self, target: Interval) -> Result<(Vec<Site>, Interval), Answer> {
        if self.target.replace(target) != Some(target) {
            self.places.below(self.problem, &mut self.sat, target);
        }
        loop {
            match self.sat.solve(&[]) {
                Answer::Yes => {}
                other => return Err(other),
            }
            let sites = self.places.found(self.problem, &self.sat);
            let circles = self
                .turns
                .too_slow(target, &|e| self.turns.stages(self.problem, &sites, e) + self.distance(&sites, e));
            let parted = self.places.part(self.turns, self.problem, &mut self.sat, &sites, target);
            if circles.is_empty() && !parted {
                let own = self.turns.interval(self.problem, &sites, &|e| self.distance(&sites, e));
                return Ok((sites, own));
            }
            for circle in circles {
                self.forbid(&circle, &sites, target);
            }
        }
    }

    fn distance(&self, sites: &[Site], e: usize) -> u64 {
        let resources = &self.problem.resources;
        let turn = self.turns.list[e];
        let at = |n: usize| resources.site(sites[n]);
        resources.distance(at(turn.from), at(turn.to)).into()
    }

    /// Forbids as many registers on a circle as make it too slow.
    fn forbid(&mut self, circle: &Circle, sites: &[Site], target: Interval) {
        let registers: Vec<u64> = circle.iter().map(|&e| self.distance(sites, e)).collect();
        let fixed = circle.iter().map(|&e| self.turns.stages(self.problem, sites, e)).sum();
        let needed = fewest(registers, fixed, target.reached_with(self.turns.tokens(circle)));
        let longer = circle.iter().zip(&needed).filter(|(_, &k)| k > 0);
        let longer = longer.map(|(&e, &k)| !self.registers[e][k as usize - 1]);
        let literals: Vec<Lit> =
            longer.chain(faster(self.problem, self.turns, &self.places, circle, sites)).collect();
        self.sat.clause(literals);
    }
}

/// Of registers, those that suffice to reach a number of cycles with what is fixed.
pub(super) fn fewest(mut registers: Vec<u64>, fixed: u64, cycles: u64) -> Vec<u64> {
    let mut more = (fixed + registers.iter().sum::<u64>()).saturating_sub(cycles);
    for k in &mut registers {
        let less = more.min(*k);
        *k -= less;
        more -= less;
    }
    registers
}

/// Where nodes of a circle would have fewer stages than at these sites.
pub(super) fn faster(
    problem: &Problem,
    turns: &Turns,
    places: &PlaceLiterals,
    circle: &Circle,
    sites: &[Site],
) -> Vec<Lit> {
    let mut literals = Vec::new();
    for &e in circle {
        let n = turns.list[e].from;
        let own = problem.timing_at(n, sites[n]).stages();
        let faster = problem.units[n].iter().zip(&places.at[n]).filter(|(u, _)| u.stages() < own);
        literals.extend(faster.map(|(_, &l)| l));
    }
    literals
}
