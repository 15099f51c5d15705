//! `loom sim` and `loom cosim` of a config.bin: no graph and no mapping, a case by ports and regions.

use super::verilog::{fabric_model, Verilog};
use crate::args::Sim;
use crate::files;
use crate::session::{Failure, Session, FILE_KIND};
use loom_base::{sign_extend, Diagnostic, Source};
use loom_flow::bitstream::{Bitstream, BitstreamReport, List};
use std::fmt::Write;
use std::process::ExitCode;

/// Values shown of one list.
const SHOWN: usize = 16;

/// Runs the subcommand.
pub fn run(session: &Session, args: &Sim, verilog: &Verilog) -> Result<ExitCode, Failure> {
    let (path, lowering) = (&args.job.kernel, &args.job.lowering);
    let given = [
        ("--map", args.map.is_some()),
        ("--function", lowering.function.is_some()),
        ("--domain", lowering.domain.is_some()),
        ("--port", !args.job.pins.is_empty()),
    ];
    if let Some((flag, _)) = given.iter().find(|g| g.1) {
        let message = format!("`{flag}` with `{}`, which is a bitstream already", path.display());
        return Err(Failure::plain(vec![
            Diagnostic::error(FILE_KIND, message).help("give the kernel instead, or leave the flag out")
        ]));
    }
    let Some(fabric) = &args.job.fabric else {
        let message = format!("`{}` without `--fabric`", path.display());
        return Err(Failure::plain(vec![Diagnostic::error(FILE_KIND, message)
            .help("a bitstream is for one fabric, which its words do not name")]));
    };
    let fabric = session.fabric(fabric)?;
    let image = super::decode::image(path)?;
    let names = match image.words.len() == fabric.layout().words {
        true => super::decode::names_beside(path, &fabric, &image)?,
        false => Default::default(),
    };
    let words = Source::new(path.display().to_string(), "");
    let bitstream = Bitstream::new(&fabric, image, &names).map_err(|d| Failure::new(&words, d))?;
    let source = files::read_text(&args.case)?;
    let fail = |d| Failure::new(&source, d);
    let mut case = bitstream.case(&source).map_err(fail)?;
    case.axi = args.axi(case.axi);
    let bar = session.progress("native model");
    let mut runs = bitstream.simulate(&case).map_err(fail)?;
    let model = fabric_model(&bar, &fabric, runs.cycles(), verilog)?;
    let models = if model.is_some() { "native cycle model and Verilog" } else { "native cycle model" };
    if let Some(mut driven) = model {
        bar.set_message("running the Verilog");
        let ran = bitstream.cosimulate(&case, &mut runs, &mut driven.model).map_err(fail);
        // Waves are of use when something went wrong, too.
        let written = driven.finish();
        ran?;
        written?;
    }
    bar.finish_and_clear();
    let name = args.case.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let report = bitstream.report(&case, &name, &runs);
    session.problems(&path.display().to_string(), &report.problems);
    session.result(serde_json::to_value(&report).expect("plain data"), &text(&report, models));
    Ok(if report.ok { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn text(report: &BitstreamReport, models: &str) -> String {
    let mut text = String::new();
    for list in report.outputs.iter().chain(&report.memory) {
        let _ = writeln!(text, "{}: {}", list.name, values(list));
    }
    let cycles = report.verilog_cycles.unwrap_or(report.native_cycles);
    let verdict = match report.ok {
        true => "as expected".to_string(),
        false => format!("{} problems", report.problems.len()),
    };
    let _ = writeln!(text, "\n{cycles} cycles on {}, {verdict}: {models}", report.fabric);
    text
}

/// The first values as signed numbers, and how many there are.
fn values(list: &List) -> String {
    if list.width == 0 {
        return format!("{} tokens", list.values.len());
    }
    let shown: Vec<String> =
        list.values.iter().take(SHOWN).map(|&v| sign_extend(v, list.width).to_string()).collect();
    let more = match list.values.len() > SHOWN {
        true => format!(", ... ({} in all)", list.values.len()),
        false => String::new(),
    };
    format!("{}{more}", shown.join(", "))
}
