//! Case files, for a program that takes something of every type.

#![no_main]
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use loom_base::Source;
use loom_dfg::Graph;
use loom_front::compile::{compile, CompileOptions};
use loom_fuzz_targets::{render, text};
use loom_sim::Case;
use std::sync::OnceLock;

const PROGRAM: &str = include_str!("../case.scf.mlir");

fn graph() -> &'static Graph {
    static GRAPH: OnceLock<Graph> = OnceLock::new();
    GRAPH.get_or_init(|| {
        let program = loom_front::parse(&Source::new("case.scf.mlir", PROGRAM)).expect("a program of ours");
        compile(&program, &CompileOptions::default()).expect("it compiles").lowered.graph
    })
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    text::mutate(data, size, max_size, seed)
});

fuzz_target!(|data: &[u8]| {
    let Some(text) = text::of(data) else { return };
    let source = Source::new("x.toml", text);
    match Case::read(&source, graph(), 32) {
        Ok(case) => {
            assert!(case.input_tokens() <= 1_000_000 * case.inputs.len(), "more tokens than a case may have")
        }
        Err(d) => render(&source, &d),
    }
});
