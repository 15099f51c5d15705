//! A decoded image as text.

use super::ops;
use super::{Decoded, DecodedRegion, DecodedRoute};
use loom_adg::layout::{payload, PayloadKind};
use loom_adg::model::Component;
use loom_adg::{ComponentId, Fabric, Mux, PeConfig};
use loom_dfg::{ContCond, Counter, FloatPredicate, Predicate};
use loom_map::Step;
use std::fmt::Write;

impl Decoded {
    /// The decoded configuration as text: PEs, tag settings, routes.
    pub fn text(&self, fabric: &Fabric) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "fabric {}", fabric.name());
        let _ = writeln!(text, "\nPEs ({})", self.pes.len());
        for (id, config) in &self.pes {
            pe(&mut text, fabric, *id, config);
        }
        if !self.regions.is_empty() {
            let _ = writeln!(text, "\nmemory regions");
            self.regions.iter().for_each(|r| region(&mut text, fabric, r));
        }
        if !self.tags.is_empty() {
            let _ = writeln!(text, "\ntags");
            for (id, settings) in &self.tags {
                let _ = writeln!(text, "  {:<12} {settings}", fabric.path(*id));
            }
        }
        let _ = writeln!(text, "\nroutes ({})", self.routes.len());
        self.routes.iter().for_each(|r| route(&mut text, fabric, r));
        text
    }

    /// What of it is one component's, a line each: the words of [`Decoded::text`], and which input of a switch goes to which output.
    pub fn explain(&self, fabric: &Fabric, id: ComponentId) -> Vec<String> {
        let mut text = String::new();
        for (_, config) in self.pes.iter().filter(|p| p.0 == id) {
            pe(&mut text, fabric, id, config);
        }
        self.regions.iter().filter(|r| r.component == id).for_each(|r| region(&mut text, fabric, r));
        for (_, settings) in self.tags.iter().filter(|t| t.0 == id) {
            let _ = writeln!(text, "{settings}");
        }
        for r in &self.routes {
            for step in &r.steps {
                let _ = match step {
                    Step::Switch { component, input, output } if *component == id => {
                        writeln!(
                            text,
                            "input {input} to output {output}, from {}",
                            fabric.source_name(r.source)
                        )
                    }
                    Step::Fifo { component, bypass } if *component == id => {
                        let how = if *bypass { "bypassed" } else { "in use" };
                        writeln!(text, "{how}, from {}", fabric.source_name(r.source))
                    }
                    Step::Slot { component, slot, input, output, .. } if *component == id => {
                        let from = fabric.source_name(r.source);
                        writeln!(text, "input {input} to output {output} by slot {slot}, from {from}")
                    }
                    _ => Ok(()),
                };
            }
        }
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        text.lines().map(words).collect()
    }
}

fn pe(text: &mut String, fabric: &Fabric, id: ComponentId, config: &PeConfig) {
    let Component::SpatialPe(pe) = fabric.component(id) else { return };
    let fu = &pe.fus[config.opcode];
    // `=5` is an immediate.
    let immediate = |p: usize| p.checked_sub(pe.inputs.len()).and_then(|i| config.immediates.get(i));
    let muxes = |muxes: &[Mux], count: usize, input: bool| {
        let one = |mux: &Mux| match mux {
            Mux::Port(p) if input && *p >= pe.inputs.len() => {
                immediate(*p).map_or(String::new(), |bits| format!("={bits}"))
            }
            Mux::Port(p) => p.to_string(),
            Mux::Discard(_) => "discard".to_string(),
            Mux::Disconnect => "-".to_string(),
        };
        muxes[..count].iter().map(one).collect::<Vec<_>>().join(" ")
    };
    let _ = write!(
        text,
        "  {:<12} {:<20} inputs {:<10} outputs {:<12}",
        fabric.path(id),
        fu.name,
        muxes(&config.inputs, fu.inputs.len(), true),
        muxes(&config.outputs, fu.results.len(), false)
    );
    for (part, &value) in payload(fu, fabric.index_width()).iter().zip(&config.payload) {
        let shown = match part.kind {
            PayloadKind::Literal => format!("literal {value}"),
            PayloadKind::JoinMask => format!("mask {value:#b}"),
            PayloadKind::Predicate => {
                format!("predicate {}", Predicate::from_code(value).map_or("?", Predicate::text))
            }
            PayloadKind::FloatPredicate => {
                format!("predicate {}", FloatPredicate::from_code(value).map_or("?", FloatPredicate::text))
            }
            PayloadKind::ContCond => {
                format!("cont_cond {}", ContCond::from_one_hot(value).map_or("?", ContCond::text))
            }
            PayloadKind::Unsigned if value == 1 => Counter::UNSIGNED.to_string(),
            PayloadKind::Unsigned => continue,
            PayloadKind::Select(_) => format!("mux {value}"),
        };
        let _ = write!(text, " {shown}");
    }
    // What it computes of the PE's inputs; a unit of one op is named after it.
    if let Some(does) = ops::of_bits(fu, config, fabric.index_width()).filter(|_| fu.body.len() > 1) {
        let _ = write!(text, " {does}");
    }
    text.truncate(text.trim_end_matches(' ').len());
    text.push('\n');
}

fn region(text: &mut String, fabric: &Fabric, r: &DecodedRegion) {
    let _ = writeln!(
        text,
        "  {:<12} region {}: lanes {} to {}, offset {:#x}, elements of {} bytes",
        fabric.path(r.component),
        r.region,
        r.start,
        r.end - 1,
        r.offset,
        1u64 << r.size
    );
}

fn route(text: &mut String, fabric: &Fabric, route: &DecodedRoute) {
    let path = |id: ComponentId| fabric.path(id);
    let step = |step: &Step| match step {
        Step::Switch { component, input, output } => format!("{} {input}->{output}", path(*component)),
        Step::Slot { component, slot, tag, input, output } => {
            format!("{} {input}->{output} (slot {slot}, tag {tag})", path(*component))
        }
        step => step.text(path(step.component())),
    };
    let steps: Vec<String> = route.steps.iter().map(step).collect();
    let sinks: Vec<String> = route.sinks.iter().map(|&sink| fabric.sink_name(sink)).collect();
    let ends = if sinks.is_empty() { "nothing".to_string() } else { sinks.join(", ") };
    let _ = writeln!(text, "  {} => {ends}", fabric.source_name(route.source));
    if !steps.is_empty() {
        let _ = writeln!(text, "      by {}", steps.join(", "));
    }
}
