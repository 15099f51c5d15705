//! Deadlock certificates: can the configured fabric stop for lack of room where the graph itself would go on?
//!
//! # What is asked
//!
//! A graph with unlimited channels gives some tokens for some stimulus. The fabric has few entries: output buffers and
//! links of two, FIFOs of their depth, pipelines of their stages, memory queues, and nothing at all between units that
//! are joined combinationally. *Deadlock* is a state from which the fabric goes no further although the graph would.
//! The verdict is about every stimulus under which the graph itself ends with nothing left over, every stall at the
//! boundary, every memory latency. Run-time errors (a step of zero, an address out of range) and loops that never end
//! are outside of it.
//!
//! # Why time does not matter
//!
//! Every element of the mapped graph (`net`) is determinate: what it takes next is fixed by what it took before.
//! State machines and `mux` name the one input they wait for, `cond_br` the one output; a join waits for all; an eager
//! fork gives every branch its copy once, in any order, and lets go when all have it; a place that becomes free is a
//! token that runs backwards. So nothing that can happen is ever taken away by something else (the system is
//! persistent), and by confluence all complete runs on one stimulus do the same things: if one of them ends well, all
//! do. What hardware merges (a carry takes the false condition and the next seed in one cycle) is two such things at
//! once. So are stalls, latencies and intervals: they only put things off.
//!
//! Lanes of an interface take turns, which only puts a request off: each has ports, queues and room of its own. Lanes that
//! share a port would not be so; no mapping has them ([`crate::model::memory`]). Nor would values that share a tagged channel:
//! which token comes first into their queue decides for good what waits behind what. The checker takes no such mapping.
//!
//! # Why few states are enough
//!
//! By confluence one schedule for each run of *choices* is enough, and the laziest one has the fewest states: all
//! elements step until nothing moves; then one choice is made, of the innermost loop first; only when there is none,
//! every argument that can take one gives its next token. Tokens carry no data but what somebody decides by, so
//! choices are: whether a stream goes on (its first answer is
//! forced where the proof of balance knows that the loop runs), what a comparison, a word of
//! memory or an argument says where it reaches a condition or selector. Conditions that pass `carry`, `invariant`,
//! `gate`, `mux` and `cond_br` keep their value. One iteration runs at a time, so the states are about as many as
//! places in the program times ways its branches can go; both ways of every choice are followed from every state, until
//! no state is new. Buffers are bounded: that ends.
//!
//! # What is found
//!
//! In a state at rest an element waits for a token (of an empty wire's producer) or for room (of a full wire's
//! consumer), always for all of what `machine::Machine::waits` names. A circle of such waits is stuck for good, whatever comes
//! later. If it has a wait for room, unlimited channels would have opened it. Conversely a run that ends early has
//! such a circle, or leads to an argument whose tokens are used up; then the graph has something left over too, and the
//! stimulus is none that counts. A circle stays when more arguments are given, so giving every argument the next token
//! whenever all rests loses none.
//!
//! So: no state with a circle means **certified**. Choices may contradict each other (two comparisons of the same
//! numbers), so a circle is only a suspicion. The graph is interpreted on small stimuli and the network follows the choices
//! that came; if it gets stuck, that is a **witness**, and by confluence the hardware gets stuck on it as well. Otherwise
//! the answer is **unknown**, with the choices on the way to the circle.

mod element;
mod islands;
mod machine;
mod net;
mod waits;

use crate::mapping::Mapping;
use element::{ElementId, Kind};
use loom_adg::Fabric;
use loom_base::{truncate, Rng};
use loom_dfg::interp::{self, Memories, Outcome, RunEnd};
use loom_dfg::{Graph, Type};
use machine::Machine;
use net::Network;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use waits::Wait;

/// Budgets.
#[derive(Clone, Copy, Debug)]
pub struct SearchBudget {
    /// States to look at before giving up.
    pub max_states: usize,
    /// Stimuli to try for a witness.
    pub tries: u32,
    /// Elements to look at, over all steps of them, before no more are tried.
    pub max_work: u64,
    /// Seed of those.
    pub seed: u64,
}

impl SearchBudget {
    /// What each mapping is worth before it is handed out: some milliseconds, as a rule.
    pub fn brief(max_states: usize) -> SearchBudget {
        SearchBudget { max_states, max_work: 25_000_000, ..Default::default() }
    }
}

impl Default for SearchBudget {
    fn default() -> Self {
        SearchBudget { max_states: 50_000, tries: 4000, max_work: 5_000_000_000, seed: 1 }
    }
}

/// Elements that are looked at in the time that the interpreter takes for a firing.
const FIRING: u64 = 16;

/// The answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// No stimulus makes the fabric stop short; this many states were looked at.
    Certified {
        /// Distinct states at rest.
        states: usize,
    },
    /// A stimulus makes it stop.
    CanDeadlock(Box<Witness>),
    /// Neither was shown.
    Unknown(Reason),
}

/// A run that gets stuck.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// Tokens of each argument of the graph.
    pub inputs: Vec<Vec<u64>>,
    /// Words of the memories before the run.
    pub memories: Memories,
    /// Who waits for whom: each waits for the next, the last for the first.
    pub circle: Vec<String>,
    /// The stimulus in words.
    pub text: String,
}

/// Why nothing was shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The network is not determinate, or not one this analysis follows.
    NotFollowed(String),
    /// More states than the budget.
    TooManyStates {
        /// The budget.
        max: usize,
        /// Choices that were open most often.
        choices: Vec<String>,
    },
    /// Some choices end in a circle, but no stimulus was found that makes them.
    Choices {
        /// The last choices before it.
        choices: Vec<String>,
        /// Who would wait for whom.
        circle: Vec<String>,
    },
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Certified { states } => write!(f, "deadlock: cannot happen ({states} states)"),
            Verdict::CanDeadlock(w) => {
                writeln!(f, "deadlock: can happen, for example with {}", w.text)?;
                write!(f, "{}", indented(&w.circle))
            }
            Verdict::Unknown(Reason::NotFollowed(why)) => write!(f, "deadlock: unknown, {why}"),
            Verdict::Unknown(Reason::TooManyStates { max, choices }) => write!(
                f,
                "deadlock: unknown after {max} states; choices most often open: {}",
                choices.join(", ")
            ),
            Verdict::Unknown(Reason::Choices { choices, circle }) => {
                writeln!(
                    f,
                    "deadlock: unknown, it depends on data; {} would lead to",
                    match choices.is_empty() {
                        true => "any run".to_string(),
                        false => choices.join(", "),
                    }
                )?;
                write!(f, "{}", indented(circle))
            }
        }
    }
}

fn indented(lines: &[String]) -> String {
    lines.iter().map(|l| format!("  {l}")).collect::<Vec<_>>().join("\n")
}

/// Analyses a legal mapping of a verified graph.
pub fn certify(graph: &Graph, fabric: &Fabric, mapping: &Mapping, options: &SearchBudget) -> Verdict {
    let net = match net::build(graph, fabric, mapping) {
        Ok(net) => net,
        Err(why) => return Verdict::Unknown(Reason::NotFollowed(why)),
    };
    // The search lets every condition be anything. So nothing found is a proof, and a circle is only a suspicion: no data may
    // make those choices.
    let suspicion = match explore(&net, options.max_states) {
        Found::Nothing(states) => return Verdict::Certified { states },
        Found::Lost => {
            let why = "the tokens of one step never came to rest".to_string();
            return Verdict::Unknown(Reason::NotFollowed(why));
        }
        found => found,
    };
    let activations = match &suspicion {
        Found::Circle { rounds, .. } => *rounds,
        _ => 3,
    };
    if let Some(witness) = witness(&net, graph, fabric, options, activations) {
        return Verdict::CanDeadlock(Box::new(witness));
    }
    Verdict::Unknown(match suspicion {
        Found::Circle { choices, circle, .. } => Reason::Choices { choices, circle },
        Found::TooMany(choices) => Reason::TooManyStates { max: options.max_states, choices },
        Found::Nothing(_) | Found::Lost => unreachable!("returned above"),
    })
}

/// Whether the fabric ends the run that the interpreter makes of this stimulus; else who waits for whom. `None` when
/// the interpreter does not end it with nothing left over, or the network is not followed.
pub fn replay(
    graph: &Graph,
    fabric: &Fabric,
    mapping: &Mapping,
    inputs: &[Vec<u64>],
    memories: &Memories,
) -> Option<Result<(), Vec<String>>> {
    let net = net::build(graph, fabric, mapping).ok()?;
    follow(&net, graph, fabric, inputs, memories, 10_000_000, &mut 0)
}

enum Found {
    /// All states were seen, so many.
    Nothing(usize),
    Circle {
        rounds: usize,
        choices: Vec<String>,
        circle: Vec<String>,
    },
    TooMany(Vec<String>),
    Lost,
}

/// One edge of the search: where it came from, and what was chosen.
struct Trail {
    before: usize,
    chosen: Option<(ElementId, u8)>,
}

/// A state that is not at rest yet: the choice to make in it, and the trail it comes from.
struct Open<'n> {
    machine: Machine<'n>,
    chosen: Option<(ElementId, u8)>,
    before: usize,
}

fn explore(net: &Network, max_states: usize) -> Found {
    // The innermost loop first, comparisons before streams: an iteration ends before the next begins.
    let mut choices: Vec<ElementId> =
        (0..net.elements.len()).filter(|&e| net.elements[e].choices > 0).collect();
    choices.sort_by_key(|&e| {
        let element = &net.elements[e];
        (std::cmp::Reverse(element.depth), matches!(element.kind, Kind::Stream), e)
    });
    let mut seen: HashSet<Box<[u8]>> = HashSet::new();
    let mut trails: Vec<Trail> = Vec::new();
    let mut often = vec![0usize; net.elements.len()];
    let mut todo = vec![Open { machine: Machine::new(net), chosen: None, before: 0 }];
    while let Some(Open { mut machine, chosen, before }) = todo.pop() {
        if let Some((e, value)) = chosen {
            machine.choose(e, value);
        }
        if !machine.settle() {
            return Found::Lost;
        }
        if !seen.insert(machine.encode()) {
            continue;
        }
        let here = trails.len();
        trails.push(Trail { before, chosen });
        // One choice at a time: tokens come in the same order whichever of several is made first.
        if let Some(&e) = choices.iter().find(|&&e| machine.open(e)) {
            if trails.len() > max_states {
                return Found::TooMany(most_often(net, &often));
            }
            often[e] += 1;
            // Taken from the end, so the first option is looked at first.
            for value in machine.options(e).rev() {
                todo.push(Open { machine: machine.clone(), chosen: Some((e, value)), before: here });
            }
            continue;
        }
        // Nothing moves and nothing is to be chosen: somebody waits for himself, or all is done that was begun.
        if let Some(circle) = machine.circle() {
            let (choices, rounds) = way(net, &trails, here);
            return Found::Circle { rounds, choices, circle: words(net, &circle) };
        }
        // All arguments at once: in a determinate network a token that comes earlier keeps nobody waiting.
        for k in 0..net.sources.len() {
            if machine.hungry(k) {
                machine.feed(k);
            }
        }
        todo.push(Open { machine, chosen: None, before: here });
    }
    Found::Nothing(seen.len())
}

/// The last choices on the way to a state, one for each value, and the activations begun.
fn way(net: &Network, trails: &[Trail], mut at: usize) -> (Vec<String>, usize) {
    let mut last: Vec<(ElementId, u8)> = Vec::new();
    let mut rounds = 0;
    loop {
        // From the state back to the start, so the nearest choice of each element is the one kept.
        match trails[at].chosen {
            Some((e, value)) if last.len() < 4 && last.iter().all(|&(other, _)| other != e) => {
                last.push((e, value));
            }
            Some(_) => {}
            None => rounds += 1,
        }
        if at == 0 {
            break;
        }
        at = trails[at].before;
    }
    let said = |&(e, value): &(ElementId, u8)| format!("{} = {value}", choice(net, e));
    (last.iter().map(said).collect(), rounds)
}

fn choice(net: &Network, e: ElementId) -> String {
    match net.elements[e].value {
        Some(v) => format!("`%{}`", net.graph.value(v).name),
        None => net.elements[e].name.clone(),
    }
}

fn most_often(net: &Network, often: &[usize]) -> Vec<String> {
    let mut list: Vec<ElementId> = (0..often.len()).filter(|&e| often[e] > 0).collect();
    list.sort_by_key(|&e| (std::cmp::Reverse(often[e]), e));
    list.truncate(3);
    list.into_iter().map(|e| choice(net, e)).collect()
}

/// A circle in words, one line for each channel on it.
fn words(net: &Network, circle: &[(ElementId, Wait)]) -> Vec<String> {
    circle
        .iter()
        .map(|&(e, wait)| {
            let wire = &net.wires[wait.wire];
            let value = &net.graph.value(wire.value).name;
            let who = &net.elements[e].name;
            match wait.room {
                true => format!("{who}: no room for `%{value}` towards {}", net.elements[wire.to].name),
                false => format!("{who}: no token of `%{value}` from {}", net.elements[wire.from].name),
            }
        })
        .collect()
}

/// Interprets small stimuli until one gets the network stuck.
fn witness(
    net: &Network,
    graph: &Graph,
    fabric: &Fabric,
    options: &SearchBudget,
    activations: usize,
) -> Option<Witness> {
    let mut rng = Rng::new(options.seed);
    let mut work = 0;
    for attempt in 0..options.tries {
        if work > options.max_work {
            break;
        }
        let count = if attempt % 2 == 0 { activations.clamp(1, 8) } else { 1 + rng.below(4) };
        // Small numbers make short loops, in which the end of one activation meets the beginning of the next.
        let most = [2, 8, 40][rng.below(3)];
        // Arguments of a graph in pieces come at rates of their own.
        let own = attempt % 4 == 3;
        let inputs: Vec<Vec<u64>> = (graph.arguments.iter())
            .map(|&v| {
                let ty = graph.value(v).ty;
                let count = if own { 1 + rng.below(10) } else { count };
                // Conditions end like those of a loop: once or more they are false at last.
                let last = count - 1 - rng.below(count);
                (0..count)
                    .map(|at| match ty {
                        Type::I1 if own => u64::from(at < last),
                        _ => token(&mut rng, ty, most, fabric.index_width()),
                    })
                    .collect()
            })
            .collect();
        let memories = contents(&mut rng, graph, fabric.index_width(), most);
        if let Some(Err(circle)) = follow(net, graph, fabric, &inputs, &memories, 20_000, &mut work) {
            let text = stimulus_text(graph, &inputs, &memories);
            return Some(Witness { inputs, memories, circle, text });
        }
    }
    None
}

fn token(rng: &mut Rng, ty: Type, most: i64, index_width: u32) -> u64 {
    match ty {
        Type::None => 0,
        _ => truncate(rng.between(0, most) as u64, ty.width(index_width)),
    }
}

/// Words behind argument memories: their size, or 64; small ones, which make good indices.
fn contents(rng: &mut Rng, graph: &Graph, index_width: u32, most: i64) -> Memories {
    let words =
        graph.memories.iter().filter(|m| matches!(m.place, loom_dfg::graph::MemoryPlace::Argument { .. }));
    let words = words
        .map(|m| {
            let count = m.words.unwrap_or(64).min(4096);
            (0..count).map(|_| token(rng, m.element, most, index_width)).collect()
        })
        .collect();
    Memories::new(graph, words)
}

fn stimulus_text(graph: &Graph, inputs: &[Vec<u64>], memories: &Memories) -> String {
    let list = |tokens: &[u64]| {
        let shown: Vec<String> = tokens.iter().take(8).map(u64::to_string).collect();
        format!("{}{}", shown.join(" "), if tokens.len() > 8 { " ..." } else { "" })
    };
    let mut parts = Vec::new();
    for (&v, tokens) in graph.arguments.iter().zip(inputs) {
        match graph.value(v).ty {
            Type::None => parts.push(format!("{} `{}`", tokens.len(), graph.value(v).name)),
            _ => parts.push(format!("`{}` = {}", graph.value(v).name, list(tokens))),
        }
    }
    for (m, binding) in graph.memories.iter().zip(&memories.bindings) {
        parts.push(format!("`{}` = {}", m.name, list(&memories.buffers[binding.buffer])));
    }
    parts.join(", ")
}

/// Runs the network with the choices that the interpreter makes.
fn follow(
    net: &Network,
    graph: &Graph,
    fabric: &Fabric,
    inputs: &[Vec<u64>],
    memories: &Memories,
    max_steps: u64,
    work: &mut u64,
) -> Option<Result<(), Vec<String>>> {
    let choices: Vec<ElementId> = (0..net.elements.len()).filter(|&e| net.elements[e].choices > 0).collect();
    let (golden, mut said) = oracle(net, graph, fabric, inputs, memories, (max_steps, work), &choices)?;
    let mut machine = Machine::new(net);
    let mut left: Vec<usize> = inputs.iter().map(Vec::len).collect();
    loop {
        if !machine.settle() {
            return None;
        }
        let mut any = false;
        for &e in &choices {
            if machine.open(e) {
                let Some(value) = said.get_mut(&e).and_then(VecDeque::pop_front) else { continue };
                machine.choose(e, value.min(net.elements[e].choices - 1));
                any = true;
            }
        }
        for (k, left) in left.iter_mut().enumerate() {
            if *left > 0 && machine.hungry(k) {
                machine.feed(k);
                *left -= 1;
                any = true;
            }
        }
        // Neither a choice nor an argument moved anything: this is how the run ends.
        if !any {
            break;
        }
    }
    *work += machine.work;
    let all = |k: usize| net.sources[k].is_none() || machine.accepted[k] == inputs[k].len() as u64;
    let complete = (0..inputs.len()).all(all)
        && golden.outputs.iter().zip(&machine.taken).all(|(tokens, &n)| tokens.len() as u64 == n);
    match (complete, machine.circle()) {
        (true, _) => Some(Ok(())),
        (false, Some(circle)) => Some(Err(words(net, &circle))),
        (false, None) => None,
    }
}

/// What the interpreter gives for each choice, in order.
#[allow(clippy::type_complexity)] // one caller
fn oracle(
    net: &Network,
    graph: &Graph,
    fabric: &Fabric,
    inputs: &[Vec<u64>],
    memories: &Memories,
    (max_steps, work): (u64, &mut u64),
    choices: &[ElementId],
) -> Option<(Outcome, HashMap<ElementId, VecDeque<u8>>)> {
    // Choices become outputs of the interpreted graph, which then says them in order.
    let mut watched = graph.clone();
    let first = watched.outputs.len();
    for (i, &e) in choices.iter().enumerate() {
        let name = &net.graph.value(net.elements[e].value?).name;
        let v = graph.values.iter().position(|v| v.name == *name)?;
        watched.add_output(format!("watched{i}"), loom_dfg::ValueId(v as u32));
    }
    let options =
        interp::InterpOptions { index_width: fabric.index_width(), max_steps, ..Default::default() };
    let mut memories = memories.clone();
    let mut outcome = interp::run_with_memories(&watched, inputs, &mut memories, &options);
    *work += FIRING * outcome.firings.iter().sum::<u64>();
    if outcome.stop != RunEnd::Quiet || !outcome.leftover.is_empty() {
        return None;
    }
    let values = outcome.outputs.split_off(first);
    let said = choices.iter().zip(values).map(|(&e, tokens)| {
        let short = |t: u64| t.min(u64::from(u8::MAX - 2)) as u8;
        (e, tokens.into_iter().map(short).collect())
    });
    let said = said.collect();
    Some((outcome, said))
}
