//! The memory of a mapping as tables: which memory lives in which region, which port of the hardware is which port of a
//! memory node, and what the region tables of the interfaces are set to.
//!
//! All of it follows from the placements. A reader computes the tables again and refuses a file whose own differ.

use crate::codes;
use crate::mapping::Mapping;
use crate::model::memory::{self, access, accesses, interface, STORE};
use loom_adg::layout::FieldKind;
use loom_adg::model::MemoryPort;
use loom_adg::{ComponentId, Fabric};
use loom_base::{Diagnostic, Diagnostics};
use loom_dfg::graph::{Graph, MemoryId};
use loom_dfg::op::Ports;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A region, and the memory that lives there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MemoryRegion {
    interface: String,
    kind: String,
    region: usize,
    memory: String,
    start_lane: usize,
    end_lane: usize,
    element_bytes: u64,
    /// Byte address in a scratchpad; 0 in external memory, for the host to patch.
    addr_offset: u64,
}

/// A port of a memory node, and the port and lane of an interface that it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Port {
    memory: String,
    /// `operand<k>` or `result<k>` of the node.
    node_port: String,
    value: String,
    /// What it carries: `ld_addr st_addr st_data ld_data ld_done st_done`.
    role: String,
    interface: String,
    /// `in<k>` or `out<k>` of the interface.
    interface_port: String,
    lane: usize,
}

/// A row of the region table of an interface that is used: its words in the image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Offset {
    interface: String,
    region: usize,
    valid: u64,
    start_lane: u64,
    end_lane: u64,
    addr_offset: u64,
    elem_size_log2: u64,
    /// Which word of config.bin is `addr_offset`.
    word_index: usize,
}

/// The three tables.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tables {
    pub memory_regions: Vec<MemoryRegion>,
    pub port_table: Vec<Port>,
    pub addr_offset_table: Vec<Offset>,
}

impl Tables {
    /// The tables of a mapping; `graph` as it was given, `net` its netlist.
    pub fn new(graph: &Graph, net: &Graph, fabric: &Fabric, mapping: &Mapping) -> Tables {
        // A mapping that was accepted has regions without conflicts.
        let regions = memory::regions(net, fabric, &accesses(net, mapping)).unwrap_or_default();
        let memory_regions = regions
            .iter()
            .map(|r| MemoryRegion {
                interface: fabric.path(r.component).to_string(),
                kind: fabric.component(r.component).kind_name().into(),
                region: r.region,
                memory: net.memory(r.memory).name.clone(),
                start_lane: r.start,
                end_lane: r.end,
                element_bytes: 1 << r.size,
                addr_offset: r.offset,
            })
            .collect();
        let port_table = graph
            .memory_nodes()
            .flat_map(|(id, _, ports)| node_ports(graph, net, fabric, mapping, id, ports))
            .collect();
        let mut used: Vec<ComponentId> = regions.iter().map(|r| r.component).collect();
        used.dedup();
        let addr_offset_table = used
            .into_iter()
            .flat_map(|id| {
                let count = interface(fabric, id).map_or(0, |m| m.regions);
                (0..count).map(move |region| (id, region))
            })
            .filter_map(|(id, region)| {
                let row = regions.iter().find(|r| (r.component, r.region) == (id, region));
                let get = |f: &dyn Fn(&memory::LaneRegion) -> u64| row.map_or(0, f);
                let field = fabric.layout().of(id).field(FieldKind::RegionOffset(region))?;
                Some(Offset {
                    interface: fabric.path(id).to_string(),
                    region,
                    valid: get(&|_| 1),
                    start_lane: get(&|r| r.start as u64),
                    end_lane: get(&|r| r.end as u64),
                    addr_offset: get(&|r| r.offset),
                    elem_size_log2: get(&|r| r.size.into()),
                    // Fields of regions begin on words.
                    word_index: fabric.layout().slice(id)?.word_offset + (field.low / 32) as usize,
                })
            })
            .collect();
        Tables { memory_regions, port_table, addr_offset_table }
    }

    /// What differs from the tables that a file has.
    pub fn compare(&self, file: &Tables) -> Diagnostics {
        [
            compare("memory_regions", &self.memory_regions, &file.memory_regions),
            compare("port_table", &self.port_table, &file.port_table),
            compare("addr_offset_table", &self.addr_offset_table, &file.addr_offset_table),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// For people; nothing when the kernel has no memory.
    pub fn text(&self) -> String {
        let mut t = String::new();
        if self.memory_regions.is_empty() {
            return t;
        }
        let _ = writeln!(t, "\nmemory regions");
        for r in &self.memory_regions {
            let base = match r.kind.as_str() {
                "extmemory" => "base set by the host".to_string(),
                _ => format!("at {:#x}", r.addr_offset),
            };
            let _ = writeln!(
                t,
                "  {:<12} region {}: {}, lanes {}..{}, elements of {} bytes, {base}",
                r.interface, r.region, r.memory, r.start_lane, r.end_lane, r.element_bytes
            );
        }
        let _ = writeln!(t, "\nmemory ports");
        for p in &self.port_table {
            let _ = writeln!(
                t,
                "  {:<12} {:<5} lane {}: {} of {}, {} %{}",
                p.interface, p.interface_port, p.lane, p.node_port, p.memory, p.role, p.value
            );
        }
        let _ = writeln!(t, "\naddress offsets");
        for o in self.addr_offset_table.iter().filter(|o| o.valid == 1) {
            let _ = writeln!(
                t,
                "  {:<12} region {}: word {} of config.bin, {:#x}",
                o.interface, o.region, o.word_index, o.addr_offset
            );
        }
        t
    }
}

/// The ports of a memory node in its own order: operands, then results. A load or store port of it is one node of the
/// netlist, stores first; they keep their order there.
fn node_ports(
    graph: &Graph,
    net: &Graph,
    fabric: &Fabric,
    mapping: &Mapping,
    memory: MemoryId,
    ports: Ports,
) -> Vec<Port> {
    use MemoryPort::*;
    let placed = net.nodes.iter().zip(&mapping.placements);
    let mine = placed.filter(|(node, _)| access(node.op).is_some_and(|a| a.0 == memory));
    let mut rows: Vec<(bool, usize, Port)> = Vec::new();
    for (i, (node, p)) in mine.enumerate() {
        let stores = ports.stores as usize;
        // (operand?, number at the memory node, number at the netlist's node, role)
        let list = if i < stores {
            vec![
                (true, ports.store_data(i), 0, StoreData),
                (true, ports.store_address(i), 1, StoreAddress),
                (false, ports.store_done(i), 0, StoreDone),
            ]
        } else {
            let i = i - stores;
            vec![
                (true, ports.load_address(i), 0, LoadAddress),
                (false, ports.load_data(i), 0, LoadData),
                (false, ports.load_done(i), 1, LoadDone),
            ]
        };
        for (operand, number, here, role) in list {
            let lane = p.fu % STORE;
            let Some(port) = interface(fabric, p.component).and_then(|m| m.port(role, lane)) else {
                continue;
            };
            let value = if operand { node.operands[here] } else { node.results[here] };
            let (side, hardware) = if operand { ("operand", "in") } else { ("result", "out") };
            let row = Port {
                memory: graph.memory(memory).name.clone(),
                node_port: format!("{side}{number}"),
                value: net.value(value).name.clone(),
                role: role_name(role).into(),
                interface: fabric.path(p.component).to_string(),
                interface_port: format!("{hardware}{port}"),
                lane,
            };
            rows.push((!operand, number, row));
        }
    }
    rows.sort_by_key(|r| (r.0, r.1));
    rows.into_iter().map(|r| r.2).collect()
}

pub(super) fn role_name(role: MemoryPort) -> &'static str {
    match role {
        MemoryPort::LoadAddress => "ld_addr",
        MemoryPort::StoreAddress => "st_addr",
        MemoryPort::StoreData => "st_data",
        MemoryPort::LoadData => "ld_data",
        MemoryPort::LoadDone => "ld_done",
        MemoryPort::StoreDone => "st_done",
    }
}

/// The first row that differs.
fn compare<T: PartialEq + Serialize>(name: &str, wanted: &[T], found: &[T]) -> Option<Diagnostic> {
    let row = (0..wanted.len().max(found.len())).find(|&i| wanted.get(i) != found.get(i))?;
    let show = |list: &[T]| {
        list.get(row).map_or("nothing".into(), |r| serde_json::to_string(r).expect("plain data"))
    };
    let message = format!("row {row} of `{name}` is {}, its placements give {}", show(found), show(wanted));
    Some(
        Diagnostic::error(codes::JSON_TABLE, message)
            .help("tables follow from `ops` and are not edited: map the kernel again, or correct the table"),
    )
}
