//! Elementary functions: the steps that `loom_dfg::curves` takes, drawn as combinational logic.
//!
//! Guarantees: each step is drawn as what the definition says it computes, and tables are those of the definition; so a unit gives its bits.
//! Every step that is more than wiring is a wire. Bits of a step that no other reads are declared unused. Refuses
//! nothing: legality lets no function get here that has no steps.

use super::bits;
use super::float::{self, Unrounded};
use crate::ir::expr::{ExprKind, NetId};
use crate::ir::module::Item;
use crate::ir::{Expr, Module};
use loom_dfg::curves::{self, Circuit, Finite};
use loom_dfg::op::Form;
use loom_dfg::Type;
use std::collections::HashMap;

/// The value of a function on operands of a type; `None` of an op that is none with steps.
pub(super) fn value(m: &mut Module, form: Form, ty: Type, operands: &[Expr]) -> Option<Expr> {
    let first = m.items.len();
    let mut drawing = Drawing { m, part: "operand" };
    let value = match (form, operands) {
        (Form::Elementary(op), [x]) => curves::draw(&mut drawing, op, ty, x)?,
        (Form::FloatBinary(op), [a, b]) => curves::draw_of_two(&mut drawing, op, ty, [a, b])?,
        _ => return None,
    };
    let value = m.wire("value", value);
    declare_unused(m, first, operands, &value);
    Some(value)
}

/// Draws into a module.
struct Drawing<'m> {
    m: &'m mut Module,
    part: &'static str,
}

/// Entries of a table that are one expression.
const TOGETHER: usize = 8;

impl Drawing<'_> {
    fn wire(&mut self, name: &str, value: Expr) -> Expr {
        match value.node() {
            ExprKind::Empty
            | ExprKind::Const(..)
            | ExprKind::Net(..)
            | ExprKind::Slice(..)
            | ExprKind::Concat(_)
            | ExprKind::Repeat(..) => value,
            _ => self.m.wire(&format!("{}_{name}", self.part), value),
        }
    }

    /// The entry at an index: a tree of muxes, larger parts of which are wires.
    fn looked_up(&mut self, index: &Expr, table: &[Expr], width: u32) -> Expr {
        if index.width() == 0 || table.len() <= TOGETHER {
            return Expr::select(width, index, table);
        }
        let top = index.width() - 1;
        let half = (1usize << top).min(table.len());
        let below = index.slice(0, top);
        let (low, high) = table.split_at(half);
        let low = self.looked_up(&below, low, width);
        if high.is_empty() {
            return index.bit(top).mux(&Expr::zero(width), &low);
        }
        let (low, high) = (self.wire("low", low), self.looked_up(&below, high, width));
        let high = self.wire("high", high);
        index.bit(top).mux(&high, &low)
    }
}

impl Circuit for Drawing<'_> {
    type Word = Expr;

    fn part(&mut self, name: &'static str, what: &str) {
        self.part = name;
        self.m.comment(what);
    }

    fn width(&self, a: &Expr) -> u32 {
        a.width()
    }

    fn literal(&mut self, width: u32, value: u128) -> Expr {
        Expr::konst(width, value)
    }

    fn sum(&mut self, a: &Expr, b: &Expr) -> Expr {
        self.wire("sum", a.add(b))
    }

    fn difference(&mut self, a: &Expr, b: &Expr) -> Expr {
        self.wire("difference", a.sub(b))
    }

    fn product(&mut self, a: &Expr, b: &Expr, width: u32) -> Expr {
        self.wire("product", a.zext(width).mul(&b.zext(width)))
    }

    fn and(&mut self, a: &Expr, b: &Expr) -> Expr {
        self.wire("both", a.and(b))
    }

    fn or(&mut self, a: &Expr, b: &Expr) -> Expr {
        self.wire("either", a.or(b))
    }

    fn differing(&mut self, a: &Expr, b: &Expr) -> Expr {
        self.wire("differ", a.xor(b))
    }

    fn up(&mut self, a: &Expr, amount: &Expr) -> Expr {
        self.wire("up", a.shl(amount))
    }

    fn down(&mut self, a: &Expr, amount: &Expr) -> Expr {
        self.wire("down", a.shr(amount))
    }

    fn slice(&mut self, a: &Expr, low: u32, width: u32) -> Expr {
        a.slice(low, width)
    }

    fn join(&mut self, high: &Expr, low: &Expr) -> Expr {
        Expr::concat(&[high.clone(), low.clone()])
    }

    fn copies(&mut self, bit: &Expr, times: u32) -> Expr {
        bit.repeat(times)
    }

    fn choice(&mut self, bit: &Expr, then: &Expr, otherwise: &Expr) -> Expr {
        self.wire("choice", bit.mux(then, otherwise))
    }

    fn below(&mut self, a: &Expr, b: &Expr) -> Expr {
        self.wire("below", a.ult(b))
    }

    fn any(&mut self, a: &Expr) -> Expr {
        self.wire("any", a.reduce_or())
    }

    fn zeros(&mut self, a: &Expr) -> Expr {
        let zeros = bits::leading_zeros(self.m, a).slice(0, a.width().ilog2() + 1);
        self.wire("zeros", zeros)
    }

    fn entry(&mut self, index: &Expr, table: &[u128], width: u32) -> Expr {
        let table: Vec<Expr> = table.iter().map(|&entry| Expr::konst(width, entry)).collect();
        let entry = self.looked_up(index, &table, width);
        self.wire("entry", entry)
    }

    fn rounded(&mut self, ty: Type, value: Finite<Expr>) -> Expr {
        let Finite { sign, exponent, least, significand, is_normal } = value;
        let unrounded = Unrounded { sign, exponent, significand, least };
        match is_normal {
            true => float::round_normalized(self.m, ty, &unrounded),
            false => float::round(self.m, ty, &unrounded),
        }
    }
}

/// Which bits of nets are read.
#[derive(Default)]
struct Read(HashMap<NetId, Vec<bool>>);

impl Read {
    fn bits(&mut self, e: &Expr, low: u32, width: u32) {
        match e.node() {
            ExprKind::Net(net, _) => {
                let bits = self.0.entry(*net).or_insert_with(|| vec![false; e.width() as usize]);
                bits[low as usize..(low + width) as usize].fill(true);
            }
            ExprKind::Slice(inner, from) => self.bits(inner, low + from, width),
            ExprKind::Unary(_, a) | ExprKind::Repeat(a, _) => self.all(a),
            ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| self.all(e)),
            ExprKind::Mux(a, b, c) => [a, b, c].into_iter().for_each(|e| self.all(e)),
            ExprKind::Concat(parts) => parts.iter().for_each(|e| self.all(e)),
            ExprKind::Empty | ExprKind::Const(..) => {}
        }
    }

    fn all(&mut self, e: &Expr) {
        self.bits(e, 0, e.width());
    }
}

/// Declares unused what nothing reads of the operands and of the wires since `first`, the value aside.
fn declare_unused(m: &mut Module, first: usize, operands: &[Expr], value: &Expr) {
    let mut read = Read::default();
    let mut made: Vec<Expr> = operands.iter().filter(|x| x.as_net().is_some()).cloned().collect();
    for item in &m.items[first..] {
        match item {
            Item::Wire(net, of) => {
                read.all(of);
                let Some(name) = m.nets.get(net.index()).map(|net| net.name.clone()) else { continue };
                made.push(Expr::net(*net, name, of.width()));
            }
            Item::Unused(of) => read.all(of),
            _ => {}
        }
    }
    for wire in made.into_iter().filter(|wire| wire.as_net() != value.as_net()) {
        let Some(net) = wire.as_net() else { continue };
        let bits = read.0.remove(&net).unwrap_or_else(|| vec![false; wire.width() as usize]);
        let mut at = 0;
        for run in bits.chunk_by(|a, b| a == b) {
            if !run[0] {
                m.unused(&wire.slice(at, run.len() as u32));
            }
            at += run.len() as u32;
        }
    }
}
