"""Tests of a fabric's Verilog through its ports alone; `run.py` made the plan with images, data and cycle counts."""

import contextlib
import json
import os
import random

import cocotb
from cocotb.regression import TestFactory
from cocotb.triggers import FallingEdge, Timer
from cocotbext.axi import AxiResp

from fabric import RAM_BYTES, Bench
from stalls import Stalls

with open(os.environ["LOOM_PLAN"], encoding="utf-8") as text:
    PLAN = json.load(text)
KERNELS = PLAN["kernels"]
AXI_RESPONSE, LENGTH = 267, 16


class Loaded:
    """A kernel on the bench: its image with bases set, and its launches."""

    def __init__(self, bench, name):
        self.bench, self.name, self.plan = bench, name, KERNELS[name]
        rng = random.Random(f"bases of {name}")
        memories = sorted({r["memory"] for r in self.plan["regions"] if r["kind"] == "extmemory"})
        # No two in one page, and none at its beginning.
        self.bases = {m: 0x1000 * (i + 1) + 4 * rng.randint(1, 200) for i, m in enumerate(memories)}
        self.words = list(self.plan["words"])
        for region in self.plan["regions"]:
            if region["kind"] == "extmemory":
                self.words[region["word_index"]] = self.bases[region["memory"]]

    async def load(self, gap=lambda: 0):
        assert await self.bench.load(self.words, gap), f"error {self.bench.dut.error_code.value.integer}"

    def begin(self, launch):
        """Memory as the launch finds it, everything around at random; then the tokens."""
        ram = bytearray(random.Random(f"{launch}").randbytes(RAM_BYTES))
        self.after = bytearray(ram)
        for words, into in [(launch["memory"], ram), (launch["after"], self.after)]:
            for name, values in words.items():
                for i, value in enumerate(values):
                    at = self.bases[name] + 4 * i
                    into[at:at + 4] = (value % (1 << 32)).to_bytes(4, "little")
        self.bench.memory[:] = bytes(ram)
        self.bench.begin(self.plan["ports"], launch["inputs"], Stalls(**launch["stalls"]))

    async def run(self, launch):
        """A whole launch: results, memory, cycles, and silence afterwards."""
        self.begin(launch)
        count = max(len(tokens) for tokens in launch["inputs"].values())
        cycles = await self.bench.finish(self.plan["ports"], count)
        await self.bench.quiet()
        results = {p["signal"]: p for p in self.plan["ports"] if p["signal"] and p["signal"].startswith("out")}
        assert set(self.bench.taken) == set(results), f"tokens on {sorted(self.bench.taken)}"
        for signal, port in results.items():
            want = launch["results"].get(port["name"], [0] * count)
            mask = (1 << port["width"]) - 1
            assert [t & mask for t in self.bench.taken[signal]] == [w & mask for w in want], port["name"]
        assert bytes(self.bench.memory[:]) == bytes(self.after), "memory"
        return cycles


async def ready(dut):
    bench = Bench(dut, PLAN["layout"])
    await bench.start()
    return bench


async def launches(dut, kernel):
    """Several in a row with different data, unstalled and under back-pressure: results, memory, `loom sim`'s cycles."""
    bench = await ready(dut)
    loaded = Loaded(bench, kernel)
    await loaded.load()
    wrong = []
    for i, launch in enumerate(loaded.plan["launches"]):
        cycles = await loaded.run(launch)
        if cycles != launch["cycles"]:
            wrong.append(f"launch {i}: {cycles} cycles, `loom sim` has {launch['cycles']}")
    assert not wrong, wrong


async def spoiled(dut, kernel):
    """An answer of memory that is not OKAY ends in error 267 of the interface, which stays; reset and reload cure it."""
    bench = await ready(dut)
    loaded = Loaded(bench, kernel)
    rng = random.Random(kernel)
    launch = loaded.plan["launches"][2]
    await loaded.load()
    spoilers = {(k, c): Spoiler(m.channels[c]) for k, m in enumerate(bench.masters) for c in "rb"}
    with contextlib.ExitStack() as stack:
        for spoiler in spoilers.values():
            stack.enter_context(spoiler)
        await loaded.run(launch)
    for channel in "rb":
        used = [(k, spoiler.seen) for (k, c), spoiler in spoilers.items() if c == channel and spoiler.seen]
        for code in (AxiResp.SLVERR, AxiResp.DECERR) if used else ():
            master, answers = rng.choice(used)
            await bench.reset()
            await loaded.load()
            with Spoiler(bench.masters[master].channels[channel], f"{channel}resp", code, rng.randrange(answers)):
                loaded.begin(launch)
                for _ in range(2 * launch["cycles"]):
                    await bench.edge()
                    if dut.error_valid.value.integer:
                        break
                found = error(dut)
                assert found == (1, AXI_RESPONSE, bench.units[bench.interfaces[master]]), found
                for _ in range(50):
                    await bench.edge()
                    assert error(dut) == found, "the first error stays"
                    assert not dut.cfg_ready.value.integer, "no image without a reset"
    await bench.reset()
    await loaded.load()
    assert await loaded.run(launch) == launch["cycles"]


def error(dut):
    return tuple(s.value.integer for s in (dut.error_valid, dut.error_code, dut.error_unit))


class Spoiler:
    """Counts a channel's answers, and gives the n-th another code."""

    def __init__(self, channel, field=None, code=None, nth=None):
        self.channel, self.field, self.code, self.nth, self.seen = channel, field, code, nth, 0

    def __enter__(self):
        send = self.channel.send

        async def spoiling(answer):
            if self.seen == self.nth:
                setattr(answer, self.field, self.code)
            self.seen += 1
            await send(answer)

        self.channel.send = spoiling
        return self

    def __exit__(self, *_):
        del self.channel.send


async def reset_in_flight(dut, kernel):
    """Reset in any cycle of a launch, one cycle long; the next image and launch know nothing of it."""
    bench = await ready(dut)
    loaded = Loaded(bench, kernel)
    rng = random.Random(kernel)
    for launch in loaded.plan["launches"][1:3]:
        await loaded.load()
        loaded.begin(launch)
        await bench.edge(1 + rng.randrange(launch["cycles"]))
        await bench.reset()
        # An image may be cut off too.
        if rng.random() < 0.5:
            dut.cfg_valid.value = 1
            await bench.edge(rng.randrange(1, len(loaded.words)))
            await bench.reset()
        await loaded.load()
        assert await loaded.run(launch) == launch["cycles"]
        await bench.reset()


@cocotb.test()
async def reload(dut):
    """One image after the other without a reset, in different orders, with gaps between words."""
    bench = await ready(dut)
    rng = random.Random("reload")
    for round_ in range(2):
        names = list(KERNELS)
        rng.shuffle(names)
        for name in names:
            loaded = Loaded(bench, name)
            await loaded.load(lambda: rng.randrange(4) if round_ else 0)
            launch = loaded.plan["launches"][round_]
            assert await loaded.run(launch) == launch["cycles"], name


@cocotb.test()
async def wrong_length(dut):
    """`cfg_last` a word too early or too late is error 16 of no unit, until reset; then the right image runs."""
    bench = await ready(dut)
    loaded = Loaded(bench, "collatz")
    for words in (loaded.words[:-1], loaded.words + [0], loaded.words[:1]):
        assert not await bench.load(words)
        assert error(dut) == (1, LENGTH, 0xFFFF), error(dut)
        await bench.edge(20)
        assert error(dut) == (1, LENGTH, 0xFFFF) and not dut.cfg_done.value.integer
        await bench.reset()
    await loaded.load()
    await loaded.run(loaded.plan["launches"][0])


async def within_a_cycle(dut, kernel):
    """No input reaches an output before the next edge (H12; the exception is `cfg_ready`).

    In the middle of each cycle every channel's inputs change to something else and back; no output may follow.
    """
    bench = await ready(dut)
    loaded = Loaded(bench, kernel)
    await loaded.load()
    layout, rng = bench.layout, random.Random(kernel)
    inputs = [i["signal"] + s for i in layout["inputs"] for s in ("_valid", "_data")]
    inputs += [o["signal"] + "_ready" for o in layout["outputs"]]
    outputs = [o["signal"] + s for o in layout["outputs"] for s in ("_valid", "_data")]
    outputs += [i["signal"] + "_ready" for i in layout["inputs"]]
    outputs += ["cfg_done", "idle", "error_valid", "error_code", "error_unit"]
    for k in range(len(bench.masters)):
        names = {"in": "arready awready wready rvalid rdata rid rresp bvalid bid bresp",
                 "out": "arvalid araddr arid arsize awvalid awaddr awid awsize wvalid wdata wstrb rready bready"}
        inputs += [f"m{k}_axi_{n}" for n in names["in"].split()]
        outputs += [f"m{k}_axi_{n}" for n in names["out"].split()]
    inputs = [getattr(dut, n) for n in inputs if hasattr(dut, n)]
    outputs = [(n, getattr(dut, n)) for n in outputs if hasattr(dut, n)]
    looked = 0

    async def disturb():
        nonlocal looked
        while True:
            await FallingEdge(dut.clk)
            before = [signal.value.binstr for _, signal in outputs]
            saved = [signal.value for signal in inputs]
            for _ in range(2):
                for signal in inputs:
                    signal.value = rng.getrandbits(len(signal))
                await Timer(1, "ns")
                for (name, signal), value in zip(outputs, before):
                    assert signal.value.binstr == value, f"{name} follows an input within a cycle"
            for signal, value in zip(inputs, saved):
                signal.value = value
            looked += 1

    task = cocotb.start_soon(disturb())
    launch = loaded.plan["launches"][2]
    assert await loaded.run(launch) == launch["cycles"]
    task.kill()
    assert looked >= launch["cycles"]


def factory(test, **options):
    tests = TestFactory(test)
    for name, values in options.items():
        tests.add_option(name, values)
    tests.generate_tests()


factory(launches, kernel=list(KERNELS))
factory(spoiled, kernel=["dot", "histogram", "scratch"])
factory(reset_in_flight, kernel=list(KERNELS))
factory(within_a_cycle, kernel=["collatz", "histogram"])
