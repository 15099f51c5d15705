//! From a mapping to the bits of the image.

use crate::mapping::{Mapping, Step};
use crate::model::{memory, netlist, tech};
use loom_adg::layout::whole_route;
use loom_adg::{Component, Fabric, FieldKind, Image, Mux, PeConfig};
use loom_dfg::Graph;

/// Sets every field that a legal mapping needs; all others stay as in an unused fabric.
pub fn image(graph: &Graph, fabric: &Fabric, mapping: &Mapping) -> Image {
    let mut image = Image::unused(fabric);
    let net = mapping.netlist(graph, fabric.index_width());
    let graph = &net;
    let lanes = memory::lanes(fabric);
    for node in graph.node_ids() {
        let p = &mapping.placements[node.0 as usize];
        let Component::SpatialPe(pe) = fabric.component(p.component) else {
            for &(component, kind, value) in
                lanes.get(&(p.component, p.fu)).into_iter().flat_map(|l| &l.settings)
            {
                image.set(fabric, component, kind, value);
            }
            continue;
        };
        let kind = graph.kind(node);
        let mut inputs = vec![Mux::Disconnect; pe.input_muxes()];
        let unit_inputs = tech::unit_inputs(graph, graph.node(node), &pe.fus[p.fu], fabric.index_width());
        for (&port, input) in p.inputs.iter().zip(unit_inputs) {
            inputs[input] = Mux::Port(port);
        }
        let mut outputs = vec![Mux::Disconnect; pe.output_demuxes()];
        for (result, port) in p.outputs.iter().enumerate() {
            outputs[netlist::unit_output(kind, result)] = port.map_or(Mux::Discard(0), Mux::Port);
        }
        let payload = tech::payload(graph, node, &pe.fus[p.fu], fabric.index_width());
        let mut immediates = vec![0; pe.immediates];
        for (operand, bits) in graph.immediates(graph.node(node)) {
            immediates[p.inputs[operand] - pe.inputs.len()] =
                tech::immediate(graph, node, operand, bits, fabric.index_width());
        }
        let config = PeConfig { opcode: p.fu, inputs, outputs, payload, immediates };
        config.write(&mut image, fabric, p.component);
    }
    // Base addresses of external memories stay 0: the host patches them.
    for r in memory::regions(graph, fabric, &memory::accesses(graph, mapping)).unwrap_or_default() {
        for (kind, value) in [
            (FieldKind::RegionValid(r.region), 1),
            (FieldKind::RegionStart(r.region), r.start as u64),
            (FieldKind::RegionEnd(r.region), r.end as u64),
            (FieldKind::RegionOffset(r.region), r.offset),
            (FieldKind::RegionSize(r.region), r.size.into()),
        ] {
            image.set(fabric, r.component, kind, value);
        }
    }
    for &step in mapping.routes.iter().flat_map(|r| &r.steps) {
        for (kind, value) in fields(fabric, step) {
            image.set(fabric, step.component(), kind, value);
        }
    }
    image
}

/// What a step asks of its component.
fn fields(fabric: &Fabric, step: Step) -> Vec<(FieldKind, u64)> {
    match step {
        Step::Switch { component, input, output } => match fabric.component(component) {
            Component::SpatialSw(sw) => {
                whole_route(sw, input, output).into_iter().map(|kind| (kind, 1)).collect()
            }
            _ => Vec::new(),
        },
        Step::Fifo { component, bypass } => match fabric.component(component) {
            Component::Fifo(f) if f.is_bypassable() => vec![(FieldKind::Bypass, bypass.into())],
            _ => Vec::new(),
        },
        Step::AddTag { tag, .. } => vec![(FieldKind::Tag, tag.into())],
        Step::MapTag { entry, from, to, .. } => vec![
            (FieldKind::EntryValid(entry), 1),
            (FieldKind::EntrySource(entry), from.into()),
            (FieldKind::EntryTarget(entry), to.into()),
        ],
        Step::DelTag { .. } => Vec::new(),
        Step::Slot { slot, tag, input, output, .. } => vec![
            (FieldKind::SlotValid(slot), 1),
            (FieldKind::SlotTag(slot), tag.into()),
            (FieldKind::SlotRoute { slot, output, input }, 1),
        ],
    }
}
