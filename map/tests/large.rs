//! Large meshes: a program is mapped onto their first columns and rows, and what comes out is a mapping of the whole.

use crate::common;
use crate::common::{kernel, Target};
use loom_adg::topology::mesh_toml;
use loom_adg::{Cells, ComponentId};
use loom_map::PinnedPort;

/// for i < n: a[i] += 1
const INC: &str = r#"handshake.func @inc(%a: memref<?xi32>, %n: index, %ctl: none) -> (none)
    attributes {argNames = ["a", "n", "ctl"], resNames = ["done"]} {
  %ctl_f:4 = fork [4] %ctl : none
  %zero = constant %ctl_f#0 {value = 0 : index} : index
  %step = constant %ctl_f#1 {value = 1 : index} : index
  %raw, %more = "dataflow.stream"(%zero, %step, %n) {step_op = "+=", cont_cond = "<"} : (index, index, index) -> (index, i1)
  %more_f:5 = fork [5] %more : i1
  %i, %in = "dataflow.gate"(%raw, %more_f#0) : (index, i1) -> (index, i1)
  %i_f:2 = fork [2] %i : index
  sink %in : i1
  %x, %load = load [%i_f#0] %data, %each_f#0 : index, i32
  %start = "dataflow.invariant"(%more_f#1, %ctl_f#2) : (i1, none) -> none
  %each, %last = cond_br %more_f#2, %start : none
  %each_f:2 = fork [2] %each : none
  sink %last : none
  %one = constant %each_f#1 {value = 1 : i32} : i32
  %y = arith.addi %x, %one : i32
  %sd, %sa = store [%i_f#1] %y, %loaded : index, i32
  %data, %stored, %loaded = extmemory[ld = 1, st = 1] (%a : memref<?xi32>) (%sd, %sa, %load) {id = 0 : i32} : (i32, index, index) -> (i32, none, none)
  %order = "dataflow.carry"(%more_f#3, %ctl_f#3, %stored) : (i1, none, none) -> none
  %again, %done = cond_br %more_f#4, %order : none
  sink %again : none
  return %done : none
}
"#;

fn mesh(columns: usize, rows: usize) -> Target {
    Target::of_text("mesh.toml", mesh_toml(columns, rows))
}

/// The largest column and row of a mapping's ops.
fn extent(fabric: &Target, mapping: &loom_map::Mapping) -> i32 {
    let position = |id: ComponentId| fabric.flat().at(id).position;
    let far = mapping.placements.iter().map(|p| position(p.component)).map(|(x, y)| x.max(y));
    far.max().expect("an op")
}

#[test]
fn programs_stay_in_a_part_of_a_large_mesh() {
    for (columns, rows) in [(24, 24), (64, 64), (4, 150)] {
        let fabric = mesh(columns, rows);
        for graph in [kernel("sum"), kernel("nested"), common::graph(INC)] {
            let name = &graph.name;
            let mapped = fabric.map(&graph).unwrap_or_else(|d| panic!("{name}: {d:?}"));
            assert!(fabric.check(&graph, &mapped.mapping).is_empty(), "{name}");
            assert!(extent(&fabric, &mapped.mapping) < 24, "{name}");
            assert!(mapped.mii_ops <= mapped.timing.ii, "{name}");
            assert_eq!(fabric.map(&graph).expect("as before").mapping, mapped.mapping, "{name}");
            // What is read has the figures of the whole fabric too.
            let read = fabric.read(&graph, &fabric.json(&graph, &mapped)).expect("its own map.json");
            assert_eq!((read.mapping, read.mii_ops), (mapped.mapping, mapped.mii_ops), "{name}");
            assert_eq!(read.timing.ii, mapped.timing.ii, "{name}");
        }
    }
}

#[test]
fn a_part_has_the_interval_of_a_fabric_of_its_size() {
    let (small, large) = (mesh(8, 8), mesh(40, 40));
    assert_eq!(Cells::of(&large).around((0, 0), 8).count(), Cells::of(&small).count());
    for graph in [kernel("sum"), kernel("nested"), kernel("diamond"), common::graph(INC)] {
        let ii = |fabric: &Target| fabric.map(&graph).expect("a mapping").timing.ii;
        assert!(ii(&large) <= ii(&small) + 1e-9, "{}", graph.name);
    }
}

#[test]
fn a_pin_draws_the_part_to_it() {
    let fabric = mesh(32, 32);
    let graph = kernel("sum");
    let last = |is_input: bool| {
        let ports = if is_input { &fabric.flat().inputs } else { &fabric.flat().outputs };
        ports.iter().rposition(Option::is_some).expect("a port")
    };
    let name = graph.value(graph.arguments[0]).name.to_string();
    for (name, is_input) in [(name, true), (graph.outputs[0].name.to_string(), false)] {
        let pin = PinnedPort { name, is_input, port: last(is_input) };
        let options = loom_map::MapOptions { attempts: 1, ..Default::default() };
        let mapped = loom_map::try_map(&graph, &fabric, &options, std::slice::from_ref(&pin), &mut |_, _| {})
            .unwrap_or_else(|u| panic!("{:?}", u.diagnostics));
        let mapping = &mapped.mapping;
        let at = if is_input { mapping.arguments[0] } else { Some(mapping.outputs[0]) };
        assert_eq!(at, Some(pin.port));
        assert!(fabric.check(&graph, mapping).is_empty());
    }
}

/// What no part has is said of the whole fabric, before anything is placed.
#[test]
fn what_is_missing_is_missing_in_the_whole() {
    let fabric = mesh(40, 40);
    let graph = common::graph(
        "handshake.func @odd(%a: f16, %b: f16) -> (f16) attributes {resNames = [\"r\"]} {\n  \
         %r = arith.divf %a, %b : f16\n  return %r : f16\n}\n",
    );
    let codes: Vec<&str> = fabric.map(&graph).expect_err("no such unit").iter().map(|d| d.code.id).collect();
    assert_eq!(codes, ["M0101"]);
}
