//! Diagnostic codes of this crate: one table, read by the documentation.

use loom_base::Code;

/// What mlir-translate wrote is not understood.
pub const UNREADABLE: Code = Code::new("L0001", "text of the LLVM dialect that is not understood");
/// Which function.
pub const FUNCTION: Code = Code::new("L0002", "a function that cannot be chosen");
/// Calls.
pub const CALL: Code = Code::new("L0101", "a call that cannot be made part of the function");
/// Types.
pub const TYPE: Code = Code::new("L0102", "a type that no value on a fabric has");
/// Pointers.
pub const POINTER: Code = Code::new("L0103", "a pointer whose array is not known");
/// Accesses.
pub const ACCESS: Code = Code::new("L0104", "a volatile or atomic access");
/// Storage.
pub const STORAGE: Code = Code::new("L0105", "a variable without a fixed place on the fabric");
/// Everything else.
pub const OPERATION: Code = Code::new("L0106", "an operation that no fabric has");
/// Signatures.
pub const SIGNATURE: Code =
    Code::new("L0107", "a function whose arguments or result have no place on a fabric");
/// Hints.
pub const HINT: Code = Code::new("L0108", "a hint that is no hint");
/// What is read over.
pub const IGNORED: Code = Code::new("L0109", "a hint or annotation that has no effect");

/// All codes.
pub const CODES: &[Code] =
    &[UNREADABLE, FUNCTION, CALL, TYPE, POINTER, ACCESS, STORAGE, OPERATION, SIGNATURE, HINT, IGNORED];
