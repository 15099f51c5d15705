//! Random fabrics under random images: the native model and the Verilog agree, cycle for cycle. And fabrics on which they, or the
//! generator and legality, once did not: `fabrics/*.toml`.

use loom_fuzz::fabrics::{
    check_fabric, check_mapped, compare, length, play, verilated, FabricEffort, FabricSummary, MappedSummary,
};
use loom_testkit::fabrics::{fabric, root};
use loom_testkit::random_fabric::{draw, toml_of, traits, EXPECTED};
use std::collections::BTreeSet;

/// Fabrics that are quick to build and have nearly all there is between them.
const SEEDS: [u64; 20] =
    [8, 25, 37, 67, 68, 144, 152, 221, 259, 268, 269, 304, 402, 405, 415, 519, 522, 529, 550, 576];
/// What they lack, for it makes long Verilog; the fuzzer's have it.
const LACKING: [&str; 4] =
    ["fifo depth 1000..", "map_tag table 33..", "pe with more than 32 inputs", "temporal switch slots 17.."];
const IMAGES: u64 = 120;
/// Graphs that are drawn for each fabric.
const GRAPHS: u64 = 24;
/// Fabrics that graphs are mapped onto without Verilog.
const FABRICS: u64 = 200;

#[test]
fn twenty_fabrics_have_nearly_everything() {
    let found: BTreeSet<String> =
        SEEDS.into_iter().flat_map(|seed| traits(draw(seed).fabric().adg())).collect();
    let missing: Vec<_> = EXPECTED.iter().filter(|t| !found.contains(**t)).collect();
    assert_eq!(missing, LACKING.iter().collect::<Vec<_>>());
}

#[test]
fn twenty_fabrics_agree() {
    let mut summary = FabricSummary::default();
    let effort = FabricEffort { images: IMAGES, graphs: GRAPHS, longest: usize::MAX };
    for seed in SEEDS {
        check_fabric(seed, &effort, &root().join("target/verilated"), &mut summary, &|| true);
        if let Some(failure) = summary.failures.first() {
            let files = failure.files().map(|(_, content)| String::from_utf8_lossy(&content).into_owned());
            panic!(
                "seed {seed}: {}\n{}\n{:x?}\n{}",
                failure.message, files[0], failure.play.image.words, files[2]
            );
        }
    }
    no_failure(&summary.mapped);
    let FabricSummary { images, refused, stopped, moved, ref mapped, .. } = summary;
    assert_eq!(images, SEEDS.len() as u64 * IMAGES);
    // Neither all that is refused or stops, nor all that moves nothing.
    assert!(refused * 10 > images && refused * 2 < images, "{summary:?}");
    assert!(stopped * 20 > images && moved * 5 > images, "{summary:?}");
    assert!(mapped.verilog == mapped.mapped && mapped.mapped >= 20, "{mapped:?}");
}

/// Panics with the files of a graph that failed.
fn no_failure(summary: &MappedSummary) {
    if let Some((f, failure)) = summary.failures.first() {
        let files = loom_fuzz::files(&failure.program).map(|(_, text)| text).join("\n");
        panic!("seed {}: {}\n{files}\n{}", failure.program.seed, failure.message, toml_of(f.adg()));
    }
}

/// Graphs that fit a fabric run on it as in software, whatever the fabric; without Verilog many more than above.
#[test]
fn graphs_mapped_onto_random_fabrics_agree() {
    let mut summary = MappedSummary::default();
    for seed in 0..FABRICS {
        check_mapped(seed, &draw(seed).fabric(), GRAPHS, None, &mut summary, &|| true);
    }
    no_failure(&summary);
    assert!(summary.mapped >= 800 && summary.nodes >= 2 * summary.mapped, "{summary:?}");
}

/// Whatever is legal is generated.
#[test]
fn every_fabric_is_generated() {
    for seed in 0..300 {
        let f = draw(seed).fabric();
        if let Err(d) = length(&f) {
            panic!("seed {seed}: {}", d[0].message);
        }
    }
}

#[test]
fn fabrics_that_were_wrong_once_are_right() {
    let folder = root().join("verif/fuzz/tests/fabrics");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let name = entry.expect("readable").file_name().to_string_lossy().into_owned();
        let f = fabric(&format!("verif/fuzz/tests/fabrics/{name}"));
        let built = verilated(&f, &root().join("target/verilated"))
            .unwrap_or_else(|d| panic!("{name}: {}", d[0].message));
        let mut moved = 0;
        for k in 0..IMAGES {
            let alike =
                compare(&f, &built, &play(&f, 0, k)).unwrap_or_else(|e| panic!("{name}, image {k}: {e}"));
            moved += u64::from(alike.tokens > 0);
        }
        assert!(moved > 4, "{name}: {moved} of {IMAGES} images moved a token");
        count += 1;
    }
    assert_eq!(count, 6);
}
