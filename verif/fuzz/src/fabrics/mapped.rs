//! Random graphs mapped onto random fabrics: the golden model, the native model and the Verilog agree on each that fits.
//!
//! Guarantees: a seed always draws the same graph for a fabric. Graphs are of what the fabric has units for; on a mesh with the library's
//! state machines some are any random graph. Not judged: graphs that the fabric has no room or way for.

use crate::{check, shrink_failure, DrawnGraph, Fate, GraphFailure, Target};
use loom_adg::{Component, Fabric};
use loom_base::rng::mix;
use loom_base::stall::Stalls;
use loom_base::Rng;
use loom_cosim::Built;
use loom_map::MapOptions;
use loom_sim::{Case, Expect};
use loom_testkit::graphs::{random_graph, RandomGraphOptions};
use loom_testkit::unit_graphs::graph_for;
use std::sync::Arc;

/// Nodes of a graph of units.
const MOST_NODES: usize = 6;

/// What came of the graphs of some fabrics.
#[derive(Clone, Debug, Default)]
pub struct MappedSummary {
    /// Graphs drawn.
    pub drawn: u64,
    /// Those that fitted.
    pub mapped: u64,
    /// Their nodes.
    pub nodes: u64,
    /// Those that ran through Verilog.
    pub verilog: u64,
    /// Cycles that were compared with it.
    pub cycles: u64,
    /// What went wrong, with the fabric.
    pub failures: Vec<(Fabric, GraphFailure)>,
}

/// Any legal mapping does: that the models agree on it is what is asked.
pub fn quick() -> MapOptions {
    MapOptions { steps_per_item: 200, attempts: 3, ..MapOptions::default() }
}

/// Graph number `k` for a fabric; `None` where it has no units for any.
pub fn draw_for(f: &Fabric, seed: u64, k: u64) -> Option<DrawnGraph> {
    let mut rng = Rng::new(mix(seed ^ mix(!k)));
    let counts = f.flat().ids().any(|id| match f.component(id) {
        Component::SpatialPe(pe) => pe.fus.iter().any(|fu| fu.is_state_machine()),
        _ => false,
    });
    let random = match counts && rng.chance(20) {
        true => {
            let options = RandomGraphOptions { max_ops: 8, max_depth: 1, ..RandomGraphOptions::default() };
            random_graph(&mut rng, &options)
        }
        false => graph_for(f, &mut rng, MOST_NODES)?,
    };
    let activations = 1 + rng.below(6);
    let inputs = random.inputs(&mut rng, activations);
    let mut percent = || if rng.chance(40) { 0 } else { rng.between(1, 60) as u32 };
    let (source_percent, sink_percent) = (percent(), percent());
    let case = Case {
        description: format!("graph {k} for the fabric of seed {seed}"),
        inputs,
        expect: vec![Expect::Any; random.graph.outputs.len()],
        memory: Vec::new(),
        expect_memory: Vec::new(),
        stalls: Stalls { seed: k, source_percent, sink_percent },
        axi: Default::default(),
        max_cycles: 50_000,
        max_steps: 50_000,
        schedules: 2,
        gate: None,
    };
    Some(DrawnGraph { seed, graph: random.graph, case })
}

/// Draws so many graphs for a fabric, maps and runs those that fit, with `built` in Verilog too; the first that fails is made small,
/// while `more` says so, and is the last.
pub fn check_mapped(
    seed: u64,
    f: &Fabric,
    graphs: u64,
    built: Option<&Arc<Built>>,
    summary: &mut MappedSummary,
    more: &dyn Fn() -> bool,
) {
    let target = Target { fabric: f, options: quick() };
    for k in 0..graphs {
        let Some(program) = draw_for(f, seed, k) else { return };
        summary.drawn += 1;
        match check(&program, &target, built) {
            Fate::DoesNotFit(_) => {}
            // Too little room to wait in is the fabric's own.
            Fate::Fails(message) if message.starts_with(loom_map::codes::GETS_STUCK.id) => {}
            Fate::Agrees(report) => {
                summary.mapped += 1;
                summary.nodes += program.graph.nodes.len() as u64;
                summary.verilog += u64::from(report.verilog_cycles.is_some());
                summary.cycles += report.verilog_cycles.unwrap_or(0);
            }
            Fate::Fails(message) => {
                let failure = shrink_failure(program, message, &target, built, &|| !more());
                summary.failures.push((f.clone(), failure));
                return;
            }
        }
    }
}
