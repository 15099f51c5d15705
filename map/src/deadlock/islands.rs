//! Parts of a network between which there is storage.
//!
//! What a wire says in a step depends on the island that it is in and on the registers at its shores, on nothing else. So an island in which
//! nothing moved in a step, and at whose shores nothing changed, rests until something does: [`super::machine`] looks at the others alone.

use super::element::{Element, ElementId, Wire, WireId};

/// Index of an [`Island`].
pub(super) type IslandId = usize;

/// Wires, and what joins them.
#[derive(Clone, Debug, Default)]
pub(super) struct Island {
    pub wires: Vec<WireId>,
    /// Storage at its shores: arguments, results, FIFOs.
    pub shores: Vec<ElementId>,
    /// Its combinational elements, producers first.
    pub order: Vec<ElementId>,
    /// Its state machines and lanes.
    pub registered: Vec<ElementId>,
}

/// All of a network.
#[derive(Clone, Debug, Default)]
pub(super) struct Islands {
    pub all: Vec<Island>,
    /// By element: those that it is in, or at the shore of.
    pub of: Vec<Vec<IslandId>>,
}

impl Island {
    /// What has an edge at the end of a step.
    pub fn elements(&self) -> impl Iterator<Item = ElementId> + '_ {
        self.shores.iter().chain(&self.order).chain(&self.registered).copied()
    }
}

impl Islands {
    /// Of elements and wires; `order` has the combinational elements, producers first.
    pub fn new(elements: &[Element], wires: &[Wire], order: &[ElementId]) -> Islands {
        let mut all: Vec<Island> = Vec::new();
        let mut by_wire: Vec<Option<IslandId>> = vec![None; wires.len()];
        for first in 0..wires.len() {
            if by_wire[first].is_some() {
                continue;
            }
            let mut island = Island::default();
            let mut todo = vec![first];
            while let Some(w) = todo.pop() {
                if by_wire[w].replace(all.len()).is_none() {
                    island.wires.push(w);
                    let ends = [wires[w].from, wires[w].to].map(|e| &elements[e]);
                    todo.extend(ends.into_iter().filter(|e| !e.kind.is_storage()).flat_map(Element::wires));
                }
            }
            all.push(island);
        }
        let mut of = Vec::new();
        for (e, element) in elements.iter().enumerate() {
            let mut here: Vec<IslandId> = element.wires().filter_map(|w| by_wire[w]).collect();
            here.sort_unstable();
            here.dedup();
            // An argument that nobody takes has an island for itself.
            if here.is_empty() {
                here.push(all.len());
                all.push(Island::default());
            }
            for &island in &here {
                if element.kind.is_storage() {
                    all[island].shores.push(e);
                } else if element.kind.is_registered() {
                    all[island].registered.push(e);
                }
            }
            of.push(here);
        }
        for &e in order {
            all[of[e][0]].order.push(e);
        }
        Islands { all, of }
    }
}
