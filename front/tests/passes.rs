//! Between the passes: over all kernels and random programs, what is said to hold after a pass holds, the verifier takes
//! the program, and it means what it meant.

use loom_base::{Rng, Source};
use loom_front::compile::{compile, Aim, CompileOptions};
use loom_front::ir::{Func, Global, Program};
use loom_front::normalize::normalize;
use loom_front::passes::{self, DivisionUnits, Pass, PassTarget};
use loom_front::{parse, print, verify::verify};
use loom_testkit::programs::{random_program, RandomOptions};
use std::path::Path;

/// The function after each pass, checked on the way; `None` when it cannot be lowered.
fn passed(name: &str, program: &Program, func: &Func, aim: Aim) -> Option<Vec<(&'static str, Program)>> {
    let target = PassTarget {
        aim,
        division: DivisionUnits { wide_products: true, ..DivisionUnits::default() },
        ..PassTarget::default()
    };
    let mut out = Vec::new();
    let mut check = |pass: &Pass, func: &Func, globals: &[Global]| {
        let name = format!("{name} after {}", pass.name);
        assert!(pass.holds(func, &target), "{name}: not so: {}", pass.after);
        let program = Program { globals: globals.to_vec(), funcs: vec![func.clone()] };
        let errors = verify(&program);
        assert!(errors.is_empty(), "{name}: {}\n{}", errors[0].message, print(&program));
        out.push((passes::find(pass.name).expect("it is in the list").name, program));
    };
    let mut func = func.clone();
    passes::STRUCTURE.run(&mut func, &program.globals, &target).ok()?;
    check(&passes::STRUCTURE, &func, &program.globals);
    let plain = normalize(&func, &program.globals, &target, &mut check).ok()?;
    if let Some(guarded) = plain.guarded() {
        check(&passes::GUARD, &guarded.func, &guarded.globals);
    }
    Some(out)
}

#[test]
fn kernels_between_the_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let folder = entry.unwrap().path();
        let path = folder.join(format!("{}.scf.mlir", folder.file_name().unwrap().to_string_lossy()));
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let name = path.display().to_string();
        let program = parse(&Source::new(&name, text)).unwrap();
        for func in program.funcs.iter().filter(|f| f.body.is_some()) {
            count += usize::from(passed(&name, &program, func, Aim::Speed).is_some());
        }
    }
    assert!(count >= 20, "{count} functions went all the way");
}

#[test]
fn random_programs_mean_the_same_after_each_pass() {
    for seed in 0..60 {
        let drawn = random_program(&mut Rng::new(seed), &RandomOptions::default());
        let meant = drawn.run(1_000_000).unwrap();
        let func = drawn.func().unwrap();
        let aim = if seed % 3 == 0 { Aim::Room } else { Aim::Speed };
        let steps = passed(&format!("seed {seed}"), &drawn.source, func, aim).expect("they can be lowered");
        assert!(steps.len() >= 7, "{}", steps.len());
        for (pass, program) in steps {
            // Open extents become arguments, which the calls do not give.
            if program.funcs[0].argument_types.len() != func.argument_types.len() {
                continue;
            }
            let mut after = drawn.clone();
            after.source = program;
            let got =
                after.run(4_000_000).unwrap_or_else(|f| panic!("seed {seed} after {pass}: {}", f.message));
            assert_eq!(
                (&got.results, &got.buffers),
                (&meant.results, &meant.buffers),
                "seed {seed} after {pass}"
            );
        }
    }
}

#[test]
fn the_program_is_kept_after_a_pass() {
    let text = "func.func @f(%a: i32, %i: index) -> i32 {\n  %c = arith.constant 1 : i32\n  \
                %r = scf.index_switch %i -> i32\n  case 2 {\n    %s = arith.addi %a, %c : i32\n    scf.yield %s : i32\n  }\n  \
                default {\n    scf.yield %a : i32\n  }\n  return %r : i32\n}\n";
    let module = parse(&Source::new("f.scf.mlir", text)).unwrap();
    for (name, runs) in
        [("switch", 1), ("simplify", 9), ("unroll", 1), ("flatten", 1), ("structure", 0), ("guard", 0)]
    {
        let options = CompileOptions { print_after: passes::find(name), ..CompileOptions::default() };
        let printed = compile(&module, &options).unwrap().printed;
        assert_eq!(printed.len(), runs, "{name}");
        for text in printed {
            assert!(!text.contains("index_switch"), "{name}");
            assert_eq!(print(&parse(&Source::new("again", text.clone())).unwrap()), text, "{name}");
        }
    }
}

#[test]
fn names_are_unique() {
    for pass in passes::PIPELINE {
        assert!(std::ptr::eq(passes::find(pass.name).unwrap(), pass), "{}", pass.name);
        assert!(pass.what.len() < 90 && pass.after.len() < 90, "{}", pass.name);
    }
}
