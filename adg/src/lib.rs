//! The architecture description (ADG): model, legality, file forms, flattening, configuration layout.
//!
//! Guarantees: an [`Adg`] that [`legality`] accepts becomes a [`Fabric`] that can be generated and simulated; the
//! configuration layout here is the only one in the project. Refuses, with a place in the text and a code: what breaks
//! a rule of the fabric model, combinational cycles, and parts of the model that are not built yet.
//!
//! ```
//! use loom_adg::{mlir, toml, topology, Fabric};
//! use loom_base::Source;
//! let fabric = Fabric::new(toml::read(&Source::new("mesh.toml", topology::mesh_toml(2, 2))).expect("legal"));
//! assert_eq!(fabric.path(fabric.units()[0]), "t_0_0.sw");
//! assert_eq!(fabric.ports().inputs[0].signal, "in0");
//! assert!(fabric.layout().words > 0);
//! let text = Source::new("mesh.fabric.mlir", mlir::write(fabric.adg()));
//! let again = Fabric::new(mlir::read(&text).expect("the same fabric"));
//! assert_eq!(fabric.hash(), again.hash());
//! ```

pub mod codes;
pub mod cost;
pub mod fabric;
pub mod flat;
mod fu;
pub mod hash;
pub mod hw_error;
pub mod image;
pub mod layout;
pub mod legality;
mod lex;
mod lines;
pub mod mlir;
pub mod model;
pub mod names;
pub mod part;
pub mod places;
pub mod toml;
pub mod topology;

pub use fabric::{Fabric, OuterPorts, Unit};
pub use flat::{ChannelId, ComponentId, Flat, FlatChannel, SinkPort, SourcePort};
pub use hw_error::HwError;
pub use image::{Image, Mux, PeConfig};
pub use layout::{Field, FieldKind, Layout, Slice, SliceLayout};
pub use lines::PassedComponent;
pub use model::{Adg, ChannelType, Component};
pub use part::{Cells, FabricPart};
