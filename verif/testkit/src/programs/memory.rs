//! Accesses in bounds, memories and views.

use super::build::{element, number, shape, Gen, Mem};
use loom_dfg::{OpKind, Type};
use loom_front::ir::{Global, IndexOrOperand, Kind, MemrefLayout, MemrefType, ValueId, ValueType};

impl Gen<'_> {
    /// A load, a store, or both.
    pub fn access(&mut self) {
        let mem = self.rng.pick(&self.mems).clone();
        let subscripts: Vec<ValueId> = mem.shape.iter().map(|&n| self.subscript(n)).collect();
        let element = mem.ty.element;
        let mut load = vec![mem.value];
        load.extend(&subscripts);
        let store = !mem.constant && !self.read_only;
        match self.rng.below(10) {
            0..=3 if store => self.store(&mem, &subscripts),
            4..=5 if store => {
                let old = self.emit(Kind::Load, &load, element, None);
                let other = self.pick(element);
                let op = match element {
                    Type::F32 => OpKind::Addf,
                    _ if !self.is_full(element) => *self.rng.pick(&[OpKind::Addi, OpKind::Xori]),
                    _ => *self.rng.pick(&[OpKind::Addi, OpKind::Xori, OpKind::Maxsi]),
                };
                let new = self.scalar(op, &[old, other], element, None);
                let mut operands = vec![new];
                operands.extend(&load);
                self.push(Kind::Store, &operands, &[]);
            }
            _ => {
                self.emit(Kind::Load, &load, element, None);
            }
        }
    }

    fn store(&mut self, mem: &Mem, subscripts: &[ValueId]) {
        let mut operands = vec![self.pick(mem.ty.element), mem.value];
        operands.extend(subscripts);
        self.push(Kind::Store, &operands, &[]);
    }

    /// An index from 0 to `size - 1`.
    fn subscript(&mut self, size: i64) -> ValueId {
        let known = self.seen.iter().filter(|s| s.ty == Type::Index);
        let known: Vec<(ValueId, (i64, i64))> = known
            .filter_map(|s| Some((s.value, s.range?)))
            .filter(|k| k.1 .0 >= 0 && k.1 .1 < size)
            .collect();
        let recent = known.len().saturating_sub(4);
        let index = Type::Index;
        match self.rng.below(100) {
            0..=39 if !known.is_empty() => self.rng.pick(&known[recent..]).0,
            40..=64 if !known.is_empty() => {
                let (i, (low, high)) = *self.rng.pick(&known[recent..]);
                match self.rng.below(3) {
                    0 if high + 1 < size => {
                        let c = self.rng.between(1, size - 1 - high);
                        let by = self.constant(c, index);
                        self.scalar(OpKind::Addi, &[i, by], index, Some((low + c, high + c)))
                    }
                    1 if 2 * high < size => {
                        let by = self.constant(2, index);
                        self.scalar(OpKind::Muli, &[i, by], index, Some((2 * low, 2 * high)))
                    }
                    _ => {
                        let last = self.constant(size - 1, index);
                        self.scalar(OpKind::Subi, &[last, i], index, Some((size - 1 - high, size - 1 - low)))
                    }
                }
            }
            65..=89 => {
                let x = match self.rng.chance(60) {
                    true => self.pick(index),
                    false => {
                        let x = self.pick(Type::I32);
                        self.convert(x, Type::I32, index)
                    }
                };
                let mask = self.constant(size - 1, index);
                self.scalar(OpKind::Andi, &[x, mask], index, Some((0, size - 1)))
            }
            _ => {
                let value = self.rng.between(0, size - 1);
                self.constant(value, index)
            }
        }
    }

    /// A local memory that a first nest fills, or a constant global.
    pub fn new_memory(&mut self) {
        if self.depth > 0 && self.rng.chance(70) {
            return self.access_or_constant();
        }
        if self.rng.chance(40) || self.read_only || self.weight > 4 {
            return self.new_global();
        }
        let element = element(self.rng, self.floats, self.options.hardware);
        let mut ty = shape(self.rng, element);
        if ty.shape == [Some(16)] {
            ty.shape = vec![Some(8)];
        }
        let on_stack = self.rng.chance(40);
        let op = self.push(Kind::Alloc { on_stack }, &[], &[ValueType::Memref(ty.clone())]);
        let value = self.func.result(op, 0);
        let sizes: Vec<i64> = ty.shape.iter().map(|d| d.unwrap_or(0)).collect();
        let mem = Mem { value, ty, shape: sizes, constant: false };
        self.fill(&mem, Vec::new());
        self.mems.push(mem);
    }

    fn access_or_constant(&mut self) {
        match self.mems.is_empty() {
            true => {
                let value = self.rng.between(0, 7);
                self.constant(value, Type::Index);
            }
            false => self.access(),
        }
    }

    /// One loop for each dimension, and a store.
    fn fill(&mut self, mem: &Mem, subscripts: Vec<ValueId>) {
        let Some(&size) = mem.shape.get(subscripts.len()) else { return self.store(mem, &subscripts) };
        let bounds = [0, size, 1].map(|n| self.constant(n, Type::Index));
        let region = self.region(size, |gen, block| {
            let mut subscripts = subscripts;
            subscripts.push(gen.argument(block, Type::Index, Some((0, size - 1))));
            gen.fill(mem, subscripts);
            gen.push(Kind::Yield, &[], &[]);
        });
        let kind = Kind::COUNT_UP;
        self.structured(kind, &bounds, &[], vec![region]);
    }

    fn new_global(&mut self) {
        let known = self.globals.first().cloned();
        let global = match known.filter(|_| self.rng.chance(50)) {
            Some(global) => global,
            None => {
                let element = element(self.rng, self.floats, self.options.hardware);
                let ty = shape(self.rng, element);
                let words = ty.words().unwrap_or(0);
                let init = Some((0..words).map(|_| number(self.rng, element)).collect());
                let name = format!("table{}", self.globals.len());
                let global = Global { name, ty, constant: true, init, span: None };
                self.globals.push(global.clone());
                global
            }
        };
        let op = self.push(Kind::GetGlobal(global.name), &[], &[ValueType::Memref(global.ty.clone())]);
        let value = self.func.result(op, 0);
        let sizes = global.ty.shape.iter().map(|d| d.unwrap_or(0)).collect();
        self.mems.push(Mem { value, ty: global.ty, shape: sizes, constant: true });
    }

    /// A part of a memref, or the same words in another shape.
    pub fn new_view(&mut self) {
        let whole: Vec<Mem> =
            self.mems.iter().filter(|m| m.ty.layout == MemrefLayout::Identity).cloned().collect();
        if whole.is_empty() {
            return self.access();
        }
        let mem = self.rng.pick(&whole).clone();
        let fixed = |n: i64| IndexOrOperand::Fixed(n);
        let mut operands = vec![mem.value];
        let (kind, shape, layout) = match mem.shape[..] {
            [rows, columns] if self.rng.chance(50) => {
                let all = vec![vec![0, 1]];
                (Kind::CollapseShape { groups: all }, vec![rows * columns], MemrefLayout::Identity)
            }
            // One row.
            [rows, columns] => {
                let (first, offset) = match self.rng.chance(50) {
                    true => {
                        let row = self.rng.between(0, rows - 1);
                        (fixed(row), Some(row * columns))
                    }
                    false => {
                        operands.push(self.subscript(rows));
                        (IndexOrOperand::Operand, None)
                    }
                };
                let kind = Kind::Subview {
                    offsets: vec![first, fixed(0)],
                    sizes: vec![fixed(1), fixed(columns)],
                    strides: vec![fixed(1), fixed(1)],
                };
                (kind, vec![columns], MemrefLayout::Strided { strides: vec![Some(1)], offset })
            }
            [n] if self.rng.chance(25) => {
                let groups = vec![vec![0, 1]];
                let sizes = vec![fixed(2), fixed(n / 2)];
                (Kind::ExpandShape { groups, sizes }, vec![2, n / 2], MemrefLayout::Identity)
            }
            [n] => {
                let stride = self.rng.between(1, 2);
                let size = n / 2;
                let (first, offset) = match (stride, self.rng.chance(60)) {
                    (2, _) => {
                        let o = self.rng.between(0, 1);
                        (fixed(o), Some(o))
                    }
                    (_, true) => {
                        let o = self.rng.between(0, n - size);
                        (fixed(o), Some(o))
                    }
                    _ => {
                        operands.push(self.subscript(n - size));
                        (IndexOrOperand::Operand, None)
                    }
                };
                let kind = Kind::Subview {
                    offsets: vec![first],
                    sizes: vec![fixed(size)],
                    strides: vec![fixed(stride)],
                };
                (kind, vec![size], MemrefLayout::Strided { strides: vec![Some(stride)], offset })
            }
            _ => return self.access(),
        };
        let open = shape.iter().map(|&n| Some(n)).collect();
        let ty = MemrefType { shape: open, element: mem.ty.element, layout };
        let op = self.push(kind, &operands, &[ValueType::Memref(ty.clone())]);
        let value = self.func.result(op, 0);
        self.mems.push(Mem { value, ty, shape, constant: mem.constant });
    }
}
