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
    least_cycles(&graph, inputs, &mut Memories::new(&graph, words), &Default::default(), &delays)
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
