//! The modules made from the architecture model, held against `docs/hardware.md` in the IR evaluator.
//!
//! Each component runs beside a model written from that page alone, under random configurations, tokens and stalls; all
//! of valid, ready, data, tag, `error_code` and `busy` are compared in every cycle. Beside that: what must hold of the
//! tokens whatever the page says (none lost, none twice, none overtaken), loading, and legal shapes that are easy to
//! forget.

// The contract's formulas go by index, and so do the models.
#![allow(clippy::needless_range_loop)]

mod bench;
#[path = "../common/mod.rs"]
mod common;
mod leaves;
mod loading;
mod memory;
mod memory_model;
mod pe;
mod pe_model;
mod planted;
mod replay;
mod shapes;
mod switch;
mod tags;
mod temporal;
mod unit_model;
