//! Which array each pointer points into, and what a word of each array is.
//!
//! A pointer is a root (argument, local variable or global) and an offset. What a phi or select may choose among is a set
//! of roots; roots that meet in one set are accessed through the same operations, so they form a class and have words of
//! one type, or the same types where the array is one of structs ([`crate::words`]).

use crate::address::{
    access_size, accessed, accessed_size, is_copy, length, offset, scaled, writes_bytes, Bytes,
};
use crate::codes;
use crate::ends::{self, Ends};
use crate::places::Places;
use crate::program::{Function, Id, Inst};
use crate::roots::{self, array, not_stored, Root, NULL};
use crate::spans::{self, Found, Span};
use crate::types::Ty;
use crate::words::{self, Block, BlockBytes, Part, Piece, Use, Words};
use loom_base::{gcd, Diagnostics};
use loom_dfg::Type;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The answer for one function.
pub(crate) struct Pointers {
    pub roots: Vec<Root>,
    /// The roots of each value that is a pointer.
    pub sets: Vec<BTreeSet<usize>>,
    /// What the bytes behind each root are.
    pub words: Vec<Words>,
    /// The views of each root that somebody accesses, or the first.
    pub views: Vec<Vec<usize>>,
    /// The roots that are numbers of words behind others; no pointer has them in its set.
    pub ends: Ends,
    /// Where each pointer may lie, in arrays of several views.
    spans: Vec<Option<Span>>,
}

impl Pointers {
    /// What the bytes behind a pointer with at least one root are.
    pub fn words(&self, pointer: Id) -> Option<&Words> {
        array(&self.sets[pointer.0]).map(|r| &self.words[r])
    }

    /// The words that so many bytes behind a pointer with at least one root are made of.
    pub fn parts(&self, pointer: Id, bytes: u64) -> Option<Vec<Part>> {
        Some(self.words(pointer)?.parts(self.spans[pointer.0], bytes))
    }

    /// The views that an operation accesses or copies through a pointer.
    pub fn accessed_views(&self, function: &Function, inst: &Inst, pointer: Id) -> BTreeSet<usize> {
        let Some(words) = self.words(pointer) else { return BTreeSet::new() };
        if writes_bytes(inst.name()) {
            return (0..words.views.len()).collect();
        }
        // A pointer that is loaded is no number, and in no view.
        let bytes = accessed_size(function, inst).unwrap_or(1);
        words.parts(self.spans[pointer.0], bytes).iter().map(|part| part.view).collect()
    }

    /// Where a pointer may lie behind the start of its array.
    pub fn span(&self, pointer: Id) -> Option<Span> {
        self.spans[pointer.0]
    }

    /// Bytes of what a pointer's distance from the start of its array is counted in, besides a constant.
    pub fn unit(&self, pointer: Id) -> i64 {
        let Some(words) = self.words(pointer) else { return 1 };
        let widest = words.widest();
        let unit = match (&words.pieces, self.spans[pointer.0]) {
            (Some(_), Some(span)) => span.unit(widest),
            _ => widest,
        };
        unit as i64
    }

    /// Bytes that a pointer is always behind a whole number of units.
    pub fn rest(&self, pointer: Id) -> i64 {
        let pieces = self.words(pointer).and_then(|w| w.pieces.as_ref());
        pieces.and(self.spans[pointer.0]).map_or(0, |span| span.first.rem_euclid(self.unit(pointer)))
    }

    /// The number of a root.
    pub fn number(&self, root: &Root) -> Option<usize> {
        self.roots.iter().position(|r| r == root)
    }

    /// The arrays that a pointer may point into.
    pub fn arrays(&self, pointer: Id) -> Vec<usize> {
        self.sets[pointer.0].iter().copied().filter(|&r| r != NULL).collect()
    }
}

/// Finds roots, classes and words. `globals` gives the type of each global.
pub(crate) fn analyse(
    function: &Function,
    globals: &BTreeMap<String, Ty>,
    places: &Places,
) -> Result<Pointers, Diagnostics> {
    let mut errors = Vec::new();
    let (roots, mut sets) = roots::roots(function, places, &mut errors);
    roots::unchanged_fields(function, (&roots, &sets), places, &mut errors);
    let ends = ends::ends(function, &roots, &sets);
    for set in &mut sets {
        *set = set.iter().map(|root| *ends.get(root).unwrap_or(root)).collect();
    }
    let classes = classes(function, roots.len(), &sets);
    let spans = spans::spans(function, &Found { roots: &roots, sets: &sets, ends: &ends });
    let class = |pointer: Id| array(&sets[pointer.0]).map(|root| classes[root]);
    let uses = uses(function, &class, &spans, places, &mut errors);
    let steps = steps(function, &class, places, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    // Of a class that is only copied the variables among its roots say what its words are.
    let leaf_of_class = |class: usize| {
        let members = classes.iter().zip(&roots).filter(|(c, _)| **c == class);
        members.filter_map(|(_, root)| leaf(function, root, globals)).next()
    };
    let blocks = blocks(function, &class, &spans, &sets);
    let types = types(function, &class, &roots, &classes, globals);
    let words = classes.iter().map(|class| {
        let types = types.get(class).map_or(&[][..], |t| &t[..]);
        let own = uses.get(class).into_iter().flatten();
        let own: Vec<Use> = own.flat_map(|&used| words::of_fields(used, types)).collect();
        let steps = steps.get(class).map_or(&[][..], |s| &s[..]);
        let one = word(&own, steps, leaf_of_class(*class));
        let blocks = blocks.get(class).map_or(&[][..], |b| &b[..]);
        let plain = words::bytes_of(one);
        let mut members = classes.iter().zip(&roots).filter(|(c, _)| *c == class);
        let is_local = members.all(|(_, root)| matches!(root, Root::Stack(_)));
        let pieces = words::pieces(&own, blocks, types, plain).filter(|_| !own.is_empty());
        pieces
            .and_then(|(pieces, period)| several(&own, pieces, period, (plain, is_local)))
            .unwrap_or(Words::one(one))
    });
    let words: Vec<Words> = words.collect();
    let mut pointers = Pointers { roots, sets, words, views: Vec::new(), ends, spans };
    pointers.views = accessed_views(function, &pointers);
    Ok(pointers)
}

/// The views of an array of several pieces: one for each piece of a variable that is one struct, else one for each width. `None`
/// where that is one of the words that the rule for all arrays gives.
fn several(
    uses: &[Use],
    mut pieces: Vec<Piece>,
    period: u64,
    (plain, is_local): (u64, bool),
) -> Option<Words> {
    let apart = is_local && period == 0;
    let key = |at: usize, piece: &Piece| if apart { (Reverse(0), at) } else { (Reverse(piece.word), 0) };
    let keys: BTreeSet<_> = pieces.iter().enumerate().map(|(at, piece)| key(at, piece)).collect();
    if keys.len() < 2 && pieces.iter().all(|p| p.word == plain) {
        return None;
    }
    let keys: Vec<_> = keys.into_iter().collect();
    for (at, piece) in pieces.iter_mut().enumerate() {
        piece.view = keys.binary_search(&key(at, piece)).expect("it is one of them");
    }
    let views = (0..keys.len()).map(|view| {
        let piece = pieces.iter().find(|p| p.view == view).expect("each has a piece");
        let inside = |u: &Use| u.span.is_some_and(|s| piece.at <= s.first && s.first < piece.end);
        let whole = |u: &&Use| u.bytes == piece.word && (!apart || inside(u));
        let ty = common(uses.iter().filter(whole).filter_map(|u| u.ty));
        ty.unwrap_or(Type::Int(8 * piece.word as u8))
    });
    Some(Words { views: views.collect(), pieces: Some((pieces, period)), apart })
}

/// By root: the views that accesses and copies go to.
fn accessed_views(function: &Function, pointers: &Pointers) -> Vec<Vec<usize>> {
    let mut out = vec![BTreeSet::new(); pointers.roots.len()];
    for inst in function.reached().map(|i| &function.insts[i]) {
        for &pointer in accessed(inst) {
            let views = pointers.accessed_views(function, inst, pointer);
            pointers.arrays(pointer).into_iter().for_each(|root| out[root].extend(&views));
        }
    }
    let or_first = |set: BTreeSet<usize>| if set.is_empty() { vec![0] } else { set.into_iter().collect() };
    out.into_iter().map(or_first).collect()
}

/// What is copied and set, by class.
fn blocks(
    function: &Function,
    class: &dyn Fn(Id) -> Option<usize>,
    spans: &[Option<Span>],
    sets: &[BTreeSet<usize>],
) -> BTreeMap<usize, Vec<Block>> {
    let mut out: BTreeMap<usize, Vec<Block>> = BTreeMap::new();
    for inst in function.reached().map(|i| &function.insts[i]).filter(|i| writes_bytes(i.name())) {
        let pointers = accessed(inst);
        let Some(class) = class(pointers[0]) else { continue };
        let length = length(function, inst);
        let moves = inst.name() == "intr.memmove" && !sets[pointers[0].0].is_disjoint(&sets[pointers[1].0]);
        let bytes = match length.terms[..] {
            _ if moves => BlockBytes::Ordered,
            [] => BlockBytes::Constant(u64::try_from(length.constant).unwrap_or(0)),
            [(value, stride), ..] => {
                let step = stride.wrapping_mul(scaled(function, value).1);
                BlockBytes::Multiple(step.unsigned_abs())
            }
        };
        let spans = pointers.iter().map(|p| spans[p.0]).collect();
        out.entry(class).or_default().push(Block { spans, bytes });
    }
    out
}

/// The structs that addresses step over, or that variables are, by class.
fn types<'a>(
    function: &'a Function,
    class: &dyn Fn(Id) -> Option<usize>,
    roots: &[Root],
    classes: &[usize],
    globals: &'a BTreeMap<String, Ty>,
) -> BTreeMap<usize, Vec<&'a Ty>> {
    fn record(ty: &Ty) -> Option<&Ty> {
        match ty {
            Ty::Array(_, element) => record(element),
            Ty::Struct { .. } => Some(ty),
            _ => None,
        }
    }
    let mut out: BTreeMap<usize, Vec<&Ty>> = BTreeMap::new();
    let stepped = function.reached().map(|i| &function.insts[i]).filter(|i| i.name() == "getelementptr");
    let stepped = stepped.map(|i| (class(i.operands[0]), i.op.ty("elem_type")));
    let variables = roots.iter().zip(classes).map(|(root, &class)| match root {
        Root::Stack(inst) => (Some(class), function.insts[*inst].op.ty("elem_type")),
        Root::Global(name) => (Some(class), globals.get(name)),
        Root::Argument(_) | Root::Field { .. } => (None, None),
    });
    for (class, ty) in stepped.chain(variables) {
        if let (Some(class), Some(ty)) = (class, ty.and_then(record)) {
            let list = out.entry(class).or_default();
            if !list.contains(&ty) {
                list.push(ty);
            }
        }
    }
    out
}

/// By root: the first root of its class, of those that meet in a pointer or in a copy.
fn classes(function: &Function, roots: usize, sets: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut classes: Vec<usize> = (0..roots).collect();
    let mut join = |a: usize, b: usize| {
        let (a, b) = (classes[a], classes[b]);
        classes.iter_mut().filter(|c| **c == a.max(b)).for_each(|c| *c = a.min(b));
    };
    for set in sets {
        for pair in set.iter().copied().filter(|&r| r != NULL).collect::<Vec<_>>().windows(2) {
            join(pair[0], pair[1]);
        }
    }
    for inst in function.reached().map(|i| &function.insts[i]).filter(|i| is_copy(i.name())) {
        let [to, from] = [0, 1].map(|i| array(&sets[inst.operands[i].0]));
        if let (Some(to), Some(from)) = (to, from) {
            join(to, from);
        }
    }
    classes
}

/// The accesses of each class.
fn uses(
    function: &Function,
    class: &dyn Fn(Id) -> Option<usize>,
    spans: &[Option<Span>],
    places: &Places,
    errors: &mut Diagnostics,
) -> BTreeMap<usize, Vec<Use>> {
    let moved = only_moved(function);
    let mut uses: BTreeMap<usize, Vec<Use>> = BTreeMap::new();
    for inst in function.reached().map(|i| &function.insts[i]) {
        let accessed = match inst.name() {
            // A pointer that is loaded is a root, or has been refused as none.
            "load" => {
                inst.result.map(|r| (inst.operands[0], function.ty(r))).filter(|(_, ty)| **ty != Ty::Ptr)
            }
            "store" => Some((inst.operands[1], function.ty(inst.operands[0]))),
            _ => None,
        };
        let Some((pointer, ty)) = accessed else { continue };
        match (class(pointer), access_size(ty)) {
            (Some(class), Some(bytes)) => {
                let ty = ty.scalar().filter(|t| u64::from(t.width(64)) == 8 * bytes);
                let moves = moved.contains(inst.result.as_ref().unwrap_or(&inst.operands[0]));
                let span = spans[pointer.0];
                uses.entry(class).or_default().push(Use { ty, bytes, span, moves });
            }
            (Some(_), None) => errors.push(not_stored(ty, inst.place(), places)),
            // What has been refused already is not known for that reason.
            (None, _) if !errors.is_empty() => {}
            (None, _) => errors.push(places.refuse(
                codes::POINTER,
                inst.place(),
                "an access through a pointer that points at nothing",
                "give the pointer an array on every way that leads here",
            )),
        }
    }
    uses
}

/// Bytes that something adds to addresses of a class, and as a multiple that shows behind a multiplication.
type ByteStep = (i64, Option<i64>);

/// What is added to the addresses of each class, and how much its copies write.
fn steps(
    function: &Function,
    class: &dyn Fn(Id) -> Option<usize>,
    places: &Places,
    errors: &mut Diagnostics,
) -> BTreeMap<usize, Vec<ByteStep>> {
    let mut steps: BTreeMap<usize, Vec<ByteStep>> = BTreeMap::new();
    for i in function.reached() {
        let inst = &function.insts[i];
        let added: Result<Bytes, String> = match inst.name() {
            "getelementptr" => offset(function, i),
            name if writes_bytes(name) => Ok(length(function, inst)),
            _ => continue,
        };
        match (class(inst.operands[0]), added) {
            (None, _) => {}
            (Some(_), Err(message)) => {
                let help = "use arrays of numbers, and structs of numbers";
                errors.push(places.refuse(codes::TYPE, inst.place(), message, help));
            }
            (Some(class), Ok(bytes)) => {
                let list = steps.entry(class).or_default();
                list.push((bytes.constant, None));
                let wider = |v, stride: i64| stride.checked_mul(scaled(function, v).1);
                list.extend(bytes.terms.iter().map(|&(v, stride)| (stride, wider(v, stride))));
            }
        }
    }
    steps
}

/// The smallest access, made smaller until every offset is a whole number of words, of a size that memories have (one of 3 bytes is
/// of bytes); its type is what most accesses of that size have, the first of them when several do.
fn word(uses: &[Use], steps: &[ByteStep], leaf: Option<Type>) -> Type {
    let first = leaf.map_or(1, |t| u64::from(t.width(64)).div_ceil(8));
    let smallest = uses.iter().map(|u| u.bytes).min().unwrap_or(first);
    let all = spans::word_of(uses.iter().map(|u| u.bytes).fold(smallest, gcd));
    // A multiple that shows only behind a multiplication counts when the plain one does not do.
    let size = steps.iter().fold(all, |size, &(step, wider)| {
        let step = if step % size as i64 == 0 { step } else { wider.unwrap_or(step) };
        gcd(size, step.unsigned_abs())
    });
    let common = common(uses.iter().filter(|u| u.bytes == size).filter_map(|u| u.ty));
    let plain = leaf.filter(|t| uses.is_empty() && u64::from(t.width(64)) == 8 * size);
    common.or(plain).unwrap_or(Type::Int(8 * size as u8))
}

/// What most are, the first of them when several do.
fn common(types: impl Iterator<Item = Type>) -> Option<Type> {
    let mut counts: Vec<(Type, usize)> = Vec::new();
    for ty in types {
        match counts.iter_mut().find(|c| c.0 == ty) {
            Some(count) => count.1 += 1,
            None => counts.push((ty, 1)),
        }
    }
    let most = counts.iter().map(|c| c.1).max();
    counts.iter().find(|c| Some(c.1) == most).map(|c| c.0)
}

/// Values that are loaded and stored elsewhere, and nothing else.
fn only_moved(function: &Function) -> BTreeSet<Id> {
    let mut moved: BTreeSet<Id> = function
        .reached()
        .map(|i| &function.insts[i])
        .filter(|i| i.name() == "load")
        .filter_map(|i| i.result)
        .collect();
    for inst in function.reached().map(|i| &function.insts[i]) {
        let stored = usize::from(inst.name() == "store");
        let given = inst.successors.iter().flat_map(|s| &s.1);
        inst.operands[stored..].iter().chain(given).for_each(|o| {
            moved.remove(o);
        });
    }
    moved
}

/// The number that a variable is made of, when it is one kind.
fn leaf(function: &Function, root: &Root, globals: &BTreeMap<String, Ty>) -> Option<Type> {
    let ty = match root {
        Root::Argument(_) | Root::Field { .. } => return None,
        Root::Stack(inst) => function.insts[*inst].op.ty("elem_type")?,
        Root::Global(name) => globals.get(name)?,
    };
    ty.leaf().filter(|t| t.width(64) >= 8)
}
