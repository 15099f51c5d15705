//! Arrays that loops go through word by word become registers that turn.
//!
//! `for i: x[i] = in[i]`, then rounds that name `x[0]` to `x[15]`, then `for i: out[i] = x[i]`: a local that a cipher computes with.
//! In memory each round's words take a lane each, and one word a cycle. As values they need no literal subscript in the loops either:
//! each iteration hands word k + 1 on as word k, and what stood at `x[i]` is always at the same place, as in a shift register with its
//! end tied to its start. A loop that turns has few ops for each word, and none for its accesses.
//!
//! Taken are arrays whose subscripts are sums of the numbers of loops whose bounds are known, or such a sum modulo the array's
//! words; in each loop all of them move by the same distance. So where a word stands in an iteration is known for every access.
//! Words turn only where at least half of them are also named by literals: elsewhere a memory has one lane for them all.

use super::unroll::{known_numbers, Numbers};
use crate::depend::{induction_value, masked, Affine, Affines};
use crate::edit::{self, Parents};
use crate::ir::{Func, OpId, ValueId};
use loom_dfg::StepOp;
use std::collections::BTreeMap;

/// How far words move on in a loop: numbers modulo the words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Turn {
    /// In an iteration.
    pub by: usize,
    /// From its start to its end.
    pub in_all: usize,
}

/// Where the words of an array are.
pub(super) struct Places {
    /// How many words.
    pub count: usize,
    /// The word of each access in the first iteration of all loops that turn.
    pub words: BTreeMap<OpId, usize>,
    /// The loops that turn.
    pub turns: BTreeMap<OpId, Turn>,
}

/// Finds them; what all arrays of a function need is computed with the first that is asked for.
pub(super) struct Turning<'f> {
    func: &'f Func,
    index_width: u32,
    most_words: usize,
    known: Option<(Affines<'f>, Parents)>,
}

/// What an access's subscript is made of.
struct Subscript {
    /// Word in the first iteration of the loops.
    first: i64,
    /// What each loop adds in an iteration.
    steps: BTreeMap<OpId, i64>,
}

impl<'f> Turning<'f> {
    /// For arrays of at most so many words.
    pub fn new(func: &'f Func, index_width: u32, most_words: usize) -> Turning<'f> {
        Turning { func, index_width, most_words, known: None }
    }

    /// The places of an allocation's words, given its accesses; `None` where they are not known, or memory is as good.
    pub fn places(&mut self, alloc: OpId, accesses: &[OpId]) -> Option<Places> {
        let func = self.func;
        let memref = func.ty(func.result(alloc, 0)).memref()?;
        let words = usize::try_from(memref.words()?).ok().filter(|w| (1..=self.most_words).contains(w))?;
        let &[extent] = &memref.shape[..] else { return None };
        let extent = extent?;
        let (affines, parents) = self.known.get_or_insert_with(|| (Affines::new(func), Parents::new(func)));
        let loops = |op: OpId| {
            let around = parents.around(op).into_iter();
            around.filter(|&o| func.op(o).kind.is_loop())
        };
        // Where it lives in a loop, that one's numbers are not known.
        let outside: Vec<OpId> = loops(alloc).collect();
        let mut places = Places { count: words, words: BTreeMap::new(), turns: BTreeMap::new() };
        let mut moves: BTreeMap<OpId, usize> = BTreeMap::new();
        let mut named = vec![false; words];
        for &op in accesses {
            let around: Vec<OpId> = loops(op).filter(|o| !outside.contains(o)).collect();
            let subscript =
                self::subscript(func, affines, &around, func.op(op).address()[1], extent, self.index_width)?;
            let word = subscript.first.rem_euclid(extent) as usize;
            named[word] |= subscript.steps.is_empty();
            places.words.insert(op, word);
            for of in around {
                let by = subscript.steps.get(&of).map_or(0, |step| step.rem_euclid(extent)) as usize;
                if *moves.entry(of).or_insert(by) != by {
                    return None;
                }
            }
        }
        for (of, by) in moves.into_iter().filter(|&(_, by)| by != 0) {
            let trips = steady(func, of, self.index_width)?.trips;
            let in_all = (trips % words as u64) as usize * by % words;
            places.turns.insert(of, Turn { by, in_all });
        }
        let literals = named.into_iter().filter(|&named| named).count();
        (2 * literals >= words).then_some(places)
    }
}

/// The numbers of a loop that adds the same in each iteration.
fn steady(func: &Func, of: OpId, index_width: u32) -> Option<Numbers> {
    known_numbers(func, of, index_width).filter(|n| matches!(n.step_op, StepOp::Add | StepOp::Sub))
}

/// What a subscript of an array of so many words is made of.
fn subscript(
    func: &Func,
    affines: &Affines,
    around: &[OpId],
    value: ValueId,
    words: i64,
    index_width: u32,
) -> Option<Subscript> {
    let whole = affines.of(value);
    let (mut sum, wraps) = match wrapped(func, &whole, words) {
        Some(inner) => (affines.of(inner), true),
        None => (whole, false),
    };
    let (mut steps, mut least, mut most) = (BTreeMap::new(), 0i64, 0i64);
    let mut first = 0i64;
    for &of in around {
        let Some(number) = induction_value(func, of) else { continue };
        let (factor, rest) = sum.split(&number);
        let factor = factor.value()?;
        if factor == 0 {
            continue;
        }
        let Numbers { first: begins, step, trips, .. } = steady(func, of, index_width)?;
        let by = factor.checked_mul(step)?;
        let span = by.checked_mul(i64::try_from(trips).ok()?.checked_sub(1)?)?;
        first = first.checked_add(factor.checked_mul(begins)?)?;
        (least, most) = (least.checked_add(span.min(0))?, most.checked_add(span.max(0))?);
        steps.insert(of, by);
        sum = rest;
    }
    let first = first.checked_add(sum.value()?)?;
    // What leaves the array is no access of a word.
    let is_inside = first.checked_add(least)? >= 0 && first.checked_add(most)? < words;
    (wraps || is_inside).then_some(Subscript { first, steps })
}

/// What is taken modulo the words of an array; there it is all the same whether sums overflow.
fn wrapped(func: &Func, sum: &Affine, words: i64) -> Option<ValueId> {
    let mut unknowns = sum.unknowns();
    let (&value, None) = (unknowns.next()?, unknowns.next()) else { return None };
    let (_, operands) = edit::made_by(func, value)?;
    let is_all = *sum == Affine::of(value);
    (is_all && masked(func, value)? == words - 1 && words.count_ones() == 1).then_some(operands[0])
}
