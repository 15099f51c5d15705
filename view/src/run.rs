//! A run as data to play back: `loom.trace`.
//!
//! The trace is that of the native model (`loom_sim`'s recording) with packed bits as text. Where a run did not end, the circle of
//! ops that wait for each other is looked for in the last cycle: who offers waits for who does not take, who lacks an operand waits
//! for its producer.

use crate::fabric::EndView;
use crate::mapping::hop;
use loom_adg::{ComponentId, Fabric, SinkPort};
use loom_dfg::{NodeId, ValueDef, ValueId};
use loom_flow::Configured;
use loom_sim::{ChannelState, MemoryEvent, MemoryTrack, Recording, Stop, Trace};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Cycles that are recorded where nobody says how many.
pub const CYCLES: u64 = 10_000;

/// A run, or a part of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunView {
    /// `loom.trace`.
    pub format: String,
    /// Rises when a reader has to change.
    pub version: u32,
    /// Name of the case.
    pub case: String,
    /// Number of the first cycle that is recorded.
    pub first: u64,
    /// How many are.
    pub cycles: u64,
    /// Cycles of the whole run.
    pub total: u64,
    /// `complete`, `deadlock` or `budget`.
    pub stop: String,
    /// Name of the run-time error, when there was one.
    pub error: Option<String>,
    /// What channels did.
    pub tracks: Vec<TrackView>,
    /// Channels and their tracks.
    pub channels: Vec<ChannelView>,
    /// Active PEs.
    pub units: Vec<UnitView>,
    /// Memory interfaces in use.
    pub memories: Vec<MemoryView>,
    /// Of a run that stopped short: channels with a token that does not move.
    pub waiting: Vec<WaitView>,
    /// Of a run that stopped short: ops that wait for each other, in a circle.
    pub circle: Vec<usize>,
    /// The values on that circle.
    pub circle_values: Vec<usize>,
}

/// What a channel did.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrackView {
    /// Tokens that moved before the first cycle.
    pub before: u64,
    /// Base64 of two bits a cycle, low bits of a byte first: valid, and ready above it. 1 waits, 3 moves.
    pub states: String,
    /// Base64 of the tokens' data, where the channel's source makes them: differences from the one before (from 0 the first) modulo
    /// 2^64, folded so that small negative ones are small, seven bits a byte, low ones first. Elsewhere the k-th token is
    /// the k-th of the way's first channel.
    pub values: Option<String>,
}

/// A channel and its track.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChannelView {
    /// Number in flattened order.
    pub channel: usize,
    /// Where it begins.
    pub from: EndView,
    /// Where it ends.
    pub to: EndView,
    /// Number of its track.
    pub track: usize,
}

/// A PE in a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UnitView {
    /// The PE.
    pub component: usize,
    /// What it runs.
    pub op: String,
    /// Base64 of a bit a cycle, low bits of a byte first.
    pub fires: String,
    /// Firings of the whole run.
    pub count: u64,
    /// Cycles from one to the next, on average, over the whole run.
    pub interval: Option<f64>,
}

/// A memory interface in a run: what passed between it and the memory behind it, at most one event of a kind in a cycle.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemoryView {
    /// The interface.
    pub component: usize,
    /// Requests of loads that it took.
    pub loads: AccessesView,
    /// Requests of stores that it took.
    pub stores: AccessesView,
    /// Answers to loads.
    pub loaded: AccessesView,
    /// Answers to stores.
    pub stored: AccessesView,
}

/// Events of a kind, in columns: each is Base64 of numbers packed as the values of a track are.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AccessesView {
    /// Cycles, counted from the first that is recorded.
    pub cycles: String,
    /// Lanes.
    pub lanes: String,
    /// Byte addresses, of requests.
    pub addresses: Option<String>,
    /// Elements, of requests of stores and answers to loads.
    pub data: Option<String>,
}

/// A channel whose token does not move.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WaitView {
    /// Where the token comes from.
    pub from: String,
    /// Where it wants to go.
    pub to: String,
    /// On what it waits.
    pub why: String,
}

impl RunView {
    /// A recorded run of a configured kernel.
    pub fn new(configured: &Configured, case: &str, trace: &Trace, recording: &Recording) -> RunView {
        let fabric = &configured.fabric;
        let tracks = recording.tracks.iter().map(|t| TrackView {
            before: t.before,
            states: base64(&t.states),
            values: t.values.as_deref().map(|v| base64(&packed(v))),
        });
        let channels = recording.channels.iter().map(|&(id, track)| {
            let ends = hop(fabric, id, None);
            ChannelView { channel: id.0 as usize, from: ends.from, to: ends.to, track }
        });
        let units = recording.units.iter().map(|u| {
            let activity = trace.fires.iter().find(|a| a.component == u.component);
            UnitView {
                component: u.component.0 as usize,
                op: u.op.to_string(),
                fires: base64(&u.fires),
                count: activity.map_or(0, |a| a.fires),
                interval: activity.and_then(|a| a.interval()),
            }
        });
        // Where software itself waits for ever nothing more is expected, and the run is complete with tokens left.
        let ended = trace.completed && trace.idle;
        let (circle, circle_values) = match ended {
            true => (Vec::new(), Vec::new()),
            false => Waits::new(configured, recording).circle(),
        };
        RunView {
            format: "loom.trace".into(),
            version: crate::VERSION,
            case: case.into(),
            first: recording.first,
            cycles: recording.cycles,
            total: trace.cycles,
            stop: match trace.stop {
                Stop::Complete if ended => "complete",
                Stop::Complete | Stop::Deadlock => "deadlock",
                Stop::BudgetExhausted => "budget",
            }
            .into(),
            error: trace.error.map(|(error, _)| error.name().to_string()),
            tracks: tracks.collect(),
            channels: channels.collect(),
            units: units.collect(),
            memories: recording.memories.iter().map(memory).collect(),
            waiting: trace
                .waiting
                .iter()
                .map(|w| WaitView { from: w.from.clone(), to: w.to.clone(), why: w.why.clone() })
                .collect(),
            circle,
            circle_values,
        }
    }
}

/// Who waits for whom in the last cycle.
struct Waits {
    /// By op, the ops it waits for and the values by which.
    arcs: BTreeMap<usize, Vec<(usize, usize)>>,
    /// Ops with a token before them. A circle without one is a loop at rest.
    holding: BTreeSet<usize>,
}

impl Waits {
    fn new(configured: &Configured, recording: &Recording) -> Waits {
        let Configured { fabric, netlist, mapped, .. } = configured;
        let last = recording.cycles.saturating_sub(1);
        let track_of: BTreeMap<_, _> = recording.channels.iter().copied().collect();
        let offered = |id| {
            let state = track_of.get(&id).map(|&t| recording.tracks[t].state(last));
            matches!(state, Some(ChannelState::Waits | ChannelState::Moves))
        };
        // By op and operand: whether a token stands before it.
        let mut there: BTreeMap<(usize, ValueId), bool> = BTreeMap::new();
        for n in netlist.node_ids() {
            let place = &mapped.mapping.placements[n.0 as usize];
            for (operand, &v) in netlist.node(n).operands.iter().enumerate() {
                let port = place.inputs.get(operand).copied().unwrap_or(0);
                if let Some(id) = input(fabric, place.component, port) {
                    there.insert((n.0 as usize, v), offered(id));
                }
            }
        }
        let holding = there.iter().filter(|(_, &token)| token).map(|(&(n, _), _)| n).collect();
        let mut arcs: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for (&(to, v), &token) in &there {
            let ValueDef::Result { node: NodeId(from), .. } = netlist.value(v).def else { continue };
            let (a, b) = if token { (from as usize, to) } else { (to, from as usize) };
            arcs.entry(a).or_default().push((b, v.0 as usize));
        }
        Waits { arcs, holding }
    }

    /// The shortest circle: ops and values.
    fn circle(&self) -> (Vec<usize>, Vec<usize>) {
        let mut best: Option<(Vec<usize>, Vec<usize>)> = None;
        for &start in &self.holding {
            let mut by: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
            let mut todo = std::collections::VecDeque::from([start]);
            while let Some(at) = todo.pop_front() {
                for &(next, value) in self.arcs.get(&at).into_iter().flatten() {
                    if let std::collections::btree_map::Entry::Vacant(entry) = by.entry(next) {
                        entry.insert((at, value));
                        todo.push_back(next);
                    }
                }
            }
            let (mut ops, mut values, mut at) = (Vec::new(), Vec::new(), start);
            while let Some(&(before, value)) = by.get(&at) {
                ops.push(at);
                values.push(value);
                at = before;
                if at == start {
                    break;
                }
            }
            if at == start && !ops.is_empty() && best.as_ref().is_none_or(|b| ops.len() < b.0.len()) {
                best = Some((ops, values));
            }
        }
        best.unwrap_or_default()
    }
}

fn input(fabric: &Fabric, component: ComponentId, port: usize) -> Option<loom_adg::ChannelId> {
    let id = fabric.flat().at(component).inputs.get(port).copied().flatten()?;
    debug_assert_eq!(fabric.flat().channel(id).sink, SinkPort::Port(component, port));
    Some(id)
}

fn memory(track: &MemoryTrack) -> MemoryView {
    let column = |all: &[MemoryEvent], of: fn(&MemoryEvent) -> u64| {
        base64(&packed(&all.iter().map(of).collect::<Vec<_>>()))
    };
    let events = |all: &[MemoryEvent], is_request: bool, has_data: bool| AccessesView {
        cycles: column(all, |a| a.cycle),
        lanes: column(all, |a| a.lane as u64),
        addresses: is_request.then(|| column(all, |a| a.address)),
        data: has_data.then(|| column(all, |a| a.data)),
    };
    MemoryView {
        component: track.component.0 as usize,
        loads: events(&track.loads, true, false),
        stores: events(&track.stores, true, true),
        loaded: events(&track.loaded, false, true),
        stored: events(&track.stored, false, false),
    }
}

/// Numbers as differences, seven bits a byte.
fn packed(values: &[u64]) -> Vec<u8> {
    let (mut bytes, mut last) = (Vec::with_capacity(values.len()), 0u64);
    for &value in values {
        let step = value.wrapping_sub(last) as i64;
        let mut rest = ((step << 1) ^ (step >> 63)) as u64;
        last = value;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    bytes
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word = three.iter().fold(0u32, |w, &b| w << 8 | u32::from(b)) << (8 * (3 - three.len()));
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= three.len() { digit as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_as_text_and_numbers_as_bytes() {
        assert_eq!(
            [&b""[..], b"f", b"fo", b"foo", b"foob"].map(base64),
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]
        );
        assert_eq!(packed(&[0, 1, 0, 64, u64::MAX]), [0, 2, 1, 0x80, 1, 0x81, 1]);
    }
}
