//! Loops whose iterations are in no order, and regions that run once, which are read as `scf.for` and `scf.index_switch`.

use super::build::{Bounds, INDEX};
use super::expand::Reduction;
use super::generic::Parts;
use super::parser::{Argument, Head, Operand, Parsed, Parser};
use crate::codes;
use crate::ir::{BlockId, IndexOrOperand, Kind, OpId, RegionId, Successor, ValueId, ValueType};
use loom_base::Diagnostic;
use loom_dfg::Type;

impl Parser<'_> {
    /// `(%a, %b)`, all of them an index.
    fn indices_in_brackets(&mut self) -> Parsed<Vec<ValueId>> {
        self.expect(b'(', "of the values")?;
        let list = self.operands_to(b')')?;
        Ok(self.all(&list, Type::Index))
    }

    /// `(%i, %j)`: the arguments of a body of several loops.
    pub fn inductions(&mut self) -> Parsed<Vec<Argument>> {
        self.expect(b'(', "of the induction values")?;
        let names = self.operands_to(b')')?;
        Ok(names.into_iter().map(|o| Argument { name: o.name, span: o.span, ty: Some(INDEX) }).collect())
    }

    pub fn scf_parallel(&mut self, head: &Head) -> Parsed<()> {
        let arguments = self.inductions()?;
        self.expect(b'=', "after the induction values")?;
        let lower = self.indices_in_brackets()?;
        self.expect_word("to")?;
        let upper = self.indices_in_brackets()?;
        self.expect_word("step")?;
        let step = self.indices_in_brackets()?;
        let start = self.span().start;
        let mut inits: Vec<Operand> = Vec::new();
        if self.eat_word("init") {
            self.expect(b'(', "of the initial values")?;
            inits = self.operands_to(b')')?;
        }
        let types = self.optional_results()?;
        let inits = self.values(&inits, &types, &(start..self.last_end()))?;
        let body = self.region(&arguments, Some(Kind::Yield))?;
        self.optional_attributes()?;
        let results =
            self.nest(head, &Bounds { lower, upper, step, independent: true }, &inits, &types, body)?;
        self.define(head, &results)
    }

    /// `scf.parallel` in generic form.
    pub fn generic_parallel(&mut self, head: &Head, parts: &Parts) -> Parsed<()> {
        let sizes = self.segments(parts, "operandSegmentSizes", "operand_segment_sizes")?;
        let lists = self.split(head, &parts.operands, &sizes)?;
        let [lower, upper, step, inits] = &lists[..] else {
            return self.error(codes::ARITY, "`scf.parallel` has four lists of operands", head.span.clone());
        };
        let body = self.only_region(parts)?;
        let bounds =
            Bounds { lower: lower.clone(), upper: upper.clone(), step: step.clone(), independent: true };
        let results = self.nest(head, &bounds, inits, &parts.results, body)?;
        self.define(head, &results)
    }

    /// Operands as the lists that they are.
    fn split(&mut self, head: &Head, operands: &[ValueId], sizes: &[i64]) -> Parsed<Vec<Vec<ValueId>>> {
        let (mut rest, mut lists) = (operands, Vec::new());
        for &size in sizes {
            match usize::try_from(size).ok().and_then(|n| rest.split_at_checked(n)) {
                Some((list, others)) => {
                    lists.push(list.to_vec());
                    rest = others;
                }
                None => return self.error(codes::ARITY, "lists longer than the operands", head.span.clone()),
            }
        }
        Ok(lists)
    }

    pub fn only_region(&mut self, parts: &Parts) -> Parsed<RegionId> {
        match parts.regions[..] {
            [one] => Ok(one),
            _ => self.error(codes::STRUCTURE, "an op with one region", parts.head.span.clone()),
        }
    }

    /// `scf.forall`, of memrefs: without results.
    pub fn scf_forall(&mut self, head: &Head) -> Parsed<()> {
        let arguments = self.inductions()?;
        let bounds = if self.eat_word("in") {
            let upper = self.numbers_in_brackets(head)?;
            let [lower, step] =
                [0, 1].map(|n| upper.iter().map(|_| self.literal_of(head, n, Type::Index)).collect());
            Bounds { lower, upper, step, independent: true }
        } else {
            self.expect(b'=', "after the induction values")?;
            let lower = self.numbers_in_brackets(head)?;
            self.expect_word("to")?;
            let upper = self.numbers_in_brackets(head)?;
            self.expect_word("step")?;
            Bounds { lower, upper, step: self.numbers_in_brackets(head)?, independent: true }
        };
        if self.is_word("shared_outs") {
            let d = Diagnostic::error(codes::NOT_SUPPORTED, "`scf.forall` that gives tensors");
            return self
                .fail(d.at(self.span(), "").help("bufferize it first: `mlir-opt --one-shot-bufferize`"));
        }
        let body = self.region(&arguments, Some(Kind::Yield))?;
        self.optional_attributes()?;
        self.nest(head, &bounds, &[], &[], body)?;
        self.define(head, &[])
    }

    /// `scf.forall` in generic form.
    pub fn generic_forall(&mut self, head: &Head, parts: &Parts) -> Parsed<()> {
        let sizes = self.segments(parts, "operandSegmentSizes", "operand_segment_sizes")?;
        let lists = self.split(head, &parts.operands, &sizes)?;
        let [lower, upper, step, outs] = &lists[..] else {
            return self.error(codes::ARITY, "`scf.forall` has four lists of operands", head.span.clone());
        };
        if !outs.is_empty() {
            let d = Diagnostic::error(codes::NOT_SUPPORTED, "`scf.forall` that gives tensors");
            let help = "bufferize it first: `mlir-opt --one-shot-bufferize`";
            return self.fail(d.at(head.span.clone(), "").help(help));
        }
        let lower = self.filled(head, parts, "staticLowerBound", lower)?;
        let upper = self.filled(head, parts, "staticUpperBound", upper)?;
        let step = self.filled(head, parts, "staticStep", step)?;
        let body = self.only_region(parts)?;
        self.nest(head, &Bounds { lower, upper, step, independent: true }, &[], &[], body)?;
        self.define(head, &[])
    }

    /// The numbers of an attribute, with operands where it leaves them open.
    fn filled(&mut self, head: &Head, parts: &Parts, name: &str, open: &[ValueId]) -> Parsed<Vec<ValueId>> {
        let mut open = open.iter();
        let mut list = Vec::new();
        for number in parts.mixed(self, name)? {
            list.push(match (number, open.len()) {
                (IndexOrOperand::Fixed(n), _) => self.literal_of(head, n, Type::Index),
                (IndexOrOperand::Operand, 0) => {
                    return parts.bad(self, name, "a list that fits the operands")
                }
                (IndexOrOperand::Operand, _) => *open.next().expect("there is one"),
            });
        }
        Ok(list)
    }

    /// `(%a, 4)`.
    fn numbers_in_brackets(&mut self, head: &Head) -> Parsed<Vec<ValueId>> {
        self.expect(b'(', "of the bounds")?;
        let mut list = Vec::new();
        while !self.eat(b')') {
            if self.peek() == loom_mlir::Tok::Value {
                let operand = self.operand()?;
                list.push(self.value(&operand, &INDEX));
            } else {
                let number = self.integer()?;
                list.push(self.literal_of(head, number, Type::Index));
            }
            if !self.eat(b',') && !self.is(b')') {
                return self.unexpected("`,` or `)` after the bound");
            }
        }
        Ok(list)
    }

    /// `scf.forall.in_parallel`, which ends a body and does nothing.
    pub fn in_parallel(&mut self, head: &Head) -> Parsed<()> {
        let inside = self.region(&[], None)?;
        let inside = self.state.func.entry(inside).map(|b| self.state.func.block(b).ops.len());
        if inside.is_some_and(|n| n > 0) {
            let d = Diagnostic::error(codes::NOT_SUPPORTED, "`scf.forall` that gives tensors");
            let help = "bufferize it first: `mlir-opt --one-shot-bufferize`";
            return self.fail(d.at(head.span.clone(), "").help(help));
        }
        self.optional_attributes()?;
        self.build(head, Kind::Yield, &[], &[]);
        Ok(())
    }

    pub fn scf_reduce(&mut self, head: &Head) -> Parsed<()> {
        let (mut values, mut regions) = (Vec::new(), Vec::new());
        if self.eat(b'(') && !self.eat(b')') {
            let start = self.span().start;
            let operands = self.operands()?;
            self.expect(b':', "before the types")?;
            let types = self.types_to(b')')?;
            values = self.values(&operands, &types, &(start..self.last_end()))?;
            for (k, ty) in types.iter().enumerate() {
                if k > 0 {
                    self.expect(b',', "after the region")?;
                }
                regions.push((self.region(&[], None)?, ty.clone()));
            }
        }
        self.optional_attributes()?;
        self.combine(head, &values, &regions)
    }

    /// `scf.reduce` in generic form.
    pub fn generic_reduce(&mut self, head: &Head, parts: &Parts) -> Parsed<()> {
        let mut regions = Vec::new();
        for &region in &parts.regions {
            // The type is that of what the region takes.
            let block = self.state.func.entry(region);
            let taken = block.and_then(|b| self.state.func.block(b).arguments.first().copied());
            match taken {
                Some(value) => regions.push((region, self.state.func.ty(value).clone())),
                None => return self.error(codes::STRUCTURE, "a reduction without values", head.span.clone()),
            }
        }
        self.combine(head, &parts.operands, &regions)
    }

    /// The end of a body: what each reduction makes of the value so far, a new argument of the body, and an operand.
    fn combine(&mut self, head: &Head, values: &[ValueId], regions: &[(RegionId, ValueType)]) -> Parsed<()> {
        let body = self.state.block;
        let mut yielded = Vec::new();
        if values.len() != regions.len() {
            let message = format!("{} values and {} reductions", values.len(), regions.len());
            return self.error(codes::ARITY, message, head.span.clone());
        }
        for (&value, (region, ty)) in values.iter().zip(regions) {
            let so_far = self.state.func.add_argument(body, "", ty.clone());
            let func = &mut self.state.func;
            let block = match func.region(*region).blocks[..] {
                [one] if func.block(one).arguments.len() == 2 => one,
                _ => {
                    let message = "a reduction is one block of two arguments";
                    return self.error(codes::STRUCTURE, message, head.span.clone());
                }
            };
            let [first, second] = [0, 1].map(|k| func.block(block).arguments[k]);
            let mut ops = std::mem::take(&mut func.blocks[block.0 as usize].ops);
            for &op in &ops {
                self.replace_in(op, &[(first, so_far), (second, value)]);
            }
            let func = &mut self.state.func;
            let result = ops.pop().and_then(|end| func.op(end).operands.first().copied());
            let Some(result) = result else {
                let message = "a reduction ends in `scf.reduce.return` of one value";
                return self.error(codes::TERMINATOR, message, head.span.clone());
            };
            func.blocks[body.0 as usize].ops.extend(ops);
            yielded.push(result);
        }
        self.build(head, Kind::Yield, &yielded, &[]);
        Ok(())
    }

    /// Replaces values in an operation and all that is in it.
    fn replace_in(&mut self, op: OpId, pairs: &[(ValueId, ValueId)]) {
        let func = &mut self.state.func;
        let inside = crate::edit::walk_inside(func, op);
        for op in std::iter::once(op).chain(inside) {
            for v in &mut func.op_mut(op).operands {
                if let Some((_, new)) = pairs.iter().find(|(old, _)| old == v) {
                    *v = *new;
                }
            }
        }
    }

    /// `affine.parallel`: its body yields what is combined with the value so far.
    pub fn reduced(
        &mut self,
        head: &Head,
        bounds: &Bounds,
        reductions: &[Reduction],
        types: &[ValueType],
        body: RegionId,
    ) -> Parsed<()> {
        let scalars: Vec<Type> = types.iter().filter_map(ValueType::scalar).collect();
        let end = self.state.func.entry(body).and_then(|b| self.state.func.terminator(b));
        let yielded = end.map_or(Vec::new(), |op| self.state.func.op(op).operands.clone());
        if scalars.len() != reductions.len() || yielded.len() != reductions.len() {
            let message = format!("{} reductions of {} values", reductions.len(), yielded.len());
            return self.error(codes::ARITY, message, head.span.clone());
        }
        let mut inits = Vec::new();
        for (reduction, &ty) in reductions.iter().zip(&scalars) {
            inits.push(self.built(head, Kind::Constant(reduction.neutral(ty)), &[], ty.into()));
        }
        if let (Some(end), Some(block)) = (end, self.state.func.entry(body)) {
            self.state.func.blocks[block.0 as usize].ops.pop();
            let outer = std::mem::replace(&mut self.state.block, block);
            let mut combined = Vec::new();
            for ((reduction, &ty), &value) in reductions.iter().zip(&scalars).zip(&yielded) {
                let so_far = self.state.func.add_argument(block, "", ty.into());
                combined.push(self.plain(head, reduction.kind(), &[so_far, value], ty));
            }
            self.state.func.op_mut(end).operands = combined;
            self.state.func.blocks[block.0 as usize].ops.push(end);
            self.state.block = outer;
        }
        let results = self.nest(head, bounds, &inits, types, body)?;
        self.define(head, &results)
    }

    // Regions that run once.

    pub fn execute_region(&mut self, head: &Head) -> Parsed<()> {
        let types = self.optional_results()?;
        let region = self.region(&[], types.is_empty().then_some(Kind::Yield))?;
        self.optional_attributes()?;
        self.run_once(head, region, &types)
    }

    /// A region of one block is the only way of a switch; jumps in a function's own blocks go on there.
    pub fn run_once(&mut self, head: &Head, region: RegionId, types: &[ValueType]) -> Parsed<()> {
        let func = &self.state.func;
        if func.region(region).blocks.len() <= 1 {
            let zero = self.literal_of(head, 0, Type::Index);
            let op = self.emit(head, Kind::IndexSwitch { cases: Vec::new() }, vec![zero], types)?;
            self.state.func.op_mut(op).regions = vec![region];
            return Ok(());
        }
        if self.nested() {
            let d = Diagnostic::error(codes::NOT_SUPPORTED, "jumps inside of a loop or branch");
            let help = "make it structured first: `mlir-opt --lift-cf-to-scf`, or move it to a function";
            return self.fail(d.at(head.span.clone(), "").help(help));
        }
        let blocks = std::mem::take(&mut self.state.func.regions[region.0 as usize].blocks);
        let entry = blocks[0];
        if !self.state.func.block(entry).arguments.is_empty() {
            return self.error(codes::STRUCTURE, "a region that takes arguments", head.span.clone());
        }
        self.branch(head, entry, Vec::new());
        let around = self.region_of(self.state.block);
        self.state.func.regions[around.0 as usize].blocks.extend(&blocks);
        let next = self.state.func.add_block(around);
        for &block in &blocks {
            let Some(end) = self.state.func.terminator(block) else { continue };
            if self.state.func.op(end).kind == Kind::Yield {
                let record = self.state.func.op_mut(end);
                let arguments = std::mem::take(&mut record.operands);
                record.kind = Kind::Br;
                record.successors = vec![Successor { block: next, arguments }];
            }
        }
        let results: Vec<ValueId> =
            types.iter().map(|ty| self.state.func.add_argument(next, "", ty.clone())).collect();
        self.state.block = next;
        self.define(head, &results)
    }

    fn branch(&mut self, head: &Head, to: BlockId, arguments: Vec<ValueId>) {
        let op = self.build(head, Kind::Br, &[], &[]);
        self.state.func.op_mut(op).successors = vec![Successor { block: to, arguments }];
    }

    fn region_of(&self, block: BlockId) -> RegionId {
        let at = self.state.func.regions.iter().position(|r| r.blocks.contains(&block));
        RegionId(at.expect("the current block is in a region") as u32)
    }
}
