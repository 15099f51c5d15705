//! Mappings of one program that are asked for more than once: what is compiled for speed and for room has functions that are the same
//! for both.

use crate::{Configured, Kernel};
use loom_adg::Fabric;
use loom_base::Diagnostics;
use loom_map::{MapOptions, Mapped};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What came of mapping a graph.
type Entry = Arc<OnceLock<Result<Mapped, Diagnostics>>>;

/// Maps each graph once onto each fabric, with the same options but for [`MapOptions::gives_up_early`] and threads, whoever asks. Who asks
/// while another thread maps it waits for that.
#[derive(Default)]
pub struct MappedOnce {
    known: Mutex<BTreeMap<String, Entry>>,
}

impl MappedOnce {
    /// As [`Configured::map`].
    pub fn map(
        &self,
        kernel: impl Into<Kernel>,
        fabric: &Fabric,
        options: &MapOptions,
        progress: &mut dyn FnMut(&str, f64),
    ) -> Result<Configured, Diagnostics> {
        let kernel = kernel.into().on(fabric);
        let (graph, early) = (loom_dfg::print(&kernel.graph), options.gives_up_early);
        let key = format!("{} {early} {:?} {graph}", fabric.name(), kernel.pins);
        // Whoever panicked left whole entries.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = known.entry(key).or_default().clone();
        drop(known);
        let mapped = entry.get_or_init(|| {
            let mapped = loom_map::try_map(&kernel.graph, fabric, options, &kernel.pins, progress);
            mapped.map_err(|unmapped| unmapped.diagnostics)
        });
        Configured::with_mapping(kernel, fabric, mapped.clone()?)
    }
}
