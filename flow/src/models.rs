//! A case of a configured kernel through the models.
//!
//! Guarantees: the timed models get the same boundary tokens, memory and stalls, cycle for cycle. Refuses what a model
//! refuses to begin with; what goes wrong in a run is in its trace.

use crate::configured::Configured;
use crate::host::Host;
use crate::software::Software;
use loom_base::Diagnostics;
use loom_cosim::{FabricModel, VerilogTrace};
use loom_dfg::interp::{Memories, Outcome};
use loom_sim::{Case, InputToken, Limits, Recording, Stimulus, Stop, Trace, Window};
use std::ops::Deref;

/// Cycles that Verilog may take beyond those after which the native model could not move any more.
const BEYOND_DEADLOCK: u64 = 1000;

/// A run of the native model, and the memory after it.
#[derive(Clone, Debug)]
pub struct NativeRun<M = Memories> {
    /// What it did.
    pub trace: Trace,
    /// Memory after it.
    pub memories: M,
    /// The first rule of AXI that was broken.
    pub broken_rule: Option<String>,
}

/// A run of the Verilog, and the memory after it.
#[derive(Clone, Debug)]
pub struct VerilogRun<M = Memories> {
    /// What it did.
    pub trace: VerilogTrace,
    /// Memory after it.
    pub memories: M,
}

impl<M> Deref for NativeRun<M> {
    type Target = Trace;

    fn deref(&self) -> &Trace {
        &self.trace
    }
}

impl<M> Deref for VerilogRun<M> {
    type Target = VerilogTrace;

    fn deref(&self) -> &VerilogTrace {
        &self.trace
    }
}

/// What the models made of one case.
#[derive(Clone, Debug)]
pub struct Runs {
    /// Program and graph.
    pub software: Software,
    /// What the timed models were given.
    pub stimulus: Stimulus,
    /// The native model's run.
    pub native: NativeRun,
    /// The Verilog's, when there was one.
    pub verilog: Option<VerilogRun>,
}

/// Cycles a run may take.
pub fn limits(case: &Case) -> Limits {
    Limits { max_cycles: case.max_cycles, ..Limits::default() }
}

impl Configured {
    /// Boundary tokens of a case; results as many as the golden model gives.
    pub fn stimulus(&self, case: &Case, golden: &Outcome) -> Stimulus {
        let expected: Vec<usize> = golden.outputs.iter().map(Vec::len).collect();
        self.stimulus_of(&case.inputs, &expected)
    }

    /// Tokens of each argument, and how many each result gives, at the ports where they are.
    pub(crate) fn stimulus_of(&self, inputs: &[Vec<u64>], expected: &[usize]) -> Stimulus {
        let mapping = &self.mapped.mapping;
        let mut stimulus = Stimulus {
            inputs: vec![Vec::new(); self.fabric.flat().inputs.len()],
            expected: vec![0; self.fabric.flat().outputs.len()],
            gate: self
                .graph()
                .activation_gate()
                .and_then(|(a, o)| Some((mapping.arguments[a]?, mapping.outputs[o]))),
        };
        for (tokens, port) in inputs.iter().zip(&mapping.arguments) {
            if let Some(k) = port {
                stimulus.inputs[*k] = tokens.iter().map(|&data| InputToken { data, tag: 0 }).collect();
            }
        }
        for (&count, &k) in expected.iter().zip(&mapping.outputs) {
            stimulus.expected[k] = count;
        }
        stimulus
    }

    /// Runs the native model.
    pub fn native(&self, case: &Case, stimulus: &Stimulus) -> Result<NativeRun, Diagnostics> {
        let host = Host::new(self, case);
        let mut model = host.contents.native(&self.fabric, &host.image, &case.axi)?;
        let trace = model.run(stimulus, &case.stalls, &limits(case));
        let memories = host.after(&host.contents.after_native(&model));
        Ok(NativeRun { trace, memories, broken_rule: model.broken_rule().map(String::from) })
    }

    /// Runs the native model once more and records what moves: the first so many cycles, of a run that stopped short the last.
    pub fn record(&self, case: &Case, runs: &Runs, cycles: u64) -> Result<(Trace, Recording), Diagnostics> {
        let host = Host::new(self, case);
        let mut model = host.contents.native(&self.fabric, &host.image, &case.axi)?;
        let first = match runs.native.completed {
            true => 0,
            false => runs.native.stopped_at.saturating_sub(cycles),
        };
        let window = Window { first, cycles };
        Ok(model.run_recorded(&runs.stimulus, &case.stalls, &limits(case), window))
    }

    /// Runs a case in software and in the native model. Labels of diagnostics point into the program's text.
    pub fn simulate(&self, case: &Case) -> Result<Runs, Diagnostics> {
        self.simulate_after(case, self.kernel.run(case, self.fabric.index_width())?)
    }

    /// The same with what software made of the case.
    pub fn simulate_after(&self, case: &Case, software: Software) -> Result<Runs, Diagnostics> {
        let stimulus = self.stimulus(case, &software.golden);
        let native = self.native(case, &stimulus)?;
        Ok(Runs { software, stimulus, native, verilog: None })
    }

    /// Runs the Verilog after the others; no reset comes before, the model may have run something else. A run that the
    /// native model did not complete gets a few cycles more than that model took.
    pub fn cosimulate(
        &self,
        case: &Case,
        runs: &mut Runs,
        model: &mut FabricModel,
    ) -> Result<(), Diagnostics> {
        let host = Host::new(self, case);
        host.contents.verilog(&self.fabric, &host.image, &case.axi, model)?;
        let trace = model.run(&runs.stimulus, &case.stalls, &verilog_limits(case, &runs.native));
        let memories = host.after(&host.contents.after_verilog(&self.fabric, model));
        runs.verilog = Some(VerilogRun { trace, memories });
        Ok(())
    }
}

/// Cycles of a Verilog run after a native one.
pub(crate) fn verilog_limits(case: &Case, native: &Trace) -> Limits {
    let mut limits = limits(case);
    if native.stop == Stop::Deadlock {
        limits.max_cycles = limits.max_cycles.min(native.cycles + BEYOND_DEADLOCK);
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contents::Contents;
    use crate::{load, Kernel};
    use loom_base::stall::Stalls;
    use loom_base::Source;
    use loom_sim::axi::{AxiOptions, HostMemory};

    /// What a call after a call is to `exec`: each gives what a run after a reset gives, in as many cycles.
    #[test]
    fn activations_without_a_reset_are_like_the_first() {
        let read = |path: &str| {
            let path = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
            Source::new(&path, std::fs::read_to_string(&path).expect("text"))
        };
        let fabric = load::fabric(&read("configs/mesh-4x4.toml")).expect("a fabric");
        let kernel =
            Kernel::read(&read("kernels/gcd/gcd.scf.mlir"), &load::lowering(&fabric)).expect("a kernel");
        let configured =
            Configured::map(kernel, &fabric, &Default::default(), &mut |_, _| {}).expect("it maps");
        let native = || {
            let model = Contents::default().native(&fabric, &configured.image, &AxiOptions::default());
            model.expect("a model")
        };
        let (mut kept, limits) = (native(), Limits::default());
        for (a, b, want) in [(12, 18, 6), (1, 40, 1), (12, 18, 6), (7, 7, 7)] {
            let stimulus = configured.stimulus_of(&[vec![a], vec![b], vec![0]], &[1, 1]);
            let trace = kept.activate(&mut HostMemory::new(), &stimulus, &limits);
            let alone = native().run(&stimulus, &Stalls::NONE, &limits);
            let given = |t: &loom_sim::Trace| t.outputs[configured.mapped.mapping.outputs[0]][0].data;
            assert!(trace.completed && trace.idle && trace.leftover.is_empty());
            assert_eq!((given(&trace), given(&alone)), (want, want));
            let fires = |t: &loom_sim::Trace| t.fires.iter().map(|f| f.fires).collect::<Vec<_>>();
            assert_eq!((trace.cycles, fires(&trace)), (alone.cycles, fires(&alone)));
        }
    }
}
