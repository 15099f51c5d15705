//! Routes through tag components, temporal switches and decomposable switches: what the mapper makes of them, and what the checker
//! refuses.

use crate::common::{graph, kernel, root, Target};
use loom_adg::{Component, ComponentId, FieldKind};
use loom_base::Code;
use loom_map::{arch_check, codes, Mapping, Step};
use std::collections::{BTreeMap, BTreeSet};

fn hub() -> Target {
    let path = root().join("verif/testkit/fabrics/hub.toml");
    Target::of_text("hub.toml", std::fs::read_to_string(path).expect("the test fabric"))
}

/// A slot that a route takes: (route, step, switch, slot, tag).
type Taken = (usize, usize, ComponentId, usize, u32);

/// Every slot of a mapping.
fn slots(m: &Mapping) -> Vec<Taken> {
    let mut list = Vec::new();
    for (r, route) in m.routes.iter().enumerate() {
        for (s, step) in route.steps.iter().enumerate() {
            if let Step::Slot { component, slot, tag, .. } = *step {
                list.push((r, s, component, slot, tag));
            }
        }
    }
    list
}

#[test]
fn the_hub_keeps_the_promises_of_a_problem() {
    let problems = arch_check(&hub());
    assert!(problems.is_empty(), "{:?}", &problems[..problems.len().min(8)]);
}

/// Where tags and slots suffice every value has its own; where not, values have one together, and never more than there are.
#[test]
fn values_are_told_apart_as_far_as_there_are_slots() {
    let fabric = hub();
    let (wide, narrow) = ("wide", "narrow");
    let mut crowded = 0;
    for name in ["sum", "nested", "collatz", "stream_gate_carry"] {
        let graph = kernel(name);
        let m = fabric.map(&graph).expect("it fits").mapping;
        let mut users: BTreeMap<(&str, usize), BTreeSet<usize>> = BTreeMap::new();
        let mut tags: BTreeMap<(&str, usize), BTreeSet<u32>> = BTreeMap::new();
        for (r, _, id, slot, tag) in slots(&m) {
            users.entry((fabric.path(id), slot)).or_default().insert(r);
            tags.entry((fabric.path(id), slot)).or_default().insert(tag);
        }
        assert!(tags.values().all(|t| t.len() == 1), "{name}: {tags:?}");
        let passing =
            |hub: &str| -> usize { users.iter().filter(|u| u.0 .0 == hub).map(|u| u.1.len()).sum() };
        let slots = |hub: &str| users.keys().filter(|u| u.0 == hub).count();
        assert_eq!(slots(wide), passing(wide), "{name}: {users:?}");
        assert_eq!(slots(narrow), passing(narrow).min(3), "{name}: {users:?}");
        crowded += usize::from(passing(narrow) > 3);
    }
    assert!(crowded > 0, "no kernel has more values than slots");
}

#[test]
fn a_mapping_with_tags_is_read_back() {
    let fabric = hub();
    let graph = kernel("sum");
    let mapped = fabric.map(&graph).expect("it fits");
    let text = fabric.json(&graph, &mapped);
    for form in ["add_tag", "map_tag", "del_tag", "temporal_switch"] {
        assert!(text.contains(&format!("\"{form}\": ")), "{form}");
    }
    let read = fabric.read(&graph, &text).unwrap_or_else(|d| panic!("{:?}", d[0].message));
    assert_eq!(read.mapping, mapped.mapping);
}

type Damage = (&'static str, Code, fn(&Target, &mut Mapping) -> Option<()>);

/// Changes a step of a form; whether it is one.
macro_rules! set {
    ($step:expr, $form:pat, $set:stmt) => {
        if let $form = $step {
            $set
            true
        } else {
            false
        }
    };
}

fn change(m: &mut Mapping, change: impl Fn(&mut Step) -> bool) -> Option<()> {
    m.routes.iter_mut().flat_map(|r| &mut r.steps).find_map(|step| change(step).then_some(()))
}

/// Two slots of one temporal switch that belong to two values.
fn two_slots(m: &Mapping) -> Option<[Taken; 2]> {
    let all = slots(m);
    let pairs = all.iter().flat_map(|a| all.iter().map(move |b| [*a, *b]));
    pairs.into_iter().find(|[a, b]| a.0 != b.0 && a.2 == b.2 && a.3 != b.3)
}

const DAMAGES: &[Damage] = &[
    ("another tag from the start", codes::CHECK_TAG, |_, m| {
        change(m, |s| set!(s, Step::AddTag { tag, .. }, *tag ^= 1))
    }),
    ("a tag that does not fit", codes::CHECK_TAG, |_, m| {
        change(m, |s| set!(s, Step::AddTag { tag, .. }, *tag += 16))
    }),
    ("a slot that is not there", codes::CHECK_TAG, |_, m| {
        change(m, |s| set!(s, Step::Slot { slot, .. }, *slot = 12))
    }),
    ("a slot of another tag", codes::CHECK_TAG, |_, m| {
        change(m, |s| set!(s, Step::Slot { tag, .. }, *tag ^= 1))
    }),
    ("a slot with two tags", codes::CHECK_TAG, |_, m| {
        let [a, b] = two_slots(m)?;
        let Step::Slot { slot, .. } = &mut m.routes[a.0].steps[a.1] else { return None };
        *slot = b.3;
        Some(())
    }),
    ("a tag with two slots, which the hardware refuses when it starts", codes::CHECK_TAG, |_, m| {
        // All the way of one value gets the other's tag, and keeps its own slot.
        let [a, b] = two_slots(m)?;
        for step in &mut m.routes[a.0].steps {
            match step {
                Step::AddTag { tag, .. } | Step::Slot { tag, .. } | Step::MapTag { from: tag, .. } => {
                    *tag = b.4
                }
                _ => {}
            }
        }
        Some(())
    }),
    ("a route of a slot that is not there", codes::CHECK_STEP, |_, m| {
        change(m, |s| set!(s, Step::Slot { output, .. }, *output = 99))
    }),
    ("an output that another value has", codes::CHECK_TWICE, |_, m| {
        let [a, b] = two_slots(m)?;
        let Step::Slot { output: wanted, .. } = m.routes[b.0].steps[b.1] else { return None };
        let Step::Slot { output, .. } = &mut m.routes[a.0].steps[a.1] else { return None };
        *output = wanted;
        Some(())
    }),
    ("an output that nobody expects", codes::CHECK_ENDS, |f, m| {
        let taken: Vec<(ComponentId, usize)> = (m.routes.iter().flat_map(|r| &r.steps))
            .filter(|s| matches!(s, Step::Slot { .. }))
            .map(|s| (s.component(), s.ports().1))
            .collect();
        let outputs = |id: ComponentId| f.component(id).outputs().len();
        change(m, |s| match s {
            Step::Slot { component, output, .. } => {
                let free = (0..outputs(*component)).find(|&o| !taken.contains(&(*component, o)));
                free.map(|o| *output = o).is_some()
            }
            _ => false,
        })
    }),
    ("an entry that is not there", codes::CHECK_TAG, |_, m| {
        change(m, |s| set!(s, Step::MapTag { entry, .. }, *entry = 2))
    }),
    ("an entry for another tag", codes::CHECK_TAG, |_, m| {
        change(m, |s| set!(s, Step::MapTag { from, .. }, *from ^= 1))
    }),
    ("an entry with a tag that does not fit", codes::CHECK_TAG, |_, m| {
        change(m, |s| set!(s, Step::MapTag { to, .. }, *to = 2))
    }),
    ("a step of another kind", codes::CHECK_ENDS, |_, m| {
        change(m, |s| match *s {
            Step::DelTag { component } => {
                *s = Step::Fifo { component, bypass: true };
                true
            }
            _ => false,
        })
    }),
    ("a tag given twice", codes::CHECK_STEP, |_, m| {
        let found = m.routes.iter_mut().find_map(|r| {
            let step = r.steps.iter().find(|s| matches!(s, Step::AddTag { .. })).copied()?;
            Some((r, step.component()))
        });
        let (route, component) = found?;
        route.steps.push(Step::AddTag { component, tag: 15 });
        Some(())
    }),
];

#[test]
fn every_kind_of_damage_is_rejected_under_its_code() {
    let fabric = hub();
    let mut done = vec![0; DAMAGES.len()];
    for name in ["sum", "nested", "collatz"] {
        let graph = kernel(name);
        let legal = fabric.map(&graph).expect("it fits").mapping;
        assert!(fabric.check(&graph, &legal).is_empty());
        for (&(what, code, damage), done) in DAMAGES.iter().zip(&mut done) {
            let mut mapping = legal.clone();
            if damage(&fabric, &mut mapping).is_none() {
                continue;
            }
            let found: Vec<Code> = fabric.check(&graph, &mapping).iter().map(|d| d.code).collect();
            assert!(found.contains(&code), "{name}, {what}: {found:?}");
            *done += 1;
        }
    }
    for ((what, _, _), done) in DAMAGES.iter().zip(done) {
        assert!(done > 0, "no kernel offers a place for: {what}");
    }
}

#[test]
fn no_step_can_be_left_out() {
    let fabric = hub();
    let graph = kernel("sum");
    let legal = fabric.map(&graph).expect("it fits").mapping;
    for r in 0..legal.routes.len() {
        for s in 0..legal.routes[r].steps.len() {
            let mut mapping = legal.clone();
            let step = mapping.routes[r].steps.remove(s);
            let problems = fabric.check(&graph, &mapping);
            assert!(problems.iter().any(|d| d.code == codes::CHECK_ENDS), "without {step:?}");
        }
    }
}

/// One tag and one slot for all values is legal as well: each has inputs of its own.
#[test]
fn one_slot_does_for_all() {
    let fabric = hub();
    let graph = kernel("sum");
    let mut m = fabric.map(&graph).expect("it fits").mapping;
    for step in m.routes.iter_mut().flat_map(|r| &mut r.steps) {
        match step {
            Step::AddTag { tag, .. } => *tag = 0,
            Step::MapTag { from, to, .. } => (*from, *to) = (0, 0),
            Step::Slot { slot, tag, .. } => (*slot, *tag) = (0, 0),
            _ => {}
        }
    }
    assert_eq!(fabric.check(&graph, &m).len(), 0);
    // No bit of it is one that the hardware refuses.
    let image = loom_map::config::image(&graph, &fabric, &m);
    for id in fabric.flat().ids().filter(|&id| matches!(fabric.component(id), Component::TemporalSw(_))) {
        assert_eq!(image.get(&fabric, id, FieldKind::SlotValid(0)), 1);
        assert_eq!(image.get(&fabric, id, FieldKind::SlotValid(1)), 0);
    }
}

/// A decomposable switch in front of an adder; so wide are its inputs and its outputs.
fn lanes(inputs: u32, outputs: u32) -> Target {
    let text = format!(
        "name = \"lanes\"\ninput = [{{ type = \"bits<16>\" }}, {{ type = \"bits<16>\" }}]\noutput = [{{ type = \"bits<16>\" }}]\n\
         instance = [{{ name = \"sw\", of = \"sw\" }}, {{ name = \"pe\", of = \"pe\" }}]\n\
         connect = [\n  {{ from = \"in0\", to = \"sw.in0\" }}, {{ from = \"in1\", to = \"sw.in1\" }},\n  \
         {{ from = \"sw.out0\", to = \"pe.in0\" }}, {{ from = \"sw.out1\", to = \"pe.in1\" }}, {{ from = \"pe.out0\", to = \"out0\" }},\n]\n\
         [pe.pe]\ninputs = {{ count = 2, width = 16 }}\noutputs = {{ count = 1, width = 16 }}\nfus = [\"arith.addi i16\"]\n\
         [switch.sw]\ninputs = {{ count = 2, width = {inputs} }}\noutputs = {{ count = 2, width = {outputs} }}\n\
         decomposable_bits = 4\n"
    );
    Target::of_text("lanes.toml", text)
}

/// Lane by lane as they are: every lane of an output has a source (C7), so it takes an input with as many.
#[test]
fn decomposable_switches_pass_whole_values() {
    let add = graph(
        "handshake.func @add(%a: i8, %b: i8) -> (i8) attributes {resNames = [\"r\"]} {\n  \
         %r = arith.addi %a, %b : i8\n  return %r : i8\n}\n",
    );
    for (inputs, outputs, fits) in
        [(16, 16, true), (16, 8, true), (8, 8, true), (8, 16, false), (16, 4, false)]
    {
        let fabric = lanes(inputs, outputs);
        assert_eq!(arch_check(&fabric), Vec::<String>::new());
        match fabric.map(&add) {
            Ok(mapped) => {
                assert!(fits, "{inputs} to {outputs}");
                let image = loom_map::config::image(&add, &fabric, &mapped.mapping);
                let sw = fabric.flat().ids().find(|&id| fabric.path(id) == "sw").expect("the switch");
                let lane = |output_lane, input_lane| {
                    let through =
                        |(output, input)| FieldKind::LaneRoute { output, output_lane, input, input_lane };
                    let pairs = [(0, 0), (0, 1), (1, 0), (1, 1)];
                    pairs.map(through).iter().map(|&kind| image.get(&fabric, sw, kind)).sum::<u64>()
                };
                for own in 0..outputs as usize / 4 {
                    assert_eq!(lane(own, own), 2, "each lane from its own, of each output");
                    assert_eq!(lane(own, (own + 1) % (inputs as usize / 4)), 0);
                }
            }
            Err(refused) => {
                assert!(!fits, "{inputs} to {outputs}: {}", refused[0].message);
                assert_eq!(refused[0].code, codes::UNROUTABLE);
            }
        }
    }
}
