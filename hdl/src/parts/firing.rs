//! When a plain body fires: once for all its inputs and outputs, after the interval of the firing before.
//!
//! A body of latency 0 is combinational; of a larger one the logic is cut into stages ([`crate::stages`]). Adds the output `busy`
//! where it holds anything.

use crate::ir::{Expr, Module, Reg};
use crate::stages::{self, Body};
use crate::Channel;

/// What computes: data of the inputs and settings, to data of the outputs.
pub(super) type Compute<'a> = dyn Fn(&mut Module, &[Expr], &[Expr]) -> Vec<Expr> + 'a;

/// A body's handshakes.
pub(super) struct Firing<'a> {
    /// Cycles from firing to result.
    pub latency: usize,
    /// Cycles between firings, at least 1.
    pub interval: u32,
    pub inputs: &'a [Channel],
    /// By input: whether the body needs it, in configuration. One that it does not need is not waited for and never ready.
    pub needed: &'a [Expr],
    pub outputs: &'a [Channel],
    /// Configuration that the body looks at, by name.
    pub settings: &'a [(&'a str, Expr)],
}

/// What stands at the outputs of a body: a token, and that it is gone after this cycle.
struct Shown {
    offered: Expr,
    leaves: Expr,
}

/// Levels of registers between firing and outputs. Gives `fire` its value; says besides when a token arrives in each.
fn pipeline(
    m: &mut Module,
    depth: usize,
    may_fire: &Expr,
    fire: &Expr,
    all_taken: &Expr,
    held: &mut Vec<Expr>,
) -> (Shown, Vec<Expr>) {
    m.comment("A pipeline: a stage moves on when the next is empty or moves on itself.");
    let full: Vec<_> = (1..=depth).map(|j| m.reg(&format!("full{j}_q"), 1, 0u32)).collect();
    held.extend(full.iter().map(|f| f.q.clone()));
    let mut moves = vec![Expr::zero(1); depth];
    moves[depth - 1] = m.wire(&format!("moves{depth}"), full[depth - 1].q.and(all_taken));
    for j in (0..depth - 1).rev() {
        let free = full[j + 1].q.not().or(&moves[j + 1]);
        moves[j] = m.wire(&format!("moves{}", j + 1), full[j].q.and(&free));
    }
    m.drive(fire, may_fire.and(&full[0].q.not().or(&moves[0])));
    let leaves = moves[depth - 1].clone();
    let arrives: Vec<Expr> = std::iter::once(fire).chain(&moves[..depth - 1]).cloned().collect();
    for (j, arrives) in arrives.iter().enumerate() {
        m.next(&full[j], None, arrives.or(&full[j].q.and(&moves[j].not())));
    }
    (Shown { offered: full[depth - 1].q.clone(), leaves }, arrives)
}

impl Firing<'_> {
    /// Builds it into a module that has the channels.
    pub fn build(self, m: &mut Module, compute: &Compute) {
        let combinational = (self.latency == 0).then(|| {
            m.comment("Results, from the inputs of this cycle.");
            let data: Vec<Expr> = self.inputs.iter().map(|c| c.data.clone()).collect();
            let settings: Vec<Expr> = self.settings.iter().map(|(_, value)| value.clone()).collect();
            compute(m, &data, &settings)
        });
        let cut = combinational.is_none().then(|| self.body(compute));
        let valids: Vec<Expr> =
            self.inputs.iter().zip(self.needed).map(|(c, needed)| c.valid.or(&needed.not())).collect();
        let all = m.wire("all_valid", Expr::all_of(&valids));
        let mut held: Vec<Expr> = Vec::new();
        let counter = self.counter(m);
        let may_fire = match &counter {
            Some(c) => {
                held.push(c.q.reduce_or());
                all.and(&c.q.reduce_or().not())
            }
            None => all,
        };
        let fire = m.declare("fire", 1);
        // With several outputs each takes its copy once.
        let dones: Vec<Reg> = (0..self.outputs.len())
            .filter(|_| self.outputs.len() > 1)
            .map(|o| {
                let done = m.reg(&format!("done{o}_q"), 1, 0u32);
                held.push(done.q.clone());
                done
            })
            .collect();
        let done = |o: usize| dones.get(o).map_or(Expr::zero(1), |d: &Reg| d.q.clone());
        let taken: Vec<Expr> = self.outputs.iter().enumerate().map(|(o, c)| done(o).or(&c.ready)).collect();
        let all_taken = m.wire("all_taken", Expr::all_of(&taken));

        let (shown, values) = match (combinational, cut) {
            (Some(values), _) => {
                m.drive(&fire, may_fire.and(&all_taken));
                (Shown { offered: may_fire, leaves: fire.clone() }, values)
            }
            (None, cut) => {
                let (body, names) = cut.expect("a body that is not combinational is cut");
                let (shown, arrives) = pipeline(m, self.latency, &may_fire, &fire, &all_taken, &mut held);
                let inputs: Vec<(&str, Expr)> = names.iter().map(|(n, v)| (n.as_str(), v.clone())).collect();
                (shown, stages::cut(m, body, &inputs, &arrives))
            }
        };
        for (o, out) in self.outputs.iter().enumerate() {
            m.drive(&out.valid, shown.offered.and(&done(o).not()));
            m.drive(&out.data, values[o].clone());
        }
        for (o, done) in dones.iter().enumerate() {
            m.next(done, None, done.q.or(&self.outputs[o].moves()).and(&shown.leaves.not()));
        }
        for (input, needed) in self.inputs.iter().zip(self.needed) {
            m.drive(&input.ready, fire.and(needed));
        }
        if let Some(c) = counter {
            let width = c.q.width();
            let down = c.q.reduce_or().mux(&c.q.sub(&Expr::konst(width, 1u32)), &c.q);
            m.next(&c, None, fire.mux(&Expr::konst(width, self.interval - 1), &down));
        }
        if !held.is_empty() {
            m.assign_output("busy", Expr::any_of(&held));
        }
    }

    /// The interval counter: no firing until it is back at 0.
    fn counter(&self, m: &mut Module) -> Option<Reg> {
        (self.interval > 1).then(|| {
            m.comment("Cycles until the next firing; loaded on firing.");
            m.reg("counter_q", loom_base::choice_bits(self.interval as usize), 0u32)
        })
    }

    /// The body in a module of its own, its results there, and the names of its inputs with what they are here.
    fn body(&self, compute: &Compute) -> (Body, Vec<(String, Expr)>) {
        let mut module = Module::new("body");
        let data = self.inputs.iter().enumerate().map(|(i, c)| (format!("in{i}_data"), c.data.clone()));
        let settings = self.settings.iter().map(|(name, value)| (name.to_string(), value.clone()));
        let names: Vec<(String, Expr)> = data.chain(settings).collect();
        let ports: Vec<Expr> = names.iter().map(|(name, value)| module.input(name, value.width())).collect();
        let (data, settings) = ports.split_at(self.inputs.len());
        let results = compute(&mut module, data, settings);
        (Body { module, results }, names)
    }
}
