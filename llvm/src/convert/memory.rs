//! Addresses and accesses.

use super::{Converter, Pointer};
use crate::address::{self, Bytes};
use crate::codes;
use crate::program::{Id, Inst};
use crate::roots::{Root, NULL};
use crate::types::Ty;
use loom_dfg::{OpKind, Predicate, Type};
use loom_front::ir::{BlockId, Kind, Successor, ValueId, ValueType};

/// Words that a copy of known length moves one by one, without a loop.
const UNROLLED: i64 = 8;

impl Converter<'_> {
    /// What a pointer has become.
    pub(super) fn pointer(&mut self, id: Id) -> Pointer {
        // Null and undefined pointers point nowhere; what they are compared with decides what is refused.
        self.made[id.0].pointer.unwrap_or(Pointer { which: None, base: None, constant: 0 })
    }

    /// The number of a pointer's root.
    pub(super) fn which(&mut self, id: Id, pointer: Pointer) -> ValueId {
        match pointer.which {
            Some(value) => value,
            None => {
                let root = self.pointers.sets[id.0].first().copied().unwrap_or(0);
                self.constant(Type::I32, root as u64)
            }
        }
    }

    /// A pointer's offset in words.
    pub(super) fn words(&mut self, pointer: Pointer) -> ValueId {
        match (pointer.base, pointer.constant) {
            (Some(base), 0) => base,
            (Some(base), constant) => {
                let constant = self.constant(Type::Index, constant as u64);
                self.scalar(OpKind::Addi, &[base, constant], Type::Index)
            }
            (None, constant) => self.constant(Type::Index, constant as u64),
        }
    }

    /// Bytes of a word behind a pointer.
    pub(super) fn word_bytes(&self, pointer: Id) -> i64 {
        i64::from(self.pointers.word(pointer).map_or(1, |w| w.width(64).div_ceil(8)))
    }

    /// A number of bytes in words, as a sum of an index and a constant.
    fn in_words(&mut self, bytes: &Bytes, word: i64) -> (Option<ValueId>, i64) {
        let mut sum = None;
        for &(value, stride) in &bytes.terms {
            let (value, stride) = match stride % word {
                0 => (value, stride),
                _ => {
                    let (inner, scale) = address::scaled(self.function, value);
                    (inner, stride.wrapping_mul(scale))
                }
            };
            let mut term = self.address(value);
            if stride / word != 1 {
                let factor = self.constant(Type::Index, (stride / word) as u64);
                term = self.scalar(OpKind::Muli, &[term, factor], Type::Index);
            }
            sum = Some(match sum {
                Some(sum) => self.scalar(OpKind::Addi, &[sum, term], Type::Index),
                None => term,
            });
        }
        (sum, bytes.constant / word)
    }

    /// `getelementptr`
    pub(super) fn step(&mut self, number: usize) {
        let inst = &self.function.insts[number];
        let result = inst.result.expect("it gives a pointer");
        let base = inst.operands[0];
        let Ok(bytes) = address::offset(self.function, number) else { return };
        let word = self.word_bytes(base);
        let from = self.pointer(base);
        let (moved, constant) = self.in_words(&bytes, word);
        let sum = match (from.base, moved) {
            (Some(a), Some(b)) => Some(self.scalar(OpKind::Addi, &[a, b], Type::Index)),
            (a, b) => a.or(b),
        };
        let constant = from.constant.wrapping_add(constant);
        self.made[result.0].pointer = Some(Pointer { which: from.which, base: sum, constant });
        self.reachable(constant.saturating_mul(word));
    }

    /// Refuses a number of bytes that 32 bits do not hold.
    fn reachable(&mut self, bytes: i64) {
        if bytes.unsigned_abs() > u64::from(u32::MAX) {
            let message = format!("{bytes} bytes of an array, of which a fabric reaches the first 4 GiB");
            self.refuse(codes::POINTER, message, "pass a pointer to the part that the function touches");
        }
    }

    /// A block at the end of the function.
    pub(super) fn new_block(&mut self, argument: Option<Type>) -> (BlockId, Option<ValueId>) {
        let block = self.func.add_block(self.body);
        let value = argument.map(|ty| self.func.add_argument(block, "", ValueType::Scalar(ty)));
        (block, value)
    }

    /// Does something with the memref that a pointer points into; where several are possible each has a block.
    fn with_memref(
        &mut self,
        pointer: Id,
        result: Option<Type>,
        action: &mut dyn FnMut(&mut Self, ValueId) -> Option<ValueId>,
    ) -> Option<ValueId> {
        let roots = self.pointers.arrays(pointer);
        let which = match (self.pointer(pointer).which, &roots[..]) {
            (Some(which), [_, _, ..]) => which,
            (_, [root, ..]) => {
                let memref = self.memrefs[*root]?;
                return action(self, memref);
            }
            _ => return None,
        };
        let (end, value) = self.new_block(result);
        for (i, &root) in roots.iter().enumerate() {
            let memref = self.memrefs[root]?;
            let mut next = None;
            // The last is what is left.
            if i + 1 < roots.len() {
                let number = self.constant(Type::I32, root as u64);
                let is_it = self.compare(Predicate::Eq, which, number);
                let (this, _) = self.new_block(None);
                let (other, _) = self.new_block(None);
                let to = [this, other].map(|block| Successor { block, arguments: Vec::new() });
                self.effect(Kind::CondBr, &[is_it], to.to_vec());
                self.at = this;
                next = Some(other);
            }
            let arguments = action(self, memref).into_iter().collect();
            self.effect(Kind::Br, &[], vec![Successor { block: end, arguments }]);
            self.at = next.unwrap_or(end);
        }
        value
    }

    fn load_word(&mut self, pointer: Id, offset: ValueId, word: Type) -> Option<ValueId> {
        self.with_memref(pointer, Some(word), &mut |c, memref| {
            Some(c.op(Kind::Load, &[memref, offset], &[ValueType::Scalar(word)]))
        })
    }

    fn store_word(&mut self, pointer: Id, offset: ValueId, value: ValueId) {
        self.with_memref(pointer, None, &mut |c, memref| {
            c.effect(Kind::Store, &[value, memref, offset], Vec::new());
            None
        });
    }

    /// The same bits as another type of the same width.
    fn as_type(&mut self, value: ValueId, from: Type, to: Type) -> ValueId {
        if from == to {
            value
        } else {
            self.scalar(OpKind::Bitcast, &[value], to)
        }
    }

    /// `load`
    pub(super) fn load(&mut self, inst: &Inst) {
        let result = inst.result.expect("a load gives a value");
        let (Some(ty), Some(word)) =
            (self.function.ty(result).scalar(), self.pointers.word(inst.operands[0]))
        else {
            return self.refuse_type(&self.function.ty(result).clone());
        };
        let pointer = self.pointer(inst.operands[0]);
        let (parts, bits) = self.parts(self.function.ty(result), word);
        let raw = Type::Int(word.width(64) as u8);
        let mut sum = None;
        for part in 0..parts {
            let at = Pointer { constant: pointer.constant.wrapping_add(part), ..pointer };
            let offset = self.words(at);
            let Some(loaded) = self.load_word(inst.operands[0], offset, word) else { return };
            if parts == 1 && bits == word.width(64) {
                let number = Type::Int(bits as u8);
                let value = if ty.width(64) < bits {
                    let number_value = self.as_type(loaded, word, number);
                    self.scalar(OpKind::Trunci, &[number_value], ty)
                } else {
                    self.as_type(loaded, word, ty)
                };
                self.made[result.0].whole = Some(value);
                return;
            }
            // Low words first.
            let whole = Type::Int(bits as u8);
            let piece = self.as_type(loaded, word, raw);
            let piece = self.scalar(OpKind::Extui, &[piece], whole);
            sum = Some(match sum {
                None => piece,
                Some(sum) => {
                    let amount = self.constant(whole, part as u64 * u64::from(word.width(64)));
                    let shifted = self.scalar(OpKind::Shli, &[piece, amount], whole);
                    self.scalar(OpKind::Ori, &[sum, shifted], whole)
                }
            });
        }
        let whole = Type::Int(bits as u8);
        let value = sum.map(|sum| match ty.width(64) < bits {
            true => self.scalar(OpKind::Trunci, &[sum], ty),
            false => self.as_type(sum, whole, ty),
        });
        self.made[result.0].whole = value;
    }

    /// Words of an access, and its bits in memory.
    fn parts(&self, ty: &Ty, word: Type) -> (i64, u32) {
        let bytes = address::access_size(ty).unwrap_or(1) as u32;
        (i64::from(8 * bytes / word.width(64)), 8 * bytes)
    }

    /// `store`
    pub(super) fn store(&mut self, inst: &Inst) {
        let (value, to) = (inst.operands[0], inst.operands[1]);
        if self.is_pointer(value) {
            let help = "keep an index instead, and pass each array as an argument of its own";
            return self.refuse(codes::POINTER, "a pointer that is kept in memory", help);
        }
        let (Some(ty), Some(word)) = (self.function.ty(value).scalar(), self.pointers.word(to)) else {
            return self.refuse_type(&self.function.ty(value).clone());
        };
        let given = self.whole(value);
        let pointer = self.pointer(to);
        let (parts, bits) = self.parts(self.function.ty(value), word);
        let whole = Type::Int(bits as u8);
        if parts == 1 {
            let stored = if ty.width(64) < bits {
                let wide = self.scalar(OpKind::Extui, &[given], whole);
                self.as_type(wide, whole, word)
            } else {
                self.as_type(given, ty, word)
            };
            let offset = self.words(pointer);
            return self.store_word(to, offset, stored);
        }
        let number = match ty.width(64) < bits {
            true => self.scalar(OpKind::Extui, &[given], whole),
            false => self.as_type(given, ty, whole),
        };
        let raw = Type::Int(word.width(64) as u8);
        for part in 0..parts {
            let mut piece = number;
            if part > 0 {
                let amount = self.constant(whole, part as u64 * u64::from(word.width(64)));
                piece = self.scalar(OpKind::Shrui, &[piece, amount], whole);
            }
            let piece = self.scalar(OpKind::Trunci, &[piece], raw);
            let piece = self.as_type(piece, raw, word);
            let offset = self.words(Pointer { constant: pointer.constant.wrapping_add(part), ..pointer });
            self.store_word(to, offset, piece);
        }
    }

    /// Runs an action for 0, 1, ... below a number of words.
    fn for_words(
        &mut self,
        count: (Option<ValueId>, i64),
        action: &mut dyn FnMut(&mut Self, Option<ValueId>, i64),
    ) {
        if let (None, constant @ ..=UNROLLED) = count {
            return (0..constant).for_each(|i| action(self, None, i));
        }
        let (base, constant) = count;
        let count = self.words(Pointer { which: None, base, constant });
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

    /// A pointer some words further.
    fn further(&mut self, pointer: Pointer, by: Option<ValueId>, constant: i64) -> ValueId {
        let base = match (pointer.base, by) {
            (Some(a), Some(b)) => Some(self.scalar(OpKind::Addi, &[a, b], Type::Index)),
            (a, b) => a.or(b),
        };
        self.words(Pointer { which: None, base, constant: pointer.constant.wrapping_add(constant) })
    }

    /// `memcpy` and `memmove`
    pub(super) fn copy(&mut self, inst: &Inst) {
        let (to, from) = (inst.operands[0], inst.operands[1]);
        let bytes = address::length(self.function, inst);
        let (Some(word), Some(_)) = (self.pointers.word(from), self.pointers.word(to)) else { return };
        self.reachable(bytes.constant);
        let count = self.in_words(&bytes, self.word_bytes(to));
        let (source, target) = (self.pointer(from), self.pointer(to));
        let mut copy = |c: &mut Self, by: Option<ValueId>, constant: i64| {
            let at = c.further(source, by, constant);
            let Some(value) = c.load_word(from, at, word) else { return };
            let at = c.further(target, by, constant);
            c.store_word(to, at, value);
        };
        if inst.name() != "intr.memmove" || self.apart(to, from) {
            return self.for_words(count, &mut copy);
        }
        if let (None, constant @ ..=UNROLLED) = count {
            return self.copy_at_once((to, from), constant, word);
        }
        let sets = [to, from].map(|p| &self.pointers.sets[p.0]);
        if sets[0].len() != 1 || sets[0] != sets[1] {
            let help = "declare the pointers `restrict`, or copy with a loop";
            return self.refuse(codes::POINTER, "`memmove` between arrays that may overlap", help);
        }
        // Which end is first depends on which array begins first. The loop counts upwards either way: one loop is smaller than
        // two, and all fabrics have streams that count so.
        let upwards = match target.base == source.base {
            true => self.constant(Type::I1, u64::from(target.constant <= source.constant)),
            false => {
                let (a, b) = (self.words(target), self.words(source));
                self.compare(Predicate::Sle, a, b)
            }
        };
        let last = self.words(Pointer { which: None, base: count.0, constant: count.1.wrapping_sub(1) });
        self.for_words(count, &mut |c, by, constant| {
            let at = by.map(|by| {
                let back = c.scalar(OpKind::Subi, &[last, by], Type::Index);
                c.scalar(OpKind::Select, &[upwards, by, back], Type::Index)
            });
            copy(c, at, constant);
        });
    }

    /// All words are loaded before the first is stored, so that it does not matter where they go.
    fn copy_at_once(&mut self, (to, from): (Id, Id), count: i64, word: Type) {
        let (source, target) = (self.pointer(from), self.pointer(to));
        let mut words = Vec::new();
        for i in 0..count {
            let at = self.further(source, None, i);
            let Some(value) = self.load_word(from, at, word) else { return };
            words.push(value);
        }
        for (i, value) in (0..).zip(words) {
            let at = self.further(target, None, i);
            self.store_word(to, at, value);
        }
    }

    /// Whether two pointers never point into one array.
    pub(super) fn apart(&self, a: Id, b: Id) -> bool {
        let [a, b] = [a, b].map(|p| &self.pointers.sets[p.0]);
        a.iter().all(|x| b.iter().all(|y| self.roots_differ(*x, *y)))
    }

    /// Whether two roots are different arrays: two arguments may be one, unless one is `restrict`. An array is there, so none
    /// is null.
    pub(super) fn roots_differ(&self, a: usize, b: usize) -> bool {
        if a == NULL || b == NULL {
            return a != b;
        }
        let argument = |root: usize| match self.pointers.roots[root] {
            Root::Argument(index) => Some(self.func.argument_attributes[index].noalias),
            Root::Field { .. } => Some(false),
            Root::Stack(_) => Some(true),
            Root::Global(_) => None,
        };
        a != b
            && match (argument(a), argument(b)) {
                (Some(a), Some(b)) => a || b,
                (Some(only), None) | (None, Some(only)) => only,
                (None, None) => true,
            }
    }

    /// `memset`
    pub(super) fn set(&mut self, inst: &Inst) {
        let to = inst.operands[0];
        let bytes = address::length(self.function, inst);
        let Some(word) = self.pointers.word(to) else { return };
        let bits = word.width(64);
        let raw = Type::Int(bits as u8);
        let ones = 0x0101_0101_0101_0101u64;
        let value = match self.function.constant(inst.operands[1]) {
            Some(byte) => self.constant(word, (byte as u64 & 0xff).wrapping_mul(ones)),
            None => {
                let byte = self.whole(inst.operands[1]);
                let all = if bits == 8 {
                    byte
                } else {
                    let wide = self.scalar(OpKind::Extui, &[byte], raw);
                    let ones = self.constant(raw, ones);
                    self.scalar(OpKind::Muli, &[wide, ones], raw)
                };
                self.as_type(all, raw, word)
            }
        };
        self.reachable(bytes.constant);
        let count = self.in_words(&bytes, self.word_bytes(to));
        let target = self.pointer(to);
        self.for_words(count, &mut |c, by, constant| {
            let at = c.further(target, by, constant);
            c.store_word(to, at, value);
        });
    }
}
