//! The mesh: tiles in rows and columns, neighbours joined by their links, and memory interfaces whose lanes several tiles have.

use super::{DIRECTIONS, SIDES};
use crate::model::{
    Adg, Body, Component, Connection, End, Instance, MemoryInterface, MemoryPort, Of, Port, Tile,
};

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
    /// Memory interfaces between tiles.
    pub memories: Vec<MeshMemory>,
    /// By channel, how many tiles on its links lead; to the neighbour where none is given.
    pub reach: Vec<usize>,
}

/// A memory interface whose lanes are reached from several tiles.
#[derive(Clone, Debug)]
pub struct MeshMemory {
    /// Its definition.
    pub memory: usize,
    /// Column and row of the tiles that have ports for lanes: the first have the first lanes.
    pub tiles: Vec<(usize, usize)>,
}

/// Why a mesh is none.
#[derive(Clone, Debug)]
pub struct MeshError {
    /// What does not fit.
    pub message: String,
    /// What to do, where that is known.
    pub help: Option<String>,
    /// Which of the memory interfaces between tiles it is about.
    pub memory: Option<usize>,
}

impl MeshError {
    fn new(message: impl Into<String>, help: impl Into<String>) -> MeshError {
        MeshError { message: message.into(), help: Some(help.into()), memory: None }
    }
}

impl From<String> for MeshError {
    fn from(message: String) -> MeshError {
        MeshError { message, help: None, memory: None }
    }
}

/// Most tiles along one side of a mesh.
pub const MAX_SIDE: usize = 256;

/// Makes the top level a mesh: instances `t_<column>_<row>` row by row; links between neighbours; the links that
/// leave the grid are the fabric's ports, along the north edge from west to east, the east edge from north to south,
/// the south edge from west to east, the west edge from north to south, at each tile in order of channels. Links that lead further
/// than to a neighbour turn round at the edges instead. Memory interfaces between tiles stand before the tiles, as
/// `m_<column>_<row>` of their first tile, whose place they have too. `Err` says in words what does not fit.
pub fn mesh(adg: &mut Adg, spec: &MeshSpec) -> Result<(), MeshError> {
    let (columns, rows) = (spec.columns, spec.rows);
    if columns == 0 || rows == 0 || columns > MAX_SIDE || rows > MAX_SIDE {
        return Err(
            format!("a mesh of {columns} by {rows} tiles, 1 to {MAX_SIDE} each way are allowed").into()
        );
    }
    let mut tile_at = vec![spec.tile; columns * rows];
    for &(column, row, tile) in &spec.overrides {
        if column >= columns || row >= rows {
            return Err(format!("an override at ({column}, {row}), the mesh is {columns} by {rows}").into());
        }
        tile_at[row * columns + column] = tile;
    }
    let links: Vec<Links> = adg.tiles.iter().map(Links::of).collect();
    let mut used: Vec<usize> = tile_at.clone();
    used.sort_unstable();
    used.dedup();
    for &tile in &used {
        let t = &adg.tiles[tile];
        if links[tile].count() != t.body.inputs.len() + t.body.outputs.len() {
            return Err(format!(
                "tile `{}` has ports that are no links: a mesh tile has `n_in0`, `n_out0`, ... for n, e, s and w, and `m_in0`, `m_out0`, ... for lanes of memory",
                t.name
            )
            .into());
        }
        links[tile].check_lanes(&t.name)?;
    }
    let most = used.iter().flat_map(|&t| &links[t].sides).map(|(ins, outs)| ins.len().max(outs.len())).max();
    check_reach(&spec.reach, most.unwrap_or(0), columns.min(rows))?;
    let (first, reach) = (spec.memories.len(), spec.reach.clone());
    let mut grid = Grid { adg, columns, rows, tile_at, links, first, reach, top: Body::default() };
    for (k, memory) in spec.memories.iter().enumerate() {
        grid.memory_instance(memory).map_err(|e| MeshError { memory: Some(k), ..e })?;
    }
    grid.instances();
    grid.memories(&spec.memories)?;
    grid.neighbours()?;
    grid.far()?;
    grid.boundary();
    let top = grid.top;
    adg.top = top;
    Ok(())
}

/// Refuses a reach that no link of the mesh can have.
fn check_reach(reach: &[usize], channels: usize, side: usize) -> Result<(), MeshError> {
    if reach.len() > channels {
        let message = format!("`reach` is given for {} channels, the tiles have {channels}", reach.len());
        return Err(MeshError::new(message, "give one number for each channel"));
    }
    let Some((channel, n)) = reach.iter().enumerate().find(|&(_, &n)| n == 0 || n > side) else {
        return Ok(());
    };
    let message = format!("channel {channel} has a reach of {n}");
    Err(MeshError::new(
        message,
        format!("in a mesh with {side} tiles along its shorter side it is 1 to {side}"),
    ))
}

/// Indices of [`DIRECTIONS`].
const N: usize = 0;
const E: usize = 1;
const S: usize = 2;
const W: usize = 3;

/// Ports of a tile by direction, in order of channels.
struct Links {
    sides: [(Vec<usize>, Vec<usize>); 4],
    /// For lanes of memory: answers, requests.
    lanes: (Vec<usize>, Vec<usize>),
}

impl Links {
    fn of(tile: &Tile) -> Links {
        let find = |ports: &[Port], direction: char, side: &str| -> Vec<usize> {
            (0..)
                .map_while(|k| ports.iter().position(|p| p.name == format!("{direction}_{side}{k}")))
                .collect()
        };
        let both = |d| (find(&tile.body.inputs, d, "in"), find(&tile.body.outputs, d, "out"));
        Links { sides: DIRECTIONS.map(both), lanes: both('m') }
    }

    fn count(&self) -> usize {
        self.sides.iter().chain([&self.lanes]).map(|(inputs, outputs)| inputs.len() + outputs.len()).sum()
    }

    /// How many loads and stores the ports are for: a load has one request and two answers, a store the other way round.
    fn lane_counts(&self) -> (usize, usize) {
        let (answers, requests) = (self.lanes.0.len(), self.lanes.1.len());
        ((2 * answers).saturating_sub(requests) / 3, (2 * requests).saturating_sub(answers) / 3)
    }

    /// Refuses ports that are those of no number of lanes, as a tile of components may have them.
    fn check_lanes(&self, tile: &str) -> Result<(), MeshError> {
        let ((loads, stores), (answers, requests)) = (self.lane_counts(), (&self.lanes.0, &self.lanes.1));
        if (requests.len(), answers.len()) == (loads + 2 * stores, 2 * loads + stores) {
            return Ok(());
        }
        let (requests, answers) = (requests.len(), answers.len());
        let message = format!("tile `{tile}` has {requests} ports `m_out0`, ... and {answers} ports `m_in0`, ..., which no number of lanes has");
        Err(MeshError::new(
            message,
            "a load has one request and two answers, a store two requests and one answer",
        ))
    }
}

/// A mesh under construction.
struct Grid<'a> {
    adg: &'a Adg,
    columns: usize,
    rows: usize,
    /// Tile of each position, row by row.
    tile_at: Vec<usize>,
    links: Vec<Links>,
    /// Instances before those of the tiles.
    first: usize,
    /// By channel; 1 beyond.
    reach: Vec<usize>,
    top: Body,
}

impl Grid<'_> {
    fn instances(&mut self) {
        for (here, &tile) in self.tile_at.iter().enumerate() {
            let (column, row) = (here % self.columns, here / self.columns);
            self.top.instances.push(Instance {
                name: format!("t_{column}_{row}"),
                of: Of::Tile(tile),
                position: Some((column as i32, row as i32)),
            });
        }
    }

    fn memory_instance(&mut self, memory: &MeshMemory) -> Result<(), MeshError> {
        let Some(&(column, row)) = memory.tiles.first() else {
            let help = "name its tiles by column and row, `tiles = [[0, 0], [1, 0]]`";
            return Err(MeshError::new("no tiles for the lanes", help));
        };
        self.top.instances.push(Instance {
            name: format!("m_{column}_{row}"),
            of: Of::Component(memory.memory),
            position: Some((column as i32, row as i32)),
        });
        Ok(())
    }

    /// Joins the lanes of each memory interface to its tiles.
    fn memories(&mut self, memories: &[MeshMemory]) -> Result<(), MeshError> {
        let mut joined = vec![false; self.tile_at.len()];
        for (instance, memory) in memories.iter().enumerate() {
            let joining = self.memory(instance, memory, &mut joined);
            joining.map_err(|e| MeshError { memory: Some(instance), ..e })?;
        }
        let alone = |&here: &usize| !joined[here] && self.links[self.tile_at[here]].lane_counts() != (0, 0);
        let Some(here) = (0..joined.len()).find(alone) else { return Ok(()) };
        let (column, row) = (here % self.columns, here / self.columns);
        let name = &self.adg.tiles[self.tile_at[here]].name;
        let message = format!(
            "tile `{name}` at ({column}, {row}) has ports for lanes, and no memory interface names it"
        );
        let help =
            format!("add `memories = [{{ memory = \"NAME\", tiles = [[{column}, {row}]] }}]` to the mesh");
        Err(MeshError::new(message, help))
    }

    fn memory(&mut self, instance: usize, memory: &MeshMemory, joined: &mut [bool]) -> Result<(), MeshError> {
        let definition = &self.adg.definitions[memory.memory];
        let name = definition.name.clone();
        let Component::Memory(interface) = definition.component else {
            return Err(format!("`{name}` is no memory interface").into());
        };
        if interface.tag > 0 {
            let message = format!("`{name}` has a `tag`, with which all its lanes share their ports");
            return Err(MeshError::new(
                message,
                "between tiles lanes have ports of their own: leave `tag` away",
            ));
        }
        let (mut loads, mut stores) = (0, 0);
        for (k, &(column, row)) in memory.tiles.iter().enumerate() {
            let here = self.lane_tile(memory, k)?;
            if std::mem::replace(&mut joined[here], true) {
                let message = format!("the lanes of the tile at ({column}, {row}) are joined twice");
                return Err(MeshError::new(message, "name each tile once, for one memory interface"));
            }
            let counts = self.links[self.tile_at[here]].lane_counts();
            self.join(instance, &interface, here, (loads, stores), counts);
            (loads, stores) = (loads + counts.0, stores + counts.1);
        }
        if (loads, stores) != (interface.loads, interface.stores) {
            let message = format!(
                "`{name}` has {} load and {} store lanes, its tiles have ports for {loads} and {stores}",
                interface.loads, interface.stores
            );
            return Err(MeshError::new(
                message,
                "the `lanes` of its tiles add up to its `loads` and `stores`",
            ));
        }
        Ok(())
    }

    /// The tile that a memory interface names as its k-th.
    fn lane_tile(&self, memory: &MeshMemory, k: usize) -> Result<usize, MeshError> {
        let (column, row) = memory.tiles[k];
        if column >= self.columns || row >= self.rows {
            let (columns, rows) = (self.columns, self.rows);
            let message = format!("lanes at ({column}, {row}), the mesh is {columns} by {rows}");
            let help = format!("columns are 0 to {}, rows 0 to {}", columns - 1, rows - 1);
            return Err(MeshError::new(message, help));
        }
        let beside = |&(c, r): &(usize, usize)| c.abs_diff(column) + r.abs_diff(row) <= 1;
        if k > 0 && !memory.tiles[..k].iter().any(beside) {
            let message = format!(
                "the tile at ({column}, {row}) is beside none of those that its memory interface names before it"
            );
            return Err(MeshError::new(message, "wires of a mesh lead from neighbour to neighbour"));
        }
        let here = row * self.columns + column;
        let tile = self.tile_at[here];
        if self.links[tile].lane_counts() == (0, 0) {
            let name = &self.adg.tiles[tile].name;
            let message =
                format!("tile `{name}` at ({column}, {row}) has no ports for lanes of a memory interface");
            return Err(MeshError::new(
                message,
                format!("give `[tile.{name}]` `lanes = {{ loads = 2, stores = 1 }}`"),
            ));
        }
        Ok(here)
    }

    /// Joins a tile's ports to the lanes of an interface from `first` on.
    fn join(
        &mut self,
        instance: usize,
        interface: &MemoryInterface,
        here: usize,
        first: (usize, usize),
        counts: (usize, usize),
    ) {
        let part = MemoryInterface { loads: counts.0, stores: counts.1, ..*interface };
        let lane = |(family, lane)| {
            let load =
                matches!(family, MemoryPort::LoadAddress | MemoryPort::LoadData | MemoryPort::LoadDone);
            interface.port(family, lane + if load { first.0 } else { first.1 })
        };
        let (requests, answers) = part.ports();
        let tile = self.first + here;
        let (ins, outs) = self.links[self.tile_at[here]].lanes.clone();
        let to = requests.into_iter().filter_map(lane).zip(outs).map(|(port, from)| Connection {
            from: End::Instance { instance: tile, port: from },
            to: End::Instance { instance, port },
        });
        let from = answers.into_iter().filter_map(lane).zip(ins).map(|(port, to)| Connection {
            from: End::Instance { instance, port },
            to: End::Instance { instance: tile, port: to },
        });
        self.top.connections.extend(to.chain(from).collect::<Vec<_>>());
    }

    fn neighbours(&mut self) -> Result<(), String> {
        for here in 0..self.tile_at.len() {
            if here % self.columns + 1 < self.columns {
                self.connect(here, E, here + 1, W)?;
                self.connect(here + 1, W, here, E)?;
            }
            let below = here + self.columns;
            if below < self.tile_at.len() {
                self.connect(here, S, below, N)?;
                self.connect(below, N, here, S)?;
            }
        }
        Ok(())
    }

    fn connect(&mut self, a: usize, out_of_a: usize, b: usize, into_b: usize) -> Result<(), String> {
        let (tile_a, tile_b) = (self.tile_at[a], self.tile_at[b]);
        let (outs, ins) = (&self.links[tile_a].sides[out_of_a].1, &self.links[tile_b].sides[into_b].0);
        if outs.len() != ins.len() {
            return Err(format!(
                "tile `{}` has {} outputs to {}, its neighbour there, `{}`, has {} inputs from it",
                self.adg.tiles[tile_a].name,
                outs.len(),
                SIDES[out_of_a],
                self.adg.tiles[tile_b].name,
                ins.len()
            ));
        }
        for (channel, (&from, &to)) in outs.iter().zip(ins).enumerate() {
            if self.reach(channel) == 1 {
                self.top.connections.push(Connection {
                    from: End::Instance { instance: self.first + a, port: from },
                    to: End::Instance { instance: self.first + b, port: to },
                });
            }
        }
        Ok(())
    }

    fn reach(&self, channel: usize) -> usize {
        self.reach.get(channel).copied().unwrap_or(1)
    }

    /// The links that lead further than to a neighbour. One that would lead over an edge turns round there, as in a mirror that
    /// stands on it: so every output of such a channel has an input, and every input an output.
    fn far(&mut self) -> Result<(), String> {
        for here in 0..self.tile_at.len() {
            for (side, opposite) in [(N, S), (E, W), (S, N), (W, E)] {
                let ahead = self.tiles_ahead(here, side);
                for channel in 0..self.reach.len() {
                    let n = self.reach[channel];
                    if n == 1 {
                        continue;
                    }
                    let (left, into) = if ahead >= n { (ahead - n, opposite) } else { (n - 1 - ahead, side) };
                    self.join_far(here, side, self.tile_before(here, side, left), into, channel)?;
                }
            }
        }
        Ok(())
    }

    /// Tiles between a tile and the edge on a side.
    fn tiles_ahead(&self, tile: usize, side: usize) -> usize {
        let (column, row) = (tile % self.columns, tile / self.columns);
        match side {
            N => row,
            S => self.rows - 1 - row,
            W => column,
            _ => self.columns - 1 - column,
        }
    }

    /// On the line of a tile to the edge on a side: the tile with so many before that edge.
    fn tile_before(&self, tile: usize, side: usize, ahead: usize) -> usize {
        let (column, row) = (tile % self.columns, tile / self.columns);
        match side {
            N => ahead * self.columns + column,
            S => (self.rows - 1 - ahead) * self.columns + column,
            W => row * self.columns + ahead,
            _ => row * self.columns + self.columns - 1 - ahead,
        }
    }

    fn join_far(
        &mut self,
        a: usize,
        out_of_a: usize,
        b: usize,
        into_b: usize,
        channel: usize,
    ) -> Result<(), String> {
        let (tile_a, tile_b) = (self.tile_at[a], self.tile_at[b]);
        let out = self.links[tile_a].sides[out_of_a].1.get(channel);
        let into = self.links[tile_b].sides[into_b].0.get(channel);
        match (out, into) {
            (Some(&from), Some(&to)) => self.top.connections.push(Connection {
                from: End::Instance { instance: self.first + a, port: from },
                to: End::Instance { instance: self.first + b, port: to },
            }),
            (None, None) => {}
            _ => {
                let (has, lacks) = if out.is_some() { (tile_a, tile_b) } else { (tile_b, tile_a) };
                return Err(format!(
                    "channel {channel} leads from {} of tile `{}` to {} of `{}`, and `{}` has it and `{}` not",
                    SIDES[out_of_a],
                    self.adg.tiles[tile_a].name,
                    SIDES[into_b],
                    self.adg.tiles[tile_b].name,
                    self.adg.tiles[has].name,
                    self.adg.tiles[lacks].name,
                ));
            }
        }
        Ok(())
    }

    /// The links that leave the grid.
    fn boundary(&mut self) {
        let (columns, rows) = (self.columns, self.rows);
        let edges = [
            (N, (0..columns).collect::<Vec<_>>()),
            (E, (0..rows).map(|r| r * columns + columns - 1).collect()),
            (S, (0..columns).map(|c| (rows - 1) * columns + c).collect()),
            (W, (0..rows).map(|r| r * columns).collect()),
        ];
        for (direction, instances) in edges {
            for here in instances {
                let (tile, instance) = (self.tile_at[here], self.first + here);
                let body = &self.adg.tiles[tile].body;
                let (inputs, outputs) = &self.links[tile].sides[direction];
                let leaves =
                    |&(channel, _): &(usize, &usize)| self.reach.get(channel).is_none_or(|&n| n == 1);
                for (_, &port) in inputs.iter().enumerate().filter(leaves) {
                    let k = self.top.inputs.len();
                    self.top.inputs.push(Port { name: format!("in{k}"), ty: body.inputs[port].ty });
                    let to = End::Instance { instance, port };
                    self.top.connections.push(Connection { from: End::Body(k), to });
                }
                for (_, &port) in outputs.iter().enumerate().filter(leaves) {
                    let k = self.top.outputs.len();
                    self.top.outputs.push(Port { name: format!("out{k}"), ty: body.outputs[port].ty });
                    let from = End::Instance { instance, port };
                    self.top.connections.push(Connection { from, to: End::Body(k) });
                }
            }
        }
    }
}
