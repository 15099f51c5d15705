//! Tests ask what decides a selector: fewer ops, and the numbers of those they stand for.

use loom_base::Rng;
use loom_dfg::{Graph, OpKind};
use loom_front::compile::{compile, CompileOptions};
use loom_front::ir::Program;
use loom_testkit::differential;
use loom_testkit::programs::{read, results, Call};
use std::fmt::Write;

/// Random conditions on numbers that are made of two others, choices of literals by them, and comparisons of those.
struct Draw {
    rng: Rng,
    text: String,
    made: usize,
    numbers: Vec<String>,
    conditions: Vec<String>,
}

impl Draw {
    fn put(&mut self, what: &str) -> String {
        let name = format!("%v{}", self.made);
        self.made += 1;
        writeln!(self.text, "  {name} = {what}").unwrap();
        name
    }

    fn literal(&mut self, most: i64) -> String {
        let n = self.rng.below(2 * most as usize) as i64 - most;
        self.put(&format!("arith.constant {n} : i32"))
    }

    fn step(&mut self) {
        let pick = |rng: &mut Rng, list: &[String]| rng.pick(list).clone();
        match self.rng.below(9) {
            0 => {
                let (x, k) = (pick(&mut self.rng, &self.numbers), self.literal(20));
                let op = *self.rng.pick(&["addi", "subi"]);
                let number = self.put(&format!("arith.{op} {x}, {k} : i32"));
                self.numbers.push(number);
            }
            1 => {
                let (x, k) = (pick(&mut self.rng, &self.numbers), self.rng.below(5));
                let k = self.put(&format!("arith.constant {k} : i32"));
                let op = *self.rng.pick(&["shrui", "shrsi"]);
                let number = self.put(&format!("arith.{op} {x}, {k} : i32"));
                self.numbers.push(number);
            }
            2..=4 => {
                let (x, k) = (pick(&mut self.rng, &self.numbers), self.literal(40));
                let p = *self
                    .rng
                    .pick(&["eq", "eq", "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]);
                let condition = self.put(&format!("arith.cmpi {p}, {x}, {k} : i32"));
                self.conditions.push(condition);
            }
            5..=6 => {
                let [a, b] = [0, 1].map(|_| pick(&mut self.rng, &self.conditions));
                let op = *self.rng.pick(&["andi", "ori", "xori"]);
                let condition = self.put(&format!("arith.{op} {a}, {b} : i1"));
                self.conditions.push(condition);
            }
            kind => {
                // A chain of choices, and comparisons of what comes out.
                let mut chosen = self.literal(4);
                for _ in 0..1 + self.rng.below(4) {
                    let (c, k) = (pick(&mut self.rng, &self.conditions), self.literal(4));
                    chosen = match kind {
                        7 => self.put(&format!("arith.select {c}, {k}, {chosen} : i32")),
                        _ => {
                            let sides = format!(
                                "{{\n scf.yield {k} : i32\n }} else {{\n scf.yield {chosen} : i32\n }}"
                            );
                            self.put(&format!("scf.if {c} -> (i32) {sides}"))
                        }
                    };
                }
                for _ in 0..1 + self.rng.below(3) {
                    let (k, p) = (self.literal(4), *self.rng.pick(&["eq", "ne", "eq", "slt"]));
                    let condition = self.put(&format!("arith.cmpi {p}, {chosen}, {k} : i32"));
                    self.conditions.push(condition);
                }
            }
        }
    }
}

/// A function that gives the last conditions as bits of a number.
fn drawn(seed: u64) -> String {
    let mut draw = Draw {
        rng: Rng::new(seed),
        text: String::new(),
        made: 0,
        numbers: vec!["%x".into(), "%u".into(), "%s".into()],
        conditions: Vec::new(),
    };
    for (name, k) in [("x", 3), ("u", 7), ("s", -2)] {
        let k = draw.put(&format!("arith.constant {k} : i32"));
        let condition = draw.put(&format!("arith.cmpi eq, %{name}, {k} : i32"));
        draw.conditions.push(condition);
    }
    for _ in 0..12 {
        draw.step();
    }
    let last: Vec<String> = draw.conditions.iter().rev().take(6).cloned().collect();
    let two = draw.put("arith.constant 2 : i32");
    let mut bits = draw.put("arith.constant 1 : i32");
    for condition in last {
        let wide = draw.put(&format!("arith.extui {condition} : i1 to i32"));
        let shifted = draw.put(&format!("arith.muli {bits}, {two} : i32"));
        bits = draw.put(&format!("arith.addi {shifted}, {wide} : i32"));
    }
    format!(
        "func.func @f(%x: i32, %b: i8) -> i32 {{\n  %u = arith.extui %b : i8 to i32\n  %s = arith.extsi %b : i8 to i32\n{}  \
         return {bits} : i32\n}}\n",
        draw.text
    )
}

#[test]
fn random_conditions_mean_the_same() {
    let mut arguments: Vec<u64> =
        (0..50).chain([0x7fff_fffe, 0x7fff_ffff, 0x8000_0000, 0x8000_0001]).collect();
    arguments.extend((1..50u64).map(|n| n.wrapping_neg() & 0xffff_ffff));
    let (mut before, mut after) = (0, 0);
    for seed in 0..300 {
        let text = drawn(seed);
        let source = read(&text);
        let compiled =
            compile(&source, &CompileOptions::default()).unwrap_or_else(|d| panic!("{}", d[0].message));
        let lowered = compiled.plain.program();
        let loom = |p: &Program| loom_front::edit::walk(&p.funcs[0]).len();
        (before, after) = (before + loom(&source), after + loom(&lowered));
        for (k, &x) in arguments.iter().enumerate() {
            let byte = (x.wrapping_mul(37) + k as u64) & 0xff;
            let [wanted, got] = [&source, &lowered].map(|p| results(p, &[x, byte]));
            assert_eq!(got, wanted, "seed {seed}: {x:#x}, {byte:#x}\n{text}");
        }
    }
    assert!(5 * after < 3 * before, "{after} ops of {before}");
}

fn count(graph: &Graph, kinds: &[OpKind]) -> usize {
    graph.node_ids().filter(|&n| kinds.contains(&graph.kind(n))).count()
}

/// The graph of a function that stores, by what `body` makes of `%w`, into its second array; all models agree.
fn graph(body: &str) -> Graph {
    let text = format!(
        "func.func @f(%m: memref<64xi32>, %k: memref<64xi32>, %n: i32) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%a = %zero) -> (i32) {{
    %w = memref.load %m[%i] : memref<64xi32>
{body}
    scf.yield %q : i32
  }}
  return %r : i32
}}
"
    );
    let words = (0..64).collect();
    let calls = vec![Call::of(&[0, 1], &[5]), Call::of(&[0, 1], &[9])];
    differential::agreed(&text, vec![words, vec![0; 64]], calls)
}

/// Literals, and comparisons of `%w` with them.
fn equals(numbers: &[u32]) -> String {
    let one = |&n: &u32| {
        format!("    %k{n} = arith.constant {n} : i32\n    %e{n} = arith.cmpi eq, %w, %k{n} : i32\n")
    };
    numbers.iter().map(one).collect()
}

#[test]
fn cases_behind_each_other_are_a_range() {
    let cases = [4, 5, 6, 7];
    let joined = "    %o1 = arith.ori %e4, %e5 : i1\n    %o2 = arith.ori %o1, %e6 : i1\n    %o3 = arith.ori %o2, %e7 : i1\n";
    let sum = "    %b = arith.addi %a, %w : i32\n    %q = arith.select %o3, %b, %a : i32";
    let graph = graph(&format!("{}{joined}{sum}", equals(&cases)));
    assert_eq!((count(&graph, &[OpKind::Cmpi]), count(&graph, &[OpKind::Ori, OpKind::Andi])), (1, 0));
}

#[test]
fn cases_here_and_there_are_bits_of_a_word() {
    let joined = "    %o1 = arith.ori %e9, %e13 : i1\n    %o2 = arith.ori %o1, %e17 : i1\n    %o3 = arith.ori %o2, %e20 : i1\n";
    let sum = "    %b = arith.addi %a, %w : i32\n    %q = arith.select %o3, %b, %a : i32";
    let graph = graph(&format!("{}{joined}{sum}", equals(&[9, 13, 17, 20])));
    let kinds = [OpKind::Cmpi, OpKind::Ori, OpKind::Andi, OpKind::Shrui, OpKind::Trunci];
    assert_eq!(kinds.map(|kind| count(&graph, &[kind])), [1, 0, 1, 1, 1]);
}

/// What `switch` with several literals for some cases leaves: nothing is chosen twice.
#[test]
fn a_selector_of_cases_is_gone() {
    let numbers = [1, 2, 8, 9, 30];
    let chosen = "    %s1 = arith.select %e1, %k8, %zero : i32
    %s2 = arith.select %e2, %k8, %s1 : i32
    %s3 = arith.select %e8, %k9, %s2 : i32
    %s4 = arith.select %e9, %k9, %s3 : i32
    %s5 = arith.select %e30, %k30, %s4 : i32
    %is8 = arith.cmpi eq, %s5, %k8 : i32
    %is9 = arith.cmpi eq, %s5, %k9 : i32
    %is30 = arith.cmpi eq, %s5, %k30 : i32
    %x1 = arith.addi %a, %w : i32
    %x2 = arith.xori %a, %w : i32
    %x3 = arith.shli %a, %one : i32
    %y1 = arith.select %is8, %x1, %a : i32
    %y2 = arith.select %is9, %x2, %y1 : i32
    %q = arith.select %is30, %x3, %y2 : i32";
    let graph = graph(&format!("{}{chosen}", equals(&numbers)));
    let [tests, selects] = [OpKind::Cmpi, OpKind::Select].map(|kind| count(&graph, &[kind]));
    assert_eq!((tests, selects), (3, 3));
}

/// A flag of conditions on different numbers, as a short circuit leaves it.
#[test]
fn a_selector_of_other_conditions_is_joined() {
    let body = "    %p = arith.cmpi slt, %w, %a : i32
    %r1 = arith.cmpi ult, %a, %n : i32
    %two = arith.constant 2 : i32
    %s1 = arith.select %r1, %one, %two : i32
    %s2 = arith.select %p, %zero, %s1 : i32
    %is1 = arith.cmpi eq, %s2, %one : i32
    %b = arith.addi %a, %w : i32
    %q = arith.select %is1, %b, %a : i32";
    let graph = graph(body);
    let [tests, selects] = [OpKind::Cmpi, OpKind::Select].map(|kind| count(&graph, &[kind]));
    assert_eq!((tests, selects), (2, 1));
}

/// What an if gives is compared where it is known; the store keeps the if.
#[test]
fn a_flag_of_an_if_is_a_condition() {
    let body = "    %p = arith.cmpi slt, %w, %a : i32
    %seven = arith.constant 7 : i32
    %s = scf.if %p -> (i32) {
      memref.store %w, %k[%i] : memref<64xi32>
      scf.yield %seven : i32
    } else {
      scf.yield %one : i32
    }
    %is = arith.cmpi eq, %s, %seven : i32
    %b = arith.addi %a, %w : i32
    %q = arith.select %is, %b, %a : i32";
    let graph = graph(body);
    let muxes = graph.node_ids().filter(|&n| matches!(graph.kind(n), OpKind::Mux(_))).count();
    // The one that is left is of the store, for what comes after it.
    assert_eq!((count(&graph, &[OpKind::Cmpi]), muxes), (1, 1));
}

/// Which way a search was left is told by a number that the test hands on, and asked for behind the loop or in its body.
#[test]
fn which_way_a_loop_is_left_is_one_bit() {
    let program = |found: i64, asked: i64, behind: &str, inside: &str| {
        format!(
            "func.func @f(%x: i32, %t: i32, %n: i32) -> (i32, i32) {{
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %found = arith.constant {found} : i32
  %on = arith.constant 4 : i32
  %out = arith.constant 7 : i32
  %asked = arith.constant {asked} : i32
  %r:3 = scf.while (%i = %zero, %s = %zero) : (i32, i32) -> (i32, i32, i32) {{
    %more = arith.cmpi slt, %i, %n : i32
    %way = scf.if %more -> (i32) {{
      %p = arith.muli %i, %x : i32
      %is = arith.cmpi eq, %p, %t : i32
      %chosen = arith.select %is, %found, %on : i32
      scf.yield %chosen : i32
    }} else {{
      scf.yield %out : i32
    }}
    %go = arith.cmpi eq, %way, %on : i32
    scf.condition(%go) %i, %s, %way : i32, i32, i32
  }} do {{
  ^bb0(%k: i32, %u: i32, %w: i32):
    {inside}
    %next = arith.addi %k, %one : i32
    scf.yield %next, %v : i32, i32
  }}
  %q = arith.cmpi {behind}, %r#2, %asked : i32
  %last = arith.select %q, %r#0, %t : i32
  return %last, %r#1 : i32, i32
}}
"
        )
    };
    let sum = "%v = arith.addi %u, %k : i32";
    let asks = "%c = arith.cmpi ne, %w, %asked : i32\n    %d = arith.extui %c : i1 to i32\n    %v = arith.addi %u, %d : i32";
    let gives = "%v = arith.addi %u, %w : i32";
    for (found, asked, behind, inside, is_bit) in [
        (3, 3, "eq", sum, true),
        (3, 7, "eq", sum, true),
        (3, 4, "ne", sum, true),
        (3, 3, "ne", asks, true),
        (7, 7, "eq", asks, true),
        (3, 9, "eq", sum, true),
        // Its number is wanted.
        (3, 3, "eq", gives, false),
        (3, 3, "sgt", sum, false),
    ] {
        let text = program(found, asked, behind, inside);
        let source = read(&text);
        let compiled = compile(&source, &CompileOptions::default()).unwrap();
        let lowered = compiled.plain.program();
        for (x, t, n) in [(3, 9, 5), (3, 9, 2), (3, 10, 6), (0, 0, 4), (1, 1, 0), (2, 8, 5)] {
            let [wanted, got] = [&source, &lowered].map(|p| results(p, &[x, t, n]));
            assert_eq!(got, wanted, "{x} {t} {n}\n{text}");
        }
        // The one that is left chooses the result.
        let choices = count(&compiled.lowered.graph, &[OpKind::Select]);
        assert_eq!(choices <= 1, is_bit, "{choices} choices\n{text}");
    }
}

/// Choices that share what they choose from have more ways through them than could be followed.
#[test]
fn shared_choices_end() {
    let mut body = String::from("    %p = arith.cmpi slt, %w, %a : i32\n    %x0 = arith.addi %a, %w : i32\n    %y0 = arith.xori %a, %n : i32\n");
    for k in 0..60 {
        let next = k + 1;
        writeln!(body, "    %t{k} = arith.cmpi slt, %x{k}, %y{k} : i32").unwrap();
        writeln!(body, "    %x{next} = arith.select %t{k}, %x{k}, %y{k} : i32").unwrap();
        writeln!(body, "    %y{next} = arith.select %p, %x{k}, %y{k} : i32").unwrap();
    }
    body += "    %is = arith.cmpi eq, %x60, %one : i32\n    %b = arith.addi %a, %w : i32\n    %q = arith.select %is, %b, %a : i32";
    assert_eq!(count(&graph(&body), &[OpKind::Cmpi]), 62);
}
