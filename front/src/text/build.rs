//! Operations that the reader writes itself, for what is read as others.

use super::parser::{Head, Parsed, Parser, FIRST_FORWARD};
use crate::codes;
use crate::ir::{BlockId, Kind, OpId, RegionId, ValueDef, ValueId, ValueType};
use loom_dfg::{Op, OpKind, Type};

pub(super) const INDEX: ValueType = ValueType::Scalar(Type::Index);

/// Bounds and steps of nested loops, the outermost first.
pub(super) struct Bounds {
    pub lower: Vec<ValueId>,
    pub upper: Vec<ValueId>,
    pub step: Vec<ValueId>,
    /// Iterations are in no order: none touches a word that another one writes.
    pub independent: bool,
}

impl Parser<'_> {
    /// An operation at the end of the current block, where `head` stands.
    pub fn build(&mut self, head: &Head, kind: Kind, operands: &[ValueId], types: &[ValueType]) -> OpId {
        let op = self.state.func.push_op(self.state.block, kind, operands, types);
        self.state.func.op_mut(op).span = Some(head.span.clone());
        op
    }

    /// Its one result.
    pub fn built(&mut self, head: &Head, kind: Kind, operands: &[ValueId], ty: ValueType) -> ValueId {
        let op = self.build(head, kind, operands, &[ty]);
        self.state.func.result(op, 0)
    }

    /// An op of the table.
    pub fn compute(&mut self, head: &Head, op: Op, operands: &[ValueId], ty: Type) -> ValueId {
        self.built(head, Kind::Scalar(op), operands, ValueType::Scalar(ty))
    }

    /// One without configuration.
    pub fn plain(&mut self, head: &Head, kind: OpKind, operands: &[ValueId], ty: Type) -> ValueId {
        self.compute(head, Op::Plain(kind), operands, ty)
    }

    /// A literal, of as many bits as its type has.
    pub fn literal_of(&mut self, head: &Head, number: i64, ty: Type) -> ValueId {
        let bits = loom_base::truncate(number as u64, ty.width(64));
        self.built(head, Kind::Constant(bits), &[], ValueType::Scalar(ty))
    }

    /// Gives an operation's names to values that were built for it.
    pub fn define(&mut self, head: &Head, values: &[ValueId]) -> Parsed<()> {
        debug_assert!(values.iter().all(|v| v.0 < FIRST_FORWARD), "what was built is there");
        self.check_named(head, values.len())?;
        self.name_results(head, values);
        Ok(())
    }

    /// A region that the reader fills: the current block is its entry until [`Parser::leave`].
    pub fn enter(&mut self) -> (RegionId, BlockId) {
        let region = self.state.func.add_region();
        let block = self.state.func.add_block(region);
        (region, std::mem::replace(&mut self.state.block, block))
    }

    /// Ends a region with what it yields; `outer` is current again.
    pub fn leave(&mut self, head: &Head, outer: BlockId, yielded: &[ValueId]) {
        self.build(head, Kind::Yield, yielded, &[]);
        self.state.block = outer;
    }

    /// A loop that the reader fills, over 0 to a bound in steps of one: its index. Ended by [`Parser::end_count`].
    pub fn count_to(&mut self, head: &Head, bound: ValueId) -> (OpId, BlockId, ValueId) {
        let [zero, one] = [0, 1].map(|n| self.literal_of(head, n, Type::Index));
        let kind = Kind::COUNT_UP;
        let op = self.build(head, kind, &[zero, bound, one], &[]);
        let (region, outer) = self.enter();
        self.state.func.op_mut(op).regions = vec![region];
        let index = self.state.func.add_argument(self.state.block, "", INDEX);
        (op, outer, index)
    }

    /// Ends the loop: the block around it is current again.
    pub fn end_count(&mut self, head: &Head, outer: BlockId) {
        self.leave(head, outer, &[]);
    }

    /// Loops inside each other around a region that was read: its entry block has an argument for each loop, then those
    /// that each iteration hands to the next. What the outermost gives at its end.
    pub fn nest(
        &mut self,
        head: &Head,
        bounds: &Bounds,
        inits: &[ValueId],
        types: &[ValueType],
        body: RegionId,
    ) -> Parsed<Vec<ValueId>> {
        let loops = bounds.lower.len();
        let inner = self.state.func.entry(body);
        let arguments = inner.map_or(Vec::new(), |b| self.state.func.block(b).arguments.clone());
        let fits = bounds.upper.len() == loops && bounds.step.len() == loops && inits.len() == types.len();
        let (Some(inner), true) = (inner, loops > 0 && fits && arguments.len() == loops + inits.len()) else {
            let message =
                format!("`{}` has bounds, values and a body for different numbers of loops", head.name);
            return self.error(codes::ARITY, message, head.span.clone());
        };
        let kind = Kind::COUNT_UP;
        let outer = self.state.block;
        let (mut carried, mut made) = (inits.to_vec(), Vec::new());
        for (level, &induction) in arguments[..loops].iter().enumerate() {
            let mut operands = vec![bounds.lower[level], bounds.upper[level], bounds.step[level]];
            operands.extend(&carried);
            let op = self.build(head, kind.clone(), &operands, types);
            self.state.func.op_mut(op).hints.independent = bounds.independent;
            made.push(op);
            if level + 1 == loops {
                self.state.func.op_mut(op).regions = vec![body];
                break;
            }
            let (region, _) = self.enter();
            self.state.func.op_mut(op).regions = vec![region];
            self.move_argument(induction);
            let block = self.state.block;
            carried = types.iter().map(|ty| self.state.func.add_argument(block, "", ty.clone())).collect();
        }
        self.state.func.blocks[inner.0 as usize].arguments.drain(..loops - 1);
        self.renumber(inner);
        for pair in made.windows(2).rev() {
            let results = self.state.func.op(pair[1]).results.clone();
            let region = self.state.func.op(pair[0]).regions[0];
            self.state.block = self.state.func.entry(region).expect("it was entered");
            self.build(head, Kind::Yield, &results, &[]);
        }
        self.state.block = outer;
        Ok(self.state.func.op(made[0]).results.clone())
    }

    /// Makes a value the first argument of the current block.
    fn move_argument(&mut self, value: ValueId) {
        let block = self.state.block;
        self.state.func.blocks[block.0 as usize].arguments.push(value);
        self.renumber(block);
    }

    fn renumber(&mut self, block: BlockId) {
        for (index, v) in self.state.func.block(block).arguments.clone().into_iter().enumerate() {
            self.state.func.values[v.0 as usize].def = ValueDef::Argument { block, index };
        }
    }
}
