//! The fabric handle: an architecture with everything that follows from it, made once and passed by reference.
//!
//! Guarantees: the parts belong together; nothing in a handle changes; a clone shares it. Unit numbers and the ports of
//! the boundary are numbered here and nowhere else: Verilog, native model, host side and reports all ask the handle.
//! Refuses nothing itself: [`Fabric::new`] takes an architecture that [`crate::legality`] accepted.

use crate::flat::{ChannelId, ComponentId, Flat, SinkPort, SourcePort};
use crate::layout::Layout;
use crate::model::{Adg, Backing, ChannelType, Component, MemoryInterface};
use loom_base::Name;
use std::ops::Range;
use std::sync::Arc;

/// An architecture, flattened, laid out and numbered.
#[derive(Clone, Debug)]
pub struct Fabric(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    name: Name,
    adg: Adg,
    flat: Flat,
    layout: Layout,
    hash: String,
    units: Vec<ComponentId>,
    unit_of: Vec<Option<Unit>>,
    ports: OuterPorts,
}

/// A component with configuration, numbered in flattened order: what the hardware shows as `error_unit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Unit(pub u32);

impl Unit {
    /// The configuration loader.
    pub const LOADER: Unit = Unit(0xffff);
}

/// The ports of a fabric's boundary beside clock, configuration and status, each kind in the order of its numbers.
#[derive(Clone, Debug)]
pub struct OuterPorts {
    /// Channels into the fabric, `in<k>`.
    pub inputs: Vec<StreamPort>,
    /// Channels out of the fabric, `out<k>`.
    pub outputs: Vec<StreamPort>,
    /// AXI4 masters of external memories, `m<k>_axi`.
    pub masters: Vec<HostedPort>,
    /// The host's ways into scratchpads, `h<k>`.
    pub hosts: Vec<HostedPort>,
}

/// A channel of the boundary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamPort {
    /// What its signals begin with, before `_valid`.
    pub signal: String,
    /// What the architecture calls it.
    pub name: String,
    /// Type at the boundary.
    pub ty: ChannelType,
    /// The channel behind it; `None` where it leads nowhere.
    pub channel: Option<ChannelId>,
}

/// A port through which host and fabric share memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostedPort {
    /// What its signals begin with: `m0_axi` of `m0_axi_arvalid`, `h0` of `h0_req`.
    pub signal: String,
    /// The memory interface it belongs to.
    pub component: ComponentId,
    /// Bits of a word.
    pub width: u32,
}

impl Fabric {
    /// Flattens, lays out and numbers a legal architecture; one with a dangling index panics.
    pub fn new(adg: Adg) -> Fabric {
        let flat = Flat::new(&adg);
        let layout = Layout::new(&adg, &flat);
        let units: Vec<ComponentId> = flat.ids().filter(|&id| layout.slice(id).is_some()).collect();
        let mut unit_of = vec![None; flat.components.len()];
        for (unit, id) in units.iter().enumerate() {
            unit_of[id.0 as usize] = Some(Unit(unit as u32));
        }
        let hash = crate::hash::fabric_hash(&adg);
        let ports = OuterPorts::new(&adg, &flat);
        let name = Name::hyphenated(&adg.name).expect("a legal fabric's name");
        Fabric(Arc::new(Parts { name, adg, flat, layout, hash, units, unit_of, ports }))
    }

    /// The model.
    pub fn adg(&self) -> &Adg {
        &self.0.adg
    }

    /// Its instances and channels.
    pub fn flat(&self) -> &Flat {
        &self.0.flat
    }

    /// Which bit of config.bin means what.
    pub fn layout(&self) -> &Layout {
        &self.0.layout
    }

    /// Its identity, as config.json carries it.
    pub fn hash(&self) -> &str {
        &self.0.hash
    }

    /// Its name, as files have it.
    pub fn name(&self) -> &Name {
        &self.0.name
    }

    /// Width of `index`.
    pub fn index_width(&self) -> u32 {
        self.0.adg.index_width
    }

    /// A component's hardware parameters.
    pub fn component(&self, id: ComponentId) -> &Component {
        self.0.flat.component(&self.0.adg, id)
    }

    /// A component's path, `tile.instance`.
    pub fn path(&self, id: ComponentId) -> &str {
        &self.0.flat.at(id).path
    }

    /// The component of that path.
    pub fn find(&self, path: &str) -> Option<ComponentId> {
        self.0.flat.ids().find(|&id| self.path(id) == path)
    }

    /// The memory interfaces, in flattened order.
    pub fn memories(&self) -> impl Iterator<Item = (ComponentId, &MemoryInterface)> {
        self.0.flat.memories(&self.0.adg)
    }

    /// The components with configuration, by unit number.
    pub fn units(&self) -> &[ComponentId] {
        &self.0.units
    }

    /// A component's unit number; `None` when it has no configuration.
    pub fn unit(&self, id: ComponentId) -> Option<Unit> {
        self.0.unit_of[id.0 as usize]
    }

    /// Unit numbers of the components of a top-level instance.
    pub fn units_of_instance(&self, instance: usize) -> Range<u32> {
        let before =
            |end: usize| self.0.units.partition_point(|&id| self.0.flat.at(id).top_instance < end) as u32;
        before(instance)..before(instance + 1)
    }

    /// Path of the component behind a unit number.
    pub fn unit_path(&self, unit: Unit) -> &str {
        self.0.units.get(unit.0 as usize).map_or("the loader", |&id| self.path(id))
    }

    /// The ports of the boundary.
    pub fn ports(&self) -> &OuterPorts {
        &self.0.ports
    }

    /// A channel's source in words: `in3`, or `tile.instance.out3`.
    pub fn source_name(&self, source: SourcePort) -> String {
        match source {
            SourcePort::Boundary(k) => format!("in{k}"),
            SourcePort::Port(id, port) => format!("{}.out{port}", self.path(id)),
        }
    }

    /// A channel's sink in words: `out3`, or `tile.instance.in3`.
    pub fn sink_name(&self, sink: SinkPort) -> String {
        match sink {
            SinkPort::Boundary(k) => format!("out{k}"),
            SinkPort::Port(id, port) => format!("{}.in{port}", self.path(id)),
        }
    }
}

impl OuterPorts {
    fn new(adg: &Adg, flat: &Flat) -> OuterPorts {
        let streams =
            |ports: &[crate::model::Port], channels: &[Option<ChannelId>], side: &str| {
                let port = |(k, (p, &channel)): (usize, (&crate::model::Port, &Option<ChannelId>))| {
                    StreamPort { signal: format!("{side}{k}"), name: p.name.clone(), ty: p.ty, channel }
                };
                ports.iter().zip(channels).enumerate().map(port).collect()
            };
        let mut ports = OuterPorts {
            inputs: streams(&adg.top.inputs, &flat.inputs, "in"),
            outputs: streams(&adg.top.outputs, &flat.outputs, "out"),
            masters: Vec::new(),
            hosts: Vec::new(),
        };
        let signals = hosted_signals(flat.memories(adg).map(|(_, memory)| memory));
        for ((component, memory), signal) in flat.memories(adg).zip(signals) {
            let list = if memory.is_external() { &mut ports.masters } else { &mut ports.hosts };
            list.extend(signal.map(|signal| HostedPort { signal, component, width: memory.width }));
        }
        ports
    }

    /// The port of a memory interface; `None` when the host does not reach it.
    pub fn of(&self, component: ComponentId) -> Option<&HostedPort> {
        self.masters.iter().chain(&self.hosts).find(|p| p.component == component)
    }
}

/// What the ports begin with through which each of these memory interfaces shares memory with the host: `m<k>_axi`, `h<k>`,
/// or none. Tiles number the interfaces inside them, a fabric all of them.
pub fn hosted_signals<'a>(memories: impl Iterator<Item = &'a MemoryInterface>) -> Vec<Option<String>> {
    let (mut masters, mut hosts) = (0u32.., 0u32..);
    let one = |memory: &MemoryInterface| match memory.store {
        Backing::External => masters.next().map(|k| format!("m{k}_axi")),
        Backing::Scratchpad { host: true, .. } => hosts.next().map(|k| format!("h{k}")),
        Backing::Scratchpad { host: false, .. } => None,
    };
    memories.map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom_base::Source;

    fn fabric(file: &str) -> Fabric {
        let path = format!("{}/../{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("a file of the repository");
        Fabric::new(crate::toml::read(&Source::new(file, text)).expect("legal"))
    }

    #[test]
    fn units_are_the_components_with_words_in_flattened_order() {
        let fabric = fabric("configs/mesh-2x2.toml");
        let mut next = 0;
        for id in fabric.flat().ids() {
            let has_words = fabric.layout().slice(id).is_some();
            assert_eq!(fabric.unit(id), has_words.then_some(Unit(next)));
            if has_words {
                assert_eq!(fabric.units()[next as usize], id);
                assert_eq!(fabric.unit_path(Unit(next)), fabric.path(id));
                next += 1;
            }
        }
        assert_eq!(fabric.units().len() as u32, next);
        // A component's id and its unit part where something without configuration stands before it.
        assert!(fabric.units().iter().enumerate().any(|(unit, id)| unit != id.0 as usize));
        assert_eq!(fabric.unit_path(Unit::LOADER), "the loader");
    }

    #[test]
    fn units_of_instances_follow_each_other() {
        let fabric = fabric("configs/mesh-2x2.toml");
        let mut next = 0;
        for instance in 0..fabric.adg().top.instances.len() {
            let units = fabric.units_of_instance(instance);
            assert_eq!(units.start, next);
            next = units.end;
            let inside = |u: u32| fabric.flat().at(fabric.units()[u as usize]).top_instance == instance;
            assert!(units.into_iter().all(inside));
        }
        assert_eq!(next as usize, fabric.units().len());
    }

    #[test]
    fn memory_interfaces_have_the_ports_of_their_kind() {
        let fabric = fabric("configs/mesh-4x4.toml");
        let (mut masters, mut hosts) = (0, 0);
        for (id, memory) in fabric.memories() {
            let signal = fabric.ports().of(id).map(|p| p.signal.clone());
            let want = match memory.store {
                Backing::External => Some(format!("m{masters}_axi")),
                Backing::Scratchpad { host: true, .. } => Some(format!("h{hosts}")),
                Backing::Scratchpad { host: false, .. } => None,
            };
            assert_eq!(signal, want);
            masters += usize::from(memory.is_external());
            hosts += usize::from(matches!(memory.store, Backing::Scratchpad { host: true, .. }));
        }
        assert!(masters > 0 && hosts > 0);
        assert_eq!((fabric.ports().masters.len(), fabric.ports().hosts.len()), (masters, hosts));
    }
}
