//! The dataflow graph (DFG): types, ops, the graph, its text form, its verifier and its token interpreter.
//!
//! Guarantees: a [`Graph`] is normal (no `fork`, `sink` or `buffer` nodes: a value has any number of uses, and a
//! use count above one *is* a fork, of zero a discard); [`verify`](verify::verify) accepts exactly the graphs
//! every later stage takes. The op table ([`op`]) is the one list of ops that the verifier, the interpreter, the
//! mapper, the generator and the documentation read.

pub mod budget;
pub mod codes;
pub mod eval;
pub mod float;
pub mod graph;
pub mod ids;
pub mod interp;
pub mod op;
pub mod phases;
pub mod random;
pub mod rates;
pub mod table;
pub mod text;
pub mod types;
pub mod verify;

pub use graph::{Graph, Memory, MemoryId, MemoryPlace, Node, NodeId, Output, ValueDef, ValueId};
pub use op::{ContCond, FloatPredicate, Op, OpKind, Ports, Predicate, StepOp};
pub use rates::Rates;
pub use table::docs_table;
pub use text::{parse, print};
pub use types::Type;
pub use verify::verify;
