//! From an architecture to Verilog, and from a mapping to config.bin and back.
//!
//! - [`fabric`]: elaborates an architecture into a design of RTL modules, one per distinct shape, and its files;
//! - [`config`]: config.bin, config.json and config.h of an image, and the layout as JSON;
//! - [`mod@decode`]: an image back into PE settings and routes, which must be those of the mapping it came from;
//! - [`patch`]: base addresses of external memory in an image.
//!
//! Guarantees: the elaborated design has no combinational cycle (H5), every net is driven once, one name is one text.
//! Refuses: an image of another length or with spare bits set, and one that the hardware would refuse.

pub mod codes;
pub mod config;
pub mod decode;
pub mod fabric;
pub mod patch;

pub use codes::CODES;
pub use decode::{decode, Decoded};
pub use fabric::{elaborate, Elaborated};
