//! Floating point: what the units compute, as combinational values, for `bf16`, `f16`, `f32` and `f64`.
//!
//! Guarantees: bit for bit what `loom_dfg::float` defines; elementary functions are another file's. Rounding is to nearest, ties to even, with subnormals in and
//! out; every NaN that is computed is the canonical one; `negf`, `absf` and `copysign` touch the sign bit only.
//!
//! Each op that rounds makes an exact value, or one with a sticky lowest bit ([`Unrounded`]), and gives it to the one
//! rounder ([`round`]). Refuses nothing: legality lets no other op get here ([`is_float_op`] says which do).

use super::bits;
use crate::ir::{Expr, Module};
use loom_dfg::op::{Cast, FloatBinary, FloatCompare, FloatPredicate, FloatTernary, FloatUnary, Form};
use loom_dfg::{OpKind, Type};
use std::cmp::Ordering;

/// The ops whose meaning follows from their float types, not from widths alone.
pub(super) fn is_float_op(kind: OpKind) -> bool {
    match kind.form() {
        Form::FloatBinary(_)
        | Form::FloatUnary(_)
        | Form::Elementary(_)
        | Form::FloatTernary(_)
        | Form::FloatCompare(_) => true,
        Form::Cast(op) => !matches!(
            op,
            Cast::Extsi | Cast::Extui | Cast::Trunci | Cast::IndexCast | Cast::IndexCastui | Cast::Bitcast
        ),
        _ => false,
    }
}

/// The value of a float op on operands of type `from`, as a value of type `to`. `config` is the predicate of a compare.
pub(super) fn compute(
    m: &mut Module,
    form: Form,
    (from, to): (Type, Type),
    operands: &[Expr],
    config: Option<Expr>,
) -> Expr {
    let a = &operands[0];
    match form {
        Form::FloatBinary(op) => binary(m, op, from, a, &operands[1]),
        Form::FloatUnary(op) => unary(m, op, from, a),
        Form::FloatTernary(FloatTernary::Fma) => multiply_add(m, from, a, &operands[1], &operands[2]),
        Form::FloatCompare(FloatCompare::Cmpf) => {
            Order::of(m, from, a, &operands[1]).answer(m, &config.expect("a compare has a predicate"))
        }
        Form::Cast(op) => match op {
            Cast::Extf | Cast::Truncf => convert(m, from, to, a),
            Cast::Sitofp => from_integer(m, to, a, &Expr::ones(1)),
            Cast::Uitofp => from_integer(m, to, a, &Expr::zero(1)),
            Cast::Fptosi => to_integer(m, from, to.width(0), a, &Expr::ones(1)),
            Cast::Fptoui => to_integer(m, from, to.width(0), a, &Expr::zero(1)),
            Cast::Extsi
            | Cast::Extui
            | Cast::Trunci
            | Cast::IndexCast
            | Cast::IndexCastui
            | Cast::Bitcast => {
                unreachable!("{op:?} knows no floats")
            }
        },
        Form::Elementary(_)
        | Form::IntBinary(_)
        | Form::Division(_)
        | Form::IntUnary(_)
        | Form::IntCompare(_)
        | Form::Choice(_)
        | Form::Steer(_)
        | Form::State(_)
        | Form::Access(_)
        | Form::Memory(_) => unreachable!("{form:?} is no float op"),
    }
}

fn sign_and_rest(sign: Expr, v: &Expr) -> Expr {
    Expr::concat(&[sign, v.slice(0, v.width() - 1)])
}

fn binary(m: &mut Module, op: FloatBinary, ty: Type, a: &Expr, b: &Expr) -> Expr {
    match op {
        FloatBinary::Addf => sum(m, ty, a, b, &Expr::zero(1)),
        FloatBinary::Subf => sum(m, ty, a, b, &Expr::ones(1)),
        FloatBinary::Mulf => product(m, ty, a, b),
        FloatBinary::Maximumf => Order::of(m, ty, a, b).choice(m, &Expr::zero(1), &Expr::ones(1)),
        FloatBinary::Minimumf => Order::of(m, ty, a, b).choice(m, &Expr::ones(1), &Expr::ones(1)),
        FloatBinary::Maxnumf => Order::of(m, ty, a, b).choice(m, &Expr::zero(1), &Expr::zero(1)),
        FloatBinary::Minnumf => Order::of(m, ty, a, b).choice(m, &Expr::ones(1), &Expr::zero(1)),
        FloatBinary::Copysign => {
            m.unused(&a.msb());
            m.unused(&b.slice(0, b.width() - 1));
            sign_and_rest(b.msb(), a)
        }
        FloatBinary::Divf | FloatBinary::Remf => unreachable!("its unit works digit by digit"),
        FloatBinary::Atan2 => unreachable!("it is drawn step by step"),
        FloatBinary::Powf => unreachable!("the op table: {op:?} has no hardware"),
    }
}

fn unary(m: &mut Module, op: FloatUnary, ty: Type, a: &Expr) -> Expr {
    match op {
        FloatUnary::Negf => sign_and_rest(a.msb().not(), a),
        FloatUnary::Absf => {
            m.unused(&a.msb());
            sign_and_rest(Expr::zero(1), a)
        }
        FloatUnary::Floor => to_whole(m, ty, a, |sign, half, rest, _| sign.and(&half.or(rest))),
        FloatUnary::Ceil => to_whole(m, ty, a, |sign, half, rest, _| sign.not().and(&half.or(rest))),
        FloatUnary::Trunc => to_whole(m, ty, a, |_, _, _, _| Expr::zero(1)),
        FloatUnary::Round => to_whole(m, ty, a, |_, half, _, _| half.clone()),
        FloatUnary::Roundeven => to_whole(m, ty, a, |_, half, rest, odd| half.and(&rest.or(odd))),
        FloatUnary::Sqrt | FloatUnary::Rsqrt => unreachable!("its unit works digit by digit"),
    }
}

/// How a float type splits its bits: sign, exponent, fraction.
#[derive(Clone, Copy)]
pub(super) struct Format {
    pub exponent: u32,
    pub fraction: u32,
    ty: Type,
}

impl Format {
    pub fn of(ty: Type) -> Format {
        let exponent = match ty {
            Type::F16 => 5,
            Type::Bf16 | Type::F32 => 8,
            Type::F64 => 11,
            _ => unreachable!("legality: a float op has float types"),
        };
        Format { exponent, fraction: ty.width(0) - 1 - exponent, ty }
    }

    /// The exponent field of 1.0.
    pub fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The exponent field of infinities and NaNs.
    fn top(self) -> i64 {
        (1 << self.exponent) - 1
    }

    fn infinity(self, sign: &Expr) -> Expr {
        Expr::concat(&[sign.clone(), Expr::ones(self.exponent), Expr::zero(self.fraction)])
    }

    fn nan(self) -> Expr {
        Expr::konst(self.ty.width(0), loom_dfg::float::canonical_nan(self.ty))
    }
}

/// An operand taken apart.
pub(super) struct Parts {
    pub sign: Expr,
    /// All bits but the sign: larger for larger magnitudes.
    magnitude: Expr,
    /// The biased exponent that counts: 1 for subnormals, too.
    pub exponent: Expr,
    /// The fraction with its hidden bit, which is 0 for subnormals.
    pub significand: Expr,
    pub infinite: Expr,
    pub nan: Expr,
}

/// Makes no wires: an op that has no use for a part does not get it.
pub(super) fn unpack(ty: Type, v: &Expr) -> Parts {
    let f = Format::of(ty);
    let fraction = v.slice(0, f.fraction);
    let field = v.slice(f.fraction, f.exponent);
    let (normal, last) = (field.reduce_or(), field.reduce_and());
    let lowest = field.bit(0).or(&normal.not());
    Parts {
        sign: v.msb(),
        magnitude: v.slice(0, v.width() - 1),
        exponent: Expr::concat(&[field.slice(1, f.exponent - 1), lowest]),
        infinite: last.and(&fraction.reduce_or().not()),
        nan: last.and(&fraction.reduce_or()),
        significand: Expr::concat(&[normal, fraction]),
    }
}

/// A two's complement constant.
pub(super) fn signed(width: u32, value: i64) -> Expr {
    assert!((-(1i64 << (width - 1))..1i64 << (width - 1)).contains(&value), "{value} in {width} bits");
    Expr::konst(width, loom_base::truncate(value as u64, width))
}

/// `v` shifted right; the lowest bit of the result is set, too, when any bit that left was.
fn shift_right_sticky(m: &mut Module, v: &Expr, amount: &Expr) -> Expr {
    let kept = Expr::ones(v.width()).shl(amount);
    let lost = m.wire("lost", v.and(&kept.not()).reduce_or());
    let shifted = m.wire("shifted", v.shr(amount));
    Expr::concat(&[shifted.slice(1, v.width() - 1), shifted.bit(0).or(&lost)])
}

/// A finite value before rounding: exact, but that the lowest bit may stand for any bits below it, where it comes to lie
/// below the round bit.
pub(super) struct Unrounded {
    pub sign: Expr,
    /// The exponent field that a set top bit of the significand would have, two's complement, at least two bits wider
    /// than the field.
    pub exponent: Expr,
    pub significand: Expr,
    /// The exponent is never below this.
    pub least: i64,
}

/// The nearest float; the zero of the sign where the significand is 0.
pub(super) fn round(m: &mut Module, ty: Type, v: &Unrounded) -> Expr {
    let f = Format::of(ty);
    let wide = v.exponent.width();
    let constant = |value| signed(wide, value);
    m.comment("Rounder: the highest one goes to the top, but not below the exponent of subnormals.");
    let significand = m.wire("unrounded", v.significand.clone());
    let bits = significand.width();
    let exponent = m.wire("unrounded_exponent", v.exponent.clone());
    let zeros = bits::leading_zeros(m, &significand);
    let zeros = zeros.slice(0, bits.next_power_of_two().ilog2() + 1);
    // Wide enough for both.
    let both = wide.max(zeros.width() + 1);
    let zeros = zeros.zext(both);
    let left = if v.least > i64::from(bits) {
        zeros
    } else {
        let room = m.wire("room", exponent.sub(&constant(1))).sext(both);
        zeros.slt(&room).mux(&zeros, &room)
    };
    let left = m.wire("shift_left", left);
    let up = significand.shl(&left);
    let moved = exponent.sext(both).sub(&left);
    let (placed, moved) =
        if v.least >= 1 { (up, moved) } else { lowered(m, &significand, &exponent, (up, moved)) };
    settle(m, f, &v.sign, placed, &moved)
}

/// The nearest float of a value whose significand has its top bit set.
pub(super) fn round_normalized(m: &mut Module, ty: Type, v: &Unrounded) -> Expr {
    m.comment("Rounder: the highest one is at the top, and goes down only below the exponent of subnormals.");
    let significand = m.wire("unrounded", v.significand.clone());
    let exponent = m.wire("unrounded_exponent", v.exponent.clone());
    let stays = (significand.clone(), exponent.clone());
    let (placed, moved) = if v.least >= 1 { stays } else { lowered(m, &significand, &exponent, stays) };
    settle(m, Format::of(ty), &v.sign, placed, &moved)
}

/// Moves a significand whose exponent is below those of normal numbers down to its place; takes `otherwise` of others.
fn lowered(m: &mut Module, significand: &Expr, exponent: &Expr, otherwise: (Expr, Expr)) -> (Expr, Expr) {
    let wide = exponent.width();
    let below = m.wire("below", exponent.sle(&signed(wide, 0)));
    let right = m.wire("shift_right", signed(wide, 1).sub(exponent));
    let down = shift_right_sticky(m, significand, &right);
    let (up, moved) = otherwise;
    (below.mux(&down, &up), below.mux(&signed(moved.width(), 1), &moved))
}

/// Rounds a significand that is in its place.
fn settle(m: &mut Module, f: Format, sign: &Expr, placed: Expr, moved: &Expr) -> Expr {
    let (bits, both) = (placed.width(), moved.width());
    let placed = m.wire("placed", placed);
    // A value below the normal ones has no hidden bit, and 0 for an exponent.
    let field = m.wire("field", placed.msb().repeat(both).and(moved));
    // At least the fraction, the hidden bit, a round bit and a sticky bit.
    let padded = Expr::concat(&[placed.clone(), Expr::zero((f.fraction + 3).saturating_sub(bits))]);
    let below = padded.width() - 1 - f.fraction;
    let fraction = padded.slice(below, f.fraction);
    let half = padded.bit(below - 1);
    let rest = padded.slice(0, below - 1);
    let rest = if rest.as_const().is_some() { Expr::zero(1) } else { rest.reduce_or() };
    let round_up = m.wire("round_up", half.and(&rest.or(&fraction.bit(0))));
    m.comment("A carry out of the fraction goes to the exponent.");
    let sum = Expr::concat(&[field, fraction]);
    let sum = m.wire("rounded", sum.add(&round_up.zext(both + f.fraction)));
    let over = sum.slice(f.fraction, both).sge(&signed(both, f.top()));
    let finite = Expr::concat(&[sign.clone(), sum.slice(0, f.exponent + f.fraction)]);
    over.mux(&f.infinity(sign), &finite)
}

/// NaN over infinity over the finite value.
pub(super) fn special(ty: Type, sign: &Expr, nan: &Expr, infinite: &Expr, finite: &Expr) -> Expr {
    let f = Format::of(ty);
    nan.mux(&f.nan(), &infinite.mux(&f.infinity(sign), finite))
}

/// The sum, or the difference where `subtracts`.
pub(super) fn sum(m: &mut Module, ty: Type, a: &Expr, b: &Expr, subtracts: &Expr) -> Expr {
    let f = Format::of(ty);
    let adds = subtracts.is_zero();
    let b = &if adds { b.clone() } else { m.wire("addend", sign_and_rest(b.msb().xor(subtracts), b)) };
    m.comment("The operand of smaller magnitude goes to the place of the other, with two bits more and a sticky bit.");
    let swap = m.wire("swap", a.slice(0, a.width() - 1).ult(&b.slice(0, b.width() - 1)));
    let large = m.wire("large", swap.mux(b, a));
    let small = m.wire("small", swap.mux(a, b));
    let (large, small) = (unpack(ty, &large), unpack(ty, &small));
    let widened = |p: &Parts| Expr::concat(&[Expr::zero(1), p.significand.clone(), Expr::zero(3)]);
    let distance = m.wire("distance", large.exponent.sub(&small.exponent));
    let small_widened = m.wire("small_widened", widened(&small));
    let aligned = shift_right_sticky(m, &small_widened, &distance);
    let aligned = m.wire("aligned", aligned);
    let differ = m.wire("signs_differ", large.sign.xor(&small.sign));
    let large_widened = widened(&large);
    let total = differ.mux(&large_widened.sub(&aligned), &large_widened.add(&aligned));
    let total = m.wire("total", total);
    // What cancels is +0.
    let sign = m.wire("sign", large.sign.and(&differ.and(&total.reduce_or().not()).not()));
    let wide = f.exponent + 2;
    let value = Unrounded {
        sign: sign.clone(),
        exponent: large.exponent.zext(wide).add(&signed(wide, 1)),
        significand: total,
        least: 2,
    };
    let finite = round(m, ty, &value);
    let infinities = large.infinite.and(&small.infinite).and(&differ);
    // By magnitude a NaN is the larger one, and so is an infinity otherwise.
    let nan = large.nan.or(&infinities);
    special(ty, &sign, &nan, &large.infinite, &finite)
}

fn product(m: &mut Module, ty: Type, a: &Expr, b: &Expr) -> Expr {
    let f = Format::of(ty);
    let (a, b) = (unpack(ty, a), unpack(ty, b));
    let twice = 2 * (f.fraction + 1);
    let significand = m.wire("product", a.significand.zext(twice).mul(&b.significand.zext(twice)));
    let wide = f.exponent + 2;
    let sign = m.wire("sign", a.sign.xor(&b.sign));
    // The top bit of the product weighs twice the product of the hidden bits.
    let exponent = a.exponent.zext(wide).add(&b.exponent.zext(wide)).sub(&signed(wide, f.bias() - 1));
    let zero = significand.reduce_or().not();
    let value = Unrounded { sign: sign.clone(), exponent, significand, least: 3 - f.bias() };
    let finite = round(m, ty, &value);
    let infinite = m.wire("infinite", a.infinite.or(&b.infinite));
    // An infinity has its hidden bit set: the product says whether the other is 0.
    let nan = a.nan.or(&b.nan).or(&infinite.and(&zero));
    special(ty, &sign, &nan, &infinite, &finite)
}

/// Rounds once. The product is exact, twice a significand wide; what has the smaller exponent goes to the place of the
/// other, with three bits more, the last of them sticky. That is enough though neither need be normal. Where the product
/// stays, only one factor is subnormal, so it has a one among its upper digits + 1 bits and what loses bits is below an
/// eighth of it. Where a subnormal stays, it rounds where it lies.
fn multiply_add(m: &mut Module, ty: Type, a: &Expr, b: &Expr, c: &Expr) -> Expr {
    let f = Format::of(ty);
    let (a, b, c) = (unpack(ty, a), unpack(ty, b), unpack(ty, c));
    let digits = f.fraction + 1;
    let common = 2 * digits + 3;
    let wide = f.exponent + 2;
    let twice = 2 * digits;
    let product = m.wire("product", a.significand.zext(twice).mul(&b.significand.zext(twice)));
    let zero = m.wire("product_zero", product.reduce_or().not());
    let product_sign = m.wire("product_sign", a.sign.xor(&b.sign));
    let exponent = a.exponent.zext(wide).add(&b.exponent.zext(wide)).sub(&signed(wide, f.bias() - 1));
    let exponent = m.wire("product_exponent", exponent);
    let c_exponent = m.wire("c_exponent", c.exponent.zext(wide));
    m.comment("A product of 0 has no place.");
    let c_stays = m.wire("c_stays", zero.or(&exponent.slt(&c_exponent)));
    let padded = |v: &Expr| Expr::concat(&[v.clone(), Expr::zero(common - v.width())]);
    let (wide_product, wide_c) = (padded(&product), padded(&c.significand));
    let stays = m.wire("stays", c_stays.mux(&wide_c, &wide_product));
    let moves = m.wire("moves", c_stays.mux(&wide_product, &wide_c));
    let highest = c_stays.mux(&c_exponent, &exponent);
    let distance = c_stays.mux(&c_exponent.sub(&exponent), &exponent.sub(&c_exponent));
    let distance = m.wire("distance", distance);
    let aligned = shift_right_sticky(m, &moves, &distance);
    let aligned = m.wire("aligned", aligned.zext(common + 1));
    let stays = stays.zext(common + 1);
    let differ = m.wire("signs_differ", product_sign.xor(&c.sign));
    let negative = m.wire("negative", differ.and(&stays.ult(&aligned)));
    let difference = negative.mux(&aligned.sub(&stays), &stays.sub(&aligned));
    let total = m.wire("total", differ.mux(&difference, &stays.add(&aligned)));
    // What cancels is +0.
    let sign = c_stays.mux(&c.sign, &product_sign).xor(&negative);
    let sign = m.wire("sign", sign.and(&differ.and(&total.reduce_or().not()).not()));
    let exponent = highest.add(&signed(wide, 1));
    let finite = round(m, ty, &Unrounded { sign, exponent, significand: total, least: 2 });
    let infinite = m.wire("product_infinite", a.infinite.or(&b.infinite));
    let opposite = infinite.and(&c.infinite).and(&differ);
    let nan = Expr::any_of(&[a.nan, b.nan, c.nan, infinite.and(&zero), opposite]);
    let sign = infinite.mux(&product_sign, &c.sign);
    special(ty, &sign, &nan, &infinite.or(&c.infinite), &finite)
}

/// How two floats stand to each other.
pub(super) struct Order {
    ty: Type,
    operands: [Expr; 2],
    nans: [Expr; 2],
    /// Whether the first is below the second, with -0 below +0. Anything where they are the same, or one is a NaN.
    below: Expr,
    equal: Expr,
}

impl Order {
    pub fn of(m: &mut Module, ty: Type, a: &Expr, b: &Expr) -> Order {
        let (x, y) = (unpack(ty, a), unpack(ty, b));
        let nans = [m.wire("lhs_nan", x.nan), m.wire("rhs_nan", y.nan)];
        let smaller = x.magnitude.ult(&y.magnitude);
        let below = x.sign.xor(&y.sign).mux(&x.sign, &smaller.xor(&x.sign));
        let below = m.wire("below", below);
        let zeros = x.magnitude.or(&y.magnitude).reduce_or().not();
        let equal = x.sign.eq(&y.sign).and(&x.magnitude.eq(&y.magnitude)).or(&zeros);
        Order { ty, operands: [a.clone(), b.clone()], nans, below, equal }
    }

    /// What a compare answers. The predicate is a set of relations: `predicate.holds` says which.
    pub fn answer(&self, m: &mut Module, predicate: &Expr) -> Expr {
        m.comment("One of four relations holds; -0 equals +0.");
        let unordered = m.wire("unordered", self.nans[0].or(&self.nans[1]));
        let equal = m.wire("equal", self.equal.and(&unordered.not()));
        let differ = m.wire("differ", unordered.or(&equal).not());
        let less = m.wire("less", differ.and(&self.below));
        let greater = m.wire("greater", differ.and(&self.below.not()));
        let relations = [
            (Some(Ordering::Equal), equal),
            (Some(Ordering::Greater), greater),
            (Some(Ordering::Less), less),
            (None, unordered),
        ];
        let values: Vec<Expr> = FloatPredicate::all()
            .map(|p| {
                let holding =
                    relations.iter().filter(|(order, _)| p.holds(*order)).map(|(_, now)| now.clone());
                Expr::any_of(&holding.collect::<Vec<_>>())
            })
            .collect();
        Expr::select(1, predicate, &values)
    }

    /// The larger of the two, or the smaller where `least`. A NaN wins where `nan_wins`, and loses otherwise.
    pub fn choice(&self, m: &mut Module, least: &Expr, nan_wins: &Expr) -> Expr {
        let [a, b] = &self.operands;
        let [a_nan, b_nan] = &self.nans;
        let gives_nan = nan_wins.mux(&a_nan.or(b_nan), &a_nan.and(b_nan));
        let gives_nan = m.wire("gives_nan", gives_nan);
        let second = m.wire("takes_rhs", a_nan.or(&b_nan.not().and(&self.below.xor(least))));
        gives_nan.mux(&Format::of(self.ty).nan(), &second.mux(b, a))
    }
}

/// The whole number next to `a` that the op says, as a float. What is below the point is a row of bits at the low end of
/// the magnitude: it goes, and one of the first bit above it is added where the op rounds away from zero. A carry goes
/// to the exponent, as it should.
///
/// `goes_away` says from the sign, the first bit below the point, whether any other is set, and the bit above it, whether
/// the magnitude grows.
fn to_whole(
    m: &mut Module,
    ty: Type,
    a: &Expr,
    goes_away: impl Fn(&Expr, &Expr, &Expr, &Expr) -> Expr,
) -> Expr {
    let f = Format::of(ty);
    let Parts { sign, magnitude, nan, .. } = unpack(ty, a);
    let field = a.slice(f.fraction, f.exponent);
    let fraction = a.slice(0, f.fraction);
    let constant = |value: i64| Expr::konst(f.exponent, value as u64);
    let width = magnitude.width();
    let one = Expr::konst(width, (f.bias() as u64) << f.fraction);
    let is_whole = m.wire("is_whole", field.uge(&constant(f.bias() + i64::from(f.fraction))));
    let is_small = m.wire("is_small", field.ult(&constant(f.bias())));
    let distance = m.wire("distance", constant(f.bias() + i64::from(f.fraction)).sub(&field));
    let unit = m.wire("unit", Expr::konst(width, 1u32).shl(&distance));
    let kept = m.wire("kept", Expr::ones(width).shl(&distance));
    // Of the bits below the point: the first, any other; and the one above. No wires, no op looks at all of them.
    let half_unit = unit.slice(1, width - 1).zext(width);
    let lost = magnitude.and(&kept.not());
    let least_half = field.eq_const((f.bias() - 1) as u64);
    let half = is_small.mux(&least_half, &lost.and(&half_unit).reduce_or());
    let small_rest = least_half.mux(&fraction.reduce_or(), &magnitude.reduce_or());
    let rest = is_small.mux(&small_rest, &lost.and(&half_unit.not()).reduce_or());
    let odd = is_small.not().and(&magnitude.and(&unit).reduce_or());
    let away = m.wire("away", goes_away(&sign, &half, &rest, &odd));
    let small = away.mux(&one, &Expr::zero(width));
    let large = magnitude.and(&kept).add(&away.repeat(width).and(&unit));
    let rounded = is_whole.mux(&magnitude, &is_small.mux(&small, &large));
    nan.mux(&f.nan(), &Expr::concat(&[sign, rounded]))
}

/// To a wider type the rounder only places; to a narrower one it rounds, too.
fn convert(m: &mut Module, from: Type, to: Type, a: &Expr) -> Expr {
    let (f, t) = (Format::of(from), Format::of(to));
    let a = unpack(from, a);
    let wide = f.exponent.max(t.exponent) + 2;
    let offset = t.bias() - f.bias();
    let value = Unrounded {
        sign: a.sign.clone(),
        exponent: a.exponent.zext(wide).add(&signed(wide, offset)),
        significand: a.significand,
        least: 1 + offset,
    };
    let finite = round(m, to, &value);
    special(to, &a.sign, &a.nan, &a.infinite, &finite)
}

/// Of a two's complement number where `is_signed`.
pub(super) fn from_integer(m: &mut Module, to: Type, a: &Expr, is_signed: &Expr) -> Expr {
    let t = Format::of(to);
    let sign = is_signed.and(&a.msb());
    // The smallest number is its own magnitude.
    let magnitude = sign.mux(&a.neg(), a);
    // The exponent of the highest bit; eight bits hold it for 64 integer bits in the narrowest type, too.
    let exponent = i64::from(a.width()) - 1 + t.bias();
    let wide = (t.exponent + 2).max(8);
    let value = Unrounded { sign, exponent: signed(wide, exponent), significand: magnitude, least: exponent };
    round(m, to, &value)
}

/// Towards zero; what is too large gives the nearest integer, a NaN gives 0. A two's complement number where `is_signed`.
pub(super) fn to_integer(m: &mut Module, from: Type, width: u32, a: &Expr, is_signed: &Expr) -> Expr {
    let f = Format::of(from);
    let a_parts = unpack(from, a);
    let Parts { sign, significand, nan, .. } = &a_parts;
    let field = a.slice(f.fraction, f.exponent);
    let at_most = |v: i64| Expr::konst(f.exponent, v as u64);
    m.comment("The bits before the point, from the significand shifted over it.");
    let fraction_only = m.wire("fraction_only", field.ult(&at_most(f.bias())));
    // Infinities are too large for every width.
    let first_too_large = f.top().min(f.bias() + i64::from(width));
    let too_large = m.wire("exponent_too_large", field.uge(&at_most(first_too_large)));
    let bits = loom_base::choice_bits((first_too_large - f.bias()) as usize).max(1);
    let distance = m.wire("distance", field.slice(0, bits).sub(&at_most(f.bias()).slice(0, bits)));
    let whole = significand.zext(width + f.fraction).shl(&distance);
    let whole = m.wire("over_point", whole);
    m.unused(&whole.slice(0, f.fraction));
    let magnitude = whole.slice(f.fraction, width);
    let unsigned = is_signed.not();
    let zero = Expr::any_of(&[fraction_only, nan.clone(), unsigned.and(sign)]);
    let zero = m.wire("gives_zero", zero);
    let most = Expr::concat(&[sign.or(&unsigned), sign.not().or(&unsigned).repeat(width - 1)]);
    // The smallest number is out of range as a magnitude, and the same when saturated.
    let saturates = m.wire("saturates", too_large.or(&is_signed.and(&magnitude.msb())));
    // The shift has taken most of the cycle.
    let negative = if is_signed.is_zero() { magnitude.clone() } else { bits::negative(m, &magnitude) };
    let exact = is_signed.and(sign).mux(&negative, &magnitude);
    zero.mux(&Expr::zero(width), &saturates.mux(&most, &exact))
}
