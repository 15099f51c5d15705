//! Fabrics in both forms: reading, legality, layout. What is accepted is written as fabric MLIR and reads back to the same hash.

#![no_main]
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use loom_adg::{mlir, toml, Fabric, Image};
use loom_base::Source;
use loom_fuzz_targets::{render, text};

/// Larger ones are legal, and slow.
const INSTANCES: usize = 64;

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    text::mutate(data, size, max_size, seed)
});

fuzz_target!(|data: &[u8]| {
    let Some(text) = text::of(data) else { return };
    let (source, read) = if text.contains("fabric.module") {
        let source = Source::new("x.fabric.mlir", text);
        let read = mlir::read(&source);
        (source, read)
    } else {
        let source = Source::new("x.toml", text);
        let read = toml::read(&source);
        (source, read)
    };
    let adg = match read {
        Ok(adg) => adg,
        Err(d) => return render(&source, &d),
    };
    if adg.top.instances.len() > INSTANCES {
        return;
    }
    let written = mlir::write(&adg);
    let fabric = Fabric::new(adg);
    match mlir::read(&Source::new("again.fabric.mlir", written)) {
        Ok(again) => assert_eq!(fabric.hash(), Fabric::new(again).hash(), "hash"),
        Err(d) => panic!("what was written is refused: {}", d[0].message),
    }
    let (decoded, _) =
        loom_gen::decode(&fabric, &Image::unused(&fabric)).expect("an unused fabric's image is legal");
    assert!(decoded.pes.is_empty() && decoded.regions.is_empty(), "nothing is in use");
});
