//! The ops: one table that every part of the project reads ([`OpKind::TABLE`]).
//!
//! [`OpKind`] is what hardware has built in (how a stream counts, a join's fan-in); [`Op`] adds what
//! configuration sets at run time (a predicate, a literal, a stream's `cont_cond`). A function unit holds kinds,
//! a graph holds ops. [`Form`] says what operands a kind takes, and which of the ops of that form it is: everything about
//! types is derived from it, and every meaning of the ops is a match on it that names each op.

mod attributes;
mod digits;
mod signature;
mod table;

pub use attributes::{ContCond, Counter, FloatPredicate, Predicate, Signedness, StepOp};
pub use table::{
    AccessOp, Cast, Choice, Division, Elementary, FloatBinary, FloatCompare, FloatTernary, FloatUnary, Form,
    IntBinary, IntCompare, IntUnary, MemoryOp, OpKind, StateOp, SteerOp,
};

use crate::ids::MemoryId;
use std::fmt;

/// Ports of a memory node. Operands are (data, address) of each store, then the address of each load; results
/// are the data of each load, the done token of each store, the done token of each load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ports {
    /// Load ports.
    pub loads: u8,
    /// Store ports.
    pub stores: u8,
}

impl Ports {
    /// Operands of the node.
    pub fn operands(self) -> usize {
        2 * self.stores as usize + self.loads as usize
    }

    /// Results of the node.
    pub fn results(self) -> usize {
        2 * self.loads as usize + self.stores as usize
    }

    /// Operand that is the data of store port `i`.
    pub fn store_data(self, i: usize) -> usize {
        2 * i
    }

    /// Operand that is the address of store port `i`.
    pub fn store_address(self, i: usize) -> usize {
        2 * i + 1
    }

    /// Operand that is the address of load port `i`.
    pub fn load_address(self, i: usize) -> usize {
        2 * self.stores as usize + i
    }

    /// Result that is the data of load port `i`.
    pub fn load_data(self, i: usize) -> usize {
        i
    }

    /// Result that is the done token of store port `i`.
    pub fn store_done(self, i: usize) -> usize {
        self.loads as usize + i
    }

    /// Result that is the done token of load port `i`.
    pub fn load_done(self, i: usize) -> usize {
        self.loads as usize + self.stores as usize + i
    }
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
    /// `load` and `store`: between the graph and a memory port.
    Access,
    /// A memory itself, with all its ports.
    Memory,
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

/// What hardware an op has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hardware {
    /// A function unit of a PE.
    Unit,
    /// A function unit that makes its result digit by digit, one operation at a time, alone in its body.
    Digits,
    /// A memory interface of the fabric.
    Interface,
    /// None yet: the generator, the mapper and the cycle model refuse it.
    Unbuilt,
}

/// Whether an op may run where its result may be thrown away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speculation {
    /// Yes: no side effect, no division, no waiting.
    Free,
    /// Only where its result is needed.
    Needed,
}

impl OpKind {
    /// `dialect.op`.
    pub fn mnemonic(self) -> &'static str {
        self.row().mnemonic
    }

    /// What it computes, in one line.
    pub fn meaning(self) -> &'static str {
        self.row().meaning.trim()
    }

    /// The kind with this mnemonic; variadic and parametric kinds with the table's example.
    pub fn named(mnemonic: &str) -> Option<OpKind> {
        Self::TABLE.iter().copied().find(|k| k.mnemonic() == mnemonic)
    }

    /// The kind of class `Arith` with this mnemonic; `arith.cmpi` and `arith.cmpf` need a predicate besides.
    pub fn arith(mnemonic: &str) -> Option<OpKind> {
        Self::named(mnemonic).filter(|k| k.class() == Class::Arith)
    }

    /// Whether its two operands may change places. Floats are left out: of two NaNs one gives the result.
    pub fn commutes(self) -> bool {
        matches!(self, OpKind::Addi | OpKind::Muli | OpKind::Andi | OpKind::Ori | OpKind::Xori)
    }

    /// Whether its unit works digit by digit, alone in its body.
    pub fn is_iterative(self) -> bool {
        self.hardware() == Hardware::Digits
    }

    /// What hardware it has.
    pub fn hardware(self) -> Hardware {
        self.row().hardware
    }

    /// Whether a function unit can have it.
    pub fn in_hardware(self) -> bool {
        matches!(self.hardware(), Hardware::Unit | Hardware::Digits)
    }

    /// Whether it can run where its result may be thrown away.
    pub fn is_speculatable(self) -> bool {
        self.row().speculation == Speculation::Free
    }

    /// Which other widths a unit of this kind serves (D8).
    pub fn width_rule(self) -> WidthRule {
        self.row().width_rule
    }
}

impl fmt::Display for OpKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpKind::Stream(counter) => write!(f, "dataflow.stream {counter}"),
            OpKind::Join(n) => write!(f, "handshake.join {n}"),
            OpKind::Mux(n) if *n != 2 => write!(f, "handshake.mux {n}"),
            OpKind::Memory(p) | OpKind::Extmemory(p) => {
                write!(f, "{}[ld = {}, st = {}]", self.mnemonic(), p.loads, p.stores)
            }
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
    /// `arith.cmpf`
    Cmpf(FloatPredicate),
    /// `handshake.constant` with its literal's bits, low bits first
    Constant(u64),
    /// `dataflow.stream`
    Stream(Counter, ContCond),
    /// `handshake.memory` or `handshake.extmemory` (as the memory's place says): the node of one of the graph's
    /// memories
    Memory(MemoryId, OpKind),
}

impl Op {
    /// `arith.cmpi` or `arith.cmpf` with the predicate that has this number.
    pub fn comparison(kind: OpKind, code: u64) -> Option<Op> {
        match kind {
            OpKind::Cmpi => Predicate::from_code(code).map(Op::Cmpi),
            OpKind::Cmpf => FloatPredicate::from_code(code).map(Op::Cmpf),
            _ => None,
        }
    }

    /// The structural part.
    pub fn kind(self) -> OpKind {
        match self {
            Op::Plain(kind) | Op::Memory(_, kind) => kind,
            Op::Cmpi(_) => OpKind::Cmpi,
            Op::Cmpf(_) => OpKind::Cmpf,
            Op::Constant(_) => OpKind::Constant,
            Op::Stream(counter, _) => OpKind::Stream(counter),
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
        for p in FloatPredicate::all() {
            assert_eq!(FloatPredicate::parse(p.text()), Some(p));
            assert_eq!(FloatPredicate::from_code(u64::from(p.code())), Some(p));
        }
        assert_eq!(FloatPredicate::from_code(16), None);
    }

    #[test]
    fn a_unit_for_unsigned_numbers_counts_either_way() {
        for (unit, wanted) in Counter::all().flat_map(|u| Counter::all().map(move |w| (u, w))) {
            let same_step = unit.step_op == wanted.step_op;
            let want = same_step && (unit == wanted || unit.is_unsigned());
            assert_eq!(unit.serves(wanted), want, "{wanted} on {unit}");
        }
    }

    #[test]
    fn every_kind_names_its_ports() {
        for &kind in OpKind::TABLE {
            for i in 0..kind.operand_count() {
                assert!(!kind.operand_name(i).is_empty());
            }
            for i in 0..kind.result_count() {
                assert!(!kind.result_name(i).is_empty());
            }
        }
    }
}
