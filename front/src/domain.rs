//! Root memrefs and ordering domains (seed `dataflow-memory.txt`: root grouping, alias assumption).
//!
//! A *root* is a memref that no other one is a view of: a memref argument, an allocation or a global; all accesses
//! through its views are its accesses. A *domain* is a set of roots that may overlap: each root is one of its own,
//! but memref arguments without `llvm.noalias` may be the same words and share one domain, those with each `loom.alias_set` one. Of these,
//! some are known to be views of one array that touch different bytes ([`Domains::are_views`]).

use crate::edit;
use crate::ir::{ArgumentAttributes, Func, Kind, MemrefType, OpId, ValueDef, ValueId};
use std::collections::BTreeMap;

/// What a root is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootKind {
    /// A memref argument.
    Argument(ValueId),
    /// `memref.alloc` or `memref.alloca`.
    Alloc(OpId),
    /// A global, whatever number of `memref.get_global` name it.
    Global(String),
}

/// A root that is accessed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// What it is.
    pub kind: RootKind,
    /// For a person.
    pub name: String,
    /// Its own type.
    pub ty: MemrefType,
    /// Index of its domain.
    pub domain: usize,
    /// Whether anybody loads from it.
    pub loaded: bool,
    /// Whether anybody stores to it.
    pub stored: bool,
}

/// The roots of a function and what their memref values are views of.
#[derive(Clone, Debug, Default)]
pub struct Domains {
    /// Roots with accesses, in order of their first access.
    pub roots: Vec<Root>,
    /// Number of domains.
    pub count: usize,
    root_of: BTreeMap<ValueId, usize>,
    /// By root: which array it is a view of.
    views: Vec<Option<u32>>,
}

impl Domains {
    /// Finds the roots of all accesses.
    pub fn new(func: &Func) -> Domains {
        let mut domains = Domains::default();
        let mut shared: BTreeMap<u32, usize> = BTreeMap::new();
        for op in edit::walk(func) {
            let record = func.op(op);
            let &[memref, ..] = record.address() else { continue };
            let Some((kind, name, ty)) = root(func, memref) else { continue };
            let index = match domains.roots.iter().position(|r| r.kind == kind) {
                Some(index) => index,
                None => {
                    let promised = match kind {
                        RootKind::Argument(v) => attributes(func, v),
                        _ => ArgumentAttributes { noalias: true, ..ArgumentAttributes::default() },
                    };
                    let set = Some(promised.alias_set).filter(|_| !promised.noalias);
                    let domain = set.and_then(|set| shared.get(&set)).copied().unwrap_or(domains.count);
                    domains.count = domains.count.max(domain + 1);
                    shared.extend(set.map(|set| (set, domain)));
                    domains.views.push(promised.view);
                    domains.roots.push(Root { kind, name, ty, domain, loaded: false, stored: false });
                    domains.roots.len() - 1
                }
            };
            domains.roots[index].loaded |= record.kind == Kind::Load;
            domains.roots[index].stored |= record.kind == Kind::Store;
            domains.root_of.insert(memref, index);
            if let RootKind::Argument(v) = domains.roots[index].kind {
                domains.root_of.insert(v, index);
            }
        }
        domains.share_unwritten();
        domains
    }

    /// Gives the domains that nobody stores to one number: loads are in no order with each other.
    fn share_unwritten(&mut self) {
        let mut numbers = vec![None; self.count];
        let written: Vec<bool> =
            (0..self.count).map(|d| self.roots.iter().any(|r| r.domain == d && r.stored)).collect();
        let (mut count, mut unwritten) = (0, None);
        for root in &mut self.roots {
            let number = match written[root.domain] {
                true => &mut numbers[root.domain],
                false => &mut unwritten,
            };
            root.domain = *number.get_or_insert_with(|| {
                count += 1;
                count - 1
            });
        }
        self.count = count;
    }

    /// The root that an accessed memref value is a view of.
    pub fn root_of(&self, memref: ValueId) -> Option<usize> {
        self.root_of.get(&memref).copied()
    }

    /// Whether two roots are views of one array, which never touch the same byte.
    pub fn are_views(&self, a: usize, b: usize) -> bool {
        a != b && self.views[a].is_some() && self.views[a] == self.views[b]
    }
}

pub(crate) fn attributes(func: &Func, argument: ValueId) -> ArgumentAttributes {
    let at = func.arguments().iter().position(|&a| a == argument);
    at.and_then(|i| func.argument_attributes.get(i)).copied().unwrap_or_default()
}

/// The root of a memref value, through all views; `None` when control flow chooses it.
pub fn root(func: &Func, memref: ValueId) -> Option<(RootKind, String, MemrefType)> {
    let at = edit::viewed(func, memref);
    let ty = func.ty(at).memref()?.clone();
    let name = func.value(at).name.clone();
    match func.value(at).def {
        ValueDef::Argument { .. } if func.arguments().contains(&at) => {
            Some((RootKind::Argument(at), name, ty))
        }
        ValueDef::Argument { .. } => None,
        ValueDef::Result { op, .. } => match &func.op(op).kind {
            Kind::Alloc { .. } => {
                let name =
                    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { "local".into() };
                Some((RootKind::Alloc(op), name, ty))
            }
            Kind::GetGlobal(global) => Some((RootKind::Global(global.clone()), global.clone(), ty)),
            _ => None,
        },
    }
}
