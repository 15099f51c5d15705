//! The IR's checks on modules that are wrong, its naming, and the same-cycle dependencies.

use loom_hdl::ir::{check::check, check::comb_deps, CheckError, Design, Evaluator, Expr, Module};
use std::sync::Arc;

fn errors(m: Module) -> Vec<String> {
    match check(&m.finish()) {
        Ok(()) => Vec::new(),
        Err(e) => e.iter().map(CheckError::to_string).collect(),
    }
}

/// `o = i` in `width` bits.
fn wire_module(name: &str, width: u32) -> Arc<Module> {
    let mut m = Module::new(name);
    let i = m.input("i", width);
    m.assign_output("o", i);
    m.finish()
}

#[test]
fn undriven() {
    let mut m = Module::new("m");
    let x = m.declare("x", 4);
    let r = m.reg("r_q", 4, 0u32);
    m.output("z", 2);
    m.assign_output("o", &x ^ &r.q);
    assert_eq!(
        errors(m),
        [
            "`x` in module `m` is not driven",
            "`r_q` in module `m` is not driven",
            "`z` in module `m` is not driven"
        ]
    );
}

#[test]
fn doubly_driven() {
    let mut m = Module::new("m");
    let a = m.input("a", 1);
    let o = m.output("o", 1);
    m.drive(&o, a.clone());
    m.drive(&o, !&a);
    let sub = wire_module("sub", 1);
    let p = m.assign_output("p", a.clone());
    m.instance("s", &sub, &[("i", a.clone()), ("o", p)]);
    let r = m.reg("r_q", 1, 0u32);
    m.next(&r, None, a.clone());
    m.next(&r, None, a);
    m.assign_output("q", r.q);
    assert_eq!(
        errors(m),
        [
            "`o` in module `m` has several drivers",
            "`p` in module `m` has several drivers",
            "`r_q` in module `m` has several drivers"
        ]
    );
}

#[test]
fn unused() {
    let mut m = Module::new("m");
    let a = m.input("a", 1);
    m.input("b", 1);
    let ignored = m.input("c", 8);
    m.unused(&ignored.slice(4, 4));
    m.wire("w", !&a);
    assert_eq!(errors(m), ["`b` in module `m` is not used", "`w` in module `m` is not used"]);
}

#[test]
fn a_cycle_inside_a_module_is_named_net_by_net() {
    let mut m = Module::new("m");
    let a = m.input("a", 1);
    let x = m.declare("x", 1);
    let y = m.wire("y", &x & &a);
    let z = m.wire("z", !&y);
    m.drive(&x, z);
    m.assign_output("o", y);
    assert_eq!(errors(m), ["combinational cycle in module `m`: x -> y -> z -> x"]);
}

#[test]
fn a_cycle_through_instances_names_their_ports() {
    let sub = wire_module("sub", 4);
    let mut m = Module::new("m");
    let back = m.declare("back", 4);
    let first = m.instance("first", &sub, &[("i", back.clone())]);
    let second = m.instance("second", &sub, &[("i", first.out("o"))]);
    m.drive(&back, second.out("o"));
    assert_eq!(
        errors(m),
        ["combinational cycle in module `m`: back -> first.i -> first.o -> first_o -> second.i -> second.o -> second_o -> back"]
    );
}

#[test]
fn a_register_breaks_a_cycle_and_a_dependency() {
    let mut m = Module::new("m");
    let a = m.input("a", 1);
    let b = m.input("b", 1);
    let r = m.reg("r_q", 1, 0u32);
    m.next(&r, Some(b.clone()), &r.q ^ &a);
    m.assign_output("registered", r.q.clone());
    m.assign_output("mixed", &r.q & &b);
    let m = m.finish();
    assert!(check(&m).is_ok());
    let deps = comb_deps(&m);
    assert!(deps["registered"].is_empty());
    assert_eq!(deps["mixed"].iter().collect::<Vec<_>>(), ["b"]);
}

#[test]
fn clashing_names_and_keywords_get_other_names() {
    let mut m = Module::new("m");
    let a = m.input("a", 1);
    let first = m.wire("join", !&a);
    let second = m.wire("a", !&first);
    m.assign_output("o", second);
    let text = {
        let mut d = Design::new();
        d.add(&m.finish());
        d.print("m")
    };
    assert!(text.contains("wire join_w = ~a;") && text.contains("wire a_2 = ~join_w;"), "{text}");
}

#[test]
fn zero_width_vanishes() {
    let mut m = Module::new("m");
    let absent = m.input("absent", 0);
    let v = m.input("v", 1);
    let r = m.reg("r_q", 0, 0u32);
    m.next(&r, Some(v.clone()), v.mux(&absent, &r.q));
    let out = m.assign_output("absent_out", r.q.concat_with(&absent));
    m.assign_output("o", v & out.eq(&absent));
    let mut d = Design::new();
    d.add(&m.finish());
    assert!(d.check("m").is_ok());
    assert!(!d.print("m").contains("absent") && !d.print("m").contains("clk"), "{}", d.print("m"));
}

trait ConcatWith {
    fn concat_with(&self, other: &Expr) -> Expr;
}

impl ConcatWith for Expr {
    fn concat_with(&self, other: &Expr) -> Expr {
        Expr::concat(&[self.clone(), other.clone()])
    }
}

#[test]
#[should_panic(expected = "Add of 3 and 4 bits")]
fn widths_must_agree() {
    let mut m = Module::new("m");
    let (a, b) = (m.input("a", 3), m.input("b", 4));
    let _ = a.add(&b);
}

#[test]
#[should_panic(expected = "two modules named `same` differ")]
fn one_name_is_one_text() {
    let mut d = Design::new();
    d.add(&wire_module("same", 1));
    d.add(&wire_module("same", 2));
}

#[test]
fn the_evaluator_runs_registers_memories_and_instances() {
    let mut m = Module::new("m");
    let i = m.input("i", 8);
    let at = m.reg("at_q", 2, 0u32);
    m.next(&at, None, at.q.add(&Expr::konst(2, 1u32)));
    let mem = m.memory("mem", 4, 8);
    m.mem_write(&mem, Expr::bit_const(true), at.q.clone(), i);
    let old = m.mem_read("old", &mem, at.q.clone());
    let sub = m.instance("sub", &wire_module("sub", 8), &[("i", old)]);
    m.assign_output("o", sub.out("o"));
    let mut sim = Evaluator::new(&m.finish());
    sim.reset();
    let mut seen = Vec::new();
    for t in 0..8u32 {
        sim.set("i", 10 + t);
        seen.push(sim.get_u64("o"));
        sim.tick();
    }
    assert_eq!(seen[4..], [10, 11, 12, 13]);
    assert_eq!(sim.peek("sub.i"), 14u32.into());
}

/// A memory of four words of `parts` parts of 4 bits each.
fn memory_in_parts(parts: u32) -> Arc<Module> {
    let mut m = Module::new("m");
    let enable = m.input("enable", parts);
    let at = m.input("at", 2);
    let i = m.input("i", 4 * parts);
    let mem = m.memory("mem", 4, 4 * parts);
    m.mem_write(&mem, enable, at.clone(), i);
    let o = m.mem_read("word", &mem, at);
    m.assign_output("o", o);
    m.finish()
}

#[test]
fn a_memory_is_written_in_parts() {
    let mut sim = Evaluator::new(&memory_in_parts(3));
    let mut words = [0u32; 4];
    let mut rng = loom_base::Rng::new(1);
    for cycle in 0..200 {
        let (enable, at, i) = (rng.below(8) as u32, rng.below(4), rng.below(1 << 12) as u32);
        sim.set("enable", enable);
        sim.set("at", at as u32);
        sim.set("i", i);
        assert_eq!(sim.get_u64("o"), u64::from(words[at]), "cycle {cycle}");
        sim.tick();
        let mask = (0..3).filter(|p| enable >> p & 1 == 1).fold(0, |m, p| m | 0xf << (4 * p));
        words[at] = words[at] & !mask | i & mask;
    }
    let mut d = Design::new();
    d.add(&memory_in_parts(2));
    let text = d.print("m");
    for line in ["if (enable[0]) mem[at][3:0] <= i[3:0];", "if (enable[1]) mem[at][7:4] <= i[7:4];"] {
        assert!(text.contains(line), "{text}");
    }
}
