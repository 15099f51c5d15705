//! `loom explore`: many fabrics of one kind against the same kernels.

use crate::args::Explore;
use crate::files;
use crate::session::{Failure, Session};
use loom_base::{Diagnostics, Source};
use loom_bench::explore::front::{Confirmed, Exploration};
use loom_bench::explore::picture;
use loom_bench::explore::point::{self, PointResult};
use loom_bench::explore::search::{self, SearchOptions};
use loom_bench::explore::space::Space;
use loom_bench::ppa::{measure, PpaOptions, LIBERTY};
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

/// Runs the subcommand.
pub fn run(session: &Session, args: &Explore) -> Result<ExitCode, Failure> {
    if let Some(folder) = &args.point {
        let result = point::open(folder).and_then(|p| p.evaluate()).map_err(Failure::plain)?;
        let value = serde_json::to_value(&result).expect("plain data");
        session.result(json!({ "ok": true, "result": value }), &line(&result));
        return Ok(ExitCode::SUCCESS);
    }
    let path = args.space.as_deref().expect("clap asks for it");
    let space = Space::read(path).map_err(|d| failure(path, d))?;
    let (out, jobs) = (args.out.clone(), args.jobs.max(1));
    let options = SearchOptions { out, budget: args.budget.max(1), seed: args.seed, jobs };
    if args.plan {
        let points = search::first(&space, &options);
        for &point in &points {
            search::plan(&space, point, &options).map_err(Failure::plain)?;
        }
        let folders: Vec<_> = points.iter().map(|&p| search::folder(&options.out, p)).collect();
        let text: String = folders.iter().map(|f| format!("{}\n", f.display())).collect();
        session.result(json!({ "ok": true, "points": folders }), &text);
        return Ok(ExitCode::SUCCESS);
    }
    let bar = session.progress("evaluating points");
    let found = search::explore(&space, &options, &|result| bar.set_message(line(result).trim().to_string()));
    let mut found = found.map_err(|d| failure(path, d))?;
    if args.confirm {
        for &point in &found.front.clone() {
            bar.set_message(format!("mapping point {point} to cells"));
            found.confirmed.push(confirm(&found, point, args)?);
        }
    }
    bar.finish_and_clear();
    write(&found, &args.out)?;
    let mut text = found.text();
    text.push_str(&format!("wrote table.md, explore.json and front.svg in {}\n", args.out.display()));
    session.result(json!({ "ok": true, "exploration": found }), &text);
    Ok(ExitCode::SUCCESS)
}

/// Problems of a space have their places in its text.
fn failure(path: &Path, diagnostics: Diagnostics) -> Failure {
    match diagnostics.iter().any(|d| !d.labels.is_empty()) {
        true => Failure::new(&files::read_text(path).unwrap_or_else(|_| Source::new("", "")), diagnostics),
        false => Failure::plain(diagnostics),
    }
}

fn line(result: &PointResult) -> String {
    let (point, label, area) = (result.point, &result.label, result.area_um2 as f64 / 1e6);
    match &result.illegal {
        Some(why) => format!("point {point} ({label}): no fabric: {why}\n"),
        None => format!(
            "point {point} ({label}): {} of {} kernels, {area:.3} mm2, {:.2} ns\n",
            result.mapped,
            result.kernels.len(),
            f64::from(result.period_ps) / 1e3
        ),
    }
}

fn write(found: &Exploration, out: &Path) -> Result<(), Failure> {
    let value = serde_json::to_value(found).expect("plain data");
    files::write(&out.join("explore.json"), super::generate::pretty(&value).as_bytes())?;
    files::write(&out.join("table.md"), found.page().as_bytes())?;
    files::write(&out.join("front.svg"), picture::svg(found).as_bytes())
}

/// The tools' figures of a point; those of an earlier run where the point is the same.
fn confirm(found: &Exploration, number: u64, args: &Explore) -> Result<Confirmed, Failure> {
    let folder = search::folder(&args.out, number);
    let result = found.points.iter().find(|p| p.point == number).expect("it is on the front");
    let kept = folder.join(format!("ppa.{}.json", result.inputs));
    let known = files::read_kept(&kept).ok().and_then(|t| serde_json::from_str::<[f64; 2]>(&t).ok());
    let [area, period] = match known {
        Some(figures) => figures,
        None => {
            let fabric = point::open(&folder).and_then(|p| p.fabric()).map_err(Failure::plain)?;
            let options = PpaOptions {
                out: folder.join("ppa"),
                liberty: LIBERTY.into(),
                clock_gate: None,
                tile: None,
                fpga: false,
                jobs: args.jobs.max(1),
            };
            let figures = measure(&fabric, &options, &|_| {}).map_err(Failure::plain)?.figures;
            let pair = [figures.area_um2, figures.period_ns.unwrap_or(0.0)];
            files::write(&kept, json!(pair).to_string().as_bytes())?;
            pair
        }
    };
    Ok(Confirmed {
        point: number,
        area_um2: area,
        period_ns: (period > 0.0).then_some(period),
        area_ratio: result.area_um2 as f64 / area,
        period_ratio: (period > 0.0).then_some(f64::from(result.period_ps) / 1e3 / period),
    })
}
