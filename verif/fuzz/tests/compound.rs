//! Fabrics with units of several ops (D14), and with bodies that serve as several graphs: kernels and random programs whose ops are
//! covered, through golden model, native model and Verilog, token for token.

use loom_adg::layout::{payload, PayloadKind};
use loom_adg::{Component, Fabric, Image, PeConfig};
use loom_base::Source;
use loom_dfg::{Graph, Node};
use loom_flow::{load, Configured, Kernel};
use loom_front::order::Order;
use loom_fuzz::{structured, Fate, Target};
use loom_map::covering::choices;
use loom_map::netlist::netlist;
use loom_map::Placement;
use loom_sim::Case;
use loom_testkit::fabrics::{fabric, instance, quickly_verilated, root, sorted};
use rayon::prelude::*;
use std::collections::BTreeMap;

const FABRIC: &str = "verif/testkit/fabrics/compound-4x4.toml";
/// Its bodies have muxes.
const SELECTABLE: &str = "verif/testkit/fabrics/selectable-4x4.toml";

/// Kernels of the workspace, and how many ops their covers hide at least.
const KERNELS: &[(&str, usize)] = &[
    ("dot", 1),
    ("fir", 1),
    ("matmul", 2),
    ("matmul16", 1),
    ("spmv", 1),
    ("prefix_sum", 0),
    ("threshold", 0),
    ("vecadd", 0),
    ("if_store", 0),
];

/// The same as text: name, program, case, and how many ops are hidden at least.
const TEXTS: &[(&str, &str, &str, usize)] =
    &[("clip", CLIP, CLIP_CASE, 2), ("scale", SCALE, SCALE_CASE, 2), ("mixed", MIXED, MIXED_CASE, 1)];

/// b[i] = ((c - k) >> 1 ^ c) | 1 with c = a[i] * k + i: ops that stand alone, and two that do not.
const MIXED: &str = "func.func @mixed(%a: memref<?xi32> {llvm.noalias}, %b: memref<?xi32> {llvm.noalias}, %n: index, %k: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xi32>
    %m = arith.muli %x, %k : i32
    %t = arith.index_cast %i : index to i32
    %c = arith.addi %m, %t : i32
    %d = arith.subi %c, %k : i32
    %e = arith.shrsi %d, %one : i32
    %f = arith.xori %e, %c : i32
    %r = arith.ori %f, %one : i32
    memref.store %r, %b[%i] : memref<?xi32>
    scf.yield
  }
  return
}
";

const MIXED_CASE: &str = "[inputs]\nn = [3]\nk = [7]\n\n[memory]\na = [3, -5, 100]\nb = [0, 0, 0]\n\n\
    [expect]\ndone = { count = 1 }\n\n[expect_memory]\nb = [19, 53, 997]\n";

/// b[i] = a[i] within -100 and 100.
const CLIP: &str =
    "func.func @clip(%a: memref<?xi32> {llvm.noalias}, %b: memref<?xi32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant -100 : i32
  %high = arith.constant 100 : i32
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xi32>
    %p = arith.cmpi slt, %x, %low : i32
    %y = arith.select %p, %low, %x : i32
    %q = arith.cmpi sgt, %y, %high : i32
    %z = arith.select %q, %high, %y : i32
    memref.store %z, %b[%i] : memref<?xi32>
    scf.yield
  }
  return
}
";

const CLIP_CASE: &str =
    "[inputs]\nn = [5]\n\n[memory]\na = [7, -300, 300, -100, 99]\nb = [0, 0, 0, 0, 0]\n\n\
    [expect]\ndone = { count = 1 }\n\n[expect_memory]\nb = [7, -100, 100, -100, 99]\n";

/// b[i] = a[(i << 2) + base] * gain + i.
const SCALE: &str = "func.func @scale(%a: memref<?xi32> {llvm.noalias}, %b: memref<?xi32> {llvm.noalias}, %n: index, %base: index, %gain: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c1 {
    %s = arith.shli %i, %c2 : index
    %at = arith.addi %s, %base : index
    %x = memref.load %a[%at] : memref<?xi32>
    %m = arith.muli %x, %gain : i32
    %t = arith.index_cast %i : index to i32
    %r = arith.addi %t, %m : i32
    memref.store %r, %b[%i] : memref<?xi32>
    scf.yield
  }
  return
}
";

const SCALE_CASE: &str = "[inputs]\nn = [4]\nbase = [1]\ngain = [3]\n\n[memory]\n\
    a = [0, 7, 0, 0, 0, -300, 0, 0, 0, 300, 0, 0, 0, -100, 0]\nb = [0, 0, 0, 0]\n\n\
    [expect]\ndone = { count = 1 }\n\n[expect_memory]\nb = [21, -899, 902, -297]\n";

fn configured(source: &Source, f: &Fabric) -> Configured {
    let shown = |d: loom_base::Diagnostics| d.iter().map(|d| d.render(source)).collect::<String>();
    let kernel = Kernel::read(source, &load::lowering(f)).unwrap_or_else(|d| panic!("{}", shown(d)));
    Configured::map(kernel, f, &Default::default(), &mut |_, _| {}).unwrap_or_else(|d| panic!("{}", shown(d)))
}

fn read(path: &std::path::Path) -> Source {
    Source::new(path.display().to_string(), std::fs::read_to_string(path).expect("readable"))
}

/// The kernels with their cases, mapped, and how many ops are hidden at least.
fn kernels(f: &Fabric) -> Vec<(Configured, Vec<Case>, usize)> {
    let case = |c: &Configured, text: &Source| {
        c.case(text).unwrap_or_else(|d| panic!("{}", d.iter().map(|d| d.render(text)).collect::<String>()))
    };
    let mut list = Vec::new();
    for &(name, program, text, hidden) in TEXTS {
        let on = configured(&Source::new(format!("{name}.scf.mlir"), program), f);
        let cases = vec![case(&on, &Source::new(format!("{name}.toml"), text))];
        list.push((on, cases, hidden));
    }
    for &(name, hidden) in KERNELS {
        let folder = root().join("kernels").join(name);
        let on = configured(&read(&folder.join(format!("{name}.scf.mlir"))), f);
        let cases = sorted(&folder, |p| p.extension().is_some_and(|e| e == "toml"));
        let cases = cases.iter().map(|path| case(&on, &read(path))).collect();
        list.push((on, cases, hidden));
    }
    list
}

#[test]
fn kernels_agree() {
    agree(&fabric(FABRIC));
    agree(&fabric(SELECTABLE));
}

fn agree(f: &Fabric) {
    let general = fabric("configs/general-4x4.toml");
    for (on, cases, hidden) in kernels(f) {
        let plain = netlist(on.graph(), 32).nodes.len();
        let covers = &on.mapped.mapping.covers;
        let without = Configured::map(on.kernel.clone(), &general, &Default::default(), &mut |_, _| {});
        println!(
            "{}: {plain} ops, {} nodes, {} covers, II {:.2}, on general-4x4 {:.2}",
            on.graph().name,
            on.netlist.nodes.len(),
            covers.len(),
            on.mapped.timing.ii,
            without.map_or(f64::NAN, |c| c.mapped.timing.ii)
        );
        assert!(plain - on.netlist.nodes.len() >= hidden, "{}: {covers:?}", on.graph().name);
        for case in &cases {
            let runs = on.simulate(case).expect("it begins");
            let report = on.report(case, "", &runs);
            assert!(report.ok, "{}: {:?}", on.graph().name, report.problems);
            // Figures of a run never go below the bounds of its netlist.
            assert!(report.bound_cycles.is_none_or(|b| b <= report.cycles), "{report:?}");
        }
    }
}

#[test]
fn the_verilog_agrees() {
    verilog_agrees(&fabric(FABRIC));
}

#[test]
fn the_verilog_of_selectable_bodies_agrees() {
    verilog_agrees(&fabric(SELECTABLE));
}

fn verilog_agrees(f: &Fabric) {
    let built = quickly_verilated(f);
    for (on, cases, hidden) in kernels(f).into_iter().filter(|k| k.2 > 0) {
        for case in &cases {
            let mut runs = on.simulate(case).expect("it begins");
            on.cosimulate(case, &mut runs, &mut instance(f, &built)).expect("it begins");
            let report = on.report(case, "", &runs);
            assert!(report.ok && report.verilog_cycles.is_some(), "{hidden} hidden: {:?}", report.problems);
        }
    }
}

/// The bits of a compound node are held against its ops: another predicate, or two operands exchanged, is another node.
#[test]
fn the_decoder_tells_what_a_body_computes() {
    let f = fabric(FABRIC);
    let on = configured(&Source::new("clip.scf.mlir", CLIP), &f);
    let matches = |image: &Image| {
        let (decoded, _) = loom_gen::decode(&f, image).expect("a legal image");
        (decoded.matches(on.graph(), &f, &on.mapped.mapping), decoded.text(&f))
    };
    let (same, text) = matches(&on.image);
    assert_eq!(same, Ok(()));
    assert!(text.contains("arith.select(arith.cmpi 2("), "{text}");
    let nodes = on.netlist.nodes.iter().zip(&on.mapped.mapping.placements);
    let compound: Vec<_> =
        nodes.filter(|(node, _)| !node.covers.is_empty()).map(|(_, p)| p.component).collect();
    assert_eq!(compound.len(), 2);
    for id in compound {
        for change in [|c: &mut PeConfig| c.payload[0] ^= 1, |c: &mut PeConfig| c.inputs.swap(0, 1)] {
            let mut config = PeConfig::read(&on.image, &f, id).expect("it is enabled");
            change(&mut config);
            let mut image = on.image.clone();
            config.write(&mut image, &f, id);
            assert!(matches(&image).0.is_err(), "{config:?}");
        }
    }
}

/// What a PE's unit is set to, where its body has muxes: unit, setting and how many ops of the graph it runs.
fn settings(on: &Configured, f: &Fabric) -> Vec<(String, Vec<usize>, usize)> {
    let nodes = on.netlist.nodes.iter().zip(&on.mapped.mapping.placements);
    let of = |(node, p): (&Node, &Placement)| {
        let Component::SpatialPe(pe) = f.component(p.component) else { return None };
        let (fu, config) = (&pe.fus[p.fu], PeConfig::read(&on.image, f, p.component)?);
        let parts = payload(fu, f.index_width());
        let set = parts.iter().zip(&config.payload).filter(|(p, _)| matches!(p.kind, PayloadKind::Select(_)));
        let setting: Vec<usize> = set.map(|(_, &choice)| choice as usize).collect();
        (!setting.is_empty()).then(|| (fu.name.clone(), setting, node.covers.len().max(1)))
    };
    nodes.filter_map(of).collect()
}

/// Kernels use several graphs of one body; each setting is held against the ops, and another one is another node.
#[test]
fn bodies_serve_as_several_graphs() {
    let f = fabric(SELECTABLE);
    let mut used = BTreeMap::new();
    for (on, ..) in kernels(&f) {
        for (unit, setting, ops) in settings(&on, &f) {
            *used.entry((unit, setting, ops)).or_insert(0_usize) += 1;
        }
        let matches = |image: &Image| {
            let (decoded, _) = loom_gen::decode(&f, image).expect("a legal image");
            decoded.matches(on.graph(), &f, &on.mapped.mapping)
        };
        assert_eq!(matches(&on.image), Ok(()));
        for p in &on.mapped.mapping.placements {
            let Component::SpatialPe(pe) = f.component(p.component) else { continue };
            let fu = &pe.fus[p.fu];
            let own = PeConfig::read(&on.image, &f, p.component).expect("it is enabled");
            let parts = payload(fu, 32);
            for (k, part) in parts.iter().enumerate() {
                let PayloadKind::Select(operands) = part.kind else { continue };
                let of = |payload: &[u64]| {
                    let set =
                        parts.iter().zip(payload).filter(|(p, _)| matches!(p.kind, PayloadKind::Select(_)));
                    fu.under(&set.map(|(_, &choice)| choice as usize).collect::<Vec<_>>()).expect("legal")
                };
                for choice in (0..operands as u64).filter(|&choice| choice != own.payload[k]) {
                    let mut config = own.clone();
                    config.payload[k] = choice;
                    let (was, is) = (of(&own.payload), of(&config.payload));
                    let same = (was.unit, was.inputs) == (is.unit, is.inputs);
                    let mut image = on.image.clone();
                    config.write(&mut image, &f, p.component);
                    assert_eq!(matches(&image).is_ok(), same, "{} {config:?}", fu.name);
                }
            }
        }
    }
    println!("{used:?}");
    let of = |unit: &str| used.keys().filter(|(u, ..)| u == unit).count();
    assert!(of("sums") == 2 && of("bits") >= 2 && of("shifts") >= 2, "{used:?}");
    let several = used.iter().filter(|(k, _)| k.2 > 1).map(|(_, n)| n).sum::<usize>();
    assert!(several >= 6, "{used:?}");
}

/// Whether ops of a graph are covered on a fabric, with immediates or without.
fn has_covers(graph: &Graph, f: &Fabric) -> bool {
    let folded = loom_map::fitted(graph, f);
    !choices(&netlist(folded.as_ref().unwrap_or(graph), f.index_width()), f).is_empty()
}

fn settle(verdicts: Vec<(u64, Fate)>, least: usize) {
    let count = verdicts.len();
    let mut fitted = 0;
    for (seed, verdict) in verdicts {
        match verdict {
            Fate::Agrees(_) => fitted += 1,
            Fate::DoesNotFit(why) => println!("seed {seed} does not fit: {why}"),
            Fate::Fails(why) => panic!("seed {seed}: {why}"),
        }
    }
    println!("{fitted} fit of {count}");
    assert!(fitted >= least, "only {fitted} fit");
}

fn target(f: &Fabric) -> Target<'_> {
    let options = loom_map::MapOptions { steps_per_item: 200, attempts: 3, ..Default::default() };
    Target { fabric: f, options }
}

#[test]
fn random_graphs_agree() {
    graphs_agree(&fabric(FABRIC));
    graphs_agree(&fabric(SELECTABLE));
}

fn graphs_agree(f: &Fabric) {
    let some: Vec<_> =
        (0..12_000).map(loom_fuzz::draw).filter(|p| has_covers(&p.graph, f)).take(60).collect();
    let count = some.len();
    let check = |p: loom_fuzz::DrawnGraph| (p.seed, loom_fuzz::check(&p, &target(f), None));
    settle(some.into_par_iter().map(check).collect(), count / 2);
    assert!(count >= 40, "only {count} have covers");
}

#[test]
fn random_programs_agree() {
    programs_agree(&fabric(FABRIC));
    programs_agree(&fabric(SELECTABLE));
}

fn programs_agree(f: &Fabric) {
    let some = (0..1500).map(structured::draw).filter(|p| {
        let compiled = structured::compiled(&p.program.source, Order::Pipelined, &target(f));
        compiled.is_ok_and(|c| has_covers(&c.lowered.graph, f))
    });
    let some: Vec<_> = some.take(60).collect();
    let count = some.len();
    let check =
        |p: structured::Structured| (p.seed, structured::check(&p, Order::Pipelined, &target(f), None));
    settle(some.into_par_iter().map(check).collect(), count / 3);
    assert!(count >= 40, "only {count} have covers");
}
