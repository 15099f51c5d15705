//! Mappings of the kernels: deterministic, at the bound where the graph allows it, and legal to a checker that rejects
//! every kind of damage.

use loom_adg::{Adg, Component, ComponentId, Flat, Source};
use loom_base::{Code, Rng};
use loom_dfg::random::{random_graph, RandomOptions};
use loom_dfg::Graph;
use loom_map::{check, codes, Mapping, Options, Step};

const KERNELS: [(&str, &str); 9] = [
    ("stream", include_str!("../../kernels/stream/stream.dfg.mlir")),
    ("gate", include_str!("../../kernels/gate/gate.dfg.mlir")),
    ("carry", include_str!("../../kernels/carry/carry.dfg.mlir")),
    ("invariant", include_str!("../../kernels/invariant/invariant.dfg.mlir")),
    ("stream_gate_carry", include_str!("../../kernels/stream_gate_carry/stream_gate_carry.dfg.mlir")),
    ("sum", include_str!("../../kernels/sum/sum.dfg.mlir")),
    ("nested", include_str!("../../kernels/nested/nested.dfg.mlir")),
    ("diamond", include_str!("../../kernels/diamond/diamond.dfg.mlir")),
    ("collatz", include_str!("../../kernels/collatz/collatz.dfg.mlir")),
];

fn mesh(n: usize) -> (Adg, Flat) {
    let text = loom_adg::topology::mesh_toml(n, n);
    let adg = loom_adg::toml::read(&loom_base::Source::new("mesh.toml", text)).expect("a legal fabric");
    let flat = Flat::new(&adg);
    (adg, flat)
}

fn kernel(name: &str) -> Graph {
    let text = KERNELS.iter().find(|k| k.0 == name).expect("a kernel").1;
    loom_dfg::parse(&loom_base::Source::new(name, text)).expect("a good kernel")
}

#[test]
fn the_same_inputs_give_the_same_mapping_at_the_bound() {
    let (adg, flat) = mesh(4);
    for (name, _) in KERNELS {
        let graph = kernel(name);
        let map = || {
            loom_map::map(&graph, &adg, &flat, &Options::default(), &mut |_, _| {})
                .unwrap_or_else(|d| panic!("{name}: {}", d[0].message))
        };
        let (a, b) = (map(), map());
        assert_eq!(a.mapping, b.mapping, "{name}");
        assert!(check::check(&graph, &adg, &flat, &a.mapping).is_empty(), "{name}");
        assert!(a.timing.ii <= a.timing.mii + 1e-6, "{name}: {:?}", a.timing);
    }
}

#[test]
fn a_carried_sum_runs_at_one_cycle_an_iteration() {
    for n in [2, 4, 6] {
        let (adg, flat) = mesh(n);
        let mapped =
            loom_map::map(&kernel("sum"), &adg, &flat, &Options::default(), &mut |_, _| {}).expect("it fits");
        assert_eq!((mapped.timing.mii, mapped.timing.ii), (1.0, 1.0), "{n}x{n}");
    }
}

#[test]
fn more_hardware_never_gives_a_worse_interval() {
    for (name, _) in KERNELS {
        let graph = kernel(name);
        let mut before = f64::INFINITY;
        for n in [2, 4, 6] {
            let (adg, flat) = mesh(n);
            // What does not fit the small one has nothing to be worse than.
            let Ok(mapped) = loom_map::map(&graph, &adg, &flat, &Options::default(), &mut |_, _| {}) else {
                continue;
            };
            assert!(
                mapped.timing.ii <= before + 1e-6,
                "{name} on {n}x{n}: {} after {before}",
                mapped.timing.ii
            );
            before = mapped.timing.ii;
        }
        assert!(before.is_finite(), "{name} fits somewhere");
    }
}

#[test]
fn random_graphs_are_mapped_legally_or_refused() {
    let (adg, flat) = mesh(4);
    let options = Options { attempts: 2, steps_per_item: 300, ..Options::default() };
    let mut mapped = 0;
    for seed in 0..120 {
        let graph =
            random_graph(&mut Rng::new(seed), &RandomOptions { max_ops: 25, ..RandomOptions::default() })
                .graph;
        match loom_map::map(&graph, &adg, &flat, &options, &mut |_, _| {}) {
            Ok(m) => {
                assert!(check::check(&graph, &adg, &flat, &m.mapping).is_empty(), "seed {seed}");
                mapped += 1;
            }
            Err(d) => assert!(d[0].help.is_some(), "seed {seed}: a refusal says what would help"),
        }
    }
    assert!(mapped > 100, "only {mapped} of 120 were mapped");
}

#[test]
fn the_checker_rejects_every_kind_of_damage() {
    let (adg, flat) = mesh(4);
    let graph = kernel("nested");
    let legal =
        loom_map::map(&graph, &adg, &flat, &Options::default(), &mut |_, _| {}).expect("it fits").mapping;
    let node = |kind: &str| {
        graph.nodes.iter().position(|n| n.op.kind().mnemonic() == kind).expect("the kernel has one")
    };
    let free_pe = |m: &Mapping, like: ComponentId| {
        let used: Vec<ComponentId> = m.placements.iter().map(|p| p.component).collect();
        let kind = flat.at(like).definition;
        flat.ids().find(|&id| flat.at(id).definition == kind && !used.contains(&id)).expect("a free PE")
    };
    let switch =
        flat.ids().find(|&id| matches!(flat.component(&adg, id), Component::SpatialSw(_))).expect("a switch");
    type Damage<'a> = (&'a str, &'a [Code], Box<dyn Fn(&mut Mapping) + 'a>);
    let cases: Vec<Damage> = vec![
        ("another unit", &[codes::CHECK_UNIT], Box::new(|m| m.placements[node("arith.addi")].fu += 1)),
        ("no such unit", &[codes::CHECK_RANGE], Box::new(|m| m.placements[0].fu = 99)),
        ("no such PE", &[codes::CHECK_RANGE], Box::new(|m| m.placements[0].component = ComponentId(1 << 20))),
        ("a switch for a PE", &[codes::CHECK_RANGE], Box::new(|m| m.placements[0].component = switch)),
        (
            "two ops on one PE",
            &[codes::CHECK_TWICE],
            Box::new(|m| {
                let at = node("dataflow.gate");
                m.placements[at].component = m.placements[node("dataflow.carry")].component;
            }),
        ),
        (
            "an op moved, its routes not",
            &[codes::CHECK_ENDS],
            Box::new(|m| {
                let at = node("dataflow.gate");
                m.placements[at].component = free_pe(m, m.placements[at].component);
            }),
        ),
        (
            "two operands at one input",
            &[codes::CHECK_TWICE],
            Box::new(|m| {
                let at = node("arith.addi");
                m.placements[at].inputs[1] = m.placements[at].inputs[0];
            }),
        ),
        ("no such input", &[codes::CHECK_RANGE], Box::new(|m| m.placements[0].inputs[0] = 9)),
        (
            "two results at one output",
            &[codes::CHECK_TWICE],
            Box::new(|m| {
                let at = node("dataflow.stream");
                m.placements[at].outputs[1] = m.placements[at].outputs[0];
            }),
        ),
        (
            "a used result discarded",
            &[codes::CHECK_ENDS],
            Box::new(|m| m.placements[node("arith.addi")].outputs[0] = None),
        ),
        (
            "a step missing",
            &[codes::CHECK_ENDS, codes::CHECK_STEP],
            Box::new(|m| {
                m.routes[0].steps.remove(0);
            }),
        ),
        (
            "a step too many",
            &[codes::CHECK_STEP, codes::CHECK_TWICE, codes::CHECK_ENDS],
            Box::new(|m| m.routes[0].steps.push(Step::Switch { component: switch, input: 0, output: 27 })),
        ),
        (
            "a step twice",
            &[codes::CHECK_TWICE],
            Box::new(|m| {
                let step = m.routes[0].steps[0];
                m.routes[0].steps.push(step);
            }),
        ),
        ("a route missing", &[codes::CHECK_ENDS], Box::new(|m| drop(m.routes.remove(0)))),
        ("a route twice", &[codes::CHECK_TWICE], Box::new(|m| m.routes.push(m.routes[0].clone()))),
        ("another source", &[codes::CHECK_ENDS], Box::new(|m| m.routes[0].source = Source::Boundary(31))),
        ("arguments swapped", &[codes::CHECK_ENDS], Box::new(|m| m.arguments.swap(0, 1))),
        ("two arguments at one port", &[codes::CHECK_TWICE], Box::new(|m| m.arguments[0] = m.arguments[1])),
        ("no such port", &[codes::CHECK_RANGE], Box::new(|m| m.outputs[0] = 1000)),
        (
            "a FIFO bypassed that cannot be",
            &[codes::CHECK_ENDS, codes::CHECK_STEP],
            Box::new(|m| {
                let steps = m.routes.iter_mut().flat_map(|r| &mut r.steps);
                let fifo = steps.into_iter().find_map(|s| match s {
                    Step::Fifo { bypass, .. } => Some(bypass),
                    _ => None,
                });
                *fifo.expect("some route passes a link") = true;
            }),
        ),
    ];
    assert!(check::check(&graph, &adg, &flat, &legal).is_empty());
    for (what, wanted, damage) in cases {
        let mut mapping = legal.clone();
        damage(&mut mapping);
        let found: Vec<Code> = check::check(&graph, &adg, &flat, &mapping).iter().map(|d| d.code).collect();
        assert!(found.iter().any(|c| wanted.contains(c)), "{what}: {found:?}");
    }
}
