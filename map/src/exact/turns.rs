//! Recurrences as [`crate::timing::Analysis`] counts them, in whole numbers: which connections lie on them, which turn is the slowest,
//! and which are too slow.

use crate::model::problem::Problem;
use crate::model::site::Site;
use crate::timing::recurrence::{steady, SteadyUse};
use loom_dfg::graph::Use;
use loom_dfg::{Rates, ValueId};
use std::collections::BTreeMap;

/// Cycles over tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Cycles.
    pub cycles: u64,
    /// In which so many tokens pass.
    pub tokens: u64,
}

impl Interval {
    /// As one number.
    pub fn value(self) -> f64 {
        self.cycles as f64 / self.tokens as f64
    }

    /// Whether it is shorter than another.
    pub fn is_below(self, other: Interval) -> bool {
        self.cycles * other.tokens < other.cycles * self.tokens
    }

    /// The fewest whole cycles in so many tokens that are not below it.
    pub fn reached_with(self, tokens: u64) -> u64 {
        (self.cycles * tokens).div_ceil(self.tokens)
    }
}

/// A connection on a recurrence.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// The node that makes the value.
    pub from: usize,
    /// The node that takes it.
    pub to: usize,
    /// At which operand.
    pub operand: usize,
    /// The value.
    pub value: ValueId,
    /// Iterations between the token that is made and the one that is taken.
    pub tokens: i64,
}

impl Turn {
    /// Whether it is this use of its value.
    pub fn is(&self, use_: Use) -> bool {
        matches!(use_, Use::Operand { node, operand } if (node.0 as usize, operand) == (self.to, self.operand))
    }
}

/// The connections of all recurrences.
pub struct Turns {
    /// By value, then by use.
    pub list: Vec<Turn>,
    nodes: usize,
    /// By node: its rate.
    rates: Vec<usize>,
}

/// A circle of connections, by number, in order.
pub type Circle = Vec<usize>;

impl Turns {
    /// Those of a problem.
    pub fn new(problem: &Problem) -> Turns {
        let graph = problem.graph;
        let rates = Rates::new(graph);
        let turn = |SteadyUse { value, from, result, to, operand }| {
            let (takes, gives) = (graph.kind(to).takes(operand).lag(), graph.kind(from).result_lag(result));
            let tokens = i64::from(takes) - i64::from(gives);
            Turn { from: from.0 as usize, to: to.0 as usize, operand, value, tokens }
        };
        let list = steady(graph, &rates).into_iter().map(turn).collect();
        let rates = graph.node_ids().map(|n| rates.node(n)).collect();
        let mut turns = Turns { list, nodes: graph.nodes.len(), rates };
        turns.drop_open();
        turns
    }

    /// Leaves out what lies on no circle.
    fn drop_open(&mut self) {
        let mut reached = vec![vec![false; self.nodes]; self.nodes];
        for (start, reached) in reached.iter_mut().enumerate() {
            let mut todo = vec![start];
            while let Some(n) = todo.pop() {
                for turn in self.list.iter().filter(|t| t.from == n) {
                    if !reached[turn.to] {
                        reached[turn.to] = true;
                        todo.push(turn.to);
                    }
                }
            }
        }
        self.list.retain(|t| reached[t.to][t.from]);
    }

    /// By memory port and rate: the nodes of that rate that share the port on these sites.
    pub fn sharing(&self, problem: &Problem, sites: &[Site]) -> BTreeMap<(usize, usize), Vec<usize>> {
        let mut sharing: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (n, &site) in sites.iter().enumerate() {
            if let Some(unit) = problem.resources.shared_unit(problem.resources.site(site)) {
                sharing.entry((unit, self.rates[n])).or_default().push(n);
            }
        }
        sharing
    }

    /// The interval of nodes on these sites, with so many registers on each connection.
    pub fn interval(&self, problem: &Problem, sites: &[Site], registers: &dyn Fn(usize) -> u64) -> Interval {
        let shared = self.sharing(problem, sites).into_values().map(|nodes| nodes.len() as u64);
        let own = sites.iter().enumerate().map(|(n, &at)| problem.timing_at(n, at).interval.max(1) as u64);
        let least = Interval { cycles: shared.chain(own).max().unwrap_or(1), tokens: 1 };
        self.slowest(least, &|e| self.stages(problem, sites, e) + registers(e))
    }

    /// Registers in the unit that a connection comes from.
    pub fn stages(&self, problem: &Problem, sites: &[Site], e: usize) -> u64 {
        let from = self.list[e].from;
        problem.timing_at(from, sites[from]).stages().into()
    }

    /// The most registers on a connection with which a circle of it, of fewest tokens, can be below an interval; `None` where none
    /// can.
    pub fn most_registers(&self, problem: &Problem, e: usize, target: Interval) -> Option<u64> {
        let (first, last) = (self.list[e].to, self.list[e].from);
        let mut way: Vec<Option<i64>> = vec![None; self.nodes];
        let mut by: Vec<Option<usize>> = vec![None; self.nodes];
        way[first] = Some(0);
        for _ in 0..self.nodes {
            for (k, t) in self.list.iter().enumerate().filter(|(_, t)| t.to != first) {
                let Some(here) = way[t.from] else { continue };
                if way[t.to].is_none_or(|w| here + t.tokens < w) {
                    (way[t.to], by[t.to]) = (Some(here + t.tokens), Some(k));
                }
            }
        }
        let least = |n: usize| problem.units[n].iter().map(|u| u.stages()).min().unwrap_or(0);
        let (mut circle, mut stages, mut at) = (vec![e], u64::from(least(last)), last);
        while at != first && circle.len() <= self.nodes {
            let k = by[at]?;
            at = self.list[k].from;
            stages += u64::from(least(at));
            circle.push(k);
        }
        (target.reached_with(self.tokens(&circle)).checked_sub(1)?).checked_sub(stages)
    }

    /// Cycles and tokens of a circle.
    fn sum(&self, circle: &Circle, length: &dyn Fn(usize) -> u64) -> Option<Interval> {
        let cycles = circle.iter().map(|&e| length(e)).sum();
        let tokens = self.tokens(circle);
        (tokens > 0).then_some(Interval { cycles, tokens })
    }

    /// Tokens on a circle.
    pub fn tokens(&self, circle: &Circle) -> u64 {
        circle.iter().map(|&e| self.list[e].tokens).sum::<i64>().max(0) as u64
    }

    /// The interval of the slowest circle, at least `least`; `length` gives what a connection takes with its producer.
    fn slowest(&self, least: Interval, length: &dyn Fn(usize) -> u64) -> Interval {
        let mut most = least;
        // Each circle is slower than the last, and there are finitely many.
        while let Some(circle) = self.circle(most, false, length, &[]) {
            let Some(found) = self.sum(&circle, length) else { break };
            most = found;
        }
        most
    }

    /// Circles that are not below an interval, with no connection in two of them.
    pub fn too_slow(&self, target: Interval, length: &dyn Fn(usize) -> u64) -> Vec<Circle> {
        let mut without = vec![false; self.list.len()];
        let mut found = Vec::new();
        while let Some(circle) = self.circle(target, true, length, &without) {
            circle.iter().for_each(|&e| without[e] = true);
            found.push(circle);
        }
        found
    }

    /// A circle slower than an interval, or as slow where `alike`: Bellman and Ford's longest ways.
    fn circle(
        &self,
        than: Interval,
        alike: bool,
        length: &dyn Fn(usize) -> u64,
        without: &[bool],
    ) -> Option<Circle> {
        // What is as slow has a length of 0, which a unit for each connection makes positive; so many units are less than one cycle.
        let (scale, extra) = if alike { (self.list.len() as i64 + 1, 1) } else { (1, 0) };
        let weights: Vec<i64> = (self.list.iter().enumerate())
            .map(|(e, t)| {
                let cycles = length(e) as i64 * than.tokens as i64 - than.cycles as i64 * t.tokens;
                cycles * scale + extra
            })
            .collect();
        let mut way = vec![0i64; self.nodes];
        let mut by: Vec<Option<usize>> = vec![None; self.nodes];
        for _ in 0..=self.nodes {
            let mut last = None;
            for (e, t) in self.list.iter().enumerate() {
                if !without.get(e).is_some_and(|&w| w) && way[t.from] + weights[e] > way[t.to] {
                    way[t.to] = way[t.from] + weights[e];
                    by[t.to] = Some(e);
                    last = Some(t.to);
                }
            }
            if let Some(circle) = self.closed(&by, last?) {
                return Some(circle);
            }
        }
        None
    }

    /// The circle of predecessors that a node leads back into.
    fn closed(&self, by: &[Option<usize>], start: usize) -> Option<Circle> {
        let mut at = start;
        for _ in 0..self.nodes {
            at = self.list[by[at]?].from;
        }
        let first = at;
        let mut circle = Vec::new();
        loop {
            let e = by[at]?;
            circle.push(e);
            at = self.list[e].from;
            if at == first {
                circle.reverse();
                return Some(circle);
            }
        }
    }
}
