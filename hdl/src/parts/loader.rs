//! The loader: counts configuration words, starts the fabric, keeps the first error, tells when it is idle.

use super::error_of;
use crate::ir::{Expr, Module};
use loom_adg::HwError;
use loom_base::choice_bits;
use std::sync::Arc;

/// States, by their name in the Verilog.
const LOADING: (&str, u32) = ("LOADING", 0);
const SETTLING: (&str, u32) = ("SETTLING", 1);
const RUNNING: (&str, u32) = ("RUNNING", 2);
const FAILED: (&str, u32) = ("FAILED", 3);

fn state(of: (&str, u32)) -> Expr {
    Expr::named(of.0, 2, of.1)
}

/// The loader of a fabric with `words` configuration words in `slices` slices and error trees of `depth`.
pub fn config_loader(words: usize, slices: usize, depth: u32) -> Arc<Module> {
    let settle = slices as u32 + depth + 4;
    let mut m = Module::new(format!("loom_config_loader_n{words}_s{slices}_d{depth}"));
    m.doc(&format!(
        "Configuration loader, error collector and idle detection.\n\
         Loading: words go to the chain as they are accepted; cfg_last must come with word {words}, else error {}.\n\
         Settling: {settle} cycles, for the chain and the error tree. A configuration error then stops the fabric for\n\
         good. Running: cfg_done is high; the first word of another image is accepted only while idle, without error and\n\
         without a token at an input, and lowers cfg_done. Failed: words are drained and dropped until reset.\n\
         The first error stays on error_code and error_unit. idle: nothing was busy when the tree looked, and no token\n\
         entered since.",
        HwError::CfgLength.code()
    ));
    let cfg_valid = m.input("cfg_valid", 1);
    let cfg_ready = m.output("cfg_ready", 1);
    let cfg_data = m.input("cfg_data", 32);
    let cfg_last = m.input("cfg_last", 1);
    let cfg_done = m.output("cfg_done", 1);
    let chain_valid = m.output("chain_valid", 1);
    let chain_data = m.output("chain_data", 32);
    let any_input_valid = m.input("any_input_valid", 1);
    let any_input_transfer = m.input("any_input_transfer", 1);
    let root_code = m.input("root_code", 16);
    let root_unit = m.input("root_unit", 16);
    let root_busy = m.input("root_busy", 1);
    let error_valid = m.output("error_valid", 1);
    let error_code = m.output("error_code", 16);
    let error_unit = m.output("error_unit", 16);
    let idle = m.output("idle", 1);

    let start = if words == 0 { SETTLING } else { LOADING };
    let state_q = m.reg("state_q", 2, start.1);
    let is = |of: (&str, u32)| state_q.q.eq(&state(of));
    let loading = m.wire("loading", is(LOADING));
    let settling = m.wire("settling", is(SETTLING));
    let running = m.wire("running", is(RUNNING));
    let failed = m.wire("failed", is(FAILED));
    m.drive(&cfg_done, running.clone());

    m.comment("Words accepted so far; a word accepted while running is the first of another image.");
    let bits = choice_bits(words + 1).max(1);
    let count = m.reg("count_q", bits, 0u32);
    let before = m.wire("count_before", running.mux(&Expr::zero(bits), &count.q));
    let may_reload = Expr::all_of(&[running.clone(), idle.clone(), error_valid.not(), any_input_valid.not()]);
    m.drive(&cfg_ready, Expr::any_of(&[loading.clone(), failed.clone(), may_reload]));
    let accept = m.wire("accept", cfg_valid.and(&cfg_ready).and(&failed.not()));
    let final_word = match words {
        0 => Expr::zero(1),
        _ => before.eq_const(words as u64 - 1),
    };
    let final_word = m.wire("final_word", final_word);
    let right = match words {
        0 => Expr::zero(1),
        _ => final_word.eq(&cfg_last),
    };
    let wrong_length = m.wire("wrong_length", accept.and(&right.not()));
    let complete = m.wire("complete", Expr::all_of(&[accept.clone(), final_word, cfg_last]));
    m.next(&count, Some(accept.clone()), before.add(&Expr::konst(bits, 1u32)));
    m.drive(&chain_valid, accept.clone());
    m.drive(&chain_data, cfg_data);

    m.comment("Cycles since the last word.");
    let settle_bits = choice_bits(settle as usize);
    let settle_count = m.reg("settle_q", settle_bits, 0u32);
    let settled = m.wire("settled", settling.and(&settle_count.q.eq_const(u64::from(settle) - 1)));
    let step = settle_count.q.add(&Expr::konst(settle_bits, 1u32));
    m.next(&settle_count, None, settling.mux(&step, &Expr::zero(settle_bits)));

    let erring = m.wire("erring", root_code.reduce_or());
    let refused = m.wire("refused", settled.and(&erring));
    let after_accept = wrong_length.mux(&state(FAILED), &complete.mux(&state(SETTLING), &state(LOADING)));
    let after_accept = m.wire("after_accept", after_accept);
    let after_settle = m.wire("after_settle", erring.mux(&state(FAILED), &state(RUNNING)));
    let next = accept.mux(&after_accept, &settled.mux(&after_settle, &state_q.q));
    m.next(&state_q, None, next);

    m.comment("The first error is kept.");
    let code = m.reg("error_code_q", 16, 0u32);
    let unit = m.reg("error_unit_q", 16, 0u32);
    let at_run_time = running.and(&erring);
    let new = Expr::any_of(&[wrong_length.clone(), refused, at_run_time]);
    let first = m.wire("first_error", new.and(&code.q.reduce_or().not()));
    let length = error_of(HwError::CfgLength);
    m.next(&code, Some(first.clone()), wrong_length.mux(&length, &root_code));
    m.next(&unit, Some(first), wrong_length.mux(&Expr::konst(16, 0xffffu32), &root_unit));
    m.drive(&error_valid, code.q.reduce_or());
    m.drive(&error_code, code.q);
    m.drive(&error_unit, unit.q);

    m.comment("A token that entered shows in the tree's root only later: count down the cycles in between.");
    let recent_bits = choice_bits(depth as usize + 2);
    let recent = m.reg("recent_q", recent_bits, 0u32);
    let waiting = m.wire("recent", recent.q.reduce_or());
    let down = waiting.mux(&recent.q.sub(&Expr::konst(recent_bits, 1u32)), &recent.q);
    m.next(&recent, None, any_input_transfer.mux(&Expr::konst(recent_bits, u64::from(depth) + 1), &down));
    m.drive(&idle, root_busy.not().and(&waiting.not()));
    m.finish()
}
