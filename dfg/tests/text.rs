//! The text form: bad inputs with their diagnostics, good ones with their canonical form, and mutations of all of
//! them, which must never panic or hang.

use expect_test::expect_file;
use loom_base::{Rng, Source};
use loom_dfg::{parse, print};
use std::path::{Path, PathBuf};

fn files(folder: &str) -> Vec<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(path.to_str().unwrap()));
        } else if path.to_str().unwrap().ends_with(".dfg.mlir") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn source(path: &Path) -> Source {
    Source::new(path.file_name().unwrap().to_str().unwrap(), std::fs::read_to_string(path).unwrap())
}

fn rendered(source: &Source) -> Option<String> {
    let problems = parse(source).err()?;
    Some(problems.iter().map(|d| d.render(source) + "\n\n").collect())
}

#[test]
fn a_profile_is_read_back_as_it_was_written() {
    let text = "handshake.func @f(%x: i32, ...) -> (i32)
    attributes {argNames = [\"x\"], resNames = [\"out\"], loom.profile = [\"c 3 12\", \"gone 0 1\"]} {
  %a:3 = fork [3] %x : i32
  %c = arith.cmpi eq, %a#0, %a#1 : i32
  %r = arith.extui %c : i1 to i32
  %s = arith.addi %r, %a#2 : i32
  return %s : i32
}
";
    let read = |text: &str| parse(&Source::new("f.dfg.mlir", text)).expect("a graph");
    let graph = read(text);
    let said = graph.profile.of("c").expect("it is there");
    assert_eq!((said.no, said.yes, graph.profile.of("x")), (3, 12, None));
    assert_eq!(read(&print(&graph)).profile, graph.profile);
    // A run tells what conditions said in it.
    let inputs = [vec![1, 2, 3]];
    let run = loom_dfg::interp::run(&graph, &inputs, &loom_dfg::interp::InterpOptions::default());
    let said = run.profile(&graph).of("c").expect("it had tokens");
    assert_eq!((said.no, said.yes), (0, 3));
}

#[test]
fn bad_inputs_get_good_errors() {
    for path in files("tests/bad") {
        let text = rendered(&source(&path)).unwrap_or_else(|| panic!("{} is accepted", path.display()));
        let snapshot = path.to_str().unwrap().replace(".dfg.mlir", ".stderr");
        expect_file![snapshot].assert_eq(&text);
    }
}

/// One fork has 4096 results at most: what has more uses goes through several, and reads back as the value that it is.
#[test]
fn a_value_with_very_many_uses_reads_back() {
    for uses in [4096, 4097, 8191, 8192, 20_000] {
        let mut graph = loom_dfg::Graph::new(loom_base::Name::new("many").expect("a name"));
        let [mut sum, x] = ["a", "x"].map(|name| graph.add_argument(name, loom_dfg::Type::Int(32)));
        for k in 0..uses {
            let add = loom_dfg::Op::Plain(loom_dfg::OpKind::Addi);
            let node = graph.add_node(add, &[sum, x], &[loom_dfg::Type::Int(32)]);
            sum = graph.result(node, 0);
            graph.values[sum.0 as usize].name = format!("s{k}");
        }
        graph.add_output("r", sum);
        let text = print(&graph);
        let source = Source::new("many.dfg.mlir", &text);
        let read = parse(&source).unwrap_or_else(|d| panic!("{uses} uses: {}", d[0].render(&source)));
        assert_eq!(read.uses()[read.arguments[1].0 as usize].len(), uses);
        assert!(print(&read) == text, "{uses} uses");
    }
}

/// Files are called after the function: what could lead elsewhere, or into a shell, is refused where it is read.
#[test]
fn names_that_are_no_files_are_refused() {
    let long = "x".repeat(300);
    for name in ["/abs/name", "../../up", "a\\0Ab", "$(reboot)", "", "größe", "a.b", "-o", &long] {
        let text = format!(
            "handshake.func @\"{name}\"(%ctl: none, ...) -> (none) attributes {{argNames = [\"ctl\"], \
             resNames = [\"done\"]}} {{\n  return %ctl : none\n}}\n"
        );
        let errors = parse(&Source::new("hostile.dfg.mlir", text)).unwrap_err();
        assert_eq!(errors.iter().map(|d| d.code.id).collect::<Vec<_>>(), ["D0016"], "{name}");
    }
}

#[test]
fn good_inputs_have_a_canonical_form() {
    for path in files("tests/good").into_iter().chain(files("../kernels")) {
        let source = source(&path);
        let graph = parse(&source).unwrap_or_else(|_| panic!("{}", rendered(&source).unwrap()));
        let text = print(&graph);
        let again = Source::new("printed", text.clone());
        let again = parse(&again).unwrap_or_else(|_| panic!("{text}\n{}", rendered(&again).unwrap()));
        assert_eq!(print(&again), text, "{}", path.display());
        if path.parent().unwrap().ends_with("good") {
            expect_file![path.to_str().unwrap().replace(".dfg.mlir", ".printed")].assert_eq(&text);
        }
    }
}

/// Bytes deleted, doubled, swapped, replaced, and pieces of one file in another.
#[test]
fn mutations_do_not_panic() {
    let all: Vec<String> = files("tests/good")
        .into_iter()
        .chain(files("../kernels"))
        .chain(files("tests/bad"))
        .map(|p| std::fs::read_to_string(p).unwrap())
        .collect();
    let mut rng = Rng::new(2026);
    for _ in 0..4000 {
        let mut bytes = rng.pick(&all).clone().into_bytes();
        for _ in 0..1 + rng.below(4) {
            if bytes.is_empty() {
                break;
            }
            let at = rng.below(bytes.len());
            let end = (at + 1 + rng.below(20)).min(bytes.len());
            match rng.below(6) {
                0 => drop(bytes.drain(at..end)),
                1 => {
                    let piece = bytes[at..end].to_vec();
                    bytes.splice(at..at, piece);
                }
                2 => {
                    let other = rng.below(bytes.len());
                    bytes.swap(at, other);
                }
                3 => bytes[at] = *rng.pick(b"{}()[]<>,:=#%@!\"'-0x9\n /.*\xff"),
                4 => {
                    let other = rng.pick(&all).as_bytes();
                    let from = rng.below(other.len());
                    let piece = other[from..(from + 40).min(other.len())].to_vec();
                    bytes.splice(at..at, piece);
                }
                _ => bytes.truncate(at),
            }
        }
        let source = Source::new("mutated", String::from_utf8_lossy(&bytes).into_owned());
        match parse(&source) {
            Ok(graph) => {
                let text = print(&graph);
                let again =
                    parse(&Source::new("printed", text.clone())).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
                assert_eq!(print(&again), text);
            }
            Err(problems) => {
                assert!(!problems.is_empty(), "{}", source.text);
                problems.iter().for_each(|d| drop(d.render(&source)));
            }
        }
    }
}

#[test]
fn deep_and_long_inputs_end() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(100_000), close.repeat(100_000));
    let texts = [
        deep("module {", "}"),
        format!("handshake.func @f(%a: memref{}) {{ return }}", deep("<", ">")),
        format!("handshake.func @f() attributes {{a = {}}} {{ return }}", deep("[{x = ", "}]")),
        format!("handshake.func @f(%a: i32) -> (i32) {{\n{}return %a : i32\n}}", "%x = foo\n".repeat(10_000)),
        format!("handshake.func @f(%a: i32) -> (i32) {{\n return %a : i32 {}\n}}", deep("loc(", ")")),
        "%".repeat(100_000),
        "\u{e9}".repeat(100_000),
    ];
    for text in texts {
        let _ = parse(&Source::new("deep", text));
    }
}
