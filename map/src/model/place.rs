//! A placement of a netlist.

use loom_adg::ComponentId;

/// Where everything sits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// By node: PE and FU.
    pub nodes: Vec<(ComponentId, usize)>,
    /// By argument: fabric input, `None` for one without uses.
    pub arguments: Vec<Option<usize>>,
    /// By result: fabric output.
    pub outputs: Vec<usize>,
}
