//! The dataflow graph (DFG): types, ops, the graph, its text form, its verifier and its token interpreter.
//!
//! Guarantees: a [`Graph`] is normal (no `fork`, `sink` or `buffer` nodes: a value has any number of uses, and a
//! use count above one *is* a fork, of zero a discard); [`verify`](verify::verify) accepts exactly the graphs
//! every later stage takes. The op table ([`op`]) is the one list of ops that the verifier, the interpreter, the
//! mapper, the generator and the documentation read. Refuses, with a place and a code: text that is no graph, and graphs
//! that are not well typed, have a cycle that can never start, or speak of what the verifier does not know.
//!
//! ```
//! use loom_base::Source;
//! use loom_dfg::interp::{run, InterpOptions};
//! let text = "handshake.func @twice(%x: i32) -> (i32) {
//!   %y:2 = fork [2] %x : i32
//!   %sum = arith.addi %y#0, %y#1 : i32
//!   return %sum : i32
//! }";
//! let graph = loom_dfg::parse(&Source::new("twice.dfg.mlir", text)).expect("a graph");
//! assert_eq!(graph.nodes.len(), 1); // the fork is two uses of one value
//! let outcome = run(&graph, &[vec![3, 20]], &InterpOptions::default());
//! assert_eq!(outcome.outputs, [[6, 40]]);
//! assert!(outcome.is_complete() && outcome.leftover.is_empty());
//! ```

pub mod branches;
pub mod budget;
pub mod codes;
pub mod curves;
pub mod eval;
pub mod float;
pub mod graph;
pub mod ids;
pub mod immediates;
pub mod interp;
pub mod op;
pub mod phases;
pub mod profile;
pub mod rates;
pub mod table;
pub mod text;
pub mod types;
pub mod verify;

pub use graph::{
    CoveredOp, CoveredSource, Graph, Memory, MemoryId, MemoryPlace, Node, NodeId, Output, ValueDef, ValueId,
};
pub use op::{ContCond, Counter, FloatPredicate, Op, OpKind, Ports, Predicate, Signedness, StepOp};
pub use profile::Profile;
pub use rates::Rates;
pub use table::docs_table;
pub use text::{parse, print};
pub use types::Type;
pub use verify::verify;
