//! The text of the default meshes: which tile of the library stands where.

/// Letter of the default mesh's tile at a place: memory along the west edge, the scratchpad inside the mesh, where four links
/// meet, then control and compute tiles in turns.
fn default_tile(columns: usize, rows: usize, column: usize, row: usize) -> char {
    let east = column + 1 == columns;
    let large = columns >= 4 && rows >= 4;
    match (column, row) {
        (0, _) if large => 'm',
        _ if large && east && row == 0 => 't',
        _ if large && column + 2 == columns && row + 2 == rows => 's',
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
    let suffix = if width == 32 { "" } else { "-w64" };
    let row = |row: usize| (0..columns).map(|c| default_tile(columns, rows, c, row)).collect::<String>();
    let layout: Vec<String> = (0..rows).map(row).collect();
    let used = TILES.iter().filter(|(letter, _)| layout.iter().any(|row| row.contains(*letter)));
    let legend: Vec<String> = used.map(|(letter, name)| format!("{letter} = \"{name}\"")).collect();
    let rows_text: String = layout.iter().map(|row| format!("  \"{row}\",\n")).collect();
    format!(
        "# A {columns} by {rows} mesh of crossbar tiles. docs/fabric.md explains every table, configs/library/ has the tiles.\n\
         name = \"mesh-{columns}x{rows}{suffix}\"\n\
         use = [\"mesh{width}\"]\n\n\
         [mesh]\nlayout = [\n{rows_text}]\nlegend = {{ {} }}\n",
        legend.join(", ")
    )
}

/// Letters of the library's tiles.
const TILES: [(char, &str); 7] = [
    ('c', "control"),
    ('k', "corner"),
    ('x', "compute_tile"),
    ('a', "arithmetic"),
    ('m', "memory_tile"),
    ('t', "shared_tile"),
    ('s', "pad_tile"),
];
