//! A body made of instances: which channel joins which ports. Tiles and the top are composed alike.

use loom_adg::model::{Body, ChannelType, End};
use loom_hdl::ir::{Dir, Expr, Module, Outputs};
use loom_hdl::{Channel, Pins};
use std::sync::Arc;

/// An instance to be placed: its module, and the module's channels in the order of the architecture's ports.
pub(super) struct Part {
    /// Name of the instance.
    pub name: String,
    /// Name of what it is an instance of, for the reader.
    pub of: String,
    pub module: Arc<Module>,
    pub inputs: Vec<(String, ChannelType)>,
    pub outputs: Vec<(String, ChannelType)>,
}

/// Joins parts by the channels of a body.
pub(super) struct Composer<'a> {
    body: &'a Body,
    parts: &'a [Part],
    ends: Ends,
    /// Channels that come in by the body's ports.
    inputs: Vec<Channel>,
    /// Channels out of each part.
    channels: Vec<Vec<Channel>>,
}

impl<'a> Composer<'a> {
    /// Declares the channels out of all parts; those of `inputs` come in by the body's ports.
    pub fn new(m: &mut Module, body: &'a Body, parts: &'a [Part], inputs: Vec<Channel>) -> Composer<'a> {
        let mut channels = Vec::with_capacity(parts.len());
        for part in parts {
            m.comment(&format!("Channels out of {}.", part.name));
            let declare = |(port, ty): &(String, ChannelType)| {
                Channel::declare(m, &format!("{}_{port}", part.name), *ty)
            };
            channels.push(part.outputs.iter().map(declare).collect());
        }
        Composer { body, parts, ends: Ends::new(body, parts), inputs, channels }
    }

    fn source(&self, m: &mut Module, end: Option<End>, name: &str, ty: ChannelType) -> Channel {
        match end {
            Some(End::Body(k)) => self.inputs[k].clone(),
            Some(End::Instance { instance, port }) => self.channels[instance][port].clone(),
            None => Channel::tied_off(m, name, ty),
        }
    }

    /// Places a part: its channels, and what else it is joined to.
    pub fn place(&self, m: &mut Module, at: usize, mut pins: Pins) -> Outputs {
        let part = &self.parts[at];
        m.comment(&format!("{} ({})", part.name, part.of));
        for (port, (side, ty)) in part.inputs.iter().enumerate() {
            let name = format!("{}_{side}", part.name);
            let from = self.source(m, self.ends.source_of[at][port], &name, *ty);
            pins.channel(side, &from.fitted(m, &name, *ty));
        }
        for ((side, _), channel) in part.outputs.iter().zip(&self.channels[at]) {
            pins.channel(side, channel);
        }
        m.instance(&part.name, &part.module, &pins)
    }

    /// Drives the body's outputs, and ends what leads nowhere.
    pub fn close(&self, m: &mut Module, outputs: &[Channel]) {
        for (k, (port, out)) in self.body.outputs.iter().zip(outputs).enumerate() {
            let from = self.source(m, self.ends.source_of_output[k], &format!("{}_from", port.name), port.ty);
            let from = from.fitted(m, &port.name, port.ty);
            out.drive(m, &from);
        }
        for (row, sinks) in self.channels.iter().zip(&self.ends.sink_of) {
            for (channel, _) in row.iter().zip(sinks).filter(|(_, sink)| sink.is_none()) {
                channel.leads_nowhere(m);
            }
        }
        for (channel, _) in
            self.inputs.iter().zip(&self.ends.sink_of_input).filter(|(_, sink)| sink.is_none())
        {
            channel.leads_nowhere(m);
        }
    }
}

/// Ports of `m` for those of `module` that begin with `inner`, under names that begin with `outer`; and the pins.
pub(super) fn pass_through(m: &mut Module, module: &Module, inner: &str, outer: &str, pins: &mut Pins) {
    for port in &module.ports {
        if let Some(rest) = port.name.strip_prefix(inner) {
            let name = format!("{outer}{rest}");
            let e = match port.dir {
                Dir::In => m.input(&name, port.width),
                Dir::Out => m.output(&name, port.width),
            };
            pins.pin(&port.name, e);
        }
    }
}

/// The OR of any number of bits.
pub(super) fn any(bits: &[Expr]) -> Expr {
    bits.iter().fold(Expr::zero(1), |acc, b| acc.or(b))
}

/// What consumes the channel that an instance's output feeds, and what produces the one at its input.
struct Ends {
    sink_of: Vec<Vec<Option<End>>>,
    source_of: Vec<Vec<Option<End>>>,
    sink_of_input: Vec<Option<End>>,
    source_of_output: Vec<Option<End>>,
}

impl Ends {
    fn new(body: &Body, parts: &[Part]) -> Ends {
        let mut ends = Ends {
            sink_of: parts.iter().map(|p| vec![None; p.outputs.len()]).collect(),
            source_of: parts.iter().map(|p| vec![None; p.inputs.len()]).collect(),
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
