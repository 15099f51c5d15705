//! A placement that is routed but for a few channels: nodes next to these move until it is routed.
//!
//! What a tile or a link lacks is often room for one value, which no way round brings, and the best placement around it is as good as
//! any. So a node whose value wants an overused channel goes to a free PE in another tile, what touches it and what shares channels is
//! routed anew, and all other ways stay; the move is kept where fewer channels are overused. Moves are tried in the order of the registers that
//! they add, those on recurrences before all others. Accesses of memories stay: which lane is whose is decided for all of them together.

use super::requests::requests;
use crate::model::place::Place;
use crate::model::problem::Problem;
use crate::model::resources::NO_WAY;
use crate::model::site::Site;
use crate::route::{Negotiation, RouteEnd, RouteFailure, RouteRequest};
use loom_adg::ChannelId;
use loom_dfg::graph::{Use, ValueDef};
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

/// A connection of a node: the other end, whether the node is the producer, and what a register costs.
struct Wire {
    other: End,
    leaves: bool,
    weight: i64,
}

/// Where a connection ends.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Node(usize),
    /// A port of the fabric, by position.
    Port(usize),
}

/// A move: what it adds, the node, and where it goes.
type Move = (i64, usize, Site);

/// What is being mended.
pub struct Mending<'a, 'n> {
    problem: &'a Problem<'a>,
    place: Place,
    nets: Vec<RouteRequest>,
    ways: Negotiation<'n>,
    /// By node: its connections.
    wires: Vec<Vec<Wire>>,
    /// Numbers of the sites that are taken.
    taken: BTreeSet<usize>,
}

impl<'a, 'n> Mending<'a, 'n> {
    /// Nodes are as they were placed, and nets have the ways that the router came to.
    pub fn new(
        problem: &'a Problem<'a>,
        place: Place,
        nets: Vec<RouteRequest>,
        ways: Negotiation<'n>,
    ) -> Self {
        let wires = wires(problem, &place, &nets);
        let taken = place.nodes.iter().map(|&site| problem.resources.site(site)).collect();
        Mending { problem, place, nets, ways, wires, taken }
    }

    /// Moves nodes until no channel is overused, and gives the placement, its nets and their ways.
    pub fn mended(mut self) -> Option<(Place, Vec<RouteRequest>, Negotiation<'n>)> {
        let mut over = self.ways.overused();
        for _ in 0..MOVES {
            if over.len() > MOST_OVERUSED {
                return None;
            }
            let (before, history) = ((self.place.clone(), self.nets.clone()), self.ways.keep());
            let better = self.moves(&over).into_iter().take(TRIES).find_map(|(_, node, site)| {
                let left = match self.try_move(node, site) {
                    Ok(()) => Vec::new(),
                    Err(RouteFailure::Overused(left)) => left,
                    Err(_) => over.clone(),
                };
                if left.len() < over.len() {
                    return Some(left);
                }
                (self.place, self.nets) = before.clone();
                self.ways.restore(&history);
                None
            })?;
            self.taken = self.place.nodes.iter().map(|&at| self.problem.resources.site(at)).collect();
            over = better;
            if over.is_empty() {
                return Some((self.place, self.nets, self.ways));
            }
        }
        None
    }

    /// Moves a node and routes what touches it, and what shares a channel.
    fn try_move(&mut self, node: usize, site: Site) -> Result<(), RouteFailure> {
        self.place.nodes[node] = site;
        self.nets = requests(self.problem, &self.place);
        for n in 0..self.nets.len() {
            if touches(self.problem, &self.nets[n], node) {
                self.ways.rip_up(n);
            }
        }
        self.ways.mend(&self.nets, ROUNDS)
    }

    /// Moves of the nodes at both ends of the overused channels, one for each node and tile, the cheapest first.
    fn moves(&self, over: &[(ChannelId, Vec<usize>)]) -> Vec<Move> {
        let (resources, tiles) = (&self.problem.resources, &self.problem.resources.tiles.of);
        let nodes: BTreeSet<usize> =
            over.iter().flat_map(|(c, nets)| nets.iter().flat_map(|&n| self.nodes_at(n, *c))).collect();
        let mut moves: Vec<Move> = Vec::new();
        for node in nodes {
            let own = tiles[resources.site(self.place.nodes[node])];
            let mut best: BTreeMap<usize, Move> = BTreeMap::new();
            for &site in &self.problem.candidates[node] {
                let number = resources.site(site);
                if tiles[number] == own || self.taken.contains(&number) {
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
        let Some(tree) = self.ways.tree(net) else { return Vec::new() };
        let through = |end: ChannelId| {
            let before = |c: &ChannelId| tree.channels.get(c)?.0.map(|(before, _)| before);
            std::iter::successors(Some(end), before).any(|c| c == channel)
        };
        let ends = self.nets[net].ends.iter().zip(&tree.ends).filter(|(_, &end)| through(end));
        let nodes = ends.filter_map(|(end, _)| consumer(end)).chain(producer(self.problem, &self.nets[net]));
        // A lane is where its memory is.
        nodes.filter(|&n| self.problem.resources.lane(self.place.nodes[n]).is_none()).collect()
    }

    /// What the registers cost that a move adds; `None` where no way leads there.
    fn added(&self, node: usize, to: usize) -> Option<i64> {
        let resources = &self.problem.resources;
        let at = resources.site(self.place.nodes[node]);
        let mut sum = 0;
        for wire in &self.wires[node] {
            let other = match wire.other {
                End::Node(n) if n == node => continue,
                End::Node(n) => resources.site(self.place.nodes[n]),
                End::Port(position) => position,
            };
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

fn producer(problem: &Problem, net: &RouteRequest) -> Option<usize> {
    match problem.graph.value(net.value).def {
        ValueDef::Result { node, .. } => Some(node.0 as usize),
        _ => None,
    }
}

fn consumer(end: &RouteEnd) -> Option<usize> {
    match end.use_ {
        Use::Operand { node, .. } => Some(node.0 as usize),
        Use::Output(_) => None,
    }
}

fn touches(problem: &Problem, net: &RouteRequest, node: usize) -> bool {
    producer(problem, net) == Some(node) || net.ends.iter().any(|end| consumer(end) == Some(node))
}

/// By node: its connections.
fn wires(problem: &Problem, place: &Place, nets: &[RouteRequest]) -> Vec<Vec<Wire>> {
    let (sites, inputs) = (problem.resources.sites.len(), problem.resources.inputs());
    let mut wires: Vec<Vec<Wire>> = place.nodes.iter().map(|_| Vec::new()).collect();
    for net in nets {
        let from = match problem.graph.value(net.value).def {
            ValueDef::Result { node, .. } => End::Node(node.0 as usize),
            ValueDef::Argument(a) => End::Port(sites + place.arguments[a].expect("it has a use")),
            ValueDef::Literal(_) => unreachable!("an immediate does not travel"),
        };
        for end in &net.ends {
            let weight = if end.critical { CRITICAL } else { 1 };
            let to = match end.use_ {
                Use::Operand { node, .. } => End::Node(node.0 as usize),
                Use::Output(o) => End::Port(sites + inputs + place.outputs[o]),
            };
            if let End::Node(n) = from {
                wires[n].push(Wire { other: to, leaves: true, weight });
            }
            if let End::Node(n) = to {
                wires[n].push(Wire { other: from, leaves: false, weight });
            }
        }
    }
    wires
}

#[cfg(test)]
mod tests {
    use super::{Mending, Place, Problem};
    use crate::model::netlist::netlist;
    use crate::route::{Lookahead, Negotiation, RouteFailure};
    use crate::slack::requests::requests;
    use loom_adg::Fabric;
    use loom_base::{Rng, Source};
    use std::cell::Cell;
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    fn read(path: &str) -> Source {
        let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").into();
        Source::new(path, std::fs::read_to_string(root.join(path)).expect("a file of the workspace"))
    }

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
        let fabric = Fabric::new(loom_adg::toml::read(&read("configs/mesh-4x4.toml")).expect("a fabric"));
        let graph = loom_dfg::parse(&read("kernels/nested/nested.dfg.mlir")).expect("a graph");
        let net = netlist(&graph, fabric.index_width());
        let problem = Problem::new(&net, &fabric, 1).expect("it fits");
        let (lookahead, steps) = (Lookahead::new(&problem.resources), Cell::new(u64::MAX));
        let (mut rng, mut mended) = (Rng::new(7), 0);
        for _ in 0..60 {
            let place = scattered(&problem, &mut rng);
            let nets = requests(&problem, &place);
            let mut ways = Negotiation::new(&problem.resources, &lookahead, nets.len(), &steps);
            let Err(RouteFailure::Overused(_)) = ways.route(&nets, 30) else { continue };
            let Some((place, nets, ways)) = Mending::new(&problem, place, nets, ways).mended() else {
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
