//! Random programs of jumps: what a C compiler makes of nested statements, and jumps from anywhere to anywhere.
//!
//! All blocks compute with a few numbers and one small memory. A block takes the numbers as arguments, or, when only
//! one jump leads to it, uses what that one's block has. They end: loops of statements count, and wild jumps
//! backwards use up fuel.

use super::{assemble, Call, RandomArgument, RandomProgram};
use loom_base::Rng;
use loom_dfg::{Op, OpKind, Predicate, Type};
use loom_front::ir::{
    BlockId, Func, Kind, MemrefLayout, MemrefType, RegionId, Successor, ValueDef, ValueId, ValueType,
};
use std::collections::BTreeSet;

const I32: ValueType = ValueType::Scalar(Type::I32);
/// Numbers that a program computes with.
const NUMBERS: usize = 3;
/// Words of its memory.
const WORDS: i64 = 8;

/// A program of jumps; `wild` ones need not be reducible.
pub fn random_jumps(rng: &mut Rng, wild: bool) -> RandomProgram {
    let memory = MemrefType { shape: vec![Some(WORDS)], element: Type::I32, layout: MemrefLayout::Identity };
    let arguments = [("a", I32), ("b", I32), ("c", I32), ("m", ValueType::Memref(memory))];
    let func = Func::new("f", &arguments, &[I32, I32]);
    let region = func.body.expect("a new function has a body");
    let block = func.entry(region).expect("a new function has a block");
    let numbers = func.arguments()[..NUMBERS].to_vec();
    let memory = func.arguments()[NUMBERS];
    let (loops, reached) = (Vec::new(), BTreeSet::new());
    let mut draw =
        Draw { rng, func, region, block: Some(block), numbers, memory, loops, reached, left: 0, depth: 0 };
    if wild {
        draw.wild();
    } else {
        draw.left = draw.rng.between(3, 24);
        while draw.left > 0 && draw.block.is_some() {
            draw.statement();
        }
        draw.leave();
    }
    let Draw { rng, func, .. } = draw;
    let words = (0..WORDS).map(|_| rng.below(20) as u64).collect();
    let calls = (0..2)
        .map(|_| {
            let scalars = (0..NUMBERS).map(|_| RandomArgument::Scalar(rng.below(9) as u64));
            Call { arguments: scalars.chain([RandomArgument::Buffer(0)]).collect() }
        })
        .collect();
    assemble(func, Vec::new(), vec![words], calls)
}

/// Where `break` and `continue` go, and how many numbers each takes.
struct Around {
    next: (BlockId, usize),
    end: (BlockId, usize),
}

struct Draw<'r> {
    rng: &'r mut Rng,
    func: Func,
    region: RegionId,
    /// Where operations go; `None` behind a jump.
    block: Option<BlockId>,
    /// What the numbers are here; counters of loops follow them.
    numbers: Vec<ValueId>,
    memory: ValueId,
    loops: Vec<Around>,
    /// Blocks that something jumps to.
    reached: BTreeSet<BlockId>,
    left: i64,
    depth: usize,
}

impl Draw<'_> {
    fn op(&mut self, kind: Kind, operands: &[ValueId], types: &[ValueType]) -> Option<ValueId> {
        let block = self.block?;
        let op = self.func.push_op(block, kind, operands, types);
        self.func.op(op).results.first().copied()
    }

    fn number(&mut self, kind: Kind, operands: &[ValueId]) -> ValueId {
        self.op(kind, operands, &[I32]).unwrap_or(self.memory)
    }

    fn literal(&mut self, n: i64) -> ValueId {
        self.number(Kind::Constant(n as u32 as u64), &[])
    }

    fn plain(&mut self, op: OpKind, a: ValueId, b: ValueId) -> ValueId {
        self.number(Kind::Scalar(Op::Plain(op)), &[a, b])
    }

    fn any(&mut self) -> ValueId {
        *self.rng.pick(&self.numbers)
    }

    fn test(&mut self, predicate: Predicate, a: ValueId, b: ValueId) -> ValueId {
        let bit = ValueType::Scalar(Type::I1);
        self.op(Kind::Scalar(Op::Cmpi(predicate)), &[a, b], &[bit]).unwrap_or(self.memory)
    }

    fn any_test(&mut self) -> ValueId {
        let (a, n) = (self.any(), self.rng.between(-2, 9));
        let b = if self.rng.chance(50) { self.literal(n) } else { self.any() };
        let predicate = *self.rng.pick(&Predicate::ALL);
        self.test(predicate, a, b)
    }

    fn subscript(&mut self) -> ValueId {
        let (n, mask) = (self.any(), self.literal(WORDS - 1));
        let low = self.plain(OpKind::Andi, n, mask);
        let cast = Kind::Scalar(Op::Plain(OpKind::IndexCast));
        self.op(cast, &[low], &[ValueType::Scalar(Type::Index)]).unwrap_or(self.memory)
    }

    /// One number changes, or a word does.
    fn compute(&mut self) {
        let slot = self.rng.below(NUMBERS);
        match self.rng.below(10) {
            0 | 1 => {
                let at = self.subscript();
                self.numbers[slot] = self.number(Kind::Load, &[self.memory, at]);
            }
            2 | 3 => {
                let (value, at) = (self.any(), self.subscript());
                self.op(Kind::Store, &[value, self.memory, at], &[]);
            }
            4 => {
                let n = self.rng.between(-9, 99);
                self.numbers[slot] = self.literal(n);
            }
            5 if self.rng.chance(50) => self.numbers.swap(slot, 0),
            5 => self.numbers[slot] = self.any(),
            _ => {
                let all =
                    [OpKind::Addi, OpKind::Addi, OpKind::Subi, OpKind::Xori, OpKind::Muli, OpKind::Divsi];
                let op = *self.rng.pick(&all);
                let (a, b) = (self.any(), self.any());
                self.numbers[slot] = self.plain(op, a, b);
            }
        }
    }

    fn new_block(&mut self) -> BlockId {
        self.func.add_block(self.region)
    }

    /// A block that takes numbers, so many of them.
    fn meeting(&mut self, count: usize) -> (BlockId, usize) {
        let block = self.new_block();
        for i in 0..count {
            self.func.add_argument(block, format!("n{i}_"), I32);
        }
        (block, count)
    }

    fn jump_to(&self, to: (BlockId, usize)) -> Successor {
        Successor { block: to.0, arguments: self.numbers[..to.1].to_vec() }
    }

    fn end(&mut self, kind: Kind, operands: &[ValueId], to: Vec<Successor>) {
        if let Some(block) = self.block.take() {
            self.reached.extend(to.iter().map(|s| s.block));
            let op = self.func.push_op(block, kind, operands, &[]);
            self.func.op_mut(op).successors = to;
        }
    }

    fn jump(&mut self, to: (BlockId, usize)) {
        let to = self.jump_to(to);
        self.end(Kind::Br, &[], vec![to]);
    }

    fn branch(&mut self, test: ValueId, yes: (BlockId, usize), no: (BlockId, usize)) {
        let to = vec![self.jump_to(yes), self.jump_to(no)];
        self.end(Kind::CondBr, &[test], to);
    }

    /// Goes on in a block that takes numbers; one that nobody jumps to goes.
    fn resume(&mut self, at: (BlockId, usize)) {
        if self.reached.contains(&at.0) {
            self.block = Some(at.0);
            self.numbers = self.func.block(at.0).arguments.clone();
        } else {
            self.func.regions[self.region.0 as usize].blocks.retain(|&b| b != at.0);
            self.block = None;
            self.numbers.truncate(at.1);
        }
    }

    fn leave(&mut self) {
        let results = [self.any(), self.numbers[0]];
        self.end(Kind::Return, &results, Vec::new());
    }

    fn statements(&mut self) {
        self.depth += 1;
        for _ in 0..self.rng.between(1, 3) {
            if self.block.is_some() {
                self.statement();
            }
        }
        self.depth -= 1;
    }

    fn statement(&mut self) {
        self.left -= 1;
        let deep = self.depth >= 4 || self.left <= 0;
        match self.rng.below(20) {
            _ if deep => self.compute(),
            0..=3 => self.decide(),
            4 => self.short_circuit(),
            5..=7 => self.count(),
            8 => self.choose(),
            9..=11 if self.depth > 0 => self.go_away(),
            _ => self.compute(),
        }
    }

    /// `if` with `else` or without.
    fn decide(&mut self) {
        let test = self.any_test();
        let after = self.meeting(self.numbers.len());
        let yes = (self.new_block(), 0);
        let no = if self.rng.chance(60) { (self.new_block(), 0) } else { after };
        let before = self.numbers.clone();
        self.branch(test, yes, no);
        for side in [Some(yes), (no != after).then_some(no)].into_iter().flatten() {
            (self.block, self.numbers) = (Some(side.0), before.clone());
            self.statements();
            self.jump(after);
        }
        self.resume(after);
    }

    /// `if (a && b)`, or `||`, with a load in the second test.
    fn short_circuit(&mut self) {
        let first = self.any_test();
        let (second, yes) = ((self.new_block(), 0), (self.new_block(), 0));
        let no = self.meeting(self.numbers.len());
        let after = self.meeting(self.numbers.len());
        let is_or = self.rng.chance(30);
        let (a, b) = if is_or { (no, second) } else { (second, no) };
        self.branch(first, a, b);
        self.block = Some(second.0);
        let before = self.numbers.clone();
        self.compute();
        let other = self.any_test();
        let (a, b) = if is_or { (no, yes) } else { (yes, no) };
        self.branch(other, a, b);
        (self.block, self.numbers) = (Some(yes.0), before);
        self.statements();
        self.jump(after);
        self.resume(no);
        self.statements();
        self.jump(after);
        self.resume(after);
    }

    /// A loop that counts to a small bound, tested at its start or at its end.
    fn count(&mut self) {
        let (from, bound) = (self.rng.between(-1, 2), self.rng.between(0, 4));
        // Some alternate besides.
        let alternates = self.rng.chance(70);
        if alternates {
            (self.numbers[0], self.numbers[1]) = (self.literal(0), self.literal(1));
        }
        let counter = self.literal(from);
        self.numbers.push(counter);
        let all = self.numbers.len();
        let (head, next) = (self.meeting(all), self.meeting(all));
        // Behind the loop some use what its header had, others get it.
        let end = self.meeting(all - 1);
        self.jump(head);
        self.resume(head);
        let at_start = self.rng.chance(70);
        let predicate = *self.rng.pick(&[Predicate::Slt, Predicate::Slt, Predicate::Ult, Predicate::Sle]);
        let step = |d: &mut Self| {
            let one = d.literal(1);
            let counter = d.plain(OpKind::Addi, d.numbers[all - 1], one);
            if let ValueDef::Result { op, .. } = d.func.value(counter).def {
                d.func.op_mut(op).nsw = d.rng.chance(50);
            }
            d.numbers[all - 1] = counter;
        };
        if at_start {
            if self.rng.chance(40) {
                self.compute();
            }
            let to = self.literal(bound);
            let test = self.test(predicate, self.numbers[all - 1], to);
            let body = (self.new_block(), 0);
            self.branch(test, body, end);
            self.block = Some(body.0);
        }
        self.loops.push(Around { next, end });
        let now = self.numbers.clone();
        if alternates && self.rng.chance(50) {
            let by = self.rng.between(1, 3);
            let (plus, by) = (self.literal(by), self.literal(1 + by % 3));
            let count =
                if self.rng.chance(50) { self.plain(OpKind::Addi, now[all - 1], plus) } else { now[all - 1] };
            let op = *self.rng.pick(&[OpKind::Andi, OpKind::Remsi, OpKind::Remui]);
            self.numbers[2] = self.plain(op, count, by);
        }
        self.statements();
        self.loops.pop();
        if alternates && self.block.is_some() {
            (self.numbers[0], self.numbers[1]) = (now[1], now[0]);
            if self.rng.chance(30) {
                let one = self.literal(1);
                self.numbers[0] = self.plain(OpKind::Xori, now[0], one);
            }
        }
        self.jump(next);
        self.resume(next);
        step(self);
        if at_start {
            self.jump(head);
        } else {
            let to = self.literal(bound);
            let test = self.test(Predicate::Slt, self.numbers[all - 1], to);
            self.branch(test, head, end);
        }
        self.resume(end);
    }

    /// `switch`; some cases fall through to the next.
    fn choose(&mut self) {
        let (number, mask) = (self.any(), self.literal(3));
        let flag = self.plain(OpKind::Andi, number, mask);
        let after = self.meeting(self.numbers.len());
        let count = self.rng.below(4) + 1;
        let sides: Vec<_> = (0..count).map(|_| self.meeting(self.numbers.len())).collect();
        let default = if self.rng.chance(50) { after } else { *self.rng.pick(&sides) };
        let mut cases: Vec<i64> = (0..4).collect();
        cases.truncate(self.rng.below(4) + 1);
        let mut to = vec![self.jump_to(default)];
        for _ in &cases {
            let side = *self.rng.pick(&sides);
            to.push(self.jump_to(side));
        }
        self.end(Kind::Switch { cases }, &[flag], to);
        for (k, &side) in sides.iter().enumerate() {
            self.resume(side);
            self.statements();
            let falls = self.rng.chance(40);
            self.jump(sides.get(k + 1).copied().filter(|_| falls).unwrap_or(after));
        }
        self.resume(after);
    }

    /// `break`, `continue`, `return`, or a jump out of several loops.
    fn go_away(&mut self) {
        match (self.rng.below(5), self.loops.len()) {
            (0, _) | (_, 0) => self.leave(),
            (1, n) => {
                let to = self.loops[self.rng.below(n)].end;
                self.jump(to);
            }
            (2, n) => {
                let to = self.loops[n - 1].next;
                self.jump(to);
            }
            (_, n) => {
                let to = self.loops[n - 1].end;
                self.jump(to);
            }
        }
    }

    /// Blocks that jump anywhere, forwards mostly. The last number is fuel.
    fn wild(&mut self) {
        let count = self.rng.between(3, 10) as usize;
        let backwards = *self.rng.pick(&[0, 0, 12, 12, 25]);
        let mut jumps: Vec<Vec<usize>> = (0..count)
            .map(|from| {
                let ways = *self.rng.pick(&[1usize, 2, 2, 2, 3]);
                let to = |rng: &mut Rng| match rng.chance(backwards) {
                    true => rng.below(from + 1),
                    false => (from + 1 + rng.below(3)).min(count),
                };
                (0..ways).map(|_| to(self.rng)).collect()
            })
            .collect();
        let fuel = self.literal(6);
        self.numbers.push(fuel);
        let all = self.numbers.len();
        let mut seen = vec![false; count + 1];
        let mut work = vec![0];
        while let Some(b) = work.pop() {
            if !std::mem::replace(&mut seen[b], true) && b < count {
                work.extend(&jumps[b]);
            }
        }
        (0..count).filter(|&b| !seen[b]).for_each(|b| jumps[b].clear());
        // Block `count` returns.
        let mut comes_from = vec![Vec::new(); count + 1];
        for (from, list) in jumps.iter().enumerate() {
            list.iter().for_each(|&to| comes_from[to].push(from));
        }
        let blocks: Vec<_> = (0..=count)
            .map(|b| {
                let alone = b > 0 && matches!(comes_from[b][..], [p] if p < b) && self.rng.chance(60);
                self.meeting(if alone { 0 } else { all })
            })
            .collect();
        self.reached.extend((0..count).filter(|&b| seen[b]).map(|b| blocks[b].0));
        self.jump(blocks[0]);
        let mut ends: Vec<Vec<ValueId>> = Vec::new();
        for b in 0..=count {
            match blocks[b].1 {
                0 => (self.block, self.numbers) = (Some(blocks[b].0), ends[comes_from[b][0]].clone()),
                _ => self.resume(blocks[b]),
            }
            if b == count {
                self.leave();
                break;
            }
            if !seen[b] {
                ends.push(Vec::new());
                continue;
            }
            self.wild_block(b, &jumps[b], &comes_from[b], &blocks);
            ends.push(self.numbers.clone());
        }
    }

    fn wild_block(&mut self, b: usize, to: &[usize], comes_from: &[usize], blocks: &[(BlockId, usize)]) {
        let all = self.numbers.len();
        let returns = blocks[blocks.len() - 1];
        if comes_from.iter().any(|&p| p >= b) {
            let (one, zero) = (self.literal(1), self.literal(0));
            self.numbers[all - 1] = self.plain(OpKind::Subi, self.numbers[all - 1], one);
            let test = self.test(Predicate::Sgt, self.numbers[all - 1], zero);
            let go_on = (self.new_block(), 0);
            let empty = self.meeting(0);
            self.branch(test, go_on, empty);
            self.block = Some(empty.0);
            match returns.1 {
                0 => self.leave(),
                _ => self.jump(returns),
            }
            self.block = Some(go_on.0);
        }
        for _ in 0..self.rng.below(3) {
            self.compute();
        }
        let jumps: Vec<Successor> = to.iter().map(|&t| self.jump_to(blocks[t])).collect();
        match to.len() {
            1 => self.end(Kind::Br, &[], jumps),
            2 => {
                let test = self.any_test();
                self.end(Kind::CondBr, &[test], jumps);
            }
            _ => {
                let (number, mask) = (self.any(), self.literal(3));
                let flag = self.plain(OpKind::Andi, number, mask);
                self.end(Kind::Switch { cases: vec![1, 2] }, &[flag], jumps);
            }
        }
    }
}
