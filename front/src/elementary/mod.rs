//! Elementary functions by the ops that fabrics have.
//!
//! An op such as `math.exp` that the fabric has no unit for becomes words of 64 bits: in `f32` a polynomial in fixed point, with
//! conversions from and to floats around it, in `f64` sums and products of doubles. The units are those of the general fabrics for 64
//! bits; there is no control flow, and division only where it takes the place of much else. A result is less than 1 ulp from the
//! true one: docs/lowering.md has each function's bound, and over which inputs it was measured. NaN, infinities, signed zeros and
//! subnormals are as IEEE 754 recommends, a computed NaN is the canonical one. `bf16` and `f16` go through `f32`.
//!
//! Other ops that a fabric may lack have formulas without any error, in words as wide as the operands ([`EXACT`], [`CASTS`]);
//! `arith.remf` has a loop of its own in words of 64 bits.
//!
//! The pass comes before a region is selected. So what runs as the program, what the graph is held against, has the formulas
//! already, and every model gives the same bits. Refuses nothing: an op without a formula stays.

mod arc;
mod cast;
mod double;
mod erf;
mod exact;
mod fit;
mod hyperbolic;
mod log;
mod pen;
mod pow;
mod power;
mod remainder;
mod root;
mod tanh;
mod turn;
mod twofold;

pub use pen::Calculator;

use crate::edit::{self, Changes, InsertionPoint};
use crate::ir::{Func, Kind, Operation, ValueId};
use loom_dfg::{Op, OpKind, Type};
use pen::Pen;
use std::collections::BTreeMap;

/// The elementary functions, whose formulas are not exact in the last place.
pub const KINDS: [OpKind; 20] = [
    OpKind::Exp,
    OpKind::Exp2,
    OpKind::Expm1,
    OpKind::Log,
    OpKind::Log2,
    OpKind::Log10,
    OpKind::Log1p,
    OpKind::Powf,
    OpKind::Cbrt,
    OpKind::Sin,
    OpKind::Cos,
    OpKind::Tan,
    OpKind::Asin,
    OpKind::Acos,
    OpKind::Atan,
    OpKind::Atan2,
    OpKind::Sinh,
    OpKind::Cosh,
    OpKind::Tanh,
    OpKind::Erf,
];
/// The types that floats have formulas in.
pub const TYPES: [Type; 4] = [Type::Bf16, Type::F16, Type::F32, Type::F64];

/// The ops on floats that have a formula without any error.
pub const EXACT: [OpKind; 7] = [
    OpKind::Floor,
    OpKind::Ceil,
    OpKind::Trunc,
    OpKind::Round,
    OpKind::Roundeven,
    OpKind::Copysign,
    OpKind::Fma,
];
/// The casts that have one, from a type to another.
pub const CASTS: [(OpKind, Type, Type); 14] = cast::ALL;

/// All ops with a formula, each with the types of its operands and its result.
pub fn all() -> Vec<(OpKind, Type, Type)> {
    let of = |kinds: &[OpKind], types: &[Type]| -> Vec<_> {
        kinds.iter().flat_map(|&kind| types.iter().map(move |&ty| (kind, ty, ty))).collect()
    };
    let mut all = of(&KINDS, &TYPES);
    all.extend(of(&EXACT, &TYPES));
    // There is no type of twice the digits.
    all.retain(|&op| op != (OpKind::Fma, Type::F64, Type::F64));
    all.extend(CASTS);
    all.extend(of(&[OpKind::Remf], &TYPES));
    all
}

/// How many operands such an op has.
pub fn operands(kind: OpKind) -> usize {
    match kind {
        OpKind::Powf | OpKind::Atan2 | OpKind::Copysign | OpKind::Remf => 2,
        OpKind::Fma => 3,
        _ => 1,
    }
}

/// Writes each of the ops down by its formula.
pub fn run(func: &mut Func, ops: &[(OpKind, Type, Type)]) {
    let mut changes = Changes::default();
    for op in edit::walk(func) {
        changes.resolve(func, op);
        let Some(wanted) = named(func, func.op(op)).filter(|wanted| ops.contains(wanted)) else { continue };
        let (operands, result) = (func.op(op).operands.clone(), func.result(op, 0));
        let mut at = InsertionPoint::new(func, op);
        let value = match wanted {
            (OpKind::Remf, ty, _) => Some(remainder::write(&mut at, ty, &operands)),
            _ => formula(&mut at, wanted, &operands),
        };
        let Some(value) = value else { continue };
        let made = at.made;
        func.values[value.0 as usize].name = func.value(result).name.clone();
        changes.insert_before(op, made);
        changes.replace(result, value);
        changes.erase(op);
    }
    changes.apply(func);
}

/// Whether none of the ops is there.
pub fn holds(func: &Func, ops: &[(OpKind, Type, Type)]) -> bool {
    let named = |op| named(func, func.op(op));
    edit::walk(func).into_iter().filter_map(named).all(|op| !ops.contains(&op))
}

fn named(func: &Func, op: &Operation) -> Option<(OpKind, Type, Type)> {
    match op.kind {
        Kind::Scalar(Op::Plain(kind)) => {
            let [from, to] = [op.operands.first()?, op.results.first()?].map(|&v| func.ty(v).scalar());
            Some((kind, from?, to?))
        }
        _ => None,
    }
}

impl Calculator for InsertionPoint<'_> {
    type Value = ValueId;

    fn literal(&mut self, bits: u64, ty: Type) -> ValueId {
        self.constant(bits, ty)
    }

    fn op(&mut self, op: Op, operands: &[ValueId], ty: Type) -> ValueId {
        self.scalar(op, operands, ty)
    }
}

/// Takes the steps of an op's formula; `None` when it has none, or one with a loop: `arith.remf`'s.
#[inline(always)]
pub fn formula<C: Calculator>(
    calculator: &mut C,
    (kind, from, ty): (OpKind, Type, Type),
    operands: &[C::Value],
) -> Option<C::Value> {
    if CASTS.contains(&(kind, from, ty)) {
        return Some(cast::value(&mut Pen(calculator), kind, from, ty, operands[0]));
    }
    let is_exact = EXACT.contains(&kind);
    match (kind, ty) {
        (OpKind::Copysign, _) if ty.is_float() => {
            return Some(exact::sign_of(&mut Pen(calculator), ty, operands[0], operands[1]));
        }
        (OpKind::Fma, Type::Bf16 | Type::F16 | Type::F32) => {
            return Some(exact::product_and_sum(&mut Pen(calculator), ty, operands));
        }
        (OpKind::Fma, _) => return None,
        (_, Type::F64) if is_exact => {
            return Some(exact::whole(&mut Pen(calculator), kind, ty, operands[0]));
        }
        _ if !TYPES.contains(&ty) || !(is_exact || KINDS.contains(&kind)) => return None,
        (_, Type::F64) => return Some(double::value(&mut Pen(calculator), kind, operands)),
        (_, Type::F32) => return Some(single(&mut Pen(calculator), kind, operands)),
        _ => {}
    }
    let wide: Vec<C::Value> =
        operands.iter().map(|&v| calculator.op(Op::Plain(OpKind::Extf), &[v], Type::F32)).collect();
    let value = single(&mut Pen(calculator), kind, &wide);
    Some(calculator.op(Op::Plain(OpKind::Truncf), &[value], ty))
}

/// The formula in single precision.
#[inline(always)]
fn single<C: Calculator>(pen: &mut Pen<C>, kind: OpKind, operands: &[C::Value]) -> C::Value {
    let x = operands[0];
    match kind {
        OpKind::Exp => power::single(pen, x, std::f64::consts::LOG2_E),
        OpKind::Exp2 => power::single(pen, x, 1.0),
        OpKind::Expm1 => hyperbolic::less_one(pen, x),
        OpKind::Log => log::single(pen, x, &log::NATURAL),
        OpKind::Log2 => log::single(pen, x, &log::BINARY),
        OpKind::Log10 => log::single(pen, x, &log::DECIMAL),
        OpKind::Log1p => log::one_more(pen, x),
        OpKind::Powf => pow::single(pen, x, operands[1]),
        OpKind::Cbrt => root::cube(pen, x),
        OpKind::Sin => turn::sine(pen, x),
        OpKind::Cos => turn::cosine(pen, x),
        OpKind::Tan => turn::tangent(pen, x),
        OpKind::Asin => arc::sine(pen, x),
        OpKind::Acos => arc::cosine(pen, x),
        OpKind::Atan => arc::tangent(pen, x),
        OpKind::Atan2 => arc::coordinates(pen, x, operands[1]),
        OpKind::Sinh => hyperbolic::sine(pen, x),
        OpKind::Cosh => hyperbolic::cosine(pen, x),
        OpKind::Tanh => tanh::single(pen, x),
        OpKind::Erf => erf::single(pen, x),
        kind => exact::whole(pen, kind, Type::F32, x),
    }
}

/// Notes what units a formula asks for.
#[derive(Default)]
struct WantedUnits {
    wanted: BTreeMap<(OpKind, Vec<Type>, Type), Op>,
}

impl Calculator for WantedUnits {
    type Value = Type;

    fn literal(&mut self, _: u64, ty: Type) -> Type {
        ty
    }

    fn op(&mut self, op: Op, operands: &[Type], ty: Type) -> Type {
        // The same bits on the same channel: no unit.
        if op.kind() != OpKind::Bitcast {
            self.wanted.insert((op.kind(), operands.to_vec(), ty), op);
        }
        ty
    }
}

/// The ops of a formula with the types of their operands and results, each once; none of an op that has no formula.
pub fn units(op: (OpKind, Type, Type)) -> Vec<(Op, Vec<Type>, Type)> {
    if op.0 == OpKind::Remf {
        return remainder::units(op.1);
    }
    let mut units = WantedUnits::default();
    formula(&mut units, op, &vec![op.1; operands(op.0)]);
    units.wanted.into_iter().map(|((_, operands, result), op)| (op, operands, result)).collect()
}
