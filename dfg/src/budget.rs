//! A first look at whether a graph can fit a fabric: units by count.

use crate::{Graph, OpKind};
use std::collections::BTreeMap;

/// What a fabric can hold: function units by what they run. The widths and types are the mapper's business.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// For a person.
    pub fabric: String,
    /// PEs by mnemonic of an op they run; a PE counts for each of its ops, and as often as one unit of it has that op.
    pub units: BTreeMap<&'static str, usize>,
    /// PEs in all; one with a unit of several ops counts for as many.
    pub pes: usize,
}

impl Budget {
    /// What is missing for a graph, one line each; empty when it may fit.
    pub fn missing(&self, graph: &Graph) -> Vec<String> {
        let mut wanted: BTreeMap<&'static str, usize> = BTreeMap::new();
        let mut all = 0;
        for node in graph.node_ids() {
            let kind = graph.kind(node);
            // Memories are no PEs.
            if !matches!(kind, OpKind::Memory(_) | OpKind::Extmemory(_)) {
                *wanted.entry(kind.mnemonic()).or_default() += 1;
                all += 1;
            }
        }
        let mut lines: Vec<String> = wanted
            .into_iter()
            .filter_map(|(op, n)| {
                let has = self.units.get(op).copied().unwrap_or(0);
                (n > has).then(|| format!("{n} of `{op}` are needed, `{}` has {has}", self.fabric))
            })
            .collect();
        if all > self.pes {
            lines.push(format!("{all} ops are needed, `{}` has {} PEs", self.fabric, self.pes));
        }
        lines
    }
}
