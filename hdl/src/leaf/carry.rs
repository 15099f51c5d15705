//! `loom_carry_w<W>`: loop-carried values.

use super::width_suffix;
use crate::control::CarryControl;
use crate::import::import;
use crate::ir::Module;
use crate::Channel;
use loom_adg::ChannelType;
use std::sync::Arc;

/// The control of every `carry`, whatever its width.
pub fn carry_control() -> Arc<Module> {
    import(
        "loom_carry_control",
        "Control of carry. Phase Init (looping_q = 0): a token of `a` goes out and starts the loop.\n\
         Phase Loop: a true condition is consumed with a token of `b`, which goes out. A false condition is consumed\n\
         together with a token of `a`, which goes out, when there is one and room; else alone, back to Init.",
        &CarryControl::default(),
    )
}

/// The core of `carry`. Ports: channels in `d` (1 bit), `a`, `b`; push out `o`; `busy`.
pub fn carry(width: u32) -> Arc<Module> {
    let mut m = Module::new(format!("loom_carry{}", width_suffix(width, 0)));
    m.doc(
        "carry: the first token of an activation comes from `a`, one more from `b` for each true condition `d`.\n\
         Guarantees: one token a cycle, within and between activations; `o_push` only while `o_room`;\n\
         an input's ready is high exactly in the cycles in which its token is consumed; `busy` in the Loop phase.",
    );
    let d = Channel::input(&mut m, "d", ChannelType::bits(1));
    let a = Channel::input(&mut m, "a", ChannelType::bits(width));
    let b = Channel::input(&mut m, "b", ChannelType::bits(width));
    let push = m.output("o_push", 1);
    let room = m.input("o_room", 1);
    let data = m.output("o_data", width);
    let busy = m.output("busy", 1);
    let select = m.declare("select_b", 1);
    m.instance(
        "control",
        &carry_control(),
        &[
            ("d_valid", d.valid),
            ("d_bit", d.data),
            ("d_ready", d.ready),
            ("a_valid", a.valid),
            ("a_ready", a.ready),
            ("b_valid", b.valid),
            ("b_ready", b.ready),
            ("o_push", push),
            ("o_room", room),
            ("select_b", select.clone()),
            ("busy", busy),
        ],
    );
    if width == 0 {
        m.unused(&select);
    }
    m.drive(&data, select.mux(&b.data, &a.data));
    m.finish()
}
