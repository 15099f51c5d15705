//! Types of the LLVM dialect and how they lie in memory (x86-64 data layout, which clang is asked for).

use loom_dfg::Type;

/// Elements of an array whose fields are listed one by one.
const MOST_LEAVES: u64 = 64;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    /// `iN`
    Int(u32),
    F16,
    Bf16,
    F32,
    F64,
    /// `!llvm.ptr`
    Ptr,
    Array(u64, Box<Ty>),
    /// What an address steps over, and how the calling convention passes small structs.
    Vector(u64, Box<Ty>),
    Struct {
        packed: bool,
        fields: Vec<Ty>,
    },
    /// `!llvm.func<result (parameters)>`
    Func {
        result: Box<Ty>,
        parameters: Vec<Ty>,
        variadic: bool,
    },
    Void,
    /// Any other, as text.
    Other(String),
}

impl Ty {
    /// Bytes from one element of an array to the next; `None` where that is not known.
    pub fn size(&self) -> Option<u64> {
        Some(match self {
            Ty::Int(bits) => u64::from(bits.div_ceil(8)).next_power_of_two(),
            Ty::F16 | Ty::Bf16 => 2,
            Ty::F32 => 4,
            Ty::F64 | Ty::Ptr => 8,
            Ty::Array(n, element) => element.size()?.checked_mul(*n)?,
            Ty::Vector(n, element) => element.size()?.checked_mul(*n)?.checked_next_power_of_two()?,
            Ty::Struct { packed, fields } => {
                let end = self.field_offset(fields.len())?;
                if *packed {
                    end
                } else {
                    end.checked_next_multiple_of(self.alignment())?
                }
            }
            _ => return None,
        })
    }

    /// Bytes that its address is a multiple of.
    pub fn alignment(&self) -> u64 {
        match self {
            Ty::Array(_, element) => element.alignment(),
            Ty::Struct { packed: true, .. } => 1,
            Ty::Struct { fields, .. } => fields.iter().map(Ty::alignment).max().unwrap_or(1),
            _ => self.size().unwrap_or(1).clamp(1, 16),
        }
    }

    /// Where a field of a struct begins; of the field after the last one, where the last ends.
    pub fn field_offset(&self, field: usize) -> Option<u64> {
        let Ty::Struct { packed, fields } = self else { return None };
        let mut at = 0u64;
        for (i, ty) in fields.iter().enumerate() {
            if !packed {
                at = at.checked_next_multiple_of(ty.alignment())?;
            }
            if i == field {
                return Some(at);
            }
            at = at.checked_add(ty.size()?)?;
        }
        (field == fields.len()).then_some(at)
    }

    /// The type of a number of the program, where it has one.
    pub fn scalar(&self) -> Option<Type> {
        Some(match self {
            Ty::Int(bits @ 1..=64) => Type::Int(*bits as u8),
            Ty::F16 => Type::F16,
            Ty::Bf16 => Type::Bf16,
            Ty::F32 => Type::F32,
            Ty::F64 => Type::F64,
            _ => return None,
        })
    }

    /// The type of the numbers that it, or an array of it, is made of.
    pub fn leaf(&self) -> Option<Type> {
        match self {
            Ty::Array(_, element) => element.leaf(),
            _ => self.scalar(),
        }
    }

    /// The numbers it is made of: where each begins behind `at`, how many bytes it and those that follow it in an array take, and
    /// how many one of them. Nothing of what it has between them.
    pub fn leaves(&self, at: u64) -> Vec<(u64, u64, u64)> {
        match self {
            Ty::Struct { fields, .. } => {
                let inside =
                    fields.iter().enumerate().filter_map(|(i, field)| Some((self.field_offset(i)?, field)));
                inside.flat_map(|(offset, field)| field.leaves(at + offset)).collect()
            }
            Ty::Array(count, element) => match (element.size(), &**element) {
                (Some(size), Ty::Array(..) | Ty::Struct { .. }) if *count <= MOST_LEAVES => {
                    (0..*count).flat_map(|i| element.leaves(at + i * size)).collect()
                }
                // What is too long to be looked at, as bytes.
                (Some(size), Ty::Array(..) | Ty::Struct { .. }) => vec![(at, size * count, 1)],
                (Some(size), _) => vec![(at, size * count, size)],
                (None, _) => Vec::new(),
            },
            _ => self.size().map(|size| (at, size, size)).into_iter().collect(),
        }
    }

    /// The number that an argument of the type comes as: a vector as its bits, where these fit one.
    pub fn argument(&self) -> Option<Type> {
        match self {
            Ty::Vector(count, element) => {
                let bits = u64::from(element.scalar()?.width(64)).checked_mul(*count)?;
                u8::try_from(bits).ok().filter(|bits| (1..=64).contains(bits)).map(Type::Int)
            }
            _ => self.scalar(),
        }
    }

    /// The type that a number comes in, or is returned in: units and ports have no integers of 24 or 48 bits, which small structs
    /// are passed in, so these are the low bits of 32 or 64.
    pub fn passed(ty: Type) -> Type {
        match ty {
            Type::Int(1 | 8 | 16 | 32 | 64) => ty,
            Type::Int(..32) => Type::I32,
            Type::Int(_) => Type::Int(64),
            _ => ty,
        }
    }

    /// How a C programmer knows it.
    pub fn describe(&self) -> String {
        match self {
            Ty::Int(128) => "__int128".into(),
            Ty::Int(bits) => format!("i{bits}"),
            Ty::F16 => "f16".into(),
            Ty::Bf16 => "bf16".into(),
            Ty::F32 => "f32".into(),
            Ty::F64 => "f64".into(),
            Ty::Ptr => "pointer".into(),
            Ty::Array(n, element) => format!("array of {n} {}", element.describe()),
            Ty::Vector(_, element) => format!("vector of {}", element.describe()),
            Ty::Struct { .. } => "struct".into(),
            Ty::Func { .. } => "function".into(),
            Ty::Void => "void".into(),
            Ty::Other(text) if text == "f80" => "long double".into(),
            Ty::Other(text) => text.clone(),
        }
    }
}
