//! The files around an image: config.json explains every bit, config.h embeds the words in a host program, and
//! `<adg>.layout.json` describes the fabric's configuration space and ports without any mapping.

use crate::codes;
use crate::patch::{self, Base, Names};
use crate::LICENCE;
use loom_adg::fabric::StreamPort;
use loom_adg::{Fabric, Field, Image};
use loom_base::name::{fnv, shown};
use loom_base::{Diagnostic, Diagnostics, Name};
use loom_dfg::Graph;
use loom_map::Mapping;
use serde_json::{json, Value};
use std::fmt::Write;

/// `config.json`: every slice, with every field, its bits and value where any bit is set, and the memory regions under the
/// names of what lives there. A large fabric is unused for the most part, and layout.json lists the fields of all slices.
pub fn config_json(fabric: &Fabric, image: &Image, names: &Names) -> Value {
    let slices: Vec<Value> = fabric
        .layout()
        .slices
        .iter()
        .map(|slice| {
            let words = &image.words[slice.word_offset..][..slice.word_count];
            let is_set = words.iter().any(|&word| word != 0);
            let fields: &[Field] = if is_set { &fabric.layout().of(slice.component).fields } else { &[] };
            let fields: Vec<Value> = fields
                .iter()
                .map(|field| {
                    json!({
                        "name": field.kind.to_string(),
                        "low_bit": field.low,
                        "width": field.width,
                        "value": field_value(image, *slice, field.low, field.width),
                    })
                })
                .collect();
            json!({
                "name": fabric.path(slice.component),
                "kind": fabric.component(slice.component).kind_name(),
                "hw_node": slice.component.0,
                "word_offset": slice.word_offset,
                "word_count": slice.word_count,
                "complete": true,
                "fields": fields,
            })
        })
        .collect();
    json!({
        "fabric": fabric.name().as_str(),
        "fabric_hash": fabric.hash(),
        "word_width_bits": 32,
        "word_count": fabric.layout().words,
        "byte_size": fabric.layout().words * 4,
        "complete": true,
        "words": image.words,
        "memory_regions": patch::bases(fabric, image, names),
        "slices": slices,
    })
}

/// A number where it fits 64 bits, else a hexadecimal string, high digits first.
fn field_value(image: &Image, slice: loom_adg::Slice, low: u32, width: u32) -> Value {
    if width <= 64 {
        return json!(image.bits(slice, low, width));
    }
    let mut text = String::new();
    let mut at = width.div_ceil(64) * 64;
    while at > 0 {
        at -= 64;
        let part = image.bits(slice, low + at, (width - at).min(64));
        let _ = write!(text, "{part:016x}");
    }
    json!(format!("0x{text}"))
}

/// Checks that a config.json belongs to this fabric and image, and gives the names of what lives in its regions. The
/// image has the fabric's length.
pub fn check_config_json(text: &str, fabric: &Fabric, image: &Image) -> Result<Names, Diagnostics> {
    let value: Value = serde_json::from_str(text).map_err(|e| {
        vec![Diagnostic::error(codes::CONFIG_JSON, format!("not JSON: {e}"))
            .help("keep the config.json that `loom map` wrote beside config.bin, or remove it")]
    })?;
    let Some(hash) = value["fabric_hash"].as_str() else {
        return Err(vec![Diagnostic::error(codes::CONFIG_JSON, "`fabric_hash` is missing")
            .help("keep the config.json that `loom map` wrote beside config.bin, or remove it")]);
    };
    if hash != fabric.hash() {
        let made_for = shown(value["fabric"].as_str().unwrap_or("?"));
        return Err(vec![Diagnostic::error(
            codes::OTHER_FABRIC,
            format!(
                "the bitstream was made for `{made_for}` ({}), the fabric is `{}` ({})",
                shown(short(hash)),
                fabric.name(),
                short(fabric.hash())
            ),
        )
        .help("map the kernel again for this fabric")]);
    }
    let words: Option<Vec<u32>> = value["words"]
        .as_array()
        .and_then(|words| words.iter().map(|w| w.as_u64().and_then(|w| u32::try_from(w).ok())).collect());
    if words.as_deref() != Some(image.words.as_slice()) {
        return Err(vec![Diagnostic::error(codes::CONFIG_JSON, "its words are not those of config.bin")
            .help("one of the two files is stale: map the kernel again")]);
    }
    patch::read_names(&value, fabric, image)
}

fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// What a boundary channel of a configured fabric is to the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// `in<k>` or `out<k>`; `None` for an argument that nobody uses.
    pub signal: Option<String>,
    /// The argument's or result's name.
    pub name: String,
    /// Its type.
    pub ty: loom_dfg::Type,
    /// Its bits, the low ones of the channel; 0 where only the transfer counts.
    pub width: u32,
}

/// Arguments, then results, of a mapped kernel.
pub fn pins(graph: &Graph, fabric: &Fabric, mapping: &Mapping) -> Vec<Pin> {
    let pin = |side: &str, port: Option<usize>, name: &str, ty: loom_dfg::Type| Pin {
        signal: port.map(|k| format!("{side}{k}")),
        name: name.into(),
        ty,
        width: ty.width(fabric.index_width()),
    };
    let arguments = graph.arguments.iter().zip(&mapping.arguments).map(|(&v, &port)| {
        let value = graph.value(v);
        pin("in", port, &value.name, value.ty)
    });
    let results = graph.outputs.iter().zip(&mapping.outputs);
    let results = results.map(|(o, &port)| pin("out", Some(port), &o.name, graph.value(o.value).ty));
    arguments.chain(results).collect()
}

/// The same in config.json.
pub fn pins_json(pins: &[Pin]) -> Value {
    let row =
        |p: &Pin| json!({ "signal": p.signal, "name": p.name, "type": p.ty.to_string(), "width": p.width });
    pins.iter().map(row).collect()
}

/// A comment that says which channel is what.
fn pin_table(pins: &[Pin]) -> String {
    let mut text = String::new();
    for (k, p) in pins.iter().enumerate() {
        let signal = p.signal.as_deref().unwrap_or("not used");
        let lead = if k == 0 { "\n/* " } else { "\n   " };
        let kind = match p.width {
            0 => "control, no data".to_string(),
            width => format!("{}, {width} bits", p.ty),
        };
        let _ = write!(text, "{lead}{signal:<9} {}: {kind}", comment(&p.name));
    }
    match text.is_empty() {
        true => text,
        false => text + " */\n",
    }
}

/// For each channel that is used `LOOM_<kernel>__<fabric>_IN_<argument>` or `_OUT_<result>`, its number.
fn pin_macros(own: &str, pins: &[Pin]) -> String {
    let mut text = String::new();
    for (side, kind) in [("in", "IN"), ("out", "OUT")] {
        let used: Vec<(&Pin, &str)> =
            pins.iter().filter_map(|p| Some((p, p.signal.as_deref()?.strip_prefix(side)?))).collect();
        let names = distinct(used.iter().map(|(p, _)| c_name(&p.name)));
        for ((_, number), name) in used.iter().zip(names) {
            let _ = writeln!(text, "#define LOOM_{own}_{kind}_{name} {number}");
        }
    }
    text
}

/// `config.h`: the words as a C array, what the channels are, and a macro for the base address of every argument in external
/// memory. Names are those of kernel and fabric, so that a program can hold several.
pub fn config_h(fabric: &Fabric, kernel: &str, image: &Image, bases: &[Base], pins: &[Pin]) -> String {
    let own = own_name(kernel, fabric.name());
    let (array, guard) = (format!("loom_{own}_config_words"), format!("LOOM_{own}_CONFIG_H"));
    let mut text = format!(
        "/* Configuration of fabric {} (hash {}) for kernel {}.\n   Send the words in order, one a cycle, \
         with cfg_last on the final one.\n   {LICENCE} */\n#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n\n",
        fabric.name(),
        short(fabric.hash()),
        comment(kernel)
    );
    let _ = writeln!(text, "static const uint32_t loom_{own}_config_word_count = {};", image.words.len());
    // A C array has at least one element; the count says how many count.
    let _ = writeln!(text, "static const uint32_t {array}[{}] = {{", image.words.len().max(1));
    let words: &[u32] = if image.words.is_empty() { &[0] } else { &image.words };
    for row in words.chunks(8) {
        let row: Vec<String> = row.iter().map(|w| format!("0x{w:08x}u")).collect();
        let _ = writeln!(text, "    {},", row.join(", "));
    }
    text.push_str("};\n");
    text.push_str(&pin_table(pins));
    text.push_str(&pin_macros(&own, pins));
    text.push_str(&base_macros(&own, &array, bases));
    text.push_str("\n#endif\n");
    text
}

/// For each argument in external memory, `LOOM_<kernel>__<fabric>_WORD_<argument>_<k>`, the words that hold its address, and
/// `LOOM_<kernel>__<fabric>_BASE_<argument>`, which sets them all.
fn base_macros(own: &str, array: &str, bases: &[Base]) -> String {
    let mut arguments: Vec<(&str, Vec<&Base>)> = Vec::new();
    for base in bases {
        let Some(name) = base.argument() else { continue };
        match arguments.iter_mut().find(|a| a.0 == name) {
            Some(a) => a.1.push(base),
            None => arguments.push((name, vec![base])),
        }
    }
    if arguments.is_empty() {
        return String::new();
    }
    let names: Vec<String> = distinct(arguments.iter().map(|a| c_name(a.0)));
    let mut text = format!(
        "\n/* Base addresses of external memory. The fabric reads and writes each argument below at the byte address\n   \
         that these words hold. Set all of them in a copy of the words, then send the copy:\n\n     \
         uint32_t words[sizeof {array} / sizeof {array}[0]];\n     \
         memcpy(words, {array}, sizeof words);\n     \
         LOOM_{own}_BASE_{}(words, 0x10000);\n\n   \
         An address is what the fabric's AXI port sends (physical, unless an IOMMU stands between), below 2^32, and\n   \
         a multiple of the element's bytes. LOOM_{own}_WORD_* are the indices of the words. */\n",
        names[0]
    );
    for ((argument, regions), name) in arguments.iter().zip(&names) {
        text.push('\n');
        for (k, b) in regions.iter().enumerate() {
            let lanes = format!("lanes {} to {}", b.start_lane, b.end_lane.saturating_sub(1));
            let place = format!("{} region {}", comment(&b.interface), b.region);
            let _ = writeln!(
                text,
                "/* `{}`: {place}, {lanes}, elements of {} bytes. */\n#define LOOM_{own}_WORD_{name}_{k} {}",
                comment(argument),
                b.element_bytes,
                b.word_index
            );
        }
        let set: String =
            (0..regions.len()).map(|k| format!("(words)[LOOM_{own}_WORD_{name}_{k}] = ")).collect();
        let _ = writeln!(text, "#define LOOM_{own}_BASE_{name}(words, address) ({set}(uint32_t)(address))");
    }
    text
}

/// A name as a part of an identifier of C.
fn c_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// What identifiers of a kernel on a fabric are called by: `<kernel>__<fabric>`, with the fabric's name as an identifier. Where that
/// could be another pair's too, because `_` or `-` follow each other or stand at an end, or because what stands behind the name
/// stands in it, a number that is made of the pair follows.
fn own_name(kernel: &str, fabric: &Name) -> String {
    let is_plain = |name: &str| {
        let parts: Vec<&str> = name.split(['_', '-']).collect();
        let good = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric());
        let behind = |part: &&str| matches!(*part, "BASE" | "WORD" | "IN" | "OUT");
        parts.iter().all(good) && !parts[1..].iter().any(behind)
    };
    let name = format!("{}__{}", c_name(kernel), fabric.identifier());
    match is_plain(kernel) && is_plain(fabric) {
        true => name,
        false => format!("{name}___{:08x}", fnv(&format!("{kernel} {fabric}"))),
    }
}

/// A name that cannot end the comment it stands in.
fn comment(name: &str) -> String {
    name.replace("*/", "* /").replace("/*", "/ *").replace(['\n', '\r'], " ")
}

/// Names made distinct: of those that are the same, later ones get the first number that is free.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    for name in names {
        let numbered = (2..).map(|n| format!("{name}_{n}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|n| !taken.contains(n));
        taken.extend(free);
    }
    taken
}

/// `<adg>.layout.json`: ports, slice layouts by definition, slices and units.
pub fn layout_json(fabric: &Fabric) -> Value {
    let ports = |ports: &[StreamPort]| -> Vec<Value> {
        let port = |p: &StreamPort| json!({ "signal": p.signal, "name": p.name, "width": p.ty.width, "tag": p.ty.tag });
        ports.iter().map(port).collect()
    };
    let definitions: Vec<Value> = fabric
        .adg()
        .definitions
        .iter()
        .zip(&fabric.layout().definitions)
        .map(|(d, s)| {
            let fields: Vec<Value> = s
                .fields
                .iter()
                .map(|f| json!({ "name": f.kind.to_string(), "low_bit": f.low, "width": f.width }))
                .collect();
            json!({ "name": d.name, "kind": d.component.kind_name(), "words": s.words(), "fields": fields })
        })
        .collect();
    let slices: Vec<Value> = fabric
        .layout()
        .slices
        .iter()
        .map(|s| {
            json!({
                "name": fabric.path(s.component),
                "definition": fabric.adg().definitions[fabric.flat().at(s.component).definition].name,
                "unit": fabric.unit(s.component).map(|unit| unit.0),
                "word_offset": s.word_offset,
                "word_count": s.word_count,
            })
        })
        .collect();
    json!({
        "fabric": fabric.name().as_str(),
        "fabric_hash": fabric.hash(),
        "top": crate::fabric::top_name(fabric),
        "word_width_bits": 32,
        "word_count": fabric.layout().words,
        "inputs": ports(&fabric.ports().inputs),
        "outputs": ports(&fabric.ports().outputs),
        "definitions": definitions,
        "slices": slices,
    })
}
