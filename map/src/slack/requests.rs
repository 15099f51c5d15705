//! What a placement asks of the router.

use crate::model::place::Place;
use crate::model::problem::Problem;
use crate::model::resources::RouteStart;
use crate::route::{RouteEnd, RouteRequest};
use crate::timing::{recurrence, routed};
use loom_dfg::graph::{Use, ValueDef};
use loom_dfg::ValueId;

/// The values of a placement that are to be routed, none with slack.
pub fn requests(problem: &Problem, place: &Place) -> Vec<RouteRequest> {
    let Problem { graph, resources, .. } = problem;
    let (scc, turns) = (recurrence::recurrences(graph), recurrence::recurrences_of_loops(graph));
    routed::routed_values(graph)
        .into_iter()
        .map(|(value, uses)| {
            let own = match graph.value(value).def {
                ValueDef::Result { node, .. } => Some(node.0 as usize),
                _ => None,
            };
            let ends = uses
                .into_iter()
                .map(|use_| {
                    let within = |part: &[Option<usize>]| match (own, use_) {
                        (Some(from), Use::Operand { node, .. }) => {
                            part[from].is_some() && part[from] == part[node.0 as usize]
                        }
                        _ => false,
                    };
                    let target = routed::target(resources, place, use_);
                    RouteEnd { use_, target, slack: 0, critical: within(&scc), may_wait: !within(&turns) }
                })
                .collect();
            let width = problem.widths[value.0 as usize];
            RouteRequest { value, width, start: start(problem, place, value), ends }
        })
        .collect()
}

/// Where a value starts.
pub fn start(problem: &Problem, place: &Place, value: ValueId) -> RouteStart {
    match problem.graph.value(value).def {
        ValueDef::Literal(_) => unreachable!("an immediate does not travel"),
        ValueDef::Argument(a) => RouteStart::Input(place.arguments[a].expect("it has a use")),
        ValueDef::Result { node, result } => {
            let at = place.nodes[node.0 as usize];
            match problem.resources.lane(at) {
                Some(lane) => RouteStart::Channel(lane.answers[result]),
                None => RouteStart::Pe(at.component),
            }
        }
    }
}
