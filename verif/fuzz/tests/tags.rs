//! Fabrics whose ways lead through tag components and temporal switches: kernels and random programs through golden model, native model
//! and Verilog, token for token. And why no channel carries two values (docs/design.md, D15).

use loom_adg::{Component, ComponentId, Fabric, FieldKind, Image, Mux, PeConfig};
use loom_base::stall::Stalls;
use loom_base::{Rng, Source};
use loom_dfg::Graph;
use loom_flow::{load, Configured, Kernel};
use loom_front::order::Order;
use loom_fuzz::fabrics::{check_mapped, draw_for, quick, MappedSummary};
use loom_fuzz::{structured, Fate, Target};
use loom_map::{codes, EngineKind, MapOptions, Mapping, Step};
use loom_sim::native::{InputToken, Limits, NativeModel, Stimulus, Stop};
use loom_sim::Case;
use loom_testkit::fabrics::{fabric, instance, root, sorted, verilated};
use loom_testkit::random_fabric::{detoured, draw, toml_of};
use rayon::prelude::*;
use std::path::Path;

const HUB: &str = "verif/testkit/fabrics/hub.toml";

/// Kernels of the workspace: loops that count, loops that do not, loops that run no time, and memory.
const KERNELS: &[&str] = &["vecadd", "dot", "gcd", "collatz_scf", "downcount", "sum", "threshold", "nested"];

fn shown(source: &Source, d: &[loom_base::Diagnostic]) -> String {
    d.iter().map(|d| d.render(source)).collect()
}

fn read(path: &Path) -> Source {
    Source::new(path.display().to_string(), std::fs::read_to_string(path).expect("readable"))
}

/// The program of a kernel.
fn program(name: &str) -> Source {
    let programs = sorted(&root().join("kernels").join(name), |p| p.extension().is_some_and(|e| e == "mlir"));
    read(&programs[0])
}

fn configured(source: &Source, f: &Fabric) -> Configured {
    let kernel = Kernel::read(source, &load::lowering(f)).unwrap_or_else(|d| panic!("{}", shown(source, &d)));
    Configured::map(kernel, f, &Default::default(), &mut |_, _| {})
        .unwrap_or_else(|d| panic!("{}: {}", source.name, shown(source, &d)))
}

/// The kernels with their cases, and each case once more with stalls that it does not have.
fn kernels(f: &Fabric) -> Vec<(Configured, Vec<Case>)> {
    let one = |&name: &&str| {
        let on = configured(&program(name), f);
        let files =
            sorted(&root().join("kernels").join(name), |p| p.extension().is_some_and(|e| e == "toml"));
        let mut cases = Vec::new();
        for (k, path) in files.iter().enumerate() {
            let text = read(path);
            let case = on.case(&text).unwrap_or_else(|d| panic!("{}", shown(&text, &d)));
            let stalls = Stalls { seed: 7 + k as u64, source_percent: 40, sink_percent: 30 };
            cases.push(Case { stalls, ..case.clone() });
            cases.push(case);
        }
        (on, cases)
    };
    KERNELS.par_iter().map(one).collect()
}

/// Steps of a mapping through components of a kind.
fn count(on: &Configured, wanted: fn(&Step) -> bool) -> usize {
    on.mapped.mapping.routes.iter().flat_map(|r| &r.steps).filter(|s| wanted(s)).count()
}

#[test]
fn kernels_agree_and_decode() {
    let f = fabric(HUB);
    let (mut mapped_tags, mut tagged_switches) = (0, 0);
    for (on, cases) in kernels(&f) {
        let name = on.graph().name.clone();
        let slots = count(&on, |s| matches!(s, Step::Slot { .. }));
        let (added, dropped) = (
            count(&on, |s| matches!(s, Step::AddTag { .. })),
            count(&on, |s| matches!(s, Step::DelTag { .. })),
        );
        mapped_tags += count(&on, |s| matches!(s, Step::MapTag { .. }));
        let cross = |s: &Step| match *s {
            Step::Switch { component, .. } => f.component(component).inputs()[0].is_tagged(),
            _ => false,
        };
        let steps = on.mapped.mapping.routes.iter().flat_map(|r| &r.steps);
        tagged_switches += steps.filter(|s| cross(s)).count();
        println!("{name}: {} ops, {slots} slots, II {:.2}", on.netlist.nodes.len(), on.mapped.timing.ii);
        // Nothing else leads from tile to tile, and one value may leave for several.
        assert!(added > 0 && slots >= added && dropped >= added, "{name}: {added} {slots} {dropped}");
        let (decoded, warnings) = loom_gen::decode(&f, &on.image).expect("a legal image");
        assert_eq!(decoded.matches(on.graph(), &f, &on.mapped.mapping), Ok(()), "{name}");
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        for case in &cases {
            let runs = on.simulate(case).expect("it begins");
            let report = on.report(case, "", &runs);
            assert!(report.ok, "{name}: {:?}", report.problems);
            assert!(report.bound_cycles.is_none_or(|b| b <= report.cycles), "{report:?}");
        }
    }
    assert!(mapped_tags > 0 && tagged_switches > 0, "{mapped_tags} {tagged_switches}");
}

#[test]
fn the_verilog_agrees() {
    let f = fabric(HUB);
    let built = verilated(&f);
    for (on, cases) in kernels(&f) {
        for case in &cases {
            let mut runs = on.simulate(case).expect("it begins");
            on.cosimulate(case, &mut runs, &mut instance(&f, &built)).expect("it begins");
            let report = on.report(case, "", &runs);
            assert!(
                report.ok && report.verilog_cycles.is_some(),
                "{}: {:?}",
                on.graph().name,
                report.problems
            );
        }
    }
}

/// Each bit that a temporal switch, `add_tag` or `map_tag` has of a mapping is held against it.
#[test]
fn the_decoder_tells_tags_and_slots_apart() {
    let f = fabric(HUB);
    let on = configured(&program("dot"), &f);
    let matches = |image: &Image| match loom_gen::decode(&f, image) {
        Ok((decoded, _)) => decoded.matches(on.graph(), &f, &on.mapped.mapping),
        Err(refused) => Err(refused[0].message.clone()),
    };
    assert_eq!(matches(&on.image), Ok(()));
    let mut changed = 0;
    for &step in on.mapped.mapping.routes.iter().flat_map(|r| &r.steps) {
        let kinds = match step {
            Step::AddTag { .. } => vec![FieldKind::Tag],
            Step::MapTag { entry, .. } => {
                vec![
                    FieldKind::EntryValid(entry),
                    FieldKind::EntrySource(entry),
                    FieldKind::EntryTarget(entry),
                ]
            }
            Step::Slot { slot, input, output, .. } => {
                vec![
                    FieldKind::SlotValid(slot),
                    FieldKind::SlotTag(slot),
                    FieldKind::SlotRoute { slot, output, input },
                ]
            }
            _ => continue,
        };
        for kind in kinds {
            let mut image = on.image.clone();
            let value = image.get(&f, step.component(), kind);
            image.set(&f, step.component(), kind, value ^ 1);
            assert!(matches(&image).is_err(), "{step:?}: {kind}");
            changed += 1;
        }
    }
    assert!(changed > 20, "{changed}");
}

fn settle(verdicts: Vec<(u64, Fate)>, least: usize) {
    let count = verdicts.len();
    let mut fitted = 0;
    for (seed, verdict) in verdicts {
        match verdict {
            Fate::Agrees(_) => fitted += 1,
            Fate::DoesNotFit(_) => {}
            Fate::Fails(why) => panic!("seed {seed}: {why}"),
        }
    }
    println!("{fitted} fit of {count}");
    assert!(fitted >= least, "only {fitted} fit");
}

fn target(f: &Fabric) -> Target<'_> {
    let options = MapOptions { steps_per_item: 200, attempts: 3, ..Default::default() };
    Target { fabric: f, options }
}

#[test]
fn random_graphs_agree() {
    let f = fabric(HUB);
    let check = |seed: u64| (seed, loom_fuzz::check(&loom_fuzz::draw(seed), &target(&f), None));
    settle((0..120).into_par_iter().map(check).collect(), 20);
}

#[test]
fn random_programs_agree() {
    let f = fabric(HUB);
    let check =
        |seed: u64| (seed, structured::check(&structured::draw(seed), Order::Pipelined, &target(&f), None));
    settle((0..60).into_par_iter().map(check).collect(), 4);
}

/// Fabrics that are drawn for detours.
const FABRICS: u64 = 150;
/// Graphs for each of them.
const GRAPHS: u64 = 24;

/// The fabric of a seed with detours; `None` where it has no wires for them.
fn with_detours(seed: u64) -> Option<Fabric> {
    let drawn = draw(seed).fabric();
    let adg = detoured(&mut Rng::new(seed), drawn.adg());
    if adg == *drawn.adg() {
        return None;
    }
    let source = Source::new(format!("detours-{seed}.toml"), toml_of(&adg));
    let (read, found) = loom_adg::toml::load(&source, &|_| None);
    assert!(!loom_base::diag::has_errors(&found), "{}", shown(&source, &found));
    Some(Fabric::new(read.expect("no errors")))
}

/// Random graphs on random fabrics whose wires lead by temporal switches: what fits runs on them as in software.
#[test]
fn graphs_on_random_fabrics_with_detours_agree() {
    let check = |seed: u64| {
        let mut summary = MappedSummary::default();
        if let Some(f) = with_detours(seed) {
            let broken = loom_map::arch_check(&f);
            assert!(broken.is_empty(), "seed {seed}: {broken:?}");
            check_mapped(seed, &f, GRAPHS, None, &mut summary, &|| true);
        }
        if let Some((f, failure)) = summary.failures.first() {
            let files = loom_fuzz::files(&failure.program).map(|(_, text)| text).join("\n");
            panic!("seed {seed}: {}\n{files}\n{}", failure.message, toml_of(f.adg()));
        }
        summary.mapped
    };
    let mapped: u64 = (0..FABRICS).into_par_iter().map(check).sum();
    // Ways through temporal switches are taken, by several values at once too.
    let slots = |seed: u64| {
        let f = with_detours(seed)?;
        let graphs = (0..GRAPHS).filter_map(|k| draw_for(&f, seed, k));
        let of = |m: &Mapping| {
            let steps = m.routes.iter().flat_map(|r| &r.steps);
            steps.filter(|s| matches!(s, Step::Slot { .. })).count()
        };
        let map = |p: loom_fuzz::DrawnGraph| {
            let graph = Kernel::from(p.graph).on(&f).graph;
            loom_map::map(&graph, &f, &quick(), &mut |_, _| {}).ok()
        };
        Some(graphs.filter_map(map).map(|m| of(&m.mapping)).collect::<Vec<_>>())
    };
    let slots: Vec<usize> = (0..FABRICS / 3).into_par_iter().filter_map(slots).flatten().collect();
    let several = slots.iter().filter(|&&n| n > 1).count();
    println!("{mapped} graphs mapped; of {} slots in {several} more than one", slots.len());
    assert!(mapped >= 300 && several >= 50, "{mapped} {several}");
}

/// A sum, whose second operand comes some cycles later than its first.
const SUM: &str = "handshake.func @add(%a: i32, %b: i32) -> (i32) attributes {resNames = [\"r\"]} {\n  \
    %r = arith.addi %a, %b : i32\n  return %r : i32\n}\n";

/// Both operands lead to the adder by temporal switches, with so many queues between these.
fn queues(count: usize) -> Fabric {
    let mut connect = String::new();
    let mut instance = String::new();
    for k in 0..count {
        instance += &format!("  {{ name = \"queue{k}\", of = \"queue\" }},\n");
        connect += &format!("  {{ from = \"merge.out{k}\", to = \"queue{k}.in0\" }},\n");
        connect += &format!("  {{ from = \"queue{k}.out0\", to = \"split.in{k}\" }},\n");
    }
    let text = format!(
        "name = \"queues\"\n\
         input = [{{ type = \"bits<32>\" }}, {{ type = \"bits<32>\" }}]\noutput = [{{ type = \"bits<32>\" }}]\n\
         instance = [\n{instance}  {{ name = \"mark0\", of = \"mark\" }}, {{ name = \"mark1\", of = \"mark\" }},\n  \
         {{ name = \"strip0\", of = \"strip\" }}, {{ name = \"strip1\", of = \"strip\" }},\n  \
         {{ name = \"room0\", of = \"room\" }}, {{ name = \"room1\", of = \"room\" }},\n  \
         {{ name = \"late0\", of = \"late\" }}, {{ name = \"late1\", of = \"late\" }}, {{ name = \"late2\", of = \"late\" }},\n  \
         {{ name = \"merge\", of = \"merge\" }}, {{ name = \"split\", of = \"split\" }}, {{ name = \"pe\", of = \"pe\" }},\n]\n\
         connect = [\n{connect}  {{ from = \"in0\", to = \"mark0.in0\" }}, {{ from = \"mark0.out0\", to = \"merge.in0\" }},\n  \
         {{ from = \"in1\", to = \"late0.in0\" }}, {{ from = \"late0.out0\", to = \"late1.in0\" }},\n  \
         {{ from = \"late1.out0\", to = \"late2.in0\" }}, {{ from = \"late2.out0\", to = \"mark1.in0\" }},\n  \
         {{ from = \"mark1.out0\", to = \"merge.in1\" }},\n  \
         {{ from = \"split.out0\", to = \"strip0.in0\" }}, {{ from = \"split.out1\", to = \"strip1.in0\" }},\n  \
         {{ from = \"strip0.out0\", to = \"room0.in0\" }}, {{ from = \"strip1.out0\", to = \"room1.in0\" }},\n  \
         {{ from = \"room0.out0\", to = \"pe.in0\" }}, {{ from = \"room1.out0\", to = \"pe.in1\" }},\n  \
         {{ from = \"pe.out0\", to = \"out0\" }},\n]\n\
         [add_tag.mark]\nwidth = 32\ntag = 1\n[del_tag.strip]\nwidth = 32\ntag = 1\n\
         [fifo.late]\ntype = \"bits<32>\"\ndepth = 2\n[fifo.room]\ntype = \"bits<32>\"\ndepth = 1\n[fifo.queue]\ntype = \"tagged<bits<32>, i1>\"\ndepth = 2\n\
         [temporal_switch.merge]\ntype = \"tagged<bits<32>, i1>\"\ninputs = 2\noutputs = {count}\nslots = 2\n\
         [temporal_switch.split]\ntype = \"tagged<bits<32>, i1>\"\ninputs = {count}\noutputs = 2\nslots = 2\n\
         [pe.pe]\ninputs = {{ count = 2, width = 32 }}\noutputs = {{ count = 1, width = 32 }}\nfus = [\"arith.addi i32\"]\n"
    );
    let source = Source::new("queues.toml", text);
    let adg = loom_adg::toml::read(&source).unwrap_or_else(|d| panic!("{}", shown(&source, &d)));
    Fabric::new(adg)
}

fn component(f: &Fabric, path: &str) -> ComponentId {
    f.flat().ids().find(|&id| f.path(id) == path).expect("it is there")
}

/// The sum with value `a` under tag 0 and `b` under tag 1, both by queue 0.
fn shared(f: &Fabric) -> Image {
    let mut image = Image::unused(f);
    for tag in [0, 1] {
        image.set(f, component(f, &format!("mark{tag}")), FieldKind::Tag, tag as u64);
        for (path, input, output) in [("merge", tag, 0), ("split", 0, tag)] {
            let id = component(f, path);
            image.set(f, id, FieldKind::SlotValid(tag), 1);
            image.set(f, id, FieldKind::SlotTag(tag), tag as u64);
            image.set(f, id, FieldKind::SlotRoute { slot: tag, output, input }, 1);
        }
    }
    let pe = component(f, "pe");
    let Component::SpatialPe(shape) = f.component(pe) else { panic!("a PE") };
    let inputs = (0..shape.input_muxes()).map(Mux::Port).collect();
    let config = PeConfig {
        opcode: 0,
        inputs,
        outputs: vec![Mux::Port(0)],
        payload: Vec::new(),
        immediates: Vec::new(),
    };
    config.write(&mut image, f, pe);
    image
}

fn run(f: &Fabric, image: &Image, tokens: usize) -> (Stop, Vec<u64>) {
    let mut model = NativeModel::new(f, image).expect("a configuration without errors");
    let list = |first: u64| (0..tokens as u64).map(|k| InputToken { data: first + k, tag: 0 }).collect();
    let stimulus = Stimulus { inputs: vec![list(1), list(10)], expected: vec![tokens], gate: None };
    let trace = model.run(&stimulus, &Stalls::NONE, &Limits::default());
    (trace.stop, trace.outputs[0].iter().map(|t| t.data).collect())
}

/// Two values on one channel stop each other: tokens of `a` fill what lies before the adder and then the queue while `b` is on its way;
/// the adder wants the first of them together with `b`, which finds no room. With one token each it goes well, so no short run tells. A
/// mapping with a queue for each of them is free of that, and where there is but one queue there is none.
#[test]
fn two_values_on_one_channel_stop_each_other() {
    let source = Source::new("add.dfg.mlir", SUM);
    let graph: Graph = loom_dfg::parse(&source).expect("a graph");
    let by = |f: &Fabric, engine: EngineKind| {
        loom_map::map(&graph, f, &MapOptions { engine, ..MapOptions::default() }, &mut |_, _| {})
    };
    let map = |f: &Fabric| by(f, EngineKind::Anneal);
    let one = queues(1);
    let image = shared(&one);
    assert_eq!(run(&one, &image, 1), (Stop::Complete, vec![11]));
    for tokens in [2, 3, 9] {
        assert_eq!(run(&one, &image, tokens), (Stop::Deadlock, vec![]));
    }
    assert_eq!(map(&one).expect_err("a queue for two values")[0].code, codes::UNROUTABLE);
    assert_eq!(by(&one, EngineKind::Exact).expect_err("the same, proved")[0].code, codes::NO_MAPPING);
    let two = queues(2);
    assert!(by(&two, EngineKind::Exact).is_ok());
    let mapped = map(&two).expect("a queue for each");
    let image = loom_map::config::image(&graph, &two, &mapped.mapping);
    assert_eq!(run(&two, &image, 3), (Stop::Complete, vec![11, 13, 15]));
}
