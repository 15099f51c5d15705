//! Logic cut into pipeline stages: what a function unit of latency L computes, with L levels of registers in it.
//!
//! The rule. The body of a unit is read as a graph of operators ([`graph`]). Wide operators become small ones first, in named
//! steps: a product is rows and a tree of carry-save adders, a sum a prefix network, a shift a row of muxes ([`expand`]). Each
//! operator has a delay by kind and width ([`delay`]). The cut is the one whose slowest stage is fastest: the shortest
//! period with which L + 1 stages suffice when every operator stands as early as it can ([`schedule`]). Then operators move
//! to later stages where that saves registers and costs no time. What a later stage reads crosses the cut in registers,
//! bit by bit only what is read ([`write`]).
//!
//! Guarantees: results are those of the uncut body, L levels of registers later, as long as each level is enabled when its
//! token arrives; the same body gives the same cut. Nothing here knows handshakes: enables come from the caller. Refuses
//! nothing: an operator that cannot be taken apart makes the slowest stage as slow as it is.

mod delay;
mod expand;
mod graph;
mod schedule;
mod write;

use crate::ir::{Expr, Module};

/// A combinational body, built in a module of its own.
pub(crate) struct Body {
    /// Its wires; its inputs are ports.
    pub module: Module,
    /// What it computes.
    pub results: Vec<Expr>,
}

/// Writes a body into `m`, cut by one level of registers for each of `arrives`: level j takes its values when `arrives[j]` is
/// high. `inputs` are the values of the body's inputs by name. Gives the results of the last stage.
pub(crate) fn cut(m: &mut Module, body: Body, inputs: &[(&str, Expr)], arrives: &[Expr]) -> Vec<Expr> {
    let graph = graph::Graph::read(body, inputs);
    let stages = schedule::schedule(&graph, arrives.len());
    write::write(m, &graph, &stages, arrives)
}
