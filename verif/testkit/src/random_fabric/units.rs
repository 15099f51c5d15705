//! Random function units: every op that hardware has, at types of every width, alone or several in one body, at every latency and
//! interval that legality allows, with muxes between them. Guarantees: the types of each op fit it, every input and result has a use.

use loom_adg::model::{BodyKind, BodyOp, BodyValue, FunctionUnit};
use loom_base::{choice_bits, Rng};
use loom_dfg::curves;
use loom_dfg::op::{AccessOp, Cast, Class, FloatBinary, Form, StateOp, SteerOp};
use loom_dfg::{Counter, OpKind, Type};

/// Widths at the edges of words and bytes, and between.
const WIDTHS: [u8; 18] = [2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64];
const FLOATS: [Type; 4] = [Type::F16, Type::Bf16, Type::F32, Type::F64];

fn integer(rng: &mut Rng) -> Type {
    match rng.below(10) {
        0 => Type::I1,
        1 => Type::Index,
        2 | 3 => Type::I32,
        _ => Type::Int(*rng.pick(&WIDTHS)),
    }
}

/// Doubles are rare: their units are the largest of all.
fn float(rng: &mut Rng) -> Type {
    if rng.chance(8) {
        Type::F64
    } else {
        *rng.pick(&FLOATS[..3])
    }
}

/// What an op that moves bits may move; control tokens too.
fn anything(rng: &mut Rng) -> Type {
    match rng.below(8) {
        0 => Type::None,
        1 => float(rng),
        _ => integer(rng),
    }
}

fn data(rng: &mut Rng) -> Type {
    if rng.chance(12) {
        float(rng)
    } else {
        integer(rng)
    }
}

/// Two different integer widths, the smaller first.
fn two_integers(rng: &mut Rng) -> (Type, Type) {
    let narrow = rng.between(1, 63);
    let wide = if rng.chance(50) { rng.between(narrow + 1, 64) } else { (2 * narrow).clamp(narrow + 1, 64) };
    (Type::Int(narrow as u8), Type::Int(wide as u8))
}

fn two_floats(rng: &mut Rng) -> (Type, Type) {
    match rng.below(6) {
        0 => (Type::F16, Type::F64),
        1 => (Type::F32, Type::F64),
        n => (*rng.pick(&FLOATS[..2]), if n == 2 { Type::F64 } else { Type::F32 }),
    }
}

fn cast(rng: &mut Rng, cast: Cast) -> (Type, Type) {
    let int = |rng: &mut Rng| Type::Int(if rng.chance(20) { 1 } else { *rng.pick(&WIDTHS) });
    match cast {
        Cast::Extsi | Cast::Extui => two_integers(rng),
        Cast::Trunci => {
            let (narrow, wide) = two_integers(rng);
            (wide, narrow)
        }
        Cast::IndexCast | Cast::IndexCastui if rng.chance(50) => (int(rng), Type::Index),
        Cast::IndexCast | Cast::IndexCastui => (Type::Index, int(rng)),
        Cast::Extf => two_floats(rng),
        Cast::Truncf => {
            let (narrow, wide) = two_floats(rng);
            (wide, narrow)
        }
        Cast::Sitofp | Cast::Uitofp => (int(rng), float(rng)),
        Cast::Fptosi | Cast::Fptoui => (float(rng), int(rng)),
        Cast::Bitcast => {
            let f = float(rng);
            let same = Type::Int(f.width(0) as u8);
            match rng.below(3) {
                0 => (f, same),
                1 => (same, f),
                _ => (Type::Bf16, Type::F16),
            }
        }
    }
}

/// The kind with its parameters drawn, where it has some.
fn with_parameters(rng: &mut Rng, kind: OpKind) -> OpKind {
    // Few inputs mostly, so that several units share a PE; now and then as many as there can be.
    let many = |rng: &mut Rng, least: i64| match rng.below(40) {
        0 => 64,
        1 => rng.between(9, 63),
        2..=5 => rng.between(5, 8),
        _ => rng.between(least, 4),
    };
    match kind {
        OpKind::Join(_) => OpKind::Join(many(rng, 1) as u8),
        OpKind::Mux(_) => OpKind::Mux(many(rng, 2) as u8),
        OpKind::Stream(_) => {
            let all: Vec<Counter> = Counter::all().collect();
            OpKind::Stream(*rng.pick(&all))
        }
        kind => kind,
    }
}

/// Operand and result types that fit an op.
fn types(rng: &mut Rng, kind: OpKind) -> (Vec<Type>, Vec<Type>) {
    let (bit, index, none) = (Type::I1, Type::Index, Type::None);
    match kind.form() {
        Form::IntBinary(_) | Form::Division(_) => {
            let t = integer(rng);
            (vec![t, t], vec![t])
        }
        Form::IntUnary(_) => {
            let t = integer(rng);
            (vec![t], vec![t])
        }
        Form::IntCompare(_) => (vec![integer(rng); 2], vec![bit]),
        Form::FloatCompare(_) => (vec![float(rng); 2], vec![bit]),
        Form::Elementary(_) => {
            let t = *rng.pick(&curves::TYPES);
            (vec![t], vec![t])
        }
        Form::FloatBinary(FloatBinary::Atan2) => {
            let t = *rng.pick(&curves::TYPES);
            (vec![t; 2], vec![t])
        }
        Form::FloatBinary(_) | Form::FloatUnary(_) | Form::FloatTernary(_) => {
            let t = float(rng);
            (vec![t; kind.operand_count()], vec![t])
        }
        Form::Choice(_) => {
            let t = anything(rng);
            (vec![bit, t, t], vec![t])
        }
        Form::Cast(op) => {
            let (from, to) = cast(rng, op);
            (vec![from], vec![to])
        }
        Form::Steer(SteerOp::Constant) => (vec![none], vec![data(rng)]),
        // Operands of a join need not agree.
        Form::Steer(SteerOp::Join(n)) => {
            let one = rng.chance(50).then_some(none);
            ((0..n).map(|_| one.unwrap_or_else(|| anything(rng))).collect(), vec![none])
        }
        Form::Steer(SteerOp::CondBr) => {
            let t = anything(rng);
            (vec![bit, t], vec![t, t])
        }
        Form::Steer(SteerOp::Mux(n)) => {
            let least = choice_bits(usize::from(n)) as u8;
            let select = match n {
                2 => bit,
                _ if rng.chance(30) => index,
                _ => Type::Int(if rng.chance(50) {
                    least.max(2)
                } else {
                    rng.between(least.max(2).into(), 64) as u8
                }),
            };
            let t = anything(rng);
            (std::iter::once(select).chain(vec![t; usize::from(n)]).collect(), vec![t])
        }
        Form::State(StateOp::Stream(_)) => (vec![index; 3], vec![index, bit]),
        Form::State(StateOp::Gate) => {
            let t = anything(rng);
            (vec![t, bit], vec![t, bit])
        }
        Form::State(StateOp::Carry) => {
            let t = anything(rng);
            (vec![bit, t, t], vec![t])
        }
        Form::State(StateOp::Invariant) => {
            let t = anything(rng);
            (vec![bit, t], vec![t])
        }
        Form::State(StateOp::CarryBr) => {
            let t = anything(rng);
            (vec![bit, t, t], vec![t, t])
        }
        Form::State(StateOp::InvariantBr) => {
            let t = anything(rng);
            (vec![bit, t], vec![t, t])
        }
        Form::Access(AccessOp::Load | AccessOp::Store) => {
            let t = data(rng);
            (vec![index, t, none], vec![t, index])
        }
        Form::Memory(_) => unreachable!("a memory is no unit"),
    }
}

/// Ops that a unit can have, by the class of their timing.
fn kinds(class: Class) -> Vec<OpKind> {
    OpKind::TABLE.iter().copied().filter(|k| k.in_hardware() && k.class() == class).collect()
}

/// Cycles from firing to result, and between firings.
fn timing(rng: &mut Rng) -> (i32, i32) {
    let latency = match rng.below(20) {
        0..=8 => 0,
        9..=12 => 1,
        13..=15 => 2,
        16 | 17 => rng.between(3, 6),
        18 => rng.between(7, 16),
        _ if rng.chance(10) => rng.between(33, 128),
        _ => rng.between(17, 32),
    };
    let interval = match rng.below(20) {
        0..=11 => 1,
        12..=14 => 2,
        15..=17 => rng.between(3, 8),
        18 => rng.between(9, 40),
        _ => rng.between(41, 256),
    };
    (latency as i32, interval as i32)
}

/// A unit of this name.
pub(super) fn unit(rng: &mut Rng, name: String, index_width: u32) -> FunctionUnit {
    let class = match rng.below(10) {
        0..=2 => Class::Steer,
        3 => Class::Access,
        4 | 5 => Class::State,
        _ => Class::Arith,
    };
    if class == Class::Arith && rng.chance(30) {
        return several(rng, name);
    }
    // Streams are twelve ops, by step and sign.
    let stream = class == Class::State && rng.chance(50);
    let kind = if stream {
        OpKind::Stream(Counter::signed(loom_dfg::StepOp::Add))
    } else {
        *rng.pick(&kinds(class))
    };
    let kind = with_parameters(rng, kind);
    let (operands, results) = types(rng, kind);
    let mut fu = FunctionUnit::single(name, kind, &operands, &results);
    if kind.is_iterative() {
        fu.set_digit_time(index_width);
        fu.latency += *rng.pick(&[0, 0, 1, 5]);
        fu.interval = fu.latency + *rng.pick(&[0, 0, 1, 7]);
    } else if class == Class::Arith {
        (fu.latency, fu.interval) = timing(rng);
    }
    fu
}

/// A unit of two to four arithmetic ops.
fn several(rng: &mut Rng, name: String) -> FunctionUnit {
    let kinds: Vec<OpKind> = kinds(Class::Arith).into_iter().filter(|k| !k.is_iterative()).collect();
    let (mut inputs, mut body): (Vec<Type>, Vec<BodyOp>) = Default::default();
    let mut values: Vec<(BodyValue, Type)> = Vec::new();
    for op in 0..2 + rng.below(3) {
        // An op at the types that are there already is likelier to use them.
        let (kind, operands, results) = (0..20)
            .map(|_| {
                let kind = *rng.pick(&kinds);
                let (operands, results) = types(rng, kind);
                (kind, operands, results)
            })
            .find(|(_, operands, _)| {
                values.is_empty() || operands.iter().any(|t| values.iter().any(|(_, v)| v == t))
            })
            .unwrap_or((OpKind::Addi, vec![Type::I32; 2], vec![Type::I32]));
        let mut operand = |t: Type| {
            let known: Vec<BodyValue> = values.iter().filter(|(_, v)| *v == t).map(|(v, _)| *v).collect();
            if !known.is_empty() && (rng.chance(70) || inputs.len() > 5) {
                return *rng.pick(&known);
            }
            inputs.push(t);
            let value = BodyValue::Input(inputs.len() - 1);
            values.push((value, t));
            value
        };
        let operands = operands.into_iter().map(&mut operand).collect();
        values.extend(results.iter().enumerate().map(|(result, &t)| (BodyValue::Result { op, result }, t)));
        body.push(BodyOp { kind: kind.into(), operands, results });
    }
    let used = |v: BodyValue| body.iter().any(|op| op.operands.contains(&v));
    let of_ops = values.iter().map(|(v, _)| *v).filter(|v| matches!(v, BodyValue::Result { .. }));
    // What no op uses goes out, with some of the rest.
    let results = of_ops.filter(|&v| !used(v) || rng.chance(15)).collect();
    let (latency, interval) = timing(rng);
    let mut fu = FunctionUnit { name, inputs, body, results, latency, interval };
    // From numbers of their own: the rest of the fabric is what it is without them.
    let mut own = rng.clone();
    for _ in 0..if own.chance(60) { own.between(1, 3) } else { 0 } {
        add_mux(&mut own, &mut fu);
    }
    fu
}

/// Puts a mux before an operand or an output of a body, if some other value of its type can stand beside what is there.
fn add_mux(rng: &mut Rng, fu: &mut FunctionUnit) {
    let output = rng.chance(30);
    let (at, port) = match output {
        true => (fu.body.len(), rng.below(fu.results.len())),
        false => {
            let at = rng.below(fu.body.len());
            (at, rng.below(fu.body[at].operands.len()))
        }
    };
    // What may be an output is an op's result.
    let ops_only = output || fu.body[at].kind == BodyKind::Mux;
    let old = if output { fu.results[port] } else { fu.body[at].operands[port] };
    let ty = fu.value_type(old);
    let ops = (0..at).filter(|&op| !ops_only || fu.body[op].kind != BodyKind::Mux);
    let values = ops.map(|op| BodyValue::Result { op, result: 0 });
    let values = values.chain((0..if ops_only { 0 } else { fu.inputs.len() }).map(BodyValue::Input));
    let mut others: Vec<BodyValue> = values.filter(|&v| v != old && fu.value_type(v) == ty).collect();
    if others.is_empty() || ty == Type::None || fu.setting_count() > 32 {
        return;
    }
    rng.shuffle(&mut others);
    others.truncate(if rng.chance(60) { 1 } else { rng.between(2, 5) as usize });
    let place = rng.below(others.len() + 1);
    others.insert(place, old);
    let mux = BodyOp { kind: BodyKind::Mux, operands: others, results: vec![ty] };
    fu.body.insert(at, mux);
    // What stood at its place and behind has moved up by one.
    let moved = |v: &mut BodyValue| match v {
        BodyValue::Result { op, .. } if *op >= at => *op += 1,
        _ => {}
    };
    fu.body[at + 1..].iter_mut().flat_map(|op| &mut op.operands).for_each(moved);
    fu.results.iter_mut().for_each(moved);
    let value = BodyValue::Result { op: at, result: 0 };
    match output {
        true => fu.results[port] = value,
        false => fu.body[at + 1].operands[port] = value,
    }
}
