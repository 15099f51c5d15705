//! The generator keeps its promises, makes everything it is said to make, and shrinking shrinks.

use super::*;
use loom_dfg::{Op, OpKind, Type};
use loom_front::edit;
use loom_front::interp::FaultKind;
use loom_front::ir::{Kind, OpId};
use std::collections::BTreeSet;

fn program(seed: u64) -> RandomProgram {
    random_program(&mut Rng::new(seed), &RandomOptions::default())
}

#[test]
fn programs_are_well_formed_and_run() {
    for seed in 0..300 {
        let p = program(seed);
        assert!(well_formed(&p), "seed {seed}");
        let first = p.run(20_000).unwrap_or_else(|f| panic!("seed {seed}: {}", f.message));
        assert_eq!(Ok(first), p.run(20_000), "seed {seed}");
    }
}

/// Nothing is thrown away for another reason than its length: bounds hold by construction.
#[test]
fn the_only_fault_is_length() {
    let mut long = 0;
    for seed in 0..2_000 {
        let p = build::generate(&mut Rng::new(seed), &RandomOptions::default());
        assert!(well_formed(&p), "seed {seed}");
        if let Err(fault) = p.run(20_000) {
            assert_eq!(fault.kind, FaultKind::StepLimit, "seed {seed}: {}", fault.message);
            long += 1;
        }
    }
    assert!(long < 20, "{long} of 2000 run too long");
}

fn features(p: &RandomProgram) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let mut note = |name: &'static str, yes: bool| {
        if yes {
            found.insert(name);
        }
    };
    let func = &p.source.funcs[0];
    let parents = edit::Parents::new(func);
    let uses = edit::use_counts(func);
    let is_loop = |op: OpId| matches!(func.op(op).kind, Kind::For { .. } | Kind::While);
    for op in edit::walk(func) {
        let record = func.op(op);
        let around = parents.around(op);
        let regions = around.iter().filter(|&&o| !func.op(o).regions.is_empty()).count();
        let inside = edit::walk_inside(func, op);
        let has = |kinds: &[Kind]| inside.iter().any(|&o| kinds.contains(&func.op(o).kind));
        let block = parents.block(op);
        note("depth 4", regions >= 4);
        note(
            "captured from two levels out",
            record.operands.iter().any(|&v| around.len() >= 2 && parents.is_outside(func, v, around[1])),
        );
        note("unused result", record.results.iter().any(|r| uses[r.0 as usize] == 0));
        match &record.kind {
            Kind::For { .. } => {
                let bounds: Vec<_> =
                    record.operands[..3].iter().map(|&v| edit::constant_int(func, v)).collect();
                let ty = func.ty(record.operands[0]).scalar();
                note("constant bounds, entered", matches!(bounds[..2], [Some(l), Some(u)] if l < u));
                note("constant bounds, not entered", matches!(bounds[..2], [Some(l), Some(u)] if l >= u));
                note("bound from data", bounds[1].is_none());
                note("step of more than one", bounds[2].is_some_and(|s| s > 1));
                note("step from data", bounds[2].is_none());
                note("induction value i32", ty == Some(Type::I32));
                note("induction value i8", ty == Some(Type::Int(8)));
                note("three iteration arguments", record.results.len() == 3);
                let types: BTreeSet<_> = record.results.iter().filter_map(|&r| func.ty(r).scalar()).collect();
                note("mixed iteration arguments", types.len() >= 2);
                note("loop that only reads", has(&[Kind::Load]) && !has(&[Kind::Store]));
                let body = func.entry(record.regions[0]).unwrap();
                let arguments = &func.block(body).arguments[1..];
                let yielded = &func.op(func.terminator(body).unwrap()).operands;
                for (i, v) in yielded.iter().enumerate() {
                    let at = arguments.iter().position(|a| a == v);
                    note("argument yielded unchanged", at == Some(i));
                    note("arguments swapped", at.is_some_and(|at| at != i));
                    note("outside value yielded", parents.is_outside(func, *v, op));
                }
            }
            Kind::While => {
                let before = func.entry(record.regions[0]).unwrap();
                let types = |values: &[loom_front::ir::ValueId]| -> Vec<_> {
                    values.iter().map(|&v| func.ty(v).clone()).collect()
                };
                note("passed types differ from carried", types(&record.operands) != types(&record.results));
                note(
                    "access in a before-region",
                    func.block(before)
                        .ops
                        .iter()
                        .any(|&o| matches!(func.op(o).kind, Kind::Load | Kind::Store)),
                );
                note("raisable", func.block(before).ops.len() == 2);
                note("general while", func.block(before).ops.len() > 3);
            }
            Kind::If => {
                let stores = |r: usize| {
                    let region = func.entry(record.regions[r]);
                    region.is_some_and(|b| func.block(b).ops.iter().any(|&o| func.op(o).kind == Kind::Store))
                };
                note("store on one side", stores(0) != stores(1));
                note("if without else", func.entry(record.regions[1]).is_none());
                note("if with results", !record.results.is_empty());
            }
            Kind::IndexSwitch { .. } => note("index_switch", true),
            Kind::Fence => note("fence", true),
            Kind::Alloc { .. } => note("alloc", true),
            Kind::GetGlobal(_) => note("global", true),
            Kind::Subview { .. } => note("subview", true),
            Kind::CollapseShape { .. } => note("collapse_shape", true),
            Kind::ExpandShape { .. } => note("expand_shape", true),
            Kind::Store => {
                note("store in a loop", around.iter().any(|&o| is_loop(o)));
                let loads = block.map(|b| func.block(b).ops.clone()).unwrap_or_default();
                note(
                    "read-modify-write",
                    loads.iter().any(|&o| {
                        func.op(o).kind == Kind::Load && func.op(o).operands[..] == record.operands[1..]
                    }),
                );
                note("rank 2", record.operands.len() == 4);
            }
            Kind::Scalar(Op::Plain(OpKind::Divsi)) => note("division", true),
            Kind::Scalar(Op::Plain(OpKind::Addf)) => note("float", true),
            Kind::Scalar(Op::Plain(kind)) if record.nsw => match kind {
                OpKind::Addi => note("nsw addi", true),
                OpKind::Subi => note("nsw subi", true),
                OpKind::Muli => note("nsw muli", true),
                OpKind::Shli => note("nsw shli", true),
                _ => {}
            },
            Kind::Scalar(Op::Plain(OpKind::Shrsi)) => note("shrsi", true),
            _ => {}
        }
    }
    for call in &p.calls {
        let mut seen = BTreeSet::new();
        for argument in &call.arguments {
            if let RandomArgument::Buffer(b) = argument {
                note("two arguments in one buffer", !seen.insert(*b));
            }
        }
    }
    note("four calls", p.calls.len() == 4);
    note("noalias", func.argument_attributes.iter().any(|a| a.noalias));
    note("three memrefs", func.argument_types.iter().filter(|t| t.memref().is_some()).count() == 3);
    note("small", edit::walk(func).len() <= 30);
    found
}

#[test]
fn every_feature_appears() {
    const ALL: &[&str] = &[
        "access in a before-region",
        "alloc",
        "argument yielded unchanged",
        "arguments swapped",
        "bound from data",
        "captured from two levels out",
        "collapse_shape",
        "constant bounds, entered",
        "constant bounds, not entered",
        "depth 4",
        "division",
        "expand_shape",
        "fence",
        "float",
        "four calls",
        "general while",
        "global",
        "if with results",
        "if without else",
        "index_switch",
        "induction value i32",
        "induction value i8",
        "loop that only reads",
        "mixed iteration arguments",
        "noalias",
        "nsw addi",
        "nsw muli",
        "nsw shli",
        "nsw subi",
        "outside value yielded",
        "passed types differ from carried",
        "raisable",
        "rank 2",
        "read-modify-write",
        "shrsi",
        "small",
        "step from data",
        "step of more than one",
        "store in a loop",
        "store on one side",
        "subview",
        "three iteration arguments",
        "three memrefs",
        "two arguments in one buffer",
        "unused result",
    ];
    let mut found = BTreeSet::new();
    for seed in 0..2_000 {
        found.extend(features(&program(seed)));
    }
    let missing: Vec<_> = ALL.iter().filter(|f| !found.contains(*f)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// A store inside a while inside a for.
fn planted(p: &RandomProgram) -> bool {
    let func = &p.source.funcs[0];
    let parents = edit::Parents::new(func);
    edit::walk(func).into_iter().any(|op| {
        let around: Vec<_> = parents.around(op).into_iter().map(|o| func.op(o).kind.clone()).collect();
        let at = around.iter().position(|k| *k == Kind::While);
        func.op(op).kind == Kind::Store
            && at.is_some_and(|at| around[at..].iter().any(|k| matches!(k, Kind::For { .. })))
    })
}

#[test]
fn shrinking_keeps_the_planted_failure_and_little_else() {
    let mut shrunk = 0;
    for seed in 0..400 {
        let p = program(seed);
        if !planted(&p) {
            continue;
        }
        let small = shrink(&p, &mut planted);
        assert!(planted(&small) && well_formed(&small) && small.run(20_000).is_ok());
        let ops = edit::walk(&small.source.funcs[0]).len();
        assert!(
            ops <= 16,
            "seed {seed}: {ops} operations are left of {}",
            edit::walk(&p.source.funcs[0]).len()
        );
        assert_eq!(small.calls.len(), 1);
        shrunk += 1;
        if shrunk == 6 {
            return;
        }
    }
    panic!("only {shrunk} programs have the planted failure");
}
