//! Expressions from lists of expressions, and Rust's `& | ^ !` on expressions.

use super::expr::Expr;
use std::ops::{BitAnd, BitOr, BitXor, Not};

impl Expr {
    /// The conjunction of one-bit expressions, true for none. A balanced tree.
    pub fn all_of(parts: &[Expr]) -> Expr {
        Self::tree(parts, true, Expr::and)
    }

    /// The disjunction of one-bit expressions, false for none. A balanced tree.
    pub fn any_of(parts: &[Expr]) -> Expr {
        Self::tree(parts, false, Expr::or)
    }

    fn tree(parts: &[Expr], none: bool, op: fn(&Expr, &Expr) -> Expr) -> Expr {
        match parts.len() {
            0 => Self::bit_const(none),
            1 => parts[0].clone(),
            n => op(&Self::tree(&parts[..n / 2], none, op), &Self::tree(&parts[n / 2..], none, op)),
        }
    }

    /// The value whose one-bit select is set; 0 when none is, the bitwise or when several are. One and-or tree.
    /// `width` is that of every value.
    pub fn onehot_mux(width: u32, choices: &[(Expr, Expr)]) -> Expr {
        let masked: Vec<Expr> = choices
            .iter()
            .map(|(s, v)| {
                assert!(v.width() == width, "onehot_mux of {} and {width} bits", v.width());
                s.repeat(width).and(v)
            })
            .collect();
        if masked.is_empty() || width == 0 {
            return Self::zero(width);
        }
        Self::tree(&masked, false, Expr::or)
    }

    /// The value at index `select` of a list; 0 beyond its end. A binary tree of muxes.
    pub fn select(width: u32, select: &Expr, values: &[Expr]) -> Expr {
        if values.is_empty() || width == 0 {
            return Self::zero(width);
        }
        if select.width() == 0 {
            return values[0].clone();
        }
        let top = select.width() - 1;
        let half = if top >= 31 { usize::MAX } else { 1usize << top };
        let low_select = select.slice(0, top);
        let (low, high) = values.split_at(half.min(values.len()));
        let low = Self::select(width, &low_select, low);
        let high = if high.is_empty() { Self::zero(width) } else { Self::select(width, &low_select, high) };
        select.bit(top).mux(&high, &low)
    }
}

macro_rules! bit_operator {
    ($tr:ident, $method:ident, $own:ident) => {
        impl $tr<&Expr> for &Expr {
            type Output = Expr;
            fn $method(self, b: &Expr) -> Expr {
                self.$own(b)
            }
        }
        impl $tr<Expr> for &Expr {
            type Output = Expr;
            fn $method(self, b: Expr) -> Expr {
                self.$own(&b)
            }
        }
        impl $tr<&Expr> for Expr {
            type Output = Expr;
            fn $method(self, b: &Expr) -> Expr {
                Expr::$own(&self, b)
            }
        }
        impl $tr<Expr> for Expr {
            type Output = Expr;
            fn $method(self, b: Expr) -> Expr {
                Expr::$own(&self, &b)
            }
        }
    };
}

bit_operator!(BitAnd, bitand, and);
bit_operator!(BitOr, bitor, or);
bit_operator!(BitXor, bitxor, xor);

impl Not for &Expr {
    type Output = Expr;
    fn not(self) -> Expr {
        Expr::not(self)
    }
}

impl Not for Expr {
    type Output = Expr;
    fn not(self) -> Expr {
        Expr::not(&self)
    }
}
