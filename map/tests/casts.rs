//! Which casts vanish from the netlist: those after which every reader sees the same low bits.

use crate::common::graph;
use loom_map::netlist::netlist;

/// Arguments, a body, what it returns; and the ops of the netlist.
const CASES: [(&str, &str, &str, &[&str]); 9] = [
    // Between index and integers of its width, both ways.
    (
        "%a: i32, %b: index, %c: i32",
        "%i = arith.index_cast %a : i32 to index\n %s = arith.addi %i, %b : index\n \
         %r = arith.index_cast %s : index to i32\n %t = arith.muli %r, %c : i32",
        "%t : i32",
        &["arith.addi", "arith.muli"],
    ),
    // The low bits of a wider number, where units read no more.
    (
        "%a: i32, %b: i8",
        "%n = arith.trunci %a : i32 to i8\n %t = arith.addi %n, %b : i8",
        "%t : i8",
        &["arith.addi"],
    ),
    // A comparison is filled with zeros, and so is what passes it on.
    (
        "%a: i32, %b: i32, %d: i1, %e: i32",
        "%c = arith.cmpi eq, %a, %b : i32\n %c_t, %c_f = cond_br %d, %c : i1\n sink %c_f : i1\n \
         %w = arith.extui %c_t : i1 to i32\n %t = arith.addi %w, %e : i32",
        "%t : i32",
        &["arith.cmpi", "handshake.cond_br", "arith.addi"],
    ),
    // An argument may have anything above its type.
    (
        "%a: i8, %b: i32",
        "%w = arith.extui %a : i8 to i32\n %t = arith.addi %w, %b : i32",
        "%t : i32",
        &["arith.extui", "arith.addi"],
    ),
    // Cut and filled again: one of the two has to stay.
    (
        "%a: i32, %b: i32",
        "%n = arith.trunci %a : i32 to i8\n %w = arith.extui %n : i8 to i32\n %t = arith.addi %w, %b : i32",
        "%t : i32",
        &["arith.extui", "arith.addi"],
    ),
    // A sum of narrow numbers may run on a wide unit, which leaves bits above; a mask of it has none.
    (
        "%a: i8, %b: i8, %c: i1, %d: i32",
        "%s = arith.addi %a, %b : i8\n %s_f:2 = fork [2] %s : i8\n %one = arith.extui %c : i1 to i8\n \
         %m = arith.andi %s_f#0, %one : i8\n %w = arith.extui %m : i8 to i32\n %v = arith.extui %s_f#1 : i8 to i32\n \
         %u = arith.addi %w, %d : i32\n %t = arith.addi %u, %v : i32",
        "%t : i32",
        &["arith.addi", "arith.extui", "arith.andi", "arith.extui", "arith.addi", "arith.addi"],
    ),
    // A result of the function, the selector of a mux, a sign.
    ("%a: i32", "%t = arith.trunci %a : i32 to i8", "%t : i8", &["arith.trunci"]),
    (
        "%a: i32, %x: i32, %y: i32",
        "%c = arith.trunci %a : i32 to i1\n %t = mux %c [%x, %y] : i1, i32",
        "%t : i32",
        &["arith.trunci", "handshake.mux"],
    ),
    (
        "%a: i8, %b: i32",
        "%w = arith.extsi %a : i8 to i32\n %t = arith.addi %w, %b : i32",
        "%t : i32",
        &["arith.extsi", "arith.addi"],
    ),
];

#[test]
fn casts_vanish_where_nobody_sees_them() {
    for (arguments, body, result, ops) in CASES {
        let ty = result.rsplit(' ').next().expect("a type");
        let text =
            format!("handshake.func @f({arguments}, ...) -> ({ty}) {{\n {body}\n return {result}\n}}\n");
        let net = netlist(&graph(&text), 32);
        let left: Vec<&str> = net.node_ids().map(|n| net.kind(n).mnemonic()).collect();
        assert_eq!(left, ops, "{text}");
    }
}

/// A reader behind a cast that is gone reads as the type that it always had.
#[test]
fn readers_keep_their_types() {
    let text = "handshake.func @f(%a: i32, %b: i8, ...) -> (i1) {\n %n = arith.trunci %a : i32 to i8\n \
         %t = arith.cmpi slt, %n, %b : i8\n return %t : i1\n}\n";
    let net = netlist(&graph(text), 32);
    let [compare] = &net.nodes[..] else { panic!("{} ops", net.nodes.len()) };
    let types = [0, 1].map(|i| net.operand_type(compare, i).to_string());
    assert_eq!(types, ["i8", "i8"]);
    assert_eq!(net.value(compare.operands[0]).ty.to_string(), "i32");
}
