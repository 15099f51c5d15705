//! Memory interfaces: lanes in front of a scratchpad or of the host's memory.

use super::ChannelType;
use loom_base::choice_bits;

/// `memory` or `extmemory`: lanes of loads and stores in front of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryInterface {
    /// Where the words are.
    pub store: Backing,
    /// `ldCount`: load lanes, 0 to 64.
    pub loads: usize,
    /// `stCount`: store lanes, 0 to 64.
    pub stores: usize,
    /// `lsqDepth`: entries of every queue, requests a lane may have outstanding; 2 to 64.
    pub queue: usize,
    /// Bits of a word: 8, 16, 32 or 64. Elements may be narrower.
    pub width: u32,
    /// Bits of an element's address: the fabric's index width.
    pub address: u32,
    /// Tag bits. With a tag the lanes of a family share a port and the tag is the lane; with 0 each has ports of its own.
    pub tag: u32,
    /// `numRegion`: entries of the region table, 1 to 64.
    pub regions: usize,
}

/// Where a memory interface has its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backing {
    /// A scratchpad.
    Scratchpad {
        /// Its size in bytes, a power of two of at least a word.
        bytes: u64,
        /// Whether the host reaches it by a port of the fabric (not `is_private`).
        host: bool,
    },
    /// Memory of the host behind an AXI4 master, 4 GiB of addresses.
    External,
}

/// A family of ports of a memory interface, in hardware order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryPort {
    /// Input: element addresses of loads.
    LoadAddress,
    /// Input: element addresses of stores.
    StoreAddress,
    /// Input: data of stores.
    StoreData,
    /// Output: data of loads.
    LoadData,
    /// Output: done tokens of loads.
    LoadDone,
    /// Output: done tokens of stores.
    StoreDone,
}

/// A port: its family and lane.
pub type LanePort = (MemoryPort, usize);

impl MemoryInterface {
    /// Bytes that addresses may reach.
    pub fn bytes(&self) -> u64 {
        match self.store {
            Backing::Scratchpad { bytes, .. } => bytes,
            Backing::External => 1 << 32,
        }
    }

    /// Whether it is an `extmemory`.
    pub fn is_external(&self) -> bool {
        self.store == Backing::External
    }

    /// log2 of the bytes of a word: the largest element size.
    pub fn word_size_log2(&self) -> u32 {
        (self.width / 8).max(1).ilog2()
    }

    /// Bits of the AXI ID, which is the lane.
    pub fn id_bits(&self) -> u32 {
        choice_bits(self.loads.max(self.stores)).max(self.tag).max(1)
    }

    /// Port families among the inputs, then those among the outputs.
    fn families(&self) -> (Vec<MemoryPort>, Vec<MemoryPort>) {
        use MemoryPort::*;
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        if self.loads > 0 {
            inputs.push(LoadAddress);
            outputs.extend([LoadData, LoadDone]);
        }
        if self.stores > 0 {
            inputs.extend([StoreAddress, StoreData]);
            outputs.push(StoreDone);
        }
        (inputs, outputs)
    }

    /// Lanes of a family.
    pub fn lanes(&self, port: MemoryPort) -> usize {
        match port {
            MemoryPort::LoadAddress | MemoryPort::LoadData | MemoryPort::LoadDone => self.loads,
            MemoryPort::StoreAddress | MemoryPort::StoreData | MemoryPort::StoreDone => self.stores,
        }
    }

    /// Ports of a family.
    pub fn ports_of(&self, family: MemoryPort) -> usize {
        let lanes = self.lanes(family);
        if self.tag > 0 {
            lanes.min(1)
        } else {
            lanes
        }
    }

    /// Family and lane of each input port, then of each output port; one port, of lane 0, where a family shares it.
    pub fn ports(&self) -> (Vec<LanePort>, Vec<LanePort>) {
        let lanes = |families: Vec<MemoryPort>| {
            let ports = |family| (0..self.ports_of(family)).map(move |lane| (family, lane));
            families.into_iter().flat_map(ports).collect()
        };
        let (inputs, outputs) = self.families();
        (lanes(inputs), lanes(outputs))
    }

    /// Index among the inputs or outputs of the port that a lane has in a family; `None` of a lane that is not there.
    pub fn port(&self, family: MemoryPort, lane: usize) -> Option<usize> {
        let lane = if self.tag > 0 { 0 } else { lane };
        let (inputs, outputs) = self.ports();
        let is = |p: &LanePort| *p == (family, lane);
        inputs.iter().position(is).or_else(|| outputs.iter().position(is))
    }

    /// Channel type of a port.
    pub fn port_type(&self, port: MemoryPort) -> ChannelType {
        let width = match port {
            MemoryPort::LoadAddress | MemoryPort::StoreAddress => self.address,
            MemoryPort::StoreData | MemoryPort::LoadData => self.width,
            MemoryPort::LoadDone | MemoryPort::StoreDone => 0,
        };
        ChannelType { width, tag: self.tag }
    }
}
