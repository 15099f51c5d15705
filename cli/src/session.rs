//! How results and problems reach the user.

use crate::args::{self, AimArg, Args, ExpandMath, Lowering};
use crate::failure::shown;
pub use crate::failure::Failure;
use crate::{files, terminal};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use loom_adg::Fabric;
use loom_base::limits::MAX_SHOWN;
use loom_base::{Code, Diagnostic, Diagnostics, Source};
use loom_flow::clang::{self, Request, Translation};
use loom_flow::copies::Copies;
use loom_flow::load::{self, Format};
use loom_flow::Kernel;
use loom_front::compile::{Aim, CompileOptions};
use loom_front::order::Order;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// A file whose kind the name does not tell.
pub const FILE_KIND: Code = Code::new("C0002", "the kind of a file is unknown");

/// An option that a command can do nothing with.
pub const OPTION: Code = Code::new("C0003", "an option asks for what the command does not do");

impl From<args::OrderArg> for Order {
    fn from(order: args::OrderArg) -> Order {
        match order {
            args::OrderArg::Serial => Order::Serial,
            args::OrderArg::Pipelined => Order::Pipelined,
        }
    }
}

/// Output settings.
#[derive(Clone)]
pub struct Session {
    /// Whether results are one JSON object.
    pub json: bool,
    quiet: bool,
    /// What goes on at once, below each other.
    bars: MultiProgress,
}

impl Session {
    /// Settings from the command line.
    pub fn new(args: &Args) -> Self {
        Session { json: args.json, quiet: args.quiet || args.json, bars: MultiProgress::new() }
    }

    /// Prints a failure and gives its exit code.
    pub fn fail(&self, failure: &Failure) -> ExitCode {
        self.show(&failure.source, &failure.diagnostics);
        if self.json {
            let mut object = failure.to_json();
            object["ok"] = false.into();
            terminal::out(&format!("{object}\n"));
        }
        ExitCode::from(1)
    }

    /// Prints diagnostics on standard error: the first, and how many more there are.
    pub fn show(&self, source: &Source, diagnostics: &[Diagnostic]) {
        let (shown, more) = shown(diagnostics);
        for d in shown {
            terminal::err(&format!("{}\n\n", d.render(source)));
        }
        if more > 0 {
            terminal::err(&format!("and {more} more\n"));
        }
    }

    /// Prints what is wrong in a run, in words.
    pub fn problems(&self, of: &str, problems: &[String]) {
        for problem in problems.iter().take(MAX_SHOWN) {
            terminal::err(&format!("{of}: {problem}\n"));
        }
        if problems.len() > MAX_SHOWN {
            terminal::err(&format!("{of}: and {} more\n", problems.len() - MAX_SHOWN));
        }
    }

    /// Prints a result: the JSON object, or the text.
    pub fn result(&self, json: serde_json::Value, text: &str) {
        match self.json {
            true => terminal::out(&format!("{json}\n")),
            false => terminal::out(text),
        }
    }

    /// Prints more of a result that is text.
    pub fn add(&self, text: &str) {
        if !self.json {
            terminal::out(text);
        }
    }

    /// Whether [`say`](Session::say) says anything.
    pub fn says(&self) -> bool {
        !self.quiet
    }

    /// Whether somebody looks at [`progress`](Session::progress).
    pub fn is_watched(&self) -> bool {
        self.says() && std::io::stderr().is_terminal()
    }

    /// Says on standard error what somebody may want to know and no result depends on.
    pub fn say(&self, text: &str) {
        if !self.quiet {
            terminal::err(&format!("{text}\n"));
        }
    }

    /// Says it where a program was compiled for another aim than the first.
    pub fn say_aim(&self, wanted: Option<Aim>, aim: Aim) {
        if wanted.is_none() && aim == Aim::Room {
            self.say(
                "compiled for room: compiled for speed it is slower, or does not map (docs/lowering.md, `--aim`)",
            );
        }
    }

    /// A spinner for long work; it shows only when a terminal is there.
    pub fn progress(&self, message: &str) -> ProgressBar {
        if self.quiet {
            return ProgressBar::hidden();
        }
        let bar = self.bars.add(ProgressBar::new_spinner().with_message(message.to_string()));
        bar.set_style(
            ProgressStyle::with_template("{spinner} {msg} {elapsed}").expect("a constant template"),
        );
        bar.enable_steady_tick(Duration::from_millis(100));
        bar
    }

    /// Reads a kernel: a graph, or a structured program that is compiled as `options` and the command line say. The
    /// text is what labels of later diagnostics point into.
    pub fn kernel(
        &self,
        path: &Path,
        lowering: &Lowering,
        options: CompileOptions,
    ) -> Result<(Source, Kernel), Failure> {
        let program = self.program(path, lowering)?;
        let kernel = program.kernel(options).map_err(|d| Failure::new(&program.source, d))?;
        Ok((program.source, kernel))
    }

    /// Reads what becomes a kernel, as far as that goes without options of the compiler.
    pub fn program<'a>(&self, path: &Path, lowering: &'a Lowering) -> Result<Uncompiled<'a>, Failure> {
        let source = files::read_text(path)?;
        if clang::is_source(&source.name) {
            let translation = Some(self.translation(path, lowering, &source)?);
            return Ok(Uncompiled { source, lowering, translation });
        }
        let more = [
            ("a second file", !lowering.more.is_empty()),
            ("`-I`", !lowering.clang.include.is_empty()),
            ("`-D`", !lowering.clang.define.is_empty()),
            ("`--std`", lowering.clang.std.is_some()),
        ];
        if let Some((what, _)) = more.iter().find(|m| m.1) {
            let message = format!("{what} with `{}`, which is not C or C++", path.display());
            return Err(Failure::plain(vec![Diagnostic::error(FILE_KIND, message)
                .help("leave it out, or give a `.c` or `.cpp` file first")]));
        }
        let given = [
            ("--function", lowering.function.is_some()),
            ("--domain", lowering.domain.is_some()),
            ("--unroll", lowering.passes.copies != Copies::Hinted),
            ("--aim", lowering.passes.aim != AimArg::Auto),
            ("--expand-math", lowering.passes.expand != ExpandMath::Auto),
        ];
        let given = given.iter().find(|g| g.1);
        if let (Some((flag, _)), false) = (given, load::is_structured(&source)) {
            let message = format!("`{flag}` with `{}`, which is a graph already", path.display());
            return Err(Failure::plain(vec![Diagnostic::error(FILE_KIND, message)
                .help("it says what becomes of a structured program, `.scf.mlir`")]));
        }
        Ok(Uncompiled { source, lowering, translation: None })
    }

    /// As [`Session::kernel`], but all marked functions of a C or C++ program where none is named.
    pub fn kernels(
        &self,
        path: &Path,
        lowering: &Lowering,
        options: &CompileOptions,
    ) -> Result<(Source, Vec<Kernel>), Failure> {
        let source = files::read_text(path)?;
        if !clang::is_source(&source.name) || lowering.function.is_some() {
            return self.kernel(path, lowering, options.clone()).map(|(source, k)| (source, vec![k]));
        }
        let program = self.translation(path, lowering, &source)?;
        let options = with_lowering(options.clone(), lowering);
        let symbols = match &program.marked()[..] {
            [] => program.choose(None).map(|symbol| vec![symbol]),
            many => Ok(many.iter().map(|symbol| symbol.to_string()).collect()),
        };
        let kernels = symbols.and_then(|symbols| compile(&program, &symbols, &source, &options));
        let kernels = kernels.map_err(|d| Failure::new(&source, d))?;
        Ok((source, kernels))
    }

    /// Translates a C or C++ program, and shows what clang and the translation say of it.
    pub fn translate(&self, request: &Request, source: &Source) -> Result<Translation, Failure> {
        let program = Translation::translate(request).map_err(|e| Failure::clang(source, e))?;
        terminal::err(&program.said);
        self.show(source, &program.ignored);
        Ok(program)
    }

    fn translation(&self, path: &Path, lowering: &Lowering, source: &Source) -> Result<Translation, Failure> {
        let files = [path.to_path_buf()].into_iter().chain(lowering.more.iter().cloned()).collect();
        lowering.more.iter().for_each(|path| loom_cosim::files::is_input(path));
        let request = Request { function: lowering.function.clone(), ..lowering.clang.request(files) };
        self.translate(&request, source)
    }

    /// Reads a fabric, TOML or MLIR; a name without a suffix is one of those that come with LOOM.
    pub fn fabric(&self, path: &Path) -> Result<Fabric, Failure> {
        if let Some(source) = path.to_str().and_then(load::built_in) {
            return load::fabric(&source).map_err(|d| Failure::new(&source, d));
        }
        if !matches!(form(path), Format::Toml | Format::FabricMlir) {
            let message = format!("`{}` is no fabric by its name", path.display());
            return Err(Failure::plain(vec![Diagnostic::error(FILE_KIND, message).help(format!(
                "a fabric is a `.toml` or a `.fabric.mlir` file, or one of {}",
                load::built_in_names().join(", ")
            ))]));
        }
        let source = files::read_text(path)?;
        // A name is no path: template files stand beside the fabric.
        let beside = |name: &str| {
            let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
            plain
                .then(|| files::read_text(&path.with_file_name(format!("{name}.toml"))).ok())?
                .map(|s| s.text)
        };
        let (fabric, warnings) = load::fabric_with(&source, &beside).map_err(|d| Failure::new(&source, d))?;
        self.show(&source, &warnings);
        Ok(fabric)
    }
}

/// What becomes a kernel: its text, and of C and C++ what clang made of it.
pub struct Uncompiled<'a> {
    /// The text that labels of diagnostics point into.
    pub source: Source,
    lowering: &'a Lowering,
    translation: Option<Translation>,
}

impl Uncompiled<'_> {
    /// The kernel that the command line chooses.
    pub fn kernel(&self, options: CompileOptions) -> Result<Kernel, Diagnostics> {
        let options = with_lowering(options, self.lowering);
        let Some(program) = &self.translation else { return Kernel::read(&self.source, &options) };
        let symbol = program.choose(self.lowering.function.as_deref())?;
        let mut kernels = compile(program, &[symbol], &self.source, &options)?;
        Ok(kernels.pop().expect("one for each symbol"))
    }
}

/// Compiles functions of a C or C++ program.
fn compile(
    program: &Translation,
    symbols: &[String],
    source: &Source,
    options: &CompileOptions,
) -> Result<Vec<Kernel>, Diagnostics> {
    let symbols: Vec<&str> = symbols.iter().map(|s| s.as_str()).collect();
    let mut errors = Vec::new();
    let mut kernels = Vec::new();
    for imported in program.import_all(&symbols, source, Default::default())? {
        match imported.and_then(|i| Kernel::compile(i, options)) {
            Ok(kernel) => kernels.push(kernel),
            Err(diagnostics) => errors.extend(diagnostics),
        }
    }
    match errors.is_empty() {
        true => Ok(kernels),
        false => Err(errors),
    }
}

/// What the command line says about compiling.
pub fn with_lowering(options: CompileOptions, lowering: &Lowering) -> CompileOptions {
    CompileOptions {
        function: lowering.function.clone(),
        domain: lowering.domain.clone(),
        ..lowering.passes.over(options)
    }
}

/// Refuses what only a mapping decides, for commands that map nothing.
pub fn decided_without_mapping(lowering: &Lowering) -> Result<(), Failure> {
    if lowering.passes.copies != Copies::Fastest {
        return Ok(());
    }
    let message = "`--unroll auto` where nothing is mapped";
    Err(Failure::plain(vec![Diagnostic::error(OPTION, message)
        .help("give a number, such as `--unroll 4`; `loom map`, `run`, `sim`, `cosim` and `exec` find one")]))
}

/// What a file is, by its name.
pub fn form(path: &Path) -> Format {
    Format::of(&path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default())
}
