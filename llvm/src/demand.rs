//! What of each value is needed: the whole number, or only what an address needs of it.
//!
//! An address is a number of words modulo the width of `index`, and sums, products and the low bits of extensions keep
//! that modulus. So 64-bit arithmetic that ends in addresses alone is done in `index`, which is exact wherever the
//! address is. So is what only counts ([`crate::counts`]). What nobody needs is not converted.

use crate::address::{self, element_difference, pointer_difference, scaled, writes_bytes};
use crate::counts::Counters;
use crate::program::{Def, Function, Id, Inst};
use crate::results::{self, Part};
use crate::types::Ty;

/// What is needed of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Need {
    /// The number, or the pointer.
    pub whole: bool,
    /// The number in `index`.
    pub address: bool,
}

impl Need {
    pub fn any(self) -> bool {
        self.whole || self.address
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum As {
    Whole,
    Address,
}

/// Ops whose low bits follow from the operands' low bits.
pub(crate) fn is_modular(name: &str) -> bool {
    matches!(name, "add" | "sub" | "mul" | "and" | "or" | "xor")
}

/// Whether a shift left by a constant, which is modular too.
pub(crate) fn is_constant_shift(function: &Function, inst: &Inst) -> bool {
    inst.name() == "shl" && function.constant(inst.operands[1]).is_some_and(|c| (0..32).contains(&c))
}

/// Operations that give a value and do nothing else; all that are not known may do anything.
const PURE: &[&str] = &[
    "add",
    "sub",
    "mul",
    "udiv",
    "sdiv",
    "urem",
    "srem",
    "and",
    "or",
    "xor",
    "shl",
    "lshr",
    "ashr",
    "fadd",
    "fsub",
    "fmul",
    "fdiv",
    "frem",
    "fneg",
    "icmp",
    "fcmp",
    "select",
    "freeze",
    "trunc",
    "zext",
    "sext",
    "fptrunc",
    "fpext",
    "sitofp",
    "uitofp",
    "fptosi",
    "fptoui",
    "bitcast",
    "ptrtoint",
    "inttoptr",
    "addrspacecast",
    "getelementptr",
    "load",
    "alloca",
    "extractvalue",
    "extractelement",
    "insertvalue",
    "insertelement",
    "mlir.constant",
    "mlir.zero",
    "mlir.undef",
    "mlir.poison",
    "mlir.addressof",
];

/// Operations that run for what they do.
fn has_effect(inst: &Inst) -> bool {
    let name = inst.name();
    inst.result.is_none()
        || inst.is_volatile()
        || inst.is_atomic()
        || !(PURE.contains(&name) || name.starts_with("intr."))
}

/// Needs of all values.
pub(crate) fn needs(function: &Function, counts: &Counters) -> Vec<Need> {
    let mut needs = vec![Need::default(); function.values.len()];
    let mut work: Vec<(Id, As)> = Vec::new();
    for i in function.reached() {
        let inst = &function.insts[i];
        if has_effect(inst) {
            operands(function, i, &mut work);
            // A result nobody uses is converted with its operation all the same.
            work.extend(inst.result.map(|r| (r, As::Whole)));
        }
    }
    let incoming = incoming(function);
    while let Some((id, how)) = work.pop() {
        let need = &mut needs[id.0];
        let flag = if how == As::Whole { &mut need.whole } else { &mut need.address };
        if std::mem::replace(flag, true) {
            continue;
        }
        match function.values[id.0].def {
            // The number of a counter is a cast of what is in index.
            Def::Argument { .. } if how == As::Whole && counts.counters.contains(&id) => {
                work.push((id, As::Address))
            }
            Def::Argument { block, index } => {
                let how = if function.ty(id) == &Ty::Int(64) { how } else { As::Whole };
                work.extend(incoming[block].iter().map(|list| (list[index], how)));
            }
            Def::Op(inst) if counts.compares.contains(&id) => {
                work.extend(function.insts[inst].operands.iter().map(|&o| (o, As::Address)));
            }
            Def::Op(inst) => result(function, inst, how, &mut work),
        }
    }
    needs
}

/// The arguments that each jump to a block gives.
fn incoming(function: &Function) -> Vec<Vec<&[Id]>> {
    let mut out = vec![Vec::new(); function.blocks.len()];
    for i in function.reached() {
        for (block, arguments) in &function.insts[i].successors {
            out[*block].push(&arguments[..]);
        }
    }
    out
}

/// What an operation needs for its effect.
fn operands(function: &Function, inst: usize, work: &mut Vec<(Id, As)>) {
    let inst = &function.insts[inst];
    let name = inst.name();
    if writes_bytes(name) {
        work.extend(inst.operands[..2].iter().map(|&o| (o, As::Whole)));
        // Plain or without the multiplication: which one it is depends on the words.
        for (id, _) in address::length(function, inst).terms {
            work.extend([(id, As::Address), (scaled(function, id).0, As::Address)]);
        }
        return;
    }
    let returned = inst.operands.first().filter(|_| name == "return");
    if let Some(parts) = returned.and_then(|&r| results::parts(function, r)) {
        let value = |part: &Part| match part {
            Part::Value(id) => Some((*id, As::Whole)),
            Part::Unset(_) => None,
        };
        return work.extend(parts.iter().filter_map(value));
    }
    let is_hint = inst.op.symbol("callee").is_some_and(|callee| callee.starts_with("__loom_"));
    if !is_hint
        && !name.starts_with("intr.lifetime")
        && !matches!(name, "intr.assume" | "intr.dbg.value" | "intr.dbg.declare")
    {
        work.extend(inst.operands.iter().map(|&o| (o, As::Whole)));
    }
}

/// What an operation needs for its result.
fn result(function: &Function, number: usize, how: As, work: &mut Vec<(Id, As)>) {
    let inst = &function.insts[number];
    let name = inst.name();
    let is_wide = inst.result.is_some_and(|r| function.ty(r) == &Ty::Int(64));
    if name == "getelementptr" {
        work.push((inst.operands[0], As::Whole));
        for &index in inst.operands[1..].iter().filter(|&&i| function.constant(i).is_none()) {
            work.push((index, As::Address));
            work.push((scaled(function, index).0, As::Address));
        }
        return;
    }
    if let Some((p, q)) = pointer_difference(function, inst) {
        work.extend([(p, As::Whole), (q, As::Whole)]);
        return;
    }
    if let Some((p, q, _)) = element_difference(function, inst) {
        work.extend([(p, As::Whole), (q, As::Whole)]);
        return;
    }
    let in_index = how == As::Address && is_wide;
    match name {
        "mlir.constant" | "mlir.zero" | "mlir.undef" | "mlir.poison" | "mlir.addressof" | "alloca" => {}
        "select" if in_index => {
            work.push((inst.operands[0], As::Whole));
            work.extend(inst.operands[1..].iter().map(|&o| (o, As::Address)));
        }
        "shl" if in_index && is_constant_shift(function, inst) => work.push((inst.operands[0], As::Address)),
        _ if in_index && is_modular(name) => work.extend(inst.operands.iter().map(|&o| (o, As::Address))),
        _ => work.extend(inst.operands.iter().map(|&o| (o, As::Whole))),
    }
}
