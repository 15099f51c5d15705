//! Diagnostic codes of this crate: one table, read by the documentation. `A00xx` is about texts, `A01xx` about the
//! architecture that a text describes.

use loom_base::Code;

/// TOML's own grammar.
pub const TOML_SYNTAX: Code = Code::new("A0001", "the text is not TOML");
/// Keys and value types.
pub const TOML_SHAPE: Code = Code::new("A0002", "a key or value that a fabric file does not have");
/// Names nobody defined.
pub const UNKNOWN_NAME: Code = Code::new("A0003", "a name that is not defined");
/// Channel types.
pub const CHANNEL_TYPE: Code = Code::new("A0004", "text that is no channel type");
/// Function units.
pub const FU_TEXT: Code = Code::new("A0005", "a function unit that cannot be read");
/// `a.out0`.
pub const PORT_REFERENCE: Code = Code::new("A0006", "a port that does not exist");
/// Meshes.
pub const MESH: Code = Code::new("A0007", "a mesh that cannot be built");
/// Crossbar tiles.
pub const TILE_SHAPE: Code = Code::new("A0008", "a crossbar tile that cannot be built");
/// Known parts of the fabric model that are not supported.
pub const NOT_BUILT: Code = Code::new("A0009", "a part of the fabric model that is not built yet");
/// Fabric MLIR grammar.
pub const SYNTAX: Code = Code::new("A0010", "the text does not follow the fabric format");
/// Attributes in fabric MLIR.
pub const ATTRIBUTE: Code = Code::new("A0011", "an attribute that is missing, unknown or has a wrong value");
/// A table that is not rectangular or not made of 0 and 1.
pub const TABLE_TEXT: Code = Code::new("A0012", "a connectivity table that cannot be read");
/// TOML with more problems than anybody corrects at once.
pub const TOO_MANY: Code = Code::new("A0013", "more problems than are read in one TOML text");

/// Names.
pub const NAME: Code = Code::new("A0101", "a name that is not an identifier");
/// Names.
pub const DUPLICATE_NAME: Code = Code::new("A0102", "a name that is used twice");
/// `index_width`.
pub const INDEX_WIDTH: Code = Code::new("A0103", "an index width outside 32 to 64");
/// Widths.
pub const WIDTH: Code = Code::new("A0104", "a channel wider than 4096 bits");
/// Tags.
pub const TAG_WIDTH: Code = Code::new("A0105", "a tag that is not 1 to 16 bits wide");
/// Switch sizes.
pub const SWITCH_SIZE: Code = Code::new("A0106", "a switch without ports or with more than 32");
/// Connectivity tables.
pub const CONNECTIVITY: Code = Code::new("A0107", "a connectivity table that does not fit its switch");
/// Tagged and untagged ports on one switch.
pub const MIXED_TAGS: Code = Code::new("A0108", "a switch with tagged and untagged ports");
/// Lanes.
pub const DECOMPOSABLE: Code = Code::new("A0109", "a switch that cannot be decomposed into these lanes");
/// Temporal switches.
pub const TEMPORAL_SW: Code = Code::new("A0110", "a temporal switch outside its limits");
/// FIFOs.
pub const FIFO_DEPTH: Code = Code::new("A0111", "a FIFO depth outside 1 to 65536");
/// Tag tables.
pub const TABLE_SIZE: Code = Code::new("A0112", "a tag table size outside 1 to 256");
/// PE ports.
pub const PE_PORTS: Code = Code::new("A0113", "a PE with tagged ports, none, or too many");
/// PEs without FUs.
pub const PE_EMPTY: Code = Code::new("A0114", "a PE without function units");
/// FU against PE ports.
pub const FU_PORTS: Code = Code::new("A0115", "a function unit that does not fit the ports of its PE");
/// FU inputs.
pub const FU_UNUSED_INPUT: Code = Code::new("A0116", "a function unit input or value that nobody uses");
/// FU outputs.
pub const FU_OUTPUT: Code =
    Code::new("A0117", "a function unit without outputs, or with one that passes an input on");
/// FU bodies.
pub const FU_BODY: Code = Code::new("A0118", "a function unit body whose ops cannot stand together");
/// FU types.
pub const FU_TYPES: Code = Code::new("A0119", "types that do not fit an op of a function unit");
/// Timing class.
pub const FU_TIMING: Code = Code::new("A0120", "a latency or interval that the body cannot have");
/// Connections.
pub const DANGLING: Code = Code::new("A0122", "a connection to something that does not exist");
/// Inputs.
pub const INPUT_TWICE: Code = Code::new("A0123", "an input that two connections drive");
/// Outputs.
pub const OUTPUT_TWICE: Code = Code::new("A0124", "an output that feeds two inputs outside a switch");
/// Tagged against untagged.
pub const TAG_MISMATCH: Code = Code::new("A0125", "a connection between a tagged and an untagged port");
/// Wires through a body.
pub const WIRE_THROUGH: Code = Code::new("A0126", "a connection from a port of a body straight to another");
/// Tiles in tiles.
pub const NESTED_TILE: Code = Code::new("A0127", "a tile inside a tile");
/// Fabric port names.
pub const FABRIC_PORT: Code = Code::new("A0128", "a fabric port that is not named by its number");
/// H5.
pub const COMBINATIONAL_CYCLE: Code = Code::new("A0129", "a combinational cycle");
/// H6.
pub const UNREGISTERED_LINK: Code = Code::new("A0130", "a connection between tiles that no register cuts");
/// Nothing there.
pub const EMPTY: Code = Code::new("A0131", "a fabric without components");
/// Unused definitions.
pub const UNUSED: Code = Code::new("A0132", "a definition that nothing uses");
/// Unit numbers have 16 bits.
pub const TOO_MANY_UNITS: Code =
    Code::new("A0133", "a fabric with more configured components than unit numbers");
/// Lane counts.
pub const MEMORY_LANES: Code = Code::new("A0134", "a memory interface with no lanes or too many");
/// The tag tells lanes apart.
pub const MEMORY_TAG: Code = Code::new("A0135", "a tag too narrow for the lanes of a memory interface");
/// Widths, queues, regions, bytes.
pub const MEMORY_SHAPE: Code = Code::new("A0136", "a memory interface that cannot be built");
/// `use` of nothing.
pub const TEMPLATE_UNKNOWN: Code = Code::new("A0137", "a template file that is not there");
/// `use` in a circle.
pub const TEMPLATE_CYCLE: Code = Code::new("A0138", "template files that use each other in a circle");
/// A mesh among templates.
pub const TEMPLATE_KIND: Code = Code::new("A0139", "something other than templates in a template file");
/// Immediates of a PE.
pub const PE_IMMEDIATES: Code = Code::new("A0140", "a PE with immediates that it cannot have");
/// A FIFO of two kinds.
pub const FIFO_KIND: Code =
    Code::new("A0141", "a FIFO that is both bypassable and one that tokens fall through");
/// A FIFO before an input that nothing in the tile has.
pub const INPUT_FIFO: Code = Code::new("A0142", "a FIFO before an input that nothing in the tile has");

/// All of them, for the catalogue.
pub const CODES: &[Code] = &[
    TOML_SYNTAX,
    TOML_SHAPE,
    UNKNOWN_NAME,
    CHANNEL_TYPE,
    FU_TEXT,
    PORT_REFERENCE,
    MESH,
    TILE_SHAPE,
    NOT_BUILT,
    SYNTAX,
    ATTRIBUTE,
    TABLE_TEXT,
    TOO_MANY,
    NAME,
    DUPLICATE_NAME,
    INDEX_WIDTH,
    WIDTH,
    TAG_WIDTH,
    SWITCH_SIZE,
    CONNECTIVITY,
    MIXED_TAGS,
    DECOMPOSABLE,
    TEMPORAL_SW,
    FIFO_DEPTH,
    TABLE_SIZE,
    PE_PORTS,
    PE_EMPTY,
    FU_PORTS,
    FU_UNUSED_INPUT,
    FU_OUTPUT,
    FU_BODY,
    FU_TYPES,
    FU_TIMING,
    DANGLING,
    INPUT_TWICE,
    OUTPUT_TWICE,
    TAG_MISMATCH,
    WIRE_THROUGH,
    NESTED_TILE,
    FABRIC_PORT,
    COMBINATIONAL_CYCLE,
    UNREGISTERED_LINK,
    EMPTY,
    UNUSED,
    TOO_MANY_UNITS,
    MEMORY_LANES,
    MEMORY_TAG,
    MEMORY_SHAPE,
    TEMPLATE_UNKNOWN,
    TEMPLATE_CYCLE,
    TEMPLATE_KIND,
    PE_IMMEDIATES,
    FIFO_KIND,
    INPUT_FIFO,
];
