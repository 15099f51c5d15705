//! Random meshes as text: crossbar tiles with every parameter, tiles drawn component by component, templates of the library, and memory
//! interfaces whose lanes several tiles have.
//!
//! Guarantees: legal by construction. The ports of a tile's PEs and memories are counted before they are taken, so that its switch
//! has room; all tiles of a mesh have one number of channels.

use super::{body, parts, text};
use loom_adg::model::*;
use loom_base::rng::mix;
use loom_base::Rng;
use std::fmt::Write as _;

/// PEs of the library `mesh32` with their inputs and outputs.
const LIBRARY_PES: [(&str, usize, usize); 7] = [
    ("state", 3, 2),
    ("steer", 3, 2),
    ("branch", 2, 2),
    ("compute", 2, 1),
    ("select", 3, 1),
    ("float", 2, 1),
    ("access", 3, 2),
];
/// Likewise its memory interfaces, with the switch outputs and inputs that they take.
const LIBRARY_MEMORIES: [(&str, usize, usize); 2] = [("port", 3, 3), ("pad", 6, 6)];

/// Draws a mesh; `name` is the fabric's.
pub(super) fn draw(rng: &mut Rng, name: &str) -> String {
    let library = rng.chance(60);
    let index_width = if library { 32 } else { super::index_width(rng) };
    let channels = 1 + rng.below(3);
    let mut adg = super::empty(name, index_width);
    let mut tiles = String::new();
    let kinds = 1 + rng.below(2);
    let mut between = Between::new(name);
    for kind in 0..kinds {
        let tile = format!("tile{kind}");
        if kind > 0 && rng.chance(50) {
            let width = *rng.pick(&[1, 8, 17, 32, 64]);
            let components = 1 + rng.below(4);
            let boundary = body::Boundary::Links(channels, width);
            let inner = body::draw(rng, &mut adg, &format!("t{kind}"), components, &[], boundary);
            let _ = writeln!(tiles, "\n[tile.{tile}]");
            text::body(&mut tiles, &adg, &inner, false);
        } else {
            let mut crossbar = Crossbar::new(rng, channels, library, kind);
            crossbar.fill(rng, &mut adg);
            tiles += &crossbar.text(rng, &tile);
            tiles += &between.lanes(&mut crossbar, kind);
        }
    }
    let templates = if library { "use = [\"mesh32\"]\n" } else { "" };
    let mut out = format!("name = \"{name}\"\nindex_width = {index_width}\n{templates}");
    let (columns, rows) = *rng.pick(&[(1, 1), (1, 1), (2, 1), (1, 2), (2, 1), (3, 1), (2, 2)]);
    let mut kind_at = vec![0; columns * rows];
    let mut mesh = String::from("\n[mesh]\n");
    if kinds == 1 || rng.chance(50) {
        let _ = writeln!(mesh, "columns = {columns}\nrows = {rows}\ntile = \"tile0\"");
        if kinds > 1 {
            let (column, row) = (rng.below(columns), rng.below(rows));
            let _ = writeln!(mesh, "override = [{{ column = {column}, row = {row}, tile = \"tile1\" }}]");
            kind_at[row * columns + column] = 1;
        }
    } else {
        let mut letters: Vec<char> = (0..columns * rows).map(|_| *rng.pick(&['a', 'b'])).collect();
        letters[0] = 'b';
        kind_at = letters.iter().map(|&letter| usize::from(letter == 'b')).collect();
        let rows: Vec<String> =
            letters.chunks(columns).map(|row| format!("\"{}\"", row.iter().collect::<String>())).collect();
        let _ = writeln!(mesh, "layout = [{}]\nlegend = {{ a = \"tile0\", b = \"tile1\" }}", rows.join(", "));
    }
    mesh += &between.reach(channels, columns.min(rows));
    mesh += &between.memories(&mut adg, &kind_at, columns);
    out += &text::definitions_toml(&adg.definitions);
    out + &tiles + &mesh
}

/// Memory interfaces between tiles and links over tiles, drawn by numbers of their own: a mesh without them is what its seed draws anyway.
struct Between {
    rng: Rng,
    /// By kind of tile its lanes for loads and stores.
    lanes: [(usize, usize); 2],
}

impl Between {
    fn new(name: &str) -> Between {
        let seed = name.bytes().fold(1, |seed, byte| mix(seed ^ u64::from(byte)));
        Between { rng: Rng::new(seed), lanes: [(0, 0); 2] }
    }

    /// How far links lead; those of the first channel to the neighbour, so that the fabric has ports.
    fn reach(&mut self, channels: usize, side: usize) -> String {
        if channels == 1 || side == 1 {
            return String::new();
        }
        let far: Vec<String> = (1..channels).map(|_| (1 + self.rng.below(side)).to_string()).collect();
        format!("reach = [1, {}]\n", far.join(", "))
    }

    /// What a tile says of its lanes: of half of the tiles nothing, and of those without room.
    fn lanes(&mut self, crossbar: &mut Crossbar, kind: usize) -> String {
        let (loads, stores) = (self.rng.below(4), self.rng.below(3));
        if loads + stores == 0
            || self.rng.chance(50)
            || !crossbar.take(loads + 2 * stores, 2 * loads + stores)
        {
            return String::new();
        }
        self.lanes[kind] = (loads, stores);
        format!("lanes = {{ loads = {loads}, stores = {stores} }}\n")
    }

    /// An interface for each tile with lanes that does not go on with one of a tile beside it.
    fn memories(&mut self, adg: &mut Adg, kind_at: &[usize], columns: usize) -> String {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for here in (0..kind_at.len()).filter(|&at| self.lanes[kind_at[at]] != (0, 0)) {
            let beside = |&there: &usize| {
                (here % columns).abs_diff(there % columns) + (here / columns).abs_diff(there / columns) == 1
            };
            match groups.iter_mut().find(|group| group.iter().any(beside)) {
                Some(group) if self.rng.chance(75) => group.push(here),
                _ => groups.push(vec![here]),
            }
        }
        let mut list = Vec::new();
        for group in &groups {
            let (loads, stores) = group.iter().fold((0, 0), |(loads, stores), &at| {
                let lanes = self.lanes[kind_at[at]];
                (loads + lanes.0, stores + lanes.1)
            });
            let drawn = parts::memory(&mut self.rng, adg.index_width, true);
            let Component::Memory(drawn) = drawn else { unreachable!("it is a memory") };
            let name = format!("between{}", adg.definitions.len());
            let component = Component::Memory(MemoryInterface { loads, stores, ..drawn });
            adg.definitions.push(Definition { name: name.clone(), component });
            let tiles: Vec<String> =
                group.iter().map(|at| format!("[{}, {}]", at % columns, at / columns)).collect();
            list.push(format!("{{ memory = \"{name}\", tiles = [{}] }}", tiles.join(", ")));
        }
        match list.is_empty() {
            true => String::new(),
            false => format!("memories = [{}]\n", list.join(", ")),
        }
    }
}

/// A crossbar tile while its switch fills up.
struct Crossbar {
    channels: usize,
    turnarounds: usize,
    slacks: usize,
    library: bool,
    kind: usize,
    /// Free inputs and outputs of the switch.
    room: (usize, usize),
    ranks: Vec<Vec<String>>,
    memories: Vec<String>,
    instances: usize,
}

impl Crossbar {
    fn new(rng: &mut Rng, channels: usize, library: bool, kind: usize) -> Crossbar {
        let (turnarounds, slacks) = (rng.below(4), rng.below(3));
        let room = limits::MAX_SWITCH_PORTS - 4 * channels - turnarounds - slacks;
        Crossbar {
            channels,
            turnarounds,
            slacks,
            library,
            kind,
            room: (room, room),
            ranks: Vec::new(),
            memories: Vec::new(),
            instances: 0,
        }
    }

    /// Takes so many outputs and inputs of the switch; whether there was room.
    fn take(&mut self, outputs: usize, inputs: usize) -> bool {
        let fits = inputs <= self.room.0 && outputs <= self.room.1;
        if fits {
            self.room = (self.room.0 - inputs, self.room.1 - outputs);
            self.instances += 1;
        }
        fits
    }

    fn define(&mut self, adg: &mut Adg, component: Component) -> Option<String> {
        if !self.take(component.inputs().len(), component.outputs().len()) {
            return None;
        }
        let name = format!("t{}d{}", self.kind, adg.definitions.len());
        adg.definitions.push(Definition { name: name.clone(), component });
        Some(name)
    }

    fn fill(&mut self, rng: &mut Rng, adg: &mut Adg) {
        for _ in 0..rng.below(3) {
            let definition = if self.library && rng.chance(50) {
                let &(name, outputs, inputs) = rng.pick(&LIBRARY_MEMORIES);
                self.take(outputs, inputs).then(|| name.to_string())
            } else {
                let memory = parts::memory(rng, adg.index_width, true);
                self.define(adg, memory)
            };
            self.memories.extend(definition.map(|d| format!("m{}: {d}", self.instances)));
        }
        let usual = self.library && rng.chance(50);
        for _ in 0..1 + rng.below(4) {
            let mut rank = Vec::new();
            for _ in 0..1 + rng.below(2) {
                let definition = if usual || self.library && rng.chance(60) {
                    let &(name, inputs, outputs) = rng.pick(&LIBRARY_PES);
                    self.take(inputs, outputs).then(|| name.to_string())
                } else {
                    let name = format!("t{}f{}", self.kind, adg.definitions.len());
                    let pe = parts::pe(rng, &name, adg.index_width, Some(5));
                    self.define(adg, Component::SpatialPe(pe))
                };
                rank.extend(definition.map(|d| format!("p{}: {d}", self.instances)));
            }
            self.ranks.push(rank);
        }
    }

    fn text(&self, rng: &mut Rng, name: &str) -> String {
        let list = |items: &[String]| {
            let items: Vec<String> = items.iter().map(|i| format!("\"{i}\"")).collect();
            format!("[{}]", items.join(", "))
        };
        let ranks: Vec<String> = self.ranks.iter().map(|rank| list(rank)).collect();
        let mut out =
            format!("\n[tile.{name}]\nchannels = {}\nranks = [{}]\n", self.channels, ranks.join(", "));
        let _ = writeln!(out, "turnarounds = {}\nslacks = {}", self.turnarounds, self.slacks);
        if !self.memories.is_empty() {
            let _ = writeln!(out, "memories = {}", list(&self.memories));
        }
        if !self.library && rng.chance(70) {
            let _ = writeln!(out, "width = {}", rng.pick(&[1, 8, 16, 32, 33, 64]));
        }
        if rng.chance(20) {
            out.push_str("disjoint = true\n");
        }
        let channels = self.channels as i64;
        for (key, low, high) in [
            ("fc_in", 1, channels),
            ("fc_out", 1, channels),
            ("link_depth", 1, 5),
            ("turnaround_depth", 1, 12),
            ("slack_width", 0, 9),
            ("slack_depth", 1, 70),
            ("lane_depth", 1, 20),
        ] {
            if rng.chance(50) {
                let _ = writeln!(out, "{key} = {}", rng.between(low, high));
            }
        }
        out
    }
}
