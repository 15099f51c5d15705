//! The op table is complete: every row reads, prints, checks its types and has its golden meaning.

use loom_base::{truncate, Rng, Source};
use loom_dfg::eval::eval_arith;
use loom_dfg::graph::{Graph, Node, Output, Value, ValueDef};
use loom_dfg::op::{Class, Hardware};
use loom_dfg::{
    parse, print, verify, ContCond, Counter, FloatPredicate, NodeId, Op, OpKind, Predicate, StepOp, Type,
    ValueId,
};
use std::collections::BTreeSet;

/// The op with some configuration.
fn configured(kind: OpKind) -> Op {
    match kind {
        OpKind::Cmpi => Op::Cmpi(Predicate::Slt),
        OpKind::Cmpf => Op::Cmpf(FloatPredicate::from_code(4).unwrap()),
        OpKind::Constant => Op::Constant(7),
        OpKind::Stream(counter) => Op::Stream(counter, ContCond::Lt),
        kind => Op::Plain(kind),
    }
}

/// A graph of the one op, every operand an argument and every result an output.
fn alone(kind: OpKind) -> Graph {
    let (operands, results) = kind.example_types();
    let mut g = Graph::new(loom_base::Name::new("one").unwrap());
    for (i, &ty) in operands.iter().enumerate() {
        g.values.push(Value { name: format!("a{i}"), ty, def: ValueDef::Argument(i) });
        g.arguments.push(ValueId(i as u32));
    }
    let first = operands.len() as u32;
    for (result, &ty) in results.iter().enumerate() {
        let def = ValueDef::Result { node: NodeId(0), result };
        g.values.push(Value { name: format!("r{result}"), ty, def });
        g.outputs.push(Output { name: format!("out{result}"), value: ValueId(first + result as u32) });
    }
    g.nodes.push(Node {
        op: configured(kind),
        operands: (0..first).map(ValueId).collect(),
        results: (first..first + results.len() as u32).map(ValueId).collect(),
        read_as: Vec::new(),
        covers: Vec::new(),
        span: None,
    });
    g
}

#[test]
fn every_row_reads_and_prints() {
    for &kind in OpKind::TABLE {
        let (operands, results) = kind.example_types();
        assert_eq!(kind.check_types(&operands, &results), Ok(()), "{kind}");
        assert_eq!(OpKind::named(kind.mnemonic()), Some(kind), "mnemonics are unique");
        assert!(!kind.meaning().is_empty() && !kind.meaning().ends_with('.'), "{kind}");
        // Memories and what stands at their ports need each other: the kernels have them.
        if matches!(kind.class(), Class::Access | Class::Memory) {
            continue;
        }
        let text = print(&alone(kind));
        assert!(text.contains(kind.mnemonic().trim_start_matches("handshake.")), "{text}");
        let again = parse(&Source::new("one", text.clone())).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
        assert!(verify(&again).is_empty());
        assert_eq!(print(&again), text);
        assert_eq!(again.nodes[0].op, configured(kind));
    }
}

/// Whatever the bits, arithmetic has a result, within the result's width.
#[test]
fn every_arithmetic_row_has_a_golden_meaning() {
    let mut rng = Rng::new(3);
    for &kind in OpKind::TABLE.iter().filter(|k| k.class() == Class::Arith) {
        let (operands, results) = kind.example_types();
        let mut seen = BTreeSet::new();
        for _ in 0..200 {
            let small = rng.chance(30);
            let mut bits = || if small { rng.below(40) as u64 } else { rng.next_u64() };
            let tokens: Vec<u64> = operands.iter().map(|t| truncate(bits(), t.width(32))).collect();
            let result = eval_arith(configured(kind), &operands, results[0], 32, &tokens);
            assert_eq!(result, truncate(result, results[0].width(32)), "{kind} {tokens:x?}");
            seen.insert(result);
        }
        assert!(seen.len() > 1, "{kind} gives the same for everything");
    }
}

#[test]
fn what_the_table_says_of_hardware_fits_together() {
    for &kind in OpKind::TABLE {
        assert_eq!(kind.hardware() == Hardware::Interface, kind.class() == Class::Memory, "{kind}");
        assert!(kind.class() == Class::Arith || !kind.is_speculatable(), "{kind}");
        assert!(!kind.is_iterative() || !kind.is_speculatable(), "{kind}");
        assert_eq!(kind.is_iterative(), kind.digit_cycles(Type::F32, 32).is_some(), "{kind}");
    }
    let steps = StepOp::ALL.map(|s| OpKind::Stream(Counter::unsigned(s)).example_types());
    assert!(steps.iter().all(|t| t.0 == [Type::Index; 3]));
}
