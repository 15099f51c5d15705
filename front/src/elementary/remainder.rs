//! `arith.remf`, exactly: the one formula with a loop, which takes as many rounds as exponents differ by elevens.
//!
//! It is a program in double precision, whose body takes the op's place as that of a function that is called would. The remainder of
//! narrower floats is one of doubles, and is their own type's.

use crate::edit::InsertionPoint;
use crate::inline;
use crate::ir::{Func, Kind, ValueId, ValueType};
use crate::text::parse;
use loom_base::Source;
use loom_dfg::{Op, OpKind, Type};
use std::sync::LazyLock;

static BODY: LazyLock<Func> = LazyLock::new(|| {
    let text = include_str!("remainder.scf.mlir");
    let program = parse(&Source::new("remainder.scf.mlir", text)).expect("it is checked by tests");
    let mut func = program.func("remainder").expect("it is there").clone();
    // No place in a file that users have.
    func.ops.iter_mut().for_each(|op| op.span = None);
    func
});

/// The types between one and doubles: what it is extended to in turn.
fn wider(ty: Type) -> &'static [Type] {
    match ty {
        Type::F64 => &[],
        Type::F32 => &[Type::F64],
        _ => &[Type::F32, Type::F64],
    }
}

/// Writes the remainder of two floats of a type.
pub fn write(at: &mut InsertionPoint, ty: Type, operands: &[ValueId]) -> ValueId {
    let wide: Vec<ValueId> = (operands.iter())
        .map(|&v| wider(ty).iter().fold(v, |v, &to| at.scalar(Op::Plain(OpKind::Extf), &[v], to)))
        .collect();
    let (ops, results) = inline::copy(&BODY, at.func, &wide);
    at.made.extend(ops);
    let narrower = wider(ty).iter().rev().skip(1).chain([&ty]);
    match ty {
        Type::F64 => results[0],
        _ => narrower.fold(results[0], |v, &to| at.scalar(Op::Plain(OpKind::Truncf), &[v], to)),
    }
}

/// The ops with the types of operands and results, and the conversions around them.
pub fn units(ty: Type) -> Vec<(Op, Vec<Type>, Type)> {
    let of = |v: ValueId| match BODY.ty(v) {
        ValueType::Scalar(ty) => Some(*ty),
        _ => None,
    };
    let mut units = Vec::new();
    for record in &BODY.ops {
        let Kind::Scalar(op) = record.kind else { continue };
        if op.kind() == OpKind::Bitcast {
            continue;
        }
        let operands: Option<Vec<Type>> = record.operands.iter().map(|&v| of(v)).collect();
        let (Some(operands), Some(result)) = (operands, of(record.results[0])) else { continue };
        units.push((op, operands, result));
    }
    let mut from = ty;
    for &to in wider(ty) {
        units.push((Op::Plain(OpKind::Extf), vec![from], to));
        units.push((Op::Plain(OpKind::Truncf), vec![to], from));
        from = to;
    }
    units
}
