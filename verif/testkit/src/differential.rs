//! Differential check: what a random program means against what its graphs compute.
//!
//! The program is verified, printed and read again, and compiled in both memory orders, and for room. Each graph runs all calls under several random schedules with
//! random memory delays, under the activation rule; results and memory must be those of the interpreter, and nothing
//! may be left in flight. So it is with constants as immediates. Consecutive calls that bind the same buffers are activations of one run; a call that binds
//! others starts a run of its own, with the memory as it is then.

use crate::programs::{
    random_program, shrink, Call, RandomArgument, RandomOptions, RandomOutcome, RandomProgram,
};
use loom_base::rng::mix;
use loom_base::{Diagnostics, Rng, Source};
use loom_dfg::interp::{self, Binding, Memories};
use loom_dfg::{Graph, MemoryPlace, Op, Type};
use loom_front::compile::{compile, Aim, CompileOptions, Compiled};
use loom_front::edit;
use loom_front::ir::ValueType;
use loom_front::order::Order;
use std::fmt::Write as _;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// How to check.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Random schedules of each graph.
    pub schedules: u64,
    /// First schedule's seed.
    pub seed: u64,
    /// Interpreter steps of one call; the graph gets a multiple.
    pub max_steps: u64,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Ops of the pipelined graph.
    pub ops: usize,
    /// Steps of the structured interpreter.
    pub steps: u64,
    /// Accesses of the graph.
    pub accesses: usize,
}

/// The graph of function `f` of a text, after the calls agreed in all models. Panics, with the text, where they do not.
pub fn agreed(text: &str, buffers: Vec<Vec<u64>>, calls: Vec<Call>) -> Graph {
    agreed_for(Aim::Speed, text, buffers, calls)
}

/// The same for an aim.
pub fn agreed_for(aim: Aim, text: &str, buffers: Vec<Vec<u64>>, calls: Vec<Call>) -> Graph {
    let source = Source::new("text", text);
    let module = loom_front::parse(&source).unwrap_or_else(|d| panic!("{}", d[0].render(&source)));
    let made = compile(&module, &CompileOptions { aim, ..CompileOptions::default() });
    let graph = made.unwrap_or_else(|d| panic!("{}", d[0].render(&source))).lowered.graph;
    let program = RandomProgram { source: module, function: "f".into(), buffers, calls };
    let settings = Settings { schedules: 2, seed: 0, max_steps: 20_000 };
    check(&program, &settings).unwrap_or_else(|e| panic!("{e}\n{text}"));
    graph
}

/// Loads and stores of a graph.
pub fn accesses(graph: &Graph) -> (usize, usize) {
    let ports = graph.memory_nodes().map(|(_, _, ports)| ports);
    ports.fold((0, 0), |(loads, stores), p| (loads + p.loads as usize, stores + p.stores as usize))
}

/// Streams of a graph.
pub fn streams(graph: &Graph) -> usize {
    graph.nodes.iter().filter(|n| matches!(n.op, Op::Stream(..))).count()
}

/// Checks one program; `Err` says what is wrong, in words.
pub fn check(program: &RandomProgram, settings: &Settings) -> Result<Done, String> {
    let meant = program.run(settings.max_steps).map_err(|f| format!("the program faults: {}", f.message))?;
    let mut done = Done { steps: meant.steps, ..Done::default() };
    let wrong = loom_front::verify::verify(&program.source);
    if let Some(d) = wrong.first() {
        return Err(format!("the verifier refuses it: {}", d.message));
    }
    let text = loom_front::print(&program.source);
    let again = loom_front::parse(&Source::new("printed", text.clone()))
        .map_err(|d| format!("does not parse when printed: {}", d[0].message))?;
    if loom_front::print(&again) != text {
        return Err("prints otherwise when it is read again".to_string());
    }
    let ways = [(Order::Serial, Aim::Speed), (Order::Pipelined, Aim::Room), (Order::Pipelined, Aim::Speed)];
    for (order, aim) in ways {
        let options = CompileOptions { order, aim, ..CompileOptions::default() };
        let words = |d: Diagnostics| d.into_iter().map(|d| d.message).collect::<Vec<_>>().join("; ");
        let compiled = compile(&program.source, &options)
            .map_err(|d| format!("{order:?}, {aim:?}: does not compile: {}", words(d)))?;
        immediate(program, &meant, &compiled, settings)
            .map_err(|e| format!("{order:?}, {aim:?}, immediates: {e}"))?;
        done.ops = compiled.lowered.graph.nodes.len();
        done.accesses = compiled.lowered.accesses.len();
        for seed in settings.seed..settings.seed + settings.schedules {
            run(program, &meant, &compiled, seed, settings.max_steps)
                .map_err(|e| format!("{order:?}, {aim:?}, schedule {seed}: {e}"))?;
        }
    }
    Ok(done)
}

/// The same with constants as immediates: a graph that is verified, balanced, readable and means the same.
fn immediate(
    program: &RandomProgram,
    meant: &RandomOutcome,
    compiled: &Compiled,
    settings: &Settings,
) -> Result<(), String> {
    let room = 1 + settings.seed as usize % 3;
    let Some(graph) = loom_dfg::immediates::fold(&compiled.lowered.graph, &|_| room) else { return Ok(()) };
    let wrong = loom_dfg::verify::verify(&graph);
    let balanced = loom_front::regime::check(&graph, loom_dfg::types::DEFAULT_INDEX_WIDTH);
    if let Some(d) = wrong.first().or(balanced.as_ref().err().and_then(|d| d.first())) {
        return Err(d.message.clone());
    }
    let text = loom_dfg::print(&graph);
    match loom_dfg::parse(&Source::new("printed", text.clone())) {
        Ok(again) if loom_dfg::print(&again) == text => {}
        Ok(_) => return Err("prints otherwise when it is read again".to_string()),
        Err(d) => return Err(format!("does not parse when printed: {}", d[0].message)),
    }
    let mut with = compiled.clone();
    with.lowered.graph = graph;
    run(program, meant, &with, settings.seed, settings.max_steps)
}

/// A program on which the models differ, made small.
#[derive(Clone, Debug)]
pub struct Difference {
    /// What it was drawn from.
    pub seed: u64,
    /// What is wrong with the small one.
    pub message: String,
    /// The small one as text; memory and calls stand in comments.
    pub text: String,
    /// Operations before and after shrinking.
    pub operations: (usize, usize),
}

/// Draws the program of a seed and checks it; a failing one is shrunk. A panic of the compiler counts as a failure.
pub fn hunt(seed: u64, settings: &Settings) -> Result<Done, Box<Difference>> {
    // Most programs are small, so that what fails can be read; some are not.
    let ops = (seed.is_multiple_of(8)).then_some(120);
    let options = RandomOptions { ops, ..RandomOptions::default() };
    let program = random_program(&mut Rng::new(mix(seed)), &options);
    let verdict = |program: &RandomProgram| {
        let checked = catch_unwind(AssertUnwindSafe(|| check(program, settings)));
        checked.unwrap_or_else(|_| Err("the compiler panics".to_string()))
    };
    let first = match verdict(&program) {
        Ok(done) => return Ok(done),
        Err(message) => message,
    };
    let small = shrink(&program, &mut |candidate| verdict(candidate).is_err());
    let size = |p: &RandomProgram| p.func().map_or(0, |f| edit::walk(f).len());
    let mut text = format!("// random program of seed {seed}\n");
    for (b, words) in small.buffers.iter().enumerate() {
        let _ = writeln!(text, "// buffer {b}: {words:?}");
    }
    for call in &small.calls {
        let _ = writeln!(text, "// call {:?}", call.arguments);
    }
    text.push_str(&loom_front::print(&small.source));
    let message = verdict(&small).err().unwrap_or(first);
    Err(Box::new(Difference { seed, message, text, operations: (size(&program), size(&small)) }))
}

/// The buffers that a call binds.
fn bound(call: &Call) -> Vec<usize> {
    let buffers = call.arguments.iter().filter_map(|a| match a {
        RandomArgument::Buffer(b) => Some(*b),
        RandomArgument::Scalar(_) => None,
    });
    buffers.collect()
}

fn run(
    program: &RandomProgram,
    meant: &RandomOutcome,
    compiled: &Compiled,
    seed: u64,
    max_steps: u64,
) -> Result<(), String> {
    let graph = &compiled.lowered.graph;
    let mut buffers = program.buffers.clone();
    // What is on chip stays from run to run.
    let mut on_chip = Memories::new(graph, Vec::new()).buffers;
    let mut results: Vec<Vec<u64>> = Vec::new();
    let mut calls = &program.calls[..];
    while let Some(first) = calls.first() {
        let count = calls.iter().take_while(|c| bound(c) == bound(first)).count();
        let (group, rest) = calls.split_at(count);
        calls = rest;
        let (inputs, external) = inputs(compiled, group);
        let private = buffers.len();
        let mut memories = Memories { buffers: buffers.clone(), bindings: Vec::new() };
        memories.buffers.extend(on_chip.iter().cloned());
        let mut external = external.into_iter();
        for (m, memory) in graph.memories.iter().enumerate() {
            let buffer = match memory.place {
                MemoryPlace::Argument { .. } => external.next().ok_or("a memory without a buffer")?,
                MemoryPlace::Private { .. } => private + m,
            };
            let words = memories.buffers[buffer].len();
            memories.bindings.push(Binding { buffer, offset: 0, words });
        }
        let options = interp::InterpOptions {
            seed,
            // Some answer at once, some take their time.
            memory_delay: [0, 80, 97][(seed % 3) as usize],
            max_steps: max_steps.saturating_mul(2000),
            ..interp::InterpOptions::default()
        };
        let outcome = interp::run_with_memories(graph, &inputs, &mut memories, &options);
        if !outcome.is_complete() {
            let mut lines: Vec<String> = outcome.leftover.iter().map(|l| l.describe(graph)).collect();
            lines.extend(outcome.waiting.iter().map(|w| w.describe(graph)));
            lines.truncate(8);
            return Err(format!("{:?}, left: {}", outcome.stop, lines.join("; ")));
        }
        on_chip = memories.buffers.split_off(private);
        buffers = memories.buffers;
        let values = graph.outputs.len() - 1;
        if let Some(output) = outcome.outputs.iter().find(|o| o.len() != count) {
            return Err(format!("{} tokens for {count} calls", output.len()));
        }
        results.extend((0..count).map(|c| outcome.outputs[..values].iter().map(|o| o[c]).collect()));
    }
    if results != meant.results {
        let at = results.iter().zip(&meant.results).position(|(a, b)| a != b).unwrap_or(0);
        return Err(format!("call {at} gives {:x?}, it means {:x?}", results.get(at), meant.results.get(at)));
    }
    for (b, (got, want)) in buffers.iter().zip(&meant.buffers).enumerate() {
        if let Some(at) = (0..want.len()).find(|&i| got.get(i) != want.get(i)) {
            return Err(format!("word {at} of buffer {b} is {:x?}, it means {:x}", got.get(at), want[at]));
        }
    }
    Ok(())
}

/// Tokens of each argument of the graph for a group of calls, and the buffer of each argument memory.
fn inputs(compiled: &Compiled, group: &[Call]) -> (Vec<Vec<u64>>, Vec<usize>) {
    let graph = &compiled.lowered.graph;
    let func = &compiled.source.funcs[0];
    let mut inputs = Vec::new();
    let mut external = Vec::new();
    for (k, ty) in func.argument_types.iter().enumerate() {
        match ty {
            ValueType::Scalar(_) => inputs.push(
                group
                    .iter()
                    .map(|call| match call.arguments[k] {
                        RandomArgument::Scalar(bits) => bits,
                        RandomArgument::Buffer(_) => 0,
                    })
                    .collect(),
            ),
            // A memref that nobody accesses is no part of the graph.
            ValueType::Memref(_) => {
                let plain = compiled.plain.func.arguments()[k];
                if let (Some(_), RandomArgument::Buffer(b)) =
                    (compiled.plain.domains.root_of(plain), group[0].arguments[k])
                {
                    external.push(b);
                }
            }
        }
    }
    // The control token of each activation.
    inputs.extend(
        graph.arguments.last().filter(|&&a| graph.value(a).ty == Type::None).map(|_| vec![0; group.len()]),
    );
    (inputs, external)
}
