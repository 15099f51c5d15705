//! A config.bin on its fabric, run without the graph or mapping it came from: streams by port, memories by region.
//!
//! Guarantees: both timed models get the same tokens and bytes; memory lies where the image says, so a base that is
//! wrong shows as the fabric's own error. What the case does not expect is judged by nobody but the other model. Refuses,
//! with the cure: words for two regions at one place, beyond 32 bits of address or beyond the end of a scratchpad.

use crate::codes;
use crate::contents::{to_bytes, to_words, Contents};
use crate::models::{limits, verilog_limits, NativeRun, VerilogRun};
use crate::report::Found;
use loom_adg::model::Backing;
use loom_adg::{Component, ComponentId, Fabric, Image};
use loom_base::{truncate, Diagnostic, Diagnostics, Source};
use loom_cosim::FabricModel;
use loom_dfg::Type;
use loom_gen::patch::{bases, Base, Names};
use loom_sim::case::{Absent, MemoryInit, Signature, SignatureMemory, SignatureStream};
use loom_sim::{Case, Expect, InputToken, Limits, OutputToken, Stimulus};
use serde::Serialize;

/// Words of an image, and the fabric they configure.
#[derive(Clone, Debug)]
pub struct Bitstream {
    /// The fabric.
    pub fabric: Fabric,
    /// The words.
    pub image: Image,
    memories: Vec<Memory>,
    signature: Signature,
}

/// What a region shows of a memory.
#[derive(Clone, Debug)]
struct Memory {
    name: String,
    /// Bytes of a word.
    bytes: usize,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Behind an AXI port.
    Address(u32),
    /// In a scratchpad of so many bytes.
    Pad { component: ComponentId, offset: usize, size: usize },
}

/// What the timed models made of a case.
#[derive(Clone, Debug)]
pub struct BitstreamRuns {
    stimulus: Stimulus,
    native: NativeRun<Words>,
    verilog: Option<VerilogRun<Words>>,
}

/// The words of each memory.
type Words = Vec<Vec<u64>>;

impl BitstreamRuns {
    /// Cycles of the native run.
    pub fn cycles(&self) -> u64 {
        self.native.cycles
    }
}

/// A stream or memory after a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct List {
    /// SignatureStream, argument or region.
    pub name: String,
    /// Bits of a value; 0 for control tokens.
    pub width: u32,
    /// Tokens or words, as bit patterns.
    pub values: Vec<u64>,
}

/// What came out, and whether the models agree.
#[derive(Clone, Debug, Serialize)]
pub struct BitstreamReport {
    /// Fabric name.
    pub fabric: String,
    /// Case name.
    pub case: String,
    /// Cycles of the native run.
    pub native_cycles: u64,
    /// Cycles of the Verilog run.
    pub verilog_cycles: Option<u64>,
    /// Outputs that gave something.
    pub outputs: Vec<List>,
    /// Memories after the run.
    pub memory: Vec<List>,
    /// Tokens that both timed models gave.
    pub tokens_compared: u64,
    /// Tokens, words or times that differ.
    pub mismatches: u64,
    /// What was left over.
    pub leftover: u64,
    /// Name of the run-time error, when there was one.
    pub error: Option<String>,
    /// Whether the models agree, nothing is left, and the case expects no less.
    pub ok: bool,
    /// The first mismatches and leftovers in words.
    pub problems: Vec<String>,
}

/// Memory before a run.
struct Host {
    contents: Contents,
    /// Words of each memory.
    count: Vec<usize>,
}

impl Bitstream {
    /// An image on a fabric; `names` says which argument lives in which region, where that is known.
    pub fn new(fabric: &Fabric, image: Image, names: &Names) -> Result<Bitstream, Diagnostics> {
        if image.words.len() != fabric.layout().words {
            // The decoder's refusal names both lengths.
            return Err(loom_gen::decode(fabric, &image).err().unwrap_or_default());
        }
        let memories = memories(fabric, &bases(fabric, &image, names));
        let signature = signature(fabric, &memories);
        Ok(Bitstream { fabric: fabric.clone(), image, memories, signature })
    }

    /// Reads a case by ports and regions.
    pub fn case(&self, source: &Source) -> Result<Case, Diagnostics> {
        Case::read_for(source, &self.signature, self.fabric.index_width())
    }

    /// Runs the native model. Outputs of which the case says nothing give what they give: a first run counts it.
    pub fn simulate(&self, case: &Case) -> Result<BitstreamRuns, Diagnostics> {
        let host = self.host(case)?;
        let mut stimulus = self.stimulus(case);
        let mut model = host.contents.native(&self.fabric, &self.image, &case.axi)?;
        if case.expect.contains(&Expect::Any) {
            let long = Limits { drain_cycles: case.max_cycles, ..limits(case) };
            let counted = model.run(&stimulus, &case.stalls, &long);
            for (k, expect) in case.expect.iter().enumerate() {
                if *expect == Expect::Any {
                    stimulus.expected[k] = counted.outputs[k].len();
                }
            }
        }
        let trace = model.run(&stimulus, &case.stalls, &limits(case));
        let memories = self.after(&host, &host.contents.after_native(&model));
        let broken_rule = model.broken_rule().map(String::from);
        let native = NativeRun { trace, memories, broken_rule };
        Ok(BitstreamRuns { stimulus, native, verilog: None })
    }

    /// Runs the Verilog after the native model.
    pub fn cosimulate(
        &self,
        case: &Case,
        runs: &mut BitstreamRuns,
        model: &mut FabricModel,
    ) -> Result<(), Diagnostics> {
        let host = self.host(case)?;
        host.contents.verilog(&self.fabric, &self.image, &case.axi, model)?;
        let trace = model.run(&runs.stimulus, &case.stalls, &verilog_limits(case, &runs.native));
        let memories = self.after(&host, &host.contents.after_verilog(&self.fabric, model));
        runs.verilog = Some(VerilogRun { trace, memories });
        Ok(())
    }

    /// Compares the models with each other and with what the case expects.
    pub fn report(&self, case: &Case, name: &str, runs: &BitstreamRuns) -> BitstreamReport {
        let mut found = Found::default();
        let BitstreamRuns { native, verilog, .. } = runs;
        let words = &native.memories;
        let complete = native.completed && verilog.as_ref().is_none_or(|v| v.completed);
        found.stopped(&self.fabric, case.max_cycles, native, complete);
        if let Some(v) = verilog {
            found.compare_times(native, v);
            found.tokens_compared = native.outputs.iter().map(Vec::len).sum::<usize>() as u64;
            for (memory, (n, v)) in self.memories.iter().zip(words.iter().zip(&v.memories)) {
                if complete && n != v {
                    found.mismatch(format!("memory `{}` differs between native and verilog", memory.name));
                }
            }
            found.left_in_verilog(v);
        }
        found.broken_rules(native, verilog.as_ref());
        found.left_in_native(native);
        found.waiting(native);
        let outputs: Vec<Vec<u64>> =
            (0..native.outputs.len()).map(|k| self.tokens(k, &native.outputs[k])).collect();
        let names: Vec<&str> = self.signature.outputs.iter().map(|p| p.name.as_str()).collect();
        let mut differences = case.token_differences(&names, &outputs);
        let memories: Vec<&str> = self.memories.iter().map(|m| m.name.as_str()).collect();
        let after: Vec<&[u64]> = words.iter().map(Vec::as_slice).collect();
        differences.extend(case.word_differences(&memories, &after));
        found.unexpected(differences);
        let width = |ty: Type| ty.width(self.fabric.index_width());
        let outputs = self.signature.outputs.iter().zip(outputs).filter(|(_, values)| !values.is_empty());
        let memory = self.memories.iter().zip(words).filter(|(_, words)| !words.is_empty());
        BitstreamReport {
            fabric: self.fabric.name().to_string(),
            case: name.into(),
            native_cycles: native.cycles,
            verilog_cycles: verilog.as_ref().map(|v| v.cycles),
            outputs: outputs
                .map(|(p, values)| List { name: p.name.clone(), width: width(p.ty), values })
                .collect(),
            memory: memory
                .map(|(m, words)| List {
                    name: m.name.clone(),
                    width: 8 * m.bytes as u32,
                    values: words.clone(),
                })
                .collect(),
            tokens_compared: found.tokens_compared,
            mismatches: found.mismatches,
            leftover: found.leftover,
            error: native.error.map(|(error, _)| error.name().to_string()),
            ok: complete && found.nothing_wrong(native),
            problems: found.problems,
        }
    }

    /// Tokens of an output as numbers, tag above data.
    fn tokens(&self, k: usize, tokens: &[OutputToken]) -> Vec<u64> {
        let width = self.fabric.ports().outputs[k].ty.width;
        tokens.iter().map(|t| truncate(t.data, width) | t.tag.checked_shl(width).unwrap_or(0)).collect()
    }

    fn stimulus(&self, case: &Case) -> Stimulus {
        let inputs = self.fabric.ports().inputs.iter().zip(&case.inputs);
        let value = |width: u32, bits: u64| InputToken {
            data: truncate(bits, width),
            tag: bits.checked_shr(width).unwrap_or(0),
        };
        let expected = case.expect.iter().map(|e| match e {
            Expect::Any => 0,
            Expect::Count(n) => *n,
            Expect::Tokens(tokens) => tokens.len(),
        });
        Stimulus {
            inputs: inputs.map(|(p, t)| t.iter().map(|&bits| value(p.ty.width, bits)).collect()).collect(),
            expected: expected.collect(),
            gate: case.gate,
        }
    }

    /// Lays out what a case gives.
    fn host(&self, case: &Case) -> Result<Host, Diagnostics> {
        let mut host = Host { contents: Contents::default(), count: Vec::new() };
        let mut problems = Vec::new();
        let mut refuse = |text: String, help: &str| {
            problems.push(Diagnostic::error(codes::PLACE, text).help(help.to_string()));
        };
        for (memory, init) in self.memories.iter().zip(&case.memory) {
            let (name, bytes) = (&memory.name, memory.bytes);
            host.count.push(match init {
                MemoryInit::Words(words) => words.len(),
                MemoryInit::Part { words, .. } => *words,
            });
            match (memory.place, init) {
                (_, MemoryInit::Words(words)) if words.is_empty() => {}
                (Place::Address(address), MemoryInit::Words(words)) => {
                    if !host.contents.memory.place(address, to_bytes(words, bytes)) {
                        refuse(
                            format!("{} words of `{name}` at {address:#x} run into another memory or beyond 32 bits", words.len()),
                            "set the bases with `loom patch`, or say `{ alias = ... }` where memories overlap",
                        );
                    }
                }
                (place, MemoryInit::Part { of, offset, .. }) => {
                    let other = &self.memories[*of];
                    let there = match other.place {
                        Place::Address(a) => a.checked_add((offset * bytes) as u32).map(Place::Address),
                        Place::Pad { .. } => None,
                    };
                    if there != Some(place) {
                        refuse(
                            format!("`{name}` does not lie {offset} words into `{}`", other.name),
                            "the image says where memories lie: set its bases with `loom patch`",
                        );
                    }
                }
                (Place::Pad { component, offset, size }, MemoryInit::Words(words)) => {
                    let words = to_bytes(words, bytes);
                    if offset + words.len() > size {
                        refuse(
                            format!("`{name}` has room for {} words", size.saturating_sub(offset) / bytes),
                            "a scratchpad takes no more than it holds",
                        );
                        continue;
                    }
                    host.contents.fill(component, offset, &words);
                }
            }
        }
        if problems.is_empty() {
            Ok(host)
        } else {
            Err(problems)
        }
    }

    /// The words of each memory in what a run left; none of a scratchpad of which the case says nothing.
    fn after(&self, host: &Host, left: &Contents) -> Words {
        let words = |(m, &count): (&Memory, &usize)| -> Vec<u64> {
            match m.place {
                Place::Address(base) => {
                    let at = |i: usize| base.wrapping_add((i * m.bytes) as u32);
                    (0..count).map(|i| left.memory.read(at(i), m.bytes).unwrap_or(0)).collect()
                }
                Place::Pad { component, offset, .. } => {
                    let bytes = left.pad(component).get(offset..offset + count * m.bytes);
                    bytes.map_or(Vec::new(), |b| to_words(b, m.bytes))
                }
            }
        };
        self.memories.iter().zip(&host.count).map(words).collect()
    }
}

/// The memories of an image: regions of one argument at one place are one memory; what has no name, or shares it with
/// something elsewhere, is called by interface and region.
fn memories(fabric: &Fabric, bases: &[Base]) -> Vec<Memory> {
    let mut list: Vec<Memory> = Vec::new();
    for base in bases {
        let Some(component) = fabric.find(&base.interface) else { continue };
        let Component::Memory(interface) = fabric.component(component) else { continue };
        let place = match interface.store {
            Backing::External => Place::Address(base.addr_offset),
            Backing::Scratchpad { bytes, .. } => {
                Place::Pad { component, offset: base.addr_offset as usize, size: bytes as usize }
            }
        };
        let bytes = base.element_bytes as usize;
        let mut name = base.memory.clone().unwrap_or_else(|| base.place());
        if let Some(same) = list.iter().find(|m| m.name == name) {
            if same.place == place && same.bytes == bytes {
                continue;
            }
            name = base.place();
        }
        list.push(Memory { name, bytes, place });
    }
    list
}

/// What a case may name: every port by its signal, every memory.
fn signature(fabric: &Fabric, memories: &[Memory]) -> Signature {
    let port = |p: &loom_adg::fabric::StreamPort| {
        // Wider boundaries are none that the models take.
        let bits = (p.ty.width + p.ty.tag).min(64) as u8;
        let ty = if bits == 0 { Type::None } else { Type::Int(bits) };
        SignatureStream { name: p.signal.clone(), ty, absent: Absent::Empty }
    };
    let memory = |m: &Memory| SignatureMemory {
        name: m.name.clone(),
        element: Type::Int(8 * m.bytes as u8),
        words: None,
        required: matches!(m.place, Place::Address(_)),
    };
    Signature {
        name: fabric.name().to_string(),
        inputs: fabric.ports().inputs.iter().map(port).collect(),
        outputs: fabric.ports().outputs.iter().map(port).collect(),
        memories: memories.iter().map(memory).collect(),
        has_gate: true,
    }
}
