//! Slack matching: the least slack with which a loop runs at an interval that is given.
//!
//! With the interval fixed, the times of a loop's events and the units of slack are the solution of a linear program: each arc
//! of [`Analysis`] is a difference of two times; a unit of slack on the way to a use makes the way longer by a cycle and holds
//! [`SLACK_UNIT`] more tokens. Units are whole, so what the program says is rounded up, one use after the other. (Beerel, Lines,
//! Davies, Kim: Slack matching asynchronous designs, ASYNC 2006.)

use crate::model::hops::SLACK_UNIT;
use crate::timing::routed::UseId;
use crate::timing::Analysis;
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// What is less is no unit.
const NONE: f64 = 1e-6;
/// Price of a unit of a use beside that of its value, of which all uses share what they pass.
const SHARED: f64 = 0.125;
/// A program of n differences takes as long as the router for n squared channels over so many: as many pivots as differences, each over the
/// few numbers of a row.
const PIVOTS: u64 = 16;

/// Units of slack by use with which a loop has this interval; none where no units give it. A use is offered with the price of a
/// unit and with how many it may have, or not at all. `steps` are those of the router, of which a program takes what it costs; without
/// any left there is none.
pub fn wanted(
    analysis: &Analysis,
    interval: f64,
    offer: &dyn Fn(UseId) -> Option<(f64, u32)>,
    steps: &Cell<u64>,
) -> Option<Vec<(UseId, u32)>> {
    let unit = SLACK_UNIT as f64 * interval - 1.0;
    let mut bare = Differences::new(analysis.events());
    let mut with_slack = Vec::new();
    for arc in analysis.arcs() {
        let least = arc.cycles as f64 - interval * arc.tokens as f64;
        match arc.of.and_then(|u| Some((u, offer(u)?))) {
            Some((use_, (price, most))) => {
                let gained = if arc.forward { -1.0 } else { unit };
                with_slack.push(WithSlack { arc: (arc.from, arc.to), least, use_, price, most, gained });
                bare.keep(arc.from);
                bare.keep(arc.to);
            }
            None => bare.add(arc.from, arc.to, least)?,
        }
    }
    bare.eliminate()?;
    let size = (bare.len() + with_slack.len()) as u64;
    let charge = |cost: u64| steps.set(steps.get().saturating_sub(cost));
    charge(size * size / PIVOTS);
    if steps.get() == 0 {
        return None;
    }
    let mut program = Problem::new(OptimizationDirection::Minimize);
    let mut events: BTreeMap<usize, Variable> = BTreeMap::new();
    let mut units: BTreeMap<UseId, Variable> = BTreeMap::new();
    let mut nets: BTreeMap<usize, Variable> = BTreeMap::new();
    let mut event = |program: &mut Problem, e: usize| {
        *events.entry(e).or_insert_with(|| program.add_var(0.0, (0.0, f64::INFINITY)))
    };
    for (from, to, least) in bare.all() {
        let terms = [(event(&mut program, to), 1.0), (event(&mut program, from), -1.0)];
        program.add_constraint(terms, ComparisonOp::Ge, least);
    }
    for &WithSlack { arc, least, use_, price, most, gained } in &with_slack {
        let slack = *units.entry(use_).or_insert_with(|| {
            // Uses of a value share what they pass: what counts is the most that one of them has.
            let slack = program.add_var(SHARED * price, (0.0, f64::from(most)));
            let net = *nets.entry(use_.0).or_insert_with(|| program.add_var(price, (0.0, f64::INFINITY)));
            program.add_constraint([(net, 1.0), (slack, -1.0)], ComparisonOp::Ge, 0.0);
            slack
        });
        let [from, to] = [arc.0, arc.1].map(|e| event(&mut program, e));
        program.add_constraint([(to, 1.0), (from, -1.0), (slack, gained)], ComparisonOp::Ge, least);
    }
    let mut solution = program.solve().ok()?.into_solution().ok()?;
    loop {
        // The one that lacks least to a whole unit is rounded first.
        let part = |v: Variable, s: &microlp::Solution| s.var_value(v).ceil() - s.var_value(v);
        let open = units.values().copied().filter(|&v| (NONE..1.0 - NONE).contains(&part(v, &solution)));
        let Some(next) = open.min_by(|&a, &b| part(a, &solution).total_cmp(&part(b, &solution))) else {
            break;
        };
        charge(size);
        let whole = solution.var_value(next).ceil();
        solution =
            solution.add_constraint([(next, 1.0)], ComparisonOp::Ge, whole).ok()?.into_solution().ok()?;
    }
    let whole = units.into_iter().map(|(u, v)| (u, solution.var_value(v).round() as u32));
    Some(whole.filter(|&(_, n)| n > 0).collect())
}

/// An arc whose use may have slack.
struct WithSlack {
    arc: (usize, usize),
    least: f64,
    use_: UseId,
    price: f64,
    most: u32,
    /// What a unit of it adds to the difference.
    gained: f64,
}

/// Least differences between times of events, without those events that nothing else asks for.
struct Differences {
    /// By event: those before it and those after it, with the least difference.
    before: Vec<BTreeMap<usize, f64>>,
    after: Vec<BTreeMap<usize, f64>>,
    kept: Vec<bool>,
}

impl Differences {
    fn new(events: usize) -> Differences {
        let none = || vec![BTreeMap::new(); events];
        Differences { before: none(), after: none(), kept: vec![false; events] }
    }

    fn keep(&mut self, event: usize) {
        self.kept[event] = true;
    }

    /// Adds one; none where an event would have to be later than itself.
    fn add(&mut self, from: usize, to: usize, least: f64) -> Option<()> {
        if from == to {
            return (least <= NONE).then_some(());
        }
        for (list, other) in [(&mut self.after[from], to), (&mut self.before[to], from)] {
            let known = list.entry(other).or_insert(least);
            *known = known.max(least);
        }
        Some(())
    }

    /// Takes out events that are not kept, wherever that leaves no more differences than there were: a program without them has
    /// the same slack, and most events are those of FIFOs behind each other. None where an event would have to be later than itself.
    fn eliminate(&mut self) -> Option<()> {
        let mut todo: BTreeSet<usize> = (0..self.kept.len()).filter(|&e| !self.kept[e]).collect();
        while let Some(event) = todo.pop_first() {
            let (comes, goes) = (self.before[event].len(), self.after[event].len());
            if comes * goes > comes + goes {
                continue;
            }
            let before = std::mem::take(&mut self.before[event]);
            let after = std::mem::take(&mut self.after[event]);
            for &b in before.keys() {
                self.after[b].remove(&event);
            }
            for &a in after.keys() {
                self.before[a].remove(&event);
            }
            for (&b, &way) in &before {
                for (&a, &on) in &after {
                    self.add(b, a, way + on)?;
                }
            }
            // With fewer neighbours they may go as well.
            todo.extend(before.keys().chain(after.keys()).filter(|&&e| !self.kept[e]));
        }
        Some(())
    }

    fn len(&self) -> usize {
        self.after.iter().map(BTreeMap::len).sum()
    }

    fn all(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let after = self.after.iter().enumerate();
        after.flat_map(|(from, list)| list.iter().map(move |(&to, &least)| (from, to, least)))
    }
}
