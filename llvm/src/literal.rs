//! Numbers as the importer writes them.

use loom_base::truncate;
use loom_dfg::Type;
use rustc_apfloat::ieee::{BFloat, Half};
use rustc_apfloat::{Float, FloatConvert};

/// The bits of a literal; digits after `0x` are a float's bits.
pub(crate) fn bits(text: &str, ty: Type) -> Option<u64> {
    let width = ty.width(64);
    if ty.is_float() {
        if let Some(hex) = text.strip_prefix("0x") {
            return u64::from_str_radix(hex, 16).ok();
        }
        // As MLIR does: a double first, which is then rounded.
        let double: f64 = text.parse().ok()?;
        return Some(match ty {
            Type::F64 => double.to_bits(),
            Type::F32 => u64::from((double as f32).to_bits()),
            Type::F16 => narrow::<Half>(double),
            _ => narrow::<BFloat>(double),
        });
    }
    match text {
        "true" => Some(1),
        "false" => Some(0),
        _ => text.parse::<i128>().ok().map(|n| truncate(n as u64, width)),
    }
}

fn narrow<F: Float>(double: f64) -> u64
where
    rustc_apfloat::ieee::Double: FloatConvert<F>,
{
    let double = rustc_apfloat::ieee::Double::from_bits(u128::from(double.to_bits()));
    let narrow: F = double.convert(&mut false).value;
    narrow.to_bits() as u64
}
