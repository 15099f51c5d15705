//! `memory` and `extmemory`: lanes of loads and stores in front of a scratchpad or an AXI4 master.
//!
//! Here is the front, the same for both: regions, requests, what is owed, results, errors. Behind it stands one of
//! [`scratchpad`] and [`axi`], which take a request of a kind in a cycle and deliver results lane by lane in the order
//! of requests. A back end is opened first, says when it can take a request, and is closed with the requests taken.
//!
//! Guarantees: nothing runs from ready to valid; queues never overflow, for no lane has more requests outstanding than
//! its queue has entries; a bad request is never taken.

mod axi;
mod queues;
mod scratchpad;

use super::{first_error, is_choice, out_of_range, sticky, Config};
use crate::ir::{Expr, Module, Reg};
use crate::Channel;
use loom_adg::layout::FieldKind;
use loom_adg::model::{Backing, Component, LanePort, MemoryInterface, MemoryPort};
use loom_adg::HwError;
use loom_base::choice_bits;
use queues::{counter, first_from, lane_queues, Output};
use std::sync::Arc;

/// Name of a port's channel in the module, with its lane where the family has several ports.
pub fn memory_port_name(spec: &MemoryInterface, (family, lane): LanePort) -> String {
    let name = family_name(family);
    if spec.ports_of(family) > 1 {
        format!("{name}{lane}")
    } else {
        name.to_string()
    }
}

fn family_name(family: MemoryPort) -> &'static str {
    match family {
        MemoryPort::LoadAddress => "ld_addr",
        MemoryPort::StoreAddress => "st_addr",
        MemoryPort::StoreData => "st_data",
        MemoryPort::LoadData => "ld_data",
        MemoryPort::LoadDone => "ld_done",
        MemoryPort::StoreDone => "st_done",
    }
}

/// A region of the table.
struct Region {
    /// Valid and not empty.
    used: Expr,
    start: Expr,
    end: Expr,
    offset: Expr,
    size: Expr,
}

/// A request of this cycle.
struct Request {
    /// Whether it is taken.
    taken: Expr,
    /// Its lane: as wide as the tag, or as the lanes need.
    lane: Expr,
    /// Its byte address below the memory's end.
    address: Expr,
    /// log2 of the element's bytes.
    size: Expr,
    /// The element at the low end; empty for a load.
    data: Expr,
}

/// A load's result of this cycle: the element, shifted down and zero-extended.
struct Loaded {
    arrives: Expr,
    lane: Expr,
    element: Expr,
}

/// A store's result of this cycle.
struct Stored {
    arrives: Expr,
    lane: Expr,
}

/// What both back ends give.
struct Results {
    load: Option<Loaded>,
    store: Option<Stored>,
    /// Whether anything is held beside what is owed.
    held: Expr,
    /// A response that is an error.
    failed: Expr,
}

enum Back {
    Scratchpad(scratchpad::Scratchpad),
    Axi(Box<axi::Axi>),
}

/// Run-time errors by code, each with the conditions that set it.
struct Errors {
    conditions: Vec<(HwError, Vec<Expr>)>,
    /// One has been set in an earlier cycle.
    failed: Expr,
}

impl Errors {
    fn add(&mut self, error: HwError, condition: Expr) {
        match self.conditions.iter_mut().find(|(e, _)| *e == error) {
            Some((_, all)) => all.push(condition),
            None => self.conditions.push((error, vec![condition])),
        }
    }

    /// A register for each code that can occur, smallest first.
    fn registers(mut self, m: &mut Module) -> Vec<(Expr, HwError)> {
        m.comment("Errors: each code has a register; the smallest shows.");
        let mut set = Vec::new();
        self.conditions.sort_by_key(|(e, _)| e.code());
        for (error, conditions) in &self.conditions {
            let condition = Expr::any_of(conditions);
            if condition.as_const().is_some() {
                continue;
            }
            let q = sticky(m, &format!("error{}_q", error.code()));
            m.next(&q, None, q.q.or(&condition));
            set.push((q.q, *error));
        }
        let any: Vec<Expr> = set.iter().map(|(q, _)| q.clone()).collect();
        m.drive(&self.failed, Expr::any_of(&any));
        set
    }
}

/// A memory interface. Ports: channels `ld_addr`, `st_addr`, `st_data`, `ld_data`, `ld_done`, `st_done`, those of
/// families without lanes left out; `cfg`; `error_code`; `busy`; `host_*` or `axi_*`.
pub fn memory(spec: &MemoryInterface) -> Arc<Module> {
    let mut m = Module::new(name(spec));
    document(&mut m, spec);
    let (inputs, outputs) = spec.ports();
    let inputs: Vec<Channel> = (inputs.into_iter())
        .map(|p| Channel::input(&mut m, &memory_port_name(spec, p), spec.port_type(p.0)))
        .collect();
    let outputs: Vec<Channel> = (outputs.into_iter())
        .map(|p| Channel::output(&mut m, &memory_port_name(spec, p), spec.port_type(p.0)))
        .collect();
    let config = Config::new(&mut m, &Component::Memory(*spec), spec.address);
    let error_code = m.output("error_code", 16);
    let busy = m.output("busy", 1);
    let back = match spec.store {
        Backing::Scratchpad { bytes, host } => {
            Back::Scratchpad(scratchpad::Scratchpad::open(&mut m, spec, bytes, host))
        }
        Backing::External => Back::Axi(Box::new(axi::Axi::open(&mut m, spec))),
    };
    let (load_ready, store_ready) = match &back {
        Back::Scratchpad(b) => (b.load_ready.clone(), b.store_ready.clone()),
        Back::Axi(b) => (b.load_ready.clone(), b.store_ready.clone()),
    };
    let (regions, mut config_errors) = regions(&mut m, spec, &config);
    m.comment("After a run-time error nothing is taken until reset.");
    let failed = m.declare("failed", 1);
    let mut front =
        Front { m, spec, regions, errors: Errors { conditions: Vec::new(), failed }, held: Vec::new() };
    let ins = |family| spec.port(family, 0).map(|first| &inputs[first..first + spec.ports_of(family)]);
    let load = ins(MemoryPort::LoadAddress).map(|p| front.load(p, load_ready));
    let ports = ins(MemoryPort::StoreAddress).zip(ins(MemoryPort::StoreData));
    let store = ports.map(|(a, d)| front.store(a, d, store_ready));

    let (load_request, store_request) =
        (load.as_ref().map(|l| &l.request), store.as_ref().map(|s| &s.request));
    let results = match back {
        Back::Scratchpad(b) => b.close(&mut front.m, spec, load_request, store_request),
        Back::Axi(b) => b.close(&mut front.m, spec, load_request, store_request),
    };
    front.held.push(results.held);
    front.errors.add(HwError::RtAxiResponse, results.failed);
    let out = |family: MemoryPort| {
        let first = spec.port(family, 0).expect("the family has lanes");
        &outputs[first..first + spec.ports_of(family)]
    };
    if let (Some(loaded), Some(load)) = (results.load, load) {
        front.answer_loads(&load, loaded, out(MemoryPort::LoadData), out(MemoryPort::LoadDone));
    }
    if let (Some(stored), Some(store)) = (results.store, store) {
        front.answer_stores(&store, stored, out(MemoryPort::StoreDone));
    }
    let Front { mut m, errors, held, .. } = front;
    config_errors.extend(errors.registers(&mut m));
    m.drive(&error_code, first_error(&config_errors));
    m.drive(&busy, Expr::any_of(&held));
    m.finish()
}

/// What stands before both back ends, while it is built.
struct Front<'a> {
    m: Module,
    spec: &'a MemoryInterface,
    regions: Vec<Region>,
    errors: Errors,
    /// What makes the interface busy.
    held: Vec<Expr>,
}

/// The request of loads, and what it makes the interface owe.
struct Load {
    request: Request,
    data: Owed,
    done: Owed,
}

/// The same of stores.
struct Store {
    request: Request,
    done: Owed,
}

impl Front<'_> {
    fn load(&mut self, channels: &[Channel], ready: Expr) -> Load {
        let Front { m, spec, regions, errors, .. } = self;
        let data = Owed::new(m, "ld_data", spec.loads, spec.queue);
        let done = Owed::new(m, "ld_done", spec.loads, spec.queue);
        if spec.tag == 0 {
            m.comment(
                "A load request: the first lane, from load_pointer_q on, that has an address and room.",
            );
            let room = |lane: usize| data.rooms[lane].and(&done.rooms[lane]);
            let offers: Vec<Expr> =
                channels.iter().enumerate().map(|(lane, c)| c.valid.and(&room(lane))).collect();
            let chosen = Chosen::new(m, "load", &offers);
            let request = chosen.entry(channels, None);
            let request = take(m, spec, "load", regions, request, ready, errors);
            chosen.close(m, "load", &request, &[channels]);
            return Load { request, data, done };
        }
        let channel = &channels[0];
        m.comment("A load request: its lane is the tag.");
        let index = channel.tag.resize(choice_bits(spec.loads));
        let alien = out_of_range(&channel.tag, spec.loads);
        errors.add(HwError::RtMemoryTagOob, channel.valid.and(&alien));
        let valid = m.wire("load_valid", channel.valid.and(&alien.not()));
        let may = Expr::all_of(&[data.room(&index), done.room(&index), ready]);
        let request =
            Entry { valid, lane: channel.tag.clone(), element: channel.data.clone(), data: Expr::empty() };
        let request = take(m, spec, "load", regions, request, may, errors);
        m.drive(&channel.ready, request.taken.clone());
        Load { request, data, done }
    }

    fn store(&mut self, addresses: &[Channel], data: &[Channel], ready: Expr) -> Store {
        let Front { m, spec, regions, errors, held } = self;
        let done = Owed::new(m, "st_done", spec.stores, spec.queue);
        if spec.tag > 0 {
            let request = paired(m, spec, [&addresses[0], &data[0]], regions, &done, &ready, errors, held);
            return Store { request, done };
        }
        m.comment(
            "A store request: the first lane, from store_pointer_q on, that has an address, its data and room.",
        );
        let mut offers = Vec::new();
        for (lane, (a, d)) in addresses.iter().zip(data).enumerate() {
            starve(m, &a.valid.xor(&d.valid), errors);
            offers.push(Expr::all_of(&[a.valid.clone(), d.valid.clone(), done.rooms[lane].clone()]));
        }
        let chosen = Chosen::new(m, "store", &offers);
        let request = chosen.entry(addresses, Some(data));
        let request = take(m, spec, "store", regions, request, ready, errors);
        chosen.close(m, "store", &request, &[addresses, data]);
        Store { request, done }
    }

    fn answer_loads(&mut self, load: &Load, loaded: Loaded, data: &[Channel], done: &[Channel]) {
        let Front { m, spec, held, .. } = self;
        let taken = by_lane(&load.request.taken, &load.request.lane, spec.loads);
        let output = Output { spec, lanes: spec.loads, arrives: loaded.arrives, lane: loaded.lane };
        let left = output.build(m, "ld_data", data, &loaded.element);
        load.data.count(m, &taken, &left, held);
        let left = output.build(m, "ld_done", done, &Expr::empty());
        load.done.count(m, &taken, &left, held);
    }

    fn answer_stores(&mut self, store: &Store, stored: Stored, done: &[Channel]) {
        let Front { m, spec, held, .. } = self;
        let taken = by_lane(&store.request.taken, &store.request.lane, spec.stores);
        let output = Output { spec, lanes: spec.stores, arrives: stored.arrives, lane: stored.lane };
        let left = output.build(m, "st_done", done, &Expr::empty());
        store.done.count(m, &taken, &left, held);
    }
}

/// One of the lanes that have ports of their own, each in its turn.
struct Chosen {
    /// Any of them offers.
    valid: Expr,
    index: Expr,
    pointer: Reg,
}

impl Chosen {
    fn new(m: &mut Module, kind: &str, offers: &[Expr]) -> Chosen {
        let bits: Vec<Expr> = offers.iter().rev().cloned().collect();
        let offers = m.wire(&format!("{kind}_offers"), Expr::concat(&bits));
        let pointer = m.reg(&format!("{kind}_pointer_q"), choice_bits(bits.len()), 0u32);
        let index = first_from(m, kind, &offers, &pointer.q);
        let index = m.wire(&format!("{kind}_index"), index);
        Chosen { valid: m.wire(&format!("{kind}_valid"), offers.reduce_or()), index, pointer }
    }

    fn entry(&self, elements: &[Channel], data: Option<&[Channel]>) -> Entry {
        let select = |channels: &[Channel]| {
            let all: Vec<Expr> = channels.iter().map(|c| c.data.clone()).collect();
            Expr::select(all[0].width(), &self.index, &all)
        };
        let data = data.map_or(Expr::empty(), select);
        Entry { valid: self.valid.clone(), lane: self.index.clone(), element: select(elements), data }
    }

    /// The chosen lane's channels go when the request is taken, and the next lane is first.
    fn close(self, m: &mut Module, kind: &str, request: &Request, families: &[&[Channel]]) {
        let lanes = families[0].len();
        let goes = by_lane(&request.taken, &self.index, lanes);
        for family in families {
            family.iter().zip(&goes).for_each(|(channel, goes)| m.drive(&channel.ready, goes.clone()));
        }
        let next = m.wire(&format!("{kind}_next"), queues::after(&self.index, lanes));
        m.next(&self.pointer, Some(request.taken.clone()), next);
    }
}

fn name(spec: &MemoryInterface) -> String {
    let tag = if spec.tag > 0 { format!("_t{}", spec.tag) } else { String::new() };
    let front = format!(
        "l{}_s{}_q{}_w{}_a{}{tag}_r{}",
        spec.loads, spec.stores, spec.queue, spec.width, spec.address, spec.regions
    );
    match spec.store {
        Backing::Scratchpad { bytes, host } => {
            format!("loom_memory_{front}_b{bytes}{}", if host { "_host" } else { "" })
        }
        Backing::External => format!("loom_extmemory_{front}"),
    }
}

fn document(m: &mut Module, spec: &MemoryInterface) {
    let what = match spec.store {
        Backing::Scratchpad { bytes, .. } => format!("Scratchpad of {bytes} bytes"),
        Backing::External => "External memory behind an AXI4 master".into(),
    };
    m.doc(&format!(
        "{what}: {} load and {} store lanes, words of {} bits, {} regions.\n\
         A lane has at most {} requests outstanding; results leave lane by lane in the order of requests.\n\
         Errors of the configuration: two regions hold a lane, a region is empty, elements wider than words.\n\
         Errors at run time: {}{} a store address or store data alone for too long, {} no\n\
         region for a lane, {} an address beyond the memory{}; then nothing more is taken until reset.",
        spec.loads,
        spec.stores,
        spec.width,
        spec.regions,
        spec.queue,
        if spec.tag > 0 { "260 a tag beyond the lanes, " } else { "" },
        HwError::RtMemoryStoreDeadlock.code(),
        no_match(spec).code(),
        HwError::RtMemoryAddress.code(),
        if spec.is_external() { ", 267 an AXI error" } else { "" },
    ));
}

fn no_match(spec: &MemoryInterface) -> HwError {
    if spec.is_external() {
        HwError::RtExtmemoryNoMatch
    } else {
        HwError::RtMemoryNoMatch
    }
}

/// log2 of the bytes that addresses reach.
fn address_bits(spec: &MemoryInterface) -> u32 {
    spec.bytes().ilog2()
}

/// The region table, and the errors it can have, smallest code first.
fn regions(m: &mut Module, spec: &MemoryInterface, config: &Config) -> (Vec<Region>, Vec<(Expr, HwError)>) {
    let mut table: Vec<Region> = Vec::new();
    let (mut overlaps, mut empties, mut wide) = (Vec::new(), Vec::new(), Vec::new());
    for r in 0..spec.regions {
        m.comment(&format!(
            "Region {r}: lanes from start up to end; it overlaps when one before it has one of them."
        ));
        let mut field = |what: &str, kind: FieldKind| config.field(m, &format!("region{r}_{what}"), kind);
        let valid = field("valid", FieldKind::RegionValid(r));
        let start = field("start", FieldKind::RegionStart(r));
        let end = field("end", FieldKind::RegionEnd(r));
        let offset = field("offset", FieldKind::RegionOffset(r));
        let size = field("size", FieldKind::RegionSize(r));
        let from = start.zext(17);
        let some = m.wire(&format!("region{r}_some"), from.ult(&end));
        empties.push(valid.and(&some.not()));
        if spec.word_size_log2() < 3 {
            wide.push(valid.and(&size.ugt(&Expr::konst(2, spec.word_size_log2()))));
        }
        let used = m.wire(&format!("region{r}_used"), valid.and(&some));
        let both: Vec<Expr> = (table.iter())
            .map(|o| Expr::all_of(&[o.used.clone(), from.ult(&o.end), o.start.zext(17).ult(&end)]))
            .collect();
        if !both.is_empty() {
            overlaps.push(m.wire(&format!("region{r}_overlaps"), used.and(&Expr::any_of(&both))));
        }
        table.push(Region { used, start, end, offset, size });
    }
    // Fields begin on words; the bits between them are nothing.
    let mut at = 0;
    for field in &config.layout.fields {
        m.unused(&config.bits.slice(at, field.low - at));
        at = field.low + field.width;
    }
    m.unused(&config.bits.slice(at, config.bits.width() - at));
    let (overlap, empty) = if spec.is_external() {
        (HwError::CfgExtmemoryOverlap, HwError::CfgExtmemoryEmpty)
    } else {
        (HwError::CfgMemoryOverlap, HwError::CfgMemoryEmpty)
    };
    let errors = vec![
        (Expr::any_of(&overlaps), overlap),
        (Expr::any_of(&empties), empty),
        (Expr::any_of(&wide), HwError::CfgMemoryElementSize),
    ];
    (table, errors)
}

/// A request before it is judged: its lane is below the lanes.
struct Entry {
    valid: Expr,
    lane: Expr,
    element: Expr,
    data: Expr,
}

/// Finds the region and the byte address of a request, and takes it when nothing is wrong and it `may` be taken.
fn take(
    m: &mut Module,
    spec: &MemoryInterface,
    kind: &str,
    regions: &[Region],
    entry: Entry,
    may: Expr,
    errors: &mut Errors,
) -> Request {
    let holds: Vec<Expr> = (regions.iter().enumerate())
        .map(|(r, region)| {
            let inside = if entry.lane.width() == 0 {
                region.start.reduce_or().not()
            } else {
                region.start.ule(&entry.lane.zext(16)).and(&entry.lane.zext(17).ult(&region.end))
            };
            m.wire(&format!("{kind}_in{r}"), region.used.and(&inside))
        })
        .collect();
    let hit = m.wire(&format!("{kind}_hit"), Expr::any_of(&holds));
    let of_region = |width: u32, field: &dyn Fn(&Region) -> Expr| {
        let choices: Vec<(Expr, Expr)> = holds.iter().cloned().zip(regions.iter().map(field)).collect();
        Expr::onehot_mux(width, &choices)
    };
    let offset = m.wire(&format!("{kind}_offset"), of_region(32, &|r| r.offset.clone()));
    let most = spec.word_size_log2();
    let size = if most == 0 {
        Expr::zero(2)
    } else {
        m.wire(&format!("{kind}_size"), of_region(2, &|r| r.size.clone()))
    };
    // One bit more than the wider of the two, so that nothing wraps.
    let width = (entry.element.width() + most).max(32) + 1;
    let scaled: Vec<Expr> =
        (0..=most).map(|k| Expr::concat(&[entry.element.clone(), Expr::zero(k)]).zext(width)).collect();
    let scaled = Expr::select(width, &size.slice(0, choice_bits(most as usize + 1)), &scaled);
    let sum = m.wire(&format!("{kind}_sum"), offset.zext(width).add(&scaled));
    let bits = address_bits(spec);
    let beyond = m.wire(&format!("{kind}_beyond"), sum.slice(bits, width - bits).reduce_or());
    // The low `size` bits are 0.
    let low: Vec<Expr> = (0..bits)
        .map(|b| if b < most { sum.bit(b).and(&size.ugt(&Expr::konst(2, b)).not()) } else { sum.bit(b) })
        .collect();
    let aligned = most.min(bits);
    let parts: Vec<Expr> = std::iter::once(sum.slice(aligned, bits - aligned))
        .chain(low[..aligned as usize].iter().rev().cloned())
        .collect();
    let address = m.wire(&format!("{kind}_address"), Expr::concat(&parts));

    errors.add(no_match(spec), entry.valid.and(&hit.not()));
    errors.add(HwError::RtMemoryAddress, Expr::all_of(&[entry.valid.clone(), hit.clone(), beyond.clone()]));
    let good = Expr::all_of(&[entry.valid, hit, beyond.not(), may, errors.failed.not()]);
    let taken = m.wire(&format!("{kind}_taken"), good);
    Request { taken, lane: entry.lane, address, size, data: entry.data }
}

/// The store request of an interface with tags: addresses and data meet in queues of their lane.
#[allow(clippy::too_many_arguments)]
fn paired(
    m: &mut Module,
    spec: &MemoryInterface,
    channels: [&Channel; 2],
    regions: &[Region],
    owed: &Owed,
    ready: &Expr,
    errors: &mut Errors,
    held: &mut Vec<Expr>,
) -> Request {
    let lanes = spec.stores;
    let index_bits = choice_bits(lanes);
    m.comment("Store addresses and data wait for each other in queues of their lane.");
    let index = m.declare("store_index", index_bits);
    let taken = m.declare("store_leaves", 1);
    let mut heads = Vec::new();
    let mut there = Vec::new();
    for (name, channel) in ["st_addr", "st_data"].into_iter().zip(channels) {
        let into = channel.tag.resize(index_bits);
        let alien = out_of_range(&channel.tag, lanes);
        errors.add(HwError::RtMemoryTagOob, channel.valid.and(&alien));
        let enter = m.declare(&format!("{name}_enters"), 1);
        let queues = m.instance(
            &format!("{name}_queues"),
            &lane_queues(lanes, spec.queue, channel.data.width()),
            &with_lanes(
                &[("push", enter.clone()), ("push_data", channel.data.clone()), ("pop", taken.clone())],
                &into,
                &index,
            ),
        );
        let room = queues.out("room");
        let rooms: Vec<Expr> = (0..lanes as u32).map(|l| room.bit(l)).collect();
        let free = Expr::select(1, &into, &rooms);
        let all = Expr::all_of(&[channel.valid.clone(), alien.not(), free, errors.failed.not()]);
        m.drive(&enter, all);
        m.drive(&channel.ready, enter);
        held.push(queues.out("has").reduce_or());
        there.push(queues.out("has"));
        heads.push(queues.out("head"));
    }
    for l in 0..lanes as u32 {
        starve(m, &there[0].bit(l).xor(&there[1].bit(l)), errors);
    }
    m.comment("The first lane with both, from store_pointer_q on.");
    let both = m.wire("store_both", there[0].and(&there[1]));
    let pointer = m.reg("store_pointer_q", index_bits, 0u32);
    let first = first_from(m, "store", &both, &pointer.q);
    m.drive(&index, first);
    let valid = m.wire("store_valid", both.reduce_or());
    let entry =
        Entry { valid, lane: index.resize(spec.tag), element: heads[0].clone(), data: heads[1].clone() };
    let request = take(m, spec, "store", regions, entry, owed.room(&index).and(ready), errors);
    m.drive(&taken, request.taken.clone());
    m.next(&pointer, Some(taken), queues::after(&index, lanes));
    request
}

/// Adds the lanes of a [`lane_queues`], which it has no ports for when there is one lane.
fn with_lanes<'a>(rest: &[(&'a str, Expr)], push: &Expr, pop: &Expr) -> Vec<(&'a str, Expr)> {
    let mut all: Vec<(&str, Expr)> = rest.to_vec();
    all.push(("push_lane", push.clone()));
    all.push(("pop_lane", pop.clone()));
    all
}

/// Counts cycles in which a store's address or data is there alone; too many are an error.
fn starve(m: &mut Module, alone: &Expr, errors: &mut Errors) {
    let alone = m.wire("alone", alone.clone());
    let count = m.reg("alone_q", 16, 0u32);
    let full = m.wire("alone_full", count.q.reduce_and());
    let more = full.mux(&count.q, &count.q.add(&Expr::konst(16, 1u32)));
    m.next(&count, None, alone.mux(&more, &Expr::zero(16)));
    errors.add(HwError::RtMemoryStoreDeadlock, alone.and(&full));
}

/// `bit` for the lane it is of.
fn by_lane(bit: &Expr, lane: &Expr, lanes: usize) -> Vec<Expr> {
    let lane = lane.resize(choice_bits(lanes));
    (0..lanes).map(|l| bit.and(&is_choice(&lane, l))).collect()
}

/// Requests of each lane whose token of one kind has not left.
struct Owed {
    counts: Vec<Reg>,
    /// By lane: whether it may owe one more.
    rooms: Vec<Expr>,
}

impl Owed {
    fn new(m: &mut Module, token: &str, lanes: usize, queue: usize) -> Owed {
        m.comment(&format!("Tokens of {token} that are owed."));
        let bits = choice_bits(queue + 1);
        let counts: Vec<Reg> = (0..lanes).map(|l| m.reg(&format!("{token}_owed{l}_q"), bits, 0u32)).collect();
        let rooms = counts.iter().map(|c| c.q.eq_const(queue as u64).not()).collect();
        Owed { counts, rooms }
    }

    /// Whether a lane may owe one more.
    fn room(&self, lane: &Expr) -> Expr {
        Expr::select(1, lane, &self.rooms)
    }

    fn count(&self, m: &mut Module, taken: &[Expr], left: &[Expr], held: &mut Vec<Expr>) {
        for (c, (up, down)) in self.counts.iter().zip(taken.iter().zip(left)) {
            counter(m, c, up, down);
            held.push(c.q.reduce_or());
        }
    }
}

/// The element of a word: shifted down from byte `low`, zero-extended from its size.
fn element_of(m: &mut Module, spec: &MemoryInterface, word: &Expr, low: &Expr, size: &Expr) -> Expr {
    let most = spec.word_size_log2();
    if most == 0 {
        return word.clone();
    }
    let shifted = m.wire("shifted", word.shr(&Expr::concat(&[low.clone(), Expr::zero(3)])));
    let cut: Vec<Expr> = (0..=most).map(|k| shifted.slice(0, 8 << k).zext(spec.width)).collect();
    m.wire("element", Expr::select(spec.width, &size.slice(0, choice_bits(most as usize + 1)), &cut))
}

/// A store's word, and a bit for each byte of its element.
fn word_of(m: &mut Module, spec: &MemoryInterface, request: &Request) -> (Expr, Expr) {
    let most = spec.word_size_log2();
    let bytes = spec.width / 8;
    if most == 0 {
        return (request.data.clone(), Expr::ones(1));
    }
    let low = request.address.slice(0, most);
    let marks: Vec<Expr> = (0..=most).map(|k| Expr::ones(1 << k).zext(bytes)).collect();
    let mark = Expr::select(bytes, &request.size.slice(0, choice_bits(most as usize + 1)), &marks);
    let strobe = m.wire("store_strobe", mark.shl(&low));
    let word = m.wire("store_word", request.data.shl(&Expr::concat(&[low, Expr::zero(3)])));
    (word, strobe)
}
