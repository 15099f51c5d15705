//! What a function unit computes with the muxes of its body set: its effective unit.
//!
//! Guarantees: an effective unit has no muxes, and of ops and inputs those that its outputs need. Its inputs are numbered in the order in
//! which its ops read them, so two settings that compute the same of other inputs give equal units.

use super::{BodyKind, BodyOp, BodyValue, FunctionUnit};

/// A unit under one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectiveUnit {
    /// What it computes.
    pub unit: FunctionUnit,
    /// By its input: that of the whole unit. The whole unit's other inputs are not reached.
    pub inputs: Vec<usize>,
    /// By its op: that of the whole body.
    pub ops: Vec<usize>,
    /// By mux of the whole body, in order: which operand it selects.
    pub setting: Vec<usize>,
}

impl FunctionUnit {
    /// Muxes of the body, by their place in it.
    pub fn muxes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.body.len()).filter(|&op| self.body[op].kind == BodyKind::Mux)
    }

    /// Its settings, at most `usize::MAX`.
    pub fn setting_count(&self) -> usize {
        self.muxes().fold(1, |n, op| n.saturating_mul(self.body[op].operands.len()))
    }

    /// The unit with the muxes of its body set so; `None` where a mux has no such operand.
    pub fn under(&self, setting: &[usize]) -> Option<EffectiveUnit> {
        let mut of = vec![0; self.body.len()];
        for (k, op) in self.muxes().enumerate() {
            of[op] = *setting.get(k).filter(|&&choice| choice < self.body[op].operands.len())?;
        }
        Some(Setting { fu: self, of }.unit(setting))
    }

    /// What it computes under its settings, each once; just itself where it has no muxes. A mux that an effective unit does
    /// not need selects its first operand.
    pub fn effective(&self) -> Vec<EffectiveUnit> {
        let mut all: Vec<EffectiveUnit> = Vec::new();
        for number in 0..self.setting_count() {
            let mut rest = number;
            let setting: Vec<usize> = (self.muxes())
                .map(|op| {
                    let count = self.body[op].operands.len();
                    let choice = rest % count;
                    rest /= count;
                    choice
                })
                .collect();
            let effective = self.under(&setting).expect("choices that are there");
            // The first of equal ones is that in which muxes that nothing needs stand at 0.
            if !all.iter().any(|e| e.unit == effective.unit) {
                all.push(effective);
            }
        }
        all
    }
}

/// A setting, by op of the body.
struct Setting<'a> {
    fu: &'a FunctionUnit,
    of: Vec<usize>,
}

impl Setting<'_> {
    /// The input or op that a value is.
    fn source(&self, mut value: BodyValue) -> BodyValue {
        while let BodyValue::Result { op, .. } = value {
            match self.fu.body[op].kind {
                BodyKind::Mux => value = self.fu.body[op].operands[self.of[op]],
                BodyKind::Op(_) => break,
            }
        }
        value
    }

    /// By op of the body, whether an output needs it.
    fn needed(&self) -> Vec<bool> {
        let mut needed = vec![false; self.fu.body.len()];
        let mut todo = self.fu.results.clone();
        while let Some(value) = todo.pop() {
            if let BodyValue::Result { op, .. } = self.source(value) {
                if !std::mem::replace(&mut needed[op], true) {
                    todo.extend(&self.fu.body[op].operands);
                }
            }
        }
        needed
    }

    fn unit(&self, setting: &[usize]) -> EffectiveUnit {
        let needed = self.needed();
        let ops: Vec<usize> = (0..needed.len()).filter(|&op| needed[op]).collect();
        let mut place = vec![usize::MAX; needed.len()];
        ops.iter().enumerate().for_each(|(k, &op)| place[op] = k);
        let mut inputs: Vec<usize> = Vec::new();
        let mut value = |v: BodyValue| match self.source(v) {
            BodyValue::Input(i) => {
                let known = inputs.iter().position(|&input| input == i);
                BodyValue::Input(known.unwrap_or_else(|| {
                    inputs.push(i);
                    inputs.len() - 1
                }))
            }
            BodyValue::Result { op, result } => BodyValue::Result { op: place[op], result },
        };
        let body = (ops.iter().map(|&op| &self.fu.body[op]))
            .map(|op| BodyOp { operands: op.operands.iter().map(|&v| value(v)).collect(), ..op.clone() })
            .collect();
        let results = self.fu.results.iter().map(|&v| value(v)).collect();
        let types = inputs.iter().map(|&i| self.fu.inputs[i]).collect();
        let unit = FunctionUnit { inputs: types, body, results, ..self.fu.clone() };
        EffectiveUnit { unit, inputs, ops, setting: setting.to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom_dfg::{OpKind, Type};

    /// `mux(mux(a * b, a) + c, a * b)`
    fn multiply_add() -> FunctionUnit {
        let input = BodyValue::Input;
        let result = |op| BodyValue::Result { op, result: 0 };
        let op = |kind, operands: [BodyValue; 2]| BodyOp {
            kind,
            operands: operands.to_vec(),
            results: vec![Type::I32],
        };
        FunctionUnit {
            name: "unit".into(),
            inputs: vec![Type::I32; 3],
            body: vec![
                op(OpKind::Muli.into(), [input(0), input(1)]),
                op(BodyKind::Mux, [result(0), input(0)]),
                op(OpKind::Addi.into(), [result(1), input(2)]),
                op(BodyKind::Mux, [result(2), result(0)]),
            ],
            results: vec![result(3)],
            latency: 0,
            interval: 1,
        }
    }

    #[test]
    fn settings_that_matter_give_one_unit_each() {
        let fu = multiply_add();
        assert_eq!((fu.muxes().collect::<Vec<_>>(), fu.setting_count()), (vec![1, 3], 4));
        let all = fu.effective();
        let seen: Vec<_> = all.iter().map(|e| (&e.setting[..], &e.ops[..], &e.inputs[..])).collect();
        let wanted: [(&[usize], &[usize], &[usize]); 3] =
            [(&[0, 0], &[0, 2], &[0, 1, 2]), (&[1, 0], &[2], &[0, 2]), (&[0, 1], &[0], &[0, 1])];
        assert_eq!(seen, wanted);
        let ops: Vec<_> = all.iter().map(|e| e.unit.single_op()).collect();
        assert_eq!(ops, [None, Some(OpKind::Addi), Some(OpKind::Muli)]);
        assert_eq!(fu.under(&[1, 1]).expect("legal").unit, all[2].unit);
        assert_eq!(fu.under(&[2, 0]), None);
    }

    #[test]
    fn a_unit_without_muxes_is_its_own() {
        let i = Type::I32;
        let fu = FunctionUnit::single("sub", OpKind::Subi, &[i, i], &[i]);
        let all = fu.effective();
        assert_eq!(all.len(), 1);
        assert_eq!((&all[0].unit, &all[0].inputs[..], &all[0].ops[..]), (&fu, &[0, 1][..], &[0][..]));
    }
}
