//! Mapping a dataflow graph onto a fabric: placement, routing, slack, bounds, and a legality check written apart.
//!
//! Guarantees: the same seed and inputs give the same mapping on any machine; a mapping that is returned passed
//! [`check`], and [`deadlock`] found no run in which it gets stuck. The mapper sees resources, channels and legality,
//! never file formats or Verilog. Budgets are in steps.
//! A [`model::problem::Problem`] is all that an [`engine::Engine`] knows; [`arch_check`] looks whether what a problem promises
//! holds on a fabric.
//!
//! Refuses, with the reason: ops that no unit runs, more ops than PEs that run them (by a matching, with the set that
//! does not fit), more ports than the fabric has, and routing that stays overused after its rounds. Not built yet:
//! temporal PEs, routes through tag components and temporal switches other than those of memory lanes, decomposable
//! switches.
//!
//! ```
//! use loom_adg::{toml, topology, Fabric};
//! use loom_base::Source;
//! let text = "handshake.func @sum(%a: i32, %b: i32) -> (i32) {
//!   %c = arith.addi %a, %b : i32
//!   return %c : i32
//! }";
//! let graph = loom_dfg::parse(&Source::new("sum.dfg.mlir", text)).expect("a graph");
//! let mesh = Source::new("mesh.toml", topology::mesh_toml(2, 2));
//! let fabric = Fabric::new(toml::read(&mesh).expect("a fabric"));
//! let mapped = loom_map::map(&graph, &fabric, &Default::default(), &mut |_, _| {}).expect("a mapping");
//! assert!(loom_map::check::check(&graph, &fabric, &mapped.mapping).is_empty());
//! let bitstream = loom_map::config::image(&graph, &fabric, &mapped.mapping);
//! assert_eq!(bitstream.to_bytes().len(), 4 * fabric.layout().words as usize);
//! ```

pub mod check;
pub mod codes;
pub mod config;
mod corners;
pub mod deadlock;
pub mod engine;
pub mod exact;
pub mod mapping;
pub mod model;
mod part;
pub mod place;
pub mod report;
pub mod route;
pub mod slack;
mod tags;
pub mod timing;

pub use mapping::{Mapping, Placement, Route, Step};
pub use model::arch_check::arch_check;
pub use model::cover::netlist_with;
pub use model::first_look::{finds_lanes, largest_scratchpad, FirstLook};
pub use model::fitted::fitted;
pub use model::pins::PinnedPort;
pub use model::{bodies, cover, covering, memory, netlist, tech};
pub use timing::Timing;

use corners::Job;
use engine::{Annealing, Engine, Unsolved};
use exact::Exact;
use loom_adg::model::limits;
use loom_adg::{ChannelId, Component, Fabric, SinkPort};
use loom_base::{Diagnostic, Diagnostics};
use loom_dfg::graph::{Use, ValueDef};
use loom_dfg::{Graph, Node, NodeId};
use model::first_look;
use model::problem::Problem;
use model::resources::Resources;
use slack::Solution;
use std::num::NonZeroUsize;

/// Budgets and seed.
#[derive(Clone, Copy, Debug)]
pub struct MapOptions {
    /// Decides every random choice.
    pub seed: u64,
    /// What solves the problem.
    pub engine: EngineKind,
    /// Conflicts that the exact engine may run into.
    pub conflicts: u64,
    /// Annealing steps for each op, argument and result.
    pub steps_per_item: u64,
    /// Placements to try before the best is taken, or failure is reported.
    pub attempts: u32,
    /// Whether a graph of which the first few placements are not routed is given up, for who has another fabric. What is mapped is mapped
    /// as without it.
    pub gives_up_early: bool,
    /// Channels that the router looks at for each annealing step of a placement, until no more is routed of it; none where only its
    /// rounds bound it.
    pub routing_per_step: Option<u64>,
    /// Rounds of the router.
    pub rounds: u32,
    /// Cycles from a request to the answer of external memory, for which slack is laid out.
    pub memory_latency: u32,
    /// States that the search for a deadlock looks at; with 0 any mapping is taken.
    pub deadlock_states: usize,
    /// Threads that search; none where it is one for each core. The answer is the same for any number.
    pub threads: Option<NonZeroUsize>,
}

impl MapOptions {
    /// Threads that search.
    pub(crate) fn thread_count(&self) -> usize {
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok());
        threads.map_or(1, NonZeroUsize::get)
    }
}

impl Default for MapOptions {
    fn default() -> Self {
        MapOptions {
            seed: 1,
            engine: EngineKind::Anneal,
            conflicts: 200_000,
            steps_per_item: 1500,
            attempts: 16,
            gives_up_early: false,
            routing_per_step: None,
            rounds: 60,
            memory_latency: 1,
            deadlock_states: 2000,
            threads: None,
        }
    }
}

/// Which engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineKind {
    /// Simulated annealing and negotiated congestion.
    #[default]
    Anneal,
    /// The same, and then proofs by a SAT solver.
    Exact,
}

/// A mapping with what is known of it.
#[derive(Clone, Debug)]
pub struct Mapped {
    /// The mapping.
    pub mapping: Mapping,
    /// Bounds and the expected interval.
    pub timing: Timing,
    /// Recurrence bound of the graph on this fabric's units, before placement.
    pub mii_ops: f64,
    /// Cycles of a run with every loop at its bound before placement: of those that the timing expects, what no placement goes below.
    pub least: f64,
    /// Registers that no placement avoids on the way to a use in the netlist, where there are such.
    pub closest: Vec<(Use, u32)>,
    /// Cycles from a request to the answer of external memory that the figures are for.
    pub memory_latency: u32,
    /// Placements tried.
    pub attempts: u32,
    /// What was proved, by the exact engine.
    pub proof: Option<exact::proof::IntervalProof>,
}

/// Why a graph is not mapped.
#[derive(Debug)]
pub struct Unmapped {
    /// What is said of it.
    pub diagnostics: Diagnostics,
    /// What was placed and not routed; none where nothing was placed.
    pub unsolved: Option<Box<Unsolved>>,
}

impl From<Diagnostics> for Unmapped {
    fn from(diagnostics: Diagnostics) -> Unmapped {
        Unmapped { diagnostics, unsolved: None }
    }
}

/// Whether a fabric has units, PEs and lanes for a verified graph, which is what can be said before anything is placed.
pub fn may_hold(graph: &Graph, fabric: &Fabric, memory_latency: u32) -> bool {
    unbuilt(graph, fabric).is_empty()
        && netlists(graph, fabric).iter().any(|(_, net)| problem(net, fabric, memory_latency).is_ok())
}

/// What stands against a graph on a fabric, whatever its netlist.
fn unbuilt(graph: &Graph, fabric: &Fabric) -> Diagnostics {
    let wrong = loom_dfg::verify::verify_index_width(graph, fabric.index_width());
    match loom_base::diag::has_errors(&wrong) {
        true => wrong,
        false => tech::without_hardware(graph),
    }
}

/// What is to be solved for a netlist, or what the fabric lacks for it.
fn problem<'a>(net: &'a Graph, fabric: &Fabric, memory_latency: u32) -> Result<Problem<'a>, Diagnostics> {
    first_look::hopeless(net, fabric)?;
    Problem::new(net, fabric, memory_latency)
}

/// Maps a verified graph onto a legal fabric, at ports that come with the seed. `progress` is told what is going on and how far it is (0 to 1).
pub fn map(
    graph: &Graph,
    fabric: &Fabric,
    options: &MapOptions,
    progress: &mut dyn FnMut(&str, f64),
) -> Result<Mapped, Diagnostics> {
    at_ports(graph, fabric, options, &[], progress).map_err(|u| u.diagnostics)
}

/// The seed whose ports all others have too.
const PORTS_SEED: u64 = 1;

/// As [`map`], with some ports as they are to be; a failure says how far it came.
///
/// The other ports are those that seed 1 gives, whatever the seed: hardware around the fabric stays wired when another seed is tried. They
/// come with the seed where seed 1 finds no mapping, and for the engine that proves, whose proofs are for all ports.
pub fn try_map(
    graph: &Graph,
    fabric: &Fabric,
    options: &MapOptions,
    pins: &[PinnedPort],
    progress: &mut dyn FnMut(&str, f64),
) -> Result<Mapped, Unmapped> {
    if options.seed == PORTS_SEED || options.engine == EngineKind::Exact {
        return at_ports(graph, fabric, options, pins, progress);
    }
    let first = MapOptions { seed: PORTS_SEED, ..*options };
    let Ok(first) = at_ports(graph, fabric, &first, pins, progress) else {
        return at_ports(graph, fabric, options, pins, progress);
    };
    at_ports(graph, fabric, options, &ports_of(graph, &first.mapping), progress).map_err(|mut unmapped| {
        let told = "its arguments and results are at the ports that seed 1 gives, which has a mapping";
        let last = unmapped.diagnostics.pop().map(|d| d.note(told));
        unmapped.diagnostics.extend(last);
        unmapped
    })
}

/// The ports of a mapping.
fn ports_of(graph: &Graph, mapping: &Mapping) -> Vec<PinnedPort> {
    let arguments = graph.arguments.iter().zip(&mapping.arguments);
    let arguments =
        arguments.filter_map(|(&v, port)| Some((graph.value(v).name.to_string(), true, (*port)?)));
    let results = graph.outputs.iter().zip(&mapping.outputs);
    let results = results.map(|(output, &port)| (output.name.to_string(), false, port));
    arguments.chain(results).map(|(name, is_input, port)| PinnedPort { name, is_input, port }).collect()
}

/// Maps with these ports, and the others as they come.
fn at_ports(
    graph: &Graph,
    fabric: &Fabric,
    options: &MapOptions,
    pins: &[PinnedPort],
    progress: &mut dyn FnMut(&str, f64),
) -> Result<Mapped, Unmapped> {
    match on_all(graph, fabric, options, pins, progress) {
        (Err(unmapped), _) if options.gives_up_early => Err(unmapped),
        (whole, Some(least)) if options.engine == EngineKind::Anneal => {
            corners::best(&Job { graph, fabric, options, pins }, whole, least, progress)
        }
        (whole, _) => whole,
    }
}

/// The same, on the fabric as a whole; with the cycles of a run that no mapping goes below, where it is worth to look for another one on
/// fewer columns and rows.
fn on_all(
    graph: &Graph,
    fabric: &Fabric,
    options: &MapOptions,
    pins: &[PinnedPort],
    progress: &mut dyn FnMut(&str, f64),
) -> (Result<Mapped, Unmapped>, Option<f64>) {
    let refused = |diagnostics: Diagnostics| (Err(Unmapped::from(diagnostics)), None);
    let unbuilt = unbuilt(graph, fabric);
    if !unbuilt.is_empty() {
        return refused(unbuilt);
    }
    let netlists = netlists(graph, fabric);
    let (mut problems, mut failure) = (Vec::new(), None);
    for (covers, net) in &netlists {
        match problem(net, fabric, options.memory_latency)
            .and_then(|mut problem| problem.pin(fabric, pins).map(|()| problem))
        {
            Ok(problem) => problems.push((Task { graph, covers, net, options }, problem)),
            Err(diagnostics) => failure = failure.or(Some(Unmapped::from(diagnostics))),
        }
    }
    let nodes = |task: &Task| task.net.nodes.len();
    problems.sort_by(|(a, p), (b, q)| p.loops.least.total_cmp(&q.loops.least).then(nodes(a).cmp(&nodes(b))));
    // Few placements show of most fabrics that they are too small, and of netlists which one is routed with less trouble.
    let few = MapOptions { gives_up_early: true, ..*options };
    let stages = match options.engine == EngineKind::Anneal && options.attempts > engine::EARLY {
        true if options.gives_up_early => vec![&few],
        true => vec![&few, options],
        false => vec![options],
    };
    let mut best = None;
    for options in stages {
        best = best.or_else(|| best_of(&problems, &mut failure, fabric, (options, pins), progress));
    }
    // A large fabric is looked at in part anyway.
    let least = problems.first().filter(|(_, p)| !p.resources.is_large()).map(|(_, p)| p.loops.least);
    (best.ok_or_else(|| failure.expect("a netlist without a mapping has a reason")), least)
}

/// The best mapping of some netlists, those with the least bounds first; what stands against them where there is none.
fn best_of(
    problems: &[(Task, Problem)],
    failure: &mut Option<Unmapped>,
    fabric: &Fabric,
    (options, pins): (&MapOptions, &[PinnedPort]),
    progress: &mut dyn FnMut(&str, f64),
) -> Option<Mapped> {
    // Where the netlist without covers could not be mapped, that is the reason.
    let plain_fits = problems.iter().any(|(task, _)| task.covers.is_empty());
    let mut best: Option<Mapped> = None;
    for (task, problem) in problems {
        // What its recurrences do not allow, no mapping of it has; that is with all sides of the branches taken. What is hardly less
        // is not worth the nodes.
        let shorter =
            |cycles: f64| best.as_ref().is_none_or(|best| timing::ENOUGH * cycles < best.timing.at_most);
        if !shorter(problem.loops.least) {
            continue;
        }
        let rival = best.as_ref().map(|best| best.timing.at_most);
        match (Task { options, ..*task }).map(fabric, problem, (pins, rival), progress) {
            Ok(mapped) if shorter(mapped.timing.at_most) => best = Some(mapped),
            Ok(_) => {}
            Err(unmapped) if task.covers.is_empty() => *failure = Some(unmapped),
            // What was placed there has numbers of its own.
            Err(unmapped) if !plain_fits => *failure = Some(Unmapped { unsolved: None, ..unmapped }),
            Err(_) => {}
        }
    }
    best
}

/// What is to be mapped, wherever.
#[derive(Clone, Copy)]
struct Task<'a> {
    graph: &'a Graph,
    covers: &'a [Vec<NodeId>],
    /// The netlist with these covers.
    net: &'a Graph,
    options: &'a MapOptions,
}

/// The netlist of a graph without covers, and with those that the fabric's units give occasion to; each behind its covers.
fn netlists(graph: &Graph, fabric: &Fabric) -> Vec<(Vec<Vec<NodeId>>, Graph)> {
    let plain = netlist::netlist(graph, fabric.index_width());
    let covered = covering::choices(&plain, fabric).into_iter().map(|covers| {
        let net = cover::covered(&plain, &covers).expect("covers that are chosen are legal");
        (covers, net)
    });
    let covered: Vec<_> = covered.collect();
    std::iter::once((Vec::new(), plain)).chain(covered).collect()
}

impl Task<'_> {
    fn map(
        &self,
        fabric: &Fabric,
        problem: &Problem,
        (pins, rival): (&[PinnedPort], Option<f64>),
        progress: &mut dyn FnMut(&str, f64),
    ) -> Result<Mapped, Unmapped> {
        let options = self.options;
        let solved = match problem.resources.is_large() && options.engine == EngineKind::Anneal {
            true => part::map(self, fabric, problem, (pins, rival), progress),
            false => solve(self, fabric, (problem, rival), progress),
        };
        let Solved { mapping, timing, attempts, proof } = solved?;
        let (mii_ops, least, closest) = (problem.bound, problem.loops.least, problem.closest());
        let memory_latency = options.memory_latency;
        Ok(Mapped { mapping, timing, mii_ops, least, closest, memory_latency, attempts, proof })
    }
}

/// A mapping with what its solution says.
struct Solved {
    mapping: Mapping,
    timing: Timing,
    attempts: u32,
    proof: Option<exact::proof::IntervalProof>,
}

/// Solves a problem until the mapping does not get stuck.
fn solve(
    task: &Task,
    fabric: &Fabric,
    (problem, rival): (&Problem, Option<f64>),
    progress: &mut dyn FnMut(&str, f64),
) -> Result<Solved, Unmapped> {
    let Task { graph, net, options, covers } = task;
    let mut tried = 0;
    loop {
        let seed = options.seed.wrapping_add(tried);
        tried += 1;
        let options = &MapOptions { seed, ..**options };
        let engine: &dyn Engine = match options.engine {
            EngineKind::Anneal => &Annealing { options, rival },
            EngineKind::Exact => &Exact { options },
        };
        let solution = engine.solve(problem, progress).map_err(|unsolved| Unmapped {
            diagnostics: vec![unsolved.describe(net, fabric)],
            unsolved: Some(unsolved),
        })?;
        let mapping =
            Mapping { covers: covers.to_vec(), ..to_mapping(net, fabric, &problem.resources, &solution) };
        let problems = check::check_netlist(net, fabric, &mapping);
        if loom_base::diag::has_errors(&problems) {
            return Err(problems.into());
        }
        match gets_stuck(graph, fabric, &mapping, options) {
            None => {
                let Solution { timing, attempts, proof, .. } = solution;
                return Ok(Solved { mapping, timing, attempts, proof });
            }
            Some(witness) if tried == SEEDS => return Err(vec![lacks_room(graph, fabric, &witness)].into()),
            Some(_) => {}
        }
    }
}

/// Seeds after which a graph whose mappings get stuck is given up.
const SEEDS: u64 = 3;

/// A run in which the configured fabric stops short for lack of room, where one is found.
fn gets_stuck(
    graph: &Graph,
    fabric: &Fabric,
    mapping: &Mapping,
    options: &MapOptions,
) -> Option<Box<deadlock::Witness>> {
    let budget = deadlock::SearchBudget::brief(options.deadlock_states);
    match (budget.max_states > 0).then(|| deadlock::certify(graph, fabric, mapping, &budget))? {
        deadlock::Verdict::CanDeadlock(witness) => Some(witness),
        deadlock::Verdict::Certified { .. } | deadlock::Verdict::Unknown(_) => None,
    }
}

fn lacks_room(graph: &Graph, fabric: &Fabric, witness: &deadlock::Witness) -> Diagnostic {
    let (graph, fabric) = (&graph.name, fabric.name());
    let message = format!("`{graph}` finds too little room on `{fabric}`: its mappings get stuck");
    let shown = witness.circle.iter().take(8).cloned().collect::<Vec<_>>();
    Diagnostic::error(codes::GETS_STUCK, message)
        .note(format!("for example with {}", witness.text))
        .note(format!("each waits for the next, and the last for the first: {}", shown.join("; ")))
        .help("give its FIFOs more entries (`link_depth`, `turnaround_depth`, `slacks`), or take a larger fabric")
}

fn to_mapping(graph: &Graph, fabric: &Fabric, resources: &Resources, s: &Solution) -> Mapping {
    let mut placements: Vec<Placement> = (graph.nodes.iter().zip(&s.place.nodes))
        .map(|(node, site)| Placement {
            component: site.component,
            fu: site.placed().1,
            inputs: immediate_inputs(graph, node, fabric.component(site.component)),
            outputs: vec![None; node.results.len()],
        })
        .collect();
    let mut routes = Vec::new();
    for (net, tree) in s.nets.iter().zip(&s.trees) {
        let source = fabric.flat().channel(tree.source.expect("routed")).source;
        if let (ValueDef::Result { node, result }, loom_adg::SourcePort::Port(_, port)) =
            (graph.value(net.value).def, source)
        {
            if resources.lane(s.place.nodes[node.0 as usize]).is_none() {
                placements[node.0 as usize].outputs[result] = Some(port);
            }
        }
        for (end, &c) in net.ends.iter().zip(&tree.ends) {
            if let (Use::Operand { node, operand }, SinkPort::Port(_, port)) =
                (end.use_, fabric.flat().channel(c).sink)
            {
                if resources.lane(s.place.nodes[node.0 as usize]).is_none() {
                    placements[node.0 as usize].inputs[operand] = port;
                }
            }
        }
        let mut steps: Vec<Step> = tree.channels.values().filter_map(|c| c.0.map(|(_, step)| step)).collect();
        steps.sort();
        routes.push(Route { value: net.value, source, steps });
    }
    tags::tell_apart(fabric, &mut routes);
    let (arguments, outputs) = (s.place.arguments.clone(), s.place.outputs.clone());
    Mapping { covers: Vec::new(), placements, arguments, outputs, routes }
}

/// By operand: behind the PE's inputs the immediates, in the order of the operands that are such; the others are routed.
fn immediate_inputs(graph: &Graph, node: &Node, component: &Component) -> Vec<usize> {
    let mut inputs = vec![0; node.operands.len()];
    if let Component::SpatialPe(pe) = component {
        for (i, (operand, _)) in graph.immediates(node).enumerate() {
            inputs[operand] = pe.inputs.len() + i;
        }
    }
    inputs
}

/// What gives values more ways on a fabric, as far as its switches have ports for it.
pub(crate) fn more_ways(fabric: &Fabric) -> &'static str {
    let ports = fabric.adg().definitions.iter().filter_map(|d| match &d.component {
        Component::SpatialSw(sw) => Some(sw.inputs.len().max(sw.outputs.len())),
        _ => None,
    });
    // A link on each of four sides.
    let most = ports.max().unwrap_or(0) + 4;
    match (fabric.adg().tiles.is_empty(), most <= limits::MAX_SWITCH_PORTS) {
        (true, _) => "give its switches more ports, with more FIFOs between them",
        (false, true) => "give the tiles one more channel per link (`channels`), or take a larger mesh",
        (false, false) => {
            "take a larger mesh: the tiles' switches have no ports for one more channel per link"
        }
    }
}

/// A channel by its two ends.
pub fn channel_name(fabric: &Fabric, c: ChannelId) -> String {
    let channel = fabric.flat().channel(c);
    format!("{} -> {}", fabric.source_name(channel.source), fabric.sink_name(channel.sink))
}
