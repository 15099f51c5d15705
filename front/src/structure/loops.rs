//! The loops of a graph, nested, each entered at its header only.
//!
//! A loop is a strongly connected part of what encloses it. A part that is entered in two places (a jump into a loop) is
//! split: all but one entry lead to copies of the nodes they reach, which the loop's header joins again. Splitting
//! can double a function each time, so it has a budget.

use super::graph::{FlowGraph, FlowNodeId};
use crate::codes;
use loom_base::{Diagnostic, Diagnostics};

/// Operations and jumps that splitting may copy in one function.
const MOST_COPIES: usize = 400;

/// Index of a loop in [`Loops::list`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoopId(pub u32);

/// One loop.
#[derive(Clone, Debug)]
pub struct Loop {
    pub header: FlowNodeId,
    pub parent: Option<LoopId>,
    /// All its nodes, those of inner loops included.
    pub nodes: Vec<FlowNodeId>,
}

/// The loops of a graph.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    pub list: Vec<Loop>,
    /// The innermost loop around each node.
    pub of: Vec<Option<LoopId>>,
    /// The loop that a node is the header of.
    pub headed: Vec<Option<LoopId>>,
}

impl Loops {
    /// Finds the loops, and splits what is entered in several places.
    pub fn new(graph: &mut FlowGraph) -> Result<Loops, Diagnostics> {
        let mut loops = Loops::default();
        let mut copied = 0;
        let mut work = vec![(graph.order(), None, None)];
        while let Some((mut nodes, header, parent)) = work.pop() {
            loops.resize(graph);
            // Copies join the part they were made in, which then has other cycles.
            let found = loop {
                let cycles = cycles(graph, &nodes, header);
                let entered = |c: &Vec<FlowNodeId>| entries(graph, c);
                match cycles.iter().map(|c| (c, entered(c))).find(|(_, e)| e.len() > 1) {
                    None => break cycles,
                    Some((cycle, entries)) => split(graph, cycle, &entries, &mut nodes, &mut copied)?,
                }
            };
            loops.resize(graph);
            for &n in &nodes {
                loops.of[n.0 as usize] = parent;
            }
            for cycle in found {
                let id = LoopId(loops.list.len() as u32);
                let header = entries(graph, &cycle)[0];
                loops.headed[header.0 as usize] = Some(id);
                loops.list.push(Loop { header, parent, nodes: cycle.clone() });
                work.push((cycle, Some(header), Some(id)));
            }
        }
        // Copies that were made inside of a loop are in all loops around it.
        for l in &mut loops.list {
            l.nodes.clear();
        }
        for n in graph.order() {
            let mut around = loops.of[n.0 as usize];
            while let Some(l) = around {
                loops[l].nodes.push(n);
                around = loops[l].parent;
            }
        }
        Ok(loops)
    }

    fn resize(&mut self, graph: &FlowGraph) {
        self.of.resize(graph.nodes.len(), None);
        self.headed.resize(graph.nodes.len(), None);
    }

    /// Takes a new node in.
    pub fn add(&mut self, node: FlowNodeId, inside: Option<LoopId>) {
        debug_assert_eq!(node.0 as usize, self.of.len());
        self.of.push(inside);
        self.headed.push(None);
        let mut around = inside;
        while let Some(l) = around {
            self[l].nodes.push(node);
            around = self[l].parent;
        }
    }

    /// Whether a node is in a loop, or in no particular one.
    pub fn is_in(&self, node: FlowNodeId, l: Option<LoopId>) -> bool {
        let mut around = self.of[node.0 as usize];
        while around != l {
            match around {
                Some(inner) => around = self[inner].parent,
                None => return false,
            }
        }
        true
    }

    /// The innermost loop that holds both nodes.
    pub fn common(&self, a: FlowNodeId, b: FlowNodeId) -> Option<LoopId> {
        let mut around = self.of[a.0 as usize];
        while !self.is_in(b, around) {
            around = around.and_then(|l| self[l].parent);
        }
        around
    }
}

impl std::ops::Index<LoopId> for Loops {
    type Output = Loop;

    fn index(&self, l: LoopId) -> &Loop {
        &self.list[l.0 as usize]
    }
}

impl std::ops::IndexMut<LoopId> for Loops {
    fn index_mut(&mut self, l: LoopId) -> &mut Loop {
        &mut self.list[l.0 as usize]
    }
}

/// The strongly connected parts of a set of nodes that hold a cycle, without the jumps back to `header`. Tarjan's
/// algorithm with a stack of its own.
fn cycles(graph: &FlowGraph, nodes: &[FlowNodeId], header: Option<FlowNodeId>) -> Vec<Vec<FlowNodeId>> {
    const OUTSIDE: u32 = u32::MAX;
    const UNSEEN: u32 = u32::MAX - 1;
    const DONE: u32 = u32::MAX - 2;
    let mut index = vec![OUTSIDE; graph.nodes.len()];
    nodes.iter().for_each(|n| index[n.0 as usize] = UNSEEN);
    let mut low = vec![0u32; graph.nodes.len()];
    let (mut path, mut found, mut next) = (Vec::new(), Vec::new(), 0u32);
    for &root in nodes {
        if index[root.0 as usize] != UNSEEN {
            continue;
        }
        let mut stack = vec![(root, 0usize)];
        while let Some(&(n, edge)) = stack.last() {
            let i = n.0 as usize;
            if edge == 0 {
                (index[i], low[i]) = (next, next);
                next += 1;
                path.push(n);
            }
            if let Some(top) = stack.last_mut() {
                top.1 += 1;
            }
            // The first visit of an edge may descend; what is below has its low when this node is seen again.
            if let Some(to) = graph[n].edges.get(edge).map(|e| e.to).filter(|&to| Some(to) != header) {
                match index[to.0 as usize] {
                    UNSEEN => stack.push((to, 0)),
                    OUTSIDE | DONE => {}
                    seen => low[i] = low[i].min(seen),
                }
                continue;
            }
            if edge < graph[n].edges.len() {
                continue;
            }
            stack.pop();
            if let Some(&(above, _)) = stack.last() {
                low[above.0 as usize] = low[above.0 as usize].min(low[i]);
            }
            if low[i] == index[i] {
                let start = path.iter().rposition(|&p| p == n).unwrap_or(0);
                let mut part = path.split_off(start);
                part.iter().for_each(|p| index[p.0 as usize] = DONE);
                part.sort();
                let itself = graph[n].edges.iter().any(|e| e.to == n && Some(n) != header);
                if part.len() > 1 || itself {
                    found.push(part);
                }
            }
        }
    }
    found.sort();
    found
}

/// The nodes of a part that are entered from outside of it.
fn entries(graph: &FlowGraph, part: &[FlowNodeId]) -> Vec<FlowNodeId> {
    let inside = |n: FlowNodeId| part.binary_search(&n).is_ok();
    let mut out: Vec<FlowNodeId> = graph
        .order()
        .into_iter()
        .filter(|&n| !inside(n))
        .flat_map(|n| graph[n].edges.iter().map(|e| e.to))
        .chain([graph.entry])
        .filter(|&n| inside(n))
        .collect();
    out.sort();
    out.dedup();
    out
}

/// Copies what the entries of a part but one reach without that one.
fn split(
    graph: &mut FlowGraph,
    part: &[FlowNodeId],
    entries: &[FlowNodeId],
    nodes: &mut Vec<FlowNodeId>,
    copied: &mut usize,
) -> Result<(), Diagnostics> {
    let size = |list: &[FlowNodeId]| list.iter().map(|&n| graph[n].ops.len() + 1).sum::<usize>();
    let candidates = entries.iter().map(|&header| {
        let others = entries.iter().copied().filter(|&e| e != header);
        (header, reached(graph, part, header, others.collect()))
    });
    let (header, reached) = candidates.min_by_key(|(_, r)| size(r)).expect("several entries");
    *copied += size(&reached);
    if *copied > MOST_COPIES {
        let message =
            format!("a loop that is entered in {} places and too large to be copied", entries.len());
        let span = entries.iter().filter(|&&e| e != header).find_map(|&e| graph[e].span.clone());
        let d = Diagnostic::error(codes::JUMPS, message).at_opt(span, "this part is entered from two sides");
        return Err(vec![d.help("jump to the loop's start only, or put a test inside of it")]);
    }
    let first = graph.nodes.len() as u32;
    let copy_of = |n: FlowNodeId| reached.binary_search(&n).ok().map(|i| FlowNodeId(first + i as u32));
    let mut copies: Vec<_> = reached.iter().map(|&n| graph[n].clone()).collect();
    for edge in copies.iter_mut().flat_map(|c| &mut c.edges) {
        edge.to = copy_of(edge.to).unwrap_or(edge.to);
    }
    for n in graph.order() {
        if part.binary_search(&n).is_err() {
            for edge in &mut graph.nodes[n.0 as usize].edges {
                edge.to = copy_of(edge.to).unwrap_or(edge.to);
            }
        }
    }
    graph.entry = copy_of(graph.entry).unwrap_or(graph.entry);
    for copy in copies {
        nodes.push(graph.add(copy));
    }
    Ok(())
}

/// The nodes of a part that can be reached from some of them without passing `header`, sorted.
pub(super) fn reached(
    graph: &FlowGraph,
    part: &[FlowNodeId],
    header: FlowNodeId,
    from: Vec<FlowNodeId>,
) -> Vec<FlowNodeId> {
    let mut out = from.clone();
    let mut work = from;
    while let Some(n) = work.pop() {
        for e in &graph[n].edges {
            if e.to != header && part.binary_search(&e.to).is_ok() && !out.contains(&e.to) {
                out.push(e.to);
                work.push(e.to);
            }
        }
    }
    out.sort();
    out
}
