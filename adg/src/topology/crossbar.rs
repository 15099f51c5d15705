//! The crossbar tile: one switch with PEs in ranks around it, links, loops of FIFOs and memory interfaces.

use super::DIRECTIONS;
use crate::model::{
    limits, Adg, Body, ChannelType, Component, Connection, Definition, End, Fifo, FifoKind, Instance,
    MemoryInterface, MemoryPort, Of, Port, SpatialSw, Tile,
};

/// A crossbar tile to build.
#[derive(Clone, Debug)]
pub struct CrossbarSpec {
    /// Name of the tile; its parts' definitions are called after it.
    pub name: String,
    /// Width of the links and turn-arounds.
    pub width: u32,
    /// Channels to and from each neighbour.
    pub channels: usize,
    /// A value that passes through stays in its channel: a disjoint switch block.
    pub disjoint: bool,
    /// Channels of each neighbour that a PE input hears.
    pub fc_in: usize,
    /// Channels to each neighbour that a PE output drives.
    pub fc_out: usize,
    /// Depth of the FIFO at each link input.
    pub link_depth: usize,
    /// FIFOs from a switch output back to a switch input.
    pub turnarounds: usize,
    /// Their depth.
    pub turnaround_depth: usize,
    /// Deep narrow FIFOs from a switch output back to a switch input, for conditions and control tokens that wait for
    /// memory.
    pub slacks: usize,
    /// Their width.
    pub slack_width: u32,
    /// Their depth.
    pub slack_depth: usize,
    /// Names and definitions of the PEs, rank by rank.
    pub ranks: Vec<Vec<(String, usize)>>,
    /// PEs and memories, or single inputs of them (`u0.1`), that begin in FIFOs of two entries, whatever the rank of a PE's
    /// outputs. Store addresses of memories begin in a FIFO anyway.
    pub input_fifos: Vec<String>,
    /// The same for FIFOs of one entry that tokens fall through: they cut ready alone.
    pub input_skids: Vec<String>,
    /// Names and definitions of memory interfaces on the same switch.
    pub memories: Vec<(String, usize)>,
    /// Lanes of a memory interface outside of the tile, which the mesh joins to it ([`super::MeshMemory`]): the shape of an interface
    /// that has these alone.
    pub lanes: Option<MemoryInterface>,
    /// Depth of the FIFO behind each lane of a tagged interface, and before the store addresses of an untagged one.
    pub lane_depth: usize,
}

impl CrossbarSpec {
    /// In what an input of a PE begins: entries and kind of a FIFO.
    fn input_fifo(&self, pe: &str, port: usize) -> Option<(usize, FifoKind)> {
        let names = |f: &String| f == pe || f.split_once('.') == Some((pe, &port.to_string()));
        let skid = || self.input_skids.iter().any(names).then_some((1, FifoKind::FallThrough));
        self.input_fifos.iter().any(names).then_some((2, FifoKind::Registered)).or_else(skid)
    }
}

/// Adds a crossbar tile with its switch and FIFO definitions; gives the tile's index. `Err` says in words what does
/// not fit. Parts that another tile has in the same shape are shared.
pub fn crossbar(adg: &mut Adg, spec: &CrossbarSpec) -> Result<usize, String> {
    let sw = switch(adg, spec)?;
    let sw = intern(adg, format!("{}_sw", spec.name), Component::SpatialSw(sw));
    let mut tile = Crossbar { adg, spec, body: Body::default(), output: 0, input: 0 };
    tile.add("sw".into(), sw);
    tile.links();
    let wide = ChannelType::bits(spec.width);
    tile.loops("turn", spec.turnarounds, wide, spec.turnaround_depth);
    tile.loops("slack", spec.slacks, ChannelType::bits(spec.slack_width), spec.slack_depth);
    tile.pes();
    tile.memories();
    tile.lanes_outside();
    let body = tile.body;
    adg.tiles.push(Tile { name: spec.name.clone(), body });
    Ok(adg.tiles.len() - 1)
}

/// A side of the tile's switch while it is listed: types of its ports, and what may feed what.
#[derive(Default)]
struct SwitchSide {
    types: Vec<ChannelType>,
    /// `None` for what cuts (a registered source, a sink that registers), else the rank.
    ranks: Vec<Option<usize>>,
}

impl SwitchSide {
    fn add(&mut self, types: impl IntoIterator<Item = ChannelType>, rank: Option<usize>) {
        self.types.extend(types);
        self.ranks.resize(self.types.len(), rank);
    }
}

/// The tile's switch: links, turn-arounds, slacks, PEs and memories in this order on both sides.
fn switch(adg: &Adg, spec: &CrossbarSpec) -> Result<SpatialSw, String> {
    let links = DIRECTIONS.len() * spec.channels;
    let (mut inputs, mut outputs) = (SwitchSide::default(), SwitchSide::default());
    for side in [&mut inputs, &mut outputs] {
        side.add(vec![ChannelType::bits(spec.width); links + spec.turnarounds], None);
        side.add(vec![ChannelType::bits(spec.slack_width); spec.slacks], None);
    }
    for (rank, pes) in spec.ranks.iter().enumerate() {
        for &(ref name, definition) in pes {
            let Component::SpatialPe(pe) = &adg.definitions[definition].component else {
                return Err(format!(
                    "`{name}` is a {}, a rank holds PEs",
                    adg.definitions[definition].component.kind_name()
                ));
            };
            let cut = (!pe.is_buffered()).then_some(rank);
            inputs.add(pe.outputs.iter().copied(), cut);
            for (port, &ty) in pe.inputs.iter().enumerate() {
                let registers = spec.input_fifo(name, port).is_some_and(|f| f.1 == FifoKind::Registered);
                outputs.add([ty], cut.filter(|_| !registers));
            }
        }
    }
    for (key, fc) in [("fc_in", spec.fc_in), ("fc_out", spec.fc_out)] {
        if fc > spec.channels || (fc == 0 && spec.channels > 0) {
            return Err(format!("`{key}` is {fc}, of {} channels it is 1 to {0}", spec.channels));
        }
    }
    let fifos = links + spec.turnarounds + spec.slacks;
    let (from_pes, to_pes) = (fifos..inputs.types.len(), fifos..outputs.types.len());
    for &(ref name, definition) in &spec.memories {
        let Component::Memory(memory) = adg.definitions[definition].component else {
            return Err(format!(
                "`{name}` is a {}, not a memory interface",
                adg.definitions[definition].component.kind_name()
            ));
        };
        // Requests may come from any rank; answers come from registers, or from outside the tile.
        if memory.tag > 0 {
            return Err(format!(
                "`{name}` has a `tag`: in a crossbar tile lanes have ports of their own, leave it away"
            ));
        }
        let component = &adg.definitions[definition].component;
        outputs.add(component.inputs(), None);
        inputs.add(component.outputs(), None);
    }
    if let Some(lanes) = spec.lanes.map(Component::Memory) {
        outputs.add(lanes.inputs(), None);
        inputs.add(lanes.outputs(), None);
    }
    let limit = limits::MAX_SWITCH_PORTS;
    if inputs.types.len() > limit || outputs.types.len() > limit {
        return Err(format!(
            "the tile's switch has {} inputs and {} outputs ({links} links, {} turn-arounds, the rest ports of PEs and memories), the limit is {limit} each",
            inputs.types.len(),
            outputs.types.len(),
            spec.turnarounds + spec.slacks
        ));
    }
    // Neighbouring ports of PEs have other channels, so that those of one PE have all between them.
    let near = |link: usize, port: usize, fc: usize| {
        (link + spec.channels - port % spec.channels) % spec.channels < fc
    };
    let side_and_channel = |link: usize| (link / spec.channels, link % spec.channels);
    let passes = |output: usize, input: usize| match (output < links, input < links) {
        (true, true) => {
            let ((from, channel), (to, other)) = (side_and_channel(input), side_and_channel(output));
            from != to && (channel == other || !spec.disjoint)
        }
        (true, false) => !from_pes.contains(&input) || near(output, input, spec.fc_out),
        (false, true) => !to_pes.contains(&output) || near(input, output, spec.fc_in),
        (false, false) => true,
    };
    let connected = |output: usize, input: usize| {
        let ranked = match (inputs.ranks[input], outputs.ranks[output]) {
            (Some(from), Some(to)) => from < to,
            _ => true,
        };
        ranked && passes(output, input)
    };
    let row = |output| (0..inputs.types.len()).map(|input| connected(output, input)).collect();
    let connectivity = (0..outputs.types.len()).map(row).collect();
    Ok(SpatialSw { inputs: inputs.types, outputs: outputs.types, connectivity, decomposable_bits: None })
}

/// A crossbar tile under construction. Instance 0 is its switch; `output` and `input` are the switch's next free ports.
struct Crossbar<'a> {
    adg: &'a mut Adg,
    spec: &'a CrossbarSpec,
    body: Body,
    output: usize,
    input: usize,
}

fn at(instance: usize, port: usize) -> End {
    End::Instance { instance, port }
}

impl Crossbar<'_> {
    /// Adds an instance and gives its index.
    fn add(&mut self, name: String, definition: usize) -> usize {
        self.body.instances.push(Instance { name, of: Of::Component(definition), position: None });
        self.body.instances.len() - 1
    }

    fn connect(&mut self, from: End, to: End) {
        self.body.connections.push(Connection { from, to });
    }

    /// The switch's next output, as a source.
    fn next_output(&mut self) -> End {
        self.output += 1;
        at(0, self.output - 1)
    }

    /// The switch's next input, as a sink.
    fn next_input(&mut self) -> End {
        self.input += 1;
        at(0, self.input - 1)
    }

    fn fifo(&mut self, role: &str, ty: ChannelType, depth: usize, kind: FifoKind) -> usize {
        let fifo = Component::Fifo(Fifo { ty, depth, kind });
        intern(self.adg, format!("{}_{role}", self.spec.name), fifo)
    }

    /// Links to the neighbours: an incoming one begins in a FIFO, an outgoing one leaves the switch.
    fn links(&mut self) {
        let ty = ChannelType::bits(self.spec.width);
        if self.spec.channels == 0 {
            return;
        }
        let link = self.fifo("link", ty, self.spec.link_depth, FifoKind::Registered);
        for direction in DIRECTIONS {
            for channel in 0..self.spec.channels {
                let k = self.body.inputs.len();
                let fifo = self.add(format!("link_{direction}{channel}"), link);
                self.body.inputs.push(Port { name: format!("{direction}_in{channel}"), ty });
                self.body.outputs.push(Port { name: format!("{direction}_out{channel}"), ty });
                let (from, to) = (self.next_output(), self.next_input());
                self.connect(End::Body(k), at(fifo, 0));
                self.connect(at(fifo, 0), to);
                self.connect(from, End::Body(k));
            }
        }
    }

    /// FIFOs from the switch back to itself.
    fn loops(&mut self, role: &str, count: usize, ty: ChannelType, depth: usize) {
        if count == 0 {
            return;
        }
        let definition = self.fifo(role, ty, depth, FifoKind::Registered);
        for i in 0..count {
            let fifo = self.add(format!("{role}{i}"), definition);
            let (from, to) = (self.next_output(), self.next_input());
            self.connect(from, at(fifo, 0));
            self.connect(at(fifo, 0), to);
        }
    }

    fn pes(&mut self) {
        for (name, definition) in self.spec.ranks.iter().flatten() {
            let pe = self.add(name.clone(), *definition);
            let component = &self.adg.definitions[*definition].component;
            let (inputs, outputs) = (component.inputs(), component.outputs().len());
            for (port, ty) in inputs.into_iter().enumerate() {
                let from = self.next_output();
                let from = self.begun(name, port, ty, from);
                self.connect(from, at(pe, port));
            }
            for port in 0..outputs {
                let to = self.next_input();
                self.connect(at(pe, port), to);
            }
        }
    }

    /// The end that feeds an input: a source, or the FIFO that the input begins in.
    fn begun(&mut self, name: &str, port: usize, ty: ChannelType, from: End) -> End {
        let Some((depth, kind)) = self.spec.input_fifo(name, port) else { return from };
        let role = if kind == FifoKind::FallThrough { "skid" } else { "infifo" };
        let fifo = self.fifo(role, ty, depth, kind);
        let fifo = self.add(format!("{name}_{role}{port}"), fifo);
        self.connect(from, at(fifo, 0));
        at(fifo, 0)
    }

    fn memories(&mut self) {
        for (name, definition) in &self.spec.memories {
            let Component::Memory(memory) = self.adg.definitions[*definition].component else { continue };
            let instance = self.add(name.clone(), *definition);
            self.lanes(name, instance, &memory);
        }
    }

    /// Lanes of an interface outside: requests leave by ports `m_out0`, ..., answers come by `m_in0`, ... Requests go through a
    /// FIFO that registers them, for the interface looks at those of all tiles before it takes one: what is ready in one tile would follow
    /// from what another computes. Answers come from registers, and a skid ends their ready.
    fn lanes_outside(&mut self) {
        let Some(lanes) = self.spec.lanes else { return };
        let (requests, answers) = lanes.ports();
        for (k, (family, _)) in requests.into_iter().enumerate() {
            let ty = lanes.port_type(family);
            let (role, depth) = match family {
                MemoryPort::StoreAddress => ("storequeue", self.spec.lane_depth),
                MemoryPort::StoreData => ("dataqueue", 2),
                _ => ("addressqueue", 2),
            };
            let fifo = self.fifo(role, ty, depth, FifoKind::Registered);
            let fifo = self.add(format!("lanes_request{k}"), fifo);
            let from = self.next_output();
            self.connect(from, at(fifo, 0));
            self.body.outputs.push(Port { name: format!("m_out{k}"), ty });
            self.connect(at(fifo, 0), End::Body(self.body.outputs.len() - 1));
        }
        for (k, (family, _)) in answers.into_iter().enumerate() {
            let ty = lanes.port_type(family);
            let role = if ty.width == 0 { "doneskid" } else { "dataskid" };
            let fifo = self.fifo(role, ty, 1, FifoKind::FallThrough);
            let fifo = self.add(format!("lanes_answer{k}"), fifo);
            self.body.inputs.push(Port { name: format!("m_in{k}"), ty });
            self.connect(End::Body(self.body.inputs.len() - 1), at(fifo, 0));
            let to = self.next_input();
            self.connect(at(fifo, 0), to);
        }
    }

    /// The lanes of an interface have ports of their own.
    fn lanes(&mut self, name: &str, instance: usize, memory: &MemoryInterface) {
        let (requests, answers) = memory.ports();
        for (port, (family, lane)) in requests.into_iter().enumerate() {
            let mut from = self.next_output();
            // Addresses of stores are early, their data may have to come from memory first.
            if family == MemoryPort::StoreAddress {
                let ty = memory.port_type(family);
                let queue = self.fifo("storequeue", ty, self.spec.lane_depth, FifoKind::Registered);
                let number = if memory.stores > 1 { lane.to_string() } else { String::new() };
                let queue = self.add(format!("{name}_storequeue{number}"), queue);
                self.connect(from, at(queue, 0));
                from = at(queue, 0);
            } else {
                from = self.begun(name, port, memory.port_type(family), from);
            }
            self.connect(from, at(instance, port));
        }
        for port in 0..answers.len() {
            let to = self.next_input();
            self.connect(at(instance, port), to);
        }
    }
}

/// The definition of an equal component of the same role, or a new one.
fn intern(adg: &mut Adg, name: String, component: Component) -> usize {
    let role = name.rsplit('_').next().unwrap_or("").to_string();
    let same = |d: &Definition| d.component == component && d.name.rsplit('_').next() == Some(role.as_str());
    if let Some(i) = adg.definitions.iter().position(same) {
        return i;
    }
    adg.definitions.push(Definition { name, component });
    adg.definitions.len() - 1
}
