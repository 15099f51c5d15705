//! Memory on a fabric: the lanes of its interfaces as the mapper sees them, which lanes may share an interface, and the
//! regions a mapping needs.
//!
//! A lane of an untagged interface is its ports. Of a tagged one only lane 0 is offered, one of each kind: lanes that
//! share a port can stop each other, for a token that nobody takes yet stands before another lane's (docs/deviations.md).
//! It is found by walking from the ports outward: an `add_tag` in front of each request port, a `del_tag` behind each
//! answer port, a temporal switch between where there is one. Lanes of other shapes are not offered to the mapper.

use crate::{codes, Mapping};
use loom_adg::layout::FieldKind;
use loom_adg::model::{limits, Backing, MemoryInterface, MemoryPort};
use loom_adg::{ChannelId, Component, ComponentId, Fabric, SinkPort, SourcePort};
use loom_base::{Diagnostic, Diagnostics};
use loom_dfg::graph::{Graph, MemoryId, MemoryPlace};
use loom_dfg::{Op, OpKind, Type};
use std::collections::{BTreeMap, BTreeSet};

/// A lane of an interface: its number for loads, [`STORE`] more for stores.
pub type LaneNumber = usize;

/// Added to the number of a store lane.
pub const STORE: LaneNumber = limits::MAX_LANES;

/// Where a lane's tokens go in and come out, in the order of a memory node's operands and results.
#[derive(Clone, Debug)]
pub struct Lane {
    /// A load's address; a store's data and address.
    pub requests: Vec<ChannelId>,
    /// A load's data and done; a store's done.
    pub answers: Vec<ChannelId>,
    /// Configuration of the bridge.
    pub settings: Vec<(ComponentId, FieldKind, u64)>,
}

/// All lanes of a fabric.
pub type Lanes = BTreeMap<(ComponentId, LaneNumber), Lane>;

/// The interface of a component, when it is one.
pub fn interface(fabric: &Fabric, id: ComponentId) -> Option<&MemoryInterface> {
    match fabric.component(id) {
        Component::Memory(m) => Some(m),
        _ => None,
    }
}

/// Finds the lanes of a fabric.
pub fn lanes(fabric: &Fabric) -> Lanes {
    use MemoryPort::*;
    let mut all = Lanes::new();
    for id in fabric.flat().ids() {
        let Some(m) = interface(fabric, id) else { continue };
        let kinds = [
            (0, vec![LoadAddress], vec![LoadData, LoadDone]),
            (STORE, vec![StoreData, StoreAddress], vec![StoreDone]),
        ];
        for (first, requests, answers) in kinds {
            for lane in 0..m.ports_of(requests[0]) {
                let mut settings = Vec::new();
                let ins: Option<Vec<ChannelId>> =
                    requests.iter().map(|&p| request(fabric, id, m, p, lane, &mut settings)).collect();
                let outs: Option<Vec<ChannelId>> =
                    answers.iter().map(|&p| answer(fabric, id, m, p, lane, &mut settings)).collect();
                if let (Some(requests), Some(answers)) = (ins, outs) {
                    all.insert((id, first + lane), Lane { requests, answers, settings });
                }
            }
        }
    }
    all
}

/// The components that are bridges of lanes: what else passed them would meet their settings.
pub fn bridges(lanes: &Lanes) -> BTreeSet<ComponentId> {
    lanes.values().flat_map(|lane| &lane.settings).map(|setting| setting.0).collect()
}

type Settings = Vec<(ComponentId, FieldKind, u64)>;

/// Lane 0's way through a temporal switch.
fn slot(settings: &mut Settings, sw: ComponentId, output: usize, input: usize) {
    settings.push((sw, FieldKind::SlotValid(0), 1));
    settings.push((sw, FieldKind::SlotTag(0), 0));
    settings.push((sw, FieldKind::SlotRoute { slot: 0, output, input }, 1));
}

/// The channel by which a lane's requests come in.
fn request(
    fabric: &Fabric,
    id: ComponentId,
    m: &MemoryInterface,
    port: MemoryPort,
    lane: usize,
    settings: &mut Settings,
) -> Option<ChannelId> {
    let mut channel = fabric.flat().at(id).inputs[m.port(port, lane)?]?;
    if m.tag == 0 {
        return Some(channel);
    }
    let SourcePort::Port(mut from, output) = fabric.flat().channel(channel).source else { return None };
    if let Component::TemporalSw(sw) = fabric.component(from) {
        if !sw.connectivity[output][0] {
            return None;
        }
        slot(settings, from, output, 0);
        channel = fabric.flat().at(from).inputs[0]?;
        (from, _) = match fabric.flat().channel(channel).source {
            SourcePort::Port(id, port) => (id, port),
            SourcePort::Boundary(_) => return None,
        };
    }
    matches!(fabric.component(from), Component::AddTag(_)).then_some(())?;
    settings.push((from, FieldKind::Tag, 0));
    fabric.flat().at(from).inputs[0]
}

/// The channel by which a lane's answers come out.
fn answer(
    fabric: &Fabric,
    id: ComponentId,
    m: &MemoryInterface,
    port: MemoryPort,
    lane: usize,
    settings: &mut Settings,
) -> Option<ChannelId> {
    let mut channel = fabric.flat().at(id).outputs[m.port(port, lane)?]?;
    if m.tag == 0 {
        return Some(channel);
    }
    let SinkPort::Port(mut to, input) = fabric.flat().channel(channel).sink else { return None };
    if let Component::TemporalSw(sw) = fabric.component(to) {
        if !sw.connectivity[0][input] {
            return None;
        }
        slot(settings, to, 0, input);
        channel = fabric.flat().at(to).outputs[0]?;
        (to, _) = match fabric.flat().channel(channel).sink {
            SinkPort::Port(id, port) => (id, port),
            SinkPort::Boundary(_) => return None,
        };
    }
    matches!(fabric.component(to), Component::DelTag(_)).then_some(())?;
    fabric.flat().at(to).outputs[0]
}

/// The memory and direction of a netlist node, when it is an access: (memory, whether private, whether a store).
pub fn access(op: Op) -> Option<(MemoryId, bool, bool)> {
    match op {
        Op::Memory(id, OpKind::Extmemory(p)) => Some((id, false, p.stores > 0)),
        Op::Memory(id, OpKind::Memory(p)) => Some((id, true, p.stores > 0)),
        _ => None,
    }
}

/// log2 of the bytes of an element.
pub fn element_size_log2(ty: Type, index_width: u32) -> u32 {
    (ty.width(index_width).max(8).next_power_of_two() / 8).ilog2()
}

/// Bytes of a memory; 0 when its size is open.
pub fn bytes_of(graph: &Graph, memory: MemoryId, index_width: u32) -> u64 {
    let m = graph.memory(memory);
    m.words.unwrap_or(0) << element_size_log2(m.element, index_width)
}

/// Whether an access may sit on a lane, seen alone.
pub fn fits(graph: &Graph, op: Op, fabric: &Fabric, at: (ComponentId, LaneNumber)) -> bool {
    let (Some((memory, private, store)), Some(m)) = (access(op), interface(fabric, at.0)) else {
        return false;
    };
    let size = element_size_log2(graph.memory(memory).element, fabric.index_width());
    private != m.is_external()
        && store == (at.1 >= STORE)
        && size <= m.word_size_log2()
        && bytes_of(graph, memory, fabric.index_width()) <= m.bytes()
}

/// Whether a graph stores into a memory.
pub fn is_written(graph: &Graph, memory: MemoryId) -> bool {
    graph.nodes.iter().any(|n| access(n.op).is_some_and(|(m, _, store)| store && m == memory))
}

/// A region that a mapping needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneRegion {
    /// The interface.
    pub component: ComponentId,
    /// Number of the region in its table.
    pub region: usize,
    /// The memory that lives there.
    pub memory: MemoryId,
    /// First lane.
    pub start: usize,
    /// The lane behind the last.
    pub end: usize,
    /// Byte address in a scratchpad; 0 in external memory, for the host to patch.
    pub offset: u64,
    /// log2 of the bytes of an element.
    pub size: u32,
}

/// Why accesses cannot share an interface as they do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// Two memories on lanes of one number: a region holds loads and stores of its lanes.
    Lane(ComponentId, usize),
    /// More regions than the table has.
    Regions(ComponentId, usize),
    /// The scratchpad is too small: bytes needed.
    Bytes(ComponentId, u64),
    /// A private memory that is written on two interfaces.
    Split(MemoryId),
}

/// The regions of accesses on lanes: (component, lane, memory).
pub fn regions(
    graph: &Graph,
    fabric: &Fabric,
    accesses: &[(ComponentId, LaneNumber, MemoryId)],
) -> Result<Vec<LaneRegion>, Conflict> {
    let mut by_lane: BTreeMap<(ComponentId, usize), MemoryId> = BTreeMap::new();
    let mut home: BTreeMap<MemoryId, ComponentId> = BTreeMap::new();
    for &(id, lane, memory) in accesses {
        let number = lane % STORE;
        if *by_lane.entry((id, number)).or_insert(memory) != memory {
            return Err(Conflict::Lane(id, number));
        }
        let private = matches!(graph.memory(memory).place, MemoryPlace::Private { .. });
        // What nobody writes may lie in several scratchpads: the host fills each of them.
        if private && *home.entry(memory).or_insert(id) != id && is_written(graph, memory) {
            return Err(Conflict::Split(memory));
        }
    }
    let mut list: Vec<LaneRegion> = Vec::new();
    // Offsets of memories in each scratchpad.
    let mut placed: BTreeMap<(ComponentId, MemoryId), u64> = BTreeMap::new();
    let mut filled: BTreeMap<ComponentId, u64> = BTreeMap::new();
    for (&(component, lane), &memory) in &by_lane {
        let Some(m) = interface(fabric, component) else { continue };
        if let Some(last) = list.last_mut() {
            if (last.component, last.memory, last.end) == (component, memory, lane) {
                last.end = lane + 1;
                continue;
            }
        }
        let mut offset = 0;
        if let Backing::Scratchpad { bytes, .. } = m.store {
            let next = filled.entry(component).or_default();
            offset = *placed.entry((component, memory)).or_insert_with(|| {
                let at = next.next_multiple_of(8);
                *next = at + bytes_of(graph, memory, fabric.index_width());
                at
            });
            if *next > bytes {
                return Err(Conflict::Bytes(component, *next));
            }
        }
        let region = list.iter().filter(|r| r.component == component).count();
        if region >= m.regions {
            return Err(Conflict::Regions(component, region + 1));
        }
        let size = element_size_log2(graph.memory(memory).element, fabric.index_width());
        list.push(LaneRegion { component, region, memory, start: lane, end: lane + 1, offset, size });
    }
    Ok(list)
}

/// The accesses of a mapped netlist.
pub fn accesses(net: &Graph, mapping: &Mapping) -> Vec<(ComponentId, LaneNumber, MemoryId)> {
    let nodes = net.nodes.iter().zip(&mapping.placements);
    nodes.filter_map(|(node, p)| Some((p.component, p.fu, access(node.op)?.0))).collect()
}

/// Lanes tried before an answer must do.
const LANE_STEPS: u32 = 10_000;

/// How often an access is asked for: a number that those of one loop have in common, and the cycles that an iteration of it takes
/// whatever lanes there are.
pub type AccessPace = (usize, u64);

/// A first lane for every access of a netlist, by node: private memories before external ones, each access on a lane of
/// its own, or on one that loads and stores of its memory share. Where an iteration would wait for one scratchpad longer than its `pace`
/// is, further memories, and copies of what is only read, are in another one. What was chosen is taken back where others then
/// find no lane. The error says what is short.
pub fn first_lanes(
    net: &Graph,
    fabric: &Fabric,
    lanes: &Lanes,
    pace: &dyn Fn(usize) -> AccessPace,
) -> Result<BTreeMap<usize, (ComponentId, LaneNumber)>, Diagnostics> {
    let kind = |n: usize| access(net.nodes[n].op);
    let mut order: Vec<usize> = (0..net.nodes.len()).filter(|&n| kind(n).is_some()).collect();
    order.sort_by_key(|&n| kind(n).map(|(m, private, _)| if private { (0, m.0) } else { (1, 0) }));
    if let Some(short) = too_few_lanes(net, fabric, lanes, &order) {
        return Err(vec![short]);
    }
    // At last, memory by memory and stores first: they have fewer lanes, and loads leave those that a store could have.
    let mut scarce = order.clone();
    scarce.sort_by_key(|&n| kind(n).map(|(m, private, store)| (!private, m.0, !store)));
    let mut plain = Search::new(net, fabric, lanes, &order);
    let found = (Search { pace: Some(pace), ..Search::new(net, fabric, lanes, &order) }.run())
        .or_else(|| plain.run())
        .or_else(|| Search { spares: true, ..Search::new(net, fabric, lanes, &scarce) }.run());
    found.ok_or_else(|| vec![plain.refusal()])
}

/// A search for lanes, depth first.
struct Search<'a> {
    net: &'a Graph,
    fabric: &'a Fabric,
    lanes: &'a Lanes,
    order: &'a [usize],
    /// Whether loads take lanes without a store lane of their number first.
    spares: bool,
    /// By node, where that is to be kept.
    pace: Option<&'a dyn Fn(usize) -> AccessPace>,
    steps: u32,
    /// The most accesses that had a lane, and what kept the next one from it.
    deepest: usize,
    why: Option<Conflict>,
}

impl<'a> Search<'a> {
    fn new(net: &'a Graph, fabric: &'a Fabric, lanes: &'a Lanes, order: &'a [usize]) -> Search<'a> {
        Search {
            net,
            fabric,
            lanes,
            order,
            spares: false,
            pace: None,
            steps: LANE_STEPS,
            deepest: 0,
            why: None,
        }
    }

    fn run(&mut self) -> Option<BTreeMap<usize, (ComponentId, LaneNumber)>> {
        let mut taken = Vec::new();
        let found = self.extend(&mut taken);
        found.then(|| self.order.iter().copied().zip(taken.iter().map(|t| (t.0, t.1))).collect())
    }

    /// Cycles of an iteration when one more access of its loop is at an interface, which does one of a kind in a cycle.
    fn cycles(
        &self,
        n: usize,
        at: (ComponentId, LaneNumber),
        taken: &[(ComponentId, LaneNumber, MemoryId)],
    ) -> u64 {
        let Some(pace) = self.pace else { return 0 };
        let (of, least) = pace(n);
        let beside = |(t, &m): &(&(ComponentId, LaneNumber, MemoryId), &usize)| {
            t.0 == at.0 && (t.1 >= STORE) == (at.1 >= STORE) && pace(m).0 == of
        };
        least.max(taken.iter().zip(self.order).filter(beside).count() as u64 + 1)
    }

    fn extend(&mut self, taken: &mut Vec<(ComponentId, LaneNumber, MemoryId)>) -> bool {
        let Some(&n) = self.order.get(taken.len()) else { return true };
        let op = self.net.nodes[n].op;
        let Some((memory, private, _)) = access(op) else { return false };
        if taken.len() > self.deepest {
            (self.deepest, self.why) = (taken.len(), None);
        }
        let free = |at: &(ComponentId, LaneNumber)| taken.iter().all(|t| (t.0, t.1) != *at);
        let partner = |at: &(ComponentId, LaneNumber)| {
            taken.iter().any(|t| t.0 == at.0 && t.1 % STORE == at.1 % STORE && t.2 == memory)
        };
        let fits = |at: &(ComponentId, LaneNumber)| fits(self.net, op, self.fabric, *at);
        let mut all: Vec<_> = self.lanes.keys().copied().filter(|at| free(at) && fits(at)).collect();
        let spared = |at: &(ComponentId, LaneNumber)| {
            self.spares && at.1 < STORE && self.lanes.contains_key(&(at.0, at.1 + STORE))
        };
        // The placer moves accesses of external memory among their interfaces, and no others.
        let cycles = |at: &(ComponentId, LaneNumber)| if private { self.cycles(n, *at, taken) } else { 0 };
        all.sort_by_cached_key(|at| (cycles(at), !partner(at), spared(at)));
        for at in all {
            if self.steps == 0 {
                return false;
            }
            self.steps -= 1;
            taken.push((at.0, at.1, memory));
            match regions(self.net, self.fabric, taken) {
                Ok(_) if self.extend(taken) => return true,
                Err(conflict) if taken.len() == self.deepest + 1 => self.why = Some(conflict),
                _ => {}
            }
            taken.pop();
        }
        false
    }

    fn refusal(&self) -> Diagnostic {
        let op = &self.net.nodes[self.order[self.deepest.min(self.order.len() - 1)]];
        let (m, private, store) = access(op.op).unwrap_or((MemoryId(0), false, false));
        let name = |m| &self.net.memory(m).name;
        let path = |id| self.fabric.path(id);
        let what = if store { "store" } else { "load" };
        let kind = if private { "scratchpads" } else { "AXI ports" };
        let d = Diagnostic::error(
            codes::TOO_MANY_ACCESSES,
            format!("a {what} of `{}` finds no lane at the {kind} of `{}`", name(m), self.fabric.name()),
        )
        .at_opt(op.span.clone(), "this access");
        let has = |id: &ComponentId| interface(self.fabric, *id);
        match self.why {
            Some(Conflict::Lane(id, lane)) => d
                .note(format!(
                    "lane {lane} of `{}` is another memory's: a region holds the load and the store lane of a number",
                    path(id)
                ))
                .help("give the interface one more lane of each kind, or take a fabric with one more"),
            Some(Conflict::Regions(id, n)) => d
                .note(format!("`{}` would need {n} regions, it has {}", path(id), has(&id).map_or(0, |m| m.regions)))
                .help("give it more `regions`"),
            Some(Conflict::Bytes(id, n)) => d
                .note(format!("`{}` would need {n} bytes, it has {}", path(id), has(&id).map_or(0, |m| m.bytes())))
                .help("give it more `bytes`, or take a fabric with one more scratchpad"),
            Some(Conflict::Split(_)) => d
                .note(format!("all accesses of `{}` must be at one scratchpad", name(m)))
                .help(format!("give one scratchpad more {what} lanes")),
            None => d
                .note("the lanes that take it are used up")
                .help(format!("give one of them more {what} lanes, or take a fabric with one more")),
        }
    }
}

/// Whether there are fewer lanes of a kind than accesses that need one.
fn too_few_lanes(net: &Graph, fabric: &Fabric, lanes: &Lanes, order: &[usize]) -> Option<Diagnostic> {
    for (private, store) in [(true, false), (true, true), (false, false), (false, true)] {
        let of_kind = |n: &&usize| access(net.nodes[**n].op).is_some_and(|a| (a.1, a.2) == (private, store));
        let wanted: Vec<usize> = order.iter().filter(of_kind).copied().collect();
        let mut there: BTreeMap<ComponentId, usize> = BTreeMap::new();
        for &(id, lane) in lanes.keys() {
            let external = interface(fabric, id).is_some_and(|m| m.is_external());
            *there.entry(id).or_default() += usize::from(external != private && (lane >= STORE) == store);
        }
        there.retain(|_, n| *n > 0);
        let count: usize = there.values().sum();
        if wanted.len() <= count {
            continue;
        }
        let (what, key) = if store { ("store", "stores") } else { ("load", "loads") };
        let (kind, table) = if private { ("scratchpads", "memory") } else { ("AXI ports", "extmemory") };
        let message = format!(
            "{} {what}s need a lane each, the {kind} of `{}` have {count}",
            wanted.len(),
            fabric.name()
        );
        let shown = 4;
        let mut list: Vec<String> =
            there.iter().take(shown).map(|(&id, n)| format!("`{}` has {n}", fabric.path(id))).collect();
        if there.len() > shown {
            list.push(format!("{} more have the rest", there.len() - shown));
        }
        let missing = wanted.len() - count;
        return Some(
            Diagnostic::error(codes::TOO_MANY_ACCESSES, message)
                .at_opt(net.nodes[wanted[count]].span.clone(), "this access finds no lane")
                .note(list.join(", "))
                .help(format!("raise `{key}` in a `[{table}.NAME]` of the fabric by {missing}, or take one with more of them")),
        );
    }
    None
}
