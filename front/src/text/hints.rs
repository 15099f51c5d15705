//! Hints as attributes: `{loom.independent, loom.trips = array<i64: 1, 8>, loom.unroll = 4 : i64}`.

use super::generic::integer_of;
use super::parser::{Parsed, Parser};
use super::terms::{Attr, Named};
use crate::codes;
use crate::hints::{Hints, Trips, Unroll, BANKS, INDEPENDENT, TRIPS, UNROLL};
use std::num::NonZeroU32;

/// What the hints of a loop are in text, with something before them where there are any.
pub(super) fn text(before: &str, hints: &Hints) -> String {
    let mut list = Vec::new();
    list.extend(hints.banks.map(|n| format!("{BANKS} = {n} : i64")));
    list.extend(hints.independent.then(|| INDEPENDENT.to_string()));
    list.extend(hints.trips.map(|t| format!("{TRIPS} = array<i64: {}, {}>", t.least(), t.most())));
    list.extend(hints.unroll.map(|unroll| match unroll {
        Unroll::By(n) => format!("{UNROLL} = {n} : i64"),
        Unroll::Fully => UNROLL.to_string(),
    }));
    match list.is_empty() {
        true => String::new(),
        false => format!("{before}{{{}}}", list.join(", ")),
    }
}

impl Parser<'_> {
    /// The hints among the attributes of a loop, jump or allocation.
    pub(in crate::text) fn hints(&mut self, attributes: &[Named]) -> Parsed<Hints> {
        let mut hints = Hints::default();
        for Named { name, value, span } in attributes {
            let wanted = match (name.as_str(), value) {
                (INDEPENDENT, Attr::Unit) => {
                    hints.independent = true;
                    continue;
                }
                (UNROLL, Attr::Unit) => {
                    hints.unroll = Some(Unroll::Fully);
                    continue;
                }
                (UNROLL, value) => match factor(value) {
                    Some(n) => {
                        hints.unroll = Some(Unroll::By(n));
                        continue;
                    }
                    None => "a number of copies, at least 1, or nothing for all iterations",
                },
                (BANKS, value) => match factor(value) {
                    Some(n) => {
                        hints.banks = Some(n);
                        continue;
                    }
                    None => "a number of banks, at least 1",
                },
                (TRIPS, value) => match trips(value) {
                    Some(trips) => {
                        hints.trips = Some(trips);
                        continue;
                    }
                    None => "`array<i64: least, most>`, neither negative nor the other way round",
                },
                (INDEPENDENT, _) => "without a value",
                _ => continue,
            };
            return self.error(
                codes::ATTRIBUTE,
                format!("the attribute `{name}` must be {wanted}"),
                span.clone(),
            );
        }
        Ok(hints)
    }
}

fn factor(value: &Attr) -> Option<NonZeroU32> {
    NonZeroU32::new(u32::try_from(integer_of(value)?).ok()?)
}

fn trips(value: &Attr) -> Option<Trips> {
    let Attr::Array(list) = value else { return None };
    let numbers: Option<Vec<u64>> =
        list.iter().map(|a| integer_of(a).and_then(|n| u64::try_from(n).ok())).collect();
    match numbers?[..] {
        [least, most] => Trips::new(least, most),
        _ => None,
    }
}
