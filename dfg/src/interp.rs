//! The token interpreter: the golden software model of a graph.
//!
//! Each edge (value, use) is a FIFO without limit; a step picks one enabled op at random, by seed, and performs
//! one phase of it exactly as the specification describes. Guarantees: no panic for a graph that passed `verify`; the same
//! seed gives the same run; a result that depends on the seed is a bug in the graph's ops, since all of them are
//! determinate. It reports what is left over and who waits for what. It knows no time: the cycle model does; [`least_cycles`] gives each
//! token the earliest it can have.
//!
//! A `mux` of more than two inputs takes its last input when the selector is out of range. A run-time error stops
//! its unit only, which leaves the operands of the failed activation where they are; the other ops run on.
//!
//! Memory: a step of a memory node does one access of one port, or gives the response (data and done) of an
//! earlier one; responses of a port come in order, of different ports in any order. A `load` is two halves that
//! do not wait for each other: (address, control) to the memory, and data from the memory. A graph that stores
//! is run one activation after the other ([`Graph::activation_gate`]) unless told not to.

mod clock;
mod memory;
mod report;

pub use clock::Delays;
pub use memory::{Binding, Memories, Storage};
pub use report::{describe_node, Leftover, Outcome, StreamActivity, WaitingOp};

use self::clock::Clock;
use crate::eval::{eval_arith, step_index};
use crate::graph::{Graph, Node, NodeId, Use, ValueId};
use crate::op::{Class, Form, SteerOp};
use crate::profile::Said;
use crate::{Counter, Op, OpKind, Type};
use loom_base::{truncate, Rng};
use std::collections::VecDeque;

/// How to run.
#[derive(Clone, Debug)]
pub struct InterpOptions {
    /// Decides the schedule.
    pub seed: u64,
    /// Bits of `index`, 1 to 64.
    pub index_width: u32,
    /// Steps before giving up.
    pub max_steps: u64,
    /// Chance in percent (99 at most) that a memory node that is picked puts its step off: latency varies.
    pub memory_delay: u32,
    /// Ends at the first run-time error instead of letting the other ops run on.
    pub stop_at_error: bool,
    /// Offers all entry tokens at once even where activations must not overlap: results may be wrong then.
    pub overlap_activations: bool,
}

impl Default for InterpOptions {
    fn default() -> Self {
        InterpOptions {
            seed: 0,
            index_width: crate::types::DEFAULT_INDEX_WIDTH,
            max_steps: 10_000_000,
            memory_delay: 0,
            stop_at_error: false,
            overlap_activations: false,
        }
    }
}

/// Name and code of the run-time error of a stream whose step is zero.
pub const ZERO_STEP: (&str, u32) = ("RT_DATAFLOW_STREAM_ZERO_STEP", 259);
/// Name and code of the run-time error of an access outside the words bound to a memory.
pub const ADDRESS_OUT_OF_RANGE: (&str, u32) = ("RT_MEMORY_ADDRESS_OUT_OF_RANGE", 266);

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// No op can fire.
    Quiet,
    /// `max_steps` steps were done and ops could still fire.
    BudgetExhausted,
    /// An op failed; the lowest node when several did.
    RuntimeError {
        /// Name of the error.
        error: &'static str,
        /// Its number in hardware.
        code: u32,
        /// Who.
        node: NodeId,
    },
}

/// Where a state machine stands. Ops of other classes stay `First`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    First,
    /// `stream`: emitting; `last` after an update that left the range.
    Active {
        index: u64,
        step: u64,
        bound: u64,
        last: bool,
    },
    /// `gate`: the body has started.
    Body,
    /// `carry`: waits for `d`.
    Condition,
    /// `carry`: waits for `b`.
    Feedback,
    /// `invariant`: waits for `d`.
    Replay(u64),
    /// A run-time error happened: its name and code.
    Failed((&'static str, u32)),
}

impl Phase {
    /// The operands that a carry or invariant, with its branch or without, takes next.
    fn operands(self, kind: OpKind) -> Option<&'static [usize]> {
        Some(match (kind, self) {
            (OpKind::Carry | OpKind::Invariant, Phase::First) => &[1],
            (OpKind::Carry, Phase::Feedback) => &[2],
            (OpKind::CarryBr, Phase::Feedback) => &[0, 2],
            (OpKind::CarryBr | OpKind::InvariantBr, Phase::First) => &[0, 1],
            (OpKind::Carry | OpKind::Invariant | OpKind::InvariantBr, _) => &[0],
            _ => return None,
        })
    }
}

struct Machine<'g> {
    graph: &'g Graph,
    index_width: u32,
    /// `queues[node][operand]`
    queues: Vec<Vec<VecDeque<u64>>>,
    uses: Vec<Vec<Use>>,
    phases: Vec<Phase>,
    enabled: Vec<NodeId>,
    is_enabled: Vec<bool>,
    outputs: Vec<Vec<u64>>,
    firings: Vec<u64>,
    /// By value: what it said, of a condition.
    said: Vec<Said>,
    /// By node: activations that a state machine began.
    activations: Vec<u64>,
    streams: Vec<StreamActivity>,
    stream_of: Vec<usize>,
    /// Memory nodes' state, and which of them belongs to a node.
    units: Vec<memory::Unit>,
    unit_of: Vec<usize>,
    memories: &'g mut dyn Storage,
    memory_delay: usize,
    /// Whether an op has failed.
    failed: bool,
    rng: Rng,
    /// Entry tokens that wait for the return token of the activation before.
    gate: Option<Gate>,
    /// Earliest times, for each list of delays that somebody asks about.
    clocks: Vec<Clock<'g>>,
}

/// Keeps activations apart.
struct Gate {
    argument: ValueId,
    output: usize,
    waiting: VecDeque<u64>,
    /// Return tokens seen and not yet answered with the next entry token.
    returned: usize,
}

/// Runs `graph` on `inputs`, one list of tokens for each argument (a missing list is empty), until nothing can
/// fire. Values are masked to their type's width.
///
/// ```
/// use loom_base::Source;
/// let text = "handshake.func @inc(%a: i32, %b: i32) -> (i32) {
///   %r = arith.addi %a, %b : i32
///   return %r : i32
/// }";
/// let graph = loom_dfg::parse(&Source::new("inc.dfg.mlir", text)).unwrap();
/// let outcome = loom_dfg::interp::run(&graph, &[vec![1, 2], vec![10, 20]], &Default::default());
/// assert_eq!(outcome.outputs, [[11, 22]]);
/// assert!(outcome.is_complete());
/// ```
pub fn run(graph: &Graph, inputs: &[Vec<u64>], options: &InterpOptions) -> Outcome {
    run_with_memories(graph, inputs, &mut Memories::new(graph, Vec::new()), options)
}

/// Like [`run`], with words behind the memories; they hold what the run left there afterwards.
pub fn run_with_memories(
    graph: &Graph,
    inputs: &[Vec<u64>],
    memories: &mut dyn Storage,
    options: &InterpOptions,
) -> Outcome {
    let mut machine = Machine::new(graph, inputs, memories, options, Vec::new());
    machine.run(inputs, options);
    machine.outcome()
}

/// The same, with lower bounds on its cycles, from the first to the last result: one for each of `delays`, on any circuit whose units and
/// ways take at least as long as that says, with inputs that never stall. Of a run that is not complete nothing is said.
pub fn least_cycles(
    graph: &Graph,
    inputs: &[Vec<u64>],
    memories: &mut dyn Storage,
    options: &InterpOptions,
    delays: &[Delays],
) -> (Outcome, Option<Vec<u64>>) {
    let clocks = delays.iter().map(|d| Clock::new(graph, d)).collect();
    let mut machine = Machine::new(graph, inputs, memories, options, clocks);
    machine.run(inputs, options);
    let cycles = machine.clocks.iter().map(Clock::cycles).collect();
    let outcome = machine.outcome();
    let is_complete = outcome.is_complete();
    (outcome, is_complete.then_some(cycles))
}

impl<'g> Machine<'g> {
    fn new(
        graph: &'g Graph,
        inputs: &[Vec<u64>],
        memories: &'g mut dyn Storage,
        options: &InterpOptions,
        clocks: Vec<Clock<'g>>,
    ) -> Machine<'g> {
        let count = graph.nodes.len();
        let mut stream_of = vec![usize::MAX; count];
        let mut streams = Vec::new();
        for node in graph.node_ids().filter(|&n| matches!(graph.kind(n), OpKind::Stream(_))) {
            stream_of[node.0 as usize] = streams.len();
            streams.push(StreamActivity { node, activations: 0, true_pairs: 0, pairs: 0 });
        }
        let mut unit_of = vec![usize::MAX; count];
        let mut units = Vec::new();
        for (id, node, ports) in graph.memory_nodes() {
            unit_of[node.0 as usize] = units.len();
            units.push(memory::Unit::new(id, ports));
        }
        let gate = graph.activation_gate().filter(|_| !options.overlap_activations);
        let gate = gate.map(|(argument, output)| Gate {
            argument: graph.arguments[argument],
            output,
            waiting: inputs.get(argument).into_iter().flatten().copied().collect(),
            returned: 1,
        });
        Machine {
            graph,
            index_width: options.index_width,
            queues: graph.nodes.iter().map(|n| queues(graph, n, options.index_width)).collect(),
            uses: graph.uses(),
            phases: vec![Phase::First; count],
            enabled: Vec::new(),
            is_enabled: vec![false; count],
            outputs: vec![Vec::new(); graph.outputs.len()],
            firings: vec![0; count],
            said: vec![Said::default(); graph.values.len()],
            activations: vec![0; count],
            streams,
            stream_of,
            units,
            unit_of,
            memories,
            memory_delay: options.memory_delay.min(99) as usize,
            failed: false,
            rng: Rng::new(options.seed),
            gate,
            clocks,
        }
    }

    /// Until nothing can fire.
    fn run(&mut self, inputs: &[Vec<u64>], options: &InterpOptions) {
        for (&argument, tokens) in self.graph.arguments.iter().zip(inputs) {
            if self.gate.as_ref().is_some_and(|g| g.argument == argument) {
                continue;
            }
            for &token in tokens {
                for clock in &mut self.clocks {
                    clock.begin(None);
                }
                self.emit(argument, token);
            }
        }
        self.offer_entry();
        let mut steps = 0;
        while !self.enabled.is_empty() && steps < options.max_steps {
            if options.stop_at_error && self.failed {
                break;
            }
            let at = self.rng.below(self.enabled.len());
            let node = self.enabled.swap_remove(at);
            self.is_enabled[node.0 as usize] = false;
            let machine = (self.graph.kind(node).class() == Class::State).then_some(node.0 as usize);
            for clock in &mut self.clocks {
                clock.begin(machine);
            }
            if machine.is_some() && self.phases[node.0 as usize] == Phase::First {
                self.activations[node.0 as usize] += 1;
            }
            self.step(node);
            if let Some(machine) = machine {
                self.clocks.iter_mut().for_each(|clock| clock.end(machine));
            }
            self.consider(node);
            self.offer_entry();
            steps += 1;
        }
    }
}

/// The queues of a node's operands: that of an immediate holds it for ever, the others are empty.
fn queues(graph: &Graph, node: &Node, index_width: u32) -> Vec<VecDeque<u64>> {
    let queue = |v: &ValueId| {
        let width = graph.value(*v).ty.width(index_width);
        graph.literal(*v).map(|bits| truncate(bits, width)).into_iter().collect()
    };
    node.operands.iter().map(queue).collect()
}

impl Machine<'_> {
    fn width(&self, ty: Type) -> u32 {
        ty.width(self.index_width)
    }

    fn emit(&mut self, value: ValueId, token: u64) {
        let ty = self.graph.value(value).ty;
        let token = truncate(token, self.width(ty));
        if ty == Type::I1 {
            let Said { no, yes } = &mut self.said[value.0 as usize];
            *(if token == 0 { no } else { yes }) += 1;
        }
        for clock in &mut self.clocks {
            let gate = self.gate.as_ref().map(|g| g.output);
            clock.emit(value, &self.uses[value.0 as usize], gate);
        }
        for k in 0..self.uses[value.0 as usize].len() {
            match self.uses[value.0 as usize][k] {
                Use::Operand { node, operand } => {
                    let queue = &mut self.queues[node.0 as usize][operand];
                    queue.push_back(token);
                    // Only a token into an empty queue can enable its consumer.
                    if queue.len() == 1 {
                        self.consider(node);
                    }
                }
                Use::Output(k) => {
                    self.outputs[k].push(token);
                    if let Some(gate) = self.gate.as_mut().filter(|g| g.output == k) {
                        gate.returned += 1;
                    }
                }
            }
        }
    }

    /// One entry token for the start, and one for each return token since.
    fn offer_entry(&mut self) {
        while let Some(gate) = self.gate.as_mut().filter(|g| g.returned > 0) {
            let Some(token) = gate.waiting.pop_front() else { return };
            gate.returned -= 1;
            let argument = gate.argument;
            for clock in &mut self.clocks {
                clock.enter();
            }
            self.emit(argument, token);
        }
    }

    fn consider(&mut self, node: NodeId) {
        let n = node.0 as usize;
        if !self.is_enabled[n] && self.can_fire(node) {
            self.is_enabled[n] = true;
            self.enabled.push(node);
        }
    }

    /// Operands the current phase needs.
    fn needs(&self, node: NodeId) -> Vec<usize> {
        let n = node.0 as usize;
        if let Some(operands) = self.phases[n].operands(self.graph.kind(node)) {
            return operands.to_vec();
        }
        match (self.graph.kind(node), self.phases[n]) {
            (_, Phase::Active { .. } | Phase::Failed(_)) => Vec::new(),
            (OpKind::Mux(_), _) => match self.queues[n][0].front() {
                None => vec![0],
                Some(&selector) => vec![0, self.chosen(n, selector)],
            },
            // Its other half needs nothing else than the data, and so never holds anything.
            (OpKind::Load, _) => vec![0, 2],
            (OpKind::Memory(ports) | OpKind::Extmemory(ports), _) => {
                memory::half_stores(ports, &self.queues[n])
            }
            _ => (0..self.queues[n].len()).collect(),
        }
    }

    /// The operand a mux takes.
    fn chosen(&self, n: usize, selector: u64) -> usize {
        let last = self.queues[n].len().saturating_sub(1);
        usize::try_from(selector).unwrap_or(last).saturating_add(1).min(last)
    }

    fn can_fire(&self, node: NodeId) -> bool {
        let n = node.0 as usize;
        let queues = &self.queues[n];
        let has = |i: usize| queues.get(i).is_some_and(|q| !q.is_empty());
        if let Some(operands) = self.phases[n].operands(self.graph.kind(node)) {
            return operands.iter().all(|&i| has(i));
        }
        match (self.graph.kind(node), self.phases[n]) {
            (_, Phase::Failed(_)) => false,
            (_, Phase::Active { .. }) => true,
            (OpKind::Mux(_), _) => queues[0].front().is_some_and(|&s| has(self.chosen(n, s))),
            (OpKind::Load, _) => has(1) || (has(0) && has(2)),
            (OpKind::Memory(_) | OpKind::Extmemory(_), _) => {
                self.units.get(self.unit_of[n]).is_some_and(|u| u.can_step(queues))
            }
            _ => queues.iter().all(|q| !q.is_empty()),
        }
    }

    /// Stops a unit for good.
    fn fail(&mut self, n: usize, error: (&'static str, u32)) {
        self.phases[n] = Phase::Failed(error);
        self.failed = true;
    }

    fn take(&mut self, node: NodeId, operand: usize) -> u64 {
        if self.is_immediate(node, operand) {
            return self.queues[node.0 as usize][operand].front().copied().unwrap_or(0);
        }
        for clock in &mut self.clocks {
            clock.take(node.0 as usize, operand);
        }
        self.queues[node.0 as usize][operand].pop_front().unwrap_or(0)
    }

    fn is_immediate(&self, node: NodeId, operand: usize) -> bool {
        self.graph.literal(self.graph.node(node).operands[operand]).is_some()
    }

    /// One phase of an op that can fire.
    fn step(&mut self, node: NodeId) {
        let n = node.0 as usize;
        let op = self.graph.node(node).op;
        let result = |r: usize| self.graph.result(node, r);
        let phase = self.phases[n];
        match op.kind() {
            OpKind::Stream(counter) => self.step_stream(node, counter),
            OpKind::Gate => {
                let (value, condition) = (self.take(node, 0), self.take(node, 1));
                let started = phase == Phase::Body;
                self.firings[n] += 1;
                self.phases[n] = if condition == 1 { Phase::Body } else { Phase::First };
                if condition == 1 {
                    self.emit(result(0), value);
                }
                if started {
                    self.emit(result(1), condition);
                }
            }
            OpKind::Carry => match phase {
                Phase::Condition => {
                    let go_on = self.take(node, 0) == 1;
                    self.phases[n] = if go_on { Phase::Feedback } else { Phase::First };
                }
                _ => {
                    let operand = if phase == Phase::Feedback { 2 } else { 1 };
                    let value = self.take(node, operand);
                    self.phases[n] = Phase::Condition;
                    self.firings[n] += 1;
                    self.emit(result(0), value);
                }
            },
            OpKind::Invariant => match phase {
                Phase::Replay(value) => {
                    if self.take(node, 0) == 1 {
                        self.firings[n] += 1;
                        self.emit(result(0), value);
                    } else {
                        self.phases[n] = Phase::First;
                    }
                }
                _ => {
                    let value = self.take(node, 1);
                    self.phases[n] = Phase::Replay(value);
                    self.firings[n] += 1;
                    self.emit(result(0), value);
                }
            },
            OpKind::CarryBr => {
                let go_on = self.take(node, 0) == 1;
                let value = self.take(node, if phase == Phase::Feedback { 2 } else { 1 });
                self.phases[n] = if go_on { Phase::Feedback } else { Phase::First };
                self.firings[n] += 1;
                self.emit(result(usize::from(!go_on)), value);
            }
            OpKind::InvariantBr => {
                let go_on = self.take(node, 0) == 1;
                let value = match phase {
                    Phase::Replay(value) => value,
                    _ => self.take(node, 1),
                };
                self.phases[n] = if go_on { Phase::Replay(value) } else { Phase::First };
                self.firings[n] += 1;
                self.emit(result(usize::from(!go_on)), value);
            }
            OpKind::Mux(_) => {
                let selector = self.take(node, 0);
                let value = self.take(node, self.chosen(n, selector));
                self.firings[n] += 1;
                self.emit(result(0), value);
            }
            OpKind::Load => self.step_load(node),
            OpKind::Store => self.step_store(node),
            OpKind::Memory(_) | OpKind::Extmemory(_) => self.step_memory(node),
            _ => self.step_at_once(node, op),
        }
    }

    /// An op that takes all its operands and gives a token on one result or on all.
    fn step_at_once(&mut self, node: NodeId, op: Op) {
        let n = node.0 as usize;
        let operands: Vec<u64> = (0..self.queues[n].len()).map(|i| self.take(node, i)).collect();
        self.firings[n] += 1;
        match (op.kind().form(), op) {
            (Form::Steer(SteerOp::CondBr), _) => {
                let side = if operands[0] == 1 { 0 } else { 1 };
                self.emit(self.graph.result(node, side), operands[1]);
            }
            (_, Op::Constant(bits)) => self.emit(self.graph.result(node, 0), bits),
            (Form::Steer(SteerOp::Join(_)), _) => self.emit(self.graph.result(node, 0), 0),
            _ => {
                let record = self.graph.node(node);
                let types: Vec<Type> = record.operands.iter().map(|&v| self.graph.value(v).ty).collect();
                let result = self.graph.result(node, 0);
                let ty = self.graph.value(result).ty;
                self.emit(result, eval_arith(op, &types, ty, self.index_width, &operands));
            }
        }
    }

    fn step_stream(&mut self, node: NodeId, counter: Counter) {
        let n = node.0 as usize;
        let Phase::Active { index, step, bound, last } = self.phases[n] else {
            if self.queues[n][1].front() == Some(&0) {
                self.fail(n, ZERO_STEP);
                return;
            }
            let (index, step, bound) = (self.take(node, 0), self.take(node, 1), self.take(node, 2));
            self.streams[self.stream_of[n]].activations += 1;
            for clock in &mut self.clocks {
                clock.start(OpKind::Stream(counter).start_cycles());
            }
            self.phases[n] = Phase::Active { index, step, bound, last: false };
            return;
        };
        let width = self.index_width;
        let holds = match self.graph.node(node).op {
            Op::Stream(_, cond) => counter.goes_on(cond, width, index, bound),
            _ => false,
        };
        let go_on = holds && !last;
        self.phases[n] = if go_on {
            let (index, last) = step_index(counter, width, index, step);
            Phase::Active { index, step, bound, last }
        } else {
            Phase::First
        };
        let activity = &mut self.streams[self.stream_of[n]];
        activity.pairs += 1;
        activity.true_pairs += u64::from(go_on);
        self.firings[n] += 1;
        self.emit(self.graph.result(node, 0), index);
        self.emit(self.graph.result(node, 1), u64::from(go_on));
    }
}
