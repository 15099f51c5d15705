"""Builds the bench's fabric, maps its kernels, asks `loom sim` for their cycles, and runs the tests in both simulators.

    run.py LOOM OUT [SIMULATOR ...]
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

from cocotb.runner import Icarus, Verilator, get_results

from fabric import LATENCY
from kernels import KERNELS
from stalls import Stalls

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FABRIC = HERE / "bench-3x3.toml"
# Stalls of a kernel's launches, one after the other: none, some, and most cycles on streams and all five AXI channels.
STALLS = [Stalls(), Stalls(), Stalls(20, 30, 25, 11), Stalls(70, 70, 70, 12), Stalls(70, 70, 70, 13)]


def loom(*arguments):
    command = [Path(sys.argv[1]).resolve(), *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout


def case(launch, stalls):
    """A launch as a case file."""
    def table(name, entries):
        return [f"[{name}]", *(f"{key} = {value}" for key, value in entries.items())]
    lines = table("inputs", launch.inputs) + (table("memory", launch.memory) if launch.memory else [])
    lines += table("stalls", {"seed": stalls.seed, "source_percent": stalls.source, "sink_percent": stalls.sink})
    lines += table("axi", {"latency": LATENCY, "stall_percent": stalls.axi, "seed": stalls.seed})
    return "\n".join(lines) + "\n"


def plan(out):
    """Everything the tests need to know, so that they need no `loom`."""
    loom("gen", FABRIC, "-o", out / "rtl")
    kernels = {}
    for name, (make, program) in KERNELS.items():
        loom("map", program, "--fabric", FABRIC, "-o", out / name)
        stem = out / name / f"{name}.{FABRIC.stem}"
        config = json.loads(Path(f"{stem}.config.json").read_text())
        binary = Path(f"{stem}.config.bin").read_bytes()
        words = [int.from_bytes(binary[i:i + 4], "little") for i in range(0, len(binary), 4)]
        launches = []
        for i, stalls in enumerate(STALLS):
            launch = make(random.Random(f"{name} {i}"))
            path = out / name / f"launch{i}.toml"
            path.write_text(case(launch, stalls))
            mapping = f"{stem}.map.json"
            report = json.loads(loom("sim", program, "--fabric", FABRIC, "--map", mapping, "--case", path, "--json"))
            assert report["ok"], report
            launches.append({**vars(launch), "stalls": vars(stalls), "cycles": report["native_cycles"]})
        kernels[name] = {"words": words, "ports": config["ports"], "regions": config["memory_regions"],
                         "launches": launches}
    layout = json.loads((out / "rtl" / f"{FABRIC.stem}.layout.json").read_text())
    (out / "plan.json").write_text(json.dumps({"layout": layout, "kernels": kernels}))
    return layout["top"]


def main():
    out = Path(sys.argv[2]).resolve()
    top = plan(out)
    rtl = out / "rtl"
    lines = (rtl / "filelist.f").read_text().splitlines()
    sources = [rtl / line for line in lines if not line.startswith("//")]
    simulators = {
        "icarus": (Icarus, []),
        # Warnings are the business of Verilator's lint in `make test`.
        "verilator": (Verilator, ["-Wno-fatal"]),
    }
    failed = 0
    for name in sys.argv[3:] or simulators:
        simulator, options = simulators[name]
        runner = simulator()
        runner.build(verilog_sources=sources, hdl_toplevel=top, build_dir=out / name, build_args=options,
                     timescale=("1ns", "1ps"))
        level = os.environ.get("COCOTB_LOG_LEVEL", "WARNING")
        env = {"LOOM_PLAN": str(out / "plan.json"), "PYTHONPATH": str(HERE), "COCOTB_LOG_LEVEL": level}
        results = runner.test(test_module="test_fabric", hdl_toplevel=top, build_dir=out / name, test_dir=out / name, extra_env=env)
        tests, wrong = get_results(results)
        print(f"{name}: {tests - wrong} of {tests} tests passed", flush=True)
        failed += wrong + (tests == 0)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
