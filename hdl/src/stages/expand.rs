//! Wide operators as small ones in named steps, so that a cut can go through them.

use super::graph::Reader;
use crate::ir::expr::{Binary, ExprKind, Unary};
use crate::ir::Expr;

/// Sums up to this width stay one operator: their carry ripples as fast as any network is.
const SHORT_SUM: u32 = 6;

/// Bits of a product at a place: `bits` from bit `low` up.
struct Row {
    low: u32,
    bits: Expr,
}

impl Row {
    fn high(&self) -> u32 {
        self.low + self.bits.width()
    }

    /// The bits from `low` to below `high`, zeros where the row has none.
    fn window(&self, low: u32, high: u32) -> Expr {
        let (from, to) = (low.max(self.low).min(high), high.min(self.high()).max(low));
        if from >= to {
            return Expr::zero(high - low);
        }
        let own = self.bits.slice(from - self.low, to - from);
        Expr::concat(&[Expr::zero(high - to), own, Expr::zero(from - low)])
    }
}

impl Reader {
    /// The operator taken apart; `None` where it is small already.
    pub fn expanded(&mut self, e: &Expr) -> Option<Expr> {
        match e.node() {
            ExprKind::Binary(Binary::Mul, a, b) => Some(self.product(a, b)),
            ExprKind::Binary(Binary::Add, a, b) if e.width() > SHORT_SUM => {
                Some(self.sum(a, b, &Expr::bit_const(false)))
            }
            ExprKind::Binary(Binary::Sub, a, b) if e.width() > SHORT_SUM => {
                Some(self.sum(a, &b.not(), &Expr::bit_const(true)))
            }
            ExprKind::Unary(Unary::Neg, a) if e.width() > SHORT_SUM => {
                Some(self.sum(&Expr::zero(e.width()), &a.not(), &Expr::bit_const(true)))
            }
            ExprKind::Mux(minus, then, otherwise) => {
                let (a, b) = sum_or_difference(then, otherwise)?;
                let minus = self.stored("minus", minus);
                let b = b.xor(&minus.repeat(b.width()));
                Some(self.sum(a, &b, &minus))
            }
            ExprKind::Binary(op @ (Binary::Shl | Binary::Shr | Binary::Sshr), a, amount) => {
                Some(self.shift(*op, a, amount))
            }
            _ => None,
        }
    }

    /// A prefix network (Kogge and Stone 1973): whether a carry leaves each bit, from spans of one bit, two, four, ...
    fn sum(&mut self, a: &Expr, b: &Expr, carry_in: &Expr) -> Expr {
        let (a, b) = (self.stored("addend", a), self.stored("addend", b));
        let width = a.width();
        let differ = self.wire("differ", a.xor(&b));
        // Nobody asks for the carry out of the top bit.
        let top = width - 1;
        let both = a.slice(0, top).and(&b.slice(0, top));
        // The lowest carry is that of three bits.
        let lowest = both.bit(0).or(&carry_in.and(&differ.bit(0)));
        let both = Expr::concat(&[both.slice(1, top - 1), lowest]);
        let mut carries = self.wire("carries", both);
        let mut passes = differ.slice(1, top - 1);
        let mut span = 1;
        while span < top {
            let upper = carries.slice(span, top - span).or(&passes.and(&carries.slice(0, top - span)));
            let upper = self.wire(&format!("carries_of{}", 2 * span), upper);
            carries = Expr::concat(&[upper, carries.slice(0, span)]);
            // `passes` begins at bit `span`; bits below twice that have their carry.
            if 2 * span < top {
                let length = top - 2 * span;
                let wider = passes.slice(span, length).and(&passes.slice(0, length));
                passes = self.wire(&format!("passes_of{}", 2 * span), wider);
            }
            span *= 2;
        }
        differ.xor(&Expr::concat(&[carries, carry_in.clone()]))
    }

    /// By one, by two, by four, ...; what an amount of the width or more leaves comes from its upper bits.
    fn shift(&mut self, op: Binary, a: &Expr, amount: &Expr) -> Expr {
        let amount = self.stored("amount", amount);
        let mut value = self.stored("shifted", a);
        let width = value.width();
        let fill = if op == Binary::Sshr { value.msb() } else { Expr::zero(1) };
        let steps = width.next_power_of_two().ilog2().min(amount.width());
        for step in 0..steps {
            let by = (1 << step).min(width);
            let moved = match op {
                Binary::Shl => Expr::concat(&[value.slice(0, width - by), fill.repeat(by)]),
                _ => Expr::concat(&[fill.repeat(by), value.slice(by, width - by)]),
            };
            value = self.wire(&format!("by{by}"), amount.bit(step).mux(&moved, &value));
        }
        let beyond = amount.slice(steps, amount.width() - steps).reduce_or();
        beyond.mux(&fill.repeat(width), &value)
    }

    /// One row for each bit of a factor, three rows made two until two are left (Wallace 1964), then one sum.
    fn product(&mut self, a: &Expr, b: &Expr) -> Expr {
        let width = a.width();
        let (a, b) = (self.stored("factor", without_zeros(a)), self.stored("factor", without_zeros(b)));
        let mut rows: Vec<Row> = Vec::new();
        for low in 0..b.width().min(width) {
            let factor = a.slice(0, a.width().min(width - low));
            let bits = b.bit(low).repeat(factor.width()).and(&factor);
            if bits.as_const().is_none_or(|v| v.bits() > 0) {
                rows.push(Row { low, bits: self.wire(&format!("row{low}"), bits) });
            }
        }
        let mut level = 1;
        while rows.len() > 2 {
            let mut next = Vec::new();
            let mut three = rows.into_iter();
            while let Some(x) = three.next() {
                match (three.next(), three.next()) {
                    (Some(y), Some(z)) => next.extend(self.carry_save(level, [x, y, z], width)),
                    (y, _) => next.extend([Some(x), y].into_iter().flatten()),
                }
            }
            next.sort_by_key(|row| row.low);
            rows = next;
            level += 1;
        }
        let [x, y] = &rows[..] else {
            return rows.first().map_or(Expr::zero(width), |row| row.window(0, width));
        };
        let upper = x.window(y.low, width).add(&y.window(y.low, width));
        Expr::concat(&[upper, x.window(0, y.low)])
    }

    /// Two rows of the same sum: bits without their carries, and the carries.
    fn carry_save(&mut self, level: u32, rows: [Row; 3], width: u32) -> Vec<Row> {
        let mut lows = [0, 1, 2].map(|k| rows[k].low);
        let mut highs = [0, 1, 2].map(|k| rows[k].high());
        lows.sort_unstable();
        highs.sort_unstable();
        let [x, y, z] = [0, 1, 2].map(|k: usize| rows[k].window(lows[0], highs[2]));
        let sum = self.wire(&format!("sums{level}"), x.xor(&y).xor(&z));
        let mut made = vec![Row { low: lows[0], bits: sum }];
        // A carry needs two rows; one out of the top bit is not part of the product.
        let (from, to) = (lows[1], highs[1].min(width - 1));
        if from < to {
            let [x, y, z] = [0, 1, 2].map(|k: usize| rows[k].window(from, to));
            let carry = x.and(&y).or(&z.and(&x.or(&y)));
            made.push(Row { low: from + 1, bits: self.wire(&format!("carries{level}"), carry) });
        }
        made
    }
}

/// The operands of a sum and a difference that are of the same two values: one network serves both.
fn sum_or_difference<'a>(then: &'a Expr, otherwise: &Expr) -> Option<(&'a Expr, &'a Expr)> {
    match (then.node(), otherwise.node()) {
        (ExprKind::Binary(Binary::Sub, a, b), ExprKind::Binary(Binary::Add, c, d)) => {
            (then.width() > SHORT_SUM && a.is_same(c) && b.is_same(d)).then_some((a, b))
        }
        _ => None,
    }
}

/// A factor without zeros above it.
fn without_zeros(e: &Expr) -> &Expr {
    match e.node() {
        ExprKind::Concat(parts) if parts.len() == 2 && parts[0].as_const().is_some_and(|v| v.bits() == 0) => {
            &parts[1]
        }
        _ => e,
    }
}
