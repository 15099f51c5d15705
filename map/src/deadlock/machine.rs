//! One run of the network: steps of all elements at once, until only choices and arguments could go on.

use super::element::{ElementId, Kind, WireId};
use super::islands::IslandId;
use super::net::Network;
use std::collections::VecDeque;

/// A token whose value nobody decides by.
const ANY: u8 = u8::MAX;
/// No choice was made yet.
pub(super) const OPEN: u8 = u8::MAX - 1;

/// Registers of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// A machine out of its first phase; an entry token whose return has not come.
    pub running: bool,
    /// `stream`: nothing was given in this activation yet.
    fresh: bool,
    /// `invariant`: the stored value. A choice: what was chosen.
    pub held: u8,
    /// Fork: outputs that have the token.
    pub done: u64,
    /// Storage, and tokens an argument offers.
    pub queue: VecDeque<u8>,
}

/// A wire in one step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signal {
    pub valid: bool,
    ready: bool,
    pub value: u8,
}

/// The network with its tokens.
#[derive(Clone)]
pub(super) struct Machine<'n> {
    pub net: &'n Network,
    pub cells: Vec<Cell>,
    signals: Vec<Signal>,
    /// By element: inputs consumed and outputs given in this step.
    acts: Vec<(u64, u64)>,
    /// The islands in which something may move, each once; none at rest.
    awake: Vec<IslandId>,
    /// By island: whether it is one of them.
    is_awake: Vec<bool>,
    /// By output: tokens so far; not part of the state.
    pub taken: Vec<u64>,
    /// By argument: tokens accepted so far; not part of the state.
    pub accepted: Vec<u64>,
    /// Elements looked at so far, over all steps; not part of the state.
    pub work: u64,
}

impl<'n> Machine<'n> {
    pub fn new(net: &'n Network) -> Machine<'n> {
        let cell = Cell { running: false, fresh: false, held: OPEN, done: 0, queue: VecDeque::new() };
        Machine {
            net,
            cells: vec![cell; net.elements.len()],
            signals: vec![Signal::default(); net.wires.len()],
            acts: vec![(0, 0); net.elements.len()],
            awake: (0..net.islands.all.len()).collect(),
            is_awake: vec![true; net.islands.all.len()],
            taken: vec![0; net.sinks.len()],
            accepted: vec![0; net.sources.len()],
            work: 0,
        }
    }

    /// The state as bytes: equal bytes, equal future.
    pub fn encode(&self) -> Box<[u8]> {
        let mut bytes = Vec::with_capacity(self.cells.len() * 2);
        for (element, cell) in self.net.elements.iter().zip(&self.cells) {
            match element.kind {
                // What passes tokens on combinationally holds nothing, so it adds nothing to the state.
                Kind::Sink(_) | Kind::Join | Kind::CondBr | Kind::Mux | Kind::Access | Kind::Constant(_) => {}
                Kind::Fork => {
                    let len = element.outputs.len().div_ceil(8);
                    // A fork remembers which branches have their copy.
                    bytes.extend_from_slice(&cell.done.to_le_bytes()[..len]);
                }
                _ => {
                    bytes.push(u8::from(cell.running) | u8::from(cell.fresh) << 1);
                    bytes.push(cell.held);
                    bytes.push(cell.queue.len() as u8);
                    bytes.push((cell.queue.len() >> 8) as u8);
                    bytes.extend(&cell.queue);
                }
            }
        }
        bytes.into_boxed_slice()
    }

    /// Whether an argument's element could offer another token.
    pub fn hungry(&self, k: usize) -> bool {
        self.net.sources[k].is_some_and(|e| self.cells[e].queue.is_empty() && !self.cells[e].running)
    }

    /// Offers a token; its value is a choice where somebody decides by it.
    pub fn feed(&mut self, k: usize) {
        let Some(e) = self.net.sources[k] else { return };
        self.cells[e].queue.push_back(ANY);
        self.wake(e);
        // D3: after an entry token the next one waits for the return token.
        self.cells[e].running = self.net.gate.is_some_and(|(entry, _)| entry == k);
    }

    pub fn input(&self, e: ElementId, i: usize) -> Signal {
        self.signals[self.net.elements[e].inputs[i]]
    }

    fn all(&self, e: ElementId) -> bool {
        self.net.elements[e].inputs.iter().all(|&w| self.signals[w].valid)
    }

    /// Whether an output takes a token; a discarded one always does.
    pub fn room(&self, e: ElementId, o: usize) -> bool {
        self.net.elements[e].outputs.get(o).copied().flatten().is_none_or(|w| self.signals[w].ready)
    }

    /// Whether only a choice keeps an element from acting.
    pub fn open(&self, e: ElementId) -> bool {
        let (element, cell) = (&self.net.elements[e], &self.cells[e]);
        if element.choices == 0 || cell.held != OPEN {
            return false;
        }
        match element.kind {
            Kind::Source(_) => !cell.queue.is_empty(),
            Kind::Unit => self.all(e),
            Kind::Stream => cell.running && self.room(e, 0) && self.room(e, 1),
            _ => false,
        }
    }

    /// Values an open choice may take.
    pub fn options(&self, e: ElementId) -> std::ops::Range<u8> {
        let element = &self.net.elements[e];
        match element.kind {
            Kind::Stream if element.sure && self.cells[e].fresh => 1..2,
            _ => 0..element.choices,
        }
    }

    pub fn choose(&mut self, e: ElementId, value: u8) {
        self.cells[e].held = value;
        self.wake(e);
    }

    fn wake(&mut self, e: ElementId) {
        for &island in &self.net.islands.of[e] {
            if !std::mem::replace(&mut self.is_awake[island], true) {
                self.awake.push(island);
            }
        }
    }

    /// Steps until nothing changes; false when that takes too long, which it cannot.
    pub fn settle(&mut self) -> bool {
        // Every step moves a token on by one element, and storage bounds the tokens.
        (0..1_000_000).any(|_| !self.step())
    }

    /// One step of the islands in which something may move; whether anything changed.
    fn step(&mut self) -> bool {
        let net = self.net;
        let islands = std::mem::take(&mut self.awake);
        for &island in &islands {
            self.look_at(island);
        }
        // Storage between two of them has its edge with the first.
        let first = |e: ElementId| net.islands.of[e].iter().copied().find(|&island| self.is_awake[island]);
        let of =
            |island: IslandId| net.islands.all[island].elements().filter(move |&e| first(e) == Some(island));
        let elements: Vec<ElementId> = islands.iter().copied().flat_map(of).collect();
        for island in islands {
            self.is_awake[island] = false;
        }
        // All at once, on the signals of this step: no element sees what another one does in it. In an island that rests no
        // signal says that something moves.
        for e in elements {
            if self.clock(e) {
                self.wake(e);
            }
        }
        !self.awake.is_empty()
    }

    /// The signals of an island in this step.
    fn look_at(&mut self, island: IslandId) {
        let net = self.net;
        let island = &net.islands.all[island];
        self.work += island.elements().count() as u64;
        for &w in &island.wires {
            self.signals[w] = Signal::default();
        }
        // What is registered comes first: in this step it depends on nothing but its own state.
        for &e in &island.shores {
            self.shore(e);
        }
        // Valid looks at no ready (H1), so one pass from producers to consumers settles it.
        for &e in &island.order {
            self.valid(e);
        }
        // State machines and lanes are registered: they push into storage, whose room is known by now.
        for &e in &island.registered {
            self.act(e);
        }
        // Ready runs the other way; where it looks at valid, as in a join, that is settled.
        for &e in island.order.iter().rev() {
            self.ready(e);
        }
    }

    /// What storage says; beyond it, to an island that rests, it says what it said before.
    fn shore(&mut self, e: ElementId) {
        let net = self.net;
        let element = &net.elements[e];
        match element.kind {
            Kind::Source(_) => {
                let chosen = element.choices == 0 || self.cells[e].held != OPEN;
                if let (Some(&front), true) = (self.cells[e].queue.front(), chosen) {
                    let value = if element.choices > 0 { self.cells[e].held } else { front };
                    self.offer(e, 0, value);
                }
            }
            Kind::Fifo(depth) => {
                self.signals[element.inputs[0]].ready = self.cells[e].queue.len() < depth;
                if let Some(&front) = self.cells[e].queue.front() {
                    self.offer(e, 0, front);
                }
            }
            Kind::Sink(_) => {
                for &w in &element.inputs {
                    self.signals[w].ready = true;
                }
            }
            _ => {}
        }
    }

    fn offer(&mut self, e: ElementId, o: usize, value: u8) {
        if let Some(w) = self.net.elements[e].outputs.get(o).copied().flatten() {
            self.signals[w].valid = true;
            self.signals[w].value = value;
        }
    }

    /// The chosen input of a mux.
    pub fn chosen(&self, e: ElementId) -> usize {
        let last = self.net.elements[e].inputs.len() - 2;
        1 + usize::from(self.input(e, 0).value).min(last)
    }

    fn valid(&mut self, e: ElementId) {
        let net = self.net;
        let element = &net.elements[e];
        match element.kind {
            Kind::Fork => {
                let s = self.input(e, 0);
                for o in 0..element.outputs.len() {
                    if s.valid && self.cells[e].done >> o & 1 == 0 {
                        self.offer(e, o, s.value);
                    }
                }
            }
            Kind::Unit if self.all(e) => match (element.choices, self.cells[e].held) {
                (0, _) => self.offer(e, 0, ANY),
                (_, OPEN) => {}
                (_, value) => self.offer(e, 0, value),
            },
            Kind::Constant(literal) if self.all(e) => self.offer(e, 0, literal),
            Kind::Join if self.all(e) => self.offer(e, 0, ANY),
            Kind::CondBr if self.all(e) => {
                let side = usize::from(self.input(e, 0).value & 1 == 0);
                self.offer(e, side, self.input(e, 1).value);
            }
            Kind::Mux if self.input(e, 0).valid => {
                let k = self.chosen(e);
                if self.input(e, k).valid {
                    self.offer(e, 0, self.input(e, k).value);
                }
            }
            _ => {}
        }
    }

    fn ready(&mut self, e: ElementId) {
        let net = self.net;
        let element = &net.elements[e];
        let mut taken = u64::MAX;
        let fire = match element.kind {
            Kind::Fork => {
                // The input goes when the last branch takes its copy (H4).
                (0..element.outputs.len()).all(|o| self.cells[e].done >> o & 1 == 1 || self.room(e, o))
            }
            Kind::Unit => {
                let decided = element.choices == 0 || self.cells[e].held != OPEN;
                self.all(e) && decided && self.room(e, 0)
            }
            Kind::CondBr => self.all(e) && self.room(e, self.side(e)),
            Kind::Mux => {
                let k = self.chosen(e);
                // The inputs that were not chosen keep their tokens.
                taken = 1 | 1 << k;
                self.input(e, 0).valid && self.input(e, k).valid && self.room(e, 0)
            }
            _ => self.all(e) && self.room(e, 0),
        };
        for (i, &w) in element.inputs.iter().enumerate() {
            self.signals[w].ready = fire && (taken >> i.min(63) & 1 == 1);
        }
    }

    /// The side of a branch that its condition says, if that is there.
    pub fn side(&self, e: ElementId) -> usize {
        usize::from(self.input(e, 0).value & 1 == 0)
    }

    /// What a machine or a lane does in this step.
    fn act(&mut self, e: ElementId) {
        let net = self.net;
        let element = &net.elements[e];
        let running = self.cells[e].running;
        let held = self.cells[e].held;
        let (mut consume, mut push, mut values) = (0u64, 0u64, [ANY; 2]);
        let is = |i: usize, s: &Self| s.input(e, i).valid;
        match element.kind {
            Kind::Access => {
                let outputs = element.outputs.len();
                if self.all(e) && (0..outputs).all(|o| self.room(e, o)) {
                    (consume, push) = (u64::MAX, u64::MAX);
                }
            }
            Kind::Stream if running && held != OPEN && self.room(e, 0) && self.room(e, 1) => {
                push = 3;
                values[1] = held;
            }
            Kind::Stream if !running && self.all(e) => consume = 7,
            Kind::Gate if self.all(e) => {
                // Bit 0 is the value, bit 1 `after_cond`: an activation's first condition goes no further, and its last one has
                // no value.
                let c = self.input(e, 1).value & 1 == 1;
                let want = match (running, c) {
                    (false, true) => 1,
                    (false, false) => 0,
                    (true, true) => 3,
                    (true, false) => 2,
                };
                if (0..2).all(|o| want >> o & 1 == 0 || self.room(e, o)) {
                    (consume, push) = (3, want);
                    values = [self.input(e, 0).value, u8::from(c)];
                }
            }
            Kind::Carry if !running && is(1, self) && self.room(e, 0) => {
                (consume, push) = (2, 1);
                values[0] = self.input(e, 1).value;
            }
            Kind::Invariant if !running && is(1, self) && self.room(e, 0) => {
                (consume, push) = (2, 1);
                values[0] = self.input(e, 1).value;
            }
            Kind::Carry if running && is(0, self) => {
                // The last condition ends the activation. Hardware may take the next first token with it: sooner, not otherwise.
                if self.input(e, 0).value & 1 == 0 {
                    consume = 1;
                } else if is(2, self) && self.room(e, 0) {
                    (consume, push) = (5, 1);
                    values[0] = self.input(e, 2).value;
                }
            }
            Kind::CarryBr => {
                let from = if running { 2 } else { 1 };
                let side = self.side(e);
                if is(0, self) && is(from, self) && self.room(e, side) {
                    (consume, push) = (1 | 1 << from, 1 << side);
                    values[side] = self.input(e, from).value;
                }
            }
            Kind::InvariantBr => {
                let side = self.side(e);
                let take = !running && is(1, self);
                consume = u64::from(take) << 1;
                if is(0, self) && (running || take) && self.room(e, side) {
                    (consume, push) = (consume | 1, 1 << side);
                    values[side] = if running { held } else { self.input(e, 1).value };
                }
            }
            Kind::Invariant if running && is(0, self) => {
                if self.input(e, 0).value & 1 == 0 {
                    consume = 1;
                } else if self.room(e, 0) {
                    (consume, push) = (1, 1);
                    values[0] = held;
                }
            }
            _ => {}
        }
        for (i, &w) in element.inputs.iter().enumerate() {
            self.signals[w].ready = consume >> i.min(63) & 1 == 1;
        }
        for o in 0..element.outputs.len() {
            if push >> o & 1 == 1 {
                self.offer(e, o, values[o.min(1)]);
            }
        }
        self.acts[e] = (consume, push);
    }

    /// The edge at the end of a step; whether anything changed.
    fn clock(&mut self, e: ElementId) -> bool {
        let net = self.net;
        let element = &net.elements[e];
        let moves = |w: WireId, s: &Self| s.signals[w].valid && s.signals[w].ready;
        let (consume, push) = self.acts[e];
        match element.kind {
            Kind::Source(k) => {
                let Some(w) = element.outputs.first().copied().flatten() else {
                    // Leads nowhere: taken at once.
                    return self.cells[e].queue.pop_front().is_some();
                };
                if !moves(w, self) {
                    return false;
                }
                self.cells[e].queue.pop_front();
                self.cells[e].held = OPEN;
                self.accepted[k] += 1;
                true
            }
            Kind::Sink(k) => {
                let came = element.inputs.iter().any(|&w| moves(w, self));
                if came {
                    self.taken[k] += 1;
                    if let Some((entry, _)) = net.gate.filter(|&(_, back)| back == k) {
                        if let Some(source) = net.sources[entry] {
                            self.cells[source].running = false;
                        }
                    }
                }
                came
            }
            Kind::Fifo(_) => {
                let (input, output) = (element.inputs[0], element.outputs.first().copied().flatten());
                let leaves = output.is_some_and(|w| moves(w, self));
                if leaves {
                    self.cells[e].queue.pop_front();
                }
                let enters = moves(input, self);
                if enters {
                    let value = self.signals[input].value;
                    self.cells[e].queue.push_back(value);
                }
                leaves || enters
            }
            Kind::Fork => {
                let old = self.cells[e].done;
                let outputs = element.outputs.iter().enumerate();
                let now =
                    outputs.fold(old, |d, (o, w)| d | u64::from(w.is_some_and(|w| moves(w, self))) << o);
                let left = moves(element.inputs[0], self);
                self.cells[e].done = if left { 0 } else { now };
                left || now != old
            }
            Kind::Unit => {
                let fired = element.inputs.first().is_some_and(|&w| moves(w, self));
                if fired {
                    self.cells[e].held = OPEN;
                }
                fired
            }
            Kind::Constant(_) | Kind::Join | Kind::CondBr | Kind::Mux | Kind::Access => false,
            Kind::Stream => {
                let cell = &mut self.cells[e];
                if consume != 0 {
                    (cell.running, cell.fresh) = (true, element.sure);
                } else if push != 0 {
                    (cell.running, cell.fresh) = (cell.held & 1 == 1, false);
                    cell.held = OPEN;
                }
                consume != 0 || push != 0
            }
            Kind::Gate => {
                if consume != 0 {
                    self.cells[e].running = self.signals[element.inputs[1]].value & 1 == 1;
                }
                consume != 0
            }
            Kind::CarryBr | Kind::InvariantBr => {
                if consume & 2 == 2 {
                    self.cells[e].held = self.signals[element.inputs[1]].value;
                    self.cells[e].running = true;
                }
                if consume & 1 == 1 {
                    self.cells[e].running = self.signals[element.inputs[0]].value & 1 == 1;
                }
                if !self.cells[e].running || matches!(element.kind, Kind::CarryBr) {
                    self.cells[e].held = OPEN;
                }
                consume != 0
            }
            Kind::Carry | Kind::Invariant => {
                let seeded = consume & 2 == 2;
                if seeded {
                    self.cells[e].running = true;
                } else if consume != 0 && push == 0 {
                    self.cells[e].running = false;
                    self.cells[e].held = OPEN;
                }
                if seeded && matches!(element.kind, Kind::Invariant) {
                    self.cells[e].held = self.signals[element.inputs[1]].value;
                }
                consume != 0
            }
        }
    }
}
