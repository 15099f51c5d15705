//! `loom sim` and `loom cosim` of a config.bin alone: streams by port, memories by region, no graph and no mapping.

use crate::common::{refused, root, Folder};
use serde_json::Value;

/// Port of an argument or result in a map.json.
fn port(map: &Value, list: &str, name: &str) -> u64 {
    let rows = map[list].as_array().expect("a list");
    rows.iter().find(|r| r["name"] == name).expect("a row of that name")["port"].as_u64().expect("a port")
}

fn list(values: impl Iterator<Item = i64>) -> String {
    format!("[{}]", values.map(|v| v.to_string()).collect::<Vec<_>>().join(", "))
}

/// vecadd as somebody gets it who has neither the program nor its mapping: words, a fabric, and a table of regions.
#[test]
fn a_patched_bitstream_of_vecadd_gives_the_sums_alone() {
    let dir = Folder::new();
    let fabric = root().join("configs/mesh-4x4.toml").display().to_string();
    let program = root().join("kernels/vecadd/vecadd.scf.mlir").display().to_string();
    dir.json(&["map", &program, "--fabric", &fabric, "-o", "made"]);
    let made = |suffix: &str| dir.path(&format!("made/vecadd.mesh-4x4.{suffix}"));
    let map: Value = serde_json::from_str(&std::fs::read_to_string(made("map.json")).unwrap()).unwrap();
    let mapped = made("config.bin").display().to_string();
    let bases = ["--base", "a=0x30000", "--base", "b=0x10000", "--base", "c=0x20000"];
    let patch = [&["patch", &mapped, "--fabric", &fabric], &bases[..], &["-o", "board.bin"]].concat();
    let patched = dir.json(&patch);
    // Nothing but words and fabric is left.
    std::fs::remove_dir_all(dir.path("made")).unwrap();
    std::fs::remove_file(dir.path("board.json")).unwrap();

    let region = |memory: &str| {
        let rows = patched["memory_regions"].as_array().expect("a list");
        let row = rows.iter().find(|r| r["memory"] == memory).expect("a region");
        format!("\"{}/{}\"", row["interface"].as_str().unwrap(), row["region"])
    };
    let (a, b, c) = (region("a"), region("b"), region("c"));
    let (n, ctl) = (port(&map, "arguments", "n"), port(&map, "arguments", "ctl"));
    let done = port(&map, "results", "done");
    let sums = list((0..40).map(|i| 3 * i - 100 * i));
    let case = |sums: &str| {
        format!(
            "gate = {{ input = \"in{ctl}\", output = \"out{done}\" }}\n\
             [inputs]\nin{n} = [40, 3]\nin{ctl} = {{ value = 0, count = 2 }}\n[expect]\nout{done} = {{ count = 2 }}\n\
             [memory]\n{a} = {}\n{b} = {}\n{c} = {{ value = 0, count = 40 }}\n[expect_memory]\n{c} = {sums}\n\
             [stalls]\nseed = 1\nsource_percent = 20\nsink_percent = 20\n",
            list((0..40).map(|i| 3 * i)),
            list((0..40).map(|i| -100 * i)),
        )
    };
    dir.write("ports.toml", case(&sums));
    let args = |command, case| [command, "board.bin", "--fabric", &fabric, "--case", case];
    let report = dir.json(&args("cosim", "ports.toml"));
    assert_eq!((&report["ok"], &report["verilog_cycles"]), (&true.into(), &report["native_cycles"]));
    assert_eq!(report["outputs"][0]["values"], serde_json::json!([0, 0]));

    // A sum that is not one is noticed.
    dir.write("wrong.toml", case(&sums.replacen("-97", "-98", 1)));
    let output = dir.loom(&args("sim", "wrong.toml"));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("word 1 of memory") && text.contains("the case expects 0xffffff9e"), "{text}");

    // What cannot be is refused, and says what to do.
    dir.write("unknown.toml", "[inputs]\nin99 = [1]\n");
    assert!(refused(&dir.loom(&args("sim", "unknown.toml")), "S0105")
        .contains("`in99` is not an argument of `mesh-4x4`"));
    dir.write("gate.toml", case(&sums).replace(&format!("\"out{done}\""), "\"out99\""));
    assert!(refused(&dir.loom(&args("sim", "gate.toml")), "S0105").contains("`out99` is not an output"));
    let mut with_map = args("sim", "ports.toml").to_vec();
    with_map.extend(["--map", "x.json"]);
    assert!(refused(&dir.loom(&with_map), "C0002").contains("`--map` with `board.bin`"));
    // `a` and `b` at one address: the words of one would be those of the other.
    let place = a.trim_matches('"').to_string();
    dir.json(&[
        "patch",
        "board.bin",
        "--fabric",
        &fabric,
        "--base",
        &format!("{place}=0x10000"),
        "-o",
        "board.bin",
    ]);
    assert!(refused(&dir.loom(&args("sim", "ports.toml")), "V0206").contains("run into another memory"));
}
