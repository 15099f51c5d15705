//! Layer 3 of memory lowering: the ctrl-done network (seed `dataflow-memory.txt`, rows "domain" of DESIGN 4.3).
//!
//! Every region is an entry -> done block, for each domain on its own. Inside a block, an item (an access, or an
//! op with accesses in it) waits for the earlier items it may conflict with; what waits for nobody starts from the
//! entry, and the block is done when everything nobody waits for is done. In serial order all items conflict but
//! two loads; the result is the seed's chain with its parallel loads. In pipelined order only items with accesses
//! that can meet conflict, and a loop whose iterations cannot meet starts them without waiting for each other.
//!
//! A fence is an item of every domain, and all of them go on from the join of what each has done.

use super::{LevelKind, Lowering};
use crate::edit;
use crate::ir::{BlockId, Kind, OpId};
use crate::order::Order;
use loom_dfg::{Op, OpKind, Type, ValueId};
use std::collections::BTreeMap;

/// One token for each domain that takes part.
type Tokens = BTreeMap<usize, ValueId>;

impl Lowering<'_> {
    /// Orders the whole function; gives the return control token.
    pub(super) fn order_function(&mut self, body: BlockId) -> ValueId {
        self.span = None;
        let entry: Tokens = self.accesses.iter().map(|a| (a.domain, self.control)).collect();
        if entry.is_empty() {
            return self.control;
        }
        let done = self.order_block(body, &entry);
        let tokens: Vec<ValueId> = done.into_values().collect();
        self.join(&tokens)
    }

    /// A token that comes when all of these came. Joining a token with itself is that token.
    fn join(&mut self, tokens: &[ValueId]) -> ValueId {
        let mut distinct: Vec<ValueId> = Vec::new();
        for &t in tokens {
            if !distinct.contains(&t) {
                distinct.push(t);
            }
        }
        // A join of the format takes 64 at most; the fabric's own limit is met by legalization.
        while distinct.len() > 1 {
            let chunks: Vec<Vec<ValueId>> = distinct.chunks(64).map(<[ValueId]>::to_vec).collect();
            distinct = chunks
                .into_iter()
                .map(|c| match c[..] {
                    [one] => one,
                    _ => self.one(Op::Plain(OpKind::Join(c.len() as u8)), &c, Type::None),
                })
                .collect();
        }
        distinct[0]
    }

    /// The accesses in an operation, itself included.
    fn accesses_in(&self, op: OpId) -> Vec<OpId> {
        match self.func.op(op).kind {
            Kind::Load | Kind::Store => vec![op],
            _ => {
                let inside = edit::walk_inside(self.func, op).into_iter();
                inside.filter(|&o| matches!(self.func.op(o).kind, Kind::Load | Kind::Store)).collect()
            }
        }
    }

    fn has_fence(&self, op: OpId) -> bool {
        self.func.op(op).kind == Kind::Fence
            || edit::walk_inside(self.func, op).iter().any(|&o| self.func.op(o).kind == Kind::Fence)
    }

    fn domain_of(&self, access: OpId) -> usize {
        self.domains.roots[self.root_of[&access]].domain
    }

    /// The accesses of a domain in an operation.
    fn of_domain(&self, op: OpId, domain: usize) -> Vec<OpId> {
        self.accesses_in(op).into_iter().filter(|&a| self.domain_of(a) == domain).collect()
    }

    /// Whether `later` must wait for `earlier`, both items of one block.
    fn conflict(&self, earlier: OpId, later: OpId, domain: usize) -> bool {
        if self.has_fence(earlier) || self.has_fence(later) {
            return true;
        }
        let is_load = |op| self.func.op(op).kind == Kind::Load;
        if self.order == Order::Serial {
            return !(is_load(earlier) && is_load(later));
        }
        let (a, b) = (self.of_domain(earlier, domain), self.of_domain(later, domain));
        a.iter().any(|&x| b.iter().any(|&y| self.deps.meet_within(x, y)))
    }

    /// Whether the iterations of a loop may overlap in a domain.
    fn is_pipelined(&self, op: OpId, domain: usize) -> bool {
        if self.order == Order::Serial || self.has_fence(op) {
            return false;
        }
        let accesses = self.of_domain(op, domain);
        !accesses.iter().any(|&a| accesses.iter().any(|&b| self.deps.meet_across(op, a, b)))
    }

    fn order_block(&mut self, block: BlockId, entry: &Tokens) -> Tokens {
        struct Item {
            op: OpId,
            done: ValueId,
            /// Items it comes after, directly or not, as indices into the list.
            after: Vec<usize>,
        }
        let mut base = entry.clone();
        let mut items: BTreeMap<usize, Vec<Item>> = entry.keys().map(|&d| (d, Vec::new())).collect();
        // What is done when everything so far is.
        let sinks = |l: &mut Self, base: ValueId, items: &[Item]| {
            let waited = |i: usize| items.iter().any(|other| other.after.contains(&i));
            let last: Vec<ValueId> =
                (0..items.len()).filter(|&i| !waited(i)).map(|i| items[i].done).collect();
            if last.is_empty() {
                base
            } else {
                l.join(&last)
            }
        };
        for op in self.func.block(block).ops.clone() {
            if self.func.op(op).kind == Kind::Fence {
                let done: Vec<ValueId> =
                    base.clone().into_iter().map(|(d, base)| sinks(self, base, &items[&d])).collect();
                let all = self.join(&done);
                for (d, token) in &mut base {
                    *token = all;
                    items.insert(*d, Vec::new());
                }
                continue;
            }
            let mut takes_part: Vec<usize> = match self.has_fence(op) {
                true => base.keys().copied().collect(),
                false => self.accesses_in(op).into_iter().map(|a| self.domain_of(a)).collect(),
            };
            takes_part.sort_unstable();
            takes_part.dedup();
            if takes_part.is_empty() {
                continue;
            }
            let mut entries = Tokens::new();
            let mut afters = BTreeMap::new();
            for &d in &takes_part {
                let list = &items[&d];
                let mut direct: Vec<usize> =
                    (0..list.len()).filter(|&i| self.conflict(list[i].op, op, d)).collect();
                let mut all: Vec<usize> = direct.iter().flat_map(|&i| list[i].after.clone()).collect();
                direct.retain(|i| !all.contains(i));
                let tokens: Vec<ValueId> = direct.iter().map(|&i| list[i].done).collect();
                all.extend(direct);
                all.sort_unstable();
                all.dedup();
                let token = if tokens.is_empty() { base[&d] } else { self.join(&tokens) };
                entries.insert(d, token);
                afters.insert(d, all);
            }
            let done = self.order_item(op, &entries);
            for (d, after) in afters {
                items.entry(d).or_default().push(Item { op, done: done[&d], after });
            }
        }
        base.into_iter().map(|(d, base)| (d, sinks(self, base, &items[&d]))).collect()
    }

    fn order_item(&mut self, op: OpId, entries: &Tokens) -> Tokens {
        self.span = self.func.op(op).span.clone();
        match self.func.op(op).kind {
            Kind::Load | Kind::Store => {
                let access = self.accesses.iter().find(|a| a.op == op).expect("every access has a record");
                let (node, domain) = (access.node, access.domain);
                self.graph.set_operand(node, 2, entries[&domain]);
                [(domain, self.done_of[&op])].into()
            }
            Kind::If => self.order_if(op, entries),
            Kind::For { .. } => self.order_for(op, entries),
            Kind::While => self.order_while(op, entries),
            _ => entries.clone(),
        }
    }

    fn block_of(&self, op: OpId, region: usize) -> Option<BlockId> {
        self.func.op(op).regions.get(region).and_then(|&r| self.func.entry(r))
    }

    fn order_if(&mut self, op: OpId, entries: &Tokens) -> Tokens {
        let cond = self.condition_of[&op];
        let mut sides = Vec::new();
        for side in 0..2 {
            let inside: Tokens = entries.iter().map(|(&d, &e)| (d, self.split(cond, e, side))).collect();
            sides.push(match self.block_of(op, side) {
                Some(block) => self.order_block(block, &inside),
                None => inside,
            });
        }
        entries
            .keys()
            .map(|&d| {
                let operands = [cond, sides[1][&d], sides[0][&d]];
                (d, self.one(Op::Plain(OpKind::Mux(2)), &operands, Type::None))
            })
            .collect()
    }

    fn order_for(&mut self, op: OpId, entries: &Tokens) -> Tokens {
        let block = self.block_of(op, 0).expect("a verified loop has a body");
        let level = self.level_of_block[&block];
        let LevelKind::ForBody { raw, after } = self.levels[level.0 as usize].kind else {
            unreachable!("the body of a for")
        };
        let pipelined: BTreeMap<usize, bool> =
            entries.keys().map(|&d| (d, self.is_pipelined(op, d))).collect();
        let mut carries = BTreeMap::new();
        let mut inside = Tokens::new();
        for (&d, &e) in entries {
            let body_entry = if pipelined[&d] {
                self.bring_one(e, level)
            } else {
                let (node, value) = self.carry(after.unwrap_or(raw), e);
                carries.insert(d, (node, value));
                if after.is_some() {
                    value
                } else {
                    self.split(raw, value, 0)
                }
            };
            inside.insert(d, body_entry);
        }
        let done = self.order_block(block, &inside);
        let mut exits = Tokens::new();
        for (&d, &e) in entries {
            let body_done = done[&d];
            let exit = match (after, carries.get(&d)) {
                (Some(after), Some(&(carry, _))) => {
                    let feedback = self.split(after, body_done, 0);
                    self.graph.set_operand(carry, 2, feedback);
                    self.split(after, body_done, 1)
                }
                (None, Some(&(carry, value))) => {
                    self.graph.set_operand(carry, 2, body_done);
                    self.split(raw, value, 1)
                }
                (Some(after), None) => self.split(after, body_done, 1),
                (None, None) => {
                    let (carry, value) = self.carry(raw, e);
                    self.graph.set_operand(carry, 2, body_done);
                    self.split(raw, value, 1)
                }
            };
            exits.insert(d, exit);
        }
        exits
    }

    fn order_while(&mut self, op: OpId, entries: &Tokens) -> Tokens {
        let raw = self.condition_of[&op];
        let blocks = [0, 1].map(|r| self.block_of(op, r).expect("a verified loop has regions"));
        let levels = blocks.map(|b| self.level_of_block[&b]);
        let pipelined: BTreeMap<usize, bool> =
            entries.keys().map(|&d| (d, self.is_pipelined(op, d))).collect();
        let mut carries = BTreeMap::new();
        let mut before_entry = Tokens::new();
        for (&d, &e) in entries {
            let token = if pipelined[&d] {
                self.bring_one(e, levels[0])
            } else {
                let (node, value) = self.carry(raw, e);
                carries.insert(d, node);
                value
            };
            before_entry.insert(d, token);
        }
        let before_done = self.order_block(blocks[0], &before_entry);
        let mut after_entry = Tokens::new();
        for (&d, token) in &before_entry {
            let token = if pipelined[&d] {
                self.bring_one(*token, levels[1])
            } else {
                self.split(raw, before_done[&d], 0)
            };
            after_entry.insert(d, token);
        }
        let after_done = self.order_block(blocks[1], &after_entry);
        let mut exits = Tokens::new();
        for (&d, &e) in entries {
            let last = match carries.get(&d) {
                Some(&carry) => {
                    self.graph.set_operand(carry, 2, after_done[&d]);
                    before_done[&d]
                }
                // Nothing in the after-region: only the before-region's last run counts.
                None if after_done[&d] == after_entry[&d] => before_done[&d],
                None => {
                    let (carry, value) = self.carry(raw, e);
                    self.graph.set_operand(carry, 2, after_done[&d]);
                    let nothing_before = before_done[&d] == before_entry[&d];
                    if nothing_before {
                        value
                    } else {
                        self.join(&[before_done[&d], value])
                    }
                }
            };
            exits.insert(d, self.split(raw, last, 1));
        }
        exits
    }
}
