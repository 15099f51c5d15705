//! Which elementary functions a fabric computes by formulas.

use loom_base::Source;
use loom_dfg::curves;
use loom_dfg::{Graph, OpKind, Type};
use loom_front::compile::{compile, CompileOptions};
use loom_front::elementary;
use loom_map::tech::expanded;
use loom_map::{check, MapOptions};
use loom_testkit::fabrics::fabric;

#[test]
fn fabrics_for_64_bits_have_the_parts_of_formulas() {
    let of = |types: &[Type]| -> Vec<(OpKind, Type, Type)> {
        elementary::KINDS.iter().flat_map(|&kind| types.iter().map(move |&ty| (kind, ty, ty))).collect()
    };
    let elementary = |name: &str| -> Vec<_> {
        let all = expanded(&fabric(&format!("configs/{name}.toml")));
        all.into_iter().filter(|op| elementary::KINDS.contains(&op.0)).collect()
    };
    // Casts of 16 bits stand in the largest alone.
    for (name, types) in
        [("general-4x4-w64", &[Type::F32, Type::F64][..]), ("general-8x8-w64", &elementary::TYPES)]
    {
        assert_eq!(elementary(name), of(types), "{name}");
    }
    for name in ["general-8x8", "mesh-2x2", "tags"] {
        assert_eq!(elementary(name), [], "{name}");
    }
    for (name, has) in
        [("general-4x4-w64", true), ("general-8x8-w64", true), ("general-8x8", false), ("mesh-2x2", false)]
    {
        let fabric = fabric(&format!("configs/{name}.toml"));
        assert_eq!(loom_map::tech::division(&fabric).wide_products, has, "{name}");
    }
}

#[test]
fn ops_with_exact_formulas_need_words_as_wide_as_their_operands() {
    use OpKind::{Copysign, Fma, Fptoui, Remf, Uitofp};
    let whole = [OpKind::Floor, OpKind::Ceil, OpKind::Trunc, OpKind::Round, OpKind::Roundeven];
    let has = |name: &str, kind, from, to| {
        expanded(&fabric(&format!("configs/{name}.toml"))).contains(&(kind, from, to))
    };
    for name in ["general-4x4", "general-8x8", "general-4x4-w64", "general-8x8-w64"] {
        let is_wide = name.ends_with("w64");
        for kind in whole.into_iter().chain([Copysign]) {
            assert!(has(name, kind, Type::F32, Type::F32), "{kind:?} {name}");
            assert_eq!(has(name, kind, Type::F64, Type::F64), is_wide, "{kind:?} {name}");
        }
        for (kind, from, to) in [
            (Fma, Type::F32, Type::F32),
            (Remf, Type::F32, Type::F32),
            (Remf, Type::F64, Type::F64),
            (Fptoui, Type::F64, Type::Int(64)),
            (Fptoui, Type::F32, Type::Int(64)),
            (Fptoui, Type::F64, Type::I32),
            (Uitofp, Type::Int(64), Type::F32),
            (Uitofp, Type::Int(64), Type::F64),
        ] {
            assert_eq!(has(name, kind, from, to), is_wide, "{kind:?} {from} {to} {name}");
        }
    }
    // What has a unit needs no formula, and a formula needs units.
    assert_eq!(expanded(&fabric("configs/units-math.toml")), []);
    assert!(whole.iter().all(|&kind| !has("units-float", kind, Type::F32, Type::F32)));
}

/// The graph of a function of one op on doubles.
fn of_doubles(kind: OpKind, expanded: Vec<(OpKind, Type, Type)>) -> Graph {
    of_one_op(kind, Type::F64, expanded)
}

/// The graph of a function of one op on a type.
fn of_one_op(kind: OpKind, ty: Type, expanded: Vec<(OpKind, Type, Type)>) -> Graph {
    let (name, operands) = (kind.mnemonic(), ["%a", "%b"][..elementary::operands(kind)].join(", "));
    let text = format!(
        "func.func @f(%a: {ty}, %b: {ty}) -> {ty} {{\n  %r = {name} {operands} : {ty}\n  return %r : {ty}\n}}\n"
    );
    let program = loom_front::parse(&Source::new("f.scf.mlir", text)).expect("a program");
    let options = CompileOptions { expanded, ..CompileOptions::default() };
    compile(&program, &options).expect("a graph").lowered.graph
}

#[test]
fn functions_with_units_stay_one_op_and_map() {
    let fabric = fabric("configs/units-math.toml");
    let built = elementary::KINDS.into_iter().filter(|kind| kind.in_hardware());
    let mut functions = 0;
    for (kind, ty) in built.flat_map(|kind| curves::TYPES.map(|ty| (kind, ty))) {
        let graph = of_one_op(kind, ty, expanded(&fabric));
        let found: Vec<OpKind> =
            graph.nodes.iter().map(|n| n.op.kind()).filter(|k| !matches!(k, OpKind::Join(_))).collect();
        assert_eq!(found, [kind], "{ty}");
        let mapped = loom_map::map(&graph, &fabric, &MapOptions::default(), &mut |_, _| {});
        let mapped = mapped.unwrap_or_else(|d| panic!("{kind} {ty}: {}", d[0].message));
        assert!(check::check(&graph, &fabric, &mapped.mapping).is_empty(), "{kind} {ty}");
        functions += 1;
    }
    assert_eq!(functions, 39);
    // Doubles have none.
    let problems = loom_map::tech::without_hardware(&of_doubles(OpKind::Exp, Vec::new()));
    assert_eq!(problems.len(), 1, "{problems:?}");
}

#[test]
fn formulas_of_doubles_map() {
    let fabric = fabric("configs/general-8x8-w64.toml");
    let expanded = expanded(&fabric);
    for kind in [OpKind::Exp, OpKind::Remf] {
        let graph = of_doubles(kind, expanded.clone());
        let mapped = loom_map::map(&graph, &fabric, &MapOptions::default(), &mut |_, _| {});
        let mapped = mapped.unwrap_or_else(|d| panic!("{kind}: {}", d[0].message));
        assert!(check::check(&graph, &fabric, &mapped.mapping).is_empty(), "{kind}");
    }
}

#[test]
#[ignore = "minutes: which of all map, for a look"]
fn formulas_of_doubles_that_map() {
    let fabric = fabric("configs/general-8x8-w64.toml");
    let expanded = expanded(&fabric);
    for kind in elementary::KINDS.into_iter().chain([OpKind::Remf]) {
        let graph = of_doubles(kind, expanded.clone());
        let nodes = graph.nodes.len();
        match loom_map::map(&graph, &fabric, &MapOptions::default(), &mut |_, _| {}) {
            Ok(_) => println!("{kind}: {nodes} nodes, maps"),
            Err(d) => println!("{kind}: {nodes} nodes, {}", d[0].message),
        }
    }
}
