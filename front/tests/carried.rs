//! What the dependence analysis says of places that a loop moves now and then, `a[w++] = a[r]`, against all that the tests may give counted
//! out: it never says of two accesses that meet that they do not.

use loom_base::{Rng, Source};
use loom_front::depend::Dependences;
use loom_front::domain::Domains;
use loom_front::edit;
use loom_front::ir::Kind;

/// A loop that counts from `first` by `step` and carries a number from `start`, to which each iteration adds one of two.
#[derive(Clone, Copy, Debug)]
struct Moves {
    first: i64,
    step: i64,
    start: i64,
    by: [i64; 2],
    /// Whether the addition is a select or an if.
    selects: bool,
    /// Whether it may wrap.
    wraps: bool,
    /// A multiple of the counter, one of the carried number, and a constant: of the load and of the store.
    subscripts: [[i64; 3]; 2],
}

const MOST: usize = 5;

fn any(rng: &mut Rng) -> Moves {
    let step = *rng.pick(&[1, 1, 1, 2, -1]);
    let mut subscript = |of: [i64; 2]| [of[0], of[1], rng.between(-1, 2)];
    let subscripts = [subscript([1, 0]), subscript([0, 1])];
    let subscripts = match rng.below(4) {
        0 => [subscripts[1], subscripts[0]],
        1 => [[rng.between(0, 2), rng.between(0, 1), 0], subscripts[1]],
        _ => subscripts,
    };
    let by = [rng.between(-1, 2), rng.between(0, 1)];
    let (first, start) = (rng.between(0, 2), rng.between(0, 2));
    let by = if rng.chance(50) { [0, 1] } else { by };
    Moves { first, step, start, by, selects: rng.chance(50), wraps: false, subscripts }
}

/// Whether some store of an earlier iteration meets a load of a later one, and some load a later store.
fn truth(of: &Moves) -> [bool; 2] {
    let mut out = [false; 2];
    for choices in 0..1u32 << MOST {
        let mut carried = of.start;
        let places: Vec<[i64; 2]> = (0..MOST)
            .map(|turn| {
                let i = of.first + of.step * turn as i64;
                let at = of.subscripts.map(|[a, b, c]| a * i + b * carried + c);
                carried += of.by[(choices >> turn & 1) as usize];
                at
            })
            .collect();
        for (k, earlier) in places.iter().enumerate() {
            for later in &places[k + 1..] {
                out[0] |= earlier[1] == later[0] && later[0] >= 0;
                out[1] |= earlier[0] == later[1] && later[1] >= 0;
            }
        }
    }
    out
}

fn said(of: &Moves) -> [bool; 2] {
    let mut literals = String::new();
    let mut literal = |n: i64| {
        let name = format!("%c{}", if n < 0 { format!("m{}", -n) } else { n.to_string() });
        let line = format!("  {name} = arith.constant {n} : index\n");
        if !literals.contains(&line) {
            literals.push_str(&line);
        }
        name
    };
    let [first, start, size] = [of.first, of.start, of.step.abs()].map(&mut literal);
    let by = of.by.map(&mut literal);
    let mut body = String::new();
    for (k, [a, b, c]) in of.subscripts.into_iter().enumerate() {
        let [a, b, c] = [a, b, c].map(&mut literal);
        body.push_str(&format!(
            "    %a{k} = arith.muli %i, {a} : index\n    %b{k} = arith.muli %w, {b} : index\n    \
             %s{k} = arith.addi %a{k}, %b{k} : index\n    %x{k} = arith.addi %s{k}, {c} : index\n"
        ));
    }
    let flag = if of.wraps { "" } else { " overflow<nsw>" };
    let sum = |k: usize| format!("%t{k} = arith.addi %w, {}{flag} : index\n", by[k]);
    let next = match of.selects {
        true => format!("{}{}%next = arith.select %c, %t1, %t0 : index\n", sum(0), sum(1)),
        false => format!(
            "%next = scf.if %c -> (index) {{\n{}scf.yield %t1 : index\n}} else {{\n{}scf.yield %t0 : index\n}}\n",
            sum(1),
            sum(0)
        ),
    };
    // A loop that counts down is a while that is raised: here the counter is turned round instead.
    let (counter, turned) = match of.step < 0 {
        true => ("%up", format!("    %i = arith.subi {first}, %up : index\n")),
        false => ("%i", String::new()),
    };
    let lower = if of.step < 0 { literal(0) } else { first };
    let text = format!(
        "func.func @f(%m: memref<?xi32>, %n: index, %k: i32) {{\n{literals}  %r = scf.for {counter} = {lower} to %n step {size} iter_args(%w = {start}) -> (index) {{\n\
         {turned}{body}    %v = memref.load %m[%x0] : memref<?xi32>\n    %c = arith.cmpi sgt, %v, %k : i32\n{next}    \
         memref.store %v, %m[%x1] : memref<?xi32>\n    scf.yield %next : index\n  }}\n  return\n}}\n"
    );
    let source = Source::new("moves.scf.mlir", text.clone());
    let program = loom_front::parse(&source).unwrap_or_else(|e| panic!("{}\n{text}", e[0].message));
    let func = &program.funcs[0];
    let deps = Dependences::new(func, &Domains::new(func));
    let ops = edit::walk(func);
    let find =
        |is: &dyn Fn(&Kind) -> bool| ops.iter().copied().find(|&op| is(&func.op(op).kind)).expect("an op");
    let at = find(&|kind| matches!(kind, Kind::For { .. }));
    let (load, store) = (find(&|kind| *kind == Kind::Load), find(&|kind| *kind == Kind::Store));
    [deps.follows_across(at, store, load), deps.follows_across(at, load, store)]
}

#[test]
fn what_moves_now_and_then_is_never_wrongly_said_to_be_apart() {
    let (mut apart, mut seen) = (0, 0);
    for seed in 0..600 {
        let moves = any(&mut Rng::new(seed));
        for (is, said) in truth(&moves).into_iter().zip(said(&moves)) {
            assert!(said || !is, "seed {seed}: {moves:?}");
            apart += u32::from(!is);
            seen += u32::from(!is && !said);
        }
    }
    assert!(seen * 2 > apart, "{seen} of {apart} are seen to be apart");
}

#[test]
fn what_is_written_stays_behind_what_is_read() {
    let compact = Moves {
        first: 0,
        step: 1,
        start: 0,
        by: [0, 1],
        selects: false,
        wraps: false,
        subscripts: [[1, 0, 0], [0, 1, 0]],
    };
    assert_eq!(said(&compact), [false, true], "no later load meets a store");
    // From the second word on.
    let unique = Moves { first: 1, start: 1, ..compact };
    assert_eq!(said(&unique), [false, true]);
    // Two words for one: it gets before what is read.
    assert_eq!(said(&Moves { by: [0, 2], ..compact }), [true, true]);
    // It begins before it.
    assert_eq!(said(&Moves { start: 1, ..compact }), [true, true]);
}

#[test]
fn what_may_wrap_is_a_count_or_anything() {
    let words = [[0, 1, 0], [0, 1, 0]];
    let far = Moves {
        first: 0,
        step: 1,
        start: 0,
        by: [1 << 30; 2],
        selects: true,
        wraps: false,
        subscripts: words,
    };
    assert_eq!(said(&far), [false, false]);
    // Four of them are none.
    assert_eq!(said(&Moves { wraps: true, ..far }), [true, true]);
    // The iterations so far.
    assert_eq!(said(&Moves { wraps: true, by: [1; 2], ..far }), [false, false]);
}
