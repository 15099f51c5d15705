//! The op table itself: one row for each op, in one section for each form.
//!
//! A section names the form, the enum of the ops of that form, and their class; a row holds the op's name, its
//! mnemonic, what other widths a unit of it serves, its hardware, whether it may run in vain, and what it computes in
//! one line. [`OpKind`], the enums, [`OpKind::TABLE`] and every column are made from here; parsers, printers, the pages
//! and the mapper's matching read those. What an op means is written elsewhere, three times, as exhaustive matches on
//! the enums: golden ([`crate::eval`], [`crate::float`]), native and hardware.
//!
//! Kinds with a parameter (a fan-in, a step op) stand once, with an example.

use super::{Class, Counter, Hardware, Ports, Speculation, StepOp, WidthRule};

/// The columns of an op.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub mnemonic: &'static str,
    pub width_rule: WidthRule,
    pub hardware: Hardware,
    pub speculation: Speculation,
    pub meaning: &'static str,
}

macro_rules! op_table {
    ($(
        #[doc = $form_doc:literal]
        $form:ident($ops:ident): $class:ident {
            $(
                #[doc = $doc:literal]
                $kind:ident $(($parameter:ident: $type:ty = $example:expr))?,
                $mnemonic:literal, $width_rule:ident, $hardware:ident, $speculation:ident;
            )+
        }
    )+) => {
        /// An op as hardware knows it: everything that is fixed when Verilog is generated.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum OpKind {
            $($(
                #[doc = concat!("`", $mnemonic, "`:", $doc)]
                $kind $(($type))?,
            )+)+
        }

        /// What an op takes and gives, and which of the ops that do it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Form {
            $(#[doc = $form_doc] $form($ops),)+
        }

        $(
            #[doc = concat!("The ops of this form:", $form_doc, ".")]
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum $ops {
                $(
                    #[doc = concat!("`", $mnemonic, "`:", $doc)]
                    $kind $(($type))?,
                )+
            }
        )+

        impl OpKind {
            /// Every op once, in the table's order; variadic and parametric kinds with an example.
            pub const TABLE: &[OpKind] = &[$($(OpKind::$kind $(($example))?,)+)+];

            /// What it takes and gives.
            pub fn form(self) -> Form {
                match self {
                    $($(OpKind::$kind $(($parameter))? => Form::$form($ops::$kind $(($parameter))?),)+)+
                }
            }

            /// Timing class.
            pub fn class(self) -> Class {
                match self.form() {
                    $(Form::$form(_) => Class::$class,)+
                }
            }

            pub(super) fn row(self) -> Row {
                match self {
                    $($(
                        OpKind::$kind { .. } => Row {
                            mnemonic: $mnemonic,
                            width_rule: WidthRule::$width_rule,
                            hardware: Hardware::$hardware,
                            speculation: Speculation::$speculation,
                            meaning: $doc,
                        },
                    )+)+
                }
            }
        }
    };
}

op_table! {
    /// `(T, T) -> T`, integer or index
    IntBinary(IntBinary): Arith {
        /// the sum, which wraps
        Addi, "arith.addi", LowBits, Unit, Free;
        /// the difference, which wraps
        Subi, "arith.subi", LowBits, Unit, Free;
        /// the product, which wraps
        Muli, "arith.muli", LowBits, Unit, Free;
        /// bitwise and
        Andi, "arith.andi", LowBits, Unit, Free;
        /// bitwise or
        Ori, "arith.ori", LowBits, Unit, Free;
        /// bitwise exclusive or
        Xori, "arith.xori", LowBits, Unit, Free;
        /// left shift; an amount of the width or more gives 0
        Shli, "arith.shli", Exact, Unit, Free;
        /// right shift that copies the sign; an amount of the width or more gives all sign bits
        Shrsi, "arith.shrsi", Exact, Unit, Free;
        /// right shift; an amount of the width or more gives 0
        Shrui, "arith.shrui", Exact, Unit, Free;
        /// the larger, signed
        Maxsi, "arith.maxsi", Exact, Unit, Free;
        /// the larger, unsigned
        Maxui, "arith.maxui", Exact, Unit, Free;
        /// the smaller, signed
        Minsi, "arith.minsi", Exact, Unit, Free;
        /// the smaller, unsigned
        Minui, "arith.minui", Exact, Unit, Free;
    }
    /// `(T, T) -> T`, integer or index, one bit of the quotient a cycle
    Division(Division): Arith {
        /// quotient, towards zero; by zero gives -1, the smallest number by -1 gives itself
        Divsi, "arith.divsi", Exact, Digits, Needed;
        /// quotient, unsigned; by zero gives all ones
        Divui, "arith.divui", Exact, Digits, Needed;
        /// remainder with the sign of the dividend; by zero gives the dividend
        Remsi, "arith.remsi", Exact, Digits, Needed;
        /// remainder, unsigned; by zero gives the dividend
        Remui, "arith.remui", Exact, Digits, Needed;
        /// quotient, up; by zero gives -1
        Ceildivsi, "arith.ceildivsi", Exact, Digits, Needed;
        /// quotient, unsigned, up; by zero gives all ones
        Ceildivui, "arith.ceildivui", Exact, Digits, Needed;
        /// quotient, down; by zero gives -1
        Floordivsi, "arith.floordivsi", Exact, Digits, Needed;
    }
    /// `T -> T`, integer or index
    IntUnary(IntUnary): Arith {
        /// the magnitude; the smallest number gives itself
        Absi, "math.absi", Exact, Unit, Free;
        /// leading zeros, the width for 0
        Ctlz, "math.ctlz", Exact, Unit, Free;
        /// trailing zeros, the width for 0
        Cttz, "math.cttz", Exact, Unit, Free;
        /// the number of ones
        Ctpop, "math.ctpop", Exact, Unit, Free;
        /// the bits in reverse order
        Bitreverse, "llvm.intr.bitreverse", Exact, Unit, Free;
    }
    /// `(T, T) -> i1`, integer or index
    IntCompare(IntCompare): Arith {
        /// whether the predicate holds; it is configuration
        Cmpi, "arith.cmpi", Exact, Unit, Free;
    }
    /// `(i1, T, T) -> T`
    Choice(Choice): Arith {
        /// one of two values, both of which it takes
        Select, "arith.select", PassThrough, Unit, Free;
    }
    /// `T -> U`; the op says between which types
    Cast(Cast): Arith {
        /// a wider integer, filled with the sign
        Extsi, "arith.extsi", Exact, Unit, Free;
        /// a wider integer, filled with zeros
        Extui, "arith.extui", Exact, Unit, Free;
        /// the low bits
        Trunci, "arith.trunci", Exact, Unit, Free;
        /// between integer and index: the low bits, or filled with the sign
        IndexCast, "arith.index_cast", Exact, Unit, Free;
        /// between integer and index: the low bits, or filled with zeros
        IndexCastui, "arith.index_castui", Exact, Unit, Free;
        /// a wider float
        Extf, "arith.extf", Exact, Unit, Free;
        /// a narrower float, to nearest, ties to even
        Truncf, "arith.truncf", Exact, Unit, Free;
        /// a float from a signed integer
        Sitofp, "arith.sitofp", Exact, Unit, Free;
        /// a float from an unsigned integer
        Uitofp, "arith.uitofp", Exact, Unit, Free;
        /// a signed integer, towards zero; saturates, NaN gives 0
        Fptosi, "arith.fptosi", Exact, Unit, Free;
        /// an unsigned integer, towards zero; saturates, NaN gives 0
        Fptoui, "arith.fptoui", Exact, Unit, Free;
        /// the same bits as another type of the same width
        Bitcast, "arith.bitcast", PassThrough, Unit, Free;
    }
    /// `(T, T) -> T`, float
    FloatBinary(FloatBinary): Arith {
        /// the sum
        Addf, "arith.addf", Exact, Unit, Free;
        /// the difference
        Subf, "arith.subf", Exact, Unit, Free;
        /// the product
        Mulf, "arith.mulf", Exact, Unit, Free;
        /// the quotient, correctly rounded
        Divf, "arith.divf", Exact, Digits, Needed;
        /// the remainder, C's `fmod`
        Remf, "arith.remf", Exact, Digits, Needed;
        /// the larger; NaN wins, -0 is below +0
        Maximumf, "arith.maximumf", Exact, Unit, Free;
        /// the smaller; NaN wins, -0 is below +0
        Minimumf, "arith.minimumf", Exact, Unit, Free;
        /// the larger; a number wins over NaN, -0 is below +0
        Maxnumf, "arith.maxnumf", Exact, Unit, Free;
        /// the smaller; a number wins over NaN, -0 is below +0
        Minnumf, "arith.minnumf", Exact, Unit, Free;
        /// a power; 1 where the exponent is 0 or the base is 1
        Powf, "math.powf", Exact, Unbuilt, Needed;
        /// the angle of the point (second, first)
        Atan2, "math.atan2", Exact, Unit, Needed;
        /// the first operand with the second's sign
        Copysign, "math.copysign", Exact, Unit, Free;
    }
    /// `T -> T`, float
    FloatUnary(FloatUnary): Arith {
        /// the sign bit flipped, of a NaN too
        Negf, "arith.negf", Exact, Unit, Free;
        /// the sign bit cleared, of a NaN too
        Absf, "math.absf", Exact, Unit, Free;
        /// the square root, correctly rounded
        Sqrt, "math.sqrt", Exact, Digits, Needed;
        /// 1 by the square root, correctly rounded
        Rsqrt, "math.rsqrt", Exact, Digits, Needed;
        /// the whole number below
        Floor, "math.floor", Exact, Unit, Free;
        /// the whole number above
        Ceil, "math.ceil", Exact, Unit, Free;
        /// the whole number towards zero
        Trunc, "math.trunc", Exact, Unit, Free;
        /// the nearest whole number, halves away from zero
        Round, "math.round", Exact, Unit, Free;
        /// the nearest whole number, halves to even
        Roundeven, "math.roundeven", Exact, Unit, Free;
    }
    /// `T -> T`, float, by the library
    Elementary(Elementary): Arith {
        /// the sine
        Sin, "math.sin", Exact, Unit, Needed;
        /// the cosine
        Cos, "math.cos", Exact, Unit, Needed;
        /// the tangent
        Tan, "math.tan", Exact, Unit, Needed;
        /// the angle with this sine
        Asin, "math.asin", Exact, Unbuilt, Needed;
        /// the angle with this cosine
        Acos, "math.acos", Exact, Unbuilt, Needed;
        /// the angle with this tangent
        Atan, "math.atan", Exact, Unit, Needed;
        /// the hyperbolic sine
        Sinh, "math.sinh", Exact, Unbuilt, Needed;
        /// the hyperbolic cosine
        Cosh, "math.cosh", Exact, Unbuilt, Needed;
        /// the hyperbolic tangent
        Tanh, "math.tanh", Exact, Unit, Needed;
        /// e to the power
        Exp, "math.exp", Exact, Unit, Needed;
        /// 2 to the power
        Exp2, "math.exp2", Exact, Unit, Needed;
        /// e to the power, less 1
        Expm1, "math.expm1", Exact, Unbuilt, Needed;
        /// the natural logarithm
        Log, "math.log", Exact, Unit, Needed;
        /// the logarithm to base 2
        Log2, "math.log2", Exact, Unit, Needed;
        /// the logarithm to base 10
        Log10, "math.log10", Exact, Unit, Needed;
        /// the natural logarithm of 1 and the operand
        Log1p, "math.log1p", Exact, Unbuilt, Needed;
        /// the error function
        Erf, "math.erf", Exact, Unit, Needed;
        /// the cube root
        Cbrt, "math.cbrt", Exact, Unit, Needed;
    }
    /// `(T, T, T) -> T`, float
    FloatTernary(FloatTernary): Arith {
        /// a * b + c, rounded once
        Fma, "math.fma", Exact, Unit, Free;
    }
    /// `(T, T) -> i1`, float
    FloatCompare(FloatCompare): Arith {
        /// whether the predicate holds; it is configuration
        Cmpf, "arith.cmpf", Exact, Unit, Free;
    }
    /// moves tokens by value or presence, each op with operands of its own
    Steer(SteerOp): Steer {
        /// a literal for each trigger token; the literal is configuration
        Constant, "handshake.constant", PassThrough, Unit, Needed;
        /// a control token when all operands are there, of any type
        Join(fan_in: u8 = 2), "handshake.join", PassThrough, Unit, Needed;
        /// the value, on the side that the condition says
        CondBr, "handshake.cond_br", PassThrough, Unit, Needed;
        /// the input that the selector says; takes that one and the selector only
        Mux(inputs: u8 = 2), "handshake.mux", PassThrough, Unit, Needed;
    }
    /// a state machine
    State(StateOp): State {
        /// the indices of a loop, each with whether it goes on
        Stream(counter: Counter = Counter::signed(StepOp::Add)), "dataflow.stream", Exact, Unit, Needed;
        /// a loop's values and conditions as its body sees them
        Gate, "dataflow.gate", PassThrough, Unit, Needed;
        /// a first token, then what is fed back as often as the condition is true
        Carry, "dataflow.carry", PassThrough, Unit, Needed;
        /// a value once, then again as often as the condition is true
        Invariant, "dataflow.invariant", PassThrough, Unit, Needed;
        /// a carry and the branch behind it: each token on the side that its condition says, the last one on the other
        CarryBr, "loom.carry_br", PassThrough, Unit, Needed;
        /// an invariant and the branch behind it: the value for each true condition, and for the false one on the other side
        InvariantBr, "loom.invariant_br", PassThrough, Unit, Needed;
    }
    /// stands between the graph and a memory
    Access(AccessOp): Access {
        /// an address to a memory when its control token is there, and data from it
        Load, "handshake.load", PassThrough, Unit, Needed;
        /// an address and data to a memory, the address when its control token is there
        Store, "handshake.store", PassThrough, Unit, Needed;
    }
    /// a memory with its ports
    Memory(MemoryOp): Memory {
        /// words on chip
        Memory(ports: Ports = Ports { loads: 1, stores: 1 }), "handshake.memory", Exact, Interface, Needed;
        /// words behind an argument of the function
        Extmemory(ports: Ports = Ports { loads: 1, stores: 1 }), "handshake.extmemory", Exact, Interface, Needed;
    }
}
