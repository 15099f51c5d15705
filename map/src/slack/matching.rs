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
use std::collections::BTreeMap;

/// What is less is no unit.
const NONE: f64 = 1e-6;
/// Price of a unit of a use beside that of its value, of which all uses share what they pass.
const SHARED: f64 = 0.125;

/// Units of slack by use with which a loop has this interval; none where no units give it. A use is offered with the price of a
/// unit and with how many it may have, or not at all.
pub fn wanted(
    analysis: &Analysis,
    interval: f64,
    offer: &dyn Fn(UseId) -> Option<(f64, u32)>,
) -> Option<Vec<(UseId, u32)>> {
    let mut program = Problem::new(OptimizationDirection::Minimize);
    let mut events: BTreeMap<usize, Variable> = BTreeMap::new();
    let mut units: BTreeMap<UseId, Variable> = BTreeMap::new();
    let mut nets: BTreeMap<usize, Variable> = BTreeMap::new();
    let unit = SLACK_UNIT as f64 * interval - 1.0;
    for arc in analysis.arcs() {
        let least = arc.cycles as f64 - interval * arc.tokens as f64;
        if arc.from == arc.to {
            if least > NONE {
                return None;
            }
            continue;
        }
        let mut event =
            |e: usize| *events.entry(e).or_insert_with(|| program.add_var(0.0, (0.0, f64::INFINITY)));
        let mut terms = vec![(event(arc.to), 1.0), (event(arc.from), -1.0)];
        if let Some((use_, (price, most))) = arc.of.and_then(|u| Some((u, offer(u)?))) {
            let slack = *units.entry(use_).or_insert_with(|| {
                // Uses of a value share what they pass: what counts is the most that one of them has.
                let slack = program.add_var(SHARED * price, (0.0, f64::from(most)));
                let net = *nets.entry(use_.0).or_insert_with(|| program.add_var(price, (0.0, f64::INFINITY)));
                program.add_constraint([(net, 1.0), (slack, -1.0)], ComparisonOp::Ge, 0.0);
                slack
            });
            terms.push((slack, if arc.forward { -1.0 } else { unit }));
        }
        program.add_constraint(terms, ComparisonOp::Ge, least);
    }
    let mut solution = program.solve().ok()?.into_solution().ok()?;
    loop {
        // The one that lacks least to a whole unit is rounded first.
        let part = |v: Variable, s: &microlp::Solution| s.var_value(v).ceil() - s.var_value(v);
        let open = units.values().copied().filter(|&v| (NONE..1.0 - NONE).contains(&part(v, &solution)));
        let Some(next) = open.min_by(|&a, &b| part(a, &solution).total_cmp(&part(b, &solution))) else {
            break;
        };
        let whole = solution.var_value(next).ceil();
        solution =
            solution.add_constraint([(next, 1.0)], ComparisonOp::Ge, whole).ok()?.into_solution().ok()?;
    }
    let whole = units.into_iter().map(|(u, v)| (u, solution.var_value(v).round() as u32));
    Some(whole.filter(|&(_, n)| n > 0).collect())
}
