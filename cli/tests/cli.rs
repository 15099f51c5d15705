//! The binary as a user meets it: exit codes, files, JSON, and refusals.

use crate::common;
use crate::common::{code, json, loom_in, root, stderr};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SUM: &str = "kernels/sum/sum.dfg.mlir";
const MESH: &str = "configs/mesh-2x2.toml";

fn loom(args: &[&str]) -> Output {
    loom_in(&root(), args)
}

/// Runs, expects exit code 1 and the diagnostic code in the text.
fn refused(args: &[&str], id: &str) {
    common::refused(&loom(args), id);
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn usage_errors_exit_with_2() {
    for args in
        [&[][..], &["frobnicate"], &["gen"], &["run", SUM], &["map", SUM, "--fabric", MESH, "--seed", "x"]]
    {
        assert_eq!(code(&loom(args)), 2, "{args:?}");
    }
}

#[test]
fn every_subcommand_has_help_with_an_example() {
    for command in [
        "compile", "interp", "gen", "check", "map", "decode", "sim", "cosim", "run", "patch", "prove", "ppa",
        "explore",
    ] {
        let output = loom(&[command, "--help"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(code(&output) == 0 && text.contains("Example"), "{command}\n{text}");
    }
}

#[test]
fn missing_and_unreadable_files_are_named() {
    refused(&["gen", "nowhere.toml", "-o", "/tmp/unused"], "C0001");
    refused(&["check", "README.txt"], "C0002");
    let dir = folder();
    let bytes = dir.path().join("x.dfg.mlir");
    std::fs::write(&bytes, [0xff, 0xfe, 0x00]).unwrap();
    refused(&["check", bytes.to_str().unwrap()], "C0001");
}

#[test]
fn gen_writes_the_same_bytes_twice() {
    let read = |dir: &Path| {
        let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(dir)
            .unwrap()
            .map(|e| e.unwrap().path())
            .map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&p).unwrap()))
            .collect();
        files.sort();
        files
    };
    let (a, b) = (folder(), folder());
    for dir in [&a, &b] {
        let output = loom(&["gen", MESH, "-o", dir.path().to_str().unwrap(), "--json"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(json(&output)["ok"], true);
    }
    let files = read(a.path());
    assert_eq!(files, read(b.path()));
    for name in ["filelist.f", "loom_fabric_mesh_2x2.v", "mesh-2x2.layout.json", "mesh-2x2.fabric.mlir"] {
        assert!(files.iter().any(|(n, _)| n == name), "{name}");
    }
    // The fabric MLIR is as good as the TOML.
    let c = folder();
    let mlir = a.path().join("mesh-2x2.fabric.mlir");
    let output = loom(&["gen", mlir.to_str().unwrap(), "-o", c.path().to_str().unwrap()]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(files, read(c.path()));
}

#[test]
fn map_then_decode_and_what_is_refused() {
    let dir = folder();
    let out = dir.path().to_str().unwrap();
    let output = loom(&["map", SUM, "--fabric", MESH, "-o", out]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let bin = dir.path().join("sum.mesh-2x2.config.bin");
    for suffix in ["map.json", "map.txt", "config.json", "config.h"] {
        assert!(dir.path().join(format!("sum.mesh-2x2.{suffix}")).is_file(), "{suffix}");
    }
    let bin = bin.to_str().unwrap();
    let output = loom(&["decode", bin, "--fabric", MESH]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(code(&output) == 0 && text.contains("routes"), "{text}{}", stderr(&output));

    refused(&["decode", bin, "--fabric", "configs/mesh-4x4.toml"], "G0101");
    let words = std::fs::read(bin).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_string()
    };
    refused(&["decode", &write("odd.bin", &words[..words.len() - 1]), "--fabric", MESH], "G0101");
    refused(&["decode", &write("short.bin", &words[4..]), "--fabric", MESH], "G0101");
    refused(&["decode", &write("ones.bin", &vec![0xff; words.len()]), "--fabric", MESH], "G0103");
    // A config.json of another fabric beside the words.
    let beside = std::fs::read_to_string(dir.path().join("sum.mesh-2x2.config.json")).unwrap();
    let mut value: Value = serde_json::from_str(&beside).unwrap();
    write("other.bin", &words);
    value["fabric_hash"] = "0".into();
    write("other.json", value.to_string().as_bytes());
    refused(&["decode", dir.path().join("other.bin").to_str().unwrap(), "--fabric", MESH], "G0108");
    write("other.json", b"{");
    refused(&["decode", dir.path().join("other.bin").to_str().unwrap(), "--fabric", MESH], "G0109");
}

#[test]
fn run_prints_one_object_with_every_key() {
    let dir = folder();
    let args = [
        "run",
        SUM,
        "--fabric",
        MESH,
        "--case",
        "kernels/sum/n1000.toml",
        "-o",
        dir.path().to_str().unwrap(),
        "--json",
    ];
    let output = loom(&args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let value = json(&output);
    for key in [
        "kernel",
        "fabric",
        "ops",
        "iterations",
        "cycles",
        "native_cycles",
        "ii",
        "graph_mii",
        "mii",
        "graph_bound_cycles",
        "bound_cycles",
        "ratio",
        "tokens_compared",
        "mismatches",
        "leftover",
        "map_ms",
        "config_words",
    ] {
        assert!(!value[key].is_null(), "{key} in {value}");
    }
    assert_eq!(value["mismatches"], 0);
    assert_eq!(value["leftover"], 0);
    assert_eq!(value["cycles"], value["native_cycles"]);
    assert_eq!(value["iterations"], 1000);
    assert_eq!(value["ii"], 1.0);
}

#[test]
fn a_case_that_expects_something_else_fails() {
    let dir = folder();
    let case = std::fs::read_to_string(root().join("kernels/sum/n2.toml")).unwrap();
    let at = case.find("[expect]").expect("the case states what it expects");
    let wrong = format!("{}[expect]\nsum = [123456]\n", &case[..at]);
    let path = dir.path().join("wrong.toml");
    std::fs::write(&path, wrong).unwrap();
    let (case, out) = (path.display().to_string(), dir.path().join("out").display().to_string());
    let output = loom(&["run", SUM, "--fabric", MESH, "--case", &case, "-o", &out, "--json"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    // All models agree, and only the case is wrong.
    let report = json(&output);
    assert_eq!(
        (&report["ok"], &report["mismatches"], &report["leftover"]),
        (&false.into(), &0.into(), &0.into())
    );
    assert_eq!(report["cycles"], report["native_cycles"]);
    let problems = report["problems"].as_array().expect("a list");
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].as_str().unwrap().contains("the case expects 0x1e240"), "{problems:?}");

    // `loom map` does not write what does not run as its case says.
    let mapped = dir.path().join("mapped").display().to_string();
    let map = ["map", SUM, "--fabric", MESH, "-o", &mapped];
    refused(&[&map[..], &["--case", &case]].concat(), "V0205");
    assert!(!Path::new(&mapped).exists(), "no file after an error");
}

#[test]
fn a_mapping_runs_before_it_is_written() {
    let dir = folder();
    let out = dir.path().display().to_string();
    let map = |kernel, more: &[&str]| {
        let output = loom(&[&["map", kernel, "--fabric", MESH, "-o", &out, "--json"], more].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        json(&output)["run"].clone()
    };
    // A case that is given, one that is made up, the same one for the same seed, and none.
    assert_eq!(map(SUM, &["--case", "kernels/sum/n1000.toml"])["case"], "n1000");
    let made_up = map(SUM, &[]);
    assert!(made_up["case"] == "made up" && made_up["cycles"].as_u64().unwrap() > 3, "{made_up}");
    assert_eq!(map(SUM, &[]), made_up);
    assert!(map(SUM, &["--no-run"]).is_null());
    // A condition that lets values pass needs as many of them as it says.
    let carry = "kernels/carry/carry.dfg.mlir";
    assert!(map(carry, &[]).is_null());
    let text = loom(&["map", carry, "--fabric", MESH, "-o", &out]).stdout;
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(text.contains("did not run") && text.contains("`--case`"), "{text}");
    for more in [&["--case", "x.toml", "--no-run"][..], &["--case"]] {
        assert_eq!(code(&loom(&[&["map", SUM, "--fabric", MESH, "-o", &out], more].concat())), 2, "{more:?}");
    }
}

#[test]
fn the_exact_engine_says_what_it_proved_and_a_limit_on_time_whether_it_answers() {
    let dir = folder();
    let out = dir.path().join("map").display().to_string();
    let map = |kernel, fabric, more: &[&str]| {
        loom(&[&["map", kernel, "--fabric", fabric, "-o", &out, "--json"], more].concat())
    };
    // The search takes far longer than a second, and writes nothing when it is ended.
    let reverse = "kernels/reverse/reverse.scf.mlir";
    let ended = map(reverse, "configs/general-8x8.toml", &["--engine", "exact", "--time-limit", "1"]);
    assert_eq!((code(&ended), json(&ended)["diagnostics"][0]["code"].as_str()), (1, Some("C0004")));
    assert!(!Path::new(&out).exists(), "no file after an error");
    let report = json(&map(GCD, "configs/mesh-2x2.toml", &["--engine", "exact"]));
    assert_eq!((&report["engine"], &report["proved"]), (&"exact".into(), &true.into()));
    assert_eq!((&report["lower_bound"], &report["proved_mii"]), (&3.0.into(), &3.0.into()));
    let report = json(&map(GCD, "configs/mesh-2x2.toml", &["--budget", "100"]));
    assert!(report["engine"] == "anneal" && report["lower_bound"].is_null(), "{report}");
}

const GCD: &str = "kernels/gcd/gcd.scf.mlir";
const VECADD: &str = "kernels/vecadd/vecadd.scf.mlir";

#[test]
fn compile_writes_both_artifacts_and_they_read_back() {
    let out = folder();
    let path = |name: &str| out.path().join(name).display().to_string();
    let folder = out.path().display().to_string();
    let output = loom(&["compile", VECADD, "-o", &folder, "--json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let report = json(&output);
    assert_eq!((&report["domain"], &report["memories"]), (&"function".into(), &3.into()));
    let checked = loom(&["check", &path("vecadd.scf.mlir"), &path("vecadd.dfg.mlir")]);
    assert_eq!(code(&checked), 0, "{}", stderr(&checked));
    // The plain program compiles to the graph it was written beside.
    let again = path("again");
    assert_eq!(code(&loom(&["compile", &path("vecadd.scf.mlir"), "-o", &again])), 0);
    let read = |p: PathBuf| std::fs::read_to_string(p).expect("written");
    let (first, second) =
        (read(out.path().join("vecadd.dfg.mlir")), read(out.path().join("again/vecadd.dfg.mlir")));
    assert_eq!(first, second);
    // The serial order is another graph with the same results.
    let serial = path("serial");
    assert_eq!(code(&loom(&["compile", VECADD, "--order", "serial", "-o", &serial])), 0);
    assert_ne!(read(out.path().join("serial/vecadd.dfg.mlir")), first);
}

#[test]
fn interp_runs_program_and_graph() {
    for kernel in [VECADD, "kernels/sum/sum.dfg.mlir"] {
        let folder = Path::new(kernel).parent().expect("a folder");
        let case = folder.join(if kernel == VECADD { "n64.toml" } else { "n2.toml" });
        let output = loom(&["interp", kernel, "--case", &case.display().to_string(), "--json"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(json(&output)["ok"], true);
    }
}

/// The graph has no memory for such an argument, so no case can say how long it is.
#[test]
fn interp_runs_what_is_read_for_nothing() {
    let out = folder();
    let [program, case] = ["f.scf.mlir", "case.toml"].map(|name| out.path().join(name).display().to_string());
    let text = "func.func @f(%a: memref<?xi32>, %n: i32) -> i32 {\n  %c = arith.constant 8 : index\n  \
                %x = memref.load %a[%c] : memref<?xi32>\n  return %n : i32\n}\n";
    std::fs::write(&program, text).expect("writable");
    std::fs::write(&case, "[inputs]\nn = [3]\n").expect("writable");
    let output = loom(&["interp", &program, "--case", &case]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn interp_takes_and_shows_halves() {
    let out = folder();
    let [program, case] = ["f.scf.mlir", "case.toml"].map(|name| out.path().join(name).display().to_string());
    let text = "func.func @f(%x: f16, %y: bf16) -> (f16, bf16) {\n  %a = arith.addf %x, %x : f16\n  \
                %b = arith.addf %y, %y : bf16\n  return %a, %b : f16, bf16\n}\n";
    std::fs::write(&program, text).expect("writable");
    std::fs::write(&case, "[inputs]\nx = [0.75, -0.1, 0x3c00, inf]\ny = [0.75, -0.1, 0x3f80, -3e38]\n")
        .expect("writable");
    let output = loom(&["interp", &program, "--case", &case]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let shown = String::from_utf8_lossy(&output.stdout);
    for list in ["1.5, -0.199951171875, 2, inf", "1.5, -0.2001953125, 2, -inf"] {
        assert!(shown.contains(list), "{shown}");
    }
}

#[test]
fn wrong_structured_programs_and_cases_are_refused() {
    let out = folder();
    let bad = out.path().join("bad.scf.mlir");
    let file = bad.display().to_string();
    let results = out.path().join("results");
    let to = results.display().to_string();
    let refused_text = |text: &str, id: &str| {
        std::fs::write(&bad, text).expect("writable");
        refused(&["compile", &file, "-o", &to], id);
        assert!(!results.exists(), "no file after an error");
    };
    refused_text("func.func @f(%x: i32) -> i32 {\n  return %y : i32\n}\n", "F0007");
    refused_text(
        "func.func @f(%x: i32) -> i32 {\n  %y = arith.addq %x, %x : i32\n  return %x : i32\n}\n",
        "F0004",
    );
    refused_text("func.func @f(%x: i32) -> i32 {\n  return %x : i64\n}\n", "F0009");
    refused_text("func.func @f(%x: i32) -> i32 {\n", "F0002");
    refused_text("", "F0103");
    refused_text("func.func @f(%x: i32) {\n  return\n}\nfunc.func @g() {\n  return\n}\n", "F0103");
    refused_text("func.func @f(%x: i32) {\n  func.call @f(%x) : (i32) -> ()\n  return\n}\n", "F0101");
    refused(&["compile", GCD, "--function", "other", "-o", &to], "F0103");
    refused(&["compile", GCD, "--domain", "for7", "-o", &to], "F0103");
    refused(&["compile", SUM, "-o", &to], "C0002");
    refused(&["compile", "no/such.scf.mlir", "-o", &to], "C0001");
    refused(&["compile", VECADD, "--fabric", MESH, "-o", &to], "F0104");
    refused(&["map", VECADD, "--fabric", MESH, "-o", &to], "F0104");
    refused(&["interp", GCD, "--case", "kernels/vecadd/n64.toml"], "S0106");
    assert!(!results.exists(), "no file after an error");
    for args in [&["compile", GCD][..], &["compile", GCD, "-o", &to, "--order", "random"], &["interp", GCD]] {
        assert_eq!(code(&loom(args)), 2, "{args:?}");
    }
}

#[test]
fn a_fault_of_the_program_has_its_place() {
    let out = folder();
    let program = out.path().join("over.scf.mlir");
    let case = out.path().join("case.toml");
    std::fs::write(
        &program,
        "func.func @over(%a: memref<4xi32>, %i: index) -> i32 {\n  %v = memref.load %a[%i] : memref<4xi32>\n  \
         return %v : i32\n}\n",
    )
    .expect("writable");
    std::fs::write(&case, "[inputs]\ni = [4]\n[memory]\na = [1, 2, 3, 4]\n").expect("writable");
    let output = loom(&["interp", &program.display().to_string(), "--case", &case.display().to_string()]);
    let text = stderr(&output);
    assert_eq!(code(&output), 1);
    assert!(text.contains("F0202") && text.contains("over.scf.mlir:2:"), "{text}");
}

#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_loom"))
        .args(["map", VECADD, "--fabric", MESH, "-o", "/nowhere"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    // Closed before the diagnostic is printed, or after: either way no panic, whose code is 101.
    drop(child.stderr.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}

#[test]
fn no_name_in_a_text_leads_out_of_the_folder() {
    let folder = folder();
    let program = folder.path().join("p.scf.mlir");
    let out = folder.path().join("out");
    let absolute = folder.path().join("absolute").display().to_string();
    for name in [&absolute, "../up", "a\\0Ab", "$(touch x)", "", &"x".repeat(300)] {
        let text = format!("func.func @\"{name}\"(%a: i32) -> i32 {{\n  return %a : i32\n}}\n");
        std::fs::write(&program, text).expect("written");
        refused(&["compile", &program.display().to_string(), "-o", &out.display().to_string()], "F0021");
    }
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).expect("there").map(|e| e.expect("there").path()).collect();
    assert_eq!(left, [program]);
}

#[test]
fn passes_are_listed_and_printed() {
    let list = loom(&["compile", "--list-passes"]);
    let text = String::from_utf8_lossy(&list.stdout).into_owned();
    assert_eq!(code(&list), 0);
    assert!(text.starts_with("structure ") && text.contains("after it: no scf.index_switch"), "{text}");
    let folder = folder();
    let kernel = "kernels/csr_rowsum/csr_rowsum.scf.mlir";
    let printed = loom(&["compile", kernel, "--print-after", "flatten"]);
    assert_eq!(code(&printed), 0, "{}", stderr(&printed));
    // What is printed is a program again.
    let again = folder.path().join("again.scf.mlir");
    std::fs::write(&again, &printed.stdout).expect("written");
    let out = folder.path().join("out").display().to_string();
    assert_eq!(code(&loom(&["compile", &again.display().to_string(), "-o", &out])), 0);
    let unknown = loom(&["compile", kernel, "--print-after", "nothing"]);
    assert_eq!(code(&unknown), 2);
    assert!(
        stderr(&unknown).contains("passes are balance, banks, chosen, counted, elementary, flatten"),
        "{}",
        stderr(&unknown)
    );
}
