//! Finding and running the system's tools. A missing tool fails the test and names the package that brings it.

use loom_hdl::ir::{Design, Module};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// The path of a tool of a Debian package.
pub fn tool(name: &str, package: &str) -> PathBuf {
    which::which(name)
        .unwrap_or_else(|_| panic!("`{name}` is not installed; Debian package `{package}` brings it"))
}

/// Runs a command; panics with its output when it fails.
pub fn run(command: &mut Command) -> String {
    let out = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{command:?} failed:\n{text}");
    text
}

/// Writes a module and all below it into a folder; returns the paths, users first.
pub fn write_files(top: &Arc<Module>, dir: &Path) -> Vec<PathBuf> {
    let mut design = Design::new();
    design.add(top);
    design.check(&top.name).unwrap_or_else(|e| panic!("{}: {e:?}", top.name));
    for (name, text) in design.files() {
        std::fs::write(dir.join(name), text).expect("writable");
    }
    design.filelist(&top.name).iter().map(|f| dir.join(f)).collect()
}

/// `verilator --lint-only -Wall` without waivers.
pub fn verilator_lint(top: &Arc<Module>, files: &[PathBuf]) {
    let verilator = tool("verilator", "verilator");
    run(Command::new(verilator).args(["--lint-only", "-Wall", "--top-module", &top.name]).args(files));
}

/// yosys elaboration of several tops, each with `check -assert`, in one process for each thread.
pub fn yosys_check(tops: &[(Arc<Module>, Vec<PathBuf>)]) {
    let threads = rayon::current_num_threads();
    (0..threads).into_par_iter().for_each(|k| yosys_check_all(tops.iter().skip(k).step_by(threads)));
}

fn yosys_check_all<'a>(tops: impl Iterator<Item = &'a (Arc<Module>, Vec<PathBuf>)>) {
    let mut script = String::new();
    for (top, files) in tops {
        script.push_str("design -reset\n");
        for f in files {
            script.push_str(&format!("read_verilog {}\n", f.display()));
        }
        script.push_str(&format!("hierarchy -check -top {}\nproc\n", top.name));
        script.push_str("select -assert-none t:$_DLATCH* t:$dlatch\nflatten\nopt_clean\ncheck -assert\n");
    }
    let dir = tempfile::tempdir().expect("temporary folder");
    let path = dir.path().join("check.ys");
    std::fs::write(&path, script).expect("writable");
    run(Command::new(tool("yosys", "yosys")).arg("-q").arg(&path));
}

/// Generic gates, flip-flop bits, longest path.
pub fn area(top: &Arc<Module>) -> (u32, u32, u32) {
    let dir = tempfile::tempdir().expect("temporary folder");
    let files = write_files(top, dir.path());
    let mut script = String::new();
    for f in files {
        script.push_str(&format!("read_verilog {}; ", f.display()));
    }
    script.push_str(&format!("synth -flatten -top {}; abc; opt_clean; tee -o ", top.name));
    let report = dir.path().join("stat.txt");
    script.push_str(&format!("{} stat; tee -a {0} ltp -noff", report.display()));
    run(Command::new(tool("yosys", "yosys")).args(["-q", "-p", &script]));
    let text = std::fs::read_to_string(report).expect("written by yosys");
    let (mut gates, mut bits, mut depth) = (0, 0, 0);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [cell, count] if cell.contains("DFF") => bits += count.parse::<u32>().unwrap_or(0),
            [cell, count] if cell.starts_with("$_") => gates += count.parse::<u32>().unwrap_or(0),
            ["Longest", "topological", "path", .., length] => {
                depth = length
                    .trim_end_matches(':')
                    .trim_start_matches("(length=")
                    .trim_end_matches(')')
                    .parse()
                    .unwrap();
            }
            _ => {}
        }
    }
    (gates, bits, depth)
}
