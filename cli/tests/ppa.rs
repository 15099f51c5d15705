//! What `loom ppa` refuses, and how it says so. Its figures are tested in `verif/bench`.

use crate::common::{json, loom_in, refused, root, Folder};
use std::path::Path;
use std::process::{Command, Output};

fn ppa(args: &[&str]) -> Output {
    loom_in(&root(), &[&["ppa"], args].concat())
}

/// `loom ppa` of the smallest mesh where only `folder` is on PATH.
fn with_path(folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_loom"))
        .current_dir(root())
        .env("PATH", folder)
        .args(["ppa", "mesh-2x2"])
        .output()
        .expect("loom runs")
}

/// A program that says a few lines and fails.
fn fails(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, "#!/bin/sh\necho first line\necho no such cell\nexit 3\n").expect("a file");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("an executable");
}

#[test]
fn a_tile_that_is_not_there() {
    let said = refused(&ppa(&["mesh-4x4", "--tile", "nowhere"]), "V0502");
    assert!(said.contains("no tile `nowhere`") && said.contains("`control`, `"), "{said}");
    // A fabric without tiles has itself.
    let said = refused(&ppa(&["tags", "--tile", "nowhere"]), "V0502");
    assert!(said.contains("what it has is `tags`"), "{said}");
    let object = json(&ppa(&["tags", "--tile", "nowhere", "--json"]));
    assert_eq!(object["ok"], false);
    assert_eq!(object["diagnostics"][0]["code"], "V0502");
}

#[test]
fn tools_that_are_missing_or_fail() {
    let folder = Folder::new();
    let path = folder.path("");
    let said = refused(&with_path(&path), "V0101");
    assert!(said.contains("`yosys` is not on PATH") && said.contains("apt-get install yosys"), "{said}");
    fails(&path.join("yosys"));
    let said = refused(&with_path(&path), "V0101");
    assert!(said.contains("`sta` is not on PATH") && said.contains("apt-get install opensta"), "{said}");
    fails(&path.join("sta"));
    let said = refused(&with_path(&path), "V0102");
    assert!(said.contains("no such cell"), "{said}");
}

#[test]
fn a_library_that_is_missing() {
    let said = refused(&ppa(&["mesh-2x2", "--liberty", "nowhere.lib"]), "V0501");
    assert!(said.contains("`nowhere.lib` cannot be read"), "{said}");
    refused(&ppa(&["mesh-2x2", "--liberty", "configs/mesh-2x2.toml"]), "V0501");
}
