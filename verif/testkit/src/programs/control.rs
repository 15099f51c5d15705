//! Branches and loops. Loops end by construction: bounds are small, whiles carry a counter or fuel.

use super::build::{Gen, I8};
use loom_dfg::{Op, OpKind, Predicate, Type};
use loom_front::ir::{Kind, ValueId};

/// The most runs of a block that generated loops allow.
const MAX_WEIGHT: i64 = 300;

/// How a counting while moves: its counter starts in `start`, and goes on while `predicate(counter, bound)`.
struct Counting {
    start: (ValueId, (i64, i64)),
    bound: (ValueId, (i64, i64)),
    predicate: Predicate,
    update: OpKind,
    amount: i64,
    trips: i64,
    range: (i64, i64),
}

impl Gen<'_> {
    /// One operation with regions.
    pub fn control(&mut self) {
        let loops = self.weight * 3 <= MAX_WEIGHT;
        match self.rng.below(100) {
            0..=29 => self.branch(),
            30..=35 => self.switch(),
            36..=66 if loops => self.counted(),
            67..=83 if loops => self.counting_while(),
            84..=99 if loops => self.general_while(),
            _ => self.branch(),
        }
    }

    fn statements(&mut self, most: usize) {
        for _ in 0..1 + self.rng.below(most) {
            if self.left > 0 {
                self.statement();
            }
        }
    }

    fn types(&mut self, most: usize) -> Vec<Type> {
        (0..self.rng.below(most + 1)).map(|_| self.any_type()).collect()
    }

    /// What a region gives for a value of that type: new, from outside, or one of `arguments`.
    fn outcome(&mut self, ty: Type, from: usize, arguments: &[ValueId], own: usize) -> ValueId {
        let same: Vec<ValueId> =
            arguments.iter().copied().filter(|&a| self.func.ty(a).scalar() == Some(ty)).collect();
        match self.rng.below(100) {
            0..=11 if own < arguments.len() && self.func.ty(arguments[own]).scalar() == Some(ty) => {
                arguments[own]
            }
            12..=24 if !same.is_empty() => *self.rng.pick(&same),
            25..=39 => {
                let outside = self.seen[..from].iter().filter(|s| s.ty == ty).map(|s| s.value);
                let outside: Vec<ValueId> = outside.collect();
                match outside.is_empty() {
                    true => self.pick(ty),
                    false => *self.rng.pick(&outside),
                }
            }
            _ => self.pick_from(ty, from),
        }
    }

    fn branch_region(&mut self, types: &[Type]) -> loom_front::ir::RegionId {
        self.region(1, |gen, _| {
            let from = gen.seen.len();
            if types.is_empty() || gen.rng.chance(80) {
                gen.statements(3);
            }
            let values: Vec<ValueId> = types.iter().map(|&ty| gen.outcome(ty, from, &[], 0)).collect();
            gen.push(Kind::Yield, &values, &[]);
        })
    }

    fn branch(&mut self) {
        let condition = self.pick(Type::I1);
        let types = self.types(2);
        let then = self.branch_region(&types);
        let other = match types.is_empty() && self.rng.chance(60) {
            true => self.func.add_region(),
            false => self.branch_region(&types),
        };
        self.structured(Kind::If, &[condition], &types, vec![then, other]);
    }

    fn switch(&mut self) {
        let (flag, _) = self.small(Type::Index, 3);
        let types = self.types(2);
        let mut cases: Vec<i64> = vec![0, 1, 2, 3, 5];
        self.rng.shuffle(&mut cases);
        cases.truncate(1 + self.rng.below(3));
        let regions = (0..=cases.len()).map(|_| self.branch_region(&types)).collect();
        self.structured(Kind::IndexSwitch { cases }, &[flag], &types, regions);
    }

    fn counter_type(&mut self) -> Type {
        match self.rng.below(10) {
            0..=6 => Type::Index,
            7..=8 => Type::I32,
            _ if self.options.hardware => Type::I32,
            _ => I8,
        }
    }

    /// `scf.for`.
    fn counted(&mut self) {
        let ty = self.counter_type();
        let most = if self.weight > 20 { 3 } else { 7 };
        let (lower, low) = match self.rng.chance(70) {
            true => (self.constant(0, ty), (0, 0)),
            false => self.small(ty, 2),
        };
        let (upper, high) = match self.rng.chance(35) {
            // At least once, unless it is 0.
            true => {
                let n = if self.rng.chance(10) { low.0 } else { low.1 + self.rng.between(1, most) };
                (self.constant(n, ty), (n, n))
            }
            false => self.small(ty, most),
        };
        let (step, least) = match self.rng.below(10) {
            0..=6 => (self.constant(1, ty), 1),
            7..=8 => {
                let n = self.rng.between(2, 3);
                (self.constant(n, ty), n)
            }
            _ => {
                let x = self.pick(ty);
                let (mask, one) = (self.constant(3, ty), self.constant(1, ty));
                let masked = self.scalar(OpKind::Andi, &[x, mask], ty, Some((0, 3)));
                (self.scalar(OpKind::Ori, &[masked, one], ty, Some((1, 3))), 1)
            }
        };
        let trips = ((high.1 - low.0 + least - 1) / least).max(0);
        let types = self.types(3);
        let mut operands = vec![lower, upper, step];
        for &ty in &types {
            operands.push(self.pick(ty));
        }
        let region = self.region(trips, |gen, block| {
            gen.read_only |= gen.rng.chance(20);
            let from = gen.seen.len();
            let range = (high.1 > low.0).then_some((low.0, high.1 - 1));
            let iv = gen.argument(block, ty, range);
            let arguments: Vec<ValueId> = types.iter().map(|&ty| gen.argument(block, ty, None)).collect();
            if ty != Type::Index && gen.rng.chance(60) {
                gen.convert(iv, ty, Type::Index);
            }
            gen.statements(4);
            gen.yield_all(&types, from, &arguments);
        });
        self.structured(Kind::COUNT_UP, &operands, &types, vec![region]);
    }

    fn yield_all(&mut self, types: &[Type], from: usize, arguments: &[ValueId]) {
        let values = types.iter().enumerate().map(|(i, &ty)| self.outcome(ty, from, arguments, i));
        let values: Vec<ValueId> = values.collect();
        self.push(Kind::Yield, &values, &[]);
    }

    fn counting(&mut self, ty: Type) -> Counting {
        use Predicate::*;
        let fixed = |gen: &mut Self, n: i64| (gen.constant(n, ty), (n, n));
        let or_equal = self.rng.chance(40);
        let equal = i64::from(or_equal);
        match self.rng.below(7) {
            // Up.
            0 | 1 => {
                let amount = self.rng.between(1, 3);
                if self.rng.chance(20) {
                    let (from, trips) = (self.rng.between(-2, 2), self.rng.between(0, 4));
                    let start = fixed(self, from);
                    let end = from + trips * amount;
                    let bound = fixed(self, end);
                    let range = (from, (end - amount).max(from));
                    return Counting {
                        start,
                        bound,
                        predicate: Ne,
                        update: OpKind::Addi,
                        amount,
                        trips,
                        range,
                    };
                }
                let (start, bound) = (self.small(ty, 2), self.small(ty, 7));
                let last = bound.1 .1 - 1 + equal;
                let trips = (last - start.1 .0) / amount + 1;
                let predicate = if or_equal { Sle } else { Slt };
                let range = (start.1 .0, last);
                Counting { start, bound, predicate, update: OpKind::Addi, amount, trips, range }
            }
            // Down.
            2 | 3 => {
                let amount = self.rng.between(1, 3);
                let down = self.rng.chance(50);
                let (update, moved) = if down { (OpKind::Subi, amount) } else { (OpKind::Addi, -amount) };
                let start = self.small(ty, 7);
                let end = self.rng.between(-1, 2);
                let bound = fixed(self, end);
                let predicate = if or_equal { Sge } else { Sgt };
                let range = (end + 1 - equal, start.1 .1);
                let trips = (range.1 - range.0) / amount + 1;
                Counting { start, bound, predicate, update, amount: moved, trips, range }
            }
            // Growing; zero would stay where it is.
            4 => {
                let (update, amount) = *self.rng.pick(&[
                    (OpKind::Muli, 2),
                    (OpKind::Muli, 3),
                    (OpKind::Shli, 1),
                    (OpKind::Shli, 2),
                ]);
                let (x, range) = self.small(ty, 3);
                let one = self.constant(1, ty);
                let range = (1, range.1 | 1);
                let start = (self.scalar(OpKind::Ori, &[x, one], ty, Some(range)), range);
                let bound = match self.rng.chance(50) {
                    true => self.small(ty, 15),
                    false => {
                        let n = self.rng.between(2, 20);
                        fixed(self, n)
                    }
                };
                let predicate = if or_equal { Sle } else { Slt };
                let range = (1, bound.1 .1);
                Counting { start, bound, predicate, update, amount, trips: 5, range }
            }
            // Shrinking to 0.
            _ => {
                let (update, amount) = *self.rng.pick(&[
                    (OpKind::Divsi, 2),
                    (OpKind::Divsi, 3),
                    (OpKind::Shrsi, 1),
                    (OpKind::Shrsi, 2),
                ]);
                let start = match self.rng.chance(60) {
                    true => self.small(ty, 15),
                    false => {
                        let n = self.rng.between(3, 60);
                        fixed(self, n)
                    }
                };
                let (end, predicate) = *self.rng.pick(&[(0, Sgt), (0, Ne), (1, Sge), (1, Sgt)]);
                let bound = fixed(self, end);
                let range = (1, start.1 .1);
                Counting { start, bound, predicate, update, amount, trips: 6, range }
            }
        }
    }

    /// A while in the shape that can be raised to a counting loop, or nearly so.
    fn counting_while(&mut self) {
        let ty = self.counter_type();
        let c = self.counting(ty);
        let mut types = self.types(2);
        let at = self.rng.below(types.len() + 1);
        let mut inits: Vec<ValueId> = types.iter().map(|&ty| self.pick(ty)).collect();
        types.insert(at, ty);
        inits.insert(at, c.start.0);
        let outer_amount = self.rng.chance(60).then(|| self.constant(c.amount, ty));
        // Which carried values the condition passes; the counter always.
        let mut passed: Vec<usize> = (0..types.len()).collect();
        if self.rng.chance(30) {
            self.rng.shuffle(&mut passed);
        }
        if self.rng.chance(25) {
            let keep = self.rng.below(types.len());
            passed.retain(|&p| p == at || p == keep);
        }
        let passed_types: Vec<Type> = passed.iter().map(|&p| types[p]).collect();
        let extra = self.rng.chance(15);
        let trips = c.trips.clamp(0, 8);
        let before = self.region(trips + 1, |gen, block| {
            let arguments: Vec<ValueId> = types.iter().map(|&ty| gen.argument(block, ty, None)).collect();
            if extra {
                gen.statements(2);
            }
            let (operands, predicate) = match gen.rng.chance(25) {
                true => ([c.bound.0, arguments[at]], swapped(c.predicate)),
                false => ([arguments[at], c.bound.0], c.predicate),
            };
            let goes_on = gen.emit(Kind::Scalar(Op::Cmpi(predicate)), &operands, Type::I1, None);
            let mut values = vec![goes_on];
            values.extend(passed.iter().map(|&p| arguments[p]));
            gen.push(Kind::Condition, &values, &[]);
        });
        let after = self.region(trips, |gen, block| {
            let from = gen.seen.len();
            let known = (c.range.0 <= c.range.1).then_some(c.range);
            let mut arguments = Vec::new();
            let mut counter = c.start.0;
            for (&p, &ty) in passed.iter().zip(&passed_types) {
                arguments.push(gen.argument(block, ty, known.filter(|_| p == at)));
                if p == at {
                    counter = arguments[arguments.len() - 1];
                }
            }
            if ty != Type::Index && gen.rng.chance(50) {
                gen.convert(counter, ty, Type::Index);
            }
            gen.statements(3);
            let amount = match outer_amount {
                Some(amount) => amount,
                None => gen.constant(c.amount, ty),
            };
            let turned = matches!(c.update, OpKind::Addi | OpKind::Muli) && gen.rng.chance(25);
            let operands = if turned { [amount, counter] } else { [counter, amount] };
            let next = gen.scalar(c.update, &operands, ty, None);
            if matches!(c.update, OpKind::Addi | OpKind::Subi | OpKind::Muli | OpKind::Shli)
                && gen.rng.chance(60)
            {
                if let loom_front::ir::ValueDef::Result { op, .. } = gen.func.value(next).def {
                    gen.func.op_mut(op).nsw = true;
                }
            }
            let mut values = Vec::new();
            for (i, &ty) in types.iter().enumerate() {
                let own = passed.iter().position(|&p| p == i).unwrap_or(usize::MAX);
                values.push(if i == at { next } else { gen.outcome(ty, from, &arguments, own) });
            }
            gen.push(Kind::Yield, &values, &[]);
        });
        self.structured(Kind::While, &inits, &passed_types, vec![before, after]);
    }

    /// A while with any condition, effects in its before-region and other values passed than carried; it ends when
    /// its fuel does.
    fn general_while(&mut self) {
        let ty = self.counter_type();
        let most = if self.weight > 20 { 3 } else { 6 };
        let (fuel, range) = self.small(ty, most);
        let mut types = self.types(2);
        let at = self.rng.below(types.len() + 1);
        let mut inits: Vec<ValueId> = types.iter().map(|&ty| self.pick(ty)).collect();
        types.insert(at, ty);
        inits.insert(at, fuel);
        let mut passed_types = self.types(3);
        let passed_at = self.rng.below(passed_types.len() + 1);
        passed_types.insert(passed_at, ty);
        let burned_before = self.rng.chance(40);
        let before = self.region(range.1 + 1, |gen, block| {
            let from = gen.seen.len();
            let known = |i: usize| (i == at).then_some((0, range.1));
            let arguments = types.iter().enumerate().map(|(i, &ty)| gen.argument(block, ty, known(i)));
            let arguments: Vec<ValueId> = arguments.collect();
            if gen.rng.chance(70) {
                gen.statements(3);
            }
            let zero = gen.constant(0, ty);
            let operands = [arguments[at], zero];
            let mut goes_on = gen.emit(Kind::Scalar(Op::Cmpi(Predicate::Sgt)), &operands, Type::I1, None);
            if gen.rng.chance(60) {
                let other = gen.pick_from(Type::I1, from);
                goes_on = gen.scalar(OpKind::Andi, &[goes_on, other], Type::I1, None);
            }
            let left = if burned_before { gen.burn(arguments[at], ty) } else { arguments[at] };
            let mut values = vec![goes_on];
            for (i, &ty) in passed_types.iter().enumerate() {
                values.push(if i == passed_at {
                    left
                } else {
                    gen.outcome(ty, from, &arguments, usize::MAX)
                });
            }
            gen.push(Kind::Condition, &values, &[]);
        });
        let after = self.region(range.1, |gen, block| {
            let from = gen.seen.len();
            let known = |i: usize| (i == passed_at).then_some((0, range.1));
            let arguments = passed_types.iter().enumerate().map(|(i, &ty)| gen.argument(block, ty, known(i)));
            let arguments: Vec<ValueId> = arguments.collect();
            if gen.rng.chance(75) {
                gen.statements(3);
            }
            let left = match burned_before {
                true => arguments[passed_at],
                false => gen.burn(arguments[passed_at], ty),
            };
            let mut values = Vec::new();
            for (i, &ty) in types.iter().enumerate() {
                values.push(if i == at { left } else { gen.outcome(ty, from, &arguments, usize::MAX) });
            }
            gen.push(Kind::Yield, &values, &[]);
        });
        self.structured(Kind::While, &inits, &passed_types, vec![before, after]);
    }

    /// One less.
    fn burn(&mut self, fuel: ValueId, ty: Type) -> ValueId {
        let one = self.constant(1, ty);
        self.scalar(OpKind::Subi, &[fuel, one], ty, None)
    }
}

/// The same question with its operands the other way round.
fn swapped(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Slt => Predicate::Sgt,
        Predicate::Sle => Predicate::Sge,
        Predicate::Sgt => Predicate::Slt,
        Predicate::Sge => Predicate::Sle,
        other => other,
    }
}
