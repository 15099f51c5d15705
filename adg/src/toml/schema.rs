//! What each table of a fabric file holds, as serde sees it. Unknown keys are refused; spans are kept where legality
//! may have something to say.

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use toml::Spanned;

/// Tables of components.
pub const COMPONENTS: [&str; 9] =
    ["pe", "switch", "temporal_switch", "fifo", "add_tag", "map_tag", "del_tag", "memory", "extmemory"];

/// Text with its place.
pub type Text = Spanned<String>;

/// `{ count = 3, width = 32 }` or `["bits<32>", "none"]`.
#[derive(Clone, Debug)]
pub enum PortList {
    /// So many of one width.
    Count(Count),
    /// Each with its type.
    List(Vec<Text>),
}

/// `{ count = 3, width = 32 }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    pub count: u16,
    pub width: u32,
}

impl<'de> Deserialize<'de> for PortList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PortList, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = PortList;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`{ count = 3, width = 32 }` or a list of channel types")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PortList, A::Error> {
                Count::deserialize(serde::de::value::MapAccessDeserializer::new(map)).map(PortList::Count)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<PortList, A::Error> {
                let mut types = Vec::new();
                while let Some(t) = seq.next_element()? {
                    types.push(t);
                }
                Ok(PortList::List(types))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// `[fu.NAME]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuTable {
    pub inputs: Vec<Text>,
    pub body: Vec<Text>,
    pub outputs: Option<Vec<Text>>,
    pub latency: Option<i32>,
    pub interval: Option<i32>,
}

/// `[pe.NAME]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeTable {
    pub inputs: Spanned<PortList>,
    pub outputs: Spanned<PortList>,
    #[serde(default)]
    pub output_buffers: bool,
    #[serde(default)]
    pub immediates: usize,
    pub fus: Vec<Text>,
}

/// `[switch.NAME]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SwitchTable {
    pub inputs: Spanned<PortList>,
    pub outputs: Spanned<PortList>,
    pub connectivity: Option<Spanned<Vec<Text>>>,
    pub decomposable_bits: Option<u32>,
}

/// `[temporal_switch.NAME]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemporalSwitchTable {
    #[serde(rename = "type")]
    pub ty: Text,
    pub inputs: u16,
    pub outputs: u16,
    pub connectivity: Option<Spanned<Vec<Text>>>,
    pub slots: u16,
}

/// `[fifo.NAME]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FifoTable {
    #[serde(rename = "type")]
    pub ty: Text,
    pub depth: u32,
    #[serde(default)]
    pub bypassable: bool,
    #[serde(default)]
    pub fall_through: Option<Spanned<bool>>,
}

/// `[add_tag.NAME]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddTagTable {
    pub width: u32,
    pub tag: u32,
}

/// `[map_tag.NAME]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapTagTable {
    pub width: u32,
    pub tag_in: u32,
    pub tag_out: u32,
    pub table_size: u32,
}

/// `[del_tag.NAME]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelTagTable {
    pub width: u32,
    pub tag: u32,
}

/// `[memory.NAME]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryTable {
    pub bytes: u64,
    #[serde(default)]
    pub host: bool,
    pub loads: u16,
    pub stores: u16,
    pub queue: u16,
    pub width: u32,
    #[serde(default)]
    pub tag: u32,
    pub regions: Option<u16>,
}

/// `[extmemory.NAME]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtmemoryTable {
    pub loads: u16,
    pub stores: u16,
    pub queue: u16,
    pub width: u32,
    #[serde(default)]
    pub tag: u32,
    pub regions: Option<u16>,
}

/// `[tile.NAME]`: a crossbar tile (with `ranks`) or an explicit body.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TileTable {
    pub ranks: Option<Vec<Vec<Text>>>,
    pub input_fifos: Option<Spanned<Vec<Text>>>,
    pub input_skids: Option<Spanned<Vec<Text>>>,
    pub memories: Option<Spanned<Vec<Text>>>,
    pub lanes: Option<Spanned<LanesTable>>,
    pub lane_depth: Option<Spanned<u32>>,
    pub width: Option<Spanned<u32>>,
    pub channels: Option<Spanned<u16>>,
    pub disjoint: Option<Spanned<bool>>,
    pub fc_in: Option<Spanned<u16>>,
    pub fc_out: Option<Spanned<u16>>,
    pub link_depth: Option<Spanned<u32>>,
    pub turnarounds: Option<Spanned<u16>>,
    pub turnaround_depth: Option<Spanned<u32>>,
    pub slacks: Option<Spanned<u16>>,
    pub slack_width: Option<Spanned<u32>>,
    pub slack_depth: Option<Spanned<u32>>,
    #[serde(default)]
    pub input: Vec<Spanned<PortTable>>,
    #[serde(default)]
    pub output: Vec<Spanned<PortTable>>,
    #[serde(default)]
    pub instance: Vec<InstanceTable>,
    #[serde(default)]
    pub connect: Vec<ConnectTable>,
}

/// `lanes` of a crossbar tile: those of a memory interface between tiles.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanesTable {
    pub loads: u16,
    pub stores: u16,
}

/// `[[input]]`, `[[output]]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortTable {
    pub name: Option<Text>,
    #[serde(rename = "type")]
    pub ty: Text,
}

/// `[[instance]]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceTable {
    pub name: Text,
    pub of: Text,
    pub position: Option<Spanned<[i32; 2]>>,
}

/// `[[connect]]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectTable {
    pub from: Text,
    pub to: Text,
}

/// `[mesh]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshTable {
    pub columns: Option<u16>,
    pub rows: Option<u16>,
    pub tile: Option<Text>,
    #[serde(default, rename = "override")]
    pub overrides: Vec<OverrideTable>,
    /// One text per row, one letter of the legend per tile; instead of the others.
    pub layout: Option<Spanned<Vec<Text>>>,
    #[serde(default)]
    pub legend: std::collections::BTreeMap<String, Text>,
    #[serde(default)]
    pub memories: Vec<Spanned<MeshMemoryTable>>,
    /// By channel, how many tiles on its links lead.
    #[serde(default)]
    pub reach: Vec<u16>,
}

/// An element of `mesh.memories`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshMemoryTable {
    pub memory: Text,
    pub tiles: Vec<[u16; 2]>,
}

/// An element of `mesh.override`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverrideTable {
    pub column: u16,
    pub row: u16,
    pub tile: Text,
}
