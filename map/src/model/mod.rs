//! What is mapped onto what: the netlist, the fabric's sites and channels, and which site may take which op.

pub mod arch_check;
pub mod bodies;
pub mod casts;
pub mod cover;
pub mod covering;
pub mod first_look;
pub mod fitted;
pub mod hops;
pub mod matching;
pub mod memory;
pub mod netlist;
pub mod pins;
pub mod place;
pub mod problem;
mod reach;
pub mod resources;
pub mod seats;
pub mod site;
pub mod tech;
pub mod tiles;
pub mod units;
