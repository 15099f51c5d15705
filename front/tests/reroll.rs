//! Accesses at even distances become loops where a program is compiled for room, and mean the same; hints to unroll are not followed.

use loom_front::compile::Aim;
use loom_testkit::differential::{accesses, agreed_for};
use loom_testkit::programs::Call;

/// `%m` and `%k` are memories, `%x` and `%y` numbers; what follows stands in a loop of five iterations.
fn program(body: &str) -> String {
    let literals: String = (0..12).map(|n| format!("  %c{n} = arith.constant {n} : index\n")).collect();
    format!(
        "func.func @f(%m: memref<12xi32>, %k: memref<12xi32>, %x: i32, %y: i32) -> i32 {{
{literals}  %s = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %x) -> (i32) {{
{body}
    %d = arith.xori %i, %c4 : index
    %r = memref.load %m[%d] : memref<12xi32>
    %next = arith.addi %s, %r : i32
    scf.yield %next : i32
  }}
  return %s : i32
}}
"
    )
}

/// Loads and stores of the body's graph, after the models agreed.
fn counted(aim: Aim, body: &str) -> (usize, usize) {
    let calls = [(0, 1), (1, 0)].map(|(m, k)| Call::of(&[m, k], &[7, 9]));
    let buffers = vec![(1..13).collect(), (21..33).collect()];
    let (loads, stores) = accesses(&agreed_for(aim, &program(body), buffers, calls.to_vec()));
    (loads - 1, stores)
}

/// Stores of values at words of `%m`.
fn stores(at: &[(&str, u32)]) -> String {
    at.iter().map(|(v, n)| format!("    memref.store {v}, %m[%c{n}] : memref<12xi32>\n")).collect()
}

/// Copies from words of one memory to words of another.
fn copies(from: &str, to: &str, at: &[(u32, u32)]) -> String {
    let one = |(k, &(a, b)): (usize, &(u32, u32))| {
        format!(
            "    %v{k} = memref.load {from}[%c{a}] : memref<12xi32>\n    memref.store %v{k}, {to}[%c{b}] : memref<12xi32>\n"
        )
    };
    at.iter().enumerate().map(one).collect()
}

#[test]
fn runs_become_loops_for_room_alone() {
    let (x, y) = ("%x", "%y");
    for (what, body, speed, room) in [
        ("side by side", stores(&[(x, 2), (x, 3), (x, 4), (x, 5)]), (0, 4), (0, 1)),
        ("far apart", stores(&[(x, 0), (x, 5), (x, 10)]), (0, 3), (0, 1)),
        ("two runs", stores(&[(x, 0), (x, 1), (x, 2), (y, 4), (y, 6), (y, 8)]), (0, 6), (0, 2)),
        ("only two", stores(&[(x, 0), (x, 1)]), (0, 2), (0, 2)),
        ("downwards", stores(&[(x, 3), (x, 2), (x, 1)]), (0, 3), (0, 3)),
        ("unevenly", stores(&[(x, 0), (x, 1), (x, 3), (x, 7)]), (0, 4), (0, 4)),
        ("other values", stores(&[(x, 0), (y, 1), (x, 2)]), (0, 3), (0, 3)),
        ("copies", copies("%k", "%m", &[(4, 1), (5, 2), (6, 3)]), (3, 3), (1, 1)),
        ("copies in place", copies("%m", "%m", &[(0, 1), (2, 3), (4, 5)]), (3, 3), (1, 1)),
        ("copies at two distances", copies("%k", "%m", &[(0, 0), (2, 1), (4, 2)]), (3, 3), (3, 3)),
    ] {
        assert_eq!(counted(Aim::Speed, &body), speed, "{what}");
        assert_eq!(counted(Aim::Room, &body), room, "{what}");
    }
}

#[test]
fn an_order_that_matters_stays() {
    // Each word is copied to the next: the first value ends up in all of them.
    let body = copies("%m", "%m", &[(0, 1), (1, 2), (2, 3), (3, 4)]);
    counted(Aim::Room, &body);
}

#[test]
fn wishes_for_copies_are_not_followed() {
    let body = |hint: &str| {
        format!(
            "    scf.for %j = %c0 to %c4 step %c1 {{
      %v = memref.load %k[%j] : memref<12xi32>
      %w = arith.addi %v, %y : i32
      memref.store %w, %m[%j] : memref<12xi32>
    }}{hint}"
        )
    };
    for hint in [" {loom.unroll}", " {loom.unroll = 4 : i64}"] {
        assert_eq!(counted(Aim::Speed, &body(hint)), (4, 4));
        assert_eq!(counted(Aim::Room, &body(hint)), (1, 1));
    }
}

/// Bytes of a number at words of a memory of bytes, from `%i` on; `order` has the bits at which each begins.
fn bytes(order: &[u32]) -> String {
    let one = |(k, &from): (usize, &u32)| {
        format!(
            "    %b{k} = arith.constant {from} : i32\n    %s{k} = arith.shrui %x, %b{k} : i32\n    \
             %t{k} = arith.trunci %s{k} : i32 to i8\n    %o{k} = arith.constant {k} : index\n    \
             %a{k} = arith.addi %i, %o{k} : index\n    memref.store %t{k}, %m[%a{k}] : memref<12xi8>\n"
        )
    };
    let stores: String = order.iter().enumerate().map(one).collect();
    format!(
        "func.func @f(%m: memref<12xi8>, %x: i32) {{
  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {{\n{stores}  }}\n  return\n}}\n"
    )
}

#[test]
fn parts_of_a_number_become_a_loop_in_either_order() {
    for (order, room) in [
        (&[0, 8, 16, 24][..], 1),
        (&[24, 16, 8, 0], 1),
        (&[4, 12, 20], 1),
        (&[20, 12, 4], 1),
        (&[0, 8, 24], 3),
        (&[3, 4, 5], 1),
    ] {
        let calls = [0x8765_4321, 0x0bad_f00d_u64].map(|x| Call::of(&[0], &[x]));
        let run = |aim| accesses(&agreed_for(aim, &bytes(order), vec![vec![0; 12]], calls.to_vec()));
        assert_eq!(run(Aim::Speed), (0, order.len()), "{order:?}");
        assert_eq!(run(Aim::Room), (0, room), "{order:?}");
    }
}
