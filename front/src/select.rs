//! DFG-domain selection: which region of a function becomes the graph.
//!
//! Candidates respect the SCF hierarchy: the whole function, or one `scf` operation with all that is in it, cut out
//! as a function of its own whose arguments are the values it uses from outside and whose results are its own. A
//! candidate is named by its path, `for0/while1` being the second while directly inside the first for. Without a
//! choice the largest legal one is taken: most operations first, earlier first among equals; legal is what lowering
//! takes. Each candidate tried is compiled for itself: quadratic when all of many are refused, as each is refused for
//! what it holds. When a fabric is given, a count of its units rejects what it cannot hold before anything is mapped.

use crate::codes;
use crate::domain::{self, RootKind};
use crate::edit::{self, Changes};
use crate::ir::{ArgumentAttributes, Func, Kind, OpId, Program, ValueDef, ValueId};
use crate::lower::Lowered;
use crate::normalize::Plain;
use crate::whole::{lower_whole, CompileOptions, Whole};
use loom_base::{Diagnostic, Diagnostics, Name};
use std::collections::{BTreeMap, BTreeSet};

/// A region that may be selected.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// `function` for the whole, else the path.
    pub name: String,
    /// Operations in it.
    pub size: usize,
    op: Option<OpId>,
}

/// All candidates, the largest first.
pub fn candidates(func: &Func) -> Vec<Candidate> {
    let mut list = vec![Candidate { name: "function".into(), size: edit::walk(func).len(), op: None }];
    if let Some(body) = func.body.and_then(|b| func.entry(b)) {
        collect(func, &func.block(body).ops, "", &mut list);
    }
    list.sort_by_key(|c| std::cmp::Reverse(c.size));
    list
}

fn collect(func: &Func, ops: &[OpId], path: &str, list: &mut Vec<Candidate>) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for &op in ops {
        let word = match func.op(op).kind {
            Kind::For { .. } => "for",
            Kind::While => "while",
            Kind::If => "if",
            Kind::IndexSwitch { .. } => "switch",
            _ => continue,
        };
        let n = counts.entry(word).or_default();
        let name = if path.is_empty() { format!("{word}{n}") } else { format!("{path}/{word}{n}") };
        *n += 1;
        list.push(Candidate {
            name: name.clone(),
            size: edit::walk_inside(func, op).len() + 1,
            op: Some(op),
        });
        let inner: Vec<OpId> = (func.op(op).regions.iter())
            .filter_map(|&r| func.entry(r))
            .flat_map(|b| func.block(b).ops.clone())
            .collect();
        collect(func, &inner, &name, list);
    }
}

/// A region that was selected, and what became of it.
pub struct Selected {
    /// Its name.
    pub name: String,
    /// The region as a function of its own, as it was given, with the globals.
    pub source: Program,
    /// Normalized.
    pub plain: Plain,
    /// Lowered.
    pub lowered: Lowered,
    /// The function after each run of [`CompileOptions::print_after`].
    pub printed: Vec<String>,
}

/// Selects and lowers.
pub fn select(program: &Program, func: &Func, options: &CompileOptions) -> Result<Selected, Diagnostics> {
    let all = candidates(func);
    let try_one = |candidate: &Candidate| -> Result<Selected, Diagnostics> {
        let cut = match candidate.op {
            Some(op) => outline(func, op, &candidate.name),
            None => func.clone(),
        };
        let Whole { plain, lowered, printed } = lower_whole(program, &cut, options)?;
        let source = Program { globals: program.globals.clone(), funcs: vec![cut] };
        Ok(Selected { name: candidate.name.clone(), source, plain, lowered, printed })
    };
    let selected = match &options.domain {
        Some(name) => {
            let Some(candidate) = all.iter().find(|c| c.name == *name) else {
                let names: Vec<String> = all.iter().map(|c| format!("`{}`", c.name)).collect();
                let message = format!("`@{}` has no region `{name}`", func.name);
                let d = Diagnostic::error(codes::SELECTION, message).at_opt(func.span.clone(), "");
                return Err(vec![d.help(format!("its regions are {}", names.join(", ")))]);
            };
            try_one(candidate)?
        }
        None => {
            // The reasons against the whole function are those a user can do something about.
            let mut reasons = Vec::new();
            let found = all.iter().find_map(|candidate| {
                let tried = try_one(candidate);
                if let (Err(errors), true) = (&tried, reasons.is_empty()) {
                    reasons.clone_from(errors);
                }
                tried.ok()
            });
            match found {
                Some(found) => found,
                None => return Err(reasons),
            }
        }
    };
    let Some(room) = &options.room else { return Ok(selected) };
    let missing = room.missing(&selected.lowered.graph);
    if missing.is_empty() {
        return Ok(selected);
    }
    let message = format!("`{}` of `@{}` does not fit `{}`", selected.name, func.name, room.fabric());
    let d = Diagnostic::error(codes::RESOURCES, message).at_opt(func.span.clone(), "");
    let d = missing.into_iter().fold(d, Diagnostic::note);
    let fits = |c: &&Candidate| try_one(c).is_ok_and(|s| room.missing(&s.lowered.graph).is_empty());
    // Who names a region wants that one.
    Err(vec![match all.iter().filter(|_| options.domain.is_none()).find(fits) {
        Some(smaller) => d.help(format!("`--domain {}` would fit; or take a larger fabric", smaller.name)),
        None => d.help("take a fabric that has these units, or leave a part of it to the host"),
    }])
}

/// Cuts an operation out as a function: what it uses from outside becomes arguments, in order of first use.
fn outline(func: &Func, op: OpId, name: &str) -> Func {
    let mut out = func.clone();
    let parents = edit::Parents::new(func);
    let mut captured: Vec<ValueId> = Vec::new();
    // Constants from outside are made anew.
    let mut constants: Vec<ValueId> = Vec::new();
    let mut seen = BTreeSet::new();
    for o in std::iter::once(op).chain(edit::walk_inside(func, op)) {
        for &v in &func.op(o).operands {
            if !seen.insert(v) || !parents.is_outside(func, v, op) {
                continue;
            }
            match edit::constant(func, v) {
                Some(_) => constants.push(v),
                None => captured.push(v),
            }
        }
    }
    let long = format!("{}_{}", func.name, name.replace('/', "_"));
    out.name = Name::fitted(&long).map_or(long, |fitted| fitted.to_string());
    out.private = false;
    out.result_types = func.op(op).results.iter().map(|&r| func.ty(r).clone()).collect();
    let region = out.add_region();
    let block = out.add_block(region);
    out.body = Some(region);
    out.argument_types = captured.iter().map(|&v| func.ty(v).clone()).collect();
    // What was apart in the function is apart here: the only view of a root that overlaps no other.
    let roots: Vec<_> = captured.iter().map(|&v| domain::root(func, v).map(|r| r.0)).collect();
    let own = |k: usize| match &roots[k] {
        Some(RootKind::Argument(v)) => {
            let at = func.arguments().iter().position(|a| a == v);
            at.and_then(|i| func.argument_attributes.get(i)).copied().unwrap_or_default()
        }
        root => ArgumentAttributes {
            noalias: root.is_some(),
            local: matches!(root, Some(RootKind::Alloc(_))),
            ..ArgumentAttributes::default()
        },
    };
    out.argument_attributes = (0..captured.len())
        .map(|k| {
            let alone = roots.iter().filter(|r| **r == roots[k]).count() == 1;
            let of = own(k);
            ArgumentAttributes { noalias: alone && of.noalias, ..of }
        })
        .collect();
    let mut changes = Changes::default();
    for v in constants {
        if let ValueDef::Result { op: made, .. } = func.value(v).def {
            let kind = func.op(made).kind.clone();
            let new = out.push_op(block, kind, &[], &[func.ty(v).clone()]);
            let value = out.result(new, 0);
            changes.replace(v, value);
        }
    }
    for (k, &v) in captured.iter().enumerate() {
        let name = func.value(v).name.clone();
        let argument = out.add_argument(
            block,
            if name.is_empty() { format!("in{k}") } else { name },
            func.ty(v).clone(),
        );
        changes.replace(v, argument);
    }
    changes.apply(&mut out);
    out.blocks[block.0 as usize].ops.push(op);
    let results = out.op(op).results.clone();
    out.push_op(block, Kind::Return, &results, &[]);
    out
}
