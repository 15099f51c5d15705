//! Which ops of a netlist are covered by units of several ops.
//!
//! Wherever a body of the fabric's units is found in the netlist, its ops can be one node. Of those that overlap some are chosen one after
//! the other: first those with an op that no unit runs alone, then those in recurrences, where what is taken together needs no way, then
//! the larger ones, then in the netlist's order; each as long as there is a PE for it and for all chosen before.
//!
//! Guarantees: a function of netlist and fabric alone; every choice is legal ([`super::cover::covered`]) and each of its nodes has a PE of its
//! own that runs it. Does not ask whether it is worth it: the mapper sees which netlist maps better.

use super::cover::{compound, MOST_OPS};
use super::seats::Seats;
use super::{bodies, tech};
use crate::timing::recurrence::recurrences;
use loom_adg::model::{BodyValue, FunctionUnit, SpatialPe};
use loom_adg::{Component, ComponentId, Fabric};
use loom_dfg::graph::{Use, ValueDef};
use loom_dfg::{Graph, Node, NodeId};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Ways to lay one body over the ops before one node that are looked at.
const MOST_WAYS: usize = 16;

/// The sets of covers to try, the largest first: all, and those that leave recurrences alone, since a unit may be slower than the one op
/// that lies on one. None is empty.
pub fn choices(net: &Graph, fabric: &Fabric) -> Vec<Vec<Vec<NodeId>>> {
    if !pes(fabric).any(|(_, pe)| !bodies_of(pe).is_empty()) {
        return Vec::new();
    }
    let found = Found::new(net, fabric);
    let all = found.choose(&|_| true);
    let outside = found.choose(&|c| !c.recurs);
    let mut sets = vec![all, outside];
    sets.retain(|set| !set.is_empty());
    sets.dedup();
    sets
}

/// A place where a body lies over the netlist.
struct Candidate {
    ops: Vec<NodeId>,
    /// Whether some op of it has no unit of its own.
    needed: bool,
    /// Whether some op of it lies on a recurrence.
    recurs: bool,
    /// The PEs that run it.
    pes: Vec<ComponentId>,
}

struct Found {
    /// In the order in which they are chosen.
    candidates: Vec<Candidate>,
    /// Of the fabric.
    components: usize,
}

impl Found {
    fn new(net: &Graph, fabric: &Fabric) -> Found {
        let uses = net.uses();
        let mut found: BTreeMap<Vec<NodeId>, Vec<ComponentId>> = BTreeMap::new();
        for (d, pe) in pes(fabric) {
            let places: Vec<ComponentId> = components(fabric, d);
            for (fu, root) in bodies_of(pe) {
                for n in net.node_ids() {
                    for ops in ways(net, &uses, &fu, n, root) {
                        let Ok(node) = compound(net, &uses, &ops) else { continue };
                        if runs(net, &node, pe, fabric.index_width()) {
                            found.entry(ops).or_default().extend(&places);
                        }
                    }
                }
            }
        }
        let alone = |&n: &NodeId| {
            let node = net.node(n);
            !pes(fabric).any(|(_, pe)| runs(net, node, pe, fabric.index_width()))
        };
        let circles = recurrences(net);
        let mut candidates: Vec<Candidate> = (found.into_iter())
            .map(|(ops, mut pes)| {
                pes.sort_unstable();
                pes.dedup();
                let recurs = ops.iter().any(|n| circles[n.0 as usize].is_some());
                Candidate { needed: ops.iter().any(alone), recurs, pes, ops }
            })
            .collect();
        candidates.sort_by_key(|c| (!c.needed, !c.recurs, Reverse(c.ops.len()), c.ops.last().copied()));
        Found { candidates, components: fabric.flat().components.len() }
    }

    fn choose(&self, wanted: &dyn Fn(&Candidate) -> bool) -> Vec<Vec<NodeId>> {
        let mut chosen: Vec<&Candidate> = Vec::new();
        let mut seats = Seats::new(self.components);
        for candidate in self.candidates.iter().filter(|c| wanted(c)) {
            let overlaps = |c: &&Candidate| c.ops.iter().any(|n| candidate.ops.contains(n));
            if chosen.iter().any(overlaps) {
                continue;
            }
            if seats.seat(candidate.pes.iter().map(|pe| pe.0 as usize).collect()) {
                chosen.push(candidate);
            }
        }
        let mut covers: Vec<Vec<NodeId>> = chosen.iter().map(|c| c.ops.clone()).collect();
        covers.sort_by_key(|ops| ops.last().copied());
        covers
    }
}

/// The PE definitions of a fabric.
fn pes(fabric: &Fabric) -> impl Iterator<Item = (usize, &SpatialPe)> {
    fabric.adg().definitions.iter().enumerate().filter_map(|(d, definition)| match &definition.component {
        Component::SpatialPe(pe) => Some((d, pe)),
        _ => None,
    })
}

fn components(fabric: &Fabric, definition: usize) -> Vec<ComponentId> {
    fabric.flat().ids().filter(|&id| fabric.flat().at(id).definition == definition).collect()
}

/// The trees of several ops that a PE's units compute, under each setting of their muxes, with the op that each ends with.
fn bodies_of(pe: &SpatialPe) -> Vec<(FunctionUnit, usize)> {
    let units =
        pe.fus.iter().filter(|fu| fu.body.len() > 1).flat_map(FunctionUnit::effective).map(|e| e.unit);
    units
        .filter(|unit| unit.body.len() <= MOST_OPS)
        .filter_map(|unit| bodies::root(&unit).map(|root| (unit, root)))
        .collect()
}

/// Whether a PE runs a node.
fn runs(net: &Graph, node: &Node, pe: &SpatialPe, index_width: u32) -> bool {
    net.immediates(node).count() <= pe.immediates
        && pe.fus.iter().any(|fu| tech::fits_node(net, node, fu, index_width))
}

/// The ops that a body can lie over with `on` on node `n`, as covers. Types are not looked at.
fn ways(net: &Graph, uses: &[Vec<Use>], fu: &FunctionUnit, n: NodeId, on: usize) -> Vec<Vec<NodeId>> {
    let (node, body) = (net.node(n), &fu.body[on]);
    let kind = node.op.kind();
    if body.kind != kind {
        return Vec::new();
    }
    let mut all = Vec::new();
    for order in bodies::orders(kind) {
        let mut ways: Vec<Vec<NodeId>> = vec![Vec::new()];
        for (i, &v) in node.operands.iter().enumerate() {
            let BodyValue::Result { op, .. } = body.operands[order[i]] else { continue };
            let before = match net.value(v).def {
                ValueDef::Result { node, .. } if uses[v.0 as usize].len() == 1 => {
                    self::ways(net, uses, fu, node, op)
                }
                _ => Vec::new(),
            };
            ways = ways.iter().flat_map(|way| before.iter().map(move |b| [&way[..], b].concat())).collect();
            ways.truncate(MOST_WAYS);
        }
        all.extend(ways.into_iter().map(|mut way| {
            way.push(n);
            way
        }));
    }
    all.sort();
    all.dedup();
    all.truncate(MOST_WAYS);
    all
}
