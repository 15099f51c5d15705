//! Accesses that both sides of an if make become one where nothing can tell; the others stay.

use loom_front::compile::Aim;
use loom_testkit::differential;
use loom_testkit::programs::Call;

/// `%c` says which side; `%i` and `%x` are numbers, `%m` and `%k` are memories that may be one.
fn program(sides: &str) -> String {
    format!(
        "func.func @f(%m: memref<8xi32>, %k: memref<8xi32>, %n: i32, %x: i32) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %one = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %c6 step %c1 iter_args(%s = %x) -> (i32) {{
    %t = arith.index_cast %i : index to i32
    %u = arith.xori %t, %n : i32
    %v = arith.andi %u, %one : i32
    %c = arith.cmpi eq, %v, %one : i32
{sides}
    %r = memref.load %m[%c1] : memref<8xi32>
    %next = arith.addi %s, %r : i32
    scf.yield %next : i32
  }}
  return %s : i32
}}
"
    )
}

/// Loads and stores of the graph, after the results and memories of all models were compared.
fn accesses(sides: &str) -> (usize, usize) {
    accesses_for(Aim::Speed, sides)
}

fn accesses_for(aim: Aim, sides: &str) -> (usize, usize) {
    let call = |n, x| Call::of(&[0, 1], &[n, x]);
    let buffers = vec![(1..9).collect(), (11..19).collect()];
    let graph =
        differential::agreed_for(aim, &program(sides), buffers, vec![call(0, 5), call(1, 0xffff_fff0)]);
    let (loads, stores) = differential::accesses(&graph);
    // One load is behind the if.
    (loads - 1, stores)
}

#[test]
fn one_access_does_what_two_did() {
    for (what, sides, want) in [
        (
            "one address",
            "scf.if %c { memref.store %t, %m[%i] : memref<8xi32> } else { memref.store %x, %m[%i] : memref<8xi32> }",
            (0, 1),
        ),
        (
            "one value",
            "scf.if %c { memref.store %t, %m[%i] : memref<8xi32> } else { memref.store %t, %m[%i] : memref<8xi32> }",
            (0, 1),
        ),
        (
            "addresses that are computed alike",
            "scf.if %c { %a = arith.addi %i, %c1 : index
               memref.store %t, %m[%a] : memref<8xi32>
             } else { %b = arith.addi %i, %c1 : index
               memref.store %x, %m[%b] : memref<8xi32> }",
            (0, 1),
        ),
        (
            "loads and stores",
            "scf.if %c { %l = memref.load %m[%i] : memref<8xi32>
               %a = arith.addi %l, %x : i32
               memref.store %a, %m[%i] : memref<8xi32>
             } else { %l = memref.load %m[%i] : memref<8xi32>
               %b = arith.muli %l, %t : i32
               memref.store %b, %m[%i] : memref<8xi32> }",
            (1, 1),
        ),
        (
            "one behind the other, and in a side of a side",
            "scf.if %c { memref.store %t, %m[%i] : memref<8xi32>
               memref.store %t, %k[%i] : memref<8xi32>
             } else { memref.store %x, %m[%i] : memref<8xi32>
               %d = arith.cmpi slt, %t, %x : i32
               scf.if %d { memref.store %x, %k[%i] : memref<8xi32> } else { memref.store %s, %k[%i] : memref<8xi32> } }",
            (0, 2),
        ),
        (
            "behind what one side does alone",
            "scf.if %c { memref.store %t, %k[%c1] : memref<8xi32>
               memref.store %t, %m[%i] : memref<8xi32>
             } else { memref.store %x, %m[%i] : memref<8xi32> }",
            (0, 2),
        ),
    ] {
        assert_eq!(accesses(sides), want, "{what}");
    }
}

#[test]
fn accesses_that_are_not_alike_stay() {
    for (what, sides, want) in [
        ("one side", "scf.if %c { memref.store %t, %m[%i] : memref<8xi32> }", (0, 1)),
        (
            "other words",
            "scf.if %c { memref.store %t, %m[%i] : memref<8xi32> } else { memref.store %x, %m[%c1] : memref<8xi32> }",
            (0, 2),
        ),
        (
            "other memories",
            "scf.if %c { memref.store %t, %m[%i] : memref<8xi32> } else { memref.store %x, %k[%i] : memref<8xi32> }",
            (0, 2),
        ),
        (
            "an address that is loaded",
            "scf.if %c { %l = memref.load %k[%c1] : memref<8xi32>
               %h = arith.andi %l, %one : i32
               %a = arith.index_cast %h : i32 to index
               memref.store %t, %m[%a] : memref<8xi32>
             } else { memref.store %x, %m[%c1] : memref<8xi32> }",
            (1, 2),
        ),
        (
            "a load behind the store",
            "%q = scf.if %c -> (i32) { memref.store %t, %m[%i] : memref<8xi32>
               %l = memref.load %m[%c1] : memref<8xi32>
               scf.yield %l : i32
             } else { memref.store %x, %m[%i] : memref<8xi32>
               scf.yield %x : i32 }
             memref.store %q, %k[%c1] : memref<8xi32>",
            (1, 3),
        ),
        (
            "a store before the load",
            "%q = scf.if %c -> (i32) { memref.store %t, %k[%c1] : memref<8xi32>
               %l = memref.load %m[%i] : memref<8xi32>
               scf.yield %l : i32
             } else { %l = memref.load %m[%i] : memref<8xi32>
               scf.yield %l : i32 }
             memref.store %q, %k[%i] : memref<8xi32>",
            (2, 2),
        ),
    ] {
        assert_eq!(accesses(sides), want, "{what}");
    }
}

#[test]
fn for_room_two_words_of_an_array_take_one_access() {
    for (what, sides, want) in [
        (
            "stores",
            "scf.if %c { memref.store %t, %m[%i] : memref<8xi32> } else { memref.store %x, %m[%c1] : memref<8xi32> }",
            (0, 1),
        ),
        (
            "a subscript that is loaded",
            "scf.if %c { %l = memref.load %k[%c1] : memref<8xi32>
               %h = arith.andi %l, %one : i32
               %a = arith.index_cast %h : i32 to index
               memref.store %t, %m[%a] : memref<8xi32>
             } else { memref.store %x, %m[%c1] : memref<8xi32> }",
            (1, 1),
        ),
        (
            "loads",
            "%q = scf.if %c -> (i32) { %a = arith.addi %i, %c1 : index
               %l = memref.load %m[%a] : memref<8xi32>
               %d = arith.addi %l, %t : i32
               scf.yield %d : i32
             } else { %l = memref.load %m[%i] : memref<8xi32>
               scf.yield %l : i32 }
             memref.store %q, %m[%i] : memref<8xi32>",
            (1, 1),
        ),
        (
            "a load at a subscript that a side loads stays there",
            "%q = scf.if %c -> (i32) { %l = memref.load %m[%i] : memref<8xi32>
               %h = arith.andi %l, %one : i32
               %a = arith.index_cast %h : i32 to index
               %w = memref.load %m[%a] : memref<8xi32>
               scf.yield %w : i32
             } else { %l = memref.load %m[%c1] : memref<8xi32>
               scf.yield %l : i32 }
             memref.store %q, %m[%i] : memref<8xi32>",
            (2, 1),
        ),
        (
            "other memories",
            "scf.if %c { memref.store %t, %m[%i] : memref<8xi32> } else { memref.store %x, %k[%i] : memref<8xi32> }",
            (0, 2),
        ),
    ] {
        assert_eq!(accesses_for(Aim::Room, sides), want, "{what}");
    }
}
