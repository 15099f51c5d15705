//! Value types of the dataflow graph (specification `dataflow-2026-02-03`: native value types, tagged types).

use std::fmt;

/// Width of `index` unless the fabric says otherwise (D7).
pub const DEFAULT_INDEX_WIDTH: u32 = 32;

/// The type of a value, and so of the tokens on its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// A control token: no data.
    None,
    /// A signless integer of 1 to 64 bits.
    Int(u8),
    /// 16 bits, eight of them exponent.
    Bf16,
    /// IEEE half.
    F16,
    /// IEEE single.
    F32,
    /// IEEE double.
    F64,
    /// Loop and address arithmetic; as wide as the fabric's `index_width`.
    Index,
}

impl Type {
    /// `i1`, the type of conditions.
    pub const I1: Type = Type::Int(1);
    /// `i32`.
    pub const I32: Type = Type::Int(32);

    /// Data bits of a token of this type.
    pub fn width(self, index_width: u32) -> u32 {
        match self {
            Type::None => 0,
            Type::Int(w) => u32::from(w),
            Type::Bf16 | Type::F16 => 16,
            Type::F32 => 32,
            Type::F64 => 64,
            Type::Index => index_width,
        }
    }

    /// Integer or `index`.
    pub fn is_integral(self) -> bool {
        matches!(self, Type::Int(_) | Type::Index)
    }

    /// `bf16`, `f16`, `f32` or `f64`.
    pub fn is_float(self) -> bool {
        matches!(self, Type::Bf16 | Type::F16 | Type::F32 | Type::F64)
    }

    /// Bits of a float's fraction, without the hidden one; 0 of what is no float.
    pub fn fraction_bits(self) -> u32 {
        match self {
            Type::Bf16 => 7,
            Type::F16 => 10,
            Type::F32 => 23,
            Type::F64 => 52,
            Type::None | Type::Int(_) | Type::Index => 0,
        }
    }

    /// Reads `i32`, `index`, `none`, `f32`, ...; integers outside i1..i64 give `None`.
    pub fn parse(text: &str) -> Option<Type> {
        Some(match text {
            "none" => Type::None,
            "index" => Type::Index,
            "bf16" => Type::Bf16,
            "f16" => Type::F16,
            "f32" => Type::F32,
            "f64" => Type::F64,
            _ => {
                let digits = text.strip_prefix('i')?;
                if digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
                    return None;
                }
                let width: u8 = digits.parse().ok()?;
                (1..=64).contains(&width).then_some(Type::Int(width))?
            }
        })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::None => f.write_str("none"),
            Type::Int(w) => write!(f, "i{w}"),
            Type::Bf16 => f.write_str("bf16"),
            Type::F16 => f.write_str("f16"),
            Type::F32 => f.write_str("f32"),
            Type::F64 => f.write_str("f64"),
            Type::Index => f.write_str("index"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        for t in ["none", "i1", "i7", "i64", "bf16", "f16", "f32", "f64", "index"] {
            assert_eq!(Type::parse(t).unwrap().to_string(), t);
        }
        for t in ["i0", "i65", "i", "i+3", "i032", "memref<4xi32>", "u8", ""] {
            assert_eq!(Type::parse(t), None, "{t}");
        }
    }
}
