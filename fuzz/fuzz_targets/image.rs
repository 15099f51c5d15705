//! Images of fixed fabrics: decoding. What is decoded and encoded again decodes to the same, and encodes to the same bits.

#![no_main]
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use loom_fuzz_targets::image;

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    image::mutate(data, size, max_size, seed)
});

fuzz_target!(|data: &[u8]| {
    let Some((fabric, image)) = image::of(data) else { return };
    let Ok((decoded, _)) = loom_gen::decode(fabric, &image) else { return };
    let canonical = image::encode(fabric, &image, &decoded);
    let (again, _) = loom_gen::decode(fabric, &canonical).expect("what was decoded is legal");
    assert!(again == decoded, "decoded, encoded and decoded");
    assert!(image::encode(fabric, &canonical, &again) == canonical, "not canonical");
    let _ = loom_gen::decode::unread(fabric, &image, &decoded);
});
