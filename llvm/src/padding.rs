//! Copies that move nothing: of what lies between the fields of structs.
//!
//! `*q = s` for a struct of two numbers and a flag is copies of the three, and one of the bytes behind the flag, where `s` is
//! taken apart into values. A variable of those three bytes is left of `s`, that is copied to and from. C gives such bytes no value, and
//! an array in which they are copied would be one of bytes ([`crate::words`]).
//!
//! Guarantees: an operation is named only when what it copies lies between the fields of every struct that the function steps over
//! there, where no load, store or `memset` may touch it, or in a variable that is touched by copies alone, all of them such.

use crate::address::{accessed, accessed_size, is_copy, length, writes_bytes};
use crate::ends;
use crate::places::Places;
use crate::program::{Function, Id};
use crate::roots::{self, Root};
use crate::spans::{self, Found, Span};
use crate::types::Ty;
use loom_base::gcd;
use std::collections::{BTreeMap, BTreeSet};

/// The copies that move nothing.
pub(crate) fn copies(
    function: &Function,
    globals: &BTreeMap<String, Ty>,
    places: &Places,
) -> BTreeSet<usize> {
    let all: Vec<usize> = function.reached().filter(|&i| is_copy(function.insts[i].name())).collect();
    if all.is_empty() {
        return BTreeSet::new();
    }
    let (roots, sets) = roots::roots(function, places, &mut Vec::new());
    let ends = ends::ends(function, &roots, &sets);
    let spans = spans::spans(function, &Found { roots: &roots, sets: &sets, ends: &ends });
    let arrays = Arrays { function, globals, roots: &roots, sets: &sets, spans: &spans };
    let mut idle: BTreeSet<usize> = all.iter().copied().filter(|&i| arrays.moves_nothing(i)).collect();
    // A variable that another copy touches is one that matters, and so are those that it is copied to and from.
    loop {
        let matters: BTreeSet<usize> =
            all.iter().filter(|i| !idle.contains(i)).flat_map(|&i| arrays.touched(i)).collect();
        let before = idle.len();
        idle.retain(|&i| arrays.variables(i).all(|root| !matters.contains(&root)));
        if idle.len() == before {
            return idle;
        }
    }
}

struct Arrays<'a> {
    function: &'a Function,
    globals: &'a BTreeMap<String, Ty>,
    roots: &'a [Root],
    sets: &'a [BTreeSet<usize>],
    spans: &'a [Option<Span>],
}

impl Arrays<'_> {
    /// Whether both ends of a copy are padding, or variables that no load, store or `memset` touches.
    fn moves_nothing(&self, copy: usize) -> bool {
        let inst = &self.function.insts[copy];
        let length = length(self.function, inst);
        let Some(bytes) = u64::try_from(length.constant).ok().filter(|_| length.terms.is_empty()) else {
            return false;
        };
        !inst.is_volatile()
            && accessed(inst).iter().all(|&end| self.is_variable(end) || self.is_padding(end, bytes))
    }

    /// The one array that a pointer points into.
    fn root(&self, pointer: Id) -> Option<usize> {
        roots::array(&self.sets[pointer.0]).filter(|_| self.sets[pointer.0].len() == 1)
    }

    fn touched(&self, copy: usize) -> impl Iterator<Item = usize> + '_ {
        accessed(&self.function.insts[copy]).iter().flat_map(|p| self.sets[p.0].iter().copied())
    }

    /// The variables without another access at the ends of a copy.
    fn variables(&self, copy: usize) -> impl Iterator<Item = usize> + '_ {
        let ends = accessed(&self.function.insts[copy]).iter();
        ends.filter(|&&end| self.is_variable(end)).filter_map(|&end| self.root(end))
    }

    /// What loads, stores or sets bytes of an array: where, and how many.
    fn uses(&self, root: usize) -> impl Iterator<Item = (Option<Span>, Option<u64>)> + '_ {
        let insts = self.function.reached().map(|i| &self.function.insts[i]);
        insts.filter(|inst| !is_copy(inst.name())).flat_map(move |inst| {
            let bytes = match writes_bytes(inst.name()) {
                true => {
                    let length = length(self.function, inst);
                    u64::try_from(length.constant).ok().filter(|_| length.terms.is_empty())
                }
                false => accessed_size(self.function, inst),
            };
            let touching = accessed(inst).iter().filter(move |p| self.sets[p.0].contains(&root));
            touching.map(move |p| (self.spans[p.0], bytes))
        })
    }

    fn is_variable(&self, pointer: Id) -> bool {
        let root = self.root(pointer).filter(|&root| matches!(self.roots[root], Root::Stack(_)));
        root.is_some_and(|root| self.uses(root).next().is_none())
    }

    /// Whether so many bytes lie between the fields of each struct that may be there, and nobody looks at them.
    fn is_padding(&self, pointer: Id, bytes: u64) -> bool {
        let Some((root, span)) = self.root(pointer).zip(self.spans[pointer.0]) else { return false };
        let structs = self.structs(root);
        let between = |ty: &&Ty| {
            let Some(size) = ty.size().filter(|&size| span.period == 0 || span.period == size) else {
                return false;
            };
            let Some(first) = u64::try_from(span.first).ok() else { return false };
            let end = first.saturating_add(bytes);
            end <= size && ty.leaves(0).iter().all(|&(at, length, _)| end <= at || at + length <= first)
        };
        let is_seen = |(other, length): (Option<Span>, Option<u64>)| match (other, length) {
            (Some(other), Some(length)) => may_meet((span, bytes), (other, length)),
            _ => true,
        };
        span.length == 0
            && !structs.is_empty()
            && structs.iter().all(between)
            && !self.uses(root).any(is_seen)
    }

    /// The structs that addresses in an array step over, or that a variable is.
    fn structs(&self, root: usize) -> Vec<&Ty> {
        fn record(ty: &Ty) -> Option<&Ty> {
            match ty {
                Ty::Array(_, element) => record(element),
                Ty::Struct { .. } => Some(ty),
                _ => None,
            }
        }
        let insts = self.function.reached().map(|i| &self.function.insts[i]);
        let stepped = insts.filter(|i| i.name() == "getelementptr");
        let stepped = stepped.filter(|i| self.sets[i.operands[0].0].contains(&root));
        let own = match &self.roots[root] {
            Root::Stack(inst) => self.function.insts[*inst].op.ty("elem_type"),
            Root::Global(name) => self.globals.get(name),
            Root::Argument(_) | Root::Field { .. } => None,
        };
        stepped.filter_map(|i| i.op.ty("elem_type")).chain(own).filter_map(record).collect()
    }
}

/// Whether two numbers of bytes may share one, each at any place of its span.
fn may_meet((a, a_bytes): (Span, u64), (b, b_bytes): (Span, u64)) -> bool {
    let [a_bytes, b_bytes] =
        [(a, a_bytes), (b, b_bytes)].map(|(s, bytes)| i128::from(s.length) + i128::from(bytes));
    let apart = i128::from(b.first) - i128::from(a.first);
    match gcd(a.period, b.period) {
        0 => apart < a_bytes && -apart < b_bytes,
        // From the start of `a` on, round the period.
        period => {
            let apart = apart.rem_euclid(period.into());
            apart < a_bytes || apart + b_bytes > i128::from(period)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_meet_where_some_place_of_both_spans_is_one() {
        let at = |first, period| Span { first, length: 0, period, grain: period };
        let meet = |a, b| {
            assert_eq!(may_meet(a, b), may_meet(b, a), "{a:?} {b:?}");
            may_meet(a, b)
        };
        assert!(!meet((at(9, 12), 3), (at(8, 12), 1)));
        assert!(!meet((at(9, 12), 3), (at(0, 12), 8)));
        assert!(meet((at(9, 12), 3), (at(8, 12), 2)));
        assert!(meet((at(9, 12), 3), (at(0, 4), 4)));
        assert!(!meet((at(9, 12), 3), (at(0, 4), 1)));
        assert!(meet((at(9, 0), 3), (at(11, 0), 1)));
        assert!(!meet((at(9, 0), 3), (at(12, 0), 1)));
        assert!(!meet((at(9, 0), 3), (at(8, 12), 1)));
        assert!(meet((at(21, 0), 3), (at(10, 12), 1)));
    }
}
