//! The kernels that are measured against other tools run at their bounds on the 4x4 mesh. Native model only, which
//! `kernels.rs` compares with the Verilog cycle by cycle; the figures that are timed are `make bench`'s.

use loom_bench::tables::{SlowMemory, Throughput};
use loom_bench::work::{largest, Mesh, Work};

fn work(kernel: &str) -> Work {
    largest().find(|w| w.kernel == kernel).expect("a kernel of the table")
}

fn text(d: loom_base::Diagnostics) -> String {
    d.iter().map(|d| format!("{}\n{}\n", d.message, d.notes.join("\n"))).collect()
}

/// At most so many cycles for an innermost iteration, at most 1.05 times the mapping's bound, and fewer than the peer's circuit.
fn at_most(kernel: &str, per_iteration: f64) {
    let row = within(kernel, per_iteration);
    let circt = row.circt.expect("a peer's figure");
    assert!(row.cycles < circt.all_2 && row.cycles < circt.cycles_2, "{row:?}");
}

/// The same without the peer.
fn within(kernel: &str, per_iteration: f64) -> Throughput {
    let mesh = Mesh::new(4).expect("a mesh");
    let row = Throughput::measure(&mesh, &work(kernel)).unwrap_or_else(|d| panic!("{}", text(d)));
    println!("{row:?}");
    assert!(
        row.cycles_per_iteration <= per_iteration,
        "{} > {per_iteration}: {row:?}",
        row.cycles_per_iteration
    );
    assert!(row.cycles as f64 <= 1.05 * row.bound as f64, "{row:?}");
    row
}

#[test]
fn vecadd_moves_an_element_a_cycle() {
    at_most("vecadd", 1.05);
}

#[test]
fn dot_moves_an_element_a_cycle() {
    at_most("dot", 1.05);
}

#[test]
fn threshold_moves_an_element_a_cycle() {
    at_most("threshold", 1.05);
}

#[test]
fn fir_pays_one_cycle_for_the_end_of_its_eight_taps() {
    at_most("fir", 1.18);
}

#[test]
fn matmul_pays_one_cycle_for_the_end_of_its_rows() {
    at_most("matmul", 1.12);
}

#[test]
fn gcd_and_collatz_start_an_iteration_every_three_cycles() {
    let mesh = Mesh::new(4).expect("a mesh");
    for kernel in ["gcd", "collatz"] {
        let row = Throughput::measure(&mesh, &work(kernel)).unwrap_or_else(|d| panic!("{}", text(d)));
        println!("{row:?}");
        assert!(row.ii <= 3.0 && row.mii <= 3.0 && row.cycles as f64 <= 1.05 * row.bound as f64, "{row:?}");
        assert!(row.cycles < row.circt.expect("a peer's figure").all_2, "{row:?}");
    }
}

#[test]
fn histogram_takes_six_cycles_an_iteration() {
    // A load waits for the answer of the store before it, and an answer of AXI is a cycle in its queue (H12). The peer's memory
    // is no AXI port and needs five.
    let row = within("histogram", 6.02);
    assert!(row.cycles < row.circt.expect("a peer's figure").all_2, "{row:?}");
}

#[test]
fn vecadd_hides_a_latency_of_20() {
    let mesh = Mesh::new(4).expect("a mesh");
    let row = SlowMemory::measure(&mesh, &work("vecadd")).unwrap_or_else(|d| panic!("{}", text(d)));
    println!("{row:?}");
    assert!(row.mapped_for_20 < 1.1, "{} cycles an iteration: {row:?}", row.mapped_for_20);
}
