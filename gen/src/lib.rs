//! From an architecture to Verilog, and from a mapping to config.bin and back.
//!
//! - [`fabric`]: elaborates an architecture into a design of RTL modules, one per distinct shape, and its files;
//! - [`config`]: config.bin, config.json and config.h of an image, and the layout as JSON;
//! - [`mod@decode`]: an image back into PE settings and routes, which must be those of the mapping it came from;
//! - [`patch`]: base addresses of external memory in an image.
//!
//! Guarantees: the elaborated design has no combinational cycle (H5), every net is driven once, one name is one text.
//! Refuses: an image of another length or with spare bits set, and one that the hardware would refuse.
//!
//! ```
//! use loom_adg::{toml, topology, Fabric};
//! use loom_base::Source;
//! let text = topology::mesh_toml(2, 2);
//! let fabric = Fabric::new(toml::read(&Source::new("mesh.toml", text)).expect("a legal fabric"));
//! let made = loom_gen::elaborate(&fabric).expect("well formed hardware");
//! assert_eq!(made.filelist()[0], "loom_fabric_mesh_2x2.v");
//! assert!(made.files().iter().all(|(_, text)| text.starts_with("// LOOM ")));
//! ```

pub mod codes;
pub mod config;
pub mod decode;
pub mod fabric;
pub mod patch;

/// The line of generated files that says under which licence they are: that of LOOM, whose text they are.
pub(crate) const LICENCE: &str = "SPDX-License-Identifier: Apache-2.0";

pub use codes::CODES;
pub use decode::{decode, Decoded};
pub use fabric::{elaborate, Elaborated};
