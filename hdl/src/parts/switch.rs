//! `spatial_sw`: a crossbar whose routes are set by configuration.

use super::{channel_in, channel_out, first_error, shape_hash, sticky, two_of, width_name, Channel, Config};
use crate::ir::{Expr, Module};
use loom_adg::layout::FieldKind;
use loom_adg::model::{Component, SpatialSw};
use loom_adg::HwError;
use std::sync::Arc;

/// Name of a switch module.
fn name(sw: &SpatialSw) -> String {
    let full = sw.connectivity.iter().flatten().all(|&c| c);
    let lanes = sw.decomposable_bits.map(|l| format!("_l{l}")).unwrap_or_default();
    let shape = format!(
        "loom_spatial_sw_{}x{}_{}{lanes}",
        sw.inputs.len(),
        sw.outputs.len(),
        width_name(sw.inputs.iter().chain(&sw.outputs).copied())
    );
    if full && !shape.contains("mixed") {
        shape
    } else {
        format!("{shape}_{}", shape_hash(sw))
    }
}

/// A switch. Ports: channels `in<i>`, `out<o>`; `cfg`; `error_code`; `busy`.
pub fn spatial_sw(sw: &SpatialSw) -> Arc<Module> {
    let mut m = Module::new(name(sw));
    m.doc(&format!(
        "Spatial switch, {} inputs, {} outputs. A route bit connects an output to one input; an input that feeds\n\
         several outputs is an eager fork: each output takes its copy when it is ready, once, and the token leaves\n\
         when all have it. Guarantees: ready never reaches valid; what is offered stays. `busy` while some output\n\
         has a copy that another still lacks. Errors: {} an output with two inputs; {} a token at an input without\n\
         a route, after which no token is accepted until reset.",
        sw.inputs.len(),
        sw.outputs.len(),
        HwError::CfgSwitchRouteMix.code(),
        HwError::RtSwitchUnroutedInput.code(),
    ));
    let inputs: Vec<Channel> =
        sw.inputs.iter().enumerate().map(|(i, &ty)| channel_in(&mut m, &format!("in{i}"), ty)).collect();
    let outputs: Vec<Channel> =
        sw.outputs.iter().enumerate().map(|(o, &ty)| channel_out(&mut m, &format!("out{o}"), ty)).collect();
    let config = Config::new(&mut m, &Component::SpatialSw(sw.clone()), 32);
    let error_code = m.output("error_code", 16);
    let busy = m.output("busy", 1);
    let failed = sticky(&mut m, "error_q");
    match sw.decomposable_bits {
        None => plain(&mut m, sw, &config, &inputs, &outputs, &failed, &error_code, &busy),
        Some(lane) => decomposed(&mut m, sw, lane, &config, &inputs, &outputs, &failed, &error_code, &busy),
    }
    m.finish()
}

#[allow(clippy::too_many_arguments)] // the module's ports, named one by one
fn plain(
    m: &mut Module,
    sw: &SpatialSw,
    config: &Config,
    inputs: &[Channel],
    outputs: &[Channel],
    failed: &crate::ir::Reg,
    error_code: &Expr,
    busy: &Expr,
) {
    // route[o]: the connected inputs of output o with their bits.
    let mut routes: Vec<Vec<(usize, Expr)>> = Vec::new();
    for (output, row) in sw.connectivity.iter().enumerate() {
        m.comment(&format!("Routes of output {output}."));
        routes.push(
            (0..row.len())
                .filter(|&input| row[input])
                .map(|input| {
                    let kind = FieldKind::Route { output, input };
                    (input, config.field(m, &format!("route_o{output}_i{input}"), kind))
                })
                .collect(),
        );
    }
    let mut dones = Vec::new();
    let mut taken = Vec::new();
    let mut mixed = Vec::new();
    for (o, out) in outputs.iter().enumerate() {
        m.comment(&format!(
            "Output {o}. done_o{o}_q fills when it takes a copy, drains when the token leaves its input."
        ));
        let done = m.reg(&format!("done_o{o}_q"), 1, 0u32);
        let offers: Vec<Expr> = routes[o].iter().map(|(i, r)| r.and(&inputs[*i].valid)).collect();
        m.drive(&out.valid, Expr::any_of(&offers).and(&done.q.not()));
        let choose = |field: &dyn Fn(&Channel) -> Expr, width: u32| {
            let choices: Vec<(Expr, Expr)> =
                routes[o].iter().map(|(i, r)| (r.clone(), field(&inputs[*i]).resize(width))).collect();
            Expr::onehot_mux(width, &choices)
        };
        m.drive(&out.data, choose(&|c| c.data.clone(), sw.outputs[o].width));
        m.drive(&out.tag, choose(&|c| c.tag.clone(), sw.outputs[o].tag));
        taken.push(m.wire(&format!("taken_o{o}"), done.q.or(&out.ready)));
        let bits: Vec<Expr> = routes[o].iter().map(|(_, r)| r.clone()).collect();
        if bits.len() > 1 {
            mixed.push(m.wire(&format!("mixed_o{o}"), two_of(&bits)));
        }
        dones.push(done);
    }
    let mut leaves = Vec::new();
    let mut unrouted = Vec::new();
    for (i, input) in inputs.iter().enumerate() {
        let outs: Vec<(usize, &Expr)> = routes
            .iter()
            .enumerate()
            .filter_map(|(o, row)| Some((o, &row.iter().find(|(k, _)| *k == i)?.1)))
            .collect();
        m.comment(&format!("Input {i}: its token leaves when every output it is routed to has taken it."));
        let bits: Vec<Expr> = outs.iter().map(|(_, r)| (*r).clone()).collect();
        let routed = m.wire(&format!("routed_i{i}"), Expr::any_of(&bits));
        let all: Vec<Expr> = outs.iter().map(|(o, r)| r.not().or(&taken[*o])).collect();
        m.drive(&input.ready, Expr::all_of(&[routed.clone(), Expr::all_of(&all), failed.q.not()]));
        unrouted.push(input.valid.and(&routed.not()));
        if outs.is_empty() {
            m.unused(&input.data);
            m.unused(&input.tag);
            leaves.push(Expr::zero(1));
        } else {
            leaves.push(m.wire(&format!("leaves_i{i}"), input.valid.and(&input.ready)));
            unused_high_bits(m, input, outs.iter().map(|(o, _)| sw.outputs[*o]));
        }
    }
    for (o, done) in dones.iter().enumerate() {
        let gone: Vec<Expr> = routes[o].iter().map(|(i, r)| r.and(&leaves[*i])).collect();
        let takes = outputs[o].valid.and(&outputs[o].ready);
        m.next(done, None, takes.or(&done.q).and(&Expr::any_of(&gone).not()));
    }
    finish_errors(m, failed, &unrouted, &mixed, error_code);
    m.drive(busy, Expr::any_of(&dones.iter().map(|d| d.q.clone()).collect::<Vec<_>>()));
}

/// Data and tag bits above what any consumer takes are dropped on purpose.
fn unused_high_bits(m: &mut Module, input: &Channel, outs: impl Iterator<Item = loom_adg::ChannelType>) {
    let (mut width, mut tag) = (0, 0);
    for ty in outs {
        width = width.max(ty.width);
        tag = tag.max(ty.tag);
    }
    for (e, used) in [(&input.data, width), (&input.tag, tag)] {
        if e.width() > used {
            m.unused(&e.slice(used, e.width() - used));
        }
    }
}

fn finish_errors(
    m: &mut Module,
    failed: &crate::ir::Reg,
    unrouted: &[Expr],
    mixed: &[Expr],
    error_code: &Expr,
) {
    m.comment(
        "A token at an input without a route stops the switch; two inputs on one output are a static error.",
    );
    let unrouted = m.wire("unrouted", Expr::any_of(unrouted));
    m.next(failed, None, failed.q.or(&unrouted));
    let mixed = m.wire("mixed", Expr::any_of(mixed));
    let errors = [(mixed, HwError::CfgSwitchRouteMix), (failed.q.clone(), HwError::RtSwitchUnroutedInput)];
    m.drive(error_code, first_error(&errors));
}

#[allow(clippy::too_many_arguments)] // the module's ports, named one by one
fn decomposed(
    m: &mut Module,
    sw: &SpatialSw,
    lane: u32,
    config: &Config,
    inputs: &[Channel],
    outputs: &[Channel],
    failed: &crate::ir::Reg,
    error_code: &Expr,
    busy: &Expr,
) {
    let mut mixed = Vec::new();
    // feeds[o][i]: some lane of input i feeds some lane of output o.
    let mut feeds: Vec<Vec<(usize, Expr)>> = Vec::new();
    for (o, out) in outputs.iter().enumerate() {
        m.comment(&format!("Lanes of output {o}, each with at most one source lane."));
        let connected: Vec<usize> = (0..inputs.len()).filter(|&i| sw.connectivity[o][i]).collect();
        let mut by_input: Vec<Vec<Expr>> = vec![Vec::new(); connected.len()];
        let mut lanes = Vec::new();
        for output_lane in 0..(sw.outputs[o].width / lane) as usize {
            let mut choices = Vec::new();
            for (at, &input) in connected.iter().enumerate() {
                for input_lane in 0..(sw.inputs[input].width / lane) as usize {
                    let kind = FieldKind::LaneRoute { output: o, output_lane, input, input_lane };
                    let bit =
                        config.field(m, &format!("route_o{o}_{output_lane}_i{input}_{input_lane}"), kind);
                    by_input[at].push(bit.clone());
                    choices.push((bit, inputs[input].data.slice(input_lane as u32 * lane, lane)));
                }
            }
            let bits: Vec<Expr> = choices.iter().map(|(b, _)| b.clone()).collect();
            if bits.len() > 1 {
                mixed.push(m.wire(&format!("mixed_o{o}_{output_lane}"), two_of(&bits)));
            }
            lanes.push(Expr::onehot_mux(lane, &choices));
        }
        lanes.reverse();
        m.drive(&out.data, Expr::concat(&lanes));
        feeds.push(
            connected
                .iter()
                .zip(&by_input)
                .map(|(&i, bits)| (i, m.wire(&format!("feeds_o{o}_i{i}"), Expr::any_of(bits))))
                .collect(),
        );
    }
    // An output joins its inputs, so it has one done bit for each of them.
    let mut dones: Vec<Vec<crate::ir::Reg>> = Vec::new();
    let mut fires = Vec::new();
    for (o, out) in outputs.iter().enumerate() {
        m.comment(&format!(
            "Output {o} waits for all its inputs. done_o{o}_i<i>_q: it has used the token of input i."
        ));
        let row: Vec<crate::ir::Reg> =
            feeds[o].iter().map(|(i, _)| m.reg(&format!("done_o{o}_i{i}_q"), 1, 0u32)).collect();
        let some = Expr::any_of(&feeds[o].iter().map(|(_, f)| f.clone()).collect::<Vec<_>>());
        let all: Vec<Expr> = (feeds[o].iter().zip(&row))
            .map(|((i, f), done)| f.not().or(&inputs[*i].valid.and(&done.q.not())))
            .collect();
        m.drive(&out.valid, some.and(&Expr::all_of(&all)));
        fires.push(m.wire(&format!("fire_o{o}"), out.valid.and(&out.ready)));
        dones.push(row);
    }
    let mut leaves = Vec::new();
    let mut unrouted = Vec::new();
    for (i, input) in inputs.iter().enumerate() {
        let mut bits = Vec::new();
        let mut all = Vec::new();
        for (o, row) in feeds.iter().enumerate() {
            if let Some(at) = row.iter().position(|(k, _)| *k == i) {
                bits.push(row[at].1.clone());
                all.push(row[at].1.not().or(&dones[o][at].q.or(&fires[o])));
            }
        }
        m.comment(&format!("Input {i}: its token leaves when every output it feeds has used it."));
        let routed = m.wire(&format!("routed_i{i}"), Expr::any_of(&bits));
        m.drive(&input.ready, Expr::all_of(&[routed.clone(), Expr::all_of(&all), failed.q.not()]));
        unrouted.push(input.valid.and(&routed.not()));
        if bits.is_empty() {
            m.unused(&input.data);
            leaves.push(Expr::zero(1));
        } else {
            leaves.push(m.wire(&format!("leaves_i{i}"), input.valid.and(&input.ready)));
        }
    }
    let mut held = Vec::new();
    for (o, row) in dones.iter().enumerate() {
        for ((i, f), done) in feeds[o].iter().zip(row) {
            let used = done.q.or(&fires[o].and(f));
            m.next(done, None, used.and(&leaves[*i].not()));
            held.push(done.q.clone());
        }
    }
    finish_errors(m, failed, &unrouted, &mixed, error_code);
    m.drive(busy, Expr::any_of(&held));
}
