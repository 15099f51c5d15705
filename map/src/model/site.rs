//! Sites: what a node can be mapped to.

use super::memory::{LaneNumber, STORE};
use loom_adg::ComponentId;

/// A unit of a component in one of its slots.
///
/// The slots of a unit share it in time: as many nodes as it has slots, each in a slot of its own, and all of them together
/// fire at most once a cycle. A spatial PE has one slot, which one of its units fills (C8). A lane is a slot of the load or the
/// store port of its memory interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The PE or memory interface.
    pub component: ComponentId,
    /// What of it runs the node.
    pub unit: SiteUnit,
    /// When.
    pub slot: usize,
}

/// The part of a component that a node runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SiteUnit {
    /// A function unit of a PE, by number.
    Function(usize),
    /// The load port of a memory interface.
    Loads,
    /// The store port of a memory interface.
    Stores,
}

impl Site {
    /// The one slot of a spatial PE, with one of its units.
    pub fn spatial(component: ComponentId, function: usize) -> Site {
        Site { component, unit: SiteUnit::Function(function), slot: 0 }
    }

    /// A lane of a memory interface.
    pub fn lane((component, number): (ComponentId, LaneNumber)) -> Site {
        let unit = if number >= STORE { SiteUnit::Stores } else { SiteUnit::Loads };
        Site { component, unit, slot: number % STORE }
    }

    /// How a mapping writes it: the component, and the number of the unit or lane.
    pub fn placed(self) -> (ComponentId, usize) {
        let number = match self.unit {
            SiteUnit::Function(number) => number,
            SiteUnit::Loads => self.slot,
            SiteUnit::Stores => STORE + self.slot,
        };
        (self.component, number)
    }

    /// For a load lane the store lane of the same number, and the other way round: a region holds both.
    pub fn partner(self) -> Option<Site> {
        let unit = match self.unit {
            SiteUnit::Function(_) => return None,
            SiteUnit::Loads => SiteUnit::Stores,
            SiteUnit::Stores => SiteUnit::Loads,
        };
        Some(Site { unit, ..self })
    }
}
