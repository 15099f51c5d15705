//! Bad input and a bad machine: files without an end, full disks, paths and characters that nobody expects. Each of these once
//! ended in a panic, took all memory, or never ended.

mod common;

use common::{code, json, refused, root, stderr, Folder};
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
    let tables = |head: &str| {
        (0..100_000).fold(String::from("name = \"x\"\n"), |mut text, k| {
            let _ = writeln!(text, "[{head}{k}]\nx = 1");
            text
        })
    };
    let files = [
        ("a.scf.mlir", "@\n".repeat(5_000_000)),
        ("b.scf.mlir", "\u{1}\n".repeat(5_000_000)),
        ("c.dfg.mlir", "@\n".repeat(5_000_000)),
        ("d.fabric.mlir", "@\n".repeat(5_000_000)),
        ("e.toml", tables("none")),
        ("f.toml", tables("pe.p")),
        ("g.toml", "@\n".repeat(500_000)),
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
