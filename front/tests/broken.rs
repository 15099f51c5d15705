//! Each rule of the specification's correctness invariants, broken on purpose on a compiled graph: the checkers must say so.
//!
//! Rows of `dataflow-compilation.txt` (stream lengths, control sources, value routing) and `dataflow-memory.txt`
//! (access, path, domain, loop control, completion, order) each have an entry in the list of their test.

use loom_base::Source;
use loom_dfg::{Graph, MemoryId, NodeId, Op, OpKind, Type, ValueDef, ValueId};
use loom_front::compile::{compile, CompileOptions, Compiled};
use loom_front::invariants::{check, Rules};
use loom_front::lower::Lowered;
use loom_front::order::Order;

/// A nest that surely runs: the specification's own forms with after_cond.
const NEST: &str = r#"
func.func @nest(%a: memref<64xi32> {llvm.noalias}, %b: memref<64xi32> {llvm.noalias}, %x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (i32) {
    %v = memref.load %a[%i] : memref<64xi32>
    %w = arith.muli %v, %x : i32
    memref.store %w, %b[%i] : memref<64xi32>
    %u = memref.load %b[%i] : memref<64xi32>
    %next = arith.addi %acc, %u : i32
    scf.yield %next : i32
  }
  return %r : i32
}
"#;

/// A loop that may not run, with two memories and a fence behind it.
const FENCED: &str = r#"
func.func @fenced(%a: memref<?xi32> {llvm.noalias}, %b: memref<?xi32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xi32>
    memref.store %v, %a[%c1] : memref<?xi32>
  }
  "loom.fence"() : () -> ()
  %w = memref.load %b[%c0] : memref<?xi32>
  memref.store %w, %b[%c1] : memref<?xi32>
  return
}
"#;

fn compiled(text: &str, order: Order) -> Compiled {
    let source = Source::new("k.scf.mlir", text);
    let program = loom_front::parse(&source).unwrap_or_else(|d| panic!("{}", d[0].render(&source)));
    // As it is written: what is simplified away has no rules to break.
    compile(&program, &CompileOptions { order, only_needed: true, ..CompileOptions::default() })
        .unwrap_or_else(|d| panic!("{}", d[0].render(&source)))
}

/// The messages after a change.
fn complaints(compiled: &Compiled, order: Order, change: impl Fn(&mut Lowered)) -> Vec<String> {
    let mut lowered = compiled.lowered.clone();
    change(&mut lowered);
    let rules = Rules { func: &compiled.plain.func, deps: &compiled.plain.deps, order, index_width: 32 };
    check(&lowered, &rules).into_iter().map(|d| d.message).collect()
}

fn must_say(compiled: &Compiled, order: Order, what: &str, words: &str, change: impl Fn(&mut Lowered)) {
    assert_eq!(complaints(compiled, order, |_| {}), [""; 0], "before breaking `{what}`");
    let said = complaints(compiled, order, change);
    assert!(
        said.iter().any(|m| m.contains(words)),
        "`{what}` is broken and nobody says `{words}`: {said:#?}"
    );
}

fn nodes(graph: &Graph, kind: OpKind) -> Vec<NodeId> {
    graph.node_ids().filter(|&n| graph.kind(n) == kind).collect()
}

fn operand(graph: &Graph, node: NodeId, i: usize) -> ValueId {
    graph.node(node).operands[i]
}

/// (raw, after) of the only gate.
fn conditions(graph: &Graph) -> (ValueId, ValueId) {
    let gate = nodes(graph, OpKind::Gate)[0];
    (operand(graph, gate, 1), graph.result(gate, 1))
}

/// A node of a kind whose first operand is `d` and whose value type is `ty`.
fn driven(graph: &Graph, kind: OpKind, d: ValueId, ty: Type) -> NodeId {
    let found = nodes(graph, kind)
        .into_iter()
        .find(|&n| operand(graph, n, 0) == d && graph.value(operand(graph, n, 1)).ty == ty);
    found.expect("the graph has such a node")
}

fn access(lowered: &Lowered, is_store: bool, k: usize) -> NodeId {
    lowered.accesses.iter().filter(|a| a.is_store == is_store).nth(k).expect("such an access").node
}

fn producer(graph: &Graph, v: ValueId) -> NodeId {
    match graph.value(v).def {
        ValueDef::Result { node, .. } => node,
        ValueDef::Argument(_) | ValueDef::Literal(_) => panic!("no node makes it"),
    }
}

#[test]
fn stream_lengths_and_control_sources() {
    let serial = compiled(NEST, Order::Serial);
    let say = |what: &str, words: &str, change: &dyn Fn(&mut Graph)| {
        must_say(&serial, Order::Serial, what, words, |l| change(&mut l.graph));
    };
    say("body-local invariants are N", "with each", &|g| {
        let (raw, after) = conditions(g);
        let node = driven(g, OpKind::Invariant, after, Type::I32);
        g.set_operand(node, 0, raw);
    });
    say("iter_arg carries are N + 1", "in each iteration", &|g| {
        let (raw, after) = conditions(g);
        let node = driven(g, OpKind::Carry, raw, Type::I32);
        g.set_operand(node, 0, after);
    });
    say("loop-body memory control is N", "with each", &|g| {
        let (raw, after) = conditions(g);
        let node = driven(g, OpKind::Carry, after, Type::None);
        g.set_operand(node, 0, raw);
    });
    say("a body-only cond_br takes after_cond", "N + 1 times", &|g| {
        let (raw, after) = conditions(g);
        let node = driven(g, OpKind::CondBr, after, Type::None);
        g.set_operand(node, 0, raw);
    });
    say("loop exit values come from the false branch", "result `r0` comes in each iteration", &|g| {
        let (raw, _) = conditions(g);
        let split = driven(g, OpKind::CondBr, raw, Type::I32);
        g.outputs[0].value = g.result(split, 0);
    });
    say("no body consumer sees the terminal event", "with each", &|g| {
        let gate = nodes(g, OpKind::Gate)[0];
        let (index, body) = (operand(g, gate, 0), g.result(gate, 0));
        let load = nodes(g, OpKind::Load)[0];
        assert_eq!(operand(g, load, 0), body);
        g.set_operand(load, 0, index);
    });
    say("body control is the entry token, not after_cond", "too late for its iteration", &|g| {
        let (_, after) = conditions(g);
        let join = g.add_node(Op::Plain(OpKind::Join(1)), &[after], &[Type::None]);
        let token = g.result(join, 0);
        let load = nodes(g, OpKind::Load)[0];
        g.set_operand(load, 2, token);
    });
    say("an invariant keeps no stale seed when the loop may not run", "may run no iteration", &|g| {
        let stream = g.node_ids().find(|&n| matches!(g.kind(n), OpKind::Stream(_))).unwrap();
        let bound = operand(g, stream, 2);
        let constant = producer(g, bound);
        g.nodes[constant.0 as usize].op = Op::Constant(0);
    });
}

#[test]
fn access_and_path() {
    let serial = compiled(NEST, Order::Serial);
    let say = |what: &str, words: &str, change: &dyn Fn(&mut Lowered)| {
        must_say(&serial, Order::Serial, what, words, change);
    };
    say("every access has one control input", "has no control token", &|l| {
        let load = access(l, false, 0);
        let address = operand(&l.graph, load, 0);
        l.graph.set_operand(load, 2, address);
    });
    say("every access has one done token", "is not wired to one port", &|l| {
        // The address of one load goes to the port of the other as well.
        let (first, second) = (access(l, false, 0), access(l, false, 1));
        let address = l.graph.result(first, 1);
        let other = l.graph.result(second, 1);
        for node in &mut l.graph.nodes {
            for v in node.operands.iter_mut().filter(|v| **v == other) {
                *v = address;
            }
        }
    });
    say("every load has one data connection", "on another port than its address", &|l| {
        let (first, second) = (access(l, false, 0), access(l, false, 1));
        let data = operand(&l.graph, second, 1);
        l.graph.set_operand(first, 1, data);
    });
    say("every access belongs to one group", "memory of another group", &|l| {
        l.accesses[0].memory = MemoryId(1 - l.accesses[0].memory.0);
    });
    say("no access without a record", "belongs to no access of the program", &|l| {
        l.accesses.pop();
    });
    say("every access carries its nesting path", "nesting path", &|l| {
        l.accesses[0].path.clear();
    });
}

#[test]
fn order_domain_and_completion() {
    for order in [Order::Serial, Order::Pipelined] {
        let nest = compiled(NEST, order);
        must_say(&nest, order, "order follows the program", "is not waited for by", |l| {
            // The load of b no longer waits for the store before it.
            let (store, load) = (access(l, true, 0), access(l, false, 1));
            let control = operand(&l.graph, store, 2);
            l.graph.set_operand(load, 2, control);
        });
        must_say(&nest, order, "groups are independent", "of another group", |l| {
            let memory = nodes_of_memory(&l.graph, 0);
            let (OpKind::Memory(p) | OpKind::Extmemory(p)) = l.graph.kind(memory) else { panic!() };
            let done_a = l.graph.result(memory, p.load_done(0));
            let store = access(l, true, 0);
            let control = operand(&l.graph, store, 2);
            let join = l.graph.add_node(Op::Plain(OpKind::Join(2)), &[control, done_a], &[Type::None]);
            let both = l.graph.result(join, 0);
            l.graph.set_operand(store, 2, both);
        });
        must_say(&nest, order, "the return token waits for every done", "completion invariant", |l| {
            let last = l.graph.outputs.len() - 1;
            let join = producer(&l.graph, l.graph.outputs[last].value);
            l.graph.outputs[last].value = operand(&l.graph, join, 0);
        });
        let fenced = compiled(FENCED, order);
        must_say(&fenced, order, "a fence holds every domain", "is not fenced off from", |l| {
            let ctl = *l.graph.arguments.last().unwrap();
            let load = l.accesses.iter().filter(|a| !a.is_store).nth(1).unwrap().node;
            l.graph.set_operand(load, 2, ctl);
        });
        must_say(&fenced, order, "loop-carried order", "is not waited for by", |l| {
            // The body's entry comes again without waiting for the done of the iteration before.
            let load = access(l, false, 0);
            let split = producer(&l.graph, operand(&l.graph, load, 2));
            let carry = producer(&l.graph, operand(&l.graph, split, 1));
            let (d, seed) = (operand(&l.graph, carry, 0), operand(&l.graph, carry, 1));
            let copies = l.graph.add_node(Op::Plain(OpKind::Invariant), &[d, seed], &[Type::None]);
            let copies = l.graph.result(copies, 0);
            let again = l.graph.add_node(Op::Plain(OpKind::CondBr), &[d, copies], &[Type::None, Type::None]);
            let again = l.graph.result(again, 0);
            l.graph.set_operand(load, 2, again);
        });
    }
}

fn nodes_of_memory(graph: &Graph, id: u32) -> NodeId {
    graph.memory_nodes().find(|m| m.0 == MemoryId(id)).expect("a node for each memory").1
}
