//! What other tools reach on the kernels of the throughput table.
//!
//! Measured with CIRCT's handshake flow. It makes one circuit for one kernel, not a fabric;
//! Verilator, memories of one cycle with a port for each access, total cycles. Three settings of its buffer pass:
//! `cycles` of size 1 and of size 2 leave long combinational paths, `all` of size 2 registers every channel.

use serde::Serialize;

/// CIRCT's total cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Circt {
    /// Strategy `cycles`, size 1.
    pub cycles_1: u64,
    /// Strategy `cycles`, size 2.
    pub cycles_2: u64,
    /// Strategy `all`, size 2.
    pub all_2: u64,
}

/// Kernel, innermost iterations, cycles.
const CIRCT: [(&str, u64, [u64; 3]); 8] = [
    ("vecadd", 1024, [3074, 4099, 22549]),
    ("dot", 1024, [2050, 3075, 14362]),
    ("matmul", 4096, [13618, 22883, 130_259]),
    ("fir", 8192, [28674, 48131, 250_899]),
    ("gcd", 1023, [2048, 3072, 18427]),
    ("collatz", 118, [238, 357, 2141]),
    ("histogram", 1024, [4098, 5123, 35859]),
    ("threshold", 1024, [3581, 6137, 29141]),
];

/// CIRCT's cycles for a kernel run for so many innermost iterations, where they were measured.
pub fn circt(kernel: &str, iterations: u64) -> Option<Circt> {
    let found = CIRCT.iter().find(|(name, n, _)| *name == kernel && *n == iterations);
    found.map(|&(_, _, [cycles_1, cycles_2, all_2])| Circt { cycles_1, cycles_2, all_2 })
}
