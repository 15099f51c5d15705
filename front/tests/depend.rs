//! What the dependence analysis says of two accesses, against all iterations counted out: it never says of two that meet that they do not,
//! and it sees that the accesses of ordinary loops over triangles, tiles and flat matrices are apart.

use loom_base::{Rng, Source};
use loom_dfg::{ContCond, Counter, Signedness, StepOp};
use loom_front::depend::Dependences;
use loom_front::domain::Domains;
use loom_front::edit;
use loom_front::ir::{Func, Kind, OpId};
use std::fmt::Write;

/// A sum of the loops' numbers, `n` and `m`, and of the product of a loop's number with `n`.
#[derive(Clone, Debug, Default)]
struct Linear {
    constant: i64,
    loops: Vec<i64>,
    n: i64,
    m: i64,
    rows: Option<usize>,
    /// A half of all that, rounded towards zero.
    halved: bool,
}

impl Linear {
    fn value(&self, at: &[i64], [n, m]: [i64; 2]) -> i64 {
        let loops: i64 = self.loops.iter().zip(at).map(|(c, i)| c * i).sum();
        let sum = self.constant + loops + self.n * n + self.m * m + self.rows.map_or(0, |l| at[l] * n);
        if self.halved {
            sum / 2
        } else {
            sum
        }
    }
}

/// A loop around an access: it counts from `first` to before `bound`, or down to after it.
#[derive(Clone, Debug)]
struct Loop {
    first: Linear,
    bound: Linear,
    step: i64,
    /// A step that is no literal, in the direction of the other one.
    open: Option<Linear>,
}

/// Two accesses, the loops around each, and how many of these are around both.
#[derive(Clone, Debug)]
struct Nest {
    loops: [Vec<Loop>; 2],
    common: usize,
    subscripts: [Vec<Linear>; 2],
}

fn any_linear(rng: &mut Rng, loops: usize, is_subscript: bool) -> Linear {
    let mut out = Linear { loops: vec![0; loops], ..Linear::default() };
    out.constant = rng.below(5) as i64 - 2;
    for factor in &mut out.loops {
        *factor = match rng.below(if is_subscript { 4 } else { 5 }) {
            0 => 1,
            1 if is_subscript => [-1, 2, 3, 8][rng.below(4)],
            _ => 0,
        };
    }
    match rng.below(6) {
        0 | 1 if !is_subscript => out.n = 1,
        2 if !is_subscript => out.m = 1,
        3 => out.n = 1,
        _ => {}
    }
    if is_subscript && loops > 0 && rng.below(2) == 0 {
        let row = rng.below(loops);
        out.rows = Some(row);
    }
    out
}

fn any_nest(rng: &mut Rng) -> Nest {
    let any_loop = |depth: usize, rng: &mut Rng| {
        let step: i64 = [1, 1, 1, 2, -1][rng.below(5)];
        let mut first = any_linear(rng, depth, false);
        let mut bound = any_linear(rng, depth, false);
        if rng.below(3) > 0 {
            // Mostly what people write: from 0 or a number of a loop outside to one of the sizes.
            first.n = 0;
            first.m = 0;
            bound = Linear { n: 1, loops: vec![0; depth], halved: rng.below(4) == 0, ..Linear::default() };
        }
        if step < 0 {
            std::mem::swap(&mut first, &mut bound);
        }
        let open = (rng.below(4) == 0).then(|| {
            let mut open = any_linear(rng, depth, false);
            open.n = 1;
            let sign = step.signum();
            open.loops
                .iter_mut()
                .chain([&mut open.constant, &mut open.n, &mut open.m])
                .for_each(|f| *f *= sign);
            Linear { rows: None, ..open }
        });
        Loop { first, bound, step, open }
    };
    let common = rng.below(3) + usize::from(rng.below(2) == 0);
    let shared: Vec<Loop> = (0..common).map(|d| any_loop(d, rng)).collect();
    let loops = [0, 1].map(|_| {
        let own = rng.below(2);
        let mut all = shared.clone();
        all.extend((common..common + own).map(|d| any_loop(d, rng)));
        all
    });
    let dimensions = 1 + rng.below(2);
    let subscripts = [0, 1].map(|k: usize| {
        let depth = loops[k].len();
        (0..dimensions).map(|_| any_linear(rng, depth, true)).collect()
    });
    Nest { loops, common, subscripts }
}

/// Prints a nest and gives the accesses' values fresh names.
struct Pen {
    text: String,
    next: usize,
}

impl Pen {
    fn op(&mut self, text: &str) -> String {
        let name = format!("%v{}", self.next);
        self.next += 1;
        writeln!(self.text, "{name} = {text} : index").expect("text");
        name
    }

    fn linear(&mut self, linear: &Linear, at: &[String]) -> String {
        let mut sum = self.op(&format!("arith.constant {}", linear.constant));
        let mut terms: Vec<(i64, String)> = linear.loops.iter().copied().zip(at.iter().cloned()).collect();
        terms.extend([(linear.n, "%n".to_string()), (linear.m, "%m".to_string())]);
        for (factor, value) in terms.into_iter().filter(|(factor, _)| *factor != 0) {
            let factor = self.op(&format!("arith.constant {factor}"));
            let product = self.op(&format!("arith.muli {value}, {factor}"));
            sum = self.op(&format!("arith.addi {sum}, {product}"));
        }
        if let Some(row) = linear.rows {
            let product = self.op(&format!("arith.muli {}, %n", at[row]));
            sum = self.op(&format!("arith.addi {sum}, {product}"));
        }
        if linear.halved {
            let two = self.op("arith.constant 2");
            sum = self.op(&format!("arith.divsi {sum}, {two}"));
        }
        sum
    }

    fn open(&mut self, a_loop: &Loop, at: &mut Vec<String>) {
        let first = self.linear(&a_loop.first, at);
        let bound = self.linear(&a_loop.bound, at);
        let step = match &a_loop.open {
            Some(open) => self.linear(open, at),
            None => self.op(&format!("arith.constant {}", a_loop.step.abs())),
        };
        let name = format!("%i{}", self.next);
        self.next += 1;
        writeln!(self.text, "scf.for {name} = {first} to {bound} step {step} {{").expect("text");
        at.push(name);
    }

    fn access(&mut self, nest: &Nest, k: usize, at: &[String]) {
        let subscripts: Vec<String> = nest.subscripts[k].iter().map(|s| self.linear(s, at)).collect();
        let (place, ty) = (subscripts.join(", "), memref(nest));
        if k == 0 {
            writeln!(self.text, "memref.store %x, %A[{place}] : {ty}").expect("text");
        } else {
            writeln!(self.text, "%y = memref.load %A[{place}] : {ty}").expect("text");
        }
    }
}

fn memref(nest: &Nest) -> &'static str {
    if nest.subscripts[0].len() == 1 {
        "memref<?xi32>"
    } else {
        "memref<?x?xi32>"
    }
}

fn text(nest: &Nest) -> String {
    let mut pen = Pen { text: String::new(), next: 0 };
    let ty = memref(nest);
    writeln!(pen.text, "func.func @f(%n: index, %m: index, %x: i32, %A: {ty}) {{").expect("text");
    let mut at = Vec::new();
    nest.loops[0][..nest.common].iter().for_each(|l| pen.open(l, &mut at));
    for k in [0, 1] {
        let mut inner = at.clone();
        let own = &nest.loops[k][nest.common..];
        own.iter().for_each(|l| pen.open(l, &mut inner));
        pen.access(nest, k, &inner);
        pen.text.extend(own.iter().map(|_| "}\n"));
    }
    pen.text.extend((0..nest.common).map(|_| "}\n"));
    pen.text + "return\n}\n"
}

/// The function, with loops that count down where the step says so: text has none of these.
fn function(nest: &Nest) -> Func {
    let source = Source::new("nest.scf.mlir", text(nest));
    let program = loom_front::parse(&source).unwrap_or_else(|e| panic!("{e:?}\n{}", text(nest)));
    let mut func = program.funcs[0].clone();
    let order: Vec<&Loop> = nest.loops[0].iter().chain(&nest.loops[1][nest.common..]).collect();
    let loops: Vec<OpId> =
        edit::walk(&func).into_iter().filter(|&op| matches!(func.op(op).kind, Kind::For { .. })).collect();
    for (op, a_loop) in loops.into_iter().zip(order) {
        if a_loop.step < 0 {
            let step_op = if a_loop.open.is_some() { StepOp::Add } else { StepOp::Sub };
            let counter = Counter { step_op, numbers: Signedness::Signed };
            func.op_mut(op).kind = Kind::For { counter, cond: ContCond::Gt };
        }
    }
    func
}

/// All iterations in which an access runs, and where; none where a loop does not end.
fn runs(nest: &Nest, k: usize, sizes: [i64; 2]) -> Option<Vec<(Vec<i64>, Vec<i64>)>> {
    let mut iterations = vec![Vec::new()];
    for a_loop in &nest.loops[k] {
        let mut next = Vec::new();
        for outer in iterations {
            let (mut i, bound) = (a_loop.first.value(&outer, sizes), a_loop.bound.value(&outer, sizes));
            let step = a_loop.open.as_ref().map_or(a_loop.step, |open| open.value(&outer, sizes));
            while if a_loop.step > 0 { i < bound } else { i > bound } {
                next.push([&outer[..], &[i]].concat());
                i += Some(step).filter(|s| s.signum() == a_loop.step.signum())?;
            }
        }
        iterations = next;
    }
    let place = |at: &Vec<i64>| nest.subscripts[k].iter().map(|s| s.value(at, sizes)).collect();
    Some(iterations.into_iter().map(|at| (at.clone(), place(&at))).collect())
}

/// Whether the two meet in one iteration of all common loops, and for each of these, in different iterations of it: the store in the
/// earlier one, or the load.
struct Truth {
    within: bool,
    across: Vec<[bool; 2]>,
}

fn truth(nest: &Nest) -> Truth {
    let mut out = Truth { within: false, across: vec![[false; 2]; nest.common] };
    for sizes in [[0, 3], [1, 1], [2, 4], [4, 2], [5, 3]] {
        let [Some(stores), Some(loads)] = [0, 1].map(|k| runs(nest, k, sizes)) else { continue };
        for (a, x) in &stores {
            for (b, _) in loads.iter().filter(|(_, y)| x == y) {
                match (0..nest.common).find(|&l| a[l] != b[l]) {
                    Some(l) => {
                        let stores_first = (a[l] < b[l]) == (nest.loops[0][l].step > 0);
                        out.across[l][usize::from(!stores_first)] = true;
                    }
                    None => out.within = true,
                }
            }
        }
    }
    out
}

/// What the analysis says, in the same form.
fn said(nest: &Nest) -> Truth {
    let func = function(nest);
    let deps = Dependences::new(&func, &Domains::new(&func));
    let ops = edit::walk(&func);
    let find = |kind: Kind| ops.iter().copied().find(|&op| func.op(op).kind == kind).expect("an access");
    let (store, load) = (find(Kind::Store), find(Kind::Load));
    let around = edit::Parents::new(&func).around(store);
    // Innermost first, and loops of one access alone are the inner ones.
    let common: Vec<OpId> = around.into_iter().rev().take(nest.common).collect();
    Truth {
        within: deps.meet_within(store, load),
        across: (common.iter())
            .map(|&at| [deps.follows_across(at, store, load), deps.follows_across(at, load, store)])
            .collect(),
    }
}

#[test]
fn two_accesses_that_meet_are_never_said_to_be_apart() {
    let (mut apart, mut seen) = (0, 0);
    for seed in 0..1200 {
        let mut rng = Rng::new(seed);
        let nest = any_nest(&mut rng);
        let (truth, said) = (truth(&nest), said(&nest));
        let across = truth.across.into_iter().flatten().zip(said.across.into_iter().flatten());
        let pairs = [(truth.within, said.within)].into_iter().chain(across);
        for (is, said) in pairs {
            assert!(said || !is, "seed {seed}: {nest:?}\n{}", text(&nest));
            apart += u32::from(!is);
            seen += u32::from(!is && !said);
        }
    }
    // Many nests have no iteration where both run, which nobody has to see.
    assert!(seen * 2 > apart, "{seen} of {apart} are seen to be apart");
}

/// Loops of a function by their accesses, with those in different iterations of which some may meet.
fn bound_loops(body: &str) -> Vec<usize> {
    let literals: String = (0..3).map(|n| format!("%c{n} = arith.constant {n} : index\n")).collect();
    let text = format!(
        "func.func @f(%n: index, %h: index, %A: memref<?xi32>) {{\n{literals}%m = arith.subi %n, %c1 : index\n{body}\nreturn\n}}\n"
    );
    let source = Source::new("loops.scf.mlir", text);
    let program = loom_front::parse(&source).unwrap_or_else(|e| panic!("{e:?}\n{body}"));
    let func = &program.funcs[0];
    let deps = Dependences::new(func, &Domains::new(func));
    let ops = edit::walk(func);
    let accesses: Vec<OpId> =
        ops.iter().copied().filter(|&op| matches!(func.op(op).kind, Kind::Load | Kind::Store)).collect();
    let meet = |at| accesses.iter().any(|&a| accesses.iter().any(|&b| deps.meet_across(at, a, b)));
    let loops = ops.iter().filter(|&&op| matches!(func.op(op).kind, Kind::For { .. }));
    loops.enumerate().filter(|&(_, &at)| meet(at)).map(|(i, _)| i).collect()
}

/// `scf.for` around a body, and `%name = op : index` for each of `ops`.
fn around(head: &str, ops: &[&str], body: &str) -> String {
    let ops: String = ops.iter().map(|op| format!("%{op} : index\n")).collect();
    format!("scf.for %{head} step %c1 {{\n{ops}{body}\n}}")
}

const NONE: [usize; 0] = [];

#[test]
fn what_is_turned_round_in_place_meets_in_the_middle_at_most() {
    let swap = "%v = memref.load %A[%i] : memref<?xi32>\n%w = memref.load %A[%p] : memref<?xi32>\n\
                memref.store %w, %A[%i] : memref<?xi32>\nmemref.store %v, %A[%p] : memref<?xi32>";
    let to = |bound: &str| {
        let half = format!("%half = arith.{bound} : index\n");
        bound_loops(&(half + &around("i = %c0 to %half", &["p = arith.subi %m, %i"], swap)))
    };
    for half in ["divsi %n, %c2", "shrsi %n, %c1"] {
        assert_eq!(to(half), NONE, "{half}");
    }
    // Two thirds pass the middle.
    assert_eq!(to("subi %n, %c2"), [0]);
}

const UPDATE: &str = "%v = memref.load %A[%p] : memref<?xi32>\nmemref.store %v, %A[%q] : memref<?xi32>";

#[test]
fn a_flat_matrix_is_changed_in_place_in_any_order() {
    let inner = around("j = %c0 to %n", &["q = arith.addi %r, %j", "p = arith.addi %q, %c0"], UPDATE);
    assert_eq!(bound_loops(&around("i = %c0 to %h", &["r = arith.muli %i, %n"], &inner)), NONE);
}

#[test]
fn elimination_is_bound_by_its_outermost_loop_alone() {
    let ops = ["q = arith.addi %r, %j", "p = arith.addi %t, %j"];
    let inner = around("j = %b to %n", &ops, UPDATE);
    let rows = around("i = %b to %n", &["r = arith.muli %i, %n"], &inner);
    let all = around("k = %c0 to %n", &["b = arith.addi %k, %c1", "t = arith.muli %k, %n"], &rows);
    assert_eq!(bound_loops(&all), [0]);
}

#[test]
fn a_row_is_exchanged_with_its_column_in_any_order() {
    let ops = ["t = arith.muli %j, %n", "p = arith.addi %t, %i", "q = arith.addi %r, %j"];
    let swap = "%v = memref.load %A[%p] : memref<?xi32>\n%w = memref.load %A[%q] : memref<?xi32>
memref.store %v, %A[%q] : memref<?xi32>\nmemref.store %w, %A[%p] : memref<?xi32>";
    let inner = around("j = %c0 to %i", &ops, swap);
    assert_eq!(bound_loops(&around("i = %c0 to %n", &["r = arith.muli %i, %n"], &inner)), NONE);
}

#[test]
fn the_halves_of_a_butterfly_are_apart() {
    let inner = around("j = %i to %e", &["p = arith.addi %j, %h", "q = arith.addi %j, %c0"], UPDATE);
    assert_eq!(bound_loops(&around("i = %c0 to %n", &["e = arith.addi %i, %h"], &inner)), [0]);
}

#[test]
fn what_a_loop_of_open_steps_does_is_apart_where_it_is_less_than_a_step() {
    // A stage of a Fourier transform, and tiles that begin where others end.
    let stage = |length: &str| {
        let inner = around("j = %c0 to %h", &["p = arith.addi %i, %j", "q = arith.addi %p, %h"], UPDATE);
        bound_loops(&format!(
            "%length = arith.addi %h, {length} : index\nscf.for %i = %c0 to %n step %length {{\n{inner}\n}}"
        ))
    };
    assert_eq!(stage("%h"), NONE);
    assert_eq!(stage("%c1"), [0]);
    let tile = around("j = %i to %e", &["p = arith.addi %j, %c0", "q = arith.addi %j, %c0"], UPDATE);
    let tiles = |step: &str| {
        bound_loops(&format!(
            "scf.for %i = %c0 to %n step {step} {{\n%e = arith.addi %i, %h : index\n{tile}\n}}"
        ))
    };
    assert_eq!(tiles("%h"), NONE);
    assert_eq!(tiles("%c1"), [0]);
}

#[test]
fn what_meets_stays_in_order() {
    // A prefix sum, and a smoothing of rows that takes the row before.
    assert_eq!(
        bound_loops(&around("i = %c1 to %n", &["p = arith.subi %i, %c1", "q = arith.addi %i, %c0"], UPDATE)),
        [0]
    );
    let ops = ["q = arith.addi %r, %j", "p = arith.subi %q, %n"];
    let inner = around("j = %c0 to %n", &ops, UPDATE);
    assert_eq!(bound_loops(&around("i = %c1 to %h", &["r = arith.muli %i, %n"], &inner)), [0]);
}

/// Loops over rows and columns of a view, of which each number changes from the row before, or from `before`.
fn rows_of(strides: &str, before: &str) -> Vec<usize> {
    let layout = format!("memref<8x57xi32, strided<[{strides}]>>");
    let view = format!("%V = memref.reinterpret_cast %A to offset: [0], sizes: [8, 57], strides: [{strides}] : memref<?xi32> to {layout}\n");
    let update = format!("%v = memref.load {before}\nmemref.store %v, %V[%i, %j] : {layout}");
    let update = update.replace("LAYOUT", &layout);
    let ops = ["t = arith.muli %i, %n", "f = arith.addi %t, %j"];
    let inner = around("j = %c0 to %h", &ops, &update);
    bound_loops(&(view + &around("i = %c1 to %n", &["b = arith.subi %i, %c1"], &inner)))
}

#[test]
fn a_number_is_inside_of_its_row() {
    assert_eq!(rows_of("57, 1", "%V[%b, %j] : LAYOUT"), [0]);
    assert_eq!(rows_of("57, 1", "%V[%i, %j] : LAYOUT"), NONE);
    // A view whose rows overlap, and the words of the array themselves.
    assert_eq!(rows_of("1, 1", "%V[%b, %j] : LAYOUT"), [0, 1]);
    assert_eq!(rows_of("57, 1", "%A[%f] : memref<?xi32>"), [0, 1]);
}

#[test]
fn words_of_two_rows_are_apart_inside_of_them() {
    // Gauss-Jordan elimination: nothing is known of the two rows.
    let ops = ["q = arith.addi %r, %j", "p = arith.addi %t, %j"];
    let inner = around("j = %c0 to %n", &ops, UPDATE);
    let rows = around("i = %c0 to %h", &["r = arith.muli %i, %n"], &inner);
    let all = |rows: &str| around("k = %c0 to %h", &["t = arith.muli %k, %n"], rows);
    assert_eq!(bound_loops(&all(&rows)), [0, 1]);
    // One further, the last of a row is the first of the next.
    let ops = ["q = arith.addi %r, %j", "s = arith.addi %t, %j", "p = arith.addi %s, %c1"];
    let rows = around("i = %c0 to %h", &["r = arith.muli %i, %n"], &around("j = %c0 to %n", &ops, UPDATE));
    assert_eq!(bound_loops(&all(&rows)), [0, 1, 2]);
}

#[test]
fn words_of_two_rows_of_known_length_are_apart_inside_of_them() {
    let pixels = |last: &str| {
        let rows = "%c8 = arith.constant 8 : index\n%c9 = arith.constant 9 : index\n%r = arith.muli %n, %c8 : index\n%t = arith.muli %h, %c8 : index\n";
        let inner = around(
            &format!("j = %c0 to {last}"),
            &["q = arith.addi %r, %j", "p = arith.addi %t, %j"],
            UPDATE,
        );
        bound_loops(&(rows.to_string() + &inner))
    };
    assert_eq!(pixels("%c8"), NONE);
    assert_eq!(pixels("%c9"), [0]);
}
