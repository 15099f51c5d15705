//! The function that a conversion fills: its arguments with their promises, and its results.

use super::{flat, Layout};
use crate::aliases;
use crate::codes;
use crate::counts::MOST;
use crate::places::Places;
use crate::pointers::Pointers;
use crate::program::Function;
use crate::results;
use crate::roots::Root;
use crate::types::Ty;
use loom_base::{Diagnostic, Diagnostics};
use loom_dfg::Type;
use loom_front::ir::{Func, ValueType};

/// A function with an empty block. Behind its own arguments stand the addresses that are passed besides, and which arguments are
/// null.
pub(super) fn signature(
    function: &Function,
    names: &[String],
    pointers: &Pointers,
    layout: &Layout,
    places: &Places,
) -> Result<Func, Diagnostics> {
    let mut arguments = Vec::new();
    for (index, &id) in function.blocks[0].arguments.iter().enumerate() {
        let name = names.get(index).map_or("", |n| n.as_str());
        let is_end = pointers.number(&Root::Argument(index)).is_some_and(|r| pointers.ends.contains_key(&r));
        let ty = match (function.ty(id), pointers.arrays(id).first()) {
            (Ty::Ptr, Some(_)) if is_end => ValueType::Scalar(Type::Index),
            _ if layout.counts.arguments.contains_key(&index) => ValueType::Scalar(Type::Index),
            (Ty::Ptr, Some(&root)) => flat(None, pointers.words[root].views[pointers.views[root][0]]),
            (ty, _) => match ty.argument() {
                Some(scalar) => ValueType::Scalar(Ty::passed(scalar)),
                None => {
                    return Err(vec![refused(
                        function,
                        places,
                        &format!("an argument of type `{}`", ty.describe()),
                    )])
                }
            },
        };
        arguments.push((name, ty));
    }
    let passed = passed(names, pointers, layout);
    arguments.extend(passed.iter().map(|(name, ty)| (&name[..], ty.clone())));
    let tests: Vec<String> = layout.nulls.iter().map(|&index| null_name(names, index)).collect();
    arguments.extend(tests.iter().map(|name| (&name[..], ValueType::Scalar(Type::I1))));
    let results: Vec<ValueType> = match (&function.result, results::types(&function.result)) {
        (Ty::Ptr, _) => return Err(vec![refused(function, places, "a result that is a pointer")]),
        (_, Some(numbers)) => numbers.into_iter().map(|ty| ValueType::Scalar(Ty::passed(ty))).collect(),
        (ty, None) => {
            return Err(vec![refused(function, places, &format!("a result of type `{}`", ty.describe()))])
        }
    };
    let mut func = Func::new(function.symbol.clone(), &arguments, &results);
    func.span = places.span(function.place.as_ref());
    let memrefs: Vec<bool> = arguments.iter().map(|(_, ty)| matches!(ty, ValueType::Memref(_))).collect();
    let attributes = func.argument_attributes.iter_mut().zip(&function.promises).zip(memrefs);
    for ((attributes, promises), _) in attributes.filter(|(_, is_memref)| *is_memref) {
        // What a struct passed by value lies in, and what a result is returned in, is nobody else's.
        let own = ["llvm.noalias", "llvm.byval", "llvm.sret"];
        attributes.noalias = promises.iter().any(|p| own.contains(&p.as_str()));
    }
    for (&index, &is_signed) in &layout.counts.arguments {
        func.argument_attributes[index].range = Some((if is_signed { -MOST } else { 0 }, MOST));
    }
    let behind = func.argument_attributes.iter_mut().skip(function.blocks[0].arguments.len());
    for (attributes, &(root, _)) in behind.zip(layout.passed) {
        attributes.local = matches!(pointers.roots[root], Root::Stack(_));
        attributes.noalias = match &pointers.roots[root] {
            Root::Stack(_) => true,
            Root::Global(name) => layout.private.contains(name),
            Root::Argument(_) | Root::Field { .. } => false,
        };
    }
    mark_views(&mut func, function, pointers, layout);
    mark_alias_sets(&mut func, function, pointers, layout);
    Ok(func)
}

/// The addresses that are passed behind the arguments: name and type.
fn passed(names: &[String], pointers: &Pointers, layout: &Layout) -> Vec<(String, ValueType)> {
    let mut passed = Vec::new();
    for &(root, view) in layout.passed {
        // A name that another argument has, or that is none in MLIR, is left to the printer.
        let plain = |n: &&str| n.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let name = match &pointers.roots[root] {
            Root::Global(name) => Some(name.clone()),
            Root::Field { argument, offset } => field_name(names, *argument, *offset),
            Root::Argument(index) => names.get(*index).filter(|n| !n.is_empty()).cloned(),
            Root::Stack(_) => Some(format!("local_{root}")),
        };
        let element = pointers.words[root].views[view];
        let is_first = pointers.views[root][0] == view;
        let name = name.map(|n| if is_first { n } else { format!("{n}_{element}") });
        let name = name.filter(|n| plain(&&n[..]) && !names.contains(n));
        let ty = match pointers.ends.contains_key(&root) {
            true => ValueType::Scalar(Type::Index),
            false => flat(None, element),
        };
        passed.push((name.unwrap_or_default(), ty));
    }
    passed
}

/// Says of arguments that are views of one array that they are; what holds of the array holds of all.
fn mark_views(func: &mut Func, function: &Function, pointers: &Pointers, layout: &Layout) {
    let own = function.blocks[0].arguments.len();
    for (slot, &(root, _)) in (own..).zip(layout.passed) {
        if pointers.views[root].len() == 1 {
            continue;
        }
        func.argument_attributes[slot].view = Some(root as u32);
        if let Root::Argument(index) = pointers.roots[root] {
            func.argument_attributes[index].view = Some(root as u32);
            func.argument_attributes[slot].noalias = func.argument_attributes[index].noalias;
        }
    }
}

/// Says which of the arrays that may overlap their types take apart.
fn mark_alias_sets(func: &mut Func, function: &Function, pointers: &Pointers, layout: &Layout) {
    let own = function.blocks[0].arguments.len();
    let own = (0..own).map(|index| {
        let root = pointers.number(&Root::Argument(index))?;
        Some((root, pointers.views[root][0]))
    });
    let slots = own.chain(layout.passed.iter().map(|&slot| Some(slot)));
    let overlap = slots.enumerate().filter_map(|(at, slot)| {
        let may = func.argument_types[at].memref().is_some() && !func.argument_attributes[at].noalias;
        Some((at, slot.filter(|_| may)?))
    });
    let (places, slots): (Vec<usize>, Vec<aliases::Slot>) = overlap.unzip();
    for (at, set) in places.into_iter().zip(aliases::sets(function, pointers, &slots)) {
        func.argument_attributes[at].alias_set = set;
    }
}

/// `weight_null`, where the argument has a name and no other is called that.
fn null_name(names: &[String], index: usize) -> String {
    let name = names.get(index).filter(|n| !n.is_empty()).map(|n| format!("{n}_null"));
    name.filter(|n| !names.contains(n)).unwrap_or_default()
}

/// `a_8` for the pointer 8 bytes behind the start of what `a` points at.
fn field_name(names: &[String], argument: usize, offset: u64) -> Option<String> {
    let name = names.get(argument).filter(|n| !n.is_empty())?;
    Some(format!("{name}_{offset}"))
}

/// Refuses what a function takes or gives.
fn refused(function: &Function, places: &Places, what: &str) -> Diagnostic {
    let help = "take numbers and pointers to arrays, and return numbers";
    places.refuse(
        codes::SIGNATURE,
        function.place.as_ref(),
        format!("`{}` has {what}", function.symbol),
        help,
    )
}
