//! Eval.
