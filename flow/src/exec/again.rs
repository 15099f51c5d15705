//! A function that is mapped a second time, when its first calls tell what it does: how often its loops turn, and which way its branches
//! go. The call that tells enough runs on a model with both mappings, and the one that takes fewer cycles serves it and all later ones.
//!
//! Guarantees: the same program, input and options give the same bytes; the process does not notice. Refuses nothing: a call that goes wrong, or
//! takes long, and a function that is not routed again, leave the mapping that was there.

use super::engine::{native, Engine, OnFabric};
use super::foreseen::ForeseenMemory;
use super::function::{Activation, Function};
use super::process::ProcessMemory;
use crate::configured::Configured;
use loom_base::Diagnostics;
use loom_dfg::{Graph, Profile};
use loom_map::timing::finished::Finished;
use loom_map::MapOptions;
use loom_sim::axi::{Requester, Subordinate};
use loom_sim::Limits;

/// Cycles after which a call that is tried takes too long.
const TRIED: u64 = 1 << 20;

/// Firings of each op, on average, that tell enough: as many as turns that a loop is taken to make of which nothing is known.
const ENOUGH: u64 = 16;

/// Told the number of a function and what its conditions say in its first calls, gives it mapped anew, where that is worth trying.
pub type Again<'a> = &'a mut dyn FnMut(usize, Profile) -> Option<Configured>;

/// What the calls of a function did, until they have told enough.
#[derive(Default)]
pub(super) struct Watched {
    profile: Profile,
    firings: u64,
    is_done: bool,
}

/// A call that is to come.
pub(super) struct NextCall<'a> {
    /// Number of the function.
    pub number: usize,
    pub function: &'a Function,
    pub activation: &'a Activation,
}

impl Watched {
    /// Looks at a call, and where that tells enough gives the function another mapping if the call takes fewer cycles on it; whether it does.
    pub fn look(
        &mut self,
        call: &NextCall,
        engine: &mut Engine,
        memory: &mut ProcessMemory,
        map: &mut dyn FnMut(usize, Profile) -> Option<Configured>,
    ) -> Result<bool, Diagnostics> {
        let Some(on) = engine.on_fabric(call.number).filter(|_| !self.is_done) else { return Ok(false) };
        self.is_done = true;
        let Some(run) = on.bounds.foreseen(call.function, call.activation, memory) else { return Ok(false) };
        let graph = on.configured.graph();
        self.profile.add(run.profile(graph));
        self.firings += run.firings.iter().sum::<u64>();
        if self.profile.is_empty() || self.firings < ENOUGH * graph.nodes.len() as u64 {
            self.is_done = false;
            return Ok(false);
        }
        let Some(new) = map(call.number, std::mem::take(&mut self.profile)) else { return Ok(false) };
        let (now, then) = (call.cycles(&on.configured, memory)?, call.cycles(&new, memory)?);
        let is_faster = now.zip(then).is_some_and(|(now, then)| then < now);
        if is_faster {
            engine.replace(call.number, &new)?;
        }
        Ok(is_faster)
    }
}

impl NextCall<'_> {
    /// Cycles of the call; none where it does not come to its end within [`TRIED`].
    fn cycles(
        &self,
        configured: &Configured,
        memory: &mut ProcessMemory,
    ) -> Result<Option<u64>, Diagnostics> {
        let (on, mut model) = native(configured)?;
        let stimulus = on.stimulus(self.activation);
        let mut bus = Bus { on: &on, activation: self.activation, memory: ForeseenMemory::new(memory) };
        let limits = Limits { max_cycles: TRIED, ..Limits::default() };
        let trace = model.activate(&mut bus, &stimulus, &limits);
        Ok((trace.completed && trace.error.is_none()).then_some(trace.cycles))
    }
}

/// Memory as the call would leave it, behind a fabric's masters.
struct Bus<'a> {
    on: &'a OnFabric,
    activation: &'a Activation,
    memory: ForeseenMemory<'a>,
}

impl Subordinate for Bus<'_> {
    fn read(&mut self, from: Requester, address: u32, count: usize) -> Option<u64> {
        let (_, address) = self.on.translate(self.activation, from, address)?;
        self.memory.read(address, count)
    }

    fn write(&mut self, from: Requester, address: u32, count: usize, value: u64) -> bool {
        let Some((_, address)) = self.on.translate(self.activation, from, address) else { return false };
        self.memory.write(address, count, value);
        true
    }
}

impl Configured {
    /// Maps a kernel anew that does what a profile says; none where that is not expected to take fewer cycles.
    pub fn mapped_for(
        &self,
        profile: Profile,
        options: &MapOptions,
        progress: &mut dyn FnMut(&str, f64),
    ) -> Option<Configured> {
        let mut kernel = self.kernel.clone();
        kernel.graph.profile = profile;
        let now = self.expected_of(&kernel.graph, options.memory_latency)?;
        let again = Configured::try_map(kernel, &self.fabric, options, progress).ok()?;
        (again.mapped.timing.expected < now).then_some(again)
    }

    /// Cycles that this mapping is expected to take, of a graph that differs in its profile only.
    fn expected_of(&self, graph: &Graph, memory_latency: u32) -> Option<f64> {
        let netlist = Graph { profile: graph.profile.clone(), ..self.netlist.clone() };
        let finished = Finished::new(&netlist, &self.fabric, &self.mapped.mapping, memory_latency)?;
        let problem = finished.problem().ok()?;
        Some(finished.timing(&problem).expected)
    }
}
