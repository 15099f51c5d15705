//! Every case of every kernel against the golden model: expectations hold under any schedule, nothing is left.

use loom_base::Source;
use loom_dfg::interp::{run_with_memories, InterpOptions};
use loom_sim::Case;
use loom_testkit::fabrics::sorted;
use std::path::Path;

fn read(path: &Path) -> Source {
    Source::new(path.display().to_string(), std::fs::read_to_string(path).unwrap())
}

#[test]
fn golden_model_gives_what_the_cases_expect() {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels");
    let mut cases = 0;
    let mut wrong = Vec::new();
    for folder in sorted(&kernels, |p| p.is_dir()) {
        let name = folder.file_name().unwrap().to_str().unwrap().to_string();
        let text = folder.join(format!("{name}.dfg.mlir"));
        // Kernels in structured form are compiled and run by the tests of the front.
        if !text.exists() {
            continue;
        }
        let graph = loom_dfg::parse(&read(&text)).expect("a good graph");
        let files = sorted(&folder, |p| p.extension().is_some_and(|e| e == "toml"));
        assert!(files.len() >= 3, "{name} has few cases");
        for file in files {
            let source = read(&file);
            let case = match Case::read(&source, &graph, 32) {
                Ok(case) => case,
                Err(problems) => {
                    wrong.extend(problems.iter().map(|d| d.render(&source)));
                    continue;
                }
            };
            assert!(!case.description.is_empty(), "{} has no description", source.name);
            cases += 1;
            for seed in 0..case.schedules {
                let options = InterpOptions { seed, max_steps: case.max_steps, ..InterpOptions::default() };
                let mut memories = case.memories(&graph);
                let outcome = run_with_memories(&graph, &case.inputs, &mut memories, &options);
                let mut lines = case.differences(&graph, &outcome.outputs);
                lines.extend(case.memory_differences(&graph, &memories));
                lines.extend(outcome.leftover.iter().map(|l| l.describe(&graph)));
                if !outcome.is_complete() {
                    lines.push(format!("stopped: {:?}", outcome.stop));
                }
                if !lines.is_empty() {
                    wrong.push(format!("{} with seed {seed}:\n  {}", source.name, lines.join("\n  ")));
                    break;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases >= 30);
}
