//! What a fabric has of all there is to have, in words: a draw of enough fabrics has all of it.

use loom_adg::model::*;
use loom_dfg::OpKind;
use std::collections::BTreeSet;

/// What some hundred fabrics must have between them, beside every op that hardware has.
pub const EXPECTED: &[&str] = &[
    "a fabric of components",
    "a fabric with tiles of components",
    "a mesh",
    "a mesh with a tile of components",
    "add_tag",
    "channel bits<0>",
    "channel bits<1>",
    "channel bits<2..64>",
    "channel bits<65..>",
    "channel bits<64>",
    "channels of different widths joined",
    "component instantiated twice",
    "del_tag",
    "fifo bypassable",
    "fifo fall_through",
    "fifo depth 1",
    "fifo depth 2",
    "fifo depth 3..16",
    "fifo depth 17..999",
    "fifo depth 1000..",
    "index width 32",
    "index width 33..63",
    "index width 64",
    "input not connected",
    "loop through a register",
    "map_tag table 1",
    "map_tag table 2..32",
    "map_tag table 33..",
    "memory behind AXI",
    "memory between tiles",
    "memory elements of 8 bits",
    "memory elements of 16 bits",
    "memory elements of 32 bits",
    "memory elements of 64 bits",
    "memory lanes 1",
    "memory lanes 2..4",
    "memory lanes 5..",
    "memory of loads alone",
    "memory of stores alone",
    "memory queue 2",
    "memory queue 3..32",
    "memory queue 33..",
    "memory regions 1",
    "memory regions 2..5",
    "memory regions 6..",
    "memory tagged",
    "memory tagged wider than lanes need",
    "memory untagged",
    "output not connected",
    "pe buffered",
    "pe buffered for state machines alone",
    "pe immediates 0",
    "pe immediates 1",
    "pe immediates 2",
    "pe immediates 3",
    "pe immediates 4",
    "pe of one unit",
    "pe of several units",
    "pe unbuffered",
    "pe with more than 32 inputs",
    "pe with spare ports",
    "scratchpad of one word",
    "scratchpad private",
    "scratchpad with host",
    "scratchpad ..1024",
    "scratchpad 1025..",
    "spatial switch decomposable",
    "spatial switch decomposable into bits",
    "spatial switch full",
    "spatial switch of 1 input",
    "spatial switch of 9.. inputs",
    "spatial switch sparse",
    "spatial switch tagged",
    "tag bits 1",
    "tag bits 2..15",
    "tag bits 16",
    "temporal switch full",
    "temporal switch slots 1",
    "temporal switch slots 2..16",
    "temporal switch slots 17..",
    "temporal switch sparse",
    "unit interval 1",
    "unit interval 2..40",
    "unit interval 41..",
    "unit latency 0",
    "unit latency 1..16",
    "unit latency 17..",
    "op fabric.mux",
    "fabric.mux of 2",
    "fabric.mux of 3..",
    "fabric.mux of a number that is no power of two",
    "unit of several ops",
    "unit whose muxes leave inputs out",
    "unit that works digit by digit, slower than it need be",
    "unit with several outputs",
];

/// What it is one of, in words; an op by `op` and its mnemonic.
pub fn traits(adg: &Adg) -> BTreeSet<String> {
    let mut found = Found(BTreeSet::new());
    found.fabric(adg);
    for d in &adg.definitions {
        found.component(&d.component, adg.index_width);
    }
    for body in std::iter::once(&adg.top).chain(adg.tiles.iter().map(|t| &t.body)) {
        found.body(adg, body);
    }
    found.0
}

struct Found(BTreeSet<String>);

/// Which of these ranges a number is in.
fn range(n: u64, starts: &[u64]) -> String {
    let at = starts.partition_point(|&s| s <= n).saturating_sub(1);
    match starts.get(at + 1) {
        Some(next) if *next == starts[at] + 1 => starts[at].to_string(),
        Some(next) => format!("{}..{}", starts[at], next - 1),
        None => format!("{}..", starts[at]),
    }
}

/// Whether two tiles of a mesh have the lanes of a memory interface.
fn lanes_of_two(adg: &Adg, memory: &Instance) -> bool {
    let at = |end| match end {
        End::Instance { instance, .. } => adg.top.instances.get(instance),
        End::Body(_) => None,
    };
    let sinks = adg.top.connections.iter().filter(|c| at(c.from) == Some(memory)).filter_map(|c| at(c.to));
    let tiles: BTreeSet<&str> = sinks.map(|tile| tile.name.as_str()).collect();
    tiles.len() > 1
}

impl Found {
    fn add(&mut self, what: impl Into<String>) {
        self.0.insert(what.into());
    }

    fn fabric(&mut self, adg: &Adg) {
        let between = |i: &Instance| i.name.starts_with("m_");
        let is_mesh = adg.top.instances.iter().all(|i| i.name.starts_with("t_") || between(i));
        if is_mesh && adg.top.instances.iter().filter(|i| between(i)).any(|m| lanes_of_two(adg, m)) {
            self.add("memory between tiles");
        }
        // The tiles that the generator makes component by component have a table of their own.
        let plain = |t: &Tile| t.body.instances.first().is_none_or(|i| i.name != "sw");
        self.add(match (is_mesh, adg.tiles.iter().any(plain)) {
            (true, true) => "a mesh with a tile of components",
            (true, false) => "a mesh",
            (false, true) => "a fabric with tiles of components",
            (false, false) => "a fabric of components",
        });
        self.add(match adg.index_width {
            32 => "index width 32",
            64 => "index width 64",
            _ => "index width 33..63",
        });
    }

    fn channel(&mut self, ty: ChannelType) {
        if ty.width == 64 {
            self.add("channel bits<64>");
        }
        self.add(match ty.width {
            0 => "channel bits<0>",
            1 => "channel bits<1>",
            2..=64 => "channel bits<2..64>",
            _ => "channel bits<65..>",
        });
        if ty.is_tagged() {
            self.add(match ty.tag {
                1 => "tag bits 1",
                16 => "tag bits 16",
                _ => "tag bits 2..15",
            });
        }
    }

    fn component(&mut self, component: &Component, index_width: u32) {
        component.inputs().into_iter().chain(component.outputs()).for_each(|ty| self.channel(ty));
        match component {
            Component::SpatialPe(pe) => self.pe(pe, index_width),
            Component::SpatialSw(sw) => {
                let full = sw.connectivity.iter().flatten().all(|&c| c);
                self.add(if full { "spatial switch full" } else { "spatial switch sparse" });
                if sw.inputs[0].is_tagged() {
                    self.add("spatial switch tagged");
                }
                match sw.inputs.len() {
                    1 => self.add("spatial switch of 1 input"),
                    9.. => self.add("spatial switch of 9.. inputs"),
                    _ => {}
                }
                if let Some(lane) = sw.decomposable_bits {
                    self.add("spatial switch decomposable");
                    if lane == 1 {
                        self.add("spatial switch decomposable into bits");
                    }
                }
            }
            Component::TemporalSw(sw) => {
                let full = sw.connectivity.iter().flatten().all(|&c| c);
                self.add(if full { "temporal switch full" } else { "temporal switch sparse" });
                self.add(format!("temporal switch slots {}", range(sw.num_route_table as u64, &[1, 2, 17])));
            }
            Component::Fifo(fifo) => {
                self.add(format!("fifo depth {}", range(fifo.depth as u64, &[1, 2, 3, 17, 1000])));
                match fifo.kind {
                    FifoKind::Registered => {}
                    FifoKind::Bypassable => self.add("fifo bypassable"),
                    FifoKind::FallThrough => self.add("fifo fall_through"),
                }
            }
            Component::AddTag(_) | Component::DelTag(_) => self.add(component.kind_name()),
            Component::MapTag(map) => {
                self.add(format!("map_tag table {}", range(map.table_size as u64, &[1, 2, 33])));
            }
            Component::Memory(m) => self.memory(m),
        }
    }

    fn memory(&mut self, m: &MemoryInterface) {
        self.add(format!("memory elements of {} bits", m.width));
        self.add(format!("memory lanes {}", range(m.loads.max(m.stores) as u64, &[1, 2, 5])));
        self.add(format!("memory queue {}", range(m.queue as u64, &[2, 3, 33])));
        self.add(format!("memory regions {}", range(m.regions as u64, &[1, 2, 6])));
        self.add(if m.tag > 0 { "memory tagged" } else { "memory untagged" });
        if m.tag > loom_base::choice_bits(m.loads.max(m.stores)).max(1) {
            self.add("memory tagged wider than lanes need");
        }
        match (m.loads, m.stores) {
            (_, 0) => self.add("memory of loads alone"),
            (0, _) => self.add("memory of stores alone"),
            _ => {}
        }
        match m.store {
            Backing::External => self.add("memory behind AXI"),
            Backing::Scratchpad { bytes, host } => {
                self.add(if host { "scratchpad with host" } else { "scratchpad private" });
                if bytes == u64::from(m.width / 8) {
                    self.add("scratchpad of one word");
                }
                self.add(if bytes <= 1024 { "scratchpad ..1024" } else { "scratchpad 1025.." });
            }
        }
    }

    fn pe(&mut self, pe: &SpatialPe, index_width: u32) {
        self.add(match (pe.has_buffers(), pe.is_buffered()) {
            (true, true) => "pe buffered",
            (true, false) => "pe buffered for state machines alone",
            (false, _) => "pe unbuffered",
        });
        self.add(format!("pe immediates {}", pe.immediates));
        self.add(if pe.fus.len() == 1 { "pe of one unit" } else { "pe of several units" });
        if pe.inputs.len() > 32 {
            self.add("pe with more than 32 inputs");
        }
        if pe.inputs.len() > pe.input_muxes() || pe.outputs.len() > pe.output_demuxes() {
            self.add("pe with spare ports");
        }
        for fu in &pe.fus {
            if fu.latency >= 0 {
                self.add(format!("unit latency {}", range(fu.latency as u64, &[0, 1, 17])));
                self.add(format!("unit interval {}", range(fu.interval as u64, &[1, 2, 41])));
            }
            if fu.least_digit_time(index_width).is_some_and(|least| fu.latency > least) {
                self.add("unit that works digit by digit, slower than it need be");
            }
            if fu.body.len() > 1 {
                self.add("unit of several ops");
            }
            if fu.effective().iter().any(|e| e.inputs.len() < fu.inputs.len()) {
                self.add("unit whose muxes leave inputs out");
            }
            if fu.results.len() > 1 {
                self.add("unit with several outputs");
            }
            for op in &fu.body {
                if op.kind == BodyKind::Mux {
                    let operands = op.operands.len();
                    self.add(format!("fabric.mux of {}", range(operands as u64, &[2, 3])));
                    if !operands.is_power_of_two() {
                        self.add("fabric.mux of a number that is no power of two");
                    }
                }
                match op.kind {
                    BodyKind::Op(OpKind::Stream(c)) => {
                        self.add(format!("op {} {}", op.kind.mnemonic(), c.name()))
                    }
                    kind => self.add(format!("op {}", kind.mnemonic())),
                }
            }
        }
    }

    fn body(&mut self, adg: &Adg, body: &Body) {
        let mut seen = BTreeSet::new();
        for (i, instance) in body.instances.iter().enumerate() {
            let Of::Component(d) = instance.of else { continue };
            if !seen.insert(d) {
                self.add("component instantiated twice");
            }
            let component = &adg.definitions[d].component;
            for port in 0..component.inputs().len() {
                if !body.connections.iter().any(|c| c.to == End::Instance { instance: i, port }) {
                    self.add("input not connected");
                }
            }
            for port in 0..component.outputs().len() {
                if !body.connections.iter().any(|c| c.from == End::Instance { instance: i, port }) {
                    self.add("output not connected");
                }
            }
        }
        for c in &body.connections {
            let (End::Instance { instance: a, port: p }, End::Instance { instance: b, port: q }) =
                (c.from, c.to)
            else {
                continue;
            };
            // Instances of components are numbered: one that leads back closes a loop, or might.
            if b <= a {
                self.add("loop through a register");
            }
            let (Of::Component(x), Of::Component(y)) = (body.instances[a].of, body.instances[b].of) else {
                continue;
            };
            if adg.definitions[x].component.outputs()[p].width
                != adg.definitions[y].component.inputs()[q].width
            {
                self.add("channels of different widths joined");
            }
        }
    }
}
