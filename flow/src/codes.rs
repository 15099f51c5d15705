//! The diagnostics of this crate.

use loom_base::Code;

/// The models disagree.
pub const MISMATCH: Code = Code::new("V0201", "the models disagree");
/// The golden model did not finish.
pub const GOLDEN: Code = Code::new("V0202", "the golden model did not finish");
/// The fabric did not finish.
pub const UNFINISHED: Code = Code::new("V0203", "the fabric did not finish");
/// The fabric reported an error.
pub const HARDWARE_ERROR: Code = Code::new("V0204", "the fabric reported an error");
/// What the case expects is not what the golden model computes.
pub const EXPECTATION: Code = Code::new("V0205", "the case expects something else");
/// The memory of a bitstream's case has no place behind the fabric.
pub const PLACE: Code = Code::new("V0206", "memory without a place of its own");

/// Clang or a tool behind it.
pub const CLANG: Code = Code::new("V0211", "a C or C++ program that its tools do not translate");
/// Which function of a C or C++ program.
pub const CHOICE: Code = Code::new("V0212", "a function of a C or C++ program that cannot be chosen");

/// Building a program around a function.
pub const PROGRAM: Code = Code::new("V0221", "a program whose function cannot be handed to a fabric");
/// An access of a call.
pub const BUS: Code = Code::new("V0222", "an access to memory that the program does not have");
/// The process of a program.
pub const PROCESS: Code = Code::new("V0223", "a process that cannot be served");
/// An argument of a call that is index in the graph.
pub const RANGE: Code = Code::new("V0224", "an argument that bounds a loop and is too large for index");

/// Arrays of a call that overlap where they are compiled as apart.
pub const APART: Code =
    Code::new("V0225", "an access to an array through two pointers that are compiled as apart");
/// Addresses.
pub const WRAPPED: Code =
    Code::new("V0226", "an access further from its array's start than a fabric reaches");

/// Every code, for the catalogue.
pub const CODES: &[Code] = &[
    MISMATCH,
    GOLDEN,
    UNFINISHED,
    HARDWARE_ERROR,
    EXPECTATION,
    PLACE,
    CLANG,
    CHOICE,
    PROGRAM,
    BUS,
    PROCESS,
    RANGE,
    APART,
    WRAPPED,
];
