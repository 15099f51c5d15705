//! `temporal_sw`: a switch that chooses the route by the token's tag.

use super::tags::duplicate_tags;
use super::{channel_in, channel_out, first_error, shape_hash, sticky, two_of, Channel, Config};
use crate::ir::{Expr, Module, Reg};
use loom_adg::layout::FieldKind;
use loom_adg::model::{Component, TemporalSw};
use loom_adg::HwError;
use std::sync::Arc;

/// The arbiter of one output.
struct Arbiter {
    pointer: Reg,
    lock: Reg,
}

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
    let inputs: Vec<Channel> = (0..sw.inputs).map(|i| channel_in(&mut m, &format!("in{i}"), sw.ty)).collect();
    let outputs: Vec<Channel> =
        (0..sw.outputs).map(|o| channel_out(&mut m, &format!("out{o}"), sw.ty)).collect();
    let config = Config::new(&mut m, &Component::TemporalSw(sw.clone()), 32);
    let error_code = m.output("error_code", 16);
    let busy = m.output("busy", 1);

    // Slots: (valid, tag) and routes[slot][output] as (input, bit).
    let mut table = Vec::new();
    let mut routes: Vec<Vec<Vec<(usize, Expr)>>> = Vec::new();
    let mut mixed = Vec::new();
    for slot in 0..sw.num_route_table {
        m.comment(&format!("Slot {slot}."));
        let valid = config.field(&mut m, &format!("slot{slot}_valid"), FieldKind::SlotValid(slot));
        let tag = config.field(&mut m, &format!("slot{slot}_tag"), FieldKind::SlotTag(slot));
        let mut of_slot = Vec::new();
        for (output, row) in sw.connectivity.iter().enumerate() {
            let bits: Vec<(usize, Expr)> = (0..row.len())
                .filter(|&input| row[input])
                .map(|input| {
                    let kind = FieldKind::SlotRoute { slot, output, input };
                    (input, config.field(&mut m, &format!("slot{slot}_o{output}_i{input}"), kind))
                })
                .collect();
            let all: Vec<Expr> = bits.iter().map(|(_, b)| b.clone()).collect();
            if all.len() > 1 {
                mixed.push(m.wire(&format!("slot{slot}_o{output}_mixed"), valid.and(&two_of(&all))));
            }
            of_slot.push(bits);
        }
        table.push((valid, tag));
        routes.push(of_slot);
    }

    // Per input: which slot its tag hits (the lowest), and which outputs it wants.
    let mut hits = Vec::new();
    let mut wants: Vec<Vec<Option<Expr>>> = vec![vec![None; sw.inputs]; sw.outputs];
    for (i, input) in inputs.iter().enumerate() {
        m.comment(&format!("Input {i}: the lowest slot with its tag."));
        let mut earlier = Expr::zero(1);
        let mut chosen = Vec::new();
        for (slot, (valid, tag)) in table.iter().enumerate() {
            let same = m.wire(&format!("in{i}_tag_is{slot}"), valid.and(&tag.eq(&input.tag)));
            chosen.push(m.wire(&format!("in{i}_slot{slot}"), same.and(&earlier.not())));
            earlier = earlier.or(&same);
        }
        hits.push(m.wire(&format!("in{i}_hit"), Expr::any_of(&chosen)));
        for (o, row) in wants.iter_mut().enumerate() {
            if !sw.connectivity[o][i] {
                continue;
            }
            let routed: Vec<Expr> = (0..sw.num_route_table)
                .filter_map(|s| Some(chosen[s].and(&routes[s][o].iter().find(|(k, _)| *k == i)?.1)))
                .collect();
            row[i] = Some(m.wire(&format!("want_o{o}_i{i}"), input.valid.and(&Expr::any_of(&routed))));
        }
    }

    let mut dones: Vec<Vec<Option<Reg>>> = Vec::new();
    let mut fires: Vec<Vec<Option<Expr>>> = Vec::new();
    let index_bits = loom_base::choice_bits(sw.inputs);
    for (o, out) in outputs.iter().enumerate() {
        m.comment(&format!("Output {o}: pointer_o{o}_q is looked at first; locked while its token waits."));
        let arbiter = Arbiter {
            pointer: m.reg(&format!("pointer_o{o}_q"), index_bits, 0u32),
            lock: m.reg(&format!("lock_o{o}_q"), 1, 0u32),
        };
        let row: Vec<Option<Reg>> = (0..sw.inputs)
            .map(|i| wants[o][i].as_ref().map(|_| m.reg(&format!("done_o{o}_i{i}_q"), 1, 0u32)))
            .collect();
        let requests: Vec<Option<Expr>> = (0..sw.inputs)
            .map(|i| {
                let want = wants[o][i].clone()?;
                let done = row[i].as_ref()?.q.clone();
                Some(m.wire(&format!("request_o{o}_i{i}"), want.and(&done.not())))
            })
            .collect();
        let grants = grants(&mut m, o, &arbiter, &requests);
        let offers: Vec<Expr> =
            grants.iter().zip(&requests).filter_map(|(g, r)| Some(g.and(r.as_ref()?))).collect();
        m.drive(&out.valid, Expr::any_of(&offers));
        let choose = |field: &dyn Fn(&Channel) -> Expr, width: u32| {
            let choices: Vec<(Expr, Expr)> = grants.iter().cloned().zip(inputs.iter().map(field)).collect();
            Expr::onehot_mux(width, &choices)
        };
        m.drive(&out.data, choose(&|c| c.data.clone(), sw.ty.width));
        m.drive(&out.tag, choose(&|c| c.tag.clone(), sw.ty.tag));
        let takes = m.wire(&format!("takes_o{o}"), out.valid.and(&out.ready));
        fires.push(
            (0..sw.inputs)
                .map(|i| {
                    requests[i].as_ref().map(|_| m.wire(&format!("fire_o{o}_i{i}"), takes.and(&grants[i])))
                })
                .collect(),
        );
        let number = |i: usize| Expr::konst(index_bits, (i % sw.inputs) as u64);
        if index_bits > 0 {
            let pick = |shift: usize| {
                let choices: Vec<(Expr, Expr)> =
                    grants.iter().enumerate().map(|(i, g)| (g.clone(), number(i + shift))).collect();
                Expr::onehot_mux(index_bits, &choices)
            };
            let next = out.ready.mux(&pick(1), &pick(0));
            m.next(&arbiter.pointer, Some(out.valid.clone()), next);
        }
        m.next(&arbiter.lock, Some(out.valid.clone()), out.ready.not());
        dones.push(row);
    }

    let mut unrouted = Vec::new();
    let mut missed = Vec::new();
    let failed_match = sticky(&mut m, "no_match_q");
    let failed_route = sticky(&mut m, "no_route_q");
    let failed = m.wire("failed", failed_match.q.or(&failed_route.q));
    let mut held = Vec::new();
    for (i, input) in inputs.iter().enumerate() {
        m.comment(&format!("Input {i}: its token leaves when every output it wants has taken it."));
        let mut wanted = Vec::new();
        let mut all = Vec::new();
        for o in 0..sw.outputs {
            if let (Some(want), Some(done), Some(fire)) = (&wants[o][i], &dones[o][i], &fires[o][i]) {
                wanted.push(want.clone());
                all.push(want.not().or(&done.q.or(fire)));
            }
        }
        let wanted = m.wire(&format!("wanted_i{i}"), Expr::any_of(&wanted));
        m.drive(&input.ready, Expr::all_of(&[wanted.clone(), Expr::all_of(&all), failed.not()]));
        missed.push(input.valid.and(&hits[i].not()));
        unrouted.push(Expr::all_of(&[input.valid.clone(), hits[i].clone(), wanted.not()]));
        let leaves = m.wire(&format!("leaves_i{i}"), input.valid.and(&input.ready));
        for o in 0..sw.outputs {
            if let (Some(done), Some(fire)) = (&dones[o][i], &fires[o][i]) {
                m.next(done, None, done.q.or(fire).and(&leaves.not()));
                held.push(done.q.clone());
            }
        }
    }
    m.next(&failed_match, None, failed_match.q.or(&Expr::any_of(&missed)));
    m.next(&failed_route, None, failed_route.q.or(&Expr::any_of(&unrouted)));
    let twice = duplicate_tags(&mut m, &table);
    let errors = [
        (Expr::any_of(&mixed), HwError::CfgTemporalSwRouteMix),
        (twice, HwError::CfgTemporalSwDupTag),
        (failed_match.q.clone(), HwError::RtTemporalSwNoMatch),
        (failed_route.q.clone(), HwError::RtTemporalSwUnroutedInput),
    ];
    m.drive(&error_code, first_error(&errors));
    m.drive(&busy, Expr::any_of(&held));
    m.finish()
}

/// One grant bit for each input: the locked one, else the first request from the pointer on, round the corner.
fn grants(m: &mut Module, o: usize, arbiter: &Arbiter, requests: &[Option<Expr>]) -> Vec<Expr> {
    let n = requests.len();
    let is_pointer = |i: usize| super::is_choice(&arbiter.pointer.q, i);
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
