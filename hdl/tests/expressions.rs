//! Random expressions: the IR evaluator against the printed Verilog in a Verilog simulator. Precedence, width and sign
//! rules that the printer got wrong would show here.

use loom_base::rng::Rng;
use loom_hdl::ir::{Design, Evaluator, Expr, Module};
use loom_testkit::tools::{run, tool};
use num_bigint::BigUint;
use std::fmt::Write;
use std::process::Command;

const WIDTHS: [u32; 8] = [1, 2, 5, 8, 13, 32, 64, 100];
const EXPRESSIONS: usize = 250;
const VECTORS: usize = 300;

fn random_value(rng: &mut Rng, width: u32) -> BigUint {
    let mask = (BigUint::from(1u32) << width) - 1u32;
    match rng.below(6) {
        0 => BigUint::default(),
        1 => mask,
        2 => BigUint::from(1u32) << (width - 1),
        3 => BigUint::from(rng.below(70)) & mask,
        _ => {
            (0..width.div_ceil(64)).fold(BigUint::default(), |v, _| (v << 64) | BigUint::from(rng.next_u64()))
                & mask
        }
    }
}

fn random_expr(rng: &mut Rng, inputs: &[Expr], width: u32, depth: u32) -> Expr {
    if depth == 0 || rng.chance(8) {
        return match rng.below(5) {
            0 => Expr::konst(width, random_value(rng, width)),
            _ => rng.pick(inputs).clone().resize_any(rng, width),
        };
    }
    let sub = |rng: &mut Rng, w: u32| random_expr(rng, inputs, w, depth - 1);
    let other = *rng.pick(&WIDTHS);
    if width == 1 && rng.chance(60) {
        let (a, b) = (sub(rng, other), sub(rng, other));
        return match rng.below(13) {
            0 => a.eq(&b),
            1 => a.ne(&b),
            2 => a.ult(&b),
            3 => a.ule(&b),
            4 => a.ugt(&b),
            5 => a.uge(&b),
            6 => a.slt(&b),
            7 => a.sle(&b),
            8 => a.sgt(&b),
            9 => a.sge(&b),
            10 => a.reduce_and(),
            11 => a.reduce_or(),
            _ => a.reduce_xor(),
        };
    }
    let a = sub(rng, width);
    match rng.below(17) {
        0 => a.and(&sub(rng, width)),
        1 => a.or(&sub(rng, width)),
        2 => a.xor(&sub(rng, width)),
        3 => a.not(),
        4 => a.neg(),
        5 | 6 => a.add(&sub(rng, width)),
        7 | 8 => a.sub(&sub(rng, width)),
        9 => a.mul(&sub(rng, width)),
        10 => a.shl(&sub(rng, other)),
        11 => a.shr(&sub(rng, other)),
        12 | 13 => a.sshr(&sub(rng, other)),
        14 => sub(rng, 1).mux(&a, &sub(rng, width)),
        15 => Expr::concat(&[sub(rng, other), a, sub(rng, other)]).resize_any(rng, width),
        _ => sub(rng, other).resize_any(rng, width),
    }
}

trait ResizeAny {
    fn resize_any(self, rng: &mut Rng, width: u32) -> Expr;
}

impl ResizeAny for Expr {
    /// Any way to another width: a slice, an extension, a repetition.
    fn resize_any(self, rng: &mut Rng, width: u32) -> Expr {
        if self.width() >= width {
            let lo = rng.below((self.width() - width + 1) as usize) as u32;
            return self.slice(lo, width);
        }
        match rng.below(3) {
            0 => self.sext(width),
            1 => self.repeat(width.div_ceil(self.width())).slice(0, width),
            _ => self.zext(width),
        }
    }
}

/// Every operator on operands of few bits.
fn every_operator(a: &Expr, b: &Expr, c: &Expr) -> Vec<Expr> {
    let mut all = vec![
        a.and(b),
        a.or(b),
        a.xor(b),
        a.add(b),
        a.sub(b),
        a.mul(b),
        a.eq(b),
        a.ne(b),
        a.ult(b),
        a.ule(b),
        a.ugt(b),
        a.uge(b),
        a.slt(b),
        a.sle(b),
        a.sgt(b),
        a.sge(b),
        a.shl(b),
        a.shr(b),
        a.sshr(b),
        a.not(),
        a.neg(),
        a.reduce_and(),
        a.reduce_or(),
        a.reduce_xor(),
        c.mux(a, b),
        a.repeat(3),
        a.msb(),
        a.sext(7),
        a.zext(7),
        Expr::concat(&[a.clone(), c.clone(), b.clone()]),
    ];
    for lo in 0..a.width() {
        all.extend((1..=a.width() - lo).map(|width| a.add(b).slice(lo, width)));
    }
    // Amounts narrower than the value, and operators below operators, where signs and widths could leak.
    all.extend([
        a.shl(c),
        a.shr(c),
        a.sshr(c),
        a.sshr(b).add(b),
        a.sshr(b).ult(b),
        a.slt(b).and(c),
        a.neg().shr(b),
    ]);
    all
}

/// Widths 1 to 4, all values of all operands.
#[test]
fn operators_of_few_bits_mean_what_the_evaluator_computes() {
    let widths = [1u32, 2, 3, 4];
    let mut m = Module::new("operators");
    let (a, b, c) = (m.input("a", 4), m.input("b", 4), m.input("c", 1));
    let mut pins = vec![".a(v[3:0])".to_string(), ".b(v[7:4])".into(), ".c(v[8])".into()];
    let (mut outputs, mut wires) = (Vec::new(), String::new());
    for w in widths {
        for value in every_operator(&a.slice(0, w), &b.slice(0, w), &c) {
            let name = format!("o{}", outputs.len());
            writeln!(wires, "  wire [{}:0] {name};", value.width() - 1).unwrap();
            pins.push(format!(".{name}({name})"));
            m.assign_output(&name, value);
            outputs.push(name);
        }
    }
    let m = m.finish();
    let mut sim = Evaluator::new(&m);
    let mut expected = Vec::new();
    for v in 0..512u32 {
        sim.set("a", v & 15);
        sim.set("b", v >> 4 & 15);
        sim.set("c", v >> 8);
        expected.push(outputs.iter().map(|o| format!("{:b}", sim.get(o))).collect::<Vec<_>>().join(" "));
    }
    let dir = tempfile::tempdir().expect("temporary folder");
    let mut design = Design::new();
    design.add(&m);
    let text = format!(
        "module bench;\n  reg [9:0] v;\n{wires}  operators dut ({});\n  initial for (v = 0; v < 512; v = v + 1) begin\n\
         \x20   #1 $display(\"{}\", {});\n  end\nendmodule\n",
        pins.join(", "),
        vec!["%0b"; outputs.len()].join(" "),
        outputs.join(", ")
    );
    std::fs::write(dir.path().join("all.v"), format!("{}{text}", design.print("operators"))).unwrap();
    run(Command::new(tool("iverilog", "iverilog"))
        .args(["-g2001", "-o", "bench", "all.v"])
        .current_dir(dir.path()));
    let shown = run(Command::new(tool("vvp", "iverilog")).args(["-n", "bench"]).current_dir(dir.path()));
    assert_eq!(shown.lines().count(), 512);
    for (v, (got, want)) in shown.lines().zip(&expected).enumerate() {
        for ((g, w), name) in got.split(' ').zip(want.split(' ')).zip(&outputs) {
            assert_eq!(g, w, "{name} for a = {}, b = {}, c = {}", v & 15, v >> 4 & 15, v >> 8);
        }
    }
}

#[test]
fn printed_expressions_mean_what_the_evaluator_computes() {
    let mut rng = Rng::new(2026);
    let mut m = Module::new("expressions");
    let mut inputs = Vec::new();
    for (i, w) in WIDTHS.iter().enumerate() {
        inputs.push(m.input(&format!("i{i}"), *w));
    }
    let mut outputs = Vec::new();
    for i in 0..EXPRESSIONS {
        let width = WIDTHS[i % WIDTHS.len()];
        let depth = 1 + rng.below(5) as u32;
        let value = random_expr(&mut rng, &inputs, width, depth);
        outputs.push(format!("o{i}"));
        m.assign_output(&format!("o{i}"), value);
    }
    let m = m.finish();
    let mut design = Design::new();
    design.add(&m);
    let total: u32 = WIDTHS.iter().sum();
    let mut bench = format!(
        "module bench;\n  reg [{}:0] v;\n  reg [{}:0] vectors [0:{}];\n",
        total - 1,
        total - 1,
        VECTORS - 1
    );
    let mut pins = Vec::new();
    let mut lo = 0;
    for (i, w) in WIDTHS.iter().enumerate() {
        pins.push(format!(".i{i}(v[{lo}+:{w}])"));
        lo += w;
    }
    for (i, name) in outputs.iter().enumerate() {
        let width = WIDTHS[i % WIDTHS.len()];
        writeln!(bench, "  wire [{}:0] {name};", width - 1).unwrap();
        pins.push(format!(".{name}({name})"));
    }
    writeln!(bench, "  expressions dut ({});\n  integer k;\n  initial begin", pins.join(", ")).unwrap();
    bench.push_str("    $readmemh(\"vectors.hex\", vectors);\n");
    writeln!(bench, "    for (k = 0; k < {VECTORS}; k = k + 1) begin\n      v = vectors[k]; #1;").unwrap();
    for name in &outputs {
        writeln!(bench, "      $display(\"%h\", {name});").unwrap();
    }
    bench.push_str("    end\n  end\nendmodule\n");

    let mut sim = Evaluator::new(&m);
    let mut hex = String::new();
    let mut expected = Vec::new();
    for _ in 0..VECTORS {
        let mut all = BigUint::default();
        let mut lo = 0;
        for (i, w) in WIDTHS.iter().enumerate() {
            let v = random_value(&mut rng, *w);
            all |= v.clone() << lo;
            lo += w;
            sim.set(&format!("i{i}"), v);
        }
        writeln!(hex, "{all:x}").unwrap();
        expected.extend(outputs.iter().map(|o| sim.get(o)));
    }

    let dir = tempfile::tempdir().expect("temporary folder");
    let path = |f: &str| dir.path().join(f);
    std::fs::write(path("expressions.v"), design.print("expressions")).unwrap();
    std::fs::write(path("bench.v"), bench).unwrap();
    std::fs::write(path("vectors.hex"), hex).unwrap();
    run(Command::new(tool("iverilog", "iverilog"))
        .args(["-g2001", "-o", "bench", "bench.v", "expressions.v"])
        .current_dir(dir.path()));
    let text = run(Command::new(tool("vvp", "iverilog")).args(["-n", "bench"]).current_dir(dir.path()));
    let got: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|l| l.chars().all(|c| c.is_ascii_hexdigit() || c == 'x'))
        .collect();
    assert_eq!(got.len(), expected.len());
    for (i, (g, e)) in got.iter().zip(&expected).enumerate() {
        let g = BigUint::parse_bytes(g.as_bytes(), 16).unwrap_or_else(|| panic!("o{}: {g}", i % EXPRESSIONS));
        assert_eq!(g, *e, "vector {} output o{}", i / EXPRESSIONS, i % EXPRESSIONS);
    }
}
