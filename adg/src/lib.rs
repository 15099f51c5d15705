//! The architecture description (ADG): model, legality, file forms, flattening, configuration layout.
//!
//! Guarantees: an [`Adg`] that [`legality`] accepts can be flattened, laid out, generated and simulated; the
//! configuration layout here is the only one in the project. Refuses, with a place in the text and a code: what breaks
//! a rule of the fabric model, combinational cycles, and parts of the model that are not built yet.
//!
//! ```
//! use loom_adg::{hash::fabric_hash, mlir, toml, topology, Flat, Layout};
//! use loom_base::Source;
//! let adg = toml::read(&Source::new("mesh.toml", topology::mesh_toml(2, 2))).expect("a legal fabric");
//! let flat = Flat::new(&adg);
//! assert_eq!(flat.at(loom_adg::ComponentId(0)).path, "t_0_0.sw");
//! assert!(Layout::new(&adg, &flat).words > 0);
//! let again = mlir::read(&Source::new("mesh.fabric.mlir", mlir::write(&adg))).expect("the same fabric");
//! assert_eq!(fabric_hash(&adg), fabric_hash(&again));
//! ```

pub mod codes;
pub mod flat;
mod fu;
pub mod hash;
pub mod hw_error;
pub mod layout;
pub mod legality;
mod lex;
pub mod mlir;
pub mod model;
pub mod names;
pub mod places;
pub mod toml;
pub mod topology;

pub use flat::{Channel, ChannelId, ComponentId, Flat, Sink, Source};
pub use hw_error::HwError;
pub use layout::{Field, FieldKind, Image, Layout, Mux, PeConfig, Slice, SliceLayout};
pub use model::{Adg, ChannelType, Component};
