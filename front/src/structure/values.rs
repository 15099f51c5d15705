//! Variables and operations while a graph is written.

use super::emit::{Emitted, Emitter};
use crate::codes;
use crate::ir::{Kind, OpId, RegionId, ValueDef, ValueId, ValueType};
use crate::predicate::opposite;
use loom_base::Diagnostic;
use loom_dfg::{Op, OpKind, Type};
use std::collections::BTreeMap;

impl Emitter<'_, '_> {
    /// What a variable is here. One that no way to here has written is never read in earnest.
    pub fn get(&mut self, variable: ValueId) -> Emitted<ValueId> {
        match (self.env[variable.0 as usize], self.graph.view_behind(variable)) {
            (Some(value), _) => Ok(value),
            (None, Some(view)) => {
                self.operation(view)?;
                self.get(variable)
            }
            (None, None) => self.nothing(variable),
        }
    }

    pub fn set(&mut self, variable: ValueId, value: ValueId) {
        self.log.push((variable, self.env[variable.0 as usize]));
        self.env[variable.0 as usize] = Some(value);
    }

    /// Writes variables at once.
    pub fn write(&mut self, writes: &[(ValueId, ValueId)]) -> Emitted<()> {
        let mut values = Vec::new();
        for &(_, from) in writes {
            values.push(self.get(from)?);
        }
        writes.iter().zip(values).for_each(|(w, value)| self.set(w.0, value));
        Ok(())
    }

    pub fn mark(&self) -> usize {
        self.log.len()
    }

    /// What was written since a mark, as it is now.
    pub fn changed(&self, mark: usize) -> BTreeMap<ValueId, ValueId> {
        self.log[mark..].iter().filter_map(|&(v, _)| Some((v, self.env[v.0 as usize]?))).collect()
    }

    pub fn take_back(&mut self, mark: usize) {
        while self.log.len() > mark {
            if let Some((v, old)) = self.log.pop() {
                self.env[v.0 as usize] = old;
            }
        }
    }

    /// Stands for a variable that has no value.
    pub fn nothing(&mut self, variable: ValueId) -> Emitted<ValueId> {
        if let Some(ty) = self.graph.ty(variable).scalar() {
            return Ok(self.at_top(None, ty));
        }
        let func = self.graph.func;
        let span = match func.value(variable).def {
            ValueDef::Result { op, .. } => func.op(op).span.clone(),
            ValueDef::Argument { .. } => func.span.clone(),
        };
        let d = Diagnostic::error(codes::NOT_LOWERED, "a memref chosen by control flow").at_opt(span, "");
        Err(vec![d.help("access each memref where it is known, under its own condition")])
    }

    pub fn literal(&mut self, bits: u64, ty: Type) -> ValueId {
        self.at_top(Some(bits), ty)
    }

    fn at_top(&mut self, bits: Option<u64>, ty: Type) -> ValueId {
        if let Some(&value) = self.literals.get(&(bits, ty)) {
            return value;
        }
        let op = self.out.create_op(bits.map_or(Kind::Poison, Kind::Constant), &[], &[ValueType::Scalar(ty)]);
        self.top.push(op);
        let value = self.out.result(op, 0);
        self.literals.insert((bits, ty), value);
        value
    }

    pub fn scalar(&mut self, op: Op, operands: &[ValueId], ty: Type) -> ValueId {
        let op = self.out.push_op(self.at, Kind::Scalar(op), operands, &[ValueType::Scalar(ty)]);
        self.out.op_mut(op).span.clone_from(&self.span);
        self.out.result(op, 0)
    }

    /// A select, or the cheaper op that does the same for a bit.
    pub fn select(&mut self, test: ValueId, yes: ValueId, no: ValueId) -> ValueId {
        let bit = |e: &Self, v: ValueId| {
            e.out.ty(v).scalar().filter(|&t| t == Type::I1)?;
            crate::edit::constant(&e.out, v).map(|bits| bits & 1 == 1)
        };
        match (bit(self, yes), bit(self, no)) {
            _ if yes == no => yes,
            (Some(true), Some(false)) => test,
            (Some(false), Some(true)) => self.negate(test),
            (None, Some(false)) => self.scalar(Op::Plain(OpKind::Andi), &[test, yes], Type::I1),
            (Some(true), None) => self.scalar(Op::Plain(OpKind::Ori), &[test, no], Type::I1),
            _ => {
                let ty = self.out.ty(yes).scalar().unwrap_or(Type::Index);
                self.scalar(Op::Plain(OpKind::Select), &[test, yes, no], ty)
            }
        }
    }

    /// The opposite of a bit; that of a comparison is a comparison.
    pub fn negate(&mut self, test: ValueId) -> ValueId {
        if let ValueDef::Result { op, .. } = self.out.value(test).def {
            if let Kind::Scalar(Op::Cmpi(predicate)) = self.out.op(op).kind {
                let operands = self.out.op(op).operands.clone();
                return self.scalar(Op::Cmpi(opposite(predicate)), &operands, Type::I1);
            }
        }
        let one = self.literal(1, Type::I1);
        self.scalar(Op::Plain(OpKind::Xori), &[test, one], Type::I1)
    }

    /// Gives a value the name of a variable.
    pub fn name(&mut self, value: ValueId, variable: ValueId) {
        self.out.values[value.0 as usize].name = self.graph.name(variable).to_string();
    }

    /// Writes an operation of the source, with all that is in it.
    pub fn operation(&mut self, op: OpId) -> Emitted<()> {
        let source = self.graph.func.op(op);
        let mut operands = Vec::new();
        for &v in &source.operands {
            operands.push(self.get(v)?);
        }
        let types: Vec<ValueType> = source.results.iter().map(|&r| self.graph.ty(r).clone()).collect();
        let new = self.out.push_op(self.at, source.kind.clone(), &operands, &types);
        let record = self.out.op_mut(new);
        record.nsw = source.nsw;
        record.hints = source.hints;
        record.span.clone_from(&source.span);
        for (k, &variable) in source.results.iter().enumerate() {
            let value = self.out.result(new, k);
            self.name(value, variable);
            self.set(variable, value);
        }
        for &region in &source.regions {
            let inner = self.inner(region)?;
            self.out.op_mut(new).regions.push(inner);
        }
        Ok(())
    }

    fn inner(&mut self, region: RegionId) -> Emitted<RegionId> {
        let func = self.graph.func;
        let new = self.out.add_region();
        let outer = self.at;
        for &block in &func.region(region).blocks {
            self.at = self.out.add_block(new);
            for &argument in &func.block(block).arguments {
                let ty = func.ty(argument).clone();
                let value = self.out.add_argument(self.at, func.value(argument).name.clone(), ty);
                self.set(argument, value);
            }
            for &op in &func.block(block).ops {
                self.operation(op)?;
            }
        }
        self.at = outer;
        Ok(new)
    }
}
