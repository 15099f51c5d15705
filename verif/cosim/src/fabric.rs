//! Drives a fabric's Verilog: loads the bitstream, then plays the boundary of `docs/hardware.md` section 8 and the
//! memory of section 10.
//!
//! Guarantees: one run is one clock count from cycle 0 on; ports and memory are those the native model sees. Refuses
//! nothing: what the fabric did is in the trace, to be compared.

mod memory;

use crate::model::{Built, Model};
use loom_adg::fabric::StreamPort;
use loom_adg::{HwError, Image, OuterPorts};
use loom_base::stall::{BoundaryPort, Stalls};
use loom_sim::axi::Subordinate;
use loom_sim::{Limits, OutputToken, Stimulus};
use memory::MemoryPorts;
use std::path::Path;
use std::sync::Arc;

/// Cycles a load may take beyond two a word (one to send it, one for its slice to settle) before it counts as hung.
const LOAD_SLACK: u64 = 10_000;

/// What the Verilog did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerilogTrace {
    /// Number of the cycle of the last boundary transfer until completion, plus one; 0 without any.
    pub cycles: u64,
    /// By fabric input: the cycle in which each token was taken.
    pub input_times: Vec<Vec<u64>>,
    /// By fabric output: its tokens.
    pub outputs: Vec<Vec<OutputToken>>,
    /// Every input token was taken and every expected output token came.
    pub completed: bool,
    /// `idle` was high at the end.
    pub idle: bool,
    /// `error_code` and `error_unit` at the end, when `error_valid`; the code may be one the table does not have.
    pub error: Option<(u16, u16)>,
    /// The first rule of AXI that the fabric broke since the last run, with port and cycle.
    pub broken_rule: Option<String>,
}

impl VerilogTrace {
    /// The error as the table knows it.
    pub fn hw_error(&self) -> Option<HwError> {
        self.error.and_then(|(code, _)| HwError::from_code(code))
    }
}

/// Port numbers of one channel.
struct Channel {
    valid: u32,
    ready: u32,
    data: Option<u32>,
    tag: Option<u32>,
}

/// A fabric under Verilator.
pub struct FabricModel {
    model: Model,
    clk: u32,
    rst_n: u32,
    cfg: [u32; 5],
    error: [u32; 3],
    idle: u32,
    inputs: Vec<Channel>,
    outputs: Vec<Channel>,
    ports: MemoryPorts,
    time: u64,
    tracing: bool,
}

/// How a load ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// `cfg_done` rose: the next cycle to run is cycle 0.
    Done,
    /// The fabric refused: code and unit.
    Error(u16, u16),
    /// Neither happened in time.
    Hung,
}

impl FabricModel {
    /// A fresh instance of a design with these ports beside those that every fabric has, after reset.
    pub fn new(built: &Arc<Built>, ports: &OuterPorts) -> FabricModel {
        FabricModel::of(built.instance(), ports)
    }

    /// The same, but every register and memory begins as 0, scratchpads among them.
    pub fn zeroed(built: &Arc<Built>, ports: &OuterPorts) -> FabricModel {
        FabricModel::of(built.zeroed(), ports)
    }

    fn of(model: Model, ports: &OuterPorts) -> FabricModel {
        let channel = |StreamPort { signal, .. }: &StreamPort| Channel {
            valid: model.port(&format!("{signal}_valid")),
            ready: model.port(&format!("{signal}_ready")),
            data: model.find(&format!("{signal}_data")),
            tag: model.find(&format!("{signal}_tag")),
        };
        let p = |name: &str| model.port(name);
        let mut fabric = FabricModel {
            clk: p("clk"),
            rst_n: p("rst_n"),
            cfg: [p("cfg_valid"), p("cfg_ready"), p("cfg_data"), p("cfg_last"), p("cfg_done")],
            error: [p("error_valid"), p("error_code"), p("error_unit")],
            idle: p("idle"),
            inputs: ports.inputs.iter().map(channel).collect(),
            outputs: ports.outputs.iter().map(channel).collect(),
            ports: MemoryPorts::new(&model, ports),
            time: 0,
            tracing: false,
            model,
        };
        fabric.reset();
        fabric
    }

    /// Writes waves from now on; the design must be built with tracing. `last_words` as in [`Model::trace_open`].
    pub fn trace(&mut self, path: &Path, last_words: &str) {
        self.model.trace_open(path, last_words);
        self.tracing = true;
    }

    /// Ends the waves; whether all of them were written.
    pub fn end_trace(&mut self) -> bool {
        !std::mem::take(&mut self.tracing) || self.model.trace_close()
    }

    /// Sets an input that no fabric has of itself. Panics when the top has none of that name.
    pub fn set(&mut self, port: &str, value: u64) {
        self.model.set(self.model.port(port), value);
    }

    /// Two cycles of reset with quiet inputs.
    pub fn reset(&mut self) {
        self.model.set(self.clk, 0);
        self.model.set(self.rst_n, 0);
        self.quiet();
        for _ in 0..2 {
            self.settle();
            self.edge();
        }
        self.model.set(self.rst_n, 1);
        self.settle();
    }

    fn quiet(&mut self) {
        self.model.set(self.cfg[0], 0);
        self.model.set(self.cfg[2], 0);
        self.model.set(self.cfg[3], 0);
        for channel in &self.inputs {
            self.model.set(channel.valid, 0);
        }
        for channel in &self.outputs {
            self.model.set(channel.ready, 0);
        }
        self.ports.quiet(&mut self.model);
    }

    fn settle(&mut self) {
        self.model.eval();
    }

    /// The rest of a cycle: rising edge, falling edge.
    fn edge(&mut self) {
        if self.tracing {
            self.model.trace_dump(self.time);
        }
        self.model.set(self.clk, 1);
        self.model.eval();
        if self.tracing {
            self.model.trace_dump(self.time + 5);
        }
        self.model.set(self.clk, 0);
        self.model.eval();
        self.time += 10;
    }

    fn error(&self) -> Option<(u16, u16)> {
        (self.model.get(self.error[0]) == 1)
            .then(|| (self.model.get(self.error[1]) as u16, self.model.get(self.error[2]) as u16))
    }

    /// Sends words, `cfg_last` with the last one.
    pub fn load(&mut self, image: &Image) -> Loaded {
        let last = image.words.len().saturating_sub(1);
        self.load_words(&image.words, last)
    }

    /// Sends words, `cfg_last` with the one of that index: for wrong lengths.
    pub fn load_words(&mut self, words: &[u32], last: usize) -> Loaded {
        self.quiet();
        let mut next = 0;
        for _ in 0..2 * words.len() as u64 + LOAD_SLACK {
            let more = next < words.len();
            self.model.set(self.cfg[0], u64::from(more));
            self.model.set(self.cfg[2], if more { u64::from(words[next]) } else { 0 });
            self.model.set(self.cfg[3], u64::from(more && next == last));
            self.settle();
            if !more {
                if let Some((code, unit)) = self.error() {
                    return Loaded::Error(code, unit);
                }
                if self.model.get(self.cfg[4]) == 1 {
                    return Loaded::Done;
                }
            }
            if self.model.get(self.cfg[4]) == 0 {
                self.ports.expect_silence(&self.model);
            }
            let taken = more && self.model.get(self.cfg[1]) == 1;
            self.edge();
            next += usize::from(taken);
        }
        Loaded::Hung
    }

    /// Runs from cycle 0 until complete and idle, or the budget is used up.
    pub fn run(&mut self, stimulus: &Stimulus, stalls: &Stalls, limits: &Limits) -> VerilogTrace {
        let mut memory = self.ports.own();
        let trace = self.play(&mut memory, stimulus, stalls, limits, u64::MAX);
        self.ports.keep(memory);
        trace
    }

    /// One more activation of a fabric that the last one left idle, on memory that is the caller's. After a run-time
    /// error it ends as soon as a complete run would.
    pub fn activate(
        &mut self,
        memory: &mut dyn Subordinate,
        stimulus: &Stimulus,
        limits: &Limits,
    ) -> VerilogTrace {
        self.play(memory, stimulus, &Stalls::NONE, limits, limits.drain_cycles)
    }

    /// `after_error`: cycles that are run after a run-time error at most.
    fn play(
        &mut self,
        memory: &mut dyn Subordinate,
        stimulus: &Stimulus,
        stalls: &Stalls,
        limits: &Limits,
        after_error: u64,
    ) -> VerilogTrace {
        let (ins, outs) = (self.inputs.len(), self.outputs.len());
        let tokens = |k: usize| stimulus.tokens(k);
        let expected: Vec<usize> = (0..outs).map(|k| stimulus.expected_of(k)).collect();
        let mut missing: usize =
            (0..ins).map(|k| tokens(k).len()).sum::<usize>() + expected.iter().sum::<usize>();
        let mut next = vec![0; ins];
        let mut offered = vec![false; ins];
        let mut trace = VerilogTrace {
            input_times: vec![Vec::new(); ins],
            outputs: vec![Vec::new(); outs],
            ..VerilogTrace::default()
        };
        let mut end = limits.max_cycles;
        let mut cycle = 0u64;
        self.ports.begin();
        loop {
            if missing == 0 && !trace.completed {
                trace.completed = true;
                trace.cycles = last_transfer(&trace);
                end = cycle.saturating_add(limits.drain_cycles);
            }
            if cycle >= end {
                break;
            }
            for k in 0..ins {
                let more = next[k] < tokens(k).len();
                let open = stimulus.lets(k, next[k], &trace.outputs);
                if more && open && !offered[k] {
                    offered[k] = !stalls.stalled(BoundaryPort::Input(k), cycle);
                }
                self.model.set(self.inputs[k].valid, u64::from(offered[k]));
                if offered[k] {
                    let value = tokens(k)[next[k]];
                    if let Some(port) = self.inputs[k].data {
                        self.model.set(port, value.data);
                    }
                    if let Some(port) = self.inputs[k].tag {
                        self.model.set(port, value.tag);
                    }
                }
            }
            let mut ready = vec![true; outs];
            for (k, ready) in ready.iter_mut().enumerate() {
                *ready = trace.completed || !stalls.stalled(BoundaryPort::Output(k), cycle);
                self.model.set(self.outputs[k].ready, u64::from(*ready));
            }
            self.ports.drive(&mut self.model, cycle);
            self.settle();
            self.ports.clock(memory, &self.model, cycle);
            for k in 0..ins {
                if offered[k] && self.model.get(self.inputs[k].ready) == 1 {
                    trace.input_times[k].push(cycle);
                    next[k] += 1;
                    offered[k] = false;
                    missing -= 1;
                }
            }
            for k in 0..outs {
                if ready[k] && self.model.get(self.outputs[k].valid) == 1 {
                    if trace.outputs[k].len() < expected[k] {
                        missing -= 1;
                    }
                    let read = |port: Option<u32>| port.map_or(0, |p| self.model.get(p));
                    let token = OutputToken {
                        cycle,
                        data: read(self.outputs[k].data),
                        tag: read(self.outputs[k].tag),
                    };
                    trace.outputs[k].push(token);
                }
            }
            if after_error < u64::MAX && self.model.get(self.error[0]) == 1 {
                end = end.min(cycle.saturating_add(after_error));
            }
            // `idle` of this cycle: after completion it ends the run.
            let resting = trace.completed && self.model.get(self.idle) == 1;
            self.edge();
            cycle += 1;
            if resting {
                break;
            }
        }
        if !trace.completed {
            trace.cycles = last_transfer(&trace);
        }
        self.quiet();
        self.settle();
        trace.idle = self.model.get(self.idle) == 1;
        trace.error = self.error();
        trace.broken_rule = self.ports.take_broken();
        trace
    }
}

impl Drop for FabricModel {
    fn drop(&mut self) {
        self.end_trace();
    }
}

fn last_transfer(trace: &VerilogTrace) -> u64 {
    let inputs = trace.input_times.iter().filter_map(|t| t.last().copied());
    let outputs = trace.outputs.iter().filter_map(|t| t.last().map(|t| t.cycle));
    inputs.chain(outputs).max().map_or(0, |c| c + 1)
}
