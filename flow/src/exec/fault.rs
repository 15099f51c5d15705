//! What stops a call, in words and with its place in the source.

use super::function::{BadSlot, Function};
use crate::codes;
use loom_base::Diagnostic;
use loom_dfg::graph::MemoryId;
use loom_llvm::MOST_COUNTED;
use std::ops::Range;

/// The first access that the process could not do, or that the function was compiled not to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BusError {
    pub memory: MemoryId,
    pub store: bool,
    /// In the process.
    pub address: u64,
    /// Where the memory begins.
    pub origin: u64,
    /// Where the process could: the memory that was compiled as apart, and has touched the same bytes.
    pub other: Option<MemoryId>,
    pub span: Option<Range<usize>>,
}

/// Why a call did not return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Bus(BusError),
    Argument(BadSlot),
    /// A run-time error of the fabric or of the graph.
    Error {
        name: String,
        code: u16,
        at: String,
        span: Option<Range<usize>>,
    },
    /// An access outside of an array on chip.
    Outside {
        memory: MemoryId,
        store: bool,
        word: i64,
        span: Option<Range<usize>>,
    },
    /// An access so far from the start of its array that an index of 32 bits takes it elsewhere.
    Wrapped {
        memory: String,
        store: bool,
        /// Behind the start.
        bytes: i128,
        span: Option<Range<usize>>,
    },
    /// Nothing can move any more: who waits for what.
    Deadlock(Vec<String>),
    /// So many cycles, or steps of the golden model, were not enough.
    Budget(u64, &'static str),
    /// The call returned and left something behind.
    Leftover(Vec<String>),
}

/// Lines of what waits or is left that are shown.
const MOST_LISTED: usize = 10;

impl Fault {
    /// `call` counts the function's calls from 1.
    pub fn diagnostic(self, function: &Function, call: u64, values: &[u64]) -> Diagnostic {
        let graph = function.graph();
        let name = &graph.name;
        let of_function = function.kernel.compiled.as_ref().and_then(|c| c.source.funcs[0].span.clone());
        let listed =
            |d: Diagnostic, lines: Vec<String>| lines.into_iter().take(MOST_LISTED).fold(d, Diagnostic::note);
        let diagnostic = match self {
            Fault::Bus(BusError { memory, store, other: Some(other), span, .. }) => {
                let views = function.are_views(memory, other);
                let [memory, other] = [memory, other].map(|m| &graph.memory(m).name);
                overlaps(name, store, (memory, other), views).at_opt(span.or(of_function), "this access")
            }
            Fault::Bus(error) => {
                let what = if error.store { "writes to" } else { "reads from" };
                let memory = &graph.memory(error.memory).name;
                let place = match error.origin {
                    0 => format!("`{memory}` is null"),
                    origin => format!(
                        "that is byte {} of `{memory}`, which begins at {origin:#x}",
                        error.address.wrapping_sub(origin) as i64
                    ),
                };
                let message = format!(
                    "`{name}` {what} address {:#x}, where the program has no such memory",
                    error.address
                );
                Diagnostic::error(codes::BUS, message)
                    .at_opt(error.span.or(of_function), "this access")
                    .note(place)
                    .help("pass a pointer to an array that is as long as the function takes it to be")
            }
            Fault::Argument(BadSlot::End { bytes, word_bytes }) => {
                let message = format!(
                    "`{name}` compares two pointers that are {bytes} bytes apart, in an array of words of {word_bytes}"
                );
                Diagnostic::error(codes::BUS, message)
                    .at_opt(of_function, "this function")
                    .help("pass pointers to elements of one array")
            }
            Fault::Argument(BadSlot::Count { name: argument, value, signed }) => {
                let value = if signed { value.to_string() } else { (value as u64).to_string() };
                let message = format!("`{name}` counts to `{argument}`, which is {value}");
                let least = if signed { -MOST_COUNTED } else { 0 };
                Diagnostic::error(codes::RANGE, message)
                    .at_opt(of_function, "this function")
                    .note(format!("loops count in index, and their bounds are {least} to {MOST_COUNTED}"))
                    .help("pass a number that the loop may reach")
            }
            Fault::Error { name: error, code, at, span } => {
                let help = match code {
                    ZERO_STEP => "give the loop a step that is not zero",
                    OUT_OF_RANGE => "an index is negative or too large: pass a pointer to the first word that the function touches",
                    _ => "docs/hardware.md says what the error means",
                };
                Diagnostic::error(codes::HARDWARE_ERROR, format!("`{name}` stops on {error} ({code})"))
                    .at_opt(span.or(of_function), "here")
                    .note(format!("at {at}"))
                    .help(help)
            }
            Fault::Outside { memory, store, word, span } => {
                let what = if store { "writes to" } else { "reads" };
                let memory = graph.memory(memory);
                let message = format!("`{name}` {what} word {word} of `{}`", memory.name);
                let words = memory.words.unwrap_or_default();
                Diagnostic::error(codes::HARDWARE_ERROR, message)
                    .at_opt(span.or(of_function), "this access")
                    .note(format!("`{}` has the words 0 to {}", memory.name, words.saturating_sub(1)))
                    .help("keep the index within the array, or make the array longer")
            }
            Fault::Wrapped { memory, store, bytes, span } => {
                wrapped(name, &memory, store, bytes).at_opt(span.or(of_function), "this access")
            }
            Fault::Deadlock(waiting) => {
                let message = format!("`{name}` does not return: nothing can move any more");
                let error =
                    Diagnostic::error(codes::UNFINISHED, message).at_opt(of_function, "this function");
                listed(error, waiting)
                    .help("this is a fault of loom: please report it with the program and the fabric")
            }
            Fault::Budget(count, unit) => {
                let message = format!("`{name}` has not returned after {count} {unit}");
                Diagnostic::error(codes::UNFINISHED, message)
                    .at_opt(of_function, "this function")
                    .help("raise `--max-cycles`, or look for a loop that does not end")
            }
            Fault::Leftover(left) => {
                let message = format!("`{name}` has returned and left something behind");
                let error = Diagnostic::error(codes::MISMATCH, message).at_opt(of_function, "this function");
                listed(error, left)
                    .help("this is a fault of loom: please report it with the program and the fabric")
            }
        };
        let shown: Vec<String> = values.iter().map(|v| format!("{v:#x}")).collect();
        diagnostic.note(format!("in call {call} of `{name}` with {}", shown.join(", ")))
    }
}

fn overlaps(name: &str, store: bool, (memory, other): (&str, &str), views: bool) -> Diagnostic {
    let message = match store {
        true => format!("`{name}` writes through `{memory}` what it touches through `{other}`"),
        false => format!("`{name}` reads through `{memory}` what it writes through `{other}`"),
    };
    let error = Diagnostic::error(codes::APART, message);
    if views {
        return error
            .note(format!("`{memory}` and `{other}` are fields of different widths of the same structs"))
            .help("an index is beyond the array in a struct: keep it within, or give the array an argument of its own");
    }
    error
        .note(format!("`{memory}` and `{other}` are compiled as apart, as `restrict`, `--noalias` or their types in C say"))
        .help("pass arrays that do not overlap, drop that promise, or say `--no-strict-aliasing` where bytes are accessed as two types")
}

fn wrapped(name: &str, memory: &str, store: bool, bytes: i128) -> Diagnostic {
    let what = if store { "writes to" } else { "reads" };
    let message = format!("`{name}` {what} byte {bytes} of `{memory}`, which no address of 32 bits reaches");
    Diagnostic::error(codes::WRAPPED, message)
        .note("a fabric reaches 4 GiB from each pointer on, and nothing before it")
        .help("pass a pointer to the part of the array that the function touches")
}

const ZERO_STEP: u16 = loom_dfg::interp::ZERO_STEP.1 as u16;
const OUT_OF_RANGE: u16 = loom_dfg::interp::ADDRESS_OUT_OF_RANGE.1 as u16;
