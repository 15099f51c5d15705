//! How a formula is written down: the ops of its steps, for whoever takes them.

use loom_dfg::{FloatPredicate, Op, OpKind, Predicate, Type};

/// Takes the steps of a formula: one writes them into a program, another computes them.
pub trait Calculator {
    /// What a step gives.
    type Value: Copy;

    /// A literal's bits.
    fn literal(&mut self, bits: u64, ty: Type) -> Self::Value;

    /// One op on values, with a result of a type.
    fn op(&mut self, op: Op, operands: &[Self::Value], ty: Type) -> Self::Value;
}

/// Words of the formulas.
pub const WORD: Type = Type::Int(64);

/// The shorthand that formulas are written in: words of 64 bits where nothing else is said.
pub struct Pen<'c, C: Calculator>(pub &'c mut C);

impl<C: Calculator> Pen<'_, C> {
    #[inline(always)]
    fn word(&mut self, kind: OpKind, a: C::Value, b: C::Value) -> C::Value {
        self.0.op(Op::Plain(kind), &[a, b], WORD)
    }

    #[inline(always)]
    fn with(&mut self, kind: OpKind, a: C::Value, b: i64) -> C::Value {
        let b = self.int(b);
        self.word(kind, a, b)
    }

    /// A literal.
    #[inline(always)]
    pub fn int(&mut self, value: i64) -> C::Value {
        self.0.literal(value as u64, WORD)
    }

    /// A literal in single precision.
    #[inline(always)]
    pub fn single(&mut self, value: f32) -> C::Value {
        self.0.literal(value.to_bits().into(), Type::F32)
    }

    /// A literal in double precision.
    #[inline(always)]
    pub fn double_literal(&mut self, value: f64) -> C::Value {
        self.0.literal(value.to_bits(), Type::F64)
    }

    /// A literal of 32 bits.
    #[inline(always)]
    pub fn narrow_literal(&mut self, value: i32) -> C::Value {
        self.0.literal(value as u32 as u64, Type::I32)
    }

    /// a + b
    #[inline(always)]
    pub fn sum(&mut self, a: C::Value, b: C::Value) -> C::Value {
        self.word(OpKind::Addi, a, b)
    }

    /// a + literal
    #[inline(always)]
    pub fn plus(&mut self, a: C::Value, b: i64) -> C::Value {
        self.with(OpKind::Addi, a, b)
    }

    /// a - b
    #[inline(always)]
    pub fn difference(&mut self, a: C::Value, b: C::Value) -> C::Value {
        self.word(OpKind::Subi, a, b)
    }

    /// literal - a
    #[inline(always)]
    pub fn minus_from(&mut self, a: i64, b: C::Value) -> C::Value {
        let a = self.int(a);
        self.word(OpKind::Subi, a, b)
    }

    /// a * b
    #[inline(always)]
    pub fn product(&mut self, a: C::Value, b: C::Value) -> C::Value {
        self.word(OpKind::Muli, a, b)
    }

    /// a * literal
    #[inline(always)]
    pub fn times(&mut self, a: C::Value, b: i64) -> C::Value {
        self.with(OpKind::Muli, a, b)
    }

    /// The bits of a that a mask keeps.
    #[inline(always)]
    pub fn masked(&mut self, a: C::Value, mask: i64) -> C::Value {
        self.with(OpKind::Andi, a, mask)
    }

    /// a with the bits of b.
    #[inline(always)]
    pub fn joined(&mut self, a: C::Value, b: C::Value) -> C::Value {
        self.word(OpKind::Ori, a, b)
    }

    /// The bits in which a and b differ.
    #[inline(always)]
    pub fn differing(&mut self, a: C::Value, b: C::Value) -> C::Value {
        self.word(OpKind::Xori, a, b)
    }

    /// a to the left.
    #[inline(always)]
    pub fn left(&mut self, a: C::Value, by: i64) -> C::Value {
        self.with(OpKind::Shli, a, by)
    }

    /// a to the left by a value.
    #[inline(always)]
    pub fn left_by(&mut self, a: C::Value, by: C::Value) -> C::Value {
        self.word(OpKind::Shli, a, by)
    }

    /// a to the right, with its sign.
    #[inline(always)]
    pub fn right(&mut self, a: C::Value, by: i64) -> C::Value {
        self.with(OpKind::Shrsi, a, by)
    }

    /// a to the right by a value, with its sign.
    #[inline(always)]
    pub fn right_by(&mut self, a: C::Value, by: C::Value) -> C::Value {
        self.word(OpKind::Shrsi, a, by)
    }

    /// a to the right, with zeros.
    #[inline(always)]
    pub fn down(&mut self, a: C::Value, by: i64) -> C::Value {
        self.with(OpKind::Shrui, a, by)
    }

    /// a to the right by a value, with zeros.
    #[inline(always)]
    pub fn down_by(&mut self, a: C::Value, by: C::Value) -> C::Value {
        self.word(OpKind::Shrui, a, by)
    }

    /// Whether a compares so with a literal.
    #[inline(always)]
    pub fn is(&mut self, predicate: Predicate, a: C::Value, b: i64) -> C::Value {
        let b = self.int(b);
        self.0.op(Op::Cmpi(predicate), &[a, b], Type::I1)
    }

    /// Whether a number in single precision compares so with a literal.
    #[inline(always)]
    pub fn holds(&mut self, predicate: Comparison, a: C::Value, b: f32) -> C::Value {
        let b = self.single(b);
        self.compare(predicate, a, b)
    }

    /// Whether two numbers in single precision compare so.
    #[inline(always)]
    pub fn compare(&mut self, predicate: Comparison, a: C::Value, b: C::Value) -> C::Value {
        let predicate = FloatPredicate::from_code(predicate as u64).expect("one of MLIR's");
        self.0.op(Op::Cmpf(predicate), &[a, b], Type::I1)
    }

    /// Whether both hold.
    #[inline(always)]
    pub fn both(&mut self, a: C::Value, b: C::Value) -> C::Value {
        self.0.op(Op::Plain(OpKind::Andi), &[a, b], Type::I1)
    }

    /// Whether one holds.
    #[inline(always)]
    pub fn either(&mut self, a: C::Value, b: C::Value) -> C::Value {
        self.0.op(Op::Plain(OpKind::Ori), &[a, b], Type::I1)
    }

    /// The larger of a word and a literal.
    #[inline(always)]
    pub fn at_least(&mut self, a: C::Value, least: i64) -> C::Value {
        self.with(OpKind::Maxsi, a, least)
    }

    /// The smaller of a word and a literal.
    #[inline(always)]
    pub fn not_above(&mut self, a: C::Value, most: i64) -> C::Value {
        self.with(OpKind::Minsi, a, most)
    }

    /// One of two values of a type.
    #[inline(always)]
    pub fn choice(&mut self, condition: C::Value, yes: C::Value, no: C::Value, ty: Type) -> C::Value {
        self.0.op(Op::Plain(OpKind::Select), &[condition, yes, no], ty)
    }

    /// A polynomial in single precision, by Horner's rule; coefficients from the constant one on. Panics without any.
    #[inline(always)]
    pub fn polynomial(&mut self, coefficients: &[f32], x: C::Value) -> C::Value {
        let (&last, others) = coefficients.split_last().expect("a polynomial");
        let mut sum = self.single(last);
        for &c in others.iter().rev() {
            let product = self.float(OpKind::Mulf, &[sum, x], Type::F32);
            let c = self.single(c);
            sum = self.float(OpKind::Addf, &[product, c], Type::F32);
        }
        sum
    }

    /// The value of numbers from a bound on, but for those below it, and NaNs, another one; all in single precision.
    #[inline(always)]
    pub fn by_size(&mut self, magnitude: C::Value, from: f32, large: C::Value, small: C::Value) -> C::Value {
        let is_large = self.holds(Comparison::AtLeast, magnitude, from);
        self.choice(is_large, large, small, Type::F32)
    }

    /// An op on a word of 32 bits and a literal.
    #[inline(always)]
    pub fn narrow(&mut self, kind: OpKind, a: C::Value, b: i32) -> C::Value {
        let b = self.narrow_literal(b);
        self.0.op(Op::Plain(kind), &[a, b], Type::I32)
    }

    /// An op on operands of one type.
    #[inline(always)]
    pub fn float(&mut self, kind: OpKind, operands: &[C::Value], ty: Type) -> C::Value {
        self.0.op(Op::Plain(kind), operands, ty)
    }

    /// A product in double precision with a literal.
    #[inline(always)]
    pub fn scaled(&mut self, a: C::Value, by: f64) -> C::Value {
        let by = self.double_literal(by);
        self.float(OpKind::Mulf, &[a, by], Type::F64)
    }

    /// A product in single precision with a literal.
    #[inline(always)]
    pub fn scaled_single(&mut self, a: C::Value, by: f32) -> C::Value {
        let by = self.single(by);
        self.float(OpKind::Mulf, &[a, by], Type::F32)
    }

    /// Single to double precision.
    #[inline(always)]
    pub fn double(&mut self, a: C::Value) -> C::Value {
        self.0.op(Op::Plain(OpKind::Extf), &[a], Type::F64)
    }

    /// Double to single precision.
    #[inline(always)]
    pub fn cut(&mut self, a: C::Value) -> C::Value {
        self.0.op(Op::Plain(OpKind::Truncf), &[a], Type::F32)
    }

    /// The whole part of a double, the nearest word where it is none.
    #[inline(always)]
    pub fn whole(&mut self, a: C::Value) -> C::Value {
        self.0.op(Op::Plain(OpKind::Fptosi), &[a], WORD)
    }

    /// A word as a float.
    #[inline(always)]
    pub fn number(&mut self, a: C::Value, ty: Type) -> C::Value {
        self.0.op(Op::Plain(OpKind::Sitofp), &[a], ty)
    }

    /// The same bits as another type of that width.
    #[inline(always)]
    pub fn bits(&mut self, a: C::Value, ty: Type) -> C::Value {
        self.0.op(Op::Plain(OpKind::Bitcast), &[a], ty)
    }

    /// Whether the sign bit of a number in single precision is set.
    #[inline(always)]
    pub fn is_negative(&mut self, a: C::Value) -> C::Value {
        let bits = self.bits(a, Type::I32);
        let zero = self.narrow_literal(0);
        self.0.op(Op::Cmpi(Predicate::Slt), &[bits, zero], Type::I1)
    }

    /// A number that is not negative with the sign of another one: by a product, which keeps that of zeros, and makes one
    /// NaN of all.
    #[inline(always)]
    pub fn with_sign(&mut self, magnitude: C::Value, of: C::Value) -> C::Value {
        let bits = self.bits(of, Type::I32);
        let sign = self.narrow(OpKind::Andi, bits, i32::MIN);
        let one = self.narrow(OpKind::Ori, sign, 1.0f32.to_bits() as i32);
        let one = self.bits(one, Type::F32);
        self.float(OpKind::Mulf, &[magnitude, one], Type::F32)
    }

    /// A number with its sign turned where another one is negative.
    #[inline(always)]
    pub fn turned(&mut self, value: C::Value, by: C::Value) -> C::Value {
        let [value, by] = [value, by].map(|v| self.bits(v, Type::I32));
        let sign = self.narrow(OpKind::Andi, by, i32::MIN);
        let value = self.float(OpKind::Xori, &[value, sign], Type::I32);
        self.bits(value, Type::F32)
    }

    /// A choice between a number and a literal in single precision.
    #[inline(always)]
    pub fn unless(&mut self, condition: C::Value, literal: f32, otherwise: C::Value) -> C::Value {
        let literal = self.single(literal);
        self.choice(condition, literal, otherwise, Type::F32)
    }
}

/// Comparisons of floats that formulas make, by MLIR's numbers.
#[derive(Clone, Copy)]
pub enum Comparison {
    /// Equal, and no NaN.
    Equal = 1,
    /// Greater, and no NaN.
    Greater = 2,
    /// Not less, and no NaN.
    AtLeast = 3,
    /// Less, and no NaN.
    Less = 4,
    /// Less or greater, and no NaN.
    Unequal = 6,
    /// Less, greater, or one is a NaN.
    Differs = 13,
    /// One is a NaN.
    Unordered = 14,
}
