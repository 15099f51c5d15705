//! A part of a fabric as a fabric of its own: the instances in some columns and rows of its grid.
//!
//! Guarantees: instances, their order and the channels between them are the fabric's; every component, input and output
//! of the part has its counterpart there. What leads out of the part leads nowhere, and a port is one of the part where what is
//! behind it is. Refuses nothing: a part of a legal fabric is legal, but for ports that nothing drives.

use crate::flat::ComponentId;
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
    /// By input of the part: that of the fabric, and so for outputs.
    inputs: Vec<usize>,
    outputs: Vec<usize>,
}

impl FabricPart {
    /// What of a fabric stands in some cells of its cells.
    pub fn new(whole: &Fabric, cells: &Cells) -> FabricPart {
        let top = &whole.adg().top;
        let kept: Vec<bool> = top.instances.iter().map(|i| cells.holds(position(i))).collect();
        let number = numbers(&kept);
        let stays = |end: End| match end {
            End::Body(_) => true,
            End::Instance { instance, .. } => kept[instance],
        };
        let stay: Vec<&Connection> =
            top.connections.iter().filter(|c| stays(c.from) && stays(c.to)).collect();
        let side = |end: &dyn Fn(&Connection) -> End| -> Vec<usize> {
            let used: BTreeSet<usize> =
                stay.iter().filter_map(|c| if let End::Body(k) = end(c) { Some(k) } else { None }).collect();
            used.into_iter().collect()
        };
        let (inputs, outputs) = (side(&|c| c.from), side(&|c| c.to));
        let renumbered = |end: End, ports: &[usize]| match end {
            End::Body(k) => End::Body(ports.binary_search(&k).expect("a port in use")),
            End::Instance { instance, port } => End::Instance { instance: number[instance], port },
        };
        let connections = stay
            .iter()
            .map(|c| Connection { from: renumbered(c.from, &inputs), to: renumbered(c.to, &outputs) })
            .collect();
        let only = |ports: &[Port], list: &[usize]| list.iter().map(|&k| ports[k].clone()).collect();
        let instances = top.instances.iter().zip(&kept).filter(|k| *k.1).map(|k| k.0.clone()).collect();
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
        self.inputs[port]
    }

    /// The fabric's output for one of the part.
    pub fn output(&self, port: usize) -> usize {
        self.outputs[port]
    }

    /// The part's input for one of the fabric, where it is in the part.
    pub fn input_inside(&self, port: usize) -> Option<usize> {
        self.inputs.binary_search(&port).ok()
    }

    /// The part's output for one of the fabric, where it is in the part.
    pub fn output_inside(&self, port: usize) -> Option<usize> {
        self.outputs.binary_search(&port).ok()
    }
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
}
