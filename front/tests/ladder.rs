//! Trees of ifs become leaves behind each other, and mean what they meant.

use loom_dfg::OpKind;
use loom_front::compile::Aim;
use loom_testkit::differential;
use loom_testkit::programs::Call;

/// A machine with a state of four values that a loop of 12 iterations carries; `body` gives the next ones.
fn program(body: &str) -> String {
    format!(
        "func.func @f(%m: memref<16xi32>, %k: memref<16xi32>, %n: i32, %x: i32) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
  %r:4 = scf.for %i = %c0 to %c12 step %c1 iter_args(%a = %x, %b = %n, %c = %one, %d = %zero) -> (i32, i32, i32, i32) {{
    %w = memref.load %m[%i] : memref<16xi32>
    %s = arith.addi %w, %b : i32
    %t = arith.andi %s, %seven : i32
    %is0 = arith.cmpi eq, %t, %zero : i32
    %is1 = arith.cmpi eq, %t, %one : i32
    %is2 = arith.cmpi eq, %t, %two : i32
    %less = arith.cmpi slt, %a, %b : i32
{body}
    scf.yield %q#0, %q#1, %q#2, %q#3 : i32, i32, i32, i32
  }}
  %u = arith.xori %r#0, %r#1 : i32
  %v = arith.addi %r#2, %r#3 : i32
  %y = arith.muli %u, %v : i32
  return %y : i32
}}
"
    )
}

/// Branches, choices and selects of the graph, after all models agreed.
fn ops(aim: Aim, body: &str) -> usize {
    let call = |n, x| Call::of(&[0, 1], &[n, x]);
    let words = |k: u64| (0..16u64).map(|i| i * i * k % 29).collect();
    let calls = vec![call(0, 5), call(1, 0xffff_fff0), call(3, 9), call(6, 2)];
    let graph = differential::agreed_for(aim, &program(body), vec![words(3), words(7)], calls);
    let counts = |kind| matches!(kind, OpKind::CondBr | OpKind::Mux(_) | OpKind::Select);
    graph.node_ids().filter(|&n| counts(graph.kind(n))).count()
}

/// Cases that store and change one value each; `default` is the last side.
fn machine(default: &str) -> String {
    let case = |at: usize, changed: usize| {
        let names = ["%a", "%b", "%c", "%d"];
        let mut yields = names;
        let new = ["%n0", "%n1", "%n2", "%n3"][at];
        yields[changed] = new;
        let value = names[changed];
        format!(
            "memref.store {value}, %k[%i] : memref<16xi32>
             {new} = arith.addi {value}, %w : i32
             scf.yield {} : i32, i32, i32, i32",
            yields.join(", ")
        )
    };
    let types = "i32, i32, i32, i32";
    format!(
        "%q:4 = scf.if %is0 -> ({types}) {{ {}
         }} else {{ %q1:4 = scf.if %is1 -> ({types}) {{ {}
           }} else {{ %q2:4 = scf.if %is2 -> ({types}) {{ {}
             }} else {{ {default} }}
             scf.yield %q2#0, %q2#1, %q2#2, %q2#3 : {types} }}
           scf.yield %q1#0, %q1#1, %q1#2, %q1#3 : {types} }}",
        case(0, 0),
        case(1, 1),
        case(2, 2)
    )
}

#[test]
fn cases_stand_behind_each_other() {
    let kept = machine("scf.yield %a, %b, %c, %d : i32, i32, i32, i32");
    let stored = machine(
        "memref.store %d, %k[%c1] : memref<16xi32>
         %l = arith.addi %d, %one : i32
         scf.yield %a, %b, %c, %l : i32, i32, i32, i32",
    );
    for (what, body, room) in [("a default that does nothing", kept, 20), ("one that does", stored, 15)] {
        assert_eq!(ops(Aim::Room, &body), room, "{what}");
    }
}

#[test]
fn trees_of_any_shape_mean_the_same() {
    for (what, body) in [
        (
            "conditions that are computed on the way",
            "%q:4 = scf.if %less -> (i32, i32, i32, i32) {
               memref.store %a, %k[%i] : memref<16xi32>
               %e = arith.addi %a, %three : i32
               scf.yield %e, %b, %c, %d : i32, i32, i32, i32
             } else {
               %f = arith.subi %a, %b : i32
               %g = arith.cmpi sgt, %f, %two : i32
               %p:4 = scf.if %g -> (i32, i32, i32, i32) {
                 memref.store %f, %k[%i] : memref<16xi32>
                 scf.yield %a, %f, %c, %d : i32, i32, i32, i32
               } else {
                 %h = memref.load %k[%c1] : memref<16xi32>
                 scf.yield %a, %b, %h, %f : i32, i32, i32, i32
               }
               scf.yield %p#1, %p#0, %p#2, %p#3 : i32, i32, i32, i32
             }",
        ),
        (
            "ifs in both sides, one without an else",
            "%q:4 = scf.if %less -> (i32, i32, i32, i32) {
               %p:2 = scf.if %is1 -> (i32, i32) {
                 memref.store %c, %k[%i] : memref<16xi32>
                 scf.yield %d, %w : i32, i32
               } else {
                 %h = memref.load %k[%i] : memref<16xi32>
                 scf.yield %h, %b : i32, i32
               }
               scf.yield %a, %p#1, %p#0, %p#0 : i32, i32, i32, i32
             } else {
               scf.if %is2 { memref.store %d, %k[%c1] : memref<16xi32> }
               scf.yield %a, %w, %c, %d : i32, i32, i32, i32
             }",
        ),
        (
            "a loop in a side",
            "%q:4 = scf.if %is0 -> (i32, i32, i32, i32) {
               %e = scf.for %j = %c0 to %i step %c1 iter_args(%e = %a) -> (i32) {
                 %h = memref.load %k[%j] : memref<16xi32>
                 %g = arith.addi %e, %h : i32
                 scf.yield %g : i32
               }
               scf.yield %e, %b, %c, %d : i32, i32, i32, i32
             } else {
               %p:4 = scf.if %less -> (i32, i32, i32, i32) {
                 memref.store %b, %k[%i] : memref<16xi32>
                 scf.yield %a, %b, %w, %d : i32, i32, i32, i32
               } else {
                 %h = memref.load %k[%i] : memref<16xi32>
                 %g = arith.muli %h, %three : i32
                 memref.store %g, %k[%i] : memref<16xi32>
                 scf.yield %a, %b, %c, %g : i32, i32, i32, i32
               }
               scf.yield %p#0, %p#1, %p#2, %p#3 : i32, i32, i32, i32
             }",
        ),
    ] {
        for aim in [Aim::Speed, Aim::Room] {
            assert!(ops(aim, body) > 0, "{what}");
        }
    }
}
