//! Calls of the functions of `loom.h`.

use super::Converter;
use crate::codes;
use crate::program::Inst;
use crate::roots::Root;
use loom_base::Diagnostic;
use loom_front::hints::{Hints, Trips, Unroll};
use loom_front::ir::ValueDef;
use std::num::NonZeroU32;

impl Converter<'_> {
    /// Notes what a call says about the loop around it; `name` is that of the function without `__loom_`.
    pub(super) fn hint(&mut self, inst: &Inst, name: &str) {
        let function = self.function;
        let numbers: Option<Vec<i64>> = inst.operands.iter().map(|&o| function.constant(o)).collect();
        if name == "banks" {
            return self.banks(inst);
        }
        let said = match (name, numbers.as_deref()) {
            ("independent", _) => Some(Hints { independent: true, ..Hints::default() }),
            ("unroll_fully", _) => Some(Hints { unroll: Some(Unroll::Fully), ..Hints::default() }),
            ("unroll", Some(&[n])) => u32::try_from(n)
                .ok()
                .and_then(NonZeroU32::new)
                .map(|n| Hints { unroll: Some(Unroll::By(n)), ..Hints::default() }),
            ("trip", Some(&[least, most])) => u64::try_from(least)
                .ok()
                .zip(u64::try_from(most).ok())
                .and_then(|(least, most)| Trips::new(least, most))
                .map(|trips| Hints { trips: Some(trips), ..Hints::default() }),
            _ => None,
        };
        match said {
            Some(said) => self.hints.add(said),
            None => self.refuse_hint(name, numbers.is_some()),
        }
    }

    /// Notes that an array is wished to be in banks. One that the program has too stays where that sees it.
    fn banks(&mut self, inst: &Inst) {
        let number = inst.operands.get(1).map(|&o| self.function.constant(o));
        let Some(Some(number)) = number else { return self.refuse_hint("banks", false) };
        let Some(banks) = u32::try_from(number).ok().and_then(NonZeroU32::new) else {
            return self.refuse_hint("banks", true);
        };
        for root in self.pointers.arrays(inst.operands[0]) {
            if !matches!(self.pointers.roots[root], Root::Stack(_)) {
                let message = "`LOOM_BANKS` of an array that is no local variable has no effect";
                let help = "copy it into a local array first, which is memory on chip";
                let warning = Diagnostic::warning(codes::IGNORED, message);
                self.warnings.push(self.places.at(warning, self.place.as_ref(), "").help(help));
                continue;
            }
            for memref in self.memrefs[root].iter().flatten() {
                if let ValueDef::Result { op, .. } = self.func.value(*memref).def {
                    self.func.op_mut(op).hints.banks = Some(banks);
                }
            }
        }
    }

    fn refuse_hint(&mut self, name: &str, constant: bool) {
        let (name, wanted) = match name {
            "unroll" => ("LOOM_UNROLL(n)", "`n` is at least 1"),
            "banks" => ("LOOM_BANKS(array, n)", "`n` is at least 1"),
            "trip" => ("LOOM_TRIP(min, max)", "`min` is at least 0 and `max` at least `min`"),
            name => {
                let message = format!("`__loom_{name}`, which is no hint");
                return self.refuse(codes::HINT, message, "`loom.h` lists the hints");
            }
        };
        match constant {
            true => {
                let help = "correct the number, or take the hint out";
                self.refuse(codes::HINT, format!("a hint `{name}` whose numbers are none: {wanted}"), help);
            }
            false => {
                let message = format!("a hint `{name}` with a number that is not constant");
                self.refuse(codes::HINT, message, "write a literal, or a macro or template argument");
            }
        }
    }

    /// A block that leaves the function is in no loop.
    pub(super) fn refuse_lost_hints(&mut self) {
        if !std::mem::take(&mut self.hints).is_empty() {
            let help = "put it first into the body of the loop, or take it out";
            self.refuse(codes::HINT, "a hint about a loop, outside of every loop", help);
        }
    }
}
