//! The annealer: which moves it tries, and what it keeps of them.

use super::cooling::{Cooling, Schedule};
use super::cost::{CycleState, Wire, IMPOSSIBLE, SHARED_UNIT};
use super::demand::{ends_weight, Corners, Counted, Demand};
use super::learn::Learner;
use crate::model::problem::Problem;
use crate::model::resources::{Resources, NO_WAY};
use loom_base::Rng;

/// Cost of a value's half perimeter: tiles across plus tiles along.
const BOX: u64 = 3;
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
    /// By cycle: its wires.
    along: Vec<Vec<usize>>,
    /// Nodes of the short recurrences.
    clusters: Vec<Vec<usize>>,
    /// By item: the wires that touch it.
    touching: Vec<Vec<usize>>,
    /// By item: its possible positions; of a node in the order of its candidates.
    options: Vec<Vec<usize>>,
    /// By item and position: index into its options.
    option_at: Vec<Vec<Option<u32>>>,
    /// By item: index into its options.
    pub at: Vec<usize>,
    /// By item: its position, where it has options.
    position: Vec<usize>,
    /// By position: the item there.
    owner: Vec<Option<usize>>,
    /// By position: for a load lane the store lane of its number, and the other way round.
    partner: Vec<Option<usize>>,
    /// By position: the unit that slots share there, and by such a unit: nodes on it.
    unit_at: Vec<Option<usize>>,
    on_unit: Vec<u64>,
    /// By item: the memory it is an access of.
    memory: Vec<Option<loom_dfg::graph::MemoryId>>,
    demand: Demand,
    /// Tiles that a free move may go; it shrinks as the temperature falls (as in VPR, Betz and Rose 1997).
    range: u32,
    cost: u64,
    /// What links and lengths cost of it.
    links: u64,
    last: Shift,
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
    spare: Vec<Vec<usize>>,
}

impl<'a> Annealer<'a> {
    /// A start: items at their first options, all costs counted.
    pub fn new(
        resources: &'a Resources,
        (options, at): (Vec<Vec<usize>>, Vec<usize>),
        wires: Vec<Wire>,
        clusters: Vec<Vec<usize>>,
        memory: Vec<Option<loom_dfg::graph::MemoryId>>,
        demand: Demand,
    ) -> Annealer<'a> {
        let places = resources.sites.len() + resources.inputs() + resources.outputs;
        let option_at = options.iter().map(|list| {
            let mut by_position = vec![None; places];
            for (o, &position) in list.iter().enumerate() {
                by_position[position] = Some(o as u32);
            }
            by_position
        });
        let mut annealer = Annealer {
            resources,
            registers: vec![0; wires.len()],
            cycles: Vec::new(),
            along: Vec::new(),
            clusters,
            touching: vec![Vec::new(); options.len()],
            option_at: option_at.collect(),
            owner: vec![None; places],
            partner: (0..places).map(|p| resources.partner(p)).collect(),
            unit_at: (0..places).map(|p| resources.shared_unit(p)).collect(),
            on_unit: vec![0; 2 * resources.components()],
            memory,
            demand,
            range: 0,
            cost: 0,
            links: 0,
            last: Shift::default(),
            position: positions(&options, &at),
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
                self.owner[position] = Some(item);
                if let Some(unit) = self.unit_at[position] {
                    self.cost += SHARED_UNIT * self.on_unit[unit];
                    self.on_unit[unit] += 1;
                }
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
    fn count_cycle(&mut self, (mut state, wires): (CycleState, Vec<usize>), best: &[usize]) -> u64 {
        let mut there = state.clone();
        for &w in &wires {
            let wire = &self.wires[w];
            let at = |item: usize| self.options[item][best[item]];
            let length = u64::from(self.resources.distance(at(wire.from), at(wire.to)));
            there.set_length(there.length() + length);
            state.set_length(state.length() + self.registers[w]);
            self.wires[w].cycles.push(self.cycles.len());
        }
        self.cost += state.cost();
        self.cycles.push(state);
        self.along.push(wires);
        there.cost()
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
        for &c in &self.wires[w].cycles {
            let cycle = &mut self.cycles[c];
            self.cost -= cycle.cost();
            cycle.set_length(cycle.length() + new - old);
            self.cost += cycle.cost();
        }
    }

    /// Puts items where these options are; what stood there has left or is among them.
    fn stand(&mut self, moves: &[(usize, usize)]) {
        // All leave before any arrives: two items may change places.
        for &(item, _) in moves {
            let position = self.position(item);
            self.owner[position] = None;
            if let Some(unit) = self.unit_at[position] {
                self.on_unit[unit] -= 1;
                self.cost -= SHARED_UNIT * self.on_unit[unit];
            }
        }
        for &(item, option) in moves {
            let position = self.options[item][option];
            self.owner[position] = Some(item);
            self.at[item] = option;
            self.position[item] = position;
            if let Some(unit) = self.unit_at[position] {
                self.cost += SHARED_UNIT * self.on_unit[unit];
                self.on_unit[unit] += 1;
            }
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
            self.lengthen(w, old);
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
        let mut list = self.last.spare.pop().unwrap_or_default();
        list.clear();
        let (tiles, d) = (self.demand.tiles, &self.demand);
        let from = self.position(d.nets[net].0);
        for &(sink, tight) in &d.nets[net].1 {
            let to = self.position(sink);
            // Ports of the fabric lie in no tile: their links are not contended for.
            let (Some(&a), Some(&b)) = (d.tile.get(from), d.tile.get(to)) else { continue };
            let [pair, leaving, entering] = d.counters(a, b);
            if self.resources.distance(from, to) == 1 {
                list.push(pair);
                if tight {
                    list.push(tiles * tiles + 2 * tiles + pair);
                }
            }
            if a != b {
                list.extend([leaving, entering]);
            }
        }
        // One channel carries a value to all its uses in a tile.
        list.sort_unstable();
        list.dedup();
        let corners = self.corners(net);
        let length = self.length(net, corners);
        let (before, goes, comes) = self.demand.count_net(net, Counted { list, corners, length });
        self.cost += comes;
        self.cost -= goes;
        self.links += comes;
        self.links -= goes;
        self.last.nets.push((net, before));
    }

    /// The box of a net's ends.
    fn corners(&self, net: usize) -> Corners {
        let (source, sinks) = &self.demand.nets[net];
        let (x, y) = self.demand.grid[self.position(*source)];
        let (mut low, mut high) = ((x, y), (x, y));
        for &(sink, _) in sinks {
            let (x, y) = self.demand.grid[self.position(sink)];
            low = (low.0.min(x), low.1.min(y));
            high = (high.0.max(x), high.1.max(y));
        }
        (low, high)
    }

    /// Cost of a net's length: its half perimeter, corrected for nets of many ends.
    fn length(&self, net: usize, (low, high): Corners) -> u64 {
        let perimeter = (high.0.abs_diff(low.0) + high.1.abs_diff(low.1)) as u64;
        self.demand.effort * BOX * perimeter * ends_weight(self.demand.nets[net].1.len()) / 16
    }

    /// A new option for an item: any within range, or one next to something it is connected to.
    fn propose(&self, item: usize, rng: &mut Rng) -> Option<usize> {
        if rng.chance(50) || self.touching[item].is_empty() {
            let (x, y) = self.demand.grid[self.position(item)];
            let near = |option: usize| {
                let (a, b) = self.demand.grid[self.options[item][option]];
                a.abs_diff(x).max(b.abs_diff(y)) <= self.range
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
        self.option_at[item][*rng.pick(near) as usize].map(|o| o as usize)
    }

    /// Whether moved accesses of memory share the number of their lane only with accesses of the same memory: one region
    /// holds both.
    fn share_lanes(&self, moves: &[(usize, usize)]) -> bool {
        moves.iter().all(|&(item, _)| {
            let partner = self.partner[self.position(item)].and_then(|p| self.owner[p]);
            partner.is_none_or(|other| self.memory[other] == self.memory[item])
        })
    }

    /// The nodes of a recurrence into one tile together, what stands there into the places they leave: single steps would
    /// have to pass placements in which the recurrence is torn apart. Empty when it cannot be done.
    fn propose_together(&self, rng: &mut Rng) -> Vec<(usize, usize)> {
        let nodes = rng.pick(&self.clusters);
        let first = self.options[nodes[0]][rng.below(self.options[nodes[0]].len())];
        let tile = self.demand.tile[first];
        let mut targets: Vec<(usize, usize)> = Vec::new();
        let mut taken: Vec<usize> = Vec::new();
        // A place for each of them in that tile, one after the other.
        for &n in nodes {
            let here = |&o: &usize| {
                let site = self.options[n][o];
                self.demand.tile[site] == tile && !taken.contains(&site)
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
            let Some(other) = self.owner[site].filter(|o| !nodes.contains(o)) else { continue };
            let Some(k) = left.iter().position(|&to| self.option_at[other][to].is_some()) else {
                return Vec::new();
            };
            let to = left.swap_remove(k);
            targets.push((other, self.option_at[other][to].expect("it was looked at") as usize));
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
        let widest = self.demand.grid.iter().map(|&(x, y)| x.max(y) as u64).max().unwrap_or(0);
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
        for _ in 0..schedule.steps() {
            let moves = if !self.clusters.is_empty() && rng.chance(TOGETHER) {
                self.propose_together(rng)
            } else if !self.cycles.is_empty() && rng.chance(OF_CYCLES) {
                self.propose_closer(rng)
            } else {
                self.propose_one(*rng.pick(movable), rng)
            };
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
                *best = (self.cost, self.at.clone());
            }
        }
        f64::from(taken) / f64::from(tried.max(1))
    }

    /// An item to any option. Empty when that cannot be done.
    fn propose_one(&self, i: usize, rng: &mut Rng) -> Vec<(usize, usize)> {
        self.propose(i, rng).map_or(Vec::new(), |option| self.exchange(i, option))
    }

    /// An end of a long wire of a slow cycle next to its other end: few items decide how fast a graph runs. Empty when that cannot be done.
    fn propose_closer(&self, rng: &mut Rng) -> Vec<(usize, usize)> {
        let cycles = (0..LOOKED_AT).map(|_| rng.below(self.cycles.len()));
        let slow = cycles.max_by_key(|&c| self.cycles[c].cost()).expect("some are looked at");
        let wires = (0..WIRES_LOOKED_AT).map(|_| *rng.pick(&self.along[slow]));
        let long = wires.max_by_key(|&w| self.registers[w]).expect("some are looked at");
        let item = if rng.chance(50) { self.wires[long].from } else { self.wires[long].to };
        self.next_to_other_end(item, long, rng).map_or(Vec::new(), |option| self.exchange(item, option))
    }

    /// An item to another option; whoever is there comes back to where it was. Empty when that cannot be done.
    fn exchange(&self, i: usize, option: usize) -> Vec<(usize, usize)> {
        if option == self.at[i] {
            return Vec::new();
        }
        let (old, new) = (self.position(i), self.options[i][option]);
        match self.owner[new] {
            None => vec![(i, option)],
            Some(other) => match self.option_at[other][old] {
                Some(back) => vec![(i, option), (other, back as usize)],
                None => Vec::new(),
            },
        }
    }
}

/// By item: where it is; of items without options, which are nowhere, nothing that is looked at.
fn positions(options: &[Vec<usize>], at: &[usize]) -> Vec<usize> {
    options.iter().zip(at).map(|(list, &o)| list.get(o).copied().unwrap_or(0)).collect()
}
