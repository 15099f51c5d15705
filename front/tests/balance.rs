//! Trees of integer ops mean what they meant in any order, and what a loop carries comes last: over random trees all models agree, over
//! several calls, and of some the ways round are counted.

use loom_base::Rng;
use loom_dfg::op::Class;
use loom_dfg::{Graph, Node, Op, OpKind, ValueId};
use loom_testkit::differential;
use loom_testkit::programs::Call;

/// The graph of a loop that carries `%s` and `%t`, has the word `%w` and the argument `%p`, and yields what `body` makes of them.
fn graph(body: &str) -> Graph {
    let program = format!(
        "func.func @f(%m: memref<16xi32>, %out: memref<2xi32>, %n: index, %p: i32, %q: i32) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %p, %t = %q) -> (i32, i32) {{
    %w = memref.load %m[%i] : memref<16xi32>
{body}
  }}
  memref.store %last#0, %out[%c0] : memref<2xi32>
  memref.store %last#1, %out[%c1] : memref<2xi32>
  return
}}
"
    );
    let words = (0..16u64).map(|i| (i * i * 0x0123_4567) & 0xffff_ffff).collect();
    let calls = [[0, 7, 3], [1, 0xffff_ffff, 5], [16, 0x8000_0000, 0x7fff_ffff], [5, 11, 13]];
    let calls = calls.map(|[n, p, q]: [u64; 3]| Call::of(&[0, 1], &[n, p, q]));
    differential::agreed(&program, vec![words, vec![0, 0]], calls.to_vec())
}

/// The most arithmetic ops on a way from a carried value to its next one.
fn longest_way_round(graph: &Graph) -> usize {
    let is_carry = |n: &&Node| n.op == Op::Plain(OpKind::Carry);
    let carried = graph.nodes.iter().filter(is_carry).map(|n| n.results[0]);
    carried.filter_map(|v| longest(graph, v, v, &mut Vec::new())).max().unwrap_or(0)
}

fn longest(graph: &Graph, from: ValueId, to: ValueId, on_the_way: &mut Vec<ValueId>) -> Option<usize> {
    if from == to && !on_the_way.is_empty() {
        return Some(0);
    }
    if on_the_way.contains(&from) {
        return None;
    }
    on_the_way.push(from);
    let users = graph.nodes.iter().filter(|n| n.operands.contains(&from));
    let ways = users.flat_map(|n| n.results.iter().map(move |&result| (n, result)));
    let ops = |n: &Node| usize::from(n.op.kind().class() == Class::Arith);
    let most = ways.filter_map(|(n, r)| Some(ops(n) + longest(graph, r, to, on_the_way)?)).max();
    on_the_way.pop();
    most
}

#[test]
fn what_a_loop_carries_comes_last() {
    let one = |lines: &[&str], next: &str| {
        let lines: Vec<String> = lines.iter().map(|line| format!("    {line} : i32\n")).collect();
        longest_way_round(&graph(&format!("{}    scf.yield {next}, %t : i32, i32", lines.concat())))
    };
    assert_eq!(one(&["%a = arith.addi %s, %w", "%b = arith.addi %a, %p"], "%b"), 1);
    assert_eq!(one(&["%a = arith.subi %s, %w", "%b = arith.subi %a, %p", "%c = arith.subi %b, %q"], "%c"), 1);
    assert_eq!(one(&["%a = arith.subi %w, %s", "%b = arith.addi %a, %p", "%c = arith.subi %b, %q"], "%c"), 1);
    assert_eq!(one(&["%a = arith.xori %s, %w", "%b = arith.xori %p, %a", "%c = arith.xori %b, %q"], "%c"), 1);
    // The product of what is carried takes longer than the rest.
    let product = ["%x = arith.muli %s, %q", "%a = arith.addi %x, %w", "%b = arith.addi %a, %p"];
    assert_eq!(one(&product, "%b"), 2);
    // On a condition: the sum alone is on the way, which of two amounts it adds is not.
    let chosen = |sums: &[&str], next: &str| {
        let test = "    %t0 = arith.cmpi slt, %w, %p : i32\n";
        let lines: Vec<String> = sums.iter().map(|line| format!("    {line} : i32\n")).collect();
        longest_way_round(&graph(&format!("{test}{}    scf.yield {next}, %t : i32, i32", lines.concat())))
    };
    assert_eq!(chosen(&["%a = arith.addi %s, %q", "%b = arith.select %t0, %a, %s"], "%b"), 1);
    assert_eq!(chosen(&["%a = arith.ori %q, %s", "%b = arith.select %t0, %s, %a"], "%b"), 1);
    assert_eq!(chosen(&["%a = arith.andi %s, %w", "%b = arith.select %t0, %a, %s"], "%b"), 1);
    let both = ["%a = arith.addi %s, %w", "%b = arith.subi %s, %q", "%c = arith.select %t0, %a, %b"];
    assert_eq!(chosen(&both, "%c"), 1);
    let inner = ["%a = arith.addi %s, %w", "%b = arith.select %t0, %a, %s", "%c = arith.subi %b, %q"];
    assert_eq!(chosen(&inner, "%c"), 1);
    // Both sides of another kind, or what the condition itself waits for.
    assert_eq!(chosen(&["%a = arith.subi %w, %s", "%b = arith.select %t0, %a, %s"], "%b"), 2);
    let own = "    %t0 = arith.cmpi slt, %s, %p : i32\n    %a = arith.addi %s, %q : i32\n    %b = arith.select %t0, %a, %s : i32\n";
    assert_eq!(longest_way_round(&graph(&format!("{own}    scf.yield %b, %t : i32, i32"))), 2);
    // Read elsewhere, a result is no part of a tree.
    let read = ["%a = arith.addi %s, %w", "%b = arith.addi %a, %p", "%c = arith.muli %a, %b"];
    assert_eq!(one(&read, "%c"), 3);
}

const KINDS: [&str; 8] = ["addi", "subi", "addi", "subi", "xori", "andi", "ori", "muli"];

/// A tree of some ops of one kind over carried and other values, and its name.
fn tree(rng: &mut Rng, lines: &mut String, depth: u32) -> String {
    let leaves = ["%s", "%t", "%w", "%p", "%q", "%s", "%t"];
    if depth == 0 || rng.below(5) == 0 {
        return (*rng.pick(&leaves)).into();
    }
    if rng.below(4) == 0 {
        return choice(rng, lines, depth);
    }
    let kind = *rng.pick(&KINDS);
    let left = tree(rng, lines, depth - 1);
    let right = tree(rng, lines, depth - 1);
    named(lines, &format!("arith.{kind} {left}, {right} : i32"))
}

/// Writes an op; the name of its result.
fn named(lines: &mut String, op: &str) -> String {
    let name = format!("%v{}", lines.lines().count());
    lines.push_str(&format!("    {name} = {op}\n"));
    name
}

/// A number with something put to it on one side of a condition, or on both, by a `select` or by an `scf.if`.
fn choice(rng: &mut Rng, lines: &mut String, depth: u32) -> String {
    let base = tree(rng, lines, depth - 1);
    let (left, right) = (tree(rng, lines, depth - 1), tree(rng, lines, depth - 1));
    let test =
        named(lines, &format!("arith.cmpi {} {left}, {right} : i32", rng.pick(&["slt,", "eq,", "uge,"])));
    let kind = *rng.pick(&KINDS);
    let mut side = |rng: &mut Rng| match rng.below(3) {
        0 => None,
        _ => {
            let by =
                if rng.chance(40) { named(lines, "arith.constant 7 : i32") } else { tree(rng, lines, 0) };
            let kind = if kind == "addi" && rng.chance(40) { "subi" } else { kind };
            Some(format!("arith.{kind} {base}, {by} : i32"))
        }
    };
    let sides = [side(rng), side(rng)];
    if rng.chance(50) {
        let [yes, no] = sides.map(|side| side.map_or(base.clone(), |op| named(lines, &op)));
        return named(lines, &format!("arith.select {test}, {yes}, {no} : i32"));
    }
    // An op on one line: names count lines.
    let name = format!("%v{}", lines.lines().count());
    let body = |side: &Option<String>, of: &str| match side {
        Some(op) => format!("%in{of}{} = {op} scf.yield %in{of}{} : i32", &name[2..], &name[2..]),
        None => format!("scf.yield {base} : i32"),
    };
    let (yes, no) = (body(&sides[0], "a"), body(&sides[1], "b"));
    lines.push_str(&format!("    {name} = scf.if {test} -> (i32) {{ {yes} }} else {{ {no} }}\n"));
    name
}

#[test]
fn random_trees_mean_what_they_meant() {
    for seed in 0..120 {
        let (mut rng, mut lines) = (Rng::new(seed), String::new());
        let depth = 2 + seed as u32 % 3;
        let next = [tree(&mut rng, &mut lines, depth), tree(&mut rng, &mut lines, depth)];
        graph(&format!("{lines}    scf.yield {}, {} : i32, i32", next[0], next[1]));
    }
}
