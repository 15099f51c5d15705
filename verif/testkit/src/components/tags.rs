//! Tags and the FIFO with its bypass, sections 1 and 2 of the contract.

use super::bench::{BenchToken, Config, ContractModel, Shown, StallRates, TestBench};
use super::planted::tests;
use loom_adg::layout::FieldKind;
use loom_adg::model::{AddTag, ChannelType, Component, DelTag, MapTag};
#[cfg(test)]
use loom_adg::model::{Fifo, FifoKind};
use loom_base::Rng;
use std::collections::VecDeque;

/// `add_tag`, `del_tag`, `map_tag`: `map` gives the tag that goes out, `None` for one without an entry.
struct Tags<F: Fn(u64) -> Option<u64>> {
    map: F,
    failed: bool,
}

impl<F: Fn(u64) -> Option<u64>> ContractModel for Tags<F> {
    fn show(&self, offered: &[Option<BenchToken>], ready: &[bool]) -> Shown {
        let out = offered[0].and_then(|t| (self.map)(t.tag).map(|tag| BenchToken { data: t.data, tag }));
        // Ready does not look at valid: without a token the bench shows the tag with all bits set.
        let hit = offered[0].map_or((self.map)(u64::MAX), |t| (self.map)(t.tag)).is_some();
        let error = if self.failed { 258 } else { 0 };
        Shown { out: vec![out], ready: vec![ready[0] && hit && !self.failed], error, busy: false }
    }

    fn edge(&mut self, offered: &[Option<BenchToken>], _: &[bool], _: &Shown) {
        self.failed |= offered[0].is_some_and(|t| (self.map)(t.tag).is_none());
    }
}

pub fn tags_are_added_and_dropped() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        // 4 bits in every other run.
        let tag = if seed % 2 == 0 { 4 } else { 1 + rng.below(16) as u32 };
        let value = BenchToken::random(&mut rng, ChannelType::tagged(0, tag)).tag;
        let add = Component::AddTag(AddTag { width: 8, tag });
        let mut config = Config::new(&add, 32);
        config.set(FieldKind::Tag, value);
        let stalls = StallRates::random(&mut rng);
        let mut model = Tags { map: |_| Some(value), failed: false };
        let mut bench = TestBench::new(&add, 32, &config, seed);
        let mut source = |rng: &mut Rng, _| Some(BenchToken::random(rng, ChannelType::tagged(8, tag)));
        bench.run(&mut model, &mut rng, stalls, 100, &mut source);
        let del = Component::DelTag(DelTag { width: 8, tag });
        let mut model = Tags { map: |_| Some(0), failed: false };
        TestBench::new(&del, 32, &Config::new(&del, 32), seed).run(
            &mut model,
            &mut rng,
            stalls,
            100,
            &mut source,
        );
    }
}

pub fn tags_are_mapped() {
    let mut missed = 0;
    for seed in 0..160 {
        let mut rng = Rng::new(seed);
        // 3 entries in every other run.
        let size = if seed % 2 == 0 { 3 } else { 1 + rng.below(6) };
        let map = Component::MapTag(MapTag { width: 8, tag_in: 3, tag_out: 5, table_size: size });
        let mut config = Config::new(&map, 32);
        let mut entries: Vec<(u64, u64)> = Vec::new();
        let mut twice = false;
        for i in 0..size {
            let (valid, source, target) = (rng.chance(80), rng.next_u64() & 7, rng.next_u64() & 31);
            config.set(FieldKind::EntryValid(i), u64::from(valid));
            config.set(FieldKind::EntrySource(i), source);
            config.set(FieldKind::EntryTarget(i), target);
            if valid {
                twice |= entries.iter().any(|e| e.0 == source);
                entries.push((source, target));
            }
        }
        let mut bench = TestBench::new(&map, 32, &config, seed);
        assert_eq!(bench.config_error(), if twice { 9 } else { 0 }, "seed {seed}");
        if twice {
            continue;
        }
        let find = |tag: u64| entries.iter().find(|e| e.0 == tag & 7).map(|e| e.1);
        let stalls = StallRates::random(&mut rng);
        let stray = if seed % 4 < 2 { 1 } else { 0 };
        let log = bench.run(&mut Tags { map: find, failed: false }, &mut rng, stalls, 200, &mut |rng, _| {
            let token = BenchToken::random(rng, ChannelType::tagged(8, 3));
            (find(token.tag).is_some() || rng.chance(stray)).then_some(token)
        });
        missed += usize::from(log.error == 258);
    }
    assert!(missed > 5, "only {missed} runs met a tag without an entry");
}

/// The FIFO as the contract has it.
struct Queue {
    depth: usize,
    bypass: bool,
    falls: bool,
    tokens: VecDeque<BenchToken>,
}

impl ContractModel for Queue {
    fn show(&self, offered: &[Option<BenchToken>], ready: &[bool]) -> Shown {
        let (out, ready) = match self.bypass {
            true => (offered[0], ready[0]),
            false => {
                let falls = offered[0].filter(|_| self.falls);
                (self.tokens.front().copied().or(falls), self.tokens.len() < self.depth)
            }
        };
        Shown { out: vec![out], ready: vec![ready], error: 0, busy: !self.tokens.is_empty() }
    }

    fn edge(&mut self, offered: &[Option<BenchToken>], ready: &[bool], shown: &Shown) {
        if self.bypass {
            return;
        }
        let passes = self.falls && self.tokens.is_empty() && ready[0];
        if shown.out[0].is_some() && ready[0] {
            self.tokens.pop_front();
        }
        self.tokens.extend(offered[0].filter(|_| shown.ready[0] && !passes));
    }
}

#[test]
fn fifos_of_every_kind() {
    for seed in 0..120 {
        let mut rng = Rng::new(seed);
        let ty = ChannelType { width: *rng.pick(&[0, 1, 32]), tag: *rng.pick(&[0, 4]) };
        let depth = 1 + rng.below(9);
        let kind = *rng.pick(&[FifoKind::Registered, FifoKind::Bypassable, FifoKind::FallThrough]);
        let bypass = kind == FifoKind::Bypassable && rng.chance(60);
        let fifo = Component::Fifo(Fifo { ty, depth, kind });
        let mut config = Config::new(&fifo, 32);
        config.set(FieldKind::Bypass, u64::from(bypass));
        let stalls = StallRates::random(&mut rng);
        let mut model =
            Queue { depth, bypass, falls: kind == FifoKind::FallThrough, tokens: VecDeque::new() };
        let mut bench = TestBench::new(&fifo, 32, &config, seed);
        bench.run(&mut model, &mut rng, stalls, 200, &mut |rng, _| Some(BenchToken::random(rng, ty)));
    }
}

tests! { tags_are_added_and_dropped tags_are_mapped }
