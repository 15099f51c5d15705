//! How results and problems reach the user.

use crate::args::{self, Args, Lowering};
use crate::files;
use indicatif::{ProgressBar, ProgressStyle};
use loom_adg::Fabric;
use loom_base::{Code, Diagnostic, Diagnostics, Source};
use loom_dfg::Graph;
use loom_front::compile::{compile, Compiled, Options};
use loom_front::order::Order;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// A file that cannot be read or written.
pub const FILE: Code = Code::new("C0001", "a file cannot be read or written");
/// A file whose kind the name does not tell.
pub const FILE_KIND: Code = Code::new("C0002", "the kind of a file is unknown");

/// Why a command stopped: diagnostics and the text they point into.
#[derive(Debug)]
pub struct Failure {
    /// What the spans point into; a nameless empty one when there is no text.
    pub source: Source,
    /// What went wrong.
    pub diagnostics: Diagnostics,
}

impl Failure {
    /// Problems in a text.
    pub fn new(source: &Source, diagnostics: Diagnostics) -> Self {
        Failure { source: source.clone(), diagnostics }
    }

    /// Problems that have no place in a text.
    pub fn plain(diagnostics: Diagnostics) -> Self {
        Failure { source: Source::new("", ""), diagnostics }
    }

    /// A file that cannot be read or written.
    pub fn io(path: &Path, what: String) -> Self {
        Failure::plain(vec![Diagnostic::error(FILE, format!("`{}` {what}", path.display()))])
    }
}

/// Output settings.
pub struct Session {
    /// Whether results are one JSON object.
    pub json: bool,
    quiet: bool,
}

impl Session {
    /// Settings from the command line.
    pub fn new(args: &Args) -> Self {
        Session { json: args.json, quiet: args.quiet || args.json }
    }

    /// Prints a failure and gives its exit code.
    pub fn fail(&self, failure: &Failure) -> ExitCode {
        self.show(&failure.source, &failure.diagnostics);
        if self.json {
            let list: Vec<_> = failure.diagnostics.iter().map(|d| d.to_json(&failure.source)).collect();
            println!("{}", serde_json::json!({ "ok": false, "diagnostics": list }));
        }
        ExitCode::from(1)
    }

    /// Prints diagnostics on standard error.
    pub fn show(&self, source: &Source, diagnostics: &[Diagnostic]) {
        for d in diagnostics {
            eprintln!("{}\n", d.render(source));
        }
    }

    /// Prints a result: the JSON object, or the text.
    pub fn result(&self, json: serde_json::Value, text: &str) {
        if self.json {
            println!("{json}");
        } else {
            print!("{text}");
        }
    }

    /// A spinner for long work; it shows only when a terminal is there.
    pub fn progress(&self, message: &str) -> ProgressBar {
        if self.quiet {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new_spinner().with_message(message.to_string());
        bar.set_style(
            ProgressStyle::with_template("{spinner} {msg} {elapsed}").expect("a constant template"),
        );
        bar.enable_steady_tick(Duration::from_millis(100));
        bar
    }

    /// Reads a kernel: a graph, or a structured program that is compiled, for a fabric if one is given.
    pub fn kernel(
        &self,
        path: &Path,
        lowering: &Lowering,
        fabric: Option<&Fabric>,
        index_width: u32,
    ) -> Result<Kernel, Failure> {
        let source = files::read_text(path)?;
        if !is_structured(path, &source) {
            let given =
                [("--function", lowering.function.is_some()), ("--domain", lowering.domain.is_some())];
            if let Some((flag, _)) = given.iter().find(|g| g.1) {
                let message = format!("`{flag}` with `{}`, which is a graph already", path.display());
                return Err(Failure::plain(vec![Diagnostic::error(FILE_KIND, message)
                    .help("it chooses a part of a structured program, `.scf.mlir`")]));
            }
            let graph = loom_dfg::parse(&source).map_err(|d| Failure::new(&source, d))?;
            return Ok(Kernel { source, graph, compiled: None });
        }
        let mut options = Options {
            function: lowering.function.clone(),
            domain: lowering.domain.clone(),
            order: match lowering.order {
                args::Order::Serial => Order::Serial,
                args::Order::Pipelined => Order::Pipelined,
            },
            index_width,
            ..Options::default()
        };
        if let Some(fabric) = fabric {
            options.index_width = fabric.index_width();
            options.max_join_fanin = loom_map::tech::widest_join(fabric);
            options.budget = Some(loom_map::tech::budget(fabric));
        }
        let module = loom_front::parse(&source).map_err(|d| Failure::new(&source, d))?;
        let compiled = compile(&module, &options).map_err(|d| Failure::new(&source, d))?;
        Ok(Kernel { source, graph: compiled.lowered.graph.clone(), compiled: Some(Box::new(compiled)) })
    }

    /// Reads a fabric, TOML or MLIR.
    pub fn fabric(&self, path: &Path) -> Result<Fabric, Failure> {
        let source = files::read_text(path)?;
        let adg = match kind(path) {
            Kind::Toml => loom_adg::toml::read(&source),
            Kind::FabricMlir => loom_adg::mlir::read(&source),
            _ => {
                return Err(Failure::plain(vec![Diagnostic::error(
                    FILE_KIND,
                    format!("`{}` is no fabric by its name", path.display()),
                )
                .help("a fabric is a `.toml` or a `.fabric.mlir` file")]))
            }
        }
        .map_err(|d| Failure::new(&source, d))?;
        Ok(Fabric::new(adg))
    }
}

/// A kernel as it was read.
pub struct Kernel {
    /// What spans point into.
    pub source: Source,
    /// The graph.
    pub graph: Graph,
    /// What it was compiled from, when it was.
    pub compiled: Option<Box<Compiled>>,
}

/// `.scf.mlir` by name; an `.mlir` that says neither is a graph when it holds a `handshake.func`.
pub fn is_structured(path: &Path, source: &Source) -> bool {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    name.ends_with(".scf.mlir") || (!name.ends_with(".dfg.mlir") && !source.text.contains("handshake.func"))
}

/// What a file is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `.toml`
    Toml,
    /// `.fabric.mlir`
    FabricMlir,
    /// `.dfg.mlir`, `.scf.mlir`, or another `.mlir`
    KernelMlir,
    /// Anything else.
    Unknown,
}

/// What a file is, by its name.
pub fn kind(path: &Path) -> Kind {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    match () {
        () if name.ends_with(".toml") => Kind::Toml,
        () if name.ends_with(".fabric.mlir") => Kind::FabricMlir,
        () if name.ends_with(".mlir") => Kind::KernelMlir,
        () => Kind::Unknown,
    }
}
