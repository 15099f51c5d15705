//! Memory interfaces (contract, section 9): lanes of loads and stores in front of a scratchpad or an AXI4 port.
//!
//! A family of ports has one port for each lane, or with a tag one port that its lanes share.

use super::wire::{first_from, put, Shared, Wire, NEVER, OPEN, W};
use crate::axi;
use loom_adg::model::MemoryInterface;
use loom_adg::HwError;
use std::collections::VecDeque;

/// A valid region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub start: u64,
    pub end: u64,
    pub offset: u64,
    pub size: u32,
}

/// A request that is not bad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Request {
    pub lane: usize,
    pub address: u64,
    pub size: u32,
    pub data: u64,
}

/// Ports of a family: one, or one for each lane.
type Ports = Vec<W>;

/// An output of a tagged interface: which lane it shows.
#[derive(Clone, Copy, Debug, Default)]
struct Arbiter {
    pointer: usize,
    lock: bool,
    grant: usize,
}

impl Arbiter {
    fn look(&mut self, lanes: usize, has: impl Fn(usize) -> bool) -> Option<usize> {
        let grant = if self.lock { Some(self.pointer) } else { first_from(self.pointer, lanes, has) };
        self.grant = grant.unwrap_or(self.pointer);
        grant
    }

    fn clock(&mut self, wire: &Wire, lanes: usize) {
        if wire.valid {
            self.lock = !wire.ready;
            self.pointer = if wire.ready { (self.grant + 1) % lanes } else { self.grant };
        }
    }
}

/// A load lane.
#[derive(Clone, Debug, Default)]
struct LoadLane {
    data_owed: usize,
    done_owed: usize,
    data: VecDeque<u64>,
    done: usize,
    /// Byte lane and size of each load under way.
    shifts: VecDeque<(u32, u32)>,
}

/// A store lane.
#[derive(Clone, Debug, Default)]
struct StoreLane {
    owed: usize,
    done: usize,
    addresses: VecDeque<u64>,
    data: VecDeque<u64>,
}

/// What passed between the lanes and the memory behind them in a cycle.
pub(super) struct Passed {
    pub load: Option<Request>,
    pub store: Option<Request>,
    /// A load's lane and element.
    pub loaded: Option<(usize, u64)>,
    /// A store's lane.
    pub stored: Option<usize>,
}

/// What stands behind the lanes.
#[derive(Clone, Debug)]
pub(super) enum Back {
    /// A scratchpad: its bytes, and what arrives in this cycle.
    Pad { bytes: Vec<u8>, load: Option<(usize, u64)>, store: Option<usize> },
    /// An AXI port: skids, and what the port shows in this cycle.
    Axi { ar: Option<Request>, aw: Option<Request>, w: Option<Request>, seen: axi::In, out: axi::Out },
}

/// A memory interface.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub shape: MemoryInterface,
    pub regions: Vec<Region>,
    /// `ld_addr`, `st_addr`, `st_data`.
    pub requests: [Ports; 3],
    /// `ld_data`, `ld_done`, `st_done`.
    pub answers: [Ports; 3],
    loads: Vec<LoadLane>,
    stores: Vec<StoreLane>,
    arbiters: [Arbiter; 3],
    /// Lanes that come first.
    load_pointer: usize,
    store_pointer: usize,
    pub back: Back,
    /// This cycle's requests, decided with the readys.
    load: Option<Request>,
    store: Option<Request>,
    /// What arrived before the last clock edge: a load's lane and element, a store's lane.
    arrived: (Option<(usize, u64)>, Option<usize>),
    pub unit: u32,
}

impl Memory {
    pub fn new(
        shape: MemoryInterface,
        regions: Vec<Region>,
        ports: ([Ports; 3], [Ports; 3]),
        unit: u32,
    ) -> Memory {
        let back = if shape.is_external() {
            Back::Axi {
                ar: None,
                aw: None,
                w: None,
                seen: axi::In::default(),
                out: axi::Out { rready: true, bready: true, ..axi::Out::default() },
            }
        } else {
            Back::Pad { bytes: vec![0; shape.bytes() as usize], load: None, store: None }
        };
        Memory {
            shape,
            regions,
            requests: ports.0,
            answers: ports.1,
            loads: vec![LoadLane::default(); shape.loads],
            stores: vec![StoreLane::default(); shape.stores],
            arbiters: [Arbiter::default(); 3],
            load_pointer: 0,
            store_pointer: 0,
            back,
            load: None,
            store: None,
            arrived: (None, None),
            unit,
        }
    }

    pub fn inputs(&self) -> Vec<W> {
        self.requests.iter().flatten().copied().filter(|&w| w != NEVER).collect()
    }

    pub fn outputs(&self) -> Vec<W> {
        self.answers.iter().flatten().copied().filter(|&w| w != OPEN).collect()
    }

    /// What passed in the cycle that the last clock edge ended.
    pub fn passed(&self) -> Passed {
        let (loaded, stored) = self.arrived;
        Passed { load: self.load, store: self.store, loaded, stored }
    }

    fn tagged(&self) -> bool {
        self.shape.tag > 0
    }

    /// The load that arrives in this cycle, its element shifted down; none on a lane that does not exist.
    fn arriving_load(&self) -> Option<(usize, u64)> {
        let (lane, word) = match &self.back {
            Back::Pad { load, .. } => (*load)?,
            Back::Axi { seen, .. } if seen.rvalid => (seen.rid as usize, seen.rdata),
            Back::Axi { .. } => return None,
        };
        let &(byte, size) = self.loads.get(lane)?.shifts.front()?;
        Some((lane, loom_base::truncate(word >> (8 * byte), 8 << size)))
    }

    fn arriving_store(&self) -> Option<usize> {
        match &self.back {
            Back::Pad { store, .. } => *store,
            Back::Axi { seen, .. } => {
                seen.bvalid.then_some(seen.bid as usize).filter(|&l| l < self.stores.len())
            }
        }
    }

    pub fn valid(&mut self, wires: &mut [Wire]) {
        if self.tagged() {
            let Memory { arbiters, loads, stores, answers, .. } = self;
            let [data, load_done, store_done] =
                [0, 1, 2].map(|k| answers[k].first().copied().unwrap_or(OPEN));
            let shown = arbiters[0].look(loads.len(), |l| !loads[l].data.is_empty());
            let value = shown.and_then(|l| loads[l].data.front().copied()).unwrap_or(0);
            put(wires, data, shown.is_some(), value, arbiters[0].grant as u32);
            let shown = arbiters[1].look(loads.len(), |l| loads[l].done > 0);
            put(wires, load_done, shown.is_some(), 0, arbiters[1].grant as u32);
            let shown = arbiters[2].look(stores.len(), |l| stores[l].done > 0);
            put(wires, store_done, shown.is_some(), 0, arbiters[2].grant as u32);
            return;
        }
        // A scratchpad's answers fall through empty queues, those of AXI do not (H12).
        let passing = !self.shape.is_external();
        let (load, store) = (self.arriving_load(), self.arriving_store());
        let [data, load_done, store_done] = &self.answers;
        for (l, lane) in self.loads.iter().enumerate() {
            let arriving = load.filter(|&(to, _)| passing && to == l).map(|(_, value)| value);
            let value = lane.data.front().copied().or(arriving);
            put(wires, data[l], value.is_some(), value.unwrap_or(0), 0);
            put(wires, load_done[l], lane.done > 0 || arriving.is_some(), 0, 0);
        }
        for (l, lane) in self.stores.iter().enumerate() {
            let arriving = passing && store == Some(l);
            put(wires, store_done[l], lane.done > 0 || arriving, 0, 0);
        }
    }

    /// The byte address of an element, or what is wrong with the request.
    fn translate(&self, lane: usize, lanes: usize, element: u64, data: u64) -> Result<Request, HwError> {
        if lane >= lanes {
            return Err(HwError::RtMemoryTagOob);
        }
        let external = self.shape.is_external();
        let holds = |r: &&Region| r.start <= lane as u64 && (lane as u64) < r.end;
        let Some(region) = self.regions.iter().find(holds) else {
            return Err(if external { HwError::RtExtmemoryNoMatch } else { HwError::RtMemoryNoMatch });
        };
        let address = u128::from(region.offset) + (u128::from(element) << region.size);
        let address = address >> region.size << region.size;
        if address >= u128::from(self.shape.bytes()) {
            return Err(HwError::RtMemoryAddress);
        }
        Ok(Request { lane, address: address as u64, size: region.size, data })
    }

    /// Lanes owe less than their queues hold.
    fn room(&self, lane: &LoadLane) -> bool {
        lane.data_owed < self.shape.queue && lane.done_owed < self.shape.queue
    }

    fn load_request(&self, wires: &[Wire]) -> Option<Result<Request, HwError>> {
        let lanes = self.loads.len();
        let [addresses, ..] = &self.requests;
        if self.tagged() {
            let wire = wires[*addresses.first()? as usize];
            return wire.valid.then(|| self.translate(wire.tag as usize, lanes, wire.data, 0));
        }
        let offers = |l: usize| wires[addresses[l] as usize].valid && self.room(&self.loads[l]);
        let lane = first_from(self.load_pointer, lanes, offers)?;
        Some(self.translate(lane, lanes, wires[addresses[lane] as usize].data, 0))
    }

    fn store_request(&self, wires: &[Wire]) -> Option<Result<Request, HwError>> {
        let lanes = self.stores.len();
        if !self.tagged() {
            let [_, addresses, data] = &self.requests;
            let of = |ports: &Ports, l: usize| wires[ports[l] as usize];
            let offers = |l: usize| {
                of(addresses, l).valid && of(data, l).valid && self.stores[l].owed < self.shape.queue
            };
            let lane = first_from(self.store_pointer, lanes, offers)?;
            return Some(self.translate(lane, lanes, of(addresses, lane).data, of(data, lane).data));
        }
        let both = |l: usize| !self.stores[l].addresses.is_empty() && !self.stores[l].data.is_empty();
        let lane = first_from(self.store_pointer, lanes, both)?;
        let (address, data) = (self.stores[lane].addresses[0], self.stores[lane].data[0]);
        Some(self.translate(lane, lanes, address, data))
    }

    fn takes_load(&self) -> bool {
        !matches!(self.back, Back::Axi { ar: Some(_), .. })
    }

    fn takes_store(&self) -> bool {
        !matches!(self.back, Back::Axi { aw: Some(_), .. } | Back::Axi { w: Some(_), .. })
    }

    pub fn ready(&mut self, wires: &mut [Wire], shared: &Shared) {
        let stopped = shared.stopped[self.unit as usize];
        let queue = self.shape.queue;
        self.load = self
            .load_request(wires)
            .and_then(Result::ok)
            .filter(|r| !stopped && self.room(&self.loads[r.lane]) && self.takes_load());
        self.store = self
            .store_request(wires)
            .and_then(Result::ok)
            .filter(|r| !stopped && self.stores[r.lane].owed < queue && self.takes_store());
        // The lane that goes: with a tag, any.
        let goes = |request: &Option<Request>, l: usize| {
            request.as_ref().is_some_and(|r| self.tagged() || r.lane == l)
        };
        for (l, &w) in self.requests[0].iter().enumerate().filter(|(_, &w)| w != NEVER) {
            wires[w as usize].ready = goes(&self.load, l);
        }
        for (port, is_data) in [(1, false), (2, true)] {
            for (l, &w) in self.requests[port].iter().enumerate().filter(|(_, &w)| w != NEVER) {
                let tag = wires[w as usize].tag as usize;
                wires[w as usize].ready = if self.tagged() {
                    let room = |lane: &StoreLane| {
                        let fifo = if is_data { &lane.data } else { &lane.addresses };
                        fifo.len() < queue
                    };
                    !stopped && wires[w as usize].valid && self.stores.get(tag).is_some_and(room)
                } else {
                    goes(&self.store, l)
                };
            }
        }
    }

    fn raise_errors(&mut self, wires: &[Wire], shared: &mut Shared) {
        for request in [self.load_request(wires), self.store_request(wires)] {
            if let Some(Err(error)) = request {
                shared.raise(error, self.unit);
            }
        }
        let count = self.stores.len();
        if self.tagged() {
            for &w in self.requests[1..].iter().flatten() {
                let wire = wires[w as usize];
                if wire.valid && wire.tag as usize >= count {
                    shared.raise(HwError::RtMemoryTagOob, self.unit);
                }
            }
        }
        if let Back::Axi { seen, .. } = &self.back {
            if seen.rvalid && seen.rresp != 0 || seen.bvalid && seen.bresp != 0 {
                shared.raise(HwError::RtAxiResponse, self.unit);
            }
        }
    }

    pub fn clock(&mut self, wires: &[Wire], shared: &mut Shared) {
        self.raise_errors(wires, shared);
        let (load, store) = (self.load, self.store);
        let (got_load, got_store) = (self.arriving_load(), self.arriving_store());
        self.arrived = (got_load, got_store);
        let tagged = self.tagged();
        if let Some((lane, value)) = got_load {
            let lane = &mut self.loads[lane];
            lane.shifts.pop_front();
            lane.data.push_back(value);
            lane.done += 1;
        }
        if let Some(lane) = got_store {
            self.stores[lane].done += 1;
        }
        shared.changed |= self.let_go(wires);
        if tagged {
            for port in [1, 2] {
                for &w in &self.requests[port] {
                    let wire = wires[w as usize];
                    if !wire.moves() {
                        continue;
                    }
                    let lane = &mut self.stores[wire.tag as usize];
                    if port == 1 { &mut lane.addresses } else { &mut lane.data }.push_back(wire.data);
                    shared.changed = true;
                }
            }
        }
        if let Some(r) = load {
            let byte = (r.address & (u64::from(self.shape.width / 8) - 1)) as u32;
            let lane = &mut self.loads[r.lane];
            lane.shifts.push_back((byte, r.size));
            lane.data_owed += 1;
            lane.done_owed += 1;
            self.load_pointer = (r.lane + 1) % self.loads.len();
        }
        if let Some(r) = store {
            let lane = &mut self.stores[r.lane];
            lane.owed += 1;
            if tagged {
                lane.addresses.pop_front();
                lane.data.pop_front();
            }
            self.store_pointer = (r.lane + 1) % self.stores.len();
        }
        shared.changed |= load.is_some() || store.is_some() || got_load.is_some() || got_store.is_some();
        self.clock_back(load, store);
    }

    /// Answers that leave in this cycle; without a tag that may be the cycle they arrive in. Gives whether any does.
    fn let_go(&mut self, wires: &[Wire]) -> bool {
        let tagged = self.tagged();
        let Memory { answers, arbiters, loads, stores, .. } = self;
        let leaves = |family: usize, lane: usize| match tagged {
            true => wires[answers[family][0] as usize].moves() && arbiters[family].grant == lane,
            false => wires[answers[family][lane] as usize].moves(),
        };
        let mut any = false;
        for (l, lane) in loads.iter_mut().enumerate() {
            if leaves(0, l) {
                lane.data.pop_front();
                lane.data_owed -= 1;
                any = true;
            }
            if leaves(1, l) {
                lane.done -= 1;
                lane.done_owed -= 1;
                any = true;
            }
        }
        for (_, lane) in stores.iter_mut().enumerate().filter(|(l, _)| leaves(2, *l)) {
            lane.done -= 1;
            lane.owed -= 1;
            any = true;
        }
        if tagged {
            let lanes = [loads.len(), loads.len(), stores.len()];
            for ((arbiter, ports), lanes) in arbiters.iter_mut().zip(answers).zip(lanes) {
                if let Some(&w) = ports.first() {
                    arbiter.clock(&wires[w as usize], lanes);
                }
            }
        }
        any
    }

    fn clock_back(&mut self, load: Option<Request>, store: Option<Request>) {
        let word = u64::from(self.shape.width / 8);
        match &mut self.back {
            Back::Pad { bytes, load: arriving, store: done } => {
                *arriving = load.map(|r| {
                    let at = (r.address & !(word - 1)) as usize;
                    let value =
                        bytes[at..at + word as usize].iter().rev().fold(0, |v, b| v << 8 | u64::from(*b));
                    (r.lane, value)
                });
                *done = store.map(|r| {
                    for i in 0..1usize << r.size {
                        bytes[r.address as usize + i] = (r.data >> (8 * i)) as u8;
                    }
                    r.lane
                });
            }
            Back::Axi { ar, aw, w, seen, out } => {
                let (a, b, c) = (ar.or(load), aw.or(store), w.or(store));
                *out = axi::Out {
                    rready: true,
                    bready: true,
                    arburst: 1,
                    awburst: 1,
                    wlast: true,
                    ..axi::Out::default()
                };
                if let Some(r) = a {
                    (out.arvalid, out.araddr, out.arid, out.arsize) =
                        (true, r.address as u32, r.lane as u32, r.size);
                }
                if let Some(r) = b {
                    (out.awvalid, out.awaddr, out.awid, out.awsize) =
                        (true, r.address as u32, r.lane as u32, r.size);
                }
                if let Some(r) = c {
                    let byte = (r.address & (word - 1)) as u32;
                    out.wvalid = true;
                    out.wdata = loom_base::truncate(r.data, 8 << r.size) << (8 * byte);
                    out.wstrb = (((1u32 << (1 << r.size)) - 1) << byte) as u8;
                }
                *ar = a.filter(|_| !seen.arready);
                *aw = b.filter(|_| !seen.awready);
                *w = c.filter(|_| !seen.wready);
            }
        }
    }

    /// What it holds, in words.
    pub fn holds(&self) -> Option<String> {
        let owed = self.loads.iter().map(|l| l.data_owed.max(l.done_owed)).sum::<usize>()
            + self.stores.iter().map(|l| l.owed).sum::<usize>();
        let halves: usize = self.stores.iter().map(|l| l.addresses.len().max(l.data.len())).sum();
        let skid =
            matches!(&self.back, Back::Axi { ar, aw, w, .. } if ar.is_some() || aw.is_some() || w.is_some());
        (owed + halves > 0 || skid).then(|| format!("{owed} accesses under way, {halves} stores wait"))
    }
}
