//! `loom_carry_br_w<W>`: loop-carried values, parted by the loop's condition.

use super::{sides, width_suffix};
use crate::control::CarryBrControl;
use crate::import::import;
use crate::ir::Module;
use crate::Channel;
use loom_adg::ChannelType;
use std::sync::Arc;

/// The control of every `carry_br`, whatever its width.
pub fn carry_br_control() -> Arc<Module> {
    import(
        "loom_carry_br_control",
        "Control of carry_br. A condition is taken with a token: of `a` in phase Init (looping_q = 0), of `b` in phase Loop.\n\
         The token goes out on the side that the condition says; a true one goes on to Loop, a false one back to Init.",
        &CarryBrControl::default(),
    )
}

/// The core of `carry_br`. Ports: channels in `d` (1 bit), `a`, `b`; push out `o_true`, `o_false`; `busy`.
pub fn carry_br(width: u32) -> Arc<Module> {
    let mut m = Module::new(format!("loom_carry_br{}", width_suffix(width, 0)));
    m.doc(
        "carry_br: the first token of an activation comes from `a`, one more from `b` behind each true condition `d`; each\n\
         goes out with its own condition, on the true or the false side.\n\
         Guarantees: one token a cycle, within and between activations; a push only while there is room on that side;\n\
         an input's ready is high exactly in the cycles in which its token is consumed; `busy` in the Loop phase.",
    );
    let d = Channel::input(&mut m, "d", ChannelType::bits(1));
    let a = Channel::input(&mut m, "a", ChannelType::bits(width));
    let b = Channel::input(&mut m, "b", ChannelType::bits(width));
    let [[t_push, t_room, t_data], [f_push, f_room, f_data]] = sides(&mut m, width);
    let busy = m.output("busy", 1);
    let select = m.declare("select_b", 1);
    m.instance(
        "control",
        &carry_br_control(),
        &[
            ("d_valid", d.valid),
            ("d_bit", d.data),
            ("d_ready", d.ready),
            ("a_valid", a.valid),
            ("a_ready", a.ready),
            ("b_valid", b.valid),
            ("b_ready", b.ready),
            ("t_push", t_push),
            ("t_room", t_room),
            ("f_push", f_push),
            ("f_room", f_room),
            ("select_b", select.clone()),
            ("busy", busy),
        ],
    );
    if width == 0 {
        m.unused(&select);
    }
    let data = m.wire("data", select.mux(&b.data, &a.data));
    m.drive(&t_data, data.clone());
    m.drive(&f_data, data);
    m.finish()
}
