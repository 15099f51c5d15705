//! Every leaf at many widths: IR checks, lint without waivers, elaboration; and the text of some.

use expect_test::expect_file;
use loom_adg::model::FifoKind;
use loom_dfg::{Counter, StepOp};
use loom_hdl::ir::{Design, Module};
use loom_hdl::leaf;
use loom_testkit::tools::{verilator_lint, write_files, yosys_check};
use std::sync::Arc;

const WIDTHS: [u32; 5] = [0, 1, 7, 32, 4096];

fn all_leaves() -> Vec<Arc<Module>> {
    let mut all = Vec::new();
    for w in WIDTHS {
        all.extend([leaf::carry(w), leaf::invariant(w), leaf::gate(w), leaf::elastic_buffer(w, 0)]);
        all.extend([
            leaf::fifo(w, 0, 1, FifoKind::Registered),
            leaf::fifo(w, 0, 3, FifoKind::Registered),
            leaf::fifo(w, 0, 8, FifoKind::Bypassable),
        ]);
        all.extend([leaf::eager_fork(w, 1), leaf::eager_fork(w, 3)]);
    }
    all.extend([
        leaf::elastic_buffer(0, 4),
        leaf::elastic_buffer(32, 4),
        leaf::fifo(32, 4, 5, FifoKind::Bypassable),
    ]);
    all.extend([
        leaf::fifo(0, 2, 1, FifoKind::Bypassable),
        leaf::fifo(32, 3, 2, FifoKind::Bypassable),
        leaf::fifo(8, 0, 64, FifoKind::Registered),
    ]);
    for counter in Counter::all() {
        all.extend([2, 8, 32, 64].map(|w| leaf::stream(w, counter)));
    }
    all
}

#[test]
fn every_leaf_is_clean_in_verilator_and_yosys() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let mut tops = Vec::new();
    for (i, top) in all_leaves().into_iter().enumerate() {
        let sub = dir.path().join(i.to_string());
        std::fs::create_dir(&sub).expect("writable");
        let files = write_files(&top, &sub);
        verilator_lint(&top, &files);
        tops.push((top, files));
    }
    yosys_check(&tops);
}

#[test]
fn printed_text() {
    let mut design = Design::new();
    for m in [
        leaf::carry(32),
        leaf::elastic_buffer(32, 0),
        leaf::stream(32, Counter::signed(StepOp::Add)),
        leaf::fifo(8, 2, 5, FifoKind::Bypassable),
    ] {
        design.add(&m);
    }
    expect_file!["snapshots/loom_carry_w32.v"].assert_eq(&design.print("loom_carry_w32"));
    expect_file!["snapshots/loom_carry_control.v"].assert_eq(&design.print("loom_carry_control"));
    expect_file!["snapshots/loom_elastic_buffer_w32.v"].assert_eq(&design.print("loom_elastic_buffer_w32"));
    expect_file!["snapshots/loom_stream_add_w32.v"].assert_eq(&design.print("loom_stream_add_w32"));
    expect_file!["snapshots/loom_fifo_d5_w8_t2.v"].assert_eq(&design.print("loom_fifo_d5_w8_t2"));
}
