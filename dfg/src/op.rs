//! The op table: one list of ops that every part of the project reads.
//!
//! [`OpKind`] is what hardware has built in (a stream's `step_op`, a join's fan-in); [`Op`] adds what
//! configuration sets at run time (a predicate, a literal, a stream's `cont_cond`). A function unit holds kinds,
//! a graph holds ops.

use std::fmt;

/// How `dataflow.stream` updates its index; structural (DESIGN 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StepOp {
    /// `+=`
    Add,
    /// `-=`
    Sub,
    /// `*=`
    Mul,
    /// `/=`, signed, towards zero
    Div,
    /// `<<=`
    Shl,
    /// `>>=`, arithmetic
    Shr,
}

impl StepOp {
    /// All of them, in the seed's order.
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

    /// Signed comparison.
    pub fn holds(self, index: i64, bound: i64) -> bool {
        match self {
            ContCond::Lt => index < bound,
            ContCond::Le => index <= bound,
            ContCond::Gt => index > bound,
            ContCond::Ge => index >= bound,
            ContCond::Ne => index != bound,
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

/// An op as hardware knows it: everything that is fixed when Verilog is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OpKind {
    /// `arith.addi`
    Addi,
    /// `arith.subi`
    Subi,
    /// `arith.muli`
    Muli,
    /// `arith.andi`
    Andi,
    /// `arith.ori`
    Ori,
    /// `arith.xori`
    Xori,
    /// `arith.cmpi`; the predicate is configuration
    Cmpi,
    /// `arith.select`: consumes all three operands
    Select,
    /// `arith.shli`; an amount of the width or more gives 0
    Shli,
    /// `arith.shrsi`; an amount of the width or more gives all sign bits
    Shrsi,
    /// `arith.shrui`; an amount of the width or more gives 0
    Shrui,
    /// `arith.extsi`
    Extsi,
    /// `arith.extui`
    Extui,
    /// `arith.trunci`
    Trunci,
    /// `arith.index_cast`: truncates or sign-extends
    IndexCast,
    /// `handshake.constant`: one literal for each trigger token; the literal is configuration
    Constant,
    /// `handshake.join` with its fan-in; operands of any type, gives a control token
    Join(u8),
    /// `handshake.cond_br`: (condition, value) to (true side, false side)
    CondBr,
    /// `handshake.mux` with its number of data inputs; consumes the selector and the chosen input only
    Mux(u8),
    /// `dataflow.stream`: (start, step, bound) to (index, will-continue)
    Stream(StepOp),
    /// `dataflow.gate`: (before value, before condition) to (after value, after condition)
    Gate,
    /// `dataflow.carry`: (condition, initial, carried) to value
    Carry,
    /// `dataflow.invariant`: (condition, seed) to value
    Invariant,
}

/// How an op's FU behaves in time, and what may stand in for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// All operands in, one result out; latency and interval are the FU's.
    Arith,
    /// Moves tokens by value or presence (`constant join cond_br mux`); combinational.
    Steer,
    /// One of the four `dataflow` state machines; latency -1, interval -1.
    State,
}

/// When a function unit of other width may serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WidthRule {
    /// Moves bits untouched: any type of at most the unit's width.
    PassThrough,
    /// Low result bits depend on low operand bits only: any integer of at most the unit's width.
    LowBits,
    /// Exactly the unit's widths.
    Exact,
}

impl OpKind {
    /// The mnemonics of the op table with a representative kind each; variadic and parametric kinds stand once.
    pub const TABLE: [OpKind; 23] = [
        OpKind::Addi,
        OpKind::Subi,
        OpKind::Muli,
        OpKind::Andi,
        OpKind::Ori,
        OpKind::Xori,
        OpKind::Cmpi,
        OpKind::Select,
        OpKind::Shli,
        OpKind::Shrsi,
        OpKind::Shrui,
        OpKind::Extsi,
        OpKind::Extui,
        OpKind::Trunci,
        OpKind::IndexCast,
        OpKind::Constant,
        OpKind::Join(2),
        OpKind::CondBr,
        OpKind::Mux(2),
        OpKind::Stream(StepOp::Add),
        OpKind::Gate,
        OpKind::Carry,
        OpKind::Invariant,
    ];

    /// `dialect.op`.
    pub fn mnemonic(self) -> &'static str {
        match self {
            OpKind::Addi => "arith.addi",
            OpKind::Subi => "arith.subi",
            OpKind::Muli => "arith.muli",
            OpKind::Andi => "arith.andi",
            OpKind::Ori => "arith.ori",
            OpKind::Xori => "arith.xori",
            OpKind::Cmpi => "arith.cmpi",
            OpKind::Select => "arith.select",
            OpKind::Shli => "arith.shli",
            OpKind::Shrsi => "arith.shrsi",
            OpKind::Shrui => "arith.shrui",
            OpKind::Extsi => "arith.extsi",
            OpKind::Extui => "arith.extui",
            OpKind::Trunci => "arith.trunci",
            OpKind::IndexCast => "arith.index_cast",
            OpKind::Constant => "handshake.constant",
            OpKind::Join(_) => "handshake.join",
            OpKind::CondBr => "handshake.cond_br",
            OpKind::Mux(_) => "handshake.mux",
            OpKind::Stream(_) => "dataflow.stream",
            OpKind::Gate => "dataflow.gate",
            OpKind::Carry => "dataflow.carry",
            OpKind::Invariant => "dataflow.invariant",
        }
    }

    /// Number of operands.
    pub fn operand_count(self) -> usize {
        match self {
            OpKind::Extsi | OpKind::Extui | OpKind::Trunci | OpKind::IndexCast | OpKind::Constant => 1,
            OpKind::Select | OpKind::Stream(_) | OpKind::Carry => 3,
            OpKind::Join(n) => n as usize,
            OpKind::Mux(n) => n as usize + 1,
            _ => 2,
        }
    }

    /// Number of results.
    pub fn result_count(self) -> usize {
        match self {
            OpKind::CondBr | OpKind::Stream(_) | OpKind::Gate => 2,
            _ => 1,
        }
    }

    /// Timing class.
    pub fn class(self) -> Class {
        match self {
            OpKind::Stream(_) | OpKind::Gate | OpKind::Carry | OpKind::Invariant => Class::State,
            OpKind::Constant | OpKind::Join(_) | OpKind::CondBr | OpKind::Mux(_) => Class::Steer,
            _ => Class::Arith,
        }
    }

    /// Which other widths a unit of this kind serves (DESIGN 5, FU widths).
    pub fn width_rule(self) -> WidthRule {
        match self {
            OpKind::Select
            | OpKind::Constant
            | OpKind::Join(_)
            | OpKind::CondBr
            | OpKind::Mux(_)
            | OpKind::Gate
            | OpKind::Carry
            | OpKind::Invariant => WidthRule::PassThrough,
            OpKind::Addi | OpKind::Subi | OpKind::Muli | OpKind::Andi | OpKind::Ori | OpKind::Xori => {
                WidthRule::LowBits
            }
            _ => WidthRule::Exact,
        }
    }

    /// Checks operand and result types of this kind against each other. Counts must already fit. `Err` is what
    /// is allowed, in words.
    pub fn check_types(self, operands: &[crate::Type], results: &[crate::Type]) -> Result<(), String> {
        use crate::Type;
        let need = |ok: bool, allowed: &str| if ok { Ok(()) } else { Err(allowed.to_string()) };
        let int_width = |t: Type| match t {
            Type::Int(w) => u32::from(w),
            _ => 0,
        };
        match self {
            OpKind::Addi
            | OpKind::Subi
            | OpKind::Muli
            | OpKind::Andi
            | OpKind::Ori
            | OpKind::Xori
            | OpKind::Shli
            | OpKind::Shrsi
            | OpKind::Shrui => need(
                operands[0].is_integral() && operands[1] == operands[0] && results[0] == operands[0],
                "both operands and the result have one integer or index type",
            ),
            OpKind::Cmpi => need(
                operands[0].is_integral() && operands[1] == operands[0] && results[0] == Type::I1,
                "both operands have one integer or index type, the result is i1",
            ),
            OpKind::Select => need(
                operands[0] == Type::I1 && operands[1] == operands[2] && results[0] == operands[1],
                "the condition is i1, both values and the result have one type",
            ),
            OpKind::Extsi | OpKind::Extui => need(
                int_width(operands[0]) > 0 && int_width(results[0]) > int_width(operands[0]),
                "from an integer to a wider integer",
            ),
            OpKind::Trunci => need(
                int_width(results[0]) > 0 && int_width(results[0]) < int_width(operands[0]),
                "from an integer to a narrower integer",
            ),
            OpKind::IndexCast => need(
                (operands[0] == Type::Index && int_width(results[0]) > 0)
                    || (int_width(operands[0]) > 0 && results[0] == Type::Index),
                "from an integer to index or from index to an integer",
            ),
            OpKind::Constant => {
                need(operands[0] == Type::None && results[0] != Type::None, "from a none token to a value")
            }
            OpKind::Join(_) => need(results[0] == Type::None, "the result is none"),
            OpKind::CondBr => need(
                operands[0] == Type::I1 && results.iter().all(|&r| r == operands[1]),
                "the condition is i1, the value and both results have one type",
            ),
            OpKind::Mux(n) => need(
                (operands[0] == Type::Index
                    || int_width(operands[0]) >= loom_base::choice_bits(n as usize).max(1))
                    && (operands[0] == Type::I1 || n > 2)
                    && operands[1..].iter().chain(results).all(|&t| t == operands[1]),
                "the select is i1 for two inputs, an integer wide enough or index for more; all data has one type",
            ),
            OpKind::Stream(_) => need(
                operands.iter().all(|&t| t == Type::Index) && results[0] == Type::Index && results[1] == Type::I1,
                "three index operands, results index and i1",
            ),
            OpKind::Gate => need(
                operands[1] == Type::I1 && results[0] == operands[0] && results[1] == Type::I1,
                "operands T and i1, results T and i1",
            ),
            OpKind::Carry => need(
                operands[0] == Type::I1 && operands[1] == operands[2] && results[0] == operands[1],
                "operands i1, T and T, result T",
            ),
            OpKind::Invariant => need(
                operands[0] == Type::I1 && results[0] == operands[1],
                "operands i1 and T, result T",
            ),
        }
    }

    /// Names of the operands, for messages and reports; variadic ones are numbered.
    pub fn operand_name(self, i: usize) -> String {
        let fixed: &[&str] = match self {
            OpKind::Select => &["condition", "true_value", "false_value"],
            OpKind::Constant => &["trigger"],
            OpKind::CondBr => &["condition", "value"],
            OpKind::Stream(_) => &["start", "step", "bound"],
            OpKind::Gate => &["before_value", "before_cond"],
            OpKind::Carry => &["d", "a", "b"],
            OpKind::Invariant => &["d", "a"],
            OpKind::Mux(_) if i == 0 => &["select"],
            OpKind::Mux(_) => return format!("in{}", i - 1),
            OpKind::Join(_) => return format!("in{i}"),
            OpKind::Extsi | OpKind::Extui | OpKind::Trunci | OpKind::IndexCast => &["in"],
            _ => &["lhs", "rhs"],
        };
        fixed[i].to_string()
    }

    /// Names of the results, for messages and reports.
    pub fn result_name(self, i: usize) -> &'static str {
        match self {
            OpKind::CondBr => ["true_side", "false_side"][i],
            OpKind::Stream(_) => ["index", "cont"][i],
            OpKind::Gate => ["after_value", "after_cond"][i],
            _ => "out",
        }
    }
}

impl fmt::Display for OpKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpKind::Stream(s) => write!(f, "dataflow.stream {}", s.text()),
            OpKind::Join(n) => write!(f, "handshake.join {n}"),
            OpKind::Mux(n) if *n != 2 => write!(f, "handshake.mux {n}"),
            _ => f.write_str(self.mnemonic()),
        }
    }
}

/// An op of a graph: its kind and what configuration sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Kinds without run-time configuration.
    Plain(OpKind),
    /// `arith.cmpi`
    Cmpi(Predicate),
    /// `handshake.constant` with its literal's bits, low bits first
    Constant(u64),
    /// `dataflow.stream`
    Stream(StepOp, ContCond),
}

impl Op {
    /// The structural part.
    pub fn kind(self) -> OpKind {
        match self {
            Op::Plain(kind) => kind,
            Op::Cmpi(_) => OpKind::Cmpi,
            Op::Constant(_) => OpKind::Constant,
            Op::Stream(step, _) => OpKind::Stream(step),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_read_back() {
        for s in StepOp::ALL {
            assert_eq!(StepOp::parse(s.text()), Some(s));
        }
        for c in ContCond::ALL {
            assert_eq!(ContCond::parse(c.text()), Some(c));
            assert_eq!(ContCond::from_one_hot(c.one_hot()), Some(c));
        }
        for (code, p) in Predicate::ALL.into_iter().enumerate() {
            assert_eq!(Predicate::parse(p.text()), Some(p));
            assert_eq!(Predicate::from_code(code as u64), Some(p));
        }
        assert_eq!(ContCond::from_one_hot(3), None);
        assert_eq!(Predicate::from_code(10), None);
    }

    #[test]
    fn every_kind_names_its_ports() {
        for kind in OpKind::TABLE {
            for i in 0..kind.operand_count() {
                assert!(!kind.operand_name(i).is_empty());
            }
            for i in 0..kind.result_count() {
                assert!(!kind.result_name(i).is_empty());
            }
        }
    }
}
