//! A first look at whether a graph can fit a fabric: units by count, of what would be placed.
//!
//! Guarantees: what it misses is missing; what it does not miss may still find no place.

use super::immediates::with_immediates;
use super::netlist::netlist;
use super::problem::too_many;
use super::tech::units;
use loom_adg::Fabric;
use loom_base::Diagnostics;
use loom_dfg::budget::Budget;
use loom_dfg::{Graph, Op};
use loom_front::compile::Room;
use std::collections::BTreeSet;

/// A fabric, counted.
#[derive(Clone, Debug)]
pub struct FirstLook {
    fabric: Fabric,
    budget: Budget,
}

impl FirstLook {
    /// Counts a fabric's units.
    pub fn new(fabric: &Fabric) -> FirstLook {
        let mut budget = Budget { fabric: fabric.name().to_string(), ..Default::default() };
        let mut counted = BTreeSet::new();
        for (id, fu) in units(fabric) {
            if counted.insert((id, "")) {
                budget.pes += 1;
            }
            if let Some(kind) = fu.single_op() {
                if counted.insert((id, kind.mnemonic())) {
                    *budget.units.entry(kind.mnemonic()).or_default() += 1;
                }
            }
        }
        FirstLook { fabric: fabric.clone(), budget }
    }
}

/// Pairs of op and PE up to which a matching says which ops are too many.
const MOST_PAIRS: usize = 1 << 18;

/// Refuses a netlist with more ops than the fabric has PEs, where to find out which of them compete would take longer than that
/// is worth.
pub fn hopeless(net: &Graph, fabric: &Fabric) -> Result<(), Diagnostics> {
    let pes = units(fabric).map(|(id, _)| id).collect::<BTreeSet<_>>().len();
    let ops: Vec<_> = net.node_ids().filter(|&n| !matches!(net.node(n).op, Op::Memory(..))).collect();
    match ops.len() > pes && ops.len().saturating_mul(pes) > MOST_PAIRS {
        true => Err(vec![too_many(net, fabric, &ops, pes)]),
        false => Ok(()),
    }
}

impl Room for FirstLook {
    fn fabric(&self) -> &str {
        self.fabric.name()
    }

    fn missing(&self, graph: &Graph) -> Vec<String> {
        let folded = with_immediates(graph, &self.fabric);
        self.budget.missing(&netlist(folded.as_ref().unwrap_or(graph), self.fabric.index_width()))
    }
}
