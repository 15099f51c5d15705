//! Words that are known are not loaded: a load takes the value that was stored to its word, or loaded from it, before. A store
//! whose word is stored to again before anybody looks is dropped, and so are stores to arrays of the function's own that nobody
//! loads from.
//!
//! A word is known from one access on, through the ifs and loops behind it, until a store that may touch it
//! ([`crate::depend`]). Inside a loop only what no store of the loop may touch is known from outside. Two accesses are to one word when
//! memref and subscripts are the same values. What a constant holds is known from the start.
//! Everything else stays in its order: no access is made that was not made. So many words are known at once as [`MOST_KNOWN`] says,
//! those of the latest accesses, so that long programs take time by their length.

use crate::depend::Dependences;
use crate::domain::{Domains, RootKind};
use crate::edit::{self, Changes};
use crate::ir::{BlockId, Func, Global, Kind, OpId, ValueId};

/// Most words that are known at once, and most stores that nobody may have looked at.
const MOST_KNOWN: usize = 128;

/// Forwards in the whole function; says whether anything changed.
pub fn run(func: &mut Func) -> bool {
    let domains = Domains::new(func);
    let deps = Dependences::new(func, &domains);
    let mut forward = Forward { func: &*func, deps: &deps, changes: Changes::default() };
    if let Some(entry) = func.body.and_then(|body| func.entry(body)) {
        forward.block(entry, Vec::new());
    }
    let changes = forward.changes;
    let changed = changes.apply(func);
    drop_unread(func) || changed
}

/// What is loaded from a constant at literal subscripts is a literal.
pub fn read_tables(func: &mut Func, globals: &[Global]) {
    let mut changes = Changes::default();
    for op in edit::walk(func) {
        let Some(bits) = constant_word(func, op, globals) else { continue };
        let ty = func.ty(func.result(op, 0)).clone();
        let literal = func.create_op(Kind::Constant(bits), &[], &[ty]);
        changes.insert_before(op, [literal]);
        changes.replace(func.result(op, 0), func.result(literal, 0));
        changes.erase(op);
    }
    changes.apply(func);
}

fn constant_word(func: &Func, load: OpId, globals: &[Global]) -> Option<u64> {
    let record = func.op(load);
    let &memref = record.address().first().filter(|_| record.kind == Kind::Load)?;
    let global = edit::table(func, memref, globals)?;
    let word = usize::try_from(edit::literal_word(func, load)?).ok()?;
    global.init.as_ref()?.get(word).copied()
}

/// Whether it would change anything.
pub fn is_needed(func: &Func) -> bool {
    run(&mut func.clone())
}

/// A word: memref and subscripts.
type Word = Vec<ValueId>;

/// A word whose contents are known.
#[derive(Clone)]
struct Known {
    word: Word,
    value: ValueId,
    /// The access that it is known from.
    access: OpId,
}

struct Forward<'f> {
    func: &'f Func,
    deps: &'f Dependences,
    changes: Changes,
}

impl Forward<'_> {
    /// Goes through a block, with what is known where it begins.
    fn block(&mut self, block: BlockId, mut known: Vec<Known>) {
        // Stores of this block that nobody may have looked at.
        let mut unread: Vec<(Word, OpId)> = Vec::new();
        let func = self.func;
        for &op in &func.block(block).ops {
            match func.op(op).kind {
                Kind::Load => {
                    let (word, result) = (self.word(op), self.func.result(op, 0));
                    let same = known.iter().find(|k| k.word == word);
                    match same.filter(|k| self.func.ty(k.value) == self.func.ty(result)) {
                        Some(k) => {
                            self.changes.replace(result, k.value);
                            self.changes.erase(op);
                        }
                        None => {
                            unread.retain(|(w, store)| *w != word && !self.deps.meet_within(*store, op));
                            latest(&mut known, Known { word, value: result, access: op });
                        }
                    }
                }
                Kind::Store => {
                    let word = self.word(op);
                    let value = self.changes.now(self.func.op(op).operands[0]);
                    if let Some(at) = unread.iter().position(|(w, _)| *w == word) {
                        self.changes.erase(unread.remove(at).1);
                    }
                    known.retain(|k| k.word != word && !self.deps.meet_within(k.access, op));
                    latest(&mut unread, (word.clone(), op));
                    latest(&mut known, Known { word, value, access: op });
                }
                Kind::Fence => {
                    known.clear();
                    unread.clear();
                }
                _ if !self.func.op(op).regions.is_empty() => self.regions(op, &mut known, &mut unread),
                _ => {}
            }
        }
    }

    /// Goes through the regions of an operation, and forgets what they may change.
    fn regions(&mut self, op: OpId, known: &mut Vec<Known>, unread: &mut Vec<(Word, OpId)>) {
        let inside = edit::walk_inside(self.func, op);
        let of_kind = |kind: Kind| -> Vec<OpId> {
            inside.iter().copied().filter(|&o| self.func.op(o).kind == kind).collect()
        };
        let with_word = |kind| of_kind(kind).into_iter().map(|o| (self.word(o), o)).collect::<Vec<_>>();
        let (loads, stores) = (with_word(Kind::Load), with_word(Kind::Store));
        let fenced = !of_kind(Kind::Fence).is_empty();
        let meets = |(word, access): (&Word, OpId), others: &[(Word, OpId)]| {
            others.iter().any(|(w, o)| word == w || self.deps.meet_within(access, *o))
        };
        let mut kept = known.clone();
        kept.retain(|k| !fenced && !meets((&k.word, k.access), &stores));
        unread.retain(|(w, s)| !fenced && !meets((w, *s), &loads));
        // The sides of an if begin where it begins; the body of a loop also where it ends.
        let once = self.func.op(op).kind == Kind::If;
        let begin = if once { &*known } else { &kept };
        for &region in &self.func.op(op).regions {
            if let Some(entry) = self.func.entry(region) {
                self.block(entry, begin.clone());
            }
        }
        *known = kept;
    }

    fn word(&self, access: OpId) -> Word {
        self.func.op(access).address().iter().map(|&v| self.changes.now(v)).collect()
    }
}

/// Adds to a list, which forgets its oldest where it is full.
fn latest<T>(list: &mut Vec<T>, new: T) {
    if list.len() == MOST_KNOWN {
        list.remove(0);
    }
    list.push(new);
}

/// Takes out the stores to the function's own arrays that nobody loads from.
fn drop_unread(func: &mut Func) -> bool {
    let domains = Domains::new(func);
    let mut changes = Changes::default();
    for op in edit::walk(func).into_iter().filter(|&o| func.op(o).kind == Kind::Store) {
        let root = func.op(op).address().first().and_then(|&memref| domains.root_of(memref));
        let unread =
            |r: usize| matches!(domains.roots[r].kind, RootKind::Alloc(_)) && !domains.roots[r].loaded;
        if root.is_some_and(unread) {
            changes.erase(op);
        }
    }
    changes.apply(func)
}
