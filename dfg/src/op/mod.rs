//! The op table: one list of ops that every part of the project reads.
//!
//! [`OpKind`] is what hardware has built in (a stream's `step_op`, a join's fan-in); [`Op`] adds what
//! configuration sets at run time (a predicate, a literal, a stream's `cont_cond`). A function unit holds kinds,
//! a graph holds ops. [`Form`] says what operands a kind takes; everything about types is derived from it.

mod attributes;
mod signature;

pub use attributes::{ContCond, FloatPredicate, Predicate, StepOp};

use crate::graph::MemoryId;
use std::fmt;

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
    /// `arith.index_castui`: truncates or zero-extends
    IndexCastui,
    /// `arith.divsi`, towards zero; by zero gives -1, the smallest number by -1 gives itself
    Divsi,
    /// `arith.divui`; by zero gives all ones
    Divui,
    /// `arith.remsi`, the sign of the dividend; by zero gives the dividend
    Remsi,
    /// `arith.remui`; by zero gives the dividend
    Remui,
    /// `arith.ceildivsi`; by zero gives -1
    Ceildivsi,
    /// `arith.ceildivui`; by zero gives all ones
    Ceildivui,
    /// `arith.floordivsi`; by zero gives -1
    Floordivsi,
    /// `arith.maxsi`
    Maxsi,
    /// `arith.maxui`
    Maxui,
    /// `arith.minsi`
    Minsi,
    /// `arith.minui`
    Minui,
    /// `math.absi`; the smallest number gives itself
    Absi,
    /// `math.ctlz`: leading zeros, the width for 0
    Ctlz,
    /// `math.cttz`: trailing zeros, the width for 0
    Cttz,
    /// `math.ctpop`: ones
    Ctpop,
    /// `llvm.intr.bitreverse`
    Bitreverse,
    /// `arith.addf`
    Addf,
    /// `arith.subf`
    Subf,
    /// `arith.mulf`
    Mulf,
    /// `arith.divf`
    Divf,
    /// `arith.remf`: C's `fmod`
    Remf,
    /// `arith.maximumf`: NaN wins, -0 is below +0
    Maximumf,
    /// `arith.minimumf`: NaN wins, -0 is below +0
    Minimumf,
    /// `arith.maxnumf`: a number wins over NaN, -0 is below +0
    Maxnumf,
    /// `arith.minnumf`: a number wins over NaN, -0 is below +0
    Minnumf,
    /// `math.copysign`: the first operand with the second's sign
    Copysign,
    /// `arith.negf`: flips the sign bit, of a NaN too
    Negf,
    /// `math.absf`: clears the sign bit, of a NaN too
    Absf,
    /// `math.sqrt`, correctly rounded
    Sqrt,
    /// `math.floor`
    Floor,
    /// `math.ceil`
    Ceil,
    /// `math.trunc`
    Trunc,
    /// `math.round`: halves away from zero
    Round,
    /// `math.roundeven`
    Roundeven,
    /// `math.fma`: one rounding
    Fma,
    /// `arith.cmpf`; the predicate is configuration
    Cmpf,
    /// `arith.extf`
    Extf,
    /// `arith.truncf`: to nearest, ties to even
    Truncf,
    /// `arith.sitofp`
    Sitofp,
    /// `arith.uitofp`
    Uitofp,
    /// `arith.fptosi`: towards zero; saturates, NaN gives 0
    Fptosi,
    /// `arith.fptoui`: towards zero; saturates, NaN gives 0
    Fptoui,
    /// `arith.bitcast`: the same bits as another type of the same width
    Bitcast,
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
    /// `dataflow.invariant`: (condition, first token) to value
    Invariant,
    /// `handshake.load`: (address, data from memory, control) to (data, address to memory)
    Load,
    /// `handshake.store`: (address, data, control) to (data to memory, address to memory)
    Store,
    /// `handshake.memory`, on-chip: see [`Ports`] for its operands and results
    Memory(Ports),
    /// `handshake.extmemory`, behind an argument of the function: operands and results as `memory`
    Extmemory(Ports),
}

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

/// What an op takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `(T, T) -> T`, integer or index
    IntBinary,
    /// `T -> T`, integer or index
    IntUnary,
    /// `(T, T) -> i1`, integer or index
    IntCompare,
    /// `(T, T) -> T`, float
    FloatBinary,
    /// `T -> T`, float
    FloatUnary,
    /// `(T, T, T) -> T`, float
    FloatTernary,
    /// `(T, T) -> i1`, float
    FloatCompare,
    /// One operand of one type to a result of another; the kind says which.
    Cast,
    /// None of these: `select`, and all that is not arithmetic.
    Special,
}

impl OpKind {
    /// The op table with a representative kind each; variadic and parametric kinds stand once.
    pub const TABLE: [OpKind; 71] = [
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
        OpKind::IndexCastui,
        OpKind::Divsi,
        OpKind::Divui,
        OpKind::Remsi,
        OpKind::Remui,
        OpKind::Ceildivsi,
        OpKind::Ceildivui,
        OpKind::Floordivsi,
        OpKind::Maxsi,
        OpKind::Maxui,
        OpKind::Minsi,
        OpKind::Minui,
        OpKind::Absi,
        OpKind::Ctlz,
        OpKind::Cttz,
        OpKind::Ctpop,
        OpKind::Bitreverse,
        OpKind::Addf,
        OpKind::Subf,
        OpKind::Mulf,
        OpKind::Divf,
        OpKind::Remf,
        OpKind::Maximumf,
        OpKind::Minimumf,
        OpKind::Maxnumf,
        OpKind::Minnumf,
        OpKind::Copysign,
        OpKind::Negf,
        OpKind::Absf,
        OpKind::Sqrt,
        OpKind::Floor,
        OpKind::Ceil,
        OpKind::Trunc,
        OpKind::Round,
        OpKind::Roundeven,
        OpKind::Fma,
        OpKind::Cmpf,
        OpKind::Extf,
        OpKind::Truncf,
        OpKind::Sitofp,
        OpKind::Uitofp,
        OpKind::Fptosi,
        OpKind::Fptoui,
        OpKind::Bitcast,
        OpKind::Constant,
        OpKind::Join(2),
        OpKind::CondBr,
        OpKind::Mux(2),
        OpKind::Stream(StepOp::Add),
        OpKind::Gate,
        OpKind::Carry,
        OpKind::Invariant,
        OpKind::Load,
        OpKind::Store,
        OpKind::Memory(Ports { loads: 1, stores: 1 }),
        OpKind::Extmemory(Ports { loads: 1, stores: 1 }),
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
            OpKind::IndexCastui => "arith.index_castui",
            OpKind::Divsi => "arith.divsi",
            OpKind::Divui => "arith.divui",
            OpKind::Remsi => "arith.remsi",
            OpKind::Remui => "arith.remui",
            OpKind::Ceildivsi => "arith.ceildivsi",
            OpKind::Ceildivui => "arith.ceildivui",
            OpKind::Floordivsi => "arith.floordivsi",
            OpKind::Maxsi => "arith.maxsi",
            OpKind::Maxui => "arith.maxui",
            OpKind::Minsi => "arith.minsi",
            OpKind::Minui => "arith.minui",
            OpKind::Absi => "math.absi",
            OpKind::Ctlz => "math.ctlz",
            OpKind::Cttz => "math.cttz",
            OpKind::Ctpop => "math.ctpop",
            OpKind::Bitreverse => "llvm.intr.bitreverse",
            OpKind::Addf => "arith.addf",
            OpKind::Subf => "arith.subf",
            OpKind::Mulf => "arith.mulf",
            OpKind::Divf => "arith.divf",
            OpKind::Remf => "arith.remf",
            OpKind::Maximumf => "arith.maximumf",
            OpKind::Minimumf => "arith.minimumf",
            OpKind::Maxnumf => "arith.maxnumf",
            OpKind::Minnumf => "arith.minnumf",
            OpKind::Copysign => "math.copysign",
            OpKind::Negf => "arith.negf",
            OpKind::Absf => "math.absf",
            OpKind::Sqrt => "math.sqrt",
            OpKind::Floor => "math.floor",
            OpKind::Ceil => "math.ceil",
            OpKind::Trunc => "math.trunc",
            OpKind::Round => "math.round",
            OpKind::Roundeven => "math.roundeven",
            OpKind::Fma => "math.fma",
            OpKind::Cmpf => "arith.cmpf",
            OpKind::Extf => "arith.extf",
            OpKind::Truncf => "arith.truncf",
            OpKind::Sitofp => "arith.sitofp",
            OpKind::Uitofp => "arith.uitofp",
            OpKind::Fptosi => "arith.fptosi",
            OpKind::Fptoui => "arith.fptoui",
            OpKind::Bitcast => "arith.bitcast",
            OpKind::Constant => "handshake.constant",
            OpKind::Join(_) => "handshake.join",
            OpKind::CondBr => "handshake.cond_br",
            OpKind::Mux(_) => "handshake.mux",
            OpKind::Stream(_) => "dataflow.stream",
            OpKind::Gate => "dataflow.gate",
            OpKind::Carry => "dataflow.carry",
            OpKind::Invariant => "dataflow.invariant",
            OpKind::Load => "handshake.load",
            OpKind::Store => "handshake.store",
            OpKind::Memory(_) => "handshake.memory",
            OpKind::Extmemory(_) => "handshake.extmemory",
        }
    }

    /// The kind of class `Arith` with this mnemonic; `arith.cmpi` and `arith.cmpf` need a predicate besides.
    pub fn arith(mnemonic: &str) -> Option<OpKind> {
        Self::TABLE.into_iter().find(|k| k.class() == Class::Arith && k.mnemonic() == mnemonic)
    }

    /// What it takes and gives.
    pub fn form(self) -> Form {
        use OpKind::*;
        match self {
            Addi | Subi | Muli | Andi | Ori | Xori | Shli | Shrsi | Shrui | Divsi | Divui | Remsi | Remui
            | Ceildivsi | Ceildivui | Floordivsi | Maxsi | Maxui | Minsi | Minui => Form::IntBinary,
            Absi | Ctlz | Cttz | Ctpop | Bitreverse => Form::IntUnary,
            Cmpi => Form::IntCompare,
            Addf | Subf | Mulf | Divf | Remf | Maximumf | Minimumf | Maxnumf | Minnumf | Copysign => {
                Form::FloatBinary
            }
            Negf | Absf | Sqrt | Floor | Ceil | Trunc | Round | Roundeven => Form::FloatUnary,
            Fma => Form::FloatTernary,
            Cmpf => Form::FloatCompare,
            Extsi | Extui | Trunci | IndexCast | IndexCastui | Extf | Truncf | Sitofp | Uitofp | Fptosi
            | Fptoui | Bitcast => Form::Cast,
            Select | Constant | Join(_) | CondBr | Mux(_) | Stream(_) | Gate | Carry | Invariant | Load
            | Store | Memory(_) | Extmemory(_) => Form::Special,
        }
    }

    /// Number of operands.
    pub fn operand_count(self) -> usize {
        match (self.form(), self) {
            (Form::IntUnary | Form::FloatUnary | Form::Cast, _) | (_, OpKind::Constant) => 1,
            (Form::FloatTernary, _) => 3,
            (_, OpKind::Select | OpKind::Stream(_) | OpKind::Carry | OpKind::Load | OpKind::Store) => 3,
            (_, OpKind::Join(n)) => n as usize,
            (_, OpKind::Mux(n)) => n as usize + 1,
            (_, OpKind::Memory(ports) | OpKind::Extmemory(ports)) => ports.operands(),
            _ => 2,
        }
    }

    /// Number of results.
    pub fn result_count(self) -> usize {
        match self {
            OpKind::CondBr | OpKind::Stream(_) | OpKind::Gate | OpKind::Load | OpKind::Store => 2,
            OpKind::Memory(ports) | OpKind::Extmemory(ports) => ports.results(),
            _ => 1,
        }
    }

    /// Timing class.
    pub fn class(self) -> Class {
        match self {
            OpKind::Stream(_) | OpKind::Gate | OpKind::Carry | OpKind::Invariant => Class::State,
            OpKind::Constant | OpKind::Join(_) | OpKind::CondBr | OpKind::Mux(_) => Class::Steer,
            OpKind::Load | OpKind::Store => Class::Access,
            OpKind::Memory(_) | OpKind::Extmemory(_) => Class::Memory,
            _ => Class::Arith,
        }
    }

    /// An integer division or remainder: its unit works bit by bit, alone in its body.
    pub fn is_division(self) -> bool {
        use OpKind::*;
        matches!(self, Divsi | Divui | Remsi | Remui | Ceildivsi | Ceildivui | Floordivsi)
    }

    /// Whether there is hardware for it: the generator, the mapper and the cycle model refuse the others.
    pub fn in_hardware(self) -> bool {
        use OpKind::*;
        match self {
            Addi | Subi | Muli | Andi | Ori | Xori | Cmpi | Select | Shli | Shrsi | Shrui | Extsi | Extui
            | Trunci | IndexCast | IndexCastui | Maxsi | Maxui | Minsi | Minui | Absi | Ctlz | Cttz
            | Ctpop | Bitreverse => true,
            Addf | Subf | Mulf | Maximumf | Minimumf | Maxnumf | Minnumf | Copysign | Negf | Absf | Cmpf
            | Fma | Floor | Ceil | Trunc | Round | Roundeven | Extf | Truncf | Sitofp | Uitofp | Fptosi
            | Fptoui | Bitcast => true,
            _ if self.is_division() => true,
            _ => matches!(self.class(), Class::Steer | Class::State | Class::Access),
        }
    }

    /// Whether it can run where its result may be thrown away: no side effect, no division, no waiting.
    pub fn is_speculatable(self) -> bool {
        use OpKind::*;
        self.class() == Class::Arith
            && !matches!(
                self,
                Divsi | Divui | Remsi | Remui | Ceildivsi | Ceildivui | Floordivsi | Divf | Remf | Sqrt
            )
    }

    /// Which other widths a unit of this kind serves (D8).
    pub fn width_rule(self) -> WidthRule {
        match self {
            OpKind::Select
            | OpKind::Constant
            | OpKind::Join(_)
            | OpKind::CondBr
            | OpKind::Mux(_)
            | OpKind::Gate
            | OpKind::Carry
            | OpKind::Invariant
            | OpKind::Load
            | OpKind::Store
            | OpKind::Bitcast => WidthRule::PassThrough,
            OpKind::Addi | OpKind::Subi | OpKind::Muli | OpKind::Andi | OpKind::Ori | OpKind::Xori => {
                WidthRule::LowBits
            }
            _ => WidthRule::Exact,
        }
    }
}

impl fmt::Display for OpKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpKind::Stream(s) => write!(f, "dataflow.stream {}", s.text()),
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
    Stream(StepOp, ContCond),
    /// `handshake.memory` or `handshake.extmemory` (as the memory's place says): the node of one of the graph's
    /// memories
    Memory(MemoryId, OpKind),
}

impl Op {
    /// The structural part.
    pub fn kind(self) -> OpKind {
        match self {
            Op::Plain(kind) | Op::Memory(_, kind) => kind,
            Op::Cmpi(_) => OpKind::Cmpi,
            Op::Cmpf(_) => OpKind::Cmpf,
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
        for p in FloatPredicate::all() {
            assert_eq!(FloatPredicate::parse(p.text()), Some(p));
            assert_eq!(FloatPredicate::from_code(u64::from(p.code())), Some(p));
        }
        assert_eq!(FloatPredicate::from_code(16), None);
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
