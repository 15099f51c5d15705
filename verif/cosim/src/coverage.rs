//! CoverageData of the Verilog: Verilator's points for lines, branches and toggles, summed over whatever runs.
//!
//! With the variable [`VARIABLE`] set to a folder every design of [`crate::model`] is built with its points counted, and
//! each instance adds its counts to [`FILE`] there when it is dropped. So any test, and any subcommand, can be measured
//! as it is. Guarantees: a point counts by its place in its module, whatever the hierarchy and the design above it.

use crate::{codes, files};
use loom_base::{Diagnostic, Diagnostics};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The environment variable that names the folder.
pub const VARIABLE: &str = "LOOM_COVERAGE";
/// The file with the sums, in Verilator's format.
pub const FILE: &str = "coverage.dat";

/// What a point is about, and how often it must be counted: a toggle that rises must fall too.
const KINDS: [(&str, u64); 3] = [("line", 1), ("branch", 1), ("toggle", 2)];

/// The folder to collect in, if coverage is asked for.
pub fn folder() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).filter(|v| !v.is_empty()).map(PathBuf::from)
}

/// What Verilator is told beyond the usual.
pub(crate) fn verilator_flags() -> &'static [&'static str] {
    match folder() {
        Some(_) => &["--coverage-line", "--coverage-toggle"],
        None => &[],
    }
}

/// What the shim has beyond the usual, under coverage. Counting starts after the first evaluation, so that the way from
/// the simulator's start values to what the logic says is no toggle.
pub(crate) const SHIM: &str = "#include \"verilated_cov.h\"\nextern \"C\" {\n\
    void loom_coverage_start(void* p) {\n  LoomModel* m = static_cast<LoomModel*>(p);\n  m->top->eval();\n  \
    m->context.coveragep()->zero();\n}\n\
    void loom_coverage_write(void* p, const char* path) {\n  \
    static_cast<LoomModel*>(p)->context.coveragep()->write(path);\n}\n}\n";

/// Adds the counts that `dump` writes to the sums in the folder.
pub(crate) fn collect(folder: &Path, dump: impl FnOnce(&Path)) -> Result<(), Diagnostics> {
    // Instances of one process are dropped in any thread; test binaries run one after another.
    static COLLECTING: Mutex<()> = Mutex::new(());
    let _guard = COLLECTING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let io = |e: std::io::Error| {
        vec![Diagnostic::error(codes::COVERAGE, format!("`{}` cannot be used: {e}", folder.display()))
            .help(format!("name a folder that can be written in {VARIABLE}"))]
    };
    std::fs::create_dir_all(folder).map_err(io)?;
    let part = tempfile::NamedTempFile::new_in(folder).map_err(io)?;
    dump(part.path());
    let mut sums = CoverageData::default();
    sums.read(&files::read_kept(part.path()).map_err(io)?)?;
    let path = folder.join(FILE);
    if path.is_file() {
        sums.read(&files::read_kept(&path).map_err(io)?)?;
    }
    std::fs::write(part.path(), sums.text()).map_err(io)?;
    part.persist(&path).map_err(|e| io(e.error))?;
    Ok(())
}

/// How often each point was counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoverageData {
    /// By module, by index in [`KINDS`], by place in the module.
    points: BTreeMap<(String, usize, String), u64>,
}

/// Points of each kind that were covered, and points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoverageRow {
    /// The name of the module, or of the family.
    pub name: String,
    /// How many modules there are of it.
    pub modules: usize,
    /// Lines, branches, toggles: covered, and all.
    pub kinds: [(usize, usize); 3],
}

impl CoverageData {
    /// Adds the counts of a data file. Points in modules that are not LOOM's are left out.
    pub fn read(&mut self, text: &str) -> Result<(), Diagnostics> {
        for (number, line) in text.lines().enumerate() {
            if line.starts_with('#') || line.is_empty() {
                continue;
            }
            let (module, kind, place, count) = point(line).ok_or_else(|| {
                let found = line.replace('\x01', " ").replace('\x02', "=");
                vec![Diagnostic::error(
                    codes::COVERAGE,
                    format!("line {} is no coverage point: {found}", number + 1),
                )
                .help("the file is one that `make coverage` wrote, or `coverage.dat` of Verilator 5")]
            })?;
            if module.starts_with("loom_") {
                *self.points.entry((module, kind, place)).or_default() += count;
            }
        }
        Ok(())
    }

    /// The counts as a data file.
    pub fn text(&self) -> String {
        let mut text = String::from("# SystemC::CoverageData-3\n");
        for ((module, kind, place), count) in &self.points {
            let _ = writeln!(text, "C '{place}\x01page\x02v_{}/{module}' {count}", KINDS[*kind].0);
        }
        text
    }

    /// A row for each name that `name` gives a module.
    pub fn rows(&self, name: impl Fn(&str) -> String) -> Vec<CoverageRow> {
        let mut rows: BTreeMap<String, CoverageRow> = BTreeMap::new();
        // Points of a module stand side by side.
        let mut last = "";
        for ((module, kind, _), &count) in &self.points {
            let name = name(module);
            let row =
                rows.entry(name.clone()).or_insert_with(|| CoverageRow { name, ..CoverageRow::default() });
            row.modules += usize::from(module != last);
            last = module;
            row.kinds[*kind].0 += usize::from(count >= KINDS[*kind].1);
            row.kinds[*kind].1 += 1;
        }
        rows.into_values().collect()
    }

    /// The points that were not covered: module, kind, place.
    pub fn missed(&self) -> impl Iterator<Item = (&str, &'static str, String)> {
        let missed = self.points.iter().filter(|((_, kind, _), &count)| count < KINDS[*kind].1);
        missed.map(|((module, kind, place), _)| {
            let field = |key| fields(place).find(|f| f.0 == key).map_or("", |f| f.1);
            (module.as_str(), KINDS[*kind].0, format!("{}.v:{} {}", module, field("l"), field("o")))
        })
    }
}

/// Key and value pairs of a point.
fn fields(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split('\x01').filter_map(|f| f.split_once('\x02'))
}

/// Module, kind, place and count of a line. The file's name and the hierarchy are no part of the place.
fn point(line: &str) -> Option<(String, usize, String, u64)> {
    let (keys, count) = line.strip_prefix("C '")?.rsplit_once("' ")?;
    let (page, module) = fields(keys).find(|f| f.0 == "page")?.1.split_once('/')?;
    let kind = KINDS.iter().position(|k| page.strip_prefix("v_") == Some(k.0))?;
    let mut place = String::new();
    for (key, value) in fields(keys).filter(|f| ["l", "n", "o", "S"].contains(&f.0)) {
        let _ = write!(place, "\x01{key}\x02{value}");
    }
    Some((module.to_string(), kind, place, count.parse().ok()?))
}

/// A module's name without its shape: `loom_fifo_d8_w32` is a `loom_fifo`.
pub fn family(module: &str) -> String {
    let shape = |part: &&str| {
        part.trim_start_matches(|c: char| c.is_ascii_lowercase()).starts_with(|c: char| c.is_ascii_digit())
    };
    module.split('_').take_while(|p| !shape(p)).collect::<Vec<_>>().join("_")
}

/// The rows in Markdown, with their sum as the last.
pub fn table(rows: &[CoverageRow]) -> String {
    let mut text =
        String::from("| module | shapes | line % | branch % | toggle % |\n|---|---|---|---|---|\n");
    let mut all = CoverageRow { name: "all".into(), ..CoverageRow::default() };
    for row in rows {
        all.modules += row.modules;
        for (sum, kind) in all.kinds.iter_mut().zip(row.kinds) {
            *sum = (sum.0 + kind.0, sum.1 + kind.1);
        }
    }
    for row in rows.iter().chain([&all]) {
        let _ = write!(text, "| {} | {} |", row.name, row.modules);
        for (covered, points) in row.kinds {
            // Rounded down: 100 means all.
            let _ = match points {
                0 => write!(text, " - |"),
                _ => write!(text, " {} |", covered * 100 / points),
            };
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Verilator 5.006 writes it.
    fn line(page: &str, comment: &str, hierarchy: &str, count: u64) -> String {
        format!(
            "C '\x01f\x02/a/b.v\x01l\x0212\x01n\x0215\x01page\x02{page}\x01o\x02{comment}\x01h\x02{hierarchy}' {count}\n"
        )
    }

    fn read(text: &str) -> CoverageData {
        let mut coverage = CoverageData::default();
        coverage.read(text).expect("well formed");
        coverage
    }

    #[test]
    fn points_are_summed_over_instances_and_files() {
        let a =
            line("v_toggle/loom_a_w8", "clk", "top.x", 1) + &line("v_toggle/loom_a_w8", "clk", "top.y", 1);
        let b = line("v_toggle/loom_a_w32", "clk", "top", 1) + &line("v_line/loom_a_w32", "block", "top", 1);
        let other = line("v_branch/loom_b", "if", "top", 0) + &line("v_line/bad_master", "block", "top", 0);
        let coverage = read(&format!("# SystemC::CoverageData-3\n{a}{b}{other}"));
        let rows = coverage.rows(family);
        let row = |name: &str, modules, kinds| CoverageRow { name: name.into(), modules, kinds };
        let want = [row("loom_a", 2, [(1, 1), (0, 0), (1, 2)]), row("loom_b", 1, [(0, 0), (0, 1), (0, 0)])];
        assert_eq!(rows, want);
        assert!(table(&rows).ends_with(
            "| loom_a | 2 | 100 | - | 50 |\n| loom_b | 1 | - | 0 | - |\n| all | 3 | 100 | 0 | 50 |\n"
        ));
        let missed: Vec<_> = coverage.missed().collect();
        let place = |module: &str, name: &str| format!("{module}.v:12 {name}");
        assert_eq!(missed[0], ("loom_a_w32", "toggle", place("loom_a_w32", "clk")));
        assert_eq!(missed[1], ("loom_b", "branch", place("loom_b", "if")));
        assert_eq!(missed.len(), 2);
    }

    #[test]
    fn what_is_written_reads_back_and_adds_up() {
        let text = line("v_toggle/loom_a", "d[3]", "top", 3) + &line("v_branch/loom_a", "else", "top", 2);
        let once = read(&text);
        assert_eq!(read(&once.text()), once);
        let mut twice = once.clone();
        twice.read(&once.text()).expect("well formed");
        assert_eq!(twice, read(&(text.clone() + &text)));
    }

    #[test]
    fn other_lines_are_refused() {
        for bad in
            ["C 'x' 1", "nonsense", "C '\x01page\x02v_toggle/loom_a' many", "C '\x01page\x02v_user/loom_a' 1"]
        {
            let refused = CoverageData::default().read(&format!("# a\n{bad}\n")).expect_err("refused");
            assert!(
                refused[0].message.starts_with("line 2 is no coverage point: "),
                "{}",
                refused[0].message
            );
        }
    }

    #[test]
    fn families_are_names_without_shapes() {
        for (module, name) in [
            ("loom_fifo_d8_w32", "loom_fifo"),
            ("loom_carry_control", "loom_carry_control"),
            ("loom_spatial_sw_22x31_mixed_31da48", "loom_spatial_sw"),
            ("loom_fu_mac_89f2ce_l2_i1", "loom_fu_mac"),
        ] {
            assert_eq!(family(module), name);
        }
    }
}
