//! Arrays of arrays: which accesses name a row and a place in it.
//!
//! An array is words in one dimension to everybody behind. Of `t[i][j]` in `int t[40][57]` that leaves `57 * i + j`, and nothing
//! says that `j` is below 57: the row before may be the same word. So the accesses whose address is made of subscripts from the start of
//! the array on, each inside of an array of known length (C17 6.5.6), go through a view that has rows, and dimensions are told
//! apart (`loom_front`'s `depend`). Not taken are addresses that are moved on from within a row, as in `int *p = t[0]; p[k]`, which is
//! how all words of an array are written in a row, rows of one element or of structs, and pointers that may point into several arrays.

use crate::address::{self, accessed, accessed_size};
use crate::pointers::Pointers;
use crate::program::{Function, Id};
use crate::roots::Root;
use crate::types::Ty;
use crate::words::bytes_of;
use std::collections::{BTreeMap, BTreeSet};

/// A subscript: a constant and values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Subscript {
    pub constant: i64,
    pub values: Vec<Id>,
}

/// The accesses of a function that go to rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// By root: the extents of the view but for the outermost, outer ones first.
    pub inner: BTreeMap<usize, Vec<i64>>,
    /// By load or store: its subscripts, one for each dimension.
    pub subscripts: BTreeMap<usize, Vec<Subscript>>,
    /// The addresses that are computed for these alone.
    pub unused: BTreeSet<Id>,
}

/// A dimension that an address has a subscript of.
#[derive(Clone, Debug)]
struct Dimension {
    /// Bytes between neighbours.
    stride: i64,
    /// How many there are in the array that the subscript is inside of.
    extent: Option<i64>,
    subscript: Subscript,
}

impl Dimension {
    fn is_zero(&self) -> bool {
        self.subscript == Subscript::default()
    }
}

impl Rows {
    /// Looks at all loads and stores.
    pub fn of(function: &Function, pointers: &Pointers) -> Rows {
        let mut found: BTreeMap<usize, Vec<(usize, Vec<Dimension>)>> = BTreeMap::new();
        for number in function.reached() {
            if let Some((root, dimensions)) = access(function, pointers, number) {
                found.entry(root).or_default().push((number, dimensions));
            }
        }
        let mut rows = Rows::default();
        for (root, accesses) in found {
            let strides = strides(&accesses);
            let is_whole = strides.windows(2).all(|pair| pair[0] % pair[1] == 0);
            let word = bytes_of(pointers.words[root].views[0]) as i64;
            if strides.len() < 2 || strides.last() != Some(&word) || !is_whole {
                continue;
            }
            let own = accesses.iter().filter_map(|(at, of)| Some((*at, subscripts(of, &strides)?)));
            rows.subscripts.extend(own);
            rows.inner.insert(root, strides.windows(2).map(|pair| pair[0] / pair[1]).collect());
        }
        rows.unused = rows.unused(function);
        rows
    }

    fn unused(&self, function: &Function) -> BTreeSet<Id> {
        let steps = |id: Id| function.made_by(id, "getelementptr");
        let mut used: BTreeSet<Id> = BTreeSet::new();
        let mut todo: Vec<Id> = Vec::new();
        for number in function.reached() {
            let inst = &function.insts[number];
            let own = if self.subscripts.contains_key(&number) { accessed(inst) } else { &[] };
            let given = inst.successors.iter().flat_map(|s| &s.1);
            let is_step = inst.name() == "getelementptr";
            let others = inst.operands.iter().chain(given).filter(|id| !own.contains(id) && !is_step);
            todo.extend(others);
        }
        while let Some(id) = todo.pop() {
            if let (true, Some(step)) = (used.insert(id), steps(id)) {
                todo.push(step.operands[0]);
            }
        }
        let all = function.reached().filter_map(|number| function.insts[number].result);
        all.filter(|&id| steps(id).is_some() && !used.contains(&id)).collect()
    }
}

/// The root that a load or store of one word goes to, and its dimensions.
fn access(function: &Function, pointers: &Pointers, number: usize) -> Option<(usize, Vec<Dimension>)> {
    let inst = &function.insts[number];
    let bytes = accessed_size(function, inst)?;
    let &[pointer] = accessed(inst) else { return None };
    let root = *pointers.sets[pointer.0].first().filter(|_| pointers.sets[pointer.0].len() == 1)?;
    let words = pointers.words(pointer)?;
    let is_word = words.pieces.is_none() && bytes_of(words.views[0]) == bytes;
    let (base, dimensions) = dimensions(function, pointer)?;
    let is_start = match (&pointers.roots[root], function.inst(base)) {
        (Root::Argument(index), None) => function.blocks[0].arguments.get(*index) == Some(&base),
        (Root::Stack(_) | Root::Global(_), Some(inst)) => matches!(inst.name(), "alloca" | "mlir.addressof"),
        _ => false,
    };
    (is_word && is_start).then_some((root, dimensions))
}

/// What an address is a step from, and the subscripts of all steps, outer dimensions first.
fn dimensions(function: &Function, pointer: Id) -> Option<(Id, Vec<Dimension>)> {
    let (mut base, mut steps) = (pointer, Vec::new());
    while let Some(step) = function.made_by(base, "getelementptr") {
        steps.push(step);
        base = step.operands[0];
    }
    let mut dimensions: Vec<Dimension> = Vec::new();
    for step in steps.into_iter().rev() {
        let mut ty = step.op.ty("elem_type")?;
        for (level, (literal, value)) in address::subscripts(function, step).enumerate() {
            let subscript = match (literal, value) {
                (Some(constant), _) => Subscript { constant, values: Vec::new() },
                (None, value) => Subscript { constant: 0, values: vec![value?] },
            };
            let (element, extent) = match (level, ty) {
                (0, _) => (ty, None),
                (_, Ty::Array(count, element)) => (&**element, Some(i64::try_from(*count).ok()?)),
                _ => return None,
            };
            ty = element;
            let stride = i64::try_from(ty.size()?).ok()?;
            let is_inside =
                |n| n > 1 && literal.is_none_or(|l| (0..n).contains(&l)) && !matches!(ty, Ty::Struct { .. });
            match (extent, dimensions.last_mut()) {
                (Some(extent), _) if !is_inside(extent) => return None,
                (None, Some(_)) if literal == Some(0) => {}
                // A row further.
                (None, Some(last)) if last.stride == stride && last.extent.is_none() => {
                    let sum = last.subscript.constant.checked_add(subscript.constant);
                    last.subscript.constant = sum?;
                    last.subscript.values.extend(subscript.values);
                }
                (None, Some(_)) => return None,
                _ => dimensions.push(Dimension { stride, extent, subscript }),
            }
        }
    }
    Some((base, dimensions))
}

/// The strides of the view that most dimensions of accesses fit, without those that are never stepped over.
fn strides(accesses: &[(usize, Vec<Dimension>)]) -> Vec<i64> {
    let longest = accesses.iter().map(|(_, of)| of).rev().max_by_key(|of| of.len());
    let mut strides: Vec<i64> = longest.into_iter().flatten().map(|d| d.stride).collect();
    let stepped =
        |stride| accesses.iter().any(|(_, of)| of.iter().any(|d| d.stride == stride && !d.is_zero()));
    let idle = strides.iter().take_while(|&&stride| !stepped(stride)).count();
    strides.drain(..idle);
    strides
}

/// The subscripts of a view with these strides, where each is inside of its dimension.
fn subscripts(of: &[Dimension], strides: &[i64]) -> Option<Vec<Subscript>> {
    let mut out = vec![Subscript::default(); strides.len()];
    for dimension in of.iter().filter(|d| !d.is_zero()) {
        let at = strides.iter().position(|&s| s == dimension.stride)?;
        let is_inside = at == 0 || dimension.extent == Some(strides[at - 1] / strides[at]);
        out[at] = is_inside.then(|| dimension.subscript.clone())?;
    }
    Some(out)
}
