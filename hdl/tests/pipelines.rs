//! Units of every latency against the software definition: the cut of a body into stages changes no result, whatever stalls,
//! and no cycle; stages are as short as they should be; and what Verilator and yosys say to them.

use crate::common;
use crate::operands::{edges, pairs, random, shape, FLOATS};
use loom_adg::model::{ChannelType, FunctionUnit, SpatialPe};
use loom_base::{truncate, Rng};
use loom_dfg::eval::eval_arith;
use loom_dfg::{FloatPredicate, Op, OpKind, Predicate, Type};
use loom_hdl::ir::Evaluator;
use loom_hdl::parts::{function_unit, spatial_pe};
use loom_testkit::tools::{area, verilator_lint, write_files, yosys_check};
use OpKind::*;

fn unit(kind: OpKind, from: Type, to: Type, latency: i32) -> FunctionUnit {
    let name = format!("{}_{from}_{to}_l{latency}", kind.mnemonic());
    let fu = FunctionUnit::single(name, kind, &vec![from; kind.operand_count()], &[to]);
    FunctionUnit { latency, ..fu }
}

/// Operands of a type: its corners by each other, then random ones.
fn data(rng: &mut Rng, ty: Type, operands: usize, count: usize) -> Vec<Vec<u64>> {
    let width = ty.width(32);
    let corners: Vec<u64> = match ty.is_float() {
        true => edges(ty),
        false => [
            0,
            1,
            2,
            3,
            u64::MAX,
            u64::MAX - 1,
            1 << (width - 1),
            (1 << (width - 1)) - 1,
            0x5555_5555_5555_5555,
        ]
        .map(|v| truncate(v, width))
        .to_vec(),
    };
    let mut list = Vec::new();
    for k in 0..count {
        let around = if ty.is_float() { rng.next_u64() % (2 * shape(ty).1 + 2) } else { 0 };
        let one = |rng: &mut Rng| match ty.is_float() {
            _ if k % 3 == 0 => *rng.pick(&corners),
            true => random(rng, ty, around),
            false => truncate(rng.next_u64() >> rng.below(64), width),
        };
        list.push((0..operands).map(|_| one(rng)).collect());
    }
    list
}

/// The meanings of an op, each with its payload.
fn meanings(kind: OpKind) -> Vec<(Op, Option<u8>)> {
    match kind {
        Cmpf => FloatPredicate::all().map(|p| (Op::Cmpf(p), Some(p.code()))).collect(),
        Cmpi => (0..10).map(|k| (Op::Cmpi(Predicate::ALL[k as usize]), Some(k))).collect(),
        _ => vec![(Op::Plain(kind), None)],
    }
}

/// Results, cycles without stalls, and results with stalls.
fn check(kind: OpKind, from: Type, to: Type, latency: i32, list: &[Vec<u64>]) {
    let fu = unit(kind, from, to, latency);
    let meanings = meanings(kind);
    let each = list.len().div_ceil(meanings.len());
    for (&(op, payload), list) in meanings.iter().zip(list.chunks(each)) {
        let want: Vec<u64> = list.iter().map(|v| eval_arith(op, &fu.inputs, to, 32, v)).collect();
        for stalls in [0, 40] {
            let (got, times) = match payload {
                None => common::run(&fu, 32, list, stalls, 7),
                Some(payload) => {
                    let mut sim = Evaluator::new(&function_unit(&fu, 32));
                    sim.set("payload", payload);
                    common::drive(&mut sim, &fu, 32, list, stalls, 7)
                }
            };
            for ((got, want), operands) in got.iter().zip(&want).zip(list) {
                assert_eq!(got, want, "{} {op:?} of {operands:x?}: {got:x} for {want:x}", fu.name);
            }
            if stalls == 0 && latency > 0 {
                for (k, &[fired, offered]) in times.iter().enumerate() {
                    assert_eq!((fired, offered), (k, k + latency as usize), "{}", fu.name);
                }
            }
        }
    }
}

#[test]
fn float_units_of_any_latency() {
    let mut rng = Rng::new(1);
    for ty in FLOATS {
        for latency in 0..=4 {
            for kind in [Addf, Subf, Mulf, Fma, Maximumf, Minnumf, Floor, Negf] {
                check(kind, ty, ty, latency, &data(&mut rng, ty, kind.operand_count(), 120));
            }
            let meeting: Vec<Vec<u64>> = pairs(&mut rng, ty, 400).into_iter().step_by(31).collect();
            check(Addf, ty, ty, latency, &meeting);
            check(Mulf, ty, ty, latency, &meeting);
            check(Cmpf, ty, Type::I1, latency, &data(&mut rng, ty, 2, 320));
            check(Fptosi, ty, Type::Int(32), latency, &data(&mut rng, ty, 1, 100));
            check(Uitofp, Type::Int(32), ty, latency, &data(&mut rng, Type::Int(32), 1, 100));
        }
    }
}

#[test]
fn integer_units_of_any_latency() {
    let mut rng = Rng::new(2);
    let kinds = [Addi, Subi, Muli, Shli, Shrui, Shrsi, Maxsi, Minui, Absi, Ctlz, Ctpop, Xori, Bitreverse];
    for width in [1, 2, 3, 7, 8, 16, 31, 32, 33, 64] {
        let ty = Type::Int(width);
        for latency in 0..=4 {
            for kind in kinds {
                check(kind, ty, ty, latency, &data(&mut rng, ty, kind.operand_count(), 60));
            }
            check(Cmpi, ty, Type::I1, latency, &data(&mut rng, ty, 2, 60));
        }
    }
}

/// Every pair of operands of up to five bits: sums, products and shifts are taken apart in as many steps as they have bits.
#[test]
fn small_units_on_all_operands() {
    for width in 1..=5 {
        let ty = Type::Int(width);
        let all = 1u64 << width;
        let list: Vec<Vec<u64>> = (0..all * all).map(|k| vec![k / all, k % all]).collect();
        for kind in [Muli, Addi, Subi, Shli, Shrui, Shrsi, Maxsi] {
            for latency in [1, 2, 4] {
                check(kind, ty, ty, latency, &list);
            }
        }
    }
}

/// Gates between registers become fewer with the latency, until stages are as short as any.
#[test]
fn stages_share_the_way() {
    for (kind, ty) in [(Addf, Type::F32), (Mulf, Type::Bf16), (Muli, Type::Int(16))] {
        let depth = |latency| area(&function_unit(&unit(kind, ty, ty, latency), 32)).2;
        let depths: Vec<u32> = (0..=3).map(depth).collect();
        println!("{kind} {ty}: {depths:?}");
        assert!(depths.is_sorted_by(|a, b| a >= b), "{kind} {ty}: {depths:?}");
        assert!(depths[3] * 5 <= depths[0] * 2, "{kind} {ty}: {depths:?}");
    }
}

#[test]
fn pipelined_units_are_clean_in_verilator_and_yosys() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let mut tops = Vec::new();
    for latency in 1..=3 {
        let mut fus: Vec<FunctionUnit> = Vec::new();
        for ty in FLOATS {
            fus.extend([Addf, Mulf, Fma, Maximumf, Floor].map(|kind| unit(kind, ty, ty, latency)));
            fus.push(unit(Cmpf, ty, Type::I1, latency));
        }
        for ty in [Type::Int(8), Type::Int(32), Type::Int(64)] {
            fus.extend([Addi, Muli, Shli, Shrsi, Absi, Ctlz].map(|kind| unit(kind, ty, ty, latency)));
        }
        fus.push(unit(Cmpi, Type::Int(32), Type::I1, latency));
        fus.push(unit(Fptosi, Type::F32, Type::Int(32), latency));
        fus.push(unit(Sitofp, Type::Int(32), Type::F32, latency));
        let (inputs, outputs) = (vec![ChannelType::bits(64); 3], vec![ChannelType::bits(64); 1]);
        let top = spatial_pe(&SpatialPe { inputs, outputs, fus, output_buffers: false, immediates: 0 }, 32);
        let sub = dir.path().join(latency.to_string());
        std::fs::create_dir(&sub).expect("writable");
        let files = write_files(&top, &sub);
        verilator_lint(&top, &files);
        tops.push((top, files));
    }
    yosys_check(&tops);
}
