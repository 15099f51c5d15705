//! The mapping's files.
