//! Mutation testing of the Rust that decides what a fabric is told: small mistakes planted in the configuration packer,
//! the decoder, the legality checkers and the lowering, one at a time, and whether the tests of these crates notice.
//!
//! `make mutate` builds one copy of the workspace with all mutants in it ([`instrument`], [`workspace`]), notes which
//! test reaches which mutant, runs these tests on each ([`judge`]), and writes the table into `docs/verification.md`.
//! At least 85 % of those that are not equivalent must be killed. As a test, it checks the instrumenter and that every
//! entry of `equivalent.toml` still names a mutant. A part of a file's name limits the run to it.

mod instrument;
mod judge;
mod report;
mod workspace;

use instrument::Mutant;
use judge::Fate;
use rayon::prelude::*;
use report::Equivalent;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is mutated, and the crates whose tests judge.
const FILES: &[(&str, &[&str])] = &[
    ("adg/src/legality/bodies.rs", &["adg"]),
    ("adg/src/legality/cycles.rs", &["adg"]),
    ("adg/src/legality/definitions.rs", &["adg"]),
    ("adg/src/legality/fus.rs", &["adg"]),
    ("adg/src/legality/mod.rs", &["adg"]),
    ("front/src/lower/mod.rs", &["front"]),
    ("front/src/lower/order.rs", &["front"]),
    ("front/src/lower/runs.rs", &["front"]),
    ("gen/src/config.rs", &["gen"]),
    ("gen/src/decode/compare.rs", &["gen"]),
    ("gen/src/decode/mod.rs", &["gen"]),
    ("gen/src/decode/text.rs", &["gen"]),
    ("map/src/check/mod.rs", &["gen", "map"]),
    ("map/src/config.rs", &["gen", "map"]),
];

/// Percent of the mutants that are not equivalent.
const WANTED: f64 = 85.0;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let full = args.iter().any(|a| a == "--ignored");
    let doc = args.iter().position(|a| a == "--page").and_then(|at| args.get(at + 1));
    let only = args.iter().find(|a| !a.starts_with("--") && Some(*a) != doc);
    let root = &loom_testkit::fabrics::root();
    let files: Vec<PathBuf> = FILES.iter().map(|(file, _)| PathBuf::from(file)).collect();
    let equivalent = report::equivalent(root);
    let named = workspace::mutants(root, &files);
    for e in &equivalent {
        let found = named.iter().any(|m| e.names(m));
        assert!(found, "equivalent.toml: no mutant {} in {} of {}", e.change, e.function, e.file);
    }
    if !full {
        instrument::check();
        println!("{} mutants, {} of them listed as equivalent", named.len(), equivalent.len());
        return;
    }

    let start = Instant::now();
    let seconds = || start.elapsed().as_secs();
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
    let built = workspace::build(root, &files, &copy);
    eprintln!("built, {} s", seconds());
    let tests = judge::tests(&built.binaries, &copy);
    eprintln!("{} tests reach mutants, {} s", tests.len(), seconds());
    let mut wanted: Vec<_> = built.mutants.iter().filter(|m| !built.left_out.contains(&m.id)).collect();
    wanted.retain(|m| only.is_none_or(|o| m.file.contains(o.as_str())));
    wanted.sort_by_key(|m| (&m.file, m.at, m.id));
    let judged = |m: &&&Mutant| {
        let members = FILES.iter().find(|(file, _)| *file == m.file).map_or(&[][..], |f| f.1);
        let fate = judge::judge(m.id, &tests, members);
        if matches!(fate, Fate::Survives | Fate::Unreached) && !equivalent.iter().any(|e| e.names(m)) {
            eprintln!("  survives: {}:{} {}: {}", m.file, m.at.0, m.function, m.change);
        }
        fate
    };
    let fates: Vec<Fate> = wanted.par_iter().map(|m| judged(&m)).collect();
    eprintln!("judged, {} s", seconds());

    // What was written down while the run went on counts.
    let equivalent = report::equivalent(root);
    let fate_of: Vec<_> = wanted.into_iter().zip(fates).collect();
    let left_out = |file: &str| {
        let ids = built.mutants.iter().filter(|m| m.file == file && built.left_out.contains(&m.id));
        ids.count()
    };
    let wrong: Vec<&Equivalent> = equivalent
        .iter()
        .filter(|e| fate_of.iter().any(|(m, f)| e.names(m) && matches!(f, Fate::Killed | Fate::Timeout)))
        .collect();
    let (text, score) = report::report(&fate_of, &equivalent, &left_out);
    println!("{text}");
    if let (Some(path), None) = (doc, only) {
        report::write_page(Path::new(path), &text);
    }
    for e in &wrong {
        eprintln!("equivalent.toml: a test kills {} in {} of {}", e.change, e.function, e.file);
    }
    if score < WANTED {
        eprintln!("{score:.1} % is below {WANTED} %");
    }
    if score < WANTED || !wrong.is_empty() {
        std::process::exit(1);
    }
}
