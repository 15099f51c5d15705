//! Throughput of a mapped graph: a constraint system over transfer times, and its maximum cycle ratio.
//!
//! Every register stage is a buffer of some depth. For the k-th token: it is offered one cycle after it entered and one
//! after its predecessor left; it leaves when every branch of its fork has taken it; a place is free again one cycle
//! after the token `depth` before it left. Combinational ops take their inputs when all branches of their outputs are
//! taken; state machines take and push in one cycle. All of that is `X(k) >= Y(k - tokens) + cycles`, so the steady
//! state moves one token every max over cycles of (cycles / tokens): the initiation interval. Without the arcs that
//! run backwards (room, forks) the same gives the recurrence bound, MII.
//!
//! Arcs join only ops of one rate ([`loom_dfg::rates`]): those that fire together, iteration by iteration. Where a `cond_br`
//! or `mux` decides by data, that counts both sides each time, so on such graphs the interval is an upper estimate.

pub mod dry;
pub mod figures;
pub mod fill;
pub mod finished;
pub mod loops;
pub mod nest;
pub mod recurrence;
pub mod routed;
pub mod spare;

use self::nest::{LoopIndex, Nest};
use self::routed::{Routed, UseId};
use crate::model::site::SiteUnit;
use crate::model::units::UnitTiming;
use loom_adg::{ChannelId, ComponentId};
use loom_dfg::graph::{Use, ValueDef};
use loom_dfg::op::Class;
use loom_dfg::{Graph, NodeId, Rates};
use std::collections::BTreeMap;

/// What the analysis says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Recurrence bound on this mapping, link registers included, in cycles an iteration: of the slowest loop.
    pub mii: f64,
    /// Initiation interval with buffers as they are, of the slowest loop.
    pub ii: f64,
    /// Cycles beyond one interval for each further pair of the innermost loops: on the way in, and out again.
    pub fill: u64,
    /// Cycles of a run whose loops turn as often as is known or assumed ([`nest`]): what mappings of one graph are compared by.
    pub expected: f64,
    /// The same with all sides of the branches taken each time.
    pub at_most: f64,
}

/// Cycles more than the least at which a search ends, as a ratio: what is nearer is for the run to decide.
pub(crate) const ENOUGH: f64 = 1.01;

impl Timing {
    /// Whether looking further is vain where no mapping takes less than so many cycles.
    pub(crate) fn is_enough(&self, least: f64) -> bool {
        self.at_most <= ENOUGH * least
    }
}

/// That one event comes so many cycles after another one, so many tokens before.
pub struct Arc {
    /// The earlier event.
    pub from: usize,
    /// The later one.
    pub to: usize,
    /// Cycles between them.
    pub cycles: i64,
    /// Tokens between them.
    pub tokens: i64,
    /// The use whose way it ends: what it takes, or that it took it.
    pub of: Option<UseId>,
    /// Whether it is a way of tokens, not of room for them.
    pub forward: bool,
}

/// The constraint system of a loop.
pub struct Analysis {
    arcs: Vec<Arc>,
    events: usize,
    /// Most nodes in slots of one unit, which fires once a cycle.
    unit_bound: f64,
}

impl Analysis {
    /// Builds the system of one loop of a routed graph.
    pub fn new(routed: &Routed, nest: &Nest, of: LoopIndex) -> Analysis {
        let (graph, rates) = (routed.graph, &nest.rates);
        let is_inside = |n: usize| nest.node(n) == of;
        let mut a = Analysis { arcs: Vec::new(), events: 0, unit_bound: 1.0 };
        // Per node: (available, done), one event for a state machine.
        let events: Vec<(usize, usize)> = graph
            .nodes
            .iter()
            .map(|node| {
                let available = a.event();
                let done = if node.op.kind().class() == Class::State { available } else { a.event() };
                (available, done)
            })
            .collect();
        for (n, &(available, done)) in events.iter().enumerate().filter(|&(n, _)| is_inside(n)) {
            // Combinational ops have two events, for they take their inputs only when all branches took the results.
            if available != done {
                a.forward(available, done, 0, 0);
            }
            a.arc(done, done, routed.units[n].interval, 1, true);
        }
        for at in (0..routed.nets.len()).filter(|&at| rates.value(routed.nets[at].value) == nest.rate(of)) {
            a.net(routed, at, &events, rates);
        }
        let mut sharing: BTreeMap<(ComponentId, SiteUnit), u32> = BTreeMap::new();
        for (_, site) in routed.place.nodes.iter().enumerate().filter(|&(n, _)| is_inside(n)) {
            *sharing.entry((site.component, site.unit)).or_default() += 1;
        }
        a.unit_bound = sharing.values().copied().max().unwrap_or(1).into();
        a
    }

    fn event(&mut self) -> usize {
        self.events += 1;
        self.events - 1
    }

    fn arc(&mut self, from: usize, to: usize, cycles: i64, tokens: i64, forward: bool) {
        self.arcs.push(Arc { from, to, cycles, tokens, of: None, forward });
    }

    fn forward(&mut self, from: usize, to: usize, cycles: i64, tokens: i64) {
        self.arc(from, to, cycles, tokens, true);
    }

    /// A buffer of some depth behind the event at which a token enters; returns (offered, left).
    fn buffer(&mut self, enters: usize, depth: usize, cycles: i64) -> (usize, usize) {
        let (offered, left) = (self.event(), self.event());
        // Offered after it entered, and after the one before it left.
        self.forward(enters, offered, cycles, 0);
        self.arc(left, offered, 1, 1, false);
        self.arc(offered, left, 0, 0, false);
        // Its place is free a cycle after it left, for the token `depth` later.
        self.arc(left, enters, 1, depth as i64, false);
        (offered, left)
    }

    fn net(&mut self, routed: &Routed, at: usize, events: &[(usize, usize)], rates: &Rates) {
        let &Routed { graph, units, resources, .. } = routed;
        let (net, tree) = (&routed.nets[at], &routed.trees[at]);
        // What offers the token at the net's source, and what waits until all branches took it.
        let root = match graph.value(net.value).def {
            ValueDef::Result { node, result } => {
                let n = node.0 as usize;
                if rates.node(node) != rates.value(net.value) {
                    return;
                }
                let (mut available, mut done) = events[n];
                let UnitTiming { latency, buffered, depth, .. } = units[n];
                // Pushed with a later firing, as the k-th condition after a gate is with its k+1st pair.
                let lag = i64::from(graph.kind(node).result_lag(result));
                if lag > 0 {
                    let pushed = self.event();
                    self.forward(available, pushed, 0, -lag);
                    self.arc(pushed, available, 0, lag, false);
                    (available, done) = (pushed, pushed);
                }
                if latency > 0 {
                    // Stages that close up, room at once.
                    let enters = done;
                    let (offered, left) = (self.event(), self.event());
                    self.forward(enters, offered, i64::from(latency), 0);
                    self.arc(left, offered, 1, 1, false);
                    self.arc(offered, left, 0, 0, false);
                    self.arc(left, enters, 0, depth, false);
                    (available, done) = (offered, left);
                }
                if buffered {
                    let enters = if available == done { available } else { self.event() };
                    if available != done {
                        self.forward(available, enters, 0, 0);
                        self.arc(enters, done, 0, 0, false);
                    }
                    (available, done) = self.buffer(enters, 2, 1);
                }
                (available, done)
            }
            // Arguments are always there, and immediates have no net.
            ValueDef::Argument(_) | ValueDef::Literal(_) => (self.event(), self.event()),
        };
        // Down the tree: each FIFO is a buffer of its own.
        let mut point: BTreeMap<ChannelId, (usize, usize)> = BTreeMap::new();
        let children = tree.children();
        let Some(source) = tree.source else { return };
        point.insert(source, root);
        let mut todo = vec![source];
        while let Some(c) = todo.pop() {
            let here = point[&c];
            for &next in children.get(&c).into_iter().flatten() {
                let step = tree.channels[&next].0.expect("a child has a parent").1;
                let there = match resources.depth(step) {
                    Some(depth) => {
                        let enters = self.event();
                        self.forward(here.0, enters, 0, 0);
                        self.arc(enters, here.1, 0, 0, false);
                        self.buffer(enters, depth, 1)
                    }
                    None => here,
                };
                point.insert(next, there);
                todo.push(next);
            }
        }
        for (e, end) in net.ends.iter().enumerate() {
            let (offered, left) = point[&tree.ends[e]];
            let Use::Operand { node, operand } = end.use_ else {
                continue;
            };
            let n = node.0 as usize;
            let takes = graph.kind(node).takes(operand);
            if !takes.is_steady() || rates.node(node) != rates.value(net.value) {
                continue;
            }
            let (available, done) = events[n];
            // The (k+1)st token of a carry or invariant takes the k-th condition and the k-th next value.
            let behind = i64::from(takes.lag());
            self.forward(offered, available, 0, behind);
            self.arc(done, left, 0, -behind, false);
            self.arcs.iter_mut().rev().take(2).for_each(|arc| arc.of = Some((at, e)));
        }
    }

    /// Maximum cycle ratio, at least 1: bisection on "some cycle is slower than this".
    fn ratio(&self, backward: bool) -> f64 {
        let slower = |lambda: f64| self.slow_cycle(lambda, backward).is_some();
        if !slower(1.0 + 1e-6) {
            return 1.0;
        }
        // Doubling first: intervals are small numbers, seldom above eight.
        let (mut low, mut high) = (1.0, 2.0);
        while slower(high + 1e-6) {
            (low, high) = (high, high * 2.0);
            if high > 1e5 {
                return f64::INFINITY;
            }
        }
        // Ratios are fractions of small numbers: 1/64 apart is close enough, then round to the fraction.
        while high - low > 1.0 / 512.0 {
            let middle = (low + high) / 2.0;
            if slower(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        nearest_fraction(high)
    }

    /// A cycle with more than `lambda` cycles a token, as arcs; Bellman-Ford on `cycles - lambda * tokens`.
    fn slow_cycle(&self, lambda: f64, backward: bool) -> Option<Vec<usize>> {
        let mut length = vec![0.0; self.events];
        let mut by: Vec<Option<usize>> = vec![None; self.events];
        let mut last = None;
        for round in 0..=self.events {
            last = None;
            for (i, arc) in self.arcs.iter().enumerate() {
                if !backward && !arc.forward {
                    continue;
                }
                // Longest paths: a cycle that still grows after all rounds has a positive length, so a ratio above `lambda`.
                let reach = length[arc.from] + arc.cycles as f64 - lambda * arc.tokens as f64;
                if reach > length[arc.to] + 1e-9 {
                    length[arc.to] = reach;
                    by[arc.to] = Some(i);
                    last = Some(arc.to);
                }
            }
            last?;
            // Predecessors close a circle long before the last round where there is one.
            if round % 16 == 15 {
                if let Some(cycle) = self.circle(&by, last?) {
                    return Some(cycle);
                }
            }
        }
        self.circle(&by, last?)
    }

    /// The circle of predecessors that an event leads back into.
    fn circle(&self, by: &[Option<usize>], start: usize) -> Option<Vec<usize>> {
        // As many steps back as there are events end on the circle, wherever they began.
        let mut at = start;
        for _ in 0..self.events {
            at = self.arcs[by[at]?].from;
        }
        let first = at;
        let mut cycle = Vec::new();
        loop {
            let arc = by[at]?;
            cycle.push(arc);
            at = self.arcs[arc].from;
            if at == first {
                return Some(cycle);
            }
        }
    }

    /// Cycles from one iteration to the next: its recurrence bound, or with all that waits for room.
    pub fn interval(&self, with_room: bool) -> f64 {
        self.ratio(with_room).max(self.unit_bound)
    }

    /// How many events there are.
    pub fn events(&self) -> usize {
        self.events
    }

    /// What it consists of.
    pub fn arcs(&self) -> &[Arc] {
        &self.arcs
    }
}

/// The fraction with the smallest denominator (up to 64) within the bisection's error below `x`.
fn nearest_fraction(x: f64) -> f64 {
    for d in 1..=64 {
        let n = (x * f64::from(d)).round();
        if (x - n / f64::from(d)).abs() <= 1.0 / 256.0 {
            return n / f64::from(d);
        }
    }
    x
}

/// Recurrence bound of the graph on a fabric before mapping: register stages and intervals of units, which `fu` gives by node,
/// and registers no placement avoids:
/// `hop` gives the fewest registers that any placement has between two nodes.
pub fn bound_before_mapping(
    graph: &Graph,
    fu: &dyn Fn(usize) -> (u32, i64),
    hop: &mut dyn FnMut(usize, usize) -> u32,
) -> f64 {
    let way = &mut |from, to, _| hop(from, to);
    before_mapping(graph, &Rates::new(graph), fu, way, &|_| true).ratio(false)
}

/// The system without a mapping, an event for each node, of the nodes that `within` takes; `way` gives the registers from a node to
/// an operand of another.
fn before_mapping(
    graph: &Graph,
    rates: &Rates,
    fu: &dyn Fn(usize) -> (u32, i64),
    way: &mut dyn FnMut(usize, usize, usize) -> u32,
    within: &dyn Fn(usize) -> bool,
) -> Analysis {
    let mut a = Analysis { arcs: Vec::new(), events: graph.nodes.len(), unit_bound: 1.0 };
    for (n, node) in graph.nodes.iter().enumerate().filter(|&(n, _)| within(n)) {
        a.forward(n, n, fu(n).1, 1);
        let kind = node.op.kind();
        for (operand, v) in node.operands.iter().enumerate() {
            let ValueDef::Result { node: from, .. } = graph.value(*v).def else {
                continue;
            };
            let f = from.0 as usize;
            let rate = rates.value(*v);
            let same = rates.node(from) == rate && rates.node(NodeId(n as u32)) == rate;
            if rates.is_steady(kind, operand) && same && within(f) {
                let cycles = i64::from(fu(f).0) + i64::from(way(f, n, operand));
                a.forward(f, n, cycles, i64::from(kind.takes(operand).lag()));
            }
        }
    }
    a
}
