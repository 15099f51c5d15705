//! Numbers of the text as bits of a type, and back.
//!
//! As in MLIR, a decimal float is read as a double and then rounded to its type; hexadecimal digits are the
//! bits.

use super::parser::{Parsed, Parser};
use super::terms::Literal;
use crate::codes;
use loom_base::{sign_extend, truncate, Diagnostic};
use loom_dfg::{float, Type};
use loom_mlir::Tok;
use std::ops::Range;

/// Words of the largest initial value.
const MAX_WORDS: usize = 1 << 22;

/// A number as written; `true` and `false` are 1 and 0 of `i1`.
#[derive(Clone, Debug)]
pub(super) struct Number {
    pub negative: bool,
    pub text: String,
    pub span: Range<usize>,
}

impl Number {
    fn is_float(&self) -> bool {
        self.text.contains('.')
    }

    fn is_hex(&self) -> bool {
        self.text.starts_with("0x")
    }

    pub fn integer(&self) -> Option<i128> {
        let magnitude: u64 = match (self.text.as_str(), self.text.strip_prefix("0x")) {
            ("true", _) => 1,
            ("false", _) => 0,
            (_, Some(digits)) => u64::from_str_radix(digits, 16).ok()?,
            (digits, None) => digits.parse().ok()?,
        };
        Some(if self.negative { -i128::from(magnitude) } else { i128::from(magnitude) })
    }
}

impl Parser<'_> {
    /// `-1.5`, `0x1F`, `true`.
    pub fn number(&mut self) -> Parsed<Number> {
        let mut span = self.span();
        let negative = self.eat(b'-');
        let ok = matches!(self.peek(), Tok::Integer | Tok::Float)
            || (!negative && (self.is_word("true") || self.is_word("false")));
        if !ok {
            return self.unexpected("a number");
        }
        let text = self.advance().to_string();
        span.end = self.last_end();
        Ok(Number { negative, text, span })
    }

    /// The bits of a number in a type.
    pub fn bits(&mut self, number: &Number, ty: Type) -> Parsed<u64> {
        let shown = format!("{}{}", if number.negative { "-" } else { "" }, number.text);
        let bits = literal_bits(number, ty);
        match bits {
            Ok(bits) => Ok(bits),
            Err(allowed) => {
                let d = Diagnostic::error(codes::LITERAL, format!("`{shown}` is no literal of `{ty}`"));
                self.fail(d.at(number.span.clone(), "").help(allowed))
            }
        }
    }

    /// All words of a dense literal, row-major.
    pub fn dense_bits(
        &mut self,
        literal: &Literal,
        shape: &[i64],
        ty: Type,
        span: Range<usize>,
    ) -> Parsed<Vec<u64>> {
        let words = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(usize::try_from(d).ok()?));
        let Some(words) = words.filter(|&n| n <= MAX_WORDS) else {
            let message = format!("an initial value of more than {MAX_WORDS} words");
            return self.error(codes::NOT_SUPPORTED, message, span);
        };
        match literal {
            Literal::Leaf(number) => Ok(vec![self.bits(number, ty)?; words]),
            Literal::Bytes(text) => {
                let size = (ty.width(64).max(1)).div_ceil(8) as usize;
                let digits = text.strip_prefix("0x").unwrap_or("");
                let bytes: Option<Vec<u8>> = (0..digits.len() / 2)
                    .map(|i| u8::from_str_radix(digits.get(2 * i..2 * i + 2)?, 16).ok())
                    .collect();
                let found = bytes.filter(|b| digits.len() % 2 == 0 && !b.is_empty() && ty != Type::I1);
                let Some(bytes) = found.filter(|b| b.len() == size || b.len() == size * words) else {
                    let message = format!("a literal in bytes needs {size} for each of the {words} words");
                    return self.error(codes::LITERAL, message, span);
                };
                let all: Vec<u64> = bytes
                    .chunks(size)
                    .map(|c| c.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b)))
                    .map(|n| truncate(n, ty.width(64)))
                    .collect();
                Ok(if all.len() == words { all } else { vec![all[0]; words] })
            }
            Literal::List(_) => {
                let mut out = Vec::new();
                self.dense_list(literal, shape, ty, &span, &mut out)?;
                Ok(out)
            }
        }
    }

    fn dense_list(
        &mut self,
        literal: &Literal,
        shape: &[i64],
        ty: Type,
        span: &Range<usize>,
        out: &mut Vec<u64>,
    ) -> Parsed<()> {
        match (literal, shape) {
            (Literal::Leaf(number), []) => {
                out.push(self.bits(number, ty)?);
                Ok(())
            }
            (Literal::List(list), [first, rest @ ..]) if list.len() as i64 == *first => {
                list.iter().try_for_each(|l| self.dense_list(l, rest, ty, span, out))
            }
            // An empty literal stands for any shape without words.
            (Literal::List(list), _) if list.is_empty() && shape.contains(&0) => Ok(()),
            _ => {
                self.error(codes::SHAPE, "a literal whose lists do not have the type's extents", span.clone())
            }
        }
    }
}

fn literal_bits(number: &Number, ty: Type) -> Result<u64, String> {
    if ty.is_float() {
        if number.is_hex() {
            let width = ty.width(64);
            return match number.integer() {
                Some(n) if n >= 0 && n as u64 == truncate(n as u64, width) => Ok(n as u64),
                _ => Err(format!("hexadecimal floats are the {width} bits of the number")),
            };
        }
        if !number.is_float() {
            return Err("write a point: `1.0`".to_string());
        }
        let value: f64 = number.text.parse().map_err(|_| "write it as `1.0e3`".to_string())?;
        let value = if number.negative { -value } else { value };
        return Ok(float::from_f64(ty, value));
    }
    let n = number.integer().ok_or_else(|| "integers have at most 64 bits and no point".to_string())?;
    let width = ty.width(64);
    let (low, high) = (-(1i128 << (width - 1)), (1i128 << width) - 1);
    match (low..=high).contains(&n) {
        true => Ok(truncate(n as u64, width)),
        false => Err(format!("the range is {low} to {high}")),
    }
}

/// The text of a literal, without its type: the shortest decimal that reads back, or hexadecimal digits.
pub(super) fn literal_text(bits: u64, ty: Type) -> String {
    let width = ty.width(64);
    match ty {
        Type::I1 => return if bits & 1 == 1 { "true" } else { "false" }.to_string(),
        Type::Int(_) | Type::Index | Type::None => return sign_extend(bits, width).to_string(),
        _ => {}
    }
    let exponent_bits = match ty {
        Type::F16 => 5,
        Type::F64 => 11,
        _ => 8,
    };
    let all_ones = (1u64 << exponent_bits) - 1;
    if bits >> (width - 1 - exponent_bits) & all_ones == all_ones {
        return format!("0x{bits:0digits$X}", digits = width as usize / 4);
    }
    let value = float::to_f64(ty, bits);
    for digits in 1..20 {
        let text = format!("{value:.digits$e}");
        if text.parse().is_ok_and(|v| float::from_f64(ty, v) == bits) {
            return text.strip_suffix("e0").map_or(text.clone(), str::to_string);
        }
    }
    format!("0x{bits:0digits$X}", digits = width as usize / 4)
}
