//! Which array each pointer points into, and what a word of each array is.
//!
//! A pointer is a root (argument, local variable or global) and an offset. What a phi or select may choose among is a set
//! of roots; roots that meet in one set are accessed through the same operations, so they form a class and have words of
//! one type. A word is as small as the smallest access and divides every offset: all addresses then are whole
//! words, and wider accesses are several words.

use crate::codes;
use crate::ends::{self, Ends};
use crate::places::Places;
use crate::program::{Def, Function, Id, Inst};
use crate::text::{Attr, Place};
use crate::types::Ty;
use loom_base::{Diagnostic, Diagnostics};
use loom_dfg::Type;
use std::collections::{BTreeMap, BTreeSet};

/// Steps from a pointer back to an argument.
const MOST_STEPS: usize = 32;
/// Bytes of a pointer in memory.
const POINTER_BYTES: i128 = 8;

/// What a pointer may point into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// Argument of the function.
    Argument(usize),
    /// `llvm.alloca`
    Stack(usize),
    /// A global.
    Global(String),
    /// What a pointer points at that stands in a struct: so many bytes behind the start of what an argument points at.
    Field {
        /// Number of the argument.
        argument: usize,
        /// Bytes.
        offset: u64,
    },
}

/// The pointer that a load takes out of a struct behind an argument, at a known place.
pub(crate) fn field(function: &Function, inst: &Inst) -> Option<Root> {
    let is_pointer = inst.result.is_some_and(|r| *function.ty(r) == Ty::Ptr);
    let plain = inst.name() == "load" && is_pointer && !inst.is_volatile() && !inst.is_atomic();
    let (argument, at) = behind_argument(function, *inst.operands.first().filter(|_| plain)?)?;
    Some(Root::Field { argument, offset: u64::try_from(at).ok()? })
}

/// The argument that a pointer is so many bytes behind, always: also through the phi behind a loop that names again what is known in it.
fn behind_argument(function: &Function, pointer: Id) -> Option<(usize, i64)> {
    let (mut at, mut sum) = (pointer, 0i64);
    for _ in 0..MOST_STEPS {
        at = match function.values[at.0].def {
            Def::Argument { block: 0, index } => return Some((index, sum)),
            Def::Argument { block, index } => {
                let jumps = function.reached().flat_map(|i| &function.insts[i].successors);
                let mut given = jumps.filter(|(to, _)| *to == block).map(|(_, list)| list[index]);
                let first = given.next()?;
                given.all(|other| other == first).then_some(first)?
            }
            Def::Op(inst) => {
                let from = function.insts[inst].operands.first();
                match function.insts[inst].name() {
                    "getelementptr" => {
                        let bytes = offset(function, inst).ok().filter(|b| b.terms.is_empty())?;
                        sum = sum.checked_add(bytes.constant)?;
                    }
                    "freeze" => {}
                    _ => return None,
                }
                *from?
            }
        };
    }
    None
}

/// Refuses what may write to a pointer in a struct: it is read once, before the function runs.
fn unchanged_fields(
    function: &Function,
    (roots, sets): (&[Root], &[BTreeSet<usize>]),
    places: &Places,
    errors: &mut Diagnostics,
) {
    for root in roots {
        let &Root::Field { argument, offset } = root else { continue };
        let home = roots.iter().position(|r| *r == Root::Argument(argument));
        for inst in function.reached().map(|i| &function.insts[i]) {
            let (pointer, size) = match inst.name() {
                "store" => (inst.operands[1], access_size(function.ty(inst.operands[0]))),
                name if is_copy(name) || name == "intr.memset" => (inst.operands[0], None),
                _ => continue,
            };
            if home.is_none_or(|home| !sets[pointer.0].contains(&home)) {
                continue;
            }
            let (from, to) = (i128::from(offset), i128::from(offset) + POINTER_BYTES);
            let beside = |(_, at): (usize, i64), size: u64| {
                i128::from(at) >= to || i128::from(at) + i128::from(size) <= from
            };
            let known = behind_argument(function, pointer).zip(size);
            if !known.is_some_and(|(at, size)| beside(at, size)) {
                errors.push(places.refuse(
                    codes::POINTER,
                    inst.place(),
                    "a write into a struct, where it may change a pointer that the function reads from it",
                    "pass the array that the pointer points at as an argument of its own",
                ));
            }
        }
    }
}

/// The number that stands for null among roots; greater than all others, so that a set's first is an array if it has one.
pub(crate) const NULL: usize = usize::MAX;

/// The array that a set begins with.
fn array(set: &BTreeSet<usize>) -> Option<usize> {
    set.first().copied().filter(|&r| r != NULL)
}

/// A sum of bytes: a constant and multiples of values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bytes {
    pub constant: i64,
    pub terms: Vec<(Id, i64)>,
}

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

/// Bytes of an access; the importer's odd widths (bit-fields) are stored in whole bytes.
pub(crate) fn access_size(ty: &Ty) -> Option<u64> {
    match ty {
        Ty::Int(bits @ 1..=64) => Some(u64::from(bits.div_ceil(8))),
        _ => ty.scalar().and(ty.size()),
    }
}

/// A value and the constant it is multiplied with.
pub(crate) fn scaled(function: &Function, id: Id) -> (Id, i64) {
    let (mut at, mut scale) = (id, 1i64);
    for _ in 0..8 {
        let Some(inst) = function.inst(at) else { break };
        let factor = match (inst.name(), &inst.operands[..]) {
            ("mul", [_, c]) => function.constant(*c),
            ("shl", [_, c]) => function.constant(*c).filter(|c| (0..32).contains(c)).map(|c| 1 << c),
            _ => None,
        };
        match factor.and_then(|f| scale.checked_mul(f)) {
            Some(product) if *function.ty(at) == Ty::Int(64) => (at, scale) = (inst.operands[0], product),
            _ => break,
        }
    }
    (at, scale)
}

/// The offset that a `getelementptr` adds. Dynamic indices are multiplied with the size of what they step over.
pub(crate) fn offset(function: &Function, inst: usize) -> Result<Bytes, String> {
    let inst = &function.insts[inst];
    let mut ty = inst.op.ty("elem_type").ok_or("an address without a type")?.clone();
    let mut bytes = Bytes::default();
    let mut dynamic = inst.operands[1..].iter();
    let unknown = |ty: &Ty| format!("the size of `{}` is not known", ty.describe());
    for (level, &raw) in inst.op.integers("rawConstantIndices").iter().enumerate() {
        let value = if raw == i64::from(i32::MIN) { dynamic.next().copied() } else { None };
        let literal = value.map_or(Some(raw), |v| function.constant(v));
        let stride = match (level, &ty) {
            (0, _) => ty.size().ok_or_else(|| unknown(&ty))?,
            (_, Ty::Array(_, element)) => {
                let element = (**element).clone();
                let size = element.size().ok_or_else(|| unknown(&element))?;
                ty = element;
                size
            }
            (_, Ty::Struct { fields, .. }) => {
                let field = literal.and_then(|l| usize::try_from(l).ok()).filter(|&f| f < fields.len());
                let field = field.ok_or("a field that is not known")?;
                let at = ty.field_offset(field).ok_or_else(|| unknown(&ty))?;
                bytes.constant = bytes.constant.wrapping_add_unsigned(at);
                ty = fields[field].clone();
                continue;
            }
            _ => return Err(format!("an address inside of `{}`", ty.describe())),
        };
        let stride = i64::try_from(stride).map_err(|_| "an array of more than 2^63 bytes")?;
        match (literal, value) {
            (Some(l), _) => bytes.constant = bytes.constant.wrapping_add(l.wrapping_mul(stride)),
            (None, Some(v)) => bytes.terms.push((v, stride)),
            (None, None) => {}
        }
    }
    Ok(bytes)
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
    let (roots, mut sets) = roots(function, places, &mut errors);
    unchanged_fields(function, (&roots, &sets), places, &mut errors);
    let ends = ends::ends(function, &roots, &sets);
    for set in &mut sets {
        *set = set.iter().map(|root| *ends.get(root).unwrap_or(root)).collect();
    }
    let mut classes: Vec<usize> = (0..roots.len()).collect();
    let join = |classes: &mut Vec<usize>, a: usize, b: usize| {
        let (a, b) = (classes[a], classes[b]);
        classes.iter_mut().filter(|c| **c == a.max(b)).for_each(|c| *c = a.min(b));
    };
    for set in &sets {
        for pair in set.iter().copied().filter(|&r| r != NULL).collect::<Vec<_>>().windows(2) {
            join(&mut classes, pair[0], pair[1]);
        }
    }
    for inst in function.reached().map(|i| &function.insts[i]) {
        if is_copy(inst.name()) {
            let [to, from] = [0, 1].map(|i| array(&sets[inst.operands[i].0]));
            if let (Some(to), Some(from)) = (to, from) {
                join(&mut classes, to, from);
            }
        }
    }
    let mut uses: BTreeMap<usize, Vec<Use>> = BTreeMap::new();
    let mut steps: BTreeMap<usize, Vec<(i64, Option<i64>)>> = BTreeMap::new();
    for i in function.reached() {
        let inst = &function.insts[i];
        let accessed = match inst.name() {
            // A pointer that is loaded is a root, or has been refused as none.
            "load" => {
                inst.result.map(|r| (inst.operands[0], function.ty(r))).filter(|(_, ty)| **ty != Ty::Ptr)
            }
            "store" => Some((inst.operands[1], function.ty(inst.operands[0]))),
            _ => None,
        };
        if let Some((pointer, ty)) = accessed {
            match (array(&sets[pointer.0]), access_size(ty)) {
                (Some(root), Some(bytes)) => {
                    let ty = ty.scalar().filter(|t| u64::from(t.width(64)) == 8 * bytes);
                    uses.entry(classes[root]).or_default().push(Use { ty, bytes });
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
        let step = match inst.name() {
            "getelementptr" => {
                let base = array(&sets[inst.operands[0].0]);
                match (base, offset(function, i)) {
                    (Some(root), Ok(bytes)) => Some((classes[root], bytes)),
                    (None, _) => None,
                    (_, Err(message)) => {
                        let help = "use arrays of numbers, and structs of numbers";
                        errors.push(places.refuse(codes::TYPE, inst.place(), message, help));
                        None
                    }
                }
            }
            name if is_copy(name) || name == "intr.memset" => {
                array(&sets[inst.operands[0].0]).map(|root| (classes[root], length(function, inst)))
            }
            _ => None,
        };
        if let Some((class, bytes)) = step {
            let list = steps.entry(class).or_default();
            list.push((bytes.constant, None));
            list.extend(
                bytes.terms.iter().map(|&(v, stride)| (stride, stride.checked_mul(scaled(function, v).1))),
            );
        }
    }
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

pub(crate) fn is_copy(name: &str) -> bool {
    matches!(name, "intr.memcpy" | "intr.memcpy.inline" | "intr.memmove")
}

/// How many bytes a copy or `memset` writes: an operand, or an attribute of those that are never calls.
pub(crate) fn length(function: &Function, inst: &Inst) -> Bytes {
    let Some(&id) = inst.operands.get(2) else {
        return Bytes { constant: inst.op.integer("len").unwrap_or(0), terms: Vec::new() };
    };
    match function.constant(id) {
        Some(constant) => Bytes { constant, terms: Vec::new() },
        None => Bytes { constant: 0, terms: vec![(id, 1)] },
    }
}

fn not_stored(ty: &Ty, place: Option<&Place>, places: &Places) -> Diagnostic {
    match ty {
        Ty::Ptr => places.refuse(
            codes::POINTER,
            place,
            "a pointer that is kept in memory",
            "keep an index instead, and pass each array as an argument of its own",
        ),
        _ => places.refuse(
            codes::TYPE,
            place,
            format!("an access of type `{}`", ty.describe()),
            "use integers of at most 64 bits, `float` and `double`",
        ),
    }
}

/// The smallest access, made smaller until every offset is a whole number of words; its type is what most accesses of
/// that size have, the first of them when several do.
fn word(uses: &[Use], steps: &[(i64, Option<i64>)], leaf: Option<Type>) -> Type {
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

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        gcd(b, a % b)
    }
}

/// The number that a variable is made of, when it is one kind.
fn leaf(function: &Function, root: &Root, globals: &BTreeMap<String, Ty>) -> Option<Type> {
    let mut ty = match root {
        Root::Argument(_) | Root::Field { .. } => return None,
        Root::Stack(inst) => function.insts[*inst].op.ty("elem_type")?,
        Root::Global(name) => globals.get(name)?,
    };
    while let Ty::Array(_, element) = ty {
        ty = element;
    }
    ty.scalar().filter(|t| t.width(64) >= 8)
}

/// Roots of all pointers, to a fixed point over phis.
fn roots(
    function: &Function,
    places: &Places,
    errors: &mut Diagnostics,
) -> (Vec<Root>, Vec<BTreeSet<usize>>) {
    let mut roots = Vec::new();
    let mut sets = vec![BTreeSet::new(); function.values.len()];
    let is_pointer = |id: &Id| *function.ty(*id) == Ty::Ptr;
    for (index, &id) in function.blocks[0].arguments.iter().enumerate().filter(|(_, id)| is_pointer(id)) {
        sets[id.0].insert(roots.len());
        roots.push(Root::Argument(index));
    }
    for i in function.reached() {
        let inst = &function.insts[i];
        let Some(result) = inst.result.filter(is_pointer) else { continue };
        let root = match inst.name() {
            "alloca" => Root::Stack(i),
            "mlir.addressof" => Root::Global(inst.op.symbol("global_name").unwrap_or_default().to_string()),
            "mlir.zero" => {
                sets[result.0].insert(NULL);
                continue;
            }
            "getelementptr" | "select" | "freeze" | "mlir.undef" | "mlir.poison" => continue,
            "load" => match field(function, inst) {
                Some(root) => root,
                None => {
                    errors.push(not_stored(&Ty::Ptr, inst.place(), places));
                    continue;
                }
            },
            "intr.stacksave" => {
                errors.push(places.refuse(
                    codes::STORAGE,
                    inst.place(),
                    "a local array whose size is not constant",
                    "give it a constant size, or pass it as an argument",
                ));
                continue;
            }
            "call" => {
                let callee = inst.op.symbol("callee").unwrap_or_default();
                errors.push(places.no_body(callee, inst.place()));
                continue;
            }
            name => {
                errors.push(places.refuse(
                    codes::POINTER,
                    inst.place(),
                    format!("a pointer that comes from `{name}`"),
                    "derive pointers from arguments, local arrays and globals by `+`, `-`, `[]` and `&`",
                ));
                continue;
            }
        };
        let number = roots.iter().position(|r| *r == root).unwrap_or_else(|| {
            roots.push(root);
            roots.len() - 1
        });
        sets[result.0].insert(number);
    }
    loop {
        let mut changed = false;
        let mut flow = |sets: &mut Vec<BTreeSet<usize>>, from: Id, to: Id| {
            let more: Vec<usize> = sets[from.0].difference(&sets[to.0]).copied().collect();
            changed |= !more.is_empty();
            sets[to.0].extend(more);
        };
        for i in function.reached() {
            let inst = &function.insts[i];
            if let Some(result) = inst.result.filter(is_pointer) {
                let from: &[Id] = match inst.name() {
                    "getelementptr" | "freeze" => &inst.operands[..1],
                    "select" => &inst.operands[1..],
                    _ => &[],
                };
                from.iter().for_each(|&f| flow(&mut sets, f, result));
            }
            for (block, arguments) in &inst.successors {
                let targets = &function.blocks[*block].arguments;
                for (&from, &to) in arguments.iter().zip(targets).filter(|(_, to)| is_pointer(to)) {
                    flow(&mut sets, from, to);
                }
            }
        }
        if !changed {
            return (roots, sets);
        }
    }
}

/// The initial bytes of a global, from its attribute or its region.
pub(crate) fn bytes_of(attribute: &Attr, ty: &Ty, out: &mut [u8]) -> Option<()> {
    match attribute {
        Attr::Bytes(bytes) => {
            out.get_mut(..bytes.len())?.copy_from_slice(bytes);
            Some(())
        }
        Attr::Number(text, _) => {
            let scalar = leaf_of(ty)?;
            let bits = crate::literal::bits(text, scalar)?;
            let size = (scalar.width(64) as usize).div_ceil(8);
            out.get_mut(..size)?.copy_from_slice(&bits.to_le_bytes()[..size]);
            Some(())
        }
        Attr::Dense(elements, _) => {
            let scalar = leaf_of(ty)?;
            let size = (scalar.width(64) as usize).div_ceil(8);
            match &elements[..] {
                [Attr::Bytes(hex)] => {
                    let digits = hex.strip_prefix(b"0x")?;
                    let digit = |b: u8| char::from(b).to_digit(16);
                    let byte = |pair: &[u8]| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8);
                    let raw: Vec<u8> = digits.chunks_exact(2).map(byte).collect::<Option<_>>()?;
                    // One element stands for all.
                    let count = out.len();
                    out.iter_mut().zip(raw.iter().cycle()).take(count).for_each(|(o, r)| *o = *r);
                    Some(())
                }
                [] => Some(()),
                list => {
                    for (chunk, element) in out.chunks_exact_mut(size).zip(list.iter().cycle()) {
                        bytes_of(element, ty, chunk)?;
                    }
                    Some(())
                }
            }
        }
        _ => None,
    }
}

fn leaf_of(ty: &Ty) -> Option<Type> {
    match ty {
        Ty::Array(_, element) => leaf_of(element),
        _ => ty.scalar(),
    }
}
