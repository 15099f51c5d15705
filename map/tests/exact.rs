//! The engine that proves: against optima known by hand, against annealing from many seeds, and where there is no mapping.

use crate::common::{graph, kernel, Target, ADD, CUT};
use loom_base::Rng;
use loom_dfg::Graph;
use loom_map::{EngineKind, MapOptions, Mapped};
use loom_testkit::graphs::{random_graph, RandomGraphOptions};

const SAME: f64 = 1e-6;

fn options(engine: EngineKind) -> MapOptions {
    MapOptions { engine, deadlock_states: 0, ..MapOptions::default() }
}

fn exact(target: &Target, graph: &Graph) -> Mapped {
    let options = MapOptions { steps_per_item: 300, ..options(EngineKind::Exact) };
    loom_map::map(graph, target, &options, &mut |_, _| {}).expect("it maps")
}

/// Two carries, two adders; from one adder a value passes one register, from the other two.
fn uneven() -> Target {
    let mut text = String::from("name = \"uneven\"\n");
    let ports = |n: usize| ["{ type = \"bits<32>\" }"].repeat(n).join(", ");
    text += &format!("input = [{}]\noutput = [{}]\n", ports(6), ports(2));
    text += "instance = [{ name = \"sw\", of = \"sw\" }, { name = \"c0\", of = \"state\" }, { name = \"c1\", of = \"state\" }, \
             { name = \"near\", of = \"add\" }, { name = \"far\", of = \"add\" }, { name = \"f0\", of = \"link\" }, \
             { name = \"f1\", of = \"link\" }, { name = \"f2\", of = \"link\" }]\nconnect = [\n";
    let mut connect = |from: &str, to: &str| text += &format!("  {{ from = \"{from}\", to = \"{to}\" }},\n");
    (0..6).for_each(|k| connect(&format!("in{k}"), &format!("sw.in{k}")));
    (0..2).for_each(|k| connect(&format!("sw.out{k}"), &format!("out{k}")));
    let mut out = 2;
    for (pe, inputs) in [("c0", 3), ("c1", 3), ("near", 2), ("far", 2)] {
        for k in 0..inputs {
            connect(&format!("sw.out{out}"), &format!("{pe}.in{k}"));
            out += 1;
        }
    }
    connect("c0.out0", "sw.in6");
    connect("c1.out0", "sw.in7");
    connect("near.out0", "f0.in0");
    connect("f0.out0", "sw.in8");
    connect("far.out0", "f1.in0");
    connect("f1.out0", "f2.in0");
    connect("f2.out0", "sw.in9");
    text += "]\n[fifo.link]\ntype = \"bits<32>\"\ndepth = 2\n\
             [pe.state]\ninputs = { count = 3, width = 32 }\noutputs = { count = 1, width = 32 }\noutput_buffers = true\n\
             fus = [\"dataflow.carry 32\"]\n\
             [pe.add]\ninputs = { count = 2, width = 32 }\noutputs = { count = 1, width = 32 }\nfus = [\"arith.addi i32\"]\n\
             [switch.sw]\ninputs = { count = 10, width = 32 }\noutputs = { count = 12, width = 32 }\n";
    Target::of_text("uneven.toml", text)
}

/// So many sums that run beside each other.
fn sums(count: usize) -> Graph {
    let each = |of: &dyn Fn(usize) -> String| (0..count).map(of).collect::<Vec<_>>();
    let arguments = each(&|k| format!("%d{k}: i1, %a{k}: i32, %s{k}: i32")).join(", ");
    let names = each(&|k| format!("\"r{k}\"")).join(", ");
    let body = each(&|k| {
        format!(
            "  %x{k} = \"dataflow.carry\"(%d{k}, %a{k}, %n{k}#0) : (i1, i32, i32) -> i32\n  \
             %y{k} = arith.addi %x{k}, %s{k} : i32\n  %n{k}:2 = fork [2] %y{k} : i32\n"
        )
    });
    let results = each(&|k| format!("%n{k}#1")).join(", ");
    let types = vec!["i32"; count].join(", ");
    graph(&format!(
        "handshake.func @sums({arguments}) -> ({types}) attributes {{resNames = [{names}]}} {{\n{}  return {results} : {types}\n}}\n",
        body.concat()
    ))
}

#[test]
fn optima_that_are_known_by_hand_are_proved() {
    let uneven = uneven();
    // The buffer of the carry, and one register or two. The bound before mapping sees the near adder only.
    for (count, optimum) in [(1, 2.0), (2, 3.0)] {
        let mapped = exact(&uneven, &sums(count));
        let proof = mapped.proof.expect("it was asked for");
        assert!((mapped.mii_ops - 2.0).abs() < SAME, "{count}: {}", mapped.mii_ops);
        assert!((proof.lower_bound - optimum).abs() < SAME, "{count}: {proof:?}");
        assert!(proof.is_optimal() && (mapped.timing.mii - optimum).abs() < SAME, "{count}: {proof:?}");
    }
}

#[test]
fn no_seed_of_annealing_goes_below_what_is_proved() {
    let mesh = Target::mesh("2x2");
    let mut rng = Rng::new(7);
    let mut slower = 0;
    let wish = RandomGraphOptions { max_ops: 14, ..RandomGraphOptions::default() };
    let mut graphs: Vec<Graph> = (0..8).map(|_| random_graph(&mut rng, &wish).graph).collect();
    graphs.push(kernel("diamond"));
    for (case, graph) in graphs.into_iter().enumerate() {
        // Short of steps, so that annealing is not at the optimum anyway.
        let brief = MapOptions { steps_per_item: 100, attempts: 8, ..options(EngineKind::Anneal) };
        let proving = MapOptions { engine: EngineKind::Exact, conflicts: 20_000, ..brief };
        let Ok(mapped) = loom_map::map(&graph, &mesh, &proving, &mut |_, _| {}) else { continue };
        let proof = mapped.proof.expect("it was asked for");
        assert!(proof.lower_bound <= proof.best_mii + SAME, "{case}: {proof:?}");
        assert!(proof.annealed_ii.is_none_or(|ii| mapped.timing.ii <= ii + SAME), "{case}: {proof:?}");
        assert!(mesh.check(&graph, &mapped.mapping).is_empty(), "{case}");
        for seed in 0..20 {
            let annealing = MapOptions { seed, ..brief };
            let Ok(other) = loom_map::map(&graph, &mesh, &annealing, &mut |_, _| {}) else { continue };
            assert!(other.timing.mii >= proof.lower_bound - SAME, "{case}, seed {seed}: {proof:?}");
            slower += usize::from(other.timing.mii > proof.best_mii + SAME);
        }
    }
    assert!(slower > 0, "annealing was always at the optimum: these cases show nothing");
}

#[test]
fn the_same_budget_gives_the_same_and_a_small_one_still_a_mapping() {
    let (mesh, diamond) = (Target::mesh("2x2"), kernel("diamond"));
    let brief = options(EngineKind::Exact);
    for conflicts in [1, 1000] {
        let map = || {
            let options = MapOptions { conflicts, ..brief };
            loom_map::map(&diamond, &mesh, &options, &mut |_, _| {}).expect("annealing maps it")
        };
        let (one, two) = (map(), map());
        assert_eq!(one.mapping, two.mapping);
        assert_eq!(one.proof, two.proof);
        assert!(one.proof.expect("it was asked for").conflicts <= conflicts);
    }
}

#[test]
fn what_annealing_does_not_route_is_routed_by_clauses() {
    let (mesh, diamond) = (Target::mesh("2x2"), kernel("diamond"));
    let brief = MapOptions { steps_per_item: 20, attempts: 1, ..options(EngineKind::Anneal) };
    let failed = loom_map::map(&diamond, &mesh, &brief, &mut |_, _| {}).expect_err("too few steps");
    assert_eq!(failed[0].code, loom_map::codes::UNROUTABLE);
    let proving = MapOptions { engine: EngineKind::Exact, conflicts: 10_000, ..brief };
    let mapped = loom_map::map(&diamond, &mesh, &proving, &mut |_, _| {}).expect("clauses find one");
    assert!(mesh.check(&diamond, &mapped.mapping).is_empty());
    let proof = mapped.proof.expect("it was asked for");
    assert_eq!((proof.annealed_mii, proof.annealed_ii), (None, None));
}

/// What is said of a graph that has no mapping.
fn refusal(target: &Target, graph: &Graph) -> String {
    let options = MapOptions { steps_per_item: 20, attempts: 1, ..options(EngineKind::Exact) };
    let refused = loom_map::map(graph, target, &options, &mut |_, _| {}).expect_err("there is none");
    assert_eq!(refused[0].code, loom_map::codes::NO_MAPPING, "{}", refused[0].message);
    format!("{}\n{}", refused[0].message, refused[0].notes.join("\n"))
}

#[test]
fn that_there_is_no_mapping_is_proved_with_the_channels_that_are_short() {
    let through = "handshake.func @through(%a: i32, %b: i32) -> (i32, i32) attributes {resNames = [\"x\", \"y\"]} {\n  \
                   return %a, %b : i32, i32\n}\n";
    // Two switches with one wire between them.
    let neck = "name = \"neck\"\ninput = [{ type = \"bits<32>\" }, { type = \"bits<32>\" }]\n\
                output = [{ type = \"bits<32>\" }, { type = \"bits<32>\" }]\n\
                instance = [{ name = \"a\", of = \"in\" }, { name = \"b\", of = \"out\" }]\n\
                connect = [\n  { from = \"in0\", to = \"a.in0\" }, { from = \"in1\", to = \"a.in1\" },\n  \
                { from = \"a.out0\", to = \"b.in0\" },\n  { from = \"b.out0\", to = \"out0\" }, \
                { from = \"b.out1\", to = \"out1\" },\n]\n\
                [switch.in]\ninputs = { count = 2, width = 32 }\noutputs = { count = 1, width = 32 }\n\
                [switch.out]\ninputs = { count = 1, width = 32 }\noutputs = { count = 2, width = 32 }\n";
    let said = refusal(&Target::of_text("neck.toml", neck.into()), &graph(through));
    assert_eq!(
        said,
        "`through` has no mapping on `neck`: this is proved\n\
         wherever the ops are, `%a`, `%b` cannot all arrive with one value on each of these channels: a.out0 -> b.in0"
    );
}

#[test]
fn that_no_way_leads_to_an_op_is_proved() {
    let said = refusal(&Target::of_text("cut.toml", CUT.into()), &graph(ADD));
    assert!(said.contains("`add` has no mapping on `cut`: this is proved"), "{said}");
    assert!(said.contains("`%a`") || said.contains("`%b`"), "{said}");
}
