//! The LLVM dialect's text: reading. What is read goes no further: the conversion takes only what mlir-translate has verified, and
//! nobody writes that text by hand.

#![no_main]
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use loom_base::Source;
use loom_fuzz_targets::{render, text};
use loom_llvm::Dialect;

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    text::mutate(data, size, max_size, seed)
});

fuzz_target!(|data: &[u8]| {
    let Some(text) = text::of(data) else { return };
    if let Err(d) = Dialect::read(text) {
        render(&Source::new("x.c", "int x;\n"), &d);
    }
});
