//! The modules of a design, each under its name once.
//!
//! Guarantees: one name is one text. Two modules of one name and different text are a builder's mistake (a name that
//! leaves out a parameter) and panic with both names of the caller's choice in the message.

use super::gate::{gate_text, GATE_MODULE};
use super::module::Module;
use super::print::print;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Modules by name.
#[derive(Clone, Debug, Default)]
pub struct Design {
    modules: BTreeMap<String, Arc<Module>>,
}

impl Design {
    /// No modules yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a module and everything it instantiates. Panics when a name is taken by a module of another text.
    pub fn add(&mut self, module: &Arc<Module>) {
        if let Some(there) = self.modules.get(&module.name) {
            if Arc::ptr_eq(there, module) {
                return;
            }
            assert!(
                print(there) == print(module),
                "two modules named `{}` differ: its name leaves out a parameter",
                module.name
            );
        }
        self.modules.entry(module.name.clone()).or_insert_with(|| module.clone());
        let mut seen: HashSet<*const Module> = HashSet::new();
        for instance in &module.instances {
            if seen.insert(Arc::as_ptr(&instance.module)) {
                self.add(&instance.module);
            }
        }
    }

    /// The module of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<Module>> {
        self.modules.get(name)
    }

    /// All modules in name order.
    pub fn modules(&self) -> impl Iterator<Item = &Arc<Module>> {
        self.modules.values()
    }

    /// The text of one module. Panics when there is none of that name.
    pub fn print(&self, name: &str) -> String {
        print(&self.modules[name])
    }

    /// `<name>.v` with its text for every module, in name order, the clock gate among them where there is a use for it.
    pub fn files(&self) -> Vec<(String, String)> {
        let mut files: Vec<_> = self.modules.values().map(|m| (format!("{}.v", m.name), print(m))).collect();
        if self.is_gated() {
            files.push((format!("{GATE_MODULE}.v"), gate_text()));
            files.sort();
        }
        files
    }

    fn is_gated(&self) -> bool {
        self.modules.values().any(|m| m.is_gated())
    }

    /// File names of `top` and everything below it, users before what they use.
    pub fn filelist(&self, top: &str) -> Vec<String> {
        let mut order = Vec::new();
        let mut done = HashSet::new();
        self.below_first(&self.modules[top], &mut done, &mut order);
        if self.is_gated() {
            order.insert(0, format!("{GATE_MODULE}.v"));
        }
        order.reverse();
        order
    }

    fn below_first<'a>(&self, m: &'a Arc<Module>, done: &mut HashSet<&'a str>, order: &mut Vec<String>) {
        if !done.insert(m.name.as_str()) {
            return;
        }
        for instance in &m.instances {
            self.below_first(&instance.module, done, order);
        }
        order.push(format!("{}.v", m.name));
    }
}

impl Design {
    /// Checks a module and everything below it, see [`super::check`]. Panics when there is none of that name.
    pub fn check(&self, top: &str) -> Result<(), Vec<super::check::CheckError>> {
        super::check::check(&self.modules[top])
    }

    /// Which inputs each output depends on in the same cycle. Panics when there is no module of that name.
    pub fn comb_deps(&self, module: &str) -> super::check::CombDeps {
        super::check::comb_deps(&self.modules[module])
    }
}
