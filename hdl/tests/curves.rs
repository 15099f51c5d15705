//! Units of elementary functions against the definition, bit by bit: as the evaluator has them, as pipelines, and their Verilog under
//! Verilator, all inputs of 16 bits and some in single precision (`make exhaust` takes millions); and what Verilator and yosys say to them.

mod common;
#[allow(dead_code)] // two operands belong to other tests
#[path = "common/floats.rs"]
mod operands;

use loom_adg::model::{ChannelType, FunctionUnit, SpatialPe};
use loom_base::{truncate, Rng};
use loom_cosim::model::{build, BuildOptions, Model, PortSpec};
use loom_dfg::curves::{self, TYPES};
use loom_dfg::eval::eval_arith;
use loom_dfg::op::{Elementary, Form};
use loom_dfg::{Op, OpKind, Type};
use loom_hdl::ir::{Design, Evaluator};
use loom_hdl::parts::{function_unit, spatial_pe};
use loom_testkit::fabrics::root;
use loom_testkit::tools::{verilator_lint, write_files, yosys_check};
use operands::{edges, random, shape};
use std::fmt::Write;

/// The functions that have units.
fn functions() -> Vec<(OpKind, Elementary)> {
    let built = OpKind::TABLE.iter().filter(|k| k.in_hardware());
    built
        .filter_map(|&kind| if let Form::Elementary(op) = kind.form() { Some((kind, op)) } else { None })
        .collect()
}

fn unit(kind: OpKind, ty: Type, latency: i32) -> FunctionUnit {
    let name = format!("{}_{ty}_l{latency}", kind.mnemonic());
    FunctionUnit { latency, ..FunctionUnit::single(name, kind, &[ty], &[ty]) }
}

/// Edges, then operands of all sizes, most of them of sizes at which functions change.
fn data(rng: &mut Rng, ty: Type, count: usize) -> Vec<u64> {
    let (_, bias) = shape(ty);
    let mut data = edges(ty);
    data.extend((0..count).map(|k| match k % 4 {
        0 => truncate(rng.next_u64(), ty.width(32)),
        _ => random(rng, ty, bias),
    }));
    data
}

#[test]
fn units_compute_the_definition() {
    let mut rng = Rng::new(1);
    assert_eq!(functions().len(), 12);
    for ty in TYPES {
        for (kind, op) in functions() {
            let mut sim = Evaluator::new(&function_unit(&unit(kind, ty, 0), 32));
            sim.set("out0_ready", 1u32);
            sim.set("in0_valid", 1u32);
            for x in data(&mut rng, ty, 400) {
                sim.set("in0_data", x);
                let (got, want) = (sim.get_u64("out0_data"), curves::value(op, ty, x).expect("a unit"));
                assert_eq!(got, want, "{kind} of {x:x} at {ty}: {got:x} for {want:x}");
                assert_eq!(eval_arith(Op::Plain(kind), &[ty], ty, 32, &[x]), want, "{kind} of {x:x}");
            }
        }
    }
}

#[test]
fn units_of_any_latency() {
    let mut rng = Rng::new(2);
    for (at, (kind, op)) in functions().into_iter().enumerate() {
        for latency in [1, 2, 5] {
            let ty = TYPES[(at + latency as usize) % 3];
            let list: Vec<Vec<u64>> = data(&mut rng, ty, 60).into_iter().map(|x| vec![x]).collect();
            for stalls in [0, 40] {
                let (got, times) = common::run(&unit(kind, ty, latency), 32, &list, stalls, 7);
                for (got, x) in got.iter().zip(&list) {
                    assert_eq!(
                        Some(*got),
                        curves::value(op, ty, x[0]),
                        "{kind} of {x:x?} at {ty}, {latency}"
                    );
                }
                if stalls == 0 {
                    let late = |(k, &[fired, offered]): (usize, &[usize; 2])| {
                        fired == k && offered == k + latency as usize
                    };
                    assert!(times.iter().enumerate().all(late), "{kind} {latency}: {times:?}");
                }
            }
        }
    }
}

#[test]
fn units_are_clean_in_verilator_and_yosys() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let mut tops = Vec::new();
    for ty in TYPES {
        let mut fus: Vec<FunctionUnit> = functions().into_iter().map(|(kind, _)| unit(kind, ty, 0)).collect();
        fus.extend(functions().into_iter().map(|(kind, _)| unit(kind, ty, 3)));
        let port = || vec![ChannelType::bits(ty.width(32)); 1];
        let pe = SpatialPe { inputs: port(), outputs: port(), fus, output_buffers: false, immediates: 0 };
        let top = spatial_pe(&pe, 32);
        let sub = dir.path().join(ty.to_string());
        std::fs::create_dir(&sub).expect("writable");
        let files = write_files(&top, &sub);
        verilator_lint(&top, &files);
        tops.push((top, files));
    }
    yosys_check(&tops);
}

/// All units of a type beside each other in Verilator; each has the same operand.
fn beside(ty: Type) -> Model {
    let mut design = Design::new();
    let (mut ports, mut body, mut specs) = (String::new(), String::new(), Vec::new());
    let mut port = |name: String, width: u32, input: bool| {
        let direction = if input { "input" } else { "output" };
        let _ = write!(ports, "{} {direction} wire [{}:0] {name}", if input { "" } else { "," }, width - 1);
        specs.push(PortSpec { name, width, input });
    };
    port("x".into(), ty.width(32), true);
    for (at, (kind, _)) in functions().into_iter().enumerate() {
        let module = function_unit(&unit(kind, ty, 0), 32);
        design.add(&module);
        for name in ["r", "v", "t"] {
            port(format!("{name}{at}"), if name == "r" { ty.width(32) } else { 1 }, false);
        }
        let _ = writeln!(
            body,
            "  {} u{at} (.in0_valid(1'b1), .in0_ready(t{at}), .in0_data(x), .out0_valid(v{at}), .out0_ready(1'b1), .out0_data(r{at}));",
            module.name
        );
    }
    let mut files: Vec<(String, String)> =
        design.files().into_iter().map(|(name, text)| (name.to_string(), text)).collect();
    let top = format!("curves_{ty}");
    files.push((format!("{top}.v"), format!("module {top} ({ports});\n{body}endmodule\n")));
    let options = BuildOptions { trace: false, optimise: true };
    build(&files, &top, &specs, options, &root().join("target/verilated")).expect("it builds").instance()
}

/// Whether Verilog and definition agree on operands.
fn agree(model: &mut Model, ty: Type, operands: impl Iterator<Item = u64>) {
    let functions = functions();
    let x_port = model.port("x");
    let results: Vec<u32> = (0..functions.len()).map(|at| model.port(&format!("r{at}"))).collect();
    for x in operands {
        model.set(x_port, x);
        model.eval();
        for ((kind, op), &result) in functions.iter().zip(&results) {
            let (got, want) = (model.get(result), curves::value(*op, ty, x).expect("a unit"));
            assert_eq!(got, want, "{kind} of {x:x} at {ty}: {got:x} for {want:x}");
        }
    }
}

#[test]
fn verilog_computes_the_definition() {
    for ty in TYPES {
        let mut model = beside(ty);
        match ty {
            Type::F32 => agree(&mut model, ty, data(&mut Rng::new(3), ty, 100_000).into_iter()),
            _ => agree(&mut model, ty, 0..1 << 16),
        }
    }
}

#[test]
#[ignore = "minutes: millions of operands (make exhaust)"]
fn verilog_computes_the_definition_of_millions() {
    let mut model = beside(Type::F32);
    agree(&mut model, Type::F32, data(&mut Rng::new(4), Type::F32, 4_000_000).into_iter());
    agree(&mut model, Type::F32, (0..1 << 32).step_by(997));
}
