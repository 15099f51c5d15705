//! `spatial_pe`: input muxes, function units of which one is active, output demuxes, output buffers.

use super::{
    channel_in, channel_out, first_error, function_unit, is_choice, out_of_range, shape_hash, two_of,
    Channel, Config,
};
use crate::ir::{Expr, Module};
use crate::leaf;
use loom_adg::layout::FieldKind;
use loom_adg::model::{ChannelType, Component, SpatialPe};
use loom_adg::HwError;
use std::sync::Arc;

/// One mux or demux: its decoded configuration.
struct Mux {
    /// By port: connected to it.
    port: Vec<Expr>,
    /// By port: connected to it, or discards its tokens. Empty for a demux.
    uses: Vec<Expr>,
    /// Discards and is not disconnected.
    discard: Expr,
    /// Selects a port that is not there.
    beyond: Expr,
}

fn mux(m: &mut Module, config: &Config, side: &str, at: usize, ports: usize, kinds: [FieldKind; 3]) -> Mux {
    let [select, discard, disconnect] = kinds;
    let select = config.field(m, &format!("{side}_mux{at}_sel"), select);
    let discard = config.field(m, &format!("{side}_mux{at}_discard"), discard);
    let disconnect = config.field(m, &format!("{side}_mux{at}_disconnect"), disconnect);
    let connected = m.wire(&format!("{side}_mux{at}_connected"), disconnect.not().and(&discard.not()));
    let mut port = Vec::new();
    let mut uses = Vec::new();
    let discards = m.wire(&format!("{side}_mux{at}_discards"), discard.and(&disconnect.not()));
    for p in 0..ports {
        let is = is_choice(&select, p);
        port.push(m.wire(&format!("{side}_mux{at}_port{p}"), connected.and(&is)));
        // Only an input mux uses a port that it discards from.
        if side == "in" {
            uses.push(m.wire(&format!("{side}_mux{at}_uses{p}"), disconnect.not().and(&is)));
        }
    }
    Mux { port, uses, discard: discards, beyond: disconnect.not().and(&out_of_range(&select, ports)) }
}

/// A PE. Ports: channels `in<i>`, `out<o>`; `cfg`; `error_code`; `busy`.
pub fn spatial_pe(pe: &SpatialPe, index_width: u32) -> Arc<Module> {
    let shape = shape_hash(&(pe, index_width));
    let mut m = Module::new(format!(
        "loom_spatial_pe_{}x{}_fu{}_{shape}",
        pe.inputs.len(),
        pe.outputs.len(),
        pe.fus.len()
    ));
    let units: Vec<String> =
        pe.fus.iter().enumerate().map(|(f, fu)| format!("  {f}: {}", fu.name.replace('\n', " "))).collect();
    m.doc(&format!(
        "Spatial PE: one of {} function units is active, chosen by the opcode; any input may feed any of its\n\
         inputs, any of its outputs may leave by any output. A discarded token is taken and dropped.\n{}\n\
         Guarantees: disabled, it takes and offers nothing; ready never reaches valid. Units, by opcode:\n{}\n\
         Errors when enabled: {} cont_cond, {} predicate, {} opcode, {} muxes; at run time {} zero step.",
        pe.fus.len(),
        if pe.output_buffers {
            "Every output has a two-entry buffer, which cuts valid, data and ready."
        } else {
            "Outputs are combinational where the active unit is."
        },
        units.join("\n"),
        HwError::CfgStreamContCondOneHot.code(),
        HwError::CfgCmpiPredicate.code(),
        HwError::CfgPeOpcode.code(),
        HwError::CfgPeMux.code(),
        HwError::RtStreamZeroStep.code(),
    ));
    let inputs: Vec<Channel> =
        pe.inputs.iter().enumerate().map(|(i, &ty)| channel_in(&mut m, &format!("in{i}"), ty)).collect();
    let outputs: Vec<Channel> =
        pe.outputs.iter().enumerate().map(|(o, &ty)| channel_out(&mut m, &format!("out{o}"), ty)).collect();
    let config = Config::new(&mut m, &Component::SpatialPe(pe.clone()), index_width);
    let error_code = m.output("error_code", 16);

    m.comment("Configuration.");
    let enable = config.field(&mut m, "enable", FieldKind::Enable);
    let opcode = config.field(&mut m, "opcode", FieldKind::Opcode);
    let in_muxes: Vec<Mux> = (0..pe.input_muxes())
        .map(|a| {
            let kinds =
                [FieldKind::InputSelect(a), FieldKind::InputDiscard(a), FieldKind::InputDisconnect(a)];
            mux(&mut m, &config, "in", a, pe.inputs.len(), kinds)
        })
        .collect();
    let out_muxes: Vec<Mux> = (0..pe.output_demuxes())
        .map(|b| {
            let kinds =
                [FieldKind::OutputSelect(b), FieldKind::OutputDiscard(b), FieldKind::OutputDisconnect(b)];
            mux(&mut m, &config, "out", b, pe.outputs.len(), kinds)
        })
        .collect();
    let payload = config.field(&mut m, "payload", FieldKind::Payload);
    let active: Vec<Expr> = (0..pe.fus.len())
        .map(|f| m.wire(&format!("active{f}"), enable.and(&is_choice(&opcode, f))))
        .collect();

    let width = |t: &loom_dfg::Type| t.width(index_width);
    let in_width = |a: usize| pe.fus.iter().filter_map(|f| f.inputs.get(a)).map(width).max().unwrap_or(0);
    let out_width =
        |b: usize| pe.fus.iter().filter_map(|f| f.output_types().get(b).map(width)).max().unwrap_or(0);

    // Input muxes.
    let mut mux_valid = Vec::new();
    let mut mux_data = Vec::new();
    let mut used_width = vec![0; inputs.len()];
    for (a, mux) in in_muxes.iter().enumerate() {
        m.comment(&format!("Input mux {a}."));
        let offers: Vec<Expr> = inputs.iter().zip(&mux.port).map(|(c, p)| c.valid.and(p)).collect();
        mux_valid.push(m.wire(&format!("mux{a}_valid"), Expr::any_of(&offers)));
        let choices: Vec<(Expr, Expr)> =
            inputs.iter().zip(&mux.port).map(|(c, p)| (p.clone(), c.data.resize(in_width(a)))).collect();
        mux_data.push(m.wire(&format!("mux{a}_data"), Expr::onehot_mux(in_width(a), &choices)));
        for used in &mut used_width {
            *used = (*used).max(in_width(a));
        }
    }
    for (c, used) in inputs.iter().zip(used_width) {
        if c.data.width() > used {
            m.unused(&c.data.slice(used, c.data.width() - used));
        }
    }

    // Room at the FU outputs, from the demuxes.
    let (behind, buffers) = behind_outputs(&mut m, pe, &outputs);
    let fu_out_ready: Vec<Expr> = out_muxes
        .iter()
        .enumerate()
        .map(|(b, mux)| {
            let ready: Vec<Expr> = behind.iter().zip(&mux.port).map(|(c, p)| c.ready.and(p)).collect();
            m.wire(&format!("demux{b}_ready"), mux.discard.or(&Expr::any_of(&ready)))
        })
        .collect();

    // Function units; one that is not active sees no token.
    let mut fu_in_ready: Vec<Vec<Expr>> = vec![Vec::new(); in_muxes.len()];
    let mut fu_out: Vec<Vec<(Expr, Expr, Expr)>> = vec![Vec::new(); out_muxes.len()];
    let mut held = buffers;
    let mut errors: Vec<(Expr, Expr)> = Vec::new();
    let mut failed = Vec::new();
    let mut used_payload = 0;
    for (f, fu) in pe.fus.iter().enumerate() {
        let module = function_unit(fu, index_width);
        m.comment(&format!("Unit {f}: {}.", fu.name.replace('\n', " ")));
        let mut connections: Vec<(String, Expr)> = Vec::new();
        for (a, ty) in fu.inputs.iter().enumerate() {
            connections.push((format!("in{a}_valid"), mux_valid[a].and(&active[f])));
            if width(ty) > 0 {
                connections.push((format!("in{a}_data"), mux_data[a].resize(width(ty))));
            }
        }
        for (b, ready) in fu_out_ready.iter().enumerate().take(fu.results.len()) {
            connections.push((format!("out{b}_ready"), ready.clone()));
        }
        if let Some(port) = module.port("payload").filter(|p| p.width > 0) {
            used_payload = used_payload.max(port.width);
            connections.push(("payload".into(), payload.slice(0, port.width)));
        }
        let connections: Vec<(&str, Expr)> =
            connections.iter().map(|(n, e)| (n.as_str(), e.clone())).collect();
        let unit = m.instance(&format!("fu{f}"), &module, &connections);
        for (a, row) in fu_in_ready.iter_mut().enumerate().take(fu.inputs.len()) {
            row.push(unit.out(&format!("in{a}_ready")));
        }
        for (b, row) in fu_out.iter_mut().enumerate().take(fu.results.len()) {
            let data = unit.out(&format!("out{b}_data")).resize(out_width(b));
            row.push((active[f].clone(), unit.out(&format!("out{b}_valid")), data));
        }
        let has = |name: &str| module.port(name).is_some();
        if has("busy") {
            held.push(unit.out("busy"));
        }
        if has("error") {
            failed.push(unit.out("error"));
        }
        if has("config_error") {
            errors.push((active[f].clone(), unit.out("config_error")));
        }
    }
    debug_assert_eq!(used_payload, payload.width());

    m.comment("Inputs: taken by the mux that selects them.");
    let mux_ready: Vec<Expr> = fu_in_ready
        .iter()
        .enumerate()
        .map(|(a, row)| m.wire(&format!("mux{a}_ready"), Expr::any_of(row)))
        .collect();
    for (p, input) in inputs.iter().enumerate() {
        let mut taken = Vec::new();
        for (a, mux) in in_muxes.iter().enumerate() {
            taken.push(mux.port[p].and(&mux_ready[a]));
            taken.push(mux.uses[p].and(&mux.discard));
        }
        m.drive(&input.ready, enable.and(&Expr::any_of(&taken)));
    }

    // Outputs.
    let mut demux_valid = Vec::new();
    let mut demux_data = Vec::new();
    for (b, row) in fu_out.iter().enumerate() {
        m.comment(&format!("Output demux {b}."));
        let valid: Vec<Expr> = row.iter().map(|(_, v, _)| v.clone()).collect();
        demux_valid.push(m.wire(&format!("demux{b}_valid"), Expr::any_of(&valid)));
        let choices: Vec<(Expr, Expr)> = row.iter().map(|(a, _, d)| (a.clone(), d.clone())).collect();
        demux_data.push(m.wire(&format!("demux{b}_data"), Expr::onehot_mux(out_width(b), &choices)));
    }
    let widest = behind.iter().map(|c| c.data.width()).max().unwrap_or(0);
    for data in &demux_data {
        if data.width() > widest {
            m.unused(&data.slice(widest, data.width() - widest));
        }
    }
    for (q, out) in behind.iter().enumerate() {
        let valid: Vec<Expr> =
            out_muxes.iter().zip(&demux_valid).map(|(mux, v)| mux.port[q].and(v)).collect();
        m.drive(&out.valid, Expr::any_of(&valid));
        let width = out.data.width();
        let choices: Vec<(Expr, Expr)> = out_muxes
            .iter()
            .zip(&demux_data)
            .map(|(mux, d)| (mux.port[q].clone(), d.resize(width)))
            .collect();
        m.drive(&out.data, Expr::onehot_mux(width, &choices));
    }

    m.comment("Errors: static ones while enabled, and a stream's zero step.");
    let wrong_in = mux_errors(&mut m, "in", &in_muxes, inputs.len());
    let wrong = wrong_in.or(&mux_errors(&mut m, "out", &out_muxes, outputs.len()));
    let beyond = out_of_range(&opcode, pe.fus.len());
    let unit_error = m.wire("unit_error", Expr::onehot_mux(16, &errors));
    let own = first_error(&[
        (enable.and(&beyond), HwError::CfgPeOpcode),
        (enable.and(&wrong), HwError::CfgPeMux),
        (Expr::any_of(&failed), HwError::RtStreamZeroStep),
    ]);
    let own = m.wire("own_error", own);
    m.drive(&error_code, unit_error.reduce_or().mux(&unit_error, &own));
    if !held.is_empty() {
        m.assign_output("busy", Expr::any_of(&held));
    }
    m.finish()
}

/// What the demuxes drive: the outputs themselves, or the buffers before them. With the buffers' `busy`.
fn behind_outputs(m: &mut Module, pe: &SpatialPe, outputs: &[Channel]) -> (Vec<Channel>, Vec<Expr>) {
    if !pe.output_buffers {
        return (outputs.to_vec(), Vec::new());
    }
    let mut behind = Vec::new();
    let mut busy = Vec::new();
    for (q, (out, &ty)) in outputs.iter().zip(&pe.outputs).enumerate() {
        m.comment(&format!("Buffer of output {q}."));
        let inner = declare(m, &format!("q{q}"), ty);
        let module = leaf::elastic_buffer(ty.width, 0);
        let mut connections = vec![
            ("in_valid", inner.valid.clone()),
            ("in_ready", inner.ready.clone()),
            ("out_valid", out.valid.clone()),
            ("out_ready", out.ready.clone()),
        ];
        if ty.width > 0 {
            connections.push(("in_data", inner.data.clone()));
            connections.push(("out_data", out.data.clone()));
        }
        let buffer = m.instance(&format!("buffer{q}"), &module, &connections);
        busy.push(buffer.out("busy"));
        behind.push(inner);
    }
    (behind, busy)
}

fn declare(m: &mut Module, name: &str, ty: ChannelType) -> Channel {
    Channel {
        valid: m.declare(&format!("{name}_valid"), 1),
        ready: m.declare(&format!("{name}_ready"), 1),
        data: m.declare(&format!("{name}_data"), ty.width),
        tag: Expr::empty(),
    }
}

/// A mux beyond the ports, or two muxes on one port. A discarding input mux uses its port, a discarding demux none.
fn mux_errors(m: &mut Module, side: &str, muxes: &[Mux], ports: usize) -> Expr {
    let inputs = side == "in";
    let mut errors: Vec<Expr> = muxes
        .iter()
        .map(|mux| if inputs { mux.beyond.clone() } else { mux.beyond.and(&mux.discard.not()) })
        .collect();
    for p in 0..ports {
        let users: Vec<Expr> =
            muxes.iter().map(|mux| if inputs { mux.uses[p].clone() } else { mux.port[p].clone() }).collect();
        if users.len() > 1 {
            errors.push(m.wire(&format!("{side}{p}_twice"), two_of(&users)));
        }
    }
    Expr::any_of(&errors)
}
