//! The earliest times of a run: when each token can be where, given what units and ways take.
//!
//! A token leaves no sooner than all that its firing took had come, and a cycle after the one before it on the same value;
//! queues have no limit, and nothing waits for anything else. Firings of determinate ops do not depend on the schedule, so neither
//! do these times, and no circuit whose units and ways take at least as long is sooner anywhere: the last time is a lower bound on
//! its cycles (Karp and Miller 1966 for the firings; time only ever grows with time along them).

use crate::graph::{Graph, Use, ValueId};
use std::collections::{BTreeMap, VecDeque};

/// What units and ways of a graph take at least, in cycles.
#[derive(Clone, Debug)]
pub struct Delays {
    /// By value: from the firing that gives a token of it to the token.
    pub stages: Vec<u64>,
    /// By value: from one such firing to the next, at least 1.
    pub interval: Vec<u64>,
    /// By node and operand: on the way to it.
    pub operands: Vec<Vec<u64>>,
    /// By output: on the way to it.
    pub outputs: Vec<u64>,
    /// By memory and access, its stores before its loads: a number for the port it goes through; one takes a request a cycle.
    pub ports: Vec<Vec<usize>>,
}

impl Delays {
    /// Of units that answer in the cycle they are asked in, side by side, with a port for each access.
    pub fn none(graph: &Graph) -> Delays {
        let mut port = 0..;
        let ports = graph
            .memory_nodes()
            .map(|(_, _, ports)| port.by_ref().take(ports.stores as usize + ports.loads as usize).collect());
        Delays {
            stages: vec![0; graph.values.len()],
            interval: vec![1; graph.values.len()],
            operands: graph.nodes.iter().map(|n| vec![0; n.operands.len()]).collect(),
            outputs: vec![0; graph.outputs.len()],
            ports: ports.collect(),
        }
    }
}

/// Times beside the tokens of a run.
pub(super) struct Clock<'g> {
    delays: &'g Delays,
    /// As the queues of operands.
    times: Vec<Vec<VecDeque<u64>>>,
    /// By value: the first cycle in which it may be given again.
    free: Vec<u64>,
    /// By node: the last step of a state machine, whose steps follow each other.
    reached: Vec<u64>,
    /// By memory unit and port: when the answers that it owes were asked for.
    asked: Vec<Vec<VecDeque<u64>>>,
    /// When return tokens came that were not yet answered with an entry token.
    returned: VecDeque<u64>,
    /// The time of the step under way.
    now: u64,
    /// One more than the last time of a result.
    cycles: u64,
    /// By port of memory: its first request, and how many there are.
    requests: BTreeMap<usize, (u64, u64)>,
}

impl<'g> Clock<'g> {
    /// Nothing has happened.
    pub fn new(graph: &Graph, delays: &'g Delays) -> Clock<'g> {
        Clock {
            delays,
            times: graph.nodes.iter().map(|n| vec![VecDeque::new(); n.operands.len()]).collect(),
            free: vec![0; graph.values.len()],
            reached: vec![0; graph.nodes.len()],
            asked: delays.ports.iter().map(|p| vec![VecDeque::new(); p.len()]).collect(),
            returned: VecDeque::from([0]),
            now: 0,
            cycles: 0,
            requests: BTreeMap::new(),
        }
    }

    /// A step begins. Those of a state machine come one after the other; others, nothing holds back yet.
    pub fn begin(&mut self, machine: Option<usize>) {
        self.now = machine.map_or(0, |node| self.reached[node]);
    }

    /// A step of a state machine ends.
    pub fn end(&mut self, machine: usize) {
        self.reached[machine] = self.now;
    }

    /// A token of an operand is taken.
    pub fn take(&mut self, node: usize, operand: usize) {
        self.now = self.now.max(self.times[node][operand].pop_front().unwrap_or(0));
    }

    /// The cycles that a machine takes from its operands to its first firing.
    pub fn start(&mut self, cycles: u32) {
        self.now += u64::from(cycles);
    }

    /// A token of a value is given, and goes to all its uses. One that leaves by the output `gate` lets the next activation in.
    pub fn emit(&mut self, value: ValueId, uses: &[Use], gate: Option<usize>) {
        let at = self.give(value);
        for &use_ in uses {
            match use_ {
                Use::Operand { node, operand } => self.arrive(node.0 as usize, operand, at),
                Use::Output(k) => {
                    let left = self.leave(k, at);
                    if gate == Some(k) {
                        self.returned.push_back(left + 1);
                    }
                }
            }
        }
    }

    /// A token of a value is given: its time.
    fn give(&mut self, value: ValueId) -> u64 {
        let v = value.0 as usize;
        let fires = self.now.max(self.free[v]);
        self.free[v] = fires + self.delays.interval[v];
        // What a machine does next comes after.
        self.now = fires;
        fires + self.delays.stages[v]
    }

    /// A token goes to an operand.
    fn arrive(&mut self, node: usize, operand: usize, at: u64) {
        self.times[node][operand].push_back(at + self.delays.operands[node][operand]);
    }

    /// A token goes to an output; gives when it is there.
    fn leave(&mut self, output: usize, at: u64) -> u64 {
        let at = at + self.delays.outputs[output];
        self.cycles = self.cycles.max(at + 1);
        at
    }

    /// The entry token of the next activation is offered in the cycle after the return token of the one before.
    pub fn enter(&mut self) {
        self.now = self.returned.pop_front().unwrap_or(0);
    }

    /// A memory has taken a request.
    pub fn ask(&mut self, unit: usize, port: usize) {
        self.asked[unit][port].push_back(self.now);
        let (first, count) = self.requests.entry(self.delays.ports[unit][port]).or_insert((self.now, 0));
        (*first, *count) = (self.now.min(*first), *count + 1);
    }

    /// Fewest cycles of what happened: to the last result, and to the last request of each port.
    pub fn cycles(&self) -> u64 {
        let ports = self.requests.values().map(|&(first, count)| first + count);
        ports.fold(self.cycles, u64::max)
    }

    /// The oldest request of a port is answered.
    pub fn answer(&mut self, unit: usize, port: usize) {
        self.now = self.asked[unit][port].pop_front().unwrap_or(0);
    }
}
