//! Entries of components with configuration, and of what loads it. The harness reads fields where the layout puts them: macro `F_<field>` is
//! the lowest bit of a field in the slice, `CFG` the slice's bits.

use super::entry::{entry, Entry};
use loom_adg::model::*;
use loom_base::choice_bits;
use loom_dfg::{Counter, OpKind, StepOp, Type};
use loom_hdl::parts;

/// Adds tag components, switches and PEs.
pub fn add(all: &mut Vec<Entry>) {
    tags(all);
    switches(all);
    pes(all);
    pipelines(all);
    several_units(all);
    decomposed(all);
    configuration(all);
}

fn tags(all: &mut Vec<Entry>) {
    for (width, tag) in [(0, 2), (8, 2), (32, 4)] {
        let shape = format!("w{width}, tag {tag}");
        let c = Component::AddTag(AddTag { width, tag });
        all.push(entry("add_tag", "tags.v", width, c).shape(&shape).define("TAG", tag).define("ADD", 1));
        let c = Component::DelTag(DelTag { width, tag });
        all.push(entry("del_tag", "tags.v", width, c).shape(&shape).define("TAG", tag));
        let c = Component::MapTag(MapTag { width, tag_in: tag, tag_out: tag, table_size: 3 });
        all.push(
            entry("map_tag", "tags.v", width, c)
                .shape(format!("3 entries, {shape}"))
                .define("TAG", tag)
                .define("MAP", 1)
                .define("ENTRIES", 3),
        );
    }
}

fn switches(all: &mut Vec<Entry>) {
    for (outputs, width) in [(2, 0), (2, 8), (3, 8), (2, 32)] {
        let ty = ChannelType::bits(width);
        let c = Component::SpatialSw(SpatialSw {
            inputs: vec![ty; 2],
            outputs: vec![ty; outputs],
            connectivity: vec![vec![true; 2]; outputs],
            decomposable_bits: None,
        });
        all.push(
            entry("spatial_sw", "spatial_sw.v", width, c)
                .shape(format!("2 by {outputs}, w{width}"))
                .define("I", 2)
                .define("O", outputs),
        );
    }
    for width in [0, 8, 32] {
        let c = Component::TemporalSw(TemporalSw {
            ty: ChannelType::tagged(width, 2),
            inputs: 2,
            outputs: 2,
            connectivity: vec![vec![true; 2]; 2],
            num_route_table: 2,
        });
        all.push(
            entry("temporal_sw", "temporal_sw.v", width, c)
                .shape(format!("2 by 2, 2 slots, w{width}, tag 2"))
                .define("TAG", 2),
        );
    }
}

/// A PE of 3 inputs and 2 outputs of one width, which is what `pe.v` is about, without output buffers and immediates.
pub fn pe_3x2(width: u32, fus: Vec<FunctionUnit>) -> SpatialPe {
    let ty = ChannelType::bits(width);
    SpatialPe { inputs: vec![ty; 3], outputs: vec![ty; 2], fus, output_buffers: false, immediates: 0 }
}

/// PEs of 3 inputs and 2 outputs with one function unit: one for each class, and each op that moves tokens its own way.
fn pes(all: &mut Vec<Entry>) {
    for width in [0, 1, 8, 32] {
        let (t, c) = (if width == 0 { Type::None } else { Type::Int(width) }, Type::I1);
        let unit = |kind: OpKind, operands: &[Type], results: &[Type]| {
            FunctionUnit::single(kind.mnemonic(), kind, operands, results)
        };
        let makes_sense = |name: &str| match width {
            0 => name == "JOIN",
            1 => !matches!(name, "ACCESS" | "CMPI" | "STREAM"),
            _ => true,
        };
        let units: [(&str, FunctionUnit, bool); 15] = [
            ("CONSTANT", unit(OpKind::Constant, &[Type::None], &[t]), false),
            ("JOIN", unit(OpKind::Join(3), &[t, t, t], &[Type::None]), false),
            ("COND_BR", unit(OpKind::CondBr, &[c, t], &[t, t]), false),
            ("MUX", unit(OpKind::Mux(2), &[c, t, t], &[t]), false),
            ("ACCESS", unit(OpKind::Load, &[t, t, Type::None], &[t, t]), false),
            ("ADDI", unit(OpKind::Addi, &[t, t], &[t]), false),
            ("CMPI", unit(OpKind::Cmpi, &[t, t], &[c]), false),
            ("SUM_AND_DIFFERENCE", sum_and_difference(t), false),
            ("BODY_MUX", sum_or_difference(t), false),
            ("CARRY", unit(OpKind::Carry, &[c, t, t], &[t]), true),
            ("INVARIANT", unit(OpKind::Invariant, &[c, t], &[t]), true),
            ("CARRY_BR", unit(OpKind::CarryBr, &[c, t, t], &[t, t]), true),
            ("INVARIANT_BR", unit(OpKind::InvariantBr, &[c, t], &[t, t]), true),
            ("GATE", unit(OpKind::Gate, &[t, c], &[t, c]), true),
            ("STREAM", unit(OpKind::Stream(Counter::unsigned(StepOp::Add)), &[t, t, t], &[t, c]), true),
        ];
        // With an immediate too, where some operand has bits.
        let with = |u: &(&'static str, FunctionUnit, bool)| {
            let most = usize::from(width == 8 && u.0 != "CONSTANT");
            let (name, fu, buffers) = u.clone();
            (0..=most).map(move |immediates| (name, fu.clone(), buffers, immediates))
        };
        let all_units = units.iter().filter(|u| makes_sense(u.0)).flat_map(with);
        for (name, fu, output_buffers, immediates) in all_units {
            let shape = match immediates {
                0 => format!("{}, w{width}", name.to_lowercase()),
                _ => format!("{}, an immediate, w{width}", name.to_lowercase()),
            };
            let payload = fu_payload(&fu);
            let pe = SpatialPe { output_buffers, immediates, ..pe_3x2(width.into(), vec![fu]) };
            let mut entry = entry("spatial_pe", "pe.v", width.into(), Component::SpatialPe(pe))
                .shape(shape)
                .define(name, 1);
            if payload > 0 {
                entry = entry.define("PAYLOAD", payload);
            }
            if output_buffers {
                entry = buffers(entry).tap(
                    "h_phase",
                    match name {
                        "GATE" => "fu0.core.control.body_q",
                        "STREAM" => "fu0.core.control.active_q",
                        _ => "fu0.core.control.looping_q",
                    },
                );
            }
            entry = match name {
                "INVARIANT" | "INVARIANT_BR" => entry.tap("h_seed", "fu0.core.stored_q"),
                "STREAM" => entry
                    .tap("h_idx", "fu0.core.idx_q")
                    .tap("h_step", "fu0.core.step_q")
                    .tap("h_bound", "fu0.core.bound_q")
                    .tap("h_left", "fu0.core.overflow_q"),
                _ => entry,
            };
            all.push(entry);
        }
    }
}

/// Plain units whose results come later or that fire less often, and dividers.
fn pipelines(all: &mut Vec<Entry>) {
    let binary = |kind: OpKind, width: u8, latency: i32, interval: i32| {
        let t = Type::Int(width);
        let fu = FunctionUnit::single(kind.mnemonic(), kind, &[t, t], &[t]);
        FunctionUnit { latency, interval, ..fu }
    };
    let make = |name: &str, shape: String, width: u8, fu: FunctionUnit| {
        let (latency, interval) = (fu.latency, fu.interval);
        let pe = pe_3x2(width.into(), vec![fu]);
        let mut entry = entry("spatial_pe", "pe.v", width.into(), Component::SpatialPe(pe))
            .shape(format!("{shape}, latency {latency}, interval {interval}, w{width}"))
            .define(name, 1)
            .define("LATENCY", latency)
            .define("INTERVAL", interval);
        if interval > 1 {
            entry = entry.tap("h_counter", "fu0.counter_q").define("COUNTER", choice_bits(interval as usize));
        }
        entry
    };
    for (width, latency, interval) in [(8, 0, 3), (8, 1, 1), (8, 2, 1), (32, 2, 1), (8, 2, 3)] {
        let mut entry = make("ADDI", "addi".into(), width, binary(OpKind::Addi, width, latency, interval));
        if latency > 0 {
            entry = entry.define("PIPELINE", 1);
            for (wire, net) in [("h_full1", "fu0.full1_q"), ("h_first", "fu0.result0_1_q")] {
                entry = entry.tap(wire, net);
            }
        }
        if latency > 1 {
            entry = entry.define("TWO", 1).tap("h_full2", "fu0.full2_q").tap("h_second", "fu0.result0_2_q");
        }
        entry.smoke &= latency == 2 && interval == 3;
        all.push(entry);
    }
    for (kind, name, width, cut) in [
        (OpKind::Divui, "DIVUI", 4, false),
        (OpKind::Remsi, "REMSI", 4, false),
        (OpKind::Divui, "DIVUI", 8, true),
        (OpKind::Divui, "DIVUI", 32, true),
    ] {
        let fu = binary(kind, width, i32::from(width) + 1, i32::from(width) + 2);
        let shape = format!("{}{}", name.to_lowercase(), if cut { " with its step cut" } else { "" });
        let mut entry = make(name, shape, width, fu).define("DIVIDER", 1).tap("h_full1", "fu0.full_q");
        if cut {
            entry = entry.define("CUT", 1).tap("cut_fits", "fu0.fits");
            entry.cuts.push("fu0.fits");
        }
        entry.smoke = false;
        all.push(entry);
    }
}

/// With the entries of the output buffers.
fn buffers(entry: Entry) -> Entry {
    [
        ("h_head0", "buffer0.head_data_q"),
        ("h_head1", "buffer1.head_data_q"),
        ("h_tail0", "buffer0.tail_data_q"),
        ("h_tail1", "buffer1.tail_data_q"),
        ("h_full0", "buffer0.control.head_q"),
        ("h_full1", "buffer1.control.head_q"),
        ("h_more0", "buffer0.control.tail_q"),
        ("h_more1", "buffer1.control.tail_q"),
    ]
    .into_iter()
    .fold(entry.define("BUFFERS", 1), |entry, (wire, net)| entry.tap(wire, net))
}

/// A PE with three units, one of which is active, and one with a unit that has buffers behind it and one that has none.
fn several_units(all: &mut Vec<Entry>) {
    for width in [8, 32] {
        let (t, c) = (Type::Int(width), Type::I1);
        let unit = |kind: OpKind, operands: &[Type], results: &[Type]| {
            FunctionUnit::single(kind.mnemonic(), kind, operands, results)
        };
        let fus = vec![
            unit(OpKind::Addi, &[t, t], &[t]),
            unit(OpKind::Mux(2), &[c, t, t], &[t]),
            unit(OpKind::CondBr, &[c, t], &[t, t]),
        ];
        let pe = pe_3x2(width.into(), fus);
        all.push(
            entry("spatial_pe", "pe.v", width.into(), Component::SpatialPe(pe))
                .shape(format!("addi or mux or cond_br, w{width}"))
                .define("UNITS", 1),
        );
        let fus = vec![unit(OpKind::CondBr, &[c, t], &[t, t]), unit(OpKind::Invariant, &[c, t], &[t])];
        let pe = pe_3x2(width.into(), fus);
        let entry = entry("spatial_pe", "pe.v", width.into(), Component::SpatialPe(pe))
            .shape(format!("cond_br or invariant, w{width}"))
            .define("BRANCH_AND_INVARIANT", 1)
            .tap("h_phase", "fu1.core.control.looping_q")
            .tap("h_seed", "fu1.core.stored_q");
        all.push(buffers(entry));
    }
}

/// Switches that are routed lane by lane.
fn decomposed(all: &mut Vec<Entry>) {
    for width in [8, 32] {
        let ty = ChannelType::bits(width);
        let c = Component::SpatialSw(SpatialSw {
            inputs: vec![ty; 2],
            outputs: vec![ty; 2],
            connectivity: vec![vec![true; 2]; 2],
            decomposable_bits: Some(width / 2),
        });
        all.push(
            entry("spatial_sw", "decomposed_sw.v", width, c)
                .shape(format!("2 by 2, lanes of {}, w{width}", width / 2)),
        );
    }
}

fn fu_payload(fu: &FunctionUnit) -> u32 {
    loom_adg::layout::payload(fu, 32).last().map_or(0, |f| f.low + f.width)
}

/// One firing, two results.
fn sum_and_difference(t: Type) -> FunctionUnit {
    let input = BodyValue::Input;
    FunctionUnit {
        name: "sum_and_difference".into(),
        inputs: vec![t, t],
        body: vec![
            BodyOp { kind: OpKind::Addi.into(), operands: vec![input(0), input(1)], results: vec![t] },
            BodyOp { kind: OpKind::Subi.into(), operands: vec![input(0), input(1)], results: vec![t] },
        ],
        results: vec![BodyValue::Result { op: 0, result: 0 }, BodyValue::Result { op: 1, result: 0 }],
        latency: 0,
        interval: 1,
    }
}

/// `mux(mux(a - b, b, a) + c, a - b)`: what is taken is what the setting needs.
fn sum_or_difference(t: Type) -> FunctionUnit {
    let input = BodyValue::Input;
    let result = |op| BodyValue::Result { op, result: 0 };
    let op = |kind, operands: &[BodyValue]| BodyOp { kind, operands: operands.to_vec(), results: vec![t] };
    FunctionUnit {
        name: "sum_or_difference".into(),
        inputs: vec![t, t, t],
        body: vec![
            op(OpKind::Subi.into(), &[input(0), input(1)]),
            op(BodyKind::Mux, &[result(0), input(1), input(0)]),
            op(OpKind::Addi.into(), &[result(1), input(2)]),
            op(BodyKind::Mux, &[result(2), result(0)]),
        ],
        results: vec![result(3)],
        latency: 0,
        interval: 1,
    }
}

/// The loader, a slice of the chain, and a node of the error tree.
fn configuration(all: &mut Vec<Entry>) {
    for (words, slices, depth) in [(0, 0, 1), (1, 1, 1), (3, 2, 2)] {
        let settle = slices as u32 + depth + 4;
        let mut entry =
            Entry::new("config_loader", "loader.v", 32, parts::config_loader(words, slices, depth))
                .shape(format!("{words} words, {slices} slices, depth {depth}"))
                .define("WORDS", words)
                .define("SETTLE", settle)
                .define("DEPTH", depth)
                .define("COUNT", choice_bits(words + 1).max(1))
                .define("SETTLES", choice_bits(settle as usize))
                .define("RECENT", choice_bits(depth as usize + 2))
                .tap("h_state", "state_q")
                .tap("h_count", "count_q")
                .tap("h_settle", "settle_q")
                .tap("h_recent", "recent_q")
                .quick();
        if words > 0 {
            entry = entry.define("RELOAD", 1);
        }
        all.push(entry);
    }
    for bits in [5, 32, 70] {
        let words = (bits as usize).div_ceil(32);
        all.push(
            Entry::new("config_slice", "slice.v", 32, parts::config_slice(words, bits))
                .shape(format!("{bits} bits"))
                .define("BITS", bits)
                .define("WORDS", words)
                .quick(),
        );
    }
    all.push(Entry::new("config_hop", "hop.v", 32, parts::config_hop()).quick());
    let node = Entry::new("error_node", "error_node.v", 32, parts::error_node(3, 2));
    all.push(node.shape("3 units, 2 parts").quick());
}
