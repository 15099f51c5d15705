//! Whether a graph can sit on a fabric at all: a PE for every op, a port for every argument and result.

use crate::resources::{Resources, NO_WAY};
use crate::tech::Candidates;
use loom_adg::{Adg, ComponentId, Flat};
use loom_dfg::{Graph, NodeId, Type};
use std::collections::BTreeMap;

/// Fabric ports wide enough for a value.
pub fn ports_for(
    ports: &[loom_adg::model::Port],
    connected: impl Fn(usize) -> bool,
    ty: Type,
    index_width: u32,
) -> Vec<usize> {
    (0..ports.len())
        .filter(|&k| !ports[k].ty.is_tagged() && ports[k].ty.width >= ty.width(index_width) && connected(k))
        .collect()
}

/// A first port for every argument that has uses and every result: widest values first take the narrowest ports.
/// `Err` names what found none.
#[allow(clippy::type_complexity)] // arguments and outputs, as in `Place`
pub fn first_ports(
    graph: &Graph,
    adg: &Adg,
    flat: &Flat,
) -> Result<(Vec<Option<usize>>, Vec<usize>), (bool, usize)> {
    let iw = adg.index_width;
    let uses = graph.uses();
    let assign =
        |wanted: Vec<(usize, Type)>, ports: &[loom_adg::model::Port], connected: &dyn Fn(usize) -> bool| {
            let mut order = wanted;
            order.sort_by_key(|&(i, ty)| (std::cmp::Reverse(ty.width(iw)), i));
            let mut taken = vec![false; ports.len()];
            let mut result = Vec::new();
            for (i, ty) in order {
                let mut list = ports_for(ports, connected, ty, iw);
                list.retain(|&k| !taken[k]);
                // Widest first, so the narrowest port that still fits cannot starve a later value more than need be.
                let Some(&k) = list.iter().min_by_key(|&&k| (ports[k].ty.width, k)) else {
                    return Err(i);
                };
                taken[k] = true;
                result.push((i, k));
            }
            Ok(result)
        };
    let wanted = (0..graph.arguments.len())
        .filter(|&a| !uses[graph.arguments[a].0 as usize].is_empty())
        .map(|a| (a, graph.value(graph.arguments[a]).ty))
        .collect();
    let mut arguments = vec![None; graph.arguments.len()];
    for (a, k) in assign(wanted, &adg.top.inputs, &|k| flat.inputs[k].is_some()).map_err(|a| (true, a))? {
        arguments[a] = Some(k);
    }
    let wanted = graph.outputs.iter().enumerate().map(|(o, out)| (o, graph.value(out.value).ty)).collect();
    let mut outputs = vec![0; graph.outputs.len()];
    for (o, k) in assign(wanted, &adg.top.outputs, &|k| flat.outputs[k].is_some()).map_err(|o| (false, o))? {
        outputs[o] = k;
    }
    Ok((arguments, outputs))
}

/// Bipartite matching of nodes to PEs (Kuhn). `Ok` is the option index of every node; `Err` is a set of nodes whose
/// candidates together are fewer than they (Hall), with the number of those candidates.
pub fn capacity(candidates: &Candidates, resources: &Resources) -> Result<Vec<usize>, (Vec<NodeId>, usize)> {
    let n = candidates.len();
    let mut owner: Vec<Option<usize>> = vec![None; resources.sites.len()];
    let mut chosen = vec![usize::MAX; n];
    let pe = |node: usize, option: usize| resources.site(candidates[node][option]);
    for start in 0..n {
        // Breadth first over alternating paths.
        let mut seen = vec![false; owner.len()];
        let mut from: Vec<Option<(usize, usize)>> = vec![None; owner.len()];
        let mut nodes = vec![start];
        let mut end = None;
        let mut head = 0;
        'search: while head < nodes.len() {
            let node = nodes[head];
            head += 1;
            for option in 0..candidates[node].len() {
                let p = pe(node, option);
                if seen[p] {
                    continue;
                }
                seen[p] = true;
                from[p] = Some((node, option));
                match owner[p] {
                    None => {
                        end = Some(p);
                        break 'search;
                    }
                    Some(next) => nodes.push(next),
                }
            }
        }
        let Some(mut p) = end else {
            let count = seen.iter().filter(|&&s| s).count();
            let mut set: Vec<NodeId> = nodes.into_iter().map(|n| NodeId(n as u32)).collect();
            set.sort();
            return Err((set, count));
        };
        loop {
            let (node, option) = from[p].expect("the path was recorded");
            let before = chosen[node];
            owner[p] = Some(node);
            chosen[node] = option;
            if node == start {
                break;
            }
            p = pe(node, before);
        }
    }
    Ok(chosen)
}

/// Fewest registers between two nodes wherever they are placed, remembered by their candidates.
pub struct Closest<'a> {
    candidates: &'a Candidates,
    resources: &'a Resources,
    /// By node: the first node with the same candidates.
    class: Vec<usize>,
    known: BTreeMap<(usize, usize, bool), u32>,
}

impl<'a> Closest<'a> {
    /// Nothing known yet.
    pub fn new(candidates: &'a Candidates, resources: &'a Resources) -> Closest<'a> {
        let mut first = BTreeMap::new();
        let class = candidates.iter().enumerate().map(|(n, list)| {
            let sites: Vec<usize> = list.iter().map(|&c| resources.site(c)).collect();
            *first.entry(sites).or_insert(n)
        });
        let class = class.collect();
        Closest { candidates, resources, class, known: BTreeMap::new() }
    }

    /// Fewest registers from a result of one node to an operand of another, or of itself.
    pub fn registers(&mut self, from: usize, to: usize) -> u32 {
        let key = (self.class[from], self.class[to], from == to);
        if let Some(&d) = self.known.get(&key) {
            return d;
        }
        let pe = |c: &(ComponentId, usize)| self.resources.site(*c);
        let mut best = u32::from(NO_WAY);
        'search: for a in self.candidates[from].iter().map(pe) {
            for b in self.candidates[to].iter().map(pe) {
                // Two ops never share a PE.
                if (a == b) == (from == to) {
                    best = best.min(self.resources.distance(a, b).into());
                    if best == 0 {
                        break 'search;
                    }
                }
            }
        }
        // A pair without a way is the router's to report.
        let best = if best == u32::from(NO_WAY) { 0 } else { best };
        self.known.insert(key, best);
        best
    }
}
