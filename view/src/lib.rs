//! Pictures: a fabric, a graph, a mapping and a run as data to draw, and as one page that draws them.
//!
//! [`FabricView`] and [`MappingView`] are what `<adg>.fabric.viz.json` and `<dfg>.<adg>.viz.json` hold; their JSON schemas come from the types
//! ([`schema`]). All places are computed here: a page only draws. [`Page::html`] is that page, one file with its script and its data.
//!
//! Guarantees: same inputs, same bytes; a page asks no host for anything, and nothing of a program's text is markup or script in it.
//! Refuses nothing: what is not known is not drawn.
//!
//! ```
//! use loom_adg::{toml, topology, Fabric};
//! use loom_base::Source;
//! let mesh = Source::new("mesh.toml", topology::mesh_toml(2, 2));
//! let fabric = Fabric::new(toml::read(&mesh).expect("a fabric"));
//! let page = loom_view::Page::of_fabric(loom_view::FabricView::new(&fabric));
//! assert!(page.html().starts_with("<!DOCTYPE html>") && !page.html().contains("src="));
//! ```

pub mod fabric;
mod floor;
pub mod graph;
mod layered;
pub mod mapping;
mod page;
mod picture;
mod rank;
pub mod run;

pub use fabric::FabricView;
pub use graph::GraphView;
pub use mapping::{FailureView, MappingView};
pub use page::{json, MappingFile, Page};
pub use picture::picture;
pub use run::RunView;

/// Version of both formats: a reader looks at it first.
pub const VERSION: u32 = 2;

/// The JSON schema of a format: `fabric`, `mapping` or `trace`; none of another word.
pub fn schema(of: &str) -> Option<serde_json::Value> {
    let schema = match of {
        "fabric" => schemars::schema_for!(FabricView),
        "mapping" => schemars::schema_for!(MappingFile),
        "trace" => schemars::schema_for!(RunView),
        _ => return None,
    };
    serde_json::to_value(schema).ok()
}
