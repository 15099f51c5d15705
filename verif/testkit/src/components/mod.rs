//! The modules made from the architecture model, held against `docs/hardware.md` in the IR evaluator.
//!
//! Each component runs beside a model written from that page alone, under random configurations, tokens and stalls; all
//! of valid, ready, data, tag, `error_code` and `busy` are compared in every cycle. Beside that: what must hold of the
//! tokens whatever the page says (none lost, none twice, none overtaken), loading, and legal shapes that are easy to
//! forget.

// The contract's formulas go by index, and so do the models. Checks have the names of what they check; those that judge no
// mutant are called by tests alone.
#![allow(clippy::needless_range_loop, missing_docs, dead_code)]

mod bench;
pub mod functions;
pub mod leaves;
pub mod loading;
pub mod memory;
mod memory_model;
pub mod pe;
mod pe_model;
pub mod planted;
mod replay;
mod shapes;
pub mod switch;
pub mod tags;
pub mod temporal;
mod unit_model;
