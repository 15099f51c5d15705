//! Exploration of a tiny space: the same files for any number of threads, results that are taken again, spaces that are refused.

use loom_bench::codes;
use loom_bench::explore::front::{beats, Exploration};
use loom_bench::explore::point::open;
use loom_bench::explore::search::{explore, first, folder, SearchOptions};
use loom_bench::explore::space::Space;
use loom_bench::explore::{picture, write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

fn kernel(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels").join(name).display().to_string()
}

/// A space of two points and three kernels.
fn tiny() -> String {
    format!(
        "base = \"mesh-2x2\"\nkernels = [\"{}\", \"{}\", \"{}\"]\n\n\
         [[axis]]\nname = \"depth\"\nkeys = [\"tile.*.turnaround_depth\"]\nvalues = [4, 8]\n",
        kernel("gate/gate.dfg.mlir"),
        kernel("collatz/*.dfg.mlir"),
        kernel("matmul/matmul.scf.mlir")
    )
}

fn space(text: &str, at: &Path) -> Result<Space, loom_base::Diagnostics> {
    let path = at.join("space.toml");
    write(&path, text).expect("a folder");
    Space::read(&path)
}

fn options(out: PathBuf, budget: u64, jobs: usize) -> SearchOptions {
    SearchOptions { out, budget, seed: 3, jobs }
}

fn files(out: &Path, found: &Exploration) -> Vec<String> {
    let of = |p: u64, name: &str| std::fs::read_to_string(folder(out, p).join(name)).expect("written");
    let points = found.points.iter().flat_map(|p| [of(p.point, "result.json"), of(p.point, "fabric.toml")]);
    points.chain([found.page(), picture::svg(found)]).collect()
}

#[test]
fn any_number_of_threads_and_a_second_run_give_the_same() {
    let at = tempfile::tempdir().expect("a folder");
    let space = space(&tiny(), at.path()).expect("a space");
    assert_eq!((space.points(), space.kernels.len()), (2, 3));
    let run = |out: &str, jobs| {
        let (options, count) = (options(at.path().join(out), 64, jobs), AtomicUsize::new(0));
        let found = explore(&space, &options, &|_| {
            count.fetch_add(1, Ordering::Relaxed);
        })
        .expect("it runs");
        assert_eq!(count.into_inner(), 2);
        found
    };
    let (one, two) = (run("one", 1), run("two", 2));
    assert_eq!(files(&at.path().join("one"), &one), files(&at.path().join("two"), &two));
    let [shallow, deep] = one.points.as_slice() else { panic!("{:?}", one.points) };
    assert!(shallow.area_um2 < deep.area_um2 && shallow.period_ps > 0);
    // The mesh has no memory, so one of the kernels is not mapped, and says why.
    assert_eq!((shallow.mapped, shallow.kernels.len()), (2, 3));
    assert!(shallow.kernels.iter().any(|k| k.name == "matmul" && k.limit.is_some()));
    assert!(shallow.kernels.iter().any(|k| k.name == "collatz" && k.cycles.is_some_and(|c| c > 0)));
    assert_eq!(one.front.first(), Some(&0), "nothing is smaller");
    assert!(!beats(deep, shallow));

    // A result is taken as it lies there, one of other inputs is not.
    let first = folder(&at.path().join("one"), 0).join("result.json");
    let marked = std::fs::read_to_string(&first).expect("it is there").replace("depth=4", "depth=four");
    std::fs::write(&first, marked).expect("it is ours");
    assert_eq!(run("one", 1).points[0].label, "depth=four");
    let stale = std::fs::read_to_string(&first).expect("it is there").replace(&shallow.inputs, "0");
    std::fs::write(&first, stale).expect("it is ours");
    assert_eq!(run("one", 1).points[0].label, "depth=4");
    let inputs = open(&folder(&at.path().join("two"), 1)).expect("a point");
    assert_eq!(inputs.result().as_ref(), Some(deep));
    assert_eq!(inputs.evaluate().expect("it runs alone"), *deep);
}

#[test]
fn a_large_space_is_searched_within_its_budget() {
    let at = tempfile::tempdir().expect("a folder");
    let text = format!(
        "base = \"mesh-2x2\"\nkernels = [\"{}\"]\n\
         [[axis]]\nname = \"depth\"\nkeys = [\"tile.*.turnaround_depth\"]\nvalues = [2, 3, 4, 6]\n\
         [[axis]]\nname = \"slack\"\nkeys = [\"tile.*.slack_depth\"]\nvalues = [0, 16, 32]\n",
        kernel("gate/gate.dfg.mlir")
    );
    let space = space(&text, at.path()).expect("a space");
    let run =
        |out: &str, jobs| explore(&space, &options(at.path().join(out), 5, jobs), &|_| {}).expect("it runs");
    let (one, two) = (run("one", 1), run("two", 2));
    assert_eq!((one.points.len(), one.space), (5, 12));
    assert_eq!(one.page(), two.page());
    let begun = first(&space, &options(at.path().join("one"), 5, 1));
    assert!(begun.len() == 3 && begun.iter().all(|p| one.points.iter().any(|r| r.point == *p)));
    // A FIFO of no entries is no fabric, and no error either.
    for point in &one.points {
        assert_eq!(point.illegal.is_some(), point.label.contains("slack=0"), "{point:?}");
    }
}

#[test]
fn labels_and_values_of_points() {
    let at = tempfile::tempdir().expect("a folder");
    let text = tiny()
        + "[[axis]]\nname = \"mix\"\nchoices = [{ label = \"one\", set = { \"mesh.layout\" = [\"k\"] } }, \
           { label = \"two\", set = { \"mesh.layout\" = [\"kc\"], \"tile.corner.slacks\" = 2 } }]\n";
    let space = space(&text, at.path()).expect("a space");
    for point in 0..space.points() {
        assert_eq!(space.point(&space.values(point)), point);
    }
    assert_eq!(space.label(1), "depth=4 mix=two");
    let fabric = space.fabric(1, "p1").expect("a text");
    let table: toml::Table = toml::from_str(&fabric).expect("TOML");
    assert_eq!(table["mesh"]["layout"].as_array().map(Vec::len), Some(1));
    // The rest of the template came with it.
    assert_eq!(table["tile"]["corner"]["slacks"].as_integer(), Some(2));
    assert!(table["tile"]["corner"]["ranks"].is_array());
    assert_eq!(table["tile"]["control"]["turnaround_depth"].as_integer(), Some(4));
}

#[test]
fn bad_spaces_are_refused() {
    let axis = "[[axis]]\nname = \"a\"\nkeys = [\"mesh.columns\"]\nvalues = [1, 2]\n";
    let kernels = format!("kernels = [\"{}\"]\n", kernel("gate/gate.dfg.mlir"));
    let with = |axis: &str| format!("base = \"mesh-2x2\"\n{kernels}{axis}");
    let cases = [
        ("base = 1".to_string(), "invalid type"),
        (format!("base = \"nowhere\"\n{kernels}{axis}"), "base fabric `nowhere`"),
        (format!("base = \"mesh-2x2\"\nkernels = [\"*.none\"]\n{axis}"), "no file is called so"),
        (format!("base = \"mesh-2x2\"\nkernels = []\n{axis}"), "has no kernels"),
        (with("axis = []\n"), "has no axis"),
        (with("[[axis]]\nname = \"a\"\nkeys = [\"mesh.columns\"]\n"), "has no values"),
        (
            with("[[axis]]\nname = \"a\"\nkeys = [\"tile.nowhere.channels\"]\nvalues = [1]\n"),
            "no `tile.nowhere`",
        ),
        (with("[[axis]]\nname = \"a\"\nkeys = [\"tile.a.b.c\"]\nvalues = [1]\n"), "no key of a fabric"),
        (with("[[axis]]\nname = \"a\"\nkeys = [\"mesh.columns\"]\nvalues = [1, 1]\n"), "has `1` twice"),
        (with(&format!("{axis}{axis}")), "two axes `a`"),
    ];
    for (text, said) in cases {
        let at = tempfile::tempdir().expect("a folder");
        let refused = space(&text, at.path()).expect_err(&text);
        assert_eq!(refused[0].code, codes::SPACE);
        assert!(refused[0].message.contains(said), "{said}: {}", refused[0].message);
        assert!(refused[0].help.is_some(), "{said}");
    }
}
