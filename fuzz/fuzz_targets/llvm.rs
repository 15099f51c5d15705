//! The LLVM dialect's text: reading, and converting each function that has a body, with globals on chip and outside. What comes out
//! has passed the verifier, prints, and reads back to the same text.

#![no_main]
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use loom_base::Source;
use loom_fuzz_targets::{not_ours, reads_back, render, text};
use loom_llvm::{convert, Dialect, Globals, Input};
use std::collections::BTreeSet;

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    text::mutate(data, size, max_size, seed)
});

fuzz_target!(|data: &[u8]| {
    let Some(text) = text::of(data) else { return };
    let source = Source::new("x.c", "int x;\n");
    let dialect = match Dialect::read(text) {
        Ok(dialect) => dialect,
        Err(d) => return render(&source, &d),
    };
    for symbol in dialect.functions() {
        for globals in [Globals::OnChip, Globals::InMemory] {
            let names = ["a".to_string(), String::new()];
            let (dialect, symbol) = (&dialect, &symbol[..]);
            let input = Input {
                dialect,
                symbol,
                name: "f",
                arguments: &names,
                variables: &[],
                source: &source,
                globals,
                private: &BTreeSet::new(),
                locals: Default::default(),
            };
            match convert(&input) {
                Ok(c) => {
                    let printed = loom_front::print(&c.program);
                    reads_back("again.cf.mlir", printed, loom_front::parse, loom_front::print);
                }
                Err(d) => {
                    not_ours(&d);
                    render(&source, &d);
                }
            }
        }
    }
});
