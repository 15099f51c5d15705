//! Two thousand random programs: interpreter against graphs, both memory orders, random schedules and delays.

use loom_base::rng::mix;
use loom_base::Rng;
use loom_front::differential::{check, Settings};
use loom_front::random::{random_program, shrink, RandomOptions};

/// Programs of `make test`.
const PROGRAMS: u64 = 2000;

#[test]
fn programs_mean_what_their_graphs_compute() {
    let programs = std::env::var("LOOM_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(PROGRAMS);
    let first = std::env::var("LOOM_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1u64);
    let settings = Settings { schedules: 3, seed: 0, max_steps: 20_000 };
    let (mut total, mut accesses, mut steps) = (0, 0, 0);
    let mut failures = 0;
    for seed in first..first + programs {
        let ops = std::env::var("LOOM_OPS").ok().and_then(|n| n.parse().ok());
        let program =
            random_program(&mut Rng::new(mix(seed)), &RandomOptions { ops, ..RandomOptions::default() });
        match std::panic::catch_unwind(|| check(&program, &settings)).unwrap_or_else(|_| Err("panic".into()))
        {
            Ok(done) => {
                total += done.ops;
                accesses += done.accesses;
                steps += done.steps;
            }
            Err(why) => {
                failures += 1;
                println!("seed {seed}: {why}");
            }
        }
        if failures > 10 {
            break;
        }
    }
    let _ = shrink;
    assert_eq!(failures, 0);
    println!("{programs} programs, {total} ops, {accesses} accesses, {steps} interpreter steps");
}
