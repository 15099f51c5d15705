//! Elaboration: an architecture becomes a hierarchy of RTL modules.
//!
//! One module per component shape, one per tile definition (a component that stands at the top level gets a tile of its
//! own), one top. A tile holds its components, a configuration slice beside each that has bits, and an error node. The
//! top holds the tiles, the trees for errors and idle, and the loader.
//!
//! Guarantees: the result passed the IR checks, the combinational cycle check over the whole hierarchy among them (H5).

use crate::codes;
use crate::wires::{connect, leads_nowhere, pass_through, prefix, Ends, Wires};
use loom_adg::fabric::hosted_signals;
use loom_adg::model::{Body, ChannelType, Component, Connection, End, Instance, Of, Port, Tile};
use loom_adg::{ComponentId, Fabric};
use loom_base::{Diagnostic, Diagnostics};
use loom_hdl::ir::{Design, Expr, Module};
use loom_hdl::parts as lib;
use std::sync::Arc;

/// Children of one node of the error and idle trees.
const TREE_ARITY: usize = 4;

/// An elaborated fabric.
#[derive(Debug)]
pub struct Elaborated {
    /// Name of the top module.
    pub top: String,
    /// Every module.
    pub design: Design,
}

/// Direction of a top-level port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into the fabric.
    Input,
    /// Out of the fabric.
    Output,
}

/// A port of the top module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopPort {
    /// Signal name.
    pub name: String,
    /// Bits.
    pub width: u32,
    /// Direction.
    pub direction: Direction,
}

/// Name of a fabric's top module.
pub fn top_name(fabric: &Fabric) -> String {
    let safe: String = fabric
        .name()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
        .collect();
    format!("loom_fabric_{safe}")
}

/// Depth of the error and idle trees of a fabric with that many tiles, in registers from a unit to the root.
pub fn tree_depth(tiles: usize) -> u32 {
    let mut depth = 1;
    let mut nodes = tiles;
    while nodes > 1 {
        nodes = nodes.div_ceil(TREE_ARITY);
        depth += 1;
    }
    depth
}

impl Elaborated {
    /// `<module>.v` with its text, in name order.
    pub fn files(&self) -> Vec<(String, String)> {
        self.design.files()
    }

    /// File names, the top first, every user before what it uses.
    pub fn filelist(&self) -> Vec<String> {
        self.design.filelist(&self.top)
    }

    /// Ports of the top in order, `clk` and `rst_n` first.
    pub fn ports(&self) -> Vec<TopPort> {
        let top = self.design.get(&self.top).expect("the top is in the design");
        let mut ports: Vec<TopPort> = [("clk", top.needs_clk()), ("rst_n", top.needs_rst())]
            .into_iter()
            .filter(|(_, there)| *there)
            .map(|(name, _)| TopPort { name: name.into(), width: 1, direction: Direction::Input })
            .collect();
        ports.extend(top.ports.iter().filter(|p| p.width > 0).map(|p| TopPort {
            name: p.name.clone(),
            width: p.width,
            direction: match p.dir {
                loom_hdl::ir::Dir::In => Direction::Input,
                loom_hdl::ir::Dir::Out => Direction::Output,
            },
        }));
        ports
    }
}

/// Elaborates a legal architecture.
pub fn elaborate(fabric: &Fabric) -> Result<Elaborated, Diagnostics> {
    let components: Vec<Arc<Module>> =
        fabric.adg().definitions.iter().map(|d| lib::component(&d.component, fabric.index_width())).collect();
    let (tiles, of_instance) = tiles(fabric);
    let modules: Vec<Arc<Module>> = tiles.iter().map(|tile| tile_module(fabric, &components, tile)).collect();
    let top = top_module(fabric, &tiles, &modules, &of_instance);
    let name = top.name.clone();
    let mut design = Design::new();
    design.add(&top);
    design.check(&name).map_err(|errors| {
        errors
            .into_iter()
            .map(|e| Diagnostic::error(codes::RTL_CHECK, e.to_string()))
            .collect::<Diagnostics>()
    })?;
    Ok(Elaborated { top: name, design })
}

/// Tile definitions, those made for components at the top level included, and the tile of each top instance.
fn tiles(fabric: &Fabric) -> (Vec<Tile>, Vec<usize>) {
    let mut tiles = fabric.adg().tiles.clone();
    let mut wrapper = vec![None; fabric.adg().definitions.len()];
    let of_instance = fabric
        .adg()
        .top
        .instances
        .iter()
        .map(|instance| match instance.of {
            Of::Tile(tile) => tile,
            Of::Component(definition) => *wrapper[definition].get_or_insert_with(|| {
                tiles.push(wrap(fabric, definition));
                tiles.len() - 1
            }),
        })
        .collect();
    (tiles, of_instance)
}

/// A tile that holds one component and has its ports.
fn wrap(fabric: &Fabric, definition: usize) -> Tile {
    let d = &fabric.adg().definitions[definition];
    let ports = |types: Vec<ChannelType>, side: &str| -> Vec<Port> {
        types.into_iter().enumerate().map(|(i, ty)| Port { name: format!("{side}{i}"), ty }).collect()
    };
    let inputs = ports(d.component.inputs(), "in");
    let outputs = ports(d.component.outputs(), "out");
    let inner = |port: usize| End::Instance { instance: 0, port };
    let connections = (0..inputs.len())
        .map(|k| Connection { from: End::Body(k), to: inner(k) })
        .chain((0..outputs.len()).map(|k| Connection { from: inner(k), to: End::Body(k) }))
        .collect();
    let instances = vec![Instance { name: "unit".into(), of: Of::Component(definition), position: None }];
    Tile { name: format!("of_{}", d.name), body: Body { inputs, outputs, instances, connections } }
}

/// One end of the configuration chain: a word and whether there is one.
#[derive(Clone)]
struct Chain {
    valid: Expr,
    data: Expr,
}

/// The two segments of the chain in a tile, as the top sees them; `true` when the tile has any slice of that part.
fn has_segment(fabric: &Fabric, tile: &Tile, pes: bool) -> bool {
    tile.body.instances.iter().any(|i| {
        let Of::Component(d) = i.of else { return false };
        fabric.adg().definitions[d].component.is_pe() == pes && fabric.layout().definitions[d].words() > 0
    })
}

fn segment_name(pes: bool) -> &'static str {
    if pes {
        "cfg_pe"
    } else {
        "cfg_route"
    }
}

fn tile_module(fabric: &Fabric, components: &[Arc<Module>], tile: &Tile) -> Arc<Module> {
    let body = &tile.body;
    let definition = |i: usize| match body.instances[i].of {
        Of::Component(d) => d,
        Of::Tile(_) => unreachable!("legality: a tile holds components only"),
    };
    let component = |i: usize| &fabric.adg().definitions[definition(i)].component;

    let mut m = Module::new(tile_name(fabric, tile));
    m.doc(&format!(
        "Tile `{}` of fabric `{}`: {} components around their channels, a configuration slice\n\
         beside each that has bits, and the node that collects their errors.\n\
         Error and busy outputs are registered. Configuration words enter at cfg_*_in and leave, registered,\n\
         at cfg_*_out; the last slice comes first.",
        tile.name,
        fabric.name(),
        body.instances.len()
    ));
    let inputs: Vec<Wires> = body.inputs.iter().map(|p| Wires::input_port(&mut m, &p.name, p.ty)).collect();
    let outputs: Vec<Wires> =
        body.outputs.iter().map(|p| Wires::output_port(&mut m, &p.name, p.ty)).collect();
    let mut chains: Vec<(bool, Chain)> = Vec::new();
    for pes in [false, true] {
        if has_segment(fabric, tile, pes) {
            let name = segment_name(pes);
            let valid = m.input(&format!("{name}_in_valid"), 1);
            let data = m.input(&format!("{name}_in_data"), 32);
            chains.push((pes, Chain { valid, data }));
        }
    }
    let unit_base = m.input("unit_base", 16);
    let error_code = m.output("error_code", 16);
    let error_unit = m.output("error_unit", 16);
    let busy = m.output("busy", 1);

    // Channels, by the component output they start from.
    let ends = Ends::new(body, &|i| (component(i).inputs().len(), component(i).outputs().len()));
    let mut wires: Vec<Vec<Wires>> = Vec::new();
    for (i, instance) in body.instances.iter().enumerate() {
        let of = component(i);
        m.comment(&format!("Channels out of {}.", instance.name));
        wires.push(
            (of.outputs().into_iter().enumerate())
                .map(|(port, ty)| {
                    let name = format!("{}_{}", instance.name, prefix(of, "out", port));
                    Wires::declare(&mut m, &name, ty)
                })
                .collect(),
        );
    }

    // Configuration bits, wired from the chains: the last instance's slice comes first.
    let mut bits: Vec<Option<Expr>> = vec![None; body.instances.len()];
    for (pes, chain) in &mut chains {
        m.comment(if *pes {
            "Configuration of the PEs."
        } else {
            "Configuration of everything but the PEs."
        });
        for (i, instance) in body.instances.iter().enumerate().rev() {
            let slice = &fabric.layout().definitions[definition(i)];
            if component(i).is_pe() != *pes || slice.words() == 0 {
                continue;
            }
            let module = lib::config_slice(slice.words(), slice.bits);
            let cfg = m.instance(
                &format!("{}_cfg", instance.name),
                &module,
                &[("in_valid", chain.valid.clone()), ("in_data", chain.data.clone())],
            );
            *chain = Chain { valid: cfg.out("out_valid"), data: cfg.out("out_data") };
            bits[i] = Some(cfg.out("bits"));
        }
        let name = segment_name(*pes);
        m.assign_output(&format!("{name}_out_valid"), chain.valid.clone());
        m.assign_output(&format!("{name}_out_data"), chain.data.clone());
    }

    // Components.
    let mut units: Vec<(Expr, Expr)> = Vec::new();
    let mut busies: Vec<Expr> = Vec::new();
    let mut unit = 0u32;
    let hosted = hosted_ports(fabric, tile);
    for (i, instance) in body.instances.iter().enumerate() {
        let of = component(i);
        let module = &components[definition(i)];
        let mut connections: Vec<(String, Expr)> = Vec::new();
        for (port, ty) in of.inputs().into_iter().enumerate() {
            let side = prefix(of, "in", port);
            let name = format!("{}_{side}", instance.name);
            let from = match ends.source_of[i][port] {
                Some(End::Body(k)) => inputs[k].clone(),
                Some(End::Instance { instance, port }) => wires[instance][port].clone(),
                None => Wires::tied_off(&mut m, &name, ty),
            };
            let (data, tag) = from.adapted(&mut m, &name, ty);
            connect(&mut connections, &side, ty, from.valid, from.ready, data, tag);
        }
        for (port, ty) in of.outputs().into_iter().enumerate() {
            let w = &wires[i][port];
            let side = prefix(of, "out", port);
            connect(
                &mut connections,
                &side,
                ty,
                w.valid.clone(),
                w.ready.clone(),
                w.data.clone(),
                w.tag.clone(),
            );
        }
        if let Some(bits) = &bits[i] {
            connections.push(("cfg".into(), bits.clone()));
        }
        for (_, name) in hosted.iter().filter(|(at, _)| *at == i) {
            pass_through(&mut m, module, memory_side(of), &format!("{name}_"), &mut connections);
        }
        m.comment(&format!("{} ({})", instance.name, fabric.adg().definitions[definition(i)].name));
        let connections: Vec<(&str, Expr)> =
            connections.iter().map(|(n, e)| (n.as_str(), e.clone())).collect();
        let made = m.instance(&instance.name, module, &connections);
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

    // A channel's ready comes from its consumer; body outputs take valid, data and tag from their producer.
    m.comment("Outputs of the tile, and outputs that lead nowhere.");
    for (k, port) in body.outputs.iter().enumerate() {
        let from = match ends.source_of_output[k] {
            Some(End::Instance { instance, port }) => wires[instance][port].clone(),
            Some(End::Body(input)) => inputs[input].clone(),
            None => Wires::tied_off(&mut m, &format!("{}_from", port.name), port.ty),
        };
        let (data, tag) = from.adapted(&mut m, &port.name, port.ty);
        m.drive(&outputs[k].valid, from.valid.clone());
        m.drive(&outputs[k].data, data);
        m.drive(&outputs[k].tag, tag);
        m.drive(&from.ready, outputs[k].ready.clone());
    }
    for (i, row) in wires.iter().enumerate() {
        for (port, w) in row.iter().enumerate() {
            if ends.sink_of[i][port].is_none() {
                leads_nowhere(&mut m, w);
            }
        }
    }
    for (k, w) in inputs.iter().enumerate() {
        if ends.sink_of_input[k].is_none() {
            leads_nowhere(&mut m, w);
        }
    }

    m.comment("Errors and activity, registered once.");
    let node = lib::error_node(units.len(), busies.len());
    error_node(&mut m, "errors", &node, &units, &busies, [error_code, error_unit, busy]);
    if units.is_empty() {
        m.unused(&unit_base);
    }
    m.finish()
}

fn tile_name(fabric: &Fabric, tile: &Tile) -> String {
    format!("loom_tile_{}_{}", top_name(fabric).trim_start_matches("loom_fabric_"), tile.name)
}

fn error_node(
    m: &mut Module,
    name: &str,
    node: &Arc<Module>,
    units: &[(Expr, Expr)],
    busies: &[Expr],
    [code, unit, busy]: [Expr; 3],
) {
    let mut connections: Vec<(String, Expr)> = Vec::new();
    for (k, (code, unit)) in units.iter().enumerate() {
        connections.push((format!("code{k}"), code.clone()));
        connections.push((format!("unit{k}"), unit.clone()));
    }
    for (k, busy) in busies.iter().enumerate() {
        connections.push((format!("busy{k}"), busy.clone()));
    }
    connections.push(("code".into(), code));
    connections.push(("unit".into(), unit));
    connections.push(("busy".into(), busy));
    let connections: Vec<(&str, Expr)> = connections.iter().map(|(n, e)| (n.as_str(), e.clone())).collect();
    m.instance(name, node, &connections);
}

fn top_module(
    fabric: &Fabric,
    tiles: &[Tile],
    modules: &[Arc<Module>],
    of_instance: &[usize],
) -> Arc<Module> {
    let body = &fabric.adg().top;
    let count = body.instances.len();
    let depth = tree_depth(count);
    let mut m = Module::new(top_name(fabric));
    m.doc(&format!(
        "Fabric `{}`: {count} tiles, {} configuration words, {} inputs, {} outputs.\n\
         Load config.bin through cfg_* (cfg_last with the last word); when cfg_done rises the inputs are open.\n\
         in<k> and out<k> are channels: a token moves in a cycle in which valid and ready are high.\n\
         The next activation of a graph that stores to memory may be offered only after the return control token of\n\
         the one before; graphs without stores may be fed back to back.\n\
         m<k>_axi_* are AXI4 masters of external memories, h<k>_* the host's ways into scratchpads.\n\
         The first error stays on error_code and error_unit. idle: nothing is in flight.",
        fabric.name(),
        fabric.layout().words,
        body.inputs.len(),
        body.outputs.len()
    ));
    let cfg_valid = m.input("cfg_valid", 1);
    let cfg_ready = m.output("cfg_ready", 1);
    let cfg_data = m.input("cfg_data", 32);
    let cfg_last = m.input("cfg_last", 1);
    let cfg_done = m.output("cfg_done", 1);
    let port = |k: usize, side: &str| format!("{side}{k}");
    let inputs: Vec<Wires> = (0..body.inputs.len())
        .map(|k| Wires::input_port(&mut m, &port(k, "in"), body.inputs[k].ty))
        .collect();
    let outputs: Vec<Wires> = (0..body.outputs.len())
        .map(|k| Wires::output_port(&mut m, &port(k, "out"), body.outputs[k].ty))
        .collect();
    let error_valid = m.output("error_valid", 1);
    let error_code = m.output("error_code", 16);
    let error_unit = m.output("error_unit", 16);
    let idle = m.output("idle", 1);

    // Inputs are open while cfg_done is high.
    m.comment("Inputs are open while cfg_done is high.");
    let mut any_valid = Vec::new();
    let mut any_transfer = Vec::new();
    let open: Vec<Wires> = inputs
        .iter()
        .enumerate()
        .map(|(k, w)| {
            let valid = m.wire(&format!("open{k}_valid"), w.valid.and(&cfg_done));
            let ready = m.declare(&format!("open{k}_ready"), 1);
            m.drive(&w.ready, ready.and(&cfg_done));
            any_valid.push(w.valid.clone());
            any_transfer.push(valid.and(&ready));
            Wires { valid, ready, data: w.data.clone(), tag: w.tag.clone() }
        })
        .collect();
    let any_valid = m.wire("any_input_valid", any(&any_valid));
    let any_transfer = m.wire("any_input_transfer", any(&any_transfer));

    let shape = |i: usize| &tiles[of_instance[i]].body;
    let ends = Ends::new(body, &|i| (shape(i).inputs.len(), shape(i).outputs.len()));
    let mut wires: Vec<Vec<Wires>> = Vec::with_capacity(count);
    for (i, instance) in body.instances.iter().enumerate() {
        m.comment(&format!("Channels out of {}.", instance.name));
        wires.push(
            (shape(i).outputs.iter())
                .map(|p| Wires::declare(&mut m, &format!("{}_{}", instance.name, p.name), p.ty))
                .collect(),
        );
    }

    // The chain runs through the PE parts of all tiles, last tile first, then through the other parts.
    let mut chain = Chain { valid: m.declare("chain_valid", 1), data: m.declare("chain_data", 32) };
    let start = chain.clone();
    let mut segments: Vec<Vec<(bool, Chain, Chain)>> = vec![Vec::new(); count];
    m.comment("The configuration chain.");
    for pes in [true, false] {
        for (i, instance) in body.instances.iter().enumerate().rev() {
            if has_segment(fabric, &tiles[of_instance[i]], pes) {
                let name = format!("{}_{}", instance.name, segment_name(pes));
                let next = Chain {
                    valid: m.declare(&format!("{name}_valid"), 1),
                    data: m.declare(&format!("{name}_data"), 32),
                };
                segments[i].push((pes, chain, next.clone()));
                chain = next;
            }
        }
    }
    m.unused(&chain.valid);
    m.unused(&chain.data);

    // Tiles.
    let mut level: Vec<[Expr; 3]> = Vec::with_capacity(count);
    let mut outer = fabric.flat().ids();
    for (i, instance) in body.instances.iter().enumerate() {
        let tile = &tiles[of_instance[i]];
        let mut connections: Vec<(String, Expr)> = Vec::new();
        m.comment(&format!("{} ({})", instance.name, tile.name));
        for (p, port) in tile.body.inputs.iter().enumerate() {
            let name = format!("{}_{}", instance.name, port.name);
            let from = match ends.source_of[i][p] {
                Some(End::Body(k)) => open[k].clone(),
                Some(End::Instance { instance, port }) => wires[instance][port].clone(),
                None => Wires::tied_off(&mut m, &name, port.ty),
            };
            let (data, tag) = from.adapted(&mut m, &name, port.ty);
            connect(&mut connections, &port.name, port.ty, from.valid, from.ready, data, tag);
        }
        for (p, port) in tile.body.outputs.iter().enumerate() {
            let w = wires[i][p].clone();
            connect(&mut connections, &port.name, port.ty, w.valid, w.ready, w.data, w.tag);
        }
        for (pes, from, to) in &segments[i] {
            let name = segment_name(*pes);
            connections.push((format!("{name}_in_valid"), from.valid.clone()));
            connections.push((format!("{name}_in_data"), from.data.clone()));
            connections.push((format!("{name}_out_valid"), to.valid.clone()));
            connections.push((format!("{name}_out_data"), to.data.clone()));
        }
        let unit_base = fabric.units_of_instance(i).start;
        connections.push(("unit_base".into(), Expr::konst(16, unit_base & 0xffff)));
        let ids: Vec<ComponentId> = outer.by_ref().take(tile.body.instances.len()).collect();
        for (at, from) in hosted_ports(fabric, tile) {
            let to = &fabric.ports().of(ids[at]).expect("a tile has no other").signal;
            let (from, to) = (format!("{from}_"), format!("{to}_"));
            pass_through(&mut m, &modules[of_instance[i]], &from, &to, &mut connections);
        }
        let connections: Vec<(&str, Expr)> =
            connections.iter().map(|(n, e)| (n.as_str(), e.clone())).collect();
        let made = m.instance(&instance.name, &modules[of_instance[i]], &connections);
        level.push([made.out("error_code"), made.out("error_unit"), made.out("busy")]);
    }

    m.comment("Fabric outputs, and channels that lead nowhere.");
    for (k, port) in body.outputs.iter().enumerate() {
        let from = match ends.source_of_output[k] {
            Some(End::Instance { instance, port }) => wires[instance][port].clone(),
            Some(End::Body(input)) => open[input].clone(),
            None => Wires::tied_off(&mut m, &format!("out{k}_from"), port.ty),
        };
        let (data, tag) = from.adapted(&mut m, &format!("out{k}"), port.ty);
        m.drive(&outputs[k].valid, from.valid.clone());
        m.drive(&outputs[k].data, data);
        m.drive(&outputs[k].tag, tag);
        m.drive(&from.ready, outputs[k].ready.clone());
    }
    for (i, row) in wires.iter().enumerate() {
        for (port, w) in row.iter().enumerate() {
            if ends.sink_of[i][port].is_none() {
                leads_nowhere(&mut m, w);
            }
        }
    }
    for (k, w) in open.iter().enumerate() {
        if ends.sink_of_input[k].is_none() {
            leads_nowhere(&mut m, w);
        }
    }

    m.comment("Errors and activity of all tiles, through a registered tree.");
    let mut height = 0;
    while level.len() > 1 {
        height += 1;
        level = level
            .chunks(TREE_ARITY)
            .enumerate()
            .map(|(k, group)| {
                let name = format!("tree{height}_{k}");
                let units: Vec<(Expr, Expr)> = group.iter().map(|g| (g[0].clone(), g[1].clone())).collect();
                let busies: Vec<Expr> = group.iter().map(|g| g[2].clone()).collect();
                let out = [
                    m.declare(&format!("{name}_error_code"), 16),
                    m.declare(&format!("{name}_error_unit"), 16),
                    m.declare(&format!("{name}_busy"), 1),
                ];
                let node = lib::error_node(group.len(), group.len());
                error_node(&mut m, &name, &node, &units, &busies, out.clone());
                out
            })
            .collect();
    }
    let root = level.pop().unwrap_or_else(|| [Expr::zero(16), Expr::zero(16), Expr::zero(1)]);
    let loader = lib::config_loader(fabric.layout().words, fabric.layout().slices.len(), depth);
    let [root_code, root_unit, root_busy] = root;
    m.comment("Loader, error collector and idle detection.");
    m.instance(
        "loader",
        &loader,
        &[
            ("cfg_valid", cfg_valid),
            ("cfg_ready", cfg_ready),
            ("cfg_data", cfg_data),
            ("cfg_last", cfg_last),
            ("cfg_done", cfg_done),
            ("chain_valid", start.valid),
            ("chain_data", start.data),
            ("any_input_valid", any_valid),
            ("any_input_transfer", any_transfer),
            ("root_code", root_code),
            ("root_unit", root_unit),
            ("root_busy", root_busy),
            ("error_valid", error_valid),
            ("error_code", error_code),
            ("error_unit", error_unit),
            ("idle", idle),
        ],
    );
    m.finish()
}

/// Instances of a tile that share memory with the host, and what those ports of the tile begin with.
fn hosted_ports(fabric: &Fabric, tile: &Tile) -> Vec<(usize, String)> {
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

/// The OR of any number of bits.
fn any(bits: &[Expr]) -> Expr {
    bits.iter().fold(Expr::zero(1), |acc, b| acc.or(b))
}
