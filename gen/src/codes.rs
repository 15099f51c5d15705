//! The diagnostics of this crate.

use loom_base::Code;

/// A config.bin whose size is not the fabric's.
pub const IMAGE_LENGTH: Code = Code::new("G0101", "config.bin has the wrong length");
/// A bit that belongs to no field is set.
pub const SPARE_BIT: Code = Code::new("G0102", "a spare bit of config.bin is set");
/// An output takes more than one input.
pub const ROUTE_MIX: Code = Code::new("G0103", "a switch output takes two inputs");
/// An opcode, mux or payload field outside its range.
pub const PE_FIELD: Code = Code::new("G0104", "a PE field is out of range");
/// A tag set up twice.
pub const TAG_TWICE: Code = Code::new("G0105", "a tag is set up twice");
/// A FIFO loop that feeds itself.
pub const ROUTE_LOOP: Code = Code::new("G0106", "a route runs in a circle");
/// Route bits that no value reaches.
pub const ROUTE_STRAY: Code = Code::new("G0107", "route bits that nothing reaches");
/// A config.json that belongs to another fabric.
pub const OTHER_FABRIC: Code = Code::new("G0108", "the bitstream was made for another fabric");
/// A config.json that cannot be read.
pub const CONFIG_JSON: Code = Code::new("G0109", "config.json cannot be read");
/// A region the hardware refuses.
pub const REGION: Code = Code::new("G0110", "a memory region that the hardware refuses");
/// A base that the image does not have.
pub const BASE_UNKNOWN: Code = Code::new("G0111", "the image has no base of that name");
/// A base in a scratchpad.
pub const BASE_ON_CHIP: Code = Code::new("G0112", "a base that is not the host's to set");
/// An address above 32 bits.
pub const BASE_RANGE: Code = Code::new("G0113", "a base address beyond 32 bits");
/// An address between elements.
pub const BASE_ALIGNMENT: Code =
    Code::new("G0114", "a base address that is no multiple of the element's size");
/// A base given two addresses.
pub const BASE_TWICE: Code = Code::new("G0115", "a base is set twice");
/// An argument in two places; a warning.
pub const BASE_APART: Code = Code::new("G0116", "the regions of one argument lie at different addresses");
/// Bits that mean nothing; a warning.
pub const UNREAD: Code =
    Code::new("G0117", "bits of config.bin that mean nothing are not as unused ones are");
/// Two arguments in one place; a warning.
pub const BASE_SHARED: Code = Code::new("G0118", "arguments that overlap no other share addresses");
/// Extents.
pub const BASE_BEYOND: Code = Code::new("G0119", "an argument ends beyond 32 bits");
/// The elaborated hardware failed its own checks.
pub const RTL_CHECK: Code = Code::new("G0201", "the elaborated hardware is not well formed");

/// Every code, for the catalogue.
pub const CODES: &[Code] = &[
    IMAGE_LENGTH,
    SPARE_BIT,
    ROUTE_MIX,
    PE_FIELD,
    TAG_TWICE,
    ROUTE_LOOP,
    ROUTE_STRAY,
    OTHER_FABRIC,
    CONFIG_JSON,
    REGION,
    BASE_UNKNOWN,
    BASE_ON_CHIP,
    BASE_RANGE,
    BASE_ALIGNMENT,
    BASE_TWICE,
    BASE_APART,
    BASE_SHARED,
    BASE_BEYOND,
    UNREAD,
    RTL_CHECK,
];
