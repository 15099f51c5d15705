//! C and C++ through the tools of Debian: every kernel compiles or is listed as refused, and each text on the way is one that
//! `mlir-opt` reads.

use loom_base::Source;
use loom_flow::clang::{ClangError, Request, Translation};
use loom_flow::Kernel;
use loom_testkit::differential::accesses;
use loom_testkit::fabrics::root;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files of a folder whose names end in one of these, in order.
fn files(folder: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path());
    let wanted = |p: &PathBuf| ends.iter().any(|e| p.extension().is_some_and(|x| x == *e));
    let mut found: Vec<PathBuf> = entries.filter(wanted).collect();
    found.sort();
    found
}

fn source(path: &Path) -> Source {
    Source::new(path.to_str().expect("UTF-8"), std::fs::read_to_string(path).expect("text"))
}

fn translate(path: &Path) -> Result<Translation, ClangError> {
    Translation::translate(&Request { files: vec![path.to_path_buf()], ..Request::default() })
}

/// What becomes of the marked functions of a file: one line for each that is refused.
fn refused(path: &Path) -> String {
    let source = source(path);
    let kernel = path.file_stem().expect("a name").to_string_lossy();
    let program = translate(path).unwrap_or_else(|r| panic!("{kernel}: {}{:?}", r.said, r.diagnostics));
    let mut out = String::new();
    for symbol in program.marked() {
        let made = program.import(symbol, &source, Default::default()).and_then(|i| {
            let again = loom_front::parse(&Source::new("cf", i.stages.cf.clone()))?;
            assert_eq!(loom_front::print(&again), i.stages.cf, "{kernel}");
            Kernel::compile(i, &Default::default())
        });
        if let Err(diagnostics) = made {
            let _ = writeln!(out, "{kernel} {symbol} {}: {}", diagnostics[0].code.id, diagnostics[0].message);
        }
    }
    out
}

#[test]
fn the_kernels_compile_or_are_listed() {
    let folders = std::fs::read_dir(root().join("kernels")).expect("kernels");
    let mut paths: Vec<PathBuf> =
        folders.flat_map(|f| files(&f.expect("an entry").path(), &["c", "cpp"])).collect();
    paths.sort();
    assert!(paths.len() > 100);
    let (left, right) = paths.split_at(paths.len() / 2);
    let list = |paths: &[PathBuf]| paths.iter().map(|p| refused(p)).collect::<String>();
    let found = std::thread::scope(|s| {
        let second = s.spawn(|| list(right));
        list(left) + &second.join().expect("no panic")
    });
    expect_test::expect_file!["refused.txt"].assert_eq(&found);
}

#[test]
fn mlir_opt_reads_what_is_written() {
    for name in ["gemm", "adpcm", "heap_sort"] {
        let path = root().join(format!("kernels/{name}/{name}.c"));
        let program = translate(&path).expect("it translates");
        let imported =
            program.import(program.marked()[0], &source(&path), Default::default()).expect("it converts");
        let stages = imported.stages.clone();
        let kernel = Kernel::compile(imported, &Default::default()).expect("it compiles");
        let scf = loom_front::print(&kernel.compiled.expect("it was compiled").plain.program());
        let folder = tempfile::tempdir().expect("a folder");
        for (stage, text) in [("llvm", &stages.llvm), ("cf", &stages.cf), ("scf", &scf)] {
            let file = folder.path().join(stage);
            std::fs::write(&file, text).expect("a file");
            let out = Command::new("mlir-opt-19").arg(&file).output().expect("mlir-opt-19 runs");
            assert!(out.status.success(), "{name} {stage}: {}", String::from_utf8_lossy(&out.stderr));
        }
    }
}

/// Memories on chip, loads and stores of each function of `tables.c`, which is run elsewhere.
#[test]
fn arrays_that_are_never_written_are_the_constant_that_fills_them() {
    let path = root().join("cli/tests/exec/tables.c");
    let (source, program) = (source(&path), translate(&path).expect("a program"));
    for (name, want) in [("walk", (5, 7, 0)), ("count", (1, 4, 9)), ("often", (2, 4, 6)), ("mix", (0, 1, 1))]
    {
        let made = program.import(name, &source, Default::default()).expect("it is converted");
        let graph = Kernel::compile(made, &Default::default()).expect("it compiles").graph;
        let (loads, stores) = accesses(&graph);
        let text = loom_dfg::print(&graph);
        assert_eq!((text.matches(" = memory[").count(), loads, stores), want, "{name}\n{text}");
    }
}

/// More than a hundred cases are written as bytes by the importer.
#[test]
fn switches_have_any_number_of_cases() {
    let values: Vec<i64> = (0..150).map(|k| 7 - 5 * k).collect();
    let cases: String =
        values.iter().enumerate().map(|(k, v)| format!("case {v}: return n ^ {};\n", k + 1)).collect();
    let text = format!(
        "__attribute__((annotate(\"loom.accel\")))\nint f(int n) {{ switch (n) {{\n{cases}default: return n; }} }}\n"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("many.c");
    std::fs::write(&path, text).expect("a file");
    let imported = translate(&path)
        .expect("it translates")
        .import("f", &source(&path), Default::default())
        .expect("it converts");
    for value in values {
        assert!(imported.stages.cf.contains(&format!(" {value}: ^")), "{value}\n{}", imported.stages.cf);
    }
}

/// Diagnostics of a program that cannot be taken, as a user sees them.
fn rendered(path: &Path) -> String {
    // Names in messages are the same wherever the tests run.
    let name = path.file_name().expect("a name").to_str().expect("UTF-8");
    let text = std::fs::read_to_string(path).expect("text");
    let source = Source::new(path.to_str().expect("UTF-8"), text);
    let made = translate(path).and_then(|program| {
        let symbol = program.choose(None)?;
        Ok(Kernel::compile(program.import(&symbol, &source, Default::default())?, &Default::default())?)
    });
    let ClangError { said, diagnostics } = made.err().unwrap_or_else(|| panic!("{name} is accepted"));
    let shown: Vec<String> = diagnostics.iter().map(|d| d.render(&source)).collect();
    let shown = (said + &shown.join("\n\n")).replace(source.name.as_str(), name);
    // Lines of the system's headers are other ones elsewhere.
    shown.lines().filter(|l| !l.contains("note: at /usr/")).map(|l| l.to_string() + "\n").collect()
}

#[test]
fn programs_are_refused_with_the_place_in_their_source() {
    let cases = files(&root().join("flow/tests/bad"), &["c", "cpp"]);
    assert!(cases.len() >= 20);
    for path in cases {
        expect_test::expect_file![path.with_extension("txt")].assert_eq(&rendered(&path));
    }
}
