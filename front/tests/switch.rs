//! Switches become chains and trees of ifs, which mean what they meant.

use loom_base::Rng;
use loom_dfg::{Graph, OpKind};
use loom_front::compile::Aim;
use loom_testkit::differential;
use loom_testkit::programs::Call;
use std::fmt::Write;

/// A loop that switches on 32 words, each case with an access and a change of its own.
fn program(cases: &[i64]) -> String {
    let mut text = String::from(
        "func.func @f(%m: memref<32xi32>, %k: memref<32xi32>, %n: i32, %x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %r:2 = scf.for %i = %c0 to %c32 step %c1 iter_args(%a = %x, %b = %n) -> (i32, i32) {
    %w = memref.load %m[%i] : memref<32xi32>
    %s = arith.index_cast %w : i32 to index
    %q:2 = scf.index_switch %s -> i32, i32\n",
    );
    for (k, case) in cases.iter().enumerate() {
        let (a, b) = (["%a", "%y"][k % 2], ["%y", "%b"][k % 2]);
        let op = ["addi", "subi", "xori", "muli", "shli"][k % 5];
        writeln!(
            text,
            "    case {case} {{
      %t = arith.constant {} : i32
      %y = arith.{op} %a, %t : i32
      memref.store %y, %k[%i] : memref<32xi32>
      scf.yield {a}, {b} : i32, i32
    }}",
            k + 1
        )
        .unwrap();
    }
    text += "    default {
      %h = memref.load %k[%i] : memref<32xi32>
      scf.yield %h, %a : i32, i32
    }
    scf.yield %q#0, %q#1 : i32, i32
  }
  %u = arith.xori %r#0, %r#1 : i32
  return %u : i32
}
";
    text
}

/// The graph, after all models agreed on words that take each case, and numbers beside and far from them.
fn agreed(aim: Aim, cases: &[i64]) -> Graph {
    let near = cases.iter().flat_map(|&c| [c, c - 1, c + 1]);
    let mut words: Vec<u64> =
        near.chain([0, -1, 1 << 30, i64::from(i32::MIN)]).map(|w| w as u32 as u64).collect();
    words.sort_unstable();
    words.dedup();
    let calls: Vec<Call> =
        (0..words.len().div_ceil(32)).map(|k| Call::of(&[0, 1], &[k as u64, 77])).collect();
    words.resize(32.max(words.len()), 3);
    // The last ones, so that each call sees others of them where there are many.
    let seen = words.split_off(words.len() - 32);
    let stored = (0..32u64).map(|i| i * 5 % 23).collect();
    differential::agreed_for(aim, &program(cases), vec![seen, stored], calls)
}

/// Branches that a value passes one behind the other, at most.
fn depth(graph: &Graph) -> usize {
    let mut depths = vec![0usize; graph.values.len()];
    let mut deepest = 0;
    for n in graph.node_ids() {
        let node = graph.node(n);
        if graph.kind(n) != OpKind::CondBr {
            continue;
        }
        let before = node.operands.iter().map(|v| depths[v.0 as usize]).max().unwrap_or(0);
        for v in &node.results {
            depths[v.0 as usize] = before + 1;
        }
        deepest = deepest.max(before + 1);
    }
    deepest
}

#[test]
fn many_cases_are_a_tree_where_cycles_matter() {
    let all: Vec<i64> = (-3..13).collect();
    // Four runs: an if that asks for all, around those that find one of sixteen.
    let runs: Vec<i64> = (0..16).map(|k| k + k / 4 * 10).collect();
    for cases in [&all, &runs] {
        // Five levels, and the branch of the loop; a chain would be sixteen.
        let depth = depth(&agreed(Aim::Speed, cases));
        assert!(depth <= 6, "{depth}");
    }
}

#[test]
fn switches_of_any_numbers_mean_the_same() {
    let mut rng = Rng::new(7);
    for _ in 0..24 {
        let (count, gap) = (1 + rng.below(14), 1 + rng.below(4));
        let mut at = rng.below(40) as i64 - 20;
        let mut cases: Vec<i64> = Vec::new();
        for _ in 0..count {
            cases.push(at);
            at += 1 + rng.below(gap) as i64;
        }
        // In no order.
        for k in (1..cases.len()).rev() {
            cases.swap(k, rng.below(k + 1));
        }
        for aim in [Aim::Speed, Aim::Room] {
            agreed(aim, &cases);
        }
    }
    agreed(Aim::Speed, &[i64::from(i32::MIN), i64::from(i32::MAX), 0, 1, 2, 3, 4, 5]);
}
