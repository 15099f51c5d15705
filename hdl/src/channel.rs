//! A channel inside a module under construction, and the pins of an instance.
//!
//! Whatever builds hardware here, from a FIFO to the fabric's top, names a channel's signals by this type alone:
//! `<name>_valid`, `<name>_ready`, `<name>_data`, `<name>_tag`. Data and tag of width 0 are there and print nothing.

use crate::ir::{Expr, Module};
use loom_adg::ChannelType;
use std::ops::Deref;

/// A channel's four signals. Which of them are still to be driven depends on how it was made.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The producer offers a token.
    pub valid: Expr,
    /// The consumer takes what is offered.
    pub ready: Expr,
    /// What the token carries.
    pub data: Expr,
    /// Its tag.
    pub tag: Expr,
}

impl Channel {
    /// A channel into the module: `ready` is to be driven.
    pub fn input(m: &mut Module, name: &str, ty: ChannelType) -> Channel {
        Channel {
            valid: m.input(&format!("{name}_valid"), 1),
            ready: m.output(&format!("{name}_ready"), 1),
            data: m.input(&format!("{name}_data"), ty.width),
            tag: m.input(&format!("{name}_tag"), ty.tag),
        }
    }

    /// A channel out of the module: all but `ready` are to be driven.
    pub fn output(m: &mut Module, name: &str, ty: ChannelType) -> Channel {
        Channel {
            valid: m.output(&format!("{name}_valid"), 1),
            ready: m.input(&format!("{name}_ready"), 1),
            data: m.output(&format!("{name}_data"), ty.width),
            tag: m.output(&format!("{name}_tag"), ty.tag),
        }
    }

    /// Channels `<name>0`, `<name>1`, ... into the module.
    pub fn inputs(m: &mut Module, name: &str, types: &[ChannelType]) -> Vec<Channel> {
        types.iter().enumerate().map(|(k, &ty)| Channel::input(m, &format!("{name}{k}"), ty)).collect()
    }

    /// Channels `<name>0`, `<name>1`, ... out of the module.
    pub fn outputs(m: &mut Module, name: &str, types: &[ChannelType]) -> Vec<Channel> {
        types.iter().enumerate().map(|(k, &ty)| Channel::output(m, &format!("{name}{k}"), ty)).collect()
    }

    /// A channel between parts of the module, driven from both ends.
    pub fn declare(m: &mut Module, name: &str, ty: ChannelType) -> Channel {
        Channel {
            valid: m.declare(&format!("{name}_valid"), 1),
            ready: m.declare(&format!("{name}_ready"), 1),
            data: m.declare(&format!("{name}_data"), ty.width),
            tag: m.declare(&format!("{name}_tag"), ty.tag),
        }
    }

    /// What an unconnected input sees: never valid. Its ready goes nowhere.
    pub fn tied_off(m: &mut Module, name: &str, ty: ChannelType) -> Channel {
        let ready = m.declare(&format!("{name}_ready"), 1);
        m.unused(&ready);
        Channel { valid: Expr::zero(1), ready, data: Expr::zero(ty.width), tag: Expr::zero(ty.tag) }
    }

    /// The channel as a consumer of type `ty` sees it: bits fit at the high end, under a name where they change.
    pub fn fitted(&self, m: &mut Module, name: &str, ty: ChannelType) -> Channel {
        let mut fit = |e: &Expr, width: u32, what: &str| {
            if e.width() == width {
                return e.clone();
            }
            if e.width() > width {
                m.unused(&e.slice(width, e.width() - width));
            }
            m.wire(&format!("{name}_{what}_fit"), e.resize(width))
        };
        let (data, tag) = (fit(&self.data, ty.width, "data"), fit(&self.tag, ty.tag, "tag"));
        Channel { valid: self.valid.clone(), ready: self.ready.clone(), data, tag }
    }

    /// Joins a producer to a consumer of the same type inside the module.
    pub fn drive(&self, m: &mut Module, from: &Channel) {
        m.drive(&self.valid, from.valid.clone());
        m.drive(&self.data, from.data.clone());
        m.drive(&self.tag, from.tag.clone());
        m.drive(&from.ready, self.ready.clone());
    }

    /// What nobody takes: never ready.
    pub fn leads_nowhere(&self, m: &mut Module) {
        m.drive(&self.ready, Expr::zero(1));
        for e in [&self.valid, &self.data, &self.tag] {
            m.unused(e);
        }
    }

    /// A token moves in this cycle.
    pub fn moves(&self) -> Expr {
        self.valid.and(&self.ready)
    }
}

/// What the ports of an instance are joined to, for [`Module::instance`].
#[derive(Clone, Debug, Default)]
pub struct Pins(Vec<(String, Expr)>);

impl Pins {
    /// No pins yet.
    pub fn new() -> Pins {
        Pins::default()
    }

    /// One port.
    pub fn pin(&mut self, port: impl Into<String>, value: Expr) -> &mut Pins {
        self.0.push((port.into(), value));
        self
    }

    /// The four ports of a channel.
    pub fn channel(&mut self, port: &str, channel: &Channel) -> &mut Pins {
        self.pin(format!("{port}_valid"), channel.valid.clone());
        self.pin(format!("{port}_ready"), channel.ready.clone());
        self.pin(format!("{port}_data"), channel.data.clone());
        self.pin(format!("{port}_tag"), channel.tag.clone())
    }
}

impl Deref for Pins {
    type Target = [(String, Expr)];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}
