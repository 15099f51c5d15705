//! `docs/errors.md` lists every diagnostic code of every crate, and no code stands for two things.
//!
//! To write the page anew after a change: `UPDATE_EXPECT=1 cargo test -p loom catalogue`, then read the diff.

use loom_base::Code;
use std::collections::BTreeMap;
use std::fmt::Write;

#[test]
fn the_page_lists_every_code_once() {
    let crates: [(&str, &[Code]); 12] = [
        ("Dataflow graphs (`.dfg.mlir`)", loom_dfg::codes::CODES),
        ("Structured programs (`.scf.mlir`) and their lowering", loom_front::codes::CODES),
        ("C and C++", loom_llvm::codes::CODES),
        ("Fabrics (TOML and `.fabric.mlir`)", loom_adg::codes::CODES),
        ("Mapping (`map.json` among it)", loom_map::codes::CODES),
        ("Bitstreams and generated hardware", loom_gen::CODES),
        ("Cases and the native model", loom_sim::codes::CODES),
        ("Verilator", loom_cosim::codes::CODES),
        ("Comparison of the models", loom_flow::codes::CODES),
        ("Proofs", loom_prove::codes::CODES),
        ("Areas and delays", loom_bench::codes::CODES),
        (
            "Command line",
            &[
                Code::new("C0001", "a file cannot be read or written"),
                Code::new("C0002", "the kind of a file is unknown"),
                Code::new("C0003", "an option asks for what the command does not do"),
                Code::new("C0004", "the time that a command may take is over"),
            ],
        ),
    ];
    let mut seen = BTreeMap::new();
    let mut page = String::from(
        "# Diagnostics\n\nEvery code with its meaning; this page is checked against the tables in the sources. A rejected \
         example of most\nstands in the crate's `tests/bad/`, with the message beside it.\n",
    );
    for (title, codes) in crates {
        let _ = write!(page, "\n## {title}\n\n| code | meaning |\n|---|---|\n");
        for code in codes {
            let _ = writeln!(page, "| {} | {} |", code.id, code.title);
            if let Some(before) = seen.insert(code.id, code.title) {
                panic!("{} stands for `{before}` and `{}`", code.id, code.title);
            }
        }
    }
    page.push_str("\n## Hardware\n\nCodes on `error_code` of the fabric top.\n\n| code | name | kind |\n|---|---|---|\n");
    for error in loom_adg::HwError::ALL {
        let kind = if error.is_configuration() {
            "configuration: the fabric does not start"
        } else {
            "run time: the unit stops"
        };
        let _ = writeln!(page, "| {} | {} | {kind} |", error.code(), error.name());
    }
    expect_test::expect_file!["../../docs/errors.md"].assert_eq(&page);
}
