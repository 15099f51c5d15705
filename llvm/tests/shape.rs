//! Text of the LLVM dialect that mlir-translate would not write: each change of a good text is refused, with what is wrong in it.

use loom_base::{Diagnostics, Source};
use loom_llvm::{codes, convert, Converted, Dialect, Globals, Input};
use std::collections::BTreeSet;

/// Functions that have every operation with a shape of its own; seeds of the fuzz target too.
const ALL: &str = include_str!("../../fuzz/all.llvm.mlir");

fn converted(text: &str, symbol: &str, globals: Globals) -> Result<Converted, Diagnostics> {
    let (source, arguments) = (Source::new("k.c", "int x;\n"), ["a".to_string()]);
    let dialect = Dialect::read(text)?;
    convert(&Input {
        dialect: &dialect,
        symbol,
        name: "f",
        arguments: &arguments,
        variables: &[],
        source: &source,
        globals,
        private: &BTreeSet::new(),
        locals: Default::default(),
    })
}

/// What a function in `ALL` with one change is refused for.
fn refusal(symbol: &str, from: &str, to: &str) -> String {
    assert!(ALL.contains(from), "{from}");
    let text = ALL.replacen(from, to, 1);
    match converted(&text, symbol, Globals::OnChip) {
        Ok(c) => panic!("{to}: accepted\n{}", loom_front::print(&c.program)),
        Err(d) => {
            assert!(d.iter().all(|d| d.code == codes::UNREADABLE && d.help.is_some()), "{to}: {d:?}");
            d[0].message.replace("text of the LLVM dialect in which ", "")
        }
    }
}

#[test]
fn every_function_of_the_good_text_converts() {
    let dialect = Dialect::read(ALL).expect("readable");
    let symbols: Vec<String> = dialect.functions().collect();
    assert_eq!(symbols, ["memory", "control", "numbers"]);
    for symbol in symbols {
        for globals in [Globals::OnChip, Globals::InMemory] {
            let c = converted(ALL, &symbol, globals).unwrap_or_else(|d| panic!("{symbol}: {d:#?}"));
            let printed = loom_front::print(&c.program);
            let again = loom_front::parse(&Source::new("again", printed.clone())).expect("it reads back");
            assert_eq!(loom_front::print(&again), printed);
        }
    }
}

#[test]
fn wrong_numbers_of_operands_are_refused() {
    let cases = [
        ("memory", "(%local, %byte, %size) <{isVolatile = false}> : (!llvm.ptr, i8, i64)", "(%local, %byte) : (!llvm.ptr, i8)"),
        ("memory", "(%a, %b, %size) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64)", "(%a) : (!llvm.ptr)"),
        ("memory", "(%a, %b) <{isVolatile = false, len = 16 : i64}>", "(%a, %b) <{isVolatile = false}>"),
        ("memory", "\"llvm.store\"(%sum, %at) <{ordering = 0 : i64}> : (i32, !llvm.ptr)", "\"llvm.store\"(%at) : (!llvm.ptr)"),
        ("memory", "\"llvm.load\"(%at) <{ordering = 0 : i64}> : (!llvm.ptr)", "\"llvm.load\"() : ()"),
        ("memory", "\"llvm.alloca\"(%one) <{elem_type = !llvm.array<16 x i32>}> : (i32)", "\"llvm.alloca\"() : ()"),
        ("memory", "(%state) <{elem_type = !llvm.struct<(i32, array<2 x i16>)>, rawConstantIndices = array<i32: 0, 1, 1>}> : (!llvm.ptr)", "() : ()"),
        ("memory", "(%x, %y) <{overflowFlags = #llvm.overflow<nsw>}> : (i32, i32)", "(%x) : (i32)"),
        ("memory", "\"llvm.icmp\"(%b, %null) <{predicate = 0 : i64}> : (!llvm.ptr, !llvm.ptr)", "\"llvm.icmp\"(%b) <{predicate = 0 : i64}> : (!llvm.ptr)"),
        ("memory", "(%is, %a, %local) : (i1, !llvm.ptr, !llvm.ptr)", "(%is) : (i1)"),
        ("control", "\"llvm.insertvalue\"(%s, %k) <{position = array<i64: 0>}> : (!llvm.struct<(i32, f32)>, i32)", "\"llvm.insertvalue\"(%s) <{position = array<i64: 0>}> : (!llvm.struct<(i32, f32)>)"),
        ("control", "(%less, %next, %h, %h)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 2, 1>}> : (i1, i32, f32, f32)", "(%next, %h, %h)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 0, 2, 1>}> : (i32, f32, f32)"),
        ("numbers", "\"llvm.extractvalue\"(%6) <{position = array<i64: 1>}> : (!llvm.struct<(i32, i1)>)", "\"llvm.extractvalue\"() <{position = array<i64: 1>}> : ()"),
        ("numbers", "(%18, %d) <{callee = @fmax}> : (f64, f64)", "(%18, %nothing) <{callee = @fmax}> : (f64, f64)"),
    ];
    let said: Vec<String> = cases.iter().map(|(symbol, from, to)| refusal(symbol, from, to)).collect();
    expect_test::expect![[r#"
        `llvm.intr.memset` has 2 operands, 3 belong there
        `llvm.intr.memcpy` has 1 operand, 3 belong there
        `llvm.intr.memcpy.inline` has no `len` that is understood
        `llvm.store` has 1 operand, 2 belong there
        `llvm.load` has 0 operands, 1 belong there
        `llvm.alloca` has 0 operands, 1 belong there
        `llvm.getelementptr` has no pointer, or gives none
        `llvm.add` has 1 operand, 2 belong there
        `llvm.icmp` has 1 operand, 2 belong there
        `llvm.select` has 1 operand, 3 belong there
        `llvm.insertvalue` has 1 operand, 2 belong there
        `llvm.cond_br` has 0 operands, 1 belong there
        `llvm.extractvalue` has 0 operands, 1 belong there
        `%nothing` is not defined
    "#]]
    .assert_eq(&(said.join("\n") + "\n"));
}

#[test]
fn what_else_mlir_verifies_is_refused() {
    let cases = [
        ("memory", "\"llvm.load\"(%at) <{ordering = 0 : i64}> : (!llvm.ptr)", "\"llvm.load\"(%n) : (i32)"),
        ("memory", "(%x, %y) <{overflowFlags = #llvm.overflow<nsw>}> : (i32, i32)", "(%x, %z) : (i32, i16)"),
        ("memory", "(%x, %y) <{overflowFlags = #llvm.overflow<nsw>}> : (i32, i32)", "(%x, %y) : (i32, i64)"),
        (
            "memory",
            "(%x, %y) <{overflowFlags = #llvm.overflow<nsw>}> : (i32, i32)",
            "(%x, %sum) : (i32, i32)",
        ),
        ("memory", "%one = ", "%n = "),
        ("memory", "predicate = 0", "predicate = 10"),
        ("memory", "{elem_type = i32, inbounds", "{inbounds"),
        ("memory", "array<i32: 0, -2147483648>", "array<i32: 0, 0>"),
        ("memory", "\"llvm.return\"(%r) : (i32) -> ()", "\"llvm.return\"() : () -> ()"),
        ("memory", "\"llvm.return\"(%r) : (i32) -> ()", ""),
        ("memory", "%r = ", "%r:2 = "),
        ("memory", "<{global_name = @table}>", "<{}>"),
        ("control", "(%n: i32, %f: f32, %m: i64)", "(%n: i32, %f: f32)"),
        ("control", "(%zero, %f)[^bb1] : (i32, f32)", "(%zero)[^bb1] : (i32)"),
        ("control", "(%zero, %f)[^bb1] : (i32, f32)", "(%f, %zero)[^bb1] : (f32, i32)"),
        ("control", "(%zero, %f)[^bb1] : (i32, f32)", "(%n, %f, %m)[^bb0] : (i32, f32, i64)"),
        ("control", "array<i32: 1, 2, 1>", "array<i32: 1, 2>"),
        ("control", "array<i32: 1, 2, 1>", "array<i32: 1, 9223372036854775807, 9223372036854775807>"),
        ("control", "dense<[1, 2]> : vector<2xi32>", "dense<[1, 1]> : vector<2xi32>"),
        ("control", "dense<[1, 2]> : vector<2xi32>", "dense<1> : vector<1xi32>"),
        ("control", "^bb3(%k: i32)", "^bb1(%k: i32)"),
        ("control", "(%t, %j) <{position = array<i64: 1>}>", "(%t, %j) <{position = array<i64: 2>}>"),
        ("control", "(%j: f32)", "(%jj: f32)"),
        (
            "control",
            "\"llvm.return\"(%u) : (!llvm.struct<(i32, f32)>) -> ()",
            "\"llvm.return\"(%u) : (!llvm.struct<(i32, f32)>) -> ()\n\"llvm.unreachable\"() : () -> ()",
        ),
        ("control", "\"llvm.insertvalue\"(%t, %j)", "\"llvm.insertvalue\"(%u, %j)"),
        ("numbers", "\"llvm.fpext\"(%15) : (f32) -> f64", "\"llvm.fptrunc\"(%15) : (f32) -> f64"),
        ("numbers", "\"llvm.intr.sqrt\"(%17) : (f64)", "\"llvm.intr.sqrt\"(%17, %17) : (f64, f64)"),
        ("numbers", "-> !llvm.struct<(i32, i1)>", "-> !llvm.struct<(i32, i32)>"),
        ("numbers", "\"llvm.bitcast\"(%19) : (f64)", "\"llvm.bitcast\"(%f) : (f32)"),
    ];
    let said: Vec<String> = cases.iter().map(|(symbol, from, to)| refusal(symbol, from, to)).collect();
    expect_test::expect![[r#"
        `llvm.load` has `i32` as operand 0, it takes a pointer
        `llvm.add` has other types: both operands and the result have one integer or index type
        `llvm.add` has operands of other types than it says
        `llvm.add` uses what is not defined on every way to it
        two values have one name
        `llvm.icmp` has no `predicate` that is understood
        `llvm.getelementptr` has no `elem_type` that is understood
        `llvm.getelementptr` has 1 index, 0 belong there
        `llvm.return` gives something else than the function's result
        a block does not end with a jump or a return
        `llvm.xor` has 1 type of results, 2 belong there
        `llvm.mlir.addressof` has no `global_name` that is understood
        the first block has other arguments than the function
        `llvm.br` gives a block other arguments than it has
        `llvm.br` gives a block other arguments than it has
        a jump leads to the first block
        `llvm.cond_br` has 2 operands, 1 belong there
        a jump has less arguments than it says
        `llvm.switch` has one case twice
        `llvm.switch` has 1 case, 2 belong there
        two blocks have one name
        `llvm.insertvalue` has a position that `struct` has not
        `%j` is not defined
        `llvm.return` is not the last of its block
        `llvm.insertvalue` uses what is not defined on every way to it
        `llvm.fptrunc` has other types: from a float to a narrower float
        `llvm.intr.sqrt` has 2 operands, 1 belong there
        `llvm.intr.sadd.with.overflow` gives something else than a number and a bit
        `llvm.bitcast` has other types: between types of the same width, none of them index
    "#]]
    .assert_eq(&(said.join("\n") + "\n"));
}

/// Sizes beyond 64 bits and bytes that are no digits ended in a panic.
#[test]
fn sizes_without_bounds_are_refused() {
    let huge = "!llvm.struct<(array<18446744073709551615 x i8>, i64, i8)>";
    let cases = [
        ("memory", "{elem_type = i32, inbounds".to_string(), format!("{{elem_type = {huge}, inbounds")),
        ("memory", "{elem_type = !llvm.array<16 x i32>}".into(), format!("{{elem_type = {huge}}}")),
        ("memory", "!llvm.array<4 x i32>, linkage".into(), format!("{huge}, linkage")),
        ("memory", "dense<[1, 2, 3, 4]>".into(), "dense<\"0x1\u{e9}1\">".into()),
        (
            "control",
            "dense<[1, 2]> : vector<2xi32>".into(),
            "dense<\"0x1\u{e9}00000000000\"> : vector<2xi32>".into(),
        ),
        ("control", "!llvm.func<struct<(i32, f32)>".into(), "!llvm.func<vector<4294967295xf32>".into()),
    ];
    for (symbol, from, to) in cases {
        assert!(ALL.contains(&from), "{from}");
        let refused = converted(&ALL.replacen(&from, &to, 1), symbol, Globals::OnChip).expect_err(&to);
        assert!(
            refused.iter().all(|d| d.notes.iter().all(|n| !n.contains("please report it"))),
            "{refused:?}"
        );
    }
}

/// The halves of 24 and 48 bits are no whole bytes; swapping them gave another number.
#[test]
fn bytes_are_swapped_in_powers_of_two_only() {
    for width in [48, 16, 32, 64] {
        let text = format!(
            "\"builtin.module\"() ({{\n\"llvm.func\"() <{{function_type = !llvm.func<i{width} (i{width})>, sym_name = \"f\"}}> ({{\n\
             ^bb0(%a: i{width}):\n%0 = \"llvm.intr.bswap\"(%a) : (i{width}) -> i{width} loc(\"k.c\":1:5)\n\
             \"llvm.return\"(%0) : (i{width}) -> ()\n}}) : () -> ()\n}}) : () -> ()\n"
        );
        match converted(&text, "f", Globals::OnChip) {
            Ok(_) => assert!(width != 48),
            Err(d) => assert!(width == 48 && d[0].code == codes::OPERATION && d[0].labels[0].span == (4..5)),
        }
        let wrong = text.replace("(%a) : (", "(%a, %a) : (i8, ");
        let refused = converted(&wrong, "f", Globals::OnChip).expect_err("two operands");
        assert_eq!((refused[0].code, &refused[0].labels[0].span), (codes::UNREADABLE, &(4..5)));
    }
}
