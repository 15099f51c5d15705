//! The binary alone, in a folder where nothing of the repository is.

use crate::common::{code, refused, stderr, Folder};

#[test]
fn an_example_works_from_any_folder() {
    let folder = Folder::new();
    let made = folder.json(&["init", "a/b"]);
    assert_eq!(made["files"].as_array().expect("a list").len(), 5);
    for args in [
        &["check", "a/b/vecadd.scf.mlir", "a/b/mesh-4x4.toml"][..],
        &["interp", "a/b/vecadd.scf.mlir", "--case", "a/b/n64.toml"],
        &["sim", "a/b/vecadd.scf.mlir", "--fabric", "a/b/mesh-4x4.toml", "--case", "a/b/n64.toml"],
        // Fabrics that come with the binary have names.
        &["sim", "a/b/vecadd.scf.mlir", "--fabric", "mesh-4x4", "--case", "a/b/n64.toml"],
        &["gen", "mesh-2x2", "-o", "rtl"],
    ] {
        let output = folder.loom(args);
        assert_eq!(code(&output), 0, "{args:?}\n{}", stderr(&output));
    }
    let text = |name: &str| String::from_utf8(folder.read(name)).expect("text");
    let (core, list) = (text("rtl/mesh-2x2.core"), text("rtl/filelist.f"));
    let files: Vec<&str> = core.lines().filter_map(|l| l.trim().strip_prefix("- ")).collect();
    let (licence, names) = list.split_once('\n').expect("a line of its own");
    assert_eq!(licence, "// SPDX-License-Identifier: Apache-2.0");
    assert_eq!(files, names.lines().collect::<Vec<_>>());
    assert!(
        core.starts_with("CAPI=2:\n# SPDX-License-Identifier: Apache-2.0\n")
            && core.contains("toplevel: loom_fabric_mesh_2x2\n"),
        "{core}"
    );
    // Nothing is written over.
    folder.write("a/b/n64.toml", "mine");
    refused(&folder.loom(&["init", "a/b"]), "C0001");
    assert_eq!(folder.read("a/b/n64.toml"), b"mine");
    let unknown = refused(&folder.loom(&["gen", "mesh-9x9", "-o", "rtl"]), "C0002");
    assert!(unknown.contains("mesh-8x8-w64"), "{unknown}");
}
