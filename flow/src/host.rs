//! The host's part in a run with memory: buffers for argument memories, their addresses in the image, contents of
//! scratchpads before the run, and everything read back after it.
//!
//! Guarantees: both timed models start from the same bytes at the same addresses; what is read back has the shape of the
//! golden model's memories, so that they compare word by word.

use crate::configured::Configured;
use loom_adg::layout::FieldKind;
use loom_adg::{ComponentId, Image};
use loom_dfg::graph::{MemoryId, MemoryPlace};
use loom_dfg::interp::Memories;
use loom_dfg::Graph;
use loom_map::memory::{self, element_size_log2, LaneRegion};
use loom_map::netlist::netlist;
use loom_sim::axi::HostMemory;
use loom_sim::Case;

/// A run's memory before it starts.
pub struct Host {
    /// The image with the addresses of external memories.
    pub image: Image,
    /// Argument memories.
    pub memory: HostMemory,
    /// Scratchpads that hold something the graph uses, and their bytes.
    pub pads: Vec<(ComponentId, Vec<u8>)>,
    /// Index of each buffer of [`Memories::buffers`] in `memory`; `None` for those of private memories.
    buffer_at: Vec<Option<usize>>,
    regions: Vec<LaneRegion>,
    start: Memories,
    /// log2 of the bytes of a word, by buffer.
    size: Vec<u32>,
}

fn to_bytes(words: &[u64], size: u32) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes().into_iter().take(1 << size)).collect()
}

fn to_words(bytes: &[u8], size: u32) -> Vec<u64> {
    bytes.chunks(1 << size).map(|c| c.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b))).collect()
}

impl Host {
    /// Buffers and contents for a case.
    pub fn new(configured: &Configured, case: &Case) -> Host {
        let (graph, fabric) = (configured.graph(), &configured.fabric);
        let iw = fabric.index_width();
        let start = case.memories(graph);
        let mut image = configured.image.clone();
        let mut memory = HostMemory::new();
        let mut size = vec![0; start.buffers.len()];
        let mut private = vec![false; start.buffers.len()];
        for (m, binding) in graph.memories.iter().zip(&start.bindings) {
            size[binding.buffer] = element_size_log2(m.element, iw);
            private[binding.buffer] = matches!(m.place, MemoryPlace::Private { .. });
        }
        let mut buffer_at = Vec::new();
        let mut count = 0;
        for (b, words) in start.buffers.iter().enumerate() {
            if private[b] {
                buffer_at.push(None);
                continue;
            }
            memory.add(to_bytes(words, size[b]));
            buffer_at.push(Some(count));
            count += 1;
        }
        let net = netlist(graph);
        let accesses = memory::accesses(&net, &configured.mapped.mapping);
        let regions = memory::regions(&net, fabric, &accesses).unwrap_or_default();
        let mut pads: Vec<(ComponentId, Vec<u8>)> = Vec::new();
        for r in &regions {
            let binding = start.bindings[r.memory.0 as usize];
            match buffer_at[binding.buffer] {
                Some(at) => {
                    let base = memory.base(at) + ((binding.offset as u32) << r.size);
                    image.set(fabric, r.component, FieldKind::RegionOffset(r.region), base.into());
                }
                None => {
                    let bytes = to_bytes(&start.buffers[binding.buffer], r.size);
                    let at = pads.iter().position(|p| p.0 == r.component).unwrap_or_else(|| {
                        pads.push((r.component, Vec::new()));
                        pads.len() - 1
                    });
                    let contents = &mut pads[at].1;
                    let end = r.offset as usize + bytes.len();
                    contents.resize(contents.len().max(end), 0);
                    contents[r.offset as usize..end].copy_from_slice(&bytes);
                }
            }
        }
        Host { image, memory, pads, buffer_at, regions, start, size }
    }

    /// The memories after a run, from what the host finds in its buffers and the scratchpads.
    pub fn after(
        &self,
        memory: &HostMemory,
        mut pad: impl FnMut(ComponentId, usize) -> Option<Vec<u8>>,
    ) -> Memories {
        let mut memories = self.start.clone();
        for (b, words) in memories.buffers.iter_mut().enumerate() {
            if let Some(at) = self.buffer_at[b] {
                *words = to_words(memory.bytes(at), self.size[b]);
            }
        }
        for (component, before) in &self.pads {
            let Some(bytes) = pad(*component, before.len()) else { continue };
            for r in self.regions.iter().filter(|r| r.component == *component) {
                let b = memories.bindings[r.memory.0 as usize].buffer;
                let count = memories.buffers[b].len() << r.size;
                let at = r.offset as usize;
                if let Some(bytes) = bytes.get(at..at + count) {
                    memories.buffers[b] = to_words(bytes, r.size);
                }
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
