//! `spatial_pe`: input muxes, function units of which one is active, output demuxes, output buffers.

use super::fu::unit_name;
use super::{
    first_error, function_unit, is_choice, out_of_range, shape_hash, shared_units, two_of, unused_above,
    width_name, Config,
};
use crate::ir::{Expr, Module};
use crate::leaf;
use crate::{Channel, Pins};
use loom_adg::layout::{payload, FieldKind, PayloadKind};
use loom_adg::model::{Component, FunctionUnit, SpatialPe};
use loom_adg::HwError;
use loom_dfg::OpKind;
use std::sync::Arc;

/// One mux or demux: its decoded configuration.
struct Mux {
    /// By port: connected to it.
    port: Vec<Expr>,
    /// By port: connected to it, or discards its tokens. Empty for a demux, which uses no port that it discards to.
    uses: Vec<Expr>,
    /// Discards and is not disconnected.
    discard: Expr,
    /// Selects a port that is not there.
    beyond: Expr,
}

/// `shared`: how many of the first ports are asked for who uses them.
fn mux(
    m: &mut Module,
    config: &Config,
    side: &str,
    at: usize,
    ports: usize,
    shared: usize,
    kinds: [FieldKind; 3],
) -> Mux {
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
        if p < shared {
            uses.push(m.wire(&format!("{side}_mux{at}_uses{p}"), disconnect.not().and(&is)));
        }
    }
    Mux { port, uses, discard: discards, beyond: disconnect.not().and(&out_of_range(&select, ports)) }
}

/// A PE. Ports: channels `in<i>`, `out<o>`; `cfg`; `error_code`; `busy`.
pub fn spatial_pe(pe: &SpatialPe, index_width: u32) -> Arc<Module> {
    let mut m = Module::new(name(pe, index_width));
    let inputs = Channel::inputs(&mut m, "in", &pe.inputs);
    let outputs = Channel::outputs(&mut m, "out", &pe.outputs);
    let config = Config::new(&mut m, &Component::SpatialPe(pe.clone()), index_width);
    let error_code = m.output("error_code", 16);
    let settings = Settings::read(&mut m, pe, &config);
    let mut pe = Pe { m, pe, index_width, inputs, outputs, settings };
    let operands = pe.input_muxes();
    let (ways, buffers) = pe.ways_out();
    let room: Vec<Vec<Expr>> = ways.iter().map(|way| pe.room(way)).collect();
    let mut units = pe.units(&operands, &ways, &room);
    pe.take(&units.ready);
    ways.iter().for_each(|way| pe.offer(way, &units.results));
    let errors = pe.errors(&units, &error_code);
    document(&mut pe.m, pe.pe, index_width, &errors);
    units.held.splice(0..0, buffers);
    if !units.held.is_empty() {
        pe.m.assign_output("busy", Expr::any_of(&units.held));
    }
    pe.m.finish()
}

/// Longest name that lists a PE's units.
const LONGEST_NAME: usize = 72;

/// `loom_spatial_pe_2x1_w32_addi_cmpi_w32_1` by its units where ports are alike and that is short, else a hash of all.
fn name(pe: &SpatialPe, index_width: u32) -> String {
    let front = format!("loom_spatial_pe_{}x{}", pe.inputs.len(), pe.outputs.len());
    let ports = width_name(pe.inputs.iter().chain(&pe.outputs).copied());
    let buffered = if pe.is_buffered() { "_buffered" } else { "" };
    let immediates = if pe.immediates > 0 { format!("_imm{}", pe.immediates) } else { String::new() };
    let units = pe.fus.iter().map(|fu| {
        let unit = unit_name(fu, index_width);
        unit.strip_suffix(&format!("_{ports}")).map_or(unit.clone(), str::to_string)
    });
    let named = format!("{front}_{ports}_{}{buffered}", units.collect::<Vec<_>>().join("_"));
    let named = named + &immediates;
    if named.len() <= LONGEST_NAME && ports != "mixed" {
        named
    } else {
        format!("{front}_fu{}_{}", pe.fus.len(), shape_hash(&(pe, index_width)))
    }
}

fn document(m: &mut Module, pe: &SpatialPe, index_width: u32, errors: &[HwError]) {
    let unit = |(f, fu): (usize, &FunctionUnit)| format!("  {f}: {}", unit_name(fu, index_width));
    let units: Vec<String> = pe.fus.iter().enumerate().map(unit).collect();
    let errors: Vec<String> = errors.iter().map(|e| format!("{} ({})", e.name(), e.code())).collect();
    let errors =
        if errors.is_empty() { "Errors: none.".into() } else { format!("Errors: {}.", errors.join(", ")) };
    m.doc(&format!(
        "Spatial PE: one of {} function units is active, chosen by the opcode; any input may feed any of its\n\
         inputs, any of its outputs may leave by any output. A discarded token is taken and dropped.\n{}{}\n\
         Guarantees: disabled, it takes and offers nothing; ready never reaches valid.\n{errors}\n\
         Units, by opcode:\n{}",
        pe.fus.len(),
        match pe.immediates {
            0 => String::new(),
            n => format!("Choices {} and up of an input mux are the {n} immediates.\n", pe.inputs.len()),
        },
        match (pe.is_buffered(), pe.has_buffers()) {
            (true, _) => "Every output has a two-entry buffer, which cuts valid, data and ready.",
            (_, true) => {
                "State machines have two-entry buffers behind them, which cut valid, data and ready; other units pass these\n\
                 by, and outputs are combinational where such a unit is."
            }
            (_, false) => "Outputs are combinational where the active unit is.",
        },
        units.join("\n"),
    ));
}

/// The configuration, decoded.
struct Settings {
    enable: Expr,
    opcode: Expr,
    in_muxes: Vec<Mux>,
    out_muxes: Vec<Mux>,
    payload: Expr,
    immediates: Vec<Expr>,
    /// By unit: chosen and enabled.
    active: Vec<Expr>,
}

impl Settings {
    fn read(m: &mut Module, pe: &SpatialPe, config: &Config) -> Settings {
        m.comment("Configuration.");
        let enable = config.field(m, "enable", FieldKind::Enable);
        let opcode = config.field(m, "opcode", FieldKind::Opcode);
        let in_muxes = (0..pe.input_muxes())
            .map(|a| {
                let kinds =
                    [FieldKind::InputSelect(a), FieldKind::InputDiscard(a), FieldKind::InputDisconnect(a)];
                // Immediates are taken from nobody: they only may not be used twice.
                let shared = if pe.input_muxes() > 1 { pe.input_choices() } else { pe.inputs.len() };
                mux(m, config, "in", a, pe.input_choices(), shared, kinds)
            })
            .collect();
        let out_muxes = (0..pe.output_demuxes())
            .map(|b| {
                let kinds =
                    [FieldKind::OutputSelect(b), FieldKind::OutputDiscard(b), FieldKind::OutputDisconnect(b)];
                mux(m, config, "out", b, pe.outputs.len(), 0, kinds)
            })
            .collect();
        let payload = config.field(m, "payload", FieldKind::Payload);
        let immediates = (0..pe.immediates)
            .map(|i| config.field(m, &format!("immediate{i}"), FieldKind::Immediate(i)))
            .collect();
        let active = (0..pe.fus.len())
            .map(|f| m.wire(&format!("active{f}"), enable.and(&is_choice(&opcode, f))))
            .collect();
        Settings { enable, opcode, in_muxes, out_muxes, payload, immediates, active }
    }
}

/// What an input mux hands to the units.
struct Operand {
    /// A token waits at the PE input that it selects.
    token: Expr,
    /// It selects an immediate.
    constant: Expr,
    valid: Expr,
    data: Expr,
}

/// What demuxes drive: the outputs, or the buffers before them. Units whose results pass buffers and others have ways of their own,
/// since those look at the room there is before they offer anything: no ready of an output may reach its valid.
struct Way {
    buffered: bool,
    /// What its signals are called after.
    name: &'static str,
    behind: Vec<Channel>,
}

/// An output of a unit, and whether the unit is active.
struct Offer {
    buffered: bool,
    active: Expr,
    valid: Expr,
    data: Expr,
}

/// What the function units give.
#[derive(Default)]
struct Units {
    /// By input mux: ready of each unit that has the operand.
    ready: Vec<Vec<Expr>>,
    /// By output demux: what each unit that has the result offers.
    results: Vec<Vec<Offer>>,
    held: Vec<Expr>,
    /// Run-time errors.
    failed: Vec<Expr>,
    /// Errors of a payload, with the unit that must be active.
    refused: Vec<(Expr, Expr)>,
}

/// A PE under construction.
struct Pe<'a> {
    m: Module,
    pe: &'a SpatialPe,
    index_width: u32,
    inputs: Vec<Channel>,
    outputs: Vec<Channel>,
    settings: Settings,
}

impl Pe<'_> {
    /// Bits of an input mux: those of the widest operand there.
    fn in_width(&self, a: usize) -> u32 {
        let types = self.pe.fus.iter().filter_map(|f| f.inputs.get(a));
        types.map(|t| t.width(self.index_width)).max().unwrap_or(0)
    }

    /// Bits of an output demux.
    fn out_width(&self, b: usize) -> u32 {
        let types = self.pe.fus.iter().filter_map(|f| f.output_types().get(b).copied());
        types.map(|t| t.width(self.index_width)).max().unwrap_or(0)
    }

    fn input_muxes(&mut self) -> Vec<Operand> {
        let mut operands = Vec::new();
        let mut widest = 0;
        let tokens = self.tokens();
        // Where all units with an operand are accesses, no token at another operand will do.
        let muxes = tokens.len();
        let any_will_do = |a: usize| {
            let mut fus = self.pe.fus.iter().filter(|fu| a < fu.inputs.len());
            self.pe.immediates == 0 || fus.any(|fu| fu.taken_with(a, muxes).len() == muxes)
        };
        let plain: Vec<bool> = (0..muxes).map(any_will_do).collect();
        let mut waits = Expr::any_of(&tokens);
        if self.pe.immediates > 0 && plain.contains(&true) {
            waits = self.m.wire("token_waits", waits);
        }
        for (a, (mux, token)) in self.settings.in_muxes.iter().zip(tokens).enumerate() {
            let width = self.in_width(a);
            widest = widest.max(width);
            self.m.comment(&format!("Input mux {a}."));
            // An immediate is there while a token waits, and taking it changes nothing.
            let constant = Expr::any_of(&mux.port[self.inputs.len()..]);
            let mut valid = token.or(&constant.and(&waits));
            if plain[a] {
                valid = self.m.wire(&format!("mux{a}_valid"), valid);
            }
            let data = self.inputs.iter().map(|c| &c.data).chain(&self.settings.immediates);
            let choices: Vec<(Expr, Expr)> =
                data.zip(&mux.port).map(|(data, p)| (p.clone(), data.resize(width))).collect();
            let data = self.m.wire(&format!("mux{a}_data"), Expr::onehot_mux(width, &choices));
            operands.push(Operand { token, constant, valid, data });
        }
        for c in &self.inputs {
            unused_above(&mut self.m, &c.data, widest);
        }
        operands
    }

    /// By input mux: a token waits at the PE input that it selects.
    fn tokens(&mut self) -> Vec<Expr> {
        let mut tokens = Vec::new();
        for (a, mux) in self.settings.in_muxes.iter().enumerate() {
            let offers: Vec<Expr> = self.inputs.iter().zip(&mux.port).map(|(c, p)| c.valid.and(p)).collect();
            let token = Expr::any_of(&offers);
            let named = self.pe.immediates > 0;
            tokens.push(if named { self.m.wire(&format!("mux{a}_token"), token) } else { token });
        }
        tokens
    }

    /// Whether a unit sees operand `a`: an immediate is there with the tokens that are taken with it.
    fn valid(&self, fu: &FunctionUnit, a: usize, operands: &[Operand]) -> Expr {
        let (all, with) = (operands.len(), fu.taken_with(a, operands.len()));
        if with.len() == all || self.pe.immediates == 0 {
            return operands[a].valid.clone();
        }
        let tokens: Vec<Expr> = with.iter().map(|&b| operands[b].token.clone()).collect();
        operands[a].token.or(&operands[a].constant.and(&Expr::any_of(&tokens)))
    }

    /// Room behind each demux that units of a way have.
    fn room(&mut self, way: &Way) -> Vec<Expr> {
        let most = self.results(way);
        let mut rooms = Vec::new();
        for (b, mux) in self.settings.out_muxes.iter().enumerate().take(most) {
            let ready: Vec<Expr> = way.behind.iter().zip(&mux.port).map(|(c, p)| c.ready.and(p)).collect();
            let name = format!("demux{b}{}_ready", way.name);
            rooms.push(self.m.wire(&name, mux.discard.or(&Expr::any_of(&ready))));
        }
        rooms
    }

    /// Most results of any unit of a way.
    fn results(&self, way: &Way) -> usize {
        let fus = self.pe.fus.iter().filter(|fu| self.pe.buffers(fu) == way.buffered);
        fus.map(|fu| fu.results.len()).max().unwrap_or(0)
    }

    /// The function units; one that is not active sees no token.
    fn units(&mut self, operands: &[Operand], ways: &[Way], room: &[Vec<Expr>]) -> Units {
        let mut units = Units::default();
        units.ready.resize_with(operands.len(), Vec::new);
        units.results.resize_with(self.pe.output_demuxes(), Vec::new);
        let mut used_payload = 0;
        for group in self.pe.shared_units(self.index_width) {
            let fus: Vec<&FunctionUnit> = group.units.iter().map(|&f| &self.pe.fus[f]).collect();
            let module = match group.resource {
                Some(resource) => shared_units(resource, &fus, self.index_width),
                None => function_unit(fus[0], self.index_width),
            };
            let (active, mut pins) = self.activate(&group.units);
            for (a, operand) in operands.iter().enumerate() {
                let Some(width) = module.port(&format!("in{a}_data")).map(|p| p.width) else { continue };
                pins.pin(format!("in{a}_valid"), self.valid(fus[0], a, operands).and(&active));
                pins.pin(format!("in{a}_data"), operand.data.resize(width));
            }
            let buffered = self.pe.buffers(fus[0]);
            let rooms = ways.iter().zip(room).filter(|(way, _)| way.buffered == buffered).flat_map(|w| w.1);
            for (b, (_, room)) in fus[0].results.iter().zip(rooms).enumerate() {
                pins.pin(format!("out{b}_ready"), room.clone());
            }
            if let Some(port) = module.port("payload").filter(|p| p.width > 0) {
                used_payload = used_payload.max(port.width);
                pins.pin("payload", self.settings.payload.slice(0, port.width));
            }
            let unit = self.m.instance(&format!("fu{}", group.units[0]), &module, &pins);
            let has = |name: &str| module.port(name).is_some();
            for (a, row) in units.ready.iter_mut().enumerate().filter(|(a, _)| has(&format!("in{a}_ready"))) {
                row.push(unit.out(&format!("in{a}_ready")));
            }
            for b in 0..fus[0].results.len() {
                units.results[b].push(Offer {
                    buffered,
                    active: active.clone(),
                    valid: unit.out(&format!("out{b}_valid")),
                    data: unit.out(&format!("out{b}_data")).resize(self.out_width(b)),
                });
            }
            if has("busy") {
                units.held.push(unit.out("busy"));
            }
            if has("error") {
                units.failed.push(unit.out("error"));
            }
            if has("config_error") {
                units.refused.push((active, unit.out("config_error")));
            }
        }
        debug_assert_eq!(used_payload, self.settings.payload.width());
        units
    }

    /// Says which units come next. Gives whether one of them is active; where they share hardware it gets to know which.
    fn activate(&mut self, units: &[usize]) -> (Expr, Pins) {
        let mut pins = Pins::new();
        for &f in units {
            self.m.comment(&format!("Unit {f}: {}.", unit_name(&self.pe.fus[f], self.index_width)));
        }
        let active: Vec<Expr> = units.iter().map(|&f| self.settings.active[f].clone()).collect();
        if let [active] = active.as_slice() {
            return (active.clone(), pins);
        }
        pins.pin("active", Expr::concat(&active.iter().rev().cloned().collect::<Vec<_>>()));
        let any = self.m.wire(&format!("active_in_fu{}", units[0]), Expr::any_of(&active));
        (any, pins)
    }

    /// An input's token is taken by the mux that selects it.
    fn take(&mut self, ready: &[Vec<Expr>]) {
        self.m.comment("Inputs: taken by the mux that selects them.");
        let mut mux_ready = Vec::new();
        for (a, row) in ready.iter().enumerate() {
            mux_ready.push(self.m.wire(&format!("mux{a}_ready"), Expr::any_of(row)));
        }
        for (p, input) in self.inputs.iter().enumerate() {
            let mut taken = Vec::new();
            for (mux, ready) in self.settings.in_muxes.iter().zip(&mux_ready) {
                taken.push(mux.port[p].and(ready));
                taken.push(mux.uses[p].and(&mux.discard));
            }
            self.m.drive(&input.ready, self.settings.enable.and(&Expr::any_of(&taken)));
        }
    }

    /// What the active unit offers, if it is one of this way, at the outputs its demuxes select.
    fn offer(&mut self, way: &Way, results: &[Vec<Offer>]) {
        let (behind, name) = (&way.behind, way.name);
        let widest = behind.iter().map(|c| c.data.width()).max().unwrap_or(0);
        let mut demuxes = Vec::new();
        for (b, row) in results.iter().enumerate().take(self.results(way)) {
            let width = self.out_width(b);
            self.m.comment(&format!("Output demux {b}."));
            let row = || row.iter().filter(|o| o.buffered == way.buffered);
            let valid: Vec<Expr> = row().map(|o| o.valid.clone()).collect();
            let valid = self.m.wire(&format!("demux{b}{name}_valid"), Expr::any_of(&valid));
            let choices: Vec<(Expr, Expr)> = row().map(|o| (o.active.clone(), o.data.clone())).collect();
            let data = self.m.wire(&format!("demux{b}{name}_data"), Expr::onehot_mux(width, &choices));
            demuxes.push((valid, data));
        }
        for (_, data) in &demuxes {
            unused_above(&mut self.m, data, widest);
        }
        for (q, out) in behind.iter().enumerate() {
            let muxes = || self.settings.out_muxes.iter().map(|mux| &mux.port[q]).zip(&demuxes);
            let valid: Vec<Expr> = muxes().map(|(p, (valid, _))| p.and(valid)).collect();
            self.m.drive(&out.valid, Expr::any_of(&valid));
            let width = out.data.width();
            let choices: Vec<(Expr, Expr)> =
                muxes().map(|(p, (_, data))| (p.clone(), data.resize(width))).collect();
            self.m.drive(&out.data, Expr::onehot_mux(width, &choices));
        }
    }

    /// Gives `error_code` its value, and those errors that this PE can have.
    fn errors(&mut self, units: &Units, error_code: &Expr) -> Vec<HwError> {
        self.m.comment("Errors: static ones while enabled, and a stream's zero step.");
        let Settings { enable, opcode, in_muxes, out_muxes, .. } = &self.settings;
        let wrong_in = mux_errors(&mut self.m, "in", in_muxes, self.pe.input_choices());
        let wrong = wrong_in.or(&mux_errors(&mut self.m, "out", out_muxes, self.outputs.len()));
        let beyond = out_of_range(opcode, self.pe.fus.len());
        let unit_error = self.m.wire("unit_error", Expr::onehot_mux(16, &units.refused));
        let own = [
            (enable.and(&beyond), HwError::CfgPeOpcode),
            (enable.and(&wrong), HwError::CfgPeMux),
            (Expr::any_of(&units.failed), HwError::RtStreamZeroStep),
        ];
        let own_error = self.m.wire("own_error", first_error(&own));
        self.m.drive(error_code, unit_error.reduce_or().mux(&unit_error, &own_error));
        let mut possible: Vec<HwError> =
            own.iter().filter(|(e, _)| e.as_const().is_none()).map(|o| o.1).collect();
        let ops = || self.pe.fus.iter().flat_map(|fu| &fu.body).map(|op| op.kind);
        if ops().any(|kind| matches!(kind.op(), Some(OpKind::Stream(_)))) {
            possible.push(HwError::CfgStreamContCondOneHot);
        }
        if ops().any(|kind| kind == OpKind::Cmpi) {
            possible.push(HwError::CfgCmpiPredicate);
        }
        let selects = |fu| payload(fu, self.index_width).into_iter().map(|p| p.kind);
        if self
            .pe
            .fus
            .iter()
            .flat_map(selects)
            .any(|kind| matches!(kind, PayloadKind::Select(n) if !n.is_power_of_two()))
        {
            possible.push(HwError::CfgPeMux);
        }
        possible.sort();
        possible.dedup();
        possible
    }

    /// The ways to the outputs, and the buffers' `busy`.
    fn ways_out(&mut self) -> (Vec<Way>, Vec<Expr>) {
        let outputs = self.outputs.clone();
        if !self.pe.has_buffers() {
            return (vec![Way { buffered: false, name: "", behind: outputs }], Vec::new());
        }
        let first = (!self.pe.is_buffered()).then(|| {
            let fus = self.pe.fus.iter().zip(&self.settings.active).filter(|(fu, _)| self.pe.buffers(fu));
            let active: Vec<Expr> = fus.map(|(_, active)| active.clone()).collect();
            self.m.comment("A state machine is active: what leaves comes out of the buffers.");
            self.m.wire("held", Expr::any_of(&active))
        });
        let mut held = Way { buffered: true, name: "", behind: Vec::new() };
        let mut direct = Way { buffered: false, name: "", behind: Vec::new() };
        let mut busy = Vec::new();
        for (q, (out, &ty)) in outputs.iter().zip(&self.pe.outputs).enumerate() {
            self.m.comment(&format!("Buffer of output {q}."));
            let into = Channel::declare(&mut self.m, &format!("q{q}"), ty);
            let mut from = out.clone();
            if let Some(first) = &first {
                from = Channel::declare(&mut self.m, &format!("held{q}"), ty);
                let past = Channel::declare(&mut self.m, &format!("past{q}"), ty);
                choose(&mut self.m, first, [&from, &past], out);
                direct.behind.push(past);
            }
            let mut pins = Pins::new();
            pins.channel("in", &into).channel("out", &from);
            let buffer = self.m.instance(&format!("buffer{q}"), &leaf::elastic_buffer(ty.width, 0), &pins);
            busy.push(buffer.out("busy"));
            held.behind.push(into);
        }
        match first {
            None => (vec![held], busy),
            Some(_) => (vec![direct, Way { name: "_held", ..held }], busy),
        }
    }
}

/// An output is the first of two channels where `first` is one, else the second.
fn choose(m: &mut Module, first: &Expr, channels: [&Channel; 2], out: &Channel) {
    let [a, b] = channels;
    for channel in channels {
        m.drive(&channel.ready, out.ready.clone());
    }
    m.drive(&out.valid, first.mux(&a.valid, &b.valid));
    m.drive(&out.data, first.mux(&a.data, &b.data));
}

/// A mux beyond the ports, or two muxes on one port. A discarding input mux uses its port, a discarding demux none.
fn mux_errors(m: &mut Module, side: &str, muxes: &[Mux], ports: usize) -> Expr {
    let inputs = side == "in";
    let mut errors: Vec<Expr> = muxes
        .iter()
        .map(|mux| if inputs { mux.beyond.clone() } else { mux.beyond.and(&mux.discard.not()) })
        .collect();
    for p in (0..ports).filter(|_| muxes.len() > 1) {
        let users: Vec<Expr> =
            muxes.iter().map(|mux| if inputs { mux.uses[p].clone() } else { mux.port[p].clone() }).collect();
        errors.push(m.wire(&format!("{side}{p}_twice"), two_of(&users)));
    }
    Expr::any_of(&errors)
}
