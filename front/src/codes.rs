//! Diagnostic codes of this crate: one table, read by the documentation.

use loom_base::Code;

/// Text that is no token of the format.
pub const BAD_CHARACTER: Code = Code::new("F0001", "a character that starts no token");
/// Grammar.
pub const SYNTAX: Code = Code::new("F0002", "the text does not follow the format");
/// An op nobody knows.
pub const UNKNOWN_OP: Code = Code::new("F0003", "an op that is not known");
/// Known, but refused.
pub const NOT_SUPPORTED: Code =
    Code::new("F0004", "an op, type or attribute that is known but not supported");
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
/// What a function is called.
pub const NAME: Code = Code::new("F0021", "a function whose name cannot be a file or an identifier");
/// Aliases of aliases that stand for too much.
pub const EXPANSION: Code = Code::new("F0022", "aliases that stand for too much");

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
/// Jumps.
pub const JUMPS: Code = Code::new("F0107", "jumps that cannot be structured");
/// `cf.assert` becomes nothing.
pub const UNCHECKED: Code = Code::new("F0108", "an assertion that the graph does not check");
/// A promise, wish or estimate that cannot be one.
pub const HINT: Code = Code::new("F0109", "a hint that no loop is meant by");
/// A wish that is not followed.
pub const ONE_BANK: Code = Code::new("F0110", "an array that is wished to be in banks and stays one memory");

/// A word nobody wrote.
pub const UNKNOWN_WORD: Code = Code::new("F0201", "a read of a word that was never written");
/// Outside of a memref.
pub const OUT_OF_BOUNDS: Code = Code::new("F0202", "an access outside of its memref");
/// The name is the stream's: `RT_DATAFLOW_STREAM_ZERO_STEP`.
pub const ZERO_STEP: Code = Code::new("F0203", "a loop with a step of zero");
/// A loop that goes away from its bound.
pub const NEGATIVE_STEP: Code = Code::new("F0204", "a loop with a negative step");
/// The budget.
pub const STEP_LIMIT: Code = Code::new("F0205", "a program that runs longer than allowed");
/// `cf.assert`.
pub const ASSERTION: Code = Code::new("F0206", "an assertion that failed");
/// Memory that is gone.
pub const FREED: Code = Code::new("F0207", "an access to memory that was freed");
/// Calls.
pub const CALL_DEPTH: Code = Code::new("F0208", "calls nested too deep");
/// No function to call.
pub const NO_BODY: Code = Code::new("F0209", "a call of a function that is not known or has no body");
/// What a caller gives.
pub const BAD_ARGUMENT: Code = Code::new("F0210", "arguments that do not fit the function");
/// A view larger than what it looks at.
pub const BAD_VIEW: Code = Code::new("F0211", "a view that does not fit its memref");
/// Constants stay.
pub const CONSTANT_STORE: Code = Code::new("F0212", "a store to a constant global");
/// Allocations.
pub const MEMORY_LIMIT: Code = Code::new("F0213", "a program that allocates more than allowed");
/// Not verified.
pub const MALFORMED: Code = Code::new("F0214", "a program that the verifier would refuse");
/// A broken `llvm.noalias`.
pub const ALIASED: Code = Code::new("F0215", "a noalias argument that overlaps another argument");

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
    NAME,
    EXPANSION,
    NOT_LOWERED,
    JOIN_LIMIT,
    SELECTION,
    RESOURCES,
    REGIME,
    ORDER,
    JUMPS,
    UNCHECKED,
    HINT,
    ONE_BANK,
    UNKNOWN_WORD,
    OUT_OF_BOUNDS,
    ZERO_STEP,
    NEGATIVE_STEP,
    STEP_LIMIT,
    ASSERTION,
    FREED,
    CALL_DEPTH,
    NO_BODY,
    BAD_ARGUMENT,
    BAD_VIEW,
    CONSTANT_STORE,
    MEMORY_LIMIT,
    MALFORMED,
    ALIASED,
];
