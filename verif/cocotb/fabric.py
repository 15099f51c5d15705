"""A fabric's top seen by a bench: configuration port, channels, AXI masters behind `cocotbext.axi`'s memory.

Written from docs/integration.md and section 8 of docs/hardware.md. Guarantees: a launch is driven cycle by cycle as `loom sim`
drives it, and in every cycle what the fabric offers is held against the rules of its channels and of AXI (`Offer`).
Refuses: a broken rule fails the test at the cycle it is seen in.
"""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiBus, AxiRam

from stalls import CHANNELS, NONE

PERIOD_NS = 10
# What the models' memory takes and AxiRam too, where nothing stalls it: a request that transfers in cycle t is taken out of a
# queue at the edge that ends t, its answer is put into another then, and driven at the next edge; so it is there in t + 2.
LATENCY = 2
RAM_BYTES = 1 << 16
SINKS = CHANNELS[:3]
# More than any launch of this bench takes, stalled or not.
PATIENCE = 20_000


class Offer:
    """The rules of what the fabric offers on one channel: it stays, unchanged, until it is taken (H2; AXI A3.2.1)."""

    def __init__(self, dut, name, payload, valid="valid", ready="ready"):
        self.name = name
        self.valid = getattr(dut, name + valid)
        self.ready = getattr(dut, name + ready)
        self.payload = [getattr(dut, name + p) for p in payload]
        self.held = None

    def sample(self):
        """At the end of a cycle: what transferred, as a list of the payload, or None."""
        if not self.valid.value.integer:
            assert self.held is None, f"{self.name}: taken back"
            return None
        now = [p.value.integer for p in self.payload]
        assert self.held in (None, now), f"{self.name}: {self.held} became {now}"
        taken = bool(self.ready.value.integer)
        self.held = None if taken else now
        return now if taken else None


class Top:
    """The top as buses of cocotb see it, who look for their signals with `dir`: only the ports of the masters.

    Under Verilator `dir` of the top itself finds the module's own nets of these names, and what is written to them is lost: the
    ports drive them. Asked for by name, the ports come.
    """

    NAMES = """arvalid arready araddr arid arlen arsize arburst arlock arcache arprot arqos rvalid rready rdata rid rresp rlast
        awvalid awready awaddr awid awlen awsize awburst awlock awcache awprot awqos wvalid wready wdata wstrb wlast
        bvalid bready bid bresp""".split()

    def __init__(self, dut, prefix):
        self.dut, self.prefix = dut, prefix

    def __dir__(self):
        return [self.prefix + name for name in self.NAMES]

    def __getattr__(self, name):
        return getattr(self.dut, name)


class Master:
    """An AXI master of the fabric, the memory behind it, and the rules between them."""

    def __init__(self, bench, k, share):
        dut, prefix = bench.dut, f"m{k}_axi_"
        bus = AxiBus.from_prefix(Top(dut, prefix), prefix[:-1])
        self.ram = AxiRam(bus, dut.clk, dut.rst_n, reset_active_level=False, size=RAM_BYTES, mem=share)
        write, read = self.ram.write_if, self.ram.read_if
        self.channels = {
            "ar": read.ar_channel, "aw": write.aw_channel, "w": write.w_channel,
            "r": read.r_channel, "b": write.b_channel,
        }
        for name, channel in self.channels.items():
            # Short queues would stall it in cycles of their own.
            channel.queue_occupancy_limit = -1
            stall_by_pattern(bench, channel, k, name)
        address = ("id", "addr", "len", "size", "burst", "lock", "cache", "prot", "qos")
        self.offers = {
            "ar": Offer(dut, prefix + "ar", address), "aw": Offer(dut, prefix + "aw", address),
            "w": Offer(dut, prefix + "w", ("data", "strb", "last")),
        }
        self.answers = {c: [getattr(dut, f"{prefix}{c}{s}") for s in ("valid", "ready")] for c in "rb"}
        self.bytes = len(self.offers["w"].payload[0]) // 8
        self.clear()

    def clear(self):
        """After a reset nothing is under way."""
        for offer in self.offers.values():
            offer.held = None
        self.open = {"ar": 0, "aw": 0}
        self.addresses, self.strobes = [], []

    def sample(self):
        for name, offer in self.offers.items():
            beat = offer.sample()
            if beat is None:
                continue
            if name == "w":
                assert beat[2] == 1, "a beat without wlast"
                self.strobes.append(beat[1])
                continue
            _, at, length, size, burst, *zeros = beat
            assert (length, burst, any(zeros)) == (0, 1, False), f"{name}: {beat}"
            assert 1 << size <= self.bytes and at % (1 << size) == 0, f"{name}: {size=} at {at:#x}"
            self.open[name] += 1
            if name == "aw":
                self.addresses.append((at, size))
        while self.addresses and self.strobes:
            (at, size), strobe = self.addresses.pop(0), self.strobes.pop(0)
            assert strobe == (1 << (1 << size)) - 1 << at % self.bytes, f"strobes {strobe:#x} at {at:#x}"
        for name, (valid, ready) in self.answers.items():
            assert ready.value.integer, f"{name}ready is low"
            if valid.value.integer:
                self.open["ar" if name == "r" else "aw"] -= 1

    def nothing_in_flight(self):
        return not (any(self.open.values()) or self.addresses or self.strobes) and all(
            o.held is None for o in self.offers.values())


def stall_by_pattern(bench, channel, k, name):
    """Lets the launch's pattern say in which cycles a channel of AxiRam stalls.

    A sink asks for `pause` in the cycle before the one it sets ready for, a source in the cycle it offers in.
    """
    ahead = 1 if name in SINKS else 0

    def pause(_):
        return bench.stalls.channel(k, name, bench.cycle() + ahead)

    # `pause` is a property of the class, so this one object gets a class of its own.
    channel.__class__ = type("Patterned", (type(channel),), {"pause": property(pause, lambda self, value: None)})


class Source:
    """Offers the tokens of an argument, in order: the next one in a cycle that does not stall, until it is taken."""

    def __init__(self, dut, port, tokens):
        signal = port["signal"]
        self.number = int(signal.removeprefix("in"))
        self.valid, self.ready = getattr(dut, signal + "_valid"), getattr(dut, signal + "_ready")
        self.data = getattr(dut, signal + "_data", None)
        self.mask = (1 << port["width"]) - 1
        self.left, self.offered = list(tokens), False

    def sample(self):
        """At the end of a cycle: whether its token was taken."""
        taken = self.offered and bool(self.ready.value.integer)
        if taken:
            self.left.pop(0)
            self.offered = False
            self.valid.value = 0
        return taken

    def drive(self, stalled):
        if self.left and not self.offered and not stalled:
            self.offered = True
            self.valid.value = 1
            if self.data is not None:
                # What stands above a narrow token does not matter, so it is not 0 here.
                width = len(self.data)
                self.data.value = (self.left[0] & self.mask | ~self.mask) & (1 << width) - 1


class Bench:
    """Clock, reset, configuration and launches of one fabric."""

    def __init__(self, dut, layout):
        self.dut, self.layout = dut, layout
        self.stalls, self.origin, self.last = NONE, 0, 0
        self.sources, self.taken, self.errors = [], {}, []
        self.outputs = {o["signal"]: Offer(dut, o["signal"] + "_", ("data",) if o["width"] else ())
                        for o in layout["outputs"]}
        kinds = {d["name"]: d["kind"] for d in layout["definitions"]}
        self.units = {s["name"]: s["unit"] for s in layout["slices"]}
        # AXI masters are numbered in flattened order, as units are.
        self.interfaces = [s["name"] for s in layout["slices"] if kinds[s["definition"]] == "extmemory"]
        self.masters = []
        for k in range(len(self.interfaces)):
            self.masters.append(Master(self, k, self.masters[0].ram.mem if k else None))
        self.memory = self.masters[0].ram.mem
        tiles = len({s["name"].split(".")[0] for s in layout["slices"]})
        # Depth of the trees of errors and of `idle`, docs/hardware.md, section 7: 1 + ceil(log4(tiles)).
        self.depth = 1 + next(d for d in range(9) if 4**d >= tiles)

    def cycle(self):
        """Which cycle of the launch this is."""
        return int(get_sim_time("ns")) // PERIOD_NS - self.origin

    async def edge(self, count=1):
        for _ in range(count):
            await RisingEdge(self.dut.clk)

    async def start(self):
        """Everything low, one cycle of reset, and the watch begins."""
        inputs = ["cfg_valid", "cfg_data", "cfg_last"]
        inputs += [i["signal"] + s for i in self.layout["inputs"] for s in ("_valid", "_data")]
        # The host's ports into scratchpads are not used.
        inputs += [f"h0_{s}" for s in ("req", "we", "addr", "wdata", "wstrb")]
        for name in inputs:
            if hasattr(self.dut, name):
                getattr(self.dut, name).value = 0
        for output in self.outputs.values():
            output.ready.value = 1
        self.dut.rst_n.value = 1
        cocotb.start_soon(Clock(self.dut.clk, PERIOD_NS, units="ns").start())
        await self.edge(2)
        await self.reset()
        cocotb.start_soon(self.watch())
        cocotb.start_soon(self.wake())

    async def reset(self):
        """One cycle, and from its edge on nothing is offered (docs/integration.md, "Clock and reset")."""
        self.stalls = NONE
        self.dut.rst_n.value = 0
        self.dut.cfg_valid.value = 0
        for source in self.sources:
            source.valid.value = 0
        self.sources = []
        await self.edge()
        self.dut.rst_n.value = 1
        offers = [*self.outputs.values(), *(o for m in self.masters for o in m.offers.values())]
        for offer in offers:
            offer.held = None
        for master in self.masters:
            master.clear()
        await FallingEdge(self.dut.clk)
        assert not any(o.valid.value.integer for o in offers), "an offer after reset"
        assert not self.dut.error_valid.value.integer and not self.dut.cfg_done.value.integer
        await self.edge()

    async def wake(self):
        """AxiRam's sinks sleep while nothing is offered; theirs is to decide about ready in every cycle."""
        while True:
            await FallingEdge(self.dut.clk)
            for master in self.masters:
                for name in SINKS:
                    master.channels[name].wake_event.set()

    async def watch(self):
        """Each edge: what happened in the cycle that ends, then what is driven in the one that begins."""
        while True:
            await self.edge()
            if not self.dut.rst_n.value.integer:
                continue
            for master in self.masters:
                master.sample()
            moved = [source.sample() for source in self.sources]
            for signal, output in self.outputs.items():
                beat = output.sample()
                if beat is not None:
                    moved.append(True)
                    self.taken.setdefault(signal, []).append(beat[0] if beat else 0)
            now = self.cycle()
            if any(moved):
                self.last = now
            if now < 0:
                continue
            for source in self.sources:
                source.drive(self.stalls.input(source.number, now))
            for signal, output in self.outputs.items():
                if self.stalls.sink:
                    output.ready.value = not self.stalls.output(int(signal.removeprefix("out")), now)

    async def load(self, words, gap=lambda: 0):
        """Sends an image; returns when it runs or is refused. `gap` gives cycles to wait before a word."""
        dut = self.dut
        for i, word in enumerate(words):
            wait = gap()
            if wait:
                dut.cfg_valid.value = 0
                await self.edge(wait)
            dut.cfg_valid.value, dut.cfg_data.value = 1, word
            dut.cfg_last.value = i + 1 == len(words)
            await self.edge()
            while not dut.cfg_ready.value.integer:
                await self.edge()
            if i == 1:
                assert not dut.cfg_done.value.integer, "cfg_done stays while words come"
        dut.cfg_valid.value = dut.cfg_last.value = 0
        # Section 6: the cycles after the last word in which words and error flags settle.
        settle = len(self.layout["slices"]) + self.depth + 4
        for waited in range(1, settle + 2):
            await self.edge()
            if dut.cfg_done.value.integer or dut.error_valid.value.integer:
                break
        if dut.cfg_done.value.integer:
            assert waited == settle + 1, f"cfg_done {waited - 1} cycles after the last word, not {settle}"
        return dut.cfg_done.value.integer

    def begin(self, ports, inputs, stalls=NONE):
        """Cycle 0 of a launch is the next but one: AXI's sinks decide a cycle ahead."""
        self.stalls, self.origin, self.last = stalls, self.origin + self.cycle() + 1, 0
        self.taken = {}
        count = max((len(tokens) for tokens in inputs.values()), default=1)
        # A control argument gets one token for each activation.
        self.sources = [Source(self.dut, port, inputs.get(port["name"], [0] * count))
                        for port in ports if port["signal"] and port["signal"].startswith("in")]

    def complete(self, ports, count):
        outputs = [port["signal"] for port in ports if port["signal"].startswith("out")]
        return not any(s.left for s in self.sources) and all(len(self.taken.get(o, [])) >= count for o in outputs)

    async def finish(self, ports, count):
        """Waits for all tokens; the launch's cycles as `loom sim` counts them."""
        while not self.complete(ports, count):
            assert self.cycle() < PATIENCE, f"no result in {PATIENCE} cycles; taken: {self.taken}"
            assert not self.dut.error_valid.value.integer, f"error {self.dut.error_code.value.integer}"
            await self.edge()
        return self.last

    async def quiet(self):
        """After a launch `idle` rises and stays, nothing is in flight, and no further token comes (H9)."""
        self.stalls = NONE
        for output in self.outputs.values():
            output.ready.value = 1
        before = {signal: len(tokens) for signal, tokens in self.taken.items()}
        for _ in range(PATIENCE):
            await self.edge()
            if self.dut.idle.value.integer:
                break
        for _ in range(4 * self.depth):
            assert self.dut.idle.value.integer, "not idle"
            assert all(m.nothing_in_flight() for m in self.masters), "an access is under way"
            await self.edge()
        assert before == {signal: len(tokens) for signal, tokens in self.taken.items()}, "tokens too many"
        assert not self.dut.error_valid.value.integer
