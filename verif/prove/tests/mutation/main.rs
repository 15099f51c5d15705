//! Mutation testing of the hardware: small mistakes planted in every leaf module and in the wiring of a fabric, one at a
//! time, and what notices them.
//!
//! A mutant is judged by the fast checks of `loom_testkit::components` (software models under random stalls, in the evaluator).
//! One that passes is compared with the original by ABC: where both do the same for ever, behind neighbours that keep
//! the protocol, it is equivalent and counts for nothing; so it is where the checks ask for all that a module can do. What is left goes to the unbounded proofs.
//!
//! `make mutate` runs all of it and writes the tables into `docs/reports`; as a test it takes every
//! [`SAMPLE`]th mutant. At least 95 % of those that are not equivalent must be killed. A name of a target limits the run to it.

mod equivalent;
mod fabric;
mod targets;

use equivalent::{equivalent, Verdict};
use loom_base::page::page;
use loom_hdl::ir::Design;
use loom_prove::{Entry, ProofOptions, ProofOutcome};
use loom_testkit::components::planted;
use loom_testkit::mutate::{mutants, replaced, Mutant};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;
use std::time::Instant;
use targets::{targets, Target};

/// In `make test` one of so many mutants is tried.
const SAMPLE: usize = 97;
/// Mutants of a target beyond this are thinned out evenly.
const LIMIT: usize = 100;
/// What can be asked for by name; the title of its page, `mutation-<name>.md`.
const LEAF: (&str, &str) = ("leaf", "Mutation of the leaf modules");
const FABRIC: (&str, &str) = ("fabric", "Mutation of a fabric");

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Tests,
    Proofs,
    Equivalent,
    Survives,
}

/// Seconds that one call of yosys or ABC may take.
const TOOL_SECONDS: u32 = 60;

/// Puts programs in front of PATH that end yosys and ABC in time, whoever calls them.
fn limited_tools() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("temporary folder");
    for tool in ["yosys", "yosys-abc"] {
        let Ok(real) = which::which(tool) else { continue };
        let path = dir.path().join(tool);
        let text = format!("#!/bin/sh\nexec timeout -k 5 {TOOL_SECONDS} {} \"$@\"\n", real.display());
        std::fs::write(&path, text).expect("writable");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("ours");
    }
    let old = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(dir.path().to_path_buf()).chain(std::env::split_paths(&old));
    std::env::set_var("PATH", std::env::join_paths(all).expect("a path without separator"));
    dir
}

/// A target's mutants: each module's own, modules of earlier targets left out.
struct Work {
    target: Target,
    found: usize,
    mutants: Vec<Mutant>,
}

fn work(only: Option<&str>) -> Vec<Work> {
    let mut done = BTreeSet::new();
    let mut all = Vec::new();
    for target in targets() {
        let mut design = Design::new();
        design.add(&target.top);
        let modules = design.modules().filter(|m| done.insert(m.name.clone()));
        let found: Vec<Mutant> = modules.flat_map(|m| mutants(m)).collect();
        let step = found.len().div_ceil(LIMIT).max(1);
        if only.is_none_or(|o| target.name.contains(o)) {
            all.push(Work { found: found.len(), mutants: found.into_iter().step_by(step).collect(), target });
        }
    }
    all
}

fn judge(target: &Target, mutant: &Mutant, entries: &[Entry]) -> Fate {
    let run = || target.checks.iter().for_each(|check| check());
    if catch_unwind(AssertUnwindSafe(|| planted::with(&mutant.module, run))).is_err() {
        return Fate::Tests;
    }
    if target.is_decided {
        return Fate::Equivalent;
    }
    let top = replaced(&target.top, &mutant.module);
    if equivalent(&target.top, &top) == Verdict::Same {
        return Fate::Equivalent;
    }
    let dir = tempfile::tempdir().expect("temporary folder");
    let options = ProofOptions { out: dir.path().to_path_buf(), timeout: Some(20), jobs: 1 };
    let uses = |e: &&Entry| {
        let mut design = Design::new();
        design.add(&e.dut);
        design.get(&mutant.module.name).is_some()
    };
    // The narrowest first; two shapes at most.
    let mut of: Vec<&Entry> = entries.iter().filter(uses).collect();
    of.sort_by_key(|e| e.width.abs_diff(8));
    let killed = of.into_iter().take(2).any(|e| {
        let planted = Entry { dut: replaced(&e.dut, &mutant.module), ..e.clone() };
        let outcome = loom_prove::prove(&planted, &options, &[]).map(|p| p.outcome);
        matches!(
            outcome,
            Ok(ProofOutcome::Violated { .. } | ProofOutcome::Path(_) | ProofOutcome::Unreached(_))
        )
    });
    match killed {
        true => Fate::Proofs,
        false => Fate::Survives,
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let full = args.iter().any(|a| a == "--ignored");
    let doc = args.iter().position(|a| a == "--pages").and_then(|at| args.get(at + 1));
    let only = args.iter().find(|a| !a.starts_with("--") && Some(*a) != doc);
    let parts = [LEAF, FABRIC];
    let wants = |part: &(&str, &str)| only.is_none_or(|o| o == part.0);
    // Without a folder the text is on the terminal alone.
    let write = |part: (&str, &str), text: &str| {
        println!("{text}");
        if let Some(path) = doc {
            let path = Path::new(path).join(format!("mutation-{}.md", part.0));
            let page = page(part.1, "mutate", "docs/verification.md", text);
            std::fs::write(&path, page).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        }
    };
    let start = Instant::now();
    let _tools = limited_tools();
    if full && only.is_some_and(|o| o == FABRIC.0) {
        write(FABRIC, &of_fabric(&fabric::judge()));
        return;
    }
    let entries = loom_prove::table::entries();
    let mut all = work(only.filter(|_| !parts.iter().any(wants)).map(String::as_str));
    if !full {
        let mut count = 0;
        for work in &mut all {
            work.mutants.retain(|_| {
                count += 1;
                count % SAMPLE == 0
            });
        }
        all.retain(|w| !w.mutants.is_empty());
    }
    // In `make test` the checks without a mutant are tests of their own.
    for work in all.iter().filter(|_| full) {
        let run = || work.target.checks.iter().for_each(|check| check());
        if catch_unwind(AssertUnwindSafe(run)).is_err() {
            eprintln!("{}: the checks fail without a mutant", work.target.name);
            std::process::exit(1);
        }
    }
    // From here on a check that panics is what is hoped for.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut lines = Vec::new();
    let (mut survivors, mut sum) = (Vec::new(), [0usize; 6]);
    for Work { target, found, mutants } in &all {
        let fates: Vec<Fate> = mutants.par_iter().map(|m| judge(target, m, &entries)).collect();
        let of = |fate: Fate| fates.iter().filter(|f| **f == fate).count();
        let counts = [
            *found,
            fates.len(),
            of(Fate::Tests),
            of(Fate::Proofs),
            of(Fate::Equivalent),
            of(Fate::Survives),
        ];
        sum.iter_mut().zip(counts).for_each(|(s, c)| *s += c);
        lines.push(line(target.name, &counts));
        eprintln!("{} ({:.0} s)", lines[lines.len() - 1], start.elapsed().as_secs_f32());
        for (mutant, fate) in mutants.iter().zip(&fates) {
            if *fate == Fate::Survives {
                survivors.push(survivor(mutant));
                eprintln!("  survives: {} {}", mutant.module.name, mutant.what);
            }
            if *fate == Fate::Proofs && full {
                eprintln!("  proof only: {} {}", mutant.module.name, mutant.what);
            }
        }
    }
    lines.push(line("**all**", &sum));
    let killed = sum[2] + sum[3];
    let score = 100.0 * killed as f64 / (sum[1] - sum[4]).max(1) as f64;
    let text = report(&lines, &survivors, score);
    match wants(&LEAF) {
        true => write(LEAF, &text),
        false => println!("{text}"),
    }
    std::panic::set_hook(hook);
    if full && only.is_none() {
        write(FABRIC, &of_fabric(&fabric::judge()));
    }
    let wanted = 95.0;
    if score < wanted {
        eprintln!("{score:.1} % is below {wanted} %");
        std::process::exit(1);
    }
}

fn line(name: &str, [found, tried, tests, proofs, equivalent, survive]: &[usize; 6]) -> String {
    let score = 100.0 * (tests + proofs) as f64 / (tried - equivalent).max(1) as f64;
    format!("| {name} | {found} | {tried} | {tests} | {proofs} | {equivalent} | {survive} | {score:.1} % |")
}

/// A line of the list.
fn survivor(mutant: &Mutant) -> String {
    format!("`{}`: {}", mutant.module.name, mutant.what)
}

/// The fabric's table and survivors.
fn of_fabric(rows: &[fabric::Row]) -> String {
    let mut text = String::from(
        "| module of `mesh-2x2` | mutants | tried | refused as a cycle | killed by runs | survive | score |\n|---|---|---|---|---|---|---|\n",
    );
    let mut survivors = String::new();
    for row in rows {
        let count = |fate| row.fates.iter().filter(|(_, f)| *f == fate).count();
        let (all, survive) = (row.fates.len(), count(fabric::Fate::Survives));
        let score = 100.0 * (all - survive) as f64 / all.max(1) as f64;
        let _ = writeln!(
            text,
            "| `{}` | {} | {all} | {} | {} | {survive} | {score:.1} % |",
            row.module,
            row.found,
            count(fabric::Fate::Refused),
            count(fabric::Fate::Killed)
        );
        for (mutant, _) in row.fates.iter().filter(|(_, f)| *f == fabric::Fate::Survives) {
            let _ = writeln!(survivors, "- {}", survivor(mutant));
        }
    }
    if !survivors.is_empty() {
        let _ = writeln!(text, "\nSurvivors of the fabric:\n\n{}", survivors.trim_end());
    }
    text
}

fn report(lines: &[String], survivors: &[String], score: f64) -> String {
    let mut text = String::from(
        "| module | mutants | tried | killed by tests | killed by proofs alone | equivalent | survive | score |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for line in lines {
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(text, "\nScore: {score:.1} % of the mutants that are not equivalent are killed.");
    if !survivors.is_empty() {
        let _ = writeln!(text, "\nSurvivors:\n");
        for survivor in survivors {
            let _ = writeln!(text, "- {survivor}");
        }
    }
    text
}
