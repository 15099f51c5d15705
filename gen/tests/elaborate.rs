//! Every default fabric elaborates, and its hierarchy passes the IR checks.

use loom_adg::model::{
    Adg, Backing, Body, Component, Connection, Definition, End, Instance, MemoryInterface, Of, Port, Tile,
};
use loom_adg::Fabric;
use loom_base::Source;
use loom_gen::fabric::Direction;

fn fabric(columns: usize, rows: usize) -> loom_gen::Elaborated {
    let text = loom_adg::topology::mesh_toml(columns, rows);
    let adg = loom_adg::toml::read(&Source::new("mesh.toml", text)).expect("a legal fabric");
    loom_gen::elaborate(&Fabric::new(adg)).expect("well formed hardware")
}

#[test]
fn a_distinct_shape_is_printed_once() {
    let small = fabric(4, 4);
    let large = fabric(6, 6);
    // More tiles bring more instances, not more shapes: only what is named after the fabric, the loader and nodes of
    // the tree may be new.
    let names = |f: &loom_gen::Elaborated| {
        f.files().into_iter().map(|(n, _)| n).collect::<std::collections::BTreeSet<_>>()
    };
    let may = ["loom_fabric_", "loom_tile_", "loom_config_loader_", "loom_error_node_"];
    let new: Vec<String> = names(&large).difference(&names(&small)).cloned().collect();
    let other: Vec<&String> = new.iter().filter(|n| !may.iter().any(|m| n.starts_with(m))).collect();
    assert!(other.is_empty(), "{other:?}");
    assert_eq!(small.filelist()[0], format!("{}.v", small.top));
    assert_eq!(small.filelist().len(), small.files().len());
}

/// An interface of one lane each.
fn memory(name: &str, store: Backing) -> Definition {
    let of =
        MemoryInterface { store, loads: 1, stores: 1, queue: 4, width: 32, address: 32, tag: 0, regions: 1 };
    Definition { name: name.into(), component: Component::Memory(of) }
}

/// A body around components whose ports are all ports of the body.
fn around(components: &[(&str, &Component, Of)]) -> Body {
    let mut body = Body::default();
    for (instance, (name, component, of)) in components.iter().enumerate() {
        body.instances.push(Instance { name: name.to_string(), of: *of, position: None });
        for (port, ty) in component.inputs().into_iter().enumerate() {
            let from = End::Body(body.inputs.len());
            body.connections.push(Connection { from, to: End::Instance { instance, port } });
            body.inputs.push(Port { name: format!("{name}_i{port}"), ty });
        }
        for (port, ty) in component.outputs().into_iter().enumerate() {
            let to = End::Body(body.outputs.len());
            body.connections.push(Connection { from: End::Instance { instance, port }, to });
            body.outputs.push(Port { name: format!("{name}_o{port}"), ty });
        }
    }
    body
}

#[test]
fn memories_have_their_ports_at_the_top() {
    let definitions = vec![
        memory("external", Backing::External),
        memory("open", Backing::Scratchpad { bytes: 64, host: true }),
        memory("private", Backing::Scratchpad { bytes: 64, host: false }),
    ];
    let of = |d: usize| (&definitions[d].component, Of::Component(d));
    let named = |name, d| {
        let (component, of) = of(d);
        (name, component, of)
    };
    let tile = around(&[named("p", 2), named("x", 0), named("o", 1), named("y", 0)]);
    let mut top = around(&[named("alone", 0), named("beside", 1)]);
    top.instances.push(Instance { name: "t".into(), of: Of::Tile(0), position: None });
    let adg = Adg {
        name: "memories".into(),
        index_width: 32,
        definitions: definitions.clone(),
        tiles: vec![Tile { name: "tile".into(), body: tile }],
        top,
    };
    let fabric = loom_gen::elaborate(&Fabric::new(adg)).expect("well formed hardware");
    let of_kind = |end: &str| -> Vec<(String, Direction)> {
        let ports = fabric.ports().into_iter().filter(|p| p.name.ends_with(end));
        ports.map(|p| (p.name, p.direction)).collect()
    };
    let all = |names: &[&str], direction| -> Vec<(String, Direction)> {
        names.iter().map(|n| (n.to_string(), direction)).collect()
    };
    let masters = ["m0_axi_arvalid", "m1_axi_arvalid", "m2_axi_arvalid"];
    assert_eq!(of_kind("_arvalid"), all(&masters, Direction::Output));
    assert_eq!(
        of_kind("_rdata"),
        all(&["m0_axi_rdata", "h0_rdata", "m1_axi_rdata", "h1_rdata", "m2_axi_rdata"], Direction::Input)
            .into_iter()
            .map(|(n, d)| if n.starts_with('h') { (n, Direction::Output) } else { (n, d) })
            .collect::<Vec<_>>()
    );
    assert_eq!(of_kind("_req"), all(&["h0_req", "h1_req"], Direction::Input));
}
