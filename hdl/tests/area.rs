//! Area and depth of the leaves, generic gates of yosys, against the limits of the design's peer table.
//!
//! The limit is the peer's unit with its output registers included, so a core has room to spare.

use loom_adg::model::FifoKind;
use loom_dfg::{Counter, StepOp};
use loom_hdl::ir::Module;
use loom_hdl::leaf;
use loom_testkit::tools::area;
use std::sync::Arc;

#[test]
fn no_larger_than_the_peers() {
    let cases: [(Arc<Module>, u32, u32, u32); 11] = [
        (leaf::stream(32, Counter::signed(StepOp::Add)), 824, 235, 65),
        (leaf::stream(64, Counter::signed(StepOp::Add)), 1581, 459, 129),
        (leaf::gate(32), 92, 77, 6),
        (leaf::gate(64), 124, 141, 6),
        (leaf::carry(32), 61, 38, 4),
        (leaf::carry(64), 93, 70, 4),
        (leaf::invariant(32), 58, 69, 4),
        (leaf::invariant(64), 90, 133, 4),
        (leaf::fifo(32, 0, 2, FifoKind::Registered), 48, 70, 4),
        (leaf::fifo(32, 0, 4, FifoKind::Registered), 128, 139, 8),
        (leaf::stream(32, Counter::signed(StepOp::Sub)), 824, 235, 65),
    ];
    let mut wrong = Vec::new();
    for (m, gates, bits, depth) in cases {
        let (g, b, d) = area(&m);
        println!(
            "{:28} gates {g:5} (limit {gates:5})  bits {b:4} ({bits:4})  path {d:3} ({depth:3})",
            m.name
        );
        if g > gates || b > bits || d > depth {
            wrong.push(m.name.clone());
        }
    }
    assert!(wrong.is_empty(), "larger or deeper than the peers: {wrong:?}");
}
