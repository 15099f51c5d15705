//! Which blocks of a region dominate which.

use crate::ir::{BlockId, Func, RegionId};
use std::collections::BTreeMap;

/// The blocks so that each comes after those that dominate it, with its depth in the dominator tree. Blocks
/// that nothing reaches stand below the entry.
pub(super) fn preorder(func: &Func, region: RegionId) -> Vec<(usize, BlockId)> {
    let blocks = &func.region(region).blocks;
    if blocks.len() < 2 {
        return blocks.iter().map(|&b| (0, b)).collect();
    }
    let number: BTreeMap<BlockId, usize> = blocks.iter().enumerate().map(|(i, &b)| (b, i)).collect();
    let successors: Vec<Vec<usize>> = (blocks.iter())
        .map(|&b| {
            let end = func.terminator(b).map(|op| &func.op(op).successors[..]).unwrap_or_default();
            end.iter().filter_map(|s| number.get(&s.block).copied()).collect()
        })
        .collect();
    let order = postorder(&successors);
    let mut rank = vec![None; blocks.len()];
    for (i, &b) in order.iter().enumerate() {
        rank[b] = Some(i);
    }
    let mut predecessors = vec![Vec::new(); blocks.len()];
    for (from, list) in successors.iter().enumerate() {
        for &to in list {
            if rank[from].is_some() {
                predecessors[to].push(from);
            }
        }
    }
    // Cooper, Harvey and Kennedy: walk up both chains until they meet.
    let mut above: Vec<Option<usize>> = vec![None; blocks.len()];
    above[0] = Some(0);
    let meet = |above: &[Option<usize>], mut a: usize, mut b: usize| {
        while a != b {
            if rank[a] < rank[b] {
                a = above[a].unwrap_or(0);
            } else {
                b = above[b].unwrap_or(0);
            }
        }
        a
    };
    let mut changed = true;
    while changed {
        changed = false;
        for &b in order.iter().rev().filter(|&&b| b != 0) {
            let mut new = None;
            for &p in predecessors[b].iter().filter(|&&p| above[p].is_some()) {
                new = Some(new.map_or(p, |n| meet(&above, n, p)));
            }
            if above[b] != new {
                above[b] = new;
                changed = true;
            }
        }
    }
    let mut children = vec![Vec::new(); blocks.len()];
    for b in (1..blocks.len()).rev() {
        children[above[b].unwrap_or(0)].push(b);
    }
    let mut out = Vec::new();
    let mut stack = vec![(0, 0)];
    while let Some((depth, b)) = stack.pop() {
        out.push((depth, blocks[b]));
        stack.extend(children[b].iter().map(|&c| (depth + 1, c)));
    }
    out
}

/// What the entry reaches, each after its successors where there is no cycle.
fn postorder(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; successors.len()];
    let mut out = Vec::new();
    let mut stack = vec![(0usize, 0usize)];
    seen[0] = true;
    while let Some(top) = stack.last_mut() {
        let (block, next) = *top;
        top.1 += 1;
        match successors[block].get(next) {
            Some(&to) if !seen[to] => {
                seen[to] = true;
                stack.push((to, 0));
            }
            Some(_) => {}
            None => {
                out.push(block);
                stack.pop();
            }
        }
    }
    out
}
