//! The diagnostics of this crate.

use loom_base::Code;

/// No FU runs the op.
pub const NO_UNIT: Code = Code::new("M0101", "no function unit runs an op");
/// More ops of a class than PEs.
pub const TOO_MANY_OPS: Code = Code::new("M0102", "more ops than PEs that run them");
/// More arguments or results than ports.
pub const TOO_MANY_PORTS: Code = Code::new("M0103", "more arguments or results than fabric ports");
/// A port that is too narrow for its value.
pub const PORT_WIDTH: Code = Code::new("M0104", "no fabric port is wide enough");
/// The router gave up.
pub const UNROUTABLE: Code = Code::new("M0105", "no routes without conflicts were found");
/// Memory, float and other ops that have no hardware yet.
pub const GRAPH: Code = Code::new("M0106", "the graph holds an op that has no hardware yet");

/// No interface takes an access.
pub const NO_LANE: Code = Code::new("M0107", "no memory interface takes an access");
/// Lanes, regions or bytes used up.
pub const TOO_MANY_ACCESSES: Code = Code::new("M0108", "more accesses of memory than lanes that take them");

/// Links and FIFOs hold too few tokens.
pub const GETS_STUCK: Code = Code::new("M0109", "mappings get stuck for lack of room");

/// Proved, not only tried.
pub const NO_MAPPING: Code = Code::new("M0110", "it is proved that no mapping exists");

/// A wish for a port that cannot be met.
pub const PINNED_PORT: Code =
    Code::new("M0111", "an argument or result cannot have the port that it is to have");

/// An op on a unit that does not run it.
pub const CHECK_UNIT: Code = Code::new("M0201", "an op sits on a unit that cannot run it");
/// Something exclusive used twice.
pub const CHECK_TWICE: Code = Code::new("M0202", "a resource is used twice");
/// A step that is no physical connection.
pub const CHECK_STEP: Code = Code::new("M0203", "a route takes a step that does not exist");
/// A use that no route reaches, or an end that is no use.
pub const CHECK_ENDS: Code = Code::new("M0204", "a route does not end at the uses of its value");
/// A port or index that does not exist.
pub const CHECK_RANGE: Code = Code::new("M0205", "a mapping names something that does not exist");
/// A channel too narrow on the way.
pub const CHECK_WIDTH: Code = Code::new("M0206", "a value does not fit a channel on its way");

/// Accesses that cannot share an interface.
pub const CHECK_MEMORY: Code = Code::new("M0207", "accesses of memory share an interface as they cannot");

/// Ops as one node that cannot be one, or not on that unit.
pub const CHECK_COVER: Code = Code::new("M0208", "a node covers ops that its unit's body does not have");

/// A tag or slot that is not what the value has or the component can have.
pub const CHECK_TAG: Code = Code::new("M0209", "a tag or slot on a route is not what it must be");

/// A map.json that cannot be read.
pub const JSON_SYNTAX: Code = Code::new("M0301", "map.json is not JSON of the right form");
/// A map.json of something else.
pub const JSON_OTHER: Code = Code::new("M0302", "map.json belongs to another kernel or fabric");
/// A name in map.json that the fabric or the graph does not have.
pub const JSON_NAME: Code = Code::new("M0303", "map.json names something that does not exist");
/// A table or figure of map.json that is not what its placements give.
pub const JSON_TABLE: Code =
    Code::new("M0304", "a table or figure of map.json disagrees with its placements");

/// Every code, for the catalogue.
pub const CODES: &[Code] = &[
    NO_UNIT,
    TOO_MANY_OPS,
    TOO_MANY_PORTS,
    PORT_WIDTH,
    UNROUTABLE,
    GRAPH,
    NO_LANE,
    TOO_MANY_ACCESSES,
    GETS_STUCK,
    NO_MAPPING,
    PINNED_PORT,
    CHECK_UNIT,
    CHECK_TWICE,
    CHECK_STEP,
    CHECK_ENDS,
    CHECK_RANGE,
    CHECK_WIDTH,
    CHECK_MEMORY,
    CHECK_COVER,
    CHECK_TAG,
    JSON_SYNTAX,
    JSON_OTHER,
    JSON_NAME,
    JSON_TABLE,
];
