//! An architecture as TOML, whatever it was made from: tiles and meshes are written out.

use loom_adg::model::*;
use loom_dfg::{Counter, OpKind, Type};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The text of an architecture; reading it gives an equal one. Units of one name must be equal.
pub fn toml_of(adg: &Adg) -> String {
    let mut out = format!("name = \"{}\"\nindex_width = {}\n", adg.name, adg.index_width);
    body(&mut out, adg, &adg.top, true);
    out += &definitions_toml(&adg.definitions);
    for tile in &adg.tiles {
        let _ = writeln!(out, "\n[tile.{}]", tile.name);
        body(&mut out, adg, &tile.body, false);
    }
    out
}

/// The tables of components and their units.
pub(super) fn definitions_toml(definitions: &[Definition]) -> String {
    let mut out = String::new();
    let mut units = BTreeSet::new();
    for d in definitions {
        if let Component::SpatialPe(pe) = &d.component {
            pe.fus.iter().filter(|fu| units.insert(fu.name.clone())).for_each(|fu| unit(&mut out, fu));
        }
        definition(&mut out, d);
    }
    out
}

fn list<T>(items: impl IntoIterator<Item = T>, text: impl Fn(T) -> String) -> String {
    let items: Vec<String> = items.into_iter().map(text).collect();
    format!("[{}]", items.join(", "))
}

fn quoted(text: impl std::fmt::Display) -> String {
    format!("\"{text}\"")
}

fn channel(ty: ChannelType) -> String {
    match (ty.width, ty.tag) {
        (0, t) if t > 0 => format!("tagged<none, i{t}>"),
        _ => ty.to_string(),
    }
}

fn ports(types: &[ChannelType]) -> String {
    list(types, |&t| quoted(channel(t)))
}

fn rows(table: &[Vec<bool>]) -> String {
    list(table, |row| quoted(row.iter().map(|&b| if b { '1' } else { '0' }).collect::<String>()))
}

fn definition(out: &mut String, d: &Definition) {
    let table = match &d.component {
        Component::SpatialPe(_) => "pe",
        Component::SpatialSw(_) => "switch",
        Component::TemporalSw(_) => "temporal_switch",
        other => other.kind_name(),
    };
    let _ = writeln!(out, "\n[{table}.{}]", d.name);
    let _ = match &d.component {
        Component::SpatialPe(c) => writeln!(
            out,
            "inputs = {}\noutputs = {}\noutput_buffers = {}\nimmediates = {}\nfus = {}",
            ports(&c.inputs),
            ports(&c.outputs),
            c.output_buffers,
            c.immediates,
            list(&c.fus, |fu| quoted(&fu.name))
        ),
        Component::SpatialSw(c) => {
            let lanes = c.decomposable_bits.map_or(String::new(), |b| format!("decomposable_bits = {b}\n"));
            write!(
                out,
                "inputs = {}\noutputs = {}\nconnectivity = {}\n{lanes}",
                ports(&c.inputs),
                ports(&c.outputs),
                rows(&c.connectivity)
            )
        }
        Component::TemporalSw(c) => writeln!(
            out,
            "type = \"{}\"\ninputs = {}\noutputs = {}\nconnectivity = {}\nslots = {}",
            channel(c.ty),
            c.inputs,
            c.outputs,
            rows(&c.connectivity),
            c.num_route_table
        ),
        Component::Fifo(c) => {
            let (bypassable, falls) = (c.is_bypassable(), c.kind == FifoKind::FallThrough);
            let ty = channel(c.ty);
            writeln!(
                out,
                "type = \"{ty}\"\ndepth = {}\nbypassable = {bypassable}\nfall_through = {falls}",
                c.depth
            )
        }
        Component::AddTag(c) => writeln!(out, "width = {}\ntag = {}", c.width, c.tag),
        Component::DelTag(c) => writeln!(out, "width = {}\ntag = {}", c.width, c.tag),
        Component::MapTag(c) => writeln!(
            out,
            "width = {}\ntag_in = {}\ntag_out = {}\ntable_size = {}",
            c.width, c.tag_in, c.tag_out, c.table_size
        ),
        Component::Memory(c) => {
            if let Backing::Scratchpad { bytes, host } = c.store {
                let _ = writeln!(out, "bytes = {bytes}\nhost = {host}");
            }
            writeln!(
                out,
                "loads = {}\nstores = {}\nqueue = {}\nwidth = {}\ntag = {}\nregions = {}",
                c.loads, c.stores, c.queue, c.width, c.tag, c.regions
            )
        }
    };
}

fn unit(out: &mut String, fu: &FunctionUnit) {
    let name = |v: BodyValue| match v {
        BodyValue::Input(i) => format!("%{i}"),
        BodyValue::Result { op, result } => format!("%r{op}_{result}"),
    };
    let types = |types: &[Type]| types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
    let op = |(at, op): (usize, &BodyOp)| {
        let results: Vec<String> =
            (0..op.results.len()).map(|result| name(BodyValue::Result { op: at, result })).collect();
        let operands: Vec<String> = op.operands.iter().map(|&v| name(v)).collect();
        let operand_types: Vec<Type> = op.operands.iter().map(|&v| fu.value_type(v)).collect();
        let attribute = match op.kind {
            BodyKind::Op(OpKind::Stream(c)) => {
                let unsigned =
                    if c.is_unsigned() { format!(", {}", Counter::UNSIGNED) } else { String::new() };
                format!(" {{step_op = \\\"{}\\\"{unsigned}}}", c.step_op.text())
            }
            _ => String::new(),
        };
        quoted(format!(
            "{} = {} {}{attribute} : ({}) -> ({})",
            results.join(", "),
            op.kind.mnemonic(),
            operands.join(", "),
            types(&operand_types),
            types(&op.results)
        ))
    };
    let _ = writeln!(
        out,
        "\n[fu.{}]\ninputs = {}\nbody = {}\noutputs = {}\nlatency = {}\ninterval = {}",
        fu.name,
        list(&fu.inputs, quoted),
        list(fu.body.iter().enumerate(), op),
        list(&fu.results, |&v| quoted(name(v))),
        fu.latency,
        fu.interval
    );
}

/// Ports, instances and connections; the fabric's own ports have no names.
pub(super) fn body(out: &mut String, adg: &Adg, body: &Body, top: bool) {
    for (key, ports) in [("input", &body.inputs), ("output", &body.outputs)] {
        let port = |p: &Port| match top {
            true => format!("\n  {{ type = \"{}\" }}", channel(p.ty)),
            false => format!("\n  {{ name = \"{}\", type = \"{}\" }}", p.name, channel(p.ty)),
        };
        let _ = writeln!(out, "{key} = {}", list(ports, port));
    }
    let instance = |i: &Instance| {
        let of = match i.of {
            Of::Component(d) => &adg.definitions[d].name,
            Of::Tile(t) => &adg.tiles[t].name,
        };
        let position = i.position.map_or(String::new(), |(c, r)| format!(", position = [{c}, {r}]"));
        format!("\n  {{ name = \"{}\", of = \"{of}\"{position} }}", i.name)
    };
    let _ = writeln!(out, "instance = {}", list(&body.instances, instance));
    let end = |end: End, source: bool| match end {
        End::Body(k) => (if source { &body.inputs } else { &body.outputs })[k].name.clone(),
        End::Instance { instance, port } => {
            let i = &body.instances[instance];
            let port = match i.of {
                Of::Component(_) => format!("{}{port}", if source { "out" } else { "in" }),
                Of::Tile(t) => {
                    let inner = &adg.tiles[t].body;
                    (if source { &inner.outputs } else { &inner.inputs })[port].name.clone()
                }
            };
            format!("{}.{port}", i.name)
        }
    };
    let connect =
        |c: &Connection| format!("\n  {{ from = \"{}\", to = \"{}\" }}", end(c.from, true), end(c.to, false));
    let _ = writeln!(out, "connect = {}", list(&body.connections, connect));
}
