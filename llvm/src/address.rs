//! Arithmetic with addresses: how many bytes each step adds, each access takes and each copy writes.

use crate::program::{Function, Id, Inst};
use crate::types::Ty;

/// A sum of bytes: a constant and multiples of values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bytes {
    pub constant: i64,
    pub terms: Vec<(Id, i64)>,
}

/// Bytes of an access; the importer's odd widths (bit-fields) are stored in whole bytes.
pub(crate) fn access_size(ty: &Ty) -> Option<u64> {
    match ty {
        Ty::Int(bits @ 1..=64) => Some(u64::from(bits.div_ceil(8))),
        _ => ty.scalar().and(ty.size()),
    }
}

/// A value and the constant it is multiplied with.
pub(crate) fn scaled(function: &Function, id: Id) -> (Id, i64) {
    let (mut at, mut scale) = (id, 1i64);
    for _ in 0..8 {
        let Some(inst) = function.inst(at) else { break };
        let factor = match (inst.name(), &inst.operands[..]) {
            ("mul", [_, c]) => function.constant(*c),
            ("shl", [_, c]) => function.constant(*c).filter(|c| (0..32).contains(c)).map(|c| 1 << c),
            _ => None,
        };
        match factor.and_then(|f| scale.checked_mul(f)) {
            Some(product) if *function.ty(at) == Ty::Int(64) => (at, scale) = (inst.operands[0], product),
            _ => break,
        }
    }
    (at, scale)
}

/// The subscripts of a `getelementptr`: its number, where it is known, and its value, where it is one.
pub(crate) fn subscripts<'f>(
    function: &'f Function,
    step: &'f Inst,
) -> impl Iterator<Item = (Option<i64>, Option<Id>)> + 'f {
    let mut dynamic = step.operands[1..].iter();
    step.op.integers("rawConstantIndices").iter().map(move |&raw| {
        let value = if raw == i64::from(i32::MIN) { dynamic.next().copied() } else { None };
        (value.map_or(Some(raw), |v| function.constant(v)), value)
    })
}

/// The offset that a `getelementptr` adds. Dynamic indices are multiplied with the size of what they step over.
pub(crate) fn offset(function: &Function, inst: usize) -> Result<Bytes, String> {
    offset_stepped(function, inst).map(|(bytes, _)| bytes)
}

/// What a term of an address steps over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stepped {
    /// Whether structs.
    pub records: bool,
    /// How many elements the array has that it is an index of, where that array is of no structs and part of what the address begins
    /// with: one element may be the C programmer's way to say that there are more.
    pub count: Option<i64>,
}

/// The offset, and what each of its terms steps over.
pub(crate) fn offset_stepped(function: &Function, inst: usize) -> Result<(Bytes, Vec<Stepped>), String> {
    let inst = &function.insts[inst];
    let mut ty = inst.op.ty("elem_type").ok_or("an address without a type")?.clone();
    let (mut bytes, mut stepped) = (Bytes::default(), Vec::new());
    let unknown = |ty: &Ty| format!("the size of `{}` is not known", ty.describe());
    for (level, (literal, value)) in subscripts(function, inst).enumerate() {
        let mut inside = None;
        let stride = match (level, &ty) {
            (0, _) => ty.size().ok_or_else(|| unknown(&ty))?,
            (_, Ty::Array(count, element)) => {
                let element = (**element).clone();
                inside = i64::try_from(*count).ok().filter(|&n| n > 1);
                let size = element.size().ok_or_else(|| unknown(&element))?;
                ty = element;
                size
            }
            (_, Ty::Struct { fields, .. }) => {
                let field = literal.and_then(|l| usize::try_from(l).ok()).filter(|&f| f < fields.len());
                let field = field.ok_or("a field that is not known")?;
                let at = ty.field_offset(field).ok_or_else(|| unknown(&ty))?;
                bytes.constant = bytes.constant.wrapping_add_unsigned(at);
                ty = fields[field].clone();
                continue;
            }
            _ => return Err(format!("an address inside of `{}`", ty.describe())),
        };
        let stride = i64::try_from(stride).map_err(|_| "an array of more than 2^63 bytes")?;
        let records = matches!(ty, Ty::Struct { .. });
        match (literal, value) {
            (Some(l), _) => bytes.constant = bytes.constant.wrapping_add(l.wrapping_mul(stride)),
            (None, Some(v)) => {
                bytes.terms.push((v, stride));
                stepped.push(Stepped { records, count: inside.filter(|_| !records) });
            }
            (None, None) => {}
        }
    }
    Ok((bytes, stepped))
}

/// Whether an intrinsic copies bytes from one array to another.
pub(crate) fn is_copy(name: &str) -> bool {
    matches!(name, "intr.memcpy" | "intr.memcpy.inline" | "intr.memmove")
}

/// Whether it writes as many bytes as [`length`] says: a copy, or `memset`.
pub(crate) fn writes_bytes(name: &str) -> bool {
    is_copy(name) || name == "intr.memset"
}

/// The pointers that an operation loads, stores or copies through.
pub(crate) fn accessed(inst: &Inst) -> &[Id] {
    let used = match inst.name() {
        "load" | "intr.memset" => 0..1,
        "store" => 1..2,
        name if is_copy(name) => 0..2,
        _ => 0..0,
    };
    inst.operands.get(used).unwrap_or_default()
}

/// Bytes that a load or store accesses.
pub(crate) fn accessed_size(function: &Function, inst: &Inst) -> Option<u64> {
    match inst.name() {
        "load" => access_size(function.ty(inst.result?)),
        "store" => access_size(function.ty(*inst.operands.first()?)),
        _ => None,
    }
}

/// How many bytes a copy or `memset` writes: an operand, or an attribute of those that are never calls.
pub(crate) fn length(function: &Function, inst: &Inst) -> Bytes {
    let Some(&id) = inst.operands.get(2) else {
        return Bytes { constant: inst.op.integer("len").unwrap_or(0), terms: Vec::new() };
    };
    match function.constant(id) {
        Some(constant) => Bytes { constant, terms: Vec::new() },
        None => Bytes { constant: 0, terms: vec![(id, 1)] },
    }
}

/// The two pointers of `(char *)p - (char *)q`.
pub(crate) fn pointer_difference(function: &Function, inst: &Inst) -> Option<(Id, Id)> {
    let &[a, b] = &inst.operands[..] else { return None };
    let pointer = |id| Some(function.made_by(id, "ptrtoint")?.operands[0]);
    (inst.name() == "sub").then_some(pointer(a)?).zip(pointer(b))
}

/// `p - q` of pointers to something: their difference in bytes, divided by its size.
pub(crate) fn element_difference(function: &Function, inst: &Inst) -> Option<(Id, Id, i64)> {
    let divisor = match inst.name() {
        "sdiv" => function.constant(inst.operands[1]),
        "ashr" => function.constant(inst.operands[1]).filter(|c| (0..32).contains(c)).map(|c| 1 << c),
        _ => None,
    }?;
    let (p, q) = pointer_difference(function, function.inst(inst.operands[0])?)?;
    (divisor > 0).then_some((p, q, divisor))
}
