//! The whole way from texts to compared runs, as a library: load, compile, map, accept, simulate, compare.
//!
//! - [`load`]: a fabric, and a [`Kernel`] (a graph, or a structured program that is compiled), from their texts;
//! - [`clang`]: a function of a C or C++ program, from its files; [`exec`]: the whole program, around it;
//! - [`loops`]: what bounds each loop of a kernel, and what would help;
//! - [`fit()`]: which fabric, where none is named, and whether a program is compiled for speed or for room; [`copies`]: how many
//!   iterations loops do at once;
//! - [`Configured`]: a kernel on a fabric, with the bitstream that sets it up;
//! - [`models`]: a case through golden model, native model and, where asked for, Verilog;
//! - [`report`]: what came out, compared token by token, word by word and, of the timed models, cycle by cycle;
//! - [`bounds`]: what no run of a case goes below;
//! - [`accept`]: a run that makes a mapping an accepted one, with a case that is given or made up;
//! - [`bitstream`]: a config.bin and a fabric alone, without graph or mapping;
//! - [`software`]: the first two models, which need no fabric; [`host`] and
//!   [`contents`]: what a host does about memory.
//!
//! Guarantees: a [`Configured`] passed the legality checker, and its bitstream decodes to its mapping; a [`Report`] is
//! `ok` only when all models agree, nothing is left in any of them, and the case expects no less. Same inputs, same
//! answers. Refuses what the crates below refuse, with their diagnostics. Texts come in, values go out: only
//! [`loom_cosim`] knows processes, and the cache it is given; [`clang`] knows them too, and the files it is given.
//!
//! What `loom run` does, but for the Verilog and the files:
//!
//! ```
//! use loom_base::Source;
//! use loom_flow::{load, Configured, Kernel};
//!
//! # let read = |path: &str| {
//! #     Source::new(path, std::fs::read_to_string(format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap())
//! # };
//! let fabric = load::fabric(&read("configs/mesh-4x4.toml"))?;
//! let kernel = Kernel::read(&read("kernels/gcd/gcd.scf.mlir"), &load::lowering(&fabric))?;
//! let configured = Configured::map(kernel, &fabric, &Default::default(), &mut |_, _| {})?;
//! let case = configured.case(&read("kernels/gcd/activations.toml"))?;
//! let runs = configured.simulate(&case)?;
//! let report = configured.report(&case, "activations", &runs);
//! assert!(report.ok, "{:?}", report.problems);
//! let bitstream: Vec<u8> = configured.image.to_bytes();
//! assert_eq!(bitstream.len(), 4 * report.config_words);
//! # Ok::<(), loom_base::Diagnostics>(())
//! ```
//!
//! With `let mut model = FabricModel::new(&loom_cosim::verilate(&fabric, options, cache)?, fabric.ports())` and
//! `configured.cosimulate(&case, &mut runs, &mut model)?` before the report, Verilog is compared too.

pub mod accept;
pub mod bitstream;
pub mod bounds;
pub mod clang;
pub mod codes;
mod configured;
pub mod contents;
pub mod copies;
pub mod exec;
mod fit;
mod fitted;
pub mod host;
pub mod load;
pub mod loops;
pub mod models;
mod once;
pub mod pace;
pub mod report;
mod smallest;
pub mod software;

pub use bitstream::Bitstream;
pub use configured::Configured;
pub use fit::{compile as compile_for, fit, name_another, Graphs};
pub use fitted::Fitted;
pub use load::Kernel;
pub use models::{NativeRun, Runs, VerilogRun};
pub use once::MappedOnce;
pub use report::Report;
