//! rust-hdl's simulation of every control block against the imported module in the IR evaluator: 40 thousand random
//! cycles each, resets included, every output in every cycle. In every state that is reached all inputs are met.

use loom_base::rng::Rng;
use loom_hdl::control::{
    CarryBrControl, CarryControl, ElasticBufferControl, GateControl, InvariantBrControl, InvariantControl,
    StreamControl,
};
use loom_hdl::ir::Evaluator;
use loom_hdl::leaf;
use rust_hdl::prelude::{simulate, Block, Clock};
use std::collections::BTreeSet;

const CYCLES: usize = 40_000;

fn settle(uut: &mut dyn FnMut(usize) -> bool) {
    assert!(uut(50), "the rust-hdl simulation does not settle");
}

macro_rules! same_behaviour {
    ($test:ident, $block:ty, $module:expr, inputs: $($input:ident)+, outputs: $($output:ident)+) => {
        #[test]
        fn $test() {
            let mut uut = <$block>::default();
            uut.connect_all();
            let mut sim = Evaluator::new(&$module);
            let mut rng = Rng::new(7);
            let (mut seen, mut met, mut states) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
            let module = $module;
            let state = |sim: &mut Evaluator| -> Vec<bool> {
                module.regs.iter().map(|r| sim.peek(&module.nets[r.net.index()].name).bits() > 0).collect()
            };
            for cycle in 0..CYCLES {
                let reset = cycle == 0 || rng.below(20) == 0;
                uut.clk.next = Clock { clk: false };
                uut.rst_n.next = !reset;
                // Half the cycles with valids and readys high more often than not, so that every state is reached.
                let often = if cycle / 50 % 2 == 0 { 70 } else { 50 };
                let mut inputs = Vec::new();
                $( let bit = rng.chance(often); inputs.push(bit); uut.$input.next = bit; sim.set(stringify!($input), u32::from(bit)); )+
                settle(&mut |n| simulate(&mut uut, n));
                if cycle > 0 {
                    let now = state(&mut sim);
                    states.insert(now.clone());
                    met.insert((now, inputs.clone()));
                    $(
                        let (ours, theirs) = (sim.get_u64(stringify!($output)), u64::from(uut.$output.val()));
                        assert_eq!(ours, theirs, "cycle {cycle}: {}", stringify!($output));
                        seen.insert((stringify!($output), ours));
                    )+
                }
                uut.clk.next = Clock { clk: true };
                settle(&mut |n| simulate(&mut uut, n));
                if reset { sim.reset() } else { sim.tick() }
            }
            // The stimulus reached both values of every output, or the comparison says little.
            let outputs = [$( stringify!($output) ),+];
            assert_eq!(seen.len(), 2 * outputs.len(), "{seen:?}");
            let inputs = [$( stringify!($input) ),+].len();
            assert_eq!(met.len(), states.len() << inputs, "{states:?}");
        }
    };
}

same_behaviour!(carry, CarryControl, leaf::carry_control(),
    inputs: d_valid d_bit a_valid b_valid o_room,
    outputs: d_ready a_ready b_ready o_push select_b busy);
same_behaviour!(invariant, InvariantControl, leaf::invariant_control(),
    inputs: d_valid d_bit a_valid o_room,
    outputs: d_ready a_ready o_push select_stored busy);
same_behaviour!(carry_br, CarryBrControl, leaf::carry_br_control(),
    inputs: d_valid d_bit a_valid b_valid t_room f_room,
    outputs: d_ready a_ready b_ready t_push f_push select_b busy);
same_behaviour!(invariant_br, InvariantBrControl, leaf::invariant_br_control(),
    inputs: d_valid d_bit a_valid t_room f_room,
    outputs: d_ready a_ready t_push f_push select_stored busy);
same_behaviour!(gate, GateControl, leaf::gate_control(),
    inputs: value_valid cond_valid cond_bit o_value_room o_cond_room,
    outputs: take o_value_push o_cond_push busy);
same_behaviour!(stream, StreamControl, leaf::stream_control(),
    inputs: start_valid step_valid bound_valid step_is_zero cont_bit hold o_idx_room o_cont_room,
    outputs: accept push advance error busy);
same_behaviour!(elastic_buffer, ElasticBufferControl, leaf::elastic_buffer_control(),
    inputs: in_valid out_ready,
    outputs: in_ready out_valid load_head head_from_tail load_tail);
