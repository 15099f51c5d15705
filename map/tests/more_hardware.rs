//! Never worse on more hardware: meshes that grow by columns and rows, by construction; by channels and units, and the default meshes,
//! on the kernels that are named here.

use crate::common::{root, Target};
use loom_base::Source;
use loom_dfg::Graph;
use loom_front::compile::{compile, CompileOptions};
use loom_map::MapOptions;
use std::num::NonZeroUsize;

/// Kernels with recurrences, memory and more than one loop.
const KERNELS: [&str; 14] = [
    "alias_copy",
    "collatz_scf",
    "dot",
    "downcount",
    "fir",
    "gcd",
    "global_table",
    "histogram",
    "if_store",
    "prefix_sum",
    "reverse",
    "threshold",
    "two_memrefs",
    "vecadd",
];

fn program(name: &str) -> Graph {
    let path = root().join(format!("kernels/{name}/{name}.scf.mlir"));
    let text = Source::new(name, std::fs::read_to_string(path).expect("a kernel"));
    let program = loom_front::parse(&text).expect("a program");
    let options = CompileOptions { index_width: 32, ..CompileOptions::default() };
    compile(&program, &options).expect("a graph").lowered.graph
}

/// The first columns and rows of a layout, of tiles as the library has them but for what is replaced.
fn mesh(columns: usize, rows: usize, replaced: &[(&str, &str)]) -> Target {
    const LAYOUT: [&str; 6] = ["mkxtcx", "mxaxxc", "mcscak", "mxcxcx", "xcxcsc", "cxaxcm"];
    let library = std::fs::read_to_string(root().join("configs/library/mesh32.toml")).expect("the library");
    let library = replaced.iter().fold(library, |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    });
    let layout: Vec<String> = LAYOUT[..rows].iter().map(|row| format!("\"{}\"", &row[..columns])).collect();
    let legend =
        "{ c = \"control\", k = \"corner\", x = \"compute_tile\", a = \"arithmetic\", m = \"memory_tile\", \
                  t = \"shared_tile\", s = \"pad_tile\" }";
    let layout = layout.join(", ");
    let text = format!("name = \"mesh\"\n\n[mesh]\nlayout = [{layout}]\nlegend = {legend}\n\n{library}");
    Target::of_text("mesh.toml", text)
}

/// Few steps, so that placements are far from good and luck would show.
fn brief(threads: usize) -> MapOptions {
    MapOptions {
        attempts: 1,
        steps_per_item: 20,
        rounds: 12,
        deadlock_states: 0,
        threads: NonZeroUsize::new(threads),
        ..MapOptions::default()
    }
}

/// Cycles of a run.
#[derive(Clone, Copy, Debug)]
struct Cycles {
    /// As expected.
    expected: f64,
    /// With all sides of the branches taken each time.
    at_most: f64,
}

/// Whether one mapping is no worse than another of the same graph: it takes no more cycles, or is so near to the least that there is that no
/// further one is looked for; `all` are some that there are.
fn is_no_worse(one: Cycles, other: Cycles, all: &[Cycles]) -> bool {
    let least = all.iter().map(|c| c.at_most).fold(f64::INFINITY, f64::min);
    one.expected <= other.expected + 1e-9 || one.at_most <= 1.01 * least
}

/// Cycles of a mapping that the checker takes; infinite where there is none.
fn cycles(graph: &Graph, fabric: &Target, options: &MapOptions) -> Cycles {
    match loom_map::map(graph, fabric, options, &mut |_, _| {}) {
        Ok(mapped) => {
            assert!(fabric.check(graph, &mapped.mapping).is_empty(), "{}", graph.name);
            let read = fabric.read(graph, &fabric.json(graph, &mapped)).expect("its own map.json");
            assert_eq!((read.mapping, read.timing.ii), (mapped.mapping, mapped.timing.ii), "{}", graph.name);
            Cycles { expected: mapped.timing.expected, at_most: mapped.timing.at_most }
        }
        Err(_) => Cycles { expected: f64::INFINITY, at_most: f64::INFINITY },
    }
}

#[test]
fn columns_and_rows_never_make_it_worse() {
    let sizes = [(4, 4), (5, 4), (6, 4), (4, 5), (5, 5), (6, 5), (6, 6)];
    let meshes = sizes.map(|(columns, rows)| mesh(columns, rows, &[]));
    // What is tried on a mesh is what is square, then all of its shorter side.
    let holds = |(c, r): (usize, usize), (columns, rows): (usize, usize)| {
        let short = columns.min(rows);
        (c, r) != (columns, rows) && c <= columns && r <= rows && (c == r || c.min(r) == short)
    };
    let mut pairs = 0;
    for name in KERNELS {
        let graph = program(name);
        let early = MapOptions { gives_up_early: true, ..brief(2) };
        let on_all = |options| meshes.iter().map(|mesh| cycles(&graph, mesh, options)).collect::<Vec<_>>();
        // A corner is given up where its first placements are not routed.
        let (cycles, as_corner) = (on_all(&brief(2)), on_all(&early));
        for (larger, &size) in sizes.iter().enumerate() {
            for smaller in (0..larger).filter(|&smaller| holds(sizes[smaller], size)) {
                let (more, less) = (cycles[larger], as_corner[smaller]);
                let is_held = is_no_worse(more, less, &cycles);
                assert!(is_held, "{name}: {more:?} on {size:?}, {less:?} on {:?}", sizes[smaller]);
                pairs += 1;
            }
        }
    }
    assert_eq!(pairs, 9 * KERNELS.len());
}

/// A mesh with fewer channels or units is no corner of one with more, nor is a default mesh one of a larger one: what is reached with all
/// steps is measured.
#[test]
fn channels_units_and_default_meshes_have_not_made_it_worse() {
    const ONE_CHANNEL: (&str, &str) = ("channels = 2", "channels = 1");
    const MORE_UNITS: (&str, &str) =
        ("[\"c0: compute\"], [\"a0: access\"", "[\"c0: compute\", \"c7: compute\"], [\"a0: access\"");
    let chains = [
        vec![mesh(4, 4, &[ONE_CHANNEL]), mesh(4, 4, &[])],
        vec![mesh(4, 4, &[]), mesh(4, 4, &[MORE_UNITS])],
        ["4x4", "6x6", "8x8"].map(Target::mesh).into(),
    ];
    let options = MapOptions { attempts: 4, deadlock_states: 0, ..MapOptions::default() };
    for name in ["collatz_scf", "dot", "downcount", "gcd", "histogram", "prefix_sum", "threshold", "vecadd"] {
        let graph = program(name);
        for chain in &chains {
            let cycles: Vec<Cycles> = chain.iter().map(|mesh| cycles(&graph, mesh, &options)).collect();
            let held = cycles.is_sorted_by(|&less, &more| is_no_worse(more, less, &cycles));
            assert!(held, "{name}: {cycles:?}");
        }
    }
}

#[test]
fn threads_change_nothing() {
    let mesh = mesh(5, 5, &[]);
    for name in ["gcd", "histogram", "spmv"] {
        let graph = program(name);
        let map = |threads| {
            let options = MapOptions { attempts: 5, ..brief(threads) };
            let mapped = loom_map::map(&graph, &mesh, &options, &mut |_, _| {});
            mapped.map(|m| m.mapping).map_err(|d| format!("{d:?}"))
        };
        let one = map(1);
        for threads in [2, 3, 8] {
            assert_eq!(map(threads), one, "{name} on {threads} threads");
        }
    }
}
