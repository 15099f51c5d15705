//! The top: tiles, the tree of their errors, and the loader.

use super::chain::{has_segment, segment_name, Chain};
use super::compose::{any, pass_through, Composer, Part};
use super::tile::hosted_ports;
use super::tree::{self, tree_depth, Status};
use super::{top_name, Tiles};
use loom_adg::{ComponentId, Fabric};
use loom_hdl::ir::{Expr, Module};
use loom_hdl::parts as lib;
use loom_hdl::{Channel, Pins};
use std::sync::Arc;

/// Ports of the top beside its channels.
struct Ports {
    cfg_valid: Expr,
    cfg_ready: Expr,
    cfg_data: Expr,
    cfg_last: Expr,
    cfg_done: Expr,
    inputs: Vec<Channel>,
    outputs: Vec<Channel>,
    error_valid: Expr,
    error_code: Expr,
    error_unit: Expr,
    idle: Expr,
}

impl Ports {
    fn new(m: &mut Module, fabric: &Fabric) -> Ports {
        let types = |ports: &[loom_adg::model::Port]| -> Vec<_> { ports.iter().map(|p| p.ty).collect() };
        let top = &fabric.adg().top;
        Ports {
            cfg_valid: m.input("cfg_valid", 1),
            cfg_ready: m.output("cfg_ready", 1),
            cfg_data: m.input("cfg_data", 32),
            cfg_last: m.input("cfg_last", 1),
            cfg_done: m.output("cfg_done", 1),
            inputs: Channel::inputs(m, "in", &types(&top.inputs)),
            outputs: Channel::outputs(m, "out", &types(&top.outputs)),
            error_valid: m.output("error_valid", 1),
            error_code: m.output("error_code", 16),
            error_unit: m.output("error_unit", 16),
            idle: m.output("idle", 1),
        }
    }
}

/// The fabric's inputs behind the gate that opens with cfg_done, and what the loader wants to know of them.
struct Gate {
    open: Vec<Channel>,
    any_valid: Expr,
    any_transfer: Expr,
}

/// A tile's segment of the chain.
struct Segment {
    pes: bool,
    from: Chain,
    to: Chain,
}

/// The top module over the modules of the tiles.
pub(super) fn top_module(fabric: &Fabric, tiles: &Tiles, modules: &[Arc<Module>]) -> Arc<Module> {
    let body = &fabric.adg().top;
    let mut m = Module::new(top_name(fabric));
    document(&mut m, fabric);
    let ports = Ports::new(&mut m, fabric);
    let gate = gate(&mut m, &ports);
    let parts: Vec<Part> = (0..body.instances.len()).map(|i| part(fabric, tiles, modules, i)).collect();
    let composer = Composer::new(&mut m, body, &parts, gate.open.clone());
    let start = Chain::declare(&mut m, "chain");
    let segments = chain(&mut m, fabric, tiles, start.clone());

    let mut status: Vec<Status> = Vec::new();
    let mut outer = fabric.flat().ids();
    for (i, segments) in segments.iter().enumerate() {
        let tile = tiles.of(i);
        let mut pins = Pins::new();
        for segment in segments {
            segment.from.pins(&mut pins, &format!("{}_in", segment_name(segment.pes)));
            segment.to.pins(&mut pins, &format!("{}_out", segment_name(segment.pes)));
        }
        pins.pin("unit_base", Expr::konst(16, fabric.units_of_instance(i).start & 0xffff));
        let ids: Vec<ComponentId> = outer.by_ref().take(tile.body.instances.len()).collect();
        for (at, from) in hosted_ports(fabric, tile) {
            let to = &fabric.ports().of(ids[at]).expect("a tile has no other").signal;
            pass_through(&mut m, &parts[i].module, &format!("{from}_"), &format!("{to}_"), &mut pins);
        }
        let made = composer.place(&mut m, i, pins);
        let [code, unit, busy] = ["error_code", "error_unit", "busy"].map(|port| made.out(port));
        status.push(Status { code, unit, busy });
    }

    m.comment("Fabric outputs, and channels that lead nowhere.");
    composer.close(&mut m, &ports.outputs);
    m.comment("Errors and activity of all tiles, through a registered tree.");
    let root = tree::root(&mut m, status);
    m.comment("Loader, error collector and idle detection.");
    loader(&mut m, fabric, ports, gate, start, root);
    m.finish()
}

fn document(m: &mut Module, fabric: &Fabric) {
    let body = &fabric.adg().top;
    m.doc(&format!(
        "Fabric `{}`: {} tiles, {} configuration words, {} inputs, {} outputs.\n\
         Load config.bin through cfg_* (cfg_last with the last word); when cfg_done rises the inputs are open.\n\
         in<k> and out<k> are channels: a token moves in a cycle in which valid and ready are high.\n\
         The next activation of a graph that stores to memory may be offered only after the return control token of\n\
         the one before; graphs without stores may be fed back to back.\n\
         m<k>_axi_* are AXI4 masters of external memories, h<k>_* the host's ways into scratchpads.\n\
         The first error stays on error_code and error_unit. idle: nothing is in flight.",
        fabric.name(),
        body.instances.len(),
        fabric.layout().words,
        body.inputs.len(),
        body.outputs.len()
    ));
}

fn gate(m: &mut Module, ports: &Ports) -> Gate {
    m.comment("Inputs are open while cfg_done is high.");
    let (mut open, mut valids, mut transfers) = (Vec::new(), Vec::new(), Vec::new());
    for (k, w) in ports.inputs.iter().enumerate() {
        let valid = m.wire(&format!("open{k}_valid"), w.valid.and(&ports.cfg_done));
        let ready = m.declare(&format!("open{k}_ready"), 1);
        m.drive(&w.ready, ready.and(&ports.cfg_done));
        let channel = Channel { valid, ready, data: w.data.clone(), tag: w.tag.clone() };
        valids.push(w.valid.clone());
        transfers.push(channel.moves());
        open.push(channel);
    }
    let any_valid = m.wire("any_input_valid", any(&valids));
    let any_transfer = m.wire("any_input_transfer", any(&transfers));
    Gate { open, any_valid, any_transfer }
}

fn part(fabric: &Fabric, tiles: &Tiles, modules: &[Arc<Module>], i: usize) -> Part {
    let tile = tiles.of(i);
    let named = |ports: &[loom_adg::model::Port]| ports.iter().map(|p| (p.name.clone(), p.ty)).collect();
    Part {
        name: fabric.adg().top.instances[i].name.clone(),
        of: tile.name.clone(),
        module: modules[tiles.of_instance[i]].clone(),
        inputs: named(&tile.body.inputs),
        outputs: named(&tile.body.outputs),
    }
}

/// The chain runs through the PE parts of all tiles, last tile first, then through the other parts.
fn chain(m: &mut Module, fabric: &Fabric, tiles: &Tiles, start: Chain) -> Vec<Vec<Segment>> {
    let instances = &fabric.adg().top.instances;
    let mut segments: Vec<Vec<Segment>> = instances.iter().map(|_| Vec::new()).collect();
    let mut from = start;
    m.comment("The configuration chain.");
    for pes in [true, false] {
        for (i, instance) in instances.iter().enumerate().rev() {
            if has_segment(fabric, tiles.of(i), pes) {
                let to = Chain::declare(m, &format!("{}_{}", instance.name, segment_name(pes)));
                segments[i].push(Segment { pes, from, to: to.clone() });
                from = to;
            }
        }
    }
    m.unused(&from.valid);
    m.unused(&from.data);
    segments
}

fn loader(m: &mut Module, fabric: &Fabric, ports: Ports, gate: Gate, start: Chain, root: Status) {
    let depth = tree_depth(fabric.adg().top.instances.len());
    let module = lib::config_loader(fabric.layout().words, fabric.layout().slices.len(), depth);
    let pins = [
        ("cfg_valid", ports.cfg_valid),
        ("cfg_ready", ports.cfg_ready),
        ("cfg_data", ports.cfg_data),
        ("cfg_last", ports.cfg_last),
        ("cfg_done", ports.cfg_done),
        ("chain_valid", start.valid),
        ("chain_data", start.data),
        ("any_input_valid", gate.any_valid),
        ("any_input_transfer", gate.any_transfer),
        ("root_code", root.code),
        ("root_unit", root.unit),
        ("root_busy", root.busy),
        ("error_valid", ports.error_valid),
        ("error_code", ports.error_code),
        ("error_unit", ports.error_unit),
        ("idle", ports.idle),
    ];
    m.instance("loader", &module, &pins);
}
