//! Layer 3 of memory lowering: the ctrl-done network (specification `dataflow-memory`, rows "domain" of D1).
//!
//! Every region is an entry -> done block, for each domain on its own. Inside a block, an item (an access, or an
//! op with accesses in it) waits for the earlier items it may conflict with; what waits for nobody starts from the
//! entry, and the block is done when everything nobody waits for is done. In serial order all items conflict but
//! two loads; the result is the specification's chain with its parallel loads. In pipelined order only items with accesses
//! that can meet conflict, and a loop whose iterations cannot meet starts them without waiting for each other. An access
//! that meets itself is no reason to wait: it is in order as it is. Where only stores meet what earlier iterations load, the
//! stores alone wait, for those loads (`a[i] = a[i + 1]`).
//!
//! A fence is an item of every domain, and all of them go on from the join of what each has done.
//!
//! In pipelined order, what a domain has done for the last time is of no use to anybody but the return token. Such
//! domains are *final* in a block, and their dones are joined where they arise, so that one exit of each loop serves
//! all of them.

use super::{LevelId, LevelKind, Lowering};
use crate::bits::Bits;
use crate::edit;
use crate::ir::{BlockId, Kind, OpId};
use crate::order::Order;
use loom_dfg::{Op, OpKind, Type, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// One token for each domain that takes part.
type Tokens = BTreeMap<usize, ValueId>;

/// The accesses in an operation, by domain, and whether there is a fence.
pub(super) struct Content {
    fence: bool,
    accesses: BTreeMap<usize, Vec<OpId>>,
}

/// What a store in a loop waits for, in its body: the loads of all iterations before.
pub(super) struct Behind {
    loads: ValueId,
    /// What an iteration begins with: implied.
    entry: ValueId,
    level: LevelId,
}

/// What a block or item gives when it is done.
#[derive(Default)]
struct Done {
    /// For each domain that somebody may still wait for.
    tokens: Tokens,
    /// For the others: tokens that only the return waits for.
    last: Vec<ValueId>,
}

impl Lowering<'_> {
    /// Orders the whole function; gives the return control token.
    pub(super) fn order_function(&mut self, body: BlockId) -> ValueId {
        self.span = None;
        self.note_contents();
        let entry: Tokens = self.accesses.iter().map(|a| (a.domain, self.control)).collect();
        if entry.is_empty() {
            return self.control;
        }
        let finals: BTreeSet<usize> = match self.order {
            Order::Serial => BTreeSet::new(),
            Order::Pipelined => entry.keys().copied().collect(),
        };
        let mut done = self.order_block(body, &entry, &finals);
        done.last.extend(done.tokens.into_values());
        self.join(&done.last)
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

    /// What is in an operation, itself included.
    fn content(&self, op: OpId) -> &Content {
        const NOTHING: &Content = &Content { fence: false, accesses: BTreeMap::new() };
        self.contents.get(&op).unwrap_or(NOTHING)
    }

    /// Notes what is in each operation, inner ones first.
    fn note_contents(&mut self) {
        for op in edit::walk(self.func).into_iter().rev() {
            let record = self.func.op(op);
            let mut content = Content { fence: record.kind == Kind::Fence, accesses: BTreeMap::new() };
            if let Some(&root) = self.root_of.get(&op) {
                content.accesses.insert(self.domains.roots[root].domain, vec![op]);
            }
            for block in record.regions.iter().filter_map(|&r| self.func.entry(r)) {
                for inner in self.func.block(block).ops.iter().filter_map(|o| self.contents.get(o)) {
                    content.fence |= inner.fence;
                    for (&domain, accesses) in &inner.accesses {
                        content.accesses.entry(domain).or_default().extend(accesses);
                    }
                }
            }
            if content.fence || !content.accesses.is_empty() {
                self.contents.insert(op, content);
            }
        }
    }

    /// The accesses of a domain in an operation.
    fn of_domain(&self, op: OpId, domain: usize) -> &[OpId] {
        self.content(op).accesses.get(&domain).map_or(&[], Vec::as_slice)
    }

    /// Whether `later` must wait for `earlier`, both items of one block.
    fn conflict(&self, earlier: OpId, later: OpId, domain: usize) -> bool {
        if self.content(earlier).fence || self.content(later).fence {
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
        if self.order == Order::Serial || self.content(op).fence {
            return false;
        }
        let accesses = self.of_domain(op, domain);
        !accesses.iter().any(|&a| accesses.iter().any(|&b| self.deps.delays_across(op, a, b)))
    }

    /// The loads of a body for which alone stores of later iterations must wait, where that is all that is between iterations.
    fn loads_before_stores(&self, op: OpId, body: BlockId, domain: usize) -> Option<Vec<OpId>> {
        if self.order == Order::Serial || self.content(op).fence {
            return None;
        }
        let accesses = self.of_domain(op, domain);
        let is_waited_for = |&&a: &&OpId| accesses.iter().any(|&b| self.deps.follows_across(op, a, b));
        let waited_for: Vec<OpId> = accesses.iter().filter(is_waited_for).copied().collect();
        let is_load_here =
            |a: &OpId| self.func.op(*a).kind == Kind::Load && self.func.block(body).ops.contains(a);
        waited_for.iter().all(is_load_here).then_some(waited_for)
    }

    /// The domains that take part in an item.
    fn taking_part(&self, op: OpId, all: &Tokens) -> BTreeSet<usize> {
        let content = self.content(op);
        match content.fence {
            true => all.keys().copied().collect(),
            false => content.accesses.keys().copied().collect(),
        }
    }

    /// Quadratic in the items of one domain in one block: any two may conflict. A memory has at most 255 ports of each
    /// kind, so items are few where a domain has one; operations without accesses are none.
    fn order_block(&mut self, block: BlockId, entry: &Tokens, finals: &BTreeSet<usize>) -> Done {
        struct Item {
            op: OpId,
            /// `None` when only the return waits for it.
            done: Option<ValueId>,
            /// Items it comes after, directly or not, as indices into the list.
            after: Bits,
        }
        let mut base = entry.clone();
        let mut items: BTreeMap<usize, Vec<Item>> = entry.keys().map(|&d| (d, Vec::new())).collect();
        // What nobody waits for yet: when all of it is done, everything so far is.
        let sinks = |base: ValueId, items: &[Item]| -> Vec<ValueId> {
            let Some(first) = items.first() else { return vec![base] };
            let mut waited = first.after.clone();
            items.iter().for_each(|item| waited.add_all(&item.after));
            (0..items.len()).filter(|&i| !waited.has(i as u32)).filter_map(|i| items[i].done).collect()
        };
        let ops = self.func.block(block).ops.clone();
        let taking: Vec<BTreeSet<usize>> = ops.iter().map(|&op| self.taking_part(op, &base)).collect();
        // Where each domain takes part for the last time.
        let mut last_at = BTreeMap::new();
        for (at, domains) in taking.iter().enumerate() {
            last_at.extend(domains.iter().map(|&d| (d, at)));
        }
        let mut last = Vec::new();
        for (at, (&op, takes_part)) in ops.iter().zip(&taking).enumerate() {
            if self.func.op(op).kind == Kind::Fence {
                let done: Vec<ValueId> = base.iter().flat_map(|(d, &base)| sinks(base, &items[d])).collect();
                let all = self.join(&done);
                for (d, token) in &mut base {
                    *token = all;
                    items.insert(*d, Vec::new());
                }
                continue;
            }
            if takes_part.is_empty() {
                continue;
            }
            let final_here: BTreeSet<usize> =
                takes_part.iter().copied().filter(|d| finals.contains(d) && last_at[d] == at).collect();
            let mut entries = Tokens::new();
            let mut afters = BTreeMap::new();
            for &d in takes_part {
                let list = &items[&d];
                // Latest first: what a later one waits for needs no waiting of its own.
                let (mut direct, mut all) = (Vec::new(), Bits::new(ops.len()));
                for i in (0..list.len()).rev() {
                    if !all.has(i as u32) && self.conflict(list[i].op, op, d) {
                        all.add(i as u32);
                        all.add_all(&list[i].after);
                        direct.push(i);
                    }
                }
                let tokens: Vec<ValueId> = direct.iter().rev().filter_map(|&i| list[i].done).collect();
                let token = if tokens.is_empty() { base[&d] } else { self.join(&tokens) };
                entries.insert(d, token);
                afters.insert(d, all);
            }
            let done = self.order_item(op, &entries, &final_here);
            last.extend(done.last);
            for (d, after) in afters {
                items.entry(d).or_default().push(Item { op, done: done.tokens.get(&d).copied(), after });
            }
        }
        let mut tokens = Tokens::new();
        for (d, base) in base {
            let open = sinks(base, &items[&d]);
            if finals.contains(&d) {
                last.extend(open);
            } else {
                let token = self.join(&open);
                tokens.insert(d, token);
            }
        }
        Done { tokens, last }
    }

    /// `finals`: the domains of `entries` that nobody but the return waits for after this item.
    fn order_item(&mut self, op: OpId, entries: &Tokens, finals: &BTreeSet<usize>) -> Done {
        self.span = self.func.op(op).span.clone();
        match self.func.op(op).kind {
            Kind::Load | Kind::Store => {
                let access = &self.accesses[self.access_of[&op]];
                let (node, domain, around) = (access.node, access.domain, access.path.last().copied());
                let token = self.behind_loads(op, around, entries[&domain]);
                self.graph.set_operand(node, 2, token);
                let done = self.done_of[&op];
                match finals.contains(&domain) {
                    true => Done { tokens: Tokens::new(), last: vec![done] },
                    false => Done { tokens: [(domain, done)].into(), last: Vec::new() },
                }
            }
            Kind::If => self.order_if(op, entries, finals),
            Kind::For { .. } => self.order_for(op, entries, finals),
            Kind::While => self.order_while(op, entries, finals),
            _ => Done { tokens: entries.clone(), last: Vec::new() },
        }
    }

    /// What an access waits for, and the loads of earlier iterations besides.
    fn behind_loads(&mut self, op: OpId, around: Option<(OpId, usize)>, entry: ValueId) -> ValueId {
        let block = around.and_then(|(op, region)| self.block_of(op, region));
        let (Some(block), Some(behind)) = (block, self.behind.remove(&op)) else { return entry };
        let level = self.level_of_block[&block];
        let mut tokens = vec![entry];
        for behind in behind {
            let first = self.bring(behind.entry, behind.level, level);
            tokens.retain(|&token| token != first);
            tokens.push(self.bring(behind.loads, behind.level, level));
        }
        self.join(&tokens)
    }

    fn block_of(&self, op: OpId, region: usize) -> Option<BlockId> {
        self.func.op(op).regions.get(region).and_then(|&r| self.func.entry(r))
    }

    fn order_if(&mut self, op: OpId, entries: &Tokens, finals: &BTreeSet<usize>) -> Done {
        let cond = self.condition_of[&op];
        let mut sides = Vec::new();
        for side in 0..2 {
            let inside: Tokens = entries.iter().map(|(&d, &e)| (d, self.split(cond, e, side))).collect();
            sides.push(match self.block_of(op, side) {
                Some(block) => self.order_block(block, &inside, finals),
                None => {
                    let last = finals.iter().map(|d| inside[d]).collect();
                    Done { tokens: inside, last }
                }
            });
        }
        let merge = |l: &mut Self, on_true: ValueId, on_false: ValueId| {
            l.one(Op::Plain(OpKind::Mux(2)), &[cond, on_false, on_true], Type::None)
        };
        let mut done = Done::default();
        for &d in entries.keys().filter(|d| !finals.contains(d)) {
            done.tokens.insert(d, merge(self, sides[0].tokens[&d], sides[1].tokens[&d]));
        }
        if !finals.is_empty() {
            let [on_true, on_false] = [0, 1].map(|side| self.join(&sides[side].last));
            done.last.push(merge(self, on_true, on_false));
        }
        done
    }

    fn order_for(&mut self, op: OpId, entries: &Tokens, finals: &BTreeSet<usize>) -> Done {
        let block = self.block_of(op, 0).expect("a verified loop has a body");
        let level = self.level_of_block[&block];
        let LevelKind::ForBody { raw, after } = self.levels[level.0 as usize].kind else {
            unreachable!("the body of a for")
        };
        let mut carries = BTreeMap::new();
        // Of domains whose stores wait for loads: those, and what says so.
        let mut behind = Vec::new();
        let mut inside = Tokens::new();
        let mut final_inside = BTreeSet::new();
        for (&d, &e) in entries {
            let body_entry = if self.is_pipelined(op, d) {
                final_inside.extend(finals.get(&d));
                self.bring_one(e, level)
            } else {
                let (node, value) = self.carry(after.unwrap_or(raw), e);
                let in_turn = match after {
                    Some(_) => value,
                    None => self.split(raw, value, 0),
                };
                match self.loads_before_stores(op, block, d) {
                    Some(loads) => {
                        let entry = self.bring_one(e, level);
                        for store in self.of_domain(op, d).to_vec() {
                            if loads.iter().any(|&load| self.deps.follows_across(op, load, store)) {
                                let behind = Behind { loads: in_turn, entry, level };
                                self.behind.entry(store).or_default().push(behind);
                            }
                        }
                        behind.push((node, loads));
                        entry
                    }
                    None => {
                        carries.insert(d, (node, value));
                        in_turn
                    }
                }
            };
            inside.insert(d, body_entry);
        }
        let body = self.order_block(block, &inside, &final_inside);
        for (carry, loads) in behind {
            let done: Vec<ValueId> = loads.iter().map(|load| self.done_of[load]).collect();
            let done = self.join(&done);
            let next = if let Some(after) = after { self.split(after, done, 0) } else { done };
            self.graph.set_operand(carry, 2, next);
        }
        // The exit of iterations that do not wait for each other: the last one's done.
        let overlapped = |l: &mut Self, entry: ValueId, body_done: ValueId| match after {
            Some(after) => l.split(after, body_done, 1),
            None => {
                let (carry, value) = l.carry(raw, entry);
                l.graph.set_operand(carry, 2, body_done);
                l.split(raw, value, 1)
            }
        };
        let mut done = Done::default();
        for (&d, &body_done) in &body.tokens {
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
                (_, None) => overlapped(self, entries[&d], body_done),
            };
            if finals.contains(&d) {
                done.last.push(exit);
            } else {
                done.tokens.insert(d, exit);
            }
        }
        if !final_inside.is_empty() {
            let body_done = self.join(&body.last);
            let entry = self.entry_of_all(entries, &final_inside);
            done.last.push(overlapped(self, entry, body_done));
        }
        done
    }

    /// One token for when several domains may begin.
    fn entry_of_all(&mut self, entries: &Tokens, of: &BTreeSet<usize>) -> ValueId {
        let tokens: Vec<ValueId> = of.iter().map(|d| entries[d]).collect();
        self.join(&tokens)
    }

    fn order_while(&mut self, op: OpId, entries: &Tokens, finals: &BTreeSet<usize>) -> Done {
        let raw = self.condition_of[&op];
        let blocks = [0, 1].map(|r| self.block_of(op, r).expect("a verified loop has regions"));
        let levels = blocks.map(|b| self.level_of_block[&b]);
        // What a region has accesses of; a fence in it makes all domains wait in line.
        let touched = blocks.map(|b| {
            let ops = self.func.block(b).ops.clone();
            ops.into_iter().flat_map(|o| self.taking_part(o, entries)).collect::<BTreeSet<usize>>()
        });
        let mut carries = BTreeMap::new();
        let mut before_entry = Tokens::new();
        let mut after_entry = Tokens::new();
        let mut final_inside = [BTreeSet::new(), BTreeSet::new()];
        for (&d, &e) in entries {
            let token = if self.is_pipelined(op, d) {
                for region in 0..2 {
                    let alone = touched[region].contains(&d) && finals.contains(&d);
                    final_inside[region].extend(alone.then_some(d));
                }
                self.bring_one(e, levels[0])
            } else {
                let (node, value) = self.carry(raw, e);
                carries.insert(d, node);
                value
            };
            before_entry.insert(d, token);
        }
        let before = self.order_block(blocks[0], &before_entry, &final_inside[0]);
        for (&d, token) in &before_entry {
            let token = match carries.contains_key(&d) {
                true => self.split(raw, before.tokens[&d], 0),
                false => self.bring_one(*token, levels[1]),
            };
            after_entry.insert(d, token);
        }
        let after = self.order_block(blocks[1], &after_entry, &final_inside[1]);
        // The after-region's last run, where iterations do not wait for each other.
        let trailing = |l: &mut Self, entry: ValueId, after_done: ValueId| {
            let (carry, value) = l.carry(raw, entry);
            l.graph.set_operand(carry, 2, after_done);
            value
        };
        let mut done = Done::default();
        for (&d, &e) in entries {
            if finals.contains(&d) && !carries.contains_key(&d) {
                continue;
            }
            let last = match carries.get(&d) {
                Some(&carry) => {
                    self.graph.set_operand(carry, 2, after.tokens[&d]);
                    before.tokens[&d]
                }
                None => {
                    let mut tokens = Vec::new();
                    tokens.extend(touched[0].contains(&d).then(|| before.tokens[&d]));
                    if touched[1].contains(&d) {
                        tokens.push(trailing(self, e, after.tokens[&d]));
                    }
                    self.join(&tokens)
                }
            };
            let exit = self.split(raw, last, 1);
            if finals.contains(&d) {
                done.last.push(exit);
            } else {
                done.tokens.insert(d, exit);
            }
        }
        let mut tokens = before.last;
        if !final_inside[1].is_empty() {
            let after_done = self.join(&after.last);
            let entry = self.entry_of_all(entries, &final_inside[1]);
            tokens.push(trailing(self, entry, after_done));
        }
        if !tokens.is_empty() {
            let last = self.join(&tokens);
            done.last.push(self.split(raw, last, 1));
        }
        done
    }
}
