//! `loom explore` as a workflow engine meets it, and what `loom check` says a fabric costs.

use crate::common::{code, json, loom_in, refused, root, Folder};
use serde_json::Value;

fn space(folder: &Folder, axis: &str) -> String {
    let kernel = root().join("kernels/gate/gate.dfg.mlir");
    let text = format!("base = \"mesh-2x2\"\nkernels = [\"{}\"]\n{axis}", kernel.display());
    std::fs::write(folder.path("space.toml"), text).expect("a file");
    folder.path("space.toml").display().to_string()
}

const DEPTHS: &str = "[[axis]]\nname = \"depth\"\nkeys = [\"tile.*.turnaround_depth\"]\nvalues = [4, 8]\n";

#[test]
fn points_are_planned_evaluated_one_by_one_and_collected() {
    let folder = Folder::new();
    let (space, out) = (space(&folder, DEPTHS), folder.path("out"));
    let out = out.to_str().expect("UTF-8");
    let planned = json(&loom_in(&root(), &["explore", &space, "-o", out, "--plan", "--json"]));
    let points: Vec<&str> =
        planned["points"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert_eq!(points.len(), 2);
    assert!(!folder.path("out/points/p000000/result.json").exists());
    let one = json(&loom_in(&root(), &["explore", "--point", points[1], "--json"]));
    assert_eq!((&one["ok"], &one["result"]["mapped"]), (&true.into(), &1.into()));
    let written = std::fs::metadata(folder.path("out/points/p000001/result.json")).expect("its result");
    let all = json(&loom_in(&root(), &["explore", &space, "-o", out, "--json"]));
    let rows = all["exploration"]["points"].as_array().expect("a list");
    assert_eq!(rows[1], one["result"]);
    assert!(rows[0]["area_um2"].as_u64() < rows[1]["area_um2"].as_u64());
    // What was there was not evaluated again.
    let again = std::fs::metadata(folder.path("out/points/p000001/result.json")).expect("its result");
    assert_eq!(written.modified().ok(), again.modified().ok());
    let svg = std::fs::read_to_string(folder.path("out/front.svg")).expect("a picture");
    assert!(
        svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>") && svg.contains("depth=4"),
        "{svg}"
    );
    let page = std::fs::read_to_string(folder.path("out/table.md")).expect("a table");
    assert!(page.contains("depth=8") && folder.path("out/explore.json").exists(), "{page}");
}

#[test]
fn bad_spaces_and_points_are_refused() {
    let folder = Folder::new();
    let run = |axis: &str| loom_in(&root(), &["explore", &space(&folder, axis), "-o", "/nonexistent"]);
    assert!(refused(&run("axes = 1\n"), "V0504").contains("space.toml:"));
    assert!(refused(&run(&DEPTHS.replace("tile.*", "tile.none")), "V0504").contains("no `tile.none`"));
    refused(&loom_in(&root(), &["explore", "--point", "nowhere"]), "V0505");
    assert_eq!(code(&loom_in(&root(), &["explore"])), 2);
}

#[test]
fn check_says_what_a_fabric_costs() {
    let object = json(&loom_in(&root(), &["check", "configs/mesh-2x2.toml", "--json"]));
    let cost = &object["files"][0]["cost"];
    let area = |v: &Value| v["area_um2"].as_u64().expect("an area");
    let rows = cost["rows"].as_array().expect("rows");
    let sum: u64 = rows.iter().map(|r| area(r) * r["instances"].as_u64().expect("a number")).sum();
    assert_eq!(sum, area(cost));
    let last = cost["path"].as_array().and_then(|p| p.last()).expect("a path");
    assert_eq!(last["at_ps"], cost["period_ps"]);
    let output = loom_in(&root(), &["check", "configs/mesh-2x2.toml"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("compute_tile") && text.contains("(spatial_pe)"), "{text}");
    assert!(text.contains(last["name"].as_str().expect("a name")), "{text}");
}
