//! A decoded image against the mapping it was packed from.

use super::ops;
use super::{Decoded, DecodedRegion, DecodedRoute};
use loom_adg::{Component, Fabric, Mux, SinkPort, SourcePort};
use loom_base::truncate;
use loom_dfg::graph::Use;
use loom_dfg::Graph;
use loom_map::netlist::unit_output;
use loom_map::tech::unit_inputs;
use loom_map::{memory, Mapping, Step};

impl Decoded {
    /// Compares with the mapping the image was packed from: same PEs, muxes, routes, steps and ends. `Err` names the
    /// first difference.
    pub fn matches(&self, graph: &Graph, fabric: &Fabric, mapping: &Mapping) -> Result<(), String> {
        let graph = &mapping.netlist(graph, fabric.index_width());
        self.regions_match(graph, fabric, mapping)?;
        self.pes_match(graph, fabric, mapping)?;
        self.routes_match(graph, fabric, mapping)
    }

    fn regions_match(&self, graph: &Graph, fabric: &Fabric, mapping: &Mapping) -> Result<(), String> {
        let regions = memory::regions(graph, fabric, &memory::accesses(graph, mapping))
            .map_err(|c| format!("the regions conflict: {c:?}"))?;
        let mut wanted: Vec<DecodedRegion> = regions
            .iter()
            .map(|r| DecodedRegion {
                component: r.component,
                region: r.region,
                start: r.start as u64,
                end: r.end as u64,
                offset: r.offset,
                size: r.size.into(),
            })
            .collect();
        wanted.sort_by_key(|r| (r.component, r.region));
        if wanted != self.regions {
            return Err(format!("regions {wanted:?} mapped, {:?} decoded", self.regions));
        }
        Ok(())
    }

    fn pes_match(&self, graph: &Graph, fabric: &Fabric, mapping: &Mapping) -> Result<(), String> {
        let is_access = |n: usize| memory::access(graph.nodes[n].op).is_some();
        let mut placements: Vec<_> =
            mapping.placements.iter().enumerate().filter(|(n, _)| !is_access(*n)).collect();
        placements.sort_by_key(|(_, p)| p.component);
        if placements.len() != self.pes.len() {
            return Err(format!("{} ops placed, {} PEs enabled", placements.len(), self.pes.len()));
        }
        for (&(n, p), (id, config)) in placements.iter().zip(&self.pes) {
            let (node, kind) = (&graph.nodes[n], graph.nodes[n].op.kind());
            let unit = match fabric.component(*id) {
                Component::SpatialPe(pe) => pe.fus.get(p.fu),
                _ => None,
            };
            let Some(unit) = unit else { return Err(format!("component {}: no such unit", id.0)) };
            let mut inputs = vec![Mux::Disconnect; config.inputs.len()];
            let unit_inputs = unit_inputs(graph, node, unit, fabric.index_width());
            for (&port, input) in p.inputs.iter().zip(unit_inputs) {
                match inputs.get_mut(input) {
                    Some(mux) => *mux = Mux::Port(port),
                    None => return Err(format!("component {}: fewer inputs than {kind} has", id.0)),
                }
            }
            let mut outputs = vec![Mux::Disconnect; config.outputs.len()];
            for (result, port) in p.outputs.iter().enumerate() {
                match outputs.get_mut(unit_output(kind, result)) {
                    Some(demux) => *demux = port.map_or(Mux::Discard(0), Mux::Port),
                    None => return Err(format!("component {}: fewer outputs than {kind} has", id.0)),
                }
            }
            let mut immediates = vec![0; config.immediates.len()];
            for (operand, bits) in graph.immediates(node) {
                let width = graph.value(node.operands[operand]).ty.width(fabric.index_width());
                let behind = fabric.component(*id).inputs().len();
                let place = p.inputs[operand].checked_sub(behind).and_then(|i| immediates.get_mut(i));
                match place {
                    Some(place) => *place = truncate(bits, width),
                    None => {
                        return Err(format!(
                            "component {}: no immediate at input {}",
                            id.0, p.inputs[operand]
                        ))
                    }
                }
            }
            let same = p.component == *id
                && p.fu == config.opcode
                && config.inputs == inputs
                && config.outputs == outputs
                && config.immediates == immediates;
            if !same {
                return Err(format!("component {}: placed {p:?}, decoded {config:?}", id.0));
            }
            if unit.body.len() > 1 {
                let wanted = ops::of_node(node, &p.inputs);
                let found = ops::of_bits(unit, config, fabric.index_width());
                if wanted != found {
                    return Err(format!("component {}: {wanted:?} placed, {found:?} decoded", id.0));
                }
            }
        }
        Ok(())
    }

    fn routes_match(&self, graph: &Graph, fabric: &Fabric, mapping: &Mapping) -> Result<(), String> {
        let (uses, lanes) = (graph.uses(), memory::lanes(fabric));
        let sink = |u: &Use| match *u {
            Use::Output(k) => SinkPort::Boundary(mapping.outputs[k]),
            Use::Operand { node, operand } => {
                let p = &mapping.placements[node.0 as usize];
                let is_access = memory::access(graph.nodes[node.0 as usize].op).is_some();
                match lanes.get(&(p.component, p.fu)).filter(|_| is_access) {
                    Some(lane) => fabric.flat().channel(lane.requests[operand]).sink,
                    None => SinkPort::Port(p.component, p.inputs[operand]),
                }
            }
        };
        let mut routes: Vec<_> = mapping.routes.iter().collect();
        routes.sort_by_key(|r| r.source);
        let given: Vec<&DecodedRoute> = (self.routes.iter())
            .filter(|r| !is_wired(fabric, r) || routes.iter().any(|mapped| mapped.source == r.source))
            .collect();
        if routes.len() != given.len() {
            return Err(format!("{} routes mapped, {} decoded", routes.len(), given.len()));
        }
        for (mapped, decoded) in routes.iter().zip(given) {
            let mut sinks: Vec<SinkPort> = uses[mapped.value.0 as usize].iter().map(sink).collect();
            sinks.sort();
            let wanted = DecodedRoute { source: mapped.source, steps: mapped.steps.clone(), sinks };
            if let Some(step) = mapped.steps.iter().find(|step| self.mixed.contains(step)) {
                return Err(format!("value {}: {step:?} does not pass it as it is", mapped.value.0));
            }
            if wanted != *decoded {
                return Err(format!(
                    "value {}: mapped {mapped:?} to {:?}, decoded {decoded:?}",
                    mapped.value.0, wanted.sinks
                ));
            }
        }
        Ok(())
    }
}

/// Whether a route leads from an input of the fabric to its ends whatever the image says; without an argument there it carries nothing.
fn is_wired(fabric: &Fabric, route: &DecodedRoute) -> bool {
    let switched =
        |step: &Step| matches!(step, Step::Switch { .. } | Step::Slot { .. } | Step::MapTag { .. });
    let taken = |sink: &SinkPort| matches!(sink, SinkPort::Port(id, _) if fabric.component(*id).is_pe());
    matches!(route.source, SourcePort::Boundary(_))
        && !route.steps.iter().any(switched)
        && !route.sinks.iter().any(taken)
}
