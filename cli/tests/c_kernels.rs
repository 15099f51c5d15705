//! The programs in C and C++ below `kernels/` and their header: every one compiles without a warning and finds its own
//! results right, and `docs/kernels.md` lists every kernel.
//!
//! `CC` and `CXX` name other compilers than `cc` and `c++`. To write the page anew after a change:
//! `UPDATE_EXPECT=1 cargo test -p loom c_kernels`, then read the diff.

use crate::common::root;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use loom_base::page::splice;
use rayon::prelude::*;

const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Werror", "-pedantic"];
const STANDARDS: [&str; 6] = ["c99", "c11", "c17", "c++11", "c++17", "c++20"];

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A kernel and the file that it is.
struct Kernel {
    name: String,
    suffix: String,
    path: PathBuf,
    text: String,
}

impl Kernel {
    fn is_native(&self) -> bool {
        ["c", "cpp"].contains(&self.suffix.as_str())
    }
}

/// Every file below `kernels/` that is named like its folder, cases aside, in name order.
fn kernels() -> Vec<Kernel> {
    let mut found = Vec::new();
    for folder in std::fs::read_dir(root().join("kernels")).expect("kernels") {
        let folder = folder.expect("an entry").path();
        let name = folder.file_name().and_then(|n| n.to_str()).expect("UTF-8").to_string();
        for suffix in ["c", "cpp", "scf.mlir", "dfg.mlir"] {
            let path = folder.join(format!("{name}.{suffix}"));
            if path.is_file() {
                let text = read(&path);
                found.push(Kernel { name: name.clone(), suffix: suffix.into(), path, text });
            }
        }
    }
    found.sort_by(|a, b| (&a.name, &a.suffix).cmp(&(&b.name, &b.suffix)));
    found
}

/// The compiler for a file, which speaks C++ when told so.
fn compiler(cpp: bool) -> Command {
    let (variable, name) = if cpp { ("CXX", "c++") } else { ("CC", "cc") };
    let mut command = Command::new(std::env::var(variable).unwrap_or_else(|_| name.into()));
    command.args(WARNINGS).arg("-ffp-contract=off").arg("-I").arg(root().join("include"));
    command
}

/// Runs a command; what it printed, or what it had to complain about.
fn output(command: &mut Command) -> Result<String, String> {
    let out = command.stdin(Stdio::null()).output().map_err(|e| format!("{command:?}: {e}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match out.status.success() {
        true => Ok(text(&out.stdout)),
        false => Err(format!("{}\n{}{}", out.status, text(&out.stdout), text(&out.stderr))),
    }
}

/// Compiles and runs one program.
fn check(kernel: &Kernel, folder: &Path) -> Result<(), String> {
    if !kernel.text.lines().any(|l| l.starts_with("LOOM_ACCEL ")) {
        return Err("marks no function".into());
    }
    let cpp = kernel.suffix == "cpp";
    let program = folder.join(&kernel.name);
    let standard = if cpp { "-std=c++17" } else { "-std=c99" };
    let mut compile = compiler(cpp);
    output(compile.args([standard, "-O1", "-o"]).arg(&program).arg(&kernel.path).arg("-lm"))?;
    let printed = output(&mut Command::new(&program))?;
    let one_line = printed.starts_with(&format!("{}: ", kernel.name)) && printed.lines().count() == 1;
    one_line.then_some(()).ok_or(format!("prints {printed:?}"))
}

#[test]
fn programs_find_their_own_results_right() {
    let programs: Vec<Kernel> = kernels().into_iter().filter(Kernel::is_native).collect();
    assert!(programs.len() >= 64, "{} programs", programs.len());
    let folder = tempfile::tempdir().expect("a folder");
    let wrong = |kernel: Kernel| check(&kernel, folder.path()).err().map(|e| format!("{}: {e}", kernel.name));
    let wrong: Vec<String> = programs.into_par_iter().with_max_len(1).filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A function with the given statements in it, compiled as it is by users and as the front end will see it.
fn with_hints(in_function: &str, in_loop: &str, standard: &str, define: &[&str]) -> Result<String, String> {
    let text = format!(
        "#include \"loom.h\"\nLOOM_ACCEL int f(const int *a, int n);\nLOOM_ACCEL int f(const int *a, int n)\n{{\n    \
         int local[4] = {{1, 2, 3, 4}};\n    {in_function};\n    int sum = 0;\n    for (int i = 0; i < n; i++) {{\n        \
         {in_loop};\n        sum += a[i] * local[i & 3];\n    }}\n    return sum;\n}}\n"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let cpp = standard.starts_with("c++");
    let path = folder.path().join(if cpp { "hints.cpp" } else { "hints.c" });
    std::fs::write(&path, text).expect("written");
    let mut compile = compiler(cpp);
    compile.arg(format!("-std={standard}")).args(define).arg("-c").arg(&path);
    output(compile.arg("-o").arg(folder.path().join("hints.o")))
}

#[test]
fn hints_are_accepted_in_every_standard() {
    let in_loop = "LOOM_INDEPENDENT; LOOM_UNROLL(4); LOOM_TRIP(0, 1u << 20)";
    for standard in STANDARDS {
        for define in [&[][..], &["-D__LOOM__"]] {
            let made = with_hints("LOOM_BANKS(local, 2); LOOM_BANKS(a, 4)", in_loop, standard, define);
            made.unwrap_or_else(|e| panic!("{standard} {define:?}: {e}"));
        }
    }
}

#[test]
fn wrong_hints_are_errors_of_every_compiler() {
    let wrong = [
        ("LOOM_BANKS(local, 0)", "(void)0"),
        ("LOOM_BANKS(n, 2)", "(void)0"),
        ("(void)0", "LOOM_UNROLL(0)"),
        ("(void)0", "LOOM_TRIP(5, 2)"),
        ("(void)0", "LOOM_TRIP(-1, 2)"),
    ];
    for (in_function, in_loop) in wrong {
        for standard in ["c99", "c++17"] {
            let made = with_hints(in_function, in_loop, standard, &[]);
            assert!(made.is_err(), "{standard} takes {in_function}, {in_loop}");
        }
    }
}

/// The comment at the beginning, line by line.
fn opening(kernel: &Kernel) -> Vec<&str> {
    kernel.text.lines().map_while(|l| l.strip_prefix("//")).map(str::trim).collect()
}

/// `<field>: <what it computes>.` in the first line of a program.
fn field(kernel: &Kernel) -> (&str, &str) {
    let lines = opening(kernel);
    assert!((2..=4).contains(&lines.len()), "{} opens with {} lines of comment", kernel.name, lines.len());
    let what = lines[0].strip_suffix('.').and_then(|l| l.split_once(": "));
    what.unwrap_or_else(|| panic!("{}: the first line is not `// <field>: <what it computes>.`", kernel.name))
}

/// The first sentence of a graph's or structured program's comment, without the name.
fn sentence(kernel: &Kernel) -> String {
    let text = opening(kernel).join(" ");
    let text = text.strip_prefix(&format!("{}: ", kernel.name)).unwrap_or(&text);
    let end = text.find(". ").unwrap_or(text.len());
    text[..end].trim_end_matches('.').to_string()
}

fn row(cells: [&str; 3]) -> String {
    format!("| {} |\n", cells.map(|c| c.replace('|', "\\|")).join(" | "))
}

#[test]
fn the_page_lists_every_kernel() {
    let kernels = kernels();
    let fields: BTreeSet<&str> = kernels.iter().filter(|k| k.is_native()).map(|k| field(k).0).collect();
    let mut programs = String::from("| name | field | what it computes |\n|---|---|---|\n");
    for wanted in fields {
        for kernel in kernels.iter().filter(|k| k.is_native()) {
            let (field, what) = field(kernel);
            if field == wanted {
                let language = if kernel.suffix == "cpp" { " (C++)" } else { "" };
                programs += &row([&format!("`{}`{language}", kernel.name), field, what]);
            }
        }
    }
    let mut graphs = String::from("| name | form | what it computes |\n|---|---|---|\n");
    for kernel in kernels.iter().filter(|k| !k.is_native()) {
        graphs += &row([&format!("`{}`", kernel.name), &format!("`.{}`", kernel.suffix), &sentence(kernel)]);
    }
    let path = root().join("docs/kernels.md");
    let page = splice(&read(&path), "programs", &programs).expect("a section of programs");
    let page = splice(&page, "graphs", &graphs).expect("a section of graphs");
    expect_test::expect_file![path].assert_eq(&page);
}
