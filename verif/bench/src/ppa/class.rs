//! What a module of a fabric is for, as areas are added up.

use loom_adg::cost::area::CostClass;

/// The class of a module, by what its name begins with.
pub fn of_module(module: &str) -> CostClass {
    const BEGINNINGS: [(&str, CostClass); 9] = [
        ("loom_spatial_sw_", CostClass::Switch),
        ("loom_temporal_sw_", CostClass::Switch),
        ("loom_spatial_pe_", CostClass::Pe),
        ("loom_fifo_", CostClass::Buffer),
        ("loom_elastic_buffer_", CostClass::Buffer),
        ("loom_memory_", CostClass::Memory),
        ("loom_extmemory_", CostClass::Memory),
        ("loom_config_", CostClass::Configuration),
        ("loom_error_node_", CostClass::Errors),
    ];
    let found = BEGINNINGS.iter().find(|(beginning, _)| module.starts_with(beginning));
    found.map_or(CostClass::Rest, |(_, class)| *class)
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
                    Component::SpatialPe(_) => CostClass::Pe,
                    Component::SpatialSw(_) | Component::TemporalSw(_) => CostClass::Switch,
                    Component::Fifo(_) => CostClass::Buffer,
                    Component::Memory(_) => CostClass::Memory,
                    Component::AddTag(_) | Component::MapTag(_) | Component::DelTag(_) => CostClass::Rest,
                };
                assert_eq!(of_module(&module.name), class, "{}", module.name);
            }
        }
        assert_eq!(of_module(&parts::config_slice(1, 3).name), CostClass::Configuration);
    }
}
