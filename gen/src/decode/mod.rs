//! An image back into what it sets up: PE settings and the way of every token stream.
//!
//! The bits are read by the layout alone, and no placer or router is asked. Shared with the mapper are the words: what a
//! step of a route is, how a graph's memory nodes come apart, which channels belong to a lane. [`Decoded::matches`]
//! compares with a mapping, for packing and decoding must be an identity; whoever accepts a mapping asks it.

mod compare;
mod follow;
mod ops;
mod text;
mod unread;

pub use unread::unread;

use crate::codes;
use loom_adg::layout::{payload, FieldKind, PayloadKind};
use loom_adg::model::{Component, MemoryInterface, SpatialPe};
use loom_adg::{ComponentId, Fabric, Image, Mux, PeConfig, SinkPort, SourcePort};
use loom_base::{Diagnostic, Diagnostics};
use loom_dfg::{ContCond, Predicate};
use loom_map::{memory, Step};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What an image sets up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Enabled PEs, in flattened order.
    pub pes: Vec<(ComponentId, PeConfig)>,
    /// One for each fabric input and PE output that leads somewhere, in source order.
    pub routes: Vec<DecodedRoute>,
    /// Tag settings, as text, in flattened order.
    pub tags: Vec<(ComponentId, String)>,
    /// Valid regions of memory interfaces, in flattened order.
    pub regions: Vec<DecodedRegion>,
    /// Steps through decomposable switches that do not pass the bits of their input as they are.
    pub mixed: BTreeSet<Step>,
}

/// A valid region of a memory interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedRegion {
    /// The interface.
    pub component: ComponentId,
    /// Number in its table.
    pub region: usize,
    /// First lane.
    pub start: u64,
    /// The lane behind the last.
    pub end: u64,
    /// Byte address of the first element.
    pub offset: u64,
    /// log2 of the bytes of an element.
    pub size: u64,
}

/// The way of one token stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedRoute {
    /// Where it starts.
    pub source: SourcePort,
    /// What it passes, sorted.
    pub steps: Vec<Step>,
    /// Where it ends, sorted.
    pub sinks: Vec<SinkPort>,
}

/// Decodes an image. Errors are what the hardware would refuse, and what no packer writes; warnings come back beside
/// the result.
pub fn decode(fabric: &Fabric, image: &Image) -> Result<(Decoded, Diagnostics), Diagnostics> {
    if image.words.len() != fabric.layout().words {
        return Err(vec![Diagnostic::error(
            codes::IMAGE_LENGTH,
            format!(
                "{} words, fabric `{}` takes {}",
                image.words.len(),
                fabric.name(),
                fabric.layout().words
            ),
        )
        .help("the bitstream belongs to another fabric, or the file was cut short")]);
    }
    let bridges = memory::bridges(&memory::lanes(fabric));
    let mut decoder = Decoder { fabric, image, bridges, problems: Vec::new() };
    decoder.spare_bits();
    let mut decoded = Decoded {
        pes: Vec::new(),
        routes: Vec::new(),
        tags: Vec::new(),
        regions: Vec::new(),
        mixed: BTreeSet::new(),
    };
    for id in fabric.flat().ids() {
        match fabric.component(id) {
            Component::SpatialPe(pe) => {
                if let Some(config) = PeConfig::read(image, fabric, id) {
                    decoder.check_pe(id, pe, &config);
                    decoded.pes.push((id, config));
                }
            }
            Component::SpatialSw(_) => decoder.check_switch(id),
            Component::Memory(m) => decoded.regions.extend(decoder.regions(id, m)),
            _ => decoded.tags.extend(decoder.tag_settings(id).map(|text| (id, text))),
        }
    }
    let mut used = BTreeSet::new();
    for source in decoder.sources(&decoded) {
        let route = decoder.follow(source, &mut used);
        if !route.steps.is_empty() || !route.sinks.is_empty() {
            decoded.routes.push(route);
        }
    }
    decoder.stray_routes(&used);
    decoded.mixed = used.into_iter().filter(|&step| decoder.is_mixed(step)).collect();
    if loom_base::diag::has_errors(&decoder.problems) {
        Err(decoder.problems)
    } else {
        Ok((decoded, decoder.problems))
    }
}

struct Decoder<'a> {
    fabric: &'a Fabric,
    image: &'a Image,
    /// What belongs to memory lanes.
    bridges: BTreeSet<ComponentId>,
    problems: Diagnostics,
}

impl Decoder<'_> {
    fn path(&self, id: ComponentId) -> &str {
        self.fabric.path(id)
    }

    fn get(&self, id: ComponentId, kind: FieldKind) -> u64 {
        self.image.get(self.fabric, id, kind)
    }

    fn spare_bits(&mut self) {
        for slice in &self.fabric.layout().slices {
            let used = self.fabric.layout().of(slice.component).bits;
            // Bits above the last field, and between fields that begin on a word.
            let mut next = 0;
            let mut gap_set = false;
            let end = (slice.word_count as u32 * 32, 0);
            let fields = self.fabric.layout().of(slice.component).fields.iter().map(|f| (f.low, f.width));
            for (low, width) in fields.chain([end]) {
                while next < low {
                    let count = (low - next).min(64);
                    gap_set |= self.image.bits(*slice, next, count) != 0;
                    next += count;
                }
                next = low + width;
            }
            if gap_set {
                self.problems.push(
                    Diagnostic::error(
                        codes::SPARE_BIT,
                        format!(
                            "a bit above the {used} of `{}` is set (word {})",
                            self.path(slice.component),
                            slice.word_offset + slice.word_count - 1
                        ),
                    )
                    .help("the file is damaged or belongs to another fabric"),
                );
            }
        }
    }

    fn check_pe(&mut self, id: ComponentId, pe: &SpatialPe, config: &PeConfig) {
        let path = self.path(id).to_string();
        let mut bad = |message: String| {
            self.problems.push(
                Diagnostic::error(codes::PE_FIELD, message)
                    .help("the hardware refuses such an image when it starts"),
            );
        };
        let Some(fu) = pe.fus.get(config.opcode) else {
            return bad(format!("opcode of `{path}` is {}, it has {} FUs", config.opcode, pe.fus.len()));
        };
        for (what, muxes, ports) in
            [("input", &config.inputs, pe.input_choices()), ("output", &config.outputs, pe.outputs.len())]
        {
            let mut seen = BTreeSet::new();
            for (i, mux) in muxes.iter().enumerate() {
                let port = match *mux {
                    Mux::Port(port) => port,
                    Mux::Discard(port) if what == "input" => port,
                    _ => continue,
                };
                if port >= ports {
                    bad(format!("{what} mux {i} of `{path}` selects port {port}, it has {ports}"));
                } else if !seen.insert(port) {
                    bad(format!("two {what} muxes of `{path}` select port {port}"));
                }
            }
        }
        for (part, &value) in payload(fu, self.fabric.index_width()).iter().zip(&config.payload) {
            match part.kind {
                PayloadKind::Predicate if Predicate::from_code(value).is_none() => {
                    bad(format!("predicate of `{path}` is {value}, the largest is 9"));
                }
                PayloadKind::ContCond if ContCond::from_one_hot(value).is_none() => {
                    bad(format!("`cont_cond` of `{path}` is {value:#07b}, exactly one bit must be set"));
                }
                PayloadKind::Select(operands) if value >= operands as u64 => {
                    bad(format!(
                        "a mux in the active unit of `{path}` selects operand {value}, it has {operands}"
                    ));
                }
                _ => {}
            }
        }
    }

    fn check_switch(&mut self, id: ComponentId) {
        let mut taken: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for field in &self.fabric.layout().of(id).fields {
            let (lane, from) = match field.kind {
                FieldKind::Route { output, input } => ((output, 0), input),
                FieldKind::LaneRoute { output, output_lane, input, .. } => ((output, output_lane), input),
                _ => continue,
            };
            if self.get(id, field.kind) == 1 {
                taken.entry(lane).or_default().push(from);
            }
        }
        for ((output, _), from) in taken.iter().filter(|(_, from)| from.len() > 1) {
            let from = from.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            let problem = Diagnostic::error(
                codes::ROUTE_MIX,
                format!("output {output} of `{}` takes more than one input: {from}", self.path(id)),
            );
            self.problems.push(problem.help("the hardware refuses such an image when it starts"));
        }
    }

    /// Settings of tag components and temporal switches as text, whatever streams meet them.
    fn tag_settings(&mut self, id: ComponentId) -> Option<String> {
        let fields = &self.fabric.layout().of(id).fields;
        let settings: Vec<String> = match self.fabric.component(id) {
            Component::AddTag(_) => vec![format!("tag {}", self.get(id, FieldKind::Tag))],
            Component::MapTag(c) => {
                let valid: Vec<usize> =
                    (0..c.table_size).filter(|&i| self.get(id, FieldKind::EntryValid(i)) == 1).collect();
                self.tags_once(id, valid.iter().map(|&i| self.get(id, FieldKind::EntrySource(i))).collect());
                let entry = |&i: &usize| {
                    let (from, to) = (FieldKind::EntrySource(i), FieldKind::EntryTarget(i));
                    format!("{} -> {}", self.get(id, from), self.get(id, to))
                };
                valid.iter().map(entry).collect()
            }
            Component::TemporalSw(sw) => {
                let valid: Vec<usize> =
                    (0..sw.num_route_table).filter(|&s| self.get(id, FieldKind::SlotValid(s)) == 1).collect();
                self.tags_once(id, valid.iter().map(|&s| self.get(id, FieldKind::SlotTag(s))).collect());
                for &s in &valid {
                    let mut taken = BTreeSet::new();
                    for field in fields {
                        let FieldKind::SlotRoute { slot, output, .. } = field.kind else {
                            continue;
                        };
                        if slot == s && self.get(id, field.kind) == 1 && !taken.insert(output) {
                            let problem = Diagnostic::error(
                                codes::ROUTE_MIX,
                                format!(
                                    "output {output} of `{}` takes two inputs in slot {s}",
                                    self.path(id)
                                ),
                            );
                            self.problems
                                .push(problem.help("the hardware refuses such an image when it starts"));
                        }
                    }
                }
                let slot = |&s: &usize| {
                    let mut text = format!("slot {s} tag {}:", self.get(id, FieldKind::SlotTag(s)));
                    for field in fields {
                        if let FieldKind::SlotRoute { slot, output, input } = field.kind {
                            if slot == s && self.get(id, field.kind) == 1 {
                                let _ = write!(text, " in{input}->out{output}");
                            }
                        }
                    }
                    text
                };
                valid.iter().map(slot).collect()
            }
            _ => return None,
        };
        (!settings.is_empty()).then(|| settings.join(", "))
    }

    /// Valid regions of an interface; reports those the hardware refuses.
    fn regions(&mut self, id: ComponentId, m: &MemoryInterface) -> Vec<DecodedRegion> {
        let mut list: Vec<DecodedRegion> = Vec::new();
        for region in 0..m.regions {
            if self.get(id, FieldKind::RegionValid(region)) == 0 {
                continue;
            }
            let r = DecodedRegion {
                component: id,
                region,
                start: self.get(id, FieldKind::RegionStart(region)),
                end: self.get(id, FieldKind::RegionEnd(region)),
                offset: self.get(id, FieldKind::RegionOffset(region)),
                size: self.get(id, FieldKind::RegionSize(region)),
            };
            let mut wrong = Vec::new();
            if r.end <= r.start {
                wrong.push(format!("ends at lane {} and starts at {}", r.end, r.start));
            }
            if let Some(o) = list.iter().find(|o| r.start.max(o.start) < r.end.min(o.end)) {
                wrong.push(format!("overlaps region {}", o.region));
            }
            if r.size > u64::from(m.word_size_log2()) {
                wrong.push(format!("has elements of {} bytes, words have {}", 1 << r.size, m.width / 8));
            }
            for what in wrong {
                let message = format!("region {region} of `{}` {what}", self.path(id));
                let help = "the hardware refuses such an image when it starts";
                self.problems.push(Diagnostic::error(codes::REGION, message).help(help));
            }
            list.push(r);
        }
        list
    }

    fn tags_once(&mut self, id: ComponentId, tags: Vec<u64>) {
        let mut seen = BTreeSet::new();
        for tag in tags {
            if !seen.insert(tag) {
                let message = format!("tag {tag} is set up twice in `{}`", self.path(id));
                let help = "the hardware refuses such an image when it starts";
                self.problems.push(Diagnostic::error(codes::TAG_TWICE, message).help(help));
            }
        }
    }

    /// Fabric inputs, then the outputs that enabled PEs drive and those of memory lanes that a region holds.
    fn sources(&self, decoded: &Decoded) -> Vec<SourcePort> {
        let pes = &decoded.pes;
        let mut sources: Vec<SourcePort> =
            (0..self.fabric.flat().inputs.len()).map(SourcePort::Boundary).collect();
        for (id, config) in pes {
            let mut ports: Vec<usize> = config
                .outputs
                .iter()
                .filter_map(|mux| match mux {
                    Mux::Port(port) => Some(*port),
                    _ => None,
                })
                .collect();
            ports.sort_unstable();
            ports.dedup();
            sources.extend(ports.into_iter().map(|port| SourcePort::Port(*id, port)));
        }
        for ((id, lane), ends) in memory::lanes(self.fabric) {
            let number = (lane % memory::STORE) as u64;
            let holds = |r: &DecodedRegion| r.component == id && (r.start..r.end).contains(&number);
            if decoded.regions.iter().any(holds) {
                sources.extend(ends.answers.iter().map(|&c| self.fabric.flat().channel(c).source));
            }
        }
        sources.sort_unstable();
        sources
    }

    fn stray_routes(&mut self, used: &BTreeSet<Step>) {
        for id in self.fabric.flat().ids() {
            // Streams that come with a tag are followed up to the first component that looks at it: behind it, who knows.
            if !matches!(self.fabric.component(id), Component::SpatialSw(sw) if !sw.inputs[0].is_tagged()) {
                continue;
            }
            let mut stray = BTreeSet::new();
            for field in &self.fabric.layout().of(id).fields {
                let (FieldKind::Route { output, input } | FieldKind::LaneRoute { output, input, .. }) =
                    field.kind
                else {
                    continue;
                };
                if self.get(id, field.kind) == 1
                    && !used.contains(&Step::Switch { component: id, input, output })
                {
                    stray.insert(format!("in{input}->out{output}"));
                }
            }
            if !stray.is_empty() {
                let list: Vec<String> = stray.into_iter().collect();
                let message = format!("no stream reaches {} of `{}`", list.join(", "), self.path(id));
                self.problems.push(Diagnostic::warning(codes::ROUTE_STRAY, message));
            }
        }
    }
}
