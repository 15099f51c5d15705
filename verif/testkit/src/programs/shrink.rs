//! From a failing program to a small one: greedy, one change at a time.
//!
//! Guarantees: every candidate that `fails` sees is well formed and runs without a fault; at most
//! [`MAX_ATTEMPTS`] candidates are run; the result fails. Ids of what stays do not change.

use super::{RandomArgument, RandomProgram};
use loom_dfg::Type;
use loom_front::edit::{self, Parents};
use loom_front::ir::{BlockId, Func, Kind, OpId, ValueDef, ValueId, ValueType};

/// Candidates that one shrink runs.
pub const MAX_ATTEMPTS: usize = 4_000;

/// The smallest program that was found for which `fails` still holds; `program` itself if there is none.
pub fn shrink(program: &RandomProgram, fails: &mut dyn FnMut(&RandomProgram) -> bool) -> RandomProgram {
    let mut search = Search { best: program.clone(), fails, attempts: 0, progress: true };
    while search.progress && search.attempts < MAX_ATTEMPTS {
        search.progress = false;
        search.calls();
        search.operations();
        search.signature();
        search.numbers();
    }
    search.best
}

struct Search<'a> {
    best: RandomProgram,
    fails: &'a mut dyn FnMut(&RandomProgram) -> bool,
    attempts: usize,
    progress: bool,
}

/// A change to one operation; `None` when it does not apply.
type Change = fn(&mut Func, BlockId, OpId) -> Option<()>;

impl Search<'_> {
    fn attempt(&mut self, candidate: RandomProgram) -> bool {
        if self.attempts >= MAX_ATTEMPTS {
            return false;
        }
        self.attempts += 1;
        let runs =
            well_formed(&candidate) && candidate.run(super::RandomOptions::default().max_steps).is_ok();
        if runs && (self.fails)(&candidate) {
            self.best = candidate;
            self.progress = true;
            return true;
        }
        false
    }

    /// Tries a change of the function.
    fn change(&mut self, edit: impl FnOnce(&mut Func) -> Option<()>) -> bool {
        let mut candidate = self.best.clone();
        match candidate.source.funcs.first_mut().and_then(edit) {
            Some(()) => self.attempt(candidate),
            None => false,
        }
    }

    fn calls(&mut self) {
        let mut i = self.best.calls.len();
        while i > 0 {
            i -= 1;
            let mut candidate = self.best.clone();
            candidate.calls.remove(i);
            if !candidate.calls.is_empty() {
                self.attempt(candidate);
            }
        }
        for i in (0..self.best.source.globals.len()).rev() {
            let name = self.best.source.globals[i].name.clone();
            let func = &self.best.source.funcs[0];
            let used = edit::walk(func).iter().any(|&op| func.op(op).kind == Kind::GetGlobal(name.clone()));
            if !used {
                let mut candidate = self.best.clone();
                candidate.source.globals.remove(i);
                self.attempt(candidate);
            }
        }
    }

    fn operations(&mut self) {
        const CHANGES: [Change; 8] =
            [drop_op, forward, skip_loop, inline::<0>, inline::<1>, inline::<2>, inline::<3>, no_nsw];
        // Large ones first, then from the end, so that users go before what they use.
        let mut ops = edit::walk(&self.best.source.funcs[0]);
        let func = &self.best.source.funcs[0];
        ops.sort_by_key(|&op| std::cmp::Reverse((edit::walk_inside(func, op).len(), op)));
        for op in ops {
            for change in CHANGES {
                self.change(|func| {
                    let block = Parents::new(func).block(op)?;
                    change(func, block, op)
                });
            }
            for k in (0..4).rev() {
                self.change(|func| drop_carried(func, op, k));
                self.change(|func| drop_passed(func, op, k));
            }
        }
    }

    /// Results and arguments of the function.
    fn signature(&mut self) {
        for k in (0..self.best.source.funcs[0].result_types.len()).rev() {
            self.change(|func| {
                let ends = func.body.and_then(|b| func.entry(b)).and_then(|b| func.terminator(b))?;
                func.op_mut(ends).operands.remove(k);
                func.result_types.remove(k);
                Some(())
            });
        }
        for k in (0..self.best.source.funcs[0].argument_types.len()).rev() {
            let mut candidate = self.best.clone();
            let func = &mut candidate.source.funcs[0];
            let Some(block) = func.body.and_then(|b| func.entry(b)) else { return };
            if edit::use_counts(func)[func.arguments()[k].0 as usize] > 0 {
                continue;
            }
            func.argument_types.remove(k);
            func.argument_attributes.remove(k);
            remove_argument(func, block, k);
            for call in &mut candidate.calls {
                call.arguments.remove(k);
            }
            self.attempt(candidate);
        }
    }

    /// Literals, arguments and memory towards 0.
    fn numbers(&mut self) {
        for op in edit::walk(&self.best.source.funcs[0]) {
            while let Kind::Constant(bits) = self.best.source.funcs[0].op(op).kind {
                let changed = smaller(bits).into_iter().any(|n| {
                    self.change(|func| {
                        func.op_mut(op).kind = Kind::Constant(n);
                        Some(())
                    })
                });
                if !changed {
                    break;
                }
            }
        }
        for c in 0..self.best.calls.len() {
            for a in 0..self.best.calls[c].arguments.len() {
                while let RandomArgument::Scalar(bits) = self.best.calls[c].arguments[a] {
                    let changed = smaller(bits).into_iter().any(|n| {
                        let mut candidate = self.best.clone();
                        candidate.calls[c].arguments[a] = RandomArgument::Scalar(n);
                        self.attempt(candidate)
                    });
                    if !changed {
                        break;
                    }
                }
            }
        }
        for b in 0..self.best.buffers.len() {
            if self.best.buffers[b].iter().any(|&w| w != 0) {
                let mut candidate = self.best.clone();
                candidate.buffers[b].iter_mut().for_each(|w| *w = 0);
                self.attempt(candidate);
            }
        }
    }
}

/// Smaller numbers to try; each is below the one before it was made from, so this ends.
fn smaller(bits: u64) -> Vec<u64> {
    let mut list = vec![0, 1, bits / 2];
    list.retain(|&n| n < bits);
    list.dedup();
    list
}

fn is_end(kind: &Kind) -> bool {
    matches!(kind, Kind::Yield | Kind::Condition | Kind::Return)
}

/// A constant 0 before `op`.
fn zero(func: &mut Func, block: BlockId, op: OpId, ty: &ValueType) -> Option<ValueId> {
    ty.scalar()?;
    let new = func.create_op(Kind::Constant(0), &[], std::slice::from_ref(ty));
    edit::insert_before(func, block, op, new);
    Some(func.result(new, 0))
}

/// Takes an operation out; zeros stand for its results where they are used.
fn drop_op(func: &mut Func, block: BlockId, op: OpId) -> Option<()> {
    let uses = edit::use_counts(func);
    let record = func.op(op).clone();
    let used: Vec<ValueId> = record.results.iter().copied().filter(|r| uses[r.0 as usize] > 0).collect();
    if is_end(&record.kind) || (matches!(record.kind, Kind::Constant(_)) && !used.is_empty()) {
        return None;
    }
    for result in used {
        let ty = func.ty(result).clone();
        let value = zero(func, block, op, &ty)?;
        edit::replace_uses(func, result, value);
    }
    edit::erase(func, block, op);
    Some(())
}

/// Puts an operand, or else an argument of a block around, in place of the only result.
fn forward(func: &mut Func, block: BlockId, op: OpId) -> Option<()> {
    let record = func.op(op).clone();
    let [result] = record.results[..] else { return None };
    let ty = func.ty(result).clone();
    let mut others = record.operands.iter().copied().chain(func.block(block).arguments.iter().copied());
    let value = others.find(|&v| *func.ty(v) == ty)?;
    edit::replace_uses(func, result, value);
    edit::erase(func, block, op);
    Some(())
}

fn no_nsw(func: &mut Func, _: BlockId, op: OpId) -> Option<()> {
    std::mem::replace(&mut func.op_mut(op).nsw, false).then_some(())
}

/// A counting loop as if it had no iterations.
fn skip_loop(func: &mut Func, block: BlockId, op: OpId) -> Option<()> {
    let record = func.op(op).clone();
    let Kind::For { .. } = record.kind else { return None };
    for (&result, &init) in record.results.iter().zip(&record.operands[3..]) {
        edit::replace_uses(func, result, init);
    }
    edit::erase(func, block, op);
    Some(())
}

/// One run of region `REGION` in place of the operation; of a while both regions run.
fn inline<const REGION: usize>(func: &mut Func, block: BlockId, op: OpId) -> Option<()> {
    let record = func.op(op).clone();
    let first = record.regions.get(REGION).and_then(|&r| func.entry(r))?;
    let values = match record.kind {
        Kind::If | Kind::IndexSwitch { .. } => splice(func, block, op, first, &[])?,
        Kind::For { .. } => {
            let mut bound = vec![record.operands[0]];
            bound.extend(&record.operands[3..]);
            splice(func, block, op, first, &bound)?
        }
        Kind::While if REGION == 0 => {
            let values = splice(func, block, op, first, &record.operands)?[1..].to_vec();
            let after = func.entry(record.regions[1])?;
            splice(func, block, op, after, &values)?;
            values
        }
        _ => return None,
    };
    for (&result, value) in record.results.iter().zip(values) {
        edit::replace_uses(func, result, value);
    }
    edit::erase(func, block, op);
    Some(())
}

/// Moves what `from` does before `op`, and gives what its terminator passes.
fn splice(
    func: &mut Func,
    block: BlockId,
    op: OpId,
    from: BlockId,
    bound: &[ValueId],
) -> Option<Vec<ValueId>> {
    for (argument, &value) in func.block(from).arguments.clone().into_iter().zip(bound) {
        edit::replace_uses(func, argument, value);
    }
    let mut ops = std::mem::take(&mut func.blocks[from.0 as usize].ops);
    let end = ops.pop()?;
    for inner in ops {
        edit::insert_before(func, block, op, inner);
    }
    Some(func.op(end).operands.clone())
}

fn renumber(func: &mut Func, values: &[ValueId], of: impl Fn(usize) -> ValueDef) {
    for (index, value) in values.iter().enumerate() {
        func.values[value.0 as usize].def = of(index);
    }
}

fn remove_argument(func: &mut Func, block: BlockId, k: usize) {
    func.blocks[block.0 as usize].arguments.remove(k);
    let arguments = func.block(block).arguments.clone();
    renumber(func, &arguments, |index| ValueDef::Argument { block, index });
}

fn remove_result(func: &mut Func, op: OpId, k: usize) {
    func.op_mut(op).results.remove(k);
    let results = func.op(op).results.clone();
    renumber(func, &results, |index| ValueDef::Result { op, index });
}

/// A carried value of a loop stays what it was before the loop.
fn drop_carried(func: &mut Func, op: OpId, k: usize) -> Option<()> {
    let record = func.op(op).clone();
    let (init, argument, ends) = match record.kind {
        Kind::For { .. } => (3 + k, 1 + k, 0),
        Kind::While => (k, k, 1),
        _ => return None,
    };
    let value = *record.operands.get(init)?;
    let block = func.entry(record.regions[0])?;
    let end = func.entry(record.regions[ends]).and_then(|b| func.terminator(b))?;
    let old = *func.block(block).arguments.get(argument)?;
    edit::replace_uses(func, old, value);
    remove_argument(func, block, argument);
    func.op_mut(end).operands.remove(k);
    func.op_mut(op).operands.remove(init);
    if matches!(record.kind, Kind::For { .. }) {
        edit::replace_uses(func, record.results[k], value);
        remove_result(func, op, k);
    }
    Some(())
}

/// A result of a branch or a value that a while passes on becomes 0.
fn drop_passed(func: &mut Func, op: OpId, k: usize) -> Option<()> {
    let record = func.op(op).clone();
    let result = *record.results.get(k)?;
    let ty = func.ty(result).clone();
    let block = Parents::new(func).block(op)?;
    let value = zero(func, block, op, &ty)?;
    edit::replace_uses(func, result, value);
    match record.kind {
        Kind::If | Kind::IndexSwitch { .. } => {
            for &region in &record.regions {
                let end = func.entry(region).and_then(|b| func.terminator(b))?;
                func.op_mut(end).operands.remove(k);
            }
        }
        Kind::While => {
            let end = func.entry(record.regions[0]).and_then(|b| func.terminator(b))?;
            func.op_mut(end).operands.remove(1 + k);
            let after = func.entry(record.regions[1])?;
            edit::replace_uses(func, func.block(after).arguments[k], value);
            remove_argument(func, after, k);
        }
        _ => return None,
    }
    remove_result(func, op, k);
    Some(())
}

/// Whether each use is in the scope of its definition, and the types that regions, jumps of values and accesses
/// pass on agree. Enough for programs made here; what a user writes is the verifier's.
pub fn well_formed(program: &RandomProgram) -> bool {
    let Some(func) = program.func() else { return false };
    let Some(block) = func.body.and_then(|b| func.entry(b)) else { return false };
    let mut check = Check { func, visible: vec![false; func.values.len()] };
    check.block(block, &func.argument_types, Some(&func.result_types)).is_some()
        && program.calls.iter().all(|c| c.arguments.len() == func.argument_types.len())
}

struct Check<'a> {
    func: &'a Func,
    visible: Vec<bool>,
}

impl Check<'_> {
    fn types(&self, values: &[ValueId]) -> Vec<ValueType> {
        values.iter().map(|&v| self.func.ty(v).clone()).collect()
    }

    /// Types that the terminator passes, when the block takes `takes`; they must be `gives` where it is known.
    fn block(
        &mut self,
        id: BlockId,
        takes: &[ValueType],
        gives: Option<&[ValueType]>,
    ) -> Option<Vec<ValueType>> {
        let func = self.func;
        let block = func.block(id);
        if self.types(&block.arguments) != takes {
            return None;
        }
        let mut defined = block.arguments.clone();
        block.arguments.iter().for_each(|a| self.visible[a.0 as usize] = true);
        let (&end, ops) = block.ops.split_last()?;
        for &op in ops {
            let record = func.op(op);
            if is_end(&record.kind) || !record.operands.iter().all(|v| self.visible[v.0 as usize]) {
                return None;
            }
            self.operation(op)?;
            for &result in &record.results {
                self.visible[result.0 as usize] = true;
                defined.push(result);
            }
        }
        let end = func.op(end);
        let reached = end.operands.iter().all(|v| self.visible[v.0 as usize]);
        let mut given = self.types(&end.operands);
        if end.kind == Kind::Condition {
            let bit = ValueType::Scalar(Type::I1);
            if given.first() != Some(&bit) {
                return None;
            }
            given.remove(0);
        }
        defined.iter().for_each(|v| self.visible[v.0 as usize] = false);
        (is_end(&end.kind) && reached && gives.is_none_or(|g| g == given)).then_some(given)
    }

    fn operation(&mut self, id: OpId) -> Option<()> {
        let func = self.func;
        let op = func.op(id);
        let (operands, results) = (self.types(&op.operands), self.types(&op.results));
        let regions: Vec<Option<BlockId>> = op.regions.iter().map(|&r| func.entry(r)).collect();
        match &op.kind {
            Kind::Scalar(scalar) => {
                let plain =
                    |list: &[ValueType]| list.iter().map(|t| t.scalar()).collect::<Option<Vec<Type>>>();
                scalar.kind().check_types(&plain(&operands)?, &plain(&results)?).ok()
            }
            Kind::Load | Kind::Store => {
                let at = usize::from(op.kind == Kind::Store);
                let memref = operands.get(at)?.memref()?;
                let word = if at == 1 { operands.first()? } else { results.first()? };
                let index = operands[at + 1..].iter().all(|t| t.scalar() == Some(Type::Index));
                let rank = operands.len() == at + 1 + memref.shape.len();
                (index && rank && word.scalar() == Some(memref.element)).then_some(())
            }
            Kind::If | Kind::IndexSwitch { .. } => {
                for region in regions {
                    match region {
                        Some(block) => drop(self.block(block, &[], Some(&results))?),
                        None if results.is_empty() => {}
                        None => return None,
                    }
                }
                Some(())
            }
            Kind::For { .. } => {
                let ty = operands.first()?.clone();
                if operands.get(1..3)? != [ty.clone(), ty.clone()] || operands[3..] != results[..] {
                    return None;
                }
                let mut takes = vec![ty];
                takes.extend(results.iter().cloned());
                self.block((*regions.first()?)?, &takes, Some(&results)).map(drop)
            }
            Kind::While => {
                let before = (*regions.first()?)?;
                self.block(before, &operands, Some(&results))?;
                self.block((*regions.get(1)?)?, &results, Some(&operands)).map(drop)
            }
            _ => Some(()),
        }
    }
}
