//! The LLVM dialect's text, as mlir-translate writes it, and what is made of its first function.

#![no_main]
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use loom_base::Source;
use loom_fuzz_targets::{render, text};
use loom_llvm::{convert, Dialect, Globals, Input};

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    text::mutate(data, size, max_size, seed)
});

fuzz_target!(|data: &[u8]| {
    let Some(text) = text::of(data) else { return };
    let source = Source::new("x.c", "int x;\nint y;\n");
    let dialect = match Dialect::read(text) {
        Ok(dialect) => dialect,
        Err(d) => return render(&source, &d),
    };
    for (at, _) in text.match_indices("sym_name = \"").take(4) {
        let name = text[at + 12..].split('"').next().unwrap_or("");
        let input = Input {
            dialect: &dialect,
            symbol: name,
            name: "kernel",
            arguments: &[],
            source: &source,
            globals: Globals::OnChip,
        };
        match convert(&input) {
            Ok(converted) => {
                let printed = loom_front::print(&converted.program);
                if let Err(d) = loom_front::parse(&Source::new("again.mlir", printed.clone())) {
                    panic!("what was converted is refused: {}\n{printed}", d[0].message);
                }
            }
            Err(d) => render(&source, &d),
        }
    }
});
