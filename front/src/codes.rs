//! Diagnostic codes of this crate: one table, read by the documentation.

use loom_base::Code;

/// Text that is no token of the format.
pub const BAD_CHARACTER: Code = Code::new("F0001", "a character that starts no token");
/// Grammar.
pub const SYNTAX: Code = Code::new("F0002", "the text does not follow the format");
/// An op nobody knows.
pub const UNKNOWN_OP: Code = Code::new("F0003", "an op that is not known");
/// Known, but refused.
pub const NOT_SUPPORTED: Code = Code::new("F0004", "an op, type or attribute that is known but not supported");
/// A type no value of a program has.
pub const BAD_TYPE: Code = Code::new("F0005", "a type that no value of a program has");
/// Two definitions.
pub const DEFINED_TWICE: Code = Code::new("F0006", "a name that is defined twice");
/// No definition.
pub const UNDEFINED: Code = Code::new("F0007", "a value, block or alias that is not defined");
/// Counts.
pub const ARITY: Code = Code::new("F0008", "a wrong number of operands, results, types or arguments");
/// Types that do not fit together.
pub const TYPE_MISMATCH: Code = Code::new("F0009", "types that do not fit the op or the definition");
/// Attributes.
pub const ATTRIBUTE: Code = Code::new("F0010", "an attribute that is missing or has a wrong value");
/// A literal too large.
pub const LITERAL: Code = Code::new("F0011", "a literal that does not fit its type");
/// Recursion.
pub const NESTING: Code = Code::new("F0012", "regions, types or attributes nested too deep");
/// The parser gave up.
pub const TOO_MANY: Code = Code::new("F0013", "too many errors in one file");
/// A symbol that is not there or of the wrong kind.
pub const UNKNOWN_SYMBOL: Code = Code::new("F0014", "a function or global that is not known");
/// Regions, blocks and where operations may stand.
pub const STRUCTURE: Code = Code::new("F0015", "an operation with wrong regions or in a wrong place");
/// Ends of blocks.
pub const TERMINATOR: Code = Code::new("F0016", "a block that does not end in the terminator it needs");
/// A use its definition does not reach.
pub const DOMINANCE: Code = Code::new("F0017", "a use that the definition does not dominate");
/// Ranks, extents, layouts.
pub const SHAPE: Code = Code::new("F0018", "a memref whose shape or layout does not fit the operation");
/// Loops that never end.
pub const STEP: Code = Code::new("F0019", "a loop whose step is not positive");
/// Two cases of one value.
pub const CASES: Code = Code::new("F0020", "a switch with two cases of one value");

/// No place on the fabric.
pub const NOT_LOWERED: Code = Code::new("F0101", "a construct that cannot become a dataflow graph");
/// A join that the fabric cannot do.
pub const JOIN_LIMIT: Code = Code::new("F0102", "a join wider than the fabric's limit of less than 2");
/// Which function or region.
pub const SELECTION: Code = Code::new("F0103", "a function or region that cannot be selected");
/// More than the fabric has.
pub const RESOURCES: Code = Code::new("F0104", "the region needs more than the fabric has");
/// A graph whose streams do not fit together.
pub const REGIME: Code = Code::new("F0105", "a consumer whose operands come in different numbers");
/// A memory order that does not hold.
pub const ORDER: Code = Code::new("F0106", "an access that breaks a rule of memory order");

/// All codes.
pub const CODES: &[Code] = &[
    BAD_CHARACTER,
    SYNTAX,
    UNKNOWN_OP,
    NOT_SUPPORTED,
    BAD_TYPE,
    DEFINED_TWICE,
    UNDEFINED,
    ARITY,
    TYPE_MISMATCH,
    ATTRIBUTE,
    LITERAL,
    NESTING,
    TOO_MANY,
    UNKNOWN_SYMBOL,
    STRUCTURE,
    TERMINATOR,
    DOMINANCE,
    SHAPE,
    STEP,
    CASES,
    NOT_LOWERED,
    JOIN_LIMIT,
    SELECTION,
    RESOURCES,
    REGIME,
    ORDER,
];
