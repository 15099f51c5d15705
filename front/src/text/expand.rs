//! Arithmetic and memory operations that are read as several others.

use super::build::INDEX;
use super::generic::Parts;
use super::parser::{Head, Parsed, Parser};
use crate::codes;
use crate::edit;
use crate::ir::{IndexOrOperand, Kind, MemrefLayout, MemrefType, ValueId, ValueType};
use loom_base::Diagnostic;
use loom_dfg::{Op, OpKind, Predicate, Type};
use std::ops::Range;

/// How `affine.parallel` combines what its iterations yield.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduction(OpKind);

impl Reduction {
    /// With the names that pretty text has and the numbers that generic text has. MLIR's others need signed or unsigned
    /// types, which no value here has.
    const ALL: [(&'static str, i64, OpKind); 8] = [
        ("addf", 0, OpKind::Addf),
        ("addi", 1, OpKind::Addi),
        ("maximumf", 3, OpKind::Maximumf),
        ("minimumf", 6, OpKind::Minimumf),
        ("mulf", 9, OpKind::Mulf),
        ("muli", 10, OpKind::Muli),
        ("ori", 11, OpKind::Ori),
        ("andi", 12, OpKind::Andi),
    ];

    pub fn named(name: &str) -> Option<Reduction> {
        Self::ALL.into_iter().find(|r| r.0 == name).map(|r| Reduction(r.2))
    }

    pub fn numbered(code: i64) -> Option<Reduction> {
        Self::ALL.into_iter().find(|r| r.1 == code).map(|r| Reduction(r.2))
    }

    pub fn kind(self) -> OpKind {
        self.0
    }

    /// The bits that MLIR starts with: they change nothing.
    pub fn neutral(self, ty: Type) -> u64 {
        edit::neutral(self.0, ty)
    }
}

/// Whether an op is read as several others.
pub(super) fn is_expanded(name: &str) -> bool {
    matches!(
        name,
        "arith.addui_extended"
            | "arith.mului_extended"
            | "arith.mulsi_extended"
            | "math.ipowi"
            | "math.fpowi"
            | "memref.copy"
            | "memref.assume_alignment"
            | "memref.extract_strided_metadata"
    )
}

impl Parser<'_> {
    /// Checks a reduction's name or number.
    pub fn reduction(
        &mut self,
        found: Option<Reduction>,
        shown: &str,
        span: Range<usize>,
    ) -> Parsed<Reduction> {
        match found {
            Some(reduction) => Ok(reduction),
            None => {
                let names: Vec<&str> = Reduction::ALL.iter().map(|r| r.0).collect();
                let d = Diagnostic::error(codes::ATTRIBUTE, format!("`{shown}` is no reduction"));
                self.fail(d.at(span, "").help(format!("there are {}", names.join(", "))))
            }
        }
    }

    /// Pretty form: operands, then types.
    pub fn expanded(&mut self, head: &Head) -> Parsed<()> {
        let mut operands = vec![self.operand()?];
        while self.eat(b',') {
            match head.name.as_str() {
                "memref.assume_alignment" => drop(self.integer()?),
                _ => operands.push(self.operand()?),
            }
        }
        self.optional_attributes()?;
        self.expect(b':', "before the type")?;
        let mut types = self.value_types()?;
        let (takes, gives) = match head.name.as_str() {
            "math.fpowi" => (types.clone(), types[..1].to_vec()),
            "memref.copy" => {
                self.expect_word("to")?;
                types.push(self.value_type()?);
                (types, Vec::new())
            }
            "memref.assume_alignment" => (types, Vec::new()),
            "memref.extract_strided_metadata" => {
                self.expect_arrow()?;
                (types, self.value_types()?)
            }
            "arith.addui_extended" => (vec![types[0].clone(); 2], types),
            _ => (vec![types[0].clone(); 2], types),
        };
        let values = self.values(&operands, &takes, &head.span)?;
        self.expand(head, &values, &takes, &gives)
    }

    /// Generic form.
    pub fn generic_expanded(&mut self, head: &Head, parts: &Parts) -> Parsed<()> {
        self.expand(head, &parts.operands, &parts.types, &parts.results)
    }

    fn expand(
        &mut self,
        head: &Head,
        values: &[ValueId],
        takes: &[ValueType],
        gives: &[ValueType],
    ) -> Parsed<()> {
        match (head.name.as_str(), values, takes) {
            ("memref.assume_alignment", [_], [ValueType::Memref(_)]) => Ok(()),
            ("memref.copy", &[from, to], [ValueType::Memref(a), ValueType::Memref(b)]) => {
                self.copy(head, (from, a), (to, b))
            }
            ("memref.extract_strided_metadata", &[memref], [ValueType::Memref(ty)]) => {
                self.metadata(head, memref, ty, gives)
            }
            (name, &[a, b], [ValueType::Scalar(ty), ValueType::Scalar(other)]) => {
                let results = match name {
                    "math.fpowi" if ty.is_float() && matches!(other, Type::Int(_)) => {
                        vec![self.float_power(head, a, b, (*ty, *other))]
                    }
                    "math.ipowi" if *ty == *other && ty.is_integral() => vec![self.power(head, a, b, *ty)],
                    "arith.addui_extended" if *ty == *other && ty.is_integral() => {
                        let sum = self.plain(head, OpKind::Addi, &[a, b], *ty);
                        let over = self.compute(head, Op::Cmpi(Predicate::Ult), &[sum, a], Type::I1);
                        vec![sum, over]
                    }
                    "arith.mului_extended" | "arith.mulsi_extended"
                        if *ty == *other && matches!(ty, Type::Int(_)) =>
                    {
                        self.product(head, [a, b], *ty, name == "arith.mulsi_extended").to_vec()
                    }
                    _ => return self.no_such(head),
                };
                self.define(head, &results)
            }
            _ => self.no_such(head),
        }
    }

    fn no_such(&mut self, head: &Head) -> Parsed<()> {
        let message = format!("`{}` is not for operands of these types", head.name);
        self.error(codes::TYPE_MISMATCH, message, head.span.clone())
    }

    /// The low and the high half of a product.
    fn product(&mut self, head: &Head, [a, b]: [ValueId; 2], ty: Type, signed: bool) -> [ValueId; 2] {
        let width = ty.width(64);
        let low = self.plain(head, OpKind::Muli, &[a, b], ty);
        if width <= 32 {
            let wide = Type::Int(2 * width as u8);
            let extend = if signed { OpKind::Extsi } else { OpKind::Extui };
            let [x, y] = [a, b].map(|v| self.plain(head, extend, &[v], wide));
            let product = self.plain(head, OpKind::Muli, &[x, y], wide);
            let amount = self.literal_of(head, width.into(), wide);
            let high = self.plain(head, OpKind::Shrui, &[product, amount], wide);
            return [low, self.plain(head, OpKind::Trunci, &[high], ty)];
        }
        // Of 64 bits, in halves of 32: the sums of the middle do not overflow. Narrower numbers stand at the top of the
        // 64, one of them, so that the high word of their product is the high part.
        let wide = Type::Int(64);
        let rest = i64::from(64 - width);
        let [x, y] = match rest {
            0 => [a, b],
            _ => {
                let extend = if signed { OpKind::Extsi } else { OpKind::Extui };
                let [x, y] = [a, b].map(|v| self.plain(head, extend, &[v], wide));
                let amount = self.literal_of(head, rest, wide);
                [self.plain(head, OpKind::Shli, &[x, amount], wide), y]
            }
        };
        let half = self.literal_of(head, 32, wide);
        let mask = self.literal_of(head, u32::MAX.into(), wide);
        let mut halves = |v| {
            [
                self.plain(head, OpKind::Andi, &[v, mask], wide),
                self.plain(head, OpKind::Shrui, &[v, half], wide),
            ]
        };
        let ([x0, x1], [y0, y1]) = (halves(x), halves(y));
        let mut op = |kind, a, b| self.plain(head, kind, &[a, b], wide);
        let (p00, p01) = (op(OpKind::Muli, x0, y0), op(OpKind::Muli, x0, y1));
        let (p10, p11) = (op(OpKind::Muli, x1, y0), op(OpKind::Muli, x1, y1));
        let carried = op(OpKind::Shrui, p00, half);
        let middle = op(OpKind::Addi, p10, carried);
        let middle_low = op(OpKind::Andi, middle, mask);
        let other = op(OpKind::Addi, middle_low, p01);
        let [up, other_up] = [middle, other].map(|v| op(OpKind::Shrui, v, half));
        let sum = op(OpKind::Addi, p11, up);
        let mut high = op(OpKind::Addi, sum, other_up);
        if signed {
            let sign = self.literal_of(head, 63, wide);
            for (v, other) in [(x, y), (y, x)] {
                let negative = self.plain(head, OpKind::Shrsi, &[v, sign], wide);
                let less = self.plain(head, OpKind::Andi, &[negative, other], wide);
                high = self.plain(head, OpKind::Subi, &[high, less], wide);
            }
        }
        if rest > 0 {
            high = self.plain(head, OpKind::Trunci, &[high], ty);
        }
        [low, high]
    }

    /// `math.ipowi`. A literal exponent becomes the products it needs; another one a loop over its bits. A negative
    /// exponent gives a whole number for bases of 1 and -1 only; others give 0.
    fn power(&mut self, head: &Head, base: ValueId, exponent: ValueId, ty: Type) -> ValueId {
        let known = match self.is_there(exponent) {
            true => edit::constant_int(&self.state.func, exponent),
            false => None,
        };
        if let Some(exponent @ 1..) = known {
            return self.fixed_power(head, base, exponent as u64, ty);
        }
        let [zero, one, minus] = [0, 1, -1].map(|n| self.literal_of(head, n, ty));
        let types = [ty.into(), ty.into(), ty.into()];
        let op = self.build(head, Kind::While, &[one, base, exponent], &types);
        let (before, outer) = self.enter();
        let block = self.state.block;
        let carried: Vec<ValueId> =
            types.iter().map(|t: &ValueType| self.state.func.add_argument(block, "", t.clone())).collect();
        let more = self.compute(head, Op::Cmpi(Predicate::Sgt), &[carried[2], zero], Type::I1);
        self.build(head, Kind::Condition, &[&[more], &carried[..]].concat(), &[]);
        let (after, _) = self.enter();
        let block = self.state.block;
        let inside: Vec<ValueId> =
            types.iter().map(|t: &ValueType| self.state.func.add_argument(block, "", t.clone())).collect();
        let odd = self.is_odd(head, inside[2], one, ty);
        let product = self.plain(head, OpKind::Muli, &[inside[0], inside[1]], ty);
        let power = self.plain(head, OpKind::Select, &[odd, product, inside[0]], ty);
        let square = self.plain(head, OpKind::Muli, &[inside[1], inside[1]], ty);
        let rest = self.plain(head, OpKind::Shrui, &[inside[2], one], ty);
        self.leave(head, outer, &[power, square, rest]);
        self.state.func.op_mut(op).regions = vec![before, after];
        let positive = self.state.func.result(op, 0);
        let mut equal = |a, b| self.compute(head, Op::Cmpi(Predicate::Eq), &[a, b], Type::I1);
        let (is_one, is_minus) = (equal(base, one), equal(base, minus));
        let odd = self.is_odd(head, exponent, one, ty);
        let mut select = |c, a, b| self.plain(head, OpKind::Select, &[c, a, b], ty);
        let sign = select(odd, minus, one);
        let other = select(is_minus, sign, zero);
        let inverse = select(is_one, one, other);
        let negative = self.compute(head, Op::Cmpi(Predicate::Slt), &[exponent, zero], Type::I1);
        self.plain(head, OpKind::Select, &[negative, inverse, positive], ty)
    }

    fn is_odd(&mut self, head: &Head, value: ValueId, one: ValueId, ty: Type) -> ValueId {
        let bit = self.plain(head, OpKind::Andi, &[value, one], ty);
        self.compute(head, Op::Cmpi(Predicate::Eq), &[bit, one], Type::I1)
    }

    /// Squares for the exponent's bits, and a product for each further one.
    fn fixed_power(&mut self, head: &Head, base: ValueId, exponent: u64, ty: Type) -> ValueId {
        let mut square = base;
        let mut power: Option<ValueId> = None;
        let last = 63 - exponent.leading_zeros();
        for bit in 0..=last {
            if exponent >> bit & 1 == 1 {
                power = Some(match power {
                    Some(so_far) => self.plain(head, OpKind::Muli, &[so_far, square], ty),
                    None => square,
                });
            }
            if bit < last {
                square = self.plain(head, OpKind::Muli, &[square, square], ty);
            }
        }
        match power {
            Some(power) if exponent > 1 => power,
            // A value of the reader's own has a name of its own.
            _ => {
                let one = self.literal_of(head, 1, ty);
                self.plain(head, OpKind::Muli, &[base, one], ty)
            }
        }
    }

    /// `math.fpowi`, in double, which holds exponents of 32 bits: an even power of a negative number has its sign.
    fn float_power(
        &mut self,
        head: &Head,
        base: ValueId,
        exponent: ValueId,
        (ty, n): (Type, Type),
    ) -> ValueId {
        let double = Type::F64;
        let exponent = match n.width(64) {
            0..=32 => exponent,
            _ => self.plain(head, OpKind::Trunci, &[exponent], Type::Int(32)),
        };
        let exponent = self.plain(head, OpKind::Sitofp, &[exponent], double);
        if ty == double {
            return self.plain(head, OpKind::Powf, &[base, exponent], double);
        }
        let wide = self.plain(head, OpKind::Extf, &[base], double);
        let power = self.plain(head, OpKind::Powf, &[wide, exponent], double);
        self.plain(head, OpKind::Truncf, &[power], ty)
    }

    // Memory.

    /// `memref.copy`: a loop for each dimension.
    fn copy(
        &mut self,
        head: &Head,
        (from, source): (ValueId, &MemrefType),
        (to, target): (ValueId, &MemrefType),
    ) -> Parsed<()> {
        if source.shape.len() != target.shape.len() || source.element != target.element {
            return self.no_such(head);
        }
        let (mut subscripts, mut around) = (Vec::new(), Vec::new());
        for d in 0..source.shape.len() {
            let known = source.shape[d].or(target.shape[d]);
            let extent = self.extent(head, from, d, known);
            let (_, outer, index) = self.count_to(head, extent);
            subscripts.push(index);
            around.push(outer);
        }
        let element = ValueType::Scalar(source.element);
        let word = self.built(head, Kind::Load, &[&[from], &subscripts[..]].concat(), element);
        self.build(head, Kind::Store, &[&[word, to], &subscripts[..]].concat(), &[]);
        around.into_iter().rev().for_each(|outer| self.end_count(head, outer));
        self.define(head, &[])
    }

    fn extent(&mut self, head: &Head, memref: ValueId, d: usize, known: Option<i64>) -> ValueId {
        match known {
            Some(n) => self.literal_of(head, n, Type::Index),
            None => {
                let d = self.literal_of(head, d as i64, Type::Index);
                self.built(head, Kind::Dim, &[memref, d], INDEX)
            }
        }
    }

    /// `memref.extract_strided_metadata`: the first word, the offset, extents and strides.
    fn metadata(&mut self, head: &Head, memref: ValueId, ty: &MemrefType, gives: &[ValueType]) -> Parsed<()> {
        let rank = ty.shape.len();
        let base = MemrefType { shape: Vec::new(), element: ty.element, layout: MemrefLayout::Identity };
        let wanted = [vec![ValueType::Memref(base)], vec![INDEX; 1 + 2 * rank]].concat();
        if gives != wanted {
            return self.no_such(head);
        }
        let offset = IndexOrOperand::Fixed(0);
        let first = Kind::ReinterpretCast { offset, sizes: Vec::new(), strides: Vec::new() };
        let mut results = vec![self.built(head, first, &[memref], wanted[0].clone())];
        let sizes: Vec<ValueId> = (0..rank).map(|d| self.extent(head, memref, d, ty.shape[d])).collect();
        let (offset, strides) = match &ty.layout {
            MemrefLayout::Identity => {
                let mut strides = vec![self.literal_of(head, 1, Type::Index); rank];
                for d in (0..rank.saturating_sub(1)).rev() {
                    strides[d] = self.plain(head, OpKind::Muli, &[strides[d + 1], sizes[d + 1]], Type::Index);
                }
                (0, strides)
            }
            MemrefLayout::Strided { strides, offset } => {
                match (offset, strides.iter().copied().collect::<Option<Vec<i64>>>()) {
                    (Some(offset), Some(strides)) => (
                        *offset,
                        strides.into_iter().map(|n| self.literal_of(head, n, Type::Index)).collect(),
                    ),
                    _ => {
                        let message = "the metadata of a memref with open strides or offset";
                        let d = Diagnostic::error(codes::NOT_SUPPORTED, message).at(head.span.clone(), "");
                        let help = "expand views first: `mlir-opt --expand-strided-metadata`, or give the layout numbers";
                        return self.fail(d.help(help));
                    }
                }
            }
        };
        results.push(self.literal_of(head, offset, Type::Index));
        results.extend(sizes);
        results.extend(strides);
        self.define(head, &results)
    }

    /// Reads an op of other names as `affine`, a parallel loop, or several ops; whether it is one of them.
    pub fn generic_sugar(&mut self, head: &Head, parts: &Parts) -> Option<Parsed<()>> {
        Some(match head.name.as_str() {
            "affine.parallel" => self.generic_affine_parallel(head, parts),
            name if name.starts_with("affine.") => self.generic_affine(head, parts),
            "scf.parallel" => self.generic_parallel(head, parts),
            "scf.forall" => self.generic_forall(head, parts),
            "scf.forall.in_parallel" => self.emit(head, Kind::Yield, Vec::new(), &[]).map(drop),
            "scf.reduce" => self.generic_reduce(head, parts),
            "scf.reduce.return" => self.emit(head, Kind::Yield, parts.operands.clone(), &[]).map(drop),
            "scf.execute_region" => match self.only_region(parts) {
                Ok(region) => self.run_once(head, region, &parts.results),
                Err(failed) => Err(failed),
            },
            name if is_expanded(name) => self.generic_expanded(head, parts),
            _ => return None,
        })
    }

    /// The same in pretty form.
    pub fn sugar(&mut self, head: &Head) -> Option<Parsed<()>> {
        Some(match head.name.as_str() {
            name if name.starts_with("affine.") => self.affine(head),
            "scf.parallel" => self.scf_parallel(head),
            "scf.forall" => self.scf_forall(head),
            "scf.forall.in_parallel" => self.in_parallel(head),
            "scf.reduce" => self.scf_reduce(head),
            "scf.reduce.return" => self.values_end(head, Kind::Yield),
            "scf.execute_region" => self.execute_region(head),
            name if is_expanded(name) => self.expanded(head),
            _ => return None,
        })
    }
}
