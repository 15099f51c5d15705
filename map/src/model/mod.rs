//! What is mapped onto what: the netlist, the fabric's sites and channels, and which site may take which op.

pub mod matching;
pub mod memory;
pub mod netlist;
pub mod resources;
pub mod tech;
