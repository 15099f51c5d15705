//! How a program becomes a graph: options that several commands have.

use clap::Args as ClapArgs;
use loom_flow::clang::Request;
use loom_flow::copies::Copies;
use loom_front::compile::{Aim, CompileOptions};
use loom_front::elementary;
use std::path::PathBuf;

/// What clang is told.
#[derive(ClapArgs, Debug, Clone, Default)]
pub struct Clang {
    /// Folder that clang looks for headers in.
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Macro for clang.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Standard for clang, such as `c11` or `c++20`.
    #[arg(long, value_name = "STANDARD")]
    pub std: Option<String>,
    /// Takes what is accessed as one type to be also accessed as another, as clang's `-fno-strict-aliasing` does: an `int` may be
    /// a `float`.
    #[arg(long)]
    pub no_strict_aliasing: bool,
}

impl Clang {
    /// What clang is asked for: these files, with what the command line says to it.
    pub fn request(&self, files: Vec<PathBuf>) -> Request {
        Request {
            files,
            include: self.include.clone(),
            define: self.define.clone(),
            standard: self.std.clone(),
            no_strict_aliasing: self.no_strict_aliasing,
            ..Request::default()
        }
    }
}

/// How a structured program becomes a graph. Graphs (`.dfg.mlir`) take none of it.
#[derive(ClapArgs, Debug, Clone, Default)]
pub struct Lowering {
    /// More C or C++ files of the program.
    #[arg(value_name = "MORE")]
    pub more: Vec<PathBuf>,
    /// Which function, when there are several: a name or a symbol. Of C and C++ the marked one otherwise.
    #[arg(long)]
    pub function: Option<String>,
    #[command(flatten)]
    pub clang: Clang,
    /// Which region of it, `function` or a path such as `for0/while1`; the largest legal one otherwise.
    #[arg(long)]
    pub domain: Option<String>,
    #[command(flatten)]
    pub passes: PassChoices,
}

/// What the passes are told, of structured programs and of programs in C alike.
#[derive(ClapArgs, Debug, Clone, Copy, Default)]
pub struct PassChoices {
    /// How accesses to one memory are ordered.
    #[arg(long, value_enum, default_value_t)]
    pub order: OrderArg,
    /// Takes all arrays that a function is given to be apart, as if each were `restrict` (`llvm.noalias`). `loom exec` looks at every
    /// access and ends where two overlap.
    #[arg(long)]
    pub noalias: bool,
    /// Iterations that innermost loops without a hint do at once: `hints` for one, a number, or `auto` for as many as make the
    /// mapping faster.
    #[arg(long = "unroll", value_name = "COPIES", default_value = "hints")]
    pub copies: Copies,
    /// What goes first where a program can be compiled for one or the other: docs/lowering.md.
    #[arg(long, value_enum, default_value_t)]
    pub aim: AimArg,
    /// Which elementary functions, such as `math.exp`, are computed by other ops: docs/lowering.md.
    #[arg(long = "expand-math", value_enum, value_name = "WHEN", default_value_t)]
    pub expand: ExpandMath,
}

/// Values of `--expand-math`
#[derive(clap::ValueEnum, Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ExpandMath {
    /// Those that the fabric has no unit for, but units for the other ops; none where no fabric is known.
    #[default]
    Auto,
    /// All that have a formula.
    Always,
    /// None.
    Never,
}

impl PassChoices {
    /// What a fabric asks for, with what the command line says.
    pub fn over(self, options: CompileOptions) -> CompileOptions {
        let expanded = match self.expand {
            ExpandMath::Auto => options.expanded,
            ExpandMath::Always => elementary::all(),
            ExpandMath::Never => Vec::new(),
        };
        let copies = options.copies.or(self.copies.told());
        let aim = self.aim().unwrap_or(options.aim);
        let (order, noalias) = (self.order.into(), self.noalias);
        CompileOptions { order, noalias, copies, aim, expanded, ..options }
    }

    /// The only aim to try, where one is named. Who names a number of copies wants those.
    pub fn aim(&self) -> Option<Aim> {
        match (self.aim, self.copies) {
            (AimArg::Room, _) => Some(Aim::Room),
            (AimArg::Speed, _) | (AimArg::Auto, Copies::Each(_)) => Some(Aim::Speed),
            (AimArg::Auto, Copies::Hinted | Copies::Fastest) => None,
        }
    }
}

/// `--aim`
#[derive(clap::ValueEnum, Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AimArg {
    /// Few cycles; room where nothing maps that way.
    #[default]
    Auto,
    /// Few cycles.
    Speed,
    /// Few units and lanes.
    Room,
}

/// `--order`
#[derive(clap::ValueEnum, Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OrderArg {
    /// One after the other, consecutive loads side by side.
    Serial,
    /// Only where two accesses may meet.
    #[default]
    Pipelined,
}
