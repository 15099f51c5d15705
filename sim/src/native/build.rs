//! From the configuration image to nodes: static errors and decoding. [`super::prune`] does the rest.

use super::alu::{float_op, AluOp, Program};
use super::memory::{Memory, Region};
use super::net::{Kind, Net, Node};
use super::switch::{Fifo, Fork, LaneSwitch, Slot, TagMap, TagSwitch, Through, Watch};
use super::unit::{Act, Immediate, Machine, MachineKind, Plain, Steer, SteerKind, StreamState};
use super::wire::{Wire, DRAIN, FIRST, NEVER, OPEN, W};
use super::Refusal;
use crate::codes;
use loom_adg::flat::FlatComponent;
use loom_adg::layout::{payload, PayloadField, PayloadKind};
use loom_adg::model::{
    BodyValue, EffectiveUnit, FifoKind, MemoryInterface, MemoryPort, SpatialPe, SpatialSw, TemporalSw,
};
use loom_adg::{ChannelId, Component, ComponentId, Fabric, FieldKind, HwError, Image, Mux, PeConfig, Unit};
use loom_base::{truncate, Diagnostic};
use loom_dfg::op::{AccessOp, Class, Form, StateOp, SteerOp};
use loom_dfg::{ContCond, Counter, OpKind, Predicate};
use std::collections::{BTreeSet, VecDeque};

/// The network and what the model needs to know about it.
pub(super) struct Built {
    pub net: Net,
    /// Wire of each fabric input and output.
    pub inputs: Vec<W>,
    pub outputs: Vec<W>,
    /// By active PE: the component and its active unit's op.
    pub pes: Vec<(ComponentId, OpKind)>,
    /// By channel: the channel at whose end its tokens are taken; its own number but where wires were merged.
    pub ends_at: Vec<usize>,
    /// By channel: its wire.
    pub wire_of: Vec<W>,
}

pub(super) struct Builder<'a> {
    pub(super) fabric: &'a Fabric,
    image: &'a Image,
    pub(super) nodes: Vec<Node>,
    pub(super) wires: Vec<Wire>,
    errors: BTreeSet<(HwError, u32)>,
    pub(super) pes: Vec<(ComponentId, OpKind)>,
    refused: Option<Diagnostic>,
}

pub(super) fn build(fabric: &Fabric, image: &Image) -> Result<Built, Refusal> {
    if image.words.len() != fabric.layout().words {
        return Err(Refusal::Hardware(HwError::CfgLength, Unit::LOADER));
    }
    let mut wires = vec![Wire::default(); FIRST as usize];
    wires[DRAIN as usize].ready = true;
    for c in &fabric.flat().channels {
        let width = c.source_type.width.min(c.sink_type.width);
        wires.push(Wire::new(width, c.source_type.tag.min(c.sink_type.tag)));
    }
    let mut b = Builder {
        fabric,
        image,
        nodes: Vec::new(),
        wires,
        errors: BTreeSet::new(),
        pes: Vec::new(),
        refused: None,
    };
    b.check_boundary();
    for id in fabric.flat().ids() {
        // What has no configuration raises no error.
        b.component(id, fabric.unit(id).map_or(0, |unit| unit.0));
    }
    if let Some(&(error, unit)) = b.errors.first() {
        return Err(Refusal::Hardware(error, Unit(unit)));
    }
    if let Some(diagnostic) = b.refused {
        return Err(Refusal::Unsupported(Box::new(diagnostic)));
    }
    b.finish(fabric.units().len())
}

pub(super) fn channel(id: Option<ChannelId>, none: W) -> W {
    id.map_or(none, |c| FIRST + c.0)
}

impl Builder<'_> {
    fn refuse(&mut self, diagnostic: Diagnostic) {
        self.refused.get_or_insert(diagnostic);
    }

    /// FUs hold at most 64 bits, so with boundaries of at most 64 no channel carries more than 64 significant ones.
    fn check_boundary(&mut self) {
        let top = &self.fabric.adg().top;
        for (side, ports) in [("input", &top.inputs), ("output", &top.outputs)] {
            for port in ports.iter().filter(|p| p.ty.width > 64) {
                self.refuse(
                    Diagnostic::error(
                        codes::TOO_WIDE,
                        format!(
                            "fabric {side} `{}` is {} bits wide, the native model carries 64",
                            port.name, port.ty.width
                        ),
                    )
                    .help("simulate this fabric in Verilog only"),
                );
            }
        }
    }

    fn push(&mut self, id: ComponentId, kind: Kind) {
        self.nodes.push(Node { kind, component: id.0 });
    }

    fn component(&mut self, id: ComponentId, unit: u32) {
        let at = self.fabric.flat().at(id);
        let get = |kind| self.image.get(self.fabric, id, kind);
        let (input, output) = (channel(at.inputs[0], NEVER), channel(at.outputs[0], OPEN));
        match self.fabric.component(id) {
            Component::Fifo(fifo) => {
                let kind = if fifo.is_bypassable() && get(FieldKind::Bypass) == 1 {
                    Kind::Through(Through { input, output, tag: None })
                } else {
                    self.wires[input as usize].ready = input != NEVER;
                    let falls = fifo.kind == FifoKind::FallThrough;
                    Kind::Fifo(Fifo { input, output, depth: fifo.depth, falls, queue: VecDeque::new() })
                };
                self.push(id, kind);
            }
            Component::AddTag(_) => {
                let tag = Some(get(FieldKind::Tag) as u32);
                self.push(id, Kind::Through(Through { input, output, tag }));
            }
            Component::DelTag(_) => self.push(id, Kind::Through(Through { input, output, tag: None })),
            Component::MapTag(map) => {
                let entries: Vec<(u32, u32)> = (0..map.table_size)
                    .filter(|&i| get(FieldKind::EntryValid(i)) == 1)
                    .map(|i| (get(FieldKind::EntrySource(i)) as u32, get(FieldKind::EntryTarget(i)) as u32))
                    .collect();
                if repeats(entries.iter().map(|e| e.0)) {
                    self.errors.insert((HwError::CfgMapTagDupTag, unit));
                }
                self.push(id, Kind::TagMap(TagMap { input, output, entries, unit }));
            }
            Component::SpatialSw(sw) => match sw.decomposable_bits {
                None => self.spatial_sw(id, at, sw, unit),
                Some(lane) => self.lane_sw(id, at, sw, lane, unit),
            },
            Component::TemporalSw(sw) => self.temporal_sw(id, at, sw, unit),
            Component::SpatialPe(pe) => self.spatial_pe(id, at, pe, unit),
            Component::Memory(memory) => self.memory(id, at, memory, unit),
        }
    }

    fn spatial_sw(&mut self, id: ComponentId, at: &FlatComponent, sw: &SpatialSw, unit: u32) {
        let route = |output: usize, input: usize| {
            sw.connectivity[output][input]
                && self.image.get(self.fabric, id, FieldKind::Route { output, input }) == 1
        };
        let routes: Vec<Vec<bool>> =
            (0..sw.outputs.len()).map(|o| (0..sw.inputs.len()).map(|i| route(o, i)).collect()).collect();
        if routes.iter().any(|row| row.iter().filter(|&&r| r).count() > 1) {
            self.errors.insert((HwError::CfgSwitchRouteMix, unit));
        }
        for (i, &input) in at.inputs.iter().enumerate() {
            let input = channel(input, NEVER);
            let outputs: Box<[W]> = (0..sw.outputs.len())
                .filter(|&o| routes[o][i])
                .map(|o| channel(at.outputs[o], OPEN))
                .collect();
            let kind = if outputs.is_empty() {
                Kind::Watch(Watch { input, unit })
            } else {
                Kind::Fork(Fork { input, outputs, done: 0, unit })
            };
            self.push(id, kind);
        }
    }

    fn lane_sw(&mut self, id: ComponentId, at: &FlatComponent, sw: &SpatialSw, lane: u32, unit: u32) {
        if let Some(port) = sw.inputs.iter().chain(&sw.outputs).find(|p| p.width > 64) {
            self.refuse(
                Diagnostic::error(
                    codes::TOO_WIDE,
                    format!(
                        "decomposable switch `{}` has a port of {} bits, the native model carries 64",
                        at.path, port.width
                    ),
                )
                .help("simulate this fabric in Verilog only"),
            );
            return;
        }
        let mut sources = Vec::new();
        let mut joined = Vec::new();
        for (output, ty) in sw.outputs.iter().enumerate() {
            let mut lanes = Vec::new();
            let mut mask = 0u32;
            for output_lane in 0..(ty.width / lane) as usize {
                let mut found = Vec::new();
                for input in (0..sw.inputs.len()).filter(|&i| sw.connectivity[output][i]) {
                    for input_lane in 0..(sw.inputs[input].width / lane) as usize {
                        let field = FieldKind::LaneRoute { output, output_lane, input, input_lane };
                        if self.image.get(self.fabric, id, field) == 1 {
                            found.push((input, input_lane as u32));
                            mask |= 1 << input;
                        }
                    }
                }
                if found.len() > 1 {
                    self.errors.insert((HwError::CfgSwitchRouteMix, unit));
                }
                lanes.push(found.first().copied());
            }
            sources.push(lanes);
            joined.push(mask);
        }
        let node = LaneSwitch {
            inputs: at.inputs.iter().map(|&c| channel(c, NEVER)).collect(),
            outputs: at.outputs.iter().map(|&c| channel(c, OPEN)).collect(),
            lane,
            sources,
            done: vec![0; joined.len()],
            joined,
            unit,
        };
        self.push(id, Kind::LaneSwitch(Box::new(node)));
    }

    fn temporal_sw(&mut self, id: ComponentId, at: &FlatComponent, sw: &TemporalSw, unit: u32) {
        let get = |kind| self.image.get(self.fabric, id, kind);
        let mut slots = Vec::new();
        let mut mixed = false;
        for slot in 0..sw.num_route_table {
            let route = |output: usize, input: usize| {
                sw.connectivity[output][input] && get(FieldKind::SlotRoute { slot, output, input }) == 1
            };
            let routes: Vec<u32> = (0..sw.outputs)
                .map(|o| (0..sw.inputs).fold(0, |m, i| m | u32::from(route(o, i)) << i))
                .collect();
            if get(FieldKind::SlotValid(slot)) == 1 {
                mixed |= routes.iter().any(|r| r.count_ones() > 1);
                slots.push(Slot { tag: get(FieldKind::SlotTag(slot)) as u32, routes });
            }
        }
        if mixed {
            self.errors.insert((HwError::CfgTemporalSwRouteMix, unit));
        }
        if repeats(slots.iter().map(|s| s.tag)) {
            self.errors.insert((HwError::CfgTemporalSwDupTag, unit));
        }
        let node = TagSwitch {
            inputs: at.inputs.iter().map(|&c| channel(c, NEVER)).collect(),
            outputs: at.outputs.iter().map(|&c| channel(c, OPEN)).collect(),
            slots,
            done: vec![0; sw.outputs],
            pointer: vec![0; sw.outputs],
            lock: vec![false; sw.outputs],
            grant: vec![0; sw.outputs],
            unit,
        };
        self.push(id, Kind::TagSwitch(Box::new(node)));
    }

    fn memory(&mut self, id: ComponentId, at: &FlatComponent, m: &MemoryInterface, unit: u32) {
        let get = |kind| self.image.get(self.fabric, id, kind);
        let mut regions = Vec::new();
        let (overlap, empty) = if m.is_external() {
            (HwError::CfgExtmemoryOverlap, HwError::CfgExtmemoryEmpty)
        } else {
            (HwError::CfgMemoryOverlap, HwError::CfgMemoryEmpty)
        };
        for r in (0..m.regions).filter(|&r| get(FieldKind::RegionValid(r)) == 1) {
            let region = Region {
                start: get(FieldKind::RegionStart(r)),
                end: get(FieldKind::RegionEnd(r)),
                offset: get(FieldKind::RegionOffset(r)),
                size: get(FieldKind::RegionSize(r)) as u32,
            };
            if region.end <= region.start {
                self.errors.insert((empty, unit));
            }
            if region.size > m.word_size_log2() {
                self.errors.insert((HwError::CfgMemoryElementSize, unit));
            }
            let meets = |other: &Region| region.start.max(other.start) < region.end.min(other.end);
            if regions.iter().any(meets) {
                self.errors.insert((overlap, unit));
            }
            regions.push(region);
        }
        use MemoryPort::*;
        let ports = |family| (0..m.ports_of(family)).filter_map(move |lane| m.port(family, lane));
        let input = |family| ports(family).map(|k| channel(at.inputs[k], NEVER)).collect();
        let output = |family| ports(family).map(|k| channel(at.outputs[k], OPEN)).collect();
        let ports = (
            [input(LoadAddress), input(StoreAddress), input(StoreData)],
            [output(LoadData), output(LoadDone), output(StoreDone)],
        );
        self.push(id, Kind::Memory(Box::new(Memory::new(*m, regions, ports, unit))));
    }

    fn spatial_pe(&mut self, id: ComponentId, at: &FlatComponent, pe: &SpatialPe, unit: u32) {
        let index_width = self.fabric.index_width();
        let Some(config) = PeConfig::read(self.image, self.fabric, id) else {
            return;
        };
        let selected = |muxes: &[Mux], discards: bool| -> Vec<usize> {
            let port = |m: &Mux| match *m {
                Mux::Port(p) => Some(p),
                Mux::Discard(p) => discards.then_some(p),
                Mux::Disconnect => None,
            };
            muxes.iter().filter_map(port).collect()
        };
        let (from, to) = (selected(&config.inputs, true), selected(&config.outputs, false));
        let mut wrong_mux =
            from.iter().any(|&p| p >= pe.input_choices()) || to.iter().any(|&p| p >= pe.outputs.len());
        wrong_mux |= repeats(from.iter().copied()) || repeats(to.iter().copied());
        if wrong_mux {
            self.errors.insert((HwError::CfgPeMux, unit));
        }
        let Some(fu) = pe.fus.get(config.opcode) else {
            self.errors.insert((HwError::CfgPeOpcode, unit));
            return;
        };
        let parts = payload(fu, index_width);
        for (part, &value) in parts.iter().zip(&config.payload) {
            match part.kind {
                PayloadKind::Predicate if Predicate::from_code(value).is_none() => {
                    self.errors.insert((HwError::CfgCmpiPredicate, unit));
                    return;
                }
                PayloadKind::ContCond if ContCond::from_one_hot(value).is_none() => {
                    self.errors.insert((HwError::CfgStreamContCondOneHot, unit));
                    return;
                }
                _ => {}
            }
        }
        let set = parts.iter().zip(&config.payload).filter(|(p, _)| matches!(p.kind, PayloadKind::Select(_)));
        let Some(effective) = fu.under(&set.map(|(_, &value)| value as usize).collect::<Vec<_>>()) else {
            self.errors.insert((HwError::CfgPeMux, unit));
            return;
        };
        if wrong_mux {
            return;
        }
        for mux in &config.inputs {
            // Whatever else the PE does, tokens at a discarding port are taken.
            if let Mux::Discard(p) = *mux {
                let w = at.inputs.get(p).map_or(NEVER, |&c| channel(c, NEVER));
                self.wires[w as usize].ready = w != NEVER;
            }
        }
        let at_port = |mux: &Mux| match *mux {
            Mux::Port(p) => at.inputs.get(p).map_or(NEVER, |&c| channel(c, NEVER)),
            Mux::Discard(_) | Mux::Disconnect => NEVER,
        };
        let mut inputs: Vec<W> = config.inputs[..fu.inputs.len()].iter().map(at_port).collect();
        for (a, (input, mux)) in inputs.iter_mut().zip(&config.inputs).enumerate() {
            let Mux::Port(p) = *mux else { continue };
            if let Some(&bits) = p.checked_sub(pe.inputs.len()).and_then(|i| config.immediates.get(i)) {
                *input = self.wires.len() as W;
                self.wires.push(Wire::new(pe.immediate_width(index_width), 0));
                let with =
                    fu.taken_with(a, config.inputs.len()).into_iter().map(|b| at_port(&config.inputs[b]));
                let tokens = with.filter(|&w| w != NEVER).collect();
                self.push(id, Kind::Immediate(Immediate { tokens, output: *input, bits }));
            }
        }
        let outputs = self.unit_outputs(id, at, (pe, pe.buffers(fu)), &config.outputs[..fu.results.len()]);
        // From here on the unit is what its muxes leave of it; nobody takes a token of an input that it does not reach.
        let of_op = |p: PayloadField| {
            Some(PayloadField { op: effective.ops.iter().position(|&op| op == p.op)?, ..p })
        };
        let payload: Vec<(PayloadField, u64)> = parts
            .into_iter()
            .zip(&config.payload)
            .filter_map(|(p, &value)| Some((of_op(p)?, value)))
            .collect();
        let inputs = effective.inputs.iter().map(|&i| inputs[i]).collect();
        let first = effective.unit.body.first().and_then(|op| op.kind.op());
        let kind = self.unit(&effective, inputs, outputs, &payload, unit);
        match first.zip(kind) {
            Some((op, kind)) => {
                self.pes.push((id, op));
                self.push(id, kind);
            }
            None => self.refuse(
                Diagnostic::error(
                    codes::UNSUPPORTED,
                    format!("the body of `{}` in `{}` is none the hardware has", fu.name, at.path),
                )
                .help("a body is arithmetic only, or one steering op or state machine with every port used once"),
            ),
        }
    }

    /// The wires of the active unit's outputs, which may have buffers.
    fn unit_outputs(
        &mut self,
        id: ComponentId,
        at: &FlatComponent,
        (pe, buffered): (&SpatialPe, bool),
        demuxes: &[Mux],
    ) -> Vec<W> {
        let wire = |demux: &Mux| match *demux {
            Mux::Disconnect => OPEN,
            Mux::Discard(_) => DRAIN,
            Mux::Port(q) => {
                let port = channel(at.outputs[q], OPEN);
                if !buffered {
                    return port;
                }
                let buffer = self.wires.len() as W;
                self.wires.push(Wire::new(pe.outputs[q].width, 0));
                let queue = VecDeque::new();
                let fifo = Fifo { input: buffer, output: port, depth: 2, falls: false, queue };
                self.push(id, Kind::Fifo(fifo));
                buffer
            }
        };
        demuxes.iter().map(wire).collect()
    }

    /// The active unit's node; `None` when its body has none of the contract's forms.
    fn unit(
        &self,
        EffectiveUnit { unit: fu, inputs: numbers, .. }: &EffectiveUnit,
        inputs: Vec<W>,
        outputs: Vec<W>,
        payload: &[(PayloadField, u64)],
        unit: u32,
    ) -> Option<Kind> {
        let pe = self.pes.len() as u32;
        let width = |v: BodyValue| fu.value_type(v).width(self.fabric.index_width());
        let setting = |op: usize| payload.iter().find(|p| p.0.op == op).map_or(0, |p| p.1);
        let is_unsigned = || payload.iter().any(|&(p, value)| p.kind == PayloadKind::Unsigned && value == 1);
        if fu.body.is_empty() || outputs.len() > 32 {
            return None;
        }
        let kinds: Vec<OpKind> = fu.body.iter().map(|op| op.kind.op()).collect::<Option<_>>()?;
        if kinds.iter().all(|kind| kind.class() == Class::Arith) {
            let number = |v: BodyValue| match v {
                BodyValue::Input(i) => i as u16,
                BodyValue::Result { op, .. } => (fu.inputs.len() + op) as u16,
            };
            let ops = fu.body.iter().enumerate().map(|(i, op)| {
                let operand = |k: usize| number(*op.operands.get(k).unwrap_or(&op.operands[0]));
                // A select's first operand is its condition; only its result's width counts.
                AluOp {
                    form: kinds[i].form(),
                    float: float_op(kinds[i], setting(i), fu.value_type(op.operands[0]), op.results[0]),
                    predicate: Predicate::from_code(setting(i)).unwrap_or(Predicate::Eq),
                    operands: [operand(0), operand(1), operand(2)],
                    width_in: width(op.operands[0]),
                    width_out: op.results[0].width(self.fabric.index_width()),
                }
            });
            let program =
                Program { ops: ops.collect(), outputs: fu.results.iter().map(|&v| number(v)).collect() };
            let interval = u32::try_from(fu.interval).ok().filter(|&t| t >= 1)?;
            let mut latency = usize::try_from(fu.latency).ok()?;
            let (mut shown_from, mut leaves_out) = (u32::MAX, None);
            if fu.body.iter().any(|op| op.kind.is_iterative()) {
                if fu.body.len() > 1 {
                    return None;
                }
                shown_from = interval.checked_sub(latency as u32)?;
                // A legal unit has a cycle more than it works at most.
                if fu.interval < fu.least_digit_time(self.fabric.index_width())? {
                    return None;
                }
                leaves_out = Some((kinds[0], fu.value_type(fu.body[0].operands[0])));
                latency = 1;
            }
            return Some(Kind::Plain(Box::new(Plain {
                masks: fu
                    .inputs
                    .iter()
                    .map(|t| truncate(u64::MAX, t.width(self.fabric.index_width())))
                    .collect(),
                values: vec![0; inputs.len() + program.ops.len()],
                numbers: numbers.clone(),
                inputs,
                outputs,
                program,
                latency,
                interval,
                counter: 0,
                shown_from,
                leaves_out,
                done: 0,
                stages: vec![false; latency],
                held: vec![0; latency * fu.results.len()],
                moving: vec![false; latency],
                fire: false,
                offers: false,
                pe,
            })));
        }
        // One op; its ports may stand in another order than the unit's.
        let [op] = fu.body.as_slice() else { return None };
        let used: Vec<usize> =
            op.operands.iter().map(|v| if let BodyValue::Input(i) = *v { i } else { usize::MAX }).collect();
        if used.iter().any(|&i| i >= inputs.len()) || repeats(used.iter().copied()) {
            return None;
        }
        let masks = op.operands.iter().map(|&v| truncate(u64::MAX, width(v))).collect();
        let inputs: Vec<W> = used.iter().map(|&i| inputs[i]).collect();
        let mut to = Vec::new();
        for r in 0..op.results.len() {
            let shown: Vec<usize> = (0..outputs.len())
                .filter(|&b| fu.results[b] == BodyValue::Result { op: 0, result: r })
                .collect();
            let [b] = shown.as_slice() else { return None };
            to.push(outputs[*b]);
        }
        let (outputs, value) = (to, setting(0));
        let kind = match kinds[0].form() {
            Form::Steer(SteerOp::Constant) => Ok(SteerKind::Constant(value)),
            Form::Steer(SteerOp::Join(_)) => Ok(SteerKind::Join(value)),
            Form::Steer(SteerOp::CondBr) => Ok(SteerKind::CondBr),
            Form::Steer(SteerOp::Mux(_)) => Ok(SteerKind::Mux),
            Form::Access(AccessOp::Load | AccessOp::Store) => Ok(SteerKind::Access),
            Form::State(StateOp::Stream(built)) => Err(MachineKind::Stream {
                counter: if is_unsigned() { built } else { Counter::signed(built.step_op) },
                cont_cond: ContCond::from_one_hot(value)?,
                width: width(op.operands[0]),
            }),
            Form::State(StateOp::Gate) => Err(MachineKind::Gate),
            Form::State(StateOp::Carry) => Err(MachineKind::Carry),
            Form::State(StateOp::Invariant) => Err(MachineKind::Invariant),
            Form::State(StateOp::CarryBr) => Err(MachineKind::CarryBr),
            Form::State(StateOp::InvariantBr) => Err(MachineKind::InvariantBr),
            Form::IntBinary(_)
            | Form::Division(_)
            | Form::IntUnary(_)
            | Form::IntCompare(_)
            | Form::Choice(_)
            | Form::Cast(_)
            | Form::FloatBinary(_)
            | Form::FloatUnary(_)
            | Form::Elementary(_)
            | Form::FloatTernary(_)
            | Form::FloatCompare(_)
            | Form::Memory(_) => return None,
        };
        Some(match kind {
            Ok(kind) => Kind::Steer(Box::new(Steer { kind, inputs, masks, outputs, fire: false, pe })),
            Err(kind) => Kind::Machine(Box::new(Machine {
                kind,
                inputs,
                masks,
                outputs,
                running: false,
                stream: StreamState::default(),
                stored: 0,
                act: Act::default(),
                unit,
                pe,
            })),
        })
    }
}

/// `tile.instance out2`, or `fabric input in0`.
pub(super) fn source_name(fabric: &Fabric, source: loom_adg::SourcePort) -> String {
    match source {
        loom_adg::SourcePort::Boundary(k) => format!("fabric input `{}`", fabric.adg().top.inputs[k].name),
        loom_adg::SourcePort::Port(c, port) => format!("`{}` output {port}", fabric.path(c)),
    }
}

/// `tile.instance in2`, or `fabric output out0`.
pub(super) fn sink_name(fabric: &Fabric, sink: loom_adg::SinkPort) -> String {
    match sink {
        loom_adg::SinkPort::Boundary(k) => format!("fabric output `{}`", fabric.adg().top.outputs[k].name),
        loom_adg::SinkPort::Port(c, port) => format!("`{}` input {port}", fabric.path(c)),
    }
}

/// Whether a source makes tokens: not a FIFO or whole switch, which carry on what came to them.
pub(super) fn makes(fabric: &Fabric, source: loom_adg::SourcePort) -> bool {
    let loom_adg::SourcePort::Port(c, _) = source else { return true };
    match fabric.component(c) {
        Component::Fifo(_) => false,
        Component::SpatialSw(sw) => sw.decomposable_bits.is_some(),
        _ => true,
    }
}

fn repeats<T: Ord>(items: impl Iterator<Item = T>) -> bool {
    let mut seen = BTreeSet::new();
    !items.into_iter().all(|item| seen.insert(item))
}
