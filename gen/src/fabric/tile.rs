//! A tile: components around their channels, configuration slices beside them, and the node of their errors.

use super::chain::{has_segment, segment_name, Chain};
use super::compose::{pass_through, Composer, Part};
use super::tree;
use loom_adg::fabric::hosted_signals;
use loom_adg::model::{Component, Instance, Of, Tile};
use loom_adg::Fabric;
use loom_base::Name;
use loom_hdl::ir::{Expr, Module};
use loom_hdl::parts as lib;
use loom_hdl::{Channel, Pins};
use std::sync::Arc;

/// The module of a tile; `components` are those of the fabric's definitions.
pub(super) fn tile_module(fabric: &Fabric, components: &[Arc<Module>], tile: &Tile) -> Arc<Module> {
    let body = &tile.body;
    let mut m = Module::new(tile_name(fabric.name(), &tile.name));
    document(&mut m, fabric, tile);
    let inputs = body.inputs.iter().map(|p| Channel::input(&mut m, &p.name, p.ty)).collect();
    let outputs: Vec<Channel> = body.outputs.iter().map(|p| Channel::output(&mut m, &p.name, p.ty)).collect();
    let mut chains: Vec<(bool, Chain)> = Vec::new();
    for pes in [false, true] {
        if has_segment(fabric, tile, pes) {
            chains.push((pes, Chain::input(&mut m, &format!("{}_in", segment_name(pes)))));
        }
    }
    let unit_base = m.input("unit_base", 16);
    let error_code = m.output("error_code", 16);
    let error_unit = m.output("error_unit", 16);
    let busy = m.output("busy", 1);

    let parts: Vec<Part> = body.instances.iter().map(|i| part(fabric, components, i)).collect();
    let composer = Composer::new(&mut m, body, &parts, inputs);
    let mut bits = vec![None; body.instances.len()];
    for (pes, chain) in chains {
        slices(&mut m, fabric, tile, pes, chain, &mut bits);
    }

    let mut units = Vec::new();
    let mut busies = Vec::new();
    let mut unit = 0u32;
    let hosted = hosted_ports(fabric, tile);
    for (i, instance) in body.instances.iter().enumerate() {
        let module = &parts[i].module;
        let mut pins = Pins::new();
        if let Some(bits) = &bits[i] {
            pins.pin("cfg", bits.clone());
        }
        for (_, name) in hosted.iter().filter(|(at, _)| *at == i) {
            pass_through(
                &mut m,
                module,
                memory_side(component(fabric, instance)),
                &format!("{name}_"),
                &mut pins,
            );
        }
        let made = composer.place(&mut m, i, pins);
        if bits[i].is_some() {
            if module.port("error_code").is_some() {
                let number = unit_base.add(&Expr::konst(16, unit));
                let number = m.wire(&format!("{}_unit", instance.name), number);
                units.push((made.out("error_code"), number));
            }
            unit += 1;
        }
        if module.port("busy").is_some() {
            busies.push(made.out("busy"));
        }
    }

    m.comment("Outputs of the tile, and outputs that lead nowhere.");
    composer.close(&mut m, &outputs);
    m.comment("Errors and activity, registered once.");
    let out = tree::Status { code: error_code, unit: error_unit, busy };
    tree::node(&mut m, "errors", &units, &busies, &out);
    if units.is_empty() {
        m.unused(&unit_base);
    }
    m.finish()
}

/// The module of a fabric's tile. No `__` is in the name of a tile, so that the last one begins it.
fn tile_name(fabric: &Name, tile: &str) -> String {
    format!("loom_tile_{}__{tile}", fabric.identifier())
}

fn document(m: &mut Module, fabric: &Fabric, tile: &Tile) {
    m.doc(&format!(
        "Tile `{}` of fabric `{}`: {} components around their channels, a configuration slice\n\
         beside each that has bits, and the node that collects their errors.\n\
         Error and busy outputs are registered. Configuration words enter at cfg_*_in and leave, registered,\n\
         at cfg_*_out; the last slice comes first.",
        tile.name,
        fabric.name(),
        tile.body.instances.len()
    ));
}

fn definition(instance: &Instance) -> usize {
    match instance.of {
        Of::Component(d) => d,
        Of::Tile(_) => unreachable!("legality: a tile holds components only"),
    }
}

fn component<'a>(fabric: &'a Fabric, instance: &Instance) -> &'a Component {
    &fabric.adg().definitions[definition(instance)].component
}

fn part(fabric: &Fabric, components: &[Arc<Module>], instance: &Instance) -> Part {
    let of = component(fabric, instance);
    let named = |side: &str, types: Vec<loom_adg::ChannelType>| {
        types.into_iter().enumerate().map(|(port, ty)| (port_name(of, side, port), ty)).collect()
    };
    Part {
        name: instance.name.clone(),
        of: fabric.adg().definitions[definition(instance)].name.clone(),
        module: components[definition(instance)].clone(),
        inputs: named("in", of.inputs()),
        outputs: named("out", of.outputs()),
    }
}

/// Name of a component's channel in its module.
fn port_name(component: &Component, side: &str, port: usize) -> String {
    match component {
        Component::SpatialPe(_) | Component::SpatialSw(_) | Component::TemporalSw(_) => {
            format!("{side}{port}")
        }
        Component::Memory(memory) => {
            let (inputs, outputs) = memory.ports();
            let ports = if side == "in" { inputs } else { outputs };
            lib::memory_port_name(memory, ports[port])
        }
        _ => side.to_string(),
    }
}

/// The configuration slices of one part of the chain, the last instance's first; gives each instance its `bits`.
fn slices(
    m: &mut Module,
    fabric: &Fabric,
    tile: &Tile,
    pes: bool,
    mut chain: Chain,
    bits: &mut [Option<Expr>],
) {
    m.comment(if pes { "Configuration of the PEs." } else { "Configuration of everything but the PEs." });
    for (i, instance) in tile.body.instances.iter().enumerate().rev() {
        let slice = &fabric.layout().definitions[definition(instance)];
        if component(fabric, instance).is_pe() != pes || slice.words() == 0 {
            continue;
        }
        let mut pins = Pins::new();
        chain.pins(&mut pins, "in");
        let module = lib::config_slice(slice.words(), slice.bits);
        let made = m.instance(&format!("{}_cfg", instance.name), &module, &pins);
        chain.data = made.out("out_data");
        bits[i] = Some(made.out("bits"));
    }
    // All slices of the tile shift at once; to the next tile a word goes by registers.
    let name = segment_name(pes);
    let mut pins = Pins::new();
    chain.pins(&mut pins, "in");
    let hop = m.instance(&format!("{name}_hop"), &lib::config_hop(), &pins);
    m.assign_output(&format!("{name}_out_valid"), hop.out("out_valid"));
    m.assign_output(&format!("{name}_out_data"), hop.out("out_data"));
}

/// Instances of a tile that share memory with the host, and what those ports of the tile begin with.
pub(super) fn hosted_ports(fabric: &Fabric, tile: &Tile) -> Vec<(usize, String)> {
    let memory = |(at, instance): (usize, &Instance)| match instance.of {
        Of::Component(d) => match &fabric.adg().definitions[d].component {
            Component::Memory(memory) => Some((at, *memory)),
            _ => None,
        },
        Of::Tile(_) => None,
    };
    let memories: Vec<_> = tile.body.instances.iter().enumerate().filter_map(memory).collect();
    let signals = hosted_signals(memories.iter().map(|(_, memory)| memory));
    memories.iter().zip(signals).filter_map(|((at, _), signal)| Some((*at, signal?))).collect()
}

/// What those ports begin with at the component.
fn memory_side(component: &Component) -> &'static str {
    match component {
        Component::Memory(memory) if memory.is_external() => "axi_",
        _ => "host_",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Two fabrics in one design may differ in nothing but what stands between the words of their names.
    #[test]
    fn tiles_of_two_fabrics_have_two_names() {
        let joined = |separators: [&str; 3]| {
            let words = ["a", "b", "c", "d"];
            separators
                .iter()
                .zip(&words[1..])
                .fold("a".to_string(), |text, (s, word)| format!("{text}{s}{word}"))
        };
        let mut pairs = 0;
        let mut made = BTreeSet::new();
        for k in 0..8 {
            let text = joined([0, 1, 2].map(|bit| if k >> bit & 1 == 1 { "-" } else { "_" }));
            for cut in [1, 3, 5] {
                let (fabric, tile) = (&text[..cut], &text[cut + 1..]);
                // What was cut away, and the hyphens that no tile has, say no more about a pair.
                if text.as_bytes()[cut] == b'_' && !tile.contains('-') {
                    pairs += 1;
                    made.insert(tile_name(&Name::hyphenated(fabric).expect("a name"), tile));
                }
            }
        }
        assert_eq!((pairs, made.len()), (7, 7), "{made:?}");
    }
}
