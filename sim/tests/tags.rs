//! What looks at tags: the temporal switch with its arbiters, and the tag components.

use crate::common::*;
use loom_adg::model::*;
use loom_adg::{ChannelType, Component, FieldKind, HwError, Unit};
use loom_base::stall::Stalls;
use loom_sim::{Limits, Offer, Refusal, Stimulus, Stop};

const W32: ChannelType = ChannelType::bits(32);

fn hardware(error: HwError, unit: u32) -> Option<Refusal> {
    Some(Refusal::Hardware(error, Unit(unit)))
}

fn temporal(slots: usize) -> Bench {
    Bench::around(Component::TemporalSw(TemporalSw {
        ty: ChannelType::tagged(16, 2),
        inputs: 3,
        outputs: 2,
        connectivity: vec![vec![true; 3]; 2],
        num_route_table: slots,
    }))
}

#[test]
fn the_arbiter_goes_round_and_holds_its_grant() {
    let bench = temporal(3);
    let mut model = bench
        .model(|s| {
            // Tag 1: input 0 to output 0; tag 2: input 1 to output 0 and input 2 to output 1.
            for (slot, tag, output, input) in [(0, 1, 0, 0), (1, 2, 0, 1), (1, 2, 1, 2), (2, 3, 0, 2)] {
                s.set(0, FieldKind::SlotValid(slot), 1);
                s.set(0, FieldKind::SlotTag(slot), tag);
                s.set(0, FieldKind::SlotRoute { slot, output, input }, 1);
            }
        })
        .unwrap();
    let lists = [tagged(&[(10, 1), (11, 1)]), tagged(&[(20, 2), (21, 2)]), tagged(&[(30, 3), (31, 3)])];
    let stimulus = Stimulus { inputs: lists.to_vec(), expected: vec![6, 0], gate: None };
    let trace = run(&mut model, &stimulus);
    assert!(trace.completed && trace.idle, "{trace:?}");
    assert_eq!(data(&trace)[0], [10, 20, 30, 11, 21, 31]);
    assert_eq!(trace.outputs[0].iter().map(|t| t.tag).collect::<Vec<_>>(), [1, 2, 3, 1, 2, 3]);
    assert_eq!(trace.cycles, 6);
    // A waiting output keeps its token although an input closer to the pointer arrives.
    model.reset();
    let offer = |data, tag| Offer { valid: true, data, tag };
    let none = Offer::default();
    assert_eq!(model.step(&[none, none, offer(30, 3)], &[false, true]).out[0], offer(30, 3));
    assert_eq!(model.step(&[offer(10, 1), none, offer(30, 3)], &[false, true]).out[0], offer(30, 3));
    let ports = model.step(&[offer(10, 1), none, offer(30, 3)], &[true, true]).clone();
    assert_eq!((ports.out[0], ports.in_ready), (offer(30, 3), vec![false, false, true]));
    assert_eq!(model.step(&[offer(10, 1), offer(20, 2), none], &[true, true]).out[0], offer(10, 1));
    for seed in 0..50 {
        let stalls = Stalls { seed, source_percent: 40, sink_percent: 40 };
        let trace = model.run(&stimulus, &stalls, &Limits::default());
        assert!(trace.completed && trace.idle);
        let mut seen = data(&trace)[0].clone();
        seen.sort();
        assert_eq!(seen, [10, 11, 20, 21, 30, 31]);
    }
}

#[test]
fn temporal_switch_errors() {
    let bench = temporal(2);
    let slot = |s: &mut Setup, slot, tag, output, input| {
        s.set(0, FieldKind::SlotValid(slot), 1);
        s.set(0, FieldKind::SlotTag(slot), tag);
        s.set(0, FieldKind::SlotRoute { slot, output, input }, 1);
    };
    let twice = bench.model(|s| {
        slot(s, 0, 1, 0, 0);
        slot(s, 1, 1, 1, 1);
    });
    assert_eq!(twice.err(), hardware(HwError::CfgTemporalSwDupTag, 0));
    let mixed = bench.model(|s| {
        slot(s, 0, 1, 0, 0);
        slot(s, 0, 1, 0, 1);
    });
    assert_eq!(mixed.err(), hardware(HwError::CfgTemporalSwRouteMix, 0));
    for (tag, input, error) in
        [(2, 0, HwError::RtTemporalSwNoMatch), (1, 1, HwError::RtTemporalSwUnroutedInput)]
    {
        let mut model = bench.model(|s| slot(s, 0, 1, 0, 0)).unwrap();
        let mut inputs = vec![vec![]; 3];
        inputs[input] = tagged(&[(5, tag)]);
        let trace = run(&mut model, &Stimulus { inputs, expected: vec![1, 0], gate: None });
        assert_eq!((trace.error, trace.stop), (Some((error, Unit(0))), Stop::Deadlock));
    }
}

#[test]
fn tags_are_added_mapped_and_dropped() {
    let mut bench = Bench::new();
    let add = bench.add(Component::AddTag(AddTag { width: 32, tag: 3 }));
    let map = bench.add(Component::MapTag(MapTag { width: 32, tag_in: 3, tag_out: 5, table_size: 2 }));
    let del = bench.add(Component::DelTag(DelTag { width: 32, tag: 5 }));
    bench.input(W32, add, 0);
    bench.wire((add, 0), (map, 0));
    bench.output(ChannelType::tagged(32, 5), map, 0);
    bench.input(ChannelType::tagged(32, 5), del, 0);
    bench.output(W32, del, 0);
    let entry = |s: &mut Setup, i, from, to| {
        s.set(1, FieldKind::EntryValid(i), 1);
        s.set(1, FieldKind::EntrySource(i), from);
        s.set(1, FieldKind::EntryTarget(i), to);
    };
    let mut model = bench
        .model(|s| {
            s.set(0, FieldKind::Tag, 6);
            entry(s, 0, 1, 9);
            entry(s, 1, 6, 17);
        })
        .unwrap();
    let stimulus =
        Stimulus { inputs: vec![values(&[3, 4]), tagged(&[(8, 30)])], expected: vec![2, 1], gate: None };
    let trace = run(&mut model, &stimulus);
    assert!(trace.completed && trace.idle);
    assert_eq!((data(&trace), trace.outputs[0][1].tag), (vec![vec![3, 4], vec![8]], 17));
    // An entry that is not valid does not count; a miss stops the table with its token before it.
    let mut model = bench
        .model(|s| {
            s.set(1, FieldKind::EntrySource(0), 0);
            entry(s, 1, 6, 17);
        })
        .unwrap();
    let trace = run(&mut model, &stimulus);
    assert_eq!(trace.error, Some((HwError::RtMapTagNoMatch, Unit(1))));
    assert!(trace.input_times[0].is_empty() && trace.outputs[1].len() == 1);
    let twice = bench.model(|s| {
        entry(s, 0, 6, 1);
        entry(s, 1, 6, 2);
    });
    assert_eq!(twice.err(), hardware(HwError::CfgMapTagDupTag, 1));
}
