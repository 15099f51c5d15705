//! A fabric as data to draw: `<adg>.fabric.viz.json`.
//!
//! Tiles are drawn once and stand at many places, as in the architecture, so the data of a large mesh is little more than that
//! of a small one. A component's number is its place in flattened order: the parts of the instances, one after the other.

use crate::floor;
use loom_adg::model::{Component, End};
use loom_adg::{ChannelType, Fabric};
use schemars::JsonSchema;
use serde::Serialize;

/// A fabric, with places in units of the drawing: x to the right, y down.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FabricView {
    /// `loom.fabric.viz`.
    pub format: String,
    /// Rises when a reader has to change.
    pub version: u32,
    /// Its name.
    pub name: String,
    /// Its identity, as config.json has it.
    pub hash: String,
    /// The whole drawing.
    pub size: Extent,
    /// Kinds of components.
    pub definitions: Vec<DefinitionView>,
    /// Kinds of tiles.
    pub tiles: Vec<TileView>,
    /// What stands where.
    pub instances: Vec<InstanceView>,
    /// Connections between instances and the boundary.
    pub wires: Vec<WireView>,
    /// Ports into the fabric.
    pub inputs: Vec<BoundaryView>,
    /// Ports out of it.
    pub outputs: Vec<BoundaryView>,
    /// Ports through which memory interfaces share memory with the host.
    pub hosted: Vec<HostedView>,
}

/// Width and height.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Extent {
    /// Width.
    pub w: i32,
    /// Height.
    pub h: i32,
}

/// A place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Spot {
    /// From the left.
    pub x: i32,
    /// From the top.
    pub y: i32,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Upper edge.
    pub y: i32,
    /// Width.
    pub w: i32,
    /// Height.
    pub h: i32,
}

/// A component definition.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DefinitionView {
    /// Its name.
    pub name: String,
    /// `spatial_pe`, `spatial_sw`, `temporal_sw`, `fifo`, `add_tag`, `map_tag`, `del_tag`, `memory` or `extmemory`.
    pub kind: String,
    /// Types of its inputs.
    pub inputs: Vec<String>,
    /// Types of its outputs.
    pub outputs: Vec<String>,
    /// Of a PE, what it can run, by opcode.
    pub units: Vec<String>,
    /// Entries of a FIFO; 0 of what is none.
    pub depth: usize,
}

/// A tile.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TileView {
    /// Its name.
    pub name: String,
    /// Its size.
    pub size: Extent,
    /// What is in it.
    pub parts: Vec<PartView>,
    /// Connections in it.
    pub wires: Vec<WireView>,
    /// Where its input ports are on its edge.
    pub inputs: Vec<Spot>,
    /// Where its output ports are.
    pub outputs: Vec<Spot>,
}

/// A component in a tile, or one that stands alone.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PartView {
    /// Its name in the tile.
    pub name: String,
    /// Number of its definition.
    pub definition: usize,
    /// Of a PE, its rank in the tile: what feeds only later ranks within a cycle.
    pub rank: Option<usize>,
    /// Where it is.
    pub area: Rect,
    /// Where its inputs are.
    pub inputs: Vec<Spot>,
    /// Where its outputs are.
    pub outputs: Vec<Spot>,
}

/// A tile or component at its place.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InstanceView {
    /// Its name.
    pub name: String,
    /// Number of its tile.
    pub tile: usize,
    /// Number of its first component in flattened order.
    pub first: usize,
    /// Column and row, where the fabric says so.
    pub position: Option<(i32, i32)>,
    /// Upper left corner.
    pub at: Spot,
}

/// An end of a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EndView {
    /// The part or instance; none for a port of what the wire is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
    /// Number of the port on that side.
    pub port: usize,
}

/// A connection.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WireView {
    /// Its source.
    pub from: EndView,
    /// Its sink.
    pub to: EndView,
    /// The line to draw, from source to sink.
    pub points: Vec<Spot>,
}

/// A port of the boundary.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BoundaryView {
    /// What its signals begin with.
    pub signal: String,
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: String,
    /// Where it is.
    pub at: Spot,
}

/// A port that shares memory with the host.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HostedView {
    /// What its signals begin with: `m0_axi`, `h0`.
    pub signal: String,
    /// Number of the memory interface in flattened order.
    pub component: usize,
}

impl FabricView {
    /// Draws a fabric.
    pub fn new(fabric: &Fabric) -> FabricView {
        let adg = fabric.adg();
        let floor = floor::plan(adg);
        let mut first = 0;
        let instances = adg.top.instances.iter().zip(&floor.instances).map(|(instance, &(tile, at))| {
            let start = first;
            first += floor.tiles[tile].parts.len();
            InstanceView { name: instance.name.clone(), tile, first: start, position: instance.position, at }
        });
        let ports = |ports: &[loom_adg::fabric::StreamPort], spots: &[Spot]| {
            let one = |(p, &at): (&loom_adg::fabric::StreamPort, &Spot)| BoundaryView {
                signal: p.signal.clone(),
                name: p.name.clone(),
                ty: p.ty.to_string(),
                at,
            };
            ports.iter().zip(spots).map(one).collect()
        };
        let outer = fabric.ports();
        let hosted = outer.masters.iter().chain(&outer.hosts);
        FabricView {
            format: "loom.fabric.viz".into(),
            version: crate::VERSION,
            name: fabric.name().to_string(),
            hash: fabric.hash().into(),
            size: floor.size,
            definitions: adg.definitions.iter().map(definition).collect(),
            instances: instances.collect(),
            wires: floor.wires,
            inputs: ports(&outer.inputs, &floor.inputs),
            outputs: ports(&outer.outputs, &floor.outputs),
            hosted: hosted
                .map(|p| HostedView { signal: p.signal.clone(), component: p.component.0 as usize })
                .collect(),
            tiles: floor.tiles,
        }
    }
}

fn definition(d: &loom_adg::model::Definition) -> DefinitionView {
    let types = |list: Vec<ChannelType>| list.iter().map(|t| t.to_string()).collect();
    let (mut units, mut depth) = (Vec::new(), 0);
    match &d.component {
        Component::SpatialPe(pe) => units = pe.fus.iter().map(|fu| fu.name.clone()).collect(),
        Component::Fifo(fifo) => depth = fifo.depth,
        _ => {}
    }
    DefinitionView {
        name: d.name.clone(),
        kind: d.component.kind_name().into(),
        inputs: types(d.component.inputs()),
        outputs: types(d.component.outputs()),
        units,
        depth,
    }
}

/// An end as data.
pub(crate) fn end(end: End) -> EndView {
    match end {
        End::Body(port) => EndView { part: None, port },
        End::Instance { instance, port } => EndView { part: Some(instance), port },
    }
}
