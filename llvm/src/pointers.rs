//! Which array each pointer points into, and what a word of each array is.
//!
//! A pointer is a root (argument, local variable or global) and an offset. What a phi or select may choose among is a set
//! of roots; roots that meet in one set are accessed through the same operations, so they form a class and have words of
//! one type. A word is as small as the smallest access and divides every offset: all addresses then are whole
//! words, and wider accesses are several words.

use crate::address::{access_size, is_copy, length, offset, scaled, writes_bytes, Bytes};
use crate::codes;
use crate::ends::{self, Ends};
use crate::places::Places;
use crate::program::{Function, Id};
use crate::roots::{self, array, not_stored, Root, NULL};
use crate::types::Ty;
use loom_base::{gcd, Diagnostics};
use loom_dfg::Type;
use std::collections::{BTreeMap, BTreeSet};

/// The answer for one function.
pub(crate) struct Pointers {
    pub roots: Vec<Root>,
    /// The roots of each value that is a pointer.
    pub sets: Vec<BTreeSet<usize>>,
    /// Type of a word, for each root.
    pub words: Vec<Type>,
    /// The roots that are numbers of words behind others; no pointer has them in its set.
    pub ends: Ends,
}

impl Pointers {
    /// The type of a word behind a pointer with at least one root.
    pub fn word(&self, pointer: Id) -> Option<Type> {
        array(&self.sets[pointer.0]).map(|r| self.words[r])
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

/// An access as it decides about words.
struct Use {
    ty: Option<Type>,
    bytes: u64,
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
    let class = |pointer: Id| array(&sets[pointer.0]).map(|root| classes[root]);
    let uses = uses(function, &class, places, &mut errors);
    let steps = steps(function, &class, places, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    // Of a class that is only copied the variables among its roots say what its words are.
    let leaf_of_class = |class: usize| {
        let members = classes.iter().zip(&roots).filter(|(c, _)| **c == class);
        members.filter_map(|(_, root)| leaf(function, root, globals)).next()
    };
    let words = classes.iter().map(|class| {
        let own = uses.get(class).map_or(&[][..], |u| &u[..]);
        let steps = steps.get(class).map_or(&[][..], |s| &s[..]);
        word(own, steps, leaf_of_class(*class))
    });
    let words = words.collect();
    Ok(Pointers { roots, sets, words, ends })
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
    places: &Places,
    errors: &mut Diagnostics,
) -> BTreeMap<usize, Vec<Use>> {
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
                uses.entry(class).or_default().push(Use { ty, bytes });
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

/// The smallest access, made smaller until every offset is a whole number of words; its type is what most accesses of
/// that size have, the first of them when several do.
fn word(uses: &[Use], steps: &[ByteStep], leaf: Option<Type>) -> Type {
    let first = leaf.map_or(1, |t| u64::from(t.width(64)).div_ceil(8));
    let smallest = uses.iter().map(|u| u.bytes).min().unwrap_or(first);
    let all = uses.iter().map(|u| u.bytes).fold(smallest, gcd);
    // A multiple that shows only behind a multiplication counts when the plain one does not do.
    let size = steps.iter().fold(all, |size, &(step, wider)| {
        let step = if step % size as i64 == 0 { step } else { wider.unwrap_or(step) };
        gcd(size, step.unsigned_abs())
    });
    let mut counts: Vec<(Type, usize)> = Vec::new();
    for ty in uses.iter().filter(|u| u.bytes == size).filter_map(|u| u.ty) {
        match counts.iter_mut().find(|c| c.0 == ty) {
            Some(count) => count.1 += 1,
            None => counts.push((ty, 1)),
        }
    }
    let most = counts.iter().map(|c| c.1).max();
    let common = counts.iter().find(|c| Some(c.1) == most).map(|c| c.0);
    let plain = leaf.filter(|t| uses.is_empty() && u64::from(t.width(64)) == 8 * size);
    common.or(plain).unwrap_or(Type::Int(8 * size as u8))
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
