//! The modules whose mutants are tried, each with the checks that judge them: those of `loom_testkit::components`, at one shape.

use loom_adg::model::*;
use loom_base::Rng;
use loom_dfg::{Counter, OpKind, StepOp, Type};
use loom_hdl::ir::Module;
use loom_hdl::{leaf, parts};
use loom_prove::pe_3x2;
use loom_testkit::components::{leaves, loading, memory, pe, switch, tags, temporal};
use std::sync::Arc;

/// Of PEs.
const INDEX_WIDTH: u32 = 8;

/// A check; it panics when the planted module does wrong.
pub type Check = Box<dyn Fn() + Sync>;

/// A module with everything below it.
pub struct Target {
    pub name: &'static str,
    pub top: Arc<Module>,
    pub checks: Vec<Check>,
}

fn each(seeds: u64, check: impl Fn(u64) + Sync + 'static) -> Check {
    Box::new(move || (0..seeds).for_each(&check))
}

fn once(check: impl Fn() + Sync + 'static) -> Check {
    Box::new(check)
}

/// All of them, in the order of the table.
pub fn targets() -> Vec<Target> {
    let mut all = Vec::new();
    let mut add = |name, top: Arc<Module>, checks: Vec<Check>| all.push(Target { name, top, checks });
    let rates = || each(3, leaves::full_rate);
    let held = || once(leaves::what_is_held_is_busy);
    add("carry", leaf::carry(8), vec![each(8, leaves::carry), rates(), held()]);
    add("invariant", leaf::invariant(8), vec![each(8, leaves::invariant), rates(), held()]);
    add("carry_br", leaf::carry_br(8), vec![each(8, leaves::carry_br), rates(), held()]);
    add("invariant_br", leaf::invariant_br(8), vec![each(8, leaves::invariant_br), rates(), held()]);
    let room = once(leaves::a_gate_waits_only_for_the_room_it_needs);
    add("gate", leaf::gate(8), vec![each(8, leaves::gate), rates(), held(), room]);
    for (name, op) in [
        ("stream `+=`", StepOp::Add),
        ("stream `<<=`", StepOp::Shl),
        ("stream `*=`", StepOp::Mul),
        ("stream `/=`", StepOp::Div),
    ] {
        let counter = Counter::signed(op);
        let mut checks = vec![each(10, move |s| leaves::stream(counter, 8, s as u32 % 5, s))];
        checks.push(once(leaves::the_onehot_error_is_set_for_27_of_32_values));
        checks.push(once(leaves::a_zero_step_stops_the_stream_until_reset));
        if op == StepOp::Add {
            checks.push(rates());
        }
        add(name, leaf::stream(8, counter), checks);
    }
    for (name, op) in [
        ("stream `+= unsigned`", StepOp::Add),
        ("stream `>>= unsigned`", StepOp::Shr),
        ("stream `*= unsigned`", StepOp::Mul),
        ("stream `/= unsigned`", StepOp::Div),
    ] {
        let checks = vec![
            each(20, move |s| leaves::stream_of_both(op, 8, (s as u32 / 2) % 5, s)),
            once(leaves::the_onehot_error_is_set_for_27_of_32_values),
            once(leaves::a_zero_step_stops_the_stream_until_reset),
        ];
        add(name, leaf::stream(8, Counter::unsigned(op)), checks);
    }
    for (name, depth, kind, rate) in [
        ("elastic buffer", 2, FifoKind::Registered, 1),
        ("fifo of 1", 1, FifoKind::Registered, 2),
        ("fifo of 5", 5, FifoKind::Registered, 1),
        ("fifo of 4, bypassable", 4, FifoKind::Bypassable, 1),
        ("fifo of 2, fall-through", 2, FifoKind::FallThrough, 1),
    ] {
        let m = leaf::fifo(8, 0, depth, kind);
        let of = m.clone();
        let mut checks = vec![once(move || leaves::buffer(&of, depth as usize, rate))];
        match kind {
            FifoKind::Registered => {}
            FifoKind::Bypassable => checks.push(once(leaves::a_bypassed_fifo_is_a_wire)),
            FifoKind::FallThrough => {
                checks.push(once(leaves::a_token_falls_through_an_empty_fifo_and_ready_waits_for_nothing));
            }
        }
        add(name, m, checks);
    }
    add(
        "fork",
        leaf::eager_fork(8, 3),
        vec![once(leaves::an_eager_fork_gives_each_output_each_token_once), held()],
    );
    components(&mut all);
    units(&mut all);
    memories(&mut all);
    all
}

fn components(all: &mut Vec<Target>) {
    let mut add = |name, c: &Component, checks: Vec<Check>| {
        all.push(Target { name, top: parts::component(c, 32), checks });
    };
    add(
        "add_tag",
        &Component::AddTag(AddTag { width: 8, tag: 4 }),
        vec![once(tags::tags_are_added_and_dropped)],
    );
    add(
        "del_tag",
        &Component::DelTag(DelTag { width: 8, tag: 4 }),
        vec![once(tags::tags_are_added_and_dropped)],
    );
    let map = MapTag { width: 8, tag_in: 3, tag_out: 5, table_size: 3 };
    add("map_tag", &Component::MapTag(map), vec![once(tags::tags_are_mapped)]);
    let ty = ChannelType::bits(8);
    let sw = SpatialSw {
        inputs: vec![ty; 3],
        outputs: vec![ty; 3],
        connectivity: vec![vec![true; 3]; 3],
        decomposable_bits: None,
    };
    let (a, b) = (sw.clone(), sw.clone());
    add(
        "spatial_sw",
        &Component::SpatialSw(sw.clone()),
        vec![
            each(20, move |s| {
                switch::routed(a.clone(), &mut Rng::new(s), s);
            }),
            each(60, move |s| switch::routed_twice(b.clone(), &mut Rng::new(s), s)),
        ],
    );
    let sw = SpatialSw { decomposable_bits: Some(4), ..sw };
    let a = sw.clone();
    add(
        "spatial_sw of lanes",
        &Component::SpatialSw(sw),
        vec![
            each(30, move |s| {
                switch::joined(a.clone(), &mut Rng::new(s), s);
            }),
            once(switch::two_routes_of_a_lane_are_error_1),
        ],
    );
    let sw = TemporalSw {
        ty: ChannelType::tagged(16, 3),
        inputs: 3,
        outputs: 2,
        connectivity: vec![vec![true; 3]; 2],
        num_route_table: 3,
    };
    let (a, b) = (sw.clone(), sw.clone());
    add(
        "temporal_sw",
        &Component::TemporalSw(sw),
        vec![
            each(30, move |s| {
                temporal::routed(a.clone(), &mut Rng::new(s), s);
            }),
            each(60, move |s| temporal::static_error(b.clone(), &mut Rng::new(s), s)),
        ],
    );
    let loading = || {
        vec![
            once(loading::an_image_lands_in_its_slices),
            once(loading::bits_stand_before_errors_are_judged),
            once(loading::a_wrong_length_is_error_16_and_stops_for_good),
            once(loading::a_wrong_length_of_a_second_image_counts_too),
            once(loading::no_word_is_taken_while_it_settles),
            once(loading::a_configuration_error_keeps_it_from_starting),
            once(loading::the_first_error_stays_and_the_smallest_of_a_cycle_wins),
            once(loading::idle_follows_activity_and_inputs),
            once(loading::a_slice_shifts_by_valid_words_only),
            once(loading::a_node_shows_the_smallest_code_of_the_cycle_before),
        ]
    };
    let loader = parts::config_loader(loading::WORDS, loading::SLICES.len(), loading::DEPTH);
    all.push(Target { name: "configuration loader", top: loader, checks: loading() });
    all.push(Target { name: "configuration slice", top: parts::config_slice(3, 70), checks: loading() });
    all.push(Target { name: "error node", top: parts::error_node(2, 2), checks: loading() });
}

/// PEs with a unit of each class; the first has several, for the shell.
fn units(all: &mut Vec<Target>) {
    let (t, c, x) = (Type::Int(8), Type::I1, Type::Index);
    let one = |kind: OpKind, operands: &[Type], results: &[Type]| {
        FunctionUnit::single(kind.mnemonic(), kind, operands, results)
    };
    let several = vec![
        one(OpKind::Addi, &[t, t], &[t]),
        one(OpKind::CondBr, &[c, t], &[t, t]),
        one(OpKind::Constant, &[Type::None], &[t]),
    ];
    let kept = vec![one(OpKind::CondBr, &[c, t], &[t, t]), one(OpKind::Invariant, &[c, t], &[t])];
    let cases: Vec<(&'static str, Vec<FunctionUnit>, bool)> = vec![
        ("PE of three units", several, false),
        ("PE, branch and invariant", kept, false),
        ("PE with buffers, gate", vec![one(OpKind::Gate, &[t, c], &[t, c])], true),
        ("PE, carry", vec![one(OpKind::Carry, &[c, t, t], &[t])], true),
        ("PE, stream", vec![one(OpKind::Stream(Counter::unsigned(StepOp::Add)), &[x, x, x], &[x, c])], true),
        ("PE, join", vec![one(OpKind::Join(3), &[t, t, t], &[Type::None])], false),
        ("PE, mux", vec![one(OpKind::Mux(2), &[c, t, t], &[t])], false),
        ("PE, load", vec![one(OpKind::Load, &[t, t, Type::None], &[t, t])], false),
        ("PE, cmpi", vec![one(OpKind::Cmpi, &[t, t], &[c])], false),
        ("PE, pipeline", vec![pe::compound(2, 1, true)], false),
        ("PE, interval", vec![pe::compound(3, 3, true)], false),
        ("PE, muxes in a body", vec![pe::selectable(0, 1, true)], false),
    ];
    for (name, fus, buffers) in cases {
        let width = if fus[0].body.len() > 1 { 16 } else { 8 };
        let spec = SpatialPe { output_buffers: buffers, ..pe_3x2(width, fus) };
        let top = parts::spatial_pe(&spec, INDEX_WIDTH);
        let wrong = spec.clone();
        let checks = vec![
            each(120, move |s| {
                pe::run(&spec, INDEX_WIDTH, s as usize % spec.fus.len(), s, 150);
            }),
            each(150, move |s| {
                pe::wrong_setting(&wrong, INDEX_WIDTH, s);
            }),
        ];
        all.push(Target { name, top, checks });
    }
}

fn memories(all: &mut Vec<Target>) {
    // A region for each lane.
    let lanes = |store, lanes, tag| {
        let (loads, stores, regions) = (lanes, lanes, lanes);
        MemoryInterface { store, loads, stores, queue: 2, width: 16, address: 32, tag, regions }
    };
    let scratchpad = Backing::Scratchpad { bytes: 16, host: true };
    for (name, spec) in [
        ("scratchpad", lanes(scratchpad, 1, 0)),
        ("scratchpad, lanes", lanes(scratchpad, 2, 0)),
        ("scratchpad, tagged", lanes(scratchpad, 2, 1)),
        ("AXI", lanes(Backing::External, 1, 0)),
        ("AXI, lanes", lanes(Backing::External, 2, 0)),
        ("AXI, tagged", lanes(Backing::External, 2, 1)),
    ] {
        let run = move |seed: u64, stray: memory::Strays, holes| {
            let mut rng = Rng::new(seed);
            let regions = memory::random_regions(&mut rng, &spec, holes);
            memory::run(seed, spec, regions, stray, 200);
        };
        let stray = |seed: u64| memory::Strays {
            lane: [0, 2, 20][seed as usize % 3],
            address: [0, 1, 10][seed as usize / 3 % 3],
            response: [0, 0, 2][seed as usize / 2 % 3],
        };
        let checks = vec![
            each(12, move |s| run(s, memory::Strays::default(), false)),
            // Holes meet strays of each kind: else nobody asks for a lane without a region.
            each(24, move |s| run(s, stray(s), s % 4 == 1)),
            each(80, move |s| {
                memory::static_error(spec, &mut Rng::new(s), s);
            }),
        ];
        all.push(Target { name, top: parts::memory(&spec), checks });
    }
}
