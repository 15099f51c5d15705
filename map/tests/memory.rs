//! Loads and stores on shared memory interfaces: lanes are given out within the regions there are, and what does not fit
//! is refused with the interface, what it has and what is wanted. Reviewed as snapshots.

use crate::common::{graph, Target};
use expect_test::expect_file;
use loom_base::{Diagnostics, Source};
use loom_dfg::Graph;
use loom_map::memory::{self, STORE};
use loom_map::netlist::netlist;
use loom_map::MapOptions;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A memory tile with an interface of that table, and units for its accesses.
fn fabric(table: &str, lines: &str) -> Target {
    laid_out("[\"um\", \"uu\"]", table, lines)
}

/// Memory tiles and units where a layout has them.
fn laid_out(layout: &str, table: &str, lines: &str) -> Target {
    Target::of_text(
        "lanes.toml",
        format!(
            "name = \"lanes\"\n\
             [pe.access]\ninputs = {{ count = 3, width = 32 }}\noutputs = {{ count = 2, width = 32 }}\n\
             fus = [\"handshake.load 32\", \"handshake.store 32\"]\n\
             [{table}.mem]\nqueue = 4\n{lines}\n\
             [tile.units]\nchannels = 3\nturnarounds = 0\nranks = [[\"a0: access\", \"a1: access\", \"a2: access\", \"a3: access\"]]\n\
             [tile.memory]\nchannels = 3\nturnarounds = 0\nmemories = [\"mem: mem\"]\nlane_depth = 2\n\
             ranks = [[\"a0: access\"]]\n\
             [mesh]\nlayout = {layout}\nlegend = {{ u = \"units\", m = \"memory\" }}\n"
        ),
    )
}

/// A graph of accesses of memories: (memory, whether a store), each with arguments and results of its own.
fn accesses(memories: &[(&str, &str)], list: &[(usize, bool)], private: bool) -> String {
    let (mut args, mut names, mut results, mut types, mut outs) = (vec![], vec![], vec![], vec![], vec![]);
    let mut body = String::new();
    for (name, ty) in memories.iter().filter(|_| !private) {
        args.push(format!("%{name}: {ty}"));
        names.push(format!("\"{name}\""));
    }
    let of = |m: usize, store: bool| -> Vec<usize> {
        (0..list.len()).filter(|&k| list[k] == (m, store)).collect()
    };
    for (k, &(m, store)) in list.iter().enumerate() {
        let element = memories[m].1.trim_end_matches('>').rsplit('x').next().expect("an element type");
        args.push(format!("%i{k}: index"));
        names.push(format!("\"i{k}\""));
        args.push(format!("%c{k}: none"));
        names.push(format!("\"c{k}\""));
        if store {
            args.push(format!("%v{k}: {element}"));
            names.push(format!("\"v{k}\""));
            let _ = writeln!(body, "  %d{k}, %a{k} = store [%i{k}] %v{k}, %c{k} : index, {element}");
        } else {
            let _ = writeln!(body, "  %r{k}, %a{k} = load [%i{k}] %m{k}, %c{k} : index, {element}");
            results.push(format!("%r{k}"));
            types.push(element.to_string());
            outs.push(format!("\"r{k}\""));
        }
        results.push(format!("%e{k}"));
        types.push("none".into());
        outs.push(format!("\"e{k}\""));
    }
    for (m, (name, ty)) in memories.iter().enumerate() {
        let element = ty.trim_end_matches('>').rsplit('x').next().expect("an element type");
        let (loads, stores) = (of(m, false), of(m, true));
        let all = |parts: Vec<Vec<String>>| parts.concat().join(", ");
        let each = |ids: &[usize], c: &[&str]| -> Vec<String> {
            ids.iter().flat_map(|k| c.iter().map(move |c| format!("{c}{k}"))).collect()
        };
        let operands = all(vec![each(&stores, &["%d", "%a"]), each(&loads, &["%a"])]);
        let made = all(vec![each(&loads, &["%m"]), each(&stores, &["%e"]), each(&loads, &["%e"])]);
        let in_types: Vec<&str> =
            stores.iter().flat_map(|_| [element, "index"]).chain(loads.iter().map(|_| "index")).collect();
        let out_types: Vec<&str> =
            loads.iter().map(|_| element).chain(list.iter().filter(|a| a.0 == m).map(|_| "none")).collect();
        let types = format!("({}) -> ({})", in_types.join(", "), out_types.join(", "));
        let ports = format!("[ld = {}, st = {}]", loads.len(), stores.len());
        let _ = match private {
            false => writeln!(
                body,
                "  {made} = extmemory{ports} (%{name} : {ty}) ({operands}) {{id = {m} : i32}} : {types}"
            ),
            true => writeln!(body, "  {made} = memory{ports} ({operands}) {{id = {m} : i32, loom.name = \"{name}\"}} : {ty}, {types}"),
        };
    }
    format!(
        "handshake.func @accesses({}) -> ({}) attributes {{argNames = [{}], resNames = [{}]}} {{\n{body}  return {} : {}\n}}\n",
        args.join(", "),
        types.join(", "),
        names.join(", "),
        outs.join(", "),
        results.join(", "),
        types.join(", ")
    )
}

const A: (&str, &str) = ("a", "memref<?xi32>");
const B: (&str, &str) = ("b", "memref<?xi32>");
const C: (&str, &str) = ("c", "memref<?xi32>");
const WIDE: (&str, &str) = ("wide", "memref<?xi64>");
const READ: bool = false;
const WRITE: bool = true;

/// Lane of each access, in the order of the list; stores count from [`STORE`].
fn lanes_of(f: &Target, g: &Graph) -> Vec<usize> {
    let mapped = f.map(g).unwrap_or_else(|d| panic!("{d:?}"));
    assert!(f.check(g, &mapped.mapping).is_empty());
    memory::accesses(&netlist(g, 32), &mapped.mapping).into_iter().map(|a| a.1).collect()
}

/// What a greedy choice gets wrong: the first lane of the first access stands in the way of the others.
#[test]
fn lanes_are_found_where_there_are_any() {
    let uneven = fabric("extmemory", "loads = 1\nstores = 2\nwidth = 32\nregions = 2");
    let g = graph(&accesses(&[A, B], &[(0, WRITE), (1, READ)], false));
    let mut lanes = lanes_of(&uneven, &g);
    lanes.sort_unstable();
    assert_eq!(lanes, [0, STORE + 1]);

    let few = fabric("extmemory", "loads = 3\nstores = 0\nwidth = 32\nregions = 2");
    let g = graph(&accesses(&[A, B], &[(0, READ), (1, READ), (0, READ)], false));
    let mapped = few.map(&g).expect("two regions suffice");
    let all = memory::accesses(&netlist(&g, 32), &mapped.mapping);
    assert_eq!(memory::regions(&netlist(&g, 32), &few, &all).expect("legal").len(), 2);
}

/// How many accesses of each memory are at each scratchpad that has some, the most first.
fn spread(f: &Target, memories: &[(&str, &str)], list: &[(usize, bool)]) -> Vec<Vec<usize>> {
    // All of one rate: they have their index and their control token in common.
    let mut text = accesses(memories, list, true);
    for k in 1..list.len() {
        for (name, ty) in [("i", "index"), ("c", "none")] {
            text = text.replace(&format!(", %{name}{k}: {ty}"), "").replace(&format!(", \"{name}{k}\""), "");
        }
    }
    let (head, body) = text.split_once("{\n").expect("a body");
    let mut body = body.to_string();
    for (name, ty) in [("i", "index"), ("c", "none")].into_iter().filter(|_| list.len() > 1) {
        for k in 0..list.len() {
            body = body.replace(&format!("%{name}{k}"), &format!("%{name}s#{k}"));
        }
        body = format!("  %{name}s:{0} = fork [{0}] %{name}0 : {ty}\n{body}", list.len());
    }
    let text = format!("{head}{{\n{body}");
    let g = graph(&text);
    let mapped = f.map(&g).unwrap_or_else(|d| panic!("{d:?}"));
    assert!(f.check(&g, &mapped.mapping).is_empty());
    let all = memory::accesses(&netlist(&g, 32), &mapped.mapping);
    let of = |m: usize| {
        let mut at: BTreeMap<_, usize> = BTreeMap::new();
        all.iter().filter(|a| a.2 .0 as usize == m).for_each(|a| *at.entry(a.0).or_default() += 1);
        let mut counts: Vec<usize> = at.into_values().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts
    };
    (0..memories.len()).map(of).collect()
}

/// Loads of one iteration need not wait for each other where there are scratchpads enough, but what is written is in one place.
#[test]
fn what_is_only_read_has_copies() {
    // Two tiles with a scratchpad each.
    let pads =
        laid_out("[\"um\", \"mu\"]", "memory", "bytes = 64\nloads = 2\nstores = 1\nwidth = 32\nregions = 2");
    let small = |name| (name, "memref<8xi32>");
    let (read, two) = ([(0, READ), (0, READ)], [(0, READ), (1, READ)]);
    assert_eq!(spread(&pads, &[small("t")], &read), [[1, 1]]);
    assert_eq!(spread(&pads, &[small("t")], &[(0, READ), (0, READ), (0, READ), (0, READ)]), [[2, 2]]);
    assert_eq!(spread(&pads, &[small("t")], &[(0, READ), (0, WRITE)]), [[2]]);
    assert_eq!(spread(&pads, &[small("t"), small("u")], &two), [[1], [1]]);
    // Each fills a scratchpad: no room for copies.
    let large = |name| (name, "memref<16xi32>");
    let both = [(0, READ), (0, READ), (1, READ), (1, READ)];
    assert_eq!(spread(&pads, &[large("t"), large("u")], &both), [[2], [2]]);
    // A table of two rows; two memories have one each in both scratchpads.
    assert_eq!(spread(&pads, &[small("t"), small("u")], &both), [[1, 1], [1, 1]]);
}

fn shown(f: &Target, text: &str) -> String {
    let g = &graph(text);
    let options = MapOptions { attempts: 2, steps_per_item: 200, ..MapOptions::default() };
    let refused = loom_map::map(g, f, &options, &mut |_, _| {}).map(|_| ()).expect_err("refused");
    let source = Source::new("kernel", text);
    refused.iter().map(|d| d.render(&source) + "\n").collect()
}

#[test]
fn accesses_that_do_not_fit_are_refused_with_what_is_short() {
    let two = fabric("extmemory", "loads = 2\nstores = 2\nwidth = 32\nregions = 2");
    let plain = fabric("extmemory", "loads = 1\nstores = 1\nwidth = 32");
    let reads = fabric("extmemory", "loads = 2\nstores = 0\nwidth = 32\nregions = 2");
    let tables = fabric("extmemory", "loads = 3\nstores = 0\nwidth = 32\nregions = 2");
    let pad = fabric("memory", "bytes = 64\nloads = 2\nstores = 2\nwidth = 32\nregions = 2");
    let ext = |m: &[(&str, &str)], list: &[(usize, bool)]| accesses(m, list, false);
    let chip = |m: &[(&str, &str)], list: &[(usize, bool)]| accesses(m, list, true);
    let small = |name| (name, "memref<10xi32>");
    let mut text = String::new();
    for (name, f, g) in [
        ("three loads, two lanes", &two, ext(&[A], &[(0, READ), (0, READ), (0, READ)])),
        ("three stores, two lanes", &two, ext(&[A], &[(0, WRITE), (0, WRITE), (0, WRITE)])),
        ("two loads, one lane", &plain, ext(&[A], &[(0, READ), (0, READ)])),
        ("two memories, one lane", &plain, ext(&[A, B], &[(0, READ), (1, READ)])),
        ("a lane and its region for two memories", &plain, ext(&[A, B], &[(0, READ), (1, WRITE)])),
        ("a store where there are loads only", &reads, ext(&[A], &[(0, READ), (0, WRITE)])),
        ("three memories, two regions", &tables, ext(&[A, B, C], &[(0, READ), (1, READ), (2, READ)])),
        ("elements wider than words", &two, ext(&[WIDE], &[(0, READ)])),
        ("larger than the scratchpad", &pad, chip(&[("big", "memref<17xi32>")], &[(0, READ), (0, WRITE)])),
        (
            "two memories larger than the scratchpad",
            &pad,
            chip(&[small("p"), small("q")], &[(0, READ), (1, READ)]),
        ),
        ("a memory on chip where there is none", &two, chip(&[small("p")], &[(0, READ)])),
    ] {
        let _ = writeln!(text, "== {name}\n{}", shown(f, &g));
    }
    expect_file!["bad/memory.txt"].assert_eq(&text);
}

#[test]
fn a_map_json_with_wrong_lanes_is_refused() {
    let f = fabric("extmemory", "loads = 2\nstores = 2\nwidth = 32\nregions = 2");
    let g = graph(&accesses(&[A, B], &[(0, READ), (1, READ), (1, WRITE)], false));
    let mapped = f.map(&g).expect("it fits");
    let good: Value = serde_json::from_str(&f.json(&g, &mapped)).expect("JSON");
    let ops = good["ops"].as_array().expect("a list");
    let at = |unit: &str, skip: usize| {
        let mut all = (0..ops.len()).filter(|&n| ops[n]["unit_name"].as_str().unwrap().starts_with(unit));
        all.nth(skip).expect("an access")
    };
    let (load, other, store) = (at("load lane", 0), at("load lane", 1), at("store lane", 0));
    let unit = |n: usize| ops[n]["unit"].as_u64().expect("a number");
    let mut text = String::new();
    for (name, edits) in [
        ("the regions of two memories overlap", vec![(store, STORE as u64 + 1 - unit(store) % STORE as u64)]),
        ("two loads on one lane", vec![(other, unit(load))]),
        ("two memories change lanes", vec![(load, unit(other)), (other, unit(load))]),
        ("a load on a store lane", vec![(load, STORE as u64 + unit(load))]),
        ("a lane that is not there", vec![(load, 2)]),
        ("a store lane that is not there", vec![(store, STORE as u64 + 2)]),
    ] {
        let mut value = good.clone();
        for (n, unit) in edits {
            value["ops"][n]["unit"] = unit.into();
        }
        let refused: Diagnostics = f.read(&g, &value.to_string()).map(|_| ()).expect_err(name);
        let source = Source::new("map.json", "");
        let _ = writeln!(text, "== {name}");
        refused.iter().for_each(|d| text.push_str(&(d.render(&source) + "\n\n")));
    }
    expect_file!["bad/memory_json.txt"].assert_eq(&text);
}
