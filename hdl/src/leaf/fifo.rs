//! `loom_fifo_d<D>_w<W>[_t<T>][_byp|_ft]`: buffers of any depth.

use super::{elastic_buffer, width_suffix};
use crate::ir::{Expr, Module};
use crate::Channel;
use loom_adg::model::{ChannelType, FifoKind};
use std::sync::Arc;

/// A FIFO. Ports: channels `in`, `out`; `busy`; config input `bypass` when bypassable.
///
/// A registered one of depth 2 is the two-entry elastic buffer itself. Panics for depth 0.
pub fn fifo(width: u32, tag_width: u32, depth: u32, kind: FifoKind) -> Arc<Module> {
    assert!(depth >= 1, "a fifo without entries");
    let plain = match depth {
        1 => single(width, tag_width),
        2 => elastic_buffer(width, tag_width),
        _ => circular(width, tag_width, depth),
    };
    match kind {
        FifoKind::Registered => plain,
        FifoKind::Bypassable => bypass(&plain, ChannelType::tagged(width, tag_width), depth),
        FifoKind::FallThrough => fall_through(&plain, ChannelType::tagged(width, tag_width), depth),
    }
}

fn name(width: u32, tag_width: u32, depth: u32) -> String {
    format!("loom_fifo_d{depth}{}", width_suffix(width, tag_width))
}

/// One entry: full or empty, so a token every second cycle.
fn single(width: u32, tag_width: u32) -> Arc<Module> {
    let mut m = Module::new(name(width, tag_width, 1));
    m.doc(
        "FIFO of one entry. Guarantees: no combinational path between its two sides; a token every second cycle;\n\
         what is offered stays, unchanged, until taken. `busy` while it holds a token.",
    );
    let input = Channel::input(&mut m, "in", ChannelType::tagged(width, tag_width));
    let output = Channel::output(&mut m, "out", ChannelType::tagged(width, tag_width));
    let busy = m.output("busy", 1);
    m.comment("Fills when a token arrives at the empty entry, drains when it is taken.");
    let full = m.reg("full_q", 1, 0u32);
    m.next(&full, None, full.q.mux(&!&output.ready, &input.valid));
    m.drive(&input.ready, !&full.q);
    m.drive(&output.valid, full.q.clone());
    m.drive(&busy, full.q.clone());
    for (name, into, from) in [("data", output.data, input.data), ("tag", output.tag, input.tag)] {
        let entry = m.reg_no_reset(&format!("{name}_q"), from.width());
        m.next(&entry, Some(!&full.q), from);
        m.drive(&into, entry.q);
    }
    m.finish()
}

/// Smallest width that holds the numbers 0..count.
fn index_width(count: u32) -> u32 {
    (32 - (count - 1).leading_zeros()).max(1)
}

/// Entries in a ring between a write and a read pointer.
fn circular(width: u32, tag_width: u32, depth: u32) -> Arc<Module> {
    let mut m = Module::new(name(width, tag_width, depth));
    m.doc(&format!(
        "FIFO of {depth} entries. Guarantees: no combinational path between its two sides; a token leaves one cycle\n\
         after it entered at the earliest; one token a cycle without bubbles; what is offered stays, unchanged,\n\
         until taken. `busy` while it holds a token."
    ));
    let input = Channel::input(&mut m, "in", ChannelType::tagged(width, tag_width));
    let output = Channel::output(&mut m, "out", ChannelType::tagged(width, tag_width));
    let busy = m.output("busy", 1);
    let bits = index_width(depth);
    m.comment("Entries from `read_q` up to `write_q` hold tokens; equal pointers mean empty, or full when `full_q`.");
    let read = m.reg("read_q", bits, 0u32);
    let write = m.reg("write_q", bits, 0u32);
    let full = m.reg("full_q", 1, 0u32);
    let same = m.wire("same", read.q.eq(&write.q));
    m.drive(&input.ready, !&full.q);
    m.drive(&output.valid, &full.q | !&same);
    m.drive(&busy, output.valid.clone());
    let enter = m.wire("enter", &input.valid & !&full.q);
    let leave = m.wire("leave", &output.valid & &output.ready);
    let after = |pointer: &Expr| {
        let next = pointer.add(&Expr::konst(bits, 1u32));
        if depth.is_power_of_two() {
            next
        } else {
            pointer.eq_const(depth - 1).mux(&Expr::zero(bits), &next)
        }
    };
    let write_next = m.wire("write_next", after(&write.q));
    m.next(&write, Some(enter.clone()), write_next.clone());
    let read_next = m.wire("read_next", after(&read.q));
    m.next(&read, Some(leave.clone()), read_next);
    m.comment("Becomes full with the token that makes the pointers meet, and not full when one leaves.");
    let full_next = m.wire("full_next", enter.mux(&write_next.eq(&read.q), &full.q) & !&leave);
    m.next(&full, None, full_next);
    for (name, into, from) in [("data", output.data, input.data), ("tag", output.tag, input.tag)] {
        let mem = m.memory(&format!("{name}_mem"), depth, from.width());
        m.mem_write(&mem, enter.clone(), write.q.clone(), from);
        let head = m.mem_read(&format!("{name}_head"), &mem, read.q.clone());
        m.drive(&into, head);
    }
    m.finish()
}

/// The FIFO with a configuration bit that turns it into a wire.
fn bypass(plain: &Arc<Module>, ty: ChannelType, depth: u32) -> Arc<Module> {
    let mut m = Module::new(format!("{}_byp", name(ty.width, ty.tag, depth)));
    m.doc(&format!(
        "FIFO of {depth} entries that `bypass` turns into a wire: then valid, data and ready pass through\n\
         combinationally and the storage stays empty. `bypass` may change only while `busy` is low."
    ));
    let bypass = m.input("bypass", 1);
    let input = Channel::input(&mut m, "in", ty);
    let output = Channel::output(&mut m, "out", ty);
    let busy = m.output("busy", 1);
    let inner_valid = m.wire("fifo_in_valid", &input.valid & !&bypass);
    let inner = m.instance(
        "fifo",
        plain,
        &[
            ("in_valid", inner_valid),
            ("in_data", input.data.clone()),
            ("in_tag", input.tag.clone()),
            ("out_ready", output.ready.clone()),
            ("busy", busy),
        ],
    );
    m.drive(&input.ready, bypass.mux(&output.ready, &inner.out("in_ready")));
    m.drive(&output.valid, bypass.mux(&input.valid, &inner.out("out_valid")));
    m.drive(&output.data, bypass.mux(&input.data, &inner.out("out_data")));
    m.drive(&output.tag, bypass.mux(&input.tag, &inner.out("out_tag")));
    m.finish()
}

/// The FIFO that a token passes within the cycle when nothing is before it.
fn fall_through(plain: &Arc<Module>, ty: ChannelType, depth: u32) -> Arc<Module> {
    let mut m = Module::new(format!("{}_ft", name(ty.width, ty.tag, depth)));
    m.doc(&format!(
        "FIFO of {depth} entries that a token passes within the cycle when it is empty and the token is taken; else it\n\
         is kept. Guarantees: `in_ready` is a register; one token a cycle without bubbles; what is offered stays,\n\
         unchanged, until taken. `busy` while it holds a token."
    ));
    let input = Channel::input(&mut m, "in", ty);
    let output = Channel::output(&mut m, "out", ty);
    let busy = m.output("busy", 1);
    let holds = m.declare("holds", 1);
    let kept = m.wire("kept", &input.valid & !(!&holds & &output.ready));
    let inner = m.instance(
        "fifo",
        plain,
        &[
            ("in_valid", kept),
            ("in_data", input.data.clone()),
            ("in_tag", input.tag.clone()),
            ("out_ready", output.ready.clone()),
            ("out_valid", holds.clone()),
            ("busy", busy),
        ],
    );
    m.drive(&input.ready, inner.out("in_ready"));
    m.drive(&output.valid, &holds | &input.valid);
    m.drive(&output.data, holds.mux(&inner.out("out_data"), &input.data));
    m.drive(&output.tag, holds.mux(&inner.out("out_tag"), &input.tag));
    m.finish()
}
