//! Ports of arguments and results: the same whatever the seed.

use crate::common::{kernel, kernels, Target};
use loom_map::{MapOptions, Mapped, PinnedPort};

fn mapped(fabric: &Target, name: &str, seed: u64, pins: &[PinnedPort]) -> Mapped {
    let options = MapOptions { seed, ..MapOptions::default() };
    loom_map::try_map(&kernel(name), fabric, &options, pins, &mut |_, _| {})
        .unwrap_or_else(|u| panic!("{name}, seed {seed}: {:?}", u.diagnostics))
}

#[test]
fn ports_do_not_depend_on_the_seed() {
    let fabric = Target::mesh("4x4");
    let mut placed_otherwise = 0;
    for name in kernels() {
        let first = mapped(&fabric, &name, 1, &[]);
        assert_eq!(first.mapping, fabric.map(&kernel(&name)).expect("a mapping").mapping, "{name}");
        for seed in [0, 2, 77] {
            let other = mapped(&fabric, &name, seed, &[]);
            assert_eq!(other.mapping.arguments, first.mapping.arguments, "{name}, seed {seed}");
            assert_eq!(other.mapping.outputs, first.mapping.outputs, "{name}, seed {seed}");
            assert!(fabric.check(&kernel(&name), &other.mapping).is_empty(), "{name}, seed {seed}");
            placed_otherwise += usize::from(other.mapping.placements != first.mapping.placements);
        }
    }
    assert!(placed_otherwise > kernels().len(), "a seed changes where ops are");
}

/// What is pinned stays, and the rest is what seed 1 makes of it.
#[test]
fn pins_come_first() {
    let fabric = Target::mesh("4x4");
    let free = mapped(&fabric, "sum", 1, &[]);
    let taken = free.mapping.arguments.iter().flatten().max().expect("it has arguments");
    let argument = kernel("sum").arguments[0];
    let name = kernel("sum").value(argument).name.to_string();
    let pin = PinnedPort { name, is_input: true, port: taken + 1 };
    let first = mapped(&fabric, "sum", 1, std::slice::from_ref(&pin));
    assert_eq!(first.mapping.arguments[0], Some(pin.port));
    for seed in [2, 77] {
        let other = mapped(&fabric, "sum", seed, std::slice::from_ref(&pin));
        assert_eq!(other.mapping.arguments, first.mapping.arguments, "seed {seed}");
        assert_eq!(other.mapping.outputs, first.mapping.outputs, "seed {seed}");
    }
}
