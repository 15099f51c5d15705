//! The default fabrics, unused: they start without an error, take nothing and stay idle.

mod common;

use loom_adg::{Flat, Image, Layout};
use loom_base::Source;
use loom_sim::{units, NativeModel, Offer, Stimulus};
use std::path::Path;

#[test]
fn unused_default_fabrics_stay_idle() {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    for name in ["mesh-2x2", "mesh-4x4", "mesh-8x8"] {
        let text = std::fs::read_to_string(configs.join(format!("{name}.toml"))).unwrap();
        let adg = loom_adg::toml::read(&Source::new(name, text)).unwrap();
        let flat = Flat::new(&adg);
        let layout = Layout::new(&adg, &flat);
        assert_eq!(units(&flat, &layout).len(), layout.slices.len());
        let mut model = NativeModel::new(&adg, &flat, &layout, &Image::unused(&layout)).unwrap();
        let trace = common::run(&mut model, &Stimulus::default());
        assert!(trace.completed && trace.idle && trace.leftover.is_empty() && trace.cycles == 0);
        // All links are buffers: each takes a token or two, which then finds no route.
        let offers = vec![Offer { valid: true, data: 1, tag: 0 }; flat.inputs.len()];
        for _ in 0..5 {
            model.step(&offers, &[]);
        }
        let (error, _) = model.error().unwrap();
        assert_eq!(error.code(), 262, "{name}");
    }
}
