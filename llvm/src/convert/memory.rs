//! Addresses and accesses.

use super::{Converter, Pointer};
use crate::address::{self, Bytes};
use crate::codes;
use crate::program::{Id, Inst};
use crate::roots::{Root, NULL};
use crate::words::{self, Part};
use loom_dfg::{OpKind, Predicate, Type};
use loom_front::ir::{BlockId, Kind, Successor, ValueId, ValueType};

impl Converter<'_> {
    /// What a pointer has become.
    pub(super) fn pointer(&mut self, id: Id) -> Pointer {
        // Null and undefined pointers point nowhere; what they are compared with decides what is refused.
        self.made[id.0].pointer.unwrap_or(Pointer { which: None, base: None, constant: 0, unit: 1 })
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

    /// A pointer's distance from the start of its array, in words of that many bytes.
    pub(super) fn index(&mut self, pointer: Pointer, word: i64) -> ValueId {
        let (scale, constant) = (pointer.unit / word, pointer.constant / word);
        let Some(mut base) = pointer.base else { return self.constant(Type::Index, constant as u64) };
        if scale != 1 {
            let factor = self.constant(Type::Index, scale as u64);
            base = self.scalar(OpKind::Muli, &[base, factor], Type::Index);
        }
        self.plus(base, constant)
    }

    /// An index and a constant.
    pub(super) fn plus(&mut self, base: ValueId, constant: i64) -> ValueId {
        if constant == 0 {
            return base;
        }
        let constant = self.constant(Type::Index, constant as u64);
        let sum = self.scalar(OpKind::Addi, &[base, constant], Type::Index);
        // No pointer leaves its array, so that a loop that walks one counts, whatever ends it.
        self.mark_nsw(sum);
        sum
    }

    /// What a pointer is where it flows to another, which is counted in other units: the units of that one.
    pub(super) fn units(&mut self, pointer: Pointer, to: Id) -> ValueId {
        let constant = pointer.constant.wrapping_sub(self.pointers.rest(to));
        self.index(Pointer { constant, ..pointer }, self.pointers.unit(to))
    }

    /// A pointer of which the units are known.
    pub(super) fn counted(&self, id: Id, which: Option<ValueId>, base: ValueId) -> Pointer {
        Pointer { which, base: Some(base), constant: self.pointers.rest(id), unit: self.pointers.unit(id) }
    }

    /// The part of a number of bytes that is not constant, in words.
    pub(super) fn in_words(&mut self, bytes: &Bytes, word: i64) -> Option<ValueId> {
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
        sum
    }

    /// `getelementptr`
    pub(super) fn step(&mut self, number: usize) {
        let inst = &self.function.insts[number];
        let result = inst.result.expect("it gives a pointer");
        let base = inst.operands[0];
        let Ok(bytes) = address::offset(self.function, number) else { return };
        if self.rows.unused.contains(&result) {
            return self.reachable(bytes.constant);
        }
        let (from, unit) = (self.pointer(base), self.pointers.unit(result));
        let moved = self.in_words(&bytes, unit);
        let before = from.base.map(|_| self.index(Pointer { constant: 0, ..from }, unit));
        let sum = match (before, moved) {
            (Some(a), Some(b)) => Some(self.scalar(OpKind::Addi, &[a, b], Type::Index)),
            (a, b) => a.or(b),
        };
        let constant = from.constant.wrapping_add(bytes.constant);
        self.made[result.0].pointer = Some(Pointer { which: from.which, base: sum, constant, unit });
        self.reachable(constant);
    }

    /// Refuses a number of bytes that 32 bits do not hold.
    pub(super) fn reachable(&mut self, bytes: i64) {
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
        (pointer, view): (Id, usize),
        result: Option<Type>,
        action: &mut dyn FnMut(&mut Self, ValueId) -> Option<ValueId>,
    ) -> Option<ValueId> {
        let roots = self.pointers.arrays(pointer);
        let which = match (self.pointer(pointer).which, &roots[..]) {
            (Some(which), [_, _, ..]) => which,
            (_, [root, ..]) => {
                let memref = self.memrefs[*root][view]?;
                return action(self, memref);
            }
            _ => return None,
        };
        let (end, value) = self.new_block(result);
        for (i, &root) in roots.iter().enumerate() {
            let memref = self.memrefs[root][view]?;
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

    /// Loads a word of a view of what a pointer points into.
    pub(super) fn load_word(&mut self, place: (Id, usize), offset: ValueId) -> Option<ValueId> {
        let word = self.pointers.words(place.0)?.views[place.1];
        self.with_memref(place, Some(word), &mut |c, memref| {
            Some(c.op(Kind::Load, &[memref, offset], &[ValueType::Scalar(word)]))
        })
    }

    /// Stores a word to a view of what a pointer points into.
    pub(super) fn store_word(&mut self, place: (Id, usize), offset: ValueId, value: ValueId) {
        self.with_memref(place, None, &mut |c, memref| {
            c.effect(Kind::Store, &[value, memref, offset], Vec::new());
            None
        });
    }

    /// The same bits as another type of the same width.
    pub(super) fn as_type(&mut self, value: ValueId, from: Type, to: Type) -> ValueId {
        if from == to {
            value
        } else {
            self.scalar(OpKind::Bitcast, &[value], to)
        }
    }

    /// `load`
    pub(super) fn load(&mut self, at: usize) {
        let inst = &self.function.insts[at];
        let result = inst.result.expect("a load gives a value");
        let from = inst.operands[0];
        let (Some(ty), Some((parts, bits))) = (self.function.ty(result).scalar(), self.parts(inst, from))
        else {
            return self.refuse_type(&self.function.ty(result).clone());
        };
        let whole = Type::Int(bits as u8);
        let mut sum = None;
        for &part in &parts {
            let Some(loaded) = self.load_part(at, from, part) else { return };
            if [part.ty, ty].iter().all(|t| t.width(64) == bits) {
                self.made[result.0].whole = Some(self.as_type(loaded, part.ty, ty));
                return;
            }
            // Low words first.
            let raw = Type::Int(part.ty.width(64) as u8);
            let piece = self.as_type(loaded, part.ty, raw);
            let mut piece = match raw == whole {
                true => piece,
                false => self.scalar(OpKind::Extui, &[piece], whole),
            };
            if part.at > 0 {
                let amount = self.constant(whole, 8 * part.at as u64);
                piece = self.scalar(OpKind::Shli, &[piece, amount], whole);
            }
            sum = Some(match sum {
                None => piece,
                Some(sum) => self.scalar(OpKind::Ori, &[sum, piece], whole),
            });
        }
        // What lies between fields has no value.
        let number = sum.unwrap_or_else(|| self.constant(whole, 0));
        self.made[result.0].whole = Some(match ty.width(64) < bits {
            true => self.scalar(OpKind::Trunci, &[number], ty),
            false => self.as_type(number, whole, ty),
        });
    }

    /// The word of an access through a pointer, counted from where its view does.
    pub(super) fn word_index(&mut self, id: Id, part: Part) -> ValueId {
        let pointer = self.pointer(id);
        let start = self.pointers.words(id).map_or(0, |w| w.start(part.view));
        let constant = pointer.constant.wrapping_add(part.at).wrapping_sub(start);
        self.index(Pointer { constant, ..pointer }, words::bytes_of(part.ty) as i64)
    }

    /// Words of an access, and its bits in memory.
    fn parts(&self, inst: &Inst, pointer: Id) -> Option<(Vec<Part>, u32)> {
        let bytes = address::accessed_size(self.function, inst)?;
        Some((self.pointers.parts(pointer, bytes)?, 8 * bytes as u32))
    }

    /// `store`
    pub(super) fn store(&mut self, at: usize) {
        let inst = &self.function.insts[at];
        let (value, to) = (inst.operands[0], inst.operands[1]);
        if self.is_pointer(value) {
            let help = "keep an index instead, and pass each array as an argument of its own";
            return self.refuse(codes::POINTER, "a pointer that is kept in memory", help);
        }
        let (Some(ty), Some((parts, bits))) = (self.function.ty(value).scalar(), self.parts(inst, to)) else {
            return self.refuse_type(&self.function.ty(value).clone());
        };
        let given = self.whole(value);
        let whole = Type::Int(bits as u8);
        if let Some(&part) = parts.first().filter(|part| [part.ty, ty].iter().all(|t| t.width(64) == bits)) {
            let stored = self.as_type(given, ty, part.ty);
            return self.store_part(at, to, part, stored);
        }
        let number = match ty.width(64) < bits {
            true => self.scalar(OpKind::Extui, &[given], whole),
            false => self.as_type(given, ty, whole),
        };
        for part in parts {
            let mut piece = number;
            if part.at > 0 {
                let amount = self.constant(whole, 8 * part.at as u64);
                piece = self.scalar(OpKind::Shrui, &[piece, amount], whole);
            }
            let raw = Type::Int(part.ty.width(64) as u8);
            if raw != whole {
                piece = self.scalar(OpKind::Trunci, &[piece], raw);
            }
            let piece = self.as_type(piece, raw, part.ty);
            self.store_part(at, to, part, piece);
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
}
