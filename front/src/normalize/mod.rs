//! From a verified function without jumps ([`crate::structure`]) to a plain one, which lowering takes.
//!
//! A plain function has one block per region, `scf.if`, `scf.for` over index and `scf.while` as its only control,
//! and accesses of one word of a rank-1 root. Normalization first refuses what has no place on the fabric, then
//! runs the passes ([`crate::passes`]). Dependences are taken before views are flattened, while dimensions are still
//! told apart.
//!
//! The two modules name each other: the list of passes holds the rewrites that are here, and what runs here is taken from
//! the list, so that a pass that is listed, shown and tested is the one that runs.

pub(crate) mod balance;
pub(crate) mod banks;
pub(crate) mod chosen;
mod common;
mod conditional;
pub(crate) mod counted;
mod divide;
mod first;
pub(crate) mod flatten;
pub(crate) mod forward;
pub(crate) mod guard;
pub(crate) mod ifconvert;
pub(crate) mod induction;
mod intervals;
pub(crate) mod ladder;
mod motion;
mod nested;
mod odd;
pub(crate) mod outside;
mod packed;
pub(crate) mod promote;
mod ranges;
pub(crate) mod recur;
pub(crate) mod reduce;
pub(crate) mod registers;
pub(crate) mod reroll;
mod rewrite;
pub(crate) mod rotate;
mod round;
pub(crate) mod selectors;
pub(crate) mod simplify;
pub(crate) mod small;
pub(crate) mod switch;
mod truth;
mod turn;
mod two_ends;
pub(crate) mod unroll;
pub(crate) mod widen;

pub use counted::obstacle;
pub use flatten::flat_type;

use crate::codes;
use crate::depend::Dependences;
use crate::domain::{self, Domains};
use crate::edit;
use crate::ir::{Func, Global, Kind, Program};
use crate::passes::{self, Pass, PassTarget};
use loom_base::{Diagnostic, Diagnostics};
use std::collections::BTreeSet;

/// A plain function with what lowering must know about it.
#[derive(Clone, Debug)]
pub struct Plain {
    /// The function.
    pub func: Func,
    /// The globals it names, flat.
    pub globals: Vec<Global>,
    /// Its roots and domains.
    pub domains: Domains,
    /// Which of its accesses may meet.
    pub deps: Dependences,
}

impl Plain {
    /// The same with guards around nests of equal bounds; `None` when there is nothing to guard.
    pub fn guarded(&self) -> Option<Plain> {
        let mut guarded = self.clone();
        let nests = guard::run(&mut guarded.func);
        (nests > 0).then_some(guarded)
    }

    /// The function and its globals as a module.
    pub fn program(&self) -> Program {
        Program { globals: self.globals.clone(), funcs: vec![self.func.clone()] }
    }
}

/// Makes a function plain, or says what stands against it. `seen` is shown the function after each pass, with the globals
/// as they are then.
pub fn normalize(
    func: &Func,
    globals: &[Global],
    target: &PassTarget,
    seen: &mut dyn FnMut(&Pass, &Func, &[Global]),
) -> Result<Plain, Diagnostics> {
    let errors = refused(func, target.index_width);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut func = func.clone();
    let mut run = |func: &mut Func, pass: &Pass, globals: &[Global]| {
        if target.only_needed && !pass.needed {
            return Ok(());
        }
        pass.run(func, globals, target)?;
        seen(pass, func, globals);
        Ok::<(), Diagnostics>(())
    };
    for pass in passes::between(&passes::SWITCH, &passes::PROMOTE) {
        run(&mut func, pass, globals)?;
    }
    // Each two accesses of a memory are compared, so that far too many must be refused before.
    let errors = too_many_ports(&func, &Domains::new(&func), MOST_SITES);
    if !errors.is_empty() {
        return Err(errors);
    }
    for pass in passes::between(&passes::PROMOTE, &passes::FLATTEN) {
        run(&mut func, pass, globals)?;
    }
    let domains = Domains::new(&func);
    let deps = Dependences::new(&func, &domains);
    let mut globals: Vec<Global> =
        globals.iter().map(|g| Global { ty: flat_type(&g.ty), ..g.clone() }).collect();
    for pass in passes::between(&passes::FLATTEN, &passes::GUARD) {
        run(&mut func, pass, &globals)?;
    }
    let domains = Domains::new(&func);
    let errors = too_many_ports(&func, &domains, MOST_PORTS);
    if !errors.is_empty() {
        return Err(errors);
    }
    let named: BTreeSet<&str> = (edit::walk(&func).into_iter())
        .filter_map(|op| match &func.op(op).kind {
            Kind::GetGlobal(name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    globals.retain(|g| named.contains(g.name.as_str()));
    Ok(Plain { func, globals, domains, deps })
}

/// What cannot be lowered, each with its place.
pub fn refused(func: &Func, index_width: u32) -> Diagnostics {
    let mut errors = Vec::new();
    let mut refuse = |span: Option<std::ops::Range<usize>>, message: String, help: &str| {
        errors.push(Diagnostic::error(codes::NOT_LOWERED, message).at_opt(span, "").help(help));
    };
    let Some(body) = func.body else {
        refuse(func.span.clone(), format!("`@{}` has no body", func.name), "name a function with a body");
        return errors;
    };
    if func.region(body).blocks.len() > 1 {
        let span = func.span.clone();
        let help = "structure it first";
        refuse(span, format!("`@{}` has several blocks", func.name), help);
        return errors;
    }
    for ty in &func.result_types {
        if ty.scalar().is_none() {
            refuse(
                func.span.clone(),
                "a function that returns a memref".into(),
                "return words, or store them",
            );
        }
    }
    for op in edit::walk(func) {
        let record = func.op(op);
        let span = record.span.clone();
        for &region in &record.regions {
            if func.region(region).blocks.len() > 1 {
                refuse(span.clone(), "a region with several blocks".into(), "write it with `scf` ops");
            }
        }
        match &record.kind {
            Kind::Call(name) => {
                refuse(span, format!("a call of `@{name}`, which has no body"), "give it a body");
            }
            Kind::If | Kind::For { .. } | Kind::While | Kind::IndexSwitch { .. } => {
                let memref = record.results.iter().any(|&r| func.ty(r).memref().is_some());
                if memref {
                    let help = "access each memref where it is known, under its own condition";
                    refuse(span.clone(), "a memref chosen by control flow".into(), help);
                }
                let wide = matches!(record.kind, Kind::For { .. })
                    && func
                        .ty(record.operands[0])
                        .scalar()
                        .is_some_and(|t| t.width(index_width) > index_width);
                if wide && edit::constant_int(func, record.operands[2]).is_none_or(|s| s <= 0) {
                    let help =
                        "make the step a positive constant, or use a fabric with a larger `index_width`";
                    refuse(
                        span,
                        format!("a loop that counts in more than the {index_width} bits of index"),
                        help,
                    );
                }
            }
            Kind::Load | Kind::Store
                if record.address().first().is_some_and(|&memref| domain::root(func, memref).is_none()) =>
            {
                let help = "access each memref where it is known, under its own condition";
                refuse(span, "a memref chosen by control flow".into(), help);
            }
            _ => {}
        }
    }
    errors
}

/// Ports of one memory that a graph can say.
const MOST_PORTS: usize = 255;
/// Accesses of one memory before simplification, which leaves fewer.
const MOST_SITES: usize = 4 * MOST_PORTS;

fn too_many_ports(func: &Func, domains: &Domains, most: usize) -> Diagnostics {
    let mut counts = vec![[0usize; 2]; domains.roots.len()];
    for op in edit::walk(func) {
        let record = func.op(op);
        let &[memref, ..] = record.address() else { continue };
        if let Some(root) = domains.root_of(memref) {
            counts[root][usize::from(record.kind == Kind::Store)] += 1;
        }
    }
    let mut errors = Vec::new();
    for (root, counts) in domains.roots.iter().zip(counts) {
        for (what, count) in [("load", counts[0]), ("store", counts[1])] {
            if count > most {
                let message = format!("`{}` has {count} {what} sites, {MOST_PORTS} are allowed", root.name);
                errors.push(Diagnostic::error(codes::NOT_LOWERED, message).help("roll the code into a loop"));
            }
        }
    }
    errors
}
