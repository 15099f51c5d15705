//! What is proved: one entry for each module and shape. The one source for `loom prove`, tests and documentation.

use super::entry::Entry;
use super::{components, memories};
use loom_adg::model::FifoKind;
use loom_dfg::{Counter, StepOp};
use loom_hdl::leaf;

/// Every entry, in the order of the report.
pub fn entries() -> Vec<Entry> {
    let mut all = Vec::new();
    all.extend(WIDTHS.map(|w| Entry::new("carry", "carry.v", w, leaf::carry(w))));
    all.extend(WIDTHS.map(|w| Entry::new("invariant", "invariant.v", w, leaf::invariant(w))));
    all.extend(WIDTHS.map(|w| Entry::new("gate", "gate.v", w, leaf::gate(w))));
    all.extend(WIDTHS.map(|w| Entry::new("carry_br", "carry_br.v", w, leaf::carry_br(w))));
    all.extend(WIDTHS.map(|w| Entry::new("invariant_br", "invariant_br.v", w, leaf::invariant_br(w))));
    all.extend(Counter::all().flat_map(streams));
    all.extend(WIDTHS.map(|w| buffer("elastic buffer", w, 0, 2, FifoKind::Registered)));
    for (depth, width, tag, kind) in [
        (1, 0, 0, FifoKind::Registered),
        (1, 32, 0, FifoKind::Registered),
        (3, 8, 2, FifoKind::Registered),
        (4, 0, 0, FifoKind::Registered),
        (4, 32, 0, FifoKind::Registered),
        (5, 8, 0, FifoKind::Registered),
        (2, 8, 0, FifoKind::Bypassable),
        (3, 32, 0, FifoKind::Bypassable),
        (1, 0, 0, FifoKind::FallThrough),
        (1, 32, 0, FifoKind::FallThrough),
        (2, 8, 2, FifoKind::FallThrough),
        (3, 8, 0, FifoKind::FallThrough),
    ] {
        all.push(buffer("fifo", width, tag, depth, kind));
    }
    for (outputs, width) in [(2, 0), (3, 8), (3, 32)] {
        let mut entry = Entry::new("fork", "fork.v", width, leaf::eager_fork(width, outputs))
            .shape(format!("1 to {outputs}, w{width}"))
            .define("N", outputs);
        if outputs == 3 {
            entry = entry.define("THREE", 1);
        }
        all.push(entry);
    }
    components::add(&mut all);
    memories::add(&mut all);
    all
}

const WIDTHS: [u32; 3] = [0, 8, 32];

/// A stream at each width: with its operator where a proof can see through it, else with the operator cut out.
fn streams(counter: Counter) -> Vec<Entry> {
    let op = counter.step_op;
    let hard = matches!(op, StepOp::Mul | StepOp::Div);
    let shapes: &[(u32, bool)] =
        if hard { &[(4, false), (8, true), (32, true)] } else { &[(8, false), (32, false)] };
    let entry = |&(width, cut): &(u32, bool)| {
        let number = StepOp::ALL.iter().position(|o| *o == op).expect("all of them");
        let shape = if cut { ", operator cut" } else { "" };
        let mut entry = Entry::new("stream", "stream.v", width, leaf::stream(width, counter))
            .shape(format!("`{counter}`, w{width}{shape}"))
            .define("OP", number)
            .tap("h_idx", "idx_q")
            .tap("h_step", "step_q")
            .tap("h_bound", "bound_q");
        entry.smoke &= op == StepOp::Add;
        if counter.is_unsigned() {
            entry = entry.define("BOTH", 1);
        }
        if op != StepOp::Shr {
            entry = entry.define("OVERFLOWS", 1).tap("h_overflow", "overflow_q");
        }
        if op == StepOp::Div {
            entry = entry.define("DIVIDES", 32 - width.leading_zeros()).tap("h_count", "count_q");
        }
        if cut {
            entry = entry.define("CUT", 1);
            let taps: &[_] = match op {
                StepOp::Mul => &[("cut_product", "product"), ("cut_high", "product_high")],
                _ => &[("cut_quotient", "shifted"), ("cut_negative", "negative_q")],
            };
            for (wire, net) in taps {
                entry.cuts.push(net);
                entry = entry.tap(*wire, *net);
            }
        }
        entry
    };
    shapes.iter().map(entry).collect()
}

/// A buffer of `depth` tokens.
fn buffer(module: &'static str, width: u32, tag: u32, depth: u32, kind: FifoKind) -> Entry {
    let mut shape = if depth == 2 && kind == FifoKind::Registered {
        format!("w{width}")
    } else {
        format!("depth {depth}, w{width}")
    };
    let mut entry =
        Entry::new(module, "fifo.v", width, leaf::fifo(width, tag, depth, kind)).define("DEPTH", depth);
    entry.smoke &= depth < 4;
    if tag > 0 {
        entry = entry.define("TAG", tag);
        shape.push_str(&format!(", tag {tag}"));
    }
    match kind {
        FifoKind::Registered => {}
        FifoKind::Bypassable => {
            entry = entry.define("BYPASS", 1);
            shape.push_str(", bypassable");
        }
        FifoKind::FallThrough => {
            entry = entry.define("FALLS", 1);
            shape.push_str(", fall-through");
        }
    }
    entry.shape(shape)
}

/// Files that harnesses include.
pub const SHARED: &[&str] = &["common.vh", "lanes.vh", "regions.vh", "back_ends.vh"];

/// The text of a harness file or of one it includes. Panics for a name that no entry may have.
pub fn harness(file: &str) -> &'static str {
    match file {
        "common.vh" => include_str!("../formal/common.vh"),
        "lanes.vh" => include_str!("../formal/lanes.vh"),
        "regions.vh" => include_str!("../formal/regions.vh"),
        "back_ends.vh" => include_str!("../formal/back_ends.vh"),
        "carry.v" => include_str!("../formal/carry.v"),
        "carry_br.v" => include_str!("../formal/carry_br.v"),
        "invariant_br.v" => include_str!("../formal/invariant_br.v"),
        "invariant.v" => include_str!("../formal/invariant.v"),
        "gate.v" => include_str!("../formal/gate.v"),
        "stream.v" => include_str!("../formal/stream.v"),
        "fifo.v" => include_str!("../formal/fifo.v"),
        "tags.v" => include_str!("../formal/tags.v"),
        "spatial_sw.v" => include_str!("../formal/spatial_sw.v"),
        "decomposed_sw.v" => include_str!("../formal/decomposed_sw.v"),
        "lanes.v" => include_str!("../formal/lanes.v"),
        "memory.v" => include_str!("../formal/memory.v"),
        "temporal_sw.v" => include_str!("../formal/temporal_sw.v"),
        "pe.v" => include_str!("../formal/pe.v"),
        "loader.v" => include_str!("../formal/loader.v"),
        "slice.v" => include_str!("../formal/slice.v"),
        "hop.v" => include_str!("../formal/hop.v"),
        "error_node.v" => include_str!("../formal/error_node.v"),
        "fork.v" => include_str!("../formal/fork.v"),
        _ => panic!("no harness `{file}`"),
    }
}
