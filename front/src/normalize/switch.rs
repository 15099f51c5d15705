//! `scf.index_switch` becomes ifs: a chain in the order of the cases, or a tree that halves them where that is the shorter way.
//!
//! What a case uses and changes passes a branch and a choice for each if around it, one behind the other: in an interpreter's loop that
//! is its interval. A tree of n cases is some log n ifs deep where a chain is n/2 in the mean. It asks whether the flag is below
//! a case, so what is no case must lie behind all of them: as the last leaf where the cases are consecutive numbers, else behind an if
//! that asks for all of them first. For room it is a chain, of conditions that `ladder` can put behind each other.

use crate::edit::{self, Changes};
use crate::ir::{Func, Kind, OpId, Operation, RegionId, ValueId, ValueType};
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
    let Kind::IndexSwitch { cases } = record.kind.clone() else { return };
    let default = record.regions[0];
    let types: Vec<ValueType> = record.results.iter().map(|&r| func.ty(r).clone()).collect();
    let mut cases: Vec<(i64, RegionId)> = cases.into_iter().zip(record.regions[1..].to_vec()).collect();
    let mut switch = Switch { func, flag: record.operands[0], record, types };
    let made = match switch.runs(&cases) {
        _ if cases.is_empty() => {
            let func = switch.func;
            let inner = func.entry(default).expect("a verified region has a block");
            let mut ops = func.block(inner).ops.clone();
            let end = ops.pop().expect("a verified block has a terminator");
            return changes.inline(func, op, &ops, &func.op(end).operands);
        }
        Some(runs) if aim == Aim::Speed => {
            cases.sort_by_key(|case| case.0);
            switch.tree(&cases, &runs, default)
        }
        _ => switch.chain(&cases, default),
    };
    let last = *made.last().expect("it ends in an if");
    changes.inline(func, op, &made, &func.op(last).results);
}

/// A switch on the way to be ifs.
struct Switch<'f> {
    func: &'f mut Func,
    flag: ValueId,
    record: Operation,
    types: Vec<ValueType>,
}

impl Switch<'_> {
    /// The first and last number of each run of consecutive cases, where a tree is the shorter way.
    fn runs(&self, cases: &[(i64, RegionId)]) -> Option<Vec<(i64, i64)>> {
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

    /// From the last case outwards, so that each if finds its else-region made. Each comparison stands beside its if:
    /// brought down from the top they would cost a branch a level each.
    fn chain(&mut self, cases: &[(i64, RegionId)], default: RegionId) -> Vec<OpId> {
        let (mut otherwise, mut outer) = (default, Vec::new());
        for (k, &(case, region)) in cases.iter().enumerate().rev() {
            outer = self.decide((Predicate::Eq, self.flag, case), region, otherwise);
            if k > 0 {
                otherwise = self.region_of(&outer);
            }
        }
        outer
    }

    fn tree(&mut self, cases: &[(i64, RegionId)], runs: &[(i64, i64)], default: RegionId) -> Vec<OpId> {
        let first = cases[0].0;
        let mut ops = Vec::new();
        let number = self.above(self.flag, first, &mut ops);
        let mut leaves: Vec<(i64, RegionId)> = cases.iter().map(|&(c, region)| (c - first, region)).collect();
        if let [(_, last)] = runs {
            leaves.push((last - first + 1, default));
            ops.extend(self.halves(number, &leaves));
            return ops;
        }
        let mut tests = Vec::new();
        for &(from, to) in runs {
            let test = match to - from {
                0 => (Predicate::Eq, number, from - first),
                more => (Predicate::Ult, self.above(number, from - first, &mut ops), more + 1),
            };
            tests.push(self.test(test, &mut ops));
        }
        while tests.len() > 1 {
            let join = |pair: &[ValueId]| match pair {
                &[a, b] => self.made(Kind::Scalar(Op::Plain(OpKind::Ori)), &[a, b], Type::I1, &mut ops),
                one => one[0],
            };
            tests = tests.chunks(2).map(join).collect();
        }
        let inside = self.halves(number, &leaves);
        let inside = self.region_of(&inside);
        let is_case = self.create(Kind::If, &[tests[0]], &self.types.clone());
        self.func.op_mut(is_case).regions = vec![inside, default];
        ops.push(is_case);
        ops
    }

    /// The ifs that find the leaf of a number, the last that begins at it or before it. Of two leaves at least.
    fn halves(&mut self, number: ValueId, leaves: &[(i64, RegionId)]) -> Vec<OpId> {
        let (low, high) = leaves.split_at(leaves.len() / 2);
        let [then, otherwise] = [low, high].map(|half| match half {
            [leaf] => leaf.1,
            several => {
                let ops = self.halves(number, several);
                self.region_of(&ops)
            }
        });
        self.decide((Predicate::Ult, number, high[0].0), then, otherwise)
    }

    /// A comparison with a literal and an if that asks it.
    fn decide(&mut self, test: (Predicate, ValueId, i64), then: RegionId, otherwise: RegionId) -> Vec<OpId> {
        let mut ops = Vec::new();
        let condition = self.test(test, &mut ops);
        let decided = self.create(Kind::If, &[condition], &self.types.clone());
        self.func.op_mut(decided).regions = vec![then, otherwise];
        ops.push(decided);
        ops
    }

    fn test(&mut self, (predicate, value, than): (Predicate, ValueId, i64), ops: &mut Vec<OpId>) -> ValueId {
        let literal = self.made(Kind::Constant(than as u64), &[], Type::Index, ops);
        self.made(Kind::Scalar(Op::Cmpi(predicate)), &[value, literal], Type::I1, ops)
    }

    /// How far a value is above a number.
    fn above(&mut self, value: ValueId, number: i64, ops: &mut Vec<OpId>) -> ValueId {
        if number == 0 {
            return value;
        }
        let literal = self.made(Kind::Constant(number as u64), &[], Type::Index, ops);
        self.made(Kind::Scalar(Op::Plain(OpKind::Subi)), &[value, literal], Type::Index, ops)
    }

    fn made(&mut self, kind: Kind, operands: &[ValueId], ty: Type, ops: &mut Vec<OpId>) -> ValueId {
        let op = self.create(kind, operands, &[ValueType::Scalar(ty)]);
        ops.push(op);
        self.func.result(op, 0)
    }

    /// An operation that no block lists yet, with the switch's place in the source.
    fn create(&mut self, kind: Kind, operands: &[ValueId], types: &[ValueType]) -> OpId {
        let op = self.func.create_op(kind, operands, types);
        self.func.op_mut(op).span = self.record.span.clone();
        op
    }

    /// A region that holds operations and yields the results of the last.
    fn region_of(&mut self, ops: &[OpId]) -> RegionId {
        let func = &mut *self.func;
        let region = func.add_region();
        let block = func.add_block(region);
        func.blocks[block.0 as usize].ops.extend(ops);
        let results = ops.last().map(|&last| func.op(last).results.clone()).unwrap_or_default();
        func.push_op(block, Kind::Yield, &results, &[]);
        region
    }
}
