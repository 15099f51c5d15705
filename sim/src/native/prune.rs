//! From nodes to the evaluation network: what no token can reach is dropped, wires are merged, the rest is ordered.
//!
//! A component that can never see a token (disabled, unrouted, or downstream of nothing but such) gets no node.

use super::build::{channel, source_name, Builder, Built};
use super::net::{order, Kind, Net, Node};
use super::wire::{Activity, Shared, FIRST, NEVER, OPEN, W};
use super::Refusal;
use crate::codes;
use loom_base::Diagnostic;
use std::collections::BTreeSet;

/// Nodes that are left, and by channel where its tokens are taken and its wire.
struct Merged {
    nodes: Vec<Node>,
    ends_at: Vec<usize>,
    wire_of: Vec<W>,
}

impl Builder<'_> {
    /// Makes one wire of two where a node between them is a wire: a route to one output in a switch that cannot
    /// stop (its `done_q` never rises: the output takes its token exactly when the input leaves), or a bypass.
    fn merge(&mut self, nodes: Vec<Node>, outputs: &mut [W]) -> Merged {
        let watched: BTreeSet<u32> = nodes
            .iter()
            .filter_map(|n| if let Kind::Watch(w) = &n.kind { Some(w.unit) } else { None })
            .collect();
        let mut behind: Vec<Option<W>> = vec![None; self.wires.len()];
        let mut kept = Vec::new();
        for node in nodes {
            let through = match &node.kind {
                Kind::Fork(f) if f.outputs.len() == 1 && !watched.contains(&f.unit) => {
                    Some((f.input, f.outputs[0]))
                }
                Kind::Through(t) if t.tag.is_none() => Some((t.input, t.output)),
                _ => None,
            };
            let same = |(a, b): &(W, W)| {
                let (a, b) = (self.wires[*a as usize], self.wires[*b as usize]);
                a.mask & b.mask == a.mask && a.tag_mask & b.tag_mask == a.tag_mask
            };
            match through.filter(|&(_, to)| to >= FIRST).filter(same) {
                Some((from, to)) => behind[to as usize] = Some(from),
                None => kept.push(node),
            }
        }
        // A combinational cycle has no beginning: the step count ends the walk, and ordering refuses the rest.
        let root = |mut w: W| {
            for _ in 0..behind.len() {
                match behind[w as usize] {
                    Some(from) => w = from,
                    None => break,
                }
            }
            w
        };
        kept.iter_mut().flat_map(Node::wires_mut).chain(outputs).for_each(|w| *w = root(*w));
        let mut ends_at: Vec<usize> = (0..self.fabric.flat().channels.len()).collect();
        for w in FIRST..self.wires.len() as W {
            let r = root(w);
            if r != w {
                self.wires[r as usize].ready |= self.wires[w as usize].ready;
                // The last of a chain is the one nothing merged leaves from.
                let last = !behind.contains(&Some(w));
                let (c, at) = ((r - FIRST) as usize, (w - FIRST) as usize);
                if last && c < ends_at.len() && at < ends_at.len() {
                    ends_at[c] = at;
                }
            }
        }
        let wire_of = (0..ends_at.len() as W).map(|c| root(FIRST + c)).collect();
        Merged { nodes: kept, ends_at, wire_of }
    }

    /// Drops what no token can reach and orders the rest.
    pub(super) fn finish(mut self, units: usize) -> Result<Built, Refusal> {
        let inputs: Vec<W> = self.fabric.flat().inputs.iter().map(|&c| channel(c, NEVER)).collect();
        let mut outputs: Vec<W> = self.fabric.flat().outputs.iter().map(|&c| channel(c, OPEN)).collect();
        let mut readers = vec![Vec::new(); self.wires.len()];
        for (n, node) in self.nodes.iter().enumerate() {
            for w in node.ports().0 {
                readers[w as usize].push(n);
            }
        }
        let mut reached = vec![false; self.nodes.len()];
        let mut seen = vec![false; self.wires.len()];
        let mut queue: Vec<W> = inputs.iter().copied().filter(|&w| w >= FIRST).collect();
        while let Some(w) = queue.pop() {
            if w < FIRST || std::mem::replace(&mut seen[w as usize], true) {
                continue;
            }
            for &n in &readers[w as usize] {
                if !std::mem::replace(&mut reached[n], true) {
                    queue.extend(self.nodes[n].ports().1);
                }
            }
        }
        let nodes = self.nodes.drain(..).zip(&reached).filter(|(_, &r)| r).map(|(node, _)| node).collect();
        let Merged { nodes, ends_at, wire_of } = self.merge(nodes, &mut outputs);
        let collect = |f: fn(&Node, u32) -> Vec<super::net::Arc>| {
            let arcs = nodes.iter().enumerate().flat_map(|(n, node)| f(node, n as u32)).collect();
            order(arcs, self.wires.len())
        };
        let cycle = |w: W| {
            let place = self
                .fabric
                .flat()
                .channels
                .get(w.saturating_sub(FIRST) as usize)
                .map_or("a PE".into(), |c| {
                    format!("the channel from {}", source_name(self.fabric, c.source))
                });
            Refusal::Unsupported(Box::new(
                Diagnostic::error(codes::CYCLE, format!("a combinational cycle runs through {place}"))
                    .help("`loom check` shows the whole path; put a buffer on it"),
            ))
        };
        let forward = collect(Node::forward).map_err(cycle)?;
        let backward = collect(Node::backward).map_err(cycle)?;
        let shared = Shared {
            stopped: vec![false; units],
            activity: vec![Activity::default(); self.pes.len()],
            ..Shared::default()
        };
        Ok(Built {
            ends_at,
            wire_of,
            net: Net { nodes, wires: self.wires, shared, forward, backward },
            inputs,
            outputs,
            pes: self.pes,
        })
    }
}
