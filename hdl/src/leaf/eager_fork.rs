//! `loom_eager_fork_n<N>_w<W>`: one channel to several consumers.

use super::width_suffix;
use crate::ir::{Expr, Module};
use crate::Channel;
use loom_adg::ChannelType;
use std::sync::Arc;

/// An eager fork. Ports: channel `in`; channels `out0`, `out1`, ...; `busy`. Panics for no outputs.
pub fn eager_fork(width: u32, outputs: u32) -> Arc<Module> {
    assert!(outputs >= 1, "a fork without outputs");
    let mut m = Module::new(format!("loom_eager_fork_n{outputs}{}", width_suffix(width, 0)));
    m.doc(&format!(
        "Eager fork to {outputs} outputs. Guarantees: each output takes its copy of a token when it is ready, once;\n\
         the token leaves the input in the cycle in which the last copy is taken; no latency. `busy` while some\n\
         output, not all, took the present token."
    ));
    let input = Channel::input(&mut m, "in", ChannelType::bits(width));
    let outs: Vec<_> =
        (0..outputs).map(|k| Channel::output(&mut m, &format!("out{k}"), ChannelType::bits(width))).collect();
    let busy = m.output("busy", 1);
    m.comment("`done<k>_q`: output k took the present token. Set when it does so early, cleared when the token leaves.");
    let done: Vec<_> = (0..outputs).map(|k| m.reg(&format!("done{k}_q"), 1, 0u32)).collect();
    let taken: Vec<Expr> =
        (0..outs.len()).map(|k| m.wire(&format!("taken{k}"), &done[k].q | &outs[k].ready)).collect();
    m.drive(&input.ready, Expr::all_of(&taken));
    for (k, out) in outs.iter().enumerate() {
        m.drive(&out.valid, &input.valid & !&done[k].q);
        m.drive(&out.data, input.data.clone());
        m.next(&done[k], None, &input.valid & &taken[k] & !&input.ready);
    }
    let bits: Vec<Expr> = done.iter().map(|d| d.q.clone()).collect();
    m.drive(&busy, Expr::any_of(&bits));
    m.finish()
}
