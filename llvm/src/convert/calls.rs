//! Intrinsics, calls of the C library, and calls that are refused.

use super::Converter;
use crate::codes;
use crate::places::{throws, RECURSION};
use crate::program::{Id, Inst};
use loom_dfg::{Op, OpKind, Predicate, Type};
use loom_front::ir::{Kind, ValueId, ValueType};

/// Intrinsics and functions that are one op on numbers of the result's type.
pub(super) fn direct(name: &str) -> Option<OpKind> {
    Some(match name {
        "smax" => OpKind::Maxsi,
        "smin" => OpKind::Minsi,
        "umax" => OpKind::Maxui,
        "umin" => OpKind::Minui,
        "ctpop" => OpKind::Ctpop,
        "bitreverse" => OpKind::Bitreverse,
        "sqrt" => OpKind::Sqrt,
        "fabs" => OpKind::Absf,
        "floor" => OpKind::Floor,
        "ceil" => OpKind::Ceil,
        "trunc" => OpKind::Trunc,
        "round" => OpKind::Round,
        // The rounding mode is the usual one.
        "rint" | "nearbyint" | "roundeven" => OpKind::Roundeven,
        "copysign" => OpKind::Copysign,
        "maxnum" | "fmax" => OpKind::Maxnumf,
        "minnum" | "fmin" => OpKind::Minnumf,
        "maximum" => OpKind::Maximumf,
        "minimum" => OpKind::Minimumf,
        "fma" => OpKind::Fma,
        "fmod" => OpKind::Remf,
        "sin" => OpKind::Sin,
        "cos" => OpKind::Cos,
        "tan" => OpKind::Tan,
        "asin" => OpKind::Asin,
        "acos" => OpKind::Acos,
        "atan" => OpKind::Atan,
        "sinh" => OpKind::Sinh,
        "cosh" => OpKind::Cosh,
        "tanh" => OpKind::Tanh,
        "exp" => OpKind::Exp,
        "exp2" => OpKind::Exp2,
        "expm1" => OpKind::Expm1,
        "log" => OpKind::Log,
        "log2" => OpKind::Log2,
        "log10" => OpKind::Log10,
        "log1p" => OpKind::Log1p,
        "erf" => OpKind::Erf,
        "cbrt" => OpKind::Cbrt,
        "atan2" => OpKind::Atan2,
        "pow" => OpKind::Powf,
        _ => return None,
    })
}

/// Functions of the C library that are no op, so that the reason can be given.
const LIBRARY: &[&str] =
    &["acosh", "asinh", "atanh", "erfc", "exp10", "frexp", "hypot", "ldexp", "lgamma", "modf", "tgamma"];

impl Converter<'_> {
    pub(super) fn intrinsic(&mut self, inst: &Inst, name: &str) {
        if ["lifetime.", "dbg.", "invariant."].iter().any(|p| name.starts_with(p)) {
            return;
        }
        match name {
            "assume"
            | "donothing"
            | "prefetch"
            | "experimental.noalias.scope.decl"
            | "sideeffect"
            | "var.annotation" => {}
            "memcpy" | "memcpy.inline" | "memmove" => self.copy(inst),
            "memset" => self.set(inst),
            _ => {
                let Some(result) = inst.result else { return self.unknown_intrinsic(name) };
                if let Some((what, signed)) = with_overflow(name) {
                    return self.overflowing(inst, result, what, signed);
                }
                let Some(ty) = self.function.ty(result).scalar() else {
                    return self.refuse_type(&self.function.ty(result).clone());
                };
                let mut operands = Vec::new();
                for &operand in &inst.operands {
                    if !self.is_pointer(operand) {
                        operands.push(self.whole(operand));
                    }
                }
                let value = match (name, &operands[..]) {
                    ("is.fpclass", &[x]) => self.is_of_class(inst, x),
                    _ => self.number(name, &operands, ty),
                };
                match value {
                    Some(value) => self.give(result, value),
                    None => self.unknown_intrinsic(name),
                }
            }
        }
    }

    fn give(&mut self, result: Id, value: ValueId) {
        self.made[result.0].whole = Some(value);
        if self.needs[result.0].address {
            self.made[result.0].address = Some(self.in_index(value, true));
        }
    }

    fn unknown_intrinsic(&mut self, name: &str) {
        if LIBRARY.contains(&name) {
            return self.no_op(name);
        }
        let message = format!("the built-in function `{name}`");
        self.refuse(codes::OPERATION, message, "write it with arithmetic");
    }

    fn no_op(&mut self, name: &str) {
        let help = "write it with those that are: docs/c.md lists them";
        self.refuse(codes::CALL, format!("`{name}`, which no op computes"), help);
    }

    /// An intrinsic that computes one number.
    fn number(&mut self, name: &str, operands: &[ValueId], ty: Type) -> Option<ValueId> {
        let width = ty.width(64);
        let zero = |c: &mut Self| c.constant(ty, 0);
        Some(match (name, operands) {
            ("abs", [x, ..]) => self.scalar(OpKind::Absi, &[*x], ty),
            ("ctlz", [x, ..]) => self.scalar(OpKind::Ctlz, &[*x], ty),
            ("cttz", [x, ..]) => self.scalar(OpKind::Cttz, &[*x], ty),
            ("expect" | "expect.with.probability" | "ssa.copy", [x, ..]) => *x,
            ("is.constant" | "objectsize", _) => zero(self),
            ("fmuladd", [a, b, c]) => {
                let product = self.scalar(OpKind::Mulf, &[*a, *b], ty);
                self.scalar(OpKind::Addf, &[product, *c], ty)
            }
            ("fshl" | "fshr", [high, low, amount]) => self.funnel(name == "fshl", [*high, *low, *amount], ty),
            // Of other widths the halves are no whole bytes.
            ("bswap", [x]) if width.is_power_of_two() && width >= 16 => self.byte_swap(*x, ty),
            // In double, which holds the exponent, so that an even power of a negative number has its sign.
            ("powi", [x, n]) => {
                let exponent = self.scalar(OpKind::Sitofp, &[*n], Type::F64);
                let wide = if ty == Type::F64 { *x } else { self.scalar(OpKind::Extf, &[*x], Type::F64) };
                let power = self.scalar(OpKind::Powf, &[wide, exponent], Type::F64);
                if ty == Type::F64 {
                    power
                } else {
                    self.scalar(OpKind::Truncf, &[power], ty)
                }
            }
            // A number that the result does not hold is anything.
            ("lrint" | "llrint" | "lround" | "llround", [x]) => {
                let kind = if name.ends_with("rint") { OpKind::Roundeven } else { OpKind::Round };
                let float = self.func.ty(*x).scalar().filter(|ty| ty.is_float())?;
                let whole = self.scalar(kind, &[*x], float);
                self.scalar(OpKind::Fptosi, &[whole], ty)
            }
            ("uadd.sat", [a, b]) => {
                let sum = self.scalar(OpKind::Addi, &[*a, *b], ty);
                let wrapped = self.compare(Predicate::Ult, sum, *a);
                let most = self.constant(ty, u64::MAX);
                self.scalar(OpKind::Select, &[wrapped, most, sum], ty)
            }
            ("usub.sat", [a, b]) => {
                let most = self.scalar(OpKind::Maxui, &[*a, *b], ty);
                self.scalar(OpKind::Subi, &[most, *b], ty)
            }
            ("sadd.sat" | "ssub.sat", [a, b]) => {
                let kind = if name == "sadd.sat" { OpKind::Addi } else { OpKind::Subi };
                let (value, overflow) = self.signed_overflow(kind, *a, *b, ty);
                // Past which end follows from the first operand's sign.
                let amount = self.constant(ty, u64::from(width - 1));
                let sign = self.scalar(OpKind::Shrsi, &[*a, amount], ty);
                let largest = self.constant(ty, (1u64 << (width - 1)) - 1);
                let end = self.scalar(OpKind::Xori, &[sign, largest], ty);
                self.scalar(OpKind::Select, &[overflow, end, value], ty)
            }
            _ => self.scalar(direct(name)?, operands, ty),
        })
    }

    /// `fshl`, `fshr`: the amount counts modulo the width; with 0 it is one operand unchanged.
    fn funnel(&mut self, left: bool, [high, low, amount]: [ValueId; 3], ty: Type) -> ValueId {
        let width = u64::from(ty.width(64));
        let mask = self.constant(ty, width - 1);
        let bits = self.constant(ty, width);
        let amount = match width.is_power_of_two() {
            true => self.scalar(OpKind::Andi, &[amount, mask], ty),
            false => self.scalar(OpKind::Remui, &[amount, bits], ty),
        };
        // A shift by the whole width gives 0 here, which is what the other half is then.
        let rest = self.scalar(OpKind::Subi, &[bits, amount], ty);
        let (up, down) = if left { (amount, rest) } else { (rest, amount) };
        let high = self.scalar(OpKind::Shli, &[high, up], ty);
        let low = self.scalar(OpKind::Shrui, &[low, down], ty);
        self.scalar(OpKind::Ori, &[high, low], ty)
    }

    /// Bytes in reverse order: halves, then quarters, and so on.
    fn byte_swap(&mut self, value: ValueId, ty: Type) -> ValueId {
        let width = ty.width(64);
        let mut at = value;
        let mut span = width / 2;
        while span >= 8 {
            let amount = self.constant(ty, u64::from(span));
            let up = self.scalar(OpKind::Shli, &[at, amount], ty);
            let down = self.scalar(OpKind::Shrui, &[at, amount], ty);
            at = if span * 2 == width {
                self.scalar(OpKind::Ori, &[up, down], ty)
            } else {
                let low = (0..width).filter(|b| (b / span).is_multiple_of(2)).fold(0u64, |m, b| m | 1 << b);
                let (low, high) = (self.constant(ty, low), self.constant(ty, !low));
                let down = self.scalar(OpKind::Andi, &[down, low], ty);
                let up = self.scalar(OpKind::Andi, &[up, high], ty);
                self.scalar(OpKind::Ori, &[up, down], ty)
            };
            span /= 2;
        }
        at
    }

    /// A sum or difference, and whether it left the signed range.
    fn signed_overflow(&mut self, kind: OpKind, a: ValueId, b: ValueId, ty: Type) -> (ValueId, ValueId) {
        let value = self.scalar(kind, &[a, b], ty);
        let zero = self.constant(ty, 0);
        let down = self.compare(if kind == OpKind::Addi { Predicate::Slt } else { Predicate::Sgt }, b, zero);
        let less = self.compare(Predicate::Slt, value, a);
        let overflow = self.scalar(OpKind::Xori, &[down, less], Type::I1);
        (value, overflow)
    }

    fn overflowing(&mut self, inst: &Inst, result: Id, kind: OpKind, signed: bool) {
        let &[a, b] = &inst.operands[..] else { return };
        let Some(ty) = self.function.ty(a).scalar() else {
            return self.refuse_type(&self.function.ty(a).clone());
        };
        let (a, b) = (self.whole(a), self.whole(b));
        let width = ty.width(64);
        let pair = match (kind, signed) {
            (OpKind::Muli, _) if width > 32 => self.wide_product([a, b], signed, ty),
            (OpKind::Muli, _) => {
                let wide = Type::Int(2 * width as u8);
                let extend = if signed { OpKind::Extsi } else { OpKind::Extui };
                let [x, y] = [a, b].map(|v| self.scalar(extend, &[v], wide));
                let product = self.scalar(OpKind::Muli, &[x, y], wide);
                let value = self.scalar(OpKind::Trunci, &[product], ty);
                let back = self.scalar(extend, &[value], wide);
                (value, self.compare(Predicate::Ne, back, product))
            }
            (kind, true) => self.signed_overflow(kind, a, b, ty),
            (OpKind::Addi, false) => {
                let value = self.scalar(kind, &[a, b], ty);
                (value, self.compare(Predicate::Ult, value, a))
            }
            (kind, false) => {
                let value = self.scalar(kind, &[a, b], ty);
                (value, self.compare(Predicate::Ult, a, b))
            }
        };
        self.made[result.0].pair = Some(pair);
    }

    pub(super) fn call(&mut self, inst: &Inst) {
        let Some(name) = inst.op.symbol("callee").map(str::to_string) else {
            let help = "call functions by their names";
            return self.refuse(codes::CALL, "a call through a function pointer", help);
        };
        if let Some(hint) = name.strip_prefix("__loom_") {
            return self.hint(inst, hint);
        }
        if name == self.function.symbol {
            return self.refuse(codes::CALL, format!("`{name}` calls itself"), RECURSION);
        }
        if throws(&name) {
            return self.errors.push(self.places.no_body(&name, self.place.as_ref()));
        }
        if inst.op.attribute("var_callee_type").is_some() {
            return self.errors.push(self.places.any_number(&name, self.place.as_ref()));
        }
        if matches!(name.as_str(), "setjmp" | "_setjmp" | "sigsetjmp" | "longjmp" | "__sigsetjmp") {
            return self.refuse(
                codes::CALL,
                format!("`{name}`: jumps between functions"),
                "return a code instead",
            );
        }
        // `sqrtf` is `sqrt` of its arguments' type.
        let plain =
            name.strip_suffix('f').filter(|n| direct(n).is_some() || LIBRARY.contains(n)).unwrap_or(&name);
        let result = inst.result.filter(|&r| self.function.ty(r).scalar().is_some_and(|t| t.is_float()));
        if let (Some(result), Some(kind)) = (result, direct(plain)) {
            let types = inst.operands.iter().map(|&id| self.function.ty(id).scalar());
            let types = types.collect::<Option<Vec<Type>>>().unwrap_or_default();
            let ty = self.function.ty(result).scalar().unwrap_or(Type::F64);
            // Whoever declares it otherwise means another function.
            if kind.check_types(&types, &[ty]).is_ok() {
                let operands: Vec<ValueId> = inst.operands.iter().map(|&o| self.whole(o)).collect();
                let value = self.op(Kind::Scalar(Op::Plain(kind)), &operands, &[ValueType::Scalar(ty)]);
                return self.give(result, value);
            }
        }
        if LIBRARY.contains(&plain) {
            return self.no_op(&name);
        }
        let error = self.places.no_body(&name, self.place.as_ref());
        if !(self.dead_end && self.places.stays(&name)) {
            return self.errors.push(error);
        }
        // Of what is computed for an exception the exception is what is wrong.
        self.doubts.push(error);
        if let Some((result, ty)) = inst.result.and_then(|r| Some((r, self.function.ty(r).scalar()?))) {
            let zero = self.constant(ty, 0);
            self.give(result, zero);
        }
    }
}

/// Arithmetic that says whether it overflowed.
fn with_overflow(name: &str) -> Option<(OpKind, bool)> {
    let kind = match name.strip_suffix(".with.overflow")? {
        "sadd" | "uadd" => OpKind::Addi,
        "ssub" | "usub" => OpKind::Subi,
        "smul" | "umul" => OpKind::Muli,
        _ => return None,
    };
    Some((kind, name.starts_with('s')))
}
