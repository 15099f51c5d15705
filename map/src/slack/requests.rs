//! What a placement asks of the router.

use crate::model::place::Place;
use crate::model::problem::Problem;
use crate::model::resources::RouteStart;
use crate::route::{RouteEnd, RouteRequest, Urgency};
use crate::timing::recurrence::{self, CycleEdge};
use crate::timing::{routed, spare};
use loom_dfg::graph::{Use, ValueDef};
use loom_dfg::ValueId;

/// The values of a placement that are to be routed, none with slack and none of them urgent.
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
                    RouteEnd {
                        use_,
                        target,
                        slack: 0,
                        critical: within(&scc),
                        urgency: Urgency::default(),
                        may_wait: !within(&turns),
                    }
                })
                .collect();
            let width = problem.widths[value.0 as usize];
            RouteRequest { value, width, start: start(problem, place, value), ends }
        })
        .collect()
}

/// The same, each as urgent as it is with the shortest ways.
pub fn urgent_requests(problem: &Problem, place: &Place) -> Vec<RouteRequest> {
    let mut requests = requests(problem, place);
    let Problem { graph, resources, .. } = problem;
    let sites: Vec<usize> = place.nodes.iter().map(|&site| resources.site(site)).collect();
    let stages: Vec<u64> =
        place.nodes.iter().enumerate().map(|(n, &at)| problem.timing_at(n, at).stages().into()).collect();
    let shortest = |(node, operand): CycleEdge| {
        let value = graph.value(graph.nodes[node].operands[operand]);
        let way = match value.def {
            ValueDef::Result { node: from, .. } => resources.distance(sites[from.0 as usize], sites[node]),
            ValueDef::Argument(_) | ValueDef::Literal(_) => 0,
        };
        stages[node] + u64::from(way)
    };
    set_urgencies(problem, &mut requests, &shortest);
    requests
}

/// Makes each way at least as urgent as it is where edges are so long, up to the results of their consumers; whether any is more than it was.
pub fn set_urgencies(
    problem: &Problem,
    nets: &mut [RouteRequest],
    length: &dyn Fn(CycleEdge) -> u64,
) -> bool {
    let urgency = spare::urgency(problem, length);
    let mut is_more = false;
    for end in nets.iter_mut().flat_map(|net| &mut net.ends) {
        let Use::Operand { node, operand } = end.use_ else { continue };
        let now = Urgency::of(urgency[node.0 as usize][operand]);
        is_more |= now > end.urgency;
        end.urgency = now.max(end.urgency);
    }
    is_more
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
