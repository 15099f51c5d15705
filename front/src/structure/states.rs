//! A loop around others that goes through few states gets a body for each.
//!
//! `t = a; a = b; b = t` makes every access through `a` and `b` a choice between two arrays, by literals that are carried round the
//! loop and swapped; and what a turn stores may then be what it loads, since nobody sees that the literals differ. The *state* of a loop
//! is those arguments of its header that are literals on the way in, and on each way back follow from literals and the state; and the remainders
//! that are asked of what counts (`t & 1`, `t % 3`). Its nodes are copied for each state it comes to, the ways back lead from copy to copy,
//! and what a state decides is gone: numbers are literals, tests are none.
//!
//! That is worth it where the loop is around another one, since it may lose its count, and where an address depends on the state or a
//! test does that chooses between arrays. Nothing is done where more would be copied than [`MOST_COPIES`].

use super::graph::{Edge, FlowGraph, FlowNode, FlowNodeId, Terminator};
use super::loops::{reached, Loop, LoopId, Loops};
use super::remainder::{literal, Remainder, Writes, MOST_STATES};
use crate::edit::{self, InsertionPoint};
use crate::ir::{Func, Kind, OpId, ValueDef, ValueId};
use loom_base::Diagnostics;
use loom_dfg::Type;
use std::collections::BTreeSet;

/// Operations and jumps that are copied in one function.
const MOST_COPIES: usize = 400;
/// Operations that a test or an address is looked at through.
const DEPTH: usize = 8;

/// Works on every loop.
pub fn run(graph: &mut FlowGraph, loops: &mut Loops, index_width: u32) -> Result<(), Diagnostics> {
    let mut left = MOST_COPIES;
    loop {
        let mut found = None;
        for l in (0..loops.list.len() as u32).map(LoopId) {
            let is_around = loops.list.iter().any(|inner| inner.parent == Some(l));
            let size: usize = loops[l].nodes.iter().map(|&n| graph[n].ops.len() + 1).sum();
            let states = is_around.then(|| States::new(graph, &loops[l], index_width)).flatten();
            found = states.filter(|states| (states.list.len() - 1) * size <= left).map(|s| (l, size, s));
            if found.is_some() {
                break;
            }
        }
        let Some((l, size, states)) = found else { return Ok(()) };
        left -= (states.list.len() - 1) * size;
        states.put_copies(graph, &loops[l]);
        *loops = Loops::new(graph)?;
    }
}

/// A function with the literals that states may be.
pub fn with_literals(func: &Func) -> Func {
    let mut func = func.clone();
    let Some((entry, end)) =
        func.body.and_then(|body| func.entry(body)).and_then(|b| Some((b, func.terminator(b)?)))
    else {
        return func;
    };
    let mut at = InsertionPoint::new(&mut func, end);
    for ty in [Type::I32, Type::Int(64), Type::Index] {
        (0..MOST_STATES as u64).for_each(|n| {
            at.constant(n, ty);
        });
    }
    at.put(entry);
    func
}

/// What the state of a loop is, and which states it comes to, the first one first.
struct States {
    index_width: u32,
    writes: Writes,
    parts: Vec<Part>,
    /// Bits of each part.
    list: Vec<Vec<u64>>,
}

/// Something of a state: a literal, or what is left of one that counts.
#[derive(Clone, Copy, PartialEq)]
struct Part {
    argument: ValueId,
    remainder: Option<Remainder>,
}

impl States {
    /// None where a body for each gains nothing.
    fn new(graph: &FlowGraph, l: &Loop, index_width: u32) -> Option<States> {
        let is_inside = |n: FlowNodeId| l.nodes.contains(&n);
        let into = |inside: bool| -> Vec<&Edge> {
            let from = graph.order().into_iter().filter(|&n| is_inside(n) == inside);
            from.flat_map(|n| &graph[n].edges).filter(|e| e.to == l.header).collect()
        };
        let (first, back) = (into(false), into(true));
        let [first] = first[..] else { return None };
        let writes = Writes::new(graph);
        let mut states = States { index_width, writes, parts: Vec::new(), list: Vec::new() };
        for &(argument, from) in &first.writes {
            if literal(graph, from).is_none() {
                continue;
            }
            states.parts.push(Part { argument, remainder: None });
            let asked = Remainder::asked(graph, &states.writes, l, (argument, from), &back);
            let part = |of| Part { argument, remainder: Some(of) };
            states.parts.extend(asked.into_iter().map(part));
        }
        // Without what turns out not to follow from the rest.
        while let Err(part) = states.explore(graph, first, &back) {
            states.parts.retain(|&p| p != part);
        }
        let gains = states.list.len() > 1 && states.matter(graph, l);
        gains.then_some(states)
    }

    /// Goes through the states until there are no new ones, or says what is no part of them.
    fn explore(&mut self, graph: &FlowGraph, first: &Edge, back: &[&Edge]) -> Result<(), Part> {
        self.list = vec![self.after(graph, first, &[])?];
        let mut at = 0;
        while at < self.list.len() {
            if self.list.len() > MOST_STATES {
                // What counts, not what alternates.
                let values =
                    |k: usize| self.list.iter().map(|state| state[k]).collect::<BTreeSet<u64>>().len();
                let most = (0..self.parts.len()).rev().max_by_key(|&k| values(k)).expect("it changes");
                return Err(self.parts[most]);
            }
            for edge in back {
                let next = self.after(graph, edge, &self.list[at])?;
                // A literal for each must be there already.
                let unwritten = |&(part, &bits): &(&Part, &u64)| {
                    part.remainder.is_none() && written(graph, part.argument, bits).is_none()
                };
                if let Some((&part, _)) = self.parts.iter().zip(&next).find(unwritten) {
                    return Err(part);
                }
                if !self.list.contains(&next) {
                    self.list.push(next);
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// The state behind an edge to the header, in a state.
    fn after(&self, graph: &FlowGraph, edge: &Edge, state: &[u64]) -> Result<Vec<u64>, Part> {
        let value = |(k, &part): (usize, &Part)| {
            let from = edge.writes.iter().find(|w| w.0 == part.argument).ok_or(part)?.1;
            let bits = match part.remainder {
                None => self.value(graph, from, state, DEPTH),
                Some(of) if state.is_empty() => Some(of.plus(0, of.first)),
                Some(of) => {
                    let moved = self.writes.moved(graph, from, part.argument);
                    moved.map(|(plus, _)| of.plus(state[k], plus))
                }
            };
            bits.ok_or(part)
        };
        self.parts.iter().enumerate().map(value).collect()
    }

    /// The bits of a variable in a state.
    fn value(&self, graph: &FlowGraph, variable: ValueId, state: &[u64], depth: usize) -> Option<u64> {
        if let Some(k) = self.parts.iter().position(|p| p.argument == variable && p.remainder.is_none()) {
            return state.get(k).copied();
        }
        if let Some(bits) = literal(graph, variable) {
            return Some(bits);
        }
        let (func, depth) = (graph.func, depth.checked_sub(1)?);
        let op = match func.values.get(variable.0 as usize)?.def {
            ValueDef::Result { op, .. } => op,
            ValueDef::Argument { .. } => {
                let mut written = self.writes.to(variable)?.iter();
                let first = self.value(graph, *written.next()?, state, depth)?;
                let same = written.all(|&v| self.value(graph, v, state, depth) == Some(first));
                return same.then_some(first);
            }
        };
        let remainder = |(k, part): (usize, &Part)| {
            let (of, plus) = self.asks(graph, op, part)?;
            Some(of.plus(*state.get(k)?, plus))
        };
        if let Some(bits) = self.parts.iter().enumerate().find_map(remainder) {
            return Some(bits);
        }
        let operands = func.op(op).operands.iter().map(|&v| self.value(graph, v, state, depth));
        edit::computed(func, op, self.index_width, &operands.collect::<Option<Vec<u64>>>()?)
    }

    /// Whether an op asks for the remainder that a part is, of how much more.
    fn asks(&self, graph: &FlowGraph, op: OpId, part: &Part) -> Option<(Remainder, i64)> {
        let of = part.remainder?;
        Some((of, of.asked_by(graph, &self.writes, op, part.argument)?))
    }

    /// Whether a test or an address depends on what changes from state to state.
    fn matter(&self, graph: &FlowGraph, l: &Loop) -> bool {
        let func = graph.func;
        let changing = |k: &usize| self.list.iter().any(|state| state[*k] != self.list[0][*k]);
        let changing: Vec<ValueId> = (0..self.parts.len())
            .filter(changing)
            .flat_map(|k| match self.parts[k] {
                Part { argument, remainder: None } => vec![argument],
                part => {
                    let ops = l.nodes.iter().flat_map(|&n| &graph[n].ops);
                    let asked = ops.filter(|&&op| self.asks(graph, op, &part).is_some());
                    asked.map(|&op| func.result(op, 0)).collect()
                }
            })
            .collect();
        l.nodes.iter().any(|&n| {
            let asks = match graph[n].end {
                Terminator::Test(v) | Terminator::Switch(v, _) => {
                    self.depends(graph, v, &changing, DEPTH) && chooses(graph, l, n)
                }
                _ => false,
            };
            let addresses = graph[n].ops.iter().flat_map(|&op| func.op(op).address());
            asks || addresses.into_iter().any(|&v| self.depends(graph, v, &changing, DEPTH))
        })
    }

    /// Whether a variable is computed from some others, or hands one on.
    fn depends(&self, graph: &FlowGraph, variable: ValueId, from: &[ValueId], depth: usize) -> bool {
        let Some(value) = graph.func.values.get(variable.0 as usize) else { return false };
        let operands = match value.def {
            ValueDef::Result { .. } => edit::made_by(graph.func, variable).map(|(_, operands)| operands),
            ValueDef::Argument { .. } => self.writes.to(variable),
        };
        let mut operands = operands.into_iter().flatten();
        from.contains(&variable) || depth > 0 && operands.any(|&v| self.depends(graph, v, from, depth - 1))
    }

    /// Puts in the nodes of the loop for each state, their ways back leading on from one to the other. Those of the first state
    /// take the places of what they are copies of.
    fn put_copies(&self, graph: &mut FlowGraph, l: &Loop) {
        // By state: what is decided in it, with its literal.
        let known: Vec<Vec<(ValueId, ValueId)>> = self.list.iter().map(|s| self.known(graph, l, s)).collect();
        let mut copies = self.copies(graph, l, &known).into_iter();
        let is_inside = |n: usize| l.nodes.contains(&FlowNodeId(n as u32));
        for n in (0..graph.nodes.len()).filter(|&n| !is_inside(n)) {
            let edges = graph.nodes[n].edges.iter_mut().filter(|e| e.to == l.header);
            edges.for_each(|edge| write(edge, &known[0]));
        }
        for (&n, node) in l.nodes.iter().zip(copies.next().into_iter().flatten()) {
            graph.nodes[n.0 as usize] = node;
        }
        copies.flatten().for_each(|node| {
            graph.add(node);
        });
    }

    fn copies(&self, graph: &FlowGraph, l: &Loop, known: &[Vec<(ValueId, ValueId)>]) -> Vec<Vec<FlowNode>> {
        let first = graph.nodes.len();
        let at = |n: FlowNodeId, state: usize| {
            let place = l.nodes.iter().position(|&x| x == n)?;
            Some(match state {
                0 => n,
                _ => FlowNodeId((first + (state - 1) * l.nodes.len() + place) as u32),
            })
        };
        let copy = |&n: &FlowNodeId, state: usize| {
            let mut node = self.decided(graph, &graph[n], &self.list[state]);
            node.ops.retain(|&op| {
                let results = &graph.func.op(op).results;
                !results.iter().any(|result| known[state].iter().any(|k| k.0 == *result))
            });
            for edge in &mut node.edges {
                let mut to = state;
                if edge.to == l.header {
                    let next = self.after(graph, edge, &self.list[state]);
                    to = next.ok().and_then(|next| self.list.iter().position(|s| *s == next)).unwrap_or(0);
                    write(edge, &known[to]);
                }
                edge.to = at(edge.to, to).unwrap_or(edge.to);
            }
            node
        };
        let of = |state: usize| l.nodes.iter().map(|n| copy(n, state)).collect();
        (0..self.list.len()).map(of).collect()
    }

    /// The variables of a loop that a state decides, and the variables of literals that they are.
    fn known(&self, graph: &FlowGraph, l: &Loop, state: &[u64]) -> Vec<(ValueId, ValueId)> {
        let whole = self.parts.iter().filter(|part| part.remainder.is_none()).map(|part| part.argument);
        let ops = l.nodes.iter().flat_map(|&n| &graph[n].ops);
        let computes = ops.filter(|&&op| matches!(graph.func.op(op).kind, Kind::Scalar(_)));
        let results = computes.map(|&op| graph.func.result(op, 0));
        let literal = |v| Some((v, written(graph, v, self.value(graph, v, state, DEPTH)?)?));
        whole.chain(results).filter_map(literal).collect()
    }

    /// A node without a test that a state decides.
    fn decided(&self, graph: &FlowGraph, node: &FlowNode, state: &[u64]) -> FlowNode {
        let mut node = node.clone();
        if let Terminator::Test(condition) = node.end {
            if let Some(bits) = self.value(graph, condition, state, DEPTH) {
                node.edges = vec![node.edges.swap_remove(usize::from(bits & 1 == 0))];
                node.end = Terminator::Jump;
            }
        }
        node
    }
}

/// Lets an edge write what is known behind it.
fn write(edge: &mut Edge, known: &[(ValueId, ValueId)]) {
    edge.writes.retain(|w| known.iter().all(|k| k.0 != w.0));
    edge.writes.extend(known);
}

/// Whether a test chooses between arrays: two of its ways have accesses that no other has, to different ones or other ways round. One that
/// only leaves out what is rare, or writes one of two numbers, costs less than a second body.
fn chooses(graph: &FlowGraph, l: &Loop, test: FlowNodeId) -> bool {
    let mut part = l.nodes.clone();
    part.sort();
    let way = |e: &Edge| match part.binary_search(&e.to) {
        Ok(_) if e.to != test => reached(graph, &part, test, vec![e.to]),
        _ => Vec::new(),
    };
    let ways: Vec<Vec<FlowNodeId>> = graph[test].edges.iter().map(way).collect();
    let own = |k: usize| -> BTreeSet<(ValueId, bool)> {
        let others = |n: &FlowNodeId| ways.iter().enumerate().any(|(o, way)| o != k && way.contains(n));
        let ops = ways[k].iter().filter(|n| !others(n)).flat_map(|&n| &graph[n].ops);
        let accesses = ops.map(|&op| graph.func.op(op)).filter(|op| !op.address().is_empty());
        accesses.map(|op| (op.address()[0], op.kind == Kind::Store)).collect()
    };
    let used: Vec<_> = (0..ways.len()).map(own).filter(|arrays| !arrays.is_empty()).collect();
    used.iter().any(|arrays| *arrays != used[0])
}

/// The variable of a literal at the top that has these bits, and the type of another variable.
fn written(graph: &FlowGraph, like: ValueId, bits: u64) -> Option<ValueId> {
    let results = graph.hoisted.iter().map(|&op| graph.func.result(op, 0));
    let mut literals = results.filter(|&v| literal(graph, v) == Some(bits));
    literals.find(|&v| graph.ty(v) == graph.ty(like))
}
