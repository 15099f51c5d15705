//! Random programs through every model, and what makes a failing one small.
//!
//! Guarantees: a seed always draws the same program, and a program that is kept by [`shrink`] is a verified graph on
//! which the caller's question still holds. Cutting a graph feeds the golden model's own tokens to what is left, so
//! token balance survives. Budgets are in steps. Not judged here: programs the fabric has no room for.

pub mod fabrics;
pub mod structured;

use loom_adg::Fabric;
use loom_base::rng::mix;
use loom_base::stall::Stalls;
use loom_base::{truncate, Diagnostics, Rng};
use loom_cosim::{Built, FabricModel};
use loom_dfg::interp;
use loom_dfg::{Graph, NodeId, Op, Type, ValueId};
use loom_flow::software::Software;
use loom_flow::{Configured, Kernel, Report};
use loom_sim::case::{argument_memories, MemoryInit};
use loom_sim::{Case, Expect};
use loom_testkit::graphs::{prune, random_graph, RandomGraphOptions};
use std::fmt::Write as _;
use std::sync::Arc;

/// Questions [`shrink`] may ask about one program.
const SHRINK_STEPS: usize = 400;
/// Every so many programs of [`fuzz`] one also runs through Verilog.
const VERILOG_EVERY: u64 = 25;

/// A graph with what to run it with.
#[derive(Clone, Debug)]
pub struct DrawnGraph {
    /// What it was drawn from.
    pub seed: u64,
    /// The kernel.
    pub graph: Graph,
    /// Tokens and stalls.
    pub case: Case,
}

/// Where programs run.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// The fabric.
    pub fabric: &'a Fabric,
    /// Budgets of the mapper.
    pub options: loom_map::MapOptions,
}

/// What became of a program.
#[derive(Clone, Debug)]
pub enum Fate {
    /// All models agree and nothing is left over.
    Agrees(Box<Report>),
    /// The fabric lacks units, ports or wires, so nothing was compared.
    DoesNotFit(String),
    /// Something is wrong, in words.
    Fails(String),
}

/// A failing program, made small.
#[derive(Clone, Debug)]
pub struct GraphFailure {
    /// The small one.
    pub program: DrawnGraph,
    /// What is wrong with it.
    pub message: String,
    /// Ops before shrinking.
    pub drawn_ops: usize,
}

/// What [`fuzz`] did.
#[derive(Clone, Debug, Default)]
pub struct GraphSummary {
    /// Programs drawn.
    pub programs: u64,
    /// Those the fabric had room for.
    pub fitted: u64,
    /// Those that ran through Verilog.
    pub verilog: u64,
    /// What went wrong.
    pub failures: Vec<GraphFailure>,
}

/// Draws the program of a seed.
///
/// ```
/// let program = loom_fuzz::draw(7);
/// assert!(loom_dfg::verify(&program.graph).is_empty());
/// assert_eq!(program.case, loom_fuzz::draw(7).case);
/// ```
pub fn draw(seed: u64) -> DrawnGraph {
    // Mixed: neighbouring seeds must not give neighbouring sequences.
    let mut rng = Rng::new(mix(seed));
    let mut options = RandomGraphOptions {
        max_ops: 8 + rng.below(18),
        max_depth: rng.below(4),
        all_step_ops: rng.chance(20),
        while_loops: rng.chance(70),
        ..RandomGraphOptions::default()
    };
    if rng.chance(30) {
        rng.shuffle(&mut options.arith);
        options.arith.truncate(1 + rng.below(5));
    }
    let random = random_graph(&mut rng, &options);
    let activations = 1 + rng.below(5);
    let inputs = random.inputs(&mut rng, activations);
    let mut percent = || {
        if rng.chance(30) {
            0
        } else {
            rng.between(1, 60) as u32
        }
    };
    let (source_percent, sink_percent) = (percent(), percent());
    let case = Case {
        description: format!("random program of seed {seed}"),
        inputs,
        expect: vec![Expect::Any; random.graph.outputs.len()],
        memory: Vec::new(),
        expect_memory: Vec::new(),
        stalls: Stalls { seed: seed & 0xffff_ffff, source_percent, sink_percent },
        axi: Default::default(),
        max_cycles: 200_000,
        max_steps: 200_000,
        schedules: 4,
        gate: None,
    };
    DrawnGraph { seed, graph: random.graph, case }
}

/// Runs a program through golden model, mapper, decoder and native model; with `built` through Verilog too.
pub fn check(program: &DrawnGraph, target: &Target, built: Option<&Arc<Built>>) -> Fate {
    match checked(program, target, built) {
        Ok(verdict) => verdict,
        Err(diagnostics) => Fate::Fails(text(&diagnostics)),
    }
}

fn checked(program: &DrawnGraph, target: &Target, built: Option<&Arc<Built>>) -> Result<Fate, Diagnostics> {
    let DrawnGraph { graph, case, .. } = program;
    let index_width = target.fabric.index_width();
    for (&argument, tokens) in graph.arguments.iter().zip(&case.inputs) {
        let value = graph.value(argument);
        let width = value.ty.width(index_width);
        if tokens.iter().any(|&t| truncate(t, width) != t) {
            let name = &value.name;
            return Ok(Fate::DoesNotFit(format!("tokens of `{name}` have more than {width} bits")));
        }
    }
    let kernel = Kernel::from(graph.clone()).on(target.fabric);
    let software = kernel.run(case, index_width)?;
    on_fabric(&format!("seed {}", program.seed), kernel, case, software, target, built)
}

/// Mapper, decoder, native model and, with `built`, Verilog, compared with the golden model, of a kernel that is what it is on the fabric.
fn on_fabric(
    name: &str,
    kernel: Kernel,
    case: &Case,
    software: Software,
    target: &Target,
    built: Option<&Arc<Built>>,
) -> Result<Fate, Diagnostics> {
    let mapped = Configured::try_map(kernel, target.fabric, &target.options, &mut |_, _| {});
    let configured = match mapped.map_err(|unmapped| unmapped.diagnostics) {
        Ok(configured) => configured,
        Err(d) if d.iter().all(is_lack_of_room) => return Ok(Fate::DoesNotFit(text(&d))),
        Err(d) => return Err(d),
    };
    let mut runs = configured.simulate_after(case, software)?;
    if let Some(built) = built {
        configured.cosimulate(case, &mut runs, &mut FabricModel::new(built, target.fabric.ports()))?;
    }
    let report = configured.report(case, name, &runs);
    Ok(if report.ok { Fate::Agrees(Box::new(report)) } else { Fate::Fails(report.problems.join("\n")) })
}

fn is_lack_of_room(d: &loom_base::Diagnostic) -> bool {
    use loom_map::codes::*;
    let lack = [NO_UNIT, NO_LANE, TOO_MANY_OPS, TOO_MANY_ACCESSES, TOO_MANY_PORTS, PORT_WIDTH, UNROUTABLE];
    lack.contains(&d.code)
}

fn text(diagnostics: &Diagnostics) -> String {
    diagnostics.iter().map(|d| format!("{}: {}", d.code.id, d.message)).collect::<Vec<_>>().join("\n")
}

/// Draws and checks programs from `seed0` on until `over` says so; `progress` gets programs and failures so far.
pub fn fuzz(
    target: &Target,
    built: Option<&Arc<Built>>,
    seed0: u64,
    over: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(u64, u64),
) -> GraphSummary {
    let mut summary = GraphSummary::default();
    while !over() {
        let program = draw(seed0.wrapping_add(summary.programs));
        let built = built.filter(|_| summary.programs % VERILOG_EVERY == 0);
        summary.programs += 1;
        match check(&program, target, built) {
            Fate::DoesNotFit(_) => {}
            Fate::Agrees(report) => {
                summary.fitted += 1;
                summary.verilog += u64::from(report.verilog_cycles.is_some());
            }
            Fate::Fails(message) => {
                summary.fitted += 1;
                summary.verilog += u64::from(built.is_some());
                summary.failures.push(shrink_failure(program, message, target, built, over));
            }
        }
        progress(summary.programs, summary.failures.len() as u64);
    }
    summary
}

fn shrink_failure(
    program: DrawnGraph,
    message: String,
    target: &Target,
    built: Option<&Arc<Built>>,
    over: &dyn Fn() -> bool,
) -> GraphFailure {
    let drawn_ops = program.graph.nodes.len();
    // A step must not turn one failure into another: leftovers in the golden model are of the program itself.
    let sound = is_sound(&program, target.fabric.index_width());
    let mut message = message;
    let program = shrink(program, target.fabric.index_width(), &mut |p| {
        if over() || is_sound(p, target.fabric.index_width()) != sound {
            return false;
        }
        match check(p, target, built) {
            Fate::Fails(m) => {
                message = m;
                true
            }
            _ => false,
        }
    });
    GraphFailure { program, message, drawn_ops }
}

/// Whether the golden model runs the program to its end with nothing left over.
fn is_sound(program: &DrawnGraph, index_width: u32) -> bool {
    let options =
        interp::InterpOptions { index_width, max_steps: program.case.max_steps, ..Default::default() };
    interp::run(&program.graph, &program.case.inputs, &options).is_complete()
}

/// Makes a program small while `still_fails` holds: fewer activations, no stalls, fewer outputs and ops, small values.
pub fn shrink(
    program: DrawnGraph,
    index_width: u32,
    still_fails: &mut dyn FnMut(&DrawnGraph) -> bool,
) -> DrawnGraph {
    let mut best = program;
    let mut steps = 0;
    // Each kind of change on its own until it gives nothing more, in order of what it takes away; then once more, as
    // a smaller graph allows changes that failed before.
    let kinds: [fn(&DrawnGraph, u32) -> Vec<Change>; 6] =
        [outputs, nodes, activations, stalls, values, literals];
    loop {
        let mut any = false;
        for kind in kinds {
            // Changes refer to the program they were listed for: after one is taken they are listed anew, and those
            // that failed are not tried again before the end of the list.
            let mut at = 0;
            loop {
                let changes = kind(&best, index_width);
                let Some(change) = changes.get(at) else { break };
                if steps == SHRINK_STEPS {
                    return best;
                }
                match apply(&best, change, index_width) {
                    Some(smaller)
                        if {
                            steps += 1;
                            still_fails(&smaller)
                        } =>
                    {
                        best = smaller;
                        any = true;
                    }
                    _ => at += 1,
                }
            }
        }
        if !any {
            return best;
        }
    }
}

/// One way to make a program smaller.
enum Change {
    /// Only this value goes out.
    Only(ValueId),
    /// This output goes.
    DropOutput(usize),
    /// The op goes; arguments carry its tokens.
    Cut(NodeId),
    /// Token `k` of every argument goes.
    DropToken(usize),
    /// Only so many tokens of every argument stay.
    Keep(usize),
    NoSourceStalls,
    NoSinkStalls,
    /// All tokens of an argument, or one, become this.
    Set(usize, Option<usize>, u64),
    Literal(NodeId, u64),
}

/// Values nearest to the arguments first: their cones are small.
fn outputs(p: &DrawnGraph, _: u32) -> Vec<Change> {
    let mut changes = Vec::new();
    if p.graph.outputs.len() > 1 {
        changes.extend((0..p.graph.outputs.len()).map(Change::DropOutput));
    }
    let all = p.graph.nodes.len();
    let mut cones: Vec<(usize, ValueId)> = (p.graph.nodes.iter().flat_map(|n| n.results.iter().copied()))
        .map(|v| (only(&p.graph, v).0.nodes.len(), v))
        .filter(|&(size, _)| size < all)
        .collect();
    cones.sort();
    changes.extend(cones.into_iter().map(|(_, v)| Change::Only(v)));
    changes
}

fn only(graph: &Graph, value: ValueId) -> (Graph, Vec<usize>) {
    let mut graph = graph.clone();
    graph.outputs.truncate(1);
    graph.outputs[0].value = value;
    prune(&graph)
}

fn nodes(p: &DrawnGraph, _: u32) -> Vec<Change> {
    p.graph.node_ids().map(Change::Cut).collect()
}

fn activations(p: &DrawnGraph, _: u32) -> Vec<Change> {
    let most = p.case.inputs.iter().map(Vec::len).max().unwrap_or(0);
    let mut changes: Vec<Change> = (1..most).map(Change::Keep).collect();
    changes.extend((0..most).map(Change::DropToken));
    changes
}

fn stalls(p: &DrawnGraph, _: u32) -> Vec<Change> {
    let mut changes = Vec::new();
    if p.case.stalls.source_percent > 0 {
        changes.push(Change::NoSourceStalls);
    }
    if p.case.stalls.sink_percent > 0 {
        changes.push(Change::NoSinkStalls);
    }
    changes
}

/// Tokens towards 0, 1, half of themselves, and fewer ones; only ever smaller, so this ends.
fn values(p: &DrawnGraph, _: u32) -> Vec<Change> {
    let mut changes = Vec::new();
    for (k, tokens) in p.case.inputs.iter().enumerate() {
        for v in [0, 1] {
            if tokens.iter().all(|&t| t >= v) && tokens.iter().any(|&t| t > v) {
                changes.push(Change::Set(k, None, v));
            }
        }
        for (at, &t) in tokens.iter().enumerate() {
            changes.extend(
                [0, 1, t / 2, t & t.wrapping_sub(1), t & !highest(t)]
                    .into_iter()
                    .filter(|&v| v < t)
                    .map(|v| Change::Set(k, Some(at), v)),
            );
        }
    }
    changes
}

/// The highest bit of a number, alone.
fn highest(t: u64) -> u64 {
    t.checked_ilog2().map_or(0, |bit| 1 << bit)
}

fn literals(p: &DrawnGraph, _: u32) -> Vec<Change> {
    let mut changes = Vec::new();
    for n in p.graph.node_ids() {
        if let Op::Constant(bits) = p.graph.node(n).op {
            changes.extend([0, 1, bits / 2].into_iter().filter(|&v| v < bits).map(|v| Change::Literal(n, v)));
        }
    }
    changes
}

/// The changed program, if it is a good graph.
fn apply(p: &DrawnGraph, change: &Change, index_width: u32) -> Option<DrawnGraph> {
    let mut p = p.clone();
    match *change {
        Change::Only(value) => {
            p.graph.outputs.truncate(1);
            p.graph.outputs[0].value = value;
            tidy(&mut p);
        }
        Change::DropOutput(k) => {
            p.graph.outputs.remove(k);
            tidy(&mut p);
        }
        Change::Cut(node) => cut(&mut p, node, index_width)?,
        Change::DropToken(k) => {
            for tokens in p.case.inputs.iter_mut().filter(|t| k < t.len()) {
                tokens.remove(k);
            }
        }
        Change::Keep(count) => p.case.inputs.iter_mut().for_each(|t| t.truncate(count)),
        Change::NoSourceStalls => p.case.stalls.source_percent = 0,
        Change::NoSinkStalls => p.case.stalls.sink_percent = 0,
        Change::Set(k, None, v) => p.case.inputs[k].fill(v),
        Change::Set(k, Some(at), v) => p.case.inputs[k][at] = v,
        Change::Literal(node, v) => p.graph.nodes[node.0 as usize].op = Op::Constant(v),
    }
    loom_dfg::verify(&p.graph).is_empty().then_some(p)
}

/// Drops what no output needs.
fn tidy(p: &mut DrawnGraph) {
    let (graph, kept) = prune(&p.graph);
    p.case.inputs = kept.iter().map(|&k| std::mem::take(&mut p.case.inputs[k])).collect();
    p.case.expect = vec![Expect::Any; graph.outputs.len()];
    p.graph = graph;
}

/// Replaces an op by arguments that carry the tokens it gives in the golden model.
fn cut(p: &mut DrawnGraph, node: NodeId, index_width: u32) -> Option<()> {
    let results = p.graph.node(node).results.clone();
    let uses = p.graph.uses();
    let used: Vec<ValueId> = results.into_iter().filter(|v| !uses[v.0 as usize].is_empty()).collect();
    let mut watched = p.graph.clone();
    let first = watched.outputs.len();
    for (k, &v) in used.iter().enumerate() {
        watched.add_output(format!("watched{k}"), v);
    }
    let options = interp::InterpOptions { index_width, max_steps: p.case.max_steps, ..Default::default() };
    let mut outcome = interp::run(&watched, &p.case.inputs, &options);
    if outcome.stop == interp::RunEnd::BudgetExhausted {
        return None;
    }
    let tokens = outcome.outputs.split_off(first);
    let output = p.graph.outputs[0].name.clone();
    let mut fed = Vec::new();
    for (value, tokens) in used.into_iter().zip(tokens) {
        let fresh = (0..).map(|k| format!("cut{k}")).find(|n| p.graph.values.iter().all(|v| v.name != *n))?;
        let ty = p.graph.value(value).ty;
        let argument = p.graph.add_argument(fresh, ty);
        p.case.inputs.push(tokens);
        for n in &mut p.graph.nodes {
            n.operands.iter_mut().filter(|v| **v == value).for_each(|v| *v = argument);
        }
        // An argument that is returned at once tests nothing: such an output goes.
        p.graph.outputs.retain(|o| o.value != value);
        fed.push(argument);
    }
    if p.graph.outputs.is_empty() {
        // In a loop the op that gave the output may also feed others: one of those goes out instead.
        let others = p.graph.node_ids().filter(|&n| n != node);
        let user = others.into_iter().find(|&n| p.graph.node(n).operands.iter().any(|v| fed.contains(v)))?;
        p.graph.add_output(output, p.graph.result(user, 0));
    }
    tidy(p);
    Some(())
}

/// The program as files, names and texts: a graph and a case that read back as the same program.
pub fn files(program: &DrawnGraph) -> [(String, String); 2] {
    let stem = format!("fail-{}", program.seed);
    [
        (format!("{stem}.dfg.mlir"), loom_dfg::print(&program.graph)),
        (format!("{stem}.toml"), case_text(&program.graph, &program.case)),
    ]
}

/// A case in the form of docs/cases.md. Expectations are not written: the models say what comes out.
fn case_text(graph: &Graph, case: &Case) -> String {
    let mut out =
        format!("description = {:?}\nschedules = {}\n\n[inputs]\n", case.description, case.schedules);
    for (&argument, tokens) in graph.arguments.iter().zip(&case.inputs) {
        let value = graph.value(argument);
        let list = match value.ty {
            Type::None => format!("{{ count = {} }}", tokens.len()),
            _ => format!("[{}]", tokens.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
        };
        let _ = writeln!(out, "{} = {list}", value.name);
    }
    let memories: Vec<_> = argument_memories(graph).map(|(_, m)| m).collect();
    for (k, (memory, init)) in memories.iter().zip(&case.memory).enumerate() {
        let words = match init {
            MemoryInit::Words(words) => {
                format!("[{}]", words.iter().map(u64::to_string).collect::<Vec<_>>().join(", "))
            }
            MemoryInit::Part { of, offset, words } => {
                format!("{{ alias = \"{}\", offset = {offset}, words = {words} }}", memories[*of].name)
            }
        };
        let head = if k == 0 { "\n[memory]\n" } else { "" };
        let _ = writeln!(out, "{head}{} = {words}", memory.name);
    }
    if case.axi != Default::default() {
        let a = case.axi;
        let _ = writeln!(
            out,
            "\n[axi]\nlatency = {}\nstall_percent = {}\nreorder = {}\nseed = {}",
            a.latency, a.stall_percent, a.reorder, a.seed
        );
    }
    let s = case.stalls;
    let _ = writeln!(
        out,
        "\n[stalls]\nseed = {}\nsource_percent = {}\nsink_percent = {}",
        s.seed, s.source_percent, s.sink_percent
    );
    let _ = writeln!(out, "\n[limits]\nmax_cycles = {}\nmax_steps = {}", case.max_cycles, case.max_steps);
    out
}
