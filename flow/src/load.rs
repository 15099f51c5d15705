//! Texts of kernels and fabrics to values; the name of a text says its form.

use crate::clang::Imported;
use loom_adg::Fabric;
use loom_base::{Diagnostics, Source};
use loom_dfg::Graph;
use loom_front::compile::{compile, Compiled, Options};

/// What a text is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `.toml`: a fabric or a case
    Toml,
    /// `.fabric.mlir`
    FabricMlir,
    /// `.dfg.mlir`, `.scf.mlir`, or another `.mlir`: a kernel
    KernelMlir,
    /// `.bin`: words of a bitstream
    Bitstream,
    /// Anything else.
    Unknown,
}

impl Form {
    /// The form of a text of that name.
    pub fn of(name: &str) -> Form {
        match () {
            () if name.ends_with(".toml") => Form::Toml,
            () if name.ends_with(".fabric.mlir") => Form::FabricMlir,
            () if name.ends_with(".mlir") => Form::KernelMlir,
            () if name.ends_with(".bin") => Form::Bitstream,
            () => Form::Unknown,
        }
    }
}

/// Reads a fabric: MLIR where the name says so, else TOML with the templates of the default library.
pub fn fabric(source: &Source) -> Result<Fabric, Diagnostics> {
    fabric_with(source, &|_| None)
}

/// The same; `lookup` gives the text of a template file by its name, and goes before the default library.
pub fn fabric_with(source: &Source, lookup: &loom_adg::toml::Lookup) -> Result<Fabric, Diagnostics> {
    let adg = match Form::of(&source.name) {
        Form::FabricMlir => loom_adg::mlir::read(source)?,
        _ => match loom_adg::toml::load(source, lookup) {
            (Some(adg), _) => adg,
            (None, diagnostics) => return Err(diagnostics),
        },
    };
    Ok(Fabric::new(adg))
}

/// How structured programs are compiled for a fabric: its widest join, its index width and what it can hold.
pub fn lowering(fabric: &Fabric) -> Options {
    Options {
        index_width: fabric.index_width(),
        max_join_fanin: loom_map::tech::widest_join(fabric),
        budget: Some(loom_map::tech::budget(fabric)),
        ..Options::default()
    }
}

/// Whether a kernel is a structured program: `.scf.mlir` by name; an `.mlir` that says neither is a graph when it
/// holds a `handshake.func`.
pub fn is_structured(source: &Source) -> bool {
    let name = &source.name;
    name.ends_with(".scf.mlir") || (!name.ends_with(".dfg.mlir") && !source.text.contains("handshake.func"))
}

/// A kernel as it was read.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The graph.
    pub graph: Graph,
    /// What it was compiled from, when it was.
    pub compiled: Option<Box<Compiled>>,
    /// What that was made from, when it came from C or C++.
    pub imported: Option<Box<Imported>>,
}

impl Kernel {
    /// Reads a graph, or reads and compiles a structured program; graphs take none of the options.
    pub fn read(source: &Source, options: &Options) -> Result<Kernel, Diagnostics> {
        if is_structured(source) {
            Ok(compile(&loom_front::parse(source)?, options)?.into())
        } else {
            Ok(loom_dfg::parse(source)?.into())
        }
    }
}

impl Kernel {
    /// Compiles a function that came from C or C++.
    pub fn compile(imported: Imported, options: &Options) -> Result<Kernel, Diagnostics> {
        let options = Options { function: None, ..options.clone() };
        let kernel = Kernel::from(compile(&imported.module, &options)?);
        Ok(Kernel { imported: Some(Box::new(imported)), ..kernel })
    }
}

impl From<Graph> for Kernel {
    fn from(graph: Graph) -> Kernel {
        Kernel { graph, compiled: None, imported: None }
    }
}

impl From<Compiled> for Kernel {
    fn from(compiled: Compiled) -> Kernel {
        Kernel { graph: compiled.lowered.graph.clone(), compiled: Some(Box::new(compiled)), imported: None }
    }
}
