//! The tests of this crate in one binary: what they share is compiled once, and none waits for the file before its own.

mod bounds;
mod c;
mod dry;
mod hints;
mod loops;
mod once;
