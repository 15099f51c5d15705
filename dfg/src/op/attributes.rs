//! What configuration or structure adds to an op: step operators, loop conditions, predicates.

use loom_base::{sign_extend, truncate};
use std::cmp::Ordering;
use std::fmt;

/// How `dataflow.stream` updates its index; structural (D4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StepOp {
    /// `+=`
    Add,
    /// `-=`
    Sub,
    /// `*=`
    Mul,
    /// `/=`, towards zero
    Div,
    /// `<<=`
    Shl,
    /// `>>=`, filled with the sign
    Shr,
}

impl StepOp {
    /// All of them, in the specification's order.
    pub const ALL: [StepOp; 6] =
        [StepOp::Add, StepOp::Sub, StepOp::Mul, StepOp::Div, StepOp::Shl, StepOp::Shr];

    /// The attribute's text.
    pub fn text(self) -> &'static str {
        match self {
            StepOp::Add => "+=",
            StepOp::Sub => "-=",
            StepOp::Mul => "*=",
            StepOp::Div => "/=",
            StepOp::Shl => "<<=",
            StepOp::Shr => ">>=",
        }
    }

    /// For module and unit names.
    pub fn name(self) -> &'static str {
        match self {
            StepOp::Add => "add",
            StepOp::Sub => "sub",
            StepOp::Mul => "mul",
            StepOp::Div => "div",
            StepOp::Shl => "shl",
            StepOp::Shr => "shr",
        }
    }

    /// Reads the attribute's text.
    pub fn parse(text: &str) -> Option<StepOp> {
        Self::ALL.into_iter().find(|s| s.text() == text)
    }
}

/// Which numbers the index and the bound of a `dataflow.stream` are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Signedness {
    /// Two's complement.
    Signed,
    /// From 0 up.
    Unsigned,
}

/// How `dataflow.stream` counts. Of a unit: unsigned means that it has the configuration bit and counts either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Counter {
    /// How the index moves.
    pub step_op: StepOp,
    /// Which numbers it goes through.
    pub numbers: Signedness,
}

impl Counter {
    /// The mode bit of unsigned numbers: how units, graphs and fabrics write it.
    pub const UNSIGNED: &'static str = "unsigned";

    /// All of them: each step op through signed numbers, then through unsigned ones.
    pub fn all() -> impl Iterator<Item = Counter> {
        let both = [Counter::signed, Counter::unsigned];
        both.into_iter().flat_map(|of| StepOp::ALL.into_iter().map(of))
    }

    /// Through signed numbers.
    pub const fn signed(step_op: StepOp) -> Counter {
        Counter { step_op, numbers: Signedness::Signed }
    }

    /// Through unsigned numbers.
    pub const fn unsigned(step_op: StepOp) -> Counter {
        Counter { step_op, numbers: Signedness::Unsigned }
    }

    /// Whether the numbers are unsigned.
    pub fn is_unsigned(self) -> bool {
        self.numbers == Signedness::Unsigned
    }

    /// Whether a unit that is built like this counts as `wanted` does.
    pub fn serves(self, wanted: Counter) -> bool {
        self.step_op == wanted.step_op && (self.is_unsigned() || !wanted.is_unsigned())
    }

    /// Whether the activation goes on from `index`; numbers are the low `width` bits.
    pub fn goes_on(self, cond: ContCond, width: u32, index: u64, bound: u64) -> bool {
        cond.holds(match self.numbers {
            Signedness::Signed => sign_extend(index, width).cmp(&sign_extend(bound, width)),
            Signedness::Unsigned => truncate(index, width).cmp(&truncate(bound, width)),
        })
    }

    /// For module and unit names: `add`, `add_unsigned`.
    pub fn name(self) -> String {
        let unsigned = if self.is_unsigned() { "_unsigned" } else { "" };
        format!("{}{unsigned}", self.step_op.name())
    }
}

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.step_op.text())?;
        if self.is_unsigned() {
            write!(f, " {}", Counter::UNSIGNED)?;
        }
        Ok(())
    }
}

/// When `dataflow.stream` continues; run-time configuration, five bits, one hot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ContCond {
    /// `<`, bit 0
    Lt,
    /// `<=`, bit 1
    Le,
    /// `>`, bit 2
    Gt,
    /// `>=`, bit 3
    Ge,
    /// `!=`, bit 4
    Ne,
}

impl ContCond {
    /// All of them, in bit order.
    pub const ALL: [ContCond; 5] = [ContCond::Lt, ContCond::Le, ContCond::Gt, ContCond::Ge, ContCond::Ne];
    /// Configuration bits.
    pub const BITS: u32 = 5;

    /// The attribute's text.
    pub fn text(self) -> &'static str {
        match self {
            ContCond::Lt => "<",
            ContCond::Le => "<=",
            ContCond::Gt => ">",
            ContCond::Ge => ">=",
            ContCond::Ne => "!=",
        }
    }

    /// Reads the attribute's text.
    pub fn parse(text: &str) -> Option<ContCond> {
        Self::ALL.into_iter().find(|c| c.text() == text)
    }

    /// The one-hot configuration field.
    pub fn one_hot(self) -> u64 {
        1 << self as u32
    }

    /// Reads the one-hot field; `None` unless exactly one bit is set.
    pub fn from_one_hot(bits: u64) -> Option<ContCond> {
        Self::ALL.into_iter().find(|c| c.one_hot() == bits)
    }

    /// Whether it holds for an index that is so to its bound.
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            ContCond::Lt => order.is_lt(),
            ContCond::Le => order.is_le(),
            ContCond::Gt => order.is_gt(),
            ContCond::Ge => order.is_ge(),
            ContCond::Ne => order.is_ne(),
        }
    }
}

/// `arith.cmpi` predicate, MLIR's numbering; a 4-bit configuration field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Predicate {
    /// 0
    Eq,
    /// 1
    Ne,
    /// 2
    Slt,
    /// 3
    Sle,
    /// 4
    Sgt,
    /// 5
    Sge,
    /// 6
    Ult,
    /// 7
    Ule,
    /// 8
    Ugt,
    /// 9
    Uge,
}

impl Predicate {
    /// All of them, in MLIR's order.
    pub const ALL: [Predicate; 10] = [
        Predicate::Eq,
        Predicate::Ne,
        Predicate::Slt,
        Predicate::Sle,
        Predicate::Sgt,
        Predicate::Sge,
        Predicate::Ult,
        Predicate::Ule,
        Predicate::Ugt,
        Predicate::Uge,
    ];
    /// Configuration bits.
    pub const BITS: u32 = 4;

    /// MLIR's spelling.
    pub fn text(self) -> &'static str {
        ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"][self as usize]
    }

    /// Reads MLIR's spelling.
    pub fn parse(text: &str) -> Option<Predicate> {
        Self::ALL.into_iter().find(|p| p.text() == text)
    }

    /// Reads the configuration field.
    pub fn from_code(code: u64) -> Option<Predicate> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }
}

/// `arith.cmpf` predicate, MLIR's numbering; a 4-bit configuration field. Bit 0 is equal, bit 1 greater, bit 2
/// less, bit 3 unordered: a predicate holds when the bit of the operands' relation is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FloatPredicate(u8);

impl FloatPredicate {
    /// Configuration bits.
    pub const BITS: u32 = 4;
    /// MLIR's spellings, by number.
    pub const TEXTS: [&'static str; 16] = [
        "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
        "uno", "true",
    ];

    /// All of them, in MLIR's order.
    pub fn all() -> impl Iterator<Item = FloatPredicate> {
        (0..16).map(FloatPredicate)
    }

    /// MLIR's number.
    pub fn code(self) -> u8 {
        self.0
    }

    /// MLIR's spelling.
    pub fn text(self) -> &'static str {
        Self::TEXTS[self.0 as usize]
    }

    /// Reads MLIR's spelling.
    pub fn parse(text: &str) -> Option<FloatPredicate> {
        Self::all().find(|p| p.text() == text)
    }

    /// Reads MLIR's number.
    pub fn from_code(code: u64) -> Option<FloatPredicate> {
        (code < 16).then_some(FloatPredicate(code as u8))
    }

    /// `order` is `None` when one operand is a NaN.
    pub fn holds(self, order: Option<Ordering>) -> bool {
        let bit = match order {
            Some(Ordering::Equal) => 1,
            Some(Ordering::Greater) => 2,
            Some(Ordering::Less) => 4,
            None => 8,
        };
        self.relations() & bit != 0
    }

    /// The relations it holds for: 1 equal, 2 greater, 4 less, 8 unordered.
    fn relations(self) -> u8 {
        match self.0 {
            0..=7 => self.0,
            // `ueq` is 8: unordered or equal, and so on up to `une`; `uno` has none of the three.
            8..=13 => 8 | (self.0 - 7),
            14 => 8,
            _ => 15,
        }
    }
}
