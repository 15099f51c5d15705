//! Words at known places become values, of locals everywhere and of arrays in loops, where nothing can tell; the others stay in
//! memory.

use loom_testkit::differential;
use loom_testkit::programs::Call;

/// `%m` and `%k` are memories that may be one, `%n` and `%x` numbers; a loop of 6 iterations around `%c`, which is true in some.
fn program(locals: &str, body: &str, end: &str) -> String {
    format!(
        "func.func @f(%m: memref<8xi32>, %k: memref<8xi32>, %n: i32, %x: i32) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
{locals}
  scf.for %i = %c0 to %c6 step %c1 {{
    %t = arith.index_cast %i : index to i32
    %u = arith.xori %t, %n : i32
    %v = arith.andi %u, %one : i32
    %c = arith.cmpi eq, %v, %one : i32
{body}
  }}
{end}
  return %r : i32
}}
"
    )
}

/// Loads and stores of the graph, after the results and memories of all models were compared.
fn accesses(locals: &str, body: &str, end: &str) -> (usize, usize) {
    let call = |n, x| Call::of(&[0, 1], &[n, x]);
    let buffers = vec![(1..9).collect(), (11..19).collect()];
    let calls = vec![call(0, 5), call(1, 0xffff_fff0), call(2, 0)];
    let graph = differential::agreed(&program(locals, body, end), buffers, calls);
    differential::accesses(&graph)
}

const LOCAL: &str = "  %s = memref.alloca() : memref<2xi32>
  memref.store %zero, %s[%c0] : memref<2xi32>
  memref.store %x, %s[%c1] : memref<2xi32>";

#[test]
fn locals_are_registers() {
    let end = "  %a = memref.load %s[%c0] : memref<2xi32>
  %b = memref.load %s[%c1] : memref<2xi32>
  %r = arith.addi %a, %b : i32";
    for (what, body) in [
        (
            "each iteration",
            "%l = memref.load %s[%c0] : memref<2xi32>
             %a = arith.addi %l, %t : i32
             memref.store %a, %s[%c0] : memref<2xi32>",
        ),
        (
            "a side without another",
            "scf.if %c { %l = memref.load %s[%c1] : memref<2xi32>
               memref.store %l, %s[%c0] : memref<2xi32>
               %d = arith.muli %l, %three : i32
               memref.store %d, %s[%c1] : memref<2xi32> }",
        ),
        (
            "both sides, one of which only looks",
            "%q = scf.if %c -> (i32) { memref.store %t, %s[%c0] : memref<2xi32>
               scf.yield %t : i32
             } else { %l = memref.load %s[%c0] : memref<2xi32>
               scf.yield %l : i32 }
             %d = arith.addi %q, %t : i32
             memref.store %d, %s[%c1] : memref<2xi32>",
        ),
        (
            "a loop that ends by what it stores",
            "memref.store %t, %s[%c0] : memref<2xi32>
             scf.while : () -> () { %l = memref.load %s[%c0] : memref<2xi32>
               %d = arith.cmpi ugt, %l, %one : i32
               scf.condition(%d)
             } do { %l = memref.load %s[%c0] : memref<2xi32>
               %h = arith.shrui %l, %one : i32
               memref.store %h, %s[%c0] : memref<2xi32>
               %w = memref.load %s[%c1] : memref<2xi32>
               %g = arith.addi %w, %h : i32
               memref.store %g, %s[%c1] : memref<2xi32>
               scf.yield }",
        ),
        (
            "a loop that may not run",
            "scf.for %j = %i to %c2 step %c1 { %l = memref.load %s[%c1] : memref<2xi32>
               %a = arith.addi %l, %t : i32
               memref.store %a, %s[%c1] : memref<2xi32> }",
        ),
    ] {
        assert_eq!(accesses(LOCAL, body, end), (0, 0), "{what}");
    }
}

#[test]
fn locals_stay_in_memory_where_an_index_is_not_known() {
    let body = "%j = arith.index_cast %v : i32 to index
      memref.store %t, %s[%j] : memref<2xi32>";
    let end = "  %r = memref.load %s[%c1] : memref<2xi32>";
    assert_eq!(accesses(LOCAL, body, end), (1, 3));
}

/// A local of four words, which a loop stores to.
const FILLED: &str = "  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %s = memref.alloca() : memref<4xi32>
  scf.for %j = %c0 to %c4 step %c1 {
    %l = memref.load %m[%j] : memref<8xi32>
    memref.store %l, %s[%j] : memref<4xi32>
  }";
/// Another loop reads it from its end.
const DRAINED: &str = "  %r = scf.for %j = %c0 to %c4 step %c1 iter_args(%h = %x) -> (i32) {
    %at = arith.subi %c3, %j : index
    %l = memref.load %s[%at] : memref<4xi32>
    %a = arith.muli %h, %three : i32
    %b = arith.addi %a, %l : i32
    scf.yield %b : i32
  }";
/// All of its words by literals.
const ROUND: &str = "%z0 = memref.load %s[%c0] : memref<4xi32>
  %z1 = memref.load %s[%c1] : memref<4xi32>
  %z2 = memref.load %s[%c2] : memref<4xi32>
  %z3 = memref.load %s[%c3] : memref<4xi32>
  %ze = arith.addi %z0, %z3 : i32
  %zf = arith.xori %z1, %ze : i32
  memref.store %ze, %s[%c1] : memref<4xi32>
  memref.store %zf, %s[%c3] : memref<4xi32>";

#[test]
fn words_turn_in_loops_that_go_through_them() {
    for (what, body) in [
        ("as they stand", ""),
        (
            "down, some of them, under an if",
            "scf.for %j = %c1 to %c3 step %c1 { %at = arith.subi %c3, %j : index
               scf.if %c { memref.store %t, %s[%at] : memref<4xi32> } }",
        ),
        (
            "two at once, and a loop inside without them",
            "scf.for %j = %c0 to %c4 step %c2 { %next = arith.addi %j, %c1 : index
               %l = memref.load %s[%next] : memref<4xi32>
               %q = scf.for %o = %c0 to %i step %c1 iter_args(%h = %l) -> (i32) {
                 %d = arith.muli %h, %three : i32
                 scf.yield %d : i32
               }
               memref.store %q, %s[%j] : memref<4xi32> }",
        ),
        (
            "rows of two, each twice as far as the loop inside has come",
            "scf.for %j = %c0 to %c2 step %c1 { %row = arith.muli %j, %c2 : index
               scf.for %o = %c0 to %c2 step %c1 { %at = arith.addi %row, %o : index
                 %l = memref.load %s[%at] : memref<4xi32>
                 %d = arith.addi %l, %t : i32
                 memref.store %d, %s[%at] : memref<4xi32> } }",
        ),
        (
            "columns",
            "scf.for %j = %c0 to %c2 step %c1 {
               scf.for %o = %c0 to %c2 step %c1 { %row = arith.muli %o, %c2 : index
                 %at = arith.addi %row, %j : index
                 %l = memref.load %s[%at] : memref<4xi32>
                 %d = arith.muli %l, %three : i32
                 memref.store %d, %s[%at] : memref<4xi32> } }",
        ),
        (
            "around, and not to where it began",
            "scf.for %j = %c0 to %c6 step %c1 { %on = arith.addi %j, %c3 : index
               %to = arith.andi %on, %c3 : index
               %of = arith.remui %j, %c4 : index
               %l = memref.load %s[%of] : memref<4xi32>
               %d = arith.addi %l, %t : i32
               memref.store %d, %s[%to] : memref<4xi32> }",
        ),
        (
            "in a while that stands around it",
            "%q = scf.while (%h = %i) : (index) -> index { %d = arith.cmpi ult, %h, %c2 : index
               scf.condition(%d) %h : index
             } do { ^bb0(%h: index):
               scf.for %j = %c0 to %c4 step %c1 { %l = memref.load %s[%j] : memref<4xi32>
                 %d = arith.xori %l, %t : i32
                 memref.store %d, %s[%j] : memref<4xi32> }
               %g = arith.addi %h, %c1 : index
               scf.yield %g : index }",
        ),
    ] {
        assert_eq!(accesses(FILLED, &format!("{body}\n{ROUND}"), DRAINED), (1, 0), "{what}");
    }
}

#[test]
fn words_turn_beyond_those_that_are_named() {
    let body = "%l = memref.load %s[%c1] : memref<4xi32>
      %d = arith.addi %l, %t : i32
      memref.store %d, %s[%c0] : memref<4xi32>";
    let end = "  %r = scf.for %j = %c0 to %c3 step %c1 iter_args(%h = %x) -> (i32) {
    %next = arith.addi %j, %c1 : index
    %l = memref.load %s[%j] : memref<4xi32>
    %e = memref.load %s[%next] : memref<4xi32>
    %a = arith.muli %h, %l : i32
    %b = arith.addi %a, %e : i32
    scf.yield %b : i32
  }";
    assert_eq!(accesses(FILLED, body, end), (1, 0));
}

#[test]
fn words_do_not_turn_where_one_may_be_anywhere() {
    for (what, body) in [
        (
            "a loop ends nobody knows when",
            "scf.for %j = %c0 to %i step %c1 { %h = arith.andi %j, %c3 : index
               memref.store %t, %s[%h] : memref<4xi32> }",
        ),
        (
            "the loop around it moves it too",
            "%h = arith.andi %i, %c3 : index
             memref.store %t, %s[%h] : memref<4xi32>",
        ),
    ] {
        let (loads, stores) = accesses(FILLED, &format!("{body}\n{ROUND}"), DRAINED);
        assert!(loads > 1 && stores > 0, "{what}: {loads} loads, {stores} stores");
    }
}

/// Loops that fill the array and go through it are unrolled there.
#[test]
fn words_that_do_not_turn_are_values_where_loops_are_short() {
    for (what, body, round) in [
        (
            "one stands still in the loop",
            "scf.for %j = %c0 to %c4 step %c1 { %l = memref.load %s[%c1] : memref<4xi32>
               memref.store %l, %s[%j] : memref<4xi32> }",
            ROUND,
        ),
        (
            "rows and columns",
            "scf.for %j = %c0 to %c2 step %c1 { %row = arith.muli %j, %c2 : index
               scf.for %o = %c0 to %c2 step %c1 { %at = arith.addi %row, %o : index
                 %column = arith.muli %o, %c2 : index
                 %to = arith.addi %column, %j : index
                 %l = memref.load %s[%at] : memref<4xi32>
                 memref.store %l, %s[%to] : memref<4xi32> } }",
            ROUND,
        ),
        (
            "few are named by literals",
            "%l = memref.load %s[%c1] : memref<4xi32>
             %d = arith.addi %l, %t : i32
             memref.store %d, %s[%c1] : memref<4xi32>",
            "",
        ),
    ] {
        assert_eq!(accesses(FILLED, &format!("{body}\n{round}"), DRAINED), (4, 0), "{what}");
    }
}

#[test]
fn words_of_arrays_are_values_of_the_loops_around() {
    let stored = "  memref.store %x, %m[%c1] : memref<8xi32>";
    let end = "  %r = memref.load %k[%c2] : memref<8xi32>";
    for (what, locals, body, want) in [
        (
            "stored to before, then in one side",
            stored,
            "scf.if %c { %l = memref.load %m[%c1] : memref<8xi32>
               %a = arith.addi %l, %t : i32
               memref.store %a, %m[%c1] : memref<8xi32> }",
            (1, 1),
        ),
        (
            "stored to whenever the loop begins",
            "",
            "%l = memref.load %m[%c1] : memref<8xi32>
             scf.if %c { memref.store %t, %m[%c1] : memref<8xi32> }
             memref.store %l, %m[%c1] : memref<8xi32>",
            (2, 1),
        ),
        (
            "not known to be there",
            "",
            "scf.if %c { %l = memref.load %m[%c1] : memref<8xi32>
               %a = arith.addi %l, %t : i32
               memref.store %a, %m[%c1] : memref<8xi32> }",
            (2, 1),
        ),
        (
            "another access may meet it",
            stored,
            "scf.if %c { memref.store %t, %m[%c1] : memref<8xi32> }
             %l = memref.load %k[%i] : memref<8xi32>
             %a = arith.addi %l, %t : i32
             memref.store %a, %k[%i] : memref<8xi32>",
            (2, 3),
        ),
    ] {
        assert_eq!(accesses(locals, body, end), want, "{what}");
    }
}

#[test]
fn loops_with_a_test_carry_words_too() {
    let end = "  memref.store %n, %m[%c1] : memref<8xi32>
  scf.while : () -> () {
    %l = memref.load %m[%c1] : memref<8xi32>
    %d = arith.cmpi ult, %l, %three : i32
    scf.condition(%d)
  } do {
    %l = memref.load %m[%c1] : memref<8xi32>
    %a = arith.addi %l, %one : i32
    memref.store %a, %m[%c1] : memref<8xi32>
    scf.yield
  }
  %r = arith.constant 0 : i32";
    assert_eq!(accesses("", "", end), (0, 1));
}
