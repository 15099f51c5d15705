//! Buffers, switches, tags and combinational units, each alone: times, errors, conservation.

use crate::common::*;
use loom_adg::model::*;
use loom_adg::{ChannelType, Component, FieldKind, HwError, Mux, PeConfig, Unit};
use loom_base::stall::Stalls;
use loom_dfg::{OpKind, Predicate, Type};
use loom_sim::{Limits, Offer, Refusal};

const W32: ChannelType = ChannelType::bits(32);

fn fifo(depth: usize, kind: FifoKind) -> Component {
    Component::Fifo(Fifo { ty: W32, depth, kind })
}

fn switch(inputs: usize, outputs: usize) -> Component {
    Component::SpatialSw(SpatialSw {
        inputs: vec![W32; inputs],
        outputs: vec![W32; outputs],
        connectivity: vec![vec![true; inputs]; outputs],
        decomposable_bits: None,
    })
}

fn hardware(error: HwError, unit: u32) -> Option<Refusal> {
    Some(Refusal::Hardware(error, Unit(unit)))
}

#[test]
fn a_fifo_of_depth_two_moves_a_token_each_cycle() {
    let list: Vec<u64> = (0..100).collect();
    for (depth, cycles) in [(1, 200), (2, 101), (7, 101)] {
        let mut model = Bench::around(fifo(depth, FifoKind::Registered)).model(|_| {}).unwrap();
        let trace = run(&mut model, &stimulus(&[&list], &[100]));
        assert_eq!(trace.cycles, cycles, "depth {depth}");
        assert_eq!(data(&trace)[0], list);
        assert!(trace.idle);
    }
}

#[test]
fn a_full_fifo_is_not_ready_and_a_bypassed_one_is_a_wire() {
    let mut model = Bench::around(fifo(2, FifoKind::Bypassable)).model(|_| {}).unwrap();
    let offer = |data| Offer { valid: true, data, tag: 0 };
    let readys: Vec<bool> = (0..4).map(|i| model.step(&[offer(i)], &[false]).in_ready[0]).collect();
    assert_eq!(readys, [true, true, false, false]);
    // The place freed in this cycle can be filled in the next only.
    let ports = model.step(&[offer(9)], &[true]).clone();
    assert_eq!((ports.in_ready[0], ports.out[0]), (false, offer(0)));
    assert!(model.step(&[offer(9)], &[true]).in_ready[0]);

    let mut wire =
        Bench::around(fifo(2, FifoKind::Bypassable)).model(|s| s.set(0, FieldKind::Bypass, 1)).unwrap();
    let ports = wire.step(&[offer(5)], &[false]).clone();
    assert_eq!((ports.in_ready[0], ports.out[0]), (false, offer(5)));
    assert!(wire.step(&[offer(5)], &[true]).in_ready[0]);
}

#[test]
fn a_fork_gives_each_output_its_copy_once_when_it_is_ready() {
    let bench = Bench::around(switch(2, 3));
    let mut model = bench.model(|s| (0..3).for_each(|o| s.route(0, o, 1))).unwrap();
    let offer = Offer { valid: true, data: 7, tag: 0 };
    let shown = |p: &loom_sim::Boundary| (p.in_ready[1], p.out.iter().map(|o| o.valid).collect::<Vec<_>>());
    let none = Offer::default();
    assert_eq!(shown(model.step(&[none, offer], &[true, false, false])), (false, vec![true; 3]));
    assert_eq!(shown(model.step(&[none, offer], &[true, false, true])), (false, vec![false, true, true]));
    assert_eq!(shown(model.step(&[none, offer], &[true, true, false])), (true, vec![false, true, false]));
    assert_eq!(shown(model.step(&[none, offer], &[true, true, true])), (true, vec![true; 3]));

    let list: Vec<u64> = (0..50).collect();
    for seed in 0..50 {
        let stalls = Stalls { seed, source_percent: 20, sink_percent: 60 };
        let stimulus = stimulus(&[&[], &list], &[50; 3]);
        let trace = model.run(&stimulus, &stalls, &Limits::default());
        assert!(trace.completed && trace.idle);
        assert_eq!(data(&trace), [list.clone(), list.clone(), list.clone()]);
    }
}

#[test]
fn switch_errors() {
    let bench = Bench::around(switch(2, 2));
    let mixed = bench.model(|s| {
        s.route(0, 0, 0);
        s.route(0, 0, 1);
    });
    assert_eq!(mixed.err(), hardware(HwError::CfgSwitchRouteMix, 0));
    // Cycle 2: a token at the unrouted input. Cycle 2's transfer still happens, then every ready is low.
    let mut model = bench.model(|s| s.route(0, 0, 0)).unwrap();
    let offer = Offer { valid: true, data: 1, tag: 0 };
    let none = Offer::default();
    for (second, ready) in [(none, true), (none, true), (offer, true), (offer, false), (none, false)] {
        assert_eq!(model.step(&[offer, second], &[true, true]).in_ready, [ready, false]);
    }
    assert_eq!(model.error(), Some((HwError::RtSwitchUnroutedInput, Unit(0))));
}

#[test]
fn the_smallest_code_then_the_smallest_unit_wins() {
    let mut bench = Bench::new();
    let fifo = bench.add(fifo(2, FifoKind::Registered));
    let a = bench.add(switch(1, 1));
    let b = bench.add(switch(1, 1));
    bench.input(W32, fifo, 0);
    bench.input(W32, a, 0);
    bench.input(W32, b, 0);
    let mut model = bench.model(|_| {}).unwrap();
    // Units number components with configuration: the FIFO has none.
    let trace = run(&mut model, &stimulus(&[&[], &[1], &[2]], &[]));
    assert_eq!(trace.error, Some((HwError::RtSwitchUnroutedInput, Unit(0))));
    let short = loom_adg::Image { words: vec![] };
    let refused = loom_sim::NativeModel::new(&bench.fabric(), &short).err();
    assert_eq!(refused, Some(Refusal::Hardware(HwError::CfgLength, Unit::LOADER)));
}

#[test]
fn lanes_are_joined_and_swapped() {
    let wide = ChannelType::bits(32);
    let half = ChannelType::bits(16);
    let sw = Component::SpatialSw(SpatialSw {
        inputs: vec![wide, half],
        outputs: vec![wide, half],
        connectivity: vec![vec![true; 2]; 2],
        decomposable_bits: Some(16),
    });
    let bench = Bench::around(sw);
    let lane = |output, output_lane, input, input_lane| FieldKind::LaneRoute {
        output,
        output_lane,
        input,
        input_lane,
    };
    let mut model = bench
        .model(|s| {
            s.set(0, lane(0, 0, 1, 0), 1);
            s.set(0, lane(0, 1, 0, 0), 1);
            s.set(0, lane(1, 0, 0, 1), 1);
        })
        .unwrap();
    let (a, b) = ([0x1111_2222, 0x3333_4444], [0xaaaa, 0xbbbb]);
    for seed in 0..40 {
        let stalls = Stalls { seed, source_percent: 30, sink_percent: 50 };
        let trace = model.run(&stimulus(&[&a, &b], &[2, 2]), &stalls, &Limits::default());
        assert!(trace.completed && trace.idle);
        assert_eq!(data(&trace), [vec![0x2222_aaaa, 0x4444_bbbb], vec![0x1111, 0x3333]]);
    }
    let mixed = bench.model(|s| {
        s.set(0, lane(0, 0, 1, 0), 1);
        s.set(0, lane(0, 0, 0, 0), 1);
    });
    assert_eq!(mixed.err(), hardware(HwError::CfgSwitchRouteMix, 0));
    // Output 0 takes its copy of input 0 early, output 1 later.
    let offers = [Offer { valid: true, data: a[0], tag: 0 }, Offer { valid: true, data: b[0], tag: 0 }];
    model.reset();
    assert_eq!(model.step(&offers, &[true, false]).in_ready, [false, true]);
    assert_eq!(model.step(&offers, &[true, true]).in_ready, [true, false]);
}

/// (a + b) * b and a + b, with latency and interval.
fn two_ops(latency: i32, interval: i32) -> FunctionUnit {
    let op = |kind: OpKind, operands: &[BodyValue]| BodyOp {
        kind: kind.into(),
        operands: operands.to_vec(),
        results: vec![I32],
    };
    let sum = BodyValue::Result { op: 0, result: 0 };
    FunctionUnit {
        name: "f".into(),
        inputs: vec![I32, I32],
        body: vec![
            op(OpKind::Addi, &[BodyValue::Input(0), BodyValue::Input(1)]),
            op(OpKind::Muli, &[sum, BodyValue::Input(1)]),
        ],
        results: vec![BodyValue::Result { op: 1, result: 0 }, sum],
        latency,
        interval,
    }
}

#[test]
fn latency_and_interval_show_in_the_times() {
    let (a, b): (Vec<u64>, Vec<u64>) = ((0..20).collect(), (5..25).collect());
    let sums: Vec<u64> = (0..20).map(|i| 2 * i + 5).collect();
    let products: Vec<u64> = (0..20).map(|i| (2 * i + 5) * (i + 5)).collect();
    for (latency, interval) in [(0, 1), (1, 1), (3, 1), (0, 2), (3, 4), (7, 3)] {
        let mut model = unit(two_ops(latency, interval), false, &[]);
        let stimulus = stimulus(&[&a, &b], &[20, 20]);
        let trace = run(&mut model, &stimulus);
        assert!(trace.completed && trace.idle && trace.leftover.is_empty(), "{latency} {interval} {trace:?}");
        assert_eq!(data(&trace), [products.clone(), sums.clone()]);
        assert_eq!(trace.cycles, (19 * interval + latency + 1) as u64, "{latency} {interval}");
        for seed in 0..20 {
            let stalls = Stalls { seed, source_percent: 30, sink_percent: 50 };
            let trace = model.run(&stimulus, &stalls, &Limits::default());
            assert!(trace.completed && trace.idle);
            assert_eq!(data(&trace), [products.clone(), sums.clone()]);
        }
    }
}

#[test]
fn a_pipeline_takes_tokens_until_it_is_full() {
    let mut model = unit(two_ops(3, 1), false, &[]);
    let offer = Offer { valid: true, data: 1, tag: 0 };
    let readys: Vec<bool> =
        (0..5).map(|_| model.step(&[offer, offer], &[false, false]).in_ready[0]).collect();
    assert_eq!(readys, [true, true, true, false, false]);
    // One output taken early, the other later: then all stages move and a fourth token enters.
    assert!(!model.step(&[offer, offer], &[true, false]).in_ready[0]);
    let ports = model.step(&[offer, offer], &[true, true]).clone();
    assert_eq!((ports.in_ready[0], ports.out[0].valid, ports.out[1].valid), (true, false, true));
}

#[test]
fn steer_units_move_only_what_they_should() {
    let mut branch = unit(single(OpKind::CondBr, &[I1, I32], &[I32, I32]), false, &[]);
    let trace = run(&mut branch, &stimulus(&[&[1, 0, 0, 1], &[10, 11, 12, 13]], &[2, 2]));
    assert_eq!((data(&trace), trace.cycles), (vec![vec![10, 13], vec![11, 12]], 4));

    let mut mux = unit(single(OpKind::Mux(2), &[I1, I32, I32], &[I32]), false, &[]);
    let trace = run(&mut mux, &stimulus(&[&[0, 1, 1, 0], &[1, 2], &[8, 9]], &[4]));
    assert_eq!((data(&trace), trace.cycles), (vec![vec![1, 8, 9, 2]], 4));
    let mut mux = unit(single(OpKind::Mux(3), &[Type::Int(2), I32, I32, I32], &[I32]), false, &[]);
    let trace = run(&mut mux, &stimulus(&[&[3, 2, 0, 1], &[1], &[2], &[3, 4]], &[4]));
    assert_eq!(data(&trace), [[3, 4, 1, 2]]);

    let mut join = unit(single(OpKind::Join(3), &[Type::None, I32, I32], &[Type::None]), false, &[0b101]);
    let trace = run(&mut join, &stimulus(&[&[0, 0], &[], &[5, 6]], &[2]));
    assert!(trace.completed && trace.idle);
    let mut join = unit(single(OpKind::Join(2), &[I32, I32], &[Type::None]), false, &[0]);
    assert!(!run(&mut join, &stimulus(&[&[1], &[1]], &[1])).completed);

    let mut constant = unit(single(OpKind::Constant, &[Type::None], &[I32]), false, &[0xdead_beef]);
    let trace = run(&mut constant, &stimulus(&[&[0, 0]], &[2]));
    assert_eq!(data(&trace), [[0xdead_beef, 0xdead_beef]]);
}

#[test]
fn muxes_discard_disconnect_and_resize() {
    // PE of 8-bit and 64-bit ports around a 32-bit adder and a compare.
    let pe = SpatialPe {
        inputs: vec![ChannelType::bits(8), ChannelType::bits(64), W32],
        outputs: vec![ChannelType::bits(16), W32],
        fus: vec![single(OpKind::Addi, &[I32, I32], &[I32]), single(OpKind::Cmpi, &[I32, I32], &[I1])],
        output_buffers: false,
        immediates: 0,
    };
    let bench = Bench::around(Component::SpatialPe(pe));
    let config = |opcode, inputs: &[Mux], outputs: &[Mux], payload: &[u64]| PeConfig {
        opcode,
        inputs: inputs.to_vec(),
        outputs: outputs.to_vec(),
        payload: payload.to_vec(),
        immediates: Vec::new(),
    };
    use Mux::{Discard, Disconnect, Port};
    let mut model = bench.model(|s| s.write(0, &config(0, &[Port(1), Port(0)], &[Port(0)], &[]))).unwrap();
    let trace = run(&mut model, &stimulus(&[&[0x1ff], &[0xffff_ffff_0001_0002], &[]], &[1, 0]));
    assert_eq!(data(&trace)[0], [0x0101]);

    // A discarding mux takes tokens though the unit gets none.
    let mut model =
        bench.model(|s| s.write(0, &config(0, &[Discard(2), Port(0)], &[Discard(0)], &[]))).unwrap();
    let trace = run(&mut model, &stimulus(&[&[], &[], &[1, 2, 3]], &[0, 0]));
    assert!(trace.completed && trace.cycles == 3);

    let predicate = Predicate::Slt as u64;
    let good = config(1, &[Port(2), Port(1)], &[Port(1)], &[predicate]);
    let mut model = bench.model(|s| s.write(0, &good)).unwrap();
    let trace = run(&mut model, &stimulus(&[&[], &[1, 1], &[0xffff_ffff, 2]], &[0, 2]));
    assert_eq!(data(&trace)[1], [1, 0]);

    let refused = |config: &PeConfig| bench.model(|s| s.write(0, config)).err();
    assert_eq!(
        refused(&config(1, &[Port(2), Port(1)], &[Port(1)], &[10])),
        hardware(HwError::CfgCmpiPredicate, 0)
    );
    assert_eq!(refused(&config(0, &[Port(2), Port(2)], &[Port(1)], &[])), hardware(HwError::CfgPeMux, 0));
    assert_eq!(refused(&config(0, &[Port(3), Disconnect], &[Port(1)], &[])), hardware(HwError::CfgPeMux, 0));
    assert_eq!(refused(&config(0, &[Discard(1), Port(1)], &[Port(1)], &[])), hardware(HwError::CfgPeMux, 0));
    // A PE that is not enabled never takes a token and has no errors.
    let mut off = bench.model(|_| {}).unwrap();
    assert!(!run(&mut off, &stimulus(&[&[1], &[], &[]], &[0, 0])).completed);
}

/// Behind the PE inputs a mux chooses immediates: there whenever the other operand is, and no token at the end.
#[test]
fn a_mux_selects_an_immediate() {
    let pe = SpatialPe { immediates: 2, ..pe_of(single(OpKind::Subi, &[I32, I32], &[I32]), false) };
    let bench = Bench::around(Component::SpatialPe(pe));
    let config = |first, second| PeConfig {
        opcode: 0,
        inputs: vec![Mux::Port(first), Mux::Port(second)],
        outputs: vec![Mux::Port(0)],
        payload: vec![],
        immediates: vec![7, 100],
    };
    let mut model = bench.model(|s| s.write(0, &config(3, 0))).unwrap();
    let trace = run(&mut model, &stimulus(&[&[1, 2, 3], &[]], &[3]));
    assert_eq!(data(&trace)[0], [99, 98, 97]);
    assert!(trace.completed && trace.idle && trace.cycles == 3);
    let mut model = bench.model(|s| s.write(0, &config(1, 2))).unwrap();
    let trace = run(&mut model, &stimulus(&[&[], &[1, 2]], &[2]));
    assert_eq!(data(&trace)[0], [0xffff_fffa, 0xffff_fffb]);
    let refused = |config: &PeConfig| bench.model(|s| s.write(0, config)).err();
    assert_eq!(refused(&config(2, 2)), hardware(HwError::CfgPeMux, 0));
}

#[test]
fn pe_opcode_and_stream_errors() {
    let three = SpatialPe {
        fus: vec![stream_fu(loom_dfg::StepOp::Add); 3],
        ..pe_of(stream_fu(loom_dfg::StepOp::Add), true)
    };
    let bench = Bench::around(Component::SpatialPe(three));
    let beyond = bench.model(|s| {
        s.pe(0, 0, &[1]);
        s.set(0, FieldKind::Opcode, 3);
    });
    assert_eq!(beyond.err(), hardware(HwError::CfgPeOpcode, 0));
    assert_eq!(bench.model(|s| s.pe(0, 0, &[0b11])).err(), hardware(HwError::CfgStreamContCondOneHot, 0));
}

#[test]
fn too_wide_boundaries_and_cycles_are_refused() {
    let wide = Bench::around(Component::Fifo(Fifo {
        ty: ChannelType::bits(65),
        depth: 2,
        kind: FifoKind::Registered,
    }));
    let Err(Refusal::Unsupported(d)) = wide.model(|_| {}) else { panic!("accepted") };
    assert_eq!(
        (d.code.id, d.message.as_str()),
        ("S0001", "fabric input `in0` is 65 bits wide, the native model carries 64")
    );

    // A legal fabric has no such cycle; the model says so instead of guessing.
    let mut bench = Bench::new();
    let sw = bench.add(switch(2, 2));
    let add = bench.add(Component::SpatialPe(pe_of(single(OpKind::Addi, &[I32, I32], &[I32]), false)));
    bench.input(W32, sw, 0);
    bench.input(W32, add, 0);
    bench.wire((add, 0), (sw, 1));
    bench.wire((sw, 0), (add, 1));
    bench.output(W32, sw, 1);
    let Err(Refusal::Unsupported(d)) = bench.model(|s| {
        s.route(sw, 0, 1);
        s.pe(add, 0, &[]);
    }) else {
        panic!("accepted")
    };
    assert_eq!(d.code.id, "S0003");
}
