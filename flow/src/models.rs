//! A case of a configured kernel through the models.
//!
//! Guarantees: the timed models get the same boundary tokens, memory and stalls, cycle for cycle. Refuses what a model
//! refuses to begin with; what goes wrong in a run is in its trace.

use crate::codes;
use crate::configured::Configured;
use crate::host::Host;
use crate::software::Software;
use loom_base::{Diagnostic, Diagnostics};
use loom_cosim::{FabricModel, Loaded, VerilogTrace};
use loom_dfg::interp::{Memories, Outcome};
use loom_sim::native::Refusal;
use loom_sim::{Case, Limits, NativeModel, Stimulus, Stop, Trace, Value};
use std::ops::Deref;

/// Cycles that Verilog may take beyond those after which the native model could not move any more.
const BEYOND_DEADLOCK: u64 = 1000;

/// A run of the native model.
#[derive(Clone, Debug)]
pub struct NativeRun {
    /// What it did.
    pub trace: Trace,
    /// Memory after it.
    pub memories: Memories,
    /// The first rule of AXI that was broken.
    pub broken_rule: Option<String>,
}

/// A run of the Verilog.
#[derive(Clone, Debug)]
pub struct VerilogRun {
    /// What it did.
    pub trace: VerilogTrace,
    /// Memory after it.
    pub memories: Memories,
}

impl Deref for NativeRun {
    type Target = Trace;

    fn deref(&self) -> &Trace {
        &self.trace
    }
}

impl Deref for VerilogRun {
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
        let mapping = &self.mapped.mapping;
        let mut stimulus = Stimulus {
            inputs: vec![Vec::new(); self.fabric.flat().inputs.len()],
            expected: vec![0; self.fabric.flat().outputs.len()],
            gate: self
                .graph()
                .activation_gate()
                .and_then(|(a, o)| Some((mapping.arguments[a]?, mapping.outputs[o]))),
        };
        for (tokens, port) in case.inputs.iter().zip(&mapping.arguments) {
            if let Some(k) = port {
                stimulus.inputs[*k] = tokens.iter().map(|&data| Value { data, tag: 0 }).collect();
            }
        }
        for (tokens, &k) in golden.outputs.iter().zip(&mapping.outputs) {
            stimulus.expected[k] = tokens.len();
        }
        stimulus
    }

    /// Runs the native model.
    pub fn native(&self, case: &Case, stimulus: &Stimulus) -> Result<NativeRun, Diagnostics> {
        let host = Host::new(self, case);
        let mut model = NativeModel::new(&self.fabric, &host.image).map_err(refused)?;
        model.attach(host.memory.clone(), &case.axi);
        for (id, contents) in &host.pads {
            model.set_scratchpad(*id, contents);
        }
        let trace = model.run(stimulus, &case.stalls, &limits(case));
        let memories = host.after(model.memory(), |id, n| model.scratchpad(id).map(|b| b[..n].to_vec()));
        Ok(NativeRun { trace, memories, broken_rule: model.broken_rule().map(String::from) })
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
        model.attach(host.memory.clone(), &case.axi);
        let ports = &self.fabric.ports().hosts;
        for (id, contents) in &host.pads {
            if let Some(k) = ports.iter().position(|p| p.component == *id) {
                model.write_scratchpad(k, contents);
            }
        }
        load(model, &host.image)?;
        let limits = verilog_limits(case.max_cycles, &runs.native);
        let trace = model.run(&runs.stimulus, &case.stalls, &limits);
        let memory = model.memory().clone();
        let memories = host.after(&memory, |id, n| {
            let k = ports.iter().position(|p| p.component == id)?;
            Some(model.read_scratchpad(k, n))
        });
        runs.verilog = Some(VerilogRun { trace, memories });
        Ok(())
    }
}

/// What the native model does not begin with.
pub(crate) fn refused(refusal: Refusal) -> Diagnostics {
    match refusal {
        Refusal::Hardware(error, unit) => vec![Diagnostic::error(
            codes::HARDWARE_ERROR,
            format!("the image is refused: {} at unit {}", error.name(), unit.0),
        )],
        Refusal::Unsupported(diagnostic) => vec![*diagnostic],
    }
}

/// Loads an image into the Verilog.
pub(crate) fn load(model: &mut FabricModel, image: &loom_adg::Image) -> Result<(), Diagnostics> {
    let refused = |text: String| Err(vec![Diagnostic::error(codes::HARDWARE_ERROR, text)]);
    match model.load(image) {
        Loaded::Done => Ok(()),
        Loaded::Error(code, unit) => {
            refused(format!("the Verilog refused the image: error {code} at unit {unit}"))
        }
        Loaded::Hung => refused("the Verilog neither took nor refused the image".into()),
    }
}

/// Cycles of a Verilog run after a native one.
pub(crate) fn verilog_limits(max_cycles: u64, native: &Trace) -> Limits {
    let mut limits = Limits { max_cycles, ..Limits::default() };
    if native.stop == Stop::Deadlock {
        limits.max_cycles = limits.max_cycles.min(native.cycles + BEYOND_DEADLOCK);
    }
    limits
}
