//! Jumps that become structure: reviewed cases, and random programs that mean the same afterwards.

use expect_test::expect_file;
use loom_base::rng::mix;
use loom_base::{Rng, Source};
use loom_front::compile::{compile, CompileOptions};
use loom_front::ir::Program;
use loom_front::structure;
use loom_testkit::differential::{check, Settings};
use loom_testkit::programs::{random_jumps, RandomProgram};
use std::path::Path;

/// Random programs of `make test`.
const PROGRAMS: u64 = 500;

/// Each `.cf.mlir` of the folder against the `.scf.mlir` beside it, or the `.stderr` of one that is refused.
#[test]
fn cases_are_as_reviewed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/structure");
    let entries = std::fs::read_dir(&folder).expect("a folder").map(|e| e.expect("an entry").file_name());
    let names = entries.filter_map(|f| f.to_str()?.strip_suffix(".cf.mlir").map(str::to_string));
    for name in names {
        let file = format!("{name}.cf.mlir");
        let source = Source::new(&file, std::fs::read_to_string(folder.join(&file)).expect("a case"));
        let program = loom_front::parse(&source).unwrap_or_else(|d| panic!("{}", d[0].render(&source)));
        match structure::run(&program.funcs[0], Some(32)) {
            Ok(func) if compile(&program, &CompileOptions::default()).is_ok() => {
                let structured = Program { funcs: vec![func], ..Program::default() };
                assert!(loom_front::verify::verify(&structured).is_empty(), "{name}");
                expect_file![folder.join(format!("{name}.scf.mlir"))]
                    .assert_eq(&loom_front::print(&structured));
            }
            _ => {
                let refused = compile(&program, &CompileOptions::default()).expect_err("one that is refused");
                let shown: String = refused.iter().map(|d| d.render(&source)).collect();
                expect_file![folder.join(format!("{name}.stderr"))].assert_eq(&shown);
            }
        }
    }
}

#[test]
fn random_jumps_mean_what_their_structure_means() {
    let mut copied = 0;
    for seed in 0..4 * PROGRAMS {
        let program = random_jumps(&mut Rng::new(mix(seed)), seed % 3 == 0);
        let text = loom_front::print(&program.source);
        let wrong = loom_front::verify::verify(&program.source);
        assert!(wrong.is_empty(), "seed {seed}: {}\n{text}", wrong[0].message);
        let meant = program.run(20_000).unwrap_or_else(|f| panic!("seed {seed}: {}\n{text}", f.message));
        let func = match structure::has_jumps(&program.source.funcs[0]) {
            true => structure::run(&program.source.funcs[0], Some(32)),
            false => continue,
        };
        let func = func.unwrap_or_else(|d| panic!("seed {seed}: {}\n{text}", d[0].message));
        let small = structure::run(&program.source.funcs[0], None);
        copied += usize::from(small.is_ok_and(|small| small.ops.len() != func.ops.len()));
        let structured =
            RandomProgram { source: Program { funcs: vec![func], ..Program::default() }, ..program };
        let after = loom_front::print(&structured.source);
        let wrong = loom_front::verify::verify(&structured.source);
        assert!(wrong.is_empty(), "seed {seed}: {}\n{text}\n{after}", wrong[0].message);
        let found =
            structured.run(40_000).unwrap_or_else(|f| panic!("seed {seed}: {}\n{text}\n{after}", f.message));
        assert_eq!(found.results, meant.results, "seed {seed}\n{text}\n{after}");
        assert_eq!(found.buffers, meant.buffers, "seed {seed}\n{text}\n{after}");
    }
    assert!(copied > 40, "of {copied} a loop was copied for its states");
}

#[test]
fn random_jumps_mean_what_their_graphs_compute() {
    let settings = Settings { schedules: 2, seed: 0, max_steps: 40_000 };
    let mut ops = 0;
    for seed in 0..PROGRAMS {
        let program = random_jumps(&mut Rng::new(mix(seed)), seed % 3 == 0);
        match check(&program, &settings) {
            Ok(done) => ops += done.ops,
            Err(e) => panic!("seed {seed}: {e}\n{}", loom_front::print(&program.source)),
        }
    }
    assert!(ops > 10 * PROGRAMS as usize);
}

#[test]
fn what_grows_too_large_or_too_deep_is_refused() {
    let told = |body: &str| {
        let text = format!("func.func @f(%c: i1, %x: i32, %n: i32) -> i32 {{\n{body}}}\n");
        let source = Source::new("large.cf.mlir", text);
        let program = loom_front::parse(&source).unwrap_or_else(|d| panic!("{}", d[0].render(&source)));
        structure::run(&program.funcs[0], Some(32)).map(|_| ()).map_err(|d| d[0].message.clone())
    };
    // A jump into the middle of a loop of two blocks of so many operations.
    let entered = |ops: usize| {
        let body = |block: &str, to: &str| {
            let mut text = format!("^{block}(%{block}0: i32):\n");
            for k in 0..ops {
                text += &format!("  %{block}{} = arith.divsi %{block}{k}, %n : i32\n", k + 1);
            }
            text + &format!("  cf.cond_br %c, ^{to}(%{block}{ops} : i32), ^end(%{block}{ops} : i32)\n")
        };
        let jumps = "  cf.cond_br %c, ^a(%x : i32), ^b(%x : i32)\n";
        told(&format!("{jumps}{}{}^end(%r: i32):\n  return %r : i32\n", body("a", "b"), body("b", "a")))
    };
    assert_eq!(entered(300), Ok(()));
    let message = "a loop that is entered in 2 places and too large to be copied";
    assert_eq!(entered(400), Err(message.to_string()));
    // So many branches inside each other.
    let nested = |levels: usize| {
        let mut text = String::new();
        for k in 0..levels {
            text += &format!("  %q{k} = arith.divsi %x, %n : i32\n  cf.cond_br %c, ^go{k}, ^leave{k}\n");
            text += &format!("^leave{k}:\n  return %q{k} : i32\n^go{k}:\n");
        }
        told(&(text + "  return %x : i32\n"))
    };
    assert_eq!(nested(60), Ok(()));
    assert_eq!(nested(61), Err("`@f` nests branches and loops more than 60 deep".to_string()));
}
