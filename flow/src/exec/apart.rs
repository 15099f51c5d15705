//! Whether arrays that were compiled as apart are so in a call: C's rule for `restrict`.
//!
//! Accesses through pointers in different domains of memory are not ordered. So a byte that a call writes through one of them it
//! touches through no pointer of another domain; that both read it is no harm.

use loom_dfg::graph::MemoryId;
use std::collections::HashMap;

/// What a call has touched, by byte.
pub(super) struct Touched<'a> {
    /// By memory: its domain; `None` on chip.
    domains: &'a [Option<usize>],
    bytes: HashMap<u64, Touch>,
}

/// Who has touched a byte. Readers are of different domains: one of two is another's, whoever writes.
#[derive(Clone, Copy, Default)]
struct Touch {
    writer: Option<MemoryId>,
    readers: [Option<MemoryId>; 2],
}

impl<'a> Touched<'a> {
    pub fn new(domains: &'a [Option<usize>]) -> Touched<'a> {
        Touched { domains, bytes: HashMap::new() }
    }

    /// Notes an access. Gives the memory of another domain that has touched one of its bytes, where either access writes.
    pub fn touch(&mut self, memory: MemoryId, store: bool, address: u64, count: usize) -> Option<MemoryId> {
        let domain = self.domains[memory.0 as usize]?;
        if self.domains.iter().flatten().all(|d| *d == domain) {
            return None;
        }
        let is_other = |m: &MemoryId| self.domains[m.0 as usize] != Some(domain);
        (address..).take(count).find_map(|byte| {
            let touch = self.bytes.entry(byte).or_default();
            if store {
                let known = touch.writer.replace(memory);
                return known.into_iter().chain(touch.readers.into_iter().flatten()).find(is_other);
            }
            match touch.readers {
                [None, _] => touch.readers[0] = Some(memory),
                [Some(first), None] if is_other(&first) => touch.readers[1] = Some(memory),
                _ => {}
            }
            touch.writer.filter(is_other)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: MemoryId = MemoryId(0);
    const B: MemoryId = MemoryId(1);
    const C: MemoryId = MemoryId(2);
    const WRITES: bool = true;
    const READS: bool = false;

    /// A and B share a domain, C has one of its own.
    fn touched() -> Touched<'static> {
        Touched::new(&[Some(0), Some(0), Some(1), None])
    }

    #[test]
    fn what_one_writes_no_other_domain_touches() {
        let mut t = touched();
        assert_eq!(t.touch(A, WRITES, 100, 4), None);
        assert_eq!(t.touch(B, READS, 102, 4), None);
        assert_eq!(t.touch(B, WRITES, 102, 4), None);
        assert_eq!(t.touch(C, READS, 106, 4), None);
        assert_eq!(t.touch(C, READS, 105, 1), Some(B));
        assert_eq!(t.touch(C, WRITES, 100, 1), Some(A));
    }

    #[test]
    fn what_is_read_by_many_is_written_by_none_of_them() {
        for (first, second) in [(A, C), (C, A)] {
            let mut t = touched();
            assert_eq!((t.touch(first, READS, 8, 8), t.touch(second, READS, 8, 8)), (None, None));
            assert_eq!(t.touch(B, READS, 8, 8), None);
            assert_eq!(t.touch(C, WRITES, 15, 1), Some(A));
            assert_eq!(t.touch(B, WRITES, 8, 1), Some(C));
            assert_eq!(t.touch(B, WRITES, 16, 1), None);
        }
    }

    #[test]
    fn memory_on_chip_is_nobody_elses() {
        let mut t = touched();
        assert_eq!((t.touch(A, WRITES, 0, 4), t.touch(MemoryId(3), WRITES, 0, 4)), (None, None));
    }
}
