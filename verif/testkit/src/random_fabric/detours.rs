//! Detours: a fabric some of whose wires lead through tag components and a temporal switch instead.
//!
//! Guarantees: legal where the fabric was, with the same units and ports. A detour ends in a FIFO behind the switch, so it cuts what passed
//! within a cycle and closes nothing (H5). Wires of tiles and of their ports stay, for they are registered at one end (H6), and so do
//! tagged ones.

use loom_adg::model::*;
use loom_base::Rng;

/// Most wires that one temporal switch takes.
const TOGETHER: usize = 5;

/// Leads wires by temporal switches, some in each body.
pub fn detoured(rng: &mut Rng, adg: &Adg) -> Adg {
    let mut adg = adg.clone();
    let tiles = adg.tiles.len();
    for at in (0..tiles).map(Some).chain([None]) {
        let mut wires: Vec<(usize, u32)> = Vec::new();
        let share = 10 + rng.below(70) as u32;
        let body = body_of(&mut adg, at).clone();
        for (c, wire) in body.connections.iter().enumerate() {
            // A tile's own ports stay behind registers.
            let inner = |end: End| at.is_none() || matches!(end, End::Instance { .. });
            let may = inner(wire.from) && inner(wire.to) && rng.chance(share);
            if let Some(width) = plain(&adg, &body, wire).filter(|_| may) {
                wires.push((c, width));
            }
        }
        rng.shuffle(&mut wires);
        // A switch has one type.
        wires.sort_by_key(|wire| wire.1);
        while !wires.is_empty() {
            let width = wires[0].1;
            let same = wires.iter().take_while(|wire| wire.1 == width).count();
            let count = same.min(1 + rng.below(TOGETHER));
            let group: Vec<usize> = wires.drain(..count).map(|wire| wire.0).collect();
            lead(rng, &mut adg, at, &group, width);
        }
    }
    adg
}

/// The top level, or a tile.
fn body_of(adg: &mut Adg, at: Option<usize>) -> &mut Body {
    match at {
        None => &mut adg.top,
        Some(tile) => &mut adg.tiles[tile].body,
    }
}

/// The width of an untagged wire between components, or between one and a port of the body.
fn plain(adg: &Adg, body: &Body, wire: &Connection) -> Option<u32> {
    let ty = |end: End, source: bool| match end {
        End::Body(k) => Some(if source { body.inputs[k].ty } else { body.outputs[k].ty }),
        End::Instance { instance, port } => match body.instances[instance].of {
            Of::Component(d) => {
                let component = &adg.definitions[d].component;
                Some(if source { component.outputs()[port] } else { component.inputs()[port] })
            }
            Of::Tile(_) => None,
        },
    };
    let (from, to) = (ty(wire.from, true)?, ty(wire.to, false)?);
    (!from.is_tagged() && !to.is_tagged()).then_some(from.width)
}

/// Leads wires of one width by one temporal switch of their own.
fn lead(rng: &mut Rng, adg: &mut Adg, at: Option<usize>, group: &[usize], width: u32) {
    let number = adg.definitions.len();
    let mut define = |name: &str, component: Component| {
        adg.definitions.push(Definition { name: format!("{name}_{number}"), component });
        adg.definitions.len() - 1
    };
    let (tag, behind) = (1 + rng.below(4) as u32, 1 + rng.below(3) as u32);
    let mapped = rng.chance(50);
    let (inputs, outputs) = (group.len(), group.len());
    // Every wire has its way; others are there or not.
    let way = |o: usize, i: usize, rng: &mut Rng| o == i || rng.chance(70);
    let table = (0..outputs).map(|o| (0..inputs).map(|i| way(o, i, rng)).collect()).collect();
    let ty = ChannelType::tagged(width, tag);
    let (add, hub) = (
        define("add", Component::AddTag(AddTag { width, tag })),
        define(
            "hub",
            Component::TemporalSw(TemporalSw {
                ty,
                inputs,
                outputs,
                connectivity: table,
                num_route_table: 1 + rng.below(4),
            }),
        ),
    );
    let kind = if rng.chance(30) { FifoKind::Bypassable } else { FifoKind::Registered };
    let wait =
        define("wait", Component::Fifo(Fifo { ty, depth: 1 + rng.below(9), kind: FifoKind::Registered }));
    let more = define("more", Component::Fifo(Fifo { ty, depth: 1 + rng.below(3), kind }));
    let map = MapTag { width, tag_in: tag, tag_out: behind, table_size: 1 + rng.below(3) };
    let chain = match mapped {
        false => vec![wait, more, define("del", Component::DelTag(DelTag { width, tag }))],
        true => {
            let map = define("map", Component::MapTag(map));
            vec![wait, more, map, define("del", Component::DelTag(DelTag { width, tag: behind }))]
        }
    };
    let names: Vec<String> = adg.definitions.iter().map(|d| d.name.clone()).collect();
    let body = body_of(adg, at);
    let mut instance = |of: usize| {
        let name = format!("{}_{}", names[of], body.instances.len());
        body.instances.push(Instance { name, of: Of::Component(of), position: None });
        End::Instance { instance: body.instances.len() - 1, port: 0 }
    };
    let hub = instance(hub);
    let chains: Vec<(End, Vec<End>)> =
        (group.iter()).map(|_| (instance(add), chain.iter().map(|&of| instance(of)).collect())).collect();
    for (port, (&wire, (add, chain))) in group.iter().zip(chains).enumerate() {
        let End::Instance { instance, .. } = hub else { continue };
        let hub = End::Instance { instance, port };
        let to = body.connections[wire].to;
        body.connections[wire].to = add;
        body.connections.push(Connection { from: add, to: hub });
        let mut last = hub;
        for next in chain.into_iter().chain([to]) {
            body.connections.push(Connection { from: last, to: next });
            last = next;
        }
    }
}
