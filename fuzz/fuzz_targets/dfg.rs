//! Graphs: reading and verifying. What is accepted prints and reads back to the same text.

#![no_main]
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use loom_base::Source;
use loom_fuzz_targets::{reads_back, render, text};

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    text::mutate(data, size, max_size, seed)
});

fuzz_target!(|data: &[u8]| {
    let Some(text) = text::of(data) else { return };
    let source = Source::new("x.dfg.mlir", text);
    let graph = match loom_dfg::parse(&source) {
        Ok(graph) => graph,
        Err(d) => return render(&source, &d),
    };
    reads_back("again.dfg.mlir", loom_dfg::print(&graph), loom_dfg::parse, loom_dfg::print);
});
