//! A component in the evaluator beside its model: the same tokens and stalls for both, everything compared.

use super::planted::planted;
use loom_adg::layout::{FieldKind, SliceLayout};
use loom_adg::model::{ChannelType, Component};
use loom_base::{truncate, Rng};
use loom_hdl::ir::{Evaluator, Module};
use loom_hdl::parts;
use num_bigint::BigUint;
use std::sync::Arc;

/// Data and tag of a token; widths in these tests are at most 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchToken {
    pub data: u64,
    pub tag: u64,
}

impl BenchToken {
    /// What is left of it in a channel of another type.
    pub fn resized(self, ty: ChannelType) -> BenchToken {
        BenchToken { data: truncate(self.data, ty.width), tag: truncate(self.tag, ty.tag) }
    }

    /// A random token.
    pub fn random(rng: &mut Rng, ty: ChannelType) -> BenchToken {
        BenchToken { data: rng.next_u64(), tag: rng.next_u64() }.resized(ty)
    }
}

/// What a component shows in a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// By output: the token offered.
    pub out: Vec<Option<BenchToken>>,
    /// By input: ready.
    pub ready: Vec<bool>,
    /// `error_code`; 0 where there is no such port.
    pub error: u16,
    /// `busy`; false where there is no such port.
    pub busy: bool,
}

/// A component as the contract has it. `offered` is by input, `ready` by output.
pub trait ContractModel {
    /// The cycle's combinational outputs.
    fn show(&self, offered: &[Option<BenchToken>], ready: &[bool]) -> Shown;
    /// The clock edge at its end.
    fn edge(&mut self, offered: &[Option<BenchToken>], ready: &[bool], shown: &Shown);
}

/// A slice's bits.
pub struct Config {
    pub layout: SliceLayout,
    bits: BigUint,
}

impl Config {
    pub fn new(component: &Component, index_width: u32) -> Config {
        Config { layout: SliceLayout::new(component, index_width), bits: BigUint::default() }
    }

    /// The bits, for the `cfg` port.
    pub fn bits(&self) -> BigUint {
        self.bits.clone()
    }

    /// Sets a field; one without bits takes only 0.
    pub fn set(&mut self, kind: FieldKind, value: u64) {
        let Some(field) = self.layout.field(kind) else {
            assert_eq!(value, 0, "{kind} has no bits");
            return;
        };
        self.set_bits(field.low, field.width.min(64), value);
    }

    /// Sets `width` bits from bit `low` on.
    pub fn set_bits(&mut self, low: u32, width: u32, value: u64) {
        assert_eq!(truncate(value, width), value, "{value} in {width} bits");
        for i in 0..width {
            self.bits.set_bit(u64::from(low + i), value >> i & 1 == 1);
        }
    }
}

/// How often ports stall, in percent.
#[derive(Clone, Copy)]
pub struct StallRates {
    pub sources: u32,
    pub sinks: u32,
}

impl StallRates {
    /// Often none, often many.
    pub fn random(rng: &mut Rng) -> StallRates {
        let levels = [0, 0, 20, 50, 80];
        StallRates { sources: *rng.pick(&levels), sinks: *rng.pick(&levels) }
    }
}

/// What went through.
pub struct Log {
    /// By input: the tokens taken.
    pub taken: Vec<Vec<BenchToken>>,
    /// By input: the token still waiting.
    pub waiting: Vec<Option<BenchToken>>,
    /// By output: the tokens that left.
    pub left: Vec<Vec<BenchToken>>,
    /// `error_code` in the last cycle.
    pub error: u16,
}

/// A component under test.
pub struct TestBench {
    sim: Evaluator,
    module: Arc<Module>,
    inputs: Vec<(String, ChannelType)>,
    outputs: Vec<(String, ChannelType)>,
    seed: u64,
}

impl TestBench {
    /// The component, reset and configured.
    pub fn new(component: &Component, index_width: u32, config: &Config, seed: u64) -> TestBench {
        let module = planted(&parts::component(component, index_width));
        let mut sim = Evaluator::new(&module);
        if config.layout.bits > 0 {
            sim.set("cfg", config.bits.clone());
        }
        let named = |side: &str, types: Vec<ChannelType>| {
            let alone = module.port(&format!("{side}_valid")).is_some();
            let name = |i: usize| if alone { side.to_string() } else { format!("{side}{i}") };
            types.into_iter().enumerate().map(|(i, ty)| (name(i), ty)).collect::<Vec<_>>()
        };
        let (inputs, outputs) = (named("in", component.inputs()), named("out", component.outputs()));
        let mut bench = TestBench { sim, module, inputs, outputs, seed };
        let nothing = vec![None; bench.inputs.len()];
        let not_ready = vec![false; bench.outputs.len()];
        bench.drive(&nothing, &not_ready);
        bench.sim.reset();
        bench
    }

    fn drive(&mut self, offered: &[Option<BenchToken>], ready: &[bool]) {
        for ((name, ty), token) in self.inputs.iter().zip(offered) {
            self.sim.set(&format!("{name}_valid"), u32::from(token.is_some()));
            // Data without valid is anything.
            let token = token.unwrap_or(BenchToken { data: u64::MAX, tag: u64::MAX }.resized(*ty));
            for (what, width, value) in [("data", ty.width, token.data), ("tag", ty.tag, token.tag)] {
                if width > 0 {
                    self.sim.set(&format!("{name}_{what}"), value);
                }
            }
        }
        for ((name, _), ready) in self.outputs.iter().zip(ready) {
            self.sim.set(&format!("{name}_ready"), u32::from(*ready));
        }
    }

    fn shown(&mut self) -> Shown {
        let sim = &mut self.sim;
        let mut bits = |name: String, width: u32| if width > 0 { sim.get_u64(&name) } else { 0 };
        let out = (self.outputs.iter())
            .map(|(name, ty)| {
                let valid = bits(format!("{name}_valid"), 1) == 1;
                valid.then(|| BenchToken {
                    data: bits(format!("{name}_data"), ty.width),
                    tag: bits(format!("{name}_tag"), ty.tag),
                })
            })
            .collect();
        let ready = self.inputs.iter().map(|(name, _)| bits(format!("{name}_ready"), 1) == 1).collect();
        let mut maybe =
            |name: &str| if self.module.port(name).is_some() { self.sim.get_u64(name) } else { 0 };
        Shown { out, ready, error: maybe("error_code") as u16, busy: maybe("busy") == 1 }
    }

    /// `error_code` as configured, before any token.
    pub fn config_error(&mut self) -> u16 {
        self.shown().error
    }

    /// Runs beside the model. `source(rng, i)` makes the next token of input i; `None` lets it rest a cycle.
    pub fn run(
        &mut self,
        model: &mut dyn ContractModel,
        rng: &mut Rng,
        stalls: StallRates,
        cycles: usize,
        source: &mut dyn FnMut(&mut Rng, usize) -> Option<BenchToken>,
    ) -> Log {
        let mut log = Log {
            taken: vec![Vec::new(); self.inputs.len()],
            waiting: vec![None; self.inputs.len()],
            left: vec![Vec::new(); self.outputs.len()],
            error: 0,
        };
        let mut held: Vec<Option<BenchToken>> = vec![None; self.outputs.len()];
        for cycle in 0..cycles {
            for (i, waiting) in log.waiting.iter_mut().enumerate() {
                if waiting.is_none() && !rng.chance(stalls.sources) {
                    *waiting = source(rng, i).map(|t| t.resized(self.inputs[i].1));
                }
            }
            let offered = log.waiting.clone();
            let ready: Vec<bool> = self.outputs.iter().map(|_| !rng.chance(stalls.sinks)).collect();
            self.drive(&offered, &ready);
            let got = self.shown();
            let want = model.show(&offered, &ready);
            let place = format!(
                "{} seed {} cycle {cycle}, offered {offered:?}, ready {ready:?}",
                self.module.name, self.seed
            );
            assert_eq!(got, want, "{place}: left is the module, right the contract");
            for (o, held) in held.iter_mut().enumerate() {
                assert!(held.is_none() || got.out[o] == *held, "{place}: output {o} lets go of {held:?}");
                *held = got.out[o].filter(|_| !ready[o]);
                if ready[o] {
                    log.left[o].extend(got.out[o]);
                }
            }
            for (i, waiting) in log.waiting.iter_mut().enumerate() {
                if got.ready[i] {
                    log.taken[i].extend(waiting.take());
                }
            }
            log.error = got.error;
            model.edge(&offered, &ready, &got);
            self.sim.tick();
        }
        log
    }
}
