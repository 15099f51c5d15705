//! The text form: bad inputs with their diagnostics, good ones with their canonical form, and mutations of all of
//! them, which must never panic or hang.

use expect_test::{expect, expect_file};
use loom_base::{Rng, Source};
use loom_dfg::{ContCond, Counter, StepOp, Type};
use loom_front::ir::{BlockId, Func, Kind, OpId, Program, RegionId, Successor, ValueId, ValueType};
use loom_front::verify::verify;
use loom_front::{parse, print};
use loom_testkit::programs::{random_program, RandomOptions};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

fn files(folder: &str) -> Vec<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.to_str().unwrap().ends_with(".scf.mlir"));
    found.sort();
    found
}

fn kernels() -> Vec<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()).collect();
    folders.retain(|f| f.is_dir());
    folders.sort();
    folders.iter().flat_map(|f| files(f.to_str().unwrap())).collect()
}

fn source(path: &Path) -> Source {
    Source::new(path.file_name().unwrap().to_str().unwrap(), std::fs::read_to_string(path).unwrap())
}

fn rendered(source: &Source) -> Option<String> {
    let problems = parse(source).err()?;
    Some(problems.iter().map(|d| d.render(source) + "\n\n").collect())
}

#[test]
fn bad_inputs_get_good_errors() {
    for path in files("tests/bad") {
        let text = rendered(&source(&path)).unwrap_or_else(|| panic!("{} is accepted", path.display()));
        let snapshot = path.to_str().unwrap().replace(".scf.mlir", ".stderr");
        expect_file![snapshot].assert_eq(&text);
    }
}

/// Each line doubles what the one before stands for: without a budget 64 of them fill no memory that there is.
#[test]
fn aliases_of_aliases_have_a_budget() {
    let bombs = [("#a", "[1]", "[@, @]"), ("#a", "1", "{x = @, y = @}"), ("!t", "i32", "(@, @) -> @")];
    for (name, first, next) in bombs {
        let mut text = format!("{name}0 = {first}\n");
        for k in 0..64 {
            text += &format!("{name}{} = {}\n", k + 1, next.replace('@', &format!("{name}{k}")));
        }
        text += "func.func @f(%a: i32) -> i32 {\n  return %a : i32\n}\n";
        let problems = parse(&Source::new("bomb.scf.mlir", text)).expect_err("refused");
        assert_eq!(problems[0].code.id, "F0022", "{}", problems[0].message);
    }
}

/// The codes of this module's errors; those of the lowering have files of their own.
#[test]
fn every_code_has_a_bad_file() {
    let found: Vec<&str> = (files("tests/bad").iter())
        .flat_map(|path| parse(&source(path)).err().unwrap_or_default())
        .map(|d| d.code.id)
        .collect();
    for code in loom_front::codes::CODES.iter().filter(|c| c.id <= "F0022") {
        assert!(found.contains(&code.id), "{}", code.id);
    }
}

#[test]
fn good_inputs_have_a_canonical_form() {
    for path in files("tests/good").into_iter().chain(files("tests/mlir")).chain(kernels()) {
        let source = source(&path);
        let program = parse(&source).unwrap_or_else(|_| panic!("{}", rendered(&source).unwrap()));
        let text = print(&program);
        let again = Source::new("printed", text.clone());
        let again = parse(&again).unwrap_or_else(|_| panic!("{text}\n{}", rendered(&again).unwrap()));
        assert_eq!(print(&again), text, "{}", path.display());
        same_modules(&program, &again);
        if path.parent().unwrap().ends_with("good") {
            expect_file![path.to_str().unwrap().replace(".scf.mlir", ".printed")].assert_eq(&text);
        }
    }
}

/// Programs in the arena that never were text: they verify, and what is printed reads back as the same program.
#[test]
fn random_programs_read_back() {
    for seed in 0..300 {
        let program = random_program(&mut Rng::new(seed), &RandomOptions::default());
        let program = program.source;
        assert_eq!(verify(&program), vec![], "seed {seed}");
        let text = print(&program);
        let source = Source::new("printed", text.clone());
        let again = parse(&source).unwrap_or_else(|_| panic!("seed {seed}\n{}", rendered(&source).unwrap()));
        assert_eq!(print(&again), text, "seed {seed}");
        same_modules(&program, &again);
    }
}

fn same_modules(a: &Program, b: &Program) {
    assert_eq!((a.globals.len(), a.funcs.len()), (b.globals.len(), b.funcs.len()));
    for (a, b) in a.globals.iter().zip(&b.globals) {
        let parts = |g: &loom_front::ir::Global| (g.name.clone(), g.ty.clone(), g.constant, g.init.clone());
        assert_eq!(parts(a), parts(b));
    }
    for (a, b) in a.funcs.iter().zip(&b.funcs) {
        assert_eq!((&a.name, a.private), (&b.name, b.private));
        assert_eq!((&a.argument_types, &a.result_types), (&b.argument_types, &b.result_types));
        assert_eq!(a.argument_attributes, b.argument_attributes);
        let has_raised = a.ops.iter().any(|op| match op.kind {
            Kind::For { .. } => op.kind != Kind::COUNT_UP,
            _ => false,
        });
        // Those come back as the `scf.while` they stand for.
        if !has_raised {
            let mut same = Same { a, b, values: HashMap::new(), blocks: HashMap::new() };
            match (a.body, b.body) {
                (Some(x), Some(y)) => {
                    same.number(x, y);
                    same.regions(x, y);
                }
                (x, y) => assert_eq!(x.is_some(), y.is_some()),
            }
        }
    }
}

/// Walks two functions side by side.
struct Same<'f> {
    a: &'f Func,
    b: &'f Func,
    values: HashMap<ValueId, ValueId>,
    blocks: HashMap<BlockId, BlockId>,
}

impl Same<'_> {
    /// What defines is paired first: with jumps a use may stand before the definition.
    fn number(&mut self, x: RegionId, y: RegionId) {
        let (x, y) = (&self.a.region(x).blocks, &self.b.region(y).blocks);
        assert_eq!(x.len(), y.len());
        for (&x, &y) in x.iter().zip(y) {
            self.blocks.insert(x, y);
            let (x, y) = (self.a.block(x), self.b.block(y));
            self.pair(&x.arguments, &y.arguments);
            assert_eq!(x.ops.len(), y.ops.len());
            for (&x, &y) in x.ops.iter().zip(&y.ops) {
                let (x, y) = (self.a.op(x), self.b.op(y));
                self.pair(&x.results, &y.results);
                assert_eq!(x.regions.len(), y.regions.len());
                for (&x, &y) in x.regions.iter().zip(&y.regions) {
                    self.number(x, y);
                }
            }
        }
    }

    fn pair(&mut self, x: &[ValueId], y: &[ValueId]) {
        assert_eq!(x.len(), y.len());
        for (&x, &y) in x.iter().zip(y) {
            assert_eq!(self.a.ty(x), self.b.ty(y));
            self.values.insert(x, y);
        }
    }

    fn values(&self, x: &[ValueId], y: &[ValueId]) {
        assert_eq!(x.iter().map(|v| self.values[v]).collect::<Vec<_>>(), y);
    }

    fn regions(&self, x: RegionId, y: RegionId) {
        for (&x, &y) in self.a.region(x).blocks.iter().zip(&self.b.region(y).blocks) {
            for (&x, &y) in self.a.block(x).ops.iter().zip(&self.b.block(y).ops) {
                let (x, y) = (self.a.op(x), self.b.op(y));
                assert_eq!((&x.kind, x.nsw), (&y.kind, y.nsw));
                self.values(&x.operands, &y.operands);
                assert_eq!(x.successors.len(), y.successors.len());
                for (x, y) in x.successors.iter().zip(&y.successors) {
                    assert_eq!(self.blocks[&x.block], y.block);
                    self.values(&x.arguments, &y.arguments);
                }
                for (&x, &y) in x.regions.iter().zip(&y.regions) {
                    self.regions(x, y);
                }
            }
        }
    }
}

/// Bytes deleted, doubled, swapped, replaced, and pieces of one file in another.
#[test]
fn mutations_do_not_panic() {
    let all: Vec<String> = files("tests/mlir")
        .into_iter()
        .chain(files("tests/good"))
        .chain(files("tests/bad"))
        .map(|p| std::fs::read_to_string(p).unwrap())
        .collect();
    let mut rng = Rng::new(2026);
    for _ in 0..3000 {
        let mut bytes = rng.pick(&all).clone().into_bytes();
        for _ in 0..1 + rng.below(4) {
            if bytes.is_empty() {
                break;
            }
            let at = rng.below(bytes.len());
            let end = (at + 1 + rng.below(20)).min(bytes.len());
            match rng.below(7) {
                0 => drop(bytes.drain(at..end)),
                1 => {
                    let piece = bytes[at..end].to_vec();
                    bytes.splice(at..at, piece);
                }
                2 => {
                    let other = rng.below(bytes.len());
                    bytes.swap(at, other);
                }
                3 => bytes[at] = *rng.pick(b"{}()[]<>,:=#%@!^?\"'-0x9\n /.*\xff"),
                4 | 5 => {
                    let other = rng.pick(&all).as_bytes();
                    let from = rng.below(other.len());
                    let piece = other[from..(from + 40).min(other.len())].to_vec();
                    bytes.splice(at..at, piece);
                }
                _ => bytes.truncate(at),
            }
        }
        never_panics(&String::from_utf8_lossy(&bytes));
    }
}

/// Whole tokens exchanged: these reach deeper than bytes.
#[test]
fn exchanged_tokens_do_not_panic() {
    let all: Vec<String> = files("tests/good")
        .iter()
        .chain(&files("tests/mlir"))
        .map(|p| std::fs::read_to_string(p).unwrap())
        .collect();
    let words: Vec<Vec<&str>> =
        all.iter().map(|t| t.split_inclusive([' ', '\n', ',', ':', '(']).collect()).collect();
    let mut rng = Rng::new(7);
    for _ in 0..1500 {
        let mut text = rng.pick(&words).clone();
        for _ in 0..1 + rng.below(3) {
            let (at, other) = (rng.below(text.len()), rng.below(text.len()));
            match rng.below(3) {
                0 => text[at] = text[other],
                1 => text.swap(at, other),
                _ => drop(text.remove(at)),
            }
        }
        never_panics(&text.concat());
    }
}

fn never_panics(text: &str) {
    let source = Source::new("mutated", text);
    match parse(&source) {
        Ok(program) => {
            let text = print(&program);
            let again = Source::new("printed", text.clone());
            let again = parse(&again).unwrap_or_else(|_| panic!("{}", rendered(&again).unwrap()));
            assert_eq!(print(&again), text);
            same_modules(&program, &again);
        }
        Err(problems) => {
            assert!(!problems.is_empty(), "{text}");
            problems.iter().take(5).for_each(|d| drop(d.render(&source)));
        }
    }
}

#[test]
fn deep_and_long_inputs_end() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(20_000), close.repeat(20_000));
    let texts = [
        deep("module {", "}"),
        format!("func.func @f(%c: i1) {{ {} return }}", deep("scf.if %c {\n", "}\n")),
        format!("func.func @f(%c: i1) {{ {} return }}", deep("\"scf.if\"(%c) ({\n", "}) : (i1) -> ()\n")),
        format!("func.func @f(%a: memref{}) {{ return }}", deep("<", ">")),
        format!("func.func @f(%a: memref{}) {{ return }}", deep("<4xmemref", ">")),
        format!("func.func @f(%a: {}) {{ return }}", deep("(", ")")),
        format!("func.func @f() attributes {{a = {}}} {{ return }}", deep("[{x = ", "}]")),
        format!("memref.global @g : memref<4xi32> = dense<{}>", deep("[", "]")),
        format!("func.func @f() {{\n{}return\n}}", "%x = foo.bar\n".repeat(10_000)),
        format!("func.func @f() {{ return {} }}", deep("loc(", ")")),
        "%".repeat(100_000),
        "{".repeat(100_000),
        "func.func @f() {\n".repeat(1_000),
    ];
    for text in texts {
        // A location may be of any depth: it is skipped.
        let problems = parse(&Source::new("deep", text.clone())).err().unwrap_or_default();
        assert!(problems.len() <= 101 && problems.is_empty() == text.contains("loc("), "{}", &text[..60]);
    }
}

const INDEX: ValueType = ValueType::Scalar(Type::Index);

/// A loop that counts down, as raising makes it.
fn countdown() -> Program {
    let mut f = Func::new("down", &[("i", INDEX), ("n", INDEX), ("s", INDEX)], &[INDEX]);
    let block = f.entry(f.body.unwrap()).unwrap();
    let (lower, upper, step) = (f.arguments()[0], f.arguments()[1], f.arguments()[2]);
    let kind = Kind::For { counter: Counter::signed(StepOp::Sub), cond: ContCond::Gt };
    let op = f.push_op(block, kind, &[lower, upper, step, lower], &[INDEX]);
    let region = f.add_region();
    let body = f.add_block(region);
    let i = f.add_argument(body, "i", INDEX);
    f.add_argument(body, "acc", INDEX);
    f.push_op(body, Kind::Yield, &[i], &[]);
    f.op_mut(op).regions = vec![region];
    let result = f.result(op, 0);
    f.push_op(block, Kind::Return, &[result], &[]);
    Program { globals: Vec::new(), funcs: vec![f] }
}

#[test]
fn a_raised_loop_prints_as_while() {
    let program = countdown();
    assert_eq!(verify(&program), vec![]);
    let text = print(&program);
    expect![[r#"
        func.func @down(%i: index, %n: index, %s: index) -> index {
          %i_0, %0 = scf.while (%i_1 = %i, %acc = %i) : (index, index) -> (index, index) {
            %1 = arith.cmpi sgt, %i_1, %n : index
            scf.condition(%1) %i_1, %acc : index, index
          } do {
          ^bb0(%i_2: index, %acc_0: index):
            %2 = arith.subi %i_2, %s overflow<nsw> : index
            scf.yield %2, %i_2 : index, index
          }
          func.return %0 : index
        }
    "#]]
    .assert_eq(&text);
    let again = parse(&Source::new("printed", text.clone())).unwrap();
    assert_eq!(print(&again), text);
}

/// Arenas that only a program can build.
#[test]
fn broken_arenas_are_refused() {
    type Break = (&'static str, fn(&mut Func));
    let breaks: [Break; 9] = [
        ("an operand out of range", |f| f.ops[0].operands[0] = ValueId(999)),
        ("a region out of range", |f| f.ops[0].regions[0] = RegionId(999)),
        ("a region inside itself", |f| f.ops[0].regions[0] = RegionId(0)),
        ("a block twice", |f| f.regions[0].blocks.push(BlockId(0))),
        ("an operation twice", |f| f.blocks[0].ops.insert(0, OpId(0))),
        ("a result of another", |f| f.ops[1].results = vec![f.ops[0].results[0]]),
        ("an argument of another", |f| f.blocks[1].arguments[0] = f.blocks[0].arguments[0]),
        ("a block out of range", |f| {
            f.ops[1].successors.push(Successor { block: BlockId(999), arguments: Vec::new() });
        }),
        ("no blocks", |f| f.regions[0].blocks.clear()),
    ];
    for (what, break_it) in breaks {
        let mut program = countdown();
        break_it(&mut program.funcs[0]);
        assert!(!verify(&program).is_empty(), "{what}");
    }
}

#[test]
fn regions_nest_to_a_limit() {
    let nest = |n: usize| {
        format!("func.func @f(%c: i1) {{\n{}{}return\n}}", "scf.if %c {\n".repeat(n), "}\n".repeat(n))
    };
    assert!(parse(&Source::new("nest", nest(60))).is_ok());
    for n in [61, 64, 100] {
        let problems = parse(&Source::new("nest", nest(n))).unwrap_err();
        assert!(problems.iter().all(|d| d.code.id == "F0012"), "{n}");
    }
}
