//! A mapping as data to draw: where each op is, which way each value takes, what is used, and what sets the interval.

use crate::fabric::EndView;
use loom_adg::{ChannelId, Component, ComponentId, Fabric, SinkPort, SourcePort};
use loom_dfg::{Graph, NodeId, Rates, ValueId};
use loom_flow::Configured;
use loom_map::model::memory::STORE;
use loom_map::model::site::{Site, SiteUnit};
use loom_map::model::units::UnitTiming;
use loom_map::route::RouteFailure;
use loom_map::timing::loops::slowest;
use loom_map::{Placement, Route, Step, Unmapped};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A mapping. Components are numbers in flattened order.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MappingView {
    /// Seed of the mapper.
    pub seed: u64,
    /// Recurrence bound on this mapping; none where a circle never moves.
    pub mii: Option<f64>,
    /// The same before it was mapped.
    pub mii_ops: Option<f64>,
    /// Expected interval.
    pub ii: Option<f64>,
    /// Cycles beyond one interval for each further pair.
    pub fill: u64,
    /// By op.
    pub placements: Vec<PlacementView>,
    /// By argument: fabric input.
    pub arguments: Vec<Option<usize>>,
    /// By result: fabric output.
    pub results: Vec<usize>,
    /// Ways of values.
    pub routes: Vec<RouteView>,
    /// What the bitstream sets up, by component that has any.
    pub settings: Vec<SettingView>,
    /// Used and there, by kind.
    pub utilisation: Vec<UseView>,
    /// What sets the interval.
    pub limit: LimitView,
}

/// Where an op is.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlacementView {
    /// The component.
    pub component: usize,
    /// Its path.
    pub path: String,
    /// Opcode of the unit.
    pub unit: usize,
    /// Its name.
    pub unit_name: String,
    /// By operand: input of the PE.
    pub inputs: Vec<usize>,
    /// By result: output of the PE.
    pub outputs: Vec<Option<usize>>,
}

/// The way of a value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RouteView {
    /// Number of the value.
    pub value: usize,
    /// Its channels from the source on, each after the one that leads to it.
    pub channels: Vec<HopView>,
    /// Entries of FIFOs deeper than a link's on its way: where it may wait for others.
    pub slack: usize,
    /// Registers that it passes, to the farthest use.
    pub registers: usize,
}

/// A channel of a way; a port of the boundary has no component.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HopView {
    /// Where it begins.
    pub from: EndView,
    /// Where it ends.
    pub to: EndView,
    /// Number of the channel in flattened order.
    pub channel: usize,
    /// The channel of the same way that leads to it, by its place in the list.
    pub after: Option<usize>,
}

/// The configuration of a component.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SettingView {
    /// The component.
    pub component: usize,
    /// What `loom decode` says of it.
    pub lines: Vec<String>,
}

/// Use of a kind of resource.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UseView {
    /// The kind.
    pub kind: String,
    /// How many are used.
    pub used: usize,
    /// How many there are.
    pub total: usize,
}

/// What sets the interval.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LimitView {
    /// In words.
    pub text: String,
    /// Ops of the circle that takes longest.
    pub recurrence: Vec<usize>,
    /// The memory port that several ops share.
    pub component: Option<usize>,
    /// Those ops.
    pub sharing: Vec<usize>,
}

impl MappingView {
    /// The mapping of a configured kernel.
    pub fn new(configured: &Configured, seed: u64, memory_latency: u32) -> MappingView {
        let Configured { fabric, netlist, mapped, .. } = configured;
        let mapping = &mapped.mapping;
        let walks: Vec<Walk> = mapping.routes.iter().map(|r| Walk::new(fabric, r)).collect();
        MappingView {
            seed,
            mii: finite(mapped.timing.mii),
            mii_ops: finite(mapped.mii_ops),
            ii: finite(mapped.timing.ii),
            fill: mapped.timing.fill,
            placements: mapping.placements.iter().map(|p| placement(fabric, p)).collect(),
            arguments: mapping.arguments.clone(),
            results: mapping.outputs.clone(),
            limit: limit(configured, &walks, memory_latency),
            utilisation: utilisation(
                fabric,
                netlist,
                &mapping.placements,
                &mapping.routes,
                &mapping.arguments,
            ),
            settings: settings(configured),
            routes: walks.into_iter().map(|w| w.view).collect(),
        }
    }
}

/// JSON has no infinity.
fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

pub(crate) fn placement(fabric: &Fabric, p: &Placement) -> PlacementView {
    PlacementView {
        component: p.component.0 as usize,
        path: fabric.path(p.component).into(),
        unit: p.fu,
        unit_name: match fabric.component(p.component) {
            Component::SpatialPe(pe) => pe.fus.get(p.fu).map_or(String::new(), |fu| fu.name.clone()),
            _ if p.fu >= STORE => format!("store lane {}", p.fu - STORE),
            _ => format!("load lane {}", p.fu),
        },
        inputs: p.inputs.clone(),
        outputs: p.outputs.clone(),
    }
}

/// A route from its source on.
struct Walk {
    view: RouteView,
    /// By component in which it ends: registers before it.
    ends: BTreeMap<ComponentId, u32>,
}

impl Walk {
    fn new(fabric: &Fabric, route: &Route) -> Walk {
        let flat = fabric.flat();
        let start = match route.source {
            SourcePort::Boundary(k) => flat.inputs[k],
            SourcePort::Port(id, port) => flat.at(id).outputs.get(port).copied().flatten(),
        };
        let mut after: BTreeMap<(ComponentId, usize), Vec<usize>> = BTreeMap::new();
        let mut slack = 0;
        for step in &route.steps {
            let (input, output) = step.ports();
            after.entry((step.component(), input)).or_default().push(output);
            if let Step::Fifo { component, bypass: false } = *step {
                slack += depth(fabric, component).filter(|&d| d > LINK_DEPTH).unwrap_or(0);
            }
        }
        let bypassed = |id: ComponentId| route.steps.contains(&Step::Fifo { component: id, bypass: true });
        let mut walk = Walk {
            view: RouteView { value: route.value.0 as usize, channels: Vec::new(), slack, registers: 0 },
            ends: BTreeMap::new(),
        };
        let mut todo: Vec<(ChannelId, u32, Option<usize>)> =
            start.map(|c| (c, 0, None)).into_iter().collect();
        while let Some((at, registers, before)) = todo.pop() {
            let here = walk.view.channels.len();
            walk.view.channels.push(hop(fabric, at, before));
            walk.view.registers = walk.view.registers.max(registers as usize);
            let SinkPort::Port(id, port) = flat.channel(at).sink else { continue };
            let is_fifo = depth(fabric, id).is_some() && !bypassed(id);
            match after.remove(&(id, port)) {
                Some(outputs) => {
                    let next = outputs.iter().rev().filter_map(|&o| flat.at(id).outputs[o]);
                    todo.extend(next.map(|c| (c, registers + u32::from(is_fifo), Some(here))));
                }
                None => {
                    walk.ends.entry(id).and_modify(|r| *r = (*r).min(registers)).or_insert(registers);
                }
            }
        }
        walk
    }
}

/// Entries of a FIFO that only cuts the paths of a link.
const LINK_DEPTH: usize = 2;

fn depth(fabric: &Fabric, id: ComponentId) -> Option<usize> {
    match fabric.component(id) {
        Component::Fifo(fifo) => Some(fifo.depth),
        _ => None,
    }
}

/// A channel with its ends.
pub(crate) fn hop(fabric: &Fabric, id: ChannelId, after: Option<usize>) -> HopView {
    let channel = fabric.flat().channel(id);
    let at = |component: Option<ComponentId>, port| EndView { part: component.map(|c| c.0 as usize), port };
    HopView {
        from: match channel.source {
            SourcePort::Boundary(k) => at(None, k),
            SourcePort::Port(c, port) => at(Some(c), port),
        },
        to: match channel.sink {
            SinkPort::Boundary(k) => at(None, k),
            SinkPort::Port(c, port) => at(Some(c), port),
        },
        channel: id.0 as usize,
        after,
    }
}

/// What `loom decode` says, component by component.
fn settings(configured: &Configured) -> Vec<SettingView> {
    let fabric = &configured.fabric;
    // A configured kernel's image decodes: it was decoded when it was made.
    let Ok((decoded, _)) = loom_gen::decode(fabric, &configured.image) else { return Vec::new() };
    let one = |id: ComponentId| {
        let lines = decoded.explain(fabric, id);
        (!lines.is_empty()).then_some(SettingView { component: id.0 as usize, lines })
    };
    fabric.flat().ids().filter_map(one).collect()
}

fn utilisation(
    fabric: &Fabric,
    graph: &Graph,
    placements: &[Placement],
    routes: &[Route],
    arguments: &[Option<usize>],
) -> Vec<UseView> {
    let mut used: BTreeSet<ComponentId> = placements.iter().map(|p| p.component).collect();
    used.extend(routes.iter().flat_map(|r| &r.steps).map(|s| s.component()));
    let mut kinds: BTreeMap<(u8, String), (usize, usize)> = BTreeMap::new();
    for id in fabric.flat().ids() {
        let name = || fabric.adg().definitions[fabric.flat().at(id).definition].name.clone();
        let kind = match fabric.component(id) {
            Component::SpatialPe(_) => (0, format!("PEs `{}`", name())),
            Component::Memory(m) if m.is_external() => (1, "AXI memory interfaces".into()),
            Component::Memory(_) => (1, "scratchpads".into()),
            Component::SpatialSw(_) => (2, "switches".into()),
            Component::TemporalSw(_) => (2, "temporal switches".into()),
            Component::Fifo(f) => (3, format!("FIFOs of {:>2} entries", f.depth)),
            Component::AddTag(_) | Component::MapTag(_) | Component::DelTag(_) => {
                (4, "tag components".into())
            }
        };
        let count = kinds.entry(kind).or_default();
        count.0 += usize::from(used.contains(&id));
        count.1 += 1;
    }
    let ports = [
        ("fabric inputs", arguments.iter().flatten().count(), fabric.flat().inputs.len()),
        ("fabric outputs", graph.outputs.len(), fabric.flat().outputs.len()),
    ];
    let all = kinds.into_iter().map(|((_, kind), (used, total))| UseView { kind, used, total });
    all.chain(ports.map(|(kind, used, total)| UseView { kind: kind.into(), used, total })).collect()
}

/// What sets the interval: the slowest circle, or accesses of one rate that share a memory port.
fn limit(configured: &Configured, walks: &[Walk], memory_latency: u32) -> LimitView {
    let Configured { fabric, netlist, mapped, .. } = configured;
    let placements = &mapped.mapping.placements;
    let site = |p: &Placement| match fabric.component(p.component) {
        Component::Memory(_) => {
            let unit = if p.fu >= STORE { SiteUnit::Stores } else { SiteUnit::Loads };
            Site { component: p.component, unit, slot: p.fu % STORE }
        }
        _ => Site::spatial(p.component, p.fu),
    };
    let timing = |p: &Placement| {
        let t = UnitTiming::of(fabric, memory_latency, site(p));
        (t.stages(), t.interval)
    };
    let units: Vec<(u32, i64)> = placements.iter().map(timing).collect();
    let by_value: BTreeMap<ValueId, &Walk> =
        mapped.mapping.routes.iter().zip(walks).map(|(r, w)| (r.value, w)).collect();
    let mut hop = |from: NodeId, to: NodeId| {
        let values = netlist.node(to).operands.iter().filter(|v| netlist.node(from).results.contains(v));
        let at = placements[to.0 as usize].component;
        let registers = values.filter_map(|v| by_value.get(v)?.ends.get(&at).copied());
        registers.min().unwrap_or(0)
    };
    let (bound, circle) = slowest(netlist, &units, &mut hop);
    let rates = Rates::new(netlist);
    let mut shared: BTreeMap<(ComponentId, bool, usize), Vec<usize>> = BTreeMap::new();
    for n in netlist.node_ids() {
        let p = &placements[n.0 as usize];
        if let Component::Memory(_) = fabric.component(p.component) {
            shared.entry((p.component, p.fu >= STORE, rates.node(n))).or_default().push(n.0 as usize);
        }
    }
    let most = shared.into_iter().max_by_key(|(_, ops)| ops.len()).filter(|(_, ops)| ops.len() > 1);
    let recurrence: Vec<usize> = circle.iter().map(|n| n.0 as usize).collect();
    let (mut component, mut sharing) = (None, Vec::new());
    let text = match most {
        Some(((id, stores, _), ops)) if ops.len() as f64 >= bound => {
            let what = if stores { "stores" } else { "loads" };
            let text = format!(
                "{} {what} of one loop share a port of `{}`: at least {} cycles an iteration",
                ops.len(),
                fabric.path(id),
                ops.len()
            );
            (component, sharing) = (Some(id.0 as usize), ops);
            text
        }
        _ if bound.is_infinite() => "a circle of ops has no token to begin with, and never moves".into(),
        _ if recurrence.is_empty() => "nothing asks for more than one cycle an iteration".into(),
        _ => format!(
            "a circle of {} ops takes at least {bound:.2} cycles an iteration, links included",
            recurrence.len()
        ),
    };
    LimitView { text, recurrence, component, sharing }
}

/// A mapping that was not found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FailureView {
    /// What `loom map` says.
    pub messages: Vec<String>,
    /// By op, where the last placement that was tried had it; empty where none was.
    pub placements: Vec<PlacementView>,
    /// Values that no way was found for, or none of their own.
    pub values: Vec<usize>,
    /// Channels that several values want.
    pub contended: Vec<ContendedView>,
}

/// A channel that several values want.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ContendedView {
    /// The channel.
    pub channel: HopView,
    /// Those values.
    pub values: Vec<usize>,
}

/// What is known of a mapping that was not found.
pub(crate) fn failure(fabric: &Fabric, unmapped: &Unmapped) -> FailureView {
    let mut messages = Vec::new();
    for d in &unmapped.diagnostics {
        messages.push(format!("{}: {}", d.code.id, d.message));
        messages.extend(d.notes.iter().cloned());
        messages.extend(d.help.clone());
    }
    let mut view =
        FailureView { messages, placements: Vec::new(), values: Vec::new(), contended: Vec::new() };
    let Some(unsolved) = &unmapped.unsolved else { return view };
    let place = |site: &Site| {
        let (component, fu) = site.placed();
        placement(fabric, &Placement { component, fu, inputs: Vec::new(), outputs: Vec::new() })
    };
    let value = |net: &usize| unsolved.nets[*net].value.0 as usize;
    view.placements = unsolved.place.nodes.iter().map(place).collect();
    match &unsolved.failure {
        RouteFailure::NoWay(net, _) => view.values.push(value(net)),
        RouteFailure::Spent => {}
        RouteFailure::Overused(channels) => {
            let contended = |(c, nets): &(ChannelId, Vec<usize>)| ContendedView {
                channel: hop(fabric, *c, None),
                values: nets.iter().map(value).collect(),
            };
            view.contended = channels.iter().map(contended).collect();
            let all: BTreeSet<usize> = view.contended.iter().flat_map(|c| c.values.iter().copied()).collect();
            view.values = all.into_iter().collect();
        }
    }
    view
}
