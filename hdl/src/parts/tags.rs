//! `add_tag`, `map_tag`, `del_tag`, and the FIFO whose bypass is a configuration bit.

use super::{first_error, sticky, Config};
use crate::ir::{Expr, Module};
use crate::leaf;
use crate::{Channel, Pins};
use loom_adg::layout::FieldKind;
use loom_adg::model::{AddTag, ChannelType, Component, DelTag, Fifo, MapTag};
use loom_adg::HwError;
use std::sync::Arc;

/// Adds the configured tag. Ports: `in`, `out`, `cfg`.
pub fn add_tag(c: &AddTag) -> Arc<Module> {
    let mut m = Module::new(format!("loom_add_tag_w{}_t{}", c.width, c.tag));
    m.doc("Adds the configured tag; valid, ready and data go straight through.");
    let input = Channel::input(&mut m, "in", ChannelType::bits(c.width));
    let output = Channel::output(&mut m, "out", ChannelType::tagged(c.width, c.tag));
    let config = Config::new(&mut m, &Component::AddTag(*c), 32);
    let tag = config.field(&mut m, "tag", FieldKind::Tag);
    m.drive(&output.valid, input.valid);
    m.drive(&output.data, input.data);
    m.drive(&output.tag, tag);
    m.drive(&input.ready, output.ready);
    m.finish()
}

/// Drops the tag. Ports: `in`, `out`.
pub fn del_tag(c: &DelTag) -> Arc<Module> {
    let mut m = Module::new(format!("loom_del_tag_w{}_t{}", c.width, c.tag));
    m.doc("Drops the tag; valid, ready and data go straight through.");
    let input = Channel::input(&mut m, "in", ChannelType::tagged(c.width, c.tag));
    let output = Channel::output(&mut m, "out", ChannelType::bits(c.width));
    m.unused(&input.tag);
    m.drive(&output.valid, input.valid);
    m.drive(&output.data, input.data);
    m.drive(&input.ready, output.ready);
    m.finish()
}

/// Translates tags by a table. Ports: `in`, `out`, `cfg`, `error_code`.
pub fn map_tag(c: &MapTag) -> Arc<Module> {
    let mut m =
        Module::new(format!("loom_map_tag_w{}_t{}_t{}_n{}", c.width, c.tag_in, c.tag_out, c.table_size));
    m.doc(&format!(
        "Translates tags by a table of {} entries (valid, source, target). Errors: {} a source twice;\n\
         {} a tag without an entry: the token waits for ever and none is accepted until reset.",
        c.table_size,
        HwError::CfgMapTagDupTag.code(),
        HwError::RtMapTagNoMatch.code()
    ));
    let input = Channel::input(&mut m, "in", ChannelType::tagged(c.width, c.tag_in));
    let output = Channel::output(&mut m, "out", ChannelType::tagged(c.width, c.tag_out));
    let config = Config::new(&mut m, &Component::MapTag(*c), 32);
    let error_code = m.output("error_code", 16);
    let mut hits = Vec::new();
    let mut choices = Vec::new();
    let mut table: Vec<(Expr, Expr)> = Vec::new();
    for i in 0..c.table_size {
        let valid = config.field(&mut m, &format!("entry{i}_valid"), FieldKind::EntryValid(i));
        let source = config.field(&mut m, &format!("entry{i}_source"), FieldKind::EntrySource(i));
        let target = config.field(&mut m, &format!("entry{i}_target"), FieldKind::EntryTarget(i));
        let hit = m.wire(&format!("hit{i}"), valid.and(&source.eq(&input.tag)));
        table.push((valid, source));
        hits.push(hit.clone());
        choices.push((hit, target));
    }
    let hit = m.wire("hit", Expr::any_of(&hits));
    let failed = sticky(&mut m, "error_q");
    m.next(&failed, None, failed.q.or(&input.valid.and(&hit.not())));
    m.drive(&output.valid, input.valid.and(&hit));
    m.drive(&output.data, input.data.clone());
    m.drive(&output.tag, Expr::onehot_mux(c.tag_out, &choices));
    m.drive(&input.ready, Expr::all_of(&[output.ready.clone(), hit, failed.q.not()]));
    let twice = duplicate_tags(&mut m, &table);
    let errors = [(twice, HwError::CfgMapTagDupTag), (failed.q, HwError::RtMapTagNoMatch)];
    m.drive(&error_code, first_error(&errors));
    m.finish()
}

/// A bypassable FIFO behind the common interface. Ports: `in`, `out`, `cfg`, `busy`.
pub fn configured_fifo(f: &Fifo) -> Arc<Module> {
    let inner = leaf::fifo(f.ty.width, f.ty.tag, f.depth as u32, f.kind);
    let mut m = Module::new(format!("{}_cfg", inner.name));
    m.doc("The bypassable FIFO with its bypass bit from the configuration.");
    let input = Channel::input(&mut m, "in", f.ty);
    let output = Channel::output(&mut m, "out", f.ty);
    let config = Config::new(&mut m, &Component::Fifo(*f), 32);
    let bypass = config.field(&mut m, "bypass", FieldKind::Bypass);
    let busy = m.output("busy", 1);
    let mut pins = Pins::new();
    pins.pin("bypass", bypass).pin("busy", busy).channel("in", &input).channel("out", &output);
    m.instance("fifo", &inner, &pins);
    m.finish()
}

/// True when two of the tables' valid tags are equal; shared with the temporal switch.
pub(super) fn duplicate_tags(m: &mut Module, table: &[(Expr, Expr)]) -> Expr {
    let mut twice = Vec::new();
    for (k, (v, t)) in table.iter().enumerate().skip(1) {
        let earlier: Vec<Expr> = table[..k].iter().map(|(w, u)| w.and(&t.eq(u))).collect();
        twice.push(m.wire(&format!("tag{k}_twice"), v.and(&Expr::any_of(&earlier))));
    }
    Expr::any_of(&twice)
}
