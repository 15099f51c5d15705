//! The kernel graphs compute what their first comment says, in every schedule, with nothing left over.

use loom_base::{sign_extend, Source};
use loom_dfg::interp::{run, InterpOptions, Outcome};
use loom_dfg::{parse, print, Graph};

fn kernel(name: &str) -> Graph {
    let path = format!("{}/../kernels/{name}/{name}.dfg.mlir", env!("CARGO_MANIFEST_DIR"));
    let source = Source::new(format!("{name}.dfg.mlir"), std::fs::read_to_string(path).unwrap());
    assert!(source.text.starts_with("//"), "{name} says what it computes");
    let graph = match parse(&source) {
        Ok(graph) => graph,
        Err(problems) => panic!("{}", problems.iter().map(|d| d.render(&source) + "\n").collect::<String>()),
    };
    let text = print(&graph);
    let again = parse(&Source::new("printed", text.clone())).unwrap_or_else(|d| panic!("{text}\n{d:?}"));
    assert_eq!(print(&again), text);
    graph
}

fn complete(graph: &Graph, inputs: &[Vec<u64>], seed: u64) -> Outcome {
    let outcome = run(graph, inputs, &InterpOptions { seed, ..InterpOptions::default() });
    let left: Vec<_> = outcome.leftover.iter().map(|l| l.describe(graph)).collect();
    assert!(outcome.is_complete(), "{} seed {seed}: {:?} {left:?}", graph.name, outcome.stop);
    assert!(outcome.waiting.is_empty());
    outcome
}

fn i32_bits(value: i64) -> u64 {
    value as u32 as u64
}

#[test]
fn stream() {
    let g = kernel("stream");
    for seed in 0..50 {
        let o = complete(&g, &[vec![0, 5, 7], vec![1, 2, 1], vec![4, 10, 7]], seed);
        assert_eq!(o.outputs[0], [0, 1, 2, 3, 4, 5, 7, 9, 11, 7]);
        assert_eq!(o.outputs[1], [1, 1, 1, 1, 0, 1, 1, 1, 0, 0]);
    }
    assert_eq!(complete(&g, &[vec![0], vec![1], vec![1000]], 1).iterations(), 1000);
}

#[test]
fn gate_carry_invariant() {
    for seed in 0..50 {
        let o =
            complete(&kernel("gate"), &[vec![0, 1, 2, 3, 4, 9, 5, 6], vec![1, 1, 1, 1, 0, 0, 1, 0]], seed);
        assert_eq!(o.outputs, [vec![0, 1, 2, 3, 5], vec![1, 1, 1, 0, 0]]);
        let d = vec![1, 1, 0, 1, 1, 1, 1, 0];
        let (a, b) = (vec![0xa, 0xb], vec![0xc, 0xd, 0xe, 0xf, 0x10, 0x11]);
        let o = complete(&kernel("carry"), &[d.clone(), a.clone(), b], seed);
        assert_eq!(o.outputs, [[0xa, 0xc, 0xd, 0xb, 0xe, 0xf, 0x10, 0x11]]);
        let o = complete(&kernel("invariant"), &[d, a], seed);
        assert_eq!(o.outputs, [[0xa, 0xa, 0xa, 0xb, 0xb, 0xb, 0xb, 0xb]]);
    }
}

#[test]
fn stream_gate_carry() {
    let g = kernel("stream_gate_carry");
    for seed in 0..50 {
        let o = complete(&g, &[vec![0, 3], vec![1, 1], vec![4, 4], vec![77, 88]], seed);
        assert_eq!(o.outputs, [vec![0, 1, 2, 3, 3], vec![1, 1, 1, 0, 0], vec![77, 0, 1, 2, 88]]);
    }
}

#[test]
fn sum() {
    let g = kernel("sum");
    let counts = [0u64, 1, 2, 1000, 0, 16];
    let inputs = [vec![0; 6], vec![1; 6], counts.to_vec(), vec![5; 6]];
    let want: Vec<u64> = counts.iter().map(|&n| 5 + n * n.saturating_sub(1) / 2).collect();
    for seed in 0..5 {
        assert_eq!(complete(&g, &inputs, seed).outputs, std::slice::from_ref(&want));
    }
}

#[test]
fn nested() {
    let g = kernel("nested");
    let cases = [(0u64, 5u64), (3, 0), (1, 1), (2, 1000), (1000, 2), (0, 0), (4, 3)];
    let want: Vec<u64> = cases
        .iter()
        .map(|&(n, m)| (0..n).flat_map(|i| (0..m).map(move |j| i * 3 + j)).sum::<u64>() & 0xffff_ffff)
        .collect();
    let inputs = [cases.map(|c| c.0).to_vec(), cases.map(|c| c.1).to_vec(), vec![0; cases.len()]];
    for seed in 0..5 {
        assert_eq!(complete(&g, &inputs, seed).outputs, std::slice::from_ref(&want));
    }
}

#[test]
fn diamond() {
    let g = kernel("diamond");
    let counts = [0i64, 1, 2, 1000, 7];
    let want = counts.map(|n| i32_bits((0..n).map(|i| if i & 1 == 1 { i } else { -i }).sum::<i64>() - 3));
    let inputs = [counts.map(|n| n as u64).to_vec(), vec![i32_bits(-3); 5], vec![0; 5]];
    for seed in 0..5 {
        let o = complete(&g, &inputs, seed);
        assert_eq!(o.outputs, [want.to_vec()]);
    }
    assert_eq!(sign_extend(want[1], 32), -3);
}

#[test]
fn collatz() {
    let g = kernel("collatz");
    let steps = |mut x: u64| {
        let mut n = 0;
        while x > 1 {
            x = if x % 2 == 1 { 3 * x + 1 } else { x / 2 };
            n += 1;
        }
        n
    };
    let starts = [1u64, 2, 27, 0, 7, 97];
    let want: Vec<u64> = starts.iter().map(|&x| steps(x)).collect();
    for seed in 0..5 {
        assert_eq!(complete(&g, &[starts.to_vec(), vec![0; 6]], seed).outputs, std::slice::from_ref(&want));
    }
}
