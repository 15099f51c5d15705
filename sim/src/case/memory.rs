//! Memories of a case: what the host's memories hold before a run, and what they must hold after it.
//!
//! Guarantees: a [`MemoryInit`] fits its memory's type and size, a part lies inside the memory it is part of, and no
//! part is a part of a part. Refuses contents for memories on chip: the program itself says what they hold.

use super::{Case, Item, Reader, SignatureMemory};
use crate::codes;
use loom_base::Diagnostic;
use loom_dfg::interp::{Binding, Memories};
use loom_dfg::{Graph, Memory, MemoryId, MemoryPlace};
use std::ops::Range;
use toml::de::DeValue;

/// What an argument memory starts with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryInit {
    /// A buffer of its own with these words, as bit patterns.
    Words(Vec<u64>),
    /// Words of another memory: two arguments that overlap.
    Part {
        /// Which memory, as an index in [`Case::memory`]; it has words of its own.
        of: usize,
        /// First word.
        offset: usize,
        /// Number of words.
        words: usize,
    },
}

/// The memories a case gives words for: those behind arguments, in the order of `graph.memories`.
pub fn argument_memories(graph: &Graph) -> impl Iterator<Item = (MemoryId, &Memory)> + '_ {
    let all = graph.memories.iter().enumerate().map(|(i, m)| (MemoryId(i as u32), m));
    all.filter(|(_, m)| matches!(m.place, MemoryPlace::Argument { .. }))
}

impl Case {
    /// The words behind all memories of `graph` before the run; memories on chip hold what the graph says.
    pub fn memories(&self, graph: &Graph) -> Memories {
        let words = self.memory.iter().map(|init| match init {
            MemoryInit::Words(words) => words.clone(),
            MemoryInit::Part { .. } => Vec::new(),
        });
        let mut memories = Memories::new(graph, words.collect());
        let ids: Vec<MemoryId> = argument_memories(graph).map(|(id, _)| id).collect();
        for (id, init) in ids.iter().zip(&self.memory) {
            let MemoryInit::Part { of, offset, words } = *init else { continue };
            let buffer = ids.get(of).map_or(0, |of| memories.bindings[of.0 as usize].buffer);
            memories.bindings[id.0 as usize] = Binding { buffer, offset, words };
        }
        memories
    }

    /// How memories after a run differ from `[expect_memory]`, one line for each memory that does.
    pub fn memory_differences(&self, graph: &Graph, memories: &Memories) -> Vec<String> {
        let (names, words): (Vec<&str>, Vec<&[u64]>) =
            argument_memories(graph).map(|(id, m)| (m.name.as_str(), memories.words(id))).unzip();
        self.word_differences(&names, &words)
    }

    /// The same for memories of these names and words.
    pub fn word_differences(&self, names: &[&str], words: &[&[u64]]) -> Vec<String> {
        let mut lines = Vec::new();
        for ((name, got), want) in names.iter().zip(words).zip(&self.expect_memory) {
            let Some(want) = want else { continue };
            let differ: Vec<usize> =
                (0..want.len().max(got.len())).filter(|&i| want.get(i) != got.get(i)).collect();
            let Some(&at) = differ.first() else { continue };
            let show = |list: &[u64]| list.get(at).map_or("nothing".to_string(), |v| format!("{v:#x}"));
            lines.push(format!(
                "word {at} of memory `{name}` is {}, the case expects {} ({} of {} words differ)",
                show(got),
                show(want),
                differ.len(),
                want.len()
            ));
        }
        lines
    }
}

const ALIAS: [&str; 3] = ["alias", "offset", "words"];

/// `{ alias = "A", offset = 2, words = 8 }` before the other memory is known.
struct Alias<'v> {
    /// Which memory is the part.
    memory: usize,
    of: String,
    offset: usize,
    words: Option<usize>,
    item: &'v Item<'v>,
}

impl Reader<'_> {
    /// `[memory]`.
    pub(super) fn memory(&mut self, at: Range<usize>, value: &Item, case: &mut Case) {
        let DeValue::Table(table) = value.get_ref() else {
            return self.wrong_type("`memory`", "a section `[memory]`", value);
        };
        let known = &self.signature.memories;
        let mut given = vec![false; known.len()];
        let mut aliases = Vec::new();
        for (key, item) in table {
            let Some(k) = self.memory_of(key.get_ref(), key.span()) else { continue };
            given[k] = true;
            // Several `[memory]` keys can ask for one buffer; which buffer is known when all are read.
            if matches!(item.get_ref(), DeValue::Table(t) if t.keys().any(|k| k.get_ref() == "alias")) {
                aliases.extend(self.alias(k, key.get_ref(), item));
                continue;
            }
            let before = self.problems.len();
            let words = self.stream(key.get_ref(), known[k].element, item);
            if self.problems.len() == before {
                self.fits(&known[k], words.len(), item);
            }
            case.memory[k] = MemoryInit::Words(words);
        }
        // A part of a memory that is itself missing would be a second message about one mistake.
        let whole: Vec<Option<usize>> = (0..known.len())
            .map(|k| match &case.memory[k] {
                MemoryInit::Words(w) if given[k] && aliases.iter().all(|a| a.memory != k) => Some(w.len()),
                _ => None,
            })
            .collect();
        let clean = self.problems.is_empty();
        for alias in aliases {
            self.part(&alias, known, &given, &whole, clean, case);
        }
        for (memory, _) in known.iter().zip(&given).filter(|(m, &g)| !g && m.required) {
            self.missing_memory(memory, at.clone());
        }
    }

    /// No `[memory]` at all.
    pub(super) fn no_memory(&mut self) {
        let required = self.signature.memories.iter().filter(|m| m.required);
        let names: Vec<String> = required.map(|m| format!("`{}`", m.name)).collect();
        if !names.is_empty() {
            self.problems.push(
                Diagnostic::error(codes::MISSING_MEMORY, "the case has no `[memory]`")
                    .at(0..0, "")
                    .help(format!("give words for {}", names.join(", "))),
            );
        }
    }

    /// `[expect_memory]`, after `[memory]`: sizes are known then.
    pub(super) fn expect_memory(&mut self, value: &Item, case: &mut Case) {
        let DeValue::Table(table) = value.get_ref() else {
            return self.wrong_type("`expect_memory`", "a section `[expect_memory]`", value);
        };
        let known = &self.signature.memories;
        let clean = self.problems.is_empty();
        for (key, item) in table {
            let Some(k) = self.memory_of(key.get_ref(), key.span()) else { continue };
            let before = self.problems.len();
            let words = self.stream(key.get_ref(), known[k].element, item);
            let has = match &case.memory[k] {
                MemoryInit::Words(words) => words.len(),
                MemoryInit::Part { words, .. } => *words,
            };
            // After a problem with `[memory]` nobody knows how many words there are.
            if clean && self.problems.len() == before && words.len() != has {
                self.problems.push(
                    Diagnostic::error(
                        codes::BAD_MEMORY,
                        format!("memory `{}` has {has} words, {} are expected", known[k].name, words.len()),
                    )
                    .at(item.span(), "here")
                    .help("list all words, those that stay as they are too"),
                );
            }
            case.expect_memory[k] = Some(words);
        }
    }

    fn memory_of(&mut self, name: &str, at: Range<usize>) -> Option<usize> {
        let signature = self.signature;
        let found = signature.memories.iter().position(|m| m.name == name);
        if found.is_none() {
            let names: Vec<String> = signature.memories.iter().map(|m| format!("`{}`", m.name)).collect();
            let help = match () {
                () if self.argument(name).is_some() => {
                    format!("`{name}` takes tokens: move it to `[inputs]`")
                }
                () if names.is_empty() => "no argument of the graph is a memref: drop it".to_string(),
                () => format!("the memories are {}", names.join(", ")),
            };
            self.problems.push(
                Diagnostic::error(
                    codes::UNKNOWN_MEMORY,
                    format!("`{name}` is not an argument memory of `{}`", signature.name),
                )
                .at(at, "no such memory")
                .help(help),
            );
        }
        found
    }

    fn alias<'v>(&mut self, memory: usize, name: &str, item: &'v Item<'v>) -> Option<Alias<'v>> {
        let before = self.problems.len();
        let mut alias = Alias { memory, of: String::new(), offset: 0, words: None, item };
        for (name, value) in self.fields(name, item, &ALIAS) {
            match (name, value.get_ref()) {
                ("alias", DeValue::String(text)) => alias.of = text.to_string(),
                ("alias", _) => self.wrong_type("`alias`", "the name of another memory", value),
                (name, _) => {
                    let n = self.number(name, value, 0, super::tokens::MOST as i128).unwrap_or(0) as usize;
                    match name {
                        "offset" => alias.offset = n,
                        _ => alias.words = Some(n),
                    }
                }
            }
        }
        (self.problems.len() == before).then_some(alias)
    }

    /// Binds a part once all memories with words of their own are read.
    fn part(
        &mut self,
        alias: &Alias,
        known: &[SignatureMemory],
        given: &[bool],
        whole: &[Option<usize>],
        clean: bool,
        case: &mut Case,
    ) {
        let memory = &known[alias.memory];
        let name = &memory.name;
        let Some(of) = known.iter().position(|m| m.name == alias.of) else {
            let others: Vec<String> =
                known.iter().filter(|m| m.name != *name).map(|m| format!("`{}`", m.name)).collect();
            let help = match others.is_empty() {
                true => "there is no other memory: give it words".to_string(),
                false => format!("the other memories are {}", others.join(", ")),
            };
            return self.bad_memory(
                format!("`{name}` is part of `{}`, which is not an argument memory", alias.of),
                &help,
                alias.item,
            );
        };
        let Some(has) = whole[of] else {
            if given[of] {
                self.bad_memory(
                    format!("`{name}` is part of `{}`, which has no words of its own", alias.of),
                    "name the memory whose words both are",
                    alias.item,
                );
            }
            return;
        };
        if known[of].element != memory.element {
            return self.bad_memory(
                format!(
                    "`{name}` has words of {}, `{}` has words of {}",
                    memory.element, alias.of, known[of].element
                ),
                "only memories of one element type can overlap",
                alias.item,
            );
        }
        let words = alias.words.unwrap_or(has.saturating_sub(alias.offset));
        if alias.offset + words > has {
            if clean {
                self.bad_memory(
                    format!(
                        "`{name}` is words {} to {} of `{}`, which has {has}",
                        alias.offset,
                        alias.offset + words,
                        alias.of
                    ),
                    "`offset` and `words` together are at most the words of the other memory",
                    alias.item,
                );
            }
            return;
        }
        self.fits(memory, words, alias.item);
        case.memory[alias.memory] = MemoryInit::Part { of, offset: alias.offset, words };
    }

    fn fits(&mut self, memory: &SignatureMemory, words: usize, item: &Item) {
        if memory.words.is_some_and(|n| n != words as u64) {
            let n = memory.words.unwrap_or(0);
            self.bad_memory(
                format!("`{}` is memref<{n}x{}> and gets {words} words", memory.name, memory.element),
                &format!("give exactly {n} words"),
                item,
            );
        }
    }

    fn bad_memory(&mut self, message: String, help: &str, item: &Item) {
        let problem = Diagnostic::error(codes::BAD_MEMORY, message).at(item.span(), "here");
        self.problems.push(problem.help(help));
    }

    fn missing_memory(&mut self, memory: &SignatureMemory, at: Range<usize>) {
        let (name, ty) = (&memory.name, memory.element);
        let (size, count) = match memory.words {
            Some(n) => (n.to_string(), n.to_string()),
            None => ("?".to_string(), "N".to_string()),
        };
        self.problems.push(
            Diagnostic::error(
                codes::MISSING_MEMORY,
                format!("memory `{name}` (memref<{size}x{ty}>) has no words"),
            )
            .at(at, "not in this section")
            .help(format!("add `{name} = {{ value = 0, count = {count} }}` or a list")),
        );
    }
}
