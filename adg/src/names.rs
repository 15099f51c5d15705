//! Ports by name: `sw.out3` for a component's port, `t_0_0.n_in1` for a tile's, `in4` for a port of the body itself.
//!
//! Both text forms use these names, and so do diagnostics.

use crate::model::{Adg, Body, Connection, End, Of};
use std::collections::HashMap;

/// Name of the port at a connection's source.
pub fn source_name(adg: &Adg, body: &Body, from: End) -> String {
    end_name(adg, body, from, true)
}

/// Name of the port at a connection's sink.
pub fn sink_name(adg: &Adg, body: &Body, to: End) -> String {
    end_name(adg, body, to, false)
}

/// `a.out0 -> b.in1`.
pub fn connection_name(adg: &Adg, body: &Body, c: &Connection) -> String {
    format!("{} -> {}", source_name(adg, body, c.from), sink_name(adg, body, c.to))
}

fn end_name(adg: &Adg, body: &Body, end: End, source: bool) -> String {
    match end {
        End::Body(port) => {
            let ports = if source { &body.inputs } else { &body.outputs };
            ports.get(port).map_or_else(|| format!("<port {port}>"), |p| p.name.clone())
        }
        End::Instance { instance, port } => {
            let Some(i) = body.instances.get(instance) else {
                return format!("<instance {instance}>");
            };
            let side = if source { "out" } else { "in" };
            let name = match i.of {
                Of::Tile(t) => adg.tiles.get(t).and_then(|t| {
                    let ports = if source { &t.body.outputs } else { &t.body.inputs };
                    ports.get(port).map(|p| p.name.clone())
                }),
                Of::Component(_) => None,
            };
            format!("{}.{}", i.name, name.unwrap_or_else(|| format!("{side}{port}")))
        }
    }
}

/// Instances of a body by name.
pub(crate) struct InstanceNames {
    by_name: HashMap<String, usize>,
}

impl InstanceNames {
    /// The names of a body's instances; of equal ones the first.
    pub fn new(body: &Body) -> InstanceNames {
        let mut by_name = HashMap::new();
        for (i, instance) in body.instances.iter().enumerate() {
            by_name.entry(instance.name.clone()).or_insert(i);
        }
        InstanceNames { by_name }
    }

    /// The end that `text` names as a source or as a sink; `Err` says what is wrong and what would be right.
    pub fn end(&self, adg: &Adg, body: &Body, text: &str, source: bool) -> Result<End, (String, String)> {
        let Some((name, port)) = text.split_once('.') else {
            let ports = if source { &body.inputs } else { &body.outputs };
            return match ports.iter().position(|p| p.name == text) {
                Some(k) => Ok(End::Body(k)),
                None => Err((
                    format!("`{text}` is no {} port here", if source { "input" } else { "output" }),
                    format!(
                        "write `instance.{}`, or the name of a port",
                        if source { "out0" } else { "in0" }
                    ),
                )),
            };
        };
        let Some(&instance) = self.by_name.get(name) else {
            return Err((
                format!("there is no instance `{name}`"),
                "instances are named by `[[instance]]`, `fabric.instance` or a topology".into(),
            ));
        };
        let side = if source { "out" } else { "in" };
        let (found, allowed) = match body.instances[instance].of {
            Of::Component(definition) => {
                let component = &adg.definitions[definition].component;
                let count = if source { component.outputs().len() } else { component.inputs().len() };
                let digits = port.strip_prefix(side).filter(|d| *d == "0" || !d.starts_with(['0', '+']));
                let found = digits.and_then(|d| d.parse::<usize>().ok()).filter(|&k| k < count);
                let allowed = match count {
                    0 => format!("it has no {side}puts"),
                    1 => format!("it has `{side}0`"),
                    n => format!("it has `{side}0` to `{side}{}`", n - 1),
                };
                (found, allowed)
            }
            Of::Tile(tile) => {
                let body = &adg.tiles[tile].body;
                let ports = if source { &body.outputs } else { &body.inputs };
                let names: Vec<String> = ports.iter().map(|p| format!("`{}`", p.name)).collect();
                (ports.iter().position(|p| p.name == port), format!("it has {}", names.join(", ")))
            }
        };
        match found {
            Some(port) => Ok(End::Instance { instance, port }),
            None => Err((format!("`{name}` has no {side}put `{port}`"), allowed)),
        }
    }
}
