//! What a run tells: outputs, counts, what is left over and who waits, each with a line for a person.

use super::{memory, Machine, Phase, RunEnd};
use crate::graph::{Graph, NodeId, Use, ValueId};
use crate::profile::{Profile, Said};

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
    /// A memory node did accesses whose data and done tokens it has not given yet.
    Responses {
        /// Who.
        node: NodeId,
        /// How many accesses.
        count: usize,
    },
    /// Entry tokens never offered, since the return token of an earlier activation did not come.
    Withheld {
        /// The entry argument.
        argument: ValueId,
        /// How many tokens.
        count: usize,
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
            Leftover::Responses { node, count } => {
                let responses = if count == 1 { "response" } else { "responses" };
                format!("{count} {responses} of {}", describe_node(graph, node))
            }
            Leftover::Withheld { argument, count } => {
                let tokens = if count == 1 { "token" } else { "tokens" };
                format!("{count} {tokens} of `%{}` not offered", graph.value(argument).name)
            }
        }
    }
}

/// An op that holds some of the operands its phase needs, but not all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingOp {
    /// Who.
    pub node: NodeId,
    /// Operands with tokens.
    pub has: Vec<usize>,
    /// Operands its phase needs that are empty.
    pub needs: Vec<usize>,
}

impl WaitingOp {
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
    /// tokens given (hardware takes a false condition together with the next first token); for `load` addresses sent.
    /// So it is also the least number of cycles the node needs at one token a cycle. A memory node counts the
    /// accesses of all its ports, which may be served side by side.
    pub firings: Vec<u64>,
    /// By value: what it said, of a condition; nothing of others.
    pub said: Vec<Said>,
    /// By node: activations that a state machine began; 0 of other ops.
    pub activations: Vec<u64>,
    /// One for each stream, in node order.
    pub stream_activations: Vec<StreamActivity>,
    /// Empty after a complete run.
    pub leftover: Vec<Leftover>,
    /// Why it ended.
    pub stop: RunEnd,
    /// Who waits; empty after a complete run.
    pub waiting: Vec<WaitingOp>,
}

impl Outcome {
    /// Ended by itself, without error, with nothing left over.
    pub fn is_complete(&self) -> bool {
        self.stop == RunEnd::Quiet && self.leftover.is_empty()
    }

    /// What the conditions of the graph said.
    pub fn profile(&self, graph: &Graph) -> Profile {
        let names = graph.values.iter().map(|v| v.name.clone());
        Profile::new(names.zip(self.said.iter().copied()))
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

impl Machine<'_> {
    /// What the run tells.
    pub(super) fn outcome(self) -> Outcome {
        let mut leftover = Vec::new();
        let mut waiting = Vec::new();
        let mut failed = None;
        for node in self.graph.node_ids() {
            let n = node.0 as usize;
            let tokens = |i: usize| !self.queues[n][i].is_empty() && !self.is_immediate(node, i);
            for (operand, queue) in self.queues[n].iter().enumerate().filter(|(i, _)| tokens(*i)) {
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
                Phase::Failed(_) => Some("failed"),
            };
            leftover.extend(phase.map(|phase| Leftover::State { node, phase }));
            if let Phase::Failed((error, code)) = self.phases[n] {
                failed = failed.or(Some(RunEnd::RuntimeError { error, code, node }));
            }
            let responses = self.units.get(self.unit_of[n]).map_or(0, memory::Unit::pending);
            if responses > 0 {
                leftover.push(Leftover::Responses { node, count: responses });
            }
            let has: Vec<usize> = (0..self.queues[n].len()).filter(|&i| tokens(i)).collect();
            let needs: Vec<usize> =
                self.needs(node).into_iter().filter(|&i| self.queues[n][i].is_empty()).collect();
            if !has.is_empty() && !needs.is_empty() {
                waiting.push(WaitingOp { node, has, needs });
            }
        }
        if let Some(gate) = self.gate.filter(|g| !g.waiting.is_empty()) {
            leftover.push(Leftover::Withheld { argument: gate.argument, count: gate.waiting.len() });
        }
        let stop = match failed {
            Some(error) => error,
            None if self.enabled.is_empty() => RunEnd::Quiet,
            None => RunEnd::BudgetExhausted,
        };
        Outcome {
            outputs: self.outputs,
            firings: self.firings,
            said: self.said,
            activations: self.activations,
            stream_activations: self.streams,
            leftover,
            stop,
            waiting,
        }
    }
}
