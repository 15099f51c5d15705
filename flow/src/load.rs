//! Texts of kernels and fabrics to values; the name of a text says its form.

use crate::clang::Imported;
use loom_adg::Fabric;
use loom_base::{Diagnostics, Source};
use loom_dfg::Graph;
use loom_front::compile::{compile, CompileOptions, Compiled};
use loom_map::PinnedPort;
use std::sync::Arc;

/// What a text is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
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

impl Format {
    /// The form of a text of that name.
    pub fn of(name: &str) -> Format {
        match () {
            () if name.ends_with(".toml") => Format::Toml,
            () if name.ends_with(".fabric.mlir") => Format::FabricMlir,
            () if name.ends_with(".mlir") => Format::KernelMlir,
            () if name.ends_with(".bin") => Format::Bitstream,
            () => Format::Unknown,
        }
    }
}

/// Reads a fabric: MLIR where the name says so, else TOML with the templates of the default library.
pub fn fabric(source: &Source) -> Result<Fabric, Diagnostics> {
    Ok(fabric_with(source, &|_| None)?.0)
}

/// The same, with warnings; `lookup` gives the text of a template file by its name, and goes before the default library.
pub fn fabric_with(
    source: &Source,
    lookup: &loom_adg::toml::Lookup,
) -> Result<(Fabric, Diagnostics), Diagnostics> {
    let (adg, diagnostics) = match Format::of(&source.name) {
        Format::FabricMlir => loom_adg::mlir::load(source),
        _ => loom_adg::toml::load(source, lookup),
    };
    match adg {
        Some(adg) => Ok((Fabric::new(adg), diagnostics)),
        None => Err(diagnostics),
    }
}

macro_rules! texts {
    ($($name:literal)*) => { [$(($name, include_str!(concat!("../../configs/", $name, ".toml")))),*] };
}

/// The fabrics that are tried where none is named, the smallest first, in groups: one is tried where a program maps on none of those
/// before it, however it is compiled ([`crate::fit`]). What a narrow fabric lacks is mostly words of 64 bits, which the next of the
/// same size has.
pub fn default_groups() -> [Vec<Source>; 2] {
    let usual = texts!(
        "mesh-2x2" "mesh-4x4" "general-4x4" "mesh-4x4-w64" "general-4x4-w64" "general-6x6" "general-6x6-w64" "general-8x8"
        "general-8x8-w64"
    );
    [sources(usual).collect(), sources(texts!("general-12x12" "general-12x12-w64")).collect()]
}

/// All of them.
pub fn defaults() -> impl Iterator<Item = Source> {
    default_groups().into_iter().flatten()
}

/// The text of a fabric that comes with LOOM, by its name.
pub fn built_in(name: &str) -> Option<Source> {
    fabrics().find(|f| name_of(f) == name)
}

/// The names of the fabrics that come with LOOM.
pub fn built_in_names() -> Vec<String> {
    fabrics().map(|f| name_of(&f).to_string()).collect()
}

fn fabrics() -> impl Iterator<Item = Source> {
    defaults().chain(sources(
        texts!("mesh-6x6" "mesh-6x6-w64" "mesh-8x8" "mesh-8x8-w64" "tags" "units" "units-float" "units-math"),
    ))
}

fn name_of(fabric: &Source) -> &str {
    let file = fabric.name.rsplit('/').next().unwrap_or_default();
    file.strip_suffix(".toml").unwrap_or(file)
}

fn sources<const N: usize>(texts: [(&'static str, &'static str); N]) -> impl Iterator<Item = Source> {
    texts.into_iter().map(|(name, text)| Source::new(format!("configs/{name}.toml"), text))
}

/// How structured programs are compiled for a fabric: its widest join, its index width, the elementary functions that it
/// computes by other ops, and what it can hold.
pub fn lowering(fabric: &Fabric) -> CompileOptions {
    CompileOptions {
        index_width: fabric.index_width(),
        unsigned_steps: loom_map::tech::unsigned_steps(fabric),
        streams: loom_map::tech::streams(fabric),
        expanded: loom_map::tech::expanded(fabric),
        division: loom_map::tech::division(fabric),
        max_join_fanin: loom_map::tech::widest_join(fabric),
        room: Some(Arc::new(loom_map::FirstLook::new(fabric))),
        ..CompileOptions::default()
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
    /// Ports of the fabric that its arguments and results are to have.
    pub pins: Vec<PinnedPort>,
}

impl Kernel {
    /// Reads a graph, or reads and compiles a structured program; graphs take none of the options.
    pub fn read(source: &Source, options: &CompileOptions) -> Result<Kernel, Diagnostics> {
        if is_structured(source) {
            Ok(compile(&loom_front::parse(source)?, options)?.into())
        } else {
            Ok(loom_dfg::parse(source)?.into())
        }
    }

    /// Compiles a function that came from C or C++.
    pub fn compile(imported: Imported, options: &CompileOptions) -> Result<Kernel, Diagnostics> {
        let options = CompileOptions { function: None, ..options.clone() };
        let mut compiled = compile(&imported.program, &options)?;
        compiled.warnings.extend(imported.warnings.iter().cloned());
        let kernel = Kernel::from(compiled);
        Ok(Kernel { imported: Some(Box::new(imported)), ..kernel })
    }
}

impl Kernel {
    /// Whether the program says of an argument that it overlaps no other, and its alias set where there are several; a graph says nothing.
    /// Views of one array lie at one address.
    pub fn promised(&self, argument: &str) -> (bool, Option<u32>) {
        let Some(func) = self.compiled.as_ref().map(|c| &c.source.funcs[0]) else { return (false, None) };
        let several = func.argument_attributes.iter().any(|a| a.alias_set > 0);
        let mut arguments = func.arguments().iter().zip(&func.argument_attributes);
        let found = arguments.find(|(&v, a)| a.view.is_none() && func.value(v).name == argument);
        found.map_or((false, None), |(_, a)| (a.noalias, Some(a.alias_set).filter(|_| several)))
    }

    /// The kernel as a fabric's PEs run it, with branches in state machines and with immediates: what is mapped. A second time changes nothing.
    pub fn on(mut self, fabric: &Fabric) -> Kernel {
        if let Some(graph) = loom_map::fitted(&self.graph, fabric) {
            self.graph = graph;
        }
        self
    }
}

impl From<Graph> for Kernel {
    fn from(graph: Graph) -> Kernel {
        Kernel { graph, compiled: None, imported: None, pins: Vec::new() }
    }
}

impl From<Compiled> for Kernel {
    fn from(compiled: Compiled) -> Kernel {
        let graph = compiled.lowered.graph.clone();
        Kernel { compiled: Some(Box::new(compiled)), ..graph.into() }
    }
}
