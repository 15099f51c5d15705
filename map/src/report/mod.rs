//! The mapping's files: `map.json`, which reads back to the same mapping, and `map.txt`, for people.

mod steps;
mod tables;
mod turns;

use crate::check;
use crate::codes;
use crate::mapping::{Mapping, Placement, Route, Step};
use crate::model::cover::netlist_with;
use crate::model::memory::STORE;
use crate::model::netlist::netlist;
use crate::timing::finished::Finished;
use crate::{Mapped, Timing};
use loom_adg::{Component, ComponentId, Fabric, SinkPort, SourcePort};
use loom_base::{Diagnostic, Diagnostics, Source};
use loom_dfg::graph::{Graph, ValueDef, ValueId};
use loom_dfg::{Node, NodeId, OpKind};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use steps::FileStep;
use tables::{MemoryRegion, Offset, Port, Tables};

/// `map.json`. Everything stands under its name, so that a reader needs no other file to understand it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    kernel: String,
    fabric: String,
    fabric_hash: String,
    seed: u64,
    memory_latency: u32,
    mii: f64,
    mii_ops: f64,
    ii: f64,
    fill: u64,
    ops: Vec<FileOp>,
    arguments: Vec<FilePort>,
    results: Vec<FilePort>,
    routes: Vec<FileRoute>,
    memory_regions: Vec<MemoryRegion>,
    port_table: Vec<Port>,
    addr_offset_table: Vec<Offset>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileOp {
    op: String,
    /// Of a compound node the results of its ops, in order; the last one is the node's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    covers: Vec<String>,
    results: Vec<String>,
    pe: String,
    unit: usize,
    unit_name: String,
    inputs: Vec<usize>,
    outputs: Vec<Option<usize>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FilePort {
    name: String,
    port: Option<usize>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRoute {
    value: String,
    from: String,
    steps: Vec<FileStep>,
}

/// `map.json` as text.
pub fn json(graph: &Graph, fabric: &Fabric, seed: u64, mapped: &Mapped) -> String {
    let net = mapped.mapping.netlist(graph, fabric.index_width());
    let Tables { memory_regions, port_table, addr_offset_table } =
        Tables::new(graph, &net, fabric, &mapped.mapping);
    let graph = &net;
    let m = &mapped.mapping;
    let name = |v: ValueId| graph.value(v).name.clone();
    let path = |id: ComponentId| fabric.path(id).to_string();
    let file = File {
        kernel: graph.name.to_string(),
        fabric: fabric.name().to_string(),
        fabric_hash: fabric.hash().into(),
        seed,
        memory_latency: mapped.memory_latency,
        mii: mapped.timing.mii,
        mii_ops: mapped.mii_ops,
        ii: mapped.timing.ii,
        fill: mapped.timing.fill,
        ops: graph
            .nodes
            .iter()
            .zip(&m.placements)
            .map(|(node, p)| FileOp {
                op: node.what(),
                covers: node.covers.iter().map(|c| c.name.clone()).collect(),
                results: node.results.iter().map(|&v| name(v)).collect(),
                pe: path(p.component),
                unit: p.fu,
                unit_name: unit_name(fabric, p),
                inputs: p.inputs.clone(),
                outputs: p.outputs.clone(),
            })
            .collect(),
        arguments: graph
            .arguments
            .iter()
            .zip(&m.arguments)
            .map(|(&v, &port)| FilePort { name: name(v), port })
            .collect(),
        results: graph
            .outputs
            .iter()
            .zip(&m.outputs)
            .map(|(o, &port)| FilePort { name: o.name.clone(), port: Some(port) })
            .collect(),
        routes: m
            .routes
            .iter()
            .map(|r| FileRoute {
                value: name(r.value),
                from: fabric.source_name(r.source),
                steps: r.steps.iter().map(|&s| FileStep::of(s, path(s.component()))).collect(),
            })
            .collect(),
        memory_regions,
        port_table,
        addr_offset_table,
    };
    let mut text = serde_json::to_string_pretty(&file).expect("plain data");
    text.push('\n');
    text
}

fn unit_name(fabric: &Fabric, p: &Placement) -> String {
    match fabric.component(p.component) {
        Component::SpatialPe(pe) => pe.fus[p.fu].name.clone(),
        Component::Memory(_) if p.fu >= STORE => format!("store lane {}", p.fu - STORE),
        Component::Memory(_) => format!("load lane {}", p.fu),
        _ => String::new(),
    }
}

/// Reads a `map.json` of this graph on this fabric. What it says is then checked by [`crate::check`].
pub fn read_json(graph: &Graph, fabric: &Fabric, text: &str) -> Result<Mapped, Diagnostics> {
    let original = graph;
    let file: File = serde_json::from_str(text).map_err(|e| {
        let start = text.lines().take(e.line().saturating_sub(1)).map(|l| l.len() + 1).sum::<usize>();
        let at = (start + e.column().saturating_sub(1)).min(text.len());
        let message = e.to_string();
        let message = message.split(" at line").next().unwrap_or(&message).to_string();
        vec![Diagnostic::error(codes::JSON_SYNTAX, message)
            .at(at..at, "here")
            .help("docs/mapping.md shows the form")]
    })?;
    let again = "map the kernel again for this fabric";
    if file.kernel != *graph.name {
        let message = format!("the mapping is of kernel `{}`, the graph is `{}`", file.kernel, graph.name);
        return Err(vec![Diagnostic::error(codes::JSON_OTHER, message).help(again)]);
    }
    if file.fabric_hash != fabric.hash() {
        let message = format!(
            "the mapping is for another fabric (`{}`), or `{}` has changed since",
            file.fabric,
            fabric.name()
        );
        return Err(vec![Diagnostic::error(codes::JSON_OTHER, message).help(again)]);
    }
    let mut reader = Reader {
        components: fabric.flat().ids().map(|id| (fabric.path(id), id)).collect(),
        problems: Vec::new(),
    };
    let covers = reader.covers(&netlist(graph, fabric.index_width()), &file.ops);
    if !reader.problems.is_empty() {
        return Err(reader.problems);
    }
    let net =
        netlist_with(graph, fabric.index_width(), &covers).map_err(|why| vec![check::no_cover(&why)])?;
    let graph = &net;
    let r = &mut reader;
    if file.ops.len() != graph.nodes.len() {
        r.bad(format!("{} ops are mapped, the graph has {}", file.ops.len(), graph.nodes.len()));
    }
    for (n, (op, node)) in file.ops.iter().zip(&graph.nodes).enumerate() {
        let kind = node.what();
        if op.op != kind {
            r.bad(format!("op {n} is `{}`, in the graph it is `{kind}`", op.op));
        }
        let results: Vec<&str> = node.results.iter().map(|&v| graph.value(v).name.as_str()).collect();
        if op.results != results {
            let [found, wanted] = [op.results.join(", "), results.join(", ")];
            r.bad(format!("op {n} gives `{found}`, in the graph it gives `{wanted}`"));
        }
    }
    let placements = file
        .ops
        .iter()
        .map(|op| Placement {
            component: r.component(&op.pe),
            fu: op.unit,
            inputs: op.inputs.clone(),
            outputs: op.outputs.clone(),
        })
        .collect();
    let names: Vec<&str> = graph.arguments.iter().map(|&v| graph.value(v).name.as_str()).collect();
    let arguments = r.ports("argument", &names, &file.arguments);
    let names: Vec<&str> = graph.outputs.iter().map(|o| o.name.as_str()).collect();
    let outputs: Vec<usize> = r.ports("result", &names, &file.results).into_iter().flatten().collect();
    // Arguments may stand without a port, results may not; a name that is missing was reported.
    for port in file.results.iter().filter(|p| p.port.is_none()) {
        r.bad(format!("result `{}` has no port", port.name));
    }
    let values: HashMap<&str, u32> =
        graph.values.iter().enumerate().map(|(v, value)| (value.name.as_str(), v as u32)).collect();
    let mut routes = Vec::new();
    for route in &file.routes {
        let Some(&v) = values.get(route.value.as_str()) else {
            r.bad(format!("the graph has no value `%{}`", route.value));
            continue;
        };
        let mut steps: Vec<Step> = route.steps.iter().map(|s| s.step(r.component(s.path()))).collect();
        steps.sort();
        routes.push(Route { value: ValueId(v), source: r.source(&route.from), steps });
    }
    if !reader.problems.is_empty() {
        return Err(reader.problems);
    }
    let mapping = Mapping { covers, placements, arguments, outputs, routes };
    let problems = check::check_netlist(graph, fabric, &mapping);
    if loom_base::diag::has_errors(&problems) {
        return Err(problems);
    }
    let tables = Tables::new(original, graph, fabric, &mapping);
    let memory_latency = file.memory_latency;
    let finished = Finished::new(graph, fabric, &mapping, memory_latency).expect("its routes were checked");
    let problem = finished.problem()?;
    let timing = finished.timing(&problem);
    let (mii_ops, least, closest) = (problem.bound, problem.loops.least, problem.closest());
    let mapped =
        Mapped { mapping, timing, mii_ops, least, closest, memory_latency, attempts: 0, proof: None };
    let problems = file.claims(fabric, &mapped, &tables);
    match problems.is_empty() {
        true => Ok(mapped),
        false => Err(problems),
    }
}

impl File {
    /// What it says beside the mapping, for people, who believe it, and for hosts: it must follow from the mapping.
    fn claims(self, fabric: &Fabric, mapped: &Mapped, tables: &Tables) -> Diagnostics {
        let mut problems = Vec::new();
        let mut bad = |message: String| {
            let help = "map the kernel again for this fabric";
            problems.push(Diagnostic::error(codes::JSON_TABLE, message).help(help));
        };
        for (n, (op, placement)) in self.ops.iter().zip(&mapped.mapping.placements).enumerate() {
            let wanted = unit_name(fabric, placement);
            if op.unit_name != wanted {
                bad(format!("`unit_name` of op {n} is `{}`, its unit is `{wanted}`", op.unit_name));
            }
        }
        let Timing { mii, ii, fill, .. } = mapped.timing;
        for (name, told, found) in [
            ("mii", self.mii, mii),
            ("mii_ops", self.mii_ops, mapped.mii_ops),
            ("ii", self.ii, ii),
            ("fill", self.fill as f64, fill as f64),
        ] {
            if told != found {
                bad(format!("`{name}` is {told}, of this mapping it is {found}"));
            }
        }
        let File { memory_regions, port_table, addr_offset_table, .. } = self;
        problems.extend(tables.compare(&Tables { memory_regions, port_table, addr_offset_table }));
        problems
    }
}

struct Reader<'a> {
    components: HashMap<&'a str, ComponentId>,
    problems: Diagnostics,
}

impl Reader<'_> {
    /// The covers of a file's ops, in the netlist without covers.
    fn covers(&mut self, net: &Graph, ops: &[FileOp]) -> Vec<Vec<NodeId>> {
        let made = |name: &String| net.values.iter().find(|v| v.name == *name).map(|v| v.def);
        let mut covers = Vec::new();
        for names in ops.iter().map(|op| &op.covers).filter(|c| !c.is_empty()) {
            let mut cover = Vec::new();
            for name in names {
                match made(name) {
                    Some(ValueDef::Result { node, .. }) => cover.push(node),
                    _ => self.bad(format!("no op of the graph gives `%{name}`")),
                }
            }
            covers.push(cover);
        }
        covers
    }

    fn bad(&mut self, message: String) {
        self.problems
            .push(Diagnostic::error(codes::JSON_NAME, message).help("map the kernel again for this fabric"));
    }

    fn component(&mut self, path: &str) -> ComponentId {
        match self.components.get(path) {
            Some(&id) => id,
            None => {
                self.bad(format!("the fabric has no component `{path}`"));
                ComponentId(0)
            }
        }
    }

    fn source(&mut self, text: &str) -> SourcePort {
        let (head, number) = text.split_at(text.trim_end_matches(|c: char| c.is_ascii_digit()).len());
        match (head, number.parse::<usize>()) {
            ("in", Ok(k)) => SourcePort::Boundary(k),
            (head, Ok(port)) if head.ends_with(".out") => {
                SourcePort::Port(self.component(&head[..head.len() - 4]), port)
            }
            _ => {
                self.bad(format!("`{text}` is no source: `in<k>` or `<pe>.out<port>`"));
                SourcePort::Boundary(0)
            }
        }
    }

    fn ports(&mut self, what: &str, names: &[&str], ports: &[FilePort]) -> Vec<Option<usize>> {
        let given: BTreeMap<&str, Option<usize>> = ports.iter().map(|p| (p.name.as_str(), p.port)).collect();
        for name in given.keys().filter(|n| !names.contains(n)) {
            self.bad(format!("the graph has no {what} `{name}`"));
        }
        names
            .iter()
            .map(|name| match given.get(name) {
                Some(port) => *port,
                None => {
                    self.bad(format!("{what} `{name}` has no port"));
                    None
                }
            })
            .collect()
    }
}

/// `map.txt`: figures, a picture of the grid, placements, and the way of every value.
pub fn text(graph: &Graph, fabric: &Fabric, seed: u64, mapped: &Mapped, source: Option<&Source>) -> String {
    let net = mapped.mapping.netlist(graph, fabric.index_width());
    let tables = Tables::new(graph, &net, fabric, &mapped.mapping);
    let graph = &net;
    let m = &mapped.mapping;
    let mut t = String::new();
    let short = &fabric.hash()[..12];
    let _ = writeln!(t, "kernel {} on fabric {} ({short}), seed {seed}", graph.name, fabric.name());
    let count = |wanted: &dyn Fn(&Component) -> bool| {
        fabric.flat().ids().filter(|&id| wanted(fabric.component(id))).count()
    };
    let pes = count(&|c| matches!(c, Component::SpatialPe(_)));
    let fifos = count(&|c| matches!(c, Component::Fifo(_)));
    let used = m.routes.iter().flat_map(|r| &r.steps).filter(|s| matches!(s, Step::Fifo { .. })).count();
    let _ = writeln!(
        t,
        "slowest loop, all branches taken: expected II {:.2}, MII {:.2} ({:.2} before mapping), fill {} cycles",
        mapped.timing.ii, mapped.timing.mii, mapped.mii_ops, mapped.timing.fill
    );
    let _ = writeln!(
        t,
        "{} of {pes} PEs, {used} of {fifos} links and turn-arounds, {} of {} inputs, {} of {} outputs",
        graph.nodes.len(),
        m.arguments.iter().flatten().count(),
        fabric.flat().inputs.len(),
        m.outputs.len(),
        fabric.flat().outputs.len()
    );
    t.push('\n');
    t.push_str(&picture(graph, fabric, m));
    let _ = writeln!(t, "\nops");
    for (node, p) in graph.nodes.iter().zip(&m.placements) {
        let results: Vec<String> =
            node.results.iter().map(|&v| format!("%{}", graph.value(v).name)).collect();
        let operands: Vec<String> = node
            .operands
            .iter()
            .zip(&p.inputs)
            .map(|(&v, i)| format!("%{}@{i}", graph.value(v).name))
            .collect();
        let _ = writeln!(
            t,
            "  {:<12} {:<22} {} = ({})",
            fabric.path(p.component),
            unit_name(fabric, p),
            results.join(", "),
            operands.join(", ")
        );
    }
    let _ = writeln!(t, "\nports");
    for (&v, port) in graph.arguments.iter().zip(&m.arguments) {
        let value = graph.value(v);
        let port = port.map_or("not used".into(), |k| format!("in{k}"));
        let _ = writeln!(t, "  {port:<9} %{}: {}", value.name, value.ty);
    }
    for (o, k) in graph.outputs.iter().zip(&m.outputs) {
        let _ = writeln!(t, "  {:<9} {}: {}", format!("out{k}"), o.name, graph.value(o.value).ty);
    }
    t.push_str(&tables.text());
    let _ = writeln!(t, "\nroutes");
    let mut slack = Vec::new();
    for r in &m.routes {
        let name = &graph.value(r.value).name;
        let _ = writeln!(t, "  %{name} from {}", fabric.source_name(r.source));
        for (to, way) in ways(graph, fabric, m, r) {
            let names = way.iter().map(|s| s.text(fabric.path(s.component())));
            let _ = writeln!(t, "      {to}: {}", names.collect::<Vec<_>>().join(", "));
        }
        for step in &r.steps {
            let Step::Fifo { component, bypass: false } = *step else { continue };
            if let Component::Fifo(f) = fabric.component(component) {
                if f.depth > crate::model::hops::LINK_DEPTH {
                    slack.push((name.clone(), fabric.path(component).to_string(), f.depth));
                }
            }
        }
    }
    if !slack.is_empty() {
        let _ = writeln!(t, "\nslack");
        for (value, path, depth) in slack {
            let _ = writeln!(t, "  %{value} waits in {path} ({depth} entries)");
        }
    }
    if let Some(turns) = turns::text((graph, fabric), mapped, source) {
        let _ = write!(t, "\nslowest turns\n{turns}");
    }
    t
}

/// The ops of a node under short names.
fn joined(node: &Node, name: fn(OpKind) -> &'static str) -> String {
    node.kinds().into_iter().map(name).collect::<Vec<_>>().join("+")
}

/// The ops of a node, without their dialects.
fn short(node: &Node) -> String {
    joined(node, |kind| kind.mnemonic().rsplit('.').next().unwrap_or_default())
}

/// The way to each use of a value, with the use's name. Steps that lead nowhere are left out.
fn ways(graph: &Graph, fabric: &Fabric, m: &Mapping, route: &Route) -> Vec<(String, Vec<Step>)> {
    let start = match route.source {
        SourcePort::Boundary(k) => fabric.flat().inputs.get(k).copied().flatten(),
        SourcePort::Port(id, port) => fabric.flat().at(id).outputs.get(port).copied().flatten(),
    };
    let mut found = Vec::new();
    let mut todo: Vec<(loom_adg::ChannelId, Vec<Step>)> =
        start.into_iter().map(|c| (c, Vec::new())).collect();
    while let Some((c, way)) = todo.pop() {
        let (id, port) = match fabric.flat().channel(c).sink {
            SinkPort::Boundary(k) => {
                let name = m.outputs.iter().position(|&o| o == k).map(|o| graph.outputs[o].name.as_str());
                found.push((format!("out{k} {}", name.unwrap_or("?")), way));
                continue;
            }
            SinkPort::Port(id, port) => (id, port),
        };
        if let Some(n) = m.placements.iter().position(|p| p.component == id) {
            let op = joined(&graph.nodes[n], |kind| kind.mnemonic());
            let operand = m.placements[n].inputs.iter().position(|&i| i == port);
            let what = match crate::model::memory::interface(fabric, id)
                .and_then(|i| Some(i.ports().0.get(port)?.0))
            {
                Some(role) => tables::role_name(role).to_string(),
                None => format!("operand {}", operand.map_or("?".into(), |o| o.to_string())),
            };
            found.push((format!("{}.in{port} {op} {what}", fabric.path(id)), way));
            continue;
        }
        // A way is never longer than the route, so that a damaged one ends too.
        if way.len() > route.steps.len() {
            continue;
        }
        for &step in route.steps.iter().rev() {
            let (input, output) = step.ports();
            let enters = (step.component(), input) == (id, port);
            let next = fabric.flat().at(id).outputs.get(output).copied().flatten();
            if let Some(next) = next.filter(|_| enters) {
                let mut way = way.clone();
                way.push(step);
                todo.push((next, way));
            }
        }
    }
    found
}

/// The grid: in each tile the ops that sit there.
fn picture(graph: &Graph, fabric: &Fabric, m: &Mapping) -> String {
    let mut cells: BTreeMap<(i32, i32), Vec<String>> = BTreeMap::new();
    for c in &fabric.flat().components {
        cells.entry((c.position.1, c.position.0)).or_default();
    }
    for (node, p) in graph.nodes.iter().zip(&m.placements) {
        let c = fabric.flat().at(p.component);
        let op = short(node);
        let pe = c.path.rsplit('.').next().unwrap_or_default();
        cells.entry((c.position.1, c.position.0)).or_default().push(format!("{pe} {op}"));
    }
    for list in cells.values_mut() {
        list.sort();
    }
    let width = cells.values().flatten().map(|s| s.chars().count()).max().unwrap_or(0).max(3) + 2;
    let columns: Vec<i32> = {
        let mut list: Vec<i32> = cells.keys().map(|k| k.1).collect();
        list.sort_unstable();
        list.dedup();
        list
    };
    let rows: Vec<i32> = {
        let mut list: Vec<i32> = cells.keys().map(|k| k.0).collect();
        list.dedup();
        list
    };
    let rule = format!("  +{}\n", format!("{}+", "-".repeat(width)).repeat(columns.len()));
    let mut t = rule.clone();
    for row in rows {
        let empty = Vec::new();
        let list: Vec<&Vec<String>> =
            columns.iter().map(|&c| cells.get(&(row, c)).unwrap_or(&empty)).collect();
        let height = list.iter().map(|l| l.len()).max().unwrap_or(0).max(1);
        for line in 0..height {
            t.push_str("  |");
            for cell in &list {
                let _ = write!(t, " {:<w$}|", cell.get(line).map_or("", String::as_str), w = width - 1);
            }
            t.push('\n');
        }
        t.push_str(&rule);
    }
    t
}
