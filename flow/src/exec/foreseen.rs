//! The process's memory as a call would leave it: what is written stays here and is read back, and the process does not notice.

use super::process::ProcessMemory;
use std::collections::HashMap;

/// The memory, with what was written over it.
pub(super) struct ForeseenMemory<'a> {
    memory: &'a mut ProcessMemory,
    /// By address.
    written: HashMap<u64, u8>,
}

impl<'a> ForeseenMemory<'a> {
    /// Nothing is written yet.
    pub fn new(memory: &'a mut ProcessMemory) -> ForeseenMemory<'a> {
        ForeseenMemory { memory, written: HashMap::new() }
    }

    /// Reads up to 8 bytes; none where the process could not.
    pub fn read(&mut self, address: u64, count: usize) -> Option<u64> {
        let mut bytes = self.memory.read(address, count)?.to_le_bytes();
        if !self.written.is_empty() {
            for (k, byte) in bytes.iter_mut().take(count).enumerate() {
                *byte = self.written.get(&address.wrapping_add(k as u64)).copied().unwrap_or(*byte);
            }
        }
        Some(u64::from_le_bytes(bytes))
    }

    /// Writes up to 8 bytes, whether the process could or not.
    pub fn write(&mut self, address: u64, count: usize, word: u64) {
        let bytes = word.to_le_bytes().into_iter().take(count).enumerate();
        self.written.extend(bytes.map(|(k, byte)| (address.wrapping_add(k as u64), byte)));
    }
}
