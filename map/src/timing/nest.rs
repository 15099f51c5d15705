//! The loops of a graph: which lies inside which, how often each turns, and the edges that a turn of it consists of.
//!
//! [`Nest::cycles`] weighs the turns of all loops against each other: a cycle more in a turn of an inner loop costs as many cycles as
//! it turns. Guarantees: turns are those of the run that the graph has a profile of; without one they are exact where a `dataflow.stream` has
//! constant operands and makes few of them, and any other loop is taken to turn `TURNS` times in an activation. What follows orders mappings;
//! it bounds nothing.

use loom_dfg::eval::step_index;
use loom_dfg::graph::ValueDef;
use loom_dfg::phases::Takes;
use loom_dfg::profile::Said;
use loom_dfg::{Graph, Node, Op, OpKind, Rates, ValueId};
use std::cmp::Reverse;

/// Turns of an activation where nothing says how many.
const TURNS: u32 = 16;
/// Most turns of an activation: one that turns as often outweighs what is around it anyway.
const MOST_TURNS: u32 = 64;
/// Loops inside one another beyond this weigh the same.
const MOST_LEVELS: u32 = 6;

/// A loop of a graph; what lies in none is in one that turns once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoopIndex(pub usize);

/// An edge that a token goes along in a turn of some loop, within a recurrence.
#[derive(Clone)]
pub struct TurnEdge {
    /// What makes the token, and what takes it, as which operand.
    pub from: usize,
    /// What takes it.
    pub to: usize,
    /// As which operand.
    pub operand: usize,
    /// Turns between the one that makes it and the one that takes it.
    pub turns: u32,
    /// Whether it begins an activation of an inner loop.
    pub begins: bool,
}

/// The loops of a graph.
pub struct Nest {
    /// Which ops move together.
    pub rates: Rates,
    /// By node.
    of: Vec<LoopIndex>,
    /// By loop: the rate of its nodes.
    loops: Vec<usize>,
    /// By rate: loops around it, and turns in a run.
    depth: Vec<u32>,
    turns: Vec<f64>,
    /// And turns in an activation.
    each: Vec<f64>,
    /// Pairs of rates: of a loop, and of one inside it.
    inside: Vec<(usize, usize)>,
    /// And loops inside it.
    height: Vec<u32>,
}

/// The loops of a graph, as far as it says how often they turn. Of two graphs of one program for which they are alike, expected cycles say
/// which is faster; not where one has a loop for what the other does at once, or several iterations in the place of one.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopSignature {
    /// Streams, with those of their operands that are literals.
    streams: Vec<(Op, [Option<u64>; 3])>,
    /// Loops without a stream.
    others: usize,
}

impl LoopSignature {
    /// Finds them.
    pub fn new(graph: &Graph) -> LoopSignature {
        let nest = Nest::new(graph);
        let mut others: Vec<LoopIndex> = nest.loops().filter(|&l| nest.depth(l) > 0).collect();
        let mut streams = Vec::new();
        for (n, node) in graph.nodes.iter().enumerate().filter(|(_, node)| matches!(node.op, Op::Stream(..)))
        {
            others.retain(|&l| l != nest.node(n));
            streams.push((node.op, [0, 1, 2].map(|operand| number(graph, node, operand))));
        }
        LoopSignature { streams, others: others.len() }
    }
}

impl Nest {
    /// Finds them.
    pub fn new(graph: &Graph) -> Nest {
        let rates = Rates::new(graph);
        let mut known: Vec<usize> = graph.node_ids().map(|n| rates.node(n)).collect();
        known.sort_unstable();
        known.dedup();
        let at = |rate: usize| known.binary_search(&rate).expect("the rate of a node");
        let of = graph.node_ids().map(|n| LoopIndex(at(rates.node(n)))).collect();
        let Depths { inside, depth, turns, each } = Depths::new(graph, &rates);
        let height = rates.heights(graph);
        Nest { rates, of, loops: known, depth, turns, each, inside, height }
    }

    /// All loops, in a fixed order.
    pub fn loops(&self) -> impl Iterator<Item = LoopIndex> {
        (0..self.loops.len()).map(LoopIndex)
    }

    /// The loop of a node: of a state machine, the one that it turns in.
    pub fn node(&self, n: usize) -> LoopIndex {
        self.of[n]
    }

    /// The rate of a loop's nodes.
    pub fn rate(&self, of: LoopIndex) -> usize {
        self.loops[of.0]
    }

    /// How often it turns in a run.
    pub fn turns(&self, of: LoopIndex) -> f64 {
        self.turns[self.rate(of)]
    }

    /// Cycles of a run whose loops take so many for a turn.
    pub fn cycles(&self, turn: impl Fn(LoopIndex) -> f64) -> f64 {
        self.loops().map(|l| self.turns(l) * turn(l)).sum()
    }

    /// Whether others lie inside it.
    pub fn is_outer(&self, of: LoopIndex) -> bool {
        self.height[self.rate(of)] > 0
    }

    /// How often it turns in an activation.
    pub fn each(&self, of: LoopIndex) -> f64 {
        self.each[self.rate(of)]
    }

    /// The loop whose nodes have this rate.
    pub fn with_rate(&self, rate: usize) -> Option<LoopIndex> {
        self.loops.binary_search(&rate).ok().map(LoopIndex)
    }

    /// All loops, each after those inside it.
    pub fn innermost_first(&self) -> Vec<LoopIndex> {
        let mut loops: Vec<LoopIndex> = self.loops().collect();
        loops.sort_by_key(|&l| Reverse(self.depth(l)));
        loops
    }

    /// Those that it lies inside of, with none between.
    pub fn around(&self, of: LoopIndex) -> impl Iterator<Item = LoopIndex> + '_ {
        let own = self.rate(of);
        let is_around =
            move |&&(outer, inner): &&(usize, usize)| inner == own && self.depth[outer] < self.depth[inner];
        self.inside.iter().filter(is_around).filter_map(|&(outer, _)| self.with_rate(outer))
    }

    fn depth(&self, of: LoopIndex) -> u32 {
        self.depth[self.rate(of)]
    }

    /// The loop that turns once when a token has gone along all these edges, by consumer and operand, and how many turns that
    /// are; none where an inner loop turns too, which is counted there.
    pub fn turn_of(&self, graph: &Graph, edges: &[(usize, usize)]) -> Option<(LoopIndex, u32)> {
        let outermost = edges.iter().map(|e| self.of[e.0]).min_by_key(|&l| self.depth(l))?;
        let mut turns = 0;
        for &(node, operand) in edges {
            let lag = graph.nodes[node].op.kind().takes(operand).lag();
            if self.of[node] == outermost {
                turns += lag;
            } else if lag > 0 {
                return None;
            }
        }
        (turns > 0).then_some((outermost, turns))
    }

    /// By loop: the edges of its turns, which lie `within` one recurrence by node. They run through the loops inside it without a turn of these.
    pub fn edges(&self, graph: &Graph, within: &[Option<usize>]) -> Vec<Vec<TurnEdge>> {
        let mut edges = vec![Vec::new(); self.loops.len()];
        for (to, node) in graph.nodes.iter().enumerate() {
            for (operand, &v) in node.operands.iter().enumerate() {
                let ValueDef::Result { node: from, .. } = graph.value(v).def else { continue };
                let from = from.0 as usize;
                if within[from].is_none() || within[from] != within[to] {
                    continue;
                }
                let takes = node.op.kind().takes(operand);
                for l in self.loops() {
                    let inside = |n: usize| self.of[n] == l || self.depth(self.of[n]) > self.depth(l);
                    let is_own = self.of[to] == l;
                    // What begins an activation is no part of its turns, and the turns of inner loops are theirs.
                    let is_cut = if is_own { takes == Takes::First } else { takes.lag() > 0 };
                    if inside(from) && inside(to) && !is_cut {
                        edges[l.0].push(TurnEdge {
                            from,
                            to,
                            operand,
                            turns: takes.lag(),
                            begins: takes == Takes::First,
                        });
                    }
                }
            }
        }
        edges
    }
}

/// What lies inside what, and by rate: loops around it, turns in a run, and in an activation.
struct Depths {
    inside: Vec<(usize, usize)>,
    depth: Vec<u32>,
    turns: Vec<f64>,
    each: Vec<f64>,
}

impl Depths {
    fn new(graph: &Graph, rates: &Rates) -> Depths {
        let mut inside: Vec<(usize, usize)> = Vec::new();
        for n in graph.node_ids() {
            let (node, own) = (graph.node(n), rates.node(n));
            let first = |&(operand, v): &(usize, &ValueId)| {
                node.op.kind().takes(operand) == Takes::First && graph.literal(*v).is_none()
            };
            let begins = node.operands.iter().enumerate().filter(first).map(|(_, v)| *v);
            let ends =
                (node.results.iter().enumerate()).filter(|&(r, _)| rates.is_exit(node, r)).map(|(_, v)| *v);
            let outer = begins.chain(ends).map(|v| rates.value(v)).filter(|&outer| outer != own);
            inside.extend(outer.map(|outer| (outer, own)));
        }
        inside.sort_unstable();
        inside.dedup();
        let count = graph.values.len() + graph.nodes.len();
        let mut known = vec![None; count];
        for n in graph.node_ids() {
            let own: &mut Option<u32> = &mut known[rates.node(n)];
            *own = (*own).max(turns_of_stream(graph, graph.node(n)));
        }
        let seen = turns_seen(graph, rates, count);
        let mut each = vec![1.0; count];
        let (mut depth, mut turns) = (vec![0; count], vec![1.0f64; count]);
        for _ in 0..MOST_LEVELS {
            for &(outer, inner) in &inside {
                depth[inner] = depth[inner].max((depth[outer] + 1).min(MOST_LEVELS));
            }
        }
        for &(_, inner) in &inside {
            let guessed = f64::from(known[inner].unwrap_or(TURNS));
            each[inner] = seen[inner].map_or(guessed, |(_, each)| each);
        }
        for level in 1..=MOST_LEVELS {
            for &(outer, inner) in inside.iter().filter(|i| depth[i.1] == level && depth[i.0] < level) {
                let guessed = turns[inner].max(turns[outer] * each[inner]);
                turns[inner] = seen[inner].map_or(guessed, |(all, _)| all);
            }
        }
        Depths { inside, depth, turns, each }
    }
}

/// By rate: turns in the run that a graph has a profile of, with the last one that only asks, and those in an activation without it, at least one:
/// what is never done is mapped too.
fn turns_seen(graph: &Graph, rates: &Rates, count: usize) -> Vec<Option<(f64, f64)>> {
    let mut seen = vec![None; count];
    for n in graph.node_ids() {
        let (node, kind) = (graph.node(n), graph.kind(n));
        let condition = match (kind, kind.loop_condition()) {
            // The condition that it counts itself; a gate passes on fewer than it takes.
            (OpKind::Stream(_), _) => kind.gives_condition().map(|r| node.results[r]),
            (OpKind::Gate, _) | (_, None) => None,
            (_, Some(operand)) => Some(node.operands[operand]),
        };
        let said = condition.and_then(|c| graph.profile.of(&graph.value(c).name));
        if let Some(said @ Said { no, yes }) = said {
            let each = yes as f64 / no.max(1) as f64;
            seen[rates.node(n)] = Some((said.tokens() as f64, each.max(1.0)));
        }
    }
    seen
}

/// A number that an operand always is.
fn number(graph: &Graph, node: &Node, operand: usize) -> Option<u64> {
    match graph.value(node.operands[operand]).def {
        ValueDef::Literal(bits) => Some(bits),
        ValueDef::Result { node, .. } => match graph.node(node).op {
            Op::Constant(bits) => Some(bits),
            _ => None,
        },
        ValueDef::Argument(_) => None,
    }
}

/// Turns of an activation of a stream with constant operands, as far as they are counted.
fn turns_of_stream(graph: &Graph, node: &Node) -> Option<u32> {
    let Op::Stream(counter, condition) = node.op else { return None };
    // Numbers that are the same at any width of an index.
    let constant = |operand: usize| number(graph, node, operand).filter(|&bits| bits < 1 << 31);
    let (mut index, step, bound) = (constant(0)?, constant(1)?, constant(2)?);
    let mut turns = 0;
    while turns < MOST_TURNS && step > 0 && counter.goes_on(condition, u64::BITS, index, bound) {
        turns += 1;
        let (next, overflows) = step_index(counter, u64::BITS, index, step);
        if overflows {
            break;
        }
        index = next;
    }
    Some(turns.max(1))
}
