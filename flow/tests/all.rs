//! The tests of this crate in one binary: linking costs more than most of them.

mod bounds;
mod c;
mod dry;
mod hints;
mod loops;
mod once;
