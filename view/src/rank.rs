//! Ranks of the PEs of a tile, from what its switch connects: a PE whose outputs are registered has the first, another one a later rank than
//! all whose results it may take within a cycle. Guarantees: ranks exist for every legal tile, for a circle would be a
//! combinational one; an illegal one ends after as many rounds as there are parts.

use loom_adg::model::{Adg, Body, Component, End, Of, SpatialSw};

/// The widest spatial switch of a tile.
pub(crate) fn hub(adg: &Adg, body: &Body) -> Option<usize> {
    let ports = |i: usize| switch(adg, body, i).map(|sw| sw.inputs.len() + sw.outputs.len());
    let all = (0..body.instances.len()).filter_map(|i| Some((ports(i)?, std::cmp::Reverse(i))));
    all.max().map(|(_, i)| i.0)
}

fn switch<'a>(adg: &'a Adg, body: &Body, part: usize) -> Option<&'a SpatialSw> {
    match (body.instances[part].of, &adg.definitions) {
        (Of::Component(d), all) => match &all.get(d)?.component {
            Component::SpatialSw(sw) => Some(sw),
            _ => None,
        },
        (Of::Tile(_), _) => None,
    }
}

/// By part, its rank; none of what is no PE.
pub(crate) fn ranks(adg: &Adg, body: &Body, hub: Option<usize>) -> Vec<Option<usize>> {
    let pe = |i: usize| match body.instances[i].of {
        Of::Component(d) => match &adg.definitions[d].component {
            Component::SpatialPe(pe) => Some(pe),
            _ => None,
        },
        Of::Tile(_) => None,
    };
    let count = body.instances.len();
    let mut ranks: Vec<Option<usize>> = (0..count).map(|i| pe(i).map(|_| 0)).collect();
    let Some((hub, sw)) = hub.and_then(|h| Some((h, switch(adg, body, h)?))) else { return ranks };
    let wired = |from: bool| {
        let one = move |c: &loom_adg::model::Connection| match (c.from, c.to) {
            (End::Instance { instance: a, .. }, End::Instance { instance: b, port }) if from && b == hub => {
                Some((a, port))
            }
            (End::Instance { instance: a, port }, End::Instance { instance: b, .. }) if !from && a == hub => {
                Some((b, port))
            }
            _ => None,
        };
        body.connections.iter().filter_map(one).collect::<Vec<_>>()
    };
    let (sources, sinks) = (wired(true), wired(false));
    let combinational = |i: usize| pe(i).is_some_and(|pe| !pe.is_buffered());
    let mut arcs = Vec::new();
    for &(a, input) in sources.iter().filter(|s| combinational(s.0)) {
        for &(b, output) in sinks.iter().filter(|s| combinational(s.0)) {
            if a != b && sw.connectivity[output][input] {
                arcs.push((a, b));
            }
        }
    }
    (0..count).filter(|&i| combinational(i)).for_each(|i| ranks[i] = Some(1));
    for _ in 0..count {
        let mut changed = false;
        for &(a, b) in &arcs {
            let after = ranks[a].map(|r| r + 1);
            if ranks[b] < after {
                ranks[b] = after;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    ranks
}
