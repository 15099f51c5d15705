//! The tables of memory in map.json: they bridge the order of ports at a memory node to the ports of interfaces, and a
//! file whose tables are not what its placements give is refused.

use crate::common::{graph, Target};
use expect_test::expect_file;
use loom_base::Source;
use serde_json::Value;
use std::fmt::Write;

/// a[i] = a[i] + a[i], the element loaded twice: one memory node with two load ports and a store port.
const TWICE: &str = "
handshake.func @twice(%a: memref<?xi32>, %n: index, %ctl: none, ...) -> (none)
    attributes {argNames = [\"a\", \"n\", \"ctl\"], resNames = [\"done\"]} {
  %ctl_f:4 = fork [4] %ctl : none
  %2 = constant %ctl_f#0 {value = 0 : index} : index
  %3 = constant %ctl_f#1 {value = 1 : index} : index
  %4, %5 = \"dataflow.stream\"(%2, %3, %n) {step_op = \"+=\", cont_cond = \"<\"} : (index, index, index) -> (index, i1)
  %f5:5 = fork [5] %5 : i1
  %i, %7 = \"dataflow.gate\"(%4, %f5#0) : (index, i1) -> (index, i1)
  %i_f:3 = fork [3] %i : index
  sink %7 : i1
  %x, %xa = load [%i_f#0] %xd, %go_f#0 : index, i32
  %y, %ya = load [%i_f#1] %yd, %go_f#1 : index, i32
  %s = arith.addi %x, %y : i32
  %sd, %sa = store [%i_f#2] %s, %go_f#2 : index, i32
  %xd, %yd, %s_done, %x_done, %y_done = extmemory[ld = 2, st = 1] (%a : memref<?xi32>) (%sd, %sa, %xa, %ya) {id = 0 : i32}
    : (i32, index, index, index) -> (i32, i32, none, none, none)
  %20 = \"dataflow.invariant\"(%f5#1, %ctl_f#2) : (i1, none) -> none
  %go, %22 = cond_br %f5#2, %20 : none
  %go_f:3 = fork [3] %go : none
  sink %22 : none
  %23 = join %x_done, %y_done, %s_done : none, none, none
  %24 = \"dataflow.carry\"(%f5#3, %ctl_f#3, %23) : (i1, none, none) -> none
  %25, %26 = cond_br %f5#4, %24 : none
  sink %25 : none
  return %26 : none
}
";

fn str_of<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().expect("a text")
}

#[test]
fn the_port_table_follows_both_orders() {
    let f = Target::mesh("4x4");
    let g = graph(TWICE);
    let mapped = f.map(&g).expect("a mapping");
    let file: Value = serde_json::from_str(&f.json(&g, &mapped)).expect("JSON");
    let table = file["port_table"].as_array().expect("a table");
    let rows: Vec<(&str, &str, &str)> =
        table.iter().map(|r| (str_of(r, "node_port"), str_of(r, "role"), str_of(r, "value"))).collect();
    // The order of the memory node above, operands first. Data pass the load and store units.
    let wanted = [
        ("operand0", "st_data", "s"),
        ("operand1", "st_addr", "sa"),
        ("operand2", "ld_addr", "xa"),
        ("operand3", "ld_addr", "ya"),
        ("result0", "ld_data", "xd"),
        ("result1", "ld_data", "yd"),
        ("result2", "st_done", "s_done"),
        ("result3", "ld_done", "x_done"),
        ("result4", "ld_done", "y_done"),
    ];
    assert_eq!(rows, wanted);
    // Every port stands on a lane of a region that holds this memory.
    let regions = file["memory_regions"].as_array().expect("a table");
    for row in table {
        let lane = row["lane"].as_u64();
        let holds = |r: &&Value| {
            r["interface"] == row["interface"]
                && r["start_lane"].as_u64() <= lane
                && lane < r["end_lane"].as_u64()
        };
        let region = regions.iter().find(holds).expect("a region of that lane");
        assert_eq!((&region["memory"], &region["element_bytes"]), (&row["memory"], &4.into()));
    }
    // The named word is the one that the packed image has there.
    let image = loom_map::config::image(&g, &f, &mapped.mapping);
    let offsets = file["addr_offset_table"].as_array().expect("a table");
    let words = |row: &Value| {
        let at = row["word_index"].as_u64().expect("a number") as usize;
        image.words[at - 3..at + 2].to_vec()
    };
    for row in offsets {
        let keys = ["valid", "start_lane", "end_lane", "addr_offset", "elem_size_log2"];
        let told: Vec<u32> = keys.iter().map(|k| row[*k].as_u64().expect("a number") as u32).collect();
        assert_eq!(words(row), told, "{row}");
    }
    assert_eq!(offsets.iter().filter(|r| r["valid"] == 1).count(), regions.len());
}

#[test]
fn tables_that_disagree_are_refused() {
    let f = Target::mesh("4x4");
    let g = graph(TWICE);
    let mapped = f.map(&g).expect("a mapping");
    let good: Value = serde_json::from_str(&f.json(&g, &mapped)).expect("JSON");
    let mut text = String::new();
    let mut edit = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut value = good.clone();
        change(&mut value);
        let _ = writeln!(text, "== {name}");
        for d in f.read(&g, &value.to_string()).map(|_| ()).expect_err(name) {
            let mut message = d.render(&Source::new("map.json", ""));
            // Where things lie is the mapper's choice.
            for table in ["memory_regions", "port_table"] {
                for row in good[table].as_array().expect("a table") {
                    message = message.replace(str_of(row, "interface"), "<interface>");
                }
            }
            for row in good["addr_offset_table"].as_array().expect("a table") {
                message =
                    message.replace(&format!("word_index\":{}", row["word_index"]), "word_index\":<word>");
            }
            let lines: Vec<&str> = message.lines().map(str::trim_end).collect();
            let _ = writeln!(text, "{}\n", lines.join("\n"));
        }
    };
    edit("a base in map.json", &|v| v["memory_regions"][0]["addr_offset"] = 4096.into());
    edit("another memory", &|v| v["memory_regions"][0]["memory"] = "b".into());
    edit("a row is missing", &|v| drop(v["port_table"].as_array_mut().unwrap().pop()));
    edit("a row too many", &|v| {
        let row = v["port_table"][0].clone();
        v["port_table"].as_array_mut().unwrap().push(row);
    });
    edit("two tables", &|v| {
        v["port_table"][0]["value"] = "zz".into();
        v["memory_regions"][0]["element_bytes"] = 8.into();
    });
    edit("a word index that is another", &|v| v["addr_offset_table"][0]["word_index"] = 0.into());
    edit("a table is missing", &|v| drop(v.as_object_mut().unwrap().remove("port_table")));
    edit("a column too many", &|v| v["port_table"][0]["colour"] = "red".into());
    expect_file!["bad/tables.txt"].assert_eq(&text);
}
