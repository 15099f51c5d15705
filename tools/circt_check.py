#!/usr/bin/env python3
"""Holds dataflow graphs against two tools that are not ours.

For each file: CIRCT (the PyPI package `pycde`) parses the text and verifies it; then the same graph in
MLIR's generic form goes through `mlir-opt-19` with dfg/irdl/dataflow.irdl.mlir, which checks operand,
result and attribute types of the dataflow ops. Prints one message for each file that fails and a count;
exit code 1 when any file fails, 2 when a tool is missing. `--self-test` first shows that wrong ops are
refused, so that a check that checks nothing is found out.

What neither tool notices (a value used twice without a fork, memory ports that do not match) is `loom
check`'s part.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

IRDL = pathlib.Path(__file__).resolve().parent.parent / "dfg/irdl/dataflow.irdl.mlir"

# Loads the dialects that handshake functions need: CIRCT has memref and arith only when a pass asks for them.
LOADER = "builtin.module(flatten-memref,insert-merge-blocks,lower-cf-to-handshake,map-arith-to-comb)"

STREAM = (
    '"dataflow.stream"(%i, %i, %i) {step_op = "+=", cont_cond = "<"} '
    ": (index, index, index) -> (index, i1)"
)
GOOD = [
    STREAM,
    STREAM.replace("+=", ">>=").replace('"<"', '"!="'),
    '"dataflow.gate"(%x, %b) : (i32, i1) -> (i32, i1)',
    '"dataflow.gate"(%n, %b) : (none, i1) -> (none, i1)',
    '"dataflow.carry"(%b, %f, %f) : (i1, f32, f32) -> f32',
    '"dataflow.carry"(%b, %b, %b) : (i1, i1, i1) -> i1',
    '"dataflow.invariant"(%b, %n) : (i1, none) -> none',
    '"dataflow.invariant"(%b, %i) : (i1, index) -> index',
]
BAD = [
    STREAM.replace("+=", "+"),
    STREAM.replace('"<"', '"=="'),
    STREAM.replace(', cont_cond = "<"', ""),
    STREAM.replace("%i, %i, %i", "%i, %i").replace("(index, index, index)", "(index, index)"),
    STREAM.replace("%i, %i, %i", "%i, %x, %i").replace("(index, index, index)", "(index, i32, index)"),
    '"dataflow.gate"(%x, %b) : (i32, i1) -> (i64, i1)',
    '"dataflow.gate"(%x, %x) : (i32, i32) -> (i32, i1)',
    '"dataflow.gate"(%x, %b) : (i32, i1) -> i32',
    '"dataflow.carry"(%b, %x, %f) : (i1, i32, f32) -> i32',
    '"dataflow.carry"(%x, %x, %x) : (i32, i32, i32) -> i32',
    '"dataflow.invariant"(%b, %n) : (i1, none) -> i32',
    '"dataflow.invariant"(%b, %m) : (i1, memref<4xi32>) -> memref<4xi32>',
    '"dataflow.merge"(%x, %x) : (i32, i32) -> i32',
]


def missing(tool, how):
    print(f"error: {tool} is not there\n  = help: {how}", file=sys.stderr)
    sys.exit(2)


def load_circt():
    try:
        from pycde.circt import ir, passmanager
    except ImportError:
        missing("CIRCT for Python", "run `make test-circt`, which installs `pycde` under target/circt-venv")
    context = ir.Context()
    context.allow_unregistered_dialects = True
    with context:
        passmanager.PassManager.parse(LOADER).run(ir.Module.parse("module {}").operation)
    return ir, context


def plain(generic):
    """Without flags at their defaults: newer MLIR prints them for ops that have none in version 19."""
    for flag in ("overflowFlags = #arith.overflow<none>", "fastmath = #arith.fastmath<none>"):
        generic = generic.replace(f" <{{{flag}}}>", "").replace(f"{flag}, ", "").replace(f", {flag}", "")
    return generic


def generic_form(circt, text):
    """The graph in generic form, or what CIRCT says against it."""
    ir, context = circt
    with context:
        try:
            module = ir.Module.parse(text)
            module.operation.verify()
            return plain(module.operation.get_asm(print_generic_op_form=True)), None
        except ir.MLIRError as error:
            lines = []
            for d in error.error_diagnostics:
                at = str(d.location).replace("loc(", "").replace(")", "").replace('"-":', "")
                lines.append(f"{at}: {d.message}")
            return None, "CIRCT: " + ("\n  ".join(lines) or str(error))


def type_check(mlir_opt, text):
    """What mlir-opt says against a graph in generic form, with the line it means; None when nothing."""
    options = ["--allow-unregistered-dialect", f"--irdl-file={IRDL}", "--verify-each", "-o", os.devnull]
    command = [mlir_opt, *options, "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)
    if done.returncode == 0:
        return None
    source = text.splitlines()
    messages = []
    for line in done.stderr.splitlines():
        if ": error: " not in line:
            continue
        place, message = line.split(": error: ", 1)
        messages.append(message)
        number = place.split(":")[1:2]
        if number and number[0].isdigit() and 0 < int(number[0]) <= len(source):
            messages.append("  in " + source[int(number[0]) - 1].strip())
    return "mlir-opt: " + ("\n  ".join(messages) or done.stderr.strip() or f"exit code {done.returncode}")


def self_test(mlir_opt):
    """Ops that must pass and ops that must not, each alone; the failures."""
    arguments = "%i: index, %b: i1, %x: i32, %n: none, %f: f32, %m: memref<4xi32>"
    wrong = []
    for op, good in [(op, True) for op in GOOD] + [(op, False) for op in BAD]:
        results = op.rsplit("->", 1)[1].count(",") + 1
        name = "%r = " if results == 1 else f"%r:{results} = "
        body = f'^bb0({arguments}):\n{name}{op}\n"t.end"() : () -> ()\n'
        problem = type_check(mlir_opt, f'"t.f"() ({{\n{body}}}) : () -> ()\n')
        if good and problem:
            wrong.append(f"a good op is refused: {op}\n  {problem}")
        if not good and not problem:
            wrong.append(f"a bad op passes: {op}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description="Checks .dfg.mlir files with CIRCT and mlir-opt.")
    parser.add_argument("files", nargs="*", help="files, or folders to search for *.dfg.mlir")
    parser.add_argument("--self-test", action="store_true", help="show first that wrong ops are refused")
    args = parser.parse_args()
    mlir_opt = os.environ.get("MLIR_OPT") or shutil.which("mlir-opt-19")
    if not mlir_opt:
        missing("`mlir-opt-19`", "run `sudo apt-get install -y mlir-19-tools`, or set MLIR_OPT")
    failures = self_test(mlir_opt) if args.self_test else []
    files = []
    for name in map(pathlib.Path, args.files):
        files += sorted(name.rglob("*.dfg.mlir")) if name.is_dir() else [name]
    circt = load_circt() if files else None
    for path in files:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            failures.append(f"{path}: cannot be read: {error}")
            continue
        generic, problem = generic_form(circt, text)
        problem = problem or type_check(mlir_opt, generic)
        if problem:
            failures.append(f"{path}: {problem}")
    for failure in failures:
        print(f"error: {failure}", file=sys.stderr)
    tested = f", {len(GOOD)} good and {len(BAD)} bad ops" if args.self_test else ""
    verdict = f"{len(failures)} failures" if failures else "all as they should be"
    print(f"{len(files)} graphs{tested}: {verdict}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
