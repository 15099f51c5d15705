//! The tests of this crate in one binary: what they share is compiled once, and none waits for the file before its own.

mod c_random;
mod compound;
mod deadlock;
mod floats;
mod random;
mod random_fabrics;
mod random_memory;
mod tags;
