//! Numbers, and what variables hold at first, as the importer writes them.

use crate::text::Attr;
use crate::types::Ty;
use loom_base::truncate;
use loom_dfg::{float, Type};

/// The bits of a literal; digits after `0x` are a float's bits.
pub(crate) fn bits(text: &str, ty: Type) -> Option<u64> {
    let width = ty.width(64);
    if ty.is_float() {
        if let Some(hex) = text.strip_prefix("0x") {
            return u64::from_str_radix(hex, 16).ok();
        }
        // As MLIR does: a double first, which is then rounded.
        return Some(float::from_f64(ty, text.parse().ok()?));
    }
    match text {
        "true" => Some(1),
        "false" => Some(0),
        _ => text.parse::<i128>().ok().map(|n| truncate(n as u64, width)),
    }
}

/// The initial bytes of a global, from its attribute or its region.
pub(crate) fn bytes_of(attribute: &Attr, ty: &Ty, out: &mut [u8]) -> Option<()> {
    match attribute {
        Attr::Bytes(bytes) => {
            out.get_mut(..bytes.len())?.copy_from_slice(bytes);
            Some(())
        }
        Attr::Number(text, _) => {
            let scalar = ty.leaf()?;
            let bits = bits(text, scalar)?;
            let size = (scalar.width(64) as usize).div_ceil(8);
            out.get_mut(..size)?.copy_from_slice(&bits.to_le_bytes()[..size]);
            Some(())
        }
        Attr::Dense(elements, _) => {
            let scalar = ty.leaf()?;
            let size = (scalar.width(64) as usize).div_ceil(8);
            match &elements[..] {
                [Attr::Bytes(hex)] => {
                    let digits = hex.strip_prefix(b"0x")?;
                    let digit = |b: u8| char::from(b).to_digit(16);
                    let byte = |pair: &[u8]| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8);
                    let raw: Vec<u8> = digits.chunks_exact(2).map(byte).collect::<Option<_>>()?;
                    // One element stands for all.
                    let count = out.len();
                    out.iter_mut().zip(raw.iter().cycle()).take(count).for_each(|(o, r)| *o = *r);
                    Some(())
                }
                [] => Some(()),
                list => {
                    for (chunk, element) in out.chunks_exact_mut(size).zip(list.iter().cycle()) {
                        bytes_of(element, ty, chunk)?;
                    }
                    Some(())
                }
            }
        }
        _ => None,
    }
}
