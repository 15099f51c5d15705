//! Bad case files: one snapshot of every message, beside the file that causes it.

use expect_test::{expect, expect_file};
use loom_base::Source;
use loom_dfg::{Graph, Memory, MemoryId, MemoryPlace, Type};
use loom_sim::{Case, MemoryInit};
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

/// Memories behind arguments, of open and of known size, and one of another type; for the files named `memory_*`.
fn copy() -> Graph {
    let mut graph = Graph::new(loom_base::Name::new("copy").unwrap());
    let words = [("a", Type::Int(32), None), ("b", Type::Int(32), Some(4)), ("f", Type::F32, None)];
    for (position, (name, element, words)) in words.into_iter().enumerate() {
        let place = MemoryPlace::Argument { position };
        graph.add_memory(Memory { name: name.to_string(), element, words, place });
        // Between the others: a case gives nothing for it.
        let place = MemoryPlace::Private { init: vec![7, 8] };
        let name = format!("table{position}");
        graph.add_memory(Memory { name, element: Type::Int(8), words: Some(2), place });
    }
    graph.add_argument("n", Type::Index);
    let ctl = graph.add_argument("ctl", Type::None);
    graph.add_output("done", ctl);
    graph
}

fn graph_of(name: &str) -> Graph {
    let text = match name {
        "control_tokens.toml" => CONTROL,
        _ if name.starts_with("memory_") => return copy(),
        _ => SUM,
    };
    let source = Source::new("k.dfg.mlir", text);
    loom_dfg::parse(&source).unwrap_or_else(|d| panic!("{}", d[0].render(&source)))
}

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
        let graph = graph_of(&name);
        let source = Source::new(name.clone(), std::fs::read_to_string(&file).unwrap());
        let problems = Case::read(&source, &graph, 32).expect_err(&name);
        let text: String = problems.iter().map(|d| d.render(&source) + "\n\n").collect();
        expect_file![file.with_extension("txt")].assert_eq(&text);
    }
}

/// A good case with memories; what it means is in `memories_of_a_case`.
const GOOD_MEMORY: &str = "description = \"x\"
activations = 3
[inputs]
n = [1, 2]
[expect_memory]
b = [1, 2, 3, 4]
a = { first = 0, step = 1, count = 6 }
[memory]
b = { alias = \"a\", offset = 2, words = 4 }
a = [0, 1, 2, 3, 4, -1]
f = [1.0]
";

#[test]
fn memories_of_a_case() {
    let graph = graph_of("memory_");
    let read = |text: &str| {
        let source = Source::new("c.toml", text);
        Case::read(&source, &graph, 32).unwrap_or_else(|d| panic!("{}", d[0].render(&source)))
    };
    let case = read(GOOD_MEMORY);
    assert_eq!(case.memory[1], MemoryInit::Part { of: 0, offset: 2, words: 4 });
    // `activations` counts control tokens only; without it the longest list does.
    assert_eq!(case.inputs, [vec![1, 2], vec![0; 3]]);
    assert_eq!(read(&GOOD_MEMORY.replace("activations = 3\n", "")).inputs[1], [0; 2]);
    let mut memories = case.memories(&graph);
    assert_eq!(memories.words(MemoryId(1)), [7, 8]);
    assert_eq!(memories.words(MemoryId(2)), [2, 3, 4, 0xffff_ffff]);
    expect![[r#"
        [
            "word 5 of memory `a` is 0xffffffff, the case expects 0x5 (1 of 6 words differ)",
            "word 0 of memory `b` is 0x2, the case expects 0x1 (4 of 4 words differ)",
        ]
    "#]]
    .assert_debug_eq(&case.memory_differences(&graph, &memories));
    memories.buffers[0] = vec![0, 1, 1, 2, 3, 4];
    assert_eq!(case.memory_differences(&graph, &memories).len(), 1, "one buffer, two expectations");
    // A part without a size is the rest.
    let rest = GOOD_MEMORY.replace(", words = 4", "");
    assert_eq!(read(&rest).memory, case.memory);
}

#[test]
fn mutated_cases_never_panic() {
    let graph = loom_dfg::parse(&Source::new("k.dfg.mlir", SUM)).unwrap();
    let good = "description = \"x\"\n[inputs]\nlb = { first = -3, step = 2, count = 4 }\nstep = [1, 0x2]\n\
        n = { random = true, seed = 1, count = 3, low = -1, high = 5 }\ninit = 4\n[expect]\nsum = { count = 3 }\n\
        [stalls]\nseed = 3\nsource_percent = 3\n";
    assert!(Case::read(&Source::new("c", good), &graph, 32).is_ok());
    let memory = graph_of("memory_");
    assert!(Case::read(&Source::new("c", GOOD_MEMORY), &memory, 32).is_ok());
    let mut rng = loom_base::Rng::new(3);
    for round in 0..6000 {
        let (good, graph) = if round % 2 == 0 { (good, &graph) } else { (GOOD_MEMORY, &memory) };
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
            match Case::read(&source, graph, 32) {
                Ok(case) => drop(case.memory_differences(graph, &case.memories(graph))),
                Err(problems) => problems.iter().for_each(|d| drop(d.render(&source))),
            }
        }
    }
}
