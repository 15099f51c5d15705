//! Random bodies: components, joined at random so that every structural loop is cut.
//!
//! Guarantees: legal by construction. A channel that a register cuts at one end is free. Any other has a level, and a component leads
//! from lower levels to higher ones only: one that is no switch stands at its own number, takes from lower numbers and gives at its own;
//! a switch has no crosspoint that leads to the same level or down. So no chain of valids or readies closes (H5). A connection of
//! a tile is registered at one end (H6).

use super::parts;
use loom_adg::model::*;
use loom_base::Rng;

/// The boundary of a body.
#[derive(Clone, Copy)]
pub(super) enum Boundary {
    /// Ports of the fabric, as many as come to be, of at most 64 bits: more the native model does not carry.
    Fabric,
    /// Ports of a tile at the top level.
    Tile,
    /// Links of a tile in a mesh: so many channels each way, of a width.
    Links(usize, u32),
}

/// A connection between two instances while the body grows.
struct Channel {
    from: (usize, usize),
    to: (usize, usize),
    /// `None` where a register cuts it.
    level: Option<f64>,
}

/// A body under construction.
struct Growing<'a> {
    adg: &'a mut Adg,
    prefix: String,
    body: Body,
    channels: Vec<Channel>,
    /// Definitions from this one on are this body's own.
    first: usize,
    boundary: Boundary,
}

/// Draws a body of so many components beside the tiles that are to stand in it.
pub(super) fn draw(
    rng: &mut Rng,
    adg: &mut Adg,
    prefix: &str,
    components: usize,
    tiles: &[usize],
    boundary: Boundary,
) -> Body {
    let first = adg.definitions.len();
    let mut g =
        Growing { adg, prefix: prefix.into(), body: Body::default(), channels: Vec::new(), first, boundary };
    let links = g.links(rng);
    g.instances(rng, components, tiles);
    g.connect(rng);
    g.crosspoints(rng);
    g.ports(rng, links);
    let channels = g.channels.iter().map(|c| Connection {
        from: End::Instance { instance: c.from.0, port: c.from.1 },
        to: End::Instance { instance: c.to.0, port: c.to.1 },
    });
    g.body.connections.extend(channels);
    rng.shuffle(&mut g.body.connections);
    g.body
}

fn plain_fifo(c: &Component) -> bool {
    matches!(c, Component::Fifo(f) if !f.can_pass())
}

fn is_switch(c: &Component) -> bool {
    matches!(c, Component::SpatialSw(_) | Component::TemporalSw(_))
}

/// Whether nothing passes through it within a cycle.
fn cuts(c: &Component) -> bool {
    plain_fifo(c)
        || matches!(c, Component::Memory(_))
        || matches!(c, Component::SpatialPe(pe) if pe.is_buffered())
}

impl Growing<'_> {
    fn component(&self, instance: usize) -> Option<&Component> {
        match self.body.instances[instance].of {
            Of::Component(d) => Some(&self.adg.definitions[d].component),
            Of::Tile(_) => None,
        }
    }

    fn types(&self, instance: usize, source: bool) -> Vec<ChannelType> {
        match self.body.instances[instance].of {
            Of::Component(d) => {
                let c = &self.adg.definitions[d].component;
                if source {
                    c.outputs()
                } else {
                    c.inputs()
                }
            }
            Of::Tile(t) => {
                let inner = &self.adg.tiles[t].body;
                (if source { &inner.outputs } else { &inner.inputs }).iter().map(|p| p.ty).collect()
            }
        }
    }

    /// Whether a register stands at this end, as H6 asks.
    fn registered(&self, instance: usize, port: usize, source: bool) -> bool {
        match self.body.instances[instance].of {
            Of::Component(d) => {
                let c = &self.adg.definitions[d].component;
                cuts(c) && (source || !matches!(c, Component::SpatialPe(_)))
            }
            Of::Tile(t) => {
                let tile = &self.adg.tiles[t].body;
                let own = |c: &Connection| if source { c.to } else { c.from } == End::Body(port);
                let Some(inner) = tile.connections.iter().find(|c| own(c)) else { return true };
                let end = if source { inner.from } else { inner.to };
                let End::Instance { instance, .. } = end else { return false };
                let Of::Component(d) = tile.instances[instance].of else { return false };
                let c = &self.adg.definitions[d].component;
                cuts(c) && (source || !matches!(c, Component::SpatialPe(_)))
            }
        }
    }

    fn add(&mut self, rng: &mut Rng, name: String, of: Of) -> usize {
        let top = matches!(self.boundary, Boundary::Fabric);
        let position = (top && rng.chance(40)).then(|| (rng.between(-3, 9) as i32, rng.between(0, 9) as i32));
        self.body.instances.push(Instance { name, of, position });
        self.body.instances.len() - 1
    }

    fn define(&mut self, component: Component) -> usize {
        let definitions = &mut self.adg.definitions;
        definitions.push(Definition { name: format!("{}d{}", self.prefix, definitions.len()), component });
        definitions.len() - 1
    }

    /// The ports of a mesh tile; every one that leads in leads into a FIFO. Gives how many instances that took.
    fn links(&mut self, rng: &mut Rng) -> usize {
        let Boundary::Links(channels, width) = self.boundary else { return 0 };
        let ty = ChannelType::bits(width);
        let fifo = Fifo { ty, depth: 1 + rng.below(4), kind: FifoKind::Registered };
        let fifo = self.define(Component::Fifo(fifo));
        for direction in loom_adg::topology::DIRECTIONS {
            for channel in 0..channels {
                let name = format!("link_{direction}{channel}");
                self.body.instances.push(Instance { name, of: Of::Component(fifo), position: None });
                let instance = self.body.instances.len() - 1;
                let from = End::Body(self.body.inputs.len());
                self.body.inputs.push(Port { name: format!("{direction}_in{channel}"), ty });
                self.body.outputs.push(Port { name: format!("{direction}_out{channel}"), ty });
                self.body.connections.push(Connection { from, to: End::Instance { instance, port: 0 } });
            }
        }
        self.body.instances.len()
    }

    fn instances(&mut self, rng: &mut Rng, components: usize, tiles: &[usize]) {
        for &tile in tiles {
            let name = format!("{}t{}", self.prefix, self.body.instances.len());
            self.add(rng, name, Of::Tile(tile));
        }
        for _ in 0..components {
            let index_width = self.adg.index_width;
            let known = self.adg.definitions.len();
            // A switch's table is made for all its instances in one body.
            let again = rng.chance(25) && known > 0;
            let reusable: Vec<usize> = (0..known)
                .filter(|&d| d >= self.first || !is_switch(&self.adg.definitions[d].component))
                .collect();
            let definition = if again && !reusable.is_empty() {
                *rng.pick(&reusable)
            } else {
                let name = format!("{}f{known}", self.prefix);
                let component = parts::component(rng, &name, index_width);
                self.define(component)
            };
            let name = format!("{}c{}", self.prefix, self.body.instances.len());
            self.add(rng, name, Of::Component(definition));
        }
    }

    /// The level of a channel that may be made; `None` where it may not.
    fn level(&self, rng: &mut Rng, from: (usize, usize), to: (usize, usize)) -> Option<Option<f64>> {
        let (a, b) = (from.0, to.0);
        let (Some(x), Some(y)) = (self.component(a), self.component(b)) else {
            let cut = self.registered(a, from.1, true) || self.registered(b, to.1, false);
            return cut.then_some(None);
        };
        if cuts(x) || cuts(y) {
            return Some(None);
        }
        let all = self.body.instances.len();
        match (is_switch(x), is_switch(y)) {
            (false, false) => (a < b).then_some(Some(a as f64)),
            (false, true) => Some(Some(a as f64)),
            (true, false) => Some(Some(b as f64 - 0.5)),
            (true, true) => Some(Some(rng.below(4 * all) as f64 / 4.0 + 0.1)),
        }
    }

    fn connect(&mut self, rng: &mut Rng) {
        let ends = |g: &Growing, source: bool| {
            let all = 0..g.body.instances.len();
            all.flat_map(|i| {
                g.types(i, source).into_iter().enumerate().map(move |(port, ty)| ((i, port), ty))
            })
            .collect::<Vec<_>>()
        };
        let (mut sources, mut sinks) = (ends(self, true), ends(self, false));
        let fed = |g: &Growing, at: (usize, usize)| {
            let end = End::Instance { instance: at.0, port: at.1 };
            g.body.connections.iter().any(|c| c.to == end)
        };
        sinks.retain(|(at, _)| !fed(self, *at));
        rng.shuffle(&mut sinks);
        for (to, ty) in sinks {
            if !rng.chance(78) {
                continue;
            }
            let mut choices = Vec::new();
            for (at, &(from, source)) in sources.iter().enumerate() {
                if source.is_tagged() == ty.is_tagged() {
                    choices.extend(self.level(rng, from, to).map(|level| (at, level, source)));
                }
            }
            // Of the same width rather: what is cut off says little.
            let same: Vec<_> = choices.iter().copied().filter(|(_, _, s)| s.width == ty.width).collect();
            let choices = if !same.is_empty() && rng.chance(60) { same } else { choices };
            if choices.is_empty() {
                continue;
            }
            let (at, level, _) = *rng.pick(&choices);
            let (from, _) = sources.swap_remove(at);
            self.channels.push(Channel { from, to, level });
        }
    }

    /// Crosspoints of a definition that close no loop, whatever its instances.
    fn allowed(&self, definition: usize) -> Vec<Vec<bool>> {
        let component = &self.adg.definitions[definition].component;
        let mut table = vec![vec![true; component.inputs().len()]; component.outputs().len()];
        let instances = self.body.instances.iter().enumerate();
        for (i, _) in instances.filter(|(_, n)| n.of == Of::Component(definition)) {
            let level = |at: (usize, usize), source: bool| {
                let own = |c: &&Channel| if source { c.from == at } else { c.to == at };
                self.channels.iter().find(own).and_then(|c| c.level)
            };
            for (o, row) in table.iter_mut().enumerate() {
                let out = level((i, o), true);
                for (k, cell) in row.iter_mut().enumerate() {
                    if let (Some(from), Some(to)) = (level((i, k), false), out) {
                        *cell &= from < to;
                    }
                }
            }
        }
        table
    }

    /// Draws the tables of this body's switches; a port that would have no crosspoint is taken off.
    fn crosspoints(&mut self, rng: &mut Rng) {
        for d in self.first..self.adg.definitions.len() {
            if !is_switch(&self.adg.definitions[d].component) {
                continue;
            }
            let of = |g: &Growing, i: usize| g.body.instances[i].of == Of::Component(d);
            let allowed = loop {
                let table = self.allowed(d);
                let row = table.iter().position(|row| !row.contains(&true));
                let column = (0..table[0].len()).find(|&i| table.iter().all(|row| !row[i]));
                let mut channels = std::mem::take(&mut self.channels);
                match (row, column) {
                    (Some(o), _) => channels.retain(|c| c.from.1 != o || !of(self, c.from.0)),
                    (None, Some(i)) => channels.retain(|c| c.to.1 != i || !of(self, c.to.0)),
                    (None, None) => {}
                }
                self.channels = channels;
                if row.is_none() && column.is_none() {
                    break table;
                }
            };
            let density = *rng.pick(&[100, 100, 70, 40]);
            let mut table: Vec<Vec<bool>> =
                allowed.iter().map(|row| row.iter().map(|&a| a && rng.chance(density)).collect()).collect();
            for o in 0..table.len() {
                if !table[o].contains(&true) {
                    let inputs: Vec<usize> = (0..table[o].len()).filter(|&i| allowed[o][i]).collect();
                    table[o][*rng.pick(&inputs)] = true;
                }
            }
            for i in 0..table[0].len() {
                if table.iter().all(|row| !row[i]) {
                    let outputs: Vec<usize> = (0..table.len()).filter(|&o| allowed[o][i]).collect();
                    table[*rng.pick(&outputs)][i] = true;
                }
            }
            match &mut self.adg.definitions[d].component {
                Component::SpatialSw(sw) => sw.connectivity = table,
                Component::TemporalSw(sw) => sw.connectivity = table,
                _ => unreachable!("a switch"),
            }
        }
    }

    /// Leads what is not connected to the boundary, most of it.
    fn ports(&mut self, rng: &mut Rng, links: usize) {
        let boundary = self.boundary;
        for source in [false, true] {
            for i in 0..self.body.instances.len() {
                for (port, ty) in self.types(i, source).into_iter().enumerate() {
                    let at = (i, port);
                    let used = self.channels.iter().any(|c| if source { c.from == at } else { c.to == at });
                    if used || (!source && i < links) || !rng.chance(92) {
                        continue;
                    }
                    let instance = End::Instance { instance: i, port };
                    if let Boundary::Links(..) = boundary {
                        self.link(rng, instance, ty, source);
                        continue;
                    }
                    let ports = if source { &mut self.body.outputs } else { &mut self.body.inputs };
                    let name = match (boundary, source) {
                        (Boundary::Fabric, true) => format!("out{}", ports.len()),
                        (Boundary::Fabric, false) => format!("in{}", ports.len()),
                        (_, true) => format!("q{}", ports.len()),
                        (_, false) => format!("p{}", ports.len()),
                    };
                    let width = if rng.chance(80) { ty.width } else { parts::width(rng) };
                    let tag = if ty.is_tagged() && rng.chance(20) { parts::tag(rng) } else { ty.tag };
                    let width = if let Boundary::Fabric = boundary { width.min(64) } else { width };
                    ports.push(Port { name, ty: ChannelType { width, tag } });
                    let body = End::Body(ports.len() - 1);
                    let (from, to) = if source { (instance, body) } else { (body, instance) };
                    self.body.connections.push(Connection { from, to });
                }
            }
        }
    }

    /// Leads an output to a link that is free. What leads in comes from the FIFOs alone.
    fn link(&mut self, rng: &mut Rng, from: End, ty: ChannelType, source: bool) {
        let taken = |k: usize| self.body.connections.iter().any(|c| c.to == End::Body(k));
        let free: Vec<usize> = (0..self.body.outputs.len()).filter(|&k| !taken(k)).collect();
        if source && !ty.is_tagged() && !free.is_empty() {
            let to = End::Body(*rng.pick(&free));
            self.body.connections.push(Connection { from, to });
        }
    }
}
