//! A placement of a netlist.

use super::site::Site;

/// Where everything sits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// By node.
    pub nodes: Vec<Site>,
    /// By argument: fabric input, `None` for one without uses.
    pub arguments: Vec<Option<usize>>,
    /// By result: fabric output.
    pub outputs: Vec<usize>,
}
