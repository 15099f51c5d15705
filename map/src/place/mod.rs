//! Placement: simulated annealing over PEs and boundary ports.
//!
//! The cost is the fewest registers between the two places of each connection, plus, for each cycle of the graph, the
//! sixth power of its cycles an iteration: the slowest recurrence decides the interval, so it must weigh more than many
//! short ones. PEs are exclusive, and a placement with a connection that no way serves costs more than any without, so every
//! way is known to exist when routing begins. Values that want more links or turn-arounds between two tiles than there
//! are cost too, since the router would have to lead them around; more so after it failed.
//!
//! Deterministic on any machine: own generator, steps as budget, and of floating point only the operations IEEE 754
//! fixes to the last bit.

use crate::model::place::Place;
use crate::model::problem::Problem;
use crate::model::resources::{Resources, NO_WAY};
use crate::model::tiles::Tiles;
use crate::timing::recurrence::{cycles, recurrences};
use loom_base::Rng;
use loom_dfg::graph::{Use, ValueDef};

/// Cost of a register on any connection.
const WIRE: u64 = 1;
/// The same inside a recurrence, beside what its cycles cost.
const WIRE_IN_CYCLE: u64 = 4;
/// The same inside a recurrence whose cycles are too many to list.
const WIRE_UNLISTED: u64 = 80;
/// Cost of a connection without a way.
const IMPOSSIBLE: u64 = 1_000_000;
/// Cost of a value's half perimeter: tiles across plus tiles along.
const BOX: u64 = 3;
/// Cost of a first value too many on the links between two tiles; it grows with the square.
const OVERFLOW: u64 = 100;
/// The same on all links of a tile in one direction.
const OVERFLOW_TILE: u64 = 30;
/// The same for a value of a short recurrence too many on the links between two tiles: the detour makes it slower.
const OVERFLOW_TIGHT: u64 = 3000;
/// Cost of a cycle that is as slow as the bound says it must be; it grows with the sixth power.
const CYCLE: u64 = 50;
/// One, in fixed point.
const UNIT: u64 = 64;
/// Cost of a second access at one memory port, which takes one a cycle; it grows with the square.
const SHARED_PORT: u64 = 1500;
/// Tries to find a place within range.
const MOST_TRIES: u32 = 5;
/// Steps in a hundred that move a whole recurrence.
const TOGETHER: u32 = 4;
/// Most nodes of a recurrence that moves as a whole.
const MOST_TOGETHER: usize = 6;
/// Levels of temperature.
const LEVELS: u64 = 128;

/// A connection between two items; positions count PEs, then fabric inputs, then fabric outputs.
struct Wire {
    from: usize,
    to: usize,
    weight: u64,
    cycles: Vec<usize>,
}

struct CycleState {
    /// Latencies of its ops, and registers between them.
    length: u64,
    tokens: u64,
    /// [`UNIT`] over the bound on all cycles, in cycles an iteration.
    unit: u64,
    outer: bool,
}

impl CycleState {
    /// Steep, so that the slowest cycle outweighs all others.
    fn cost(&self) -> u64 {
        let ratio = (self.length * self.unit / self.tokens).min(16 * UNIT);
        let square = ratio * ratio;
        let cost =
            CYCLE * (square * square * square / (UNIT * UNIT * UNIT * UNIT * UNIT)) / UNIT + self.length;
        if self.outer {
            cost / 8
        } else {
            cost
        }
    }
}

/// Values between tiles, against the FIFOs that could carry them.
///
/// Counters: for each pair of tiles the values that are one register apart there, for each tile the values that leave
/// it, and those that enter it; and again for each pair the values of short recurrences.
struct Demand {
    tiles: usize,
    /// By PE position: its tile.
    tile: Vec<usize>,
    /// Producer and consumers of each value, as items, with whether a short recurrence runs along there.
    nets: Vec<(usize, Vec<(usize, bool)>)>,
    /// By item.
    nets_at: Vec<Vec<usize>>,
    /// By net: the counters it is in.
    taken: Vec<Vec<usize>>,
    /// By net: its cost for length.
    length: Vec<u64>,
    /// By position: place on the grid.
    grid: Vec<(i32, i32)>,
    /// Weight of all this against registers and cycles; grows when routing fails.
    effort: u64,
    /// By counter: what there is, and what is asked for.
    capacity: Vec<u64>,
    wanted: Vec<u64>,
}

impl Demand {
    fn new(tiles: &Tiles, items: usize, effort: u64) -> Demand {
        Demand {
            tiles: tiles.count,
            tile: tiles.of.clone(),
            nets: Vec::new(),
            nets_at: vec![Vec::new(); items],
            taken: Vec::new(),
            length: Vec::new(),
            grid: tiles.grid.clone(),
            effort,
            wanted: vec![0; tiles.capacity.len()],
            capacity: tiles.capacity.clone(),
        }
    }

    /// Adds or takes away one for each counter; returns the cost that comes or goes.
    fn count(&mut self, counters: &[usize], add: bool) -> u64 {
        let mut cost = 0;
        for &c in counters {
            let high = if add { self.wanted[c] + 1 } else { self.wanted[c] };
            let over = high.saturating_sub(self.capacity[c]);
            // The difference of two squares.
            let pairs = self.tiles * self.tiles;
            let weight = match c {
                _ if c < pairs => OVERFLOW,
                _ if c < pairs + 2 * self.tiles => OVERFLOW_TILE,
                _ => OVERFLOW_TIGHT,
            };
            cost += self.effort * weight * (2 * over).saturating_sub(1);
            self.wanted[c] = if add { high } else { high - 1 };
        }
        cost
    }
}

/// The annealer's state. Items are nodes, arguments, results, in this order.
struct Annealer<'a> {
    resources: &'a Resources,
    wires: Vec<Wire>,
    /// By wire: registers on it now.
    registers: Vec<u64>,
    cycles: Vec<CycleState>,
    /// Nodes of the short recurrences.
    clusters: Vec<Vec<usize>>,
    /// By item: the wires that touch it.
    touching: Vec<Vec<usize>>,
    /// By item: its possible positions, with the FU.
    options: Vec<Vec<(usize, usize)>>,
    /// By item and position: index into its options.
    option_at: Vec<Vec<Option<u32>>>,
    /// By item: index into its options.
    at: Vec<usize>,
    /// By position: the item there.
    owner: Vec<Option<usize>>,
    /// By position: for a load lane the store lane of its number, and the other way round.
    partner: Vec<Option<usize>>,
    /// By position: its memory port, and by port: accesses there.
    port: Vec<Option<usize>>,
    at_port: Vec<u64>,
    /// By item: the memory it is an access of.
    memory: Vec<Option<loom_dfg::graph::MemoryId>>,
    demand: Demand,
    /// Tiles that a free move may go; it shrinks as the temperature falls (as in VPR, Betz and Rose 1997).
    range: u32,
    cost: u64,
}

impl Annealer<'_> {
    fn position(&self, item: usize) -> usize {
        self.options[item][self.at[item]].0
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
            if old == new {
                continue;
            }
            self.registers[w] = new;
            let wire = &self.wires[w];
            self.cost += Self::wire_cost(wire.weight, new);
            self.cost -= Self::wire_cost(wire.weight, old);
            for &c in &wire.cycles {
                let cycle = &mut self.cycles[c];
                self.cost -= cycle.cost();
                cycle.length = cycle.length + new - old;
                self.cost += cycle.cost();
            }
        }
    }

    /// Moves items to new options at once.
    fn shift(&mut self, moves: &[(usize, usize)]) {
        for &(item, _) in moves {
            let position = self.position(item);
            self.owner[position] = None;
            if let Some(port) = self.port[position] {
                self.at_port[port] -= 1;
                self.cost -= SHARED_PORT * self.at_port[port];
            }
        }
        for &(item, option) in moves {
            let position = self.options[item][option].0;
            self.owner[position] = Some(item);
            self.at[item] = option;
            if let Some(port) = self.port[position] {
                self.cost += SHARED_PORT * self.at_port[port];
                self.at_port[port] += 1;
            }
        }
        for &(item, _) in moves {
            self.refresh(item);
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
    }

    /// Counts a net's demand anew.
    fn recount(&mut self, net: usize) {
        let mut list = std::mem::take(&mut self.demand.taken[net]);
        self.cost -= self.demand.count(&list, false);
        list.clear();
        let (tiles, d) = (self.demand.tiles, &self.demand);
        let from = self.position(d.nets[net].0);
        for &(sink, tight) in &d.nets[net].1 {
            let to = self.position(sink);
            let (Some(&a), Some(&b)) = (d.tile.get(from), d.tile.get(to)) else { continue };
            if self.resources.distance(from, to) == 1 {
                list.push(a * tiles + b);
                if tight {
                    list.push(tiles * tiles + 2 * tiles + a * tiles + b);
                }
            }
            if a != b {
                list.extend([tiles * tiles + a, tiles * tiles + tiles + b]);
            }
        }
        list.sort_unstable();
        list.dedup();
        let length = self.length(net);
        self.cost += length;
        self.cost -= self.demand.length[net];
        self.demand.length[net] = length;
        self.cost += self.demand.count(&list, true);
        self.demand.taken[net] = list;
    }

    /// Cost of a net's length: its half perimeter, corrected for nets of many ends.
    fn length(&self, net: usize) -> u64 {
        let (source, sinks) = &self.demand.nets[net];
        let (x, y) = self.demand.grid[self.position(*source)];
        let (mut low, mut high) = ((x, y), (x, y));
        for &(sink, _) in sinks {
            let (x, y) = self.demand.grid[self.position(sink)];
            low = (low.0.min(x), low.1.min(y));
            high = (high.0.max(x), high.1.max(y));
        }
        let perimeter = (high.0.abs_diff(low.0) + high.1.abs_diff(low.1)) as u64;
        self.demand.effort * BOX * perimeter * (16 + sinks.len().saturating_sub(3) as u64) / 16
    }

    /// A new option for an item: any within range, or one next to something it is connected to.
    fn propose(&self, item: usize, rng: &mut Rng) -> Option<usize> {
        if rng.chance(50) || self.touching[item].is_empty() {
            let (x, y) = self.demand.grid[self.position(item)];
            let near = |option: usize| {
                let (a, b) = self.demand.grid[self.options[item][option].0];
                a.abs_diff(x).max(b.abs_diff(y)) <= self.range
            };
            return (0..MOST_TRIES).map(|_| rng.below(self.options[item].len())).find(|&o| near(o));
        }
        let wire = &self.wires[*rng.pick(&self.touching[item])];
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
        let first = self.options[nodes[0]][rng.below(self.options[nodes[0]].len())].0;
        let tile = self.demand.tile[first];
        let mut targets: Vec<(usize, usize)> = Vec::new();
        let mut taken: Vec<usize> = Vec::new();
        for &n in nodes {
            let here = |&o: &usize| {
                let site = self.options[n][o].0;
                self.demand.tile[site] == tile && !taken.contains(&site)
            };
            let open: Vec<usize> = (0..self.options[n].len()).filter(here).collect();
            if open.is_empty() {
                return Vec::new();
            }
            let option = *rng.pick(&open);
            taken.push(self.options[n][option].0);
            targets.push((n, option));
        }
        let mut left: Vec<usize> =
            nodes.iter().map(|&n| self.position(n)).filter(|site| !taken.contains(site)).collect();
        for site in taken {
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

    fn anneal(&mut self, rng: &mut Rng, steps: u64) {
        let movable: Vec<usize> = (0..self.options.len()).filter(|&i| self.options[i].len() > 1).collect();
        if movable.is_empty() {
            return;
        }
        let mut best = (self.cost, self.at.clone());
        let hot = self.cost.min(self.demand.effort * IMPOSSIBLE / 10);
        let mut temperature = 2.0 + hot as f64 / (self.wires.len().max(1) as f64);
        // Down to well below the smallest difference in equal ratios; square roots are exact on every machine.
        let mut ratio = 0.2 / temperature;
        for _ in 0..LEVELS.ilog2() {
            ratio = ratio.sqrt();
        }
        let widest = self.demand.grid.iter().map(|&(x, y)| x.max(y) as u64).max().unwrap_or(0);
        for level in 0..LEVELS {
            self.range = (widest * (LEVELS - level) / LEVELS).max(1) as u32;
            for _ in steps * level / LEVELS..steps * (level + 1) / LEVELS {
                let mut moves;
                if !self.clusters.is_empty() && rng.chance(TOGETHER) {
                    moves = self.propose_together(rng);
                    if moves.is_empty() {
                        continue;
                    }
                } else {
                    let i = *rng.pick(&movable);
                    let Some(option) = self.propose(i, rng) else { continue };
                    if option == self.at[i] {
                        continue;
                    }
                    let (old, new) = (self.position(i), self.options[i][option].0);
                    moves = vec![(i, option)];
                    if let Some(other) = self.owner[new] {
                        let Some(back) = self.option_at[other][old] else { continue };
                        moves.push((other, back as usize));
                    }
                }
                let undo: Vec<(usize, usize)> =
                    moves.iter().map(|&(item, _)| (item, self.at[item])).collect();
                let before = self.cost;
                self.shift(&moves);
                if !self.share_lanes(&moves)
                    || self.cost > before && rng.unit() >= decay((self.cost - before) as f64 / temperature)
                {
                    self.shift(&undo);
                } else if self.cost < best.0 {
                    best = (self.cost, self.at.clone());
                }
            }
            temperature *= ratio;
        }
        self.at = best.1;
    }
}

/// About `exp(-x)`, from multiplications only.
fn decay(x: f64) -> f64 {
    if x >= 32.0 {
        return 0.0;
    }
    let mut y = 1.0 - x / 64.0;
    for _ in 0..6 {
        y *= y;
    }
    y
}

/// Steps for a graph: larger ones need more for each item.
pub fn steps(problem: &Problem, steps_per_item: u64) -> u64 {
    let graph = problem.graph;
    let items = (graph.nodes.len() + graph.arguments.len() + graph.outputs.len()) as u64;
    steps_per_item * items * (100 + items) / 100
}

/// Places a graph. `effort` above 1 weighs links and lengths higher.
pub fn place(problem: &Problem, rng: &mut Rng, steps: u64, effort: u64) -> Place {
    let Problem { graph, resources, candidates, .. } = problem;
    let resources: &Resources = resources;
    let (nodes, arguments) = (graph.nodes.len(), graph.arguments.len());
    let scc = recurrences(graph);
    let listed = cycles(graph);
    let uses = graph.uses();
    let mut wires = Vec::new();
    // By node and operand: its wire.
    let mut wire_of: Vec<Vec<usize>> = graph.nodes.iter().map(|n| vec![0; n.operands.len()]).collect();
    for (v, value) in graph.values.iter().enumerate() {
        let from = match value.def {
            ValueDef::Argument(a) => nodes + a,
            ValueDef::Result { node, .. } => node.0 as usize,
        };
        for u in &uses[v] {
            let to = match *u {
                Use::Operand { node, operand } => {
                    wire_of[node.0 as usize][operand] = wires.len();
                    node.0 as usize
                }
                Use::Output(o) => nodes + arguments + o,
            };
            let inside = from < nodes && to < nodes && scc[from].is_some() && scc[from] == scc[to];
            let weight = match (inside, listed.complete) {
                (false, _) => WIRE,
                (true, true) => WIRE_IN_CYCLE,
                (true, false) => WIRE_UNLISTED,
            };
            wires.push(Wire { from, to, weight, cycles: Vec::new() });
        }
    }
    let mut states = Vec::new();
    for (c, cycle) in listed.list.iter().enumerate() {
        for &(node, operand) in &cycle.edges {
            wires[wire_of[node][operand]].cycles.push(c);
        }
        let length = cycle.edges.iter().map(|&(node, _)| u64::from(problem.first_stages(node))).sum();
        let unit = (UNIT as f64 / problem.bound) as u64;
        states.push(CycleState { length, tokens: cycle.tokens.into(), unit, outer: cycle.outer });
    }

    let (pes, inputs) = (resources.sites.len(), resources.inputs());
    let positions = pes + inputs + resources.outputs;
    let mut options: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut at = Vec::new();
    for (n, list) in candidates.iter().enumerate() {
        options.push(list.iter().map(|&(id, fu)| (resources.site((id, fu)), fu)).collect());
        at.push(problem.start[n]);
    }
    for choice in &problem.inputs {
        at.push(choice.first);
        options.push(choice.ports.iter().map(|k| (pes + k, 0)).collect());
    }
    for choice in &problem.outputs {
        at.push(choice.first);
        options.push(choice.ports.iter().map(|k| (pes + inputs + k, 0)).collect());
    }

    let option_at = options.iter().map(|list| {
        let mut by_position = vec![None; positions];
        for (o, &(position, _)) in list.iter().enumerate() {
            by_position[position] = Some(o as u32);
        }
        by_position
    });
    let mut demand = Demand::new(&resources.tiles, options.len(), effort);
    for (v, value) in graph.values.iter().enumerate() {
        let from = match value.def {
            ValueDef::Argument(a) => nodes + a,
            ValueDef::Result { node, .. } => node.0 as usize,
        };
        let to = uses[v].iter().map(|u| match *u {
            Use::Operand { node, operand } => {
                let short =
                    |&&c: &&usize| !listed.list[c].outer && listed.list[c].edges.len() <= MOST_TOGETHER;
                let wire = &wires[wire_of[node.0 as usize][operand]];
                (node.0 as usize, wire.cycles.iter().any(|c| short(&c)))
            }
            Use::Output(o) => (nodes + arguments + o, false),
        });
        let to: Vec<(usize, bool)> = to.collect();
        if to.is_empty() {
            continue;
        }
        let mut items: Vec<usize> = to.iter().map(|t| t.0).chain([from]).collect();
        items.sort_unstable();
        items.dedup();
        for item in items {
            demand.nets_at[item].push(demand.nets.len());
        }
        demand.nets.push((from, to));
    }
    demand.taken = vec![Vec::new(); demand.nets.len()];
    demand.length = vec![0; demand.nets.len()];
    let mut clusters: Vec<Vec<usize>> = Vec::new();
    for cycle in listed.list.iter().filter(|c| !c.outer) {
        let mut nodes: Vec<usize> = cycle.edges.iter().map(|&(node, _)| node).collect();
        nodes.sort_unstable();
        let movable = nodes.iter().all(|&n| options[n].len() > 1);
        if (2..=MOST_TOGETHER).contains(&nodes.len()) && movable && !clusters.contains(&nodes) {
            clusters.push(nodes);
        }
    }
    let of =
        |n: usize| graph.nodes.get(n).and_then(|node| crate::model::memory::access(node.op)).map(|a| a.0);
    let memory = (0..options.len()).map(of).collect();
    let mut annealer = Annealer {
        resources,
        registers: vec![0; wires.len()],
        cycles: states,
        clusters,
        touching: vec![Vec::new(); options.len()],
        option_at: option_at.collect(),
        owner: vec![None; positions],
        partner: (0..positions).map(|p| resources.partner(p)).collect(),
        port: (0..positions).map(|p| resources.memory_port(p)).collect(),
        at_port: vec![0; 2 * resources.components()],
        memory,
        demand,
        range: 0,
        cost: 0,
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
    annealer.cost = annealer.cycles.iter().map(CycleState::cost).sum();
    for item in 0..annealer.options.len() {
        if !annealer.options[item].is_empty() {
            let position = annealer.position(item);
            annealer.owner[position] = Some(item);
            if let Some(port) = annealer.port[position] {
                annealer.cost += SHARED_PORT * annealer.at_port[port];
                annealer.at_port[port] += 1;
            }
        }
    }
    for item in 0..annealer.options.len() {
        annealer.refresh(item);
    }
    for net in 0..annealer.demand.nets.len() {
        annealer.recount(net);
    }
    annealer.anneal(rng, steps);

    let node = |n: usize| {
        let (pe, fu) = annealer.options[n][annealer.at[n]];
        (resources.sites[pe].0, fu)
    };
    Place {
        nodes: (0..nodes).map(node).collect(),
        arguments: (0..arguments)
            .map(|a| (!problem.inputs[a].ports.is_empty()).then(|| annealer.position(nodes + a) - pes))
            .collect(),
        outputs: (0..graph.outputs.len())
            .map(|o| annealer.position(nodes + arguments + o) - pes - inputs)
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::decay;

    #[test]
    fn decay_is_close_to_exp() {
        for i in 0..200 {
            let x = f64::from(i) / 20.0;
            assert!((decay(x) - (-x).exp()).abs() < 0.01, "{x}");
        }
    }
}
