//! Variables that a program reaches by their names alone.
//!
//! No pointer from outside points at a variable that no other file can name and whose address nobody keeps: what is accessed through
//! arguments is elsewhere, as behind `restrict` (LLVM's GlobalsAA finds the same). Looked for in the whole program, before functions that are
//! not chosen are dropped. An address that is loaded from, stored through, stepped on from, or that `memcpy` and its like work at, is
//! not kept; whatever else is done with it counts as keeping it.

use crate::listing::{name_of, symbol};
use std::collections::{BTreeMap, BTreeSet};

/// Calls that keep no address.
const KEEPS_NONE: &[&str] = &["llvm.memcpy.", "llvm.memmove.", "llvm.memset.", "llvm.lifetime."];

/// The names of those variables: of static ones, and of all where nothing but the `whole` program can name any.
pub fn by_name_alone(ll: &str, whole: bool) -> BTreeSet<String> {
    let lines: Vec<&str> = ll.lines().map(str::trim_start).filter(|l| !l.starts_with(['!', ';'])).collect();
    let ours = lines.iter().filter(|l| l.starts_with('@') && is_ours(l, whole));
    let mut found: BTreeSet<String> = ours.filter_map(|l| Some(name_of(l)?.0)).collect();
    for function in lines.chunk_by(|_, next| !next.starts_with("define ")) {
        if found.is_empty() {
            break;
        }
        let addresses = addresses(function, &found);
        for line in function {
            let step = step(line);
            let kept = variables(step.as_ref().map_or(keeping(line), |step| step.1), &found, &addresses);
            // What is stepped on by an address is no step.
            if step.is_none() || kept.len() > 1 {
                found.retain(|name| !kept.contains(name));
            }
        }
    }
    found
}

/// Whether nothing else can name what a line defines.
fn is_ours(line: &str, whole: bool) -> bool {
    let Some((_, definition)) = line.split_once(" = ") else { return false };
    let Some((kind, _)) = definition.split_once("global ") else { return false };
    let mut words = kind.split_whitespace();
    words.clone().all(|word| ["internal", "dso_local"].contains(&word))
        && (whole || words.any(|word| word == "internal"))
}

/// By value of a function: the variable that it is an address in.
fn addresses(function: &[&str], globals: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    // Blocks may stand before those that they come from.
    loop {
        let steps = function.iter().filter_map(|line| step(line));
        let variable = |(to, from): (String, &str)| match &variables(from, globals, &known)[..] {
            [one] => Some((to, one.clone())),
            _ => None,
        };
        let found: BTreeMap<String, String> = steps.filter_map(variable).collect();
        let before = known.len();
        known.extend(found);
        if known.len() == before {
            return known;
        }
    }
}

/// What an address is stepped on to, and from.
fn step(line: &str) -> Option<(String, &str)> {
    let (to, from) = line.split_once(" = getelementptr ")?;
    Some((symbol(to.strip_prefix('%')?)?.0, from))
}

/// The variables that a text has addresses of.
fn variables(text: &str, globals: &BTreeSet<String>, addresses: &BTreeMap<String, String>) -> Vec<String> {
    let names =
        text.match_indices(['@', '%']).filter_map(|(at, mark)| Some((mark, symbol(&text[at + 1..])?.0)));
    let variable = |(mark, name): (&str, String)| match mark {
        "@" => globals.contains(&name).then_some(name),
        _ => addresses.get(&name).cloned(),
    };
    names.filter_map(variable).collect()
}

/// What of a line keeps the addresses that stand in it.
fn keeping(text: &str) -> &str {
    if text.starts_with('@') {
        return text.split_once(" = ").map_or(text, |(_, value)| value);
    }
    if text.starts_with("store ") {
        return text.rsplit_once(", ptr ").map_or(text, |(value, _)| value);
    }
    let is_load = text.split_once(" = ").is_some_and(|(_, op)| op.starts_with("load "));
    let called = text.split_once("call ").and_then(|(_, call)| name_of(call));
    let keeps_none = called.is_some_and(|(name, _)| KEEPS_NONE.iter().any(|k| name.starts_with(k)));
    if is_load || keeps_none {
        ""
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "@table = internal global [4 x [8 x i32]] zeroinitializer\n\
        @\"odd name\" = internal global i32 0\n@seen = global i32 0\n@fixed = internal constant i32 0\n\
        define i32 @f(ptr %p, i64 %i) {\n\
        \x20 %a = getelementptr inbounds [4 x [8 x i32]], ptr @table, i64 0, i64 %i\n\
        \x20 %b = getelementptr inbounds [8 x i32], ptr %a, i64 0, i64 1\n\
        \x20 %c = load i32, ptr %b, align 4\n\
        \x20 store i32 %c, ptr %a, align 4\n\
        \x20 store i32 %c, ptr getelementptr inbounds ([8 x i32], ptr @table, i64 0, i64 3), align 4\n\
        \x20 store i32 1, ptr @\"odd name\"\n\
        \x20 call void @llvm.memset.p0.i64(ptr align 16 @table, i8 0, i64 128, i1 false)\n\
        KEEPS\n}\ndefine void @g(ptr %b) {\n  store ptr %b, ptr @seen\n}\n";

    fn found(keeps: &str) -> Vec<String> {
        by_name_alone(&PROGRAM.replace("KEEPS", keeps), false).into_iter().collect()
    }

    #[test]
    fn a_variable_that_others_can_name_is_ours_in_a_whole_program() {
        let program = "@a = dso_local global i32 0\n@b = internal global i32 0\n@c = external global i32\n@d = weak global i32 0\n";
        let found = |whole| by_name_alone(program, whole).into_iter().collect::<Vec<_>>();
        assert_eq!(
            (found(false), found(true)),
            (vec!["b".to_string()], vec!["a".to_string(), "b".to_string()])
        );
    }

    #[test]
    fn an_address_that_is_only_used_is_not_kept() {
        assert_eq!(found(""), ["odd name", "table"]);
    }

    #[test]
    fn an_address_that_goes_anywhere_is_kept() {
        let all = [
            "  store ptr %b, ptr %p",
            "  store ptr @table, ptr %p",
            "  store ptr getelementptr inbounds ([8 x i32], ptr @table, i64 0, i64 3), ptr %p",
            "  %d = call i32 @h(ptr noundef %a)",
            "  %d = select i1 %x, ptr %p, ptr %b",
            "  %d = phi ptr [ %p, %one ], [ %a, %two ]",
            "  %d = phi ptr [ %p, %one ], [ %e, %two ]\n  %e = getelementptr i32, ptr %b, i64 1",
            "  %d = ptrtoint ptr %b to i64",
            "  %d = getelementptr i8, ptr %p, i64 ptrtoint (ptr @table to i64)\n  call void @h(ptr %d)",
            "  ret ptr @table",
            "}\n@other = global ptr @table",
        ];
        for keeps in all {
            assert_eq!(found(keeps), ["odd name"], "{keeps}");
        }
    }
}
