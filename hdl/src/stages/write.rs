//! The stages as wires and registers of a module.

use super::graph::{Graph, Shape};
use super::schedule::Readers;
use crate::ir::expr::{ExprKind, Unary};
use crate::ir::{Expr, Module};
use std::collections::HashMap;

struct Writer<'a> {
    m: &'a mut Module,
    graph: &'a Graph,
    stages: &'a [usize],
    /// By operator: its value in its own stage, once it is written.
    own: HashMap<usize, Expr>,
    /// By node and later stage: registers with the bits from where, in rising order.
    kept: HashMap<(usize, usize), Vec<(u32, Expr)>>,
    /// By node and stage: wiring that is a wire there.
    wiring: HashMap<(usize, usize), Expr>,
}

/// Writes the stages, one after the other, with the registers that lead to the next. Gives the results.
pub(super) fn write(m: &mut Module, graph: &Graph, stages: &[usize], arrives: &[Expr]) -> Vec<Expr> {
    let depth = arrives.len();
    let readers = Readers::new(graph);
    let last: Vec<Vec<usize>> =
        (0..graph.nodes.len()).map(|n| readers.last_stages(graph, n, stages, depth)).collect();
    let mut w =
        Writer { m, graph, stages, own: HashMap::new(), kept: HashMap::new(), wiring: HashMap::new() };
    for stage in 0..=depth {
        w.m.comment(&match stage {
            0 => "From the inputs to the first registers.".to_string(),
            _ if stage == depth => format!("From registers {stage} to the outputs."),
            _ => format!("From registers {stage} to registers {}.", stage + 1),
        });
        for n in 0..graph.nodes.len() {
            match graph.nodes[n].shape {
                Shape::Op(..)
                    if graph.live[n] && stages[n] == stage && w.needs_wire(n, readers.of(n), &last[n]) =>
                {
                    w.wire(n);
                }
                Shape::Concat(_) if graph.nodes[n].is_wire && w.readers_of_wiring(n, stage) > 1 => {
                    let value = w.bits(n, 0, graph.nodes[n].width, stage);
                    let wire = w.m.wire(&graph.nodes[n].name, value);
                    w.wiring.insert((n, stage), wire);
                }
                _ => {}
            }
        }
        if let Some(arrives) = arrives.get(stage) {
            for n in (0..graph.nodes.len()).filter(|&n| graph.live[n] && stages[n] <= stage) {
                w.registers(n, stage + 1, &last[n], arrives);
            }
        }
    }
    w.leave_unused();
    graph.results.iter().map(|&n| w.bits(n, 0, graph.nodes[n].width, depth)).collect()
}

impl Writer<'_> {
    /// Whether an operator is more than a part of the one expression that reads it.
    fn needs_wire(&self, n: usize, readers: &[(Option<usize>, u32, u32)], last: &[usize]) -> bool {
        let node = &self.graph.nodes[n];
        let own = self.stages[n];
        let crosses = last.iter().any(|&stage| stage > own);
        let partly = readers.iter().any(|&(_, _, width)| width < node.width);
        let shared = readers.len() > 1;
        let inverts =
            matches!(&node.shape, Shape::Op(op, _) if matches!(op.node(), ExprKind::Unary(Unary::Not, _)));
        node.is_wire || crosses || partly || shared && !inverts
    }

    /// Operators of a stage that read all of a wiring node.
    fn readers_of_wiring(&self, n: usize, stage: usize) -> usize {
        let reads = |at: &usize| match &self.graph.nodes[*at].shape {
            Shape::Op(_, operands) => operands.contains(&n),
            _ => false,
        };
        let there = |at: &usize| self.graph.live[*at] && self.stages[*at] == stage;
        (n + 1..self.graph.nodes.len()).filter(there).filter(reads).count()
    }

    fn wire(&mut self, n: usize) {
        for comment in &self.graph.nodes[n].comments {
            self.m.comment(comment);
        }
        let value = self.operator(n);
        let wire = self.m.wire(&self.graph.nodes[n].name, value);
        self.own.insert(n, wire);
    }

    /// An operator on its operands as its stage has them.
    fn operator(&self, n: usize) -> Expr {
        let Shape::Op(op, operands) = &self.graph.nodes[n].shape else { unreachable!("an operator") };
        let value = |&o: &usize| self.bits(o, 0, self.graph.nodes[o].width, self.stages[n]);
        op.with_operands(&operands.iter().map(value).collect::<Vec<_>>())
    }

    /// Bits of a node, as a stage has them.
    fn bits(&self, n: usize, low: u32, width: u32, stage: usize) -> Expr {
        let node = &self.graph.nodes[n];
        if let Some(wire) = self.wiring.get(&(n, stage)) {
            return wire.slice(low, width);
        }
        match &node.shape {
            Shape::Const(value) => value.slice(low, width),
            Shape::Slice(inner, from) => self.bits(*inner, from + low, width, stage),
            Shape::Repeat(inner, times) => {
                let inner = self.bits(*inner, 0, node.width / times, stage);
                inner.repeat(*times).slice(low, width)
            }
            Shape::Concat(parts) => {
                let (mut at, mut taken) = (node.width, Vec::new());
                for &part in parts {
                    let size = self.graph.nodes[part].width;
                    at -= size;
                    let (from, to) = (low.max(at), (low + width).min(at + size));
                    if from < to {
                        let part = self.bits(part, from - at, to - from, stage);
                        // One list of parts, not lists in lists.
                        match part.node() {
                            ExprKind::Concat(inner) => taken.extend(inner.iter().cloned()),
                            _ => taken.push(part),
                        }
                    }
                }
                Expr::concat(&taken)
            }
            Shape::Input(_) | Shape::Op(..) if stage > self.stages[n] => {
                let runs = &self.kept[&(n, stage)];
                let (from, run) =
                    runs.iter().rfind(|run| run.0 <= low).expect("what is read crosses the cut");
                run.slice(low - from, width)
            }
            Shape::Input(value) => value.slice(low, width),
            Shape::Op(..) => match self.own.get(&n) {
                Some(wire) => wire.slice(low, width),
                None => self.operator(n),
            },
        }
    }

    /// Registers that bring a node's bits to a stage: those that it or a later one reads, each row of them one register.
    fn registers(&mut self, n: usize, stage: usize, last: &[usize], arrives: &Expr) {
        let mut runs = Vec::new();
        let mut low = 0;
        for run in last.chunk_by(|a, b| (*a >= stage) == (*b >= stage)) {
            let width = run.len() as u32;
            if run[0] >= stage {
                let name = self.graph.nodes[n].name.trim_end_matches("_data");
                let register = self.m.reg_no_reset(&format!("{name}_{stage}_q"), width);
                let value = self.bits(n, low, width, stage - 1);
                self.m.next(&register, Some(arrives.clone()), value);
                runs.push((low, register.q));
            }
            low += width;
        }
        if !runs.is_empty() {
            self.kept.insert((n, stage), runs);
        }
    }

    /// What the body leaves unused is left so in the stage that makes it.
    fn leave_unused(&mut self) {
        for &node in &self.graph.unused {
            let width = self.graph.nodes[node].width;
            let mut pieces = Vec::new();
            let whole = super::graph::Piece { node, low: 0, width, delay: 0 };
            self.graph.pieces(whole, &mut pieces);
            for p in pieces {
                let is_input = matches!(self.graph.nodes[p.node].shape, Shape::Input(_));
                if is_input || self.own.contains_key(&p.node) {
                    let value = self.bits(p.node, p.low, p.width, self.stages[p.node]);
                    self.m.unused(&value);
                }
            }
        }
    }
}
