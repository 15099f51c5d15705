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

/// Random functions of nested loops and branches, on numbers made by sums, products, shifts, choices and divisions by literals.
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

    /// What a branch may ask: a comparison, several, or whether a choice gave one of its literals.
    fn condition(&mut self, depth: usize) -> String {
        let kinds = if depth == 0 { 2 } else { 5 };
        match self.rng.below(kinds) {
            0 | 1 => {
                let a = self.number();
                let a = match self.rng.below(3) {
                    0 => {
                        let by = self.literal(-2, 2);
                        self.put(&format!("arith.addi {a}, {by} : i32"))
                    }
                    _ => a,
                };
                let b = if self.rng.below(3) == 0 { self.number() } else { self.literal(-3, 9) };
                let p = *self.rng.pick(&["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]);
                let (a, b) = if self.rng.below(4) == 0 { (b, a) } else { (a, b) };
                self.put(&format!("arith.cmpi {p}, {a}, {b} : i32"))
            }
            2 => {
                let (a, op) = (self.condition(depth - 1), *self.rng.pick(&["andi", "ori", "xori"]));
                let b = self.condition(depth - 1);
                self.put(&format!("arith.{op} {a}, {b} : i1"))
            }
            3 => {
                let (a, yes) = (self.condition(depth - 1), self.put("arith.constant true"));
                self.put(&format!("arith.xori {a}, {yes} : i1"))
            }
            _ => {
                let a = self.condition(depth - 1);
                let (x, y, z) = (self.literal(0, 2), self.literal(1, 3), self.literal(0, 3));
                let chosen = self.put(&format!("arith.select {a}, {x}, {y} : i32"));
                let p = *self.rng.pick(&["eq", "ne", "ult"]);
                self.put(&format!("arith.cmpi {p}, {chosen}, {z} : i32"))
            }
        }
    }

    /// A branch with a number from either side.
    fn branch(&mut self, depth: usize) {
        let condition = self.condition(2);
        let name = format!("%r{}", self.made);
        self.made += 1;
        writeln!(self.text, "{name} = scf.if {condition} -> (i32) {{").unwrap();
        for side in 0..2 {
            let outside = self.numbers.len();
            (0..1 + self.rng.below(3)).for_each(|_| self.op());
            if depth > 0 && self.rng.below(2) == 0 {
                self.branch(depth - 1);
            }
            let last = self.numbers.last().expect("some").clone();
            let end = if side == 0 { "} else {" } else { "}" };
            writeln!(self.text, "scf.yield {last} : i32\n{end}").unwrap();
            self.numbers.truncate(outside);
        }
        self.numbers.push(name);
    }

    /// A loop of one carried number that ends on a condition of it, after nine turns at most.
    fn while_it_holds(&mut self) {
        let (first, zero) = (self.number(), self.literal(0, 0));
        let [name, a, n, b, m] = ["r", "a", "n", "b", "m"].map(|what| format!("%{what}{}", self.made));
        self.made += 1;
        writeln!(
            self.text,
            "{name}:2 = scf.while ({a} = {first}, {n} = {zero}) : (i32, i32) -> (i32, i32) {{"
        )
        .unwrap();
        let outside = self.numbers.len();
        self.numbers.extend([a.clone(), n.clone()]);
        let (goes_on, most) = (self.condition(1), self.literal(9, 9));
        let few = self.put(&format!("arith.cmpi slt, {n}, {most} : i32"));
        let both = self.put(&format!("arith.andi {few}, {goes_on} : i1"));
        writeln!(self.text, "scf.condition({both}) {a}, {n} : i32, i32\n}} do {{\n^bb0({b}: i32, {m}: i32):")
            .unwrap();
        self.numbers.truncate(outside);
        self.numbers.extend([b, m.clone()]);
        (0..2 + self.rng.below(3)).for_each(|_| self.op());
        let (last, by) = (self.numbers.last().expect("some").clone(), self.literal(1, 1));
        let next = self.put(&format!("arith.addi {m}, {by} : i32"));
        writeln!(self.text, "scf.yield {last}, {next} : i32, i32\n}}").unwrap();
        self.numbers.truncate(outside);
        self.numbers.extend([format!("{name}#0"), format!("{name}#1")]);
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
        if self.rng.below(2) == 0 {
            self.branch(1);
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
        draw.branch(2);
        draw.while_it_holds();
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

#[test]
fn divisions_of_small_numbers_in_64_bits_are_made_in_32() {
    let of = |least: i64, kind: &str, by: u32| {
        let text = format!(
            "func.func @f(%x: i32, %n: index {{loom.least = {least} : i64, loom.most = 1000 : i64}}) -> i64 {{
  %a = arith.extui %x : i32 to i64
  %by = arith.constant {by} : i64
  %half = arith.shrui %a, %by : i64
  %b = arith.index_cast %n : index to i64
  %r = arith.{kind} %half, %b : i64
  return %r : i64
}}
"
        );
        let source = read(&text);
        let plain = lowered(&source);
        let func = &plain.funcs[0];
        let wide = edit::walk(func).into_iter().filter(|&op| match func.op(op).kind {
            Kind::Scalar(op) => {
                [OpKind::Divui, OpKind::Divsi, OpKind::Remui, OpKind::Remsi].contains(&op.kind())
            }
            _ => false,
        });
        let narrow = wide.filter(|&op| func.ty(func.result(op, 0)).scalar() == Some(loom_dfg::Type::I32));
        // By zero too.
        for arguments in [[5, 0], [u64::from(u32::MAX), 0], [u64::from(u32::MAX), 1], [99, 7], [3, 1000]] {
            assert_eq!(results(&source, &arguments), results(&plain, &arguments), "{text} {arguments:?}");
        }
        narrow.count()
    };
    for kind in ["divui", "divsi", "remui", "remsi"] {
        assert_eq!((of(0, kind, 1), of(-1, kind, 1)), (1, 0), "{kind}");
        // The highest bit is one of the number's.
        assert_eq!(of(0, kind, 0), usize::from(kind.ends_with("ui")), "{kind}");
    }
}

#[test]
fn what_a_branch_or_a_turn_asks_is_known_inside() {
    let shifts = |text: &str| {
        let program = lowered(&read(text));
        let func = &program.funcs[0];
        let kinds = edit::walk(func).into_iter().filter_map(|op| match func.op(op).kind {
            Kind::Scalar(op) => Some(op.kind()),
            _ => None,
        });
        kinds.filter(|k| [OpKind::Shrsi, OpKind::Shrui].contains(k)).count()
    };
    // A half of what is above zero is one shift; of any number it takes its sign besides.
    let of = |condition: &str| {
        format!(
            "func.func @f(%x: i32, %y: i32) -> i32 {{
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %five = arith.constant 5 : i32
{condition}  %r = scf.if %c -> (i32) {{
    %less = arith.subi %x, %one : i32
    %half = arith.divsi %less, %two : i32
    scf.yield %half : i32
  }} else {{
    scf.yield %y : i32
  }}
  return %r : i32
}}
"
        )
    };
    for (condition, want) in [
        ("  %c = arith.cmpi sgt, %x, %zero : i32\n", 1),
        ("  %c = arith.cmpi slt, %zero, %x : i32\n", 1),
        ("  %c = arith.cmpi eq, %x, %five : i32\n", 1),
        ("  %p = arith.cmpi sgt, %x, %zero : i32\n  %q = arith.cmpi slt, %x, %y : i32\n  %c = arith.andi %p, %q : i1\n", 1),
        ("  %p = arith.cmpi sle, %x, %zero : i32\n  %s = arith.select %p, %two, %five : i32\n  %c = arith.cmpi eq, %s, %five : i32\n", 1),
        ("  %p = arith.cmpi sgt, %x, %zero : i32\n  %q = arith.cmpi slt, %x, %y : i32\n  %c = arith.ori %p, %q : i1\n", 3),
        ("  %c = arith.cmpi slt, %x, %five : i32\n", 3),
    ] {
        assert_eq!(shifts(&of(condition)), want, "{condition}");
    }
    // The parent of a place in a heap, as long as there is one.
    let heap = "func.func @f(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %r:2 = scf.while (%i = %x, %n = %zero) : (i32, i32) -> (i32, i32) {
    %c = arith.cmpi sgt, %i, %zero : i32
    scf.condition(%c) %i, %n : i32, i32
  } do {
  ^bb0(%k: i32, %m: i32):
    %less = arith.subi %k, %one : i32
    %half = arith.divsi %less, %two : i32
    %s = arith.addi %m, %k : i32
    scf.yield %half, %s : i32, i32
  }
  return %r#1 : i32
}
";
    assert_eq!(shifts(heap), 1);
}
