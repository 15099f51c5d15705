//! A function's body in `.ll` text replaced by a call that hands everything over: what the rest of a program is built with
//! when the function itself runs elsewhere.
//!
//! The new body writes each argument's bits and each address that is passed behind them into an array of `i64`, calls
//!
//! ```text
//! void __loom_call(i32 function, ptr slots, i32 count, i32 results)
//! ```
//!
//! and returns what that left in the first slots: a number in each, several for a small struct. Name, linkage and signature stay, so callers, static ones and templates
//! among them, notice nothing.
//!
//! Guarantees: no caller sees through the body, since it is not inlined and the callee is unknown. Refuses types that no
//! converted function has among its arguments.

use crate::{listing, Passed};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The function that stubs call.
pub const CALLEE: &str = "__loom_call";

/// What takes the place of a body.
#[derive(Clone, Debug)]
pub struct Stub<'a> {
    /// Symbol of the function.
    pub symbol: &'a str,
    /// The number that calls name it by.
    pub number: usize,
    /// Addresses that go into the slots behind the arguments.
    pub passed: &'a [Passed],
}

impl<'a> Stub<'a> {
    /// The globals among them.
    pub fn globals(&self) -> impl Iterator<Item = &'a str> {
        let named = self.passed.iter().filter_map(|p| match p {
            Passed::Global(name) => Some(&name[..]),
            Passed::Argument(_) | Passed::Field { .. } | Passed::Local { .. } => None,
        });
        // One with several views is passed for each.
        named.collect::<BTreeSet<&str>>().into_iter()
    }
}

/// Why there is no stub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// The text does not define the function.
    Absent,
    /// An argument or the result has this type.
    Type(String),
}

/// The text with the function's body replaced.
pub fn replace(ll: &str, stub: &Stub) -> Result<String, Unfit> {
    let is_it = |line: &str| {
        line.starts_with("define ") && listing::name_of(line).is_some_and(|(name, _)| name == stub.symbol)
    };
    let mut out = String::with_capacity(ll.len());
    let mut lines = ll.lines();
    let mut found = false;
    while let Some(line) = lines.next() {
        if !is_it(line) {
            out.push_str(line);
            out.push('\n');
            continue;
        }
        found = true;
        out.push_str(&definition(line, stub).map_err(Unfit::Type)?);
        // Nothing but the end of a body stands alone in its line.
        lines.by_ref().find(|l| *l == "}");
    }
    if !found {
        return Err(Unfit::Absent);
    }
    let declared = |start: &str| out.lines().any(|l| l.starts_with(start));
    let mut more = String::new();
    if !declared(&format!("declare void @{CALLEE}(")) {
        let _ = writeln!(more, "declare void @{CALLEE}(i32, ptr, i32, i32)");
    }
    for global in stub.globals().filter(|g| !listing::globals(&out).any(|known| known == *g)) {
        let _ = writeln!(more, "@\"{global}\" = external global i8");
    }
    Ok(out + &more)
}

/// The new definition, from the line that begins the old one.
fn definition(line: &str, stub: &Stub) -> Result<String, String> {
    let (_, rest) = listing::name_of(line).ok_or("a function without a name")?;
    let head = &line[..line.len() - rest.len()];
    let inside = rest.strip_prefix('(').ok_or("a function without arguments")?;
    let parameters = listing::top_level(inside);
    let result = last_type(head.split_once('@').map_or("", |(before, _)| before.trim()));
    let names: Vec<String> = (0..parameters.len()).map(|i| format!("%a{i}")).collect();
    let mut typed = Vec::new();
    // The result first, so that it is known how many slots it takes.
    let (mut returned, mut results) = (String::new(), 0);
    if result == "void" {
        returned.push_str("  ret void\n");
    } else {
        let value = rebuilt(&mut returned, result, &mut results).ok_or_else(|| result.to_string())?;
        let _ = writeln!(returned, "  ret {result} {value}");
    }
    let mut body = String::from("entry:\n");
    let count = parameters.len() + stub.passed.len();
    let _ = writeln!(body, "  %slots = alloca [{} x i64], align 8", count.max(results).max(1));
    let store = |body: &mut String, slot: usize, bits: &str| {
        let _ = writeln!(body, "  %p{slot} = getelementptr i64, ptr %slots, i64 {slot}");
        let _ = writeln!(body, "  store i64 {bits}, ptr %p{slot}, align 8");
    };
    for (slot, (parameter, name)) in parameters.iter().zip(&names).enumerate() {
        let ty = first_type(parameter);
        // Without its old name, which is last.
        let kept = parameter.rsplit_once(" %").map_or(&parameter[..], |(kept, _)| kept);
        typed.push(format!("{kept} {name}"));
        let bits = widen(&mut body, ty, name, slot).ok_or_else(|| ty.to_string())?;
        store(&mut body, slot, &bits);
    }
    let locals: BTreeMap<usize, u64> = (stub.passed.iter())
        .filter_map(|p| match *p {
            Passed::Local { number, bytes, .. } => Some((number, bytes)),
            _ => None,
        })
        .collect();
    for (number, bytes) in locals {
        let _ = writeln!(body, "  %local{number} = alloca [{bytes} x i8], align 16");
    }
    for (slot, passed) in (parameters.len()..).zip(stub.passed) {
        let _ = match passed {
            Passed::Local { number, offset, .. } => writeln!(
                body,
                "  %l{slot} = getelementptr i8, ptr %local{number}, i64 {offset}\n\
                 \x20 %x{slot} = ptrtoint ptr %l{slot} to i64"
            ),
            Passed::Global(global) => writeln!(body, "  %x{slot} = ptrtoint ptr @\"{global}\" to i64"),
            Passed::Argument(index) => writeln!(body, "  %x{slot} = ptrtoint ptr %a{index} to i64"),
            // Where there is no struct the function does not read it either: any slot does.
            Passed::Field { argument, offset } => writeln!(
                body,
                "  %n{slot} = icmp eq ptr %a{argument}, null\n\
                 \x20 %f{slot} = getelementptr i8, ptr %a{argument}, i64 {offset}\n\
                 \x20 %s{slot} = select i1 %n{slot}, ptr %slots, ptr %f{slot}\n\
                 \x20 %x{slot} = load i64, ptr %s{slot}, align 1"
            ),
        };
        store(&mut body, slot, &format!("%x{slot}"));
    }
    let _ =
        writeln!(body, "  call void @{CALLEE}(i32 {}, ptr %slots, i32 {count}, i32 {results})", stub.number);
    body.push_str(&returned);
    Ok(format!("{head}({}) {}{{\n{body}}}\n", typed.join(", "), behind(inside)))
}

/// What stands behind the list of arguments: what still holds there (which of several definitions counts, and where it
/// lies) around the one attribute. The rest (attributes, debug information, who catches exceptions) spoke of the old
/// body.
fn behind(inside: &str) -> String {
    let mut depth = 0;
    let close = inside.find(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    });
    let words: Vec<&str> = inside[close.map_or(inside.len(), |at| at + 1)..].split_whitespace().collect();
    let (mut before, mut after) = (String::new(), String::from("noinline "));
    for (i, word) in words.iter().enumerate() {
        let follows = |named: &str| i > 0 && words[i - 1] == named;
        let place =
            ["align", "section"].iter().any(|w| w == word || follows(w)) || word.starts_with("comdat");
        let kept = match () {
            () if word.ends_with("unnamed_addr") => &mut before,
            () if place => &mut after,
            () => continue,
        };
        kept.push_str(word);
        kept.push(' ');
    }
    before + &after
}

/// A value's bits as `i64`.
fn widen(body: &mut String, ty: &str, name: &str, slot: usize) -> Option<String> {
    let mut step = |text: String| {
        let _ = writeln!(body, "  {text}");
    };
    let bits = match ty {
        "i64" => return Some(name.to_string()),
        "ptr" => {
            step(format!("%x{slot} = ptrtoint ptr {name} to i64"));
            return Some(format!("%x{slot}"));
        }
        _ if integer(ty).is_some() => format!("{ty} {name}"),
        _ => match width(ty)? {
            64 => {
                step(format!("%x{slot} = bitcast {ty} {name} to i64"));
                return Some(format!("%x{slot}"));
            }
            width => {
                step(format!("%b{slot} = bitcast {ty} {name} to i{width}"));
                format!("i{width} %b{slot}")
            }
        },
    };
    step(format!("%x{slot} = zext {bits} to i64"));
    Some(format!("%x{slot}"))
}

/// The type that a text begins with.
fn first_type(text: &str) -> &str {
    let end = if text.starts_with('<') { text.find('>').map(|at| at + 1) } else { text.find(' ') };
    end.map_or(text, |end| &text[..end])
}

/// The type that a text ends with.
fn last_type(text: &str) -> &str {
    let mut depth = 0;
    let begins = |c: char| {
        depth += i32::from("}>".contains(c)) - i32::from("{<".contains(c));
        depth == 0 && c == ' '
    };
    text.rfind(begins).map_or(text, |at| &text[at + 1..])
}

/// A value of the type from the slots that begin with the next one; the next one after it.
fn rebuilt(body: &mut String, ty: &str, slot: &mut usize) -> Option<String> {
    let fields = ty.strip_prefix("{ ").and_then(|fields| fields.strip_suffix(" }"));
    let (members, insert) = if let Some(fields) = fields {
        (listing::top_level(fields), "insertvalue")
    } else if let Some((count, element)) = vector(ty) {
        (vec![element.to_string(); count], "insertelement")
    } else {
        let number = *slot;
        *slot += 1;
        let _ = writeln!(body, "  %q{number} = getelementptr i64, ptr %slots, i64 {number}");
        let _ = writeln!(body, "  %r{number} = load i64, ptr %q{number}, align 8");
        return narrow(body, ty, number);
    };
    let mut whole = String::from("poison");
    // The first part may be a whole of its own with the same first slot, and fewer brackets.
    let name = format!("%w{slot}.{}", ty.matches(['{', '<']).count());
    for (k, member) in members.iter().enumerate() {
        let value = rebuilt(body, member, slot)?;
        let index = if insert == "insertvalue" { k.to_string() } else { format!("i64 {k}") };
        let _ = writeln!(body, "  {name}.{k} = {insert} {ty} {whole}, {member} {value}, {index}");
        whole = format!("{name}.{k}");
    }
    Some(whole)
}

/// The bits of a slot as a number of the type.
fn narrow(body: &mut String, ty: &str, slot: usize) -> Option<String> {
    let mut step = |text: String| {
        let _ = writeln!(body, "  {text}");
    };
    match ty {
        "i64" => return Some(format!("%r{slot}")),
        _ if integer(ty).is_some() => step(format!("%v{slot} = trunc i64 %r{slot} to {ty}")),
        _ => match width(ty)? {
            64 => step(format!("%v{slot} = bitcast i64 %r{slot} to {ty}")),
            width => {
                step(format!("%t{slot} = trunc i64 %r{slot} to i{width}"));
                step(format!("%v{slot} = bitcast i{width} %t{slot} to {ty}"));
            }
        },
    }
    Some(format!("%v{slot}"))
}

/// Bits of an integer that is narrower than a slot.
fn integer(ty: &str) -> Option<u32> {
    ty.strip_prefix('i')?.parse().ok().filter(|bits| (1..64).contains(bits))
}

/// Elements of a vector, and their type.
fn vector(ty: &str) -> Option<(usize, &str)> {
    let (count, element) = ty.strip_prefix('<')?.strip_suffix('>')?.split_once(" x ")?;
    Some((count.parse().ok()?, element))
}

/// Bits of a number, or of a vector of them.
fn width(ty: &str) -> Option<u64> {
    match ty {
        "half" => Some(16),
        "float" => Some(32),
        "double" | "i64" => Some(64),
        _ => match vector(ty) {
            Some((count, element)) => width(element)?.checked_mul(u64::try_from(count).ok()?),
            None => integer(ty).map(u64::from),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
@table = internal global [4 x i32] zeroinitializer
define internal zeroext i1 @f(ptr noalias noundef %a, float %0, i64 %n) unnamed_addr #0 comdat align 2 !dbg !7 {
entry:
  ret i1 false
}

define void @g() {
  ret void
}
";

    fn stub<'a>(symbol: &'a str, passed: &'a [Passed]) -> Stub<'a> {
        Stub { symbol, number: 3, passed }
    }

    /// Each of the lines stands in the text, and no more than once.
    fn has_once(text: &str, lines: &[&str]) {
        for line in lines {
            assert_eq!(text.lines().filter(|l| l == line).count(), 1, "{line}\n{text}");
        }
    }

    #[test]
    fn a_body_is_replaced_and_its_head_kept() {
        let [table, other] = ["table", "other"].map(|name| Passed::Global(name.into()));
        let passed = [table, other, Passed::Field { argument: 0, offset: 8 }];
        let text = replace(TEXT, &stub("f", &passed)).expect("a stub");
        let head = "define internal zeroext i1 @f(ptr noalias noundef %a0, float %a1, i64 %a2) unnamed_addr noinline comdat align 2 {";
        assert!(text.lines().any(|l| l == head), "{text}");
        has_once(
            &text,
            &[
                "  %slots = alloca [6 x i64], align 8",
                "  %x1 = zext i32 %b1 to i64",
                "  store i64 %a2, ptr %p2, align 8",
                "  %x4 = ptrtoint ptr @\"other\" to i64",
                "  call void @__loom_call(i32 3, ptr %slots, i32 6, i32 1)",
                "  %f5 = getelementptr i8, ptr %a0, i64 8",
                "  %x5 = load i64, ptr %s5, align 1",
                "  ret i1 %v0",
                "@\"other\" = external global i8",
            ],
        );
        assert!(!text.contains("ret i1 false") && text.contains("define void @g() {\n  ret void\n}"));
        // A second one in the same text.
        let both = replace(&text, &stub("g", &[])).expect("a stub");
        assert_eq!(both.matches("declare void @__loom_call").count(), 1);
        assert!(both.contains("define void @g() noinline {"));
    }

    /// `struct { long a; struct { float b, c; } d; }` and more slots of results than of arguments.
    #[test]
    fn a_struct_is_put_together_from_its_numbers() {
        let old = "define dso_local { i64, <2 x float> } @f(i32 noundef %a) #0 {\n  ret void\n}\n";
        let text = replace(old, &stub("f", &[])).expect("a stub");
        has_once(
            &text,
            &[
                "define dso_local { i64, <2 x float> } @f(i32 noundef %a0) noinline {",
                "  %slots = alloca [3 x i64], align 8",
                "  call void @__loom_call(i32 3, ptr %slots, i32 1, i32 3)",
                "  %w0.2.0 = insertvalue { i64, <2 x float> } poison, i64 %r0, 0",
                "  %w1.1.1 = insertelement <2 x float> %w1.1.0, float %v2, i64 1",
                "  ret { i64, <2 x float> } %w0.2.1",
            ],
        );
    }

    /// Two floats, and three halves, of which the last fills no vector.
    #[test]
    fn small_structs_of_floats_come_as_bits() {
        let old = "define float @f(<2 x float> %a.coerce, <2 x half> noundef %b, half %c) #0 {\n  ret float 0.0\n}\n";
        let text = replace(old, &stub("f", &[])).expect("a stub");
        has_once(
            &text,
            &[
                "define float @f(<2 x float> %a0, <2 x half> noundef %a1, half %a2) noinline {",
                "  %x0 = bitcast <2 x float> %a0 to i64",
                "  %b1 = bitcast <2 x half> %a1 to i32",
                "  %x1 = zext i32 %b1 to i64",
            ],
        );
    }

    #[test]
    fn what_has_no_slot_is_named() {
        assert_eq!(replace(TEXT, &stub("h", &[])), Err(Unfit::Absent));
        let wide = "define void @f(x86_fp80 %a) {\n  ret void\n}\n";
        assert_eq!(replace(wide, &stub("f", &[])), Err(Unfit::Type("x86_fp80".into())));
        let wide = "define i128 @f(i32 %a) {\n  ret i128 0\n}\n";
        assert_eq!(replace(wide, &stub("f", &[])), Err(Unfit::Type("i128".into())));
    }
}
