//! Units of elementary functions against the definition, bit by bit: as the evaluator has them, as pipelines, and their Verilog under
//! Verilator, all inputs of 16 bits and some in single precision (`make exhaust` takes millions); and what Verilator and yosys say to them.

use crate::common;
use crate::operands::{edges, random, shape};
use loom_adg::model::{ChannelType, FunctionUnit, SpatialPe};
use loom_base::{truncate, Rng};
use loom_cosim::model::{build, BuildOptions, Model, PortSpec};
use loom_dfg::curves::{self, TYPES};
use loom_dfg::eval::eval_arith;
use loom_dfg::op::Form;
use loom_dfg::{Op, OpKind, Type};
use loom_hdl::ir::{Design, Evaluator};
use loom_hdl::parts::{function_unit, spatial_pe};
use loom_testkit::fabrics::root;
use loom_testkit::tools::{verilator_lint, write_files, yosys_check};
use std::fmt::Write;

/// The functions that have units.
fn functions() -> Vec<OpKind> {
    let built = OpKind::TABLE.iter().copied().filter(|k| k.in_hardware());
    built.filter(|&kind| !curves::is_built(kind, Type::F64)).collect()
}

fn unit(kind: OpKind, ty: Type, latency: i32) -> FunctionUnit {
    let name = format!("{}_{ty}_l{latency}", kind.mnemonic());
    FunctionUnit { latency, ..FunctionUnit::single(name, kind, &vec![ty; kind.operand_count()], &[ty]) }
}

/// What the definition gives. A function of one operand takes the first.
fn defined(kind: OpKind, ty: Type, [x, y]: [u64; 2]) -> u64 {
    match kind.form() {
        Form::Elementary(op) => curves::value(op, ty, x),
        Form::FloatBinary(op) => curves::value_of_two(op, ty, [x, y]),
        form => panic!("{form:?}"),
    }
    .expect("a unit")
}

/// Each operand with another one: any, or one that is at most so far away that both count.
fn with_another(rng: &mut Rng, ty: Type, operands: impl IntoIterator<Item = u64>) -> Vec<[u64; 2]> {
    let (fraction, _) = shape(ty);
    let width = ty.width(32);
    let near = |rng: &mut Rng, x: u64| {
        let span = u64::from(2 * fraction + 16) << fraction;
        x.wrapping_add(rng.next_u64() % span).wrapping_sub(span / 2)
    };
    let edges = edges(ty);
    let mut pair = |x| {
        let y = match rng.below(8) {
            0 => rng.next_u64(),
            1 => *rng.pick(&edges),
            _ => near(rng, x),
        };
        [x, truncate(y, width)]
    };
    operands.into_iter().map(&mut pair).collect()
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
    assert_eq!(functions().len(), 13);
    for ty in TYPES {
        for kind in functions() {
            let count = kind.operand_count();
            let mut sim = Evaluator::new(&function_unit(&unit(kind, ty, 0), 32));
            sim.set("out0_ready", 1u32);
            for at in 0..count {
                sim.set(&format!("in{at}_valid"), 1u32);
            }
            let list = data(&mut rng, ty, 400);
            // Of two operands all edges by each other.
            let edges = if count == 2 { edges(ty) } else { Vec::new() };
            let all = edges.iter().flat_map(|&x| edges.iter().map(move |&y| [x, y])).collect::<Vec<_>>();
            for operands in all.into_iter().chain(with_another(&mut rng, ty, list)) {
                for (at, &operand) in operands[..count].iter().enumerate() {
                    sim.set(&format!("in{at}_data"), operand);
                }
                let (got, want) = (sim.get_u64("out0_data"), defined(kind, ty, operands));
                let what = format!("{kind} of {:x?} at {ty}", &operands[..count]);
                assert_eq!(got, want, "{what}: {got:x} for {want:x}");
                let types = vec![ty; count];
                assert_eq!(eval_arith(Op::Plain(kind), &types, ty, 32, &operands[..count]), want, "{what}");
            }
        }
    }
}

#[test]
fn units_of_any_latency() {
    let mut rng = Rng::new(2);
    for (at, kind) in functions().into_iter().enumerate() {
        for latency in [1, 2, 5] {
            let ty = TYPES[(at + latency as usize) % 3];
            let drawn = data(&mut rng, ty, 60);
            let pairs = with_another(&mut rng, ty, drawn);
            let list: Vec<Vec<u64>> = pairs.iter().map(|p| p[..kind.operand_count()].to_vec()).collect();
            for stalls in [0, 40] {
                let (got, times) = common::run(&unit(kind, ty, latency), 32, &list, stalls, 7);
                for (got, &x) in got.iter().zip(&pairs) {
                    assert_eq!(*got, defined(kind, ty, x), "{kind} of {x:x?} at {ty}, {latency}");
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
        let mut fus: Vec<FunctionUnit> = functions().into_iter().map(|kind| unit(kind, ty, 0)).collect();
        fus.extend(functions().into_iter().map(|kind| unit(kind, ty, 3)));
        let ports = |count| vec![ChannelType::bits(ty.width(32)); count];
        let (inputs, outputs) = (ports(2), ports(1));
        let pe = SpatialPe { inputs, outputs, fus, output_buffers: false, immediates: 0 };
        let top = spatial_pe(&pe, 32);
        let sub = dir.path().join(ty.to_string());
        std::fs::create_dir(&sub).expect("writable");
        let files = write_files(&top, &sub);
        verilator_lint(&top, &files);
        tops.push((top, files));
    }
    yosys_check(&tops);
}

/// All units of a type beside each other in Verilator; all have the same operands.
fn beside(ty: Type) -> Model {
    let mut design = Design::new();
    let (mut ports, mut body, mut specs) = (String::new(), String::new(), Vec::new());
    let mut port = |name: String, width: u32, input: bool| {
        let direction = if input { "input" } else { "output" };
        let comma = if specs.is_empty() { "" } else { "," };
        let _ = write!(ports, "{comma} {direction} wire [{}:0] {name}", width - 1);
        specs.push(PortSpec { name, width, input });
    };
    port("x".into(), ty.width(32), true);
    port("y".into(), ty.width(32), true);
    for (at, kind) in functions().into_iter().enumerate() {
        let module = function_unit(&unit(kind, ty, 0), 32);
        design.add(&module);
        for name in ["r", "v", "t"] {
            port(format!("{name}{at}"), if name == "r" { ty.width(32) } else { 1 }, false);
        }
        let mut second = String::new();
        if kind.operand_count() == 2 {
            port(format!("s{at}"), 1, false);
            second = format!(", .in1_valid(1'b1), .in1_ready(s{at}), .in1_data(y)");
        }
        let _ = writeln!(
            body,
            "  {} u{at} (.in0_valid(1'b1), .in0_ready(t{at}), .in0_data(x){second}, .out0_valid(v{at}), .out0_ready(1'b1), .out0_data(r{at}));",
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
fn agree(model: &mut Model, ty: Type, operands: Vec<[u64; 2]>) {
    let functions = functions();
    let ports = ["x", "y"].map(|name| model.port(name));
    let results: Vec<u32> = (0..functions.len()).map(|at| model.port(&format!("r{at}"))).collect();
    for x in operands {
        ports.iter().zip(x).for_each(|(&port, x)| model.set(port, x));
        model.eval();
        for (&kind, &result) in functions.iter().zip(&results) {
            let (got, want) = (model.get(result), defined(kind, ty, x));
            assert_eq!(got, want, "{kind} of {x:x?} at {ty}: {got:x} for {want:x}");
        }
    }
}

#[test]
fn verilog_computes_the_definition() {
    for ty in TYPES {
        let mut rng = Rng::new(3);
        let operands = match ty {
            Type::F32 => data(&mut rng, ty, 100_000),
            _ => (0..1 << 16).collect(),
        };
        agree(&mut beside(ty), ty, with_another(&mut rng, ty, operands));
    }
}

#[test]
#[ignore = "minutes: millions of operands (make exhaust)"]
fn verilog_computes_the_definition_of_millions() {
    let mut model = beside(Type::F32);
    let mut rng = Rng::new(4);
    let drawn = data(&mut rng, Type::F32, 4_000_000);
    for operands in [drawn, (0..1 << 32).step_by(997).collect()] {
        let pairs = with_another(&mut rng, Type::F32, operands);
        agree(&mut model, Type::F32, pairs);
    }
}
