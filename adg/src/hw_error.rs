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
    /// Two valid regions of a `memory` hold one lane.
    CfgMemoryOverlap = 12,
    /// A valid region of a `memory` whose end is not above its start.
    CfgMemoryEmpty = 13,
    /// Two valid regions of an `extmemory` hold one lane.
    CfgExtmemoryOverlap = 14,
    /// A valid region of an `extmemory` whose end is not above its start.
    CfgExtmemoryEmpty = 15,
    /// `cfg_last` not on the last word, or words missing or left over.
    CfgLength = 16,
    /// Opcode at or above the number of FUs.
    CfgPeOpcode = 17,
    /// A PE mux selects a port the PE does not have, or two muxes select the same port.
    CfgPeMux = 18,
    /// A region whose elements are wider than the memory's words.
    CfgMemoryElementSize = 19,
    /// A temporal switch got a tag that no slot matches.
    RtTemporalSwNoMatch = 257,
    /// `map_tag` got a tag that no entry matches.
    RtMapTagNoMatch = 258,
    /// `dataflow.stream` got a zero step.
    RtStreamZeroStep = 259,
    /// A memory request whose tag is not below the number of lanes.
    RtMemoryTagOob = 260,
    /// A token at a switch input that leads nowhere.
    RtSwitchUnroutedInput = 262,
    /// The same in the matching slot of a temporal switch.
    RtTemporalSwUnroutedInput = 263,
    /// No region of a `memory` holds the lane of a request.
    RtMemoryNoMatch = 264,
    /// No region of an `extmemory` holds the lane of a request.
    RtExtmemoryNoMatch = 265,
    /// An address beyond the end of a memory.
    RtMemoryAddress = 266,
    /// An AXI response that is not OKAY.
    RtAxiResponse = 267,
}

impl HwError {
    /// All of them, by code.
    pub const ALL: [HwError; 24] = [
        HwError::CfgSwitchRouteMix,
        HwError::CfgTemporalSwRouteMix,
        HwError::CfgTemporalSwDupTag,
        HwError::CfgMapTagDupTag,
        HwError::CfgStreamContCondOneHot,
        HwError::CfgCmpiPredicate,
        HwError::CfgMemoryOverlap,
        HwError::CfgMemoryEmpty,
        HwError::CfgExtmemoryOverlap,
        HwError::CfgExtmemoryEmpty,
        HwError::CfgLength,
        HwError::CfgPeOpcode,
        HwError::CfgPeMux,
        HwError::CfgMemoryElementSize,
        HwError::RtTemporalSwNoMatch,
        HwError::RtMapTagNoMatch,
        HwError::RtStreamZeroStep,
        HwError::RtMemoryTagOob,
        HwError::RtSwitchUnroutedInput,
        HwError::RtTemporalSwUnroutedInput,
        HwError::RtMemoryNoMatch,
        HwError::RtExtmemoryNoMatch,
        HwError::RtMemoryAddress,
        HwError::RtAxiResponse,
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
            HwError::CfgMemoryOverlap => "CFG_MEMORY_OVERLAP_TAG_REGION",
            HwError::CfgMemoryEmpty => "CFG_MEMORY_EMPTY_TAG_RANGE",
            HwError::CfgExtmemoryOverlap => "CFG_EXTMEMORY_OVERLAP_TAG_REGION",
            HwError::CfgExtmemoryEmpty => "CFG_EXTMEMORY_EMPTY_TAG_RANGE",
            HwError::CfgLength => "CFG_LENGTH",
            HwError::CfgPeOpcode => "CFG_PE_OPCODE",
            HwError::CfgPeMux => "CFG_PE_MUX",
            HwError::CfgMemoryElementSize => "CFG_MEMORY_ELEMENT_SIZE",
            HwError::RtTemporalSwNoMatch => "RT_TEMPORAL_SW_NO_MATCH",
            HwError::RtMapTagNoMatch => "RT_MAP_TAG_NO_MATCH",
            HwError::RtStreamZeroStep => "RT_DATAFLOW_STREAM_ZERO_STEP",
            HwError::RtMemoryTagOob => "RT_MEMORY_TAG_OOB",
            HwError::RtSwitchUnroutedInput => "RT_SWITCH_UNROUTED_INPUT",
            HwError::RtTemporalSwUnroutedInput => "RT_TEMPORAL_SW_UNROUTED_INPUT",
            HwError::RtMemoryNoMatch => "RT_MEMORY_NO_MATCH",
            HwError::RtExtmemoryNoMatch => "RT_EXTMEMORY_NO_MATCH",
            HwError::RtMemoryAddress => "RT_MEMORY_ADDRESS_OUT_OF_RANGE",
            HwError::RtAxiResponse => "RT_AXI_RESPONSE",
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
