//! Recurrences: the strongly connected parts of a graph and the elementary cycles in them.
//!
//! A register on a cycle costs a cycle in every iteration, so the placer looks at cycles, not at edges. Graphs with
//! very many cycles are cut off at a fixed number; [`Cycles::complete`] says so.

use loom_dfg::graph::ValueDef;
use loom_dfg::Graph;

/// Strongly connected components of the graph's nodes, by node; only those of more than one node, or with an edge to
/// itself, are recurrences.
pub fn recurrences(graph: &Graph) -> Vec<Option<usize>> {
    let n = graph.nodes.len();
    let next = successors(graph);
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
    /// Iterations it spans.
    pub tokens: u32,
    /// Whether it runs through the first token of an inner loop, so that it costs only once in an activation of that loop.
    pub outer: bool,
}

/// The cycles of a graph.
#[derive(Clone, Debug, Default)]
pub struct Cycles {
    /// In order of their smallest node.
    pub list: Vec<Cycle>,
    /// Whether the list was not cut off.
    pub complete: bool,
}

/// Most cycles listed.
const MOST_CYCLES: usize = 600;
/// Most steps of the search.
const MOST_STEPS: usize = 60_000;

/// Lists the elementary cycles of a graph.
pub fn cycles(graph: &Graph) -> Cycles {
    let scc = recurrences(graph);
    // By node: (next node, operand, tokens, whether it is a first token).
    let mut next: Vec<Vec<(usize, usize, u32, bool)>> = vec![Vec::new(); graph.nodes.len()];
    for (to, node) in graph.nodes.iter().enumerate() {
        let kind = node.op.kind();
        for (operand, &v) in node.operands.iter().enumerate() {
            let ValueDef::Result { node: from, .. } = graph.value(v).def else { continue };
            let from = from.0 as usize;
            if scc[from].is_none() || scc[from] != scc[to] {
                continue;
            }
            let (first, lag) = (!kind.takes(operand).is_steady(), kind.takes(operand).lag());
            // Parallel edges with as many tokens make no new cycle.
            if !next[from].iter().any(|&(t, _, l, f)| (t, l, f) == (to, lag, first)) {
                next[from].push((to, operand, lag, first));
            }
        }
    }
    let mut found = Cycles { list: Vec::new(), complete: true };
    let mut steps = 0;
    for start in 0..graph.nodes.len() {
        if scc[start].is_none() {
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
            if steps > MOST_STEPS || found.list.len() >= MOST_CYCLES {
                found.complete = false;
                return found;
            }
            if edge.0 == start {
                edges.push(edge);
                let tokens = edges.iter().map(|e| e.2).sum::<u32>();
                found.list.push(Cycle {
                    edges: edges.iter().map(|e| (e.0, e.1)).collect(),
                    tokens: tokens.max(1),
                    outer: edges.iter().any(|e| e.3),
                });
                edges.pop();
            } else if edge.0 > start && !on_path[edge.0] {
                on_path[edge.0] = true;
                edges.push(edge);
                path.push((edge.0, 0));
            }
        }
    }
    found
}
