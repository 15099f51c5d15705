//! Several ops as one node: which are covered, that they are the same ops, and that the checker takes no other.

use crate::common::{graph, root, Target};
use loom_adg::model::EffectiveUnit;
use loom_base::{Code, Rng};
use loom_dfg::{CoveredSource, Graph, Node, NodeId, Type};
use loom_map::netlist::netlist;
use loom_map::{bodies, check, codes, cover, covering, netlist_with, tech, Mapping};
use loom_testkit::graphs::{random_graph, RandomGraphOptions};
use std::collections::BTreeMap;

fn of_testkit(name: &str) -> Target {
    let path = root().join("verif/testkit/fabrics").join(name);
    Target::of_text(name, std::fs::read_to_string(path).expect("the test fabric"))
}

fn compound() -> Target {
    of_testkit("compound-4x4.toml")
}

/// Its bodies serve as several graphs.
fn selectable() -> Target {
    of_testkit("selectable-4x4.toml")
}

fn function(types: &str, body: &str, result: &str) -> Graph {
    let names = ["a", "b", "c", "d"];
    let arguments: Vec<String> =
        types.split(' ').zip(names).map(|(ty, name)| format!("%{name}: {ty}")).collect();
    let ty = result.split(' ').next_back().expect("a type");
    graph(&format!(
        "handshake.func @f({}) -> ({ty}) attributes {{resNames = [\"y\"]}} {{\n{body}\n  return {result}\n}}\n",
        arguments.join(", ")
    ))
}

const MADD: &str = "  %m = arith.muli %a, %b : i32\n  %r = arith.addi %m, %c : i32";

/// Ops of the netlist that the mapper tries first.
fn nodes(fabric: &Target, graph: &Graph) -> Vec<String> {
    let plain = netlist(graph, 32);
    let covers = covering::choices(&plain, fabric).into_iter().next().unwrap_or_default();
    let net = cover::covered(&plain, &covers).expect("legal");
    net.nodes.iter().map(Node::what).collect()
}

#[test]
fn trees_of_the_units_are_one_node() {
    let fabric = compound();
    for (types, body, result, wanted) in [
        ("i32 i32 i32", MADD, "%r : i32", &["arith.muli+arith.addi"][..]),
        // The other order of a sum, narrower types, and a cast that changes no bits.
        (
            "i32 i32 i32",
            "  %m = arith.muli %a, %b : i32\n  %r = arith.addi %c, %m : i32",
            "%r : i32",
            &["arith.muli+arith.addi"],
        ),
        (
            "i16 i16 i16",
            "  %m = arith.muli %a, %b : i16\n  %r = arith.addi %c, %m : i16",
            "%r : i16",
            &["arith.muli+arith.addi"],
        ),
        (
            "i32 i32 i16",
            "  %m = arith.muli %a, %b : i32\n  %t = arith.trunci %m : i32 to i16\n  %r = arith.addi %c, %t : i16",
            "%r : i16",
            &["arith.muli+arith.addi"],
        ),
        // Of three sums two and one.
        (
            "i32 i32 i32 i32",
            "  %m = arith.addi %a, %b : i32\n  %n = arith.addi %m, %c : i32\n  %r = arith.addi %n, %d : i32",
            "%r : i32",
            &["arith.addi+arith.addi", "arith.addi"],
        ),
        (
            "i32 i32",
            "  %f:2 = fork [2] %a : i32\n  %g:2 = fork [2] %b : i32\n  %p = arith.cmpi slt, %f#0, %g#0 : i32\n  \
             %r = arith.select %p, %f#1, %g#1 : i32",
            "%r : i32",
            &["arith.cmpi+arith.select"],
        ),
        // A shift has no second order, and needs its own width.
        (
            "i32 i32 i32",
            "  %m = arith.addi %a, %b : i32\n  %r = arith.shli %c, %m : i32",
            "%r : i32",
            &["arith.addi", "arith.shli"],
        ),
        (
            "i16 i16 i16",
            "  %m = arith.addi %a, %b : i16\n  %r = arith.shli %m, %c : i16",
            "%r : i16",
            &["arith.addi", "arith.shli"],
        ),
        // Somebody else looks at the product.
        (
            "i32 i32 i32",
            "  %m = arith.muli %a, %b : i32\n  %f:2 = fork [2] %m : i32\n  %s = arith.addi %f#0, %c : i32\n  \
             %r = arith.xori %s, %f#1 : i32",
            "%r : i32",
            &["arith.muli", "arith.addi", "arith.xori"],
        ),
    ] {
        let graph = function(types, body, result);
        let mut found = nodes(&fabric, &graph);
        let mut wanted: Vec<String> = wanted.iter().map(|w| w.to_string()).collect();
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "{body}");
    }
}

/// What each op takes and gives, by the name of its first result; a compound node as the ops that it covers.
type Ops = BTreeMap<String, (String, Vec<(String, Type)>, Vec<Type>)>;

fn ops(net: &Graph) -> Ops {
    let name = |v: loom_dfg::ValueId| net.value(v).name.clone();
    let operand = |node: &Node, k: usize| name(node.operands[k]);
    let mut ops = Ops::new();
    for (n, node) in net.nodes.iter().enumerate() {
        if node.covers.is_empty() {
            let operands = (0..node.operands.len()).map(|k| (operand(node, k), net.operand_type(node, k)));
            let types = node.results.iter().map(|&v| net.value(v).ty).collect();
            let key = node.results.first().map_or(format!("node {n}"), |&v| name(v));
            ops.insert(key, (format!("{:?}", node.op), operands.collect(), types));
        }
        for op in &node.covers {
            let operands = op.operands.iter().map(|&(source, ty)| match source {
                CoveredSource::Operand(k) => {
                    assert_eq!(net.operand_type(node, k), ty);
                    (operand(node, k), ty)
                }
                CoveredSource::Op(before) => (node.covers[before].name.clone(), ty),
            });
            ops.insert(op.name.clone(), (format!("{:?}", op.op), operands.collect(), vec![op.result]));
        }
    }
    ops
}

#[test]
fn covers_of_random_graphs_are_their_ops() {
    covers_are_their_ops(&compound(), 3000);
    covers_are_their_ops(&selectable(), 2000);
}

fn covers_are_their_ops(fabric: &Target, seeds: u64) {
    use loom_dfg::OpKind::{Addi, Cmpi, Muli, Select, Shli, Trunci};
    let (mut covered, mut most) = (0, 0);
    for seed in 0..seeds {
        let options = RandomGraphOptions {
            max_ops: 20 + seed as usize % 60,
            arith: vec![Addi, Addi, Cmpi, Muli, Muli, Select, Shli, Trunci],
            ..RandomGraphOptions::default()
        };
        let drawn = random_graph(&mut Rng::new(seed), &options);
        let plain = netlist(&drawn.graph, 32);
        let wanted = ops(&plain);
        for covers in covering::choices(&plain, fabric) {
            let net = cover::covered(&plain, &covers).expect("what is chosen is legal");
            assert_eq!(ops(&net), wanted, "seed {seed}");
            let hidden: usize = covers.iter().map(|ops| ops.len() - 1).sum();
            assert_eq!(net.nodes.len() + hidden, plain.nodes.len(), "seed {seed}");
            assert_eq!(net.outputs.len(), plain.outputs.len());
            let names = |g: &Graph| g.arguments.iter().map(|&v| g.value(v).name.clone()).collect::<Vec<_>>();
            assert_eq!(names(&net), names(&plain));
            // Every compound node has a unit, which reads its operands one by one.
            for n in net.node_ids().filter(|&n| !net.node(n).covers.is_empty()) {
                let units = fabric.adg().definitions.iter().filter_map(|d| match &d.component {
                    loom_adg::Component::SpatialPe(pe) => Some(&pe.fus),
                    _ => None,
                });
                let mut fits = units.flatten().filter(|fu| tech::fits(&net, n, fu, 32)).peekable();
                assert!(fits.peek().is_some(), "seed {seed}");
                for fu in fits {
                    let mut inputs = tech::unit_inputs(&net, net.node(n), fu, 32);
                    inputs.sort_unstable();
                    let reached = |e: &EffectiveUnit| {
                        let mut wanted = e.inputs.clone();
                        wanted.sort_unstable();
                        wanted == inputs && bodies::root(&e.unit).is_some()
                    };
                    assert!(fu.effective().iter().any(reached), "seed {seed}: {inputs:?}");
                }
            }
            covered += hidden;
            most = most.max(covers.len());
        }
    }
    assert!(covered > 200 && most >= 2, "{covered} ops hidden, at most {most} covers");
}

/// On one PE whose body serves as several graphs: which setting, from where the operands come, and what the bits say.
#[test]
fn one_body_serves_as_several_graphs() {
    let text = "name = \"one\"\n\
        input = [{ type = \"bits<32>\" }, { type = \"bits<32>\" }, { type = \"bits<32>\" }]\n\
        output = [{ type = \"bits<32>\" }]\ninstance = [{ name = \"pe\", of = \"pe\" }]\n\
        connect = [\n  { from = \"in0\", to = \"pe.in0\" }, { from = \"in1\", to = \"pe.in1\" },\n  \
        { from = \"in2\", to = \"pe.in2\" }, { from = \"pe.out0\", to = \"out0\" },\n]\n\
        [fu.select]\ninputs = [\"i32\", \"i32\", \"i32\"]\n\
        body = [\"%m = arith.muli %0, %1 : i32\", \"%c = arith.cmpi %0, %1 : i32\", \"%x = fabric.mux %m, %0 : i32\",\n\
        \"%s = arith.subi %2, %x : i32\", \"%b = arith.extui %c : i1 to i32\", \"%r = fabric.mux %s, %m, %b : i32\"]\n\
        [pe.pe]\ninputs = { count = 3, width = 32 }\noutputs = { count = 1, width = 32 }\nfus = [\"select\"]\n";
    let fabric = Target::of_text("one.toml", text.into());
    let unit = match fabric.component(fabric.flat().ids().next().expect("a PE")) {
        loom_adg::Component::SpatialPe(pe) => pe.fus[0].clone(),
        _ => panic!("a PE"),
    };
    let three = "i32 i32 i32";
    for (types, body, inputs, payload) in [
        (
            three,
            "  %m = arith.muli %a, %b : i32\n  %r = arith.subi %c, %m : i32",
            vec![0, 1, 2],
            vec![0, 0, 0],
        ),
        ("i32 i32", "  %r = arith.subi %a, %b : i32", vec![2, 0], vec![0, 1, 0]),
        ("i32 i32", "  %r = arith.muli %a, %b : i32", vec![0, 1], vec![0, 0, 1]),
        (
            "i32 i32",
            "  %p = arith.cmpi sge, %a, %b : i32\n  %r = arith.extui %p : i1 to i32",
            vec![0, 1],
            vec![5, 0, 2],
        ),
    ] {
        let graph = function(types, body, "%r : i32");
        let mapped = fabric.map(&graph).unwrap_or_else(|d| panic!("{body}: {d:#?}"));
        assert_eq!(mapped.mapping.placements.len(), 1, "{body}");
        let net = netlist_with(&graph, 32, &mapped.mapping.covers).expect("legal");
        let node = NodeId(0);
        let mut found = tech::unit_inputs(&net, net.node(node), &unit, 32);
        if net.node(node).covers.len() == 2 && inputs.len() == 3 {
            // Operands of a compound node stand in the order in which its tree reads them.
            found.rotate_left(1);
        }
        assert_eq!((found, tech::payload(&net, node, &unit, 32)), (inputs, payload), "{body}");
        assert!(fabric.check(&graph, &mapped.mapping).is_empty());
        let read = fabric.read(&graph, &fabric.json(&graph, &mapped)).expect("its own file");
        assert_eq!(read.mapping, mapped.mapping);
    }
    // A difference of the other two, which no setting has.
    let refused = function(three, "  sink %c : i32\n  %r = arith.xori %a, %b : i32", "%r : i32");
    assert_eq!(fabric.map(&refused).expect_err("no unit")[0].code, codes::NO_UNIT);
}

#[test]
fn there_are_no_more_covers_than_units() {
    let fabric = compound();
    let body: String = (0..12)
        .map(|i| {
            format!("  %m{i} = arith.muli %x{i}, %y{i} : i32\n  %r{i} = arith.addi %m{i}, %z{i} : i32\n",)
        })
        .collect();
    let list = |what: &dyn Fn(usize) -> String| (0..12).map(what).collect::<Vec<_>>().join(", ");
    let graph = graph(&format!(
        "handshake.func @f({}) -> ({}) {{\n{body}  return {} : {}\n}}\n",
        list(&|i| format!("%x{i}: i32, %y{i}: i32, %z{i}: i32")),
        list(&|_| "i32".into()),
        list(&|i| format!("%r{i}")),
        list(&|_| "i32".into()),
    ));
    let covers = &covering::choices(&netlist(&graph, 32), &fabric)[0];
    let pes = fabric.flat().ids().filter(|&id| match fabric.component(id) {
        loom_adg::Component::SpatialPe(pe) => {
            pe.fus.iter().any(|fu| ["madd", "macc"].contains(&&fu.name[..]))
        }
        _ => false,
    });
    assert_eq!(covers.len(), pes.count());
}

#[test]
fn a_sum_of_products_is_mapped_as_one_node_and_reads_back() {
    let fabric = compound();
    let graph = function("i32 i32 i32", MADD, "%r : i32");
    let mapped = fabric.map(&graph).expect("it fits");
    assert_eq!(mapped.mapping.placements.len(), 1);
    assert_eq!(mapped.mapping.covers, [[NodeId(0), NodeId(1)]]);
    let text = fabric.json(&graph, &mapped);
    assert!(text.contains("\"op\": \"arith.muli+arith.addi\""), "{text}");
    let read = fabric.read(&graph, &text).expect("its own file");
    assert_eq!(read.mapping, mapped.mapping);
    assert_eq!(read.mii_ops, mapped.mii_ops);
    let shown = loom_map::report::text(&graph, &fabric, 1, &mapped, None);
    assert!(shown.contains("muli+addi"), "{shown}");
    // A file that says something else.
    for (from, to, code) in [
        ("\"m\",", "\"r\",", codes::CHECK_COVER),
        ("\"m\",", "\"a\",", codes::JSON_NAME),
        ("arith.muli+arith.addi", "arith.addi", codes::JSON_NAME),
    ] {
        let damaged = text.replacen(from, to, 1);
        assert_ne!(damaged, text);
        let found: Vec<Code> =
            fabric.read(&graph, &damaged).expect_err("damaged").iter().map(|d| d.code).collect();
        assert!(found.contains(&code), "{from} to {to}: {found:?}");
    }
}

/// Damages to the mapping of a sum of products behind a branch.
type Damage = (&'static str, Code, fn(&mut Mapping, &dyn Fn(&str) -> usize));

const DAMAGES: &[Damage] = &[
    ("an op in two covers", codes::CHECK_COVER, |m, _| m.covers.push(m.covers[0].clone())),
    ("another order", codes::CHECK_COVER, |m, _| m.covers[0].reverse()),
    ("an op alone", codes::CHECK_COVER, |m, _| m.covers[0].truncate(1)),
    ("an op twice", codes::CHECK_COVER, |m, _| m.covers[0] = vec![NodeId(0), NodeId(0), NodeId(1)]),
    ("ops that nothing connects", codes::CHECK_COVER, |m, _| m.covers[0] = vec![NodeId(0), NodeId(2)]),
    ("an op that is not there", codes::CHECK_COVER, |m, _| m.covers[0] = vec![NodeId(0), NodeId(99)]),
    ("a branch in it", codes::CHECK_COVER, |m, _| m.covers[0] = vec![NodeId(1), NodeId(2)]),
    ("no cover", codes::CHECK_RANGE, |m, _| m.covers.clear()),
    ("a unit of two sums", codes::CHECK_COVER, |m, unit| m.placements[0].fu = unit("add_add")),
    ("a sum and a shift", codes::CHECK_COVER, |m, unit| m.placements[0].fu = unit("add_shift")),
    ("the order of a shift", codes::CHECK_COVER, |m, unit| m.placements[0].fu = unit("shift_add")),
    ("a comparison", codes::CHECK_COVER, |m, unit| m.placements[0].fu = unit("choose")),
    ("two operands at one input", codes::CHECK_TWICE, |m, _| {
        m.placements[0].inputs[1] = m.placements[0].inputs[0];
    }),
];

#[test]
fn the_checker_takes_no_other_cover_or_unit() {
    let fabric = compound();
    let graph = graph(
        "handshake.func @f(%a: i32, %b: i32, %c: i32, %p: i1) -> (i32, i32) attributes {resNames = [\"y\", \"z\"]} {\n\
         %m = arith.muli %a, %b : i32\n  %r = arith.addi %c, %m : i32\n  %t, %e = cond_br %p, %r : i32\n\
         return %t, %e : i32, i32\n}\n",
    );
    let legal = fabric.map(&graph).expect("it fits").mapping;
    assert_eq!(legal.covers, [[NodeId(0), NodeId(1)]]);
    assert!(fabric.check(&graph, &legal).is_empty());
    // On the PE that has the other bodies too.
    let pe = fabric.flat().ids().find_map(|id| match fabric.component(id) {
        loom_adg::Component::SpatialPe(pe) if pe.fus.iter().any(|fu| fu.name == "choose") => Some((id, pe)),
        _ => None,
    });
    let (id, pe) = pe.expect("a PE of compound units");
    let unit = |name: &str| pe.fus.iter().position(|fu| fu.name == name).expect("a unit");
    for &(what, code, damage) in DAMAGES {
        let mut mapping = legal.clone();
        if what.starts_with("a ") || what.starts_with("the ") {
            (mapping.placements[0].component, mapping.placements[0].fu) = (id, unit("madd"));
            let net = netlist_with(&graph, 32, &mapping.covers).expect("legal");
            let found = check::check_netlist(&net, &fabric, &mapping);
            let codes = [codes::CHECK_COVER, codes::CHECK_UNIT];
            assert!(found.iter().all(|d| !codes.contains(&d.code)), "{what}: {found:#?}");
        }
        damage(&mut mapping, &unit);
        let found: Vec<Code> = fabric.check(&graph, &mapping).iter().map(|d| d.code).collect();
        assert!(found.contains(&code), "{what}: {found:?}");
    }
}

#[test]
fn what_only_a_compound_unit_has_is_covered_or_refused() {
    let text = "name = \"one\"\n\
        input = [{ type = \"bits<32>\" }, { type = \"bits<32>\" }, { type = \"bits<32>\" }]\n\
        output = [{ type = \"bits<32>\" }]\ninstance = [{ name = \"pe\", of = \"pe\" }]\n\
        connect = [\n  { from = \"in0\", to = \"pe.in0\" }, { from = \"in1\", to = \"pe.in1\" },\n  \
        { from = \"in2\", to = \"pe.in2\" }, { from = \"pe.out0\", to = \"out0\" },\n]\n\
        [fu.madd]\ninputs = [\"i32\", \"i32\", \"i32\"]\n\
        body = [\"%m = arith.muli %0, %1 : i32\", \"%s = arith.addi %m, %2 : i32\"]\n\
        [pe.pe]\ninputs = { count = 3, width = 32 }\noutputs = { count = 1, width = 32 }\nfus = [\"madd\"]\n";
    let fabric = Target::of_text("one.toml", text.into());
    let graph = function("i32 i32 i32", MADD, "%r : i32");
    let mapped = fabric.map(&graph).expect("one node on one PE");
    assert_eq!((mapped.mapping.covers.len(), mapped.mapping.placements.len()), (1, 1));
    let sum = function("i32 i32 i32", "  sink %c : i32\n  %r = arith.addi %a, %b : i32", "%r : i32");
    let refused = fabric.map(&sum).expect_err("no unit runs a sum alone");
    assert_eq!(refused[0].code, codes::NO_UNIT);
    assert!(refused[0].notes.iter().any(|n| n.contains("madd runs it among several ops")), "{refused:#?}");
}
