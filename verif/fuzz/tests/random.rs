//! Random programs, with stalls and several activations, through golden model, native model and Verilog on one mesh.

use loom_adg::Fabric;
use loom_base::Source;
use loom_dfg::OpKind;
use loom_fuzz::{DrawnGraph, Fate, Target};
use loom_sim::Case;
use loom_testkit::fabrics::{fabric, verilated};
use rayon::prelude::*;
use std::cell::Cell;

const FABRIC: &str = "configs/mesh-4x4.toml";
const PROGRAMS: u64 = 500;

fn target(f: &Fabric) -> Target<'_> {
    // Any legal mapping will do: what is tested is that the models agree on it, not that it is a fast one.
    let options = loom_map::MapOptions { steps_per_item: 200, attempts: 3, ..Default::default() };
    Target { fabric: f, options }
}

#[test]
fn random_programs_agree() {
    let f = fabric(FABRIC);
    let built = verilated(&f);
    let verdicts: Vec<(u64, Fate)> = (0..PROGRAMS)
        .into_par_iter()
        .map(|seed| {
            (seed, loom_fuzz::check(&loom_fuzz::draw(seed), &target(&f), (seed % 25 == 0).then_some(&built)))
        })
        .collect();
    let mut failures = Vec::new();
    let (mut fitted, mut verilog, mut stalled) = (0, 0, 0);
    for (seed, verdict) in verdicts {
        match verdict {
            Fate::Agrees(report) => {
                fitted += 1;
                verilog += u64::from(report.verilog_cycles.is_some());
                stalled += u64::from(loom_fuzz::draw(seed).case.stalls.sink_percent > 0);
            }
            Fate::DoesNotFit(why) => println!("seed {seed} does not fit: {why}"),
            Fate::Fails(why) => failures.push(format!("seed {seed}: {why}")),
        }
    }
    println!("{fitted} fit, {verilog} through Verilog, {stalled} with stalls at the results");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(fitted >= 450, "only {fitted} fit");
    assert!(verilog >= 15, "only {verilog} went through Verilog");
    assert!(stalled >= 250, "only {stalled} had stalls");
}

fn has_muli(program: &DrawnGraph) -> bool {
    program.graph.node_ids().any(|n| program.graph.kind(n) == OpKind::Muli)
}

/// A planted failure: programs with a multiplication.
#[test]
fn shrinks_to_what_matters() {
    let planted: Vec<DrawnGraph> = (0..200).map(loom_fuzz::draw).filter(has_muli).take(10).collect();
    assert_eq!(planted.len(), 10);
    for program in planted {
        let mut asked = 0;
        let small = loom_fuzz::shrink(program.clone(), 32, &mut |p| {
            asked += 1;
            assert!(loom_dfg::verify(&p.graph).is_empty(), "only good graphs are asked about");
            has_muli(p)
        });
        assert!(has_muli(&small));
        assert!(small.graph.nodes.len() <= 3, "{} after {asked}", loom_dfg::print(&small.graph));
        assert_eq!((small.case.stalls.source_percent, small.case.stalls.sink_percent), (0, 0));
        assert!(small.case.inputs.iter().flatten().all(|&t| t == 0), "{:?}", small.case);
    }
}

/// Cutting keeps what the rest computes: the shrunk program still fits, runs and agrees.
#[test]
fn what_is_left_still_runs() {
    let f = fabric(FABRIC);
    let program = (0..200).map(loom_fuzz::draw).find(|p| p.graph.nodes.len() > 20).expect("a large one");
    let small = loom_fuzz::shrink(program, 32, &mut |p| {
        let outcome = loom_dfg::interp::run(&p.graph, &p.case.inputs, &Default::default());
        outcome.is_complete() && p.graph.node_ids().any(|n| p.graph.kind(n) == OpKind::CondBr)
    });
    assert!(small.graph.nodes.len() <= 3, "{}", loom_dfg::print(&small.graph));
    let verdict = loom_fuzz::check(&small, &target(&f), None);
    assert!(matches!(verdict, Fate::Agrees(_)), "{verdict:?}");
}

#[test]
fn files_read_back() {
    for seed in 0..100 {
        let drawn = loom_fuzz::draw(seed);
        let small = loom_fuzz::shrink(drawn.clone(), 32, &mut |p| p.graph.nodes.len() >= 4);
        for program in [drawn, small] {
            let [(graph_name, graph_text), (case_name, case_text)] = loom_fuzz::files(&program);
            assert_eq!(graph_name, format!("fail-{seed}.dfg.mlir"));
            assert_eq!(case_name, format!("fail-{seed}.toml"));
            let graph = loom_dfg::parse(&Source::new(graph_name, graph_text.clone()))
                .unwrap_or_else(|d| panic!("{:?}\n{graph_text}", d[0]));
            let case = Case::read(&Source::new(case_name, case_text.clone()), &graph, 32)
                .unwrap_or_else(|d| panic!("{:?}\n{case_text}", d[0]));
            assert_eq!(loom_dfg::print(&graph), graph_text);
            assert_eq!(case, program.case);
            let run = |g, c: &Case| loom_dfg::interp::run(g, &c.inputs, &Default::default()).outputs;
            assert_eq!(run(&graph, &case), run(&program.graph, &program.case));
        }
    }
}

#[test]
fn fuzzing_counts_what_it_does() {
    let f = fabric(FABRIC);
    let left = Cell::new(30);
    let over = || left.replace(left.get() - 1) == 0;
    let mut seen = Vec::new();
    let summary = loom_fuzz::fuzz(&target(&f), None, 5000, &over, &mut |programs, failures| {
        seen.push((programs, failures))
    });
    assert!(summary.failures.is_empty(), "{:?}", summary.failures);
    assert_eq!((summary.programs, summary.verilog), (30, 0));
    assert!(summary.fitted >= 27);
    assert_eq!(seen, (1..=30).map(|n| (n, 0)).collect::<Vec<_>>());
}
