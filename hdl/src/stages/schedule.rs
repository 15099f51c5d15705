//! Which stage each operator stands in.

use super::graph::{Graph, Piece};
use std::collections::{BTreeMap, BTreeSet};

/// No stage has to be shorter than a sum of 32 bits: nothing beside the unit is, and registers cost more than they save.
const SHORTEST: u32 = 36;
/// The part of the shortest period that may be spent on fewer registers.
const SPARE: u32 = 10;

/// The stage of each node. Stages are numbered from 0 to `depth`; an operator reads earlier stages through registers.
pub(super) fn schedule(graph: &Graph, depth: usize) -> Vec<usize> {
    // The shortest period with which the stages suffice: a longer one needs no more of them.
    let (mut low, mut high) = (0, longest(graph));
    while low + 1 < high {
        let middle = (low + high) / 2;
        match earliest(graph, middle, depth) {
            Some(_) => high = middle,
            None => low = middle,
        }
    }
    let high = high.max(SHORTEST);
    let readers = Readers::new(graph);
    let with = |period| {
        let stages = earliest(graph, period, depth).expect("one stage is enough for the longest way");
        later(graph, &readers, stages, period, depth)
    };
    let bits = |stages: &Vec<usize>| -> u32 {
        (0..graph.nodes.len()).map(|n| readers.crossing(graph, n, stages, depth)).sum()
    };
    // A little more time may save many registers.
    let tried = (high..=high + high / SPARE).map(with);
    tried.min_by_key(bits).expect("one period at least")
}

/// The longest way without any cut.
fn longest(graph: &Graph) -> u32 {
    let times = times(graph, &vec![0; graph.nodes.len()]);
    times.into_iter().max().unwrap_or(0).max(1)
}

/// Every operator as early as its operands and the period let it; `None` where the stages do not suffice.
fn earliest(graph: &Graph, period: u32, depth: usize) -> Option<Vec<usize>> {
    let mut stages = vec![0; graph.nodes.len()];
    let mut times = vec![0; graph.nodes.len()];
    for n in 0..graph.nodes.len() {
        let reads = &graph.reads[n];
        let stage = reads.iter().map(|p| stages[p.node]).max().unwrap_or(0);
        (stages[n], times[n]) = (stage, time(reads, stage, &stages, &times));
        if times[n] > period {
            // Behind one more level of registers, where all operands stand at once.
            (stages[n], times[n]) = (stage + 1, reads.iter().map(|p| p.delay).max().unwrap_or(0));
        }
        if graph.live[n] && (times[n] > period || stages[n] > depth) {
            return None;
        }
    }
    Some(stages)
}

/// When an operator's result stands in its stage: operands of earlier stages are there from its beginning.
fn time(reads: &[Piece], stage: usize, stages: &[usize], times: &[u32]) -> u32 {
    let one = |p: &Piece| p.delay + if stages[p.node] == stage { times[p.node] } else { 0 };
    reads.iter().map(one).max().unwrap_or(0)
}

fn times(graph: &Graph, stages: &[usize]) -> Vec<u32> {
    let mut times = vec![0; graph.nodes.len()];
    for n in 0..graph.nodes.len() {
        times[n] = time(&graph.reads[n], stages[n], stages, &times);
    }
    times
}

/// Moves operators to later stages where fewer bits cross the cuts then: what makes one bit of two words stays late, what
/// makes a word of two stays early.
fn later(graph: &Graph, readers: &Readers, mut stages: Vec<usize>, period: u32, depth: usize) -> Vec<usize> {
    let mut times = times(graph, &stages);
    for n in (0..graph.nodes.len()).rev().filter(|&n| graph.live[n] && !graph.reads[n].is_empty()) {
        let last = readers.first_stage(n, &stages, depth);
        while stages[n] < last {
            let mut around: Vec<usize> = graph.reads[n].iter().map(|p| p.node).collect();
            around.push(n);
            around.sort_unstable();
            around.dedup();
            let bits = |stages: &[usize]| -> u32 {
                around.iter().map(|&b| readers.crossing(graph, b, stages, depth)).sum()
            };
            let before = bits(&stages);
            stages[n] += 1;
            let changed = readers.changed(graph, n, &stages, &times);
            if bits(&stages) >= before || changed.values().any(|&time| time > period) {
                stages[n] -= 1;
                break;
            }
            changed.into_iter().for_each(|(n, time)| times[n] = time);
        }
    }
    stages
}

/// By node: who reads which of its bits; a result reads in the last stage.
pub(super) struct Readers(Vec<Vec<(Option<usize>, u32, u32)>>);

impl Readers {
    pub fn new(graph: &Graph) -> Readers {
        let mut readers = vec![Vec::new(); graph.nodes.len()];
        for n in (0..graph.nodes.len()).filter(|&n| graph.live[n]) {
            for p in &graph.reads[n] {
                readers[p.node].push((Some(n), p.low, p.width));
            }
        }
        for p in graph.result_pieces() {
            readers[p.node].push((None, p.low, p.width));
        }
        Readers(readers)
    }

    /// Who reads a node, and which bits from where.
    pub fn of(&self, n: usize) -> &[(Option<usize>, u32, u32)] {
        &self.0[n]
    }

    fn first_stage(&self, n: usize, stages: &[usize], depth: usize) -> usize {
        self.0[n].iter().map(|(reader, ..)| reader.map_or(depth, |r| stages[r])).min().unwrap_or(depth)
    }

    /// By bit of a node: the last stage that reads it, if that is later than its own.
    pub fn last_stages(&self, graph: &Graph, n: usize, stages: &[usize], depth: usize) -> Vec<usize> {
        let mut last = vec![stages[n]; graph.nodes[n].width as usize];
        for &(reader, low, width) in &self.0[n] {
            let stage = reader.map_or(depth, |r| stages[r]);
            for bit in &mut last[low as usize..(low + width) as usize] {
                *bit = stage.max(*bit);
            }
        }
        last
    }

    /// Bits of registers that a node goes through.
    fn crossing(&self, graph: &Graph, n: usize, stages: &[usize], depth: usize) -> u32 {
        let last = self.last_stages(graph, n, stages, depth);
        last.into_iter().map(|stage| (stage - stages[n]) as u32).sum()
    }

    /// Times that are others since an operator came to its stage: its own, and those behind it in that stage.
    fn changed(&self, graph: &Graph, n: usize, stages: &[usize], times: &[u32]) -> BTreeMap<usize, u32> {
        let mut changed = BTreeMap::new();
        let mut todo = BTreeSet::from([n]);
        // Operands come before operators, so each is looked at once.
        while let Some(at) = todo.pop_first() {
            let one = |p: &Piece| match stages[p.node] == stages[at] {
                true => p.delay + changed.get(&p.node).unwrap_or(&times[p.node]),
                false => p.delay,
            };
            let time = graph.reads[at].iter().map(one).max().unwrap_or(0);
            if at == n || time != times[at] {
                changed.insert(at, time);
                let behind = self.0[at].iter().filter_map(|r| r.0);
                todo.extend(behind.filter(|&r| stages[r] == stages[n]));
            }
        }
        changed
    }
}
