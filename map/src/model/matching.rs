//! Whether a graph can sit on a fabric at all: a PE for every op, a port for every argument and result.

use crate::model::resources::{Resources, NO_WAY};
use crate::model::seats::Seats;
use crate::model::site::Site;
use crate::model::tech::Candidates;
use crate::model::units::UnitTiming;
use crate::timing::recurrence::Cycle;
use loom_adg::model::Port;
use loom_dfg::{NodeId, Type};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Fabric ports wide enough for a value.
pub fn ports_for(
    ports: &[Port],
    connected: impl Fn(usize) -> bool,
    ty: Type,
    index_width: u32,
) -> Vec<usize> {
    (0..ports.len())
        .filter(|&k| !ports[k].ty.is_tagged() && ports[k].ty.width >= ty.width(index_width) && connected(k))
        .collect()
}

/// Ports of the fabric that a value may have.
#[derive(Clone, Debug, Default)]
pub struct PortChoice {
    /// Them.
    pub ports: Vec<usize>,
    /// Index of the one in the legal start.
    pub first: usize,
}

/// A first port for each of `needing`: the widest values first take the narrowest ports, so that none starves a later one more than
/// need be. `Err` is one that finds none left.
pub fn first_ports(
    choices: &mut [PortChoice],
    mut needing: Vec<usize>,
    widths: &[u32],
    ports: &[Port],
) -> Result<(), usize> {
    needing.sort_by_key(|&i| (Reverse(widths[i]), i));
    let mut taken = vec![false; ports.len()];
    for i in needing {
        let free = choices[i].ports.iter().enumerate().filter(|&(_, &k)| !taken[k]);
        let (first, &k) = free.min_by_key(|&(_, &k)| (ports[k].ty.width, k)).ok_or(i)?;
        choices[i].first = first;
        taken[k] = true;
    }
    Ok(())
}

/// Matching of nodes to PEs. `Ok` is the option index of every node; `Err` is a set of nodes whose
/// candidates together are fewer than they (Hall), by as many as no matching can place, with the number of those candidates.
pub fn capacity(candidates: &Candidates, resources: &Resources) -> Result<Vec<usize>, (Vec<NodeId>, usize)> {
    let mut seats = Seats::new(resources.sites.len());
    let mut sits = |list: &Vec<Site>| seats.seat(list.iter().map(|&site| resources.site(site)).collect());
    let left_over: Vec<usize> = (0..candidates.len()).filter(|&node| !sits(&candidates[node])).collect();
    if left_over.is_empty() {
        return Ok((0..candidates.len()).filter_map(|node| seats.chosen(node)).collect());
    }
    // All sites that the nodes without one can have are full, and each is held by a node that can have no other.
    let held: Vec<usize> = seats.keeping().collect();
    let nodes = left_over.iter().chain(&held);
    let mut set: Vec<NodeId> = nodes.map(|&n| NodeId(n as u32)).collect();
    set.sort();
    Err((set, held.len()))
}

/// Fewest registers between two nodes wherever they are placed, remembered by their candidates.
pub struct Closest<'a> {
    candidates: &'a Candidates,
    resources: &'a Resources,
    /// By node: the first node with the same candidates.
    class: Vec<usize>,
    known: BTreeMap<(usize, usize, bool), u32>,
}

impl<'a> Closest<'a> {
    /// Nothing known yet.
    pub fn new(candidates: &'a Candidates, resources: &'a Resources) -> Closest<'a> {
        let mut first = BTreeMap::new();
        // Nodes with the same sites are as far from everything: a large graph has few such classes.
        let class = candidates.iter().enumerate().map(|(n, list)| {
            let sites: Vec<usize> = list.iter().map(|&c| resources.site(c)).collect();
            *first.entry(sites).or_insert(n)
        });
        let class = class.collect();
        Closest { candidates, resources, class, known: BTreeMap::new() }
    }

    /// Fewest registers from a result of one node to an operand of another, or of itself.
    pub fn registers(&mut self, from: usize, to: usize) -> u32 {
        let key = (self.class[from], self.class[to], from == to);
        if let Some(&d) = self.known.get(&key) {
            return d;
        }
        let pe = |c: &Site| self.resources.site(*c);
        let mut best = u32::from(NO_WAY);
        'search: for a in self.candidates[from].iter().map(pe) {
            for b in self.candidates[to].iter().map(pe) {
                // Two ops never share a PE.
                if (a == b) == (from == to) {
                    best = best.min(self.resources.distance(a, b).into());
                    if best == 0 {
                        break 'search;
                    }
                }
            }
        }
        // A pair without a way is the router's to report.
        let best = if best == u32::from(NO_WAY) { 0 } else { best };
        self.known.insert(key, best);
        best
    }
}

/// Most steps spent on the bound of one cycle, and on all of them.
const CYCLE_STEPS: usize = 4_000_000;
const ALL_STEPS: usize = 20_000_000;

/// Recurrence bounds with all nodes of a cycle placed together: by cycle that stays in its loop the fewest register stages that any
/// choice of sites gives, over its iterations. `units` has those of each node on each of its candidates. Cycles too wide to try
/// are left out, so what there is stays a bound.
pub fn cycle_bounds<'c>(
    cycles: &'c [Cycle],
    candidates: &Candidates,
    resources: &Resources,
    units: &[Vec<UnitTiming>],
) -> Vec<(&'c Cycle, f64)> {
    // A half, so that adding to it does not wrap.
    const NONE: u32 = u32::MAX / 2;
    let sites: Vec<Vec<(usize, u32)>> = candidates
        .iter()
        .zip(units)
        .map(|(list, units)| {
            // Several units of a PE are one site, the fastest of them.
            let mut by_site: BTreeMap<usize, u32> = BTreeMap::new();
            for (&c, unit) in list.iter().zip(units) {
                let least = by_site.entry(resources.site(c)).or_insert(NONE);
                *least = (*least).min(unit.stages());
            }
            by_site.into_iter().collect()
        })
        .collect();
    let (mut bounds, mut left) = (Vec::new(), ALL_STEPS);
    for cycle in cycles.iter().filter(|c| !c.outer) {
        let mut nodes: Vec<usize> = cycle.edges.iter().map(|e| e.0).collect();
        // The walk begins where there is least to choose, for it is done once for each choice there.
        let narrow = (0..nodes.len()).min_by_key(|&i| sites[nodes[i]].len()).unwrap_or(0);
        nodes.rotate_left(narrow);
        let pairs = |i: usize| sites[nodes[i]].len() * sites[nodes[(i + 1) % nodes.len()]].len();
        let steps = sites[nodes[0]].len() * (0..nodes.len()).map(pairs).sum::<usize>();
        if steps > CYCLE_STEPS.min(left) {
            continue;
        }
        left -= steps;
        let mut least = NONE;
        for (first, &(home, own)) in sites[nodes[0]].iter().enumerate() {
            // Once around from each site of the first node back to it: the fewest stages by dynamic programming.
            let mut at = vec![NONE; sites[nodes[0]].len()];
            at[first] = own;
            for i in 0..nodes.len() {
                let (here, to) = (&sites[nodes[i]], &sites[nodes[(i + 1) % nodes.len()]]);
                let closes = i + 1 == nodes.len();
                let reach = |&(site, own): &(usize, u32)| {
                    if closes && site != home {
                        return NONE;
                    }
                    let way = |(&(from, _), &cost): (&(usize, u32), &u32)| {
                        let distance = resources.distance(from, site);
                        // Two nodes never share a site.
                        let apart = nodes.len() == 1 || from != site;
                        if apart && distance != NO_WAY && cost < NONE {
                            cost + u32::from(distance) + if closes { 0 } else { own }
                        } else {
                            NONE
                        }
                    };
                    here.iter().zip(&at).map(way).min().unwrap_or(NONE)
                };
                at = to.iter().map(reach).collect();
            }
            least = least.min(at[first]);
        }
        // A cycle without a way is the router's to report.
        if least < NONE {
            bounds.push((cycle, f64::from(least) / f64::from(cycle.tokens)));
        }
    }
    bounds
}
