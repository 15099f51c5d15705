//! Layered drawing of a graph with nested boxes.
//!
//! Written here because the crates at hand (`rust-sugiyama`, `layout-rs`) draw no box around a loop: what is in a box would lie among what
//! is not. After Sugiyama, Tagawa and Toda (1981), for each box from the innermost out: circles opened, layers by longest
//! paths, an order in each layer by the median of the neighbours, places by their mean. A box is one item of the box around it.
//!
//! Guarantees: items and boxes of one box do not overlap, a box holds what is in it; the same graph gives the same drawing.

use crate::fabric::{Extent, Rect, Spot};
use std::collections::BTreeMap;

/// Between items of a layer, and between layers.
const GAP: i32 = 18;
const FALL: i32 = 26;
/// Around what is in a box; above it the label stands.
const PAD: i32 = 16;
const LABEL: i32 = 20;
/// Rounds of ordering and of placing.
const ROUNDS: usize = 12;

/// What is to be drawn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawing {
    /// Size of each item and the box it is in.
    pub items: Vec<(Extent, Option<usize>)>,
    /// The box around each box; a box comes after those around it.
    pub boxes: Vec<Option<usize>>,
    /// Arrows.
    pub arrows: Vec<Arrow>,
}

/// An arrow between two items.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrow {
    pub from: usize,
    pub to: usize,
    /// Whether it is one of those that close circles.
    pub closes: bool,
}

/// Where everything is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawn {
    pub size: Extent,
    pub items: Vec<Rect>,
    pub boxes: Vec<Rect>,
    /// By arrow: where it passes between the items, none where it goes straight.
    pub via: Vec<Vec<Spot>>,
    /// By arrow, whether it runs upwards.
    pub back: Vec<bool>,
}

/// What stands in a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Member {
    Item(usize),
    Box(usize),
}

impl Drawing {
    /// Draws it.
    pub fn draw(&self) -> Drawn {
        let mut drawn = Drawn {
            items: vec![Rect::default(); self.items.len()],
            boxes: vec![Rect::default(); self.boxes.len()],
            via: vec![Vec::new(); self.arrows.len()],
            back: vec![false; self.arrows.len()],
            ..Drawn::default()
        };
        let mut owner = vec![None; self.arrows.len()];
        // Places are within the box around until all sizes are known.
        for b in (0..self.boxes.len()).rev() {
            let inner = self.layers(Some(b), &mut drawn, &mut owner);
            drawn.boxes[b].w = inner.w.max(90) + 2 * PAD;
            drawn.boxes[b].h = inner.h + 2 * PAD + LABEL;
        }
        drawn.size = self.layers(None, &mut drawn, &mut owner);
        for b in 0..self.boxes.len() {
            let (x, y) = self.corner(self.boxes[b], &drawn);
            drawn.boxes[b].x += x;
            drawn.boxes[b].y += y;
        }
        for (i, &(_, parent)) in self.items.iter().enumerate() {
            let (x, y) = self.corner(parent, &drawn);
            drawn.items[i].x += x;
            drawn.items[i].y += y;
        }
        for (a, &of) in owner.iter().enumerate() {
            let (x, y) = self.corner(of.flatten(), &drawn);
            drawn.via[a].iter_mut().for_each(|s| *s = Spot { x: s.x + x, y: s.y + y });
        }
        drawn
    }

    /// Where the inside of a box begins.
    fn corner(&self, of: Option<usize>, drawn: &Drawn) -> (i32, i32) {
        of.map_or((0, 0), |b| (drawn.boxes[b].x + PAD, drawn.boxes[b].y + PAD + LABEL))
    }

    /// The member of a box that an item is, or is in.
    fn lift(&self, item: usize, of: Option<usize>) -> Option<Member> {
        let (mut at, mut member) = (self.items[item].1, Member::Item(item));
        while at != of {
            let b = at?;
            (at, member) = (self.boxes[b], Member::Box(b));
        }
        Some(member)
    }

    /// Places the members of a box and gives their extent.
    fn layers(&self, of: Option<usize>, drawn: &mut Drawn, owner: &mut [Option<Option<usize>>]) -> Extent {
        let items = (0..self.items.len()).filter(|&i| self.items[i].1 == of).map(Member::Item);
        let boxes = (0..self.boxes.len()).filter(|&b| self.boxes[b] == of).map(Member::Box);
        let members: Vec<Member> = items.chain(boxes).collect();
        let number: BTreeMap<Member, usize> = members.iter().enumerate().map(|(i, &m)| (m, i)).collect();
        let mut lifted = Vec::new();
        for (a, arrow) in self.arrows.iter().enumerate() {
            let (Some(from), Some(to)) = (self.lift(arrow.from, of), self.lift(arrow.to, of)) else {
                continue;
            };
            if from != to || (matches!(from, Member::Item(_)) && arrow.from == arrow.to) {
                owner[a] = Some(of);
                lifted.push((a, number[&from], number[&to], arrow.closes));
            }
        }
        let sizes: Vec<Extent> = members
            .iter()
            .map(|m| match *m {
                Member::Item(i) => self.items[i].0,
                Member::Box(b) => Extent { w: drawn.boxes[b].w, h: drawn.boxes[b].h },
            })
            .collect();
        let mut layout = Layers::new(sizes, &lifted);
        let extent = layout.place();
        for (m, member) in members.iter().enumerate() {
            let (x, y) = (layout.x[m], layout.top[layout.layer[m]]);
            let area = Rect { x, y, w: layout.sizes[m].w, h: layout.sizes[m].h };
            match *member {
                Member::Item(i) => drawn.items[i] = area,
                Member::Box(b) => drawn.boxes[b] = area,
            }
        }
        for (k, &(a, from, to, _)) in lifted.iter().enumerate() {
            drawn.back[a] = layout.back[k];
            drawn.via[a] = layout.way(k, from, to);
        }
        extent
    }
}

/// Members of one box while they are placed; behind the members come the points where long arrows cross a layer.
struct Layers {
    sizes: Vec<Extent>,
    layer: Vec<usize>,
    x: Vec<i32>,
    /// Upper edge of each layer.
    top: Vec<i32>,
    order: Vec<Vec<usize>>,
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
    back: Vec<bool>,
    /// By arrow: the points on its way.
    points: Vec<Vec<usize>>,
}

impl Layers {
    fn new(sizes: Vec<Extent>, arrows: &[(usize, usize, usize, bool)]) -> Layers {
        let count = sizes.len();
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut back = vec![false; arrows.len()];
        let mut by_need: Vec<usize> = (0..arrows.len()).collect();
        by_need.sort_by_key(|&k| arrows[k].3);
        for k in by_need {
            let (_, from, to, _) = arrows[k];
            back[k] = reaches(&next, to, from);
            if !back[k] {
                next[from].push(to);
            }
        }
        let layer = layered(&next);
        let mut made = Layers {
            x: vec![0; count],
            top: Vec::new(),
            order: Vec::new(),
            above: vec![Vec::new(); count],
            below: vec![Vec::new(); count],
            points: vec![Vec::new(); arrows.len()],
            sizes,
            layer,
            back,
        };
        for (k, &(_, from, to, _)) in
            arrows.iter().enumerate().filter(|(k, _)| !made.back[*k]).collect::<Vec<_>>()
        {
            made.thread(k, from, to);
        }
        made.order = vec![Vec::new(); made.layer.iter().max().map_or(0, |l| l + 1)];
        for m in 0..made.sizes.len() {
            made.order[made.layer[m]].push(m);
        }
        made
    }

    /// An arrow through the layers between its ends.
    fn thread(&mut self, arrow: usize, from: usize, to: usize) {
        let mut last = from;
        for layer in self.layer[from] + 1..self.layer[to] {
            let point = self.sizes.len();
            self.sizes.push(Extent { w: 4, h: 0 });
            self.layer.push(layer);
            self.x.push(0);
            self.above.push(Vec::new());
            self.below.push(Vec::new());
            self.join(last, point);
            self.points[arrow].push(point);
            last = point;
        }
        self.join(last, to);
    }

    fn join(&mut self, a: usize, b: usize) {
        self.below[a].push(b);
        self.above[b].push(a);
    }

    fn place(&mut self) -> Extent {
        let mut rank = vec![0; self.sizes.len()];
        for round in 0..ROUNDS {
            for l in 0..self.order.len() {
                let l = if round % 2 == 0 { l } else { self.order.len() - 1 - l };
                for layer in &self.order {
                    layer.iter().enumerate().for_each(|(i, &m)| rank[m] = i);
                }
                let near = if round % 2 == 0 { &self.above } else { &self.below };
                let key =
                    |m: usize| median(near[m].iter().map(|&n| rank[n]).collect()).unwrap_or(2 * rank[m]);
                let mut layer = self.order[l].clone();
                layer.sort_by_key(|&m| key(m));
                self.order[l] = layer;
            }
        }
        let order = self.order.clone();
        for layer in &order {
            self.pack(layer, &vec![0; layer.len()]);
        }
        for round in 0..ROUNDS {
            let near = if round % 2 == 0 { self.above.clone() } else { self.below.clone() };
            let layers: Vec<&Vec<usize>> =
                if round % 2 == 0 { order.iter().collect() } else { order.iter().rev().collect() };
            for layer in layers {
                let want: Vec<i32> = layer.iter().map(|&m| self.wanted(m, &near[m])).collect();
                self.pack(layer, &want);
            }
        }
        let left = (0..self.x.len()).map(|m| self.x[m]).min().unwrap_or(0);
        self.x.iter_mut().for_each(|x| *x -= left);
        let mut y = 0;
        for layer in &self.order {
            self.top.push(y);
            let tall = layer.iter().map(|&m| self.sizes[m].h).max().unwrap_or(0);
            // More arrows between two layers need more room to be told apart.
            let arrows = layer.iter().map(|&m| self.below[m].len() as i32).sum::<i32>();
            y += tall + FALL + (2 * arrows).min(28);
        }
        let w = (0..self.x.len()).map(|m| self.x[m] + self.sizes[m].w).max().unwrap_or(0);
        let loops = self.back.iter().filter(|b| **b).count() as i32;
        Extent {
            w: w + if loops > 0 { 14 + 8 * loops } else { 0 },
            h: (y - FALL).max(0) + if loops > 0 { 14 } else { 0 },
        }
    }

    fn wanted(&self, m: usize, near: &[usize]) -> i32 {
        if near.is_empty() {
            return self.x[m];
        }
        let middle = |n: usize| self.x[n] + self.sizes[n].w / 2;
        near.iter().map(|&n| middle(n)).sum::<i32>() / near.len() as i32 - self.sizes[m].w / 2
    }

    /// Places a layer as near to what is wanted as its order and the gaps allow: half way between what pushing to the right
    /// and what pushing to the left gives.
    fn pack(&mut self, layer: &[usize], want: &[i32]) {
        let mut right = want.to_vec();
        for i in 1..layer.len() {
            right[i] = right[i].max(right[i - 1] + self.sizes[layer[i - 1]].w + GAP);
        }
        let mut left = want.to_vec();
        for i in (1..layer.len()).rev() {
            left[i - 1] = left[i - 1].min(left[i] - self.sizes[layer[i - 1]].w - GAP);
        }
        for (i, &m) in layer.iter().enumerate() {
            self.x[m] = (left[i] + right[i]).div_euclid(2);
        }
    }

    /// Where an arrow passes.
    fn way(&self, arrow: usize, from: usize, to: usize) -> Vec<Spot> {
        if !self.back[arrow] {
            let at = |&p: &usize| Spot { x: self.x[p] + 2, y: self.top[self.layer[p]] + 10 };
            return self.points[arrow].iter().map(at).collect();
        }
        // Round the right side, each with a track of its own.
        let (low, high) = (self.layer[from].max(self.layer[to]), self.layer[from].min(self.layer[to]));
        let across = (high..=low).flat_map(|l| &self.order[l]).map(|&m| self.x[m] + self.sizes[m].w).max();
        let number = self.back[..arrow].iter().filter(|b| **b).count() as i32;
        let x = across.unwrap_or(0) + 12 + 8 * number;
        let bottom = self.top[self.layer[from]] + self.sizes[from].h + 10 + 2 * (number % 4);
        vec![Spot { x, y: bottom }, Spot { x, y: self.top[self.layer[to]] - 10 - 2 * (number % 4) }]
    }
}

/// Whether a way leads from one to the other.
fn reaches(next: &[Vec<usize>], from: usize, to: usize) -> bool {
    let (mut seen, mut todo) = (vec![false; next.len()], vec![from]);
    while let Some(at) = todo.pop() {
        if at == to {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            todo.extend(&next[at]);
        }
    }
    false
}

/// Longest paths from what nothing leads to; what has no predecessor stands just above its first user.
fn layered(next: &[Vec<usize>]) -> Vec<usize> {
    let mut missing = vec![0; next.len()];
    next.iter().flatten().for_each(|&n| missing[n] += 1);
    let first: Vec<bool> = missing.iter().map(|&m| m == 0).collect();
    let mut layer = vec![0; next.len()];
    let mut todo: Vec<usize> = (0..next.len()).filter(|&m| missing[m] == 0).collect();
    while let Some(at) = todo.pop() {
        for &n in &next[at] {
            layer[n] = layer[n].max(layer[at] + 1);
            missing[n] -= 1;
            if missing[n] == 0 {
                todo.push(n);
            }
        }
    }
    for m in (0..next.len()).filter(|&m| first[m]) {
        if let Some(user) = next[m].iter().map(|&n| layer[n]).min() {
            layer[m] = user - 1;
        }
    }
    layer
}

/// Twice the median, so that the mean of two is whole.
fn median(mut of: Vec<usize>) -> Option<usize> {
    of.sort_unstable();
    let n = of.len();
    (n > 0).then(|| of[(n - 1) / 2] + of[n / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(a: &Rect, b: &Rect) -> bool {
        a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
    }

    #[test]
    fn nothing_overlaps_and_boxes_hold_what_is_in_them() {
        let size = Extent { w: 60, h: 30 };
        let boxes = vec![None, Some(0), None];
        let items: Vec<_> = (0..24).map(|i| (size, [None, Some(0), Some(1), Some(2)][i % 4])).collect();
        let arrow = |k: usize| Arrow { from: k * 7 % 24, to: k * 5 % 24, closes: k.is_multiple_of(5) };
        let drawing = Drawing { items, boxes, arrows: (0..40).map(arrow).collect() };
        let drawn = drawing.draw();
        for (i, a) in drawn.items.iter().enumerate() {
            assert!(drawn.items[..i].iter().all(|b| !overlap(a, b)), "item {i}");
            assert!(a.x >= 0 && a.y >= 0 && a.x + a.w <= drawn.size.w && a.y + a.h <= drawn.size.h);
            for (b, area) in drawn.boxes.iter().enumerate() {
                let mut at = drawing.items[i].1;
                while at.is_some_and(|at| at != b) {
                    at = at.and_then(|at| drawing.boxes[at]);
                }
                assert_eq!(overlap(a, area), at == Some(b), "item {i}, box {b}");
            }
        }
    }
}
