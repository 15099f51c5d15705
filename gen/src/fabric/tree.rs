//! The registered tree that errors and activity climb to the top (H6, H9).

use loom_hdl::ir::{Expr, Module};
use loom_hdl::parts as lib;
use loom_hdl::Pins;

/// Children of one node.
const ARITY: usize = 4;

/// What a node shows.
#[derive(Clone)]
pub(super) struct Status {
    pub code: Expr,
    pub unit: Expr,
    pub busy: Expr,
}

/// Depth of the tree above that many tiles, in registers from a unit to the root.
pub fn tree_depth(tiles: usize) -> u32 {
    let mut depth = 1;
    let mut nodes = tiles;
    while nodes > 1 {
        nodes = nodes.div_ceil(ARITY);
        depth += 1;
    }
    depth
}

/// A node over units (code, number) and parts that may be busy.
pub(super) fn node(m: &mut Module, name: &str, units: &[(Expr, Expr)], busies: &[Expr], out: &Status) {
    let mut pins = Pins::new();
    for (k, (code, unit)) in units.iter().enumerate() {
        pins.pin(format!("code{k}"), code.clone()).pin(format!("unit{k}"), unit.clone());
    }
    for (k, busy) in busies.iter().enumerate() {
        pins.pin(format!("busy{k}"), busy.clone());
    }
    pins.pin("code", out.code.clone()).pin("unit", out.unit.clone()).pin("busy", out.busy.clone());
    m.instance(name, &lib::error_node(units.len(), busies.len()), &pins);
}

/// Nodes over nodes up to the root.
pub(super) fn root(m: &mut Module, mut level: Vec<Status>) -> Status {
    let mut height = 0;
    while level.len() > 1 {
        height += 1;
        let mut above = Vec::new();
        for (k, group) in level.chunks(ARITY).enumerate() {
            let name = format!("tree{height}_{k}");
            let units: Vec<(Expr, Expr)> = group.iter().map(|g| (g.code.clone(), g.unit.clone())).collect();
            let busies: Vec<Expr> = group.iter().map(|g| g.busy.clone()).collect();
            let out = Status {
                code: m.declare(&format!("{name}_error_code"), 16),
                unit: m.declare(&format!("{name}_error_unit"), 16),
                busy: m.declare(&format!("{name}_busy"), 1),
            };
            node(m, &name, &units, &busies, &out);
            above.push(out);
        }
        level = above;
    }
    level.pop().unwrap_or_else(|| Status { code: Expr::zero(16), unit: Expr::zero(16), busy: Expr::zero(1) })
}
