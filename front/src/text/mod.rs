//! MLIR text of structured programs.
//!
//! [`parse`] reads the `func`, `scf`, `arith`, `math`, `memref`, `cf`, `affine`, `index` and `ub` dialects, pretty or
//! generic, checks the module and reports all independent errors at once. [`print()`] writes the one canonical
//! form. What is known but not supported is refused with a reason; attributes that change no meaning are
//! skipped.

mod affine;
mod build;
mod expand;
mod flow;
mod generic;
mod hints;
mod literal;
mod memory;
mod ops;
mod parallel;
mod parser;
mod printer;
mod terms;
mod top;

pub use printer::print;

use crate::ir::Program;
use loom_base::diag::has_errors;
use loom_base::{Diagnostics, Source};

/// Reads and verifies a module.
pub fn parse(source: &Source) -> Result<Program, Diagnostics> {
    let mut parser = parser::Parser::new(&source.text);
    parser.file();
    // Functions without errors of their own are checked even if others have some.
    let mut errors = parser.errors;
    let problems = crate::verify::verify_parts(&parser.program, errors.is_empty());
    errors.extend(problems);
    errors.sort_by_key(|d| d.labels.first().map_or(usize::MAX, |l| l.span.start));
    match has_errors(&errors) {
        true => Err(errors),
        false => Ok(parser.program),
    }
}
