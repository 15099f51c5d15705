//! Two thousand random programs: interpreter against graphs, both memory orders, random schedules and delays.

use loom_testkit::differential::{hunt, Done, Settings};

/// Programs of `make test`; `make fuzz` goes on for as long as told.
const PROGRAMS: u64 = 2000;

#[test]
fn programs_mean_what_their_graphs_compute() {
    let settings = Settings { schedules: 3, seed: 0, max_steps: 20_000 };
    let mut total = Done::default();
    for seed in 1..=PROGRAMS {
        match hunt(seed, &settings) {
            Ok(done) => {
                total.ops += done.ops;
                total.accesses += done.accesses;
                total.steps += done.steps;
            }
            Err(f) => panic!("seed {seed}: {}\n{}", f.message, f.text),
        }
    }
    println!(
        "{PROGRAMS} programs, {} ops, {} accesses, {} interpreter steps",
        total.ops, total.accesses, total.steps
    );
    // A generator that makes nothing tests nothing.
    assert!(total.ops > 10 * PROGRAMS as usize && total.accesses > PROGRAMS as usize);
}
