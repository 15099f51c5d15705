//! The cache of models of Verilog, and the tools that build them: a machine on which something is wrong.

#![cfg(unix)]

use crate::common::{code, refused, root, stderr, Folder};
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
    for seconds in ["-1", "0", "1.5", "soon"] {
        let none = cosim(&[], &[("LOOM_TOOL_SECONDS", seconds)], None);
        assert!(refused(&none, "V0105").contains(seconds), "{seconds}");
    }
    // One that does nothing and says that all is well.
    let cache = folder.path("cache").display().to_string();
    let idle = "case $1 in --version) echo Verilator 5.006;; esac";
    let idle = cosim(&[], &[("LOOM_CACHE", &cache)], Some(("verilator", idle, &folder)));
    let said = refused(&idle, "V0102");
    assert!(said.contains("/verilator` ended without an error") && said.contains("made none"), "{said}");
}

/// Whether a process is there, and no zombie.
fn is_alive(id: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{}/stat", id.trim()));
    state.is_ok_and(|s| !s.rsplit(')').next().is_some_and(|rest| rest.trim().starts_with('Z')))
}

fn within_seconds(what: &str, good: impl Fn() -> bool) {
    for _ in 0..1000 {
        if good() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{what}");
}

/// A tool may be a script that starts others: all of them end with it, with its time, and with `loom`, however that ended.
#[test]
fn nothing_works_on_for_nobody() {
    let folder = Folder::new();
    let id = folder.path("id");
    let script = format!("sleep 1000 & echo $! > {}.new; mv {0}.new {0}; wait", id.display());
    let hangs = cosim(&[], &[("LOOM_TOOL_SECONDS", "1")], Some(("verilator", &script, &folder)));
    refused(&hangs, "V0102");
    let child = String::from_utf8(folder.read("id")).expect("a number");
    within_seconds("the child of a tool that took too long", || !is_alive(&child));

    std::fs::remove_file(&id).expect("removed");
    let path = format!("{}:{}", folder.path("").display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new(env!("CARGO_BIN_EXE_loom"));
    command.current_dir(root()).arg("cosim").args(SUM).env("PATH", &path).stderr(Stdio::null());
    let mut killed = command.spawn().expect("loom runs");
    within_seconds("the tool begins", || id.exists());
    let child = String::from_utf8(folder.read("id")).expect("a number");
    assert!(is_alive(&child));
    killed.kill().and_then(|()| killed.wait()).expect("it was running");
    within_seconds("the child of a tool whose loom was killed", || !is_alive(&child));

    // Those of LLVM have the same limit.
    folder.write("clang-19", format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(folder.path("clang-19"), std::fs::Permissions::from_mode(0o755))
        .expect("a script");
    let mut command = Command::new(env!("CARGO_BIN_EXE_loom"));
    command.current_dir(root()).args(["compile", "kernels/cordic/cordic.c", "-o"]).arg(folder.path("out"));
    command.env("PATH", &path);
    let output = command.env("LOOM_TOOL_SECONDS", "1").output().expect("loom runs");
    assert!(stderr(&output).contains("did not end within 1 s"), "{}", stderr(&output));
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
fn a_model_that_was_cut_short_or_is_anothers_is_built_again() {
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
    models_of_others_are_built_again(&folder, &folder.path("cache"));
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
    // What is there and is no result, the case among it.
    let case = folder.path("mine.toml");
    std::fs::copy(root().join("kernels/sum/n2.toml"), &case).expect("a copy");
    let before = std::fs::read(&case).expect("a case");
    std::os::unix::fs::symlink(&case, folder.path("link")).expect("a link");
    assert!(Command::new("mkfifo").arg(folder.path("pipe")).status().expect("mkfifo runs").success());
    for (waves, why) in [
        ("mine.toml", "it is an input of this command"),
        ("link", "a symbolic link is there"),
        ("pipe", "a device or a pipe is there"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loom"));
        command.current_dir(root()).arg("cosim").args(&SUM[..3]).arg("--case").arg(&case);
        command.arg("--waves").arg(folder.path(waves));
        let said = refused(&command.output().expect("loom runs"), "C0001");
        assert!(said.contains(why), "{said}");
    }
    assert_eq!(std::fs::read(&case).expect("still a case"), before);
    assert!(folder.path("link").is_symlink());
}

/// The library that writes waves maps files and asks for no error: without room it ended the process by a signal, or the file
/// was half of one.
#[test]
fn waves_without_room_are_an_error() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("small")).expect("a folder");
    let loom = env!("CARGO_BIN_EXE_loom");
    let run = |before: &str| {
        let mut command = Command::new("sh");
        command.current_dir(root()).args(["-c", &format!("{before}; exec \"$0\" \"$@\""), loom, "cosim"]);
        command.args(SUM).arg("--waves").arg(folder.path("small/sum.fst"));
        command.env("LOOM_CACHE", root().join("target/verilated")).output().expect("sh runs")
    };
    assert_eq!(code(&run(":")), 0);
    let whole = folder.read("small/sum.fst").len();
    std::fs::remove_file(folder.path("small/sum.fst")).expect("removed");
    let nothing_left = |output: Output| {
        let said = refused(&output, "C0001");
        assert!(said.contains("sum.fst` cannot be written"), "{said}");
        let left: Vec<_> = std::fs::read_dir(folder.path("small")).expect("a folder").flatten().collect();
        assert_eq!(left.len(), 0, "{left:?}");
    };
    nothing_left(run("ulimit -f 1"));
    // Not everybody may mount.
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(folder.path("small"))
        .output();
    if mount.is_ok_and(|m| m.status.success()) {
        let output = run(":");
        let left = std::fs::read_dir(folder.path("small")).map(|d| d.count());
        let unmounted = Command::new("umount").arg(folder.path("small")).status();
        assert!(unmounted.is_ok_and(|s| s.success()));
        assert!(whole > 1024, "a run of {whole} bytes");
        assert_eq!(left.expect("a folder"), 0);
        assert!(refused(&output, "C0001").contains("sum.fst` cannot be written"));
    }
}

/// What is loaded as code is the user's alone: of a cache with one model.
fn models_of_others_are_built_again(folder: &Folder, cache: &std::path::Path) {
    let shared = cache.display().to_string();
    let with = [("LOOM_CACHE", shared.as_str())];
    let fails = "case $1 in --version) exec VERILATOR --version;; *) exit 1;; esac";
    let fails = fails.replace("VERILATOR", &which("verilator"));
    let built_again = || refused(&cosim(&[], &with, Some(("verilator", &fails, folder))), "V0102");
    let files = |end: &str| -> Vec<std::path::PathBuf> {
        let files = std::fs::read_dir(cache).expect("a folder").flatten().map(|e| e.path());
        files.filter(|p| p.to_string_lossy().ends_with(end)).collect()
    };
    let [model] = &files(".so")[..] else { panic!("{:?}", files(".so")) };
    let mode = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("allowed");
    };
    mode(model, 0o777);
    built_again();
    mode(model, 0o755);
    assert_eq!(code(&cosim(&[], &with, Some(("verilator", &fails, folder)))), 0);
    // A pipe in the place of a model or of the lock is not waited for.
    let bytes = std::fs::read(model).expect("a model");
    std::fs::remove_file(model).expect("removed");
    assert!(Command::new("mkfifo").arg(model).status().expect("mkfifo runs").success());
    built_again();
    std::fs::remove_file(model).expect("removed");
    std::fs::write(model, bytes).expect("a model");
    // Only root gives files away.
    if std::os::unix::fs::chown(model, Some(12345), None).is_ok() {
        built_again();
        std::os::unix::fs::chown(model, Some(0), None).expect("back");
        std::os::unix::fs::chown(cache, None, Some(12345)).expect("another group");
        mode(cache, 0o770);
        assert!(refused(&cosim(&[], &with, None), "V0103").contains("group 12345 may write into it"));
        mode(cache, 0o700);
    }
    std::fs::remove_file(model).expect("removed");
    let lock = cache.join("lock");
    std::fs::remove_file(&lock).expect("removed");
    assert!(Command::new("mkfifo").arg(&lock).status().expect("mkfifo runs").success());
    assert!(refused(&cosim(&[], &with, None), "V0103").contains("no regular file"));
}
