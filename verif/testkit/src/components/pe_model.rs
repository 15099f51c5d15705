//! The PE as the contract has it (section 5).

use super::bench::{BenchToken, Config, ContractModel, Shown};
use super::unit_model::{UnitModel, UnitShown};
use loom_adg::layout::FieldKind;
use loom_adg::model::SpatialPe;
use loom_base::{choice_bits, truncate, Rng};
use loom_dfg::OpKind;
use std::collections::VecDeque;

/// A mux or demux as its bits stand.
#[derive(Clone, Copy, Debug)]
pub struct MuxBits {
    pub port: usize,
    pub discard: bool,
    pub disconnect: bool,
}

impl MuxBits {
    pub fn to(port: usize) -> MuxBits {
        MuxBits { port, discard: false, disconnect: false }
    }

    pub fn random(rng: &mut Rng, ports: usize) -> MuxBits {
        let port = rng.below(1 << choice_bits(ports));
        MuxBits { port, discard: rng.chance(20), disconnect: rng.chance(40) }
    }

    fn discards(self) -> bool {
        self.discard && !self.disconnect
    }

    fn connects(self) -> bool {
        !self.discard && !self.disconnect
    }
}

/// A PE's configuration.
#[derive(Clone, Debug)]
pub struct PeSetting {
    pub enable: bool,
    pub opcode: usize,
    pub ins: Vec<MuxBits>,
    pub outs: Vec<MuxBits>,
    pub region: u64,
    pub immediates: Vec<u64>,
}

impl PeSetting {
    /// Writes it to a slice.
    pub fn write(&self, config: &mut Config) {
        config.set(FieldKind::Enable, u64::from(self.enable));
        config.set(FieldKind::Opcode, self.opcode as u64);
        for (a, m) in self.ins.iter().enumerate() {
            config.set(FieldKind::InputSelect(a), m.port as u64);
            config.set(FieldKind::InputDiscard(a), u64::from(m.discard));
            config.set(FieldKind::InputDisconnect(a), u64::from(m.disconnect));
        }
        for (b, m) in self.outs.iter().enumerate() {
            config.set(FieldKind::OutputSelect(b), m.port as u64);
            config.set(FieldKind::OutputDiscard(b), u64::from(m.discard));
            config.set(FieldKind::OutputDisconnect(b), u64::from(m.disconnect));
        }
        for (i, bits) in self.immediates.iter().enumerate() {
            config.set(FieldKind::Immediate(i), *bits);
        }
        if let Some(field) = config.layout.field(FieldKind::Payload) {
            config.set_bits(field.low, field.width.min(64), truncate(self.region, field.width.min(64)));
        }
    }

    /// The smallest configuration error.
    pub fn error(&self, pe: &SpatialPe, index_width: u32) -> u16 {
        if !self.enable {
            return 0;
        }
        let mut codes = Vec::new();
        match pe.fus.get(self.opcode) {
            None => codes.push(17),
            Some(fu) => codes
                .extend(Some(UnitModel::new(fu, index_width, self.region).config_error()).filter(|&c| c > 0)),
        }
        let ins: Vec<usize> = self.ins.iter().filter(|m| !m.disconnect).map(|m| m.port).collect();
        let outs: Vec<usize> = self.outs.iter().filter(|m| m.connects()).map(|m| m.port).collect();
        for (used, ports) in [(ins, pe.input_choices()), (outs, pe.outputs.len())] {
            let twice = (0..used.len()).any(|k| used[..k].contains(&used[k]));
            if twice || used.iter().any(|&p| p >= ports) {
                codes.push(18);
            }
        }
        codes.into_iter().min().unwrap_or(0)
    }
}

/// A legally configured PE.
pub struct Pe {
    pe: SpatialPe,
    index_width: u32,
    setting: PeSetting,
    unit: Option<UnitModel>,
    buffers: Vec<VecDeque<u64>>,
}

impl Pe {
    pub fn new(pe: &SpatialPe, index_width: u32, setting: &PeSetting) -> Pe {
        assert_eq!(setting.error(pe, index_width), 0, "legal");
        let unit =
            setting.enable.then(|| UnitModel::new(&pe.fus[setting.opcode], index_width, setting.region));
        let buffers = vec![VecDeque::new(); pe.outputs.len()];
        Pe { pe: pe.clone(), index_width, setting: setting.clone(), unit, buffers }
    }

    /// Whether results of the active unit pass the buffers.
    fn is_buffered(&self) -> bool {
        self.pe.buffers(&self.pe.fus[self.setting.opcode])
    }

    /// What the unit sees: tokens at its inputs, room at its outputs.
    fn around(&self, offered: &[Option<BenchToken>], ready: &[bool]) -> (Vec<Option<u64>>, Vec<bool>) {
        let fu = &self.pe.fus[self.setting.opcode];
        // A mux has a token of a PE input.
        let token = |mux: &MuxBits| mux.connects() && offered.get(mux.port).is_some_and(Option::is_some);
        let is_access = matches!(fu.single_op(), Some(OpKind::Load | OpKind::Store));
        let waits = |a: usize| match is_access {
            // Address and control are one half, data the other, which has nothing to wait with.
            true => a != 1 && [0, 2].iter().any(|&b| token(&self.setting.ins[b])),
            false => self.setting.ins.iter().any(token),
        };
        let inputs = (fu.inputs.iter().zip(&self.setting.ins).enumerate())
            .map(|(a, (ty, mux))| {
                let there = match mux.port.checked_sub(offered.len()) {
                    Some(immediate) => waits(a).then(|| self.setting.immediates[immediate]),
                    None => offered[mux.port].map(|token| token.data),
                };
                Some(truncate(there.filter(|_| mux.connects())?, ty.width(self.index_width)))
            })
            .collect();
        let room = (self.setting.outs.iter().take(fu.results.len()))
            .map(|mux| {
                let free = |q: usize| if self.is_buffered() { self.buffers[q].len() < 2 } else { ready[q] };
                mux.discards() || mux.connects() && free(mux.port)
            })
            .collect();
        (inputs, room)
    }

    /// By PE output: what a demux sends there.
    fn sent(&self, shown: &UnitShown) -> Vec<Option<u64>> {
        let mut sent = vec![None; self.pe.outputs.len()];
        for (mux, out) in self.setting.outs.iter().zip(&shown.out) {
            if mux.connects() {
                sent[mux.port] = out.map(|data| truncate(data, self.pe.outputs[mux.port].width));
            }
        }
        sent
    }
}

impl ContractModel for Pe {
    fn show(&self, offered: &[Option<BenchToken>], ready: &[bool]) -> Shown {
        let fronts = || self.buffers.iter().map(|b| b.front().copied()).collect();
        let token = |data: Option<u64>| data.map(|data| BenchToken { data, tag: 0 });
        let mut in_ready = vec![false; offered.len()];
        let Some(unit) = &self.unit else {
            let out = vec![None; self.pe.outputs.len()];
            return Shown { out, ready: in_ready, error: 0, busy: false };
        };
        let (inputs, room) = self.around(offered, ready);
        let shown = unit.show(&inputs, &room);
        for (a, mux) in self.setting.ins.iter().enumerate() {
            let taken = mux.discards() || mux.connects() && shown.ready.get(a).copied().unwrap_or(false);
            if !mux.disconnect && mux.port < in_ready.len() {
                in_ready[mux.port] |= taken;
            }
        }
        let out: Vec<Option<u64>> = if self.is_buffered() { fronts() } else { self.sent(&shown) };
        Shown {
            out: out.into_iter().map(token).collect(),
            ready: in_ready,
            error: if unit.failed() { 259 } else { 0 },
            busy: unit.busy() || self.buffers.iter().any(|b| !b.is_empty()),
        }
    }

    fn edge(&mut self, offered: &[Option<BenchToken>], ready: &[bool], shown: &Shown) {
        if self.unit.is_none() {
            return;
        }
        let (inputs, room) = self.around(offered, ready);
        let unit = self.unit.as_mut().expect("enabled");
        let pushed = unit.show(&inputs, &room);
        unit.edge(&inputs, &room);
        if self.is_buffered() {
            let sent = self.sent(&pushed);
            for (q, buffer) in self.buffers.iter_mut().enumerate() {
                let room = buffer.len() < 2;
                if shown.out[q].is_some() && ready[q] {
                    buffer.pop_front();
                }
                buffer.extend(sent[q].filter(|_| room));
            }
        }
    }
}
