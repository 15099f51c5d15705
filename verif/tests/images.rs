//! Images that mean nothing: whatever the bits, the native model and the Verilog do the same, cycle for cycle, and
//! refuse the same images for the same reason.

mod common;

use common::{fabric, Fabric};
use loom_adg::Image;
use loom_base::stall::Stalls;
use loom_base::Rng;
use loom_sim::native::{NativeModel, Refusal};
use loom_sim::{Limits, Stimulus, Value};
use loom_verif::cosim::{FabricModel, Loaded};

/// Random tokens at every input, more than can be taken; nothing is ever complete.
fn stimulus(rng: &mut Rng, f: &Fabric) -> Stimulus {
    let inputs = f.adg.top.inputs.iter();
    Stimulus {
        gate: None,
        inputs: inputs
            .map(|port| {
                let count = if rng.chance(60) { rng.below(40) } else { 0 };
                let small = rng.chance(70);
                (0..count)
                    .map(|_| {
                        let data = if small { rng.between(-2, 5) as u64 } else { rng.next_u64() };
                        Value {
                            data: loom_base::truncate(data, port.ty.width),
                            tag: loom_base::truncate(rng.next_u64() & 3, port.ty.tag),
                        }
                    })
                    .collect()
            })
            .collect(),
        expected: vec![usize::MAX >> 16; f.adg.top.outputs.len()],
    }
}

/// Runs one image in both models, the Verilog from reset.
fn compare(f: &Fabric, model: &mut FabricModel, image: &Image, rng: &mut Rng, what: &str) -> bool {
    model.reset();
    let loaded = model.load(image);
    let mut native = match NativeModel::new(&f.adg, &f.flat, &f.layout, image) {
        Err(Refusal::Hardware(error, unit)) => {
            assert_eq!(loaded, Loaded::Error(error.code(), unit.0 as u16), "{what}");
            return false;
        }
        Err(refusal) => panic!("{what}: {refusal}"),
        Ok(native) => native,
    };
    assert_eq!(loaded, Loaded::Done, "{what}");
    let stimulus = stimulus(rng, f);
    let stalls = Stalls {
        seed: rng.next_u64(),
        source_percent: rng.below(50) as u32,
        sink_percent: rng.below(50) as u32,
    };
    let limits = Limits { max_cycles: 200, drain_cycles: 0 };
    let want = native.run(&stimulus, &stalls, &limits);
    let got = model.run(&stimulus, &stalls, &limits);
    assert_eq!(got.input_times, want.input_times, "{what}: input times");
    assert_eq!(got.outputs, want.outputs, "{what}: output tokens");
    let error = want.error.map(|(error, unit)| (error.code(), unit.0 as u16));
    assert_eq!(got.error, error, "{what}: error");
    want.outputs.iter().any(|o| !o.is_empty())
}

fn check(path: &str, images: usize) {
    let f = fabric(path);
    let built = f.verilated();
    let mut model = f.instance(&built);
    let mut moved = 0;
    for seed in 0..images as u64 {
        let mut rng = Rng::new(seed);
        let image = f.random_image(&mut rng);
        moved += usize::from(compare(&f, &mut model, &image, &mut rng, &format!("{path} image {seed}")));
    }
    assert!(moved * 4 > images, "only {moved} of {images} images moved a token to an output");
    // Garbage: a few bits of a legal image flipped. Most are refused, all the same way.
    for seed in 0..images as u64 {
        let mut rng = Rng::new(seed ^ 0xbad);
        let mut image = f.random_image(&mut rng);
        for _ in 0..=rng.below(3) {
            let at = rng.below(image.words.len());
            image.words[at] ^= 1 << rng.below(32);
        }
        compare(&f, &mut model, &image, &mut rng, &format!("{path} garbage {seed}"));
    }
}

#[test]
fn mesh_2x2() {
    check("configs/mesh-2x2.toml", 300);
}

/// Bodies of several ops, latencies, intervals, several outputs, control tokens.
#[test]
fn units() {
    check("configs/units.toml", 400);
}

/// Tag components, a temporal switch, a decomposable switch, a bypassable FIFO.
#[test]
fn tags() {
    check("configs/tags.toml", 400);
}
