//! H7 measured: cycles of the four state machines in Verilator, alone on a fabric, with boundary sources and sinks that
//! are always there.
//!
//! A activations of trip count N must take A*(N+1) cycles plus a constant that depends on the mapping only (registers on
//! the way in and out), whatever A and N.

use loom_adg::Fabric;
use loom_base::stall::Stalls;
use loom_base::{Diagnostics, Source};
use loom_cosim::{verilate, BuildOptions, Built, FabricModel};
use loom_flow::Configured;
use loom_sim::{Case, Expect};
use std::path::Path;
use std::sync::Arc;

/// A state machine alone in a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateMachine {
    /// `dataflow.stream +=`
    Stream,
    /// `dataflow.gate`
    Gate,
    /// `dataflow.carry`
    Carry,
    /// `dataflow.invariant`
    Invariant,
}

impl StateMachine {
    /// All four.
    pub const ALL: [StateMachine; 4] =
        [StateMachine::Stream, StateMachine::Gate, StateMachine::Carry, StateMachine::Invariant];

    /// The op's name.
    pub fn name(self) -> &'static str {
        match self {
            StateMachine::Stream => "stream",
            StateMachine::Gate => "gate",
            StateMachine::Carry => "carry",
            StateMachine::Invariant => "invariant",
        }
    }

    /// Cycles an activation of N trips takes in the predecessor's RTL.
    pub fn peer(self, n: u64) -> u64 {
        match self {
            StateMachine::Stream => n + 3,
            StateMachine::Gate => 2 * n + 2,
            StateMachine::Carry => 3 * n + 3,
            StateMachine::Invariant => 2 * n + 3,
        }
    }

    fn kernel(self) -> &'static str {
        match self {
            StateMachine::Stream => include_str!("../../../kernels/stream/stream.dfg.mlir"),
            StateMachine::Gate => include_str!("../../../kernels/gate/gate.dfg.mlir"),
            StateMachine::Carry => include_str!("../../../kernels/carry/carry.dfg.mlir"),
            StateMachine::Invariant => include_str!("../../../kernels/invariant/invariant.dfg.mlir"),
        }
    }

    /// Tokens of `activations` activations: N true conditions and a false one each.
    fn inputs(self, activations: u64, n: u64) -> Vec<Vec<u64>> {
        let conditions: Vec<u64> = (0..activations).flat_map(|_| (0..=n).map(|k| u64::from(k < n))).collect();
        let count = |k: u64| (0..k).collect::<Vec<u64>>();
        match self {
            StateMachine::Stream => {
                vec![
                    vec![0; activations as usize],
                    vec![1; activations as usize],
                    vec![n; activations as usize],
                ]
            }
            StateMachine::Gate => vec![count(activations * (n + 1)), conditions],
            StateMachine::Carry => vec![conditions, count(activations), count(activations * n)],
            StateMachine::Invariant => vec![conditions, count(activations)],
        }
    }
}

/// A fabric with its Verilog model, on which machines are measured.
pub struct Rig {
    fabric: Fabric,
    built: Arc<Built>,
}

impl Rig {
    /// The 2x2 mesh.
    pub fn new(cache: &Path) -> Result<Rig, Diagnostics> {
        let text = loom_adg::topology::mesh_toml(2, 2);
        let adg = loom_adg::toml::read(&Source::new("mesh-2x2.toml", text))?;
        let fabric = Fabric::new(adg);
        let built = verilate(&fabric, BuildOptions { trace: false, optimise: true }, cache)?;
        Ok(Rig { fabric, built })
    }

    /// Cycles from the first to the last boundary transfer in Verilog; all models must agree.
    pub fn cycles(&self, machine: StateMachine, activations: u64, n: u64) -> Result<u64, Diagnostics> {
        let graph = loom_dfg::parse(&Source::new(machine.name(), machine.kernel()))?;
        let case = Case {
            description: String::new(),
            inputs: machine.inputs(activations, n),
            expect: vec![Expect::Any; graph.outputs.len()],
            memory: Vec::new(),
            expect_memory: Vec::new(),
            stalls: Stalls::NONE,
            axi: Default::default(),
            max_cycles: 1_000_000,
            max_steps: 10_000_000,
            schedules: 1,
            gate: None,
        };
        let configured = Configured::map(graph, &self.fabric, &Default::default(), &mut |_, _| {})?;
        let mut runs = configured.simulate(&case)?;
        let mut model = FabricModel::new(&self.built, self.fabric.ports());
        configured.cosimulate(&case, &mut runs, &mut model)?;
        let report = configured.report(&case, "h7", &runs);
        if report.ok {
            return Ok(report.cycles);
        }
        Err(report
            .problems
            .into_iter()
            .map(|p| loom_base::Diagnostic::error(loom_flow::codes::MISMATCH, p))
            .collect())
    }
}
