//! Hints in `.ll` text, before any pass has run over it.
//!
//! The functions of `loom.h` stay calls until the loops around them are known, so they must stand in nobody's way: they are
//! declared as reading memory that nothing else sees, and as perhaps not returning, which keeps passes from dropping them and
//! from nothing else. The pragmas that clang understands become such calls. Annotations take an address, and would keep a
//! variable in memory: they go.

use crate::codes;
use crate::listing::{debug_place, MARK};
use crate::places::Places;
use loom_base::{Diagnostic, Diagnostics, Source};
use std::fmt::Write as _;

/// The calls that stay: name, and types of the arguments.
const KEPT: [(&str, &str); 5] = [
    ("__loom_independent", ""),
    ("__loom_unroll", "i32 noundef"),
    ("__loom_unroll_fully", ""),
    ("__loom_trip", "i64 noundef, i64 noundef"),
    ("__loom_banks", "ptr nocapture noundef readnone, i32 noundef"),
];

/// The text with its hints as calls, and what in it has no effect.
pub fn prepared(ll: &str, source: &Source) -> (String, Diagnostics) {
    let metadata = Metadata::new(ll);
    let places = Places::new(source);
    let (mut out, mut ignored) = (String::with_capacity(ll.len()), Vec::new());
    for line in ll.lines() {
        if KEPT.iter().any(|(name, _)| is_declaration(line, name)) {
            continue;
        }
        if line.starts_with("@llvm.global.annotations") {
            ignored.extend(unknown_marks(line, ll));
            continue;
        }
        if line.contains("@llvm.var.annotation") {
            let call = line.trim_start();
            if call.starts_with("call void @") || call.starts_with("tail call void @") {
                ignored.push(Ignored::Variable.warning(debug_place(ll, place_of(line)).as_ref(), &places));
                continue;
            }
        }
        if let Some(same) = without_annotation(line) {
            ignored.push(Ignored::Value.warning(debug_place(ll, place_of(line)).as_ref(), &places));
            out.push_str(&same);
            out.push('\n');
            continue;
        }
        for call in line.rsplit_once("!llvm.loop !").map(|(_, id)| metadata.calls(id)).unwrap_or_default() {
            let debug = place_of(line);
            let _ = write!(out, "  call void @{call}");
            out.push_str(&if debug.is_empty() { "\n".into() } else { format!(", !dbg {debug}\n") });
        }
        out.push_str(line);
        out.push('\n');
    }
    for (name, arguments) in KEPT {
        let _ = writeln!(out, "declare void @{name}({arguments}) nounwind memory(inaccessiblemem: read)");
    }
    (out, ignored)
}

fn is_declaration(line: &str, name: &str) -> bool {
    line.starts_with("declare ") && line.contains(&format!(" @{name}("))
}

/// `!12` of `!dbg !12`.
fn place_of(line: &str) -> &str {
    let id = line.split_once("!dbg ").map_or("", |(_, rest)| rest);
    id.split([',', ' ']).next().unwrap_or("")
}

/// What is read over, with a warning.
enum Ignored {
    Variable,
    Value,
}

impl Ignored {
    fn warning(&self, place: Option<&crate::text::Place>, places: &Places) -> Diagnostic {
        let (message, help) = match self {
            Ignored::Variable => ("the annotation of a variable has no effect", "take it out, or leave it"),
            Ignored::Value => {
                ("the annotation of a value or field has no effect", "take it out, or leave it")
            }
        };
        places.at(Diagnostic::warning(codes::IGNORED, message), place, "").help(help)
    }
}

/// Annotations of functions and globals that are not ours.
fn unknown_marks(line: &str, ll: &str) -> Diagnostics {
    let mut out = Diagnostics::new();
    for (function, text) in crate::listing::annotations(line, ll) {
        if text != MARK {
            let message = format!("the annotation `{text}` of `{function}` has no effect");
            let help = format!("the mark of a function is `{MARK}`");
            out.push(Diagnostic::warning(codes::IGNORED, message).help(help));
        }
    }
    out
}

/// A line that annotates a value, as one that only passes it on.
fn without_annotation(line: &str) -> Option<String> {
    let (head, call) = line.split_once("call ")?;
    let (ty, rest) = call.split_once(" @llvm.")?;
    let rest = rest.strip_prefix("ptr.").unwrap_or(rest).strip_prefix("annotation.")?;
    let value = rest.split_once('(')?.1.split(',').next()?.rsplit(' ').next()?;
    let debug = place_of(line);
    let debug = if debug.is_empty() { String::new() } else { format!(", !dbg {debug}") };
    let head = head.trim_end_matches("tail ");
    Some(match ty {
        "ptr" => format!("{head}getelementptr i8, ptr {value}, i64 0{debug}"),
        _ => format!("{head}add {ty} {value}, 0{debug}"),
    })
}

/// The metadata that says something about loops.
struct Metadata<'t> {
    definitions: std::collections::BTreeMap<&'t str, &'t str>,
}

impl<'t> Metadata<'t> {
    fn new(ll: &'t str) -> Metadata<'t> {
        let lines = ll.lines().filter(|l| l.starts_with('!'));
        Metadata { definitions: lines.filter_map(|l| l.split_once(" = ")).collect() }
    }

    /// The calls that say what a loop's metadata does.
    fn calls(&self, id: &str) -> Vec<String> {
        let id = format!("!{}", id.split([',', ' ']).next().unwrap_or(id));
        let Some(list) = self.definitions.get(id.as_str()) else { return Vec::new() };
        let parts = list.trim_start_matches("distinct ").trim_start_matches("!{").trim_end_matches('}');
        let texts = parts.split(", ").filter_map(|p| self.definitions.get(p));
        let calls = texts.filter_map(|text| {
            let text = text.strip_prefix("!{!\"llvm.loop.")?.trim_end_matches('}');
            let (name, value) = text.split_once('"')?;
            Some(match name {
                "unroll.count" => format!("__loom_unroll({})", value.trim_start_matches(", ")),
                "unroll.enable" | "unroll.full" => "__loom_unroll_fully()".into(),
                "unroll.disable" => "__loom_unroll(i32 1)".into(),
                "parallel_accesses" => "__loom_independent()".into(),
                _ => return None,
            })
        });
        calls.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepare(ll: &str) -> (String, Diagnostics) {
        prepared(ll, &Source::new("k.c", "void f() {}\n"))
    }

    #[test]
    fn pragmas_become_calls_before_the_jump() {
        let ll = "  br label %h, !dbg !9, !llvm.loop !3\n!3 = distinct !{!3, !4, !5}\n\
                  !4 = !{!\"llvm.loop.mustprogress\"}\n!5 = !{!\"llvm.loop.unroll.count\", i32 4}\n";
        let (text, ignored) = prepare(ll);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "  call void @__loom_unroll(i32 4), !dbg !9");
        assert!(lines[1].starts_with("  br label %h"));
        assert!(ignored.is_empty());
    }

    #[test]
    fn what_has_no_effect_is_said_and_goes() {
        let ll = "  call void @llvm.var.annotation.p0.p0(ptr %a, ptr @.str, ptr @.f, i32 3, ptr null), !dbg !9\n  \
                  %1 = call ptr @llvm.ptr.annotation.p0.p0(ptr %b, ptr @.str, ptr @.f, i32 3, ptr null)\n  \
                  %2 = call i32 @llvm.annotation.i32.p0(i32 %v, ptr @.str, ptr @.f, i32 3)\n";
        let (text, ignored) = prepare(ll);
        assert_eq!(ignored.len(), 3);
        assert!(ignored.iter().all(|d| d.code == codes::IGNORED));
        let lines: Vec<&str> = text.lines().take(2).collect();
        assert_eq!(lines, ["  %1 = getelementptr i8, ptr %b, i64 0", "  %2 = add i32 %v, 0"]);
    }
}
