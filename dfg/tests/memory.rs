//! Memories in the interpreter: order through done tokens, aliasing, activations, addresses out of range.

use loom_base::Source;
use loom_dfg::graph::MemoryId;
use loom_dfg::interp::{
    run_with_memories, Binding, InterpOptions, Leftover, Memories, RunEnd, Storage, ADDRESS_OUT_OF_RANGE,
};
use loom_dfg::{parse, Graph, Op, OpKind, Ports, Type};

fn graph(text: &str) -> Graph {
    let source = Source::new("test.dfg.mlir", text);
    parse(&source).unwrap_or_else(|problems| {
        panic!("{}", problems.iter().map(|d| d.render(&source)).collect::<String>())
    })
}

/// `for i in lb..ub { A[i] += x }`, the serial order of one memory.
const BUMP: &str = r#"
handshake.func @bump(%lb: index, %step: index, %ub: index, %x: i32, %A: memref<?xi32>, %ctl: none, ...) -> (none)
    attributes {argNames = ["lb", "step", "ub", "x", "A", "ctl"], resNames = ["done"]} {
  %idx, %rc = "dataflow.stream"(%lb, %step, %ub) {step_op = "+=", cont_cond = "<"} : (index, index, index) -> (index, i1)
  %i, %ac = "dataflow.gate"(%idx, %rc) : (index, i1) -> (index, i1)
  %c:3 = fork [3] %ac : i1
  %i_f:2 = fork [2] %i : index
  %body = "dataflow.carry"(%c#0, %ctl, %fb) : (i1, none, none) -> none
  %xi = "dataflow.invariant"(%c#1, %x) : (i1, i32) -> i32
  %m:3 = extmemory[ld = 1, st = 1] (%A : memref<?xi32>) (%sd, %sa, %la) {id = 0 : i32} : (i32, index, index) -> (i32, none, none)
  %old, %la = load [%i_f#0] %m#0, %body : index, i32
  %new = arith.addi %old, %xi : i32
  %sd, %sa = store [%i_f#1] %new, %m#2 : index, i32
  %fb, %exit = cond_br %c#2, %m#1 : none
  return %exit : none
}"#;

/// `for i in lb..ub { B[i] = A[i] + x }` for arguments that may be the same memory.
const COPY: &str = r#"
handshake.func @copy(%A: memref<?xi32>, %lb: index, %step: index, %ub: index, %x: i32, %B: memref<?xi32>, %ctl: none, ...) -> (none) {
  %idx, %rc = "dataflow.stream"(%lb, %step, %ub) {step_op = "+=", cont_cond = "<"} : (index, index, index) -> (index, i1)
  %i, %ac = "dataflow.gate"(%idx, %rc) : (index, i1) -> (index, i1)
  %c:3 = fork [3] %ac : i1
  %i_f:2 = fork [2] %i : index
  %body = "dataflow.carry"(%c#0, %ctl, %fb) : (i1, none, none) -> none
  %xi = "dataflow.invariant"(%c#1, %x) : (i1, i32) -> i32
  %d, %ad = extmemory[ld = 1, st = 0] (%A : memref<?xi32>) (%la) {id = 0 : i32} : (index) -> (i32, none)
  %bd = extmemory[ld = 0, st = 1] (%B : memref<?xi32>) (%sd, %sa) {id = 1 : i32} : (i32, index) -> (none)
  %old, %la = load [%i_f#0] %d, %body : index, i32
  %new = arith.addi %old, %xi : i32
  %sd, %sa = store [%i_f#1] %new, %ad : index, i32
  %fb, %exit = cond_br %c#2, %bd : none
  return %exit : none
}"#;

fn bump_inputs(trips: u64, xs: &[u64]) -> Vec<Vec<u64>> {
    let n = xs.len();
    vec![vec![0; n], vec![1; n], vec![trips; n], xs.to_vec(), vec![0; n]]
}

#[test]
fn a_chain_of_loads_and_stores_under_many_schedules() {
    let graph = graph(BUMP);
    assert_eq!(graph.activation_gate(), Some((4, 0)));
    for seed in 0..50 {
        for memory_delay in [0, 60, 100] {
            let options = InterpOptions { seed, memory_delay, ..InterpOptions::default() };
            let mut memories = Memories::new(&graph, vec![vec![10, 20, 30]]);
            let outcome = run_with_memories(&graph, &bump_inputs(3, &[1, 2, 4]), &mut memories, &options);
            assert!(outcome.is_complete(), "{seed} {:?}", outcome);
            assert_eq!(memories.buffers, [[17, 27, 37]]);
            assert_eq!(outcome.outputs, [[0, 0, 0]]);
            let (_, node, _) = graph.memory_nodes().next().unwrap();
            assert_eq!(outcome.firings[node.0 as usize], 18, "nine loads and nine stores");
        }
    }
}

#[test]
fn overlapping_activations_go_wrong_and_kept_apart_do_not() {
    let graph = graph(BUMP);
    let inputs = bump_inputs(1, &[1, 2, 4, 8]);
    let mut wrong_and_complete = 0;
    for seed in 0..50 {
        let run = |overlap_activations| {
            let options =
                InterpOptions { seed, memory_delay: 50, overlap_activations, ..InterpOptions::default() };
            let mut memories = Memories::new(&graph, vec![vec![100]]);
            let outcome = run_with_memories(&graph, &inputs, &mut memories, &options);
            (outcome.is_complete(), memories.buffers[0][0])
        };
        assert_eq!(run(false), (true, 115), "seed {seed}");
        let (complete, word) = run(true);
        wrong_and_complete += usize::from(complete && word != 115);
    }
    assert!(wrong_and_complete > 0, "the rule is not needed?");
}

#[test]
fn arguments_may_share_words() {
    let graph = graph(COPY);
    for seed in 0..50 {
        let options = InterpOptions { seed, memory_delay: 30, ..InterpOptions::default() };
        let inputs = [vec![0], vec![1], vec![4], vec![3], vec![0]];
        // B is A one word further on: each iteration reads what the one before wrote.
        let whole = |offset| Binding { buffer: 0, offset, words: 4 };
        let mut memories =
            Memories { buffers: vec![vec![5, 0, 0, 0, 0]], bindings: vec![whole(0), whole(1)] };
        let outcome = run_with_memories(&graph, &inputs, &mut memories, &options);
        assert!(outcome.is_complete(), "{seed} {:?}", outcome);
        assert_eq!(memories.buffers, [[5, 8, 11, 14, 17]]);
        assert_eq!(memories.words(loom_dfg::MemoryId(1)), [8, 11, 14, 17]);
    }
}

#[test]
fn an_address_out_of_range_is_an_error() {
    let graph = graph(BUMP);
    for seed in 0..20 {
        let mut memories = Memories::new(&graph, vec![vec![1, 1]]);
        let options = InterpOptions { seed, ..InterpOptions::default() };
        let outcome = run_with_memories(&graph, &bump_inputs(3, &[1, 1]), &mut memories, &options);
        let RunEnd::RuntimeError { error, code, node } = outcome.stop else { panic!("{:?}", outcome.stop) };
        assert_eq!((error, code), ADDRESS_OUT_OF_RANGE);
        assert!(matches!(graph.kind(node), OpKind::Extmemory(_)));
        assert_eq!(memories.buffers, [[2, 2]]);
        let withheld = |l: &Leftover| matches!(l, Leftover::Withheld { count: 1, .. });
        assert!(outcome.leftover.iter().any(withheld), "the second entry token was never offered");
        outcome.leftover.iter().for_each(|l| drop(l.describe(&graph)));
    }
}

#[test]
fn private_memories_start_with_their_words() {
    let text = r#"handshake.func @table(%a: index, %ctl: none, ...) -> (i16, none) {
      %d, %done = memory[ld = 1, st = 0] (%la) {id = 3 : i32, lsq = false, loom.name = "t", loom.init = array<i64: 7, -2>} : memref<2xi16>, (index) -> (i16, none)
      %v, %la = load [%a] %d, %ctl : index, i16
      return %v, %done : i16, none
    }"#;
    let graph = graph(text);
    assert_eq!(graph.activation_gate(), None);
    let mut memories = Memories::new(&graph, Vec::new());
    let inputs = [vec![1, 0, 1], vec![0; 3]];
    let outcome = run_with_memories(&graph, &inputs, &mut memories, &InterpOptions::default());
    assert!(outcome.is_complete());
    assert_eq!(outcome.outputs[0], [0xfffe, 7, 0xfffe]);
}

/// The store waits for its own done token: the memory in between does not hide that.
#[test]
fn a_dead_cycle_through_a_memory_is_found() {
    let text = BUMP
        .replace("store [%i_f#1] %new, %m#2", "store [%i_f#1] %new, %m#1")
        .replace("%c#2, %m#1", "%c#2, %m#2");
    let problems = parse(&Source::new("dead", text)).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].code.id, "D0017");
}

#[test]
fn verify_takes_any_graph() {
    for kind in [OpKind::Mux(0), OpKind::Join(0), OpKind::Memory(Ports { loads: 0, stores: 0 })] {
        let mut graph = Graph::new(loom_base::Name::new("f").unwrap());
        let a = graph.add_argument("a", Type::I1);
        let operands = vec![a; kind.operand_count()];
        let node = graph.add_node(Op::Plain(kind), &operands, &vec![Type::I1; kind.result_count()]);
        if kind.result_count() > 0 {
            let result = graph.result(node, 0);
            graph.add_output("out", result);
        }
        assert!(!loom_dfg::verify(&graph).is_empty());
        let _ = kind.check_types(&vec![Type::I1; kind.operand_count()], &vec![Type::I1; kind.result_count()]);
        let _ = loom_dfg::interp::run(
            &graph,
            &[vec![0, 1]],
            &InterpOptions { max_steps: 10, ..InterpOptions::default() },
        );
    }
}

/// Words somewhere else, of which one is not there; and what was asked.
struct Elsewhere {
    missing: u64,
    asked: Vec<(bool, usize, u64)>,
}

impl Storage for Elsewhere {
    fn load(&mut self, _: MemoryId, port: usize, address: u64) -> Option<u64> {
        self.asked.push((false, port, address));
        (address != self.missing).then_some(100 + address)
    }

    fn store(&mut self, _: MemoryId, port: usize, address: u64, word: u64) -> bool {
        self.asked.push((true, port, address));
        assert_eq!(word, 107 + address);
        address != self.missing
    }
}

/// Each access asks once, in the order of the graph; the one that nobody answers is the error, and the run ends there if it
/// shall. Otherwise the stream goes on alone.
#[test]
fn a_word_that_is_not_there_ends_the_run() {
    let graph = graph(BUMP);
    for seed in 0..5 {
        let run = |stop_at_error| {
            let mut storage = Elsewhere { missing: 3, asked: Vec::new() };
            let options = InterpOptions { seed, stop_at_error, max_steps: 20_000, ..Default::default() };
            let outcome = run_with_memories(&graph, &bump_inputs(1 << 20, &[7]), &mut storage, &options);
            let before = (0..3).flat_map(|at| [(false, 0, at), (true, 0, at)]);
            assert_eq!(storage.asked, before.chain([(false, 0, 3)]).collect::<Vec<_>>());
            outcome
        };
        let (stopped, ran_on) = (run(true), run(false));
        let RunEnd::RuntimeError { error, code, node } = stopped.stop else { panic!("{:?}", stopped.stop) };
        assert_eq!((error, code), ADDRESS_OUT_OF_RANGE);
        assert!(matches!(graph.node(node).op, Op::Memory(..)));
        let pairs = [&stopped, &ran_on].map(|o| o.stream_activations[0].pairs);
        assert!(pairs[0] * 4 < pairs[1], "seed {seed}: {pairs:?}");
    }
}
