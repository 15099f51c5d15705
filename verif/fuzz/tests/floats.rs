//! Random programs full of float arithmetic, on a small mesh with float units: golden model, decoder, native model and
//! Verilog agree. Units of one width and other types stand side by side, so a unit chosen by width alone would show.

use loom_adg::Fabric;
use loom_base::{Rng, Source};
use loom_dfg::{OpKind, Type};
use loom_fuzz::{DrawnGraph, Fate, Target};
use loom_testkit::fabrics::verilated;
use loom_testkit::graphs::{random_graph, RandomGraphOptions};

const FABRIC: &str = r#"
name = "floats"

[pe.state]
inputs = { count = 3, width = 32 }
outputs = { count = 2, width = 32 }
output_buffers = true
fus = ["dataflow.stream +=", "dataflow.gate 32", "dataflow.carry 32", "dataflow.invariant 32"]

[pe.steer]
inputs = { count = 3, width = 32 }
outputs = { count = 2, width = 32 }
fus = ["handshake.cond_br 32", "handshake.mux 32", "handshake.join 3 32", "handshake.constant 32"]

[pe.integers]
inputs = { count = 3, width = 32 }
outputs = { count = 1, width = 32 }
fus = ["arith.addi i32", "arith.subi i32", "arith.cmpi i32", "arith.select 32"]

[fu.mulf]
inputs = ["f32", "f32"]
body = ["%p = arith.mulf %0, %1 : f32"]
latency = 2

[pe.floats]
inputs = { count = 3, width = 32 }
outputs = { count = 1, width = 32 }
fus = [
  "arith.addf f32", "arith.subf f32", "mulf", "arith.cmpf f32", "arith.maximumf f32", "arith.minimumf f32",
  "arith.maxnumf f32", "arith.minnumf f32", "arith.negf f32", "math.absf f32", "math.copysign f32",
  "arith.extf bf16 to f32", "arith.truncf f32 to bf16", "arith.extf f16 to f32", "arith.truncf f32 to f16",
  "arith.sitofp i32 to f32", "arith.uitofp i32 to f32", "arith.fptosi f32 to i32", "arith.fptoui f32 to i32",
  "arith.bitcast i32 to f32",
]

[tile.core]
channels = 2
turnarounds = 2
turnaround_depth = 8
ranks = [["s0: state", "s1: state"], ["b0: steer", "b1: steer"], ["i0: integers"], ["f0: floats"], ["f1: floats"]]

[mesh]
columns = 3
rows = 3
tile = "core"
"#;

const PROGRAMS: u64 = 400;

/// A random program with the arithmetic of the fabric, most of it on floats.
fn draw(seed: u64) -> DrawnGraph {
    use OpKind::*;
    let mut rng = Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let arith = vec![
        Addf, Addf, Subf, Mulf, Mulf, Maximumf, Minimumf, Maxnumf, Minnumf, Negf, Absf, Copysign, Cmpf, Cmpf,
        Extf, Truncf, Sitofp, Uitofp, Fptosi, Fptoui, Bitcast, Addi, Select,
    ];
    let max_ops = 8 + rng.below(18);
    let options =
        RandomGraphOptions { max_ops, max_depth: rng.below(2), arith, ..RandomGraphOptions::default() };
    let random = random_graph(&mut rng, &options);
    let inputs = random.inputs(&mut rng, 8);
    let mut case = loom_fuzz::draw(seed).case;
    case.expect.resize(random.graph.outputs.len(), loom_sim::Expect::Any);
    DrawnGraph { seed, graph: random.graph, case: loom_sim::Case { inputs, ..case } }
}

#[test]
fn random_float_programs_agree() {
    let source = Source::new("floats.toml", FABRIC);
    let adg = loom_adg::toml::read(&source)
        .unwrap_or_else(|d| panic!("{}", d.iter().map(|d| d.render(&source)).collect::<String>()));
    let f = Fabric::new(adg);
    let built = verilated(&f);
    // Any legal mapping will do.
    let options = loom_map::MapOptions { steps_per_item: 200, attempts: 3, ..Default::default() };
    let target = Target { fabric: &f, options };
    let (mut fitted, mut verilog, mut floats) = (0, 0, 0);
    let mut failures = Vec::new();
    for seed in 0..PROGRAMS {
        let program = draw(seed);
        let is_float = |v: &loom_dfg::ValueId| program.graph.value(*v).ty == Type::F32;
        let count = program.graph.nodes.iter().filter(|n| n.operands.iter().any(is_float)).count();
        match loom_fuzz::check(&program, &target, (seed % 4 == 0).then_some(&built)) {
            Fate::Agrees(report) => {
                fitted += 1;
                floats += count;
                verilog += u64::from(report.verilog_cycles.is_some());
            }
            Fate::DoesNotFit(why) => println!("seed {seed} does not fit: {why}"),
            Fate::Fails(why) => failures.push(format!("seed {seed}: {why}")),
        }
    }
    println!("{fitted} fit with {floats} ops on floats, {verilog} through Verilog");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(
        fitted >= 380 && floats >= 400 && verilog >= 90,
        "{fitted} fit, {floats} floats, {verilog} in Verilog"
    );
}
