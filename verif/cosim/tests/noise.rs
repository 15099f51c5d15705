//! Fabrics with memory after any image, started, with tokens at every input and a memory that stalls, is late, overtakes and answers with
//! errors: in the end they are idle, in error, or wait for something that has a name; both models alike. An error stays until reset.
//! From idle another image loads without one, from everything else with one, and a kernel then gives what it always gives.
//!
//! An image may also close a ring in which a token goes round for ever: that is no rest, and nothing but a reset ends it. Such
//! runs move tokens to the last cycle, and are counted.

use loom_adg::layout::FieldKind;
use loom_adg::{Fabric, Image};
use loom_base::stall::Stalls;
use loom_base::{truncate, Rng, Source};
use loom_cosim::{BuildOptions, FabricModel, Loaded};
use loom_flow::host::Host;
use loom_flow::{load, Configured};
use loom_front::compile::CompileOptions;
use loom_sim::axi::{AxiOptions, HostMemory};
use loom_sim::native::{Refusal, Window};
use loom_sim::{ChannelState, InputToken, Limits, NativeModel, Stimulus, Stop, Trace};
use loom_testkit::fabrics::{fabric, random_image_of, root};

/// Cycles of a run; nothing that comes to rest takes half of them.
const CYCLES: u64 = 1200;
/// So many cycles at the end in which a run that goes on moves something.
const LAST: u64 = 200;
/// What a lane waits for that has one half of a store.
const HALF_A_STORE: &str = "a store's address and data wait for each other";
const LIMITS: Limits = Limits { max_cycles: CYCLES, drain_cycles: 0 };
const WHOLE: Limits = Limits { max_cycles: 4000, drain_cycles: 200 };

/// A kernel that is known: its fabric, image, tokens, and the memory before and after.
struct Known {
    fabric: Fabric,
    image: Image,
    stimulus: Stimulus,
    memory: HostMemory,
    pad: Vec<u8>,
    trace: Trace,
    after: HostMemory,
}

impl Known {
    fn new(on: &str) -> Known {
        let read = |file: String| {
            let path = root().join("verif/cosim/tests/lanes").join(&file);
            Source::new(file, std::fs::read_to_string(path).expect("readable"))
        };
        let fabric = fabric(&format!("verif/cosim/tests/lanes/{on}.toml"));
        let options = CompileOptions { room: None, ..load::lowering(&fabric) };
        let configured = loom_flow::Kernel::read(&read(format!("{on}_swap.scf.mlir")), &options)
            .and_then(|kernel| Configured::map(kernel, &fabric, &Default::default(), &mut |_, _| {}))
            .unwrap_or_else(|d| panic!("{}", d[0].message));
        let case =
            configured.case(&read(format!("{on}_swap.toml"))).unwrap_or_else(|d| panic!("{}", d[0].message));
        let software = configured.kernel.run(&case, fabric.index_width()).expect("a good case");
        let stimulus = configured.stimulus(&case, &software.golden);
        let host = Host::new(&configured, &case);
        let mut native = NativeModel::new(&fabric, &host.image).expect("a mapped image starts");
        native.attach(host.contents.memory.clone(), &AxiOptions::default());
        let pad = host.contents.pads.first().map_or(Vec::new(), |(_, bytes)| bytes.clone());
        for (id, bytes) in &host.contents.pads {
            native.set_scratchpad(*id, bytes);
        }
        let trace = native.run(&stimulus, &Stalls::NONE, &WHOLE);
        assert!(trace.completed && trace.idle && trace.error.is_none() && trace.leftover.is_empty());
        let after = native.memory().clone();
        // What it gives is what software makes of it, not only what this model does.
        let mut runs = configured.simulate_after(&case, software).expect("a native run");
        let built =
            loom_cosim::verilate(&fabric, QUICK, &root().join("target/verilated")).expect("it builds");
        let mut model = FabricModel::new(&built, fabric.ports());
        configured.cosimulate(&case, &mut runs, &mut model).expect("a run");
        let report = configured.report(&case, "", &runs);
        assert!(report.ok, "{report:#?}");
        Known { fabric, image: host.image, stimulus, memory: host.contents.memory, pad, trace, after }
    }

    /// Loads the kernel into a fabric that takes it, and runs it.
    fn runs(&self, model: &mut FabricModel, what: &str) {
        model.attach(self.memory.clone(), &AxiOptions::default());
        if !self.pad.is_empty() {
            model.write_scratchpad(0, &self.pad);
        }
        assert_eq!(model.load(&self.image), Loaded::Done, "{what}: the kernel");
        let got = model.run(&self.stimulus, &Stalls::NONE, &WHOLE);
        assert_eq!(got.outputs, self.trace.outputs, "{what}: the kernel");
        assert!(got.completed && got.idle && got.error.is_none(), "{what}: the kernel");
        assert_eq!(model.memory(), &self.after, "{what}: the kernel");
    }
}

const QUICK: BuildOptions = BuildOptions { trace: false, optimise: false };

/// Any image: random and legal, the kernel's with flipped bits, with random words, or nothing but noise.
fn image(known: &Known, rng: &mut Rng, base: u32) -> Image {
    let f = &known.fabric;
    let all = known.image.words.len();
    let mut image = known.image.clone();
    match rng.below(10) {
        0..=2 => {
            let used = *rng.pick(&[40, 80, 100]);
            image = random_image_of(f, rng, used);
            for (id, m) in f.memories() {
                for region in 0..m.regions {
                    image.set(
                        f,
                        id,
                        FieldKind::RegionOffset(region),
                        if m.is_external() { base.into() } else { 0 },
                    );
                }
            }
        }
        3..=6 => (0..=rng.below(2)).for_each(|_| image.words[rng.below(all)] ^= 1 << rng.below(32)),
        7 | 8 => (0..=rng.below(2)).for_each(|_| image.words[rng.below(all)] = rng.next_u64() as u32),
        _ => image.words.iter_mut().for_each(|w| *w = rng.next_u64() as u32),
    }
    image
}

/// The kernel's memory, now and then with holes in it: what is there is answered with an error.
fn memory(known: &Known, rng: &mut Rng) -> HostMemory {
    let mut memory = HostMemory::new();
    let (base, bytes) = (known.memory.base(0), known.memory.bytes(0));
    let holes = rng.chance(60);
    for (k, piece) in bytes.chunks(if holes { 12 } else { 4096 }).enumerate() {
        if !holes || !rng.chance(25) {
            assert!(memory.place(base + 12 * k as u32, piece.to_vec()));
        }
    }
    memory
}

fn stimulus(known: &Known, rng: &mut Rng) -> Stimulus {
    let mut stimulus = known.stimulus.clone();
    if rng.chance(45) {
        stimulus.gate = None;
        for (tokens, port) in stimulus.inputs.iter_mut().zip(&known.fabric.adg().top.inputs) {
            let count = if rng.chance(80) { rng.below(30) } else { 0 };
            let mut token = || {
                let data = if rng.chance(80) { rng.below(9) as u64 } else { rng.next_u64() };
                InputToken { data: truncate(data, port.ty.width), tag: 0 }
            };
            *tokens = (0..count).map(|_| token()).collect();
        }
    }
    stimulus.expected = vec![usize::MAX >> 16; known.fabric.adg().top.outputs.len()];
    stimulus
}

/// How runs ended.
#[derive(Debug, Default)]
struct Ends {
    refused: usize,
    stopped: usize,
    idle: usize,
    waiting: usize,
    moving: usize,
    axi_errors: usize,
}

/// A run that rests without being idle says who holds what, and of each token why it does not move.
fn named(trace: &Trace, what: &str) {
    assert!(!trace.leftover.is_empty() || !trace.waiting.is_empty(), "{what}: it waits for nothing");
    for w in &trace.waiting {
        assert!(!w.from.is_empty() && !w.why.is_empty(), "{what}: {w:?}");
        assert_ne!(w.why, "it moves next", "{what}: {w:?}");
    }
}

fn check(on: &str, count: u64) -> Ends {
    let known = Known::new(on);
    let f = &known.fabric;
    let built =
        loom_cosim::verilate(f, QUICK, &root().join("target/verilated")).expect("it was built before");
    let mut model = FabricModel::new(&built, f.ports());
    let mut ends = Ends::default();
    for seed in 0..count {
        let what = format!("{on} seed {seed}");
        let mut rng = Rng::new(loom_base::rng::mix(seed));
        let has_axi = !f.ports().masters.is_empty();
        let base = if has_axi { known.memory.base(0) } else { 0 };
        let image = image(&known, &mut rng, base);
        let memory = if has_axi { memory(&known, &mut rng) } else { HostMemory::new() };
        let axi = AxiOptions {
            latency: *rng.pick(&[1, 2, 7, 20]),
            stall_percent: *rng.pick(&[0, 20, 60]),
            reorder: rng.chance(50),
            seed,
        };
        let stimulus = stimulus(&known, &mut rng);
        let percent = *rng.pick(&[0, 30, 60]);
        let stalls = Stalls { seed, source_percent: percent, sink_percent: percent };
        model.reset();
        model.attach(memory.clone(), &axi);
        if !known.pad.is_empty() {
            model.write_scratchpad(0, &known.pad);
        }
        let loaded = model.load(&image);
        let mut native = match NativeModel::new(f, &image) {
            Err(Refusal::Hardware(error, unit)) => {
                ends.refused += 1;
                let error = (error.code(), unit.0 as u16);
                assert_eq!(loaded, Loaded::Error(error.0, error.1), "{what}");
                // Nothing starts, and no other image helps.
                let got = model.run(&stimulus, &Stalls::NONE, &Limits { max_cycles: 60, drain_cycles: 0 });
                assert!(got.input_times.iter().all(Vec::is_empty) && got.idle, "{what}: {got:?}");
                assert_eq!(got.error, Some(error), "{what}");
                assert_eq!(model.load(&known.image), loaded, "{what}");
                model.reset();
                known.runs(&mut model, &what);
                continue;
            }
            Err(refusal) => panic!("{what}: {refusal}"),
            Ok(native) => native,
        };
        assert_eq!(loaded, Loaded::Done, "{what}");
        native.attach(memory, &axi);
        for host in &f.ports().hosts {
            native.set_scratchpad(host.component, &known.pad);
        }
        let (want, recording) =
            native.run_recorded(&stimulus, &stalls, &LIMITS, Window { first: CYCLES - LAST, cycles: LAST });
        let got = model.run(&stimulus, &stalls, &LIMITS);
        assert_eq!(got.input_times, want.input_times, "{what}");
        assert_eq!(got.outputs, want.outputs, "{what}");
        let error = want.error.map(|(error, unit)| (error.code(), unit.0 as u16));
        assert_eq!(got.error, error, "{what}");
        assert_eq!((got.broken_rule.as_deref(), native.broken_rule()), (None, None), "{what}");
        assert_eq!(model.memory(), native.memory(), "{what}");
        let rests = want.stop == Stop::Deadlock;
        let moves = |t: &loom_sim::Track| (0..LAST).any(|c| t.state(c) == ChannelState::Moves);
        let moves_at_the_end = recording.tracks.iter().any(moves);
        if rests {
            assert_eq!(got.idle, want.leftover.is_empty(), "{what}: {:?}", want.leftover);
        }
        // The same model again, as after a reset.
        if seed % 8 == 0 {
            assert_eq!(native.run(&stimulus, &stalls, &LIMITS), want, "{what}: again");
        }
        match error {
            Some((code, _)) => {
                ends.stopped += 1;
                ends.axi_errors += usize::from(code == 267);
                // More tokens and time change nothing about it.
                let again = model.run(&stimulus, &Stalls::NONE, &Limits { max_cycles: 100, drain_cycles: 0 });
                assert_eq!(again.error, error, "{what}: the error stays");
                if seed % 8 == 0 {
                    assert_eq!(model.load(&known.image), Loaded::Hung, "{what}: only a reset helps");
                }
                model.reset();
            }
            None if !rests && moves_at_the_end => {
                ends.moving += 1;
                model.reset();
            }
            None if rests && got.idle => ends.idle += 1,
            None => {
                ends.waiting += 1;
                named(&want, &what);
                // What counts as it waits will be an error after 65536 cycles.
                assert!(
                    rests || want.waiting.iter().any(|w| w.why == HALF_A_STORE),
                    "{what}: {:?}",
                    want.waiting
                );
                if seed % 8 == 0 {
                    assert_eq!(model.load(&known.image), Loaded::Hung, "{what}: it is not idle");
                }
                model.reset();
            }
        }
        known.runs(&mut model, &what);
    }
    ends
}

#[test]
fn behind_axi() {
    let ends = check("axi", 300);
    assert!([ends.refused, ends.stopped, ends.idle, ends.waiting].iter().all(|&n| n >= 10), "{ends:?}");
    assert!(ends.axi_errors >= 5, "{ends:?}");
}

#[test]
fn in_a_scratchpad() {
    let ends = check("pad", 150);
    assert!([ends.refused, ends.stopped, ends.idle, ends.waiting].iter().all(|&n| n >= 5), "{ends:?}");
}
