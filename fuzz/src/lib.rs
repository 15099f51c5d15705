//! What the fuzz targets share: mutations that know what a text or an image is made of.
//!
//! Bytes at random almost never get past a lexer. [`text`] works on tokens and lines, with a dictionary that is made from the op
//! table; [`image`] on the fields of a fabric's layout. Both leave some of the changes to libFuzzer's own mutations, which know
//! what the comparisons of earlier runs looked for.

pub mod image;
pub mod text;

use loom_base::{Diagnostics, Source};

/// Renders what a reader refuses: places and notes are computed then, and must not fail either.
pub fn render(source: &Source, diagnostics: &Diagnostics) {
    for d in diagnostics {
        assert!(!d.render(source).is_empty(), "a diagnostic without text");
    }
}

/// Holds that what is refused is the input's fault.
pub fn not_ours(diagnostics: &Diagnostics) {
    for d in diagnostics {
        let ours = d.notes.iter().any(|n| n.contains("please report it"));
        assert!(!ours, "a fault of the compiler's own: {}", d.message);
    }
}

/// Holds that what was printed reads back, and prints to the same text.
pub fn reads_back<T>(
    name: &str,
    printed: String,
    parse: impl Fn(&Source) -> Result<T, Diagnostics>,
    print: impl Fn(&T) -> String,
) {
    match parse(&Source::new(name, printed.clone())) {
        Ok(again) => assert_eq!(printed, print(&again), "printed twice"),
        Err(d) => panic!("what was printed is refused: {}\n{printed}", d[0].message),
    }
}
