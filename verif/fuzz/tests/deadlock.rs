//! Deadlock certificates against the native model: kernels on their mesh, and random programs and kernels on fabrics
//! whose buffers were made too small on purpose.
//!
//! Checked in every run: the analysis, following the choices that the interpreter makes, ends exactly when the native
//! model does. So `certified` is never seen to deadlock, and every witness deadlocks the native model.

use loom_adg::model::FifoKind;
use loom_adg::{Component, Fabric};
use loom_base::stall::Stalls;
use loom_base::{Rng, Source};
use loom_dfg::{ContCond, Counter, Graph, Op, OpKind, StepOp, Type};
use loom_flow::Configured;
use loom_front::compile::compile;
use loom_map::deadlock::{self, Reason, SearchBudget, Verdict};
use loom_map::{MapOptions, Mapped, Step};
use loom_sim::{Case, Stop};
use loom_testkit::fabrics::{fabric, root};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const FABRIC: &str = "configs/mesh-4x4.toml";
/// Random programs, each on one squeezed fabric.
const PROGRAMS: u64 = 120;
/// Mappings of programs that need room by construction.
const SHIFTED: u64 = 120;
/// Stimuli for each, with stalls of their own.
const STIMULI: u64 = 5;

/// How buffers are made small.
#[derive(Clone, Copy, Debug)]
struct Squeeze {
    /// Entries of every FIFO, at most.
    depth: usize,
    /// Entries of every memory queue, at most.
    queue: usize,
    /// Percent of the FIFOs on the way that become wires.
    bypass: u32,
}

/// The mesh with small buffers; `loose`: one whose untagged FIFOs can be wires.
fn squeezed(squeeze: Squeeze, loose: bool) -> Fabric {
    let mut adg = fabric(FABRIC).adg().clone();
    for definition in &mut adg.definitions {
        match &mut definition.component {
            Component::Fifo(f) => {
                f.depth = f.depth.min(squeeze.depth);
                if loose && !f.ty.is_tagged() {
                    f.kind = FifoKind::Bypassable;
                }
            }
            Component::Memory(m) => m.queue = m.queue.min(squeeze.queue),
            _ => {}
        }
    }
    Fabric::new(adg)
}

/// Maps without looking for speed.
fn brief(seed: u64, deadlock_states: usize) -> MapOptions {
    MapOptions { seed, steps_per_item: 200, attempts: 3, deadlock_states, ..Default::default() }
}

/// Maps without looking whether it gets stuck.
fn map(graph: &Graph, f: &Fabric, seed: u64) -> Option<Mapped> {
    loom_map::map(graph, f, &brief(seed, 0), &mut |_, _| {}).ok()
}

/// Turns some FIFOs of a mapping into wires. Some of these make a combinational cycle, which every model refuses.
fn bypass(mapped: &mut Mapped, percent: u32, rng: &mut Rng) {
    for route in &mut mapped.mapping.routes {
        for step in &mut route.steps {
            if let Step::Fifo { bypass, .. } = step {
                *bypass = rng.chance(percent);
            }
        }
        route.steps.sort();
    }
}

/// Runs the native model: whether it deadlocks; `None` when the graph does not end by itself, or no model takes it.
fn native(graph: &Graph, f: &Fabric, mapped: &Mapped, case: &Case) -> Option<bool> {
    let configured = Configured::pack(graph.clone(), f, mapped.clone());
    let software = configured.kernel.run(case, f.index_width()).ok()?;
    if !software.golden.is_complete() {
        return None;
    }
    let stimulus = configured.stimulus(case, &software.golden);
    let trace = configured.native(case, &stimulus).ok()?;
    match trace.stop {
        Stop::Deadlock if trace.error.is_none() => Some(true),
        Stop::Complete => Some(false),
        _ => None,
    }
}

/// What became of one mapping.
#[derive(Default)]
struct Counted {
    verdict: Option<Verdict>,
    /// Runs that ended, and runs that got stuck.
    runs: [usize; 2],
    wrong: Vec<String>,
}

/// Compares the verdict with runs of the native model, and the analysis with each run.
fn judge(name: &str, graph: &Graph, f: &Fabric, mapped: &Mapped, cases: &[Case]) -> Counted {
    let mapping = &mapped.mapping;
    let verdict = deadlock::certify(graph, f, mapping, &SearchBudget::default());
    let mut counted = Counted::default();
    for (i, case) in cases.iter().enumerate() {
        let Some(stuck) = native(graph, f, mapped, case) else { continue };
        counted.runs[usize::from(stuck)] += 1;
        let memories = case.memories(graph);
        let said = deadlock::replay(graph, f, mapping, &case.inputs, &memories);
        if let Some(said) = said {
            if said.is_err() != stuck {
                counted.wrong.push(format!("{name}, run {i}: native stuck is {stuck}, analysis {said:?}"));
            }
        } else if !matches!(verdict, Verdict::Unknown(Reason::NotFollowed(_))) {
            counted.wrong.push(format!("{name}, run {i}: not followed; native stuck is {stuck}"));
        }
        if stuck && matches!(verdict, Verdict::Certified { .. }) {
            counted.wrong.push(format!("{name}, run {i}: certified, and the native model is stuck"));
        }
    }
    if let (Verdict::CanDeadlock(witness), Some(case)) = (&verdict, cases.first()) {
        let mut case = case.clone();
        case.inputs = witness.inputs.clone();
        case.stalls = Stalls::NONE;
        // Private memories need no words, the others the witness's.
        let private =
            |m: &&loom_dfg::graph::Memory| matches!(m.place, loom_dfg::graph::MemoryPlace::Argument { .. });
        let roots = graph.memories.iter().zip(&witness.memories.bindings).filter(|(m, _)| private(m));
        case.memory = roots
            .map(|(_, b)| loom_sim::case::MemoryInit::Words(witness.memories.buffers[b.buffer].clone()))
            .collect();
        case.expect_memory = Vec::new();
        let shown = native(graph, f, mapped, &case);
        if shown != Some(true) {
            counted.wrong.push(format!("{name}: native stuck is {shown:?} on the witness {}", witness.text));
        }
    }
    counted.verdict = Some(verdict);
    counted
}

/// Prints the table of verdicts against runs; fails on what must not be.
fn report(all: Vec<Counted>) -> BTreeMap<&'static str, [usize; 2]> {
    let mut table: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut mappings: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for counted in all {
        let name = match &counted.verdict {
            Some(Verdict::Certified { .. }) => "certified",
            Some(Verdict::CanDeadlock(_)) => "can deadlock",
            Some(Verdict::Unknown(_)) | None => "unknown",
        };
        *mappings.entry(name).or_default() += 1;
        let row = table.entry(name).or_default();
        row[0] += counted.runs[0];
        row[1] += counted.runs[1];
        wrong.extend(counted.wrong);
    }
    for (name, [ended, stuck]) in &table {
        println!("{name}: {} mappings, {ended} native runs ended, {stuck} got stuck", mappings[name]);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    table
}

#[test]
fn random_programs_on_small_buffers() {
    let fabrics: Vec<(Squeeze, Fabric, Fabric)> = [(1, 0), (2, 20), (1, 40), (2, 0)]
        .into_iter()
        .map(|(depth, bypass)| Squeeze { depth, queue: 2, bypass })
        .map(|s| (s, squeezed(s, false), squeezed(s, true)))
        .collect();
    let all: Vec<Counted> = (0..PROGRAMS)
        .into_par_iter()
        .filter_map(|seed| {
            let program = loom_fuzz::draw(seed);
            let (squeeze, tight, loose) = &fabrics[seed as usize % fabrics.len()];
            let mut mapped = map(&program.graph, tight, seed)?;
            let mut rng = Rng::new(seed);
            bypass(&mut mapped, squeeze.bypass, &mut rng);
            let f = loose;
            let problems = loom_map::check::check(&program.graph, f, &mapped.mapping);
            assert!(problems.is_empty(), "{problems:?}");
            // The drawn stimulus, and shuffles of its tokens, each with stalls of its own.
            let cases: Vec<Case> = (0..STIMULI)
                .map(|k| {
                    let mut case = program.case.clone();
                    if k > 0 {
                        case.inputs.iter_mut().for_each(|tokens| rng.shuffle(tokens));
                        let percent = 20 * k as u32;
                        case.stalls = Stalls { seed: k, source_percent: percent, sink_percent: 80 - percent };
                    }
                    case.schedules = 1;
                    case
                })
                .collect();
            Some(judge(&format!("seed {seed} {squeeze:?}"), &program.graph, f, &mapped, &cases))
        })
        .collect();
    let table = report(all);
    let runs: usize = table.values().map(|row| row[0] + row[1]).sum();
    assert!(runs >= 400, "only {runs} runs");
    assert!(table.contains_key("certified"));
}

/// A token of `c` meets its own condition `shift` tokens later: the way there must hold as many.
fn shifted(shift: usize) -> Graph {
    let bit = Type::I1;
    let mut graph = Graph::new(loom_base::Name::new("shifted").unwrap());
    let c = graph.add_argument("c", bit);
    let b = graph.add_argument("b", bit);
    let mut last = c;
    for _ in 0..shift {
        let gate = graph.add_node(Op::Plain(OpKind::Gate), &[last, last], &[bit, bit]);
        last = graph.result(gate, 1);
    }
    let early = graph.add_node(Op::Plain(OpKind::CondBr), &[b, c], &[bit, bit]);
    let both = graph.add_node(Op::Plain(OpKind::Andi), &[graph.result(early, 0), last], &[bit]);
    graph.add_output("o", graph.result(both, 0));
    assert!(loom_dfg::verify(&graph).is_empty());
    graph
}

/// The indices of a loop but the last `shift`: each meets a condition that comes up to `shift` iterations later.
fn trimmed(shift: usize) -> Graph {
    let mut graph = Graph::new(loom_base::Name::new("trimmed").unwrap());
    let bounds: Vec<_> = ["start", "step", "bound"].map(|n| graph.add_argument(n, Type::Index)).into();
    let stream = graph.add_node(
        Op::Stream(Counter::signed(StepOp::Add), ContCond::Lt),
        &bounds,
        &[Type::Index, Type::I1],
    );
    let (mut value, mut condition) = (graph.result(stream, 0), graph.result(stream, 1));
    let trim = |graph: &mut Graph, condition, value| {
        let node = graph.add_node(Op::Plain(OpKind::CondBr), &[condition, value], &[Type::Index; 2]);
        graph.result(node, 0)
    };
    let mut left = trim(&mut graph, condition, value);
    for _ in 0..shift {
        let gate = graph.add_node(Op::Plain(OpKind::Gate), &[value, condition], &[Type::Index, Type::I1]);
        (value, condition) = (graph.result(gate, 0), graph.result(gate, 1));
        left = trim(&mut graph, condition, left);
    }
    graph.add_output("left", left);
    assert!(loom_dfg::verify(&graph).is_empty());
    graph
}

/// Stimuli for a graph that shifts, or trims, by so many.
fn shift_cases(shift: usize, trims: bool) -> Vec<Case> {
    let case = |k: u64| {
        let n = shift + 3 * k as usize;
        let ones = |count: usize| (0..=n).map(|i| u64::from(i < count)).collect();
        let inputs = match trims {
            true => vec![vec![0; 3], vec![1; 3], vec![k, 0, 5]],
            false => vec![ones(n), ones(n + 1 - shift)],
        };
        let stalls = Stalls { seed: k, source_percent: 10 * k as u32, sink_percent: 30 };
        Case { inputs, expect: vec![loom_sim::Expect::Any], stalls, ..loom_fuzz::draw(0).case }
    };
    (0..STIMULI).map(case).collect()
}

/// The hub with FIFOs of this depth, and without skids: the analysis takes these for wires.
fn thin_hub(depth: usize) -> Fabric {
    let path = "verif/testkit/fabrics/hub.toml";
    let mut text = std::fs::read_to_string(root().join(path)).expect("the hub");
    let tiles =
        format!("channels = 2\nlink_depth = {depth}\nturnaround_depth = {depth}\nslack_depth = {depth}\n");
    let fifos = format!("depth = {depth}\n");
    for (from, to) in [("channels = 2\n", &tiles), ("\ndepth = 8\n", &fifos), ("\ndepth = 2\n", &fifos)] {
        assert!(text.contains(from));
        text = text.replace(from, &format!("\n{to}"));
    }
    let lines = text.lines().filter(|line| !line.starts_with("input_skids"));
    let source = Source::new(path, lines.map(|line| format!("{line}\n")).collect::<String>());
    let (adg, found) = loom_adg::toml::load(&source, &|_| None);
    Fabric::new(
        adg.unwrap_or_else(|| panic!("{}", found.iter().map(|d| d.render(&source)).collect::<String>())),
    )
}

/// The same where values travel with tags: temporal switches fork as spatial ones do, and tag components hold nothing.
#[test]
fn shifts_over_temporal_switches() {
    let fabrics = [1, 3].map(thin_hub);
    let judge = |seed: u64| {
        let f = &fabrics[seed as usize / 10 % 2];
        let (shift, trims) = (1 + seed as usize % 5, seed.is_multiple_of(2));
        let graph = if trims { trimmed(shift) } else { shifted(shift) };
        let mapped = map(&graph, f, seed)?;
        let steps = mapped.mapping.routes.iter().flat_map(|r| &r.steps);
        let slots = steps.filter(|s| matches!(s, Step::Slot { .. })).count();
        let name = format!("seed {seed}: shift {shift} on the hub");
        Some((slots, judge(&name, &graph, f, &mapped, &shift_cases(shift, trims))))
    };
    let all: Vec<(usize, Counted)> = (0..SHIFTED * 3 / 4).into_par_iter().filter_map(judge).collect();
    let with_slots = all.iter().filter(|(slots, _)| *slots > 2).count();
    let table = report(all.into_iter().map(|(_, counted)| counted).collect());
    let count = |name: &str, column: usize| table.get(name).map_or(0, |row| row[column]);
    println!("{with_slots} mappings pass more than two slots");
    assert!(count("can deadlock", 1) >= 20 && count("certified", 0) >= 20, "{table:?}");
    assert!(with_slots >= 20, "{with_slots}");
}

/// Ways of all lengths: too short for what they have to hold, and long enough.
#[test]
fn shifts_on_small_buffers() {
    let squeeze = |depth| Squeeze { depth, queue: 2, bypass: 30 };
    let fabrics: Vec<[Fabric; 2]> =
        (1..=4).map(|depth| [false, true].map(|loose| squeezed(squeeze(depth), loose))).collect();
    let all: Vec<Counted> = (0..SHIFTED)
        .into_par_iter()
        .filter_map(|seed| {
            let (shift, at) = (1 + seed as usize % 5, seed as usize / 5 % 4);
            let trims = seed % 2 == 0;
            let (graph, [tight, f]) = (if trims { trimmed(shift) } else { shifted(shift) }, &fabrics[at]);
            let mut mapped = map(&graph, tight, seed)?;
            if seed % 3 == 0 {
                bypass(&mut mapped, squeeze(at).bypass, &mut Rng::new(seed));
            }
            let name = format!("seed {seed}: shift {shift}, depth {}", at + 1);
            Some(judge(&name, &graph, f, &mapped, &shift_cases(shift, trims)))
        })
        .collect();
    let table = report(all);
    let count = |name: &str, column: usize| table.get(name).map_or(0, |row| row[column]);
    assert!(count("can deadlock", 1) >= 100, "{table:?}");
    assert!(count("certified", 0) >= 20, "{table:?}");
}

/// A graph that needs more room than the fabric has anywhere is refused, not handed out to get stuck.
#[test]
fn mappings_that_get_stuck_are_not_handed_out() {
    let f = squeezed_to(1);
    let (mut refused, mut said) = (0, String::new());
    let usual = MapOptions::default().deadlock_states;
    // What the mapper spends; more finds a stuck run of one or the other.
    let budget = SearchBudget::brief(usual);
    for seed in 0..12 {
        let graph = if seed % 2 == 0 { trimmed(5) } else { shifted(5) };
        match loom_map::map(&graph, &f, &brief(seed, usual), &mut |_, _| {}) {
            Ok(mapped) => {
                let verdict = deadlock::certify(&graph, &f, &mapped.mapping, &budget);
                assert!(!matches!(verdict, Verdict::CanDeadlock(_)), "seed {seed}: {verdict}");
            }
            Err(d) => {
                assert_eq!(d[0].code.id, "M0109", "seed {seed}: {d:#?}");
                refused += 1;
                said = d[0].notes.join("\n");
            }
        }
    }
    assert!(refused >= 4, "{refused}");
    assert!(said.contains("no room for"), "{said}");
}

fn squeezed_to(depth: usize) -> Fabric {
    squeezed(Squeeze { depth, queue: 2, bypass: 0 }, false)
}

/// Kernels by name, with their cases.
fn kernels() -> Vec<(String, Graph, Vec<Case>)> {
    let read = |path: &Path| {
        Source::new(path.display().to_string(), std::fs::read_to_string(path).expect("readable"))
    };
    let mut folders: Vec<PathBuf> = std::fs::read_dir(root().join("kernels"))
        .expect("kernels")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.is_dir())
        .collect();
    folders.sort();
    let f = fabric(FABRIC);
    let mut all = Vec::new();
    for folder in folders {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let (dfg, scf) = (folder.join(format!("{name}.dfg.mlir")), folder.join(format!("{name}.scf.mlir")));
        let graph = if dfg.exists() {
            loom_dfg::parse(&read(&dfg)).expect("a graph")
        } else if !scf.exists() {
            // A program in C.
            continue;
        } else {
            let module = loom_front::parse(&read(&scf)).expect("a program");
            let options = loom_front::compile::CompileOptions {
                index_width: f.index_width(),
                max_join_fanin: loom_map::tech::widest_join(&f),
                ..Default::default()
            };
            compile(&module, &options).expect("a graph").lowered.graph
        };
        let mut cases: Vec<PathBuf> =
            std::fs::read_dir(&folder).expect("readable").map(|e| e.expect("an entry").path()).collect();
        cases.retain(|p| p.extension().is_some_and(|e| e == "toml"));
        cases.sort();
        let cases = cases
            .iter()
            .map(|p| {
                let mut case = Case::read(&read(p), &graph, f.index_width()).expect("a case");
                case.schedules = 1;
                case
            })
            .collect();
        all.push((name, graph, cases));
    }
    all
}

#[test]
fn kernels_on_small_buffers() {
    let f = squeezed_to(1);
    let judged = kernels().into_par_iter().filter_map(|(name, graph, cases)| {
        let mapped = map(&graph, &f, 1)?;
        let counted = judge(&name, &graph, &f, &mapped, &cases);
        println!("{name}: {}", counted.verdict.as_ref().map_or(String::new(), Verdict::to_string));
        Some(counted)
    });
    report(judged.collect());
}

/// Verdicts of all kernels on the mesh they run on.
#[test]
fn kernels_on_their_mesh() {
    let f = fabric(FABRIC);
    let lines: Vec<(String, String, Counted)> = kernels()
        .into_par_iter()
        .filter_map(|(name, graph, cases)| {
            let mapped = loom_map::map(&graph, &f, &MapOptions::default(), &mut |_, _| {}).ok()?;
            let counted = judge(&name, &graph, &f, &mapped, &cases);
            let verdict = counted.verdict.as_ref().map_or(String::new(), Verdict::to_string);
            println!("{name}: {verdict}");
            let short = match counted.verdict {
                Some(Verdict::Certified { .. }) => "certified",
                Some(Verdict::CanDeadlock(_)) => "can deadlock",
                _ => "unknown",
            };
            Some((name, short.to_string(), counted))
        })
        .collect();
    let found: Vec<String> = lines.iter().map(|(name, verdict, _)| format!("{name} {verdict}")).collect();
    println!("{}", found.join("\n"));
    report(lines.into_iter().map(|l| l.2).collect());
    assert_eq!(found, VERDICTS.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>());
}

const VERDICTS: &str = "
    alias_copy certified
    carry certified
    collatz certified
    collatz_scf certified
    csr_rowsum certified
    diamond certified
    dot certified
    downcount certified
    fence certified
    find_two_exits certified
    fir certified
    gate certified
    gcd certified
    global_table certified
    histogram certified
    if_store certified
    invariant certified
    matmul certified
    matmul16 certified
    matmul_view certified
    nested certified
    prefix_sum certified
    prefix_sum_out certified
    reverse certified
    scratch certified
    spmv certified
    stream certified
    stream_gate_carry certified
    sum certified
    threshold certified
    two_memrefs certified
    vecadd certified
    vecadd_f32 certified
";
