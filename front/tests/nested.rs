//! Ifs at the end of ifs become ifs behind them, and mean what they meant.

use loom_dfg::OpKind;
use loom_front::compile::Aim;
use loom_testkit::differential;
use loom_testkit::programs::Call;

/// A loop over 16 words; `body` gives the next two values.
fn program(body: &str) -> String {
    format!(
        "func.func @f(%m: memref<16xi32>, %k: memref<16xi32>, %n: i32, %x: i32) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %mask = arith.constant 15 : i32
  %r:2 = scf.for %i = %c0 to %c16 step %c1 iter_args(%a = %x, %b = %n) -> (i32, i32) {{
    %w = memref.load %m[%i] : memref<16xi32>
    %c = arith.cmpi ne, %w, %zero : i32
    %in = arith.andi %w, %mask : i32
    %at = arith.index_cast %in : i32 to index
{body}
    scf.yield %q#0, %q#1 : i32, i32
  }}
  %u = arith.xori %r#0, %r#1 : i32
  return %u : i32
}}
"
    )
}

/// Branches, and choices, of the graph, after all models agreed.
fn ops(body: &str) -> [usize; 2] {
    let words = |k: u64| (0..16u64).map(|i| if i % 3 == 0 { 0 } else { i * i * k % 29 }).collect();
    let calls = [(0, 5), (4, 1000), (9, 0xffff_fff0), (3, 7)].map(|(n, x)| Call::of(&[0, 1], &[n, x]));
    let graph =
        differential::agreed_for(Aim::Speed, &program(body), vec![words(3), words(7)], calls.to_vec());
    let count = |of: fn(OpKind) -> bool| graph.node_ids().filter(|&n| of(graph.kind(n))).count();
    [count(|k| k == OpKind::CondBr), count(|k| matches!(k, OpKind::Mux(_)))]
}

/// `if (w && k[w] > b) { many ops }`: a division keeps the inner one an if.
fn body(skip: &str, condition: &str) -> String {
    let then = "%e = arith.divsi %a, %v : i32
      %g = arith.addi %b, %e : i32
      scf.yield %e, %g : i32, i32";
    let [yes, no] = if condition == "sgt" { [then, skip] } else { [skip, then] };
    format!(
        "    %q:2 = scf.if %c -> (i32, i32) {{
      %v = memref.load %k[%at] : memref<16xi32>
      %p = arith.cmpi {condition}, %v, %b : i32
      %s:2 = scf.if %p -> (i32, i32) {{
      {yes}
      }} else {{
      {no}
      }}
      scf.yield %s#0, %s#1 : i32, i32
    }} else {{
      scf.yield %a, %b : i32, i32
    }}"
    )
}

#[test]
fn what_a_loop_carries_passes_one_branch() {
    // The loop's own, one for each value carried and used, and one for the subscript and the array of the load.
    let behind = ops(&body("scf.yield %a, %b : i32, i32", "sgt"));
    assert_eq!(behind, ops(&body("scf.yield %a, %b : i32, i32", "sle")));
    let other = ops(&body("scf.yield %b, %a : i32, i32", "sgt"));
    assert!(behind.iter().sum::<usize>() < other.iter().sum(), "{behind:?} {other:?}");
}

#[test]
fn accesses_stay_where_they_are() {
    let store = |yields: &str| {
        let body = body(yields, "sgt");
        body.replace("%g = arith", "memref.store %e, %k[%i] : memref<16xi32>\n %g = arith")
    };
    let kept = ops(&store("scf.yield %a, %b : i32, i32"));
    assert_eq!(kept, ops(&store("scf.yield %b, %a : i32, i32")));
}
