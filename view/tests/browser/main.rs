//! Pages in a browser: five kernels on three fabrics, an op clicked, a run played. `make test-view` runs it; it needs chromium.

mod devtools;

use devtools::Browser;
use loom_base::Source;
use loom_flow::{load, Configured, Kernel, Runs};
use loom_sim::{ChannelState, Recording};
use loom_view::{FabricView, GraphView, MappingFile, MappingView, Page, RunView};
use serde_json::{json, Value};
use std::path::{Path, PathBuf};

const KERNELS: [(&str, &str); 5] =
    [("matmul", "n4"), ("vecadd", "n64"), ("gcd", "few"), ("sum", "n1000"), ("csr_rowsum", "few")];
const FABRICS: [&str; 3] = ["mesh-4x4", "general-6x6", "mesh-8x8"];
const SIZES: [(u32, u32); 2] = [(1280, 800), (1920, 1080)];

fn read(path: &Path) -> Source {
    Source::new(path.display().to_string(), std::fs::read_to_string(path).expect("a file of the repository"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository").to_path_buf()
}

struct Shown {
    configured: Configured,
    runs: Runs,
    recording: Recording,
    file: PathBuf,
}

fn shown(kernel: &str, case: &str, on: &str, folder: &Path) -> Shown {
    let fabric = load::fabric(&read(&root().join(format!("configs/{on}.toml")))).expect("a fabric");
    let at = root().join("kernels").join(kernel);
    let text = ["scf.mlir", "dfg.mlir"].map(|form| at.join(format!("{kernel}.{form}")));
    let source = read(text.iter().find(|p| p.is_file()).expect("a kernel"));
    let case = at.join(format!("{case}.toml"));
    let case = if case.is_file() { case } else { first_case(&at) };
    let kernel = Kernel::read(&source, &load::lowering(&fabric)).expect("a kernel");
    let configured = Configured::map(kernel, &fabric, &Default::default(), &mut |_, _| {}).expect("it maps");
    let parsed = configured.case(&read(&case)).expect("a case");
    let runs = configured.simulate(&parsed).expect("a run");
    let (trace, recording) = configured.record(&parsed, &runs, 10_000).expect("a record");
    assert_eq!(trace, runs.native.trace, "a record changes nothing");
    let view = FabricView::new(&fabric);
    let graph = GraphView::new(&configured.kernel, &configured.netlist, &source);
    let run = Some(RunView::new(&configured, "case", &trace, &recording));
    let file = MappingFile { run, ..MappingFile::mapped(graph, &view, MappingView::new(&configured, 1, 1)) };
    let page = Page { fabric: Some(view), file: Some(file) };
    let file = folder.join(format!("{}.{on}.viz.html", configured.graph().name));
    std::fs::write(&file, page.html()).expect("a file");
    Shown { configured, runs, recording, file }
}

fn first_case(folder: &Path) -> PathBuf {
    let mut all: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    all.sort();
    all.into_iter().find(|p| p.extension().is_some_and(|e| e == "toml")).expect("a case")
}

/// A click on an op lights its unit and its routes, and the numbers are those of map.json.
fn click_an_op(browser: &mut Browser, shown: &Shown) {
    let Configured { kernel, fabric, mapped, .. } = &shown.configured;
    let map: Value =
        serde_json::from_str(&loom_map::report::json(&kernel.graph, fabric, 1, mapped)).expect("JSON");
    let op = shown.configured.netlist.nodes.len() / 2;
    browser.ask(&format!("choose(null, null); showNode({op})"));
    let place = browser.ask(&format!(
        "(() => {{ const r = drawing.nodes[{op}].getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
    ));
    browser.click(place[0].as_f64().expect("a number"), place[1].as_f64().expect("a number"));
    assert_eq!(browser.ask("chosen.selected"), json!({ "kind": "op", "id": op }));
    let path = &map["ops"][op]["pe"];
    assert_eq!(&browser.ask("[...chosen.lit.units].map(pathOf)[0]"), path);
    for (there, here) in
        [("unit", "unit"), ("unit_name", "unit_name"), ("inputs", "inputs"), ("outputs", "outputs")]
    {
        assert_eq!(browser.ask(&format!("placements[{op}].{here}")), map["ops"][op][there], "{here}");
    }
    let said = browser.ask("side.textContent");
    assert!(said.as_str().is_some_and(|s| s.contains(path.as_str().expect("a path"))), "{said}");
    // Every value of the op that travels has its way lit: its channels are drawn over the whole plan.
    let node = &shown.configured.netlist.nodes[op];
    for v in node.operands.iter().chain(&node.results) {
        let lit = browser.ask(&format!("chosen.lit.values.has({})", v.0));
        assert_eq!(lit, json!(true), "value {}", v.0);
        if mapped.mapping.routes.iter().any(|r| r.value == *v) {
            let long =
                browser.ask(&format!("routeLines(routeOf.get({})).every((l) => l.points.length > 1)", v.0));
            assert_eq!(long, json!(true), "the way of value {}", v.0);
        }
    }
}

/// Tokens that are shown are those of the native model.
fn play(browser: &mut Browser, shown: &Shown) {
    let (native, recording) = (&shown.runs.native, &shown.recording);
    let cycles = recording.cycles;
    for cycle in [0, 1, cycles / 3, cycles / 2, cycles - 1] {
        browser.ask(&format!("playback.seek({cycle})"));
        let moving = recording.tracks.iter().filter(|t| t.state(cycle) == ChannelState::Moves).count();
        let counted =
            browser.ask("trace.tracks.filter((t) => stateOf(t, playback.state.at) === MOVES).length");
        assert_eq!(counted, json!(moving), "cycle {cycle}");
        for (k, tokens) in native.outputs.iter().enumerate().filter(|(_, t)| !t.is_empty()) {
            let before = tokens.iter().filter(|t| t.cycle < cycle).count();
            let track = format!(
                "trace.tracks[run.channels.find((c) => c.to.part === undefined && c.to.port === {k}).track]"
            );
            assert_eq!(
                browser.ask(&format!("movedBefore({track}, {cycle})")),
                json!(before),
                "out{k} in cycle {cycle}"
            );
        }
    }
    for memory in &recording.memories {
        let kinds = [&memory.loads, &memory.stores, &memory.loaded, &memory.stored];
        let counted = |upto: u64| kinds.map(|list| list.iter().filter(|e| e.cycle < upto).count());
        let id = memory.component.0;
        for cycle in [0, cycles / 2, cycles] {
            let shown = browser.ask(&format!(
                "KINDS.map((kind) => eventsBefore(eventsOf(memories.get({id}), kind), {cycle}))"
            ));
            assert_eq!(shown, json!(counted(cycle)), "cycle {cycle}");
        }
        if let Some(first) = memory.loaded.first() {
            browser.ask(&format!("choose('unit', {id}); playback.seek({})", recording.first + first.cycle));
            let said = browser.ask("side.textContent");
            let data = format!("gives {:#x}, lane {}", first.data, first.lane);
            assert!(said.as_str().is_some_and(|s| s.contains(&data)), "{data}: {said}");
        }
    }
    browser.ask("playback.seek(0); playback.state.speed = 5; playback.toggle()");
    browser.ask("new Promise((done) => setTimeout(done, 400))");
    assert_ne!(browser.ask("playback.state.at"), json!(0), "it plays");
    browser.ask("playback.seek(0)");
}

#[test]
#[ignore = "needs chromium: make test-view"]
fn pages_in_a_browser() {
    let folder = tempfile::tempdir().expect("a folder");
    let shots = root().join("target/view-shots");
    std::fs::create_dir_all(&shots).expect("a folder");
    let mut browser = Browser::start(&folder.path().join("profile"));
    for (kernel, case) in KERNELS {
        for on in FABRICS {
            let shown = shown(kernel, case, on, folder.path());
            browser.open(&shown.file, SIZES[0], "");
            click_an_op(&mut browser, &shown);
            play(&mut browser, &shown);
            assert!(browser.trouble.is_empty(), "{kernel} on {on}: {:#?}", browser.trouble);
            if kernel == "matmul" && on == "mesh-8x8" {
                pictures(&mut browser, &shown, &shots);
                speed(&mut browser, &shown);
            }
        }
    }
    other_pages(&mut browser, folder.path(), &shots);
}

/// A mapping that was not found, and a fabric of 64x64: each opens without trouble and says what it is.
fn other_pages(browser: &mut Browser, folder: &Path, shots: &Path) {
    let fabric = load::fabric(&read(&root().join("configs/mesh-4x4.toml"))).expect("a fabric");
    let source = read(&root().join("kernels/matmul/matmul.scf.mlir"));
    let kernel = Kernel::read(&source, &load::lowering(&fabric)).expect("a kernel");
    let options = loom_map::MapOptions { rounds: 1, attempts: 1, steps_per_item: 200, ..Default::default() };
    let unmapped =
        loom_map::try_map(&kernel.graph, &fabric, &options, &[], &mut |_, _| {}).expect_err("one round");
    let net = loom_map::netlist::netlist(&kernel.graph, fabric.index_width());
    let file = MappingFile::failed(GraphView::new(&kernel, &net, &source), &fabric, &unmapped);
    let (contended, values) = match &file.failure {
        Some(failure) => (failure.contended.len(), failure.values.clone()),
        None => panic!("it says why"),
    };
    let page = Page { fabric: Some(FabricView::new(&fabric)), file: Some(file) };
    let at = folder.join("failed.viz.html");
    std::fs::write(&at, page.html()).expect("a file");
    browser.open(&at, SIZES[0], "");
    let said = browser.ask("side.textContent");
    assert!(said.as_str().is_some_and(|s| s.contains("no mapping was found")), "{said}");
    assert_eq!(browser.ask("failure.contended.length"), json!(contended));
    browser.ask("choose('failed', 0)");
    assert_eq!(browser.ask("[...chosen.lit.values]"), json!(values));
    std::fs::write(shots.join("failed.png"), browser.shot()).expect("a file");

    let mesh = Source::new("mesh-64x64.toml", loom_adg::topology::mesh_toml(64, 64));
    let large = load::fabric(&mesh).expect("a fabric");
    let at = folder.join("large.viz.html");
    let view = FabricView::new(&large);
    let instances = view.instances.len();
    std::fs::write(&at, Page::of_fabric(view).html()).expect("a file");
    browser.open(&at, SIZES[0], "");
    assert_eq!(browser.ask("fabric.instances.length"), json!(instances));
    std::fs::write(shots.join("mesh-64x64.png"), browser.shot()).expect("a file");
    assert!(browser.trouble.is_empty(), "{:#?}", browser.trouble);
}

/// What a record costs: seconds of a run with and without one, on the largest case of a kernel. Printed, not asked for.
#[test]
#[ignore = "measures: make test-view"]
fn cost_of_a_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let shown = shown("matmul", "n16", "mesh-8x8", folder.path());
    let case = read(&root().join("kernels/matmul/n16.toml"));
    let case = shown.configured.case(&case).expect("a case");
    let (mut plain, mut recorded) = (f64::MAX, f64::MAX);
    for _ in 0..9 {
        let start = std::time::Instant::now();
        shown.configured.native(&case, &shown.runs.stimulus).expect("a run");
        plain = plain.min(start.elapsed().as_secs_f64());
        let start = std::time::Instant::now();
        shown.configured.record(&case, &shown.runs, 10_000).expect("a record");
        recorded = recorded.min(start.elapsed().as_secs_f64());
    }
    let page = std::fs::metadata(&shown.file).expect("a page").len();
    println!("a recorded run takes {:.2} times as long; its page has {page} bytes", recorded / plain);
}

fn pictures(browser: &mut Browser, shown: &Shown, shots: &Path) {
    for size in SIZES {
        for theme in ["light", "dark"] {
            browser.open(&shown.file, size, &format!("#op=23&theme={theme}&cycle=60"));
            let name = format!("matmul-{}-{theme}.png", size.0);
            std::fs::write(shots.join(name), browser.shot()).expect("a file");
        }
    }
    let busiest = shown.recording.memories.iter().max_by_key(|m| m.loaded.len()).expect("it loads");
    let cycle = shown.recording.first + busiest.loaded[busiest.loaded.len() / 2].cycle;
    browser.open(&shown.file, SIZES[0], "");
    browser.ask(&format!(
        "goTo(new URLSearchParams({{ unit: pathOf({}), zoom: 5, theme: 'light', cycle: {cycle} }}))",
        busiest.component.0
    ));
    browser.ask("new Promise((done) => setTimeout(done, 100))");
    std::fs::write(shots.join("memory.png"), browser.shot()).expect("a file");
}

/// Frames in a second while the run plays, and the time until all is drawn: printed, for a machine's speed is no property of a page.
fn speed(browser: &mut Browser, shown: &Shown) {
    browser.open(&shown.file, SIZES[0], "");
    let drawn = browser.ask("Math.round(performance.getEntriesByName('drawn')[0].startTime)");
    browser.ask("playback.state.speed = 5; playback.toggle()");
    let frames = browser.ask(
        "new Promise((done) => { let n = 0; const begin = performance.now(); \
         const one = () => { n++; performance.now() - begin < 2000 ? requestAnimationFrame(one) : done(n / 2); }; one(); })",
    );
    println!("drawn after {drawn} ms, {frames} frames a second");
}
