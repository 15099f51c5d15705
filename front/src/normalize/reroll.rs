//! Accesses that follow each other at even distances become a loop: of a program that is compiled for room
//! ([`crate::whole::Aim::Room`]).
//!
//! An access takes a lane of a memory interface, and lanes are what fabrics have least of. An array that is set word by word (by an
//! initialiser, a `memset` or `memcpy` of few words, or by hand) takes a lane for each; the loop takes one, and a cycle for each word.
//! Taken are stores of one value, stores of parts of one value that are as far from each other (the bytes of a word, in either order), and
//! copies, each a load and the store of what it gave. They follow each other in a block with nothing but arithmetic in
//! between, and their words are literals, or literals beyond one subscript, with one positive distance between neighbours. Their
//! order stays, so that the program means the same, whatever they touch. Of two, the loop would need more units than it saves.

use crate::edit::{self, Changes, InsertionPoint};
use crate::ir::{BlockId, Func, Kind, OpId, ValueDef, ValueId, ValueType};
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

/// A word of a memref: so many beyond a subscript, or beyond 0.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Word {
    base: Option<ValueId>,
    at: i64,
}

/// Bits of a value that a store takes: from this one on, as many as its word has.
#[derive(Clone, Copy)]
struct Part {
    of: ValueId,
    from: i64,
}

/// A store, or a load and a store of what it gave.
#[derive(Clone, Copy)]
struct Step {
    load: Option<(OpId, Word)>,
    store: (OpId, Word),
    part: Option<Part>,
}

/// How far a step is from the one before it: in words, and in bits of the value that is stored in parts.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Distance {
    words: i64,
    bits: i64,
}

impl Step {
    fn first(&self) -> OpId {
        self.load.map_or(self.store.0, |l| l.0)
    }

    fn ops(&self) -> impl Iterator<Item = OpId> {
        self.load.map(|l| l.0).into_iter().chain([self.store.0])
    }

    /// How far another one is from it, where both do the same.
    fn distance(&self, func: &Func, next: &Step) -> Option<Distance> {
        let alike = |a: OpId, b: OpId, first: usize| func.op(a).operands[first] == func.op(b).operands[first];
        let between = |a: Word, b: Word| (a.base == b.base).then(|| b.at.checked_sub(a.at)).flatten();
        let words = between(self.store.1, next.store.1).filter(|&by| by > 0)?;
        // The memref, and which copy of a loop around it.
        let same = alike(self.store.0, next.store.0, 1)
            && func.op(self.store.0).copies == func.op(next.store.0).copies;
        let bits = match (self.load, next.load) {
            (None, None) if alike(self.store.0, next.store.0, 0) => 0,
            (None, None) => {
                let (part, other) = (self.part?, next.part?);
                (part.of == other.of).then_some(other.from - part.from)?
            }
            (Some(a), Some(b)) if alike(a.0, b.0, 0) && between(a.1, b.1) == Some(words) => 0,
            _ => return None,
        };
        same.then_some(Distance { words, bits })
    }
}

/// Steps that follow each other.
struct Run {
    steps: Vec<Step>,
    by: Distance,
}

impl Run {
    fn of(step: Step) -> Run {
        Run { steps: vec![step], by: Distance::default() }
    }
}

fn runs(func: &Func, uses: &[u32], block: BlockId) -> Vec<Run> {
    let mut found = Vec::new();
    let mut open: Option<Run> = None;
    let mut close = |run: Option<Run>| found.extend(run.filter(|r| r.steps.len() >= FEWEST));
    let mut ops = func.block(block).ops.iter().copied().peekable();
    while let Some(op) = ops.next() {
        if matches!(func.op(op).kind, Kind::Scalar(_) | Kind::Constant(_)) {
            continue;
        }
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
                        Run::of(step)
                    }
                }
            }
            None => Run::of(step),
        });
    }
    close(open);
    found
}

/// The step that begins with an operation.
fn step(func: &Func, uses: &[u32], op: OpId, next: Option<OpId>) -> Option<Step> {
    let word = |op: OpId| match func.op(op).address() {
        &[_, subscript] => Some(word(func, subscript)),
        _ => None,
    };
    match func.op(op).kind {
        Kind::Store => {
            Some(Step { load: None, store: (op, word(op)?), part: part(func, func.op(op).operands[0]) })
        }
        Kind::Load => {
            let (value, store) = (func.result(op, 0), next?);
            let copies = func.op(store).kind == Kind::Store && func.op(store).operands[0] == value;
            (copies && uses[value.0 as usize] == 1).then_some(Step {
                load: Some((op, word(op)?)),
                store: (store, word(store)?),
                part: None,
            })
        }
        _ => None,
    }
}

/// The op that gives a value, and its operands.
fn scalar(func: &Func, value: ValueId) -> Option<(OpKind, &[ValueId])> {
    let ValueDef::Result { op, .. } = func.value(value).def else { return None };
    match func.op(op).kind {
        Kind::Scalar(scalar) => Some((scalar.kind(), &func.op(op).operands)),
        _ => None,
    }
}

/// A subscript, which need not be beyond anything.
fn word(func: &Func, subscript: ValueId) -> Word {
    if let Some(at) = edit::constant_int(func, subscript) {
        return Word { base: None, at };
    }
    if let Some((OpKind::Addi, &[base, by])) = scalar(func, subscript) {
        if let Some(at) = edit::constant_int(func, by) {
            return Word { base: Some(base), at };
        }
    }
    Word { base: Some(subscript), at: 0 }
}

/// Which bits a value is of another one.
fn part(func: &Func, value: ValueId) -> Option<Part> {
    let Some((OpKind::Trunci, &[wide])) = scalar(func, value) else { return None };
    if let Some((OpKind::Shrui | OpKind::Shrsi, &[of, by])) = scalar(func, wide) {
        let bits = |v: ValueId| func.ty(v).scalar().map_or(0, |t| i64::from(t.width(64)));
        let from = edit::constant_int(func, by).filter(|&by| by >= 0 && by + bits(value) <= bits(of));
        if let Some(from) = from {
            return Some(Part { of, from });
        }
    }
    Some(Part { of: wide, from: 0 })
}

/// The loop in the place of a run, with the literals before it; in no block yet.
fn roll(func: &mut Func, run: &Run) -> Vec<OpId> {
    let Step { load, store: (store, word), part, .. } = run.steps[0];
    let part = part.filter(|_| run.by.bits != 0);
    let mut cursor = InsertionPoint::new(func, run.steps[0].first());
    let (count, by) = (run.steps.len() as i64, run.by.words);
    let mut operands =
        [word.at, word.at + count * by, by].map(|n| cursor.constant(n as u64, Type::Index)).to_vec();
    let apart = load.map(|(_, from)| from.at - word.at).filter(|&by| by != 0);
    let apart = apart.map(|by| cursor.constant(by as u64, Type::Index));
    // What is stored in parts moves past the bits that are taken.
    let moved = part.map(|part| {
        operands.push(part.of);
        let ty = cursor.func.ty(part.of).scalar().expect("what is cut is a number");
        let from = (part.from != 0).then(|| cursor.constant(part.from as u64, ty));
        (ty, from, cursor.constant(run.by.bits.unsigned_abs(), ty))
    });
    let mut made = cursor.made;
    let carried: Vec<ValueType> = moved.iter().map(|m| ValueType::Scalar(m.0)).collect();
    let of = func.create_op(Kind::COUNT_UP, &operands, &carried);
    func.op_mut(of).span = func.op(store).span.clone();
    func.op_mut(of).copies = func.op(store).copies.clone();
    let region = func.add_region();
    func.op_mut(of).regions = vec![region];
    let body = func.add_block(region);
    let index = func.add_argument(body, "", ValueType::Scalar(Type::Index));
    let (mut value, memref) = (func.op(store).operands[0], func.op(store).operands[1]);
    let mut yielded = Vec::new();
    if let Some((ty, from, by)) = moved {
        let whole = func.add_argument(body, "", ValueType::Scalar(ty));
        let narrow = func.ty(value).scalar().expect("a part is a number");
        let low = from.map_or(whole, |from| compute(func, body, OpKind::Shrui, &[whole, from], ty));
        value = compute(func, body, OpKind::Trunci, &[low], narrow);
        let past = if run.by.bits > 0 { OpKind::Shrui } else { OpKind::Shli };
        yielded.push(compute(func, body, past, &[whole, by], ty));
    }
    if let Some((load, from)) = load {
        let at = apart.map_or(index, |by| compute(func, body, OpKind::Addi, &[index, by], Type::Index));
        let at = beyond(func, body, from.base, at);
        value = again(func, body, load, &[func.op(load).operands[0], at]);
    }
    let at = beyond(func, body, word.base, index);
    again(func, body, store, &[value, memref, at]);
    func.push_op(body, Kind::Yield, &yielded, &[]);
    made.push(of);
    made
}

/// An op of a loop's body.
fn compute(func: &mut Func, body: BlockId, kind: OpKind, operands: &[ValueId], ty: Type) -> ValueId {
    let op = func.push_op(body, Kind::Scalar(Op::Plain(kind)), operands, &[ValueType::Scalar(ty)]);
    func.result(op, 0)
}

/// A subscript so many beyond a base.
fn beyond(func: &mut Func, body: BlockId, base: Option<ValueId>, at: ValueId) -> ValueId {
    base.map_or(at, |base| compute(func, body, OpKind::Addi, &[base, at], Type::Index))
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
