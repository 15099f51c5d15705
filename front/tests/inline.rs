//! Functions that call others: their graphs compute what the calls mean, and what has no end is refused.

use loom_base::Source;
use loom_front::compile::{compile, CompileOptions};
use loom_front::ir::Program;
use loom_testkit::differential::{check, Settings};
use loom_testkit::programs::{Call, RandomArgument, RandomProgram};

fn parse(text: &str) -> Program {
    let source = Source::new("calls.scf.mlir", text);
    loom_front::parse(&source).unwrap_or_else(|d| panic!("{}", d[0].render(&source)))
}

/// Calls in calls, in a loop and in a branch; a function that returns early, one that returns its argument.
const CALLS: &str = "
func.func private @clamp(%x: i32, %m: memref<8xi32>) -> (i32, i32) {
  %zero = arith.constant 0 : i32
  %at = arith.constant 0 : index
  %low = arith.cmpi slt, %x, %zero : i32
  cf.cond_br %low, ^low, ^high
^low:
  memref.store %x, %m[%at] : memref<8xi32>
  return %zero, %x : i32, i32
^high:
  %n = memref.load %m[%at] : memref<8xi32>
  %less = arith.minsi %x, %n : i32
  return %less, %x : i32, i32
}
func.func private @twice(%x: i32, %m: memref<8xi32>) -> i32 {
  %a:2 = func.call @clamp(%x, %m) : (i32, memref<8xi32>) -> (i32, i32)
  %b:2 = func.call @clamp(%a#0, %m) : (i32, memref<8xi32>) -> (i32, i32)
  %s = arith.addi %b#0, %a#1 : i32
  return %s : i32
}
func.func @f(%n: index, %x: i32, %m: memref<8xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (i32) {
    %odd = arith.cmpi sgt, %s, %three : i32
    %t = scf.if %odd -> (i32) {
      %u = func.call @twice(%s, %m) : (i32, memref<8xi32>) -> i32
      scf.yield %u : i32
    } else {
      %v:2 = func.call @clamp(%s, %m) : (i32, memref<8xi32>) -> (i32, i32)
      %w = arith.subi %v#1, %three : i32
      scf.yield %w : i32
    }
    scf.yield %t : i32
  }
  return %r : i32
}
";

#[test]
fn calls_mean_what_their_graph_computes() {
    let call = |n: u64, x: i32| Call {
        arguments: vec![
            RandomArgument::Scalar(n),
            RandomArgument::Scalar(u64::from(x as u32)),
            RandomArgument::Buffer(0),
        ],
    };
    let program = RandomProgram {
        source: parse(CALLS),
        function: "f".into(),
        buffers: vec![vec![5, 1, 2, 3, 4, 5, 6, 7]],
        calls: vec![call(5, 7), call(3, -2), call(0, 9), call(6, 4)],
    };
    let settings = Settings { schedules: 3, seed: 0, max_steps: 10_000 };
    check(&program, &settings).unwrap();
}

#[test]
fn recursion_and_calls_without_end_are_refused() {
    let told = |text: &str| {
        let errors = compile(&parse(text), &CompileOptions::default()).expect_err("refused");
        errors.into_iter().map(|d| d.message).collect::<Vec<_>>().join("; ")
    };
    let call = |of: &str| format!("  %y = func.call @{of}(%x) : (i32) -> i32\n  return %y : i32\n}}\n");
    let head = |name: &str| format!("func.func private @{name}(%x: i32) -> i32 {{\n");
    let main = "func.func @main(%x: i32) -> i32 {\n";
    let itself = format!("{main}{}", call("main"));
    assert!(told(&itself).contains("a recursive call of `@main`"), "{}", told(&itself));
    let around = format!("{}{}{}{}{main}{}", head("a"), call("b"), head("b"), call("a"), call("a"));
    assert!(told(&around).contains("a recursive call of `@a`"), "{}", told(&around));
    // Each function calls the next twice: 2^20 additions.
    let mut doubling = format!("{}  %y = arith.addi %x, %x : i32\n  return %y : i32\n}}\n", head("f0"));
    for k in 1..=20 {
        doubling += &head(&format!("f{k}"));
        doubling += &format!("  %a = func.call @f{}(%x) : (i32) -> i32\n", k - 1);
        doubling += &call(&format!("f{}", k - 1)).replace("(%x)", "(%a)");
    }
    doubling += &format!("{main}{}", call("f20"));
    assert!(told(&doubling).contains("more than 100000 operations"), "{}", told(&doubling));
    let mut chain = format!("{}  return %x : i32\n}}\n", head("f0"));
    for k in 1..=70 {
        chain += &format!("{}{}", head(&format!("f{k}")), call(&format!("f{}", k - 1)));
    }
    chain += &format!("{main}{}", call("f70"));
    assert!(told(&chain).contains("calls nest more than 60 levels"), "{}", told(&chain));
}
