//! What `mlir-opt`'s ordinary pipelines hand over is read, and means what its own lowering of it means.

use loom_base::{Rng, Source};
use loom_front::compile::{compile, CompileOptions};
use loom_front::interp::{Argument, Machine, MachineOptions, View};
use loom_front::ir::Program;
use loom_front::{parse, print};
use std::path::{Path, PathBuf};
use std::process::Command;

/// To what has been read for long: `cf`, `arith`, `memref` and calls.
const LOWERING: &[&str] = &[
    "--lower-affine",
    "--pass-pipeline=builtin.module(func.func(scf-forall-to-for,convert-scf-to-cf),convert-math-to-funcs{convert-ctlz=0})",
];

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mlir");
    let mut found: Vec<PathBuf> = folder.read_dir().unwrap().map(|e| e.unwrap().path()).collect();
    found.sort();
    found
}

fn mlir_opt(path: &Path, options: &[&str]) -> String {
    let out = Command::new("mlir-opt-19").args(options).arg(path).output().expect("mlir-opt-19 runs");
    assert!(out.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("text")
}

fn read(name: &str, text: String) -> Program {
    let source = Source::new(name, text);
    let shown = |d: Vec<loom_base::Diagnostic>| d.iter().map(|d| d.render(&source)).collect::<String>();
    parse(&source).unwrap_or_else(|d| panic!("{}", shown(d)))
}

/// Results and both arrays after one call of `@f(memref<16xi32>, memref<16xi32>, index, i32)`.
fn run(program: &Program, arrays: &[Vec<u64>; 2], n: u64, k: u64) -> (Vec<u64>, Vec<Vec<Option<u64>>>) {
    let mut machine = Machine::new(program, MachineOptions::default());
    let func = program.func("f").expect("it has an `f`");
    let buffers = arrays.each_ref().map(|words| machine.add_buffer(words.clone()));
    let view = |i: usize| {
        let ty = func.argument_types[i].memref().expect("an array");
        Argument::Memref(View::whole(ty, buffers[i], 16).expect("it fits"))
    };
    let arguments = [view(0), view(1), Argument::Scalar(n), Argument::Scalar(k)];
    let results = machine.call("f", &arguments).unwrap_or_else(|f| panic!("{}", f.message));
    (results, buffers.map(|b| machine.buffer(b).to_vec()).to_vec())
}

#[test]
fn programs_mean_what_mlir_opt_lowers_them_to() {
    let mut rng = Rng::new(5);
    for path in files() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let direct = read(&name, std::fs::read_to_string(&path).unwrap());
        // What is read as other ops is printed as those, and is MLIR still.
        let printed = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(&printed, print(&direct)).expect("a file");
        let forms = [
            ("generic", read(&name, mlir_opt(&path, &["--mlir-print-op-generic"]))),
            ("printed", read(&name, mlir_opt(printed.path(), &[]))),
            ("half lowered", read(&name, mlir_opt(&path, &LOWERING[..1]))),
            ("lowered", read(&name, lowered(&path))),
        ];
        for _ in 0..40 {
            let small = rng.chance(50);
            let mut word = || if small { rng.below(9) as u64 } else { rng.next_u64() } & 0xffff_ffff;
            let arrays = [0, 1].map(|_| (0..16).map(|_| word()).collect::<Vec<u64>>());
            let k = word();
            let n = rng.below(17) as u64;
            let want = run(&direct, &arrays, n, k);
            for (form, program) in &forms {
                assert_eq!(run(program, &arrays, n, k), want, "{name}, {form}, n {n}, k {k}");
            }
        }
    }
}

fn lowered(path: &Path) -> String {
    let first = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(&first, mlir_opt(path, &LOWERING[..1])).expect("a file");
    mlir_opt(first.path(), &LOWERING[1..])
}

#[test]
fn programs_become_graphs() {
    for path in files() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let program = read(&name, std::fs::read_to_string(&path).unwrap());
        let options = CompileOptions { function: Some("f".into()), ..CompileOptions::default() };
        let compiled = compile(&program, &options);
        let compiled = compiled.unwrap_or_else(|d| panic!("{name}: {}", d[0].message));
        assert_eq!(compiled.domain, "function", "{name}");
    }
}

/// Changes of words that nothing is known about overlap in a loop without order, and wait in any other.
#[test]
fn iterations_of_parallel_loops_wait_for_none() {
    let chained = |head: &str| {
        let text = format!(
            "func.func @f(%a: memref<16xi32>, %b: memref<16xindex> {{llvm.noalias}}, %n: index) {{
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %x = arith.constant 7 : i32
               {head} {{
                 %w = memref.load %b[%i] : memref<16xindex>
                 %y = memref.load %a[%w] : memref<16xi32>
                 %z = arith.addi %x, %y : i32
                 memref.store %z, %a[%w] : memref<16xi32>
               }}
               return
             }}\n"
        );
        let compiled = compile(&read("f", text), &CompileOptions::default()).expect("it compiles");
        // The done of the store comes back as a control token of the next iteration where they are in order.
        let graph = compiled.lowered.graph;
        let carries = graph.node_ids().filter(|&n| graph.kind(n) == loom_dfg::OpKind::Carry);
        carries.filter(|&n| graph.value(graph.result(n, 0)).ty == loom_dfg::Type::None).count()
    };
    let parallel = chained("scf.parallel (%i) = (%c0) to (%n) step (%c1)");
    let forall = chained("scf.forall (%i) in (%n)");
    let affine = chained("affine.parallel (%i) = (0) to (%n)");
    let ordered = chained("scf.for %i = %c0 to %n step %c1");
    assert_eq!([parallel, forall, affine], [parallel; 3]);
    assert_eq!(ordered, chained("affine.for %i = 0 to %n"));
    assert!(ordered > parallel, "{ordered} {parallel}");
}
