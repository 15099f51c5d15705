//! The active function unit of a spatial PE (contract section 5).

use super::alu::Program;
use super::wire::{put, Shared, Wire, W};
use loom_adg::HwError;
use loom_dfg::eval::step_index;
use loom_dfg::{ContCond, Counter, OpKind, StepOp, Type};

/// An immediate of a PE: there while a token waits at an input mux.
#[derive(Clone, Debug)]
pub(super) struct Immediate {
    pub tokens: Vec<W>,
    pub output: W,
    pub bits: u64,
}

impl Immediate {
    pub fn valid(&self, wires: &mut [Wire]) {
        let waits = self.tokens.iter().any(|&w| wires[w as usize].valid);
        put(wires, self.output, waits, self.bits, 0);
    }
}

/// A plain body: all operands in, all results out.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    /// Those that its configuration needs.
    pub inputs: Vec<W>,
    /// Their numbers in the unit.
    pub numbers: Vec<usize>,
    /// What of a wire's data the unit's input can hold.
    pub masks: Vec<u64>,
    pub outputs: Vec<W>,
    pub program: Program,
    /// Inputs, then one value for each op; scratch.
    pub values: Vec<u64>,
    /// Stages; a divider has one.
    pub latency: usize,
    pub interval: u32,
    pub counter: u32,
    /// A result is shown while the counter is at most this: a divider's T-L, no bound for others. A divider holds one
    /// operation, so it is a pipeline of one stage that shows its token late.
    pub shown_from: u32,
    /// The op and the type of its operands, where it may leave out cycles that they do not need.
    pub leaves_out: Option<(OpKind, Type)>,
    /// `done_q`; stays 0 with one output.
    pub done: u32,
    /// Which of the stages 1 to L are full.
    pub stages: Vec<bool>,
    /// The results in flight, stage by stage.
    pub held: Vec<u64>,
    /// Which stages move on in this cycle.
    pub moving: Vec<bool>,
    pub fire: bool,
    /// It offers a result in this cycle.
    pub offers: bool,
    pub pe: u32,
}

impl Plain {
    fn all(&self, wires: &[Wire]) -> bool {
        self.counter == 0 && self.inputs.iter().all(|&w| wires[w as usize].valid)
    }

    /// A pipeline offers a result.
    fn shows(&self) -> bool {
        self.stages[self.latency - 1] && self.counter <= self.shown_from
    }

    fn compute(&mut self, wires: &[Wire]) {
        for (i, &w) in self.inputs.iter().enumerate() {
            self.values[i] = wires[w as usize].data & self.masks[i];
        }
        self.program.run(&mut self.values, self.inputs.len());
    }

    fn taken(&self, wires: &[Wire]) -> bool {
        self.outputs.iter().enumerate().all(|(o, &w)| self.done >> o & 1 == 1 || wires[w as usize].ready)
    }

    pub fn valid(&mut self, wires: &mut [Wire]) {
        let full = if self.latency == 0 { self.all(wires) } else { self.shows() };
        self.offers = full;
        if full && self.latency == 0 {
            self.compute(wires);
        }
        for (o, &w) in self.outputs.iter().enumerate() {
            let data = match self.latency {
                0 => self.values[self.program.outputs[o] as usize],
                l => self.held[(l - 1) * self.outputs.len() + o],
            };
            put(wires, w, full && self.done >> o & 1 == 0, data, 0);
        }
    }

    pub fn ready(&mut self, wires: &mut [Wire]) {
        let all = self.all(wires);
        let mut free = self.taken(wires) && self.counter <= self.shown_from;
        // From the last stage down: a stage moves on when the next one is empty or moves on itself.
        for (stage, moving) in self.stages.iter().zip(&mut self.moving).rev() {
            *moving = *stage && free;
            free = !*stage || *moving;
        }
        self.fire = all && free;
        for &w in &self.inputs {
            wires[w as usize].ready = self.fire;
        }
    }

    pub fn clock(&mut self, wires: &[Wire], shared: &mut Shared) {
        let leaves = if self.latency == 0 { self.fire } else { self.moving[self.latency - 1] };
        if self.outputs.len() > 1 {
            let old = self.done;
            for (o, &w) in self.outputs.iter().enumerate() {
                // Not the wire's valid: all that is discarded shares one.
                self.done |= u32::from(self.offers && wires[w as usize].ready) << o;
            }
            if leaves {
                self.done = 0;
            }
            shared.changed |= old != self.done;
        }
        let k = self.outputs.len();
        for j in (0..self.latency).rev() {
            if self.moving[j] {
                shared.changed = true;
                self.stages[j] = false;
                if j + 1 < self.latency {
                    self.stages[j + 1] = true;
                    self.held.copy_within(j * k..(j + 1) * k, (j + 1) * k);
                }
            }
        }
        if self.fire {
            if self.latency > 0 {
                self.compute(wires);
                for (o, &v) in self.program.outputs.iter().enumerate() {
                    self.held[o] = self.values[v as usize];
                }
                self.stages[0] = true;
            }
            let left_out = self
                .leaves_out
                .map_or(0, |(kind, ty)| kind.cycles_left_out(ty, &self.values[..self.inputs.len()]));
            self.counter = self.interval - 1 - left_out;
            shared.fired(self.pe);
        } else if self.counter > 0 {
            self.counter -= 1;
            shared.changed = true;
        }
    }
}

/// A steer body.
#[derive(Clone, Debug)]
pub(super) struct Steer {
    pub kind: SteerKind,
    pub inputs: Vec<W>,
    pub masks: Vec<u64>,
    pub outputs: Vec<W>,
    pub fire: bool,
    pub pe: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum SteerKind {
    /// The literal.
    Constant(u64),
    /// The mask.
    Join(u64),
    CondBr,
    Mux,
    /// `load` and `store`: (address, data, control) to (data, address), two halves.
    Access,
}

impl Steer {
    fn has(&self, i: usize, wires: &[Wire]) -> bool {
        wires[self.inputs[i] as usize].valid
    }

    fn data(&self, i: usize, wires: &[Wire]) -> u64 {
        wires[self.inputs[i] as usize].data & self.masks[i]
    }

    /// A mux's chosen input.
    fn chosen(&self, wires: &[Wire]) -> usize {
        let last = self.inputs.len() - 2;
        1 + usize::try_from(self.data(0, wires)).unwrap_or(usize::MAX).min(last)
    }

    fn joins(&self, mask: u64, wires: &[Wire]) -> bool {
        mask != 0 && (0..self.inputs.len()).all(|i| mask >> i & 1 == 0 || self.has(i, wires))
    }

    pub fn valid(&self, wires: &mut [Wire]) {
        match self.kind {
            SteerKind::Constant(literal) => put(wires, self.outputs[0], self.has(0, wires), literal, 0),
            SteerKind::Join(mask) => put(wires, self.outputs[0], self.joins(mask, wires), 0, 0),
            SteerKind::CondBr => {
                let both = self.has(0, wires) && self.has(1, wires);
                let (c, v) = (self.data(0, wires) & 1 == 1, self.data(1, wires));
                put(wires, self.outputs[0], both && c, v, 0);
                put(wires, self.outputs[1], both && !c, v, 0);
            }
            SteerKind::Mux => {
                let k = self.chosen(wires);
                put(wires, self.outputs[0], self.has(0, wires) && self.has(k, wires), self.data(k, wires), 0);
            }
            SteerKind::Access => {
                put(wires, self.outputs[0], self.has(1, wires), self.data(1, wires), 0);
                let go = self.has(0, wires) && self.has(2, wires);
                put(wires, self.outputs[1], go, self.data(0, wires), 0);
            }
        }
    }

    pub fn ready(&mut self, wires: &mut [Wire]) {
        if let SteerKind::Access = self.kind {
            let data = self.has(1, wires) && wires[self.outputs[0] as usize].ready;
            self.fire = self.has(0, wires) && self.has(2, wires) && wires[self.outputs[1] as usize].ready;
            for (i, ready) in [(0, self.fire), (1, data), (2, self.fire)] {
                wires[self.inputs[i] as usize].ready = ready;
            }
            return;
        }
        let out_ready = |o: usize| wires[self.outputs[o] as usize].ready;
        // Up to 65 inputs: the selector and 64 choices.
        let mut taken = u128::MAX;
        self.fire = match self.kind {
            SteerKind::Constant(_) => self.has(0, wires) && out_ready(0),
            SteerKind::Join(mask) => {
                taken = u128::from(mask);
                self.joins(mask, wires) && out_ready(0)
            }
            SteerKind::CondBr => {
                let side = usize::from(self.data(0, wires) & 1 == 0);
                self.has(0, wires) && self.has(1, wires) && out_ready(side)
            }
            SteerKind::Mux => {
                let k = self.chosen(wires);
                taken = 1 | 1 << k;
                self.has(0, wires) && self.has(k, wires) && out_ready(0)
            }
            SteerKind::Access => unreachable!("handled above"),
        };
        for (i, &w) in self.inputs.iter().enumerate() {
            wires[w as usize].ready = self.fire && taken >> i & 1 == 1;
        }
    }

    pub fn clock(&mut self, shared: &mut Shared) {
        if self.fire {
            shared.fired(self.pe);
        }
    }
}

/// A state machine. Its outputs are inputs of elastic buffers, whose `ready` is a register.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub kind: MachineKind,
    pub inputs: Vec<W>,
    pub masks: Vec<u64>,
    pub outputs: Vec<W>,
    /// Out of the first phase.
    pub running: bool,
    pub stream: StreamState,
    /// `invariant`, `invariant_br`: the stored value.
    pub stored: u64,
    /// What this cycle does; decided with the readys, done at the edge.
    pub act: Act,
    pub unit: u32,
    pub pe: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum MachineKind {
    Stream { counter: Counter, cont_cond: ContCond, width: u32 },
    Gate,
    Carry,
    Invariant,
    CarryBr,
    InvariantBr,
}

/// Registers of a stream.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StreamState {
    pub index: u64,
    pub step: u64,
    pub bound: u64,
    pub overflow: bool,
    /// Cycles until the quotient of a `/=` is there.
    pub dividing: u32,
}

/// One cycle's decision.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Act {
    /// Inputs consumed.
    pub consume: u8,
    /// Outputs pushed.
    pub push: u8,
    /// Data of the outputs.
    pub data: [u64; 2],
    /// `running` after the edge.
    pub running: bool,
    /// A zero step is offered where operands would be taken.
    pub zero_step: bool,
}

impl Machine {
    pub fn ready(&mut self, wires: &mut [Wire], shared: &Shared) {
        let valid = |i: usize| wires[self.inputs[i] as usize].valid;
        let data = |i: usize| wires[self.inputs[i] as usize].data & self.masks[i];
        let room = |o: usize| wires[self.outputs[o] as usize].ready;
        let mut act = Act { running: self.running, ..Act::default() };
        match self.kind {
            MachineKind::Stream { counter, cont_cond, width } => {
                let s = &self.stream;
                let mut take = !self.running;
                if self.running && s.dividing == 0 && room(0) && room(1) {
                    let c = counter.goes_on(cont_cond, width, s.index, s.bound) && !s.overflow;
                    act.push = 3;
                    act.data = [s.index, u64::from(c)];
                    act.running = c;
                    take = !c;
                }
                if take && valid(0) && valid(1) && valid(2) && !shared.stopped[self.unit as usize] {
                    if data(1) == 0 {
                        act.zero_step = true;
                    } else {
                        act.consume = 7;
                        act.running = true;
                    }
                }
            }
            MachineKind::Gate => {
                if valid(0) && valid(1) {
                    let c = data(1) & 1 == 1;
                    act.push = match (self.running, c) {
                        (false, true) => 1,
                        (false, false) => 0,
                        (true, true) => 3,
                        (true, false) => 2,
                    };
                    act.data = [data(0), u64::from(c)];
                    if (act.push & 1 == 0 || room(0)) && (act.push & 2 == 0 || room(1)) {
                        act.consume = 3;
                        act.running = c;
                    } else {
                        act.push = 0;
                    }
                }
            }
            MachineKind::Carry => {
                let again = self.running && valid(0) && data(0) & 1 == 1;
                let end = self.running && valid(0) && !again;
                if again {
                    if valid(2) && room(0) {
                        act = Act { consume: 0b101, push: 1, data: [data(2), 0], ..act };
                    }
                } else if (end || !self.running) && valid(1) && room(0) {
                    let consume = 0b010 | u8::from(end);
                    act = Act { consume, push: 1, data: [data(1), 0], running: true, ..act };
                } else if end {
                    act = Act { consume: 0b001, running: false, ..act };
                }
            }
            MachineKind::Invariant => {
                let again = self.running && valid(0) && data(0) & 1 == 1;
                let end = self.running && valid(0) && !again;
                if again {
                    if room(0) {
                        act = Act { consume: 0b01, push: 1, data: [self.stored, 0], ..act };
                    }
                } else if (end || !self.running) && valid(1) && room(0) {
                    let consume = 0b10 | u8::from(end);
                    act = Act { consume, push: 1, data: [data(1), 0], running: true, ..act };
                } else if end {
                    act = Act { consume: 0b01, running: false, ..act };
                }
            }
            MachineKind::CarryBr => {
                let from = if self.running { 2 } else { 1 };
                let go_on = data(0) & 1 == 1;
                let side = usize::from(!go_on);
                if valid(0) && valid(from) && room(side) {
                    let (consume, push) = (1 | 1 << from, 1 << side);
                    act = Act { consume, push, data: [data(from); 2], running: go_on, ..act };
                }
            }
            MachineKind::InvariantBr => {
                let go_on = data(0) & 1 == 1;
                let side = usize::from(!go_on);
                let take = !self.running && valid(1);
                act.consume = u8::from(take) << 1;
                act.running |= take;
                if valid(0) && act.running && room(side) {
                    let value = if take { data(1) } else { self.stored };
                    let (consume, push) = (act.consume | 1, 1 << side);
                    act = Act { consume, push, data: [value; 2], running: go_on, ..act };
                }
            }
        }
        for (i, &w) in self.inputs.iter().enumerate() {
            wires[w as usize].ready = act.consume >> i & 1 == 1;
        }
        for (o, &w) in self.outputs.iter().enumerate() {
            put(wires, w, act.push >> o & 1 == 1, act.data[o], 0);
        }
        self.act = act;
    }

    pub fn clock(&mut self, wires: &[Wire], shared: &mut Shared) {
        let act = self.act;
        let data = |i: usize| wires[self.inputs[i] as usize].data & self.masks[i];
        match self.kind {
            MachineKind::Stream { counter, width, .. } => {
                let s = &mut self.stream;
                if s.dividing > 0 {
                    s.dividing -= 1;
                    shared.changed = true;
                }
                if act.consume != 0 {
                    *s = StreamState {
                        index: data(0),
                        step: data(1),
                        bound: data(2),
                        overflow: false,
                        dividing: 0,
                    };
                } else if act.push != 0 && act.running {
                    (s.index, s.overflow) = step_index(counter, width, s.index, s.step);
                    s.dividing = if counter.step_op == StepOp::Div { width } else { 0 };
                }
                if act.zero_step {
                    shared.raise(HwError::RtStreamZeroStep, self.unit);
                }
            }
            MachineKind::Invariant | MachineKind::InvariantBr if act.consume & 2 == 2 => {
                self.stored = data(1)
            }
            _ => {}
        }
        self.running = act.running;
        if act.push != 0 || act.consume != 0 {
            shared.changed = true;
        }
        // A gate fires on every pair it takes, the others on every token they give.
        if act.push != 0 || matches!(self.kind, MachineKind::Gate) && act.consume != 0 {
            shared.fired(self.pe);
        }
    }
}
