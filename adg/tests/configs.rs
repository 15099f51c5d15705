//! The default fabrics: they load, they are the generator's text, they have the documented shape.

use loom_adg::model::MemoryInterface;
use loom_adg::{topology, Component, Fabric};
use loom_base::Source;
use loom_dfg::OpKind;

fn text(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../configs/{name}", env!("CARGO_MANIFEST_DIR"))).expect(name)
}

fn load(name: &str) -> loom_adg::Adg {
    let source = Source::new(name, text(name));
    let (adg, diagnostics) = loom_adg::toml::load(&source, &|_| None);
    let shown: Vec<String> = diagnostics.iter().map(|d| d.render(&source)).collect();
    assert!(shown.is_empty(), "{}", shown.join("\n"));
    adg.expect(name)
}

const MESHES: [usize; 4] = [2, 4, 6, 8];

#[test]
fn meshes_are_what_the_generator_writes() {
    for (n, width) in MESHES.into_iter().flat_map(|n| [(n, 32), (n, 64)]) {
        let suffix = if width == 64 { "-w64" } else { "" };
        let name = format!("mesh-{n}x{n}{suffix}.toml");
        if n == 2 && width == 64 {
            continue;
        }
        let path = format!("{}/../configs/{name}", env!("CARGO_MANIFEST_DIR"));
        let want = topology::mesh_toml_of(n, n, width);
        if std::env::var_os("UPDATE_EXPECT").is_some()
            && std::fs::read_to_string(&path).ok().as_ref() != Some(&want)
        {
            std::fs::write(path, &want).expect("write");
        }
        assert!(
            text(&name) == want,
            "{name} differs from `topology::mesh_toml`; UPDATE_EXPECT=1 rewrites it"
        );
    }
}

/// Bitstreams carry the hash: a default mesh that changes refuses those made before.
#[test]
fn meshes_are_the_same_fabrics_as_ever() {
    let hashes = [
        ("mesh-2x2", "8191c8abffd6e20c"),
        ("mesh-4x4", "30eae536fa769ded"),
        ("mesh-4x4-w64", "42281cae47a6a3ed"),
        ("mesh-6x6", "a3938ad6d997d8b9"),
        ("mesh-6x6-w64", "62db68244b09ba14"),
        ("mesh-8x8", "8c09b9cdc310c935"),
        ("mesh-8x8-w64", "0beef0bf7e606bc8"),
        ("general-4x4", "4ece0d3af9c8fe03"),
        ("general-4x4-w64", "686ec0ce9dbf6e55"),
        ("general-6x6", "2016d6dcbdefc677"),
        ("general-6x6-w64", "f1a35c89f883be57"),
        ("general-8x8", "091604d8f6a982f3"),
        ("general-8x8-w64", "a7b331cd77f69cab"),
        ("general-12x12", "509cfec40d692fd7"),
        ("general-12x12-w64", "f7ef82156a3b8bee"),
    ];
    let found = hashes.map(|(name, _)| Fabric::new(load(&format!("{name}.toml"))).hash()[..16].to_string());
    assert_eq!(found, hashes.map(|h| h.1));
}

#[test]
fn meshes_load() {
    let wide = [4, 6, 8].map(|n| (n, format!("mesh-{n}x{n}-w64")));
    for (n, name) in MESHES.map(|n| (n, format!("mesh-{n}x{n}"))).into_iter().chain(wide) {
        let adg = load(&format!("{name}.toml"));
        assert_eq!(adg.name, name);
        assert_eq!((adg.top.inputs.len(), adg.top.outputs.len()), (8 * n, 8 * n));
        let fabric = Fabric::new(adg);
        assert!(fabric.flat().components.iter().all(|c| c
            .inputs
            .iter()
            .chain(&c.outputs)
            .all(Option::is_some)));
        assert!(fabric.layout().words > 0);
    }
}

/// What docs/fabric.md says of the general meshes: three channels, and by size PEs, lanes of AXI ports, and PEs of the large kinds.
#[test]
fn general_meshes_grow_in_what_they_have() {
    let sizes: [(usize, [usize; 6]); 4] = [
        (4, [97, 10, 8, 6, 9, 3]),
        (6, [246, 15, 12, 23, 12, 4]),
        (8, [428, 26, 20, 25, 50, 6]),
        (12, [975, 47, 35, 72, 88, 12]),
    ];
    for ((n, want), suffix) in sizes.into_iter().flat_map(|s| [(s, ""), (s, "-w64")]) {
        let name = format!("general-{n}x{n}{suffix}");
        let fabric = Fabric::new(load(&format!("{name}.toml")));
        assert_eq!(fabric.name().as_str(), name);
        // One of the three channels of the larger ones leads over a tile and has no ports.
        let ports = if n >= 8 { 8 * n } else { 12 * n };
        assert_eq!((fabric.adg().top.inputs.len(), fabric.adg().top.outputs.len()), (ports, ports));
        let components: Vec<&Component> = fabric.flat().ids().map(|id| fabric.component(id)).collect();
        let runs = |c: &Component, op: OpKind| match c {
            Component::SpatialPe(pe) => pe.fus.iter().any(|f| f.single_op() == Some(op)),
            _ => false,
        };
        let pes = |op: OpKind| components.iter().filter(|c| runs(c, op)).count();
        let lanes = |of: fn(&MemoryInterface) -> usize| -> usize {
            let ports = components.iter().filter_map(|c| match c {
                Component::Memory(m) if m.is_external() => Some(of(m)),
                _ => None,
            });
            ports.sum()
        };
        let all = components.iter().filter(|c| matches!(c, Component::SpatialPe(_))).count();
        let floats = pes(OpKind::Mulf);
        let has =
            [all, lanes(|m| m.loads), lanes(|m| m.stores), pes(OpKind::Muli), floats, pes(OpKind::Divsi)];
        assert_eq!(has, want, "{name}");
    }
}

#[test]
fn the_tag_fabric_loads() {
    let adg = load("tags.toml");
    let fabric = Fabric::new(adg);
    let flat = fabric.flat();
    let kinds: std::collections::BTreeSet<&str> =
        flat.ids().map(|id| fabric.component(id).kind_name()).collect();
    let want = ["add_tag", "del_tag", "fifo", "map_tag", "spatial_sw", "temporal_sw"];
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), want);
    assert!(flat.channels.iter().any(|c| c.source_type != c.sink_type), "widths are adapted somewhere");
}

/// What docs/fabric.md says of `disjoint`, `fc_in` and `fc_out`, and that nothing else becomes less.
#[test]
fn sparse_switches_connect_what_their_keys_say() {
    let switch = |keys: &str| {
        let text = format!(
            "name = \"f\"\nuse = [\"general32\"]\n[tile.t]\nchannels = 3\nslacks = 1\n{keys}\nmemories = [\"m: port\"]\n\
             ranks = [[\"s: state\"], [\"u: alu\"], [\"w: wide\"]]\n[mesh]\nlayout = [\"t\"]\nlegend = {{ t = \"t\" }}\n"
        );
        let (adg, diagnostics) = loom_adg::toml::load(&Source::new("f", text), &|_| None);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        adg.expect("legal").definitions.into_iter().find_map(|d| match d.component {
            Component::SpatialSw(sw) => Some(sw),
            _ => None,
        })
    };
    let (dense, sparse) = (switch("").expect("a switch"), switch("disjoint = true\nfc_in = 2\nfc_out = 1"));
    let sparse = sparse.expect("a switch");
    let (links, loops) = (12, 15);
    let (pe_inputs, pe_outputs) = (loops..loops + 8, loops..loops + 6);
    for (output, row) in dense.connectivity.iter().enumerate() {
        for (input, &was) in row.iter().enumerate() {
            let same = output % 3 == input % 3;
            let is = sparse.connectivity[output][input];
            match (output < links, input < links) {
                (true, true) => assert_eq!(is, was && same, "from link {input} to link {output}"),
                (true, false) if pe_outputs.contains(&input) => assert!(was || !is),
                (false, true) if pe_inputs.contains(&output) => assert!(was || !is),
                _ => assert_eq!(is, was, "from {input} to {output}"),
            }
        }
    }
    for side in 0..4 {
        let heard = |output: usize, channel: usize| sparse.connectivity[output][side * 3 + channel];
        for port in pe_inputs.clone() {
            assert_eq!((0..3).filter(|&c| heard(port, c)).count(), 2, "PE input {port}");
            let next = if port + 1 < pe_inputs.end { port + 1 } else { port - 1 };
            assert!((0..3).all(|c| heard(port, c) || heard(next, c)), "PE inputs {port} and {next}");
        }
        for port in pe_outputs.clone() {
            let driven = (0..3).filter(|c| sparse.connectivity[side * 3 + c][port]).count();
            assert_eq!(driven, 1, "PE output {port}");
        }
    }
}
