//! Parts of a network between which there is storage.
//!
//! What a wire says in a step depends on the island that it is in and on the registers at its shores, on nothing else. So an island in which
//! nothing moved in a step, and at whose shores nothing changed, rests until something does: [`super::machine`] looks at the others alone.

use super::element::{Element, ElementId, Kind, WireId};

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
    /// Of elements and so many wires; `order` has the combinational ones, producers first.
    pub fn new(elements: &[Element], count: usize, order: &[ElementId]) -> Islands {
        let mut sets = Sets((0..count).collect());
        for element in elements.iter().filter(|e| !stores(e)) {
            let mut wires = wires(element);
            if let Some(first) = wires.next() {
                wires.for_each(|w| sets.join(first, w));
            }
        }
        let mut number = vec![None; count];
        let mut all: Vec<Island> = Vec::new();
        let by_wire: Vec<IslandId> = (0..count)
            .map(|w| {
                let of = *number[sets.first(w)].get_or_insert_with(|| {
                    all.push(Island::default());
                    all.len() - 1
                });
                all[of].wires.push(w);
                of
            })
            .collect();
        let mut of = Vec::new();
        for (e, element) in elements.iter().enumerate() {
            let mut here: Vec<IslandId> = wires(element).map(|w| by_wire[w]).collect();
            here.sort_unstable();
            here.dedup();
            // An argument that nobody takes has an island for itself.
            if here.is_empty() {
                here.push(all.len());
                all.push(Island::default());
            }
            for &island in &here {
                if stores(element) {
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

fn stores(element: &Element) -> bool {
    matches!(element.kind, Kind::Source(_) | Kind::Sink(_) | Kind::Fifo(_))
}

fn wires(element: &Element) -> impl Iterator<Item = WireId> + '_ {
    element.inputs.iter().copied().chain(element.outputs.iter().flatten().copied())
}

/// Sets of wires: each names another one of its set, the first names itself.
struct Sets(Vec<WireId>);

impl Sets {
    fn first(&mut self, mut w: WireId) -> WireId {
        while self.0[w] != w {
            self.0[w] = self.0[self.0[w]];
            w = self.0[w];
        }
        w
    }

    fn join(&mut self, a: WireId, b: WireId) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b)] = a.min(b);
    }
}
