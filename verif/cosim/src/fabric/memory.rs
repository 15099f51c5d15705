//! The memory ports of a fabric under Verilator: AXI masters served by the memory of a run, scratchpads reached
//! through host ports.
//!
//! Guarantees: what a master sees is set before the logic settles, what it drives is read after, and the cycle number
//! is that of the run, so that the native model sees the same memory (docs/hardware.md, sections 9 and 10). A broken
//! rule of AXI is kept with its port and cycle. Refuses nothing: a run goes on after a broken rule.

use super::FabricModel;
use crate::model::Model;
use loom_adg::OuterPorts;
use loom_sim::axi::{AxiOptions, HostMemory, In, Master, Out, Subordinate};

/// An address channel: what the fabric drives.
struct AddressPorts {
    valid: u32,
    addr: u32,
    id: u32,
    size: u32,
    len: u32,
    burst: u32,
    /// Lock, cache, prot and qos, which are always 0.
    zero: [u32; 4],
}

impl AddressPorts {
    fn new(model: &Model, prefix: &str) -> AddressPorts {
        let p = |name: &str| model.port(&format!("{prefix}{name}"));
        AddressPorts {
            valid: p("valid"),
            addr: p("addr"),
            id: p("id"),
            size: p("size"),
            len: p("len"),
            burst: p("burst"),
            zero: [p("lock"), p("cache"), p("prot"), p("qos")],
        }
    }
}

/// One `m<k>_axi_*` and its memory side.
struct AxiPort {
    data_bits: u32,
    read: AddressPorts,
    write: AddressPorts,
    /// valid, data, strb, last.
    data: [u32; 4],
    ready: [u32; 2],
    /// The fabric's inputs, in the order of [`values`], and what they show; `None` before the first cycle.
    inputs: [u32; 11],
    shown: Option<[u64; 11]>,
    master: Master,
}

/// The fabric's inputs as numbers.
fn values(seen: &In) -> [u64; 11] {
    let bit = u64::from;
    [
        bit(seen.arready),
        bit(seen.awready),
        bit(seen.wready),
        bit(seen.rvalid),
        seen.rid.into(),
        seen.rdata,
        seen.rresp.into(),
        bit(seen.rlast),
        bit(seen.bvalid),
        seen.bid.into(),
        seen.bresp.into(),
    ]
}

impl AxiPort {
    fn new(model: &Model, k: usize, signal: &str) -> AxiPort {
        let p = |name: &str| model.port(&format!("{signal}_{name}"));
        let data = p("wdata");
        let data_bits = model.width(data);
        AxiPort {
            data_bits,
            read: AddressPorts::new(model, &format!("{signal}_ar")),
            write: AddressPorts::new(model, &format!("{signal}_aw")),
            data: [p("wvalid"), data, p("wstrb"), p("wlast")],
            ready: [p("rready"), p("bready")],
            inputs: [
                p("arready"),
                p("awready"),
                p("wready"),
                p("rvalid"),
                p("rid"),
                p("rdata"),
                p("rresp"),
                p("rlast"),
                p("bvalid"),
                p("bid"),
                p("bresp"),
            ],
            shown: None,
            master: Master::new(k, data_bits, &AxiOptions::default()),
        }
    }

    /// Sets the inputs that differ from the last cycle's.
    fn show(&mut self, model: &mut Model, seen: &In) {
        let now = values(seen);
        for (i, (&port, &value)) in self.inputs.iter().zip(&now).enumerate() {
            if self.shown.is_none_or(|was| was[i] != value) {
                model.set(port, value);
            }
        }
        self.shown = Some(now);
    }

    /// What the fabric drives; payload only where it is valid.
    fn sample(&self, model: &Model) -> Out {
        let bit = |port: u32| model.get(port) == 1;
        let mut out = Out { rready: bit(self.ready[0]), bready: bit(self.ready[1]), ..Out::default() };
        if bit(self.read.valid) {
            out.arvalid = true;
            [out.araddr, out.arid, out.arsize, out.arlen, out.arburst] = address(model, &self.read);
        }
        if bit(self.write.valid) {
            out.awvalid = true;
            [out.awaddr, out.awid, out.awsize, out.awlen, out.awburst] = address(model, &self.write);
        }
        if bit(self.data[0]) {
            out.wvalid = true;
            out.wdata = model.get(self.data[1]);
            out.wstrb = model.get(self.data[2]) as u8;
            out.wlast = bit(self.data[3]);
        }
        out
    }

    /// What of the contract the memory's side does not look at.
    fn unusual(&self, model: &Model, out: &Out) -> Option<String> {
        for (name, valid, ports) in [("ar", out.arvalid, &self.read), ("aw", out.awvalid, &self.write)] {
            if valid && ports.zero.iter().any(|&p| model.get(p) != 0) {
                return Some(format!("lock, cache, prot or qos of {name} is not 0"));
            }
        }
        (!out.rready || !out.bready).then(|| "rready or bready is low".to_string())
    }
}

fn address(model: &Model, p: &AddressPorts) -> [u32; 5] {
    [p.addr, p.id, p.size, p.len, p.burst].map(|port| model.get(port) as u32)
}

/// One `h<k>_*`.
struct HostPort {
    req: u32,
    we: u32,
    addr: u32,
    wdata: u32,
    wstrb: u32,
    rdata: u32,
    bytes: usize,
}

impl HostPort {
    fn new(model: &Model, signal: &str) -> HostPort {
        let p = |name: &str| model.port(&format!("{signal}_{name}"));
        let rdata = p("rdata");
        let bytes = model.width(rdata) as usize / 8;
        HostPort {
            req: p("req"),
            we: p("we"),
            addr: p("addr"),
            wdata: p("wdata"),
            wstrb: p("wstrb"),
            rdata,
            bytes,
        }
    }
}

/// All memory ports of a fabric.
#[derive(Default)]
pub(super) struct MemoryPorts {
    masters: Vec<AxiPort>,
    hosts: Vec<HostPort>,
    options: AxiOptions,
    start: HostMemory,
    memory: HostMemory,
    broken: Option<String>,
}

impl MemoryPorts {
    pub fn new(model: &Model, ports: &OuterPorts) -> MemoryPorts {
        let masters = ports.masters.iter().enumerate();
        MemoryPorts {
            masters: masters.map(|(k, port)| AxiPort::new(model, k, &port.signal)).collect(),
            hosts: ports.hosts.iter().map(|port| HostPort::new(model, &port.signal)).collect(),
            ..MemoryPorts::default()
        }
    }

    /// Nothing is ready, answered or asked for.
    pub fn quiet(&mut self, model: &mut Model) {
        for port in &mut self.masters {
            port.show(model, &In::default());
        }
        for host in &self.hosts {
            for port in [host.req, host.we, host.addr, host.wdata, host.wstrb] {
                model.set(port, 0);
            }
        }
    }

    /// Before cycle 0 nothing may be asked for.
    pub fn expect_silence(&mut self, model: &Model) {
        for (k, port) in self.masters.iter().enumerate() {
            let valids = [port.read.valid, port.write.valid, port.data[0]];
            if self.broken.is_none() && valids.iter().any(|&p| model.get(p) == 1) {
                self.broken = Some(format!("m{k} before cycle 0: a valid is high"));
            }
        }
    }

    /// The memory of a run that brings none.
    pub fn own(&self) -> HostMemory {
        self.start.clone()
    }

    /// Keeps what such a run left.
    pub fn keep(&mut self, memory: HostMemory) {
        self.memory = memory;
    }

    pub fn begin(&mut self) {
        for (k, port) in self.masters.iter_mut().enumerate() {
            port.master = Master::new(k, port.data_bits, &self.options);
        }
    }

    /// The first half of a cycle: what the fabric sees.
    pub fn drive(&mut self, model: &mut Model, cycle: u64) {
        for port in &mut self.masters {
            let seen = port.master.inputs(cycle);
            port.show(model, &seen);
        }
    }

    /// The second half, with the logic settled: transfers happen.
    pub fn clock(&mut self, memory: &mut dyn Subordinate, model: &Model, cycle: u64) {
        for (k, port) in self.masters.iter_mut().enumerate() {
            let out = port.sample(model);
            let rule = port.master.clock(cycle, &out, memory).or_else(|| port.unusual(model, &out));
            if let (Some(rule), None) = (rule, &self.broken) {
                self.broken = Some(format!("m{k} in cycle {cycle}: {rule}"));
            }
        }
    }

    /// The first broken rule since it was asked for last.
    pub fn take_broken(&mut self) -> Option<String> {
        self.broken.take()
    }
}

impl FabricModel {
    /// Puts memory behind the AXI ports; every run begins with it as it is given here.
    pub fn attach(&mut self, memory: HostMemory, options: &AxiOptions) {
        self.ports.start = memory.clone();
        self.ports.memory = memory;
        self.ports.options = *options;
    }

    /// The memory behind the AXI ports as the last run left it.
    pub fn memory(&self) -> &HostMemory {
        &self.ports.memory
    }

    /// Writes a scratchpad from its beginning through `h<k>_*`, a word a cycle. Before loading or after a run: the
    /// cycles it takes are not those of a run. Panics when there is no such port.
    pub fn write_scratchpad(&mut self, k: usize, contents: &[u8]) {
        self.quiet();
        let HostPort { req, we, addr, wdata, wstrb, bytes, .. } = self.ports.hosts[k];
        self.model.set(req, 1);
        self.model.set(we, 1);
        for (i, word) in contents.chunks(bytes).enumerate() {
            self.model.set(addr, (i * bytes) as u64);
            self.model.set(wdata, word.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b)));
            self.model.set(wstrb, (1 << word.len()) - 1);
            self.settle();
            self.edge();
        }
        self.quiet();
        self.settle();
    }

    /// Reads a scratchpad's first `count` bytes through `h<k>_*`, a word a cycle; when, as for writing.
    pub fn read_scratchpad(&mut self, k: usize, count: usize) -> Vec<u8> {
        self.quiet();
        let HostPort { req, addr, rdata, bytes, .. } = self.ports.hosts[k];
        self.model.set(req, 1);
        let mut contents = Vec::with_capacity(count + bytes);
        for at in (0..count).step_by(bytes) {
            self.model.set(addr, at as u64);
            self.settle();
            self.edge();
            contents.extend_from_slice(&self.model.get(rdata).to_le_bytes()[..bytes]);
        }
        contents.truncate(count);
        self.quiet();
        self.settle();
        contents
    }
}
