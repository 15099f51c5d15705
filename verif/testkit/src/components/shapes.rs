//! Legal shapes that are easy to forget: every check, lint and yosys on each; and names that tell shapes apart.

use crate::tools::{verilator_lint, write_files, yosys_check};
use loom_adg::model::*;
use loom_dfg::op::Form;
use loom_dfg::{Counter, OpKind, Type};
#[cfg(test)]
use loom_hdl::ir::Design;
use loom_hdl::ir::Module;
use loom_hdl::parts;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Longest line in characters. Verilator 5.006 gives up at 40000 tokens in one.
const MAX_LINE: usize = 80_000;

/// A unit of one op.
fn one(kind: OpKind, operands: &[Type], results: &[Type]) -> FunctionUnit {
    FunctionUnit::single(kind.mnemonic(), kind, operands, results)
}

/// Units at the narrowest and oddest types their ops allow.
pub fn odd_units() -> Vec<FunctionUnit> {
    let (none, bit, index, wide) = (Type::None, Type::I1, Type::Index, Type::Int(64));
    let int = Type::Int;
    let mut fus = Vec::new();
    for kind in
        [OpKind::Addi, OpKind::Subi, OpKind::Muli, OpKind::Andi, OpKind::Shli, OpKind::Shrsi, OpKind::Shrui]
    {
        for t in [bit, int(3), index, wide] {
            fus.push(one(kind, &[t, t], &[t]));
        }
    }
    for kind in OpKind::TABLE.iter().copied().filter(|k| matches!(k.form(), Form::Division(_))) {
        for t in [bit, int(8), index, wide] {
            let mut fu = one(kind, &[t, t], &[t]);
            // Enough for any index width a test takes, and for some units more than enough.
            fu.set_digit_time(64);
            if kind == OpKind::Divsi && t == int(8) {
                (fu.latency, fu.interval) = (11, 14);
            }
            fus.push(fu);
        }
    }
    for kind in [OpKind::Maxsi, OpKind::Maxui, OpKind::Minsi, OpKind::Minui] {
        for t in [bit, int(8), index, wide] {
            fus.push(one(kind, &[t, t], &[t]));
        }
    }
    for kind in [OpKind::Absi, OpKind::Ctlz, OpKind::Cttz, OpKind::Ctpop, OpKind::Bitreverse] {
        for t in [bit, int(2), int(3), int(8), index, int(37), wide] {
            fus.push(one(kind, &[t], &[t]));
        }
    }
    for t in [bit, int(32), wide] {
        fus.push(one(OpKind::IndexCastui, &[t], &[index]));
        fus.push(one(OpKind::IndexCastui, &[index], &[t]));
    }
    for t in [bit, int(2), index, wide] {
        fus.push(one(OpKind::Cmpi, &[t, t], &[bit]));
    }
    for t in [bit, Type::F64, Type::Bf16] {
        fus.push(one(OpKind::Select, &[bit, t, t], &[t]));
    }
    for t in [none, bit, Type::F64, Type::Bf16] {
        fus.push(one(OpKind::CondBr, &[bit, t], &[t, t]));
        fus.push(one(OpKind::Mux(2), &[bit, t, t], &[t]));
        fus.push(one(OpKind::Mux(3), &[int(2), t, t, t], &[t]));
        fus.push(one(OpKind::Mux(3), &[index, t, t, t], &[t]));
        fus.push(one(OpKind::Mux(4), &[int(2), t, t, t, t], &[t]));
        fus.push(one(OpKind::Gate, &[t, bit], &[t, bit]));
        fus.push(one(OpKind::Carry, &[bit, t, t], &[t]));
        fus.push(one(OpKind::Invariant, &[bit, t], &[t]));
        fus.push(one(OpKind::CarryBr, &[bit, t, t], &[t, t]));
        fus.push(one(OpKind::InvariantBr, &[bit, t], &[t, t]));
    }
    fus.push(one(OpKind::Extsi, &[bit], &[int(2)]));
    fus.push(one(OpKind::Extsi, &[int(63)], &[wide]));
    fus.push(one(OpKind::Extui, &[bit], &[wide]));
    fus.push(one(OpKind::Trunci, &[int(2)], &[bit]));
    for t in [bit, int(32), wide] {
        fus.push(one(OpKind::IndexCast, &[t], &[index]));
        fus.push(one(OpKind::IndexCast, &[index], &[t]));
    }
    for t in [bit, int(8), index, Type::F64] {
        fus.push(one(OpKind::Load, &[index, t, none], &[t, index]));
        fus.push(one(OpKind::Store, &[index, t, none], &[t, index]));
    }
    for t in [bit, index, wide, Type::F16] {
        fus.push(one(OpKind::Constant, &[none], &[t]));
    }
    fus.push(one(OpKind::Join(1), &[none], &[none]));
    fus.push(one(OpKind::Join(2), &[Type::I32, none], &[none]));
    fus.push(one(OpKind::Join(9), &[none; 9], &[none]));
    fus.extend(Counter::all().map(|c| one(OpKind::Stream(c), &[index; 3], &[index, bit])));
    fus
}

/// Legal units with less in them than usual: a select between control tokens, a mux of one input.
pub fn bare_units() -> Vec<FunctionUnit> {
    let (none, bit) = (Type::None, Type::I1);
    vec![
        one(OpKind::Select, &[bit, none, none], &[none]),
        one(OpKind::Mux(1), &[bit, Type::I32], &[Type::I32]),
        one(OpKind::Mux(1), &[bit, none], &[none]),
    ]
}

/// The narrowest PE that holds one unit.
pub fn pe_of(fu: FunctionUnit, index_width: u32) -> SpatialPe {
    let ports = |types: &[Type]| types.iter().map(|t| ChannelType::bits(t.width(index_width))).collect();
    SpatialPe {
        inputs: ports(&fu.inputs),
        outputs: ports(&fu.output_types()),
        output_buffers: false,
        immediates: 0,
        fus: vec![fu],
    }
}

/// Prints, checks, lints and elaborates each.
fn all_clean(modules: &[Arc<Module>]) {
    let dir = tempfile::tempdir().expect("temporary folder");
    yosys_check(&readable(modules, dir.path()));
}

/// Prints, checks and lints each; no line is too long for a tool to read.
fn readable(modules: &[Arc<Module>], dir: &Path) -> Vec<(Arc<Module>, Vec<PathBuf>)> {
    let mut tops = Vec::new();
    for (at, top) in modules.iter().enumerate() {
        let sub = dir.join(at.to_string());
        std::fs::create_dir(&sub).expect("writable");
        let files = write_files(top, &sub);
        for file in &files {
            let text = std::fs::read_to_string(file).expect("written");
            let longest = text.lines().map(str::len).max().unwrap_or(0);
            assert!(longest < MAX_LINE, "{}: a line of {longest} characters", file.display());
        }
        verilator_lint(top, &files);
        tops.push((top.clone(), files));
    }
    tops
}

/// A PE of its own for each unit.
fn alone(fus: Vec<FunctionUnit>) -> Vec<Arc<Module>> {
    let mut modules = Vec::new();
    for fu in fus {
        for index_width in [32, 64] {
            if index_width == 32 || fu.inputs.contains(&Type::Index) {
                modules.push(parts::spatial_pe(&pe_of(fu.clone(), index_width), index_width));
            }
        }
    }
    modules
}

#[test]
fn odd_units_are_clean() {
    all_clean(&alone(odd_units()));
}

#[test]
fn bare_units_are_clean() {
    all_clean(&alone(bare_units()));
}

#[test]
fn odd_components_are_clean() {
    let w = ChannelType::bits;
    let sparse = vec![vec![true, false, true], vec![false, true, false]];
    let components = [
        // Outputs narrower than what feeds them, an input wider than all it feeds.
        Component::SpatialSw(SpatialSw {
            inputs: vec![w(9), w(0), w(64)],
            outputs: vec![w(4), w(7)],
            connectivity: sparse.clone(),
            decomposable_bits: None,
        }),
        Component::SpatialSw(SpatialSw {
            inputs: vec![ChannelType::tagged(8, 3), ChannelType::tagged(0, 16), ChannelType::tagged(1, 1)],
            outputs: vec![ChannelType::tagged(4, 2), ChannelType::tagged(16, 8)],
            connectivity: sparse.clone(),
            decomposable_bits: None,
        }),
        Component::SpatialSw(SpatialSw {
            inputs: vec![w(1), w(3), w(2)],
            outputs: vec![w(2), w(1)],
            connectivity: sparse.clone(),
            decomposable_bits: Some(1),
        }),
        Component::TemporalSw(TemporalSw {
            ty: ChannelType::tagged(0, 16),
            inputs: 3,
            outputs: 2,
            connectivity: sparse,
            num_route_table: 3,
        }),
        Component::TemporalSw(TemporalSw {
            ty: ChannelType::tagged(1, 1),
            inputs: 1,
            outputs: 5,
            connectivity: vec![vec![true]; 5],
            num_route_table: 1,
        }),
        Component::Fifo(Fifo { ty: w(0), depth: 1, kind: FifoKind::Bypassable }),
        Component::Fifo(Fifo { ty: w(0), depth: 7, kind: FifoKind::Bypassable }),
        Component::Fifo(Fifo { ty: ChannelType::tagged(0, 1), depth: 3, kind: FifoKind::Bypassable }),
        Component::Fifo(Fifo { ty: ChannelType::tagged(4, 1), depth: 2, kind: FifoKind::Bypassable }),
        Component::AddTag(AddTag { width: 0, tag: 16 }),
        Component::DelTag(DelTag { width: 0, tag: 1 }),
        Component::MapTag(MapTag { width: 64, tag_in: 16, tag_out: 1, table_size: 3 }),
        // Ports wider than any unit, ports nobody needs, and units of different shape.
        Component::SpatialPe(SpatialPe {
            inputs: vec![w(64), w(0), w(8)],
            outputs: vec![w(64), w(0), w(1)],
            fus: vec![
                one(OpKind::Constant, &[Type::None], &[Type::Int(8)]),
                one(OpKind::Cmpi, &[Type::Int(8); 2], &[Type::I1]),
                one(OpKind::Join(2), &[Type::Int(64), Type::None], &[Type::None]),
            ],
            output_buffers: true,
            immediates: 0,
        }),
    ];
    all_clean(&components.map(|c| parts::component(&c, 32)));
}

#[test]
fn one_name_is_one_text() {
    // A design refuses two texts under one name, so that all of these go into one is the test.
    let mut design = Design::new();
    for fu in odd_units() {
        for index_width in [32, 64] {
            design.add(&parts::function_unit(&fu, index_width));
        }
    }
}

#[test]
fn joins_of_other_widths_have_other_names() {
    let mut design = Design::new();
    let (t, none) = (Type::I32, Type::None);
    for operands in [[t, t, none], [t, none, none], [t, none, t]] {
        design.add(&parts::function_unit(&one(OpKind::Join(3), &operands, &[none]), 32));
    }
}

fn memory(lanes: usize, queue: usize, tag: u32, address: u32, regions: usize, store: Backing) -> Arc<Module> {
    let (loads, stores, width) = (lanes, lanes, 64);
    parts::memory(&MemoryInterface { store, loads, stores, queue, width, address, tag, regions })
}

fn full(inputs: usize, outputs: usize) -> Vec<Vec<bool>> {
    vec![vec![true; inputs]; outputs]
}

#[test]
fn large_switches_are_clean() {
    let w = ChannelType::bits;
    all_clean(&[
        parts::spatial_sw(&SpatialSw {
            inputs: vec![w(8); 32],
            outputs: vec![w(8); 32],
            connectivity: full(32, 32),
            decomposable_bits: None,
        }),
        parts::spatial_sw(&SpatialSw {
            inputs: vec![w(8); 6],
            outputs: vec![w(8); 2],
            connectivity: full(6, 2),
            decomposable_bits: Some(1),
        }),
    ]);
}

/// At the limits of tables, slots, lanes and ports no line may grow with the square of the shape. Not elaborated by
/// yosys: that takes minutes.
#[test]
fn components_at_their_limits_are_clean() {
    let w = ChannelType::bits;
    let temporal = |inputs, outputs, num_route_table| {
        let ty = ChannelType::tagged(8, 8);
        let connectivity = full(inputs, outputs);
        parts::temporal_sw(&TemporalSw { ty, inputs, outputs, connectivity, num_route_table })
    };
    let modules = [
        parts::spatial_sw(&SpatialSw {
            inputs: vec![w(64); 4],
            outputs: vec![w(4); 2],
            connectivity: full(4, 2),
            decomposable_bits: Some(1),
        }),
        temporal(16, 16, 16),
        temporal(2, 1, 128),
        parts::map_tag(&MapTag { width: 8, tag_in: 8, tag_out: 8, table_size: 256 }),
        memory(64, 64, 7, 64, 64, Backing::External),
        memory(64, 64, 6, 64, 1, Backing::Scratchpad { bytes: 1 << 20, host: true }),
        parts::spatial_pe(&pe_of(one(OpKind::Join(64), &[Type::None; 64], &[Type::None]), 32), 32),
    ];
    let dir = tempfile::tempdir().expect("temporary folder");
    readable(&modules, dir.path());
}
