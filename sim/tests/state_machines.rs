//! The four state machines alone: streams and cycle counts (H7), errors, division.

use crate::common::*;
use loom_adg::{HwError, Unit};
use loom_base::stall::Stalls;
use loom_base::truncate;
use loom_dfg::interp::{run as golden, InterpOptions};
use loom_dfg::{ContCond, Counter, Graph, Op, OpKind, StepOp, Type};
use loom_sim::{Limits, NativeModel, Stop};

const TRIPS: [u64; 5] = [0, 1, 2, 16, 1000];

fn stream(step: StepOp, cond: ContCond) -> NativeModel {
    unit(stream_fu(step), true, &[cond.one_hot()])
}

/// A stream on a unit that is built for both kinds of numbers.
fn stream_of_both(counter: Counter, cond: ContCond) -> NativeModel {
    let kind = OpKind::Stream(Counter::unsigned(counter.step_op));
    let fu = single(kind, &[Type::Index; 3], &[Type::Index, I1]);
    unit(fu, true, &[cond.one_hot(), u64::from(counter.is_unsigned())])
}

fn gate() -> NativeModel {
    unit(single(OpKind::Gate, &[I32, I1], &[I32, I1]), true, &[])
}

fn carry() -> NativeModel {
    unit(single(OpKind::Carry, &[I1, I32, I32], &[I32]), true, &[])
}

fn invariant() -> NativeModel {
    unit(single(OpKind::Invariant, &[I1, I32], &[I32]), true, &[])
}

/// `activations` rounds of `n` trues and a false.
fn raw_condition(activations: usize, n: u64) -> Vec<u64> {
    let round: Vec<u64> = (0..=n).map(|i| u64::from(i < n)).collect();
    round.repeat(activations)
}

#[test]
fn stream_takes_a_cycle_for_each_pair() {
    for n in TRIPS {
        for a in [1, 2, 5] {
            let pairs = a * (n as usize + 1);
            let mut model = stream(StepOp::Add, ContCond::Lt);
            let trace = run(&mut model, &stimulus(&[&vec![0; a], &vec![1; a], &vec![n; a]], &[pairs, pairs]));
            assert!(trace.completed && trace.idle && trace.leftover.is_empty(), "{n} {a} {trace:?}");
            // Accepted in cycle 0, first pair pushed in 1, taken from the buffer in 2.
            assert_eq!(trace.cycles, pairs as u64 + 2, "N = {n}, A = {a}");
            let index: Vec<u64> = (0..=n).collect();
            assert_eq!(data(&trace), [index.repeat(a), raw_condition(a, n)]);
            let stream = trace.fires[0];
            assert_eq!((stream.fires, stream.first, stream.last), (pairs as u64, 1, pairs as u64));
        }
    }
}

#[test]
fn gate_takes_a_cycle_for_each_pair() {
    for n in TRIPS {
        for a in [1, 3] {
            let pairs = a * (n as usize + 1);
            let value: Vec<u64> = (0..pairs as u64).collect();
            let body = a * n as usize;
            let trace = run(&mut gate(), &stimulus(&[&value, &raw_condition(a, n)], &[body, body]));
            assert!(trace.completed && trace.idle && trace.leftover.is_empty(), "{n} {a}");
            // The last pair is taken in cycle pairs - 1, its false leaves the buffer one cycle later.
            assert_eq!(trace.cycles, pairs as u64 + u64::from(n > 0), "N = {n}, A = {a}");
            assert_eq!(trace.input_times[0], (0..pairs as u64).collect::<Vec<_>>());
        }
    }
}

#[test]
fn carry_takes_a_cycle_for_each_token() {
    for n in TRIPS {
        for a in [1, 3] {
            let tokens = a * (n as usize + 1);
            let b: Vec<u64> = (0..a as u64 * n).collect();
            let trace = run(&mut carry(), &stimulus(&[&raw_condition(a, n), &vec![7; a], &b], &[tokens]));
            assert!(trace.completed && trace.idle && trace.leftover.is_empty(), "{n} {a} {trace:?}");
            assert_eq!(trace.cycles, tokens as u64 + 1, "N = {n}, A = {a}");
        }
    }
}

#[test]
fn invariant_takes_a_cycle_for_each_token() {
    for n in TRIPS {
        for a in [1, 3] {
            let tokens = a * (n as usize + 1);
            let seeds: Vec<u64> = (5..5 + a as u64).collect();
            let trace = run(&mut invariant(), &stimulus(&[&raw_condition(a, n), &seeds], &[tokens]));
            assert!(trace.completed && trace.idle && trace.leftover.is_empty(), "{n} {a}");
            assert_eq!(trace.cycles, tokens as u64 + 1, "N = {n}, A = {a}");
            let want: Vec<u64> = seeds.iter().flat_map(|&s| vec![s; n as usize + 1]).collect();
            assert_eq!(data(&trace), [want]);
        }
    }
}

#[test]
fn driven_by_a_body_condition_a_round_takes_n_cycles() {
    // N trues and a false of `after_cond` are N tokens: N - 1 trues and a false.
    for n in [1u64, 2, 16, 1000] {
        let a = 4;
        let d = raw_condition(a, n - 1);
        let trace = run(&mut invariant(), &stimulus(&[&d, &[1, 2, 3, 4]], &[a * n as usize]));
        assert!(trace.completed && trace.idle);
        assert_eq!(trace.cycles, a as u64 * n + 1);
    }
}

#[test]
fn false_alone_ends_a_round_when_no_seed_is_there() {
    let mut model = carry();
    let trace = run(&mut model, &stimulus(&[&[1, 0], &[5], &[6]], &[2]));
    assert!(trace.completed && trace.idle);
    assert_eq!(data(&trace), [[5, 6]]);
    assert_eq!(trace.input_times, [vec![1, 2], vec![0], vec![1]]);
}

#[test]
fn every_step_op_gives_the_golden_stream_under_stalls() {
    let minus = |v: u64| truncate(v.wrapping_neg(), 32);
    let max = 0x7fff_ffff;
    let cases: [(StepOp, ContCond, [u64; 3]); 14] = [
        (StepOp::Add, ContCond::Le, [max - 2, 1, max]),
        (StepOp::Add, ContCond::Gt, [5, minus(1), 0]),
        (StepOp::Add, ContCond::Ne, [0, 3, 9]),
        (StepOp::Sub, ContCond::Ge, [10, 3, 0]),
        (StepOp::Sub, ContCond::Ge, [minus(5), max, 1 << 31]),
        (StepOp::Mul, ContCond::Lt, [1, 3, 1000]),
        (StepOp::Mul, ContCond::Le, [1, 2, max]),
        (StepOp::Mul, ContCond::Ne, [1, minus(2), 64]),
        (StepOp::Div, ContCond::Gt, [1000, 3, 0]),
        (StepOp::Div, ContCond::Ne, [1 << 31, minus(1), 0]),
        (StepOp::Shl, ContCond::Lt, [1, 1, 300]),
        (StepOp::Shl, ContCond::Ne, [3, 40, 7]),
        (StepOp::Shr, ContCond::Gt, [1 << 20, 3, 0]),
        (StepOp::Shr, ContCond::Lt, [minus(99), 2, minus(1)]),
    ];
    let signed = cases.map(|(step, cond, numbers)| (Counter::signed(step), cond, numbers));
    let all = minus(1);
    let unsigned = [
        (StepOp::Add, ContCond::Le, [max - 1, 1, max + 2]),
        (StepOp::Add, ContCond::Le, [all - 2, 1, all]),
        (StepOp::Add, ContCond::Ge, [5, minus(2), 0]),
        (StepOp::Sub, ContCond::Ge, [5, 1, 0]),
        (StepOp::Mul, ContCond::Lt, [3, 5, all]),
        (StepOp::Div, ContCond::Ne, [all, 10, 0]),
        (StepOp::Div, ContCond::Gt, [all, all, 1]),
        (StepOp::Shl, ContCond::Lt, [1, 3, all]),
        (StepOp::Shr, ContCond::Ne, [all, 3, 0]),
    ];
    let unsigned = unsigned.map(|(step, cond, numbers)| (Counter::unsigned(step), cond, numbers));
    for (counter, cond, [start, by, bound]) in signed.into_iter().chain(unsigned) {
        let mut graph = Graph::new(loom_base::Name::new("one").unwrap());
        let arguments = ["a", "b", "c"].map(|n| graph.add_argument(n, Type::Index));
        let node = graph.add_node(Op::Stream(counter, cond), &arguments, &[Type::Index, I1]);
        graph.add_output("idx", graph.result(node, 0));
        graph.add_output("cont", graph.result(node, 1));
        let inputs = [vec![start, start], vec![by, by], vec![bound, start]];
        let want = golden(&graph, &inputs, &InterpOptions { max_steps: 2000, ..InterpOptions::default() });
        assert!(want.is_complete(), "{counter} {cond:?}");
        let lists: Vec<&[u64]> = inputs.iter().map(Vec::as_slice).collect();
        let counts: Vec<usize> = want.outputs.iter().map(Vec::len).collect();
        for percent in [0, 30, 70] {
            let stalls = Stalls { seed: 9, source_percent: percent, sink_percent: percent };
            let mut models = vec![stream_of_both(counter, cond)];
            if !counter.is_unsigned() {
                models.push(stream(counter.step_op, cond));
            }
            for mut model in models {
                let trace = model.run(&stimulus(&lists, &counts), &stalls, &Limits::default());
                assert!(trace.completed && trace.idle, "{counter} {trace:?}");
                assert_eq!(data(&trace), want.outputs, "{counter} {cond:?}");
            }
        }
    }
}

#[test]
fn a_division_takes_the_width_longer() {
    let mut model = stream(StepOp::Div, ContCond::Gt);
    let trace = run(&mut model, &stimulus(&[&[4, 8], &[2, 2], &[0, 3]], &[7, 7]));
    // Pushes after a true are 33 cycles apart, after a false one.
    assert_eq!(data(&trace)[0], [4, 2, 1, 0, 8, 4, 2]);
    assert_eq!(times(&trace, 0), [2, 35, 68, 101, 102, 135, 168]);
}

#[test]
fn a_zero_step_stops_the_unit_and_leaves_its_operands() {
    let mut model = stream(StepOp::Add, ContCond::Lt);
    let trace = run(&mut model, &stimulus(&[&[0, 0, 0], &[1, 0, 1], &[3, 3, 3]], &[8, 8]));
    assert_eq!(trace.error, Some((HwError::RtStreamZeroStep, Unit(0))));
    assert_eq!((trace.completed, trace.stop), (false, Stop::Deadlock));
    assert_eq!(data(&trace)[0], [0, 1, 2, 3]);
    assert!(trace.input_times.iter().all(|t| t.len() == 1));
    assert_eq!(trace.waiting.len(), 3);
    assert!(trace.waiting[0].why.contains("zero step"), "{:?}", trace.waiting);
}

#[test]
fn a_round_that_lacks_a_token_is_a_deadlock_with_its_reason() {
    let trace = run(&mut carry(), &stimulus(&[&[1], &[5], &[]], &[2]));
    assert_eq!((trace.completed, trace.stop), (false, Stop::Deadlock));
    assert_eq!(trace.leftover, ["`c0`: the carry is in phase Loop"]);
    assert_eq!(trace.waiting.len(), 1);
    assert_eq!(trace.waiting[0].from, "fabric input `in0`");
    assert_eq!(trace.waiting[0].why, "`dataflow.carry` waits for `b`");
    let again = carry().run(
        &stimulus(&[&[1], &[5], &[]], &[2]),
        &Stalls::NONE,
        &Limits { max_cycles: 1, drain_cycles: 0 },
    );
    assert_eq!(again.stop, Stop::BudgetExhausted);
}

#[test]
fn tokens_are_conserved_under_any_stalls() {
    let d = [1, 1, 0, 0, 1, 1, 1, 0, 1, 0];
    let b = [10, 11, 12, 13, 14, 15];
    let want = [1, 10, 11, 2, 3, 12, 13, 14, 4, 15];
    for seed in 0..200 {
        let stalls =
            Stalls { seed, source_percent: (seed % 90) as u32, sink_percent: (seed * 7 % 90) as u32 };
        let trace = carry().run(&stimulus(&[&d, &[1, 2, 3, 4], &b], &[10]), &stalls, &Limits::default());
        assert!(trace.completed && trace.idle && trace.leftover.is_empty(), "{seed}");
        assert_eq!(data(&trace), [want]);
    }
}
