//! H12 on the elaborated fabrics of `configs/`: no combinational path leads through a fabric from its AXI interfaces, nor
//! through a mesh.

use loom_adg::Fabric;
use loom_base::Source;
use loom_hdl::ir::check::CombDeps;
use std::path::Path;

/// Every fabric in `configs/`: its name, and which inputs of its top module each output depends on in the same cycle.
fn fabrics() -> Vec<(String, CombDeps)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("readable").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path).expect("readable");
        let adg = loom_adg::toml::read(&Source::new("fabric.toml", text)).expect("a legal fabric");
        let made = loom_gen::elaborate(&Fabric::new(adg)).expect("well formed hardware");
        let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
        (name, made.design.comb_deps(&made.top))
    };
    paths.iter().map(|p| read(p)).collect()
}

/// Whether it is a port of `m<k>_axi_*`.
fn is_axi(port: &str) -> bool {
    port.starts_with('m') && port.contains("_axi_")
}

/// A slave that answers or is ready late in a cycle lengthens no path through the fabric, be it back to AXI or to a channel.
#[test]
fn what_axi_says_reaches_no_output_in_its_cycle() {
    let mut with_axi = Vec::new();
    for (name, deps) in fabrics() {
        for (output, inputs) in &deps {
            let from: Vec<_> = inputs.iter().filter(|i| is_axi(i)).collect();
            assert!(from.is_empty(), "{name}: {output} depends on {from:?}");
        }
        if deps.keys().any(|output| is_axi(output)) {
            with_axi.push(name);
        }
    }
    for name in ["general-4x4", "general-4x4-w64", "mesh-4x4", "mesh-4x4-w64"] {
        assert!(with_axi.iter().any(|n| n == name), "{name} has no AXI: {with_axi:?}");
    }
}

/// A mesh has registers behind its boundary. Only the loader looks at what is offered there: it takes no new image while a
/// token waits. (The switches of `tags` stand bare at the boundary.)
#[test]
fn a_mesh_has_no_path_from_boundary_to_boundary() {
    for (name, deps) in fabrics().into_iter().filter(|(name, _)| name != "tags") {
        for (output, inputs) in &deps {
            let loader = |input: &&String| output == "cfg_ready" && input.ends_with("_valid");
            let from: Vec<_> = inputs.iter().filter(|i| !loader(i)).collect();
            assert!(from.is_empty(), "{name}: {output} depends on {from:?}");
        }
    }
}
