//! Random structured programs with memory, in both memory orders, with stalls and slow memory that answers out of order:
//! interpreters against native model, some through Verilog too, on one mesh.

use loom_adg::Fabric;
use loom_base::Source;
use loom_front::order::Order;
use loom_fuzz::structured::{self, Structured, ORDERS};
use loom_fuzz::{Fate, Target};
use loom_sim::axi::AxiOptions;
use loom_sim::Case;
use loom_testkit::fabrics::{fabric, verilated};
use loom_testkit::programs::RandomArgument;
use rayon::prelude::*;
use std::cell::Cell;
use std::collections::BTreeMap;

const FABRIC: &str = "configs/mesh-4x4.toml";
const PROGRAMS: u64 = 150;

fn target(f: &Fabric) -> Target<'_> {
    // Any legal mapping will do.
    let options = loom_map::MapOptions { steps_per_item: 200, attempts: 3, ..Default::default() };
    Target { fabric: f, options }
}

/// Number of programs: that of `make test`, or what a hunt asks for.
fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// What the programs that run on the fabric are made of, by words in their text, and in how many of them at least.
const PARTS: [(&str, usize); 12] = [
    ("memref.load", 60),
    ("memref.store", 60),
    ("scf.for", 60),
    ("scf.while", 40),
    ("scf.if", 20),
    ("memref.subview", 3),
    ("memref.alloc", 10),
    ("memref.get_global", 10),
    ("xi8>", 5),
    ("xi16>", 5),
    ("xindex>", 5),
    ("xf32>", 5),
];

#[test]
fn random_programs_with_memory_agree() {
    let f = fabric(FABRIC);
    let built = verilated(&f);
    let first = number("LOOM_FIRST", 0);
    let count = number("LOOM_PROGRAMS", PROGRAMS);
    let every = number("LOOM_VERILOG_EVERY", 6);
    let jobs: Vec<(u64, Order)> = (first..first + count).flat_map(|s| ORDERS.map(|o| (s, o))).collect();
    let verdicts: Vec<(u64, Order, Fate)> = jobs
        .into_par_iter()
        .map(|(seed, order)| {
            let built = (seed % every == 0).then_some(&built);
            (seed, order, structured::check(&structured::draw(seed), order, &target(&f), built))
        })
        .collect();
    let mut failures = Vec::new();
    let (mut fitted, mut verilog, mut ops, mut shared, mut several) = (0, 0, 0, 0, 0);
    let mut refused = BTreeMap::<String, usize>::new();
    let mut parts = [0; PARTS.len()];
    for (seed, order, verdict) in verdicts {
        match verdict {
            Fate::Agrees(report) => {
                fitted += 1;
                ops += report.ops;
                verilog += u64::from(report.verilog_cycles.is_some());
                let drawn = structured::draw(seed).program;
                let text = loom_front::print(&drawn.source);
                parts.iter_mut().zip(PARTS).for_each(|(n, (word, _))| *n += usize::from(text.contains(word)));
                let arguments = &drawn.calls[0].arguments;
                let twice = |(k, a)| matches!(a, &RandomArgument::Buffer(_)) && arguments[..k].contains(a);
                shared += usize::from(arguments.iter().enumerate().any(twice));
                several += usize::from(drawn.calls.len() > 1);
            }
            Fate::DoesNotFit(why) => *refused.entry(why).or_default() += 1,
            Fate::Fails(why) => failures.push(format!("seed {seed}, {order:?}: {why}")),
        }
    }
    println!("{fitted} of {} fit, {ops} ops, {verilog} through Verilog, refused: {refused:#?}", 2 * count);
    println!("{shared} with shared buffers, {several} of several calls, {parts:?} of {PARTS:?}");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    // A refusal is for want of room, never for an op that no default fabric has.
    assert!(!refused.keys().any(|why| why.contains("M0101")), "{refused:#?}");
    assert!(fitted >= 2 * count as usize * 4 / 5, "only {fitted} fit");
    assert!(verilog >= 2 * (count / every) * 3 / 4, "only {verilog} went through Verilog");
    assert!(ops >= 16 * fitted, "small graphs: {ops} ops in {fitted}");
    if (first, count) == (0, PROGRAMS) {
        assert!(shared >= 20 && several >= 100, "{shared} with shared buffers, {several} of several calls");
        assert!(parts.iter().zip(PARTS).all(|(&n, (_, least))| n >= least), "{parts:?} of {PARTS:?}");
    }
}

/// A planted failure: programs that store to memory.
#[test]
fn shrinks_to_what_matters() {
    let stores = |p: &Structured| loom_front::print(&p.program.source).contains("memref.store");
    let planted: Vec<Structured> = (0..50).map(structured::draw).filter(stores).take(10).collect();
    assert_eq!(planted.len(), 10);
    for program in planted {
        let small = structured::shrink(program, &mut |p| stores(p));
        assert!(stores(&small));
        let operations = structured::operations(&small);
        assert!(operations <= 8, "{operations}\n{}", loom_front::print(&small.program.source));
        assert_eq!((small.stalls.source_percent, small.stalls.sink_percent), (0, 0));
        assert_eq!(small.axi, AxiOptions { seed: small.axi.seed, ..AxiOptions::default() });
    }
}

/// A failure is written so that it reads back as the same program, case and graph.
#[test]
fn files_read_back() {
    let f = fabric(FABRIC);
    for seed in 0..100 {
        let drawn = structured::draw(seed);
        for order in ORDERS {
            let files = structured::files(&drawn, order, &target(&f));
            let [(program_name, program), (case_name, case)] = &files[..] else { panic!("{files:?}") };
            assert_eq!(
                (&program_name[..], &case_name[..]),
                (&format!("memory-{seed}.scf.mlir")[..], &format!("memory-{seed}.toml")[..])
            );
            let module = loom_front::parse(&Source::new(program_name.clone(), program.clone()))
                .unwrap_or_else(|d| panic!("{:?}\n{program}", d[0]));
            let compiled = structured::compiled(&module, order, &target(&f)).expect("compiles");
            let graph = &compiled.lowered.graph;
            let read = Case::read(&Source::new(case_name.clone(), case.clone()), graph, f.index_width())
                .unwrap_or_else(|d| panic!("{:?}\n{case}", d[0]));
            assert_eq!(read, structured::case(&drawn, &compiled), "{case}");
        }
    }
}

#[test]
fn fuzzing_counts_what_it_does() {
    let f = fabric(FABRIC);
    let left = Cell::new(10);
    let over = || left.replace(left.get() - 1) == 0;
    let mut seen = Vec::new();
    let mut progress = |programs, failures| seen.push((programs, failures));
    let summary = structured::fuzz(&target(&f), None, 5000, &over, &mut progress);
    assert!(summary.failures.is_empty(), "{:?}", summary.failures);
    assert_eq!((summary.programs, summary.verilog), (10, 0));
    assert!(summary.fitted >= 14 && summary.fitted <= 20, "{}", summary.fitted);
    assert_eq!(seen, (1..=10).map(|n| (n, 0)).collect::<Vec<_>>());
}
