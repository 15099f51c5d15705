//! An entry of the table: a module under proof, with what its harness has to know.

use loom_adg::layout::SliceLayout;
use loom_adg::model::Component;
use loom_hdl::ir::Module;
use loom_hdl::parts;
use std::sync::Arc;

/// A module, a shape of it, and the harness around it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What the command line calls it; entries of several shapes share it.
    pub module: &'static str,
    /// Width and parameters, for people: `w32`, `depth 5, w8`.
    pub shape: String,
    /// File in `verif/prove/formal/`.
    pub harness: &'static str,
    /// The module under proof.
    pub dut: Arc<Module>,
    /// Macros of the harness beside `DUT`, `W` and `DATA`.
    pub defines: Vec<(String, String)>,
    /// Data width: macros `W` and, above 0, `DATA`.
    pub width: u32,
    /// Wires of the harness, or bits of them, joined to nets inside the module, for lemmas: (wire, net below `dut`).
    pub taps: Vec<(String, String)>,
    /// Nets below `dut` that are cut: their drivers are gone, they may have any value in any cycle.
    pub cuts: Vec<&'static str>,
    /// Part of the smoke subset.
    pub smoke: bool,
    /// Seconds that a proof may take.
    pub budget: u32,
}

impl Entry {
    /// An entry with the usual settings.
    pub fn new(module: &'static str, harness: &'static str, width: u32, dut: Arc<Module>) -> Entry {
        Entry {
            module,
            shape: format!("w{width}"),
            harness,
            dut,
            defines: Vec::new(),
            width,
            taps: Vec::new(),
            cuts: Vec::new(),
            smoke: width == 8,
            budget: 120,
        }
    }

    /// Another shape text, in front of the width.
    pub fn shape(mut self, text: impl Into<String>) -> Entry {
        self.shape = text.into();
        self
    }

    /// A macro of the harness.
    pub fn define(mut self, name: impl Into<String>, value: impl ToString) -> Entry {
        self.defines.push((name.into(), value.to_string()));
        self
    }

    /// Joins a wire of the harness to a net of the module.
    pub fn tap(mut self, wire: impl Into<String>, net: impl Into<String>) -> Entry {
        self.taps.push((wire.into(), net.into()));
        self
    }

    /// Puts it into the smoke subset.
    pub fn quick(mut self) -> Entry {
        self.smoke = true;
        self
    }

    /// Module and shape.
    pub fn name(&self) -> String {
        format!("{} {}", self.module, self.shape)
    }

    /// A folder name, different for every entry: the module's own name and what the shape adds.
    pub fn file_name(&self) -> String {
        let words = |text: &str| -> Vec<String> {
            text.split(|c: char| !c.is_ascii_alphanumeric())
                .filter(|w| !w.is_empty())
                .map(String::from)
                .collect()
        };
        let mut name = vec![self.dut.name.clone()];
        name.extend(words(&self.shape));
        name.join("_")
    }
}

/// An entry of a component, with a macro for each field of its configuration.
pub(super) fn entry(module: &'static str, harness: &'static str, width: u32, component: Component) -> Entry {
    let layout = SliceLayout::new(&component, 32);
    let mut entry = Entry::new(module, harness, width, parts::component(&component, 32));
    if layout.bits > 0 {
        entry = entry.define("CFG", layout.bits);
    }
    for field in &layout.fields {
        let name = field.kind.to_string().replace(['.', '[', ']'], "_").replace("__", "_");
        entry = entry.define(format!("F_{name}"), field.low);
    }
    entry
}
