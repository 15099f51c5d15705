//! `loom_gate_w<W>`: shifts conditions by one against their values.

use super::width_suffix;
use crate::control::GateControl;
use crate::import::import;
use crate::ir::Module;
use crate::Channel;
use loom_adg::ChannelType;
use std::sync::Arc;

/// The control of every `gate`, whatever its width.
pub fn gate_control() -> Arc<Module> {
    import(
        "loom_gate_control",
        "Control of gate. Value and condition are consumed together (`take`).\n\
         Phase Head (body_q = 0): a true condition sends the value and opens the body; a false one sends nothing.\n\
         Phase Body: a true condition sends the value and `true`; a false one sends `false`, back to Head.",
        &GateControl::default(),
    )
}

/// The core of `gate`. Ports: channels in `value`, `cond` (1 bit); pushes out `o_value`, `o_cond` (1 bit); `busy`.
pub fn gate(width: u32) -> Arc<Module> {
    let mut m = Module::new(format!("loom_gate{}", width_suffix(width, 0)));
    m.doc(
        "gate: of N values with true conditions and one with false, sends the N values, and N conditions of which\n\
         the last is false. N = 0 sends nothing.\n\
         Guarantees: one pair consumed a cycle, within and between activations; a push only while its output has\n\
         room, and then both outputs of a step in the same cycle; `busy` in the Body phase.",
    );
    let value = Channel::input(&mut m, "value", ChannelType::bits(width));
    let cond = Channel::input(&mut m, "cond", ChannelType::bits(1));
    let value_push = m.output("o_value_push", 1);
    let value_room = m.input("o_value_room", 1);
    let value_data = m.output("o_value_data", width);
    let cond_push = m.output("o_cond_push", 1);
    let cond_room = m.input("o_cond_room", 1);
    let cond_data = m.output("o_cond_data", 1);
    let busy = m.output("busy", 1);
    let take = m.declare("take", 1);
    m.instance(
        "control",
        &gate_control(),
        &[
            ("value_valid", value.valid),
            ("cond_valid", cond.valid),
            ("cond_bit", cond.data.clone()),
            ("take", take.clone()),
            ("o_value_push", value_push),
            ("o_value_room", value_room),
            ("o_cond_push", cond_push),
            ("o_cond_room", cond_room),
            ("busy", busy),
        ],
    );
    m.drive(&value.ready, take.clone());
    m.drive(&cond.ready, take);
    m.drive(&value_data, value.data);
    m.drive(&cond_data, cond.data);
    m.finish()
}
