//! Graphs: reading and verifying. What is accepted prints and reads back to the same text.

#![no_main]
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use loom_base::Source;
use loom_fuzz_targets::{render, text};

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
    let printed = loom_dfg::print(&graph);
    let again = Source::new("again.dfg.mlir", printed.clone());
    match loom_dfg::parse(&again) {
        Ok(again) => assert_eq!(printed, loom_dfg::print(&again), "printed twice"),
        Err(d) => panic!("what was printed is refused: {}\n{printed}", d[0].message),
    }
});
