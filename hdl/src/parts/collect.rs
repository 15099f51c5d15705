//! What stands beside the components in a tile: configuration slices, and the nodes of the error and idle trees.

use crate::ir::{Expr, Module, CLOCK_GATES};
use std::sync::Arc;

/// A slice of the configuration chain. Ports: `in_valid in_data[31:0]`, `out_data[31:0]`, `bits`.
pub fn config_slice(words: usize, bits: u32) -> Arc<Module> {
    assert!(bits > 0 && bits.div_ceil(32) as usize == words, "{bits} bits in {words} words");
    let mut m = Module::new(format!("loom_config_slice_b{bits}"));
    m.doc(&format!(
        "Configuration slice: {bits} bits in {words} words. Shifts by one word for each word that passes; the word\n\
         that falls out stands on out_data meanwhile. After the last word of an image has passed, its own words stand\n\
         here, the first one lowest. 0 after reset, or, with {CLOCK_GATES}, not known before the first word."
    ));
    let in_valid = m.input("in_valid", 1);
    let in_data = m.input("in_data", 32);
    let regs: Vec<_> = (0..words).map(|k| m.reg_gated(&format!("word{k}_q"), 32)).collect();
    for k in 0..words {
        let from = regs.get(k + 1).map_or(in_data.clone(), |r| r.q.clone());
        m.next(&regs[k], Some(in_valid.clone()), from);
    }
    m.assign_output("out_data", regs[0].q.clone());
    let mut parts: Vec<Expr> = regs.iter().map(|r| r.q.clone()).collect();
    parts.reverse();
    let whole = m.wire("words", Expr::concat(&parts));
    m.assign_output("bits", whole.slice(0, bits));
    let spare = words as u32 * 32 - bits;
    if spare > 0 {
        m.unused(&whole.slice(bits, spare));
    }
    m.finish()
}

/// The registers between slices of one tile and those of the next. Ports: `in_valid in_data[31:0]`, `out_valid out_data[31:0]`.
pub fn config_hop() -> Arc<Module> {
    let mut m = Module::new("loom_config_hop");
    m.doc("A step of the configuration chain: a word goes on in the next cycle. No word is on its way after reset.");
    let in_valid = m.input("in_valid", 1);
    let in_data = m.input("in_data", 32);
    let out_valid = m.reg("out_valid_q", 1, 0u32);
    let out_data = m.reg_no_reset("out_data_q", 32);
    m.next(&out_valid, None, in_valid);
    m.next(&out_data, None, in_data);
    m.assign_output("out_valid", out_valid.q);
    m.assign_output("out_data", out_data.q);
    m.finish()
}

/// A node of the error and idle trees. Ports: `code<k>[15:0] unit<k>[15:0]`, `busy<k>`; `code unit busy`, registered.
/// Children come in ascending order of their units, so the first of equal codes has the smallest unit.
pub fn error_node(units: usize, busies: usize) -> Arc<Module> {
    let mut m = Module::new(format!("loom_error_node_n{units}_b{busies}"));
    m.doc(&format!(
        "Collects errors of {units} units and activity of {busies} parts, registered. The smallest code wins, then the\n\
         smallest unit; code 0 is none. Units stand in ascending order."
    ));
    let mut left: Vec<(Expr, Expr)> =
        (0..units).map(|k| (m.input(&format!("code{k}"), 16), m.input(&format!("unit{k}"), 16))).collect();
    let busy: Vec<Expr> = (0..busies).map(|k| m.input(&format!("busy{k}"), 1)).collect();
    m.comment("Neighbours two by two: `wins<level>_<k>` when the second of pair k has the smaller code.");
    let mut level = 0;
    while left.len() > 1 {
        level += 1;
        let pairs = left.chunks(2).enumerate().map(|(k, pair)| match pair {
            [(c, u), (code, unit)] => {
                let wins = code.reduce_or().and(&c.reduce_or().not().or(&code.ult(c)));
                let wins = m.wire(&format!("wins{level}_{k}"), wins);
                let code = m.wire(&format!("code{level}_{k}"), wins.mux(code, c));
                (code, m.wire(&format!("unit{level}_{k}"), wins.mux(unit, u)))
            }
            one => one[0].clone(),
        });
        left = pairs.collect();
    }
    let (code, unit) = left.pop().unwrap_or_else(|| (Expr::zero(16), Expr::zero(16)));
    for (name, width, value) in [("code", 16, code), ("unit", 16, unit), ("busy", 1, Expr::any_of(&busy))] {
        let reg = m.reg(&format!("{name}_q"), width, 0u32);
        m.next(&reg, None, value);
        m.assign_output(name, reg.q);
    }
    m.finish()
}
