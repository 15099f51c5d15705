//! Bad input and a bad machine: files without an end, full disks, paths and characters that nobody expects. Each of these once
//! ended in a panic, took all memory, or never ended.

use crate::common::{code, json, refused, root, stderr, Folder};
use std::fmt::Write;
use std::fs::File;
use std::process::{Command, Output};

fn mesh() -> String {
    root().join("configs/mesh-2x2.toml").display().to_string()
}

/// Runs `loom` with its output going to a device on which nothing fits.
fn onto_full_device(args: &[&str], output_too: bool) -> Output {
    let full = || File::options().write(true).open("/dev/full").expect("the device");
    let mut command = Command::new(env!("CARGO_BIN_EXE_loom"));
    command.current_dir(root()).args(args).stderr(std::process::Stdio::piped());
    if output_too {
        command.stdout(full());
    } else {
        command.stderr(full());
    }
    command.spawn().and_then(|child| child.wait_with_output()).expect("loom runs")
}

#[test]
fn a_full_device_is_an_error() {
    for args in [&["check", "configs/mesh-2x2.toml"][..], &["compile", "--list-passes"]] {
        let output = onto_full_device(args, true);
        refused(&output, "C0001");
        assert!(stderr(&output).contains("standard output cannot be written"), "{}", stderr(&output));
    }
    assert_eq!(code(&onto_full_device(&["--help"], true)), 1);
    // What cannot be said is not said; the exit code is.
    assert_eq!(code(&onto_full_device(&["check", "no-such.toml"], false)), 1);
}

#[cfg(unix)]
#[test]
fn paths_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let name = std::ffi::OsStr::from_bytes(b"a\xffb.toml");
    std::fs::copy(mesh(), folder.path("").join(name)).expect("a copy");
    for args in [&["check"][..], &["check", "--json"], &["gen", "--json", "-o", "out"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_loom"))
            .current_dir(folder.path(""))
            .args(args)
            .arg(name)
            .output()
            .expect("loom runs");
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    let folder = Folder::new();
    assert!(Command::new("mkfifo").arg(folder.path("pipe.toml")).status().expect("mkfifo runs").success());
    std::os::unix::fs::symlink("/dev/zero", folder.path("zero.toml")).expect("a link");
    std::fs::create_dir(folder.path("folder.toml")).expect("a folder");
    for name in ["pipe.toml", "zero.toml", "folder.toml"] {
        assert!(refused(&folder.loom(&["check", name]), "C0001").contains("no regular file"));
    }
    // Longer than what is read, and empty: it takes no room on the disk.
    File::create(folder.path("long.toml")).and_then(|f| f.set_len(1 << 40)).expect("a file");
    assert!(refused(&folder.loom(&["check", "long.toml"]), "C0001").contains("more than 64 MiB"));
}

/// Sizes at which work that grows with their square does not end.
#[test]
fn many_problems_are_counted_and_few_are_shown() {
    let folder = Folder::new();
    let fabric = std::fs::read_to_string(mesh()).expect("a fabric");
    let tables = |head: &str| {
        (0..100_000).fold(String::from("name = \"x\"\n"), |mut text, k| {
            let _ = writeln!(text, "[{head}{k}]\nx = 1");
            text
        })
    };
    let lines = |head: &str, line: &str, count: usize| {
        let body = (0..count).map(|k| format!("  {}\n", line.replace('K', &k.to_string())));
        format!("{head}\n{}  return %a : i32\n}}\n", body.collect::<String>())
    };
    let files = [
        ("a.scf.mlir", "@\n".repeat(5_000_000)),
        ("b.scf.mlir", "\u{1}\n".repeat(5_000_000)),
        ("c.dfg.mlir", "@\n".repeat(5_000_000)),
        ("d.fabric.mlir", "@\n".repeat(5_000_000)),
        ("e.toml", tables("none")),
        ("f.toml", tables("pe.p")),
        ("g.toml", "@\n".repeat(5_000_000)),
        ("h.toml", "a=1\n".repeat(2_000_000)),
        ("i.scf.mlir", lines("func.func @f(%a: i32) -> i32 {", "%yK = arith.addi %xK, %xK : i32", 20_000)),
        (
            "j.dfg.mlir",
            lines("handshake.func @f(%a: i32) -> (i32) {", "%yK = arith.addi %xK, %xK : i32", 20_000),
        ),
        ("k.dfg.mlir", lines("handshake.func @f(%a: i32) -> (i32) {", "%yK = buffer [1] %a : i32", 20_000)),
        ("l.dfg.mlir", lines("handshake.func @f(%a: i32) -> (i32) {", "%y = buffer [1] %a : i32", 50_000)),
        // What begins as a fabric and goes on as something else.
        ("m.toml", format!("{}\n{}", fabric, "[[x]]\n".repeat(2_000_000))),
        ("n.toml", format!("{}\n{}", fabric, tables("y"))),
    ];
    for (name, text) in files {
        folder.write(name, text);
        let output = folder.loom(&["check", "--json", name]);
        assert_eq!(code(&output), 1);
        let said = stderr(&output);
        let file = &json(&output)["files"][0];
        let listed = file["diagnostics"].as_array().expect("a list").len();
        assert_eq!(said.matches("error[").count(), listed, "{name}");
        assert!((1..=20).contains(&listed), "{name}: {listed}");
        let more = file["more"].as_u64().unwrap_or(0);
        assert_eq!(said.contains(&format!("and {more} more\n")), more > 0, "{name}");
        assert!(more == 0 || listed == 20, "{name}");
        assert!(said.len() < 50_000, "{name}");
        std::fs::remove_file(folder.path(name)).expect("removed");
    }
}

/// Texts that are as they should be, but long: what they cost grows with their length alone.
#[test]
fn long_programs_and_graphs_are_read_in_time() {
    let folder = Folder::new();
    let text = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let sum = text(20_000, &|k| {
        let before = if k == 0 { "%a".to_string() } else { format!("%x{}", k - 1) };
        format!("  %x{k} = arith.addi {before}, %a : i32\n")
    });
    folder.write(
        "long.scf.mlir",
        format!("func.func @f(%a: i32) -> i32 {{\n{sum}  return %x19999 : i32\n}}\n"),
    );
    let functions = text(20_000, &|k| {
        let call = format!("%r = func.call @f{}(%a) : (i32) -> i32", k + 1);
        format!("func.func @f{k}(%a: i32) -> i32 {{\n  {call}\n  return %r : i32\n}}\n")
    });
    let last = "func.func @f20000(%a: i32) -> i32 {\n  return %a : i32\n}\n";
    folder.write("functions.scf.mlir", functions + last);
    let arguments: Vec<String> = (0..50_000).map(|k| format!("%a{k}: i32")).collect();
    folder.write(
        "arguments.scf.mlir",
        format!("func.func @g({}) -> i32 {{\n  return %a0 : i32\n}}\n", arguments.join(", ")),
    );
    // A line of this is 40 bytes, and would be four thousand values.
    let forks = text(20_000, &|k| format!("  %f{k}:4096 = fork [4096] %a : i32\n"));
    folder.write(
        "forks.dfg.mlir",
        format!("handshake.func @f(%a: i32) -> (i32) {{\n{forks}  return %a : i32\n}}\n"),
    );
    for name in ["long.scf.mlir", "arguments.scf.mlir"] {
        assert_eq!(code(&folder.loom(&["compile", name, "-o", "out"])), 0, "{name}");
    }
    let said = refused(&folder.loom(&["check", "functions.scf.mlir"]), "F0103");
    assert!(said.contains("`f19` and 19981 more"), "{said}");
    assert_eq!(code(&folder.loom(&["check", "out/f.dfg.mlir"])), 0);
    let said = refused(&folder.loom(&["map", "out/f.dfg.mlir", "--fabric", &mesh(), "-o", "out"]), "M0102");
    assert!(said.contains("20000 ops compete"), "{said}");
    refused(&folder.loom(&["check", "forks.dfg.mlir"]), "D0011");
}

#[test]
fn nothing_steers_the_terminal() {
    let folder = Folder::new();
    let escape = "\x1b[31m\x1b]0;title\x07\u{9b}1m\u{202e}";
    let quiet = |output: &Output| {
        for text in [&output.stdout, &output.stderr].map(|b| String::from_utf8_lossy(b).into_owned()) {
            assert!(text.chars().all(|c| c == '\n' || (!c.is_control() && c != '\u{202e}')), "{text:?}");
        }
    };
    let name = format!("a{escape}.scf.mlir");
    folder.write(&name, format!("func.func @f(%a: i32) -> i32 {{ {escape}\n  return %b : i32\n}}\n"));
    folder.write("b.toml", format!("name = \"{}\"\n", "\\u001b[31m"));
    folder.write("c.dfg.mlir", format!("handshake.func @\"{escape}\"() {{\n"));
    for file in [name.as_str(), "b.toml", "c.dfg.mlir", &format!("no{escape}.toml")] {
        let output = folder.loom(&["check", file]);
        assert_eq!(code(&output), 1, "{file:?}");
        quiet(&output);
        quiet(&folder.loom(&["compile", file, "-o", "out"]));
    }
    for args in [&[escape][..], &["check", escape, "--none"], &["map", "--budget", escape]] {
        let output = folder.loom(args);
        assert_eq!(code(&output), 2);
        quiet(&output);
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_text() {
    let folder = Folder::new();
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("a text of the repository");
    for (name, text) in [
        ("a.toml", read("configs/mesh-2x2.toml")),
        ("b.scf.mlir", read("kernels/gcd/gcd.scf.mlir")),
        ("c.dfg.mlir", read("kernels/sum/sum.dfg.mlir")),
    ] {
        folder.write(name, format!("\u{feff}{text}"));
        let output = folder.loom(&["check", name]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
    folder.write("case.toml", format!("\u{feff}{}", read("kernels/sum/n2.toml")));
    let output = folder.loom(&["check", "case.toml", "--kernel", "c.dfg.mlir"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

/// Two thousand million iterations over 64 words: the program knows what it did wrong, and where.
#[test]
fn an_access_out_of_bounds_says_so() {
    let folder = Folder::new();
    let case = std::fs::read_to_string(root().join("kernels/vecadd/n64.toml")).expect("a case");
    folder.write("case.toml", case.replace("n = [64]", "n = [2147483647]"));
    let program = root().join("kernels/vecadd/vecadd.scf.mlir").display().to_string();
    let fabric = root().join("configs/mesh-4x4.toml").display().to_string();
    for args in [&["interp", &program][..], &["sim", &program, "--fabric", &fabric]] {
        let said = refused(&folder.loom(&[args, &["--case", "case.toml"]].concat()), "F0202");
        assert!(said.contains("vecadd.scf.mlir:") && said.contains("64"), "{said}");
    }
    // A graph has no program to ask, and ends too.
    assert_eq!(code(&folder.loom(&["compile", &program, "-o", "."])), 0);
    let output = folder.loom(&["interp", "vecadd.dfg.mlir", "--case", "case.toml"]);
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("RT_MEMORY_ADDRESS_OUT_OF_RANGE"), "{}", stderr(&output));
    assert!(!stderr(&output).contains("schedules"), "{}", stderr(&output));
}

/// Memory on chip that no fabric could have is the program's fault, not one to report.
#[test]
fn memory_that_is_too_large_is_the_programs() {
    let folder = Folder::new();
    folder.write(
        "big.scf.mlir",
        "func.func @big(%i: index, %j: index, %x: i32) -> i32 {\n  %a = memref.alloca() : memref<16777217xi32>\n  \
         memref.store %x, %a[%i] : memref<16777217xi32>\n  %y = memref.load %a[%j] : memref<16777217xi32>\n  \
         return %y : i32\n}\n",
    );
    let said = refused(&folder.loom(&["compile", "big.scf.mlir", "-o", "out"]), "F0101");
    assert!(said.contains("16777217 words") && !said.contains("please report"), "{said}");
}

#[test]
fn addresses_have_no_sign() {
    let folder = Folder::new();
    for address in ["0x+4", "+4", "-4", "0x-4", "0x", "4x"] {
        let base = format!("a={address}");
        let output = folder.loom(&["patch", "x.bin", "--fabric", &mesh(), "--base", &base, "-o", "y.bin"]);
        assert_eq!(code(&output), 2, "{address}: {}", stderr(&output));
    }
}

/// Files of a folder but those that a run makes anew each time.
fn names_in(folder: &Folder) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder.path(""))
        .expect("a folder")
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Results take the place of regular files only, and of no file that the command read.
#[cfg(unix)]
#[test]
fn outputs_replace_nothing_but_results() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::new();
    let program = root().join("kernels/vecadd/vecadd.scf.mlir");
    let text = std::fs::read_to_string(&program).expect("a program");
    std::fs::create_dir(folder.path("same")).expect("a folder");
    folder.write("same/vecadd.scf.mlir", &text);
    let said = refused(&folder.loom(&["compile", "same/vecadd.scf.mlir", "-o", "same"]), "C0001");
    assert!(said.contains("it is an input of this command"), "{said}");
    assert_eq!(folder.read("same/vecadd.scf.mlir"), text.as_bytes());
    // By another name.
    std::fs::create_dir(folder.path("other")).expect("a folder");
    std::fs::hard_link(folder.path("same/vecadd.scf.mlir"), folder.path("other/vecadd.scf.mlir"))
        .expect("a link");
    refused(&folder.loom(&["compile", "same/vecadd.scf.mlir", "-o", "other"]), "C0001");
    // What is written there already may be written again.
    let program = program.display().to_string();
    assert_eq!(code(&folder.loom(&["compile", &program, "-o", "out"])), 0);
    assert_eq!(code(&folder.loom(&["compile", "out/vecadd.scf.mlir", "-o", "out"])), 0);
    // A pipe, a link and a folder where a result would lie.
    let place = folder.path("out/vecadd.dfg.mlir");
    let refuses = |what: &str| {
        let said = refused(&folder.loom(&["compile", &program, "-o", "out"]), "C0001");
        assert!(said.contains(what) && said.contains("only regular files are replaced"), "{said}");
        std::fs::symlink_metadata(&place).expect("it is still there").file_type()
    };
    std::fs::remove_file(&place).expect("removed");
    assert!(Command::new("mkfifo").arg(&place).status().expect("mkfifo runs").success());
    assert!(refuses("a device or a pipe").is_fifo());
    std::fs::remove_file(&place).expect("removed");
    std::os::unix::fs::symlink(folder.path("same/vecadd.scf.mlir"), &place).expect("a link");
    assert!(refuses("a symbolic link").is_symlink());
    assert_eq!(folder.read("same/vecadd.scf.mlir"), text.as_bytes());
    std::fs::remove_file(&place).expect("removed");
    std::fs::create_dir(&place).expect("a folder");
    assert!(refuses("a folder").is_dir());
    // Nothing is left beside them.
    assert_eq!(names_in(&folder), ["other", "out", "same"]);
}

/// Where a process may write no more, nothing is left of what it wrote, and it says so.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_grow_is_an_error() {
    let folder = Folder::new();
    let output = Command::new("sh")
        .current_dir(folder.path(""))
        .args(["-c", "ulimit -f 1; exec \"$0\" gen \"$1\" -o out"])
        .args([env!("CARGO_BIN_EXE_loom"), &mesh()])
        .output()
        .expect("sh runs");
    assert!(refused(&output, "C0001").contains("cannot be written"));
    let left = std::fs::read_dir(folder.path("out")).expect("the folder").flatten();
    assert_eq!(left.filter(|e| e.file_name().to_string_lossy().starts_with('.')).count(), 0);
}

/// The same bytes whatever the environment is, and where one stands.
#[test]
fn results_depend_on_nothing_around() {
    let here = Folder::new();
    let deep = Folder::new();
    std::fs::create_dir_all(deep.path("a/b")).expect("folders");
    let program = root().join("kernels/vecadd/vecadd.scf.mlir").display().to_string();
    let fabric = root().join("configs/mesh-4x4.toml").display().to_string();
    let results = |folder: &std::path::Path, variables: &[(&str, &str)]| {
        let output = Command::new(env!("CARGO_BIN_EXE_loom"))
            .current_dir(folder)
            .env_clear()
            .envs(variables.iter().copied())
            .args(["map", &program, "--fabric", &fabric, "-o", "out"])
            .output()
            .expect("loom runs");
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let mut files: Vec<_> = std::fs::read_dir(folder.join("out")).expect("results").flatten().collect();
        files.sort_by_key(|e| e.file_name());
        files.iter().map(|e| (e.file_name(), std::fs::read(e.path()).expect("a file"))).collect::<Vec<_>>()
    };
    let first = results(&here.path(""), &[]);
    assert!(first.len() >= 7);
    for (name, value) in [("TZ", "Pacific/Kiritimati"), ("LC_ALL", "tr_TR.UTF-8"), ("HOME", "/nowhere")] {
        assert!(results(&deep.path("a/b"), &[(name, value)]) == first, "{name}={value}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    std::fs::create_dir(folder.path("shut")).expect("a folder");
    std::fs::set_permissions(folder.path("shut"), std::fs::Permissions::from_mode(0o555)).expect("allowed");
    // Root writes anyway, so that as root the test is another process's, which may do no more than others.
    let is_mighty = File::create(folder.path("shut/try")).is_ok();
    let (program, first) = match is_mighty {
        true => ("setpriv", &["--bounding-set=-all", "--inh-caps=-all", env!("CARGO_BIN_EXE_loom")][..]),
        false => (env!("CARGO_BIN_EXE_loom"), &[][..]),
    };
    let output = Command::new(program)
        .current_dir(folder.path(""))
        .args(first)
        .args(["gen", &mesh(), "-o", "shut"])
        .output()
        .expect("loom runs, as root by `setpriv` of util-linux");
    let said = refused(&output, "C0001");
    assert!(said.contains("shut/") && said.contains("cannot be written"), "{said}");
    let left: Vec<_> = std::fs::read_dir(folder.path("shut")).expect("the folder").flatten().collect();
    assert_eq!(left.len(), usize::from(is_mighty), "{left:?}");
}

/// Nobody makes a folder in a file, root neither.
#[test]
fn a_folder_that_would_lie_in_a_file_is_named() {
    let folder = Folder::new();
    folder.write("file", "text");
    let said = refused(&folder.loom(&["gen", &mesh(), "-o", "file/out"]), "C0001");
    assert!(said.contains("file/out"), "{said}");
    assert_eq!(names_in(&folder), ["file"]);
    assert_eq!(folder.read("file"), b"text");
}

#[test]
fn only_regular_files_are_read_by_any_command() {
    let folder = Folder::new();
    for name in ["space.toml", "cells.lib"] {
        assert!(Command::new("mkfifo").arg(folder.path(name)).status().expect("mkfifo runs").success());
    }
    let space = folder.loom(&["explore", "space.toml", "-o", "out"]);
    assert_eq!(code(&space), 1);
    assert!(stderr(&space).contains("no regular file"), "{}", stderr(&space));
    let cells = folder.loom(&["ppa", &mesh(), "--liberty", "cells.lib"]);
    assert_eq!(code(&cells), 1);
    // Without the tools that measure nothing is read.
    let said = stderr(&cells);
    assert!(said.contains("no regular file") || said.contains("is not on PATH"), "{said}");
}
