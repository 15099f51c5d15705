//! Words that are known are not loaded, and words that a loop carries do not go through memory; where another access may touch them,
//! they do.

use loom_testkit::differential;
use loom_testkit::programs::Call;

/// `$` is the type of all memories. `%m` and `%k` may be one memory, `%p` is another one and `%l` the function's own; `%n` is a number from 0 to 5, `%x` any.
fn program(body: &str) -> String {
    format!(
        "func.func @f(%m: memref<8xi32>, %k: memref<8xi32>, %p: memref<8xi32> {{llvm.noalias}}, %n: i32, %x: i32) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = arith.index_cast %n : i32 to index
  %c = arith.cmpi eq, %n, %one : i32
{body}
  return %r : i32
}}
",
        body = body.replace('$', ": memref<8xi32>")
    )
}

/// Loads and stores of the graph, after the results and memories of all models were compared, of memories that are one too.
fn accesses(body: &str) -> (usize, usize) {
    let call = |k, n, x| Call::of(&[0, k, 2], &[n, x]);
    let buffers = vec![(1..9).collect(), (11..19).collect(), (21..29).collect()];
    let calls = vec![call(1, 0, 5), call(0, 1, 6), call(0, 2, 7), call(1, 5, 0xffff_fff0), call(0, 0, 9)];
    differential::accesses(&differential::agreed(&program(body), buffers, calls))
}

fn all(cases: &[(&str, &str, (usize, usize))]) {
    for &(what, body, want) in cases {
        assert_eq!(accesses(body), want, "{what}");
    }
}

#[test]
fn known_words_are_not_loaded() {
    let cases = [
        ("stored", "memref.store %x, %m[%i] $\n %r = memref.load %m[%i] $", (0, 1)),
        ("loaded", "%a = memref.load %m[%i] $\n %b = memref.load %m[%i] $\n %r = arith.addi %a, %b : i32", (1, 0)),
        (
            "another word in between",
            "memref.store %x, %m[%c1] $\n memref.store %n, %m[%c2] $\n %r = memref.load %m[%c1] $",
            (0, 2),
        ),
        (
            "perhaps the same word in between",
            "memref.store %x, %m[%c1] $\n memref.store %n, %m[%i] $\n %r = memref.load %m[%c1] $",
            (1, 2),
        ),
        (
            "perhaps the same memory",
            "memref.store %x, %m[%c1] $\n memref.store %n, %k[%c1] $\n %r = memref.load %m[%c1] $",
            (1, 2),
        ),
        (
            "another memory",
            "memref.store %x, %m[%c1] $\n memref.store %n, %p[%c1] $\n %r = memref.load %m[%c1] $",
            (0, 2),
        ),
        (
            "into a side and behind it",
            "memref.store %x, %m[%c1] $\n %s = scf.if %c -> (i32) {\n %a = memref.load %m[%c1] $\n scf.yield %a : i32\n } else {\n \
             scf.yield %n : i32\n }\n %b = memref.load %m[%c1] $\n %r = arith.addi %s, %b : i32",
            (0, 1),
        ),
        (
            "a side that stores",
            "memref.store %x, %m[%c1] $\n scf.if %c {\n memref.store %n, %m[%c1] $\n }\n %r = memref.load %m[%c1] $",
            (1, 2),
        ),
        (
            "into a loop that stores elsewhere",
            "memref.store %x, %p[%c1] $\n %r = scf.for %j = %c0 to %i step %c1 iter_args(%s = %n) -> (i32) {\n \
             %a = memref.load %p[%c1] $\n memref.store %a, %m[%j] $\n %t = arith.addi %s, %a : i32\n scf.yield %t : i32\n }",
            (0, 2),
        ),
        (
            "not into one that stores there later",
            "memref.store %x, %p[%c1] $\n %r = scf.for %j = %c0 to %i step %c1 iter_args(%s = %n) -> (i32) {\n \
             %a = memref.load %p[%c1] $\n %t = arith.addi %s, %a : i32\n memref.store %t, %p[%j] $\n scf.yield %t : i32\n }",
            (1, 2),
        ),
    ];
    all(&cases);
}

#[test]
fn stores_that_nobody_sees_are_dropped() {
    let cases = [
        ("at once", "memref.store %x, %m[%i] $\n memref.store %n, %m[%i] $\n %r = arith.addi %n, %x : i32", (0, 1)),
        (
            "a word that may be it is looked at",
            "memref.store %x, %m[%c1] $\n %r = memref.load %m[%i] $\n memref.store %n, %m[%c1] $",
            (1, 2),
        ),
        (
            "looked at in a loop",
            "memref.store %x, %m[%c1] $\n %r = scf.for %j = %c0 to %i step %c1 iter_args(%s = %n) -> (i32) {\n \
             %a = memref.load %m[%j] $\n %t = arith.addi %s, %a : i32\n scf.yield %t : i32\n }\n memref.store %n, %m[%c1] $",
            (1, 2),
        ),
        (
            "one side does not store",
            "memref.store %x, %m[%c1] $\n scf.if %c {\n memref.store %n, %m[%c1] $\n }\n %r = arith.addi %n, %x : i32",
            (0, 2),
        ),
        (
            "an array of its own that nobody loads from",
            "%l = memref.alloca() $\n memref.store %x, %l[%i] $\n %a = memref.load %l[%i] $\n %r = arith.addi %a, %a : i32",
            (0, 0),
        ),
    ];
    all(&cases);
}

/// Adds `%p[..]` to a word in each iteration, and gives the word.
fn sum_into(lower: &str, upper: &str, word: &str, extra: &str) -> String {
    format!(
        "scf.for %j = {lower} to {upper} step %c1 {{\n %a = memref.load %p[%j] $\n %o = memref.load {word} $\n \
         %t = arith.addi %o, %a : i32\n memref.store %t, {word} $\n {extra}\n }}\n %r = memref.load {word} $"
    )
}

#[test]
fn words_of_loops_are_carried() {
    let before = |text: &str, rest: String| format!("{text}\n{rest}");
    all(&[
        ("it surely runs", &sum_into("%c0", "%c4", "%m[%i]", ""), (2, 1)),
        ("it may not run: once before it, under its test", &sum_into("%c0", "%i", "%m[%i]", ""), (3, 1)),
        (
            "it may not run, but the word is touched anyway",
            &before("memref.store %x, %m[%c1] $", sum_into("%c0", "%i", "%m[%c1]", "")),
            (1, 1),
        ),
        (
            "it may not run, and the word is known before",
            &before("%q = memref.load %m[%c1] $", sum_into("%c0", "%i", "%m[%c1]", "").replace("%o, %a", "%o, %q")),
            (2, 1),
        ),
        (
            "perhaps another access touches it",
            &sum_into("%c0", "%c4", "%m[%c1]", "memref.store %x, %k[%j] $"),
            (3, 2),
        ),
        (
            "another access does not touch it",
            &sum_into("%c0", "%c4", "%p[%c4]", "memref.store %x, %m[%j] $"),
            (2, 2),
        ),
        ("the word moves", &sum_into("%c0", "%c4", "%m[%j]", "").replace("%r = memref.load %m[%j]", "%r = memref.load %m[%c0]"), (3, 1)),
        (
            "a loop in a loop that runs as far",
            &before(
                "scf.for %o2 = %c0 to %i step %c1 {",
                sum_into("%c0", "%i", "%m[%o2]", "").replace("%r = memref.load %m[%o2] $", "}\n %r = memref.load %m[%c0] $"),
            ),
            (3, 1),
        ),
        (
            "stored alone",
            "scf.for %j = %c0 to %c4 step %c1 {\n %a = memref.load %p[%j] $\n memref.store %a, %m[%c1] $\n }\n \
             %r = arith.addi %n, %x : i32",
            (1, 1),
        ),
        (
            "stored in a side",
            "scf.for %j = %c0 to %c4 step %c1 {\n %a = memref.load %p[%j] $\n %d = arith.cmpi eq, %a, %x : i32\n scf.if %d {\n \
             memref.store %a, %m[%c1] $\n }\n }\n %r = arith.addi %n, %x : i32",
            (1, 1),
        ),
    ]);
}
