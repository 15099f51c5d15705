"""LOOM's stall patterns (docs/cases.md): pure functions of seed, port and cycle.

Written a second time here so that this bench stalls in the very cycles in which `loom sim` does, and a run's cycles can be
compared under back-pressure too.
"""

from dataclasses import dataclass

MASK = (1 << 64) - 1
# The five AXI channels in the order of their keys; masters' keys lie above those of boundary ports.
CHANNELS = ("ar", "aw", "w", "r", "b")
MASTERS = 1 << 40


def mix(value):
    """One step of splitmix64."""
    z = (value + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return z ^ z >> 31


def below(draw, percent):
    return draw * 100 >> 64 < percent


@dataclass(frozen=True)
class Stalls:
    """How boundary and memory stall: per cents of cycles, and what decides which."""

    source: int = 0
    sink: int = 0
    axi: int = 0
    seed: int = 1

    def input(self, k, cycle):
        """Whether the source of `in<k>` does not start to offer a token."""
        return below(mix(self.seed ^ mix(2 * k ^ mix(cycle))), self.source)

    def output(self, k, cycle):
        """Whether the sink of `out<k>` is not ready."""
        return below(mix(self.seed ^ mix(2 * k + 1 ^ mix(cycle))), self.sink)

    def channel(self, master, name, cycle):
        """Whether an AXI channel of `m<master>` stalls."""
        key = MASTERS + master << 8 ^ CHANNELS.index(name) << 4
        return below(mix(self.seed ^ mix(key ^ mix(cycle))), self.axi)


NONE = Stalls()
