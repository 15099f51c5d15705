//! Random structured programs with memory through all four models: loops, whiles and branches that load and store,
//! several calls in a row, arguments that share a buffer.
//!
//! Guarantees: a seed always draws the same program, stalls, memory behaviour and mapper seed. A program agrees when
//! its meaning, its graph under random schedules, the native model and the Verilog give the same results and the same
//! memory, nothing is left in flight in any of them, no rule of AXI is broken, and the last two move every token in
//! the same cycle. Not judged: programs the fabric has no room for.

use super::{case_text, on_fabric, text, Fate, Target};
use loom_base::rng::mix;
use loom_base::stall::Stalls;
use loom_base::{Diagnostics, Rng, Source};
use loom_cosim::Built;
use loom_dfg::{OpKind, Type};
use loom_flow::Kernel;
use loom_front::compile::{compile, CompileOptions, Compiled};
use loom_front::edit;
use loom_front::ir::{ArgumentAttributes, Program};
use loom_front::order::Order;
use loom_sim::axi::AxiOptions;
use loom_sim::case::MemoryInit;
use loom_sim::{Case, Expect};
use loom_testkit::programs::{self, random_program, RandomArgument, RandomOptions, RandomProgram};
use std::cmp::Reverse;
use std::ops::RangeInclusive;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;

/// Both memory orders, in which every program is compiled.
pub const ORDERS: [Order; 2] = [Order::Serial, Order::Pipelined];
/// Every so many programs of [`fuzz`] one also runs through Verilog.
const VERILOG_EVERY: u64 = 10;
/// Questions a shrink may ask that map and run a program.
const SHRINK_STEPS: usize = 300;
/// Interpreter steps of one call of a drawn program: short runs find as much as long ones.
const MAX_STEPS: u64 = 2_000;
/// Ops of the graphs of drawn programs.
const SIZES: RangeInclusive<usize> = 10..=48;
/// Programs drawn before one of another size is taken.
const DRAWS: usize = 30;

/// A program with what to run it with.
#[derive(Clone, Debug)]
pub struct Structured {
    /// What it was drawn from.
    pub seed: u64,
    /// The program, its buffers and its calls, which all bind the same buffers.
    pub program: RandomProgram,
    /// How the boundary stalls.
    pub stalls: Stalls,
    /// How the memory behind AXI ports answers.
    pub axi: AxiOptions,
    /// Seed of the mapper.
    pub map_seed: u64,
}

/// A failing program, made small.
#[derive(Clone, Debug)]
pub struct ProgramFailure {
    /// The small one.
    pub program: Structured,
    /// The order in which it fails.
    pub order: Order,
    /// What is wrong with it.
    pub message: String,
    /// Operations before shrinking.
    pub drawn_operations: usize,
}

/// What [`fuzz`] did.
#[derive(Clone, Debug, Default)]
pub struct ProgramSummary {
    /// Programs drawn; each is compiled in both orders.
    pub programs: u64,
    /// Graphs the fabric had room for.
    pub fitted: u64,
    /// Those that ran through Verilog.
    pub verilog: u64,
    /// What went wrong.
    pub failures: Vec<ProgramFailure>,
}

/// Draws the program of a seed, small enough for a mesh of 4 by 4 tiles in most cases.
///
/// ```
/// let drawn = loom_fuzz::structured::draw(7);
/// assert!(loom_front::verify::verify(&drawn.program.source).is_empty());
/// ```
pub fn draw(seed: u64) -> Structured {
    let mut rng = Rng::new(mix(seed));
    let mut program = worthwhile(&mut rng);
    bind(&mut rng, &mut program);
    surrounded(seed, program, &mut rng)
}

/// The program with a boundary, memory and mapping that are drawn.
pub fn surrounded(seed: u64, program: RandomProgram, rng: &mut Rng) -> Structured {
    let mut percent = || match rng.chance(40) {
        true => 0,
        false => rng.between(1, 60) as u32,
    };
    let stalls = Stalls { seed: seed & 0xffff_ffff, source_percent: percent(), sink_percent: percent() };
    let stall_percent = percent();
    let axi = AxiOptions {
        latency: *rng.pick(&[1, 1, 2, 3, 5, 8, 20, 33]),
        stall_percent,
        reorder: rng.chance(50),
        seed: seed & 0xffff_ffff,
    };
    Structured { seed, program, stalls, axi, map_seed: rng.below(1 << 20) as u64 }
}

/// A program whose graph loads or stores in a loop and has a size that a mesh of 4 by 4 tiles holds in most
/// cases; now and then any.
fn worthwhile(rng: &mut Rng) -> RandomProgram {
    let drawn = |rng: &mut Rng| {
        let options = RandomOptions {
            ops: Some(8 + rng.below(35)),
            max_depth: 1 + rng.below(3),
            floats: 15,
            hardware: true,
            max_steps: MAX_STEPS,
            ..RandomOptions::default()
        };
        random_program(rng, &options)
    };
    let mut program = drawn(rng);
    if rng.chance(5) {
        return program;
    }
    for _ in 0..DRAWS {
        // What does not compile is for [`check`] to report.
        let Ok(compiled) = compile(&program.source, &CompileOptions::default()) else { break };
        let graph = &compiled.lowered.graph;
        let is_loop = |n| matches!(graph.kind(n), OpKind::Carry | OpKind::Stream(_));
        if SIZES.contains(&graph.nodes.len())
            && !compiled.lowered.accesses.is_empty()
            && graph.node_ids().any(is_loop)
        {
            break;
        }
        program = drawn(rng);
    }
    program
}

/// Lets arguments overlap, and keeps buffers where they are from call to call: all calls are one run of the hardware.
fn bind(rng: &mut Rng, program: &mut RandomProgram) {
    if rng.chance(60) {
        program.source.funcs[0].argument_attributes.fill(ArgumentAttributes::default());
    }
    let RandomProgram { source, calls, .. } = &*program;
    let func = &source.funcs[0];
    let bound: Vec<RandomArgument> = (0..func.argument_types.len())
        .map(|k| {
            let own = calls[0].arguments[k];
            let Some((element, words)) = memref(program, k) else { return own };
            let larger = (0..k).rfind(|&j| {
                let may = func.argument_attributes[j].may_overlap(&func.argument_attributes[k]);
                may && memref(program, j).is_some_and(|(e, n)| e == element && n >= words)
            });
            match larger {
                Some(j) if rng.chance(60) => calls[0].arguments[j],
                _ => own,
            }
        })
        .collect();
    for call in &mut program.calls {
        for (argument, &buffer) in call.arguments.iter_mut().zip(&bound) {
            if let RandomArgument::Buffer(_) = argument {
                *argument = buffer;
            }
        }
    }
}

/// Element type and number of words of a memref argument; one of open extent is as long as its buffer.
fn memref(program: &RandomProgram, argument: usize) -> Option<(Type, usize)> {
    let ty = program.source.funcs[0].argument_types[argument].memref()?;
    let words = match (ty.words(), program.calls[0].arguments[argument]) {
        (Some(words), _) => words as usize,
        (None, RandomArgument::Buffer(b)) => program.buffers[b].len(),
        (None, RandomArgument::Scalar(_)) => return None,
    };
    Some((ty.element, words))
}

/// Runs a program, compiled in one order, through interpreters, mapper, decoder and native model; with `built` through
/// Verilog too. A panic of the compiler or the mapper is a failure.
pub fn check(program: &Structured, order: Order, target: &Target, built: Option<&Arc<Built>>) -> Fate {
    let run = || match checked(program, order, target, built) {
        Ok(verdict) => verdict,
        Err(diagnostics) => Fate::Fails(text(&diagnostics)),
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Fate::Fails("loom panics".to_string()))
}

fn checked(
    program: &Structured,
    order: Order,
    target: &Target,
    built: Option<&Arc<Built>>,
) -> Result<Fate, Diagnostics> {
    let width = target.fabric.index_width();
    // As a user hands it in: read from text.
    let source =
        loom_front::parse(&Source::new("random.scf.mlir", loom_front::print(&program.program.source)))?;
    let compiled = compiled(&source, order, target)?;
    let case = case(program, &compiled);
    let kernel = Kernel::from(compiled).on(target.fabric);
    let software = kernel.run(&case, width)?;
    let differences = software.differences(&kernel.graph);
    if !differences.is_empty() {
        return Ok(Fate::Fails(differences.join("\n")));
    }
    let target =
        Target { options: loom_map::MapOptions { seed: program.map_seed, ..target.options }, ..*target };
    on_fabric(&format!("seed {}, {order:?}", program.seed), kernel, &case, software, &target, built)
}

/// How programs are compiled for a fabric.
pub fn compiled(source: &Program, order: Order, target: &Target) -> Result<Compiled, Diagnostics> {
    let options = CompileOptions {
        order,
        index_width: target.fabric.index_width(),
        max_join_fanin: loom_map::tech::widest_join(target.fabric),
        ..CompileOptions::default()
    };
    compile(source, &options)
}

/// All calls as one run of the graph: a token of each value argument for each call, the words of each accessed memref.
/// Of memrefs that share a buffer the largest has it all, a smaller one its last words.
pub fn case(drawn: &Structured, compiled: &Compiled) -> Case {
    let RandomProgram { buffers, calls, .. } = &drawn.program;
    let func = &compiled.source.funcs[0];
    let (mut inputs, mut bound) = (Vec::new(), Vec::new());
    for k in 0..func.argument_types.len() {
        let plain = compiled.plain.func.arguments()[k];
        match (memref(&drawn.program, k), calls[0].arguments[k]) {
            // A memref that nobody accesses is no part of the graph.
            (Some((_, words)), RandomArgument::Buffer(b)) => {
                bound.extend(compiled.plain.domains.root_of(plain).map(|_| (b, words)));
            }
            _ => inputs.push(
                calls
                    .iter()
                    .map(|call| match call.arguments[k] {
                        RandomArgument::Scalar(bits) => bits,
                        RandomArgument::Buffer(_) => 0,
                    })
                    .collect(),
            ),
        }
    }
    let memory: Vec<MemoryInit> = (0..bound.len())
        .map(|k| {
            let (b, words) = bound[k];
            let sharers = (0..bound.len()).filter(|&j| bound[j].0 == b);
            let of = sharers.max_by_key(|&j| (bound[j].1, Reverse(j))).unwrap_or(k);
            match bound[of].1 - words {
                _ if of == k => MemoryInit::Words(buffers[b][buffers[b].len() - words..].to_vec()),
                offset => MemoryInit::Part { of, offset, words },
            }
        })
        .collect();
    let graph = &compiled.lowered.graph;
    // The control token of each activation.
    inputs.resize(graph.arguments.len(), vec![0; calls.len()]);
    Case {
        description: format!("random program of seed {}", drawn.seed),
        inputs,
        expect: vec![Expect::Any; graph.outputs.len()],
        expect_memory: vec![None; memory.len()],
        memory,
        stalls: drawn.stalls,
        axi: drawn.axi,
        max_cycles: 1_000_000,
        max_steps: 1_000_000,
        schedules: 4,
        gate: None,
    }
}

/// Draws and checks programs from `seed0` on until `over` says so; `progress` gets programs and failures so far.
pub fn fuzz(
    target: &Target,
    built: Option<&Arc<Built>>,
    seed0: u64,
    over: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(u64, u64),
) -> ProgramSummary {
    let mut summary = ProgramSummary::default();
    while !over() {
        let program = draw(seed0.wrapping_add(summary.programs));
        let built = built.filter(|_| summary.programs % VERILOG_EVERY == 0);
        summary.programs += 1;
        for order in ORDERS {
            let message = match check(&program, order, target, built) {
                Fate::DoesNotFit(_) => continue,
                Fate::Agrees(_) => None,
                Fate::Fails(message) => Some(message),
            };
            summary.fitted += 1;
            summary.verilog += u64::from(built.is_some());
            if let Some(message) = message {
                summary.failures.push(small(program.clone(), order, message, target, built, over));
                // The other order mostly fails for the same reason.
                break;
            }
        }
        progress(summary.programs, summary.failures.len() as u64);
    }
    summary
}

/// A failure of a program as it was drawn, made small.
fn small(
    program: Structured,
    order: Order,
    mut message: String,
    target: &Target,
    built: Option<&Arc<Built>>,
    over: &dyn Fn() -> bool,
) -> ProgramFailure {
    let drawn_operations = operations(&program);
    let program = shrink(program, &mut |candidate| match check(candidate, order, target, built) {
        Fate::Fails(m) if !over() => {
            message = m;
            true
        }
        _ => false,
    });
    ProgramFailure { program, order, message, drawn_operations }
}

/// Makes a program small while `still_fails` holds: no stalls and quick memory first, then fewer calls, operations,
/// arguments and smaller numbers.
pub fn shrink(program: Structured, still_fails: &mut dyn FnMut(&Structured) -> bool) -> Structured {
    let mut steps = 0;
    let mut fails = |candidate: &Structured| {
        steps += 1;
        steps <= SHRINK_STEPS && still_fails(candidate)
    };
    let mut quiet = program.clone();
    (quiet.stalls.source_percent, quiet.stalls.sink_percent) = (0, 0);
    let mut calm = quiet.clone();
    calm.axi = AxiOptions { seed: calm.axi.seed, ..AxiOptions::default() };
    let mut best = program;
    if let Some(found) = [calm, quiet].into_iter().find(|candidate| fails(candidate)) {
        best = found;
    }
    let program = programs::shrink(&best.program, &mut |candidate| {
        fails(&Structured { program: candidate.clone(), ..best.clone() })
    });
    Structured { program, ..best }
}

/// Operations of a program.
pub fn operations(program: &Structured) -> usize {
    program.program.func().map_or(0, |f| edit::walk(f).len())
}

/// The program as files, names and texts: structured code and a case that `loom run` takes. The case is that of the
/// graph on a fabric of that index width and widest join; there is none when the program does not compile.
pub fn files(program: &Structured, order: Order, target: &Target) -> Vec<(String, String)> {
    let stem = format!("memory-{}", program.seed);
    let mut files = vec![(format!("{stem}.scf.mlir"), loom_front::print(&program.program.source))];
    if let Ok(compiled) = compiled(&program.program.source, order, target) {
        let text = case_text(&compiled.lowered.graph, &case(program, &compiled));
        files.push((format!("{stem}.toml"), text));
    }
    files
}
