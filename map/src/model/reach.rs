//! Fewest registers from some channels to every site and fabric output: a search with delays 0 and 1, made once for each site, so that
//! what it reads of a hop is one word.

use super::hops::{behind_each_other, Hop};
use loom_adg::ChannelId;
use std::collections::VecDeque;

/// Distance where no way leads.
pub const NO_WAY: u8 = u8::MAX;

/// A search that is made again and again.
pub(super) struct Reach {
    /// By channel: its first hop; one more than there are channels.
    first: Vec<u32>,
    /// By hop: the next channel, with the registers on the way in the lowest bit.
    hops: Vec<u32>,
    /// By channel: the site or output that it ends at.
    ends: Vec<Option<u32>>,
    /// How many there are of these.
    count: usize,
    /// By channel, in the search that goes on: registers up to there.
    at: Vec<u32>,
    todo: VecDeque<u32>,
}

impl Reach {
    /// `ends` are the number of the site or output by channel, of `count` in all.
    pub fn new(hops: &[Vec<Hop>], ends: Vec<Option<u32>>, count: usize) -> Reach {
        debug_assert!(hops.iter().flatten().all(|hop| hop.delay <= 1));
        let (first, all) = behind_each_other(hops, |hop| hop.to.0 << 1 | hop.delay.min(1));
        Reach { first, hops: all, ends, count, at: vec![u32::MAX; hops.len()], todo: VecDeque::new() }
    }

    /// By site and output: the fewest registers from one of some channels, or [`NO_WAY`].
    pub fn all(&mut self, starts: &[ChannelId]) -> Vec<u8> {
        self.at.fill(u32::MAX);
        for c in starts {
            self.at[c.0 as usize] = 0;
            self.todo.push_back(c.0);
        }
        let mut found = vec![NO_WAY; self.count];
        while let Some(c) = self.todo.pop_front() {
            let c = c as usize;
            let registers = self.at[c];
            if let Some(end) = self.ends[c] {
                let found = &mut found[end as usize];
                *found = (*found).min(registers.min(u32::from(NO_WAY) - 1) as u8);
            }
            for &hop in &self.hops[self.first[c] as usize..self.first[c + 1] as usize] {
                let (to, delay) = (hop >> 1, hop & 1);
                if registers + delay < self.at[to as usize] {
                    self.at[to as usize] = registers + delay;
                    // A deque instead of a heap, since hops cost 0 or 1: what costs nothing goes to the front.
                    match delay {
                        0 => self.todo.push_front(to),
                        _ => self.todo.push_back(to),
                    }
                }
            }
        }
        found
    }
}
