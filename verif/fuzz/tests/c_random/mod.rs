//! Random functions in C: what they do when clang compiles them for this machine, with and without optimisation, against
//! the program with jumps in the structured interpreter, and against the graphs, in both memory orders. Small ones also run
//! on a mesh, in the native model and in Verilog.
//!
//! More of them: `LOOM_C_RANDOM=from..to cargo test -p loom-fuzz c_random`, of small ones with `LOOM_C_RANDOM_VERILOG`.

mod write;

use loom_base::rng::mix;
use loom_base::{sign_extend, truncate, Rng, Source};
use loom_dfg::{float::from_f64, Type};
use loom_flow::clang::{Imported, Request, Translation};
use loom_front::ir::{Func, ValueType};
use loom_fuzz::structured::{self, ORDERS};
use loom_fuzz::{Fate, Target};
use loom_llvm::Passed;
use loom_testkit::differential::{check, Settings};
use loom_testkit::fabrics::{fabric, verilated};
use loom_testkit::programs::{Call, RandomArgument, RandomProgram};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use write::{Function, Size, Ty, LENGTH, PRELUDE};

/// Functions that go through the tools at once.
const BATCH: u64 = 50;
const STEPS: u64 = 2_000_000;
/// Of functions that run on a fabric, which would take as many cycles.
const SMALL_STEPS: u64 = 2_000;
/// The meshes for programs in C have units for all that such a function computes.
const FABRIC: &str = "configs/general-4x4.toml";

/// Bytes of an array before the first call: numbers of all sizes, floats that are small.
fn bytes(fields: &[Ty], rng: &mut Rng) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..LENGTH {
        for field in fields {
            match field {
                Ty::Int { bits, .. } => {
                    let number = sign_extend(truncate(rng.next_u64(), 64), 64) >> rng.below(64);
                    out.extend(&number.to_le_bytes()[..*bits as usize / 8]);
                }
                Ty::F16 => {
                    let bits = from_f64(Type::F16, rng.below(200) as f64 / 8.0 - 10.0);
                    out.extend(&bits.to_le_bytes()[..2]);
                }
                Ty::F32 => out.extend((rng.below(200) as f32 / 4.0 - 20.0).to_le_bytes()),
                Ty::F64 => out.extend((rng.below(200) as f64 / 8.0 - 10.0).to_le_bytes()),
            }
        }
    }
    out
}

/// A number as its bits.
fn scalar(ty: Ty, rng: &mut Rng) -> u64 {
    let raw = bytes(&[ty], rng);
    raw[..ty.bytes()].iter().rev().fold(0, |sum, &b| sum << 8 | u64::from(b))
}

/// A function with what it is called with.
struct Subject {
    function: Function,
    buffers: Vec<Vec<u8>>,
    calls: Vec<(u64, u64)>,
}

fn subject(seed: u64, size: Size) -> Subject {
    let mut rng = Rng::new(mix(seed));
    let function = write::function(&format!("f{seed}"), size, &mut rng);
    let buffers = function.arrays.iter().map(|a| bytes(&a.fields, &mut rng)).collect();
    let calls = (0..size.either(2, 4)).map(|_| (rng.below(7) as u64, scalar(function.k, &mut rng))).collect();
    Subject { function, buffers, calls }
}

/// A program that calls every function and prints results and memory, a line each.
fn harness(subjects: &[Subject]) -> String {
    let mut out = String::from("#include <stdio.h>\nint main(void)\n{\n");
    for s in subjects {
        let f = &s.function;
        out.push_str("    {\n");
        for (array, bytes) in f.arrays.iter().zip(&s.buffers) {
            let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
            let _ = writeln!(
                out,
                "        static _Alignas(8) unsigned char {}[] = {{{}}};",
                array.name,
                list.join(",")
            );
        }
        for (n, k) in &s.calls {
            let arrays: Vec<String> = f.arrays.iter().map(|a| format!("({} *){}", a.text, a.name)).collect();
            let _ =
                writeln!(out, "        {{ uint64_t k0 = {k}u; {} k; memcpy(&k, &k0, sizeof k);", f.k.name());
            let _ =
                writeln!(out, "        {} r = {}({}, {n}, k);", f.result.name(), f.name, arrays.join(", "));
            out.push_str("        uint64_t bits = 0; memcpy(&bits, &r, sizeof r); printf(\"%llx \", (unsigned long long)bits); }\n");
        }
        for array in &f.arrays {
            let _ = writeln!(
                out,
                "        for (size_t i = 0; i < sizeof {0}; i++) printf(\"%02x\", {0}[i]);",
                array.name
            );
        }
        out.push_str("        puts(\"\");\n    }\n");
    }
    out + "    return 0;\n}\n"
}

/// The memory of a program, in words of the type that its arguments have.
fn words(func: &Func, argument: usize, bytes: &[u8]) -> Vec<u64> {
    let size = match &func.argument_types[argument] {
        ValueType::Memref(m) => m.element.width(64) as usize / 8,
        ValueType::Scalar(_) => 8,
    };
    bytes.chunks_exact(size).map(|c| c.iter().rev().fold(0, |sum, &b| sum << 8 | u64::from(b))).collect()
}

/// What a function's memory arguments are: each the array that it is, or is a view of. Behind the arguments that the function
/// has in C stand further views.
fn arrays(imported: &Imported) -> Vec<(usize, usize)> {
    let func = &imported.program.funcs[0];
    let own = func.argument_types.len() - imported.passed.len();
    let array = |argument: usize| match argument.checked_sub(own).map(|at| &imported.passed[at]) {
        None => argument,
        Some(&Passed::Argument(first)) => first,
        Some(other) => panic!("the function has no {other:?}"),
    };
    let is_memory = |&argument: &usize| func.argument_types[argument].memref().is_some();
    (0..func.argument_types.len()).filter(is_memory).map(|argument| (argument, array(argument))).collect()
}

/// The bytes of an array behind a run, of which each view has changed some.
fn together(before: &[u8], views: &[Vec<u64>]) -> Result<Vec<u8>, String> {
    let mut after = before.to_vec();
    let mut changed = vec![false; before.len()];
    for view in views {
        let size = before.len() / view.len();
        let bytes = view.iter().flat_map(|word| word.to_le_bytes().into_iter().take(size));
        for (at, byte) in bytes.enumerate().filter(|&(at, byte)| byte != before[at]) {
            if std::mem::replace(&mut changed[at], true) {
                return Err(format!("two views write byte {at}"));
            }
            after[at] = byte;
        }
    }
    Ok(after)
}

/// The function with its calls, where interpreters and graphs do what the machine did.
fn one(s: &Subject, imported: &Imported, native: &str) -> Result<RandomProgram, String> {
    let module = &imported.program;
    let func = &module.funcs[0];
    let arrays = arrays(imported);
    let buffers: Vec<Vec<u64>> =
        arrays.iter().map(|&(argument, array)| words(func, argument, &s.buffers[array])).collect();
    let calls = s.calls.iter().map(|&(n, k)| {
        let argument = |at: usize| match arrays.iter().position(|&(argument, _)| argument == at) {
            Some(buffer) => RandomArgument::Buffer(buffer),
            // A pointer that nobody uses is a number.
            None => RandomArgument::Scalar([0, 0, 0, n, k][at]),
        };
        Call { arguments: (0..func.argument_types.len()).map(argument).collect() }
    });
    let program = RandomProgram {
        source: module.clone(),
        function: func.name.clone(),
        buffers,
        calls: calls.collect(),
    };
    let meant = program.run(STEPS).map_err(|f| format!("faults: {}", f.message))?;
    let mut text = String::new();
    for result in &meant.results {
        let _ = write!(text, "{:x} ", result[0]);
    }
    for (i, before) in s.buffers.iter().enumerate() {
        let of_array = meant.buffers.iter().zip(&arrays).filter(|(_, &(_, array))| array == i);
        let views: Vec<Vec<u64>> = of_array.map(|(view, _)| view.clone()).collect();
        together(before, &views)?.iter().for_each(|b| _ = write!(text, "{b:02x}"));
    }
    if text != native {
        let at = text.bytes().zip(native.bytes()).position(|(a, b)| a != b);
        return Err(format!("differs from the machine at character {at:?}:\n{native}\n{text}"));
    }
    check(&program, &Settings { schedules: 1, seed: 1, max_steps: STEPS })?;
    Ok(program)
}

/// A verdict for each seed.
fn batch(seeds: Range<u64>, size: Size, folder: &Path) -> Vec<Result<RandomProgram, String>> {
    let subjects: Vec<Subject> = seeds.clone().map(|seed| subject(seed, size)).collect();
    let text: String =
        PRELUDE.to_string() + &subjects.iter().map(|s| &s.function.text[..]).collect::<String>();
    let [file, main, binary] =
        ["k.c", "main.c", "native"].map(|n| folder.join(format!("{}{n}", seeds.start)));
    std::fs::write(&file, &text).expect("a file");
    std::fs::write(&main, text.clone() + &harness(&subjects)).expect("a file");
    let native = |optimisation: &str| {
        let out = Command::new("clang-19")
            .args([optimisation, "-w", "-ffp-contract=off", "-fno-strict-aliasing", "-lm"])
            .arg(&main)
            .arg("-o")
            .arg(&binary)
            .output();
        let out = out.expect("clang runs");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(Command::new(&binary).output().expect("it runs").stdout).expect("text")
    };
    // A difference between the two is undefined behaviour, which the writer has to avoid.
    let (native, optimised) = (native("-O0"), native("-O2"));
    let differs = native.lines().zip(optimised.lines()).position(|(a, b)| a != b);
    assert_eq!(differs.map(|at| &subjects[at].function.text), None);
    let source = Source::new(file.to_str().expect("UTF-8"), text);
    let program = Translation::translate(&Request { files: vec![file], ..Request::default() });
    let program = program.unwrap_or_else(|r| panic!("{}", r.said));
    let names: Vec<&str> = subjects.iter().map(|s| &s.function.name[..]).collect();
    let made = program.import_all(&names, &source, Default::default()).expect("the tools take it");
    assert_eq!(native.lines().count(), subjects.len());
    let judged = subjects.iter().zip(made).zip(native.lines()).map(|((s, made), native)| {
        let verdict = match made {
            Ok(imported) => one(s, &imported, native)
                .map_err(|e| format!("{e}\n{}\n{}", s.function.text, imported.stages.cf)),
            Err(d) => Err(format!("{}\n{}", d[0].render(&source), s.function.text)),
        };
        verdict.map_err(|e| format!("{}: {e}", s.function.name))
    });
    judged.collect()
}

/// What is kept of each seed's verdict, in order. Batches go beside each other, since the tools take their time.
fn batches<T: Send>(
    seeds: Range<u64>,
    size: Size,
    kept: fn(Result<RandomProgram, String>) -> Option<T>,
) -> Vec<T> {
    let folder = tempfile::tempdir().expect("a folder");
    let starts: Vec<u64> = seeds.clone().step_by(BATCH as usize).collect();
    starts
        .into_par_iter()
        .flat_map_iter(|s| batch(s..(s + BATCH).min(seeds.end), size, folder.path()))
        .filter_map(kept)
        .collect()
}

/// Seeds that were asked for.
fn range(name: &str, usual: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var(name) else { return usual };
    let (from, to) = text.split_once("..").expect("from..to");
    from.parse().expect("a number")..to.parse().expect("a number")
}

#[test]
fn random_functions_do_what_the_machine_does() {
    let wrong = batches(range("LOOM_C_RANDOM", 0..300), Size::Any, Result::err);
    assert!(wrong.is_empty(), "{} wrong, the first:\n{}", wrong.len(), wrong[0]);
}

/// Four calls of each under stalls, with slow memory, in one run of the fabric.
#[test]
fn small_functions_do_the_same_in_verilog() {
    let f = fabric(FABRIC);
    let built = verilated(&f);
    let seeds = range("LOOM_C_RANDOM_VERILOG", 0..120);
    let verdicts = batches(seeds.clone(), Size::Small, Some);
    let programs = seeds.zip(verdicts).map(|(seed, v)| (seed, v.unwrap_or_else(|e| panic!("{e}"))));
    let jobs: Vec<_> = programs
        .filter(|(_, p)| p.run(SMALL_STEPS).is_ok())
        .flat_map(|(seed, p)| ORDERS.map(|order| (seed, p.clone(), order)))
        .collect();
    let drawn = jobs.len();
    // Any legal mapping will do.
    let options = loom_map::MapOptions { steps_per_item: 200, attempts: 3, ..Default::default() };
    let target = Target { fabric: &f, options };
    let fates: Vec<(u64, Fate)> = jobs
        .into_par_iter()
        .map(|(seed, program, order)| {
            let program = structured::surrounded(seed, program, &mut Rng::new(mix(seed)));
            (seed, structured::check(&program, order, &target, Some(&built)))
        })
        .collect();
    let (mut functions, mut runs, mut wrong) = (Vec::new(), 0, Vec::new());
    let mut refused = BTreeMap::<String, usize>::new();
    for (seed, fate) in fates {
        match fate {
            Fate::Agrees(report) => {
                assert!(report.verilog_cycles.is_some());
                runs += 1;
                functions.push(seed);
            }
            Fate::DoesNotFit(why) => *refused.entry(why).or_default() += 1,
            Fate::Fails(why) => wrong.push(format!("f{seed}: {why}")),
        }
    }
    functions.dedup();
    println!(
        "{} functions and {runs} of {drawn} graphs through Verilog, refused: {refused:#?}",
        functions.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    // A refusal is for want of room, never for an op that the fabric has not.
    assert!(!refused.keys().any(|why| why.contains("M0101")), "{refused:#?}");
    assert!(functions.len() >= 20, "only {functions:?}");
}
