//! Whether the addresses of a function are exact in 32 bits, in every run.
//!
//! Addresses are counted in words modulo the width of `index`. Where the number of words behind the start of an array is known to
//! be one of 32 bits, that is what the program means; where it is not, whoever runs the function has to look
//! ([`crate::Converted::may_wrap`]).

use crate::address::{self, access_size, accessed, length, offset, writes_bytes, Bytes};
use crate::counts::{Counters, Range, Ranges, MOST};
use crate::pointers::Pointers;
use crate::program::{Def, Function, Id};
use crate::roots::{self, Root};
use crate::types::Ty;
use std::collections::BTreeMap;

/// Whether some access may have an address that 32 bits do not hold.
pub(crate) fn may_wrap(function: &Function, pointers: &Pointers, counts: &Counters) -> bool {
    let ranges = Ranges::new(function);
    let mut reach = Reach { function, pointers, counts, ranges, known: BTreeMap::new() };
    let wide = |ty: &Ty| Bytes { constant: access_size(ty).map_or(8, |b| b as i64), terms: Vec::new() };
    function.reached().any(|i| {
        let inst = &function.insts[i];
        let bytes = match inst.name() {
            "load" => match inst.result.map(|r| function.ty(r)).filter(|ty| **ty != Ty::Ptr) {
                Some(ty) => wide(ty),
                None => return false,
            },
            "store" => wide(function.ty(inst.operands[0])),
            name if writes_bytes(name) => length(function, inst),
            _ => return false,
        };
        accessed(inst).iter().any(|&p| !reach.holds(p, &bytes))
    })
}

struct Reach<'a> {
    function: &'a Function,
    pointers: &'a Pointers,
    counts: &'a Counters,
    ranges: Ranges<'a>,
    /// `None` while a pointer is looked at, and where nothing is known.
    known: BTreeMap<Id, Option<Range>>,
}

impl Reach<'_> {
    /// Whether 32 bits hold the addresses of so many bytes. In an array of bytes a negative one would be that of a byte that the
    /// bus has; of wider words it is beyond.
    fn holds(&mut self, pointer: Id, bytes: &Bytes) -> bool {
        let word = self.word_bytes(pointer);
        let ends = self.of(pointer).and_then(|first| {
            let end = first.sum(&self.words(bytes, word)?)?;
            Some(first.hull(&end))
        });
        let Some(all) = ends else { return false };
        let positive = all.least() >= 0 && u32::try_from(all.most()).is_ok();
        positive || all.is_small() && word > 1
    }

    fn word_bytes(&self, pointer: Id) -> i64 {
        self.pointers.words(pointer).map_or(1, |w| w.smallest() as i64)
    }

    /// A number of bytes in words, as the conversion counts them.
    fn words(&self, bytes: &Bytes, word: i64) -> Option<Range> {
        let start = Range::new(bytes.constant / word, bytes.constant / word);
        bytes.terms.iter().try_fold(start, |sum, &(value, stride)| {
            let (value, stride) = match stride % word {
                0 => (value, stride),
                _ => {
                    let (inner, scale) = address::scaled(self.function, value);
                    (inner, stride.checked_mul(scale)?)
                }
            };
            let number = self.ranges.of(value)?;
            let known = number.relies_on().iter().all(|a| self.counts.arguments.contains_key(a));
            sum.sum(&number.times(stride / word)?).filter(|_| known)
        })
    }

    /// How many words a pointer lies behind the start of its array.
    fn of(&mut self, pointer: Id) -> Option<Range> {
        if let Some(known) = self.known.get(&pointer) {
            return known.clone();
        }
        self.known.insert(pointer, None);
        let range = self.find(pointer);
        self.known.insert(pointer, range.clone());
        range
    }

    fn find(&mut self, pointer: Id) -> Option<Range> {
        let function = self.function;
        match function.values[pointer.0].def {
            Def::Argument { block: 0, index } => Some(self.start(&Root::Argument(index))),
            Def::Argument { block, index } => {
                let jumps = function.blocks[block].jumps.iter().flat_map(|&j| &function.insts[j].successors);
                let given: Vec<Id> = jumps.filter(|s| s.0 == block).map(|s| s.1[index]).collect();
                self.hull(&given)
            }
            Def::Op(number) => {
                let inst = &function.insts[number];
                match inst.name() {
                    "getelementptr" => {
                        let bytes = offset(function, number).ok()?;
                        let more = self.words(&bytes, self.word_bytes(inst.operands[0]))?;
                        self.of(inst.operands[0])?.sum(&more)
                    }
                    "select" => self.hull(&inst.operands[1..]),
                    "freeze" => self.of(inst.operands[0]),
                    "load" => roots::field(function, inst).map(|root| self.start(&root)),
                    _ => Some(Range::new(0, 0)),
                }
            }
        }
    }

    /// Where a pointer from outside points: the end of an array is as far behind its start as a caller makes sure.
    fn start(&self, root: &Root) -> Range {
        let is_end = self.pointers.number(root).is_some_and(|r| self.pointers.ends.contains_key(&r));
        if is_end {
            Range::new(-MOST, MOST)
        } else {
            Range::new(0, 0)
        }
    }

    fn hull(&mut self, pointers: &[Id]) -> Option<Range> {
        let ranges: Option<Vec<Range>> = pointers.iter().map(|&p| self.of(p)).collect();
        ranges?.into_iter().reduce(|a, b| a.hull(&b))
    }
}
