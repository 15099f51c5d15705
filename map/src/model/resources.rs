//! A fabric as an engine sees it: sites, channels, how one channel leads to the next, and distances between sites.
//!
//! Cut once from a flattened fabric; [`super::arch_check`] says what holds and looks whether it does.

use super::hops::{self, Hop};
use super::reach::Reach;
pub use super::reach::NO_WAY;
use super::site::{Site, SiteUnit};
use super::tiles::Tiles;
use crate::mapping::Step;
use crate::model::memory::{Lane, Lanes};
use loom_adg::{ChannelId, Component, ComponentId, Fabric, SinkPort};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Where a value starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteStart {
    /// Fabric input.
    Input(usize),
    /// Any output of a PE.
    Pe(ComponentId),
    /// An answer of a memory lane.
    Channel(ChannelId),
}

/// Where a use of a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RouteTarget {
    /// Fabric output.
    Output(usize),
    /// Any input of a PE.
    Pe(ComponentId),
    /// A request of a memory lane.
    Channel(ChannelId),
}

/// The routing graph of a fabric.
pub struct Resources {
    /// By channel: where a value in it can go.
    pub hops: Vec<Vec<Hop>>,
    /// By channel: bits that pass, the narrower of its two ends.
    pub width: Vec<u32>,
    /// By site: the channels at its outputs.
    pub outs: Vec<Vec<ChannelId>>,
    /// Sites that exclude each other no more: the slots of PEs in flattened order, each with its first unit for all of
    /// them, then lanes of memory interfaces.
    pub sites: Vec<Site>,
    /// Number of those that are PEs.
    pub pes: usize,
    /// The lanes of memory interfaces.
    pub lanes: Lanes,
    /// The fabric in tiles: between which of them how much can pass.
    pub tiles: Tiles,
    /// By channel: where it ends.
    pub sinks: Vec<SinkPort>,
    /// By fabric input: the channel behind it.
    input_channels: Vec<Option<ChannelId>>,
    /// By component: entries of a FIFO.
    depths: Vec<Option<usize>>,
    /// By component: its site, when it is a PE.
    pe_index: Vec<Option<usize>>,
    /// By channel: the site it ends at.
    site_at: Vec<Option<usize>>,
    lane_index: BTreeMap<Site, usize>,
    /// Fabric outputs.
    pub outputs: usize,
    /// Found when first asked for: they grow with the square of the fabric, and counting needs none.
    distances: OnceLock<Distances>,
}

/// Distances between sites and ports.
struct Distances {
    /// Fewest registers between places: a row for each PE and fabric input, a column for each PE and fabric output.
    all: Vec<u8>,
    /// By row: PEs at most one register away.
    near_from: Vec<Vec<u32>>,
    /// By column: PEs that are at most one register away from it.
    near_to: Vec<Vec<u32>>,
}

fn depth_of(component: &Component) -> Option<usize> {
    match component {
        Component::Fifo(f) => Some(f.depth),
        _ => None,
    }
}

/// Sites beyond which distances between all of them cost too much.
const MANY_SITES: usize = 1024;

impl Resources {
    /// Cuts the routing graph from a flattened fabric.
    pub fn new(fabric: &Fabric) -> Resources {
        let lanes = crate::model::memory::lanes(fabric);
        let hops = hops::all(fabric, &lanes);
        let ports = |list: &[Option<ChannelId>]| list.iter().flatten().copied().collect::<Vec<_>>();
        let mut sites: Vec<Site> = fabric
            .flat()
            .ids()
            .filter(|&id| matches!(fabric.component(id), Component::SpatialPe(_)))
            .map(|id| Site::spatial(id, 0))
            .collect();
        let pes = sites.len();
        sites.extend(lanes.keys().copied().map(Site::lane));
        let mut pe_index = vec![None; fabric.flat().components.len()];
        let mut lane_index = BTreeMap::new();
        let mut site_at = vec![None; fabric.flat().channels.len()];
        let mut outs = Vec::new();
        // A PE may take an operand at any input, a lane only at the one meant for it: both end at the site.
        for (i, &site) in sites.iter().enumerate() {
            let id = site.component;
            if i < pes {
                pe_index[id.0 as usize] = Some(i);
                outs.push(ports(&fabric.flat().at(id).outputs));
                ports(&fabric.flat().at(id).inputs).into_iter().for_each(|c| site_at[c.0 as usize] = Some(i));
            } else {
                lane_index.insert(site, i);
                let lane = &lanes[&site.placed()];
                outs.push(lane.answers.clone());
                lane.requests.iter().for_each(|c| site_at[c.0 as usize] = Some(i));
            }
        }
        let width =
            fabric.flat().channels.iter().map(|c| c.source_type.width.min(c.sink_type.width)).collect();
        Resources {
            hops,
            width,
            outs,
            tiles: Tiles::new(fabric, &sites),
            sites,
            pes,
            lanes,
            pe_index,
            site_at,
            lane_index,
            sinks: fabric.flat().channels.iter().map(|c| c.sink).collect(),
            input_channels: fabric.flat().inputs.clone(),
            depths: fabric.flat().ids().map(|id| depth_of(fabric.component(id))).collect(),
            outputs: fabric.flat().outputs.len(),
            distances: OnceLock::new(),
        }
    }

    /// Whether there are too many sites for their distances: [`crate::map`] then looks at a part of the fabric.
    pub fn is_large(&self) -> bool {
        self.sites.len() > MANY_SITES
    }

    fn distances(&self) -> &Distances {
        self.distances.get_or_init(|| self.find_distances())
    }

    fn find_distances(&self) -> Distances {
        let sites = self.sites.len();
        let mut found = Distances {
            all: Vec::with_capacity((sites + self.inputs()) * (sites + self.outputs)),
            near_from: Vec::new(),
            near_to: vec![Vec::new(); sites + self.outputs],
        };
        let inputs = self.input_channels.iter().map(|input| input.as_slice());
        let end = |c: usize| match self.sinks[c] {
            SinkPort::Boundary(k) => Some((sites + k) as u32),
            SinkPort::Port(..) => self.site_at[c].map(|site| site as u32),
        };
        let ends = (0..self.hops.len()).map(end).collect();
        let mut reach = Reach::new(&self.hops, ends, sites + self.outputs);
        for (row, starts) in self.outs.iter().map(Vec::as_slice).chain(inputs).enumerate() {
            let distances = reach.all(starts);
            // The placer's moves go to places at most a register away: listed once, they are asked for in every step.
            let near = |list: &[u8]| (0..list.len()).filter(|&c| list[c] <= 1).collect::<Vec<_>>();
            found.near_from.push(near(&distances[..sites]).into_iter().map(|c| c as u32).collect());
            if row < sites {
                for c in near(&distances) {
                    found.near_to[c].push(row as u32);
                }
            }
            found.all.extend(distances);
        }
        found
    }

    /// Fabric inputs.
    pub fn inputs(&self) -> usize {
        self.input_channels.len()
    }

    /// Above the numbers of [`Resources::shared_unit`].
    pub fn ports(&self) -> usize {
        2 * self.depths.len()
    }

    /// Entries of the FIFO that a step stores in; `None` for all other steps.
    pub fn depth(&self, step: Step) -> Option<usize> {
        match step {
            Step::Fifo { component, bypass: false } => self.depths[component.0 as usize],
            _ => None,
        }
    }

    fn column(&self, position: usize) -> usize {
        // Positions count PEs, then fabric inputs, then fabric outputs; inputs have no column.
        if position < self.sites.len() {
            position
        } else {
            position - self.inputs()
        }
    }

    /// Fewest registers from one position to another; positions count sites, then fabric inputs, then fabric outputs.
    pub fn distance(&self, from: usize, to: usize) -> u8 {
        self.distances().all[from * (self.sites.len() + self.outputs) + self.column(to)]
    }

    /// PEs at most one register from a position.
    pub fn near_from(&self, position: usize) -> &[u32] {
        &self.distances().near_from[position]
    }

    /// PEs from which a position is at most one register away.
    pub fn near_to(&self, position: usize) -> &[u32] {
        &self.distances().near_to[self.column(position)]
    }

    /// Channels a value may start from.
    pub fn starts(&self, source: RouteStart) -> Vec<ChannelId> {
        match source {
            RouteStart::Input(k) => self.input_channels[k].iter().copied().collect(),
            RouteStart::Pe(id) => self.pe_index[id.0 as usize].map_or(Vec::new(), |s| self.outs[s].clone()),
            RouteStart::Channel(c) => vec![c],
        }
    }

    /// Whether a channel ends at a target.
    pub fn ends_at(&self, c: ChannelId, target: RouteTarget) -> bool {
        match (self.sinks[c.0 as usize], target) {
            (SinkPort::Boundary(k), RouteTarget::Output(o)) => k == o,
            (SinkPort::Port(id, _), RouteTarget::Pe(pe)) => id == pe,
            (_, RouteTarget::Channel(channel)) => c == channel,
            _ => false,
        }
    }

    /// The number of a candidate's site: a PE's slot whatever the unit, or a lane.
    pub fn site(&self, site: Site) -> usize {
        let lane = || self.lane_index.get(&site).copied();
        self.pe_index[site.component.0 as usize].or_else(lane).expect("candidates are PEs or lanes")
    }

    /// Whether a component is a PE.
    pub fn is_pe(&self, id: ComponentId) -> bool {
        self.pe_index[id.0 as usize].is_some()
    }

    /// The channels of a lane; `None` for a PE, any of whose ports an operand may take.
    pub fn lane(&self, site: Site) -> Option<&Lane> {
        self.lanes.get(&site.placed()).filter(|_| !matches!(site.unit, SiteUnit::Function(_)))
    }

    /// The unit that the slot with this number shares with others, if it does: a memory interface has two such.
    pub fn shared_unit(&self, number: usize) -> Option<usize> {
        let site = self.sites.get(number)?;
        match site.unit {
            SiteUnit::Function(_) => None,
            SiteUnit::Loads => Some(2 * site.component.0 as usize),
            SiteUnit::Stores => Some(2 * site.component.0 as usize + 1),
        }
    }

    /// For the number of a load lane that of the store lane of the same region, and the other way round.
    pub fn partner(&self, number: usize) -> Option<usize> {
        self.lane_index.get(&self.sites.get(number)?.partner()?).copied()
    }
}
