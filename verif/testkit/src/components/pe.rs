//! The PE with every unit, section 5 of the contract.

use super::bench::{BenchToken, Config, StallRates, TestBench};
use super::pe_model::{MuxBits, Pe, PeSetting};
#[cfg(test)]
use super::shapes::{bare_units, odd_units};
use loom_adg::layout::{payload, PayloadKind};
use loom_adg::model::{BodyKind, BodyOp, BodyValue, ChannelType, Component, FunctionUnit, SpatialPe};
use loom_base::{choice_bits, truncate, Rng};
#[cfg(test)]
use loom_dfg::Counter;
use loom_dfg::{OpKind, Type};

/// A payload region that its unit accepts.
fn legal_region(rng: &mut Rng, fu: &FunctionUnit, index_width: u32) -> u64 {
    payload(fu, index_width).iter().filter(|p| p.low < 64).fold(0, |region, p| {
        let value = match p.kind {
            PayloadKind::ContCond => 1 << rng.below(5),
            PayloadKind::Unsigned => rng.below(2) as u64,
            PayloadKind::Predicate => rng.below(10) as u64,
            PayloadKind::FloatPredicate => rng.below(16) as u64,
            PayloadKind::Select(operands) => rng.below(operands) as u64,
            PayloadKind::Literal | PayloadKind::JoinMask => truncate(rng.next_u64(), p.width),
        };
        region | value << p.low
    })
}

/// Muxes that all take a port of their own; some discard, some are off.
fn legal_muxes(rng: &mut Rng, count: usize, used: usize, ports: usize) -> Vec<MuxBits> {
    let mut free: Vec<usize> = (0..ports).collect();
    rng.shuffle(&mut free);
    let careless = rng.chance(30);
    let (discards, off) = if careless { (30, 20) } else { (5, 0) };
    (0..count)
        .map(|a| {
            // Off, its other bits mean nothing: any port, and whether it would discard.
            let idle = MuxBits { discard: rng.chance(50), disconnect: true, port: rng.below(ports) };
            if a < used && rng.chance(off) {
                return idle;
            }
            match free.pop() {
                Some(port) if a < used => MuxBits { discard: rng.chance(discards), disconnect: false, port },
                // Beyond the unit's ports a mux may discard what nobody needs.
                Some(port) if rng.chance(30) => MuxBits { discard: true, disconnect: false, port },
                _ => idle,
            }
        })
        .collect()
}

/// Small numbers and others.
fn immediates(rng: &mut Rng, pe: &SpatialPe, index_width: u32) -> Vec<u64> {
    let ty = ChannelType::bits(pe.immediate_width(index_width));
    (0..pe.immediates).map(|_| operand(rng, ty, 100).data).collect()
}

/// Data that makes something happen: small numbers, and now and then anything.
fn operand(rng: &mut Rng, ty: ChannelType, zeros: u32) -> BenchToken {
    let data = match rng.below(10) {
        0 => rng.next_u64(),
        1 if rng.chance(zeros) => 0,
        _ => rng.between(-6, 9) as u64,
    };
    let data = if data == 0 && zeros == 0 && ty.width > 1 { 1 } else { data };
    BenchToken { data, tag: 0 }.resized(ty)
}

/// Runs a PE under a random legal setting; returns the tokens that left and its last error.
pub fn run(pe: &SpatialPe, index_width: u32, opcode: usize, seed: u64, cycles: usize) -> (usize, u16) {
    let mut rng = Rng::new(seed);
    let fu = &pe.fus[opcode];
    let setting = PeSetting {
        enable: !rng.chance(4),
        opcode,
        ins: legal_muxes(&mut rng, pe.input_muxes(), fu.inputs.len(), pe.input_choices()),
        outs: legal_muxes(&mut rng, pe.output_demuxes(), fu.results.len(), pe.outputs.len()),
        region: legal_region(&mut rng, fu, index_width),
        immediates: immediates(&mut rng, pe, index_width),
    };
    let component = Component::SpatialPe(pe.clone());
    let mut config = Config::new(&component, index_width);
    setting.write(&mut config);
    let mut bench = TestBench::new(&component, index_width, &config, seed);
    assert_eq!(bench.config_error(), 0, "{setting:?}");
    let mut model = Pe::new(pe, index_width, &setting);
    let stalls = StallRates::random(&mut rng);
    let zeros = if rng.chance(30) { 100 } else { 0 };
    let log = bench
        .run(&mut model, &mut rng, stalls, cycles, &mut |rng, i| Some(operand(rng, pe.inputs[i], zeros)));
    (log.left.iter().map(Vec::len).sum(), log.error)
}

/// A PE with room for any unit of `fus`, and more ports than any needs.
pub fn roomy(fus: Vec<FunctionUnit>, index_width: u32, output_buffers: bool) -> SpatialPe {
    let most = |f: &dyn Fn(&FunctionUnit) -> usize| fus.iter().map(f).max().unwrap_or(0);
    let width = fus.iter().flat_map(|f| [f.inputs.clone(), f.output_types()].concat());
    let width = width.map(|t| t.width(index_width)).max().unwrap_or(0);
    let fus_have_bits = fus.iter().flat_map(|f| &f.inputs).any(|t| t.width(index_width) > 0);
    SpatialPe {
        inputs: vec![ChannelType::bits(width); most(&|f| f.inputs.len()) + 1],
        outputs: vec![ChannelType::bits(width); most(&|f| f.results.len()) + 1],
        fus,
        output_buffers,
        // Two, where some operand has bits.
        immediates: if fus_have_bits { 2 } else { 0 },
    }
}

#[test]
fn every_unit_alone() {
    let mut silent = Vec::new();
    for fu in odd_units().into_iter().chain(bare_units()) {
        let index_width = if fu.inputs.contains(&Type::Index) { 6 } else { 32 };
        let mut left = 0;
        for seed in 0..8 {
            let pe = roomy(vec![fu.clone()], index_width, seed % 2 == 0);
            left += run(&pe, index_width, 0, seed, 150 + 8 * fu.interval.max(0) as usize).0;
        }
        if left < 20 {
            silent.push(format!("{} {:?}", fu.name, fu.inputs));
        }
    }
    assert!(silent.is_empty(), "hardly a token left {silent:?}");
}

#[test]
fn units_together() {
    let mut rng = Rng::new(7);
    let all = odd_units();
    let mut small: Vec<FunctionUnit> = all.into_iter().filter(|f| f.inputs.len() < 6).collect();
    // One that others' payloads reach, whatever they say.
    small.extend((0..small.len() / 2).map(|k| selectable(k as i32 % 2, 1, false)));
    for seed in 0..60 {
        let fus: Vec<FunctionUnit> = (0..2 + rng.below(6)).map(|_| rng.pick(&small).clone()).collect();
        let buffers = rng.chance(50);
        let opcode = rng.below(fus.len());
        run(&roomy(fus, 32, buffers), 32, opcode, seed, 120);
    }
}

/// Streams of few bits overflow, of many run long; both with and without zero steps.
#[test]
fn streams_at_any_width() {
    let mut failed = 0;
    for op in Counter::all() {
        let index = Type::Index;
        let fu = FunctionUnit::single(op.name(), OpKind::Stream(op), &[index; 3], &[index, Type::I1]);
        let mut left = 0;
        for (at, width) in [2, 3, 4, 5, 8, 32, 63, 64].into_iter().enumerate() {
            for seed in 0..15 {
                let pe = roomy(vec![fu.clone()], width, true);
                let (tokens, error) = run(&pe, width, 0, seed + 100 * at as u64, 250);
                left += tokens;
                failed += usize::from(error == 259);
            }
        }
        assert!(left > 2_000, "only {left} tokens of `{op}`");
    }
    assert!(failed > 20, "only {failed} runs met a zero step");
}

/// Two outputs from a small graph.
pub fn compound(latency: i32, interval: i32, second: bool) -> FunctionUnit {
    let t = Type::Int(16);
    let input = BodyValue::Input;
    let result = |op: usize| BodyValue::Result { op, result: 0 };
    let op = |kind: OpKind, operands: &[BodyValue], ty| BodyOp {
        kind: kind.into(),
        operands: operands.to_vec(),
        results: vec![ty],
    };
    let mut fu = FunctionUnit {
        name: "graph".into(),
        inputs: vec![t, t, Type::I1],
        body: vec![
            op(OpKind::Muli, &[input(0), input(1)], t),
            op(OpKind::Subi, &[result(0), input(0)], t),
            op(OpKind::Select, &[input(2), result(1), input(1)], t),
        ],
        results: vec![result(2)],
        latency,
        interval,
    };
    if second {
        fu.body.push(op(OpKind::Cmpi, &[result(0), result(2)], Type::I1));
        fu.results.push(result(3));
    }
    fu
}

/// A product, a sum or both or another op, and a comparison beside them, by three muxes, of which two may select what is not there.
pub fn selectable(latency: i32, interval: i32, second: bool) -> FunctionUnit {
    let t = Type::Int(16);
    let input = BodyValue::Input;
    let result = |op: usize| BodyValue::Result { op, result: 0 };
    let op = |kind: BodyKind, operands: &[BodyValue], ty| BodyOp {
        kind,
        operands: operands.to_vec(),
        results: vec![ty],
    };
    let mut fu = FunctionUnit {
        name: "selectable".into(),
        inputs: vec![t; 3],
        body: vec![
            op(OpKind::Muli.into(), &[input(0), input(1)], t),
            op(BodyKind::Mux, &[result(0), input(0), input(1)], t),
            op(OpKind::Addi.into(), &[result(1), input(2)], t),
            op(OpKind::Xori.into(), &[input(0), input(2)], t),
            op(BodyKind::Mux, &[result(2), result(0), result(3)], t),
        ],
        results: vec![result(4)],
        latency,
        interval,
    };
    if second {
        fu.body.push(op(BodyKind::Mux, &[input(0), result(4)], t));
        fu.body.push(op(OpKind::Cmpi.into(), &[result(5), input(0)], Type::I1));
        fu.results.push(result(6));
    }
    fu
}

#[test]
fn settings_of_muxes() {
    let mut left = 0;
    for (latency, interval) in [(0, 1), (0, 3), (1, 1), (3, 2)] {
        for seed in 0..40 {
            let pe = roomy(vec![selectable(latency, interval, seed % 2 == 0)], 32, seed % 3 == 0);
            left += run(&pe, 32, 0, seed, 200).0;
        }
    }
    assert!(left > 4_000, "only {left} tokens left");
}

#[test]
fn latencies_and_intervals() {
    for latency in [0, 1, 2, 5] {
        for interval in [1, 2, 3, 7] {
            for seed in 0..6 {
                let second = seed % 2 == 0;
                let pe = roomy(vec![compound(latency, interval, second)], 32, seed % 3 == 0);
                run(&pe, 32, 0, seed, 250);
            }
        }
    }
}

#[test]
fn a_free_unit_keeps_its_interval() {
    for (latency, interval) in [(0, 1), (1, 1), (4, 1), (0, 3), (2, 3)] {
        let pe = roomy(vec![compound(latency, interval, true)], 32, false);
        let setting = PeSetting {
            enable: true,
            opcode: 0,
            ins: (0..3).map(MuxBits::to).collect(),
            outs: (0..2).map(MuxBits::to).collect(),
            region: 0,
            immediates: vec![0; pe.immediates],
        };
        let component = Component::SpatialPe(pe.clone());
        let mut config = Config::new(&component, 32);
        setting.write(&mut config);
        let mut bench = TestBench::new(&component, 32, &config, 0);
        let mut model = Pe::new(&pe, 32, &setting);
        let cycles = (latency + 20 * interval) as usize;
        let stalls = StallRates { sources: 0, sinks: 0 };
        let log = bench.run(&mut model, &mut Rng::new(1), stalls, cycles, &mut |rng, i| {
            Some(BenchToken::random(rng, pe.inputs[i]))
        });
        assert_eq!(log.left[0].len(), 20, "latency {latency}, interval {interval}");
        assert_eq!(log.left[1].len(), 20, "latency {latency}, interval {interval}");
    }
}

#[test]
fn every_wrong_setting_is_told() {
    let (t, c, x) = (Type::Int(8), Type::I1, Type::Index);
    let fus = vec![
        FunctionUnit::single("cmpi", OpKind::Cmpi, &[t, t], &[c]),
        FunctionUnit::single(
            "stream",
            OpKind::Stream(Counter::unsigned(loom_dfg::StepOp::Add)),
            &[x, x, x],
            &[x, c],
        ),
        FunctionUnit::single("addi", OpKind::Addi, &[t, t], &[t]),
        FunctionUnit::single("subi", OpKind::Subi, &[t, t], &[t]),
        selectable(0, 1, true),
    ];
    let w = ChannelType::bits(32);
    let pe = SpatialPe { inputs: vec![w; 3], outputs: vec![w; 3], fus, output_buffers: true, immediates: 2 };
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..3000 {
        *seen.entry(wrong_setting(&pe, 32, seed)).or_insert(0) += 1;
    }
    assert_eq!(seen.keys().copied().collect::<Vec<u16>>(), [0, 10, 11, 17, 18]);
}

/// A random setting, wrong or not; the error it has.
pub fn wrong_setting(pe: &SpatialPe, index_width: u32, seed: u64) -> u16 {
    let component = Component::SpatialPe(pe.clone());
    let mut rng = Rng::new(seed);
    let setting = PeSetting {
        enable: rng.chance(90),
        opcode: rng.below(1 << choice_bits(pe.fus.len())),
        ins: (0..pe.input_muxes()).map(|_| MuxBits::random(&mut rng, pe.input_choices())).collect(),
        outs: (0..pe.output_demuxes()).map(|_| MuxBits::random(&mut rng, pe.outputs.len())).collect(),
        region: if rng.chance(50) { 1 << rng.below(4) } else { rng.next_u64() },
        immediates: immediates(&mut rng, pe, index_width),
    };
    let mut config = Config::new(&component, index_width);
    setting.write(&mut config);
    let want = setting.error(pe, index_width);
    assert_eq!(TestBench::new(&component, index_width, &config, seed).config_error(), want, "{setting:?}");
    want
}
