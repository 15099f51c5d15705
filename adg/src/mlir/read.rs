//! The reader. After an error it goes on at the next statement, so that all independent problems show in one run.

use super::attributes::{small, Attributes};
use crate::fu::{native_type, type_list, type_tuple, BodyReader};
use crate::lex::{channel_type, Cursor, Fallible};
use crate::model::*;
use crate::names::InstanceNames;
use crate::places::{BodyId, Object, Places, Side};
use crate::{codes, legality};
use loom_base::diag::has_errors;
use loom_base::{Diagnostic, Diagnostics, Source};
use loom_mlir::Tok;
use std::collections::HashMap;
use std::ops::Range;

/// What a name stands for.
#[derive(Clone, Copy)]
enum Named {
    Definition(usize),
    Tile(usize),
    Failed,
}

const DEFINITIONS: [&str; 9] = [
    "fabric.spatial_pe",
    "fabric.spatial_sw",
    "fabric.temporal_sw",
    "fabric.fifo",
    "fabric.add_tag",
    "fabric.map_tag",
    "fabric.del_tag",
    "fabric.memory",
    "fabric.extmemory",
];
const UNBUILT: [&str; 3] = ["fabric.temporal_pe", "fabric.memory", "fabric.extmemory"];

/// More errors than this are not worth reading.
const MAX_ERRORS: usize = 50;

/// Reads and checks a fabric.
pub fn read(source: &Source) -> Result<Adg, Diagnostics> {
    let (adg, diagnostics) = load(source);
    adg.ok_or(diagnostics)
}

/// The same with warnings, as [`crate::toml::load`] gives them.
pub fn load(source: &Source) -> (Option<Adg>, Diagnostics) {
    let (c, mut diagnostics) = Cursor::new(&source.text, 0, codes::SYNTAX);
    diagnostics.truncate(MAX_ERRORS);
    let mut reader = Reader {
        c,
        adg: Adg {
            name: String::new(),
            index_width: loom_dfg::types::DEFAULT_INDEX_WIDTH,
            definitions: Vec::new(),
            tiles: Vec::new(),
            top: Body::default(),
        },
        places: Places::default(),
        diagnostics,
        names: HashMap::new(),
    };
    if let Err(d) = reader.module() {
        reader.diagnostics.push(*d);
    }
    let Reader { adg, places, mut diagnostics, .. } = reader;
    if has_errors(&diagnostics) {
        diagnostics.extend(legality::check_definitions(&adg, &places));
    } else {
        diagnostics.extend(legality::check(&adg, &places));
    }
    diagnostics.sort_by_key(|d| d.labels.first().map_or(0, |l| l.span.start));
    diagnostics.truncate(MAX_ERRORS);
    let legal = !has_errors(&diagnostics);
    (legal.then_some(adg), diagnostics)
}

struct Reader<'t> {
    c: Cursor<'t>,
    adg: Adg,
    places: Places,
    diagnostics: Diagnostics,
    names: HashMap<String, Named>,
}

/// A body's statements before names are resolved.
#[derive(Default)]
struct Raw {
    body: Body,
    failed: bool,
    connects: Vec<(String, Range<usize>, String, Range<usize>)>,
}

impl Reader<'_> {
    fn module(&mut self) -> Fallible<()> {
        if !self.c.eat_word("fabric.module") {
            return Err(self.c.expected("`fabric.module @name`"));
        }
        let span = self.c.span();
        self.adg.name = self.c.symbol("the fabric's name, `@name`")?;
        self.places.set(Object::Fabric, span);
        let mut raw = Raw::default();
        self.ports(BodyId::Top, &mut raw.body)?;
        let mut attributes = Attributes::read(&mut self.c)?;
        if let Some((width, span)) = attributes.take_int("index_width")? {
            self.places.set(Object::IndexWidth, span.clone());
            self.adg.index_width = small(width, &span, "index_width")?;
        }
        attributes.finish(&mut self.diagnostics);
        self.c.punct("{")?;
        while !self.c.eat("}") {
            if self.c.peek() == Tok::End {
                return Err(self.c.expected("`}` or a statement"));
            }
            if self.diagnostics.len() >= MAX_ERRORS {
                return Ok(());
            }
            if let Err(d) = self.statement(&mut raw) {
                self.diagnostics.push(*d);
                self.skip_statement();
            }
        }
        if self.c.peek() != Tok::End {
            return Err(self.c.expected("the end of the text"));
        }
        self.adg.top = self.resolve(BodyId::Top, raw).unwrap_or_default();
        Ok(())
    }

    /// To the next word that begins a statement of a module (or its closing brace, when nothing else follows).
    fn skip_statement(&mut self) {
        let begins = |word: &str| {
            DEFINITIONS.contains(&word)
                || UNBUILT.contains(&word)
                || matches!(word, "fabric.tile" | "fabric.instance" | "fabric.connect")
        };
        self.c.skip_until(|c| begins(c.text()) || (c.text() == "}" && c.is_last()));
    }

    fn statement(&mut self, raw: &mut Raw) -> Fallible<()> {
        let span = self.c.span();
        let is_word = self.c.peek() == Tok::Word;
        let word = self.c.next();
        if !is_word {
            return Err(Box::new(
                Diagnostic::error(codes::SYNTAX, "expected a statement such as `fabric.instance`")
                    .at(span, "here"),
            ));
        }
        match word {
            "fabric.instance" => self.instance(BodyId::Top, raw),
            "fabric.connect" => self.connect(raw),
            "fabric.tile" => self.tile(),
            kind if DEFINITIONS.contains(&kind) => self.definition(kind),
            kind if UNBUILT.contains(&kind) => Err(Box::new(
                Diagnostic::error(codes::NOT_BUILT, format!("`{kind}` is not built yet")).at(span, "here"),
            )),
            other => Err(Box::new(
                Diagnostic::error(codes::SYNTAX, format!("`{other}` is no statement of a fabric"))
                    .at(span, "here")
                    .help(format!(
                        "statements are: {} fabric.tile fabric.instance fabric.connect",
                        DEFINITIONS.join(" ")
                    )),
            )),
        }
    }

    fn name(&mut self, name: &str, span: Range<usize>, meaning: Named) {
        if self.names.contains_key(name) {
            self.diagnostics.push(
                Diagnostic::error(codes::DUPLICATE_NAME, format!("`{name}` is defined twice"))
                    .at(span, "again here"),
            );
            return;
        }
        self.names.insert(name.to_string(), meaning);
    }

    fn definition(&mut self, kind: &str) -> Fallible<()> {
        let span = self.c.span();
        let name = self.c.symbol("a name, `@name`")?;
        let index = self.adg.definitions.len();
        self.places.set(Object::Definition(index), span.clone());
        let component = self.component(kind, index);
        let meaning = if component.is_ok() { Named::Definition(index) } else { Named::Failed };
        self.name(&name, span, meaning);
        self.adg.definitions.push(Definition { name, component: component? });
        Ok(())
    }

    fn channel_list(&mut self) -> Fallible<Vec<ChannelType>> {
        self.c.punct("(")?;
        let mut types = Vec::new();
        while !self.c.eat(")") {
            if !types.is_empty() {
                self.c.punct(",")?;
            }
            types.push(channel_type(&mut self.c)?);
        }
        Ok(types)
    }

    fn component(&mut self, kind: &str, index: usize) -> Fallible<Component> {
        let start = self.c.span();
        let inputs = self.channel_list()?;
        self.places.set(Object::Ports(index, Side::Input), start.start..self.c.last_span().end);
        self.c.punct("->")?;
        let out_start = self.c.span().start;
        let outputs = self.channel_list()?;
        let ports = start.start..self.c.last_span().end;
        self.places.set(Object::Ports(index, Side::Output), out_start..ports.end);
        let mut a = Attributes::read(&mut self.c)?;
        let shape = |allowed: &str| {
            Box::new(
                Diagnostic::error(codes::SYNTAX, format!("the ports do not have the form of `{kind}`"))
                    .at(ports.clone(), "here")
                    .help(allowed),
            )
        };
        let component = match kind {
            "fabric.spatial_pe" => {
                let output_buffers = a.take_flag("output_buffers");
                let immediates = match a.take_int("immediates")? {
                    Some((n, span)) => small(n, &span, "immediates")? as usize,
                    None => 0,
                };
                self.c.punct("{")?;
                let mut fus = Vec::new();
                while !self.c.eat("}") {
                    if !self.c.eat_word("fabric.fu") {
                        return Err(self.c.expected("`fabric.fu` or `}`"));
                    }
                    self.places.set(Object::Fu(index, fus.len()), self.c.span());
                    fus.push(self.unit()?);
                }
                Component::SpatialPe(SpatialPe { inputs, outputs, fus, output_buffers, immediates })
            }
            "fabric.spatial_sw" => {
                let connectivity = a.take_table()?;
                let decomposable_bits = match a.take_int("decomposable_bits")? {
                    Some((n, span)) => Some(small(n, &span, "decomposable_bits")?),
                    None => None,
                };
                Component::SpatialSw(SpatialSw { inputs, outputs, connectivity, decomposable_bits })
            }
            "fabric.temporal_sw" => {
                let Some(&ty) = inputs.first().or(outputs.first()) else {
                    return Err(shape("it needs a port"));
                };
                if inputs.iter().chain(&outputs).any(|&t| t != ty) {
                    return Err(shape("all ports of a temporal switch have one type"));
                }
                Component::TemporalSw(TemporalSw {
                    ty,
                    inputs: inputs.len(),
                    outputs: outputs.len(),
                    connectivity: a.take_table()?,
                    num_route_table: a.need("num_route_table")? as usize,
                })
            }
            "fabric.fifo" => match (inputs.as_slice(), outputs.as_slice()) {
                ([ty], [to]) if ty == to => Component::Fifo(Fifo {
                    ty: *ty,
                    depth: a.need("depth")? as usize,
                    kind: FifoKind::of(a.take_flag("bypassable"), a.take_flag("fall_through"))
                        .ok_or_else(|| shape("a FIFO is `bypassable` or `fall_through`, not both"))?,
                }),
                _ => return Err(shape("a FIFO has one input and one output of the same type")),
            },
            "fabric.add_tag" => match (inputs.as_slice(), outputs.as_slice()) {
                ([from], [to]) if !from.is_tagged() && to.is_tagged() && from.width == to.width => {
                    Component::AddTag(AddTag { width: from.width, tag: to.tag })
                }
                _ => return Err(shape("one untagged input, one tagged output of the same width")),
            },
            "fabric.map_tag" => match (inputs.as_slice(), outputs.as_slice()) {
                ([from], [to]) if from.is_tagged() && to.is_tagged() && from.width == to.width => {
                    let table_size = a.need("table_size")? as usize;
                    Component::MapTag(MapTag {
                        width: from.width,
                        tag_in: from.tag,
                        tag_out: to.tag,
                        table_size,
                    })
                }
                _ => return Err(shape("one tagged input, one tagged output of the same width")),
            },
            "fabric.memory" | "fabric.extmemory" => {
                let (loads, stores) = (a.need("ld_count")? as usize, a.need("st_count")? as usize);
                let mut memory = MemoryInterface {
                    store: Backing::External,
                    loads,
                    stores,
                    queue: a.need("lsq_depth")? as usize,
                    width: 0,
                    address: inputs.first().map_or(0, |t| t.width),
                    tag: inputs.first().map_or(0, |t| t.tag),
                    regions: a.need("num_region")? as usize,
                };
                memory.width = match (inputs.last(), outputs.first()) {
                    (Some(data), _) if stores > 0 => data.width,
                    (_, Some(data)) => data.width,
                    _ => 0,
                };
                if kind == "fabric.memory" {
                    let bytes = a.need("bytes")?.into();
                    memory.store = Backing::Scratchpad { bytes, host: a.take_flag("host") };
                }
                let component = Component::Memory(memory);
                if component.inputs() != inputs || component.outputs() != outputs {
                    return Err(shape(
                        "inputs are load address, store address, store data; outputs load data, load done, store done; \
                         without those of a count of 0, all with one tag or none",
                    ));
                }
                component
            }
            _ => match (inputs.as_slice(), outputs.as_slice()) {
                ([from], [to]) if from.is_tagged() && !to.is_tagged() && from.width == to.width => {
                    Component::DelTag(DelTag { width: from.width, tag: from.tag })
                }
                _ => return Err(shape("one tagged input, one untagged output of the same width")),
            },
        };
        a.finish(&mut self.diagnostics);
        Ok(component)
    }

    fn unit(&mut self) -> Fallible<FunctionUnit> {
        let name = self.c.symbol("the function unit's name, `@name`")?;
        let (mut names, mut inputs) = (Vec::new(), Vec::new());
        let start = self.c.span().start;
        self.c.punct("(")?;
        while !self.c.eat(")") {
            if !inputs.is_empty() {
                self.c.punct(",")?;
            }
            names.push(self.c.value("an input such as `%0`")?);
            self.c.punct(":")?;
            inputs.push(native_type(&mut self.c)?);
        }
        let inputs_span = start..self.c.last_span().end;
        self.c.punct("->")?;
        let outputs_start = self.c.span().start;
        let outputs = type_tuple(&mut self.c)?;
        let outputs_span = outputs_start..self.c.last_span().end;
        let mut a = Attributes::read(&mut self.c)?;
        let mut timing = [0i32; 2];
        for (value, key) in timing.iter_mut().zip(["latency", "interval"]) {
            let Some((n, span)) = a.take_int(key)? else {
                return Err(a.missing(key));
            };
            *value = i32::try_from(n).map_err(|_| {
                Box::new(
                    Diagnostic::error(codes::ATTRIBUTE, format!("`{key}` is {n}")).at(span, "out of range"),
                )
            })?;
        }
        a.finish(&mut self.diagnostics);
        let mut body = BodyReader::new(inputs);
        if !body.name_inputs(&names) {
            let message = "two inputs of the function unit have one name";
            return Err(Box::new(Diagnostic::error(codes::DUPLICATE_NAME, message).at(inputs_span, "here")));
        }
        self.c.punct("{")?;
        while !self.c.eat_word("fabric.yield") {
            if self.c.peek() != Tok::Value {
                return Err(self.c.expected("an op or `fabric.yield`"));
            }
            body.op(&mut self.c)?;
        }
        let mut results = Vec::new();
        while self.c.peek() == Tok::Value {
            results.push(body.operand(&mut self.c)?);
            if !self.c.eat(",") {
                break;
            }
        }
        self.c.punct("}")?;
        let [latency, interval] = timing;
        let unit = FunctionUnit { name, inputs: body.inputs, body: body.body, results, latency, interval };
        if unit.output_types() != outputs {
            return Err(Box::new(
                Diagnostic::error(
                    codes::FU_TYPES,
                    format!(
                        "the unit yields {}, its head says {}",
                        type_list(&unit.output_types()),
                        type_list(&outputs)
                    ),
                )
                .at(outputs_span, "here"),
            ));
        }
        Ok(unit)
    }

    // Bodies.

    /// `(a: T, b: T) -> (c: T)`
    fn ports(&mut self, id: BodyId, body: &mut Body) -> Fallible<()> {
        for side in [Side::Input, Side::Output] {
            if side == Side::Output {
                self.c.punct("->")?;
            }
            self.c.punct("(")?;
            let mut ports: Vec<Port> = Vec::new();
            while !self.c.eat(")") {
                if !ports.is_empty() {
                    self.c.punct(",")?;
                }
                let span = self.c.span();
                let name = self.c.word("a port name")?;
                self.c.punct(":")?;
                let ty = channel_type(&mut self.c)?;
                self.places.set(Object::BodyPort(id, side, ports.len()), span);
                ports.push(Port { name, ty });
            }
            *(if side == Side::Input { &mut body.inputs } else { &mut body.outputs }) = ports;
        }
        Ok(())
    }

    fn tile(&mut self) -> Fallible<()> {
        let id = BodyId::Tile(self.adg.tiles.len());
        let span = self.c.span();
        let name = self.c.symbol("the tile's name, `@name`")?;
        self.places.set(Object::Body(id), span.clone());
        let mut raw = Raw::default();
        let mut head = || -> Fallible<()> {
            self.ports(id, &mut raw.body)?;
            self.c.punct("{")
        };
        if let Err(d) = head() {
            self.name(&name, span, Named::Failed);
            return Err(d);
        }
        while !self.c.eat("}") {
            let result = if self.c.eat_word("fabric.instance") {
                self.instance(id, &mut raw)
            } else if self.c.eat_word("fabric.connect") {
                self.connect(&mut raw)
            } else {
                self.name(&name, span, Named::Failed);
                return Err(self.c.expected("`fabric.instance`, `fabric.connect` or `}`"));
            };
            if let Err(d) = result {
                raw.failed = true;
                self.diagnostics.push(*d);
                self.c.skip_until(|c| matches!(c.text(), "}" | "fabric.instance" | "fabric.connect"));
            }
        }
        match self.resolve(id, raw) {
            Some(body) => {
                self.name(&name, span, Named::Tile(self.adg.tiles.len()));
                self.adg.tiles.push(Tile { name, body });
            }
            None => self.name(&name, span, Named::Failed),
        }
        Ok(())
    }

    fn instance(&mut self, id: BodyId, raw: &mut Raw) -> Fallible<()> {
        let span = self.c.span();
        let name = self.c.symbol("the instance's name, `@name`")?;
        self.c.punct(":")?;
        let of_span = self.c.span();
        let of_name = self.c.symbol("what it is an instance of, `@name`")?;
        let mut position = None;
        if self.c.eat_word("at") {
            self.c.punct("(")?;
            let column = self.grid()?;
            self.c.punct(",")?;
            position = Some((column, self.grid()?));
            self.c.punct(")")?;
        }
        let of = match self.names.get(&of_name) {
            Some(Named::Definition(d)) => Of::Component(*d),
            Some(Named::Tile(t)) => Of::Tile(*t),
            Some(Named::Failed) => {
                raw.failed = true;
                return Ok(());
            }
            None => {
                raw.failed = true;
                return Err(Box::new(
                    Diagnostic::error(codes::UNKNOWN_NAME, format!("nothing is called `{of_name}`"))
                        .at(of_span, "here")
                        .help("components and tiles stand before their instances"),
                ));
            }
        };
        self.places.set(Object::Instance(id, raw.body.instances.len()), span);
        raw.body.instances.push(Instance { name, of, position });
        Ok(())
    }

    fn grid(&mut self) -> Fallible<i32> {
        let span = self.c.span();
        let n = self.c.int("a grid position")?;
        i32::try_from(n).map_err(|_| {
            Box::new(Diagnostic::error(codes::SYNTAX, format!("{n} is no grid position")).at(span, "here"))
        })
    }

    fn connect(&mut self, raw: &mut Raw) -> Fallible<()> {
        let from_span = self.c.span();
        let from = self.c.word("a port such as `sw.out0`")?;
        self.c.punct("->")?;
        let to_span = self.c.span();
        let to = self.c.word("a port such as `pe.in0`")?;
        raw.connects.push((from, from_span, to, to_span));
        Ok(())
    }

    /// Connections by index; `None` when an instance failed.
    fn resolve(&mut self, id: BodyId, raw: Raw) -> Option<Body> {
        if raw.failed {
            return None;
        }
        let mut body = raw.body;
        let names = InstanceNames::new(&body);
        for (from, from_span, to, to_span) in raw.connects {
            let mut end =
                |text: &str, span: &Range<usize>, source| match names.end(&self.adg, &body, text, source) {
                    Ok(end) => Some(end),
                    Err((message, help)) => {
                        let d = Diagnostic::error(codes::PORT_REFERENCE, message);
                        self.diagnostics.push(d.at(span.clone(), "here").help(help));
                        None
                    }
                };
            let (a, b) = (end(&from, &from_span, true), end(&to, &to_span, false));
            let (Some(from), Some(to)) = (a, b) else { continue };
            self.places.set(Object::Connection(id, body.connections.len()), from_span.start..to_span.end);
            body.connections.push(Connection { from, to });
        }
        Some(body)
    }
}
