//! One memory interface shared by tags: kernels that must share its lanes run through all models, and every way to set
//! up or use lanes and regions wrongly is refused, or raises the documented error in the same cycle in both timed models.

use loom_adg::{ComponentId, Fabric, FieldKind, Image};
use loom_base::stall::Stalls;
use loom_base::{truncate, Diagnostics, Severity, Source};
use loom_cosim::{BuildOptions, Built};
use loom_cosim::{FabricModel, Loaded};
use loom_flow::host::Host;
use loom_flow::{load, Configured};
use loom_front::compile::CompileOptions;
use loom_map::memory::{self, STORE};
use loom_sim::axi::{AxiOptions, HostMemory};
use loom_sim::native::Refusal;
use loom_sim::{Case, InputToken, Limits, NativeModel, OutputToken, Stimulus};
use loom_testkit::fabrics::{fabric, instance, root};
use std::collections::BTreeSet;
use std::sync::Arc;

fn read(path: &str) -> Source {
    let path = root().join("verif/cosim/tests/lanes").join(path);
    Source::new(path.display().to_string(), std::fs::read_to_string(&path).expect("readable"))
}

fn shown(source: &Source, diagnostics: &Diagnostics) -> String {
    diagnostics.iter().map(|d| d.render(source)).collect()
}

/// A kernel on its fabric.
struct Kernel {
    configured: Configured,
    case: Case,
}

impl Kernel {
    /// The kernel `<fabric>_<name>` on the fabric, mapped; its bitstream decodes to the mapping.
    fn new(on: &str, name: &str) -> Kernel {
        let fabric = fabric(&format!("verif/cosim/tests/lanes/{on}.toml"));
        let source = read(&format!("{on}_{name}.scf.mlir"));
        let options = CompileOptions { room: None, ..load::lowering(&fabric) };
        let configured = loom_flow::Kernel::read(&source, &options)
            .and_then(|kernel| Configured::map(kernel, &fabric, &Default::default(), &mut |_, _| {}))
            .unwrap_or_else(|d| panic!("{}", shown(&source, &d)));
        let text = read(&format!("{on}_{name}.toml"));
        let case = configured.case(&text).unwrap_or_else(|d| panic!("{}", shown(&text, &d)));
        Kernel { configured, case }
    }

    fn fabric(&self) -> &Fabric {
        &self.configured.fabric
    }

    /// Lanes the mapping uses: loads, stores. The fabric has one interface only.
    fn lanes(&self) -> (Vec<usize>, Vec<usize>) {
        let accesses = memory::accesses(&self.configured.netlist, &self.configured.mapped.mapping);
        let all: BTreeSet<usize> = accesses.iter().map(|a| a.1).collect();
        assert_eq!(all.len(), accesses.len(), "a lane of its own for each access");
        assert_eq!(accesses.iter().map(|a| a.0).collect::<BTreeSet<_>>().len(), 1);
        let loads = all.iter().copied().filter(|&l| l < STORE).collect();
        (loads, all.iter().filter(|&&l| l >= STORE).map(|l| l - STORE).collect())
    }

    /// The region table as the bitstream has it, with the addresses of a run: (start, end, offset, size).
    fn regions(&self) -> Vec<(u64, u64, u64, u64)> {
        let host = Host::new(&self.configured, &self.case);
        let f = self.fabric();
        let (decoded, _) = loom_gen::decode(f, &host.image).expect("legal");
        decoded.regions.iter().map(|r| (r.start, r.end, r.offset, r.size)).collect()
    }

    fn interface(&self) -> ComponentId {
        let f = self.fabric();
        f.flat().ids().find(|&id| memory::interface(f, id).is_some()).expect("an interface")
    }

    /// Runs every model under latencies, stalls and orders of answers; all agree with each other and the case.
    fn agree(&self) {
        let fabric = self.fabric();
        let software = self.configured.kernel.run(&self.case, fabric.index_width());
        let software = software.unwrap_or_else(|d| panic!("{d:?}"));
        let built = quick(fabric);
        let runs = [
            (1, 0, false, 0, 0),
            (5, 0, false, 0, 0),
            (20, 0, false, 0, 0),
            (5, 30, true, 20, 20),
            (20, 0, true, 0, 40),
            (20, 60, true, 40, 0),
        ];
        for (seed, (latency, stall_percent, reorder, source_percent, sink_percent)) in
            runs.into_iter().enumerate()
        {
            let mut case = self.case.clone();
            case.axi = AxiOptions { latency, stall_percent, reorder, seed: seed as u64 };
            case.stalls = Stalls { seed: seed as u64, source_percent, sink_percent };
            let mut runs = self.configured.simulate_after(&case, software.clone()).expect("a native run");
            self.configured.cosimulate(&case, &mut runs, &mut instance(fabric, &built)).expect("a run");
            let report = self.configured.report(&case, "", &runs);
            assert!(report.ok, "{:?}: {report:#?}", case.axi);
        }
    }
}

/// Two loads of one memref: two lanes, one region.
#[test]
fn two_loads_of_one_memref() {
    let k = Kernel::new("axi", "loads");
    assert_eq!(k.lanes(), (vec![0, 1], vec![]));
    assert_eq!(k.regions(), [(0, 2, 0x1000, 2)]);
    k.agree();
    let k = Kernel::new("pad", "loads");
    assert_eq!(k.lanes(), (vec![0, 1], vec![]));
    assert_eq!(k.regions(), [(0, 2, 0, 2)]);
    k.agree();
}

/// Two loads and two stores of one memref, in place.
#[test]
fn two_loads_and_two_stores_in_place() {
    let k = Kernel::new("axi", "swap");
    assert_eq!(k.lanes(), (vec![0, 1], vec![0, 1]));
    assert_eq!(k.regions(), [(0, 2, 0x1000, 2)]);
    k.agree();
    let k = Kernel::new("pad", "swap");
    assert_eq!(k.lanes(), (vec![0, 1], vec![0, 1]));
    assert_eq!(k.regions(), [(0, 2, 0, 2)]);
    k.agree();
}

/// Two memrefs: a lane and a region each, at different addresses.
#[test]
fn two_memrefs_share_an_interface() {
    let k = Kernel::new("axi", "pair");
    assert_eq!(k.lanes(), (vec![0, 1], vec![]));
    let regions = k.regions();
    assert_eq!(regions.iter().map(|r| (r.0, r.1)).collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    assert_eq!(regions.iter().map(|r| r.2).collect::<BTreeSet<_>>(), BTreeSet::from([0x1000, 0x3000]));
    k.agree();
    let k = Kernel::new("pad", "pair");
    assert_eq!(k.lanes(), (vec![0, 1], vec![]));
    assert_eq!(k.regions(), [(0, 1, 0, 2), (1, 2, 32, 2)]);
    k.agree();
}

/// The tagged interfaces of `bare.toml`, whose ports are the fabric's: an AXI port, then a scratchpad.
struct Bare {
    fabric: Fabric,
    model: FabricModel,
    interfaces: [ComponentId; 2],
}

/// Bytes of the buffer behind the AXI port, and of the scratchpad.
const BYTES: usize = 64;

/// (valid, start, end, offset, log2 of the element's bytes).
type Table = [(u64, u64, u64, u64, u64); 2];

/// (data, tag) of each token at `ld_addr`, `st_addr`, `st_data`.
type Requests<'a> = [&'a [(u64, u64)]; 3];

impl Bare {
    fn new() -> Bare {
        let fabric = fabric("verif/cosim/tests/lanes/bare.toml");
        let model = instance(&fabric, &quick(&fabric));
        let ids: Vec<ComponentId> = fabric.flat().ids().collect();
        Bare { fabric, model, interfaces: [ids[0], ids[1]] }
    }

    /// An image with the same table in both interfaces; offsets of the AXI port count from its buffer.
    fn image(&self, table: &Table, memory: &HostMemory) -> Image {
        let mut image = Image::unused(&self.fabric);
        for (k, id) in self.interfaces.into_iter().enumerate() {
            let base = if k == 0 { u64::from(memory.base(0)) } else { 0 };
            for (r, &(valid, start, end, offset, size)) in table.iter().enumerate() {
                for (kind, value) in [
                    (FieldKind::RegionValid(r), valid),
                    (FieldKind::RegionStart(r), start),
                    (FieldKind::RegionEnd(r), end),
                    (FieldKind::RegionOffset(r), truncate(base + offset, 32)),
                    (FieldKind::RegionSize(r), size),
                ] {
                    image.set(&self.fabric, id, kind, value);
                }
            }
        }
        image
    }

    /// Requests to one interface in both models, which take and give every token in the same cycle. The error's code,
    /// and the tokens that came out.
    fn run(
        &mut self,
        k: usize,
        table: &Table,
        requests: Requests,
        axi: &AxiOptions,
        what: &str,
    ) -> (Option<u16>, [Vec<OutputToken>; 3]) {
        let f = &self.fabric;
        let mut memory = HostMemory::new();
        memory.add((0..BYTES as u8).collect());
        let image = self.image(table, &memory);
        let mut stimulus = Stimulus { inputs: vec![Vec::new(); 6], ..Stimulus::default() };
        stimulus.expected = vec![0; 6];
        for (i, tokens) in requests.into_iter().enumerate() {
            stimulus.inputs[3 * k + i] = tokens.iter().map(|&(data, tag)| InputToken { data, tag }).collect();
        }
        let [loads, stores, _] = requests.map(<[_]>::len);
        stimulus.expected[3 * k..][..3].copy_from_slice(&[loads, loads, stores]);
        let limits = Limits { max_cycles: 70_000, drain_cycles: 100 };
        let pad: Vec<u8> = (0..BYTES as u8).collect();

        self.model.reset();
        self.model.attach(memory.clone(), axi);
        self.model.write_scratchpad(0, &pad);
        assert_eq!(self.model.load(&image), Loaded::Done, "{what}");
        let got = self.model.run(&stimulus, &Stalls::NONE, &limits);
        let mut native = NativeModel::new(f, &image).expect("a legal image");
        native.attach(memory, axi);
        native.set_scratchpad(self.interfaces[1], &pad);
        let want = native.run(&stimulus, &Stalls::NONE, &limits);

        assert_eq!(got.input_times, want.input_times, "{what}");
        assert_eq!(got.outputs, want.outputs, "{what}");
        assert_eq!(got.cycles, want.cycles, "{what}");
        assert_eq!(got.broken_rule, None, "{what}");
        assert!(self.model.memory() == native.memory(), "{what}: memory");
        let after = self.model.read_scratchpad(0, BYTES);
        assert_eq!(native.scratchpad(self.interfaces[1]), Some(&after[..]), "{what}");
        let error = want.error.map(|(error, unit)| (error.code(), unit.0 as u16));
        assert_eq!(got.error, error, "{what}");
        assert!(error.is_none_or(|(_, unit)| usize::from(unit) == k), "{what}: {error:?}");
        // A failed answer is delivered all the same.
        assert_eq!(got.completed, error.is_none_or(|(code, _)| code == 267), "{what}");
        (error.map(|e| e.0), [0, 1, 2].map(|i| got.outputs[3 * k + i].clone()))
    }
}

/// A model that is quick to build; its runs are short.
fn quick(fabric: &Fabric) -> Arc<Built> {
    let options = BuildOptions { trace: false, optimise: false };
    loom_cosim::verilate(fabric, options, &root().join("target/verilated"))
        .unwrap_or_else(|d| panic!("{}", d[0].message))
}

/// Two lanes of words over all bytes, or with their second halves apart.
const WHOLE: Table = [(1, 0, 2, 0, 2), (0, 0, 0, 0, 0)];
const HALVES: Table = [(1, 0, 1, 0, 2), (1, 1, 2, 32, 2)];

/// Answers of a lane come in the order of its requests, those of other lanes may pass them.
#[test]
fn lanes_overtake_each_other_and_not_themselves() {
    let mut bare = Bare::new();
    // Bursts by lane: the second lane's answers can only come early by overtaking.
    let loads: Vec<(u64, u64)> = (0..32).map(|i| (i % 4 + i / 8 % 2 * 4, i / 4 % 2)).collect();
    let mut overtaken = 0;
    for k in 0..2 {
        for (latency, stall_percent, reorder) in
            [(1, 0, false), (5, 30, false), (20, 0, false), (5, 0, true), (20, 0, true), (20, 40, true)]
        {
            for seed in 0..4 {
                let axi = AxiOptions { latency, stall_percent, reorder, seed };
                let what = format!("interface {k}, {axi:?}");
                let (error, [data, done, _]) = bare.run(k, &HALVES, [&loads, &[], &[]], &axi, &what);
                assert_eq!((error, done.len()), (None, loads.len()), "{what}");
                for lane in 0..2 {
                    let word = |i: u64| (0..4).fold(0, |v, b| v | (4 * i + b) << (8 * b));
                    let want: Vec<u64> =
                        loads.iter().filter(|l| l.1 == lane).map(|l| word(l.0 + 8 * lane)).collect();
                    let got: Vec<u64> = data.iter().filter(|t| t.tag == lane).map(|t| t.data).collect();
                    assert_eq!(got, want, "{what}, lane {lane}");
                }
                let order: Vec<u64> = data.iter().map(|t| t.tag).collect();
                overtaken += usize::from(order != loads.iter().map(|l| l.1).collect::<Vec<_>>());
            }
        }
    }
    assert!(overtaken > 4, "{overtaken}");
}

/// Requests that nothing can answer: the documented error, at the interface that met it.
#[test]
fn bad_requests_raise_the_documented_error() {
    let mut bare = Bare::new();
    let none: &[(u64, u64)] = &[];
    let cases: [(&str, Table, Requests, [Option<u16>; 2]); 13] = [
        ("the last word", WHOLE, [&[(15, 1)], &[(15, 0)], &[(7, 0)]], [None, None]),
        ("a load of a lane that is not there", WHOLE, [&[(0, 2)], none, none], [Some(260); 2]),
        ("a store address of a lane that is not there", WHOLE, [none, &[(0, 3)], none], [Some(260); 2]),
        ("store data of a lane that is not there", WHOLE, [none, none, &[(0, 2)]], [Some(260); 2]),
        (
            "a region beyond the lanes does no harm",
            [(1, 0, 2, 0, 2), (1, 2, 9, 0, 2)],
            [&[(3, 1)], none, none],
            [None; 2],
        ),
        (
            "only a region beyond the lanes",
            [(1, 2, 9, 0, 2), (0, 0, 0, 0, 0)],
            [&[(0, 1)], none, none],
            [Some(265), Some(264)],
        ),
        (
            "a load in no region",
            [(1, 0, 1, 0, 2), (0, 0, 0, 0, 0)],
            [&[(0, 0), (0, 1)], none, none],
            [Some(265), Some(264)],
        ),
        (
            "a store in no region",
            [(1, 1, 2, 0, 2), (0, 0, 0, 0, 0)],
            [none, &[(0, 0)], &[(1, 0)]],
            [Some(265), Some(264)],
        ),
        (
            "no region at all",
            [(0, 0, 2, 0, 2), (0, 0, 0, 0, 0)],
            [&[(0, 0)], none, none],
            [Some(265), Some(264)],
        ),
        ("a load behind the last byte", WHOLE, [&[(16, 0)], none, none], [Some(267), Some(266)]),
        ("a store behind the last byte", WHOLE, [none, &[(16, 1)], &[(1, 1)]], [Some(267), Some(266)]),
        (
            "a load behind the last byte by its offset",
            HALVES,
            [&[(8, 1)], none, none],
            [Some(267), Some(266)],
        ),
        ("a load beyond 32 bits", WHOLE, [&[(0x3fff_ffff, 0)], none, none], [Some(266); 2]),
    ];
    for (what, table, requests, codes) in cases {
        for (k, code) in codes.into_iter().enumerate() {
            let what = format!("{what}, interface {k}");
            let (error, _) = bare.run(k, &table, requests, &AxiOptions::default(), &what);
            assert_eq!(error, code, "{what}");
        }
    }
}

/// Fields of an image that are set by hand.
type Edits<'a> = &'a [(FieldKind, u64)];

/// Region tables in a bitstream edited by hand: the decoder explains them, and neither timed model starts.
#[test]
fn a_bad_region_table_keeps_the_fabric_from_starting() {
    let edits: [(&str, Edits<'_>, [u16; 2], &str); 4] = [
        (
            "regions overlap",
            &[(FieldKind::RegionEnd(0), 2)],
            [14, 12],
            "region 1 of `t_0_0.mem` overlaps region 0",
        ),
        (
            "a region is empty",
            &[(FieldKind::RegionEnd(1), 1)],
            [15, 13],
            "region 1 of `t_0_0.mem` ends at lane 1 and starts at 1",
        ),
        (
            "a region ends before it starts",
            &[(FieldKind::RegionStart(1), 5)],
            [15, 13],
            "region 1 of `t_0_0.mem` ends at lane 2 and starts at 5",
        ),
        (
            "elements wider than words",
            &[(FieldKind::RegionSize(0), 3)],
            [19; 2],
            "region 0 of `t_0_0.mem` has elements of 8 bytes, words have 4",
        ),
    ];
    for (on, which) in [("axi", 0), ("pad", 1)] {
        let k = Kernel::new(on, "pair");
        let f = k.fabric();
        let mut model = instance(f, &quick(f));
        let unit = f.unit(k.interface()).expect("it has configuration").0 as u16;
        for (what, fields, codes, message) in edits {
            let mut image = k.configured.image.clone();
            fields.iter().for_each(|&(kind, value)| image.set(f, k.interface(), kind, value));
            let refused = loom_gen::decode(f, &image).expect_err(what);
            let errors = refused.iter().filter(|d| d.severity == Severity::Error);
            let refused: Vec<_> = errors.map(|d| (d.code.id, d.message.as_str())).collect();
            assert_eq!(refused, [("G0110", message)], "{what}");
            match NativeModel::new(f, &image) {
                Err(Refusal::Hardware(error, at)) => {
                    assert_eq!((error.code(), at.0 as u16), (codes[which], unit), "{what}");
                }
                other => panic!("{what}: {:?}", other.map(|_| ()).map_err(|r| r.to_string())),
            }
            model.reset();
            assert_eq!(model.load(&image), Loaded::Error(codes[which], unit), "{what}");
        }
        // A good one starts it after a reset.
        model.reset();
        assert_eq!(model.load(&k.configured.image), Loaded::Done);
    }
}

/// Tables that are legal but not the kernel's: the run stops with the documented error, at the same place in both models.
#[test]
fn a_kernel_with_the_wrong_regions_stops_alike() {
    // With slow memory a bad request is met before the answer to a good one.
    let edits: [(&str, Edits<'_>, [u16; 3]); 4] = [
        ("a region is missing", &[(FieldKind::RegionValid(1), 0)], [265, 265, 264]),
        (
            "a region beyond the lanes",
            &[(FieldKind::RegionStart(1), 2), (FieldKind::RegionEnd(1), 9)],
            [265, 265, 264],
        ),
        ("an offset at the end", &[(FieldKind::RegionOffset(1), u64::from(u32::MAX))], [267, 266, 266]),
        ("a region nearly beyond", &[(FieldKind::RegionOffset(0), 128 - 4)], [267, 267, 266]),
    ];
    for (on, latencies) in [("axi", &[(1, 0), (20, 1)][..]), ("pad", &[(1, 2)])] {
        let k = Kernel::new(on, "pair");
        let f = k.fabric();
        let software = k.configured.kernel.run(&k.case, f.index_width()).expect("a good case");
        let stimulus = k.configured.stimulus(&k.case, &software.golden);
        let built = quick(f);
        for (what, fields, codes) in edits {
            let host = Host::new(&k.configured, &k.case);
            let mut image = host.image.clone();
            fields.iter().for_each(|&(kind, value)| image.set(f, k.interface(), kind, value));
            for &(latency, which) in latencies {
                let axi = AxiOptions { latency, ..AxiOptions::default() };
                let mut native = NativeModel::new(f, &image).expect("it starts");
                let mut verilog = instance(f, &built);
                native.attach(host.contents.memory.clone(), &axi);
                verilog.attach(host.contents.memory.clone(), &axi);
                for (id, bytes) in &host.contents.pads {
                    native.set_scratchpad(*id, bytes);
                    verilog.write_scratchpad(0, bytes);
                }
                assert_eq!(verilog.load(&image), Loaded::Done, "{what}");
                let limits = Limits { max_cycles: 2000, drain_cycles: 100 };
                let want = native.run(&stimulus, &Stalls::NONE, &limits);
                let got = verilog.run(&stimulus, &Stalls::NONE, &limits);
                assert_eq!(got.outputs, want.outputs, "{what}, {on}");
                assert_eq!(got.input_times, want.input_times, "{what}, {on}");
                let error = want.error.map(|(error, unit)| (error.code(), unit.0 as u16));
                assert_eq!(got.error, error, "{what}, {on}");
                assert_eq!(error.map(|e| e.0), Some(codes[which]), "{what}, {on}");
            }
        }
    }
}
