//! Loops tested at their end: those that surely run once count like others afterwards, the rest stay.

use loom_dfg::Op;
use loom_testkit::differential::agreed;
use loom_testkit::programs::{Call, RandomArgument};

/// `if (guard) do { ... } while (again);` over `%n` from `%from`, with the sum, the last number and the next as results.
fn program(from: &str, guard: &str, again: &str, flags: &str) -> String {
    format!(
        "func.func @f(%from: i32, %n: i32, %m: memref<8xi32>) -> (i32, i32, i32) {{
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %seven = arith.constant 7 : i32
  %guard = arith.cmpi {guard} : i32
  cf.cond_br %guard, ^loop({from}, %zero : i32, i32), ^end(%zero, %zero, %zero : i32, i32, i32)
^loop(%i: i32, %s: i32):
  %low = arith.andi %i, %seven : i32
  %at = arith.index_cast %low : i32 to index
  %x = memref.load %m[%at] : memref<8xi32>
  %t = arith.addi %s, %x : i32
  memref.store %t, %m[%at] : memref<8xi32>
  %next = arith.addi %i, %one {flags} : i32
  %again = arith.cmpi {again} : i32
  cf.cond_br %again, ^loop(%next, %t : i32, i32), ^end(%t, %i, %next : i32, i32, i32)
^end(%a: i32, %b: i32, %c: i32):
  return %a, %b, %c : i32, i32, i32
}}
"
    )
}

fn streams(text: &str, calls: &[(i64, i64)]) -> usize {
    let scalar = |n: i64| RandomArgument::Scalar(n as u32 as u64);
    let calls = calls
        .iter()
        .map(|&(from, n)| Call { arguments: vec![scalar(from), scalar(n), RandomArgument::Buffer(0)] });
    let graph = agreed(text, vec![(1..9).collect()], calls.collect());
    graph.nodes.iter().filter(|n| matches!(n.op, Op::Stream(..))).count()
}

#[test]
fn loops_that_surely_run_count() {
    let up: &[(i64, i64)] = &[(0, 5), (3, 3), (7, 2), (-4, 1)];
    let nsw = "overflow<nsw>";
    for (from, guard, again, flags, calls, want) in [
        ("%from", "slt, %from, %n", "slt, %next, %n", "", up, 1),
        ("%from", "sgt, %n, %from", "slt, %next, %n", "", up, 1),
        ("%from", "sgt, %n, %from", "ne, %next, %n", nsw, up, 1),
        ("%from", "sgt, %n, %from", "ne, %n, %next", nsw, up, 1),
        ("%zero", "ne, %n, %zero", "ult, %next, %n", "", up, 1),
        ("%zero", "sgt, %n, %zero", "ult, %next, %n", "", up, 1),
        ("%from", "ult, %from, %n", "ugt, %n, %next", "", up, 1),
        ("%zero", "slt, %from, %n", "slt, %next, %four", "", up, 1),
        // Nothing says that the test holds at first.
        ("%from", "ne, %from, %n", "slt, %next, %n", "", up, 0),
        ("%from", "sle, %from, %n", "slt, %next, %n", "", up, 0),
        ("%from", "slt, %n, %from", "slt, %next, %n", "", up, 0),
        ("%seven", "slt, %from, %n", "slt, %next, %four", "", up, 0),
        ("%from", "slt, %zero, %n", "slt, %next, %n", "", up, 0),
    ] {
        let text = program(from, guard, again, flags);
        assert_eq!(streams(&text, calls), want, "{from}; {guard}; {again}");
    }
}
