//! Words that an iteration hands on to the next, and what stays in memory: all models agree, over several calls.

use loom_dfg::{Graph, OpKind};
use loom_front::compile::Aim;
use loom_testkit::differential;
use loom_testkit::programs::Call;

/// `body` between the constants and the end of a function of two arrays of 16 words and two numbers.
fn agreed(aim: Aim, body: &str) -> Graph {
    let program = format!(
        "func.func @f(%m: memref<16xi32>, %k: memref<16xi32>, %n: index, %x: i32) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c14 = arith.constant 14 : index
  %zero = arith.constant 0 : i32
{body}
  return
}}
"
    );
    let words = |k: u64| (0..16u64).map(|i| i * i * k % 29).collect();
    // Also loops without an iteration, of one, and over one array as both.
    let calls = [([0, 1], 13, 5), ([0, 1], 0, 7), ([1, 0], 1, 3), ([0, 0], 9, 2), ([0, 1], 2, 9)];
    let calls = calls.map(|(arrays, n, x)| Call::of(&arrays, &[n, x]));
    differential::agreed_for(aim, &program, vec![words(3), words(7)], calls.to_vec())
}

/// Loads, and values that loops carry besides tokens, where cycles matter.
fn loads_and_carried(body: &str) -> [usize; 2] {
    let graph = agreed(Aim::Speed, body);
    let numbers = graph.node_ids().filter(|&n| {
        let carries = matches!(graph.kind(n), OpKind::Carry);
        carries && graph.value(graph.node(n).results[0]).ty != loom_dfg::Type::None
    });
    [differential::accesses(&graph).0, numbers.count()]
}

/// `m[i] = m[i - 1] + m[i - 2] ... + x` from `lower` on, as far back as `distance`.
fn sum(lower: &str, distance: u32) -> String {
    let mut body = format!("  scf.for %i = %{lower} to %n step %c1 {{\n    %s0 = arith.addi %x, %x : i32\n");
    for d in 1..=distance {
        let (before, sum) = (d - 1, format!("%s{d}"));
        body += &format!(
            "    %d{d} = arith.constant {d} : index\n    %a{d} = arith.subi %i, %d{d} : index\n    \
             %l{d} = memref.load %m[%a{d}] : memref<16xi32>\n    {sum} = arith.addi %s{before}, %l{d} : i32\n"
        );
    }
    body + &format!("    memref.store %s{distance}, %m[%i] : memref<16xi32>\n  }}\n")
}

#[test]
fn the_word_of_the_iteration_before_is_handed_on() {
    // The load is before the loop, under its first test.
    assert_eq!(loads_and_carried(&sum("c1", 1)), [1, 1]);
    assert_eq!(loads_and_carried(&sum("c2", 2)), [2, 2]);
    // For room all stays where it is.
    let graph = agreed(Aim::Room, &sum("c1", 1));
    assert!(!graph.node_ids().any(|n| matches!(graph.kind(n), OpKind::Mux(_))));
}

#[test]
fn a_word_that_was_stored_just_before_is_not_loaded() {
    let stored = "  memref.store %x, %m[%c0] : memref<16xi32>\n";
    assert_eq!(loads_and_carried(&format!("{stored}{}", sum("c1", 1))), [0, 1]);
    // Then the load may be one that not every iteration makes.
    let sometimes = |before: &str| {
        format!(
            "{before}  scf.for %i = %c1 to %n step %c1 {{
    %w = memref.load %k[%i] : memref<16xi32>
    %c = arith.cmpi sgt, %w, %x : i32
    %a = arith.subi %i, %c1 : index
    %v = scf.if %c -> (i32) {{
      %l = memref.load %m[%a] : memref<16xi32>
      %d = arith.divsi %w, %x : i32
      %s = arith.addi %l, %d : i32
      scf.yield %s : i32
    }} else {{
      scf.yield %w : i32
    }}
    memref.store %v, %m[%i] : memref<16xi32>
  }}
"
        )
    };
    // `k` may be `m`: its words are stored to in the loop, and stay loads.
    assert_eq!(loads_and_carried(&sometimes(stored)), [1, 1]);
    assert_eq!(loads_and_carried(&sometimes("")), [2, 0]);
}

#[test]
fn loops_that_count_down_hand_on_as_well() {
    // `m[14 - i] = m[15 - i] ^ x`, as a loop that counts down leaves it.
    let down = "  scf.for %i = %c0 to %n step %c1 {
    %at = arith.subi %c14, %i : index
    %before = arith.addi %at, %c1 : index
    %l = memref.load %m[%before] : memref<16xi32>
    %v = arith.xori %l, %x : i32
    memref.store %v, %m[%at] : memref<16xi32>
  }
";
    assert_eq!(loads_and_carried(down), [1, 1]);
}

#[test]
fn what_another_store_may_touch_stays_in_memory() {
    // `k` may be `m`.
    let other = "    memref.store %l1, %k[%c0] : memref<16xi32>\n    memref.store %s1";
    assert_eq!(loads_and_carried(&sum("c1", 1).replace("    memref.store %s1", other)), [1, 0]);
    // Two words on: what lies between is not what the iteration before has stored.
    let far = sum("c2", 2).replace("%s2 = arith.addi %s1, %l2", "%s2 = arith.addi %s0, %l2");
    assert_eq!(loads_and_carried(&far), [1, 0]);
}

#[test]
fn a_window_over_an_array_on_chip_loads_each_word_once() {
    // Four words of 18, stored before: the last is loaded, the others were.
    let window = "  %own = memref.alloca() : memref<18xi32>
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %w = memref.load %k[%i] : memref<16xi32>
    memref.store %w, %own[%i] : memref<18xi32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %b = arith.addi %i, %c1 : index
    %d = arith.addi %i, %c2 : index
    %p = memref.load %own[%i] : memref<18xi32>
    %q = memref.load %own[%b] : memref<18xi32>
    %r = memref.load %own[%d] : memref<18xi32>
    %s = arith.addi %p, %q : i32
    %t = arith.xori %s, %r : i32
    memref.store %t, %m[%i] : memref<16xi32>
  }
";
    // Of `k` one, of the window one in the loop and two before.
    assert_eq!(loads_and_carried(window), [4, 2]);
    // Where the loop stores to the window, what it stored is handed on.
    let stored = window.replace("%t, %m[%i] : memref<16", "%t, %own[%d] : memref<18");
    assert_eq!(loads_and_carried(&stored), [4, 2]);
    // An array from outside has a lane for each load.
    let mut outside = window.to_string();
    for subscript in ["%i", "%b", "%d"] {
        let load = format!("memref.load %own[{subscript}] : memref<18");
        outside = outside.replace(&load, &format!("memref.load %k[{subscript}] : memref<16"));
    }
    assert_eq!(loads_and_carried(&outside), [3, 0]);
}

#[test]
fn rows_of_a_table_hand_on_along_the_inner_loop() {
    // Each row begins with what was stored before it, and goes on from word to word: the table itself is read for the row above alone.
    let rows = "  scf.for %i = %c1 to %c2 step %c1 {
    memref.store %x, %m[%c0] : memref<16xi32>
    scf.for %j = %c1 to %n step %c1 {
      %a = arith.subi %j, %c1 : index
      %above = memref.load %m[%j] : memref<16xi32>
      %left = memref.load %m[%a] : memref<16xi32>
      %c = arith.cmpi slt, %above, %left : i32
      %least = arith.select %c, %above, %left : i32
      %v = arith.addi %least, %x : i32
      memref.store %v, %m[%j] : memref<16xi32>
    }
  }
";
    assert_eq!(loads_and_carried(rows), [1, 1]);
}
