//! A graph as data to draw: the netlist's ops in layers, loops of the program as nested boxes, each op with its line of the source.
//!
//! An op is in the box of the loop that the operation stands in from which it was made: the two have one place in the source. What was made of
//! nothing there stands with those that fire as often as it does.

use crate::fabric::{Extent, Rect, Spot};
use crate::layered::{Arrow, Drawing};
use loom_base::Source;
use loom_dfg::graph::Use;
use loom_dfg::op::Class;
use loom_dfg::{CoveredSource, Graph, Node, NodeId, OpKind, Rates, Type, ValueDef, ValueId};
use loom_flow::Kernel;
use loom_front::edit::{self, Parents};
use loom_front::ir::Kind;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A graph.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GraphView {
    /// Its name.
    pub name: String,
    /// The whole drawing.
    pub size: Extent,
    /// Ops in the netlist's order, as map.json has them, then arguments, then results.
    pub nodes: Vec<NodeView>,
    /// How many of the nodes are ops.
    pub ops: usize,
    /// How many are arguments.
    pub arguments: usize,
    /// Values, by number.
    pub values: Vec<ValueView>,
    /// Ways of values to their uses.
    pub edges: Vec<EdgeView>,
    /// Loops.
    pub loops: Vec<LoopView>,
    /// The program's text.
    pub source: SourceView,
}

/// An op, argument or result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NodeView {
    /// Its op, as map.json has it; `argument` or `result` otherwise.
    pub op: String,
    /// What stands in its box.
    pub label: String,
    /// `state`, `steer`, `access`, `memory`, `arith`, `argument` or `result`.
    pub class: String,
    /// What it takes.
    pub operands: Vec<OperandView>,
    /// Numbers of the values it gives.
    pub results: Vec<usize>,
    /// The loop that it is in.
    pub within: Option<usize>,
    /// Line of the source.
    pub line: Option<usize>,
    /// Where it is drawn.
    pub area: Rect,
}

/// What an op takes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OperandView {
    /// What the op calls it.
    pub name: String,
    /// Number of the value.
    pub value: usize,
    /// The bits of an immediate, in decimal.
    pub immediate: Option<String>,
}

/// A value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ValueView {
    /// Its name, without `%`.
    pub name: String,
    /// Its type.
    pub ty: String,
    /// The node that gives it; none of an immediate.
    pub from: Option<usize>,
    /// Whether it is a control token: it orders, and carries nothing.
    pub control: bool,
}

/// The way of a value to one use.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EdgeView {
    /// Number of the value.
    pub value: usize,
    /// Node that gives it.
    pub from: usize,
    /// Node that takes it.
    pub to: usize,
    /// Which of its operands.
    pub operand: usize,
    /// Whether it runs back, to the next iteration.
    pub back: bool,
    /// The line to draw.
    pub points: Vec<Spot>,
}

/// A loop.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LoopView {
    /// `for` or `while`.
    pub kind: String,
    /// Line of the source.
    pub line: Option<usize>,
    /// The loop around it.
    pub within: Option<usize>,
    /// Where it is drawn.
    pub area: Rect,
}

/// A text with its lines.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SourceView {
    /// File name as it was given.
    pub name: String,
    /// Its lines, the first being 1.
    pub lines: Vec<String>,
}

/// Loops of a program, and the loop of every node.
struct Loops {
    loops: Vec<LoopView>,
    of_node: Vec<Option<usize>>,
}

impl Loops {
    fn new(kernel: &Kernel, net: &Graph, line: &dyn Fn(usize) -> usize) -> Loops {
        let mut made = Loops { loops: Vec::new(), of_node: vec![None; net.nodes.len()] };
        let Some(compiled) = &kernel.compiled else { return made };
        let func = &compiled.plain.func;
        let parents = Parents::new(func);
        let is_loop = |kind: &Kind| matches!(kind, Kind::For { .. } | Kind::While);
        let mut number = BTreeMap::new();
        let mut by_place: BTreeMap<(usize, usize), Option<usize>> = BTreeMap::new();
        for op in edit::walk(func) {
            let record = func.op(op);
            let around = parents.around(op).into_iter().find_map(|o| number.get(&o).copied());
            let mut within = around;
            if is_loop(&record.kind) {
                number.insert(op, made.loops.len());
                within = Some(made.loops.len());
                made.loops.push(LoopView {
                    kind: if record.kind == Kind::While { "while" } else { "for" }.into(),
                    line: record.span.as_ref().map(|s| line(s.start)),
                    within: around,
                    area: Rect::default(),
                });
            }
            if let Some(span) = &record.span {
                by_place.entry((span.start, span.end)).or_insert(within);
            }
        }
        let rates = Rates::new(net);
        let mut by_rate: BTreeMap<usize, BTreeMap<Option<usize>, usize>> = BTreeMap::new();
        let place =
            |n: NodeId| net.node(n).span.as_ref().and_then(|s| by_place.get(&(s.start, s.end))).copied();
        for n in net.node_ids() {
            if let Some(within) = place(n) {
                *by_rate.entry(rates.node(n)).or_default().entry(within).or_default() += 1;
            }
        }
        for n in net.node_ids() {
            let most = || {
                let all = by_rate.get(&rates.node(n))?;
                all.iter().max_by_key(|(_, count)| **count).and_then(|(within, _)| *within)
            };
            made.of_node[n.0 as usize] = place(n).unwrap_or_else(most);
        }
        made
    }
}

impl GraphView {
    /// Draws the netlist of a kernel.
    pub fn new(kernel: &Kernel, net: &Graph, source: &Source) -> GraphView {
        let line = |offset: usize| source.line_column(offset).0;
        let Loops { mut loops, of_node } = Loops::new(kernel, net, &line);
        let mut nodes: Vec<NodeView> = net
            .node_ids()
            .map(|n| {
                let node = net.node(n);
                let mut view = op(net, n);
                view.within = of_node[n.0 as usize];
                view.line = node.span.as_ref().map(|s| line(s.start));
                view
            })
            .collect();
        let ops = nodes.len();
        nodes.extend(net.arguments.iter().map(|&v| end("argument", &net.value(v).name, None, Some(v))));
        nodes.extend(net.outputs.iter().map(|o| end("result", &o.name, Some(o.value), None)));
        let values = net.values.iter().map(|v| ValueView {
            name: v.name.clone(),
            ty: v.ty.to_string(),
            from: match v.def {
                ValueDef::Argument(k) => Some(ops + k),
                ValueDef::Result { node, .. } => Some(node.0 as usize),
                ValueDef::Literal(_) => None,
            },
            control: v.ty == Type::None,
        });
        let mut view = GraphView {
            name: net.name.to_string(),
            size: Extent::default(),
            ops,
            arguments: net.arguments.len(),
            values: values.collect(),
            edges: Vec::new(),
            nodes,
            loops: Vec::new(),
            source: SourceView {
                name: source.name.clone(),
                lines: source.text.lines().map(String::from).collect(),
            },
        };
        view.connect(net);
        view.place(net, &mut loops);
        view.loops = loops;
        view
    }

    fn connect(&mut self, net: &Graph) {
        for (value, uses) in net.uses().into_iter().enumerate() {
            let Some(from) = self.values[value].from else { continue };
            for used in uses {
                let (to, operand) = match used {
                    Use::Operand { node, operand } => (node.0 as usize, operand),
                    Use::Output(k) => (self.ops + net.arguments.len() + k, 0),
                };
                self.edges.push(EdgeView { value, from, to, operand, back: false, points: Vec::new() });
            }
        }
    }

    fn place(&mut self, net: &Graph, loops: &mut [LoopView]) {
        let closes =
            |e: &EdgeView| e.to < self.ops && net.kind(NodeId(e.to as u32)).takes(e.operand).lag() > 0;
        let arrow = |e: &EdgeView| Arrow { from: e.from, to: e.to, closes: closes(e) };
        let size = |n: &NodeView| Extent { w: n.area.w, h: n.area.h };
        let drawing = Drawing {
            items: self.nodes.iter().map(|n| (size(n), n.within)).collect(),
            boxes: loops.iter().map(|l| l.within).collect(),
            arrows: self.edges.iter().map(arrow).collect(),
        };
        let drawn = drawing.draw();
        self.size = drawn.size;
        for (node, area) in self.nodes.iter_mut().zip(&drawn.items) {
            node.area = *area;
        }
        for (l, area) in loops.iter_mut().zip(&drawn.boxes) {
            l.area = *area;
        }
        for (k, edge) in self.edges.iter_mut().enumerate() {
            let (from, to) = (&self.nodes[edge.from], &self.nodes[edge.to]);
            let result = from.results.iter().position(|&v| v == edge.value).unwrap_or(0);
            let across =
                |a: &Rect, k: usize, n: usize| a.x + a.w * (2 * k as i32 + 1) / (2 * n.max(1) as i32);
            let start =
                Spot { x: across(&from.area, result, from.results.len()), y: from.area.y + from.area.h };
            let stop = Spot { x: across(&to.area, edge.operand, to.operands.len()), y: to.area.y };
            edge.back = drawn.back[k];
            edge.points = [vec![start], drawn.via[k].clone(), vec![stop]].concat();
        }
    }
}

/// Width of a character of a label.
const CHARACTER: i32 = 8;
/// Height of a node.
const TALL: i32 = 34;

fn op(net: &Graph, n: NodeId) -> NodeView {
    let (node, kind) = (net.node(n), net.kind(n));
    let name = node.what();
    let short = |kind: &OpKind| kind.to_string().split_once('.').map_or(kind.to_string(), |(_, s)| s.into());
    let short = node.kinds().iter().map(short).collect::<Vec<String>>().join("+");
    let class = match (kind.class(), kind) {
        (Class::State, _) => "state",
        (Class::Steer, _) => "steer",
        (Class::Access, _) => "access",
        (Class::Memory, _) => "memory",
        (Class::Arith, _) => "arith",
    };
    let label = match (kind, node.op) {
        (OpKind::Memory(ports) | OpKind::Extmemory(ports), loom_dfg::Op::Memory(id, _)) => {
            let what = if ports.stores > 0 { "store" } else { "load" };
            format!("{what} {}", net.memory(id).name)
        }
        _ => short,
    };
    let operand = |(i, &v): (usize, &ValueId)| OperandView {
        name: operand_name(node, i),
        value: v.0 as usize,
        immediate: net.literal(v).map(|bits| bits.to_string()),
    };
    let w = (CHARACTER * label.chars().count() as i32 + 20)
        .max(16 * node.operands.len().max(node.results.len()) as i32)
        .max(48);
    NodeView {
        op: name,
        label,
        class: class.into(),
        operands: node.operands.iter().enumerate().map(operand).collect(),
        results: node.results.iter().map(|v| v.0 as usize).collect(),
        within: None,
        line: None,
        area: Rect { x: 0, y: 0, w, h: TALL },
    }
}

/// What an op calls an operand; of a compound node the op that takes it.
fn operand_name(node: &Node, operand: usize) -> String {
    for op in &node.covers {
        let at = op.operands.iter().position(|o| o.0 == CoveredSource::Operand(operand));
        if let Some(at) = at {
            return format!("{} {}", op.name, op.op.kind().operand_name(at));
        }
    }
    node.op.kind().operand_name(operand)
}

/// An argument or a result.
fn end(what: &str, name: &str, takes: Option<ValueId>, gives: Option<ValueId>) -> NodeView {
    let operand = |v: ValueId| OperandView { name: name.into(), value: v.0 as usize, immediate: None };
    NodeView {
        op: what.into(),
        label: name.into(),
        class: what.into(),
        operands: takes.map(operand).into_iter().collect(),
        results: gives.map(|v| v.0 as usize).into_iter().collect(),
        within: None,
        line: None,
        area: Rect { x: 0, y: 0, w: CHARACTER * name.chars().count() as i32 + 24, h: 26 },
    }
}
