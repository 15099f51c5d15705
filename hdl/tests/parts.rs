//! Every component at several shapes: IR checks, H1 by structure, lint without waivers, elaboration in yosys; and the
//! text of a small switch and a small PE.

use expect_test::expect_file;
use loom_adg::model::*;
use loom_dfg::{Counter, OpKind, Type};
use loom_hdl::ir::{Design, Module};
use loom_hdl::parts;
use loom_testkit::tools::{verilator_lint, write_files, yosys_check};
use std::sync::Arc;

const W32: ChannelType = ChannelType::bits(32);

fn switch(inputs: &[ChannelType], outputs: &[ChannelType], lanes: Option<u32>) -> Arc<Module> {
    parts::spatial_sw(&SpatialSw {
        inputs: inputs.to_vec(),
        outputs: outputs.to_vec(),
        connectivity: vec![vec![true; inputs.len()]; outputs.len()],
        decomposable_bits: lanes,
    })
}

fn sparse_switch() -> Arc<Module> {
    parts::spatial_sw(&SpatialSw {
        inputs: vec![W32, ChannelType::bits(8), ChannelType::NONE],
        outputs: vec![ChannelType::bits(16), W32],
        connectivity: vec![vec![true, false, false], vec![false, true, false]],
        decomposable_bits: None,
    })
}

fn temporal(inputs: usize, outputs: usize, slots: usize) -> Arc<Module> {
    parts::temporal_sw(&TemporalSw {
        ty: ChannelType::tagged(32, 4),
        inputs,
        outputs,
        connectivity: (0..outputs).map(|o| (0..inputs).map(|i| inputs == 1 || i != o).collect()).collect(),
        num_route_table: slots,
    })
}

fn pe(ports: (usize, usize), fus: Vec<FunctionUnit>, output_buffers: bool) -> Arc<Module> {
    let pe = SpatialPe {
        inputs: vec![W32; ports.0],
        outputs: vec![W32; ports.1],
        fus,
        output_buffers,
        immediates: 0,
    };
    parts::spatial_pe(&pe, 32)
}

fn steer() -> Vec<FunctionUnit> {
    let t = Type::I32;
    vec![
        FunctionUnit::single("cond_br", OpKind::CondBr, &[Type::I1, t], &[t, t]),
        FunctionUnit::single("mux", OpKind::Mux(2), &[Type::I1, t, t], &[t]),
        FunctionUnit::single("join", OpKind::Join(3), &[t, t, t], &[Type::None]),
        FunctionUnit::single("constant", OpKind::Constant, &[Type::None], &[t]),
    ]
}

fn access() -> Vec<FunctionUnit> {
    let (t, x) = (Type::Int(16), Type::Index);
    vec![
        FunctionUnit::single("load", OpKind::Load, &[x, t, Type::None], &[t, x]),
        FunctionUnit::single("store", OpKind::Store, &[x, t, Type::None], &[t, x]),
    ]
}

fn state() -> Vec<FunctionUnit> {
    let (t, c, x) = (Type::I32, Type::I1, Type::Index);
    let mut fus = vec![
        FunctionUnit::single("gate", OpKind::Gate, &[t, c], &[t, c]),
        FunctionUnit::single("carry", OpKind::Carry, &[c, t, t], &[t]),
        FunctionUnit::single("invariant", OpKind::Invariant, &[c, t], &[t]),
    ];
    fus.extend(
        Counter::all().map(|s| FunctionUnit::single(s.name(), OpKind::Stream(s), &[x, x, x], &[x, c])),
    );
    fus
}

fn compute() -> Vec<FunctionUnit> {
    let (t, c) = (Type::I32, Type::I1);
    let two = |kind: OpKind| FunctionUnit::single(kind.mnemonic(), kind, &[t, t], &[t]);
    let mut fus: Vec<FunctionUnit> = [
        OpKind::Addi,
        OpKind::Subi,
        OpKind::Muli,
        OpKind::Andi,
        OpKind::Ori,
        OpKind::Xori,
        OpKind::Shli,
        OpKind::Shrsi,
        OpKind::Shrui,
    ]
    .map(two)
    .to_vec();
    fus.push(FunctionUnit::single("cmpi", OpKind::Cmpi, &[t, t], &[c]));
    fus.push(FunctionUnit::single("select", OpKind::Select, &[c, t, t], &[t]));
    fus.push(FunctionUnit::single("extsi", OpKind::Extsi, &[Type::Int(8)], &[t]));
    fus.push(FunctionUnit::single("extui", OpKind::Extui, &[c], &[t]));
    fus.push(FunctionUnit::single("trunci", OpKind::Trunci, &[t], &[c]));
    fus.push(FunctionUnit::single("cast", OpKind::IndexCast, &[Type::Int(64)], &[Type::Index]));
    fus
}

/// A multiply-add with a compare beside it: two outputs, a latency and an interval.
fn compound(latency: i32, interval: i32) -> FunctionUnit {
    let t = Type::I32;
    let input = BodyValue::Input;
    let result = |op: usize| BodyValue::Result { op, result: 0 };
    FunctionUnit {
        name: "mac".into(),
        inputs: vec![t, t, t],
        body: vec![
            BodyOp { kind: OpKind::Muli.into(), operands: vec![input(0), input(1)], results: vec![t] },
            BodyOp { kind: OpKind::Addi.into(), operands: vec![result(0), input(2)], results: vec![t] },
            BodyOp {
                kind: OpKind::Cmpi.into(),
                operands: vec![result(1), input(2)],
                results: vec![Type::I1],
            },
        ],
        results: vec![result(1), result(2)],
        latency,
        interval,
    }
}

/// A product, to which a third number may be added, with a compare beside it that always takes what the product is of: muxes
/// decide about the third number only, or, where it is the second again, about none.
fn selectable(inputs: usize, latency: i32) -> FunctionUnit {
    let t = Type::I32;
    let input = BodyValue::Input;
    let result = |op: usize| BodyValue::Result { op, result: 0 };
    let op = |kind: BodyKind, operands: [BodyValue; 2], ty: Type| BodyOp {
        kind,
        operands: operands.to_vec(),
        results: vec![ty],
    };
    FunctionUnit {
        name: "selectable".into(),
        inputs: vec![t; inputs],
        body: vec![
            op(OpKind::Muli.into(), [input(0), input(1)], t),
            op(OpKind::Addi.into(), [result(0), input(inputs - 1)], t),
            op(BodyKind::Mux, [result(1), result(0)], t),
            op(OpKind::Cmpi.into(), [input(0), input(1)], Type::I1),
        ],
        results: vec![result(2), result(3)],
        latency,
        interval: 1,
    }
}

/// `lanes` of loads and stores, `bits` of a word and of a tag; external without a number of bytes.
fn memory(lanes: (usize, usize), bits: (u32, u32), regions: usize, bytes: u64, host: bool) -> Arc<Module> {
    parts::memory(&MemoryInterface {
        store: if bytes == 0 { Backing::External } else { Backing::Scratchpad { bytes, host } },
        loads: lanes.0,
        stores: lanes.1,
        queue: 2 + regions,
        width: bits.0,
        address: 32,
        tag: bits.1,
        regions,
    })
}

fn memories() -> Vec<Arc<Module>> {
    vec![
        memory((1, 1), (32, 0), 1, 4096, true),
        memory((1, 1), (32, 0), 1, 0, false),
        memory((1, 0), (64, 0), 2, 0, false),
        memory((0, 1), (16, 0), 1, 0, false),
        memory((1, 0), (8, 0), 1, 1, false),
        memory((0, 1), (8, 0), 1, 16, true),
        memory((0, 1), (64, 0), 1, 8, false),
        memory((4, 2), (64, 2), 3, 1024, true),
        memory((3, 5), (32, 4), 2, 0, false),
        memory((1, 3), (16, 2), 1, 64, false),
        memory((2, 1), (8, 1), 2, 0, false),
    ]
}

fn all_parts() -> Vec<Arc<Module>> {
    let tagged = ChannelType::tagged(32, 4);
    vec![
        switch(&[W32], &[W32], None),
        switch(&[W32; 4], &[W32; 4], None),
        switch(&[W32; 8], &[W32; 8], None),
        switch(&[tagged; 3], &[tagged; 2], None),
        switch(&[ChannelType::NONE; 2], &[ChannelType::NONE; 3], None),
        switch(&[ChannelType::bits(4096); 2], &[ChannelType::bits(4096); 2], None),
        switch(&[W32, ChannelType::bits(16)], &[W32, ChannelType::bits(8)], Some(8)),
        sparse_switch(),
        temporal(1, 1, 1),
        temporal(2, 3, 2),
        temporal(4, 4, 4),
        parts::add_tag(&AddTag { width: 32, tag: 4 }),
        parts::map_tag(&MapTag { width: 32, tag_in: 4, tag_out: 2, table_size: 4 }),
        parts::map_tag(&MapTag { width: 0, tag_in: 1, tag_out: 16, table_size: 1 }),
        parts::del_tag(&DelTag { width: 8, tag: 3 }),
        parts::component(&Component::Fifo(Fifo { ty: tagged, depth: 3, kind: FifoKind::Bypassable }), 32),
        parts::config_hop(),
        parts::config_slice(1, 1),
        parts::config_slice(2, 64),
        parts::config_slice(3, 70),
        parts::error_node(0, 0),
        parts::error_node(1, 1),
        parts::error_node(4, 4),
        parts::config_loader(0, 0, 1),
        parts::config_loader(1, 1, 1),
        parts::config_loader(96, 28, 2),
        pe((3, 2), steer(), false),
        pe((3, 2), state(), true),
        pe((3, 1), compute(), false),
        pe((4, 3), vec![compound(0, 1)], false),
        pe((3, 2), vec![compound(0, 3)], false),
        pe((3, 2), vec![compound(2, 1)], true),
        pe((3, 2), vec![compound(3, 4), compound(1, 1)], false),
        pe((3, 2), vec![selectable(2, 0), selectable(3, 0), selectable(3, 2)], false),
        pe((3, 2), access(), false),
        pe((1, 1), vec![FunctionUnit::single("k", OpKind::Constant, &[Type::None], &[Type::Int(64)])], false),
    ]
    .into_iter()
    .chain(memories())
    .collect()
}

#[test]
fn every_part_is_clean_in_verilator_and_yosys() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let mut tops = Vec::new();
    for (i, top) in all_parts().into_iter().enumerate() {
        let sub = dir.path().join(i.to_string());
        std::fs::create_dir(&sub).expect("writable");
        let files = write_files(&top, &sub);
        verilator_lint(&top, &files);
        tops.push((top, files));
    }
    yosys_check(&tops);
}

#[test]
fn nothing_runs_from_ready_to_valid() {
    for top in all_parts() {
        let mut design = Design::new();
        design.add(&top);
        for module in design.modules() {
            for (output, inputs) in design.comb_deps(&module.name).iter() {
                if output.ends_with("_valid") || output.ends_with("_data") || output.ends_with("_tag") {
                    // A state machine's unit pushes only where there is room: its outputs are no channels.
                    let pushes = module.name.starts_with("loom_fu_") && module.doc[0].contains("dataflow.");
                    let bad = inputs.iter().find(|i| i.ends_with("_ready") && !pushes);
                    assert!(bad.is_none(), "{}: {output} depends on {bad:?}", module.name);
                }
            }
        }
    }
}

#[test]
fn printed_text() {
    let mut design = Design::new();
    let sw = switch(&[ChannelType::bits(8); 2], &[ChannelType::bits(8); 3], None);
    let small = pe((2, 1), vec![compute().swap_remove(0), compute().swap_remove(9)], false);
    design.add(&sw);
    design.add(&small);
    expect_file!["snapshots/loom_spatial_sw_2x3_w8.v"].assert_eq(&design.print(&sw.name));
    let scratchpad = memory((1, 1), (16, 0), 1, 64, true);
    design.add(&scratchpad);
    expect_file!["snapshots/loom_memory_small.v"].assert_eq(&design.print(&scratchpad.name));
    expect_file!["snapshots/loom_spatial_pe_small.v"].assert_eq(&design.print(&small.name));
}
