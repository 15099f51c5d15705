//! Which accesses may meet: affine subscripts, constant distances and ranges.
//!
//! For two accesses of one domain, one of them a store, two questions: may they touch one word in the same
//! iteration of all loops around both ([`Dependences::meet_within`]), and may they in different iterations of a
//! given loop, whatever the loops inside it do ([`Dependences::meet_across`])? "No" is only said when proved: two
//! subscripts of a dimension differ by a sum that cannot be zero (`prove`), given the bounds of the loops around
//! both, which may be constants, arguments or other loops' numbers. Subscripts are in bounds and
//! their arithmetic does not wrap, nor does that of bounds; a program that breaks this is out of the analysis, and
//! `--order=serial` is for it. What a loop's hint promises ([`crate::hints`]) is taken as proved. Computed on the function before views are
//! flattened: a dimension says more than a sum.

mod carried;
mod literal;
mod prove;
mod sum;

pub(crate) use literal::masked;

use crate::domain::{self, Domains, RootKind};
use crate::edit::{self, Parents};
use crate::ir::{Dim, Func, Kind, MemrefLayout, OpId, ValueDef, ValueId};
use carried::Carried;
use literal::Quotient;
use loom_dfg::{ContCond, Counter, Op, OpKind, Signedness, StepOp};
use prove::Prover;
use std::collections::{BTreeMap, BTreeSet};
use sum::Sum;

/// Attempts of all proofs of a function: about a second of them.
const ATTEMPTS: u32 = 1_000_000;

/// Answers for the accesses of one function, by operation.
#[derive(Clone, Debug, Default)]
pub struct Dependences {
    within: BTreeSet<(OpId, OpId)>,
    /// The loop, the access in the earlier iteration and the one in the later.
    across: BTreeSet<(OpId, OpId, OpId)>,
}

impl Dependences {
    /// Looks at all pairs of a domain: quadratic in its accesses, because the answer is a relation on them. A memory has
    /// at most 255 ports of each kind, so a domain that compiles has few.
    pub fn new(func: &Func, domains: &Domains) -> Dependences {
        let parents = Parents::new(func);
        let affines = Affines::new(func);
        let mut accesses: Vec<Access> = Vec::new();
        for op in edit::walk(func) {
            let record = func.op(op);
            let &[memref, ref indices @ ..] = record.address() else { continue };
            let Some(root) = domains.root_of(memref) else { continue };
            accesses.push(Access {
                op,
                root,
                domain: domains.roots[root].domain,
                is_store: record.kind == Kind::Store,
                subscripts: subscripts(&affines, memref, indices),
                around: parents.around(op),
            });
        }
        let mut out = Dependences::default();
        let mut left = ATTEMPTS;
        for (i, a) in accesses.iter().enumerate() {
            for b in &accesses[i..] {
                if a.domain != b.domain || !(a.is_store || b.is_store) {
                    continue;
                }
                let common: Vec<OpId> = a.around.iter().copied().filter(|o| b.around.contains(o)).collect();
                let pair = Pair { affines: &affines, domains, parents: &parents, a, b };
                if a.op != b.op && !pair.in_independent_copies() && pair.may_meet_within(&common, &mut left) {
                    out.within.insert((a.op, b.op));
                }
                for (k, &at) in common.iter().enumerate() {
                    let is_loop = func.op(at).kind.is_loop();
                    let promised = func.op(at).hints.independent && pair.is_promised();
                    if !is_loop || promised {
                        continue;
                    }
                    let [b_later, a_later] = pair.may_meet_across(&common[k + 1..], at, &mut left);
                    out.across.extend(b_later.then_some((at, a.op, b.op)));
                    out.across.extend(a_later.then_some((at, b.op, a.op)));
                }
            }
        }
        out
    }

    /// Whether the two may touch one word in one iteration of everything around both.
    pub fn meet_within(&self, a: OpId, b: OpId) -> bool {
        self.within.contains(&(a, b)) || self.within.contains(&(b, a))
    }

    /// Whether the two may touch one word while a loop goes on.
    pub fn meet_in(&self, at: OpId, a: OpId, b: OpId) -> bool {
        self.meet_within(a, b) || self.meet_across(at, a, b)
    }

    /// Whether the two may touch one word in different iterations of `at`.
    pub fn meet_across(&self, at: OpId, a: OpId, b: OpId) -> bool {
        self.across.contains(&(at, a, b)) || self.across.contains(&(at, b, a))
    }

    /// Whether an access in a later iteration of `at` must wait for one in an earlier. An access that meets itself is in order as it
    /// is: its op takes one iteration after the other, and a memory does what one lane asks for in the order in which it asks
    /// (an AXI port has one ID a lane).
    pub fn follows_across(&self, at: OpId, earlier: OpId, later: OpId) -> bool {
        earlier != later && self.across.contains(&(at, earlier, later))
    }

    /// Whether iterations of `at` must wait for each other because of the two.
    pub fn delays_across(&self, at: OpId, a: OpId, b: OpId) -> bool {
        self.follows_across(at, a, b) || self.follows_across(at, b, a)
    }
}

struct Access {
    op: OpId,
    root: usize,
    domain: usize,
    is_store: bool,
    subscripts: Subscripts,
    /// Operations around it, innermost first.
    around: Vec<OpId>,
}

/// What is known of the place an access touches.
struct Subscripts {
    /// One for each dimension of the root, or of a view of all of it that has rows; with the extents that say where the word is.
    dimensions: Option<(Vec<Affine>, Vec<Dim>)>,
    /// The word of the root, when the layout is static.
    word: Option<Affine>,
    /// Of a view of some words of the root: the word in it, and how many it has.
    inside: Option<(Affine, i64)>,
}

/// What a number of the function is made of.
pub(crate) type Affine = Sum<ValueId>;

/// Every value as a sum; each op once, since a sum can use one operand twice.
pub(crate) struct Affines<'f> {
    func: &'f Func,
    known: BTreeMap<ValueId, Affine>,
}

impl<'f> Affines<'f> {
    pub fn new(func: &'f Func) -> Self {
        let mut affines = Affines { func, known: BTreeMap::new() };
        // Definitions come before uses in source order.
        for op in edit::walk(func) {
            if let Kind::Scalar(scalar) = func.op(op).kind {
                let value = func.result(op, 0);
                if let Some(sum) = affines.sum(scalar, op, value) {
                    affines.known.insert(value, sum);
                }
            }
        }
        affines
    }

    /// The sum; the value itself as a term when it is nothing better.
    pub fn of(&self, value: ValueId) -> Affine {
        if let Some(constant) = edit::constant_int(self.func, value) {
            return Affine::constant(constant);
        }
        self.known.get(&value).cloned().unwrap_or_else(|| Affine::of(value))
    }

    fn sum(&self, scalar: Op, op: OpId, value: ValueId) -> Option<Affine> {
        let record = self.func.op(op);
        // Narrow numbers wrap for a living; the others are taken not to.
        let is_wide = |v| self.func.ty(v).scalar().is_some_and(|t| t.is_integral() && t.width(64) >= 32);
        if !is_wide(value) {
            return None;
        }
        let operand = |i: usize| self.of(record.operands[i]);
        let literal = |i: usize| edit::constant_int(self.func, record.operands[i]);
        match scalar.kind() {
            OpKind::Addi => operand(0).plus(&operand(1), 1),
            OpKind::Subi => operand(0).plus(&operand(1), -1),
            OpKind::Muli => operand(0).times(&operand(1)),
            OpKind::Shli => {
                let places = literal(1).filter(|c| (0..32).contains(c))?;
                operand(0).times(&Affine::constant(1 << places))
            }
            // Subscripts are in bounds, so that nothing is cut off or taken for a sign.
            OpKind::IndexCast | OpKind::Extsi => Some(operand(0)),
            OpKind::IndexCastui | OpKind::Extui => is_wide(record.operands[0]).then(|| operand(0)),
            _ => None,
        }
    }
}

/// Subscripts of the root behind a memref value.
fn subscripts(affines: &Affines, memref: ValueId, given: &[ValueId]) -> Subscripts {
    let func = affines.func;
    let direct: Vec<Affine> = given.iter().map(|&v| affines.of(v)).collect();
    let word = word(func, memref, &direct);
    let inside = part_of(func, memref).zip(direct.first().cloned()).map(|(words, at)| (at, words));
    // A cast of a whole memref changes no subscript.
    let mut at = memref;
    while let ValueDef::Result { op, .. } = func.value(at).def {
        match func.op(op).kind {
            Kind::Cast => at = func.op(op).operands[0],
            Kind::Alloc { .. } | Kind::GetGlobal(_) => break,
            // Other views may show a word twice, or as it has no neighbours.
            _ if has_rows(func, at) => break,
            _ => return Subscripts { dimensions: None, word, inside },
        }
    }
    let rows = func.ty(at).memref().map(|ty| ty.shape.iter().skip(1).copied().collect());
    Subscripts { dimensions: rows.map(|rows| (direct, rows)), word, inside }
}

/// How many words a view has that shows a part of a root, in one dimension: an array in a struct of C.
fn part_of(func: &Func, view: ValueId) -> Option<i64> {
    let ValueDef::Result { op, .. } = func.value(view).def else { return None };
    let is_cast = matches!(func.op(op).kind, Kind::ReinterpretCast { .. });
    match func.ty(view).memref().filter(|_| is_cast)?.shape[..] {
        [words] => words,
        _ => None,
    }
}

/// Whether a view shows a whole root of one dimension, in rows of known lengths one behind the other.
pub(crate) fn has_rows(func: &Func, view: ValueId) -> bool {
    let ValueDef::Result { op, .. } = func.value(view).def else { return false };
    let record = func.op(op);
    let is_reshaped = matches!(record.kind, Kind::ReinterpretCast { .. } | Kind::ExpandShape { .. });
    let of = record.operands.first().filter(|_| is_reshaped).copied();
    let is_root = |value: ValueId| match func.value(value).def {
        ValueDef::Argument { .. } => true,
        ValueDef::Result { op, .. } => !func.op(op).kind.is_view(),
    };
    let of = of.filter(|&of| is_root(of)).and_then(|of| func.ty(of).memref());
    let Some((ty, of)) = func.ty(view).memref().zip(of) else { return false };
    let is_dense = ty.row_major().is_some_and(|rows| ty.strided() == Some((rows, Some(0))));
    let is_known = ty.shape.iter().skip(1).all(Option::is_some);
    is_dense && is_known && of.shape.len() == 1 && of.layout == MemrefLayout::Identity
}

/// The word of the root: types of views count from the root's first word.
fn word(func: &Func, memref: ValueId, given: &[Affine]) -> Option<Affine> {
    let ty = func.ty(memref).memref()?;
    let (strides, offset) = ty.strided()?;
    let strides = strides.into_iter().collect::<Option<Vec<i64>>>()?;
    let mut word = Affine::constant(offset?);
    for (subscript, &stride) in given.iter().zip(&strides) {
        word = word.plus(subscript, stride)?;
    }
    Some(word)
}

/// An access of a pair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Side {
    A,
    B,
}

/// What a difference of subscripts is made of, in the order of definition: outer ones first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Unknown {
    /// A value, by the number of operations around its definition: that of both accesses, or as one of them sees it.
    Value { depth: usize, value: ValueId, of: Option<Side> },
    /// How many steps of the loop whose iterations differ the later access is behind the other one; where those are no literal, how far.
    Steps,
}

type Difference = Sum<Unknown>;

struct Pair<'a> {
    affines: &'a Affines<'a>,
    domains: &'a Domains,
    parents: &'a Parents,
    a: &'a Access,
    b: &'a Access,
}

/// What a loop counts.
#[derive(Clone, Copy)]
struct Counted {
    /// The number that its body sees.
    value: ValueId,
    /// How far that moves with each of [`Unknown::Steps`].
    by: i64,
    /// A step that is no literal: the number moves by that or more, one way or the other.
    step: Option<ValueId>,
}

/// How the two iterations of a pair are to each other.
struct Setting<'p, 'a> {
    pair: &'p Pair<'a>,
    /// Operations around both, inside `across`.
    same: &'p [OpId],
    /// The loop in different iterations of which the two are.
    across: Option<OpId>,
    /// What this loop counts, and the access in the later iteration.
    counter: Option<(Counted, Side)>,
}

impl Pair<'_> {
    /// Whether a promise that iterations are independent speaks about both. What a function allocates is out of it: an array
    /// declared in a body is another one in each iteration to the programmer, and the same memory here, on chip or the caller's.
    fn is_promised(&self) -> bool {
        [self.a, self.b].iter().all(|x| match self.domains.roots[x.root].kind {
            RootKind::Alloc(_) => false,
            RootKind::Argument(v) => !domain::attributes(self.affines.func, v).local,
            RootKind::Global(_) => true,
        })
    }

    /// Whether the two stand in different iterations of an independent loop that was unrolled. Only where the copies of all
    /// loops around it are the same do both mean one activation of it.
    fn in_independent_copies(&self) -> bool {
        let func = self.affines.func;
        let [a, b] = [self.a, self.b].map(|x| func.op(x.op).copies.iter().rev());
        let differ = a.zip(b).find(|(x, y)| x != y);
        differ.is_some_and(|(x, y)| x.of == y.of && x.independent) && self.is_promised()
    }

    /// Whether both may touch one word in one iteration of everything around both. Values defined outside of what holds only one of
    /// them are the same for both.
    fn may_meet_within(&self, same: &[OpId], left: &mut u32) -> bool {
        self.roots_may_meet()
            .unwrap_or_else(|| Setting { pair: self, same, across: None, counter: None }.may_meet(left))
    }

    /// Whether both may touch one word in different iterations of `at`: where `b` is in the later one, and where `a` is. Values defined
    /// outside of it are the same for both.
    fn may_meet_across(&self, same: &[OpId], at: OpId, left: &mut u32) -> [bool; 2] {
        if let Some(always) = self.roots_may_meet() {
            return [always; 2];
        }
        let mut may_meet = |counter| Setting { pair: self, same, across: Some(at), counter }.may_meet(left);
        match self.counted(at) {
            Some(counted) => [Side::B, Side::A].map(|later| may_meet(Some((counted, later)))),
            // Which of the two comes later is all the same where nothing is known of the distance.
            None => [may_meet(None); 2],
        }
    }

    /// Whether accesses of two roots may touch one word; `None` where the root is one.
    fn roots_may_meet(&self) -> Option<bool> {
        // Roots of one domain may overlap anyhow, but for views of one array.
        (self.a.root != self.b.root).then(|| !self.domains.are_views(self.a.root, self.b.root))
    }

    fn counted(&self, at: OpId) -> Option<Counted> {
        let func = self.affines.func;
        let counter = counter(func, at)?;
        let value = induction_value(func, at)?;
        let (by, step) = match edit::moves_by(func, at) {
            Some(by) => (by, None),
            // It leads to the bound, or the loop would not end.
            None if counter.step_op == StepOp::Add => {
                (if rises(func, at)? { 1 } else { -1 }, Some(func.op(at).operands[2]))
            }
            None => return None,
        };
        Some(Counted { value, by, step }).filter(|_| by != 0)
    }
}

impl Setting<'_, '_> {
    fn may_meet(&self, left: &mut u32) -> bool {
        let [a, b] = [Side::A, Side::B].map(|side| &self.access(side).subscripts);
        let facts = self.facts();
        let mut prover = Prover::new(&facts, left);
        let mut apart = |x: &Affine, y: &Affine| {
            let difference =
                self.seen(x, Side::A).zip(self.seen(y, Side::B)).and_then(|(x, y)| x.plus(&y, -1));
            difference.is_some_and(|difference| prover.is_never_zero(&difference))
        };
        let by_dimension = match (&a.dimensions, &b.dimensions) {
            (Some((x, of_x)), Some((y, of_y))) if of_x == of_y => x.iter().zip(y).any(|(x, y)| apart(x, y)),
            _ => false,
        };
        let mut by_word = || match (&a.word, &b.word) {
            (Some(x), Some(y)) => apart(x, y),
            _ => false,
        };
        !(by_dimension || by_word() || self.is_impossible(&mut Prover::new(&facts, left)))
    }

    fn access(&self, side: Side) -> &Access {
        match side {
            Side::A => self.pair.a,
            Side::B => self.pair.b,
        }
    }

    /// Whether the loop has no second iteration: its bounds are less than a step apart.
    fn is_impossible(&self, prover: &mut Prover<Unknown>) -> bool {
        let Some((Counted { by, .. }, later)) = self.counter else { return false };
        let at = self.across.and_then(|at| self.bounds(at, later));
        let Some((Some(least), Some(most))) = at else { return false };
        // least + |by| - most >= 1
        let beyond = least.plus(&most, -1);
        let floor = by.checked_abs().and_then(|size| 1i64.checked_sub(size));
        beyond.zip(floor).is_some_and(|(beyond, floor)| prover.is_at_least(&beyond, floor))
    }

    /// A sum as an access sees it.
    fn seen(&self, sum: &Affine, side: Side) -> Option<Difference> {
        sum.replace(|&value| self.unknown(value, side))
    }

    fn unknown(&self, value: ValueId, side: Side) -> Difference {
        let parents = self.pair.parents;
        let func = self.pair.affines.func;
        let named = |of| {
            let block = parents.defining_block(func, value);
            let around = block.and_then(|b| parents.op(b));
            let depth = around.map_or(0, |op| 1 + parents.around(op).len());
            Difference::of(Unknown::Value { depth, value, of })
        };
        match self.counter {
            Some((counted, later)) if counted.value == value => {
                let earlier = named(Some(if later == Side::A { Side::B } else { Side::A }));
                if side != later {
                    return earlier;
                }
                // Two terms are a sum for sure.
                earlier.plus(&Difference::of(Unknown::Steps), counted.by).unwrap_or_else(|| named(Some(side)))
            }
            _ => named((!self.is_shared(value)).then_some(side)),
        }
    }

    /// Whether a value is one and the same for both accesses.
    fn is_shared(&self, value: ValueId) -> bool {
        let (parents, func) = (self.pair.parents, self.pair.affines.func);
        match self.across {
            Some(at) => parents.is_outside(func, value, at),
            None => match parents.defining_block(func, value).and_then(|b| parents.op(b)) {
                // Defined in the body of an operation around both, that is: in this very iteration of it.
                Some(around) => self.same.contains(&around),
                None => true,
            },
        }
    }

    /// What is known of the loops around the accesses, and of masked and divided numbers in subscripts and bounds: sums that are at
    /// least 0.
    fn facts(&self) -> Vec<Difference> {
        let mut facts = Vec::new();
        let mut note = |fact: Option<Difference>| facts.extend(fact.filter(|f| f.value().is_none()));
        if let Some((counted, later)) = self.counter {
            let steps = Difference::of(Unknown::Steps);
            note(steps.plus(&Difference::constant(1), -1));
            let step = counted.step.and_then(|step| self.seen(&self.pair.affines.of(step), later));
            note(step.and_then(|step| steps.plus(&step, -counted.by)));
        }
        for side in [Side::A, Side::B] {
            let access = self.access(side);
            for &at in &access.around {
                let value = induction_value(self.pair.affines.func, at).map(|v| self.unknown(v, side));
                let Some((value, (least, most))) = value.zip(self.bounds(at, side)) else { continue };
                note(least.and_then(|least| value.plus(&least, -1)));
                note(most.and_then(|most| most.plus(&value, -1)));
            }
            let (func, affines) = (self.pair.affines.func, self.pair.affines);
            let Subscripts { dimensions, word, inside } = &access.subscripts;
            if let Some((at, words)) = inside {
                let at = self.seen(at, side);
                let last = Difference::constant(words - 1);
                note(at.as_ref().and_then(|at| last.plus(at, -1)));
                note(at);
            }
            let subscripts: Vec<Affine> = dimensions.iter().flat_map(|d| &d.0).chain(word).cloned().collect();
            for &value in subscripts.iter().flat_map(Affine::unknowns) {
                let facts =
                    Carried::new(func, value, &access.around).and_then(|of| self.carried(value, of, side));
                facts.into_iter().flatten().for_each(&mut note);
            }
            let bounds = access.around.iter().filter(|&&at| matches!(func.op(at).kind, Kind::For { .. }));
            let bounds = bounds.flat_map(|&at| func.op(at).operands[..2].iter().map(|&v| affines.of(v)));
            for of in subscripts.into_iter().chain(bounds) {
                let facts = of.unknowns().filter_map(|&value| self.between(value, side));
                facts.flatten().for_each(|fact| note(Some(fact)));
            }
        }
        // Loops around both are seen twice.
        let mut distinct: Vec<Difference> = Vec::new();
        for fact in facts {
            if !distinct.contains(&fact) {
                distinct.push(fact);
            }
        }
        distinct
    }

    /// That a number which a loop carries has moved by the least and the most of an iteration, times iterations, or by something between them.
    fn carried(&self, value: ValueId, of: Carried, side: Side) -> Option<[Option<Difference>; 2]> {
        let (func, affines) = (self.pair.affines.func, self.pair.affines);
        let by = edit::moves_by(func, of.of).filter(|&by| by != 0)?;
        let (start, numbers) = (affines.of(func.op(of.of).operands[0]), counter(func, of.of)?.numbers);
        if !is_sure(&start, numbers) {
            return None;
        }
        let seen = |sum: &Affine| self.seen(sum, side);
        let counted = seen(&Affine::of(induction_value(func, of.of)?))?.plus(&seen(&start)?, -1)?;
        let moved = self.unknown(value, side).plus(&seen(&affines.of(of.first))?, -1)?;
        // Both times the step's size, which the counter is a multiple of.
        let times = |n: i64| counted.times(&Difference::constant(n.checked_mul(by.signum())?));
        let moved = moved.times(&Difference::constant(by.checked_abs()?))?;
        Some([
            times(of.most).and_then(|t| t.plus(&moved, -1)),
            times(of.least).and_then(|t| moved.plus(&t, -1)),
        ])
    }

    /// That a masked number, or what is left of a divided one, is between two literals.
    fn between(&self, value: ValueId, side: Side) -> Option<[Difference; 2]> {
        let func = self.pair.affines.func;
        let here = self.unknown(value, side);
        let (number, least, most) = match (masked(func, value), Quotient::new(func, value)) {
            (Some(most), _) => (here, 0, most),
            (None, Some(Quotient { of, by, least })) => {
                let of = self.seen(&self.pair.affines.of(of), side)?;
                (of.plus(&here.times(&Difference::constant(by))?, -1)?, least, by - 1)
            }
            (None, None) => return None,
        };
        Some([Difference::constant(most).plus(&number, -1)?, number.plus(&Difference::constant(least), -1)?])
    }

    /// The least and the greatest number that a loop counts while its body runs, as an access in it sees them, where
    /// they are known.
    fn bounds(&self, at: OpId, side: Side) -> Option<(Option<Difference>, Option<Difference>)> {
        let affines = self.pair.affines;
        let record = affines.func.op(at);
        let Kind::For { counter: Counter { numbers, .. }, cond } = record.kind else { return None };
        let operand = |i: usize| Some(affines.of(record.operands[i])).filter(|sum| is_sure(sum, numbers));
        let seen = |sum: Option<Affine>| sum.and_then(|sum| self.seen(&sum, side));
        let one = Affine::constant(1);
        let bound = operand(1);
        let (least, most) = match cond {
            ContCond::Lt => (None, bound.and_then(|b| b.plus(&one, -1))),
            ContCond::Le => (None, bound),
            ContCond::Gt => (bound.and_then(|b| b.plus(&one, 1)), None),
            ContCond::Ge => (bound, None),
            ContCond::Ne => return None,
        };
        // It begins at one end where it moves towards the other.
        let rises = rises(affines.func, at);
        let falls = rises.map(|rises| !rises);
        let (below, above) = match cond {
            ContCond::Lt | ContCond::Le => (operand(0).filter(|_| rises == Some(true)), most),
            _ => (least, operand(0).filter(|_| falls == Some(true))),
        };
        Some((seen(below), seen(above)))
    }
}

/// Whether a sum of numbers is the number: what is subtracted from an unsigned one may leave it very large.
fn is_sure(sum: &Affine, numbers: Signedness) -> bool {
    numbers == Signedness::Signed || sum.is_of_positive()
}

/// How a loop counts.
fn counter(func: &Func, at: OpId) -> Option<Counter> {
    match func.op(at).kind {
        Kind::For { counter, .. } => Some(counter),
        _ => None,
    }
}

/// Whether a loop counts up. One of a step that is no literal goes towards its bound, as it would not end otherwise.
fn rises(func: &Func, at: OpId) -> Option<bool> {
    let Kind::For { counter: Counter { step_op, .. }, cond } = func.op(at).kind else { return None };
    let step = edit::constant_int(func, func.op(at).operands[2]);
    match (step_op, step, cond) {
        (StepOp::Add, Some(step), _) => Some(step > 0),
        (StepOp::Sub, Some(step), _) => Some(step < 0),
        (StepOp::Add, None, ContCond::Lt | ContCond::Le) => Some(true),
        (StepOp::Add, None, ContCond::Gt | ContCond::Ge) => Some(false),
        _ => None,
    }
}

/// The number that the body of a counted loop sees.
pub(crate) fn induction_value(func: &Func, at: OpId) -> Option<ValueId> {
    counter(func, at)?;
    let body = func.entry(*func.op(at).regions.first()?)?;
    func.block(body).arguments.first().copied()
}
