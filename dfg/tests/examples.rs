//! Worked examples as data: each file's first comments give input and output tokens, in signed decimal, and what
//! is left over; every one holds under 50 schedules.

use loom_base::{sign_extend, Source};
use loom_dfg::interp::{run, InterpOptions, RunEnd};
use loom_dfg::{parse, Graph, ValueId};

fn tokens(graph: &Graph, value: ValueId, list: &[u64]) -> String {
    let width = graph.value(value).ty.width(32);
    let text = |&t: &u64| {
        if width == 1 {
            t.to_string()
        } else {
            sign_extend(t, width).to_string()
        }
    };
    list.iter().map(text).collect::<Vec<_>>().join(" ")
}

fn check(name: &str, text: &str) {
    let source = Source::new(name, text);
    let graph = match parse(&source) {
        Ok(graph) => graph,
        Err(problems) => panic!("{}", problems.iter().map(|d| d.render(&source)).collect::<String>()),
    };
    let given = |key: &str| -> Vec<String> {
        let prefix = format!("// {key}: ");
        text.lines().filter_map(|l| l.strip_prefix(&prefix)).map(|l| l.trim().to_string()).collect()
    };
    let mut inputs = Vec::new();
    for (line, &argument) in given("in").iter().zip(&graph.arguments) {
        let mut words = line.split_whitespace();
        assert_eq!(words.next().unwrap(), graph.value(argument).name, "{name}: inputs stand in order");
        inputs.push(words.map(|w| w.parse::<i64>().unwrap() as u64).collect());
    }
    assert_eq!(inputs.len(), graph.arguments.len(), "{name}");
    for seed in 0..50 {
        let outcome = run(&graph, &inputs, &InterpOptions { seed, ..InterpOptions::default() });
        let outputs = graph.outputs.iter().zip(&outcome.outputs);
        let found: Vec<String> =
            outputs.map(|(o, list)| format!("{} {}", o.name, tokens(&graph, o.value, list))).collect();
        assert_eq!(found, given("out"), "{name}, seed {seed}");
        let left: Vec<String> = outcome.leftover.iter().map(|l| l.describe(&graph)).collect();
        assert_eq!(left, given("left"), "{name}, seed {seed}");
        let waiting: Vec<String> = outcome.waiting.iter().map(|w| w.describe(&graph)).collect();
        assert_eq!(waiting, given("wait"), "{name}, seed {seed}");
        let stop = match outcome.stop {
            RunEnd::Quiet => Vec::new(),
            RunEnd::BudgetExhausted => vec!["budget".to_string()],
            RunEnd::RuntimeError { error, code, .. } => vec![format!("{error} {code}")],
        };
        assert_eq!(stop, given("stop"), "{name}, seed {seed}");
    }
}

#[test]
fn worked_examples() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/examples");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() > 10);
    for path in paths {
        check(path.file_name().unwrap().to_str().unwrap(), &std::fs::read_to_string(&path).unwrap());
    }
}

#[test]
fn an_endless_stream_exhausts_the_budget() {
    let text = "handshake.func @f(%a: index, %b: index, %c: index) -> (index) {
      %i, %k = \"dataflow.stream\"(%a, %b, %c) {step_op = \">>=\", cont_cond = \"!=\"} : (index, index, index) -> (index, i1)
      return %i : index
    }";
    let graph = parse(&Source::new("f", text)).unwrap();
    let options = InterpOptions { max_steps: 1000, ..InterpOptions::default() };
    let outcome = run(&graph, &[vec![8], vec![1], vec![5]], &options);
    assert_eq!(outcome.stop, RunEnd::BudgetExhausted);
    assert_eq!(outcome.stream_activations[0].pairs, 999);
}
