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
    let body = "%j = arith.remui %i, %c2 : index
      memref.store %t, %s[%j] : memref<2xi32>";
    let end = "  %r = memref.load %s[%c1] : memref<2xi32>";
    assert_eq!(accesses(LOCAL, body, end), (1, 3));
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
