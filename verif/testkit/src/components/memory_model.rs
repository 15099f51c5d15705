//! InterfaceModel interfaces as section 9 of the contract has them, in plain Rust.

use super::bench::BenchToken;
use loom_adg::model::{Backing, MemoryInterface};
use loom_base::truncate;
use std::collections::{BTreeSet, VecDeque};

/// A line of the region table.
#[derive(Clone, Copy, Debug)]
pub struct RegionLine {
    pub valid: bool,
    pub start: u64,
    pub end: u64,
    pub offset: u64,
    pub size: u32,
}

/// A host's access.
#[derive(Clone, Copy, Debug)]
pub struct HostAccess {
    pub write: bool,
    pub address: u64,
    pub data: u64,
    pub strobe: u64,
}

/// What an interface sees in a cycle.
#[derive(Clone, Debug, Default)]
pub struct MemoryIn {
    /// By port of `ld_addr`, `st_addr`, `st_data`.
    pub requests: [Vec<Option<BenchToken>>; 3],
    /// By port of `ld_data`, `ld_done`, `st_done`.
    pub ready: [Vec<bool>; 3],
    pub host: Option<HostAccess>,
    pub arready: bool,
    pub awready: bool,
    pub wready: bool,
    /// ID, data, response.
    pub r: Option<(u64, u64, u64)>,
    /// ID, response.
    pub b: Option<(u64, u64)>,
}

/// Address, ID and size of an AXI request.
pub type Address = (u64, u64, u64);

/// What an interface shows in a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryOut {
    /// By port of `ld_addr`, `st_addr`, `st_data`; ready counts only with a token there.
    pub ready: [Vec<bool>; 3],
    /// By port of `ld_data`, `ld_done`, `st_done`.
    pub tokens: [Vec<Option<BenchToken>>; 3],
    pub error: u16,
    pub busy: bool,
    pub host_rdata: Option<u64>,
    pub ar: Option<Address>,
    pub aw: Option<Address>,
    /// Strobes, and the data under them.
    pub w: Option<(u64, u64)>,
}

/// One kind of result: queues by lane, the arbiter.
struct Results {
    queues: Vec<VecDeque<u64>>,
    pointer: usize,
    lock: bool,
}

impl Results {
    fn new(lanes: usize) -> Results {
        Results { queues: vec![VecDeque::new(); lanes], pointer: 0, lock: false }
    }

    /// The tokens that the lanes' own ports show, and the lanes whose tokens leave. Queues fall through or do not.
    fn own(
        &mut self,
        falls_through: bool,
        arrives: Option<(usize, u64)>,
        ready: &[bool],
    ) -> (Vec<Option<BenchToken>>, Vec<usize>) {
        let mut enter = arrives;
        if let Some((lane, data)) = enter.filter(|_| falls_through) {
            self.queues[lane].push_back(data);
            enter = None;
        }
        let shown: Vec<_> =
            self.queues.iter().map(|q| Some(BenchToken { data: *q.front()?, tag: 0 })).collect();
        let leave: Vec<usize> = (0..shown.len()).filter(|&l| shown[l].is_some() && ready[l]).collect();
        for &lane in &leave {
            self.queues[lane].pop_front();
        }
        if let Some((lane, data)) = enter {
            self.queues[lane].push_back(data);
        }
        (shown, leave)
    }

    /// The token that the lanes' common port shows, and its lane when it leaves.
    fn shared(&mut self, arrives: Option<(usize, u64)>, ready: bool) -> (Option<BenchToken>, Option<usize>) {
        let lanes = self.queues.len();
        let first = (0..lanes).map(|k| (self.pointer + k) % lanes).find(|&l| !self.queues[l].is_empty());
        let grant = if self.lock { Some(self.pointer) } else { first };
        let token = grant.map(|l| BenchToken { data: self.queues[l][0], tag: l as u64 });
        if let Some(l) = grant {
            self.lock = !ready;
            self.pointer = if ready { (l + 1) % lanes } else { l };
            if ready {
                self.queues[l].pop_front();
            }
        }
        if let Some((lane, data)) = arrives {
            self.queues[lane].push_back(data);
        }
        (token, grant.filter(|_| ready))
    }
}

pub struct InterfaceModel {
    spec: MemoryInterface,
    regions: Vec<RegionLine>,
    data_owed: Vec<usize>,
    done_owed: Vec<usize>,
    st_owed: Vec<usize>,
    addresses: Vec<VecDeque<u64>>,
    data: Vec<VecDeque<u64>>,
    /// The lane of loads, and of stores, that comes first.
    load_pointer: usize,
    pointer: usize,
    results: [Results; 3],
    errors: BTreeSet<u16>,
    /// Scratchpad: contents, what arrives in this cycle, the last word the host read.
    bytes: Vec<u8>,
    load_arrives: Option<(usize, u64)>,
    store_arrives: Option<usize>,
    host_read: Option<u64>,
    /// AXI: the skids, and byte and size of loads on their way, by lane.
    ar: Option<Address>,
    aw: Option<Address>,
    w: Option<(u64, u64)>,
    places: Vec<VecDeque<(u64, u32)>>,
}

impl InterfaceModel {
    pub fn new(spec: MemoryInterface, regions: Vec<RegionLine>) -> InterfaceModel {
        let bytes = if spec.is_external() { 0 } else { spec.bytes() as usize };
        InterfaceModel {
            regions,
            data_owed: vec![0; spec.loads],
            done_owed: vec![0; spec.loads],
            st_owed: vec![0; spec.stores],
            addresses: vec![VecDeque::new(); spec.stores],
            data: vec![VecDeque::new(); spec.stores],
            load_pointer: 0,
            pointer: 0,
            results: [Results::new(spec.loads), Results::new(spec.loads), Results::new(spec.stores)],
            errors: BTreeSet::new(),
            bytes: vec![0; bytes],
            load_arrives: None,
            store_arrives: None,
            host_read: None,
            ar: None,
            aw: None,
            w: None,
            places: vec![VecDeque::new(); spec.loads],
            spec,
        }
    }

    /// Byte address and size of an element of a lane, or the error its request is.
    pub fn judge(&self, lane: u64, lanes: usize, element: u64) -> Result<(u64, u32), u16> {
        if lane >= lanes as u64 {
            return Err(260);
        }
        let external = self.spec.is_external();
        let holds = |r: &&RegionLine| r.valid && r.start <= lane && lane < r.end;
        let region = self.regions.iter().find(holds).ok_or(if external { 265u16 } else { 264 })?;
        let address = u128::from(region.offset) + (u128::from(element) << region.size);
        let address = address >> region.size << region.size;
        if address >= u128::from(self.spec.bytes()) {
            return Err(266);
        }
        Ok((address as u64, region.size))
    }

    fn word_bytes(&self) -> u64 {
        u64::from(self.spec.width / 8)
    }

    fn word(&self, address: u64) -> u64 {
        let bytes = self.word_bytes();
        let base = address / bytes * bytes;
        (0..bytes).fold(0, |word, b| word | u64::from(self.bytes[(base + b) as usize]) << (8 * b))
    }

    fn write(&mut self, address: u64, word: u64, strobe: u64) {
        let bytes = self.word_bytes();
        let base = address / bytes * bytes;
        for b in (0..bytes).filter(|b| strobe >> b & 1 == 1) {
            self.bytes[(base + b) as usize] = (word >> (8 * b)) as u8;
        }
    }

    /// The element at a byte of a word.
    fn element(&self, word: u64, address: u64, size: u32) -> u64 {
        truncate(word >> (8 * (address % self.word_bytes())), 8 << size)
    }

    /// The word with an element in its byte lane, and the strobes.
    fn placed(&self, element: u64, address: u64, size: u32) -> (u64, u64) {
        let low = address % self.word_bytes();
        ((truncate(element, 8 << size)) << (8 * low), ((1 << (1 << size)) - 1) << low)
    }

    /// A cycle: what it shows, and the clock edge at its end.
    pub fn step(&mut self, cycle: &MemoryIn) -> MemoryOut {
        let spec = self.spec;
        let failed = !self.errors.is_empty();
        let mut new_errors = Vec::new();
        let mut out = MemoryOut {
            error: self.errors.first().copied().unwrap_or(0),
            busy: [&self.data_owed, &self.done_owed, &self.st_owed].iter().any(|o| o.iter().any(|&n| n > 0))
                || self.addresses.iter().chain(&self.data).any(|q| !q.is_empty())
                || self.ar.is_some()
                || self.aw.is_some()
                || self.w.is_some(),
            host_rdata: self.host_read,
            ..MemoryOut::default()
        };

        // What arrives.
        let (loaded, stored) = match spec.store {
            Backing::Scratchpad { .. } => (self.load_arrives.take(), self.store_arrives.take()),
            Backing::External => {
                let loaded = cycle.r.map(|(id, word, response)| {
                    new_errors.extend((response != 0).then_some(267));
                    let (low, size) = self.places[id as usize].pop_front().expect("a load on its way");
                    (id as usize, self.element(word, low, size))
                });
                let stored = cycle.b.map(|(id, response)| {
                    new_errors.extend((response != 0).then_some(267));
                    id as usize
                });
                (loaded, stored)
            }
        };
        let arrivals = [loaded, loaded.map(|(l, _)| (l, 0)), stored.map(|l| (l, 0))];
        let mut left: [Vec<usize>; 3] = Default::default();
        for (k, results) in self.results.iter_mut().enumerate() {
            if spec.tag == 0 {
                (out.tokens[k], left[k]) = results.own(!spec.is_external(), arrivals[k], &cycle.ready[k]);
            } else if let Some(&ready) = cycle.ready[k].first() {
                let (token, lane) = results.shared(arrivals[k], ready);
                (out.tokens[k], left[k]) = (vec![token], lane.into_iter().collect());
            }
        }
        out.ready = [0, 1, 2].map(|k| vec![false; cycle.requests[k].len()]);

        // Requests.
        let host = cycle.host;
        let (load_free, store_free) = match spec.store {
            Backing::Scratchpad { .. } => (host.is_none_or(|h| h.write), host.is_none_or(|h| !h.write)),
            Backing::External => (self.ar.is_none(), self.aw.is_none() && self.w.is_none()),
        };
        let [ld_addr, st_addr, st_data] = &cycle.requests;
        let room = |lane: usize| self.data_owed[lane] < spec.queue && self.done_owed[lane] < spec.queue;
        // With ports of their own, lanes without room do not ask.
        let candidate = if spec.tag == 0 {
            (0..spec.loads)
                .map(|k| (self.load_pointer + k) % spec.loads)
                .find_map(|l| Some((l as u64, ld_addr[l].filter(|_| room(l))?.data)))
        } else {
            ld_addr.first().copied().flatten().map(|t| (t.tag, t.data))
        };
        let mut load = None;
        if let Some((lane, element)) = candidate {
            match self.judge(lane, spec.loads, element) {
                Err(code) => new_errors.push(code),
                Ok((address, size)) if room(lane as usize) && !failed && load_free => {
                    let lane = lane as usize;
                    load = Some((lane, address, size));
                    out.ready[0][if spec.tag == 0 { lane } else { 0 }] = true;
                    self.load_pointer = (lane + 1) % spec.loads;
                }
                Ok(_) => {}
            }
        }
        let candidate = if spec.tag == 0 {
            let asks = |l: usize| self.st_owed[l] < spec.queue;
            (0..spec.stores)
                .map(|k| (self.pointer + k) % spec.stores)
                .find_map(|l| Some((l, st_addr[l].filter(|_| asks(l))?.data, st_data[l]?.data)))
        } else {
            (0..spec.stores)
                .map(|k| (self.pointer + k) % spec.stores)
                .find_map(|l| Some((l, *self.addresses[l].front()?, *self.data[l].front()?)))
        };
        // Room in the lanes' queues is that of the cycle's beginning.
        let mut enters = [None; 2];
        if spec.tag > 0 {
            for (k, token) in [st_addr, st_data].into_iter().enumerate() {
                let queues = if k == 0 { &self.addresses } else { &self.data };
                match token.first().copied().flatten() {
                    Some(t) if t.tag >= spec.stores as u64 => new_errors.push(260),
                    Some(t) if queues[t.tag as usize].len() < spec.queue && !failed => {
                        out.ready[1 + k][0] = true;
                        enters[k] = Some(t);
                    }
                    _ => {}
                }
            }
        }
        let mut store = None;
        if let Some((lane, element, data)) = candidate {
            match self.judge(lane as u64, spec.stores, element) {
                Err(code) => new_errors.push(code),
                Ok((address, size)) if self.st_owed[lane] < spec.queue && !failed && store_free => {
                    store = Some((lane, address, size, data));
                    if spec.tag == 0 {
                        (out.ready[1][lane], out.ready[2][lane]) = (true, true);
                    } else {
                        self.addresses[lane].pop_front();
                        self.data[lane].pop_front();
                    }
                    self.pointer = (lane + 1) % spec.stores;
                }
                Ok(_) => {}
            }
        }
        for (k, token) in enters.into_iter().enumerate() {
            let queues = if k == 0 { &mut self.addresses } else { &mut self.data };
            if let Some(t) = token {
                queues[t.tag as usize].push_back(t.data);
            }
        }

        // The back end: reads before writes.
        match spec.store {
            Backing::Scratchpad { .. } => {
                let wrap = |address: u64| address % spec.bytes();
                if let Some((lane, address, size)) = load {
                    self.load_arrives = Some((lane, self.element(self.word(address), address, size)));
                }
                if let Some(h) = host.filter(|h| !h.write) {
                    self.host_read = Some(self.word(wrap(h.address)));
                }
                if let Some((lane, address, size, data)) = store {
                    let (word, strobe) = self.placed(data, address, size);
                    self.write(address, word, strobe);
                    self.store_arrives = Some(lane);
                }
                if let Some(h) = host.filter(|h| h.write) {
                    self.write(wrap(h.address), h.data, h.strobe);
                }
            }
            Backing::External => {
                let new = load.map(|(lane, address, size)| {
                    self.places[lane].push_back((address, size));
                    (address, lane as u64, u64::from(size))
                });
                out.ar = self.ar.or(new);
                self.ar = out.ar.filter(|_| !cycle.arready);
                let new = store.map(|(lane, address, size, _)| (address, lane as u64, u64::from(size)));
                out.aw = self.aw.or(new);
                self.aw = out.aw.filter(|_| !cycle.awready);
                let new = store.map(|(_, address, size, data)| {
                    let (word, strobe) = self.placed(data, address, size);
                    (strobe, word)
                });
                out.w = self.w.or(new);
                self.w = out.w.filter(|_| !cycle.wready);
            }
        }

        // What is owed.
        if let Some((lane, ..)) = load {
            self.data_owed[lane] += 1;
            self.done_owed[lane] += 1;
        }
        if let Some((lane, ..)) = store {
            self.st_owed[lane] += 1;
        }
        for (owed, left) in
            [&mut self.data_owed, &mut self.done_owed, &mut self.st_owed].into_iter().zip(left)
        {
            for lane in left {
                owed[lane] -= 1;
            }
        }
        self.errors.extend(new_errors);
        out
    }
}
