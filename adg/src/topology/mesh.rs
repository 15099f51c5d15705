//! The mesh: tiles in rows and columns, neighbours joined by their links.

use super::{DIRECTIONS, SIDES};
use crate::model::{Adg, Body, Connection, End, Instance, Of, Port, Tile};

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
    let links: Vec<Links> = adg.tiles.iter().map(Links::of).collect();
    let mut used: Vec<usize> = tile_at.clone();
    used.sort_unstable();
    used.dedup();
    for &tile in &used {
        let t = &adg.tiles[tile];
        if links[tile].count() != t.body.inputs.len() + t.body.outputs.len() {
            return Err(format!(
                "tile `{}` has ports that are no links: a mesh tile has `n_in0`, `n_out0`, ... for n, e, s and w only",
                t.name
            ));
        }
    }
    let mut grid = Grid { adg, columns, rows, tile_at, links, top: Body::default() };
    grid.instances();
    grid.neighbours()?;
    grid.boundary();
    let top = grid.top;
    adg.top = top;
    Ok(())
}

/// Indices of [`DIRECTIONS`].
const N: usize = 0;
const E: usize = 1;
const S: usize = 2;
const W: usize = 3;

/// Ports of a tile by direction, in order of channels.
struct Links([(Vec<usize>, Vec<usize>); 4]);

impl Links {
    fn of(tile: &Tile) -> Links {
        let find = |ports: &[Port], direction: char, side: &str| -> Vec<usize> {
            (0..)
                .map_while(|k| ports.iter().position(|p| p.name == format!("{direction}_{side}{k}")))
                .collect()
        };
        Links(DIRECTIONS.map(|d| (find(&tile.body.inputs, d, "in"), find(&tile.body.outputs, d, "out"))))
    }

    fn count(&self) -> usize {
        self.0.iter().map(|(inputs, outputs)| inputs.len() + outputs.len()).sum()
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
        let (outs, ins) = (&self.links[tile_a].0[out_of_a].1, &self.links[tile_b].0[into_b].0);
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
        for (&from, &to) in outs.iter().zip(ins) {
            self.top.connections.push(Connection {
                from: End::Instance { instance: a, port: from },
                to: End::Instance { instance: b, port: to },
            });
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
            for instance in instances {
                let (tile, body) = (self.tile_at[instance], &self.adg.tiles[self.tile_at[instance]].body);
                let (inputs, outputs) = &self.links[tile].0[direction];
                for &port in inputs {
                    let k = self.top.inputs.len();
                    self.top.inputs.push(Port { name: format!("in{k}"), ty: body.inputs[port].ty });
                    let to = End::Instance { instance, port };
                    self.top.connections.push(Connection { from: End::Body(k), to });
                }
                for &port in outputs {
                    let k = self.top.outputs.len();
                    self.top.outputs.push(Port { name: format!("out{k}"), ty: body.outputs[port].ty });
                    let from = End::Instance { instance, port };
                    self.top.connections.push(Connection { from, to: End::Body(k) });
                }
            }
        }
    }
}
