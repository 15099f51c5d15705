//! `loom_invariant_w<W>`: a value repeated for each iteration.

use super::{repeated, width_suffix};
use crate::control::InvariantControl;
use crate::import::import;
use crate::ir::Module;
use crate::Channel;
use loom_adg::ChannelType;
use std::sync::Arc;

/// The control of every `invariant`, whatever its width.
pub fn invariant_control() -> Arc<Module> {
    import(
        "loom_invariant_control",
        "Control of invariant. Phase Init (looping_q = 0): a token of `a` is stored and goes out.\n\
         Phase Loop: a true condition is consumed and the stored value goes out. A false condition is consumed\n\
         together with a token of `a`, stored and sent, when there is one and room; else alone, back to Init.",
        &InvariantControl::default(),
    )
}

/// The core of `invariant`. Ports: channels in `d` (1 bit), `a`; push out `o`; `busy`.
pub fn invariant(width: u32) -> Arc<Module> {
    let mut m = Module::new(format!("loom_invariant{}", width_suffix(width, 0)));
    m.doc(
        "invariant: sends a token of `a` once, and again for each true condition `d`.\n\
         Guarantees: one token a cycle, within and between activations; `o_push` only while `o_room`;\n\
         an input's ready is high exactly in the cycles in which its token is consumed; `busy` in the Loop phase.",
    );
    let d = Channel::input(&mut m, "d", ChannelType::bits(1));
    let a = Channel::input(&mut m, "a", ChannelType::bits(width));
    let push = m.output("o_push", 1);
    let room = m.input("o_room", 1);
    let data = m.output("o_data", width);
    let busy = m.output("busy", 1);
    let select = m.declare("select_stored", 1);
    m.instance(
        "control",
        &invariant_control(),
        &[
            ("d_valid", d.valid),
            ("d_bit", d.data),
            ("d_ready", d.ready),
            ("a_valid", a.valid.clone()),
            ("a_ready", a.ready.clone()),
            ("o_push", push),
            ("o_room", room),
            ("select_stored", select.clone()),
            ("busy", busy),
        ],
    );
    let value = repeated(&mut m, a, &select, width);
    m.drive(&data, value);
    m.finish()
}
