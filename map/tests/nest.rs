//! The loops of a graph: how often they turn, and what a turn runs through.

use crate::common;
use loom_dfg::profile::Said;
use loom_dfg::{Graph, Profile};
use loom_map::timing::nest::{LoopIndex, Nest};
use loom_map::timing::recurrence::{cycles, Slowest};

/// The node that gives a value.
fn node(graph: &Graph, value: &str) -> usize {
    let gives = |n: &loom_dfg::Node| n.results.iter().any(|&v| graph.value(v).name == *value);
    graph.nodes.iter().position(gives).unwrap_or_else(|| panic!("nothing gives `{value}`"))
}

fn turns(graph: &Graph, nest: &Nest, value: &str) -> f64 {
    nest.turns(nest.node(node(graph, value)))
}

#[test]
fn an_inner_loop_turns_in_every_turn_of_the_outer_one() {
    let graph = common::kernel("nested");
    let nest = Nest::new(&graph);
    assert_eq!(turns(&graph, &nest, "zero"), 1.0);
    assert_eq!(turns(&graph, &nest, "oacc"), 16.0);
    assert_eq!(turns(&graph, &nest, "scaled"), 16.0);
    assert_eq!(turns(&graph, &nest, "next"), 256.0);
    // What leaves the inner loop comes once in a turn of the outer one.
    let exit = graph.values.iter().position(|v| v.name == *"inner_exit").expect("it is there");
    let of = nest.with_rate(nest.rates.value(loom_dfg::ValueId(exit as u32))).expect("a loop");
    assert_eq!(nest.turns(of), 16.0);
    let ten_each = nest.cycles(|l| if nest.turns(l) == 16.0 { 10.0 } else { 0.0 });
    assert!((ten_each / 160.0).fract() == 0.0 && ten_each > 0.0, "{ten_each}");
}

#[test]
fn constant_operands_of_a_stream_say_how_often_it_turns() {
    let text =
        std::fs::read_to_string(common::root().join("kernels/nested/nested.dfg.mlir")).expect("a kernel");
    for (condition, step, expected) in
        [("<", 1, 3), ("<=", 1, 4), ("<", 2, 2), ("!=", 3, 1), ("<", 0, 1), (">", 1, 1)]
    {
        let stream = "(%zero_in, %one_in, %m_body) {step_op = \"+=\", cont_cond = \"<\"}";
        let fixed = format!("(%zero_in, %one_in, %bound) {{step_op = \"+=\", cont_cond = \"{condition}\"}}");
        let text = text
            .replace(stream, &fixed)
            // What bounded the loop leaves the graph instead, so that it still does something.
            .replace("sink %m_end", "sink %m_body")
            .replace("-> (i32)\n", "-> (i32, index)\n")
            .replace("resNames = [\"acc\"]", "resNames = [\"acc\", \"m_end\"]")
            .replace("return %acc_exit : i32", "return %acc_exit, %m_end : i32, index")
            .replace("%c:3 = fork [3]", "%c:4 = fork [4]")
            .replace(
                "{value = 1 : index} : index\n  %three",
                &format!("{{value = {step} : index}} : index\n  %three"),
            )
            .replace("  %i32 =", "  %bound = constant %c#3 {value = 3 : index} : index\n  %i32 =");
        let graph = common::graph(&text);
        let nest = Nest::new(&graph);
        assert_eq!(turns(&graph, &nest, "next"), f64::from(16 * expected), "{condition} {step}");
    }
}

#[test]
fn a_profile_says_how_often_loops_turn() {
    let mut graph = common::kernel("nested");
    let condition = |stream: &str| {
        let node = &graph.nodes[node(&graph, stream)];
        graph.value(node.results[1]).name.clone()
    };
    // Three rows of seven in all, each but the last of which goes on to another.
    let said = [(condition("oi"), Said { no: 1, yes: 3 }), (condition("ii"), Said { no: 3, yes: 7 })];
    graph.profile = Profile::new(said.into_iter());
    let nest = Nest::new(&graph);
    assert_eq!(turns(&graph, &nest, "oacc"), 4.0);
    assert_eq!(turns(&graph, &nest, "next"), 10.0);
    assert_eq!(nest.each(nest.node(node(&graph, "next"))), 7.0 / 3.0);
}

#[test]
fn a_turn_of_an_outer_loop_runs_through_the_inner_one() {
    let graph = common::kernel("nested");
    let nest = Nest::new(&graph);
    let slowest = Slowest::new(&graph, &nest);
    let turn = |of: LoopIndex| slowest.turn(of, &|_| 1, (1, 1));
    // oacc, its branch, iacc, its branch; and iacc, its branch, next.
    assert_eq!(turn(nest.node(node(&graph, "oacc"))), (4, 1));
    assert_eq!(turn(nest.node(node(&graph, "next"))), (3, 1));
    assert_eq!(turn(nest.node(node(&graph, "zero"))), (1, 1));
    // Listed ones say the same.
    for (value, edges) in [("oacc", 4), ("next", 3)] {
        let of = nest.node(node(&graph, value));
        let all = cycles(&graph, &nest, usize::MAX);
        let longest = all.iter().filter(|c| c.in_loop == of).map(|c| c.edges.len()).max();
        assert_eq!(longest, Some(edges), "{value}");
    }
}
