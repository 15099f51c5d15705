//! Nests of short loops around small local arrays become values, where their copies are not many more ops; elsewhere arrays stay memory.

use loom_dfg::Graph;
use loom_front::passes::Aim;
use loom_testkit::differential::{accesses, agreed_for, streams};
use loom_testkit::programs::Call;

/// `%m` is a memory of 16 words, `%x` a number; `body` runs 5 times, in rounds that `%i` counts.
fn graph(aim: Aim, globals: &str, locals: &str, body: &str) -> Graph {
    let text = format!(
        "{globals}func.func @f(%m: memref<16xi32>, %x: i32) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
{locals}
  scf.for %i = %c0 to %c5 step %c1 {{
    %t = arith.index_cast %i : index to i32
    %y = arith.muli %t, %x : i32
{body}
  }}
  return
}}
"
    );
    let calls = [3, 0xffff_fff0, 0].map(|x| Call::of(&[0], &[x])).to_vec();
    agreed_for(aim, &text, vec![(1..17).collect()], calls)
}

/// Two matrices of 2 x 2, one with what comes in, and their product, of which the sums of the rows are stored.
const PRODUCT: (&str, &str) = (
    "  %a = memref.alloca() : memref<2x2xi32>
  %b = memref.alloca() : memref<4xi32>
  %c = memref.alloca() : memref<2x2xi32>",
    "    %v = memref.reinterpret_cast %b to offset: [0], sizes: [2, 2], strides: [2, 1] : memref<4xi32> to memref<2x2xi32, strided<[2, 1]>>
    scf.for %r = %c0 to %c2 step %c1 {
      scf.for %s = %c0 to %c2 step %c1 {
        %k = arith.addi %r, %s : index
        %n = arith.index_cast %k : index to i32
        %p = arith.addi %n, %y : i32
        memref.store %p, %a[%r, %s] : memref<2x2xi32>
        %q = arith.xori %n, %x : i32
        memref.store %q, %v[%s, %r] : memref<2x2xi32, strided<[2, 1]>>
      }
    }
    scf.for %r = %c0 to %c2 step %c1 {
      scf.for %s = %c0 to %c2 step %c1 {
        %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%z = %zero) -> (i32) {
          %p = memref.load %a[%r, %k] : memref<2x2xi32>
          %q = memref.load %v[%k, %s] : memref<2x2xi32, strided<[2, 1]>>
          %w = arith.muli %p, %q : i32
          %u = arith.addi %z, %w : i32
          scf.yield %u : i32
        }
        memref.store %sum, %c[%r, %s] : memref<2x2xi32>
      }
    }
    scf.for %r = %c0 to %c2 step %c1 {
      %p = memref.load %c[%r, %c0] : memref<2x2xi32>
      %q = memref.load %c[%r, %c1] : memref<2x2xi32>
      %w = arith.addi %p, %q : i32
      memref.store %w, %m[%r] : memref<16xi32>
    }",
);

#[test]
fn small_matrices_are_values() {
    let made = graph(Aim::Speed, "", PRODUCT.0, PRODUCT.1);
    // The two sums alone, and the rounds.
    assert_eq!((accesses(&made), streams(&made)), ((0, 2), 1));
}

#[test]
fn for_room_no_access_is_copied() {
    let made = graph(Aim::Room, "", PRODUCT.0, PRODUCT.1);
    assert!(streams(&made) > 1 && accesses(&made).1 > 2, "{made:?}");
}

#[test]
fn places_may_stand_in_tables() {
    let table = "memref.global constant @pairs : memref<6xindex> = dense<[0, 1, 2, 3, 1, 2]>\n";
    let locals = "  %a = memref.alloca() : memref<4xi32>
  %pairs = memref.get_global @pairs : memref<6xindex>";
    let body = "    scf.for %r = %c0 to %c4 step %c1 {
      %p = memref.load %m[%r] : memref<16xi32>
      %q = arith.xori %p, %y : i32
      memref.store %q, %a[%r] : memref<4xi32>
    }
    scf.for %r = %c0 to %c3 step %c1 {
      %k = arith.muli %r, %c2 : index
      %l = arith.addi %k, %c1 : index
      %s = memref.load %pairs[%k] : memref<6xindex>
      %t2 = memref.load %pairs[%l] : memref<6xindex>
      %p = memref.load %a[%s] : memref<4xi32>
      %q = memref.load %a[%t2] : memref<4xi32>
      %u = arith.minsi %p, %q : i32
      %v = arith.maxsi %p, %q : i32
      memref.store %u, %a[%s] : memref<4xi32>
      memref.store %v, %a[%t2] : memref<4xi32>
    }
    %w = memref.load %a[%c2] : memref<4xi32>
    memref.store %w, %m[%c5] : memref<16xi32>";
    let made = graph(Aim::Speed, table, locals, body);
    assert_eq!((accesses(&made), streams(&made)), ((4, 1), 1));
}

#[test]
fn what_is_much_more_stays_a_loop() {
    // Eight copies of four loads.
    let locals = "  %a = memref.alloca() : memref<8xi32>";
    let load = |to: &str, k: usize| {
        format!(
            "        %p{k} = memref.load %m[%s] : memref<16xi32>
        %q{k} = arith.xori %p{k}, %y : i32
        %e{k} = arith.addi %q{k}, {to} : i32
"
        )
    };
    let chain: String =
        (0..4).map(|k| load(if k == 0 { "%t" } else { ["%e0", "%e1", "%e2"][k - 1] }, k)).collect();
    let body = format!(
        "    scf.for %s = %c0 to %c8 step %c1 {{
{chain}        memref.store %e3, %a[%s] : memref<8xi32>
    }}
    %n = arith.andi %x, %seven : i32
    %at = arith.index_cast %n : i32 to index
    %w = memref.load %a[%c5] : memref<8xi32>
    memref.store %w, %m[%at] : memref<16xi32>"
    );
    let made = graph(Aim::Speed, "", locals, &body);
    assert_eq!(streams(&made), 2);
}

#[test]
fn one_place_that_is_not_known_keeps_all_in_memory() {
    let body = format!(
        "{}
    %n = arith.andi %x, %three : i32
    %at = arith.index_cast %n : i32 to index
    %o = memref.load %b[%at] : memref<4xi32>
    memref.store %o, %m[%c8] : memref<16xi32>",
        PRODUCT.1
    );
    let made = graph(Aim::Speed, "", PRODUCT.0, &body);
    assert!(streams(&made) > 1);
}
