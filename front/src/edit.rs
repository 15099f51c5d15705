//! Questions about a function's structure, and changes that keep its arena sound.
//!
//! Operations that a change takes out of their block stay in the arena, listed by no block: ids never move.

use crate::ir::{BlockId, Func, Global, Kind, OpId, RegionId, ValueDef, ValueId, ValueType};
use loom_base::truncate;
use loom_dfg::eval::eval_arith;
use loom_dfg::float::{canonical_nan, parse_decimal};
use loom_dfg::{Op, OpKind, StepOp, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Who contains whom. Computed once, good until the structure changes.
#[derive(Clone, Debug)]
pub struct Parents {
    block_of_op: Vec<Option<BlockId>>,
    op_of_block: Vec<Option<OpId>>,
}

impl Parents {
    /// Walks the function.
    pub fn new(func: &Func) -> Parents {
        let mut parents =
            Parents { block_of_op: vec![None; func.ops.len()], op_of_block: vec![None; func.blocks.len()] };
        for op in walk(func) {
            for &region in &func.op(op).regions {
                for &block in &func.region(region).blocks {
                    parents.op_of_block[block.0 as usize] = Some(op);
                    for &inner in &func.block(block).ops {
                        parents.block_of_op[inner.0 as usize] = Some(block);
                    }
                }
            }
        }
        for &block in func.body.iter().flat_map(|&body| &func.region(body).blocks) {
            for &op in &func.block(block).ops {
                parents.block_of_op[op.0 as usize] = Some(block);
            }
        }
        parents
    }

    /// The block that lists an operation; `None` for a dead one.
    pub fn block(&self, op: OpId) -> Option<BlockId> {
        self.block_of_op.get(op.0 as usize).copied().flatten()
    }

    /// The operation whose region holds a block; `None` for blocks of the function's body.
    pub fn op(&self, block: BlockId) -> Option<OpId> {
        self.op_of_block.get(block.0 as usize).copied().flatten()
    }

    /// Notes that an operation without regions stands in another block now.
    pub fn place(&mut self, op: OpId, block: BlockId) {
        self.block_of_op[op.0 as usize] = Some(block);
    }

    /// The operations around `op`, innermost first.
    pub fn around(&self, op: OpId) -> Vec<OpId> {
        let mut out = Vec::new();
        let mut at = op;
        while let Some(parent) = self.block(at).and_then(|b| self.op(b)) {
            out.push(parent);
            at = parent;
        }
        out
    }

    /// The block in which a value is defined.
    pub fn defining_block(&self, func: &Func, value: ValueId) -> Option<BlockId> {
        match func.value(value).def {
            ValueDef::Argument { block, .. } => Some(block),
            ValueDef::Result { op, .. } => self.block(op),
        }
    }

    /// Whether a value is defined outside of `op` and of everything in it.
    pub fn is_outside(&self, func: &Func, value: ValueId, op: OpId) -> bool {
        let mut block = self.defining_block(func, value);
        while let Some(b) = block {
            match self.op(b) {
                Some(o) if o == op => return false,
                Some(o) => block = self.block(o),
                None => return true,
            }
        }
        true
    }
}

/// All operations in source order, each before what is in its regions.
pub fn walk(func: &Func) -> Vec<OpId> {
    let mut out = Vec::new();
    if let Some(body) = func.body {
        walk_region(func, body, &mut out);
    }
    out
}

/// The operations in `op`'s regions, in source order.
pub fn walk_inside(func: &Func, op: OpId) -> Vec<OpId> {
    walk_regions(func, &func.op(op).regions)
}

/// The operations in regions, in source order.
pub fn walk_regions(func: &Func, regions: &[RegionId]) -> Vec<OpId> {
    let mut out = Vec::new();
    regions.iter().for_each(|&region| walk_region(func, region, &mut out));
    out
}

/// The values from outside that regions use, constants among them.
pub fn used_from_outside(func: &Func, regions: &[RegionId]) -> BTreeSet<ValueId> {
    let ops = walk_regions(func, regions);
    let blocks = ops.iter().flat_map(|&o| &func.op(o).regions).chain(regions);
    let arguments = blocks.filter_map(|&r| func.entry(r)).flat_map(|b| &func.block(b).arguments);
    let made: BTreeSet<ValueId> =
        ops.iter().flat_map(|&o| &func.op(o).results).chain(arguments).copied().collect();
    let used = ops.iter().flat_map(|&o| &func.op(o).operands);
    used.copied().filter(|v| !made.contains(v)).collect()
}

/// The blocks of both sides of an if that has two.
pub fn sides(func: &Func, op: OpId) -> Option<[BlockId; 2]> {
    let record = func.op(op);
    let &[yes, no] = &record.regions[..] else { return None };
    (record.kind == Kind::If).then_some([func.entry(yes)?, func.entry(no)?])
}

fn walk_region(func: &Func, region: RegionId, out: &mut Vec<OpId>) {
    for &block in &func.region(region).blocks {
        for &op in &func.block(block).ops {
            out.push(op);
            for &inner in &func.op(op).regions {
                walk_region(func, inner, out);
            }
        }
    }
}

/// How often each value is used by live operations.
pub fn use_counts(func: &Func) -> Vec<u32> {
    let mut counts = vec![0; func.values.len()];
    for op in walk(func) {
        let op = func.op(op);
        for v in op.operands.iter().chain(op.successors.iter().flat_map(|s| &s.arguments)) {
            counts[v.0 as usize] += 1;
        }
    }
    counts
}

/// Takes out the operations that may go and whose results nobody uses, with all in them, and what only they used;
/// whether there were any.
pub fn drop_unused(func: &mut Func, may_go: &[bool]) -> bool {
    let mut uses = use_counts(func);
    let mut gone = vec![false; func.ops.len()];
    let mut changes = Changes::default();
    // Users before what they use, what is inside before what is around it.
    for op in walk(func).into_iter().rev() {
        let used = func.op(op).results.iter().any(|r| uses[r.0 as usize] > 0);
        if used || !may_go[op.0 as usize] {
            continue;
        }
        changes.erase(op);
        for o in std::iter::once(op).chain(walk_inside(func, op)) {
            if !std::mem::replace(&mut gone[o.0 as usize], true) {
                func.op(o).operands.iter().for_each(|v| uses[v.0 as usize] -= 1);
            }
        }
    }
    changes.apply(func)
}

/// Makes every user of `old` use `new`.
pub fn replace_uses(func: &mut Func, old: ValueId, new: ValueId) {
    for op in &mut func.ops {
        for v in op.operands.iter_mut().chain(op.successors.iter_mut().flat_map(|s| &mut s.arguments)) {
            if *v == old {
                *v = new;
            }
        }
    }
}

/// Takes an operation out of its block.
pub fn erase(func: &mut Func, block: BlockId, op: OpId) {
    func.blocks[block.0 as usize].ops.retain(|&o| o != op);
}

/// Puts an operation that no block lists before another one.
pub fn insert_before(func: &mut Func, block: BlockId, before: OpId, op: OpId) {
    let ops = &mut func.blocks[block.0 as usize].ops;
    let at = ops.iter().position(|&o| o == before).unwrap_or(ops.len());
    ops.insert(at, op);
}

/// Adds an operation behind another of the block.
pub fn insert_after(func: &mut Func, block: BlockId, after: OpId, op: OpId) {
    let ops = &mut func.blocks[block.0 as usize].ops;
    let at = ops.iter().position(|&o| o == after).map_or(ops.len(), |at| at + 1);
    ops.insert(at, op);
}

/// The op of the table that gives a value, and its operands.
pub fn made_by(func: &Func, value: ValueId) -> Option<(Op, &[ValueId])> {
    match func.value(value).def {
        ValueDef::Result { op, .. } => match func.op(op).kind {
            Kind::Scalar(scalar) => Some((scalar, &func.op(op).operands)),
            _ => None,
        },
        ValueDef::Argument { .. } => None,
    }
}

/// A block at the end of a region, which does nothing and yields nothing.
pub fn idle_block(func: &mut Func, region: RegionId) -> BlockId {
    let block = func.add_block(region);
    func.push_op(block, Kind::Yield, &[], &[]);
    block
}

/// The literal that an op of the table gives for literals as operands.
pub fn computed(func: &Func, op: OpId, index_width: u32, operands: &[u64]) -> Option<u64> {
    let record = func.op(op);
    let Kind::Scalar(scalar) = record.kind else { return None };
    let ty = func.ty(record.results[0]).scalar()?;
    let types: Vec<Type> = record.operands.iter().filter_map(|&v| func.ty(v).scalar()).collect();
    let bits = eval_arith(scalar, &types, ty, index_width, operands);
    // Index literals are written as the signed number that the fabric's index holds.
    Some(if ty == Type::Index { loom_base::sign_extend(bits, index_width) as u64 } else { bits })
}

/// The bits that change nothing where an op puts them to a number: 0, but for products, `andi`, and the extremes of floats. Of `addf`, which has none
/// for every number, 0.0, as MLIR starts with.
pub fn neutral(kind: OpKind, ty: Type) -> u64 {
    let width = ty.width(64);
    let (ones, sign) = (truncate(u64::MAX, width), 1u64 << (width - 1));
    let infinity = || {
        let nan = canonical_nan(ty);
        nan & (nan - 1)
    };
    match kind {
        OpKind::Maximumf => infinity() | sign,
        OpKind::Minimumf => infinity(),
        OpKind::Mulf => parse_decimal(ty, "1.0").unwrap_or(0),
        OpKind::Muli => 1,
        OpKind::Andi => ones,
        _ => 0,
    }
}

/// The literal of a constant value; poison is 0.
pub fn constant(func: &Func, value: ValueId) -> Option<u64> {
    match func.value(value).def {
        ValueDef::Result { op, .. } => match func.op(op).kind {
            Kind::Constant(bits) => Some(bits),
            Kind::Poison => Some(0),
            _ => None,
        },
        ValueDef::Argument { .. } => None,
    }
}

/// The literal of a constant integer or index as a signed number.
pub fn constant_int(func: &Func, value: ValueId) -> Option<i64> {
    let ty = func.ty(value).scalar().filter(|t| t.is_integral())?;
    Some(loom_base::sign_extend(constant(func, value)?, ty.width(64)))
}

/// The literal that a counted loop adds to its number with each iteration; negative where it takes away.
pub fn moves_by(func: &Func, op: OpId) -> Option<i64> {
    let Kind::For { counter, .. } = func.op(op).kind else { return None };
    let step = constant_int(func, func.op(op).operands[2])?;
    match counter.step_op {
        StepOp::Add => Some(step),
        StepOp::Sub => step.checked_neg(),
        _ => None,
    }
}

/// What a memref is a view of, through all views that are known to be one; itself where it is none.
pub fn viewed(func: &Func, mut memref: ValueId) -> ValueId {
    while let ValueDef::Result { op, .. } = func.value(memref).def {
        if !func.op(op).kind.is_view() {
            break;
        }
        memref = func.op(op).operands[0];
    }
    memref
}

/// The constant that a memref is, or is a view of.
pub fn table<'g>(func: &Func, memref: ValueId, globals: &'g [Global]) -> Option<&'g Global> {
    let ValueDef::Result { op, .. } = func.value(viewed(func, memref)).def else { return None };
    let Kind::GetGlobal(name) = &func.op(op).kind else { return None };
    globals.iter().find(|g| g.name == *name && g.constant)
}

/// Which word of what it is a view of an access is for, where literals name it and every extent has it.
pub fn literal_word(func: &Func, access: OpId) -> Option<i64> {
    let (&memref, subscripts) = func.op(access).address().split_first()?;
    let ty = func.ty(memref).memref()?;
    let (strides, offset) = ty.strided()?;
    subscripts.iter().zip(ty.shape.iter().zip(strides)).try_fold(offset?, |word, (&s, (extent, stride))| {
        let n = constant_int(func, s).filter(|n| extent.is_some_and(|words| (0..words).contains(n)))?;
        word.checked_add(n.checked_mul(stride?)?)
    })
}

/// Changes that are noted one by one and made together, in one walk. Each made at once would scan its block or the whole
/// function: quadratic in programs of thousands of operations.
#[derive(Debug, Default)]
pub struct Changes {
    before: BTreeMap<OpId, Vec<OpId>>,
    erased: BTreeSet<OpId>,
    replaced: BTreeMap<ValueId, ValueId>,
}

impl Changes {
    /// Every user of `old` will use `new`.
    pub fn replace(&mut self, old: ValueId, new: ValueId) {
        let new = self.now(new);
        self.replaced.insert(old, new);
    }

    /// What a use of `value` will be.
    pub fn now(&self, value: ValueId) -> ValueId {
        let mut at = value;
        while let Some(&next) = self.replaced.get(&at) {
            at = next;
        }
        at
    }

    /// Makes an operation use what it will use, so that it can be looked at.
    pub fn resolve(&self, func: &mut Func, op: OpId) {
        for v in &mut func.op_mut(op).operands {
            *v = self.now(*v);
        }
    }

    /// These operations, which no live block lists, will stand before another one; those noted first come first.
    pub fn insert_before(&mut self, before: OpId, ops: impl IntoIterator<Item = OpId>) {
        self.before.entry(before).or_default().extend(ops);
    }

    /// The operation will stand in no block.
    pub fn erase(&mut self, op: OpId) {
        self.erased.insert(op);
    }

    /// `ops` in the place of `op`, and `values` in the place of its results.
    pub fn inline(&mut self, func: &Func, op: OpId, ops: &[OpId], values: &[ValueId]) {
        self.insert_before(op, ops.iter().copied());
        for (&old, &new) in func.op(op).results.iter().zip(values) {
            self.replace(old, new);
        }
        self.erase(op);
    }

    /// What a block will list.
    pub fn ops(&self, func: &Func, block: BlockId) -> Vec<OpId> {
        let mut out = Vec::new();
        for &op in &func.block(block).ops {
            self.write(op, &mut out);
        }
        out
    }

    // What goes before an operation may itself be an operation that others go before.
    fn write(&self, op: OpId, out: &mut Vec<OpId>) {
        for &first in self.before.get(&op).into_iter().flatten() {
            self.write(first, out);
        }
        if !self.erased.contains(&op) {
            out.push(op);
        }
    }

    /// Makes the changes; says whether there were any.
    pub fn apply(self, func: &mut Func) -> bool {
        let moves = !self.before.is_empty() || !self.erased.is_empty();
        for b in (0..func.blocks.len()).filter(|_| moves) {
            func.blocks[b].ops = self.ops(func, BlockId(b as u32));
        }
        for op in func.ops.iter_mut().filter(|_| !self.replaced.is_empty()) {
            for v in op.operands.iter_mut().chain(op.successors.iter_mut().flat_map(|s| &mut s.arguments)) {
                *v = self.now(*v);
            }
        }
        moves || !self.replaced.is_empty()
    }
}

/// Writes operations that go before another one.
pub struct InsertionPoint<'f> {
    /// The function.
    pub func: &'f mut Func,
    /// New operations go before this one.
    pub before: OpId,
    /// What was written.
    pub made: Vec<OpId>,
}

impl<'f> InsertionPoint<'f> {
    /// Writes before `before`; the operations are in no block until [`InsertionPoint::put`], or the caller, puts them there.
    pub fn new(func: &'f mut Func, before: OpId) -> InsertionPoint<'f> {
        InsertionPoint { func, before, made: Vec::new() }
    }

    /// Puts what was written into its block.
    pub fn put(self, block: BlockId) {
        let ops = &mut self.func.blocks[block.0 as usize].ops;
        let at = ops.iter().position(|&o| o == self.before).unwrap_or(ops.len());
        ops.splice(at..at, self.made);
    }

    /// One operation; its place in the source is that of the one it goes before.
    pub fn op(&mut self, kind: Kind, operands: &[ValueId], types: &[ValueType]) -> OpId {
        let op = self.func.create_op(kind, operands, types);
        self.func.op_mut(op).span = self.func.op(self.before).span.clone();
        self.made.push(op);
        op
    }

    /// An operation with one scalar result.
    pub fn scalar(&mut self, op: loom_dfg::Op, operands: &[ValueId], ty: Type) -> ValueId {
        let op = self.op(Kind::Scalar(op), operands, &[ValueType::Scalar(ty)]);
        self.func.result(op, 0)
    }

    /// A literal.
    pub fn constant(&mut self, bits: u64, ty: Type) -> ValueId {
        let op = self.op(Kind::Constant(bits), &[], &[ValueType::Scalar(ty)]);
        self.func.result(op, 0)
    }
}
