//! Straight lines of a mesh: how a link goes on, through one tile after the other, to the fabric's edge.
//!
//! Guarantees: what a line passes carries the link's type all the way, and two lines of one direction share no component's port.
//! Gives none where a tile has no link opposite to the one that comes in, or does not lead straight on: links that lead over tiles
//! turn round at the edge, and explicit tiles are made in any way.

use crate::flat::ComponentId;
use crate::model::{Adg, Body, ChannelType, Component, Connection, End, Of, Port};
use crate::topology::DIRECTIONS;
use crate::Fabric;

/// A component that a line passes, with the ports by which it enters and leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedComponent {
    /// The switch or FIFO.
    pub component: ComponentId,
    /// Where it enters.
    pub input: usize,
    /// Where it leaves.
    pub output: usize,
}

/// A link at a tile: its side, as an index into [`DIRECTIONS`], and its number there.
pub(crate) type Link = (usize, usize);

/// The link that a tile's port is, by its name.
pub(crate) fn link(port: &Port) -> Option<Link> {
    let side = DIRECTIONS.iter().position(|&d| port.name.starts_with(d))?;
    let rest = port.name[1..].strip_prefix("_in").or_else(|| port.name[1..].strip_prefix("_out"))?;
    Some((side, rest.parse().ok()?))
}

/// The lines of a fabric.
pub(crate) struct Lines<'a> {
    adg: &'a Adg,
    /// By top-level instance: its first component.
    first: Vec<u32>,
}

impl<'a> Lines<'a> {
    pub fn new(fabric: &'a Fabric) -> Lines<'a> {
        let adg = fabric.adg();
        let mut first = vec![u32::MAX; adg.top.instances.len()];
        for id in fabric.flat().ids() {
            let first = &mut first[fabric.flat().at(id).top_instance];
            *first = id.0.min(*first);
        }
        Lines { adg, first }
    }

    /// The body of the tile that an instance is.
    fn tile(&self, instance: usize) -> Option<&'a Body> {
        match self.adg.top.instances[instance].of {
            Of::Tile(tile) => Some(&self.adg.tiles[tile].body),
            Of::Component(_) => None,
        }
    }

    /// The link behind a port of an instance, with its type.
    pub fn link_at(&self, (instance, port): (usize, usize), is_input: bool) -> Option<(Link, ChannelType)> {
        let body = self.tile(instance)?;
        let port = if is_input { &body.inputs[port] } else { &body.outputs[port] };
        Some((link(port)?, port.ty))
    }

    /// What a line passes from an output of a tile to an output of the fabric, or from an input of the fabric to an input of
    /// a tile; with the port of the fabric.
    pub fn to_edge(&self, from: (usize, usize), inwards: bool) -> Option<(usize, Vec<PassedComponent>)> {
        let ((side, number), ty) = self.link_at(from, inwards)?;
        let (mut at, mut passed) = (from, Vec::new());
        loop {
            let next = match inwards {
                true => self.adg.top.connections.iter().find(|c| is_at(c.to, at)).map(|c| c.from),
                false => self.adg.top.connections.iter().find(|c| is_at(c.from, at)).map(|c| c.to),
            };
            let (instance, port) = match next? {
                End::Body(k) => {
                    let ports = if inwards { &self.adg.top.inputs } else { &self.adg.top.outputs };
                    return (ports[k].ty == ty).then_some((k, passed));
                }
                End::Instance { instance, port } => (instance, port),
            };
            // Into the tile by the side that looks back, out of it by the one that looks on.
            if self.link_at((instance, port), !inwards)? != (((side + 2) % 4, number), ty) {
                return None;
            }
            let body = self.tile(instance)?;
            let ports = if inwards { &body.inputs } else { &body.outputs };
            let on = ports.iter().position(|p| link(p) == Some((side, number)) && p.ty == ty)?;
            let (enters, leaves) = if inwards { (on, port) } else { (port, on) };
            passed.extend(self.through(instance, body, enters, leaves)?);
            at = (instance, on);
        }
    }

    /// What lies in a tile between an input and an output: FIFOs, and then a switch.
    fn through(
        &self,
        instance: usize,
        body: &Body,
        input: usize,
        output: usize,
    ) -> Option<Vec<PassedComponent>> {
        let sink = |from: End| body.connections.iter().find(|c: &&Connection| c.from == from).map(|c| c.to);
        let source = body.connections.iter().find(|c| c.to == End::Body(output))?.from;
        let (mut at, mut passed) = (sink(End::Body(input))?, Vec::new());
        while let End::Instance { instance: inner, port: input } = at {
            let Of::Component(definition) = body.instances[inner].of else { return None };
            let component = ComponentId(self.first[instance] + inner as u32);
            match &self.adg.definitions[definition].component {
                Component::Fifo(_) if passed.len() < body.instances.len() => {
                    passed.push(PassedComponent { component, input, output: 0 });
                    at = sink(End::Instance { instance: inner, port: 0 })?;
                }
                Component::SpatialSw(sw) => {
                    let End::Instance { instance: last, port: output } = source else { return None };
                    passed.push(PassedComponent { component, input, output });
                    let passes = sw.connectivity[output][input] && sw.passes_whole(input, output);
                    return (last == inner && passes).then_some(passed);
                }
                _ => return None,
            }
        }
        None
    }
}

fn is_at(end: End, (instance, port): (usize, usize)) -> bool {
    end == End::Instance { instance, port }
}
