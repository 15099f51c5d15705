//! Whole graphs on a fabric made for each: one PE an op, one switch a fan-out, one FIFO an edge. Kernels and random
//! graphs give what the golden model gives, under stalls, whatever the FIFOs' depths.

use crate::common::*;
use loom_adg::model::*;
use loom_adg::{Component, Mux, PeConfig};
use loom_base::stall::Stalls;
use loom_base::{truncate, Rng, Source};
use loom_dfg::graph::Use;
use loom_dfg::interp::{run as golden, InterpOptions};
use loom_dfg::op::Class;
use loom_dfg::{Graph, Op, OpKind, Type, ValueDef};
use loom_sim::{Case, Limits, NativeModel, Stimulus};
use loom_testkit::graphs::{random_graph, RandomGraphOptions};
use std::path::Path;

fn settings(op: Op, result: Type) -> Vec<u64> {
    match op {
        Op::Cmpi(p) => vec![p as u64],
        Op::Cmpf(p) => vec![u64::from(p.code())],
        Op::Constant(bits) => vec![truncate(bits, result.width(32))],
        Op::Stream(counter, cond) if counter.is_unsigned() => vec![cond.one_hot(), 1],
        Op::Stream(_, cond) => vec![cond.one_hot()],
        Op::Plain(OpKind::Join(n)) => vec![if n == 64 { u64::MAX } else { (1 << n) - 1 }],
        Op::Plain(_) | Op::Memory(..) => vec![],
    }
}

/// The fabric of a graph, configured.
fn elaborate(graph: &Graph, rng: &mut Rng) -> NativeModel {
    let mut b = Bench::new();
    let uses = graph.uses();
    let types = |list: &[loom_dfg::ValueId]| list.iter().map(|&v| graph.value(v).ty).collect::<Vec<Type>>();
    let mut configs = Vec::new();
    let pes: Vec<usize> = graph
        .nodes
        .iter()
        .map(|node| {
            let fu = FunctionUnit::single("f", node.op.kind(), &types(&node.operands), &types(&node.results));
            let buffers = rng.chance(20);
            let outputs =
                (0..node.results.len())
                    .map(|r| {
                        if uses[node.results[r].0 as usize].is_empty() {
                            Mux::Discard(0)
                        } else {
                            Mux::Port(r)
                        }
                    })
                    .collect();
            let inputs = (0..node.operands.len()).map(Mux::Port).collect();
            let pe = b.add(Component::SpatialPe(pe_of(fu, buffers)));
            configs.push((
                pe,
                PeConfig {
                    opcode: 0,
                    inputs,
                    outputs,
                    payload: settings(node.op, graph.value(node.results[0]).ty),
                    immediates: Vec::new(),
                },
            ));
            pe
        })
        .collect();
    let mut switches = Vec::new();
    for (v, value) in graph.values.iter().enumerate() {
        let ty = channel(value.ty);
        let users = &uses[v];
        let from = match value.def {
            ValueDef::Argument(_) => {
                // A buffer stands behind every argument, so that the fan-out has an instance to start from.
                let buffer = b.add(Component::Fifo(Fifo { ty, depth: 2, kind: FifoKind::Registered }));
                b.input(ty, buffer, 0);
                (buffer, 0)
            }
            ValueDef::Result { node, result } => (pes[node.0 as usize], result),
            ValueDef::Literal(_) => panic!("the graphs have no immediates"),
        };
        if users.is_empty() {
            if let ValueDef::Argument(_) = value.def {
                let fu = single(OpKind::Constant, &[Type::None], &[Type::I32]);
                let drain = SpatialPe { inputs: vec![ty], ..pe_of(fu, false) };
                let pe = b.add(Component::SpatialPe(drain));
                b.wire(from, (pe, 0));
                let (inputs, outputs) = (vec![Mux::Discard(0)], vec![Mux::Disconnect]);
                configs.push((
                    pe,
                    PeConfig { opcode: 0, inputs, outputs, payload: vec![0], immediates: vec![] },
                ));
            }
            continue;
        }
        let fan_out = (users.len() > 1).then(|| {
            let n = users.len();
            let sw = b.add(Component::SpatialSw(SpatialSw {
                inputs: vec![ty],
                outputs: vec![ty; n],
                connectivity: vec![vec![true]; n],
                decomposable_bits: None,
            }));
            switches.push((sw, n));
            b.wire(from, (sw, 0));
            sw
        });
        for (k, user) in users.iter().enumerate() {
            let from = fan_out.map_or(from, |sw| (sw, k));
            let edge =
                b.add(Component::Fifo(Fifo { ty, depth: 1 + rng.below(6), kind: FifoKind::Registered }));
            b.wire(from, (edge, 0));
            match *user {
                Use::Operand { node, operand } => b.wire((edge, 0), (pes[node.0 as usize], operand)),
                Use::Output(k) => {
                    let from = End::Instance { instance: edge, port: 0 };
                    b.adg.top.connections.push(Connection { from, to: End::Body(k) });
                }
            }
        }
    }
    b.adg.top.outputs = graph
        .outputs
        .iter()
        .map(|o| Port { name: o.name.clone(), ty: channel(graph.value(o.value).ty) })
        .collect();
    b.model(|s| {
        configs.iter().for_each(|(pe, config)| s.write(*pe, config));
        switches.iter().for_each(|&(sw, n)| (0..n).for_each(|o| s.route(sw, o, 0)));
    })
    .unwrap()
}

/// Arguments are added in value order, which is argument order for parsed and for random graphs.
fn compare(graph: &Graph, inputs: &[Vec<u64>], model: &mut NativeModel, stalls: &Stalls, what: &str) {
    let want = golden(graph, inputs, &InterpOptions::default());
    assert!(want.is_complete(), "{what}");
    let stimulus = Stimulus {
        inputs: inputs.iter().map(|l| values(l)).collect(),
        expected: want.outputs.iter().map(Vec::len).collect(),
        gate: None,
    };
    let trace = model.run(&stimulus, stalls, &Limits::default());
    assert!(trace.completed, "{what}: {:?}", trace.waiting);
    assert!(trace.idle && trace.leftover.is_empty(), "{what}: {:?}", trace.leftover);
    assert_eq!(data(&trace), want.outputs, "{what}");
}

#[test]
fn kernels_on_their_own_fabrics() {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels");
    let read = |p: &Path| Source::new(p.display().to_string(), std::fs::read_to_string(p).unwrap());
    for folder in std::fs::read_dir(kernels).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()) {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let text = folder.join(format!("{name}.dfg.mlir"));
        if !text.exists() {
            continue;
        }
        let graph = loom_dfg::parse(&read(&text)).unwrap();
        let mut model = elaborate(&graph, &mut Rng::new(1));
        for file in std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()) {
            if file.extension().is_some_and(|e| e == "toml") {
                let case = Case::read(&read(&file), &graph, 32).unwrap();
                compare(&graph, &case.inputs, &mut model, &case.stalls, &file.display().to_string());
            }
        }
    }
}

#[test]
fn random_graphs_on_their_own_fabrics() {
    let mut rng = Rng::new(77);
    // Every third graph has all arithmetic of hardware in it, floats too; divisions have times of their own.
    let is_plain = |k: &OpKind| k.class() == Class::Arith && k.in_hardware() && !k.is_iterative();
    let all: Vec<OpKind> = OpKind::TABLE.iter().copied().filter(is_plain).collect();
    for round in 0..300 {
        let mut options =
            RandomGraphOptions { all_step_ops: round % 2 == 0, ..RandomGraphOptions::default() };
        if round % 3 == 0 {
            options.arith.clone_from(&all);
        }
        let random = random_graph(&mut rng, &options);
        let activations = 1 + rng.below(4);
        let inputs = random.inputs(&mut rng, activations);
        let mut model = elaborate(&random.graph, &mut rng);
        for percent in [0, 30, 60] {
            let stalls = Stalls { seed: round, source_percent: percent, sink_percent: percent };
            compare(
                &random.graph,
                &inputs,
                &mut model,
                &stalls,
                &format!("round {round}, {percent} percent"),
            );
        }
    }
}
