//! From a mapping to the bits of the image.

use crate::mapping::{Mapping, Step};
use crate::tech;
use loom_adg::layout::{FieldKind, Mux};
use loom_adg::{Adg, Component, Flat, Image, Layout, PeConfig};
use loom_dfg::Graph;

/// Sets every field that a legal mapping needs; all others stay as in an unused fabric.
pub fn image(graph: &Graph, adg: &Adg, flat: &Flat, layout: &Layout, mapping: &Mapping) -> Image {
    let mut image = Image::unused(layout);
    for node in graph.node_ids() {
        let p = &mapping.placements[node.0 as usize];
        let Component::SpatialPe(pe) = flat.component(adg, p.component) else {
            continue;
        };
        let mut inputs: Vec<Mux> = p.inputs.iter().map(|&i| Mux::Port(i)).collect();
        inputs.resize(pe.input_muxes(), Mux::Disconnect);
        let mut outputs: Vec<Mux> = p.outputs.iter().map(|o| o.map_or(Mux::Discard(0), Mux::Port)).collect();
        outputs.resize(pe.output_demuxes(), Mux::Disconnect);
        let payload = tech::payload(graph, node, &pe.fus[p.fu], adg.index_width);
        let config = PeConfig { opcode: p.fu, inputs, outputs, payload };
        config.write(&mut image, layout, p.component, pe, adg.index_width);
    }
    for step in mapping.routes.iter().flat_map(|r| &r.steps) {
        match *step {
            Step::Switch { component, input, output } => {
                image.set(layout, component, FieldKind::Route { output, input }, 1);
            }
            Step::Fifo { component, bypass: true } => image.set(layout, component, FieldKind::Bypass, 1),
            Step::Fifo { bypass: false, .. } => {}
        }
    }
    image
}
