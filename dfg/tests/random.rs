//! Random graphs: whatever the schedule, the same outputs and nothing left over; text reads back.

use loom_base::{Rng, Source};
use loom_dfg::interp::{run, InterpOptions};
use loom_dfg::op::Class;
use loom_dfg::{branches, parse, print, verify, Counter, OpKind, StepOp};
use loom_testkit::graphs::{random_graph, RandomGraphOptions};
use std::collections::BTreeSet;

/// Adds to `seen` what stands in the graph, by name and parameter.
fn check(seed: u64, options: &RandomGraphOptions, seen: &mut BTreeSet<String>) {
    let mut rng = Rng::new(seed);
    let random = random_graph(&mut rng, options);
    let g = &random.graph;
    let text = print(g);
    let problems = verify(g);
    assert!(problems.is_empty(), "seed {seed}: {problems:?}\n{text}");
    assert!(g.nodes.len() <= options.max_ops, "seed {seed}");
    let again =
        parse(&Source::new("random", text.clone())).unwrap_or_else(|d| panic!("seed {seed}: {d:?}\n{text}"));
    assert_eq!(print(&again), text, "seed {seed}");
    let inputs = random.inputs(&mut rng, 4);
    let first = run(g, &inputs, &InterpOptions::default());
    let left: Vec<_> = first.leftover.iter().map(|l| l.describe(g)).collect();
    assert!(first.is_complete(), "seed {seed}: {:?} {left:?}\n{text}", first.stop);
    assert!(first.outputs.iter().all(|o| o.len() == 4), "seed {seed}");
    for schedule in 1..4 {
        let other = run(&again, &inputs, &InterpOptions { seed: schedule, ..InterpOptions::default() });
        assert_eq!(other, first, "seed {seed}, schedule {schedule}\n{text}");
    }
    seen.extend(g.nodes.iter().map(|n| n.op.kind().to_string()));
}

#[test]
fn schedules_do_not_change_results() {
    let mut seen = BTreeSet::new();
    let arith = OpKind::TABLE
        .iter()
        .copied()
        .filter(|k| k.class() == Class::Arith && k.in_hardware())
        .collect::<Vec<_>>();
    for seed in 0..300 {
        let branches = RandomGraphOptions { branches: true, ..RandomGraphOptions::default() };
        check(seed, &branches, &mut seen);
        // Two of those: they share their ops among more kinds.
        for seed in [seed, seed + 1000] {
            check(
                seed,
                &RandomGraphOptions { arith: arith.clone(), ..RandomGraphOptions::default() },
                &mut seen,
            );
        }
    }
    // These graphs have no memory.
    let expected = OpKind::TABLE.iter().filter(|k| k.in_hardware() && k.class() != Class::Access);
    let all: BTreeSet<_> = expected.map(|k| k.mnemonic()).collect();
    let seen: BTreeSet<_> = seen.iter().map(|name| name.split(' ').next().unwrap()).collect();
    assert_eq!(seen, all, "every op that hardware has occurs");
}

#[test]
fn larger_graphs_with_all_step_ops() {
    let mut seen = BTreeSet::new();
    let options = RandomGraphOptions {
        max_ops: 120,
        max_depth: 3,
        all_step_ops: true,
        branches: true,
        ..RandomGraphOptions::default()
    };
    for seed in 0..150 {
        check(seed, &options, &mut seen);
    }
    // What the default options may draw, control included; every step op is one.
    let drawn =
        RandomGraphOptions::default().arith.into_iter().chain(OpKind::TABLE.iter().copied().filter(control));
    let all: BTreeSet<_> = drawn.map(|k| k.to_string()).chain(StepOp::ALL.map(step)).collect();
    let missing: Vec<_> = all.difference(&seen).collect();
    assert!(missing.is_empty(), "never drawn: {missing:?}");
}

fn control(kind: &OpKind) -> bool {
    matches!(kind.class(), Class::Steer | Class::State)
}

fn step(step: StepOp) -> String {
    OpKind::Stream(Counter::signed(step)).to_string()
}

/// What a graph gives and stores does not change when its branches go into its state machines, and all that can do.
#[test]
fn fused_branches_mean_the_same() {
    let (mut fused, mut pairs) = (0, 0);
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let random =
            random_graph(&mut rng, &RandomGraphOptions { max_ops: 60, ..RandomGraphOptions::default() });
        let Some(graph) = branches::fuse(&random.graph, &|_, _| true) else { continue };
        let problems = verify(&graph);
        assert!(problems.is_empty(), "seed {seed}: {problems:?}\n{}", print(&graph));
        assert!(branches::fuse(&graph, &|_, _| true).is_none(), "seed {seed}: twice");
        let inputs = random.inputs(&mut rng, 4);
        for schedule in 0..3 {
            let options = InterpOptions { seed: schedule, ..InterpOptions::default() };
            let (before, after) = (run(&random.graph, &inputs, &options), run(&graph, &inputs, &options));
            assert!(after.is_complete(), "seed {seed}\n{}", print(&graph));
            assert_eq!(before.outputs, after.outputs, "seed {seed}\n{}", print(&graph));
        }
        fused += 1;
        pairs += random.graph.nodes.len() - graph.nodes.len();
    }
    assert!(fused > 150 && pairs > 2 * fused, "{pairs} pairs in {fused} graphs");
}
