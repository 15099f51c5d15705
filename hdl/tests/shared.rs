//! Units that share hardware against the same units alone: any one of them active, on random operands under stalls, every port
//! in every cycle.

use loom_adg::model::{ChannelType, FunctionUnit, Resource, SpatialPe};
use loom_base::{truncate, Rng};
use loom_dfg::{OpKind, Type};
use loom_hdl::ir::Evaluator;
use loom_hdl::parts::{function_unit, shared_units};
use loom_testkit::tools::area;

fn unit(kind: OpKind, from: Type, to: Type) -> FunctionUnit {
    FunctionUnit::single(format!("{kind}_{from}_{to}"), kind, &vec![from; kind.operand_count()], &[to])
}

fn pe(fus: Vec<FunctionUnit>) -> SpatialPe {
    let ports = vec![ChannelType::bits(64); 2];
    SpatialPe { inputs: ports.clone(), outputs: ports, fus, output_buffers: false, immediates: 0 }
}

/// Operands that are alike, near each other, small, or anything.
fn operand(rng: &mut Rng, before: Option<u64>) -> u64 {
    match (rng.below(6), before) {
        (0, Some(v)) => v,
        (1, Some(v)) => v ^ (1 << rng.below(64)),
        (2, _) => rng.below(70) as u64,
        (3, _) => rng.next_u64() >> rng.below(64),
        (4, _) => [0, u64::MAX, 1 << 31, 0x7f80_0000, 0xff80_0000, 0x8000_0000, 0x7fc0_0000][rng.below(7)],
        _ => rng.next_u64(),
    }
}

/// Runs both for some cycles and compares what they show.
fn lockstep(resource: Resource, fus: &[&FunctionUnit], chosen: usize, cycles: usize) {
    let fu = fus[chosen];
    let module = shared_units(resource, fus, 32);
    let alone = function_unit(fu, 32);
    let (mut both, mut one) = (Evaluator::new(&module), Evaluator::new(&alone));
    let mut rng = Rng::new(chosen as u64 + 1);
    both.set("active", 1u64 << chosen);
    let clocked = module.needs_clk();
    if clocked {
        both.reset();
        one.reset();
    }
    let payload = alone.port("payload").map_or(0, |p| p.width);
    let mut waits = [None; 2];
    let mut fired = 0;
    for _ in 0..cycles {
        // Configuration changes only between tokens; a predicate may as well in every cycle of a combinational unit.
        if payload > 0 {
            let value = rng.below(1 << payload) as u64;
            both.set("payload", value);
            one.set("payload", value);
        }
        let mut before = None;
        for (a, wait) in waits.iter_mut().enumerate() {
            let Some(port) = module.port(&format!("in{a}_data")) else { continue };
            let valid = wait.is_some() || rng.chance(70);
            let value = wait.unwrap_or_else(|| truncate(operand(&mut rng, before), port.width));
            before = Some(value);
            *wait = valid.then_some(value);
            both.set(&format!("in{a}_valid"), u32::from(valid));
            both.set(&format!("in{a}_data"), value);
            if let Some(ty) = fu.inputs.get(a) {
                one.set(&format!("in{a}_valid"), u32::from(valid));
                one.set(&format!("in{a}_data"), truncate(value, ty.width(32)));
            }
        }
        let ready = u32::from(rng.chance(70));
        both.set("out0_ready", ready);
        one.set("out0_ready", ready);
        let at = format!("{resource:?}, {} among {}", fu.name, fus.len());
        let valid = one.get_u64("out0_valid");
        assert_eq!(both.get_u64("out0_valid"), valid, "{at}: valid");
        if valid == 1 {
            assert_eq!(both.get_u64("out0_data"), one.get_u64("out0_data"), "{at}: data of {waits:x?}");
        }
        for (a, wait) in waits.iter_mut().enumerate() {
            if module.port(&format!("in{a}_data")).is_none() {
                continue;
            }
            let ready = both.get_u64(&format!("in{a}_ready"));
            let expected = if a < fu.inputs.len() { one.get_u64(&format!("in{a}_ready")) } else { 0 };
            assert_eq!(ready, expected, "{at}: ready {a}");
            if ready == 1 && wait.is_some() {
                *wait = None;
                fired += usize::from(a == 0);
            }
        }
        for port in ["busy", "config_error"] {
            if module.port(port).is_some() {
                let expected = if alone.port(port).is_some() { one.get_u64(port) } else { 0 };
                assert_eq!(both.get_u64(port), expected, "{at}: {port}");
            }
        }
        if clocked {
            both.tick();
            one.tick();
        }
    }
    assert!(fired * (fu.interval as usize) > cycles / 20, "{}: {fired} firings", fu.name);
}

/// The groups of a PE, each with every unit of it active in turn.
fn check(fus: Vec<FunctionUnit>, expected: &[(Resource, usize)]) {
    let pe = pe(fus);
    let groups = pe.shared_units(32);
    let found: Vec<(Resource, usize)> =
        groups.iter().filter_map(|g| g.resource.map(|r| (r, g.units.len()))).collect();
    assert_eq!(found, expected);
    for group in groups {
        let Some(resource) = group.resource else { continue };
        let fus: Vec<&FunctionUnit> = group.units.iter().map(|&f| &pe.fus[f]).collect();
        for chosen in 0..fus.len() {
            lockstep(resource, &fus, chosen, if resource == Resource::Divider { 3000 } else { 1500 });
        }
    }
}

const INTEGERS: [OpKind; 13] = [
    OpKind::Addi,
    OpKind::Cmpi,
    OpKind::Subi,
    OpKind::Andi,
    OpKind::Ori,
    OpKind::Xori,
    OpKind::Shli,
    OpKind::Shrsi,
    OpKind::Shrui,
    OpKind::Maxsi,
    OpKind::Maxui,
    OpKind::Minsi,
    OpKind::Minui,
];

fn integers(kinds: &[OpKind], width: u8) -> Vec<FunctionUnit> {
    let ty = Type::Int(width);
    let result = |kind| if kind == OpKind::Cmpi { Type::I1 } else { ty };
    kinds.iter().map(|&kind| unit(kind, ty, result(kind))).collect()
}

#[test]
fn integers_share_at_any_width() {
    for width in [1, 5, 8, 32, 64] {
        let expected =
            [(Resource::Adder, 2), (Resource::Comparator, 5), (Resource::Logic, 3), (Resource::Shifter, 3)];
        check(integers(&INTEGERS, width), &expected);
    }
}

#[test]
fn parts_of_a_group_share_too() {
    use OpKind::*;
    for kinds in [
        [Addi, Addi],
        [Subi, Subi],
        [Cmpi, Cmpi],
        [Cmpi, Minui],
        [Maxsi, Maxsi],
        [Maxui, Minui],
        [Shli, Shli],
        [Shrui, Shli],
        [Shrui, Shrsi],
        [Andi, Xori],
        [Ori, Ori],
    ] {
        let pe = pe(integers(&kinds, 8));
        let resource = pe.shared_units(32)[0].resource.expect("they share");
        check(pe.fus, &[(resource, 2)]);
    }
}

#[test]
fn other_widths_and_timing_do_not_share() {
    let mut fus = integers(&[OpKind::Addi], 8);
    fus.extend(integers(&[OpKind::Subi], 16));
    check(fus, &[]);
    let mut fus = integers(&[OpKind::Addi, OpKind::Subi], 8);
    fus[1].latency = 1;
    check(fus.clone(), &[]);
    fus[0].latency = 1;
    check(fus.clone(), &[(Resource::Adder, 2)]);
    for fu in &mut fus {
        (fu.latency, fu.interval) = (2, 3);
    }
    check(fus, &[(Resource::Adder, 2)]);
}

#[test]
fn casts_share_at_all_widths() {
    let int = Type::Int;
    let casts = [
        (OpKind::Extsi, int(8), int(32)),
        (OpKind::Extsi, int(16), int(32)),
        (OpKind::Extui, int(1), int(32)),
        (OpKind::Extsi, int(1), int(12)),
        (OpKind::Trunci, int(32), int(1)),
        (OpKind::Trunci, int(16), int(8)),
        (OpKind::IndexCast, int(8), Type::Index),
        (OpKind::IndexCastui, int(16), Type::Index),
        (OpKind::IndexCast, Type::Index, int(32)),
        (OpKind::IndexCast, int(64), Type::Index),
        (OpKind::Bitcast, Type::F32, int(32)),
    ];
    let fus = |casts: &[(OpKind, Type, Type)]| casts.iter().map(|&(k, f, t)| unit(k, f, t)).collect();
    check(fus(&casts), &[(Resource::Extender, casts.len())]);
    for two in casts.windows(2) {
        check(fus(two), &[(Resource::Extender, 2)]);
    }
}

#[test]
fn divisions_share() {
    let kinds = [OpKind::Divsi, OpKind::Divui, OpKind::Remsi, OpKind::Remui];
    for width in [8, 32] {
        let mut fus = integers(&kinds, width);
        fus.iter_mut().for_each(|fu| fu.set_digit_time(32));
        check(fus.clone(), &[(Resource::Divider, 4)]);
        for skipped in 0..4 {
            let some: Vec<FunctionUnit> = (0..4).filter(|k| *k != skipped).map(|k| fus[k].clone()).collect();
            check(some, &[(Resource::Divider, 3)]);
        }
    }
}

#[test]
fn floats_share() {
    use OpKind::*;
    for ty in [Type::F16, Type::F32] {
        let float = |kind: OpKind| unit(kind, ty, if kind == Cmpf { Type::I1 } else { ty });
        let mut fus: Vec<FunctionUnit> =
            [Addf, Subf, Cmpf, Maximumf, Minimumf, Maxnumf, Minnumf].map(float).to_vec();
        let int = Type::I32;
        fus.extend([
            unit(Sitofp, int, ty),
            unit(Uitofp, int, ty),
            unit(Fptosi, ty, int),
            unit(Fptoui, ty, int),
        ]);
        let expected = [
            (Resource::FloatAdder, 2),
            (Resource::FloatComparator, 5),
            (Resource::FloatOfInteger, 2),
            (Resource::IntegerOfFloat, 2),
        ];
        check(fus.clone(), &expected);
        for fu in &mut fus {
            fu.latency = 1;
        }
        // A predicate belongs to its token only while that has no stages to go.
        fus.retain(|fu| fu.single_op() != Some(Cmpf));
        check(fus, &[(Resource::FloatAdder, 2), (Resource::FloatComparator, 4), expected[2], expected[3]]);
    }
}

#[test]
fn what_shares_is_smaller() {
    let least = |fus: Vec<FunctionUnit>, percent: usize| {
        let group = &pe(fus.clone()).shared_units(32)[0];
        let of: Vec<&FunctionUnit> = group.units.iter().map(|&f| &fus[f]).collect();
        let together = area(&shared_units(group.resource.expect("they share"), &of, 32)).0;
        let alone: usize = of.iter().map(|fu| area(&function_unit(fu, 32)).0 as usize).sum();
        assert!((together as usize) * 100 < alone * percent, "{}: {together} of {alone} gates", of[0].name);
    };
    least(integers(&[OpKind::Addi, OpKind::Subi], 32), 80);
    least(integers(&[OpKind::Shli, OpKind::Shrsi, OpKind::Shrui], 32), 60);
    let mut divisions = integers(&[OpKind::Divsi, OpKind::Divui, OpKind::Remsi, OpKind::Remui], 32);
    divisions.iter_mut().for_each(|fu| fu.set_digit_time(32));
    least(divisions, 40);
    least([OpKind::Addf, OpKind::Subf].map(|kind| unit(kind, Type::F32, Type::F32)).to_vec(), 60);
}
