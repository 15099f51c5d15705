//! Placement: simulated annealing over sites and the fabric's ports.
//!
//! The cost is the fewest registers between the two places of each connection, plus, for each cycle of the graph that counts
//! (`learn.rs`), the fourth power of its cycles a turn over the bound of its loop: the slowest recurrence decides the interval, so it must
//! weigh more than many short ones. A loop weighs as much as the part of a run that it takes ([`crate::timing::nest`]). Slots are exclusive, and a placement with a connection that no way serves costs more than any without, so every
//! way is known to exist when routing begins. Values that want more links or turn-arounds between two tiles than there
//! are cost too, since the router would have to lead them around; more so after it failed, and then also those that pass a tile on
//! their way (`demand.rs`).
//!
//! Deterministic on any machine: own generator, steps as budget, and of floating point only the operations IEEE 754
//! fixes to the last bit.

mod anneal;
mod cooling;
mod cost;
mod demand;
mod learn;
mod ports;

use crate::model::place::Place;
use crate::model::problem::Problem;
use crate::timing::recurrence::{cycles, recurrences, Cycle};
use anneal::Annealer;
use cooling::Cooling;
use cost::{Wire, WIRE, WIRE_IN_CYCLE};
use demand::{Demand, Net};
use learn::Learner;
use loom_adg::ChannelId;
use loom_base::Rng;
use loom_dfg::graph::{Use, ValueDef};
use loom_dfg::Graph;
use ports::Ports;

/// Most nodes of a recurrence that moves as a whole.
const MOST_TOGETHER: usize = 6;

/// Cycles that all count from the start; of more only the short ones.
const FEW_CYCLES: usize = 128;

/// Items below which a graph is small: many placements from nothing find the best one.
const FEW_ITEMS: usize = 64;

/// Whether a graph is small.
pub fn is_small(problem: &Problem) -> bool {
    let graph = problem.graph;
    graph.nodes.len() + graph.arguments.len() + graph.outputs.len() < FEW_ITEMS
}

/// Steps for a graph: larger ones need more for each item.
pub fn steps(problem: &Problem, steps_per_item: u64) -> u64 {
    let graph = problem.graph;
    let items = (graph.nodes.len() + graph.arguments.len() + graph.outputs.len()) as u64;
    steps_per_item * items * (100 + items) / 100
}

/// The item that makes a value (items are nodes, arguments, results, in this order); an immediate is part of those that use it.
pub fn producer(graph: &Graph, def: ValueDef) -> Option<usize> {
    match def {
        ValueDef::Argument(a) => Some(graph.nodes.len() + a),
        ValueDef::Result { node, .. } => Some(node.0 as usize),
        ValueDef::Literal(_) => None,
    }
}

/// The item that uses one.
pub fn consumer(graph: &Graph, use_: Use) -> usize {
    match use_ {
        Use::Operand { node, .. } => node.0 as usize,
        Use::Output(o) => graph.nodes.len() + graph.arguments.len() + o,
    }
}

/// The connections of a graph.
struct Web {
    /// By value: its uses.
    uses: Vec<Vec<Use>>,
    wires: Vec<Wire>,
    /// By node and operand: its wire.
    wire_of: Vec<Vec<usize>>,
}

impl Web {
    fn new(graph: &Graph) -> Web {
        let (nodes, scc) = (graph.nodes.len(), recurrences(graph));
        let wire_of = graph.nodes.iter().map(|n| vec![0; n.operands.len()]).collect();
        let mut web = Web { uses: graph.uses(), wires: Vec::new(), wire_of };
        for (value, uses) in graph.values.iter().zip(&web.uses) {
            let Some(from) = producer(graph, value.def) else { continue };
            for &u in uses {
                let to = consumer(graph, u);
                if let Use::Operand { node, operand } = u {
                    web.wire_of[node.0 as usize][operand] = web.wires.len();
                }
                let inside = from < nodes && to < nodes && scc[from].is_some() && scc[from] == scc[to];
                let weight = if inside { WIRE_IN_CYCLE } else { WIRE };
                web.wires.push(Wire { from, to, weight, cycles: Vec::new() });
            }
        }
        web
    }
}

/// By item: its positions (sites, then fabric inputs, then fabric outputs), and which of them is its first.
fn options(problem: &Problem) -> (Vec<Vec<usize>>, Vec<usize>) {
    let resources = &problem.resources;
    let (sites, inputs) = (resources.sites.len(), resources.inputs());
    let mut options: Vec<Vec<usize>> = Vec::new();
    let mut at = problem.start.clone();
    for list in &problem.candidates {
        options.push(list.iter().map(|&site| resources.site(site)).collect());
    }
    for choice in &problem.inputs {
        at.push(choice.first);
        options.push(choice.ports.iter().map(|k| sites + k).collect());
    }
    for choice in &problem.outputs {
        at.push(choice.first);
        options.push(choice.ports.iter().map(|k| sites + inputs + k).collect());
    }
    (options, at)
}

/// What the values of a graph ask of links; nothing is placed yet.
fn demand(problem: &Problem, listed: &[Cycle], web: &Web, items: usize) -> Demand {
    let graph = problem.graph;
    let mut demand = Demand::new(&problem.resources.tiles, items);
    // A detour on a short recurrence makes it slower, so its values want a link of their own.
    let mut short = vec![false; web.wires.len()];
    let is_short = |c: &&Cycle| !c.outer && c.edges.len() <= MOST_TOGETHER;
    for &(node, operand) in listed.iter().filter(is_short).flat_map(|c| &c.edges) {
        short[web.wire_of[node][operand]] = true;
    }
    let mut first_wire = 0;
    for (value, uses) in graph.values.iter().zip(&web.uses).filter(|(_, uses)| !uses.is_empty()) {
        let Some(from) = producer(graph, value.def) else { continue };
        let to = uses.iter().map(|&u| {
            let tight = match u {
                Use::Operand { node, operand } => short[web.wire_of[node.0 as usize][operand]],
                Use::Output(_) => false,
            };
            (consumer(graph, u), tight)
        });
        let to: Vec<(usize, bool)> = to.collect();
        let mut items: Vec<usize> = to.iter().map(|t| t.0).chain([from]).collect();
        items.sort_unstable();
        items.dedup();
        for item in items {
            demand.nets_at[item].push(demand.nets.len());
        }
        // Wires are in the order of values and their uses.
        let next = first_wire + to.len();
        demand.push(Net { from, to, first_wire });
        first_wire = next;
    }
    demand
}

/// The short recurrences all of whose nodes can move.
fn clusters(listed: &[Cycle], options: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut clusters: Vec<Vec<usize>> = Vec::new();
    for cycle in listed.iter().filter(|c| !c.outer) {
        let mut nodes: Vec<usize> = cycle.edges.iter().map(|&(node, _)| node).collect();
        nodes.sort_unstable();
        let movable = nodes.iter().all(|&n| options[n].len() > 1);
        if (2..=MOST_TOGETHER).contains(&nodes.len()) && movable && !clusters.contains(&nodes) {
            clusters.push(nodes);
        }
    }
    clusters
}

/// What counts beside registers and cycles.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PlaceWeights {
    /// Weight of links and lengths, 1 or more.
    pub effort: u64,
    /// Whether what passes through a tile counts.
    pub counts_passing: bool,
}

/// Places one problem, again and again. Which cycles are slow is learned on the way and kept, and so is which links are crowded.
#[derive(Clone)]
pub struct Placer<'a> {
    problem: &'a Problem<'a>,
    wires: Vec<Wire>,
    options: Vec<Vec<usize>>,
    start: Vec<usize>,
    demand: Demand,
    clusters: Vec<Vec<usize>>,
    ports: Ports,
    learner: Learner,
    /// Links that are not counted on.
    crowded: usize,
}

impl<'a> Placer<'a> {
    /// The short recurrences are known, nothing else.
    pub fn new(problem: &'a Problem<'a>) -> Placer<'a> {
        let graph = problem.graph;
        let nest = &problem.loops.nest;
        let all = cycles(graph, nest, usize::MAX);
        let listed = if all.len() <= FEW_CYCLES { all } else { cycles(graph, nest, MOST_TOGETHER) };
        let web = Web::new(graph);
        let (options, start) = options(problem);
        let demand = demand(problem, &listed, &web, options.len());
        let clusters = clusters(&listed, &options);
        let ports = Ports::new(problem, options.len());
        let learner = Learner::new(listed, web.wire_of);
        Placer { problem, wires: web.wires, options, start, demand, clusters, ports, learner, crowded: 0 }
    }

    /// How many cycles are known, and links that are not counted on: all that one placement leaves to the next.
    pub fn known(&self) -> (usize, usize) {
        (self.learner.cycles.len(), self.crowded)
    }

    /// Counts on one link less where values wanted one from each other to the end: the router knows better what passes there than
    /// the counters.
    pub fn avoid(&mut self, channels: &[(ChannelId, Vec<usize>)]) {
        let between = &self.problem.resources.tiles.between;
        for (from, to) in channels.iter().filter_map(|(c, _)| between[c.0 as usize]) {
            self.demand.take(from, to);
            self.crowded += 1;
        }
    }

    /// A placement as options of the items.
    fn at(&self, place: &Place) -> Vec<usize> {
        let Problem { graph, resources, candidates, .. } = self.problem;
        let (nodes, arguments) = (graph.nodes.len(), graph.arguments.len());
        let (sites, ports) = (resources.sites.len(), resources.inputs());
        let mut at = Vec::new();
        for (n, site) in place.nodes.iter().enumerate() {
            at.push(
                candidates[n].iter().position(|c| c == site).expect("a node sits on one of its candidates"),
            );
        }
        let find = |item: usize, position: usize| {
            self.options[item].iter().position(|&p| p == position).unwrap_or(0)
        };
        for (a, port) in place.arguments.iter().enumerate() {
            at.push(port.map_or(0, |port| find(nodes + a, sites + port)));
        }
        for (o, port) in place.outputs.iter().enumerate() {
            at.push(find(nodes + arguments + o, sites + ports + port));
        }
        at
    }

    /// A placement, from nothing or from another one, of which it keeps most.
    pub fn place(&mut self, rng: &mut Rng, steps: u64, weights: PlaceWeights, from: Option<&Place>) -> Place {
        let PlaceWeights { effort, counts_passing } = weights;
        let Problem { graph, resources, candidates, inputs, .. } = self.problem;
        // On a small grid the counters between neighbours say nearly all.
        let tiles = &resources.tiles;
        let passed = tiles.columns > 4 || tiles.entering.len() > 4 * tiles.columns;
        let counts_passing = counts_passing && passed;
        // Such a step takes longer, and half of them give as many routes.
        let steps = if counts_passing && !is_small(self.problem) { steps / 2 } else { steps };
        let demand = self.demand.weighted(effort, counts_passing);
        let mut annealer = Annealer::new(
            resources,
            (self.options.clone(), from.map_or_else(|| self.start.clone(), |place| self.at(place))),
            self.wires.clone(),
            self.clusters.clone(),
            self.ports.clone(),
            demand,
        );
        let way = match from {
            _ if is_small(self.problem) => Cooling::Even,
            Some(_) => Cooling::Warm,
            None => Cooling::Adaptive,
        };
        annealer.anneal(rng, (steps, way), self.problem, &mut self.learner);
        let (nodes, arguments) = (graph.nodes.len(), graph.arguments.len());
        let (sites, ports) = (resources.sites.len(), resources.inputs());
        let argument = |a: usize| (!inputs[a].ports.is_empty()).then(|| annealer.position(nodes + a) - sites);
        let output = |o: usize| annealer.position(nodes + arguments + o) - sites - ports;
        Place {
            nodes: (0..nodes).map(|n| candidates[n][annealer.at[n]]).collect(),
            arguments: (0..arguments).map(argument).collect(),
            outputs: (0..graph.outputs.len()).map(output).collect(),
        }
    }
}
