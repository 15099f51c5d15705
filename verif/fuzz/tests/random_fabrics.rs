//! Random fabrics under random images: the native model and the Verilog agree, cycle for cycle. And fabrics on which they, or the
//! generator and legality, once did not: `fabrics/*.toml`.

use loom_fuzz::fabrics::{check_fabric, compare, length, play, verilated, FabricSummary};
use loom_testkit::fabrics::{fabric, root};
use loom_testkit::random_fabric::{draw, traits, EXPECTED};
use std::collections::BTreeSet;

/// Fabrics that are quick to build and have nearly all there is between them.
const SEEDS: [u64; 20] =
    [0, 26, 29, 95, 133, 147, 188, 190, 221, 233, 269, 287, 291, 327, 373, 422, 447, 464, 471, 491];
/// What they lack, for it makes long Verilog; the fuzzer's have it.
const LACKING: [&str; 4] =
    ["fifo depth 1000..", "map_tag table 33..", "pe with more than 32 inputs", "temporal switch slots 17.."];
const IMAGES: u64 = 120;

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
    for seed in SEEDS {
        check_fabric(seed, IMAGES, usize::MAX, &root().join("target/verilated"), &mut summary, &|| true);
        if let Some(failure) = summary.failures.first() {
            let files = failure.files().map(|(_, content)| String::from_utf8_lossy(&content).into_owned());
            panic!(
                "seed {seed}: {}\n{}\n{:x?}\n{}",
                failure.message, files[0], failure.play.image.words, files[2]
            );
        }
    }
    let FabricSummary { images, refused, stopped, moved, .. } = summary;
    assert_eq!(images, SEEDS.len() as u64 * IMAGES);
    // Neither all that is refused or stops, nor all that moves nothing.
    assert!(refused * 10 > images && refused * 2 < images, "{summary:?}");
    assert!(stopped * 20 > images && moved * 5 > images, "{summary:?}");
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
