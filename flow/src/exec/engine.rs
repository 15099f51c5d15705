//! What calls go to: the golden model of each function's graph, or a fabric, as native model or Verilog, with a bitstream for each
//! function.
//!
//! The fabric's bus has 32 address bits and a process 64. Between them stands what a system-on-chip has there: an IOMMU,
//! which adds to an address the origin that belongs to (master, ID), that is, to a region; the origin is the pointer of the call. So
//! regions begin at 0 in every bitstream, and each reaches 4 GiB from its pointer on.

use super::apart::Touched;
use super::bounds::CallBounds;
use super::fault::{BusError, Fault};
use super::function::{place, Activation, Function};
use super::on_chip::OnChip;
use super::process::ProcessMemory;
use crate::bounds::LeastCycles;
use crate::configured::Configured;
use crate::contents::Contents;
use crate::host::{fill_scratchpads, regions};
use loom_adg::{HwError, Unit};
use loom_base::{truncate, Diagnostics};
use loom_cosim::FabricModel;
use loom_dfg::graph::{MemoryId, NodeId};
use loom_dfg::interp::{self, describe_node, Memories, Storage};
use loom_dfg::op::Ports;
use loom_dfg::{Op, OpKind};
use loom_map::memory::{access, STORE};
use loom_sim::axi::{AxiOptions, Requester, Subordinate};
use loom_sim::{Limits, NativeModel, OutputToken, PeActivity, Stimulus, Stop};
use std::collections::BTreeMap;
use std::ops::Range;

/// What a call came to.
#[derive(Default)]
pub(super) struct Returned {
    /// The numbers that it gives.
    pub results: Vec<u64>,
    /// `None` of the golden model, which knows no time.
    pub cycles: Option<u64>,
    /// Of the native model: what each active PE did.
    pub fires: Vec<PeActivity>,
    /// What the graph did in software; of the golden model nobody needs it.
    pub software: Option<interp::Outcome>,
    /// What bounds the cycles.
    pub least: LeastCycles,
}

impl Returned {
    fn within(self, (software, least): (interp::Outcome, LeastCycles)) -> Returned {
        Returned { software: Some(software), least, ..self }
    }
}

/// Cycles after which a process's memory answers.
pub(super) fn memory_latency() -> u32 {
    AxiOptions::default().latency
}

/// The model of all functions, numbered as their stubs are.
pub(super) enum Engine {
    Golden(Vec<Golden>),
    Native(Vec<(OnFabric, NativeModel)>),
    Verilog { functions: Vec<OnFabric>, model: Box<FabricModel>, loaded: Option<usize>, loads: u64 },
}

impl Engine {
    /// The golden model of graphs.
    pub fn golden(functions: &[Function], index_width: u32) -> Engine {
        let one = |f: &Function| Golden { on_chip: Memories::new(f.graph(), Vec::new()), index_width };
        Engine::Golden(functions.iter().map(one).collect())
    }

    /// The native model of each configuration.
    pub fn native(configured: &[Configured]) -> Result<Engine, Diagnostics> {
        Ok(Engine::Native(configured.iter().map(native).collect::<Result<_, _>>()?))
    }

    /// One Verilog for all.
    pub fn verilog(configured: &[Configured], model: Box<FabricModel>) -> Engine {
        let functions = configured.iter().map(OnFabric::new).collect();
        Engine::Verilog { functions, model, loaded: None, loads: 0 }
    }

    /// How often a bitstream was loaded.
    pub fn loads(&self) -> Option<u64> {
        match self {
            Engine::Golden(_) => None,
            Engine::Native(list) => Some(list.len() as u64),
            Engine::Verilog { loads, .. } => Some(*loads),
        }
    }

    /// A function on the fabric.
    pub fn on_fabric(&self, number: usize) -> Option<&OnFabric> {
        match self {
            Engine::Golden(_) => None,
            Engine::Native(list) => list.get(number).map(|(on, _)| on),
            Engine::Verilog { functions, .. } => functions.get(number),
        }
    }

    /// Its configuration.
    pub fn configured(&self, number: usize) -> Option<&Configured> {
        self.on_fabric(number).map(|on| &on.configured)
    }

    /// Another mapping for a function: what its calls left in memory on chip is gone, which no program asks for.
    pub fn replace(&mut self, number: usize, configured: &Configured) -> Result<(), Diagnostics> {
        match self {
            Engine::Golden(_) => {}
            Engine::Native(list) => list[number] = native(configured)?,
            Engine::Verilog { functions, loaded, .. } => {
                functions[number] = OnFabric::new(configured);
                // The next call loads the image of this one.
                *loaded = loaded.filter(|&other| other != number);
            }
        }
        Ok(())
    }

    /// Performs a call. The outer error is one of loading.
    pub fn call(
        &mut self,
        number: usize,
        function: &Function,
        activation: &Activation,
        memory: &mut ProcessMemory,
        max_cycles: u64,
    ) -> Result<Result<Returned, Fault>, Diagnostics> {
        let limits = Limits { max_cycles, ..Limits::default() };
        match self {
            Engine::Golden(list) => Ok(list[number].call(function, activation, memory, max_cycles)),
            Engine::Native(list) => {
                let (on, model) = &mut list[number];
                let bounds = on.bounds.of_call(function, activation, memory, max_cycles);
                Ok(bounds.and_then(|bounds| {
                    Ok(on.native(model, function, activation, memory, &limits)?.within(bounds))
                }))
            }
            Engine::Verilog { functions, model, loaded, loads } => {
                let on = &mut functions[number];
                if *loaded != Some(number) {
                    let Configured { fabric, image, .. } = &on.configured;
                    on.contents.verilog(fabric, image, &AxiOptions::default(), model)?;
                    *loaded = Some(number);
                    *loads += 1;
                }
                let bounds = on.bounds.of_call(function, activation, memory, max_cycles);
                Ok(bounds.and_then(|bounds| {
                    Ok(on.verilog(model, function, activation, memory, &limits)?.within(bounds))
                }))
            }
        }
    }
}

/// The native model of a configuration.
pub(super) fn native(configured: &Configured) -> Result<(OnFabric, NativeModel), Diagnostics> {
    let on = OnFabric::new(configured);
    let model = on.contents.native(&configured.fabric, &configured.image, &AxiOptions::default())?;
    Ok((on, model))
}

/// A graph in the golden model.
pub(super) struct Golden {
    /// Memories on chip; the others are empty.
    on_chip: Memories,
    index_width: u32,
}

impl Golden {
    fn call(
        &mut self,
        function: &Function,
        activation: &Activation,
        memory: &mut ProcessMemory,
        max_steps: u64,
    ) -> Result<Returned, Fault> {
        let graph = function.graph();
        let index_width = self.index_width;
        let on_chip = OnChip::new(function, &mut self.on_chip, index_width);
        let touched = function.touched();
        let (fault, beyond) = (None, None);
        let mut storage =
            ProcessStorage { function, activation, memory, on_chip, index_width, touched, fault, beyond };
        let options = golden_options(index_width, max_steps);
        let run = interp::run_with_memories(graph, &activation.inputs, &mut storage, &options);
        if let Some(fault) = storage.on_chip.outside.or(storage.fault.map(Fault::Bus)) {
            return Err(fault);
        }
        match run.stop {
            interp::RunEnd::RuntimeError { error, code, node } => {
                let (name, code) = (error.to_string(), code as u16);
                let at = describe_node(graph, node);
                let span = storage.beyond.or(graph.node(node).span.clone());
                return Err(Fault::Error { name, code, at, span });
            }
            interp::RunEnd::BudgetExhausted => return Err(Fault::Budget(max_steps, "steps")),
            interp::RunEnd::Quiet => {}
        }
        if run.outputs.iter().any(Vec::is_empty) {
            return Err(Fault::Deadlock(run.waiting.iter().map(|w| w.describe(graph)).collect()));
        }
        if !run.leftover.is_empty() {
            return Err(Fault::Leftover(run.leftover.iter().map(|l| l.describe(graph)).collect()));
        }
        let first: Vec<Option<u64>> = run.outputs.iter().map(|o| o.first().copied()).collect();
        Ok(Returned { results: function.results(&first), cycles: None, ..Returned::default() })
    }
}

/// How graphs run here: to the first thing that is wrong.
pub(super) fn golden_options(index_width: u32, max_steps: u64) -> interp::InterpOptions {
    interp::InterpOptions { index_width, max_steps, stop_at_error: true, ..Default::default() }
}

/// The process's memory as a graph addresses it: by memory and word.
struct ProcessStorage<'a> {
    function: &'a Function,
    activation: &'a Activation,
    memory: &'a mut ProcessMemory,
    on_chip: OnChip<'a>,
    index_width: u32,
    touched: Touched<'a>,
    fault: Option<BusError>,
    /// The access whose address the fabric's bus does not have.
    beyond: Option<Range<usize>>,
}

impl ProcessStorage<'_> {
    fn at(&self, id: MemoryId, index: u64) -> Option<(u64, usize)> {
        self.function.word_at(self.activation, id, index, self.index_width)
    }

    fn span(&self, id: MemoryId, store: bool, port: usize) -> Option<Range<usize>> {
        self.function.access_span(id, store, port)
    }

    /// Notes an access, whether the process could do it or not. Gives what it reads where nothing is wrong.
    fn seen<T>(
        &mut self,
        id: MemoryId,
        store: bool,
        port: usize,
        at: (u64, usize),
        done: Option<T>,
    ) -> Option<T> {
        let other = self.touched.touch(id, store, at.0, at.1);
        if done.is_some() && other.is_none() {
            return done;
        }
        let other = other.filter(|_| done.is_some());
        let (span, origin) = (self.span(id, store, port), self.activation.origins[id.0 as usize]);
        self.fault.get_or_insert(BusError { memory: id, store, address: at.0, origin, other, span });
        None
    }
}

impl Storage for ProcessStorage<'_> {
    fn load(&mut self, id: MemoryId, port: usize, index: u64) -> Option<u64> {
        if self.function.is_on_chip(id) {
            return self.on_chip.load(id, port, index);
        }
        let Some(at) = self.at(id, index) else {
            self.beyond = self.span(id, false, port);
            return None;
        };
        let word = self.memory.read(at.0, at.1);
        let width = self.function.graph().memory(id).element.width(self.index_width);
        self.seen(id, false, port, at, word).map(|w| truncate(w, width))
    }

    fn store(&mut self, id: MemoryId, port: usize, index: u64, word: u64) -> bool {
        if self.function.is_on_chip(id) {
            return self.on_chip.store(id, port, index, word);
        }
        let Some(at) = self.at(id, index) else {
            self.beyond = self.span(id, true, port);
            return false;
        };
        let done = self.memory.write(at.0, at.1, word).then_some(());
        self.seen(id, true, port, at, done).is_some()
    }
}

/// A function's configuration, and what its parts are in the source.
pub(super) struct OnFabric {
    pub configured: Configured,
    /// By master and lane: which memory is there.
    memory_at: BTreeMap<(usize, u32), MemoryId>,
    /// What scratchpads start with.
    contents: Contents,
    pub bounds: CallBounds,
}

impl OnFabric {
    fn new(configured: &Configured) -> OnFabric {
        let graph = configured.graph();
        let regions = regions(configured);
        let masters = &configured.fabric.ports().masters;
        let mut memory_at = BTreeMap::new();
        for r in &regions {
            if let Some(master) = masters.iter().position(|m| m.component == r.component) {
                memory_at.extend((r.start..r.end).map(|lane| ((master, lane as u32), r.memory)));
            }
        }
        let mut contents = Contents::default();
        fill_scratchpads(&mut contents, graph, &regions, &Memories::new(graph, Vec::new()));
        let bounds = CallBounds::new(configured, memory_latency());
        OnFabric { configured: configured.clone(), memory_at, contents, bounds }
    }

    /// Where a request at a bus goes in the process: the memory, and the address.
    pub fn translate(
        &self,
        activation: &Activation,
        from: Requester,
        address: u32,
    ) -> Option<(MemoryId, u64)> {
        let memory = *self.memory_at.get(&(from.master, from.id))?;
        Some((memory, activation.origins[memory.0 as usize].wrapping_add(address.into())))
    }

    /// The tokens of a call.
    pub fn stimulus(&self, activation: &Activation) -> Stimulus {
        let results = vec![1; self.configured.graph().outputs.len()];
        self.configured.stimulus_of(&activation.inputs, &results)
    }

    fn native(
        &self,
        model: &mut NativeModel,
        function: &Function,
        activation: &Activation,
        memory: &mut ProcessMemory,
        limits: &Limits,
    ) -> Result<Returned, Fault> {
        let mut iommu = Iommu { on: self, activation, memory, touched: function.touched(), fault: None };
        let trace = model.activate(&mut iommu, &self.stimulus(activation), limits);
        if let Some(fault) = iommu.fault.map(Fault::Bus).or(trace.error.map(|(e, u)| self.error(e, u))) {
            return Err(fault);
        }
        if !trace.completed {
            let waiting = trace.waiting.iter().map(|w| format!("{} -> {}: {}", w.from, w.to, w.why));
            return Err(match trace.stop {
                Stop::Deadlock => Fault::Deadlock(waiting.collect()),
                Stop::BudgetExhausted | Stop::Complete => Fault::Budget(limits.max_cycles, "cycles"),
            });
        }
        if !trace.leftover.is_empty() || !trace.idle {
            return Err(Fault::Leftover(trace.leftover));
        }
        let results = self.results(function, &trace.outputs);
        Ok(Returned { results, cycles: Some(trace.cycles), fires: trace.fires, ..Returned::default() })
    }

    fn verilog(
        &self,
        model: &mut FabricModel,
        function: &Function,
        activation: &Activation,
        memory: &mut ProcessMemory,
        limits: &Limits,
    ) -> Result<Returned, Fault> {
        let mut iommu = Iommu { on: self, activation, memory, touched: function.touched(), fault: None };
        let trace = model.activate(&mut iommu, &self.stimulus(activation), limits);
        let error = trace.error.map(|(code, unit)| match HwError::from_code(code) {
            Some(error) => self.error(error, Unit(unit.into())),
            None => Fault::Error { name: "an error".into(), code, at: format!("unit {unit}"), span: None },
        });
        if let Some(fault) = iommu.fault.map(Fault::Bus).or(error) {
            return Err(fault);
        }
        if !trace.completed {
            return Err(Fault::Budget(limits.max_cycles, "cycles"));
        }
        if !trace.idle || trace.broken_rule.is_some() {
            let rule = trace.broken_rule.unwrap_or("`idle` is low after the call".into());
            return Err(Fault::Leftover(vec![rule]));
        }
        let results = self.results(function, &trace.outputs);
        Ok(Returned { results, cycles: Some(trace.cycles), ..Returned::default() })
    }

    /// The results among the tokens at the fabric's outputs.
    fn results(&self, function: &Function, tokens: &[Vec<OutputToken>]) -> Vec<u64> {
        let graph = self.configured.graph();
        let one = |(output, &k): (&loom_dfg::graph::Output, &usize)| {
            let width = graph.value(output.value).ty.width(self.configured.fabric.index_width());
            tokens[k].first().map(|t| truncate(t.data, width))
        };
        let outputs: Vec<Option<u64>> =
            graph.outputs.iter().zip(&self.configured.mapped.mapping.outputs).map(one).collect();
        function.results(&outputs)
    }

    /// A run-time error with the place of what runs on its unit.
    fn error(&self, error: HwError, unit: Unit) -> Fault {
        let fabric = &self.configured.fabric;
        let component = fabric.units().get(unit.0 as usize);
        let placements = self.configured.mapped.mapping.placements.iter().enumerate();
        let mut there = placements.filter(|(_, p)| Some(&p.component) == component).map(|(n, _)| n);
        let span = there.find_map(|n| self.span(n));
        let at = format!("{} (unit {})", fabric.unit_path(unit), unit.0);
        Fault::Error { name: error.name().into(), code: error.code(), at, span }
    }

    /// Where a node of the netlist stands in the source.
    fn span(&self, n: usize) -> Option<Range<usize>> {
        let node = &self.configured.netlist.nodes[n];
        match access_ports(node.op) {
            Some((ports, store)) => place(&self.configured.netlist, NodeId(n as u32), ports, store, 0),
            None => node.span.clone(),
        }
    }
}

/// The one port of an access in a netlist, and whether it stores.
fn access_ports(op: Op) -> Option<(Ports, bool)> {
    match op {
        Op::Memory(_, OpKind::Memory(ports) | OpKind::Extmemory(ports)) => Some((ports, ports.stores > 0)),
        _ => None,
    }
}

/// The process's memory behind a fabric's masters.
struct Iommu<'a> {
    on: &'a OnFabric,
    activation: &'a Activation,
    memory: &'a mut ProcessMemory,
    touched: Touched<'a>,
    fault: Option<BusError>,
}

impl Iommu<'_> {
    /// Notes an access, whether the process could do it or not. Gives what it reads where nothing is wrong.
    fn seen<T>(
        &mut self,
        from: Requester,
        store: bool,
        (memory, address, count): (MemoryId, u64, usize),
        done: Option<T>,
    ) -> Option<T> {
        let other = self.touched.touch(memory, store, address, count);
        if done.is_some() && other.is_none() {
            return done;
        }
        let on = self.on;
        let component = on.configured.fabric.ports().masters[from.master].component;
        let lane = from.id as usize + if store { STORE } else { 0 };
        let placements = &on.configured.mapped.mapping.placements;
        let is_it = |n: &usize| {
            let p = &placements[*n];
            access(on.configured.netlist.nodes[*n].op).is_some() && (p.component, p.fu) == (component, lane)
        };
        let span = (0..placements.len()).find(is_it).and_then(|n| on.span(n));
        let origin = self.activation.origins[memory.0 as usize];
        let other = other.filter(|_| done.is_some());
        self.fault.get_or_insert(BusError { memory, store, address, origin, other, span });
        None
    }
}

impl Subordinate for Iommu<'_> {
    fn read(&mut self, from: Requester, address: u32, count: usize) -> Option<u64> {
        let (memory, address) = self.on.translate(self.activation, from, address)?;
        let value = self.memory.read(address, count);
        self.seen(from, false, (memory, address, count), value)
    }

    fn write(&mut self, from: Requester, address: u32, count: usize, value: u64) -> bool {
        let Some((memory, address)) = self.on.translate(self.activation, from, address) else { return false };
        let done = self.memory.write(address, count, value).then_some(());
        self.seen(from, true, (memory, address, count), done).is_some()
    }
}
