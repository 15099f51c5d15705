//! `loom coverage`: the coverage that runs under `LOOM_COVERAGE` collected.

use crate::args::Coverage;
use crate::files;
use crate::session::{Failure, Session};
use loom_base::page::page;
use loom_cosim::coverage;
use std::process::ExitCode;

/// Runs the subcommand.
pub fn run(session: &Session, args: &Coverage) -> Result<ExitCode, Failure> {
    let mut sums = coverage::CoverageData::default();
    for path in &args.data {
        let source = files::read_text(path)?;
        sums.read(&source.text).map_err(|d| Failure::new(&source, d))?;
    }
    let rows = sums.rows(str::to_string);
    let mut text = coverage::table(&rows);
    if args.missed {
        for (_, kind, place) in sums.missed() {
            text.push_str(&format!("{kind} {place}\n"));
        }
    }
    if let Some(path) = &args.page {
        let table = coverage::table(&sums.rows(coverage::family));
        let page = page("Coverage of the Verilog", "coverage", "docs/verification.md", &table);
        files::write(path, page.as_bytes())?;
    }
    let points =
        |(covered, points): (usize, usize)| serde_json::json!({ "covered": covered, "points": points });
    let rows: Vec<_> = rows
        .iter()
        .map(|r| {
            let [line, branch, toggle] = r.kinds.map(points);
            serde_json::json!({ "module": r.name, "line": line, "branch": branch, "toggle": toggle })
        })
        .collect();
    session.result(serde_json::json!({ "ok": true, "modules": rows }), &text);
    Ok(ExitCode::SUCCESS)
}
