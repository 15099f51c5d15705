//! Topology builders: the crossbar tile, the mesh, and the text of the default fabrics.
//!
//! A crossbar tile has one switch and processing elements in ranks around it (docs/design.md, "How H5, H6 and H8 go together"). Registered sources (link
//! FIFOs, turn-around FIFOs, PEs with output buffers) may feed everything; a combinational PE feeds only PEs of higher
//! ranks, PEs with output buffers, links and turn-arounds. So `valid` runs up the ranks and `ready` down, and no
//! configuration closes a combinational cycle (H5). Links begin in a FIFO of the tile they enter (H6).

use crate::model::{
    limits, AddTag, Adg, Body, ChannelType, Component, Connection, Definition, DelTag, End, Fifo, Instance,
    MemoryInterface, MemoryPort, Of, Port, SpatialSw, TemporalSw, Tile,
};
use std::fmt::Write as _;

/// The four sides of a tile, in the order of ports and of the mesh's boundary.
pub const DIRECTIONS: [char; 4] = ['n', 'e', 's', 'w'];

const SIDES: [&str; 4] = ["the north", "the east", "the south", "the west"];

/// A crossbar tile to build.
#[derive(Clone, Debug)]
pub struct CrossbarSpec {
    /// Name of the tile; its parts' definitions are called after it.
    pub name: String,
    /// Width of the links and turn-arounds.
    pub width: u32,
    /// Channels to and from each neighbour.
    pub channels: usize,
    /// Depth of the FIFO at each link input.
    pub link_depth: usize,
    /// FIFOs from a switch output back to a switch input.
    pub turnarounds: usize,
    /// Their depth.
    pub turnaround_depth: usize,
    /// Deep narrow FIFOs from a switch output back to a switch input, for conditions and control tokens that wait for
    /// memory.
    pub slacks: usize,
    /// Their width.
    pub slack_width: u32,
    /// Their depth.
    pub slack_depth: usize,
    /// Names and definitions of the PEs, rank by rank.
    pub ranks: Vec<Vec<(String, usize)>>,
    /// Names and definitions of memory interfaces on the same switch.
    pub memories: Vec<(String, usize)>,
    /// Depth of the FIFO behind each lane of a tagged interface, and before the store addresses of an untagged one.
    pub lane_depth: usize,
}

/// Adds a crossbar tile with its switch and FIFO definitions; gives the tile's index. `Err` says in words what does
/// not fit. Parts that another tile has in the same shape are shared.
pub fn crossbar(adg: &mut Adg, spec: &CrossbarSpec) -> Result<usize, String> {
    let link_type = ChannelType::bits(spec.width);
    let links = DIRECTIONS.len() * spec.channels;
    let slack_type = ChannelType::bits(spec.slack_width);
    let wide = links + spec.turnarounds;
    let fixed = wide + spec.slacks;

    let mut switch_inputs = vec![link_type; wide];
    switch_inputs.extend(vec![slack_type; spec.slacks]);
    let mut switch_outputs = switch_inputs.clone();
    // What may feed what: `None` for a registered source (a sink that cuts), else the rank.
    let mut source_ranks: Vec<Option<usize>> = vec![None; fixed];
    let mut sink_ranks: Vec<Option<usize>> = vec![None; fixed];
    for (rank, pes) in spec.ranks.iter().enumerate() {
        for &(ref name, definition) in pes {
            let Component::SpatialPe(pe) = &adg.definitions[definition].component else {
                return Err(format!(
                    "`{name}` is a {}, a rank holds PEs",
                    adg.definitions[definition].component.kind_name()
                ));
            };
            let cut = (!pe.output_buffers).then_some(rank);
            switch_inputs.extend(&pe.outputs);
            source_ranks.extend(vec![cut; pe.outputs.len()]);
            switch_outputs.extend(&pe.inputs);
            sink_ranks.extend(vec![cut; pe.inputs.len()]);
        }
    }
    for &(ref name, definition) in &spec.memories {
        let Component::Memory(memory) = adg.definitions[definition].component else {
            return Err(format!(
                "`{name}` is a {}, not a memory interface",
                adg.definitions[definition].component.kind_name()
            ));
        };
        // Requests may come from any rank; answers come from registers, or from outside the tile.
        let (inputs, outputs) = lane_ports(&memory);
        switch_outputs.extend(inputs.iter().map(|&(_, _, ty)| ty));
        sink_ranks.extend(vec![None; inputs.len()]);
        switch_inputs.extend(outputs.iter().map(|&(_, _, ty)| ty));
        source_ranks.extend(vec![None; outputs.len()]);
    }
    let limit = limits::MAX_SWITCH_PORTS;
    if switch_inputs.len() > limit || switch_outputs.len() > limit {
        return Err(format!(
            "the tile's switch has {} inputs and {} outputs ({links} links, {} turn-arounds, the rest ports of PEs and memories), the limit is {limit} each",
            switch_inputs.len(),
            switch_outputs.len(),
            spec.turnarounds + spec.slacks
        ));
    }
    let u_turn = |output: usize, input: usize| {
        output < links && input < links && output / spec.channels == input / spec.channels
    };
    let connectivity = (0..switch_outputs.len())
        .map(|output| {
            (0..switch_inputs.len())
                .map(|input| {
                    let ranked = match (source_ranks[input], sink_ranks[output]) {
                        (Some(from), Some(to)) => from < to,
                        _ => true,
                    };
                    ranked && !u_turn(output, input)
                })
                .collect()
        })
        .collect();
    let sw =
        SpatialSw { inputs: switch_inputs, outputs: switch_outputs, connectivity, decomposable_bits: None };
    let sw = intern(adg, format!("{}_sw", spec.name), Component::SpatialSw(sw));
    let fifo = |ty, depth| Component::Fifo(Fifo { ty, depth, bypassable: false });

    let mut body = Body::default();
    body.instances.push(Instance { name: "sw".into(), of: Of::Component(sw), position: None });
    let at = |instance, port| End::Instance { instance, port };
    if links > 0 {
        let link = intern(adg, format!("{}_link", spec.name), fifo(link_type, spec.link_depth));
        for (d, direction) in DIRECTIONS.into_iter().enumerate() {
            for channel in 0..spec.channels {
                let k = d * spec.channels + channel;
                let instance = body.instances.len();
                body.instances.push(Instance {
                    name: format!("link_{direction}{channel}"),
                    of: Of::Component(link),
                    position: None,
                });
                body.inputs.push(Port { name: format!("{direction}_in{channel}"), ty: link_type });
                body.outputs.push(Port { name: format!("{direction}_out{channel}"), ty: link_type });
                body.connections.push(Connection { from: End::Body(k), to: at(instance, 0) });
                body.connections.push(Connection { from: at(instance, 0), to: at(0, k) });
                body.connections.push(Connection { from: at(0, k), to: End::Body(k) });
            }
        }
    }
    if spec.turnarounds > 0 {
        let turn = intern(adg, format!("{}_turn", spec.name), fifo(link_type, spec.turnaround_depth));
        for i in 0..spec.turnarounds {
            let instance = body.instances.len();
            body.instances.push(Instance {
                name: format!("turn{i}"),
                of: Of::Component(turn),
                position: None,
            });
            body.connections.push(Connection { from: at(0, links + i), to: at(instance, 0) });
            body.connections.push(Connection { from: at(instance, 0), to: at(0, links + i) });
        }
    }
    if spec.slacks > 0 {
        let slack = intern(adg, format!("{}_slack", spec.name), fifo(slack_type, spec.slack_depth));
        for i in 0..spec.slacks {
            let instance = body.instances.len();
            let (name, of) = (format!("slack{i}"), Of::Component(slack));
            body.instances.push(Instance { name, of, position: None });
            body.connections.push(Connection { from: at(0, wide + i), to: at(instance, 0) });
            body.connections.push(Connection { from: at(instance, 0), to: at(0, wide + i) });
        }
    }
    let (mut next_input, mut next_output) = (fixed, fixed);
    for (name, definition) in spec.ranks.iter().flatten() {
        let instance = body.instances.len();
        body.instances.push(Instance { name: name.clone(), of: Of::Component(*definition), position: None });
        let component = &adg.definitions[*definition].component;
        for port in 0..component.inputs().len() {
            body.connections.push(Connection { from: at(0, next_output), to: at(instance, port) });
            next_output += 1;
        }
        for port in 0..component.outputs().len() {
            body.connections.push(Connection { from: at(instance, port), to: at(0, next_input) });
            next_input += 1;
        }
    }
    for &(ref name, definition) in &spec.memories {
        let Component::Memory(memory) = adg.definitions[definition].component else { continue };
        let instance = body.instances.len();
        body.instances.push(Instance { name: name.clone(), of: Of::Component(definition), position: None });
        let (inputs, outputs) = lane_ports(&memory);
        if memory.tag == 0 {
            for (port, &(_, _, ty)) in inputs.iter().enumerate() {
                let mut from = at(0, next_output + port);
                // Addresses of stores are early, their data may have to come from memory first.
                if memory.families().0[port] == MemoryPort::StoreAddress {
                    let queue = intern(adg, format!("{}_storequeue", spec.name), fifo(ty, spec.lane_depth));
                    let queue_instance = body.instances.len();
                    let (name, of) = (format!("{name}_storequeue"), Of::Component(queue));
                    body.instances.push(Instance { name, of, position: None });
                    body.connections.push(Connection { from, to: at(queue_instance, 0) });
                    from = at(queue_instance, 0);
                }
                body.connections.push(Connection { from, to: at(instance, port) });
            }
            for port in 0..outputs.len() {
                body.connections.push(Connection { from: at(instance, port), to: at(0, next_input + port) });
            }
        } else {
            let bridge =
                Bridge { adg, tile: &spec.name, memory, name, instance, lane_depth: spec.lane_depth };
            bridge.build(&mut body, next_output, next_input);
        }
        next_output += inputs.len();
        next_input += outputs.len();
    }
    adg.tiles.push(Tile { name: spec.name.clone(), body });
    Ok(adg.tiles.len() - 1)
}

/// The untagged ports of a memory interface, one for each lane of each family: (family's port, lane, type).
fn lane_ports(memory: &MemoryInterface) -> (Ports, Ports) {
    let lanes = |families: Vec<MemoryPort>| {
        families
            .into_iter()
            .enumerate()
            .flat_map(|(port, family)| {
                let ty = ChannelType::bits(memory.port_type(family).width);
                (0..memory.lanes(family)).map(move |lane| (port, lane, ty))
            })
            .collect()
    };
    let (inputs, outputs) = memory.families();
    (lanes(inputs), lanes(outputs))
}

/// (port of the memory, lane, untagged type).
type Ports = Vec<(usize, usize, ChannelType)>;

/// What leads from untagged lanes on a switch to the tagged ports of a memory interface and back: each request gets
/// its lane's tag and shares the port by a temporal switch; answers are told apart by another one, lose their tag and
/// wait in a FIFO of their lane, so that lanes do not block each other.
struct Bridge<'a> {
    adg: &'a mut Adg,
    tile: &'a str,
    memory: MemoryInterface,
    name: &'a str,
    instance: usize,
    lane_depth: usize,
}

impl Bridge<'_> {
    fn add(&mut self, body: &mut Body, name: String, role: &str, component: Component) -> usize {
        let part = name.split('_').next().unwrap_or_default();
        let definition = intern(self.adg, format!("{}_{part}_{role}", self.tile), component);
        let name = format!("{}_{name}", self.name);
        body.instances.push(Instance { name, of: Of::Component(definition), position: None });
        body.instances.len() - 1
    }

    /// A switch between one port and its lanes.
    fn shared(&mut self, body: &mut Body, port: usize, ty: ChannelType, lanes: usize, inward: bool) -> usize {
        let (inputs, outputs) = if inward { (lanes, 1) } else { (1, lanes) };
        let connectivity = vec![vec![true; inputs]; outputs];
        let sw = TemporalSw { ty, inputs, outputs, connectivity, num_route_table: lanes };
        let side = if inward { "in" } else { "out" };
        self.add(body, format!("{side}{port}_sw"), "lanesw", Component::TemporalSw(sw))
    }

    fn build(mut self, body: &mut Body, mut next_output: usize, mut next_input: usize) {
        let at = |instance, port| End::Instance { instance, port };
        let (tag, memory) = (self.memory.tag, self.instance);
        let (inputs, outputs) = self.memory.families();
        for (port, family) in inputs.into_iter().enumerate() {
            let ty = self.memory.port_type(family);
            let lanes = self.memory.lanes(family);
            let sw = self.shared(body, port, ty, lanes, true);
            body.connections.push(Connection { from: at(sw, 0), to: at(memory, port) });
            for lane in 0..lanes {
                let mark = Component::AddTag(AddTag { width: ty.width, tag });
                let mark = self.add(body, format!("in{port}_tag{lane}"), "lanetag", mark);
                body.connections.push(Connection { from: at(0, next_output), to: at(mark, 0) });
                body.connections.push(Connection { from: at(mark, 0), to: at(sw, lane) });
                next_output += 1;
            }
        }
        for (port, family) in outputs.into_iter().enumerate() {
            let ty = self.memory.port_type(family);
            let lanes = self.memory.lanes(family);
            let sw = self.shared(body, port, ty, lanes, false);
            body.connections.push(Connection { from: at(memory, port), to: at(sw, 0) });
            for lane in 0..lanes {
                let strip = Component::DelTag(DelTag { width: ty.width, tag });
                let strip = self.add(body, format!("out{port}_strip{lane}"), "lanestrip", strip);
                let plain = ChannelType::bits(ty.width);
                let fifo = Component::Fifo(Fifo { ty: plain, depth: self.lane_depth, bypassable: false });
                let fifo = self.add(body, format!("out{port}_fifo{lane}"), "lanefifo", fifo);
                body.connections.push(Connection { from: at(sw, lane), to: at(strip, 0) });
                body.connections.push(Connection { from: at(strip, 0), to: at(fifo, 0) });
                body.connections.push(Connection { from: at(fifo, 0), to: at(0, next_input) });
                next_input += 1;
            }
        }
    }
}

/// The definition of an equal component of the same role, or a new one.
fn intern(adg: &mut Adg, name: String, component: Component) -> usize {
    let role = name.rsplit('_').next().unwrap_or("").to_string();
    let same = |d: &Definition| d.component == component && d.name.rsplit('_').next() == Some(role.as_str());
    if let Some(i) = adg.definitions.iter().position(same) {
        return i;
    }
    adg.definitions.push(Definition { name, component });
    adg.definitions.len() - 1
}

/// A mesh to build.
#[derive(Clone, Debug)]
pub struct MeshSpec {
    /// Tiles from west to east.
    pub columns: usize,
    /// Tiles from north to south.
    pub rows: usize,
    /// The tile at every position that has none of its own.
    pub tile: usize,
    /// Column, row and tile of the others.
    pub overrides: Vec<(usize, usize, usize)>,
}

/// Most tiles along one side of a mesh.
pub const MAX_SIDE: usize = 256;

/// Makes the top level a mesh: instances `t_<column>_<row>` row by row; links between neighbours; the links that
/// leave the grid are the fabric's ports, along the north edge from west to east, the east edge from north to south,
/// the south edge from west to east, the west edge from north to south, at each tile in order of channels. `Err` says
/// in words what does not fit.
pub fn mesh(adg: &mut Adg, spec: &MeshSpec) -> Result<(), String> {
    let (columns, rows) = (spec.columns, spec.rows);
    if columns == 0 || rows == 0 || columns > MAX_SIDE || rows > MAX_SIDE {
        return Err(format!("a mesh of {columns} by {rows} tiles, 1 to {MAX_SIDE} each way are allowed"));
    }
    let mut tile_at = vec![spec.tile; columns * rows];
    for &(column, row, tile) in &spec.overrides {
        if column >= columns || row >= rows {
            return Err(format!("an override at ({column}, {row}), the mesh is {columns} by {rows}"));
        }
        tile_at[row * columns + column] = tile;
    }
    // Ports of each tile by direction and channel.
    let find = |ports: &[Port], direction: char, side: &str| -> Vec<usize> {
        (0..).map_while(|k| ports.iter().position(|p| p.name == format!("{direction}_{side}{k}"))).collect()
    };
    let links: Vec<[(Vec<usize>, Vec<usize>); 4]> = adg
        .tiles
        .iter()
        .map(|t| DIRECTIONS.map(|d| (find(&t.body.inputs, d, "in"), find(&t.body.outputs, d, "out"))))
        .collect();
    let mut used: Vec<usize> = tile_at.clone();
    used.sort_unstable();
    used.dedup();
    for &tile in &used {
        let t = &adg.tiles[tile];
        let named: usize = links[tile].iter().map(|(i, o)| i.len() + o.len()).sum();
        if named != t.body.inputs.len() + t.body.outputs.len() {
            return Err(format!(
                "tile `{}` has ports that are no links: a mesh tile has `n_in0`, `n_out0`, ... for n, e, s and w only",
                t.name
            ));
        }
    }

    let mut top = Body::default();
    for row in 0..rows {
        for column in 0..columns {
            top.instances.push(Instance {
                name: format!("t_{column}_{row}"),
                of: Of::Tile(tile_at[row * columns + column]),
                position: Some((column as i32, row as i32)),
            });
        }
    }
    let mut connect = |a: usize, out_of_a: usize, b: usize, into_b: usize| -> Result<(), String> {
        let (outs, ins) = (&links[tile_at[a]][out_of_a].1, &links[tile_at[b]][into_b].0);
        if outs.len() != ins.len() {
            return Err(format!(
                "tile `{}` has {} outputs to {}, its neighbour there, `{}`, has {} inputs from it",
                adg.tiles[tile_at[a]].name,
                outs.len(),
                SIDES[out_of_a],
                adg.tiles[tile_at[b]].name,
                ins.len()
            ));
        }
        for (&from, &to) in outs.iter().zip(ins) {
            top.connections.push(Connection {
                from: End::Instance { instance: a, port: from },
                to: End::Instance { instance: b, port: to },
            });
        }
        Ok(())
    };
    let [n, e, s, w] = [0, 1, 2, 3];
    for row in 0..rows {
        for column in 0..columns {
            let here = row * columns + column;
            if column + 1 < columns {
                connect(here, e, here + 1, w)?;
                connect(here + 1, w, here, e)?;
            }
            if row + 1 < rows {
                connect(here, s, here + columns, n)?;
                connect(here + columns, n, here, s)?;
            }
        }
    }
    let edges = [
        (n, (0..columns).collect::<Vec<_>>()),
        (e, (0..rows).map(|r| r * columns + columns - 1).collect()),
        (s, (0..columns).map(|c| (rows - 1) * columns + c).collect()),
        (w, (0..rows).map(|r| r * columns).collect()),
    ];
    for (direction, instances) in edges {
        for instance in instances {
            let tile = tile_at[instance];
            for &port in &links[tile][direction].0 {
                let k = top.inputs.len();
                top.inputs.push(Port { name: format!("in{k}"), ty: adg.tiles[tile].body.inputs[port].ty });
                top.connections.push(Connection { from: End::Body(k), to: End::Instance { instance, port } });
            }
            for &port in &links[tile][direction].1 {
                let k = top.outputs.len();
                top.outputs.push(Port { name: format!("out{k}"), ty: adg.tiles[tile].body.outputs[port].ty });
                top.connections.push(Connection { from: End::Instance { instance, port }, to: End::Body(k) });
            }
        }
    }
    adg.top = top;
    Ok(())
}

/// Letter of the default mesh's tile at a place: memory along the west edge, then control and compute tiles in turns.
fn default_tile(columns: usize, rows: usize, column: usize, row: usize) -> char {
    let (east, south) = (column + 1 == columns, row + 1 == rows);
    let large = columns >= 4 && rows >= 4;
    match (column, row) {
        (0, _) if large => 'm',
        _ if large && east && south => 's',
        _ if large && east && row == 0 => 't',
        (1, 0) if large => 'k',
        (0, 0) if !large => 'k',
        (2, 1) if large => 'a',
        _ if (column + row) % 2 == 1 => 'c',
        _ => 'x',
    }
}

/// The TOML text of the default fabric `mesh-<columns>x<rows>`, as `configs/` has it.
pub fn mesh_toml(columns: usize, rows: usize) -> String {
    mesh_toml_of(columns, rows, 32)
}

/// The same for data of 32 or 64 bits; the latter is called `mesh-<columns>x<rows>-w64`.
pub fn mesh_toml_of(columns: usize, rows: usize, width: u32) -> String {
    let suffix = if width == 32 { String::new() } else { format!("-w{width}") };
    let mut layout = Vec::new();
    for row in 0..rows {
        layout.push((0..columns).map(|c| default_tile(columns, rows, c, row)).collect::<String>());
    }
    let used = |tile: &DefaultTile| layout.iter().any(|row| row.contains(tile.letter));
    let tiles: Vec<&DefaultTile> = DEFAULT_TILES.iter().filter(|t| used(t)).collect();
    let mut text = format!(
        "# A {columns} by {rows} mesh of crossbar tiles. docs/fabric.md explains every table.\n\
         name = \"mesh-{columns}x{rows}{suffix}\"\n"
    );
    for part in DEFAULT_PARTS.iter().filter(|p| tiles.iter().any(|t| t.text.contains(p.key))) {
        text.push('\n');
        text.push_str(&if width == 32 { part.text.to_string() } else { widen(part.text) });
    }
    for tile in &tiles {
        let _ = write!(text, "\n{}", tile.text.replace("channels = 2", &links(width)));
    }
    text.push_str("\n[mesh]\nlayout = [\n");
    for row in layout.iter() {
        let _ = writeln!(text, "  \"{row}\",");
    }
    let legend: Vec<String> = tiles.iter().map(|t| format!("{} = \"{}\"", t.letter, t.name)).collect();
    let _ = write!(text, "]\nlegend = {{ {} }}\n", legend.join(", "));
    text
}

fn links(width: u32) -> String {
    if width == 32 {
        "channels = 2".into()
    } else {
        format!("width = {width}\nchannels = 2")
    }
}

/// A part of a default fabric for 64-bit data: wider ports, and every unit for both widths where they differ.
fn widen(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let line = line.replace("width = 32", "width = 64");
        let mut units: Vec<String> = Vec::new();
        let quoted: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
        if !line.trim_start().starts_with('"') && !line.trim_start().starts_with("fus = [\"") {
            out.push_str(&line);
            out.push('\n');
            continue;
        }
        for unit in quoted {
            let words: Vec<&str> = unit.split_whitespace().collect();
            match words.as_slice() {
                [name, "32"] => units.push(format!("{name} 64")),
                [name, n, "32"] => units.push(format!("{name} {n} 64")),
                // Low bits of a wider unit serve narrower values, but for what looks at the sign, the upper bits or an
                // amount.
                [name, "i32"] => {
                    let low = ["addi", "subi", "muli", "andi", "ori", "xori"];
                    if !low.iter().any(|op| name.ends_with(op)) {
                        units.push(unit.to_string());
                    }
                    units.push(format!("{name} i64"));
                }
                [name, "f32"] => units.extend([unit.to_string(), format!("{name} f64")]),
                [name, from, "to", to] => {
                    units.push(unit.to_string());
                    match (*from, *to) {
                        ("i32", "index") => units.push(format!("{name} i64 to index")),
                        ("index", "i32") => units.push(format!("{name} index to i64")),
                        (narrow, "i32") => units.push(format!("{name} {narrow} to i64")),
                        ("i32", narrow) => units.push(format!("{name} i64 to {narrow}")),
                        _ => {}
                    }
                    if *from == "i16" && *to == "i32" {
                        units.push(format!("{name} i32 to i64"));
                    }
                    if *from == "i32" && *to == "i16" {
                        units.push(format!("{name} i64 to i32"));
                    }
                }
                _ => units.push(unit.to_string()),
            }
        }
        let units: Vec<String> = units.iter().map(|u| format!("\"{u}\"")).collect();
        if line.trim_start().starts_with("fus") {
            let _ = writeln!(out, "fus = [{}]", units.join(", "));
        } else {
            let _ = writeln!(out, "  {},", units.join(", "));
        }
    }
    out
}

/// A component of the default fabrics: written when a tile's text names `key`.
struct DefaultPart {
    key: &'static str,
    text: &'static str,
}

/// A tile of the default fabrics.
struct DefaultTile {
    letter: char,
    name: &'static str,
    text: &'static str,
}

/// Ports of PEs are few because a switch has at most 32 of each kind: units of two operands have PEs of two inputs.
const DEFAULT_PARTS: &[DefaultPart] = &[
    DefaultPart {
        key: ": state\"",
        text: r#"# State machines of loops. Two-entry output buffers cut valid, data and ready.
[pe.state]
inputs = { count = 3, width = 32 }
outputs = { count = 2, width = 32 }
output_buffers = true
fus = ["dataflow.stream +=", "dataflow.gate 32", "dataflow.carry 32", "dataflow.invariant 32"]
"#,
    },
    DefaultPart {
        key: ": state_steps\"",
        text: r#"# The same with all six step ops.
[pe.state_steps]
inputs = { count = 3, width = 32 }
outputs = { count = 2, width = 32 }
output_buffers = true
fus = [
  "dataflow.stream +=", "dataflow.gate 32", "dataflow.carry 32", "dataflow.invariant 32",
  "dataflow.stream -=", "dataflow.stream *=", "dataflow.stream /=", "dataflow.stream <<=", "dataflow.stream >>=",
]
"#,
    },
    DefaultPart {
        key: ": steer\"",
        text: r#"# Moves tokens by value or presence.
[pe.steer]
inputs = { count = 3, width = 32 }
outputs = { count = 2, width = 32 }
fus = ["handshake.cond_br 32", "handshake.mux 32", "handshake.join 3 32", "handshake.constant 32"]
"#,
    },
    DefaultPart {
        key: ": branch\"",
        text: r#"# The same without what needs three inputs.
[pe.branch]
inputs = { count = 2, width = 32 }
outputs = { count = 2, width = 32 }
fus = ["handshake.cond_br 32", "handshake.join 2 32", "handshake.constant 32"]
"#,
    },
    DefaultPart {
        key: ": compute\"",
        text: r#"# Arithmetic of two operands, one cycle from buffer to buffer.
[pe.compute]
inputs = { count = 2, width = 32 }
outputs = { count = 1, width = 32 }
fus = [
  "arith.addi i32", "arith.subi i32", "arith.muli i32", "arith.andi i32", "arith.ori i32", "arith.xori i32",
  "arith.cmpi i32", "arith.shli i32", "arith.shrsi i32", "arith.shrui i32",
  "arith.extsi i1 to i32", "arith.extsi i8 to i32", "arith.extsi i16 to i32",
  "arith.extui i1 to i32", "arith.extui i8 to i32", "arith.extui i16 to i32",
  "arith.trunci i32 to i1", "arith.trunci i32 to i8", "arith.trunci i32 to i16",
  "arith.index_cast i32 to index", "arith.index_cast index to i32",
]
"#,
    },
    DefaultPart {
        key: ": select\"",
        text: r#"# The same and what takes three.
[pe.select]
inputs = { count = 3, width = 32 }
outputs = { count = 1, width = 32 }
fus = [
  "arith.select 32",
  "arith.addi i32", "arith.subi i32", "arith.muli i32", "arith.andi i32", "arith.ori i32", "arith.xori i32",
  "arith.cmpi i32", "arith.shli i32", "arith.shrsi i32", "arith.shrui i32",
  "arith.extsi i1 to i32", "arith.extsi i8 to i32", "arith.extsi i16 to i32",
  "arith.extui i1 to i32", "arith.extui i8 to i32", "arith.extui i16 to i32",
  "arith.trunci i32 to i1", "arith.trunci i32 to i8", "arith.trunci i32 to i16",
  "arith.index_cast i32 to index", "arith.index_cast index to i32",
]
"#,
    },
    DefaultPart {
        key: ": divide\"",
        text: r#"# Division bit by bit, and what a program needs now and then.
[pe.divide]
inputs = { count = 2, width = 32 }
outputs = { count = 1, width = 32 }
fus = [
  "arith.divsi i32", "arith.divui i32", "arith.remsi i32", "arith.remui i32",
  "arith.ceildivsi i32", "arith.floordivsi i32", "arith.ceildivui i32",
]
"#,
    },
    DefaultPart {
        key: ": rare\"",
        text: r#"[pe.rare]
inputs = { count = 2, width = 32 }
outputs = { count = 1, width = 32 }
fus = [
  "arith.maxsi i32", "arith.maxui i32", "arith.minsi i32", "arith.minui i32",
  "math.absi i32", "math.ctlz i32", "math.cttz i32", "math.ctpop i32", "llvm.intr.bitreverse i32",
  "arith.index_castui i32 to index",
]
"#,
    },
    DefaultPart {
        key: ": float\"",
        text: r#"# Floating point, one cycle from buffer to buffer.
[pe.float]
inputs = { count = 2, width = 32 }
outputs = { count = 1, width = 32 }
fus = [
  "arith.addf f32", "arith.subf f32", "arith.mulf f32", "arith.cmpf f32",
  "arith.maximumf f32", "arith.minimumf f32", "arith.negf f32", "math.absf f32",
  "arith.sitofp i32 to f32", "arith.fptosi f32 to i32",
]
"#,
    },
    DefaultPart {
        key: ": access\"",
        text: r#"# Addresses of loads and stores with the tokens that order them.
[pe.access]
inputs = { count = 3, width = 32 }
outputs = { count = 2, width = 32 }
fus = ["handshake.load 32", "handshake.store 32"]
"#,
    },
    DefaultPart {
        key: ": port\"",
        text: r#"# One load and one store a cycle over AXI; 32 of each may be under way.
[extmemory.port]
loads = 1
stores = 1
queue = 32
width = 32
"#,
    },
    DefaultPart {
        key: ": shared_port\"",
        text: r#"# Two lanes of loads and of stores share an AXI port; tags tell them apart.
[extmemory.shared_port]
loads = 2
stores = 2
queue = 32
width = 32
tag = 1
regions = 2
"#,
    },
    DefaultPart {
        key: ": pad\"",
        text: r#"# A scratchpad with two lanes of loads and of stores; the host may look into it.
[memory.pad]
bytes = 4096
host = true
loads = 2
stores = 2
queue = 4
width = 32
tag = 1
regions = 2
"#,
    },
];

/// In each tile the ranks go from `valid`'s side to `ready`'s: a combinational PE feeds only higher ranks within a cycle.
const DEFAULT_TILES: &[DefaultTile] = &[
    DefaultTile {
        letter: 'c',
        name: "control",
        text: r#"# Loops and conditions: a comparison before the branches, a sum behind them.
[tile.control]
channels = 2
turnarounds = 2
turnaround_depth = 8
slacks = 1
ranks = [["s0: state", "s1: state"], ["c0: compute"], ["b0: steer", "b1: steer", "b2: branch"], ["c1: select"]]
"#,
    },
    DefaultTile {
        letter: 'k',
        name: "corner",
        text: r#"[tile.corner]
channels = 2
turnarounds = 2
turnaround_depth = 8
slacks = 1
ranks = [["s0: state_steps", "s1: state"], ["c0: compute"], ["b0: steer", "b1: steer", "b2: branch"], ["c1: select"]]
"#,
    },
    DefaultTile {
        letter: 'x',
        name: "compute_tile",
        text: r#"# Expressions: three levels of arithmetic behind constants and branches.
[tile.compute_tile]
channels = 2
turnarounds = 2
turnaround_depth = 8
slacks = 1
ranks = [["s0: state"], ["b0: steer", "b1: branch"], ["c0: compute", "c1: compute", "c2: compute"], ["c3: select"], ["c4: select"]]
"#,
    },
    DefaultTile {
        letter: 'a',
        name: "arithmetic",
        text: r#"# The same with floating point, division and the rarer integer ops.
[tile.arithmetic]
channels = 2
turnarounds = 2
turnaround_depth = 8
slacks = 1
ranks = [["s0: state"], ["b0: steer", "b1: branch"], ["f0: float", "d0: divide", "r0: rare"], ["c3: select"], ["c4: select"]]
"#,
    },
    DefaultTile {
        letter: 'm',
        name: "memory_tile",
        text: r#"# An AXI port with the units that send it addresses.
[tile.memory_tile]
channels = 2
turnarounds = 1
turnaround_depth = 8
slacks = 1
memories = ["mem: port"]
lane_depth = 32
ranks = [["s0: state"], ["b0: steer", "b1: branch"], ["c0: compute"], ["c1: select"], ["a0: access", "a1: access"]]
"#,
    },
    DefaultTile {
        letter: 't',
        name: "shared_tile",
        text: r#"# The same for a shared AXI port.
[tile.shared_tile]
channels = 2
turnarounds = 1
turnaround_depth = 8
slacks = 1
memories = ["mem: shared_port"]
lane_depth = 32
ranks = [["b0: steer"], ["c0: compute"], ["a0: access", "a1: access", "a2: access"]]
"#,
    },
    DefaultTile {
        letter: 's',
        name: "pad_tile",
        text: r#"# A scratchpad.
[tile.pad_tile]
channels = 2
turnarounds = 1
turnaround_depth = 8
slacks = 1
memories = ["mem: pad"]
lane_depth = 16
ranks = [["b0: steer"], ["c0: compute"], ["a0: access", "a1: access", "a2: access"]]
"#,
    },
];
