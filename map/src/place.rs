//! Placement: simulated annealing over PEs and boundary ports.
//!
//! The cost is the sum over connections of the fewest registers between the two places, weighted: a register inside a
//! recurrence (a cycle of the graph) costs cycles in every iteration, any other only latency. PEs are exclusive, and a
//! result that leaves a PE for one that no way reaches makes a placement illegal, so every way is known to exist when
//! routing begins. Deterministic: own generator, steps as budget.

use crate::resources::Resources;
use crate::tech::Candidates;
use loom_adg::{Adg, ComponentId, Flat};
use loom_base::Rng;
use loom_dfg::graph::{Use, ValueDef};
use loom_dfg::{Graph, NodeId, Type};

/// Weight of a register inside a recurrence, against 1 outside.
const RECURRENCE_WEIGHT: u64 = 40;
/// Cost of a connection without a way.
const IMPOSSIBLE: u64 = 1_000_000;

/// Where everything sits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// By node: PE and FU.
    pub nodes: Vec<(ComponentId, usize)>,
    /// By argument: fabric input, `None` for one without uses.
    pub arguments: Vec<Option<usize>>,
    /// By result: fabric output.
    pub outputs: Vec<usize>,
}

/// Something to place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Node(usize),
    Argument(usize),
    Output(usize),
}

/// A connection between two items.
struct Wire {
    from: Item,
    to: Item,
    weight: u64,
}

/// Strongly connected components of the graph's nodes, by node; only those of more than one node, or with an edge to
/// itself, are recurrences.
pub fn recurrences(graph: &Graph) -> Vec<Option<usize>> {
    let n = graph.nodes.len();
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (to, node) in graph.nodes.iter().enumerate() {
        for &v in &node.operands {
            if let ValueDef::Result { node: from, .. } = graph.value(v).def {
                next[from.0 as usize].push(to);
            }
        }
    }
    // Tarjan's algorithm with an explicit stack.
    let (mut index, mut low) = (vec![usize::MAX; n], vec![0; n]);
    let (mut on_stack, mut stack, mut count, mut found) = (vec![false; n], Vec::new(), 0, 0);
    let mut component = vec![None; n];
    for root in 0..n {
        if index[root] != usize::MAX {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some(&mut (v, ref mut at)) = work.last_mut() {
            if *at == 0 {
                index[v] = count;
                low[v] = count;
                count += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            if let Some(&w) = next[v].get(*at) {
                *at += 1;
                if index[w] == usize::MAX {
                    work.push((w, 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            work.pop();
            if let Some(&(parent, _)) = work.last() {
                low[parent] = low[parent].min(low[v]);
            }
            if low[v] == index[v] {
                let mut members = Vec::new();
                loop {
                    let w = stack.pop().expect("v is on the stack");
                    on_stack[w] = false;
                    members.push(w);
                    if w == v {
                        break;
                    }
                }
                if members.len() > 1 || next[v].contains(&v) {
                    for w in members {
                        component[w] = Some(found);
                    }
                    found += 1;
                }
            }
        }
    }
    component
}

/// Fabric ports wide enough for a value.
fn ports_for(
    ports: &[loom_adg::model::Port],
    connected: impl Fn(usize) -> bool,
    ty: Type,
    index_width: u32,
) -> Vec<usize> {
    (0..ports.len())
        .filter(|&k| !ports[k].ty.is_tagged() && ports[k].ty.width >= ty.width(index_width) && connected(k))
        .collect()
}

/// The annealer's state.
struct Annealer<'a> {
    resources: &'a Resources,
    wires: Vec<Wire>,
    /// By item number: the wires that touch it.
    touching: Vec<Vec<usize>>,
    items: Vec<Item>,
    /// By item: its possible places; PE index or port number, with the FU.
    options: Vec<Vec<(usize, usize)>>,
    /// By item: index into its options.
    at: Vec<usize>,
    /// Who sits on a PE, fabric input or fabric output.
    pe_owner: Vec<Option<usize>>,
    input_owner: Vec<Option<usize>>,
    output_owner: Vec<Option<usize>>,
    nodes: usize,
    arguments: usize,
}

impl Annealer<'_> {
    fn number(&self, item: Item) -> usize {
        match item {
            Item::Node(n) => n,
            Item::Argument(a) => self.nodes + a,
            Item::Output(o) => self.nodes + self.arguments + o,
        }
    }

    fn place(&self, item: Item) -> usize {
        let i = self.number(item);
        self.options[i][self.at[i]].0
    }

    fn wire_cost(&self, wire: &Wire) -> u64 {
        let (from, to) = (self.place(wire.from), self.place(wire.to));
        let r = self.resources;
        let distance = match (wire.from, wire.to) {
            (Item::Node(_), Item::Node(_)) => r.between[from][to],
            (Item::Node(_), _) => r.to_output[from][to],
            (Item::Argument(_), Item::Node(_)) => r.from_input[from][to],
            _ => r.input_to_output[from][to],
        };
        distance.map_or(IMPOSSIBLE, |d| wire.weight * u64::from(d))
    }

    fn cost_of(&self, items: &[usize]) -> u64 {
        let mut cost = 0;
        for (k, &i) in items.iter().enumerate() {
            for &w in &self.touching[i] {
                let wire = &self.wires[w];
                let (a, b) = (self.number(wire.from), self.number(wire.to));
                // A wire between two of the items counts once.
                let other = if a == i { b } else { a };
                if !items[..k].contains(&other) {
                    cost += self.wire_cost(wire);
                }
            }
        }
        cost
    }

    fn owners(&mut self, item: Item) -> &mut Vec<Option<usize>> {
        match item {
            Item::Node(_) => &mut self.pe_owner,
            Item::Argument(_) => &mut self.input_owner,
            Item::Output(_) => &mut self.output_owner,
        }
    }

    /// Moves an item to one of its options, swapping with who is there; `None` when that one cannot go back. Returns
    /// what undoes it.
    fn shift(&mut self, i: usize, option: usize) -> Option<Vec<(usize, usize)>> {
        let item = self.items[i];
        let (old, new) = (self.options[i][self.at[i]].0, self.options[i][option].0);
        let other = self.owners(item)[new].filter(|&o| o != i);
        let mut undo = vec![(i, self.at[i])];
        if let Some(o) = other {
            let back = self.options[o].iter().position(|&(p, _)| p == old)?;
            undo.push((o, self.at[o]));
            self.at[o] = back;
            self.owners(item)[old] = Some(o);
        } else {
            self.owners(item)[old] = None;
        }
        self.owners(item)[new] = Some(i);
        self.at[i] = option;
        Some(undo)
    }

    fn undo(&mut self, undo: &[(usize, usize)]) {
        for &(i, _) in undo {
            let item = self.items[i];
            let place = self.options[i][self.at[i]].0;
            self.owners(item)[place] = None;
        }
        for &(i, option) in undo {
            let item = self.items[i];
            self.at[i] = option;
            let place = self.options[i][option].0;
            self.owners(item)[place] = Some(i);
        }
    }

    fn total(&self) -> u64 {
        self.wires.iter().map(|w| self.wire_cost(w)).sum()
    }

    fn anneal(&mut self, rng: &mut Rng, steps: u64) {
        let movable: Vec<usize> = (0..self.items.len()).filter(|&i| self.options[i].len() > 1).collect();
        if movable.is_empty() {
            return;
        }
        let mut cost = self.total();
        let mut best = (cost, self.at.clone());
        let hot = 2.0 + cost.min(IMPOSSIBLE) as f64 / (self.wires.len().max(1) as f64);
        for step in 0..steps {
            // Geometric cooling to well below the smallest difference.
            let temperature = hot * (0.02 / hot).powf(step as f64 / steps as f64);
            let i = *rng.pick(&movable);
            let option = rng.below(self.options[i].len());
            if option == self.at[i] {
                continue;
            }
            let other = {
                let new = self.options[i][option].0;
                let item = self.items[i];
                self.owners(item)[new]
            };
            let touched: Vec<usize> = [Some(i), other].into_iter().flatten().collect();
            let before = self.cost_of(&touched);
            let Some(undo) = self.shift(i, option) else {
                continue;
            };
            let after = self.cost_of(&touched);
            let worse = after.saturating_sub(before) as f64;
            if after > before && rng.unit() >= (-worse / temperature).exp() {
                self.undo(&undo);
                continue;
            }
            cost = cost - before + after;
            if cost < best.0 {
                best = (cost, self.at.clone());
            }
        }
        self.at = best.1;
    }
}

/// Places a graph. `matched` is a legal start: a PE for every node (see [`capacity`]).
#[allow(clippy::too_many_arguments)] // the whole problem, named
pub fn place(
    graph: &Graph,
    adg: &Adg,
    flat: &Flat,
    resources: &Resources,
    candidates: &Candidates,
    matched: &[usize],
    ports: &(Vec<Option<usize>>, Vec<usize>),
    rng: &mut Rng,
    steps_per_item: u64,
) -> Place {
    let scc = recurrences(graph);
    let uses = graph.uses();
    let mut wires = Vec::new();
    for (v, value) in graph.values.iter().enumerate() {
        let from = match value.def {
            ValueDef::Argument(a) => Item::Argument(a),
            ValueDef::Result { node, .. } => Item::Node(node.0 as usize),
        };
        for u in &uses[v] {
            let to = match *u {
                Use::Operand { node, .. } => Item::Node(node.0 as usize),
                Use::Output(o) => Item::Output(o),
            };
            let inside = match (from, to) {
                (Item::Node(a), Item::Node(b)) => scc[a].is_some() && scc[a] == scc[b],
                _ => false,
            };
            wires.push(Wire { from, to, weight: if inside { RECURRENCE_WEIGHT } else { 1 } });
        }
    }

    let iw = adg.index_width;
    let mut items = Vec::new();
    let mut options: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut at = Vec::new();
    for (n, list) in candidates.iter().enumerate() {
        items.push(Item::Node(n));
        options.push(
            list.iter()
                .map(|&(id, fu)| (resources.pe_index[id.0 as usize].expect("candidates are PEs"), fu))
                .collect(),
        );
        at.push(matched[n]);
    }
    for (a, &value) in graph.arguments.iter().enumerate() {
        items.push(Item::Argument(a));
        let list = match ports.0[a] {
            None => vec![],
            Some(_) => ports_for(&adg.top.inputs, |k| flat.inputs[k].is_some(), graph.value(value).ty, iw),
        };
        at.push(ports.0[a].and_then(|k| list.iter().position(|&p| p == k)).unwrap_or(0));
        options.push(list.into_iter().map(|k| (k, 0)).collect());
    }
    for (o, output) in graph.outputs.iter().enumerate() {
        items.push(Item::Output(o));
        let list =
            ports_for(&adg.top.outputs, |k| flat.outputs[k].is_some(), graph.value(output.value).ty, iw);
        at.push(list.iter().position(|&p| p == ports.1[o]).unwrap_or(0));
        options.push(list.into_iter().map(|k| (k, 0)).collect());
    }

    let mut annealer = Annealer {
        resources,
        touching: vec![Vec::new(); items.len()],
        wires,
        nodes: graph.nodes.len(),
        arguments: graph.arguments.len(),
        pe_owner: vec![None; resources.pes.len()],
        input_owner: vec![None; adg.top.inputs.len()],
        output_owner: vec![None; adg.top.outputs.len()],
        items,
        options,
        at,
    };
    for w in 0..annealer.wires.len() {
        let (a, b) = (annealer.number(annealer.wires[w].from), annealer.number(annealer.wires[w].to));
        annealer.touching[a].push(w);
        if b != a {
            annealer.touching[b].push(w);
        }
    }
    for i in 0..annealer.items.len() {
        if annealer.options[i].is_empty() {
            continue;
        }
        let (item, place) = (annealer.items[i], annealer.options[i][annealer.at[i]].0);
        annealer.owners(item)[place] = Some(i);
    }
    let steps = steps_per_item * annealer.items.len() as u64;
    annealer.anneal(rng, steps);

    let node = |n: usize| {
        let (pe, fu) = annealer.options[n][annealer.at[n]];
        (resources.pes[pe], fu)
    };
    Place {
        nodes: (0..graph.nodes.len()).map(node).collect(),
        arguments: (0..graph.arguments.len())
            .map(|a| ports.0[a].map(|_| annealer.place(Item::Argument(a))))
            .collect(),
        outputs: (0..graph.outputs.len()).map(|o| annealer.place(Item::Output(o))).collect(),
    }
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
    let mut owner: Vec<Option<usize>> = vec![None; resources.pes.len()];
    let mut chosen = vec![usize::MAX; n];
    let pe = |node: usize, option: usize| {
        resources.pe_index[candidates[node][option].0 .0 as usize].expect("candidates are PEs")
    };
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
