//! Elaboration: an architecture becomes a hierarchy of RTL modules.
//!
//! One module per component shape, one per tile definition (a component that stands at the top level gets a tile of its
//! own), one top. A tile holds its components, a configuration slice beside each that has bits, and an error node. The
//! top holds the tiles, the trees for errors and idle, and the loader.
//!
//! Guarantees: the result passed the IR checks, the combinational cycle check over the whole hierarchy among them (H5).

mod chain;
mod compose;
mod tile;
mod top;
mod tree;

pub use tree::tree_depth;

use crate::codes;
use crate::LICENCE;
use loom_adg::model::{Body, ChannelType, Connection, End, Instance, Of, Port, Tile};
use loom_adg::Fabric;
use loom_base::{Diagnostic, Diagnostics};
use loom_hdl::ir::{Design, Module};
use loom_hdl::parts as lib;
use std::sync::Arc;

/// An elaborated fabric.
#[derive(Debug)]
pub struct Elaborated {
    /// Name of the top module.
    pub top: String,
    /// Every module.
    pub design: Design,
    /// First line of every file.
    pub banner: String,
}

/// Direction of a top-level port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into the fabric.
    Input,
    /// Out of the fabric.
    Output,
}

/// A port of the top module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopPort {
    /// Signal name.
    pub name: String,
    /// Bits.
    pub width: u32,
    /// Direction.
    pub direction: Direction,
}

/// Name of a fabric's top module.
pub fn top_name(fabric: &Fabric) -> String {
    format!("loom_fabric_{}", fabric.name().identifier())
}

impl Elaborated {
    /// `<module>.v` with its text, in name order.
    pub fn files(&self) -> Vec<(String, String)> {
        let files = self.design.files().into_iter();
        files.map(|(name, text)| (name, format!("{}\n{text}", self.banner))).collect()
    }

    /// File names, the top first, every user before what it uses.
    pub fn filelist(&self) -> Vec<String> {
        self.design.filelist(&self.top)
    }

    /// The same as `filelist.f`.
    pub fn filelist_text(&self) -> String {
        format!("// {LICENCE}\n{}\n", self.filelist().join("\n"))
    }

    /// The same for FuseSoC: `<fabric>.core`.
    pub fn core(&self, fabric: &str) -> String {
        let files: String = self.filelist().iter().map(|f| format!("      - {f}\n")).collect();
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "CAPI=2:\n# {LICENCE}\nname: loom:fabric:{fabric}:{version}\ndescription: Fabric {fabric}, made by loom {version}\n\n\
             filesets:\n  rtl:\n    files:\n{files}    file_type: verilogSource-2005\n\n\
             targets:\n  default:\n    filesets: [rtl]\n    toplevel: {}\n",
            self.top
        )
    }

    /// Ports of the top in order, `clk` and `rst_n` first.
    pub fn ports(&self) -> Vec<TopPort> {
        let top = self.design.get(&self.top).expect("the top is in the design");
        let mut ports: Vec<TopPort> = [("clk", top.needs_clk()), ("rst_n", top.needs_rst())]
            .into_iter()
            .filter(|(_, there)| *there)
            .map(|(name, _)| TopPort { name: name.into(), width: 1, direction: Direction::Input })
            .collect();
        ports.extend(top.ports.iter().filter(|p| p.width > 0).map(|p| TopPort {
            name: p.name.clone(),
            width: p.width,
            direction: match p.dir {
                loom_hdl::ir::Dir::In => Direction::Input,
                loom_hdl::ir::Dir::Out => Direction::Output,
            },
        }));
        ports
    }
}

/// Elaborates a legal architecture.
pub fn elaborate(fabric: &Fabric) -> Result<Elaborated, Diagnostics> {
    let components: Vec<Arc<Module>> =
        fabric.adg().definitions.iter().map(|d| lib::component(&d.component, fabric.index_width())).collect();
    let tiles = Tiles::new(fabric);
    let modules: Vec<Arc<Module>> =
        tiles.list.iter().map(|tile| tile::tile_module(fabric, &components, tile)).collect();
    let top = top::top_module(fabric, &tiles, &modules);
    let name = top.name.clone();
    let mut design = Design::new();
    design.add(&top);
    design.check(&name).map_err(|errors| {
        errors
            .into_iter()
            .map(|e| Diagnostic::error(codes::RTL_CHECK, e.to_string()))
            .collect::<Diagnostics>()
    })?;
    let banner = format!(
        "// LOOM {}, fabric `{}`, hash {}\n// {LICENCE}",
        env!("CARGO_PKG_VERSION"),
        fabric.name(),
        &fabric.hash()[..16]
    );
    Ok(Elaborated { top: name, design, banner })
}

/// Tile definitions, those made for components at the top level included.
struct Tiles {
    list: Vec<Tile>,
    /// By top instance: index into the list.
    of_instance: Vec<usize>,
}

impl Tiles {
    fn new(fabric: &Fabric) -> Tiles {
        let mut list = fabric.adg().tiles.clone();
        let mut wrapper = vec![None; fabric.adg().definitions.len()];
        let tile = |instance: &Instance| match instance.of {
            Of::Tile(tile) => tile,
            Of::Component(definition) => *wrapper[definition].get_or_insert_with(|| {
                list.push(wrap(fabric, definition));
                list.len() - 1
            }),
        };
        let of_instance = fabric.adg().top.instances.iter().map(tile).collect();
        Tiles { list, of_instance }
    }

    fn of(&self, instance: usize) -> &Tile {
        &self.list[self.of_instance[instance]]
    }
}

/// A tile that holds one component and has its ports.
fn wrap(fabric: &Fabric, definition: usize) -> Tile {
    let d = &fabric.adg().definitions[definition];
    let ports = |types: Vec<ChannelType>, side: &str| -> Vec<Port> {
        types.into_iter().enumerate().map(|(i, ty)| Port { name: format!("{side}{i}"), ty }).collect()
    };
    let inputs = ports(d.component.inputs(), "in");
    let outputs = ports(d.component.outputs(), "out");
    let inner = |port: usize| End::Instance { instance: 0, port };
    let connections = (0..inputs.len())
        .map(|k| Connection { from: End::Body(k), to: inner(k) })
        .chain((0..outputs.len()).map(|k| Connection { from: inner(k), to: End::Body(k) }))
        .collect();
    let instances = vec![Instance { name: "unit".into(), of: Of::Component(definition), position: None }];
    Tile { name: format!("of_{}", d.name), body: Body { inputs, outputs, instances, connections } }
}
