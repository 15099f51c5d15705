//! `loom_invariant_br_w<W>`: a value repeated for each iteration, and given once behind the loop.

use super::{repeated, sides, width_suffix};
use crate::control::InvariantBrControl;
use crate::import::import;
use crate::ir::Module;
use crate::Channel;
use loom_adg::ChannelType;
use std::sync::Arc;

/// The control of every `invariant_br`, whatever its width.
pub fn invariant_br_control() -> Arc<Module> {
    import(
        "loom_invariant_br_control",
        "Control of invariant_br. Phase Init (looping_q = 0): a token of `a` is stored. A condition is taken when there is a\n\
         value, stored or just offered, and the value goes out on the side that it says; a false one goes back to Init.",
        &InvariantBrControl::default(),
    )
}

/// The core of `invariant_br`. Ports: channels in `d` (1 bit), `a`; push out `o_true`, `o_false`; `busy`.
pub fn invariant_br(width: u32) -> Arc<Module> {
    let mut m = Module::new(format!("loom_invariant_br{}", width_suffix(width, 0)));
    m.doc(
        "invariant_br: sends a token of `a` on the true side for each true condition `d`, and once on the false side for\n\
         the false one.\n\
         Guarantees: one token a cycle, within and between activations; a push only while there is room on that side;\n\
         an input's ready is high exactly in the cycles in which its token is consumed; `busy` in the Loop phase.",
    );
    let d = Channel::input(&mut m, "d", ChannelType::bits(1));
    let a = Channel::input(&mut m, "a", ChannelType::bits(width));
    let [[t_push, t_room, t_data], [f_push, f_room, f_data]] = sides(&mut m, width);
    let busy = m.output("busy", 1);
    let select = m.declare("select_stored", 1);
    m.instance(
        "control",
        &invariant_br_control(),
        &[
            ("d_valid", d.valid),
            ("d_bit", d.data),
            ("d_ready", d.ready),
            ("a_valid", a.valid.clone()),
            ("a_ready", a.ready.clone()),
            ("t_push", t_push),
            ("t_room", t_room),
            ("f_push", f_push),
            ("f_room", f_room),
            ("select_stored", select.clone()),
            ("busy", busy),
        ],
    );
    let value = repeated(&mut m, a, &select, width);
    let data = m.wire("data", value);
    m.drive(&t_data, data.clone());
    m.drive(&f_data, data);
    m.finish()
}
