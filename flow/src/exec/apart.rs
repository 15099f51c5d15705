//! Whether arrays that were compiled as apart are so in a call: C's rule for `restrict`.
//!
//! Accesses through pointers in different domains of memory are not ordered, and neither are those through two views of one array.
//! So a byte that a call writes through one memory it touches through none that is apart from it; that both read it is no harm.

use loom_dfg::graph::MemoryId;
use std::collections::HashMap;

/// A set of memories, by number. Those beyond its width are not looked at; no fabric has so many regions.
type Set = u128;

/// Which memories are compiled as apart from which.
#[derive(Clone, Debug, Default)]
pub(super) struct Apart {
    /// By memory.
    others: Vec<Set>,
}

impl Apart {
    /// As a relation on the numbers below `count` says.
    pub fn new(count: usize, are_apart: impl Fn(usize, usize) -> bool) -> Apart {
        let count = count.min(Set::BITS as usize);
        let of = |a: usize| (0..count).filter(|&b| are_apart(a, b)).fold(0, |set, b| set | 1 << b);
        Apart { others: (0..count).map(of).collect() }
    }
}

/// What a call has touched, by byte.
pub(super) struct Touched<'a> {
    apart: &'a Apart,
    bytes: HashMap<u64, Touch>,
}

/// Who has touched a byte.
#[derive(Clone, Copy, Default)]
struct Touch {
    writers: Set,
    readers: Set,
}

impl<'a> Touched<'a> {
    pub fn new(apart: &'a Apart) -> Touched<'a> {
        Touched { apart, bytes: HashMap::new() }
    }

    /// Notes an access. Gives a memory apart from its own that has touched one of its bytes, where either access writes.
    pub fn touch(&mut self, memory: MemoryId, store: bool, address: u64, count: usize) -> Option<MemoryId> {
        let others = *self.apart.others.get(memory.0 as usize).filter(|&&others| others != 0)?;
        (address..).take(count).find_map(|byte| {
            let touch = self.bytes.entry(byte).or_default();
            let found = others & (touch.writers | if store { touch.readers } else { 0 });
            *(if store { &mut touch.writers } else { &mut touch.readers }) |= 1 << memory.0;
            (found != 0).then(|| MemoryId(found.trailing_zeros()))
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

    /// A and B share a domain, C has one of its own, and one is on chip.
    fn apart() -> Apart {
        let domain = |m: usize| [Some(0), Some(0), Some(1), None][m];
        Apart::new(4, |a, b| domain(a).zip(domain(b)).is_some_and(|(a, b)| a != b))
    }

    #[test]
    fn what_one_writes_no_other_domain_touches() {
        let apart = apart();
        let mut t = Touched::new(&apart);
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
            let apart = apart();
            let mut t = Touched::new(&apart);
            assert_eq!((t.touch(first, READS, 8, 8), t.touch(second, READS, 8, 8)), (None, None));
            assert_eq!(t.touch(B, READS, 8, 8), None);
            assert_eq!(t.touch(C, WRITES, 15, 1), Some(A));
            assert_eq!(t.touch(B, WRITES, 8, 1), Some(C));
            assert_eq!(t.touch(B, WRITES, 16, 1), None);
        }
    }

    /// What A writes only C may not touch: that B has written there as well does not hide it.
    #[test]
    fn every_writer_counts() {
        let apart = Apart::new(3, |a, b| [a, b] == [0, 2] || [a, b] == [2, 0]);
        let mut t = Touched::new(&apart);
        assert_eq!((t.touch(A, WRITES, 4, 4), t.touch(B, WRITES, 4, 4)), (None, None));
        assert_eq!((t.touch(B, READS, 4, 4), t.touch(C, READS, 7, 2)), (None, Some(A)));
    }

    #[test]
    fn memory_on_chip_is_nobody_elses() {
        let apart = apart();
        let mut t = Touched::new(&apart);
        assert_eq!((t.touch(A, WRITES, 0, 4), t.touch(MemoryId(3), WRITES, 0, 4)), (None, None));
    }
}
