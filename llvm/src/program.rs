//! One function of the LLVM dialect with ids in the place of names.

use crate::text::{self, Attr, Place};
use crate::types::Ty;
use std::collections::{BTreeMap, BTreeSet};

/// Index of a value in [`Function::values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(pub usize);

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Def {
    Argument { block: usize, index: usize },
    Op(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub ty: Ty,
    pub def: Def,
}

/// An operation; jumps have their arguments apart from the operands.
#[derive(Clone, Debug)]
pub(crate) struct Inst {
    pub op: text::Op,
    pub operands: Vec<Id>,
    pub result: Option<Id>,
    pub successors: Vec<(usize, Vec<Id>)>,
}

impl Inst {
    pub fn name(&self) -> &str {
        self.op.name.strip_prefix("llvm.").unwrap_or(&self.op.name)
    }

    pub fn place(&self) -> Option<&Place> {
        self.op.place.as_ref()
    }

    /// Whether it accesses memory that is volatile.
    pub fn is_volatile(&self) -> bool {
        self.op.attribute("volatile_").is_some() || self.op.integer("isVolatile").is_some_and(|v| v != 0)
    }

    /// Whether the access is atomic.
    pub fn is_atomic(&self) -> bool {
        let ordered = self.op.integer("ordering").is_some_and(|o| o != 0);
        ordered && matches!(self.name(), "load" | "store")
            || matches!(self.name(), "atomicrmw" | "cmpxchg" | "fence")
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct BasicBlock {
    pub arguments: Vec<Id>,
    pub insts: Vec<usize>,
    /// The operations that the entry reaches and that jump here.
    pub jumps: Vec<usize>,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub symbol: String,
    pub values: Vec<Value>,
    pub insts: Vec<Inst>,
    pub blocks: Vec<BasicBlock>,
    /// The blocks that the entry reaches, each after its dominators.
    pub order: Vec<usize>,
    /// Attributes of each argument.
    pub promises: Vec<Vec<String>>,
    /// Types of the arguments, as the function's type has them.
    pub parameters: Vec<Ty>,
    pub result: Ty,
    pub variadic: bool,
    pub place: Option<Place>,
}

impl Function {
    pub fn ty(&self, id: Id) -> &Ty {
        &self.values[id.0].ty
    }

    /// The operation that gives a value.
    pub fn inst(&self, id: Id) -> Option<&Inst> {
        match self.values[id.0].def {
            Def::Op(inst) => Some(&self.insts[inst]),
            Def::Argument { .. } => None,
        }
    }

    /// The operation of that name that gives a value.
    pub fn made_by(&self, id: Id, name: &str) -> Option<&Inst> {
        self.inst(id).filter(|i| i.name() == name)
    }

    /// The number that a value always is, signed.
    pub fn constant(&self, id: Id) -> Option<i64> {
        let inst = self.inst(id)?;
        match inst.name() {
            "mlir.zero" if matches!(self.ty(id), Ty::Int(_)) => Some(0),
            "mlir.constant" => match inst.op.attribute("value")? {
                Attr::Number(text, Some(Ty::Int(_))) => text.parse::<i128>().ok().map(|n| n as i64),
                _ => None,
            },
            _ => None,
        }
    }

    /// Takes operations out of their blocks.
    pub fn remove(&mut self, gone: &BTreeSet<usize>) {
        self.blocks.iter_mut().for_each(|block| block.insts.retain(|inst| !gone.contains(inst)));
    }

    /// The operations that the entry reaches, in order.
    pub fn reached(&self) -> impl Iterator<Item = usize> + '_ {
        self.order.iter().flat_map(|&b| self.blocks[b].insts.iter().copied())
    }
}

/// Why a function cannot be taken apart, and at which operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    pub why: String,
    pub place: Option<Place>,
}

/// Gives ids to what an `llvm.func` names.
pub(crate) fn function(op: &text::Op) -> Result<Function, Broken> {
    let broken = |op: &text::Op, why: String| Broken { why, place: op.place.clone() };
    let Some(Ty::Func { result, variadic, parameters }) = op.ty("function_type") else {
        return Err(broken(op, "a function has no type".into()));
    };
    let mut out = Function {
        symbol: op.string("sym_name").unwrap_or_default(),
        values: Vec::new(),
        insts: Vec::new(),
        blocks: Vec::new(),
        order: Vec::new(),
        promises: argument_promises(op),
        parameters: parameters.clone(),
        result: (**result).clone(),
        variadic: *variadic,
        place: op.place.clone(),
    };
    let blocks = op.regions.first().map_or(&[][..], |r| &r[..]);
    let numbers: BTreeMap<&str, usize> = blocks.iter().enumerate().map(|(i, b)| (&b.name[..], i)).collect();
    if numbers.len() < blocks.len() {
        return Err(broken(op, "two blocks have one name".into()));
    }
    let mut names: BTreeMap<&str, Id> = BTreeMap::new();
    // Definitions first: uses may stand before them.
    for (b, block) in blocks.iter().enumerate() {
        let mut made = BasicBlock::default();
        for (index, (name, ty)) in block.arguments.iter().enumerate() {
            let id = Id(out.values.len());
            out.values.push(Value { ty: ty.clone(), def: Def::Argument { block: b, index } });
            names.insert(name, id);
            made.arguments.push(id);
        }
        for inner in &block.ops {
            let inst = out.insts.len();
            let result = inner.results.first().zip(inner.result_types.first()).map(|(name, ty)| {
                let id = Id(out.values.len());
                out.values.push(Value { ty: ty.clone(), def: Def::Op(inst) });
                names.insert(name, id);
                id
            });
            made.insts.push(inst);
            out.insts.push(Inst { op: inner.clone(), operands: Vec::new(), result, successors: Vec::new() });
        }
        out.blocks.push(made);
    }
    if names.len() < out.values.len() {
        return Err(broken(op, "two values have one name".into()));
    }
    for inst in &mut out.insts {
        let mut operands = Vec::new();
        for name in &inst.op.operands {
            let id =
                names.get(&name[..]).ok_or_else(|| broken(&inst.op, format!("`%{name}` is not defined")))?;
            operands.push(*id);
        }
        let mut targets = Vec::new();
        for name in &inst.op.successors {
            let number = numbers.get(&name[..]);
            targets.push(*number.ok_or_else(|| broken(&inst.op, format!("`^{name}` is not defined")))?);
        }
        let counts = jump_arguments(&inst.op, operands.len(), targets.len());
        let taken = counts.iter().try_fold(0usize, |sum, &n| sum.checked_add(n));
        let first = taken.and_then(|taken| operands.len().checked_sub(taken));
        let first = first.ok_or_else(|| broken(&inst.op, "a jump has less arguments than it says".into()))?;
        let mut at = first;
        for (target, count) in targets.into_iter().zip(counts) {
            inst.successors.push((target, operands[at..at + count].to_vec()));
            at += count;
        }
        operands.truncate(first);
        inst.operands = operands;
    }
    out.order = reverse_postorder(&out);
    for jump in out.reached().collect::<Vec<_>>() {
        for to in out.insts[jump].successors.iter().map(|s| s.0) {
            // A switch may jump here in several cases.
            if out.blocks[to].jumps.last() != Some(&jump) {
                out.blocks[to].jumps.push(jump);
            }
        }
    }
    Ok(out)
}

fn argument_promises(op: &text::Op) -> Vec<Vec<String>> {
    let Some(Attr::List(list)) = op.attribute("arg_attrs") else { return Vec::new() };
    let names = |a: &Attr| match a {
        Attr::Dict(entries) => entries.iter().map(|(name, _)| name.clone()).collect(),
        _ => Vec::new(),
    };
    list.iter().map(names).collect()
}

/// How many of the last operands go to each successor.
fn jump_arguments(op: &text::Op, operands: usize, successors: usize) -> Vec<usize> {
    let segments: Vec<usize> =
        op.integers("operandSegmentSizes").iter().map(|&n| usize::try_from(n).unwrap_or(0)).collect();
    match (op.name.as_str(), successors) {
        (_, 0) => Vec::new(),
        ("llvm.switch", _) => {
            let cases = op.integers("case_operand_segments").iter().map(|&n| usize::try_from(n).unwrap_or(0));
            let default = segments.get(1).copied().unwrap_or(0);
            [default].into_iter().chain(cases).take(successors).collect()
        }
        ("llvm.indirectbr", _) => {
            let counts = op.integers("indbr_operand_segments").iter();
            counts.map(|&n| usize::try_from(n).unwrap_or(0)).take(successors).collect()
        }
        (_, 1) if segments.is_empty() => vec![operands],
        _ => segments.into_iter().skip(1).take(successors).collect(),
    }
}

fn reverse_postorder(function: &Function) -> Vec<usize> {
    let targets = |block: usize| -> Vec<usize> {
        let last = function.blocks[block].insts.last();
        last.map_or(Vec::new(), |&i| function.insts[i].successors.iter().map(|s| s.0).collect())
    };
    let mut out = Vec::new();
    if function.blocks.is_empty() {
        return out;
    }
    let mut seen = vec![false; function.blocks.len()];
    seen[0] = true;
    let mut stack = vec![(0, targets(0))];
    while let Some((block, left)) = stack.last_mut() {
        match left.pop() {
            Some(next) if !seen[next] => {
                seen[next] = true;
                stack.push((next, targets(next)));
            }
            Some(_) => {}
            None => {
                out.push(*block);
                stack.pop();
            }
        }
    }
    out.reverse();
    out
}
