//! Every kernel on the default fabrics: the interval that must not get worse, the files, and routes of which no step is
//! free.

use crate::common::{kernel, kernels, Target};
use expect_test::expect_file;
use loom_adg::ComponentId;
use loom_map::Step;

/// (kernel, fabric, most II): what the mapper reaches now and must not lose.
const REACHED: &[(&str, &str, f64)] = &[
    ("carry", "2x2", 1.0),
    ("carry", "4x4", 1.0),
    ("collatz", "2x2", 3.0),
    ("collatz", "4x4", 3.0),
    ("diamond", "2x2", 6.5),
    ("diamond", "4x4", 5.0),
    ("gate", "2x2", 1.0),
    ("gate", "4x4", 1.0),
    ("invariant", "2x2", 1.0),
    ("invariant", "4x4", 1.0),
    ("nested", "4x4", 1.0),
    ("nested", "8x8", 1.0),
    ("stream", "2x2", 1.0),
    ("stream", "4x4", 1.0),
    ("stream_gate_carry", "2x2", 1.0),
    ("stream_gate_carry", "4x4", 1.0),
    ("sum", "2x2", 1.0),
    ("sum", "4x4", 1.0),
    ("sum", "6x6", 1.0),
    ("sum", "8x8", 1.0),
];

#[test]
fn every_kernel_reaches_its_interval() {
    for name in kernels() {
        assert!(REACHED.iter().any(|r| r.0 == name), "`{name}` is not in the list");
    }
    for size in ["2x2", "4x4", "6x6", "8x8"] {
        let fabric = Target::mesh(size);
        for &(name, _, most) in REACHED.iter().filter(|r| r.1 == size) {
            let graph = kernel(name);
            for seed in [1, 2] {
                let mapped =
                    fabric.map_seed(&graph, seed).unwrap_or_else(|d| panic!("{name} on {size}: {d:#?}"));
                let t = mapped.timing;
                assert!(t.ii <= most + 1e-9, "{name} on {size}, seed {seed}: II {} above {most}", t.ii);
                assert!(mapped.mii_ops <= t.mii + 1e-9 && t.mii <= t.ii + 1e-9, "{name}: bounds {t:?}");
                assert!(fabric.check(&graph, &mapped.mapping).is_empty());
            }
        }
    }
}

#[test]
fn a_mapping_reads_back() {
    let fabric = Target::mesh("4x4");
    for name in kernels() {
        let graph = kernel(&name);
        let mapped = fabric.map(&graph).expect("a mapping");
        let text = fabric.json(&graph, &mapped);
        let read = fabric.read(&graph, &text).unwrap_or_else(|d| panic!("{name}: {d:#?}"));
        assert_eq!(read.mapping, mapped.mapping, "{name}");
        assert_eq!(fabric.json(&graph, &read), text, "{name}");
    }
}

#[test]
fn reports_of_sum() {
    let fabric = Target::mesh("2x2");
    let graph = kernel("sum");
    let mapped = fabric.map(&graph).expect("a mapping");
    let text = loom_map::report::text(&graph, &fabric, 1, &mapped, None);
    // The hash changes with every detail of the fabric; the rest is what this looks at.
    let text = text.replace(&fabric.hash()[..12], "<hash>");
    expect_file!["sum.map.txt"].assert_eq(&text);
}

/// Of each kernel with a recurrence of more than a cycle: its ops add up to what the mapping says of its slowest loop.
#[test]
fn slowest_turns_are_shown_op_by_op() {
    let fabric = Target::mesh("4x4");
    let mut all = String::new();
    for name in kernels() {
        let graph = kernel(&name);
        let mapped = fabric.map(&graph).expect("a mapping");
        let text = loom_map::report::text(&graph, &fabric, 1, &mapped, None);
        let Some((_, turns)) = text.split_once("\nslowest turns\n") else {
            assert!(mapped.timing.mii < 2.0, "{name}: {}", mapped.timing.mii);
            continue;
        };
        let mut left = 0;
        for line in turns.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                [cycles, "cycles", ..] => {
                    assert_eq!(left, 0, "{name}: {turns}");
                    left = cycles.parse::<u64>().expect("a number");
                }
                ["way", "op"] => {}
                [way, op, ..] => {
                    left -= [way, op].map(|n| n.parse::<u64>().expect("a number")).iter().sum::<u64>()
                }
                _ => panic!("{name}: {line}"),
            }
        }
        assert_eq!(left, 0, "{name}: {turns}");
        all += &format!("{name}\n{turns}");
    }
    expect_file!["turns.txt"].assert_eq(&all);
}

#[test]
fn any_other_step_is_refused() {
    // Whatever one step of a route is turned into, the mapping is no longer legal.
    let fabric = Target::mesh("4x4");
    let graph = kernel("nested");
    let legal = fabric.map(&graph).expect("a mapping").mapping;
    let mut rng = loom_base::Rng::new(5);
    let mut tried = 0;
    for _ in 0..500 {
        let mut m = legal.clone();
        let r = rng.below(m.routes.len());
        if m.routes[r].steps.is_empty() {
            continue;
        }
        let s = rng.below(m.routes[r].steps.len());
        let component = ComponentId(rng.below(fabric.flat().components.len()) as u32);
        m.routes[r].steps[s] = if rng.chance(50) {
            Step::Fifo { component, bypass: rng.chance(50) }
        } else {
            Step::Switch { component, input: rng.below(20), output: rng.below(28) }
        };
        if m != legal {
            tried += 1;
            assert!(!fabric.check(&graph, &m).is_empty(), "{:?}", m.routes[r].steps[s]);
        }
    }
    assert!(tried > 400);
}
