//! Float units against the software definition, bit by bit: edge values by each other, then random ones with exponents
//! that meet; their pipelines; and what verilator and yosys say to them.

use crate::operands::{edges, pairs, random, shape, FLOATS};
use loom_adg::model::{BodyOp, BodyValue, ChannelType, FunctionUnit, SpatialPe};
use loom_base::{truncate, Rng};
use loom_dfg::eval::eval_arith;
use loom_dfg::{FloatPredicate, Op, OpKind, Type};
use loom_hdl::ir::{Design, Evaluator, Module};
use loom_hdl::parts::{function_unit, spatial_pe};
use loom_testkit::tools::{area, run, tool, verilator_lint, write_files, yosys_check};
use std::process::Command;
use std::sync::Arc;
use OpKind::*;

fn single(kind: OpKind, from: Type, to: Type) -> FunctionUnit {
    let name = format!("{}_{from}_{to}", kind.mnemonic());
    FunctionUnit::single(name, kind, &vec![from; kind.operand_count()], &[to])
}

/// Runs a combinational unit on each list of operands.
fn check(kind: OpKind, from: Type, to: Type, data: &[Vec<u64>]) {
    let fu = single(kind, from, to);
    let mut sim = Evaluator::new(&function_unit(&fu, 32));
    sim.set("out0_ready", 1u32);
    for i in 0..fu.inputs.len() {
        sim.set(&format!("in{i}_valid"), 1u32);
    }
    for values in data {
        for (i, &v) in values.iter().enumerate() {
            sim.set(&format!("in{i}_data"), v);
        }
        let ops = match kind {
            Cmpf => FloatPredicate::all().map(Op::Cmpf).collect(),
            _ => vec![Op::Plain(kind)],
        };
        for op in ops {
            if let Op::Cmpf(predicate) = op {
                sim.set("payload", u32::from(predicate.code()));
            }
            let want = eval_arith(op, &fu.inputs, to, 32, values);
            let got = sim.get_u64("out0_data");
            assert_eq!(got, want, "{op:?} of {values:x?} at {from} to {to}: {got:x} for {want:x}");
        }
    }
}

#[test]
fn sums() {
    for ty in FLOATS {
        for kind in [Addf, Subf] {
            check(kind, ty, ty, &pairs(&mut Rng::new(1), ty, 20_000));
        }
    }
}

#[test]
fn products() {
    for ty in FLOATS {
        check(Mulf, ty, ty, &pairs(&mut Rng::new(2), ty, 20_000));
    }
}

/// Edges by each other with every fifth of them added, and random operands: products that nearly cancel what is added,
/// or lie around its ends.
#[test]
fn products_and_sums_rounded_once() {
    let mut rng = Rng::new(11);
    for ty in FLOATS {
        let (fraction, bias) = shape(ty);
        let edges = edges(ty);
        let mut data = Vec::new();
        for (i, &a) in edges.iter().enumerate() {
            for (k, &b) in edges.iter().enumerate() {
                data.extend(edges.iter().skip((i + k) % 5).step_by(5).map(|&c| vec![a, b, c]));
            }
        }
        for round in 0..20_000 {
            let first = rng.next_u64() % (2 * bias + 2);
            let second = match round % 3 {
                0 => bias.saturating_sub(first),
                1 => bias,
                _ => (3 * bias).saturating_sub(first).min(2 * bias),
            };
            let (a, b) = (random(&mut rng, ty, first), random(&mut rng, ty, second));
            let product = eval_arith(Op::Plain(Mulf), &[ty, ty], ty, 32, &[a, b]);
            let c = match round % 4 {
                0 => product ^ 1 << (ty.width(32) - 1),
                1 => (product ^ 1 << (ty.width(32) - 1)).wrapping_add(rng.next_u64() % 3).wrapping_sub(1),
                2 => random(&mut rng, ty, truncate(product >> fraction, ty.width(32) - fraction - 1)),
                _ => random(&mut rng, ty, 0),
            };
            data.push(vec![a, b, truncate(c, ty.width(32))]);
        }
        check(Fma, ty, ty, &data);
    }
}

#[test]
fn choices_and_signs() {
    for ty in FLOATS {
        for kind in [Maximumf, Minimumf, Maxnumf, Minnumf, Copysign] {
            check(kind, ty, ty, &pairs(&mut Rng::new(3), ty, 1000));
        }
        let mut rng = Rng::new(4);
        let values: Vec<Vec<u64>> = edges(ty).into_iter().map(|v| vec![v]).collect();
        for kind in [Negf, Absf, Floor, Ceil, Trunc, Round, Roundeven] {
            check(kind, ty, ty, &values);
        }
        check(Bitcast, ty, Type::Int(ty.width(32) as u8), &values);
        check(Bitcast, Type::Int(ty.width(32) as u8), ty, &values);
        check(Cmpf, ty, Type::I1, &pairs(&mut rng, ty, 1000));
    }
}

#[test]
fn to_whole_numbers() {
    let mut rng = Rng::new(9);
    for ty in FLOATS {
        let (fraction, bias) = shape(ty);
        let mut data = edges(ty);
        // Around halves and wholes of every size.
        for power in 0..=u64::from(fraction) + 2 {
            let value = (bias - 2 + power).min(2 * bias) << fraction;
            let half = 1u64 << u64::from(fraction).saturating_sub(power);
            for near in [value, value | half, value | half << 1, value | half >> 1, value + 3 * half] {
                data.extend([near - 1, near, near + 1]);
            }
        }
        for _ in 0..5000 {
            let around = bias + rng.next_u64() % (u64::from(fraction) + 3);
            data.push(random(&mut rng, ty, around));
        }
        let sign = 1u64 << (ty.width(32) - 1);
        let data: Vec<Vec<u64>> = data.iter().flat_map(|&v| [vec![v], vec![v ^ sign]]).collect();
        for kind in [Floor, Ceil, Trunc, Round, Roundeven] {
            check(kind, ty, ty, &data);
        }
    }
}

#[test]
fn between_floats() {
    let mut rng = Rng::new(5);
    for (narrow, wide) in [
        (Type::F16, Type::F32),
        (Type::Bf16, Type::F32),
        (Type::F16, Type::F64),
        (Type::Bf16, Type::F64),
        (Type::F32, Type::F64),
    ] {
        let mut data = edges(narrow);
        data.extend((0..1000).map(|_| truncate(rng.next_u64(), narrow.width(32))));
        check(Extf, narrow, wide, &data.iter().map(|&v| vec![v]).collect::<Vec<_>>());

        // Every edge of the narrow type and, in the wide one, what is a little off it or off the middle to the next.
        let middle = 1u64 << (shape(wide).0 - shape(narrow).0 - 1);
        let near = |v: u64| {
            let exact = eval_arith(Op::Plain(Extf), &[narrow], wide, 32, &[v]);
            let around = [exact, exact ^ middle, exact.wrapping_sub(middle)];
            around.into_iter().flat_map(|v| [v, v.wrapping_add(1), v.wrapping_sub(1)])
        };
        let mut data: Vec<u64> = edges(narrow).into_iter().flat_map(near).collect();
        data.extend(edges(wide));
        data.retain(|&v| v >> 1 < 1 << (wide.width(32) - 1));
        let (from, to) = (shape(wide).1, shape(narrow).1);
        for _ in 0..10_000 {
            let around =
                (from - to + rng.next_u64() % (2 * to + 30)).saturating_sub(u64::from(shape(narrow).0));
            data.push(random(&mut rng, wide, around));
        }
        check(Truncf, wide, narrow, &data.iter().map(|&v| vec![v]).collect::<Vec<_>>());
    }
}

const INTEGERS: [u8; 8] = [1, 2, 8, 13, 24, 32, 53, 64];

#[test]
fn from_integers() {
    let mut rng = Rng::new(6);
    for to in FLOATS {
        for bits in INTEGERS {
            let width = u32::from(bits);
            let mut data: Vec<u64> = vec![0, 1, 2, 3, u64::MAX, u64::MAX - 1];
            // Powers of two, with a bit where the rounding is decided and below it.
            for at in 0..width {
                let half = (1u64 << at) >> (shape(to).0 + 1);
                for value in [0, half, half + 1, half.wrapping_sub(1), 3 * half] {
                    data.extend([
                        (1u64 << at).wrapping_add(value),
                        (1u64 << at).wrapping_add(value).wrapping_neg(),
                    ]);
                }
            }
            data.extend((0..400).map(|i| rng.next_u64() >> (i % 64)));
            let data: Vec<Vec<u64>> = data.into_iter().map(|v| vec![truncate(v, width)]).collect();
            for kind in [Sitofp, Uitofp] {
                check(kind, Type::Int(bits), to, &data);
            }
        }
    }
}

#[test]
fn to_integers() {
    let mut rng = Rng::new(7);
    for from in FLOATS {
        let (fraction, bias) = shape(from);
        for bits in INTEGERS {
            let mut data = edges(from);
            let sign = 1u64 << (from.width(32) - 1);
            // Around every power of two that the integer can hold, and the first two that it cannot.
            for power in 0..=u64::from(bits) + 1 {
                let value = (bias + power).min(2 * bias) << fraction;
                data.extend([value - 1, value, value + 1, value | (1 << (fraction - 1))]);
            }
            data.extend((0..400).map(|_| {
                let around = bias + rng.next_u64() % (u64::from(bits) + 2);
                random(&mut rng, from, around)
            }));
            let data: Vec<Vec<u64>> = data.iter().flat_map(|&v| [vec![v], vec![v ^ sign]]).collect();
            for kind in [Fptosi, Fptoui] {
                check(kind, from, Type::Int(bits), &data);
            }
        }
    }
}

/// A product and a sum in one body, rounded twice, with a compare of both: two outputs.
fn multiply_add(ty: Type, latency: i32) -> FunctionUnit {
    let (input, result) = (BodyValue::Input, |op| BodyValue::Result { op, result: 0 });
    let op = |kind: OpKind, operands: [BodyValue; 2], to| BodyOp {
        kind: kind.into(),
        operands: operands.to_vec(),
        results: vec![to],
    };
    FunctionUnit {
        name: "multiply_add".into(),
        inputs: vec![ty; 3],
        body: vec![
            op(Mulf, [input(0), input(1)], ty),
            op(Addf, [result(0), input(2)], ty),
            op(Cmpf, [result(0), result(1)], Type::I1),
        ],
        results: vec![result(1), result(2)],
        latency,
        interval: 1,
    }
}

/// Tokens that follow each other through a pipeline of two stages.
#[test]
fn pipelines() {
    let ty = Type::F32;
    let fu = multiply_add(ty, 2);
    let mut rng = Rng::new(8);
    let mut sim = Evaluator::new(&function_unit(&fu, 32));
    sim.reset();
    let predicate = FloatPredicate::parse("ult").expect("a predicate");
    sim.set("payload", u32::from(predicate.code()));
    sim.set("out0_ready", 1u32);
    sim.set("out1_ready", 1u32);
    let mut want = Vec::new();
    for cycle in 0..500 {
        let values: Vec<u64> = (0..3).map(|_| random(&mut rng, ty, 127)).collect();
        for (i, &v) in values.iter().enumerate() {
            sim.set(&format!("in{i}_valid"), 1u32);
            sim.set(&format!("in{i}_data"), v);
        }
        let two = |op, to, a, b| eval_arith(op, &[ty, ty], to, 32, &[a, b]);
        let product = two(Op::Plain(Mulf), ty, values[0], values[1]);
        let sum = two(Op::Plain(Addf), ty, product, values[2]);
        want.push([sum, two(Op::Cmpf(predicate), Type::I1, product, sum)]);
        assert_eq!(sim.get_u64("out0_valid"), u64::from(cycle >= 2));
        if cycle >= 2 {
            let got = ["out0_data", "out1_data"].map(|name| sim.get_u64(name));
            assert_eq!(got, want[cycle - 2]);
        }
        sim.tick();
    }
}

/// Ops from a type to the same.
const SAME_TYPE: [OpKind; 16] = [
    Fma, Addf, Subf, Mulf, Maximumf, Minimumf, Maxnumf, Minnumf, Copysign, Negf, Absf, Floor, Ceil, Trunc,
    Round, Roundeven,
];

/// Every op at every type it has; conversions of the type with narrower floats and some integers.
fn units(ty: Type) -> Vec<FunctionUnit> {
    let width = ty.width(32);
    let mut fus: Vec<FunctionUnit> = SAME_TYPE.iter().map(|&kind| single(kind, ty, ty)).collect();
    fus.push(single(Cmpf, ty, Type::I1));
    fus.push(single(Bitcast, ty, Type::Int(width as u8)));
    for to in FLOATS.into_iter().filter(|to| to.width(32) < width) {
        fus.push(single(Extf, to, ty));
        fus.push(single(Truncf, ty, to));
    }
    for bits in INTEGERS {
        let integer = Type::Int(bits);
        fus.extend([single(Sitofp, integer, ty), single(Uitofp, integer, ty)]);
        fus.extend([single(Fptosi, ty, integer), single(Fptoui, ty, integer)]);
    }
    fus
}

/// All units of a type and two of several ops in a PE that can hold them.
fn modules() -> Vec<Arc<Module>> {
    FLOATS
        .into_iter()
        .map(|ty| {
            let mut fus = units(ty);
            fus.extend([multiply_add(ty, 0), multiply_add(ty, 3)]);
            let (inputs, outputs) = (vec![ChannelType::bits(64); 3], vec![ChannelType::bits(64); 2]);
            spatial_pe(&SpatialPe { inputs, outputs, fus, output_buffers: false, immediates: 0 }, 32)
        })
        .collect()
}

/// The printed Verilog in a simulator, on a few edges and random operands for each unit.
#[test]
fn printed_verilog_computes_the_same() {
    const VECTORS: usize = 150;
    let mut rng = Rng::new(10);
    let fus: Vec<FunctionUnit> = FLOATS.into_iter().flat_map(units).collect();
    let dir = tempfile::tempdir().expect("temporary folder");
    let total = VECTORS * fus.len();
    // A vector is the operands, 64 bits each, and the predicate above them. Each unit has its own row of them.
    let mut bench = format!("module bench;\n  reg [195:0] vectors [0:{}];\n  integer k;\n", total - 1);
    let (mut shows, mut vectors, mut want) = (String::new(), vec![String::new(); total], Vec::new());
    let mut design = Design::new();
    for (f, fu) in fus.iter().enumerate() {
        let module = function_unit(fu, 32);
        design.add(&module);
        let (from, to, kind) = (fu.inputs[0], fu.output_types()[0], fu.single_op().expect("one op"));
        let mut pins = format!(".out0_valid(), .out0_ready(1'b1), .out0_data(r{f})");
        for (i, ty) in fu.inputs.iter().enumerate() {
            pins += &format!(
                ", .in{i}_valid(1'b1), .in{i}_ready(), .in{i}_data(v{f}[{}+:{}])",
                64 * i,
                ty.width(32)
            );
        }
        if kind == Cmpf {
            pins += &format!(", .payload(v{f}[195:192])");
        }
        bench += &format!("  reg [195:0] v{f};\n  wire [{}:0] r{f};\n", to.width(32) - 1);
        bench += &format!("  {} dut{f} ({pins});\n", module.name);
        shows += &format!("      v{f} = vectors[k * {} + {f}]; #1; $display(\"%h\", r{f});\n", fus.len());
        for k in 0..VECTORS {
            let around = if from.is_float() { rng.next_u64() % (2 * shape(from).1 + 2) } else { 0 };
            let mut operand = || match from {
                Type::Int(width) => truncate(rng.next_u64() >> rng.below(64), u32::from(width)),
                _ if k % 3 == 0 => *rng.pick(&edges(from)),
                _ => random(&mut rng, from, around),
            };
            let operands: Vec<u64> = fu.inputs.iter().map(|_| operand()).collect();
            let at = |i: usize| operands.get(i).copied().unwrap_or(0);
            let (a, b, c) = (at(0), at(1), at(2));
            let predicate = FloatPredicate::all().nth(k % 16).expect("sixteen");
            let op = if kind == Cmpf { Op::Cmpf(predicate) } else { Op::Plain(kind) };
            vectors[k * fus.len() + f] = format!("{:x}{c:016x}{b:016x}{a:016x}\n", predicate.code());
            want.push((k * fus.len() + f, eval_arith(op, &fu.inputs, to, 32, &operands), op, operands, fu));
        }
    }
    bench += "  initial begin\n    $readmemh(\"vectors.hex\", vectors);\n";
    bench += &format!("    for (k = 0; k < {VECTORS}; k = k + 1) begin\n{shows}    end\n  end\nendmodule\n");
    let mut files = vec!["bench.v".to_string()];
    for (name, text) in design.files() {
        std::fs::write(dir.path().join(&name), text).expect("writable");
        files.push(name.to_string());
    }
    std::fs::write(dir.path().join("bench.v"), bench).expect("writable");
    std::fs::write(dir.path().join("vectors.hex"), vectors.concat()).expect("writable");
    let compile = ["-g2001", "-s", "bench", "-o", "bench"];
    run(Command::new(tool("iverilog", "iverilog")).args(compile).args(&files).current_dir(dir.path()));
    let text = run(Command::new(tool("vvp", "iverilog")).args(["-n", "bench"]).current_dir(dir.path()));
    let got: Vec<&str> = text.lines().map(str::trim).collect();
    assert_eq!(got.len(), total, "{text}");
    for (at, want, op, operands, fu) in want {
        let value = u64::from_str_radix(got[at], 16);
        assert_eq!(value, Ok(want), "{} {op:?} of {operands:x?}: {} for {want:x}", fu.name, got[at]);
    }
}

#[test]
fn float_units_are_clean_in_verilator_and_yosys() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let mut tops = Vec::new();
    for (i, top) in modules().into_iter().enumerate() {
        let sub = dir.path().join(i.to_string());
        std::fs::create_dir(&sub).expect("writable");
        let files = write_files(&top, &sub);
        verilator_lint(&top, &files);
        tops.push((top, files));
    }
    yosys_check(&tops);
}

/// What a single-precision unit takes in gates, so that nobody doubles it unseen.
#[test]
fn size_of_float_units() {
    for (kind, most) in [(Addf, 3000), (Mulf, 9000), (Cmpf, 600)] {
        let to = if kind == Cmpf { Type::I1 } else { Type::F32 };
        let (gates, bits, depth) = area(&function_unit(&single(kind, Type::F32, to), 32));
        println!("{kind}: gates {gates}, path {depth}");
        assert!(gates <= most && bits == 0, "{kind}: {gates} gates, {bits} flip-flops");
    }
}
