//! Memory interfaces on the boundary: the native model and the Verilog take and give every token in the same cycle and
//! leave the same memory, under latencies, stalls and answers out of order; and no rule of AXI is broken.

use loom_adg::fabric::HostedPort;
use loom_adg::model::MemoryPort;
use loom_adg::{Component, ComponentId, Fabric, FieldKind, Image, OuterPorts};
use loom_base::stall::Stalls;
use loom_base::{Rng, Source};
use loom_cosim::model::{build, BuildOptions, PortSpec};
use loom_cosim::{FabricModel, Loaded};
use loom_sim::axi::{AxiOptions, HostMemory};
use loom_sim::native::Refusal;
use loom_sim::{InputToken, Limits, NativeModel, Stimulus};
use loom_testkit::fabrics::{instance, root, verilated};
use std::collections::BTreeMap;

/// Bytes of the buffers behind the masters, and of scratchpads.
const BYTES: usize = 256;

/// One interface of every shape: (name, table, width, tag, loads, stores).
const SHAPES: [(&str, &str, u32, u32, usize, usize); 8] = [
    ("plain", "extmemory", 32, 0, 1, 1),
    ("reads", "extmemory", 8, 0, 1, 0),
    ("lanes", "extmemory", 64, 2, 3, 2),
    ("writes", "extmemory", 16, 1, 0, 2),
    ("pad", "memory", 32, 0, 1, 1),
    ("pads", "memory", 64, 2, 3, 2),
    ("own", "extmemory", 32, 0, 3, 2),
    ("own_pad", "memory", 16, 0, 2, 3),
];

/// A fabric whose boundary is the ports of all interfaces, one after another.
fn toml() -> String {
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    let (mut instances, mut connects, mut tables) = (String::new(), String::new(), String::new());
    for (i, (name, table, width, tag, loads, stores)) in SHAPES.into_iter().enumerate() {
        let ty = |bits: u32| match (bits, tag) {
            (0, 0) => "none".to_string(),
            (0, t) => format!("tagged<none, i{t}>"),
            (b, 0) => format!("bits<{b}>"),
            (b, t) => format!("tagged<bits<{b}>, i{t}>"),
        };
        // A port for each lane, or one that the lanes share.
        let ports = |lanes: usize, bits: u32| vec![bits; if tag > 0 { lanes.min(1) } else { lanes }];
        let ins = [ports(loads, 32), ports(stores, 32), ports(stores, width)].concat();
        let outs = [ports(loads, width), ports(loads, 0), ports(stores, 0)].concat();
        instances.push_str(&format!("  {{ name = \"{name}\", of = \"{name}\", position = [0, {i}] }},\n"));
        for (p, &bits) in ins.iter().enumerate() {
            connects.push_str(&format!("  {{ from = \"in{}\", to = \"{name}.in{p}\" }},\n", inputs.len()));
            inputs.push(format!("  {{ type = \"{}\" }},\n", ty(bits)));
        }
        for (p, &bits) in outs.iter().enumerate() {
            connects.push_str(&format!("  {{ from = \"{name}.out{p}\", to = \"out{}\" }},\n", outputs.len()));
            outputs.push(format!("  {{ type = \"{}\" }},\n", ty(bits)));
        }
        tables
            .push_str(&format!("\n[{table}.{name}]\nloads = {loads}\nstores = {stores}\nwidth = {width}\n"));
        tables.push_str(&format!("queue = 4\ntag = {tag}\nregions = 3\n"));
        if table == "memory" {
            tables.push_str(&format!("bytes = {BYTES}\nhost = true\n"));
        }
    }
    let (inputs, outputs) = (inputs.concat(), outputs.concat());
    format!(
        "name = \"memories\"\ninput = [\n{inputs}]\noutput = [\n{outputs}]\ninstance = [\n{instances}]\n\
         connect = [\n{connects}]\n{tables}"
    )
}

fn memories() -> Fabric {
    let source = Source::new("memories.toml", toml());
    let adg = loom_adg::toml::read(&source)
        .unwrap_or_else(|d| panic!("{}", d.iter().map(|d| d.render(&source)).collect::<String>()));
    Fabric::new(adg)
}

/// A run: what the interfaces are told and asked.
struct Play {
    image: Image,
    memory: HostMemory,
    pads: Vec<Vec<u8>>,
    stimulus: Stimulus,
}

/// Random regions and requests. `wild`: now and then an address, tag or region that is wrong, so that nobody knows
/// how many tokens come.
fn play(f: &Fabric, rng: &mut Rng, wild: bool) -> Play {
    let mut image = Image::unused(f);
    let mut memory = HostMemory::new();
    let fill = |rng: &mut Rng| (0..BYTES).map(|_| rng.next_u64() as u8).collect::<Vec<u8>>();
    let (mut inputs, mut expected) = (Vec::new(), Vec::new());
    let mut pads = Vec::new();
    for id in f.flat().ids() {
        let Component::Memory(m) = f.component(id) else { continue };
        let lanes = m.loads.max(m.stores) as u64;
        let base = if m.is_external() { memory.add(fill(rng)) } else { 0 };
        if !m.is_external() {
            pads.push(fill(rng));
        }
        // One region for some lanes, another for the rest; elements of their own sizes.
        let cut = rng.below(lanes as usize + 1) as u64;
        let mut size_of = Vec::new();
        for (r, (start, end)) in [(0, cut), (cut, lanes)].into_iter().enumerate() {
            let size = rng.below(m.word_size_log2() as usize + 1) as u64;
            size_of.extend((start..end).map(|_| size));
            let missing = wild && rng.chance(5);
            for (kind, value) in [
                (FieldKind::RegionValid(r), u64::from(start < end && !missing)),
                (FieldKind::RegionStart(r), start),
                (FieldKind::RegionEnd(r), end),
                (FieldKind::RegionOffset(r), u64::from(base)),
                (FieldKind::RegionSize(r), size),
            ] {
                image.set(f, id, kind, value);
            }
        }
        // Lanes in random order; an address and its data come on one lane each in the same number.
        let lane_list = |rng: &mut Rng, count: usize, tokens: usize| {
            (0..tokens).map(|_| rng.below(count) as u64).collect::<Vec<_>>()
        };
        let (loads, stores) = (rng.below(60), rng.below(60));
        let load_lanes = lane_list(rng, m.loads.max(1), loads);
        let store_lanes = lane_list(rng, m.stores.max(1), stores);
        for (port, own) in m.ports().0 {
            let lanes = if port == MemoryPort::LoadAddress { &load_lanes } else { &store_lanes };
            let at = |lane: &&u64| m.tag > 0 || **lane == own as u64;
            let tokens = lanes.iter().filter(at).map(|&lane| {
                let elements = BYTES >> size_of[lane as usize];
                let far = wild && rng.chance(1);
                let data = match port {
                    MemoryPort::StoreData => loom_base::truncate(rng.next_u64(), m.width),
                    _ if far => loom_base::truncate(rng.next_u64(), 32),
                    _ => rng.below(elements) as u64,
                };
                let tag = if wild && m.tag > 0 && rng.chance(1) { rng.next_u64() } else { lane };
                InputToken { data, tag: loom_base::truncate(tag, m.tag) }
            });
            inputs.push(tokens.collect());
        }
        for (port, own) in m.ports().1 {
            let lanes = if port == MemoryPort::StoreDone { &store_lanes } else { &load_lanes };
            let tokens = lanes.iter().filter(|&&lane| m.tag > 0 || lane == own as u64).count();
            expected.push(if wild { usize::MAX >> 16 } else { tokens });
        }
    }
    Play { image, memory, pads, stimulus: Stimulus { inputs, expected, ..Stimulus::default() } }
}

/// Runs both models, the Verilog from reset; whether it was complete, idle and without error.
fn compare(
    f: &Fabric,
    model: &mut FabricModel,
    play: &Play,
    axi: &AxiOptions,
    seed: u64,
    what: &str,
) -> bool {
    let stalls =
        Stalls { seed, source_percent: (seed % 3) as u32 * 30, sink_percent: (seed / 3 % 3) as u32 * 30 };
    let limits = Limits { max_cycles: 2000, drain_cycles: 1000 };
    model.reset();
    model.attach(play.memory.clone(), axi);
    for (k, pad) in play.pads.iter().enumerate() {
        model.write_scratchpad(k, pad);
    }
    assert_eq!(model.load(&play.image), Loaded::Done, "{what}");
    let got = model.run(&play.stimulus, &stalls, &limits);

    let mut native = NativeModel::new(f, &play.image).expect("a legal image");
    native.attach(play.memory.clone(), axi);
    let pads: Vec<ComponentId> = f.ports().hosts.iter().map(|port| port.component).collect();
    for (&id, pad) in pads.iter().zip(&play.pads) {
        native.set_scratchpad(id, pad);
    }
    let want = native.run(&play.stimulus, &stalls, &limits);
    for (k, (g, w)) in got.input_times.iter().zip(&want.input_times).enumerate() {
        assert_eq!(g, w, "{what}: input {k}");
    }
    for (k, (g, w)) in got.outputs.iter().zip(&want.outputs).enumerate() {
        assert_eq!(g, w, "{what}: output {k}");
    }
    let error = want.error.map(|(error, unit)| (error.code(), unit.0 as u16));
    assert_eq!(got.error, error, "{what}: error");
    assert_eq!(got.broken_rule, None, "{what}");
    assert_eq!(native.broken_rule(), None, "{what}");
    assert!(model.memory() == native.memory(), "{what}: memory");
    for (k, &id) in pads.iter().enumerate() {
        let bytes = model.read_scratchpad(k, BYTES);
        assert_eq!(native.scratchpad(id), Some(&bytes[..]), "{what}: scratchpad {k}");
    }
    if error.is_none() {
        assert_eq!(got.idle, want.idle, "{what}: idle");
        assert_eq!(got.cycles, want.cycles, "{what}: cycles");
    }
    if let Some(k) = (0..f.flat().outputs.len()).find(|&k| got.outputs[k].len() > play.stimulus.expected[k]) {
        panic!("{what}: too many tokens at output {k}");
    }
    got.completed && got.idle && error.is_none()
}

fn check(wild: bool, count: u64) {
    let f = memories();
    let built = verilated(&f);
    let mut model = instance(&f, &built);
    let mut clean = 0;
    for seed in 0..count {
        let mut rng = Rng::new(seed);
        let play = play(&f, &mut rng, wild);
        let axi = AxiOptions {
            latency: *rng.pick(&[1, 1, 2, 5, 20]),
            stall_percent: *rng.pick(&[0, 0, 20, 60]),
            reorder: rng.chance(50),
            seed,
        };
        let what = format!("seed {seed}, {axi:?}");
        clean += u64::from(compare(&f, &mut model, &play, &axi, seed, &what));
    }
    assert_eq!(clean, if wild { 0 } else { count }, "complete runs");
}

#[test]
fn good_requests() {
    check(false, 400);
}

/// A place in the queue is taken from the request to the cycle after its answer left, which is one after it came: four
/// of them hide a latency of two cycles, and carry four loads every L + 2 cycles beyond that.
#[test]
fn a_queue_hides_two_cycles_less_than_its_entries() {
    let f = memories();
    let built = verilated(&f);
    let mut model = instance(&f, &built);
    let mut rng = Rng::new(1);
    let mut play = play(&f, &mut rng, false);
    for (k, tokens) in play.stimulus.inputs.iter_mut().enumerate() {
        // The bytes of the second interface, read one after another.
        let count = if k == 3 { BYTES as u64 } else { 0 };
        *tokens = (0..count).map(|data| InputToken { data, tag: 0 }).collect();
    }
    play.stimulus.expected = vec![0; f.flat().outputs.len()];
    play.stimulus.expected[3..5].fill(BYTES);
    for (latency, cycles) in [(1, 258), (2, 259), (3, 63 * 5 + 8), (7, 63 * 9 + 12)] {
        let axi = AxiOptions { latency, ..AxiOptions::default() };
        assert!(compare(&f, &mut model, &play, &axi, 0, "reads"));
        let trace = model.run(&play.stimulus, &Stalls::NONE, &Limits::default());
        let got: Vec<u8> = trace.outputs[3].iter().map(|t| t.data as u8).collect();
        assert_eq!(got, play.memory.bytes(1), "latency {latency}");
        assert_eq!(trace.cycles, cycles, "latency {latency}");
    }
}

#[test]
fn bad_requests_stop_their_interface_alike() {
    check(true, 400);
}

/// Random region tables: both models refuse the same ones, with the same code and unit.
#[test]
fn region_tables_are_refused_alike() {
    let f = memories();
    let built = verilated(&f);
    let mut model = instance(&f, &built);
    let mut codes = BTreeMap::<u16, usize>::new();
    for seed in 0..2000 {
        let mut rng = Rng::new(seed);
        let mut image = Image::unused(&f);
        // One interface in each image, so that every code gets its turn.
        let interfaces: Vec<_> = f.flat().ids().collect();
        let id = *rng.pick(&interfaces);
        for r in 0..3 {
            let start = rng.below(6) as u64;
            for (kind, value) in [
                (FieldKind::RegionValid(r), rng.below(2) as u64),
                (FieldKind::RegionStart(r), start),
                (FieldKind::RegionEnd(r), (start + rng.below(6) as u64).saturating_sub(2)),
                (FieldKind::RegionSize(r), rng.below(4) as u64),
            ] {
                image.set(&f, id, kind, value);
            }
        }
        model.reset();
        let want = match NativeModel::new(&f, &image) {
            Ok(_) => Loaded::Done,
            Err(Refusal::Hardware(error, unit)) => {
                *codes.entry(error.code()).or_default() += 1;
                Loaded::Error(error.code(), unit.0 as u16)
            }
            Err(refusal) => panic!("{refusal}"),
        };
        assert_eq!(model.load(&image), want, "seed {seed}");
    }
    assert_eq!(codes.into_keys().collect::<Vec<_>>(), [12, 13, 14, 15, 19]);
}

/// A fabric of one configuration word, which says how its master misbehaves.
const BAD: &str = include_str!("bad_master.v");

#[test]
fn broken_rules_are_found_with_port_and_cycle() {
    let port = |name: &str, width: u32, input: bool| PortSpec { name: name.into(), width, input };
    let mut ports: Vec<PortSpec> = ["clk", "rst_n", "cfg_valid", "cfg_last"].map(|n| port(n, 1, true)).into();
    ports.push(port("cfg_data", 32, true));
    ports.extend(["cfg_ready", "cfg_done", "error_valid", "idle"].map(|n| port(n, 1, false)));
    ports.extend(["error_code", "error_unit"].map(|n| port(n, 16, false)));
    for (name, width) in [("arready", 1), ("awready", 1), ("wready", 1), ("rvalid", 1), ("rid", 1)]
        .into_iter()
        .chain([("rdata", 32), ("rresp", 2), ("rlast", 1), ("bvalid", 1), ("bid", 1), ("bresp", 2)])
    {
        ports.push(port(&format!("m0_axi_{name}"), width, true));
    }
    for channel in ["ar", "aw"] {
        for (name, width) in [("valid", 1), ("addr", 32), ("id", 1), ("len", 8), ("size", 3), ("burst", 2)]
            .into_iter()
            .chain([("lock", 1), ("cache", 4), ("prot", 3), ("qos", 4)])
        {
            ports.push(port(&format!("m0_axi_{channel}{name}"), width, false));
        }
    }
    for (name, width) in
        [("wvalid", 1), ("wdata", 32), ("wstrb", 4), ("wlast", 1), ("rready", 1), ("bready", 1)]
    {
        ports.push(port(&format!("m0_axi_{name}"), width, false));
    }
    let options = BuildOptions { trace: false, optimise: false };
    let files = [("bad_master.v".to_string(), BAD.to_string())];
    let built = build(&files, "bad_master", &ports, options, &root().join("target/verilated"))
        .unwrap_or_else(|d| panic!("{}", d[0].message));
    let master = HostedPort { signal: "m0_axi".into(), component: ComponentId(0), width: 32 };
    let outer = OuterPorts { inputs: vec![], outputs: vec![], masters: vec![master], hosts: vec![] };
    let mut model = FabricModel::new(&built, &outer);
    let cases = [
        (0, 0, None),
        (0, 100, None),
        (1, 0, None),
        (1, 100, Some("m0 in cycle 4: arvalid was withdrawn, or its payload changed, before arready")),
        (2, 100, Some("m0 in cycle 4: arvalid was withdrawn, or its payload changed, before arready")),
        (3, 0, Some("m0 in cycle 3: strobes 0x0f for 2 bytes at 0x1000")),
        (4, 0, Some("m0 before cycle 0: a valid is high")),
        (5, 0, Some("m0 in cycle 3: lock, cache, prot or qos of ar is not 0")),
        (6, 0, Some("m0 in cycle 3: araddr 0x1002 is not aligned to its size")),
        (7, 0, Some("m0 in cycle 3: a write beat without wlast")),
    ];
    for (mode, stall_percent, broken) in cases {
        let mut memory = HostMemory::new();
        assert_eq!(memory.add(vec![0; 64]), 0x1000);
        model.reset();
        model.attach(memory, &AxiOptions { stall_percent, ..AxiOptions::default() });
        assert_eq!(model.load_words(&[mode], 0), Loaded::Done);
        let limits = Limits { max_cycles: 12, drain_cycles: 12 };
        let trace = model.run(&Stimulus::default(), &Stalls::NONE, &limits);
        assert_eq!(trace.broken_rule.as_deref(), broken, "mode {mode}, stalls {stall_percent}");
    }
}
