//! Sums and their like in the order in which what a loop carries comes last.
//!
//! `s + a + b` adds `a` to what the iteration before gave, then `b`: two ops on the way from one iteration to the next. `s + (a + b)` is
//! one. Ops of one kind that are a tree (`addi` with `subi`, `xori`, `andi`, `ori`, `muli`: each inner result used once, in its block) are
//! put together anew, always the two operands first that are there first, and no order ends sooner (Golumbic, "Combinatorial
//! merging", 1976). It takes as many ops as before, and the number is the same, modulo 2^width.
//!
//! A test of a sum is one of what is added to: `k + 1 == n` is `k == n - 1`, which need not wait for the sum.
//!
//! A sum on a condition is one of an amount that the condition chooses ([`super::conditional`]).
//!
//! A tree is left as it is unless its result is there sooner, and where it does not come round ([`super::round`]).

use super::conditional::{family, Conditional};
use super::motion::defining;
use super::round::{ops_of, Arrival, Round};
use crate::edit::{self, InsertionPoint, Parents};
use crate::ir::{BlockId, Func, Kind, OpId, ValueId};
use crate::passes::Aim;
use loom_base::{sign_extend, truncate};
use loom_dfg::{Op, OpKind, Predicate, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Puts trees and tests of all loops in order.
pub fn run(func: &mut Func, aim: Aim) {
    while let Some(change) = first_slow(func, aim) {
        match change {
            Change::Order(tree, block, order) => tree.write(func, block, &order),
            Change::Ahead(test, block) => test.write(func, block),
            Change::Always(sum, block) => sum.write(func, block),
        }
    }
}

/// Whether something would be there sooner.
pub fn is_needed(func: &Func, aim: Aim) -> bool {
    first_slow(func, aim).is_some()
}

/// What would be there sooner.
enum Change {
    /// A tree, in its block, in this order.
    Order(Tree, BlockId, Vec<[usize; 2]>),
    /// A test of what is not yet added, in its block.
    Ahead(Test, BlockId),
    /// What is added on a condition, in the block of that.
    Always(Conditional, BlockId),
}

fn first_slow(func: &Func, aim: Aim) -> Option<Change> {
    let loops = edit::walk(func).into_iter().filter(|&op| func.op(op).kind.is_loop());
    let (uses, parents) = (edit::use_counts(func), Parents::new(func));
    for round in loops.filter_map(|of| Round::new(func, of)) {
        let mut inner: BTreeSet<OpId> = BTreeSet::new();
        // Roots before what is below them.
        for &op in round.ops.iter().rev() {
            let Some(block) = parents.block(op) else { continue };
            let arrivals = |value| round.leads_back(value).map(|of| round.arrivals(of));
            if inner.contains(&op) {
                continue;
            }
            for result in 0..func.op(op).results.len() {
                let Some(sum) = Conditional::new(func, &uses, &parents, (op, result), aim) else { continue };
                let value = func.result(op, result);
                let Some(arrivals) = arrivals(value) else { continue };
                if sum.arrival(&arrivals) < Arrival::of(value, &arrivals) {
                    return Some(Change::Always(sum, block));
                }
            }
            if let Some(tree) = Tree::new(func, &uses, &parents, op) {
                inner.extend(&tree.inner);
                let Some(arrivals) = arrivals(func.result(op, 0)) else { continue };
                let (order, sooner) = tree.order(&arrivals);
                if arrivals.get(&func.result(op, 0)).is_some_and(|now| sooner < *now) {
                    return Some(Change::Order(tree, block, order));
                }
            } else if let Some(test) = Test::new(func, op, aim) {
                let arrivals = arrivals(func.result(op, 0));
                let waits = |value| arrivals.as_ref().is_some_and(|all| all.contains_key(&value));
                if waits(test.of) && !waits(test.by) && !waits(test.bound) {
                    return Some(Change::Ahead(test, block));
                }
            }
        }
    }
    None
}

/// Ops of one kind, `addi` and `subi` being one, in one block, each but the last used by the next alone.
struct Tree {
    root: OpId,
    /// Those below the root.
    inner: Vec<OpId>,
    kind: OpKind,
    /// Its operands from left to right.
    terms: Vec<Term>,
}

/// An operand, or what some of them make.
#[derive(Clone, Copy)]
struct Term {
    value: ValueId,
    is_subtracted: bool,
}

impl Tree {
    fn new(func: &Func, uses: &[u32], parents: &Parents, root: OpId) -> Option<Tree> {
        let kind = family(func, root)?;
        let mut tree = Tree { root, inner: Vec::new(), kind, terms: Vec::new() };
        let is_inner = |op: OpId| {
            uses[func.result(op, 0).0 as usize] == 1
                && family(func, op) == Some(kind)
                && parents.block(op) == parents.block(root)
        };
        let mut todo = vec![Term { value: func.result(root, 0), is_subtracted: false }];
        while let Some(term) = todo.pop() {
            let made_by = defining(func, term.value).filter(|&op| op == root || is_inner(op));
            let Some(made_by) = made_by else {
                tree.terms.push(term);
                continue;
            };
            if made_by != root {
                tree.inner.push(made_by);
            }
            let record = func.op(made_by);
            let turns = record.kind == Kind::Scalar(Op::Plain(OpKind::Subi));
            let &[left, right] = &record.operands[..] else { return None };
            todo.push(Term { value: right, is_subtracted: term.is_subtracted != turns });
            todo.push(Term { value: left, ..term });
        }
        (tree.terms.len() > 2).then_some(tree)
    }

    /// The two that come first, again and again, and when the last result is there. Terms are numbered from left to right,
    /// what two of them make behind all before.
    fn order(&self, arrivals: &BTreeMap<ValueId, Arrival>) -> (Vec<[usize; 2]>, Arrival) {
        let terms = self.terms.iter().enumerate();
        let mut waiting: Vec<(Arrival, usize)> =
            terms.map(|(k, term)| (Arrival::of(term.value, arrivals), k)).collect();
        let mut order = Vec::new();
        loop {
            waiting.sort_unstable();
            let &[(a, left), (b, right), ..] = &waiting[..] else { break };
            let made = self.terms.len() + order.len();
            order.push([left.min(right), left.max(right)]);
            waiting.splice(..2, [(a.then(b, ops_of(self.kind)), made)]);
        }
        (order, waiting[0].0)
    }

    /// Writes the tree in an order in front of its root, and takes the old one out.
    fn write(&self, func: &mut Func, block: BlockId, order: &[[usize; 2]]) {
        let old = func.result(self.root, 0);
        let Some(ty) = func.ty(old).scalar() else { return };
        let mut at = InsertionPoint::new(func, self.root);
        let mut terms = self.terms.clone();
        for &[left, right] in order {
            let [mut a, mut b] = [terms[left], terms[right]];
            // Of two that are subtracted the sum is; of one, the difference is what the other one begins with.
            if a.is_subtracted && !b.is_subtracted {
                (a, b) = (b, a);
            }
            let kind = if a.is_subtracted == b.is_subtracted { self.kind } else { OpKind::Subi };
            let value = at.scalar(Op::Plain(kind), &[a.value, b.value], ty);
            terms.push(Term { value, is_subtracted: a.is_subtracted });
        }
        let last = terms[terms.len() - 1];
        debug_assert!(!last.is_subtracted, "the leftmost operand of a tree is added");
        at.put(block);
        edit::replace_uses(func, old, last.value);
        self.inner.iter().chain([&self.root]).for_each(|&op| edit::erase(func, block, op));
    }
}

/// `of + by == bound` or `of - by == bound`, or another comparison.
struct Test {
    op: OpId,
    predicate: Predicate,
    of: ValueId,
    by: ValueId,
    /// `addi` or `subi`.
    sum: OpKind,
    bound: ValueId,
    ty: Type,
}

impl Test {
    /// A comparison that holds of `of` and `bound` without `by` when it holds with it: of equality for all numbers, of order for
    /// literals where no sum overflows. For room only where both are literals: what is to be kept of a bound are ops.
    fn new(func: &Func, op: OpId, aim: Aim) -> Option<Test> {
        let record = func.op(op);
        let Kind::Scalar(Op::Cmpi(predicate)) = record.kind else { return None };
        let &[left, bound] = &record.operands[..] else { return None };
        let ty = func.ty(left).scalar()?;
        let made_by = defining(func, left)?;
        let Kind::Scalar(Op::Plain(sum @ (OpKind::Addi | OpKind::Subi))) = func.op(made_by).kind else {
            return None;
        };
        let &[of, by] = &func.op(made_by).operands[..] else { return None };
        let literals = edit::constant_int(func, by).zip(edit::constant_int(func, bound));
        // How wide index is the fabric says.
        let width = Some(ty).filter(|&ty| ty != Type::Index).map(|ty| ty.width(0));
        let fits = |n: i64| width.is_some_and(|w| sign_extend(truncate(n as u64, w), w) == n);
        let may = match predicate {
            Predicate::Eq | Predicate::Ne => literals.is_some() || aim == Aim::Speed,
            Predicate::Slt | Predicate::Sle | Predicate::Sgt | Predicate::Sge => {
                let moved = literals.and_then(|(by, bound)| match sum {
                    OpKind::Addi => bound.checked_sub(by),
                    _ => bound.checked_add(by),
                });
                func.op(made_by).nsw && moved.is_some_and(fits)
            }
            _ => false,
        };
        may.then_some(Test { op, predicate, of, by, sum, bound, ty })
    }

    fn write(&self, func: &mut Func, block: BlockId) {
        let old = func.result(self.op, 0);
        let mut at = InsertionPoint::new(func, self.op);
        let back = if self.sum == OpKind::Addi { OpKind::Subi } else { OpKind::Addi };
        let bound = at.scalar(Op::Plain(back), &[self.bound, self.by], self.ty);
        let test = at.scalar(Op::Cmpi(self.predicate), &[self.of, bound], Type::I1);
        at.put(block);
        edit::replace_uses(func, old, test);
        edit::erase(func, block, self.op);
    }
}
