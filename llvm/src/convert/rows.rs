//! Views with rows and of arrays in structs, and what goes to them ([`crate::rows`], [`crate::fields`]).

use super::Converter;
use crate::program::Id;
use crate::words::{bytes_of, Part};
use loom_dfg::{OpKind, Type};
use loom_front::ir::{IndexOrOperand, Kind, MemrefLayout, MemrefType, ValueId, ValueType};
use std::ops::Range;

impl Converter<'_> {
    /// The view of each root that has rows, behind what the function begins with.
    pub(super) fn tables(&mut self) {
        for (root, inner) in self.rows.inner.clone() {
            let Some(memref) = self.memrefs[root][0] else { continue };
            let Some(ty) = self.func.ty(memref).memref().cloned() else { continue };
            let row: i64 = inner.iter().product();
            let rows = ty.shape[0].map(|words| words / row);
            let mut operands = vec![memref];
            if rows.is_none() {
                let (first, row) = (self.constant(Type::Index, 0), self.constant(Type::Index, row as u64));
                let words = self.op(Kind::Dim, &[memref, first], &[ValueType::Scalar(Type::Index)]);
                operands.push(self.scalar(OpKind::Divui, &[words, row], Type::Index));
            }
            let shape: Vec<Option<i64>> =
                std::iter::once(rows).chain(inner.iter().copied().map(Some)).collect();
            let strides: Vec<i64> = (0..shape.len()).map(|d| inner[d..].iter().product()).collect();
            let layout = MemrefLayout::Strided {
                strides: strides.iter().copied().map(Some).collect(),
                offset: Some(0),
            };
            let number = |n: Option<i64>| n.map_or(IndexOrOperand::Operand, IndexOrOperand::Fixed);
            let kind = Kind::ReinterpretCast {
                offset: IndexOrOperand::Fixed(0),
                sizes: shape.iter().copied().map(number).collect(),
                strides: strides.into_iter().map(IndexOrOperand::Fixed).collect(),
            };
            let view = ValueType::Memref(MemrefType { shape, element: ty.element, layout });
            let view = self.op(kind, &operands, &[view]);
            self.tables.insert(root, view);
        }
    }

    /// The view of each array in a struct.
    pub(super) fn arrays(&mut self) {
        for ((root, view), parts) in self.fields.parts.clone() {
            let Some(memref) = self.memrefs[root][view] else { continue };
            let Some(element) = self.func.ty(memref).memref().map(|ty| ty.element) else { continue };
            for Range { start, end } in parts {
                let (words, number) = (end - start, IndexOrOperand::Fixed);
                let layout = MemrefLayout::Strided { strides: vec![Some(1)], offset: Some(start) };
                let kind = Kind::ReinterpretCast {
                    offset: number(start),
                    sizes: vec![number(words)],
                    strides: vec![number(1)],
                };
                let ty = MemrefType { shape: vec![Some(words)], element, layout };
                let array = self.op(kind, &[memref], &[ValueType::Memref(ty)]);
                self.arrays.insert((root, view, start), array);
            }
        }
    }

    /// The view and the subscript of a word that is within an array in a struct.
    fn in_array(&mut self, number: usize, pointer: Id, part: Part) -> Option<Vec<ValueId>> {
        let first = self.fields.of.get(&(number, part.view))?.start;
        let root = self.pointers.arrays(pointer)[0];
        let array = *self.arrays.get(&(root, part.view, first))?;
        let at = part.at - first * bytes_of(part.ty) as i64;
        Some(vec![array, self.word_index(pointer, Part { at, ..part })])
    }

    /// The view and the subscripts of an access that has one of its own.
    fn place(&mut self, number: usize, pointer: Id, part: Part) -> Option<Vec<ValueId>> {
        self.row(number, pointer).or_else(|| self.in_array(number, pointer, part))
    }

    /// Loads a word of what a `load` loads.
    pub(super) fn load_part(&mut self, number: usize, from: Id, part: Part) -> Option<ValueId> {
        if let Some(place) = self.place(number, from, part) {
            return Some(self.op(Kind::Load, &place, &[ValueType::Scalar(part.ty)]));
        }
        let offset = self.word_index(from, part);
        self.load_word((from, part.view), offset)
    }

    /// Stores a word of what a `store` stores.
    pub(super) fn store_part(&mut self, number: usize, to: Id, part: Part, value: ValueId) {
        if let Some(place) = self.place(number, to, part) {
            return self.effect(Kind::Store, &[&[value], &place[..]].concat(), Vec::new());
        }
        let offset = self.word_index(to, part);
        self.store_word((to, part.view), offset, value);
    }

    /// The view and the subscripts of an access that goes to rows.
    fn row(&mut self, number: usize, pointer: Id) -> Option<Vec<ValueId>> {
        let subscripts = self.rows.subscripts.get(&number)?.clone();
        let root = self.pointers.arrays(pointer)[0];
        let mut place = vec![*self.tables.get(&root)?];
        for subscript in subscripts {
            let mut sum = None;
            for value in subscript.values {
                let value = self.address(value);
                sum = Some(match sum {
                    Some(sum) => self.scalar(OpKind::Addi, &[sum, value], Type::Index),
                    None => value,
                });
            }
            place.push(match sum {
                Some(sum) => self.plus(sum, subscript.constant),
                None => self.constant(Type::Index, subscript.constant as u64),
            });
        }
        Some(place)
    }
}
