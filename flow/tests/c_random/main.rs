//! Random functions in C: what they do when clang compiles them for this machine, with and without optimisation, against
//! the program with jumps in the structured interpreter, and against the graphs, in both memory orders.
//!
//! More of them: `LOOM_C_RANDOM=from..to cargo test -p loom-flow --test c_random`.

mod write;

use loom_base::rng::mix;
use loom_base::{sign_extend, truncate, Rng, Source};
use loom_flow::clang::{Request, Translation};
use loom_front::ir::{Func, ValueType};
use loom_testkit::differential::{check, Settings};
use loom_testkit::programs::{Call, RandomArgument, RandomProgram};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use write::{Function, Ty, LENGTH, PRELUDE};

/// Functions that go through the tools at once.
const BATCH: u64 = 50;
const STEPS: u64 = 2_000_000;

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

fn subject(seed: u64) -> Subject {
    let mut rng = Rng::new(mix(seed));
    let function = write::function(&format!("f{seed}"), &mut rng);
    let buffers = function.arrays.iter().map(|a| bytes(&a.fields, &mut rng)).collect();
    let calls = (0..2).map(|_| (rng.below(7) as u64, scalar(function.k, &mut rng))).collect();
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

fn one(s: &Subject, module: &loom_front::ir::Program, native: &str) -> Result<(), String> {
    let func = &module.funcs[0];
    let buffers: Vec<Vec<u64>> = s.buffers.iter().enumerate().map(|(i, b)| words(func, i, b)).collect();
    let calls = s.calls.iter().map(|&(n, k)| Call {
        arguments: [0, 1, 2]
            .map(RandomArgument::Buffer)
            .into_iter()
            .chain([RandomArgument::Scalar(n), RandomArgument::Scalar(k)])
            // A pointer that nobody uses is a number.
            .zip(&func.argument_types)
            .map(|(a, ty)| {
                if ty.memref().is_none() && matches!(a, RandomArgument::Buffer(_)) {
                    RandomArgument::Scalar(0)
                } else {
                    a
                }
            })
            .collect(),
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
    for (i, buffer) in meant.buffers.iter().enumerate() {
        let size = s.buffers[i].len() / buffer.len();
        for word in buffer {
            word.to_le_bytes()[..size].iter().for_each(|b| _ = write!(text, "{b:02x}"));
        }
    }
    if text != native {
        let at = text.bytes().zip(native.bytes()).position(|(a, b)| a != b);
        return Err(format!("differs from the machine at character {at:?}:\n{native}\n{text}"));
    }
    check(&program, &Settings { schedules: 1, seed: 1, max_steps: STEPS }).map(|_| ())
}

fn batch(seeds: std::ops::Range<u64>, folder: &Path) -> Vec<String> {
    let subjects: Vec<Subject> = seeds.clone().map(subject).collect();
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
    let made = program.import_all(&names, &source).expect("the tools take it");
    assert_eq!(native.lines().count(), subjects.len());
    let mut wrong = Vec::new();
    for ((s, made), native) in subjects.iter().zip(made).zip(native.lines()) {
        let verdict = match made {
            Ok(imported) => one(s, &imported.program, native)
                .map_err(|e| format!("{e}\n{}\n{}", s.function.text, imported.stages.cf)),
            Err(d) => Err(format!("{}\n{}", d[0].render(&source), s.function.text)),
        };
        wrong.extend(verdict.err().map(|e| format!("{}: {e}", s.function.name)));
    }
    wrong
}

#[test]
fn random_functions_do_what_the_machine_does() {
    let range = std::env::var("LOOM_C_RANDOM").unwrap_or_else(|_| "0..300".into());
    let (from, to) = range.split_once("..").expect("from..to");
    let (from, to): (u64, u64) = (from.parse().expect("a number"), to.parse().expect("a number"));
    let folder = tempfile::tempdir().expect("a folder");
    let starts: Vec<u64> = (from..to).step_by(BATCH as usize).collect();
    let run = |parity: usize| -> Vec<String> {
        let mine = starts.iter().skip(parity).step_by(2);
        mine.flat_map(|&s| batch(s..(s + BATCH).min(to), folder.path())).collect()
    };
    let wrong = std::thread::scope(|s| {
        let second = s.spawn(|| run(1));
        let mut wrong = run(0);
        wrong.extend(second.join().expect("no panic"));
        wrong
    });
    assert!(wrong.is_empty(), "{} wrong, the first:\n{}", wrong.len(), wrong[0]);
}
