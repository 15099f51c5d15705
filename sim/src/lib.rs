//! The native cycle model of a configured fabric, and the case files that say what to run.
//!
//! [`NativeModel`] is written from the hardware contract (docs/hardware.md) and the words of config.bin alone; the
//! Verilog is written from the same page, and co-simulation compares the two cycle by cycle. [`Case`] reads
//! `<case>.toml` (docs/cases.md): tokens, expectations, stalls and budgets.
//!
//! Guarantees: same image, stimulus and stalls give the same trace on any machine; every run ends within its cycle
//! budget and says what still waited. Refuses: boundaries and decomposable switches wider than 64 bits.
//!
//! ```
//! use loom_adg::{toml, topology, Fabric, Image};
//! use loom_base::{stall::Stalls, Source};
//! use loom_sim::{Limits, NativeModel, Stimulus};
//! let mesh = Source::new("mesh.toml", topology::mesh_toml(2, 2));
//! let fabric = Fabric::new(toml::read(&mesh).expect("a fabric"));
//! let mut model = NativeModel::new(&fabric, &Image::unused(&fabric)).expect("an image that starts");
//! let nothing = Stimulus {
//!     inputs: vec![Vec::new(); fabric.flat().inputs.len()],
//!     expected: vec![0; fabric.flat().outputs.len()],
//!     gate: None,
//! };
//! let trace = model.run(&nothing, &Stalls::NONE, &Limits::default());
//! assert!(trace.completed && trace.idle && trace.leftover.is_empty());
//! ```

pub mod axi;
pub mod case;
pub mod codes;
pub mod native;

pub use case::{argument_memories, Case, Expect, MemoryInit};
pub use native::{
    Boundary, ChannelState, InputToken, Limits, MemoryEvent, MemoryTrack, NativeModel, Offer, OutputToken,
    PeActivity, Recording, Refusal, Stimulus, Stop, Trace, Track, UnitTrack, WaitingChannel, Window,
};
