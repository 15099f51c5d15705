//! The writer: one canonical text per architecture; the fabric hash is taken over it.

use crate::fu::type_list;
use crate::model::*;
use crate::names::{sink_name, source_name};
use loom_dfg::{Counter, OpKind};
use std::fmt::Write as _;

/// The canonical text of an architecture. Reading it gives an equal one.
pub fn write(adg: &Adg) -> String {
    let mut out = String::new();
    let _ = write!(out, "fabric.module @{} (", adg.name);
    ports(&mut out, &adg.top.inputs, "    ");
    out.push_str(") -> (");
    ports(&mut out, &adg.top.outputs, "    ");
    let _ = writeln!(out, ") attributes {{index_width = {}}} {{", adg.index_width);
    for d in &adg.definitions {
        definition(&mut out, d);
    }
    for tile in &adg.tiles {
        let _ = write!(out, "  fabric.tile @{} (", tile.name);
        ports(&mut out, &tile.body.inputs, "      ");
        out.push_str(") -> (");
        ports(&mut out, &tile.body.outputs, "      ");
        out.push_str(") {\n");
        body(&mut out, adg, &tile.body, "    ");
        out.push_str("  }\n");
    }
    body(&mut out, adg, &adg.top, "  ");
    out.push_str("}\n");
    out
}

/// `!fabric.bits<32>`, `none`, `!fabric.tagged<!fabric.bits<32>, i4>`.
fn channel(ty: ChannelType) -> String {
    let value = if ty.width == 0 { "none".to_string() } else { format!("!fabric.bits<{}>", ty.width) };
    if ty.is_tagged() {
        format!("!fabric.tagged<{value}, i{}>", ty.tag)
    } else {
        value
    }
}

fn channels(types: &[ChannelType]) -> String {
    let types: Vec<String> = types.iter().map(|&t| channel(t)).collect();
    format!("({})", types.join(", "))
}

/// Four ports a line, so that large fabrics stay readable.
fn ports(out: &mut String, ports: &[Port], indent: &str) {
    for (k, port) in ports.iter().enumerate() {
        if k > 0 {
            out.push(',');
        }
        match k % 4 {
            0 if ports.len() > 4 => {
                out.push('\n');
                out.push_str(indent);
            }
            _ if k > 0 => out.push(' '),
            _ => {}
        }
        let _ = write!(out, "{}: {}", port.name, channel(port.ty));
    }
}

fn definition(out: &mut String, d: &Definition) {
    let c = &d.component;
    let _ = write!(
        out,
        "  fabric.{} @{} {} -> {}",
        c.kind_name(),
        d.name,
        channels(&c.inputs()),
        channels(&c.outputs())
    );
    let mut attributes: Vec<String> = Vec::new();
    let mut fus: &[FunctionUnit] = &[];
    match c {
        Component::SpatialPe(pe) => {
            attributes.extend(pe.output_buffers.then(|| "output_buffers".to_string()));
            attributes.extend((pe.immediates > 0).then(|| format!("immediates = {}", pe.immediates)));
            fus = &pe.fus;
        }
        Component::SpatialSw(sw) => {
            attributes.push(table(&sw.connectivity));
            attributes.extend(sw.decomposable_bits.map(|b| format!("decomposable_bits = {b}")));
        }
        Component::TemporalSw(sw) => {
            attributes.push(table(&sw.connectivity));
            attributes.push(format!("num_route_table = {}", sw.num_route_table));
        }
        Component::Fifo(fifo) => {
            attributes.push(format!("depth = {}", fifo.depth));
            attributes.extend(match fifo.kind {
                FifoKind::Registered => None,
                FifoKind::Bypassable => Some("bypassable".to_string()),
                FifoKind::FallThrough => Some("fall_through".to_string()),
            });
        }
        Component::MapTag(c) => attributes.push(format!("table_size = {}", c.table_size)),
        Component::AddTag(_) | Component::DelTag(_) => {}
        Component::Memory(m) => {
            attributes.push(format!("ld_count = {}", m.loads));
            attributes.push(format!("st_count = {}", m.stores));
            attributes.push(format!("lsq_depth = {}", m.queue));
            attributes.push(format!("num_region = {}", m.regions));
            if let Backing::Scratchpad { bytes, host } = m.store {
                attributes.push(format!("bytes = {bytes}"));
                attributes.extend(host.then(|| "host".to_string()));
            }
        }
    }
    if !attributes.is_empty() {
        let _ = write!(out, " attributes {{{}}}", attributes.join(", "));
    }
    if !c.is_pe() {
        out.push('\n');
        return;
    }
    out.push_str(" {\n");
    for fu in fus {
        unit(out, fu);
    }
    out.push_str("  }\n");
}

/// One text per output, one digit per input.
fn table(connectivity: &[Vec<bool>]) -> String {
    let rows: Vec<String> = connectivity
        .iter()
        .map(|row| format!("\"{}\"", row.iter().map(|&b| if b { '1' } else { '0' }).collect::<String>()))
        .collect();
    format!("connectivity = [{}]", rows.join(", "))
}

fn unit(out: &mut String, fu: &FunctionUnit) {
    let inputs: Vec<String> = fu.inputs.iter().enumerate().map(|(i, t)| format!("%{i}: {t}")).collect();
    let _ = writeln!(
        out,
        "    fabric.fu @{} ({}) -> {} attributes {{latency = {}, interval = {}}} {{",
        fu.name,
        inputs.join(", "),
        type_list(&fu.output_types()),
        fu.latency,
        fu.interval
    );
    // Results are numbered on from the inputs.
    let mut first = Vec::new();
    let mut next = fu.inputs.len();
    for op in &fu.body {
        first.push(next);
        next += op.results.len();
    }
    let name = |v: BodyValue| match v {
        BodyValue::Input(i) => format!("%{i}"),
        BodyValue::Result { op, result } => format!("%{}", first[op] + result),
    };
    for (i, op) in fu.body.iter().enumerate() {
        let results: Vec<String> = (0..op.results.len()).map(|r| format!("%{}", first[i] + r)).collect();
        let operands: Vec<String> = op.operands.iter().map(|&v| name(v)).collect();
        let operand_types: Vec<_> = op.operands.iter().map(|&v| fu.value_type(v)).collect();
        let _ = write!(out, "      {} = {} {}", results.join(", "), op.kind.mnemonic(), operands.join(", "));
        if let BodyKind::Op(OpKind::Stream(counter)) = op.kind {
            let unsigned =
                if counter.is_unsigned() { format!(", {}", Counter::UNSIGNED) } else { String::new() };
            let _ = write!(out, " {{step_op = \"{}\"{unsigned}}}", counter.step_op.text());
        }
        let _ = writeln!(out, " : {} -> {}", type_list(&operand_types), type_list(&op.results));
    }
    let results: Vec<String> = fu.results.iter().map(|&v| name(v)).collect();
    let _ = writeln!(out, "      fabric.yield {}\n    }}", results.join(", "));
}

fn body(out: &mut String, adg: &Adg, body: &Body, indent: &str) {
    for instance in &body.instances {
        let of = match instance.of {
            Of::Component(d) => &adg.definitions[d].name,
            Of::Tile(t) => &adg.tiles[t].name,
        };
        let _ = write!(out, "{indent}fabric.instance @{} : @{of}", instance.name);
        if let Some((column, row)) = instance.position {
            let _ = write!(out, " at ({column}, {row})");
        }
        out.push('\n');
    }
    for c in &body.connections {
        let _ = writeln!(
            out,
            "{indent}fabric.connect {} -> {}",
            source_name(adg, body, c.from),
            sink_name(adg, body, c.to)
        );
    }
}
