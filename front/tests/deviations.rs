//! Each correction of the specification's lowering with the graph that shows why: the specification's own form runs into a leftover, a
//! stale value or a standstill in the token interpreter, and the regime checker refuses it. `docs/deviations.md`
//! names these files.

use expect_test::expect_file;
use loom_base::Source;
use loom_dfg::interp::{run_with_memories, InterpOptions, Memories};
use std::fmt::Write as _;

/// What `// inputs` and `// memories` lines list by name.
fn lists(text: &str, what: &str) -> Vec<(String, Vec<u64>)> {
    let line = text.lines().find_map(|l| l.strip_prefix(&format!("// {what} "))).unwrap_or("");
    line.split(';')
        .filter_map(|part| part.split_once('='))
        .map(|(name, values)| {
            let values = values.split(',').map(|v| v.trim().parse().unwrap()).collect();
            (name.trim().to_string(), values)
        })
        .collect()
}

#[test]
fn the_seeds_own_forms_fail_and_are_refused() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/deviations");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "mlir"))
        .collect();
    files.sort();
    assert!(files.len() >= 8);
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let source = Source::new(name.clone(), text.clone());
        let graph = loom_dfg::parse(&source).unwrap_or_else(|d| panic!("{name}: {}", d[0].render(&source)));
        let given = lists(&text, "inputs");
        let inputs: Vec<Vec<u64>> = graph
            .arguments
            .iter()
            .map(|&a| {
                let argument = graph.value(a);
                let (_, values) =
                    given.iter().find(|g| g.0 == argument.name).expect("every argument is listed");
                // A control argument lists how many.
                match argument.ty {
                    loom_dfg::Type::None => vec![0; values[0] as usize],
                    _ => values.clone(),
                }
            })
            .collect();
        let words: Vec<Vec<u64>> = lists(&text, "memories").into_iter().map(|m| m.1).collect();
        let mut told = String::new();
        for seed in 0..20 {
            let mut memories = Memories::new(&graph, words.clone());
            let outcome = run_with_memories(
                &graph,
                &inputs,
                &mut memories,
                &InterpOptions { seed, ..InterpOptions::default() },
            );
            let calls = inputs.last().unwrap().len();
            let one_each = outcome.outputs.iter().all(|o| o.len() == calls);
            assert!(!(outcome.is_complete() && one_each), "{name} runs clean with seed {seed}");
            if seed == 0 {
                for (output, tokens) in graph.outputs.iter().zip(&outcome.outputs) {
                    let _ =
                        writeln!(told, "{}: {} tokens for {calls} activations", output.name, tokens.len());
                }
                for left in &outcome.leftover {
                    let _ = writeln!(told, "left: {}", left.describe(&graph));
                }
                for waiting in &outcome.waiting {
                    let _ = writeln!(told, "waits: {}", waiting.describe(&graph));
                }
            }
        }
        let refused = loom_front::regime::check(&graph, 32).expect_err(&name);
        for d in &refused {
            let _ = write!(told, "\n{}\n", d.render(&source));
        }
        expect_file![path.with_extension("").with_extension("stderr")].assert_eq(&told);
    }
}
