//! Topology builders: the crossbar tile, the mesh, and the text of the default fabrics.
//!
//! A crossbar tile has one switch and processing elements in ranks around it (DESIGN 5). Registered sources (link
//! FIFOs, turn-around FIFOs, PEs with output buffers) may feed everything; a combinational PE feeds only PEs of higher
//! ranks, PEs with output buffers, links and turn-arounds. So `valid` runs up the ranks and `ready` down, and no
//! configuration closes a combinational cycle (H5). Links begin in a FIFO of the tile they enter (H6).

use crate::model::{
    limits, Adg, Body, ChannelType, Component, Connection, Definition, End, Fifo, Instance, Of, Port,
    SpatialSw, Tile,
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
    /// Names and definitions of the PEs, rank by rank.
    pub ranks: Vec<Vec<(String, usize)>>,
}

/// Adds a crossbar tile with its switch and FIFO definitions; gives the tile's index. `Err` says in words what does
/// not fit. Parts that another tile has in the same shape are shared.
pub fn crossbar(adg: &mut Adg, spec: &CrossbarSpec) -> Result<usize, String> {
    let link_type = ChannelType::bits(spec.width);
    let links = DIRECTIONS.len() * spec.channels;
    let fixed = links + spec.turnarounds;

    let mut switch_inputs = vec![link_type; fixed];
    let mut switch_outputs = vec![link_type; fixed];
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
    let limit = limits::MAX_SWITCH_PORTS;
    if switch_inputs.len() > limit || switch_outputs.len() > limit {
        return Err(format!(
            "the tile's switch has {} inputs and {} outputs ({links} links, {} turn-arounds, the rest PE ports), the limit is {limit} each",
            switch_inputs.len(),
            switch_outputs.len(),
            spec.turnarounds
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
    let fifo = |depth| Component::Fifo(Fifo { ty: link_type, depth, bypassable: false });

    let mut body = Body::default();
    body.instances.push(Instance { name: "sw".into(), of: Of::Component(sw), position: None });
    let at = |instance, port| End::Instance { instance, port };
    if links > 0 {
        let link = intern(adg, format!("{}_link", spec.name), fifo(spec.link_depth));
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
        let turn = intern(adg, format!("{}_turn", spec.name), fifo(spec.turnaround_depth));
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
    adg.tiles.push(Tile { name: spec.name.clone(), body });
    Ok(adg.tiles.len() - 1)
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

/// The TOML text of the default fabric `mesh-<columns>x<rows>`, as `configs/` has it.
pub fn mesh_toml(columns: usize, rows: usize) -> String {
    let mut text = format!(
        "# A {columns} by {rows} mesh of crossbar tiles. docs/fabric.md explains every table.\n\
         name = \"mesh-{columns}x{rows}\"\n\n{DEFAULT_PARTS}"
    );
    let _ = write!(
        text,
        "\n[mesh]\ncolumns = {columns}\nrows = {rows}\ntile = \"core\"\n\
         override = [{{ column = 0, row = 0, tile = \"corner\" }}]\n"
    );
    text
}

/// PEs and tiles of the default fabrics.
const DEFAULT_PARTS: &str = r#"# State machines of loops. Two-entry output buffers cut valid, data and ready.
[pe.state]
inputs = { count = 3, width = 32 }
outputs = { count = 2, width = 32 }
output_buffers = true
fus = ["dataflow.stream +=", "dataflow.gate 32", "dataflow.carry 32", "dataflow.invariant 32"]

# The same with all six step ops.
[pe.state_steps]
inputs = { count = 3, width = 32 }
outputs = { count = 2, width = 32 }
output_buffers = true
fus = [
  "dataflow.stream +=", "dataflow.gate 32", "dataflow.carry 32", "dataflow.invariant 32",
  "dataflow.stream -=", "dataflow.stream *=", "dataflow.stream /=", "dataflow.stream <<=", "dataflow.stream >>=",
]

# Moves tokens by value or presence.
[pe.steer]
inputs = { count = 3, width = 32 }
outputs = { count = 2, width = 32 }
fus = ["handshake.cond_br 32", "handshake.mux 32", "handshake.join 3 32", "handshake.constant 32"]

# Arithmetic, one cycle from buffer to buffer.
[pe.compute]
inputs = { count = 3, width = 32 }
outputs = { count = 1, width = 32 }
fus = [
  "arith.addi i32", "arith.subi i32", "arith.muli i32", "arith.andi i32", "arith.ori i32", "arith.xori i32",
  "arith.cmpi i32", "arith.select 32", "arith.shli i32", "arith.shrsi i32", "arith.shrui i32",
  "arith.extsi i1 to i32", "arith.extsi i8 to i32", "arith.extsi i16 to i32",
  "arith.extui i1 to i32", "arith.extui i8 to i32", "arith.extui i16 to i32",
  "arith.trunci i32 to i1", "arith.trunci i32 to i8", "arith.trunci i32 to i16",
  "arith.index_cast i32 to index", "arith.index_cast index to i32",
]

# One switch, four neighbours, PEs in ranks: a combinational PE feeds only higher ranks within a cycle.
[tile.core]
channels = 2
turnarounds = 2
turnaround_depth = 8
ranks = [["s0: state", "s1: state"], ["b0: steer", "b1: steer"], ["c0: compute"], ["c1: compute"]]

[tile.corner]
channels = 2
turnarounds = 2
turnaround_depth = 8
ranks = [["s0: state_steps", "s1: state"], ["b0: steer", "b1: steer"], ["c0: compute"], ["c1: compute"]]
"#;
