//! The second half of building: tiles, the mesh, explicit instances and connections.

use super::build::{Builder, Named};
use super::schema::*;
use super::Entry;
use crate::codes;
use crate::model::*;
use crate::names::InstanceNames;
use crate::places::{BodyId, Object, Side};
use crate::topology::{self, CrossbarSpec, MeshError, MeshMemory, MeshSpec};
use ::toml::Spanned;
use loom_base::Diagnostic;
use std::ops::Range;

impl Builder {
    fn named(&mut self, text: &Text) -> Option<Named> {
        match self.names.get(text.get_ref().as_str()).copied() {
            Some(named) => Some(named),
            None => {
                let message = format!("nothing is called `{}`", text.get_ref());
                let help = "components and tiles are defined by tables such as `[pe.NAME]` and `[tile.NAME]`";
                self.error(
                    Diagnostic::error(codes::UNKNOWN_NAME, message).at(text.span(), "here").help(help),
                );
                None
            }
        }
    }

    fn named_tile(&mut self, text: &Text) -> Option<usize> {
        match self.named(text)? {
            Named::Tile(tile) => Some(tile),
            Named::Failed => None,
            Named::Definition(_) => {
                let message = format!("`{}` is a component, a mesh is made of tiles", text.get_ref());
                self.error(Diagnostic::error(codes::MESH, message).at(text.span(), "here"));
                None
            }
        }
    }

    pub(super) fn tile(&mut self, entry: Entry<'_>) {
        let built = self.shaped::<TileTable>(entry.value).and_then(|t| {
            if t.ranks.is_some() {
                self.crossbar(&entry.key, entry.span.clone(), t)
            } else {
                self.explicit_tile(&entry.key, entry.span.clone(), t)
            }
        });
        let meaning = built.map_or(Named::Failed, Named::Tile);
        self.name(&entry.key, entry.span, meaning);
    }

    fn crossbar(&mut self, name: &str, span: Range<usize>, t: TileTable) -> Option<usize> {
        if !(t.input.is_empty() && t.output.is_empty() && t.instance.is_empty() && t.connect.is_empty()) {
            self.error(
                Diagnostic::error(codes::TILE_SHAPE, format!("tile `{name}` has `ranks` and explicit parts"))
                    .at(span, "here")
                    .help("give either `ranks`, or `input`, `output`, `instance` and `connect`"),
            );
            return None;
        }
        // All of them are looked at, so that all that is wrong is said at once.
        let (ranks, memories) = (self.ranks(&t), self.memories(&t));
        let (ranks, memories) = (ranks?, memories?);
        let all: Vec<_> = ranks.iter().flatten().chain(&memories).cloned().collect();
        let input_fifos = self.begun_inputs(t.input_fifos.as_ref(), &all);
        let input_skids = self.begun_inputs(t.input_skids.as_ref(), &all);
        let (input_fifos, input_skids) = (input_fifos?, input_skids?);
        let lanes = self.lanes(&t)?;
        let number = |v: &Option<Spanned<u16>>, default: usize| {
            v.as_ref().map_or(default, |v| usize::from(*v.get_ref()))
        };
        let depth =
            |v: &Option<Spanned<u32>>, default: usize| v.as_ref().map_or(default, |v| *v.get_ref() as usize);
        let channels = number(&t.channels, 2);
        let spec = CrossbarSpec {
            name: name.to_string(),
            width: t.width.as_ref().map_or(32, |w| *w.get_ref()),
            channels,
            disjoint: t.disjoint.as_ref().is_some_and(|d| *d.get_ref()),
            fc_in: number(&t.fc_in, channels),
            fc_out: number(&t.fc_out, channels),
            link_depth: depth(&t.link_depth, 2),
            turnarounds: number(&t.turnarounds, 2),
            turnaround_depth: depth(&t.turnaround_depth, 8),
            slacks: number(&t.slacks, 0),
            slack_width: t.slack_width.as_ref().map_or(1, |w| *w.get_ref()),
            slack_depth: depth(&t.slack_depth, 64),
            ranks,
            input_fifos,
            input_skids,
            memories,
            lanes,
            lane_depth: depth(&t.lane_depth, 16),
        };
        let before = self.adg.definitions.len();
        match topology::crossbar(&mut self.adg, &spec) {
            Ok(tile) => {
                self.places.set(Object::Body(BodyId::Tile(tile)), span.clone());
                // Implied definitions stand where the number that shapes them does.
                for d in before..self.adg.definitions.len() {
                    let name = &self.adg.definitions[d].name;
                    let key = if name.ends_with("_link") {
                        t.link_depth.as_ref().map(Spanned::span)
                    } else if name.ends_with("_turn") {
                        t.turnaround_depth.as_ref().map(Spanned::span)
                    } else if name.ends_with("_slack") {
                        t.slack_depth.as_ref().map(Spanned::span)
                    } else if name.ends_with("_storequeue") {
                        t.lane_depth.as_ref().map(Spanned::span)
                    } else {
                        None
                    };
                    self.places.set(Object::Definition(d), key.unwrap_or_else(|| span.clone()));
                    self.names.entry(name.clone()).or_insert(Named::Definition(d));
                }
                Some(tile)
            }
            Err(message) => {
                self.error(Diagnostic::error(codes::TILE_SHAPE, message).at(span, "in this tile"));
                None
            }
        }
    }

    /// Names and definitions of the PEs, rank by rank.
    fn ranks(&mut self, t: &TileTable) -> Option<Vec<Vec<(String, usize)>>> {
        let mut ranks = Vec::new();
        let mut complete = true;
        for rank in t.ranks.iter().flatten() {
            let mut pes = Vec::new();
            for text in rank {
                let Some((instance, of)) = text.get_ref().split_once(':') else {
                    complete = false;
                    let message = format!("`{}` is no PE of a rank", text.get_ref());
                    let d = Diagnostic::error(codes::TILE_SHAPE, message).at(text.span(), "here");
                    self.error(d.help("write `name: template`, for instance `s0: state`"));
                    continue;
                };
                let of = Spanned::new(text.span(), of.trim().to_string());
                match self.named(&of) {
                    Some(Named::Definition(d)) if self.adg.definitions[d].component.is_pe() => {
                        pes.push((instance.trim().to_string(), d));
                    }
                    Some(Named::Definition(_) | Named::Tile(_)) => {
                        complete = false;
                        let message = format!("`{}` is no PE", of.get_ref());
                        let d = Diagnostic::error(codes::TILE_SHAPE, message).at(of.span(), "here");
                        self.error(d.help("a rank holds PEs; other components need an explicit tile"));
                    }
                    Some(Named::Failed) | None => complete = false,
                }
            }
            ranks.push(pes);
        }
        complete.then_some(ranks)
    }

    /// Names and definitions of the memory interfaces.
    fn memories(&mut self, t: &TileTable) -> Option<Vec<(String, usize)>> {
        let mut memories = Vec::new();
        let mut complete = true;
        for text in t.memories.iter().flat_map(|m| m.get_ref()) {
            let named = text.get_ref().split_once(':').and_then(|(instance, of)| {
                let of = Spanned::new(text.span(), of.trim().to_string());
                Some((instance.trim().to_string(), self.named(&of)?))
            });
            match named {
                Some((instance, Named::Definition(d)))
                    if matches!(self.adg.definitions[d].component, Component::Memory(_)) =>
                {
                    memories.push((instance, d));
                }
                Some((_, Named::Failed)) => complete = false,
                _ => {
                    complete = false;
                    let message = format!("`{}` is no memory interface", text.get_ref());
                    let d = Diagnostic::error(codes::TILE_SHAPE, message).at(text.span(), "here");
                    self.error(d.help(
                        "write `name: template` with a template from `[memory.NAME]` or `[extmemory.NAME]`",
                    ));
                }
            }
        }
        complete.then_some(memories)
    }

    /// The shape of `lanes`; an error where they are none or too many.
    fn lanes(&mut self, t: &TileTable) -> Option<Option<MemoryInterface>> {
        let Some(lanes) = &t.lanes else { return Some(None) };
        let LanesTable { loads, stores } = *lanes.get_ref();
        let (loads, stores) = (usize::from(loads), usize::from(stores));
        if loads + stores == 0 || loads.max(stores) > limits::MAX_LANES {
            let message = format!("`lanes` for {loads} loads and {stores} stores");
            let d = Diagnostic::error(codes::TILE_SHAPE, message).at(lanes.span(), "here");
            self.error(d.help(format!("0 to {} of each, not both 0", limits::MAX_LANES)));
            return None;
        }
        let width = t.width.as_ref().map_or(32, |w| *w.get_ref());
        let address = self.adg.index_width;
        // Of an interface alone that has these lanes, only the ports count.
        let (store, queue, regions) = (Backing::External, 2, 1);
        Some(Some(MemoryInterface { store, loads, stores, queue, width, address, tag: 0, regions }))
    }

    /// What `input_fifos` and `input_skids` name: instances of the tile, or inputs of them.
    fn begun_inputs(
        &mut self,
        list: Option<&Spanned<Vec<Text>>>,
        instances: &[(String, usize)],
    ) -> Option<Vec<String>> {
        let inputs = |instance: &str| {
            let (_, d) = instances.iter().find(|(name, _)| name == instance)?;
            Some(self.adg.definitions[*d].component.inputs().len())
        };
        let mut names = Vec::new();
        let mut wrong = Vec::new();
        for text in list.iter().flat_map(|l| l.get_ref()) {
            let (pe, port) = match text.get_ref().split_once('.') {
                Some((pe, port)) => (pe, port.parse::<usize>().ok()),
                None => (text.get_ref().as_str(), Some(0)),
            };
            match (inputs(pe), port) {
                (Some(count), Some(port)) if port < count => names.push(text.get_ref().clone()),
                (found, _) => wrong.push((text, found)),
            }
        }
        let complete = wrong.is_empty();
        for (text, found) in wrong {
            let message =
                format!("`{}` names no PE or memory of the tile, and no input of one", text.get_ref());
            let help = match found {
                Some(count) => format!("its inputs are 0 to {}, as in `u0.1`", count.saturating_sub(1)),
                None => {
                    "write a name of `ranks` or `memories`, `u0`, or one of its inputs, `u0.1`".to_string()
                }
            };
            self.error(Diagnostic::error(codes::INPUT_FIFO, message).at(text.span(), "here").help(help));
        }
        complete.then_some(names)
    }

    fn explicit_tile(&mut self, name: &str, span: Range<usize>, t: TileTable) -> Option<usize> {
        let crossbar_keys = [
            ("width", t.width.as_ref().map(Spanned::span)),
            ("channels", t.channels.as_ref().map(Spanned::span)),
            ("disjoint", t.disjoint.as_ref().map(Spanned::span)),
            ("fc_in", t.fc_in.as_ref().map(Spanned::span)),
            ("fc_out", t.fc_out.as_ref().map(Spanned::span)),
            ("link_depth", t.link_depth.as_ref().map(Spanned::span)),
            ("turnarounds", t.turnarounds.as_ref().map(Spanned::span)),
            ("turnaround_depth", t.turnaround_depth.as_ref().map(Spanned::span)),
            ("slacks", t.slacks.as_ref().map(Spanned::span)),
            ("slack_width", t.slack_width.as_ref().map(Spanned::span)),
            ("slack_depth", t.slack_depth.as_ref().map(Spanned::span)),
            ("input_fifos", t.input_fifos.as_ref().map(Spanned::span)),
            ("input_skids", t.input_skids.as_ref().map(Spanned::span)),
            ("memories", t.memories.as_ref().map(Spanned::span)),
            ("lanes", t.lanes.as_ref().map(Spanned::span)),
            ("lane_depth", t.lane_depth.as_ref().map(Spanned::span)),
        ];
        for (key, span) in crossbar_keys {
            if let Some(span) = span {
                let message = format!("`{key}` in a tile without `ranks`");
                self.error(
                    Diagnostic::error(codes::TILE_SHAPE, message)
                        .at(span, "here")
                        .help("only a crossbar tile, which has `ranks`, takes it"),
                );
            }
        }
        let id = BodyId::Tile(self.adg.tiles.len());
        self.places.set(Object::Body(id), span);
        let inputs = t.input.into_iter().map(|p| (p.span(), p.into_inner())).collect();
        let outputs = t.output.into_iter().map(|p| (p.span(), p.into_inner())).collect();
        let body = self.body(id, inputs, outputs, t.instance, t.connect)?;
        self.adg.tiles.push(Tile { name: name.to_string(), body });
        Some(self.adg.tiles.len() - 1)
    }

    pub(super) fn top(&mut self, parts: Vec<Entry<'_>>) {
        let (mut inputs, mut outputs, mut instances, mut connects) = (vec![], vec![], vec![], vec![]);
        for entry in parts {
            let ports = |b: &mut Self, e| {
                b.elements(e).into_iter().map(|p: Spanned<PortTable>| (p.span(), p.into_inner()))
            };
            match entry.key.as_str() {
                "input" => inputs = ports(self, entry).collect(),
                "output" => outputs = ports(self, entry).collect(),
                "instance" => instances = self.elements(entry),
                _ => connects = self.elements(entry),
            }
        }
        if let Some(body) = self.body(BodyId::Top, inputs, outputs, instances, connects) {
            self.adg.top = body;
        }
    }

    /// A body from its parts; `None` when a part failed (which was reported).
    fn body(
        &mut self,
        id: BodyId,
        inputs: Vec<(Range<usize>, PortTable)>,
        outputs: Vec<(Range<usize>, PortTable)>,
        instances: Vec<InstanceTable>,
        connects: Vec<ConnectTable>,
    ) -> Option<Body> {
        let mut body = Body::default();
        let mut complete = true;
        for (side, prefix, ports) in [(Side::Input, "in", inputs), (Side::Output, "out", outputs)] {
            for (k, (span, port)) in ports.into_iter().enumerate() {
                let Some(ty) = self.channel(&port.ty) else {
                    complete = false;
                    continue;
                };
                let place = port.name.as_ref().map_or(span, Spanned::span);
                self.places.set(Object::BodyPort(id, side, k), place);
                let name = port.name.map_or_else(|| format!("{prefix}{k}"), Spanned::into_inner);
                let list = if side == Side::Input { &mut body.inputs } else { &mut body.outputs };
                list.push(Port { name, ty });
            }
        }
        for instance in instances {
            self.places.set(Object::Instance(id, body.instances.len()), instance.name.span());
            let of = match self.named(&instance.of) {
                Some(Named::Definition(d)) => Of::Component(d),
                Some(Named::Tile(t)) => Of::Tile(t),
                Some(Named::Failed) | None => {
                    complete = false;
                    continue;
                }
            };
            if let (Some(position), BodyId::Tile(_)) = (&instance.position, id) {
                self.error(
                    Diagnostic::error(codes::TOML_SHAPE, "an instance in a tile has no position of its own")
                        .at(position.span(), "here")
                        .help("give the position to the tile's instance"),
                );
            }
            let position = instance.position.map(|p| (p.get_ref()[0], p.get_ref()[1]));
            body.instances.push(Instance { name: instance.name.into_inner(), of, position });
        }
        if !complete {
            return None;
        }
        let names = InstanceNames::new(&body);
        for connect in connects {
            let mut resolve =
                |text: &Text, source: bool| match names.end(&self.adg, &body, text.get_ref(), source) {
                    Ok(end) => Some(end),
                    Err((message, help)) => {
                        self.diagnostics.push(
                            Diagnostic::error(codes::PORT_REFERENCE, message)
                                .at(text.span(), "here")
                                .help(help),
                        );
                        None
                    }
                };
            let (from, to) = (resolve(&connect.from, true), resolve(&connect.to, false));
            let (Some(from), Some(to)) = (from, to) else {
                continue;
            };
            self.places.set(Object::Connection(id, body.connections.len()), connect.to.span());
            body.connections.push(Connection { from, to });
        }
        Some(body)
    }

    pub(super) fn mesh(&mut self, entry: Entry<'_>) {
        let span = entry.span;
        self.places.set(Object::Body(BodyId::Top), span.clone());
        let Some(t) = self.shaped::<MeshTable>(entry.value) else {
            return;
        };
        if let Some(layout) = &t.layout {
            return self.mesh_layout(layout, &t, span);
        }
        let (Some(columns), Some(rows), Some(tile)) = (t.columns, t.rows, &t.tile) else {
            let d = Diagnostic::error(codes::MESH, "the mesh has no size").at(span, "in this mesh");
            self.error(d.help("give `columns`, `rows` and `tile`, or `layout` and `legend`"));
            return;
        };
        let tile = self.named_tile(tile);
        let memories = self.mesh_memories(&t.memories);
        let mut overrides = Vec::new();
        let mut complete = memories.is_some();
        for o in &t.overrides {
            let tile = self.named_tile(&o.tile);
            complete &= tile.is_some();
            overrides.extend(tile.map(|tile| (usize::from(o.column), usize::from(o.row), tile)));
        }
        let (Some(tile), Some(memories), true) = (tile, memories, complete) else {
            return;
        };
        let (columns, rows) = (usize::from(columns), usize::from(rows));
        let spec = MeshSpec { columns, rows, tile, overrides, memories, reach: reach(&t) };
        self.build_mesh(&spec, &t.memories, span);
    }

    fn build_mesh(&mut self, spec: &MeshSpec, memories: &[Spanned<MeshMemoryTable>], span: Range<usize>) {
        let Err(MeshError { message, help, memory }) = topology::mesh(&mut self.adg, spec) else { return };
        let d = Diagnostic::error(codes::MESH, message);
        let d = match memory {
            Some(k) => d.at(memories[k].span(), "here"),
            None => d.at(span, "in this mesh"),
        };
        self.error(help.into_iter().fold(d, Diagnostic::help));
    }

    /// The memory interfaces between tiles.
    fn mesh_memories(&mut self, list: &[Spanned<MeshMemoryTable>]) -> Option<Vec<MeshMemory>> {
        let mut memories = Vec::new();
        for table in list.iter().map(Spanned::get_ref) {
            match self.named(&table.memory)? {
                Named::Definition(memory)
                    if matches!(self.adg.definitions[memory].component, Component::Memory(_)) =>
                {
                    let tiles = table.tiles.iter().map(|&[c, r]| (c.into(), r.into())).collect();
                    memories.push(MeshMemory { memory, tiles });
                }
                Named::Failed => return None,
                _ => {
                    let message = format!("`{}` is no memory interface", table.memory.get_ref());
                    let d = Diagnostic::error(codes::MESH, message).at(table.memory.span(), "here");
                    self.error(d.help("name a `[memory.NAME]` or an `[extmemory.NAME]`"));
                    return None;
                }
            }
        }
        Some(memories)
    }

    /// A mesh drawn as text.
    fn mesh_layout(&mut self, layout: &Spanned<Vec<Text>>, t: &MeshTable, span: Range<usize>) {
        if t.columns.is_some() || t.rows.is_some() || t.tile.is_some() || !t.overrides.is_empty() {
            let d = Diagnostic::error(codes::MESH, "`layout` beside `columns`, `rows`, `tile` or `override`");
            self.error(
                d.at(layout.span(), "here")
                    .help("a drawn mesh has `layout`, `legend`, `memories` and `reach` only"),
            );
            return;
        }
        let Some(memories) = self.mesh_memories(&t.memories) else { return };
        let mut legend = std::collections::BTreeMap::new();
        let mut complete = true;
        for (letter, tile) in &t.legend {
            let tile = self.named_tile(tile);
            complete &= tile.is_some();
            legend.extend(tile.map(|tile| (letter.clone(), tile)));
        }
        let rows: Vec<&Text> = layout.get_ref().iter().collect();
        let columns = rows.first().map_or(0, |row| row.get_ref().chars().count());
        let mut tiles = Vec::new();
        for row in &rows {
            let count = row.get_ref().chars().count();
            if count != columns {
                let message = format!("this row has {count} tiles, the first has {columns}");
                self.error(Diagnostic::error(codes::MESH, message).at(row.span(), "here"));
                return;
            }
            for letter in row.get_ref().chars() {
                match legend.get(&letter.to_string()) {
                    Some(&tile) => tiles.push(tile),
                    None if !complete => return,
                    None => {
                        let message = format!("the legend does not say what `{letter}` is");
                        let d = Diagnostic::error(codes::MESH, message).at(row.span(), "here");
                        self.error(d.help("add it to `legend = { m = \"memory\" }`"));
                        return;
                    }
                }
            }
        }
        let Some(&tile) = tiles.first() else {
            self.error(Diagnostic::error(codes::MESH, "the mesh has no tiles").at(layout.span(), "here"));
            return;
        };
        let overrides = tiles.iter().enumerate().map(|(k, &tile)| (k % columns, k / columns, tile)).collect();
        let spec = MeshSpec { columns, rows: rows.len(), tile, overrides, memories, reach: reach(t) };
        self.build_mesh(&spec, &t.memories, span);
    }
}

/// By channel, how many tiles on its links lead.
fn reach(t: &MeshTable) -> Vec<usize> {
    t.reach.iter().copied().map(usize::from).collect()
}
