//! Who waits for whom in a network that rests.

use super::element::{ElementId, Kind, WireId};
use super::machine::{Machine, OPEN};
use std::collections::VecDeque;

/// Why an element cannot act: a wire, and whether it lacks room there or a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wait {
    pub wire: WireId,
    pub room: bool,
}

impl Machine<'_> {
    /// What an element that rests waits for; nothing, when it has all it needs but a choice or an argument's token.
    pub fn waits(&self, e: ElementId) -> Vec<Wait> {
        let element = &self.net.elements[e];
        let cell = &self.cells[e];
        let lacks = |i: usize| !self.input(e, i).valid;
        let token = |i: usize| Wait { wire: element.inputs[i], room: false };
        let tokens =
            |list: &[usize]| -> Vec<Wait> { list.iter().filter(|&&i| lacks(i)).map(|&i| token(i)).collect() };
        let rooms = |list: &[usize]| -> Vec<Wait> {
            (list.iter().filter(|&&o| !self.room(e, o)))
                .filter_map(|&o| Some(Wait { wire: element.outputs[o]?, room: true }))
                .collect()
        };
        let first = |missing: Vec<Wait>, then: &[usize]| match missing.is_empty() {
            true => rooms(then),
            false => missing,
        };
        let every: Vec<usize> = (0..element.inputs.len()).collect();
        match element.kind {
            Kind::Source(k) => match (cell.queue.is_empty(), self.net.gate) {
                (false, _) if cell.held == OPEN && element.choices > 0 => Vec::new(),
                (false, _) => rooms(&[0]),
                // The next entry token waits for the return token of the one before.
                (true, Some((entry, back))) if entry == k && cell.running => {
                    let sink = &self.net.elements[self.net.sinks[back]];
                    sink.inputs.iter().map(|&wire| Wait { wire, room: false }).collect()
                }
                _ => Vec::new(),
            },
            Kind::Sink(_) => tokens(&every),
            Kind::Fifo(_) if cell.queue.is_empty() => tokens(&[0]),
            Kind::Fifo(_) => rooms(&[0]),
            Kind::Fork => {
                let open: Vec<usize> =
                    (0..element.outputs.len()).filter(|&o| cell.done >> o & 1 == 0).collect();
                first(tokens(&[0]), &open)
            }
            Kind::Unit if self.open(e) => Vec::new(),
            Kind::Unit | Kind::Constant(_) | Kind::Join => first(tokens(&every), &[0]),
            Kind::CondBr => {
                let side = usize::from(self.input(e, 0).value & 1 == 0);
                first(tokens(&every), &[side])
            }
            Kind::Mux if lacks(0) => tokens(&[0]),
            Kind::Mux => first(tokens(&[self.chosen(e)]), &[0]),
            Kind::Access => {
                let outputs: Vec<usize> = (0..element.outputs.len()).collect();
                first(tokens(&every), &outputs)
            }
            Kind::Stream if cell.running => rooms(&[0, 1]),
            Kind::Stream => tokens(&every),
            Kind::Gate => {
                let c = !lacks(1) && self.input(e, 1).value & 1 == 1;
                let want: &[usize] = match (cell.running, c) {
                    (false, true) => &[0],
                    (false, false) => &[],
                    (true, true) => &[0, 1],
                    (true, false) => &[1],
                };
                first(tokens(&every), want)
            }
            Kind::Carry if !cell.running => first(tokens(&[1]), &[0]),
            Kind::Carry if lacks(0) => tokens(&[0]),
            Kind::Carry => first(tokens(&[2]), &[0]),
            Kind::Invariant if !cell.running => first(tokens(&[1]), &[0]),
            Kind::Invariant => first(tokens(&[0]), &[0]),
            Kind::CarryBr => first(tokens(&[0, if cell.running { 2 } else { 1 }]), &[self.side(e)]),
            Kind::InvariantBr if cell.running => first(tokens(&[0]), &[self.side(e)]),
            Kind::InvariantBr => first(tokens(&[0, 1]), &[self.side(e)]),
        }
    }

    /// A circle of elements each of which waits for the next, one of them at least for room: nothing will ever move
    /// there again, whatever comes.
    pub fn circle(&self) -> Option<Vec<(ElementId, Wait)>> {
        let net = self.net;
        let edges: Vec<Vec<(ElementId, Wait)>> = (0..net.elements.len())
            .map(|e| {
                let to = |w: Wait| if w.room { net.wires[w.wire].to } else { self.maker(e, w) };
                self.waits(e).into_iter().map(|w| (to(w), w)).collect()
            })
            .collect();
        let mut best: Option<Vec<(ElementId, Wait)>> = None;
        for (from, list) in edges.iter().enumerate() {
            for &(to, wait) in list.iter().filter(|(_, w)| w.room) {
                let Some(way) = shortest(&edges, to, from) else { continue };
                if best.as_ref().is_none_or(|b| way.len() + 1 < b.len()) {
                    let mut circle = vec![(from, wait)];
                    circle.extend(way);
                    best = Some(circle);
                }
            }
        }
        best
    }

    /// Who makes the token that an element waits for.
    fn maker(&self, e: ElementId, w: Wait) -> ElementId {
        match self.net.elements[e].kind {
            // An entry token waits for the result itself.
            Kind::Source(_) => self.net.wires[w.wire].to,
            _ => self.net.wires[w.wire].from,
        }
    }
}

/// Elements on the shortest way of waits, each with the wait it leaves by.
fn shortest(
    edges: &[Vec<(ElementId, Wait)>],
    from: ElementId,
    to: ElementId,
) -> Option<Vec<(ElementId, Wait)>> {
    let mut by: Vec<Option<(ElementId, Wait)>> = vec![None; edges.len()];
    let mut seen = vec![false; edges.len()];
    let mut todo = VecDeque::from([from]);
    seen[from] = true;
    while let Some(at) = todo.pop_front() {
        if at == to {
            let mut way = Vec::new();
            let mut end = to;
            while let Some((before, wait)) = by[end] {
                way.push((before, wait));
                end = before;
            }
            way.reverse();
            return Some(way);
        }
        for &(next, wait) in &edges[at] {
            if !seen[next] {
                seen[next] = true;
                by[next] = Some((at, wait));
                todo.push_back(next);
            }
        }
    }
    None
}
