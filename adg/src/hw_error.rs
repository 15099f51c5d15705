//! Error codes that the hardware shows on `error_code`; one table for Verilog, native model and documentation.
//!
//! Codes below 256 are configuration errors (they keep the fabric from starting), the others happen at run time
//! (they stop their unit until reset). Ours start at 17 and at 266; the rest are LOOM's.

/// A hardware error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u16)]
pub enum HwError {
    /// An output has two inputs enabled.
    CfgSwitchRouteMix = 1,
    /// The same within one slot of a temporal switch.
    CfgTemporalSwRouteMix = 4,
    /// A tag in two valid slots of a temporal switch.
    CfgTemporalSwDupTag = 5,
    /// A source tag twice in a `map_tag` table.
    CfgMapTagDupTag = 9,
    /// `cont_cond` is not one-hot.
    CfgStreamContCondOneHot = 10,
    /// A compare predicate above 9.
    CfgCmpiPredicate = 11,
    /// `cfg_last` not on the last word, or words missing or left over.
    CfgLength = 16,
    /// Opcode at or above the number of FUs.
    CfgPeOpcode = 17,
    /// A PE mux selects a port the PE does not have, or two muxes select the same port.
    CfgPeMux = 18,
    /// A temporal switch got a tag that no slot matches.
    RtTemporalSwNoMatch = 257,
    /// `map_tag` got a tag that no entry matches.
    RtMapTagNoMatch = 258,
    /// `dataflow.stream` got a zero step.
    RtStreamZeroStep = 259,
    /// A token at a switch input that leads nowhere.
    RtSwitchUnroutedInput = 262,
    /// The same in the matching slot of a temporal switch.
    RtTemporalSwUnroutedInput = 263,
}

impl HwError {
    /// All of them, by code.
    pub const ALL: [HwError; 14] = [
        HwError::CfgSwitchRouteMix,
        HwError::CfgTemporalSwRouteMix,
        HwError::CfgTemporalSwDupTag,
        HwError::CfgMapTagDupTag,
        HwError::CfgStreamContCondOneHot,
        HwError::CfgCmpiPredicate,
        HwError::CfgLength,
        HwError::CfgPeOpcode,
        HwError::CfgPeMux,
        HwError::RtTemporalSwNoMatch,
        HwError::RtMapTagNoMatch,
        HwError::RtStreamZeroStep,
        HwError::RtSwitchUnroutedInput,
        HwError::RtTemporalSwUnroutedInput,
    ];

    /// The number on `error_code`.
    pub fn code(self) -> u16 {
        self as u16
    }

    /// LOOM's name for it.
    pub fn name(self) -> &'static str {
        match self {
            HwError::CfgSwitchRouteMix => "CFG_SWITCH_ROUTE_MIX_INPUTS_TO_SAME_OUTPUT",
            HwError::CfgTemporalSwRouteMix => "CFG_TEMPORAL_SW_ROUTE_SAME_TAG_INPUTS_TO_SAME_OUTPUT",
            HwError::CfgTemporalSwDupTag => "CFG_TEMPORAL_SW_DUP_TAG",
            HwError::CfgMapTagDupTag => "CFG_MAP_TAG_DUP_TAG",
            HwError::CfgStreamContCondOneHot => "CFG_PE_STREAM_CONT_COND_ONEHOT",
            HwError::CfgCmpiPredicate => "CFG_PE_CMPI_PREDICATE_INVALID",
            HwError::CfgLength => "CFG_LENGTH",
            HwError::CfgPeOpcode => "CFG_PE_OPCODE",
            HwError::CfgPeMux => "CFG_PE_MUX",
            HwError::RtTemporalSwNoMatch => "RT_TEMPORAL_SW_NO_MATCH",
            HwError::RtMapTagNoMatch => "RT_MAP_TAG_NO_MATCH",
            HwError::RtStreamZeroStep => "RT_DATAFLOW_STREAM_ZERO_STEP",
            HwError::RtSwitchUnroutedInput => "RT_SWITCH_UNROUTED_INPUT",
            HwError::RtTemporalSwUnroutedInput => "RT_TEMPORAL_SW_UNROUTED_INPUT",
        }
    }

    /// Whether it keeps the fabric from starting, rather than stopping one unit.
    pub fn is_configuration(self) -> bool {
        self.code() < 256
    }

    /// The error of a code.
    pub fn from_code(code: u16) -> Option<HwError> {
        Self::ALL.into_iter().find(|e| e.code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_ascending_and_read_back() {
        assert!(HwError::ALL.windows(2).all(|w| w[0].code() < w[1].code()));
        for e in HwError::ALL {
            assert_eq!(HwError::from_code(e.code()), Some(e));
            assert_eq!(e.is_configuration(), e.name().starts_with("CFG_"));
        }
        assert_eq!(HwError::from_code(0), None);
    }

    #[test]
    fn the_documentation_has_the_table() {
        let path = format!("{}/../docs/bitstream.md", env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(path).expect("docs/bitstream.md");
        for e in HwError::ALL {
            let row = format!("| {} | `{}` |", e.code(), e.name());
            assert!(page.contains(&row), "docs/bitstream.md lacks the row beginning with\n{row}");
        }
        let rows = page.lines().filter(|l| l.contains("| `CFG_") || l.contains("| `RT_")).count();
        assert_eq!(rows, HwError::ALL.len(), "docs/bitstream.md lists an error that does not exist");
    }
}
