//! The generator's state, values and straight-line operations.

use super::{assemble, Call, RandomArgument, RandomOptions, RandomProgram};
use loom_base::{sign_extend, truncate, Rng};
use loom_dfg::{FloatPredicate, Op, OpKind, Predicate, Type};
use loom_front::ir::{
    ArgumentAttributes, BlockId, Func, Global, Kind, MemrefLayout, MemrefType, OpId, RegionId, ValueId,
    ValueType,
};

/// `index` is this wide in generated programs.
const INDEX: u32 = loom_dfg::types::DEFAULT_INDEX_WIDTH;
pub(super) const I8: Type = Type::Int(8);
pub(super) const I16: Type = Type::Int(16);
pub(super) const I64: Type = Type::Int(64);

/// A value in scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub value: ValueId,
    pub ty: Type,
    /// Smallest and largest signed value, where it is known.
    pub range: Option<(i64, i64)>,
}

/// A memref in scope, all of its extents known.
#[derive(Clone, Debug)]
pub(super) struct Mem {
    pub value: ValueId,
    pub ty: MemrefType,
    pub shape: Vec<i64>,
    pub constant: bool,
}

pub(super) struct Gen<'r> {
    pub rng: &'r mut Rng,
    pub options: RandomOptions,
    pub func: Func,
    pub globals: Vec<Global>,
    /// Where operations go.
    pub block: BlockId,
    pub seen: Vec<Seen>,
    pub mems: Vec<Mem>,
    pub depth: usize,
    /// Operations still to make.
    pub left: i64,
    /// How often the current block runs, at most.
    pub weight: i64,
    /// No stores here.
    pub read_only: bool,
    pub floats: bool,
}

/// An unchecked program: well formed, but it may run long.
pub(super) fn generate(rng: &mut Rng, options: &RandomOptions) -> RandomProgram {
    let floats = rng.chance(options.floats);
    let mut types = Vec::new();
    for _ in 0..1 + rng.below(4) {
        let wide = if options.hardware { Type::I32 } else { I64 };
        let all = [Type::Index, Type::Index, Type::I32, Type::I32, Type::I1, wide, I8];
        types.push(ValueType::Scalar(*rng.pick(&all)));
    }
    if floats {
        types.push(ValueType::Scalar(Type::F32));
    }
    let scalars = types.len();
    if options.memory && !rng.chance(8) {
        let element = element(rng, floats, options.hardware);
        let first = shape(rng, element);
        for i in 0..1 + rng.below(3) {
            types.push(ValueType::Memref(match i > 0 && rng.chance(40) {
                true => {
                    let element = self::element(rng, floats, options.hardware);
                    shape(rng, element)
                }
                false => first.clone(),
            }));
        }
    }
    let names: Vec<String> =
        (0..types.len()).map(|i| if i < scalars { format!("x{i}") } else { format!("m{i}") }).collect();
    let arguments: Vec<(&str, ValueType)> =
        names.iter().map(String::as_str).zip(types.iter().cloned()).collect();
    let mut func = Func::new("f", &arguments, &[]);
    for i in scalars..types.len() {
        func.argument_attributes[i] = ArgumentAttributes {
            noalias: rng.chance(50),
            alias_set: rng.below(2) as u32,
            ..ArgumentAttributes::default()
        };
    }
    let attributes = func.argument_attributes.clone();
    let body = func.body.expect("a new function has a body");
    let block = func.entry(body).expect("a new function has a block");
    let draw = match rng.below(10) {
        0..=5 => rng.between(6, 30),
        6..=8 => rng.between(20, 60),
        _ => rng.between(40, 110),
    };
    let left = options.ops.map_or(draw, |n| n as i64);
    let mut gen = Gen {
        rng,
        options: *options,
        func,
        globals: Vec::new(),
        block,
        seen: Vec::new(),
        mems: Vec::new(),
        depth: 0,
        left,
        weight: 1,
        read_only: false,
        floats,
    };
    let mut small = Vec::new();
    for (i, ty) in types.iter().enumerate() {
        let value = gen.func.arguments()[i];
        small.push(false);
        match ty {
            ValueType::Scalar(ty) => {
                small[i] = match ty {
                    Type::Index => gen.rng.chance(70),
                    Type::Int(w) => *w >= 8 && gen.rng.chance(40),
                    _ => false,
                };
                gen.seen.push(Seen { value, ty: *ty, range: small[i].then_some((0, 4)) });
            }
            ValueType::Memref(ty) => {
                let shape = ty.shape.iter().map(|d| d.unwrap_or(0)).collect();
                gen.mems.push(Mem { value, ty: ty.clone(), shape, constant: false });
            }
        }
    }
    while gen.left > 0 {
        gen.statement();
    }
    let mut results = Vec::new();
    for _ in 0..gen.rng.below(4) {
        let ty = gen.any_type();
        results.push(gen.pick(ty));
    }
    let result_types: Vec<ValueType> = results.iter().map(|&r| gen.func.ty(r).clone()).collect();
    gen.func.result_types = result_types;
    gen.func.push_op(block, Kind::Return, &results, &[]);

    let Gen { func, globals, rng, .. } = gen;
    // Buffers of equal type may be shared by arguments that allow it.
    let mut buffers = Vec::new();
    let mut own: Vec<Option<usize>> = Vec::new();
    for ty in &types {
        own.push(ty.memref().map(|ty| {
            let words = ty.words().unwrap_or(0);
            buffers.push((0..words).map(|_| number(rng, ty.element)).collect());
            buffers.len() - 1
        }));
    }
    let calls = (0..1 + rng.below(4)).map(|_| {
        let mut arguments = Vec::new();
        for (i, ty) in types.iter().enumerate() {
            arguments.push(match (own[i], ty) {
                (Some(buffer), _) => {
                    let shared: Vec<usize> = (0..i)
                        .filter(|&j| types[j] == *ty && attributes[i].may_overlap(&attributes[j]))
                        .collect();
                    match shared.is_empty() || rng.chance(60) {
                        true => RandomArgument::Buffer(buffer),
                        false => RandomArgument::Buffer(own[*rng.pick(&shared)].unwrap_or(buffer)),
                    }
                }
                (None, ty) if small[i] => RandomArgument::Scalar(truncate(rng.below(5) as u64, width(ty))),
                (None, ty) => RandomArgument::Scalar(number(rng, ty.scalar().unwrap_or(Type::I32))),
            });
        }
        Call { arguments }
    });
    let calls = calls.collect();
    assemble(func, globals, buffers, calls)
}

fn width(ty: &ValueType) -> u32 {
    ty.scalar().map_or(0, |t| t.width(INDEX))
}

pub(super) fn element(rng: &mut Rng, floats: bool, hardware: bool) -> Type {
    match rng.below(if floats { 12 } else { 8 }) {
        0..=4 => Type::I32,
        5 => I8,
        6 if hardware => I16,
        6 => I64,
        7 => Type::Index,
        _ => Type::F32,
    }
}

/// A static shape of a power of two of words.
pub(super) fn shape(rng: &mut Rng, element: Type) -> MemrefType {
    let shape = match rng.below(10) {
        0..=6 => vec![*rng.pick(&[4i64, 8, 8, 16])],
        _ => vec![*rng.pick(&[2i64, 4]), *rng.pick(&[2i64, 4])],
    };
    MemrefType { shape: shape.into_iter().map(Some).collect(), element, layout: MemrefLayout::Identity }
}

/// A number that likes edges.
pub(super) fn number(rng: &mut Rng, ty: Type) -> u64 {
    let width = ty.width(INDEX);
    let bits = match rng.below(8) {
        _ if ty == Type::F32 && rng.chance(80) => u64::from(((rng.between(-16, 16) as f32) * 0.75).to_bits()),
        0..=4 => rng.between(-2, 9) as u64,
        5 => rng.between(-100, 100) as u64,
        6 => *rng.pick(&[1u64 << (width - 1), (1u64 << (width - 1)).wrapping_sub(1), u64::MAX]),
        _ => rng.next_u64(),
    };
    truncate(bits, width)
}

impl Gen<'_> {
    /// An operation at the end of the current block.
    pub fn push(&mut self, kind: Kind, operands: &[ValueId], types: &[ValueType]) -> OpId {
        self.left -= 1;
        let block = self.block;
        self.func.push_op(block, kind, operands, types)
    }

    /// A value that comes into scope.
    pub fn emit(&mut self, kind: Kind, operands: &[ValueId], ty: Type, range: Option<(i64, i64)>) -> ValueId {
        let op = self.push(kind, operands, &[ValueType::Scalar(ty)]);
        let value = self.func.result(op, 0);
        self.seen.push(Seen { value, ty, range });
        value
    }

    pub fn scalar(
        &mut self,
        op: OpKind,
        operands: &[ValueId],
        ty: Type,
        range: Option<(i64, i64)>,
    ) -> ValueId {
        self.emit(Kind::Scalar(Op::Plain(op)), operands, ty, range)
    }

    pub fn constant(&mut self, value: i64, ty: Type) -> ValueId {
        // Index literals are 64 bits wide.
        let bits = if ty == Type::Index { value as u64 } else { truncate(value as u64, ty.width(INDEX)) };
        self.emit(Kind::Constant(bits), &[], ty, ty.is_integral().then_some((value, value)))
    }

    pub fn any_type(&mut self) -> Type {
        match self.rng.below(if self.floats { 14 } else { 10 }) {
            0..=3 => Type::I32,
            4..=6 => Type::Index,
            7 => Type::I1,
            8 if self.options.hardware => Type::I32,
            8 => I64,
            9 if self.options.hardware && self.rng.chance(30) => I16,
            9 => I8,
            _ => Type::F32,
        }
    }

    /// Whether the type has compares, shifts and divisions here, not only what low bits decide.
    pub fn is_full(&self, ty: Type) -> bool {
        !self.options.hardware || ty == Type::Index || ty == Type::I32
    }

    /// A value of that type: mostly one in scope, the latest ones first.
    pub fn pick(&mut self, ty: Type) -> ValueId {
        self.pick_from(ty, 0)
    }

    /// As [`Gen::pick`], of those that came into scope after the first `from`, if there are any.
    pub fn pick_from(&mut self, ty: Type, from: usize) -> ValueId {
        let of_type =
            |seen: &[Seen]| -> Vec<ValueId> { seen.iter().filter(|s| s.ty == ty).map(|s| s.value).collect() };
        let mut candidates = of_type(&self.seen[from.min(self.seen.len())..]);
        if candidates.is_empty() {
            candidates = of_type(&self.seen);
        }
        if candidates.is_empty() || self.rng.chance(6) {
            let bits = number(self.rng, ty);
            if ty == Type::F32 {
                return self.emit(Kind::Constant(bits), &[], ty, None);
            }
            let value = if ty == Type::I1 { (bits & 1) as i64 } else { sign_extend(bits, ty.width(INDEX)) };
            return self.constant(value, ty);
        }
        let first = if self.rng.chance(55) { candidates.len().saturating_sub(5) } else { 0 };
        *self.rng.pick(&candidates[first..])
    }

    /// A value from 0 to at most `max`, with its range.
    pub fn small(&mut self, ty: Type, max: i64) -> (ValueId, (i64, i64)) {
        let known = self.seen.iter().filter_map(|s| Some((s.value, s.ty, s.range?)));
        let known: Vec<_> =
            known.filter(|k| k.1 == ty && k.2 .0 >= 0 && k.2 .1 <= max && k.2 .0 < k.2 .1).collect();
        match self.rng.below(10) {
            0..=3 if !known.is_empty() => {
                let (value, _, range) = *self.rng.pick(&known);
                (value, range)
            }
            4..=6 if max > 0 => {
                let mask =
                    if max >= 7 && self.rng.chance(40) { 7 } else { [1, 1, 1, 3][max.clamp(0, 3) as usize] };
                let mask = if mask <= max { mask } else { 1 };
                let x = self.pick(ty);
                let m = self.constant(mask, ty);
                (self.scalar(OpKind::Andi, &[x, m], ty, Some((0, mask))), (0, mask))
            }
            _ => {
                let value = self.rng.between(0, max.max(0));
                (self.constant(value, ty), (value, value))
            }
        }
    }

    /// Fills a new region; what comes into scope in it leaves with it.
    pub fn region(&mut self, weight: i64, fill: impl FnOnce(&mut Self, BlockId)) -> RegionId {
        let region = self.func.add_region();
        let block = self.func.add_block(region);
        let outer = (self.block, self.seen.len(), self.mems.len(), self.weight, self.read_only);
        self.block = block;
        self.depth += 1;
        self.weight = self.weight.saturating_mul(weight.max(1));
        fill(self, block);
        self.depth -= 1;
        self.block = outer.0;
        self.seen.truncate(outer.1);
        self.mems.truncate(outer.2);
        (self.weight, self.read_only) = (outer.3, outer.4);
        region
    }

    /// A block argument in scope.
    pub fn argument(&mut self, block: BlockId, ty: Type, range: Option<(i64, i64)>) -> ValueId {
        let value = self.func.add_argument(block, "", ValueType::Scalar(ty));
        self.seen.push(Seen { value, ty, range });
        value
    }

    /// An operation with regions; its results come into scope.
    pub fn structured(&mut self, kind: Kind, operands: &[ValueId], types: &[Type], regions: Vec<RegionId>) {
        let value_types: Vec<ValueType> = types.iter().map(|&t| ValueType::Scalar(t)).collect();
        let op = self.push(kind, operands, &value_types);
        self.func.op_mut(op).regions = regions;
        for (i, &ty) in types.iter().enumerate() {
            let value = self.func.result(op, i);
            self.seen.push(Seen { value, ty, range: None });
        }
    }

    /// Anything that fits here.
    pub fn statement(&mut self) {
        let inside = self.depth < self.options.max_depth && self.left > 3;
        let roll = self.rng.below(100);
        let memory = !self.mems.is_empty() && roll < 42;
        match roll {
            _ if inside && self.rng.chance(if self.depth == 0 { 40 } else { 30 }) => self.control(),
            _ if memory => self.access(),
            42..=45 if self.options.memory => self.new_memory(),
            46..=50 if !self.mems.is_empty() => self.new_view(),
            51..=53 if !self.mems.is_empty() && !self.read_only => {
                self.push(Kind::Fence, &[], &[]);
            }
            _ => self.arithmetic(),
        }
    }

    fn arithmetic(&mut self) {
        let ty = self.any_type();
        if ty == Type::F32 {
            return self.float_arithmetic();
        }
        match self.rng.below(20) {
            0..=3 => self.comparison(ty),
            4..=5 => {
                let operands = [self.pick(Type::I1), self.pick(ty), self.pick(ty)];
                self.scalar(OpKind::Select, &operands, ty, None);
            }
            6..=8 => self.cast(ty),
            9 if self.is_full(ty) => {
                use OpKind::*;
                let op = *self.rng.pick(&[Absi, Ctlz, Cttz, Ctpop, Bitreverse]);
                let x = self.pick(ty);
                // `llvm.intr.bitreverse` and `math.ctlz` are for integers with a fixed width.
                if ty == Type::Index {
                    self.scalar(Addi, &[x, x], ty, None);
                } else {
                    self.scalar(op, &[x], ty, None);
                }
            }
            10..=11 => {
                let mask = *self.rng.pick(&[1, 3, 7]);
                if ty == Type::I1 {
                    return self.comparison(Type::I32);
                }
                let x = self.pick(ty);
                let m = self.constant(mask, ty);
                self.scalar(OpKind::Andi, &[x, m], ty, Some((0, mask)));
            }
            _ => {
                use OpKind::*;
                let often =
                    [Addi, Addi, Subi, Subi, Muli, Andi, Ori, Xori, Xori, Shli, Shrsi, Shrui, Maxsi, Minui];
                let seldom = [Divsi, Divui, Remsi, Remui, Ceildivsi, Ceildivui, Floordivsi, Maxui, Minsi];
                // A small fabric has one divider.
                let plain = if self.options.hardware { 92 } else { 75 };
                let op = match self.rng.chance(plain) {
                    true if self.is_full(ty) => *self.rng.pick(&often),
                    false if self.is_full(ty) => *self.rng.pick(&seldom),
                    _ => *self.rng.pick(&[Addi, Subi, Muli, Andi, Ori, Xori]),
                };
                let operands = [self.pick(ty), self.pick(ty)];
                self.scalar(op, &operands, ty, None);
            }
        }
    }

    fn float_arithmetic(&mut self) {
        use OpKind::*;
        let f = Type::F32;
        let hardware = self.options.hardware;
        match self.rng.below(8) {
            0 => {
                let operands = [self.pick(f), self.pick(f)];
                let all: Vec<FloatPredicate> = FloatPredicate::all().collect();
                let predicate = *self.rng.pick(&all);
                self.emit(Kind::Scalar(Op::Cmpf(predicate)), &operands, Type::I1, None);
            }
            1 => {
                let x = self.pick(f);
                let op = if hardware { Fptosi } else { *self.rng.pick(&[Fptosi, Bitcast]) };
                self.scalar(op, &[x], Type::I32, None);
            }
            2 => {
                let x = self.pick(Type::I32);
                let op = if hardware { Sitofp } else { *self.rng.pick(&[Sitofp, Uitofp, Bitcast]) };
                self.scalar(op, &[x], f, None);
            }
            3 => {
                let x = self.pick(f);
                let all = [Negf, Absf, Floor, Sqrt];
                let op = *self.rng.pick(if hardware { &all[..2] } else { &all });
                self.scalar(op, &[x], f, None);
            }
            _ => {
                let operands = [self.pick(f), self.pick(f)];
                let all = [Addf, Subf, Mulf, Maximumf, Divf, Minnumf];
                let op = *self.rng.pick(if hardware { &all[..4] } else { &all });
                self.scalar(op, &operands, f, None);
            }
        }
    }

    fn comparison(&mut self, ty: Type) {
        let ty = if self.is_full(ty) { ty } else { Type::I32 };
        let predicate = *self.rng.pick(&Predicate::ALL);
        let operands = [self.pick(ty), self.pick(ty)];
        self.emit(Kind::Scalar(Op::Cmpi(predicate)), &operands, Type::I1, None);
    }

    /// From another type to this one.
    fn cast(&mut self, to: Type) {
        let from = match self.options.hardware {
            // Everything widens to i32 and comes from there.
            true if to != Type::I32 => Type::I32,
            true => *self.rng.pick(&[Type::Index, Type::Index, Type::I1, I8, I16]),
            false => *self.rng.pick(&[Type::I32, Type::Index, Type::I1, I64, I8]),
        };
        let x = self.pick(from);
        self.convert(x, from, to);
    }

    /// The value as another type; itself when that is its type.
    pub fn convert(&mut self, x: ValueId, from: Type, to: Type) -> ValueId {
        let range = self.seen.iter().find(|s| s.value == x).and_then(|s| s.range);
        // All types but `i1` hold what is below 128.
        let kept = range.filter(|r| r.0 >= 0 && r.1 < 128 && from != Type::I1 && to != Type::I1);
        let signed = self.rng.chance(60) || (self.options.hardware && from == Type::Index);
        let op = match (from, to) {
            _ if from == to => return x,
            (Type::Index, _) | (_, Type::Index) if signed => OpKind::IndexCast,
            (Type::Index, _) | (_, Type::Index) => OpKind::IndexCastui,
            _ if from.width(INDEX) > to.width(INDEX) => OpKind::Trunci,
            _ if signed => OpKind::Extsi,
            _ => OpKind::Extui,
        };
        self.scalar(op, &[x], to, kept)
    }
}
