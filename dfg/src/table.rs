//! The op table as text, for the documentation: one source for both.

use crate::op::{Class, Hardware, WidthRule};
use crate::{curves, OpKind, Type};
use std::fmt::Write;

/// The op table in Markdown; `docs/dfg.md` contains it, which a test checks.
pub fn docs_table() -> String {
    let mut text =
        String::from("| op | operands | results | class | serves other widths | in hardware | gives |\n|---|---|---|---|---|---|---|\n");
    for &kind in OpKind::TABLE {
        let (mut operands, mut results) = (Vec::new(), Vec::new());
        operands.extend((0..kind.operand_count()).map(|i| kind.operand_name(i)));
        results.extend((0..kind.result_count()).map(|i| kind.result_name(i)));
        if kind.is_variadic() {
            operands.push("...".to_string());
        }
        let class = match kind.class() {
            Class::Arith => "arithmetic",
            Class::Steer => "steering",
            Class::State => "state machine",
            Class::Access | Class::Memory => "memory",
        };
        let width = match kind.width_rule() {
            WidthRule::PassThrough => "any type up to the unit's width",
            WidthRule::LowBits => "any integer up to the unit's width",
            WidthRule::Exact => "no",
        };
        let built = match kind.hardware() {
            Hardware::Unit if !curves::is_built(kind, Type::F64) => "not of `f64`",
            Hardware::Unit => "yes",
            Hardware::Digits => "digit by digit",
            Hardware::Interface => "as an interface",
            Hardware::Unbuilt => "not yet",
        };
        let (operands, results) = (operands.join(", "), results.join(", "));
        let _ = writeln!(
            text,
            "| `{}` | {operands} | {results} | {class} | {width} | {built} | {} |",
            kind.mnemonic(),
            kind.meaning()
        );
    }
    text
}
