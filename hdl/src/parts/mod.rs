//! Modules made from the architecture model: components with all their configuration, and what ties tiles together.
//!
//! Every function is written from `docs/hardware.md`. Equal specifications give the same module under one name;
//! irregular shapes (connectivity, FU lists) are told apart by a hash in the name.
//!
//! Ports of a component: channels `in<i>` and `out<o>` (`in` and `out` where there is only one of each; a memory
//! interface names them by [`memory_port_name`]), `cfg` with its slice's bits where it has configuration, `error_code` (16 bits, 0 is none: a configuration error's level, or the sticky
//! run-time error) where it can err, `busy` where it can hold something.
//!
//! - [`config_slice`]: `in_valid in_data out_data bits`; [`config_hop`]: `in_valid in_data out_valid out_data`
//! - [`error_node`]: `code<k> unit<k> busy<k>` of its children in, `code unit busy` out, registered
//! - [`config_loader`]: the ports `cfg_*`, `error_*` and `idle` of the fabric top, `chain_*`, `root_*`, `any_input_*`

mod bits;
mod body_mux;
mod collect;
mod curves;
mod digits;
mod divider;
mod firing;
mod float;
mod float_digits;
mod fu;
mod loader;
mod memory;
mod pe;
mod shared;
mod switch;
mod tags;
mod temporal;

pub use collect::{config_hop, config_slice, error_node};
pub use fu::function_unit;
pub use loader::config_loader;
pub use memory::{memory, memory_port_name};
pub use pe::spatial_pe;
pub use shared::shared_units;
pub use switch::spatial_sw;
pub use tags::{add_tag, del_tag, map_tag};
pub use temporal::temporal_sw;

use crate::ir::{Expr, Module};
use crate::leaf;
use loom_adg::layout::{FieldKind, SliceLayout};
use loom_adg::model::{ChannelType, Component};
use loom_adg::HwError;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The module of a component.
pub fn component(component: &Component, index_width: u32) -> Arc<Module> {
    match component {
        Component::SpatialPe(pe) => spatial_pe(pe, index_width),
        Component::SpatialSw(sw) => spatial_sw(sw),
        Component::TemporalSw(sw) => temporal_sw(sw),
        Component::Fifo(f) if f.is_bypassable() => tags::configured_fifo(f),
        Component::Fifo(f) => leaf::fifo(f.ty.width, f.ty.tag, f.depth as u32, f.kind),
        Component::AddTag(c) => add_tag(c),
        Component::MapTag(c) => map_tag(c),
        Component::DelTag(c) => del_tag(c),
        Component::Memory(c) => memory(c),
    }
}

/// Six hexadecimal digits that tell specifications apart.
fn shape_hash(spec: &impl std::fmt::Debug) -> String {
    let digest = Sha256::digest(format!("{spec:?}").as_bytes());
    digest.iter().take(3).map(|b| format!("{b:02x}")).collect()
}

/// The common width of some channels, or `mixed`.
fn width_name(types: impl Iterator<Item = ChannelType>) -> String {
    let mut types: Vec<ChannelType> = types.collect();
    types.dedup();
    match types.as_slice() {
        [t] if t.tag > 0 => format!("w{}_t{}", t.width, t.tag),
        [t] => format!("w{}", t.width),
        _ => "mixed".into(),
    }
}

/// The `cfg` port cut into fields.
struct Config {
    layout: SliceLayout,
    bits: Expr,
}

impl Config {
    fn new(m: &mut Module, component: &Component, index_width: u32) -> Config {
        let layout = SliceLayout::new(component, index_width);
        let bits = m.input("cfg", layout.bits);
        Config { layout, bits }
    }

    /// A field's bits as a named wire; empty when the field has none.
    fn field(&self, m: &mut Module, name: &str, kind: FieldKind) -> Expr {
        match self.layout.field(kind) {
            Some(field) => m.wire(name, self.bits.slice(field.low, field.width)),
            None => Expr::empty(),
        }
    }
}

/// True when at least two bits are set: two in one half, or one in each. Text and gates grow as n log n.
fn two_of(bits: &[Expr]) -> Expr {
    if bits.len() < 2 {
        return Expr::zero(1);
    }
    let (low, high) = bits.split_at(bits.len() / 2);
    let one_each = Expr::any_of(low).and(&Expr::any_of(high));
    Expr::any_of(&[two_of(low), two_of(high), one_each])
}

/// `select == value`, also where one choice needs no bits.
fn is_choice(select: &Expr, value: usize) -> Expr {
    if select.width() == 0 {
        Expr::bit_const(value == 0)
    } else {
        select.eq_const(value as u64)
    }
}

/// True when `select` names none of `choices`.
fn out_of_range(select: &Expr, choices: usize) -> Expr {
    if select.width() >= 63 || (1u64 << select.width()) <= choices as u64 {
        return Expr::zero(1);
    }
    select.uge(&Expr::konst(select.width(), choices as u64))
}

/// An error's code, by its name.
fn error_of(error: HwError) -> Expr {
    Expr::named(error.name(), 16, u32::from(error.code()))
}

/// The code of the first condition that holds, 0 when none does; give the smallest code first.
fn first_error(errors: &[(Expr, HwError)]) -> Expr {
    errors
        .iter()
        .rev()
        .fold(Expr::zero(16), |rest, (condition, error)| condition.mux(&error_of(*error), &rest))
}

/// Bits above the first `used` are dropped on purpose.
fn unused_above(m: &mut Module, e: &Expr, used: u32) {
    if e.width() > used {
        m.unused(&e.slice(used, e.width() - used));
    }
}

/// A register that is set and never cleared but by reset. The condition may be given later by [`Module::next`].
fn sticky(m: &mut Module, name: &str) -> crate::ir::Reg {
    m.reg(name, 1, 0u32)
}
