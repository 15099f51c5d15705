//! Rules of tiles and of the top level: names, ports, connections, and H6 between tiles.

use super::{distinct, name};
use crate::codes;
use crate::model::{limits, Adg, Body, ChannelType, Component, End, Of};
use crate::names::{connection_name, sink_name, source_name};
use crate::places::{BodyId, Object, Places, Side};
use loom_base::{Diagnostic, Diagnostics};
use std::collections::HashMap;

/// Checks all bodies, but for H6.
pub(super) fn check(adg: &Adg, places: &Places, out: &mut Diagnostics) {
    let definitions =
        adg.definitions.iter().enumerate().map(|(i, d)| (d.name.as_str(), Object::Definition(i)));
    let tiles = adg.tiles.iter().enumerate().map(|(i, t)| (t.name.as_str(), Object::Body(BodyId::Tile(i))));
    distinct(definitions.chain(tiles), "components or tiles", places, out);
    for (i, tile) in adg.tiles.iter().enumerate() {
        let id = BodyId::Tile(i);
        name(&tile.name, "tile", places, Object::Body(id), out);
        // The generator wraps components of the top level as tiles `of_NAME`, and tiles have ports `cfg_...`.
        if tile.name.starts_with("of_") {
            reserved(&tile.name, "tile names do not begin with `of_`", places, Object::Body(id), out);
        }
        for (side, ports) in [(Side::Input, &tile.body.inputs), (Side::Output, &tile.body.outputs)] {
            for (k, port) in ports.iter().enumerate().filter(|(_, p)| p.name.starts_with("cfg")) {
                let object = Object::BodyPort(id, side, k);
                reserved(&port.name, "port names do not begin with `cfg`", places, object, out);
            }
        }
        body(adg, &tile.body, id, places, out);
        for (k, instance) in tile.body.instances.iter().enumerate() {
            if let Of::Tile(_) = instance.of {
                out.push(
                    Diagnostic::error(
                        codes::NESTED_TILE,
                        format!("`{}` is a tile inside tile `{}`", instance.name, tile.name),
                    )
                    .at_opt(places.of(Object::Instance(id, k)), "here")
                    .help("tiles stand at the top level only"),
                );
            }
        }
    }
    body(adg, &adg.top, BodyId::Top, places, out);
    for (side, prefix, ports) in
        [(Side::Input, "in", &adg.top.inputs), (Side::Output, "out", &adg.top.outputs)]
    {
        for (k, port) in ports.iter().enumerate().filter(|(k, p)| p.name != format!("{prefix}{k}")) {
            out.push(
                Diagnostic::error(codes::FABRIC_PORT, format!("fabric port {k} is called `{}`", port.name))
                    .at_opt(places.of(Object::BodyPort(BodyId::Top, side, k)), "here")
                    .help(format!(
                        "the fabric's ports are `{prefix}0`, `{prefix}1`, ... in order; leave the name away"
                    )),
            );
        }
    }
    if adg.top.instances.is_empty() {
        out.push(
            Diagnostic::error(codes::EMPTY, "the fabric has no instances")
                .at_opt(places.of(Object::Fabric), "here")
                .help("add a `[mesh]` or `[[instance]]`s"),
        );
    }
    units(adg, places, out);
}

fn reserved(name: &str, rule: &str, places: &Places, object: Object, out: &mut Diagnostics) {
    out.push(
        Diagnostic::error(codes::NAME, format!("`{name}` is a name the generated Verilog needs"))
            .at_opt(places.of(object), "here")
            .help(rule),
    );
}

/// Configured components are numbered in 16 bits; 0xffff stands for none.
fn units(adg: &Adg, places: &Places, out: &mut Diagnostics) {
    let configured: Vec<bool> = adg
        .definitions
        .iter()
        .map(|d| !matches!(&d.component, Component::DelTag(_)) && !plain_fifo(&d.component))
        .collect();
    let of = |of: Of| matches!(of, Of::Component(d) if configured.get(d) == Some(&true)) as usize;
    let in_tile: Vec<usize> =
        adg.tiles.iter().map(|t| t.body.instances.iter().map(|i| of(i.of)).sum()).collect();
    let total: usize = adg
        .top
        .instances
        .iter()
        .map(|i| match i.of {
            Of::Tile(t) => in_tile.get(t).copied().unwrap_or(0),
            component => of(component),
        })
        .sum();
    if total > 0xffff {
        out.push(
            Diagnostic::error(
                codes::TOO_MANY_UNITS,
                format!("the fabric has {total} configured components, `error_unit` can name {}", 0xffff),
            )
            .at_opt(places.of(Object::Body(BodyId::Top)), "here"),
        );
    }
}

fn plain_fifo(c: &Component) -> bool {
    matches!(c, Component::Fifo(f) if !f.can_pass())
}

/// The type of a port that a connection names; `None` when it does not exist.
fn end_type(adg: &Adg, body: &Body, end: End, source: bool) -> Option<ChannelType> {
    match end {
        End::Body(port) => (if source { &body.inputs } else { &body.outputs }).get(port).map(|p| p.ty),
        End::Instance { instance, port } => match body.instances.get(instance)?.of {
            Of::Component(d) => {
                let c = &adg.definitions.get(d)?.component;
                (if source { c.outputs() } else { c.inputs() }).get(port).copied()
            }
            Of::Tile(t) => {
                let inner = &adg.tiles.get(t)?.body;
                (if source { &inner.outputs } else { &inner.inputs }).get(port).map(|p| p.ty)
            }
        },
    }
}

fn body(adg: &Adg, body: &Body, id: BodyId, places: &Places, out: &mut Diagnostics) {
    for (side, ports) in [(Side::Input, &body.inputs), (Side::Output, &body.outputs)] {
        let object = |k| Object::BodyPort(id, side, k);
        for (k, port) in ports.iter().enumerate() {
            name(&port.name, "port", places, object(k), out);
            let (width, tag) = (limits::MAX_WIDTH, limits::MAX_TAG_WIDTH);
            if port.ty.width > width {
                let message =
                    format!("port `{}` has {} bits, the limit is {width}", port.name, port.ty.width);
                out.push(Diagnostic::error(codes::WIDTH, message).at_opt(places.of(object(k)), "here"));
            }
            if port.ty.tag > tag {
                let message = format!(
                    "the tag of port `{}` has {} bits, 1 to {tag} are allowed",
                    port.name, port.ty.tag
                );
                out.push(Diagnostic::error(codes::TAG_WIDTH, message).at_opt(places.of(object(k)), "here"));
            }
        }
    }
    // A tile's Verilog module has one set of ports.
    let inputs =
        body.inputs.iter().enumerate().map(|(k, p)| (p.name.as_str(), Object::BodyPort(id, Side::Input, k)));
    let outputs = body
        .outputs
        .iter()
        .enumerate()
        .map(|(k, p)| (p.name.as_str(), Object::BodyPort(id, Side::Output, k)));
    distinct(inputs.chain(outputs), "ports", places, out);
    let mut good_instances = true;
    for (i, instance) in body.instances.iter().enumerate() {
        let object = Object::Instance(id, i);
        name(&instance.name, "instance", places, object, out);
        let known = match instance.of {
            Of::Component(d) => d < adg.definitions.len(),
            Of::Tile(t) => t < adg.tiles.len(),
        };
        if !known {
            good_instances = false;
            let message = format!("instance `{}` is of something that does not exist", instance.name);
            out.push(Diagnostic::error(codes::DANGLING, message).at_opt(places.of(object), "here"));
        }
    }
    let instances =
        body.instances.iter().enumerate().map(|(i, n)| (n.name.as_str(), Object::Instance(id, i)));
    distinct(instances, "instances", places, out);
    if good_instances {
        connections(adg, body, id, places, out);
    }
}

fn connections(adg: &Adg, body: &Body, id: BodyId, places: &Places, out: &mut Diagnostics) {
    let (mut sources, mut sinks) = (HashMap::new(), HashMap::new());
    for (i, c) in body.connections.iter().enumerate() {
        let span = places.of(Object::Connection(id, i));
        let mut error = |code, message: String, help: &str| {
            let d = Diagnostic::error(code, message).at_opt(span.clone(), "here");
            out.push(if help.is_empty() { d } else { d.help(help) });
        };
        let shown = || connection_name(adg, body, c);
        let (Some(from), Some(to)) = (end_type(adg, body, c.from, true), end_type(adg, body, c.to, false))
        else {
            error(codes::DANGLING, format!("`{}` names a port that does not exist", shown()), "");
            continue;
        };
        if let Some(first) = sources.insert(c.from, i) {
            let (port, other) =
                (source_name(adg, body, c.from), sink_name(adg, body, body.connections[first].to));
            let message = format!("`{port}` feeds `{}` and `{other}`", sink_name(adg, body, c.to));
            error(codes::OUTPUT_TWICE, message, "fan-out exists only inside switches");
        }
        if let Some(first) = sinks.insert(c.to, i) {
            let (port, other) =
                (sink_name(adg, body, c.to), source_name(adg, body, body.connections[first].from));
            let message = format!("`{port}` is driven by `{other}` and `{}`", source_name(adg, body, c.from));
            error(codes::INPUT_TWICE, message, "merging exists only inside switches");
        }
        if let (End::Body(_), End::Body(_)) = (c.from, c.to) {
            let help = "put a component between, for instance a FIFO";
            error(codes::WIRE_THROUGH, format!("`{}` passes no component", shown()), help);
        }
        if from.is_tagged() != to.is_tagged() {
            let message = format!("`{}` connects {from} to {to}", shown());
            error(codes::TAG_MISMATCH, message, "put `add_tag` or `del_tag` between");
        }
    }
}

/// H6, on bodies that hold nothing that does not exist: no path crosses two tiles. A connection of a tile to another instance is cut at one of its ends.
pub(super) fn registered_links(adg: &Adg, places: &Places, out: &mut Diagnostics) {
    // What stands at an end inside a body: does it cut, as a source or as a sink?
    let cuts = |body: &Body, end: End, source: bool| match end {
        End::Instance { instance, .. } => match body.instances[instance].of {
            Of::Component(d) => match &adg.definitions[d].component {
                Component::SpatialPe(pe) => source && pe.is_buffered(),
                Component::Memory(_) => true,
                component => plain_fifo(component),
            },
            Of::Tile(_) => false,
        },
        End::Body(_) => false,
    };
    // The same for every port of every tile.
    let inner: Vec<(Vec<bool>, Vec<bool>)> = adg
        .tiles
        .iter()
        .map(|t| {
            let (mut ins, mut outs) = (vec![true; t.body.inputs.len()], vec![true; t.body.outputs.len()]);
            for c in &t.body.connections {
                if let End::Body(k) = c.from {
                    ins[k] = cuts(&t.body, c.to, false);
                }
                if let End::Body(k) = c.to {
                    outs[k] = cuts(&t.body, c.from, true);
                }
            }
            (ins, outs)
        })
        .collect();
    for (i, c) in adg.top.connections.iter().enumerate() {
        let (End::Instance { instance: a, port: p }, End::Instance { instance: b, port: q }) = (c.from, c.to)
        else {
            continue;
        };
        let (from, to) = (adg.top.instances[a].of, adg.top.instances[b].of);
        let is_tile = |of| matches!(of, Of::Tile(_));
        let source_cuts = if let Of::Tile(t) = from { inner[t].1[p] } else { cuts(&adg.top, c.from, true) };
        let sink_cuts = if let Of::Tile(t) = to { inner[t].0[q] } else { cuts(&adg.top, c.to, false) };
        if (is_tile(from) || is_tile(to)) && !source_cuts && !sink_cuts {
            out.push(
                Diagnostic::error(
                    codes::UNREGISTERED_LINK,
                    format!(
                        "`{}` leaves a tile and is registered at neither end",
                        connection_name(adg, &adg.top, c)
                    ),
                )
                .at_opt(places.of(Object::Connection(BodyId::Top, i)), "here")
                .help("begin or end it in a FIFO that nothing passes within a cycle, neither bypassable nor `fall_through`"),
            );
        }
    }
}
