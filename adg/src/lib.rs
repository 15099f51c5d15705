//! The architecture description (ADG): model, legality, file forms, flattening, configuration layout.
//!
//! Guarantees: an [`Adg`] that [`legality`] accepts can be flattened, laid out, generated and simulated; the
//! configuration layout here is the only one in the project.

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
