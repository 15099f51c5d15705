//! Numbers that a counted loop moves by a constant: given from the counter and the bounds where the count is cheap, and the same
//! numbers whatever the bounds are; elsewhere they stay carried.

use loom_dfg::OpKind;
use loom_testkit::differential::agreed;
use loom_testkit::programs::{Call, RandomArgument};

/// A loop of three iterations around one that counts as `test`, `start` and `step` say and adds `by` to a number of type `ty`;
/// each iteration stores what the number is when the body reads it. The result is the number in the end.
fn program(start: &str, test: &str, step: &str, (ty, by): (&str, &str), reads: bool) -> String {
    let read = match (reads, ty) {
        (false, _) => "%w = arith.constant 5 : i32",
        (true, "i32") => "%w = arith.addi %k, %zero : i32",
        (true, "i64") => "%w = arith.trunci %k : i64 to i32",
        (true, "i8") => "%w = arith.extsi %k : i8 to i32",
        (true, _) => "%w = arith.index_cast %k : index to i32",
    };
    format!(
        "func.func @f(%m: memref<8xi32>, %lo: i32, %hi: i32) -> {ty} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %step = arith.constant {step} : i32
  %by = arith.constant {by} : {ty}
  %begin = arith.constant 11 : {ty}
  %r = scf.for %o = %c0 to %c3 step %c1 iter_args(%q = %begin) -> ({ty}) {{
    %s:2 = scf.while (%i = {start}, %k = %q) : (i32, {ty}) -> (i32, {ty}) {{
      %go = arith.cmpi {test} : i32
      scf.condition(%go) %i, %k : i32, {ty}
    }} do {{
    ^bb0(%i: i32, %k: {ty}):
      {read}
      %low = arith.andi %i, %seven : i32
      %at = arith.index_cast %low : i32 to index
      %x = memref.load %m[%at] : memref<8xi32>
      %t = arith.muli %x, %w : i32
      %u = arith.addi %t, %i : i32
      memref.store %u, %m[%at] : memref<8xi32>
      %i2 = arith.addi %i, %step overflow<nsw> : i32
      %k2 = arith.addi %k, %by : {ty}
      scf.yield %i2, %k2 : i32, {ty}
    }}
    scf.yield %s#1 : {ty}
  }}
  return %r : {ty}
}}
"
    )
}

/// Data values that the graph carries. Every model has given the same numbers before.
fn carried(text: &str, calls: &[(i32, i32)]) -> usize {
    let scalar = |n: i32| RandomArgument::Scalar(u64::from(n as u32));
    let calls = calls
        .iter()
        .map(|&(lo, hi)| Call { arguments: vec![RandomArgument::Buffer(0), scalar(lo), scalar(hi)] });
    let graph = agreed(text, vec![(1..9).collect()], calls.collect());
    let is_data = |n: &&loom_dfg::Node| graph.value(n.results[0]).ty != loom_dfg::Type::None;
    graph.nodes.iter().filter(|n| n.op.kind() == OpKind::Carry).filter(is_data).count()
}

const UP: [(i32, i32); 6] = [(0, 5), (3, 3), (7, 2), (-4, 3), (-9, -7), (0, 1)];
const DOWN: [(i32, i32); 6] = [(5, 0), (3, 3), (2, 7), (3, -4), (-7, -9), (1, 0)];

#[test]
fn the_count_gives_what_is_behind_the_loop_and_the_counter_what_is_in_it() {
    let i32_by = |by| ("i32", by);
    for (start, test, step, by, calls, want) in [
        ("%lo", "slt, %i, %hi", "1", i32_by("1"), UP, 1),
        ("%lo", "slt, %i, %hi", "1", i32_by("-1"), UP, 1),
        ("%zero", "slt, %i, %hi", "1", i32_by("1"), UP, 1),
        ("%lo", "slt, %i, %hi", "1", ("i64", "1"), UP, 1),
        ("%lo", "slt, %i, %hi", "1", ("i64", "-1"), UP, 1),
        ("%lo", "slt, %i, %hi", "1", ("i8", "1"), UP, 1),
        ("%lo", "slt, %i, %hi", "1", ("index", "1"), UP, 1),
        ("%zero", "sle, %i, %hi", "1", i32_by("1"), UP, 1),
        ("%lo", "sgt, %i, %hi", "-1", i32_by("1"), DOWN, 1),
        ("%lo", "sgt, %i, %hi", "-1", i32_by("-1"), DOWN, 1),
        ("%lo", "sge, %i, %zero", "-1", i32_by("-1"), DOWN, 1),
        ("%zero", "slt, %i, %hi", "2", i32_by("2"), UP, 1),
        ("%zero", "slt, %i, %hi", "4", i32_by("-4"), UP, 1),
        ("%lo", "sgt, %i, %zero", "-2", i32_by("2"), DOWN, 1),
        ("%zero", "slt, %i, %seven", "1", i32_by("1"), UP, 1),
        ("%zero", "slt, %i, %seven", "3", i32_by("-3"), UP, 1),
        ("%zero", "ult, %i, %hi", "1", i32_by("1"), [(0, 5), (0, 0), (0, 1), (0, 7), (0, 3), (0, 2)], 1),
        ("%zero", "ne, %i, %hi", "1", i32_by("1"), [(0, 5), (0, 0), (0, 1), (0, 7), (0, 3), (0, 2)], 1),
        // The body reads what only a product would give, or the count is a division: they stay.
        ("%lo", "slt, %i, %hi", "1", i32_by("3"), UP, 2),
        ("%lo", "slt, %i, %hi", "3", i32_by("3"), UP, 2),
        ("%lo", "slt, %i, %hi", "2", i32_by("2"), UP, 2),
    ] {
        let text = program(start, test, step, by, true);
        assert_eq!(carried(&text, &calls), want, "{start} {test} {step} {by:?}");
    }
    // What no body reads only counts, by whatever it is.
    for (test, step, by, want) in
        [("slt, %i, %hi", "1", "3", 1), ("slt, %i, %hi", "1", "-5", 1), ("slt, %i, %hi", "3", "3", 2)]
    {
        let text = program("%lo", test, step, ("i64", by), false);
        assert_eq!(carried(&text, &UP), want, "{test} {step} {by}");
    }
}
