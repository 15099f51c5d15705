//! A function's jumps as a graph of nodes, with what is live where.
//!
//! A node lists operations of the source; several nodes may list the same ones, so a block is copied by copying
//! its node. What they define are *variables*: each value of the source is one, written where its operation stands and, for
//! arguments of blocks, on the edges. The emitter turns them into values again.

use crate::bits::Bits;
use crate::hints::Hints;
use crate::ir::{BlockId, Func, Kind, OpId, ValueDef, ValueId, ValueType};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Index of a node in [`FlowGraph::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowNodeId(pub u32);

/// A jump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub to: FlowNodeId,
    /// Variables that are written at once, each with what it gets.
    pub writes: Vec<(ValueId, ValueId)>,
}

/// How a node ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// The only node without edges: the function returns the graph's results.
    Return,
    /// One edge.
    Jump,
    /// The edges for true and for false.
    Test(ValueId),
    /// The default edge, then one for each case.
    Switch(ValueId, Vec<i64>),
}

/// A block, or a copy of one.
#[derive(Clone, Debug)]
pub struct FlowNode {
    pub ops: Vec<OpId>,
    pub end: Terminator,
    pub edges: Vec<Edge>,
    /// What its jump says about the innermost loop around it.
    pub hints: Hints,
    /// Where its jump stands.
    pub span: Option<Range<usize>>,
}

/// The jumps of one function.
pub struct FlowGraph<'f> {
    pub func: &'f Func,
    pub nodes: Vec<FlowNode>,
    pub entry: FlowNodeId,
    /// Variables that have no value in the source: their types, and the names they take.
    extra: Vec<(ValueType, Option<ValueId>)>,
    /// The extra variables that the return takes.
    pub results: Vec<ValueId>,
    /// Operations that stand at the top, whoever uses them: they need nothing.
    pub hoisted: Vec<OpId>,
}

impl<'f> FlowGraph<'f> {
    /// The graph of what the entry reaches, without empty nodes in between.
    pub fn new(func: &'f Func, blocks: &[BlockId]) -> FlowGraph<'f> {
        let at: BTreeMap<BlockId, FlowNodeId> =
            blocks.iter().enumerate().map(|(i, &b)| (b, FlowNodeId(i as u32))).collect();
        let exit = FlowNodeId(blocks.len() as u32);
        let (nodes, extra, results, hoisted) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut graph = FlowGraph { func, nodes, entry: FlowNodeId(0), extra, results, hoisted };
        graph.results = func.result_types.iter().map(|ty| graph.new_variable(ty.clone(), None)).collect();
        for &block in blocks {
            let node = graph.node_of(block, &at, exit);
            graph.nodes.push(node);
        }
        let (end, hints) = (Terminator::Return, Hints::default());
        graph.nodes.push(FlowNode { ops: Vec::new(), end, edges: Vec::new(), hints, span: None });
        graph.skip_empty();
        graph
    }

    fn node_of(&mut self, block: BlockId, at: &BTreeMap<BlockId, FlowNodeId>, exit: FlowNodeId) -> FlowNode {
        let func = self.func;
        let (&end, ops) = func.block(block).ops.split_last().expect("a verified block has a terminator");
        let end = func.op(end);
        let (top, ops): (Vec<OpId>, Vec<OpId>) = ops
            .iter()
            .filter(|&&o| !func.op(o).kind.is_view())
            .partition(|&&o| needs_nothing(&func.op(o).kind));
        self.hoisted.extend(top);
        let mut edges: Vec<Edge> = (end.successors.iter())
            .map(|s| {
                let arguments = func.block(s.block).arguments.iter();
                Edge {
                    to: at[&s.block],
                    writes: arguments.copied().zip(s.arguments.iter().copied()).collect(),
                }
            })
            .collect();
        let mut kind = match &end.kind {
            Kind::Return => {
                let writes = self.results.iter().copied().zip(end.operands.iter().copied()).collect();
                edges = vec![Edge { to: exit, writes }];
                Terminator::Jump
            }
            Kind::CondBr => Terminator::Test(end.operands[0]),
            Kind::Switch { cases } => Terminator::Switch(end.operands[0], cases.clone()),
            _ => Terminator::Jump,
        };
        // A literal condition is no exit: a loop that only seems to end is refused.
        if let Terminator::Test(condition) = kind {
            if let Some(bits) = crate::edit::constant(func, condition) {
                edges = vec![edges.swap_remove(usize::from(bits & 1 == 0))];
                kind = Terminator::Jump;
            }
        }
        if edges.len() > 1 && edges.iter().all(|e| *e == edges[0]) {
            edges.truncate(1);
            kind = Terminator::Jump;
        }
        FlowNode { ops, end: kind, edges, hints: end.hints, span: end.span.clone() }
    }

    /// Lets every edge into an empty node that only jumps on go where that goes. Headers of loops stay: two loops
    /// that begin in one node would become one.
    fn skip_empty(&mut self) {
        let order = self.order();
        let rank = self.ranks(&order);
        let mut is_header = vec![false; self.nodes.len()];
        for &n in &order {
            for e in &self[n].edges {
                is_header[e.to.0 as usize] |= rank[e.to.0 as usize] <= rank[n.0 as usize];
            }
        }
        let empty = |graph: &FlowGraph, n: FlowNodeId| {
            let node = &graph[n];
            node.ops.is_empty()
                && node.end == Terminator::Jump
                && node.hints.is_empty()
                && !is_header[n.0 as usize]
        };
        // In postorder a target has been shortened before those that jump to it.
        for &n in order.iter().rev() {
            for k in 0..self[n].edges.len() {
                let edge = self[n].edges[k].clone();
                if !empty(self, edge.to) {
                    continue;
                }
                let next = self[edge.to].edges[0].clone();
                let through = |v: ValueId| edge.writes.iter().find(|w| w.0 == v).map_or(v, |w| w.1);
                let mut writes: Vec<(ValueId, ValueId)> =
                    next.writes.iter().map(|&(v, from)| (v, through(from))).collect();
                // What the skipped node's own arguments got may be used further on.
                let others = edge.writes.iter().filter(|w| next.writes.iter().all(|x| x.0 != w.0));
                writes.extend(others);
                self.nodes[n.0 as usize].edges[k] = Edge { to: next.to, writes };
            }
        }
        while empty(self, self.entry) {
            let next = &self[self.entry].edges[0];
            if !next.writes.is_empty() {
                break;
            }
            self.entry = next.to;
        }
    }

    /// What the entry reaches, in reverse postorder: without cycles each node comes after those that lead to it.
    pub fn order(&self) -> Vec<FlowNodeId> {
        let mut seen = vec![false; self.nodes.len()];
        let mut out = Vec::new();
        let mut stack = vec![(self.entry, 0usize)];
        seen[self.entry.0 as usize] = true;
        while let Some(top) = stack.last_mut() {
            let (node, next) = *top;
            top.1 += 1;
            match self[node].edges.get(next).map(|e| e.to) {
                Some(to) if !seen[to.0 as usize] => {
                    seen[to.0 as usize] = true;
                    stack.push((to, 0));
                }
                Some(_) => {}
                None => {
                    out.push(node);
                    stack.pop();
                }
            }
        }
        out.reverse();
        out
    }

    /// The place of each node in an order; those outside of it come last.
    pub fn ranks(&self, order: &[FlowNodeId]) -> Vec<usize> {
        let mut rank = vec![usize::MAX; self.nodes.len()];
        for (i, n) in order.iter().enumerate() {
            rank[n.0 as usize] = i;
        }
        rank
    }

    pub fn add(&mut self, node: FlowNode) -> FlowNodeId {
        self.nodes.push(node);
        FlowNodeId(self.nodes.len() as u32 - 1)
    }

    /// A variable that is none of the source's.
    pub fn new_variable(&mut self, ty: ValueType, named_like: Option<ValueId>) -> ValueId {
        self.extra.push((ty, named_like));
        ValueId(self.variables() as u32 - 1)
    }

    /// The type of a variable.
    pub fn ty(&self, variable: ValueId) -> &ValueType {
        match self.func.values.get(variable.0 as usize) {
            Some(value) => &value.ty,
            None => &self.extra[variable.0 as usize - self.func.values.len()].0,
        }
    }

    /// The name of a variable, which may be empty.
    pub fn name(&self, variable: ValueId) -> &str {
        match self.func.values.get(variable.0 as usize) {
            Some(value) => &value.name,
            None => {
                let like = self.extra[variable.0 as usize - self.func.values.len()].1;
                like.map_or("", |v| &self.func.value(v).name)
            }
        }
    }

    pub fn variables(&self) -> usize {
        self.func.values.len() + self.extra.len()
    }

    /// The variables that an operation reads, those of its regions included; a view is what it is made from.
    pub fn reads(&self, op: OpId, out: &mut Vec<ValueId>) {
        self.func.op(op).operands.iter().for_each(|&v| self.read(v, out));
        let inside = crate::edit::walk_inside(self.func, op);
        if inside.is_empty() {
            return;
        }
        let parents = crate::edit::Parents::new(self.func);
        for v in inside.iter().flat_map(|&o| &self.func.op(o).operands) {
            if parents.is_outside(self.func, *v, op) {
                self.read(*v, out);
            }
        }
    }

    pub fn read(&self, value: ValueId, out: &mut Vec<ValueId>) {
        match self.view_behind(value) {
            Some(view) => self.func.op(view).operands.iter().for_each(|&v| self.read(v, out)),
            None => out.push(value),
        }
    }

    /// The operation of a value that is made anew wherever it is used.
    pub fn view_behind(&self, value: ValueId) -> Option<OpId> {
        match self.func.values.get(value.0 as usize)?.def {
            ValueDef::Result { op, .. } if self.func.op(op).kind.is_view() => Some(op),
            _ => None,
        }
    }

    /// The variables live before each node, arguments of its block included when they are read.
    pub fn live(&self, order: &[FlowNodeId]) -> Vec<Bits> {
        let mut live = vec![Bits::new(self.variables()); self.nodes.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for &n in order.iter().rev() {
                let now = self.live_before(n, &live);
                if now != live[n.0 as usize] {
                    live[n.0 as usize] = now;
                    changed = true;
                }
            }
        }
        live
    }

    fn live_before(&self, n: FlowNodeId, live: &[Bits]) -> Bits {
        let node = &self[n];
        let mut now = Bits::new(self.variables());
        let mut read = Vec::new();
        for edge in &node.edges {
            now.add_all(&self.live_on(edge, &live[edge.to.0 as usize]));
        }
        match &node.end {
            Terminator::Return => self.results.iter().for_each(|&v| now.add(v.0)),
            Terminator::Test(v) | Terminator::Switch(v, _) => now.add(v.0),
            Terminator::Jump => {}
        }
        for &op in node.ops.iter().rev() {
            self.func.op(op).results.iter().for_each(|&v| now.remove(v.0));
            read.clear();
            self.reads(op, &mut read);
            read.iter().for_each(|&v| now.add(v.0));
        }
        now
    }

    /// The variables live at the start of an edge whose target has `after` live.
    pub fn live_on(&self, edge: &Edge, after: &Bits) -> Bits {
        let mut on = after.clone();
        edge.writes.iter().for_each(|w| on.remove(w.0 .0));
        let mut read = Vec::new();
        for &(_, from) in edge.writes.iter().filter(|w| after.has(w.0 .0)) {
            self.read(from, &mut read);
        }
        read.iter().for_each(|&v| on.add(v.0));
        on
    }

    /// Whether an operation may run more or less often than it says.
    pub fn is_free(&self, op: OpId) -> bool {
        matches!(self.func.op(op).kind, Kind::Scalar(op) if op.kind().is_speculatable())
    }

    /// Whether an operation only computes.
    pub fn is_pure(&self, op: OpId) -> bool {
        matches!(self.func.op(op).kind, Kind::Scalar(_) | Kind::Dim)
    }

    /// The variables that some node of a set, or an edge from it, writes.
    pub fn written(&self, nodes: impl Iterator<Item = FlowNodeId>) -> BTreeSet<ValueId> {
        let mut out = BTreeSet::new();
        for n in nodes {
            let node = &self[n];
            out.extend(node.ops.iter().flat_map(|&op| &self.func.op(op).results));
            out.extend(node.edges.iter().flat_map(|e| e.writes.iter().map(|w| w.0)));
        }
        out
    }
}

impl std::ops::Index<FlowNodeId> for FlowGraph<'_> {
    type Output = FlowNode;

    fn index(&self, n: FlowNodeId) -> &FlowNode {
        &self.nodes[n.0 as usize]
    }
}

fn needs_nothing(kind: &Kind) -> bool {
    matches!(kind, Kind::Constant(_) | Kind::Poison | Kind::GetGlobal(_))
}
