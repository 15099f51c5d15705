//! Case files: what tokens and memories go into a kernel, what must come out, and how the boundary stalls
//! (docs/cases.md).
//!
//! Guarantees: every value of a [`Case`] fits its argument's type; all independent problems of a file are reported in
//! one run, each with its place. The same file gives the same tokens on any machine, random ones included.

mod memory;
mod signature;
mod tokens;

pub use memory::{argument_memories, MemoryInit};
pub use signature::{Absent, Signature, SignatureMemory, SignatureStream};

use crate::axi::AxiOptions;
use crate::codes;
use loom_adg::toml::NotToml;
use loom_base::stall::Stalls;
use loom_base::{Diagnostic, Diagnostics, Source};
use loom_dfg::Graph;
use std::ops::Range;
use toml::de::{DeTable, DeValue};
use toml::Spanned;

pub(crate) type Item<'a> = Spanned<DeValue<'a>>;

/// What a case says about one result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Nothing: whatever the golden model gives.
    Any,
    /// So many tokens.
    Count(usize),
    /// These tokens, as bit patterns.
    Tokens(Vec<u64>),
}

/// One case of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// One line for a person; may be empty.
    pub description: String,
    /// Tokens by argument, as bit patterns of the argument's type; control tokens are 0.
    pub inputs: Vec<Vec<u64>>,
    /// By result.
    pub expect: Vec<Expect>,
    /// By argument memory, in the order of [`argument_memories`]; memories on chip have none.
    pub memory: Vec<MemoryInit>,
    /// All words after the run, by argument memory; `None` when the case does not say.
    pub expect_memory: Vec<Option<Vec<u64>>>,
    /// How the boundary of the timed models stalls.
    pub stalls: Stalls,
    /// How the memory behind AXI ports answers.
    pub axi: AxiOptions,
    /// Cycles before a timed model gives up.
    pub max_cycles: u64,
    /// Steps before the golden model gives up.
    pub max_steps: u64,
    /// How many random schedules of the golden model must agree.
    pub schedules: u64,
    /// Of a bitstream's case, an input and an output: token j of the input waits until j tokens of the output were taken.
    pub gate: Option<(usize, usize)>,
}

impl Case {
    /// Reads a case of `graph`.
    ///
    /// ```
    /// use loom_base::Source;
    /// let text = "handshake.func @inc(%a: i32, %b: i32) -> (i32) attributes {resNames = [\"r\"]} {
    ///   %r = arith.addi %a, %b : i32
    ///   return %r : i32
    /// }";
    /// let graph = loom_dfg::parse(&Source::new("inc.dfg.mlir", text)).unwrap();
    /// let case = "[inputs]\na = [1, -2]\nb = { value = 10, count = 2 }\n[expect]\nr = [11, 8]\n";
    /// let case = loom_sim::Case::read(&Source::new("c.toml", case), &graph, 32).unwrap();
    /// assert_eq!(case.inputs[0], [1, 0xffff_fffe]);
    /// ```
    pub fn read(source: &Source, graph: &Graph, index_width: u32) -> Result<Case, Diagnostics> {
        Case::read_for(source, &Signature::of_graph(graph), index_width)
    }

    /// Reads a case of whatever has these streams and memories.
    pub fn read_for(source: &Source, signature: &Signature, index_width: u32) -> Result<Case, Diagnostics> {
        let table = match loom_adg::toml::document(&source.text, &|key| SECTIONS.contains(&key)) {
            Ok(table) => table,
            Err(broken) => return Err(not_toml(source, signature, *broken)),
        };
        let mut reader = Reader { signature, index_width, problems: Vec::new() };
        let case = reader.case(&table);
        if reader.problems.is_empty() {
            return Ok(case);
        }
        reader.problems.sort_by_key(|d| d.labels.first().map_or(0, |l| l.span.start));
        Err(reader.problems)
    }

    /// All tokens that go in.
    pub fn input_tokens(&self) -> usize {
        self.inputs.iter().map(Vec::len).sum()
    }

    /// How the golden model's outputs differ from `[expect]`, one line for each result that does.
    pub fn differences(&self, graph: &Graph, outputs: &[Vec<u64>]) -> Vec<String> {
        let names: Vec<&str> = graph.outputs.iter().map(|o| o.name.as_str()).collect();
        self.token_differences(&names, outputs)
    }

    /// The same for outputs of these names.
    pub fn token_differences(&self, names: &[&str], outputs: &[Vec<u64>]) -> Vec<String> {
        let mut lines = Vec::new();
        for ((name, expect), got) in names.iter().zip(&self.expect).zip(outputs) {
            match expect {
                Expect::Count(n) if *n != got.len() => {
                    lines.push(format!("`{name}` gives {} tokens, the case expects {n}", got.len()));
                }
                Expect::Tokens(want) if want != got => {
                    let at =
                        want.iter().zip(got).position(|(w, g)| w != g).unwrap_or(want.len().min(got.len()));
                    let show =
                        |list: &[u64]| list.get(at).map_or("nothing".to_string(), |v| format!("{v:#x}"));
                    lines.push(format!(
                        "token {at} of `{name}` is {}, the case expects {} ({} tokens, {} expected)",
                        show(got),
                        show(want),
                        got.len(),
                        want.len()
                    ));
                }
                _ => {}
            }
        }
        lines
    }
}

/// One problem a line: what follows the first is mostly its echo.
fn not_toml(source: &Source, signature: &Signature, broken: NotToml) -> Diagnostics {
    let mut problems: Diagnostics = Vec::new();
    let mut lines = Vec::new();
    for e in &broken.errors {
        let line = e.span().map(|s| source.line_column(s.start).0);
        if lines.contains(&line) {
            continue;
        }
        lines.push(line);
        let message = e.message().lines().next().unwrap_or("not TOML").to_string();
        let problem = Diagnostic::error(codes::SYNTAX, message).at_opt(e.span(), "here");
        problems.push(problem.help("docs/cases.md shows the form"));
    }
    let unknown = broken.unknown.iter();
    problems
        .extend(unknown.map(|(key, span)| unknown_key(key, span.clone(), "a case", &sections(signature))));
    problems.extend(broken.more);
    problems
}

/// The sections that a case of it may have.
fn sections(signature: &Signature) -> Vec<&'static str> {
    SECTIONS.into_iter().filter(|k| *k != "gate" || signature.has_gate).collect()
}

fn unknown_key(name: &str, at: Range<usize>, whose: &str, known: &[&str]) -> Diagnostic {
    let known: Vec<String> = known.iter().map(|k| format!("`{k}`")).collect();
    Diagnostic::error(codes::UNKNOWN_KEY, format!("`{name}` is not a key of {whose}"))
        .at(at, "unknown key")
        .help(format!("the keys are {}", known.join(", ")))
}

pub(crate) struct Reader<'g> {
    signature: &'g Signature,
    pub(crate) index_width: u32,
    pub(crate) problems: Diagnostics,
}

const SECTIONS: [&str; 11] = [
    "description",
    "inputs",
    "memory",
    "expect",
    "expect_memory",
    "stalls",
    "axi",
    "limits",
    "schedules",
    "activations",
    "gate",
];

impl Reader<'_> {
    fn case(&mut self, table: &DeTable) -> Case {
        let signature = self.signature;
        let mut case = Case {
            description: String::new(),
            inputs: vec![Vec::new(); signature.inputs.len()],
            expect: vec![Expect::Any; signature.outputs.len()],
            memory: vec![MemoryInit::Words(Vec::new()); signature.memories.len()],
            expect_memory: vec![None; signature.memories.len()],
            stalls: Stalls::NONE,
            axi: AxiOptions::default(),
            max_cycles: 1_000_000,
            max_steps: 10_000_000,
            schedules: 10,
            gate: None,
        };
        let mut activations = None;
        let mut expect_memory = None;
        let mut given = vec![false; signature.inputs.len()];
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "description" => match value.get_ref() {
                    DeValue::String(text) => case.description = text.to_string(),
                    _ => self.wrong_type("`description`", "a text", value),
                },
                "schedules" => case.schedules = self.number("schedules", value, 1, 1000).unwrap_or(1),
                "activations" => activations = self.number("activations", value, 0, tokens::MOST as i128),
                "inputs" => self.inputs(key.span(), value, &mut case, &mut given),
                "memory" => self.memory(key.span(), value, &mut case),
                // Sizes come from `[memory]`, which may stand behind it.
                "expect_memory" => expect_memory = Some(value),
                "expect" => self.expect(value, &mut case),
                "stalls" => {
                    let fields = self.fields("stalls", value, &["seed", "source_percent", "sink_percent"]);
                    for (name, value) in fields {
                        match name {
                            "seed" => {
                                case.stalls.seed =
                                    self.number(name, value, 0, i128::from(u64::MAX)).unwrap_or(0)
                            }
                            // A port that always stalls would never let a run end.
                            "source_percent" => case.stalls.source_percent = self.small(name, value, 99),
                            _ => case.stalls.sink_percent = self.small(name, value, 99),
                        }
                    }
                }
                "axi" => {
                    for (name, value) in
                        self.fields("axi", value, &["latency", "stall_percent", "reorder", "seed"])
                    {
                        match (name, value.get_ref()) {
                            ("latency", _) => {
                                case.axi.latency = self.number(name, value, 1, 100_000).unwrap_or(1) as u32
                            }
                            ("stall_percent", _) => case.axi.stall_percent = self.small(name, value, 99),
                            ("reorder", DeValue::Boolean(b)) => case.axi.reorder = *b,
                            ("reorder", _) => self.wrong_type("`reorder`", "`true` or `false`", value),
                            _ => {
                                case.axi.seed = self.number(name, value, 0, i128::from(u64::MAX)).unwrap_or(1)
                            }
                        }
                    }
                }
                "limits" => {
                    for (name, value) in self.fields("limits", value, &["max_cycles", "max_steps"]) {
                        let n = self.number(name, value, 1, 1_000_000_000_000).unwrap_or(1);
                        match name {
                            "max_cycles" => case.max_cycles = n,
                            _ => case.max_steps = n,
                        }
                    }
                }
                "gate" if signature.has_gate => case.gate = self.gate(value),
                name => {
                    self.problems.push(unknown_key(name, key.span(), "a case", &sections(signature)));
                }
            }
        }
        let has = |section: &str| table.keys().any(|k| k.get_ref() == section);
        let required = signature.inputs.iter().filter(|p| p.absent == Absent::Refused);
        let data: Vec<String> = required.map(|p| format!("`{}`", p.name)).collect();
        if !has("inputs") && !data.is_empty() {
            self.problems.push(
                Diagnostic::error(codes::MISSING_ARGUMENT, "the case has no `[inputs]`")
                    .at(0..0, "")
                    .help(format!("give tokens for {}", data.join(", "))),
            );
        }
        if !has("memory") {
            self.no_memory();
        }
        if let Some(value) = expect_memory {
            self.expect_memory(value, &mut case);
        }
        // A control token starts an activation; what starts it need not be repeated in every case.
        let longest = case.inputs.iter().map(Vec::len).max().unwrap_or(0).max(1);
        for (k, port) in signature.inputs.iter().enumerate() {
            if port.absent == Absent::Activations && !given[k] {
                case.inputs[k] = vec![0; activations.map_or(longest, |n| n as usize)];
            }
        }
        case
    }

    /// `given` says which arguments have an entry.
    fn inputs(&mut self, at: Range<usize>, value: &Item, case: &mut Case, given: &mut [bool]) {
        let DeValue::Table(table) = value.get_ref() else {
            return self.wrong_type("`inputs`", "a section `[inputs]`", value);
        };
        let signature = self.signature;
        for (key, item) in table {
            let name = key.get_ref().as_ref();
            let Some(k) = self.argument(name) else {
                let names: Vec<String> = signature.inputs.iter().map(|p| format!("`{}`", p.name)).collect();
                let help = match signature.memories.iter().any(|m| m.name == name) {
                    true => format!("`{name}` is a memory: move it to `[memory]`"),
                    false => format!("the arguments are {}", names.join(", ")),
                };
                self.problems.push(
                    Diagnostic::error(
                        codes::UNKNOWN_ARGUMENT,
                        format!("`{name}` is not an argument of `{}`", signature.name),
                    )
                    .at(key.span(), "no such argument")
                    .help(help),
                );
                continue;
            };
            given[k] = true;
            let ty = signature.inputs[k].ty;
            case.inputs[k] = self.stream(name, ty, item);
        }
        for (port, _) in signature.inputs.iter().zip(given.iter()).filter(|(_, &g)| !g) {
            if port.absent != Absent::Refused {
                continue;
            }
            self.problems.push(
                Diagnostic::error(
                    codes::MISSING_ARGUMENT,
                    format!("argument `{}` ({}) has no tokens", port.name, port.ty),
                )
                .at(at.clone(), "not in this section")
                .help(format!("add `{} = [0]`, or `[]` for none", port.name)),
            );
        }
    }

    fn expect(&mut self, value: &Item, case: &mut Case) {
        let DeValue::Table(table) = value.get_ref() else {
            return self.wrong_type("`expect`", "a section `[expect]`", value);
        };
        let signature = self.signature;
        for (key, item) in table {
            let name = key.get_ref().as_ref();
            let Some(k) = signature.outputs.iter().position(|o| o.name == name) else {
                let names: Vec<String> = signature.outputs.iter().map(|o| format!("`{}`", o.name)).collect();
                self.problems.push(
                    Diagnostic::error(
                        codes::UNKNOWN_RESULT,
                        format!("`{name}` is not a result of `{}`", signature.name),
                    )
                    .at(key.span(), "no such result")
                    .help(format!("the results are {}", names.join(", "))),
                );
                continue;
            };
            let ty = signature.outputs[k].ty;
            case.expect[k] = match item.get_ref() {
                // A bare count says nothing about values; every other form is a list of tokens.
                DeValue::Table(t) if t.len() == 1 && t.keys().all(|k| k.get_ref() == "count") => {
                    let fields = self.fields(name, item, &["count"]);
                    let count = fields.first().and_then(|(n, v)| self.number(n, v, 0, tokens::MOST as i128));
                    Expect::Count(count.unwrap_or(0) as usize)
                }
                _ => Expect::Tokens(self.stream(name, ty, item)),
            };
        }
    }

    /// `gate = { input = "in0", output = "out2" }`.
    fn gate(&mut self, value: &Item) -> Option<(usize, usize)> {
        let signature = self.signature;
        let (mut input, mut output) = (None, None);
        for (key, item) in self.fields("gate", value, &["input", "output"]) {
            let (ports, found) = match key {
                "input" => (&signature.inputs, &mut input),
                _ => (&signature.outputs, &mut output),
            };
            match item.get_ref() {
                DeValue::String(name) => match ports.iter().position(|p| p.name == *name) {
                    Some(k) => *found = Some(k),
                    None => self.problems.push(
                        Diagnostic::error(
                            codes::UNKNOWN_ARGUMENT,
                            format!("`{name}` is not an {key} of `{}`", signature.name),
                        )
                        .at(item.span(), "no such port")
                        .help(format!("it has {}", signature::range(ports))),
                    ),
                },
                _ => self.wrong_type(&format!("`{key}`"), "the name of a port", item),
            }
        }
        if let (DeValue::Table(t), true) = (value.get_ref(), input.is_none() || output.is_none()) {
            if t.len() < 2 {
                self.wrong_type("`gate`", "a table with `input` and `output`", value);
            }
        }
        Some((input?, output?))
    }

    fn argument(&self, name: &str) -> Option<usize> {
        self.signature.inputs.iter().position(|p| p.name == name)
    }

    /// The known keys of a section, in their given order.
    pub(crate) fn fields<'v, 'n>(
        &mut self,
        section: &str,
        value: &'v Item,
        known: &[&'n str],
    ) -> Vec<(&'n str, &'v Item<'v>)> {
        let DeValue::Table(table) = value.get_ref() else {
            self.wrong_type(&format!("`{section}`"), "a table", value);
            return Vec::new();
        };
        let mut found = Vec::new();
        for (key, item) in table {
            match known.iter().find(|k| **k == key.get_ref().as_ref()) {
                Some(k) => found.push((*k, item)),
                None => {
                    let whose = format!("`{section}`");
                    self.problems.push(unknown_key(key.get_ref(), key.span(), &whose, known));
                }
            }
        }
        found
    }

    pub(crate) fn wrong_type(&mut self, what: &str, allowed: &str, value: &Item) {
        let found = match value.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.problems.push(
            Diagnostic::error(codes::WRONG_TYPE, format!("{what} is {found}, it must be {allowed}"))
                .at(value.span(), "here"),
        );
    }

    fn small(&mut self, name: &str, value: &Item, high: i128) -> u32 {
        self.number(name, value, 0, high).unwrap_or(0) as u32
    }

    /// An integer in a range.
    pub(crate) fn number(&mut self, name: &str, value: &Item, low: i128, high: i128) -> Option<u64> {
        let n = self.integer(&format!("`{name}`"), value, low, high, "")?;
        Some(n as u64)
    }

    /// An integer in a range; `of` says whose range.
    pub(crate) fn integer(
        &mut self,
        what: &str,
        value: &Item,
        low: i128,
        high: i128,
        of: &str,
    ) -> Option<i128> {
        let DeValue::Integer(n) = value.get_ref() else {
            self.wrong_type(what, "an integer", value);
            return None;
        };
        let read = i128::from_str_radix(n.as_str(), n.radix()).ok();
        if let Some(n) = read.filter(|n| (low..=high).contains(n)) {
            return Some(n);
        }
        self.problems.push(
            Diagnostic::error(codes::OUT_OF_RANGE, format!("{what} is {n}, {low} to {high} is allowed{of}"))
                .at(value.span(), "out of range"),
        );
        None
    }
}
