//! Random components, each with all its parameters drawn; connectivity tables are left full, for who connects them.

use super::units;
use loom_adg::model::*;
use loom_base::{choice_bits, Rng};

/// A number below `usual`, now and then below `most`.
fn below(rng: &mut Rng, usual: usize, most: usize) -> usize {
    let end = if rng.chance(20) { most } else { usual };
    rng.below(end)
}

/// Data bits of a channel: control tokens, one bit, the common widths, odd ones, wider than a word, as wide as can be.
pub(super) fn width(rng: &mut Rng) -> u32 {
    (match rng.below(40) {
        0..=3 => 0,
        4..=6 => 1,
        7..=20 => *rng.pick(&[8, 16, 32, 32, 32, 64]),
        21..=27 => rng.between(2, 31),
        28..=33 => rng.between(33, 63),
        34..=37 => rng.between(65, 128),
        38 => rng.between(129, 600),
        _ => *rng.pick(&[1024, 4095, 4096]),
    }) as u32
}

/// Tag bits.
pub(super) fn tag(rng: &mut Rng) -> u32 {
    (match rng.below(20) {
        0..=4 => 1,
        5..=14 => rng.between(2, 4),
        15..=18 => rng.between(5, 15),
        _ => 16,
    }) as u32
}

fn channel(rng: &mut Rng, tagged: bool) -> ChannelType {
    ChannelType { width: width(rng), tag: if tagged { tag(rng) } else { 0 } }
}

/// A number of ports: few, now and then as many as `most`.
fn count(rng: &mut Rng, most: usize) -> usize {
    (match rng.below(30) {
        0 => 1 + rng.below(most),
        1..=3 => 4 + rng.below(4),
        _ => 1 + rng.below(4),
    })
    .min(most)
}

fn full(inputs: usize, outputs: usize) -> Vec<Vec<bool>> {
    vec![vec![true; inputs]; outputs]
}

fn spatial_switch(rng: &mut Rng) -> Component {
    let most = limits::MAX_SWITCH_PORTS;
    let (inputs, outputs) = (count(rng, most), count(rng, most));
    let tagged = rng.chance(25);
    let ports = |rng: &mut Rng, n: usize| (0..n).map(|_| channel(rng, tagged)).collect::<Vec<_>>();
    let (ins, outs) = (ports(rng, inputs), ports(rng, outputs));
    let connectivity = full(inputs, outputs);
    Component::SpatialSw(SpatialSw { inputs: ins, outputs: outs, connectivity, decomposable_bits: None })
}

/// Few ports of few lanes: every pair of lanes is a bit of configuration.
fn lane_switch(rng: &mut Rng) -> Component {
    let lane = *rng.pick(&[1, 1, 2, 3, 4, 7, 8, 8, 13, 16, 32, 64]) as u32;
    let most = (64 / lane).min(5) as usize;
    let ports = |rng: &mut Rng| {
        (0..1 + rng.below(4))
            .map(|_| ChannelType::bits(lane * (1 + rng.below(most)) as u32))
            .collect::<Vec<_>>()
    };
    let (inputs, outputs) = (ports(rng), ports(rng));
    let connectivity = full(inputs.len(), outputs.len());
    Component::SpatialSw(SpatialSw { inputs, outputs, connectivity, decomposable_bits: Some(lane) })
}

fn temporal_switch(rng: &mut Rng) -> Component {
    let (inputs, outputs) = (count(rng, 9), count(rng, 9));
    let num_route_table = match rng.below(12) {
        0..=1 => 1,
        2..=8 => 2 + rng.below(4),
        9..=10 => 6 + rng.below(10),
        _ if inputs * outputs < 9 => 17 + below(rng, 24, 240),
        _ => 16,
    };
    let ty = channel(rng, true);
    Component::TemporalSw(TemporalSw {
        ty,
        inputs,
        outputs,
        connectivity: full(inputs, outputs),
        num_route_table,
    })
}

fn fifo(rng: &mut Rng) -> Component {
    let tagged = rng.chance(30);
    let ty = channel(rng, tagged);
    let depth = match rng.below(20) {
        0..=3 => 1,
        4..=9 => 2,
        10..=13 => rng.between(3, 4),
        14..=17 => rng.between(5, 33),
        18 => *rng.pick(&[63, 64, 65, 127, 128]),
        // Deep ones are narrow: every entry is written when a model begins.
        _ if ty.width <= 64 => {
            *rng.pick(&[1000, 4096, limits::MAX_FIFO_DEPTH as i64 - 1, limits::MAX_FIFO_DEPTH as i64])
        }
        _ => 200,
    };
    let kind = match rng.below(100) {
        0..35 => FifoKind::Bypassable,
        35..60 => FifoKind::FallThrough,
        _ => FifoKind::Registered,
    };
    Component::Fifo(Fifo { ty, depth: depth as usize, kind })
}

fn tag_component(rng: &mut Rng) -> Component {
    let width = width(rng);
    match rng.below(3) {
        0 => Component::AddTag(AddTag { width, tag: tag(rng) }),
        1 => Component::DelTag(DelTag { width, tag: tag(rng) }),
        _ => {
            let table_size = match rng.below(12) {
                0 | 1 => 1,
                2..=8 => 2 + rng.below(7),
                9 | 10 => 9 + rng.below(24),
                _ => 33 + rng.below(limits::MAX_TAG_TABLE - 32),
            };
            Component::MapTag(MapTag { width, tag_in: tag(rng), tag_out: tag(rng), table_size })
        }
    }
}

/// A memory interface; with `own_ports` each lane has ports of its own, as in a crossbar tile.
pub(super) fn memory(rng: &mut Rng, index_width: u32, own_ports: bool) -> Component {
    let tagged = !own_ports && rng.chance(45);
    let lanes = |rng: &mut Rng| match rng.below(12) {
        0 | 1 => 0,
        2..=5 => 1,
        6..=10 => 2 + rng.below(3),
        _ if tagged => 5 + below(rng, 8, limits::MAX_LANES - 4),
        _ => 4,
    };
    let (mut loads, stores) = (lanes(rng), lanes(rng));
    if own_ports {
        loads = loads.min(3);
    }
    if loads + stores == 0 {
        loads = 1;
    }
    let needed = choice_bits(loads.max(stores)).max(1);
    let tag = match tagged {
        false => 0,
        true if rng.chance(60) => needed,
        true => (needed + 1 + rng.below(3) as u32).min(limits::MAX_TAG_WIDTH),
    };
    let width = *rng.pick(&limits::MEMORY_WIDTHS);
    let store = if rng.chance(50) {
        Backing::External
    } else {
        let least = u64::from(width / 8).ilog2();
        let log = match rng.below(12) {
            0 => least.into(),
            1..=9 => rng.between(least.max(4).into(), 9),
            10 => rng.between(10, 13),
            _ => rng.between(14, limits::MAX_SCRATCHPAD.ilog2().into()),
        };
        Backing::Scratchpad { bytes: 1 << log, host: rng.chance(80) }
    };
    let queue = match rng.below(10) {
        0..=3 => 2,
        4..=7 => 3 + rng.below(6),
        8 => 9 + rng.below(24),
        _ => *rng.pick(&[33, limits::MAX_MEMORY_QUEUE - 1, limits::MAX_MEMORY_QUEUE]),
    };
    let regions = match rng.below(10) {
        0..=3 => 1,
        4..=8 => 2 + rng.below(4),
        _ => 6 + below(rng, 6, limits::MAX_REGIONS - 5),
    };
    // Queues of many lanes are large.
    let queue = if loads.max(stores) > 8 { queue.min(5) } else { queue };
    Component::Memory(MemoryInterface {
        store,
        loads,
        stores,
        queue,
        width,
        address: index_width,
        tag,
        regions,
    })
}

/// A PE whose units, called after `name`, all fit its ports; at most so many ports each way where `most` says.
pub(super) fn pe(rng: &mut Rng, name: &str, index_width: u32, most: Option<usize>) -> SpatialPe {
    let output_buffers = rng.chance(50);
    let mut fus: Vec<FunctionUnit> = Vec::new();
    let many = if rng.chance(20) { 8 } else { 3 };
    for _ in 0..1 + rng.below(many) {
        let fu = units::unit(rng, format!("{name}_u{}", fus.len()), index_width);
        if most.is_none_or(|most| fu.inputs.len().max(fu.results.len()) <= most) {
            fus.push(fu);
        }
    }
    if fus.is_empty() {
        let i = loom_dfg::Type::I32;
        fus.push(FunctionUnit::single(format!("{name}_u0"), loom_dfg::OpKind::Addi, &[i, i], &[i]));
    }
    // The widest port of any unit, the second widest, and so on.
    let ports = |rng: &mut Rng, of: &dyn Fn(&FunctionUnit) -> Vec<loom_dfg::Type>| {
        let mut needed: Vec<u32> = Vec::new();
        for fu in &fus {
            let mut widths: Vec<u32> = of(fu).iter().map(|t| t.width(index_width)).collect();
            widths.sort_unstable_by(|a, b| b.cmp(a));
            needed.resize(needed.len().max(widths.len()), 0);
            needed.iter_mut().zip(&widths).for_each(|(n, w)| *n = (*n).max(*w));
        }
        for need in &mut needed {
            if rng.chance(20) {
                *need = (*need).max(width(rng));
            }
        }
        let room = most.map_or(limits::MAX_PE_PORTS, |most| most).saturating_sub(needed.len()).min(2);
        if rng.chance(25) {
            needed.extend((0..rng.below(room + 1)).map(|_| width(rng)));
        }
        rng.shuffle(&mut needed);
        needed.into_iter().map(ChannelType::bits).collect::<Vec<_>>()
    };
    let inputs = ports(rng, &|fu| fu.inputs.clone());
    let outputs = ports(rng, &|fu| fu.output_types());
    let mut pe = SpatialPe { inputs, outputs, fus, output_buffers, immediates: 0 };
    if pe.immediate_width(index_width) > 0 && rng.chance(50) {
        pe.immediates = 1 + rng.below(limits::MAX_IMMEDIATES);
    }
    pe
}

/// A component of any kind; what it holds is called after `name`.
pub(super) fn component(rng: &mut Rng, name: &str, index_width: u32) -> Component {
    match rng.below(20) {
        0..=5 => Component::SpatialPe(pe(rng, name, index_width, None)),
        6..=8 => spatial_switch(rng),
        9 => lane_switch(rng),
        10 | 11 => temporal_switch(rng),
        12..=14 => fifo(rng),
        15..=17 => tag_component(rng),
        _ => memory(rng, index_width, false),
    }
}
