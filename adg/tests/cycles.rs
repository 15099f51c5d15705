//! The search for combinational cycles against a second, plainer one: every signal of the flattened fabric in one
//! graph, arcs written down from docs/hardware.md once more, and nodes without successors removed until none is left.

use loom_adg::model::{
    Adg, Body, ChannelType, Component, Connection, Definition, End, Fifo, FifoKind, Instance, Of, Port,
    SpatialPe, SpatialSw, Tile,
};
use loom_adg::{codes, legality, Fabric};
use loom_base::Rng;
use loom_dfg::{OpKind, Type};

const WORD: ChannelType = ChannelType::bits(32);

/// A cycle in the flattened fabric.
fn has_cycle(adg: &Adg) -> bool {
    let fabric = Fabric::new(adg.clone());
    let flat = fabric.flat();
    let n = flat.channels.len();
    // Nodes 0..n are valids, n..2n readies.
    let mut arcs: Vec<(usize, usize)> = Vec::new();
    for id in flat.ids() {
        let at = flat.at(id);
        let ins: Vec<(usize, usize)> =
            at.inputs.iter().enumerate().filter_map(|(p, c)| c.map(|c| (p, c.0 as usize))).collect();
        let outs: Vec<(usize, usize)> =
            at.outputs.iter().enumerate().filter_map(|(p, c)| c.map(|c| (p, c.0 as usize))).collect();
        for &(i, a) in &ins {
            for &(o, b) in &outs {
                let (valid, ready) = match fabric.component(id) {
                    Component::SpatialPe(pe) => {
                        let mut passing =
                            pe.fus.iter().filter(|f| !pe.output_buffers && !f.is_state_machine());
                        (passing.clone().any(|f| f.latency == 0), passing.next().is_some())
                    }
                    Component::SpatialSw(sw) => (sw.connectivity[o][i], sw.connectivity[o][i]),
                    Component::TemporalSw(sw) => (sw.connectivity[o][i], sw.connectivity[o][i]),
                    Component::Fifo(f) => (f.can_pass(), f.is_bypassable()),
                    Component::AddTag(_) | Component::MapTag(_) | Component::DelTag(_) => (true, true),
                    Component::Memory(_) => (false, false),
                };
                arcs.extend(valid.then_some((a, b)));
                arcs.extend(ready.then_some((n + b, n + a)));
            }
            for &(j, b) in &ins {
                let depends = match fabric.component(id) {
                    Component::SpatialPe(_) | Component::TemporalSw(_) | Component::Memory(_) => true,
                    Component::MapTag(_) => i == j,
                    Component::SpatialSw(sw) => {
                        sw.decomposable_bits.is_some() && sw.connectivity.iter().any(|row| row[i] && row[j])
                    }
                    _ => false,
                };
                arcs.extend(depends.then_some((a, n + b)));
            }
        }
    }
    let mut alive = vec![true; 2 * n];
    loop {
        let mut leads = vec![false; 2 * n];
        for &(a, b) in &arcs {
            leads[a] |= alive[b];
        }
        let next: Vec<bool> = alive.iter().zip(&leads).map(|(a, l)| *a && *l).collect();
        if next == alive {
            return alive.contains(&true);
        }
        alive = next;
    }
}

/// Definitions that cut and that do not.
fn definitions() -> Vec<Definition> {
    let add = |latency| {
        let mut fu =
            loom_adg::model::FunctionUnit::single("add", OpKind::Addi, &[Type::I32; 2], &[Type::I32]);
        fu.latency = latency;
        fu
    };
    let keep = || {
        let mut fu = loom_adg::model::FunctionUnit::single(
            "keep",
            OpKind::Invariant,
            &[Type::I1, Type::I32],
            &[Type::I32],
        );
        (fu.latency, fu.interval) = (-1, -1);
        fu
    };
    let pe = |fus, output_buffers| {
        let (inputs, outputs) = (vec![WORD; 2], vec![WORD]);
        Component::SpatialPe(SpatialPe { inputs, outputs, fus, output_buffers, immediates: 0 })
    };
    let sw = |rows: &[&str], decomposable_bits| {
        let connectivity: Vec<Vec<bool>> =
            rows.iter().map(|r| r.bytes().map(|b| b == b'1').collect()).collect();
        let (inputs, outputs) = (vec![WORD; connectivity[0].len()], vec![WORD; rows.len()]);
        Component::SpatialSw(SpatialSw { inputs, outputs, connectivity, decomposable_bits })
    };
    let fifo = |kind| Component::Fifo(Fifo { ty: WORD, depth: 2, kind });
    let list = [
        ("comb", pe(vec![add(0)], false)),
        ("piped", pe(vec![add(2)], false)),
        ("buffered", pe(vec![add(0)], true)),
        ("state", pe(vec![keep()], false)),
        ("mixed", pe(vec![keep(), add(0)], false)),
        ("straight", sw(&["10", "01"], None)),
        ("crossed", sw(&["011", "110"], None)),
        ("lanes", sw(&["11", "01"], Some(8))),
        ("wire", fifo(FifoKind::Bypassable)),
        ("half", fifo(FifoKind::FallThrough)),
        ("cut", fifo(FifoKind::Registered)),
    ];
    list.into_iter().map(|(name, component)| Definition { name: name.into(), component }).collect()
}

/// Random instances, and connections between random free ports.
fn body(rng: &mut Rng, adg: &Adg, instances: usize, tiles: bool, ports: usize) -> Body {
    let port = |side: &str, k: usize| Port { name: format!("{side}{k}"), ty: WORD };
    let mut body = Body {
        inputs: (0..ports).map(|k| port("in", k)).collect(),
        outputs: (0..ports).map(|k| port("out", k)).collect(),
        ..Body::default()
    };
    let (mut sources, mut sinks) = (Vec::new(), Vec::new());
    for instance in 0..instances {
        let of = if tiles && rng.chance(50) {
            Of::Tile(rng.below(adg.tiles.len()))
        } else {
            Of::Component(rng.below(adg.definitions.len()))
        };
        let (ins, outs) = match of {
            Of::Component(d) => {
                let c = &adg.definitions[d].component;
                (c.inputs().len(), c.outputs().len())
            }
            Of::Tile(t) => (adg.tiles[t].body.inputs.len(), adg.tiles[t].body.outputs.len()),
        };
        sinks.extend((0..ins).map(|port| End::Instance { instance, port }));
        sources.extend((0..outs).map(|port| End::Instance { instance, port }));
        body.instances.push(Instance { name: format!("i{instance}"), of, position: None });
    }
    rng.shuffle(&mut sources);
    rng.shuffle(&mut sinks);
    // The body's ports come first, so that they lead to components and not to each other.
    let mut connect = |from, to| body.connections.push(Connection { from, to });
    for k in 0..ports {
        if let (Some(to), Some(from)) = (sinks.pop(), sources.pop()) {
            connect(End::Body(k), to);
            connect(from, End::Body(k));
        }
    }
    let some = rng.below(sources.len().min(sinks.len()) + 1);
    for (from, to) in sources.into_iter().zip(sinks).take(some) {
        connect(from, to);
    }
    body
}

#[test]
fn both_searches_agree_on_random_fabrics() {
    let mut rng = Rng::new(11);
    let mut counts = [0; 2];
    for _ in 0..3000 {
        let mut adg = Adg {
            name: "random".into(),
            index_width: 32,
            definitions: definitions(),
            tiles: Vec::new(),
            top: Body::default(),
        };
        for t in 0..2 {
            let instances = 1 + rng.below(3);
            let body = body(&mut rng, &adg, instances, false, 2);
            adg.tiles.push(Tile { name: format!("tile{t}"), body });
        }
        let instances = 1 + rng.below(5);
        adg.top = body(&mut rng, &adg, instances, true, 1);
        // A cycle in a tile without instances is refused too; the flattened fabric does not have it.
        for t in 0..2 {
            if !adg.top.instances.iter().any(|i| i.of == Of::Tile(t)) {
                adg.top.instances.push(Instance {
                    name: format!("extra{t}"),
                    of: Of::Tile(t),
                    position: None,
                });
            }
        }
        let found = legality::check(&adg, &Default::default());
        // H6 is another rule; nothing else is wrong with these fabrics.
        for d in &found {
            let known = [codes::COMBINATIONAL_CYCLE, codes::UNREGISTERED_LINK, codes::UNUSED];
            assert!(known.contains(&d.code), "{d:?}");
        }
        let cycle = found.iter().find(|d| d.code == codes::COMBINATIONAL_CYCLE);
        assert_eq!(cycle.is_some(), has_cycle(&adg), "{cycle:?}\n{}", loom_adg::mlir::write(&adg));
        counts[usize::from(cycle.is_some())] += 1;
    }
    assert!(counts.iter().all(|c| *c > 300), "{counts:?}");
}

#[test]
fn indices_that_do_not_exist_are_refused() {
    let mut adg = Adg {
        name: "dangling".into(),
        index_width: 32,
        definitions: definitions(),
        tiles: Vec::new(),
        top: Body::default(),
    };
    let instance = |name: &str, of| Instance { name: name.into(), of, position: None };
    adg.top.instances = vec![instance("a", Of::Component(7)), instance("b", Of::Component(7))];
    let at = |instance, port| End::Instance { instance, port };
    adg.top.connections = vec![
        Connection { from: at(0, 0), to: at(1, 3) },
        Connection { from: at(9, 0), to: at(1, 0) },
        Connection { from: End::Body(0), to: at(0, 0) },
    ];
    let found: Vec<String> =
        legality::check(&adg, &Default::default()).into_iter().map(|d| d.message).collect();
    expect_test::expect![[r#"
        `a.out0 -> b.in3` names a port that does not exist
        `<instance 9> -> b.in0` names a port that does not exist
        `<port 0> -> a.in0` names a port that does not exist"#]]
    .assert_eq(&found.join("\n"));
    adg.top.instances[0].of = Of::Tile(2);
    let found = legality::check(&adg, &Default::default());
    assert!(found.iter().all(|d| d.code == codes::DANGLING) && !found.is_empty(), "{found:?}");
}
