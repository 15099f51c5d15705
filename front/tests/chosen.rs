//! Words at places that a loop chooses are carried with the places, and what may change stays in memory: all models agree, over several
//! calls.

use loom_front::compile::Aim;
use loom_testkit::differential;
use loom_testkit::programs::Call;

/// Loads of a program of two arrays of 16 words, in which `loop_body` makes `%next` of `%best`, the iteration's number `%i` and its word `%w`.
fn loads(aim: Aim, loop_body: &str) -> usize {
    let program = format!(
        "func.func @f(%m: memref<16xi32>, %k: memref<16xi32>, %out: memref<2xindex>, %lower: index, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %place = scf.for %i = %lower to %n step %c1 iter_args(%best = %c3) -> (index) {{
    %w = memref.load %m[%i] : memref<16xi32>
{loop_body}
    scf.yield %next : index
  }}
  memref.store %place, %out[%c0] : memref<2xindex>
  return
}}
"
    );
    let words = |k: u64| (0..16u64).map(|i| (i * i * k + 11) % 29).collect();
    let calls = [[0, 1, 16], [1, 1, 16], [1, 5, 5], [1, 2, 3], [0, 9, 14]];
    // One array as both, no iteration, and one.
    let calls = calls.map(|[k, lower, n]: [u64; 3]| Call::of(&[0, k as usize, 2], &[lower, n]));
    let graph = differential::agreed_for(aim, &program, vec![words(3), words(7), vec![0, 0]], calls.to_vec());
    differential::accesses(&graph).0
}

const LEAST: &str = "    %b = memref.load %m[%best] : memref<16xi32>
    %c = arith.cmpi slt, %w, %b : i32
    %next = arith.select %c, %i, %best : index";

#[test]
fn the_word_of_the_best_place_is_carried() {
    // One before the loop, under its first test, and one in it.
    assert_eq!(loads(Aim::Speed, LEAST), 2);
    assert_eq!(loads(Aim::Room, LEAST), 2);
}

#[test]
fn places_are_what_is_computed_from_the_choice() {
    // Each of two arrays; the second one's word is looked at one further on.
    let both = "    %b = memref.load %m[%best] : memref<16xi32>
    %less = arith.subi %best, %c1 : index
    %v = memref.load %k[%less] : memref<16xi32>
    %here = arith.subi %i, %c1 : index
    %u = memref.load %k[%here] : memref<16xi32>
    %s = arith.addi %b, %v : i32
    %t = arith.addi %w, %u : i32
    %c = arith.cmpi slt, %t, %s : i32
    %next = arith.select %c, %i, %best : index";
    assert_eq!(loads(Aim::Speed, both), 4);
    // Of three places.
    let three = "    %b = memref.load %m[%best] : memref<16xi32>
    %at = arith.subi %i, %c1 : index
    %u = memref.load %m[%at] : memref<16xi32>
    %c = arith.cmpi slt, %w, %b : i32
    %d = arith.cmpi slt, %u, %b : i32
    %second = arith.select %d, %at, %best : index
    %next = arith.select %c, %i, %second : index";
    assert_eq!(loads(Aim::Speed, three), 3);
}

#[test]
fn what_is_not_known_stays_a_load() {
    let in_loop = |body: &str| loads(Aim::Speed, body);
    // The word of the place that is taken is not loaded.
    let elsewhere = LEAST.replace("%c, %i, %best", "%c, %c0, %best");
    assert_eq!(in_loop(&elsewhere), 2);
    // `k` may be `m`.
    let stored = format!("    memref.store %w, %k[%c0] : memref<16xi32>\n{LEAST}");
    assert_eq!(in_loop(&stored), 2);
    // A place that wraps is another one than the number it is made of.
    let narrow = "    %n8 = arith.index_cast %best : index to i8
    %wide = arith.index_cast %n8 : i8 to index
    %b = memref.load %m[%wide] : memref<16xi32>
    %c = arith.cmpi slt, %w, %b : i32
    %next = arith.select %c, %i, %best : index";
    assert_eq!(in_loop(narrow), 2);
}
