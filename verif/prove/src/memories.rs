//! Entries of memory interfaces: `memory.v` is about lanes with ports of their own, `lanes.v` about lanes that share ports by tags.
//!
//! Guarantees: both harnesses see every register that decides, so that properties and lemmas together are inductive.

use super::entry::{entry, Entry};
use loom_adg::model::{Backing, Component, MemoryInterface};

/// Adds all of them.
pub fn add(all: &mut Vec<Entry>) {
    own(all, 1);
    shared(all);
    own(all, 2);
}

/// An interface of as many load as store lanes with queues of two; a region for each lane. Without a tag lanes have ports of
/// their own.
fn interface(shape: &str, lanes: usize, width: u32, tag: u32, store: Backing) -> Entry {
    let spec = MemoryInterface {
        store,
        loads: lanes,
        stores: lanes,
        queue: 2,
        width,
        address: 8,
        tag,
        regions: lanes,
    };
    let (module, harness) = (
        if spec.is_external() { "extmemory" } else { "memory" },
        if tag > 0 { "lanes.v" } else { "memory.v" },
    );
    let with = if matches!(store, Backing::Scratchpad { host: true, .. }) { ", host port" } else { "" };
    let mut new = entry(module, harness, width, Component::Memory(spec))
        .shape(format!("{shape}{with}, w{width}"))
        .define("LANES", lanes)
        .define("ID", spec.id_bits());
    if width > 8 {
        new = new.define("PLACES", 1);
    }
    if lanes > 1 {
        new = new.define("SEVERAL", 1);
    }
    front(&mut new, &spec);
    match store {
        Backing::External => axi(new),
        Backing::Scratchpad { host, .. } => scratchpad(new, &spec, host),
    }
}

/// A scratchpad of two words.
fn words(width: u32, host: bool) -> Backing {
    Backing::Scratchpad { bytes: u64::from(width / 8) * 2, host }
}

/// Lanes with ports of their own.
fn own(all: &mut Vec<Entry>, lanes: usize) {
    let shape = match lanes {
        1 => "a load and a store lane",
        _ => "two load and two store lanes with ports of their own, two regions",
    };
    all.extend([8, 32].map(|width| interface(shape, lanes, width, 0, Backing::External)));
    for (width, host) in [(8, false), (8, true), (32, false), (32, true)] {
        // Two lanes change nothing about a host's bytes.
        if lanes == 1 || (width, host) != (8, true) {
            let new = interface(shape, lanes, width, 0, words(width, host));
            all.push(Entry { smoke: new.smoke && !host && lanes == 1, ..new });
        }
    }
}

/// Two load and two store lanes that share ports by tags. A tag may be none of a lane.
fn shared(all: &mut Vec<Entry>) {
    let shape = "two load and two store lanes, two regions";
    all.extend([8, 32].map(|width| interface(shape, 2, width, 2, Backing::External)));
    for (width, host) in [(8, false), (32, false), (32, true)] {
        let new = interface(shape, 2, width, 2, words(width, host));
        all.push(Entry { smoke: false, ..new });
    }
}

/// Registers of `lanes` lanes of queues: of each lane the count, where they hold data of `bits` bits also the ring.
/// Without tags a lane of results has queues of its own: `instance` says which, and which lane of it.
fn queues(
    entry: &mut Entry,
    wire: &str,
    bits: u32,
    lanes: usize,
    instance: &dyn Fn(usize) -> (String, usize),
) {
    for l in 0..lanes {
        let (name, lane) = instance(l);
        let mut tap = |wire: String, net: String| entry.taps.push((wire, format!("{name}.{net}")));
        tap(format!("h_{wire}_count[{}:{}]", 2 * l + 1, 2 * l), format!("count{lane}_q"));
        for end in ["read", "write"] {
            tap(format!("h_{wire}_{end}[{l}]"), format!("{end}{lane}_q"));
        }
        for e in 0..2 {
            let low = bits * (2 * l as u32 + e);
            tap(
                format!("h_{wire}_entries[{}:{low}]", low + bits - 1),
                format!("entries[{}]", 2 * lane as u32 + e),
            );
        }
    }
}

fn front(entry: &mut Entry, spec: &MemoryInterface) {
    let lanes = spec.loads;
    let one = |name: &'static str| move |lane: usize| (name.to_string(), lane);
    // Queues of results.
    let results = |name: &str, lane: usize| match (spec.tag, lanes) {
        (0, 1) => (format!("{name}_queues"), 0),
        (0, _) => (format!("{name}{lane}_queues"), 0),
        _ => (format!("{name}_queues"), lane),
    };
    queues(entry, "data", spec.width, lanes, &|lane| results("ld_data", lane));
    if spec.tag > 0 {
        queues(entry, "sa", 8, lanes, &one("st_addr_queues"));
        queues(entry, "sd", spec.width, lanes, &one("st_data_queues"));
    }
    if spec.is_external() && spec.width > 8 {
        queues(entry, "place", 4, lanes, &one("places"));
    }
    let mut tap = |wire: String, net: String| entry.taps.push((wire, net));
    for l in 0..lanes {
        let pair = format!("[{}:{}]", 2 * l + 1, 2 * l);
        for (wire, name) in [("h_data_owed", "ld_data"), ("h_done_owed", "ld_done"), ("h_st_owed", "st_done")]
        {
            tap(format!("{wire}{pair}"), format!("{name}_owed{l}_q"));
        }
        for (wire, name) in [("h_ld_dones", "ld_done"), ("h_st_dones", "st_done")] {
            let (queue, lane) = results(name, l);
            tap(format!("{wire}{pair}"), format!("{queue}.count{lane}_q"));
        }
    }
    let turns: &[_] = match (spec.tag, lanes) {
        (0, 1) => &[],
        (0, _) => &[("h_ld_turn", "load_pointer_q"), ("h_st_turn", "store_pointer_q")],
        _ => &[
            ("h_turn", "store_pointer_q"),
            ("h_data_turn", "ld_data_pointer_q"),
            ("h_ld_done_turn", "ld_done_pointer_q"),
            ("h_st_done_turn", "st_done_pointer_q"),
            ("h_260", "error260_q"),
        ],
    };
    for (wire, net) in turns.iter().chain(&[("h_outside", "error266_q")]) {
        tap(wire.to_string(), net.to_string());
    }
}

fn axi(entry: Entry) -> Entry {
    entry.define("AXI", 1).tap("h_none", "error265_q").tap("h_267", "error267_q")
}

fn scratchpad(mut entry: Entry, spec: &MemoryInterface, host: bool) -> Entry {
    for (wire, net) in [
        ("h_none", "error264_q"),
        ("h_words0", "words[0]"),
        ("h_words1", "words[1]"),
        ("h_word", "word_q"),
        ("h_load_arrives", "load_arrives_q"),
        ("h_store_arrives", "store_arrives_q"),
    ] {
        entry = entry.tap(wire, net);
    }
    if spec.width > 8 {
        entry = entry.tap("h_low", "load_low_q").tap("h_size", "load_size_q");
    }
    if spec.loads > 1 {
        entry = entry.tap("h_load_lane", "load_lane_q").tap("h_store_lane", "store_lane_q");
    }
    if host {
        entry = entry.define("HOST", 1).tap("h_was", "host_read_q").tap("h_kept", "host_kept_q");
    }
    entry
}
