//! Calls of functions whose addresses are loaded: virtual ones, and those through tables and members.

use crate::codes;
use crate::places::Places;
use crate::program::{Def, Function, Id, Inst};
use crate::types::Ty;
use loom_base::{Diagnostic, Diagnostics};
use std::collections::BTreeSet;

/// Such calls, and the loads that lead to them.
pub(crate) struct Called {
    calls: Vec<usize>,
    loads: BTreeSet<Id>,
}

/// Finds them.
pub(crate) fn called(function: &Function) -> Called {
    let mut out = Called { calls: Vec::new(), loads: BTreeSet::new() };
    for i in function.reached().filter(|&i| is_indirect(&function.insts[i])) {
        let loads = loads(function, &function.insts[i]);
        if !loads.is_empty() {
            out.calls.push(i);
            out.loads.extend(loads);
        }
    }
    out
}

fn is_indirect(inst: &Inst) -> bool {
    inst.name() == "call" && inst.op.symbol("callee").is_none() && !inst.operands.is_empty()
}

/// The pointers that are loaded on the way to the address that is called.
fn loads(function: &Function, call: &Inst) -> BTreeSet<Id> {
    let (mut work, mut seen, mut out) = (vec![call.operands[0]], BTreeSet::new(), BTreeSet::new());
    while let Some(id) = work.pop() {
        if *function.ty(id) != Ty::Ptr || !seen.insert(id) {
            continue;
        }
        match function.values[id.0].def {
            Def::Argument { block, index } => {
                let jumps = function.blocks[block].jumps.iter().flat_map(|&j| &function.insts[j].successors);
                work.extend(jumps.filter(|s| s.0 == block).map(|s| s.1[index]));
            }
            Def::Op(inst) => {
                let inst = &function.insts[inst];
                match inst.name() {
                    "load" => {
                        out.insert(id);
                        work.push(inst.operands[0]);
                    }
                    "getelementptr" | "freeze" | "select" => work.extend(&inst.operands),
                    _ => {}
                }
            }
        }
    }
    out
}

impl Called {
    /// Whether a pointer is loaded for a call alone.
    pub fn leads(&self, pointer: Id) -> bool {
        self.loads.contains(&pointer)
    }

    /// Refuses them.
    pub fn refused(&self, function: &Function, places: &Places) -> Diagnostics {
        let refuse = |&i: &usize| -> Diagnostic {
            let inst = &function.insts[i];
            let (what, help) = match loads(function, inst).len() {
                1 => (
                    "a call through a function pointer that is kept in memory",
                    "choose the function by a number, with `switch`",
                ),
                _ => (
                    "a virtual call, or one through a function pointer in a struct behind a pointer",
                    "call the function of the class that it is, by value or as a template's argument",
                ),
            };
            places.refuse(codes::CALL, inst.place(), what, help)
        };
        self.calls.iter().map(refuse).collect()
    }
}
