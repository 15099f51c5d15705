//! What a module of a fabric is for, as areas are added up.

use serde::Serialize;

/// What a module is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModuleClass {
    /// Switches, spatial and temporal.
    Switch,
    /// PEs with their function units.
    Pe,
    /// FIFOs and the buffers of links.
    Buffer,
    /// Scratchpads and AXI masters.
    Memory,
    /// Slices of the configuration, and the loader.
    Configuration,
    /// Nodes that collect errors and activity.
    Errors,
    /// Tag components, and gates of tiles and top themselves.
    Rest,
}

impl ModuleClass {
    /// All of them, in the order of tables.
    pub const ALL: [ModuleClass; 7] = [
        ModuleClass::Switch,
        ModuleClass::Pe,
        ModuleClass::Buffer,
        ModuleClass::Memory,
        ModuleClass::Configuration,
        ModuleClass::Errors,
        ModuleClass::Rest,
    ];

    /// The head of its column, and what a step of a path through it is called.
    pub fn name(self) -> &'static str {
        match self {
            ModuleClass::Switch => "switch",
            ModuleClass::Pe => "PE",
            ModuleClass::Buffer => "FIFO",
            ModuleClass::Memory => "memory",
            ModuleClass::Configuration => "configuration",
            ModuleClass::Errors => "errors",
            ModuleClass::Rest => "rest",
        }
    }

    /// The class of a module, by what its name begins with.
    pub fn of(module: &str) -> ModuleClass {
        const BEGINNINGS: [(&str, ModuleClass); 9] = [
            ("loom_spatial_sw_", ModuleClass::Switch),
            ("loom_temporal_sw_", ModuleClass::Switch),
            ("loom_spatial_pe_", ModuleClass::Pe),
            ("loom_fifo_", ModuleClass::Buffer),
            ("loom_elastic_buffer_", ModuleClass::Buffer),
            ("loom_memory_", ModuleClass::Memory),
            ("loom_extmemory_", ModuleClass::Memory),
            ("loom_config_", ModuleClass::Configuration),
            ("loom_error_node_", ModuleClass::Errors),
        ];
        let found = BEGINNINGS.iter().find(|(beginning, _)| module.starts_with(beginning));
        found.map_or(ModuleClass::Rest, |(_, class)| *class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom_adg::Component;
    use loom_hdl::parts;

    /// Whatever stands in a fabric that comes with LOOM, or has every component, is of the class of its kind.
    #[test]
    fn names_of_modules_tell_their_class() {
        for name in ["general-4x4", "mesh-2x2"] {
            let text = loom_flow::load::built_in(name).unwrap_or_else(|| panic!("no fabric {name}"));
            let fabric = loom_flow::load::fabric(&text).expect("a legal fabric");
            for definition in &fabric.adg().definitions {
                let module = parts::component(&definition.component, fabric.index_width());
                let class = match &definition.component {
                    Component::SpatialPe(_) => ModuleClass::Pe,
                    Component::SpatialSw(_) | Component::TemporalSw(_) => ModuleClass::Switch,
                    Component::Fifo(_) => ModuleClass::Buffer,
                    Component::Memory(_) => ModuleClass::Memory,
                    Component::AddTag(_) | Component::MapTag(_) | Component::DelTag(_) => ModuleClass::Rest,
                };
                assert_eq!(ModuleClass::of(&module.name), class, "{}", module.name);
            }
        }
        assert_eq!(ModuleClass::of(&parts::config_slice(1, 3).name), ModuleClass::Configuration);
    }
}
