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
mod requests;
mod scratchpad;

use super::{first_error, is_choice, out_of_range, Config};
use crate::ir::{Expr, Module};
use crate::Channel;
use loom_adg::model::{Backing, Component, LanePort, MemoryInterface, MemoryPort};
use loom_adg::HwError;
use loom_base::choice_bits;
use queues::Output;
use requests::{no_match, paired, regions, take, Entry, Errors, Owed, Regions, Request, Turn};
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
    let ins = |family| of_family(spec, &inputs, family);
    let load = (spec.loads > 0).then(|| front.load(ins(MemoryPort::LoadAddress), load_ready));
    let store = (spec.stores > 0)
        .then(|| front.store(ins(MemoryPort::StoreAddress), ins(MemoryPort::StoreData), store_ready));

    let (load_request, store_request) =
        (load.as_ref().map(|l| &l.request), store.as_ref().map(|s| &s.request));
    let results = match back {
        Back::Scratchpad(b) => b.close(&mut front.m, spec, load_request, store_request),
        Back::Axi(b) => b.close(&mut front.m, spec, load_request, store_request),
    };
    front.held.push(results.held);
    front.errors.add(HwError::RtAxiResponse, results.failed);
    let out = |family| of_family(spec, &outputs, family);
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

/// The channels of a family that has lanes, among those of its side.
fn of_family<'c>(spec: &MemoryInterface, side: &'c [Channel], family: MemoryPort) -> &'c [Channel] {
    let first = spec.port(family, 0).expect("the family has lanes");
    &side[first..first + spec.ports_of(family)]
}

/// What stands before both back ends, while it is built.
struct Front<'a> {
    m: Module,
    spec: &'a MemoryInterface,
    regions: Regions,
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
            let request = self.in_turn("load", &offers, channels, None, ready);
            return Load { request, data, done };
        }
        let channel = &channels[0];
        m.comment("A load request: its lane is the tag.");
        let index = channel.tag.resize(choice_bits(spec.loads));
        let alien = out_of_range(&channel.tag, spec.loads);
        errors.add(HwError::RtMemoryTagOob, channel.valid.and(&alien));
        let valid = m.wire("load_valid", channel.valid.and(&alien.not()));
        let may = Expr::all_of(&[data.room(&index), done.room(&index), ready]);
        let chosen: Vec<Expr> = (0..spec.loads).rev().map(|l| is_choice(&index, l)).collect();
        let chosen = m.wire("load_lane", Expr::concat(&chosen));
        let lane = channel.tag.clone();
        let request = Entry { valid, lane, chosen, element: channel.data.clone(), data: Expr::empty() };
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
            offers.push(Expr::all_of(&[a.valid.clone(), d.valid.clone(), done.rooms[lane].clone()]));
        }
        let request = self.in_turn("store", &offers, addresses, Some(data), ready);
        Store { request, done }
    }

    /// The request of the lane whose turn it is, among lanes that have ports of their own. A lane offers when its
    /// tokens are there and it has room; they go when its request is taken.
    fn in_turn(
        &mut self,
        kind: &str,
        offers: &[Expr],
        elements: &[Channel],
        data: Option<&[Channel]>,
        ready: Expr,
    ) -> Request {
        let Front { m, spec, regions, errors, .. } = self;
        let lanes = elements.len();
        let turn = Turn::new(m, kind, lanes);
        let offers: Vec<Expr> = offers.iter().rev().cloned().collect();
        let offers = m.wire(&format!("{kind}_offers"), Expr::concat(&offers));
        let (valid, chosen) = turn.choose(m, kind, &offers);
        let of_lane = |channels: &[Channel]| {
            let all = channels.iter().zip(0..).map(|(c, lane)| (chosen.bit(lane), c.data.clone()));
            match channels {
                [only] => only.data.clone(),
                [first, ..] => Expr::onehot_mux(first.data.width(), &all.collect::<Vec<_>>()),
                [] => Expr::empty(),
            }
        };
        let entry = Entry {
            valid,
            lane: turn.index.clone(),
            chosen: chosen.clone(),
            element: m.wire(&format!("{kind}_element"), of_lane(elements)),
            data: data.map_or(Expr::empty(), of_lane),
        };
        let request = take(m, spec, kind, regions, entry, ready, errors);
        let goes = request.taken_by_lane();
        for family in [Some(elements), data].into_iter().flatten() {
            family.iter().zip(&goes).for_each(|(channel, goes)| m.drive(&channel.ready, goes.clone()));
        }
        turn.pass(m, &request.taken);
        request
    }

    fn answer_loads(&mut self, load: &Load, loaded: Loaded, data: &[Channel], done: &[Channel]) {
        let Front { m, spec, held, .. } = self;
        let taken = load.request.taken_by_lane();
        let output = Output { spec, lanes: spec.loads, arrives: loaded.arrives, lane: loaded.lane };
        let left = output.build(m, "ld_data", data, &loaded.element);
        load.data.count(m, &taken, &left, held);
        let left = output.build(m, "ld_done", done, &Expr::empty());
        load.done.count(m, &taken, &left, held);
    }

    fn answer_stores(&mut self, store: &Store, stored: Stored, done: &[Channel]) {
        let Front { m, spec, held, .. } = self;
        let taken = store.request.taken_by_lane();
        let output = Output { spec, lanes: spec.stores, arrives: stored.arrives, lane: stored.lane };
        let left = output.build(m, "st_done", done, &Expr::empty());
        store.done.count(m, &taken, &left, held);
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
         Errors at run time: {}{} no region for a lane, {} an address beyond the memory{}; then nothing\n\
         more is taken until reset.",
        spec.loads,
        spec.stores,
        spec.width,
        spec.regions,
        spec.queue,
        if spec.tag > 0 { "260 a tag beyond the lanes, " } else { "" },
        no_match(spec).code(),
        HwError::RtMemoryAddress.code(),
        if spec.is_external() { ", 267 an AXI error" } else { "" },
    ));
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
