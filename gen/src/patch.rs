//! Base addresses of external memory in an image: which words hold them, what they belong to, and setting them without
//! mapping again.
//!
//! An image says where each region of a memory interface lies, not which memory of the kernel lives there. That name is
//! known from the mapping ([`names`]) and travels in config.json ([`read_names`]); without it a region still has the
//! name `<interface>/<region>`.
//!
//! Guarantees: [`patch`] changes the offset words of the regions named and no other bit. Refuses: names the image does not
//! have, scratchpads, addresses that the hardware would round down or cannot reach; all that is wrong in one answer.

use crate::codes;
use loom_adg::layout::FieldKind;
use loom_adg::{Component, ComponentId, Fabric, Image};
use loom_base::name::shown;
use loom_base::table::aligned;
use loom_base::{Diagnostic, Diagnostics, Name};
use loom_dfg::graph::Memory;
use loom_dfg::Graph;
use loom_map::{memory, Mapping};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The memory of the kernel that lives in a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenant {
    /// Its name: of an `extmemory` that of an argument.
    pub name: String,
    /// Whether the kernel was told that it overlaps no other.
    pub noalias: bool,
    /// Its alias set, where the kernel has several: it overlaps none of another.
    pub alias_set: Option<u32>,
    /// Its elements, where its type says how many.
    pub words: Option<u64>,
}

/// What lives where, by interface and number of the region.
pub type Names = BTreeMap<(ComponentId, usize), Tenant>;

/// A valid region of an image: a row of `memory_regions` in config.json.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Base {
    /// Path of the interface.
    pub interface: String,
    /// `extmemory` or `memory`.
    pub kind: String,
    /// Number of the region in the interface.
    pub region: usize,
    /// The memory that lives there: of an `extmemory` an argument of the kernel; `None` when nothing says so.
    pub memory: Option<String>,
    /// Whether the kernel was told that it overlaps no other argument (`restrict`, `llvm.noalias`).
    #[serde(default)]
    pub noalias: bool,
    /// Its alias set (`loom.alias_set`), where the kernel has several: it overlaps no argument of another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias_set: Option<u32>,
    /// Elements of that memory, where its type says how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<u64>,
    /// First lane.
    pub start_lane: u64,
    /// The lane behind the last.
    pub end_lane: u64,
    /// Bytes of an element.
    pub element_bytes: u64,
    /// Index of the word of the image that holds the address.
    pub word_index: usize,
    /// That word: byte address of the first element.
    pub addr_offset: u32,
}

impl Base {
    /// `<interface>/<region>`.
    pub fn place(&self) -> String {
        format!("{}/{}", self.interface, self.region)
    }

    /// The argument whose address this is; `None` in a scratchpad, and where no name is known.
    pub fn argument(&self) -> Option<&str> {
        self.memory.as_deref().filter(|_| self.is_external())
    }

    /// The addresses of an image that it takes, as far as is known: those of one element where no shape says more.
    fn range(&self, image: &Image) -> Range<u64> {
        let start = u64::from(image.words[self.word_index]);
        start..start.saturating_add(self.element_bytes.saturating_mul(self.words.unwrap_or(1)))
    }

    /// Whether the host sets it.
    pub fn is_external(&self) -> bool {
        self.kind == "extmemory"
    }
}

/// Which memory lives where in the image of a mapping; `promised` says whether an argument overlaps no other, and its alias set.
pub fn names(
    graph: &Graph,
    fabric: &Fabric,
    mapping: &Mapping,
    promised: &dyn Fn(&str) -> (bool, Option<u32>),
) -> Names {
    let net = mapping.netlist(graph, fabric.index_width());
    // A mapping that was accepted has regions without conflicts.
    let regions = memory::regions(&net, fabric, &memory::accesses(&net, mapping)).unwrap_or_default();
    let tenant = |memory: &Memory| {
        let name = memory.name.clone();
        let (noalias, alias_set) = promised(&name);
        Tenant { name, noalias, alias_set, words: memory.words }
    };
    regions.iter().map(|r| ((r.component, r.region), tenant(net.memory(r.memory)))).collect()
}

/// The valid regions of an image, in flattened order. The image has the fabric's length.
pub fn bases(fabric: &Fabric, image: &Image, names: &Names) -> Vec<Base> {
    let mut list = Vec::new();
    for id in fabric.flat().ids() {
        let (component, Some(slice)) = (fabric.component(id), fabric.layout().slice(id)) else { continue };
        let Component::Memory(m) = component else { continue };
        for region in 0..m.regions {
            let get = |kind| image.get(fabric, id, kind);
            let Some(field) = fabric.layout().of(id).field(FieldKind::RegionOffset(region)) else { continue };
            if get(FieldKind::RegionValid(region)) == 0 {
                continue;
            }
            let tenant = names.get(&(id, region));
            list.push(Base {
                interface: fabric.path(id).to_string(),
                kind: component.kind_name().into(),
                region,
                memory: tenant.map(|t| t.name.clone()),
                noalias: tenant.is_some_and(|t| t.noalias),
                alias_set: tenant.and_then(|t| t.alias_set),
                words: tenant.and_then(|t| t.words),
                start_lane: get(FieldKind::RegionStart(region)),
                end_lane: get(FieldKind::RegionEnd(region)),
                element_bytes: 1 << get(FieldKind::RegionSize(region)),
                // Fields of regions begin on words.
                word_index: slice.word_offset + (field.low / 32) as usize,
                addr_offset: get(field.kind) as u32,
            });
        }
    }
    list
}

/// The names in the `memory_regions` of a config.json; everything else there must be what the image says.
pub fn read_names(value: &serde_json::Value, fabric: &Fabric, image: &Image) -> Result<Names, Diagnostics> {
    let bad = |message: String| {
        vec![Diagnostic::error(codes::CONFIG_JSON, message)
            .help("keep the config.json that `loom map` wrote beside config.bin, or map the kernel again")]
    };
    let rows: Vec<Base> = serde_json::from_value(value["memory_regions"].clone())
        .map_err(|e| bad(format!("`memory_regions` cannot be read: {e}")))?;
    let mut found = Names::new();
    for row in &rows {
        let id = fabric.find(&row.interface);
        if let (Some(id), Some(name)) = (id, &row.memory) {
            // An argument's name goes to reports, other files and the host's program from here.
            if row.is_external() && Name::new(name).is_none() {
                let (name, place) = (shown(name), row.place());
                return Err(bad(format!("`memory` of `{place}` is `{name}`, which no argument is called")));
            }
            found.insert(
                (id, row.region),
                Tenant {
                    name: name.clone(),
                    noalias: row.noalias,
                    alias_set: row.alias_set,
                    words: row.words,
                },
            );
        }
    }
    if rows != bases(fabric, image, &found) {
        return Err(bad("`memory_regions` is not what the words of config.bin say".into()));
    }
    Ok(found)
}

/// An address for a base: the name of an argument, or `<interface>/<region>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Which.
    pub name: String,
    /// Byte address of the first element.
    pub address: u128,
}

/// Sets bases in an image; `bases` are the image's own. Warns where one argument is left at two addresses, where one that is set shares
/// addresses with another that the kernel was told it does not overlap, and where one ends beyond what the fabric reaches.
pub fn patch(
    image: &Image,
    bases: &[Base],
    settings: &[Setting],
) -> Result<(Image, Diagnostics), Diagnostics> {
    let mut patched = image.clone();
    let mut problems = Vec::new();
    let mut set: BTreeMap<usize, &str> = BTreeMap::new();
    for s in settings {
        let mut at: Vec<&Base> = bases.iter().filter(|b| b.argument() == Some(&s.name)).collect();
        if at.is_empty() {
            at = bases.iter().filter(|b| b.place() == s.name).collect();
        }
        if at.is_empty() {
            // Scratchpads are known by their names too.
            at = bases.iter().filter(|b| b.memory.as_deref() == Some(&s.name)).collect();
        }
        if at.is_empty() {
            let message = format!("the image has no base `{}`", s.name);
            problems.push(Diagnostic::error(codes::BASE_UNKNOWN, message).help(known(bases)));
        }
        for base in at {
            if let Some(problem) = refusal(base, s) {
                problems.push(problem);
                // The other regions of the argument would say the same.
                break;
            }
            if let Some(before) = set.insert(base.word_index, &s.name) {
                let message = format!("`{}` is set twice, as `{before}` and as `{}`", base.place(), s.name);
                problems.push(
                    Diagnostic::error(codes::BASE_TWICE, message).help("give one address for each base"),
                );
                break;
            }
            patched.words[base.word_index] = s.address as u32;
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut warnings = apart(&patched, bases);
    let is_set = |b: &Base| set.contains_key(&b.word_index);
    warnings.extend(shared(&patched, bases, &is_set));
    warnings.extend(beyond(&patched, bases, &is_set));
    Ok((patched, warnings))
}

/// Why an address may not stand in a base.
fn refusal(base: &Base, s: &Setting) -> Option<Diagnostic> {
    if !base.is_external() {
        let message = format!("`{}` is on chip, in the scratchpad `{}`", s.name, base.place());
        return Some(
            Diagnostic::error(codes::BASE_ON_CHIP, message)
                .help("its place was chosen by the mapper; only bases of an `extmemory` are the host's"),
        );
    }
    if s.address > u32::MAX.into() {
        let message = format!("address {:#x} of `{}` is beyond 32 bits", s.address, s.name);
        return Some(
            Diagnostic::error(codes::BASE_RANGE, message)
                .help("the fabric's AXI ports have 32 address bits: at most 0xffffffff"),
        );
    }
    let bytes = u128::from(base.element_bytes);
    if !s.address.is_multiple_of(bytes) {
        let message = format!("address {:#x} of `{}` is no multiple of {bytes}", s.address, s.name);
        let down = s.address / bytes * bytes;
        return Some(Diagnostic::error(codes::BASE_ALIGNMENT, message).help(format!(
            "elements of {bytes} bytes lie at multiples of {bytes}, such as {down:#x}: the hardware would \
             drop the low bits"
        )));
    }
    None
}

/// The bases that can be set, for a message.
fn known(bases: &[Base]) -> String {
    let mut names: Vec<String> = bases
        .iter()
        .filter(|b| b.is_external())
        .map(|b| match b.argument() {
            Some(name) => format!("`{name}` ({})", b.place()),
            None => format!("`{}`", b.place()),
        })
        .collect();
    names.sort();
    match names.is_empty() {
        true => "it uses no external memory, so there is nothing to set".into(),
        false if bases.iter().any(|b| b.memory.is_none()) => format!(
            "it has {}; the names of arguments stand in the config.json that `loom map` writes beside config.bin",
            names.join(", ")
        ),
        false => format!("it has {}", names.join(", ")),
    }
}

/// Warns of arguments whose regions lie at different addresses.
fn apart(image: &Image, bases: &[Base]) -> Diagnostics {
    let mut first: BTreeMap<&str, &Base> = BTreeMap::new();
    let mut warnings: BTreeMap<&str, Diagnostic> = BTreeMap::new();
    for b in bases {
        let Some(name) = b.argument() else { continue };
        let a = *first.entry(name).or_insert(b);
        let (x, y) = (image.words[a.word_index], image.words[b.word_index]);
        if x != y {
            let message =
                format!("`{name}` lies at {x:#x} in `{}` and at {y:#x} in `{}`", a.place(), b.place());
            let warning = Diagnostic::warning(codes::BASE_APART, message)
                .help(format!("to move the whole argument, set `{name}`"));
            warnings.entry(name).or_insert(warning);
        }
    }
    warnings.into_values().collect()
}

/// Warns of arguments that were just set and whose last elements have addresses of more than 32 bits.
fn beyond(image: &Image, bases: &[Base], is_set: &dyn Fn(&Base) -> bool) -> Diagnostics {
    let mut warnings: BTreeMap<&str, Diagnostic> = BTreeMap::new();
    for b in bases.iter().filter(|b| is_set(b)) {
        let (Some(name), range) = (b.argument(), b.range(image)) else { continue };
        if range.end > 1 << 32 {
            let message =
                format!("`{name}` takes {:#x} to {:#x}, beyond 32 bits", range.start, range.end - 1);
            let last = (1u64 << 32).saturating_sub(range.end - range.start);
            let help = format!("the fabric's AXI ports have 32 address bits: it fits at {last:#x} and below");
            warnings.entry(name).or_insert(Diagnostic::warning(codes::BASE_BEYOND, message).help(help));
        }
    }
    warnings.into_values().collect()
}

/// Warns of arguments with addresses in common, one of them just set, that the kernel takes to be apart.
fn shared(image: &Image, bases: &[Base], is_set: &dyn Fn(&Base) -> bool) -> Diagnostics {
    let mut told = BTreeSet::new();
    let mut warnings = Vec::new();
    for (i, a) in bases.iter().enumerate() {
        for b in &bases[i + 1..] {
            let (Some(x), Some(y)) = (a.argument(), b.argument()) else { continue };
            let (at, other) = (a.range(image), b.range(image));
            let of_two_sets = a.alias_set.zip(b.alias_set).is_some_and(|(a, b)| a != b);
            if x == y
                || at.start >= other.end
                || other.start >= at.end
                || !(a.noalias || b.noalias || of_two_sets)
                || !(is_set(a) || is_set(b))
            {
                continue;
            }
            if told.insert((x.min(y), x.max(y))) {
                let message = match at.start == other.start {
                    true => format!("`{x}` and `{y}` both lie at {:#x}", at.start),
                    false => {
                        let (first, last) = (at.start.max(other.start), at.end.min(other.end) - 1);
                        format!("`{x}` and `{y}` share the addresses from {first:#x} to {last:#x}")
                    }
                };
                let (why, help) = match (a.noalias, b.noalias) {
                    (false, false) => {
                        ("their types never overlap".to_string(), "compile it with `--no-strict-aliasing`")
                    }
                    (first, _) => (
                        format!("`{}` overlaps no other", if first { x } else { y }),
                        "take `restrict` (`llvm.noalias`) from the kernel",
                    ),
                };
                let help = format!(
                    "what is stored through one may be loaded too early through the other: give them words of their own, or {help}"
                );
                warnings.push(
                    Diagnostic::warning(codes::BASE_SHARED, format!("{message}, and {why}")).help(help),
                );
            }
        }
    }
    warnings
}

/// The bases as a table for people.
pub fn table(bases: &[Base]) -> String {
    if bases.is_empty() {
        return "no memory regions\n".into();
    }
    let head = ["memory", "region", "kind", "lanes", "element", "word", "address"].map(String::from);
    let rows = bases.iter().map(|b| {
        [
            b.memory.clone().unwrap_or_else(|| "?".into()),
            b.place(),
            b.kind.clone(),
            format!("{}..{}", b.start_lane, b.end_lane),
            format!("{} bytes", b.element_bytes),
            b.word_index.to_string(),
            format!("{:#010x}", b.addr_offset),
        ]
    });
    let rows: Vec<[String; 7]> = [head].into_iter().chain(rows).collect();
    aligned(&rows, 7)
}
