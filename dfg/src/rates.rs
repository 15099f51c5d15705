//! Rates: which values and ops of a graph move together, iteration by iteration, and which loops lie inside which.
//!
//! Values of different loops move at different rates. Operands that start an activation, and the exit side of a loop's
//! `cond_br`, belong to the loop outside; everything else has the rate of its op. A `cond_br` or `mux` on a condition that is data
//! counts as firing on both sides each time; [`Rates::certain`] joins only what fires in every iteration, whatever data say.

use crate::phases::Takes;
use crate::{Graph, Node, NodeId, OpKind, ValueId};

/// Loops inside one another beyond this make no difference to anybody.
const MOST_LEVELS: u32 = 4;

/// The rates of a graph.
pub struct Rates {
    /// By value, then by node: the representative of its rate.
    of: Vec<usize>,
    values: usize,
    certain: bool,
    conditions: Vec<bool>,
}

/// Whether each value is a condition of a loop: drives a `carry`, `invariant` or `gate`, or comes from a `stream` or
/// `gate`.
fn loop_conditions(graph: &Graph) -> Vec<bool> {
    let mut is = vec![false; graph.values.len()];
    for node in &graph.nodes {
        let kind = node.op.kind();
        if let Some(operand) = kind.loop_condition() {
            is[node.operands[operand].0 as usize] = true;
        }
        if let Some(result) = kind.gives_condition() {
            is[node.results[result].0 as usize] = true;
        }
    }
    is
}

fn find(parent: &mut [usize], mut x: usize) -> usize {
    while parent[x] != x {
        parent[x] = parent[parent[x]];
        x = parent[x];
    }
    x
}

impl Rates {
    /// Finds the rates: sets of values and nodes joined by what is taken and given in every firing.
    pub fn new(graph: &Graph) -> Rates {
        Rates::joined(graph, false)
    }

    /// The same without what data decide: no side of a branch goes with its condition, and nothing of what a `mux` chooses from with
    /// what it gives. So of two that have one rate neither ever fires without the other, but for what the end of an activation
    /// leaves out.
    pub fn certain(graph: &Graph) -> Rates {
        Rates::joined(graph, true)
    }

    fn joined(graph: &Graph, certain: bool) -> Rates {
        let values = graph.values.len();
        let conditions = loop_conditions(graph);
        let mut rates = Rates { of: Vec::new(), values, certain, conditions };
        let mut parent: Vec<usize> = (0..values + graph.nodes.len()).collect();
        let mut join = |a: usize, b: ValueId| {
            let (a, b) = (find(&mut parent, a), find(&mut parent, b.0 as usize));
            parent[a.max(b)] = a.min(b);
        };
        for (n, node) in graph.nodes.iter().enumerate() {
            let kind = node.op.kind();
            for (operand, &v) in node.operands.iter().enumerate() {
                // An immediate has no tokens: ops that share one need not move together.
                if rates.is_steady(kind, operand) && graph.literal(v).is_none() {
                    join(values + n, v);
                }
            }
            for (result, &v) in node.results.iter().enumerate() {
                if !rates.is_exit(node, result) && !rates.is_side(node) {
                    join(values + n, v);
                }
            }
        }
        rates.of = (0..parent.len()).map(|x| find(&mut parent, x)).collect();
        rates
    }

    /// The rate of a value's tokens.
    pub fn value(&self, v: ValueId) -> usize {
        self.of[v.0 as usize]
    }

    /// The rate of a node's firings.
    pub fn node(&self, n: NodeId) -> usize {
        self.of[self.values + n.0 as usize]
    }

    /// Whether an operand is taken in each firing, as far as these rates go.
    pub fn is_steady(&self, kind: OpKind, operand: usize) -> bool {
        let is_chosen = self.certain && operand > 0 && matches!(kind, OpKind::Mux(_));
        kind.takes(operand).is_steady() && !is_chosen
    }

    /// Whether data decide which result of a node has a token.
    fn is_side(&self, node: &Node) -> bool {
        self.certain && node.op.kind() == OpKind::CondBr && !self.conditions[node.operands[0].0 as usize]
    }

    /// Whether a result leaves a loop: the false side of a branch on a loop's condition.
    pub fn is_exit(&self, node: &Node, result: usize) -> bool {
        let kind = node.op.kind();
        let branches = kind == OpKind::CondBr && result == 1;
        kind.is_exit(result) || branches && self.conditions[node.operands[0].0 as usize]
    }

    /// By rate: loops inside it, one inside the other, as far as that matters.
    pub fn heights(&self, graph: &Graph) -> Vec<u32> {
        let mut height = vec![0u32; self.of.len()];
        for _ in 0..MOST_LEVELS {
            for n in graph.node_ids() {
                let node = graph.node(n);
                let inner = height[self.node(n)];
                let mut raise = |v: ValueId| {
                    if self.value(v) != self.node(n) {
                        let outer = &mut height[self.value(v)];
                        *outer = (*outer).max(inner + 1).min(MOST_LEVELS);
                    }
                };
                for (operand, &v) in node.operands.iter().enumerate() {
                    if node.op.kind().takes(operand) == Takes::First {
                        raise(v);
                    }
                }
                for (result, &v) in node.results.iter().enumerate() {
                    if self.is_exit(node, result) {
                        raise(v);
                    }
                }
            }
        }
        height
    }
}
