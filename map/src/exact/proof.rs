//! What the exact engine says beside a solution, or in its place.

use crate::{channel_name, codes, more_ways};
use loom_adg::{ChannelId, Fabric};
use loom_base::Diagnostic;
use loom_dfg::{Graph, ValueId};
use std::fmt;

/// What was proved of a problem that has a solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalProof {
    /// No mapping has a shorter interval, whatever its slack.
    pub lower_bound: f64,
    /// The shortest recurrence bound of a mapping that was found.
    pub best_mii: f64,
    /// The recurrence bound that annealing had reached before.
    pub annealed_mii: Option<f64>,
    /// The interval that annealing had reached before.
    pub annealed_ii: Option<f64>,
    /// Conflicts that it took.
    pub conflicts: u64,
}

impl IntervalProof {
    /// Whether nothing has a shorter interval than this.
    pub fn reaches(&self, interval: f64) -> bool {
        interval <= self.lower_bound + EXACT
    }

    /// Whether nothing has a shorter recurrence bound than what was found.
    pub fn is_optimal(&self) -> bool {
        self.reaches(self.best_mii)
    }
}

impl fmt::Display for IntervalProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let IntervalProof { lower_bound, best_mii, conflicts, .. } = self;
        match self.is_optimal() {
            true => write!(f, "proved: no mapping has an MII below {best_mii:.2} ({conflicts} conflicts)"),
            false => write!(
                f,
                "not proved: the best MII is from {lower_bound:.2} to {best_mii:.2}; the budget of {conflicts} conflicts is used up"
            ),
        }
    }
}

/// Intervals closer than this are the same: they are fractions of small numbers.
pub const EXACT: f64 = 1e-6;

/// Why no mapping exists: each of these values arrives only where another of them, or itself twice, takes one of these channels.
#[derive(Clone, Debug, Default)]
pub struct Impossible {
    /// The values.
    pub values: Vec<ValueId>,
    /// The channels that they would have to share.
    pub channels: Vec<ChannelId>,
}

impl Impossible {
    /// The same to the user.
    pub fn describe(&self, graph: &Graph, fabric: &Fabric) -> Diagnostic {
        let (name, on) = (&graph.name, fabric.name());
        let message = format!("`{name}` has no mapping on `{on}`: this is proved");
        let values: Vec<String> =
            self.values.iter().map(|&v| format!("`%{}`", graph.value(v).name)).collect();
        let channels: Vec<String> = self.channels.iter().map(|&c| channel_name(fabric, c)).collect();
        let d = Diagnostic::error(codes::NO_MAPPING, message);
        if values.is_empty() {
            return d
                .note("the budget ended before it was known which values and channels are at fault")
                .help("raise `--budget`, or take a larger mesh");
        }
        if channels.is_empty() {
            return d
                .note(format!("no way leads to all uses of {}, wherever their ops are", values.join(", ")))
                .help("connect the switches of the fabric, or give its PEs more ports");
        }
        d.note(format!(
            "wherever the ops are, {} cannot all arrive with one value on each of these channels: {}",
            values.join(", "),
            shown(&channels)
        ))
        .help(more_ways(fabric))
    }
}

/// The first of a list.
fn shown(list: &[String]) -> String {
    const MOST: usize = 8;
    let first = list.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    match list.len() {
        0..=MOST => first,
        n => format!("{first} and {} more", n - MOST),
    }
}
