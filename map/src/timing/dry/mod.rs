//! A dry run: the tokens of a routed graph, each with the time at which it moves, without their data.
//!
//! [`super`] looks at each loop alone, as it runs in the long term. What loops do to each other, short activations, values that wait for a loop to
//! end, branches that are taken now and then, shows when the graph runs: every place holds as many tokens as the hardware has room for
//! there, every op fires by its rule (`rules.rs`), and where data would decide [`Control`] does (`control.rs`). A move is an event; its time is the
//! latest of what it waits for. So a run says how long it takes, and following the events back from the last one, which uses
//! it would have taken less time for with more room before them.
//!
//! Guarantees: the same events whatever the mapping, as long as no token stays behind; a run without end of room takes no longer than one with
//! room as it is. Refuses a graph whose tokens do not come to an end in balance: one where argument streams belong together, or where
//! conditions depend on each other by their data. Approximations: memory ports are nobody else's, branches go half and half.

mod control;
mod points;
mod rules;

pub use control::Control;

use super::routed::{Routed, UseId};
use loom_dfg::graph::Use;
use loom_dfg::Graph;
use points::{Point, PointId, Points, Taker};
use rules::{firing, Firing, Operands, Phase};
use std::collections::BTreeMap;

/// Events after which a run is given up.
const MOST_EVENTS: usize = 4_000_000;

/// Index of an [`Event`].
type EventId = u32;

/// That a token moves.
#[derive(Clone, Copy)]
struct Event {
    cycle: u64,
    /// What it waited for last.
    after: Option<EventId>,
    why: Why,
}

/// What an event is, as far as it matters to who looks back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    /// A token goes on, or is there.
    Goes,
    /// It waited until there was room.
    Room,
    /// All behind a place have taken a token, or the next one comes up behind it.
    Done,
    /// A use takes it.
    Takes(u32),
}

/// How a dry run went.
pub struct DryRun {
    /// Cycles until the last result was made, from when the arguments were there.
    pub cycles: u64,
    /// Uses that the run waited for since what comes before them had no room: on the way back from the last event, each once. Of a row of ops
    /// without registers the uses of all, the last one first.
    pub waits: Vec<Vec<UseId>>,
}

/// What holds the tokens that wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Queues {
    /// As the hardware has them.
    AsTheyAre,
    /// Without end.
    Endless,
}

/// The state of a run.
struct Run<'r> {
    graph: &'r Graph,
    control: &'r Control,
    is_endless: bool,
    interval: Vec<u64>,
    places: Points,
    events: Vec<Event>,
    /// By place: what entered, is offered, and was taken by all, token by token.
    entered: Vec<Vec<EventId>>,
    offered: Vec<Vec<EventId>>,
    done: Vec<Vec<EventId>>,
    /// By use.
    taken: Vec<Vec<EventId>>,
    /// By value: what its tokens say.
    says: Vec<Vec<u8>>,
    /// By node.
    phase: Vec<Phase>,
    /// By node: its last firing, and the cycle from which on it may fire again.
    last: Vec<Option<(u64, EventId)>>,
    /// A firing that drives wires, until all behind them have taken it: its event.
    open: Vec<Option<(EventId, Firing)>>,
    todo: Vec<Item>,
    queued: Vec<bool>,
}

#[derive(Clone, Copy)]
enum Item {
    Place(PointId),
    Node(usize),
}

/// Runs a graph once; none where it does not come to its end in balance.
pub fn run(
    routed: &Routed,
    control: &Control,
    more: &BTreeMap<UseId, u32>,
    queues: Queues,
) -> Option<DryRun> {
    let mut run = Run::new(routed, control, Points::new(routed, more), queues);
    run.start();
    while let Some(item) = run.todo.pop() {
        if run.events.len() > MOST_EVENTS {
            return None;
        }
        match item {
            Item::Place(p) => {
                run.queued[p] = false;
                run.place(p);
            }
            Item::Node(n) => {
                let at = run.places.points.len() + n;
                run.queued[at] = false;
                while run.node(n) {}
            }
        }
    }
    run.end()
}

impl<'r> Run<'r> {
    fn new(routed: &Routed<'r>, control: &'r Control, places: Points, queues: Queues) -> Run<'r> {
        let graph = routed.graph;
        let (points, nodes) = (places.points.len(), graph.nodes.len());
        Run {
            graph,
            control,
            is_endless: queues == Queues::Endless,
            interval: routed.units.iter().map(|u| u.interval.unsigned_abs().max(1)).collect(),
            events: Vec::new(),
            entered: vec![Vec::new(); points],
            offered: vec![Vec::new(); points],
            done: vec![Vec::new(); points],
            taken: vec![Vec::new(); places.takers.len()],
            says: vec![Vec::new(); graph.values.len()],
            phase: vec![Phase::default(); nodes],
            last: vec![None; nodes],
            open: vec![None; nodes],
            todo: Vec::new(),
            queued: vec![false; points + nodes],
            places,
        }
    }

    /// Tokens of each argument, and a look at every op.
    fn start(&mut self) {
        for &v in &self.graph.arguments {
            let Some(root) = self.places.roots[v.0 as usize] else { continue };
            for k in 0..self.control.activations() {
                self.says[v.0 as usize].push(self.control.value(v, k, 0));
                let event = self.event(0, None, Why::Goes);
                self.entered[root].push(event);
            }
            self.wake(Item::Place(root));
        }
        (0..self.graph.nodes.len()).for_each(|n| self.wake(Item::Node(n)));
    }

    fn event(&mut self, cycle: u64, after: Option<EventId>, why: Why) -> EventId {
        self.events.push(Event { cycle, after, why });
        (self.events.len() - 1) as EventId
    }

    fn cycle(&self, event: EventId) -> u64 {
        self.events[event as usize].cycle
    }

    fn wake(&mut self, item: Item) {
        let at = match item {
            Item::Place(p) => p,
            Item::Node(n) => self.places.points.len() + n,
        };
        if !std::mem::replace(&mut self.queued[at], true) {
            self.todo.push(item);
        }
    }

    /// The event after which a place has room for its k-th token, with its cycle; an error where that is not known yet.
    fn room(&self, p: PointId, k: usize) -> Result<Option<(u64, EventId)>, ()> {
        let Some(store) = self.places.points[p].store else { return Ok(None) };
        let Some(before) = k.checked_sub(store.room).filter(|_| !self.is_endless) else { return Ok(None) };
        let &left = self.done[p].get(before).ok_or(())?;
        Ok(Some((self.cycle(left) + store.back, left)))
    }

    /// Moves tokens on at a place, as far as they go.
    fn place(&mut self, p: PointId) {
        let Point { parent, store, node, .. } = self.places.points[p];
        let mut moved = true;
        while moved {
            moved = false;
            if let (Some(parent), Some(_)) = (parent, store) {
                moved |= self.enter(p, parent);
            }
            if let Some(store) = store {
                moved |= self.offer(p, store.latency);
            }
            if self.finish(p) {
                moved = true;
                // Room for what waits before it, or the end of a firing.
                match (parent, node) {
                    (Some(parent), _) => self.wake(Item::Place(parent)),
                    (None, Some(n)) => self.wake(Item::Node(n)),
                    (None, None) => {}
                }
            }
        }
    }

    fn enter(&mut self, p: PointId, parent: PointId) -> bool {
        let k = self.entered[p].len();
        let (Some(&offered), Ok(room)) = (self.offered[parent].get(k), self.room(p, k)) else { return false };
        let cycle = self.cycle(offered);
        let event = match room {
            Some((free, left)) if free > cycle => self.event(free, Some(left), Why::Room),
            _ => self.event(cycle, Some(offered), Why::Goes),
        };
        self.entered[p].push(event);
        self.wake(Item::Place(parent));
        true
    }

    fn offer(&mut self, p: PointId, latency: u64) -> bool {
        let k = self.offered[p].len();
        let Some(&entered) = self.entered[p].get(k) else { return false };
        let mut at = (self.cycle(entered) + latency, entered, Why::Goes);
        if let Some(before) = k.checked_sub(1) {
            let Some(&left) = self.done[p].get(before) else { return false };
            if self.cycle(left) + 1 > at.0 {
                // What went at once only came one after the other.
                let stood = self.cycle(left) > self.cycle(self.offered[p][before]);
                at = (self.cycle(left) + 1, left, if stood { Why::Room } else { Why::Done });
            }
        }
        let event = self.event(at.0, Some(at.1), at.2);
        self.offered[p].push(event);
        self.offers(p, event);
        true
    }

    /// Wakes what is behind a place; results of the graph take at once.
    fn offers(&mut self, p: PointId, event: EventId) {
        for i in 0..self.places.points[p].children.len() {
            self.wake(Item::Place(self.places.points[p].children[i]));
        }
        for i in 0..self.places.points[p].uses.len() {
            let u = self.places.points[p].uses[i];
            match self.places.takers[u].use_ {
                Use::Operand { node, .. } => self.wake(Item::Node(node.0 as usize)),
                Use::Output(_) => {
                    let taken = self.event(self.cycle(event), Some(event), Why::Takes(u as u32));
                    self.taken[u].push(taken);
                }
            }
        }
    }

    /// Ends the next token of a place, where all behind it have taken it.
    fn finish(&mut self, p: PointId) -> bool {
        let k = self.done[p].len();
        let Some(&offered) = self.offered[p].get(k) else { return false };
        if self.is_endless {
            self.done[p].push(offered);
            return true;
        }
        let point = &self.places.points[p];
        let children = point.children.iter().map(|&c| self.entered[c].get(k));
        let uses = point.uses.iter().map(|&u| self.taken[u].get(k));
        let mut latest = offered;
        for event in children.chain(uses) {
            let Some(&event) = event else { return false };
            if self.cycle(event) >= self.cycle(latest) {
                latest = event;
            }
        }
        let event = self.event(self.cycle(latest), Some(latest), Why::Done);
        self.done[p].push(event);
        true
    }

    /// Fires a node, or ends its firing; whether it did.
    fn node(&mut self, n: usize) -> bool {
        match self.open[n] {
            Some((started, firing)) => self.close(n, started, firing),
            None => self.fire(n),
        }
    }

    /// Where a node's results go, of those that go anywhere.
    fn given(&self, n: usize, gives: u64) -> impl Iterator<Item = PointId> + '_ {
        let results =
            self.graph.nodes[n].results.iter().enumerate().filter(move |&(r, _)| gives >> r & 1 == 1);
        results.filter_map(|(_, v)| self.places.roots[v.0 as usize])
    }

    fn fire(&mut self, n: usize) -> bool {
        let waiting = Waiting { run: self, n };
        let Some((firing, next)) = firing(self.graph, self.control, n, self.phase[n], &waiting) else {
            return false;
        };
        let Some((cycle, after, why)) = self.starts(n, firing) else { return false };
        let event = self.event(cycle, after, why);
        self.phase[n] = next;
        let (mut drives, graph) = (false, self.graph);
        for (r, v) in graph.nodes[n].results.iter().enumerate() {
            let Some(root) = self.places.roots[v.0 as usize].filter(|_| firing.gives >> r & 1 == 1) else {
                continue;
            };
            let k = self.says[v.0 as usize].len();
            let known = firing.says.get(r).copied().unwrap_or(0);
            self.says[v.0 as usize].push(self.control.value(*v, k, known));
            if self.places.points[root].store.is_some() {
                self.entered[root].push(event);
            } else {
                drives = true;
                self.offered[root].push(event);
                self.offers(root, event);
            }
            self.wake(Item::Place(root));
        }
        if drives {
            self.open[n] = Some((event, firing));
        } else {
            self.take(n, firing, event);
        }
        true
    }

    /// The latest of a node's last firing, of what it takes, and of room where its results go into registers; none where that is not
    /// known yet.
    fn starts(&self, n: usize, firing: Firing) -> Option<(u64, Option<EventId>, Why)> {
        let mut at = match self.last[n] {
            Some((cycle, last)) => (cycle, Some(last), Why::Goes),
            None => (0, None, Why::Goes),
        };
        for u in self.taken_by(n, firing) {
            let offered = self.offered[self.places.takers[u].point][self.taken[u].len()];
            if at.1.is_none() || self.cycle(offered) > at.0 {
                at = (self.cycle(offered), Some(offered), Why::Goes);
            }
        }
        for root in self.given(n, firing.gives) {
            if let Some((free, left)) = self.room(root, self.entered[root].len()).ok()? {
                if free > at.0 {
                    at = (free, Some(left), Why::Room);
                }
            }
        }
        Some(at)
    }

    /// The uses that a firing takes a token of.
    fn taken_by(&self, n: usize, firing: Firing) -> impl Iterator<Item = usize> + '_ {
        let operands = self.places.operands[n].iter().enumerate();
        operands.filter(move |&(i, _)| firing.takes >> i & 1 == 1).filter_map(|(_, &u)| u)
    }

    /// Ends a firing whose results nothing holds, when all have taken them.
    fn close(&mut self, n: usize, started: EventId, firing: Firing) -> bool {
        let mut latest = started;
        for root in self.given(n, firing.gives) {
            let Some(&done) = self.done[root].get(self.offered[root].len() - 1) else { return false };
            if self.cycle(done) > self.cycle(latest) {
                latest = done;
            }
        }
        self.open[n] = None;
        let why = if latest == started { Why::Goes } else { Why::Room };
        let event = self.event(self.cycle(latest), Some(latest), why);
        self.take(n, firing, event);
        true
    }

    fn take(&mut self, n: usize, firing: Firing, event: EventId) {
        let again = self.cycle(event) + if firing.is_end { 0 } else { self.interval[n] };
        self.last[n] = Some((again, event));
        for operand in 0..self.places.operands[n].len() {
            let Some(u) = self.places.operands[n][operand].filter(|_| firing.takes >> operand & 1 == 1)
            else {
                continue;
            };
            let taken = self.event(self.cycle(event), Some(event), Why::Takes(u as u32));
            self.taken[u].push(taken);
            self.wake(Item::Place(self.places.takers[u].point));
        }
    }

    /// What became of it; none where a token is left, or a machine has not ended.
    fn end(self) -> Option<DryRun> {
        let is_left = |p: usize| {
            let (offered, done) = (self.offered[p].len(), self.done[p].len());
            offered != done || self.places.points[p].store.is_some() && self.entered[p].len() != done
        };
        let is_open = (0..self.phase.len()).any(|n| self.phase[n].running || self.open[n].is_some());
        let is_ahead = |u: usize| self.taken[u].len() != self.offered[self.places.takers[u].point].len();
        let points = 0..self.places.points.len();
        if is_open || (0..self.taken.len()).any(is_ahead) || points.into_iter().any(is_left) {
            return None;
        }
        let is_result = |t: &&Taker| matches!(t.use_, Use::Output(_));
        let made = self.places.takers.iter().filter(is_result).filter_map(|t| self.made(t.point).last());
        let last = made.copied().max_by_key(|&e| self.cycle(e))?;
        Some(DryRun { cycles: self.cycle(last), waits: self.waits(last) })
    }

    /// When the tokens at a place were made: the way out is no part of a run's loops.
    fn made(&self, mut p: PointId) -> &[EventId] {
        while let Some(parent) = self.places.points[p].parent {
            p = parent;
        }
        &self.offered[p]
    }

    /// Back from an event: what each wait for room on the way was for.
    fn waits(&self, last: EventId) -> Vec<Vec<UseId>> {
        let mut waits: Vec<Vec<UseId>> = Vec::new();
        let (mut at, mut row) = (Some(last), None::<Vec<UseId>>);
        while let Some(event) = at {
            let Event { after, why, .. } = self.events[event as usize];
            match (why, &mut row) {
                (Why::Room, None) => row = Some(Vec::new()),
                (Why::Room | Why::Done, _) => {}
                (Why::Takes(u), Some(uses)) => uses.insert(0, self.places.takers[u as usize].id),
                (Why::Takes(_), None) => {}
                // A token was late: what waited for it is what lacks room before it.
                (Why::Goes, Some(_)) => {
                    let uses = row.take().expect("it is there");
                    if !uses.is_empty() && !waits.contains(&uses) {
                        waits.push(uses);
                    }
                }
                (Why::Goes, None) => {}
            }
            at = after;
        }
        waits
    }
}

/// The operands of a node in a run.
struct Waiting<'a, 'r> {
    run: &'a Run<'r>,
    n: usize,
}

impl Operands for Waiting<'_, '_> {
    fn token(&self, operand: usize) -> Option<u8> {
        let run = self.run;
        let v = run.graph.nodes[self.n].operands[operand];
        if let Some(literal) = run.graph.literal(v) {
            return Some(rules::says(literal));
        }
        let u = run.places.operands[self.n][operand]?;
        let k = run.taken[u].len();
        run.offered[run.places.takers[u].point].get(k)?;
        run.says[v.0 as usize].get(k).copied()
    }
}
