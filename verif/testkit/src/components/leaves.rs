//! Leaf modules against plain software: the state machines as token functions of their inputs, buffers as queues, the
//! protocol of every channel, and the cycle counts of H7. Run in the IR evaluator, under random stalls.

use super::planted::{planted, tests};
use loom_adg::model::FifoKind;
use loom_base::rng::Rng;
use loom_dfg::{Counter, StepOp};
use loom_hdl::ir::{Evaluator, Module};
use loom_hdl::leaf;
use std::collections::VecDeque;
use std::sync::Arc;

/// One leaf with queues at its inputs and lists at its outputs.
struct TestBench {
    sim: Evaluator,
    rng: Rng,
    /// Percentage of cycles in which a port is stalled.
    stall: u32,
    inputs: Vec<(String, VecDeque<u64>, bool)>,
    /// Of the inputs' data.
    widths: Vec<u32>,
    pushes: Vec<(String, Vec<u64>)>,
    channels: Vec<(String, Vec<u64>, Option<u64>)>,
    cycle: usize,
    last_transfer: usize,
}

impl TestBench {
    fn new(m: &Arc<Module>, stall: u32, seed: u64) -> Self {
        let mut sim = Evaluator::new(&planted(m));
        sim.reset();
        let named = |suffix: &str| -> Vec<String> {
            m.ports.iter().filter_map(|p| p.name.strip_suffix(suffix).map(str::to_string)).collect()
        };
        let valids = named("_valid");
        let width = |n: &String| m.port(&format!("{n}_data")).map_or(0, |p| p.width);
        let is_in = |n: &String| m.port(&format!("{n}_valid")).unwrap().dir == loom_hdl::ir::Dir::In;
        TestBench {
            sim,
            rng: Rng::new(seed),
            stall,
            widths: valids.iter().filter(|n| is_in(n)).map(width).collect(),
            inputs: valids.iter().filter(|n| is_in(n)).map(|n| (n.clone(), VecDeque::new(), false)).collect(),
            pushes: named("_push").into_iter().map(|n| (n, Vec::new())).collect(),
            channels: valids.iter().filter(|n| !is_in(n)).map(|n| (n.clone(), Vec::new(), None)).collect(),
            cycle: 0,
            last_transfer: 0,
        }
    }

    fn feed(&mut self, name: &str, tokens: impl IntoIterator<Item = u64>) {
        let input = self.inputs.iter_mut().find(|i| i.0 == name).expect("an input of that name");
        input.1.extend(tokens);
    }

    fn output(&self, name: &str) -> &[u64] {
        let push = self.pushes.iter().find(|p| p.0 == name).map(|p| &p.1);
        let channel = self.channels.iter().find(|c| c.0 == name).map(|c| &c.1);
        push.or(channel).expect("an output of that name")
    }

    /// One cycle; checks H2, that pushes have room, and that readies mean transfers.
    fn step(&mut self) {
        for ((name, queue, offered), width) in self.inputs.iter_mut().zip(&self.widths) {
            *offered = !queue.is_empty() && (*offered || !self.rng.chance(self.stall));
            self.sim.set(&format!("{name}_valid"), u32::from(*offered));
            // Data without valid is anything.
            let anything = self.rng.next_u64() & ((1 << width) - 1);
            self.sim.set(&format!("{name}_data"), if *offered { queue[0] } else { anything });
        }
        let ready: Vec<bool> =
            (0..self.pushes.len() + self.channels.len()).map(|_| !self.rng.chance(self.stall)).collect();
        let names = self.pushes.iter().map(|p| format!("{}_room", p.0));
        let names = names.chain(self.channels.iter().map(|c| format!("{}_ready", c.0)));
        for (name, r) in names.zip(&ready) {
            self.sim.set(&name, u32::from(*r));
        }
        let mut moved = false;
        for (name, queue, offered) in &mut self.inputs {
            if *offered && self.sim.get_u64(&format!("{name}_ready")) == 1 {
                queue.pop_front();
                *offered = false;
                moved = true;
            }
        }
        for (i, (name, list)) in self.pushes.iter_mut().enumerate() {
            if self.sim.get_u64(&format!("{name}_push")) == 1 {
                assert!(ready[i], "cycle {}: {name} pushes without room", self.cycle);
                list.push(self.sim.get_u64(&format!("{name}_data")));
                moved = true;
            }
        }
        for (i, (name, list, held)) in self.channels.iter_mut().enumerate() {
            let valid = self.sim.get_u64(&format!("{name}_valid")) == 1;
            let data = self.sim.get_u64(&format!("{name}_data"));
            if let Some(before) = *held {
                assert!(valid && data == before, "cycle {}: {name} does not hold its token", self.cycle);
            }
            let taken = valid && ready[self.pushes.len() + i];
            *held = (valid && !taken).then_some(data);
            if taken {
                list.push(data);
                moved = true;
            }
        }
        if moved {
            self.last_transfer = self.cycle;
        }
        self.sim.tick();
        self.cycle += 1;
    }

    /// Runs until nothing moved for a while; returns the cycle after the last transfer.
    fn run(&mut self) -> usize {
        // Long against a division, and against stalls.
        let quiet = if self.stall == 0 { 100 } else { 800 };
        while self.cycle < self.last_transfer + quiet {
            self.step();
            assert!(self.cycle < 40_000, "tokens go on without end");
        }
        self.last_transfer + 1
    }

    /// Everything was taken and the module is in its first state.
    fn assert_drained(&mut self) {
        for (name, queue, _) in &self.inputs {
            assert!(queue.is_empty(), "{name} keeps {} tokens", queue.len());
        }
        assert_eq!(self.sim.get_u64("busy"), 0, "busy after the last token");
    }
}

/// Tokens of 8 bits, none like its neighbours.
fn tokens(count: usize) -> Vec<u64> {
    (0..count as u64).map(|k| k % 251).collect()
}

/// Conditions of activations of these trip counts.
fn conditions(trips: &[u64]) -> Vec<u64> {
    trips.iter().flat_map(|&n| std::iter::repeat_n(1, n as usize).chain([0])).collect()
}

fn random_trips(rng: &mut Rng) -> Vec<u64> {
    (0..12).map(|_| *rng.pick(&[0, 0, 1, 2, 3, 7])).collect()
}

const STALLS: [u32; 4] = [0, 20, 50, 80];

/// What the state machines are given: trip counts, conditions, a seed for each, and the share of stalls.
struct Case {
    trips: Vec<u64>,
    conds: Vec<u64>,
    a: Vec<u64>,
    stall: u32,
}

impl Case {
    fn new(seed: u64) -> Case {
        let trips = random_trips(&mut Rng::new(seed));
        let a = (0..trips.len() as u64).map(|k| 100 + k).collect();
        Case { conds: conditions(&trips), trips, a, stall: STALLS[seed as usize % 4] }
    }
}

/// Carry under stalls.
pub fn carry(seed: u64) {
    let Case { trips, conds, a, stall, .. } = Case::new(seed);
    let b: Vec<u64> = (0..trips.iter().sum::<u64>()).map(|k| 150 + k).collect();
    let mut bench = TestBench::new(&leaf::carry(8), stall, seed);
    bench.feed("d", conds.clone());
    bench.feed("a", a.clone());
    bench.feed("b", b.clone());
    bench.run();
    bench.assert_drained();
    let mut next = b.iter();
    let expected: Vec<u64> = trips
        .iter()
        .zip(&a)
        .flat_map(|(&n, &a)| {
            [a].into_iter().chain(next.by_ref().take(n as usize).copied()).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(bench.output("o"), expected);
}

/// Invariant under stalls.
pub fn invariant(seed: u64) {
    let Case { trips, conds, a, stall, .. } = Case::new(seed);
    let mut bench = TestBench::new(&leaf::invariant(8), stall, seed);
    bench.feed("d", conds.clone());
    bench.feed("a", a.clone());
    bench.run();
    bench.assert_drained();
    let expected: Vec<u64> =
        trips.iter().zip(&a).flat_map(|(&n, &a)| std::iter::repeat_n(a, n as usize + 1)).collect();
    assert_eq!(bench.output("o"), expected);
}

/// Carry with its branch under stalls.
pub fn carry_br(seed: u64) {
    let Case { trips, conds, a, stall, .. } = Case::new(seed);
    let b: Vec<u64> = (0..trips.iter().sum::<u64>()).map(|k| 150 + k).collect();
    let mut bench = TestBench::new(&leaf::carry_br(8), stall, seed);
    bench.feed("d", conds);
    bench.feed("a", a.clone());
    bench.feed("b", b.clone());
    bench.run();
    bench.assert_drained();
    // Of the N + 1 tokens of an activation the last one leaves.
    let (mut next, mut inside, mut left) = (b.into_iter(), Vec::new(), Vec::new());
    for (&n, &a) in trips.iter().zip(&a) {
        let mut all: Vec<u64> = [a].into_iter().chain(next.by_ref().take(n as usize)).collect();
        left.extend(all.pop());
        inside.extend(all);
    }
    assert_eq!(bench.output("o_true"), inside);
    assert_eq!(bench.output("o_false"), left);
}

/// Invariant with its branch under stalls.
pub fn invariant_br(seed: u64) {
    let Case { trips, conds, a, stall, .. } = Case::new(seed);
    let mut bench = TestBench::new(&leaf::invariant_br(8), stall, seed);
    bench.feed("d", conds);
    bench.feed("a", a.clone());
    bench.run();
    bench.assert_drained();
    let inside: Vec<u64> =
        trips.iter().zip(&a).flat_map(|(&n, &a)| std::iter::repeat_n(a, n as usize)).collect();
    assert_eq!(bench.output("o_true"), inside);
    assert_eq!(bench.output("o_false"), a);
}

/// Gate under stalls.
pub fn gate(seed: u64) {
    let Case { trips, conds, stall, .. } = Case::new(seed);
    let mut bench = TestBench::new(&leaf::gate(8), stall, seed);
    let values: Vec<u64> = (0..conds.len() as u64).collect();
    bench.feed("value", values.clone());
    bench.feed("cond", conds.clone());
    bench.run();
    bench.assert_drained();
    let kept: Vec<u64> = values.iter().zip(&conds).filter(|(_, &c)| c == 1).map(|(&v, _)| v).collect();
    assert_eq!(bench.output("o_value"), kept);
    let after: Vec<u64> = trips
        .iter()
        .filter(|&&n| n > 0)
        .flat_map(|&n| std::iter::repeat_n(1, n as usize - 1).chain([0]))
        .collect();
    assert_eq!(bench.output("o_cond"), after);
}

#[test]
fn state_machines_give_their_streams_under_stalls() {
    for seed in 0..40 {
        carry(seed);
        invariant(seed);
        gate(seed);
        carry_br(seed);
        invariant_br(seed);
    }
}

fn signed(v: u64, width: u32) -> i128 {
    let v = i128::from(v);
    if v >> (width - 1) & 1 == 1 {
        v - (1 << width)
    } else {
        v
    }
}

/// Bits as a number that the counter goes through.
fn number(counter: Counter, v: u64, width: u32) -> i128 {
    if counter.is_unsigned() {
        i128::from(v)
    } else {
        signed(v, width)
    }
}

/// The next index in exact arithmetic.
fn exact(counter: Counter, idx: i128, step_bits: u64, width: u32) -> i128 {
    let factor = number(counter, step_bits, width);
    match counter.step_op {
        StepOp::Add => idx + signed(step_bits, width),
        StepOp::Sub => idx - signed(step_bits, width),
        StepOp::Mul => idx * factor,
        StepOp::Div => idx / factor,
        // Beyond twice the width a shift leaves the range or is zero all the same.
        StepOp::Shl => idx << step_bits.min(2 * u64::from(width)),
        StepOp::Shr => idx >> step_bits.min(2 * u64::from(width)),
    }
}

/// The pairs of one activation; none when it has more than `limit`.
fn pairs(
    counter: Counter,
    cond: u32,
    start: u64,
    step: u64,
    bound: u64,
    width: u32,
    limit: usize,
) -> Option<Vec<(u64, u64)>> {
    let mask = (1u64 << width) - 1;
    let (mut idx, bound) = (number(counter, start, width), number(counter, bound, width));
    let mut overflow = false;
    let mut out = Vec::new();
    loop {
        let holds = match cond {
            0 => idx < bound,
            1 => idx <= bound,
            2 => idx > bound,
            3 => idx >= bound,
            _ => idx != bound,
        };
        let cont = holds && !overflow;
        out.push(((idx as u64) & mask, u64::from(cont)));
        if !cont {
            return Some(out);
        }
        if out.len() > limit {
            return None;
        }
        let next = exact(counter, idx, step, width);
        let wrapped = (next as u64) & mask;
        // A shift of twice the width keeps no bit; `<<` on i128 above gives the low bits for every amount.
        idx = number(counter, wrapped, width);
        overflow = idx != next;
    }
}

/// A stream under stalls.
pub fn stream(counter: Counter, width: u32, cond: u32, seed: u64) {
    configured_stream(&leaf::stream(width, counter), counter, width, cond, seed);
}

/// The same of a module that is built for unsigned numbers, with its mode bit 0 or 1.
pub fn stream_of_both(op: StepOp, width: u32, cond: u32, seed: u64) {
    let m = leaf::stream(width, Counter::unsigned(op));
    let counter = if seed.is_multiple_of(2) { Counter::unsigned(op) } else { Counter::signed(op) };
    configured_stream(&m, counter, width, cond, seed);
}

fn configured_stream(m: &Arc<Module>, counter: Counter, width: u32, cond: u32, seed: u64) {
    let mut rng = Rng::new(seed + 1000);
    let mut bench = TestBench::new(m, STALLS[seed as usize % 4], seed);
    bench.sim.set("cont_cond", 1u32 << cond);
    if m.port("is_unsigned").is_some() {
        bench.sim.set("is_unsigned", u32::from(counter.is_unsigned()));
    }
    let mut expected = Vec::new();
    while expected.len() < 200 {
        let mut value = || match rng.below(4) {
            0 => rng.below(6) as u64,
            1 => (1 << width) - 1 - rng.below(6) as u64,
            2 => (1 << (width - 1)) - rng.below(2) as u64,
            _ => rng.next_u64() & ((1 << width) - 1),
        };
        let (start, step, bound) = (value(), value(), value());
        if step == 0 {
            continue;
        }
        if let Some(list) = pairs(counter, cond, start, step, bound, width, 40) {
            bench.feed("start", [start]);
            bench.feed("step", [step]);
            bench.feed("bound", [bound]);
            expected.extend(list);
        }
    }
    bench.run();
    bench.assert_drained();
    let idx: Vec<u64> = expected.iter().map(|p| p.0).collect();
    let cont: Vec<u64> = expected.iter().map(|p| p.1).collect();
    assert_eq!(bench.output("o_idx"), idx, "{counter} width {width} condition {cond}");
    assert_eq!(bench.output("o_cont"), cont, "{counter} width {width} condition {cond}");
    assert_eq!(bench.sim.get_u64("zero_step_error"), 0);
}

#[test]
fn streams_give_their_pairs_under_stalls() {
    for op in StepOp::ALL {
        for (case, width) in [4u32, 4, 8, 8, 13].into_iter().enumerate() {
            for cond in 0..5 {
                let seed = case as u64 * 5 + u64::from(cond);
                stream(Counter::signed(op), width, cond, seed);
                stream_of_both(op, width, cond, 2 * seed);
                stream_of_both(op, width, cond, 2 * seed + 1);
            }
        }
    }
}

pub fn a_zero_step_stops_the_stream_until_reset() {
    for counter in Counter::all() {
        // From 4 while not equal to what follows.
        let bound = exact(counter, 4, 2, 8) as u64;
        let mut bench = TestBench::new(&leaf::stream(8, counter), 0, 1);
        bench.sim.set("cont_cond", 1u32 << 4);
        bench.feed("start", [4, 4, 4]);
        bench.feed("step", [2, 0, 2]);
        bench.feed("bound", [bound; 3]);
        bench.run();
        assert_eq!(bench.output("o_idx"), [4, bound]);
        assert_eq!(bench.inputs[0].1.len(), 2, "the operands of the failed activation stay");
        assert_eq!((bench.sim.get_u64("zero_step_error"), bench.sim.get_u64("busy")), (1, 0));
        bench.sim.reset();
        assert_eq!(bench.sim.get_u64("zero_step_error"), 0);
    }
}

pub fn what_is_held_is_busy() {
    for (m, names) in [
        (leaf::carry(8), &["a"][..]),
        (leaf::invariant(8), &["a"]),
        (leaf::gate(8), &["value", "cond"]),
        (leaf::carry_br(8), &["d", "a"]),
        (leaf::invariant_br(8), &["a"]),
    ] {
        let mut bench = TestBench::new(&m, 0, 0);
        assert_eq!(bench.sim.get_u64("busy"), 0, "{} after reset", m.name);
        names.iter().for_each(|name| bench.feed(name, [1]));
        bench.run();
        assert!(bench.inputs.iter().all(|i| i.1.is_empty()), "{} takes its first tokens", m.name);
        assert_eq!(bench.sim.get_u64("busy"), 1, "{} within an activation", m.name);
    }
    // A fork of which one output has its copy.
    for k in 0..3 {
        let mut sim = Evaluator::new(&planted(&leaf::eager_fork(8, 3)));
        sim.reset();
        assert_eq!(sim.get_u64("busy"), 0);
        sim.set("in_valid", 1u32);
        sim.set(&format!("out{k}_ready"), 1u32);
        sim.tick();
        assert_eq!(sim.get_u64("busy"), 1, "output {k} has its copy");
    }
}

/// In its first phase a gate sends no condition, on a false condition no value.
pub fn a_gate_waits_only_for_the_room_it_needs() {
    let mut sim = Evaluator::new(&planted(&leaf::gate(8)));
    sim.reset();
    sim.set("value_valid", 1u32);
    sim.set("cond_valid", 1u32);
    for (value_room, cond_room, cond, taken) in [
        (0, 1, 1, false),
        (0, 0, 0, true),
        (1, 0, 1, true),
        // Within the body.
        (1, 0, 1, false),
        (1, 0, 0, false),
        (0, 1, 1, false),
        (0, 1, 0, true),
        (0, 0, 0, true),
    ] {
        sim.set("o_value_room", value_room as u32);
        sim.set("o_cond_room", cond_room as u32);
        sim.set("cond_data", cond as u32);
        let place = format!("room {value_room} {cond_room}, condition {cond}");
        assert_eq!(sim.get_u64("cond_ready"), u64::from(taken), "{place}");
        assert_eq!(sim.get_u64("value_ready"), u64::from(taken), "{place}");
        sim.tick();
    }
}

pub fn the_onehot_error_is_set_for_27_of_32_values() {
    for counter in Counter::all() {
        let mut sim = Evaluator::new(&planted(&leaf::stream(8, counter)));
        for v in 0..32u32 {
            sim.set("cont_cond", v);
            assert_eq!(sim.get_u64("onehot_error"), u64::from(v.count_ones() != 1), "{v:05b}");
        }
    }
}

/// H7: A activations of N trips in A*(N+1) cycles and a constant, with ideal neighbours.
#[test]
fn one_token_a_cycle_within_and_between_activations() {
    [0, 1, 2, 16, 1000].into_iter().for_each(full_rate);
}

/// The state machines at full rate, with `n` trips.
pub fn full_rate(n: u64) {
    let activations = 20;
    let trips = vec![n; activations];
    let conds = conditions(&trips);
    let limit = activations * (n as usize + 1);
    let seeds = 0..activations as u64;

    let mut bench =
        TestBench::new(&leaf::stream(if n < 100 { 8 } else { 16 }, Counter::signed(StepOp::Add)), 0, 0);
    bench.sim.set("cont_cond", 1u32);
    bench.feed("start", vec![0; activations]);
    bench.feed("step", vec![1; activations]);
    bench.feed("bound", vec![n; activations]);
    assert_eq!(bench.run(), limit + 1, "stream, N = {n}");

    let mut bench = TestBench::new(&leaf::gate(8), 0, 0);
    bench.feed("value", tokens(limit));
    bench.feed("cond", conds.clone());
    assert_eq!(bench.run(), limit, "gate, N = {n}");

    let mut bench = TestBench::new(&leaf::carry(8), 0, 0);
    bench.feed("d", conds.clone());
    bench.feed("a", seeds.clone());
    bench.feed("b", tokens(activations * n as usize));
    assert_eq!(bench.run(), limit + 1, "carry, N = {n}");

    let mut bench = TestBench::new(&leaf::invariant(8), 0, 0);
    bench.feed("d", conds.clone());
    bench.feed("a", seeds.clone());
    assert_eq!(bench.run(), limit + 1, "invariant, N = {n}");

    let mut bench = TestBench::new(&leaf::carry_br(8), 0, 0);
    bench.feed("d", conds.clone());
    bench.feed("a", seeds.clone());
    bench.feed("b", tokens(activations * n as usize));
    assert_eq!(bench.run(), limit, "carry_br, N = {n}");

    let mut bench = TestBench::new(&leaf::invariant_br(8), 0, 0);
    bench.feed("d", conds);
    bench.feed("a", seeds);
    assert_eq!(bench.run(), limit, "invariant_br, N = {n}");
}

pub fn a_divided_pair_follows_after_the_width_and_one() {
    let mut bench = TestBench::new(&leaf::stream(16, Counter::signed(StepOp::Div)), 0, 0);
    bench.sim.set("cont_cond", 4u32);
    bench.feed("start", [1000]);
    bench.feed("step", [10]);
    bench.feed("bound", [0]);
    // Accepted in cycle 0; pairs 1000, 100, 10, 1, 0 of which the four last are divided.
    let end = bench.run();
    assert_eq!(bench.output("o_idx"), [1000, 100, 10, 1, 0]);
    assert_eq!(end, 1 + 1 + 4 * 17);
}

#[test]
fn buffers_are_queues() {
    let cases: [(Arc<Module>, usize, usize); 10] = [
        (leaf::fifo(8, 0, 1, FifoKind::Registered), 1, 2),
        (leaf::elastic_buffer(8, 0), 2, 1),
        (leaf::fifo(8, 0, 3, FifoKind::Registered), 3, 1),
        (leaf::fifo(8, 0, 4, FifoKind::Registered), 4, 1),
        (leaf::fifo(8, 0, 5, FifoKind::Registered), 5, 1),
        (leaf::fifo(8, 0, 2, FifoKind::Bypassable), 2, 1),
        (leaf::fifo(8, 0, 7, FifoKind::Bypassable), 7, 1),
        (leaf::fifo(8, 0, 1, FifoKind::FallThrough), 1, 1),
        (leaf::fifo(8, 0, 2, FifoKind::FallThrough), 2, 1),
        (leaf::fifo(8, 0, 5, FifoKind::FallThrough), 5, 1),
    ];
    for (m, depth, cycles_per_token) in cases {
        buffer(&m, depth, cycles_per_token);
    }
}

/// A buffer under stalls, at full rate, and full.
pub fn buffer(m: &Arc<Module>, depth: usize, cycles_per_token: usize) {
    for stall in STALLS {
        let mut bench = TestBench::new(m, stall, u64::from(stall));
        bench.feed("in", tokens(500));
        let end = bench.run();
        bench.assert_drained();
        assert_eq!(bench.output("out"), tokens(500), "{}", m.name);
        if stall == 0 {
            // The first token takes a cycle to come through, but for where it falls through.
            let first = usize::from(cycles_per_token == 1 && !m.name.ends_with("_ft"));
            assert_eq!(end, 500 * cycles_per_token + first, "{}", m.name);
        }
    }
    // Capacity: with the output blocked exactly `depth` tokens go in.
    let mut bench = TestBench::new(m, 0, 0);
    bench.feed("in", 0..20);
    bench.stall = 100;
    bench.inputs[0].2 = true;
    for _ in 0..30 {
        bench.inputs[0].2 = true;
        bench.step();
    }
    assert_eq!(20 - bench.inputs[0].1.len(), depth, "{}", m.name);
    assert_eq!(bench.sim.get_u64("busy"), 1);
}

pub fn a_token_falls_through_an_empty_fifo_and_ready_waits_for_nothing() {
    let mut bench = TestBench::new(&leaf::fifo(8, 0, 2, FifoKind::FallThrough), 0, 5);
    bench.feed("in", tokens(300));
    // Nothing stalls, so nothing is ever stored, and each token leaves in the cycle in which it comes.
    while bench.output("out").len() < 300 {
        bench.step();
        assert_eq!(300 - bench.inputs[0].1.len(), bench.output("out").len(), "nothing is stored");
        assert_eq!(bench.sim.get_u64("busy"), 0);
    }
    // Not taken, a token is kept though ready was seen before it was known.
    bench.sim.set("out_ready", 0u32);
    for (valid, ready, busy) in [(1u32, 1, 0), (1, 1, 1), (1, 0, 1), (0, 0, 1)] {
        bench.sim.set("in_valid", valid);
        bench.sim.settle();
        assert_eq!(bench.sim.get_u64("in_ready"), ready);
        assert_eq!((bench.sim.get_u64("out_valid"), bench.sim.get_u64("busy")), (1, busy));
        bench.sim.tick();
    }
}

pub fn a_bypassed_fifo_is_a_wire() {
    let mut bench = TestBench::new(&leaf::fifo(8, 0, 4, FifoKind::Bypassable), 30, 5);
    bench.sim.set("bypass", 1u32);
    bench.feed("in", tokens(300));
    let mut entered_before = 0;
    while bench.output("out").len() < 300 {
        bench.step();
        entered_before += 1;
        assert_eq!(300 - bench.inputs[0].1.len(), bench.output("out").len(), "nothing is stored");
        assert_eq!(bench.sim.get_u64("busy"), 0);
        assert!(entered_before < 10_000);
    }
}

pub fn an_eager_fork_gives_each_output_each_token_once() {
    for (n, stall) in [(1, 0), (2, 50), (3, 0), (3, 50), (5, 80)] {
        let mut bench = TestBench::new(&leaf::eager_fork(8, n), stall, u64::from(n));
        bench.feed("in", tokens(200));
        let end = bench.run();
        bench.assert_drained();
        for k in 0..n {
            assert_eq!(bench.output(&format!("out{k}")), tokens(200));
        }
        assert!(stall > 0 || end == 200);
    }
}

tests! {
    a_zero_step_stops_the_stream_until_reset
    the_onehot_error_is_set_for_27_of_32_values
    a_divided_pair_follows_after_the_width_and_one
    what_is_held_is_busy
    a_gate_waits_only_for_the_room_it_needs
    a_bypassed_fifo_is_a_wire
    a_token_falls_through_an_empty_fifo_and_ready_waits_for_nothing
    an_eager_fork_gives_each_output_each_token_once
}
