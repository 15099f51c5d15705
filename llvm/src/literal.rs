//! Numbers as the importer writes them.

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
