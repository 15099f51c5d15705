//! The floor plan: where tiles, their parts and their wires are drawn.
//!
//! In a tile the widest switch is an upright bar. PEs stand to its right, one row for each rank; memory interfaces, loops of
//! FIFOs and what else there is stand to its left. Each wire between switch and part has a lane of its own in the gap between two
//! rows, so wires cross but never cover each other. Links leave at the same place on opposite edges, so they run straight from tile
//! to tile. Guarantees: every part of a legal architecture has a place; no two of a tile overlap.
//!
//! This file and `fabric.rs` name each other: that has the shape of the published data, which is one, places and all, and fills it here.

use crate::fabric::{end, Extent, PartView, Rect, Spot, TileView, WireView};
use crate::rank::{hub, ranks};
use loom_adg::model::{Adg, Body, Component, End, Of};
use std::collections::{BTreeMap, BTreeSet};

/// Between two wires.
const LANE: i32 = 4;
/// Around rows.
const GAP: i32 = 8;
/// Height of the edge above and below the bar, with the FIFOs of links.
const EDGE: i32 = 38;
/// Between tiles.
const STREET: i32 = 36;
/// Around the whole, with the ports of the boundary.
const MARGIN: i32 = 90;
/// Length of the wire of a boundary port.
const STUB: i32 = 34;

/// A planned fabric.
pub(crate) struct Floor {
    pub size: Extent,
    /// Those of the architecture, then definitions that stand alone.
    pub tiles: Vec<TileView>,
    /// Tile and upper left corner of each instance.
    pub instances: Vec<(usize, Spot)>,
    pub wires: Vec<WireView>,
    pub inputs: Vec<Spot>,
    pub outputs: Vec<Spot>,
}

/// What all tiles have in common, so that their links meet.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    /// Width left of the bar, of the bar, and right of it.
    left: i32,
    bar: i32,
    right: i32,
    /// Height of the band of links at the top of the bar.
    band: i32,
    height: i32,
}

impl Frame {
    fn width(&self) -> i32 {
        self.left + self.bar + self.right
    }

    fn bar_area(&self) -> Rect {
        Rect { x: self.left, y: EDGE, w: self.bar, h: self.height - 2 * EDGE }
    }
}

/// Plans a fabric.
pub(crate) fn plan(adg: &Adg) -> Floor {
    let mut frame = Frame { left: 40, bar: 60, right: 40, band: 0, height: 2 * EDGE + 60 };
    let sketches: Vec<Sketch> = adg.tiles.iter().map(|t| Sketch::new(adg, &t.body)).collect();
    for sketch in &sketches {
        let channels = sketch.channels as i32;
        frame.bar = frame.bar.max(4 * LANE * channels + 20);
        frame.band = frame.band.max(4 * LANE * channels + 2 * GAP);
        frame.left = frame.left.max(Sketch::width(&sketch.left) + 40);
        frame.right = frame.right.max(Sketch::width(&sketch.right) + 40);
    }
    for sketch in &sketches {
        let rows = Sketch::height(&sketch.left).max(Sketch::height(&sketch.right));
        frame.height = frame.height.max(2 * EDGE + frame.band + rows);
    }
    let named = adg.tiles.iter().zip(&sketches);
    let mut tiles: Vec<TileView> = named.map(|(t, s)| s.draw(adg, &t.name, &t.body, &frame)).collect();
    let mut alone = BTreeMap::new();
    for instance in &adg.top.instances {
        if let Of::Component(d) = instance.of {
            alone.entry(d).or_insert_with(|| {
                tiles.push(single(adg, d));
                tiles.len() - 1
            });
        }
    }
    let tile_of = |of: Of| match of {
        Of::Tile(t) => t,
        Of::Component(d) => alone[&d],
    };
    let used: Vec<usize> = adg.top.instances.iter().map(|i| tile_of(i.of)).collect();
    let cell = used.iter().fold(Extent::default(), |e, &t| {
        let s = tiles[t].size;
        Extent { w: e.w.max(s.w), h: e.h.max(s.h) }
    });
    let at = places(adg).into_iter().map(|(column, row)| Spot {
        x: MARGIN + column * (cell.w + STREET),
        y: MARGIN + row * (cell.h + STREET),
    });
    let instances: Vec<(usize, Spot)> = used.iter().copied().zip(at).collect();
    let (w, h) = instances.iter().fold((0, 0), |(w, h), (_, at)| (w.max(at.x), h.max(at.y)));
    let size = Extent { w: w + cell.w + MARGIN, h: h + cell.h + MARGIN };
    let mut floor =
        Floor { size, tiles, instances, wires: Vec::new(), inputs: Vec::new(), outputs: Vec::new() };
    floor.connect(adg);
    floor
}

/// Column and row of each instance: as the fabric says where it says so of all, else in a square.
fn places(adg: &Adg) -> Vec<(i32, i32)> {
    let all = &adg.top.instances;
    let said = beside_the_grid(adg);
    let mut distinct = said.clone();
    distinct.sort_unstable();
    distinct.dedup();
    // Far positions would leave the drawing empty.
    let near = said.iter().all(|&(c, r)| (0..=1024).contains(&c) && (0..=1024).contains(&r));
    if distinct.len() == all.len() && near {
        return said;
    }
    let side = (1..).find(|s| s * s >= all.len()).unwrap_or(1);
    (0..all.len()).map(|i| ((i % side) as i32, (i / side) as i32)).collect()
}

/// The positions that are said. A memory interface between tiles has the place of its first tile, which is taken: it is drawn in a row
/// below the grid.
fn beside_the_grid(adg: &Adg) -> Vec<(i32, i32)> {
    let all = &adg.top.instances;
    let said = || all.iter().filter_map(|i| i.position.map(|at| (i.of, at)));
    let tiles: BTreeSet<(i32, i32)> =
        said().filter(|(of, _)| matches!(of, Of::Tile(_))).map(|(_, at)| at).collect();
    let below = said().map(|(_, (_, row))| row).max().map_or(0, |row| row.saturating_add(1));
    let mut moved = 0;
    let place = |(of, at)| match of {
        Of::Component(_) if tiles.contains(&at) => {
            moved += 1;
            (moved - 1, below)
        }
        _ => at,
    };
    said().map(place).collect()
}

impl Floor {
    fn spot(&self, adg: &Adg, at: End, source: bool) -> Option<Spot> {
        let End::Instance { instance, port } = at else { return None };
        let (tile, corner) = *self.instances.get(instance)?;
        debug_assert!(instance < adg.top.instances.len());
        let ports = if source { &self.tiles[tile].outputs } else { &self.tiles[tile].inputs };
        let spot = ports.get(port)?;
        Some(Spot { x: corner.x + spot.x, y: corner.y + spot.y })
    }

    /// Wires of the top level, and the places of the boundary's ports.
    fn connect(&mut self, adg: &Adg) {
        let top = &adg.top;
        let spread = |count: usize, k: usize| {
            MARGIN + (self.size.h - 2 * MARGIN) * (2 * k as i32 + 1) / (2 * count.max(1) as i32)
        };
        let mut inputs: Vec<Spot> = (0..top.inputs.len())
            .map(|k| Spot { x: MARGIN - STUB, y: spread(top.inputs.len(), k) })
            .collect();
        let right = self.size.w - MARGIN + STUB;
        let mut outputs: Vec<Spot> =
            (0..top.outputs.len()).map(|k| Spot { x: right, y: spread(top.outputs.len(), k) }).collect();
        for c in &top.connections {
            let (from, to) = (self.spot(adg, c.from, true), self.spot(adg, c.to, false));
            match (c.from, c.to) {
                (End::Body(k), _) => inputs[k] = to.and_then(|s| self.outside(s)).unwrap_or(inputs[k]),
                (_, End::Body(k)) => outputs[k] = from.and_then(|s| self.outside(s)).unwrap_or(outputs[k]),
                _ => {}
            }
            let port = |at: End, known: &[Spot]| match at {
                End::Body(k) => known[k],
                End::Instance { .. } => Spot::default(),
            };
            let from = from.unwrap_or_else(|| port(c.from, &inputs));
            let to = to.unwrap_or_else(|| port(c.to, &outputs));
            self.wires.push(WireView { from: end(c.from), to: end(c.to), points: line(from, to) });
        }
        (self.inputs, self.outputs) = (inputs, outputs);
    }

    /// A little beyond the fabric's edge; none for what is not on it.
    fn outside(&self, s: Spot) -> Option<Spot> {
        let (right, low) = (self.size.w - MARGIN, self.size.h - MARGIN);
        match () {
            () if s.y == MARGIN => Some(Spot { y: MARGIN - STUB, ..s }),
            () if s.y == low => Some(Spot { y: low + STUB, ..s }),
            () if s.x == MARGIN => Some(Spot { x: MARGIN - STUB, ..s }),
            () if s.x == right => Some(Spot { x: right + STUB, ..s }),
            () => None,
        }
    }
}

/// A straight line, or one with two bends half way.
fn line(a: Spot, b: Spot) -> Vec<Spot> {
    if a.x == b.x || a.y == b.y {
        return vec![a, b];
    }
    let x = (a.x + b.x) / 2;
    vec![a, Spot { x, y: a.y }, Spot { x, y: b.y }, b]
}

/// Edges of a tile, as the names of its ports begin.
const SIDES: [char; 4] = ['n', 'e', 's', 'w'];

/// What a tile's port is: a side and a number where it is a link's.
fn link(name: &str, way: &str) -> Option<(usize, usize)> {
    let (side, number) = name.split_once(way)?;
    let side = SIDES.iter().position(|&s| side.len() == 2 && side.starts_with(s) && side.ends_with('_'))?;
    Some((side, number.parse().ok()?))
}

/// A part of a row: its number in the tile and its size.
#[derive(Clone, Debug)]
struct Standing {
    part: usize,
    size: Extent,
    inputs: usize,
    outputs: usize,
}

/// A tile sorted into rows.
struct Sketch {
    hub: Option<usize>,
    ranks: Vec<Option<usize>>,
    /// FIFOs of links with side and number.
    links: Vec<(usize, usize, usize)>,
    channels: usize,
    left: Vec<Vec<Standing>>,
    right: Vec<Vec<Standing>>,
}

/// Most parts in a row.
const MOST: usize = 4;

impl Sketch {
    fn new(adg: &Adg, body: &Body) -> Sketch {
        let hub = hub(adg, body);
        let ranks = ranks(adg, body, hub);
        let ends = body
            .inputs
            .iter()
            .map(|p| link(&p.name, "in"))
            .chain(body.outputs.iter().map(|p| link(&p.name, "out")));
        let channels = ends.flatten().map(|(_, k)| k + 1).max().unwrap_or(0);
        let mut links = Vec::new();
        for c in &body.connections {
            let (End::Body(k), End::Instance { instance, .. }) = (c.from, c.to) else { continue };
            let is_fifo = matches!(component(adg, body, instance), Some(Component::Fifo(_)));
            if let (true, Some((side, number))) = (is_fifo, link(&body.inputs[k].name, "in")) {
                links.push((instance, side, number));
            }
        }
        let (mut left, mut right): (Vec<Vec<Standing>>, BTreeMap<usize, Vec<Standing>>) = Default::default();
        let mut small: Vec<Standing> = Vec::new();
        for (part, rank) in ranks.iter().enumerate() {
            let Some(c) = component(adg, body, part) else { continue };
            if Some(part) == hub || links.iter().any(|l| l.0 == part) {
                continue;
            }
            let (inputs, outputs) = (c.inputs().len(), c.outputs().len());
            let ports = inputs.max(outputs) as i32;
            let (w, h) = match c {
                Component::SpatialPe(_) => (74.max(12 * ports), 44),
                Component::Memory(_) => (120.max(14 * ports), 48),
                Component::Fifo(_) => (40, 26),
                _ => (42.max(10 * ports), 26),
            };
            let standing = Standing { part, size: Extent { w, h }, inputs, outputs };
            match c {
                Component::SpatialPe(_) => right.entry(rank.unwrap_or(0)).or_default().push(standing),
                Component::Memory(_) => left.push(vec![standing]),
                _ => small.push(standing),
            }
        }
        left.extend(small.chunks(MOST).map(<[Standing]>::to_vec));
        let right = right
            .into_values()
            .flat_map(|row| row.chunks(MOST).map(<[Standing]>::to_vec).collect::<Vec<_>>());
        Sketch { hub, ranks, links, channels, left, right: right.collect() }
    }

    fn width(rows: &[Vec<Standing>]) -> i32 {
        let wide = |row: &Vec<Standing>| row.iter().map(|s| s.size.w + GAP).sum::<i32>();
        rows.iter().map(wide).max().unwrap_or(0)
    }

    fn height(rows: &[Vec<Standing>]) -> i32 {
        rows.iter().map(|row| Sketch::above(row) + Sketch::tall(row) + Sketch::below(row)).sum()
    }

    fn above(row: &[Standing]) -> i32 {
        row.iter().map(|s| s.inputs as i32).sum::<i32>() * LANE + GAP
    }

    fn below(row: &[Standing]) -> i32 {
        row.iter().map(|s| s.outputs as i32).sum::<i32>() * LANE + GAP
    }

    fn tall(row: &[Standing]) -> i32 {
        row.iter().map(|s| s.size.h).max().unwrap_or(0)
    }

    fn draw(&self, adg: &Adg, name: &str, body: &Body, frame: &Frame) -> TileView {
        let mut parts: Vec<PartView> = (0..body.instances.len())
            .map(|i| {
                let definition = match body.instances[i].of {
                    Of::Component(d) | Of::Tile(d) => d,
                };
                let c = &adg.definitions[definition].component;
                PartView {
                    name: body.instances[i].name.clone(),
                    definition,
                    rank: self.ranks[i],
                    area: Rect::default(),
                    inputs: vec![Spot::default(); c.inputs().len()],
                    outputs: vec![Spot::default(); c.outputs().len()],
                }
            })
            .collect();
        let size = Extent { w: frame.width(), h: frame.height };
        let bar = frame.bar_area();
        if let Some(hub) = self.hub {
            parts[hub].area = bar;
            let corner = Spot { x: bar.x + bar.w / 2, y: bar.y + bar.h };
            parts[hub].inputs.fill(corner);
            parts[hub].outputs.fill(corner);
        }
        let (inputs, outputs) = edges(body, frame);
        for &(part, side, number) in &self.links {
            place_link(&mut parts[part], side, link_spot(frame, side, number, true));
        }
        let mut lanes = BTreeMap::new();
        rows(&self.right, &mut parts, bar.x + bar.w + 24, bar.y + frame.band, &mut lanes);
        let left = bar.x - 16 - Sketch::width(&self.left);
        rows(&self.left, &mut parts, left, bar.y + frame.band, &mut lanes);
        let mut tile = TileView { name: name.into(), size, parts, wires: Vec::new(), inputs, outputs };
        self.wire(&mut tile, body, &lanes);
        tile
    }

    fn wire(&self, tile: &mut TileView, body: &Body, lanes: &Lanes) {
        let bar = self.hub.map(|h| tile.parts[h].area).unwrap_or_default();
        let is_hub = |e: End| matches!(e, End::Instance { instance, .. } if Some(instance) == self.hub);
        for c in &body.connections {
            let (from, to) = (is_hub(c.from), is_hub(c.to));
            // The switch's port is where the other end's lane meets it.
            let (other, source) = if from { (c.to, false) } else { (c.from, true) };
            let there = tile_spot(tile, other, source);
            if from || to {
                let lane = lanes.get(&(other_key(other), source)).copied();
                let x = if there.x < bar.x { bar.x } else { bar.x + bar.w };
                let here = match (other, lane) {
                    (End::Instance { .. }, Some(y)) => Spot { x, y },
                    // Links go straight in.
                    _ if there.y <= bar.y || there.y >= bar.y + bar.h => {
                        let y = if there.y <= bar.y { bar.y } else { bar.y + bar.h };
                        Spot { x: there.x.clamp(bar.x, bar.x + bar.w), y }
                    }
                    _ => Spot { x, y: there.y },
                };
                let End::Instance { instance, port } = (if from { c.from } else { c.to }) else { continue };
                let part = &mut tile.parts[instance];
                let ports = if from { &mut part.outputs } else { &mut part.inputs };
                ports[port] = here;
            }
            let (a, b) = (tile_spot(tile, c.from, true), tile_spot(tile, c.to, false));
            let mut points = match (from, to) {
                (true, false) => vec![a, Spot { x: b.x, y: a.y }, b],
                (false, true) => vec![a, Spot { x: a.x, y: b.y }, b],
                _ => vec![a, Spot { x: a.x, y: (a.y + b.y) / 2 }, Spot { x: b.x, y: (a.y + b.y) / 2 }, b],
            };
            points.dedup();
            tile.wires.push(WireView { from: end(c.from), to: end(c.to), points });
        }
    }
}

/// By part and port, and whether it is the wire's source: the height of the lane between it and the switch.
type Lanes = BTreeMap<((usize, usize), bool), i32>;

fn other_key(at: End) -> (usize, usize) {
    match at {
        End::Body(port) => (usize::MAX, port),
        End::Instance { instance, port } => (instance, port),
    }
}

fn tile_spot(tile: &TileView, at: End, source: bool) -> Spot {
    match at {
        End::Body(k) if source => tile.inputs[k],
        End::Body(k) => tile.outputs[k],
        End::Instance { instance, port } if source => tile.parts[instance].outputs[port],
        End::Instance { instance, port } => tile.parts[instance].inputs[port],
    }
}

fn component<'a>(adg: &'a Adg, body: &Body, part: usize) -> Option<&'a Component> {
    match body.instances.get(part)?.of {
        Of::Component(d) => Some(&adg.definitions.get(d)?.component),
        Of::Tile(_) => None,
    }
}

/// Places rows below each other, inputs of a part on its upper side and outputs on its lower one.
fn rows(rows: &[Vec<Standing>], parts: &mut [PartView], left: i32, top: i32, lanes: &mut Lanes) {
    let mut y = top;
    for row in rows {
        let mut lane = y + GAP / 2;
        y += Sketch::above(row);
        let (mut x, mut below) = (left, y + Sketch::tall(row) + GAP / 2 + LANE);
        for s in row {
            let part = &mut parts[s.part];
            part.area = Rect { x, y, w: s.size.w, h: s.size.h };
            let across = |k: usize, n: usize| x + s.size.w * (2 * k as i32 + 1) / (2 * n as i32);
            for k in 0..s.inputs {
                part.inputs[k] = Spot { x: across(k, s.inputs), y };
                lanes.insert(((s.part, k), false), lane);
                lane += LANE;
            }
            for k in 0..s.outputs {
                part.outputs[k] = Spot { x: across(k, s.outputs), y: y + s.size.h };
                lanes.insert(((s.part, k), true), below);
                below += LANE;
            }
            x += s.size.w + GAP;
        }
        y += Sketch::tall(row) + Sketch::below(row);
    }
}

/// Where a link crosses the tile's edge: what leaves one tile is where the next one takes it.
fn link_spot(frame: &Frame, side: usize, number: usize, incoming: bool) -> Spot {
    let bar = frame.bar_area();
    // Going south and going east come first.
    let first = incoming == matches!(SIDES[side], 'n' | 'w');
    let along = 10 + LANE + 2 * LANE * (2 * number as i32 + i32::from(!first));
    match SIDES[side] {
        'n' => Spot { x: bar.x + along, y: 0 },
        's' => Spot { x: bar.x + along, y: frame.height },
        'w' => Spot { x: 0, y: bar.y + along },
        _ => Spot { x: frame.width(), y: bar.y + along },
    }
}

/// The tile's ports on its edges; those that are no links one below the other.
fn edges(body: &Body, frame: &Frame) -> (Vec<Spot>, Vec<Spot>) {
    let side = |ports: &[loom_adg::model::Port], way: &str, incoming: bool| {
        let one = |(k, p): (usize, &loom_adg::model::Port)| match link(&p.name, way) {
            Some((side, number)) => link_spot(frame, side, number, incoming),
            None => Spot {
                x: if incoming { 0 } else { frame.width() },
                y: EDGE + (frame.height - 2 * EDGE) * (2 * k as i32 + 1) / (2 * ports.len() as i32),
            },
        };
        ports.iter().enumerate().map(one).collect()
    };
    (side(&body.inputs, "in", true), side(&body.outputs, "out", false))
}

/// A link's FIFO just inside the edge.
fn place_link(part: &mut PartView, side: usize, at: Spot) {
    let (long, wide, off) = (20, 8, 10);
    let (area, enters, leaves) = match SIDES[side] {
        'n' => ((at.x - wide / 2, off, wide, long), (at.x, off), (at.x, off + long)),
        's' => {
            ((at.x - wide / 2, at.y - off - long, wide, long), (at.x, at.y - off), (at.x, at.y - off - long))
        }
        'w' => ((off, at.y - wide / 2, long, wide), (off, at.y), (off + long, at.y)),
        _ => {
            ((at.x - off - long, at.y - wide / 2, long, wide), (at.x - off, at.y), (at.x - off - long, at.y))
        }
    };
    part.area = Rect { x: area.0, y: area.1, w: area.2, h: area.3 };
    part.inputs.fill(Spot { x: enters.0, y: enters.1 });
    part.outputs.fill(Spot { x: leaves.0, y: leaves.1 });
}

/// A component that stands alone, as a tile of one part with the same ports.
fn single(adg: &Adg, definition: usize) -> TileView {
    let d = &adg.definitions[definition];
    let (ins, outs) = (d.component.inputs().len(), d.component.outputs().len());
    let h = 40.max(14 * ins.max(outs) as i32);
    let area = Rect { x: 20, y: 20, w: 90, h };
    let spots = |n: usize, x: i32| -> Vec<Spot> {
        (0..n).map(|k| Spot { x, y: 20 + h * (2 * k as i32 + 1) / (2 * n as i32) }).collect()
    };
    let (inputs, outputs) = (spots(ins, area.x), spots(outs, area.x + area.w));
    let part = |port| End::Instance { instance: 0, port };
    let size = Extent { w: area.w + 40, h: h + 40 };
    let edge = |spots: &[Spot], x: i32| spots.iter().map(|s| Spot { x, ..*s }).collect::<Vec<_>>();
    let (left, right) = (edge(&inputs, 0), edge(&outputs, size.w));
    let into = (0..ins).map(|k| WireView {
        from: end(End::Body(k)),
        to: end(part(k)),
        points: vec![left[k], inputs[k]],
    });
    let out = (0..outs).map(|k| WireView {
        from: end(part(k)),
        to: end(End::Body(k)),
        points: vec![outputs[k], right[k]],
    });
    TileView {
        name: d.name.clone(),
        size,
        wires: into.chain(out).collect(),
        parts: vec![PartView { name: String::new(), definition, rank: None, area, inputs, outputs }],
        inputs: left,
        outputs: right,
    }
}
