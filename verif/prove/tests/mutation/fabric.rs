//! Mutants of what only a fabric has: its top and its tile, which are little but wires. One build of the Verilog holds
//! all of them and an input chooses; they are judged against the native cycle model, by kernels and random images.

use loom_adg::{Fabric, Image};
use loom_base::stall::Stalls;
use loom_base::{Rng, Source};
use loom_cosim::model::{build, BuildOptions, Built, PortSpec};
use loom_cosim::{FabricModel, Loaded};
use loom_flow::models::limits;
use loom_flow::{Configured, Runs};
use loom_hdl::ir::check::check;
use loom_hdl::ir::print::print;
use loom_hdl::ir::{CheckError, Design, Dir, Module};
use loom_sim::native::{NativeModel, Refusal};
use loom_sim::{InputToken, Limits, Stimulus, Stop, Trace};
use loom_testkit::choose::{chosen, PORT};
use loom_testkit::fabrics::{fabric, instance, random_image, root};
use loom_testkit::mutate::{mutants, replaced, wiring, Mutant};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

const FABRIC: &str = "configs/mesh-2x2.toml";
/// Random images, as many legal as with some bits flipped.
const IMAGES: u64 = 100;
const CYCLES: u64 = 200;
/// Mutants of a module beyond this are thinned out evenly: a survivor takes seconds.
const LIMIT: usize = 300;
/// Cycles in which nothing moved any more before `idle` is looked at.
const QUIET: u64 = 20;

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The generator refuses it: a combinational cycle.
    Refused,
    /// Some run differs.
    Killed,
    /// No run differs.
    Survives,
}

/// A module of the fabric, its mutants and their fates.
pub struct Row {
    pub module: String,
    /// How many mutants there are; those tried have fates.
    pub found: usize,
    pub fates: Vec<(Mutant, Fate)>,
}

/// A run of the fabric, and what the native model did in it.
struct Run {
    image: Image,
    stimulus: Stimulus,
    stalls: Stalls,
    limits: Limits,
    want: Want,
}

enum Want {
    Refused(u16, u16),
    /// The trace, and what `idle` must be after it.
    Ran(Box<Trace>, Option<bool>),
}

/// Tries mutants of the top and of the tile.
pub fn judge() -> Vec<Row> {
    let f = fabric(FABRIC);
    let made = loom_gen::elaborate(&f).expect("well formed hardware");
    let top = made.design.get(&made.top).expect("the top").clone();
    let mut modules = vec![top.clone()];
    for instance in &top.instances {
        let tile = instance.module.name.starts_with("loom_tile");
        if tile && !modules.iter().any(|m| m.name == instance.module.name) {
            modules.push(instance.module.clone());
        }
    }
    let runs: Vec<Run> = images(&f).into_iter().chain(kernels(&f)).collect();
    let found: Vec<Vec<Mutant>> = modules.iter().map(of_module).collect();
    let tried = found.iter().flat_map(|of| of.iter().step_by(of.len().div_ceil(LIMIT).max(1)));
    let all: Vec<Mutant> = tried.cloned().collect();
    let cyclic: Vec<bool> = all.par_iter().map(|m| has_cycle(&replaced(&top, &m.module))).collect();
    let legal: Vec<Mutant> = all.iter().zip(&cyclic).filter(|(_, c)| !**c).map(|(m, _)| m.clone()).collect();
    let mut survivors: BTreeSet<(String, String)> = BTreeSet::new();
    for batch in batches(&top, legal) {
        eprintln!("{FABRIC}: {} mutants in one build, {} runs", batch.len(), runs.len());
        let built = verilated(&chosen(&top, &batch));
        assert!(same(&f, &built, 0, &runs), "the fabric without a mutant differs from the native model");
        let killed: Vec<bool> =
            (1..=batch.len()).into_par_iter().map(|k| !same(&f, &built, k, &runs)).collect();
        let left = batch.iter().zip(killed).filter(|(_, k)| !k);
        survivors.extend(left.map(|(m, _)| (m.module.name.clone(), m.what.clone())));
    }
    let fate = |mutant: &Mutant, cyclic: bool| match cyclic {
        true => Fate::Refused,
        false if survivors.contains(&(mutant.module.name.clone(), mutant.what.clone())) => Fate::Survives,
        false => Fate::Killed,
    };
    let fates: Vec<(Mutant, Fate)> = all.iter().zip(cyclic).map(|(m, c)| (m.clone(), fate(m, c))).collect();
    let of = |(m, found): (&Arc<Module>, &Vec<Mutant>)| Row {
        module: m.name.clone(),
        found: found.len(),
        fates: fates.iter().filter(|(mutant, _)| mutant.module.name == m.name).cloned().collect(),
    };
    modules.iter().zip(&found).map(of).collect()
}

/// Mistakes in a module's own logic and in its wiring, each once.
fn of_module(m: &Arc<Module>) -> Vec<Mutant> {
    let mut seen = BTreeSet::new();
    let all = mutants(m).into_iter().chain(wiring(m));
    all.filter(|mutant| seen.insert(print(&mutant.module))).collect()
}

fn has_cycle(top: &Arc<Module>) -> bool {
    let errors = check(top).err().unwrap_or_default();
    errors.iter().any(|e| matches!(e, CheckError::Cycle { .. }))
}

/// The mutants in groups whose choice has no cycle either; exchanges of far channels may close one together.
fn batches(top: &Arc<Module>, mutants: Vec<Mutant>) -> Vec<Vec<Mutant>> {
    if !has_cycle(&chosen(top, &mutants)) {
        return vec![mutants];
    }
    let half = mutants.len() / 2;
    assert!(half > 0, "a mutant without a cycle");
    let mut rest = mutants;
    // Neighbours in the list exchange the same places: even and odd ones apart.
    let odd = rest.iter().skip(1).step_by(2).cloned().collect();
    rest = rest.into_iter().step_by(2).collect();
    [batches(top, rest), batches(top, odd)].concat()
}

fn verilated(top: &Arc<Module>) -> Arc<Built> {
    let mut design = Design::new();
    design.add(top);
    let clocks = ["clk", "rst_n"].map(|name| PortSpec { name: name.into(), width: 1, input: true });
    let own = top.ports.iter().filter(|p| p.width > 0);
    let own = own.map(|p| PortSpec { name: p.name.clone(), width: p.width, input: p.dir == Dir::In });
    let ports: Vec<PortSpec> = clocks.into_iter().chain(own).collect();
    let options = BuildOptions { trace: false, optimise: true };
    build(&design.files(), &top.name, &ports, options, &root().join("target/verilated"))
        .unwrap_or_else(|d| panic!("{}", d[0].message))
}

/// Whether a mutant (0 is none) does the same as the native model in all runs.
fn same(f: &Fabric, built: &Arc<Built>, mutant: usize, runs: &[Run]) -> bool {
    let mut model = instance(f, built);
    model.set(PORT, mutant as u64);
    runs.iter().all(|run| agrees(&mut model, run))
}

fn agrees(model: &mut FabricModel, run: &Run) -> bool {
    model.reset();
    let loaded = model.load(&run.image);
    let (want, idle) = match &run.want {
        Want::Refused(code, unit) => return loaded == Loaded::Error(*code, *unit),
        Want::Ran(want, idle) => (want, idle),
    };
    if loaded != Loaded::Done {
        return false;
    }
    let got = model.run(&run.stimulus, &run.stalls, &run.limits);
    got.input_times == want.input_times
        && got.outputs == want.outputs
        && got.completed == want.completed
        && got.error == want.error.map(|(error, unit)| (error.code(), unit.0 as u16))
        && idle.is_none_or(|idle| got.idle == idle)
}

/// Random images, every second with a few bits flipped.
fn images(f: &Fabric) -> Vec<Run> {
    let one = |seed: u64| {
        let mut rng = Rng::new(seed);
        let mut image = random_image(f, &mut rng);
        if seed % 2 == 1 {
            for _ in 0..=rng.below(3) {
                let at = rng.below(image.words.len());
                image.words[at] ^= 1 << rng.below(32);
            }
        }
        let token = |rng: &mut Rng, width| loom_base::truncate(rng.next_u64(), width);
        let inputs = f.adg().top.inputs.iter().map(|port| {
            let count = if rng.chance(60) { rng.below(40) } else { 0 };
            let small = rng.chance(50);
            let width = if small { port.ty.width.min(2) } else { port.ty.width };
            (0..count)
                .map(|_| InputToken { data: token(&mut rng, width), tag: token(&mut rng, port.ty.tag) })
                .collect()
        });
        let stimulus = Stimulus {
            gate: None,
            inputs: inputs.collect(),
            expected: vec![usize::MAX >> 16; f.adg().top.outputs.len()],
        };
        let stalls = Stalls {
            seed: rng.next_u64(),
            source_percent: rng.below(50) as u32,
            sink_percent: rng.below(50) as u32,
        };
        let limits = |max_cycles| Limits { max_cycles, drain_cycles: 0 };
        let want = match NativeModel::new(f, &image) {
            Err(Refusal::Hardware(error, unit)) => Want::Refused(error.code(), unit.0 as u16),
            Err(refusal) => panic!("image {seed}: {refusal}"),
            Ok(mut native) => {
                let early = native.run(&stimulus, &stalls, &limits(CYCLES - QUIET));
                let trace = native.run(&stimulus, &stalls, &limits(CYCLES));
                let stands = early.stop == Stop::Deadlock;
                let idle = stands.then_some(trace.leftover.is_empty());
                Want::Ran(Box::new(trace), idle)
            }
        };
        Run { image, stimulus, stalls, limits: limits(CYCLES), want }
    };
    (0..2 * IMAGES).into_par_iter().map(one).collect()
}

/// The short cases of some graphs that fit the fabric.
fn kernels(f: &Fabric) -> Vec<Run> {
    let mut runs = Vec::new();
    for name in ["sum", "gate", "carry", "invariant", "stream", "collatz"] {
        let folder = root().join("kernels").join(name);
        let read = |file: std::path::PathBuf| {
            let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            Source::new(file.display().to_string(), text)
        };
        let graph = loom_dfg::parse(&read(folder.join(format!("{name}.dfg.mlir")))).expect("a graph");
        let configured = Configured::map(graph, f, &Default::default(), &mut |_, _| {})
            .unwrap_or_else(|d| panic!("{name}: {}", d[0].message));
        let mut files: Vec<_> =
            std::fs::read_dir(&folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
        files.retain(|file| file.extension().is_some_and(|e| e == "toml"));
        files.sort();
        for file in files {
            let case = configured.case(&read(file)).expect("a case");
            let Runs { stimulus, native, .. } = configured.simulate(&case).expect("a run");
            let native = native.trace;
            // The wires are the same in the thousandth iteration.
            if native.cycles > 500 {
                continue;
            }
            let mut limits = limits(&case);
            // A mutant that never ends is known soon.
            limits.max_cycles = limits.max_cycles.min(native.cycles + 100);
            limits.drain_cycles = limits.drain_cycles.min(100);
            let want = Want::Ran(Box::new(native), Some(true));
            runs.push(Run { image: configured.image.clone(), stimulus, stalls: case.stalls, limits, want });
        }
    }
    runs
}
