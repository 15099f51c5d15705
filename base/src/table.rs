//! Tables as text.

/// Lines of cells, all of one length, as aligned columns: the first `left` of them words, the others numbers.
///
/// ```
/// let lines = [["name", "ops"], ["fir", "30"]].map(|line| line.map(String::from));
/// assert_eq!(loom_base::table::aligned(&lines, 1), "name  ops\nfir    30\n");
/// ```
pub fn aligned<L: AsRef<[String]>>(lines: &[L], left: usize) -> String {
    let mut widths = Vec::new();
    for line in lines {
        let line = line.as_ref();
        widths.resize(line.len().max(widths.len()), 0);
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for line in lines {
        let cells = line.as_ref().iter().zip(&widths).enumerate();
        let cells: Vec<String> = cells
            .map(
                |(i, (cell, &width))| {
                    if i < left {
                        format!("{cell:<width$}")
                    } else {
                        format!("{cell:>width$}")
                    }
                },
            )
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}
