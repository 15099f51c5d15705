//! What makes a mapping accepted: a run in the native model that agrees with software and leaves nothing.
//!
//! [`Configured::accept`] takes the case of a run; [`sample`] makes one up for a kernel that comes without.
//!
//! Guarantees: same kernel and seed, same case; the case ends in software within a few steps and leaves nothing there,
//! so what goes wrong with it on the fabric is the fabric's. Refuses to guess where nothing that it tries ends well:
//! streams whose lengths depend on each other, and loops that small numbers do not end.

use crate::codes;
use crate::configured::Configured;
use crate::load::Kernel;
use crate::report::Report;
use crate::software::Software;
use loom_base::rng::mix;
use loom_base::stall::Stalls;
use loom_base::{Diagnostic, Diagnostics, Rng};
use loom_dfg::{float, Graph, Type};
use loom_sim::case::{argument_memories, MemoryInit};
use loom_sim::{Case, Expect};

/// Largest numbers that arguments and words are drawn up to, in the order in which they are tried: large enough to go
/// round a nest of loops a few times, then so small that most things end.
const LARGEST: [i64; 6] = [8, 6, 4, 2, 1, 0];
/// Words of a memory whose size the case says: all that three subscripts below the largest number reach.
const WORDS: usize = 512;
/// Steps of the interpreters and cycles of the native model.
const STEPS: u64 = 1_000_000;
/// Activations, of which the second finds the state that the first one leaves.
const ACTIVATIONS: usize = 2;

impl Configured {
    /// Runs a case in software and in the native model. Whatever is wrong is an error.
    pub fn accept(&self, case: &Case, name: &str) -> Result<Report, Diagnostics> {
        self.accept_after(case, name, self.kernel.run(case, self.fabric.index_width())?)
    }

    /// The same with what software made of the case.
    pub fn accept_after(&self, case: &Case, name: &str, software: Software) -> Result<Report, Diagnostics> {
        let runs = self.simulate_after(case, software)?;
        let report = self.report(case, name, &runs);
        if report.ok {
            return Ok(report);
        }
        let (code, what) = match () {
            () if !runs.native.completed => (codes::UNFINISHED, "does not come to its end"),
            () if report.error.is_some() => (codes::HARDWARE_ERROR, "stops on an error"),
            () if report.mismatches == 0 && report.leftover == 0 => {
                (codes::EXPECTATION, "is not what the case expects")
            }
            () => (codes::MISMATCH, "is not what software makes of it"),
        };
        let message = format!("the run of `{}` on `{}` {what}", self.graph().name, self.fabric.name());
        let error = report.problems.iter().fold(Diagnostic::error(code, message), |e, p| e.note(p.clone()));
        Err(vec![error.help("`loom sim` shows the run; `--no-run` writes the mapping without one")])
    }
}

/// A case that a kernel ends on, with small random numbers, and what software makes of it; `None` when it ends on
/// nothing that was tried.
pub fn sample(kernel: &Kernel, index_width: u32, seed: u64) -> Option<(Case, Software)> {
    let mut rng = Rng::new(mix(seed));
    LARGEST.iter().find_map(|&largest| {
        let case = drawn(&kernel.graph, largest, &mut rng);
        // A fault of the program is not one of the mapping.
        let ran = kernel.run(&case, index_width).ok()?;
        (ran.golden.is_complete() && ran.differences(&kernel.graph).is_empty()).then_some((case, ran))
    })
}

/// One token of each argument for each activation, and words for each memory.
fn drawn(graph: &Graph, largest: i64, rng: &mut Rng) -> Case {
    let mut number = |ty: Type| bits(ty, rng.between(largest.min(1), largest));
    let token = |&a: &loom_dfg::ValueId| {
        let ty = graph.value(a).ty;
        (0..ACTIVATIONS).map(|_| number(ty)).collect()
    };
    let inputs = graph.arguments.iter().map(token).collect();
    let words = |(_, m): (_, &loom_dfg::Memory)| {
        let count = m.words.map_or(WORDS, |n| n as usize);
        MemoryInit::Words((0..count).map(|_| bits(m.element, rng.between(0, largest))).collect())
    };
    let memory: Vec<MemoryInit> = argument_memories(graph).map(words).collect();
    Case {
        description: String::from("made up"),
        inputs,
        expect: vec![Expect::Any; graph.outputs.len()],
        expect_memory: vec![None; memory.len()],
        memory,
        stalls: Stalls::NONE,
        axi: Default::default(),
        max_cycles: STEPS,
        max_steps: STEPS,
        schedules: 1,
        gate: None,
    }
}

/// A number from 0 to 8 as a type has it.
fn bits(ty: Type, n: i64) -> u64 {
    match ty {
        Type::None => 0,
        Type::Int(1) => (n & 1) as u64,
        Type::Int(_) | Type::Index => n as u64,
        Type::F64 | Type::F32 | Type::F16 | Type::Bf16 => float::from_f64(ty, n as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_in_every_float() {
        let five = [Type::F64, Type::F32, Type::Bf16, Type::F16].map(|ty| bits(ty, 5));
        assert_eq!(five, [0x4014_0000_0000_0000, 0x40a0_0000, 0x40a0, 0x4500]);
        assert_eq!([0, 1, 2, 8].map(|n| bits(Type::F16, n)), [0, 0x3c00, 0x4000, 0x4800]);
        assert_eq!([2, 3].map(|n| bits(Type::I1, n)), [0, 1]);
    }
}
