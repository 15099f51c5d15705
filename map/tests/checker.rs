//! The legality checker: it accepts what the mapper returns and rejects each kind of damage under the code that names it.

use crate::common::{graph, kernel, Target};
use loom_adg::{ChannelId, Component, ComponentId, SinkPort, SourcePort};
use loom_base::Code;
use loom_dfg::graph::ValueDef;
use loom_dfg::{Graph, ValueId};
use loom_map::netlist::netlist;
use loom_map::{check, codes, tech, Mapping, Route, Step};
use std::collections::BTreeSet;

/// A legal mapping with its surroundings, for damages to choose from.
struct Scene<'a> {
    fabric: &'a Target,
    source: &'a Graph,
    /// The netlist: what the mapping counts by.
    graph: &'a Graph,
    legal: &'a Mapping,
}

/// A kind of damage: its name, the code it must be reported under, and how it is done; `None` where a mapping offers
/// no place for it.
type Damage = (&'static str, Code, fn(&Scene, &mut Mapping) -> Option<()>);

impl Scene<'_> {
    fn component(&self, id: ComponentId) -> &Component {
        self.fabric.component(id)
    }

    fn first(&self, wanted: fn(&Component) -> bool) -> Option<ComponentId> {
        self.fabric.flat().ids().find(|&id| wanted(self.component(id)))
    }

    /// Where a switch leads, when it connects the two.
    fn leads(&self, switch: ComponentId, input: usize, output: usize) -> Option<ChannelId> {
        match self.component(switch) {
            Component::SpatialSw(sw) if sw.connectivity[output][input] => {
                self.fabric.flat().at(switch).outputs[output]
            }
            _ => None,
        }
    }

    /// (route, step, switch, input, output) of every switch step.
    fn switch_steps(&self) -> Vec<(usize, usize, ComponentId, usize, usize)> {
        let mut list = Vec::new();
        for (r, route) in self.legal.routes.iter().enumerate() {
            for (s, step) in route.steps.iter().enumerate() {
                if let Step::Switch { component, input, output } = *step {
                    list.push((r, s, component, input, output));
                }
            }
        }
        list
    }

    fn outputs_of(&self, switch: ComponentId) -> usize {
        self.fabric.flat().at(switch).outputs.len()
    }

    /// Whether some route takes this switch output.
    fn taken(&self, switch: ComponentId, wanted: usize) -> bool {
        self.switch_steps().iter().any(|&(_, _, id, _, output)| (id, output) == (switch, wanted))
    }

    fn node_with(&self, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        (0..self.graph.nodes.len()).find(|&n| wanted(n))
    }
}

const DAMAGES: &[Damage] = &[
    ("a unit that runs another op", codes::CHECK_UNIT, |s, m| {
        let Component::SpatialPe(pe) = s.component(m.placements[0].component) else { return None };
        let node = s.graph.node_ids().next()?;
        let wrong =
            (0..pe.fus.len()).find(|&f| !tech::fits(s.graph, node, &pe.fus[f], s.fabric.index_width()))?;
        m.placements[0].fu = wrong;
        Some(())
    }),
    ("a unit that is not there", codes::CHECK_RANGE, |_, m| {
        m.placements[0].fu = 99;
        Some(())
    }),
    ("a PE that is not there", codes::CHECK_RANGE, |_, m| {
        m.placements[0].component = ComponentId(1 << 20);
        Some(())
    }),
    ("an op on a switch", codes::CHECK_RANGE, |s, m| {
        m.placements[0].component = s.first(|c| matches!(c, Component::SpatialSw(_)))?;
        Some(())
    }),
    ("an op on a FIFO", codes::CHECK_RANGE, |s, m| {
        m.placements[0].component = s.first(|c| matches!(c, Component::Fifo(_)))?;
        Some(())
    }),
    ("an op without a place", codes::CHECK_RANGE, |_, m| m.placements.pop().map(drop)),
    ("an operand without a port", codes::CHECK_RANGE, |_, m| m.placements[0].inputs.pop().map(drop)),
    ("a PE input that is not there", codes::CHECK_RANGE, |_, m| {
        m.placements[0].inputs[0] = 9;
        Some(())
    }),
    ("a PE output that is not there", codes::CHECK_RANGE, |_, m| {
        m.placements[0].outputs[0] = Some(9);
        Some(())
    }),
    ("a fabric input that is not there", codes::CHECK_RANGE, |_, m| {
        m.arguments[0] = Some(1000);
        Some(())
    }),
    ("a fabric output that is not there", codes::CHECK_RANGE, |_, m| {
        m.outputs[0] = 1000;
        Some(())
    }),
    ("a value that is not there", codes::CHECK_RANGE, |_, m| {
        m.routes[0].value = ValueId(9999);
        Some(())
    }),
    ("two ops on one PE", codes::CHECK_TWICE, |s, m| {
        let definition = |n: usize| s.fabric.flat().at(s.legal.placements[n].component).definition;
        let (a, b) = (0..m.placements.len())
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .find(|&(a, b)| definition(a) == definition(b))?;
        m.placements[a].component = m.placements[b].component;
        Some(())
    }),
    ("two ops changed places", codes::CHECK_ENDS, |s, m| {
        let kind = |n: usize| s.graph.nodes[n].op.kind();
        let (a, b) = (0..m.placements.len())
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .find(|&(a, b)| kind(a) == kind(b))?;
        m.placements.swap(a, b);
        Some(())
    }),
    ("two operands at one PE input", codes::CHECK_TWICE, |s, m| {
        let n = s.node_with(|n| s.graph.nodes[n].operands.len() > 1)?;
        m.placements[n].inputs[1] = m.placements[n].inputs[0];
        Some(())
    }),
    ("two operands changed places", codes::CHECK_ENDS, |s, m| {
        let n = s.node_with(|n| {
            let operands = &s.graph.nodes[n].operands;
            operands.len() > 1 && operands[0] != operands[1]
        })?;
        m.placements[n].inputs.swap(0, 1);
        Some(())
    }),
    ("two results at one PE output", codes::CHECK_TWICE, |s, m| {
        let n = s.node_with(|n| s.legal.placements[n].outputs.iter().flatten().count() > 1)?;
        m.placements[n].outputs[1] = m.placements[n].outputs[0];
        Some(())
    }),
    ("two results changed places", codes::CHECK_ENDS, |s, m| {
        let n = s.node_with(|n| s.legal.placements[n].outputs.iter().flatten().count() > 1)?;
        m.placements[n].outputs.swap(0, 1);
        Some(())
    }),
    ("a used result discarded", codes::CHECK_ENDS, |_, m| {
        m.placements[0].outputs[0] = None;
        Some(())
    }),
    ("an unused result sent out, where nobody takes it", codes::CHECK_ENDS, |s, m| {
        let n = s
            .node_with(|n| s.legal.placements[n].outputs == [None, Some(0)])
            .map(|n| (n, 0, 1))
            .or_else(|| s.node_with(|n| s.legal.placements[n].outputs == [Some(0), None]).map(|n| (n, 1, 1)))
            .or_else(|| s.node_with(|n| s.legal.placements[n].outputs == [None, Some(1)]).map(|n| (n, 0, 0)))
            .or_else(|| s.node_with(|n| s.legal.placements[n].outputs == [Some(1), None]).map(|n| (n, 1, 0)));
        let (n, result, port) = n?;
        m.placements[n].outputs[result] = Some(port);
        Some(())
    }),
    ("a step that leads where nothing is expected", codes::CHECK_ENDS, |s, m| {
        let (r, step) = s.switch_steps().into_iter().find_map(|(r, _, component, input, _)| {
            (0..s.outputs_of(component)).find_map(|output| {
                let to = s.leads(component, input, output)?;
                let end = match s.fabric.flat().channel(to).sink {
                    SinkPort::Boundary(_) => true,
                    SinkPort::Port(id, _) => s.component(id).is_pe(),
                };
                (end && !s.taken(component, output)).then_some((r, Step::Switch { component, input, output }))
            })
        })?;
        m.routes[r].steps.push(step);
        Some(())
    }),
    ("a stray step far from the route", codes::CHECK_STEP, |s, m| {
        let on: BTreeSet<ComponentId> = s.switch_steps().iter().map(|x| x.2).collect();
        let (component, input, output) = s
            .fabric
            .flat()
            .ids()
            .filter(|id| !on.contains(id))
            .find_map(|id| (0..s.outputs_of(id)).find_map(|o| s.leads(id, 0, o).map(|_| (id, 0, o))))?;
        m.routes[0].steps.push(Step::Switch { component, input, output });
        Some(())
    }),
    ("a step through a component that is not there", codes::CHECK_STEP, |_, m| {
        m.routes[0].steps.push(Step::Fifo { component: ComponentId(1 << 20), bypass: false });
        Some(())
    }),
    ("a step to a switch output that is not there", codes::CHECK_STEP, |s, m| {
        let (r, i, component, input, _) = *s.switch_steps().first()?;
        m.routes[r].steps[i] = Step::Switch { component, input, output: 999 };
        Some(())
    }),
    ("a step the switch has no wire for", codes::CHECK_STEP, |s, m| {
        let (r, i, step) = s.switch_steps().into_iter().find_map(|(r, i, component, input, _)| {
            let output = (0..s.outputs_of(component)).find(|&o| s.leads(component, input, o).is_none())?;
            Some((r, i, Step::Switch { component, input, output }))
        })?;
        m.routes[r].steps[i] = step;
        Some(())
    }),
    ("a step that stands twice", codes::CHECK_TWICE, |_, m| {
        let step = m.routes[0].steps[0];
        m.routes[0].steps.push(step);
        Some(())
    }),
    ("two values on one channel", codes::CHECK_TWICE, |s, m| {
        let steps = s.switch_steps();
        let (r, i, step) = steps.iter().find_map(|&(a, _, component, _, output)| {
            let &(b, i, _, input, _) = steps.iter().find(|&&(b, _, id, input, _)| {
                b != a && id == component && s.leads(id, input, output).is_some()
            })?;
            Some((b, i, Step::Switch { component, input, output }))
        })?;
        m.routes[r].steps[i] = step;
        Some(())
    }),
    ("a route that meets itself behind a turn-around", codes::CHECK_TWICE, |s, m| {
        let (r, more) = s.switch_steps().into_iter().find_map(|(r, _, component, input, output)| {
            (0..s.outputs_of(component)).filter(|&around| !s.taken(component, around)).find_map(|around| {
                let SinkPort::Port(fifo, _) =
                    s.fabric.flat().channel(s.leads(component, input, around)?).sink
                else {
                    return None;
                };
                if !matches!(s.component(fifo), Component::Fifo(_)) {
                    return None;
                }
                let SinkPort::Port(back, again) =
                    s.fabric.flat().channel(s.fabric.flat().at(fifo).outputs[0]?).sink
                else {
                    return None;
                };
                (back == component && s.leads(component, again, output).is_some()).then_some((
                    r,
                    [
                        Step::Switch { component, input, output: around },
                        Step::Fifo { component: fifo, bypass: false },
                        Step::Switch { component, input: again, output },
                    ],
                ))
            })
        })?;
        m.routes[r].steps.extend(more);
        Some(())
    }),
    ("a FIFO bypassed that cannot be", codes::CHECK_ENDS, |s, m| {
        let step = m.routes.iter_mut().flat_map(|r| &mut r.steps).find_map(|step| match step {
            Step::Fifo { component, bypass } => match s.component(*component) {
                Component::Fifo(f) if !f.can_pass() => Some(bypass),
                _ => None,
            },
            _ => None,
        })?;
        *step = true;
        Some(())
    }),
    ("a FIFO used and bypassed", codes::CHECK_STEP, |_, m| {
        let (r, component) = m.routes.iter().enumerate().find_map(|(r, route)| {
            route.steps.iter().find_map(|step| match *step {
                Step::Fifo { component, .. } => Some((r, component)),
                _ => None,
            })
        })?;
        m.routes[r].steps.push(Step::Fifo { component, bypass: true });
        Some(())
    }),
    ("a route missing", codes::CHECK_ENDS, |_, m| {
        m.routes.remove(0);
        Some(())
    }),
    ("a route twice", codes::CHECK_TWICE, |_, m| {
        m.routes.push(m.routes[0].clone());
        Some(())
    }),
    ("a route for a value without uses", codes::CHECK_ENDS, |s, m| {
        let uses = s.graph.uses();
        let v = uses.iter().position(|u| u.is_empty())?;
        m.routes.push(Route { value: ValueId(v as u32), source: SourcePort::Boundary(0), steps: Vec::new() });
        Some(())
    }),
    ("another source", codes::CHECK_ENDS, |s, m| {
        let used = |k: usize| s.legal.arguments.contains(&Some(k));
        m.routes[0].source = SourcePort::Boundary((0..s.fabric.flat().inputs.len()).find(|&k| !used(k))?);
        Some(())
    }),
    ("a source that is not there", codes::CHECK_ENDS, |_, m| {
        m.routes[0].source = SourcePort::Boundary(1000);
        Some(())
    }),
    ("the routes of two values changed", codes::CHECK_ENDS, |_, m| {
        let (a, b) = (m.routes[0].value, m.routes[1].value);
        (m.routes[0].value, m.routes[1].value) = (b, a);
        Some(())
    }),
    ("two arguments changed places", codes::CHECK_ENDS, |_, m| {
        m.arguments.swap(0, 1);
        Some(())
    }),
    ("two arguments on one fabric input", codes::CHECK_TWICE, |_, m| {
        m.arguments[0] = m.arguments[1];
        Some(())
    }),
    ("a used argument without a fabric input", codes::CHECK_ENDS, |_, m| {
        m.arguments[0] = None;
        Some(())
    }),
    ("a result at another fabric output", codes::CHECK_ENDS, |s, m| {
        m.outputs[0] = (0..s.fabric.flat().outputs.len()).find(|k| !s.legal.outputs.contains(k))?;
        Some(())
    }),
    ("two results on one fabric output", codes::CHECK_TWICE, |_, m| {
        let first = m.outputs[0];
        *m.outputs.get_mut(1)? = first;
        Some(())
    }),
];

fn found(s: &Scene, m: &Mapping) -> Vec<Code> {
    s.fabric.check(s.source, m).iter().map(|d| d.code).collect()
}

#[test]
fn every_kind_of_damage_is_rejected_under_its_code() {
    let fabric = Target::mesh("4x4");
    let mut done = vec![0; DAMAGES.len()];
    // `sum` and `nested` for the most, `stream` has two results.
    for name in ["sum", "nested", "stream"] {
        let graph = kernel(name);
        let legal = fabric.map(&graph).expect("it fits").mapping;
        let scene = Scene { fabric: &fabric, source: &graph, graph: &netlist(&graph, 32), legal: &legal };
        assert_eq!(found(&scene, &legal), [], "{name}");
        for (&(what, code, damage), done) in DAMAGES.iter().zip(&mut done) {
            let mut mapping = legal.clone();
            if damage(&scene, &mut mapping).is_none() {
                continue;
            }
            let found = found(&scene, &mapping);
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
    let fabric = Target::mesh("4x4");
    for name in ["sum", "nested"] {
        let graph = kernel(name);
        let legal = fabric.map(&graph).expect("it fits").mapping;
        for r in 0..legal.routes.len() {
            for s in 0..legal.routes[r].steps.len() {
                let mut mapping = legal.clone();
                let step = mapping.routes[r].steps.remove(s);
                let problems = check::check(&graph, &fabric, &mapping);
                assert!(problems.iter().any(|d| d.code == codes::CHECK_ENDS), "{name} without {step:?}");
            }
        }
    }
}

#[test]
fn independent_damages_are_reported_together() {
    let fabric = Target::mesh("4x4");
    let graph = kernel("sum");
    let legal = fabric.map(&graph).expect("it fits").mapping;
    let scene = Scene { fabric: &fabric, source: &graph, graph: &netlist(&graph, 32), legal: &legal };
    let mut mapping = legal.clone();
    let wrong = DAMAGES.iter().find(|d| d.1 == codes::CHECK_UNIT).expect("one");
    wrong.2(&scene, &mut mapping).expect("a place");
    mapping.arguments.swap(0, 1);
    mapping.routes.pop();
    let found: BTreeSet<Code> = found(&scene, &mapping).into_iter().collect();
    assert!(found.contains(&codes::CHECK_UNIT) && found.contains(&codes::CHECK_ENDS), "{found:?}");
}

/// One adder behind a switch, all links 16 bits.
const NARROW: &str = r#"
name = "narrow"
input = [{ type = "bits<16>" }, { type = "bits<16>" }]
output = [{ type = "bits<16>" }]
instance = [{ name = "sw", of = "sw" }, { name = "pe", of = "pe" }]
connect = [
  { from = "in0", to = "sw.in0" }, { from = "in1", to = "sw.in1" }, { from = "pe.out0", to = "sw.in2" },
  { from = "sw.out0", to = "out0" }, { from = "sw.out1", to = "pe.in0" }, { from = "sw.out2", to = "pe.in1" },
]
[pe.pe]
inputs = { count = 2, width = 32 }
outputs = { count = 1, width = 32 }
fus = ["arith.addi i32"]
[switch.sw]
inputs = { count = 3, width = 16 }
outputs = { count = 3, width = 16 }
connectivity = ["001", "110", "110"]
"#;

fn add(ty: &str) -> Graph {
    graph(&format!(
        "handshake.func @add(%a: {ty}, %b: {ty}) -> ({ty}) attributes {{resNames = [\"r\"]}} {{\n  \
         %r = arith.addi %a, %b : {ty}\n  return %r : {ty}\n}}\n"
    ))
}

#[test]
fn a_value_wider_than_its_way_is_rejected() {
    let fabric = Target::of_text("narrow.toml", NARROW.into());
    let narrow = add("i16");
    let mapping = fabric.map(&narrow).expect("a narrow sum fits").mapping;
    assert!(fabric.check(&narrow, &mapping).is_empty());
    // The same ops and ways, with values of twice the width.
    let problems = fabric.check(&add("i32"), &mapping);
    assert!(!problems.is_empty());
    assert!(problems.iter().all(|d| d.code == codes::CHECK_WIDTH), "{problems:#?}");
}

#[test]
fn an_argument_nobody_uses_takes_no_port() {
    let fabric = Target::of_text("narrow.toml", NARROW.into());
    let twice = graph(
        "handshake.func @twice(%a: i16, %b: i16) -> (i16) attributes {resNames = [\"r\"]} {\n  \
         %f:2 = fork [2] %a : i16\n  sink %b : i16\n  %r = arith.addi %f#0, %f#1 : i16\n  return %r : i16\n}\n",
    );
    let mapping = fabric.map(&twice).expect("it fits").mapping;
    let unused = twice.arguments.iter().position(|&v| twice.value(v).name == "b").expect("an argument");
    assert!(matches!(twice.value(twice.arguments[unused]).def, ValueDef::Argument(_)));
    assert_eq!(mapping.arguments[unused], None);
    // On a port its tokens would wait before a switch that takes them nowhere.
    let mut damaged = mapping.clone();
    let used = mapping.arguments[1 - unused].expect("the other is used");
    damaged.arguments[unused] = Some(1 - used);
    let problems = fabric.check(&twice, &damaged);
    assert!(problems.iter().any(|d| d.code == codes::CHECK_ENDS), "{problems:#?}");
}
