//! Copies: `memcpy`, `memmove`, `memset`.

use super::{Converter, Pointer};
use crate::address::{self, Bytes};
use crate::codes;
use crate::program::{Id, Inst};
use crate::words::Piece;
use loom_dfg::{OpKind, Predicate, Type};
use loom_front::ir::{Kind, Successor, ValueId};

/// Words that a copy of known length moves one by one, without a loop.
const UNROLLED: i64 = 8;

/// How often something is done: an index and a constant.
type Count = (Option<ValueId>, i64);

impl Converter<'_> {
    /// Runs an action for 0, 1, ... below a number of words.
    fn for_words(&mut self, count: Count, action: &mut dyn FnMut(&mut Self, Option<ValueId>, i64)) {
        if let (None, constant @ ..=UNROLLED) = count {
            return (0..constant).for_each(|i| action(self, None, i));
        }
        let (base, constant) = count;
        let count = self.sum(base, constant);
        let (zero, one) = (self.constant(Type::Index, 0), self.constant(Type::Index, 1));
        let (head, counter) = self.new_block(Some(Type::Index));
        let counter = counter.expect("it was asked for");
        let (body, _) = self.new_block(None);
        let (end, _) = self.new_block(None);
        let jump = |block, arguments| Successor { block, arguments };
        self.effect(Kind::Br, &[], vec![jump(head, vec![zero])]);
        self.at = head;
        let more = self.compare(Predicate::Slt, counter, count);
        self.effect(Kind::CondBr, &[more], vec![jump(body, Vec::new()), jump(end, Vec::new())]);
        self.at = body;
        action(self, Some(counter), 0);
        let next = self.scalar(OpKind::Addi, &[counter, one], Type::Index);
        self.mark_nsw(next);
        self.effect(Kind::Br, &[], vec![jump(head, vec![next])]);
        self.at = end;
    }

    /// An index and a constant, either of which may be missing.
    fn sum(&mut self, base: Option<ValueId>, constant: i64) -> ValueId {
        match base {
            Some(base) => self.plus(base, constant),
            None => self.constant(Type::Index, constant as u64),
        }
    }

    /// The word behind a pointer that is so many further.
    fn further(&mut self, pointer: Pointer, word: i64, by: Option<ValueId>, constant: i64) -> ValueId {
        let base = pointer.base.map(|_| self.index(Pointer { constant: 0, ..pointer }, word));
        let base = match (base, by) {
            (Some(a), Some(b)) => Some(self.scalar(OpKind::Addi, &[a, b], Type::Index)),
            (a, b) => a.or(b),
        };
        self.sum(base, (pointer.constant / word).wrapping_add(constant))
    }

    /// A number of bytes in words.
    fn count(&mut self, bytes: &Bytes, word: i64) -> Count {
        (self.in_words(bytes, word), bytes.constant / word)
    }

    /// `memcpy` and `memmove`
    pub(super) fn copy(&mut self, inst: &Inst) {
        let (to, from) = (inst.operands[0], inst.operands[1]);
        let bytes = address::length(self.function, inst);
        let pointers = self.pointers;
        let (Some(words), Some(_)) = (pointers.words(to), pointers.words(from)) else { return };
        self.reachable(bytes.constant);
        let (source, target) = (self.pointer(from), self.pointer(to));
        let in_order = inst.name() != "intr.memmove" || self.apart(to, from);
        if words.pieces.is_some() {
            return match in_order {
                true => self.for_pieces(to, &bytes, &mut |c, at| {
                    let index = at.behind(c, source);
                    let Some(value) = c.load_word((from, at.view), index) else { return };
                    let index = at.behind(c, target);
                    c.store_word((to, at.view), index, value);
                }),
                false => self.may_overlap(),
            };
        }
        let word = words.widest() as i64;
        let count = self.count(&bytes, word);
        let mut copy = |c: &mut Self, by: Option<ValueId>, constant: i64| {
            let at = c.further(source, word, by, constant);
            let Some(value) = c.load_word((from, 0), at) else { return };
            let at = c.further(target, word, by, constant);
            c.store_word((to, 0), at, value);
        };
        if in_order {
            return self.for_words(count, &mut copy);
        }
        if let (None, constant @ ..=UNROLLED) = count {
            return self.copy_at_once((to, from), constant, word);
        }
        let sets = [to, from].map(|p| &self.pointers.sets[p.0]);
        if sets[0].len() != 1 || sets[0] != sets[1] {
            return self.may_overlap();
        }
        // Which end is first depends on which array begins first. The loop counts upwards either way: one loop is smaller than
        // two, and all fabrics have streams that count so.
        let upwards = match target.base == source.base {
            true => self.constant(Type::I1, u64::from(target.constant <= source.constant)),
            false => {
                let (a, b) = (self.index(target, word), self.index(source, word));
                self.compare(Predicate::Sle, a, b)
            }
        };
        let last = self.sum(count.0, count.1.wrapping_sub(1));
        self.for_words(count, &mut |c, by, constant| {
            let at = by.map(|by| {
                let back = c.scalar(OpKind::Subi, &[last, by], Type::Index);
                c.scalar(OpKind::Select, &[upwards, by, back], Type::Index)
            });
            copy(c, at, constant);
        });
    }

    fn may_overlap(&mut self) {
        let help = "declare the pointers `restrict`, or copy with a loop";
        self.refuse(codes::POINTER, "`memmove` between arrays that may overlap", help);
    }

    /// All words are loaded before the first is stored, so that it does not matter where they go.
    fn copy_at_once(&mut self, (to, from): (Id, Id), count: i64, word: i64) {
        let (source, target) = (self.pointer(from), self.pointer(to));
        let mut words = Vec::new();
        for i in 0..count {
            let at = self.further(source, word, None, i);
            let Some(value) = self.load_word((from, 0), at) else { return };
            words.push(value);
        }
        for (i, value) in (0..).zip(words) {
            let at = self.further(target, word, None, i);
            self.store_word((to, 0), at, value);
        }
    }

    /// Does something for each word of the pieces of so many bytes behind a pointer: for whole structs in a loop.
    fn for_pieces(&mut self, pointer: Id, bytes: &Bytes, action: &mut dyn FnMut(&mut Self, PieceWord)) {
        let pointers = self.pointers;
        let Some(words) = pointers.words(pointer) else { return };
        let period = words.pieces.as_ref().map_or(0, |p| p.1) as i64;
        let is_part = bytes.terms.is_empty() && (period == 0 || bytes.constant < period);
        let (count, length) = match is_part {
            true => ((None, 1), Some(bytes.constant)),
            false => (self.count(bytes, period), None),
        };
        let runs = words.runs(pointers.span(pointer), length);
        self.for_words(count, &mut |c, round, rounds| {
            for &Piece { at, end, word, view } in &runs {
                let word = word as i64;
                c.for_words((None, (end - at) / word), &mut |c, by, further| {
                    let constant = rounds * period + at + further * word - words.start(view);
                    action(c, PieceWord { view, word, round, period, constant, by });
                });
            }
        });
    }

    /// `memset`
    pub(super) fn set(&mut self, inst: &Inst) {
        let to = inst.operands[0];
        let bytes = address::length(self.function, inst);
        let pointers = self.pointers;
        let Some(words) = pointers.words(to) else { return };
        self.reachable(bytes.constant);
        let values: Vec<ValueId> =
            words.views.iter().map(|&word| self.repeated(inst.operands[1], word)).collect();
        if words.pieces.is_some() {
            return self.for_pieces(to, &bytes, &mut |c, at| {
                let target = c.pointer(to);
                let index = at.behind(c, target);
                c.store_word((to, at.view), index, values[at.view]);
            });
        }
        let word = words.widest() as i64;
        let count = self.count(&bytes, word);
        let target = self.pointer(to);
        self.for_words(count, &mut |c, by, constant| {
            let at = c.further(target, word, by, constant);
            c.store_word((to, 0), at, values[0]);
        });
    }

    /// A byte in every byte of a word.
    fn repeated(&mut self, byte: Id, word: Type) -> ValueId {
        let bits = word.width(64);
        let raw = Type::Int(bits as u8);
        let ones = 0x0101_0101_0101_0101u64;
        if let Some(byte) = self.function.constant(byte) {
            return self.constant(word, (byte as u64 & 0xff).wrapping_mul(ones));
        }
        let byte = self.whole(byte);
        let all = if bits == 8 {
            byte
        } else {
            let wide = self.scalar(OpKind::Extui, &[byte], raw);
            let ones = self.constant(raw, ones);
            self.scalar(OpKind::Muli, &[wide, ones], raw)
        };
        self.as_type(all, raw, word)
    }
}

/// A word of a piece: so many structs and bytes behind where a copy begins, and words more, counted from where its view does.
#[derive(Clone, Copy)]
struct PieceWord {
    view: usize,
    /// Bytes of a word.
    word: i64,
    round: Option<ValueId>,
    /// Bytes of a struct.
    period: i64,
    constant: i64,
    by: Option<ValueId>,
}

impl PieceWord {
    /// The index of the word behind a pointer.
    fn behind(self, c: &mut Converter, pointer: Pointer) -> ValueId {
        let word = self.word;
        let constant = pointer.constant.wrapping_add(self.constant);
        let mut index = c.index(Pointer { constant, ..pointer }, word);
        if let Some(round) = self.round {
            let factor = c.constant(Type::Index, (self.period / word) as u64);
            let rounds = c.scalar(OpKind::Muli, &[round, factor], Type::Index);
            index = c.scalar(OpKind::Addi, &[index, rounds], Type::Index);
        }
        match self.by {
            Some(by) => c.scalar(OpKind::Addi, &[index, by], Type::Index),
            None => index,
        }
    }
}
