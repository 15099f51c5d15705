//! Globals: their types, sizes in words and initial contents.

use crate::literal::bytes_of;
use crate::text::Op;
use crate::types::Ty;
use std::collections::BTreeMap;

/// A global.
pub(crate) struct Global {
    pub ty: Ty,
    pub constant: bool,
    /// Initial bytes; `None` for what another file defines, what holds addresses, or more than [`MOST_BYTES`].
    pub bytes: Option<Vec<u8>>,
}

/// Bytes that a global may have.
pub(crate) const MOST_BYTES: u64 = 1 << 26;

/// The globals of a module by name.
pub(crate) fn read(ops: &[Op]) -> BTreeMap<String, Global> {
    ops.iter()
        .filter(|op| op.name == "llvm.mlir.global")
        .filter_map(|op| Some((op.string("sym_name")?, one(op)?)))
        .collect()
}

fn one(op: &Op) -> Option<Global> {
    let ty = op.ty("global_type")?.clone();
    let constant = op.attribute("constant").is_some();
    let Some(size) = ty.size().filter(|&s| s <= MOST_BYTES) else {
        return Some(Global { ty, constant, bytes: None });
    };
    let mut bytes = vec![0; size as usize];
    let inside = op.regions.first().and_then(|r| r.first());
    let known = match (op.attribute("value"), inside) {
        (Some(value), _) => bytes_of(value, &ty, &mut bytes).is_some(),
        (None, Some(block)) => match evaluate(&block.ops) {
            Some(result) => {
                bytes = result;
                true
            }
            None => false,
        },
        (None, None) => false,
    };
    let bytes = known.then_some(bytes).filter(|b| b.len() == size as usize);
    Some(Global { ty, constant, bytes })
}

/// What an initializer written as operations returns.
fn evaluate(ops: &[Op]) -> Option<Vec<u8>> {
    let mut values: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    for op in ops {
        let result = match op.name.as_str() {
            "llvm.return" => return values.remove(op.operands.first()?.as_str()),
            "llvm.mlir.undef" | "llvm.mlir.poison" | "llvm.mlir.zero" => zeros(op.result_types.first()?)?,
            "llvm.mlir.constant" => {
                let ty = op.result_types.first()?;
                let mut bytes = zeros(ty)?;
                bytes_of(op.attribute("value")?, ty, &mut bytes)?;
                bytes
            }
            "llvm.insertvalue" => {
                let mut whole = values.get(op.operands.first()?.as_str())?.clone();
                let part = values.get(op.operands.get(1)?.as_str())?;
                let (mut at, mut ty) = (0u64, op.operand_types.first()?.clone());
                for &position in op.integers("position") {
                    let position = usize::try_from(position).ok()?;
                    ty = match &ty {
                        Ty::Array(_, element) => {
                            at = element.size()?.checked_mul(position as u64)?.checked_add(at)?;
                            (**element).clone()
                        }
                        Ty::Struct { fields, .. } => {
                            at = at.checked_add(ty.field_offset(position)?)?;
                            fields.get(position)?.clone()
                        }
                        _ => return None,
                    };
                }
                whole.get_mut(usize::try_from(at).ok()?..)?.get_mut(..part.len())?.copy_from_slice(part);
                whole
            }
            _ => return None,
        };
        values.insert(op.results.first()?, result);
    }
    None
}

fn zeros(ty: &Ty) -> Option<Vec<u8>> {
    ty.size().filter(|&s| s <= MOST_BYTES).map(|s| vec![0; s as usize])
}

/// Bytes as words, low bytes first.
pub(crate) fn words(bytes: &[u8], size: usize) -> Vec<u64> {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0u64, |sum, &b| sum << 8 | u64::from(b));
    bytes.chunks_exact(size).map(word).collect()
}
