//! The text form, `<name>.dfg.mlir`: CIRCT's handshake syntax with the four dataflow ops.
//!
//! [`parse`] reads one `handshake.func`, optionally inside `module { }`, and normalises it: forks, sinks and
//! buffers become use lists. A `buffer` is a hint about time; the mapper inserts its own slack, so the hint is
//! dropped. In text every value is used exactly once: a second use without a fork is an error, and so is a value
//! nobody uses, unless it is an unused result of an op with another used result (a discard; `sink` says the same).
//!
//! [`print()`] writes the canonical form: forks and sinks are written out (CIRCT wants every value consumed exactly
//! once), the dataflow ops stand in generic form (stock tools do not know them), names are kept. Reading it back
//! and printing again gives the same text.
//!
//! A `memory` or `extmemory` is read in CIRCT's own form; `id` gives the order of the graph's memories. What CIRCT has
//! no place for stands in attributes of ours: `loom.name` and `loom.init` of a `memory`.
//!
//! Refused with a diagnostic: memrefs of other ranks than one, tagged values, `source`, `lazy_fork`, functions in
//! generic form. Several errors show in one run; no input panics or hangs.

pub mod arith;
mod build;
mod memory;
mod ops;
mod parser;
mod printer;
mod terms;

use crate::{verify, Graph};
use loom_base::diag::has_errors;
use loom_base::{Diagnostics, Source};

/// Reads, normalises and verifies a graph. Problems come in the order of the text.
pub fn parse(source: &Source) -> Result<Graph, Diagnostics> {
    let graph = parser::parse_function(&source.text).and_then(build::build).and_then(|graph| {
        let problems = verify::verify(&graph);
        if has_errors(&problems) {
            return Err(problems);
        }
        Ok(graph)
    });
    graph.map_err(|mut problems| {
        problems.sort_by_key(|d| d.labels.first().map_or(usize::MAX, |l| l.span.start));
        problems
    })
}

/// Writes a verified graph in canonical form.
pub fn print(graph: &Graph) -> String {
    printer::print(graph)
}
