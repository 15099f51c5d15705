//! The earliest times of small graphs, counted by hand.

use loom_base::Source;
use loom_dfg::interp::{least_cycles, Delays, Memories};

/// Fewest cycles of a graph whose named values come out of so many stages.
fn cycles(text: &str, inputs: &[Vec<u64>], stages: &[(&str, u64)]) -> Option<u64> {
    let text = format!("handshake.func @f{text}");
    let source = Source::new("f.dfg.mlir", text);
    let graph = loom_dfg::parse(&source).unwrap_or_else(|d| panic!("{}", d[0].render(&source)));
    let mut delays = Delays::none(&graph);
    for (at, value) in delays.stages.iter_mut().zip(&graph.values) {
        *at = stages.iter().find(|(name, _)| *name == value.name).map_or(0, |(_, stages)| *stages);
    }
    let words = graph.memories.iter().map(|_| (0..64).collect()).collect();
    let memories = &mut Memories::new(&graph, words);
    let (_, cycles) = least_cycles(&graph, inputs, memories, &Default::default(), &[delays]);
    cycles.map(|c| c[0])
}

#[test]
fn tokens_come_one_a_cycle_and_stages_add_to_the_last() {
    let add = "(%a: i32, %b: i32) -> (i32) {\n%c = arith.addi %a, %b : i32\nreturn %c : i32\n}";
    let inputs = [vec![1, 2, 3], vec![4, 5, 6]];
    assert_eq!(cycles(add, &inputs, &[]), Some(3));
    assert_eq!(cycles(add, &inputs, &[("c", 4)]), Some(7));
    assert_eq!(cycles(add, &[vec![1], vec![]], &[]), None, "it never ends");
}

#[test]
fn a_loop_takes_its_own_way_round_in_each_iteration() {
    // The sum of 0..n: the stream counts from the second cycle on.
    let sum = "(%lb: index, %step: index, %n: index, %init: index) -> (index) {
  %idx, %cont = \"dataflow.stream\"(%lb, %step, %n) {step_op = \"+=\", cont_cond = \"<\"} : (index, index, index) -> (index, i1)
  %rc:3 = fork [3] %cont : i1
  %i, %ac = \"dataflow.gate\"(%idx, %rc#0) : (index, i1) -> (index, i1)
  sink %ac : i1
  %acc = \"dataflow.carry\"(%rc#1, %init, %next) : (i1, index, index) -> index
  %body, %exit = cond_br %rc#2, %acc : index
  %next = arith.addi %body, %i : index
  return %exit : index
}";
    for (n, stages, least) in [(0, 0, 2), (10, 0, 12), (10, 3, 32), (1, 3, 5)] {
        let inputs = [vec![0], vec![1], vec![n], vec![0]];
        assert_eq!(cycles(sum, &inputs, &[("next", stages)]), Some(least), "{n} {stages}");
    }
}

#[test]
fn what_data_leave_out_is_not_certain_and_activations_are_counted() {
    // Twice %x where it is odd, in each of 0..n.
    let text = "handshake.func @f(%lb: index, %step: index, %n: index, %init: index) -> (index) {
  %idx, %cont = \"dataflow.stream\"(%lb, %step, %n) {step_op = \"+=\", cont_cond = \"<\"} : (index, index, index) -> (index, i1)
  %rc:3 = fork [3] %cont : i1
  %i, %ac = \"dataflow.gate\"(%idx, %rc#0) : (index, i1) -> (index, i1)
  sink %ac : i1
  %acc = \"dataflow.carry\"(%rc#1, %init, %next) : (i1, index, index) -> index
  %body, %exit = cond_br %rc#2, %acc : index
  %word = arith.index_cast %i : index to i32
  %bit = arith.trunci %word : i32 to i1
  %is:2 = fork [2] %bit : i1
  %odd, %even = cond_br %is#0, %body : index
  %both:2 = fork [2] %odd : index
  %twice = arith.addi %both#0, %both#1 : index
  %next = mux %is#1 [%even, %twice] : i1, index
  return %exit : index
}";
    let source = Source::new("f.dfg.mlir", text);
    let graph = loom_dfg::parse(&source).unwrap_or_else(|d| panic!("{}", d[0].render(&source)));
    let node = |name: &str| {
        let gives =
            |n: &loom_dfg::NodeId| graph.node(*n).results.iter().any(|&v| graph.value(v).name == name);
        graph.node_ids().find(gives).expect("a node")
    };
    let (all, certain) = (loom_dfg::Rates::new(&graph), loom_dfg::Rates::certain(&graph));
    for (name, is_certain) in
        [("idx", true), ("i", true), ("body", true), ("odd", true), ("next", true), ("twice", false)]
    {
        assert_eq!(all.node(node(name)), all.node(node("acc")), "{name}");
        assert_eq!(certain.node(node(name)) == certain.node(node("acc")), is_certain, "{name}");
    }
    let inputs = [vec![0, 0], vec![1, 1], vec![4, 6], vec![1, 1]];
    let outcome = loom_dfg::interp::run(&graph, &inputs, &Default::default());
    assert_eq!(outcome.outputs, [[4, 8]]);
    for (name, count) in [("idx", 2), ("acc", 2), ("i", 2), ("next", 0)] {
        assert_eq!(outcome.activations[node(name).0 as usize], count, "{name}");
    }
    assert_eq!(outcome.firings[node("acc").0 as usize], 5 + 7);
}
