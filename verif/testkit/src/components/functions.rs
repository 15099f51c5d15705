//! Units of functions of one 16-bit float against their definition, alone in the evaluator, under stalls on both sides: every operand,
//! and in each cycle whether they take one, show a result, and are busy.

use super::planted::planted;
use loom_adg::model::FunctionUnit;
use loom_base::Rng;
use loom_dfg::eval::eval_arith;
use loom_dfg::{Op, OpKind, Type};
use loom_hdl::ir::{Evaluator, Module};
use loom_hdl::parts::function_unit;
use std::collections::VecDeque;
use std::sync::Arc;

/// Of units.
const INDEX_WIDTH: u32 = 32;
/// Percent of the cycles.
const STALLS: u32 = 20;

fn unit(kind: OpKind, ty: Type) -> FunctionUnit {
    FunctionUnit::single(kind.mnemonic(), kind, &[ty], &[ty])
}

/// The unit's module.
pub fn module(kind: OpKind, ty: Type) -> Arc<Module> {
    function_unit(&unit(kind, ty), INDEX_WIDTH)
}

/// All operands, neighbours far from each other.
pub fn every_operand(kind: OpKind, ty: Type) {
    operands(kind, ty, 1 << 16);
}

fn operands(kind: OpKind, ty: Type, count: u64) {
    let fu = unit(kind, ty);
    let (latency, interval) = (fu.latency as u64, fu.interval as u64);
    let mut sim = Evaluator::new(&planted(&module(kind, ty)));
    let mut rng = Rng::new(1);
    if latency > 0 {
        sim.reset();
    }
    let (mut taken, mut offered, mut free_at) = (0, false, 0);
    let mut inside: VecDeque<(u64, u64)> = VecDeque::new();
    for cycle in 0.. {
        if taken == count && inside.is_empty() && cycle >= free_at {
            break;
        }
        offered = taken < count && (offered || !rng.chance(STALLS));
        let ready = !rng.chance(STALLS);
        let x = if offered { (taken * 0x9e37) & 0xffff } else { rng.next_u64() & 0xffff };
        sim.set("in0_valid", u32::from(offered));
        sim.set("in0_data", x);
        sim.set("out0_ready", u32::from(ready));
        let shown = match latency {
            0 => offered.then_some(x),
            _ => inside.front().filter(|(from, _)| cycle >= *from).map(|(_, x)| *x),
        };
        let leaves = shown.is_some() && ready;
        let fires = offered && cycle >= free_at && (leaves || latency > 0 && inside.is_empty());
        let what = format!("{kind} at {ty}, cycle {cycle}");
        if latency > 0 {
            assert_eq!(sim.get_u64("busy") == 1, !inside.is_empty() || cycle < free_at, "{what}: busy");
        }
        assert_eq!(sim.get_u64("in0_ready") == 1, fires, "{what}: ready");
        assert_eq!(sim.get_u64("out0_valid") == 1, shown.is_some(), "{what}: valid");
        if let Some(x) = shown {
            let want = eval_arith(Op::Plain(kind), &[ty], ty, INDEX_WIDTH, &[x]);
            let got = sim.get_u64("out0_data");
            assert_eq!(got, want, "{what}: {got:x} of {x:x}, {want:x} is right");
        }
        if leaves {
            inside.pop_front();
        }
        if fires {
            (taken, offered, free_at) = (taken + 1, false, cycle + interval);
            if latency > 0 {
                inside.push_back((cycle + latency, x));
            }
        }
        if latency > 0 {
            sim.tick();
        }
    }
}

#[test]
fn some_operands() {
    for ty in [Type::Bf16, Type::F16] {
        for kind in [OpKind::Exp, OpKind::Sin, OpKind::Sqrt, OpKind::Rsqrt] {
            operands(kind, ty, 300);
        }
    }
}
