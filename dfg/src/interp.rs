//! The token interpreter: the golden software model of a graph.
//!
//! Each edge (value, use) is a FIFO without limit; a step picks one enabled op at random, by seed, and performs
//! one phase of it exactly as the seeds describe. Guarantees: no panic for a graph that passed `verify`; the same
//! seed gives the same run; a result that depends on the seed is a bug in the graph's ops, since all of them are
//! determinate. It reports what is left over and who waits for what. It knows no time: the cycle model does.
//!
//! A `mux` of more than two inputs takes its last input when the selector is out of range. A run-time error stops
//! its unit only, which leaves the operands of the failed activation where they are; the other ops run on.

use crate::eval::{eval_arith, step_index};
use crate::graph::{Graph, NodeId, Use, ValueId};
use crate::{Op, OpKind, StepOp, Type};
use loom_base::{sign_extend, truncate, Rng};
use std::collections::VecDeque;

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Decides the schedule.
    pub seed: u64,
    /// Bits of `index`, 1 to 64.
    pub index_width: u32,
    /// Steps before giving up.
    pub max_steps: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { seed: 0, index_width: crate::types::DEFAULT_INDEX_WIDTH, max_steps: 10_000_000 }
    }
}

/// Name and code of the only run-time error of these ops.
pub const ZERO_STEP: (&str, u32) = ("RT_DATAFLOW_STREAM_ZERO_STEP", 259);

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
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

/// Something that should not be there after completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// Tokens on an edge.
    Tokens {
        /// The value.
        value: ValueId,
        /// The edge's consumer.
        to: Use,
        /// How many.
        count: usize,
    },
    /// A state machine that is not in its first phase.
    State {
        /// Who.
        node: NodeId,
        /// In which phase.
        phase: &'static str,
    },
}

impl Leftover {
    /// One line for a person.
    pub fn describe(&self, graph: &Graph) -> String {
        match *self {
            Leftover::Tokens { value, to, count } => {
                let tokens = if count == 1 { "token" } else { "tokens" };
                format!("{count} {tokens} of `%{}` to {}", graph.value(value).name, describe_use(graph, to))
            }
            Leftover::State { node, phase } => {
                format!("{} is still in phase `{phase}`", describe_node(graph, node))
            }
        }
    }
}

/// An op that holds some of the operands its phase needs, but not all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Who.
    pub node: NodeId,
    /// Operands with tokens.
    pub has: Vec<usize>,
    /// Operands its phase needs that are empty.
    pub needs: Vec<usize>,
}

impl Waiting {
    /// One line for a person.
    pub fn describe(&self, graph: &Graph) -> String {
        let kind = graph.kind(self.node);
        let names = |list: &[usize]| {
            let one = |&i: &usize| {
                format!("{} `%{}`", kind.operand_name(i), graph.value(graph.node(self.node).operands[i]).name)
            };
            list.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        format!(
            "{} holds {} and waits for {}",
            describe_node(graph, self.node),
            names(&self.has),
            names(&self.needs)
        )
    }
}

/// What a `dataflow.stream` did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamActivity {
    /// Who.
    pub node: NodeId,
    /// Activations begun.
    pub activations: u64,
    /// Pairs with a true condition: iterations.
    pub true_pairs: u64,
    /// All pairs.
    pub pairs: u64,
}

/// Everything a run tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Tokens of each output, in order.
    pub outputs: Vec<Vec<u64>>,
    /// For each node: firings; for `stream` pairs given, for `gate` pairs taken, for `carry` and `invariant`
    /// tokens given (hardware takes a false condition together with the next seed). So it is also the least
    /// number of cycles the node needs at one token a cycle.
    pub firings: Vec<u64>,
    /// One for each stream, in node order.
    pub stream_activations: Vec<StreamActivity>,
    /// Empty after a complete run.
    pub leftover: Vec<Leftover>,
    /// Why it ended.
    pub stop: Stop,
    /// Who waits; empty after a complete run.
    pub waiting: Vec<Waiting>,
}

impl Outcome {
    /// Ended by itself, without error, with nothing left over.
    pub fn is_complete(&self) -> bool {
        self.stop == Stop::Quiet && self.leftover.is_empty()
    }

    /// Iterations of the busiest stream; 0 without streams.
    pub fn iterations(&self) -> u64 {
        self.stream_activations.iter().map(|s| s.true_pairs).max().unwrap_or(0)
    }
}

/// `` `%acc` (dataflow.carry) ``
pub fn describe_node(graph: &Graph, node: NodeId) -> String {
    let record = graph.node(node);
    let name = record.results.first().map_or("", |&r| graph.value(r).name.as_str());
    format!("`%{name}` ({})", record.op.kind().mnemonic())
}

fn describe_use(graph: &Graph, to: Use) -> String {
    match to {
        Use::Operand { node, operand } => {
            format!("{} of {}", graph.kind(node).operand_name(operand), describe_node(graph, node))
        }
        Use::Output(k) => format!("output `{}`", graph.outputs[k].name),
    }
}

/// Where a state machine stands. Ops of other classes stay `First`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    First,
    /// `stream`: emitting; `last` after an update that left the signed range.
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
    /// A run-time error happened.
    Failed,
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
    streams: Vec<StreamActivity>,
    stream_of: Vec<usize>,
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
pub fn run(graph: &Graph, inputs: &[Vec<u64>], options: &Options) -> Outcome {
    let count = graph.nodes.len();
    let mut stream_of = vec![usize::MAX; count];
    let mut streams = Vec::new();
    for node in graph.node_ids().filter(|&n| matches!(graph.kind(n), OpKind::Stream(_))) {
        stream_of[node.0 as usize] = streams.len();
        streams.push(StreamActivity { node, activations: 0, true_pairs: 0, pairs: 0 });
    }
    let mut machine = Machine {
        graph,
        index_width: options.index_width,
        queues: graph.nodes.iter().map(|n| vec![VecDeque::new(); n.operands.len()]).collect(),
        uses: graph.uses(),
        phases: vec![Phase::First; count],
        enabled: Vec::new(),
        is_enabled: vec![false; count],
        outputs: vec![Vec::new(); graph.outputs.len()],
        firings: vec![0; count],
        streams,
        stream_of,
    };
    for (&argument, tokens) in graph.arguments.iter().zip(inputs) {
        for &token in tokens {
            machine.emit(argument, token);
        }
    }
    let mut rng = Rng::new(options.seed);
    let mut steps = 0;
    while !machine.enabled.is_empty() && steps < options.max_steps {
        let at = rng.below(machine.enabled.len());
        let node = machine.enabled.swap_remove(at);
        machine.is_enabled[node.0 as usize] = false;
        machine.step(node);
        machine.consider(node);
        steps += 1;
    }
    machine.outcome()
}

impl Machine<'_> {
    fn width(&self, ty: Type) -> u32 {
        ty.width(self.index_width)
    }

    fn emit(&mut self, value: ValueId, token: u64) {
        let token = truncate(token, self.width(self.graph.value(value).ty));
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
                Use::Output(k) => self.outputs[k].push(token),
            }
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
        match (self.graph.kind(node), self.phases[n]) {
            (_, Phase::Active { .. } | Phase::Failed) => Vec::new(),
            (OpKind::Carry | OpKind::Invariant, Phase::First) => vec![1],
            (OpKind::Carry, Phase::Feedback) => vec![2],
            (OpKind::Carry | OpKind::Invariant, _) => vec![0],
            (OpKind::Mux(_), _) => match self.queues[n][0].front() {
                None => vec![0],
                Some(&selector) => vec![0, self.chosen(n, selector)],
            },
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
        match (self.graph.kind(node), self.phases[n]) {
            (_, Phase::Failed) => false,
            (_, Phase::Active { .. }) => true,
            (OpKind::Carry | OpKind::Invariant, Phase::First) => has(1),
            (OpKind::Carry, Phase::Feedback) => has(2),
            (OpKind::Carry | OpKind::Invariant, _) => has(0),
            (OpKind::Mux(_), _) => queues[0].front().is_some_and(|&s| has(self.chosen(n, s))),
            _ => queues.iter().all(|q| !q.is_empty()),
        }
    }

    fn take(&mut self, node: NodeId, operand: usize) -> u64 {
        self.queues[node.0 as usize][operand].pop_front().unwrap_or(0)
    }

    /// One phase of an op that can fire.
    fn step(&mut self, node: NodeId) {
        let n = node.0 as usize;
        let op = self.graph.node(node).op;
        let result = |r: usize| self.graph.result(node, r);
        let phase = self.phases[n];
        match op.kind() {
            OpKind::Stream(step_op) => self.step_stream(node, step_op),
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
            OpKind::Mux(_) => {
                let selector = self.take(node, 0);
                let value = self.take(node, self.chosen(n, selector));
                self.firings[n] += 1;
                self.emit(result(0), value);
            }
            kind => {
                let operands: Vec<u64> = (0..self.queues[n].len()).map(|i| self.take(node, i)).collect();
                self.firings[n] += 1;
                match (kind, op) {
                    (OpKind::CondBr, _) => {
                        let side = if operands[0] == 1 { 0 } else { 1 };
                        self.emit(result(side), operands[1]);
                    }
                    (_, Op::Constant(bits)) => self.emit(result(0), bits),
                    (OpKind::Join(_), _) => self.emit(result(0), 0),
                    _ => {
                        let record = self.graph.node(node);
                        let types: Vec<Type> =
                            record.operands.iter().map(|&v| self.graph.value(v).ty).collect();
                        let ty = self.graph.value(result(0)).ty;
                        self.emit(result(0), eval_arith(op, &types, ty, self.index_width, &operands));
                    }
                }
            }
        }
    }

    fn step_stream(&mut self, node: NodeId, step_op: StepOp) {
        let n = node.0 as usize;
        let Phase::Active { index, step, bound, last } = self.phases[n] else {
            if self.queues[n][1].front() == Some(&0) {
                self.phases[n] = Phase::Failed;
                return;
            }
            let (index, step, bound) = (self.take(node, 0), self.take(node, 1), self.take(node, 2));
            self.streams[self.stream_of[n]].activations += 1;
            self.phases[n] = Phase::Active { index, step, bound, last: false };
            return;
        };
        let width = self.index_width;
        let holds = match self.graph.node(node).op {
            Op::Stream(_, cond) => cond.holds(sign_extend(index, width), sign_extend(bound, width)),
            _ => false,
        };
        let go_on = holds && !last;
        self.phases[n] = if go_on {
            let (index, last) = step_index(step_op, width, index, step);
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

    fn outcome(self) -> Outcome {
        let mut leftover = Vec::new();
        let mut waiting = Vec::new();
        let mut failed = None;
        for node in self.graph.node_ids() {
            let n = node.0 as usize;
            for (operand, queue) in self.queues[n].iter().enumerate().filter(|(_, q)| !q.is_empty()) {
                let value = self.graph.node(node).operands[operand];
                leftover.push(Leftover::Tokens {
                    value,
                    to: Use::Operand { node, operand },
                    count: queue.len(),
                });
            }
            let phase = match self.phases[n] {
                Phase::First => None,
                Phase::Active { .. } => Some("active"),
                Phase::Body => Some("body"),
                Phase::Condition => Some("wait for d"),
                Phase::Feedback => Some("wait for b"),
                Phase::Replay(_) => Some("replay"),
                Phase::Failed => Some("failed"),
            };
            leftover.extend(phase.map(|phase| Leftover::State { node, phase }));
            if self.phases[n] == Phase::Failed {
                failed = failed.or(Some(node));
            }
            let has: Vec<usize> =
                (0..self.queues[n].len()).filter(|&i| !self.queues[n][i].is_empty()).collect();
            let needs: Vec<usize> = self.needs(node).into_iter().filter(|i| !has.contains(i)).collect();
            if !has.is_empty() && !needs.is_empty() {
                waiting.push(Waiting { node, has, needs });
            }
        }
        let stop = match failed {
            Some(node) => Stop::RuntimeError { error: ZERO_STEP.0, code: ZERO_STEP.1, node },
            None if self.enabled.is_empty() => Stop::Quiet,
            None => Stop::BudgetExhausted,
        };
        Outcome {
            outputs: self.outputs,
            firings: self.firings,
            stream_activations: self.streams,
            leftover,
            stop,
            waiting,
        }
    }
}
