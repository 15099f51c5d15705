//! A placement that is routed but for a few channels: nodes next to these move until it is routed.
//!
//! What a tile or a link lacks is often room for one value, which no way round brings, and the best placement around it is as good as
//! any. So a node whose value wants an overused channel goes to a free PE in another tile, what touches it and what shares channels is
//! routed anew, and all other ways stay; the move is kept where fewer channels are overused. Moves are tried in the order of the registers that
//! they add, those on recurrences before all others. Accesses of memories stay: which lane is whose is decided for all of them together.

use super::requests::start;
use crate::model::place::Place;
use crate::model::problem::Problem;
use crate::model::resources::NO_WAY;
use crate::model::site::Site;
use crate::place::{consumer, producer};
use crate::route::{Negotiation, RouteFailure, RouteRequest};
use crate::timing::routed::target;
use loom_adg::ChannelId;
use std::collections::{BTreeMap, BTreeSet};

/// Most overused channels with which mending begins. A link is two of them: before its FIFO and behind.
const MOST_OVERUSED: usize = 32;
/// Moves that are kept, and those that are tried for each.
const MOVES: usize = 16;
const TRIES: usize = 12;
/// Rounds of the router after a move.
const ROUNDS: u32 = 12;
/// What a register costs on a recurrence, where it costs one elsewhere.
const CRITICAL: i64 = 16;

/// A connection of a node: the item at the other end, whether the node is the producer, and what a register costs.
struct Wire {
    other: usize,
    leaves: bool,
    weight: i64,
}

/// A move: what it adds, the node, and where it goes.
type Move = (i64, usize, Site);
/// Channels that more than one net takes, each with these.
type Overused = [(ChannelId, Vec<usize>)];

/// What is being mended. Items are nodes, arguments, results, in this order.
pub struct Mending<'a, 'n> {
    problem: &'a Problem<'a>,
    place: Place,
    nets: Vec<RouteRequest>,
    ways: Negotiation<'n>,
    /// By item: its connections.
    wires: Vec<Vec<Wire>>,
}

impl<'a, 'n> Mending<'a, 'n> {
    /// Nodes are as they were placed, and nets have the ways that the router came to.
    pub fn new(
        problem: &'a Problem<'a>,
        place: Place,
        nets: Vec<RouteRequest>,
        ways: Negotiation<'n>,
    ) -> Self {
        let graph = problem.graph;
        let items = graph.nodes.len() + graph.arguments.len() + graph.outputs.len();
        let mut wires: Vec<Vec<Wire>> = (0..items).map(|_| Vec::new()).collect();
        for net in &nets {
            let from = producer(graph, graph.value(net.value).def).expect("an immediate does not travel");
            for end in &net.ends {
                let (to, weight) = (consumer(graph, end.use_), if end.critical { CRITICAL } else { 1 });
                wires[from].push(Wire { other: to, leaves: true, weight });
                wires[to].push(Wire { other: from, leaves: false, weight });
            }
        }
        Mending { problem, place, nets, ways, wires }
    }

    /// Moves nodes until no channel is overused, and gives the placement, its nets and their ways.
    pub fn mended(mut self, over: &Overused) -> Option<(Place, Vec<RouteRequest>, Negotiation<'n>)> {
        let mut over = over.to_vec();
        for _ in 0..MOVES {
            if over.len() > MOST_OVERUSED {
                return None;
            }
            let kept = self.ways.keep();
            over = self.moves(&over).into_iter().take(TRIES).find_map(|(_, node, site)| {
                let before = self.place.nodes[node];
                self.put(node, site);
                let left = match self.ways.mend(&self.nets, ROUNDS) {
                    Ok(()) => Some(Vec::new()),
                    Err(RouteFailure::Overused(left)) => Some(left).filter(|left| left.len() < over.len()),
                    Err(_) => None,
                };
                if left.is_none() {
                    self.put(node, before);
                    self.ways.restore(&kept);
                }
                left
            })?;
            if over.is_empty() {
                return Some((self.place, self.nets, self.ways));
            }
        }
        None
    }

    /// Puts a node somewhere; what touches it has no way then.
    fn put(&mut self, node: usize, site: Site) {
        let Mending { problem, place, nets, ways, .. } = self;
        let graph = problem.graph;
        place.nodes[node] = site;
        for (n, net) in nets.iter_mut().enumerate() {
            let is_made_here = producer(graph, graph.value(net.value).def) == Some(node);
            if is_made_here {
                net.start = start(problem, place, net.value);
            }
            let mut touches = is_made_here;
            for end in net.ends.iter_mut().filter(|end| consumer(graph, end.use_) == node) {
                end.target = target(&problem.resources, place, end.use_);
                touches = true;
            }
            if touches {
                ways.rip_up(n);
            }
        }
    }

    /// Moves of the nodes at both ends of the overused channels, one for each node and tile, the cheapest first.
    fn moves(&self, over: &Overused) -> Vec<Move> {
        let (resources, tiles) = (&self.problem.resources, &self.problem.resources.tiles.of);
        let taken: BTreeSet<usize> = self.place.nodes.iter().map(|&site| resources.site(site)).collect();
        let nodes: BTreeSet<usize> =
            over.iter().flat_map(|(c, nets)| nets.iter().flat_map(|&n| self.nodes_at(n, *c))).collect();
        let mut moves: Vec<Move> = Vec::new();
        for node in nodes {
            let own = tiles[resources.site(self.place.nodes[node])];
            let mut best: BTreeMap<usize, Move> = BTreeMap::new();
            for &site in &self.problem.candidates[node] {
                let number = resources.site(site);
                if tiles[number] == own || taken.contains(&number) {
                    continue;
                }
                let Some(added) = self.added(node, number) else { continue };
                let one = (added, node, site);
                best.entry(tiles[number]).and_modify(|b| *b = (*b).min(one)).or_insert(one);
            }
            moves.extend(best.into_values());
        }
        moves.sort_unstable();
        moves
    }

    /// The nodes whose moves may take a net off a channel: its producer, and those that it reaches through the channel.
    fn nodes_at(&self, net: usize, channel: ChannelId) -> Vec<usize> {
        let (graph, request) = (self.problem.graph, &self.nets[net]);
        let Some(tree) = self.ways.tree(net) else { return Vec::new() };
        let through = |end: ChannelId| {
            let before = |c: &ChannelId| tree.channels.get(c)?.0.map(|(before, _)| before);
            std::iter::successors(Some(end), before).any(|c| c == channel)
        };
        let ends = request.ends.iter().zip(&tree.ends).filter(|(_, &end)| through(end));
        let items = ends
            .map(|(end, _)| consumer(graph, end.use_))
            .chain(producer(graph, graph.value(request.value).def));
        // A port stays, and a lane is where its memory is.
        let moves = |&n: &usize| {
            self.place.nodes.get(n).is_some_and(|&site| self.problem.resources.lane(site).is_none())
        };
        items.filter(moves).collect()
    }

    /// Where an item is; positions count sites, then fabric inputs, then fabric outputs.
    fn position(&self, item: usize) -> usize {
        let resources = &self.problem.resources;
        let (nodes, arguments) = (self.place.nodes.len(), self.place.arguments.len());
        match item.checked_sub(nodes) {
            None => resources.site(self.place.nodes[item]),
            Some(a) if a < arguments => {
                resources.sites.len() + self.place.arguments[a].expect("it has a use")
            }
            Some(k) => resources.sites.len() + resources.inputs() + self.place.outputs[k - arguments],
        }
    }

    /// What the registers cost that a move adds; `None` where no way leads there.
    fn added(&self, node: usize, to: usize) -> Option<i64> {
        let resources = &self.problem.resources;
        let at = self.position(node);
        let mut sum = 0;
        for wire in self.wires[node].iter().filter(|wire| wire.other != node) {
            let other = self.position(wire.other);
            let distance = |here| match wire.leaves {
                true => resources.distance(here, other),
                false => resources.distance(other, here),
            };
            let (before, after) = (distance(at), distance(to));
            if after == NO_WAY {
                return None;
            }
            sum += wire.weight * (i64::from(after) - i64::from(before));
        }
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::{Mending, Place, Problem};
    use crate::model::netlist::netlist;
    use crate::route::{Lookahead, Negotiation, RouteFailure};
    use crate::slack::requests::requests;
    use loom_base::{Rng, Source};
    use loom_testkit::fabrics::{fabric, root};
    use std::cell::Cell;
    use std::collections::BTreeSet;

    /// Any site for each node that no other has, the rest as at the start.
    fn scattered(problem: &Problem, rng: &mut Rng) -> Place {
        let start = problem.start.iter().zip(&problem.candidates).map(|(&at, list)| list[at]);
        let mut nodes: Vec<_> = start.collect();
        for n in 0..nodes.len() {
            let taken =
                |site| nodes.iter().any(|&s| problem.resources.site(s) == problem.resources.site(site));
            let site = *rng.pick(&problem.candidates[n]);
            if problem.resources.lane(nodes[n]).is_none() && !taken(site) {
                nodes[n] = site;
            }
        }
        let arguments = problem.inputs.iter().map(|choice| choice.ports.get(choice.first).copied());
        let outputs = problem.outputs.iter().map(|choice| choice.ports[choice.first]);
        Place { nodes, arguments: arguments.collect(), outputs: outputs.collect() }
    }

    /// Placements at random are seldom routed at once: some of them are mended, and what is mended is legal and routed.
    #[test]
    fn what_is_mended_is_legal() {
        let fabric = fabric("configs/mesh-4x4.toml");
        let path = "kernels/nested/nested.dfg.mlir";
        let text = std::fs::read_to_string(root().join(path)).expect("a kernel");
        let graph = loom_dfg::parse(&Source::new(path, text)).expect("a graph");
        let net = netlist(&graph, fabric.index_width());
        let problem = Problem::new(&net, &fabric, 1).expect("it fits");
        let (lookahead, steps) = (Lookahead::new(&problem.resources), Cell::new(u64::MAX));
        let (mut rng, mut mended) = (Rng::new(7), 0);
        for _ in 0..60 {
            let place = scattered(&problem, &mut rng);
            let nets = requests(&problem, &place);
            let mut ways = Negotiation::new(&problem.resources, &lookahead, nets.len(), &steps);
            let Err(RouteFailure::Overused(over)) = ways.route(&nets, 30) else { continue };
            let Some((place, nets, ways)) = Mending::new(&problem, place, nets, ways).mended(&over) else {
                continue;
            };
            mended += 1;
            assert_eq!(nets.len(), requests(&problem, &place).len());
            let mut sites = BTreeSet::new();
            for (site, candidates) in place.nodes.iter().zip(&problem.candidates) {
                assert!(candidates.contains(site) && sites.insert(problem.resources.site(*site)));
            }
            let mut channels = BTreeSet::new();
            for (net, tree) in nets.iter().zip(ways.into_trees()) {
                assert!(tree.channels.keys().all(|&c| channels.insert(c)), "a channel carries one value");
                let ends = net.ends.iter().zip(&tree.ends);
                assert!(ends.into_iter().all(|(end, &c)| problem.resources.ends_at(c, end.target)));
            }
        }
        assert!(mended > 5, "{mended} of 60");
    }
}
