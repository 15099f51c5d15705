//! A case in software: what the structured program means, and what its graph computes under several schedules.
//!
//! The program is run as the user wrote it, before normalization, one call for each activation; the graph under as
//! many random schedules as the case asks for, with memory delays. Results and memory must be equal in all of
//! them, and nothing may be left in the graph.

use crate::codes;
use crate::load::Kernel;
use loom_base::{Diagnostic, Diagnostics};
use loom_dfg::interp::{self, Memories, Outcome};
use loom_dfg::{Graph, Type};
use loom_front::compile::Compiled;
use loom_front::interp::{Argument, BufferId, Machine, MachineOptions, View};
use loom_front::ir::{MemrefLayout, MemrefType, ValueType};
use loom_sim::case::argument_memories;
use loom_sim::Case;

/// Words of an argument of open extent that the graph has no access to. The program may still read it, for nothing; the
/// case has no words of it to say how long it is.
const UNSEEN: usize = 1 << 12;

/// What a graph did.
#[derive(Clone, Debug)]
pub struct GraphOutcome {
    /// Of the first schedule.
    pub outcome: Outcome,
    /// Memory after it.
    pub memories: Memories,
}

impl std::ops::Deref for GraphOutcome {
    type Target = Outcome;

    fn deref(&self) -> &Outcome {
        &self.outcome
    }
}

/// What a program means for a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// Values of each result, a call each; the last result, `done`, is not among them.
    pub results: Vec<Vec<u64>>,
    /// Words of each argument memory of the graph after all calls.
    pub words: Vec<Vec<u64>>,
}

/// What the models without a fabric made of a case.
#[derive(Clone, Debug)]
pub struct Software {
    /// The golden model: the graph.
    pub golden: GraphOutcome,
    /// What the program means, when there is one.
    pub meaning: Option<Meaning>,
}

impl Kernel {
    /// Runs a case in software. Labels of diagnostics point into the program's text.
    pub fn run(&self, case: &Case, index_width: u32) -> Result<Software, Diagnostics> {
        // The program first: of what it does wrong it knows the place, and the graph only the consequences.
        let program = self.compiled.as_deref();
        let meaning = program.map(|compiled| meaning(compiled, case, index_width)).transpose()?;
        let golden = golden(&self.graph, case, index_width)?;
        Ok(Software { golden, meaning })
    }
}

impl Software {
    /// What is wrong in the graph's run, in words: results and memory other than the program's, what is left or waits.
    pub fn differences(&self, graph: &Graph) -> Vec<String> {
        let run = &self.golden;
        let mut lines = Vec::new();
        // What stopped a unit explains everything after it.
        if let interp::RunEnd::RuntimeError { error, code, node } = run.stop {
            lines.push(format!("{error} ({code}) at {}", interp::describe_node(graph, node)));
        }
        lines.extend(self.meaning.iter().flat_map(|meant| differences(graph, meant, run)));
        lines.extend(run.leftover.iter().map(|l| format!("left in the graph: {}", l.describe(graph))));
        lines.extend(run.waiting.iter().map(|w| format!("waits: {}", w.describe(graph))));
        lines
    }
}

/// The golden model: the outcome of the first schedule, which all others confirmed.
pub fn golden(graph: &Graph, case: &Case, index_width: u32) -> Result<GraphOutcome, Diagnostics> {
    let mut first: Option<GraphOutcome> = None;
    for seed in 0..case.schedules.max(1) {
        // The first schedule answers at once, the others take their time.
        let memory_delay = [0, 50, 90, 98][(seed % 4) as usize];
        let options = interp::InterpOptions {
            seed,
            index_width,
            max_steps: case.max_steps.saturating_mul(if memory_delay == 0 { 1 } else { 100 }),
            memory_delay,
            ..Default::default()
        };
        let mut memories = case.memories(graph);
        let outcome = interp::run_with_memories(graph, &case.inputs, &mut memories, &options);
        if outcome.stop == interp::RunEnd::BudgetExhausted {
            return Err(vec![Diagnostic::error(
                codes::GOLDEN,
                format!("`{}` was still running after {} steps", graph.name, case.max_steps),
            )
            .help("raise `max_steps` under `[limits]` of the case, or look for a loop that does not end")]);
        }
        match &first {
            // What runs on beside a unit that failed depends on the schedule: another one proves nothing.
            None if matches!(outcome.stop, interp::RunEnd::RuntimeError { .. }) => {
                return Ok(GraphOutcome { outcome, memories })
            }
            None => first = Some(GraphOutcome { outcome, memories }),
            Some(first) if first.outcome.outputs == outcome.outputs && first.memories == memories => {}
            Some(_) => {
                return Err(vec![Diagnostic::error(
                    codes::GOLDEN,
                    format!("schedules 0 and {seed} of `{}` give different results or memories", graph.name),
                )])
            }
        }
    }
    Ok(first.expect("at least one schedule"))
}

/// Runs the structured program on a case of its graph.
pub fn meaning(compiled: &Compiled, case: &Case, index_width: u32) -> Result<Meaning, Diagnostics> {
    let graph = &compiled.lowered.graph;
    let func = &compiled.source.funcs[0];
    let options = MachineOptions { index_width, max_steps: case.max_steps };
    let mut machine = Machine::new(&compiled.source, options);
    let memories = case.memories(graph);
    let buffers: Vec<BufferId> =
        memories.buffers.iter().map(|words| machine.add_buffer(words.clone())).collect();
    let calls = graph.arguments.iter().zip(&case.inputs).filter(|(&a, _)| graph.value(a).ty == Type::None);
    let calls = calls.map(|(_, tokens)| tokens.len()).max().unwrap_or(0);
    let mut results = vec![Vec::new(); func.result_types.len()];
    for call in 0..calls {
        let arguments = arguments(compiled, case, &memories, &buffers, call, &mut machine)?;
        let values = machine.call(&func.name, &arguments).map_err(|fault| vec![fault.to_diagnostic()])?;
        for (list, value) in results.iter_mut().zip(values) {
            list.push(value);
        }
    }
    let words = argument_memories(graph)
        .map(|(id, _)| {
            let binding = memories.bindings[id.0 as usize];
            let buffer = machine.buffer(buffers[binding.buffer]);
            buffer[binding.offset..binding.offset + binding.words].iter().map(|w| w.unwrap_or(0)).collect()
        })
        .collect();
    Ok(Meaning { results, words })
}

/// The arguments of one call: the graph's arguments are the function's in order, without the memrefs nobody accesses
/// and with open extents behind.
fn arguments(
    compiled: &Compiled,
    case: &Case,
    memories: &Memories,
    buffers: &[BufferId],
    call: usize,
    machine: &mut Machine,
) -> Result<Vec<Argument>, Diagnostics> {
    let graph = &compiled.lowered.graph;
    let func = &compiled.source.funcs[0];
    let token = |name: &str| {
        let at = graph.arguments.iter().position(|&a| graph.value(a).name == name)?;
        case.inputs[at].get(call).copied()
    };
    let mut scalars = graph.arguments.iter().zip(&case.inputs);
    let mut roots = argument_memories(graph);
    let mut out = Vec::new();
    for (k, ty) in func.argument_types.iter().enumerate() {
        let plain = compiled.plain.func.arguments()[k];
        match ty {
            ValueType::Scalar(_) => {
                let (&argument, tokens) = scalars.next().expect("the graph has every value argument");
                let Some(&bits) = tokens.get(call) else {
                    let name = &graph.value(argument).name;
                    let message = format!("activation {call} has no token of argument `{name}`");
                    return Err(vec![Diagnostic::error(codes::GOLDEN, message)
                        .help("give every argument one token for each activation")]);
                };
                out.push(Argument::Scalar(bits));
            }
            ValueType::Memref(ty) if compiled.plain.domains.root_of(plain).is_some() => {
                let (id, memory) = roots.next().expect("the graph has every accessed memref");
                let binding = memories.bindings[id.0 as usize];
                let extent = |d: usize| token(&format!("{}_dim{d}", memory.name)).map(|n| n as i64);
                let sizes = extents(ty, binding.words, &extent);
                out.push(Argument::Memref(view(ty, buffers[binding.buffer], binding.offset, sizes)));
            }
            ValueType::Memref(ty) => {
                let sizes = extents(ty, UNSEEN, &|_| None);
                let words = sizes.iter().product::<i64>().max(0) as usize;
                let buffer = machine.add_buffer(vec![0; words]);
                out.push(Argument::Memref(view(ty, buffer, 0, sizes)));
            }
        }
    }
    Ok(out)
}

/// A memref of these extents whose pointer names a word of a buffer.
fn view(ty: &MemrefType, buffer: BufferId, base: usize, sizes: Vec<i64>) -> View {
    let (offset, strides) = match &ty.layout {
        MemrefLayout::Identity => {
            let mut strides = vec![1; sizes.len()];
            for d in (1..sizes.len()).rev() {
                strides[d - 1] = strides[d] * sizes[d].max(1);
            }
            (0, strides)
        }
        // Open numbers of a layout are refused by normalization.
        MemrefLayout::Strided { strides, offset } => {
            (offset.unwrap_or(0), strides.iter().map(|s| s.unwrap_or(1)).collect())
        }
    };
    View { buffer, base: base as i64, offset, sizes, strides }
}

/// The extents of a memref of so many words: those its type leaves open come from `extent`, the first one from what is
/// left.
fn extents(ty: &MemrefType, words: usize, extent: &dyn Fn(usize) -> Option<i64>) -> Vec<i64> {
    let mut sizes: Vec<i64> = (0..ty.shape.len()).map(|d| ty.shape[d].or(extent(d)).unwrap_or(0)).collect();
    if ty.shape.first() == Some(&None) && extent(0).is_none() {
        let row: i64 = sizes[1..].iter().product();
        sizes[0] = if row > 0 { words as i64 / row } else { 0 };
    }
    sizes
}

/// How a graph's results and memory differ from the program's; a line for each that does.
fn differences(graph: &Graph, meaning: &Meaning, run: &GraphOutcome) -> Vec<String> {
    let mut lines = Vec::new();
    for ((output, want), got) in graph.outputs.iter().zip(&meaning.results).zip(&run.outcome.outputs) {
        if want != got {
            let at = want.iter().zip(got).position(|(w, g)| w != g).unwrap_or(want.len().min(got.len()));
            let show = |list: &[u64]| list.get(at).map_or("nothing".to_string(), |v| format!("{v:#x}"));
            lines.push(format!(
                "token {at} of `{}` is {} in the graph, {} in the program",
                output.name,
                show(got),
                show(want)
            ));
        }
    }
    for ((id, memory), want) in argument_memories(graph).zip(&meaning.words) {
        let got = run.memories.words(id);
        if let Some(at) = (0..want.len()).find(|&i| got.get(i) != Some(&want[i])) {
            lines.push(format!(
                "word {at} of memory `{}` is {:#x} in the graph, {:#x} in the program",
                memory.name,
                got.get(at).copied().unwrap_or(0),
                want[at]
            ));
        }
    }
    lines
}
