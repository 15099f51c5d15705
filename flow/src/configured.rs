//! A kernel on a fabric: mapped, checked, packed, and decoded again.

use crate::copies::Speed;
use crate::load::Kernel;
use loom_adg::{Fabric, Image};
use loom_base::diag::has_errors;
use loom_base::{Diagnostic, Diagnostics, Source};
use loom_dfg::Graph;
use loom_map::deadlock::{self, Verdict};
use loom_map::{Mapped, Unmapped};
use loom_sim::Case;

/// A kernel on a fabric, with its bitstream.
#[derive(Clone, Debug)]
pub struct Configured {
    /// The kernel.
    pub kernel: Kernel,
    /// The fabric.
    pub fabric: Fabric,
    /// What was placed and routed of it: the mapping's nodes and values are this graph's.
    pub netlist: Graph,
    /// Where everything sits, and what is known of it.
    pub mapped: Mapped,
    /// The bitstream.
    pub image: Image,
}

impl Configured {
    /// Maps a kernel, with [`Kernel::on`] the fabric. `progress` is told what is going on and how far it is (0 to 1).
    pub fn map(
        kernel: impl Into<Kernel>,
        fabric: &Fabric,
        options: &loom_map::MapOptions,
        progress: &mut dyn FnMut(&str, f64),
    ) -> Result<Configured, Diagnostics> {
        Configured::try_map(kernel.into().on(fabric), fabric, options, progress).map_err(|u| u.diagnostics)
    }

    /// As [`Configured::map`], of a kernel that is what it is on the fabric; a failure says how far the mapper came.
    pub fn try_map(
        kernel: Kernel,
        fabric: &Fabric,
        options: &loom_map::MapOptions,
        progress: &mut dyn FnMut(&str, f64),
    ) -> Result<Configured, Unmapped> {
        let mapped = loom_map::try_map(&kernel.graph, fabric, options, &kernel.pins, progress)?;
        Ok(Configured::with_mapping(kernel, fabric, mapped)?)
    }

    /// Takes a mapping of this kernel's graph made before: it must pass the checker, and its bitstream must decode to it.
    pub fn with_mapping(
        kernel: impl Into<Kernel>,
        fabric: &Fabric,
        mapped: Mapped,
    ) -> Result<Configured, Diagnostics> {
        let made = Configured::pack(kernel, fabric, mapped);
        let (graph, mapping) = (made.graph(), &made.mapped.mapping);
        let problems = loom_map::check::check(graph, fabric, mapping);
        if has_errors(&problems) {
            return Err(problems);
        }
        let (decoded, warnings) = loom_gen::decode(fabric, &made.image)?;
        let same = decoded.matches(graph, fabric, mapping);
        if let Some(why) = same.err().or(warnings.first().map(|w| w.message.clone())) {
            let message = format!("the bitstream does not decode to the mapping: {why}");
            return Err(vec![Diagnostic::error(loom_gen::codes::ROUTE_STRAY, message)
                .help("this is a fault of loom: please report it with the kernel and the fabric")]);
        }
        Ok(made)
    }

    /// Packs a mapping for which somebody else answers: nothing is checked.
    pub fn pack(kernel: impl Into<Kernel>, fabric: &Fabric, mapped: Mapped) -> Configured {
        let kernel = kernel.into();
        let image = loom_map::config::image(&kernel.graph, fabric, &mapped.mapping);
        let netlist = mapped.mapping.netlist(&kernel.graph, fabric.index_width());
        Configured { kernel, fabric: fabric.clone(), netlist, mapped, image }
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.kernel.graph
    }

    /// What mappings of one kernel with more and fewer copies of its loops are compared by.
    pub fn speed(&self) -> Speed {
        Speed { ops: self.netlist.nodes.len(), interval: self.mapped.timing.ii }
    }

    /// Reads a case of the kernel.
    pub fn case(&self, source: &Source) -> Result<Case, Diagnostics> {
        Case::read(source, self.graph(), self.fabric.index_width())
    }

    /// Whether the configured fabric can deadlock.
    pub fn certify(&self) -> Verdict {
        let options = deadlock::SearchBudget::default();
        deadlock::certify(self.graph(), &self.fabric, &self.mapped.mapping, &options)
    }
}
