//! Recurrences: the strongly connected parts of a graph and the elementary cycles in them.
//!
//! A register on a cycle costs a cycle in every iteration, so the placer looks at cycles, not at edges. There may be very many:
//! [`cycles`] lists those of few edges, up to a fixed number, and [`Slowest`] finds the slowest one of all for given lengths.

use super::nest::{LoopIndex, Nest, TurnEdge};
use loom_dfg::graph::{Use, ValueDef};
use loom_dfg::{Graph, NodeId, Rates, ValueId};

/// Strongly connected components of the graph's nodes, by node; only those of more than one node, or with an edge to
/// itself, are recurrences.
pub fn recurrences(graph: &Graph) -> Vec<Option<usize>> {
    components(&successors(graph))
}

/// The same of what moves together: recurrences of one loop, without the loops around it.
pub fn recurrences_of_loops(graph: &Graph) -> Vec<Option<usize>> {
    let rates = Rates::new(graph);
    let mut next = vec![Vec::new(); graph.nodes.len()];
    for SteadyUse { from, to, .. } in steady(graph, &rates) {
        next[from.0 as usize].push(to.0 as usize);
    }
    components(&next)
}

/// A use of a value within its rate: what gives each token, and what takes it.
pub struct SteadyUse {
    /// What is given.
    pub value: ValueId,
    /// Which node gives it.
    pub from: NodeId,
    /// As which result.
    pub result: usize,
    /// Which node takes it.
    pub to: NodeId,
    /// As which operand.
    pub operand: usize,
}

/// Those of a graph, by value, then by use.
pub fn steady(graph: &Graph, rates: &Rates) -> Vec<SteadyUse> {
    let mut list = Vec::new();
    for (v, uses) in graph.uses().into_iter().enumerate() {
        let value = ValueId(v as u32);
        let ValueDef::Result { node: from, result } = graph.value(value).def else { continue };
        if rates.node(from) != rates.value(value) {
            continue;
        }
        for use_ in uses {
            let Use::Operand { node: to, operand } = use_ else { continue };
            if graph.kind(to).takes(operand).is_steady() && rates.node(to) == rates.value(value) {
                list.push(SteadyUse { value, from, result, to, operand });
            }
        }
    }
    list
}

fn components(next: &[Vec<usize>]) -> Vec<Option<usize>> {
    let n = next.len();
    // Tarjan's algorithm with an explicit stack.
    let (mut index, mut low) = (vec![usize::MAX; n], vec![0; n]);
    let (mut on_stack, mut stack, mut count, mut found) = (vec![false; n], Vec::new(), 0, 0);
    let mut component = vec![None; n];
    for root in 0..n {
        if index[root] != usize::MAX {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some(&mut (v, ref mut at)) = work.last_mut() {
            // First visit: its number, and nothing lower is known yet.
            if *at == 0 {
                index[v] = count;
                low[v] = count;
                count += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            if let Some(&w) = next[v].get(*at) {
                *at += 1;
                if index[w] == usize::MAX {
                    work.push((w, 0));
                } else if on_stack[w] {
                    // An edge back into what is being visited.
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            work.pop();
            if let Some(&(parent, _)) = work.last() {
                low[parent] = low[parent].min(low[v]);
            }
            // Nothing below it reaches above it: all that lies on the stack from here is one component.
            if low[v] == index[v] {
                let mut members = Vec::new();
                loop {
                    let w = stack.pop().expect("v is on the stack");
                    on_stack[w] = false;
                    members.push(w);
                    if w == v {
                        break;
                    }
                }
                if members.len() > 1 || next[v].contains(&v) {
                    for w in members {
                        component[w] = Some(found);
                    }
                    found += 1;
                }
            }
        }
    }
    component
}

fn successors(graph: &Graph) -> Vec<Vec<usize>> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for (to, node) in graph.nodes.iter().enumerate() {
        for &v in &node.operands {
            if let ValueDef::Result { node: from, .. } = graph.value(v).def {
                next[from.0 as usize].push(to);
            }
        }
    }
    next
}

/// One edge of a cycle: (consumer, operand).
pub type CycleEdge = (usize, usize);

/// A cycle of the graph without repeated nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Its edges; of two edges between the same nodes with as many tokens, only the first counts.
    pub edges: Vec<CycleEdge>,
    /// Turns of its loop that it spans, at least 1.
    pub tokens: u32,
    /// Whether it runs through the first token of an inner loop, so that it costs only once in an activation of that loop.
    pub outer: bool,
    /// The loop whose turn it is.
    pub in_loop: LoopIndex,
}

/// Most cycles listed.
const MOST_CYCLES: usize = 600;
/// Most steps of the search.
const MOST_STEPS: usize = 60_000;

/// Lists the elementary cycles of a graph of at most so many edges, in order of their smallest node; the first ones, where there are
/// very many.
pub fn cycles(graph: &Graph, nest: &Nest, longest: usize) -> Vec<Cycle> {
    // By node: (next node, operand, tokens, whether it is a first token).
    let mut next: Vec<Vec<(usize, usize, u32, bool)>> = vec![Vec::new(); graph.nodes.len()];
    for Edge { from, to, operand, lag, first } in edges(graph) {
        // Parallel edges with as many tokens make no new cycle.
        if !next[from].iter().any(|&(t, _, l, f)| (t, l, f) == (to, lag, first)) {
            next[from].push((to, operand, lag, first));
        }
    }
    let mut found = Vec::new();
    let mut steps = 0;
    for start in 0..graph.nodes.len() {
        if next[start].is_empty() {
            continue;
        }
        // Paths from `start` over nodes above it; each that comes back is a cycle with `start` as smallest node.
        // Nodes below `start` have had their cycles listed already.
        let mut on_path = vec![false; graph.nodes.len()];
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        let mut edges: Vec<(usize, usize, u32, bool)> = Vec::new();
        on_path[start] = true;
        while let Some(top) = path.last_mut() {
            let (v, at) = *top;
            let Some(&edge) = next[v].get(at) else {
                on_path[v] = false;
                path.pop();
                edges.pop();
                continue;
            };
            top.1 += 1;
            steps += 1;
            // Dense graphs have more cycles than could ever be looked at.
            if steps > MOST_STEPS || found.len() >= MOST_CYCLES {
                return found;
            }
            if edge.0 == start {
                edges.push(edge);
                let along: Vec<CycleEdge> = edges.iter().map(|e| (e.0, e.1)).collect();
                if let Some((in_loop, tokens)) = nest.turn_of(graph, &along) {
                    let outer = edges.iter().any(|e| e.3);
                    found.push(Cycle { edges: along, tokens, outer, in_loop });
                }
                edges.pop();
            } else if edge.0 > start && !on_path[edge.0] && edges.len() + 1 < longest {
                on_path[edge.0] = true;
                edges.push(edge);
                path.push((edge.0, 0));
            }
        }
    }
    found
}

/// An edge inside a recurrence.
struct Edge {
    from: usize,
    to: usize,
    operand: usize,
    /// Iterations between the token that is made and the one that is taken.
    lag: u32,
    /// Whether it is taken once in an activation of a loop.
    first: bool,
}

/// The edges inside recurrences, by consumer and operand.
fn edges(graph: &Graph) -> Vec<Edge> {
    let scc = recurrences(graph);
    let mut edges = Vec::new();
    for (to, node) in graph.nodes.iter().enumerate() {
        let kind = node.op.kind();
        for (operand, &v) in node.operands.iter().enumerate() {
            let ValueDef::Result { node: from, .. } = graph.value(v).def else { continue };
            let from = from.0 as usize;
            if scc[from].is_some() && scc[from] == scc[to] {
                let takes = kind.takes(operand);
                edges.push(Edge { from, to, operand, lag: takes.lag(), first: !takes.is_steady() });
            }
        }
    }
    edges
}

/// Finds slow cycles without listing all of them.
#[derive(Clone)]
pub struct Slowest {
    /// By loop.
    edges: Vec<Vec<TurnEdge>>,
    nodes: usize,
}

/// Rounds after which predecessors are looked at for a circle.
const CIRCLE_ROUNDS: usize = 8;

impl Slowest {
    /// The recurrences of a graph.
    pub fn new(graph: &Graph, nest: &Nest) -> Slowest {
        Slowest { edges: nest.edges(graph, &recurrences(graph)), nodes: graph.nodes.len() }
    }

    /// What a turn of a loop goes along.
    pub(super) fn edges(&self, of: LoopIndex) -> &[TurnEdge] {
        &self.edges[of.0]
    }

    /// How many nodes the graph has.
    pub(super) fn nodes(&self) -> usize {
        self.nodes
    }

    /// A cycle of a loop of more than `most.0` cycles in `most.1` turns, if there is one. `length` gives what an edge takes, up to the results
    /// of its consumer. Bellman and Ford's longest ways: a circle of positive length is one that is too slow.
    pub fn beyond(
        &self,
        of: LoopIndex,
        length: &dyn Fn(CycleEdge) -> u64,
        most: (u64, u64),
    ) -> Option<Cycle> {
        let (cycles, turns) = (most.0 as i64, most.1 as i64);
        let edges: Vec<(usize, i64)> = (self.edges[of.0].iter().enumerate())
            .map(|(i, e)| {
                let length = length((e.to, e.operand)) as i64;
                (i, length * turns - cycles * i64::from(e.turns))
            })
            .collect();
        let mut way = vec![0i64; self.nodes];
        let mut by: Vec<Option<usize>> = vec![None; self.nodes];
        for round in 1.. {
            let mut last = None;
            for &(i, length) in &edges {
                let TurnEdge { from, to, .. } = self.edges[of.0][i];
                if way[from] + length > way[to] {
                    way[to] = way[from] + length;
                    by[to] = Some(i);
                    last = Some(to);
                }
            }
            let last = last?;
            if round % CIRCLE_ROUNDS == 0 {
                if let Some(edges) = self.circle(of, &by, last) {
                    return Cycle::of(of, edges);
                }
            }
        }
        None
    }

    /// The slowest turn of a loop as cycles and turns, or so many where none is slower.
    pub fn turn(&self, of: LoopIndex, length: &dyn Fn(CycleEdge) -> u64, least: (u64, u64)) -> (u64, u64) {
        self.slowest(of, length, least).map_or(least, |cycle| cycle.time(length))
    }

    /// The slowest turn of a loop, where one is slower than that many cycles and turns.
    pub fn slowest(
        &self,
        of: LoopIndex,
        length: &dyn Fn(CycleEdge) -> u64,
        least: (u64, u64),
    ) -> Option<Cycle> {
        let beyond = |most: (u64, u64)| {
            let cycle = self.beyond(of, length, most)?;
            let now = cycle.time(length);
            // What is found is slower each time, and there are only so many circles.
            (now.0 * most.1 > most.0 * now.1).then_some(cycle)
        };
        std::iter::successors(beyond(least), |cycle| beyond(cycle.time(length))).last()
    }

    /// The circle of predecessors that a node leads back into.
    fn circle(&self, of: LoopIndex, by: &[Option<usize>], start: usize) -> Option<Vec<&TurnEdge>> {
        let list = &self.edges[of.0];
        let mut at = start;
        for _ in 0..self.nodes {
            at = list[by[at]?].from;
        }
        let (first, mut edges) = (at, Vec::new());
        while edges.is_empty() || at != first {
            edges.push(&list[by[at]?]);
            at = list[by[at]?].from;
        }
        edges.reverse();
        Some(edges)
    }
}

impl Cycle {
    /// Its cycles and turns.
    pub fn time(&self, length: &dyn Fn(CycleEdge) -> u64) -> (u64, u64) {
        (self.edges.iter().map(|&edge| length(edge)).sum(), u64::from(self.tokens))
    }

    /// The cycle of these edges; none where nothing turns on it.
    fn of(in_loop: LoopIndex, edges: Vec<&TurnEdge>) -> Option<Cycle> {
        let tokens = edges.iter().map(|e| e.turns).sum::<u32>();
        let outer = edges.iter().any(|e| e.begins);
        let edges = edges.into_iter().map(|e| (e.to, e.operand)).collect();
        (tokens > 0).then_some(Cycle { edges, tokens, outer, in_loop })
    }
}
