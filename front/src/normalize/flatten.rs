//! Views and dimensions become arithmetic: afterwards every access names a root of rank 1 and one word of it.
//!
//! Extents that text leaves open come from where they are known: the operation that made the view, or an index
//! argument `<memref>_dim<d>` that is added to the function (behind the others) when a stride or `memref.dim` needs
//! it. Refused: memrefs chosen by control flow, open strides and offsets of arguments, allocations of open size.

use crate::codes;
use crate::edit::{self, Changes, InsertionPoint};
use crate::ir::{
    Func, IndexOrOperand, Kind, MemrefLayout, MemrefType, OpId, Operation, ValueDef, ValueId, ValueType,
};
use loom_base::{Diagnostic, Diagnostics};
use loom_dfg::{Op, OpKind, Type};
use std::collections::{BTreeMap, BTreeSet};

/// A number that is known or computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Literal(i64),
    Value(ValueId),
}

/// The outermost extent of an argument, when its type leaves it open and nobody has asked for it.
const OPEN: Number = Number::Literal(-1);
/// A product with an open extent in it, computed where it is needed.
const UNKNOWN: Number = Number::Literal(i64::MIN);

/// What a memref value shows of its root.
#[derive(Clone, Debug)]
struct View {
    root: ValueId,
    offset: Number,
    sizes: Vec<Number>,
    strides: Vec<Number>,
}

/// Rewrites a function of one block per region. Globals are flattened by [`flat_type`] of their type.
pub fn run(func: &mut Func) -> Diagnostics {
    let mut f = Flatten {
        views: BTreeMap::new(),
        extents: BTreeMap::new(),
        changes: Changes::default(),
        errors: Vec::new(),
    };
    forget_rows(func);
    f.arguments(func);
    for op in edit::walk(func) {
        f.operation(func, op);
    }
    if f.errors.is_empty() {
        for op in edit::walk(func) {
            if vanishes(&func.op(op).kind) {
                f.changes.erase(op);
            }
        }
        std::mem::take(&mut f.changes).apply(func);
        f.types(func);
    }
    f.errors
}

/// No word depends on how many rows a view has: where nobody asks for that, it is not computed.
fn forget_rows(func: &mut Func) {
    let ops = edit::walk(func);
    let rows = |op: OpId| match &func.op(op).kind {
        Kind::ReinterpretCast { offset: IndexOrOperand::Fixed(_), sizes, .. }
        | Kind::ExpandShape { sizes, .. } => sizes.first().copied(),
        _ => None,
    };
    let is_only_accessed = |view: ValueId| {
        let asks = |op: &Operation| op.operands.contains(&view) && op.address().first() != Some(&view);
        !ops.iter().any(|&op| asks(func.op(op)))
    };
    let forgotten =
        |op: &OpId| rows(*op) == Some(IndexOrOperand::Operand) && is_only_accessed(func.result(*op, 0));
    for view in ops.iter().copied().filter(forgotten).collect::<Vec<_>>() {
        let record = func.op_mut(view);
        if let Kind::ReinterpretCast { sizes, .. } | Kind::ExpandShape { sizes, .. } = &mut record.kind {
            sizes[0] = IndexOrOperand::Fixed(1);
            record.operands.remove(1);
        }
    }
    let mut may_go = vec![false; func.ops.len()];
    for op in edit::walk(func) {
        may_go[op.0 as usize] = matches!(func.op(op).kind, Kind::Dim | Kind::Scalar(_) | Kind::Constant(_));
    }
    edit::drop_unused(func, &may_go);
}

/// The type of a root after flattening: all its words in one dimension.
pub fn flat_type(ty: &MemrefType) -> MemrefType {
    let words = match &ty.layout {
        MemrefLayout::Identity => ty.words(),
        // Up to the furthest word that static strides reach.
        MemrefLayout::Strided { .. } => reach(ty).and_then(|(_, last)| last.checked_add(1)),
    };
    MemrefType { shape: vec![words], element: ty.element, layout: MemrefLayout::Identity }
}

/// The first and the last word that a strided memref touches, when its numbers are known.
fn reach(ty: &MemrefType) -> Option<(i64, i64)> {
    let MemrefLayout::Strided { strides, offset } = &ty.layout else { return None };
    let (mut first, mut last) = ((*offset)?, (*offset)?);
    for (&n, &s) in ty.shape.iter().zip(strides) {
        let far = n?.saturating_sub(1).max(0).checked_mul(s?)?;
        first = first.checked_add(far.min(0))?;
        last = last.checked_add(far.max(0))?;
    }
    Some((first, last))
}

/// Whether nothing of it is left when all views are arithmetic: roots live to the end of the function.
pub fn vanishes(kind: &Kind) -> bool {
    kind.is_view() || *kind == Kind::Dealloc
}

struct Flatten {
    views: BTreeMap<ValueId, View>,
    /// Added arguments: (memref argument, dimension).
    extents: BTreeMap<(ValueId, usize), ValueId>,
    changes: Changes,
    errors: Diagnostics,
}

impl Flatten {
    fn refuse(&mut self, func: &Func, op: Option<OpId>, message: String, help: &str) {
        let span = op.and_then(|op| func.op(op).span.clone()).or(func.span.clone());
        self.errors.push(Diagnostic::error(codes::NOT_LOWERED, message).at_opt(span, "").help(help));
    }

    fn arguments(&mut self, func: &mut Func) {
        for argument in func.arguments().to_vec() {
            if let Some(ty) = func.ty(argument).memref().cloned() {
                let needed = ty.shape.len();
                // The outermost extent is never part of a stride; it is asked for when `memref.dim` wants it.
                let strided = matches!(ty.layout, MemrefLayout::Strided { .. });
                let open = (1..needed).filter(|&d| ty.shape[d].is_none() && !strided).collect::<Vec<_>>();
                for d in open {
                    self.extent(func, argument, d);
                }
                if let Some(view) = self.whole(func, argument, argument, &ty, None) {
                    self.views.insert(argument, view);
                }
            }
        }
    }

    /// The index argument that holds an open extent of a memref argument.
    fn extent(&mut self, func: &mut Func, argument: ValueId, dimension: usize) -> ValueId {
        if let Some(&known) = self.extents.get(&(argument, dimension)) {
            return known;
        }
        let name = format!("{}_dim{dimension}", func.value(argument).name);
        let block = func.body.and_then(|b| func.entry(b)).expect("a plain function has a body");
        let ty = ValueType::Scalar(Type::Index);
        let value = func.add_argument(block, name, ty.clone());
        func.argument_types.push(ty);
        func.argument_attributes.push(Default::default());
        self.extents.insert((argument, dimension), value);
        value
    }

    /// A root as a view of itself.
    fn whole(
        &mut self,
        func: &Func,
        value: ValueId,
        root: ValueId,
        ty: &MemrefType,
        op: Option<OpId>,
    ) -> Option<View> {
        let sizes: Vec<Number> = ty
            .shape
            .iter()
            .enumerate()
            .map(|(d, n)| match (n, self.extents.get(&(value, d))) {
                (Some(n), _) => Number::Literal(*n),
                (None, Some(&v)) => Number::Value(v),
                // The outermost one: nobody has asked yet.
                (None, None) => OPEN,
            })
            .collect();
        let fixed = ty.shape.iter().all(Option::is_some);
        if matches!(ty.layout, MemrefLayout::Strided { .. })
            && fixed
            && reach(ty).is_none_or(|(first, _)| first < 0)
        {
            let message = "an argument whose strides leave its buffer".to_string();
            self.refuse(func, op, message, "its first word is word 0, and words are counted in 63 bits");
            return None;
        }
        let (offset, strides) = match &ty.layout {
            MemrefLayout::Identity => (Number::Literal(0), None),
            MemrefLayout::Strided { strides, offset } => match (strides.iter().copied().collect(), offset) {
                (Some(strides), Some(offset)) => (Number::Literal(*offset), Some(strides)),
                _ => {
                    let message = "an argument with open strides or offset".to_string();
                    self.refuse(func, op, message, "give the layout numbers, or pass the whole memref");
                    return None;
                }
            },
        };
        let strides: Vec<Number> = match strides {
            Some(list) => {
                let list: Vec<i64> = list;
                list.into_iter().map(Number::Literal).collect()
            }
            None => {
                // Row-major; only literal products occur here, open ones are multiplied where they are used.
                let mut strides = vec![Number::Literal(1); sizes.len()];
                for d in (0..sizes.len().saturating_sub(1)).rev() {
                    strides[d] = match (strides[d + 1], sizes[d + 1]) {
                        (Number::Literal(a), Number::Literal(b)) => Number::Literal(a * b),
                        (Number::Literal(1), n) | (n, Number::Literal(1)) => n,
                        _ => UNKNOWN,
                    };
                }
                strides
            }
        };
        Some(View { root, offset, sizes, strides })
    }

    fn operation(&mut self, func: &mut Func, op: OpId) {
        self.changes.resolve(func, op);
        let record = func.op(op).clone();
        let result = record.results.first().copied();
        let root = result.and_then(|r| func.ty(r).memref().cloned());
        match (&record.kind, root) {
            (Kind::Alloc { .. }, Some(ty)) => return self.allocation(func, op, &ty),
            (Kind::GetGlobal(_), Some(ty)) => return self.define_root(func, op, &ty),
            _ => {}
        }
        let mut at = InsertionPoint::new(func, op);
        if record.kind == Kind::Dim {
            self.dim(&mut at, op, &record.operands);
        } else if !record.address().is_empty() {
            self.access(&mut at, op, &record);
        } else if let (true, Some(result)) = (record.kind.is_view(), result) {
            if let Some(view) = self.seen(&mut at, op, &record) {
                self.views.insert(result, view);
            }
        }
        self.changes.insert_before(op, at.made);
    }

    /// A load or store of one word of the root.
    fn access(&mut self, at: &mut InsertionPoint, op: OpId, record: &Operation) {
        let &[memref, ref subscripts @ ..] = record.address() else { return };
        let Some(view) = self.view(at, op, memref) else { return };
        let mut word = view.offset;
        for (&subscript, &stride) in subscripts.iter().zip(&view.strides) {
            let part = multiply(at, Number::Value(subscript), stride);
            word = add(at, word, part);
        }
        let word = value(at, word);
        let operands = &mut at.func.op_mut(op).operands;
        operands.truncate(operands.len() - record.address().len());
        operands.extend([view.root, word]);
    }

    fn allocation(&mut self, func: &Func, op: OpId, ty: &MemrefType) {
        match ty.words() {
            Some(0) => {
                let message = "an allocation without words".to_string();
                self.refuse(func, Some(op), message, "give it at least one word");
            }
            None => {
                let message = "an allocation whose size is not known before it runs".to_string();
                let help = "on-chip memories have fixed sizes: write the extents";
                self.refuse(func, Some(op), message, help);
            }
            Some(_) => self.define_root(func, op, ty),
        }
    }

    /// What a view shows.
    fn seen(&mut self, at: &mut InsertionPoint, op: OpId, record: &Operation) -> Option<View> {
        let mut dynamic = record.operands[1..].iter().copied();
        let source = self.view(at, op, record.operands[0])?;
        match &record.kind {
            Kind::Subview { offsets, sizes, strides } => {
                let [offsets, sizes, steps] =
                    [offsets, sizes, strides].map(|list| numbers(list, &mut dynamic));
                let mut offset = source.offset;
                for (&o, &stride) in offsets.iter().zip(&source.strides) {
                    let part = multiply(at, o, stride);
                    offset = add(at, offset, part);
                }
                let strides: Vec<Number> =
                    steps.iter().zip(&source.strides).map(|(&a, &b)| multiply(at, a, b)).collect();
                let shape = &at.func.ty(record.results[0]).memref()?.shape;
                let kept = kept_dimensions(&sizes, shape);
                let pick = |list: &[Number]| kept.iter().map(|&d| list[d]).collect();
                Some(View { root: source.root, offset, sizes: pick(&sizes), strides: pick(&strides) })
            }
            Kind::ReinterpretCast { offset, sizes, strides } => {
                let offset = numbers(&[*offset], &mut dynamic)[0];
                let [sizes, strides] = [sizes, strides].map(|list| numbers(list, &mut dynamic));
                Some(View { root: source.root, offset, sizes, strides })
            }
            Kind::CollapseShape { groups } => Some(collapse(at, &source, groups)),
            Kind::ExpandShape { groups, sizes } => {
                let sizes = numbers(sizes, &mut dynamic);
                let mut strides = vec![Number::Literal(1); sizes.len()];
                for (group, &outer) in groups.iter().zip(&source.strides) {
                    let mut stride = outer;
                    for &d in group.iter().rev() {
                        strides[d] = stride;
                        stride = multiply(at, stride, sizes[d]);
                    }
                }
                Some(View { sizes, strides, ..source })
            }
            Kind::Cast => Some(source),
            _ => None,
        }
    }

    fn define_root(&mut self, func: &Func, op: OpId, ty: &MemrefType) {
        let result = func.result(op, 0);
        if let Some(view) = self.whole(func, result, result, ty, Some(op)) {
            self.views.insert(result, view);
        }
    }

    fn view(&mut self, at: &mut InsertionPoint, op: OpId, memref: ValueId) -> Option<View> {
        if let Some(view) = self.views.get(&memref).cloned() {
            let mut view = view;
            // Strides over several open extents are products made where they are needed.
            for d in (0..view.strides.len()).rev() {
                if view.strides[d] == UNKNOWN {
                    view.strides[d] = multiply(at, view.strides[d + 1], view.sizes[d + 1]);
                }
            }
            return Some(view);
        }
        if self.errors.is_empty() {
            let name = at.func.value(memref).name.clone();
            let message = format!("which memref `%{name}` is depends on control flow");
            self.refuse(
                at.func,
                Some(op),
                message,
                "access each memref where it is known, under its own condition",
            );
        }
        None
    }

    fn dim(&mut self, at: &mut InsertionPoint, op: OpId, operands: &[ValueId]) {
        let Some(view) = self.view(at, op, operands[0]) else { return };
        let Some(d) = edit::constant_int(at.func, operands[1]) else {
            let message = "`memref.dim` of a dimension that is not a constant".to_string();
            return self.refuse(at.func, Some(op), message, "ask for each dimension by its number");
        };
        let Some(&size) = usize::try_from(d).ok().and_then(|d| view.sizes.get(d)) else { return };
        let size = match size {
            OPEN => Number::Value(self.extent(at.func, view.root, 0)),
            UNKNOWN => {
                let message = "`memref.dim` of a dimension that was collapsed from an open one".to_string();
                return self.refuse(at.func, Some(op), message, "ask for the extents before collapsing");
            }
            known => known,
        };
        let new = value(at, size);
        self.changes.replace(at.func.result(op, 0), new);
        self.changes.erase(op);
    }

    /// Roots get their flat types, in values and in the signature.
    fn types(&mut self, func: &mut Func) {
        let arguments: BTreeSet<ValueId> = func.arguments().iter().copied().collect();
        for v in 0..func.values.len() {
            let is_root = match func.values[v].def {
                ValueDef::Argument { .. } => arguments.contains(&ValueId(v as u32)),
                ValueDef::Result { op, .. } => {
                    matches!(func.op(op).kind, Kind::Alloc { .. } | Kind::GetGlobal(_))
                }
            };
            if let (true, ValueType::Memref(ty)) = (is_root, &func.values[v].ty) {
                func.values[v].ty = ValueType::Memref(flat_type(ty));
            }
        }
        func.argument_types = func.arguments().iter().map(|&a| func.ty(a).clone()).collect();
    }
}

fn numbers(list: &[IndexOrOperand], dynamic: &mut impl Iterator<Item = ValueId>) -> Vec<Number> {
    list.iter()
        .map(|n| match n {
            IndexOrOperand::Fixed(n) => Number::Literal(*n),
            IndexOrOperand::Operand => dynamic.next().map_or(Number::Literal(0), Number::Value),
        })
        .collect()
}

fn collapse(at: &mut InsertionPoint, source: &View, groups: &[Vec<usize>]) -> View {
    let mut view = View { sizes: Vec::new(), strides: Vec::new(), ..source.clone() };
    for group in groups {
        let mut size = Number::Literal(1);
        for &d in group {
            size = multiply(at, size, source.sizes[d]);
        }
        let open = group.iter().any(|&d| source.sizes[d] == OPEN);
        view.sizes.push(match group[..] {
            [d] => source.sizes[d],
            _ if open => UNKNOWN,
            _ => size,
        });
        // The innermost extent above 1 says how far apart neighbours are.
        let inner = group.iter().rev().find(|&&d| source.sizes[d] != Number::Literal(1));
        let inner = inner.or(group.last());
        view.strides.push(inner.map_or(Number::Literal(1), |&d| source.strides[d]));
    }
    view
}

/// Which dimensions a result of fewer dimensions keeps: extents of 1 go, from the left, as many as must.
fn kept_dimensions(sizes: &[Number], shape: &[Option<i64>]) -> Vec<usize> {
    let mut to_drop = sizes.len().saturating_sub(shape.len());
    let mut kept = Vec::new();
    for (d, &size) in sizes.iter().enumerate() {
        let next = shape.get(kept.len()).copied();
        let drop = to_drop > 0 && size == Number::Literal(1) && next != Some(Some(1));
        // What matches stays, unless too few are left to drop.
        let ones_left = sizes[d..].iter().filter(|&&s| s == Number::Literal(1)).count();
        if drop || (to_drop > 0 && size == Number::Literal(1) && ones_left == to_drop) {
            to_drop -= 1;
        } else {
            kept.push(d);
        }
    }
    kept
}

fn value(at: &mut InsertionPoint, number: Number) -> ValueId {
    match number {
        Number::Value(v) => v,
        Number::Literal(n) => at.constant(n as u64, Type::Index),
    }
}

fn add(at: &mut InsertionPoint, a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Literal(x), Number::Literal(y)) => Number::Literal(x.wrapping_add(y)),
        (Number::Literal(0), n) | (n, Number::Literal(0)) => n,
        _ => {
            let operands = [value(at, a), value(at, b)];
            Number::Value(at.scalar(Op::Plain(OpKind::Addi), &operands, Type::Index))
        }
    }
}

fn multiply(at: &mut InsertionPoint, a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Literal(x), Number::Literal(y)) => Number::Literal(x.wrapping_mul(y)),
        (Number::Literal(0), _) | (_, Number::Literal(0)) => Number::Literal(0),
        (Number::Literal(1), n) | (n, Number::Literal(1)) => n,
        (Number::Literal(p), n) | (n, Number::Literal(p)) if p > 0 && p & (p - 1) == 0 => {
            let operands = [value(at, n), at.constant(p.trailing_zeros().into(), Type::Index)];
            Number::Value(at.scalar(Op::Plain(OpKind::Shli), &operands, Type::Index))
        }
        _ => {
            let operands = [value(at, a), value(at, b)];
            Number::Value(at.scalar(Op::Plain(OpKind::Muli), &operands, Type::Index))
        }
    }
}
