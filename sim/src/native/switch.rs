//! Switches, buffers and tag components (contract sections 1 to 4).

use super::wire::{first_from, put, Shared, Wire, W};
use loom_adg::HwError;
use std::collections::VecDeque;

/// A spatial switch splits into one eager fork for each input that goes somewhere.
#[derive(Clone, Debug)]
pub(super) struct Fork {
    pub input: W,
    pub outputs: Box<[W]>,
    /// `done_q` by output.
    pub done: u32,
    pub unit: u32,
}

impl Fork {
    #[inline]
    pub fn valid(&self, wires: &mut [Wire]) {
        let Wire { valid, data, tag, .. } = wires[self.input as usize];
        for (o, &to) in self.outputs.iter().enumerate() {
            put(wires, to, valid && self.done >> o & 1 == 0, data, tag);
        }
    }

    #[inline]
    pub fn ready(&self, wires: &mut [Wire], shared: &Shared) {
        let taken = self
            .outputs
            .iter()
            .enumerate()
            .all(|(o, &to)| self.done >> o & 1 == 1 || wires[to as usize].ready);
        wires[self.input as usize].ready = taken && !shared.stopped[self.unit as usize];
    }

    #[inline]
    pub fn clock(&mut self, wires: &[Wire], shared: &mut Shared) {
        let input = wires[self.input as usize];
        if !input.valid {
            return;
        }
        let mut done = self.done;
        for (o, &to) in self.outputs.iter().enumerate() {
            done |= u32::from(wires[to as usize].moves()) << o;
        }
        shared.changed |= done != self.done || input.ready;
        self.done = if input.ready { 0 } else { done };
    }
}

/// An input that leads nowhere: a token there is an error.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pub input: W,
    pub unit: u32,
}

impl Watch {
    pub fn clock(&mut self, wires: &[Wire], shared: &mut Shared) {
        if wires[self.input as usize].valid {
            shared.raise(HwError::RtSwitchUnroutedInput, self.unit);
        }
    }
}

/// A FIFO, or an elastic buffer of depth 2.
#[derive(Clone, Debug)]
pub(super) struct Fifo {
    pub input: W,
    pub output: W,
    pub depth: usize,
    /// Whether a token that meets it empty is offered within the cycle.
    pub falls: bool,
    pub queue: VecDeque<(u64, u32)>,
}

impl Fifo {
    #[inline]
    pub fn valid(&self, wires: &mut [Wire]) {
        let input = wires[self.input as usize];
        let falls = self.falls && self.queue.is_empty();
        let (data, tag) = match falls {
            true => (input.data, input.tag),
            false => self.queue.front().copied().unwrap_or_default(),
        };
        put(wires, self.output, !self.queue.is_empty() || (falls && input.valid), data, tag);
        wires[self.input as usize].ready = self.queue.len() < self.depth;
    }

    #[inline]
    pub fn clock(&mut self, wires: &[Wire], shared: &mut Shared) {
        let taken = wires[self.output as usize].ready;
        let passes = self.falls && self.queue.is_empty() && taken;
        if taken && !self.queue.is_empty() {
            self.queue.pop_front();
            shared.changed = true;
        }
        let input = wires[self.input as usize];
        if input.moves() && !passes {
            self.queue.push_back((input.data, input.tag));
            shared.changed = true;
        }
    }
}

/// A wire: a bypassed FIFO, `del_tag`, or `add_tag` with its tag.
#[derive(Clone, Debug)]
pub(super) struct Through {
    pub input: W,
    pub output: W,
    pub tag: Option<u32>,
}

impl Through {
    pub fn valid(&self, wires: &mut [Wire]) {
        let input = wires[self.input as usize];
        put(wires, self.output, input.valid, input.data, self.tag.unwrap_or(input.tag));
    }

    pub fn ready(&self, wires: &mut [Wire]) {
        wires[self.input as usize].ready = wires[self.output as usize].ready;
    }
}

/// `map_tag` with its valid entries.
#[derive(Clone, Debug)]
pub(super) struct TagMap {
    pub input: W,
    pub output: W,
    pub entries: Vec<(u32, u32)>,
    pub unit: u32,
}

impl TagMap {
    fn target(&self, tag: u32) -> Option<u32> {
        self.entries.iter().find(|e| e.0 == tag).map(|e| e.1)
    }

    pub fn valid(&self, wires: &mut [Wire]) {
        let input = wires[self.input as usize];
        let target = self.target(input.tag);
        put(wires, self.output, input.valid && target.is_some(), input.data, target.unwrap_or(0));
    }

    pub fn ready(&self, wires: &mut [Wire], shared: &Shared) {
        let hit = self.target(wires[self.input as usize].tag).is_some();
        wires[self.input as usize].ready =
            wires[self.output as usize].ready && hit && !shared.stopped[self.unit as usize];
    }

    pub fn clock(&mut self, wires: &[Wire], shared: &mut Shared) {
        let input = wires[self.input as usize];
        if input.valid && self.target(input.tag).is_none() {
            shared.raise(HwError::RtMapTagNoMatch, self.unit);
        }
    }
}

/// A decomposable spatial switch.
#[derive(Clone, Debug)]
pub(super) struct LaneSwitch {
    pub inputs: Vec<W>,
    pub outputs: Vec<W>,
    /// Lane width, at most 64.
    pub lane: u32,
    /// By output, by lane: the input and its lane.
    pub sources: Vec<Vec<Option<(usize, u32)>>>,
    /// S(o) as a mask of inputs.
    pub joined: Vec<u32>,
    /// `done_q` by output as a mask of inputs.
    pub done: Vec<u32>,
    pub unit: u32,
}

impl LaneSwitch {
    pub fn valid(&self, o: usize, wires: &mut [Wire]) {
        let all =
            bits(self.joined[o]).all(|i| wires[self.inputs[i] as usize].valid && self.done[o] >> i & 1 == 0);
        let mut data = 0;
        for (at, source) in self.sources[o].iter().enumerate() {
            if let Some((i, lane)) = *source {
                let value = wires[self.inputs[i] as usize].data >> (lane * self.lane);
                data |= loom_base::truncate(value, self.lane) << (at as u32 * self.lane);
            }
        }
        put(wires, self.outputs[o], all && self.joined[o] != 0, data, 0);
    }

    pub fn ready(&self, i: usize, wires: &mut [Wire], shared: &Shared) {
        let mut used = false;
        let mut all = true;
        for o in (0..self.outputs.len()).filter(|&o| self.joined[o] >> i & 1 == 1) {
            used = true;
            all &= self.done[o] >> i & 1 == 1 || wires[self.outputs[o] as usize].moves();
        }
        wires[self.inputs[i] as usize].ready = used && all && !shared.stopped[self.unit as usize];
    }

    pub fn clock(&mut self, wires: &[Wire], shared: &mut Shared) {
        let leaving = self
            .inputs
            .iter()
            .enumerate()
            .fold(0u32, |m, (i, &w)| m | u32::from(wires[w as usize].moves()) << i);
        for (o, done) in self.done.iter_mut().enumerate() {
            let fired = if wires[self.outputs[o] as usize].moves() { self.joined[o] } else { 0 };
            shared.changed |= fired != 0;
            *done = (*done | fired) & !leaving;
        }
        shared.changed |= leaving != 0;
        let used = self.joined.iter().fold(0, |m, s| m | s);
        for (i, &w) in self.inputs.iter().enumerate() {
            if used >> i & 1 == 0 && wires[w as usize].valid {
                shared.raise(HwError::RtSwitchUnroutedInput, self.unit);
            }
        }
    }
}

/// One valid slot of a temporal switch.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub tag: u32,
    /// By output: the inputs routed to it, at most one.
    pub routes: Vec<u32>,
}

/// A temporal switch.
#[derive(Clone, Debug)]
pub(super) struct TagSwitch {
    pub inputs: Vec<W>,
    pub outputs: Vec<W>,
    /// Valid slots, ascending.
    pub slots: Vec<Slot>,
    /// `done_q` by output as a mask of inputs.
    pub done: Vec<u32>,
    /// `pointer_q` by output.
    pub pointer: Vec<usize>,
    /// `lock_q` by output.
    pub lock: Vec<bool>,
    /// grant(o) in this cycle.
    pub grant: Vec<usize>,
    pub unit: u32,
}

impl TagSwitch {
    fn hit(&self, input: Wire) -> Option<&Slot> {
        self.slots.iter().find(|s| s.tag == input.tag)
    }

    fn wants(&self, o: usize, i: usize, wires: &[Wire]) -> bool {
        let input = wires[self.inputs[i] as usize];
        input.valid && self.hit(input).is_some_and(|s| s.routes[o] >> i & 1 == 1)
    }

    pub fn valid(&mut self, o: usize, wires: &mut [Wire]) {
        let n = self.inputs.len();
        let request = |i: usize| self.done[o] >> i & 1 == 0 && self.wants(o, i, wires);
        let first = self.pointer[o];
        let grant = if self.lock[o] { first } else { first_from(first, n, request).unwrap_or(first) };
        let valid = request(grant);
        let input = wires[self.inputs[grant] as usize];
        self.grant[o] = grant;
        put(wires, self.outputs[o], valid, input.data, input.tag);
    }

    pub fn ready(&self, i: usize, wires: &mut [Wire], shared: &Shared) {
        let mut some = false;
        let mut all = true;
        for o in (0..self.outputs.len()).filter(|&o| self.wants(o, i, wires)) {
            some = true;
            let fire = self.grant[o] == i && wires[self.outputs[o] as usize].moves();
            all &= self.done[o] >> i & 1 == 1 || fire;
        }
        wires[self.inputs[i] as usize].ready = some && all && !shared.stopped[self.unit as usize];
    }

    pub fn clock(&mut self, wires: &[Wire], shared: &mut Shared) {
        for (i, &w) in self.inputs.iter().enumerate() {
            let input = wires[w as usize];
            if !input.valid {
                continue;
            }
            let error = match self.hit(input) {
                None => Some(HwError::RtTemporalSwNoMatch),
                Some(slot) if slot.routes.iter().all(|r| r >> i & 1 == 0) => {
                    Some(HwError::RtTemporalSwUnroutedInput)
                }
                Some(_) => None,
            };
            if let Some(error) = error {
                shared.raise(error, self.unit);
            }
        }
        let leaving = self
            .inputs
            .iter()
            .enumerate()
            .fold(0u32, |m, (i, &w)| m | u32::from(wires[w as usize].moves()) << i);
        shared.changed |= leaving != 0;
        for o in 0..self.outputs.len() {
            let out = wires[self.outputs[o] as usize];
            let grant = self.grant[o];
            if out.valid {
                let (lock, pointer) =
                    if out.ready { (false, (grant + 1) % self.inputs.len()) } else { (true, grant) };
                shared.changed |= out.ready || lock != self.lock[o] || pointer != self.pointer[o];
                self.lock[o] = lock;
                self.pointer[o] = pointer;
                self.done[o] |= u32::from(out.ready) << grant;
            }
            self.done[o] &= !leaving;
        }
    }
}

/// The set bits of a mask.
pub(super) fn bits(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |i| mask >> i & 1 == 1)
}
