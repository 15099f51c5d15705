//! Accesses that follow each other at even distances become a loop: of a program that is compiled for room
//! ([`crate::whole::Aim::Room`]).
//!
//! An access takes a lane of a memory interface, and lanes are what fabrics have least of. An array that is set word by word (by an
//! initialiser, a `memset` or `memcpy` of few words, or by hand) takes a lane for each; the loop takes one, and a cycle for each word.
//! Taken are stores of one value, and copies, each a load and the store of what it gave, that stand behind each other in a
//! block and whose words are literals with one positive distance between neighbours. Their order stays, so that the program means
//! the same, whatever they touch. Of two, the loop would need more units than it saves.

use crate::edit::{self, Changes, InsertionPoint};
use crate::ir::{BlockId, Func, Kind, OpId, ValueId, ValueType};
use loom_dfg::{Op, OpKind, Type};

/// The fewest accesses of a kind that become a loop.
const FEWEST: usize = 3;

/// Makes a loop of each run of accesses.
pub fn run(func: &mut Func) {
    let uses = edit::use_counts(func);
    let mut changes = Changes::default();
    for block in blocks(func) {
        for found in runs(func, &uses, block) {
            let made = roll(func, &found);
            changes.insert_before(found.steps[0].first(), made);
            found.steps.iter().flat_map(Step::ops).for_each(|op| changes.erase(op));
        }
    }
    changes.apply(func);
}

/// Whether no run is left.
pub fn holds(func: &Func) -> bool {
    let uses = edit::use_counts(func);
    blocks(func).into_iter().all(|block| runs(func, &uses, block).is_empty())
}

fn blocks(func: &Func) -> Vec<BlockId> {
    let regions = edit::walk(func).into_iter().flat_map(|op| func.op(op).regions.clone());
    func.body.into_iter().chain(regions).filter_map(|r| func.entry(r)).collect()
}

/// A store, or a load and a store of what it gave.
#[derive(Clone, Copy)]
struct Step {
    load: Option<(OpId, i64)>,
    store: (OpId, i64),
}

impl Step {
    fn first(&self) -> OpId {
        self.load.map_or(self.store.0, |l| l.0)
    }

    fn ops(&self) -> impl Iterator<Item = OpId> {
        self.load.map(|l| l.0).into_iter().chain([self.store.0])
    }

    /// How far another one is from it, where both do the same.
    fn distance(&self, func: &Func, next: &Step) -> Option<i64> {
        let alike = |a: OpId, b: OpId, first: usize| func.op(a).operands[first] == func.op(b).operands[first];
        let by = next.store.1.checked_sub(self.store.1).filter(|&by| by > 0)?;
        // The memref, and which copy of a loop around it; of a store alone the value too.
        let same = alike(self.store.0, next.store.0, 1)
            && func.op(self.store.0).copies == func.op(next.store.0).copies
            && match (self.load, next.load) {
                (None, None) => alike(self.store.0, next.store.0, 0),
                (Some(a), Some(b)) => alike(a.0, b.0, 0) && b.1.checked_sub(a.1) == Some(by),
                _ => false,
            };
        same.then_some(by)
    }
}

/// Steps that follow each other.
struct Run {
    steps: Vec<Step>,
    by: i64,
}

fn runs(func: &Func, uses: &[u32], block: BlockId) -> Vec<Run> {
    let mut found = Vec::new();
    let mut open: Option<Run> = None;
    let mut close = |run: Option<Run>| found.extend(run.filter(|r| r.steps.len() >= FEWEST));
    let mut ops = func.block(block).ops.iter().copied().peekable();
    while let Some(op) = ops.next() {
        let Some(step) = step(func, uses, op, ops.peek().copied()) else {
            close(open.take());
            continue;
        };
        if step.load.is_some() {
            ops.next();
        }
        open = Some(match open.take() {
            Some(mut run) => {
                let last = run.steps[run.steps.len() - 1];
                match last.distance(func, &step) {
                    Some(by) if run.steps.len() == 1 || by == run.by => {
                        run.by = by;
                        run.steps.push(step);
                        run
                    }
                    _ => {
                        close(Some(run));
                        Run { steps: vec![step], by: 0 }
                    }
                }
            }
            None => Run { steps: vec![step], by: 0 },
        });
    }
    close(open);
    found
}

/// The step that begins with an operation.
fn step(func: &Func, uses: &[u32], op: OpId, next: Option<OpId>) -> Option<Step> {
    let word = |op: OpId| match func.op(op).address() {
        &[_, subscript] => edit::constant_int(func, subscript),
        _ => None,
    };
    match func.op(op).kind {
        Kind::Store => Some(Step { load: None, store: (op, word(op)?) }),
        Kind::Load => {
            let (value, store) = (func.result(op, 0), next?);
            let copies = func.op(store).kind == Kind::Store && func.op(store).operands[0] == value;
            (copies && uses[value.0 as usize] == 1)
                .then_some(Step { load: Some((op, word(op)?)), store: (store, word(store)?) })
        }
        _ => None,
    }
}

/// The loop in the place of a run, with the literals before it; in no block yet.
fn roll(func: &mut Func, run: &Run) -> Vec<OpId> {
    let first = run.steps[0];
    let (store, word) = first.store;
    let count = run.steps.len() as i64;
    let mut cursor = InsertionPoint::new(func, first.first());
    let mut literal = |n: i64| cursor.constant(n as u64, Type::Index);
    let bounds = [word, word + count * run.by, run.by].map(&mut literal);
    let apart = first.load.map(|(load, from)| (load, from - word)).map(|(load, by)| (load, by, literal(by)));
    let mut made = cursor.made;
    let of = func.create_op(Kind::COUNT_UP, &bounds, &[]);
    func.op_mut(of).span = func.op(store).span.clone();
    func.op_mut(of).copies = func.op(store).copies.clone();
    let region = func.add_region();
    func.op_mut(of).regions = vec![region];
    let body = func.add_block(region);
    let index = func.add_argument(body, "", ValueType::Scalar(Type::Index));
    let (mut value, memref) = (func.op(store).operands[0], func.op(store).operands[1]);
    if let Some((load, by, literal)) = apart {
        let from = match by {
            0 => index,
            _ => {
                let kind = Kind::Scalar(Op::Plain(OpKind::Addi));
                let sum = func.push_op(body, kind, &[index, literal], &[ValueType::Scalar(Type::Index)]);
                func.result(sum, 0)
            }
        };
        value = again(func, body, load, &[func.op(load).operands[0], from]);
    }
    again(func, body, store, &[value, memref, index]);
    func.push_op(body, Kind::Yield, &[], &[]);
    made.push(of);
    made
}

/// An access like another one at another word; what it loads.
fn again(func: &mut Func, body: BlockId, access: OpId, operands: &[ValueId]) -> ValueId {
    let record = func.op(access).clone();
    let types: Vec<ValueType> = record.results.iter().map(|&r| func.ty(r).clone()).collect();
    let op = func.push_op(body, record.kind, operands, &types);
    let new = func.op_mut(op);
    (new.span, new.copies) = (record.span, record.copies);
    new.results.first().copied().unwrap_or(operands[0])
}
