//! The data that pages are drawn from keeps to its schemas, and says what map.json says.

use loom_adg::Fabric;
use loom_base::Source;
use loom_flow::{load, Configured, Kernel};
use loom_sim::{MemoryEvent, MemoryTrack};
use loom_view::{schema, FabricView, GraphView, MappingFile, MappingView, Page, RunView};
use serde_json::Value;

fn read(path: &str) -> Source {
    let full = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
    Source::new(path, std::fs::read_to_string(full).expect("a file of the repository"))
}

fn fabric(path: &str) -> Fabric {
    load::fabric(&read(path)).expect("a legal fabric")
}

fn valid(of: &str, value: &Value) {
    let schema = schema(of).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a good schema");
    let wrong: Vec<String> = validator.iter_errors(value).map(|e| e.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn mapped(kernel: &str, on: &str) -> (Configured, FabricView, MappingFile) {
    let (fabric, source) = (fabric(on), read(kernel));
    let kernel = Kernel::read(&source, &load::lowering(&fabric)).expect("a kernel");
    let configured =
        Configured::map(kernel, &fabric, &Default::default(), &mut |_, _| {}).expect("a mapping");
    let view = FabricView::new(&fabric);
    let graph = GraphView::new(&configured.kernel, &configured.netlist, &source);
    let file = MappingFile::mapped(graph, &view, MappingView::new(&configured, 1, 1));
    (configured, view, file)
}

#[test]
fn every_fabric_keeps_to_the_schema_and_has_a_place_for_every_part() {
    for name in ["mesh-2x2", "mesh-4x4", "general-4x4", "tags", "units"] {
        let fabric = fabric(&format!("configs/{name}.toml"));
        let view = FabricView::new(&fabric);
        valid("fabric", &serde_json::to_value(&view).expect("plain data"));
        let parts: usize = view.instances.iter().map(|i| view.tiles[i.tile].parts.len()).sum();
        assert_eq!(parts, fabric.flat().components.len(), "{name}");
        for tile in &view.tiles {
            for (i, part) in tile.parts.iter().enumerate() {
                let a = part.area;
                assert!(
                    a.w > 0 && a.x >= 0 && a.x + a.w <= tile.size.w,
                    "{name} {} {}",
                    tile.name,
                    part.name
                );
                assert!(
                    a.h > 0 && a.y >= 0 && a.y + a.h <= tile.size.h,
                    "{name} {} {}",
                    tile.name,
                    part.name
                );
                let meets = tile.parts[..i]
                    .iter()
                    .map(|p| p.area)
                    .any(|b| a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h);
                assert!(!meets, "{name} {} {} covers another part", tile.name, part.name);
            }
        }
    }
}

#[test]
fn a_mapping_keeps_to_the_schema_and_says_what_map_json_says() {
    let (configured, _, file) = mapped("kernels/vecadd/vecadd.scf.mlir", "configs/mesh-4x4.toml");
    let value = serde_json::to_value(&file).expect("plain data");
    valid("mapping", &value);
    let json = loom_map::report::json(configured.graph(), &configured.fabric, 1, &configured.mapped);
    let map: Value = serde_json::from_str(&json).expect("JSON");
    let (ops, places) = (&map["ops"], &value["mapping"]["placements"]);
    assert_eq!(ops.as_array().map(Vec::len), places.as_array().map(Vec::len));
    for (k, op) in ops.as_array().expect("a list").iter().enumerate() {
        assert_eq!(op["op"], value["graph"]["nodes"][k]["op"]);
        for (there, here) in [("pe", "path"), ("unit", "unit"), ("inputs", "inputs"), ("outputs", "outputs")]
        {
            assert_eq!(op[there], places[k][here], "op {k}");
        }
    }
    // A way through n steps has n + 1 channels, and one more for each branch.
    for (route, way) in
        map["routes"].as_array().expect("a list").iter().zip(&file.mapping.as_ref().expect("one").routes)
    {
        let ends = way
            .channels
            .iter()
            .enumerate()
            .filter(|(k, _)| !way.channels.iter().any(|c| c.after == Some(*k)));
        assert!(ends.count() >= 1 && way.channels.len() > route["steps"].as_array().map_or(0, Vec::len));
    }
    assert_eq!(file.graph.loops.len(), 1);
    assert!(file.graph.nodes[..file.graph.ops].iter().all(|n| n.line.is_some() || n.class != "arith"));
}

#[test]
fn a_run_that_stands_still_shows_who_waits_for_whom() {
    let text = "handshake.func @stuck(%a: i32, %c: i1, ...) -> (i32) attributes {argNames = [\"a\", \"c\"], resNames = [\"r\"]} {
  %y = mux %c [%a, %q#0] : i1, i32
  %ys:2 = fork [2] %y : i32
  %k = arith.cmpi slt, %ys#0, %ys#1 : i32
  %z = arith.extui %k : i1 to i32
  %q:2 = fork [2] %z : i32
  return %q#1 : i32
}
";
    let (fabric, source) = (fabric("configs/mesh-2x2.toml"), Source::new("stuck.dfg.mlir", text));
    let kernel = Kernel::read(&source, &load::lowering(&fabric)).expect("a graph");
    let configured =
        Configured::map(kernel, &fabric, &Default::default(), &mut |_, _| {}).expect("a mapping");
    let case =
        Source::new("case.toml", "description = \"-\"\n[inputs]\na = [1]\nc = [true]\n[expect]\nr = [0]\n");
    let case = configured.case(&case).expect("a case");
    let runs = configured.simulate(&case).expect("a run");
    let (trace, recording) = configured.record(&case, &runs, 100).expect("a record");
    assert_eq!(trace, runs.native.trace);
    let run = RunView::new(&configured, "case", &trace, &recording);
    assert_eq!(run.stop, "deadlock");
    let mut circle: Vec<&str> = run
        .circle
        .iter()
        .map(|&op| configured.netlist.nodes[op].op.kind())
        .map(|k| match k.to_string().as_str() {
            "handshake.mux" => "mux",
            "arith.cmpi" => "cmpi",
            "arith.extui" => "extui",
            _ => "another",
        })
        .collect();
    circle.sort_unstable();
    assert_eq!(circle, ["cmpi", "extui", "mux"]);
    let view = FabricView::new(&fabric);
    let graph = GraphView::new(&configured.kernel, &configured.netlist, &source);
    let file = MappingFile {
        run: Some(run),
        ..MappingFile::mapped(graph, &view, MappingView::new(&configured, 1, 1))
    };
    let value = serde_json::to_value(&file).expect("plain data");
    valid("mapping", &value);
    valid("trace", &value["run"]);
}

/// Requests and answers of memory interfaces are those of the program: each load once, in the order of its lane.
#[test]
fn a_run_tells_what_passes_to_memory_and_back() {
    let (configured, _, file) = mapped("kernels/vecadd/vecadd.scf.mlir", "configs/mesh-4x4.toml");
    let case = configured.case(&read("kernels/vecadd/n64.toml")).expect("a case");
    let runs = configured.simulate(&case).expect("a run");
    let (trace, recording) = configured.record(&case, &runs, 10_000).expect("a record");
    let n = 64;
    let all = |of: fn(&MemoryTrack) -> &Vec<MemoryEvent>| -> Vec<MemoryEvent> {
        recording.memories.iter().flat_map(of).copied().collect()
    };
    let (loads, stores) = (all(|m| &m.loads), all(|m| &m.stores));
    let (loaded, stored) = (all(|m| &m.loaded), all(|m| &m.stored));
    assert_eq!([loads.len(), stores.len(), loaded.len(), stored.len()], [2 * n, n, 2 * n, n]);
    // What was loaded is what was added: the sums of all lanes agree.
    let sum = |of: &[MemoryEvent]| of.iter().fold(0u32, |sum, e| sum.wrapping_add(e.data as u32));
    assert_eq!(sum(&loaded), sum(&stores));
    let mut addresses: Vec<u64> = loads.iter().map(|e| e.address).collect();
    addresses.sort_unstable();
    addresses.dedup();
    assert_eq!(addresses.len(), 2 * n, "each element is asked for once");
    for (asked, given) in [(&loads, &loaded), (&stores, &stored)] {
        assert!(
            asked.iter().zip(given.iter()).all(|(a, b)| a.cycle < b.cycle),
            "no answer before its request"
        );
    }
    let run = Some(RunView::new(&configured, "n64", &trace, &recording));
    let value = serde_json::to_value(MappingFile { run, ..file }).expect("plain data");
    valid("mapping", &value);
    valid("trace", &value["run"]);
    assert_eq!(value["run"]["memories"].as_array().map(Vec::len), Some(recording.memories.len()));
}

#[test]
fn a_mapping_whose_ways_collide_names_the_values() {
    let (fabric, source) = (fabric("configs/mesh-4x4.toml"), read("kernels/matmul/matmul.scf.mlir"));
    let kernel = Kernel::read(&source, &load::lowering(&fabric)).expect("a kernel");
    let options = loom_map::MapOptions { rounds: 1, attempts: 1, steps_per_item: 1, ..Default::default() };
    let unmapped = loom_map::try_map(&kernel.graph, &fabric, &options, &[], &mut |_, _| {});
    let unmapped = unmapped.expect_err("one round from a random placement");
    let net = loom_map::netlist::netlist(&kernel.graph, fabric.index_width());
    let file = MappingFile::failed(GraphView::new(&kernel, &net, &source), &fabric, &unmapped);
    valid("mapping", &serde_json::to_value(&file).expect("plain data"));
    let failure = file.failure.expect("it is one");
    assert!(!failure.contended.is_empty());
    for contended in &failure.contended {
        assert!(contended.values.len() > 1 && contended.values.iter().all(|v| failure.values.contains(v)));
    }
    assert_eq!(failure.placements.len(), net.nodes.len());
}

#[test]
fn a_mapping_that_is_not_found_keeps_to_the_schema_too() {
    let (fabric, source) = (fabric("configs/mesh-2x2.toml"), read("kernels/vecadd/vecadd.scf.mlir"));
    let kernel = Kernel::read(&source, &Default::default()).expect("a kernel");
    let unmapped = loom_map::try_map(&kernel.graph, &fabric, &Default::default(), &[], &mut |_, _| {});
    let unmapped = unmapped.expect_err("it has no memory");
    let file = MappingFile::failed(GraphView::new(&kernel, &kernel.graph, &source), &fabric, &unmapped);
    let value = serde_json::to_value(&file).expect("plain data");
    valid("mapping", &value);
    assert!(file.failure.is_some_and(|f| f.messages[0].starts_with("M01")));
}

#[test]
fn a_page_is_one_file_that_nothing_breaks_out_of() {
    let graph = "handshake.func @f(%a: i32) -> (i32) {\n  // </script><b>\n  return %a : i32\n}\n";
    let source = Source::new("</script>.dfg.mlir", graph);
    let kernel = Kernel::read(&source, &Default::default()).expect("a graph");
    let html = Page::of_graph(GraphView::new(&kernel, &kernel.graph, &source)).html();
    assert_eq!(html.matches("</script>").count(), 2);
    assert!(!html.contains("src=") && !html.contains("@import") && !html.contains("url(http"));
}
