//! What cannot be mapped, and mappings that cannot be read, with the reasons; reviewed as snapshots.

use crate::common::{ADD, CUT};
use expect_test::expect_file;
use loom_adg::Fabric;
use loom_base::{Diagnostics, Source};
use loom_dfg::Graph;
use loom_map::{report, MapOptions, PinnedPort};
use serde_json::Value;
use std::fmt::Write;

const SUM: &str = include_str!("../../kernels/sum/sum.dfg.mlir");

fn fabric(text: &str) -> Fabric {
    let source = Source::new("fabric.toml", text);
    let adg = loom_adg::toml::read(&source)
        .unwrap_or_else(|d| panic!("{}", d.iter().map(|d| d.render(&source)).collect::<String>()));
    Fabric::new(adg)
}

fn mesh(n: usize) -> Fabric {
    fabric(&loom_adg::topology::mesh_toml(n, n))
}

fn graph(text: &str) -> Graph {
    let source = Source::new("kernel.dfg.mlir", text);
    loom_dfg::parse(&source)
        .unwrap_or_else(|d| panic!("{}", d.iter().map(|d| d.render(&source)).collect::<String>()))
}

fn map(f: &Fabric, text: &str) -> Result<(), Diagnostics> {
    let options = MapOptions { attempts: 2, steps_per_item: 200, ..MapOptions::default() };
    loom_map::map(&graph(text), f, &options, &mut |_, _| {}).map(|_| ())
}

fn list(cases: Vec<(&str, String, Result<(), Diagnostics>)>) -> String {
    let mut text = String::new();
    for (name, source, result) in cases {
        let _ = writeln!(text, "== {name}");
        let source = Source::new("input", source);
        for d in result.expect_err(name) {
            let _ = writeln!(text, "{}\n", d.render(&source));
        }
    }
    text
}

/// A budget says how far the router goes; one that is not used up changes nothing.
#[test]
fn routing_ends_with_its_budget() {
    let mesh = mesh(2);
    let mapped = |routing_per_step| {
        let options = MapOptions { routing_per_step, ..MapOptions::default() };
        loom_map::map(&graph(SUM), &mesh, &options, &mut |_, _| {}).map(|m| m.mapping)
    };
    let usual = format!("{:?}", mapped(None).expect("a mapping"));
    assert_eq!(format!("{:?}", mapped(Some(u64::MAX)).expect("a mapping")), usual);
    let spent = mapped(Some(0)).expect_err("nothing can be routed");
    assert!(spent[0].code.id == "M0105" && spent[0].notes[0].contains("the budget ended"), "{spent:?}");
}

/// Who has another fabric takes few placements for an answer, where none of them is routed; what is mapped is the same.
#[test]
fn giving_up_early_changes_no_mapping() {
    let mesh = mesh(2);
    let mapped = |gives_up_early, routing_per_step| {
        let options =
            MapOptions { gives_up_early, routing_per_step, steps_per_item: 100, ..MapOptions::default() };
        loom_map::map(&graph(SUM), &mesh, &options, &mut |_, _| {}).map(|m| m.mapping)
    };
    let [early, late] = [true, false].map(|early| mapped(early, None).expect("a mapping"));
    assert_eq!(format!("{early:?}"), format!("{late:?}"));
    for (early, times) in [(true, 4), (false, 64)] {
        let spent = mapped(early, Some(0)).expect_err("nothing can be routed");
        let said = format!("`sum` was placed on `mesh-2x2` {times} times, but never routed");
        assert_eq!((spent[0].code.id, &spent[0].message), ("M0105", &said));
    }
}

/// Which of many thousand ops compete is not worth the search: a graph that is far too large is refused by counting.
#[test]
fn far_too_many_ops_are_counted_only() {
    let count = 100_000;
    let mut text = String::from("handshake.func @long(%x0: i32) -> (i32) {\n  %c = arith.constant 3 : i32\n");
    for k in 0..count {
        let _ = writeln!(text, "  %x{} = arith.addi %x{k}, %c : i32", k + 1);
    }
    let _ = writeln!(text, "  return %x{count} : i32\n}}");
    let begin = std::time::Instant::now();
    let problems = map(&mesh(4), &text).expect_err("it does not fit");
    assert_eq!(problems[0].code.id, "M0102");
    assert!(problems[0].message.starts_with("100000 ops compete for"), "{}", problems[0].message);
    // It took a minute and more.
    assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
}

#[test]
fn a_graph_that_does_not_fit_is_refused_with_the_limit() {
    let wide = "handshake.func @wide(%a: i64, %b: i64) -> (i64) attributes {resNames = [\"r\"]} {\n  \
                %r = arith.addi %a, %b : i64\n  return %r : i64\n}\n";
    let mut many = String::from("handshake.func @many(");
    let args: Vec<String> = (0..9).map(|k| format!("%c{k}: i1, %v{k}: i32")).collect();
    many.push_str(&args.join(", "));
    many.push_str(") -> (");
    many.push_str(&["i32"; 9].join(", "));
    let names: Vec<String> = (0..9).map(|k| format!("\"r{k}\"")).collect();
    let _ = writeln!(many, ") attributes {{resNames = [{}]}} {{", names.join(", "));
    for k in 0..9 {
        let _ = writeln!(many, "  %r{k} = dataflow.invariant %c{k}, %v{k} : i1, i32 -> i32");
    }
    let results: Vec<String> = (0..9).map(|k| format!("%r{k}")).collect();
    let _ = write!(many, "  return {} : {}\n}}\n", results.join(", "), ["i32"; 9].join(", "));
    let mut ports = String::from("handshake.func @ports(");
    let args: Vec<String> = (0..18).map(|k| format!("%a{k}: none")).collect();
    ports.push_str(&args.join(", "));
    ports.push_str(") -> (none) attributes {resNames = [\"r\"]} {\n");
    let operands: Vec<String> = (0..18).map(|k| format!("%a{k}")).collect();
    let _ = write!(
        ports,
        "  %r = join {} : {}\n  return %r : none\n}}\n",
        operands.join(", "),
        ["none"; 18].join(", ")
    );
    let narrow = CUT.replace("bits<32>", "bits<16>");
    let through = |arguments: usize, values: &[usize]| {
        let list = |items: Vec<String>| items.join(", ");
        format!(
            "handshake.func @through({}) -> ({}) attributes {{resNames = [{}]}} {{\n  return {} : {}\n}}\n",
            list((0..arguments).map(|k| format!("%a{k}: i32")).collect()),
            list(values.iter().map(|_| "i32".into()).collect()),
            list((0..values.len()).map(|k| format!("\"r{k}\"")).collect()),
            list(values.iter().map(|k| format!("%a{k}")).collect()),
            list(values.iter().map(|_| "i32".into()).collect()),
        )
    };
    let arguments = through(18, &(0..18).collect::<Vec<_>>());
    let copies: Vec<String> = (0..17).map(|k| format!("%f#{k}")).collect();
    let results = through(1, &[0; 17]).replace(&["%a0"; 17].join(", "), &copies.join(", "));
    let results = results.replacen("  return", "  %f:17 = fork [17] %a0 : i32\n  return", 1);
    let pair = through(2, &[0, 1]);
    // Two switches with one wire between them.
    let neck = "name = \"neck\"\ninput = [{ type = \"bits<32>\" }, { type = \"bits<32>\" }]\n\
                output = [{ type = \"bits<32>\" }, { type = \"bits<32>\" }]\n\
                instance = [{ name = \"a\", of = \"in\" }, { name = \"b\", of = \"out\" }]\n\
                connect = [\n  { from = \"in0\", to = \"a.in0\" }, { from = \"in1\", to = \"a.in1\" },\n  \
                { from = \"a.out0\", to = \"b.in0\" },\n  { from = \"b.out0\", to = \"out0\" }, \
                { from = \"b.out1\", to = \"out1\" },\n]\n\
                [switch.in]\ninputs = { count = 2, width = 32 }\noutputs = { count = 1, width = 32 }\n\
                [switch.out]\ninputs = { count = 1, width = 32 }\noutputs = { count = 2, width = 32 }\n";
    let small = mesh(2);
    let text = list(vec![
        ("no unit is wide enough", wide.into(), map(&small, wide)),
        ("more state machines than state PEs", many.clone(), map(&small, &many)),
        ("a join wider than any unit", ports.clone(), map(&small, &ports)),
        ("no port is wide enough", ADD.into(), map(&fabric(&narrow), ADD)),
        ("more arguments than fabric inputs", arguments.clone(), map(&small, &arguments)),
        ("more results than fabric outputs", results.clone(), map(&small, &results)),
        ("two values and one wire", pair.clone(), map(&fabric(neck), &pair)),
        ("no way from an argument to the PE", ADD.into(), map(&fabric(CUT), ADD)),
    ]);
    expect_file!["bad/graphs.txt"].assert_eq(&text);
}

/// How many more PEs it takes, not that one more is missing.
#[test]
fn all_ops_that_find_no_pe_are_counted() {
    let count = 4000;
    let mut adds =
        String::from("handshake.func @adds(%v0: i32, %c: i1) -> (i32) attributes {resNames = [\"r\"]} {\n");
    let _ = writeln!(adds, "  %d:{count} = fork [{count}] %c : i1");
    for k in 0..count {
        let _ = writeln!(adds, "  %v{} = dataflow.invariant %d#{k}, %v{k} : i1, i32 -> i32", k + 1);
    }
    let _ = write!(adds, "  return %v{count} : i32\n}}\n");
    let problems = map(&mesh(2), &adds).expect_err("far too many");
    let message = &problems[0].message;
    assert!(message.starts_with(&format!("{count} ops compete for ")), "{message}");
    let pes: usize = message["4000 ops compete for ".len()..].split(' ').next().unwrap().parse().unwrap();
    let help = problems[0].help.clone().unwrap_or_default();
    assert!(help.contains(&format!("{} more PEs", count - pes)), "{help}");
}

#[test]
fn a_map_json_that_cannot_be_used_is_refused() {
    let f = mesh(2);
    let g = graph(SUM);
    let mapped = loom_map::map(&g, &f, &MapOptions::default(), &mut |_, _| {}).expect("it fits");
    let text = report::json(&g, &f, 1, &mapped);
    let good: Value = serde_json::from_str(&text).expect("JSON");
    let back = report::read_json(&g, &f, &text).expect("its own file");
    assert_eq!(back.mapping, mapped.mapping);

    let read = |text: String| {
        let result = report::read_json(&g, &f, &text).map(|_| ());
        (text, result)
    };
    let edit = |change: &dyn Fn(&mut Value)| {
        let mut value = good.clone();
        change(&mut value);
        read(serde_json::to_string_pretty(&value).expect("plain data"))
    };
    let cases = vec![
        ("cut short", read(text[..text.len() / 2].to_string())),
        ("not JSON", read("kernel: sum".to_string())),
        ("a key is missing", edit(&|v| drop(v.as_object_mut().unwrap().remove("ops")))),
        ("a key too many", edit(&|v| v["colour"] = "red".into())),
        ("a number is a text", edit(&|v| v["ops"][0]["unit"] = "first".into())),
        ("another kernel", edit(&|v| v["kernel"] = "dot".into())),
        ("another fabric", edit(&|v| v["fabric_hash"] = "00".into())),
        ("an op is missing", edit(&|v| drop(v["ops"].as_array_mut().unwrap().pop()))),
        ("another op", edit(&|v| v["ops"][0]["op"] = "arith.muli".into())),
        ("another unit's name", edit(&|v| v["ops"][0]["unit_name"] = "arith.muli i32".into())),
        ("another bound", edit(&|v| v["mii"] = 7.0.into())),
        ("another bound before mapping", edit(&|v| v["mii_ops"] = 7.0.into())),
        ("another interval", edit(&|v| v["ii"] = 7.0.into())),
        ("another fill", edit(&|v| v["fill"] = 77.into())),
        ("another result", edit(&|v| v["ops"][0]["results"][0] = "zz".into())),
        ("a port that is negative", edit(&|v| v["ops"][0]["inputs"][0] = (-1).into())),
        ("a step that is neither", edit(&|v| v["routes"][0]["steps"][0] = "left".into())),
        ("a list that is one", edit(&|v| v["routes"] = Value::Object(Default::default()))),
        ("a PE that is not there", edit(&|v| v["ops"][0]["pe"] = "t_9_9.s0".into())),
        ("a unit that is not there", edit(&|v| v["ops"][0]["unit"] = 99.into())),
        ("an argument of another name", edit(&|v| v["arguments"][0]["name"] = "zz".into())),
        ("a port that is not there", edit(&|v| v["results"][0]["port"] = 999.into())),
        ("a value that is not there", edit(&|v| v["routes"][0]["value"] = "zz".into())),
        ("a source that is none", edit(&|v| v["routes"][0]["from"] = "nowhere".into())),
        ("a step that is not there", edit(&|v| v["routes"][0]["steps"][0]["switch"] = "t_0_0.zz".into())),
        ("a switch output that is not there", edit(&|v| v["routes"][0]["steps"][0]["output"] = 999.into())),
        ("a used argument without a port", edit(&|v| v["arguments"][0]["port"] = Value::Null)),
        ("a result without a port", edit(&|v| v["results"][0]["port"] = Value::Null)),
        ("a route is missing", edit(&|v| drop(v["routes"].as_array_mut().unwrap().pop()))),
    ];
    let cases = cases.into_iter().map(|(name, (text, result))| (name, text, result)).collect();
    expect_file!["bad/map_json.txt"].assert_eq(&list(cases));
}

#[test]
fn ports_that_are_asked_for_are_kept_or_refused() {
    let (f, g) = (mesh(2), graph(SUM));
    let (inputs, outputs) = (f.adg().top.inputs.len(), f.adg().top.outputs.len());
    let map = |pins: &[&str]| {
        let pins: Vec<PinnedPort> = pins.iter().map(|p| p.parse().expect("a pin")).collect();
        loom_map::try_map(&g, &f, &MapOptions::default(), &pins, &mut |_, _| {}).map_err(|u| u.diagnostics)
    };
    let (last, out) = (inputs - 1, outputs - 1);
    let kept = map(&[&format!("n=in{last}"), "init=in0", &format!("sum=out{out}")]).expect("a mapping");
    assert!(loom_map::check::check(&g, &f, &kept.mapping).is_empty());
    let names: Vec<&str> = g.arguments.iter().map(|&a| &g.value(a).name[..]).collect();
    let at = |name: &str| kept.mapping.arguments[names.iter().position(|&n| n == name).expect("an argument")];
    assert_eq!((at("n"), at("init"), kept.mapping.outputs[0]), (Some(last), Some(0), out));
    let cases = [
        ("no such argument", vec!["zz=in0".to_string()]),
        ("an argument is no result", vec!["n=out0".into()]),
        ("a port that is not there", vec![format!("n=in{inputs}")]),
        ("two at one port", vec!["n=in1".into(), "init=in1".into()]),
        ("one at two ports", vec!["n=in1".into(), "n=in2".into()]),
    ];
    let cases = cases.into_iter().map(|(name, pins)| {
        let pins: Vec<&str> = pins.iter().map(String::as_str).collect();
        (name, pins.join(" "), map(&pins).map(|_| ()))
    });
    expect_file!["bad/pins.txt"].assert_eq(&list(cases.collect()));
    for text in ["", "n", "n=", "=in0", "n=in", "n=0", "n=in-1", "n=in99999999999999999999"] {
        assert!(text.parse::<PinnedPort>().is_err(), "{text}");
    }
}
