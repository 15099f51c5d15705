//! Structured programs: reading, verifying, compiling. What is accepted prints and reads back to the same text; what is compiled
//! is a graph that prints and reads back.

#![no_main]
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use loom_base::Source;
use loom_front::compile::{compile, CompileOptions};
use loom_fuzz_targets::{render, text};

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
    let printed = loom_front::print(&program);
    let again = Source::new("again.scf.mlir", printed.clone());
    match loom_front::parse(&again) {
        Ok(again) => assert_eq!(printed, loom_front::print(&again), "printed twice"),
        Err(d) => panic!("what was printed is refused: {}\n{printed}", d[0].message),
    }
    match compile(&program, &CompileOptions::default()) {
        Ok(compiled) => {
            let printed = loom_dfg::print(&compiled.lowered.graph);
            let again = Source::new("again.dfg.mlir", printed.clone());
            match loom_dfg::parse(&again) {
                Ok(again) => assert_eq!(printed, loom_dfg::print(&again), "printed twice"),
                Err(d) => panic!("a compiled graph is refused: {}\n{printed}", d[0].message),
            }
        }
        Err(d) => {
            let ours = |n: &String| n.contains("please report it");
            assert!(
                !d.iter().any(|d| d.notes.iter().any(ours)),
                "the lowering's own fault: {}",
                d[0].message
            );
            render(&source, &d);
        }
    }
});
