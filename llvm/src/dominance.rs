//! Which blocks every way to a block leads through.

use crate::program::{Def, Function, Id};

/// The blocks that the entry reaches, each with the last one that all ways to it share.
pub(crate) struct Dominators {
    /// By block: its place in the function's order; `None` where nothing leads there.
    at: Vec<Option<usize>>,
    /// By place in that order: the place of the closest dominator. The entry has itself.
    closest: Vec<usize>,
    /// By operation: its place in its block.
    within: Vec<usize>,
    /// By operation: its block.
    home: Vec<usize>,
}

impl Dominators {
    pub fn new(function: &Function) -> Dominators {
        let mut at = vec![None; function.blocks.len()];
        for (place, &block) in function.order.iter().enumerate() {
            at[block] = Some(place);
        }
        let mut before = vec![Vec::new(); function.order.len()];
        let (mut within, mut home) = (vec![0; function.insts.len()], vec![0; function.insts.len()]);
        for (block, insts) in function.blocks.iter().map(|b| &b.insts).enumerate() {
            for (k, &i) in insts.iter().enumerate() {
                (within[i], home[i]) = (k, block);
                for to in function.insts[i].successors.iter().filter_map(|(to, _)| at[*to]) {
                    before[to].extend(at[block]);
                }
            }
        }
        // Blocks in reverse post-order: the first pass is enough without loops, a few more with them.
        let mut closest = vec![None; function.order.len()];
        if let Some(entry) = closest.first_mut() {
            *entry = Some(0);
        }
        loop {
            let mut changed = false;
            for place in 1..closest.len() {
                let known = before[place].iter().copied().filter(|&b| closest[b].is_some());
                let new = known.reduce(|a, b| shared(&closest, a, b));
                changed |= new != closest[place];
                closest[place] = new;
            }
            if !changed {
                break;
            }
        }
        let closest = closest.into_iter().enumerate().map(|(place, c)| c.unwrap_or(place)).collect();
        Dominators { at, closest, within, home }
    }

    /// Whether a value is there whenever an operation runs that is reached.
    pub fn defines_before(&self, function: &Function, value: Id, user: usize) -> bool {
        let block = match function.values[value.0].def {
            Def::Op(inst) if self.home[inst] == self.home[user] => {
                return self.within[inst] < self.within[user]
            }
            Def::Op(inst) => self.home[inst],
            Def::Argument { block, .. } => block,
        };
        self.leads_to(block, user)
    }

    /// Whether every way to an operation that is reached leads through a block.
    pub fn leads_to(&self, block: usize, user: usize) -> bool {
        let (Some(wanted), Some(mut place)) = (self.at[block], self.at[self.home[user]]) else {
            return false;
        };
        while place > wanted {
            place = self.closest[place];
        }
        place == wanted
    }
}

/// The last block that two have in common above them.
fn shared(closest: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        let later = if a > b { &mut a } else { &mut b };
        match closest[*later] {
            Some(above) if above < *later => *later = above,
            _ => return 0,
        }
    }
    a
}
