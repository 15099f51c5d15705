//! Arrays on chip in banks: by hint, a memory for each remainder of a word's number.
//!
//! A memory takes one load and one store in a cycle. Of an array whose word i lies in bank i mod n neighbours are in different
//! memories, and n copies of a loop's body load at once. It takes that every access has a known remainder, in all runs: what it
//! adds to the counter of a loop that goes on by multiples of n, mostly. Each bank then sees its own accesses alone, at word i / n.
//! n is a power of two, so that this is a shift. An array with an access whose remainder is not known stays as it is, with its
//! hint, which [`crate::compile`] tells the user.

use crate::edit::{self, Changes, InsertionPoint};
use crate::ir::{Func, Kind, OpId, ValueId, ValueType};
use loom_dfg::{Op, OpKind, StepOp, Type};
use std::collections::BTreeMap;

/// Most banks of an array.
const MOST_LOG2: u32 = 5;

/// Puts arrays into banks that are wished to be.
pub fn run(func: &mut Func) {
    let arrays = arrays(func);
    let mut changes = Changes::default();
    for array in arrays {
        split(func, &array, &mut changes);
    }
    changes.apply(func);
}

/// Whether no array is left that could be put into banks.
pub fn holds(func: &Func) -> bool {
    arrays(func).is_empty()
}

/// An array whose words' banks are known.
struct Array {
    alloc: OpId,
    words: i64,
    log2: u32,
    /// Its accesses, and the bank of each.
    accesses: Vec<(OpId, u64)>,
}

fn arrays(func: &Func) -> Vec<Array> {
    let ops = edit::walk(func);
    let wished = |&op: &OpId| func.op(op).hints.banks.is_some_and(|n| n.get() > 1);
    if !ops.iter().any(wished) {
        return Vec::new();
    }
    let bits = low_bits(func, &ops);
    ops.iter().copied().filter(wished).filter_map(|alloc| array(func, &ops, &bits, alloc)).collect()
}

fn array(func: &Func, ops: &[OpId], bits: &BTreeMap<ValueId, LowBits>, alloc: OpId) -> Option<Array> {
    let banks = func.op(alloc).hints.banks?.get();
    let log2 = banks.trailing_zeros();
    let memref = func.result(alloc, 0);
    let &[Some(words)] = &func.ty(memref).memref()?.shape[..] else { return None };
    if !banks.is_power_of_two() || log2 > MOST_LOG2 || words < i64::from(banks) {
        return None;
    }
    let users = ops.iter().copied().filter(|&op| func.op(op).operands.contains(&memref));
    let bank = |op: OpId| match func.op(op).address() {
        &[of, word] if of == memref => {
            let LowBits { value, known } = low_bits_of(func, bits, word);
            (known >= log2).then_some((op, value & u64::from(banks - 1)))
        }
        _ => None,
    };
    let accesses = users.map(bank).collect::<Option<Vec<_>>>()?;
    Some(Array { alloc, words, log2, accesses })
}

/// A memory for each bank that somebody accesses, and the accesses to them.
fn split(func: &mut Func, array: &Array, changes: &mut Changes) {
    let Kind::Alloc { on_stack } = func.op(array.alloc).kind else { return };
    let mut ty = func.ty(func.result(array.alloc, 0)).clone();
    if let ValueType::Memref(memref) = &mut ty {
        memref.shape = vec![Some((array.words + (1 << array.log2) - 1) >> array.log2)];
    }
    let mut memories: BTreeMap<u64, ValueId> = BTreeMap::new();
    let mut cursor = InsertionPoint::new(func, array.alloc);
    for &(_, bank) in &array.accesses {
        memories.entry(bank).or_insert_with(|| {
            let op = cursor.op(Kind::Alloc { on_stack }, &[], &[ty.clone()]);
            cursor.func.result(op, 0)
        });
    }
    let made = cursor.made;
    changes.insert_before(array.alloc, made);
    changes.erase(array.alloc);
    for &(access, bank) in &array.accesses {
        let at = usize::from(func.op(access).kind == Kind::Store);
        let word = func.op(access).operands[at + 1];
        let mut cursor = InsertionPoint::new(func, access);
        let places = cursor.constant(u64::from(array.log2), Type::Index);
        let word = cursor.scalar(Op::Plain(OpKind::Shrui), &[word, places], Type::Index);
        let made = cursor.made;
        changes.insert_before(access, made);
        let operands = &mut func.op_mut(access).operands;
        (operands[at], operands[at + 1]) = (memories[&bank], word);
    }
}

/// The lowest bits of a number, as many as are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LowBits {
    value: u64,
    known: u32,
}

impl LowBits {
    const NONE: LowBits = LowBits { value: 0, known: 0 };

    /// Zeros at the end, of those bits that count.
    fn zeros(self) -> u32 {
        self.value.trailing_zeros().min(self.known)
    }

    fn of(value: u64, known: u32) -> LowBits {
        let known = known.min(MOST_LOG2);
        LowBits { value: value & ((1 << known) - 1), known }
    }
}

/// The low bits of all numbers, each operation once: definitions come before uses.
fn low_bits(func: &Func, ops: &[OpId]) -> BTreeMap<ValueId, LowBits> {
    let mut bits = BTreeMap::new();
    for &op in ops {
        let record = func.op(op);
        let of = |i: usize| low_bits_of(func, &bits, record.operands[i]);
        match &record.kind {
            Kind::Scalar(scalar) => {
                let places = record.operands.get(1).and_then(|&v| edit::constant_int(func, v));
                let found = match (scalar.kind(), places) {
                    (OpKind::Shli, Some(places)) => shifted(of(0), places),
                    (kind, _) => result(kind, &of),
                };
                bits.insert(func.result(op, 0), found);
            }
            Kind::For { counter, .. } if matches!(counter.step_op, StepOp::Add | StepOp::Sub) => {
                // From its start on in steps: as far as these are zeros.
                let (start, step) = (of(0), of(2));
                let counted = LowBits::of(start.value, start.known.min(step.zeros()));
                let body = record.regions.first().and_then(|&r| func.entry(r));
                if let Some(&value) = body.and_then(|b| func.block(b).arguments.first()) {
                    bits.insert(value, counted);
                }
            }
            _ => {}
        }
    }
    bits
}

fn low_bits_of(func: &Func, bits: &BTreeMap<ValueId, LowBits>, value: ValueId) -> LowBits {
    match edit::constant_int(func, value) {
        Some(literal) => LowBits::of(literal as u64, MOST_LOG2),
        None => bits.get(&value).copied().unwrap_or(LowBits::NONE),
    }
}

/// What an op leaves of its operands' low bits.
fn result(kind: OpKind, of: &dyn Fn(usize) -> LowBits) -> LowBits {
    let both = |f: fn(u64, u64) -> u64| {
        let (a, b) = (of(0), of(1));
        LowBits::of(f(a.value, b.value), a.known.min(b.known))
    };
    match kind {
        OpKind::Addi => both(u64::wrapping_add),
        OpKind::Subi => both(u64::wrapping_sub),
        OpKind::Ori => both(|a, b| a | b),
        OpKind::Xori => both(|a, b| a ^ b),
        OpKind::Muli => {
            let (a, b) = (of(0), of(1));
            // (a + x)(b + y) with x and y unknown above: the product of a's zeros and y begins above both.
            let known = (a.zeros() + b.known).min(b.zeros() + a.known);
            LowBits::of(a.value.wrapping_mul(b.value), known)
        }
        // The low bits stay, as far as the narrower one has them.
        OpKind::IndexCast | OpKind::IndexCastui => of(0),
        _ => LowBits::NONE,
    }
}

fn shifted(number: LowBits, places: i64) -> LowBits {
    match u32::try_from(places).ok().filter(|&p| p < MOST_LOG2) {
        Some(places) => LowBits::of(number.value << places, number.known + places),
        None => LowBits::NONE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: OpKind, a: LowBits, b: LowBits) -> LowBits {
        result(kind, &|i| [a, b][i])
    }

    #[test]
    fn low_bits_are_those_of_every_number() {
        let some = [0u32, 1, 2, 3].map(|known| (0..1 << known).map(move |v| LowBits::of(v, known)));
        let some: Vec<LowBits> = some.into_iter().flatten().collect();
        let means = |b: LowBits| (0u64..64).filter(move |n| n & ((1 << b.known) - 1) == b.value);
        type Meaning = fn(u64, u64) -> u64;
        let ops: [(OpKind, Meaning); 5] = [
            (OpKind::Addi, u64::wrapping_add),
            (OpKind::Subi, u64::wrapping_sub),
            (OpKind::Muli, u64::wrapping_mul),
            (OpKind::Ori, |a, b| a | b),
            (OpKind::Xori, |a, b| a ^ b),
        ];
        for (kind, meaning) in ops {
            for (a, b) in some.iter().flat_map(|&a| some.iter().map(move |&b| (a, b))) {
                let found = of(kind, a, b);
                for (x, y) in means(a).flat_map(|x| means(b).map(move |y| (x, y))) {
                    let low = meaning(x, y) & ((1 << found.known) - 1);
                    assert_eq!(low, found.value, "{kind:?} {a:?} {b:?} of {x} {y}");
                }
            }
        }
        assert_eq!(of(OpKind::Muli, LowBits::NONE, LowBits::of(4, MOST_LOG2)), LowBits::of(0, 2));
        assert_eq!(shifted(LowBits::of(1, 1), 3), LowBits::of(8, 4));
        assert_eq!(shifted(LowBits::NONE, 40), LowBits::NONE);
    }
}
