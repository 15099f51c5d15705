//! The cache of models of Verilog, and the tools that build them: a machine on which something is wrong.

#![cfg(unix)]

mod common;

use common::{code, refused, root, stderr, Folder};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

const SUM: [&str; 6] = [
    "kernels/sum/sum.dfg.mlir",
    "--fabric",
    "configs/mesh-2x2.toml",
    "--case",
    "kernels/sum/n2.toml",
    "--quiet",
];

/// `loom cosim` of a short case, with these variables, and with a tool in the place of another.
fn cosim(more: &[&str], variables: &[(&str, &str)], tool: Option<(&str, &str, &Folder)>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loom"));
    command.current_dir(root()).arg("cosim").args(SUM).args(more);
    command.env("LOOM_CACHE", root().join("target/verilated")).envs(variables.iter().copied());
    if let Some((name, script, folder)) = tool {
        folder.write(name, format!("#!/bin/sh\n{script}\n"));
        let runs = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.path(name), runs).expect("a script");
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", folder.path("").display()));
    }
    command.output().expect("loom runs")
}

#[test]
fn tools_that_are_too_old_or_hang_are_named() {
    let folder = Folder::new();
    let old =
        refused(&cosim(&[], &[], Some(("verilator", "echo Verilator 4.038 2020-07-11", &folder))), "V0104");
    assert!(old.contains("version 4.038, 5.0 or later is needed"), "{old}");
    let other = refused(&cosim(&[], &[], Some(("verilator", "echo hello", &folder))), "V0104");
    assert!(other.contains("no version"), "{other}");
    let hangs = cosim(&[], &[("LOOM_TOOL_SECONDS", "1")], Some(("verilator", "sleep 1000", &folder)));
    assert!(refused(&hangs, "V0102").contains("did not end within 1 s"));
}

#[test]
fn folders_that_cannot_be_used_are_refused() {
    let folder = Folder::new();
    folder.write("file", "");
    let file = folder.path("file").display().to_string();
    refused(&cosim(&[], &[("LOOM_CACHE", &file)], None), "V0103");
    std::fs::create_dir(folder.path("open")).expect("a folder");
    let all = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(folder.path("open"), all).expect("allowed");
    let open = folder.path("open").display().to_string();
    let said = refused(&cosim(&[], &[("LOOM_CACHE", &open)], None), "V0103");
    assert!(said.contains("everybody may write"), "{said}");
}

/// Not below the folder that one stands in: the user's, and where none is named, that of `HOME`.
#[test]
fn the_cache_is_the_users() {
    let folder = Folder::new();
    let (xdg, home) = (folder.path("xdg").display().to_string(), folder.path("home").display().to_string());
    // A build that fails makes the folder all the same.
    let fails = "case $1 in --version) echo Verilator 5.006;; *) exit 1;; esac";
    for (variables, made) in [
        (
            [("LOOM_CACHE", ""), ("XDG_CACHE_HOME", xdg.as_str()), ("HOME", home.as_str())],
            "xdg/loom/verilated",
        ),
        (
            [("LOOM_CACHE", ""), ("XDG_CACHE_HOME", "relative"), ("HOME", home.as_str())],
            "home/.cache/loom/verilated",
        ),
    ] {
        refused(&cosim(&[], &variables, Some(("verilator", fails, &folder))), "V0102");
        let mode = std::fs::metadata(folder.path(made)).expect("the cache").permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{made}");
        let left: Vec<_> = std::fs::read_dir(folder.path(made)).expect("a folder").flatten().collect();
        assert_eq!(
            left.iter().map(|e| e.file_name()).collect::<Vec<_>>(),
            ["lock"],
            "nothing is left of a build"
        );
    }
}

/// A model that was cut short ended the process with a signal when it was loaded.
#[test]
fn a_model_that_was_cut_short_is_built_again() {
    let folder = Folder::new();
    let cache = folder.path("cache").display().to_string();
    let with = [("LOOM_CACHE", cache.as_str())];
    let first = cosim(&[], &with, None);
    assert_eq!(code(&first), 0, "{}", stderr(&first));
    let models = || -> Vec<_> {
        let files = std::fs::read_dir(&cache).expect("a folder").flatten().map(|e| e.path());
        files.filter(|p| p.extension().is_some_and(|e| e == "so")).collect()
    };
    let [model] = &models()[..] else { panic!("{:?}", models()) };
    let whole = std::fs::metadata(model).expect("a file").len();
    for length in [0, 1000, whole / 2, whole - 1] {
        std::fs::File::options().write(true).open(model).and_then(|f| f.set_len(length)).expect("cut");
        // The tool that is asked to build it again does not: only that it is asked matters.
        let fails = "case $1 in --version) exec VERILATOR --version;; *) exit 1;; esac";
        let real = which("verilator");
        let output = cosim(&[], &with, Some(("verilator", &fails.replace("VERILATOR", &real), &folder)));
        refused(&output, "V0102");
    }
    let again = cosim(&[], &with, None);
    assert_eq!(code(&again), 0, "{}", stderr(&again));
    assert_eq!(std::fs::metadata(model).expect("a file").len(), whole);
}

/// One is killed in the middle of its build; its remains are removed, and the others build one model between them.
#[test]
fn several_at_once_share_a_cache() {
    let folder = Folder::new();
    let cache = folder.path("cache").display().to_string();
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loom"));
        command.current_dir(root()).arg("cosim").args(SUM).env("LOOM_CACHE", &cache);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("loom runs")
    };
    let builds = || {
        let entries = std::fs::read_dir(&cache).into_iter().flatten().flatten();
        entries.filter(|e| e.file_name().to_string_lossy().starts_with("build-")).count()
    };
    let mut killed = start();
    while builds() == 0 {
        assert!(killed.try_wait().expect("its state").is_none(), "it has a model to build");
        std::thread::yield_now();
    }
    killed.kill().and_then(|()| killed.wait()).expect("it was running");
    let runs = [start(), start(), start()].map(|child| child.wait_with_output().expect("it ends"));
    for run in &runs {
        assert_eq!(code(run), 0, "{}", stderr(run));
        assert_eq!(run.stdout, runs[0].stdout);
    }
    assert_eq!(builds(), 0);
    let files = std::fs::read_dir(&cache).expect("a folder").flatten().map(|e| e.path());
    assert_eq!(files.filter(|p| p.extension().is_some_and(|e| e == "so")).count(), 1);
}

fn which(tool: &str) -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|p| p.join(tool)).find(|p| p.is_file());
    found.expect("the tool").display().to_string()
}

#[test]
fn waves_that_cannot_be_written_are_an_error() {
    let folder = Folder::new();
    folder.write("file", "");
    for waves in ["", "file/sum.fst"] {
        let waves = folder.path(waves).display().to_string();
        let said = refused(&cosim(&["--waves", &waves], &[], None), "C0001");
        assert!(said.contains("cannot be written"), "{said}");
    }
}
