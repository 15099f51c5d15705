//! Rules of single components.

use super::fus;
use crate::codes;
use crate::model::{
    limits, Adg, Backing, ChannelType, Component, MemoryInterface, SpatialPe, SpatialSw, TemporalSw,
};
use crate::places::{Object, Places, Side};
use loom_base::{choice_bits, Code, Diagnostic, Diagnostics};
use std::ops::Range;

/// One definition under the checks.
struct Check<'a> {
    name: &'a str,
    index: usize,
    places: &'a Places,
    out: &'a mut Diagnostics,
}

/// Checks definition `index`.
pub(super) fn check(adg: &Adg, index: usize, places: &Places, out: &mut Diagnostics) {
    let definition = &adg.definitions[index];
    let mut c = Check { name: &definition.name, index, places, out };
    match &definition.component {
        Component::SpatialPe(pe) => c.spatial_pe(pe, adg.index_width),
        Component::SpatialSw(sw) => c.spatial_sw(sw),
        Component::TemporalSw(sw) => c.temporal_sw(sw),
        Component::Fifo(fifo) => {
            c.types(&[fifo.ty], None);
            let limit = limits::MAX_FIFO_DEPTH;
            if !(1..=limit).contains(&fifo.depth) {
                let message =
                    format!("the depth of `{}` is {}, 1 to {limit} are allowed", c.name, fifo.depth);
                c.error(codes::FIFO_DEPTH, message, None, "full throughput needs a depth of 2");
            }
        }
        Component::AddTag(t) => c.types(&[ChannelType::bits(t.width)], Some(&[t.tag])),
        Component::MapTag(t) => {
            c.types(&[ChannelType::bits(t.width)], Some(&[t.tag_in, t.tag_out]));
            let limit = limits::MAX_TAG_TABLE;
            if !(1..=limit).contains(&t.table_size) {
                let message = format!(
                    "the table of `{}` has {} entries, 1 to {limit} are allowed",
                    c.name, t.table_size
                );
                c.error(codes::TABLE_SIZE, message, None, "set `table_size`");
            }
        }
        Component::DelTag(t) => c.types(&[ChannelType::bits(t.width)], Some(&[t.tag])),
        Component::Memory(m) => c.memory(m, adg.index_width),
    }
}

impl Check<'_> {
    fn error(&mut self, code: Code, message: String, span: Option<Range<usize>>, help: &str) {
        let span = span.or_else(|| self.places.of(Object::Definition(self.index)));
        let d = Diagnostic::error(code, message).at_opt(span, "here");
        self.out.push(if help.is_empty() { d } else { d.help(help) });
    }

    fn side(&self, side: Side) -> Option<Range<usize>> {
        self.places.of(Object::Ports(self.index, side))
    }

    /// Widths and tag widths. `tags` are those that must be there.
    fn types(&mut self, types: &[ChannelType], tags: Option<&[u32]>) {
        self.types_at(types, tags, None);
    }

    fn types_at(&mut self, types: &[ChannelType], tags: Option<&[u32]>, span: Option<Range<usize>>) {
        let (max, max_tag) = (limits::MAX_WIDTH, limits::MAX_TAG_WIDTH);
        if let Some(t) = types.iter().find(|t| t.width > max) {
            let message = format!("a port of `{}` has {} bits, the limit is {max}", self.name, t.width);
            self.error(codes::WIDTH, message, span.clone(), "split the data over several channels");
        }
        let mut all: Vec<u32> = types.iter().filter(|t| t.is_tagged()).map(|t| t.tag).collect();
        all.extend(tags.unwrap_or(&[]));
        if let Some(tag) = all.into_iter().find(|tag| !(1..=max_tag).contains(tag)) {
            let message = format!("a tag of `{}` has {tag} bits, 1 to {max_tag} are allowed", self.name);
            self.error(codes::TAG_WIDTH, message, span, "");
        }
    }

    /// Whether the switch has a size of which a table can be looked at.
    fn switch_size(&mut self, inputs: usize, outputs: usize) -> bool {
        let limit = limits::MAX_SWITCH_PORTS;
        let before = self.out.len();
        for (count, what, side) in [(inputs, "inputs", Side::Input), (outputs, "outputs", Side::Output)] {
            if !(1..=limit).contains(&count) {
                let message = format!("`{}` has {count} {what}, a switch has 1 to {limit}", self.name);
                let span = self.side(side);
                self.error(codes::SWITCH_SIZE, message, span, "use several switches");
            }
        }
        self.out.len() == before
    }

    fn connectivity(&mut self, table: &[Vec<bool>], inputs: usize, outputs: usize) {
        let help = "one text per output, one digit per input";
        if table.len() != outputs {
            let message = format!(
                "the connectivity table of `{}` has {} rows for {outputs} outputs",
                self.name,
                table.len()
            );
            return self.error(codes::CONNECTIVITY, message, None, help);
        }
        if let Some((o, row)) = table.iter().enumerate().find(|(_, row)| row.len() != inputs) {
            let message = format!(
                "row {o} of the connectivity table of `{}` has {} digits for {inputs} inputs",
                self.name,
                row.len()
            );
            return self.error(codes::CONNECTIVITY, message, None, help);
        }
        for (o, _) in table.iter().enumerate().filter(|(_, row)| !row.contains(&true)) {
            let message = format!("output {o} of `{}` can take no input", self.name);
            self.error(codes::CONNECTIVITY, message, None, "give its row a `1`, or drop the output");
        }
        for i in (0..inputs).filter(|&i| table.iter().all(|row| !row[i])) {
            let message = format!("input {i} of `{}` leads to no output", self.name);
            self.error(codes::CONNECTIVITY, message, None, "give its column a `1`, or drop the input");
        }
    }

    fn spatial_sw(&mut self, sw: &SpatialSw) {
        let sized = self.switch_size(sw.inputs.len(), sw.outputs.len());
        let (inputs, outputs) = (self.side(Side::Input), self.side(Side::Output));
        self.types_at(&sw.inputs, None, inputs);
        self.types_at(&sw.outputs, None, outputs);
        if sized {
            self.connectivity(&sw.connectivity, sw.inputs.len(), sw.outputs.len());
        }
        let ports = || sw.inputs.iter().chain(&sw.outputs);
        let tagged = ports().filter(|t| t.is_tagged()).count();
        if tagged > 0 && tagged < ports().count() {
            let message = format!("`{}` has tagged and untagged ports, a switch has one kind", self.name);
            self.error(
                codes::MIXED_TAGS,
                message,
                None,
                "put `add_tag` or `del_tag` before or behind the switch",
            );
        }
        let Some(lane) = sw.decomposable_bits else { return };
        let help = "`decomposable_bits` divides every port's width";
        if tagged > 0 {
            let message = format!("`{}` is tagged, only untagged switches can be decomposed", self.name);
            self.error(codes::DECOMPOSABLE, message, None, "drop `decomposable_bits`");
        } else if lane == 0 {
            self.error(codes::DECOMPOSABLE, format!("the lanes of `{}` have 0 bits", self.name), None, help);
        } else if let Some(t) = ports().find(|t| t.width == 0 || t.width % lane != 0) {
            let message = format!("`{}` has a port of type {t}, its lanes have {lane} bits", self.name);
            self.error(codes::DECOMPOSABLE, message, None, help);
        }
    }

    fn temporal_sw(&mut self, sw: &TemporalSw) {
        if self.switch_size(sw.inputs, sw.outputs) {
            self.connectivity(&sw.connectivity, sw.inputs, sw.outputs);
        }
        self.types(&[sw.ty], None);
        if !sw.ty.is_tagged() {
            let message =
                format!("`{}` is a temporal switch for {}, its ports have to be tagged", self.name, sw.ty);
            self.error(codes::TEMPORAL_SW, message, None, "use a spatial switch for untagged channels");
        }
        let limit = limits::MAX_ROUTE_SLOTS;
        if !(1..=limit).contains(&sw.num_route_table) {
            let message =
                format!("`{}` has {} slots, 1 to {limit} are allowed", self.name, sw.num_route_table);
            self.error(codes::TEMPORAL_SW, message, None, "");
        }
    }

    fn memory(&mut self, m: &MemoryInterface, index_width: u32) {
        let lanes = limits::MAX_LANES;
        let most = m.loads.max(m.stores);
        if most == 0 || most > lanes {
            let message = format!("`{}` has {} load and {} store lanes", self.name, m.loads, m.stores);
            self.error(codes::MEMORY_LANES, message, None, "at least one of either, at most 64 of each");
        } else if m.tag > 0 && m.tag < choice_bits(most) {
            let message = format!(
                "the tag of `{}` has {} bits, {most} lanes need {}",
                self.name,
                m.tag,
                choice_bits(most)
            );
            self.error(codes::MEMORY_TAG, message, None, "widen the tag, or take lanes away");
        }
        if m.tag > limits::MAX_TAG_WIDTH {
            let message = format!("the tag of `{}` has {} bits, at most 16 are allowed", self.name, m.tag);
            self.error(codes::TAG_WIDTH, message, None, "");
        }
        let queue = limits::MAX_MEMORY_QUEUE;
        if !(2..=queue).contains(&m.queue) {
            let message =
                format!("the queues of `{}` have {} entries, 2 to {queue} are allowed", self.name, m.queue);
            self.error(
                codes::MEMORY_SHAPE,
                message,
                None,
                "one entry more than memory takes cycles keeps the full rate",
            );
        }
        let regions = limits::MAX_REGIONS;
        if !(1..=regions).contains(&m.regions) {
            let message = format!("`{}` has {} regions, 1 to {regions} are allowed", self.name, m.regions);
            self.error(codes::MEMORY_SHAPE, message, None, "one for each memref that lives there");
        }
        if !limits::MEMORY_WIDTHS.contains(&m.width) {
            let message = format!("the words of `{}` have {} bits", self.name, m.width);
            self.error(codes::MEMORY_SHAPE, message, None, "8, 16, 32 or 64 are allowed");
        }
        if m.address != index_width {
            let message = format!(
                "the addresses of `{}` have {} bits, `index` has {index_width}",
                self.name, m.address
            );
            self.error(codes::MEMORY_SHAPE, message, None, "element addresses are of type index");
        }
        if let Backing::Scratchpad { bytes, .. } = m.store {
            let (least, most) = (u64::from(m.width / 8).max(1), limits::MAX_SCRATCHPAD);
            if !bytes.is_power_of_two() || bytes < least || bytes > most {
                let message = format!("`{}` has {bytes} bytes", self.name);
                let help = format!("a power of two from {least} to {most} is allowed");
                self.error(codes::MEMORY_SHAPE, message, None, &help);
            }
        }
    }

    fn spatial_pe(&mut self, pe: &SpatialPe, index_width: u32) {
        for (ports, what, side) in
            [(&pe.inputs, "inputs", Side::Input), (&pe.outputs, "outputs", Side::Output)]
        {
            let span = self.side(side);
            self.types_at(ports, None, span.clone());
            let limit = limits::MAX_PE_PORTS;
            if !(1..=limit).contains(&ports.len()) {
                let message = format!("`{}` has {} {what}, a PE has 1 to {limit}", self.name, ports.len());
                self.error(codes::PE_PORTS, message, span, "");
            } else if let Some(t) = ports.iter().find(|t| t.is_tagged()) {
                let message =
                    format!("`{}` has a port of type {t}, the ports of a spatial PE are untagged", self.name);
                self.error(codes::PE_PORTS, message, span, "put `del_tag` before it, `add_tag` behind it");
            }
        }
        if pe.fus.is_empty() {
            let message = format!("`{}` has no function units", self.name);
            self.error(codes::PE_EMPTY, message, None, "list at least one in `fus`");
        }
        let limit = limits::MAX_IMMEDIATES;
        if pe.immediates > limit {
            let message =
                format!("`{}` has {} immediates, 0 to {limit} are allowed", self.name, pe.immediates);
            self.error(codes::PE_IMMEDIATES, message, None, "no op has more constant operands than that");
        } else if pe.immediates > 0 && pe.immediate_width(index_width) == 0 {
            let message =
                format!("`{}` has immediates, and no unit with an operand that has bits", self.name);
            self.error(codes::PE_IMMEDIATES, message, None, "leave `immediates` out");
        }
        let object = |fu: usize| Object::Fu(self.index, fu);
        super::distinct(
            pe.fus.iter().enumerate().map(|(i, f)| (f.name.as_str(), object(i))),
            "function units of one PE",
            self.places,
            self.out,
        );
        for (i, fu) in pe.fus.iter().enumerate() {
            super::name(&fu.name, "function unit", self.places, object(i), self.out);
            fus::check(pe, fu, index_width, self.places.of(object(i)), self.out);
        }
    }
}
