//! What is left over and who waits for what, in words.

use super::net::Kind;
use super::run::{Trace, WaitingChannel};
use super::unit::{MachineKind, Plain, Steer, SteerKind};
use super::wire::{Wire, FIRST, W};
use super::NativeModel;
use loom_dfg::OpKind;

/// WaitingChannel channels beyond this many are only counted.
const MOST: usize = 100;

impl NativeModel {
    /// What components hold, and output tokens nobody expected.
    pub(super) fn leftover(&self, trace: &Trace, expected: &[usize]) -> Vec<String> {
        let mut lines = Vec::new();
        for (k, (tokens, &want)) in trace.outputs.iter().zip(expected).enumerate() {
            if tokens.len() > want {
                lines.push(format!("fabric output {k}: {} tokens instead of {want}", tokens.len()));
            }
        }
        for node in &self.net.nodes {
            if let Some(what) = node.holds() {
                lines.push(format!("`{}`: {what}", self.paths[node.component as usize]));
            }
        }
        lines
    }

    /// Channels with a token that does not move, with what their consumer waits for.
    pub(super) fn waiting(&self) -> Vec<WaitingChannel> {
        let wires = &self.net.wires;
        let mut consumer: Vec<Option<usize>> = vec![None; wires.len()];
        for (n, node) in self.net.nodes.iter().enumerate() {
            for w in node.ports().0 {
                consumer[w as usize] = Some(n);
            }
        }
        let mut list = Vec::new();
        for (c, (from, to)) in self.ends.iter().enumerate() {
            let wire = wires[FIRST as usize + c];
            if wire.valid && !wire.ready {
                let why = match consumer[FIRST as usize + c] {
                    Some(n) => self.why(&self.net.nodes[n].kind, (FIRST as usize + c) as W),
                    None => "nothing there takes tokens".to_string(),
                };
                list.push(WaitingChannel { from: from.clone(), to: to.clone(), why });
            }
        }
        if list.len() > MOST {
            let more = list.len() - MOST;
            list.truncate(MOST);
            list.push(WaitingChannel {
                from: format!("{more} more channels"),
                to: String::new(),
                why: String::new(),
            });
        }
        list
    }

    fn why(&self, kind: &Kind, at: W) -> String {
        let wires = &self.net.wires;
        let stopped = |unit: u32| self.net.shared.stopped[unit as usize];
        match kind {
            Kind::Watch(_) => "the switch has no route for this input".into(),
            Kind::Fork(n) if stopped(n.unit) => "the switch stopped on an error".into(),
            Kind::TagMap(n) if stopped(n.unit) => "the table stopped on an error".into(),
            Kind::LaneSwitch(n) if stopped(n.unit) => "the switch stopped on an error".into(),
            Kind::TagSwitch(n) if stopped(n.unit) => "the switch stopped on an error".into(),
            Kind::Fork(n) => {
                let full = n.outputs.iter().enumerate().filter(|&(o, _)| n.done >> o & 1 == 0);
                self.room(full.map(|(_, &w)| w))
            }
            Kind::Fifo(n) => format!("the buffer holds {} of {}", n.queue.len(), n.depth),
            Kind::Through(n) => self.room([n.output].into_iter()),
            Kind::TagMap(n) => self.room([n.output].into_iter()),
            Kind::LaneSwitch(n) => self.tokens_or_room(&n.inputs, &n.outputs, |i| format!("input {i}")),
            Kind::TagSwitch(n) => self.room(n.outputs.iter().copied()),
            Kind::Immediate(_) => "nothing there takes tokens".into(),
            Kind::Plain(n) => self.plain(n),
            Kind::Steer(n) => self.steer(n, at),
            Kind::Memory(n) if stopped(n.unit) => "the memory stopped on an error".into(),
            Kind::Memory(n) => {
                let [_, addresses, data] = &n.requests;
                let of_lane = |(&a, &d): (&W, &W)| (a == at).then_some(d).or((d == at).then_some(a));
                match addresses.iter().zip(data).find_map(of_lane) {
                    Some(_) if n.shape.tag > 0 => "the lane's queue is full".into(),
                    Some(other) if !wires[other as usize].valid => {
                        "a store's address and data wait for each other".into()
                    }
                    _ => "the memory owes as many answers as it can hold".into(),
                }
            }
            Kind::Machine(n) => {
                if stopped(n.unit) {
                    return "the stream stopped on a zero step".into();
                }
                let op = match n.kind {
                    MachineKind::Stream { counter, .. } => OpKind::Stream(counter),
                    MachineKind::Gate => OpKind::Gate,
                    MachineKind::Carry => OpKind::Carry,
                    MachineKind::Invariant => OpKind::Invariant,
                    MachineKind::CarryBr => OpKind::CarryBr,
                    MachineKind::InvariantBr => OpKind::InvariantBr,
                };
                let named = |i: usize| op.operand_name(i);
                let valid = |i: usize| wires[n.inputs[i] as usize].valid;
                // A carry or invariant in its first phase waits for `a`, in its loop for `d`, then for `b`.
                let needs: Option<usize> = match n.kind {
                    MachineKind::Carry | MachineKind::Invariant if !n.running => Some(1),
                    MachineKind::Carry | MachineKind::Invariant if !valid(0) => Some(0),
                    MachineKind::Carry => Some(2),
                    MachineKind::CarryBr | MachineKind::InvariantBr if !valid(0) => Some(0),
                    MachineKind::CarryBr => Some(if n.running { 2 } else { 1 }),
                    MachineKind::InvariantBr if !n.running => Some(1),
                    _ => None,
                };
                match needs {
                    Some(i) if !valid(i) => format!("`{op}` waits for `{}`", named(i)),
                    Some(_) => self.room(n.outputs.iter().copied()),
                    None => self.tokens_or_room(&n.inputs, &n.outputs, named),
                }
            }
        }
    }

    fn plain(&self, n: &Plain) -> String {
        if n.counter > 0 {
            return "the unit's interval is not over".into();
        }
        self.tokens_or_room(&n.inputs, &n.outputs, |i| n.numbers[i].to_string())
    }

    fn steer(&self, n: &Steer, at: W) -> String {
        if let SteerKind::Access = n.kind {
            let half: &[usize] = if n.inputs[1] == at { &[1] } else { &[0, 2] };
            let inputs: Vec<W> = half.iter().map(|&i| n.inputs[i]).collect();
            let output = n.outputs[usize::from(half.len() == 2)];
            return self.tokens_or_room(&inputs, &[output], |i| OpKind::Load.operand_name(half[i]));
        }
        let kind = match n.kind {
            SteerKind::Constant(_) => OpKind::Constant,
            SteerKind::Join(_) => OpKind::Join(n.inputs.len() as u8),
            SteerKind::CondBr => OpKind::CondBr,
            SteerKind::Mux => OpKind::Mux((n.inputs.len() - 1) as u8),
            SteerKind::Access => OpKind::Load,
        };
        let named = |i: usize| kind.operand_name(i);
        match n.kind {
            SteerKind::Mux => {
                let select = self.net.wires[n.inputs[0] as usize];
                let mine = n.inputs.iter().position(|&w| w == at).unwrap_or(0);
                if !select.valid {
                    "the mux waits for its selector".into()
                } else {
                    let last = n.inputs.len() - 2;
                    let k = 1 + usize::try_from(select.data & n.masks[0]).unwrap_or(usize::MAX).min(last);
                    if mine != 0 && mine != k {
                        format!("the selector chose `{}`", named(k))
                    } else {
                        self.tokens_or_room(&[n.inputs[0], n.inputs[k]], &n.outputs, |i| {
                            named(if i == 0 { 0 } else { k })
                        })
                    }
                }
            }
            SteerKind::Join(mask) => {
                let mine = n.inputs.iter().position(|&w| w == at).unwrap_or(0);
                if mask >> mine & 1 == 0 {
                    return "the join's mask leaves this input out".into();
                }
                let joined: Vec<W> =
                    (0..n.inputs.len()).filter(|i| mask >> i & 1 == 1).map(|i| n.inputs[i]).collect();
                self.tokens_or_room(&joined, &n.outputs, |i| format!("of the joined number {i}"))
            }
            _ => self.tokens_or_room(&n.inputs, &n.outputs, named),
        }
    }

    fn tokens_or_room(&self, inputs: &[W], outputs: &[W], named: impl Fn(usize) -> String) -> String {
        let missing: Vec<String> = inputs
            .iter()
            .enumerate()
            .filter(|(_, &w)| !self.net.wires[w as usize].valid)
            .map(|(i, _)| format!("`{}`", named(i)))
            .collect();
        if missing.is_empty() {
            self.room(outputs.iter().copied())
        } else {
            format!("no token at operand {}", missing.join(", "))
        }
    }

    fn room(&self, outputs: impl Iterator<Item = W>) -> String {
        let blocked = |&w: &W| {
            let wire: &Wire = &self.net.wires[w as usize];
            !wire.ready
        };
        let names: Vec<String> = outputs.filter(blocked).map(|w| self.to_name(w)).collect();
        if names.is_empty() {
            "it moves next".into()
        } else {
            format!("no room towards {}", names.join(", "))
        }
    }

    fn to_name(&self, w: W) -> String {
        match self.ends.get((w as usize).wrapping_sub(FIRST as usize)) {
            Some((_, to)) => to.clone(),
            None if w < FIRST => "an output that is not connected".into(),
            None => "the unit's output buffer".into(),
        }
    }
}
