//! Local arrays that are tables: `const int dx[4] = {1, 0, -1, 0};` in a function is an array of its own, which a copy fills from a
//! constant each time it comes into being.
//!
//! An array that nothing else ever writes is that constant: it has no memory and no copy. What reads it before it is filled
//! may see anything, and so what it is filled with.

use crate::address::{is_copy, length};
use crate::globals::Global;
use crate::locals;
use crate::program::{Def, Function, Id, Inst};
use std::collections::{BTreeMap, BTreeSet};

/// Makes such arrays the constants that they are filled with.
pub(crate) fn name(function: &mut Function, globals: &BTreeMap<String, Global>) {
    let is_array = |&i: &usize| function.insts[i].name() == "alloca";
    let arrays: Vec<usize> = function.reached().filter(is_array).collect();
    let mut gone = BTreeSet::new();
    for array in arrays {
        let Some((table, copies)) = filled_from(function, array, globals) else { continue };
        let Inst { op, operands, .. } = function.insts[table].clone();
        let inst = &mut function.insts[array];
        (inst.op, inst.operands) = (op, operands);
        gone.extend(copies);
    }
    function.remove(&gone);
}

/// The operation that gives the constant's address, and the copies of it, where an array is written by nothing else.
fn filled_from(
    function: &Function,
    array: usize,
    globals: &BTreeMap<String, Global>,
) -> Option<(usize, Vec<usize>)> {
    let (own, bytes) = (function.insts[array].result?, locals::bytes(function, &function.insts[array])?);
    // The array's addresses; definitions come before uses.
    let mut within = BTreeSet::from([own]);
    let mut found: Option<(&Global, usize)> = None;
    let mut copies = Vec::new();
    for i in function.reached() {
        let inst = &function.insts[i];
        let is_own = |id: &Id| within.contains(id);
        if inst.successors.iter().any(|(_, arguments)| arguments.iter().any(is_own)) {
            return None;
        }
        if !inst.operands.iter().any(is_own) {
            continue;
        }
        match (inst.name(), &inst.operands[..]) {
            ("getelementptr", [_, ..]) => within.extend(inst.result),
            ("load", _) if !inst.is_volatile() && !inst.is_atomic() => {}
            (name, &[to, from, ..]) if is_copy(name) && !inst.is_volatile() => {
                if !is_own(&to) {
                    continue;
                }
                let source = table(function, from, globals)?;
                let length = length(function, inst);
                let is_whole =
                    to == own && length.terms.is_empty() && u64::try_from(length.constant) == Ok(bytes);
                let is_same = found.is_none_or(|(table, _)| std::ptr::eq(table, source.0));
                if !is_whole || !is_same || source.0.bytes.as_ref()?.len() as u64 != bytes {
                    return None;
                }
                found = Some(source);
                copies.push(i);
            }
            _ => return None,
        }
    }
    found.map(|(_, table)| (table, copies))
}

/// The constant that a pointer points at the start of, and the operation that gives its address.
fn table<'g>(
    function: &Function,
    pointer: Id,
    globals: &'g BTreeMap<String, Global>,
) -> Option<(&'g Global, usize)> {
    let Def::Op(at) = function.values[pointer.0].def else { return None };
    let inst = Some(&function.insts[at]).filter(|inst| inst.name() == "mlir.addressof")?;
    let global = globals.get(inst.op.symbol("global_name")?)?;
    global.constant.then_some((global, at))
}
