//! What the tests of single units share.

use loom_adg::model::FunctionUnit;
use loom_base::{truncate, Rng};
use loom_hdl::ir::Evaluator;
use loom_hdl::parts::function_unit;

/// Runs the unit on the operands; operand i waits and goes by itself. Returns results and the cycle of each firing and
/// of each result's first offer.
pub fn run(
    fu: &FunctionUnit,
    index_width: u32,
    data: &[Vec<u64>],
    stalls: u32,
    seed: u64,
) -> (Vec<u64>, Vec<[usize; 2]>) {
    let mut sim = Evaluator::new(&function_unit(fu, index_width));
    drive(&mut sim, fu, index_width, data, stalls, seed)
}

/// The same on a unit that is there already, its payload set.
pub fn drive(
    sim: &mut Evaluator,
    fu: &FunctionUnit,
    index_width: u32,
    data: &[Vec<u64>],
    stalls: u32,
    seed: u64,
) -> (Vec<u64>, Vec<[usize; 2]>) {
    let mut rng = Rng::new(seed);
    let n = fu.inputs.len();
    for i in 0..n {
        sim.set(&format!("in{i}_valid"), 0u32);
        sim.set(&format!("in{i}_data"), 0u32);
    }
    sim.set("out0_ready", 0u32);
    let sequential = fu.latency > 0;
    if sequential {
        sim.reset();
        assert_eq!(sim.get_u64("busy"), 0);
    }
    let (mut taken, mut results, mut times) = (0, Vec::new(), Vec::new());
    let mut offered = vec![false; n];
    let mut shown: Option<u64> = None;
    let mut cycle = 0;
    while results.len() < data.len() {
        for (i, offered) in offered.iter_mut().enumerate() {
            *offered = taken < data.len() && (*offered || !rng.chance(stalls));
            sim.set(&format!("in{i}_valid"), u32::from(*offered));
            // Data without valid is anything.
            let value = if *offered { data[taken][i] } else { rng.next_u64() };
            sim.set(&format!("in{i}_data"), truncate(value, fu.inputs[i].width(index_width)));
        }
        let ready = !rng.chance(stalls);
        sim.set("out0_ready", u32::from(ready));
        let valid = sim.get_u64("out0_valid") == 1;
        let result = sim.get_u64("out0_data");
        if let Some(before) = shown {
            assert!(valid && result == before, "{} withdrew or changed a result", fu.name);
        }
        let fires = sim.get_u64("in0_ready") == 1;
        assert!(
            (0..n).all(|i| (sim.get_u64(&format!("in{i}_ready")) == 1) == fires),
            "all inputs fire at once"
        );
        if fires {
            assert!(offered.iter().all(|o| *o), "{} fires on what is not there", fu.name);
            times.push([cycle, usize::MAX]);
            taken += 1;
            offered.fill(false);
        }
        if sequential && valid && shown.is_none() {
            let at = results.len();
            times[at][1] = cycle;
        }
        shown = (valid && !ready).then_some(result);
        if valid && ready {
            results.push(result);
        }
        if sequential {
            sim.tick();
        }
        cycle += 1;
        assert!(cycle < 1_000_000, "{} hangs", fu.name);
    }
    if sequential {
        for _ in 0..fu.interval {
            sim.set("in0_valid", 0u32);
            sim.tick();
        }
        assert_eq!((sim.get_u64("busy"), sim.get_u64("out0_valid")), (0, 0), "{} holds something", fu.name);
    }
    (results, times)
}
