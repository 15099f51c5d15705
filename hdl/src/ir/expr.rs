//! Expressions: values of a known width, built at run time, cheap to clone.
//!
//! Guarantees: every expression has one width, fixed when it is built; an operator's result width follows from its
//! operands alone, so no rule of Verilog's context-determined widths is ever relied on. An expression of width 0
//! (a control token's data) is legal in every place and vanishes from the printed text.
//!
//! Refuses: operands of different widths, slices outside their operand and constants that do not fit. These are
//! mistakes in a builder, never in user input, so they panic and say which operator and which widths.
//!
//! A shared expression is printed once per use. Give what is used twice a name with [`super::Module::wire`].

use num_bigint::BigUint;
use std::sync::Arc;

/// A net of one module: an index into its net table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NetId(pub(crate) u32);

impl NetId {
    /// The index into the module's net table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// Bitwise not.
    Not,
    /// Two's complement negation.
    Neg,
    /// One bit: all bits set.
    RedAnd,
    /// One bit: any bit set.
    RedOr,
    /// One bit: parity.
    RedXor,
}

/// Operators of two operands. Both have one width, but for the shift amount, which has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Sum, wrapping.
    Add,
    /// Difference, wrapping.
    Sub,
    /// Product, wrapping.
    Mul,
    /// One bit: equal.
    Eq,
    /// One bit: not equal.
    Ne,
    /// One bit: unsigned less than.
    Ult,
    /// One bit: unsigned less or equal.
    Ule,
    /// One bit: signed less than.
    Slt,
    /// One bit: signed less or equal.
    Sle,
    /// Shift left, zeros in.
    Shl,
    /// Shift right, zeros in.
    Shr,
    /// Shift right, copies of the sign bit in.
    Sshr,
}

impl Binary {
    /// True for the operators whose result is one bit.
    pub fn is_compare(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Ult | Self::Ule | Self::Slt | Self::Sle)
    }

    /// True for the operators whose right operand is an amount of its own width.
    pub fn is_shift(self) -> bool {
        matches!(self, Self::Shl | Self::Shr | Self::Sshr)
    }
}

/// The shape of an expression, for the printer, the checks and the evaluator.
#[derive(Debug)]
pub enum ExprKind {
    /// Width 0.
    Empty,
    /// A constant, and the name it is printed by.
    Const(BigUint, Option<Arc<str>>),
    /// The value of a net. The name is kept to catch use in another module.
    Net(NetId, Arc<str>),
    /// One operand.
    Unary(Unary, Expr),
    /// Two operands.
    Binary(Binary, Expr, Expr),
    /// `condition ? then : otherwise`.
    Mux(Expr, Expr, Expr),
    /// Parts of non-zero width, the highest bits first; at least two.
    Concat(Vec<Expr>),
    /// The expression's width of bits from this bit up.
    Slice(Expr, u32),
    /// The operand this many times; at least twice.
    Repeat(Expr, u32),
}

/// A value of known width.
#[derive(Clone, Debug)]
pub struct Expr {
    width: u32,
    node: Arc<ExprKind>,
}

impl Expr {
    fn new(width: u32, node: ExprKind) -> Self {
        Expr { width, node: Arc::new(node) }
    }

    pub(crate) fn net(id: NetId, name: Arc<str>, width: u32) -> Self {
        Self::new(width, ExprKind::Net(id, name))
    }

    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Whether the other is this very expression, or a copy of it; an equal one built anew is not.
    pub fn is_same(&self, other: &Expr) -> bool {
        Arc::ptr_eq(&self.node, &other.node)
    }

    /// The expression's shape.
    pub fn node(&self) -> &ExprKind {
        &self.node
    }

    /// The value of width 0.
    pub fn empty() -> Self {
        Self::new(0, ExprKind::Empty)
    }

    /// A constant. Panics when the value does not fit the width.
    pub fn konst(width: u32, value: impl Into<BigUint>) -> Self {
        let value = value.into();
        assert!(value.bits() <= u64::from(width), "constant {value} does not fit {width} bits");
        if width == 0 {
            return Self::empty();
        }
        Self::new(width, ExprKind::Const(value, None))
    }

    /// A constant that means something: a `localparam` of that name. One name has one value in a module.
    pub fn named(name: &str, width: u32, value: impl Into<BigUint>) -> Self {
        match Self::konst(width, value).as_const() {
            Some(value) => Self::new(width, ExprKind::Const(value.clone(), Some(name.into()))),
            None => Self::empty(),
        }
    }

    /// All bits clear.
    pub fn zero(width: u32) -> Self {
        Self::konst(width, 0u32)
    }

    /// All bits set.
    pub fn ones(width: u32) -> Self {
        Self::konst(width, (BigUint::from(1u32) << width) - 1u32)
    }

    /// One bit.
    pub fn bit_const(value: bool) -> Self {
        Self::konst(1, u32::from(value))
    }

    /// The value, when the expression is a constant.
    pub fn as_const(&self) -> Option<&BigUint> {
        match self.node() {
            ExprKind::Const(v, _) => Some(v),
            _ => None,
        }
    }

    /// The net, when the expression is a whole net.
    pub fn as_net(&self) -> Option<NetId> {
        match self.node() {
            ExprKind::Net(id, _) => Some(*id),
            _ => None,
        }
    }

    /// Whether it is the constant of no ones.
    pub(crate) fn is_zero(&self) -> bool {
        self.as_const().is_some_and(|v| v.bits() == 0)
    }

    /// Whether it is the constant of ones alone.
    pub(crate) fn is_ones(&self) -> bool {
        self.as_const().is_some_and(|v| v.count_ones() == u64::from(self.width))
    }

    fn unary(op: Unary, a: &Expr) -> Expr {
        let width = if matches!(op, Unary::Not | Unary::Neg) { a.width } else { 1 };
        Self::new(width, ExprKind::Unary(op, a.clone()))
    }

    fn binary(op: Binary, a: &Expr, b: &Expr) -> Expr {
        assert!(
            op.is_shift() || a.width == b.width,
            "{op:?} of {} and {} bits: operands must have one width",
            a.width,
            b.width
        );
        if op.is_compare() {
            if a.width == 0 {
                return Self::bit_const(matches!(op, Binary::Eq | Binary::Ule | Binary::Sle));
            }
            return Self::new(1, ExprKind::Binary(op, a.clone(), b.clone()));
        }
        if a.width == 0 {
            return Self::empty();
        }
        if op.is_shift() && b.width == 0 {
            return a.clone();
        }
        Self::new(a.width, ExprKind::Binary(op, a.clone(), b.clone()))
    }

    /// Bitwise and. Constants of all zeros and all ones fold.
    pub fn and(&self, b: &Expr) -> Expr {
        assert!(self.width == b.width, "And of {} and {} bits", self.width, b.width);
        if self.is_zero() || b.is_ones() {
            return self.clone();
        }
        if b.is_zero() || self.is_ones() {
            return b.clone();
        }
        Self::binary(Binary::And, self, b)
    }

    /// Bitwise or. Constants of all zeros and all ones fold.
    pub fn or(&self, b: &Expr) -> Expr {
        assert!(self.width == b.width, "Or of {} and {} bits", self.width, b.width);
        if self.is_ones() || b.is_zero() {
            return self.clone();
        }
        if b.is_ones() || self.is_zero() {
            return b.clone();
        }
        Self::binary(Binary::Or, self, b)
    }

    /// Bitwise exclusive or. Constants of all zeros and all ones fold.
    pub fn xor(&self, b: &Expr) -> Expr {
        assert!(self.width == b.width, "Xor of {} and {} bits", self.width, b.width);
        if b.is_zero() {
            return self.clone();
        }
        if self.is_zero() {
            return b.clone();
        }
        if b.is_ones() {
            return self.not();
        }
        if self.is_ones() {
            return b.not();
        }
        Self::binary(Binary::Xor, self, b)
    }

    /// Bitwise not. A double not folds.
    pub fn not(&self) -> Expr {
        match self.node() {
            ExprKind::Empty => self.clone(),
            ExprKind::Const(v, _) => Self::konst(self.width, Self::ones(self.width).as_const().unwrap() - v),
            ExprKind::Unary(Unary::Not, a) => a.clone(),
            _ => Self::unary(Unary::Not, self),
        }
    }

    /// Two's complement negation.
    pub fn neg(&self) -> Expr {
        if self.width == 0 {
            return self.clone();
        }
        Self::unary(Unary::Neg, self)
    }

    /// Sum, wrapping.
    pub fn add(&self, b: &Expr) -> Expr {
        Self::binary(Binary::Add, self, b)
    }

    /// Difference, wrapping.
    pub fn sub(&self, b: &Expr) -> Expr {
        Self::binary(Binary::Sub, self, b)
    }

    /// Product, wrapping.
    pub fn mul(&self, b: &Expr) -> Expr {
        Self::binary(Binary::Mul, self, b)
    }

    /// One bit: equal. Values of width 0 are equal.
    pub fn eq(&self, b: &Expr) -> Expr {
        Self::binary(Binary::Eq, self, b)
    }

    /// One bit: equal to a constant.
    pub fn eq_const(&self, value: impl Into<BigUint>) -> Expr {
        self.eq(&Self::konst(self.width, value))
    }

    /// One bit: different.
    pub fn ne(&self, b: &Expr) -> Expr {
        Self::binary(Binary::Ne, self, b)
    }

    /// One bit: unsigned less than.
    pub fn ult(&self, b: &Expr) -> Expr {
        Self::binary(Binary::Ult, self, b)
    }

    /// One bit: unsigned less or equal.
    pub fn ule(&self, b: &Expr) -> Expr {
        Self::binary(Binary::Ule, self, b)
    }

    /// One bit: unsigned greater than.
    pub fn ugt(&self, b: &Expr) -> Expr {
        b.ult(self)
    }

    /// One bit: unsigned greater or equal.
    pub fn uge(&self, b: &Expr) -> Expr {
        b.ule(self)
    }

    /// One bit: signed less than.
    pub fn slt(&self, b: &Expr) -> Expr {
        Self::binary(Binary::Slt, self, b)
    }

    /// One bit: signed less or equal.
    pub fn sle(&self, b: &Expr) -> Expr {
        Self::binary(Binary::Sle, self, b)
    }

    /// One bit: signed greater than.
    pub fn sgt(&self, b: &Expr) -> Expr {
        b.slt(self)
    }

    /// One bit: signed greater or equal.
    pub fn sge(&self, b: &Expr) -> Expr {
        b.sle(self)
    }

    /// Shift left by an unsigned amount of any width; an amount of the width or more gives 0.
    pub fn shl(&self, amount: &Expr) -> Expr {
        Self::binary(Binary::Shl, self, amount)
    }

    /// Shift right by an unsigned amount of any width, zeros in.
    pub fn shr(&self, amount: &Expr) -> Expr {
        Self::binary(Binary::Shr, self, amount)
    }

    /// Shift right by an unsigned amount of any width, copies of the sign bit in.
    pub fn sshr(&self, amount: &Expr) -> Expr {
        Self::binary(Binary::Sshr, self, amount)
    }

    /// One bit: all bits set (true for width 0).
    pub fn reduce_and(&self) -> Expr {
        match self.width {
            0 => Self::bit_const(true),
            1 => self.clone(),
            _ => Self::unary(Unary::RedAnd, self),
        }
    }

    /// One bit: any bit set (false for width 0).
    pub fn reduce_or(&self) -> Expr {
        match self.width {
            0 => Self::bit_const(false),
            1 => self.clone(),
            _ => Self::unary(Unary::RedOr, self),
        }
    }

    /// One bit: parity (false for width 0).
    pub fn reduce_xor(&self) -> Expr {
        match self.width {
            0 => Self::bit_const(false),
            1 => self.clone(),
            _ => Self::unary(Unary::RedXor, self),
        }
    }

    /// `self ? then : otherwise`; `self` is one bit. A constant condition folds.
    pub fn mux(&self, then: &Expr, otherwise: &Expr) -> Expr {
        assert!(self.width == 1, "mux condition of {} bits", self.width);
        assert!(then.width == otherwise.width, "mux of {} and {} bits", then.width, otherwise.width);
        if then.width == 0 || self.is_ones() {
            return then.clone();
        }
        if self.is_zero() {
            return otherwise.clone();
        }
        Self::new(then.width, ExprKind::Mux(self.clone(), then.clone(), otherwise.clone()))
    }

    /// The parts side by side, the highest bits first.
    pub fn concat(parts: &[Expr]) -> Expr {
        let parts: Vec<Expr> = parts.iter().filter(|p| p.width > 0).cloned().collect();
        match parts.len() {
            0 => Self::empty(),
            1 => parts[0].clone(),
            _ => Self::new(parts.iter().map(|p| p.width).sum(), ExprKind::Concat(parts)),
        }
    }

    /// `width` bits from bit `lo` up. Moves inside bitwise operators, so that no bit is computed for nothing.
    pub fn slice(&self, lo: u32, width: u32) -> Expr {
        assert!(lo + width <= self.width, "bits {lo}+{width} of a value of {} bits", self.width);
        if width == 0 {
            return Self::empty();
        }
        if width == self.width {
            return self.clone();
        }
        match self.node() {
            ExprKind::Const(v, _) => Self::konst(width, (v >> lo) & Self::ones(width).as_const().unwrap()),
            ExprKind::Slice(inner, inner_lo) => inner.slice(inner_lo + lo, width),
            ExprKind::Concat(parts) => {
                let mut taken = Vec::new();
                let mut part_lo = self.width;
                for p in parts {
                    part_lo -= p.width;
                    let (from, to) = (lo.max(part_lo), (lo + width).min(part_lo + p.width));
                    if from < to {
                        taken.push(p.slice(from - part_lo, to - from));
                    }
                }
                Self::concat(&taken)
            }
            ExprKind::Repeat(inner, _) if inner.width == 1 => inner.repeat(width),
            ExprKind::Unary(Unary::Not, a) => a.slice(lo, width).not(),
            ExprKind::Binary(Binary::And, a, b) => a.slice(lo, width).and(&b.slice(lo, width)),
            ExprKind::Binary(Binary::Or, a, b) => a.slice(lo, width).or(&b.slice(lo, width)),
            ExprKind::Binary(Binary::Xor, a, b) => a.slice(lo, width).xor(&b.slice(lo, width)),
            ExprKind::Mux(c, t, f) => c.mux(&t.slice(lo, width), &f.slice(lo, width)),
            ExprKind::Binary(op @ (Binary::Add | Binary::Sub | Binary::Mul), a, b) if lo == 0 => {
                Self::binary(*op, &a.slice(0, width), &b.slice(0, width))
            }
            ExprKind::Binary(Binary::Shl, a, b) if lo == 0 => {
                Self::binary(Binary::Shl, &a.slice(0, width), b)
            }
            ExprKind::Unary(Unary::Neg, a) if lo == 0 => a.slice(0, width).neg(),
            _ => Self::new(width, ExprKind::Slice(self.clone(), lo)),
        }
    }

    /// Bit `index`.
    pub fn bit(&self, index: u32) -> Expr {
        self.slice(index, 1)
    }

    /// The highest bit. Panics for width 0.
    pub fn msb(&self) -> Expr {
        self.bit(self.width - 1)
    }

    /// The operand `times` times side by side.
    pub fn repeat(&self, times: u32) -> Expr {
        match (self.width, times) {
            (0, _) | (_, 0) => Self::empty(),
            (_, 1) => self.clone(),
            _ if self.is_zero() => Self::zero(self.width * times),
            _ => Self::new(self.width * times, ExprKind::Repeat(self.clone(), times)),
        }
    }

    /// Zero extension to `width`, which must not be smaller.
    pub fn zext(&self, width: u32) -> Expr {
        assert!(width >= self.width, "zext of {} bits to {width}", self.width);
        Self::concat(&[Self::zero(width - self.width), self.clone()])
    }

    /// Sign extension to `width`, which must not be smaller. A value of width 0 extends with zeros.
    pub fn sext(&self, width: u32) -> Expr {
        assert!(width >= self.width, "sext of {} bits to {width}", self.width);
        if self.width == 0 {
            return Self::zero(width);
        }
        Self::concat(&[self.msb().repeat(width - self.width), self.clone()])
    }

    /// Width adaptation of a channel: cut or zero-extended at the high end, the low bits stay.
    pub fn resize(&self, width: u32) -> Expr {
        if width <= self.width {
            self.slice(0, width)
        } else {
            self.zext(width)
        }
    }

    /// The operands.
    fn operands(&self) -> Vec<&Expr> {
        match self.node() {
            ExprKind::Empty | ExprKind::Const(..) | ExprKind::Net(..) => Vec::new(),
            ExprKind::Unary(_, a) | ExprKind::Slice(a, _) | ExprKind::Repeat(a, _) => vec![a],
            ExprKind::Binary(_, a, b) => vec![a, b],
            ExprKind::Mux(a, b, c) => vec![a, b, c],
            ExprKind::Concat(parts) => parts.iter().collect(),
        }
    }

    /// The same operator on other operands of the same widths; constants fold.
    pub(crate) fn with_operands(&self, operands: &[Expr]) -> Expr {
        match (self.node(), operands) {
            (ExprKind::Unary(Unary::Not, _), [a]) => a.not(),
            (ExprKind::Unary(op, _), [a]) => Self::unary(*op, a),
            (ExprKind::Binary(Binary::And, ..), [a, b]) => a.and(b),
            (ExprKind::Binary(Binary::Or, ..), [a, b]) => a.or(b),
            (ExprKind::Binary(Binary::Xor, ..), [a, b]) => a.xor(b),
            (ExprKind::Binary(op, ..), [a, b]) => Self::binary(*op, a, b),
            (ExprKind::Mux(..), [condition, then, otherwise]) => condition.mux(then, otherwise),
            _ => panic!("an operator and its operands"),
        }
    }

    /// Calls `f` with width, name and value of each named constant in the expression.
    pub(super) fn for_each_constant<'a>(&'a self, f: &mut dyn FnMut(u32, &'a str, &'a BigUint)) {
        if let ExprKind::Const(value, Some(name)) = self.node() {
            f(self.width, name, value);
        }
        self.operands().into_iter().for_each(|e| e.for_each_constant(f));
    }

    /// Calls `f` with each net the expression reads, in reading order, repeats included.
    pub fn for_each_net(&self, f: &mut dyn FnMut(NetId, &str)) {
        if let ExprKind::Net(id, name) = self.node() {
            f(*id, name);
        }
        self.operands().into_iter().for_each(|e| e.for_each_net(f));
    }
}
