//! The area of a fabric: of its components, and of what stands beside them.

use super::features::{self, Counts};
use super::table::AREA_MILLI_UM2;
use super::units;
use crate::layout::SliceLayout;
use crate::model::{Body, Component, Of};
use crate::Fabric;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Gates of a tile for each of its units, which number it: 16 bits of a sum. From the tile `corner` of mesh-2x2.
const TILE_UNIT_UM2: u64 = 1010;
/// Registers from the slices of a tile to those of the next: once for those of PEs, once for the others.
const HOP_UM2: u64 = 3200;
/// Gates of the top for each channel into the fabric, which is shut until the configuration is there. From mesh-2x2.
const TOP_INPUT_UM2: u64 = 140;
/// Children of a node of the error tree above the tiles.
const TREE_ARITY: usize = 4;

/// What area is for, here and in `loom ppa`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostClass {
    /// Switches, spatial and temporal.
    Switch,
    /// PEs with their function units.
    Pe,
    /// FIFOs and the buffers of links.
    Buffer,
    /// Scratchpads and AXI masters.
    Memory,
    /// Slices of the configuration, and the loader.
    Configuration,
    /// Nodes that collect errors and activity.
    Errors,
    /// Tag components, and gates of tiles and top themselves.
    Rest,
}

impl CostClass {
    /// All of them, in the order of tables.
    pub const ALL: [CostClass; 7] = [
        CostClass::Switch,
        CostClass::Pe,
        CostClass::Buffer,
        CostClass::Memory,
        CostClass::Configuration,
        CostClass::Errors,
        CostClass::Rest,
    ];

    /// The head of its column, and what a step of a path through it is called.
    pub fn name(self) -> &'static str {
        ["switch", "PE", "FIFO", "memory", "configuration", "errors", "rest"][self as usize]
    }

    /// The class of a component.
    pub fn of(component: &Component) -> CostClass {
        match component {
            Component::SpatialSw(_) | Component::TemporalSw(_) => CostClass::Switch,
            Component::SpatialPe(_) => CostClass::Pe,
            Component::Fifo(_) => CostClass::Buffer,
            Component::Memory(_) => CostClass::Memory,
            Component::AddTag(_) | Component::MapTag(_) | Component::DelTag(_) => CostClass::Rest,
        }
    }
}

/// Area by class, in square micrometres.
pub type AreaByClass = BTreeMap<CostClass, u64>;

/// The area of something that stands in the top.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AreaRow {
    /// The tile's name, or that of a component that stands beside tiles; `loader`, `error tree` and `top` are the fabric's own.
    pub name: String,
    /// Whether it is a tile, or a component that has one of its own.
    pub is_tile: bool,
    /// How often it stands in the fabric.
    pub instances: u64,
    /// Of one.
    pub area_um2: u64,
    /// Of one; classes that have none are missing.
    pub area_by_class: AreaByClass,
    /// Bits of RAM of one, which have no area here.
    pub ram_bits: u64,
}

/// The area of some counts.
pub fn of_counts(counts: &Counts) -> u64 {
    counts.iter().map(|&(feature, n)| n * AREA_MILLI_UM2[feature as usize]).sum::<u64>() / 1000
}

/// The area of a component, its function units among it, without its configuration.
pub fn of_component(component: &Component, index_width: u32) -> u64 {
    let units: u64 = match component {
        Component::SpatialPe(pe) => units::of_pe(pe, index_width, &|fu| units::unit(fu, index_width).0),
        _ => 0,
    };
    of_counts(&features::of_component(component, index_width)) + units
}

/// The rows of a fabric: tiles and components of the top in the order of their definitions, then what all share.
pub fn rows(fabric: &Fabric) -> Vec<AreaRow> {
    let adg = fabric.adg();
    let count = |of: Of| adg.top.instances.iter().filter(|i| i.of == of).count() as u64;
    let mut rows = Vec::new();
    for (t, tile) in adg.tiles.iter().enumerate() {
        let definitions = definitions(&tile.body);
        rows.push((count(Of::Tile(t)), tile_row(fabric, &tile.name, &definitions)));
    }
    for (d, definition) in adg.definitions.iter().enumerate() {
        rows.push((count(Of::Component(d)), tile_row(fabric, &definition.name, &[d])));
    }
    rows.retain(|(instances, _)| *instances > 0);
    let mut rows: Vec<AreaRow> =
        rows.into_iter().map(|(instances, row)| AreaRow { instances, ..row }).collect();
    let own = |name: &str, class, area_um2| AreaRow {
        name: name.into(),
        is_tile: false,
        instances: 1,
        area_um2,
        area_by_class: [(class, area_um2)].into(),
        ram_bits: 0,
    };
    let loader = features::of_loader(fabric.layout().words, fabric.layout().slices.len());
    rows.push(own("loader", CostClass::Configuration, of_counts(&loader)));
    let tree = tree(adg.top.instances.len());
    if tree > 0 {
        rows.push(own("error tree", CostClass::Errors, tree));
    }
    rows.push(own("top", CostClass::Rest, adg.top.inputs.len() as u64 * TOP_INPUT_UM2));
    rows
}

fn definitions(body: &Body) -> Vec<usize> {
    let of = |of: Of| match of {
        Of::Component(d) => Some(d),
        Of::Tile(_) => None,
    };
    body.instances.iter().filter_map(|i| of(i.of)).collect()
}

fn tile_row(fabric: &Fabric, name: &str, definitions: &[usize]) -> AreaRow {
    let mut by_class = AreaByClass::new();
    let (mut units, mut erring, mut ram_bits) = (0, 0, 0);
    let mut hops = [false; 2];
    for &d in definitions {
        let component = &fabric.adg().definitions[d].component;
        let layout: &SliceLayout = &fabric.layout().definitions[d];
        *by_class.entry(CostClass::of(component)).or_default() +=
            of_component(component, fabric.index_width());
        if layout.words() > 0 {
            units += 1;
            hops[usize::from(component.is_pe())] = true;
            erring += usize::from(can_err(component));
            *by_class.entry(CostClass::Configuration).or_default() += of_counts(&features::of_slice(layout));
        }
        if let Component::Memory(m) = component {
            ram_bits += features::ram_bits(m).0;
        }
    }
    let hops = hops.iter().filter(|hop| **hop).count() as u64;
    *by_class.entry(CostClass::Configuration).or_default() += hops * HOP_UM2;
    *by_class.entry(CostClass::Errors).or_default() += of_counts(&features::of_error_node(erring));
    *by_class.entry(CostClass::Rest).or_default() += units * TILE_UNIT_UM2;
    AreaRow {
        name: name.into(),
        is_tile: true,
        instances: 0,
        area_um2: by_class.values().sum(),
        area_by_class: by_class,
        ram_bits,
    }
}

/// Whether a component's configuration or tokens can be wrong.
fn can_err(component: &Component) -> bool {
    !matches!(component, Component::Fifo(_) | Component::AddTag(_) | Component::DelTag(_))
}

/// The nodes above so many tiles.
fn tree(tiles: usize) -> u64 {
    let (mut level, mut area) = (tiles, 0);
    while level > 1 {
        let nodes = level.div_ceil(TREE_ARITY);
        area += (0..nodes)
            .map(|k| of_counts(&features::of_error_node(TREE_ARITY.min(level - k * TREE_ARITY))))
            .sum::<u64>();
        level = nodes;
    }
    area
}
