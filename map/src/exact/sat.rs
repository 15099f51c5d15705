//! A SAT solver with a budget in conflicts, and the few constraints that the models here are made of.
//!
//! Guarantees: the same clauses in the same order give the same answer and the same model; where the budget ends, the answer is
//! that it is not known.

use batsat::{lbool, Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts};
use std::cell::Cell;
use std::rc::Rc;

/// What is left of a budget, shared by all solvers of one search.
#[derive(Clone, Debug)]
pub struct Conflicts(Rc<Cell<u64>>);

impl Conflicts {
    /// So many.
    pub fn new(count: u64) -> Conflicts {
        Conflicts(Rc::new(Cell::new(count)))
    }

    /// How many are left.
    pub fn left(&self) -> u64 {
        self.0.get()
    }

    /// Takes so many away.
    pub fn spend(&self, count: u64) {
        self.0.set(self.0.get().saturating_sub(count));
    }
}

/// Counts conflicts and stops the solver when none are left.
struct Meter(Conflicts);

impl Callbacks for Meter {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.0.spend(1);
        }
    }

    fn stop(&self) -> bool {
        self.0.left() == 0
    }
}

/// What a solver says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is a model.
    Yes,
    /// There is none; proved.
    No,
    /// The budget ended first.
    Unknown,
}

/// A solver.
pub struct Sat {
    solver: Solver<Meter>,
    /// Reused by every clause.
    clause: Vec<Lit>,
}

impl Sat {
    /// No clauses yet.
    pub fn new(budget: &Conflicts) -> Sat {
        let solver = Solver::new(SolverOpts::default(), Meter(budget.clone()));
        Sat { solver, clause: Vec::new() }
    }

    /// A new variable.
    pub fn var(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    /// One of them holds.
    pub fn clause(&mut self, literals: impl IntoIterator<Item = Lit>) {
        self.clause.clear();
        self.clause.extend(literals);
        self.solver.add_clause_reuse(&mut self.clause);
    }

    /// Where all of `when` hold, one of `then` does.
    pub fn implies(&mut self, when: &[Lit], then: impl IntoIterator<Item = Lit>) {
        self.clause.clear();
        self.clause.extend(when.iter().map(|&l| !l));
        self.clause.extend(then);
        self.solver.add_clause_reuse(&mut self.clause);
    }

    /// At most one holds: each sets a number of its own in binary digits (pairs where there are few). With `unless`, that
    /// literal lifts it.
    pub fn at_most_one(&mut self, literals: &[Lit], unless: Option<Lit>) {
        if literals.len() <= 5 {
            for (i, &a) in literals.iter().enumerate() {
                for &b in &literals[i + 1..] {
                    self.implies(&[a, b], unless);
                }
            }
            return;
        }
        let digits = literals.len().next_power_of_two().ilog2();
        let digits: Vec<Lit> = (0..digits).map(|_| self.var()).collect();
        for (number, &l) in literals.iter().enumerate() {
            for (k, &digit) in digits.iter().enumerate() {
                let digit = if number >> k & 1 == 1 { digit } else { !digit };
                self.implies(&[l], [digit].into_iter().chain(unless));
            }
        }
    }

    /// Asks for a model in which the assumptions hold.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        match self.solver.solve_limited(assumptions) {
            l if l == lbool::TRUE => Answer::Yes,
            l if l == lbool::FALSE => Answer::No,
            _ => Answer::Unknown,
        }
    }

    /// Whether a literal holds in the model that was found last.
    pub fn holds(&self, literal: Lit) -> bool {
        self.solver.value_lit(literal) == lbool::TRUE
    }

    /// Assumptions that no model has together, after they were refused.
    pub fn refused(&self, assumptions: &[Lit]) -> Vec<Lit> {
        let core = self.solver.unsat_core();
        assumptions.iter().copied().filter(|a| core.contains(a) || core.contains(&!*a)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many things on so many places, one each.
    fn pigeons(things: usize, places: usize, budget: u64) -> Answer {
        let budget = Conflicts::new(budget);
        let mut sat = Sat::new(&budget);
        let at: Vec<Vec<Lit>> = (0..things).map(|_| (0..places).map(|_| sat.var()).collect()).collect();
        for thing in &at {
            sat.clause(thing.iter().copied());
        }
        for place in 0..places {
            let here: Vec<Lit> = at.iter().map(|thing| thing[place]).collect();
            sat.at_most_one(&here, None);
        }
        sat.solve(&[])
    }

    #[test]
    fn at_most_one_is_exact_for_few_and_many() {
        for n in 1..9 {
            assert_eq!(pigeons(n, n, 1_000_000), Answer::Yes, "{n}");
        }
        for n in 1..7 {
            assert_eq!(pigeons(n + 1, n, 1_000_000), Answer::No, "{n}");
        }
    }

    #[test]
    fn a_budget_ends_a_search_that_takes_longer() {
        assert_eq!(pigeons(10, 9, 50), Answer::Unknown);
    }

    #[test]
    fn what_is_refused_names_its_assumptions() {
        let mut sat = Sat::new(&Conflicts::new(1000));
        let [a, b, c] = [sat.var(), sat.var(), sat.var()];
        sat.implies(&[a, b], []);
        assert_eq!(sat.solve(&[c, a, b]), Answer::No);
        assert_eq!(sat.refused(&[c, a, b]), [a, b]);
        assert_eq!(sat.solve(&[c, a]), Answer::Yes);
        assert!(sat.holds(a) && !sat.holds(b));
    }
}
