//! Bad case files: one snapshot of every message, beside the file that causes it.

use expect_test::expect_file;
use loom_base::Source;
use loom_sim::Case;
use std::path::Path;

const SUM: &str = "handshake.func @sum(%lb: index, %step: index, %n: index, %init: index, ...) -> (index)
    attributes {argNames = [\"lb\", \"step\", \"n\", \"init\"], resNames = [\"sum\"]} {
  %idx, %cont = \"dataflow.stream\"(%lb, %step, %n) {step_op = \"+=\", cont_cond = \"<\"} : (index, index, index) -> (index, i1)
  sink %cont : i1
  %s = arith.addi %idx, %init : index
  return %s : index
}";

/// Other argument types; for the files that need them.
const CONTROL: &str = "handshake.func @pick(%ctl: none, %d: i1, %x: i32, ...) -> (i32)
    attributes {argNames = [\"ctl\", \"d\", \"x\"], resNames = [\"out\"]} {
  %one = constant %ctl {value = 1 : i32} : i32
  %o = mux %d [%one, %x] : i1, i32
  return %o : i32
}";

#[test]
fn every_bad_case_has_a_good_message() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    assert!(files.len() >= 10);
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap().to_string();
        let graph = if name == "control_tokens.toml" { CONTROL } else { SUM };
        let graph = loom_dfg::parse(&Source::new("k.dfg.mlir", graph)).unwrap();
        let source = Source::new(name.clone(), std::fs::read_to_string(&file).unwrap());
        let problems = Case::read(&source, &graph, 32).expect_err(&name);
        let text: String = problems.iter().map(|d| d.render(&source) + "\n\n").collect();
        expect_file![file.with_extension("txt")].assert_eq(&text);
    }
}

#[test]
fn mutated_cases_never_panic() {
    let graph = loom_dfg::parse(&Source::new("k.dfg.mlir", SUM)).unwrap();
    let good = "description = \"x\"\n[inputs]\nlb = { first = -3, step = 2, count = 4 }\nstep = [1, 0x2]\n\
        n = { random = true, seed = 1, count = 3, low = -1, high = 5 }\ninit = 4\n[expect]\nsum = { count = 3 }\n\
        [stalls]\nseed = 3\nsource_percent = 3\n";
    assert!(Case::read(&Source::new("c", good), &graph, 32).is_ok());
    let mut rng = loom_base::Rng::new(3);
    for _ in 0..3000 {
        let mut bytes = good.as_bytes().to_vec();
        for _ in 0..1 + rng.below(4) {
            let at = rng.below(bytes.len());
            match rng.below(3) {
                0 => bytes[at] = *rng.pick(b"[]{}=-0129,.\"'\n x"),
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, *rng.pick(b"[]{}=-0129,.\"'\n x")),
            }
        }
        if let Ok(text) = String::from_utf8(bytes) {
            let source = Source::new("c", text);
            if let Err(problems) = Case::read(&source, &graph, 32) {
                problems.iter().for_each(|d| drop(d.render(&source)));
            }
        }
    }
}
