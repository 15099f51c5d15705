//! `loom prove`: unbounded proofs of the leaf modules.

use super::verilog::cache;
use crate::args::Prove;
use crate::files;
use crate::session::{Failure, Session};
use loom_base::page::page;
use loom_base::Diagnostic;
use loom_prove::codes;
use loom_prove::{faults, table, Entry, ProofOptions};
use std::collections::BTreeSet;
use std::process::ExitCode;

/// Runs the subcommand.
pub fn run(session: &Session, args: &Prove) -> Result<ExitCode, Failure> {
    let all = table::entries();
    for name in &args.modules {
        if !all.iter().any(|e| e.module == name || e.name() == *name) {
            let known: BTreeSet<&str> = all.iter().map(|e| e.module).collect();
            let known: Vec<&str> = known.into_iter().collect();
            return Err(Failure::plain(vec![Diagnostic::error(
                codes::PROOF_UNKNOWN,
                format!("no proof of `{name}`"),
            )
            .help(format!("there are proofs of {}", known.join(", ")))]));
        }
    }
    let chosen = |e: &Entry| {
        (args.modules.is_empty() || args.modules.iter().any(|n| e.module == n || e.name() == *n))
            && (!args.smoke || e.smoke)
    };
    let entries: Vec<Entry> = all.iter().filter(|e| chosen(e)).cloned().collect();
    let options = ProofOptions { out: args.out.clone(), timeout: args.timeout, jobs: args.jobs };
    let bar = session.progress("proving");
    let proofs =
        loom_prove::prove_all(&entries, &options, &|p| bar.set_message(format!("proved {}", p.name())))
            .map_err(Failure::plain)?;
    let mut text = loom_prove::report(&proofs);
    let mut problems: Vec<Diagnostic> = proofs.iter().filter_map(|p| p.diagnostic()).collect();
    if args.faults {
        let mut caught = Vec::new();
        for fault in faults::FAULTS.iter().filter(|f| entries.iter().any(|e| e.name() == f.entry)) {
            bar.set_message(format!("planting: {}", fault.what));
            caught.push(faults::plant(fault, &entries, &options, &cache()).map_err(Failure::plain)?);
        }
        problems.extend(caught.iter().filter(|c| !c.noticed()).map(|c| {
            let text =
                format!("`{}` or its co-simulation does not notice that {}", c.proof.name(), c.fault.what);
            Diagnostic::error(codes::PROOF, text).help("the harness is too weak")
        }));
        text.push('\n');
        text.push_str(&loom_prove::fault_table(&caught));
    }
    bar.finish_and_clear();
    if let Some(path) = &args.page {
        let page = page("Proofs of the leaf modules", "formal", "docs/verification.md", &text);
        files::write(path, page.as_bytes())?;
    }
    if !problems.is_empty() {
        session.add(&text);
        return Err(Failure::plain(problems));
    }
    let rows: Vec<_> = proofs
        .iter()
        .map(|p| {
            serde_json::json!({
                "module": p.module, "shape": p.shape, "properties": p.properties, "seconds": p.time.as_secs_f64()
            })
        })
        .collect();
    session.result(serde_json::json!({ "ok": true, "proofs": rows }), &text);
    Ok(ExitCode::SUCCESS)
}
