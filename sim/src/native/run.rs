//! A whole run: sources and sinks of the boundary protocol (contract, section 8), completion, deadlock, budgets.

use super::net::Net;
use super::wire::{FIRST, NEVER};
use super::{NativeModel, Offer};
use crate::axi::Subordinate;
use loom_adg::{ComponentId, HwError, Unit};
use loom_base::stall::{BoundaryPort, Stalls};
use loom_dfg::OpKind;

/// One token of a stimulus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputToken {
    /// Data bits; 0 for a control token.
    pub data: u64,
    /// Tag bits; 0 where untagged.
    pub tag: u64,
}

/// What the boundary does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stimulus {
    /// Tokens of each fabric input, in order.
    pub inputs: Vec<Vec<InputToken>>,
    /// How many tokens each fabric output gives in a complete run.
    pub expected: Vec<usize>,
    /// Fabric input and output: token j of the input is offered only after j tokens of the output were taken in
    /// earlier cycles. So activations of a graph that stores do not overlap.
    pub gate: Option<(usize, usize)>,
}

impl Stimulus {
    /// The tokens of a fabric input; none where no list is given.
    pub fn tokens(&self, input: usize) -> &[InputToken] {
        self.inputs.get(input).map_or(&[], Vec::as_slice)
    }

    /// How many tokens a fabric output gives; 0 where no number is given.
    pub fn expected_of(&self, output: usize) -> usize {
        self.expected.get(output).copied().unwrap_or(0)
    }

    /// Whether token `next` of an input may be offered, after these outputs.
    pub fn lets(&self, input: usize, next: usize, outputs: &[Vec<OutputToken>]) -> bool {
        match self.gate {
            Some((gated, by)) if gated == input => outputs.get(by).is_none_or(|taken| next <= taken.len()),
            _ => true,
        }
    }
}

/// Budgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Cycles before a run is given up.
    pub max_cycles: u64,
    /// Cycles after completion in which the fabric may come to rest.
    pub drain_cycles: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_cycles: 1_000_000, drain_cycles: 10_000 }
    }
}

/// A token at a fabric output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputToken {
    /// Cycle of its transfer.
    pub cycle: u64,
    /// Data bits.
    pub data: u64,
    /// Tag bits.
    pub tag: u64,
}

/// Why the clock stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Complete.
    Complete,
    /// Nothing can change any more.
    Deadlock,
    /// The cycle budget ran out.
    BudgetExhausted,
}

/// A channel with a token that does not move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingChannel {
    /// Where the token comes from.
    pub from: String,
    /// Where it wants to go.
    pub to: String,
    /// On what it waits.
    pub why: String,
}

/// What an active PE did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeActivity {
    /// The PE.
    pub component: ComponentId,
    /// Its active unit; of a body with several ops the first.
    pub op: OpKind,
    /// Firings: results for plain and steer bodies, pushes for `stream`, `carry` and `invariant`, pairs taken for
    /// `gate`.
    pub fires: u64,
    /// Cycle of the first; 0 when there was none.
    pub first: u64,
    /// Cycle of the last.
    pub last: u64,
}

impl PeActivity {
    /// Cycles from one firing to the next, on average; `None` below two firings.
    pub fn interval(&self) -> Option<f64> {
        (self.fires >= 2).then(|| (self.last - self.first) as f64 / (self.fires - 1) as f64)
    }
}

/// Everything a run tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Number of the cycle of the last boundary transfer until completion, plus one; 0 without any.
    pub cycles: u64,
    /// By fabric input: the cycle in which each token was taken.
    pub input_times: Vec<Vec<u64>>,
    /// By fabric output: its tokens. Those beyond the expected number may come after `cycles`.
    pub outputs: Vec<Vec<OutputToken>>,
    /// Number of the cycle in which the clock stopped.
    pub stopped_at: u64,
    /// Every input token was taken and every expected output token came.
    pub completed: bool,
    /// Why the clock stopped (before the drain that follows a complete run).
    pub stop: Stop,
    /// The first run-time error.
    pub error: Option<(HwError, Unit)>,
    /// What is still held, by whom, after the fabric has come to rest; tokens beyond the expected ones too.
    pub leftover: Vec<String>,
    /// Nothing in flight at the end: the hardware's `idle` would be high.
    pub idle: bool,
    /// For a run that stopped short: channels with a token that does not move.
    pub waiting: Vec<WaitingChannel>,
    /// By active PE that a token can reach or not, in flattened order.
    pub fires: Vec<PeActivity>,
}

struct Feed {
    next: usize,
    offered: bool,
}

/// Sees each cycle of a run, after its clock edge; the wires stand as they were in it.
pub(super) trait Observer {
    fn cycle(&mut self, net: &Net, cycle: u64);
}

impl Observer for () {
    #[inline]
    fn cycle(&mut self, _: &Net, _: u64) {}
}

impl NativeModel {
    /// Runs from cycle 0 (the model is reset first) until the run is complete, nothing can change, or the budget is
    /// used up; after completion on with ready sinks until nothing moves. Missing token lists are empty, expected
    /// numbers 0.
    pub fn run(&mut self, stimulus: &Stimulus, stalls: &Stalls, limits: &Limits) -> Trace {
        self.reset();
        self.with_own_memory(|model, memory| model.play(memory, stimulus, stalls, limits, &mut ()))
    }

    /// One more activation of a model that the last one left idle, without a reset and on memory that is the caller's:
    /// registers and scratchpads hold what they hold. Cycles and firings count from its beginning.
    pub fn activate(&mut self, memory: &mut dyn Subordinate, stimulus: &Stimulus, limits: &Limits) -> Trace {
        self.net.shared.cycle = 0;
        self.net.shared.activity.fill(Default::default());
        self.fresh_masters();
        self.play(memory, stimulus, &Stalls::NONE, limits, &mut ())
    }

    pub(super) fn play(
        &mut self,
        memory: &mut dyn Subordinate,
        stimulus: &Stimulus,
        stalls: &Stalls,
        limits: &Limits,
        observer: &mut impl Observer,
    ) -> Trace {
        let (ins, outs) = (self.inputs.len(), self.outputs.len());
        let tokens: Vec<&[InputToken]> = (0..ins).map(|k| stimulus.tokens(k)).collect();
        let expected: Vec<usize> = (0..outs).map(|k| stimulus.expected_of(k)).collect();
        let mut sources: Vec<Feed> = (0..ins).map(|_| Feed { next: 0, offered: false }).collect();
        let mut missing: usize =
            tokens.iter().map(|t| t.len()).sum::<usize>() + expected.iter().sum::<usize>();
        let mut trace = Trace {
            cycles: 0,
            input_times: tokens.iter().map(|t| Vec::with_capacity(t.len())).collect(),
            outputs: expected.iter().map(|&n| Vec::with_capacity(n.min(1 << 20))).collect(),
            stopped_at: 0,
            completed: false,
            stop: Stop::BudgetExhausted,
            error: None,
            leftover: Vec::new(),
            idle: false,
            waiting: Vec::new(),
            fires: Vec::new(),
        };
        let mut offers = vec![Offer::default(); ins];
        let mut sinks = vec![true; outs];
        let mut end = limits.max_cycles;
        loop {
            if missing == 0 && !trace.completed {
                trace.completed = true;
                trace.stop = Stop::Complete;
                trace.cycles = self.last_transfer(&trace);
                end = self.cycle().saturating_add(limits.drain_cycles);
            }
            let cycle = self.cycle();
            if cycle >= end {
                break;
            }
            // A source that has tokens but none offered, or a sink that stalls on a token, may still change things.
            let mut pending = false;
            for (k, source) in sources.iter_mut().enumerate() {
                let opened = stimulus.lets(k, source.next, &trace.outputs);
                if opened && source.next < tokens[k].len() && !source.offered {
                    source.offered = !stalls.stalled(BoundaryPort::Input(k), cycle);
                    pending |= !source.offered;
                }
                offers[k] = match source.offered {
                    true => Offer {
                        valid: true,
                        data: tokens[k][source.next].data,
                        tag: tokens[k][source.next].tag,
                    },
                    false => Offer::default(),
                };
            }
            for (k, ready) in sinks.iter_mut().enumerate() {
                *ready = trace.completed || !stalls.stalled(BoundaryPort::Output(k), cycle);
            }
            self.step_on(memory, &offers, &sinks);
            observer.cycle(&self.net, cycle);
            let mut moved = false;
            for (k, source) in sources.iter_mut().enumerate() {
                if source.offered && self.ports.in_ready[k] {
                    trace.input_times[k].push(cycle);
                    source.next += 1;
                    source.offered = false;
                    missing -= 1;
                    moved = true;
                }
            }
            for (k, out) in self.ports.out.iter().enumerate().filter(|(_, out)| out.valid) {
                if !sinks[k] {
                    pending = true;
                    continue;
                }
                if trace.outputs[k].len() < expected[k] {
                    missing -= 1;
                }
                trace.outputs[k].push(OutputToken { cycle, data: out.data, tag: out.tag });
                moved = true;
            }
            // An answer on its way from memory will change things.
            pending |= self.environment.masters.iter().any(|m| !m.idle());
            if !moved && !pending && !self.net.shared.changed {
                if !trace.completed {
                    trace.stop = Stop::Deadlock;
                }
                break;
            }
        }
        trace.stopped_at = self.cycle();
        if !trace.completed {
            trace.cycles = self.last_transfer(&trace);
        }
        // The wires once more as they stand, for what waits; a stalled sink is not to blame.
        for (offer, source) in offers.iter_mut().zip(&sources) {
            offer.valid &= source.offered;
        }
        self.drive(&offers, &vec![true; outs]);
        self.net.settle();
        trace.error = self.error();
        trace.leftover = self.leftover(&trace, &expected);
        trace.idle = self.is_idle();
        if !trace.completed {
            trace.waiting = self.waiting();
        }
        trace.fires = self.fires();
        trace
    }

    fn last_transfer(&self, trace: &Trace) -> u64 {
        let inputs = trace.input_times.iter().filter_map(|t| t.last().copied());
        let outputs = trace.outputs.iter().filter_map(|t| t.last().map(|t| t.cycle));
        inputs.chain(outputs).max().map_or(0, |c| c + 1)
    }

    fn fires(&self) -> Vec<PeActivity> {
        let one = |(&(component, op), a): (&(ComponentId, OpKind), &super::wire::Activity)| PeActivity {
            component,
            op,
            fires: a.fires,
            first: a.first,
            last: a.last,
        };
        self.pes.iter().zip(&self.net.shared.activity).map(one).collect()
    }

    fn is_idle(&self) -> bool {
        let inputs = self.inputs.iter().any(|&w| w != NEVER && self.net.wires[w as usize].valid);
        let channels = self.net.wires[FIRST as usize..].iter().any(|w| w.valid);
        !inputs && !channels && self.net.nodes.iter().all(|n| n.holds().is_none())
    }
}
