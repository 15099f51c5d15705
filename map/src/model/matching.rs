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

/// Recurrence bound with all nodes of a cycle placed together: for each cycle the fewest register stages that any choice
/// of sites gives, over its iterations. `units` has those of each node on each of its candidates. Cycles too wide to try
/// are left out, so it stays a bound.
pub fn cycle_bound(
    cycles: &[Cycle],
    candidates: &Candidates,
    resources: &Resources,
    units: &[Vec<UnitTiming>],
) -> f64 {
    let sites: Vec<Sites> = candidates
        .iter()
        .zip(units)
        .map(|(list, units)| {
            // Several units of a PE are one site, the fastest of them.
            let mut by_site: BTreeMap<usize, u32> = BTreeMap::new();
            for (&c, unit) in list.iter().zip(units) {
                let least = by_site.entry(resources.site(c)).or_insert(u32::MAX);
                *least = (*least).min(unit.stages());
            }
            by_site.into_iter().collect()
        })
        .collect();
    let (mut bound, mut left) = (1.0f64, ALL_STEPS);
    for cycle in cycles.iter().filter(|c| !c.outer) {
        let mut nodes: Vec<usize> = cycle.edges.iter().map(|e| e.0).collect();
        // The walk begins where there is least to choose, for it is done once for each choice there.
        let narrow = (0..nodes.len()).min_by_key(|&i| sites[nodes[i]].len()).unwrap_or(0);
        nodes.rotate_left(narrow);
        let on_way: Vec<&Sites> = nodes.iter().map(|&n| &sites[n]).collect();
        // A turn that the bound allows anyway says nothing new.
        let known = (bound * f64::from(cycle.tokens)) as u32;
        let budget = CYCLE_STEPS.min(left);
        let mut turn = Turn { sites: &on_way, resources, steps: 0 };
        // A cycle without a way is the router's to report.
        if let Some(least) = turn.least(known, budget) {
            bound = bound.max(f64::from(least) / f64::from(cycle.tokens));
        }
        left -= turn.steps.min(left);
    }
    bound
}

/// Where a node may be, and the stages of its unit there.
type Sites = Vec<(usize, u32)>;

/// Once around a cycle.
struct Turn<'a> {
    /// By node on the way.
    sites: &'a [&'a Sites],
    resources: &'a Resources,
    steps: usize,
}

impl Turn<'_> {
    /// The fewest stages wherever the nodes are, or as few as are known anyway; none where that takes too long to find, or where
    /// there is no way.
    fn least(&mut self, known: u32, budget: usize) -> Option<u32> {
        // The fewest of the units that are still ahead: where those are too many already, nobody goes on.
        let own = |list: &&Sites| list.iter().map(|s| s.1).min().unwrap_or(0);
        let mut ahead: Vec<u32> = self.sites.iter().map(own).collect();
        for i in (0..ahead.len().saturating_sub(1)).rev() {
            ahead[i] += ahead[i + 1];
        }
        let mut least = None;
        for &home in self.sites[0] {
            if let Some(found) = self.from(home, &ahead, least.unwrap_or(u32::MAX)) {
                least = Some(found);
            }
            if least.is_some_and(|least| least <= known) {
                break;
            }
            if self.steps > budget {
                return None;
            }
        }
        least
    }

    /// The fewest stages from a site of the first node back to it, below so many, by dynamic programming.
    fn from(&mut self, (home, own): (usize, u32), ahead: &[u32], below: u32) -> Option<u32> {
        let count = self.sites.len();
        let mut at: Sites = vec![(home, own)];
        for i in 0..count {
            let closes = i + 1 == count;
            let last = [(home, 0)];
            let to: &[(usize, u32)] = if closes { &last } else { self.sites[i + 1] };
            self.steps += at.len() * to.len();
            let rest = if closes { 0 } else { ahead.get(i + 2).copied().unwrap_or(0) };
            let reach = |&(site, own): &(usize, u32)| {
                let way = |&(from, cost): &(usize, u32)| {
                    let distance = self.resources.distance(from, site);
                    // Two nodes never share a site.
                    let apart = count == 1 || from != site;
                    (apart && distance != NO_WAY).then(|| cost + u32::from(distance) + own)
                };
                let cost = at.iter().filter_map(way).min()?;
                (cost + rest < below).then_some((site, cost))
            };
            at = to.iter().filter_map(reach).collect();
        }
        at.first().map(|a| a.1)
    }
}
