//! The flattened fabric: every component instance and every channel between two of them.
//!
//! The order of [`Flat::components`] is the top level's instance order, and inside a tile the tile's; the
//! configuration image, the hardware's unit numbers and all reports follow it.

use crate::model::{Adg, Body, ChannelType, Component, End, MemoryInterface, Of};

/// Index into [`Flat::components`]. Not the `error_unit` the hardware shows, which counts components with configuration
/// only: see [`crate::Fabric::unit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ComponentId(pub u32);

/// Index into [`Flat::channels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChannelId(pub u32);

/// A component instance.
#[derive(Clone, Debug)]
pub struct FlatComponent {
    /// `tile.instance`, or the instance's name at the top level.
    pub path: String,
    /// Index into [`Adg::definitions`].
    pub definition: usize,
    /// Index of the top-level instance it belongs to (itself, when it stands at the top level).
    pub top_instance: usize,
    /// Grid position of that top-level instance.
    pub position: (i32, i32),
    /// FlatChannel at each input port; `None` where nothing is connected (tied off: never valid).
    pub inputs: Vec<Option<ChannelId>>,
    /// FlatChannel at each output port; `None` where nothing is connected (tied off: never ready).
    pub outputs: Vec<Option<ChannelId>>,
}

/// Where a channel begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SourcePort {
    /// Fabric input `in<k>`.
    Boundary(usize),
    /// An output port.
    Port(ComponentId, usize),
}

/// Where a channel ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SinkPort {
    /// Fabric output `out<k>`.
    Boundary(usize),
    /// An input port.
    Port(ComponentId, usize),
}

/// A point-to-point channel.
#[derive(Clone, Copy, Debug)]
pub struct FlatChannel {
    /// Producer.
    pub source: SourcePort,
    /// Consumer.
    pub sink: SinkPort,
    /// Type at the producer.
    pub source_type: ChannelType,
    /// Type at the consumer: bits are aligned at the low end, truncated or zero-extended.
    pub sink_type: ChannelType,
}

/// A flattened fabric.
#[derive(Clone, Debug)]
pub struct Flat {
    /// Instances in flattened order.
    pub components: Vec<FlatComponent>,
    /// Channels, ordered by their sources: fabric inputs first, then components in order.
    pub channels: Vec<FlatChannel>,
    /// FlatChannel of each fabric input, `None` when it leads nowhere.
    pub inputs: Vec<Option<ChannelId>>,
    /// FlatChannel of each fabric output, `None` when nothing drives it.
    pub outputs: Vec<Option<ChannelId>>,
}

impl Flat {
    /// The component's hardware parameters.
    pub(crate) fn component<'a>(&self, adg: &'a Adg, id: ComponentId) -> &'a Component {
        &adg.definitions[self.components[id.0 as usize].definition].component
    }

    /// The component's record.
    pub fn at(&self, id: ComponentId) -> &FlatComponent {
        &self.components[id.0 as usize]
    }

    /// All ids, in order.
    pub fn ids(&self) -> impl Iterator<Item = ComponentId> {
        (0..self.components.len() as u32).map(ComponentId)
    }

    /// The channel's record.
    pub fn channel(&self, id: ChannelId) -> &FlatChannel {
        &self.channels[id.0 as usize]
    }

    /// The channel behind a source; none where it leads nowhere. Panics where the source is not there.
    pub fn channel_from(&self, source: SourcePort) -> Option<ChannelId> {
        match source {
            SourcePort::Boundary(k) => self.inputs[k],
            SourcePort::Port(id, port) => self.at(id).outputs[port],
        }
    }

    /// The memory interfaces, in order.
    pub(crate) fn memories<'a>(
        &'a self,
        adg: &'a Adg,
    ) -> impl Iterator<Item = (ComponentId, &'a MemoryInterface)> {
        self.ids().filter_map(|id| match self.component(adg, id) {
            Component::Memory(memory) => Some((id, memory)),
            _ => None,
        })
    }

    /// Flattens a legal architecture (see [`crate::legality`]); one with a dangling index panics. [`crate::Fabric`] keeps
    /// the result.
    pub(crate) fn new(adg: &Adg) -> Flat {
        let mut components = Vec::new();
        // first[i][j]: component of instance j of the tile at top instance i (j = 0 for a component).
        let mut first = Vec::new();
        for (top_instance, instance) in adg.top.instances.iter().enumerate() {
            let base = components.len();
            first.push(base);
            let position = instance.position.unwrap_or((0, 0));
            let mut add = |path: String, definition: usize| {
                let component = &adg.definitions[definition].component;
                components.push(FlatComponent {
                    path,
                    definition,
                    top_instance,
                    position,
                    inputs: vec![None; component.inputs().len()],
                    outputs: vec![None; component.outputs().len()],
                });
            };
            match instance.of {
                Of::Component(definition) => add(instance.name.clone(), definition),
                Of::Tile(tile) => {
                    for inner in &adg.tiles[tile].body.instances {
                        let Of::Component(definition) = inner.of else { panic!("a tile inside a tile") };
                        add(format!("{}.{}", instance.name, inner.name), definition);
                    }
                }
            }
        }

        // Where a body's port leads inside it, by tile: sink of each input, source of each output.
        let inner = |body: &Body| {
            let mut sinks = vec![None; body.inputs.len()];
            let mut sources = vec![None; body.outputs.len()];
            for c in &body.connections {
                if let End::Body(port) = c.from {
                    sinks[port] = Some(c.to);
                }
                if let End::Body(port) = c.to {
                    sources[port] = Some(c.from);
                }
            }
            (sinks, sources)
        };
        let through: Vec<_> = adg.tiles.iter().map(|t| inner(&t.body)).collect();

        let mut pairs: Vec<(SourcePort, SinkPort)> = Vec::new();
        for (top, instance) in adg.top.instances.iter().enumerate() {
            let Of::Tile(tile) = instance.of else { continue };
            for c in &adg.tiles[tile].body.connections {
                if let (End::Instance { instance: a, port: p }, End::Instance { instance: b, port: q }) =
                    (c.from, c.to)
                {
                    let id = |i: usize| ComponentId((first[top] + i) as u32);
                    pairs.push((SourcePort::Port(id(a), p), SinkPort::Port(id(b), q)));
                }
            }
        }
        for c in &adg.top.connections {
            let source = match c.from {
                End::Body(k) => Some(SourcePort::Boundary(k)),
                End::Instance { instance, port } => match adg.top.instances[instance].of {
                    Of::Component(_) => Some(SourcePort::Port(ComponentId(first[instance] as u32), port)),
                    Of::Tile(tile) => match through[tile].1[port] {
                        Some(End::Instance { instance: i, port: p }) => {
                            Some(SourcePort::Port(ComponentId((first[instance] + i) as u32), p))
                        }
                        _ => None,
                    },
                },
            };
            let sink = match c.to {
                End::Body(k) => Some(SinkPort::Boundary(k)),
                End::Instance { instance, port } => match adg.top.instances[instance].of {
                    Of::Component(_) => Some(SinkPort::Port(ComponentId(first[instance] as u32), port)),
                    Of::Tile(tile) => match through[tile].0[port] {
                        Some(End::Instance { instance: i, port: p }) => {
                            Some(SinkPort::Port(ComponentId((first[instance] + i) as u32), p))
                        }
                        _ => None,
                    },
                },
            };
            if let (Some(source), Some(sink)) = (source, sink) {
                pairs.push((source, sink));
            }
        }
        pairs.sort();

        let mut flat = Flat {
            components,
            channels: Vec::with_capacity(pairs.len()),
            inputs: vec![None; adg.top.inputs.len()],
            outputs: vec![None; adg.top.outputs.len()],
        };
        for (source, sink) in pairs {
            let id = ChannelId(flat.channels.len() as u32);
            let source_type = match source {
                SourcePort::Boundary(k) => {
                    flat.inputs[k] = Some(id);
                    adg.top.inputs[k].ty
                }
                SourcePort::Port(c, port) => {
                    flat.components[c.0 as usize].outputs[port] = Some(id);
                    flat.component(adg, c).outputs()[port]
                }
            };
            let sink_type = match sink {
                SinkPort::Boundary(k) => {
                    flat.outputs[k] = Some(id);
                    adg.top.outputs[k].ty
                }
                SinkPort::Port(c, port) => {
                    flat.components[c.0 as usize].inputs[port] = Some(id);
                    flat.component(adg, c).inputs()[port]
                }
            };
            flat.channels.push(FlatChannel { source, sink, source_type, sink_type });
        }
        flat
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom_base::Source as Text;

    #[test]
    fn a_mesh_flattens_in_order_with_both_ends_of_each_channel() {
        let fabric = crate::Fabric::new(
            crate::toml::read(&Text::new("m", crate::topology::mesh_toml(2, 1))).expect("mesh"),
        );
        let flat = fabric.flat();
        assert_eq!(flat.at(ComponentId(0)).path, "t_0_0.sw");
        let second = flat.ids().find(|&id| flat.at(id).path == "t_1_0.sw").expect("the second tile's switch");
        assert!(flat.ids().all(|id| flat.at(id).path.starts_with("t_0_0.") == (id < second)));
        assert_eq!(flat.at(second).position, (1, 0));
        assert!(flat.channels.windows(2).all(|w| w[0].source < w[1].source));
        for (i, c) in flat.channels.iter().enumerate() {
            let id = Some(ChannelId(i as u32));
            match c.source {
                SourcePort::Boundary(k) => assert_eq!(flat.inputs[k], id),
                SourcePort::Port(at, port) => assert_eq!(flat.at(at).outputs[port], id),
            }
            match c.sink {
                SinkPort::Boundary(k) => assert_eq!(flat.outputs[k], id),
                SinkPort::Port(at, port) => assert_eq!(flat.at(at).inputs[port], id),
            }
        }
        // The link from t_0_0 to the east ends in a FIFO of t_1_0.
        let sw_out = flat.channel(flat.at(ComponentId(0)).outputs[2].expect("e_out0"));
        let SinkPort::Port(link, 0) = sw_out.sink else { panic!("{sw_out:?}") };
        assert_eq!(flat.at(link).path, "t_1_0.link_w0");
    }
}
