//! Steps of routes as `map.json` has them: a form for each kind of component, told apart by the key with its path.

use crate::mapping::Step;
use loom_adg::ComponentId;
use serde::{Deserialize, Serialize};

/// One step.
#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a step is `{switch, input, output}`, `{fifo, bypass}`, `{add_tag, tag}`, `{map_tag, entry, from, to}`, \
                 `{del_tag}` or `{temporal_switch, slot, tag, input, output}`"
)]
pub(super) enum FileStep {
    Switch { switch: String, input: usize, output: usize },
    Fifo { fifo: String, bypass: bool },
    AddTag { add_tag: String, tag: u32 },
    MapTag { map_tag: String, entry: usize, from: u32, to: u32 },
    DelTag { del_tag: String },
    Slot { temporal_switch: String, slot: usize, tag: u32, input: usize, output: usize },
}

impl FileStep {
    /// A step through a component with this path.
    pub fn of(step: Step, path: String) -> FileStep {
        match step {
            Step::Switch { input, output, .. } => FileStep::Switch { switch: path, input, output },
            Step::Fifo { bypass, .. } => FileStep::Fifo { fifo: path, bypass },
            Step::AddTag { tag, .. } => FileStep::AddTag { add_tag: path, tag },
            Step::MapTag { entry, from, to, .. } => FileStep::MapTag { map_tag: path, entry, from, to },
            Step::DelTag { .. } => FileStep::DelTag { del_tag: path },
            Step::Slot { slot, tag, input, output, .. } => {
                FileStep::Slot { temporal_switch: path, slot, tag, input, output }
            }
        }
    }

    /// The path of its component.
    pub fn path(&self) -> &str {
        match self {
            FileStep::Switch { switch: path, .. }
            | FileStep::Fifo { fifo: path, .. }
            | FileStep::AddTag { add_tag: path, .. }
            | FileStep::MapTag { map_tag: path, .. }
            | FileStep::DelTag { del_tag: path }
            | FileStep::Slot { temporal_switch: path, .. } => path,
        }
    }

    /// The step, through this component.
    pub fn step(&self, component: ComponentId) -> Step {
        match *self {
            FileStep::Switch { input, output, .. } => Step::Switch { component, input, output },
            FileStep::Fifo { bypass, .. } => Step::Fifo { component, bypass },
            FileStep::AddTag { tag, .. } => Step::AddTag { component, tag },
            FileStep::MapTag { entry, from, to, .. } => Step::MapTag { component, entry, from, to },
            FileStep::DelTag { .. } => Step::DelTag { component },
            FileStep::Slot { slot, tag, input, output, .. } => {
                Step::Slot { component, slot, tag, input, output }
            }
        }
    }
}
