//! The front end: structured programs (MLIR text), what they mean, and how they become dataflow graphs.
//!
//! Guarantees: [`parse`] returns verified modules only; a graph that [`compile::compile`] returns keeps token balance and memory
//! order (D1, D2), which [`regime`] and [`invariants`] derive from the finished graph alone. Refuses, with a place and a code:
//! what is no program, what no graph can do, and what a stated budget cannot hold.
//!
//! ```
//! use loom_base::Source;
//! use loom_front::compile::{compile, CompileOptions};
//! let text = "func.func @larger(%a: i32, %b: i32) -> i32 {
//!   %is = arith.cmpi sgt, %a, %b : i32
//!   %c = scf.if %is -> (i32) {
//!     scf.yield %a : i32
//!   } else {
//!     scf.yield %b : i32
//!   }
//!   return %c : i32
//! }";
//! let module = loom_front::parse(&Source::new("larger.scf.mlir", text)).expect("a program");
//! let compiled = compile(&module, &CompileOptions::default()).expect("a graph");
//! assert!(loom_dfg::print(&compiled.lowered.graph).contains("arith.select"));
//! ```

mod bits;
pub mod codes;
pub mod compile;
pub mod depend;
pub mod domain;
pub mod edit;
pub mod elementary;
pub mod hints;
pub mod inline;
pub mod interp;
pub mod invariants;
pub mod ir;
pub mod legalize;
pub mod lower;
pub mod normalize;
mod number_set;
pub mod order;
pub mod passes;
pub mod predicate;
pub mod regime;
pub mod select;
pub mod structure;
pub mod text;
pub mod verify;
mod whole;

pub use text::{parse, print};
