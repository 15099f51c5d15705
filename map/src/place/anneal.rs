//! The annealer: which moves it tries, and what it keeps of them.

use super::cooling::{Cooling, Schedule};
use super::cost::{Costs, CycleClass, CycleState, Wire, IMPOSSIBLE};
use super::demand::{Counted, Demand, Spot};
use super::learn::Learner;
use super::ports::Ports;
use crate::model::problem::Problem;
use crate::model::resources::{Resources, NO_WAY};
use loom_base::Rng;

/// No option.
const NONE: u32 = u32::MAX;
/// Tries to find a place within range.
const MOST_TRIES: u32 = 5;
/// Steps in a hundred that move a whole recurrence, and of the others those that bring two ends of a slow cycle together.
const TOGETHER: u32 = 4;
const OF_CYCLES: u32 = 25;
/// Cycles that are looked at for a slow one, and its wires for a long one.
const LOOKED_AT: usize = 3;
const WIRES_LOOKED_AT: usize = 2;

/// The annealer's state. Items are nodes, arguments, results, in this order.
pub(super) struct Annealer<'a> {
    resources: &'a Resources,
    wires: Vec<Wire>,
    /// By wire: registers on it now.
    registers: Vec<u64>,
    cycles: Vec<CycleState>,
    costs: Costs,
    /// By cycle: its wires.
    along: Vec<Vec<usize>>,
    /// Nodes of the short recurrences.
    clusters: Vec<Vec<usize>>,
    /// By item: the wires that touch it.
    touching: Vec<Vec<usize>>,
    /// By item: its possible positions; of a node in the order of its candidates.
    options: Vec<Vec<usize>>,
    /// By item and position: index into its options, or [`NONE`].
    option_at: Vec<Vec<u32>>,
    /// By item: index into its options.
    pub at: Vec<usize>,
    /// By item: its position, where it has options, and where that is.
    position: Vec<usize>,
    spots: Vec<Spot>,
    /// By position.
    seats: Vec<Seat>,
    /// By position: for a load lane the store lane of its number, and the other way round.
    partner: Vec<Option<usize>>,
    /// Accesses at the ports of memory interfaces.
    ports: Ports,
    demand: Demand,
    /// Tiles that a free move may go; it shrinks as the temperature falls (as in VPR, Betz and Rose 1997).
    range: u32,
    cost: u64,
    /// What links and lengths cost of it.
    links: u64,
    last: Shift,
}

/// A position, as moves see it.
#[derive(Clone, Copy)]
struct Seat {
    /// The item there.
    owner: Option<u32>,
    /// The port of a memory interface that lanes share there.
    port: Option<u32>,
    spot: Spot,
}

/// What a shift changed beside the items that moved, to take it back.
#[derive(Default)]
struct Shift {
    /// The cost before, and what links were of it.
    cost: u64,
    links: u64,
    /// Items, and their options before.
    items: Vec<(usize, usize)>,
    /// Wires, and the registers on each before.
    wires: Vec<(usize, u64)>,
    /// Nets, and what each was counted for before.
    nets: Vec<(usize, Counted)>,
    /// Lists whose counters are no longer in any net.
    spare: Vec<Vec<u32>>,
}

impl<'a> Annealer<'a> {
    /// A start: items at their first options, all costs counted.
    pub fn new(
        resources: &'a Resources,
        (options, at): (Vec<Vec<usize>>, Vec<usize>),
        wires: Vec<Wire>,
        clusters: Vec<Vec<usize>>,
        ports: Ports,
        demand: Demand,
    ) -> Annealer<'a> {
        let places = resources.sites.len() + resources.inputs() + resources.outputs;
        let option_at = options.iter().map(|list| {
            let mut by_position = vec![NONE; places];
            for (o, &position) in list.iter().enumerate() {
                by_position[position] = o as u32;
            }
            by_position
        });
        let position = positions(&options, &at);
        let seat = |p: usize| {
            let port = resources.shared_unit(p).map(|unit| unit as u32);
            Seat { owner: None, port, spot: Spot::at(&resources.tiles, p) }
        };
        let seats: Vec<Seat> = (0..places).map(seat).collect();
        let mut annealer = Annealer {
            resources,
            spots: position.iter().map(|&p| seats[p].spot).collect(),
            seats,
            registers: vec![0; wires.len()],
            cycles: Vec::new(),
            costs: Costs::default(),
            along: Vec::new(),
            clusters,
            touching: vec![Vec::new(); options.len()],
            option_at: option_at.collect(),
            partner: (0..places).map(|p| resources.partner(p)).collect(),
            ports,
            demand,
            range: 0,
            cost: 0,
            links: 0,
            last: Shift::default(),
            position,
            wires,
            options,
            at,
        };
        for (w, wire) in annealer.wires.iter().enumerate() {
            annealer.touching[wire.from].push(w);
            if wire.to != wire.from {
                annealer.touching[wire.to].push(w);
            }
        }
        annealer.count_all();
        annealer
    }

    /// Counts every cost once, from nothing; moves only correct it afterwards.
    fn count_all(&mut self) {
        (self.cost, self.links) = (0, 0);
        for item in 0..self.options.len() {
            // Arguments without uses are nowhere.
            if !self.options[item].is_empty() {
                let position = self.position(item);
                self.sit(item, position);
            }
        }
        for item in 0..self.options.len() {
            self.refresh(item);
        }
        for net in 0..self.demand.nets.len() {
            self.recount(net);
        }
    }

    /// Lets a cycle count; what it costs with items at these options.
    fn count_cycle(&mut self, (class, length, wires): (CycleClass, u32, Vec<usize>), best: &[usize]) -> u64 {
        let (mut now, mut there) = (length, length);
        for &w in &wires {
            let wire = &self.wires[w];
            let at = |item: usize| self.options[item][best[item]];
            there += u32::from(self.resources.distance(at(wire.from), at(wire.to)));
            now += self.registers[w] as u32;
            self.wires[w].cycles.push(self.cycles.len() as u32);
        }
        let state = self.costs.cycle(class, now);
        self.cost += self.costs.of(state);
        self.cycles.push(state);
        self.along.push(wires);
        self.costs.of(CycleState { length: there, ..state })
    }

    /// Learns which cycles are slow now; `best` is a placement and its cost, which they count in too.
    fn learn(&mut self, problem: &Problem, learner: &mut Learner, best: &mut (u64, Vec<usize>)) {
        let known = learner.learn(problem, &self.cycles, &self.registers);
        for k in known..learner.cycles.len() {
            let state = learner.state(problem, &learner.cycles[k]);
            best.0 += self.count_cycle(state, &best.1);
        }
    }

    pub fn position(&self, item: usize) -> usize {
        self.position[item]
    }

    fn distance(&self, wire: &Wire) -> u64 {
        self.resources.distance(self.position(wire.from), self.position(wire.to)).into()
    }

    fn wire_cost(weight: u64, registers: u64) -> u64 {
        if registers == u64::from(NO_WAY) {
            IMPOSSIBLE
        } else {
            weight * registers
        }
    }

    /// Brings the cost up to date for the wires of an item that moved.
    fn refresh(&mut self, item: usize) {
        for k in 0..self.touching[item].len() {
            let w = self.touching[item][k];
            let (old, new) = (self.registers[w], self.distance(&self.wires[w]));
            // Most moves leave most wires as long as they were.
            if old == new {
                continue;
            }
            self.last.wires.push((w, old));
            let weight = self.wires[w].weight;
            // Added before taken away: the cost is unsigned.
            self.cost += Self::wire_cost(weight, new);
            self.cost -= Self::wire_cost(weight, old);
            self.lengthen(w, new);
        }
    }

    /// Puts so many registers on a wire, in all cycles that it lies on.
    fn lengthen(&mut self, w: usize, new: u64) {
        let old = std::mem::replace(&mut self.registers[w], new);
        let (mut goes, mut comes) = (0, 0);
        for &c in &self.wires[w].cycles {
            let cycle = &mut self.cycles[c as usize];
            goes += self.costs.of(*cycle);
            cycle.length = cycle.length + new as u32 - old as u32;
            comes += self.costs.of(*cycle);
        }
        self.cost = self.cost + comes - goes;
    }

    /// The same where nobody asks what it costs.
    fn put_back(&mut self, w: usize, old: u64) {
        let new = std::mem::replace(&mut self.registers[w], old);
        for &c in &self.wires[w].cycles {
            let length = &mut self.cycles[c as usize].length;
            *length = *length + old as u32 - new as u32;
        }
    }

    /// Puts items where these options are; what stood there has left or is among them.
    fn stand(&mut self, moves: &[(usize, usize)]) {
        // All leave before any arrives: two items may change places.
        for &(item, _) in moves {
            let position = self.position(item);
            let seat = &mut self.seats[position];
            seat.owner = None;
            if let Some(port) = seat.port {
                self.cost -= self.ports.leave(item, port);
            }
        }
        for &(item, option) in moves {
            let position = self.options[item][option];
            self.at[item] = option;
            self.position[item] = position;
            self.sit(item, position);
        }
    }

    /// Notes who is at a position.
    fn sit(&mut self, item: usize, position: usize) {
        let seat = &mut self.seats[position];
        seat.owner = Some(item as u32);
        self.spots[item] = seat.spot;
        if let Some(port) = seat.port {
            self.cost += self.ports.come(item, port);
        }
    }

    /// Moves items to new options at once, costs too; whether they may stand there and it costs at most so much. Where they may not, some
    /// of the costs are not counted, and the shift is to be taken back.
    fn shift(&mut self, moves: &[(usize, usize)], most: u64) -> bool {
        (self.last.cost, self.last.links) = (self.cost, self.links);
        self.last.items.clear();
        self.last.items.extend(moves.iter().map(|&(item, _)| (item, self.at[item])));
        self.last.wires.clear();
        self.last.spare.extend(self.last.nets.drain(..).map(|(_, counted)| counted.list));
        self.stand(moves);
        if !self.share_lanes(moves) {
            return false;
        }
        for &(item, _) in moves {
            self.refresh(item);
        }
        // All that links cost cannot make up for it.
        if self.cost - self.links > most {
            return false;
        }
        for k in 0..moves.len() {
            for n in 0..self.demand.nets_at[moves[k].0].len() {
                let net = self.demand.nets_at[moves[k].0][n];
                // A net at both items is counted again once.
                if k == 0 || !self.demand.nets_at[moves[0].0].contains(&net) {
                    self.recount(net);
                }
            }
        }
        self.cost <= most
    }

    /// Takes the last shift back. Nothing need be counted: it is known what was.
    fn take_back(&mut self) {
        let items = std::mem::take(&mut self.last.items);
        self.stand(&items);
        self.last.items = items;
        while let Some((w, old)) = self.last.wires.pop() {
            self.put_back(w, old);
        }
        // Backwards, as a net may have been counted twice.
        while let Some((net, counted)) = self.last.nets.pop() {
            let list = self.demand.restore(net, counted);
            self.last.spare.push(list);
        }
        (self.cost, self.links) = (self.last.cost, self.last.links);
    }

    /// Counts a net's demand anew.
    fn recount(&mut self, net: usize) {
        let list = self.last.spare.pop().unwrap_or_default();
        let counted = self.demand.ask(net, &self.spots, &self.registers, list);
        let (before, goes, comes) = self.demand.count_net(net, counted);
        self.cost += comes;
        self.cost -= goes;
        self.links += comes;
        self.links -= goes;
        self.last.nets.push((net, before));
    }

    /// A new option for an item: any within range, or one next to something it is connected to.
    fn propose(&self, item: usize, rng: &mut Rng) -> Option<usize> {
        if rng.chance(50) || self.touching[item].is_empty() {
            let from = self.spots[item];
            let near = |option: usize| {
                let to = self.seats[self.options[item][option]].spot;
                to.x.abs_diff(from.x).max(to.y.abs_diff(from.y)) <= self.range
            };
            return (0..MOST_TRIES).map(|_| rng.below(self.options[item].len())).find(|&o| near(o));
        }
        // Next to the other end of one of its wires: where most good places are.
        let wire = *rng.pick(&self.touching[item]);
        self.next_to_other_end(item, wire, rng)
    }

    /// A new option for an item, next to the other end of one of its wires.
    fn next_to_other_end(&self, item: usize, wire: usize, rng: &mut Rng) -> Option<usize> {
        let wire = &self.wires[wire];
        let near = if wire.from == item {
            self.resources.near_to(self.position(wire.to))
        } else {
            self.resources.near_from(self.position(wire.from))
        };
        if near.is_empty() {
            return None;
        }
        self.option_at(item, *rng.pick(near) as usize)
    }

    /// The item at a position.
    fn owner(&self, position: usize) -> Option<usize> {
        self.seats[position].owner.map(|item| item as usize)
    }

    /// The option of an item that a position is.
    fn option_at(&self, item: usize, position: usize) -> Option<usize> {
        let option = self.option_at[item][position];
        (option != NONE).then_some(option as usize)
    }

    /// Whether moved accesses of memory share the number of their lane only with accesses of the same memory: one region
    /// holds both.
    fn share_lanes(&self, moves: &[(usize, usize)]) -> bool {
        moves.iter().all(|&(item, _)| {
            // Only accesses are at lanes.
            let partner = || self.partner[self.position(item)].and_then(|p| self.owner(p));
            let memory = self.ports.memory(item);
            memory.is_none() || partner().is_none_or(|other| self.ports.memory(other) == memory)
        })
    }

    /// The nodes of a recurrence into one tile together, what stands there into the places they leave: single steps would
    /// have to pass placements in which the recurrence is torn apart. Empty when it cannot be done.
    fn propose_together(&self, rng: &mut Rng) -> Vec<(usize, usize)> {
        let nodes = rng.pick(&self.clusters);
        let first = self.options[nodes[0]][rng.below(self.options[nodes[0]].len())];
        let tile = self.seats[first].spot.tile;
        let mut targets: Vec<(usize, usize)> = Vec::new();
        let mut taken: Vec<usize> = Vec::new();
        // A place for each of them in that tile, one after the other.
        for &n in nodes {
            let here = |&o: &usize| {
                let site = self.options[n][o];
                self.seats[site].spot.tile == tile && !taken.contains(&site)
            };
            let open: Vec<usize> = (0..self.options[n].len()).filter(here).collect();
            if open.is_empty() {
                return Vec::new();
            }
            let option = *rng.pick(&open);
            taken.push(self.options[n][option]);
            targets.push((n, option));
        }
        // Whoever stood there goes where one of them was.
        let mut left: Vec<usize> =
            nodes.iter().map(|&n| self.position(n)).filter(|site| !taken.contains(site)).collect();
        for site in taken {
            // The recurrence itself may have stood on it.
            let Some(other) = self.owner(site).filter(|o| !nodes.contains(o)) else { continue };
            let Some(k) = left.iter().position(|&to| self.option_at(other, to).is_some()) else {
                return Vec::new();
            };
            let to = left.swap_remove(k);
            targets.push((other, self.option_at(other, to).expect("it was looked at")));
        }
        targets.retain(|&(item, option)| self.at[item] != option);
        targets
    }

    /// Spends the steps, from hot to cold, and keeps the cheapest placement seen.
    pub fn anneal(
        &mut self,
        rng: &mut Rng,
        (steps, way): (u64, Cooling),
        problem: &Problem,
        learner: &mut Learner,
    ) {
        let movable: Vec<usize> = (0..self.options.len()).filter(|&i| self.options[i].len() > 1).collect();
        if movable.is_empty() {
            return;
        }
        let start = self.at.clone();
        for cycle in &learner.cycles {
            self.count_cycle(learner.state(problem, cycle), &start);
        }
        let mut best = (self.cost, start);
        let wires = self.wires.len().max(1) as f64;
        // Hot enough to accept what an average wire costs; impossible starts would heat without bound.
        let average = self.cost.min(self.demand.effort * IMPOSSIBLE / 10) as f64 / wires;
        let widest = self.seats.iter().map(|s| s.spot.x.max(s.spot.y) as u64).max().unwrap_or(0);
        let mut schedule = Schedule::new(way, steps, average, widest);
        while schedule.goes_on() {
            self.range = schedule.range();
            let taken = self.level(rng, &schedule, &movable, &mut best);
            schedule.cool(taken, self.cost as f64 / wires);
            if !schedule.is_heating() {
                self.learn(problem, learner, &mut best);
            }
        }
        self.at = best.1;
        self.position = positions(&self.options, &self.at);
    }

    /// Moves at one temperature; the part of them that was taken.
    fn level(
        &mut self,
        rng: &mut Rng,
        schedule: &Schedule,
        movable: &[usize],
        best: &mut (u64, Vec<usize>),
    ) -> f64 {
        let (mut tried, mut taken) = (0u32, 0u32);
        let mut moves = Vec::new();
        for _ in 0..schedule.steps() {
            moves.clear();
            if !self.clusters.is_empty() && rng.chance(TOGETHER) {
                moves = self.propose_together(rng);
            } else if !self.cycles.is_empty() && rng.chance(OF_CYCLES) {
                self.propose_closer(rng, &mut moves);
            } else {
                self.propose_one(*rng.pick(movable), rng, &mut moves);
            }
            if moves.is_empty() {
                continue;
            }
            tried += 1;
            // Moved first, judged after: most costs are known only then.
            let most = self.cost + schedule.lenience(rng);
            if !self.shift(&moves, most) {
                self.take_back();
                continue;
            }
            taken += 1;
            if self.cost < best.0 {
                best.0 = self.cost;
                best.1.clone_from(&self.at);
            }
        }
        f64::from(taken) / f64::from(tried.max(1))
    }

    /// An item to any option. None when that cannot be done.
    fn propose_one(&self, i: usize, rng: &mut Rng, moves: &mut Vec<(usize, usize)>) {
        if let Some(option) = self.propose(i, rng) {
            self.exchange(i, option, moves);
        }
    }

    /// An end of a long wire of a slow cycle next to its other end: few items decide how fast a graph runs. None when that cannot be done.
    fn propose_closer(&self, rng: &mut Rng, moves: &mut Vec<(usize, usize)>) {
        let cycles = (0..LOOKED_AT).map(|_| rng.below(self.cycles.len()));
        let slow = cycles.max_by_key(|&c| self.costs.of(self.cycles[c])).expect("some are looked at");
        let wires = (0..WIRES_LOOKED_AT).map(|_| *rng.pick(&self.along[slow]));
        let long = wires.max_by_key(|&w| self.registers[w]).expect("some are looked at");
        let item = if rng.chance(50) { self.wires[long].from } else { self.wires[long].to };
        if let Some(option) = self.next_to_other_end(item, long, rng) {
            self.exchange(item, option, moves);
        }
    }

    /// An item to another option; whoever is there comes back to where it was. None when that cannot be done.
    fn exchange(&self, i: usize, option: usize, moves: &mut Vec<(usize, usize)>) {
        if option == self.at[i] {
            return;
        }
        let (old, new) = (self.position(i), self.options[i][option]);
        let back = self.owner(new).map(|other| (other, self.option_at(other, old)));
        match back {
            None => moves.push((i, option)),
            Some((other, Some(back))) => moves.extend([(i, option), (other, back)]),
            Some((_, None)) => {}
        }
    }
}

/// By item: where it is; of items without options, which are nowhere, nothing that is looked at.
fn positions(options: &[Vec<usize>], at: &[usize]) -> Vec<usize> {
    options.iter().zip(at).map(|(list, &o)| list.get(o).copied().unwrap_or(0)).collect()
}
