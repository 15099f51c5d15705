//! The legality checker: the hard constraints C1 to C12, on a finished mapping, without the mapper's data.
//!
//! It walks every route from its source through the steps it names and marks what it passes, and knows nothing of sites,
//! hops, prices or costs. What it does share with the mapper are definitions: the fabric, the netlist
//! ([`crate::model::netlist`]), what a unit takes ([`crate::model::tech::fits`], C1 and C2), and which lanes an interface has, what
//! they take and what regions their accesses need ([`crate::model::memory`]). A mistake in one of those passes here; it is
//! for the decoder and the native run to find. That a compound node is what its unit's body is, is asked a second time (`bodies`).

mod bodies;
mod routes;

use crate::codes;
use crate::mapping::Mapping;
use crate::model::cover::netlist_with;
use crate::model::memory::{self, Conflict, Lanes};
use crate::model::tech;
use loom_adg::{Component, ComponentId, Fabric, SinkPort, SourcePort};
use loom_base::{Code, Diagnostic, Diagnostics};
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
            if !this.covers.is_empty() && !bodies::is_body(this, &pe.fus[p.fu]) {
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
}
