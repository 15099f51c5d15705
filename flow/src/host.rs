//! The host's part in a run with memory: buffers for argument memories, their addresses in the image, contents of
//! scratchpads before the run, and everything read back after it.
//!
//! Guarantees: what is read back has the shape of the golden model's memories, so that they compare word by word.

use crate::configured::Configured;
use crate::contents::{to_bytes, to_words, Contents};
use loom_adg::layout::FieldKind;
use loom_adg::Image;
use loom_dfg::graph::{MemoryId, MemoryPlace};
use loom_dfg::interp::Memories;
use loom_dfg::Graph;
use loom_map::memory::{self, element_size_log2, LaneRegion};
use loom_sim::Case;

/// A run's memory before it starts.
pub struct Host {
    /// The image with the addresses of external memories.
    pub image: Image,
    /// Argument memories, and scratchpads that hold something the graph uses.
    pub contents: Contents,
    /// Index of each buffer of [`Memories::buffers`] in `memory`; `None` for those of private memories.
    buffer_at: Vec<Option<usize>>,
    regions: Vec<LaneRegion>,
    start: Memories,
    /// Bytes of a word, by buffer.
    word_bytes: Vec<usize>,
}

/// Which memory lives in which lanes of which interface.
pub(crate) fn regions(configured: &Configured) -> Vec<LaneRegion> {
    let net = &configured.netlist;
    let accesses = memory::accesses(net, &configured.mapped.mapping);
    // A mapping that was accepted has regions without conflicts.
    memory::regions(net, &configured.fabric, &accesses).unwrap_or_default()
}

/// Puts what memories on chip start with into their scratchpads.
pub(crate) fn fill_scratchpads(
    contents: &mut Contents,
    graph: &Graph,
    regions: &[LaneRegion],
    start: &Memories,
) {
    let is_private = |r: &&LaneRegion| matches!(graph.memory(r.memory).place, MemoryPlace::Private { .. });
    for r in regions.iter().filter(is_private) {
        contents.fill(r.component, r.offset as usize, &to_bytes(start.words(r.memory), 1 << r.size));
    }
}

impl Host {
    /// Buffers and contents for a case.
    pub fn new(configured: &Configured, case: &Case) -> Host {
        let (graph, fabric) = (configured.graph(), &configured.fabric);
        let iw = fabric.index_width();
        let start = case.memories(graph);
        let mut image = configured.image.clone();
        let mut contents = Contents::default();
        let mut word_bytes = vec![1; start.buffers.len()];
        let mut private = vec![false; start.buffers.len()];
        for (m, binding) in graph.memories.iter().zip(&start.bindings) {
            word_bytes[binding.buffer] = 1 << element_size_log2(m.element, iw);
            private[binding.buffer] = matches!(m.place, MemoryPlace::Private { .. });
        }
        let mut buffer_at = Vec::new();
        let mut count = 0;
        for (b, words) in start.buffers.iter().enumerate() {
            if private[b] {
                buffer_at.push(None);
                continue;
            }
            contents.memory.add(to_bytes(words, word_bytes[b]));
            buffer_at.push(Some(count));
            count += 1;
        }
        let regions = regions(configured);
        for r in &regions {
            let binding = start.bindings[r.memory.0 as usize];
            if let Some(at) = buffer_at[binding.buffer] {
                let base = contents.memory.base(at) + ((binding.offset as u32) << r.size);
                image.set(fabric, r.component, FieldKind::RegionOffset(r.region), base.into());
            }
        }
        fill_scratchpads(&mut contents, graph, &regions, &start);
        Host { image, contents, buffer_at, regions, start, word_bytes }
    }

    /// The graph's memories in what a run left.
    pub fn after(&self, left: &Contents) -> Memories {
        let mut memories = self.start.clone();
        for (b, words) in memories.buffers.iter_mut().enumerate() {
            if let Some(at) = self.buffer_at[b] {
                *words = to_words(left.memory.bytes(at), self.word_bytes[b]);
            }
        }
        for r in &self.regions {
            let b = memories.bindings[r.memory.0 as usize].buffer;
            let at = r.offset as usize;
            let end = at + (memories.buffers[b].len() << r.size);
            if let Some(bytes) = left.pad(r.component).get(at..end) {
                memories.buffers[b] = to_words(bytes, 1 << r.size);
            }
        }
        memories
    }
}

/// How two memories of a graph differ, one line each.
pub fn differences(graph: &Graph, golden: &Memories, model: &str, other: &Memories) -> Vec<String> {
    let mut lines = Vec::new();
    for (m, record) in graph.memories.iter().enumerate() {
        let id = MemoryId(m as u32);
        let (want, got) = (golden.words(id), other.words(id));
        let differ: Vec<usize> =
            (0..want.len().max(got.len())).filter(|&i| want.get(i) != got.get(i)).collect();
        let Some(&at) = differ.first() else { continue };
        let show = |list: &[u64]| list.get(at).map_or("nothing".to_string(), |v| format!("{v:#x}"));
        lines.push(format!(
            "word {at} of memory `{}`: golden {}, {model} {} ({} words differ)",
            record.name,
            show(want),
            show(got),
            differ.len()
        ));
    }
    lines
}
