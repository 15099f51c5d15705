//! The table of the kernels in C: a slice of it is as reviewed.

use loom_bench::c_kernels::{measure, text, verilog_text};
use loom_testkit::fabrics::root;
use std::path::PathBuf;

/// Every program in C or C++ below `kernels/`.
fn programs() -> Vec<PathBuf> {
    let folders = std::fs::read_dir(root().join("kernels")).expect("kernels");
    let file = |folder: PathBuf| {
        let name = folder.file_name()?.to_string_lossy().into_owned();
        ["c", "cpp"].map(|form| folder.join(format!("{name}.{form}"))).into_iter().find(|f| f.is_file())
    };
    let mut list: Vec<PathBuf> = folders.filter_map(|f| file(f.expect("an entry").path())).collect();
    list.sort();
    list
}

/// A program that runs on a small mesh, and three that no mesh has the units for, one of them in C++.
#[test]
fn a_slice_of_the_table_is_as_reviewed() {
    let slice = ["adler32", "compact_if", "gemm", "isqrt"];
    let is_in = |p: &PathBuf| slice.contains(&p.file_stem().expect("a name").to_str().expect("UTF-8"));
    let paths: Vec<PathBuf> = programs().into_iter().filter(is_in).collect();
    assert_eq!(paths.len(), slice.len());
    let rows = measure(&paths, None, &|_| {}).unwrap_or_else(|d| panic!("{}", d[0].message));
    expect_test::expect_file!["c_kernels.txt"].assert_eq(&text(&rows));
}

/// Native model and Verilog run one executable one after the other, and take the same cycles.
#[test]
fn a_program_runs_in_verilog_too() {
    let path = root().join("kernels/convolution/convolution.c");
    let verilated = root().join("target/verilated");
    let rows = measure(&[path], Some(&verilated), &|_| {}).unwrap_or_else(|d| panic!("{}", d[0].message));
    let row = rows[0].run.as_ref().expect("a mesh that takes it");
    assert!(row.in_verilog && row.calls > 1 && row.cycles > 1000, "{row:?}");
    assert!(verilog_text(&rows).starts_with("1 functions of 1"));
}
