//! The text of the default fabrics.

use std::fmt::Write as _;

/// Letter of the default mesh's tile at a place: memory along the west edge, then control and compute tiles in turns.
fn default_tile(columns: usize, rows: usize, column: usize, row: usize) -> char {
    let (east, south) = (column + 1 == columns, row + 1 == rows);
    let large = columns >= 4 && rows >= 4;
    match (column, row) {
        (0, _) if large => 'm',
        _ if large && east && south => 's',
        _ if large && east && row == 0 => 't',
        (1, 0) if large => 'k',
        (0, 0) if !large => 'k',
        (2, 1) if large => 'a',
        _ if (column + row) % 2 == 1 => 'c',
        _ => 'x',
    }
}

/// The TOML text of the default fabric `mesh-<columns>x<rows>`, as `configs/` has it.
pub fn mesh_toml(columns: usize, rows: usize) -> String {
    mesh_toml_of(columns, rows, 32)
}

/// The same for data of 32 or 64 bits; the latter is called `mesh-<columns>x<rows>-w64`.
pub fn mesh_toml_of(columns: usize, rows: usize, width: u32) -> String {
    let suffix = if width == 32 { String::new() } else { format!("-w{width}") };
    let mut layout = Vec::new();
    for row in 0..rows {
        layout.push((0..columns).map(|c| default_tile(columns, rows, c, row)).collect::<String>());
    }
    let used = |tile: &DefaultTile| layout.iter().any(|row| row.contains(tile.letter));
    let tiles: Vec<&DefaultTile> = DEFAULT_TILES.iter().filter(|t| used(t)).collect();
    let mut text = format!(
        "# A {columns} by {rows} mesh of crossbar tiles. docs/fabric.md explains every table.\n\
         name = \"mesh-{columns}x{rows}{suffix}\"\n"
    );
    for part in DEFAULT_PARTS.iter().filter(|p| tiles.iter().any(|t| t.text.contains(p.key))) {
        text.push('\n');
        text.push_str(&if width == 32 { part.text.to_string() } else { widen(part.text) });
    }
    for tile in &tiles {
        let _ = write!(text, "\n{}", tile.text.replace("channels = 2", &links(width)));
    }
    text.push_str("\n[mesh]\nlayout = [\n");
    for row in layout.iter() {
        let _ = writeln!(text, "  \"{row}\",");
    }
    let legend: Vec<String> = tiles.iter().map(|t| format!("{} = \"{}\"", t.letter, t.name)).collect();
    let _ = write!(text, "]\nlegend = {{ {} }}\n", legend.join(", "));
    text
}

fn links(width: u32) -> String {
    if width == 32 {
        "channels = 2".into()
    } else {
        format!("width = {width}\nchannels = 2")
    }
}

/// A part of a default fabric for 64-bit data: wider ports, and every unit for both widths where they differ.
fn widen(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let line = line.replace("width = 32", "width = 64");
        let mut units: Vec<String> = Vec::new();
        let quoted: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
        if !line.trim_start().starts_with('"') && !line.trim_start().starts_with("fus = [\"") {
            out.push_str(&line);
            out.push('\n');
            continue;
        }
        for unit in quoted {
            let words: Vec<&str> = unit.split_whitespace().collect();
            match words.as_slice() {
                [name, "32"] => units.push(format!("{name} 64")),
                [name, n, "32"] => units.push(format!("{name} {n} 64")),
                // Low bits of a wider unit serve narrower values, but for what looks at the sign, the upper bits or an
                // amount.
                [name, "i32"] => {
                    let low = ["addi", "subi", "muli", "andi", "ori", "xori"];
                    if !low.iter().any(|op| name.ends_with(op)) {
                        units.push(unit.to_string());
                    }
                    units.push(format!("{name} i64"));
                }
                [name, "f32"] => units.extend([unit.to_string(), format!("{name} f64")]),
                [name, from, "to", to] => {
                    units.push(unit.to_string());
                    match (*from, *to) {
                        ("i32", "index") => units.push(format!("{name} i64 to index")),
                        ("index", "i32") => units.push(format!("{name} index to i64")),
                        (narrow, "i32") => units.push(format!("{name} {narrow} to i64")),
                        ("i32", narrow) => units.push(format!("{name} i64 to {narrow}")),
                        _ => {}
                    }
                    if *from == "i16" && *to == "i32" {
                        units.push(format!("{name} i32 to i64"));
                    }
                    if *from == "i32" && *to == "i16" {
                        units.push(format!("{name} i64 to i32"));
                    }
                }
                _ => units.push(unit.to_string()),
            }
        }
        let units: Vec<String> = units.iter().map(|u| format!("\"{u}\"")).collect();
        if line.trim_start().starts_with("fus") {
            let _ = writeln!(out, "fus = [{}]", units.join(", "));
        } else {
            let _ = writeln!(out, "  {},", units.join(", "));
        }
    }
    out
}

/// A component of the default fabrics: written when a tile's text names `key`.
struct DefaultPart {
    key: &'static str,
    text: &'static str,
}

/// A tile of the default fabrics.
struct DefaultTile {
    letter: char,
    name: &'static str,
    text: &'static str,
}

/// Ports of PEs are few because a switch has at most 32 of each kind: units of two operands have PEs of two inputs.
const DEFAULT_PARTS: &[DefaultPart] = &[
    DefaultPart {
        key: ": state\"",
        text: r#"# State machines of loops. Two-entry output buffers cut valid, data and ready.
[pe.state]
inputs = { count = 3, width = 32 }
outputs = { count = 2, width = 32 }
output_buffers = true
fus = ["dataflow.stream +=", "dataflow.gate 32", "dataflow.carry 32", "dataflow.invariant 32"]
"#,
    },
    DefaultPart {
        key: ": state_steps\"",
        text: r#"# The same with all six step ops.
[pe.state_steps]
inputs = { count = 3, width = 32 }
outputs = { count = 2, width = 32 }
output_buffers = true
fus = [
  "dataflow.stream +=", "dataflow.gate 32", "dataflow.carry 32", "dataflow.invariant 32",
  "dataflow.stream -=", "dataflow.stream *=", "dataflow.stream /=", "dataflow.stream <<=", "dataflow.stream >>=",
]
"#,
    },
    DefaultPart {
        key: ": steer\"",
        text: r#"# Moves tokens by value or presence.
[pe.steer]
inputs = { count = 3, width = 32 }
outputs = { count = 2, width = 32 }
fus = ["handshake.cond_br 32", "handshake.mux 32", "handshake.join 3 32", "handshake.constant 32"]
"#,
    },
    DefaultPart {
        key: ": branch\"",
        text: r#"# The same without what needs three inputs.
[pe.branch]
inputs = { count = 2, width = 32 }
outputs = { count = 2, width = 32 }
fus = ["handshake.cond_br 32", "handshake.join 2 32", "handshake.constant 32"]
"#,
    },
    DefaultPart {
        key: ": compute\"",
        text: r#"# Arithmetic of two operands, one cycle from buffer to buffer.
[pe.compute]
inputs = { count = 2, width = 32 }
outputs = { count = 1, width = 32 }
fus = [
  "arith.addi i32", "arith.subi i32", "arith.muli i32", "arith.andi i32", "arith.ori i32", "arith.xori i32",
  "arith.cmpi i32", "arith.shli i32", "arith.shrsi i32", "arith.shrui i32",
  "arith.extsi i1 to i32", "arith.extsi i8 to i32", "arith.extsi i16 to i32",
  "arith.extui i1 to i32", "arith.extui i8 to i32", "arith.extui i16 to i32",
  "arith.trunci i32 to i1", "arith.trunci i32 to i8", "arith.trunci i32 to i16",
  "arith.index_cast i32 to index", "arith.index_cast index to i32",
]
"#,
    },
    DefaultPart {
        key: ": select\"",
        text: r#"# The same and what takes three.
[pe.select]
inputs = { count = 3, width = 32 }
outputs = { count = 1, width = 32 }
fus = [
  "arith.select 32",
  "arith.addi i32", "arith.subi i32", "arith.muli i32", "arith.andi i32", "arith.ori i32", "arith.xori i32",
  "arith.cmpi i32", "arith.shli i32", "arith.shrsi i32", "arith.shrui i32",
  "arith.extsi i1 to i32", "arith.extsi i8 to i32", "arith.extsi i16 to i32",
  "arith.extui i1 to i32", "arith.extui i8 to i32", "arith.extui i16 to i32",
  "arith.trunci i32 to i1", "arith.trunci i32 to i8", "arith.trunci i32 to i16",
  "arith.index_cast i32 to index", "arith.index_cast index to i32",
]
"#,
    },
    DefaultPart {
        key: ": divide\"",
        text: r#"# Division bit by bit, and what a program needs now and then.
[pe.divide]
inputs = { count = 2, width = 32 }
outputs = { count = 1, width = 32 }
fus = [
  "arith.divsi i32", "arith.divui i32", "arith.remsi i32", "arith.remui i32",
  "arith.ceildivsi i32", "arith.floordivsi i32", "arith.ceildivui i32",
]
"#,
    },
    DefaultPart {
        key: ": rare\"",
        text: r#"[pe.rare]
inputs = { count = 2, width = 32 }
outputs = { count = 1, width = 32 }
fus = [
  "arith.maxsi i32", "arith.maxui i32", "arith.minsi i32", "arith.minui i32",
  "math.absi i32", "math.ctlz i32", "math.cttz i32", "math.ctpop i32", "llvm.intr.bitreverse i32",
  "arith.index_castui i32 to index",
]
"#,
    },
    DefaultPart {
        key: ": float\"",
        text: r#"# Floating point, one cycle from buffer to buffer.
[pe.float]
inputs = { count = 2, width = 32 }
outputs = { count = 1, width = 32 }
fus = [
  "arith.addf f32", "arith.subf f32", "arith.mulf f32", "arith.cmpf f32",
  "arith.maximumf f32", "arith.minimumf f32", "arith.negf f32", "math.absf f32",
  "arith.sitofp i32 to f32", "arith.fptosi f32 to i32",
]
"#,
    },
    DefaultPart {
        key: ": access\"",
        text: r#"# Addresses of loads and stores with the tokens that order them.
[pe.access]
inputs = { count = 3, width = 32 }
outputs = { count = 2, width = 32 }
fus = ["handshake.load 32", "handshake.store 32"]
"#,
    },
    DefaultPart {
        key: ": port\"",
        text: r#"# One load and one store a cycle over AXI; 32 of each may be under way.
[extmemory.port]
loads = 1
stores = 1
queue = 32
width = 32
"#,
    },
    DefaultPart {
        key: ": shared_port\"",
        text: r#"# Two lanes of loads and of stores share an AXI port; tags tell them apart.
[extmemory.shared_port]
loads = 2
stores = 2
queue = 32
width = 32
tag = 1
regions = 2
"#,
    },
    DefaultPart {
        key: ": pad\"",
        text: r#"# A scratchpad with two lanes of loads and of stores; the host may look into it.
[memory.pad]
bytes = 4096
host = true
loads = 2
stores = 2
queue = 4
width = 32
tag = 1
regions = 2
"#,
    },
];

/// In each tile the ranks go from `valid`'s side to `ready`'s: a combinational PE feeds only higher ranks within a cycle.
const DEFAULT_TILES: &[DefaultTile] = &[
    DefaultTile {
        letter: 'c',
        name: "control",
        text: r#"# Loops and conditions: a comparison before the branches, a sum behind them.
[tile.control]
channels = 2
turnarounds = 2
turnaround_depth = 8
slacks = 1
ranks = [["s0: state", "s1: state"], ["c0: compute"], ["b0: steer", "b1: steer", "b2: branch"], ["c1: select"]]
"#,
    },
    DefaultTile {
        letter: 'k',
        name: "corner",
        text: r#"[tile.corner]
channels = 2
turnarounds = 2
turnaround_depth = 8
slacks = 1
ranks = [["s0: state_steps", "s1: state"], ["c0: compute"], ["b0: steer", "b1: steer", "b2: branch"], ["c1: select"]]
"#,
    },
    DefaultTile {
        letter: 'x',
        name: "compute_tile",
        text: r#"# Expressions: three levels of arithmetic behind constants and branches.
[tile.compute_tile]
channels = 2
turnarounds = 2
turnaround_depth = 8
slacks = 1
ranks = [["s0: state"], ["b0: steer", "b1: branch"], ["c0: compute", "c1: compute", "c2: compute"], ["c3: select"], ["c4: select"]]
"#,
    },
    DefaultTile {
        letter: 'a',
        name: "arithmetic",
        text: r#"# The same with floating point, division and the rarer integer ops.
[tile.arithmetic]
channels = 2
turnarounds = 2
turnaround_depth = 8
slacks = 1
ranks = [["s0: state"], ["b0: steer", "b1: branch"], ["f0: float", "d0: divide", "r0: rare"], ["c3: select"], ["c4: select"]]
"#,
    },
    DefaultTile {
        letter: 'm',
        name: "memory_tile",
        text: r#"# An AXI port with the units that send it addresses.
[tile.memory_tile]
channels = 2
turnarounds = 1
turnaround_depth = 8
slacks = 1
memories = ["mem: port"]
lane_depth = 32
ranks = [["s0: state"], ["b0: steer", "b1: branch"], ["c0: compute"], ["c1: select"], ["a0: access", "a1: access"]]
"#,
    },
    DefaultTile {
        letter: 't',
        name: "shared_tile",
        text: r#"# The same for a shared AXI port.
[tile.shared_tile]
channels = 2
turnarounds = 1
turnaround_depth = 8
slacks = 1
memories = ["mem: shared_port"]
lane_depth = 32
ranks = [["b0: steer"], ["c0: compute"], ["a0: access", "a1: access", "a2: access"]]
"#,
    },
    DefaultTile {
        letter: 's',
        name: "pad_tile",
        text: r#"# A scratchpad.
[tile.pad_tile]
channels = 2
turnarounds = 1
turnaround_depth = 8
slacks = 1
memories = ["mem: pad"]
lane_depth = 16
ranks = [["b0: steer"], ["c0: compute"], ["a0: access", "a1: access", "a2: access"]]
"#,
    },
];
