//! Rules of function units, and of function units against their PE.

use crate::codes;
use crate::model::{limits, BodyKind, BodyValue, ChannelType, FunctionUnit, SpatialPe};
use loom_base::{Code, Diagnostic, Diagnostics};
use loom_dfg::curves;
use loom_dfg::op::Class;
use loom_dfg::Type;
use std::ops::Range;

/// Types that ops do not take, or that there is no hardware for.
fn types(fu: &FunctionUnit, error: &mut impl FnMut(Code, String, &str)) {
    let name = &fu.name;
    for op in &fu.body {
        let operands: Vec<_> = op.operands.iter().map(|&v| fu.value_type(v)).collect();
        let allowed = match op.kind {
            BodyKind::Op(kind) => kind.check_types(&operands, &op.results),
            BodyKind::Mux => mux_types(&operands, op.results[0]),
        };
        let is_built = |ty| op.kind.op().is_none_or(|kind| curves::is_built(kind, ty));
        if let Err(allowed) = allowed {
            let types = crate::fu::type_list(&operands);
            let results = crate::fu::type_list(&op.results);
            let message = format!("`{}` in `{name}` has types {types} -> {results}", op.kind.mnemonic());
            error(codes::FU_TYPES, message, &format!("allowed: {allowed}"));
        } else if operands.first().is_some_and(|&ty| !is_built(ty)) {
            let (of, types) = (op.kind.mnemonic(), crate::fu::type_list(&operands[..1]));
            let message = format!("`{of}` of {types} in `{name}` is not built yet");
            error(codes::NOT_BUILT, message, "units of elementary functions are of `bf16`, `f16` and `f32`");
        }
    }
}

/// What a `fabric.mux` may be of.
fn mux_types(operands: &[Type], result: Type) -> Result<(), String> {
    let good = result != Type::None && operands.iter().all(|&ty| ty == result);
    good.then_some(()).ok_or_else(|| "all operands and the result have one type, which has bits".into())
}

/// What muxes of the body select of.
fn muxes(fu: &FunctionUnit, error: &mut impl FnMut(Code, String, &str)) {
    let (name, mux) = (&fu.name, BodyKind::Mux.mnemonic());
    for op in fu.muxes().map(|op| &fu.body[op]) {
        let twice = (0..op.operands.len()).find(|&k| op.operands[..k].contains(&op.operands[k]));
        if let Some(k) = twice {
            let message = format!("operand {k} of a `{mux}` in `{name}` is another one again");
            error(codes::FU_BODY, message, "each operand of it is another value");
        }
    }
    let settings = fu.setting_count();
    if settings > limits::MAX_SETTINGS {
        let message = format!("the muxes of `{name}` have {settings} settings");
        let help = format!("the numbers of their operands multiplied are at most {}", limits::MAX_SETTINGS);
        error(codes::FU_BODY, message, &help);
    }
    // An input that an output is under some setting.
    let passes = |output: BodyValue| {
        let (mut todo, mut seen) = (vec![output], vec![false; fu.body.len()]);
        while let Some(value) = todo.pop() {
            match value {
                BodyValue::Input(i) => return Some(i),
                BodyValue::Result { op, .. } if fu.body[op].kind == BodyKind::Mux => {
                    if !std::mem::replace(&mut seen[op], true) {
                        todo.extend(&fu.body[op].operands);
                    }
                }
                BodyValue::Result { .. } => {}
            }
        }
        None
    };
    for (o, &v) in fu.results.iter().enumerate() {
        if let Some(i) = passes(v) {
            let under = if v == BodyValue::Input(i) { "" } else { " under a setting of its muxes" };
            let message = format!("output {o} of `{name}` is its input {i}{under}");
            error(codes::FU_OUTPUT, message, "a function unit computes; routes pass values on");
        }
    }
}

/// Checks one function unit of a PE.
pub(super) fn check(
    pe: &SpatialPe,
    fu: &FunctionUnit,
    index_width: u32,
    span: Option<Range<usize>>,
    out: &mut Diagnostics,
) {
    let mut error = |code: Code, message: String, help: &str| {
        let d = Diagnostic::error(code, message).at_opt(span.clone(), "here");
        out.push(if help.is_empty() { d } else { d.help(help) });
    };
    let name = &fu.name;
    if let Some(message) = malformed(fu) {
        return error(codes::FU_BODY, message, "");
    }

    types(fu, &mut error);
    if fu.body.len() > 1 {
        if let Some(op) = fu.body.iter().find(|op| op.kind.class() == Class::State) {
            let message = format!("`{name}` holds `{}` and other ops", op.kind.mnemonic());
            error(codes::FU_BODY, message, "a `dataflow` op stands alone in its body");
        } else if let Some(op) = fu.body.iter().find(|op| op.kind.is_iterative()) {
            let message = format!("`{name}` holds `{}` and other ops", op.kind.mnemonic());
            error(
                codes::FU_BODY,
                message,
                "an op that is worked out digit by digit stands alone in its body",
            );
        } else if let Some(op) =
            fu.body.iter().find(|op| matches!(op.kind.class(), Class::Steer | Class::Access))
        {
            let message =
                format!("`{name}` mixes `{}` with other ops, which is not built yet", op.kind.mnemonic());
            error(
                codes::NOT_BUILT,
                message,
                "a `handshake` op stands alone in its body; only arithmetic can be combined",
            );
        }
    }
    let alone = fu.body.iter().any(|op| op.kind.class() != Class::Arith || op.kind.is_iterative());
    if alone && fu.body.len() == 1 && fu.single_op().is_none() {
        let message = format!("`{name}` reorders the ports of `{}`", fu.body[0].kind.mnemonic());
        error(
            codes::FU_BODY,
            message,
            "its operands are `%0`, `%1`, ... and its results the outputs, in order",
        );
    }

    // Every input and every result has a use.
    let used = |v: BodyValue| fu.results.contains(&v) || fu.body.iter().any(|op| op.operands.contains(&v));
    for i in (0..fu.inputs.len()).filter(|&i| !used(BodyValue::Input(i))) {
        error(codes::FU_UNUSED_INPUT, format!("input {i} of `{name}` is not used"), "");
    }
    for (op, o) in fu.body.iter().enumerate() {
        if !(0..o.results.len()).any(|result| used(BodyValue::Result { op, result })) {
            error(
                codes::FU_UNUSED_INPUT,
                format!("the result of `{}` in `{name}` is not used", o.kind.mnemonic()),
                "",
            );
        }
    }
    if fu.inputs.is_empty() || fu.results.is_empty() {
        let what = if fu.inputs.is_empty() { "inputs" } else { "outputs" };
        error(codes::FU_OUTPUT, format!("`{name}` has no {what}"), "");
    }
    muxes(fu, &mut error);
    timing(fu, index_width, &mut error);

    let outputs = fu.output_types();
    for (what, types, ports) in [("inputs", &fu.inputs, &pe.inputs), ("outputs", &outputs, &pe.outputs)] {
        let widths: Vec<u32> = types.iter().map(|t| t.width(index_width)).collect();
        if let Some(message) = misfit(name, what, widths, ports) {
            error(codes::FU_PORTS, message, "give the PE more or wider ports, or the unit narrower types");
        }
    }
}

/// Indices that do not exist, counts that do not fit.
fn malformed(fu: &FunctionUnit) -> Option<String> {
    let name = &fu.name;
    if fu.body.is_empty() {
        return Some(format!("`{name}` has no ops"));
    }
    let known = |v: &BodyValue, before: usize| match *v {
        BodyValue::Input(i) => i < fu.inputs.len(),
        BodyValue::Result { op, result } => op < before && result < fu.body[op].results.len(),
    };
    for (i, op) in fu.body.iter().enumerate() {
        if !op.operands.iter().all(|v| known(v, i)) {
            return Some(format!(
                "`{}` in `{name}` uses a value that is not defined before it",
                op.kind.mnemonic()
            ));
        }
        if let Some(message) = crate::fu::miscounted(op.kind, op.operands.len(), op.results.len()) {
            return Some(format!("in `{name}`, {message}"));
        }
    }
    (!fu.results.iter().all(|v| known(v, fu.body.len())))
        .then(|| format!("`{name}` yields a value that is not defined"))
}

/// Latency and interval against the body's class.
fn timing(fu: &FunctionUnit, index_width: u32, error: &mut impl FnMut(Code, String, &str)) {
    let (name, latency, interval) = (&fu.name, fu.latency, fu.interval);
    let found = format!("`{name}` has latency {latency} and interval {interval}");
    let least = fu.least_digit_time(index_width);
    let [most_latency, most_interval] = [MAX_LATENCY, MAX_INTERVAL].map(|most| most + least.unwrap_or(0));
    if fu.is_state_machine() {
        if (latency, interval) != (-1, -1) {
            error(codes::FU_TIMING, found, "a `dataflow` body has latency -1 and interval -1");
        }
    } else if let Some(least) = least.filter(|&l| latency < l || interval < latency) {
        let help = format!(
            "the unit makes one bit a cycle, one operation at a time: the latency is at least {least}, the interval at \
             least the latency"
        );
        error(codes::FU_TIMING, found, &help);
    } else if latency < 0 || interval < 1 {
        error(codes::FU_TIMING, found, "the latency is at least 0, the interval at least 1");
    } else if latency > most_latency || interval > most_interval {
        let help = format!("the latency is at most {most_latency}, the interval at most {most_interval}");
        error(codes::FU_TIMING, found, &help);
    } else if fu.body.iter().any(|op| matches!(op.kind.class(), Class::Steer | Class::Access))
        && (latency, interval) != (0, 1)
    {
        error(codes::FU_TIMING, found, "a `handshake` body has latency 0 and interval 1");
    }
}

/// Pipelines longer than this are no function units. What works digit by digit may have so much more than it takes.
const MAX_LATENCY: i32 = 128;
/// Likewise.
const MAX_INTERVAL: i32 = 256;

/// Ports are not positional, and each takes at most one FU port: the widest needs the widest, and so on down.
fn misfit(name: &str, what: &str, mut needed: Vec<u32>, ports: &[ChannelType]) -> Option<String> {
    let mut have: Vec<u32> = ports.iter().map(|p| p.width).collect();
    if needed.len() > have.len() {
        return Some(format!("`{name}` has {} {what}, its PE has {}", needed.len(), have.len()));
    }
    needed.sort_unstable_by(|a, b| b.cmp(a));
    have.sort_unstable_by(|a, b| b.cmp(a));
    let (need, port) = needed.iter().zip(&have).find(|(need, port)| need > port)?;
    Some(if *port == 0 {
        let data = have.iter().filter(|w| **w > 0).count();
        format!("`{name}` has {} data {what}, its PE has {data}", needed.iter().filter(|w| **w > 0).count())
    } else {
        format!("`{name}` has {what} of {need} bits, the PE's port left for it has {port}")
    })
}
