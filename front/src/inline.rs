//! Calls become what they call, and jumps become structure on the way: a fabric has no stack.
//!
//! **Guarantees:** every call of a function with a body is gone, those inside of it too. **Refuses**, with the place: recursion, and programs that
//! grow beyond [`MOST_OPS`] operations or the depth that regions may have. Calls of declarations stay.

use crate::codes;
use crate::edit::{self, Parents};
use crate::ir::{Func, Kind, OpId, Program, ValueId};
use crate::structure;
use crate::verify::{depth, MAX_DEPTH};
use loom_base::{Code, Diagnostic, Diagnostics};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Operations of a function with all that it calls.
pub const MOST_OPS: usize = 100_000;

/// A function with everything it calls in it, without jumps.
pub fn run<'m>(
    program: &'m Program,
    func: &'m Func,
    states: Option<u32>,
) -> Result<Cow<'m, Func>, Diagnostics> {
    Inliner { program, states, known: BTreeMap::new(), active: Vec::new() }.function(func)
}

struct Inliner<'m> {
    program: &'m Program,
    /// Bits of index, where loops may get a body for each of their states.
    states: Option<u32>,
    /// Functions without calls left.
    known: BTreeMap<&'m str, Cow<'m, Func>>,
    /// Functions whose calls are being looked at, each called by the one before.
    active: Vec<&'m str>,
}

impl<'m> Inliner<'m> {
    fn function(&mut self, func: &'m Func) -> Result<Cow<'m, Func>, Diagnostics> {
        let own = match structure::has_jumps(func) {
            true => Cow::Owned(structure::run(func, self.states)?),
            false => Cow::Borrowed(func),
        };
        let calls: Vec<(OpId, &'m Func)> = edit::walk(&own)
            .into_iter()
            .filter_map(|op| match &own.op(op).kind {
                Kind::Call(name) => self.program.func(name).filter(|f| f.body.is_some()).map(|f| (op, f)),
                _ => None,
            })
            .collect();
        if calls.is_empty() {
            return Ok(own);
        }
        self.active.push(&func.name);
        let mut out = own.into_owned();
        let mut given: BTreeMap<ValueId, ValueId> = BTreeMap::new();
        let mut bodies: BTreeMap<OpId, Vec<OpId>> = BTreeMap::new();
        for (call, callee) in calls {
            if !self.known.contains_key(callee.name.as_str()) {
                self.check(&out, call, callee)?;
                let body = self.function(callee)?;
                self.known.insert(&callee.name, body);
            }
            let body = &self.known[callee.name.as_str()];
            if out.ops.len() + body.ops.len() > MOST_OPS {
                let message = format!("more than {MOST_OPS} operations with all that is called");
                return Err(refused(
                    &out,
                    call,
                    codes::NOT_LOWERED,
                    message,
                    "call it in a loop, or less often",
                ));
            }
            let arguments: Vec<ValueId> =
                out.op(call).operands.iter().map(|v| *given.get(v).unwrap_or(v)).collect();
            let (ops, results) = copy(body, &mut out, &arguments);
            given.extend(out.op(call).results.iter().copied().zip(results));
            bodies.insert(call, ops);
        }
        put(&mut out, &bodies, &given);
        self.active.pop();
        if depth(&out) > MAX_DEPTH {
            let message = format!("`@{}` nests more than {MAX_DEPTH} levels with what it calls", out.name);
            let d = Diagnostic::error(codes::NESTING, message).at_opt(out.span.clone(), "");
            return Err(vec![d.help("call it outside of some loops and branches")]);
        }
        Ok(Cow::Owned(out))
    }

    fn check(&self, func: &Func, call: OpId, callee: &Func) -> Result<(), Diagnostics> {
        if self.active.contains(&callee.name.as_str()) {
            let message = format!("a recursive call of `@{}`", callee.name);
            return Err(refused(func, call, codes::NOT_LOWERED, message, "write it as a loop"));
        }
        if self.active.len() >= MAX_DEPTH {
            let message = format!("calls nest more than {MAX_DEPTH} levels deep");
            return Err(refused(func, call, codes::NESTING, message, "call it from further out"));
        }
        Ok(())
    }
}

fn refused(func: &Func, at: OpId, code: Code, message: String, help: &str) -> Diagnostics {
    vec![Diagnostic::error(code, message).at_opt(func.op(at).span.clone(), "").help(help)]
}

/// Puts bodies in the places of their calls.
fn put(out: &mut Func, bodies: &BTreeMap<OpId, Vec<OpId>>, given: &BTreeMap<ValueId, ValueId>) {
    let parents = Parents::new(out);
    let mut blocks: Vec<_> = bodies.keys().filter_map(|&call| parents.block(call)).collect();
    blocks.sort();
    blocks.dedup();
    for block in blocks {
        let ops = std::mem::take(&mut out.blocks[block.0 as usize].ops);
        let replaced = ops.into_iter().flat_map(|op| bodies.get(&op).cloned().unwrap_or_else(|| vec![op]));
        out.blocks[block.0 as usize].ops = replaced.collect();
    }
    for v in out.ops.iter_mut().flat_map(|op| &mut op.operands) {
        *v = *given.get(v).unwrap_or(v);
    }
}

/// A function's operations as new ones of another, and what it returns.
pub(crate) fn copy(from: &Func, to: &mut Func, arguments: &[ValueId]) -> (Vec<OpId>, Vec<ValueId>) {
    let entry = from.body.and_then(|body| from.entry(body)).expect("a function that is called has a body");
    let mut now: BTreeMap<ValueId, ValueId> =
        from.block(entry).arguments.iter().copied().zip(arguments.iter().copied()).collect();
    let (end, ops) = from.block(entry).ops.split_last().expect("a verified block has a terminator");
    let made = copy_ops(from, ops, to, &mut now);
    (made, from.op(*end).operands.iter().map(|v| now[v]).collect())
}

fn copy_ops(from: &Func, ops: &[OpId], to: &mut Func, now: &mut BTreeMap<ValueId, ValueId>) -> Vec<OpId> {
    let mut made = Vec::new();
    for record in ops.iter().map(|&op| from.op(op)) {
        let operands: Vec<ValueId> = record.operands.iter().map(|v| now[v]).collect();
        let types: Vec<_> = record.results.iter().map(|&r| from.ty(r).clone()).collect();
        let op = to.create_op(record.kind.clone(), &operands, &types);
        to.op_mut(op).nsw = record.nsw;
        to.op_mut(op).hints = record.hints;
        to.op_mut(op).span.clone_from(&record.span);
        for (k, &old) in record.results.iter().enumerate() {
            let value = to.result(op, k);
            to.values[value.0 as usize].name.clone_from(&from.value(old).name);
            now.insert(old, value);
        }
        for &region in &record.regions {
            let new = to.add_region();
            for &block in &from.region(region).blocks {
                let inner = to.add_block(new);
                for &old in &from.block(block).arguments {
                    let value = to.add_argument(inner, from.value(old).name.clone(), from.ty(old).clone());
                    now.insert(old, value);
                }
                let ops = copy_ops(from, &from.block(block).ops, to, now);
                to.blocks[inner.0 as usize].ops = ops;
            }
            to.op_mut(op).regions.push(new);
        }
        made.push(op);
    }
    made
}
