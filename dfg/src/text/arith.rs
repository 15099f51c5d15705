//! The pretty syntax of `arith` and `math` ops, which graphs and structured programs have in common.
//!
//! [`read`] takes what stands behind an op's name: predicate, operands, flags, attributes and types, in the order that the
//! op's form says. What a value, a type and an attribute are, and the codes of problems, is the [`Reader`]'s.
//!
//! Refused: roundings other than to nearest, ties to even. `fastmath` is an allowance that nobody takes; of the other
//! flags only `nsw` says something that is used.

use crate::op::Form;
use crate::{FloatPredicate, Op, OpKind, Predicate, Type};
use loom_base::{Code, Diagnostic};
use loom_mlir::Cursor;
use std::ops::{DerefMut, Range};

/// A parser of MLIR text that has such ops.
pub trait Reader<'t>: DerefMut<Target = Cursor<'t>> {
    /// A use of a value.
    type Operand;
    /// The type of a value.
    type Type: Clone + From<Type>;
    /// A problem that has been reported.
    type Failed;
    /// Code of a word that is no predicate.
    const PREDICATE: Code;
    /// Code of a rounding that is refused.
    const ROUNDING: Code;

    /// Reports a problem.
    fn fail<T>(&mut self, d: Diagnostic) -> Result<T, Self::Failed>;
    /// Reports that something else was expected here.
    fn unexpected<T>(&mut self, wanted: &str) -> Result<T, Self::Failed>;
    /// `%a, %b`, at least one.
    fn operands(&mut self) -> Result<Vec<Self::Operand>, Self::Failed>;
    /// `{...}` if it is there.
    fn skip_attributes(&mut self) -> Result<(), Self::Failed>;
    /// The type of any value.
    fn value_type(&mut self) -> Result<Self::Type, Self::Failed>;
    /// The type of a scalar.
    fn scalar_type(&mut self) -> Result<Type, Self::Failed>;
}

/// An op as its text has it. The number of operands is not checked: there is a type for each that the op takes.
pub struct WrittenOp<Operand, Type> {
    /// The op, with its predicate.
    pub op: Op,
    /// What stands as operands.
    pub operands: Vec<Operand>,
    /// The operands' types.
    pub operand_types: Vec<Type>,
    /// The result's type.
    pub result_type: Type,
    /// Whether `overflow<nsw>` says that the result does not wrap.
    pub nsw: bool,
}

/// Reads an op of class `Arith`; the cursor is behind its name.
pub fn read<'t, R: Reader<'t>>(r: &mut R, kind: OpKind) -> Result<WrittenOp<R::Operand, R::Type>, R::Failed> {
    let form = kind.form();
    let compares = matches!(form, Form::IntCompare(_) | Form::FloatCompare(_));
    let op = if compares { predicate(r, kind, kind.mnemonic())? } else { Op::Plain(kind) };
    if compares && !r.eat(b',') {
        return r.unexpected("`,` after the predicate");
    }
    let operands = r.operands()?;
    let nsw = flags(r, !compares && !matches!(form, Form::Choice(_)))?;
    r.skip_attributes()?;
    if !r.eat(b':') {
        return r.unexpected("`:` and the type");
    }
    if let Form::Choice(_) = form {
        // `select %c, %a, %b : T`, or `: i1, T`.
        let (mut condition, mut ty) = (Type::I1.into(), r.value_type()?);
        if r.eat(b',') {
            condition = std::mem::replace(&mut ty, r.value_type()?);
        }
        let operand_types = vec![condition, ty.clone(), ty.clone()];
        return Ok(WrittenOp { op, operands, operand_types, result_type: ty, nsw });
    }
    let from = r.scalar_type()?;
    let to = match form {
        Form::Cast(_) if !r.eat_word("to") => return r.unexpected("`to` and the result's type"),
        Form::Cast(_) => r.scalar_type()?,
        _ if compares => Type::I1,
        _ => from,
    };
    let operand_types = vec![from.into(); kind.operand_count()];
    Ok(WrittenOp { op, operands, operand_types, result_type: to.into(), nsw })
}

/// The predicate of a comparison, here called `name`.
pub fn predicate<'t, R: Reader<'t>>(r: &mut R, kind: OpKind, name: &str) -> Result<Op, R::Failed> {
    let (op, allowed) = match kind {
        OpKind::Cmpf => (FloatPredicate::parse(r.word()).map(Op::Cmpf), FloatPredicate::TEXTS.join(", ")),
        _ => (Predicate::parse(r.word()).map(Op::Cmpi), Predicate::ALL.map(Predicate::text).join(", ")),
    };
    match op {
        Some(op) => {
            r.advance();
            Ok(op)
        }
        None => {
            let message = format!("{} is no predicate of `{name}`", r.found());
            let d = Diagnostic::error(R::PREDICATE, message).at(r.span(), "");
            r.fail(d.help(format!("predicates are {allowed}")))
        }
    }
}

/// What may stand behind the operands. Gives whether the result is said not to wrap, which only `computes` can say.
fn flags<'t, R: Reader<'t>>(r: &mut R, computes: bool) -> Result<bool, R::Failed> {
    let mut nsw = false;
    loop {
        match r.word() {
            "fastmath" => {
                r.advance();
                if !r.is(b'<') {
                    return r.unexpected("`<` of the flags");
                }
                r.skip_balanced();
            }
            "overflow" if computes => {
                r.advance();
                if !r.eat(b'<') {
                    return r.unexpected("`<` of the flags");
                }
                loop {
                    match r.word() {
                        "nsw" => nsw = true,
                        "nuw" | "none" => {}
                        _ => return r.unexpected("`nsw`, `nuw` or `none`"),
                    }
                    r.advance();
                    if !r.eat(b',') {
                        break;
                    }
                }
                if !r.eat(b'>') {
                    return r.unexpected("`>` after the flags");
                }
            }
            "exact" | "nneg" | "disjoint" | "to_nearest_even" if computes => drop(r.advance()),
            "downward" | "upward" | "toward_zero" | "to_nearest_away" => {
                return r.fail(other_rounding(R::ROUNDING, r.span()));
            }
            _ => return Ok(nsw),
        }
    }
}

/// A rounding that is refused, wherever it stands.
pub fn other_rounding(code: Code, span: Range<usize>) -> Diagnostic {
    Diagnostic::error(code, "another rounding than `to_nearest_even` is not supported")
        .at(span, "")
        .help("leave the rounding mode out")
}
