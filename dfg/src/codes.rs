//! Diagnostic codes of this crate: one table, read by the documentation.

use loom_base::Code;

/// Text that is no token of the format.
pub const BAD_CHARACTER: Code = Code::new("D0001", "a character that starts no token");
/// Grammar.
pub const SYNTAX: Code = Code::new("D0002", "the text does not follow the format");
/// An op nobody knows.
pub const UNKNOWN_OP: Code = Code::new("D0003", "an op that is not known");
/// An op that is known but refused.
pub const NOT_BUILT: Code = Code::new("D0004", "an op that is known but not supported");
/// A type the dataflow graph has no use for.
pub const BAD_TYPE: Code = Code::new("D0005", "a type that no value of a dataflow graph has");
/// Tagged and other transport types.
pub const TAGGED_TYPE: Code = Code::new("D0006", "a transport type of the fabric in a dataflow graph");
/// Two definitions.
pub const DEFINED_TWICE: Code = Code::new("D0007", "a value name that is defined twice");
/// No definition.
pub const UNDEFINED: Code = Code::new("D0008", "a value that is not defined");
/// Two uses.
pub const USED_TWICE: Code = Code::new("D0009", "a value used more than once without a fork");
/// No use.
pub const UNUSED: Code = Code::new("D0010", "a value or op nobody uses");
/// Counts.
pub const ARITY: Code = Code::new("D0011", "a wrong number of operands, results or types");
/// Types that do not fit together.
pub const TYPE_MISMATCH: Code = Code::new("D0012", "types that do not fit the op or the definition");
/// Attributes.
pub const ATTRIBUTE: Code = Code::new("D0013", "an attribute that is missing or has a wrong value");
/// A literal too large.
pub const LITERAL: Code = Code::new("D0014", "a literal that does not fit its type");
/// `handshake.join` and `handshake.mux` widths.
pub const FAN_IN: Code = Code::new("D0015", "a join or mux wider or narrower than allowed");
/// Argument and result names.
pub const PORT_NAME: Code =
    Code::new("D0016", "a name of a port or graph that is not unique or no identifier");
/// Deadlock by construction.
pub const DEAD_CYCLE: Code = Code::new("D0017", "a cycle that can never start");
/// The file holds no function, or more than one.
pub const ONE_FUNCTION: Code = Code::new("D0018", "a file that does not hold exactly one function");
/// `return` against the function's type.
pub const RETURN: Code = Code::new("D0019", "a return that does not fit the function's type");
/// A graph built by a program has an impossible name.
pub const VALUE_NAME: Code = Code::new("D0020", "a value name that is not unique or cannot be written");
/// The parser gave up.
pub const TOO_MANY: Code = Code::new("D0021", "more problems than are shown");
/// Memories, their nodes and the ports of these.
pub const MEMORY: Code = Code::new("D0022", "a memory whose node, ports or words do not fit");

/// Immediates.
pub const IMMEDIATE: Code = Code::new("D0023", "an immediate where only tokens say when something happens");

/// All of them, for the catalogue.
pub const CODES: &[Code] = &[
    BAD_CHARACTER,
    SYNTAX,
    UNKNOWN_OP,
    NOT_BUILT,
    BAD_TYPE,
    TAGGED_TYPE,
    DEFINED_TWICE,
    UNDEFINED,
    USED_TWICE,
    UNUSED,
    ARITY,
    TYPE_MISMATCH,
    ATTRIBUTE,
    LITERAL,
    FAN_IN,
    PORT_NAME,
    DEAD_CYCLE,
    ONE_FUNCTION,
    RETURN,
    VALUE_NAME,
    TOO_MANY,
    MEMORY,
    IMMEDIATE,
];
