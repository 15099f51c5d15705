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

/// Of a program in C.
fn report_of(text: &str) -> (Kernel, Vec<loops::LoopReport>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.c");
    std::fs::write(&path, text).expect("a file");
    report(&path)
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
    let text = |promise: &str, hint: &str| {
        format!(
            "#include \"loom.h\"\nLOOM_ACCEL void f(int *{promise} a, const int *{promise} b, int n)\n{{\n    \
             for (int i = 1; i < n; i++) {{\n        {hint}\n        a[i] = a[b[i]] + b[i - 1];\n    }}\n}}\n"
        )
    };
    let of = |promise: &str, hint: &str| report_of(&text(promise, hint)).1.remove(0);
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

/// With several ways back a loop was one in another.
#[test]
fn a_loop_that_goes_on_in_its_middle_is_one() {
    let text = "#include \"loom.h\"\nLOOM_ACCEL int f(const unsigned char *q, int n, int *restrict out)\n{\n int i = 0, w = 0;\n \
                while (i < n) {\n  int e = q[i++];\n  if (e == 0)\n   continue;\n  out[w++] = e * 3;\n  i += e & 1;\n }\n return w;\n}\n";
    assert_eq!(report_of(text).1.len(), 1);
}

/// Whatever is known of the index of a struct in an array.
#[test]
fn fields_of_small_structs_are_apart() {
    for index in ["c", "c & 255", "(short)c", "(unsigned char)c"] {
        let text = format!(
            "#include \"loom.h\"\ntypedef struct {{ int key; short prev, next; }} node;\n\
             LOOM_ACCEL void f(node *nd, int c, int k)\n{{\n nd[{index}].next = -1;\n nd[{index}].key = k;\n}}\n"
        );
        assert_eq!(report_of(&text).0.graph.memories.len(), 2, "{index}");
    }
}

/// Of common shapes of programs: innermost loops that count, and begin an iteration a cycle.
#[test]
fn loops_of_common_shapes_begin_an_iteration_a_cycle() {
    for (what, text) in [
        (
            "a count on a condition",
            "int f(const int *restrict a, int n, int t)\n{\n int c = 0;\n for (int i = 0; i < n; i++)\n  if (a[i] > t)\n   c++;\n return c;\n}",
        ),
        (
            "counts on conditions of which one holds",
            "int f(const int *restrict a, int *restrict o, int n)\n{\n int c = 0, d = 0;\n for (int i = 0; i < n; i++) {\n  int v = a[i] * 3;\n  \
             if (v > 255) { v = 255; c++; } else if (v < 0) { v = 0; d += 2; }\n  o[i] = v;\n }\n return c * 1000 + d;\n}",
        ),
        (
            "sums that go up or down",
            "int f(const int *restrict a, int n, int t)\n{\n int c = 0;\n for (int i = 0; i < n; i++) {\n  if (a[i] > t) c += a[i]; else c -= t;\n }\n return c;\n}",
        ),
        (
            "bits on a condition",
            "int f(const int *restrict a, int n, int t)\n{\n unsigned m = 0, p = 0;\n for (int i = 0; i < n; i++)\n  if (a[i] > t) { m |= 1u << (i & 31); p ^= a[i]; }\n \
             return m + p;\n}",
        ),
        (
            "arrays that change places",
            "void f(int *restrict a, int *restrict b, int n, int turns)\n{\n for (int t = 0; t < turns; t++) {\n  \
             for (int i = 1; i < n - 1; i++)\n   b[i] = (a[i - 1] + 2 * a[i] + a[i + 1]) >> 2;\n  int *c = a; a = b; b = c;\n }\n}",
        ),
        (
            "rows in turn, by a flag",
            "static int g[2][100];\nvoid f(int n, int turns)\n{\n int now = 0;\n for (int t = 0; t < turns; t++) {\n  \
             for (int i = 1; i < n - 1; i++)\n   g[!now][i] = g[now][i - 1] + g[now][i + 1];\n  now = !now;\n }\n}",
        ),
        (
            "rows in turn, by what counts",
            "static int g[2][100];\nvoid f(int n, int turns)\n{\n for (int t = 0; t < turns; t++)\n  \
             for (int i = 1; i < n - 1; i++)\n   g[(t + 1) & 1][i] = g[t & 1][i - 1] + g[t & 1][i + 1];\n}",
        ),
        (
            "three rows in turn",
            "static int g[3][100];\nvoid f(int n, int turns)\n{\n for (int t = 1; t < turns; t++)\n  for (int i = 1; i < n - 1; i++)\n   \
             g[(t + 1) % 3][i] = g[t % 3][i - 1] + g[t % 3][i + 1] - g[(t - 1) % 3][i];\n}",
        ),
        (
            "rows of a sparse matrix",
            "void f(const int *rows, const int *x, int *y, int n)\n{\n for (int i = 0; i < n; i++) {\n  int s = 0;\n  \
             for (int k = rows[i]; k < rows[i + 1]; k++)\n   s += x[k];\n  y[i] = s;\n }\n}",
        ),
        (
            "a length in a struct",
            "struct list { int *at; int n; };\nint f(const struct list *l)\n{\n int s = 0;\n for (int i = 0; i < l->n; i++)\n  \
             s += l->at[i];\n return s;\n}",
        ),
        ("words move down", "void f(int *a, int n)\n{\n for (int i = 0; i < n - 1; i++)\n  a[i] = a[i + 1];\n}"),
        (
            "a window, in place",
            "void f(int *a, int n)\n{\n for (int i = 0; i < n - 2; i++)\n  a[i] = a[i] + a[i + 1] + a[i + 2];\n}",
        ),
        (
            "words change places, to the half",
            "void f(int *a, int n)\n{\n for (int i = 0; i < n / 2; i++) {\n  int t = a[i];\n  a[i] = a[n - 1 - i];\n  a[n - 1 - i] = t;\n }\n}",
        ),
        (
            "words change places, from both ends",
            "void f(int *a, int n)\n{\n for (int i = 0, j = n - 1; i < j; i++, j--) {\n  int t = a[i];\n  a[i] = a[j];\n  a[j] = t;\n }\n}",
        ),
        (
            "a size, and one more",
            "int f(const int *a, __SIZE_TYPE__ n)\n{\n int s = 0;\n for (__SIZE_TYPE__ i = 1; i <= n; i++)\n  s += a[i];\n return s;\n}",
        ),
        (
            "arrays in a struct",
            "struct signal { int n, gain; int re[64], im[64]; };\nvoid f(struct signal *s)\n{\n for (int i = 0; i < s->n; i++) {\n  \
             s->re[i] *= s->gain;\n  s->im[i] += s->re[i];\n }\n}",
        ),
        (
            "multiples in a sieve",
            "void f(unsigned char *c, int n)\n{\n for (int i = 2; i < n; i++)\n  for (int j = 2 * i; j < n; j += i)\n   c[j] = 1;\n}",
        ),
        (
            "a stage of a transform",
            "void f(int *x, int n, int half)\n{\n for (int i = 0; i < n; i += 2 * half)\n  for (int j = 0; j < half; j++) {\n   \
             int u = x[i + j], v = x[i + j + half];\n   x[i + j] = u + v;\n   x[i + j + half] = u - v;\n  }\n}",
        ),
        (
            "the least of an array",
            "int f(const int *a, int n)\n{\n int b = 0;\n for (int i = 1; i < n; i++)\n  if (a[i] < a[b])\n   b = i;\n return b;\n}",
        ),
        (
            "a quotient that stays",
            "int f(const int *a, int n, int p, int q)\n{\n int s = 0;\n for (int i = 0; i < n; i++)\n  s += a[i] ^ (p / q);\n return s;\n}",
        ),
    ] {
        let text = text.replacen("void f(", "LOOM_ACCEL void f(", 1).replacen("int f(", "LOOM_ACCEL int f(", 1);
        let loops = report_of(&format!("#include \"loom.h\"\n{text}\n")).1;
        let deepest = loops.iter().map(|l| l.depth).max().expect("a loop");
        for innermost in loops.iter().filter(|l| l.depth == deepest) {
            assert_eq!((innermost.no_stream, innermost.bound), (None, 1.0), "{what}");
        }
    }
}
