//! Shapes and layouts: what a view of a memref is.

use super::Verifier;
use crate::codes;
use crate::edit::constant_int;
use crate::ir::{Dim, IndexOrOperand, Kind, MemrefLayout, MemrefType, OpId};

/// Extents from 0 on, and numbers of words that can be counted.
pub(super) fn is_possible(ty: &MemrefType) -> bool {
    let fits = ty.shape.iter().try_fold(1i64, |n, d| n.checked_mul(d.unwrap_or(1).max(1))).is_some();
    let strides = match &ty.layout {
        MemrefLayout::Identity => true,
        MemrefLayout::Strided { strides, .. } => strides.len() == ty.shape.len(),
    };
    fits && strides && ty.shape.iter().all(|d| d.is_none_or(|d| d >= 0)) && ty.row_major().is_some()
}

/// Strides and offset.
fn layout(ty: &MemrefType) -> (Vec<Dim>, Dim) {
    ty.strided().unwrap_or((Vec::new(), Some(0)))
}

fn fixed(number: IndexOrOperand) -> Dim {
    match number {
        IndexOrOperand::Fixed(n) => Some(n),
        IndexOrOperand::Operand => None,
    }
}

fn fixed_all(list: &[IndexOrOperand]) -> Vec<Dim> {
    list.iter().map(|&n| fixed(n)).collect()
}

fn multiply(a: Dim, b: Dim) -> Dim {
    // A factor of zero or one is known even if the other is not; MLIR does not use that, and nor do we.
    a?.checked_mul(b?)
}

fn add(a: Dim, b: Dim) -> Dim {
    a?.checked_add(b?)
}

fn dynamic(lists: &[&[IndexOrOperand]]) -> usize {
    lists.iter().flat_map(|l| l.iter()).filter(|n| **n == IndexOrOperand::Operand).count()
}

/// Equal, or not both known.
fn may_be_equal(a: Dim, b: Dim) -> bool {
    a.is_none() || b.is_none() || a == b
}

impl Verifier<'_> {
    /// `memref.cast`, the views. The first operand is a memref, the result is one.
    pub(super) fn view(&mut self, id: OpId, source: &MemrefType, result: &MemrefType) {
        let kind = &self.func.op(id).kind;
        if source.element != result.element {
            let message = format!("a view of `{}` words as `{}`", source.element, result.element);
            return self.fail(id, codes::TYPE_MISMATCH, message, "a view keeps the type of the words");
        }
        match kind {
            Kind::Subview { offsets, sizes, strides } => {
                self.subview(id, source, result, [offsets, sizes, strides]);
            }
            Kind::ReinterpretCast { offset, sizes, strides } => {
                if !self.dynamic_operands(id, &[&[*offset], sizes, strides]) {
                    return;
                }
                let (sizes, strides) = (fixed_all(sizes), fixed_all(strides));
                if sizes.len() != strides.len() {
                    let message = format!("{} sizes and {} strides", sizes.len(), strides.len());
                    return self.fail(id, codes::SHAPE, message, "give one of each for each dimension");
                }
                let want = MemrefType {
                    shape: sizes,
                    element: source.element,
                    layout: MemrefLayout::Strided { strides, offset: fixed(*offset) },
                };
                self.same_layout(id, &want, result);
            }
            Kind::CollapseShape { groups } => self.collapse(id, source, result, groups),
            Kind::ExpandShape { groups, sizes } => {
                if self.dynamic_operands(id, &[sizes]) {
                    self.expand(id, source, result, groups, sizes);
                }
            }
            _ => {
                let (from, to) = (layout(source), layout(result));
                let fits = source.shape.len() == result.shape.len()
                    && source.shape.iter().zip(&result.shape).all(|(&a, &b)| may_be_equal(a, b))
                    && from.0.iter().zip(&to.0).all(|(&a, &b)| may_be_equal(a, b))
                    && may_be_equal(from.1, to.1);
                if !fits {
                    let message = format!("`{source}` can never be `{result}`");
                    self.fail(id, codes::SHAPE, message, "a cast only adds or drops static numbers");
                }
            }
        }
    }

    fn dynamic_operands(&mut self, id: OpId, lists: &[&[IndexOrOperand]]) -> bool {
        let found = self.func.op(id).operands.len().saturating_sub(1);
        let wanted = dynamic(lists);
        if found != wanted {
            let message = format!("{found} operands for {wanted} dynamic numbers");
            self.fail(id, codes::ARITY, message, "give one value for each number that is not written");
        }
        found == wanted
    }

    fn same_layout(&mut self, id: OpId, want: &MemrefType, result: &MemrefType) {
        if want.shape != result.shape || layout(want) != layout(result) {
            let message = format!("the result is `{want}`, not `{result}`");
            self.fail(id, codes::SHAPE, message, "write the type that follows from the numbers");
        }
    }

    fn subview(
        &mut self,
        id: OpId,
        source: &MemrefType,
        result: &MemrefType,
        lists: [&Vec<IndexOrOperand>; 3],
    ) {
        let rank = source.shape.len();
        if lists.iter().any(|l| l.len() != rank) {
            let message =
                format!("a subview of {rank} dimensions with other numbers of offsets, sizes or strides");
            return self.fail(id, codes::SHAPE, message, "give one of each for each dimension");
        }
        if !self.dynamic_operands(id, &lists.map(|l| &l[..])) {
            return;
        }
        let [offsets, sizes, strides] = lists.map(|l| fixed_all(l));
        let (from_strides, from_offset) = layout(source);
        let mut offset = from_offset;
        for d in 0..rank {
            offset = add(offset, multiply(offsets[d], from_strides[d]));
            if offsets[d].is_some_and(|n| n < 0) || sizes[d].is_some_and(|n| n < 0) {
                let message = format!("a negative offset or size in dimension {d}");
                return self.fail(id, codes::SHAPE, message, "a view lies inside of its source");
            }
            let (Some(first), Some(size), Some(step), Some(extent)) =
                (offsets[d], sizes[d], strides[d], source.shape[d])
            else {
                continue;
            };
            let last = (size - 1).checked_mul(step).and_then(|n| n.checked_add(first));
            let inside = match size {
                0 => first <= extent,
                _ => first < extent && last.is_some_and(|n| (0..extent).contains(&n)),
            };
            if !inside {
                let message = format!(
                    "dimension {d} has {extent} words, the view takes {size} from {first} in steps of {step}"
                );
                return self.fail(id, codes::SHAPE, message, "a view lies inside of its source");
            }
        }
        let steps: Vec<Dim> = from_strides.iter().zip(&strides).map(|(&a, &b)| multiply(a, b)).collect();
        let (to_strides, to_offset) = layout(result);
        if to_offset != offset || !drops_ones(&sizes, &steps, &result.shape, &to_strides) {
            let want = MemrefType {
                shape: sizes,
                element: source.element,
                layout: MemrefLayout::Strided { strides: steps, offset },
            };
            let message = format!("the result is `{want}`, not `{result}`");
            let help = "write the type that follows from the numbers; extents of 1 may be dropped";
            self.fail(id, codes::SHAPE, message, help);
        }
    }

    /// Whether the groups list dimensions `0..rank` in order.
    fn partition(&mut self, id: OpId, groups: &[Vec<usize>], rank: usize, outer: usize) -> bool {
        let in_order = groups.iter().flatten().copied().eq(0..rank);
        let scalar = groups.is_empty() && outer == 0;
        let ok = scalar || (in_order && groups.len() == outer && groups.iter().all(|g| !g.is_empty()));
        if !ok {
            let message = format!("the groups do not make {outer} dimensions of {rank}");
            self.fail(id, codes::SHAPE, message, "list all dimensions in order, one group for each");
        }
        ok
    }

    fn collapse(&mut self, id: OpId, source: &MemrefType, result: &MemrefType, groups: &[Vec<usize>]) {
        if !self.partition(id, groups, source.shape.len(), result.shape.len()) {
            return;
        }
        if groups.is_empty() && source.shape.iter().any(|&d| d != Some(1)) {
            let message = format!("`{source}` has not exactly one word");
            return self.fail(id, codes::SHAPE, message, "only extents of 1 collapse to nothing");
        }
        let (strides, offset) = layout(source);
        let (mut shape, mut steps) = (Vec::new(), Vec::new());
        for group in groups {
            shape.push(group.iter().try_fold(1, |n, &d| multiply(Some(n), source.shape[d])));
            let real: Vec<usize> = group.iter().copied().filter(|&d| source.shape[d] != Some(1)).collect();
            let gap = real.windows(2).any(|w| {
                let next = multiply(strides[w[1]], source.shape[w[1]]);
                next.is_none() || next != strides[w[0]]
            });
            if gap && source.layout != MemrefLayout::Identity {
                let message =
                    format!("the dimensions {group:?} of `{source}` are not known to be without gaps");
                return self.fail(id, codes::SHAPE, message, "collapse only what is contiguous");
            }
            let inner = real.last().or(group.last());
            steps.push(inner.and_then(|&d| strides[d]));
        }
        // Without a layout there are no gaps, whatever the extents.
        let layout = match source.layout {
            MemrefLayout::Identity => MemrefLayout::Identity,
            _ => MemrefLayout::Strided { strides: steps, offset },
        };
        self.same_layout(id, &MemrefType { shape, element: source.element, layout }, result);
    }

    fn expand(
        &mut self,
        id: OpId,
        source: &MemrefType,
        result: &MemrefType,
        groups: &[Vec<usize>],
        sizes: &[IndexOrOperand],
    ) {
        if !self.partition(id, groups, result.shape.len(), source.shape.len()) {
            return;
        }
        let sizes = fixed_all(sizes);
        if sizes != result.shape {
            let message = "`output_shape` is not the shape of the result";
            return self.fail(id, codes::SHAPE, message, "write the same extents, and a value for each `?`");
        }
        if groups.is_empty() && sizes.iter().any(|&d| d != Some(1)) {
            return self.fail(id, codes::SHAPE, "one word expands to several", "all extents must be 1");
        }
        let (strides, offset) = layout(source);
        let mut steps = vec![Some(1); result.shape.len()];
        for (k, group) in groups.iter().enumerate() {
            let product = group.iter().try_fold(1, |n, &d| multiply(Some(n), sizes[d]));
            let all_known = group.iter().all(|&d| sizes[d].is_some());
            if product != source.shape[k] || (all_known && product.is_none()) {
                let message =
                    format!("dimension {k} of `{source}` is not the product of its group in `{result}`");
                return self.fail(
                    id,
                    codes::SHAPE,
                    message,
                    "a dynamic extent stays dynamic, a static one static",
                );
            }
            let mut step = strides[k];
            for &d in group.iter().rev() {
                steps[d] = step;
                step = multiply(step, sizes[d]);
            }
        }
        let layout = match source.layout {
            MemrefLayout::Identity => MemrefLayout::Identity,
            _ => MemrefLayout::Strided { strides: steps, offset },
        };
        self.same_layout(id, &MemrefType { shape: sizes, element: source.element, layout }, result);
    }

    pub(super) fn dim(&mut self, id: OpId, source: &MemrefType) {
        let which = self.func.op(id).operands.get(1).and_then(|&v| constant_int(self.func, v));
        let rank = source.shape.len();
        if let Some(n) = which.filter(|n| !(0..rank as i64).contains(n)) {
            let message = format!("dimension {n} of `{source}`, which has {rank}");
            self.fail(id, codes::SHAPE, message, "dimensions are counted from 0");
        }
    }
}

/// Whether the second list is the first without some extents of 1.
fn drops_ones(sizes: &[Dim], steps: &[Dim], shape: &[Dim], strides: &[Dim]) -> bool {
    // reach[j]: the first j dimensions of the result are explained.
    let mut reach = vec![false; shape.len() + 1];
    reach[0] = true;
    for (&size, &step) in sizes.iter().zip(steps) {
        for j in (0..=shape.len()).rev() {
            let taken = j > 0 && reach[j - 1] && shape[j - 1] == size && strides[j - 1] == step;
            reach[j] = taken || (reach[j] && size == Some(1));
        }
    }
    reach[shape.len()]
}
