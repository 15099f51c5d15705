//! What accesses of memory cost by the interfaces they are at: one does one load and one store in a cycle, so an iteration takes as many
//! cycles as its loop has accesses of a kind at one interface. That counts as a recurrence of this length does.

use super::cost::CycleClass;
use crate::model::memory;
use crate::model::problem::Problem;
use loom_dfg::graph::MemoryId;

/// An access, as moves see it.
#[derive(Clone, Copy)]
pub(super) struct Access {
    /// What it accesses.
    pub memory: MemoryId,
    /// Number of its loop among those that have accesses.
    pace: usize,
}

/// How many accesses of each loop are at each port.
#[derive(Clone)]
pub(super) struct Ports {
    /// By item: the access that it is.
    accesses: Vec<Option<Access>>,
    /// By number of a loop: what so many cycles of its iterations cost.
    paces: Vec<CycleClass>,
    /// By port and loop.
    counts: Vec<u32>,
}

impl Ports {
    /// Nobody is anywhere.
    pub fn new(problem: &Problem, items: usize) -> Ports {
        let (graph, loops) = (problem.graph, &problem.loops);
        let mut of_pace = Vec::new();
        let access = |item: usize| {
            let (memory, ..) = memory::access(graph.nodes.get(item)?.op)?;
            let of = loops.nest.node(item);
            let pace = of_pace.iter().position(|&l| l == of).unwrap_or_else(|| {
                of_pace.push(of);
                of_pace.len() - 1
            });
            Some(Access { memory, pace })
        };
        let accesses = (0..items).map(access).collect();
        let paces: Vec<CycleClass> = of_pace.iter().map(|&l| CycleClass::new(loops, l, 1)).collect();
        let counts = vec![0; problem.resources.ports() * paces.len()];
        Ports { accesses, paces, counts }
    }

    /// The memory that an item accesses.
    pub fn memory(&self, item: usize) -> Option<MemoryId> {
        self.accesses[item].map(|a| a.memory)
    }

    /// An item comes to a port: what that costs.
    pub fn come(&mut self, item: usize, port: u32) -> u64 {
        self.change(item, port, |count| count + 1).map_or(0, |(before, after)| after - before)
    }

    /// An item leaves a port: what that saves.
    pub fn leave(&mut self, item: usize, port: u32) -> u64 {
        self.change(item, port, |count| count - 1).map_or(0, |(before, after)| before - after)
    }

    /// Changes a count; the cost before and after.
    fn change(&mut self, item: usize, port: u32, to: impl Fn(u32) -> u32) -> Option<(u64, u64)> {
        let pace = self.accesses[item]?.pace;
        let count = &mut self.counts[port as usize * self.paces.len() + pace];
        let before = std::mem::replace(count, to(*count));
        let cost = |count| if count == 0 { 0 } else { self.paces[pace].cost(count) };
        Some((cost(before), cost(*count)))
    }
}
