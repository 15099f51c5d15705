//! From tables to the architecture: names resolved, templates expanded, places remembered.
//!
//! An item that cannot be built leaves its name behind as [`Named::Failed`], so that what refers to it is not
//! reported a second time.

use super::keys::{no_key, UNBUILT};
use super::library::{self, Template};
use super::schema::*;
use super::{entries, shaped, Entry};
use crate::lex::{channel_type, Cursor, Fallible};
use crate::model::*;
use crate::places::{Object, Places, Side};
use crate::{codes, fu};
use ::toml::de::{DeTable, DeValue};
use ::toml::Spanned;
use loom_base::{Diagnostic, Diagnostics};
use loom_mlir::Tok;
use std::collections::HashMap;
use std::ops::Range;

/// What a name stands for.
#[derive(Clone, Copy)]
pub(super) enum Named {
    Definition(usize),
    Tile(usize),
    Failed,
}

/// The architecture while it grows.
pub(super) struct Builder {
    pub(super) adg: Adg,
    pub(super) places: Places,
    pub(super) diagnostics: Diagnostics,
    pub(super) names: HashMap<String, Named>,
    fus: HashMap<String, Option<FunctionUnit>>,
    /// Spans of the `[fu.NAME]` tables that no PE has used yet.
    unused_fus: HashMap<String, Range<usize>>,
}

impl Default for Builder {
    fn default() -> Self {
        Builder {
            adg: Adg {
                name: String::new(),
                index_width: loom_dfg::types::DEFAULT_INDEX_WIDTH,
                definitions: Vec::new(),
                tiles: Vec::new(),
                top: Body::default(),
            },
            places: Places::default(),
            diagnostics: Vec::new(),
            names: HashMap::new(),
            fus: HashMap::new(),
            unused_fus: HashMap::new(),
        }
    }
}

impl Builder {
    /// The result; the diagnostics are those of building alone.
    pub fn finish(mut self) -> (Adg, Places, Diagnostics) {
        let mut unused: Vec<_> = self.unused_fus.into_iter().collect();
        unused.sort_by_key(|(_, span)| span.start);
        for (name, span) in unused {
            self.diagnostics.push(
                Diagnostic::warning(codes::UNUSED, format!("function unit `{name}` is in no PE"))
                    .at(span, "unused"),
            );
        }
        (self.adg, self.places, self.diagnostics)
    }

    /// Reads the whole file; `templates` are those it may use.
    pub fn read<'i>(&mut self, table: DeTable<'i>, templates: Vec<Template<'i>>) {
        let (mut fus, mut components, mut tiles, mut body, mut mesh) = (vec![], vec![], vec![], vec![], None);
        let mut named = false;
        for entry in entries(table) {
            match entry.key.as_str() {
                "name" => {
                    named = true;
                    if let Some(name) = self.shaped::<Text>(entry.value) {
                        self.places.set(Object::Fabric, name.span());
                        self.adg.name = name.into_inner();
                    }
                }
                "index_width" => {
                    if let Some(width) = self.shaped::<Spanned<u32>>(entry.value) {
                        self.places.set(Object::IndexWidth, width.span());
                        self.adg.index_width = width.into_inner();
                    }
                }
                // The files have been read.
                "use" => {}
                "fu" => fus.extend(self.table(entry)),
                "tile" => tiles.extend(self.table(entry)),
                "mesh" => mesh = Some(entry),
                "input" | "output" | "instance" | "connect" => body.push(entry),
                kind if COMPONENTS.contains(&kind) => {
                    let kind = kind.to_string();
                    components.extend(self.table(entry).into_iter().map(|e| (kind.clone(), e)));
                }
                kind if UNBUILT.contains(&kind) => self.error(
                    Diagnostic::error(codes::NOT_BUILT, format!("`{kind}` is not built yet"))
                        .at(entry.span, "here")
                        .help(format!("components are: {}", COMPONENTS.join(" "))),
                ),
                key => {
                    let problem = no_key(key, entry.span);
                    self.error(problem);
                }
            }
        }
        if !named {
            let d = Diagnostic::error(codes::TOML_SHAPE, "the fabric has no `name`");
            self.error(d.at(0..0, "").help("begin the file with `name = \"my_fabric\"`"));
        }
        let own = || fus.iter().chain(components.iter().map(|(_, e)| e)).chain(&tiles);
        let taken = own().map(|e: &Entry| e.key.clone()).collect();
        let values: Vec<&DeValue> = own().chain(&body).chain(&mesh).map(|e| e.value.get_ref()).collect();
        let mut templates = library::reached(&values, &taken, templates);
        for template in take(&mut templates, |kind| kind == "fu") {
            self.template(template);
        }
        for entry in fus {
            self.unused_fus.insert(entry.key.clone(), entry.span.clone());
            self.fu(entry);
        }
        for template in take(&mut templates, |kind| kind != "tile") {
            self.template(template);
        }
        components.sort_by_key(|(_, e)| e.span.start);
        for (kind, entry) in components {
            self.component(&kind, entry);
        }
        for template in templates {
            self.template(template);
        }
        for entry in tiles {
            self.tile(entry);
        }
        match mesh {
            Some(mesh) => {
                for entry in body {
                    let message = format!("`{}` beside `[mesh]`", entry.key);
                    self.error(Diagnostic::error(codes::MESH, message).at(entry.span, "here").help(
                        "a fabric is either a mesh or made of explicit instances; put the parts into a tile",
                    ));
                }
                self.mesh(mesh);
            }
            None => self.top(body),
        }
    }

    /// Builds a template; what is wrong with it is reported at the `use` that brought it.
    fn template(&mut self, template: Template<'_>) {
        let Template { kind, entry, file, place } = template;
        let (before, name) = (self.diagnostics.len(), entry.key.clone());
        self.places.within(Some(place.clone()));
        match kind.as_str() {
            "fu" => self.fu(entry),
            "tile" => self.tile(entry),
            kind => self.component(kind, entry),
        }
        self.places.within(None);
        for d in &mut self.diagnostics[before..] {
            d.message = format!("template `{name}` of `{file}`: {}", d.message);
            d.labels.iter_mut().for_each(|label| label.span = place.clone());
        }
    }

    pub(super) fn error(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn ok<T>(&mut self, result: Result<T, Box<Diagnostic>>) -> Option<T> {
        result.map_err(|d| self.error(*d)).ok()
    }

    pub(super) fn shaped<T: serde::de::DeserializeOwned>(
        &mut self,
        value: Spanned<DeValue<'_>>,
    ) -> Option<T> {
        let result = shaped(value);
        self.ok(result)
    }

    /// The entries of a table such as `[pe]`.
    fn table<'i>(&mut self, entry: Entry<'i>) -> Vec<Entry<'i>> {
        match entry.value.into_inner() {
            DeValue::Table(table) => entries(table),
            _ => {
                let message = format!("`{}` is no table", entry.key);
                let help = format!("write `[{}.NAME]`", entry.key);
                self.error(Diagnostic::error(codes::TOML_SHAPE, message).at(entry.span, "here").help(help));
                Vec::new()
            }
        }
    }

    /// The elements of an array of tables such as `[[connect]]`.
    pub(super) fn elements<T: serde::de::DeserializeOwned>(&mut self, entry: Entry<'_>) -> Vec<T> {
        match entry.value.into_inner() {
            DeValue::Array(array) => array.into_iter().filter_map(|v| self.shaped(v)).collect(),
            _ => {
                let message = format!("`{}` is no list of tables", entry.key);
                let help = format!("write `[[{}]]`", entry.key);
                self.error(Diagnostic::error(codes::TOML_SHAPE, message).at(entry.span, "here").help(help));
                Vec::new()
            }
        }
    }

    /// Gives a name its meaning, unless it has one.
    pub(super) fn name(&mut self, name: &str, span: Range<usize>, meaning: Named) {
        if self.names.contains_key(name) {
            self.error(
                Diagnostic::error(codes::DUPLICATE_NAME, format!("`{name}` is defined twice"))
                    .at(span, "again here")
                    .help("components and tiles share one set of names"),
            );
            return;
        }
        self.names.insert(name.to_string(), meaning);
    }

    // Function units and components.

    fn fu(&mut self, entry: Entry<'_>) {
        let unit = self
            .shaped::<FuTable>(entry.value)
            .and_then(|t| self.fu_table(&entry.key, entry.span.clone(), t));
        self.fus.insert(entry.key, unit);
    }

    fn fu_table(&mut self, name: &str, span: Range<usize>, t: FuTable) -> Option<FunctionUnit> {
        let mut inputs = Vec::new();
        for text in &t.inputs {
            match loom_dfg::Type::parse(text.get_ref()) {
                Some(ty) => inputs.push(ty),
                None => self.error(
                    Diagnostic::error(codes::FU_TEXT, format!("`{}` is not a type", text.get_ref()))
                        .at(text.span(), "here")
                        .help("a function unit works on `i1` to `i64`, `index` and `none`"),
                ),
            }
        }
        if inputs.len() != t.inputs.len() {
            return None;
        }
        let mut reader = fu::BodyReader::new(inputs);
        for line in &t.body {
            let result = read_whole(line, codes::FU_TEXT, |c| reader.op(c));
            self.ok(result)?;
        }
        let mut results = Vec::new();
        match &t.outputs {
            Some(outputs) => {
                for output in outputs {
                    let value = read_whole(output, codes::FU_TEXT, |c| reader.operand(c));
                    results.push(self.ok(value)?);
                }
            }
            // The results of the last op.
            None => {
                if let Some(op) = reader.body.len().checked_sub(1) {
                    results = (0..reader.body[op].results.len())
                        .map(|result| BodyValue::Result { op, result })
                        .collect();
                }
            }
        }
        if reader.body.is_empty() {
            self.error(
                Diagnostic::error(codes::FU_BODY, format!("function unit `{name}` has no ops"))
                    .at(span, "here"),
            );
            return None;
        }
        let state = reader.body.iter().any(|op| op.kind.class() == loom_dfg::op::Class::State);
        let mut unit = FunctionUnit {
            name: name.to_string(),
            inputs: reader.inputs,
            body: reader.body,
            results,
            latency: if state { -1 } else { 0 },
            interval: if state { -1 } else { 1 },
        };
        unit.set_digit_time(self.adg.index_width);
        unit.latency = t.latency.unwrap_or(unit.latency);
        unit.interval = t.interval.unwrap_or(unit.interval);
        Some(unit)
    }

    pub(super) fn channel(&mut self, text: &Text) -> Option<ChannelType> {
        let result = read_whole(text, codes::CHANNEL_TYPE, channel_type);
        self.ok(result)
    }

    fn ports(&mut self, ports: &PortList) -> Option<Vec<ChannelType>> {
        match ports {
            PortList::Count(c) => Some(vec![ChannelType::bits(c.width); usize::from(c.count)]),
            PortList::List(types) => {
                let types: Vec<_> = types.iter().map(|t| self.channel(t)).collect();
                types.into_iter().collect()
            }
        }
    }

    /// A connectivity table: one text of `0` and `1` per output; all connected when there is none.
    fn table_rows(
        &mut self,
        rows: &Option<Spanned<Vec<Text>>>,
        outputs: usize,
        inputs: usize,
    ) -> Option<Vec<Vec<bool>>> {
        let Some(rows) = rows else {
            // Legality refuses larger switches; their table is not worth the memory.
            let fits = inputs.max(outputs) <= limits::MAX_SWITCH_PORTS;
            return Some(if fits { vec![vec![true; inputs]; outputs] } else { Vec::new() });
        };
        let mut good = true;
        let table = rows
            .get_ref()
            .iter()
            .map(|row| {
                row.get_ref()
                    .chars()
                    .filter(|c| !matches!(c, ' ' | '_'))
                    .map(|c| {
                        if !matches!(c, '0' | '1') {
                            good = false;
                        }
                        c == '1'
                    })
                    .collect()
            })
            .collect();
        if !good {
            self.error(
                Diagnostic::error(
                    codes::TABLE_TEXT,
                    "a connectivity table holds something other than `0` and `1`",
                )
                .at(rows.span(), "here")
                .help("one text per output, one digit per input: `connectivity = [\"110\", \"011\"]`"),
            );
            return None;
        }
        Some(table)
    }

    fn component(&mut self, kind: &str, entry: Entry<'_>) {
        let definition = self.adg.definitions.len();
        self.places.set(Object::Definition(definition), entry.span.clone());
        let component = match kind {
            "pe" => self.pe(definition, entry.value),
            "switch" => self.shaped::<SwitchTable>(entry.value).and_then(|t| {
                self.places.set(Object::Ports(definition, Side::Input), t.inputs.span());
                self.places.set(Object::Ports(definition, Side::Output), t.outputs.span());
                let (inputs, outputs) = (self.ports(t.inputs.get_ref()), self.ports(t.outputs.get_ref()));
                let (inputs, outputs) = (inputs?, outputs?);
                let connectivity = self.table_rows(&t.connectivity, outputs.len(), inputs.len())?;
                let decomposable_bits = t.decomposable_bits;
                Some(Component::SpatialSw(SpatialSw { inputs, outputs, connectivity, decomposable_bits }))
            }),
            "temporal_switch" => self.shaped::<TemporalSwitchTable>(entry.value).and_then(|t| {
                let (inputs, outputs) = (usize::from(t.inputs), usize::from(t.outputs));
                let ty = self.channel(&t.ty);
                let connectivity = self.table_rows(&t.connectivity, outputs, inputs)?;
                let num_route_table = usize::from(t.slots);
                Some(Component::TemporalSw(TemporalSw {
                    ty: ty?,
                    inputs,
                    outputs,
                    connectivity,
                    num_route_table,
                }))
            }),
            "fifo" => self.shaped::<FifoTable>(entry.value).and_then(|t| {
                let ty = self.channel(&t.ty)?;
                let falls = t.fall_through.as_ref().filter(|f| *f.get_ref());
                let Some(kind) = FifoKind::of(t.bypassable, falls.is_some()) else {
                    let d = Diagnostic::error(codes::FIFO_KIND, "a FIFO is `bypassable` and `fall_through`");
                    self.error(d.at_opt(falls.map(Spanned::span), "here").help(
                        "give one of the two: bypassed, it is a wire, and nothing is left to fall through",
                    ));
                    return None;
                };
                Some(Component::Fifo(Fifo { ty, depth: t.depth as usize, kind }))
            }),
            "add_tag" => self
                .shaped::<AddTagTable>(entry.value)
                .map(|t| Component::AddTag(AddTag { width: t.width, tag: t.tag })),
            "map_tag" => self.shaped::<MapTagTable>(entry.value).map(|t| {
                let table_size = t.table_size as usize;
                Component::MapTag(MapTag { width: t.width, tag_in: t.tag_in, tag_out: t.tag_out, table_size })
            }),
            "memory" => self.shaped::<MemoryTable>(entry.value).map(|t| {
                Component::Memory(MemoryInterface {
                    store: Backing::Scratchpad { bytes: t.bytes, host: t.host },
                    loads: t.loads.into(),
                    stores: t.stores.into(),
                    queue: t.queue.into(),
                    width: t.width,
                    address: self.adg.index_width,
                    tag: t.tag,
                    regions: t.regions.unwrap_or(1).into(),
                })
            }),
            "extmemory" => self.shaped::<ExtmemoryTable>(entry.value).map(|t| {
                Component::Memory(MemoryInterface {
                    store: Backing::External,
                    loads: t.loads.into(),
                    stores: t.stores.into(),
                    queue: t.queue.into(),
                    width: t.width,
                    address: self.adg.index_width,
                    tag: t.tag,
                    regions: t.regions.unwrap_or(1).into(),
                })
            }),
            _ => self
                .shaped::<DelTagTable>(entry.value)
                .map(|t| Component::DelTag(DelTag { width: t.width, tag: t.tag })),
        };
        let meaning = match component {
            Some(component) => {
                self.adg.definitions.push(Definition { name: entry.key.clone(), component });
                Named::Definition(definition)
            }
            None => Named::Failed,
        };
        self.name(&entry.key, entry.span, meaning);
    }

    fn pe(&mut self, definition: usize, value: Spanned<DeValue<'_>>) -> Option<Component> {
        let t = self.shaped::<PeTable>(value)?;
        self.places.set(Object::Ports(definition, Side::Input), t.inputs.span());
        self.places.set(Object::Ports(definition, Side::Output), t.outputs.span());
        let (inputs, outputs) = (self.ports(t.inputs.get_ref()), self.ports(t.outputs.get_ref()));
        let mut fus = Vec::new();
        let mut complete = true;
        for text in &t.fus {
            let unit = self.unit(text);
            complete &= unit.is_some();
            if let Some(unit) = unit {
                self.places.set(Object::Fu(definition, fus.len()), text.span());
                fus.push(unit);
            }
        }
        let (inputs, outputs) = (inputs?, outputs?);
        complete.then_some(Component::SpatialPe(SpatialPe {
            inputs,
            outputs,
            fus,
            output_buffers: t.output_buffers,
            immediates: t.immediates,
        }))
    }

    /// A function unit by the name of its table, or in shorthand (which has a dot in its op's name).
    fn unit(&mut self, text: &Text) -> Option<FunctionUnit> {
        let name = text.get_ref();
        if let Some(unit) = self.fus.get(name.as_str()) {
            self.unused_fus.remove(name.as_str());
            return unit.clone();
        }
        let is_op = name.split_whitespace().next().is_some_and(|w| w.contains('.'));
        if !is_op {
            self.error(
                Diagnostic::error(codes::UNKNOWN_NAME, format!("there is no function unit `{name}`"))
                    .at(text.span(), "here")
                    .help(format!("write `[fu.{name}]`, or an op such as `arith.addi i32`")),
            );
            return None;
        }
        let result = fu::shorthand(name, text.span());
        let mut unit = self.ok(result)?;
        unit.set_digit_time(self.adg.index_width);
        Some(unit)
    }
}

/// Takes the templates of some kinds out of a list.
fn take<'i>(templates: &mut Vec<Template<'i>>, kinds: impl Fn(&str) -> bool) -> Vec<Template<'i>> {
    let (taken, left) = std::mem::take(templates).into_iter().partition(|t| kinds(&t.kind));
    *templates = left;
    taken
}

/// Reads the whole of a text value: spans are right when it is written in plain quotes, as such texts are.
fn read_whole<T>(
    text: &Text,
    code: loom_base::Code,
    read: impl FnOnce(&mut Cursor) -> Fallible<T>,
) -> Fallible<T> {
    let (mut cursor, mut errors) = Cursor::new(text.get_ref(), text.span().start + 1, code);
    if !errors.is_empty() {
        return Err(Box::new(errors.swap_remove(0)));
    }
    let value = read(&mut cursor)?;
    match cursor.peek() {
        Tok::End => Ok(value),
        _ => Err(cursor.expected("the end")),
    }
}
