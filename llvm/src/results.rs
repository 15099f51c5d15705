//! What a function returns as numbers: itself, or the parts of the struct or vector that small structs are returned in.

use crate::program::{Function, Id};
use crate::types::Ty;
use loom_dfg::Type;

/// Numbers that a function returns at most: more than C returns in registers.
const MOST: usize = 64;

/// A part of what is returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Value(Id),
    /// Nobody gave it a value.
    Unset(Type),
}

/// The types of the numbers; `None` where there is something else among them.
pub(crate) fn types(ty: &Ty) -> Option<Vec<Type>> {
    match ty {
        Ty::Void => Some(Vec::new()),
        Ty::Struct { fields, .. } => {
            let parts = fields.iter().map(types).collect::<Option<Vec<_>>>()?.concat();
            (parts.len() <= MOST).then_some(parts)
        }
        Ty::Vector(n, element) if *n <= MOST as u64 => Some(types(element)?.repeat(*n as usize)),
        _ => ty.scalar().map(|scalar| vec![scalar]),
    }
}

/// The numbers of a value in the same order; `None` where the value was not put together from them.
pub(crate) fn parts(function: &Function, id: Id) -> Option<Vec<Part>> {
    let members: Vec<&Ty> = match function.ty(id) {
        Ty::Struct { fields, .. } => fields.iter().collect(),
        Ty::Vector(n, element) if *n <= MOST as u64 => vec![&**element; *n as usize],
        ty => return ty.scalar().map(|_| vec![Part::Value(id)]),
    };
    // The last one that was put in counts.
    let mut put: Vec<Option<Id>> = vec![None; members.len()];
    let mut at = id;
    loop {
        let inst = function.inst(at)?;
        let (member, value) = match inst.name() {
            "insertvalue" => match inst.op.integers("position") {
                [position] => (*position, inst.operands[1]),
                _ => return None,
            },
            "insertelement" => (function.constant(inst.operands[2])?, inst.operands[1]),
            "mlir.undef" | "mlir.poison" => break,
            _ => return None,
        };
        put.get_mut(usize::try_from(member).ok()?)?.get_or_insert(value);
        at = inst.operands[0];
    }
    let part = |(member, value): (&&Ty, &Option<Id>)| match value {
        Some(value) => parts(function, *value),
        None => Some(types(member)?.into_iter().map(Part::Unset).collect()),
    };
    members.iter().zip(&put).map(part).collect::<Option<Vec<_>>>().map(|l| l.concat())
}
