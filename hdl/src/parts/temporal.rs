//! `temporal_sw`: a switch that chooses the route by the token's tag.

use super::tags::duplicate_tags;
use super::{first_error, is_choice, shape_hash, sticky, two_of, Config};
use crate::ir::{Expr, Module, Reg};
use crate::Channel;
use loom_adg::layout::FieldKind;
use loom_adg::model::{Component, TemporalSw};
use loom_adg::HwError;
use std::sync::Arc;

/// A temporal switch. Ports: channels `in<i>`, `out<o>`; `cfg`; `error_code`; `busy`.
pub fn temporal_sw(sw: &TemporalSw) -> Arc<Module> {
    let full = sw.connectivity.iter().flatten().all(|&c| c);
    let hash = if full { String::new() } else { format!("_{}", shape_hash(sw)) };
    let mut m = Module::new(format!(
        "loom_temporal_sw_{}x{}_w{}_t{}_s{}{hash}",
        sw.inputs, sw.outputs, sw.ty.width, sw.ty.tag, sw.num_route_table
    ));
    m.doc(&format!(
        "Temporal switch, {} inputs, {} outputs, {} slots of (valid, tag, routes). A token takes the routes of the\n\
         slot that has its tag. Outputs arbitrate round robin among inputs; a grant whose token waits is locked, so\n\
         data does not change while it waits. Several routes are an eager fork with one done bit for each pair.\n\
         Errors: {} an output with two inputs in a slot, {} a tag in two slots, {} a tag without a slot, {} a\n\
         token whose slot has no route for it; after a run-time error no token is accepted until reset.",
        sw.inputs,
        sw.outputs,
        sw.num_route_table,
        HwError::CfgTemporalSwRouteMix.code(),
        HwError::CfgTemporalSwDupTag.code(),
        HwError::RtTemporalSwNoMatch.code(),
        HwError::RtTemporalSwUnroutedInput.code()
    ));
    let inputs = Channel::inputs(&mut m, "in", &vec![sw.ty; sw.inputs]);
    let outputs = Channel::outputs(&mut m, "out", &vec![sw.ty; sw.outputs]);
    let config = Config::new(&mut m, &Component::TemporalSw(sw.clone()), 32);
    let error_code = m.output("error_code", 16);
    let busy = m.output("busy", 1);
    let mut sw = Switch { m, sw, inputs, outputs };
    let slots = sw.slots(&config);
    let wants: Vec<Wants> = (0..sw.sw.inputs).map(|i| sw.wants(i, &slots)).collect();
    let pairs: Vec<Vec<Option<Pair>>> = (0..sw.sw.outputs).map(|o| sw.arbitrate(o, &wants)).collect();
    let failed = Failed::new(&mut sw.m);
    let ends: Vec<Ends> = (0..sw.sw.inputs).map(|i| sw.leave(i, &wants[i], &pairs, &failed.any)).collect();
    sw.errors(&slots, failed, &ends, &error_code);
    let held: Vec<Expr> = (0..sw.sw.inputs)
        .flat_map(|i| pairs.iter().filter_map(move |row| Some(row[i].as_ref()?.done.q.clone())))
        .collect();
    sw.m.drive(&busy, Expr::any_of(&held));
    sw.m.finish()
}

/// A temporal switch under construction.
struct Switch<'a> {
    m: Module,
    sw: &'a TemporalSw,
    inputs: Vec<Channel>,
    outputs: Vec<Channel>,
}

/// The slots of the table.
struct Slots {
    /// (valid, tag) of each.
    tags: Vec<(Expr, Expr)>,
    /// By slot and output: the inputs that may feed it with their bits.
    routes: Vec<Vec<Vec<(usize, Expr)>>>,
    /// Outputs with two inputs in one slot.
    mixed: Vec<Expr>,
}

/// What the token at an input asks for.
struct Wants {
    /// Some slot has its tag.
    hit: Expr,
    /// By output; `None` where nothing connects them.
    outputs: Vec<Option<Expr>>,
}

/// An input and an output that are connected.
struct Pair {
    want: Expr,
    /// The output has had its copy of the input's token.
    done: Reg,
    /// It takes it in this cycle.
    fire: Expr,
}

/// The arbiter of one output.
struct Arbiter {
    pointer: Reg,
    lock: Reg,
}

/// The run-time errors.
struct Failed {
    no_match: Reg,
    no_route: Reg,
    any: Expr,
}

impl Failed {
    fn new(m: &mut Module) -> Failed {
        let (no_match, no_route) = (sticky(m, "no_match_q"), sticky(m, "no_route_q"));
        let any = m.wire("failed", no_match.q.or(&no_route.q));
        Failed { no_match, no_route, any }
    }
}

/// What is wrong with the token at an input.
struct Ends {
    missed: Expr,
    unrouted: Expr,
}

impl Switch<'_> {
    fn slots(&mut self, config: &Config) -> Slots {
        let mut slots = Slots { tags: Vec::new(), routes: Vec::new(), mixed: Vec::new() };
        let m = &mut self.m;
        for slot in 0..self.sw.num_route_table {
            m.comment(&format!("Slot {slot}."));
            let valid = config.field(m, &format!("slot{slot}_valid"), FieldKind::SlotValid(slot));
            let tag = config.field(m, &format!("slot{slot}_tag"), FieldKind::SlotTag(slot));
            let mut of_slot = Vec::new();
            for (output, row) in self.sw.connectivity.iter().enumerate() {
                let bits: Vec<(usize, Expr)> = (0..row.len())
                    .filter(|&input| row[input])
                    .map(|input| {
                        let kind = FieldKind::SlotRoute { slot, output, input };
                        (input, config.field(m, &format!("slot{slot}_o{output}_i{input}"), kind))
                    })
                    .collect();
                let all: Vec<Expr> = bits.iter().map(|(_, b)| b.clone()).collect();
                if all.len() > 1 {
                    let two = valid.and(&two_of(&all));
                    slots.mixed.push(m.wire(&format!("slot{slot}_o{output}_mixed"), two));
                }
                of_slot.push(bits);
            }
            slots.tags.push((valid, tag));
            slots.routes.push(of_slot);
        }
        slots
    }

    /// Which slot an input's tag hits, the lowest, and which outputs it wants.
    fn wants(&mut self, i: usize, slots: &Slots) -> Wants {
        let (m, input) = (&mut self.m, &self.inputs[i]);
        m.comment(&format!("Input {i}: the lowest slot with its tag."));
        let mut earlier = Expr::zero(1);
        let mut chosen = Vec::new();
        for (slot, (valid, tag)) in slots.tags.iter().enumerate() {
            let same = m.wire(&format!("in{i}_tag_is{slot}"), valid.and(&tag.eq(&input.tag)));
            chosen.push(m.wire(&format!("in{i}_slot{slot}"), same.and(&earlier.not())));
            earlier = earlier.or(&same);
        }
        let hit = m.wire(&format!("in{i}_hit"), Expr::any_of(&chosen));
        let mut outputs = Vec::new();
        for o in 0..self.sw.outputs {
            let connected = self.sw.connectivity[o][i];
            outputs.push(connected.then(|| {
                let routed: Vec<Expr> = (chosen.iter().zip(&slots.routes))
                    .filter_map(|(c, slot)| Some(c.and(&slot[o].iter().find(|(k, _)| *k == i)?.1)))
                    .collect();
                m.wire(&format!("want_o{o}_i{i}"), input.valid.and(&Expr::any_of(&routed)))
            }));
        }
        Wants { hit, outputs }
    }

    /// One output: the choice among the inputs that want it, and what it shows.
    fn arbitrate(&mut self, o: usize, wants: &[Wants]) -> Vec<Option<Pair>> {
        let (m, out) = (&mut self.m, &self.outputs[o]);
        let inputs = self.sw.inputs;
        let index_bits = loom_base::choice_bits(inputs);
        m.comment(&format!("Output {o}: pointer_o{o}_q is looked at first; locked while its token waits."));
        let arbiter = Arbiter {
            pointer: m.reg(&format!("pointer_o{o}_q"), index_bits, 0u32),
            lock: m.reg(&format!("lock_o{o}_q"), 1, 0u32),
        };
        let mut dones: Vec<Option<Reg>> = Vec::new();
        for (i, w) in wants.iter().enumerate() {
            dones.push(w.outputs[o].as_ref().map(|_| m.reg(&format!("done_o{o}_i{i}_q"), 1, 0u32)));
        }
        let mut requests: Vec<Option<Expr>> = Vec::new();
        for (i, w) in wants.iter().enumerate() {
            let request = w.outputs[o].as_ref().zip(dones[i].as_ref());
            requests
                .push(request.map(|(want, d)| m.wire(&format!("request_o{o}_i{i}"), want.and(&d.q.not()))));
        }
        let grants = grants(m, o, &arbiter, &requests);
        let offers: Vec<Expr> =
            grants.iter().zip(&requests).filter_map(|(g, r)| Some(g.and(r.as_ref()?))).collect();
        m.drive(&out.valid, Expr::any_of(&offers));
        let choose = |field: &dyn Fn(&Channel) -> Expr, width: u32| {
            // Only what is connected: a way through the others, never taken, could close a loop all the same.
            let connected = grants.iter().zip(&self.inputs).zip(&requests).filter(|(_, r)| r.is_some());
            let choices: Vec<(Expr, Expr)> = connected.map(|((g, c), _)| (g.clone(), field(c))).collect();
            Expr::onehot_mux(width, &choices)
        };
        m.drive(&out.data, choose(&|c| c.data.clone(), self.sw.ty.width));
        m.drive(&out.tag, choose(&|c| c.tag.clone(), self.sw.ty.tag));
        let takes = m.wire(&format!("takes_o{o}"), out.moves());
        let mut pairs = Vec::new();
        for (i, done) in dones.into_iter().enumerate() {
            let want = wants[i].outputs[o].clone();
            pairs.push(want.zip(done).map(|(want, done)| {
                let fire = m.wire(&format!("fire_o{o}_i{i}"), takes.and(&grants[i]));
                Pair { want, done, fire }
            }));
        }
        arbiter.next(m, out, &grants);
        pairs
    }

    /// An input's token leaves when all that it wants have it.
    fn leave(&mut self, i: usize, wants: &Wants, pairs: &[Vec<Option<Pair>>], failed: &Expr) -> Ends {
        let (m, input) = (&mut self.m, &self.inputs[i]);
        m.comment(&format!("Input {i}: its token leaves when every output it wants has taken it."));
        let pairs: Vec<&Pair> = pairs.iter().filter_map(|row| row[i].as_ref()).collect();
        let wanted: Vec<Expr> = pairs.iter().map(|p| p.want.clone()).collect();
        let all: Vec<Expr> = pairs.iter().map(|p| p.want.not().or(&p.done.q.or(&p.fire))).collect();
        let wanted = m.wire(&format!("wanted_i{i}"), Expr::any_of(&wanted));
        m.drive(&input.ready, Expr::all_of(&[wanted.clone(), Expr::all_of(&all), failed.not()]));
        let missed = input.valid.and(&wants.hit.not());
        let unrouted = Expr::all_of(&[input.valid.clone(), wants.hit.clone(), wanted.not()]);
        let leaves = m.wire(&format!("leaves_i{i}"), input.moves());
        for pair in pairs {
            m.next(&pair.done, None, pair.done.q.or(&pair.fire).and(&leaves.not()));
        }
        Ends { missed, unrouted }
    }

    fn errors(&mut self, slots: &Slots, failed: Failed, ends: &[Ends], error_code: &Expr) {
        let m = &mut self.m;
        let Failed { no_match, no_route, .. } = failed;
        let missed: Vec<Expr> = ends.iter().map(|e| e.missed.clone()).collect();
        let unrouted: Vec<Expr> = ends.iter().map(|e| e.unrouted.clone()).collect();
        m.next(&no_match, None, no_match.q.or(&Expr::any_of(&missed)));
        m.next(&no_route, None, no_route.q.or(&Expr::any_of(&unrouted)));
        let twice = duplicate_tags(m, &slots.tags);
        let errors = [
            (Expr::any_of(&slots.mixed), HwError::CfgTemporalSwRouteMix),
            (twice, HwError::CfgTemporalSwDupTag),
            (no_match.q, HwError::RtTemporalSwNoMatch),
            (no_route.q, HwError::RtTemporalSwUnroutedInput),
        ];
        m.drive(error_code, first_error(&errors));
    }
}

impl Arbiter {
    /// A token that is taken moves the pointer behind its input; one that waits keeps it there, locked.
    fn next(&self, m: &mut Module, out: &Channel, grants: &[Expr]) {
        let (bits, inputs) = (self.pointer.q.width(), grants.len());
        if bits > 0 {
            let pick = |shift: usize| {
                let number = |i: usize| Expr::konst(bits, ((i + shift) % inputs) as u64);
                let choices: Vec<(Expr, Expr)> =
                    grants.iter().enumerate().map(|(i, g)| (g.clone(), number(i))).collect();
                Expr::onehot_mux(bits, &choices)
            };
            let next = out.ready.mux(&pick(1), &pick(0));
            m.next(&self.pointer, Some(out.valid.clone()), next);
        }
        m.next(&self.lock, Some(out.valid.clone()), out.ready.not());
    }
}

/// One grant bit for each input: the locked one, else the first request from the pointer on, round the corner.
fn grants(m: &mut Module, o: usize, arbiter: &Arbiter, requests: &[Option<Expr>]) -> Vec<Expr> {
    let n = requests.len();
    let is_pointer = |i: usize| is_choice(&arbiter.pointer.q, i);
    let request = |i: usize| requests[i].clone().unwrap_or(Expr::zero(1));
    // Requests at or above the pointer come first, then those below it.
    let high: Vec<Expr> = (0..n)
        .map(|i| {
            let above = Expr::any_of(&(0..=i).map(is_pointer).collect::<Vec<_>>());
            m.wire(&format!("high_o{o}_i{i}"), request(i).and(&above))
        })
        .collect();
    let any_high = m.wire(&format!("any_high_o{o}"), Expr::any_of(&high));
    let first = |bits: &[Expr], i: usize| bits[i].and(&Expr::any_of(&bits[..i]).not());
    let low: Vec<Expr> = (0..n).map(request).collect();
    (0..n)
        .map(|i| {
            let free = any_high.mux(&first(&high, i), &first(&low, i));
            m.wire(&format!("grant_o{o}_i{i}"), arbiter.lock.q.mux(&is_pointer(i), &free))
        })
        .collect()
}
