//! The native cycle model of a configured fabric, and the case files that say what to run.
//!
//! [`NativeModel`] is written from the hardware contract (docs/hardware.md) and the words of config.bin alone; the
//! Verilog is written from the same page, and co-simulation compares the two cycle by cycle. [`Case`] reads
//! `<case>.toml` (docs/cases.md): tokens, expectations, stalls and budgets.
//!
//! Guarantees: same image, stimulus and stalls give the same trace on any machine; every run ends within its cycle
//! budget and says what still waited. Refuses: boundaries and decomposable switches wider than 64 bits.

pub mod axi;
pub mod case;
pub mod codes;
pub mod native;

pub use case::{argument_memories, Case, Expect, MemoryInit};
pub use native::{
    Limits, NativeModel, Offer, PeActivity, Ports, Refusal, Stimulus, Stop, Token, Trace, Value, Waiting,
};
