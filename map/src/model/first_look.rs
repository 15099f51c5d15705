//! A first look at whether a graph can fit a fabric: units by count, of what would be placed.
//!
//! Guarantees: what it misses is missing; what it does not miss may still find no place.

use super::bodies;
use super::fitted::fitted;
use super::memory;
use super::netlist::netlist;
use super::problem::too_many;
use super::tech::units;
use loom_adg::model::{Backing, EffectiveUnit};
use loom_adg::{ComponentId, Fabric};
use loom_base::Diagnostics;
use loom_dfg::budget::Budget;
use loom_dfg::{Graph, Op};
use loom_front::compile::Room;
use std::collections::{BTreeMap, BTreeSet};

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
        // By PE and op: as many as one of its units has. A PE runs one op, or several where a unit has several.
        let mut most: BTreeMap<(ComponentId, &str), usize> = BTreeMap::new();
        for (id, fu) in units(fabric) {
            for EffectiveUnit { unit, .. } in fu.effective() {
                let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
                if let Some(kind) = unit.single_op() {
                    counted.insert(kind.mnemonic(), 1);
                } else if bodies::root(&unit).is_some() {
                    unit.body.iter().for_each(|op| *counted.entry(op.kind.mnemonic()).or_default() += 1);
                }
                counted.insert("", counted.values().sum::<usize>().max(1));
                for (op, count) in counted {
                    let most = most.entry((id, op)).or_default();
                    *most = count.max(*most);
                }
            }
        }
        for ((_, op), count) in most {
            match op {
                "" => budget.pes += count,
                op => *budget.units.entry(op).or_default() += count,
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

/// Whether all accesses of a graph find lanes.
pub fn finds_lanes(graph: &Graph, fabric: &Fabric) -> bool {
    let net = netlist(graph, fabric.index_width());
    memory::first_lanes(&net, fabric, &memory::lanes(fabric), &|_| (0, 1)).is_ok()
}

/// Bytes of a fabric's largest scratchpad; 0 where it has none.
pub fn largest_scratchpad(fabric: &Fabric) -> u64 {
    let bytes = |id| match memory::interface(fabric, id).map(|m| &m.store) {
        Some(&Backing::Scratchpad { bytes, .. }) => bytes,
        _ => 0,
    };
    fabric.flat().ids().map(bytes).max().unwrap_or(0)
}

impl Room for FirstLook {
    fn fabric(&self) -> &str {
        self.fabric.name()
    }

    fn missing(&self, graph: &Graph) -> Vec<String> {
        let folded = fitted(graph, &self.fabric);
        self.budget.missing(&netlist(folded.as_ref().unwrap_or(graph), self.fabric.index_width()))
    }
}
