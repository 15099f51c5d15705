//! The quick proofs of `make formal`, and that a planted fault makes the proof of its module fail.

use loom_prove::{faults, table, Group, ProofOptions, ProofOutcome};
use std::collections::BTreeSet;

fn options(dir: &tempfile::TempDir) -> ProofOptions {
    ProofOptions { out: dir.path().to_path_buf(), timeout: None, jobs: 2 }
}

#[test]
fn the_smoke_subset_is_proved() {
    let entries: Vec<_> = table::entries().into_iter().filter(|e| e.smoke).collect();
    let dir = tempfile::tempdir().unwrap();
    let proofs = loom_prove::prove_all(&entries, &options(&dir), &|_| {}).unwrap();
    assert_eq!(proofs.len(), entries.len());
    for proof in &proofs {
        assert_eq!(proof.outcome, ProofOutcome::Proved, "{}", proof.name());
        for group in [Group::Tokens, Group::Cover] {
            assert!(proof.count(group) > 0, "{} proves nothing of {group:?}", proof.name());
        }
    }
}

#[test]
fn every_planted_fault_is_refuted() {
    // Those of memory interfaces take longer: `make formal` plants them.
    let entries = table::entries();
    let dir = tempfile::tempdir().unwrap();
    for fault in faults::FAULTS.iter().filter(|f| !f.entry.starts_with("extmemory")) {
        let proof = faults::refute(fault, &entries, &options(&dir)).unwrap();
        assert!(proof.refuted(), "{}: {:?}", fault.what, proof.outcome);
    }
}

#[test]
fn every_fault_has_its_entry() {
    let entries = table::entries();
    for fault in faults::FAULTS {
        assert!(entries.iter().any(|e| e.name() == fault.entry), "{}", fault.entry);
    }
}

#[test]
fn a_property_that_fails_is_named() {
    let fault = faults::FAULTS.iter().find(|f| f.what.starts_with("an output of a fork")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let proof = faults::refute(fault, &table::entries(), &options(&dir)).unwrap();
    let ProofOutcome::Violated { property, .. } = &proof.outcome else { panic!("{:?}", proof.outcome) };
    assert_eq!(property, "h3_copy_once");
}

#[test]
fn entries_have_names_and_folders_of_their_own() {
    let entries = table::entries();
    let names: BTreeSet<String> = entries.iter().map(|e| e.name()).collect();
    let folders: BTreeSet<String> = entries.iter().map(|e| e.file_name()).collect();
    assert_eq!((names.len(), folders.len()), (entries.len(), entries.len()));
}
