//! Arrays in banks: where every access has a known remainder each bank is a memory, and the program means the same.

use loom_front::compile::Aim;
use loom_testkit::differential::agreed_for;
use loom_testkit::programs::Call;

/// Memories on chip of the graph, after the models agreed on a few calls.
fn memories(aim: Aim, banks: u32, body: &str) -> usize {
    let literals: String = (0..9).map(|n| format!("  %c{n} = arith.constant {n} : index\n")).collect();
    let text = format!(
        "func.func @f(%a: memref<16xi32>, %x: index, %n: index) -> i32 {{
{literals}  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %m = memref.alloca() {{loom.banks = {banks} : i64}} : memref<16xi32>
  scf.for %i = %c0 to %c16 step %c1 {{
    %v = memref.load %a[%i] : memref<16xi32>
    memref.store %v, %m[%i] : memref<16xi32>
  }} {{loom.unroll = 4 : i64}}
  %s = scf.for %j = %c0 to %n step %c4 iter_args(%s = %zero) -> (i32) {{
{body}
    %next = arith.addi %s, %v : i32
    scf.yield %next : i32
  }}
  return %s : i32
}}
"
    );
    let calls = [(3, 16), (2, 0), (7, 8), (1, 4)];
    let calls = calls.map(|(x, n)| Call::of(&[0], &[x, n]));
    let graph = agreed_for(aim, &text, vec![(1..17).map(|n| n * n).collect()], calls.to_vec());
    graph.memories.len() - 1
}

#[test]
fn known_remainders_make_banks() {
    let load = |word: &str| format!("    %v = memref.load %m[{word}] : memref<16xi32>");
    let with = |op: &str| format!("    %w = {op} : index\n{}", load("%w"));
    for (what, banks, body, want) in [
        ("the counter", 4, load("%j"), 4),
        ("two banks", 2, load("%j"), 2),
        ("a constant", 4, load("%c3"), 4),
        ("a sum", 4, with("arith.addi %j, %c3"), 4),
        ("a difference", 4, with("arith.subi %c8, %c1"), 4),
        ("a multiple", 2, with("arith.muli %x, %c2"), 2),
        ("a multiple that is none of four", 4, with("arith.muli %x, %c2"), 1),
        ("a number from outside", 4, load("%x"), 1),
        ("no power of two", 3, load("%j"), 1),
        ("more banks than words are stored in turns", 8, load("%j"), 1),
        ("one", 1, load("%j"), 1),
    ] {
        assert_eq!(memories(Aim::Speed, banks, &body), want, "{what}");
    }
}

#[test]
fn no_banks_for_room() {
    assert_eq!(memories(Aim::Room, 4, "    %v = memref.load %m[%j] : memref<16xi32>"), 1);
}

/// What one bank stores another does not load, so that the loop's order is within banks.
#[test]
fn stores_stay_in_their_bank() {
    let body = "    %u = memref.load %m[%j] : memref<16xi32>
    %w = arith.addi %j, %c1 : index
    %k = arith.addi %u, %u : i32
    memref.store %k, %m[%w] : memref<16xi32>
    %t = arith.addi %j, %c2 : index
    memref.store %k, %m[%t] : memref<16xi32>
    %v = memref.load %m[%w] : memref<16xi32>";
    assert_eq!(memories(Aim::Speed, 4, body), 4);
    assert_eq!(memories(Aim::Speed, 2, body), 2);
}
