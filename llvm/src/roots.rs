//! What each pointer may point into: arguments, local variables, globals and pointers that stand in structs.

use crate::address::{access_size, offset, writes_bytes};
use crate::codes;
use crate::indirect;
use crate::places::Places;
use crate::program::{Def, Function, Id, Inst};
use crate::text::Place;
use crate::types::Ty;
use loom_base::{Diagnostic, Diagnostics};
use std::collections::BTreeSet;

/// Steps from a pointer back to an argument.
const MOST_STEPS: usize = 32;
/// Bytes of a pointer in memory.
const POINTER_BYTES: i128 = 8;

/// What a pointer may point into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// Argument of the function.
    Argument(usize),
    /// `llvm.alloca`
    Stack(usize),
    /// A global.
    Global(String),
    /// What a pointer points at that stands in a struct: so many bytes behind the start of what an argument points at.
    Field {
        /// Number of the argument.
        argument: usize,
        /// Bytes.
        offset: u64,
    },
}

/// The number that stands for null among roots; greater than all others, so that a set's first is an array if it has one.
pub(crate) const NULL: usize = usize::MAX;

/// The array that a set begins with.
pub(crate) fn array(set: &BTreeSet<usize>) -> Option<usize> {
    set.first().copied().filter(|&r| r != NULL)
}

/// The pointer that a load takes out of a struct behind an argument, at a known place.
pub(crate) fn field(function: &Function, inst: &Inst) -> Option<Root> {
    let is_pointer = inst.result.is_some_and(|r| *function.ty(r) == Ty::Ptr);
    let plain = inst.name() == "load" && is_pointer && !inst.is_volatile() && !inst.is_atomic();
    let (argument, at) = behind_argument(function, *inst.operands.first().filter(|_| plain)?)?;
    Some(Root::Field { argument, offset: u64::try_from(at).ok()? })
}

/// The argument that a pointer is so many bytes behind, always: also through the phi behind a loop that names again what is known in it.
fn behind_argument(function: &Function, pointer: Id) -> Option<(usize, i64)> {
    let (mut at, mut sum) = (pointer, 0i64);
    for _ in 0..MOST_STEPS {
        at = match function.values[at.0].def {
            Def::Argument { block: 0, index } => return Some((index, sum)),
            Def::Argument { block, index } => {
                let jumps = function.blocks[block].jumps.iter().flat_map(|&i| &function.insts[i].successors);
                let mut given = jumps.filter(|(to, _)| *to == block).map(|(_, list)| list[index]);
                let first = given.next()?;
                given.all(|other| other == first).then_some(first)?
            }
            Def::Op(inst) => {
                let from = function.insts[inst].operands.first();
                match function.insts[inst].name() {
                    "getelementptr" => {
                        let bytes = offset(function, inst).ok().filter(|b| b.terms.is_empty())?;
                        sum = sum.checked_add(bytes.constant)?;
                    }
                    "freeze" => {}
                    _ => return None,
                }
                *from?
            }
        };
    }
    None
}

/// The roots, and those of each pointer.
pub(crate) fn roots(
    function: &Function,
    places: &Places,
    errors: &mut Diagnostics,
) -> (Vec<Root>, Vec<BTreeSet<usize>>) {
    let mut roots = Vec::new();
    let mut sets = vec![BTreeSet::new(); function.values.len()];
    let is_pointer = |id: &Id| *function.ty(*id) == Ty::Ptr;
    for (index, &id) in function.blocks[0].arguments.iter().enumerate().filter(|(_, id)| is_pointer(id)) {
        sets[id.0].insert(roots.len());
        roots.push(Root::Argument(index));
    }
    let called = indirect::called(function);
    errors.extend(called.refused(function, places));
    for i in function.reached() {
        let inst = &function.insts[i];
        let Some(result) = inst.result.filter(is_pointer).filter(|r| !called.leads(*r)) else { continue };
        let root = match inst.name() {
            "alloca" => Root::Stack(i),
            "mlir.addressof" => Root::Global(inst.op.symbol("global_name").unwrap_or_default().to_string()),
            "mlir.zero" => {
                sets[result.0].insert(NULL);
                continue;
            }
            "getelementptr" | "select" | "freeze" | "mlir.undef" | "mlir.poison" => continue,
            "load" => match field(function, inst) {
                Some(root) => root,
                None => {
                    let call = passed_on(function, result, places);
                    errors.push(call.unwrap_or_else(|| not_stored(&Ty::Ptr, inst.place(), places)));
                    continue;
                }
            },
            "intr.stacksave" => {
                errors.push(places.refuse(
                    codes::STORAGE,
                    inst.place(),
                    "a local array whose size is not constant",
                    "give it a constant size, or pass it as an argument",
                ));
                continue;
            }
            "call" => {
                let callee = inst.op.symbol("callee").unwrap_or_default();
                errors.push(places.no_body(callee, inst.place()));
                continue;
            }
            name => {
                errors.push(places.refuse(
                    codes::POINTER,
                    inst.place(),
                    format!("a pointer that comes from `{name}`"),
                    "derive pointers from arguments, local arrays and globals by `+`, `-`, `[]` and `&`",
                ));
                continue;
            }
        };
        let number = roots.iter().position(|r| *r == root).unwrap_or_else(|| {
            roots.push(root);
            roots.len() - 1
        });
        sets[result.0].insert(number);
    }
    flow(function, &mut sets);
    (roots, sets)
}

/// Gives what pointers may point into to the pointers that are made of them, to a fixed point over phis.
fn flow(function: &Function, sets: &mut [BTreeSet<usize>]) {
    let is_pointer = |id: &Id| *function.ty(*id) == Ty::Ptr;
    loop {
        let mut changed = false;
        let mut give = |from: Id, to: Id| {
            let more: Vec<usize> = sets[from.0].difference(&sets[to.0]).copied().collect();
            changed |= !more.is_empty();
            sets[to.0].extend(more);
        };
        for i in function.reached() {
            let inst = &function.insts[i];
            if let Some(result) = inst.result.filter(is_pointer) {
                let from: &[Id] = match inst.name() {
                    "getelementptr" | "freeze" => &inst.operands[..1],
                    "select" => &inst.operands[1..],
                    _ => &[],
                };
                from.iter().for_each(|&f| give(f, result));
            }
            for (block, arguments) in &inst.successors {
                let targets = &function.blocks[*block].arguments;
                for (&from, &to) in arguments.iter().zip(targets).filter(|(_, to)| is_pointer(to)) {
                    give(from, to);
                }
            }
        }
        if !changed {
            return;
        }
    }
}

/// The refusal of the call that takes a loaded pointer, as `fprintf` does `stderr`: the call is what the user wrote.
fn passed_on(function: &Function, loaded: Id, places: &Places) -> Option<Diagnostic> {
    let mut calls = function.reached().map(|i| &function.insts[i]).filter(|inst| inst.name() == "call");
    let call = calls.find(|call| call.operands.contains(&loaded))?;
    let name = call.op.symbol("callee")?;
    Some(match call.op.attribute("var_callee_type") {
        Some(_) => places.any_number(name, call.place()),
        None => places.no_body(name, call.place()),
    })
}

/// Refuses what may write to a pointer in a struct: it is read once, before the function runs.
pub(crate) fn unchanged_fields(
    function: &Function,
    (roots, sets): (&[Root], &[BTreeSet<usize>]),
    places: &Places,
    errors: &mut Diagnostics,
) {
    for root in roots {
        let &Root::Field { argument, offset } = root else { continue };
        let home = roots.iter().position(|r| *r == Root::Argument(argument));
        for inst in function.reached().map(|i| &function.insts[i]) {
            let (pointer, size) = match inst.name() {
                "store" => (inst.operands[1], access_size(function.ty(inst.operands[0]))),
                name if writes_bytes(name) => (inst.operands[0], None),
                _ => continue,
            };
            if home.is_none_or(|home| !sets[pointer.0].contains(&home)) {
                continue;
            }
            let (from, to) = (i128::from(offset), i128::from(offset) + POINTER_BYTES);
            let beside = |(_, at): (usize, i64), size: u64| {
                i128::from(at) >= to || i128::from(at) + i128::from(size) <= from
            };
            let known = behind_argument(function, pointer).zip(size);
            if !known.is_some_and(|(at, size)| beside(at, size)) {
                errors.push(places.refuse(
                    codes::POINTER,
                    inst.place(),
                    "a write into a struct, where it may change a pointer that the function reads from it",
                    "pass the array that the pointer points at as an argument of its own",
                ));
            }
        }
    }
}

pub(crate) fn not_stored(ty: &Ty, place: Option<&Place>, places: &Places) -> Diagnostic {
    match ty {
        Ty::Ptr => places.refuse(
            codes::POINTER,
            place,
            "a pointer that is kept in memory",
            "keep an index instead, and pass each array as an argument of its own",
        ),
        _ => places.refuse(
            codes::TYPE,
            place,
            format!("an access of type `{}`", ty.describe()),
            "use integers of at most 64 bits, `float` and `double`",
        ),
    }
}
