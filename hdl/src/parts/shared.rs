//! Function units that are one piece of hardware ([`Resource`]): of the units that a PE chooses from one at most is active, and
//! says what the hardware does.
//!
//! The interface is that of a single unit, as wide as the widest of them needs, and `active`, a bit for each: at most one of
//! them is set, in configuration, and none changes while `busy`. Takes no valid input while none is set. Guarantees: ports show
//! what those of the active unit alone would, its result filled with zeros. What a resource does for the ops that share it is
//! written here for integers, in [`super::float`] and [`super::divider`] for the others.

use super::firing::Firing;
use super::fu::{no_predicate, predicate_error, unit_name, Order};
use super::{bits, divider, float, shape_hash, unused_above};
use crate::ir::{Expr, Module};
use crate::Channel;
use loom_adg::layout::payload;
use loom_adg::model::{ChannelType, FunctionUnit, Resource};
use loom_dfg::{OpKind, Type};
use std::sync::Arc;

/// Longest name that lists the units.
const LONGEST_NAME: usize = 72;

/// One of the units that share.
struct Member<'a> {
    fu: &'a FunctionUnit,
    kind: OpKind,
    active: Expr,
}

/// Units that share, and what of their types matters.
struct Members<'a> {
    list: Vec<Member<'a>>,
    index_width: u32,
}

impl Members<'_> {
    /// Whether a unit of these ops is active: constant where none or all of them are.
    fn any(&self, of: impl Fn(OpKind) -> bool) -> Expr {
        let there: Vec<Expr> = self.list.iter().filter(|u| of(u.kind)).map(|u| u.active.clone()).collect();
        if there.len() == self.list.len() {
            return Expr::bit_const(true);
        }
        Expr::any_of(&there)
    }

    /// The same, named where it is no constant.
    fn named(&self, m: &mut Module, name: &str, of: impl Fn(OpKind) -> bool) -> Expr {
        let any = self.any(of);
        if any.as_const().is_some() {
            return any;
        }
        m.wire(name, any)
    }

    fn widest(&self, of: impl Fn(&FunctionUnit) -> Option<Type>) -> u32 {
        let widths = self.list.iter().filter_map(|u| of(u.fu)).map(|ty| ty.width(self.index_width));
        widths.max().unwrap_or(0)
    }
}

fn name(resource: Resource, fus: &[&FunctionUnit], index_width: u32) -> String {
    let units: Vec<String> = fus.iter().map(|fu| unit_name(fu, index_width)).collect();
    let named = format!("loom_fu_{}_{}", resource.name(), units.join("_"));
    if named.len() <= LONGEST_NAME {
        named
    } else {
        format!("loom_fu_{}_n{}_{}", resource.name(), units.len(), shape_hash(&units))
    }
}

/// The module of units that share a resource. All have the same number of operands and the same timing, and types that the
/// resource lets differ.
pub fn shared_units(resource: Resource, fus: &[&FunctionUnit], index_width: u32) -> Arc<Module> {
    let mut m = Module::new(name(resource, fus, index_width));
    let first = fus[0];
    let units: Vec<String> =
        fus.iter().enumerate().map(|(k, fu)| format!("  {k}: {}", unit_name(fu, index_width))).collect();
    m.doc(&format!(
        "One {} for {} function units; at most one bit of `active` is set, and says which it is.\n\
         Latency {}, interval {}.\n\
         Units, by bit of `active`:\n{}",
        resource.name().replace('_', " "),
        fus.len(),
        first.latency,
        first.interval,
        units.join("\n")
    ));
    let active = m.input("active", fus.len() as u32);
    // What the hardware does when no other is asked for needs no bit.
    m.unused(&active);
    let list = fus.iter().enumerate().map(|(k, fu)| Member {
        fu,
        kind: fu.single_op().expect("units of one op share"),
        active: active.bit(k as u32),
    });
    let members = Members { list: list.collect(), index_width };
    let types: Vec<ChannelType> = (0..first.inputs.len())
        .map(|a| ChannelType::bits(members.widest(|fu| fu.inputs.get(a).copied())))
        .collect();
    let inputs = Channel::inputs(&mut m, "in", &types);
    let width = members.widest(|fu| fu.output_types().first().copied());
    let outputs = Channel::outputs(&mut m, "out", &[ChannelType::bits(width)]);
    if resource == Resource::Divider {
        divide(&mut m, &members, &inputs, &outputs[0]);
        return m.finish();
    }
    let fields = fus.iter().flat_map(|fu| payload(fu, index_width));
    let payload = m.input("payload", fields.map(|f| f.low + f.width).max().unwrap_or(0));
    if members.list.iter().any(|u| u.kind == OpKind::Cmpi) {
        let compares = members.any(|kind| kind == OpKind::Cmpi);
        let error = predicate_error(&[compares.and(&no_predicate(&payload))]);
        m.assign_output("config_error", error);
    }
    let firing = Firing {
        latency: first.latency as usize,
        interval: first.interval as u32,
        inputs: &inputs,
        needed: &vec![Expr::bit_const(true); inputs.len()],
        outputs: &outputs,
        settings: &[("active", active), ("payload", payload)],
    };
    firing.build(&mut m, &|m, data, settings| {
        let list = members.list.iter().enumerate();
        let list = list.map(|(k, u)| Member { active: settings[0].bit(k as u32), ..*u });
        let members = Members { list: list.collect(), index_width };
        let result = compute(m, resource, &members, data, &settings[1], width);
        vec![m.wire("result", result)]
    });
    m.finish()
}

fn divide(m: &mut Module, members: &Members, inputs: &[Channel], out: &Channel) {
    let signed = members.named(m, "signed_numbers", |kind| matches!(kind, OpKind::Divsi | OpKind::Remsi));
    let remains = members.named(m, "remainder_wanted", |kind| matches!(kind, OpKind::Remsi | OpKind::Remui));
    let operands = [inputs[0].data.clone(), inputs[1].data.clone()];
    divider::truncating(m, members.list[0].fu, inputs, operands, [&signed, &remains], out);
}

fn compute(
    m: &mut Module,
    resource: Resource,
    members: &Members,
    data: &[Expr],
    payload: &Expr,
    width: u32,
) -> Expr {
    let (a, b) = (&data[0], data.get(1));
    let two = || b.expect("two operands");
    match resource {
        Resource::Adder => add(m, members, a, two()),
        Resource::Comparator => order(m, members, a, two(), payload),
        Resource::Shifter => shift(m, members, a, two()),
        Resource::Logic => logic(members, a, two()),
        Resource::Extender => extend(m, members, a, width),
        Resource::FloatAdder => {
            let subtracts = members.any(|kind| kind == OpKind::Subf);
            float::sum(m, members.list[0].fu.inputs[0], a, two(), &subtracts)
        }
        Resource::FloatComparator => float_order(m, members, a, two(), payload),
        Resource::FloatOfInteger => {
            let signed = members.any(|kind| kind == OpKind::Sitofp);
            float::from_integer(m, members.list[0].fu.body[0].results[0], a, &signed)
        }
        Resource::IntegerOfFloat => {
            let signed = members.any(|kind| kind == OpKind::Fptosi);
            float::to_integer(m, members.list[0].fu.inputs[0], width, a, &signed)
        }
        Resource::Divider => unreachable!("it works digit by digit"),
    }
}

/// A difference is the sum with the complement and one more.
fn add(m: &mut Module, members: &Members, a: &Expr, b: &Expr) -> Expr {
    if members.list.iter().all(|u| u.kind == OpKind::Addi) {
        return a.add(b);
    }
    if members.list.iter().all(|u| u.kind == OpKind::Subi) {
        return a.sub(b);
    }
    let subtracts = members.named(m, "subtracts", |kind| kind == OpKind::Subi);
    m.comment("The lowest place makes the carry into the others.");
    let other = b.xor(&subtracts.repeat(b.width()));
    let other = m.wire("addend", Expr::concat(&[other, subtracts]));
    let sum = m.wire("sum", Expr::concat(&[a.clone(), Expr::bit_const(true)]).add(&other));
    m.unused(&sum.bit(0));
    sum.slice(1, a.width())
}

/// One comparison for compares, minima and maxima.
fn order(m: &mut Module, members: &Members, a: &Expr, b: &Expr, predicate: &Expr) -> Expr {
    let signed = members.named(m, "signed_order", |kind| matches!(kind, OpKind::Maxsi | OpKind::Minsi));
    let least = members.named(m, "least_wanted", |kind| matches!(kind, OpKind::Minsi | OpKind::Minui));
    let chooses = members.named(m, "chooses", |kind| kind != OpKind::Cmpi);
    let order = Order::of(m, a, b);
    if members.list.iter().all(|u| u.kind == OpKind::Cmpi) {
        return order.answer(m, predicate);
    }
    let choice = order.less(&signed).xor(&least).mux(b, a);
    if chooses.as_const().is_some() {
        return choice;
    }
    chooses.mux(&choice, &order.answer(m, predicate).zext(a.width()))
}

/// One row of muxes to the right; a left shift goes through it from behind.
fn shift(m: &mut Module, members: &Members, a: &Expr, amount: &Expr) -> Expr {
    let left = members.named(m, "shifts_left", |kind| kind == OpKind::Shli);
    let signed = members.any(|kind| kind == OpKind::Shrsi);
    let turned = m.wire("turned", left.mux(&bits::reverse(a), a));
    let fill = m.wire("fill", signed.and(&a.msb()));
    let shifted = m.wire("shifted", Expr::concat(&[fill, turned]).sshr(amount));
    m.unused(&shifted.msb());
    let shifted = shifted.slice(0, a.width());
    left.mux(&bits::reverse(&shifted), &shifted)
}

/// An or has the bits of the and and those of the exclusive or.
fn logic(members: &Members, a: &Expr, b: &Expr) -> Expr {
    let both = members.any(|kind| matches!(kind, OpKind::Andi | OpKind::Ori));
    let one = members.any(|kind| matches!(kind, OpKind::Ori | OpKind::Xori));
    let width = a.width();
    both.repeat(width).and(&a.and(b)).or(&one.repeat(width).and(&a.xor(b)))
}

/// Low bits that stay, copies of the highest of them up to the width of the result, zeros above.
fn extend(m: &mut Module, members: &Members, a: &Expr, width: u32) -> Expr {
    struct Cast<'a> {
        stays: u32,
        filled: u32,
        signed: bool,
        active: &'a Expr,
    }
    let casts: Vec<Cast> = (members.list.iter())
        .map(|u| {
            let [from, to] = [u.fu.inputs[0], u.fu.body[0].results[0]];
            let [from, to] = [from, to].map(|ty| ty.width(members.index_width));
            let signed = matches!(u.kind, OpKind::Extsi | OpKind::IndexCast) && from < to;
            Cast { stays: from.min(to), filled: to, signed, active: &u.active }
        })
        .collect();
    let mut ends: Vec<u32> = casts.iter().flat_map(|c| [c.stays, c.filled]).collect();
    ends.sort_unstable();
    ends.dedup();
    m.comment("Between two ends of operands or results all bits are alike: they stay, or are copies of a sign, or 0.");
    // By end: whether the bits below stay, which those of wider operands do too.
    let mut stays = vec![Expr::zero(1); ends.len() + 1];
    for (k, &end) in ends.iter().enumerate().rev() {
        let wider = stays[k + 1].clone();
        let here: Vec<Expr> = casts.iter().filter(|c| c.stays == end).map(|c| c.active.clone()).collect();
        stays[k] = match here.is_empty() {
            true => wider,
            false => m.wire(&format!("stays_below{end}"), Expr::any_of(&here).or(&wider)),
        };
    }
    let mut signs: Vec<u32> = casts.iter().filter(|c| c.signed).map(|c| c.stays).collect();
    signs.sort_unstable();
    signs.dedup();
    // By width of a signed operand: its sign, and those of its casts that fill up to which width.
    let signs: Vec<(u32, Expr)> =
        (signs.into_iter()).map(|stays| (stays, m.wire(&format!("sign{stays}"), a.bit(stays - 1)))).collect();
    let filling = |from: u32, end: u32| {
        let fills = casts.iter().filter(|c| c.signed && c.stays == from && c.filled >= end);
        Expr::any_of(&fills.map(|c| c.active.clone()).collect::<Vec<_>>())
    };
    let mut low = 0;
    let mut parts = Vec::new();
    for (&end, stays) in ends.iter().zip(&stays) {
        let below = signs.iter().filter(|(from, _)| *from <= low);
        let copies: Vec<Expr> = below.map(|(from, sign)| sign.and(&filling(*from, end))).collect();
        let copies = match &copies[..] {
            [] => Expr::zero(1),
            some => m.wire(&format!("copies_below{end}"), Expr::any_of(some)),
        };
        // No operand has bits that none of them keeps.
        let kept = a.resize(end.max(low)).slice(low, end - low);
        parts.push(stays.repeat(end - low).and(&kept).or(&copies.repeat(end - low)));
        low = end;
    }
    // Between the widest operand that stays and the widest result nobody reads the port.
    unused_above(m, a, casts.iter().map(|c| c.stays).max().unwrap_or(0));
    parts.reverse();
    Expr::concat(&parts).resize(width)
}

/// One comparison for compares, minima and maxima.
fn float_order(m: &mut Module, members: &Members, a: &Expr, b: &Expr, predicate: &Expr) -> Expr {
    let ty = members.list[0].fu.inputs[0];
    let least = members.named(m, "least_wanted", |kind| matches!(kind, OpKind::Minimumf | OpKind::Minnumf));
    let nan_wins = members.named(m, "nan_wins", |kind| matches!(kind, OpKind::Maximumf | OpKind::Minimumf));
    let chooses = members.named(m, "chooses", |kind| kind != OpKind::Cmpf);
    let order = float::Order::of(m, ty, a, b);
    if members.list.iter().all(|u| u.kind == OpKind::Cmpf) {
        return order.answer(m, predicate);
    }
    let chosen = order.choice(m, &least, &nan_wins);
    if chooses.as_const().is_some() {
        return chosen;
    }
    chooses.mux(&chosen, &order.answer(m, predicate).zext(a.width()))
}
