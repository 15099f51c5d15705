//! Token streams of a case file: lists, constants, ranges, random numbers, control tokens.

use super::{Item, Reader};
use crate::codes;
use loom_base::{truncate, Diagnostic, Rng};
use loom_dfg::Type;
use toml::de::DeValue;

/// Tokens of one stream at most.
pub(super) const MOST: usize = 1_000_000;

const KEYS: [&str; 8] = ["count", "value", "first", "step", "random", "seed", "low", "high"];

impl Reader<'_> {
    /// The tokens of an argument or result, as bit patterns; empty after a problem.
    pub(super) fn stream(&mut self, name: &str, ty: Type, item: &Item) -> Vec<u64> {
        match item.get_ref() {
            DeValue::Table(_) => self.generated(name, ty, item),
            DeValue::Array(list) if ty != Type::None => {
                if list.len() > MOST {
                    self.problems.push(
                        Diagnostic::error(
                            codes::TOO_MANY,
                            format!("`{name}` has {} tokens, {MOST} are allowed", list.len()),
                        )
                        .at(item.span(), "too many"),
                    );
                    return Vec::new();
                }
                list.iter()
                    .enumerate()
                    .filter_map(|(i, v)| self.token(&format!("`{name}[{i}]`"), ty, v))
                    .collect()
            }
            DeValue::Array(list) if list.is_empty() => Vec::new(),
            _ if ty == Type::None => {
                self.wrong_type(
                    &format!("`{name}` (none)"),
                    "`{ count = N }`: control tokens have no data",
                    item,
                );
                Vec::new()
            }
            _ => self.token(&format!("`{name}`"), ty, item).into_iter().collect(),
        }
    }

    /// The least and the greatest number written for a type: two's complement and plain binary both go.
    fn bounds(&self, ty: Type) -> (i128, i128) {
        let width = ty.width(self.index_width);
        (-(1 << width.saturating_sub(1)), (1 << width) - 1)
    }

    fn token(&mut self, what: &str, ty: Type, value: &Item) -> Option<u64> {
        let width = ty.width(self.index_width);
        match (value.get_ref(), ty) {
            (DeValue::Boolean(b), Type::Int(1)) => Some(u64::from(*b)),
            (DeValue::Float(f), Type::F32) => f.as_str().parse::<f32>().ok().map(|f| u64::from(f.to_bits())),
            (DeValue::Float(f), Type::F64) => f.as_str().parse::<f64>().ok().map(f64::to_bits),
            (DeValue::Float(f), Type::F16 | Type::Bf16) => {
                f.as_str().parse().ok().map(|f| loom_dfg::float::from_f64(ty, f))
            }
            (DeValue::Integer(_), _) => {
                let (low, high) = self.bounds(ty);
                let n = self.integer(what, value, low, high, &format!(" for {ty}"))?;
                Some(truncate(n as u64, width))
            }
            _ => {
                let allowed = match ty {
                    Type::Int(1) => "`true`, `false` or an integer",
                    Type::F16 | Type::Bf16 | Type::F32 | Type::F64 => {
                        "a float, or an integer that gives its bits"
                    }
                    _ => "an integer",
                };
                self.wrong_type(what, allowed, value);
                None
            }
        }
    }

    fn generated(&mut self, name: &str, ty: Type, item: &Item) -> Vec<u64> {
        let before = self.problems.len();
        let fields = self.fields(name, item, &KEYS);
        let find = |key: &str| fields.iter().find(|f| f.0 == key).map(|f| f.1);
        let has = |keys: &[&str]| keys.iter().any(|k| find(k).is_some());
        let random = match find("random").map(|v| (v, v.get_ref())) {
            Some((_, DeValue::Boolean(b))) => *b,
            Some((v, _)) => {
                self.wrong_type("`random`", "`true`", v);
                true
            }
            None => false,
        };
        let mut wrong = |text: &str, help: &str| {
            self.problems.push(
                Diagnostic::error(codes::BAD_STREAM, format!("`{name}`: {text}"))
                    .at(item.span(), "here")
                    .help(help),
            );
        };
        const FORMS: &str = "one of `{ value = V, count = N }`, `{ first = V, step = S, count = N }`, \
            `{ random = true, seed = S, count = N, low = L, high = H }`, and for control tokens `{ count = N }`";
        let mut forms = Vec::new();
        for (present, form) in
            [(has(&["value"]), "`value`"), (has(&["first", "step"]), "`first`"), (random, "`random`")]
        {
            forms.extend(present.then_some(form));
        }
        if find("count").is_none() {
            wrong("`count` is missing", FORMS);
        }
        if ty == Type::None {
            if has(&KEYS[1..]) {
                wrong("control tokens have no data", "write `{ count = N }`");
            }
        } else if forms.is_empty() {
            wrong("nothing says which values", FORMS);
        } else if forms.len() > 1 {
            wrong(&format!("{} do not go together", forms.join(" and ")), FORMS);
        } else if !random && has(&["seed", "low", "high"]) {
            wrong("`seed`, `low` and `high` belong to `random = true`", FORMS);
        } else if has(&["step"]) && !has(&["first"]) {
            wrong("`first` is missing", FORMS);
        }
        let mut number = |key: &str, low: i128, high: i128| match find(key) {
            Some(v) => self.integer(&format!("`{key}`"), v, low, high, ""),
            None => None,
        };
        let count = number("count", 0, MOST as i128).unwrap_or(0) as usize;
        let seed = number("seed", 0, i128::from(u64::MAX)).unwrap_or(0) as u64;
        let (least, most) = self.bounds(ty);
        let of = format!(" for {ty}");
        let width = ty.width(self.index_width);
        let mut data = |key: &str, default: i128| match find(key) {
            Some(v) => self.integer(&format!("`{key}`"), v, least, most, &of).unwrap_or(default),
            None => default,
        };
        let (first, step) = (data("first", 0), data("step", 1));
        // Random numbers are signed unless bounds say otherwise; conditions are 0 and 1.
        let (low, high) = match ty {
            Type::Int(1) => (data("low", 0), data("high", 1)),
            _ => (data("low", least), data("high", most >> 1)),
        };
        if random && low > high {
            self.problems.push(
                Diagnostic::error(codes::BAD_STREAM, format!("`{name}`: low is {low}, above high, {high}"))
                    .at(item.span(), "here"),
            );
        }
        let value = find("value").and_then(|v| self.token("`value`", ty, v)).unwrap_or(0);
        if self.problems.len() > before {
            return Vec::new();
        }
        let mut rng = Rng::new(seed);
        (0..count)
            .map(|i| match () {
                () if random => {
                    // A 64-bit draw: wider spans (all of i64, signed and unsigned) lose their top.
                    let span = ((high - low + 1) as u128).min(1 << 64);
                    let part = (u128::from(rng.next_u64()) * span) >> 64;
                    truncate((low + part as i128) as u64, width)
                }
                () if has(&["first"]) => truncate((first + step * i as i128) as u64, width),
                () => value,
            })
            .collect()
    }
}
