//! The steps from a verified function to a plain one, by name: what each does and what holds after it.
//!
//! [`PIPELINE`] is the order in which a function goes through them. `structure` is only for functions with jumps or
//! calls, which are inlined with it ([`crate::inline`]), `elementary` comes before a region is selected, and `guard` is taken
//! where its result has fewer ops; lowering makes the graph of what comes out.

use crate::edit;
use crate::ir::{Func, Global, Kind};
use crate::{domain, elementary, normalize, structure};
use loom_base::Diagnostics;
use loom_dfg::{OpKind, StepOp, Type};
use std::collections::BTreeSet;
use std::num::NonZeroU32;

/// What a program is compiled for, where one is at the cost of the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aim {
    /// Few cycles.
    #[default]
    Speed,
    /// Few units and lanes: wishes for copies of loops are not followed, and accesses that follow each other become loops.
    Room,
}

/// What a fabric has to divide with, beside dividers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DivisionUnits {
    /// Whether there are units for products of 64 bits of numbers of 32, and for the casts and shifts around them.
    pub wide_products: bool,
    /// How many PEs multiply numbers of 32 bits.
    pub products: usize,
    /// The divisions that no unit does, but units for other divisions, products and choices do together.
    pub composed: Vec<OpKind>,
}

/// What the passes ask of the fabric.
#[derive(Clone, Debug)]
pub struct PassTarget {
    /// Bits of index.
    pub index_width: u32,
    /// The step ops that its streams have for unsigned numbers too.
    pub unsigned_steps: Vec<StepOp>,
    /// How many of its streams have which step op; any number for those that are not listed.
    pub streams: Vec<(StepOp, usize)>,
    /// The ops that are computed by their formulas, with the types of operands and result.
    pub expanded: Vec<(OpKind, Type, Type)>,
    /// What there is to divide with.
    pub division: DivisionUnits,
    /// Iterations that innermost loops without a hint do at once.
    pub copies: Option<NonZeroU32>,
    /// Whether what takes room to be faster is left out.
    pub aim: Aim,
    /// Only the passes that lowering cannot do without: to see what the others are worth.
    pub only_needed: bool,
}

impl Default for PassTarget {
    /// The default fabrics'.
    fn default() -> Self {
        PassTarget {
            index_width: loom_dfg::types::DEFAULT_INDEX_WIDTH,
            unsigned_steps: StepOp::ALL.to_vec(),
            streams: Vec::new(),
            expanded: Vec::new(),
            division: DivisionUnits::default(),
            copies: None,
            aim: Aim::Speed,
            only_needed: false,
        }
    }
}

impl PassTarget {
    /// Bits of index, where a loop may get a body for each of its states.
    pub fn states(&self) -> Option<u32> {
        (self.aim == Aim::Speed && !self.only_needed).then_some(self.index_width)
    }

    /// How many streams have a step op.
    pub fn streams(&self, step_op: StepOp) -> usize {
        self.streams.iter().find(|s| s.0 == step_op).map_or(usize::MAX, |s| s.1)
    }
}

/// A step that rewrites a function.
#[derive(Debug)]
pub struct Pass {
    /// As `--print-after` takes it; the module that does it is called the same.
    pub name: &'static str,
    /// What it does, in a line.
    pub what: &'static str,
    /// What may be assumed after it, in a line.
    pub after: &'static str,
    /// Whether lowering cannot do without it; the others make graphs smaller or faster.
    pub needed: bool,
    run: fn(&mut Func, &[Global], &PassTarget) -> Result<(), Diagnostics>,
    holds: fn(&Func, &PassTarget) -> bool,
}

impl Pass {
    /// Rewrites the function, which names these globals, for a fabric. What held before holds still, unless the list says otherwise; after an error the
    /// function is good for nothing.
    pub fn run(&self, func: &mut Func, globals: &[Global], target: &PassTarget) -> Result<(), Diagnostics> {
        (self.run)(func, globals, target)
    }

    /// Whether a function is as it may be assumed to be after the pass: for tests.
    pub fn holds(&self, func: &Func, target: &PassTarget) -> bool {
        (self.holds)(func, target)
    }
}

/// Jumps to structure.
pub static STRUCTURE: Pass = Pass {
    name: "structure",
    what: "turns blocks and jumps into loops, ifs and switches",
    after: "one block in each region, scf alone for control",
    needed: true,
    run: |func, _, target| {
        if structure::has_jumps(func) {
            *func = structure::run(func, target.states())?;
        }
        Ok(())
    },
    holds: |func, _| func.regions.iter().all(|r| r.blocks.len() <= 1) || !structure::has_jumps(func),
};

/// Elementary functions to sums and products.
pub static ELEMENTARY: Pass = Pass {
    name: "elementary",
    what: "computes elementary functions and others by ops that the fabric has, where it has no unit",
    after: "no op that has a formula and no unit",
    needed: true,
    run: |func, _, target| {
        elementary::run(func, &target.expanded);
        Ok(())
    },
    holds: |func, target| elementary::holds(func, &target.expanded),
};

/// Switches to ifs.
pub static SWITCH: Pass = Pass {
    name: "switch",
    what: "turns switches into chains and trees of ifs",
    after: "no scf.index_switch",
    needed: true,
    run: |func, _, target| {
        normalize::switch::run(func, target.aim);
        Ok(())
    },
    holds: |func, _| !any(func, |kind| matches!(kind, Kind::IndexSwitch { .. })),
};

/// Fewer ops.
pub static SIMPLIFY: Pass = Pass {
    name: "simplify",
    what: "folds, merges, hoists and drops ops, and turns small ifs into selects",
    after: "literals at the top, each once; nothing without effect is unused",
    needed: false,
    run: |func, _, target| {
        normalize::simplify::run(func, target.index_width, target.aim);
        Ok(())
    },
    holds: |func, _| literals_on_top(func),
};

/// Fewer selectors.
pub static SELECTORS: Pass = Pass {
    name: "selectors",
    what: "asks what decides a selector, not the selector, and one number as few times as can be",
    after: "no result of an if that is its condition",
    needed: false,
    run: |func, _, target| {
        normalize::selectors::run(func, target.index_width, target.aim);
        Ok(())
    },
    holds: |func, _| normalize::selectors::holds(func),
};

/// Local words.
pub static REGISTERS: Pass = Pass {
    name: "registers",
    what: "makes values of memory that is a few words at known places",
    after: "no allocation of a few words that only loads and stores at known places touch",
    needed: false,
    run: |func, globals, target| {
        // Places may stand in tables.
        normalize::forward::read_tables(func, globals);
        normalize::registers::run(func, target.aim, target.index_width);
        Ok(())
    },
    holds: |func, target| normalize::registers::holds(func, target.aim, target.index_width),
};

/// Tests to the start of loops.
pub static ROTATE: Pass = Pass {
    name: "rotate",
    what: "tests loops at their start that are tested at their end, where that is the same",
    after: "no while whose test is known to hold at first has its body before it",
    needed: false,
    run: |func, _, target| {
        normalize::rotate::run(func, target.index_width);
        Ok(())
    },
    holds: |func, _| !normalize::rotate::is_needed(func, loom_dfg::types::DEFAULT_INDEX_WIDTH),
};

/// Loops that count.
pub static COUNTED: Pass = Pass {
    name: "counted",
    what: "turns whiles that count into fors, and counts in index",
    after: "every scf.for counts in index",
    needed: true,
    run: |func, _, target| {
        normalize::counted::run(func, target);
        Ok(())
    },
    holds: |func, _| {
        edit::walk(func).into_iter().map(|op| func.op(op)).all(|op| {
            !matches!(op.kind, Kind::For { .. }) || func.ty(op.operands[0]).scalar() == Some(Type::Index)
        })
    },
};

/// Fewer carried numbers.
pub static INDUCTION: Pass = Pass {
    name: "induction",
    what: "gives what counted loops move by constants from their counters and bounds",
    after: "no loop in another one, with a cheap count, yields such a number",
    needed: false,
    run: |func, _, target| {
        normalize::induction::run(func, target.index_width);
        Ok(())
    },
    holds: |func, target| !normalize::induction::is_needed(func, target.index_width),
};

/// Fewer iterations.
pub static UNROLL: Pass = Pass {
    name: "unroll",
    what: "puts bodies of loops several times in the place of one: by hint, or for fewer ops",
    after: "no loop of known bounds runs once or never",
    needed: false,
    run: |func, globals, target| {
        if target.aim == Aim::Room {
            normalize::unroll::no_wishes(func);
        }
        normalize::small::mark(func, globals, target.index_width, target.aim);
        normalize::unroll::run(func, target.index_width, target.copies);
        Ok(())
    },
    holds: |func, _| !normalize::unroll::is_needed(func, loom_dfg::types::DEFAULT_INDEX_WIDTH),
};

/// Fewer accesses.
pub static IFCONVERT: Pass = Pass {
    name: "ifconvert",
    what: "takes accesses that both sides of an if make to one word out of it",
    after: "no if whose sides both begin with a load of one word, or end with a store to one",
    needed: false,
    run: |func, _, target| {
        normalize::ifconvert::run(func, target.aim);
        Ok(())
    },
    holds: |func, target| !normalize::ifconvert::is_needed(func, target.aim),
};

/// Fewer branches.
pub static LADDER: Pass = Pass {
    name: "ladder",
    what: "puts the sides of nested ifs behind each other, where that is fewer ops",
    after: "no tree of ifs that would be fewer ops so",
    needed: false,
    run: |func, _, target| {
        normalize::ladder::run(func, target.aim, target.index_width);
        Ok(())
    },
    holds: |func, target| !normalize::ladder::is_needed(func, target.aim),
};

/// Words that a loop looks at.
pub static OUTSIDE: Pass = Pass {
    name: "outside",
    what: "loads before a loop what it looks at whenever it begins, and does not change",
    after: "no such load in a loop",
    needed: false,
    run: |func, _, target| {
        normalize::outside::run(func, target.aim);
        Ok(())
    },
    holds: |func, target| !normalize::outside::is_needed(func, target.aim),
};

/// Words that a loop carries.
pub static PROMOTE: Pass = Pass {
    name: "promote",
    what: "keeps words that each iteration of a loop stores in values of the loop",
    after: "no loop that surely runs stores to one word that nothing else in it touches",
    needed: false,
    run: |func, _, target| {
        normalize::promote::run(func, target.aim);
        Ok(())
    },
    holds: |func, target| normalize::promote::holds(func, target.aim),
};

/// Words that an iteration hands on to the next.
pub static RECUR: Pass = Pass {
    name: "recur",
    what: "hands on what an iteration stores and the next one loads, where cycles matter",
    after: "no such load in a counting loop of a program compiled for speed",
    needed: false,
    run: |func, _, target| {
        normalize::recur::run(func, target.aim);
        Ok(())
    },
    holds: |func, target| !normalize::recur::is_needed(func, target.aim),
};

/// Words at places that a loop chooses.
pub static CHOSEN: Pass = Pass {
    name: "chosen",
    what: "carries what a loop loads at a place that it carries and chose, where cycles matter",
    after: "no such load in a counting loop of a program compiled for speed",
    needed: false,
    run: |func, _, target| {
        normalize::chosen::run(func, target.aim);
        Ok(())
    },
    holds: |func, target| !normalize::chosen::is_needed(func, target.aim),
};

/// Fewer accesses again.
pub static FORWARD: Pass = Pass {
    name: "forward",
    what: "takes words that are known from values, and drops stores that nobody sees",
    after: "no load of a word that is known, no store that is overwritten before it is seen",
    needed: false,
    run: |func, globals, _| {
        normalize::forward::read_tables(func, globals);
        normalize::forward::run(func);
        Ok(())
    },
    holds: |func, _| !normalize::forward::is_needed(func),
};

/// Fewer lanes.
pub static REROLL: Pass = Pass {
    name: "reroll",
    what: "makes loops of stores and copies at even distances, for room",
    after: "no three such accesses behind each other in a program compiled for room",
    needed: false,
    run: |func, _, target| {
        if target.aim == Aim::Room {
            normalize::reroll::run(func);
        }
        Ok(())
    },
    holds: |func, target| target.aim == Aim::Speed || normalize::reroll::holds(func),
};

/// Memory to words.
pub static FLATTEN: Pass = Pass {
    name: "flatten",
    what: "turns views and subscripts into arithmetic on words",
    after: "every access takes one word of an argument, allocation or global of rank 1",
    needed: true,
    run: |func, _, _| match normalize::flatten::run(func) {
        errors if errors.is_empty() => Ok(()),
        errors => Err(errors),
    },
    holds: |func, _| flat(func),
};

/// Arrays to banks.
pub static BANKS: Pass = Pass {
    name: "banks",
    what: "puts arrays on chip into banks, by hint",
    after: "no allocation with a hint whose words' banks are known",
    needed: false,
    run: |func, _, target| {
        if target.aim == Aim::Speed {
            normalize::banks::run(func);
        }
        Ok(())
    },
    holds: |func, target| target.aim == Aim::Room || normalize::banks::holds(func),
};

/// Narrow integers.
pub static WIDEN: Pass = Pass {
    name: "widen",
    what: "computes in 32 or 64 bits what depends on the width of other integers",
    after: "no op but a cast depends on the width of an integer of other than 32 and 64 bits",
    needed: false,
    run: |func, _, _| {
        normalize::widen::run(func);
        Ok(())
    },
    holds: |func, _| normalize::widen::holds(func),
};

/// Cheaper ops.
pub static REDUCE: Pass = Pass {
    name: "reduce",
    what: "takes cheaper ops: shifts and products for divisions, no negations, no casts back",
    after: "no scf.if is on a negation",
    needed: false,
    run: |func, _, target| {
        normalize::reduce::run(func, target);
        Ok(())
    },
    holds: |func, _| normalize::reduce::holds(func),
};

/// Sums off the way.
pub static BALANCE: Pass = Pass {
    name: "balance",
    what: "puts sums, products and bits together so that what a loop carries comes last",
    after: "no such tree, and no test of a sum, that would be there sooner in a recurrence",
    needed: false,
    run: |func, _, target| {
        normalize::balance::run(func, target.aim);
        Ok(())
    },
    holds: |func, target| !normalize::balance::is_needed(func, target.aim),
};

/// Guards around nests.
pub static GUARD: Pass = Pass {
    name: "guard",
    what: "puts an if around nests of loops with equal bounds, where that needs fewer ops",
    after: "the loops of such a nest surely run",
    needed: false,
    run: |func, _, _| {
        normalize::guard::run(func);
        Ok(())
    },
    holds: |func, _| flat(func),
};

/// The order of the passes.
pub static PIPELINE: [&Pass; 33] = [
    &STRUCTURE,
    &ELEMENTARY,
    &SWITCH,
    &SIMPLIFY,
    &SELECTORS,
    &REGISTERS,
    &SIMPLIFY,
    &OUTSIDE,
    &SIMPLIFY,
    &ROTATE,
    &COUNTED,
    &SIMPLIFY,
    &INDUCTION,
    &SIMPLIFY,
    &UNROLL,
    &IFCONVERT,
    &SIMPLIFY,
    &REGISTERS,
    &PROMOTE,
    &RECUR,
    &CHOSEN,
    &LADDER,
    &SIMPLIFY,
    &FORWARD,
    &REROLL,
    &FLATTEN,
    &BANKS,
    &SIMPLIFY,
    &WIDEN,
    &REDUCE,
    &BALANCE,
    &SIMPLIFY,
    &GUARD,
];

/// Those of the list from one up to another.
pub(crate) fn between(first: &Pass, next: &Pass) -> &'static [&'static Pass] {
    let at = |pass: &Pass| PIPELINE.iter().position(|p| std::ptr::eq(*p, pass)).expect("it is listed");
    &PIPELINE[at(first)..at(next)]
}

/// The pass of that name.
pub fn find(name: &str) -> Option<&'static Pass> {
    PIPELINE.into_iter().find(|p| p.name == name)
}

fn any(func: &Func, of: impl Fn(&Kind) -> bool) -> bool {
    edit::walk(func).into_iter().any(|op| of(&func.op(op).kind))
}

fn literals_on_top(func: &Func) -> bool {
    let top = func.body.and_then(|b| func.entry(b)).map_or(&[][..], |b| &func.block(b).ops);
    let is_literal = |&op: &_| matches!(func.op(op).kind, Kind::Constant(_));
    let count = top.iter().take_while(|op| is_literal(op)).count();
    let distinct: BTreeSet<_> = (top[..count].iter())
        .map(|&op| (edit::constant(func, func.result(op, 0)), func.ty(func.result(op, 0)).scalar()))
        .collect();
    distinct.len() == count && edit::walk(func).iter().filter(|op| is_literal(op)).count() == count
}

fn flat(func: &Func) -> bool {
    edit::walk(func).into_iter().map(|op| func.op(op)).all(|op| {
        let &[memref, ref subscripts @ ..] = op.address() else {
            return !normalize::flatten::vanishes(&op.kind);
        };
        let rank = func.ty(memref).memref().map(|m| m.shape.len());
        let is_root = domain::root(func, memref).is_some();
        rank == Some(1) && is_root && subscripts.len() == 1
    })
}
