//! What a loop loads at a place that it has chosen is carried with the place: `if (a[i] < a[best]) best = i` loads `a[best]` once an
//! iteration, behind the choice of the one before, and so takes as long as a comparison, a choice and a load; with the word carried
//! beside its place, as long as the first two (load elimination across a choice; load reuse; Bodik, Gupta, Soffa, PLDI 1999).
//!
//! Taken are loads that each iteration of a counting loop makes, at a place that it computes from a number which the loop carries
//! and each iteration either keeps or sets to one of others, where the iteration loads from the place of each of these anyway. No store in the
//! loop may touch the word ([`crate::depend`]). The first word is loaded before the loop, under its first test where it may
//! have no iteration. Compiled for speed alone: it takes ops.

use super::first::{computed_by, first_loads};
use super::promote::surely_runs;
use crate::depend::{induction_value, Affine, Affines, Dependences};
use crate::domain::Domains;
use crate::edit::{self, Changes, InsertionPoint, Parents};
use crate::ir::{BlockId, Func, Kind, OpId, ValueId};
use crate::passes::Aim;
use loom_dfg::{Op, OpKind};
use std::collections::BTreeMap;

/// Most loads of a function that are carried: each looks at all accesses anew.
const MOST: usize = 16;
/// Most choices one behind the other.
const DEPTH: usize = 4;

/// Carries such words.
pub fn run(func: &mut Func, aim: Aim) {
    for _ in 0..MOST {
        let Some(found) = find(func, aim) else { return };
        carry(func, found);
    }
}

/// Whether there is such a load.
pub fn is_needed(func: &Func, aim: Aim) -> bool {
    find(func, aim).is_some()
}

/// A load at a chosen place.
struct ChosenLoad {
    of: OpId,
    around: BlockId,
    body: BlockId,
    /// Which value that the loop carries is the number.
    at: usize,
    load: OpId,
    /// What each iteration may set the number to, with the word that it loads there.
    words: BTreeMap<ValueId, ValueId>,
    /// Whether the loop has an iteration whenever it begins.
    runs: bool,
}

fn find(func: &Func, aim: Aim) -> Option<ChosenLoad> {
    if aim == Aim::Room {
        return None;
    }
    let parents = Parents::new(func);
    let affines = Affines::new(func);
    let is_loop = |&op: &OpId| matches!(func.op(op).kind, Kind::For { .. });
    let loops = edit::walk(func).into_iter().rev().filter(is_loop);
    let found: Vec<ChosenLoad> = loops.flat_map(|of| of_loop(func, &parents, &affines, of)).collect();
    if found.is_empty() {
        return None;
    }
    let deps = Dependences::new(func, &Domains::new(func));
    found.into_iter().find(|found| {
        let ops = edit::walk_inside(func, found.of);
        !ops.into_iter().any(|o| {
            func.op(o).kind == Kind::Fence
                || func.op(o).kind == Kind::Store && deps.meet_in(found.of, o, found.load)
        })
    })
}

/// The loads of a loop at chosen places, whatever is stored there.
fn of_loop(func: &Func, parents: &Parents, affines: &Affines, of: OpId) -> Vec<ChosenLoad> {
    let body = func.op(of).regions.first().and_then(|&region| func.entry(region));
    let Some((body, around)) = body.zip(parents.block(of)) else { return Vec::new() };
    let Some(end) = func.terminator(body) else { return Vec::new() };
    let is_load = |&&op: &&OpId| {
        let op = func.op(op);
        op.kind == Kind::Load && parents.is_outside(func, op.operands[0], of)
    };
    let loads: Vec<OpId> = func.block(body).ops.iter().filter(is_load).copied().collect();
    let mut found = Vec::new();
    for (at, &number) in func.block(body).arguments[1..].iter().enumerate() {
        let mut choices = Vec::new();
        let next = func.op(end).operands[at];
        note_choices(func, (body, parents), next, (number, &mut choices), DEPTH);
        if choices.is_empty() {
            continue;
        }
        let runs = surely_runs(func, parents, of);
        let of_load = |load: OpId| {
            let word = |&choice: &ValueId| {
                let same = |&&other: &&OpId| is_at(func, affines, (load, number), (other, choice));
                Some((choice, func.result(*loads.iter().find(same)?, 0)))
            };
            let subscripts = &func.op(load).address()[1..];
            let depends = subscripts.iter().any(|&v| affines.of(v).unknowns().any(|&u| u == number));
            let known = [number].into_iter().chain(induction_value(func, of)).collect::<Vec<_>>();
            depends.then_some(()).and(computed_by(func, parents, of, &known, subscripts))?;
            let words = choices.iter().map(word).collect::<Option<_>>()?;
            Some(ChosenLoad { of, around, body, at, load, words, runs })
        };
        found.extend(loads.iter().copied().filter_map(of_load));
    }
    found
}

/// Notes what a value is by choices, besides a number.
fn note_choices(
    func: &Func,
    (body, parents): (BlockId, &Parents),
    value: ValueId,
    (number, others): (ValueId, &mut Vec<ValueId>),
    depth: usize,
) {
    match chosen_of(func, value) {
        _ if value == number => {}
        Some((op, [_, a, b])) if depth > 0 && parents.block(op) == Some(body) => {
            for v in [a, b] {
                note_choices(func, (body, parents), v, (number, others), depth - 1);
            }
        }
        _ => others.extend((!others.contains(&value)).then_some(value)),
    }
}

/// The select that makes a value.
fn chosen_of(func: &Func, value: ValueId) -> Option<(OpId, [ValueId; 3])> {
    let op = super::motion::defining(func, value)?;
    let record = func.op(op);
    let is_select = record.kind == Kind::Scalar(Op::Plain(OpKind::Select));
    is_select.then_some((op, record.operands[..].try_into().ok()?))
}

/// Whether a load is from the word of another one, were the number of that its own.
fn is_at(func: &Func, affines: &Affines, load: (OpId, ValueId), other: (OpId, ValueId)) -> bool {
    let [a, b] = [load.0, other.0].map(|load| func.op(load).address());
    let chosen = affines.of(other.1);
    let becomes = |&v: &ValueId| if v == load.1 { chosen.clone() } else { Affine::of(v) };
    let same = |(&x, &y): (&ValueId, &ValueId)| affines.of(x).replace(becomes) == Some(affines.of(y));
    load.0 != other.0 && a[0] == b[0] && a[1..].iter().zip(&b[1..]).all(same)
}

fn carry(func: &mut Func, found: ChosenLoad) {
    let ChosenLoad { of, around, body, at, load, words, runs } = found;
    let number = func.block(body).arguments[1 + at];
    let counter = induction_value(func, of).expect("the loop counts");
    let first = &func.op(of).operands;
    let known = BTreeMap::from([(counter, first[0]), (number, first[3 + at])]);
    let first = first_loads(func, (of, around), &[load], known, runs)[0];
    let ty = func.ty(first).clone();
    let carried = func.add_argument(body, "", ty.clone());
    let last = func.terminator(body).expect("a region ends with a terminator");
    let next = func.op(last).operands[at];
    let mut pen = InsertionPoint::new(func, last);
    let word = choose(&mut pen, next, &|v| if v == number { Some(carried) } else { words.get(&v).copied() });
    pen.put(body);
    func.op_mut(of).operands.push(first);
    func.op_mut(last).operands.push(word);
    func.add_result(of, ty);
    let mut changes = Changes::default();
    changes.replace(func.result(load, 0), carried);
    changes.erase(load);
    changes.apply(func);
}

/// The choices that make a value, among words.
fn choose(pen: &mut InsertionPoint, value: ValueId, word: &dyn Fn(ValueId) -> Option<ValueId>) -> ValueId {
    if let Some(word) = word(value) {
        return word;
    }
    let (_, [condition, a, b]) = chosen_of(pen.func, value).expect("it was taken so");
    let [a, b] = [a, b].map(|v| choose(pen, v, word));
    let ty = pen.func.ty(a).scalar().expect("memory holds numbers");
    pen.scalar(Op::Plain(OpKind::Select), &[condition, a, b], ty)
}
