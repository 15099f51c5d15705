//! The dialect `affine`, which is read as `scf`, `arith` and `memref`.

mod map;

pub(super) use map::Map;

use super::build::{Bounds, INDEX};
use super::expand::Reduction;
use super::generic::Parts;
use super::ops::unknown;
use super::parser::{Argument, Head, Operand, Parsed, Parser};
use super::terms::Attr;
use crate::codes;
use crate::ir::{Kind, RegionId, ValueId, ValueType};
use loom_dfg::{Op, OpKind, Predicate, Type};
use loom_mlir::Tok;
use map::{Applied, Arith, Expr, Names};

impl Parser<'_> {
    // What they compute.

    fn expression(&mut self, head: &Head, e: &Expr, operands: &[ValueId]) -> ValueId {
        let ty = Type::Index;
        match e {
            Expr::Number(n) => self.literal_of(head, *n, ty),
            Expr::Operand(at) => operands[*at],
            Expr::Both(Arith::Mul, a, b) if matches!(**b, Expr::Number(-1)) => {
                let [zero, a] = [&Expr::Number(0), a].map(|e| self.expression(head, e, operands));
                self.plain(head, OpKind::Subi, &[zero, a], ty)
            }
            Expr::Both(op, a, b) => {
                let [x, y] = [a, b].map(|e| self.expression(head, e, operands));
                let kind = match op {
                    Arith::Add => OpKind::Addi,
                    Arith::Mul => OpKind::Muli,
                    Arith::FloorDiv => OpKind::Floordivsi,
                    Arith::CeilDiv => OpKind::Ceildivsi,
                    // The remainder of a division downwards.
                    Arith::Mod => {
                        let rest = self.plain(head, OpKind::Remsi, &[x, y], ty);
                        let zero = self.literal_of(head, 0, ty);
                        let below = self.compute(head, Op::Cmpi(Predicate::Slt), &[rest, zero], Type::I1);
                        let up = self.plain(head, OpKind::Addi, &[rest, y], ty);
                        return self.plain(head, OpKind::Select, &[below, up, rest], ty);
                    }
                };
                self.plain(head, kind, &[x, y], ty)
            }
        }
    }

    fn results_of(&mut self, head: &Head, applied: &Applied) -> Vec<ValueId> {
        applied.map.results.iter().map(|e| self.expression(head, e, &applied.operands)).collect()
    }

    /// The largest or smallest result.
    fn extreme(&mut self, head: &Head, applied: &Applied, kind: OpKind) -> Parsed<ValueId> {
        let results = self.results_of(head, applied);
        let best = results.into_iter().reduce(|a, b| self.plain(head, kind, &[a, b], Type::Index));
        match best {
            Some(best) => Ok(best),
            None => self.error(codes::ATTRIBUTE, "a map without results", head.span.clone()),
        }
    }

    /// A value of the reader's own, which names can be given to.
    fn own(&mut self, head: &Head, value: ValueId) -> ValueId {
        let zero = self.literal_of(head, 0, Type::Index);
        self.plain(head, OpKind::Addi, &[value, zero], Type::Index)
    }

    /// Whether the operands are in a set.
    fn holds(&mut self, head: &Head, set: &Applied) -> ValueId {
        let mut all = None;
        for (e, &equal) in set.map.results.iter().zip(&set.map.equal) {
            let value = self.expression(head, e, &set.operands);
            let zero = self.literal_of(head, 0, Type::Index);
            let predicate = if equal { Predicate::Eq } else { Predicate::Sge };
            let one = self.compute(head, Op::Cmpi(predicate), &[value, zero], Type::I1);
            all = Some(match all {
                Some(others) => self.plain(head, OpKind::Andi, &[others, one], Type::I1),
                None => one,
            });
        }
        all.unwrap_or_else(|| self.literal_of(head, 1, Type::I1))
    }

    // Operations.

    pub fn affine(&mut self, head: &Head) -> Parsed<()> {
        match head.name.as_str() {
            "affine.apply" | "affine.min" | "affine.max" => {
                let applied = self.applied()?;
                self.optional_attributes()?;
                self.affine_value(head, &applied)
            }
            "affine.load" | "affine.store" => {
                self.access(head, |p| p.inline_map(b']'), |p, at| p.results_of(head, &at))
            }
            "affine.for" => self.affine_for(head),
            "affine.if" => {
                let set = self.applied()?;
                let (types, regions) = self.sides()?;
                self.affine_if(head, &set, &types, regions)
            }
            "affine.parallel" => self.affine_parallel(head),
            "affine.yield" => self.values_end(head, Kind::Yield),
            _ => self.fail(unknown(head)),
        }
    }

    /// `affine.apply`, `affine.min` and `affine.max`.
    fn affine_value(&mut self, head: &Head, applied: &Applied) -> Parsed<()> {
        let kind = if head.name == "affine.max" { OpKind::Maxsi } else { OpKind::Minsi };
        if head.name == "affine.apply" && applied.map.results.len() != 1 {
            return self.error(codes::ARITY, "`affine.apply` takes a map with one result", head.span.clone());
        }
        let value = self.extreme(head, applied, kind)?;
        let value = self.own(head, value);
        self.define(head, &[value])
    }

    /// A bound of `affine.for`: a number, a value, or a map, with `max` or `min` before one of several results.
    fn affine_bound(&mut self, head: &Head, kind: OpKind) -> Parsed<ValueId> {
        match self.peek() {
            Tok::Integer | Tok::Mark(b'-') => {
                let n = self.integer()?;
                Ok(self.literal_of(head, n, Type::Index))
            }
            Tok::Value => {
                let operand = self.operand()?;
                Ok(self.value(&operand, &INDEX))
            }
            _ => {
                let _ = self.eat_word("max") || self.eat_word("min");
                let applied = self.applied()?;
                self.extreme(head, &applied, kind)
            }
        }
    }

    fn affine_for(&mut self, head: &Head) -> Parsed<()> {
        let induction = self.operand()?;
        self.expect(b'=', "after the induction value")?;
        let lower = self.affine_bound(head, OpKind::Maxsi)?;
        self.expect_word("to")?;
        let upper = self.affine_bound(head, OpKind::Minsi)?;
        let step = if self.eat_word("step") { self.integer()? } else { 1 };
        let (mut bindings, mut types) = (Vec::new(), Vec::new());
        let start = self.span().start;
        if self.eat_word("iter_args") {
            bindings = self.bindings()?;
            self.expect_arrow()?;
            types = self.result_types()?;
        }
        let header = start..self.last_end();
        let (names, inits): (Vec<Operand>, Vec<Operand>) = bindings.into_iter().unzip();
        let inits = self.values(&inits, &types, &header)?;
        let named = std::iter::once((induction, INDEX)).chain(names.into_iter().zip(types.iter().cloned()));
        let arguments: Vec<Argument> =
            named.map(|(o, ty)| Argument { name: o.name, span: o.span, ty: Some(ty) }).collect();
        let step = self.literal_of(head, step, Type::Index);
        let body = self.region(&arguments, types.is_empty().then_some(Kind::Yield))?;
        self.optional_attributes()?;
        let bounds = Bounds { lower: vec![lower], upper: vec![upper], step: vec![step], independent: false };
        let results = self.nest(head, &bounds, &inits, &types, body)?;
        self.define(head, &results)
    }

    fn affine_if(
        &mut self,
        head: &Head,
        set: &Applied,
        types: &[ValueType],
        regions: [RegionId; 2],
    ) -> Parsed<()> {
        let condition = self.holds(head, set);
        let op = self.emit(head, Kind::If, vec![condition], types)?;
        self.state.func.op_mut(op).regions = regions.to_vec();
        Ok(())
    }

    /// `(0, max(%a, 1))`: for each loop the largest or smallest of its bounds.
    fn parallel_bounds(&mut self, head: &Head, kind: OpKind) -> Parsed<Vec<ValueId>> {
        self.expect(b'(', "of the bounds")?;
        let mut bounds = Vec::new();
        while !self.eat(b')') {
            let applied = match self.eat_word("max") || self.eat_word("min") {
                true => {
                    self.expect(b'(', "of the bounds")?;
                    self.inline_map(b')')?
                }
                false => {
                    let mut names = Names::Values(Vec::new());
                    let one = self.affine_sum(&mut names)?;
                    self.inlined(names, vec![one])
                }
            };
            bounds.push(self.extreme(head, &applied, kind)?);
            if !self.eat(b',') && !self.is(b')') {
                return self.unexpected("`,` or `)` after the bound");
            }
        }
        Ok(bounds)
    }

    fn affine_parallel(&mut self, head: &Head) -> Parsed<()> {
        let arguments = self.inductions()?;
        self.expect(b'=', "after the induction values")?;
        let lower = self.parallel_bounds(head, OpKind::Maxsi)?;
        self.expect_word("to")?;
        let upper = self.parallel_bounds(head, OpKind::Minsi)?;
        let mut steps = vec![1; lower.len()];
        if self.eat_word("step") {
            steps.clear();
            self.expect(b'(', "of the steps")?;
            while !self.eat(b')') {
                steps.push(self.integer()?);
                if !self.eat(b',') && !self.is(b')') {
                    return self.unexpected("`,` or `)` after the step");
                }
            }
        }
        let mut reductions = Vec::new();
        if self.eat_word("reduce") {
            self.expect(b'(', "of the reductions")?;
            while !self.eat(b')') {
                let span = self.span();
                if self.peek() != Tok::Text {
                    return self.unexpected("the name of a reduction");
                }
                let name = self.string();
                reductions.push(self.reduction(Reduction::named(&name), &name, span)?);
                if !self.eat(b',') && !self.is(b')') {
                    return self.unexpected("`,` or `)` after the reduction");
                }
            }
        }
        let types = self.optional_results()?;
        let step = steps.into_iter().map(|n| self.literal_of(head, n, Type::Index)).collect();
        let body = self.region(&arguments, types.is_empty().then_some(Kind::Yield))?;
        self.optional_attributes()?;
        self.reduced(head, &Bounds { lower, upper, step, independent: true }, &reductions, &types, body)
    }

    // Generic form.

    /// Reads an operation of the dialect, if it is one that is known.
    pub fn generic_affine(&mut self, head: &Head, parts: &Parts) -> Parsed<()> {
        let operands = parts.operands.clone();
        match head.name.as_str() {
            "affine.apply" | "affine.min" | "affine.max" => {
                let map = self.map_of(parts, "map")?;
                let applied = self.fits(map, operands, head.span.clone())?;
                self.affine_value(head, &applied)
            }
            "affine.load" | "affine.store" => {
                let map = self.map_of(parts, "map")?;
                let fixed = if head.name == "affine.store" { 2 } else { 1 };
                let subscripts = operands.iter().skip(fixed).copied().collect();
                let at = self.fits(map, subscripts, head.span.clone())?;
                let mut values: Vec<ValueId> = operands.into_iter().take(fixed).collect();
                values.extend(self.results_of(head, &at));
                let kind = if fixed == 2 { Kind::Store } else { Kind::Load };
                self.emit(head, kind, values, &parts.results).map(drop)
            }
            "affine.for" => {
                let (lower, upper) =
                    (self.map_of(parts, "lowerBoundMap")?, self.map_of(parts, "upperBoundMap")?);
                let (first, both) = (lower.operands, lower.operands + upper.operands);
                if operands.len() < both {
                    return self.error(codes::ARITY, "fewer values than its maps take", head.span.clone());
                }
                let step = parts.integer(self, "step")?;
                let lower = Applied { map: lower, operands: operands[..first].to_vec() };
                let upper = Applied { map: upper, operands: operands[first..both].to_vec() };
                let lower = vec![self.extreme(head, &lower, OpKind::Maxsi)?];
                let upper = vec![self.extreme(head, &upper, OpKind::Minsi)?];
                let step = vec![self.literal_of(head, step, Type::Index)];
                let body = self.only_region(parts)?;
                let bounds = Bounds { lower, upper, step, independent: false };
                let results = self.nest(head, &bounds, &operands[both..], &parts.results, body)?;
                self.define(head, &results)
            }
            "affine.if" => {
                let set = self.map_of(parts, "condition")?;
                let set = self.fits(set, operands, head.span.clone())?;
                let [then, other] = parts.regions[..] else {
                    return self.error(codes::STRUCTURE, "`affine.if` has two regions", head.span.clone());
                };
                self.affine_if(head, &set, &parts.results, [then, other])
            }
            "affine.yield" => self.emit(head, Kind::Yield, operands, &[]).map(drop),
            _ => self.fail(unknown(head)),
        }
    }

    /// `affine.parallel` in generic form: the results of its maps are in groups, one for each loop.
    pub fn generic_affine_parallel(&mut self, head: &Head, parts: &Parts) -> Parsed<()> {
        let mut operands = &parts.operands[..];
        let mut sides = Vec::new();
        for (map, groups, kind) in [
            ("lowerBoundsMap", "lowerBoundsGroups", OpKind::Maxsi),
            ("upperBoundsMap", "upperBoundsGroups", OpKind::Minsi),
        ] {
            let map = self.map_of(parts, map)?;
            let Some((own, rest)) = operands.split_at_checked(map.operands) else {
                return self.error(codes::ARITY, "fewer values than its maps take", head.span.clone());
            };
            operands = rest;
            let mut results = &map.results[..];
            let mut bounds = Vec::new();
            for size in parts.integers(self, groups)? {
                let size = usize::try_from(size).unwrap_or(usize::MAX);
                let Some((group, others)) = results.split_at_checked(size) else {
                    return parts.bad(self, groups, "as many as the map has results");
                };
                results = others;
                let map = Map { results: group.to_vec(), ..map.clone() };
                let applied = Applied { map, operands: own.to_vec() };
                bounds.push(self.extreme(head, &applied, kind)?);
            }
            sides.push(bounds);
        }
        let mut reductions = Vec::new();
        for code in parts.integers(self, "reductions")? {
            let found = Reduction::numbered(code);
            reductions.push(self.reduction(found, &code.to_string(), head.span.clone())?);
        }
        let steps = parts.integers(self, "steps")?;
        let step = steps.into_iter().map(|n| self.literal_of(head, n, Type::Index)).collect();
        let body = self.only_region(parts)?;
        let (upper, lower) = (sides.pop().unwrap_or_default(), sides.pop().unwrap_or_default());
        self.reduced(
            head,
            &Bounds { lower, upper, step, independent: true },
            &reductions,
            &parts.results,
            body,
        )
    }

    fn map_of(&mut self, parts: &Parts, name: &str) -> Parsed<Map> {
        match parts.get(name) {
            Some(Attr::Map(map)) => Ok(map.clone()),
            _ => parts.bad(self, name, "an affine map or set"),
        }
    }
}
