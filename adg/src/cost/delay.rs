//! The arcs of a component, from its parameters.
//!
//! Each arc of a kind is a constant and two logarithms of sizes (of what a port chooses among, of what it feeds); through a PE comes
//! the slowest of its units besides.

use super::arcs::{Arcs, FROM, TO};
use super::rows::log2_16;
use super::table::DELAYS;
use super::units;
use crate::model::{Component, Fifo, FifoKind, FunctionUnit, SpatialPe, SpatialSw};

/// Kinds of components whose delays have coefficients of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DelayKind {
    /// A spatial switch: what an output chooses among, what an input feeds, on average.
    Switch,
    /// A FIFO of one or two entries: bits.
    ShortFifo,
    /// A longer one: entries, bits.
    Ring,
    /// One that can be bypassed or that tokens fall through: entries, bits.
    Bypass,
    /// A PE without output buffers: units, what an operand chooses among.
    Pe,
    /// A PE with them.
    BufferedPe,
    /// A memory interface: lanes, entries of a queue.
    Memory,
    /// A temporal switch: inputs, slots.
    TemporalSwitch,
    /// A tag's translation: entries.
    MapTag,
}

impl DelayKind {
    /// All of them, in the order of the table.
    pub const ALL: [DelayKind; 9] = [
        DelayKind::Switch,
        DelayKind::ShortFifo,
        DelayKind::Ring,
        DelayKind::Bypass,
        DelayKind::Pe,
        DelayKind::BufferedPe,
        DelayKind::Memory,
        DelayKind::TemporalSwitch,
        DelayKind::MapTag,
    ];
}

/// The kind of a component and its two sizes; none where it is wires alone.
pub fn sizes(component: &Component) -> Option<(DelayKind, [u64; 2])> {
    Some(match component {
        Component::SpatialSw(sw) => (DelayKind::Switch, switch_sizes(sw)),
        Component::Fifo(f) => {
            let bits = u64::from(f.ty.width + f.ty.tag).max(1);
            match f {
                Fifo { kind: FifoKind::Bypassable | FifoKind::FallThrough, .. } => {
                    (DelayKind::Bypass, [f.depth as u64, bits])
                }
                Fifo { depth: 1 | 2, .. } => (DelayKind::ShortFifo, [bits, 1]),
                _ => (DelayKind::Ring, [f.depth as u64, bits]),
            }
        }
        Component::SpatialPe(pe) => {
            let kind = if pe.is_buffered() { DelayKind::BufferedPe } else { DelayKind::Pe };
            (kind, [pe.fus.len() as u64, pe.input_choices() as u64])
        }
        Component::Memory(m) => (DelayKind::Memory, [(m.loads + m.stores) as u64, m.queue as u64]),
        Component::TemporalSw(sw) => {
            (DelayKind::TemporalSwitch, [sw.inputs as u64, sw.num_route_table as u64])
        }
        Component::MapTag(c) => (DelayKind::MapTag, [c.table_size as u64, 1]),
        Component::AddTag(_) | Component::DelTag(_) => return None,
    })
}

/// What an output chooses among and what an input feeds, on average: a path takes ports of all kinds.
fn switch_sizes(sw: &SpatialSw) -> [u64; 2] {
    let lanes = |width: u32| sw.decomposable_bits.map_or(1, |l| u64::from((width / l).max(1)));
    let chosen =
        |row: &Vec<bool>| (0..row.len()).filter(|&i| row[i]).map(|i| lanes(sw.inputs[i].width)).sum::<u64>();
    let points: u64 = sw.connectivity.iter().map(chosen).sum();
    [sw.outputs.len(), sw.inputs.len()].map(|ports| (points / ports.max(1) as u64).max(1))
}

/// What a PE's units add to its arcs: the slowest of them; an arc that none has is none of the PE's.
pub fn unit_part(pe: &SpatialPe, arcs_of: &dyn Fn(&FunctionUnit) -> Arcs) -> Arcs {
    let mut part = Arcs::default();
    for buffered in [false, true] {
        let mut all = Arcs::default();
        pe.fus.iter().filter(|fu| pe.buffers(fu) == buffered).for_each(|fu| all.max(&arcs_of(fu)));
        if pe.fus.iter().any(|fu| pe.buffers(fu) == buffered) {
            part.max(&units_part(&all, buffered));
        }
    }
    part
}

/// The same of units that all have buffers behind them, or none.
fn units_part(all: &Arcs, buffered: bool) -> Arcs {
    let mut part = Arcs::default();
    for from in FROM {
        for to in TO {
            // Configuration chooses the operand, and waits for nothing. Without output buffers what the clock brings comes
            // from stages, behind the operands.
            let froms: &[char] = match (from, buffered) {
                ('c', true) => &['k', 'c', 'v', 'l', 'h'],
                ('c', false) => &['c', 'v', 'l', 'h'],
                _ => &[from],
            };
            let slowest = |to: char| froms.iter().filter_map(|&from| all.get(from, to)).max();
            let ps = match (buffered, to) {
                (false, _) | (true, 'r') => slowest(to),
                (true, 's') => {
                    ['v', 'l', 'h', 's'].into_iter().filter_map(slowest).max().or((from == 'r').then_some(0))
                }
                (true, _) => (from == 'k').then_some(0),
            };
            part.set(from, to, ps);
        }
    }
    // Output buffers take what is ready; nothing behind them reaches a unit within the cycle.
    if buffered {
        part.set('r', 'r', None);
    }
    part
}

/// The arcs of a component.
pub fn of_component(component: &Component, index_width: u32) -> Arcs {
    let Some((kind, sizes)) = sizes(component) else {
        return Arcs::of(&[("v>v", 0), ("l>l", 0), ("h>h", 0), ("r>r", 0)]);
    };
    let at = DelayKind::ALL.iter().position(|&k| k == kind).expect("all are there");
    let logs = sizes.map(log2_16);
    let part = match component {
        Component::SpatialPe(pe) => Some(unit_part(pe, &|fu| units::unit(fu, index_width).1)),
        _ => None,
    };
    let mut arcs = Arcs::default();
    let own = |&[constant, first, second]: &[i64; 3]| constant + (first * logs[0] + second * logs[1]) / 16;
    for (name, row) in DELAYS[at] {
        let mut ends = name.chars().filter(|c| *c != '>');
        let (Some(from), Some(to)) = (ends.next(), ends.next()) else { continue };
        let ps = match &part {
            Some(part) => part.get(from, to).map(|unit| i64::from(unit) + own(row)),
            None => Some(own(row)),
        };
        arcs.set(from, to, ps.map(|ps| ps.max(0) as u32));
    }
    // Stages of units are in no probe: to them and from them data pass the muxes that they pass without.
    if let (DelayKind::Pe, Some(part)) = (kind, &part) {
        let mux = DELAYS[at].iter().find(|(name, _)| *name == "h>h").map_or(0, |row| own(&row.1));
        let with = |from, to| part.get(from, to).map(|unit| unit + mux.max(0) as u32);
        for end in ['l', 'h'] {
            arcs.set('k', end, with('k', end));
            arcs.set(end, 's', with(end, 's'));
        }
    }
    // What falls through meets a ready that is a register, and no configuration.
    if matches!(component, Component::Fifo(f) if f.kind == FifoKind::FallThrough) {
        arcs.set('r', 'r', None);
        TO.into_iter().for_each(|to| arcs.set('c', to, None));
    }
    arcs
}
