//! Which 64-bit numbers only count, and so are as well in `index`.
//!
//! C++ counts in `size_t`, and many a C program in `long`. A *counter* is a block argument that every way round its loop moves by a constant, and
//! that a comparison on each of these ways keeps below (or above) a number whose range is known. Ranges begin at literals, at
//! narrower types, and at 64-bit arguments that bound a counter: these become `index` themselves, and whoever calls the function
//! looks that they are small ([`MOST`]). All that is called small here is a signed number of 32 bits in every run, so
//! what `index` says of its order, and what a cast makes of it, is exact.

use crate::address::{element_difference, pointer_difference};
use crate::dominance::Dominators;
use crate::program::{Def, Function, Id, Inst};
use crate::types::Ty;
use loom_dfg::Predicate;
use loom_front::predicate;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The greatest number that an argument in `index` may be, and its negative the least: sums of two are still small.
pub const MOST: i64 = 1 << 30;

/// What counts in index.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Arguments of blocks that count in index.
    pub counters: BTreeSet<Id>,
    /// Arguments of the function that bound them, and whether each may be negative.
    pub arguments: BTreeMap<usize, bool>,
    /// Comparisons that are made in index.
    pub compares: BTreeSet<Id>,
}

/// Finds them. Each counter looks at the comparisons with it or with what it becomes, which are few.
pub(crate) fn find(function: &Function) -> Counters {
    let ranges = Ranges::new(function);
    let mut out = Counters::default();
    for &block in function.order.iter().skip(1) {
        for &id in function.blocks[block].arguments.iter().filter(|&&id| *function.ty(id) == Ty::Int(64)) {
            if let Some(range) = ranges.counted(id).filter(Range::is_small) {
                out.counters.insert(id);
                let own = &function.blocks[0].arguments;
                out.arguments.extend(range.from.iter().map(|&a| (a, ranges.signed.contains(&own[a]))));
            }
        }
    }
    for inst in function.reached().map(|i| &function.insts[i]).filter(|i| i.name() == "icmp") {
        let counts = |id: &Id| out.counts(function, *id);
        let is_small = |&id: &Id| {
            let range = ranges.of(id).filter(Range::is_small);
            range.is_some_and(|r| r.from.iter().all(|a| out.arguments.contains_key(a)))
        };
        let wide = inst.operands.iter().all(|&o| *function.ty(o) == Ty::Int(64));
        if wide && inst.operands.iter().any(counts) && inst.operands.iter().all(is_small) {
            out.compares.extend(inst.result);
        }
    }
    out
}

impl Counters {
    /// Whether a value is a counter, or a constant more, or an argument that bounds one.
    fn counts(&self, function: &Function, id: Id) -> bool {
        match function.values[id.0].def {
            Def::Argument { block: 0, index } => self.arguments.contains_key(&index),
            Def::Argument { .. } => self.counters.contains(&id),
            Def::Op(inst) => {
                let inst = &function.insts[inst];
                matches!(inst.name(), "add" | "sub")
                    && inst.operands.iter().any(|o| self.counters.contains(o))
            }
        }
    }
}

/// Least and greatest value, and the arguments this relies on to be small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    least: i64,
    most: i64,
    from: BTreeSet<usize>,
}

impl Range {
    pub fn new(least: i64, most: i64) -> Range {
        Range { least, most, from: BTreeSet::new() }
    }

    pub fn least(&self) -> i64 {
        self.least
    }

    pub fn most(&self) -> i64 {
        self.most
    }

    /// The arguments that are taken to be small for it.
    pub fn relies_on(&self) -> &BTreeSet<usize> {
        &self.from
    }

    /// The range of a sum.
    pub fn sum(&self, other: &Range) -> Option<Range> {
        self.corners(other, i64::checked_add)
    }

    /// The range of a multiple.
    pub fn times(&self, factor: i64) -> Option<Range> {
        self.corners(&Range::new(factor, factor), i64::checked_mul)
    }

    pub fn is_small(&self) -> bool {
        i32::try_from(self.least).is_ok() && i32::try_from(self.most).is_ok()
    }

    pub fn hull(&self, other: &Range) -> Range {
        self.with(other, self.least.min(other.least), self.most.max(other.most))
    }

    /// A range that relies on what both rely on.
    fn with(&self, other: &Range, least: i64, most: i64) -> Range {
        Range { least, most, from: self.from.union(&other.from).copied().collect() }
    }

    /// The range of what a function that rises or falls in each operand makes of both.
    fn corners(&self, other: &Range, f: impl Fn(i64, i64) -> Option<i64>) -> Option<Range> {
        let mut ends = Vec::new();
        for a in [self.least, self.most] {
            for b in [other.least, other.most] {
                ends.push(f(a, b)?);
            }
        }
        Some(self.with(other, *ends.iter().min()?, *ends.iter().max()?))
    }
}

/// A conditional jump on a comparison.
struct Guard {
    jump: usize,
    left: Id,
    right: Id,
    predicate: Predicate,
}

fn guards(function: &Function) -> Vec<Guard> {
    let guard = |jump: usize| {
        let inst = &function.insts[jump];
        let test = function.made_by(*inst.operands.first()?, "icmp").filter(|_| inst.name() == "cond_br")?;
        let &[left, right] = &test.operands[..] else { return None };
        let predicate = Predicate::from_code(test.op.integer("predicate")? as u64)?;
        (*function.ty(left) == Ty::Int(64)).then_some(Guard { jump, left, right, predicate })
    };
    function.reached().filter_map(guard).collect()
}

/// Values that an operation takes for signed numbers, and what these are made of: they may be negative. Others of C's are sizes.
fn signed(function: &Function) -> BTreeSet<Id> {
    let is_signed = |inst: &Inst| match inst.name() {
        "icmp" => inst.op.integer("predicate").is_some_and(|code| {
            let asked = Predicate::from_code(code as u64);
            asked.is_some_and(|p| !matches!(p, Predicate::Eq | Predicate::Ne) && !predicate::is_unsigned(p))
        }),
        name => matches!(name, "sdiv" | "srem" | "ashr" | "sitofp" | "intr.smin" | "intr.smax" | "intr.abs"),
    };
    let insts = function.reached().map(|i| &function.insts[i]).filter(|i| is_signed(i));
    let mut work: Vec<Id> = insts.flat_map(|inst| inst.operands.iter().copied()).collect();
    let mut out = BTreeSet::new();
    while let Some(id) = work.pop() {
        if *function.ty(id) != Ty::Int(64) || !out.insert(id) {
            continue;
        }
        match function.values[id.0].def {
            Def::Argument { .. } => work.extend(given(function, id).map(|(_, from)| from)),
            // The difference of two pointers is divided by what they point at.
            Def::Op(inst) if element_difference(function, &function.insts[inst]).is_none() => {
                work.extend(&function.insts[inst].operands);
            }
            Def::Op(_) => {}
        }
    }
    out
}

/// What the jumps to a block give for one of its arguments.
fn given(function: &Function, id: Id) -> impl Iterator<Item = (usize, Id)> + '_ {
    let at = match function.values[id.0].def {
        Def::Argument { block, index } => Some((block, index)),
        Def::Op(_) => None,
    };
    at.into_iter().flat_map(move |(block, index)| {
        function.blocks[block].jumps.iter().flat_map(move |&jump| {
            let to = function.insts[jump].successors.iter().filter(move |s| s.0 == block);
            to.map(move |(_, given)| (jump, given[index]))
        })
    })
}

/// Ranges of the function's values.
pub(crate) struct Ranges<'a> {
    function: &'a Function,
    dominators: Dominators,
    guards: Vec<Guard>,
    signed: BTreeSet<Id>,
    /// `None` while a value is looked at: one that is made of itself has no range but as a counter.
    known: RefCell<BTreeMap<Id, Option<Range>>>,
}

impl<'a> Ranges<'a> {
    pub fn new(function: &'a Function) -> Ranges<'a> {
        Ranges {
            function,
            dominators: Dominators::new(function),
            guards: guards(function),
            signed: signed(function),
            known: RefCell::default(),
        }
    }

    /// The range of a number, where one is known.
    pub fn of(&self, id: Id) -> Option<Range> {
        if let Some(known) = self.known.borrow().get(&id) {
            return known.clone();
        }
        self.known.borrow_mut().insert(id, None);
        let range = self.find(id);
        self.known.borrow_mut().insert(id, range.clone());
        range
    }

    fn find(&self, id: Id) -> Option<Range> {
        let function = self.function;
        let of_type = |ty: &Ty| match ty {
            Ty::Int(width @ 1..=63) => Some(Range::new(-1 << (width - 1), (1 << (width - 1)) - 1)),
            _ => None,
        };
        match function.values[id.0].def {
            Def::Argument { block: 0, index } if *function.ty(id) == Ty::Int(64) => {
                let least = self.least_of(id);
                Some(Range { least, most: MOST, from: [index].into() })
            }
            Def::Argument { block, .. } if block != 0 && *function.ty(id) == Ty::Int(64) => {
                self.counted(id).or_else(|| {
                    let ranges: Option<Vec<Range>> =
                        given(function, id).map(|(_, from)| self.of(from)).collect();
                    ranges?.into_iter().reduce(|a, b| a.hull(&b))
                })
            }
            Def::Argument { .. } => of_type(function.ty(id)),
            Def::Op(inst) => {
                let inst = &function.insts[inst];
                match function.constant(id) {
                    Some(constant) => Some(Range::new(constant, constant)),
                    None => {
                        let all = of_type(function.ty(id));
                        // What does not fit its type wraps.
                        let fits =
                            |r: &Range| all.as_ref().is_none_or(|a| a.least <= r.least && r.most <= a.most);
                        self.result(inst).filter(fits).or(all)
                    }
                }
            }
        }
    }

    /// The least value of a number from outside.
    fn least_of(&self, id: Id) -> i64 {
        if self.signed.contains(&id) {
            -MOST
        } else {
            0
        }
    }

    fn result(&self, inst: &Inst) -> Option<Range> {
        let function = self.function;
        if pointer_difference(function, inst).is_some() {
            return None;
        }
        if element_difference(function, inst).is_some() {
            // Of pointers into one array, which whoever calls looks at.
            return inst.result.map(|result| Range::new(self.least_of(result), MOST));
        }
        let operand = |i: usize| inst.operands.get(i).and_then(|&o| self.of(o));
        let literal = |i: usize| inst.operands.get(i).and_then(|&o| function.constant(o));
        let not_negative = |i: usize| operand(i).filter(|r| r.least >= 0);
        match inst.name() {
            "sext" | "freeze" => operand(0),
            "zext" => not_negative(0).or_else(|| match function.ty(inst.operands[0]) {
                Ty::Int(width @ 1..=62) => Some(Range::new(0, (1 << width) - 1)),
                _ => None,
            }),
            "add" => operand(0)?.sum(&operand(1)?),
            "sub" => operand(0)?.corners(&operand(1)?, i64::checked_sub),
            "mul" => operand(0)?.corners(&operand(1)?, i64::checked_mul),
            "shl" => {
                let factor = literal(1).filter(|c| (0..32).contains(c)).map(|c| 1i64 << c)?;
                operand(0)?.corners(&Range::new(factor, factor), i64::checked_mul)
            }
            "lshr" | "ashr" => {
                let places = literal(1).filter(|c| (0..64).contains(c))?;
                let value = if inst.name() == "lshr" { not_negative(0) } else { operand(0) };
                value?.corners(&Range::new(places, places), |a, b| Some(a >> b))
            }
            "udiv" | "sdiv" => {
                let by = literal(1).filter(|&c| c > 0)?;
                let value = if inst.name() == "udiv" { not_negative(0) } else { operand(0) };
                value?.corners(&Range::new(by, by), i64::checked_div)
            }
            "and" => literal(1).filter(|&c| c >= 0).map(|c| Range::new(0, c)),
            "urem" => literal(1).filter(|&c| c > 0).map(|c| Range::new(0, c - 1)),
            "select" => Some(operand(1)?.hull(&operand(2)?)),
            "intr.smin" => operand(0)?.corners(&operand(1)?, |a, b| Some(a.min(b))),
            "intr.smax" => operand(0)?.corners(&operand(1)?, |a, b| Some(a.max(b))),
            "intr.umin" => not_negative(0)?.corners(&not_negative(1)?, |a, b| Some(a.min(b))),
            "intr.umax" => not_negative(0)?.corners(&not_negative(1)?, |a, b| Some(a.max(b))),
            _ => None,
        }
    }

    /// The range of a counter.
    fn counted(&self, id: Id) -> Option<Range> {
        let function = self.function;
        let (mut inits, mut steps) = (Vec::new(), Vec::new());
        for (jump, given) in given(function, id) {
            match self.moved(given, id) {
                Some(by) => steps.push((jump, given, by)),
                None => inits.push(given),
            }
        }
        let init = inits.iter().map(|&i| self.of(i)).collect::<Option<Vec<Range>>>()?;
        let mut range = init.into_iter().reduce(|a, b| a.hull(&b))?;
        let first = range.clone();
        let up = steps.first()?.2 > 0;
        for (jump, next, by) in steps {
            if (by > 0) != up {
                return None;
            }
            range = range.hull(&self.next(id, &first, jump, next, by)?);
        }
        Some(range)
    }

    /// What is added to a counter.
    fn moved(&self, next: Id, counter: Id) -> Option<i64> {
        let inst = self.function.inst(next)?;
        let &[a, b] = &inst.operands[..] else { return None };
        let by = self.function.constant(b).filter(|_| a == counter)?;
        match inst.name() {
            "add" => Some(by),
            "sub" => by.checked_neg(),
            _ => None,
        }
        .filter(|&by| by != 0)
    }

    /// The values that one way round a loop gives to its counter, which began in `first`.
    fn next(&self, id: Id, first: &Range, jump: usize, next: Id, by: i64) -> Option<Range> {
        let block = match self.function.values[id.0].def {
            Def::Argument { block, .. } => block,
            Def::Op(_) => return None,
        };
        self.guards.iter().find_map(|guard| {
            let holds = self.holds(guard, jump, block)?;
            let (seen, bound, holds) = match (guard.left, guard.right) {
                (x, bound) if x == id || x == next => (x, bound, holds),
                (bound, x) if x == id || x == next => (x, bound, predicate::swapped(holds)),
                _ => return None,
            };
            // A bound that moves may be passed without being met.
            let begin = *self.function.blocks[block].insts.first()?;
            let stays = self.dominators.defines_before(self.function, bound, begin)
                && !self.function.blocks[block].arguments.contains(&bound);
            if holds == Predicate::Ne && !stays {
                return None;
            }
            let bound = self.of(bound)?;
            // From what is compared to what comes round.
            let (before, more) = if seen == id { (0, by) } else { (by, 0) };
            let begin = (first.least.checked_add(before)?, first.most.checked_add(before)?);
            let next = match by > 0 {
                true => {
                    first.with(&bound, first.least, below(holds, &bound, begin.1, by)?.checked_add(more)?)
                }
                false => {
                    first.with(&bound, above(holds, &bound, begin.0, by)?.checked_add(more)?, first.most)
                }
            };
            Some(next).filter(|r| r.least <= r.most && r.is_small())
        })
    }

    /// What a guard's comparison is known to say whenever a jump to the block is taken.
    fn holds(&self, guard: &Guard, jump: usize, block: usize) -> Option<Predicate> {
        let [(yes, _), (no, _)] = &self.function.insts[guard.jump].successors[..] else { return None };
        if yes == no {
            return None;
        }
        let leads = |&side: &usize| {
            if jump == guard.jump {
                return side == block;
            }
            self.function.blocks[side].jumps == [guard.jump] && self.dominators.leads_to(side, jump)
        };
        match (leads(yes), leads(no)) {
            (true, false) => Some(guard.predicate),
            (false, true) => Some(predicate::opposite(guard.predicate)),
            _ => None,
        }
    }
}

/// The greatest number that a rising one is where it compares so with a bound.
fn below(predicate: Predicate, bound: &Range, begin: i64, by: i64) -> Option<i64> {
    match predicate {
        Predicate::Slt => bound.most.checked_sub(1),
        Predicate::Sle => Some(bound.most),
        // An unsigned number below one that is not negative is not negative.
        Predicate::Ult if bound.least >= 0 => bound.most.checked_sub(1),
        Predicate::Ule if bound.least >= 0 => Some(bound.most),
        // In steps of one from below, a number meets the bound.
        Predicate::Ne if by == 1 && begin <= bound.least => bound.most.checked_sub(1),
        _ => None,
    }
    // Where it is beyond the bound from the start, it goes round with that.
    .map(|most| most.max(begin))
}

/// The least number that a falling one is where it compares so with a bound.
fn above(predicate: Predicate, bound: &Range, begin: i64, by: i64) -> Option<i64> {
    let least = match predicate {
        Predicate::Sgt => bound.least.checked_add(1),
        Predicate::Sge => Some(bound.least),
        // It is not negative as long as no step leads below 0.
        Predicate::Ugt if begin >= 0 && bound.least.checked_add(1)?.checked_add(by)? >= 0 => {
            bound.least.checked_add(1)
        }
        Predicate::Uge if begin >= 0 && bound.least.checked_add(by)? >= 0 => Some(bound.least),
        Predicate::Ne if by == -1 && begin >= bound.most => bound.least.checked_add(1),
        _ => None,
    };
    least.map(|least| least.min(begin))
}
