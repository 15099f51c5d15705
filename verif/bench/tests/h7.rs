//! H7 at the cores in Verilator: A activations of trip count N take exactly A*(N+1) cycles and the unit's constant, and
//! the tokens are right whoever stalls.

use loom_base::stall::Stalls;
use loom_base::{truncate, Rng};
use loom_bench::h7::{Core, Cores, H7Row, WIDTH};
use loom_dfg::{ContCond, StepOp};
use loom_testkit::fabrics::root;
use std::sync::OnceLock;

fn cores() -> &'static Cores {
    static CORES: OnceLock<Cores> = OnceLock::new();
    CORES.get_or_init(|| {
        Cores::new(&root().join("target/verilated")).unwrap_or_else(|d| panic!("{}", d[0].message))
    })
}

fn measure(unit: Core, activations: u64, n: u64) -> H7Row {
    cores()
        .measure(unit, activations, n)
        .unwrap_or_else(|d| panic!("A={activations} N={n}: {}", d[0].message))
}

/// Registers from the first operand to an output, plus one as both ends count: a stream accepts, pushes in the next
/// cycle, and the buffer shows it in the one after; the others push as they consume.
fn constant(unit: Core) -> u64 {
    match unit {
        Core::Stream(_) => 2,
        Core::Gate | Core::Carry | Core::Invariant => 1,
    }
}

#[test]
fn every_core_moves_a_token_every_cycle() {
    for unit in Core::ALL {
        println!("{}: A*(N+1) + {}", unit.name(), constant(unit));
        for n in [0, 1, 2, 16, 30, 1000].into_iter().filter(|&n| n <= unit.most()) {
            for a in [1, 2, 5] {
                // A gate gives nothing for N = 0: the last transfer is that of the last operand.
                let constant = if unit == Core::Gate && n == 0 { 0 } else { constant(unit) };
                let want = a * (n + 1) + unit.extra(a, n) + constant;
                assert_eq!(measure(unit, a, n), H7Row { unit, n, activations: a, cycles: want });
            }
        }
    }
}

/// Behind a gate a loop body sees N - 1 true conditions and a false one: N tokens, N cycles for an activation.
#[test]
fn after_a_gate_an_activation_takes_n_cycles() {
    for unit in [Core::Carry, Core::Invariant] {
        for n in [1, 2, 16, 1000] {
            for a in [1, 2, 5] {
                assert_eq!(measure(unit, a, n - 1).cycles, a * n + 1, "{unit:?} A={a} N={n}");
            }
        }
    }
}

/// The formula stands against cycles that are lost on purpose.
#[test]
fn a_stalled_neighbour_costs_cycles() {
    for unit in Core::ALL {
        let inputs = unit.inputs(2, 16);
        let ideal = measure(unit, 2, 16).cycles;
        for (source_percent, sink_percent) in [(50, 0), (0, 50)] {
            let stalls = Stalls { seed: 1, source_percent, sink_percent };
            let played = cores().check(unit, unit.cont_cond(), &inputs, &stalls);
            let cycles = played.unwrap_or_else(|d| panic!("{}", d[0].message)).cycles;
            // A stream takes three operands in 17 pairs, a slow source hides behind them; so it may a division.
            let may_hide = match unit {
                Core::Stream(StepOp::Div) => true,
                Core::Stream(_) => source_percent > 0,
                _ => false,
            };
            assert!(cycles > ideal || may_hide && cycles >= ideal, "{unit:?}: {cycles} of {ideal}");
        }
    }
}

/// Activations of mixed trip counts for one unit, none of them endless.
fn random_inputs(rng: &mut Rng, unit: Core) -> (ContCond, Vec<Vec<u64>>) {
    let activations = 1 + rng.below(6);
    let mut inputs = vec![Vec::new(); 3];
    let mut cont_cond = unit.cont_cond();
    let word = |rng: &mut Rng| truncate(rng.next_u64(), WIDTH);
    match unit {
        Core::Stream(op) => {
            // Updates that grow end by overflow at the latest; those that shrink need a bound they pass.
            let small = |rng: &mut Rng, low, high| truncate(rng.between(low, high) as u64, WIDTH);
            cont_cond = match op {
                StepOp::Add | StepOp::Sub => *rng.pick(&ContCond::ALL),
                StepOp::Mul | StepOp::Shl => *rng.pick(&[ContCond::Lt, ContCond::Le, ContCond::Ne]),
                StepOp::Div | StepOp::Shr => *rng.pick(&[ContCond::Gt, ContCond::Ge, ContCond::Ne]),
            };
            for _ in 0..activations {
                let [start, step, bound] = match (op, cont_cond) {
                    // Distance a multiple of the step, or `!=` passes the bound and goes round to the overflow.
                    (StepOp::Add | StepOp::Sub, ContCond::Ne) => {
                        let (start, step, n) = (rng.between(-50, 50), rng.between(1, 9), rng.between(0, 20));
                        let n = if op == StepOp::Add { n } else { -n };
                        [start, step, start + n * step].map(|v| truncate(v as u64, WIDTH))
                    }
                    // Near the end of the range in the direction of the steps: by bound or by overflow.
                    (StepOp::Add | StepOp::Sub, _) => {
                        let up = (op == StepOp::Add) != rng.chance(40);
                        let edge = if up { i64::from(i32::MAX) } else { i64::from(i32::MIN) };
                        let start = edge - rng.between(0, 40) * if up { 1 } else { -1 };
                        let step = rng.between(1, 9) * if up == (op == StepOp::Add) { 1 } else { -1 };
                        let bound = edge - rng.between(0, 40) * if up { 1 } else { -1 };
                        [start, step, bound].map(|v| truncate(v as u64, WIDTH))
                    }
                    (StepOp::Mul, _) => [small(rng, 1, 9), small(rng, 2, 9), word(rng)],
                    (StepOp::Shl, _) => [small(rng, 1, 9), small(rng, 1, 40), word(rng)],
                    // Towards zero and there: the bound is never below it.
                    (StepOp::Div, ContCond::Ne) => [word(rng), small(rng, 2, 9), 0],
                    (StepOp::Div, _) => [word(rng), small(rng, 2, 9), small(rng, 1, 99)],
                    (StepOp::Shr, ContCond::Ne) => [word(rng) >> 1, small(rng, 1, 40), 0],
                    (StepOp::Shr, _) => [word(rng) >> 1, small(rng, 1, 40), small(rng, 1, 99)],
                };
                inputs[0].push(start);
                inputs[1].push(step);
                inputs[2].push(bound);
            }
        }
        Core::Gate | Core::Carry | Core::Invariant => {
            let trips: Vec<usize> = (0..activations).map(|_| rng.below(8)).collect();
            let conditions: Vec<u64> =
                trips.iter().flat_map(|&n| (0..=n).map(move |k| u64::from(k < n))).collect();
            let values = |rng: &mut Rng, count: usize| (0..count).map(|_| word(rng)).collect::<Vec<_>>();
            inputs = match unit {
                Core::Gate => vec![values(rng, conditions.len()), conditions],
                Core::Carry => {
                    vec![conditions, values(rng, activations), values(rng, trips.iter().sum())]
                }
                _ => vec![conditions, values(rng, activations)],
            };
        }
    }
    (cont_cond, inputs)
}

#[test]
fn tokens_are_those_of_the_golden_model_whoever_stalls() {
    for unit in Core::ALL {
        for seed in 0..200 {
            let mut rng = Rng::new(seed);
            let (cont_cond, inputs) = random_inputs(&mut rng, unit);
            let stalls = Stalls {
                seed: rng.next_u64(),
                source_percent: rng.below(75) as u32,
                sink_percent: rng.below(75) as u32,
            };
            cores()
                .check(unit, cont_cond, &inputs, &stalls)
                .unwrap_or_else(|d| panic!("seed {seed} {cont_cond:?} {inputs:x?}: {}", d[0].message));
        }
    }
}

#[test]
fn a_zero_step_is_not_accepted_and_nothing_after_it() {
    for op in StepOp::ALL {
        let unit = Core::Stream(op);
        let mut inputs = unit.inputs(3, 2);
        inputs[1][1] = 0;
        let played = cores().play(unit, unit.cont_cond(), &inputs, &[9, 9], &Stalls::NONE, 500);
        assert!(played.zero_step && !played.completed, "{unit:?}: {played:?}");
        assert_eq!(played.taken, [1, 1, 1], "{unit:?}");
        assert_eq!(played.outputs[1], [1, 1, 0], "{unit:?}: the activation before it ends normally");
        assert!(!played.busy, "{unit:?} stays in Idle");
    }
}
