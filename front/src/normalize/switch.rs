//! `scf.index_switch` becomes ifs: a chain in the order of the cases, or a tree that halves them where that is the shorter way.
//!
//! What a case uses and changes passes a branch and a choice for each if around it, one behind the other: in an interpreter's loop that
//! is its interval. A tree of n cases is some log n ifs deep where a chain is n/2 in the mean. It asks whether the flag is below
//! a case, so what is no case must lie behind all of them: as the last leaf where the cases are consecutive numbers, else behind an if
//! that asks for all of them first. For room it is a chain, of conditions that `ladder` can put behind each other.

use crate::edit::{self, Changes, InsertionPoint};
use crate::ir::{Func, Kind, OpId, RegionId, ValueId, ValueType};
use crate::passes::Aim;
use loom_dfg::{Op, OpKind, Predicate, Type};

/// Rewrites every switch, inner ones first.
pub fn run(func: &mut Func, aim: Aim) {
    let switches: Vec<OpId> = edit::walk(func)
        .into_iter()
        .filter(|&op| matches!(func.op(op).kind, Kind::IndexSwitch { .. }))
        .collect();
    let mut changes = Changes::default();
    for op in switches.into_iter().rev() {
        rewrite(func, op, aim, &mut changes);
    }
    changes.apply(func);
}

fn rewrite(func: &mut Func, op: OpId, aim: Aim, changes: &mut Changes) {
    let record = func.op(op).clone();
    let Kind::IndexSwitch { cases } = record.kind else { return };
    let default = record.regions[0];
    let mut cases: Vec<(i64, RegionId)> = cases.into_iter().zip(record.regions[1..].to_vec()).collect();
    if cases.is_empty() {
        let inner = func.entry(default).expect("a verified region has a block");
        let mut ops = func.block(inner).ops.clone();
        let end = ops.pop().expect("a verified block has a terminator");
        return changes.inline(func, op, &ops, &func.op(end).operands);
    }
    let types: Vec<ValueType> = record.results.iter().map(|&r| func.ty(r).clone()).collect();
    let flag = record.operands[0];
    let runs = if aim == Aim::Speed { runs(&cases) } else { None };
    let mut switch = Switch { at: InsertionPoint::new(func, op), types };
    let outer = match runs {
        Some(runs) => {
            cases.sort_by_key(|case| case.0);
            switch.tree(flag, &cases, &runs, default)
        }
        None => switch.chain(flag, &cases, default),
    };
    let InsertionPoint { func, made, .. } = switch.at;
    changes.inline(func, op, &made, &func.op(outer).results);
}

/// The first and last number of each run of consecutive cases, where a tree is the shorter way.
fn runs(cases: &[(i64, RegionId)]) -> Option<Vec<(i64, i64)>> {
    let mut numbers: Vec<i64> = cases.iter().map(|case| case.0).collect();
    numbers.sort_unstable();
    let (first, last) = (*numbers.first()?, *numbers.last()?);
    // Distances are to fit any index.
    i32::try_from(last.checked_sub(first)?).ok()?;
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for number in numbers {
        match runs.last_mut().filter(|run| run.1 + 1 == number) {
            Some(run) => run.1 = number,
            None => runs.push((number, number)),
        }
    }
    let levels = |leaves: usize| (leaves as f64).log2();
    let ifs = match runs.len() {
        1 => levels(cases.len() + 1),
        // The `or` of their tests is two to a branch.
        several => 1.0 + levels(several) / 2.0 + levels(cases.len()),
    };
    (ifs < (cases.len() as f64 + 1.0) / 2.0).then_some(runs)
}

/// Writes the ifs of a switch, whose results are of these types.
struct Switch<'f> {
    at: InsertionPoint<'f>,
    types: Vec<ValueType>,
}

impl Switch<'_> {
    /// From the last case outwards, so that each if finds its else-region made. Each comparison stands beside its if:
    /// brought down from the top they would cost a branch a level each.
    fn chain(&mut self, flag: ValueId, cases: &[(i64, RegionId)], default: RegionId) -> OpId {
        let mut otherwise = default;
        for &(case, region) in cases[1..].iter().rev() {
            otherwise = self.region(|s| s.decide((Predicate::Eq, flag, case), region, otherwise));
        }
        self.decide((Predicate::Eq, flag, cases[0].0), cases[0].1, otherwise)
    }

    fn tree(
        &mut self,
        flag: ValueId,
        cases: &[(i64, RegionId)],
        runs: &[(i64, i64)],
        default: RegionId,
    ) -> OpId {
        let first = cases[0].0;
        let number = self.above(flag, first);
        let mut leaves: Vec<(i64, RegionId)> = cases.iter().map(|&(c, region)| (c - first, region)).collect();
        if let [(_, last)] = runs {
            leaves.push((last - first + 1, default));
            return self.halves(number, &leaves);
        }
        let mut tests = Vec::new();
        for &(from, to) in runs {
            let test = match to - from {
                0 => (Predicate::Eq, number, from - first),
                more => (Predicate::Ult, self.above(number, from - first), more + 1),
            };
            tests.push(self.test(test));
        }
        while tests.len() > 1 {
            let join = |pair: &[ValueId]| match pair {
                &[a, b] => self.at.scalar(Op::Plain(OpKind::Ori), &[a, b], Type::I1),
                one => one[0],
            };
            tests = tests.chunks(2).map(join).collect();
        }
        let inside = self.region(|s| s.halves(number, &leaves));
        self.if_(tests[0], inside, default)
    }

    /// The ifs that find the leaf of a number, the last that begins at it or before it. Of two leaves at least.
    fn halves(&mut self, number: ValueId, leaves: &[(i64, RegionId)]) -> OpId {
        let (low, high) = leaves.split_at(leaves.len() / 2);
        let [then, otherwise] = [low, high].map(|half| match half {
            [leaf] => leaf.1,
            several => self.region(|s| s.halves(number, several)),
        });
        self.decide((Predicate::Ult, number, high[0].0), then, otherwise)
    }

    /// A comparison with a literal and an if that asks it.
    fn decide(&mut self, test: (Predicate, ValueId, i64), then: RegionId, otherwise: RegionId) -> OpId {
        let condition = self.test(test);
        self.if_(condition, then, otherwise)
    }

    fn if_(&mut self, condition: ValueId, then: RegionId, otherwise: RegionId) -> OpId {
        let made = self.at.op(Kind::If, &[condition], &self.types);
        self.at.func.op_mut(made).regions = vec![then, otherwise];
        made
    }

    fn test(&mut self, (predicate, value, than): (Predicate, ValueId, i64)) -> ValueId {
        let literal = self.at.constant(than as u64, Type::Index);
        self.at.scalar(Op::Cmpi(predicate), &[value, literal], Type::I1)
    }

    /// How far a value is above a number.
    fn above(&mut self, value: ValueId, number: i64) -> ValueId {
        if number == 0 {
            return value;
        }
        let literal = self.at.constant(number as u64, Type::Index);
        self.at.scalar(Op::Plain(OpKind::Subi), &[value, literal], Type::Index)
    }

    /// A region of its own for what is written, which yields the results of the op that comes back.
    fn region(&mut self, write: impl FnOnce(&mut Self) -> OpId) -> RegionId {
        let outside = std::mem::take(&mut self.at.made);
        let last = write(self);
        let ops = std::mem::replace(&mut self.at.made, outside);
        let func = &mut *self.at.func;
        let region = func.add_region();
        let block = func.add_block(region);
        func.blocks[block.0 as usize].ops = ops;
        let results = func.op(last).results.clone();
        func.push_op(block, Kind::Yield, &results, &[]);
        region
    }
}
