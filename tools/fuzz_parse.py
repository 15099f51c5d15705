"""Runs the fuzz targets of `fuzz/`, one after the other, and keeps count of what they executed.

    fuzz_parse.py BINARIES OUT --loom LOOM --minutes N [--only TARGET ...] [--page docs/reports/fuzz.md]

Seeds are the repository's own kernels, fabrics, cases and rejected files, taken anew each time. What libFuzzer found worth
keeping stays in OUT; `fuzz/corpus/` holds only inputs that once failed. Executions are libFuzzer's own figure, and are
added to those of the page. A finding ends its target's run, is left in OUT/findings, and makes the exit code 1.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The fabrics of `fuzz/src/image.rs`, in its order.
FABRICS = ["configs/mesh-2x2.toml", "configs/tags.toml", "configs/units.toml", "verif/cocotb/bench-3x3.toml"]
TEXTS = {
    "scf": ["kernels/*/*.scf.mlir", "front/tests/**/*.mlir", "fuzz/*.scf.mlir"],
    "dfg": ["kernels/*/*.dfg.mlir", "dfg/tests/**/*.mlir"],
    "fabric": ["configs/*.toml", "adg/tests/**/*.toml", "adg/tests/**/*.mlir"],
    "case": ["kernels/*/*.toml", "sim/tests/bad/*.toml"],
    "llvm": ["fuzz/*.llvm.mlir"],
}
# Longer inputs are slower, and say nothing that shorter ones do not; images are as long as they are.
LONGEST = {"scf": 4096, "dfg": 4096, "fabric": 8192, "case": 2048, "image": 1 << 14, "llvm": 1 << 14}
WHAT = {
    "scf": "structured programs, `.scf.mlir`: read, printed, compiled",
    "dfg": "graphs, `.dfg.mlir`: read, verified, printed",
    "fabric": "fabrics, TOML and `.fabric.mlir`: read, checked, written, laid out",
    "case": "case files",
    "image": "images of four fabrics: decoded, encoded",
    "llvm": "the LLVM dialect's text: read, converted, printed",
}


def seeds(loom, out):
    """A folder of seeds for each target."""
    shutil.rmtree(out, ignore_errors=True)
    for target in WHAT:
        (out / target).mkdir(parents=True)
    for target, patterns in TEXTS.items():
        for path in sorted(p for pattern in patterns for p in ROOT.glob(pattern)):
            if path.stat().st_size <= LONGEST[target]:
                shutil.copy(path, out / target / "-".join(path.relative_to(ROOT).parts))
    made = out / "made"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": ROOT}
    for k, fabric in enumerate(FABRICS):
        for name in ("sum", "carry", "diamond"):
            subprocess.run([loom, "map", f"kernels/{name}/{name}.dfg.mlir", "--fabric", fabric, "-o", made], **quiet)
        for image in made.glob(f"*.{Path(fabric).stem}.config.bin"):
            (out / "image" / image.name).write_bytes(bytes([k]) + image.read_bytes())
        (out / "image" / f"empty{k}").write_bytes(bytes([k]))
    # Some of the programs have what all have.
    for path in sorted(ROOT.glob("kernels/*/*.c"))[::4]:
        subprocess.run([loom, "compile", path, "-o", made], **quiet)
    for path in made.glob("*.llvm.mlir"):
        if path.stat().st_size <= LONGEST["llvm"]:
            shutil.copy(path, out / "llvm")
    shutil.rmtree(made, ignore_errors=True)


def run(binary, target, seconds, out):
    """Executions of one run, and whether it found nothing."""
    corpus, findings, kept = out / "corpus" / target, out / "findings" / target, ROOT / "fuzz" / "corpus" / target
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    folders = [corpus, out / "seeds" / target] + ([kept] if kept.is_dir() else [])
    options = [f"-max_total_time={seconds}", "-print_final_stats=1", f"-max_len={LONGEST[target]}", "-timeout=30",
               "-rss_limit_mb=4096", f"-artifact_prefix={findings}/"]
    log = out / f"{target}.log"
    with open(log, "w", encoding="utf-8", errors="replace") as text:
        code = subprocess.run([binary, *options, *folders], stdout=text, stderr=text, preexec_fn=lambda: os.nice(19)).returncode
    said = log.read_text(encoding="utf-8", errors="replace")
    count = re.search(r"stat::number_of_executed_units:\s*(\d+)", said)
    return int(count.group(1)) if count else 0, code == 0


def page(path, executed):
    """Adds to the table of the page, between its marks."""
    text = path.read_text(encoding="utf-8")
    counts = dict(executed)
    for target, what in WHAT.items():
        known = re.search(re.escape(f"| {what} | ") + r"([\d,]+) \|", text)
        counts[target] = counts.get(target, 0) + (int(known.group(1).replace(",", "")) if known else 0)
    rows = ["| target | executions |", "|---|---|"]
    rows += [f"| {WHAT[t]} | {counts.get(t, 0):,} |" for t in WHAT]
    rows.append(f"| all | {sum(counts.values()):,} |")
    before, rest = text.split("<!-- executions:begin -->\n")
    after = rest.split("<!-- executions:end -->")[1]
    path.write_text(before + "<!-- executions:begin -->\n" + "\n".join(rows) + "\n<!-- executions:end -->" + after, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--loom", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--only", nargs="*", choices=list(WHAT), default=list(WHAT))
    parser.add_argument("--page", type=Path)
    told = parser.parse_args()
    out = told.out.resolve()
    seeds(told.loom.resolve(), out / "seeds")
    counts, failed = {}, False
    for target in told.only:
        executed, fine = run(told.binaries.resolve() / target, target, int(60 * told.minutes / len(told.only)) or 1, out)
        counts[target] = executed
        failed |= not fine
        print(f"{target}: {executed:,} executions, " + ("no finding" if fine else f"a finding: see {out / (target + '.log')}"), flush=True)
    if told.page:
        page(told.page, counts)
    return failed


if __name__ == "__main__":
    sys.exit(main())
