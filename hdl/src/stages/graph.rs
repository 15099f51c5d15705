//! A body as a graph of operators; slices, concatenations and copies are wiring that the graph looks through.

use super::{delay, Body};
use crate::ir::expr::{ExprKind, NetId};
use crate::ir::module::Item;
use crate::ir::{Expr, Module};
use num_bigint::BigUint;
use std::collections::HashMap;

/// What a node is. Numbers are nodes before it.
pub(super) enum Shape {
    /// An input, as the module that is written knows it.
    Input(Expr),
    Const(Expr),
    Concat(Vec<usize>),
    /// Bits from that one up.
    Slice(usize, u32),
    Repeat(usize, u32),
    /// An operator as the body has it, and its operands.
    Op(Expr, Vec<usize>),
}

/// A value.
pub(super) struct Node {
    pub width: u32,
    pub shape: Shape,
    /// Its wire, or the wire that it is part of.
    pub name: String,
    /// Whether it was a wire of the body. An operator stays one, wiring where several operators of a stage read it.
    pub is_wire: bool,
    /// Comments that stand before it.
    pub comments: Vec<String>,
}

/// Bits of an input or operator that something reads.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub node: usize,
    pub low: u32,
    pub width: u32,
    /// From there to the reader, beside the reader's own delay.
    pub delay: u32,
}

/// A body.
pub(super) struct Graph {
    /// Operands before operators.
    pub nodes: Vec<Node>,
    /// By node: what an operator reads, with its delay from there; nothing for the others.
    pub reads: Vec<Vec<Piece>>,
    pub results: Vec<usize>,
    /// What is deliberately not used.
    pub unused: Vec<usize>,
    /// By node: whether a result needs it.
    pub live: Vec<bool>,
}

impl Graph {
    pub fn read(body: Body, inputs: &[(&str, Expr)]) -> Graph {
        let items = body.module.items.clone();
        let mut reader = Reader {
            values: vec![None; body.module.nets.len()],
            module: body.module,
            nodes: Vec::new(),
            by_net: HashMap::new(),
            by_expr: HashMap::new(),
            kept: Vec::new(),
            within: "result".into(),
            comments: Vec::new(),
        };
        for (name, value) in inputs {
            let net = reader.module.port(name).and_then(|p| p.net);
            // A value of width 0 has no net.
            if let Some(net) = net {
                let node = reader.add(value.width(), Shape::Input(value.clone()));
                reader.nodes[node].name = name.to_string();
                reader.by_net.insert(net, node);
            }
        }
        let mut unused = Vec::new();
        for item in items {
            match item {
                Item::Comment(text) => reader.comments.push(text),
                Item::Wire(net, value) => {
                    reader.define(net, value);
                }
                Item::Unused(value) => unused.push(reader.node(&value)),
                _ => unreachable!("a body has wires only"),
            }
        }
        let results = body.results.iter().map(|e| reader.node(e)).collect();
        Graph::new(reader.nodes, results, unused)
    }

    fn new(nodes: Vec<Node>, results: Vec<usize>, unused: Vec<usize>) -> Graph {
        let reads = vec![Vec::new(); nodes.len()];
        let mut graph = Graph { live: vec![false; nodes.len()], nodes, reads, results, unused };
        for n in 0..graph.nodes.len() {
            if let Shape::Op(op, operands) = &graph.nodes[n].shape {
                let mut reads = Vec::new();
                for (&operand, delay) in operands.iter().zip(delay::of_operands(op)) {
                    let width = graph.nodes[operand].width;
                    graph.pieces(Piece { node: operand, low: 0, width, delay }, &mut reads);
                }
                graph.reads[n] = reads;
            }
        }
        let mut todo: Vec<usize> = graph.result_pieces().map(|p| p.node).collect();
        while let Some(n) = todo.pop() {
            if !std::mem::replace(&mut graph.live[n], true) {
                todo.extend(graph.reads[n].iter().map(|p| p.node));
            }
        }
        graph
    }

    /// The inputs and operators behind bits of a node.
    pub fn pieces(&self, of: Piece, out: &mut Vec<Piece>) {
        let Piece { node, low, width, delay } = of;
        match &self.nodes[node].shape {
            Shape::Const(_) => {}
            Shape::Input(_) | Shape::Op(..) => out.push(of),
            Shape::Slice(inner, from) => self.pieces(Piece { node: *inner, low: low + from, ..of }, out),
            Shape::Repeat(inner, times) => {
                let width = self.nodes[*inner].width;
                let delay = delay + delay::of_copies(*times);
                self.pieces(Piece { node: *inner, low: 0, width, delay }, out);
            }
            Shape::Concat(parts) => {
                let mut at = self.nodes[node].width;
                for &part in parts {
                    at -= self.nodes[part].width;
                    let from = low.max(at);
                    let to = (low + width).min(at + self.nodes[part].width);
                    if from < to {
                        self.pieces(Piece { node: part, low: from - at, width: to - from, delay }, out);
                    }
                }
            }
        }
    }

    /// What the results read.
    pub fn result_pieces(&self) -> impl Iterator<Item = Piece> + '_ {
        self.results.iter().flat_map(|&node| {
            let mut pieces = Vec::new();
            self.pieces(Piece { node, low: 0, width: self.nodes[node].width, delay: 0 }, &mut pieces);
            pieces
        })
    }
}

/// A body while it is read; operators that are taken apart become wires of it.
pub(super) struct Reader {
    module: Module,
    nodes: Vec<Node>,
    /// By net: the value of a wire.
    values: Vec<Option<Expr>>,
    by_net: HashMap<NetId, usize>,
    /// By address of a shared expression.
    by_expr: HashMap<usize, usize>,
    /// Expressions whose address is known: they have to stay where they are.
    kept: Vec<Expr>,
    /// The wire that is read.
    within: String,
    comments: Vec<String>,
}

impl Reader {
    fn add(&mut self, width: u32, shape: Shape) -> usize {
        let name = format!("{}_part", self.within);
        self.nodes.push(Node { width, shape, name, is_wire: false, comments: Vec::new() });
        self.nodes.len() - 1
    }

    /// Reads a wire of the body.
    fn define(&mut self, net: NetId, value: Expr) {
        let name = self.module.nets[net.index()].name.to_string();
        let outer = std::mem::replace(&mut self.within, name.clone());
        let node = self.node(&value);
        self.within = outer;
        self.by_net.insert(net, node);
        let comments = std::mem::take(&mut self.comments);
        let node = &mut self.nodes[node];
        // Another name of the same value stays unsaid.
        if matches!(node.shape, Shape::Op(..) | Shape::Concat(_)) && !node.is_wire {
            (node.name, node.is_wire) = (name, true);
        }
        node.comments.extend(comments);
    }

    /// A new wire of the body, named after the one that is read.
    pub fn wire(&mut self, name: &str, value: Expr) -> Expr {
        let name = format!("{}_{name}", self.within.trim_end_matches("_part"));
        let wire = self.module.wire(&name, value.clone());
        if let Some(net) = wire.as_net() {
            self.values.resize(self.module.nets.len(), None);
            // Read when it is asked for.
            self.values[net.index()] = Some(value);
        }
        wire
    }

    /// A value whose slices are wiring: slices of an operator would become operators of their own.
    pub fn stored(&mut self, name: &str, e: &Expr) -> Expr {
        match e.node() {
            ExprKind::Net(..) | ExprKind::Const(..) | ExprKind::Empty => e.clone(),
            ExprKind::Slice(inner, low) => self.stored(name, inner).slice(*low, e.width()),
            ExprKind::Repeat(inner, times) => self.stored(name, inner).repeat(*times),
            ExprKind::Concat(parts) => {
                let parts: Vec<Expr> = parts.iter().map(|p| self.stored(name, p)).collect();
                Expr::concat(&parts)
            }
            _ => self.wire(name, e.clone()),
        }
    }

    /// The node of an expression of the body.
    fn node(&mut self, e: &Expr) -> usize {
        if let Some(net) = e.as_net() {
            if let Some(&node) = self.by_net.get(&net) {
                return node;
            }
            let value = self.values[net.index()].take().expect("a wire is read after its definition");
            self.define(net, value);
            return self.by_net[&net];
        }
        let address = std::ptr::from_ref(e.node()) as usize;
        if let Some(&node) = self.by_expr.get(&address) {
            return node;
        }
        let node = match self.expanded(e) {
            Some(small) => self.node(&small),
            None => self.new_node(e),
        };
        self.by_expr.insert(address, node);
        self.kept.push(e.clone());
        node
    }

    /// The value of bits that wiring makes of constants alone, whatever else is in the node.
    fn constant(&self, node: usize, low: u32, width: u32) -> Option<BigUint> {
        let cut = |value: BigUint| (value >> low) & ((BigUint::from(1u32) << width) - 1u32);
        match &self.nodes[node].shape {
            Shape::Const(value) => Some(cut(value.as_const().cloned().unwrap_or_default())),
            Shape::Slice(inner, from) => self.constant(*inner, from + low, width),
            Shape::Concat(parts) => {
                let (mut value, mut at) = (BigUint::ZERO, self.nodes[node].width);
                for &part in parts {
                    let size = self.nodes[part].width;
                    at -= size;
                    let (from, to) = (low.max(at), (low + width).min(at + size));
                    if from < to {
                        value = (value << (to - from)) | self.constant(part, from - at, to - from)?;
                    }
                }
                Some(value)
            }
            Shape::Repeat(inner, times) => {
                let size = self.nodes[*inner].width;
                let value = self.constant(*inner, 0, size)?;
                Some(cut((0..*times).fold(BigUint::ZERO, |all, _| (all << size) | &value)))
            }
            Shape::Input(_) | Shape::Op(..) => None,
        }
    }

    /// An operator and its operands; what constants make of it where they say all.
    fn operator(&mut self, e: &Expr, operands: &[&Expr]) -> usize {
        let nodes: Vec<usize> = operands.iter().map(|operand| self.node(operand)).collect();
        let known = |(&node, &operand): (&usize, &&Expr)| match self.constant(node, 0, operand.width()) {
            Some(value) => Expr::konst(operand.width(), value),
            None => operand.clone(),
        };
        let known: Vec<Expr> = nodes.iter().zip(operands).map(known).collect();
        let folded = e.with_operands(&known);
        match known.iter().position(|operand| operand.is_same(&folded)) {
            Some(at) => nodes[at],
            None if folded.as_const().is_some() => self.add(e.width(), Shape::Const(folded)),
            None => self.add(e.width(), Shape::Op(e.clone(), nodes)),
        }
    }

    fn new_node(&mut self, e: &Expr) -> usize {
        let shape = match e.node() {
            ExprKind::Empty | ExprKind::Const(..) => Shape::Const(e.clone()),
            ExprKind::Net(..) => unreachable!("a net has its node"),
            ExprKind::Slice(inner, low) => Shape::Slice(self.node(inner), *low),
            ExprKind::Repeat(inner, times) => Shape::Repeat(self.node(inner), *times),
            ExprKind::Concat(parts) => Shape::Concat(parts.iter().map(|p| self.node(p)).collect()),
            ExprKind::Unary(_, a) => return self.operator(e, &[a]),
            ExprKind::Binary(_, a, b) => return self.operator(e, &[a, b]),
            ExprKind::Mux(a, b, c) => return self.operator(e, &[a, b, c]),
        };
        self.add(e.width(), shape)
    }
}
