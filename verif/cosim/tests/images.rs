//! Images that mean nothing: whatever the bits, the native model and the Verilog do the same, cycle for cycle, and
//! refuse the same images for the same reason. And images that lead random operands to one function unit at a time:
//! chance alone hardly ever brings all operands to a unit of many inputs or cycles.

use loom_adg::{ChannelId, Component, ComponentId, Fabric, FieldKind, Image, Mux, PeConfig, SinkPort};
use loom_base::stall::Stalls;
use loom_base::Rng;
use loom_cosim::{FabricModel, Loaded};
use loom_sim::native::{NativeModel, Refusal};
use loom_sim::{InputToken, Limits, OutputToken, Stimulus};
use loom_testkit::fabrics::{fabric, instance, random_image, random_payload, verilated};
use std::collections::{BTreeSet, VecDeque};

/// Random tokens at every input, more than can be taken; nothing is ever complete.
fn stimulus(rng: &mut Rng, f: &Fabric) -> Stimulus {
    let inputs = f.adg().top.inputs.iter();
    Stimulus {
        gate: None,
        inputs: inputs
            .map(|port| {
                let count = if rng.chance(60) { rng.below(40) } else { 0 };
                let small = rng.chance(70);
                (0..count)
                    .map(|_| {
                        let data = if small { rng.between(-2, 5) as u64 } else { rng.next_u64() };
                        InputToken {
                            data: loom_base::truncate(data, port.ty.width),
                            tag: loom_base::truncate(rng.next_u64() & 3, port.ty.tag),
                        }
                    })
                    .collect()
            })
            .collect(),
        expected: vec![usize::MAX >> 16; f.adg().top.outputs.len()],
    }
}

/// Runs one image in both models, the Verilog from reset.
fn compare(f: &Fabric, model: &mut FabricModel, image: &Image, rng: &mut Rng, what: &str) -> bool {
    let stimulus = stimulus(rng, f);
    run(f, model, image, &stimulus, rng, what).iter().any(|o| !o.is_empty())
}

/// Runs one image on these tokens in both models, the Verilog from reset. Gives what came out.
fn run(
    f: &Fabric,
    model: &mut FabricModel,
    image: &Image,
    stimulus: &Stimulus,
    rng: &mut Rng,
    what: &str,
) -> Vec<Vec<OutputToken>> {
    model.reset();
    let loaded = model.load(image);
    let mut native = match NativeModel::new(f, image) {
        Err(Refusal::Hardware(error, unit)) => {
            assert_eq!(loaded, Loaded::Error(error.code(), unit.0 as u16), "{what}");
            return Vec::new();
        }
        Err(refusal) => panic!("{what}: {refusal}"),
        Ok(native) => native,
    };
    assert_eq!(loaded, Loaded::Done, "{what}");
    let stalls = Stalls {
        seed: rng.next_u64(),
        source_percent: rng.below(50) as u32,
        sink_percent: rng.below(50) as u32,
    };
    let limits = Limits { max_cycles: 200, drain_cycles: 0 };
    let want = native.run(stimulus, &stalls, &limits);
    let got = model.run(stimulus, &stalls, &limits);
    assert_eq!(got.input_times, want.input_times, "{what}: input times");
    assert_eq!(got.outputs, want.outputs, "{what}: output tokens");
    let error = want.error.map(|(error, unit)| (error.code(), unit.0 as u16));
    assert_eq!(got.error, error, "{what}: error");
    want.outputs
}

fn check(path: &str, images: usize) {
    let f = fabric(path);
    let built = verilated(&f);
    let mut model = instance(&f, &built);
    let mut moved = 0;
    for seed in 0..images as u64 {
        let mut rng = Rng::new(seed);
        let image = random_image(&f, &mut rng);
        moved += usize::from(compare(&f, &mut model, &image, &mut rng, &format!("{path} image {seed}")));
    }
    assert!(moved * 4 > images, "only {moved} of {images} images moved a token to an output");
    // Garbage: a few bits of a legal image flipped. Most are refused, all the same way.
    for seed in 0..images as u64 {
        let mut rng = Rng::new(seed ^ 0xbad);
        let mut image = random_image(&f, &mut rng);
        for _ in 0..=rng.below(3) {
            let at = rng.below(image.words.len());
            image.words[at] ^= 1 << rng.below(32);
        }
        compare(&f, &mut model, &image, &mut rng, &format!("{path} garbage {seed}"));
    }
}

#[test]
fn mesh_2x2() {
    check("configs/mesh-2x2.toml", 300);
}

/// Bodies of several ops, latencies, intervals, several outputs, control tokens.
#[test]
fn units() {
    check("configs/units.toml", 400);
}

/// Float units and multipliers cut into stages.
#[test]
fn float_units() {
    check("configs/units-float.toml", 200);
}

/// Units of elementary functions.
#[test]
fn units_of_elementary_functions() {
    check("configs/units-math.toml", 100);
}

/// Tag components, a temporal switch, a decomposable switch, a bypassable FIFO.
#[test]
fn tags() {
    check("configs/tags.toml", 400);
}

/// Ways through switches and FIFOs, no channel twice.
struct Ways<'a> {
    f: &'a Fabric,
    taken: Vec<bool>,
}

impl Ways<'_> {
    /// Channels that `from` leads to, with the switch route that leads there.
    fn hops(&self, from: ChannelId) -> Vec<(ChannelId, Option<(ComponentId, FieldKind)>)> {
        let SinkPort::Port(id, input) = self.f.flat().channel(from).sink else { return Vec::new() };
        let outputs = &self.f.flat().at(id).outputs;
        match self.f.component(id) {
            Component::SpatialSw(sw) => (0..outputs.len())
                .filter(|&output| sw.connectivity[output][input])
                .filter_map(|output| Some((outputs[output]?, Some((id, FieldKind::Route { output, input })))))
                .collect(),
            Component::Fifo(_) => outputs[0].into_iter().map(|c| (c, None)).collect(),
            _ => Vec::new(),
        }
    }

    /// Sets the routes of a shortest way of free channels from any of `from` to a channel that `to` accepts.
    fn lead(
        &mut self,
        image: &mut Image,
        from: &[ChannelId],
        to: impl Fn(SinkPort) -> bool,
    ) -> Option<SinkPort> {
        let mut before = vec![None; self.taken.len()];
        let mut queue = VecDeque::from(from.to_vec());
        let mut seen = self.taken.clone();
        queue.iter().for_each(|c| seen[c.0 as usize] = true);
        while let Some(c) = queue.pop_front() {
            let sink = self.f.flat().channel(c).sink;
            if to(sink) {
                let mut at = c;
                self.taken[at.0 as usize] = true;
                while let Some((previous, route)) = before[at.0 as usize] {
                    if let Some((id, kind)) = route {
                        image.set(self.f, id, kind, 1);
                    }
                    at = previous;
                    self.taken[at.0 as usize] = true;
                }
                return Some(sink);
            }
            for (next, route) in self.hops(c) {
                if !std::mem::replace(&mut seen[next.0 as usize], true) {
                    before[next.0 as usize] = Some((c, route));
                    queue.push_back(next);
                }
            }
        }
        None
    }
}

/// An image in which fabric inputs lead to a unit's operands and its results to fabric outputs, and nothing else is in
/// use; with the fabric outputs. `None` when the ways found first block each other.
fn one_unit(f: &Fabric, rng: &mut Rng, pe: ComponentId, opcode: usize) -> Option<(Image, Vec<usize>)> {
    let Component::SpatialPe(def) = f.component(pe) else { panic!("not a PE") };
    let fu = &def.fus[opcode];
    let mut image = Image::unused(f);
    let mut ways = Ways { f, taken: vec![false; f.flat().channels.len()] };
    let mut starts: Vec<ChannelId> = f.flat().inputs.iter().flatten().copied().collect();
    rng.shuffle(&mut starts);
    let mut inputs = Vec::new();
    for _ in &fu.inputs {
        let there = |sink| matches!(sink, SinkPort::Port(id, _) if id == pe);
        let free: Vec<ChannelId> = starts.iter().copied().filter(|c| !ways.taken[c.0 as usize]).collect();
        let way = ways.lead(&mut image, &free, there).or_else(|| {
            // A tile may have fewer links than a unit has operands: two operands share a token then.
            let used = |c: &ChannelId| ways.taken[c.0 as usize] && !there(f.flat().channel(*c).sink);
            let used: Vec<ChannelId> = (0..ways.taken.len() as u32).map(ChannelId).filter(used).collect();
            ways.lead(&mut image, &used, there)
        });
        let Some(SinkPort::Port(_, port)) = way else { return None };
        inputs.push(Mux::Port(port));
    }
    rng.shuffle(&mut inputs);
    let (mut outputs, mut ends) = (Vec::new(), Vec::new());
    for _ in &fu.results {
        let mut from: Vec<usize> =
            (0..def.outputs.len()).filter(|o| !outputs.contains(&Mux::Port(*o))).collect();
        rng.shuffle(&mut from);
        let (port, end) = from.into_iter().find_map(|port| {
            let way = ways
                .lead(&mut image, &[f.flat().at(pe).outputs[port]?], |s| matches!(s, SinkPort::Boundary(_)));
            match way {
                Some(SinkPort::Boundary(end)) => Some((port, end)),
                _ => None,
            }
        })?;
        outputs.push(Mux::Port(port));
        ends.push(end);
    }
    inputs.resize(def.input_muxes(), Mux::Disconnect);
    outputs.resize(def.output_demuxes(), Mux::Disconnect);
    let payload = random_payload(f, rng, fu);
    let config = PeConfig { opcode, inputs, outputs, payload, immediates: vec![0; def.immediates] };
    config.write(&mut image, f, pe);
    Some((image, ends))
}

/// Every function unit alone, several configurations each: each result arrives, and both models agree on when.
fn each_unit(path: &str) {
    const ROUNDS: usize = 12;
    let f = fabric(path);
    let built = verilated(&f);
    let mut model = instance(&f, &built);
    let mut done = BTreeSet::new();
    for pe in f.flat().ids() {
        let Component::SpatialPe(def) = f.component(pe) else { continue };
        if !done.insert(f.flat().at(pe).definition) {
            continue;
        }
        for (opcode, fu) in def.fus.iter().enumerate() {
            let mut rng = Rng::new(opcode as u64);
            let what = format!("{path} {} {}", f.path(pe), fu.name);
            let mut arrived = vec![0; fu.results.len()];
            for round in 0..ROUNDS {
                let (image, ends) = (0..50)
                    .find_map(|_| one_unit(&f, &mut rng, pe, opcode))
                    .unwrap_or_else(|| panic!("{what}: no ways to it"));
                let mut tokens = stimulus(&mut rng, &f);
                for (port, input) in f.adg().top.inputs.iter().zip(&mut tokens.inputs) {
                    *input = (0..40)
                        .map(|_| {
                            // Small numbers end loops and are often equal; others reach every bit.
                            let small = rng.chance(if round % 2 == 0 { 80 } else { 20 });
                            let data = if small { rng.between(-2, 5) as u64 } else { rng.next_u64() };
                            InputToken { data: loom_base::truncate(data, port.ty.width), tag: 0 }
                        })
                        .collect();
                }
                let out = run(&f, &mut model, &image, &tokens, &mut rng, &format!("{what} round {round}"));
                arrived.iter_mut().zip(ends).for_each(|(n, end)| *n += out.get(end).map_or(0, Vec::len));
            }
            assert!(arrived.iter().all(|&n| n > 0), "{what}: results {arrived:?}");
        }
    }
}

#[test]
fn each_unit_of_mesh_2x2() {
    each_unit("configs/mesh-2x2.toml");
}

#[test]
fn each_unit_of_units() {
    each_unit("configs/units.toml");
}

#[test]
fn each_unit_of_float_units() {
    each_unit("configs/units-float.toml");
}

#[test]
fn each_unit_of_elementary_functions() {
    each_unit("configs/units-math.toml");
}
