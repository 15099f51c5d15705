//! Divisions by literals of what loops make: the same numbers after the passes, and products where the numbers are small.

use loom_base::Rng;
use loom_dfg::OpKind;
use loom_front::compile::{compile, CompileOptions};
use loom_front::edit;
use loom_front::ir::{Kind, Program};
use loom_testkit::programs::{read, results};
use std::fmt::Write;

fn lowered(source: &Program) -> Program {
    let compiled = compile(source, &CompileOptions::default()).unwrap_or_else(|d| panic!("{}", d[0].message));
    compiled.plain.program()
}

fn divisions(program: &Program) -> usize {
    use OpKind::{Divsi, Divui, Remsi, Remui};
    let is_division =
        |kind: &Kind| matches!(kind, Kind::Scalar(op) if matches!(op.kind(), Divsi | Divui | Remsi | Remui));
    let func = &program.funcs[0];
    edit::walk(func).into_iter().filter(|&op| is_division(&func.op(op).kind)).count()
}

/// Random functions of nested loops that carry numbers made by sums, products, shifts, choices and divisions by literals.
struct Draw {
    rng: Rng,
    text: String,
    made: usize,
    numbers: Vec<String>,
}

impl Draw {
    fn put(&mut self, what: &str) -> String {
        let name = format!("%v{}", self.made);
        self.made += 1;
        writeln!(self.text, "{name} = {what}").unwrap();
        name
    }

    fn number(&mut self) -> String {
        self.rng.pick(&self.numbers).clone()
    }

    fn literal(&mut self, from: i64, to: i64) -> String {
        let n = from + self.rng.below((to - from + 1) as usize) as i64;
        self.put(&format!("arith.constant {n} : i32"))
    }

    fn op(&mut self) {
        let a = self.number();
        let made = match self.rng.below(8) {
            0 => {
                let (b, op) =
                    (self.number(), *self.rng.pick(&["addi", "subi", "muli", "andi", "ori", "xori"]));
                self.put(&format!("arith.{op} {a}, {b} : i32"))
            }
            1 => {
                let (b, op) = (
                    self.literal(-9, 99),
                    *self.rng.pick(&["addi", "muli", "andi", "maxsi", "minsi", "minui"]),
                );
                self.put(&format!("arith.{op} {a}, {b} : i32"))
            }
            2 => {
                let (b, op) = (self.literal(0, 31), *self.rng.pick(&["shli", "shrsi", "shrui"]));
                self.put(&format!("arith.{op} {a}, {b} : i32"))
            }
            3 => {
                let (b, zero) = (self.number(), self.literal(-3, 3));
                let p = *self.rng.pick(&["slt", "sge", "ult", "eq"]);
                let c = self.put(&format!("arith.cmpi {p}, {a}, {zero} : i32"));
                self.put(&format!("arith.select {c}, {a}, {b} : i32"))
            }
            4 => {
                let (narrow, op) =
                    (self.rng.pick(&["i8", "i16"]).to_string(), *self.rng.pick(&["extsi", "extui"]));
                let low = self.put(&format!("arith.trunci {a} : i32 to {narrow}"));
                self.put(&format!("arith.{op} {low} : {narrow} to i32"))
            }
            _ => {
                let most = *self.rng.pick(&[12, 300, 1_000_003]);
                let least = *self.rng.pick(&[2, 2, -most]);
                let b = self.literal(least, most);
                let op = *self.rng.pick(&["divsi", "remsi", "remsi", "divui", "remui"]);
                // By zero they are faults.
                let one = self.put("arith.constant 1 : i32");
                let b = if least < 0 { self.put(&format!("arith.ori {b}, {one} : i32")) } else { b };
                self.put(&format!("arith.{op} {a}, {b} : i32"))
            }
        };
        self.numbers.push(made);
    }

    /// A loop of one carried number.
    fn nest(&mut self, depth: usize) {
        let (from, to) = (self.rng.below(4) as i64 - 2, self.rng.below(9) as i64);
        let [from, to, by] = [from, to, 1 + self.rng.below(2) as i64]
            .map(|n| self.put(&format!("arith.constant {n} : index")));
        let first = self.number();
        let (i, a) = (format!("%i{}", self.made), format!("%a{}", self.made));
        let name = format!("%r{}", self.made);
        self.made += 1;
        writeln!(
            self.text,
            "{name} = scf.for {i} = {from} to {to} step {by} iter_args({a} = {first}) -> (i32) {{"
        )
        .unwrap();
        let outside = self.numbers.len();
        let counted = self.put(&format!("arith.index_cast {i} : index to i32"));
        self.numbers.extend([a, counted]);
        for _ in 0..2 + self.rng.below(4) {
            self.op();
        }
        if depth > 0 {
            self.nest(depth - 1);
        }
        let last = self.numbers.last().expect("some").clone();
        writeln!(self.text, "scf.yield {last} : i32\n}}").unwrap();
        self.numbers.truncate(outside);
        self.numbers.push(name);
    }
}

fn drawn(seed: u64) -> String {
    let numbers = vec!["%x".into(), "%u".into()];
    let mut draw = Draw { rng: Rng::new(seed), text: String::new(), made: 0, numbers };
    for _ in 0..2 {
        draw.op();
        draw.nest(seed as usize % 3);
    }
    draw.op();
    let last = draw.numbers.last().expect("some");
    format!(
        "func.func @f(%x: i32, %b: i8) -> i32 {{\n%u = arith.extui %b : i8 to i32\n{}return {last} : i32\n}}\n",
        draw.text
    )
}

#[test]
fn random_divisions_mean_the_same() {
    let numbers =
        [0u64, 1, 2, 3, 9, 255, 256, 65_535, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_ff00, 0xffff_ffff];
    let (mut before, mut after) = (0, 0);
    for seed in 0..400 {
        let text = drawn(seed);
        let source = read(&text);
        let lowered = lowered(&source);
        (before, after) = (before + divisions(&source), after + divisions(&lowered));
        for (k, &x) in numbers.iter().enumerate() {
            let byte = (x.wrapping_mul(37) + 91 * k as u64) & 0xff;
            let [wanted, got] = [&source, &lowered].map(|p| results(p, &[x, byte]));
            assert_eq!(got, wanted, "seed {seed}: {x:#x}, {byte:#x}\n{text}");
        }
    }
    assert!(4 * after < 3 * before, "{after} divisions of {before}");
}

#[test]
fn a_mean_of_bytes_is_a_product() {
    let text = "func.func @f(%m: memref<9xi8>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %nine = arith.constant 9 : i32
  %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %zero) -> (i32) {
    %row = arith.muli %i, %c3 : index
    %r = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %a) -> (i32) {
      %at = arith.addi %row, %j : index
      %w = memref.load %m[%at] : memref<9xi8>
      %n = arith.extui %w : i8 to i32
      %s = arith.addi %b, %n : i32
      scf.yield %s : i32
    }
    scf.yield %r : i32
  }
  %q = arith.divsi %sum, %nine : i32
  return %q : i32
}
";
    assert_eq!(divisions(&lowered(&read(text))), 0);
}

#[test]
fn a_remainder_that_is_carried_stays_small() {
    let text = "func.func @f(%m: memref<?xi8>, %n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %q = arith.constant 1000003 : i64
  %base = arith.constant 256 : i64
  %h = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (i64) {
    %w = memref.load %m[%i] : memref<?xi8>
    %d = arith.extui %w : i8 to i64
    %s = arith.muli %a, %base : i64
    %t = arith.addi %s, %d : i64
    %r = arith.remsi %t, %q : i64
    scf.yield %r : i64
  }
  return %h : i64
}
";
    assert_eq!(divisions(&lowered(&read(text))), 0);
}

#[test]
fn a_quotient_of_a_quotient_is_small() {
    let text = "func.func @f(%x: i32) -> i32 {
  %big = arith.constant 70000 : i32
  %ten = arith.constant 10 : i32
  %low = arith.constant 65535 : i32
  %a = arith.andi %x, %low : i32
  %b = arith.divsi %a, %ten : i32
  %c = arith.remsi %b, %ten : i32
  %d = arith.divui %x, %big : i32
  %e = arith.divui %d, %ten : i32
  %r = arith.addi %c, %e : i32
  return %r : i32
}
";
    // What is divided by a large number may itself be any: that one stays.
    assert_eq!(divisions(&lowered(&read(text))), 1);
}
