//! A part of a fabric as a fabric of its own: the instances in some columns and rows of its grid.
//!
//! Guarantees: instances, their order and the channels between them are the fabric's; every component, input and output
//! of the part has its counterpart there. The first columns and rows of a mesh whose links lead to neighbours are, port by port,
//! the mesh that they would be alone. Refuses nothing: a part of a legal fabric is legal, but for ports that nothing drives.

use crate::flat::ComponentId;
use crate::lines::{Lines, PassedComponent};
use crate::model::{Adg, Body, Connection, End, Instance, Port};
use crate::Fabric;
use std::collections::BTreeSet;

/// The columns and rows of a fabric's grid in which something stands.
#[derive(Clone, Debug)]
pub struct Cells {
    columns: Vec<i32>,
    rows: Vec<i32>,
}

impl Cells {
    /// Of a fabric's instances; those without a position stand at (0, 0).
    pub fn of(fabric: &Fabric) -> Cells {
        let (columns, rows): (BTreeSet<i32>, BTreeSet<i32>) =
            fabric.adg().top.instances.iter().map(position).unzip();
        Cells { columns: Vec::from_iter(columns), rows: Vec::from_iter(rows) }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.columns.len() * self.rows.len()
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// The column and row of a position, counted from 0, which is also that of those outside.
    pub fn place(&self, (x, y): (i32, i32)) -> (i32, i32) {
        let rank = |list: &[i32], at: i32| list.binary_search(&at).unwrap_or(0) as i32;
        (rank(&self.columns, x), rank(&self.rows, y))
    }

    /// Those around a column and a row, as near as the edges allow; at most so many columns and rows.
    pub fn around(&self, (column, row): (i32, i32), side: usize) -> Cells {
        let some = |list: &[i32], at: i32| {
            let count = side.min(list.len());
            let first = usize::try_from(at).unwrap_or(0).saturating_sub(side / 2).min(list.len() - count);
            list[first..first + count].to_vec()
        };
        Cells { columns: some(&self.columns, column), rows: some(&self.rows, row) }
    }

    /// The first columns and rows; at most so many.
    pub fn first(&self, columns: usize, rows: usize) -> Cells {
        let some = |list: &[i32], count: usize| list[..count.min(list.len())].to_vec();
        Cells { columns: some(&self.columns, columns), rows: some(&self.rows, rows) }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    fn holds(&self, (column, row): (i32, i32)) -> bool {
        self.columns.binary_search(&column).is_ok() && self.rows.binary_search(&row).is_ok()
    }
}

fn position(instance: &Instance) -> (i32, i32) {
    instance.position.unwrap_or((0, 0))
}

/// A part of a fabric.
#[derive(Clone, Debug)]
pub struct FabricPart {
    /// The part.
    pub fabric: Fabric,
    /// By component of the part: that of the fabric.
    components: Vec<ComponentId>,
    /// By input of the part: that of the fabric, with what lies between, and so for outputs.
    inputs: Vec<Way>,
    outputs: Vec<Way>,
}

/// A port of the fabric, and what lies between it and the part's.
type Way = (usize, Vec<PassedComponent>);

impl FabricPart {
    /// What of a fabric stands in some cells of its cells. What leads out of the part leads nowhere, and a port is one of the part where
    /// what is behind it is.
    pub fn new(whole: &Fabric, cells: &Cells) -> FabricPart {
        let top = &whole.adg().top;
        let kept = kept(whole, cells);
        let stays = |end: End| match end {
            End::Body(_) => true,
            End::Instance { instance, .. } => kept[instance],
        };
        let stay: Vec<&Connection> =
            top.connections.iter().filter(|c| stays(c.from) && stays(c.to)).collect();
        let side = |end: &dyn Fn(&Connection) -> (End, End)| -> Vec<Border> {
            let used = stay.iter().filter_map(|c| match end(c) {
                (End::Body(k), inside) => Some((inside, (k, Vec::new()))),
                _ => None,
            });
            let mut used: Vec<Border> = used.collect();
            used.sort_by_key(|(_, (k, _))| *k);
            used
        };
        let (inputs, outputs) = (side(&|c| (c.from, c.to)), side(&|c| (c.to, c.from)));
        FabricPart::with_ports(whole, &kept, inputs, outputs)
    }

    /// The first columns and rows of a mesh as the mesh that they would be alone: the links that lead out of them are its ports, each
    /// as far as the links behind it lead straight on to the fabric's edge, in the order of [`crate::topology::mesh`]. None
    /// where the fabric has ports that are no links of tiles.
    pub fn corner(whole: &Fabric, columns: usize, rows: usize) -> Option<FabricPart> {
        let (top, lines) = (&whole.adg().top, Lines::new(whole));
        let cells = Cells::of(whole).first(columns, rows);
        let kept = kept(whole, &cells);
        let inside = |end: End| match end {
            End::Instance { instance, port } if kept[instance] => Some((instance, port)),
            _ => None,
        };
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for c in &top.connections {
            let (at, is_input, other) = match (inside(c.from), inside(c.to)) {
                (Some(at), None) => (at, false, c.to),
                (None, Some(at)) => (at, true, c.from),
                _ => continue,
            };
            let Some(((side, number), _)) = lines.link_at(at, is_input) else {
                match other {
                    End::Body(_) => return None,
                    End::Instance { .. } => continue,
                }
            };
            let Some(way) = lines.to_edge(at, is_input) else { continue };
            let (column, row) = cells.place(position(&top.instances[at.0]));
            let along = if side % 2 == 0 { column } else { row };
            let end = End::Instance { instance: at.0, port: at.1 };
            let list = if is_input { &mut inputs } else { &mut outputs };
            list.push(((side, along, number), (end, way)));
        }
        let sorted = |mut list: Vec<((usize, i32, usize), Border)>| {
            list.sort_by_key(|(key, _)| *key);
            list.into_iter().map(|(_, border)| border).collect()
        };
        Some(FabricPart::with_ports(whole, &kept, sorted(inputs), sorted(outputs)))
    }

    /// The instances that are kept, with these ports.
    fn with_ports(whole: &Fabric, kept: &[bool], inputs: Vec<Border>, outputs: Vec<Border>) -> FabricPart {
        let (top, number) = (&whole.adg().top, numbers(kept));
        let inside = |end: End| match end {
            End::Instance { instance, port } if kept[instance] => {
                Some(End::Instance { instance: number[instance], port })
            }
            _ => None,
        };
        // What has an end in the part, and there is a port for it where the other lies outside.
        let port =
            |list: &[Border], end: End| list.iter().position(|(border, _)| *border == end).map(End::Body);
        let renumbered = |c: &Connection| {
            let from = inside(c.from).or_else(|| port(&inputs, c.to))?;
            Some(Connection { from, to: inside(c.to).or_else(|| port(&outputs, c.from))? })
        };
        let connections = top.connections.iter().filter_map(renumbered).collect();
        let ways = |list: Vec<Border>| -> Vec<Way> { list.into_iter().map(|(_, way)| way).collect() };
        let (inputs, outputs) = (ways(inputs), ways(outputs));
        let only = |ports: &[Port], list: &[Way]| list.iter().map(|(k, _)| ports[*k].clone()).collect();
        let instances = top.instances.iter().zip(kept).filter(|k| *k.1).map(|k| k.0.clone()).collect();
        let top = Body {
            inputs: only(&top.inputs, &inputs),
            outputs: only(&top.outputs, &outputs),
            instances,
            connections,
        };
        let fabric = Fabric::new(Adg { top, ..whole.adg().clone() });
        let components = whole.flat().ids().filter(|&id| kept[whole.flat().at(id).top_instance]).collect();
        FabricPart { fabric, components, inputs, outputs }
    }

    /// The fabric's component for one of the part.
    pub fn component(&self, id: ComponentId) -> ComponentId {
        self.components[id.0 as usize]
    }

    /// The fabric's input for one of the part.
    pub fn input(&self, port: usize) -> usize {
        self.inputs[port].0
    }

    /// The fabric's output for one of the part.
    pub fn output(&self, port: usize) -> usize {
        self.outputs[port].0
    }

    /// What lies between an input of the part and the fabric's.
    pub fn before_input(&self, port: usize) -> &[PassedComponent] {
        &self.inputs[port].1
    }

    /// What lies between an output of the part and the fabric's.
    pub fn behind_output(&self, port: usize) -> &[PassedComponent] {
        &self.outputs[port].1
    }

    /// The part's input for one of the fabric, where it is in the part.
    pub fn input_inside(&self, port: usize) -> Option<usize> {
        self.inputs.iter().position(|(k, _)| *k == port)
    }

    /// The part's output for one of the fabric, where it is in the part.
    pub fn output_inside(&self, port: usize) -> Option<usize> {
        self.outputs.iter().position(|(k, _)| *k == port)
    }
}

/// A port of a part: what it is joined to in the part, numbered as in the fabric, and its way.
type Border = (End, Way);

/// By instance of the fabric: whether it stands in these cells.
fn kept(whole: &Fabric, cells: &Cells) -> Vec<bool> {
    whole.adg().top.instances.iter().map(|i| cells.holds(position(i))).collect()
}

/// By item: how many before it are kept.
fn numbers(kept: &[bool]) -> Vec<usize> {
    let mut next = 0;
    let number = |&k: &bool| {
        let at = next;
        next += usize::from(k);
        at
    };
    kept.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flat::{SinkPort, SourcePort};
    use loom_base::Source;

    fn mesh(columns: usize, rows: usize) -> Fabric {
        let text = crate::topology::mesh_toml(columns, rows);
        Fabric::new(crate::toml::read(&Source::new("mesh.toml", text)).expect("a mesh"))
    }

    #[test]
    fn a_window_is_the_part_with_its_channels() {
        let whole = mesh(4, 3);
        let cells = Cells::of(&whole);
        assert_eq!(cells.count(), 12);
        assert_eq!(cells.around((0, 0), 2).count(), 4);
        assert_eq!(cells.around((3, 1), 9).count(), 12);
        for (at, first) in [((0, 0), "t_0_0"), ((3, 2), "t_2_1"), ((2, 1), "t_1_0"), ((9, -4), "t_2_0")] {
            let part = FabricPart::new(&whole, &cells.around(at, 2)).fabric;
            assert_eq!(part.adg().top.instances[0].name, first);
        }
        let window = FabricPart::new(&whole, &cells.around((0, 0), 2));
        let part = &window.fabric;
        for id in part.flat().ids() {
            assert_eq!(part.path(id), whole.path(window.component(id)));
            assert_eq!(part.component(id), whole.component(window.component(id)));
        }
        let component = |id| window.component(id);
        for c in &part.flat().channels {
            let source = match c.source {
                SourcePort::Boundary(k) => SourcePort::Boundary(window.input(k)),
                SourcePort::Port(id, port) => SourcePort::Port(component(id), port),
            };
            let sink = match c.sink {
                SinkPort::Boundary(k) => SinkPort::Boundary(window.output(k)),
                SinkPort::Port(id, port) => SinkPort::Port(component(id), port),
            };
            let there = whole.flat().channel_from(source).expect("a channel of the whole");
            assert_eq!(whole.flat().channel(there).sink, sink);
        }
        // What is missing are the channels that end or begin elsewhere.
        let inside = |id: ComponentId| window.components.contains(&id);
        let within = whole.flat().channels.iter().filter(|c| {
            let from = if let SourcePort::Port(id, _) = c.source { inside(id) } else { true };
            let to = if let SinkPort::Port(id, _) = c.sink { inside(id) } else { true };
            from && to
        });
        assert_eq!(within.count(), part.flat().channels.len());
        for k in 0..part.adg().top.inputs.len() {
            assert_eq!(window.input_inside(window.input(k)), Some(k));
            assert_eq!(part.adg().top.inputs[k], whole.adg().top.inputs[window.input(k)]);
        }
        assert!(part.adg().top.inputs.len() < whole.adg().top.inputs.len());
    }

    #[test]
    fn all_cells_are_the_fabric() {
        let whole = mesh(2, 2);
        let window = FabricPart::new(&whole, &Cells::of(&whole));
        assert_eq!(window.fabric.adg(), whole.adg());
        assert_eq!(window.fabric.hash(), whole.hash());
    }
    /// The first columns and rows of a mesh are the mesh of these tiles: components, channels and ports, number by number.
    #[test]
    fn a_corner_is_the_smaller_mesh() {
        let layout = ["kcx", "cxc", "xcc"];
        let build = |columns: usize, rows: usize| {
            let rows: Vec<String> =
                layout[..rows].iter().map(|row| format!("\"{}\"", &row[..columns])).collect();
            let text = format!(
                "name = \"corner\"\nuse = [\"mesh32\"]\n\n[mesh]\nlayout = [{}]\n\
                 legend = {{ k = \"corner\", c = \"control\", x = \"compute_tile\" }}\n",
                rows.join(", ")
            );
            Fabric::new(crate::toml::read(&Source::new("corner.toml", text)).expect("a mesh"))
        };
        let whole = build(3, 3);
        for (columns, rows) in [(1, 1), (2, 2), (3, 2), (1, 3), (3, 3)] {
            let (small, corner) = (build(columns, rows), FabricPart::corner(&whole, columns, rows));
            let corner = corner.expect("all ports are links");
            let part = corner.fabric.flat();
            let ends = |flat: &crate::Flat| -> Vec<_> {
                flat.channels.iter().map(|c| (c.source, c.sink, c.source_type, c.sink_type)).collect()
            };
            assert_eq!(ends(part), ends(small.flat()), "{columns} by {rows}");
            for id in part.ids() {
                assert_eq!(part.at(id).path, small.flat().at(id).path);
                assert_eq!(part.at(id).path, whole.flat().at(corner.component(id)).path);
                assert_eq!(corner.fabric.component(id), small.component(id));
            }
            // Each port leads to one of the whole of its own, through a FIFO and a switch for each tile between.
            let used: BTreeSet<usize> = (0..small.flat().inputs.len()).map(|k| corner.input(k)).collect();
            assert_eq!(used.len(), small.flat().inputs.len());
            for k in 0..small.flat().outputs.len() {
                let [east, south] = [3 - columns, 3 - rows].map(|tiles| 2 * tiles);
                assert!([0, east, south].contains(&corner.behind_output(k).len()));
                assert_eq!(corner.output_inside(corner.output(k)), Some(k));
            }
        }
    }
}
