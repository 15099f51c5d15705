//! `loom_elastic_buffer_w<W>[_t<T>]`: the two-entry buffer that cuts valid, data and ready.

use super::width_suffix;
use crate::control::ElasticBufferControl;
use crate::import::import;
use crate::ir::Module;
use crate::Channel;
use loom_adg::ChannelType;
use std::sync::Arc;

/// The control of every two-entry elastic buffer, whatever its width.
pub fn elastic_buffer_control() -> Arc<Module> {
    import(
        "loom_elastic_buffer_control",
        "Control of the two-entry elastic buffer. The head is what is offered; the tail takes a token that arrives\n\
         while the head waits. Tail full implies head full. `in_ready` and `out_valid` are registers.",
        &ElasticBufferControl::default(),
    )
}

/// The two-entry elastic buffer. Ports: channels `in`, `out`; `busy`.
pub fn elastic_buffer(width: u32, tag_width: u32) -> Arc<Module> {
    let mut m = Module::new(format!("loom_elastic_buffer{}", width_suffix(width, tag_width)));
    m.doc(
        "Two-entry elastic buffer. Guarantees: no combinational path between its two sides, in either direction;\n\
         a token leaves one cycle after it entered at the earliest; one token a cycle without bubbles;\n\
         what is offered stays, unchanged, until taken. `busy` while it holds a token.",
    );
    let input = Channel::input(&mut m, "in", ChannelType::tagged(width, tag_width));
    let output = Channel::output(&mut m, "out", ChannelType::tagged(width, tag_width));
    let busy = m.output("busy", 1);
    let [load_head, head_from_tail, load_tail] =
        ["load_head", "head_from_tail", "load_tail"].map(|n| m.declare(n, 1));
    m.instance(
        "control",
        &elastic_buffer_control(),
        &[
            ("in_valid", input.valid),
            ("in_ready", input.ready),
            ("out_valid", output.valid.clone()),
            ("out_ready", output.ready),
            ("load_head", load_head.clone()),
            ("head_from_tail", head_from_tail.clone()),
            ("load_tail", load_tail.clone()),
        ],
    );
    m.drive(&busy, output.valid);
    if width + tag_width == 0 {
        for e in [&load_head, &head_from_tail, &load_tail] {
            m.unused(e);
        }
    } else {
        m.comment("Entries; their valid bits are in the control, so they need no reset.");
    }
    for (name, into, from) in [("data", output.data, input.data), ("tag", output.tag, input.tag)] {
        let head = m.reg_no_reset(&format!("head_{name}_q"), from.width());
        let tail = m.reg_no_reset(&format!("tail_{name}_q"), from.width());
        m.next(&head, Some(load_head.clone()), head_from_tail.mux(&tail.q, &from));
        m.next(&tail, Some(load_tail.clone()), from);
        m.drive(&into, head.q);
    }
    m.finish()
}
