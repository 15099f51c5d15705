//! `loom exec`: programs with mains of their own, whose check decides, and those that it must refuse or end.

use crate::common::root;
use rayon::prelude::*;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// `loom exec` in the folder with the programs of this test. What comes out is asked here, not in how few cycles: any mapping
/// will do.
fn command(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loom"));
    command.current_dir(root().join("cli/tests/exec")).args(["exec", "--budget", "50", "--no-profile"]);
    command.args(arguments.split_whitespace());
    command.env("LOOM_CACHE", root().join("target/verilated")).stdin(Stdio::null());
    command
}

fn exec(arguments: &str) -> Output {
    command(arguments).output().expect("loom runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Exit code and what the program printed.
#[track_caller]
fn expect(arguments: &str, code: i32, printed: &str) -> String {
    let out = exec(arguments);
    let said = text(&out.stderr);
    assert_eq!((out.status.code(), &text(&out.stdout)[..]), (Some(code), printed), "{arguments}: {said}");
    said
}

#[test]
fn every_kernel_finds_its_own_results_right_on_its_graph() {
    let refused = std::fs::read_to_string(root().join("flow/tests/refused.txt")).expect("the list");
    let refused: Vec<&str> = refused.lines().filter_map(|l| l.split(' ').next()).collect();
    let folders = std::fs::read_dir(root().join("kernels")).expect("kernels");
    let mut programs = Vec::new();
    for folder in folders.map(|f| f.expect("an entry").path()) {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let files = ["c", "cpp"].map(|end| folder.join(format!("{name}.{end}")));
        programs.extend(files.into_iter().filter(|f| f.is_file()).map(|f| (name.clone(), f)));
    }
    assert!(programs.len() > 100);
    let wrong = |(name, file): (String, PathBuf)| {
        let out = command("--on golden").arg(file).output().expect("loom runs");
        let (shown, said) = (text(&out.stdout), text(&out.stderr));
        let right = match refused.contains(&&name[..]) {
            true => out.status.code() == Some(1) && shown.is_empty(),
            false => out.status.success() && shown.starts_with(&format!("{name}: ")),
        };
        (!right).then(|| format!("{name}: {:?} {shown}{said}", out.status))
    };
    let wrong: Vec<String> = programs.into_par_iter().with_max_len(1).filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Scalars of all widths, static functions and globals, stack and heap, recursion of the host around calls, templates,
/// members, exceptions elsewhere, calls before `main`; several files, and a function that no file marks.
#[test]
fn functions_of_the_library_run_on_a_fabric_by_their_formulas() {
    let softmax = root().join("kernels/softmax/softmax.c");
    let on = |options: &str| command(options).arg(&softmax).output().expect("loom runs");
    let out = on("--fabric general-8x8-w64");
    let said = text(&out.stderr);
    assert_eq!(
        (out.status.code(), &text(&out.stdout)[..]),
        (Some(0), "softmax: 5 matrices, 0 values wrong\n"),
        "{said}"
    );
    let out = on("--fabric general-8x8-w64 --expand-math never");
    assert!(text(&out.stderr).contains("1 of `math.exp` are needed"), "{}", text(&out.stderr));
    assert_eq!(out.status.code(), Some(1));
}

#[test]
fn programs_run_as_they_are() {
    let said = expect("scalars.c --on golden", 0, "0 wrong\n");
    for function in ["narrow (golden): 1 call", "scale (golden): 12 calls", "count (golden): 10 calls"] {
        assert!(said.contains(function), "{said}");
    }
    expect("templates.cpp --std c++17 --on golden", 0, "as it should\n");
    expect("structs.c --on golden", 0, "0 wrong\n");
    expect("half.c --on golden", 0, "0 wrong\n");
    expect("banks.c --on golden", 0, "0 wrong\n");
    expect("views.c --on golden", 0, "0 wrong\n");
    expect("records.c --on golden", 0, "0 wrong\n");
    expect("fields.c --on golden", 0, "0 wrong\n");
    expect("rounds.c --on golden", 0, "0 wrong\n");
    expect("spans.cpp --on golden", 0, "0 wrong\n");
    expect("values.cpp --on golden", 0, "0 wrong\n");
    expect("counts.cpp --on golden", 0, "0 wrong\n");
    expect("small.c --on golden", 0, "0 wrong\n");
    expect("locals.c --on golden", 0, "0 wrong\n");
    expect("rings.cpp --on golden", 0, "0 wrong\n");
    expect("callbacks.cpp --on golden", 0, "0 wrong\n");
    expect("tails.c --on golden", 0, "0 wrong\n");
    expect("wide_index.c --on golden", 0, "0 wrong\n");
    expect("library.c --on golden", 0, "0 wrong\n");
    expect("library.cpp --on golden", 0, "0 wrong\n");
    expect("mixed.c mixed.cpp --std c11 --on golden", 0, "0 wrong\n");
    expect("mixed.c mixed.cpp --std c++17 --on golden", 0, "0 wrong\n");
    let files = "first.c second.c --function shift_all --function smooth";
    expect(&format!("{files} --on golden"), 0, "0 wrong\n");
    expect("threads.c --on golden", 0, "0 wrong\n");
}

#[test]
fn the_native_model_does_what_the_graph_does() {
    let said = expect("threads.c", 0, "0 wrong\n");
    assert!(said.contains("add on mesh-4x4 (native): 1000 calls") && said.contains("MII"), "{said}");
    expect("first.c second.c --function shift_all --fabric ../../../configs/mesh-4x4.toml", 0, "0 wrong\n");
    expect("scalars.c --function scale --function count", 0, "0 wrong\n");
    expect("structs.c --function weigh --function turned", 0, "0 wrong\n");
    expect("views.c", 0, "0 wrong\n");
    expect("banks.c --function spread", 0, "0 wrong\n");
    expect("fields.c --function scale --function walked", 0, "0 wrong\n");
    expect("rounds.c --function ring --function count --function keep --function sometimes", 0, "0 wrong\n");
    let functions = "--function visit_ --function feed_ --function between_";
    expect(&format!("records.c {functions} --fabric general-6x6-w64 --aim speed"), 0, "0 wrong\n");
    expect("spans.cpp", 0, "0 wrong\n");
    expect("values.cpp", 0, "0 wrong\n");
    expect("counts.cpp", 0, "0 wrong\n");
    expect("small.c", 0, "0 wrong\n");
    expect("callbacks.cpp", 0, "0 wrong\n");
    expect("rings.cpp --function balance", 0, "0 wrong\n");
    // In the process, since no scratchpad has room.
    expect("locals.c --function distinct --fabric ../../../configs/general-4x4.toml", 0, "0 wrong\n");
    expect("locals.c --function mixed --fabric ../../../configs/general-4x4.toml", 0, "0 wrong\n");
    expect("locals.c --function apart --fabric ../../../configs/general-6x6.toml", 0, "0 wrong\n");
    // A divider begins every 33 cycles.
    let said = expect("divide.c --fabric ../../../configs/general-6x6-w64.toml", 0, "0 wrong\n");
    assert!(!said.contains("MII 33"), "{said}");
    let said = expect("../../../kernels/isqrt/isqrt.c", 0, "isqrt: 4 lists, 0 roots wrong\n");
    assert!(said.contains("II "), "{said}");
}

#[test]
fn kinds_of_floats_are_known_on_a_fabric() {
    expect("classes.c --on golden", 0, "0 wrong\n");
    expect("classes.c --fabric general-6x6-w64 --aim speed", 0, "0 wrong\n");
}

#[test]
fn products_of_64_bits_and_casts_of_words_are_the_machines() {
    expect("overflow.c --on golden", 0, "0 wrong\n");
    expect("overflow.c", 0, "0 wrong\n");
}

#[test]
fn whole_numbers_and_fused_products_are_the_machines() {
    expect("whole.c --on golden", 0, "0 wrong\n");
    expect("whole.c --fabric general-6x6-w64 --aim speed", 0, "0 wrong\n");
}

#[test]
fn words_move_within_an_array_and_structs_with_padding() {
    expect("moves.c --on golden", 0, "0 wrong\n");
    expect("moves.c", 0, "0 wrong\n");
    expect("padding.c --on golden", 0, "0 wrong\n");
    // Numbers, not bytes: a fabric for graphs of some eighty ops is large enough.
    expect("padding.c --function insert --fabric ../../../configs/general-6x6.toml", 0, "0 wrong\n");
}

#[test]
fn structs_by_value_are_their_fields_in_arrays() {
    expect("passed.c --on golden", 0, "0 wrong\n");
    expect("passed.c --function ring --fabric general-12x12-w64 --aim speed", 0, "0 wrong\n");
}

#[test]
fn rows_are_apart_and_words_behind_each_other_are_not() {
    expect("rows.c --on golden", 0, "0 wrong\n");
    expect("rows.c --fabric general-6x6 --aim speed", 0, "0 wrong\n");
}

#[test]
fn arrays_of_two_types_are_apart_and_bytes_are_not() {
    expect("typed.c --on golden", 0, "0 wrong\n");
    expect("typed.c --no-strict-aliasing --on golden", 0, "0 wrong\n");
    for function in ["relax", "bytes", "members", "moved"] {
        expect(&format!("typed.c --function {function}"), 0, "0 wrong\n");
    }
    expect("typed.c --function pun --no-strict-aliasing -- p", 3, "292\n");
}

#[test]
fn loops_that_no_stream_counts_for_are_whiles() {
    expect("steps.c --on golden", 0, "0 wrong\n");
    expect("steps.c", 0, "0 wrong\n");
    expect("steps.c --function powers --fabric mesh-4x4", 0, "0 wrong\n");
}

#[test]
fn small_arrays_turn_and_tables_are_constants() {
    for program in ["turns.c", "tables.c", "small_arrays.cpp"] {
        expect(&format!("{program} --on golden"), 0, "0 wrong\n");
        expect(program, 0, "0 wrong\n");
    }
}

#[test]
fn references_choose_words() {
    expect("chosen.cpp --on golden", 0, "0 wrong\n");
    expect("chosen.cpp", 0, "0 wrong\n");
    // In words of their own; bytes that a pointer chooses take 112 ops.
    let said = expect("chosen.cpp --function least_of_groups --json", 0, "0 wrong\n");
    let report: serde_json::Value =
        serde_json::from_str(said.lines().last().expect("a report")).expect("JSON");
    assert!(report["functions"][0]["ops"].as_u64().is_some_and(|ops| ops < 40), "{said}");
}

#[test]
fn only_what_does_not_map_for_speed_is_for_room() {
    let said = expect("aims.c --fabric ../../../configs/mesh-4x4.toml", 0, "");
    assert!(said.contains("`wide` is compiled for room") && !said.contains("`narrow` is compiled"), "{said}");
}

#[test]
fn state_behind_a_pointer_is_touched_only_where_there_is_an_iteration() {
    expect("state.c --on golden", 0, "0 wrong\n");
    expect("state.c", 0, "0 wrong\n");
}

#[test]
fn a_store_waits_for_its_data_for_any_time() {
    expect("long_row.c", 0, "0 rows of 2 wrong\n");
}

#[test]
fn the_verilog_does_what_the_graph_does() {
    let fabric = "--on verilog --fabric ../../../configs/mesh-4x4.toml";
    let said = expect(&format!("threads.c {fabric}"), 0, "0 wrong\n");
    assert!(said.contains("add on mesh-4x4 (verilog): 1000 calls"), "{said}");
    // Two bitstreams in turn.
    let said =
        expect(&format!("scalars.c --function scale --function count --json {fabric}"), 0, "0 wrong\n");
    assert!(said.contains("\"loads\":2"), "{said}");
    let said = expect(&format!("fault.c --function sum {fabric} -- n"), 1, "before\n");
    assert!(said.contains("V0222"), "{said}");
}

#[test]
fn the_end_of_the_program_is_the_end_of_the_run() {
    for (how, code) in [("a", 128 + 6), ("k", 128 + 9), ("x", 200), ("0", 0)] {
        let mut child = command(&format!("ends.c --on golden -- {how}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("loom runs");
        child.stdin.take().expect("a pipe").write_all(b"21").expect("it reads");
        let out = child.wait_with_output().expect("it ends");
        let said = text(&out.stderr);
        assert_eq!((out.status.code(), &text(&out.stdout)[..]), (Some(code), "42\n"), "{how}: {said}");
        assert!(said.contains("twice (golden): 1 call"), "{said}");
    }
    expect("ends.c --on golden", 99, "");
}

#[test]
fn a_program_does_not_outlive_the_run() {
    let mut child = command("ends.c --on golden -- s")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("loom runs");
    child.stdin.take().expect("a pipe").write_all(b"1").expect("it reads");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    assert_eq!(lines.next().expect("a line").expect("text"), "2");
    let process = Path::new("/proc").join(lines.next().expect("a line").expect("text"));
    assert!(process.exists());
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    let start = Instant::now();
    // A zombie that nobody waits for has no memory map.
    while std::fs::read_to_string(process.join("maps")).is_ok_and(|m| !m.is_empty()) {
        assert!(start.elapsed() < Duration::from_secs(10), "it still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What is said, without the programs' folder.
fn said(arguments: &str) -> String {
    let out = exec(arguments);
    assert_eq!(out.status.code(), Some(1), "{arguments}: {}", text(&out.stdout));
    format!("$ loom exec {arguments}\n{}{}\n", text(&out.stdout), text(&out.stderr).trim_end())
}

/// A number that differs from run to run in place of addresses.
fn without_addresses(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("0x") {
        let digits = rest[at + 2..].find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len() - at - 2);
        out.push_str(&rest[..at]);
        // Small numbers are the program's own.
        out.push_str(if digits > 8 { "0x..." } else { &rest[at..at + 2 + digits] });
        rest = &rest[at + 2 + digits..];
    }
    out + rest
}

#[test]
fn faults_have_their_place_in_the_source() {
    assert!(expect("fault.c --on golden", 3, "before\nafter\n").contains("sum (golden): 1 call"));
    let mut all = String::new();
    for what in ["n", "c", "b", "u", "l", "m"] {
        all += &said(&format!("fault.c --on golden -- {what}"));
    }
    all += &said("fault.c --on golden --max-cycles 10000 -- w");
    all += &said("fault.c --function sum -- n");
    all += &said("fault.c --function before -- b");
    all += &said("fault.c --function wait --max-cycles 10000 -- w");
    // As it stands, what overlaps is done in order.
    expect("fault.c --on golden -- s", 3, "before\n");
    expect("fault.c --function shift -- s", 3, "before\n");
    for what in ["g", "n", "w", "s", "r", "p"] {
        all += &said(&format!("far.c --on golden -- {what}"));
    }
    all += &said("far.c --function get -- g");
    all += &said("fault.c --on golden --noalias -- s");
    all += &said("fault.c --function shift --noalias -- s");
    all += &said("fault.c --on golden -- r");
    all += &said("typed.c --function pun -- p");
    all += &said("records.c --on golden -- b");
    all += &said("records.c --function beyond -- b");
    all += &said("on_chip.c --on golden");
    // A scratchpad has more words than the array, and the fabric itself would not notice.
    all += &said("on_chip.c --function histogram");
    all += &said("on_chip.c --function weight -- t");
    // How far it comes depends on what lies behind the array.
    let far = said("fault.c --on golden -- e");
    assert!(far.contains("V0222") && far.contains("which begins at"), "{far}");
    expect_test::expect_file!["exec/faults.txt"].assert_eq(&without_addresses(&all));
}

#[test]
fn promises_that_would_help_are_named() {
    let told = expect("promises.c", 0, "0 differ\n");
    let advice: Vec<&str> = told.lines().filter(|l| l.contains("gain")).collect();
    let [one] = advice[..] else { panic!("{told}") };
    let promise =
        "scale would gain by `restrict` on `x` and `y`, if they never overlap: interval 1 instead of ";
    assert!(one.contains(promise), "{one}");
}

#[test]
fn what_cannot_run_is_refused() {
    let mut all = String::new();
    for arguments in [
        "second.c --function smooth --on golden",
        "first.c --on golden",
        "first.c --function absent --on golden",
        "second.c --on golden",
        "first.c second.c --function main --on golden",
        "first.c second.c -D CLASH --on golden",
        "first.c second.c -D TWICE --on golden",
        "first.c notes.txt --on golden",
        "scalars.c --function narrow --function blend --fabric ../../../configs/mesh-4x4.toml",
    ] {
        all += &said(arguments);
    }
    // What a linker says of itself differs between machines, and where in a function the call stands that it is about.
    let kept = all.lines().filter(|l| !l.contains("/ld:") && !l.contains(".o: ")).map(|l| {
        let digits = |rest: &str| rest.trim_start_matches(|c: char| c.is_ascii_hexdigit()).to_string();
        let cut = l.split_once("(.text+0x").map(|(before, rest)| format!("{before}(.text{}", digits(rest)));
        cut.unwrap_or(l.to_string()) + "\n"
    });
    let kept: String = kept.collect();
    expect_test::expect_file!["exec/refused.txt"].assert_eq(&kept);
}

#[test]
fn a_call_of_another_process_is_refused() {
    let mut child = command("ends.c --on golden -- f")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("loom runs");
    child.stdin.take().expect("a pipe").write_all(b"1").expect("it reads");
    let out = child.wait_with_output().expect("it ends");
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stderr).contains("V0223"), "{}", text(&out.stderr));
}

#[test]
fn everything_is_written_where_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("made");
    expect(&format!("threads.c -o {}", out.display()), 0, "0 wrong\n");
    let mut names: Vec<String> = std::fs::read_dir(&out)
        .expect("the folder")
        .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let of = |ends: &[&str], stem: &str| ends.iter().map(|e| format!("{stem}.{e}")).collect::<Vec<_>>();
    let mut want = of(&["cf.mlir", "dfg.mlir", "ll", "llvm.mlir", "scf.mlir"], "add");
    want.extend(of(&["config.bin", "config.h", "config.json", "map.json", "map.txt"], "add.mesh-4x4"));
    want.sort();
    assert_eq!(names, want);
}

#[test]
fn a_function_is_mapped_anew_for_what_its_calls_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let loom_on = |(fabric, seed): (&str, &str), arguments: &[&str], out: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loom"));
        command.current_dir(root().join("cli/tests/exec")).args(arguments).arg("-o");
        command.arg(folder.path().join(out)).args(["--budget", "50", "--seed", seed, "--json", "--fabric"]);
        command.env("LOOM_CACHE", root().join("target/verilated"));
        let out = command.arg(root().join(fabric)).output().expect("loom runs");
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stderr)
    };
    let loom = |arguments: &[&str], out: &str| loom_on(("configs/general-4x4.toml", "4"), arguments, out);
    let cycles = |said: &str| -> u64 {
        let line = said.lines().last().expect("a report");
        let report: serde_json::Value = serde_json::from_str(line).expect("an object");
        report["functions"][0]["cycles"].as_u64().expect("a number")
    };
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect(name);
    let before = cycles(&loom(&["exec", "profile.c", "--no-profile"], "before"));
    let after = cycles(&loom(&["exec", "profile.c"], "after"));
    assert!(after < before, "{after} cycles of {before}");
    assert_ne!(read("before/sort.general-4x4.config.bin"), read("after/sort.general-4x4.config.bin"));
    // The graph that is written says why, and maps the same way again.
    let graph = folder.path().join("after/sort.dfg.mlir");
    let written = std::fs::read_to_string(&graph).expect("a graph");
    assert!(written.contains("loom.profile = [\""), "{written}");
    loom(&["map", &graph.to_string_lossy()], "again");
    assert_eq!(read("again/sort.general-4x4.config.bin"), read("after/sort.general-4x4.config.bin"));
    // The Verilog has one bitstream for the first calls, and the other one from then on.
    let said = loom_on(("configs/mesh-4x4.toml", "3"), &["exec", "profile.c", "--on", "verilog"], "verilog");
    assert!(said.contains("\"loads\":2"), "{said}");
}
