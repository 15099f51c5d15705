//! H5: no structural combinational cycle, whatever the configuration.
//!
//! The graph has a valid and a ready signal per channel. A component adds the arcs that some configuration can close
//! ([`Arcs`]); data and tags count as valid. It is searched body by body: first each tile alone, then the top level
//! with every tile replaced by what its ports reach through it. So the work grows with the tiles' distinct shapes and
//! the top level's connections, not with their product.
//!
//! Joins make an input's ready depend on the valid of others. These arcs are left out: no component leads from ready to
//! valid, so a cycle is of valids alone or of readies alone.

use crate::codes;
use crate::model::{Adg, Body, Component, Connection, End, FifoKind, Of};
use crate::names::{sink_name, source_name};
use crate::places::{BodyId, Object, Places};
use loom_base::{Diagnostic, Diagnostics};
use std::collections::VecDeque;

/// Which signals of a component's ports depend on which, within a cycle.
#[derive(Clone)]
struct Arcs {
    /// By input: outputs whose valid depends on this input's valid.
    valid_to_valid: Vec<Vec<usize>>,
    /// By output: inputs whose ready depends on this output's ready.
    ready_to_ready: Vec<Vec<usize>>,
}

/// Checks every tile and the top level.
pub(super) fn check(adg: &Adg, places: &Places, out: &mut Diagnostics) {
    let components: Vec<Arcs> = adg.definitions.iter().map(|d| arcs(&d.component)).collect();
    let tiles: Vec<Graph> = adg.tiles.iter().map(|t| Graph::new(&t.body, &components, &[])).collect();
    let mut cyclic = false;
    for (i, (tile, graph)) in adg.tiles.iter().zip(&tiles).enumerate() {
        let Some(cycle) = graph.cycle() else { continue };
        cyclic = true;
        // The first instance's name says more than the tile's.
        let instance = adg.top.instances.iter().find(|n| n.of == Of::Tile(i)).map_or(&tile.name, |n| &n.name);
        let names: Vec<String> =
            cycle.iter().map(|&s| format!("{instance}.{}", signal_name(adg, &tile.body, s))).collect();
        out.push(diagnostic(&names, BodyId::Tile(i), &cycle, places));
    }
    if cyclic {
        return;
    }
    let through: Vec<Arcs> = adg.tiles.iter().zip(&tiles).map(|(t, g)| g.through(&t.body)).collect();
    let top = Graph::new(&adg.top, &components, &through);
    if let Some(cycle) = top.cycle() {
        let names = expand(adg, &tiles, &cycle);
        out.push(diagnostic(&names, BodyId::Top, &cycle, places));
    }
}

fn diagnostic(names: &[String], id: BodyId, cycle: &[usize], places: &Places) -> Diagnostic {
    let mut path = names.join(" -> ");
    path.push_str(&format!(" -> {}", names[0]));
    // The place of a connection that stands in the text, if there is one.
    let span = cycle.iter().map(|&s| s / 2).find_map(|c| {
        let own = places.of(Object::Connection(id, c));
        own.filter(|s| Some(s) != places.of(Object::Body(id)).as_ref())
    });
    Diagnostic::error(
        codes::COMBINATIONAL_CYCLE,
        format!("combinational cycle: `{path}`"),
    )
    .at_opt(span.or_else(|| places.of(Object::Body(id))), "on the cycle")
    .help(
        "cut it with a FIFO that nothing passes within a cycle, with output buffers on a PE, or in a connectivity table",
    )
}

/// What a configuration of the component can make depend on what (docs/hardware.md).
fn arcs(component: &Component) -> Arcs {
    let (inputs, outputs) = (component.inputs().len(), component.outputs().len());
    let none = Arcs { valid_to_valid: vec![Vec::new(); inputs], ready_to_ready: vec![Vec::new(); outputs] };
    let all = |n: usize| (0..n).collect::<Vec<_>>();
    let along = |connectivity: &[Vec<bool>]| Arcs {
        valid_to_valid: (0..inputs).map(|i| (0..outputs).filter(|&o| connectivity[o][i]).collect()).collect(),
        ready_to_ready: connectivity.iter().map(|row| (0..inputs).filter(|&i| row[i]).collect()).collect(),
    };
    let straight = || Arcs { valid_to_valid: vec![vec![0]], ready_to_ready: vec![vec![0]] };
    match component {
        Component::SpatialPe(pe) => {
            let passes = pe.fus.iter().any(|f| !pe.buffers(f) && f.latency == 0);
            Arcs {
                valid_to_valid: vec![if passes { all(outputs) } else { Vec::new() }; inputs],
                // A pipeline moves on, and so accepts, when its end is taken: latency does not cut ready.
                ready_to_ready: vec![if pe.is_buffered() { Vec::new() } else { all(inputs) }; outputs],
            }
        }
        Component::SpatialSw(sw) => along(&sw.connectivity),
        Component::TemporalSw(sw) => along(&sw.connectivity),
        Component::Fifo(fifo) => match fifo.kind {
            FifoKind::Registered => none,
            FifoKind::Bypassable => straight(),
            FifoKind::FallThrough => Arcs { valid_to_valid: vec![vec![0]], ..none },
        },
        Component::AddTag(_) | Component::DelTag(_) | Component::MapTag(_) => straight(),
        // Requests are looked at before they are taken; outputs come from registers.
        Component::Memory(_) => none,
    }
}

/// The signals of one body: connection `c` has valid `2 * c` and ready `2 * c + 1`.
struct Graph<'a> {
    connections: &'a [Connection],
    instances: Vec<Node<'a>>,
}

/// An instance in the graph: its arcs, and the connections at its inputs and outputs.
struct Node<'a> {
    arcs: &'a Arcs,
    inputs: Vec<Option<usize>>,
    outputs: Vec<Option<usize>>,
}

/// Whether a signal is a valid, not a ready.
fn is_valid(signal: usize) -> bool {
    signal & 1 == 0
}

impl<'a> Graph<'a> {
    fn new(body: &'a Body, components: &'a [Arcs], tiles: &'a [Arcs]) -> Graph<'a> {
        let mut instances: Vec<Node> = body
            .instances
            .iter()
            .map(|i| {
                let arcs = match i.of {
                    Of::Component(d) => &components[d],
                    Of::Tile(t) => &tiles[t],
                };
                let (inputs, outputs) = (arcs.valid_to_valid.len(), arcs.ready_to_ready.len());
                Node { arcs, inputs: vec![None; inputs], outputs: vec![None; outputs] }
            })
            .collect();
        for (c, connection) in body.connections.iter().enumerate() {
            if let End::Instance { instance, port } = connection.from {
                instances[instance].outputs[port] = Some(c);
            }
            if let End::Instance { instance, port } = connection.to {
                instances[instance].inputs[port] = Some(c);
            }
        }
        Graph { connections: &body.connections, instances }
    }

    /// Signals that depend on a signal, of the same kind as it.
    fn next(&self, signal: usize) -> Vec<usize> {
        let connection = self.connections[signal / 2];
        let end = if is_valid(signal) { connection.to } else { connection.from };
        let End::Instance { instance, port } = end else { return Vec::new() };
        let Node { arcs, inputs, outputs } = &self.instances[instance];
        let (reached, at) = match is_valid(signal) {
            true => (&arcs.valid_to_valid[port], outputs),
            false => (&arcs.ready_to_ready[port], inputs),
        };
        reached.iter().filter_map(|&k| at[k]).map(|c| 2 * c + signal % 2).collect()
    }

    /// A cycle, as short as there is one through its first signal.
    fn cycle(&self) -> Option<Vec<usize>> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut state = vec![State::New; 2 * self.connections.len()];
        for root in 0..state.len() {
            if state[root] != State::New {
                continue;
            }
            state[root] = State::Open;
            let mut stack = vec![(root, self.next(root))];
            while let Some((signal, rest)) = stack.last_mut() {
                match rest.pop() {
                    Some(to) => match state[to] {
                        State::New => {
                            state[to] = State::Open;
                            stack.push((to, self.next(to)));
                        }
                        State::Open => return self.path(to, to),
                        State::Done => {}
                    },
                    None => {
                        state[*signal] = State::Done;
                        stack.pop();
                    }
                }
            }
        }
        None
    }

    /// The shortest path of at least one arc; without its last signal.
    fn path(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        let mut before = vec![usize::MAX; 2 * self.connections.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(signal) = queue.pop_front() {
            for next in self.next(signal) {
                if next == to {
                    let mut path = vec![signal];
                    while *path.last()? != from {
                        path.push(before[*path.last()?]);
                    }
                    path.reverse();
                    return Some(path);
                }
                if before[next] == usize::MAX && next != from {
                    before[next] = signal;
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// What the body's ports reach through it.
    fn through(&self, body: &Body) -> Arcs {
        let mut arcs = Arcs {
            valid_to_valid: vec![Vec::new(); body.inputs.len()],
            ready_to_ready: vec![Vec::new(); body.outputs.len()],
        };
        for (c, connection) in self.connections.iter().enumerate() {
            if let End::Body(k) = connection.from {
                for signal in self.reach(2 * c) {
                    if let End::Body(o) = self.connections[signal / 2].to {
                        arcs.valid_to_valid[k].push(o);
                    }
                }
            }
            if let End::Body(k) = connection.to {
                for signal in self.reach(2 * c + 1) {
                    if let End::Body(i) = self.connections[signal / 2].from {
                        arcs.ready_to_ready[k].push(i);
                    }
                }
            }
        }
        arcs
    }

    fn reach(&self, from: usize) -> Vec<usize> {
        let mut seen = vec![false; 2 * self.connections.len()];
        seen[from] = true;
        let mut order = vec![from];
        let mut at = 0;
        while at < order.len() {
            for next in self.next(order[at]) {
                if !std::mem::replace(&mut seen[next], true) {
                    order.push(next);
                }
            }
            at += 1;
        }
        order
    }
}

/// A signal by the port that drives it: valid by its source, ready by its sink.
fn signal_name(adg: &Adg, body: &Body, signal: usize) -> String {
    let c = body.connections[signal / 2];
    if is_valid(signal) {
        format!("{}.valid", source_name(adg, body, c.from))
    } else {
        format!("{}.ready", sink_name(adg, body, c.to))
    }
}

/// Names of a cycle at the top level, with the way through each tile written out.
fn expand(adg: &Adg, tiles: &[Graph], cycle: &[usize]) -> Vec<String> {
    let top = &adg.top;
    let mut names = Vec::new();
    for (k, &signal) in cycle.iter().enumerate() {
        names.push(signal_name(adg, top, signal));
        let next = cycle[(k + 1) % cycle.len()];
        let (c, d) = (top.connections[signal / 2], top.connections[next / 2]);
        let valid = is_valid(signal);
        let (entered, left) = if valid { (c.to, d.from) } else { (c.from, d.to) };
        let (End::Instance { instance, port: p }, End::Instance { port: q, .. }) = (entered, left) else {
            continue;
        };
        let Of::Tile(tile) = top.instances[instance].of else {
            continue;
        };
        let body = &adg.tiles[tile].body;
        // The tile's own signals at the two ports.
        let at = |port: usize, input: bool| {
            let end = |c: &Connection| if input { c.from } else { c.to };
            let c = body.connections.iter().position(|c| end(c) == End::Body(port));
            c.map(|c| 2 * c + signal % 2)
        };
        let (Some(from), Some(to)) = (at(p, valid), at(q, !valid)) else {
            continue;
        };
        if let Some(path) = tiles[tile].path(from, to) {
            let inner = path.iter().skip(1).map(|&s| signal_name(adg, body, s));
            names.extend(inner.map(|n| format!("{}.{n}", top.instances[instance].name)));
        }
    }
    names
}
