//! Pretty operations of `scf`, `cf` and `func`.

use super::build::INDEX;
use super::ops::unknown;
use super::parser::{Argument, Head, Operand, Parsed, Parser};
use super::terms::Named;
use crate::codes;
use crate::ir::{Kind, OpId, RegionId, Successor, ValueId, ValueType};
use loom_base::Diagnostic;
use loom_dfg::Type;

const I1: ValueType = ValueType::Scalar(Type::I1);

impl Parser<'_> {
    pub fn flow(&mut self, head: &Head) -> Parsed<()> {
        match head.name.as_str() {
            "scf.if" => self.scf_if(head),
            "scf.for" => self.scf_for(head),
            "scf.while" => self.scf_while(head),
            "scf.index_switch" => self.index_switch(head),
            "scf.yield" => self.values_end(head, Kind::Yield),
            "func.return" | "return" => self.values_end(head, Kind::Return),
            "scf.condition" => {
                self.expect(b'(', "of the condition")?;
                let condition = self.operand()?;
                self.expect(b')', "after the condition")?;
                let mut values = vec![self.value(&condition, &I1)];
                values.extend(self.typed_values()?);
                self.emit(head, Kind::Condition, values, &[]).map(drop)
            }
            "func.call" | "call" => self.call(head),
            "cf.br" => {
                let to = self.jump()?;
                self.jumps(head, Kind::Br, vec![], vec![to])
            }
            "cf.cond_br" => {
                let condition = self.operand()?;
                let condition = self.value(&condition, &I1);
                if self.eat_word("weights") {
                    self.skip_balanced();
                }
                self.expect(b',', "after the condition")?;
                let first = self.jump()?;
                self.expect(b',', "after the first block")?;
                let second = self.jump()?;
                self.jumps(head, Kind::CondBr, vec![condition], vec![first, second])
            }
            "cf.switch" => self.switch(head),
            "cf.assert" => {
                let condition = self.operand()?;
                let condition = self.value(&condition, &I1);
                self.expect(b',', "after the condition")?;
                if self.peek() != loom_mlir::Tok::Text {
                    return self.unexpected("a message in quotes");
                }
                let message = self.string();
                self.optional_attributes()?;
                self.emit(head, Kind::Assert(message), vec![condition], &[]).map(drop)
            }
            _ => self.fail(unknown(head)),
        }
    }

    /// `%a, %b : i32, f32` or nothing.
    fn typed_values(&mut self) -> Parsed<Vec<ValueId>> {
        self.optional_attributes()?;
        if self.peek() != loom_mlir::Tok::Value || self.starts_line() {
            return Ok(Vec::new());
        }
        let start = self.span().start;
        let operands = self.operands()?;
        self.expect(b':', "before the types")?;
        let types = self.value_types()?;
        self.values(&operands, &types, &(start..self.last_end()))
    }

    pub fn values_end(&mut self, head: &Head, kind: Kind) -> Parsed<()> {
        let values = self.typed_values()?;
        self.optional_attributes()?;
        self.emit(head, kind, values, &[]).map(drop)
    }

    /// `^bb1(%a, %b : i32, i32)`.
    fn jump(&mut self) -> Parsed<Successor> {
        let block = self.successor()?;
        let mut arguments = Vec::new();
        if self.eat(b'(') && !self.eat(b')') {
            let start = self.span().start;
            let operands = self.operands()?;
            self.expect(b':', "before the types")?;
            let types = self.types_to(b')')?;
            arguments = self.values(&operands, &types, &(start..self.last_end()))?;
        }
        Ok(Successor { block, arguments })
    }

    /// A jump and the attributes behind it.
    fn jumps(&mut self, head: &Head, kind: Kind, operands: Vec<ValueId>, to: Vec<Successor>) -> Parsed<()> {
        let attributes = self.optional_attributes()?;
        let hints = self.hints(&attributes)?;
        let op = self.emit(head, kind, operands, &[])?;
        let op = self.state.func.op_mut(op);
        (op.successors, op.hints) = (to, hints);
        Ok(())
    }

    fn switch(&mut self, head: &Head) -> Parsed<()> {
        let flag = self.operand()?;
        self.expect(b':', "before the type")?;
        let ty = self.value_type()?;
        let flag = self.value(&flag, &ty);
        self.expect(b',', "after the flag")?;
        self.expect(b'[', "of the cases")?;
        self.expect_word("default")?;
        self.expect(b':', "before the block")?;
        let mut to = vec![self.jump()?];
        let mut cases = Vec::new();
        while self.eat(b',') {
            cases.push(self.integer()?);
            self.expect(b':', "before the block")?;
            to.push(self.jump()?);
        }
        self.expect(b']', "after the cases")?;
        self.jumps(head, Kind::Switch { cases }, vec![flag], to)
    }

    fn with_regions(
        &mut self,
        head: &Head,
        kind: Kind,
        operands: Vec<ValueId>,
        types: &[ValueType],
        regions: Vec<RegionId>,
    ) -> Parsed<OpId> {
        let op = self.emit(head, kind, operands, types)?;
        self.state.func.op_mut(op).regions = regions;
        Ok(op)
    }

    /// The hints of a loop or allocation, from the attributes behind it.
    pub(in crate::text) fn set_hints(&mut self, op: OpId, attributes: &[Named]) -> Parsed<()> {
        self.state.func.op_mut(op).hints = self.hints(attributes)?;
        Ok(())
    }

    fn scf_if(&mut self, head: &Head) -> Parsed<()> {
        let condition = self.operand()?;
        let condition = self.value(&condition, &I1);
        let (types, regions) = self.sides()?;
        self.with_regions(head, Kind::If, vec![condition], &types, regions.to_vec()).map(drop)
    }

    /// What an `if` gives and its two regions; the second is empty where there is no `else`.
    pub fn sides(&mut self) -> Parsed<(Vec<ValueType>, [RegionId; 2])> {
        let types = self.optional_results()?;
        let implied = types.is_empty().then_some(Kind::Yield);
        let then = self.region(&[], implied.clone())?;
        let other = match self.eat_word("else") {
            true => self.region(&[], implied)?,
            false => self.state.func.add_region(),
        };
        self.optional_attributes()?;
        Ok((types, [then, other]))
    }

    /// `(%a = %x, %b = %y)`: the names and what they start with.
    pub fn bindings(&mut self) -> Parsed<Vec<(Operand, Operand)>> {
        let mut list = Vec::new();
        self.expect(b'(', "of the loop's values")?;
        while !self.eat(b')') {
            let name = self.operand()?;
            self.expect(b'=', "after the name")?;
            list.push((name, self.operand()?));
            if !self.eat(b',') && !self.is(b')') {
                return self.unexpected("`,` or `)` after the value");
            }
        }
        Ok(list)
    }

    fn scf_for(&mut self, head: &Head) -> Parsed<()> {
        if self.is_word("unsigned") {
            let d = Diagnostic::error(codes::NOT_SUPPORTED, "`scf.for unsigned`").at(self.span(), "");
            return self.fail(d.help("loops count with signed numbers"));
        }
        let induction = self.operand()?;
        self.expect(b'=', "after the induction value")?;
        let lower = self.operand()?;
        self.expect_word("to")?;
        let upper = self.operand()?;
        self.expect_word("step")?;
        let step = self.operand()?;
        let (mut bindings, mut types) = (Vec::new(), Vec::new());
        let start = self.span().start;
        if self.eat_word("iter_args") {
            bindings = self.bindings()?;
            self.expect_arrow()?;
            types = self.result_types()?;
        }
        let header = start..self.last_end();
        let ty = if self.eat(b':') { self.value_type()? } else { INDEX };
        let mut operands: Vec<ValueId> =
            [&lower, &upper, &step].into_iter().map(|o| self.value(o, &ty)).collect();
        let (names, inits): (Vec<Operand>, Vec<Operand>) = bindings.into_iter().unzip();
        operands.extend(self.values(&inits, &types, &header)?);
        let named = std::iter::once((induction, ty)).chain(names.into_iter().zip(types.iter().cloned()));
        let arguments: Vec<Argument> =
            named.map(|(o, ty)| Argument { name: o.name, span: o.span, ty: Some(ty) }).collect();
        let body = self.region(&arguments, types.is_empty().then_some(Kind::Yield))?;
        let attributes = self.optional_attributes()?;
        let kind = Kind::COUNT_UP;
        let op = self.with_regions(head, kind, operands, &types, vec![body])?;
        self.set_hints(op, &attributes)
    }

    fn scf_while(&mut self, head: &Head) -> Parsed<()> {
        let start = self.span().start;
        let bindings = if self.is(b'(') { self.bindings()? } else { Vec::new() };
        self.expect(b':', "before the type")?;
        let (from, to) = self.function_type()?;
        let header = start..self.last_end();
        let (names, inits): (Vec<Operand>, Vec<Operand>) = bindings.into_iter().unzip();
        let operands = self.values(&inits, &from, &header)?;
        let arguments: Vec<Argument> = (names.into_iter().zip(from))
            .map(|(o, ty)| Argument { name: o.name, span: o.span, ty: Some(ty) })
            .collect();
        let before = self.region(&arguments, None)?;
        self.expect_word("do")?;
        let after = self.region(&[], to.is_empty().then_some(Kind::Yield))?;
        let attributes = if self.eat_word("attributes") { self.attributes()? } else { Vec::new() };
        let op = self.with_regions(head, Kind::While, operands, &to, vec![before, after])?;
        self.set_hints(op, &attributes)
    }

    fn index_switch(&mut self, head: &Head) -> Parsed<()> {
        let flag = self.operand()?;
        let flag = self.value(&flag, &INDEX);
        self.optional_attributes()?;
        // MLIR prints these result types without parentheses.
        let types = match self.eat_arrow() {
            true if self.is(b'(') => self.result_types()?,
            true => self.value_types()?,
            false => Vec::new(),
        };
        let implied = types.is_empty().then_some(Kind::Yield);
        let (mut cases, mut regions) = (Vec::new(), Vec::new());
        while self.eat_word("case") {
            cases.push(self.integer()?);
            regions.push(self.region(&[], implied.clone())?);
        }
        self.expect_word("default")?;
        regions.insert(0, self.region(&[], implied)?);
        self.with_regions(head, Kind::IndexSwitch { cases }, vec![flag], &types, regions).map(drop)
    }
}
