//! A model of area and delay: what `loom ppa` would measure, from parameters alone and at once.
//!
//! Area is a sum of counts ([`features`]), each with a coefficient, and of the measured areas of function units ([`units`]). Delay is a
//! number for each way through a component ([`delay`]), and the longest chain of them through the flattened fabric ([`path`]).
//! `make calibrate` measures single modules in the cells of osu018 by yosys and OpenSTA and fits the table to them; tiles are
//! not among these, and a test of the measuring crate holds the model against measured tiles. docs/ppa.md says how good it is.
//!
//! Guarantees: integers throughout, so the same figures on every machine; a sum over rows is the fabric's area.
//! Refuses nothing. Leaves out what `loom ppa` leaves out: wires, the clock tree, RAM of 1024 words and more.

pub mod arcs;
pub mod area;
pub mod delay;
pub mod features;
pub mod path;
pub mod rows;
mod table;
pub mod units;

use crate::Fabric;
use area::{AreaByClass, AreaRow};
use path::{PathPoint, PathTimes};
use serde::Serialize;

/// A row with its longest path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CostRow {
    /// Its area.
    #[serde(flatten)]
    pub area: AreaRow,
    /// Picoseconds of the longest path that ends in a place of it; none of what is not a tile.
    pub period_ps: Option<u32>,
}

/// Area and delay of a fabric, by the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FabricCost {
    /// Of all that stands in it, in square micrometres.
    pub area_um2: u64,
    /// The same by class; classes that have none are missing.
    pub area_by_class: AreaByClass,
    /// Bits of RAM, in neither.
    pub ram_bits: u64,
    /// Picoseconds of the longest path.
    pub period_ps: u32,
    /// That path.
    pub path: Vec<PathPoint>,
    /// Tiles and components of the top, then what all share.
    pub rows: Vec<CostRow>,
}

/// Computes area and delay.
pub fn of_fabric(fabric: &Fabric) -> FabricCost {
    let timing = PathTimes::new(fabric);
    let path = timing.longest(|_| true);
    let top = &fabric.adg().top.instances;
    let rows: Vec<CostRow> = (area::rows(fabric).into_iter())
        .map(|area| {
            let inside = |id| {
                let of = top[fabric.flat().at(id).top_instance].of;
                area.is_tile && name_of(fabric, of) == area.name
            };
            let period_ps = timing.longest(inside).last().map(|p| p.at_ps);
            CostRow { area, period_ps }
        })
        .collect();
    let mut area_by_class = AreaByClass::new();
    for row in &rows {
        for (class, um2) in &row.area.area_by_class {
            *area_by_class.entry(*class).or_default() += um2 * row.area.instances;
        }
    }
    FabricCost {
        area_um2: area_by_class.values().sum(),
        area_by_class,
        ram_bits: rows.iter().map(|r| r.area.ram_bits * r.area.instances).sum(),
        period_ps: path.last().map_or(0, |p| p.at_ps),
        path,
        rows,
    }
}

fn name_of(fabric: &Fabric, of: crate::model::Of) -> &str {
    match of {
        crate::model::Of::Tile(t) => &fabric.adg().tiles[t].name,
        crate::model::Of::Component(d) => &fabric.adg().definitions[d].name,
    }
}
