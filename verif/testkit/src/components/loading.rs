//! Loading, start, errors and idle, sections 6 and 7 of the contract: the loader with a chain and a tree around it.

use super::planted::{planted, tests};
use loom_base::Rng;
use loom_hdl::ir::{Evaluator, Expr, Module};
use loom_hdl::parts;
use std::sync::Arc;

/// Bits of the slices, in image order. One of 70 bits has others before and behind it.
pub const SLICES: [u32; 4] = [70, 5, 70, 33];
pub const WORDS: usize = 3 + 1 + 3 + 2;
/// Five tiles of two units: a node each, two nodes over four and one of them, the root.
const UNITS: usize = 10;
pub const DEPTH: u32 = 3;
const SETTLE: usize = SLICES.len() + DEPTH as usize + 4;

/// The loader with its chain and its tree; `code<k>`, `busy<k>` and `bits<s>` are the units' and slices'.
fn harness() -> Arc<Module> {
    let mut m = Module::new("harness");
    let names = ["cfg_valid", "cfg_data", "cfg_last", "any_input_valid", "any_input_transfer"];
    let mut connections: Vec<(&str, Expr)> =
        names.iter().map(|&n| (n, m.input(n, if n == "cfg_data" { 32 } else { 1 }))).collect();
    let mut nodes: Vec<[Expr; 3]> = Vec::new();
    for k in 0..UNITS {
        let code = m.input(&format!("code{k}"), 16);
        let busy = m.input(&format!("busy{k}"), 1);
        // Units have gaps in their numbers, as units without errors leave them.
        nodes.push([code, Expr::konst(16, 3 * k as u32 + 1), busy]);
    }
    for (level, arity) in [2, 4, 4].into_iter().enumerate() {
        let of = nodes.chunks(arity).enumerate().map(|(at, children)| {
            let node = parts::error_node(children.len(), children.len());
            let mut connections: Vec<(String, Expr)> = Vec::new();
            for (k, [code, unit, busy]) in children.iter().enumerate() {
                let ports = [("code", code), ("unit", unit), ("busy", busy)];
                connections.extend(ports.map(|(name, value)| (format!("{name}{k}"), value.clone())));
            }
            let connections: Vec<(&str, Expr)> =
                connections.iter().map(|(n, e)| (n.as_str(), e.clone())).collect();
            let node = m.instance(&format!("node_{level}_{at}"), &node, &connections);
            ["code", "unit", "busy"].map(|name| node.out(name))
        });
        nodes = of.collect();
    }
    let [code, unit, busy] = nodes.remove(0);
    connections.extend([("root_code", code), ("root_unit", unit), ("root_busy", busy)]);
    let loader = m.instance("loader", &parts::config_loader(WORDS, SLICES.len(), DEPTH), &connections);
    for name in ["cfg_ready", "cfg_done", "error_valid", "error_code", "error_unit", "idle"] {
        m.assign_output(name, loader.out(name));
    }
    let mut chain = (loader.out("chain_valid"), loader.out("chain_data"));
    for (s, &bits) in SLICES.iter().enumerate().rev() {
        let module = parts::config_slice(bits.div_ceil(32) as usize, bits);
        let connections = [("in_valid", chain.0.clone()), ("in_data", chain.1)];
        let slice = m.instance(&format!("slice{s}"), &module, &connections);
        m.assign_output(&format!("bits{s}"), slice.out("bits"));
        // As if each stood in a tile of its own.
        let connections = [("in_valid", chain.0), ("in_data", slice.out("out_data"))];
        let hop = m.instance(&format!("hop{s}"), &parts::config_hop(), &connections);
        chain = (hop.out("out_valid"), hop.out("out_data"));
    }
    m.unused(&chain.0);
    m.unused(&chain.1);
    m.finish()
}

struct Fabric {
    sim: Evaluator,
}

impl Fabric {
    fn new() -> Fabric {
        let mut fabric = Fabric { sim: Evaluator::new(&planted(&harness())) };
        fabric.quiet();
        fabric.sim.reset();
        fabric
    }

    fn quiet(&mut self) {
        for name in ["cfg_valid", "cfg_data", "cfg_last", "any_input_valid", "any_input_transfer"] {
            self.sim.set(name, 0u32);
        }
        for k in 0..UNITS {
            self.sim.set(&format!("code{k}"), 0u32);
            self.sim.set(&format!("busy{k}"), 0u32);
        }
    }

    fn is(&mut self, name: &str) -> bool {
        self.sim.get_u64(name) == 1
    }

    fn error(&mut self) -> Option<(u64, u64)> {
        self.is("error_valid").then(|| (self.sim.get_u64("error_code"), self.sim.get_u64("error_unit")))
    }

    /// Offers a word until it is taken, at most `patience` cycles.
    fn word(&mut self, data: u32, last: bool, patience: usize) -> bool {
        self.sim.set("cfg_valid", 1u32);
        self.sim.set("cfg_data", data);
        self.sim.set("cfg_last", u32::from(last));
        let mut taken = false;
        for _ in 0..patience {
            taken = self.is("cfg_ready");
            self.sim.tick();
            if taken {
                break;
            }
        }
        self.sim.set("cfg_valid", 0u32);
        self.sim.set("cfg_data", !data);
        taken
    }

    /// Loads words with random gaps, `cfg_last` with word `last` (counted from 1).
    fn load(&mut self, words: &[u32], last: usize, rng: &mut Rng) {
        for (k, &word) in words.iter().enumerate() {
            while rng.chance(40) {
                self.sim.tick();
            }
            assert!(self.word(word, k + 1 == last, 1), "word {k} is not taken");
        }
    }

    /// Cycles until `name` is high.
    fn wait(&mut self, name: &str, most: usize) -> Option<usize> {
        for cycle in 0..=most {
            if self.is(name) {
                return Some(cycle);
            }
            self.sim.tick();
        }
        None
    }

    fn running(rng: &mut Rng) -> (Fabric, Vec<u32>) {
        let mut fabric = Fabric::new();
        let image: Vec<u32> = (0..WORDS).map(|_| rng.next_u64() as u32).collect();
        fabric.load(&image, WORDS, rng);
        // The cycle after the last word is the first of those it waits.
        assert_eq!(fabric.wait("cfg_done", 100), Some(SETTLE));
        (fabric, image)
    }

    fn check_bits(&mut self, image: &[u32]) {
        let mut at = 0;
        for (s, &bits) in SLICES.iter().enumerate() {
            let words = bits.div_ceil(32) as usize;
            let mut want = num_bigint::BigUint::from_slice(&image[at..at + words]);
            want %= num_bigint::BigUint::from(1u32) << bits;
            assert_eq!(self.sim.get(&format!("bits{s}")), want, "slice {s}");
            at += words;
        }
    }
}

pub fn an_image_lands_in_its_slices() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let mut fabric = Fabric::new();
        fabric.check_bits(&[0; WORDS]);
        assert!(fabric.is("idle") && fabric.is("cfg_ready") && !fabric.is("cfg_done"));
        let (mut fabric, image) = Fabric::running(&mut rng);
        fabric.check_bits(&image);
        assert_eq!(fabric.error(), None);
        // Another one, when nothing goes on.
        let second: Vec<u32> = image.iter().map(|w| !w).collect();
        assert!(fabric.word(second[0], false, 1));
        assert!(!fabric.is("cfg_done"), "the first word lowers cfg_done in the next cycle");
        fabric.load(&second[1..], WORDS - 1, &mut rng);
        assert_eq!(fabric.wait("cfg_done", 100), Some(SETTLE));
        fabric.check_bits(&second);
    }
}

pub fn bits_stand_before_errors_are_judged() {
    // An error that goes away with the last word's bits must be gone when the loader looks, one that comes must be there.
    for (before, after, done) in [(18u32, 0u32, true), (0, 18, false)] {
        let mut fabric = Fabric::new();
        fabric.sim.set("code9", before);
        fabric.load(&[0; WORDS], WORDS, &mut Rng::new(0));
        // The first slice has its last word when that has passed all slices: one cycle each.
        for _ in 0..SLICES.len() {
            fabric.sim.tick();
        }
        fabric.sim.set("code9", after);
        assert_eq!(fabric.wait("cfg_done", 100).is_some(), done);
        assert_eq!(fabric.error(), (!done).then_some((18, 28)));
    }
}

pub fn a_wrong_length_is_error_16_and_stops_for_good() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let last = 1 + rng.below(WORDS - 1);
        for (words, last) in [(last, last), (WORDS, 0)] {
            let mut fabric = Fabric::new();
            fabric.load(&vec![7; words], last, &mut rng);
            assert_eq!(fabric.error(), Some((16, 0xffff)), "{words} words, last with {last}");
            // What still comes is drained: the rest of the image, then a whole good one.
            fabric.load(&vec![7; WORDS - last], WORDS - last, &mut rng);
            fabric.load(&[7; WORDS + 3], WORDS, &mut rng);
            assert_eq!(fabric.wait("cfg_done", 60), None);
            assert_eq!(fabric.error(), Some((16, 0xffff)));
            fabric.sim.reset();
            assert_eq!(fabric.error(), None);
            fabric.load(&[1; WORDS], WORDS, &mut rng);
            assert!(fabric.wait("cfg_done", 60).is_some(), "reset makes it good again");
        }
    }
}

pub fn a_wrong_length_of_a_second_image_counts_too() {
    let mut rng = Rng::new(3);
    let (mut fabric, _) = Fabric::running(&mut rng);
    assert!(fabric.word(1, true, 1));
    assert_eq!(fabric.error(), Some((16, 0xffff)));
    assert!(!fabric.is("cfg_done"));
}

pub fn no_word_is_taken_while_it_settles() {
    let mut fabric = Fabric::new();
    fabric.load(&[0; WORDS], WORDS, &mut Rng::new(0));
    for cycle in 0..SETTLE {
        assert!(!fabric.is("cfg_ready") && !fabric.is("cfg_done"), "cycle {cycle}");
        fabric.sim.tick();
    }
    assert!(fabric.is("cfg_ready") && fabric.is("cfg_done"));
}

pub fn a_configuration_error_keeps_it_from_starting() {
    let mut fabric = Fabric::new();
    fabric.sim.set("code4", 11u32);
    fabric.sim.set("code6", 4u32);
    fabric.load(&[0; WORDS], WORDS, &mut Rng::new(1));
    assert_eq!(fabric.error(), None, "not before it has settled");
    assert_eq!(fabric.wait("cfg_done", 60), None);
    assert_eq!(fabric.error(), Some((4, 19)), "the smallest code");
    assert!(fabric.is("cfg_ready"), "further words are drained");
    fabric.load(&[0; WORDS], WORDS, &mut Rng::new(1));
    fabric.quiet();
    assert_eq!(fabric.wait("cfg_done", 60), None);
    assert_eq!(fabric.error(), Some((4, 19)));
}

pub fn the_first_error_stays_and_the_smallest_of_a_cycle_wins() {
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let (mut fabric, _) = Fabric::running(&mut Rng::new(0));
        // Sticky codes that come up at random times.
        let codes: Vec<Option<(usize, u64)>> =
            (0..UNITS).map(|_| rng.chance(40).then(|| (rng.below(4), *rng.pick(&[257, 259, 262])))).collect();
        let first = codes.iter().flatten().map(|c| c.0).min();
        let want = (codes.iter().enumerate())
            .filter_map(|(k, c)| c.filter(|c| Some(c.0) == first).map(|c| (c.1, 3 * k as u64 + 1)))
            .min();
        for cycle in 0..16 {
            for (k, code) in codes.iter().enumerate() {
                if let Some((from, code)) = *code {
                    fabric.sim.set(&format!("code{k}"), if cycle >= from { code } else { 0 });
                }
            }
            let seen = first.is_some_and(|f| cycle > f + DEPTH as usize);
            assert_eq!(fabric.error(), want.filter(|_| seen), "seed {seed} cycle {cycle}");
            fabric.sim.tick();
        }
        assert!(fabric.is("cfg_done"), "a run-time error stops its unit, not the fabric");
        assert_eq!(fabric.is("cfg_ready"), want.is_none(), "no other image after an error");
    }
}

pub fn idle_follows_activity_and_inputs() {
    let mut rng = Rng::new(5);
    let (mut fabric, _) = Fabric::running(&mut rng);
    let depth = DEPTH as usize;
    let mut busy = Vec::new();
    let mut transfers = Vec::new();
    for cycle in 0..4000 {
        let rare = if cycle % 100 < 60 { 0 } else { 10 };
        let which = rng.below(UNITS);
        let is_busy = rng.chance(rare);
        let (valid, transfer) = (rng.chance(10), rng.chance(rare / 2));
        for k in 0..UNITS {
            fabric.sim.set(&format!("busy{k}"), u32::from(is_busy && k == which));
        }
        fabric.sim.set("any_input_valid", u32::from(valid || transfer));
        fabric.sim.set("any_input_transfer", u32::from(transfer));
        let past = |list: &[bool], ago: usize| list.len() >= ago && list[list.len() - ago];
        let want = !past(&busy, depth) && !(1..=depth + 1).any(|ago| past(&transfers, ago));
        assert_eq!(fabric.is("idle"), want, "cycle {cycle}");
        assert_eq!(fabric.is("cfg_ready"), want && !valid && !transfer, "cycle {cycle}");
        busy.push(is_busy);
        transfers.push(transfer);
        fabric.sim.tick();
    }
}

pub fn a_slice_shifts_by_valid_words_only() {
    let mut sim = Evaluator::new(&planted(&parts::config_slice(3, 70)));
    let mut rng = Rng::new(1);
    let mut words = [0u32; 3];
    sim.set("in_valid", 1u32);
    sim.set("in_data", 0xffff_ffffu32);
    sim.reset();
    assert_eq!((sim.get("bits"), sim.get_u64("out_data")), (0u32.into(), 0));
    for _ in 0..200 {
        let (valid, word) = (rng.chance(50), rng.next_u64() as u32);
        sim.set("in_valid", u32::from(valid));
        sim.set("in_data", word);
        assert_eq!(sim.get_u64("out_data"), u64::from(words[0]));
        sim.tick();
        if valid {
            words = [words[1], words[2], word];
        }
        let all = num_bigint::BigUint::from_slice(&words) % (num_bigint::BigUint::from(1u32) << 70);
        assert_eq!(sim.get("bits"), all);
    }
}

/// Any code of 16 bits, whatever the table of codes has today.
pub fn a_node_shows_the_smallest_code_of_the_cycle_before() {
    let mut sim = Evaluator::new(&planted(&parts::error_node(2, 2)));
    let mut rng = Rng::new(2);
    for cycle in 0..400 {
        let codes: [u64; 2] = [0, 1].map(|_| match rng.below(4) {
            0 => 0,
            1 => 1 + rng.below(3) as u64,
            2 => 0x8000 + rng.below(3) as u64,
            _ => rng.next_u64() & 0xffff,
        });
        let units = [0, 1].map(|_| rng.next_u64() & 0xffff);
        let busy = [0, 1].map(|_| rng.chance(30));
        for k in 0..2 {
            sim.set(&format!("code{k}"), codes[k]);
            sim.set(&format!("unit{k}"), units[k]);
            sim.set(&format!("busy{k}"), u32::from(busy[k]));
        }
        let shown = |sim: &mut Evaluator| (sim.get_u64("code"), sim.get_u64("unit"), sim.get_u64("busy"));
        if cycle % 10 == 0 {
            sim.reset();
            assert_eq!(shown(&mut sim), (0, 0, 0), "after reset");
            continue;
        }
        sim.tick();
        let (code, unit) = match codes {
            [a, b] if b != 0 && (a == 0 || b < a) => (b, units[1]),
            [a, _] => (a, units[0]),
        };
        assert_eq!(shown(&mut sim), (code, unit, u64::from(busy[0] || busy[1])), "cycle {cycle}");
    }
}

pub fn a_fabric_without_words_starts_by_itself() {
    let mut sim = Evaluator::new(&planted(&parts::config_loader(0, 0, 2)));
    for name in ["cfg_valid", "cfg_data", "cfg_last", "any_input_valid", "any_input_transfer"] {
        sim.set(name, 0u32);
    }
    for name in ["root_code", "root_unit", "root_busy"] {
        sim.set(name, 0u32);
    }
    sim.reset();
    let started = (0..20).find(|_| {
        let done = sim.get_u64("cfg_done") == 1;
        sim.tick();
        done
    });
    assert_eq!(started, Some(6), "after `slices + D + 4` cycles");
    sim.set("cfg_valid", 1u32);
    assert_eq!(sim.get_u64("cfg_ready"), 1);
    sim.tick();
    assert_eq!((sim.get_u64("error_code"), sim.get_u64("cfg_done")), (16, 0), "it has no words to load");
}

tests! {
    an_image_lands_in_its_slices
    bits_stand_before_errors_are_judged
    a_wrong_length_is_error_16_and_stops_for_good
    a_wrong_length_of_a_second_image_counts_too
    no_word_is_taken_while_it_settles
    a_configuration_error_keeps_it_from_starting
    the_first_error_stays_and_the_smallest_of_a_cycle_wins
    idle_follows_activity_and_inputs
    a_fabric_without_words_starts_by_itself
    a_slice_shifts_by_valid_words_only
    a_node_shows_the_smallest_code_of_the_cycle_before
}
