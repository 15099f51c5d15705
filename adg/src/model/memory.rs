//! Memory interfaces: lanes in front of a scratchpad or of the host's memory.

use super::ChannelType;

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
    /// Tag bits; 0 for an interface of at most one lane of each kind.
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

    /// Bits of the AXI ID.
    pub fn id_bits(&self) -> u32 {
        self.tag.max(1)
    }

    /// Port families among the inputs, then those among the outputs.
    pub fn families(&self) -> (Vec<MemoryPort>, Vec<MemoryPort>) {
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

    /// Index of a port among the inputs or outputs, `None` when it has no lanes.
    pub fn port(&self, port: MemoryPort) -> Option<usize> {
        let (inputs, outputs) = self.families();
        inputs.iter().position(|&p| p == port).or_else(|| outputs.iter().position(|&p| p == port))
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
