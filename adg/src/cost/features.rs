//! What of a component takes area: counts that its parameters give, each with an area of its own in the table.
//!
//! Area is linear in these counts: `fit` of the measuring crate finds the coefficients, [`super::area`] adds them up.

use crate::layout::SliceLayout;
use crate::model::{Backing, Component, Fifo, MemoryInterface, SharedUnits, SpatialPe, SpatialSw};

/// Defines the features, in the order of the table.
macro_rules! features {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// A count that area is linear in.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Feature {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Feature {
            /// All of them, in the order of the table.
            pub const ALL: &'static [Feature] = &[$(Feature::$name,)+];
        }
    };
}

features! {
    /// A bit of data of a connected pair of switch ports.
    SwitchPointBit,
    /// A connected pair of switch ports.
    SwitchPoint,
    /// A switch output.
    SwitchOutput,
    /// A switch input.
    SwitchInput,
    /// A bit of a FIFO of one entry.
    SingleBit,
    /// A FIFO of one entry.
    Single,
    /// A bit of an elastic buffer's channel.
    ElasticBit,
    /// An elastic buffer.
    Elastic,
    /// A stored bit of a longer FIFO.
    RingBit,
    /// An entry of a longer FIFO.
    RingEntry,
    /// A longer FIFO.
    Ring,
    /// A bit of a channel that can pass its FIFO within a cycle.
    BypassBit,
    /// An input, output and bit of a temporal switch.
    TemporalPointBit,
    /// A connected pair of ports in a slot of a temporal switch.
    TemporalSlotPoint,
    /// A bit of a tag that an input compares with a slot, or a slot with another one.
    TagCompareBit,
    /// A connected pair of ports of a temporal switch.
    TemporalPoint,
    /// A bit of a port that an operand of a PE chooses from.
    PeChoiceBit,
    /// A bit of a result of a function unit that leaves its PE.
    PeResultBit,
    /// A bit of a PE output that a result can leave by.
    PeOutputBit,
    /// A function unit in its PE, or some that share hardware.
    PeUnit,
    /// A PE.
    Pe,
    /// A bit in the queues of a memory interface.
    QueueBit,
    /// A bit of a word of each lane of a memory interface.
    LaneBit,
    /// A bound or offset of a region, in each direction of accesses.
    Region,
    /// An AXI master.
    Master,
    /// A scratchpad beside its words.
    Pad,
    /// A word of configuration.
    SliceWord,
    /// A slice of configuration.
    Slice,
    /// A unit at a node that collects errors.
    ErrorUnit,
    /// A node that collects errors.
    ErrorNode,
    /// A bit of the loader's counters.
    LoaderBit,
    /// The loader.
    Loader,
}

/// Counts of features.
pub type Counts = Vec<(Feature, u64)>;

/// The counts of a component, its function units left out: these have areas of their own.
pub fn of_component(component: &Component, index_width: u32) -> Counts {
    match component {
        Component::SpatialSw(sw) => switch(sw),
        Component::Fifo(f) => fifo(f),
        Component::SpatialPe(pe) => spatial_pe(pe, index_width),
        Component::Memory(m) => memory(m),
        Component::TemporalSw(sw) => {
            let points = sw.connectivity.iter().flatten().filter(|&&c| c).count() as u64;
            let (bits, slots) = (u64::from(sw.ty.width + sw.ty.tag), sw.num_route_table as u64);
            let pairs = slots * sw.inputs as u64 + slots * (slots - 1) / 2;
            vec![
                (Feature::TemporalPointBit, points * bits),
                (Feature::TemporalSlotPoint, points * slots),
                (Feature::TagCompareBit, pairs * u64::from(sw.ty.tag)),
                (Feature::TemporalPoint, points),
            ]
        }
        Component::MapTag(c) => {
            let entries = c.table_size as u64;
            let pairs = entries + entries * (entries - 1) / 2;
            vec![(Feature::TagCompareBit, pairs * u64::from(c.tag_in) + entries * u64::from(c.tag_out))]
        }
        // Wires.
        Component::AddTag(_) | Component::DelTag(_) => Vec::new(),
    }
}

/// The counts of a slice of the configuration.
pub fn of_slice(layout: &SliceLayout) -> Counts {
    match layout.words() as u64 {
        0 => Vec::new(),
        words => vec![(Feature::SliceWord, words), (Feature::Slice, 1)],
    }
}

/// The counts of a node that collects errors; parts that may be busy cost next to nothing.
pub fn of_error_node(units: usize) -> Counts {
    vec![(Feature::ErrorUnit, units.saturating_sub(1) as u64), (Feature::ErrorNode, 1)]
}

/// The counts of the loader.
pub fn of_loader(words: usize, slices: usize) -> Counts {
    let bits = loom_base::choice_bits(words + 1) + loom_base::choice_bits(slices + 16);
    vec![(Feature::LoaderBit, u64::from(bits)), (Feature::Loader, 1)]
}

fn switch(sw: &SpatialSw) -> Counts {
    let (mut points, mut bits) = (0u64, 0u64);
    for (o, row) in sw.connectivity.iter().enumerate() {
        for (i, _) in row.iter().enumerate().filter(|(_, c)| **c) {
            let (a, b) = (sw.inputs[i], sw.outputs[o]);
            // Lane by lane, every lane of the output chooses among all of the input.
            let lanes =
                sw.decomposable_bits.map_or(1, |l| u64::from((a.width / l).max(1) * (b.width / l).max(1)));
            let width = sw.decomposable_bits.unwrap_or(a.width.min(b.width));
            points += lanes;
            bits += lanes * u64::from(width + a.tag.min(b.tag));
        }
    }
    vec![
        (Feature::SwitchPointBit, bits),
        (Feature::SwitchPoint, points),
        (Feature::SwitchOutput, sw.outputs.len() as u64),
        (Feature::SwitchInput, sw.inputs.len() as u64),
    ]
}

fn fifo(f: &Fifo) -> Counts {
    let bits = u64::from(f.ty.width + f.ty.tag);
    let depth = f.depth as u64;
    let mut counts = match depth {
        1 => vec![(Feature::SingleBit, bits), (Feature::Single, 1)],
        2 => vec![(Feature::ElasticBit, bits), (Feature::Elastic, 1)],
        _ => vec![(Feature::RingBit, bits * depth), (Feature::RingEntry, depth), (Feature::Ring, 1)],
    };
    // What passes is chosen bit by bit, whoever decides.
    if f.can_pass() {
        counts.push((Feature::BypassBit, bits + 2));
    }
    counts
}

fn spatial_pe(pe: &SpatialPe, index_width: u32) -> Counts {
    let bits = |t: &loom_dfg::Type| u64::from(t.width(index_width));
    let results: Vec<Vec<u64>> = pe.fus.iter().map(|f| f.output_types().iter().map(bits).collect()).collect();
    let widest = |of: &dyn Fn(usize) -> Option<u64>| (0..pe.fus.len()).filter_map(of).max().unwrap_or(0);
    let operands = (0..pe.input_muxes()).map(|a| widest(&|f| pe.fus[f].inputs.get(a).map(bits)));
    let offers = (0..pe.output_demuxes()).map(|b| widest(&|f| results[f].get(b).copied()));
    let outputs = pe.outputs.len() as u64;
    // Units that share hardware have one result of each number.
    let groups = pe.shared_units(index_width);
    let demuxes = 0..pe.output_demuxes();
    let group_results = |group: &SharedUnits| -> u64 {
        let widest = |b: usize| group.units.iter().filter_map(|&f| results[f].get(b)).max();
        demuxes.clone().filter_map(widest).map(|w| w + 1).sum()
    };
    let mut counts = vec![
        (Feature::PeChoiceBit, operands.map(|w| (w + 1) * pe.input_choices() as u64).sum()),
        (Feature::PeResultBit, groups.iter().map(group_results).sum()),
        (Feature::PeOutputBit, offers.map(|w| (w + 1) * outputs).sum()),
        (Feature::PeUnit, groups.len() as u64),
        (Feature::Pe, 1),
    ];
    if pe.has_buffers() {
        counts.push((Feature::ElasticBit, pe.outputs.iter().map(|t| u64::from(t.width)).sum()));
        counts.push((Feature::Elastic, outputs));
    }
    counts
}

fn memory(m: &MemoryInterface) -> Counts {
    let lanes = (m.loads + m.stores) as u64;
    let entries = m.queue.next_power_of_two() as u64;
    let mut counts = vec![
        (Feature::QueueBit, m.loads as u64 * entries * u64::from(m.width)),
        (Feature::LaneBit, lanes * u64::from(m.width + m.address)),
        (Feature::Region, m.regions as u64 * (u64::from(m.loads > 0) + u64::from(m.stores > 0))),
    ];
    match m.store {
        Backing::External => counts.push((Feature::Master, 1)),
        Backing::Scratchpad { .. } => counts.push((Feature::Pad, 1)),
    }
    if let (0, words) = ram_bits(m) {
        counts.push((Feature::RingBit, words));
    }
    counts
}

/// Bits of a scratchpad that are RAM, and those that are flip-flops: 1024 words and more are RAM, which has no area here.
pub fn ram_bits(m: &MemoryInterface) -> (u64, u64) {
    match m.store {
        Backing::Scratchpad { bytes, .. } if bytes * 8 / u64::from(m.width) >= 1024 => (bytes * 8, 0),
        Backing::Scratchpad { bytes, .. } => (0, bytes * 8),
        Backing::External => (0, 0),
    }
}
