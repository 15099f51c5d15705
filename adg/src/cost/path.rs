//! The longest path of a fabric: through components that no register cuts, in the names of the fabric.
//!
//! Every channel has a valid, a lowest and a highest bit of data (which the tag goes with), and a ready. A signal comes when the latest
//! that a component makes it of has come, and the component's delay later; what the clock or the configuration drives begins a path,
//! a register or the boundary ends it. It is the longest that is wired, in any configuration or none, as of `loom ppa`.
//!
//! No cycle can be met: legality refuses fabrics that have one (H5).

use super::arcs::Arcs;
use super::delay;
use crate::flat::{ChannelId, ComponentId, SinkPort, SourcePort};
use crate::model::{Component, MemoryPort};
use crate::Fabric;
use serde::Serialize;

/// When the bits of a slice of the configuration come, in picoseconds: from the clock through a register that drives many gates.
const CONFIGURATION_PS: u32 = 1200;

/// The signals of a channel, in the order of their numbers.
const SIGNALS: [char; 4] = ['v', 'l', 'h', 'r'];

/// A component on a path, and when the path leaves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PathPoint {
    /// Its path in the fabric, or the port of the boundary.
    pub name: String,
    /// What it is: the kind of the component, or `port`.
    pub is: &'static str,
    /// Picoseconds after the clock edge; of the last, the period.
    pub at_ps: u32,
}

/// Where a signal comes from: its time, and the signal before it.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    ps: u32,
    before: Option<usize>,
}

/// The times of all signals of a fabric.
pub struct PathTimes<'a> {
    fabric: &'a Fabric,
    arcs: Vec<Arcs>,
    arrivals: Vec<Option<Arrival>>,
}

impl<'a> PathTimes<'a> {
    /// Computes them.
    pub fn new(fabric: &'a Fabric) -> PathTimes<'a> {
        let index_width = fabric.index_width();
        let arcs =
            fabric.adg().definitions.iter().map(|d| delay::of_component(&d.component, index_width)).collect();
        let mut timing =
            PathTimes { fabric, arcs, arrivals: vec![None; fabric.flat().channels.len() * SIGNALS.len()] };
        let mut state = vec![false; timing.arrivals.len()];
        for root in 0..state.len() {
            // In the order in which all that a signal waits for has come: its sources first, without recursion.
            let mut stack = vec![root];
            while let Some(&signal) = stack.last() {
                if timing.arrivals[signal].is_some() {
                    stack.pop();
                    continue;
                }
                if !std::mem::replace(&mut state[signal], true) {
                    let open = timing.sources(signal).filter(|(s, _)| timing.arrivals[*s].is_none());
                    stack.extend(open.map(|(s, _)| s));
                    continue;
                }
                timing.arrivals[signal] = Some(timing.arrive(signal));
                stack.pop();
            }
        }
        timing
    }

    fn component_arcs(&self, id: ComponentId) -> &Arcs {
        &self.arcs[self.fabric.flat().at(id).definition]
    }

    /// The component that drives a signal with the port of the channel there; none at the boundary.
    fn driver(&self, signal: usize) -> Option<(ComponentId, usize)> {
        let channel = self.fabric.flat().channel(ChannelId((signal / SIGNALS.len()) as u32));
        match (SIGNALS[signal % SIGNALS.len()], channel.source, channel.sink) {
            ('r', _, SinkPort::Port(id, port)) | ('v' | 'l' | 'h', SourcePort::Port(id, port), _) => {
                Some((id, port))
            }
            _ => None,
        }
    }

    /// The signals that a signal depends on, each with its delay.
    fn sources(&self, signal: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        let to = SIGNALS[signal % SIGNALS.len()];
        let driver = self.driver(signal);
        driver.into_iter().flat_map(move |(id, port)| {
            let at = self.fabric.flat().at(id);
            let component = self.fabric.component(id);
            let arcs = self.component_arcs(id);
            let forward = at.inputs.iter().enumerate().flat_map(move |(i, channel)| {
                let reaches = match to {
                    'r' => waits_for(component, port, i),
                    _ => leads(component, i, port),
                };
                channel.filter(|_| reaches).into_iter().flat_map(move |c| {
                    ['v', 'l', 'h']
                        .into_iter()
                        .filter_map(move |from| Some((number(c, from), arcs.get(from, to)?)))
                })
            });
            let back = at.outputs.iter().enumerate().filter_map(move |(o, channel)| {
                let c = channel.filter(|_| to == 'r' && leads(component, port, o))?;
                Some((number(c, 'r'), arcs.get('r', 'r')?))
            });
            forward.chain(back)
        })
    }

    /// When a signal comes, from those it depends on.
    fn arrive(&self, signal: usize) -> Arrival {
        let to = SIGNALS[signal % SIGNALS.len()];
        let mut latest = Arrival { ps: 0, before: None };
        if let Some((id, _)) = self.driver(signal) {
            latest.ps = self.begins(id, to).unwrap_or(0);
        }
        for (before, delay) in self.sources(signal) {
            let ps = self.arrivals[before].map_or(0, |a| a.ps) + delay;
            if ps > latest.ps {
                latest = Arrival { ps, before: Some(before) };
            }
        }
        latest
    }

    /// When what a component drives by itself comes.
    fn begins(&self, id: ComponentId, to: char) -> Option<u32> {
        let arcs = self.component_arcs(id);
        let configured = arcs.get('c', to).map(|ps| ps + CONFIGURATION_PS);
        arcs.get('k', to).max(configured)
    }

    /// The end of the longest path among signals that `counts` accepts: the period, and the signal that ends there, if any.
    fn worst(&self, counts: impl Fn(ComponentId) -> bool) -> (u32, Option<usize>, Option<ComponentId>) {
        let mut worst = (0, None, None);
        for (signal, arrival) in self.arrivals.iter().enumerate() {
            let Some(arrival) = arrival else { continue };
            let channel = self.fabric.flat().channel(ChannelId((signal / SIGNALS.len()) as u32));
            let from = SIGNALS[signal % SIGNALS.len()];
            let (end, at) = match (from, channel.source, channel.sink) {
                ('r', SourcePort::Port(id, _), _) | ('v' | 'l' | 'h', _, SinkPort::Port(id, _)) => {
                    (self.component_arcs(id).get(from, 's'), Some(id))
                }
                // The boundary ends a path as it is.
                _ => (Some(0), self.driver(signal).map(|d| d.0)),
            };
            if let (Some(setup), true) = (end, at.is_some_and(&counts)) {
                if arrival.ps + setup > worst.0 {
                    worst = (arrival.ps + setup, Some(signal), at);
                }
            }
        }
        for id in self.fabric.flat().ids().filter(|&id| counts(id)) {
            if let Some(ps) = self.begins(id, 's').filter(|&ps| ps > worst.0) {
                worst = (ps, None, Some(id));
            }
        }
        worst
    }

    /// The period of the components that `counts` accepts, and its path.
    pub fn longest(&self, counts: impl Fn(ComponentId) -> bool) -> Vec<PathPoint> {
        let (period, mut signal, end) = self.worst(counts);
        let mut points: Vec<PathPoint> = Vec::new();
        let mut push = |id: ComponentId, at_ps| {
            let (name, is) = (self.fabric.path(id).to_string(), self.fabric.component(id).kind_name());
            points.push(PathPoint { name, is, at_ps });
        };
        if let Some(id) = end {
            push(id, period);
        }
        while let Some(at) = signal {
            let arrival = self.arrivals[at].expect("it has come");
            if let Some((id, _)) = self.driver(at) {
                push(id, arrival.ps);
            }
            signal = arrival.before;
        }
        points.reverse();
        points.dedup_by(|later, earlier| {
            let same = later.name == earlier.name;
            if same {
                earlier.at_ps = later.at_ps;
            }
            same
        });
        points
    }
}

fn number(channel: ChannelId, signal: char) -> usize {
    let at = SIGNALS.iter().position(|&s| s == signal).expect("a signal of a channel");
    channel.0 as usize * SIGNALS.len() + at
}

/// Whether some configuration leads an input of a component to an output.
fn leads(component: &Component, input: usize, output: usize) -> bool {
    match component {
        Component::SpatialSw(sw) => sw.connectivity[output][input],
        Component::TemporalSw(sw) => sw.connectivity[output][input],
        Component::Memory(_) => false,
        _ => true,
    }
}

/// Whether the ready of an input may look at what another one offers.
fn waits_for(component: &Component, input: usize, other: usize) -> bool {
    match component {
        Component::SpatialSw(sw) => {
            sw.decomposable_bits.is_some() && sw.connectivity.iter().any(|row| row[input] && row[other])
        }
        Component::TemporalSw(sw) => sw.connectivity.iter().any(|row| row[input] && row[other]),
        // Loads look at loads, stores at stores.
        Component::Memory(m) => {
            let is_load = |i: usize| m.ports().0.get(i).is_some_and(|p| p.0 == MemoryPort::LoadAddress);
            is_load(input) == is_load(other)
        }
        _ => true,
    }
}
