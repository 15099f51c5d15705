//! Arithmetic, comparisons, casts and choices.

use super::{Converter, Made, Pointer};
use crate::address;
use crate::codes;
use crate::demand;
use crate::literal;
use crate::nulls::{self, NullTest};
use crate::program::{Id, Inst};
use crate::roots::{Root, NULL};
use crate::text::Attr;
use crate::types::Ty;
use loom_base::gcd;
use loom_dfg::{FloatPredicate, Op, OpKind, Predicate, Type};
use loom_front::ir::{Kind, ValueDef, ValueId, ValueType};
use std::collections::BTreeSet;

/// The op of the table that an op of two operands is.
pub(super) fn binary(name: &str) -> Option<OpKind> {
    Some(match name {
        "add" => OpKind::Addi,
        "sub" => OpKind::Subi,
        "mul" => OpKind::Muli,
        "udiv" => OpKind::Divui,
        "sdiv" => OpKind::Divsi,
        "urem" => OpKind::Remui,
        "srem" => OpKind::Remsi,
        "and" => OpKind::Andi,
        "or" => OpKind::Ori,
        "xor" => OpKind::Xori,
        "shl" => OpKind::Shli,
        "lshr" => OpKind::Shrui,
        "ashr" => OpKind::Shrsi,
        "fadd" => OpKind::Addf,
        "fsub" => OpKind::Subf,
        "fmul" => OpKind::Mulf,
        "fdiv" => OpKind::Divf,
        "frem" => OpKind::Remf,
        _ => return None,
    })
}

pub(super) fn cast(name: &str) -> Option<OpKind> {
    Some(match name {
        "trunc" => OpKind::Trunci,
        "zext" => OpKind::Extui,
        "sext" => OpKind::Extsi,
        "fptrunc" => OpKind::Truncf,
        "fpext" => OpKind::Extf,
        "sitofp" => OpKind::Sitofp,
        "uitofp" => OpKind::Uitofp,
        "fptosi" => OpKind::Fptosi,
        "fptoui" => OpKind::Fptoui,
        "bitcast" => OpKind::Bitcast,
        _ => return None,
    })
}

impl Converter<'_> {
    /// `mlir.constant` and what is like it. Poison and undefined values are 0, as everywhere.
    pub(super) fn literal(&mut self, inst: &Inst) {
        let result = inst.result.expect("a literal is a value");
        let ty = self.function.ty(result);
        if *ty == Ty::Ptr {
            return;
        }
        let Some(scalar) = ty.scalar() else { return self.refuse_type(&ty.clone()) };
        let bits = match inst.op.attribute("value") {
            Some(Attr::Number(text, _)) => literal::bits(text, scalar),
            None => Some(0),
            _ => None,
        };
        match bits {
            Some(bits) => self.made[result.0].whole = Some(self.constant(scalar, bits)),
            None => self.refuse(
                codes::UNREADABLE,
                "a literal that is not understood",
                "report it, with the program",
            ),
        }
    }

    pub(super) fn compute(&mut self, inst: &Inst) {
        let Some(result) = inst.result else {
            let message = format!("the operation `{}`", inst.name());
            return self.refuse(codes::OPERATION, message, "write it in plain C");
        };
        match inst.name() {
            "icmp" if self.is_pointer(inst.operands[0]) => return self.compare_pointers(inst, result),
            "select" if self.is_pointer(result) => return self.choose_pointer(inst, result),
            "freeze" if self.is_pointer(result) => {
                self.made[result.0].pointer = Some(self.pointer(inst.operands[0]));
                return;
            }
            "extractvalue" => return self.extract(inst, result),
            "extractelement" => return self.element(inst, result),
            _ => {}
        }
        let need = self.needs[result.0];
        let Some(ty) = self.function.ty(result).scalar() else {
            return self.refuse_type(&self.function.ty(result).clone());
        };
        if need.whole {
            let value = self.whole_result(inst, ty);
            self.made[result.0].whole = value;
        }
        if need.address {
            let value = self.address_result(inst, result);
            self.made[result.0].address = value;
        }
    }

    fn whole_result(&mut self, inst: &Inst, ty: Type) -> Option<ValueId> {
        let name = inst.name();
        if let Some((p, q, divisor)) = address::element_difference(self.function, inst) {
            let (words, word) = self.difference(p, q)?;
            let wide = self.scalar(OpKind::IndexCast, &[words], ty);
            return Some(match (word == divisor, divisor % word) {
                (true, _) => wide,
                // Both point at elements of that size, so the division is exact.
                (_, 0) => {
                    let by = self.constant(ty, (divisor / word) as u64);
                    self.scalar(OpKind::Divsi, &[wide, by], ty)
                }
                _ => {
                    let factor = self.constant(ty, word as u64);
                    let bytes = self.scalar(OpKind::Muli, &[wide, factor], ty);
                    let by = self.constant(ty, divisor as u64);
                    self.scalar(OpKind::Divsi, &[bytes, by], ty)
                }
            });
        }
        if let Some((p, q)) = address::pointer_difference(self.function, inst) {
            let (words, word) = self.difference(p, q)?;
            let wide = self.scalar(OpKind::IndexCast, &[words], ty);
            let factor = self.constant(ty, word as u64);
            return Some(self.scalar(OpKind::Muli, &[wide, factor], ty));
        }
        let in_index = inst.result.is_some_and(|r| self.counts.compares.contains(&r));
        let operand = |&o: &Id| if in_index { self.address(o) } else { self.whole(o) };
        let operands: Vec<ValueId> = inst.operands.iter().map(operand).collect();
        if let Some(kind) = binary(name).or_else(|| cast(name)) {
            if let (OpKind::Fptosi | OpKind::Fptoui, Type::Int(1..32)) = (kind, ty) {
                // A number beyond the narrow type is poison, so what 32 bits of it say is as good, and more units do that.
                let wide = self.scalar(OpKind::Fptosi, &operands, Type::I32);
                return Some(self.scalar(OpKind::Trunci, &[wide], ty));
            }
            let value = self.scalar(kind, &operands, ty);
            let may_overflow = matches!(kind, OpKind::Addi | OpKind::Subi | OpKind::Muli | OpKind::Shli);
            let flags = inst.op.attribute("overflowFlags");
            if may_overflow && matches!(flags, Some(Attr::Other(text)) if text.contains("nsw")) {
                self.mark_nsw(value);
            }
            return Some(value);
        }
        Some(match name {
            "icmp" => {
                let predicate = Predicate::from_code(inst.op.integer("predicate").unwrap_or(0) as u64)?;
                self.compare(predicate, operands[0], operands[1])
            }
            "fcmp" => {
                let predicate = FloatPredicate::from_code(inst.op.integer("predicate").unwrap_or(0) as u64)?;
                self.op(Kind::Scalar(Op::Cmpf(predicate)), &operands, &[ValueType::Scalar(Type::I1)])
            }
            "select" => self.scalar(OpKind::Select, &operands, ty),
            "fneg" => self.scalar(OpKind::Negf, &operands, ty),
            "freeze" => operands[0],
            _ => {
                let message = format!("the operation `{name}`");
                self.refuse(codes::OPERATION, message, "write it with arithmetic on numbers and arrays");
                return None;
            }
        })
    }

    /// The number that an op gives does not leave the signed range.
    pub(super) fn mark_nsw(&mut self, value: ValueId) {
        if let ValueDef::Result { op, .. } = self.func.value(value).def {
            self.func.op_mut(op).nsw = true;
        }
    }

    /// The value in index: computed there where only that is needed, or taken from the whole number.
    fn address_result(&mut self, inst: &Inst, result: Id) -> Option<ValueId> {
        let name = inst.name();
        let wide = *self.function.ty(result) == Ty::Int(64);
        if let (Some(whole), false) = (self.made[result.0].whole, matches!(name, "sext" | "zext")) {
            return Some(self.in_index(whole, true));
        }
        if let (true, Some((p, q))) = (wide, address::pointer_difference(self.function, inst)) {
            let (words, word) = self.difference(p, q)?;
            let factor = self.constant(Type::Index, word as u64);
            return Some(self.scalar(OpKind::Muli, &[words, factor], Type::Index));
        }
        match name {
            "sext" | "zext" if wide => {
                let inner = self.whole(inst.operands[0]);
                // The extension of one bit is a number of its own.
                Some(self.in_index(inner, name == "sext"))
            }
            "select" if wide => {
                let condition = self.whole(inst.operands[0]);
                let sides = [1, 2].map(|i| self.address(inst.operands[i]));
                Some(self.scalar(OpKind::Select, &[condition, sides[0], sides[1]], Type::Index))
            }
            "shl" if wide && demand::is_constant_shift(self.function, inst) => {
                let amount = self.function.constant(inst.operands[1]).unwrap_or(0);
                let value = self.address(inst.operands[0]);
                let amount = self.constant(Type::Index, amount as u64);
                Some(self.scalar(OpKind::Shli, &[value, amount], Type::Index))
            }
            _ if wide && demand::is_modular(name) => {
                let operands: Vec<ValueId> = inst.operands.iter().map(|&o| self.address(o)).collect();
                Some(self.scalar(binary(name)?, &operands, Type::Index))
            }
            _ => {
                let ty = self.function.ty(result).scalar()?;
                let whole = self.whole_result(inst, ty)?;
                self.made[result.0].whole = Some(whole);
                Some(self.in_index(whole, true))
            }
        }
    }

    /// Two pointers in words that both are whole numbers of, and the bytes of such a word.
    fn in_common_words(&mut self, p: Pointer, q: Pointer) -> (ValueId, ValueId, i64) {
        let units = [p, q].into_iter().filter(|p| p.base.is_some()).map(|p| p.unit);
        let word = units.chain([p.constant, q.constant]).fold(0, |sum, n| gcd(sum, n.unsigned_abs()));
        let word = word.max(1) as i64;
        (self.index(p, word), self.index(q, word), word)
    }

    /// Words between two pointers into one array, and the bytes of a word.
    fn difference(&mut self, p: Id, q: Id) -> Option<(ValueId, i64)> {
        // What is null has no difference.
        let sets = [p, q].map(|p| self.pointers.arrays(p));
        if sets[0].len() != 1 || sets[0] != sets[1] {
            let help = "subtract pointers into one array only";
            self.refuse(codes::POINTER, "the difference of pointers into different arrays", help);
            return None;
        }
        let (p, q) = (self.pointer(p), self.pointer(q));
        let (p, q, word) = self.in_common_words(p, q);
        Some((self.scalar(OpKind::Subi, &[p, q], Type::Index), word))
    }

    fn compare_pointers(&mut self, inst: &Inst, result: Id) {
        let (a, b) = (inst.operands[0], inst.operands[1]);
        if let Some(test) = nulls::test(inst, self.pointers) {
            let roots = self.pointers.arrays(test.pointer);
            if roots.iter().any(|&r| matches!(self.pointers.roots[r], Root::Field { .. })) {
                let help = "compare it before the call, or pass the array as an argument of its own";
                return self.refuse(codes::POINTER, "a pointer in a struct that is compared with null", help);
            }
            self.made[result.0].whole = Some(self.null_test(&test));
            return;
        }
        let sets = [a, b].map(|p| self.pointers.sets[p.0].clone());
        let is_null = |s: &BTreeSet<usize>| s.iter().all(|&r| r == NULL);
        let may_be = |s: &BTreeSet<usize>| s.contains(&NULL);
        if sets.iter().any(is_null) && !sets.iter().all(may_be) {
            let help = "ask whether it is null, by `==` or `!=`";
            return self.refuse(codes::POINTER, "a pointer whose order to null is asked for", help);
        }
        let code = inst.op.integer("predicate").unwrap_or(0) as u64;
        let Some(predicate) = Predicate::from_code(code) else { return };
        let (p, q) = (self.pointer(a), self.pointer(b));
        let (x, y, _) = self.in_common_words(p, q);
        let against_null = sets.iter().any(is_null) && matches!(predicate, Predicate::Eq | Predicate::Ne);
        let one_array = sets[0].len() == 1 && sets[0] == sets[1];
        let value = if against_null {
            // Where it points to within an array does not matter.
            let (i, j) = (self.which(a, p), self.which(b, q));
            self.compare(predicate, i, j)
        } else if one_array {
            // Offsets are small: what holds of addresses holds of them as signed numbers.
            let predicate = match predicate {
                Predicate::Ult => Predicate::Slt,
                Predicate::Ule => Predicate::Sle,
                Predicate::Ugt => Predicate::Sgt,
                Predicate::Uge => Predicate::Sge,
                other => other,
            };
            self.compare(predicate, x, y)
        } else if matches!(predicate, Predicate::Eq | Predicate::Ne) {
            let mut pairs = sets[0].iter().flat_map(|&x| sets[1].iter().map(move |&y| (x, y)));
            if let Some((x, y)) = pairs.find(|&(x, y)| x != y && !self.roots_differ(x, y)) {
                let [x, y] = [x, y].map(|root| self.root_name(root));
                let message = format!("pointers that are compared: {x} and {y} may be one array or two");
                let help = "declare the arguments `restrict`, so that they are known to be different arrays";
                return self.refuse(codes::POINTER, message, help);
            }
            let (i, j) = (self.which(a, p), self.which(b, q));
            let same_root = self.compare(predicate, i, j);
            let same_word = self.compare(predicate, x, y);
            let kind = if predicate == Predicate::Eq { OpKind::Andi } else { OpKind::Ori };
            self.scalar(kind, &[same_root, same_word], Type::I1)
        } else {
            let help = "compare pointers into one array only";
            return self.refuse(codes::POINTER, "the order of pointers into different arrays", help);
        };
        self.made[result.0].whole = Some(value);
    }

    /// How the user knows an array.
    fn root_name(&self, root: usize) -> String {
        let name = match self.pointers.roots.get(root) {
            Some(Root::Argument(index)) => self.func.value(self.func.arguments()[*index]).name.as_str(),
            Some(Root::Global(name)) => name.as_str(),
            Some(Root::Field { argument, .. }) => {
                let name = &self.func.value(self.func.arguments()[*argument]).name;
                return format!("an array that `{name}` has a pointer to");
            }
            Some(Root::Stack(_)) | None => "",
        };
        if name.is_empty() {
            "an array without a name".into()
        } else {
            format!("`{name}`")
        }
    }

    /// Whether a pointer from outside is null: as its argument is. Variables and globals never are.
    fn null_test(&mut self, test: &NullTest) -> ValueId {
        let arrays = self.pointers.arrays(test.pointer);
        let mut is_null = self.constant(Type::I1, 0);
        for &root in &arrays {
            let Root::Argument(index) = self.pointers.roots[root] else { continue };
            let mut this = self.nulls[&index];
            if arrays.len() > 1 {
                let pointer = self.pointer(test.pointer);
                let (which, number) =
                    (self.which(test.pointer, pointer), self.constant(Type::I32, root as u64));
                let is_this = self.compare(Predicate::Eq, which, number);
                this = self.scalar(OpKind::Andi, &[this, is_this], Type::I1);
            }
            is_null = self.scalar(OpKind::Ori, &[is_null, this], Type::I1);
        }
        if test.is_null {
            return is_null;
        }
        let yes = self.constant(Type::I1, 1);
        self.scalar(OpKind::Xori, &[is_null, yes], Type::I1)
    }

    fn choose_pointer(&mut self, inst: &Inst, result: Id) {
        let condition = self.whole(inst.operands[0]);
        let several = self.pointers.sets[result.0].len() > 1;
        let [p, q] = [1, 2].map(|i| self.pointer(inst.operands[i]));
        let (x, y) = (self.units(p, result), self.units(q, result));
        let base = self.scalar(OpKind::Select, &[condition, x, y], Type::Index);
        let which = several.then(|| {
            let (i, j) = (self.which(inst.operands[1], p), self.which(inst.operands[2], q));
            self.scalar(OpKind::Select, &[condition, i, j], Type::I32)
        });
        self.made[result.0].pointer = Some(self.counted(result, which, base));
    }

    /// One number of a small struct that the calling convention passes as a vector.
    fn element(&mut self, inst: &Inst, result: Id) {
        let vector = inst.operands[0];
        let element = self.function.ty(result).scalar();
        let low_bit = |ty: &Type| {
            let at = u64::try_from(self.function.constant(inst.operands[1])?).ok()?;
            at.checked_mul(ty.width(64).into())
        };
        let parts = (self.function.ty(vector).argument(), element, element.as_ref().and_then(low_bit));
        let ((Some(bits), Some(ty), Some(low_bit)), Some(whole)) = (parts, self.made[vector.0].whole) else {
            return self.refuse_type(&self.function.ty(vector).clone());
        };
        let amount = self.constant(bits, low_bit);
        let shifted = self.scalar(OpKind::Shrui, &[whole, amount], bits);
        let raw = Type::Int(ty.width(64) as u8);
        let low = if raw == bits { shifted } else { self.scalar(OpKind::Trunci, &[shifted], raw) };
        let value = if raw == ty { low } else { self.scalar(OpKind::Bitcast, &[low], ty) };
        self.made[result.0].whole = Some(value);
    }

    /// One of result and overflow.
    fn extract(&mut self, inst: &Inst, result: Id) {
        let Made { pair, .. } = self.made[inst.operands[0].0];
        let Some((value, overflow)) = pair else {
            let help = "pass the parts of a struct as numbers of their own";
            return self.refuse(codes::TYPE, "a struct that is passed around as a value", help);
        };
        let first = inst.op.integers("position").first().is_none_or(|&p| p == 0);
        self.made[result.0].whole = Some(if first { value } else { overflow });
        if first && self.needs[result.0].address {
            self.made[result.0].address = Some(self.in_index(value, true));
        }
    }
}
