//! Which sites are alike: PEs that can change places without anything else noticing. A proof need not try them one by one.

use crate::model::problem::Problem;
use crate::model::resources::Resources;
use crate::model::site::Site;
use loom_adg::{ChannelId, SinkPort};
use std::collections::BTreeMap;

/// By site: the first one like it.
pub fn classes(problem: &Problem) -> Vec<usize> {
    let resources = &problem.resources;
    let ports = Ports::new(resources);
    let takes = takes(problem);
    let mut class: Vec<usize> = (0..resources.sites.len()).collect();
    // Only PEs: lanes have numbers that regions are made of.
    for site in 0..resources.pes {
        let first = (0..site).find(|&other| {
            class[other] == other
                && resources.tiles.of[site] == resources.tiles.of[other]
                && takes[site] == takes[other]
                && ports.swap(resources, site, other)
        });
        class[site] = first.unwrap_or(site);
    }
    class
}

/// By site: what runs there, with its stages and interval.
fn takes(problem: &Problem) -> Vec<Vec<(usize, u32, i64)>> {
    let mut takes = vec![Vec::new(); problem.resources.sites.len()];
    for (n, list) in problem.candidates.iter().enumerate() {
        for (&site, unit) in list.iter().zip(&problem.units[n]) {
            takes[problem.resources.site(site)].push((n, unit.stages(), unit.interval));
        }
    }
    takes
}

/// Channels into sites, and what leads to each channel.
struct Ports {
    ins: Vec<Vec<ChannelId>>,
    before: Vec<Vec<(ChannelId, u32, u32)>>,
}

impl Ports {
    fn new(resources: &Resources) -> Ports {
        let mut ins = vec![Vec::new(); resources.sites.len()];
        let mut before = vec![Vec::new(); resources.hops.len()];
        for c in 0..resources.hops.len() {
            let c = ChannelId(c as u32);
            if let SinkPort::Port(id, port) = resources.sinks[c.0 as usize] {
                if resources.is_pe(id) {
                    ins[resources.site(Site::spatial(id, 0))].push((port, c));
                }
            }
            for hop in &resources.hops[c.0 as usize] {
                before[hop.to.0 as usize].push((c, hop.delay, hop.slack));
            }
        }
        let ins = ins.into_iter().map(|mut list: Vec<(usize, ChannelId)>| {
            list.sort();
            list.into_iter().map(|(_, c)| c).collect()
        });
        Ports { ins: ins.collect(), before }
    }

    /// Whether the fabric stays what it is when two PEs change places, port by port.
    fn swap(&self, resources: &Resources, a: usize, b: usize) -> bool {
        let pairs = |x: &[ChannelId], y: &[ChannelId]| x.iter().copied().zip(y.iter().copied()).collect();
        let (ins, outs): (Vec<_>, Vec<_>) =
            (pairs(&self.ins[a], &self.ins[b]), pairs(&resources.outs[a], &resources.outs[b]));
        if self.ins[a].len() != self.ins[b].len() || resources.outs[a].len() != resources.outs[b].len() {
            return false;
        }
        let mut other: BTreeMap<ChannelId, ChannelId> = BTreeMap::new();
        for &(x, y) in ins.iter().chain(&outs) {
            // A channel from one PE to another has an end at each.
            if other.insert(x, y).is_some_and(|z| z != y) || other.insert(y, x).is_some_and(|z| z != x) {
                return false;
            }
        }
        let moved = |c: ChannelId| other.get(&c).copied().unwrap_or(c);
        let wide = |c: ChannelId| resources.width[c.0 as usize];
        let same = |x: Vec<(ChannelId, u32, u32)>, y: &[(ChannelId, u32, u32)]| {
            let (mut x, mut y) = (x, y.to_vec());
            x.iter_mut().for_each(|(c, ..)| *c = moved(*c));
            x.sort();
            y.sort();
            x == y
        };
        let after = |c: ChannelId| -> Vec<_> {
            resources.hops[c.0 as usize].iter().map(|h| (h.to, h.delay, h.slack)).collect()
        };
        let before = |c: ChannelId| &self.before[c.0 as usize];
        (ins.iter().chain(&outs)).all(|&(x, y)| {
            wide(x) == wide(y) && same(before(x).clone(), before(y)) && same(after(x), &after(y))
        })
    }
}
