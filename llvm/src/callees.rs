//! Which functions with bodies call which: what stays a call after inlining, and why.

use crate::text::{Op, Place};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// By symbol of a function with a body: the symbols that it calls, each with the place of its first call.
#[derive(Debug, Default)]
pub(crate) struct Callees(BTreeMap<String, BTreeMap<String, Option<Place>>>);

/// How a function calls itself.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cycle {
    /// The functions in between, in order.
    pub through: Vec<String>,
    /// Its own call, of the first of them or of itself.
    pub place: Option<Place>,
}

impl Callees {
    /// Those of a module.
    pub fn of(ops: &[Op]) -> Callees {
        let mut out = Callees::default();
        for function in ops.iter().filter(|op| op.has_body()) {
            let own = out.0.entry(function.string("sym_name").unwrap_or_default()).or_default();
            let called = function.regions.iter().flatten().flat_map(|b| &b.ops);
            for op in called {
                if let Some(callee) = op.symbol("callee") {
                    own.entry(callee.to_string()).or_insert_with(|| op.place.clone());
                }
            }
        }
        out
    }

    /// Whether a function has a body.
    pub fn has_body(&self, symbol: &str) -> bool {
        self.0.contains_key(symbol)
    }

    /// The shortest way on which a function calls itself.
    pub fn cycle(&self, symbol: &str) -> Option<Cycle> {
        let mut before: BTreeMap<&str, &str> = BTreeMap::new();
        let mut seen = BTreeSet::from([symbol]);
        let mut work = VecDeque::from([symbol]);
        while let Some(at) = work.pop_front() {
            for next in self.0.get(at).into_iter().flat_map(|c| c.keys()) {
                if next == symbol {
                    let mut through = Vec::new();
                    let mut back = at;
                    while back != symbol {
                        through.push(back.to_string());
                        back = before.get(back)?;
                    }
                    through.reverse();
                    let first = through.first().map_or(symbol, |f| &f[..]);
                    return Some(Cycle { place: self.0[symbol][first].clone(), through });
                }
                if seen.insert(next) {
                    before.insert(next, at);
                    work.push_back(next);
                }
            }
        }
        None
    }
}
