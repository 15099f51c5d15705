//! Structured programs: reading, verifying, compiling. What is accepted prints and reads back to the same text; what is compiled
//! is a graph that prints and reads back.

#![no_main]
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use loom_base::Source;
use loom_front::compile::{compile, CompileOptions};
use loom_fuzz_targets::{not_ours, reads_back, render, text};

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    text::mutate(data, size, max_size, seed)
});

fuzz_target!(|data: &[u8]| {
    let Some(text) = text::of(data) else { return };
    let source = Source::new("x.scf.mlir", text);
    let program = match loom_front::parse(&source) {
        Ok(program) => program,
        Err(d) => return render(&source, &d),
    };
    reads_back("again.scf.mlir", loom_front::print(&program), loom_front::parse, loom_front::print);
    match compile(&program, &CompileOptions::default()) {
        Ok(compiled) => {
            let printed = loom_dfg::print(&compiled.lowered.graph);
            reads_back("again.dfg.mlir", printed, loom_dfg::parse, loom_dfg::print);
        }
        Err(d) => {
            not_ours(&d);
            render(&source, &d);
        }
    }
});
