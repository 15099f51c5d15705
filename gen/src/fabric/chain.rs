//! The configuration chain: a word and whether there is one, from slice to slice.

use loom_adg::model::{Of, Tile};
use loom_adg::Fabric;
use loom_hdl::ir::{Expr, Module};
use loom_hdl::Pins;

/// One place of the chain.
#[derive(Clone)]
pub(super) struct Chain {
    pub valid: Expr,
    pub data: Expr,
}

impl Chain {
    pub fn input(m: &mut Module, name: &str) -> Chain {
        Chain { valid: m.input(&format!("{name}_valid"), 1), data: m.input(&format!("{name}_data"), 32) }
    }

    pub fn declare(m: &mut Module, name: &str) -> Chain {
        Chain { valid: m.declare(&format!("{name}_valid"), 1), data: m.declare(&format!("{name}_data"), 32) }
    }

    pub fn pins(&self, pins: &mut Pins, port: &str) {
        pins.pin(format!("{port}_valid"), self.valid.clone());
        pins.pin(format!("{port}_data"), self.data.clone());
    }
}

/// Whether a tile has slices of PEs, or of everything else.
pub(super) fn has_segment(fabric: &Fabric, tile: &Tile, pes: bool) -> bool {
    tile.body.instances.iter().any(|i| {
        let Of::Component(d) = i.of else { return false };
        fabric.adg().definitions[d].component.is_pe() == pes && fabric.layout().definitions[d].words() > 0
    })
}

/// What the ports of that part begin with.
pub(super) fn segment_name(pes: bool) -> &'static str {
    if pes {
        "cfg_pe"
    } else {
        "cfg_route"
    }
}
