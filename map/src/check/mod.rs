//! The legality checker: the hard constraints C1 to C11, on a finished mapping, without the mapper's data.
//!
//! It walks every route from its source through the steps it names and marks what it passes, and knows nothing of sites,
//! hops, prices or costs. What it does share with the mapper are definitions: the fabric, the netlist
//! ([`crate::model::netlist`]), what a unit takes ([`crate::model::tech::fits`], C1 and C2), and which lanes an interface has, what
//! they take and what regions their accesses need ([`crate::model::memory`]). A mistake in one of those passes here; it is
//! for the decoder and the native run to find. That a compound node is what its unit's body is, is asked a second time (`bodies`).

mod bodies;

use crate::codes;
use crate::mapping::{Mapping, Step};
use crate::model::cover::netlist_with;
use crate::model::memory::{self, Conflict, Lanes};
use crate::model::tech;
use loom_adg::{ChannelId, Component, ComponentId, Fabric, SinkPort, SourcePort};
use loom_base::{Code, Diagnostic, Diagnostics};
use loom_dfg::graph::{Use, ValueDef};
use loom_dfg::Graph;
use std::collections::{BTreeMap, BTreeSet};

struct Checker<'a> {
    graph: &'a Graph,
    fabric: &'a Fabric,
    mapping: &'a Mapping,
    lanes: Lanes,
    problems: Diagnostics,
}

/// Checks a mapping; no diagnostics means it is legal.
pub fn check(graph: &Graph, fabric: &Fabric, mapping: &Mapping) -> Diagnostics {
    match netlist_with(graph, fabric.index_width(), &mapping.covers) {
        Ok(net) => check_netlist(&net, fabric, mapping),
        Err(why) => vec![no_cover(&why)],
    }
}

/// The report of covers that a graph does not have.
pub(crate) fn no_cover(why: &str) -> Diagnostic {
    Diagnostic::error(codes::CHECK_COVER, format!("a cover cannot be: {why}")).help("map the kernel again")
}

/// The same for a netlist with the mapping's covers.
pub fn check_netlist(graph: &Graph, fabric: &Fabric, mapping: &Mapping) -> Diagnostics {
    let lanes = memory::lanes(fabric);
    let mut c = Checker { graph, fabric, mapping, lanes, problems: Vec::new() };
    if c.shape() {
        c.placements();
        c.memory();
        c.boundary();
        c.routes();
    }
    c.problems
}

impl Checker<'_> {
    fn bad(&mut self, code: Code, message: String) {
        self.problems.push(Diagnostic::error(code, message).help("map the kernel again"));
    }

    /// Every list as long as the graph says, every index in range.
    fn shape(&mut self) -> bool {
        let (g, m) = (self.graph, self.mapping);
        if m.placements.len() != g.nodes.len()
            || m.arguments.len() != g.arguments.len()
            || m.outputs.len() != g.outputs.len()
        {
            self.bad(
                codes::CHECK_RANGE,
                format!(
                    "{} ops, {} arguments and {} results are mapped, the graph has {}, {} and {}",
                    m.placements.len(),
                    m.arguments.len(),
                    m.outputs.len(),
                    g.nodes.len(),
                    g.arguments.len(),
                    g.outputs.len()
                ),
            );
            return false;
        }
        for (n, (p, node)) in m.placements.iter().zip(&g.nodes).enumerate() {
            let pe = match self.fabric.flat().components.get(p.component.0 as usize) {
                Some(_) => match self.fabric.component(p.component) {
                    Component::SpatialPe(pe) => Some(pe),
                    _ => None,
                },
                None => None,
            };
            let ok = pe.is_some_and(|pe| {
                p.fu < pe.fus.len()
                    && p.inputs.len() == node.operands.len()
                    && p.outputs.len() == node.results.len()
                    && p.inputs.iter().all(|&i| i < pe.input_choices())
                    && p.outputs.iter().flatten().all(|&o| o < pe.outputs.len())
            });
            let lane = crate::model::memory::access(node.op).is_some()
                && self.lanes.get(&(p.component, p.fu)).is_some_and(|l| {
                    (l.requests.len(), l.answers.len()) == (node.operands.len(), node.results.len())
                })
                && p.outputs.iter().all(Option::is_none);
            if !ok && !lane {
                self.bad(
                    codes::CHECK_RANGE,
                    format!("op {n} (`{}`) sits on a PE, unit or port that is not there", node.what()),
                );
            }
        }
        for &k in m.arguments.iter().flatten().filter(|&&k| k >= self.fabric.flat().inputs.len()) {
            self.bad(codes::CHECK_RANGE, format!("fabric input {k} is not there"));
        }
        for &k in m.outputs.iter().filter(|&&k| k >= self.fabric.flat().outputs.len()) {
            self.bad(codes::CHECK_RANGE, format!("fabric output {k} is not there"));
        }
        for route in &m.routes {
            if route.value.0 as usize >= g.values.len() {
                self.bad(codes::CHECK_RANGE, format!("value {} is not there", route.value.0));
            }
        }
        self.problems.is_empty()
    }

    /// C1, C2, C4, C6, C8.
    fn placements(&mut self) {
        let uses = self.graph.uses();
        let mut owner: BTreeMap<ComponentId, usize> = BTreeMap::new();
        for node in self.graph.node_ids() {
            let n = node.0 as usize;
            let p = &self.mapping.placements[n];
            let Component::SpatialPe(pe) = self.fabric.component(p.component) else {
                continue;
            };
            let path = self.fabric.path(p.component);
            let this = self.graph.node(node);
            let kind = this.what();
            if !this.covers.is_empty() && bodies::of_node(this) != bodies::of_unit(&pe.fus[p.fu]) {
                self.bad(
                    codes::CHECK_COVER,
                    format!("op {n} (`{kind}`) is not the body of `{}` of `{path}`", pe.fus[p.fu].name),
                );
            }
            if !tech::fits(self.graph, node, &pe.fus[p.fu], self.fabric.index_width()) {
                self.bad(
                    codes::CHECK_UNIT,
                    format!("op {n} (`{kind}`) sits on `{}` of `{path}`", pe.fus[p.fu].name),
                );
            }
            if let Some(other) = owner.insert(p.component, n) {
                self.bad(codes::CHECK_TWICE, format!("ops {other} and {n} both sit on `{path}`"));
            }
            // Tokens that nobody takes would wait at the output for ever.
            for (&v, output) in self.graph.node(node).results.iter().zip(&p.outputs) {
                if output.is_some() && uses[v.0 as usize].is_empty() {
                    let name = &self.graph.value(v).name;
                    self.bad(codes::CHECK_ENDS, format!("`%{name}` is used by nobody, but not discarded"));
                }
            }
            // Tokens come in at inputs, immediates from configuration.
            for (i, (&v, &port)) in self.graph.node(node).operands.iter().zip(&p.inputs).enumerate() {
                if self.graph.literal(v).is_some() != (port >= pe.inputs.len()) {
                    self.bad(
                        codes::CHECK_ENDS,
                        format!("operand {i} of op {n} (`{kind}`) is at input {port} of `{path}`, which has {} and {} immediates", pe.inputs.len(), pe.immediates),
                    );
                }
            }
            let distinct = |ports: Vec<usize>| ports.iter().collect::<BTreeSet<_>>().len() == ports.len();
            if !distinct(p.inputs.clone()) {
                self.bad(
                    codes::CHECK_TWICE,
                    format!("two operands of op {n} (`{kind}`) share an input of `{path}`"),
                );
            }
            if !distinct(p.outputs.iter().flatten().copied().collect()) {
                self.bad(
                    codes::CHECK_TWICE,
                    format!("two results of op {n} (`{kind}`) share an output of `{path}`"),
                );
            }
        }
    }

    /// Every access on a lane of its own that takes it; regions, bytes and tables suffice.
    fn memory(&mut self) {
        let mut seen = BTreeSet::new();
        for (n, (node, p)) in self.graph.nodes.iter().zip(&self.mapping.placements).enumerate() {
            if memory::access(node.op).is_none() {
                continue;
            }
            let at = (p.component, p.fu);
            let path = self.fabric.path(p.component).to_string();
            if !memory::fits(self.graph, node.op, self.fabric, at) {
                self.bad(
                    codes::CHECK_MEMORY,
                    format!("op {n} (`{}`) sits on a lane of `{path}` that does not take it", node.op.kind()),
                );
            }
            if !seen.insert(at) {
                self.bad(codes::CHECK_TWICE, format!("op {n} shares a lane of `{path}`"));
            }
        }
        // One by one they fit; regions and bytes are questions to all of them together.
        let accesses = memory::accesses(self.graph, self.mapping);
        let message = match memory::regions(self.graph, self.fabric, &accesses) {
            Ok(_) => return,
            Err(Conflict::Lane(id, lane)) => {
                format!(
                    "two memories meet on lane {lane} of `{}`: their regions would overlap",
                    self.fabric.path(id)
                )
            }
            Err(Conflict::Regions(id, n)) => format!("`{}` would need {n} regions", self.fabric.path(id)),
            Err(Conflict::Bytes(id, n)) => format!("`{}` would need {n} bytes", self.fabric.path(id)),
            Err(Conflict::Split(m)) => {
                format!("`{}` is spread over several scratchpads", self.graph.memory(m).name)
            }
        };
        self.bad(codes::CHECK_MEMORY, message);
    }

    /// Where a result comes out, and where an operand goes in.
    fn source_of(&self, node: loom_dfg::NodeId, result: usize) -> Option<SourcePort> {
        let p = &self.mapping.placements[node.0 as usize];
        match self
            .lanes
            .get(&(p.component, p.fu))
            .filter(|_| memory::access(self.graph.node(node).op).is_some())
        {
            Some(lane) => Some(self.fabric.flat().channel(lane.answers[result]).source),
            None => p.outputs[result].map(|port| SourcePort::Port(p.component, port)),
        }
    }

    fn sink_of(&self, node: loom_dfg::NodeId, operand: usize) -> SinkPort {
        let p = &self.mapping.placements[node.0 as usize];
        match self
            .lanes
            .get(&(p.component, p.fu))
            .filter(|_| memory::access(self.graph.node(node).op).is_some())
        {
            Some(lane) => self.fabric.flat().channel(lane.requests[operand]).sink,
            None => SinkPort::Port(p.component, p.inputs[operand]),
        }
    }

    fn boundary(&mut self) {
        let uses = self.graph.uses();
        for (&v, port) in self.graph.arguments.iter().zip(&self.mapping.arguments) {
            if uses[v.0 as usize].is_empty() && port.is_some() {
                let name = &self.graph.value(v).name;
                self.bad(codes::CHECK_ENDS, format!("`%{name}` is used by nobody, but has a port"));
            }
        }
        let mut seen = BTreeSet::new();
        for &k in self.mapping.arguments.iter().flatten() {
            if !seen.insert(k) {
                self.bad(codes::CHECK_TWICE, format!("two arguments share fabric input {k}"));
            }
        }
        let mut seen = BTreeSet::new();
        for &k in &self.mapping.outputs {
            if !seen.insert(k) {
                self.bad(codes::CHECK_TWICE, format!("two results share fabric output {k}"));
            }
        }
    }

    /// C3, C4, C10, C11: every use of every value is reached, by steps that exist, over channels of its own.
    fn routes(&mut self) {
        let uses = self.graph.uses();
        let mut routed = BTreeSet::new();
        let mut channel_owner: BTreeMap<ChannelId, u32> = BTreeMap::new();
        for route in &self.mapping.routes {
            let v = route.value.0;
            let name = self.graph.value(route.value).name.clone();
            if !routed.insert(v) {
                self.bad(codes::CHECK_TWICE, format!("value `%{name}` is routed twice"));
                continue;
            }
            // The source must be where the value is made.
            let expected = match self.graph.value(route.value).def {
                ValueDef::Argument(a) => self.mapping.arguments[a].map(SourcePort::Boundary),
                ValueDef::Result { node, result } => self.source_of(node, result),
                ValueDef::Literal(_) => None,
            };
            if expected != Some(route.source) {
                self.bad(
                    codes::CHECK_ENDS,
                    format!("the route of `%{name}` does not start where the value is made"),
                );
                continue;
            }
            let Some(start) = self.fabric.flat().channel_from(route.source) else {
                self.bad(codes::CHECK_STEP, format!("the source of `%{name}` is connected to nothing"));
                continue;
            };
            // Steps are followed from the source, in no order of their own; each is used up where the value passes it.
            let steps: BTreeSet<Step> = route.steps.iter().copied().collect();
            if steps.len() != route.steps.len() {
                self.bad(codes::CHECK_TWICE, format!("a step of `%{name}` stands twice"));
            }
            let mut unused = steps.clone();
            let mut ends = BTreeSet::new();
            let mut todo = vec![start];
            while let Some(c) = todo.pop() {
                // A channel belongs to one value, and a tree comes to it once.
                match channel_owner.insert(c, v) {
                    Some(other) if other != v => {
                        let other = &self.graph.values[other as usize].name;
                        let at = crate::channel_name(self.fabric, c);
                        self.bad(codes::CHECK_TWICE, format!("`%{other}` and `%{name}` both use {at}"));
                        continue;
                    }
                    Some(_) => {
                        self.bad(codes::CHECK_TWICE, format!("the route of `%{name}` meets itself"));
                        continue;
                    }
                    None => {}
                }
                self.width(route.value, c);
                let SinkPort::Port(id, port) = self.fabric.flat().channel(c).sink else {
                    ends.insert(self.fabric.flat().channel(c).sink);
                    continue;
                };
                match self.fabric.component(id) {
                    Component::SpatialSw(sw) => {
                        let mut any = false;
                        for output in 0..sw.outputs.len() {
                            let step = Step::Switch { component: id, input: port, output };
                            if !unused.remove(&step) {
                                continue;
                            }
                            any = true;
                            if !sw.connectivity[output][port] || sw.decomposable_bits.is_some() {
                                let at = self.fabric.path(id);
                                self.bad(
                                    codes::CHECK_STEP,
                                    format!(
                                        "`%{name}`: `{at}` does not connect input {port} to output {output}"
                                    ),
                                );
                                continue;
                            }
                            match self.fabric.flat().at(id).outputs[output] {
                                Some(next) => todo.push(next),
                                None => self.bad(
                                    codes::CHECK_STEP,
                                    format!(
                                        "`%{name}`: output {output} of `{}` leads nowhere",
                                        self.fabric.path(id)
                                    ),
                                ),
                            }
                        }
                        if !any {
                            self.bad(
                                codes::CHECK_ENDS,
                                format!("the route of `%{name}` ends in `{}`", self.fabric.path(id)),
                            );
                        }
                    }
                    Component::Fifo(f) => {
                        let (wire, store) = (
                            Step::Fifo { component: id, bypass: true },
                            Step::Fifo { component: id, bypass: false },
                        );
                        // Only one of the two is taken: the other stays as a step that is not reached.
                        let taken =
                            f.can_pass() && unused.remove(&wire) || f.can_register() && unused.remove(&store);
                        match self.fabric.flat().at(id).outputs[0] {
                            Some(next) if taken => todo.push(next),
                            _ => self.bad(
                                codes::CHECK_ENDS,
                                format!("the route of `%{name}` ends in `{}`", self.fabric.path(id)),
                            ),
                        }
                    }
                    _ => {
                        ends.insert(SinkPort::Port(id, port));
                    }
                }
            }
            for step in unused {
                self.bad(
                    codes::CHECK_STEP,
                    format!("the route of `%{name}` does not reach its step {}", self.step(step)),
                );
            }
            let wanted: BTreeSet<SinkPort> = uses[v as usize]
                .iter()
                .map(|u| match *u {
                    Use::Output(k) => SinkPort::Boundary(self.mapping.outputs[k]),
                    Use::Operand { node, operand } => self.sink_of(node, operand),
                })
                .collect();
            // Both ways: a use that is not reached waits for ever, and an end that is no use takes a token that nobody removes.
            if wanted != ends {
                let names = |sinks: &BTreeSet<SinkPort>| match sinks.len() {
                    0 => "nothing".into(),
                    _ => sinks.iter().map(|&s| self.fabric.sink_name(s)).collect::<Vec<_>>().join(", "),
                };
                let (ends, wanted) = (names(&ends), names(&wanted));
                self.bad(
                    codes::CHECK_ENDS,
                    format!("the route of `%{name}` ends at {ends}, its uses are at {wanted}"),
                );
            }
        }
        // Routes were looked at one by one; a value without any was not among them.
        for (v, uses) in uses.iter().enumerate() {
            let travels = !uses.is_empty() && !matches!(self.graph.values[v].def, ValueDef::Literal(_));
            if travels && !routed.contains(&(v as u32)) {
                self.bad(codes::CHECK_ENDS, format!("`%{}` is not routed", self.graph.values[v].name));
            }
        }
    }

    /// A step in words, also when its component is not there.
    fn step(&self, step: Step) -> String {
        let (Step::Switch { component, .. } | Step::Fifo { component, .. }) = step;
        let path = self.fabric.flat().components.get(component.0 as usize).map(|c| c.path.as_str());
        let path = path.unwrap_or("a component that is not there");
        match step {
            Step::Switch { input, output, .. } => format!("{path} {input}>{output}"),
            Step::Fifo { bypass, .. } => format!("{path}{}", if bypass { " (bypassed)" } else { "" }),
        }
    }

    /// A value must fit every channel it passes (C2), and no tagged channel is on the way (C12).
    fn width(&mut self, value: loom_dfg::ValueId, c: ChannelId) {
        let value = self.graph.value(value);
        let width = value.ty.width(self.fabric.index_width());
        let channel = self.fabric.flat().channel(c);
        let narrow = channel.source_type.width.min(channel.sink_type.width);
        if narrow < width || channel.sink_type.is_tagged() {
            let at = crate::channel_name(self.fabric, c);
            let message = format!("`%{}` is {width} bits, {at} carries {narrow}", value.name);
            self.bad(codes::CHECK_WIDTH, message);
        }
    }
}
