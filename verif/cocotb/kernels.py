"""The kernels of the bench: their programs, data for a launch, and what a launch must give.

Expectations are written here in Python from what a kernel's first line says; nothing of LOOM computes them.
"""

from dataclasses import dataclass, field


@dataclass
class Launch:
    """Tokens of the arguments, words of the memories, and both as they must be afterwards."""

    inputs: dict
    results: dict = field(default_factory=dict)
    memory: dict = field(default_factory=dict)
    after: dict = field(default_factory=dict)


def signed(value):
    """As an `i32` that has wrapped."""
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)


def collatz(rng):
    # It does not store, so its activations may be fed back to back.
    starts = [rng.randint(1, 60) for _ in range(rng.randint(1, 3))]
    steps = []
    for x in starts:
        steps.append(0)
        while x > 1:
            x = 3 * x + 1 if x % 2 else x // 2
            steps[-1] += 1
    return Launch({"x": starts}, {"steps": steps})


def words(rng, count, low=-(1 << 31), high=(1 << 31) - 1):
    return [rng.randint(low, high) for _ in range(count)]


def dot(rng):
    counts = [rng.randint(0, 16) for _ in range(rng.randint(1, 3))]
    a, b = words(rng, 16), words(rng, 16)
    results = [signed(sum(x * y for x, y in zip(a[:n], b[:n]))) for n in counts]
    return Launch({"n": counts}, {"r0": results}, {"a": a, "b": b}, {"a": a, "b": b})


def histogram(rng):
    n = rng.randint(0, 24)
    data = words(rng, n + 1)
    bins = words(rng, 16, 0, 9)
    after = list(bins)
    for x in data[:n]:
        after[x & 15] += 1
    return Launch({"n": [n]}, {}, {"data": data, "bins": bins}, {"data": data, "bins": after})


def scratch(rng):
    scale = rng.randint(-(1 << 31), (1 << 31) - 1)
    after = [signed(k * k * scale) for k in reversed(range(8))]
    return Launch({"scale": [scale]}, {}, {"out": words(rng, 8)}, {"out": after})


def csr_rowsum(rng):
    rows = rng.randint(0, 6)
    starts = [0]
    for _ in range(rows):
        starts.append(starts[-1] + rng.randint(0, 5))
    values = words(rng, starts[-1] + 1)
    sums = words(rng, rows + 1)
    after = [signed(sum(values[starts[r]:starts[r + 1]])) for r in range(rows)] + sums[rows:]
    memory = {"starts": starts, "values": values, "sums": sums}
    return Launch({"rows": [rows]}, {}, memory, {**memory, "sums": after})


# Name, what makes a launch, and its program. Only control, loads, loads and stores at indices out of memory, a
# scratchpad, a nest with a memory between its loops.
KERNELS = {
    "collatz": (collatz, "kernels/collatz/collatz.dfg.mlir"),
    "dot": (dot, "kernels/dot/dot.scf.mlir"),
    "histogram": (histogram, "kernels/histogram/histogram.scf.mlir"),
    "scratch": (scratch, "kernels/scratch/scratch.scf.mlir"),
    "csr_rowsum": (csr_rowsum, "kernels/csr_rowsum/csr_rowsum.scf.mlir"),
}
