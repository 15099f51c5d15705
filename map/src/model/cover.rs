//! A netlist with covers: of each, all ops are one compound node (D14).
//!
//! A cover is a list of ops of a netlist in the order in which they are evaluated: what the first operand needs, what the second one needs,
//! the op itself. Guarantees: the compound node stands where its last op stood, and has that op's name, place in the source and result;
//! other nodes and all values that are still seen keep their order and names. The ops as they were can be read from the
//! node. Refuses, in words, what is no tree of arithmetic, ops in two covers, and lists in another order.

use super::bodies::is_coverable;
use super::netlist::netlist;
use loom_dfg::graph::{Graph, Use, ValueDef};
use loom_dfg::{CoveredOp, CoveredSource, Node, NodeId, ValueId};

/// Ops of one cover at most. Units have a few; what a file says may be anything.
pub const MOST_OPS: usize = 64;

/// The netlist of a graph, with these covers.
pub fn netlist_with(graph: &Graph, index_width: u32, covers: &[Vec<NodeId>]) -> Result<Graph, String> {
    let net = netlist(graph, index_width);
    match covers.is_empty() {
        true => Ok(net),
        false => covered(&net, covers),
    }
}

/// The netlist with these covers.
pub fn covered(net: &Graph, covers: &[Vec<NodeId>]) -> Result<Graph, String> {
    let uses = net.uses();
    let mut nodes: Vec<Option<Node>> = net.nodes.iter().cloned().map(Some).collect();
    let mut taken = vec![false; net.nodes.len()];
    for cover in covers {
        let node = compound(net, &uses, cover)?;
        for (i, n) in cover.iter().map(|n| n.0 as usize).enumerate() {
            if std::mem::replace(&mut taken[n], true) {
                return Err(format!("op {n} is in two covers"));
            }
            nodes[n] = (i + 1 == cover.len()).then(|| node.clone());
        }
    }
    Ok(renumbered(net, nodes))
}

/// The node that a cover makes, on values of the netlist. Errors: what is no cover.
pub fn compound(net: &Graph, uses: &[Vec<Use>], cover: &[NodeId]) -> Result<Node, String> {
    let &[_, .., last] = cover else { return Err("a cover has one op".into()) };
    if cover.len() > MOST_OPS {
        return Err(format!("a cover has {} ops, the most are {MOST_OPS}", cover.len()));
    }
    if let Some(n) = cover.iter().find(|n| n.0 as usize >= net.nodes.len()) {
        return Err(format!("op {} is not there", n.0));
    }
    if let Some(&n) = cover.iter().find(|&&n| !is_coverable(net.kind(n))) {
        return Err(format!("op {} (`{}`) stands alone", n.0, net.kind(n)));
    }
    let root = net.node(last);
    let (operands, read_as, covers) = (Vec::new(), Vec::new(), Vec::new());
    let node = Node {
        op: root.op,
        operands,
        results: root.results.clone(),
        read_as,
        covers,
        span: root.span.clone(),
    };
    let mut tree = Tree { net, uses, cover, node, order: Vec::new() };
    tree.add(last)?;
    match tree.order == cover {
        true => Ok(tree.node),
        false => {
            Err(format!("the ops before op {} are no tree, or not in the order of its operands", last.0))
        }
    }
}

struct Tree<'a> {
    net: &'a Graph,
    uses: &'a [Vec<Use>],
    cover: &'a [NodeId],
    node: Node,
    order: Vec<NodeId>,
}

impl Tree<'_> {
    /// Adds an op behind what gives its operands; returns its place.
    fn add(&mut self, n: NodeId) -> Result<usize, String> {
        let this = self.net.node(n);
        let mut operands = Vec::new();
        for (i, &v) in this.operands.iter().enumerate() {
            let ty = self.net.operand_type(this, i);
            let source = match self.net.value(v).def {
                ValueDef::Result { node, .. } if self.cover.contains(&node) => {
                    // So each op is come to once, and none goes round.
                    if self.uses[v.0 as usize].len() != 1 || self.cover.last() == Some(&node) {
                        let name = &self.net.value(v).name;
                        return Err(format!("`%{name}` is used elsewhere too"));
                    }
                    CoveredSource::Op(self.add(node)?)
                }
                _ => {
                    let operand = self.node.operands.len();
                    self.node.operands.push(v);
                    if ty != self.net.value(v).ty {
                        self.node.read_as.push((operand, ty));
                    }
                    CoveredSource::Operand(operand)
                }
            };
            operands.push((source, ty));
        }
        let result = self.net.value(this.results[0]);
        let (op, name) = (this.op, result.name.clone());
        self.node.covers.push(CoveredOp { op, operands, result: result.ty, name });
        self.order.push(n);
        Ok(self.order.len() - 1)
    }
}

/// The netlist with those of its nodes that are left.
fn renumbered(net: &Graph, nodes: Vec<Option<Node>>) -> Graph {
    let mut count = 0;
    let number: Vec<Option<NodeId>> = (nodes.iter())
        .map(|node| {
            count += u32::from(node.is_some());
            node.as_ref().map(|_| NodeId(count - 1))
        })
        .collect();
    let mut out = Graph {
        memories: net.memories.clone(),
        max_join_fanin: net.max_join_fanin,
        profile: net.profile.clone(),
        ..Graph::new(net.name.clone())
    };
    let mut new: Vec<Option<ValueId>> = vec![None; net.values.len()];
    for (value, new) in net.values.iter().zip(&mut new) {
        let def = match value.def {
            ValueDef::Result { node, result } => {
                let Some(node) = number[node.0 as usize] else { continue };
                ValueDef::Result { node, result }
            }
            def => def,
        };
        *new = Some(ValueId(out.values.len() as u32));
        out.values.push(loom_dfg::graph::Value { def, ..value.clone() });
    }
    let at = |v: &ValueId| new[v.0 as usize].expect("nobody outside uses what a cover hides");
    out.arguments = net.arguments.iter().map(at).collect();
    for output in &net.outputs {
        out.add_output(output.name.clone(), at(&output.value));
    }
    out.nodes = (nodes.into_iter().flatten())
        .map(|node| Node {
            operands: node.operands.iter().map(at).collect(),
            results: node.results.iter().map(at).collect(),
            ..node
        })
        .collect();
    out
}
