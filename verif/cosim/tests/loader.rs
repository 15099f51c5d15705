//! Loading: wrong lengths, another image without a reset, and what run-time errors stop.

use loom_adg::{Component, Fabric, FieldKind, HwError, Image, Mux, PeConfig};
use loom_base::stall::Stalls;
use loom_base::Source;
use loom_cosim::BuildOptions;
use loom_cosim::{FabricModel, Loaded};
use loom_dfg::Graph;
use loom_flow::Configured;
use loom_map::Mapping;
use loom_sim::{InputToken, Limits, Stimulus};
use loom_testkit::fabrics::{fabric, instance, root, verilated};

const FABRIC: &str = "configs/mesh-2x2.toml";

/// A kernel on the fabric: its mapping and image.
pub fn kernel(f: &Fabric, name: &str) -> (Graph, Mapping, Image) {
    let path = root().join(format!("kernels/{name}/{name}.dfg.mlir"));
    let source = Source::new(name, std::fs::read_to_string(path).expect("the kernel"));
    let graph = loom_dfg::parse(&source).expect("a good kernel");
    let made = Configured::map(graph, f, &Default::default(), &mut |_, _| {}).expect("it fits");
    (made.kernel.graph, made.mapped.mapping, made.image)
}

fn stimulus(f: &Fabric, mapping: &Mapping, inputs: &[Vec<u64>], results: usize) -> Stimulus {
    let mut s = Stimulus {
        inputs: vec![Vec::new(); f.flat().inputs.len()],
        expected: vec![0; f.flat().outputs.len()],
        gate: None,
    };
    for (tokens, port) in inputs.iter().zip(&mapping.arguments) {
        s.inputs[port.expect("used")] = tokens.iter().map(|&data| InputToken { data, tag: 0 }).collect();
    }
    for &k in &mapping.outputs {
        s.expected[k] = results;
    }
    s
}

fn stalls(seed: u64) -> Stalls {
    Stalls { seed, source_percent: 30, sink_percent: 30 }
}

#[test]
fn a_wrong_length_is_error_16_and_leaves_the_fabric_idle() {
    let f = fabric(FABRIC);
    let built = verilated(&f);
    let mut model = instance(&f, &built);
    let (_, _, image) = kernel(&f, "sum");
    let words = image.words.len();
    let long: Vec<u32> = image.words.iter().copied().chain([0, 0]).collect();
    let cases: [(&str, &[u32], usize); 4] = [
        ("last one word early", &image.words[..words - 1], words - 2),
        ("last on the first word", &image.words[..1], 0),
        ("last one word late", &long[..words + 1], words),
        ("no last at all", &long, usize::MAX),
    ];
    for (what, sent, last) in cases {
        model.reset();
        assert_eq!(model.load_words(sent, last), Loaded::Error(HwError::CfgLength.code(), 0xffff), "{what}");
        // Nothing moves: tokens offered are not taken, and idle is high.
        let mut s =
            Stimulus { inputs: vec![Vec::new(); f.flat().inputs.len()], expected: Vec::new(), gate: None };
        s.inputs[0] = vec![InputToken { data: 1, tag: 0 }];
        let trace = model.run(&s, &Stalls::NONE, &Limits { max_cycles: 50, drain_cycles: 0 });
        assert!(trace.input_times[0].is_empty() && trace.idle, "{what}: {trace:?}");
    }
    model.reset();
    assert_eq!(model.load(&image), Loaded::Done);
}

#[test]
fn another_image_loads_without_a_reset_once_idle() {
    let f = fabric(FABRIC);
    let built = verilated(&f);
    let mut model = instance(&f, &built);
    let sum = kernel(&f, "sum");
    let gate = kernel(&f, "gate");
    let run_sum = |model: &mut FabricModel, seed: u64| {
        assert_eq!(model.load(&sum.2), Loaded::Done);
        let s = stimulus(&f, &sum.1, &[vec![0; 3], vec![1; 3], vec![5, 0, 10], vec![0, 7, 100]], 3);
        let trace = model.run(&s, &stalls(seed), &Limits::default());
        let got: Vec<u64> = trace.outputs[sum.1.outputs[0]].iter().map(|t| t.data).collect();
        assert_eq!(got, [10, 7, 145]);
        assert!(trace.completed && trace.idle && trace.error.is_none());
    };
    run_sum(&mut model, 1);
    assert_eq!(model.load(&gate.2), Loaded::Done);
    let s = stimulus(&f, &gate.1, &[vec![4, 5, 6], vec![1, 1, 0]], 2);
    let trace = model.run(&s, &stalls(2), &Limits::default());
    let values: Vec<u64> = trace.outputs[gate.1.outputs[0]].iter().map(|t| t.data).collect();
    let conds: Vec<u64> = trace.outputs[gate.1.outputs[1]].iter().map(|t| t.data & 1).collect();
    assert_eq!((values, conds), (vec![4, 5], vec![1, 0]));
    assert!(trace.completed && trace.idle);
    run_sum(&mut model, 3);
}

#[test]
fn a_busy_fabric_is_not_loaded() {
    let f = fabric(FABRIC);
    let built = verilated(&f);
    let mut model = instance(&f, &built);
    let (_, mapping, image) = kernel(&f, "carry");
    assert_eq!(model.load(&image), Loaded::Done);
    // A seed without its conditions leaves the carry in its loop.
    let s = stimulus(&f, &mapping, &[vec![], vec![9], vec![]], 1);
    let trace = model.run(&s, &Stalls::NONE, &Limits { max_cycles: 100, drain_cycles: 20 });
    assert!(trace.completed && !trace.idle, "{trace:?}");
    // cfg_ready stays low: the old image goes on, cfg_done never falls, so the load is never taken.
    assert_eq!(model.load(&image), Loaded::Hung);
}

#[test]
fn a_zero_step_stops_its_unit_and_names_it() {
    let f = fabric(FABRIC);
    let built = verilated(&f);
    let mut model = instance(&f, &built);
    let (_, mapping, image) = kernel(&f, "stream");
    assert_eq!(model.load(&image), Loaded::Done);
    // Two good activations, then a zero step; what comes behind it is never taken, so the run is never complete.
    let steps = [&[1, 1, 0][..], &[1; 9]].concat();
    let s = stimulus(&f, &mapping, &[vec![0; 12], steps, vec![2; 12]], 6);
    let limits = Limits { max_cycles: 300, drain_cycles: 0 };
    let mut native = loom_sim::NativeModel::new(&f, &image).unwrap_or_else(|e| panic!("{e}"));
    let want = native.run(&s, &stalls(4), &limits);
    let got = model.run(&s, &stalls(4), &limits);
    let unit = f.unit(mapping.placements[0].component).expect("the stream's PE has configuration");
    assert_eq!(got.error, Some((HwError::RtStreamZeroStep.code(), unit.0 as u16)));
    assert_eq!(want.error, Some((HwError::RtStreamZeroStep, unit)));
    assert_eq!(got.input_times, want.input_times);
    assert_eq!(got.outputs, want.outputs);
    assert_eq!(got.outputs[mapping.outputs[0]].len(), 6);
    // The error stays and no other image is taken: only a reset helps.
    assert_eq!(model.load(&image), Loaded::Hung);
    model.reset();
    assert_eq!(model.load(&image), Loaded::Done);
}

#[test]
fn among_several_errors_the_smallest_code_then_the_smallest_unit() {
    let f = fabric(FABRIC);
    let built = verilated(&f);
    let mut model = instance(&f, &built);
    let mut image = Image::unused(&f);
    let pes: Vec<_> = f.flat().ids().filter(|&id| f.path(id).ends_with(".c0")).collect();
    let switches: Vec<_> = f.flat().ids().filter(|&id| f.path(id).ends_with(".sw")).collect();
    // 18 at the first compute PE, 1 at the switches of the last two tiles.
    let Component::SpatialPe(pe) = f.component(pes[0]) else { panic!("a PE") };
    let mut config = PeConfig {
        opcode: 0,
        inputs: vec![Mux::Disconnect; pe.input_muxes()],
        outputs: vec![Mux::Disconnect; pe.output_demuxes()],
        payload: vec![],
        immediates: vec![],
    };
    config.inputs[..2].fill(Mux::Port(0));
    config.write(&mut image, &f, pes[0]);
    for &sw in &switches[2..] {
        for field in &f.layout().of(sw).fields[..2] {
            assert!(matches!(field.kind, FieldKind::Route { output: 0, .. }));
            image.set(&f, sw, field.kind, 1);
        }
    }
    let unit = f.unit(switches[2]).expect("a unit");
    assert_eq!(model.load(&image), Loaded::Error(HwError::CfgSwitchRouteMix.code(), unit.0 as u16));
    let refusal = loom_sim::NativeModel::new(&f, &image).expect_err("refused");
    assert_eq!(refusal, loom_sim::native::Refusal::Hardware(HwError::CfgSwitchRouteMix, unit));
}

#[test]
fn waves_of_a_run_are_written() {
    let f = fabric(FABRIC);
    let options = BuildOptions { trace: true, optimise: false };
    let built = loom_cosim::verilate(&f, options, &root().join("target/verilated"))
        .unwrap_or_else(|d| panic!("{}", d[0].message));
    let (_, mapping, image) = kernel(&f, "sum");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sum.fst");
    let mut model = instance(&f, &built);
    model.trace(&path, "no room");
    assert_eq!(model.load(&image), Loaded::Done);
    let s = stimulus(&f, &mapping, &[vec![0], vec![1], vec![5], vec![0]], 1);
    let trace = model.run(&s, &Stalls::NONE, &Limits::default());
    // Tracing changes nothing, and the file is whole once the model is gone.
    assert_eq!(trace.outputs[mapping.outputs[0]].iter().map(|t| t.data).collect::<Vec<_>>(), [10]);
    assert!(model.end_trace());
    drop(model);
    let bytes = std::fs::read(&path).expect("the wave file");
    // An FST file opens with a header block: type 0, length 329 in eight bytes; then the first and last time.
    assert_eq!(bytes.get(..9), Some(&[0, 0, 0, 0, 0, 0, 0, 1, 73][..]));
    let last = u64::from_be_bytes(bytes[17..25].try_into().expect("eight bytes"));
    assert!(last / 10 > image.words.len() as u64, "waves end at {last}");
}
