//! The accumulator loop on a hand-made fabric: one initiation a cycle (H8), and how fast the model runs it.

use crate::common::*;
use loom_adg::model::*;
use loom_adg::{ChannelType, Component, Mux, PeConfig};
use loom_base::stall::Stalls;
use loom_dfg::{ContCond, OpKind, StepOp};
use loom_sim::{Limits, NativeModel, Stimulus};

const W32: ChannelType = ChannelType::bits(32);

/// Boundary inputs lb, step, n, init, and the sum; around one crossbar, with `hops` switches and link buffers on
/// every way from and to the boundary, as on a mesh.
fn sum_fabric(hops: usize) -> NativeModel {
    let mut b = Bench::new();
    let crossbar = SpatialSw {
        inputs: vec![W32; 12],
        outputs: vec![W32; 14],
        connectivity: vec![vec![true; 12]; 14],
        decomposable_bits: None,
    };
    let sw = b.add(Component::SpatialSw(crossbar));
    let mut pe = |fu, buffers| {
        let mut pe = pe_of(fu, buffers);
        pe.inputs.iter_mut().chain(&mut pe.outputs).for_each(|p| *p = W32);
        b.add(Component::SpatialPe(pe))
    };
    let stream = pe(stream_fu(StepOp::Add), true);
    let gate = pe(single(OpKind::Gate, &[I32, I1], &[I32, I1]), true);
    let carry = pe(single(OpKind::Carry, &[I1, I32, I32], &[I32]), true);
    let branch = pe(single(OpKind::CondBr, &[I1, I32], &[I32, I32]), false);
    let add = pe(single(OpKind::Addi, &[I32, I32], &[I32]), false);
    // Switch inputs: 0..4 boundary, then results. Switch outputs: operands, then the boundary.
    let results = [(stream, 0), (stream, 1), (gate, 0), (carry, 0), (branch, 0), (branch, 1), (add, 0)];
    for (i, &from) in results.iter().enumerate() {
        b.wire(from, (sw, 4 + i));
    }
    let operands = [
        (stream, 0),
        (stream, 1),
        (stream, 2),
        (gate, 0),
        (gate, 1),
        (carry, 0),
        (carry, 1),
        (carry, 2),
        (branch, 0),
        (branch, 1),
        (add, 0),
        (add, 1),
    ];
    for (o, &to) in operands.iter().enumerate() {
        b.wire((sw, o), to);
    }
    // The turn-around holds raw conditions back until the gate's value for the same iteration is there.
    let turn = b.add(Component::Fifo(Fifo { ty: W32, depth: 2, kind: FifoKind::Registered }));
    b.wire((sw, 13), (turn, 0));
    b.wire((turn, 0), (sw, 11));
    let mut switches = Vec::new();
    let mut hop = |b: &mut Bench| {
        let s = b.add(Component::SpatialSw(SpatialSw {
            inputs: vec![W32; 2],
            outputs: vec![W32; 2],
            connectivity: vec![vec![true; 2]; 2],
            decomposable_bits: None,
        }));
        let f = b.add(Component::Fifo(Fifo { ty: W32, depth: 2, kind: FifoKind::Registered }));
        b.wire((s, 0), (f, 0));
        switches.push(s);
        (s, f)
    };
    for k in 0..4 {
        let mut to = (sw, k);
        for _ in 0..hops {
            let (s, f) = hop(&mut b);
            b.wire((f, 0), to);
            to = (s, 0);
        }
        b.input(W32, to.0, to.1);
    }
    let mut from = (sw, 12);
    for _ in 0..hops {
        let (s, f) = hop(&mut b);
        b.wire(from, (s, 0));
        from = (f, 0);
    }
    b.output(W32, from.0, from.1);
    b.model(|s| {
        switches.iter().for_each(|&n| s.route(n, 0, 0));
        let routes = [
            (0, 0),
            (1, 1),
            (2, 2),
            (6, 3),
            (3, 4),
            (4, 5),
            (13, 5),
            (5, 11),
            (8, 11),
            (11, 6),
            (9, 7),
            (10, 8),
            (12, 9),
            (7, 10),
        ];
        routes.iter().for_each(|&(o, i)| s.route(sw, o, i));
        s.pe(stream, 0, &[ContCond::Lt.one_hot()]);
        s.pe(carry, 0, &[]);
        s.pe(branch, 0, &[]);
        s.pe(add, 0, &[]);
        let port = Mux::Port;
        let gate_config = PeConfig {
            opcode: 0,
            inputs: vec![port(0), port(1)],
            outputs: vec![port(0), Mux::Discard(0)],
            payload: vec![],
            immediates: vec![],
        };
        s.write(gate, &gate_config);
    })
    .unwrap()
}

fn sums(n: &[u64]) -> (Stimulus, Vec<u64>) {
    let init: Vec<u64> = (0..n.len() as u64).collect();
    let want = n.iter().zip(&init).map(|(n, i)| (n * n.saturating_sub(1) / 2 + i) & 0xffff_ffff).collect();
    (stimulus(&[&vec![0; n.len()], &vec![1; n.len()], n, &init], &[n.len()]), want)
}

#[test]
fn an_accumulator_runs_one_iteration_a_cycle() {
    let mut model = sum_fabric(0);
    for n in [0u64, 1, 2, 16, 1000] {
        let (stimulus, want) = sums(&[n; 3]);
        let trace = run(&mut model, &stimulus);
        assert!(trace.completed && trace.idle && trace.leftover.is_empty(), "{n} {trace:?}");
        assert_eq!(data(&trace), [want]);
        assert_eq!(trace.cycles, 3 * (n + 1) + 3, "N = {n}");
        let stream = trace.fires.iter().find(|f| matches!(f.op, OpKind::Stream(_))).unwrap();
        assert!(stream.interval().is_none_or(|ii| ii == 1.0));
    }
}

#[test]
fn sums_are_right_under_any_stalls() {
    let mut model = sum_fabric(3);
    let (stimulus, want) = sums(&[3, 0, 1, 5, 0, 2]);
    let mut cycles = Vec::new();
    for seed in 0..100 {
        let stalls = Stalls { seed, source_percent: 40, sink_percent: 60 };
        let trace = model.run(&stimulus, &stalls, &Limits::default());
        assert!(trace.completed && trace.idle && trace.leftover.is_empty());
        assert_eq!(data(&trace)[0], want);
        assert_eq!(trace, model.run(&stimulus, &stalls, &Limits::default()));
        cycles.push(trace.cycles);
    }
    cycles.dedup();
    assert!(cycles.len() > 10);
}

/// `cargo test --release -p loom-sim --test all sum_loop -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn cycles_a_second() {
    let mut model = sum_fabric(3);
    let (stimulus, want) = sums(&[3_000_000]);
    let limits = Limits { max_cycles: 10_000_000, drain_cycles: 100 };
    let start = std::time::Instant::now();
    let trace = model.run(&stimulus, &Stalls::NONE, &limits);
    let seconds = start.elapsed().as_secs_f64();
    assert!(trace.completed);
    assert_eq!(data(&trace), [want]);
    println!(
        "{} cycles in {seconds:.3} s: {:.2} million a second",
        trace.cycles,
        trace.cycles as f64 / seconds / 1e6
    );
}
