//! From jumps to structure: a function whose body has several blocks of `cf` becomes one with a single block and
//! `scf.if`, `scf.while` and `scf.index_switch`.
//!
//! **Guarantees:** the result means the same and verifies; every operation of the source stands in it once, but for those
//! that a jump into a loop makes copies of, those of a loop that goes through states (`states`), cheap ones that both the
//! body and the exit of a loop need, and views, which are made where they are used. A loop that its header alone leaves has nothing but the test
//! in its before-region, so that what counts can be raised to `scf.for`. A selector is made only where ways part
//! again that met (short circuits, loops with several exits, falling through).
//!
//! **Refuses**, with the place: loops without an exit, loops entered in several places that are too large to copy, more than 60
//! levels, and memrefs that differ from way to way.

mod emit;
mod graph;
mod loops;
mod meet;
mod remainder;
mod repeat;
mod rounds;
mod sink;
mod states;
mod values;

use crate::codes;
use crate::edit;
use crate::ir::{BlockId, Func, Kind};
use loom_base::{Diagnostic, Diagnostics};
use std::borrow::Cow;

/// Whether a function has jumps.
pub fn has_jumps(func: &Func) -> bool {
    func.body.is_some_and(|body| func.region(body).blocks.len() > 1)
}

/// Structures a verified function that has jumps. `index_width` is given where a loop may get a body for each of its states.
pub fn run(func: &Func, index_width: Option<u32>) -> Result<Func, Diagnostics> {
    let func = &match index_width {
        Some(_) => Cow::Owned(states::with_literals(func)),
        None => Cow::Borrowed(func),
    };
    let mut graph = graph::FlowGraph::new(func, &reachable(func));
    let mut loops = loops::Loops::new(&mut graph)?;
    hints_in_loops(&graph, &loops)?;
    if let Some(index_width) = index_width {
        states::run(&mut graph, &mut loops, index_width)?;
    }
    rounds::run(&mut graph, &mut loops);
    sink::run(&mut graph, &mut loops);
    let mut out = emit::Emitter::new(&graph, &loops).run()?;
    drop_dead(&mut out);
    Ok(out)
}

/// Refuses a hint that no loop is meant by.
fn hints_in_loops(graph: &graph::FlowGraph, loops: &loops::Loops) -> Result<(), Diagnostics> {
    let order = graph.order();
    let lost = order.into_iter().find(|&n| !graph[n].hints.is_empty() && loops.of[n.0 as usize].is_none());
    match lost {
        None => Ok(()),
        Some(n) => Err(vec![Diagnostic::error(codes::HINT, "a hint about a loop, outside of every loop")
            .at_opt(graph[n].span.clone(), "control goes on from here")
            .help("put it first into the body of the loop, or take it out")]),
    }
}

/// The blocks that the entry reaches, in the order of the source.
fn reachable(func: &Func) -> Vec<BlockId> {
    let Some(body) = func.body else { return Vec::new() };
    let mut seen = vec![false; func.blocks.len()];
    let mut work: Vec<BlockId> = func.entry(body).into_iter().collect();
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut seen[block.0 as usize], true) {
            let end = func.terminator(block).map(|op| &func.op(op).successors[..]);
            work.extend(end.unwrap_or_default().iter().map(|s| s.block));
        }
    }
    func.region(body).blocks.iter().copied().filter(|b| seen[b.0 as usize]).collect()
}

/// Drops what computes and is not used: tests that were turned round, literals that came to nothing. Accesses stay,
/// used or not: here every operation of the source has its place still.
fn drop_dead(func: &mut Func) {
    let computes =
        |kind: &Kind| matches!(kind, Kind::Scalar(_) | Kind::Constant(_) | Kind::Poison | Kind::GetGlobal(_));
    let may_go: Vec<bool> = func.ops.iter().map(|op| computes(&op.kind)).collect();
    edit::drop_unused(func, &may_go);
}
