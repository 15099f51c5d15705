//! Random images on random fabrics: the native model and the Verilog do the same, cycle for cycle, whatever the fabric and the bits. And
//! random graphs that are mapped onto them.
//!
//! Guarantees: a seed always draws the same play; what [`compare`] calls equal moved the same tokens in the same cycles at every port,
//! showed the same error, was idle or not alike, broke no rule of AXI, and left the same words behind AXI ports and in every scratchpad
//! that the host reaches. Scratchpads that it does not reach begin as 0 in both. Refuses nothing: a difference is told in words.

mod mapped;
mod shrink;

pub use mapped::{check_mapped, draw_for, quick, MappedSummary};
pub use shrink::{shrink_fabric, FabricFailure};

use loom_adg::model::{Backing, MemoryPort};
use loom_adg::{Component, Fabric, FieldKind, Image, SinkPort};
use loom_base::rng::mix;
use loom_base::stall::Stalls;
use loom_base::{truncate, Diagnostics, Rng};
use loom_cosim::{BuildOptions, Built, FabricModel, Loaded};
use loom_sim::axi::{AxiOptions, HostMemory};
use loom_sim::native::Refusal;
use loom_sim::{InputToken, Limits, NativeModel, Stimulus, Stop};
use loom_testkit::fabrics::random_image_of;
use loom_testkit::random_fabric::draw;
use std::path::Path;
use std::sync::Arc;

/// Cycles of a run.
const CYCLES: u64 = 250;
/// Cycles in which `idle` follows the last token, at most.
const SETTLE: u64 = 40;
/// Bytes of the buffers behind AXI ports.
const BYTES: usize = 256;

/// An image with what happens at the boundary.
#[derive(Clone, Debug)]
pub struct FabricPlay {
    /// The image.
    pub image: Image,
    /// The memory behind the AXI ports.
    pub memory: HostMemory,
    /// How it answers.
    pub axi: AxiOptions,
    /// What the scratchpads with host ports hold, by path.
    pub pads: Vec<(String, Vec<u8>)>,
    /// Tokens; nothing is ever complete.
    pub stimulus: Stimulus,
    /// Stalls of the boundary.
    pub stalls: Stalls,
    /// Cycles.
    pub cycles: u64,
}

/// What both models did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alike {
    /// The image was refused with a configuration error.
    pub refused: bool,
    /// The first run-time error.
    pub stopped: bool,
    /// Tokens that left the fabric.
    pub tokens: usize,
    /// Cycles until nothing could change.
    pub cycles: u64,
}

/// How an image is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Draw {
    /// Every field legal.
    Legal,
    /// The same with a few bits flipped.
    Flipped,
    /// The same with a few random words.
    Words,
    /// Random bits.
    Noise,
}

/// Draws play number `k` of a fabric.
pub fn play(f: &Fabric, seed: u64, k: u64) -> FabricPlay {
    let mut rng = Rng::new(mix(seed ^ mix(k)));
    let how = *rng.pick(&[
        Draw::Legal,
        Draw::Legal,
        Draw::Legal,
        Draw::Legal,
        Draw::Flipped,
        Draw::Words,
        Draw::Noise,
    ]);
    let used = *rng.pick(&[30, 60, 90, 95, 100]);
    let mut image = random_image_of(f, &mut rng, used);
    let (memory, pads) = memories(f, &mut rng, &mut image);
    spoil(&mut image, &mut rng, how);
    let percent = |rng: &mut Rng| if rng.chance(40) { 0 } else { rng.below(70) as u32 };
    FabricPlay {
        image,
        memory,
        axi: AxiOptions {
            latency: *rng.pick(&[1, 1, 2, 5, 20]),
            stall_percent: percent(&mut rng),
            reorder: rng.chance(50),
            seed: rng.next_u64(),
        },
        pads,
        stimulus: stimulus(f, &mut rng),
        stalls: Stalls {
            seed: rng.next_u64(),
            source_percent: percent(&mut rng),
            sink_percent: percent(&mut rng),
        },
        cycles: CYCLES,
    }
}

fn spoil(image: &mut Image, rng: &mut Rng, how: Draw) {
    let all = image.words.len();
    match how {
        Draw::Legal => {}
        _ if all == 0 => {}
        Draw::Flipped => {
            for _ in 0..=rng.below(3) {
                image.words[rng.below(all)] ^= 1 << rng.below(32);
            }
        }
        Draw::Words => {
            for _ in 0..=rng.below(3) {
                image.words[rng.below(all)] = rng.next_u64() as u32;
            }
        }
        Draw::Noise => image.words.iter_mut().for_each(|w| *w = rng.next_u64() as u32),
    }
}

/// A buffer behind each AXI port, where most regions begin, and words for each scratchpad.
fn memories(f: &Fabric, rng: &mut Rng, image: &mut Image) -> (HostMemory, Vec<(String, Vec<u8>)>) {
    let (mut memory, mut pads) = (HostMemory::new(), Vec::new());
    let fill = |rng: &mut Rng, n: usize| (0..n).map(|_| rng.next_u64() as u8).collect::<Vec<u8>>();
    for (id, m) in f.memories() {
        let (base, bytes) = match m.store {
            Backing::External => (memory.add(fill(rng, BYTES)), BYTES),
            Backing::Scratchpad { bytes, host } => {
                let bytes = bytes as usize;
                if host {
                    pads.push((f.path(id).to_string(), fill(rng, bytes)));
                }
                (0, bytes)
            }
        };
        for region in 0..m.regions {
            let within = if rng.chance(50) { rng.below(bytes) as u32 } else { 0 };
            let offset = if rng.chance(5) { rng.next_u64() as u32 } else { base + within };
            image.set(f, id, FieldKind::RegionOffset(region), offset.into());
        }
    }
    (memory, pads)
}

/// Random tokens at every input, more than can be taken.
fn stimulus(f: &Fabric, rng: &mut Rng) -> Stimulus {
    let top = &f.adg().top;
    let inputs = top.inputs.iter().zip(&f.flat().inputs).map(|(port, channel)| {
        let count = if rng.chance(85) { rng.below(60) } else { 0 };
        let small = *rng.pick(&[0, 60, 95]);
        let sink = channel.map(|c| f.flat().channel(c).sink);
        // Tags of a memory are lanes, and there are no others.
        let lanes = match sink {
            Some(SinkPort::Port(id, k)) => match f.component(id) {
                Component::Memory(m) => m.lanes(m.ports().0.get(k).map_or(MemoryPort::LoadAddress, |p| p.0)),
                _ => 4,
            },
            _ => 4,
        };
        let token = |rng: &mut Rng| {
            let data = if rng.chance(small) { rng.between(-2, 20) as u64 } else { rng.next_u64() };
            let tag = if rng.chance(2) { rng.next_u64() } else { rng.below(lanes.max(1)) as u64 };
            InputToken { data: truncate(data, port.ty.width), tag: truncate(tag, port.ty.tag) }
        };
        (0..count).map(|_| token(rng)).collect()
    });
    Stimulus { gate: None, inputs: inputs.collect(), expected: vec![usize::MAX >> 16; top.outputs.len()] }
}

/// Builds a fabric's Verilog, quickly rather than to be quick.
pub fn verilated(f: &Fabric, cache: &Path) -> Result<Arc<Built>, Diagnostics> {
    loom_cosim::verilate(f, BuildOptions { trace: false, optimise: false }, cache)
}

/// Runs a play in both models, the Verilog in a fresh instance. `Err` says what differs.
pub fn compare(f: &Fabric, built: &Arc<Built>, play: &FabricPlay) -> Result<Alike, String> {
    let private = |c: &Component| matches!(c, Component::Memory(m) if matches!(m.store, Backing::Scratchpad { host: false, .. }));
    let mut model = match f.flat().ids().any(|id| private(f.component(id))) {
        true => FabricModel::zeroed(built, f.ports()),
        false => FabricModel::new(built, f.ports()),
    };
    model.attach(play.memory.clone(), &play.axi);
    let pads = f.ports().hosts.iter().map(|port| port.component);
    let pads: Vec<_> = pads.map(|id| (id, play.pads.iter().find(|(path, _)| path == f.path(id)))).collect();
    for (k, (_, pad)) in pads.iter().enumerate() {
        model.write_scratchpad(k, pad.map_or(&[], |(_, bytes)| bytes));
    }
    let loaded = model.load(&play.image);
    let mut native = match NativeModel::new(f, &play.image) {
        Err(Refusal::Hardware(error, unit)) => {
            let refused = Loaded::Error(error.code(), unit.0 as u16);
            return match loaded == refused {
                true => Ok(Alike { refused: true, ..Alike::default() }),
                false => Err(format!("loading: Verilog {loaded:?}, native {refused:?}")),
            };
        }
        Err(refusal) => return Err(format!("the native model refuses: {refusal}")),
        Ok(native) => native,
    };
    if loaded != Loaded::Done {
        return Err(format!("loading: Verilog {loaded:?}, native Done"));
    }
    native.attach(play.memory.clone(), &play.axi);
    for (id, pad) in &pads {
        native.set_scratchpad(*id, pad.map_or(&[], |(_, bytes)| bytes));
    }
    let limits = Limits { max_cycles: play.cycles, drain_cycles: 0 };
    let want = native.run(&play.stimulus, &play.stalls, &limits);
    let got = model.run(&play.stimulus, &play.stalls, &limits);
    for (k, (g, w)) in got.input_times.iter().zip(&want.input_times).enumerate() {
        same(&format!("times at in{k}"), g, w)?;
    }
    for (k, (g, w)) in got.outputs.iter().zip(&want.outputs).enumerate() {
        same(&format!("tokens at out{k}"), g, w)?;
    }
    let error = want.error.map(|(error, unit)| (error.code(), unit.0 as u16));
    if got.error != error {
        return Err(format!("error: Verilog {:?}, native {error:?}", got.error));
    }
    for (who, rule) in [("Verilog", got.broken_rule.as_deref()), ("native", native.broken_rule())] {
        if let Some(rule) = rule {
            return Err(format!("{who} breaks a rule of AXI: {rule}"));
        }
    }
    if model.memory() != native.memory() {
        return Err("the memory behind the AXI ports differs".into());
    }
    for (k, (id, pad)) in pads.iter().enumerate() {
        if let Some((path, bytes)) = pad {
            let left = model.read_scratchpad(k, bytes.len());
            same(&format!("bytes of `{path}`"), &left, native.scratchpad(*id).unwrap_or(bytes))?;
        }
    }
    // Once nothing moves, `idle` says whether anything is held.
    if want.stop == Stop::Deadlock
        && want.stopped_at + SETTLE < play.cycles
        && got.idle != want.leftover.is_empty()
    {
        return Err(format!("idle: Verilog {}, native holds {:?}", got.idle, want.leftover));
    }
    Ok(Alike {
        refused: false,
        stopped: error.is_some(),
        tokens: want.outputs.iter().map(Vec::len).sum(),
        cycles: want.stopped_at,
    })
}

/// The first place at which two lists differ.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: &[T], want: &[T]) -> Result<(), String> {
    if got == want {
        return Ok(());
    }
    let at = got.iter().zip(want).take_while(|(g, w)| g == w).count();
    Err(format!("{what}, number {at}: Verilog {:?}, native {:?}", got.get(at), want.get(at)))
}

/// What came of some fabrics.
#[derive(Clone, Debug, Default)]
pub struct FabricSummary {
    /// Fabrics drawn and built.
    pub fabrics: u64,
    /// Fabrics drawn that would take too long to build.
    pub too_long: u64,
    /// Images that ran or were refused alike.
    pub images: u64,
    /// Those that were refused.
    pub refused: u64,
    /// Those that stopped on a run-time error.
    pub stopped: u64,
    /// Those in which a token left the fabric.
    pub moved: u64,
    /// Cycles that were compared.
    pub cycles: u64,
    /// What went wrong.
    pub failures: Vec<FabricFailure>,
    /// What came of graphs that were mapped onto them.
    pub mapped: MappedSummary,
}

/// How much is done on a fabric.
#[derive(Clone, Copy, Debug)]
pub struct FabricEffort {
    /// Images that run on it.
    pub images: u64,
    /// Graphs that are drawn for it.
    pub graphs: u64,
    /// Characters of Verilog beyond which it is not built.
    pub longest: usize,
}

impl FabricSummary {
    /// Counts one image.
    pub fn add(&mut self, alike: Alike) {
        self.images += 1;
        self.refused += u64::from(alike.refused);
        self.stopped += u64::from(alike.stopped);
        self.moved += u64::from(alike.tokens > 0);
        self.cycles += alike.cycles;
    }
}

/// Characters of a fabric's Verilog: what building it takes goes with them.
pub fn length(f: &Fabric) -> Result<usize, Diagnostics> {
    Ok(loom_gen::elaborate(f)?.files().iter().map(|(_, text)| text.len()).sum())
}

/// Draws the fabric of a seed, builds it, unless its Verilog is too long, runs images on it, and maps graphs onto it; at the first difference
/// what differs is made small, while `more` says so.
pub fn check_fabric(
    seed: u64,
    effort: &FabricEffort,
    cache: &Path,
    summary: &mut FabricSummary,
    more: &dyn Fn() -> bool,
) {
    let f = draw(seed).fabric();
    if length(&f).is_ok_and(|length| length > effort.longest) {
        summary.too_long += 1;
        return;
    }
    summary.fabrics += 1;
    let built = match verilated(&f, cache) {
        Ok(built) => built,
        Err(d) => {
            let message = d.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("\n");
            let play = play(&f, seed, 0);
            summary.failures.push(shrink_fabric(seed, f, play, message, cache, more));
            return;
        }
    };
    for k in 0..effort.images {
        let play = play(&f, seed, k);
        match compare(&f, &built, &play) {
            Ok(alike) => summary.add(alike),
            Err(message) => {
                summary.failures.push(shrink_fabric(seed, f, play, message, cache, more));
                return;
            }
        }
    }
    check_mapped(seed, &f, effort.graphs, Some(&built), &mut summary.mapped, more);
}
