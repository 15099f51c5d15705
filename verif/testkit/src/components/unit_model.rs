//! Function units as the contract has them (section 5, FU bodies). Arithmetic is written out here once more, on
//! purpose: nothing of the project computes it.

use loom_adg::layout::{payload, PayloadKind};
use loom_adg::model::{BodyKind, BodyOp, BodyValue, FunctionUnit};
use loom_base::{sign_extend, truncate};
use loom_dfg::op::{Class, Form};
use loom_dfg::{OpKind, StepOp};

/// What a unit shows in a cycle.
pub struct UnitShown {
    /// By output: offered or pushed.
    pub out: Vec<Option<u64>>,
    /// By input.
    pub ready: Vec<bool>,
}

/// State of the four state machines.
#[derive(Clone, Default)]
struct Machine {
    /// Out of the first phase: Active, Body, Loop.
    on: bool,
    /// `stream`: index, step, bound; `invariant`: the stored value first.
    idx: u64,
    step: u64,
    bound: u64,
    overflow: bool,
    hold: u32,
    failed: bool,
}

/// A unit.
pub struct UnitModel {
    fu: FunctionUnit,
    index_width: u32,
    /// First payload values by body op.
    payload: Vec<u64>,
    /// A stream's mode bit.
    is_unsigned: bool,
    done: Vec<bool>,
    counter: i32,
    stages: Vec<Option<Vec<u64>>>,
    machine: Machine,
}

impl UnitModel {
    /// A unit whose part of the payload region is `region`.
    pub fn new(fu: &FunctionUnit, index_width: u32, region: u64) -> UnitModel {
        let mut values = vec![0; fu.body.len()];
        let mut is_unsigned = false;
        for field in payload(fu, index_width) {
            let value = truncate(region >> field.low, field.width);
            match field.kind {
                PayloadKind::Unsigned => is_unsigned = value == 1,
                _ => values[field.op] = value,
            }
        }
        UnitModel {
            fu: fu.clone(),
            index_width,
            payload: values,
            is_unsigned,
            done: vec![false; fu.results.len()],
            counter: 0,
            stages: vec![None; if fu.body[0].kind.is_iterative() { 1 } else { fu.latency.max(0) as usize }],
            machine: Machine::default(),
        }
    }

    /// The op of a unit of one, else arithmetic of any kind.
    fn kind(&self) -> OpKind {
        match self.fu.body[..] {
            [BodyOp { kind: BodyKind::Op(kind), .. }] => kind,
            _ => OpKind::Addi,
        }
    }

    /// The configuration error of its payload, 0 for none.
    pub fn config_error(&self) -> u16 {
        let wrong = |(op, value): (&BodyOp, &u64)| match op.kind {
            BodyKind::Op(OpKind::Stream(_)) if value.count_ones() != 1 => Some(10),
            BodyKind::Op(OpKind::Cmpi) if *value > 9 => Some(11),
            BodyKind::Mux if *value >= op.operands.len() as u64 => Some(18),
            _ => None,
        };
        self.fu.body.iter().zip(&self.payload).filter_map(wrong).min().unwrap_or(0)
    }

    /// A zero step was met.
    pub fn failed(&self) -> bool {
        self.machine.failed
    }

    /// Something is held.
    pub fn busy(&self) -> bool {
        self.done.contains(&true)
            || self.counter > 0
            || self.stages.iter().any(Option::is_some)
            || self.machine.on
    }

    /// The cycle's combinational outputs; `room` is the outputs' ready.
    pub fn show(&self, inputs: &[Option<u64>], room: &[bool]) -> UnitShown {
        match self.kind().class() {
            Class::Arith => self.plain(inputs, room).0,
            Class::Steer => self.steer(inputs, room),
            Class::State => self.machine(inputs, room).0,
            Class::Access => {
                // Address and control go together, the data by itself.
                let address = inputs[0].filter(|_| inputs[2].is_some());
                let (both, data) = (address.is_some() && room[1], inputs[1].is_some() && room[0]);
                UnitShown { out: vec![inputs[1], address], ready: vec![both, data, both] }
            }
            Class::Memory => panic!("no unit"),
        }
    }

    /// The clock edge.
    pub fn edge(&mut self, inputs: &[Option<u64>], room: &[bool]) {
        match self.kind().class() {
            Class::Arith => self.plain_edge(inputs, room),
            Class::Steer | Class::Access => {}
            Class::State => self.machine = self.machine(inputs, room).1,
            Class::Memory => panic!("no unit"),
        }
    }

    /// Whether the operation in a divider has come to its end.
    fn finished(&self) -> bool {
        !self.kind().is_iterative() || self.counter <= self.fu.interval - self.fu.latency
    }

    fn all_taken(&self, room: &[bool]) -> bool {
        room.iter().zip(&self.done).all(|(r, d)| *r || *d)
    }

    /// What it shows, and which stages move on (the last one: leaves).
    fn plain(&self, inputs: &[Option<u64>], room: &[bool]) -> (UnitShown, Vec<bool>) {
        let wanted = self.wanted();
        let can =
            inputs.iter().zip(&wanted).all(|(input, wanted)| input.is_some() || !wanted) && self.counter == 0;
        let ready = |fire: bool| wanted.iter().map(|&wanted| wanted && fire).collect();
        let offer = |values: Option<Vec<u64>>| -> Vec<Option<u64>> {
            (0..self.done.len()).map(|o| values.as_ref().map(|v| v[o]).filter(|_| !self.done[o])).collect()
        };
        let n = self.stages.len();
        if n == 0 {
            let fire = can && self.all_taken(room);
            let values = can.then(|| self.results(inputs));
            return (UnitShown { out: offer(values), ready: ready(fire) }, Vec::new());
        }
        let mut moves = vec![false; n];
        for j in (0..n).rev() {
            let free = if j + 1 == n {
                self.all_taken(room) && self.finished()
            } else {
                self.stages[j + 1].is_none() || moves[j + 1]
            };
            moves[j] = self.stages[j].is_some() && free;
        }
        let fire = can && (self.stages[0].is_none() || moves[0]);
        (
            UnitShown {
                out: offer(self.stages[n - 1].clone().filter(|_| self.finished())),
                ready: ready(fire),
            },
            moves,
        )
    }

    fn plain_edge(&mut self, inputs: &[Option<u64>], room: &[bool]) {
        let (shown, moves) = self.plain(inputs, room);
        let fire = shown.ready.contains(&true);
        let leaves = moves.last().copied().unwrap_or(fire);
        if self.done.len() > 1 {
            for (o, done) in self.done.iter_mut().enumerate() {
                *done = (*done || shown.out[o].is_some() && room[o]) && !leaves;
            }
        }
        let results = fire.then(|| self.results(inputs));
        for j in (0..self.stages.len()).rev() {
            let arriving =
                if j == 0 { results.clone() } else { self.stages[j - 1].clone().filter(|_| moves[j - 1]) };
            if arriving.is_some() || moves[j] {
                self.stages[j] = arriving;
            }
        }
        self.counter = if fire { self.fu.interval - 1 } else { (self.counter - 1).max(0) };
    }

    /// By input: whether a result is computed of it.
    fn wanted(&self) -> Vec<bool> {
        let mut wanted = vec![false; self.fu.inputs.len()];
        let mut todo = self.fu.results.clone();
        while let Some(value) = todo.pop() {
            match value {
                BodyValue::Input(i) => wanted[i] = true,
                BodyValue::Result { op, .. } => match self.fu.body[op].kind {
                    BodyKind::Mux => todo.push(self.fu.body[op].operands[self.payload[op] as usize]),
                    BodyKind::Op(_) => todo.extend(&self.fu.body[op].operands),
                },
            }
        }
        wanted
    }

    fn results(&self, inputs: &[Option<u64>]) -> Vec<u64> {
        let mut values: Vec<u64> = Vec::new();
        let read = |values: &[u64], v: BodyValue| match v {
            // What no result needs may be missing, and is computed of anything.
            BodyValue::Input(i) => inputs[i].unwrap_or(1),
            BodyValue::Result { op, .. } => values[op],
        };
        for (at, op) in self.fu.body.iter().enumerate() {
            let operands: Vec<u64> = op.operands.iter().map(|&v| read(&values, v)).collect();
            let from = self.fu.value_type(op.operands[0]).width(self.index_width);
            let to = op.results[0].width(self.index_width);
            values.push(match op.kind {
                BodyKind::Op(kind) => arithmetic(kind, &operands, from, to, self.payload[at]),
                BodyKind::Mux => operands[self.payload[at] as usize],
            });
        }
        self.fu.results.iter().map(|&v| read(&values, v)).collect()
    }

    fn steer(&self, inputs: &[Option<u64>], room: &[bool]) -> UnitShown {
        let n = inputs.len();
        match self.kind() {
            OpKind::Constant => {
                let valid = inputs[0].is_some();
                UnitShown { out: vec![valid.then_some(self.payload[0])], ready: vec![valid && room[0]] }
            }
            OpKind::Join(_) => {
                let part = |i: usize| self.payload[0] >> i & 1 == 1;
                let valid = self.payload[0] != 0 && (0..n).all(|i| !part(i) || inputs[i].is_some());
                UnitShown {
                    out: vec![valid.then_some(0)],
                    ready: (0..n).map(|i| part(i) && valid && room[0]).collect(),
                }
            }
            OpKind::CondBr => {
                let (Some(c), Some(v)) = (inputs[0], inputs[1]) else {
                    return UnitShown { out: vec![None; 2], ready: vec![false; 2] };
                };
                let side = usize::from(c == 0);
                let mut out = vec![None; 2];
                out[side] = Some(v);
                UnitShown { out, ready: vec![room[side]; 2] }
            }
            OpKind::Mux(k) => {
                let mut ready = vec![false; n];
                let chosen = inputs[0].map(|s| s.min(u64::from(k) - 1) as usize + 1);
                let out = chosen.and_then(|at| inputs[at]);
                if let (Some(at), Some(_)) = (chosen, out) {
                    ready[0] = room[0];
                    ready[at] = room[0];
                }
                UnitShown { out: vec![out], ready }
            }
            other => unreachable!("{other} is no steer op"),
        }
    }

    /// What it shows, and the state after the edge.
    fn machine(&self, inputs: &[Option<u64>], room: &[bool]) -> (UnitShown, Machine) {
        let mut next = self.machine.clone();
        let mut shown = UnitShown { out: vec![None; room.len()], ready: vec![false; inputs.len()] };
        match self.kind() {
            OpKind::Stream(counter) => self.stream(counter.step_op, inputs, room, &mut shown, &mut next),
            OpKind::Gate => {
                if let (Some(value), Some(cond)) = (inputs[0], inputs[1]) {
                    let (push_value, push_cond) = (cond == 1, self.machine.on);
                    if (room[0] || !push_value) && (room[1] || !push_cond) {
                        shown.ready = vec![true; 2];
                        shown.out = vec![push_value.then_some(value), push_cond.then_some(cond)];
                        next.on = cond == 1;
                    }
                }
            }
            OpKind::Carry => match (self.machine.on, inputs[0]) {
                (false, _) | (true, Some(0)) => {
                    let take = inputs[1].filter(|_| room[0]);
                    shown.out = vec![take];
                    shown.ready = vec![self.machine.on, take.is_some(), false];
                    next.on = take.is_some();
                }
                (true, Some(_)) => {
                    let take = inputs[2].filter(|_| room[0]);
                    shown.out = vec![take];
                    shown.ready = vec![take.is_some(), false, take.is_some()];
                }
                (true, None) => {}
            },
            OpKind::Invariant => match (self.machine.on, inputs[0]) {
                (false, _) | (true, Some(0)) => {
                    let take = inputs[1].filter(|_| room[0]);
                    shown.out = vec![take];
                    shown.ready = vec![self.machine.on, take.is_some()];
                    next.on = take.is_some();
                    next.idx = take.unwrap_or(next.idx);
                }
                (true, Some(_)) => {
                    shown.out = vec![room[0].then_some(self.machine.idx)];
                    shown.ready = vec![room[0], false];
                }
                (true, None) => {}
            },
            OpKind::CarryBr => {
                let value = inputs[if self.machine.on { 2 } else { 1 }];
                if let (Some(cond), Some(value)) = (inputs[0], value) {
                    let side = usize::from(cond == 0);
                    if room[side] {
                        shown.out[side] = Some(value);
                        shown.ready = vec![true, !self.machine.on, self.machine.on];
                        next.on = cond == 1;
                    }
                }
            }
            OpKind::InvariantBr => {
                // A value is stored as soon as it is there; what is stored, or about to be, goes with a condition.
                let new = inputs[1].filter(|_| !self.machine.on);
                shown.ready[1] = new.is_some();
                next.on |= new.is_some();
                next.idx = new.unwrap_or(next.idx);
                if let (Some(cond), true) = (inputs[0], next.on) {
                    let side = usize::from(cond == 0);
                    if room[side] {
                        shown.out[side] = Some(next.idx);
                        shown.ready[0] = true;
                        next.on = cond == 1;
                    }
                }
            }
            other => unreachable!("{other} is no state machine"),
        }
        (shown, next)
    }

    fn stream(
        &self,
        op: StepOp,
        inputs: &[Option<u64>],
        room: &[bool],
        shown: &mut UnitShown,
        next: &mut Machine,
    ) {
        let width = self.index_width;
        let s = &self.machine;
        let number =
            |v: u64| if self.is_unsigned { i128::from(v) } else { i128::from(sign_extend(v, width)) };
        let offered = match (inputs[0], inputs[1], inputs[2]) {
            (Some(start), Some(step), Some(bound)) => Some((start, step, bound)).filter(|_| !s.failed),
            _ => None,
        };
        next.hold = s.hold.saturating_sub(1);
        let mut may_accept = !s.on;
        if s.on && s.hold == 0 && room[0] && room[1] {
            let (i, b) = (number(s.idx), number(s.bound));
            let holds = [i < b, i <= b, i > b, i >= b, i != b];
            let c = !s.overflow && holds[self.payload[0].trailing_zeros() as usize];
            shown.out = vec![Some(s.idx), Some(u64::from(c))];
            if c {
                let distance = i128::from(sign_extend(s.step, width));
                let exact = update(op, i, distance, number(s.step), s.step);
                next.idx = truncate(exact as u64, width);
                next.overflow = number(next.idx) != exact;
                next.hold = if op == StepOp::Div { width } else { 0 };
            } else {
                next.on = false;
                may_accept = true;
            }
        }
        if let (true, Some((start, step, bound))) = (may_accept, offered) {
            if step == 0 {
                next.failed = true;
            } else {
                shown.ready = vec![true; 3];
                (next.on, next.idx, next.step, next.bound, next.overflow) = (true, start, step, bound, false);
            }
        }
    }
}

/// The index after `i`: exactly where it is in any range, else with its low bits and outside of each. The step is a signed
/// `distance`, a `factor` of the index's kind, or an unsigned `amount`.
fn update(op: StepOp, i: i128, distance: i128, factor: i128, amount: u64) -> i128 {
    match op {
        StepOp::Add => i + distance,
        StepOp::Sub => i - distance,
        // What has 128 bits has its top one set, and is below zero here.
        StepOp::Mul => i.wrapping_mul(factor),
        StepOp::Div => i / factor,
        StepOp::Shl if i == 0 => 0,
        StepOp::Shl if amount >= 64 => 1 << 64,
        StepOp::Shl => i << amount,
        StepOp::Shr => i >> amount.min(127),
    }
}

/// An arithmetic op from `from` bits to `to` bits.
fn arithmetic(kind: OpKind, x: &[u64], from: u32, to: u32, predicate: u64) -> u64 {
    let a = x[0];
    let b = *x.get(1).unwrap_or(&0);
    let signed = |v: u64| sign_extend(v, from);
    let far = b >= u64::from(from);
    let value = match kind {
        OpKind::Addi => a.wrapping_add(b),
        OpKind::Subi => a.wrapping_sub(b),
        OpKind::Muli => a.wrapping_mul(b),
        OpKind::Andi => a & b,
        OpKind::Ori => a | b,
        OpKind::Xori => a ^ b,
        OpKind::Shli => {
            if far {
                0
            } else {
                a << b
            }
        }
        OpKind::Shrui => {
            if far {
                0
            } else {
                a >> b
            }
        }
        OpKind::Shrsi => (signed(a) >> if far { 63 } else { b }) as u64,
        OpKind::Select => {
            if a == 1 {
                b
            } else {
                x[2]
            }
        }
        OpKind::Extui | OpKind::Trunci | OpKind::IndexCastui => a,
        OpKind::Maxsi => signed(a).max(signed(b)) as u64,
        OpKind::Minsi => signed(a).min(signed(b)) as u64,
        OpKind::Maxui => a.max(b),
        OpKind::Minui => a.min(b),
        OpKind::Absi => signed(a).wrapping_abs() as u64,
        OpKind::Ctlz => (0..from).rev().take_while(|i| a >> i & 1 == 0).count() as u64,
        OpKind::Cttz => (0..from).take_while(|i| a >> i & 1 == 0).count() as u64,
        OpKind::Ctpop => (0..from).filter(|i| a >> i & 1 == 1).count() as u64,
        OpKind::Bitreverse => (0..from).fold(0, |r, i| r << 1 | (a >> i & 1)),
        kind if matches!(kind.form(), Form::Division(_)) => division(kind, a, b, from),
        OpKind::Extsi | OpKind::IndexCast => signed(a) as u64,
        OpKind::Cmpi => {
            let (sa, sb) = (signed(a), signed(b));
            let all = [a == b, a != b, sa < sb, sa <= sb, sa > sb, sa >= sb, a < b, a <= b, a > b, a >= b];
            u64::from(all[predicate as usize])
        }
        other => unreachable!("{other} is not arithmetic"),
    };
    truncate(value, to)
}

/// A division, towards zero first.
fn division(kind: OpKind, a: u64, b: u64, width: u32) -> u64 {
    let signed = matches!(kind, OpKind::Divsi | OpKind::Remsi | OpKind::Ceildivsi | OpKind::Floordivsi);
    let value = |v: u64| if signed { i128::from(sign_extend(v, width)) } else { i128::from(v) };
    let (n, d) = (value(a), value(b));
    if d == 0 {
        return if matches!(kind, OpKind::Remsi | OpKind::Remui) { a } else { u64::MAX };
    }
    let exact = n % d == 0;
    let positive = (n < 0) == (d < 0);
    let result = match kind {
        OpKind::Remsi | OpKind::Remui => n % d,
        OpKind::Floordivsi if !exact && !positive => n / d - 1,
        OpKind::Ceildivsi | OpKind::Ceildivui if !exact && positive => n / d + 1,
        _ => n / d,
    };
    result as u64
}
