//! InterfaceModel interfaces beside their model, section 9 of the contract; behind AXI a slave that answers late and in any order.

use super::bench::{BenchToken, Config, StallRates};
use super::memory_model::{HostAccess, InterfaceModel, MemoryIn, MemoryOut, RegionLine};
use super::planted::planted;
#[cfg(test)]
use super::replay::replay;
use loom_adg::layout::FieldKind;
use loom_adg::model::{Backing, Component, MemoryInterface, MemoryPort};
use loom_base::{truncate, Rng};
use loom_hdl::ir::{Evaluator, Module};
use loom_hdl::parts;
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// The interface in the evaluator.
struct TestBench {
    sim: Evaluator,
    spec: MemoryInterface,
    host: bool,
    module: Arc<Module>,
    /// Every port in every cycle shown, for the printed text.
    record: Vec<Vec<BigUint>>,
}

impl TestBench {
    fn new(spec: MemoryInterface, regions: &[RegionLine]) -> TestBench {
        let component = Component::Memory(spec);
        let mut config = Config::new(&component, spec.address);
        for (r, region) in regions.iter().enumerate() {
            config.set(FieldKind::RegionValid(r), u64::from(region.valid));
            config.set(FieldKind::RegionStart(r), region.start);
            config.set(FieldKind::RegionEnd(r), region.end);
            config.set(FieldKind::RegionOffset(r), region.offset);
            config.set(FieldKind::RegionSize(r), u64::from(region.size));
        }
        let module = planted(&parts::component(&component, spec.address));
        let mut bench = TestBench {
            sim: Evaluator::new(&module),
            spec,
            host: matches!(spec.store, Backing::Scratchpad { host: true, .. }),
            module,
            record: Vec::new(),
        };
        bench.sim.set("cfg", config.bits());
        bench.drive(&quiet(&spec, false));
        bench.sim.reset();
        bench
    }

    fn set(&mut self, name: &str, width: u32, value: Option<u64>) {
        // What nobody offers is anything.
        let all = truncate(u64::MAX, width.min(64));
        if width > 0 {
            self.sim.set(name, BigUint::from(value.unwrap_or(all)));
        }
    }

    fn drive(&mut self, cycle: &MemoryIn) {
        let (inputs, outputs) = self.spec.ports();
        for port in inputs {
            let (name, ty) = (parts::memory_port_name(&self.spec, port), self.spec.port_type(port.0));
            let token = cycle.requests[place(port.0)].get(port.1).copied().flatten();
            self.set(&format!("{name}_valid"), 1, Some(u64::from(token.is_some())));
            self.set(&format!("{name}_data"), ty.width, token.map(|t| t.data));
            self.set(&format!("{name}_tag"), ty.tag, token.map(|t| t.tag));
        }
        for port in outputs {
            let name = parts::memory_port_name(&self.spec, port);
            let ready = cycle.ready[place(port.0)].get(port.1).is_some_and(|r| *r);
            self.set(&format!("{name}_ready"), 1, Some(u64::from(ready)));
        }
        if self.host {
            let h = cycle.host;
            self.set("host_req", 1, Some(u64::from(h.is_some())));
            self.set("host_we", 1, h.map(|h| u64::from(h.write)));
            self.set("host_addr", 32, h.map(|h| h.address));
            self.set("host_wdata", self.spec.width, h.map(|h| h.data));
            self.set("host_wstrb", self.spec.width / 8, h.map(|h| h.strobe));
        }
        if self.spec.is_external() {
            for (name, ready) in
                [("axi_arready", cycle.arready), ("axi_awready", cycle.awready), ("axi_wready", cycle.wready)]
            {
                self.set(name, 1, Some(u64::from(ready)));
            }
            let id = self.spec.id_bits();
            self.set("axi_rvalid", 1, Some(u64::from(cycle.r.is_some())));
            self.set("axi_rid", id, cycle.r.map(|r| r.0));
            self.set("axi_rdata", self.spec.width, cycle.r.map(|r| r.1));
            self.set("axi_rresp", 2, cycle.r.map(|r| r.2));
            self.set("axi_rlast", 1, Some(1));
            self.set("axi_bvalid", 1, Some(u64::from(cycle.b.is_some())));
            self.set("axi_bid", id, cycle.b.map(|b| b.0));
            self.set("axi_bresp", 2, cycle.b.map(|b| b.1));
        }
    }

    fn shown(&mut self) -> MemoryOut {
        let ports = self.module.ports.iter().filter(|p| p.width > 0);
        self.sim.settle();
        self.record.push(ports.map(|p| self.sim.peek(&p.name)).collect());
        let (inputs, outputs) = self.spec.ports();
        let (sim, spec) = (&mut self.sim, self.spec);
        let mut out = MemoryOut { error: sim.get_u64("error_code") as u16, ..MemoryOut::default() };
        out.busy = sim.get_u64("busy") == 1;
        for port in inputs {
            let name = parts::memory_port_name(&spec, port);
            out.ready[place(port.0)].push(sim.get_u64(&format!("{name}_ready")) == 1);
        }
        for port in outputs {
            let (name, ty) = (parts::memory_port_name(&spec, port), spec.port_type(port.0));
            let mut bits = |what: &str, width: u32| match width {
                0 => 0,
                _ => sim.get_u64(&format!("{name}_{what}")),
            };
            let token = BenchToken { data: bits("data", ty.width), tag: bits("tag", ty.tag) };
            out.tokens[place(port.0)].push((bits("valid", 1) == 1).then_some(token));
        }
        if self.host {
            out.host_rdata = Some(sim.get_u64("host_rdata"));
        }
        if spec.is_external() {
            for channel in ["ar", "aw"] {
                let mut bits = |what: &str| sim.get_u64(&format!("axi_{channel}{what}"));
                let request = (bits("addr"), bits("id"), bits("size"));
                let fixed = ["len", "burst", "lock", "cache", "prot", "qos"].map(&mut bits);
                assert_eq!(fixed, [0, 1, 0, 0, 0, 0], "{channel}");
                let shown = (bits("valid") == 1).then_some(request);
                *(if channel == "ar" { &mut out.ar } else { &mut out.aw }) = shown;
            }
            let strobe = sim.get_u64("axi_wstrb");
            let mask = (0..8).filter(|b| strobe >> b & 1 == 1).fold(0, |m, b| m | 0xffu64 << (8 * b));
            let data = sim.get_u64("axi_wdata") & mask;
            out.w = (sim.get_u64("axi_wvalid") == 1).then_some((strobe, data));
            let ready = ["axi_rready", "axi_bready", "axi_wlast"].map(|n| sim.get_u64(n));
            assert_eq!(ready, [1, 1, 1]);
        }
        out
    }
}

/// Where a family stands among the requests or among the answers.
fn place(port: MemoryPort) -> usize {
    match port {
        MemoryPort::LoadAddress | MemoryPort::LoadData => 0,
        MemoryPort::StoreAddress | MemoryPort::LoadDone => 1,
        MemoryPort::StoreData | MemoryPort::StoreDone => 2,
    }
}

/// The request families and the answer families, as a cycle lists them.
const REQUESTS: [MemoryPort; 3] = [MemoryPort::LoadAddress, MemoryPort::StoreAddress, MemoryPort::StoreData];
const ANSWERS: [MemoryPort; 3] = [MemoryPort::LoadData, MemoryPort::LoadDone, MemoryPort::StoreDone];

/// A cycle in which nobody offers anything, and every answer's port is `ready` or none is.
fn quiet(spec: &MemoryInterface, ready: bool) -> MemoryIn {
    MemoryIn {
        requests: REQUESTS.map(|family| vec![None; spec.ports_of(family)]),
        ready: ANSWERS.map(|family| vec![ready; spec.ports_of(family)]),
        ..MemoryIn::default()
    }
}

/// A memory behind AXI: answers in order for an ID, in any order between IDs.
struct Slave {
    bytes: BTreeMap<u64, u8>,
    width: u32,
    reads: Vec<(u64, u64, u64)>,
    writes: VecDeque<(u64, u64, u64)>,
    words: VecDeque<(u64, u64)>,
    dones: Vec<(u64, u64)>,
    /// What is offered stays, but the master always takes.
    delay: u32,
    failing: u32,
}

impl Slave {
    fn response(&self, rng: &mut Rng) -> u64 {
        if rng.chance(self.failing) {
            1 + rng.below(3) as u64
        } else {
            0
        }
    }

    /// Chooses answers for this cycle: of any ID, its oldest.
    fn answer(&mut self, rng: &mut Rng, cycle: &mut MemoryIn) {
        if !self.reads.is_empty() && !rng.chance(self.delay) {
            let id = self.reads[rng.below(self.reads.len())].0;
            let at = self.reads.iter().position(|r| r.0 == id).expect("there");
            cycle.r = Some(self.reads.remove(at));
        }
        if !self.dones.is_empty() && !rng.chance(self.delay) {
            let id = self.dones[rng.below(self.dones.len())].0;
            let at = self.dones.iter().position(|r| r.0 == id).expect("there");
            cycle.b = Some(self.dones.remove(at));
        }
    }

    fn take(&mut self, rng: &mut Rng, cycle: &MemoryIn, shown: &MemoryOut) {
        let bytes = u64::from(self.width / 8);
        if let Some((address, id, _)) = shown.ar.filter(|_| cycle.arready) {
            let base = address / bytes * bytes;
            let byte = |b: u64| u64::from(self.bytes.get(&(base + b)).copied().unwrap_or(b as u8));
            let word = (0..bytes).fold(0, |word, b| word | byte(b) << (8 * b));
            let response = self.response(rng);
            self.reads.push((id, word, response));
        }
        self.writes.extend(shown.aw.filter(|_| cycle.awready));
        self.words.extend(shown.w.filter(|_| cycle.wready));
        while let (Some(&(address, id, _)), Some(&(strobe, word))) = (self.writes.front(), self.words.front())
        {
            let base = address / bytes * bytes;
            for b in (0..bytes).filter(|b| strobe >> b & 1 == 1) {
                self.bytes.insert(base + b, (word >> (8 * b)) as u8);
            }
            self.writes.pop_front();
            self.words.pop_front();
            let response = self.response(rng);
            self.dones.push((id, response));
        }
    }
}

fn random_spec(rng: &mut Rng) -> MemoryInterface {
    let width = *rng.pick(&[8u32, 16, 32, 64]);
    let tag = *rng.pick(&[0, 0, 0, 1, 2, 3]);
    let most = if tag == 0 { *rng.pick(&[1, 1, 2, 3, 5]) } else { 1 << tag };
    let (mut loads, stores) = (rng.below(most + 1), rng.below(most + 1));
    if loads + stores == 0 {
        loads = 1;
    }
    let store = if rng.chance(50) {
        Backing::External
    } else {
        Backing::Scratchpad { bytes: u64::from(width / 8) << rng.below(6), host: rng.chance(50) }
    };
    let (queue, address) = (2 + rng.below(4), *rng.pick(&[32, 41, 64]));
    MemoryInterface { store, loads, stores, queue, width, address, tag, regions: 1 + rng.below(4) }
}

/// Regions side by side from lane 0 on, in any order in the table; with `holes` some lanes have none: a region is not in
/// use, or starts later.
pub fn random_regions(rng: &mut Rng, spec: &MemoryInterface, holes: bool) -> Vec<RegionLine> {
    let lanes = spec.loads.max(spec.stores) as u64;
    let mut start = 0;
    let mut regions: Vec<RegionLine> = (0..spec.regions)
        .map(|r| {
            let last = r + 1 == spec.regions;
            start += u64::from(holes && rng.chance(30));
            let end = if last { lanes.max(start + 1) } else { start + 1 + rng.below(2) as u64 };
            let valid = if holes { rng.chance(70) } else { start < lanes || rng.chance(20) };
            let offset = if spec.is_external() {
                *rng.pick(&[0, 0x1000, 0xffff_ff03, 0x1234_5601])
            } else {
                rng.below(spec.bytes() as usize) as u64
            };
            let size = rng.below(spec.word_size_log2() as usize + 1) as u32;
            let region = RegionLine { valid, start, end, offset, size };
            start = end;
            region
        })
        .collect();
    rng.shuffle(&mut regions);
    regions
}

/// A good element address of the lane in a memory of its own size; `None` without a region.
fn element(rng: &mut Rng, spec: &MemoryInterface, regions: &[RegionLine], lane: u64) -> Option<u64> {
    let region = regions.iter().find(|r| r.valid && r.start <= lane && lane < r.end)?;
    let room = (spec.bytes() - region.offset).min(64) - 1;
    Some(rng.next_u64() % ((room >> region.size) + 1))
}

/// What a run does beside good requests, in percent of tokens or answers.
#[derive(Clone, Copy, Default)]
pub struct Strays {
    pub lane: u32,
    pub address: u32,
    pub response: u32,
}

/// What a run left.
pub struct Ran {
    /// Tokens that left, by output.
    left: [usize; 3],
    /// Errors seen.
    errors: BTreeSet<u16>,
    bench: TestBench,
}

/// Runs an interface beside its model.
pub fn run(seed: u64, spec: MemoryInterface, regions: Vec<RegionLine>, stray: Strays, cycles: usize) -> Ran {
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut bench = TestBench::new(spec, &regions);
    let mut model = InterfaceModel::new(spec, regions.clone());
    let stalls = StallRates::random(&mut rng);
    let busy_host = *rng.pick(&[0, 20, 60]);
    let mut slave = Slave {
        bytes: BTreeMap::new(),
        width: spec.width,
        reads: Vec::new(),
        writes: VecDeque::new(),
        words: VecDeque::new(),
        dones: Vec::new(),
        delay: *rng.pick(&[0, 30, 80]),
        failing: stray.response,
    };
    // Half the runs pair store addresses and data by lane in one order.
    let in_order = rng.chance(50);
    let mut lanes: [VecDeque<u64>; 2] = Default::default();
    let mut cycle = quiet(&spec, false);
    let (mut left, mut errors) = ([0; 3], BTreeSet::new());
    let mut host_read = false;
    for at in 0..cycles {
        let lane = |rng: &mut Rng, lanes: usize| {
            if rng.chance(stray.lane) {
                truncate(rng.next_u64(), spec.tag)
            } else {
                rng.below(lanes) as u64
            }
        };
        let address = |rng: &mut Rng, lane: u64| {
            let good = element(rng, &spec, &regions, lane);
            let any = truncate(rng.next_u64() >> rng.below(60), spec.address);
            let data =
                if rng.chance(stray.address) { Some(any) } else { good.or((stray.lane > 0).then_some(any)) };
            Some(BenchToken { data: data?, tag: lane })
        };
        if spec.tag == 0 {
            let untagged = |t: BenchToken| BenchToken { tag: 0, ..t };
            for (family, ports) in cycle.requests.iter_mut().enumerate() {
                for (lane, port) in ports.iter_mut().enumerate().filter(|(_, p)| p.is_none()) {
                    if rng.chance(stalls.sources) {
                        continue;
                    }
                    *port = match family {
                        2 => Some(BenchToken { data: truncate(rng.next_u64(), spec.width), tag: 0 }),
                        _ => address(&mut rng, lane as u64).map(untagged),
                    };
                }
            }
        }
        if spec.tag > 0 && spec.loads > 0 && cycle.requests[0][0].is_none() && !rng.chance(stalls.sources) {
            let lane = lane(&mut rng, spec.loads);
            cycle.requests[0][0] = address(&mut rng, lane);
        }
        if spec.tag > 0 && spec.stores > 0 {
            let missing = [1, 2].map(|family| cycle.requests[family][0].is_none());
            for k in (0..2).filter(|&k| missing[k]) {
                if rng.chance(stalls.sources) {
                    continue;
                }
                if lanes[k].is_empty() {
                    let next = lane(&mut rng, spec.stores);
                    lanes[k].push_back(next);
                    if in_order {
                        lanes[1 - k].push_back(next);
                    }
                }
                let Some(&next) = lanes[k].front() else { continue };
                let token = match k {
                    0 => address(&mut rng, next),
                    _ => Some(BenchToken { data: truncate(rng.next_u64(), spec.width), tag: next }),
                };
                if token.is_some() {
                    lanes[k].pop_front();
                }
                cycle.requests[1 + k][0] = token;
            }
        }
        cycle.ready.iter_mut().flatten().for_each(|ready| *ready = !rng.chance(stalls.sinks));
        cycle.host = (bench.host && rng.chance(busy_host)).then(|| HostAccess {
            write: rng.chance(50),
            address: rng.next_u64() & 0xffff_ffff,
            data: truncate(rng.next_u64(), spec.width),
            strobe: truncate(rng.next_u64(), spec.width / 8),
        });
        [cycle.arready, cycle.awready, cycle.wready] = [0; 3].map(|_| !rng.chance(slave.delay));
        (cycle.r, cycle.b) = (None, None);
        slave.answer(&mut rng, &mut cycle);

        bench.drive(&cycle);
        let mut got = bench.shown();
        let want = model.step(&cycle);
        if !host_read {
            got.host_rdata = None;
        }
        let place = format!("seed {seed} cycle {at} {spec:?} {regions:?} {cycle:?}");
        assert_eq!(got, want, "{place}: left is the module, right the contract");
        host_read |= cycle.host.is_some_and(|h| !h.write);
        slave.take(&mut rng, &cycle, &got);
        for k in 0..3 {
            let leaves = |(token, ready): (&Option<BenchToken>, &bool)| token.is_some() && *ready;
            left[k] += got.tokens[k].iter().zip(&cycle.ready[k]).filter(|&p| leaves(p)).count();
        }
        errors.extend((got.error != 0).then_some(got.error));
        for (taken, token) in got.ready.iter().flatten().zip(cycle.requests.iter_mut().flatten()) {
            if *taken {
                *token = None;
            }
        }
        bench.sim.tick();
    }
    Ran { left, errors, bench }
}

#[test]
fn good_requests_are_served_as_the_contract_says() {
    let mut total = [0; 3];
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let spec = random_spec(&mut rng);
        let regions = random_regions(&mut rng, &spec, false);
        let Ran { left, errors, .. } = run(seed, spec, regions, Strays::default(), 300);
        assert!(errors.is_empty(), "seed {seed}: {errors:?}");
        (0..3).for_each(|k| total[k] += left[k]);
    }
    assert!(total.iter().all(|&n| n > 8_000), "only {total:?} tokens");
}

#[test]
fn every_run_time_error_shows() {
    let mut seen: BTreeMap<u16, usize> = BTreeMap::new();
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let spec = random_spec(&mut rng);
        let holes = rng.chance(40);
        let regions = random_regions(&mut rng, &spec, holes);
        let stray = Strays {
            lane: *rng.pick(&[0, 2, 20]),
            address: *rng.pick(&[0, 1, 10]),
            response: *rng.pick(&[0, 0, 2]),
        };
        let errors = run(seed, spec, regions, stray, 150).errors;
        for e in errors {
            *seen.entry(e).or_default() += 1;
        }
    }
    let all = [260, 264, 265, 266, 267];
    assert!(all.iter().all(|e| seen.get(e).is_some_and(|&n| n >= 10)), "{seen:?}");
}

#[test]
fn half_of_a_store_waits_for_the_other_for_any_time() {
    /// More cycles than 16 bits count.
    const LONG: usize = 65_600;
    for (tag, address) in [(0, true), (0, false), (1, true), (1, false)] {
        // Without a tag both lanes have ports of their own.
        let spec = MemoryInterface {
            store: Backing::Scratchpad { bytes: 16, host: false },
            loads: 0,
            stores: 2,
            queue: 2,
            width: 8,
            address: 32,
            tag,
            regions: 1,
        };
        let regions = vec![RegionLine { valid: true, start: 0, end: 2, offset: 0, size: 0 }];
        let mut bench = TestBench::new(spec, &regions);
        let mut model = InterfaceModel::new(spec, regions);
        let mut cycle = quiet(&spec, true);
        let (first, other) = if address { (1, 2) } else { (2, 1) };
        let (port, tag) = if spec.tag == 0 { (1, 0) } else { (0, 1) };
        let token = BenchToken { data: 3, tag };
        let mut done = 0;
        for at in 0..LONG + 8 {
            // With a tag a half is taken at once, and waits inside.
            cycle.requests[first][port] = (spec.tag == 0 && at <= LONG || at == 0).then_some(token);
            cycle.requests[other][port] = (at == LONG).then_some(token);
            bench.drive(&cycle);
            let want = model.step(&cycle);
            // The host reads nothing.
            let got = MemoryOut { host_rdata: want.host_rdata, ..bench.shown() };
            assert_eq!(got, want, "cycle {at}");
            assert_eq!(got.error, 0, "cycle {at}");
            done += usize::from(got.tokens[2][port].is_some());
            bench.sim.tick();
        }
        assert_eq!(done, 1, "tag {tag}, address first {address}");
    }
}

#[test]
fn static_errors_by_kind_of_memory() {
    let mut seen = BTreeSet::new();
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let spec = random_spec(&mut rng);
        seen.insert(static_error(spec, &mut rng, seed));
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 12, 13, 14, 15, 19]);
}

/// A random table; the error it has.
pub fn static_error(spec: MemoryInterface, rng: &mut Rng, seed: u64) -> u16 {
    let mut regions: Vec<RegionLine> = Vec::new();
    for _ in 0..spec.regions {
        let start = rng.below(6) as u64 * *rng.pick(&[1, 1, 10_000]);
        let end = start + rng.below(4) as u64;
        regions.push(RegionLine { valid: rng.chance(80), start, end, offset: 0, size: rng.below(4) as u32 });
    }
    let used: Vec<&RegionLine> = regions.iter().filter(|r| r.valid).collect();
    // By the lane, over all lanes there could be.
    let twice = |lane: u64| used.iter().filter(|r| r.start <= lane && lane < r.end).count() > 1;
    let external = spec.is_external();
    let want = if used.iter().any(|r| (r.start..r.end).any(twice)) {
        if external {
            14
        } else {
            12
        }
    } else if used.iter().any(|r| r.end <= r.start) {
        if external {
            15
        } else {
            13
        }
    } else if used.iter().any(|r| r.size > spec.word_size_log2()) {
        19
    } else {
        0
    };
    assert_eq!(TestBench::new(spec, &regions).shown().error, want, "seed {seed} {regions:?}");
    want
}

#[test]
fn a_load_and_a_store_in_every_cycle() {
    let spec = MemoryInterface {
        store: Backing::Scratchpad { bytes: 64, host: false },
        loads: 1,
        stores: 1,
        queue: 2,
        width: 32,
        address: 32,
        tag: 0,
        regions: 1,
    };
    let regions = vec![RegionLine { valid: true, start: 0, end: 1, offset: 0, size: 2 }];
    let mut bench = TestBench::new(spec, &regions);
    let mut left = [0; 3];
    for at in 0..100u64 {
        let token = |data: u64| Some(BenchToken { data, tag: 0 });
        let requests = [token(at % 16), token(at % 16), token(at)].map(|t| vec![t]);
        let cycle = MemoryIn { requests, ..quiet(&spec, true) };
        bench.drive(&cycle);
        let got = bench.shown();
        assert!(got.ready.iter().flatten().all(|r| *r), "cycle {at}");
        if at > 16 {
            assert_eq!(got.tokens[0][0], token(at - 17), "the word before the store of its cycle");
        }
        (0..3).for_each(|k| left[k] += usize::from(got.tokens[k][0].is_some()));
        bench.sim.tick();
    }
    assert_eq!(left, [99; 3]);
}

/// The printed text in a Verilog simulator does what the evaluator did. Only there is anything unknown: what is not
/// valid, and what was never written.
#[test]
fn the_text_does_the_same() {
    for seed in 0..16 {
        let mut rng = Rng::new(seed);
        let spec = random_spec(&mut rng);
        let regions = random_regions(&mut rng, &spec, false);
        let stray = Strays { address: 1, response: 1, ..Strays::default() };
        let bench = run(seed, spec, regions, stray, 200).bench;
        // A scratchpad shows what was never written.
        let data = |lane| format!("{}_data", parts::memory_port_name(&spec, (MemoryPort::LoadData, lane)));
        let names: Vec<String> = (0..spec.loads).map(data).chain(["host_rdata".to_string()]).collect();
        let unknown: Vec<&str> = names.iter().map(String::as_str).collect();
        replay(&bench.module, &bench.record, if spec.is_external() { &[] } else { &unknown });
    }
}
