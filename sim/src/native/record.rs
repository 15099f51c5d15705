//! What moves in a run, recorded: of each channel and cycle valid and ready, of each stream its tokens, of each PE when it fires,
//! of each memory interface its requests and answers.
//!
//! Guarantees: a recorded run is the run that it would be otherwise, and one that is not recorded pays no call for it (the
//! observer of [`NativeModel::run`] is `()`). Bounded: so many cycles as the window has, and [`MOST_VALUES`] tokens and accesses. Channels
//! that no token can reach have no track.

use super::memory::Passed;
use super::net::{Kind, Net};
use super::run::{Limits, Observer, Stimulus, Trace};
use super::wire::{FIRST, W};
use super::NativeModel;
use loom_adg::{ChannelId, ComponentId};
use loom_base::stall::Stalls;
use loom_base::truncate;
use loom_dfg::OpKind;

/// Most tokens whose data are kept, with the accesses of memory.
pub const MOST_VALUES: usize = 1 << 22;

/// Which cycles are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first.
    pub first: u64,
    /// How many, at most.
    pub cycles: u64,
}

/// A channel in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelState {
    /// Nothing is offered, and nothing would be taken.
    Empty,
    /// A token waits.
    Waits,
    /// Nothing is offered that would be taken.
    Open,
    /// A token moves.
    Moves,
}

/// What was recorded.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Number of the first cycle.
    pub first: u64,
    /// How many follow.
    pub cycles: u64,
    /// What channels did; those that are one wire in this configuration have one track.
    pub tracks: Vec<Track>,
    /// Channels and their tracks, in order.
    pub channels: Vec<(ChannelId, usize)>,
    /// Active PEs, in order.
    pub units: Vec<UnitTrack>,
    /// Memory interfaces in use, in order.
    pub memories: Vec<MemoryTrack>,
}

/// What passed between a memory interface and the memory behind it: at most one event of a kind in a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryTrack {
    /// The interface.
    pub component: ComponentId,
    /// Requests of loads that it took.
    pub loads: Vec<MemoryEvent>,
    /// Requests of stores that it took.
    pub stores: Vec<MemoryEvent>,
    /// Answers to loads.
    pub loaded: Vec<MemoryEvent>,
    /// Answers to stores.
    pub stored: Vec<MemoryEvent>,
}

/// A request or an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryEvent {
    /// Its cycle, counted from the first.
    pub cycle: u64,
    /// The lane.
    pub lane: usize,
    /// The byte address of a request; 0 of an answer.
    pub address: u64,
    /// The element of a store's request, or of a load's answer; otherwise 0.
    pub data: u64,
}

/// What a channel did.
#[derive(Clone, Debug, Default)]
pub struct Track {
    /// Tokens that moved before the first cycle.
    pub before: u64,
    /// Two bits a cycle, low bits first: valid, and ready above it.
    pub states: Vec<u8>,
    /// Data of the tokens that are made at its source, the first being number `before`; none where it carries on what another
    /// channel brings.
    pub values: Option<Vec<u64>>,
}

/// When a PE fired.
#[derive(Clone, Debug)]
pub struct UnitTrack {
    /// The PE.
    pub component: ComponentId,
    /// What it runs.
    pub op: OpKind,
    /// A bit a cycle, low bits first.
    pub fires: Vec<u8>,
}

impl Track {
    /// The channel in a cycle, counted from the first; empty beyond the last.
    pub fn state(&self, cycle: u64) -> ChannelState {
        let byte = self.states.get((cycle / 4) as usize).copied().unwrap_or(0);
        match byte >> (2 * (cycle % 4)) & 3 {
            0 => ChannelState::Empty,
            1 => ChannelState::Waits,
            2 => ChannelState::Open,
            _ => ChannelState::Moves,
        }
    }
}

/// Records row by row, a row for each cycle; tracks are cut out of it at the end.
struct Recorder {
    window: Window,
    wires: Vec<W>,
    /// Bytes of a row of states, and of fires behind them.
    row: (usize, usize),
    rows: Vec<u8>,
    cycles: u64,
    before: Vec<u64>,
    /// Tracks with data, and whether a token waited there in the cycle before.
    fresh: Vec<(usize, bool)>,
    values: Vec<Vec<u64>>,
    kept: usize,
    /// Memory interfaces by their place among the nodes.
    memories: Vec<(usize, MemoryTrack)>,
}

impl MemoryTrack {
    /// Adds what passed in a cycle, and says how much that was.
    fn add(&mut self, passed: &Passed, cycle: u64) -> usize {
        let all = [
            (&mut self.loads, passed.load.map(|r| (r.lane, r.address, 0))),
            (&mut self.stores, passed.store.map(|r| (r.lane, r.address, truncate(r.data, 8 << r.size)))),
            (&mut self.loaded, passed.loaded.map(|(lane, data)| (lane, 0, data))),
            (&mut self.stored, passed.stored.map(|lane| (lane, 0, 0))),
        ];
        let mut events = 0;
        for (list, event) in all {
            let Some((lane, address, data)) = event else { continue };
            list.push(MemoryEvent { cycle, lane, address, data });
            events += 1;
        }
        events
    }

    fn new(component: ComponentId) -> MemoryTrack {
        MemoryTrack { component, loads: vec![], stores: vec![], loaded: vec![], stored: vec![] }
    }
}

impl Observer for Recorder {
    fn cycle(&mut self, net: &Net, cycle: u64) {
        if cycle < self.window.first {
            for (count, &w) in self.before.iter_mut().zip(&self.wires) {
                *count += u64::from(net.wires[w as usize].moves());
            }
            return;
        }
        if self.cycles == self.window.cycles {
            return;
        }
        let here = self.cycles;
        self.cycles += 1;
        for (node, track) in &mut self.memories {
            match &net.nodes[*node].kind {
                Kind::Memory(memory) if self.kept < MOST_VALUES => {
                    self.kept += track.add(&memory.passed(), here)
                }
                _ => {}
            }
        }
        for four in self.wires.chunks(4) {
            let mut byte = 0;
            for (i, &w) in four.iter().enumerate() {
                let wire = &net.wires[w as usize];
                byte |= (u8::from(wire.valid) | u8::from(wire.ready) << 1) << (2 * i);
            }
            self.rows.push(byte);
        }
        for eight in net.shared.activity.chunks(8) {
            let fired = |a: &super::wire::Activity| u8::from(a.fires > 0 && a.last == cycle);
            self.rows.push(eight.iter().enumerate().fold(0, |m, (i, a)| m | fired(a) << i));
        }
        for ((track, waited), values) in self.fresh.iter_mut().zip(&mut self.values) {
            let wire = &net.wires[self.wires[*track] as usize];
            if wire.valid && !*waited && self.kept < MOST_VALUES {
                values.push(wire.data);
                self.kept += 1;
            }
            *waited = wire.valid && !wire.ready;
        }
    }
}

impl NativeModel {
    /// As [`NativeModel::run`], and says what moved in a window of cycles.
    pub fn run_recorded(
        &mut self,
        stimulus: &Stimulus,
        stalls: &Stalls,
        limits: &Limits,
        window: Window,
    ) -> (Trace, Recording) {
        let (channels, mut recorder) = self.recorder(window);
        self.reset();
        let trace =
            self.with_own_memory(|model, memory| model.play(memory, stimulus, stalls, limits, &mut recorder));
        (trace, recorder.finish(channels, &self.pes))
    }

    fn recorder(&self, window: Window) -> (Vec<(ChannelId, usize)>, Recorder) {
        let mut live = vec![false; self.net.wires.len()];
        let (mut wires, mut fresh, mut channels) = (Vec::new(), Vec::new(), Vec::new());
        let nodes = self.net.nodes.iter().flat_map(|n| {
            let (ins, outs) = n.ports();
            ins.into_iter().chain(outs)
        });
        nodes.for_each(|w| live[w as usize] = true);
        let mut track = vec![None; self.net.wires.len()];
        for (c, &w) in self.wire_of.iter().enumerate() {
            if w < FIRST || !live[w as usize] {
                continue;
            }
            let number = *track[w as usize].get_or_insert_with(|| {
                wires.push(w);
                wires.len() - 1
            });
            channels.push((ChannelId(c as u32), number));
            if self.makes[c] && w == FIRST + c as W {
                fresh.push((number, false));
            }
        }
        let recorder = Recorder {
            window,
            row: (wires.len().div_ceil(4), self.pes.len().div_ceil(8)),
            rows: Vec::new(),
            cycles: 0,
            before: vec![0; wires.len()],
            values: vec![Vec::new(); fresh.len()],
            fresh,
            wires,
            kept: 0,
            memories: (self.net.nodes.iter().enumerate())
                .filter(|(_, n)| matches!(n.kind, Kind::Memory(_)))
                .map(|(i, n)| (i, MemoryTrack::new(ComponentId(n.component))))
                .collect(),
        };
        (channels, recorder)
    }
}

impl Recorder {
    fn finish(self, channels: Vec<(ChannelId, usize)>, pes: &[(ComponentId, OpKind)]) -> Recording {
        let (states, fires) = self.row;
        let rows: Vec<&[u8]> = match states + fires {
            0 => Vec::new(),
            width => self.rows.chunks(width).collect(),
        };
        let mut tracks: Vec<Track> = self
            .before
            .iter()
            .enumerate()
            .map(|(t, &before)| {
                let mut packed = vec![0u8; rows.len().div_ceil(4)];
                for (cycle, row) in rows.iter().enumerate() {
                    packed[cycle / 4] |= (row[t / 4] >> (2 * (t % 4)) & 3) << (2 * (cycle % 4));
                }
                Track { before, states: packed, values: None }
            })
            .collect();
        for ((track, _), values) in self.fresh.iter().zip(self.values) {
            tracks[*track].values = Some(values);
        }
        let unit = |(u, &(component, op)): (usize, &(ComponentId, OpKind))| {
            let mut fires = vec![0u8; rows.len().div_ceil(8)];
            for (cycle, row) in rows.iter().enumerate() {
                fires[cycle / 8] |= (row[states + u / 8] >> (u % 8) & 1) << (cycle % 8);
            }
            UnitTrack { component, op, fires }
        };
        let units = pes.iter().enumerate().map(unit).collect();
        let memories = self.memories.into_iter().map(|(_, track)| track).collect();
        Recording { first: self.window.first, cycles: self.cycles, tracks, channels, units, memories }
    }
}
