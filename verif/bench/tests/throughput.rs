//! H7 in Verilator: A activations of trip count N take exactly A*(N+1) cycles plus one constant for each machine.

use loom_bench::throughput::{Rig, StateMachine};
use loom_testkit::fabrics::root;

#[test]
fn state_machines_move_a_token_every_cycle() {
    let bench = Rig::new(&root().join("target/verilated")).unwrap_or_else(|d| panic!("{}", d[0].message));
    for machine in StateMachine::ALL {
        let measure = |a: u64, n: u64| {
            bench.cycles(machine, a, n).unwrap_or_else(|d| panic!("{machine:?} {a} {n}: {}", d[0].message))
        };
        // What the way in and out costs, from the smallest run; it may depend on nothing else.
        let constant = measure(1, 1) - 2;
        println!("{}: A*(N+1) + {constant}", machine.name());
        assert!(constant <= 6, "{machine:?}: {constant} cycles for two links and a buffer");
        for n in [0, 1, 2, 16, 1000] {
            for a in [1, 2, 5] {
                // A gate gives nothing for N = 0: the last transfer is the last input, taken by the link before it.
                let cycles = measure(a, n);
                if machine == StateMachine::Gate && n == 0 {
                    assert!(cycles <= a * (n + 1) + constant, "{machine:?} A={a} N={n}: {cycles}");
                } else {
                    assert_eq!(cycles, a * (n + 1) + constant, "{machine:?} A={a} N={n}");
                }
            }
        }
    }
}
