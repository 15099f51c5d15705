//! The RTL module IR: what every piece of hardware here is built from, printed from and checked on.
//!
//! - [`Expr`] values of known width, width 0 included;
//! - [`Module`] ports, wires, registers, memories and instances, in reading order;
//! - [`Design`] modules by name, each printed once;
//! - [`check`] undriven, doubly driven and unused nets and combinational cycles, before any Verilog exists;
//! - [`eval`] runs a module in Rust;
//!
//! ```
//! use loom_hdl::ir::{Design, Module};
//! let mut m = Module::new("counter_w8");
//! m.doc("Counts the cycles in which `step` is high.");
//! let step = m.input("step", 1);
//! let count = m.reg("count_q", 8, 0u32);
//! let one = loom_hdl::ir::Expr::konst(8, 1u32);
//! m.next(&count, Some(step), count.q.add(&one));
//! m.assign_output("count", count.q.clone());
//! let mut design = Design::new();
//! design.add(&m.finish());
//! assert!(design.print("counter_w8").contains("if (step) count_q <= count_q + 8'd1;"));
//! ```

pub mod check;
pub mod design;
pub mod eval;
pub mod expr;
mod gate;
mod layout;
pub mod module;
pub mod names;
mod ops;
pub mod print;

pub use check::CheckError;
pub use design::Design;
pub use eval::Evaluator;

pub use expr::{Expr, NetId};
pub use gate::{gate_text, CLOCK_GATES, GATE_MODULE};
pub use module::{Dir, Mem, Module, Outputs, Reg};
