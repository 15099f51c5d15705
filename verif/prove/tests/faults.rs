//! The faults of `make formal`, planted into the Verilog of a small fabric: its co-simulation with the native model notices each.

use loom_prove::{faults::FAULTS, simulate};
use loom_testkit::fabrics::root;

/// No fabric has a fork of its own: its switches copy. No mapping has an immediate that a state machine begins with, which
/// is where one that waits for nothing shows. None brings tokens to an input that a body's muxes leave out, so none is taken. And none shares
/// a port by tags.
#[test]
fn every_fault_is_simulated_but_those_that_no_mapping_shows() {
    let left: Vec<_> = FAULTS.iter().filter(|f| f.kernel.is_none()).map(|f| f.entry).collect();
    assert_eq!(
        left,
        [
            "fork 1 to 3, w8",
            "spatial_pe invariant, an immediate, w8",
            "temporal_sw 2 by 2, 2 slots, w8, tag 2",
            "spatial_pe body_mux, w8",
            "extmemory two load and two store lanes, two regions, w8",
        ]
    );
}

/// The comparison is right about the fabrics as they are, or its complaints below would mean nothing.
#[test]
fn without_a_fault_all_models_agree() {
    for fault in FAULTS {
        let Some(kernel) = &fault.kernel else { continue };
        let noticed = simulate(kernel, &[], &root().join("target/verilated"));
        let noticed = noticed.unwrap_or_else(|d| panic!("{}: {}", fault.what, d[0].message));
        assert!(noticed.is_empty(), "{}: {noticed:#?}", fault.what);
    }
}

#[test]
fn co_simulation_notices_every_planted_fault() {
    let mut unnoticed = Vec::new();
    for fault in FAULTS {
        let Some(kernel) = &fault.kernel else { continue };
        let noticed = simulate(kernel, fault.edits, &root().join("target/verilated"));
        let noticed = noticed.unwrap_or_else(|d| panic!("{}: {}", fault.what, d[0].message));
        println!("{}: {}", fault.what, noticed.first().map_or("nothing", |n| n));
        if noticed.is_empty() {
            unnoticed.push(fault.what);
        }
    }
    assert!(unnoticed.is_empty(), "{unnoticed:#?}");
}
