//! Mutations of texts by tokens and lines.

use loom_base::Rng;
use loom_dfg::{OpKind, Predicate};
use std::ops::Range;
use std::sync::OnceLock;

/// What is written between the names of ops: types, keys, marks and numbers at the ends of their ranges.
const WORDS: &str = "i1 i8 i16 i32 i64 f16 bf16 f32 f64 index none memref<?xi32> memref<4x4xf32> memref<8xi64> vector<4xi32> \
    !fabric.bits<32> !fabric.tagged<!fabric.bits<32>,i4> !llvm.ptr !llvm.struct<(i32,f32)> func.func return call scf.for scf.while \
    scf.if scf.yield scf.condition scf.index_switch scf.parallel scf.reduce affine.for affine.if affine.load affine.store \
    affine.apply affine_map cf.br cf.cond_br cf.switch memref.load memref.store memref.alloca memref.alloc memref.global \
    memref.get_global memref.subview memref.reinterpret_cast memref.cast memref.dim iter_args to step else do default dense \
    llvm.mlir.constant llvm.mlir.zero llvm.mlir.undef llvm.alloca llvm.load llvm.store llvm.getelementptr llvm.icmp llvm.fcmp \
    llvm.select llvm.br llvm.cond_br llvm.switch llvm.return llvm.unreachable llvm.extractvalue llvm.insertvalue llvm.call \
    llvm.add llvm.sub llvm.sext llvm.zext llvm.trunc llvm.ptrtoint llvm.freeze llvm.intr.memcpy llvm.intr.memmove \
    llvm.intr.memset llvm.intr.smax llvm.intr.bswap llvm.intr.uadd.with.overflow llvm.noalias attributes private constant fork sink buffer argNames resNames step_op cont_cond value fabric.module \
    fabric.instance fabric.connect fabric.tile fabric.fu fabric.yield depth latency interval table_size connectivity \
    inputs outputs memory expect expect_memory stalls axi limits seed count first random low high alias offset words activations \
    schedules max_cycles latency stall_percent reorder name use mesh layout legend rows columns tile override pe switch fifo \
    extmemory ranks memories turnarounds channels width queue loads stores regions bytes host tag true false \
    0 1 2 3 7 8 15 16 17 31 32 33 63 64 65 127 128 255 256 257 4095 4096 4097 65535 65536 1000000 1048576 2147483647 \
    2147483648 4294967295 4294967296 9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551616 \
    -1 -2 -2147483648 -9223372036854775808 -9223372036854775809 0x7f800000 1e308 1e-400 -0.0 nan inf 0.1 \
    ( ) { } [ ] < > , : = -> % # @ ^bb0 ^bb1 %0 %1 %0#1 \" ; // . + - * == != |";

fn dictionary() -> &'static [String] {
    static ALL: OnceLock<Vec<String>> = OnceLock::new();
    ALL.get_or_init(|| {
        let ops = OpKind::TABLE.iter().map(|row| row.mnemonic().to_string());
        let predicates = Predicate::ALL.iter().map(|p| p.text().to_string());
        ops.chain(predicates).chain(WORDS.split_whitespace().map(str::to_string)).collect()
    })
}

/// The tokens of a text, as a rough lexer of any of the languages sees them, blanks apart.
fn tokens(text: &[u8]) -> Vec<Range<usize>> {
    let class = |b: u8| match b {
        b' ' | b'\t' | b'\r' | b'\n' => 0,
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'$' | 128.. => 1,
        _ => 2,
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let start = at;
        at += 1;
        match class(text[start]) {
            0 => continue,
            1 => at += text[at..].iter().take_while(|&&b| class(b) == 1).count(),
            _ => {}
        }
        found.push(start..at);
    }
    found
}

fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive(|&b| b == b'\n') {
        found.push(start..start + line.len());
        start += line.len();
    }
    found
}

/// Some neighbours among the pieces of a text, mostly few.
fn some(pieces: &[Range<usize>], rng: &mut Rng) -> Range<usize> {
    let first = rng.below(pieces.len());
    let most = if rng.chance(80) { 2 } else { 12 };
    let last = (first + rng.below(most)).min(pieces.len() - 1);
    pieces[first].start..pieces[last].end
}

fn number(rng: &mut Rng, was: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(was).unwrap_or("0");
    let near = text.parse::<i128>().unwrap_or(0);
    let value = match rng.below(5) {
        0 => near.wrapping_add(1),
        1 => near.wrapping_sub(1),
        2 => near.wrapping_mul(2),
        3 => 1i128 << rng.below(66),
        _ => (1i128 << rng.below(66)) - 1,
    };
    value.to_string().into_bytes()
}

/// One change of a text.
fn change(text: &mut Vec<u8>, rng: &mut Rng) {
    let pieces = if rng.chance(25) { lines(text) } else { tokens(text) };
    if pieces.is_empty() {
        text.extend_from_slice(rng.pick(dictionary()).as_bytes());
        return;
    }
    let at = some(&pieces, rng);
    match rng.below(8) {
        0 => drop(text.drain(at)),
        1 => {
            let copy = text[at.clone()].to_vec();
            let to = rng.pick(&pieces).start;
            text.splice(to..to, copy);
        }
        2 => {
            let copy = text[some(&pieces, rng)].to_vec();
            text.splice(at, copy);
        }
        3 => {
            let other = some(&pieces, rng);
            if at.end <= other.start || other.end <= at.start {
                let (low, high) = if at.start < other.start { (at, other) } else { (other, at) };
                let (first, second) = (text[low.clone()].to_vec(), text[high.clone()].to_vec());
                text.splice(high, first);
                text.splice(low, second);
            }
        }
        4 => drop(text.splice(at, rng.pick(dictionary()).bytes())),
        5 => {
            let word = format!(" {} ", rng.pick(dictionary()));
            text.splice(at.start..at.start, word.into_bytes());
        }
        _ => {
            let numbers: Vec<_> =
                tokens(text).into_iter().filter(|t| text[t.clone()].iter().all(u8::is_ascii_digit)).collect();
            if !numbers.is_empty() {
                let at = rng.pick(&numbers).clone();
                let new = number(rng, &text[at.clone()]);
                text.splice(at, new);
            }
        }
    }
}

/// The mutator of a text: some changes, or now and then libFuzzer's own. Gives the new size.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut rng = Rng::new(seed.into());
    if rng.chance(15) {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let mut text = data[..size].to_vec();
    for _ in 0..1 + rng.below(3) {
        change(&mut text, &mut rng);
    }
    text.truncate(max_size);
    data[..text.len()].copy_from_slice(&text);
    text.len()
}

/// An input as text; what is no UTF-8 is for the command line to refuse.
pub fn of(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}
