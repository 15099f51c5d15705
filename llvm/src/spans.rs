//! Where a pointer may lie behind the start of its array: an abstract interpretation over the pointers of a function.
//!
//! What is known is an interval that repeats: `first .. first + length`, and the same a whole number of `period`s on. It is what
//! tells the fields of structs in an array from each other (the period is the struct's size). Congruences join as Granger's do
//! (*Static analysis of arithmetical congruences*, 1989), so that a pointer that moves on in a loop needs no more than a few rounds.
//!
//! Guarantees: every address that a pointer has in a run in which indices of arrays inside of others are within those is one of its
//! span. What is said of indices is what C says of them.

use crate::address::{self, scaled};
use crate::counts::Ranges;
use crate::ends::Ends;
use crate::program::{Function, Id};
use crate::roots::{self, Root};
use loom_base::gcd;
use std::collections::BTreeSet;

/// Bytes of the widest word, which the end of an array is a multiple of behind its start.
const WIDEST: u64 = 8;
/// Elements of an array that an index is known to be within; of a longer one it is not looked at where it begins and ends.
const MOST_BOUNDED: u64 = 1 << 20;

/// The bytes that a pointer may point at, behind the start of its array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The first of them; below the period.
    pub first: i64,
    /// How many more bytes on the last is.
    pub length: u64,
    /// After how many bytes all is the same; 0 for never.
    pub period: u64,
    /// All are so many bytes apart, or a multiple; 0 where there is only one. Divides the period.
    pub grain: u64,
}

impl Span {
    const START: Span = Span { first: 0, length: 0, period: 0, grain: 0 };

    /// All multiples of a number of bytes, from `first` on.
    fn every(first: i64, grain: u64) -> Span {
        Span { first, length: 0, period: grain, grain }.normal()
    }

    fn normal(self) -> Span {
        if self.period == 0 {
            return self;
        }
        if self.length > 0 && self.length.saturating_add(self.grain) >= self.period {
            return Span::every(self.first, self.grain);
        }
        match i64::try_from(self.period) {
            Ok(period) => Span { first: self.first.rem_euclid(period), ..self },
            Err(_) => Span::every(0, 1),
        }
    }

    /// So many bytes on.
    pub fn moved(self, bytes: i64) -> Span {
        Span { first: self.first.wrapping_add(bytes), ..self }.normal()
    }

    /// Moved by any multiple of a number of bytes.
    fn multiples(self, stride: i64) -> Span {
        let stride = stride.unsigned_abs();
        Span { period: gcd(self.period, stride), grain: gcd(self.grain, stride), ..self }.normal()
    }

    /// Moved by `least` to `most` times a number of bytes.
    fn between(self, stride: i64, least: i64, most: i64) -> Option<Span> {
        let ends = [least.checked_mul(stride)?, most.checked_mul(stride)?];
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let length = self.length.checked_add(high.checked_sub(low)?.unsigned_abs())?;
        let first = self.first.checked_add(low)?;
        Some(Span { first, length, grain: gcd(self.grain, stride.unsigned_abs()), ..self }.normal())
    }

    /// What holds of both. A length that grows becomes multiples, so that loops end.
    fn join(self, other: Span) -> Span {
        let apart = self.first.abs_diff(other.first);
        let grain = gcd(gcd(self.grain, other.grain), apart);
        let period = gcd(gcd(self.period, other.period), apart);
        match self.length == other.length {
            true => Span { first: self.first, length: self.length, period, grain }.normal(),
            false => Span::every(self.first, grain),
        }
    }

    /// The widest word, of at most that many bytes, that all of it is whole words behind the first byte.
    pub fn unit(self, most: u64) -> u64 {
        most.min(word_of(self.grain))
    }
}

/// The widest word that a number of bytes is whole words of.
pub(crate) fn word_of(bytes: u64) -> u64 {
    match bytes {
        0 => WIDEST,
        n => WIDEST.min(1 << n.trailing_zeros().min(6)),
    }
}

/// What is known of pointers before: their roots, and which of these are ends.
pub(crate) struct Found<'a> {
    pub roots: &'a [Root],
    pub sets: &'a [BTreeSet<usize>],
    pub ends: &'a Ends,
}

/// The span of each value that is a pointer; `None` of null.
pub(crate) fn spans(function: &Function, pointers: &Found) -> Vec<Option<Span>> {
    let ranges = Ranges::new(function);
    let mut spans: Vec<Option<Span>> = vec![None; function.values.len()];
    for (index, &id) in function.blocks[0].arguments.iter().enumerate() {
        spans[id.0] = start(pointers, &Root::Argument(index));
    }
    loop {
        let mut changed = false;
        let mut take = |spans: &mut [Option<Span>], to: Id, new: Option<Span>| {
            let joined = match (spans[to.0], new) {
                (Some(old), Some(new)) => Some(old.join(new)),
                (old, new) => old.or(new),
            };
            changed |= spans[to.0] != joined;
            spans[to.0] = joined;
        };
        for i in function.reached() {
            let inst = &function.insts[i];
            if let Some(result) = inst.result.filter(|r| !pointers.sets[r.0].is_empty()) {
                let of = |operand: usize| spans[inst.operands[operand].0];
                let made = match inst.name() {
                    "alloca" | "mlir.addressof" => vec![Some(Span::START)],
                    "load" => vec![roots::field(function, inst).and_then(|root| start(pointers, &root))],
                    // Where its operand only became wider, so did it.
                    "getelementptr" => vec![of(0).and_then(|from| stepped(function, &ranges, i, from))],
                    "freeze" => vec![of(0)],
                    "select" => vec![of(1), of(2)],
                    _ => Vec::new(),
                };
                made.into_iter().for_each(|new| take(&mut spans, result, new));
            }
            for (block, given) in &inst.successors {
                for (&from, &to) in given.iter().zip(&function.blocks[*block].arguments) {
                    let new = spans[from.0].filter(|_| !pointers.sets[to.0].is_empty());
                    take(&mut spans, to, new);
                }
            }
        }
        if !changed {
            return spans;
        }
    }
}

/// Where a pointer from outside points: to the start of an array, or to its end.
fn start(pointers: &Found, root: &Root) -> Option<Span> {
    let number = pointers.roots.iter().position(|r| r == root)?;
    Some(if pointers.ends.contains_key(&number) { Span::every(0, WIDEST) } else { Span::START })
}

fn stepped(function: &Function, ranges: &Ranges, inst: usize, from: Span) -> Option<Span> {
    let (bytes, steps) = address::offset_stepped(function, inst).ok()?;
    let mut span = from.moved(bytes.constant);
    for (&(value, stride), step) in bytes.terms.iter().zip(steps) {
        let (inner, scale) = scaled(function, value);
        let (inner, stride) = match stride.checked_mul(scale) {
            Some(product) => (inner, product),
            None => (value, stride),
        };
        let known = ranges.of(inner).filter(|r| r.relies_on().is_empty());
        let known = known.map_or((i64::MIN, i64::MAX), |r| (r.least(), r.most()));
        // An index of an array inside of another is within it.
        let (least, most) = match step.count.filter(|_| inner == value) {
            Some(count) if known.0 < count && known.1 >= 0 => (known.0.max(0), known.1.min(count - 1)),
            _ => known,
        };
        // Of structs it matters more which field than which struct.
        let near = !step.records && (step.count.is_some() || stride.unsigned_abs() <= WIDEST);
        let bounded =
            (near && most.abs_diff(least) < MOST_BOUNDED).then(|| span.between(stride, least, most));
        span = bounded.flatten().unwrap_or_else(|| span.multiples(stride));
    }
    Some(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a byte is one of a span's.
    fn holds(span: Span, byte: i64) -> bool {
        let behind = byte.wrapping_sub(span.first);
        let inside = |b: i64| b >= 0 && b as u64 <= span.length && (b as u64).is_multiple_of(span.grain);
        match span.period {
            0 => inside(behind),
            period => inside(behind.rem_euclid(period as i64)),
        }
    }

    #[test]
    fn a_span_has_all_that_went_into_it() {
        let field = Span::START.multiples(24).moved(4);
        assert_eq!(field, Span { first: 4, length: 0, period: 24, grain: 24 });
        let element = field.between(4, 0, 3).expect("small");
        assert_eq!(element, Span { first: 4, length: 12, period: 24, grain: 4 });
        for (i, j) in [(0, 0), (5, 3), (-2, 1)] {
            assert!(holds(element, 24 * i + 4 + 4 * j), "{i} {j}");
        }
        let both = element.join(field);
        assert_eq!(both, Span::every(4, 4));
        let next = Span::START.join(Span::START.moved(40));
        assert_eq!(next, Span::every(0, 40));
        assert_eq!(next.join(next.moved(40)), next);
        assert_eq!(element.between(8, 0, 2), Some(Span::every(4, 4)), "it goes round");
    }
}
