//! Where tokens stand in a routed graph: storage, and the wires that ops drive without any.
//!
//! FIFOs of a way between which nothing branches are one place: as many registers, as much room.

use crate::model::units::UnitTiming;
use crate::timing::routed::{Routed, UseId};
use loom_dfg::graph::{Use, ValueDef};
use std::collections::BTreeMap;

/// Index of a [`Point`].
pub(super) type PointId = usize;

/// Registers in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Store {
    /// Cycles from one end to the other.
    pub latency: u64,
    /// Cycles until a token that left makes room at the other end.
    pub back: u64,
    /// Tokens that it holds.
    pub room: usize,
}

impl Store {
    /// Behind a row of others.
    fn behind(self, row: Option<Store>) -> Store {
        let before = row.unwrap_or(Store { latency: 0, back: 0, room: 0 });
        Store {
            latency: before.latency + self.latency,
            back: before.back + self.back,
            room: before.room + self.room,
        }
    }
}

/// A place at which tokens of one value are offered, until all behind it have taken them.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// What comes before it; an op, or an argument, where nothing does.
    pub parent: Option<PointId>,
    /// Its registers; none: it is the wire that an op drives.
    pub store: Option<Store>,
    /// Places and uses behind it.
    pub children: Vec<PointId>,
    pub uses: Vec<usize>,
    /// What makes the value.
    pub node: Option<usize>,
}

/// A use of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taker {
    pub id: UseId,
    pub use_: Use,
    /// Where its tokens are offered.
    pub point: PointId,
}

/// All of them.
pub(super) struct Points {
    pub points: Vec<Point>,
    pub takers: Vec<Taker>,
    /// By value: where its tokens come in.
    pub roots: Vec<Option<PointId>>,
    /// By node and operand: the use.
    pub operands: Vec<Vec<Option<usize>>>,
}

impl Points {
    /// With so much more room before some uses, in units of slack.
    pub fn new(routed: &Routed, more: &BTreeMap<UseId, u32>) -> Points {
        let graph = routed.graph;
        let mut p = Points {
            points: Vec::new(),
            takers: Vec::new(),
            roots: vec![None; graph.values.len()],
            operands: graph.nodes.iter().map(|node| vec![None; node.operands.len()]).collect(),
        };
        for at in 0..routed.nets.len() {
            p.net(routed, at, more);
        }
        p
    }

    fn point(&mut self, parent: Option<PointId>, store: Option<Store>, node: Option<usize>) -> PointId {
        let id = self.points.len();
        self.points.push(Point { parent, store, children: Vec::new(), uses: Vec::new(), node });
        if let Some(parent) = parent {
            self.points[parent].children.push(id);
        }
        id
    }

    /// The registers of a unit, or the wire where it has none.
    fn root(&mut self, units: &[UnitTiming], node: Option<usize>) -> PointId {
        let Some(n) = node else {
            // Arguments are always there.
            return self.point(None, Some(Store { latency: 0, back: 0, room: usize::MAX }), None);
        };
        let UnitTiming { latency, buffered, depth, .. } = units[n];
        // Stages that close up have room at once.
        let stages =
            Store { latency: latency.into(), back: 0, room: usize::try_from(depth).unwrap_or(1).max(1) };
        let buffer = Store { latency: 1, back: 1, room: 2 };
        match (latency > 0, buffered) {
            (false, false) => self.point(None, None, node),
            (true, false) => self.point(None, Some(stages), node),
            (false, true) => self.point(None, Some(buffer), node),
            (true, true) => {
                // The buffer is behind the stages, of which an op fills the first.
                let first = self.point(None, Some(stages), node);
                self.point(Some(first), Some(buffer), node)
            }
        }
    }

    fn net(&mut self, routed: &Routed, at: usize, more: &BTreeMap<UseId, u32>) {
        let (net, tree) = (&routed.nets[at], &routed.trees[at]);
        let node = match routed.graph.value(net.value).def {
            ValueDef::Result { node, .. } => Some(node.0 as usize),
            _ => None,
        };
        let Some(source) = tree.source else { return };
        self.roots[net.value.0 as usize] = Some(self.points.len());
        let root = self.root(routed.units, node);
        let children = tree.children();
        let mut todo = vec![(source, root)];
        while let Some((mut c, mut here)) = todo.pop() {
            let mut row: Option<Store> = None;
            let next = loop {
                let step = tree.channels[&c].0.map(|(_, step)| step);
                if let Some(room) = step.and_then(|step| routed.resources.depth(step)) {
                    // A run takes the way in once, its loops do not.
                    let latency = u64::from(node.is_some());
                    row = Some(Store { latency, back: 1, room }.behind(row));
                }
                match children.get(&c).map_or(&[][..], Vec::as_slice) {
                    [only] if !tree.ends.contains(&c) => c = *only,
                    next => break next,
                }
            };
            if row.is_some() {
                here = self.point(Some(here), row, node);
            }
            for (e, end) in net.ends.iter().enumerate().filter(|&(e, _)| tree.ends[e] == c) {
                self.taker(here, (at, e), end.use_, more.get(&(at, e)).copied().unwrap_or(0));
            }
            todo.extend(next.iter().map(|&c| (c, here)));
        }
    }

    fn taker(&mut self, mut here: PointId, id: UseId, use_: Use, more: u32) {
        if more > 0 {
            let unit = crate::model::hops::SLACK_UNIT;
            let store = Store { latency: more.into(), back: more.into(), room: unit * more as usize };
            let node = self.points[here].node;
            here = self.point(Some(here), Some(store), node);
        }
        if let Use::Operand { node, operand } = use_ {
            self.operands[node.0 as usize][operand] = Some(self.takers.len());
        }
        self.points[here].uses.push(self.takers.len());
        self.takers.push(Taker { id, use_, point: here });
    }
}
