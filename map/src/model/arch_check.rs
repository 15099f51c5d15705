//! The self-check: what every engine may rely on in the resources of any fabric.
//!
//! 1. A hop leads from a channel into the component of its step, and on into a channel that comes out of it, at the ports of the
//!    step; through no PE and no memory interface, so no route leads through a unit (C10), nor through a bridge of a memory lane.
//!    Tags begin in `add_tag` and end in `del_tag`: through all else both channels have one or none.
//! 2. A hop's registers and slack are those of its step: one through a FIFO, none through a bypass or anything else.
//! 3. Numbers of sites and sites belong together one to one, and a site's results leave by channels that start at it.
//! 4. Distances are those of the fewest registers over the hops, and the lists of near sites agree with them.
//! 5. The two lanes of one number of an interface are partners of each other, at two units of the same interface, each shared by the lanes of its kind.
//! 6. Every site lies in a tile, every position on the grid, and there is a capacity for every counter.
//!
//! Anything found is a mistake of this crate, not of the fabric: legality is checked before.

use super::hops::Hop;
use super::resources::{Resources, RouteStart, NO_WAY};
use super::site::Site;
use crate::mapping::Step;
use loom_adg::{ChannelId, Component, ComponentId, Fabric, SinkPort, SourcePort};

/// Looks whether what a problem promises of its resources holds on a fabric; what does not, in words.
pub fn arch_check(fabric: &Fabric) -> Vec<String> {
    check(fabric, Resources::new(fabric))
}

fn check(fabric: &Fabric, resources: Resources) -> Vec<String> {
    let mut check = Check { fabric, resources, problems: Vec::new() };
    check.hops();
    check.sites();
    check.distances();
    check.tiles();
    check.problems
}

struct Check<'a> {
    fabric: &'a Fabric,
    resources: Resources,
    problems: Vec<String>,
}

/// Sites whose distances are computed anew: all on small fabrics, spread evenly over large ones.
const MOST_ROWS: usize = 48;

impl Check<'_> {
    fn expect(&mut self, ok: bool, what: impl FnOnce() -> String) {
        if !ok {
            self.problems.push(what());
        }
    }

    fn hops(&mut self) {
        for c in 0..self.resources.hops.len() {
            for hop in self.resources.hops[c].clone() {
                self.hop(ChannelId(c as u32), &hop);
            }
        }
    }

    fn hop(&mut self, c: ChannelId, hop: &Hop) {
        let flat = self.fabric.flat();
        let (component, (input, output)) = (hop.step.component(), hop.step.ports());
        let connected = flat.channel(c).sink == SinkPort::Port(component, input)
            && flat.channel(hop.to).source == SourcePort::Port(component, output);
        let stores = matches!(hop.step, Step::Fifo { bypass: false, .. });
        let depth = self.resources.depth(hop.step);
        let fits = hop.delay == u32::from(stores) && depth.is_some() == stores && (stores || hop.slack == 0);
        let name = self.fabric.path(component).to_string();
        let tagged = |c: ChannelId| flat.channel(c).sink_type.is_tagged();
        let (before, behind) = (tagged(c), tagged(hop.to));
        let by_kind = match (hop.step, self.fabric.component(component)) {
            (Step::Switch { .. }, Component::SpatialSw(_)) | (Step::Fifo { .. }, Component::Fifo(_)) => {
                before == behind
            }
            (Step::Slot { .. }, Component::TemporalSw(_)) | (Step::MapTag { .. }, Component::MapTag(_)) => {
                before && behind
            }
            (Step::AddTag { .. }, Component::AddTag(_)) => !before && behind,
            (Step::DelTag { .. }, Component::DelTag(_)) => before && !behind,
            _ => false,
        };
        let bridge = self.resources.lanes.values().flat_map(|l| &l.settings).any(|s| s.0 == component);
        self.expect(by_kind && !bridge, || format!("a hop through `{name}` is none of its kind"));
        self.expect(connected, || format!("a hop through `{name}` joins channels that do not end there"));
        self.expect(fits, || format!("a hop through `{name}` has registers or slack that its step has not"));
    }

    fn sites(&mut self) {
        for site in 0..self.resources.sites.len() {
            let at = self.resources.sites[site];
            let name = self.fabric.path(at.component).to_string();
            let same = self.resources.site(at) == site;
            self.expect(same, || format!("a site of `{name}` has the number of another"));
            let is_pe = site < self.resources.pes;
            let partner = self.resources.partner(site);
            let back = partner.is_none_or(|p| {
                let ports = (self.resources.shared_unit(site), self.resources.shared_unit(p));
                self.resources.partner(p) == Some(site)
                    && self.resources.sites[p].component == at.component
                    && ports.0.is_some()
                    && ports.1.is_some()
                    && ports.0 != ports.1
            });
            self.expect(back && !(is_pe && partner.is_some()), || {
                format!("a lane of `{name}` is not the partner of its partner")
            });
            let starts = match is_pe {
                true => self.resources.starts(RouteStart::Pe(at.component)),
                false => self.resources.outs[site].clone(),
            };
            let own = |c: &ChannelId| self.fabric.flat().channel(*c).source;
            let leaves = starts.iter().all(|c| !is_pe || leaves(own(c), at.component));
            self.expect(leaves && starts == self.resources.outs[site], || {
                format!("a result at `{name}` starts elsewhere")
            });
        }
    }

    /// Fewest registers anew, by relaxing all hops until nothing changes: slower and simpler than the search.
    fn distances(&mut self) {
        let sites = self.resources.sites.len();
        let columns = sites + self.resources.outputs;
        for row in (0..sites).step_by(sites.div_ceil(MOST_ROWS).max(1)) {
            let mut at = vec![u32::MAX; self.resources.hops.len()];
            self.resources.outs[row].iter().for_each(|c| at[c.0 as usize] = 0);
            loop {
                let mut changed = false;
                for c in 0..at.len() {
                    let here = at[c];
                    for hop in self.resources.hops[c].iter().filter(|_| here < u32::MAX) {
                        let next = &mut at[hop.to.0 as usize];
                        if here + hop.delay < *next {
                            *next = here + hop.delay;
                            changed = true;
                        }
                    }
                }
                if !changed {
                    break;
                }
            }
            let mut fewest = vec![u32::from(NO_WAY); columns];
            for (c, &registers) in at.iter().enumerate() {
                if let Some(column) = self.column(ChannelId(c as u32)) {
                    fewest[column] = fewest[column].min(registers);
                }
            }
            self.row(row, &fewest);
        }
    }

    /// Where a channel ends, as a column of distances.
    fn column(&self, c: ChannelId) -> Option<usize> {
        let sites = &self.resources.sites;
        match self.resources.sinks[c.0 as usize] {
            SinkPort::Boundary(k) => Some(sites.len() + k),
            SinkPort::Port(id, _) if self.resources.is_pe(id) => {
                Some(self.resources.site(Site::spatial(id, 0)))
            }
            SinkPort::Port(..) => {
                let lane = self.resources.lanes.iter().find(|(_, lane)| lane.requests.contains(&c));
                lane.map(|(&at, _)| self.resources.site(Site::lane(at)))
            }
        }
    }

    fn row(&mut self, row: usize, fewest: &[u32]) {
        let (sites, inputs) = (self.resources.sites.len(), self.resources.inputs());
        let name = self.fabric.path(self.resources.sites[row].component).to_string();
        let position = |column: usize| if column < sites { column } else { column + inputs };
        let distance = |column: usize| u32::from(self.resources.distance(row, position(column)));
        let wrong = (0..fewest.len()).find(|&column| distance(column) != fewest[column]);
        let near: Vec<u32> = (0..sites as u32).filter(|&c| fewest[c as usize] <= 1).collect();
        let listed = self.resources.near_from(row) == near
            && near.iter().all(|&c| self.resources.near_to(c as usize).contains(&(row as u32)));
        self.expect(wrong.is_none(), || {
            format!("from `{name}` to column {} are not as few registers as it says", wrong.unwrap_or(0))
        });
        self.expect(listed, || format!("the sites near `{name}` are listed wrongly"));
    }

    fn tiles(&mut self) {
        let (tiles, sites) = (&self.resources.tiles, self.resources.sites.len());
        let positions = sites + self.resources.inputs() + self.resources.outputs;
        let counters = 2 * tiles.count * tiles.count + 2 * tiles.count;
        let ok = tiles.of.len() == sites
            && tiles.of.iter().all(|&t| t < tiles.count)
            && tiles.grid.len() == positions
            && tiles.capacity.len() == counters;
        self.expect(ok, || "sites, positions or capacities of tiles are missing".to_string());
    }
}

fn leaves(source: SourcePort, component: ComponentId) -> bool {
    matches!(source, SourcePort::Port(id, _) if id == component)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom_base::Source;

    #[test]
    fn damage_is_found() {
        let text = include_str!("../../../configs/mesh-2x2.toml");
        let adg = loom_adg::toml::read(&Source::new("mesh-2x2.toml", text)).expect("a default fabric");
        let fabric = Fabric::new(adg);
        let found = |damage: fn(&mut Resources)| {
            let mut resources = Resources::new(&fabric);
            // Distances are found when first asked for; what is found after the damage would hide it.
            resources.distance(0, 0);
            damage(&mut resources);
            check(&fabric, resources)
        };
        assert_eq!(found(|_| {}), Vec::<String>::new());
        let damages: [fn(&mut Resources); 5] = [
            |r| r.hops.iter_mut().flatten().take(1).for_each(|h| h.delay += 1),
            |r| r.hops.iter_mut().flatten().take(1).for_each(|h| h.to = ChannelId(0)),
            |r| r.hops.iter_mut().rev().for_each(|h| h.truncate(1)),
            |r| r.outs.swap(0, 1),
            |r| r.tiles.grid.truncate(1),
        ];
        for (i, damage) in damages.into_iter().enumerate() {
            assert!(!found(damage).is_empty(), "damage {i}");
        }
    }
}
