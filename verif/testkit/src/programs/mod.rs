//! Random structured programs with calls, for differential fuzzing, and a shrinker for what it finds.
//!
//! Guarantees: a seed gives the same program on every machine; every program is well formed, ends within its step
//! budget and runs without a fault in [`loom_front::interp`]: subscripts are in bounds and loops end by construction,
//! and no word is read before it is written. Not covered: `cf`, calls, memrefs through control flow, open shapes.

mod build;
mod control;
mod jumps;
mod memory;
mod shrink;
#[cfg(test)]
mod tests;

pub use jumps::random_jumps;
pub use shrink::{shrink, well_formed};

use loom_base::{Rng, Source};
use loom_dfg::types::DEFAULT_INDEX_WIDTH;
use loom_front::interp::{Argument, Fault, Machine, MachineOptions, View};
use loom_front::ir::{Func, Global, Program, ValueType};

/// Reads a structured program of a test.
pub fn read(text: &str) -> Program {
    let source = Source::new("f.scf.mlir", text);
    loom_front::parse(&source).unwrap_or_else(|d| panic!("{}\n{text}", d[0].render(&source)))
}

/// What its first function gives for numbers.
pub fn results(program: &Program, arguments: &[u64]) -> Vec<u64> {
    let mut machine = Machine::new(program, MachineOptions::default());
    let arguments: Vec<Argument> = arguments.iter().map(|&bits| Argument::Scalar(bits)).collect();
    machine.call(&program.funcs[0].name, &arguments).expect("it runs")
}

/// What to generate.
#[derive(Clone, Copy, Debug)]
pub struct RandomOptions {
    /// Operations to aim for; drawn for each program (most are small) when `None`.
    pub ops: Option<usize>,
    /// How deep regions nest.
    pub max_depth: usize,
    /// Programs in a hundred that compute with floats.
    pub floats: u32,
    /// Whether there is memory.
    pub memory: bool,
    /// Only types and ops that the default fabrics have units for.
    pub hardware: bool,
    /// Interpreter steps of one call.
    pub max_steps: u64,
}

impl Default for RandomOptions {
    fn default() -> Self {
        RandomOptions { ops: None, max_depth: 4, floats: 8, memory: true, hardware: false, max_steps: 20_000 }
    }
}

/// What a call passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RandomArgument {
    /// The low bits of a number.
    Scalar(u64),
    /// The whole of a buffer of [`RandomProgram::buffers`].
    Buffer(usize),
}

/// One activation. Memory persists from call to call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// One for each argument of the function. Two memrefs may be bound to one buffer when neither is noalias.
    pub arguments: Vec<RandomArgument>,
}

impl Call {
    /// Buffers, by number, and then numbers.
    pub fn of(buffers: &[usize], scalars: &[u64]) -> Call {
        let buffers = buffers.iter().map(|&buffer| RandomArgument::Buffer(buffer));
        let scalars = scalars.iter().map(|&bits| RandomArgument::Scalar(bits));
        Call { arguments: buffers.chain(scalars).collect() }
    }
}

/// A program and what to do with it.
#[derive(Clone, Debug)]
pub struct RandomProgram {
    /// One function, and globals.
    pub source: Program,
    /// The function's name.
    pub function: String,
    /// Memory before the first call, row-major.
    pub buffers: Vec<Vec<u64>>,
    /// In order.
    pub calls: Vec<Call>,
}

/// What a program did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomOutcome {
    /// Results of each call.
    pub results: Vec<Vec<u64>>,
    /// Memory after the last call.
    pub buffers: Vec<Vec<u64>>,
    /// Interpreter steps of all calls.
    pub steps: u64,
}

impl RandomProgram {
    /// The function.
    pub fn func(&self) -> Option<&Func> {
        self.source.func(&self.function)
    }

    /// Makes all calls in the interpreter, `max_steps` steps each.
    pub fn run(&self, max_steps: u64) -> Result<RandomOutcome, Fault> {
        let options = loom_front::interp::MachineOptions { index_width: DEFAULT_INDEX_WIDTH, max_steps };
        let mut machine = Machine::new(&self.source, options);
        let ids: Vec<_> = self.buffers.iter().map(|words| machine.add_buffer(words.clone())).collect();
        let types = self.func().map_or(&[][..], |f| &f.argument_types);
        let (mut results, mut steps) = (Vec::new(), 0);
        for call in &self.calls {
            let arguments = call.arguments.iter().zip(types).map(|(argument, ty)| match (*argument, ty) {
                (RandomArgument::Buffer(b), ValueType::Memref(ty)) => {
                    let id = ids.get(b)?;
                    View::whole(ty, *id, self.buffers[b].len()).map(Argument::Memref)
                }
                (RandomArgument::Scalar(bits), _) => Some(Argument::Scalar(bits)),
                (RandomArgument::Buffer(_), _) => None,
            });
            // An argument that cannot be made is missing, which the machine says.
            let arguments: Vec<Argument> = arguments.flatten().collect();
            results.push(machine.call(&self.function, &arguments)?);
            steps += machine.steps();
        }
        let words = |&id| machine.buffer(id).iter().map(|w| w.unwrap_or(0)).collect();
        Ok(RandomOutcome { results, buffers: ids.iter().map(words).collect(), steps })
    }
}

/// A program that ends. Those that run too long are thrown away.
pub fn random_program(rng: &mut Rng, options: &RandomOptions) -> RandomProgram {
    let mut own = rng.split();
    let mut options = *options;
    for attempt in 0..50 {
        let program = build::generate(&mut own.split(), &options);
        if program.run(options.max_steps).is_ok() {
            return program;
        }
        if attempt % 10 == 9 {
            options.ops = Some(options.ops.unwrap_or(40) / 2);
        }
    }
    // Without budget there are no loops.
    build::generate(&mut own, &RandomOptions { ops: Some(0), max_depth: 0, ..options })
}

fn assemble(func: Func, globals: Vec<Global>, buffers: Vec<Vec<u64>>, calls: Vec<Call>) -> RandomProgram {
    let function = func.name.clone();
    RandomProgram { source: Program { globals, funcs: vec![func] }, function, buffers, calls }
}
