//! The memory of a run behind a fabric's AXI4 ports (docs/hardware.md, section 10): part of the boundary, like stalls,
//! and so shared by the native cycle model and the Verilator driver.
//!
//! Guarantees: what a master sees in a cycle ([`Master::inputs`]) is a function of what happened before and of the
//! cycle's number; answers of one ID keep their order; every cycle the rules of AXI are checked on what the fabric
//! drives. Refuses nothing: a broken rule is reported, an unmapped address is answered with DECERR.
//!
//! In one cycle a master's read comes before its write; masters are clocked in order, each before the next.

use loom_base::rng::mix;
use std::collections::VecDeque;
use std::ops::Range;

/// How the memory behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AxiOptions {
    /// Cycles from a request to the first cycle its answer may come; at least 1.
    pub latency: u32,
    /// Cycles in a hundred in which a channel is not ready, or no new answer is offered.
    pub stall_percent: u32,
    /// Whether answers of different IDs overtake each other. Some are then a few cycles late: with one request a
    /// cycle and no stalls two answers would never be due at once.
    pub reorder: bool,
    /// Decides stalls and order.
    pub seed: u64,
}

impl Default for AxiOptions {
    fn default() -> Self {
        AxiOptions { latency: 1, stall_percent: 0, reorder: false, seed: 1 }
    }
}

/// Who asks: what AXI tells a memory beside the address. An IOMMU translates by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requester {
    /// Number of the master.
    pub master: usize,
    /// ID of the request: the lane.
    pub id: u32,
}

/// What lies behind the masters. An access comes when it is performed, in the order of the bus.
pub trait Subordinate {
    /// Reads up to 8 bytes, the first lowest; `None` where nothing answers.
    fn read(&mut self, from: Requester, address: u32, count: usize) -> Option<u64>;
    /// Writes up to 8 bytes; whether something is there.
    fn write(&mut self, from: Requester, address: u32, count: usize, value: u64) -> bool;
}

/// Buffers of bytes at fixed addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostMemory {
    buffers: Vec<(u32, Vec<u8>)>,
}

/// Buffers begin at multiples of this, with a hole of at least as much between them.
const PAGE: u64 = 4096;

impl HostMemory {
    /// No buffers.
    pub fn new() -> HostMemory {
        HostMemory::default()
    }

    /// Adds a buffer and gives its address. Panics when 4 GiB are used up.
    pub fn add(&mut self, bytes: Vec<u8>) -> u32 {
        let end = self.buffers.last().map_or(0, |(base, b)| u64::from(*base) + b.len() as u64);
        let base = u32::try_from(end.next_multiple_of(PAGE) + PAGE).expect("buffers fit 4 GiB");
        self.buffers.push((base, bytes));
        base
    }

    /// Puts a buffer at an address; whether there was room for it. Buffers are numbered by address then.
    pub fn place(&mut self, base: u32, bytes: Vec<u8>) -> bool {
        let end = u64::from(base) + bytes.len() as u64;
        let at = self.buffers.partition_point(|(b, _)| *b < base);
        let before =
            at.checked_sub(1).map_or(0, |k| u64::from(self.buffers[k].0) + self.buffers[k].1.len() as u64);
        let after = self.buffers.get(at).map_or(1 << 32, |(b, _)| u64::from(*b));
        let free = before <= u64::from(base) && end <= after;
        if free {
            self.buffers.insert(at, (base, bytes));
        }
        free
    }

    /// A buffer's bytes.
    pub fn bytes(&self, i: usize) -> &[u8] {
        &self.buffers[i].1
    }

    /// A buffer's address.
    pub fn base(&self, i: usize) -> u32 {
        self.buffers[i].0
    }

    /// Which buffer holds all bytes of an access, and where in it.
    fn find(&self, address: u32, count: usize) -> Option<(usize, Range<usize>)> {
        let at = self.buffers.partition_point(|(base, _)| *base <= address).checked_sub(1)?;
        let (base, bytes) = &self.buffers[at];
        let offset = (address - base) as usize;
        let end = offset.checked_add(count)?;
        (end <= bytes.len()).then_some((at, offset..end))
    }

    /// Up to 8 bytes, the first lowest; `None` where no buffer is.
    pub fn read(&self, address: u32, count: usize) -> Option<u64> {
        let (at, range) = self.find(address, count)?;
        Some(self.buffers[at].1[range].iter().rev().fold(0, |v, b| v << 8 | u64::from(*b)))
    }
}

/// The same for every requester.
impl Subordinate for HostMemory {
    fn read(&mut self, _: Requester, address: u32, count: usize) -> Option<u64> {
        HostMemory::read(self, address, count)
    }

    fn write(&mut self, _: Requester, address: u32, count: usize, value: u64) -> bool {
        let Some((at, range)) = self.find(address, count) else { return false };
        let bytes = &mut self.buffers[at].1[range];
        for (i, b) in bytes.iter_mut().enumerate() {
            *b = (value >> (8 * i)) as u8;
        }
        true
    }
}

/// What the fabric drives in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // AXI's own names
pub struct Out {
    pub arvalid: bool,
    pub araddr: u32,
    pub arid: u32,
    pub arsize: u32,
    pub arlen: u32,
    pub arburst: u32,
    pub awvalid: bool,
    pub awaddr: u32,
    pub awid: u32,
    pub awsize: u32,
    pub awlen: u32,
    pub awburst: u32,
    pub wvalid: bool,
    pub wdata: u64,
    pub wstrb: u8,
    pub wlast: bool,
    pub rready: bool,
    pub bready: bool,
}

/// What the fabric sees in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // AXI's own names
pub struct In {
    pub arready: bool,
    pub awready: bool,
    pub wready: bool,
    pub rvalid: bool,
    pub rid: u32,
    pub rdata: u64,
    pub rresp: u32,
    pub rlast: bool,
    pub bvalid: bool,
    pub bid: u32,
    pub bresp: u32,
}

/// With `reorder` an answer is due up to this many cycles late, less one.
const SPREAD: u64 = 8;

/// Keeps stalls of the memory apart from those of boundary ports under one seed.
const STALL_KEYS: u64 = 1 << 40;

/// AXI's code for an address nobody answers.
pub const DECERR: u32 = 3;

/// An answer on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Answer {
    due: u64,
    id: u32,
    data: u64,
    resp: u32,
}

/// Answers of one channel, in order of request.
#[derive(Clone, Debug, Default)]
struct Answers {
    list: VecDeque<Answer>,
    /// Place in the list of one that is offered and not yet taken.
    offered: Option<usize>,
}

/// The five channels, as keys of stalls.
#[derive(Clone, Copy)]
enum Channel {
    Ar,
    Aw,
    W,
    R,
    B,
}

impl Answers {
    /// The answer offered in a cycle: one offered before, else of those due that are the oldest of their ID.
    fn pick(&self, cycle: u64, stalled: bool, draw: Option<u64>) -> Option<usize> {
        if self.offered.is_some() || stalled {
            return self.offered;
        }
        let first = |i: usize| self.list.iter().take(i).all(|a| a.id != self.list[i].id);
        let mut ready = (0..self.list.len()).filter(|&i| self.list[i].due <= cycle && first(i));
        match draw {
            None => ready.next(),
            Some(draw) => {
                let count = ready.clone().count() as u64;
                (count > 0).then(|| ready.nth((draw % count) as usize)).flatten()
            }
        }
    }
}

/// The memory's side of one master.
#[derive(Clone, Debug)]
pub struct Master {
    number: usize,
    bus: u32,
    options: AxiOptions,
    reads: Answers,
    writes: Answers,
    /// Write addresses and data that wait for each other: (address, size, ID), (data, strobes).
    addresses: VecDeque<(u32, u32, u32)>,
    data: VecDeque<(u64, u8)>,
    last: Option<(Out, In)>,
}

impl Master {
    /// The side of master `k` with a bus of that many bits.
    pub fn new(k: usize, data_bits: u32, options: &AxiOptions) -> Master {
        Master {
            number: k,
            bus: data_bits / 8,
            options: *options,
            reads: Answers::default(),
            writes: Answers::default(),
            addresses: VecDeque::new(),
            data: VecDeque::new(),
            last: None,
        }
    }

    fn draw(&self, channel: Channel, cycle: u64, salt: u64) -> u64 {
        let key = STALL_KEYS + self.number as u64;
        mix(self.options.seed ^ mix(key << 8 ^ (channel as u64) << 4 ^ salt ^ mix(cycle)))
    }

    fn stalled(&self, channel: Channel, cycle: u64) -> bool {
        let percent = u128::from(self.options.stall_percent);
        percent > 0 && (u128::from(self.draw(channel, cycle, 0)) * 100) >> 64 < percent
    }

    /// When the answer to what is performed in a cycle is due.
    fn due(&self, channel: Channel, cycle: u64) -> u64 {
        let late = if self.options.reorder { self.draw(channel, cycle, 2) % SPREAD } else { 0 };
        cycle + u64::from(self.options.latency.max(1)) + late
    }

    fn pick(&self, channel: Channel, cycle: u64) -> Option<usize> {
        let answers = if let Channel::R = channel { &self.reads } else { &self.writes };
        let draw = self.options.reorder.then(|| self.draw(channel, cycle, 1));
        answers.pick(cycle, self.stalled(channel, cycle), draw)
    }

    /// What the fabric sees in a cycle.
    pub fn inputs(&self, cycle: u64) -> In {
        let mut seen = In {
            arready: !self.stalled(Channel::Ar, cycle),
            awready: !self.stalled(Channel::Aw, cycle),
            wready: !self.stalled(Channel::W, cycle),
            ..In::default()
        };
        if let Some(i) = self.pick(Channel::R, cycle) {
            let a = self.reads.list[i];
            (seen.rvalid, seen.rid, seen.rdata, seen.rresp, seen.rlast) = (true, a.id, a.data, a.resp, true);
        }
        if let Some(i) = self.pick(Channel::B, cycle) {
            let a = self.writes.list[i];
            (seen.bvalid, seen.bid, seen.bresp) = (true, a.id, a.resp);
        }
        seen
    }

    /// The end of a cycle: transfers happen. `Some` says which rule of AXI the fabric broke.
    pub fn clock(&mut self, cycle: u64, out: &Out, memory: &mut dyn Subordinate) -> Option<String> {
        let seen = self.inputs(cycle);
        let broken = self.broken(out);
        let (read_due, write_due) = (self.due(Channel::R, cycle), self.due(Channel::B, cycle));
        for (channel, taken) in [(Channel::R, out.rready), (Channel::B, out.bready)] {
            let offered = self.pick(channel, cycle);
            let answers = if let Channel::R = channel { &mut self.reads } else { &mut self.writes };
            answers.offered = offered;
            if let (Some(i), true) = (offered, taken) {
                answers.list.remove(i);
                answers.offered = None;
            }
        }
        if out.arvalid && seen.arready {
            let count = 1usize << out.arsize.min(3);
            let lane = 8 * (out.araddr & (self.bus - 1));
            // What is not asked for is garbage.
            let garbage = mix(u64::from(out.araddr) ^ cycle);
            let mask = loom_base::truncate(u64::MAX, 8 * count as u32) << lane;
            let (data, resp) =
                match memory.read(Requester { master: self.number, id: out.arid }, out.araddr, count) {
                    Some(value) => (value << lane & mask | garbage & !mask, 0),
                    None => (garbage, DECERR),
                };
            let data = loom_base::truncate(data, 8 * self.bus);
            self.reads.list.push_back(Answer { due: read_due, id: out.arid, data, resp });
        }
        if out.awvalid && seen.awready {
            self.addresses.push_back((out.awaddr, out.awsize, out.awid));
        }
        if out.wvalid && seen.wready {
            self.data.push_back((out.wdata, out.wstrb));
        }
        let mut wrong = None;
        if let (Some(&(address, size, id)), Some(&(data, strobes))) =
            (self.addresses.front(), self.data.front())
        {
            self.addresses.pop_front();
            self.data.pop_front();
            let count = 1u32 << size.min(3);
            let lane = address & (self.bus - 1);
            let element = ((1u32 << count) - 1) << lane;
            if u32::from(strobes) != element {
                wrong = Some(format!("strobes {strobes:#04x} for {count} bytes at {address:#x}"));
            }
            let value = loom_base::truncate(data >> (8 * lane), 8 * count);
            let from = Requester { master: self.number, id };
            let resp = if memory.write(from, address, count as usize, value) { 0 } else { DECERR };
            self.writes.list.push_back(Answer { due: write_due, id, data: 0, resp });
        }
        self.last = Some((*out, seen));
        broken.or(wrong)
    }

    /// The rule that what the fabric drives breaks, looking back one cycle.
    fn broken(&self, out: &Out) -> Option<String> {
        let address = |name: &str, valid: bool, addr: u32, size: u32, len: u32, burst: u32| {
            if !valid {
                return None;
            }
            if size > self.bus.ilog2() {
                return Some(format!("{name}size is {size} on a bus of {} bytes", self.bus));
            }
            if len != 0 || burst != 1 {
                return Some(format!("{name}len {len} and {name}burst {burst}, not one beat of INCR"));
            }
            (addr & ((1 << size) - 1) != 0)
                .then(|| format!("{name}addr {addr:#x} is not aligned to its size"))
        };
        let ar = address("ar", out.arvalid, out.araddr, out.arsize, out.arlen, out.arburst);
        let aw = address("aw", out.awvalid, out.awaddr, out.awsize, out.awlen, out.awburst);
        let last = (out.wvalid && !out.wlast).then(|| "a write beat without wlast".to_string());
        let held = self.last.as_ref().and_then(|(was, seen)| {
            let ar = |o: &Out| (o.arvalid, o.araddr, o.arid, o.arsize);
            let aw = |o: &Out| (o.awvalid, o.awaddr, o.awid, o.awsize);
            let w = |o: &Out| (o.wvalid, o.wdata, o.wstrb, o.wlast);
            let changed = [
                (was.arvalid && !seen.arready && ar(was) != ar(out), "ar"),
                (was.awvalid && !seen.awready && aw(was) != aw(out), "aw"),
                (was.wvalid && !seen.wready && w(was) != w(out), "w"),
            ];
            let (_, name) = changed.into_iter().find(|(c, _)| *c)?;
            Some(format!("{name}valid was withdrawn, or its payload changed, before {name}ready"))
        });
        held.or(ar).or(aw).or(last)
    }

    /// Whether nothing is under way, nor was asked for in the last cycle and not yet taken.
    pub fn idle(&self) -> bool {
        let waits = self.last.as_ref().is_some_and(|(out, seen)| {
            out.arvalid && !seen.arready || out.awvalid && !seen.awready || out.wvalid && !seen.wready
        });
        !waits
            && self.reads.list.is_empty()
            && self.writes.list.is_empty()
            && self.addresses.is_empty()
            && self.data.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(addr: u32, id: u32) -> Out {
        let base = Out { rready: true, bready: true, wlast: true, arburst: 1, awburst: 1, ..Out::default() };
        Out { arvalid: true, araddr: addr, arid: id, arsize: 2, ..base }
    }

    fn write(addr: u32, data: u64, size: u32, strobes: u8) -> Out {
        let base = read(0, 0);
        Out {
            arvalid: false,
            awvalid: true,
            awaddr: addr,
            awsize: size,
            wvalid: true,
            wdata: data,
            wstrb: strobes,
            ..base
        }
    }

    #[test]
    fn an_answer_comes_after_the_latency() {
        for latency in [1, 5, 20] {
            let mut memory = HostMemory::new();
            let base = memory.add(vec![1, 2, 3, 4]);
            let mut m = Master::new(0, 32, &AxiOptions { latency, ..AxiOptions::default() });
            assert_eq!(m.clock(0, &read(base, 0), &mut memory), None);
            let quiet = Out { arvalid: false, ..read(base, 0) };
            for cycle in 1..u64::from(latency) {
                assert!(!m.inputs(cycle).rvalid);
                m.clock(cycle, &quiet, &mut memory);
            }
            let seen = m.inputs(latency.into());
            assert_eq!((seen.rvalid, seen.rdata, seen.rresp), (true, 0x0403_0201, 0));
            m.clock(latency.into(), &quiet, &mut memory);
            assert!(m.idle());
        }
    }

    #[test]
    fn writes_touch_their_bytes_and_holes_are_answered_with_an_error() {
        let mut memory = HostMemory::new();
        let base = memory.add(vec![0; 8]);
        let other = memory.add(vec![0; 4]);
        assert!(other >= base + 8 + 4096);
        let mut m = Master::new(0, 64, &AxiOptions::default());
        assert_eq!(m.clock(0, &write(base + 2, 0x00ab_cdef_0000, 1, 0b1100), &mut memory), None);
        assert_eq!(memory.bytes(0), [0, 0, 0xef, 0xcd, 0, 0, 0, 0]);
        assert_eq!(m.clock(1, &read(base + 8, 3), &mut memory), None);
        let seen = m.inputs(2);
        assert_eq!((seen.rvalid, seen.rid, seen.rresp), (true, 3, DECERR));
    }

    #[test]
    fn ids_overtake_each_other_but_not_themselves() {
        let mut memory = HostMemory::new();
        let base = memory.add((0..64).collect());
        for stall_percent in [0, 30] {
            overtaking(&mut memory, base, stall_percent);
        }
    }

    fn overtaking(memory: &mut HostMemory, base: u32, stall_percent: u32) {
        let options = AxiOptions { latency: 3, stall_percent, reorder: true, seed: 7 };
        let mut m = Master::new(1, 32, &options);
        let (mut sent, mut got) = (0, Vec::new());
        for cycle in 0..200 {
            let seen = m.inputs(cycle);
            if seen.rvalid {
                got.push((seen.rid, seen.rdata as u32 & 0xff));
            }
            let out = Out { arvalid: sent < 16, ..read(base + 4 * sent, sent % 2) };
            assert_eq!(m.clock(cycle, &out, memory), None);
            sent += u32::from(seen.arready && out.arvalid);
        }
        assert_eq!(got.len(), 16);
        let of = |id| got.iter().filter(|g| g.0 == id).map(|g| g.1).collect::<Vec<_>>();
        assert!(of(0).is_sorted() && of(1).is_sorted());
        assert!(!got.iter().map(|g| g.1).is_sorted(), "something was overtaken");
    }

    #[test]
    fn without_reordering_answers_keep_the_order_of_requests() {
        let mut memory = HostMemory::new();
        let base = memory.add((0..64).collect());
        let mut m = Master::new(0, 32, &AxiOptions { stall_percent: 50, ..AxiOptions::default() });
        let (mut sent, mut got) = (0, Vec::new());
        let mut held = None;
        for cycle in 0..300 {
            let seen = m.inputs(cycle);
            if let Some(id) = held {
                assert_eq!((seen.rvalid, seen.rid), (true, id), "an answer once offered stays");
            }
            // A fabric that takes every third cycle only.
            let rready = cycle % 3 == 0;
            held = (seen.rvalid && !rready).then_some(seen.rid);
            if seen.rvalid && rready {
                got.push(seen.rid);
            }
            let out = Out { arvalid: sent < 16, rready, ..read(base + 4 * (sent % 16), sent) };
            assert_eq!(m.clock(cycle, &out, &mut memory), None);
            sent += u32::from(seen.arready && out.arvalid);
        }
        assert_eq!(got, (0..16).collect::<Vec<_>>());
        assert!(m.idle());
    }

    #[test]
    fn the_nth_data_belongs_to_the_nth_address() {
        let mut memory = HostMemory::new();
        let base = memory.add(vec![0; 8]);
        let mut m = Master::new(0, 32, &AxiOptions { latency: 2, ..AxiOptions::default() });
        let only_data = |v| Out { awvalid: false, ..write(0, v, 2, 15) };
        let only_address = |a, id| Out { wvalid: false, awid: id, ..write(a, 0, 2, 0) };
        let outs = [only_data(1), only_data(2), only_address(base + 4, 5), only_address(base, 6)];
        for (cycle, out) in outs.iter().enumerate() {
            assert!(!m.inputs(cycle as u64).bvalid);
            assert_eq!(m.clock(cycle as u64, out, &mut memory), None);
        }
        assert_eq!(memory.bytes(0), [2, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!((memory.read(base, 4), memory.read(base + 6, 4)), (Some(2), None));
        let quiet = Out { bready: true, ..Out::default() };
        for (cycle, id) in [(4, 5), (5, 6)] {
            let seen = m.inputs(cycle);
            assert_eq!((seen.bvalid, seen.bid, seen.bresp), (true, id, 0));
            assert_eq!(m.clock(cycle, &quiet, &mut memory), None);
        }
        assert!(m.idle());
    }

    #[test]
    fn a_write_into_a_hole_is_an_error() {
        let mut memory = HostMemory::new();
        let base = memory.add(vec![7; 6]);
        let mut m = Master::new(0, 32, &AxiOptions::default());
        assert_eq!(m.clock(0, &write(base + 4, 0, 2, 15), &mut memory), None);
        assert_eq!(m.inputs(1).bresp, DECERR);
        assert_eq!(memory.bytes(0), [7; 6]);
    }

    #[test]
    fn channels_stall_apart() {
        let m = Master::new(0, 32, &AxiOptions { stall_percent: 30, ..AxiOptions::default() });
        let of = |pick: fn(In) -> bool| (0..10_000).map(|c| pick(m.inputs(c))).collect::<Vec<_>>();
        let (ar, aw, w) = (of(|s| s.arready), of(|s| s.awready), of(|s| s.wready));
        assert!(ar != aw && aw != w && ar != w);
        for row in [ar, aw, w] {
            assert!((6_700..7_300).contains(&row.iter().filter(|r| **r).count()));
        }
    }

    #[test]
    fn broken_rules_are_named() {
        let mut memory = HostMemory::new();
        let base = memory.add(vec![0; 64]);
        let fresh = || Master::new(0, 32, &AxiOptions::default());
        let mut one = |out: &Out| fresh().clock(0, out, &mut memory).unwrap_or_default();
        assert!(one(&Out { arsize: 3, ..read(base, 0) }).contains("arsize"));
        assert!(one(&Out { arlen: 1, ..read(base, 0) }).contains("INCR"));
        assert!(one(&read(base + 2, 0)).contains("aligned"));
        assert!(one(&Out { wlast: false, ..write(base, 0, 2, 15) }).contains("wlast"));
        assert!(one(&write(base, 0, 1, 15)).contains("strobes"));
        let stalling = AxiOptions { stall_percent: 100, ..AxiOptions::default() };
        let mut m = Master::new(0, 32, &stalling);
        assert_eq!(m.clock(0, &read(base, 0), &mut memory), None);
        assert!(!m.idle(), "a request waits");
        let message = m.clock(1, &read(base + 4, 0), &mut memory).unwrap_or_default();
        assert!(message.contains("arvalid was withdrawn"), "{message}");
    }
}
