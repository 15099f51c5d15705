//! The files around an image: config.json explains every bit, config.h embeds the words in a host program, and
//! `<adg>.layout.json` describes the fabric's configuration space and ports without any mapping.

use crate::codes;
use loom_adg::flat::{ComponentId, Flat};
use loom_adg::layout::{Image, Layout};
use loom_adg::model::Adg;
use loom_base::{Diagnostic, Diagnostics};
use serde_json::{json, Value};
use std::fmt::Write;

/// Unit numbers of the components that have configuration, in flattened order; what `error_unit` shows.
pub fn units(flat: &Flat, layout: &Layout) -> Vec<ComponentId> {
    flat.ids().filter(|&id| layout.slice(id).is_some()).collect()
}

/// `config.json`: every slice, and every field with its bits and value.
pub fn config_json(adg: &Adg, flat: &Flat, layout: &Layout, image: &Image, fabric_hash: &str) -> Value {
    let slices: Vec<Value> = layout
        .slices
        .iter()
        .map(|slice| {
            let fields: Vec<Value> = layout
                .of(slice.component)
                .fields
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
                "name": flat.at(slice.component).path,
                "kind": flat.component(adg, slice.component).kind_name(),
                "hw_node": slice.component.0,
                "word_offset": slice.word_offset,
                "word_count": slice.word_count,
                "complete": true,
                "fields": fields,
            })
        })
        .collect();
    json!({
        "fabric": adg.name,
        "fabric_hash": fabric_hash,
        "word_width_bits": 32,
        "word_count": layout.words,
        "byte_size": layout.words * 4,
        "complete": true,
        "words": image.words,
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

/// Reads the words back out of a config.json and checks that it belongs to this fabric.
pub fn check_config_json(text: &str, adg: &Adg, fabric_hash: &str, image: &Image) -> Result<(), Diagnostics> {
    let value: Value = serde_json::from_str(text).map_err(|e| {
        vec![Diagnostic::error(codes::CONFIG_JSON, format!("not JSON: {e}"))
            .help("keep the config.json that `loom map` wrote beside config.bin, or remove it")]
    })?;
    let Some(hash) = value["fabric_hash"].as_str() else {
        return Err(vec![Diagnostic::error(codes::CONFIG_JSON, "`fabric_hash` is missing")
            .help("keep the config.json that `loom map` wrote beside config.bin, or remove it")]);
    };
    if hash != fabric_hash {
        let made_for = value["fabric"].as_str().unwrap_or("?");
        return Err(vec![Diagnostic::error(
            codes::OTHER_FABRIC,
            format!(
                "the bitstream was made for `{made_for}` ({}), the fabric is `{}` ({})",
                short(hash),
                adg.name,
                short(fabric_hash)
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
    Ok(())
}

fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// `config.h`: the words as a C array.
pub fn config_h(adg: &Adg, kernel: &str, image: &Image, fabric_hash: &str) -> String {
    let mut text = format!(
        "/* Configuration of fabric {} (hash {}) for kernel {}.\n   Send the words in order, one a cycle, \
         with cfg_last on the final one. */\n#ifndef LOOM_CONFIG_H\n#define LOOM_CONFIG_H\n\n#include <stdint.h>\n\n",
        adg.name,
        short(fabric_hash),
        kernel
    );
    let _ = writeln!(text, "static const uint32_t loom_runtime_config_word_count = {};", image.words.len());
    let _ = writeln!(text, "static const uint32_t loom_runtime_config_complete = 1;");
    // A C array has at least one element; the count says how many count.
    let _ =
        writeln!(text, "static const uint32_t loom_runtime_config_words[{}] = {{", image.words.len().max(1));
    let words: &[u32] = if image.words.is_empty() { &[0] } else { &image.words };
    for row in words.chunks(8) {
        let row: Vec<String> = row.iter().map(|w| format!("0x{w:08x}u")).collect();
        let _ = writeln!(text, "    {},", row.join(", "));
    }
    text.push_str("};\n\n#endif\n");
    text
}

/// `<adg>.layout.json`: ports, slice layouts by definition, slices and units.
pub fn layout_json(adg: &Adg, flat: &Flat, layout: &Layout, fabric_hash: &str) -> Value {
    let port = |k: usize, p: &loom_adg::model::Port, side: &str| json!({ "signal": format!("{side}{k}"), "name": p.name, "width": p.ty.width, "tag": p.ty.tag });
    let definitions: Vec<Value> = adg
        .definitions
        .iter()
        .zip(&layout.definitions)
        .map(|(d, s)| {
            let fields: Vec<Value> = s
                .fields
                .iter()
                .map(|f| json!({ "name": f.kind.to_string(), "low_bit": f.low, "width": f.width }))
                .collect();
            json!({ "name": d.name, "kind": d.component.kind_name(), "words": s.words(), "fields": fields })
        })
        .collect();
    let mut unit_of = vec![None; flat.components.len()];
    for (unit, id) in units(flat, layout).into_iter().enumerate() {
        unit_of[id.0 as usize] = Some(unit);
    }
    let slices: Vec<Value> = layout
        .slices
        .iter()
        .map(|s| {
            json!({
                "name": flat.at(s.component).path,
                "definition": adg.definitions[flat.at(s.component).definition].name,
                "unit": unit_of[s.component.0 as usize],
                "word_offset": s.word_offset,
                "word_count": s.word_count,
            })
        })
        .collect();
    json!({
        "fabric": adg.name,
        "fabric_hash": fabric_hash,
        "top": crate::fabric::top_name(adg),
        "word_width_bits": 32,
        "word_count": layout.words,
        "inputs": adg.top.inputs.iter().enumerate().map(|(k, p)| port(k, p, "in")).collect::<Vec<_>>(),
        "outputs": adg.top.outputs.iter().enumerate().map(|(k, p)| port(k, p, "out")).collect::<Vec<_>>(),
        "definitions": definitions,
        "slices": slices,
    })
}
