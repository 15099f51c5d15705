//! What each operation of a function has: operands, results, successors and attributes, by number and type.
//!
//! All of it holds in what mlir-translate writes. Everything behind this file relies on it: it takes operands by their number, and
//! follows definitions backwards, which ends because definitions come before their uses. Text that somebody has changed is refused
//! here, with the operation and its place. Vectors and types without a name here may stand everywhere: the conversion refuses them
//! in the user's words.

use crate::convert::op_of;
use crate::dominance::Dominators;
use crate::places::Places;
use crate::program::{Function, Id, Inst};
use crate::text::Attr;
use crate::types::Ty;
use loom_base::Diagnostics;
use loom_dfg::Type;

/// What an operand or a result has to be.
#[derive(Clone, Copy)]
enum Is {
    Pointer,
    Integer,
    Bits(u32),
    Any,
}

use Is::{Any, Bits, Integer, Pointer};

impl Is {
    fn holds(self, ty: &Ty) -> bool {
        match (self, ty) {
            (_, Ty::Other(_)) | (Any, _) => true,
            (_, Ty::Vector(_, element)) => self.holds(element),
            (Pointer, _) => *ty == Ty::Ptr,
            (Integer, _) => matches!(ty, Ty::Int(_)),
            (Bits(bits), _) => *ty == Ty::Int(bits),
        }
    }

    fn text(self) -> String {
        match self {
            Pointer => "a pointer".into(),
            Integer => "an integer".into(),
            Bits(bits) => format!("i{bits}"),
            Any => "a value".into(),
        }
    }
}

/// An attribute that has to be there.
#[derive(Clone, Copy)]
enum Has {
    Nothing,
    Type(&'static str),
    Symbol(&'static str),
    /// Of any form.
    Some(&'static str),
    /// A number below.
    Below(&'static str, i64),
    /// At least one position.
    Positions(&'static str),
}

/// An operation: its name, operands, result, how many successors it has at least, and an attribute.
struct Row(&'static [&'static str], &'static [Is], Option<Is>, usize, Has);

/// Those that are no op of the table of ops, where that says what they take.
const ROWS: &[Row] = &[
    Row(&["mlir.constant"], &[], Some(Any), 0, Has::Some("value")),
    Row(&["mlir.zero", "mlir.undef", "mlir.poison"], &[], Some(Any), 0, Has::Nothing),
    Row(&["mlir.addressof"], &[], Some(Pointer), 0, Has::Symbol("global_name")),
    Row(&["alloca"], &[Integer], Some(Pointer), 0, Has::Type("elem_type")),
    Row(&["load"], &[Pointer], Some(Any), 0, Has::Nothing),
    Row(&["store"], &[Any, Pointer], None, 0, Has::Nothing),
    Row(&["ptrtoint"], &[Pointer], Some(Integer), 0, Has::Nothing),
    Row(&["inttoptr"], &[Integer], Some(Pointer), 0, Has::Nothing),
    Row(&["icmp"], &[Any, Any], Some(Bits(1)), 0, Has::Below("predicate", 10)),
    Row(&["fcmp"], &[Any, Any], Some(Bits(1)), 0, Has::Below("predicate", 16)),
    Row(&["select"], &[Bits(1), Any, Any], Some(Any), 0, Has::Nothing),
    Row(&["fneg", "freeze", "intr.ssa.copy"], &[Any], Some(Any), 0, Has::Nothing),
    Row(&["extractvalue"], &[Any], Some(Any), 0, Has::Positions("position")),
    Row(&["insertvalue"], &[Any, Any], Some(Any), 0, Has::Positions("position")),
    Row(&["extractelement"], &[Any, Integer], Some(Any), 0, Has::Nothing),
    Row(&["insertelement"], &[Any, Any, Integer], Some(Any), 0, Has::Nothing),
    Row(&["br"], &[], None, 1, Has::Nothing),
    Row(&["cond_br"], &[Bits(1)], None, 2, Has::Nothing),
    Row(&["switch"], &[Integer], None, 1, Has::Nothing),
    Row(&["unreachable"], &[], None, 0, Has::Nothing),
    Row(&["intr.memcpy", "intr.memmove"], &[Pointer, Pointer, Integer], None, 0, Has::Nothing),
    Row(&["intr.memcpy.inline"], &[Pointer, Pointer], None, 0, Has::Some("len")),
    Row(&["intr.memset"], &[Pointer, Bits(8), Integer], None, 0, Has::Nothing),
    Row(&["intr.abs", "intr.ctlz", "intr.cttz", "intr.bswap"], &[Integer], Some(Integer), 0, Has::Nothing),
    Row(
        &["intr.expect", "intr.expect.with.probability"],
        &[Integer, Integer],
        Some(Integer),
        0,
        Has::Nothing,
    ),
    Row(&["intr.is.fpclass"], &[Any], Some(Bits(1)), 0, Has::Below("bit", 1024)),
    Row(&["intr.is.constant"], &[Any], Some(Bits(1)), 0, Has::Nothing),
    Row(&["intr.objectsize"], &[Pointer], Some(Integer), 0, Has::Nothing),
    Row(&["intr.fmuladd"], &[Any, Any, Any], Some(Any), 0, Has::Nothing),
    Row(&["intr.fshl", "intr.fshr"], &[Integer, Integer, Integer], Some(Integer), 0, Has::Nothing),
    Row(&["intr.powi"], &[Any, Integer], Some(Any), 0, Has::Nothing),
    Row(
        &["intr.uadd.sat", "intr.usub.sat", "intr.sadd.sat", "intr.ssub.sat"],
        &[Integer, Integer],
        Some(Integer),
        0,
        Has::Nothing,
    ),
    Row(
        &[
            "intr.sadd.with.overflow",
            "intr.uadd.with.overflow",
            "intr.ssub.with.overflow",
            "intr.usub.with.overflow",
            "intr.smul.with.overflow",
            "intr.umul.with.overflow",
        ],
        &[Integer, Integer],
        Some(Any),
        0,
        Has::Nothing,
    ),
];

/// Operations that end a block.
const TERMINATORS: &[&str] =
    &["br", "cond_br", "switch", "return", "unreachable", "invoke", "resume", "indirectbr"];

/// What is wrong with a function, one error for each operation.
pub(crate) fn check(function: &Function, places: &Places) -> Result<(), Diagnostics> {
    let mut errors = Diagnostics::new();
    let mut say = |place, why: String| errors.push(places.not_understood(place, &why));
    if let Err(why) = entry(function) {
        say(function.place.as_ref(), why);
    }
    for block in &function.blocks {
        let ends = |&i: &usize| TERMINATORS.contains(&function.insts[i].name());
        let Some((last, before)) = block.insts.split_last().filter(|(last, _)| ends(last)) else {
            say(function.place.as_ref(), "a block does not end with a jump or a return".into());
            continue;
        };
        for &i in before.iter().chain([last]) {
            let inst = &function.insts[i];
            let jumps = i != *last && (ends(&i) || !inst.op.successors.is_empty());
            let wrong = match jumps {
                true => Err("is not the last of its block".into()),
                false => operation(function, inst),
            };
            if let Err(why) = wrong {
                say(inst.place(), format!("`{}` {why}", inst.op.name));
            }
        }
    }
    if errors.is_empty() {
        let dominators = Dominators::new(function);
        for i in function.reached() {
            let inst = &function.insts[i];
            let given = inst.successors.iter().flat_map(|(_, given)| given);
            let early = |&&id: &&Id| !dominators.defines_before(function, id, i);
            if inst.operands.iter().chain(given).any(|id| early(&id)) {
                let why = format!("`{}` uses what is not defined on every way to it", inst.op.name);
                errors.push(places.not_understood(inst.place(), &why));
            }
        }
    }
    match errors.is_empty() {
        true => Ok(()),
        false => Err(errors),
    }
}

type Checked = Result<(), String>;

fn need(holds: bool, why: impl FnOnce() -> String) -> Checked {
    match holds {
        true => Ok(()),
        false => Err(why()),
    }
}

/// The entry has the function's arguments, and nothing jumps there.
fn entry(function: &Function) -> Checked {
    let Some(entry) = function.blocks.first() else { return Err("a function has no blocks".into()) };
    let types: Vec<&Ty> = entry.arguments.iter().map(|&id| function.ty(id)).collect();
    need(types == function.parameters.iter().collect::<Vec<_>>(), || {
        "the first block has other arguments than the function".into()
    })?;
    let jumps = function.insts.iter().flat_map(|i| &i.successors);
    need(jumps.into_iter().all(|(to, _)| *to != 0), || "a jump leads to the first block".into())
}

fn operation(function: &Function, inst: &Inst) -> Checked {
    stated(function, inst)?;
    let name = inst.name();
    let types: Vec<&Ty> = inst.operands.iter().map(|&id| function.ty(id)).collect();
    let result = inst.result.map(|id| function.ty(id));
    if let Some(kind) = op_of(name) {
        count("operand", kind.operand_count(), types.len())?;
        count("result", 1, usize::from(result.is_some()))?;
        let scalars = |types: &[&Ty]| types.iter().map(|ty| ty.scalar()).collect::<Option<Vec<Type>>>();
        let result: Vec<&Ty> = result.into_iter().collect();
        // Others are refused in the user's words.
        return match (scalars(&types), scalars(&result)) {
            (Some(operands), Some(result)) => {
                kind.check_types(&operands, &result).map_err(|why| format!("has other types: {why}"))
            }
            _ => Ok(()),
        };
    }
    if let Some(Row(_, operands, gives, successors, has)) = ROWS.iter().find(|row| row.0.contains(&name)) {
        count("operand", operands.len(), types.len())?;
        for (i, (is, ty)) in operands.iter().zip(&types).enumerate() {
            need(is.holds(ty), || format!("has `{}` as operand {i}, it takes {}", ty.describe(), is.text()))?;
        }
        count("result", usize::from(gives.is_some()), usize::from(result.is_some()))?;
        if let Some((is, ty)) = gives.zip(result) {
            need(is.holds(ty), || format!("gives `{}`, it would be {}", ty.describe(), is.text()))?;
        }
        let number = inst.op.successors.len();
        need(number == *successors || (name == "switch" && number > 1), || {
            format!("has {number} successors")
        })?;
        attribute(inst, *has)?;
    }
    relation(function, inst, &types, result)?;
    jumps(function, inst)
}

/// What the text says of the types of operands and results is true of them; no operation has two results.
fn stated(function: &Function, inst: &Inst) -> Checked {
    let op = &inst.op;
    count("type of operands", op.operands.len(), op.operand_types.len())?;
    count("type of results", op.results.len(), op.result_types.len())?;
    need(op.results.len() <= 1, || format!("has {} results", op.results.len()))?;
    let given = inst.successors.iter().flat_map(|(_, given)| given);
    let used = inst.operands.iter().chain(given);
    need(used.zip(&op.operand_types).all(|(&id, ty)| function.ty(id) == ty), || {
        "has operands of other types than it says".into()
    })
}

fn count(what: &str, wanted: usize, found: usize) -> Checked {
    need(wanted == found, || {
        let plural = if found == 1 { "" } else { "s" };
        match what.split_once(' ') {
            Some((head, tail)) => format!("has {found} {head}{plural} {tail}, {wanted} belong there"),
            None => format!("has {found} {what}{plural}, {wanted} belong there"),
        }
    })
}

fn attribute(inst: &Inst, has: Has) -> Checked {
    let (there, name) = match has {
        Has::Nothing => return Ok(()),
        Has::Type(name) => (inst.op.ty(name).is_some(), name),
        Has::Symbol(name) => (inst.op.symbol(name).is_some(), name),
        Has::Some(name) => (inst.op.attribute(name).is_some(), name),
        Has::Below(name, end) => (inst.op.integer(name).is_some_and(|n| (0..end).contains(&n)), name),
        Has::Positions(name) => {
            let positions = inst.op.integers(name);
            (!positions.is_empty() && positions.iter().all(|p| *p >= 0), name)
        }
    };
    need(there, || format!("has no `{name}` that is understood"))
}

/// What holds between operands and result.
fn relation(function: &Function, inst: &Inst, types: &[&Ty], result: Option<&Ty>) -> Checked {
    let same = |list: &[&Ty]| {
        need(list.windows(2).all(|pair| pair[0] == pair[1]), || {
            "has different types where one belongs".into()
        })
    };
    // Behind a row, which has counted; the others have no rule here.
    match (inst.name(), types, result) {
        ("icmp", [a, b], _) => {
            same(&[a, b])?;
            need(Pointer.holds(a) || Integer.holds(a), || "compares neither integers nor pointers".into())
        }
        ("fcmp", [a, b], _) => {
            same(&[a, b])?;
            float(a)
        }
        ("select", [_, a, b], Some(ty)) => same(&[a, b, ty]),
        ("freeze" | "intr.ssa.copy", [a], Some(ty)) => same(&[a, ty]),
        ("fneg", [a], Some(ty)) => same(&[a, ty]).and(float(a)),
        ("intr.fmuladd", [a, b, c], Some(ty)) => same(&[a, b, c, ty]).and(float(a)),
        ("intr.is.fpclass", [a], _) => float(a),
        ("intr.powi", [a, _], Some(ty)) => same(&[a, ty]).and(float(a)),
        ("extractvalue", [a], Some(ty)) => same(&[member(a, inst)?, ty]),
        ("insertvalue", [a, part], Some(ty)) => same(&[a, ty]).and(same(&[member(a, inst)?, part])),
        ("insertelement", [Ty::Vector(n, element), part, _], Some(ty)) => {
            same(&[part, element])?;
            same(&[&Ty::Vector(*n, element.clone()), ty])
        }
        ("insertelement", [a, ..], Some(ty)) => same(&[a, ty]),
        ("getelementptr", _, _) => address(inst, types, result),
        ("return", _, _) => returned(function, types),
        ("switch", [ty], _) => cases(inst, ty),
        (name, _, Some(ty)) if name.starts_with("intr.") && name.ends_with(".with.overflow") => {
            let pair =
                matches!(ty, Ty::Struct { fields, .. } if fields[..] == [types[0].clone(), Ty::Int(1)]);
            need(pair, || "gives something else than a number and a bit".into()).and(same(types))
        }
        (name, _, Some(ty)) if ROWS.iter().any(|row| name.starts_with("intr.") && row.0.contains(&name)) => {
            let numbers = !matches!(name, "intr.is.constant" | "intr.objectsize");
            same(&types.iter().copied().chain([ty]).filter(|_| numbers).collect::<Vec<_>>())
        }
        _ => Ok(()),
    }
}

fn float(ty: &Ty) -> Checked {
    let wrong = matches!(ty, Ty::Int(_) | Ty::Ptr | Ty::Struct { .. } | Ty::Array(..));
    need(!wrong, || format!("has `{}` where a float belongs", ty.describe()))
}

/// The type of the part of a struct or array at the operation's position.
fn member<'t>(whole: &'t Ty, inst: &Inst) -> Result<&'t Ty, String> {
    inst.op.integers("position").iter().try_fold(whole, |ty, &position| {
        let position = usize::try_from(position).unwrap_or(usize::MAX);
        let part = match ty {
            Ty::Struct { fields, .. } => fields.get(position),
            Ty::Array(n, element) => Some(&**element).filter(|_| (position as u64) < *n),
            _ => None,
        };
        part.ok_or_else(|| format!("has a position that `{}` has not", ty.describe()))
    })
}

/// A pointer and one operand for each index that is no literal.
fn address(inst: &Inst, types: &[&Ty], result: Option<&Ty>) -> Checked {
    let (Some((base, indices)), Some(result)) = (types.split_first(), result) else {
        return Err("has no pointer, or gives none".into());
    };
    need(Pointer.holds(base) && Pointer.holds(result), || "has no pointer, or gives none".into())?;
    need(*result != Ty::Ptr || **base == Ty::Ptr, || "has no pointer, or gives none".into())?;
    need(indices.iter().all(|ty| Integer.holds(ty)), || "has an index that is no integer".into())?;
    attribute(inst, Has::Type("elem_type"))?;
    let literals = inst.op.integers("rawConstantIndices");
    let dynamic = literals.iter().filter(|&&l| l == i64::from(i32::MIN)).count();
    count("index", dynamic, indices.len())
}

fn returned(function: &Function, types: &[&Ty]) -> Checked {
    let fits = match &function.result {
        Ty::Void => types.is_empty(),
        ty => types == [ty],
    };
    need(fits, || "gives something else than the function's result".into())
}

/// A value for each successor but the first, all of them different.
fn cases(inst: &Inst, ty: &Ty) -> Checked {
    let wanted = inst.op.successors.len() - 1;
    let Some(width) = ty.scalar().map(|t| t.width(64)) else { return Ok(()) };
    let found = match inst.op.attribute("case_values") {
        // Many of them are bytes of one literal.
        Some(Attr::Dense(list, of)) if element(of) == ty => match &list[..] {
            [Attr::Bytes(hex)] => hex.len().saturating_sub(2) / 2 / width.div_ceil(8) as usize,
            list => list.len(),
        },
        _ => 0,
    };
    count("case", wanted, found)?;
    let mut values =
        crate::convert::case_values(inst, ty, wanted).ok_or("has cases that are not understood")?;
    values.sort_unstable();
    need(values.windows(2).all(|pair| pair[0] != pair[1]), || "has one case twice".into())
}

fn element(ty: &Ty) -> &Ty {
    match ty {
        Ty::Vector(_, element) => element,
        _ => ty,
    }
}

/// Each successor gets the arguments that its block has.
fn jumps(function: &Function, inst: &Inst) -> Checked {
    need(inst.successors.len() == inst.op.successors.len(), || {
        "does not say which successor gets which arguments".into()
    })?;
    for (to, given) in &inst.successors {
        let arguments = &function.blocks[*to].arguments;
        let fits = given.len() == arguments.len()
            && given.iter().zip(arguments).all(|(&from, &to)| function.ty(from) == function.ty(to));
        need(fits, || "gives a block other arguments than it has".into())?;
    }
    Ok(())
}
