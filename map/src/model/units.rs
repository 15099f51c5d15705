//! How long what stands at a site takes.

use super::site::{Site, SiteUnit};
use loom_adg::model::FunctionUnit;
use loom_adg::{Component, Fabric};

/// The most cycles that a unit leaves out: no mapping is faster than its bounds, whatever the operands.
fn most_left_out(fu: &FunctionUnit) -> u32 {
    let op = fu.body.first().and_then(|op| op.kind.op().zip(op.results.first()));
    op.map_or(0, |(kind, ty)| kind.most_cycles_left_out(*ty))
}

/// Timing of a unit, or of a memory lane; of operands that take the fewest cycles.
#[derive(Clone, Copy, Debug)]
pub struct UnitTiming {
    /// Cycles from operands to results.
    pub latency: u32,
    /// Cycles between firings.
    pub interval: i64,
    /// Whether output buffers follow.
    pub buffered: bool,
    /// Tokens that may be under way.
    pub depth: i64,
}

impl UnitTiming {
    /// Registers from operands to results.
    pub fn stages(&self) -> u32 {
        self.latency + u32::from(self.buffered)
    }

    /// Timing of what stands at a site: an FU of a PE, or a lane. External memory behind a lane answers after
    /// `memory_latency` cycles, a scratchpad after one.
    pub fn of(fabric: &Fabric, memory_latency: u32, site: Site) -> UnitTiming {
        match (fabric.component(site.component), site.unit) {
            (Component::SpatialPe(pe), SiteUnit::Function(number)) => {
                let fu = &pe.fus[number];
                let (latency, left_out) = (fu.latency.max(0) as u32, most_left_out(fu));
                UnitTiming {
                    latency: latency.saturating_sub(left_out),
                    interval: (i64::from(fu.interval) - i64::from(left_out)).max(1),
                    buffered: pe.buffers(fu),
                    depth: latency.into(),
                }
            }
            (Component::Memory(m), unit) => {
                // Only the queues of a scratchpad's own ports fall through; stores of tagged ports wait in one more.
                let queues = match (m.tag > 0, unit) {
                    (false, _) => u32::from(m.is_external()),
                    (true, SiteUnit::Stores) => 2,
                    (true, _) => 1,
                };
                let latency = queues + if m.is_external() { memory_latency } else { 1 };
                UnitTiming { latency, interval: 1, buffered: false, depth: m.queue as i64 }
            }
            _ => UnitTiming { latency: 0, interval: 1, buffered: false, depth: 0 },
        }
    }
}
