//! The default fabrics, unused: they start without an error, take nothing and stay idle.

use crate::common;
use loom_adg::{Fabric, Image};
use loom_base::Source;
use loom_sim::{NativeModel, Offer, Stimulus};
use std::path::Path;

#[test]
fn unused_default_fabrics_stay_idle() {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    for name in ["mesh-2x2", "mesh-4x4", "mesh-8x8", "general-4x4"] {
        let text = std::fs::read_to_string(configs.join(format!("{name}.toml"))).unwrap();
        let fabric = Fabric::new(loom_adg::toml::read(&Source::new(name, text)).unwrap());
        assert_eq!(fabric.units().len(), fabric.layout().slices.len());
        let mut model = NativeModel::new(&fabric, &Image::unused(&fabric)).unwrap();
        let trace = common::run(&mut model, &Stimulus::default());
        assert!(trace.completed && trace.idle && trace.leftover.is_empty() && trace.cycles == 0);
        // All links are buffers: each takes a token or two, which then finds no route.
        let offers = vec![Offer { valid: true, data: 1, tag: 0 }; fabric.flat().inputs.len()];
        for _ in 0..5 {
            model.step(&offers, &[]);
        }
        let (error, _) = model.error().unwrap();
        assert_eq!(error.code(), 262, "{name}");
    }
}
