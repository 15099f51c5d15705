//! Every shipped fabric in other tools' eyes: Verilator's lint without waivers, yosys, Icarus; and what its text may
//! not hold.

use loom_cosim::tools::{run, Tool, VERILATOR, YOSYS};
use loom_testkit::fabrics::fabric;
use rayon::prelude::*;
use std::process::Command;

const FABRICS: [&str; 9] = [
    "mesh-2x2",
    "mesh-4x4",
    "mesh-8x8",
    "general-4x4",
    "general-4x4-w64",
    "tags",
    "units",
    "units-float",
    "units-math",
];
const IVERILOG: Tool = Tool { program: "iverilog", package: "iverilog" };

fn find(tool: Tool) -> std::path::PathBuf {
    tool.find().unwrap_or_else(|d| panic!("{}: {:?}", d[0].message, d[0].help))
}

fn succeed(command: &mut Command) -> String {
    run(command).unwrap_or_else(|d| panic!("{}", d[0].message))
}

/// Writes a fabric's Verilog into a folder; gives the files, top first, and the top's name.
fn write(name: &str) -> (tempfile::TempDir, Vec<String>, String) {
    let f = fabric(&format!("configs/{name}.toml"));
    let made = loom_gen::elaborate(&f).expect("well formed hardware");
    let dir = tempfile::tempdir().expect("a folder");
    for (file, text) in made.files() {
        let body = text.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        for word in ["initial", "lint_off", "verilator", "synthesis"] {
            assert!(!body.contains(word), "{file} contains `{word}`");
        }
        assert_eq!(text.matches("endmodule").count(), 1, "{file} holds one module");
        std::fs::write(dir.path().join(file), text).expect("writable");
    }
    (dir, made.filelist(), made.top)
}

#[test]
fn verilator_has_nothing_to_say() {
    let verilator = find(VERILATOR);
    FABRICS.into_par_iter().with_max_len(1).for_each(|name| {
        let (dir, files, _) = write(name);
        let mut command = Command::new(&verilator);
        // All that there is, by its one top.
        command.current_dir(dir.path()).args(["--lint-only", "-Wall"]).args(&files);
        let said = succeed(&mut command);
        assert!(said.trim().is_empty(), "{name}: {said}");
    });
}

#[test]
fn yosys_finds_no_loop_latch_or_conflict() {
    let yosys = find(YOSYS);
    // Smaller and narrower ones of these have no other modules.
    let fabrics =
        FABRICS.into_par_iter().with_max_len(1).filter(|f| !["mesh-4x4", "general-4x4"].contains(f));
    fabrics.for_each(|name| {
        let (dir, files, top) = write(name);
        let mut script: String = files.iter().map(|f| format!("read_verilog {f}\n")).collect();
        script.push_str(&format!(
            "hierarchy -check -top {top}\nproc\nselect -assert-none t:$dlatch\nopt_clean\n"
        ));
        // A loop through several modules shows only when they are one: on the small fabrics, which have every shape.
        if ["mesh-2x2", "tags", "units", "units-float", "units-math"].contains(&name) {
            script.push_str("flatten\nopt_clean\n");
        }
        script.push_str("check -assert\n");
        std::fs::write(dir.path().join("check.ys"), script).expect("writable");
        succeed(Command::new(&yosys).current_dir(dir.path()).args(["-q", "check.ys"]));
    });
}

#[test]
fn icarus_reads_it_as_verilog_2001() {
    let iverilog = find(IVERILOG);
    for name in ["mesh-2x2", "tags", "units", "units-float", "units-math"] {
        let (dir, files, _) = write(name);
        let mut command = Command::new(&iverilog);
        command.current_dir(dir.path()).args(["-g2001", "-Wall", "-tnull"]).args(&files);
        let said = succeed(&mut command);
        assert!(said.trim().is_empty(), "{name}: {said}");
    }
}
