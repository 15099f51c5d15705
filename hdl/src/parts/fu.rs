//! Function units: the bodies a PE chooses from.
//!
//! One interface for all: channels `in<i>` and `out<o>`, `payload` where the body has any, `config_error` (16 bits, a
//! level) where its payload can be illegal, `error` (one bit, sticky) where it can err at run time, `busy` where it holds
//! anything. State machines push into buffers: their `out<o>_ready` is room, their `out<o>_valid` a push, high only
//! while there is room.
//!
//! A plain body fires as [`super::firing`] says. Units that are one piece of hardware are made by [`super::shared`].

use super::firing::Firing;
use super::{bits, body_mux, curves, divider, float, float_digits};
use super::{first_error, shape_hash};
use crate::ir::{Expr, Module};
use crate::leaf;
use crate::{Channel, Pins};
use loom_adg::layout::{payload, PayloadField};
use loom_adg::model::{BodyKind, BodyOp, BodyValue, ChannelType, FunctionUnit};
use loom_adg::HwError;
use loom_dfg::op::{
    Cast, Choice, FloatBinary, FloatUnary, Form, IntBinary, IntCompare, IntUnary, StateOp, SteerOp,
};
use loom_dfg::{ContCond, OpKind, Type};
use std::sync::Arc;

/// A unit under construction.
struct Shell {
    m: Module,
    inputs: Vec<Channel>,
    outputs: Vec<Channel>,
    payload: Expr,
}

/// The module of a function unit.
pub fn function_unit(fu: &FunctionUnit, index_width: u32) -> Arc<Module> {
    let mut shell = open(fu, index_width);
    // Several ops, and muxes among them, are arithmetic.
    let &[BodyOp { kind: BodyKind::Op(kind), .. }] = &fu.body[..] else {
        arithmetic(&mut shell, fu, index_width);
        return shell.m.finish();
    };
    match kind.form() {
        Form::Division(op) => {
            let Shell { m, inputs, outputs, .. } = &mut shell;
            divider::divider(m, op, fu, inputs, &outputs[0]);
        }
        Form::FloatBinary(FloatBinary::Divf) => {
            let Shell { m, inputs, outputs, .. } = &mut shell;
            float_digits::quotient(m, fu, inputs, &outputs[0]);
        }
        Form::FloatBinary(FloatBinary::Remf) => {
            let Shell { m, inputs, outputs, .. } = &mut shell;
            float_digits::remainder(m, fu, inputs, &outputs[0]);
        }
        Form::FloatUnary(FloatUnary::Sqrt) => {
            let Shell { m, inputs, outputs, .. } = &mut shell;
            float_digits::root(m, fu, inputs, &outputs[0]);
        }
        Form::FloatUnary(FloatUnary::Rsqrt) => {
            let Shell { m, inputs, outputs, .. } = &mut shell;
            float_digits::reciprocal_root(m, fu, inputs, &outputs[0]);
        }
        Form::Steer(op) => steer(&mut shell, op),
        Form::State(op) => state(&mut shell, op, fu.inputs.last().map_or(0, |t| t.width(index_width))),
        Form::Access(_) => access(&mut shell),
        Form::Memory(_) => unreachable!("legality refuses function units that have no hardware"),
        Form::IntBinary(_)
        | Form::IntUnary(_)
        | Form::IntCompare(_)
        | Form::Choice(_)
        | Form::Cast(_)
        | Form::FloatBinary(_)
        | Form::FloatUnary(_)
        | Form::Elementary(_)
        | Form::FloatTernary(_)
        | Form::FloatCompare(_) => arithmetic(&mut shell, fu, index_width),
    }
    shell.m.finish()
}

/// Bits of a unit's payload.
fn payload_bits(fields: &[PayloadField]) -> u32 {
    fields.last().map_or(0, |f| f.low + f.width)
}

fn open(fu: &FunctionUnit, index_width: u32) -> Shell {
    let what: Vec<String> = fu.body.iter().map(|op| op.kind.to_string()).collect();
    let mut m = Module::new(name(fu, index_width));
    let timing = match fu.latency {
        -1 => "A state machine: outputs are pushes into buffers with room.".to_string(),
        latency => format!("Latency {latency}, interval {}.", fu.interval),
    };
    m.doc(&format!("Function unit: {}. {timing}", what.join(", ")));
    let types = |types: &[Type]| -> Vec<ChannelType> {
        types.iter().map(|t| ChannelType::bits(t.width(index_width))).collect()
    };
    let inputs = Channel::inputs(&mut m, "in", &types(&fu.inputs));
    let outputs = Channel::outputs(&mut m, "out", &types(&fu.output_types()));
    let payload = m.input("payload", payload_bits(&payload(fu, index_width)));
    Shell { m, inputs, outputs, payload }
}

fn name(fu: &FunctionUnit, index_width: u32) -> String {
    format!("loom_fu_{}", unit_name(fu, index_width))
}

/// `addi_w32` or `addf_f32` for one op, `mac_1a2b3c` for a larger body. Types matter by width
/// only, but in float ops.
pub(super) fn unit_name(fu: &FunctionUnit, index_width: u32) -> String {
    let typed = fu.single_op().is_some_and(float::is_float_op);
    let width = |t: &Type| if typed { t.to_string() } else { t.width(index_width).to_string() };
    let timing = match (fu.latency, fu.interval) {
        (-1, _) | (0, 1) => String::new(),
        (latency, interval) => format!("_l{latency}_i{interval}"),
    };
    match fu.single_op() {
        Some(kind) => {
            let op = kind.mnemonic().rsplit('.').next().unwrap_or_default();
            let detail = match kind {
                OpKind::Stream(counter) => format!("_{}", counter.name()),
                OpKind::Join(n) => format!("_n{n}"),
                OpKind::Mux(n) => format!("_n{n}"),
                _ => String::new(),
            };
            let mut widths: Vec<String> = fu.inputs.iter().chain(&fu.output_types()).map(width).collect();
            // A join's operands may differ in any way; the widths of all other ops follow from where they change.
            if !matches!(kind, OpKind::Join(_)) || fu.inputs.iter().all(|t| width(t) == widths[0]) {
                widths.dedup();
            }
            let w = if typed { "" } else { "w" };
            format!("{op}{detail}_{w}{}{timing}", widths.join("_"))
        }
        None => {
            let safe: String =
                fu.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            format!("{safe}_{}{timing}", shape_hash(&(&fu.inputs, &fu.body, &fu.results, index_width)))
        }
    }
}

/// The results of the body in a module, from values of its inputs and its payload.
fn results(m: &mut Module, fu: &FunctionUnit, inputs: &[Expr], bits: &Expr, index_width: u32) -> Vec<Expr> {
    let parts = payload(fu, index_width);
    let mut values: Vec<Expr> = Vec::new();
    let value_of = |v: &BodyValue, values: &[Expr]| match v {
        BodyValue::Input(i) => inputs[*i].clone(),
        BodyValue::Result { op, .. } => values[*op].clone(),
    };
    for (at, op) in fu.body.iter().enumerate() {
        let operands: Vec<Expr> = op.operands.iter().map(|v| value_of(v, &values)).collect();
        let config = parts.iter().find(|p| p.op == at).map(|p| bits.slice(p.low, p.width));
        let width = op.results[0].width(index_width);
        let value = match op.kind {
            BodyKind::Mux => Expr::select(width, &config.expect("a mux is set"), &operands),
            BodyKind::Op(kind) => {
                if let Some(value) = curves::value(m, kind.form(), op.results[0], &operands) {
                    value
                } else if float::is_float_op(kind) {
                    let types = (fu.value_type(op.operands[0]), op.results[0]);
                    float::compute(m, kind.form(), types, &operands, config)
                } else {
                    compute(m, kind.form(), &operands, config, width)
                }
            }
        };
        values.push(m.wire(&format!("result{at}"), value));
    }
    fu.results.iter().map(|v| value_of(v, &values)).collect()
}

/// A predicate that means nothing, or a mux that selects what is not there.
fn config_error(shell: &mut Shell, fu: &FunctionUnit, index_width: u32) {
    let parts = payload(fu, index_width);
    let compares = parts.iter().filter(|p| fu.body[p.op].kind == OpKind::Cmpi);
    let wrong = |p: &PayloadField| no_predicate(&shell.payload.slice(p.low, p.width));
    let wrong: Vec<Expr> = compares.map(wrong).collect();
    let beyond = body_mux::beyond(&parts, &shell.payload);
    let errors = [(wrong, HwError::CfgCmpiPredicate), (beyond, HwError::CfgPeMux)];
    let errors: Vec<_> = (errors.iter())
        .filter(|e| !e.0.is_empty())
        .map(|(wrong, code)| (Expr::any_of(wrong), *code))
        .collect();
    if !errors.is_empty() {
        shell.m.assign_output("config_error", first_error(&errors));
    }
}

/// Whether bits are none of the ten predicates of integers.
pub(super) fn no_predicate(bits: &Expr) -> Expr {
    bits.ugt(&Expr::konst(4, 9u32))
}

/// The code of predicates of which some are wrong.
pub(super) fn predicate_error(wrong: &[Expr]) -> Expr {
    first_error(&[(Expr::any_of(wrong), HwError::CfgCmpiPredicate)])
}

/// Arithmetic: fires once for all inputs and outputs.
fn arithmetic(shell: &mut Shell, fu: &FunctionUnit, index_width: u32) {
    config_error(shell, fu, index_width);
    let Shell { m, inputs, outputs, payload: bits } = shell;
    let settings = [("payload", bits.clone())];
    let needed = body_mux::needed(m, fu, &payload(fu, index_width), bits);
    let firing = Firing {
        latency: fu.latency as usize,
        interval: fu.interval as u32,
        inputs,
        needed: &needed,
        outputs,
        settings: &settings,
    };
    firing.build(m, &|m, data, settings| results(m, fu, data, &settings[0], index_width));
}

/// The value of an arithmetic op on integers, or of one that only moves bits.
fn compute(m: &mut Module, form: Form, operands: &[Expr], config: Option<Expr>, width: u32) -> Expr {
    let a = &operands[0];
    match form {
        Form::IntBinary(op) => int_binary(op, a, &operands[1]),
        Form::IntUnary(op) => int_unary(m, op, a),
        Form::IntCompare(IntCompare::Cmpi) => {
            Order::of(m, a, &operands[1]).answer(m, &config.expect("a compare has a predicate"))
        }
        Form::Choice(Choice::Select) => {
            if width == 0 {
                // Control tokens have no data to choose.
                m.unused(a);
            }
            a.mux(&operands[1], &operands[2])
        }
        Form::Cast(op) => int_cast(m, op, a, width),
        Form::Division(_)
        | Form::FloatBinary(_)
        | Form::FloatUnary(_)
        | Form::Elementary(_)
        | Form::FloatTernary(_)
        | Form::FloatCompare(_)
        | Form::Steer(_)
        | Form::State(_)
        | Form::Access(_)
        | Form::Memory(_) => {
            unreachable!("legality: a plain body is integers here, {form:?} has a module of its own")
        }
    }
}

fn int_binary(op: IntBinary, a: &Expr, b: &Expr) -> Expr {
    match op {
        IntBinary::Addi => a.add(b),
        IntBinary::Subi => a.sub(b),
        IntBinary::Muli => a.mul(b),
        IntBinary::Andi => a.and(b),
        IntBinary::Ori => a.or(b),
        IntBinary::Xori => a.xor(b),
        IntBinary::Shli => a.shl(b),
        IntBinary::Shrui => a.shr(b),
        IntBinary::Shrsi => a.sshr(b),
        IntBinary::Maxsi => a.slt(b).mux(b, a),
        IntBinary::Maxui => a.ult(b).mux(b, a),
        IntBinary::Minsi => a.slt(b).mux(a, b),
        IntBinary::Minui => a.ult(b).mux(a, b),
    }
}

fn int_unary(m: &mut Module, op: IntUnary, a: &Expr) -> Expr {
    match op {
        IntUnary::Absi => a.msb().mux(&a.neg(), a),
        IntUnary::Ctlz => bits::leading_zeros(m, a),
        IntUnary::Cttz => bits::leading_zeros(m, &bits::reverse(a)),
        IntUnary::Ctpop => bits::ones(m, a),
        IntUnary::Bitreverse => bits::reverse(a),
    }
}

/// The casts that have no float among their types, and the one that keeps the bits.
fn int_cast(m: &mut Module, op: Cast, a: &Expr, width: u32) -> Expr {
    match op {
        Cast::Extsi => a.sext(width),
        Cast::Extui => a.zext(width),
        Cast::Bitcast => a.clone(),
        Cast::IndexCast if width >= a.width() => a.sext(width),
        Cast::IndexCastui if width >= a.width() => a.zext(width),
        Cast::Trunci | Cast::IndexCast | Cast::IndexCastui => {
            m.unused(&a.slice(width, a.width() - width));
            a.slice(0, width)
        }
        Cast::Extf | Cast::Truncf | Cast::Sitofp | Cast::Uitofp | Cast::Fptosi | Cast::Fptoui => {
            unreachable!("{op:?} is a float op")
        }
    }
}

/// How two integers stand to each other.
pub(super) struct Order {
    equal: Expr,
    /// As unsigned numbers.
    below: Expr,
    /// Where unsigned and signed order differ.
    signs_differ: Expr,
}

impl Order {
    pub fn of(m: &mut Module, a: &Expr, b: &Expr) -> Order {
        m.comment("One comparison serves all orders; signed order differs where the sign bits do.");
        let below = m.wire("below", a.ult(b));
        Order { equal: a.eq(b), below, signs_differ: a.msb().xor(&b.msb()) }
    }

    /// Whether the first is less, as signed numbers where `signed`.
    pub fn less(&self, signed: &Expr) -> Expr {
        self.below.xor(&signed.and(&self.signs_differ))
    }

    /// What a compare answers.
    pub fn answer(&self, m: &mut Module, predicate: &Expr) -> Expr {
        let below = &self.below;
        let equal = m.wire("equal", self.equal.clone());
        let less = m.wire("less", self.less(&Expr::ones(1)));
        let values = [
            equal.clone(),
            equal.not(),
            less.clone(),
            less.or(&equal),
            less.or(&equal).not(),
            less.not(),
            below.clone(),
            below.or(&equal),
            below.or(&equal).not(),
            below.not(),
        ];
        Expr::select(1, predicate, &values)
    }
}

/// The four ops that move tokens by value or presence.
fn steer(shell: &mut Shell, op: SteerOp) {
    let Shell { m, inputs, outputs, payload } = shell;
    match op {
        SteerOp::Constant => {
            m.drive(&outputs[0].valid, inputs[0].valid.clone());
            m.drive(&outputs[0].data, payload.clone());
            m.drive(&inputs[0].ready, inputs[0].valid.and(&outputs[0].ready));
        }
        SteerOp::Join(_) => {
            m.comment("payload: one bit for each input that takes part.");
            let waits: Vec<Expr> =
                inputs.iter().enumerate().map(|(i, c)| payload.bit(i as u32).not().or(&c.valid)).collect();
            m.drive(&outputs[0].valid, payload.reduce_or().and(&Expr::all_of(&waits)));
            let fire = m.wire("fire", outputs[0].moves());
            for (i, input) in inputs.iter().enumerate() {
                m.drive(&input.ready, payload.bit(i as u32).and(&fire));
                m.unused(&input.data);
            }
        }
        SteerOp::CondBr => {
            let [c, v] = inputs.as_slice() else { unreachable!("two operands") };
            let both = m.wire("both_valid", c.valid.and(&v.valid));
            m.drive(&outputs[0].valid, both.and(&c.data));
            m.drive(&outputs[1].valid, both.and(&c.data.not()));
            m.drive(&outputs[0].data, v.data.clone());
            m.drive(&outputs[1].data, v.data.clone());
            let fire = m.wire("fire", both.and(&c.data.mux(&outputs[0].ready, &outputs[1].ready)));
            m.drive(&c.ready, fire.clone());
            m.drive(&v.ready, fire);
        }
        SteerOp::Mux(n) => {
            let n = n as usize;
            let select = inputs[0].data.clone();
            m.comment("A selector beyond the last input takes the last one.");
            if n == 1 {
                m.unused(&select);
            }
            let chosen: Vec<Expr> = (0..n)
                .map(|k| {
                    let is = if n == 1 {
                        Expr::bit_const(true)
                    } else if k + 1 < n {
                        select.eq_const(k as u64)
                    } else {
                        select.uge(&Expr::konst(select.width(), (n - 1) as u64))
                    };
                    m.wire(&format!("chosen{k}"), is)
                })
                .collect();
            let valids: Vec<Expr> = (0..n).map(|k| chosen[k].and(&inputs[k + 1].valid)).collect();
            m.drive(&outputs[0].valid, inputs[0].valid.and(&Expr::any_of(&valids)));
            let choices: Vec<(Expr, Expr)> =
                (0..n).map(|k| (chosen[k].clone(), inputs[k + 1].data.clone())).collect();
            let width = outputs[0].data.width();
            m.drive(&outputs[0].data, Expr::onehot_mux(width, &choices));
            let fire = m.wire("fire", outputs[0].moves());
            m.drive(&inputs[0].ready, fire.clone());
            for k in 0..n {
                m.drive(&inputs[k + 1].ready, fire.and(&chosen[k]));
            }
        }
    }
}

/// `load` and `store`: the address waits for its control token, the data passes on its own.
fn access(shell: &mut Shell) {
    let Shell { m, inputs, outputs, .. } = shell;
    let ([address, data, control], [data_out, address_out]) = (inputs.as_slice(), outputs.as_slice()) else {
        unreachable!("three operands and two results")
    };
    m.drive(&data_out.valid, data.valid.clone());
    m.drive(&data_out.data, data.data.clone());
    m.drive(&data.ready, data.valid.and(&data_out.ready));
    m.drive(&address_out.valid, address.valid.and(&control.valid));
    m.drive(&address_out.data, address.data.clone());
    let fire = m.wire("fire", address_out.moves());
    m.drive(&address.ready, fire.clone());
    m.drive(&control.ready, fire);
}

/// The state machines: a core with this interface.
fn state(shell: &mut Shell, op: StateOp, width: u32) {
    let Shell { m, inputs, outputs, payload } = shell;
    let busy = m.output("busy", 1);
    let (core, ins, outs): (_, &[&str], &[&str]) = match op {
        StateOp::Stream(counter) => {
            (leaf::stream(width, counter), &["start", "step", "bound"], &["o_idx", "o_cont"])
        }
        // A gate's last input is the condition; its value comes first.
        StateOp::Gate => (leaf::gate(outputs[0].data.width()), &["value", "cond"], &["o_value", "o_cond"]),
        StateOp::Carry => (leaf::carry(width), &["d", "a", "b"], &["o"]),
        StateOp::Invariant => (leaf::invariant(width), &["d", "a"], &["o"]),
        StateOp::CarryBr => (leaf::carry_br(width), &["d", "a", "b"], &["o_true", "o_false"]),
        StateOp::InvariantBr => (leaf::invariant_br(width), &["d", "a"], &["o_true", "o_false"]),
    };
    let mut pins = Pins::new();
    pins.pin("busy", busy);
    for (name, c) in ins.iter().zip(inputs.iter()) {
        pins.pin(format!("{name}_valid"), c.valid.clone());
        pins.pin(format!("{name}_ready"), c.ready.clone());
        pins.pin(format!("{name}_data"), c.data.clone());
    }
    for (name, c) in outs.iter().zip(outputs.iter()) {
        pins.pin(format!("{name}_push"), c.valid.clone());
        pins.pin(format!("{name}_room"), c.ready.clone());
        pins.pin(format!("{name}_data"), c.data.clone());
    }
    if let StateOp::Stream(counter) = op {
        pins.pin("cont_cond", payload.slice(0, ContCond::BITS));
        if counter.is_unsigned() {
            pins.pin("is_unsigned", payload.bit(ContCond::BITS));
        }
        let error = m.output("error", 1);
        pins.pin("zero_step_error", error);
        let bad = m.declare("onehot_error", 1);
        pins.pin("onehot_error", bad.clone());
        m.assign_output("config_error", first_error(&[(bad, HwError::CfgStreamContCondOneHot)]));
    }
    m.instance("core", &core, &pins);
}
