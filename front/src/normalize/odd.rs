//! Integers of widths that no unit has (`i24`, `i48`) as 32 or 64 bits, of which the low ones count.
//!
//! Padding of structs, bit-fields and `_BitInt` give such numbers. What is above their width is anything, so sums, products, masks, choices,
//! and whatever loops and ifs hand on, stay as they are; a cast from them clears it or fills it with copies of the sign. What knows
//! the width otherwise (arguments, results, words of memory) keeps the type, with casts.

use crate::edit::{self, Changes, InsertionPoint};
use crate::ir::{Func, Kind, OpId, ValueId, ValueType};
use loom_dfg::{Op, OpKind, Type};

/// The width that a number of an odd width is kept in.
fn wide(ty: Type) -> Option<Type> {
    match ty {
        Type::Int(1 | 8 | 16 | 32 | 64) => None,
        Type::Int(..32) => Some(Type::I32),
        Type::Int(_) => Some(Type::Int(64)),
        _ => None,
    }
}

/// Takes every such number for a wider one.
pub fn run(func: &mut Func) {
    let ops = edit::walk(func);
    let given: Vec<Option<Type>> = func.values.iter().map(|v| v.ty.scalar()).collect();
    let mut kept = vec![false; given.len()];
    func.arguments().iter().for_each(|v| kept[v.0 as usize] = true);
    for op in ops.iter().map(|&op| func.op(op)).filter(|op| !is_free(&op.kind)) {
        op.results.iter().for_each(|v| kept[v.0 as usize] = true);
    }
    let mut found = false;
    for (value, kept) in func.values.iter_mut().zip(&kept) {
        if let (Some(ty), false) = (value.ty.scalar().and_then(wide), kept) {
            value.ty = ValueType::Scalar(ty);
            found = true;
        }
    }
    // One that is kept counts only where something else would be made of it.
    if !found && !ops.iter().any(|&op| func.op(op).operands.iter().any(|v| kept_odd(func, *v))) {
        return;
    }
    let mut changes = Changes::default();
    for op in ops {
        let before = func.op(op).operands.clone();
        changes.resolve(func, op);
        rewrite(func, (op, &before), &given, &mut changes);
    }
    changes.apply(func);
}

fn kept_odd(func: &Func, value: ValueId) -> bool {
    func.ty(value).scalar().is_some_and(|ty| wide(ty).is_some())
}

/// Whether an op can as well have operands and results that are wider, or is a cast, which is made anew.
fn is_free(kind: &Kind) -> bool {
    use OpKind::{Addi, Andi, Extsi, Extui, IndexCast, IndexCastui, Muli, Ori, Select, Subi, Trunci, Xori};
    match kind {
        Kind::Scalar(Op::Plain(kind)) => matches!(
            kind,
            Addi | Subi
                | Muli
                | Andi
                | Ori
                | Xori
                | Select
                | Extui
                | Extsi
                | Trunci
                | IndexCast
                | IndexCastui
        ),
        Kind::Constant(_) | Kind::Poison | Kind::If | Kind::While | Kind::For { .. } => true,
        Kind::Yield | Kind::Condition => true,
        _ => false,
    }
}

/// Makes an op use wider numbers. `before` is what it used, which knows the types.
fn rewrite(func: &mut Func, (op, before): (OpId, &[ValueId]), given: &[Option<Type>], changes: &mut Changes) {
    let type_of = |v: &ValueId| given.get(v.0 as usize).copied().flatten();
    let record = func.op(op);
    let (operands, results) = (record.operands.clone(), record.results.clone());
    if !before.iter().chain(&results).any(|v| type_of(v).and_then(wide).is_some()) {
        return;
    }
    let (kind, free) = (record.kind.clone(), is_free(&record.kind));
    let mut at = InsertionPoint::new(func, op);
    let mut now = Vec::new();
    for (&v, was) in operands.iter().zip(before) {
        let is = at.func.ty(v).scalar();
        now.push(match (free, is, type_of(was)) {
            (true, Some(ty), _) if wide(ty).is_some() => {
                at.scalar(Op::Plain(OpKind::Extui), &[v], wide(ty).expect("it was asked"))
            }
            (false, Some(ty), Some(was)) if ty != was => at.scalar(Op::Plain(OpKind::Trunci), &[v], was),
            _ => v,
        });
    }
    if let (Kind::Scalar(Op::Plain(cast)), [v], [result]) = (&kind, &now[..], &results[..]) {
        let (from, to) = (type_of(&before[0]), at.func.ty(*result).scalar());
        if let (Some(from), Some(to)) = (from, to) {
            if let Some(value) = cast_anew(&mut at, *cast, *v, from, to) {
                let made = at.made;
                changes.insert_before(op, made);
                changes.replace(*result, value);
                changes.erase(op);
                return;
            }
        }
    }
    let made = at.made;
    changes.insert_before(op, made);
    let record = func.op_mut(op);
    record.operands = now;
    // A wider sum may well leave the range: what is above the width is anything.
    record.nsw = false;
}

/// A cast of a value that was of one type, to what is another now; `None` of an op that is no cast between integers.
fn cast_anew(at: &mut InsertionPoint, kind: OpKind, v: ValueId, from: Type, to: Type) -> Option<ValueId> {
    let is = at.func.ty(v).scalar()?;
    let (bits, width) = (from.width(64), is.width(64));
    let v = match kind {
        OpKind::Trunci => v,
        _ if bits == width => v,
        OpKind::Extui | OpKind::IndexCastui => {
            let mask = at.constant((1 << bits) - 1, is);
            at.scalar(Op::Plain(OpKind::Andi), &[v, mask], is)
        }
        OpKind::Extsi | OpKind::IndexCast => {
            let amount = at.constant((width - bits).into(), is);
            let up = at.scalar(Op::Plain(OpKind::Shli), &[v, amount], is);
            at.scalar(Op::Plain(OpKind::Shrsi), &[up, amount], is)
        }
        _ => return None,
    };
    // What is kept in wider words than it is cast to is cut, and the other way round.
    let kind = match (is, to) {
        (Type::Int(_), Type::Int(n)) if u32::from(n) < width => OpKind::Trunci,
        (Type::Int(_), Type::Int(n)) if u32::from(n) > width && kind == OpKind::Trunci => OpKind::Extui,
        _ => kind,
    };
    Some(if to == is { v } else { at.scalar(Op::Plain(kind), &[v], to) })
}
