//! Generic form: `"dialect.op"(operands)[successors] <{properties}> ({regions}) {attributes} : type`.

use super::ops::{index_op, unknown};
use super::parser::{Head, Operand, Parsed, Parser};
use super::terms::{Attr, Named};
use crate::codes;
use crate::hints::Hints;
use crate::ir::{BlockId, IndexOrOperand, Kind, RegionId, Successor, ValueId, ValueType};
use loom_dfg::text::arith::other_rounding;
use loom_dfg::{Op, OpKind, Predicate, Type};

/// What the generic form of any op says.
pub(super) struct Parts {
    pub operands: Vec<ValueId>,
    /// Of the operands.
    pub types: Vec<ValueType>,
    pub results: Vec<ValueType>,
    successors: Vec<BlockId>,
    pub regions: Vec<RegionId>,
    attributes: Vec<Named>,
    pub head: Head,
}

impl Parts {
    pub fn get(&self, name: &str) -> Option<&Attr> {
        self.attributes.iter().find(|a| a.name == name).map(|a| &a.value)
    }

    pub fn bad<T>(&self, p: &mut Parser, name: &str, wanted: &str) -> Parsed<T> {
        let at = self.attributes.iter().find(|a| a.name == name).map(|a| a.span.clone());
        let message = match at {
            Some(_) => format!("the attribute `{name}` of `{}` must be {wanted}", self.head.name),
            None => format!("`{}` needs the attribute `{name}`, {wanted}", self.head.name),
        };
        p.error(codes::ATTRIBUTE, message, at.unwrap_or(self.head.span.clone()))
    }

    pub fn symbol(&self, p: &mut Parser, name: &str) -> Parsed<String> {
        match self.get(name) {
            Some(Attr::Str(s) | Attr::Symbol(s)) => Ok(s.clone()),
            _ => self.bad(p, name, "a name"),
        }
    }

    pub fn integer(&self, p: &mut Parser, name: &str) -> Parsed<i64> {
        match self.get(name) {
            Some(Attr::Number(n, _)) if n.integer().is_some_and(|n| i64::try_from(n).is_ok()) => {
                Ok(n.integer().unwrap_or(0) as i64)
            }
            _ => self.bad(p, name, "an integer"),
        }
    }

    /// `array<i64: ...>`, `[...]` or `dense<...>`; none when it is not there and may be missing.
    pub fn integers(&self, p: &mut Parser, name: &str) -> Parsed<Vec<i64>> {
        let mut out = Vec::new();
        let found = match self.get(name) {
            Some(Attr::Array(list)) => list.iter().all(|a| integer_of(a).is_some_and(|n| push(&mut out, n))),
            Some(Attr::Dense(literal)) => flatten(literal, &mut out).is_some(),
            None => true,
            _ => false,
        };
        match found {
            true => Ok(out),
            false => self.bad(p, name, "a list of integers"),
        }
    }

    fn groups(&self, p: &mut Parser) -> Parsed<Vec<Vec<usize>>> {
        let group = |a: &Attr| match a {
            Attr::Array(list) => list
                .iter()
                .map(|a| integer_of(a).and_then(|n| usize::try_from(n).ok()).filter(|&n| n < 1000))
                .collect::<Option<Vec<usize>>>(),
            _ => None,
        };
        let found = match self.get("reassociation") {
            Some(Attr::Array(list)) => list.iter().map(group).collect::<Option<Vec<_>>>(),
            _ => None,
        };
        match found {
            Some(groups) => Ok(groups),
            None => self.bad(p, "reassociation", "a list of lists of dimensions"),
        }
    }

    /// A static list in which the smallest number stands for an operand.
    pub fn mixed(&self, p: &mut Parser, name: &str) -> Parsed<Vec<IndexOrOperand>> {
        Ok(self
            .integers(p, name)?
            .into_iter()
            .map(|n| if n == i64::MIN { IndexOrOperand::Operand } else { IndexOrOperand::Fixed(n) })
            .collect())
    }
}

fn push(out: &mut Vec<i64>, n: i64) -> bool {
    out.push(n);
    true
}

pub(super) fn integer_of(attr: &Attr) -> Option<i64> {
    match attr {
        Attr::Number(n, _) => i64::try_from(n.integer()?).ok(),
        _ => None,
    }
}

fn flatten(literal: &super::terms::Literal, out: &mut Vec<i64>) -> Option<()> {
    match literal {
        super::terms::Literal::Leaf(n) => out.push(i64::try_from(n.integer()?).ok()?),
        super::terms::Literal::Bytes(_) => return None,
        super::terms::Literal::List(list) => list.iter().try_for_each(|l| flatten(l, out))?,
    }
    Some(())
}

impl Parser<'_> {
    pub fn generic_parts(&mut self, head: &Head) -> Parsed<Parts> {
        self.expect(b'(', "of the operands")?;
        let operands: Vec<Operand> = self.operands_to(b')')?;
        let mut successors = Vec::new();
        if self.eat(b'[') {
            while !self.eat(b']') {
                successors.push(self.successor()?);
                if !self.eat(b',') && !self.is(b']') {
                    return self.unexpected("`,` or `]` after the block");
                }
            }
        }
        let mut attributes = Vec::new();
        if self.eat(b'<') {
            attributes = self.attributes()?;
            self.expect(b'>', "after the properties")?;
        }
        let mut regions = Vec::new();
        if self.eat(b'(') {
            while !self.eat(b')') {
                regions.push(self.region(&[], None)?);
                if !self.eat(b',') && !self.is(b')') {
                    return self.unexpected("`,` or `)` after the region");
                }
            }
        }
        attributes.extend(self.optional_attributes()?);
        self.expect(b':', "before the type")?;
        // A function type of a function's own is an attribute; here are only values.
        let (from, results) = self.function_type()?;
        let operands = self.values(&operands, &from, &head.span)?;
        Ok(Parts { operands, types: from, results, successors, regions, attributes, head: head.clone() })
    }

    pub fn generic(&mut self, head: &Head) -> Parsed<()> {
        let parts = self.generic_parts(head)?;
        if let Some(done) = self.generic_sugar(head, &parts) {
            return done;
        }
        let kind = self.generic_kind(&parts)?;
        let mut operands = parts.operands.clone();
        let successors = self.generic_successors(&parts, &kind, &mut operands)?;
        let mut regions = parts.regions.clone();
        // An empty region stands for a missing else.
        for &region in &regions {
            let blocks = &self.state.func.region(region).blocks;
            let empty = match blocks[..] {
                [b] => {
                    let b = self.state.func.block(b);
                    b.ops.is_empty() && b.arguments.is_empty()
                }
                _ => false,
            };
            if empty {
                self.state.func.regions[region.0 as usize].blocks.clear();
            }
        }
        if kind == Kind::If && regions.len() == 1 {
            regions.push(self.state.func.add_region());
        }
        let nsw = match parts.get("overflowFlags") {
            Some(Attr::Other(text)) => text.contains("nsw"),
            _ => false,
        };
        let hinted = matches!(
            kind,
            Kind::For { .. }
                | Kind::While
                | Kind::Br
                | Kind::CondBr
                | Kind::Switch { .. }
                | Kind::Alloc { .. }
        );
        let hints = if hinted { self.hints(&parts.attributes)? } else { Hints::default() };
        let op = self.emit(head, kind, operands, &parts.results)?;
        let op = self.state.func.op_mut(op);
        (op.regions, op.successors, op.nsw, op.hints) = (regions, successors, nsw, hints);
        Ok(())
    }

    fn generic_successors(
        &mut self,
        parts: &Parts,
        kind: &Kind,
        operands: &mut Vec<ValueId>,
    ) -> Parsed<Vec<Successor>> {
        let mut sizes: Vec<i64> = match kind {
            Kind::Br => vec![operands.len() as i64],
            Kind::CondBr => self.segments(parts, "operandSegmentSizes", "operand_segment_sizes")?,
            Kind::Switch { .. } => {
                let mut sizes = self.segments(parts, "operandSegmentSizes", "operand_segment_sizes")?;
                sizes.truncate(2);
                sizes.extend(parts.integers(self, "case_operand_segments")?);
                sizes
            }
            _ => Vec::new(),
        };
        let fixed = usize::from(!matches!(kind, Kind::Br));
        if !sizes.is_empty() && fixed == 1 {
            sizes.remove(0);
        }
        let total: i64 = sizes.iter().try_fold(0i64, |n, &s| n.checked_add(s)).unwrap_or(-1);
        let want = operands.len() as i64 - fixed as i64;
        let jumps = matches!(kind, Kind::Br | Kind::CondBr | Kind::Switch { .. });
        let fits = if jumps { sizes.len() == parts.successors.len() && total == want } else { true };
        if !fits || sizes.iter().any(|&s| s < 0) || (!jumps && !parts.successors.is_empty()) {
            let message = format!("the blocks of `{}` do not fit its operands", parts.head.name);
            return self.error(codes::ARITY, message, parts.head.span.clone());
        }
        if !jumps {
            return Ok(Vec::new());
        }
        let mut rest = operands.split_off(fixed).into_iter();
        Ok((parts.successors.iter().zip(sizes))
            .map(|(&block, n)| Successor { block, arguments: rest.by_ref().take(n as usize).collect() })
            .collect())
    }

    pub fn segments(&mut self, parts: &Parts, name: &str, old: &str) -> Parsed<Vec<i64>> {
        let name = if parts.get(name).is_some() { name } else { old };
        parts.integers(self, name)
    }

    fn generic_kind(&mut self, parts: &Parts) -> Parsed<Kind> {
        Ok(match parts.head.name.as_str() {
            "arith.constant" | "index.constant" | "index.bool.constant" => {
                let ty = parts.results.first().and_then(ValueType::scalar).unwrap_or(Type::Index);
                match parts.get("value").cloned() {
                    Some(Attr::Number(n, _)) => Kind::Constant(self.bits(&n, ty)?),
                    Some(attr) => Kind::Constant(self.constant_bits(&attr, parts.head.span.clone())?.0),
                    None => return parts.bad(self, "value", "a number"),
                }
            }
            "arith.cmpi" | "arith.cmpf" => {
                let (kind, allowed) = match parts.head.name.as_str() {
                    "arith.cmpi" => (OpKind::Cmpi, "0 to 9"),
                    _ => (OpKind::Cmpf, "0 to 15"),
                };
                let code = u64::try_from(parts.integer(self, "predicate")?).ok();
                match code.and_then(|code| Op::comparison(kind, code)) {
                    Some(op) => Kind::Scalar(op),
                    None => return parts.bad(self, "predicate", allowed),
                }
            }
            "index.cmp" => match parts.get("pred") {
                Some(Attr::Other(text)) => {
                    let word = text.trim_end_matches([')', '>', ' ']);
                    let word = word.rsplit(['(', '<', ' ']).next().unwrap_or("");
                    match Predicate::parse(word) {
                        Some(p) => Kind::Scalar(Op::Cmpi(p)),
                        None => return parts.bad(self, "pred", "a predicate"),
                    }
                }
                _ => return parts.bad(self, "pred", "a predicate"),
            },
            "ub.poison" => Kind::Poison,
            "loom.fence" => Kind::Fence,
            "scf.if" => Kind::If,
            "scf.for" if parts.get("unsignedCmp").is_some() => {
                return parts.bad(self, "unsignedCmp", "missing: loops count with signed numbers")
            }
            "scf.for" => Kind::COUNT_UP,
            "scf.while" => Kind::While,
            "scf.index_switch" => Kind::IndexSwitch { cases: parts.integers(self, "cases")? },
            "scf.yield" => Kind::Yield,
            "scf.condition" => Kind::Condition,
            "memref.load" => Kind::Load,
            "memref.store" => Kind::Store,
            "memref.alloc" => Kind::Alloc { on_stack: false },
            "memref.alloca" => Kind::Alloc { on_stack: true },
            "memref.dealloc" => Kind::Dealloc,
            "memref.cast" => Kind::Cast,
            "memref.dim" => Kind::Dim,
            "memref.get_global" => Kind::GetGlobal(parts.symbol(self, "name")?),
            "memref.subview" => Kind::Subview {
                offsets: parts.mixed(self, "static_offsets")?,
                sizes: parts.mixed(self, "static_sizes")?,
                strides: parts.mixed(self, "static_strides")?,
            },
            "memref.reinterpret_cast" => {
                let offsets = parts.mixed(self, "static_offsets")?;
                let [offset] = offsets[..] else {
                    return parts.bad(self, "static_offsets", "one offset");
                };
                Kind::ReinterpretCast {
                    offset,
                    sizes: parts.mixed(self, "static_sizes")?,
                    strides: parts.mixed(self, "static_strides")?,
                }
            }
            "memref.collapse_shape" => Kind::CollapseShape { groups: parts.groups(self)? },
            "memref.expand_shape" => Kind::ExpandShape {
                groups: parts.groups(self)?,
                sizes: parts.mixed(self, "static_output_shape")?,
            },
            "func.call" => Kind::Call(parts.symbol(self, "callee")?),
            "func.return" => Kind::Return,
            "cf.br" => Kind::Br,
            "cf.cond_br" => Kind::CondBr,
            "cf.switch" => Kind::Switch { cases: parts.integers(self, "case_values")? },
            "cf.assert" => Kind::Assert(parts.symbol(self, "msg")?),
            name => match OpKind::arith(name).or_else(|| index_op(name)) {
                Some(kind) => match parts.attributes.iter().find(|a| a.name == "roundingmode") {
                    // 0 is to nearest, ties to even.
                    Some(mode) if integer_of(&mode.value) != Some(0) => {
                        return self.fail(other_rounding(codes::NOT_SUPPORTED, mode.span.clone()));
                    }
                    _ => Kind::Scalar(Op::Plain(kind)),
                },
                None => return self.fail(unknown(&parts.head)),
            },
        })
    }
}
