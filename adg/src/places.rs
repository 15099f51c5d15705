//! Where the objects of an architecture stand in the text it was read from.
//!
//! Both readers fill a [`Places`] while they build; legality looks its diagnostics' spans up here. An object
//! without an entry (made by a topology builder) falls back to what contains it.

use std::collections::BTreeMap;
use std::ops::Range;

/// A body: the top level or a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BodyId {
    /// [`crate::Adg::top`]
    Top,
    /// Index into [`crate::Adg::tiles`].
    Tile(usize),
}

/// Input or output side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Input ports.
    Input,
    /// Output ports.
    Output,
}

/// What a diagnostic can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// The whole architecture: its name.
    Fabric,
    /// `index_width`.
    IndexWidth,
    /// A definition, by index.
    Definition(usize),
    /// A function unit: definition and number.
    Fu(usize, usize),
    /// The ports of a definition on one side.
    Ports(usize, Side),
    /// What opens a body.
    Body(BodyId),
    /// A port of a body.
    BodyPort(BodyId, Side, usize),
    /// An instance in a body.
    Instance(BodyId, usize),
    /// A connection in a body.
    Connection(BodyId, usize),
}

/// The map.
#[derive(Clone, Debug, Default)]
pub struct Places {
    spans: BTreeMap<Object, Range<usize>>,
    within: Option<Range<usize>>,
}

impl Places {
    /// Records where an object stands.
    pub fn set(&mut self, object: Object, span: Range<usize>) {
        self.spans.insert(object, self.within.clone().unwrap_or(span));
    }

    /// From here on all objects stand in another text, which this place of the user's brought in; `None` ends that.
    pub fn within(&mut self, place: Option<Range<usize>>) {
        self.within = place;
    }

    /// The span of an object, or of the nearest thing that contains it.
    pub fn of(&self, object: Object) -> Option<Range<usize>> {
        if let Some(span) = self.spans.get(&object) {
            return Some(span.clone());
        }
        match object {
            Object::Fabric => None,
            Object::IndexWidth | Object::Definition(_) | Object::Body(_) => self.of(Object::Fabric),
            Object::Fu(d, _) | Object::Ports(d, _) => self.of(Object::Definition(d)),
            Object::BodyPort(b, ..) | Object::Instance(b, _) | Object::Connection(b, _) => {
                self.of(Object::Body(b))
            }
        }
    }
}
