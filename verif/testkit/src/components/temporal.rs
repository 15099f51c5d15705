//! The temporal switch, section 4 of the contract.

use super::bench::{BenchToken, Config, ContractModel, Shown, StallRates, TestBench};
use loom_adg::layout::FieldKind;
use loom_adg::model::{ChannelType, Component, TemporalSw};
use loom_base::Rng;

/// A slot: `routes[o]` is the input that feeds output o.
#[derive(Clone)]
struct Slot {
    valid: bool,
    tag: u64,
    routes: Vec<Option<usize>>,
}

/// The switch as the contract has it.
struct Temporal {
    slots: Vec<Slot>,
    inputs: usize,
    outputs: usize,
    done: Vec<Vec<bool>>,
    pointer: Vec<usize>,
    lock: Vec<bool>,
    error: u16,
}

impl Temporal {
    fn hit(&self, token: BenchToken) -> Option<&Slot> {
        self.slots.iter().find(|s| s.valid && s.tag == token.tag)
    }

    fn want(&self, o: usize, i: usize, offered: &[Option<BenchToken>]) -> bool {
        offered[i].and_then(|t| self.hit(t)).is_some_and(|s| s.routes[o] == Some(i))
    }

    fn grant(&self, o: usize, offered: &[Option<BenchToken>]) -> Option<usize> {
        let request = |i: &usize| self.want(o, *i, offered) && !self.done[o][*i];
        if self.lock[o] {
            return Some(self.pointer[o]).filter(request);
        }
        (0..self.inputs).map(|k| (self.pointer[o] + k) % self.inputs).find(request)
    }
}

impl ContractModel for Temporal {
    fn show(&self, offered: &[Option<BenchToken>], ready: &[bool]) -> Shown {
        let grants: Vec<Option<usize>> = (0..self.outputs).map(|o| self.grant(o, offered)).collect();
        let in_ready = (0..self.inputs)
            .map(|i| {
                let wanted: Vec<usize> = (0..self.outputs).filter(|&o| self.want(o, i, offered)).collect();
                let taken = |o: &usize| self.done[*o][i] || grants[*o] == Some(i) && ready[*o];
                !wanted.is_empty() && wanted.iter().all(taken) && self.error == 0
            })
            .collect();
        Shown {
            out: grants.iter().map(|g| offered[(*g)?]).collect(),
            ready: in_ready,
            error: self.error,
            busy: self.done.iter().flatten().any(|&d| d),
        }
    }

    fn edge(&mut self, offered: &[Option<BenchToken>], ready: &[bool], shown: &Shown) {
        for o in 0..self.outputs {
            let grant = self.grant(o, offered);
            for i in 0..self.inputs {
                let fire = grant == Some(i) && ready[o];
                let leaves = offered[i].is_some() && shown.ready[i];
                self.done[o][i] = (self.done[o][i] || fire) && !leaves;
            }
            if let Some(g) = grant {
                self.lock[o] = !ready[o];
                self.pointer[o] = if ready[o] { (g + 1) % self.inputs } else { g };
            }
        }
        let missed = offered.iter().flatten().any(|t| self.hit(*t).is_none());
        let lost = (0..self.inputs).any(|i| {
            let hit = offered[i].is_some_and(|t| self.hit(t).is_some());
            hit && !(0..self.outputs).any(|o| self.want(o, i, offered))
        });
        // Both at once show the smaller code; a later 257 also covers a standing 263.
        let new = if missed {
            257
        } else if lost {
            263
        } else {
            0
        };
        self.error = match (self.error, new) {
            (0, new) => new,
            (old, 0) => old,
            (old, new) => old.min(new),
        };
    }
}

fn random_shape(rng: &mut Rng) -> TemporalSw {
    let (inputs, outputs) = (1 + rng.below(5), 1 + rng.below(4));
    let mut connectivity: Vec<Vec<bool>> =
        (0..outputs).map(|_| (0..inputs).map(|_| rng.chance(75)).collect()).collect();
    for row in &mut connectivity {
        let at = rng.below(inputs);
        row[at] = true;
    }
    let ty = ChannelType::tagged(16, 3);
    TemporalSw { ty, inputs, outputs, connectivity, num_route_table: 1 + rng.below(5) }
}

/// Random slots with different tags, written to the configuration.
fn random_slots(rng: &mut Rng, sw: &TemporalSw, config: &mut Config) -> Vec<Slot> {
    let mut tags: Vec<u64> = (0..8).collect();
    rng.shuffle(&mut tags);
    (0..sw.num_route_table)
        .map(|slot| {
            let valid = rng.chance(85);
            config.set(FieldKind::SlotValid(slot), u64::from(valid));
            config.set(FieldKind::SlotTag(slot), tags[slot]);
            let routes = (0..sw.outputs)
                .map(|output| {
                    let choices: Vec<usize> =
                        (0..sw.inputs).filter(|&i| sw.connectivity[output][i]).collect();
                    let input = *rng.pick(&choices);
                    (!rng.chance(25)).then(|| {
                        config.set(FieldKind::SlotRoute { slot, output, input }, 1);
                        input
                    })
                })
                .collect();
            Slot { valid, tag: tags[slot], routes }
        })
        .collect()
}

#[test]
fn tags_are_routed_as_the_contract_says() {
    let mut moved = 0;
    let mut shared = 0;
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let sw = random_shape(&mut rng);
        let (left, of_several) = routed(sw, &mut rng, seed);
        moved += left;
        shared += of_several;
    }
    assert!(moved > 15_000 && shared > 60, "only {moved} tokens, {shared} shared outputs");
}

/// Random slots; the tokens that left, and the outputs that had several inputs.
pub fn routed(sw: TemporalSw, rng: &mut Rng, seed: u64) -> (usize, usize) {
    let (mut moved, mut shared) = (0, 0);
    let component = Component::TemporalSw(sw.clone());
    let mut config = Config::new(&component, 32);
    let slots = random_slots(rng, &sw, &mut config);
    let mut model = Temporal {
        slots: slots.clone(),
        inputs: sw.inputs,
        outputs: sw.outputs,
        done: vec![vec![false; sw.inputs]; sw.outputs],
        pointer: vec![0; sw.outputs],
        lock: vec![false; sw.outputs],
        error: 0,
    };
    // Tags that lead somewhere, by input; every fifth run has others now and then.
    let good: Vec<Vec<u64>> = (0..sw.inputs)
        .map(|i| slots.iter().filter(|s| s.valid && s.routes.contains(&Some(i))).map(|s| s.tag).collect())
        .collect();
    let stray = if seed.is_multiple_of(5) { 2 } else { 0 };
    let mut sequence = 0;
    let mut bench = TestBench::new(&component, 32, &config, seed);
    assert_eq!(bench.config_error(), 0);
    let stalls = StallRates::random(rng);
    let log = bench.run(&mut model, rng, stalls, 300, &mut |rng, i| {
        sequence += 1;
        // The data tells where a token came from.
        let data = sequence << 3 | i as u64;
        if rng.chance(stray) {
            return Some(BenchToken { data, tag: rng.next_u64() & 7 });
        }
        let tag = *good[i].get(rng.below(good[i].len().max(1)))?;
        Some(BenchToken { data, tag })
    });
    assert!(stray > 0 || log.error == 0);
    for (o, left) in log.left.iter().enumerate() {
        let mut from = 0;
        for i in 0..sw.inputs {
            let of: Vec<BenchToken> = left.iter().copied().filter(|t| t.data & 7 == i as u64).collect();
            let routed = |t: &&BenchToken| model.hit(**t).is_some_and(|s| s.routes[o] == Some(i));
            let mut want: Vec<BenchToken> =
                log.taken[i].iter().chain(&log.waiting[i]).filter(routed).copied().collect();
            let least = log.taken[i].iter().filter(routed).count();
            assert!(of.len() >= least, "seed {seed}: output {o} lost a token of input {i}");
            want.truncate(of.len());
            assert_eq!(of, want, "seed {seed}: output {o}, tokens of input {i}");
            from += usize::from(!of.is_empty());
        }
        shared += usize::from(from > 1);
        moved += left.len();
    }
    (moved, shared)
}

#[test]
fn static_errors_are_4_and_5() {
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let sw = random_shape(&mut rng);
        static_error(sw, &mut rng, seed);
    }
}

/// A random table: what is wrong with it is told.
pub fn static_error(sw: TemporalSw, rng: &mut Rng, seed: u64) {
    let component = Component::TemporalSw(sw.clone());
    let mut config = Config::new(&component, 32);
    let (mut mixed, mut twice) = (false, false);
    let mut tags = Vec::new();
    for slot in 0..sw.num_route_table {
        let (valid, tag) = (rng.chance(60), rng.next_u64() & 7);
        config.set(FieldKind::SlotValid(slot), u64::from(valid));
        config.set(FieldKind::SlotTag(slot), tag);
        for output in 0..sw.outputs {
            let mut set = 0;
            for input in (0..sw.inputs).filter(|&i| sw.connectivity[output][i]) {
                if rng.chance(10) {
                    config.set(FieldKind::SlotRoute { slot, output, input }, 1);
                    set += 1;
                }
            }
            mixed |= valid && set > 1;
        }
        twice |= valid && tags.contains(&tag);
        if valid {
            tags.push(tag);
        }
    }
    let want = if mixed {
        4
    } else if twice {
        5
    } else {
        0
    };
    assert_eq!(TestBench::new(&component, 32, &config, seed).config_error(), want, "seed {seed}");
}
