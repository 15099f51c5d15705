//! The mapped graph as elements joined by wires, storage where the hardware has storage and nowhere else.

use super::element::{Element, ElementId, Kind, Wire, WireId};
use super::islands::Islands;
use crate::mapping::{Mapping, Step};
use crate::model::memory;
use loom_adg::{ChannelId, Component, ComponentId, Fabric, SinkPort, SourcePort};
use loom_dfg::graph::Use;
use loom_dfg::op::Class;
use loom_dfg::{Graph, NodeId, Op, OpKind, Rates, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// The network.
#[derive(Clone, Debug)]
pub(super) struct Network {
    pub graph: Graph,
    pub elements: Vec<Element>,
    pub wires: Vec<Wire>,
    /// Its parts between storage.
    pub islands: Islands,
    /// By argument.
    pub sources: Vec<Option<ElementId>>,
    /// By output.
    pub sinks: Vec<ElementId>,
    /// Entry argument and return output of a graph that stores.
    pub gate: Option<(usize, usize)>,
}

struct Builder<'a> {
    net: Network,
    fabric: &'a Fabric,
    /// By node and operand: where its token goes in.
    ports: Vec<Vec<(ElementId, usize)>>,
    /// By where it ends: the use of the value being routed.
    ends: BTreeMap<SinkPort, Use>,
    steps: BTreeSet<Step>,
    value: ValueId,
}

/// Builds the network of a legal mapping. Refuses, in words, what has no determinate order of tokens.
pub(super) fn build(graph: &Graph, fabric: &Fabric, mapping: &Mapping) -> Result<Network, String> {
    let gate = graph.activation_gate();
    let running = running(graph, fabric.index_width());
    let graph = mapping.netlist(graph, fabric.index_width());
    let domains = relevant(&graph);
    let depth = depths(&graph);
    let mut b = Builder {
        ports: vec![Vec::new(); graph.nodes.len()],
        net: Network {
            elements: Vec::new(),
            wires: Vec::new(),
            islands: Islands::default(),
            sources: vec![None; graph.arguments.len()],
            sinks: Vec::new(),
            gate,
            graph,
        },
        fabric,
        ends: BTreeMap::new(),
        steps: BTreeSet::new(),
        value: ValueId(0),
    };
    let graph = b.net.graph.clone();
    // Where each value's tokens come from: (element, output).
    let mut drivers: Vec<Option<(ElementId, usize)>> = vec![None; graph.values.len()];
    for (k, &v) in graph.arguments.iter().enumerate() {
        if mapping.arguments[k].is_some() {
            let e = b.element(Kind::Source(k), format!("argument `%{}`", graph.value(v).name));
            b.net.elements[e].choices = domains[v.0 as usize];
            b.net.elements[e].value = Some(v);
            b.net.sources[k] = Some(e);
            drivers[v.0 as usize] = Some((e, 0));
        }
    }
    for (k, output) in graph.outputs.iter().enumerate() {
        let e = b.element(Kind::Sink(k), format!("result `{}`", output.name));
        b.net.sinks.push(e);
    }
    let uses = graph.uses();
    for node in graph.node_ids() {
        let n = node.0 as usize;
        let made = b.node(node, mapping, &domains, depth[n], &uses);
        for (&v, driver) in graph.nodes[n].results.iter().zip(made) {
            drivers[v.0 as usize] = driver;
        }
    }
    let lanes = memory::lanes(fabric);
    for route in &mapping.routes {
        let v = route.value;
        let Some(start) = (match route.source {
            SourcePort::Boundary(k) => fabric.flat().inputs[k],
            SourcePort::Port(id, port) => fabric.flat().at(id).outputs[port],
        }) else {
            continue;
        };
        // Nobody takes it: the PE drops it, and no token ever waits.
        let Some(driver) = drivers[v.0 as usize] else { continue };
        b.value = v;
        b.steps = route.steps.iter().copied().collect();
        b.ends = uses[v.0 as usize]
            .iter()
            .map(|&u| {
                let sink = match u {
                    Use::Output(k) => SinkPort::Boundary(mapping.outputs[k]),
                    Use::Operand { node, operand } => {
                        let p = &mapping.placements[node.0 as usize];
                        match lanes.get(&(p.component, p.fu)) {
                            // An access is not on ports of a PE: its channels are those of its lane.
                            Some(lane) if memory::access(graph.node(node).op).is_some() => {
                                fabric.flat().channel(lane.requests[operand]).sink
                            }
                            _ => SinkPort::Port(p.component, p.inputs[operand]),
                        }
                    }
                };
                (sink, u)
            })
            .collect();
        b.grow(start, driver);
    }
    let order = b.order()?;
    b.net.islands = Islands::new(&b.net.elements, &b.net.wires, &order);
    for e in &mut b.net.elements {
        let condition = e.value.map(|v| &graph.value(v).name);
        e.sure = matches!(e.kind, Kind::Stream) && condition.is_some_and(|name| running.contains(name));
    }
    Ok(b.net)
}

impl Builder<'_> {
    fn element(&mut self, kind: Kind, name: String) -> ElementId {
        self.net.elements.push(Element {
            kind,
            inputs: Vec::new(),
            outputs: Vec::new(),
            choices: 0,
            sure: false,
            depth: 0,
            value: None,
            name,
        });
        self.net.elements.len() - 1
    }

    fn wire(&mut self, (from, output): (ElementId, usize), to: (ElementId, usize), value: ValueId) {
        let w = self.net.wires.len();
        self.net.wires.push(Wire { from, to: to.0, value });
        let outputs = &mut self.net.elements[from].outputs;
        outputs.resize(outputs.len().max(output + 1), None);
        outputs[output] = Some(w);
        let inputs = &mut self.net.elements[to.0].inputs;
        inputs.resize(inputs.len().max(to.1 + 1), usize::MAX);
        inputs[to.1] = w;
    }

    /// Storage behind an output; returns its own output.
    fn stored(
        &mut self,
        from: (ElementId, usize),
        depth: usize,
        name: String,
        v: ValueId,
    ) -> (ElementId, usize) {
        let e = self.element(Kind::Fifo(depth), name);
        self.net.elements[e].depth = self.net.elements[from.0].depth;
        self.wire(from, (e, 0), v);
        (e, 0)
    }

    /// The elements of a node; returns where each result comes from, `None` for one that is discarded.
    fn node(
        &mut self,
        node: NodeId,
        mapping: &Mapping,
        domains: &[u8],
        depth: u32,
        uses: &[Vec<Use>],
    ) -> Vec<Option<(ElementId, usize)>> {
        let graph = self.net.graph.clone();
        let this = graph.node(node);
        let p = &mapping.placements[node.0 as usize];
        let path = self.fabric.path(p.component).to_string();
        let kind = this.op.kind();
        let name = match this.results.first() {
            Some(&v) => format!("{} `%{}` in {path}", this.what(), graph.value(v).name),
            None => format!("{} in {path}", this.what()),
        };
        let operands = this.operands.len();
        if memory::access(this.op).is_some() {
            return self.access(node, p.component, name, domains, depth);
        }
        let shape = match this.op {
            Op::Constant(bits) => Kind::Constant(bits.min(u64::from(u8::MAX)) as u8),
            _ => match kind {
                OpKind::Join(_) => Kind::Join,
                OpKind::CondBr => Kind::CondBr,
                OpKind::Mux(_) => Kind::Mux,
                OpKind::Stream(_) => Kind::Stream,
                OpKind::Gate => Kind::Gate,
                OpKind::Carry => Kind::Carry,
                OpKind::Invariant => Kind::Invariant,
                OpKind::CarryBr => Kind::CarryBr,
                OpKind::InvariantBr => Kind::InvariantBr,
                // Address and control of an access join like any two operands.
                _ => Kind::Unit,
            },
        };
        let e = self.element(shape, name);
        let decides = |r: usize| this.results.get(r).map_or(0, |v| domains[v.0 as usize]);
        let element = &mut self.net.elements[e];
        element.depth = depth;
        element.outputs = vec![None; this.results.len()];
        (element.value, element.choices) = match element.kind {
            Kind::Stream => (this.results.get(1).copied(), 2),
            Kind::Unit => (this.results.first().copied(), decides(0)),
            _ => (this.results.first().copied(), 0),
        };
        self.ports[node.0 as usize] = (0..operands).map(|i| (e, i)).collect();
        for (i, bits) in graph.immediates(this) {
            let literal = Kind::Constant(bits.min(u64::from(u8::MAX)) as u8);
            let from = self.element(literal, format!("an immediate of {path}"));
            self.wire((from, 0), (e, i), this.operands[i]);
        }
        let (latency, buffered) = match self.fabric.component(p.component) {
            Component::SpatialPe(pe) => (pe.fus[p.fu].latency.max(0) as usize, pe.buffers(&pe.fus[p.fu])),
            _ => (0, false),
        };
        (0..this.results.len())
            .map(|r| {
                let v = this.results[r];
                if uses[v.0 as usize].is_empty() || p.outputs.get(r).is_none_or(Option::is_none) {
                    return None;
                }
                let mut at = (e, r);
                if kind.class() == Class::Arith && latency > 0 {
                    // A divider works on one operation at a time.
                    let stages = if kind.is_iterative() { 1 } else { latency };
                    at = self.stored(at, stages, format!("{} in {path}", this.what()), v);
                }
                if buffered {
                    at = self.stored(at, 2, format!("the output buffer of {path}"), v);
                }
                Some(at)
            })
            .collect()
    }

    /// A lane: requests are taken when every queue they owe a token to has room; a tagged store waits in two more.
    fn access(
        &mut self,
        node: NodeId,
        component: ComponentId,
        name: String,
        domains: &[u8],
        depth: u32,
    ) -> Vec<Option<(ElementId, usize)>> {
        let Component::Memory(m) = self.fabric.component(component) else { return Vec::new() };
        let (queue, tagged) = (m.queue, m.tag > 0);
        let this = self.net.graph.node(node).clone();
        let path = self.fabric.path(component).to_string();
        let e = self.element(Kind::Access, name);
        self.net.elements[e].depth = depth;
        let stores = this.operands.len() > 1;
        for (i, &v) in this.operands.iter().enumerate() {
            let mut port = (e, i);
            if stores && tagged {
                let lane = self.element(Kind::Fifo(queue), format!("the lane queue of {path}"));
                self.net.elements[lane].depth = depth;
                self.wire((lane, 0), (e, i), v);
                port = (lane, 0);
            }
            self.ports[node.0 as usize].push(port);
        }
        self.net.elements[e].outputs = vec![None; this.results.len()];
        (this.results.iter().enumerate())
            .map(|(r, &v)| {
                let mut at = self.stored((e, r), queue, format!("the queue of {path}"), v);
                if domains[v.0 as usize] > 0 {
                    // A word that somebody decides by may be any.
                    let unit = self.element(Kind::Unit, format!("`%{}`", self.net.graph.value(v).name));
                    let element = &mut self.net.elements[unit];
                    element.depth = depth;
                    element.choices = domains[v.0 as usize];
                    element.value = Some(v);
                    element.outputs = vec![None];
                    self.wire(at, (unit, 0), v);
                    at = (unit, 0);
                }
                Some(at)
            })
            .collect()
    }

    /// The tree behind a channel: forks where it branches, storage where it has a FIFO.
    fn grow(&mut self, start: ChannelId, driver: (ElementId, usize)) {
        let v = self.value;
        let mut todo = vec![(start, driver)];
        while let Some((channel, driver)) = todo.pop() {
            // Between two storages all switches together are one fork: copies are kept back where tokens are, not where ways part.
            let mut leaves = Vec::new();
            let mut wires = vec![channel];
            while let Some(c) = wires.pop() {
                let sink = self.fabric.flat().channel(c).sink;
                let SinkPort::Port(id, port) = sink else {
                    leaves.push((sink, None));
                    continue;
                };
                match self.fabric.component(id) {
                    // No channel carries two values, so a temporal switch forks as a spatial one does, and tag components are wires.
                    Component::SpatialSw(_)
                    | Component::TemporalSw(_)
                    | Component::AddTag(_)
                    | Component::MapTag(_)
                    | Component::DelTag(_)
                        if !self.ends.contains_key(&sink) =>
                    {
                        let taken = self.steps.iter().filter(|s| (s.component(), s.ports().0) == (id, port));
                        let outputs = &self.fabric.flat().at(id).outputs;
                        wires.extend(taken.filter_map(|step| outputs[step.ports().1]));
                    }
                    Component::Fifo(_) => {
                        if self.steps.contains(&Step::Fifo { component: id, bypass: true }) {
                            wires.extend(self.fabric.flat().at(id).outputs[0]);
                        } else {
                            leaves.push((sink, Some(id)));
                        }
                    }
                    _ => leaves.push((sink, None)),
                }
            }
            let mut at = driver;
            let branches = leaves.len() > 1;
            if branches {
                let name = format!("the fork of `%{}`", self.net.graph.value(v).name);
                let fork = self.element(Kind::Fork, name);
                self.wire(driver, (fork, 0), v);
                at = (fork, 0);
            }
            for (i, (sink, fifo)) in leaves.into_iter().enumerate() {
                let from = if branches { (at.0, i) } else { at };
                match fifo {
                    Some(id) => {
                        let Component::Fifo(f) = self.fabric.component(id) else { continue };
                        let name = self.fabric.path(id).to_string();
                        let out = self.stored(from, f.depth, name, v);
                        todo.extend(self.fabric.flat().at(id).outputs[0].map(|next| (next, out)));
                    }
                    None => match self.ends.get(&sink) {
                        Some(&Use::Output(k)) => self.wire(from, (self.net.sinks[k], 0), v),
                        Some(&Use::Operand { node, operand }) => {
                            let port = self.ports[node.0 as usize][operand];
                            self.wire(from, port, v);
                        }
                        None => {}
                    },
                }
            }
        }
    }

    /// Orders combinational elements; a mapping of a legal fabric has no cycle of them.
    fn order(&self) -> Result<Vec<ElementId>, String> {
        let net = &self.net;
        let combinational = |e: &Element| e.kind.is_combinational();
        if net.elements.iter().any(|e| e.inputs.contains(&usize::MAX)) {
            return Err("an operand is not reached".into());
        }
        if net.elements.iter().any(|e| e.outputs.len() > 64) {
            return Err("a token goes more than 64 ways at once".into());
        }
        let mut missing: Vec<usize> = (net.elements.iter())
            .map(|e| e.inputs.iter().filter(|&&w| combinational(&net.elements[net.wires[w].from])).count())
            .collect();
        let all = net.elements.iter().filter(|e| combinational(e)).count();
        let ready = |e: usize| combinational(&net.elements[e]) && missing[e] == 0;
        let mut todo: Vec<ElementId> = (0..net.elements.len()).filter(|&e| ready(e)).collect();
        let mut order = Vec::new();
        while let Some(e) = todo.pop() {
            order.push(e);
            for &w in net.elements[e].outputs.iter().flatten() {
                let to = net.wires[w].to;
                missing[to] -= 1;
                if missing[to] == 0 && combinational(&net.elements[to]) {
                    todo.push(to);
                }
            }
        }
        if order.len() < all {
            return Err("combinational units form a cycle".into());
        }
        // Machines and lanes look at the room of storage, which is a register.
        for e in &net.elements {
            let beside = |w: &WireId| !matches!(net.elements[net.wires[*w].to].kind, Kind::Fifo(_));
            if e.kind.is_registered() && e.outputs.iter().flatten().any(beside) {
                return Err(format!("{} has no output buffer", e.name));
            }
        }
        Ok(order)
    }
}

/// How many values of each value matter to what decides by it: 0 where nobody does.
fn relevant(graph: &Graph) -> Vec<u8> {
    let mut domain = vec![0u8; graph.values.len()];
    for node in graph.node_ids() {
        let operands = &graph.node(node).operands;
        let (i, n) = match graph.kind(node) {
            OpKind::CondBr => (0, 2),
            OpKind::Mux(n) => (0, n),
            kind => match kind.loop_condition() {
                Some(i) => (i, 2),
                None => continue,
            },
        };
        let d = &mut domain[operands[i].0 as usize];
        *d = (*d).max(n);
    }
    // Backwards through what passes bits on unchanged.
    loop {
        let mut changed = false;
        for node in graph.node_ids() {
            let n = graph.node(node);
            let wanted = |r: usize| n.results.get(r).map_or(0, |v| domain[v.0 as usize]);
            let pairs: Vec<(u8, usize)> = match graph.kind(node) {
                OpKind::CondBr | OpKind::InvariantBr => vec![(wanted(0).max(wanted(1)), 1)],
                OpKind::CarryBr => [1, 2].map(|i| (wanted(0).max(wanted(1)), i)).to_vec(),
                OpKind::Carry => vec![(wanted(0), 1), (wanted(0), 2)],
                OpKind::Invariant => vec![(wanted(0), 1)],
                OpKind::Gate => vec![(wanted(0), 0), (wanted(1), 1)],
                OpKind::Mux(k) => (1..=usize::from(k)).map(|i| (wanted(0), i)).collect(),
                _ => continue,
            };
            for (want, i) in pairs {
                let d = &mut domain[n.operands[i].0 as usize];
                if *d < want {
                    *d = want;
                    changed = true;
                }
            }
        }
        if !changed {
            return domain;
        }
    }
}

/// Loops around each node.
fn depths(graph: &Graph) -> Vec<u32> {
    let rates = Rates::new(graph);
    let mut depth = BTreeMap::new();
    // Nests deeper than this only lose a little of the order in which choices are made.
    for _ in 0..8 {
        for n in graph.node_ids() {
            for (operand, &v) in graph.node(n).operands.iter().enumerate() {
                let (outer, inner) = (rates.value(v), rates.node(n));
                if !graph.kind(n).takes(operand).is_steady() && outer != inner {
                    let around = depth.get(&outer).map_or(1, |d: &u32| d + 1);
                    let depth = depth.entry(inner).or_insert(0);
                    *depth = around.max(*depth).min(8);
                }
            }
        }
    }
    graph.node_ids().map(|n| depth.get(&rates.node(n)).copied().unwrap_or(0)).collect()
}

/// Names of the streams' conditions that are surely true at first, where the graph's balance is proved.
fn running(graph: &Graph, index_width: u32) -> BTreeSet<String> {
    match loom_front::regime::check(graph, index_width) {
        Ok(regimes) => regimes.running.iter().map(|&v| graph.value(v).name.clone()).collect(),
        Err(_) => BTreeSet::new(),
    }
}
