//! Marks and hints of C: what reaches the program, what is read over with a warning, and what is no hint.

use loom_base::Source;
use loom_flow::clang::{Imported, Request, Translation};
use loom_flow::Kernel;

fn program(folder: &tempfile::TempDir, name: &str, text: &str) -> (Translation, Source) {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("a file");
    let source = Source::new(path.to_str().expect("UTF-8"), text);
    let request = Request { files: vec![path], ..Request::default() };
    (Translation::translate(&request).unwrap_or_else(|r| panic!("{}", r.said)), source)
}

fn imported(text: &str) -> Result<Imported, loom_base::Diagnostics> {
    let folder = tempfile::tempdir().expect("a folder");
    let (program, source) = program(&folder, "k.c", text);
    program.import(program.marked()[0], &source, Default::default())
}

/// A loop with something before it and something first in its body.
fn a_loop(before: &str, first: &str) -> String {
    format!(
        "#include \"loom.h\"\nLOOM_ACCEL void f(int *restrict y, const int *restrict x, int n)\n{{\n{before}\n    \
         for (int i = 0; i < n; i++) {{\n        {first}\n        y[x[i]] = i;\n    }}\n}}\n"
    )
}

#[test]
fn hints_and_pragmas_are_attributes() {
    for (before, first, want) in [
        ("", "LOOM_INDEPENDENT;", "{loom.independent}"),
        ("", "LOOM_UNROLL(4);", "{loom.unroll = 4 : i64}"),
        ("", "LOOM_TRIP(1, 64); LOOM_INDEPENDENT;", "{loom.independent, loom.trips = array<i64: 1, 64>}"),
        ("#pragma unroll 8", "", "{loom.unroll = 8 : i64}"),
        ("#pragma unroll", "", "{loom.unroll}"),
        ("#pragma nounroll", "", "{loom.unroll = 1 : i64}"),
        ("#pragma clang loop unroll_count(2)", "", "{loom.unroll = 2 : i64}"),
        ("#pragma clang loop unroll(full)", "", "{loom.unroll}"),
        ("#pragma clang loop vectorize(assume_safety)", "", "{loom.independent}"),
        // What is for processors says nothing here.
        ("#pragma clang loop vectorize(enable) interleave_count(4)", "", ""),
        ("", "", ""),
    ] {
        let imported = imported(&a_loop(before, first)).unwrap_or_else(|d| panic!("{}", d[0].message));
        let cf = &imported.stages.cf;
        match want {
            "" => assert!(!cf.contains("loom."), "{cf}"),
            want => assert_eq!(cf.matches(want).count(), 1, "{want}\n{cf}"),
        }
        assert!(!imported.stages.ll.contains("annotation"));
        Kernel::compile(imported, &Default::default()).unwrap_or_else(|d| panic!("{}", d[0].message));
    }
}

#[test]
fn what_has_no_effect_is_said() {
    let text = "#include \"loom.h\"\n#define NOTE(x) __attribute__((annotate(x)))\n\
        struct pair { int a NOTE(\"field\"); int b; };\n\
        NOTE(\"other\") LOOM_ACCEL int f(struct pair *restrict p, const int *restrict x, int n)\n{\n    \
        int here NOTE(\"local\") = 0;\n    LOOM_BANKS(x, 4);\n#pragma vendor something\n    \
        for (int i = 0; i < n; i++)\n        here += x[i] + p[i].a;\n    return here;\n}\n";
    let folder = tempfile::tempdir().expect("a folder");
    let (program, source) = program(&folder, "k.c", text);
    assert!(program.said.contains("unknown pragma ignored"), "{}", program.said);
    let mut shown = String::new();
    let imported = program
        .import(program.marked()[0], &source, Default::default())
        .unwrap_or_else(|d| panic!("{}", d[0].message));
    let compiled = Kernel::compile(imported, &Default::default());
    let compiled = compiled.unwrap_or_else(|d| panic!("{}", d[0].message)).compiled.expect("from C");
    for d in program.ignored.iter().chain(&compiled.warnings) {
        let place = d.labels.first().map(|l| source.line_column(l.span.start));
        shown += &format!("{} {place:?}: {}\n", d.code.id, d.message);
    }
    expect_test::expect![[r#"
        L0109 None: the annotation `other` of `f` has no effect
        L0109 Some((6, 5)): the annotation of a variable has no effect
        L0109 Some((10, 29)): the annotation of a value or field has no effect
        L0109 Some((7, 5)): `LOOM_BANKS` of an array that is no local variable has no effect
    "#]]
    .assert_eq(&shown);
}

#[test]
fn what_is_no_hint_is_refused() {
    for (before, first, says) in [
        ("LOOM_INDEPENDENT;", "", "a hint about a loop, outside of every loop"),
        ("", "LOOM_UNROLL(0);", "a hint `LOOM_UNROLL(n)` whose numbers are none"),
        ("", "LOOM_UNROLL(n);", "a hint `LOOM_UNROLL(n)` with a number that is not constant"),
        ("LOOM_BANKS(x, 0);", "", "a hint `LOOM_BANKS(array, n)` whose numbers are none"),
        ("LOOM_BANKS(x, n);", "", "a hint `LOOM_BANKS(array, n)` with a number that is not constant"),
        ("", "LOOM_TRIP(5, 4);", "a hint `LOOM_TRIP(min, max)` whose numbers are none"),
    ] {
        let made = imported(&a_loop(before, first)).and_then(|i| Kernel::compile(i, &Default::default()));
        let errors = made.expect_err(first);
        assert!(errors[0].message.starts_with(says), "{}", errors[0].message);
        assert!(!errors[0].labels.is_empty(), "{first}");
    }
}
