//! Ifs in the sides of ifs become ifs behind each other, where that is fewer ops: what C writes as `else if` or `switch`.
//!
//! In a tree of ifs a value that a leaf uses passes a branch for each if around the leaf, and one that a leaf changes a choice for each:
//! an interpreter's state goes through all of its cases. Here every leaf has a condition of its own, known before the first of them, and
//! is an if of its own: what it uses passes one branch, what it changes one choice.
//!
//! ```text
//! r = if a { A; yield x } else { if b { B; yield r0 } else { C; yield y } }
//! becomes, r0 from outside
//! r1 = if a { A; yield x } else { yield r0 };  r = if !a & !b { C; yield y } else { yield r1 };  if !a & b { B }
//! ```
//!
//! One leaf at most is taken, and all conditions hold what they held; only ops that may run at any time run more often. Accesses of
//! different leaves are in an order then that they did not need. A tree is left as it is where [`Tree::gain`] says so.

use super::truth::Truths;
use crate::edit::{self, Changes};
use crate::ir::{BlockId, Func, Kind, OpId, RegionId, ValueDef, ValueId, ValueType};
use crate::passes::Aim;
use loom_dfg::{Op, OpKind, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Most leaves of a tree: every leaf is held against every result.
const MOST_LEAVES: usize = 64;

/// Flattens trees of ifs from the outside in.
pub fn run(func: &mut Func, aim: Aim, index_width: u32) {
    let mut gone: BTreeSet<OpId> = BTreeSet::new();
    for op in edit::walk(func) {
        if gone.contains(&op) {
            continue;
        }
        if let Some(tree) = tree(func, op, aim) {
            gone.extend(&tree.ifs);
            flatten(func, op, tree, index_width);
        }
    }
}

/// Whether some tree could be flattened.
pub fn is_needed(func: &Func, aim: Aim) -> bool {
    edit::walk(func).into_iter().any(|op| tree(func, op, aim).is_some())
}

/// What decides whether a leaf is taken: conditions on the way to it, each with what it is to be.
type Way = Vec<(ValueId, bool)>;

/// A side of an if of the tree that is none of its ifs.
struct Leaf {
    way: Way,
    /// `None` for one without ops.
    region: Option<RegionId>,
    /// For each result of the tree.
    yields: Vec<ValueId>,
}

struct Tree {
    leaves: Vec<Leaf>,
    /// Ops that only compute what ifs of the tree ask; they go before it.
    before: Vec<OpId>,
    /// All its ifs.
    ifs: Vec<OpId>,
    /// For each result the value from outside that most leaves give.
    base: Vec<Option<ValueId>>,
}

fn tree(func: &Func, op: OpId, aim: Aim) -> Option<Tree> {
    if func.op(op).kind != Kind::If {
        return None;
    }
    let mut tree = Tree { leaves: Vec::new(), before: Vec::new(), ifs: Vec::new(), base: Vec::new() };
    tree.grow(func, op, Vec::new(), None);
    if tree.ifs.len() < 2 || tree.leaves.len() > MOST_LEAVES {
        return None;
    }
    let inside: BTreeSet<OpId> = edit::walk_inside(func, op).into_iter().collect();
    let kept: BTreeSet<OpId> = tree.before.iter().copied().collect();
    let is_outside = |&v: &ValueId| match func.value(v).def {
        ValueDef::Result { op, .. } => !inside.contains(&op) || kept.contains(&op),
        // Those of the tree's blocks have no arguments; loops inside are.
        ValueDef::Argument { .. } => true,
    };
    tree.base = (0..func.op(op).results.len())
        .map(|j| {
            let mut counts: BTreeMap<ValueId, usize> = BTreeMap::new();
            let given = tree.leaves.iter().map(|l| l.yields[j]);
            given.filter(is_outside).for_each(|v| *counts.entry(v).or_default() += 1);
            counts.into_iter().max_by_key(|&(v, n)| (n, std::cmp::Reverse(v))).map(|(v, _)| v)
        })
        .collect();
    tree.gain(func, aim).then_some(tree)
}

impl Tree {
    /// Adds an if whose results are those of the tree, or the ones that `above` says.
    fn grow(&mut self, func: &Func, op: OpId, way: Way, above: Option<&[Source]>) {
        self.ifs.push(op);
        let record = func.op(op);
        let condition = record.operands[0];
        for (region, is_true) in record.regions.iter().zip([true, false]) {
            let mut way = way.clone();
            way.push((condition, is_true));
            let block = func.entry(*region);
            let own = block.and_then(|b| func.terminator(b)).map_or(&[][..], |end| &func.op(end).operands);
            // What the tree's results are, by what this side yields.
            let yields: Vec<ValueId> = match above {
                None => own.to_vec(),
                Some(sources) => sources.iter().map(|s| s.of(own)).collect(),
            };
            if let Some((inner, before)) = block.and_then(|b| nested(func, b)) {
                let results = &func.op(inner).results;
                let source = |v: &ValueId| match results.iter().position(|r| r == v) {
                    Some(k) => Source::Result(k),
                    None => Source::Known(*v),
                };
                let sources: Vec<Source> = yields.iter().map(source).collect();
                self.before.extend(before);
                self.grow(func, inner, way, Some(&sources));
                continue;
            }
            let is_empty = block.is_none_or(|b| func.block(b).ops.len() <= 1);
            self.leaves.push(Leaf { way, region: Some(*region).filter(|_| !is_empty), yields });
        }
    }

    /// Whether leaves behind each other are fewer ops than the tree. Where cycles matter they are to be many fewer, and none has an access:
    /// those of different leaves wait for each other.
    fn gain(&self, func: &Func, aim: Aim) -> bool {
        let of_if = |&op: &OpId| {
            let taken = Taken::of(func, &func.op(op).regions);
            taken.values.len() + func.op(op).results.len() + 2 * taken.arrays.len()
        };
        let (mut then, mut accesses) = (0, false);
        for leaf in &self.leaves {
            let taken = Taken::of(func, leaf.region.as_slice());
            let changed = leaf.yields.iter().zip(&self.base).filter(|(y, base)| Some(**y) != **base).count();
            let asks = match changed > 0 || leaf.region.is_some() {
                true => (leaf.way.len() - 1).min(2),
                false => 0,
            };
            // What only computes becomes selects.
            let branches = if taken.only_computes { 0 } else { taken.values.len() };
            then += branches + changed + 2 * taken.arrays.len() + asks;
            accesses |= !taken.arrays.is_empty();
        }
        let now: usize = self.ifs.iter().map(of_if).sum();
        match aim {
            Aim::Room => then < now,
            Aim::Speed => !accesses && 4 * then < 3 * now,
        }
    }
}

/// Where a result of a nested if's tree comes from.
#[derive(Clone, Copy)]
enum Source {
    /// What the if yields.
    Result(usize),
    /// The same on all its sides.
    Known(ValueId),
}

impl Source {
    fn of(self, yields: &[ValueId]) -> ValueId {
        match self {
            Source::Result(k) => yields[k],
            Source::Known(value) => value,
        }
    }
}

/// The if that is all a block does, and the ops before it, which may run at any time.
fn nested(func: &Func, block: BlockId) -> Option<(OpId, Vec<OpId>)> {
    let (_yield, ops) = func.block(block).ops.split_last()?;
    let (&inner, before) = ops.split_last()?;
    let is_free = |&o: &OpId| func.op(o).kind.is_free();
    (func.op(inner).kind == Kind::If && before.iter().all(is_free)).then(|| (inner, before.to_vec()))
}

/// What regions take from outside.
struct Taken {
    values: BTreeSet<ValueId>,
    arrays: BTreeSet<ValueId>,
    only_computes: bool,
}

impl Taken {
    fn of(func: &Func, regions: &[RegionId]) -> Taken {
        let only_computes = edit::walk_regions(func, regions)
            .into_iter()
            .all(|o| matches!(func.op(o).kind, Kind::Scalar(_) | Kind::Constant(_) | Kind::Yield));
        let (mut values, mut arrays) = (BTreeSet::new(), BTreeSet::new());
        for value in edit::used_from_outside(func, regions) {
            match func.ty(value).memref() {
                Some(_) => _ = arrays.insert(value),
                None if edit::constant(func, value).is_none() => _ = values.insert(value),
                None => {}
            }
        }
        Taken { values, arrays, only_computes }
    }
}

/// Puts the leaves behind each other in the place of the tree.
fn flatten(func: &mut Func, op: OpId, tree: Tree, index_width: u32) {
    let span = func.op(op).span.clone();
    let mut ops = tree.before.clone();
    let mut conditions = Conditions { ops: Vec::new(), known: BTreeMap::new(), index_width };
    let types: Vec<_> = func.op(op).results.iter().map(|&r| func.ty(r).clone()).collect();
    let mut now: Vec<ValueId> = Vec::new();
    for (base, ty) in tree.base.iter().zip(&types) {
        now.push(base.unwrap_or_else(|| {
            let any = func.create_op(Kind::Poison, &[], std::slice::from_ref(ty));
            ops.push(any);
            func.result(any, 0)
        }));
    }
    let mut leaves = Vec::new();
    for leaf in &tree.leaves {
        let changed: Vec<usize> =
            (0..types.len()).filter(|&j| Some(leaf.yields[j]) != tree.base[j]).collect();
        if changed.is_empty() && leaf.region.is_none() {
            continue;
        }
        let condition = conditions.of(func, &leaf.way);
        let types: Vec<_> = changed.iter().map(|&j| types[j].clone()).collect();
        let made = func.create_op(Kind::If, &[condition], &types);
        let taken = leaf.region.unwrap_or_else(|| side(func));
        let other = side(func);
        let yields: Vec<ValueId> = changed.iter().map(|&j| leaf.yields[j]).collect();
        let kept: Vec<ValueId> = changed.iter().map(|&j| now[j]).collect();
        for (region, values) in [(taken, yields), (other, kept)] {
            let end = func.entry(region).and_then(|b| func.terminator(b)).expect("a side has a yield");
            func.op_mut(end).operands = values;
        }
        let record = func.op_mut(made);
        (record.regions, record.span) = (vec![taken, other], span.clone());
        for (k, &j) in changed.iter().enumerate() {
            now[j] = func.result(made, k);
        }
        leaves.push(made);
    }
    ops.extend(conditions.ops);
    ops.extend(leaves);
    let mut changes = Changes::default();
    changes.inline(func, op, &ops, &now);
    changes.apply(func);
}

/// A side that yields nothing.
fn side(func: &mut Func) -> RegionId {
    let region = func.add_region();
    edit::idle_block(func, region);
    region
}

/// Whether leaves are taken, each prefix of a way once.
struct Conditions {
    ops: Vec<OpId>,
    known: BTreeMap<Way, ValueId>,
    index_width: u32,
}

impl Conditions {
    fn op(&mut self, func: &mut Func, kind: Kind, operands: &[ValueId]) -> ValueId {
        let made = func.create_op(kind, operands, &[ValueType::Scalar(Type::I1)]);
        self.ops.push(made);
        func.result(made, 0)
    }

    fn of(&mut self, func: &mut Func, way: &[(ValueId, bool)]) -> ValueId {
        let Some((&(condition, is_true), before)) = way.split_last() else {
            unreachable!("a leaf is a side of an if");
        };
        // Of conditions on one number that hold for different ones at most one holds.
        let before: Way = match is_true {
            true => {
                let mut truths = Truths::new(func, self.index_width);
                let counts = |&(other, was): &(ValueId, bool)| was || !truths.exclude(condition, other);
                before.iter().copied().filter(counts).collect()
            }
            false => before.to_vec(),
        };
        if before.is_empty() && is_true {
            return condition;
        }
        let mut key = before.clone();
        key.push((condition, is_true));
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let this = match is_true {
            true => condition,
            false => {
                let one = self.op(func, Kind::Constant(1), &[]);
                self.op(func, Kind::Scalar(Op::Plain(OpKind::Xori)), &[condition, one])
            }
        };
        let value = match before.is_empty() {
            true => this,
            false => {
                let there = self.of(func, &before);
                self.op(func, Kind::Scalar(Op::Plain(OpKind::Andi)), &[there, this])
            }
        };
        self.known.insert(key, value);
        value
    }
}
