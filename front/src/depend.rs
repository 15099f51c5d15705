//! Which accesses may meet: affine subscripts, constant distances and ranges.
//!
//! For two accesses of one domain, one of them a store, two questions: may they touch one word in the same
//! iteration of all loops around both ([`Dependences::meet_within`]), and may they in different iterations of a
//! given loop, whatever the loops inside it do ([`Dependences::meet_across`])? "No" is only said when proved: two
//! subscripts of a dimension differ by a sum of bounded terms that cannot be zero. Subscripts are in bounds and
//! their arithmetic does not wrap; a program that breaks this is out of the analysis, and `--order=serial` is for
//! it. What a loop's hint promises ([`crate::hints`]) is taken as proved. Computed on the function before views are
//! flattened: a dimension says more than a sum.

use crate::domain::{Domains, RootKind};
use crate::edit::{self, Parents};
use crate::ir::{Func, Kind, MemrefLayout, OpId, ValueDef, ValueId};
use loom_dfg::{ContCond, Counter, Op, OpKind, Signedness, StepOp};
use std::collections::{BTreeMap, BTreeSet};

/// Answers for the accesses of one function, by operation.
#[derive(Clone, Debug, Default)]
pub struct Dependences {
    within: BTreeSet<(OpId, OpId)>,
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
        for (i, a) in accesses.iter().enumerate() {
            for b in &accesses[i..] {
                if a.domain != b.domain || !(a.is_store || b.is_store) {
                    continue;
                }
                let common: Vec<OpId> = a.around.iter().copied().filter(|o| b.around.contains(o)).collect();
                let pair = Pair { func, domains, parents: &parents, a, b };
                if a.op != b.op && !pair.in_independent_copies() && pair.may_meet(&common, None) {
                    out.within.insert((a.op, b.op));
                }
                for (k, &at) in common.iter().enumerate() {
                    let is_loop = matches!(func.op(at).kind, Kind::For { .. } | Kind::While);
                    let promised = func.op(at).hints.independent && pair.is_promised();
                    if is_loop && !promised && pair.may_meet(&common[k + 1..], Some(at)) {
                        out.across.insert((at, a.op, b.op));
                    }
                }
            }
        }
        out
    }

    /// Whether the two may touch one word in one iteration of everything around both.
    pub fn meet_within(&self, a: OpId, b: OpId) -> bool {
        self.within.contains(&(a, b)) || self.within.contains(&(b, a))
    }

    /// Whether the two may touch one word in different iterations of `at`.
    pub fn meet_across(&self, at: OpId, a: OpId, b: OpId) -> bool {
        self.across.contains(&(at, a, b)) || self.across.contains(&(at, b, a))
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
    /// One for each dimension of the root, unless it is reached through a view.
    dimensions: Option<Vec<Affine>>,
    /// The word of the root, when the layout is static.
    word: Option<Affine>,
}

/// A sum of values times constants, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Affine {
    terms: BTreeMap<ValueId, i64>,
    constant: i64,
}

impl Affine {
    fn add(&self, other: &Affine, times: i64) -> Option<Affine> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(times)?)?;
        for (&v, &c) in &other.terms {
            let entry = sum.terms.entry(v).or_insert(0);
            *entry = entry.checked_add(c.checked_mul(times)?)?;
        }
        sum.terms.retain(|_, c| *c != 0);
        Some(sum)
    }

    fn times(&self, factor: i64) -> Option<Affine> {
        Affine::default().add(self, factor)
    }
}

/// Every value as an affine sum; each op once, since a sum can use one operand twice.
struct Affines<'f> {
    func: &'f Func,
    known: BTreeMap<ValueId, Affine>,
}

impl<'f> Affines<'f> {
    fn new(func: &'f Func) -> Self {
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
    fn of(&self, value: ValueId) -> Affine {
        if let Some(constant) = edit::constant_int(self.func, value) {
            return Affine { terms: BTreeMap::new(), constant };
        }
        self.known.get(&value).cloned().unwrap_or_else(|| Affine { terms: [(value, 1)].into(), constant: 0 })
    }

    fn sum(&self, scalar: Op, op: OpId, value: ValueId) -> Option<Affine> {
        let record = self.func.op(op);
        // Narrow numbers wrap for a living; the others are taken not to.
        self.func.ty(value).scalar().filter(|t| t.is_integral() && t.width(64) >= 32)?;
        let operand = |i: usize| self.of(record.operands[i]);
        let literal = |i: usize| edit::constant_int(self.func, record.operands[i]);
        match scalar.kind() {
            OpKind::Addi => operand(0).add(&operand(1), 1),
            OpKind::Subi => operand(0).add(&operand(1), -1),
            OpKind::Muli => match (literal(0), literal(1)) {
                (_, Some(c)) => operand(0).times(c),
                (Some(c), _) => operand(1).times(c),
                _ => None,
            },
            OpKind::Shli => literal(1).filter(|c| (0..32).contains(c)).and_then(|c| operand(0).times(1 << c)),
            // Subscripts are in bounds, so that nothing is cut off or taken for a sign.
            OpKind::IndexCast | OpKind::Extsi => Some(operand(0)),
            _ => None,
        }
    }
}

/// Subscripts of the root behind a memref value.
fn subscripts(affines: &Affines, memref: ValueId, given: &[ValueId]) -> Subscripts {
    let func = affines.func;
    let direct: Vec<Affine> = given.iter().map(|&v| affines.of(v)).collect();
    let word = word(func, memref, &direct);
    let mut at = memref;
    // A cast of a whole memref changes no subscript; other views do.
    while let ValueDef::Result { op, .. } = func.value(at).def {
        match func.op(op).kind {
            Kind::Cast => at = func.op(op).operands[0],
            Kind::Alloc { .. } | Kind::GetGlobal(_) => break,
            _ => return Subscripts { dimensions: None, word },
        }
    }
    Subscripts { dimensions: Some(direct), word }
}

/// The word of the root: types of views count from the root's first word.
fn word(func: &Func, memref: ValueId, given: &[Affine]) -> Option<Affine> {
    let ty = func.ty(memref).memref()?;
    let (strides, offset) = match &ty.layout {
        MemrefLayout::Strided { strides, offset } => {
            (strides.iter().copied().collect::<Option<Vec<i64>>>()?, (*offset)?)
        }
        MemrefLayout::Identity => {
            let mut strides = vec![1i64; ty.shape.len()];
            for i in (0..ty.shape.len().saturating_sub(1)).rev() {
                strides[i] = strides[i + 1].checked_mul(ty.shape[i + 1]?)?;
            }
            (strides, 0)
        }
    };
    let mut word = Affine { terms: BTreeMap::new(), constant: offset };
    for (subscript, &stride) in given.iter().zip(&strides) {
        word = word.add(subscript, stride)?;
    }
    Some(word)
}

struct Pair<'a> {
    func: &'a Func,
    domains: &'a Domains,
    parents: &'a Parents,
    a: &'a Access,
    b: &'a Access,
}

/// An unknown of the difference of two subscripts, with what bounds it.
struct Term {
    factor: i64,
    /// Least and greatest value, when known.
    range: Option<(i64, i64)>,
}

impl Pair<'_> {
    /// Whether a promise that iterations are independent speaks about both. What a function allocates is out of it: an array
    /// declared in a body is another one in each iteration to the programmer, and the same memory here.
    fn is_promised(&self) -> bool {
        [self.a, self.b].iter().all(|x| !matches!(self.domains.roots[x.root].kind, RootKind::Alloc(_)))
    }

    /// Whether the two stand in different iterations of an independent loop that was unrolled. Only where the copies of all
    /// loops around it are the same do both mean one activation of it.
    fn in_independent_copies(&self) -> bool {
        let [a, b] = [self.a, self.b].map(|x| self.func.op(x.op).copies.iter().rev());
        let differ = a.zip(b).find(|(x, y)| x != y);
        differ.is_some_and(|(x, y)| x.of == y.of && x.independent) && self.is_promised()
    }

    /// Whether both may touch one word. Values defined outside of `across`, or with `None` outside of everything
    /// that holds only one of them, are the same for both; in `across` the two are in different iterations.
    fn may_meet(&self, same: &[OpId], across: Option<OpId>) -> bool {
        if self.a.root != self.b.root {
            // Roots of one domain may overlap anyhow.
            return true;
        }
        let (a, b) = (&self.a.subscripts, &self.b.subscripts);
        let apart = |x: &[Affine], y: &[Affine]| {
            x.len() == y.len() && x.iter().zip(y).any(|(x, y)| self.never_equal(x, y, same, across))
        };
        let by_dimension = match (&a.dimensions, &b.dimensions) {
            (Some(x), Some(y)) => apart(x, y),
            _ => false,
        };
        let by_word = match (&a.word, &b.word) {
            (Some(x), Some(y)) => self.never_equal(x, y, same, across),
            _ => false,
        };
        !(by_dimension || by_word)
    }

    /// Whether a value is one and the same for both accesses.
    fn is_shared(&self, value: ValueId, same: &[OpId], across: Option<OpId>) -> bool {
        match across {
            Some(at) => self.parents.is_outside(self.func, value, at),
            None => match self.parents.defining_block(self.func, value).and_then(|b| self.parents.op(b)) {
                // Defined in the body of an operation around both, that is: in this very iteration of it.
                Some(around) => same.contains(&around),
                None => true,
            },
        }
    }

    fn never_equal(&self, x: &Affine, y: &Affine, same: &[OpId], across: Option<OpId>) -> bool {
        let Some(constant) = x.constant.checked_sub(y.constant) else { return false };
        let mut terms = Vec::new();
        // How far apart the induction values of the loop are, with its factor.
        let mut distance = None;
        let values: BTreeSet<ValueId> = x.terms.keys().chain(y.terms.keys()).copied().collect();
        for value in values {
            let (cx, cy) =
                (x.terms.get(&value).copied().unwrap_or(0), y.terms.get(&value).copied().unwrap_or(0));
            let Some(net) = cx.checked_sub(cy) else { return false };
            if self.is_shared(value, same, across) {
                if net != 0 {
                    terms.push(Term { factor: net, range: self.range(value) });
                }
                continue;
            }
            let counted = across.and_then(|at| self.counted_by(value, at));
            if let Some((step, span)) = counted {
                // x at i, y at i + delta: cx*i - cy*(i + delta).
                if net != 0 {
                    terms.push(Term { factor: net, range: self.range(value) });
                }
                let Some(factor) = cy.checked_neg() else { return false };
                distance = Some((factor, step, span));
                continue;
            }
            terms.push(Term { factor: cx, range: self.range(value) });
            let Some(factor) = cy.checked_neg() else { return false };
            terms.push(Term { factor, range: self.range(value) });
        }
        terms.retain(|t| t.factor != 0);
        match distance {
            // The same iteration, or different iterations of a loop whose count does not appear.
            None => !may_be_zero(constant, &terms),
            Some((factor, step, span)) => [1, -1].into_iter().all(|sign| {
                // A multiple of the step, at least one step away, at most the loop's span.
                let (Some(near), steps) = (step.checked_mul(sign), span.map(|s| s / step)) else {
                    return false;
                };
                let Some(factor) = factor.checked_mul(near) else { return false };
                if steps == Some(0) {
                    return true;
                }
                let range = (1, steps.unwrap_or(i64::MAX));
                let mut all: Vec<Term> =
                    terms.iter().map(|t| Term { factor: t.factor, range: t.range }).collect();
                all.push(Term { factor, range: Some(range) });
                !may_be_zero(constant, &all)
            }),
        }
    }

    /// For the induction value of `at`: its step's size, and the greatest distance when the bounds are constants.
    fn counted_by(&self, value: ValueId, at: OpId) -> Option<(i64, Option<i64>)> {
        let record = self.func.op(at);
        let Kind::For { counter: Counter { step_op: StepOp::Add | StepOp::Sub, .. }, .. } = record.kind
        else {
            return None;
        };
        let body = self.func.entry(*record.regions.first()?)?;
        if self.func.block(body).arguments.first() != Some(&value) {
            return None;
        }
        let step = edit::constant_int(self.func, record.operands[2])?.checked_abs().filter(|&s| s > 0)?;
        let span = self.range(value).and_then(|(low, high)| high.checked_sub(low));
        Some((step, span))
    }

    /// The values an induction value takes, when its loop has constant bounds; literals in masks and remainders.
    fn range(&self, value: ValueId) -> Option<(i64, i64)> {
        range(self.func, self.parents, value)
    }
}

/// The least and the greatest value of a subscript's part, when known.
fn range(func: &Func, parents: &Parents, value: ValueId) -> Option<(i64, i64)> {
    match func.value(value).def {
        ValueDef::Argument { block, index: 0 } => {
            let op = parents.op(block)?;
            let record = func.op(op);
            let Kind::For { counter: Counter { step_op, numbers }, cond } = record.kind else { return None };
            let literal = |i: usize| edit::constant_int(func, record.operands[i]);
            let (first, bound) = (literal(0)?, literal(1)?);
            // Unsigned numbers are in signed order where they are not large.
            if numbers == Signedness::Unsigned && (first < 0 || bound < 0) {
                return None;
            }
            let last = match cond {
                ContCond::Lt => bound.checked_sub(1)?,
                ContCond::Gt => bound.checked_add(1)?,
                ContCond::Le | ContCond::Ge => bound,
                ContCond::Ne => return None,
            };
            let rises = matches!(cond, ContCond::Lt | ContCond::Le);
            let step = literal(2)?;
            let moves_up = match step_op {
                StepOp::Add => step > 0,
                StepOp::Sub => step < 0,
                _ => return None,
            };
            if moves_up != rises {
                return None;
            }
            // An empty loop has no values: any range will do.
            Some(if rises { (first, last.max(first)) } else { (last.min(first), first) })
        }
        ValueDef::Argument { .. } => None,
        ValueDef::Result { op, .. } => {
            let record = func.op(op);
            let Kind::Scalar(Op::Plain(kind)) = record.kind else { return None };
            let literal = edit::constant_int(func, *record.operands.get(1)?)?;
            match kind {
                OpKind::Andi if literal >= 0 => Some((0, literal)),
                OpKind::Remui if literal > 0 => Some((0, literal - 1)),
                _ => None,
            }
        }
    }
}

/// Whether `constant + sum(factor * x)` can be 0 for some x in their ranges; by greatest common divisor and by
/// the sum's own range (Banerjee's test).
fn may_be_zero(constant: i64, terms: &[Term]) -> bool {
    let gcd = terms.iter().fold(0u64, |g, t| gcd(g, t.factor.unsigned_abs()));
    if gcd == 0 {
        return constant == 0;
    }
    if !constant.unsigned_abs().is_multiple_of(gcd) {
        return false;
    }
    let (mut low, mut high) = (i128::from(constant), i128::from(constant));
    for term in terms {
        let Some((least, most)) = term.range else { return true };
        let ends = [least, most].map(|x| i128::from(x) * i128::from(term.factor));
        low += ends[0].min(ends[1]);
        high += ends[0].max(ends[1]);
    }
    low <= 0 && 0 <= high
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        gcd(b, a % b)
    }
}
