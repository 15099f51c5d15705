//! Channels inside a module under construction, and which instance ports they join.

use loom_adg::model::{Body, ChannelType, Component, End};
use loom_hdl::ir::{Dir, Expr, Module};

/// The four wires of a channel inside a module under construction. `data` and `tag` may have width 0.
#[derive(Clone)]
pub(crate) struct Wires {
    pub valid: Expr,
    pub ready: Expr,
    pub data: Expr,
    pub tag: Expr,
}

impl Wires {
    /// A channel between instances, to be driven from both ends.
    pub fn declare(m: &mut Module, name: &str, ty: ChannelType) -> Wires {
        Wires {
            valid: m.declare(&format!("{name}_valid"), 1),
            ready: m.declare(&format!("{name}_ready"), 1),
            data: m.declare(&format!("{name}_data"), ty.width),
            tag: m.declare(&format!("{name}_tag"), ty.tag),
        }
    }

    /// A channel into the module: valid, data and tag are inputs, ready is an output still to be driven.
    pub fn input_port(m: &mut Module, name: &str, ty: ChannelType) -> Wires {
        Wires {
            valid: m.input(&format!("{name}_valid"), 1),
            ready: m.output(&format!("{name}_ready"), 1),
            data: m.input(&format!("{name}_data"), ty.width),
            tag: m.input(&format!("{name}_tag"), ty.tag),
        }
    }

    /// A channel out of the module: ready is an input, the rest outputs still to be driven.
    pub fn output_port(m: &mut Module, name: &str, ty: ChannelType) -> Wires {
        Wires {
            valid: m.output(&format!("{name}_valid"), 1),
            ready: m.input(&format!("{name}_ready"), 1),
            data: m.output(&format!("{name}_data"), ty.width),
            tag: m.output(&format!("{name}_tag"), ty.tag),
        }
    }

    /// Never valid: what an unconnected input sees. Its ready goes nowhere.
    pub fn tied_off(m: &mut Module, name: &str, ty: ChannelType) -> Wires {
        let ready = m.declare(&format!("{name}_ready"), 1);
        m.unused(&ready);
        Wires { valid: Expr::zero(1), ready, data: Expr::zero(ty.width), tag: Expr::zero(ty.tag) }
    }

    /// Data and tag as a consumer of type `ty` sees them, with a name where they change width.
    pub fn adapted(&self, m: &mut Module, name: &str, ty: ChannelType) -> (Expr, Expr) {
        let mut fit = |e: &Expr, width: u32, what: &str| {
            if e.width() == width {
                return e.clone();
            }
            if e.width() > width {
                m.unused(&e.slice(width, e.width() - width));
            }
            m.wire(&format!("{name}_{what}_fit"), e.resize(width))
        };
        (fit(&self.data, ty.width, "data"), fit(&self.tag, ty.tag, "tag"))
    }
}

/// Prefix of a component's port in its module.
pub(crate) fn prefix(component: &Component, side: &str, port: usize) -> String {
    match component {
        Component::SpatialPe(_) | Component::SpatialSw(_) | Component::TemporalSw(_) => {
            format!("{side}{port}")
        }
        Component::Memory(memory) => {
            let (inputs, outputs) = memory.families();
            let families = if side == "in" { inputs } else { outputs };
            loom_hdl::parts::memory_port_name(families[port]).to_string()
        }
        _ => side.to_string(),
    }
}

/// Ports of `m` for those of `module` that begin with `inner`, under names that begin with `outer`; and the connections.
pub(crate) fn pass_through(
    m: &mut Module,
    module: &Module,
    inner: &str,
    outer: &str,
    connections: &mut Vec<(String, Expr)>,
) {
    for port in &module.ports {
        if let Some(rest) = port.name.strip_prefix(inner) {
            let name = format!("{outer}{rest}");
            let e = match port.dir {
                Dir::In => m.input(&name, port.width),
                Dir::Out => m.output(&name, port.width),
            };
            connections.push((port.name.clone(), e));
        }
    }
}

/// What consumes the channel that an instance's output feeds, and what produces the one at its input.
pub(crate) struct Ends {
    pub sink_of: Vec<Vec<Option<End>>>,
    pub source_of: Vec<Vec<Option<End>>>,
    pub sink_of_input: Vec<Option<End>>,
    pub source_of_output: Vec<Option<End>>,
}

impl Ends {
    /// `shape` gives the numbers of inputs and outputs of an instance.
    pub fn new(body: &Body, shape: &dyn Fn(usize) -> (usize, usize)) -> Ends {
        let count = body.instances.len();
        let mut ends = Ends {
            sink_of: (0..count).map(|i| vec![None; shape(i).1]).collect(),
            source_of: (0..count).map(|i| vec![None; shape(i).0]).collect(),
            sink_of_input: vec![None; body.inputs.len()],
            source_of_output: vec![None; body.outputs.len()],
        };
        for c in &body.connections {
            match c.from {
                End::Body(k) => ends.sink_of_input[k] = Some(c.to),
                End::Instance { instance, port } => ends.sink_of[instance][port] = Some(c.to),
            }
            match c.to {
                End::Body(k) => ends.source_of_output[k] = Some(c.from),
                End::Instance { instance, port } => ends.source_of[instance][port] = Some(c.from),
            }
        }
        ends
    }
}

/// Adds a channel's connections under a port prefix.
pub(crate) fn connect(
    connections: &mut Vec<(String, Expr)>,
    side: &str,
    ty: ChannelType,
    valid: Expr,
    ready: Expr,
    data: Expr,
    tag: Expr,
) {
    connections.push((format!("{side}_valid"), valid));
    connections.push((format!("{side}_ready"), ready));
    if ty.width > 0 {
        connections.push((format!("{side}_data"), data));
    }
    if ty.tag > 0 {
        connections.push((format!("{side}_tag"), tag));
    }
}

/// What nobody takes: never ready.
pub(crate) fn leads_nowhere(m: &mut Module, w: &Wires) {
    m.drive(&w.ready, Expr::zero(1));
    for e in [&w.valid, &w.data, &w.tag] {
        m.unused(e);
    }
}
