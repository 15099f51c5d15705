//! Mapping onto a large fabric: onto some columns and rows, and onto more of them where these do not do.
//!
//! An engine asks for the distance between any two sites, and their number grows with the square of the fabric. A program needs a
//! part of a large one, which is a fabric of its own: it is mapped there, and the mapping is carried over. Guarantees: what is
//! returned is a mapping of the whole fabric, and passed [`crate::check`] there; what the whole has no units, lanes or ports
//! for is said of the whole. Gives up where [`MOST_PARTS`] parts with enough units, lanes and ports found no routes.

use crate::mapping::{Mapping, Step};
use crate::model::pins::PinnedPort;
use crate::model::problem::Problem;
use crate::{check, solve, Solved, Task, Unmapped};
use loom_adg::{Cells, Component, Fabric, FabricPart, PassedComponent, SourcePort};
use loom_dfg::Graph;

/// Cells of the first part, and its sites for each op: fewer would save little time and cost many failures.
const FIRST_CELLS: usize = 64;
const SITES_PER_OP: usize = 2;
/// Parts without routes after which none larger is tried.
const MOST_PARTS: usize = 3;

/// Maps a netlist on the smallest part of a fabric that takes it; `whole` is the problem on all of it.
pub(crate) fn map(
    task: &Task,
    fabric: &Fabric,
    whole: &Problem,
    (pins, rival): (&[PinnedPort], Option<f64>),
    progress: &mut dyn FnMut(&str, f64),
) -> Result<Solved, Unmapped> {
    let (cells, start) = (Cells::of(fabric), start(whole, pins));
    let mut failures = Vec::new();
    for side in sides(&cells, whole) {
        let some = cells.around(start, side);
        if some.count() == cells.count() {
            return solve(task, fabric, (whole, rival), progress);
        }
        let part = FabricPart::new(fabric, &some);
        let Some(problem) = problem(task, whole, &part, pins) else { continue };
        match solve(task, &part.fabric, (&problem, rival), progress) {
            Ok(solved) => return carry_over(task, fabric, &part, solved),
            Err(unmapped) => failures.push((side, unmapped)),
        }
        if failures.len() == MOST_PARTS {
            break;
        }
    }
    let (side, mut failure) = failures.pop().expect("the last side is the whole fabric's");
    let note =
        format!("this was on {side} of its columns and rows; {} smaller parts did no better", failures.len());
    failure.diagnostics = failure.diagnostics.into_iter().map(|d| d.note(note.clone())).collect();
    // What was placed there has its numbers in the part.
    failure.unsolved = None;
    Err(failure)
}

/// Where parts lie: in the first corner, or around the first port that is pinned.
fn start(whole: &Problem, pins: &[PinnedPort]) -> (i32, i32) {
    let resources = &whole.resources;
    let position = |pin: &PinnedPort| match pin.is_input {
        true => resources.sites.len() + pin.port,
        false => resources.sites.len() + resources.inputs() + pin.port,
    };
    pins.first().map_or((0, 0), |pin| resources.tiles.grid[position(pin)])
}

/// The sides of the parts to try, each twice as large as the one before; the last holds the whole fabric.
fn sides(cells: &Cells, whole: &Problem) -> Vec<usize> {
    let sites = SITES_PER_OP * whole.graph.nodes.len();
    let wanted = FIRST_CELLS.max((sites * cells.count()).div_ceil(whole.resources.sites.len()));
    let count = |side: usize| cells.around((0, 0), side).count();
    let last = (1..).find(|&side| count(side) == cells.count()).unwrap_or(1);
    let first = (1..last).find(|&side| count(side) >= wanted).unwrap_or(last);
    let next = |&side: &usize| (side < last).then(|| (side * 99).div_ceil(70).min(last));
    std::iter::successors(Some(first), next).collect()
}

/// The problem on a part; none where units, lanes or ports are missing there.
fn problem<'a>(
    task: &Task<'a>,
    whole: &Problem,
    part: &FabricPart,
    pins: &[PinnedPort],
) -> Option<Problem<'a>> {
    let pins = inside(part, pins)?;
    let mut problem = Problem::new(task.net, &part.fabric, task.options.memory_latency).ok()?;
    problem.pin(&part.fabric, &pins).ok()?;
    debug_assert!(problem.bound + 1e-9 >= whole.bound, "a part has no faster units than the whole");
    Some(problem)
}

/// The same ports in a part; none where one is not there.
pub(crate) fn inside(part: &FabricPart, pins: &[PinnedPort]) -> Option<Vec<PinnedPort>> {
    let inside = |pin: &PinnedPort| {
        let port = if pin.is_input { part.input_inside(pin.port) } else { part.output_inside(pin.port) };
        Some(PinnedPort { port: port?, ..pin.clone() })
    };
    pins.iter().map(inside).collect()
}

/// The same on the whole fabric.
fn carry_over(task: &Task, fabric: &Fabric, part: &FabricPart, solved: Solved) -> Result<Solved, Unmapped> {
    let mapping = carried(task.net, fabric, part, solved.mapping);
    let problems = check::check_netlist(task.net, fabric, &mapping);
    match loom_base::diag::has_errors(&problems) {
        true => Err(problems.into()),
        false => Ok(Solved { mapping, ..solved }),
    }
}

/// A netlist's mapping onto a part as one onto the whole fabric: what comes and goes by a port of the part passes what lies between it
/// and the fabric's.
pub(crate) fn carried(net: &Graph, fabric: &Fabric, part: &FabricPart, mapping: Mapping) -> Mapping {
    let Mapping { covers, mut placements, mut arguments, mut outputs, mut routes } = mapping;
    let step =
        |&PassedComponent { component, input, output }: &PassedComponent| match fabric.component(component) {
            Component::Fifo(fifo) => Step::Fifo { component, bypass: !fifo.can_register() },
            _ => Step::Switch { component, input, output },
        };
    for placement in &mut placements {
        placement.component = part.component(placement.component);
    }
    for route in &mut routes {
        for step in &mut route.steps {
            *step = step.through(part.component(step.component()));
        }
        route.source = match route.source {
            SourcePort::Boundary(k) => {
                route.steps.extend(part.before_input(k).iter().map(step));
                SourcePort::Boundary(part.input(k))
            }
            SourcePort::Port(id, port) => SourcePort::Port(part.component(id), port),
        };
        let leaving = net.outputs.iter().zip(&outputs).filter(|(output, _)| output.value == route.value);
        route.steps.extend(leaving.flat_map(|(_, &o)| part.behind_output(o)).map(step));
        route.steps.sort();
    }
    arguments.iter_mut().flatten().for_each(|input| *input = part.input(*input));
    outputs.iter_mut().for_each(|output| *output = part.output(*output));
    Mapping { covers, placements, arguments, outputs, routes }
}
