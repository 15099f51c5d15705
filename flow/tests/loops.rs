//! What is reported of the loops of ten kernels, as reviewed; and that the changes it names are true.

use loom_base::Source;
use loom_flow::clang::{Request, Translation};
use loom_flow::loops::{self, IntervalLimit};
use loom_flow::{load, Kernel};
use loom_front::compile::CompileOptions;
use loom_testkit::fabrics::root;
use std::path::Path;

fn source(path: &Path) -> Source {
    Source::new(path.to_str().expect("UTF-8"), std::fs::read_to_string(path).expect("text"))
}

fn kernel(path: &Path, source: &Source, options: &CompileOptions) -> Kernel {
    let shown = |d: loom_base::Diagnostics| -> Kernel { panic!("{}", d[0].render(source)) };
    if !loom_flow::clang::is_source(&source.name) {
        return Kernel::read(source, options).unwrap_or_else(shown);
    }
    let request = Request { files: vec![path.to_path_buf()], ..Request::default() };
    let program = Translation::translate(&request).unwrap_or_else(|r| panic!("{}", r.said));
    let imported =
        program.choose(None).and_then(|symbol| program.import(&symbol, source, Default::default()));
    imported.and_then(|i| Kernel::compile(i, options)).unwrap_or_else(shown)
}

fn report(path: &Path) -> (Kernel, Vec<loops::LoopReport>) {
    report_with(path, &CompileOptions::default())
}

fn report_with(path: &Path, options: &CompileOptions) -> (Kernel, Vec<loops::LoopReport>) {
    let fabric = load::fabric(&source(&root().join("configs/mesh-8x8.toml"))).expect("a fabric");
    let source = source(path);
    let kernel = kernel(path, &source, options);
    let loops = loops::report(&kernel, &source, &fabric, options);
    (kernel, loops)
}

/// Views, objects and globals have no `restrict` of their own in the source.
#[test]
fn what_no_source_can_promise_the_command_line_can() {
    let folder = tempfile::tempdir().expect("a folder");
    for (file, text) in [
        (
            "view.c",
            "struct way { int tag; short age; };\nLOOM_ACCEL int age(struct way *cache, const short *by, int n)\n{\n    int sum = 0;\n    \
             for (int i = 0; i < n; i++) {\n        cache[i].age += by[i];\n        sum += cache[i].tag;\n    }\n    return sum;\n}\n",
        ),
        (
            "object.cpp",
            "struct line {\n    int kept[16];\n    LOOM_ACCEL void add(const int *by, int n);\n};\nvoid line::add(const int *by, int n)\n{\n    \
             for (int i = 0; i < n; i++)\n        kept[i] += by[i];\n}\n",
        ),
    ] {
        let path = folder.path().join(file);
        std::fs::write(&path, format!("#include \"loom.h\"\n{text}")).expect("a file");
        let made = report(&path).1.remove(0);
        let found = made.changes.iter().find(|c| c.what.contains("--noalias"));
        let found = found.unwrap_or_else(|| panic!("{file}: {made:?}"));
        assert!(!made.changes.iter().any(|c| c.what.contains("restrict")), "{file}: {made:?}");
        let options = CompileOptions { noalias: true, ..CompileOptions::default() };
        let promised = report_with(&path, &options).1.remove(0);
        assert_eq!(Some(promised.bound), found.bound, "{file}");
    }
}

#[test]
fn reports_of_kernels_are_as_reviewed() {
    let mut shown = String::new();
    for name in [
        "alias_copy.scf.mlir",
        "histogram.scf.mlir",
        "collatz_scf.scf.mlir",
        "gemm.c",
        "horspool.c",
        "levenshtein.c",
        "crc32.c",
        "sieve.c",
        "cic_decimator.c",
        "lower_bound.c",
    ] {
        let folder = name.split('.').next().expect("a name");
        let (kernel, loops) = report(&root().join("kernels").join(folder).join(name));
        shown += &loops::text(&kernel.graph.name, &loops);
    }
    expect_test::expect_file!["loops.txt"].assert_eq(&shown);
}

/// Makes the change that a report names, and compares the bound that it foretold.
#[test]
fn a_change_that_is_named_does_what_it_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = |promise: &str, hint: &str| {
        format!(
            "#include \"loom.h\"\nLOOM_ACCEL void f(int *{promise} a, const int *{promise} b, int n)\n{{\n    \
             for (int i = 1; i < n; i++) {{\n        {hint}\n        a[i] = a[b[i]] + b[i - 1];\n    }}\n}}\n"
        )
    };
    let of = |promise: &str, hint: &str| {
        let path = folder.path().join("k.c");
        std::fs::write(&path, text(promise, hint)).expect("a file");
        report(&path).1.remove(0)
    };
    let plain = of("", "");
    assert_eq!((plain.line, plain.depth, plain.no_stream), (Some(4), 0, None));
    let IntervalLimit::Memory(conflicts) = &plain.limit else { panic!("{:?}", plain.limit) };
    assert!(conflicts.iter().any(|c| c.first.array == "b" && c.second.array == "a"), "{conflicts:?}");
    assert!(plain.bound > 1.0);
    for (change, promise, hint) in
        [("restrict", "restrict", ""), ("LOOM_INDEPENDENT", "", "LOOM_INDEPENDENT;")]
    {
        let found = plain.changes.iter().find(|c| c.what.contains(change));
        let then = of(promise, hint).bound;
        match found {
            Some(change) => assert_eq!(change.bound, Some(then), "{}", change.what),
            // What does not help is not named.
            None => assert!(then >= plain.bound, "{change}: {then}"),
        }
    }
    assert!(plain.changes.iter().any(|c| c.what.contains("LOOM_INDEPENDENT")));
    assert_eq!(of("restrict", "LOOM_INDEPENDENT;").changes.len(), 0);
}
