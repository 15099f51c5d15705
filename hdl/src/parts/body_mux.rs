//! `fabric.mux` in a function unit's body: wiring that configuration sets, and what follows from it for the unit's inputs.
//!
//! Guarantees: whether an input is needed is a matter of configuration alone, and constant where no mux stands between it and an
//! output.

use super::{is_choice, out_of_range};
use crate::ir::{Expr, Module};
use loom_adg::layout::{PayloadField, PayloadKind};
use loom_adg::model::{BodyKind, BodyValue, FunctionUnit};

/// By input: whether an output is computed of it, as the payload `bits` sets the muxes.
pub(super) fn needed(m: &mut Module, fu: &FunctionUnit, parts: &[PayloadField], bits: &Expr) -> Vec<Expr> {
    let chosen = Chosen::new(fu);
    if chosen.inputs.contains(&true) {
        m.comment("What outputs are computed of, as the muxes are set.");
    }
    let mut by_input: Vec<Vec<Expr>> = vec![Vec::new(); fu.inputs.len()];
    let mut by_op: Vec<Vec<Expr>> = vec![Vec::new(); fu.body.len()];
    let mut readers: Vec<(BodyValue, Expr)> =
        fu.results.iter().map(|&v| (v, Expr::bit_const(true))).collect();
    for at in (0..=fu.body.len()).rev() {
        for (value, when) in readers.drain(..) {
            match value {
                BodyValue::Input(i) => by_input[i].push(when),
                BodyValue::Result { op, .. } => by_op[op].push(when),
            }
        }
        let Some((at, op)) = at.checked_sub(1).map(|at| (at, &fu.body[at])) else { break };
        // What reads it stands behind it.
        let mut here = Expr::any_of(&by_op[at]);
        if here.as_const().is_none() {
            // Nobody asks where all that it reads is taken anyway.
            if !chosen.ops[at] {
                continue;
            }
            here = m.wire(&format!("op{at}_needed"), here);
        }
        let select = parts.iter().find(|p| p.op == at).map(|p| bits.slice(p.low, p.width));
        for (k, &operand) in op.operands.iter().enumerate() {
            let reads = match (op.kind, &select) {
                // The payload may be another unit's: beyond the last operand stands the last, so that a unit always waits for
                // something, and one that is not active never fires.
                (BodyKind::Mux, Some(select)) if k + 1 == op.operands.len() => {
                    here.and(&is_choice(select, k).or(&out_of_range(select, k + 1)))
                }
                (BodyKind::Mux, Some(select)) => here.and(&is_choice(select, k)),
                _ => here.clone(),
            };
            readers.push((operand, reads));
        }
    }
    let of_input = |(i, readers): (usize, &Vec<Expr>)| match Expr::any_of(readers) {
        always if always.as_const().is_some() => always,
        needed => m.wire(&format!("in{i}_needed"), needed),
    };
    by_input.iter().enumerate().map(of_input).collect()
}

/// What muxes decide: of each input whether it is needed, and of each op whether an input that it leads to is.
struct Chosen {
    inputs: Vec<bool>,
    ops: Vec<bool>,
}

impl Chosen {
    fn new(fu: &FunctionUnit) -> Self {
        let (mut inputs, mut ops) = (vec![true; fu.inputs.len()], vec![true; fu.body.len()]);
        // First what no mux stands before: it is always needed.
        let mut always = fu.results.clone();
        while let Some(value) = always.pop() {
            match value {
                BodyValue::Input(i) => inputs[i] = false,
                BodyValue::Result { op, .. } => {
                    let seen = !std::mem::replace(&mut ops[op], false);
                    if !seen && fu.body[op].kind != BodyKind::Mux {
                        always.extend(&fu.body[op].operands);
                    }
                }
            }
        }
        // Operands stand before what reads them.
        let is_always: Vec<bool> = ops.iter().map(|chosen| !chosen).collect();
        for at in 0..fu.body.len() {
            ops[at] = fu.body[at].operands.iter().any(|&value| match value {
                BodyValue::Input(i) => inputs[i],
                BodyValue::Result { op, .. } => !is_always[op] && ops[op],
            });
        }
        Self { inputs, ops }
    }
}

/// Of each mux that can select an operand that is not there, whether it does.
pub(super) fn beyond(parts: &[PayloadField], bits: &Expr) -> Vec<Expr> {
    let of = |p: &PayloadField| match p.kind {
        PayloadKind::Select(operands) => Some(out_of_range(&bits.slice(p.low, p.width), operands)),
        _ => None,
    };
    parts.iter().filter_map(of).filter(|e| e.as_const().is_none()).collect()
}
