//! The Verilog is made for readers: bounded lines, a first line that says where it comes from, no term written twice.

use loom_adg::Fabric;
use loom_base::Source;
use loom_gen::Elaborated;
use loom_hdl::ir::expr::ExprKind;
use loom_hdl::ir::{Expr, Module, GATE_MODULE};
use std::collections::hash_map::DefaultHasher;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};

const COLUMNS: usize = 120;
/// Operators of the smallest term that must not stand in a module twice.
const LARGE: usize = 8;

fn fabrics() -> Vec<(Fabric, Elaborated)> {
    let folder = format!("{}/../configs", env!("CARGO_MANIFEST_DIR"));
    ["mesh-2x2", "mesh-4x4-w64", "tags", "units"]
        .map(|name| {
            let text = std::fs::read_to_string(format!("{folder}/{name}.toml")).expect(name);
            let fabric = Fabric::new(loom_adg::toml::read(&Source::new(name, text)).expect(name));
            let made = loom_gen::elaborate(&fabric).expect(name);
            (fabric, made)
        })
        .into()
}

#[test]
fn lines_are_bounded_and_the_first_say_what_it_is() {
    for (fabric, made) in fabrics() {
        let first = format!(
            "// LOOM {}, fabric `{}`, hash {}",
            env!("CARGO_PKG_VERSION"),
            fabric.name(),
            &fabric.hash()[..16]
        );
        for (name, text) in made.files() {
            let head: Vec<&str> = text.lines().take(2).collect();
            assert_eq!(head, [&first, "// SPDX-License-Identifier: Apache-2.0"], "{name}");
            let long = text.lines().find(|line| line.chars().count() > COLUMNS);
            assert!(long.is_none(), "{name}: {}", long.unwrap_or_default());
            let before = text.find("\nmodule ").expect("a module");
            assert!(text[..before].contains("\n`default_nettype none\n"), "{name}");
            // A gate is there where clocks are gated.
            let end = if name == format!("{GATE_MODULE}.v") { "endmodule\n`endif\n" } else { "endmodule\n" };
            assert!(text.ends_with(&format!("{end}\n`default_nettype wire\n")), "{name}");
        }
    }
}

/// Operators of a term, and what tells it from others. Every term of some size is counted on the way.
fn term(e: &Expr, found: &mut HashMap<u64, (usize, usize)>) -> (usize, u64) {
    let mut hasher = DefaultHasher::new();
    e.width().hash(&mut hasher);
    let mut operators = 1;
    let mut operand = |e: &Expr, hasher: &mut DefaultHasher| {
        let (inside, hash) = term(e, found);
        operators += inside;
        hash.hash(hasher);
    };
    match e.node() {
        ExprKind::Empty => operators = 0,
        ExprKind::Const(value, _) => {
            value.hash(&mut hasher);
            operators = 0;
        }
        ExprKind::Net(id, _) => {
            id.hash(&mut hasher);
            operators = 0;
        }
        ExprKind::Unary(op, a) => {
            format!("{op:?}").hash(&mut hasher);
            operand(a, &mut hasher);
        }
        ExprKind::Binary(op, a, b) => {
            format!("{op:?}").hash(&mut hasher);
            operand(a, &mut hasher);
            operand(b, &mut hasher);
        }
        ExprKind::Mux(a, b, c) => [a, b, c].into_iter().for_each(|e| operand(e, &mut hasher)),
        ExprKind::Concat(parts) => parts.iter().for_each(|e| operand(e, &mut hasher)),
        ExprKind::Slice(a, low) => {
            low.hash(&mut hasher);
            operand(a, &mut hasher);
        }
        ExprKind::Repeat(a, times) => {
            ("times", times).hash(&mut hasher);
            operand(a, &mut hasher);
        }
    }
    let hash = hasher.finish();
    if operators >= LARGE {
        found.entry(hash).or_insert((0, operators)).0 += 1;
    }
    (operators, hash)
}

/// The largest term that stands in a module more than once, by its operators.
fn repeated(module: &Module) -> Option<(usize, usize)> {
    let mut found = HashMap::new();
    module.for_each_value(&mut |e| {
        term(e, &mut found);
    });
    found.into_values().filter(|(times, _)| *times > 1).max_by_key(|(_, operators)| *operators)
}

#[test]
fn a_large_term_has_a_name() {
    let mut seen = Vec::new();
    for (_, made) in fabrics() {
        for module in made.design.modules() {
            if let Some((times, operators)) = repeated(module) {
                seen.push(format!("{}: {operators} operators {times} times", module.name));
            }
        }
    }
    seen.sort();
    seen.dedup();
    assert!(seen.is_empty(), "{seen:#?}");
}
