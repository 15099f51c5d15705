//! The tests of this crate in one binary: linking costs more than most of them.

mod c_random;
mod compound;
mod deadlock;
mod floats;
mod random;
mod random_fabrics;
mod random_memory;
mod tags;
