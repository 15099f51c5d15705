//! Queues by lane, and the choice among lanes.

use crate::ir::{Expr, Module, Reg};
use crate::parts::{is_choice, out_of_range};
use crate::Channel;
use loom_adg::model::MemoryInterface;
use loom_base::choice_bits;
use std::sync::Arc;

/// `depth` entries for each lane. One entry comes and one goes in a cycle, of any lanes.
///
/// Ports: `push push_lane push_data pop pop_lane` in; `has` and `room`, a bit for each lane, and `head`, the oldest
/// entry of `pop_lane`, out. `push` only where there is room, `pop` only where there is an entry. An entry shows one
/// cycle after it came. Of width 0 it is a count.
pub(super) fn lane_queues(lanes: usize, depth: usize, width: u32) -> Arc<Module> {
    let mut m = Module::new(format!("loom_lanes_l{lanes}_d{depth}_w{width}"));
    m.doc(&format!(
        "Queues of {depth} entries for {lanes} lanes; one entry comes and one goes in a cycle. Push only where there\n\
         is room, pop only where there is an entry; `head` is the oldest entry of `pop_lane`."
    ));
    let index_bits = choice_bits(lanes);
    let push = m.input("push", 1);
    let push_lane = m.input("push_lane", index_bits);
    let push_data = m.input("push_data", width);
    let pop = m.input("pop", 1);
    let pop_lane = m.input("pop_lane", index_bits);
    let has = m.output("has", lanes as u32);
    let room = m.output("room", lanes as u32);
    let head = m.output("head", width);
    let (mut some, mut free) = (Vec::new(), Vec::new());
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let count_bits = choice_bits(depth + 1);
    let place_bits = choice_bits(depth);
    for l in 0..lanes {
        m.comment(&format!("Lane {l}."));
        let enters = m.wire(&format!("enters{l}"), push.and(&is_choice(&push_lane, l)));
        let leaves = m.wire(&format!("leaves{l}"), pop.and(&is_choice(&pop_lane, l)));
        let count = m.reg(&format!("count{l}_q"), count_bits, 0u32);
        counter(&mut m, &count, &enters, &leaves);
        some.push(count.q.reduce_or());
        free.push(count.q.eq_const(depth as u64).not());
        if width > 0 {
            let write = m.reg(&format!("write{l}_q"), place_bits, 0u32);
            m.next(&write, Some(enters), after(&write.q, depth));
            let read = m.reg(&format!("read{l}_q"), place_bits, 0u32);
            m.next(&read, Some(leaves), after(&read.q, depth));
            writes.push(write.q);
            reads.push(read.q);
        }
    }
    some.reverse();
    free.reverse();
    m.drive(&has, Expr::concat(&some));
    m.drive(&room, Expr::concat(&free));
    if width > 0 {
        m.comment("The entries of all lanes in one memory.");
        let words = if lanes == 1 { depth as u32 } else { (lanes as u32) << place_bits };
        let entries = m.memory("entries", words, width);
        let place =
            |lane: &Expr, of: &[Expr]| Expr::concat(&[lane.clone(), Expr::select(place_bits, lane, of)]);
        m.mem_write(&entries, push, place(&push_lane, &writes), push_data);
        let word = m.mem_read("word", &entries, place(&pop_lane, &reads));
        // Behind the last lane there are no words, and what a simulator reads there is unknown.
        let beyond = out_of_range(&pop_lane, lanes);
        m.drive(&head, beyond.mux(&Expr::zero(width), &word));
    }
    m.finish()
}

/// Adds the lanes of a [`lane_queues`], which it has no ports for when there is one lane.
pub(super) fn with_lanes<'a>(rest: &[(&'a str, Expr)], push: &Expr, pop: &Expr) -> Vec<(&'a str, Expr)> {
    let mut all: Vec<(&str, Expr)> = rest.to_vec();
    all.push(("push_lane", push.clone()));
    all.push(("pop_lane", pop.clone()));
    all
}

/// A register that counts up and down.
pub(super) fn counter(m: &mut Module, count: &Reg, up: &Expr, down: &Expr) {
    let one = Expr::konst(count.q.width(), 1u32);
    let value = up.mux(&count.q.add(&one), &count.q.sub(&one));
    m.next(count, Some(up.xor(down)), value);
}

/// The number after `index`, 0 after the last of `count`.
pub(super) fn after(index: &Expr, count: usize) -> Expr {
    let bits = index.width();
    if bits == 0 {
        return index.clone();
    }
    let next = index.add(&Expr::konst(bits, 1u32));
    if count.is_power_of_two() {
        next
    } else {
        index.eq_const(count as u64 - 1).mux(&Expr::zero(bits), &next)
    }
}

/// A choice among lanes.
pub(super) struct First {
    /// A bit for each lane, one of them set; none where no lane asks. They are there before the number, and so choose what is
    /// chosen.
    pub lanes: Expr,
    /// The number of its lane; anything where no lane asks.
    pub number: Expr,
}

/// The first set bit from `pointer` on, round the corner.
pub(super) fn first_from(m: &mut Module, name: &str, bits: &Expr, pointer: &Expr) -> First {
    let count = bits.width();
    if pointer.width() == 0 {
        return First { lanes: Expr::ones(1), number: pointer.clone() };
    }
    let from = m.wire(&format!("{name}_from"), Expr::ones(count).shl(pointer));
    // Lane l comes after those below it, of these after those from the pointer on alone if it is one of them; else after all of those too. What
    // the pointer says is there before the lanes ask.
    let is_first = |l: u32| {
        let below = Expr::ones(l).zext(count);
        let before = from.bit(l).mux(&from.and(&below), &from.or(&below));
        bits.bit(l).and(&bits.and(&before).reduce_or().not())
    };
    let chosen =
        m.wire(&format!("{name}_first"), Expr::concat(&(0..count).rev().map(is_first).collect::<Vec<_>>()));
    let numbers: Vec<(Expr, Expr)> =
        (0..count).map(|l| (chosen.bit(l), Expr::konst(pointer.width(), l))).collect();
    First { number: Expr::onehot_mux(pointer.width(), &numbers), lanes: chosen }
}

/// `bit` for the lane it is of.
pub(super) fn by_lane(bit: &Expr, lane: &Expr, lanes: usize) -> Vec<Expr> {
    let lane = lane.resize(choice_bits(lanes));
    (0..lanes).map(|l| bit.and(&is_choice(&lane, l))).collect()
}

/// One kind of result on its way out.
pub(super) struct Output<'a> {
    pub spec: &'a MemoryInterface,
    pub lanes: usize,
    /// A result comes in this cycle.
    pub arrives: Expr,
    /// Its lane.
    pub lane: Expr,
}

impl Output<'_> {
    /// Builds it, and gives by lane whether a token leaves in this cycle.
    pub fn build(&self, m: &mut Module, name: &str, out: &[Channel], data: &Expr) -> Vec<Expr> {
        m.comment(&format!("Results of {name}."));
        if self.spec.tag > 0 {
            return self.shared(m, name, &out[0], data);
        }
        let arrives = by_lane(&self.arrives, &self.lane, self.lanes);
        (out.iter().zip(arrives).enumerate())
            .map(|(lane, (out, arrives))| self.own(m, name, lane, out, arrives, data))
            .collect()
    }

    /// A lane's own port, behind a queue. That of a scratchpad falls through when it is empty; an answer of AXI always
    /// enters it, so that no path leads from the port's inputs into the fabric (H12).
    fn own(
        &self,
        m: &mut Module,
        name: &str,
        lane: usize,
        out: &Channel,
        arrives: Expr,
        data: &Expr,
    ) -> Expr {
        let name = if self.lanes > 1 { format!("{name}{lane}") } else { name.to_string() };
        let arrives = m.wire(&format!("{name}_arrives"), arrives);
        let (push, pop) = (m.declare(&format!("{name}_push"), 1), m.declare(&format!("{name}_pop"), 1));
        let queue = m.instance(
            &format!("{name}_queues"),
            &lane_queues(1, self.spec.queue, data.width()),
            &[("push", push.clone()), ("push_data", data.clone()), ("pop", pop.clone())],
        );
        m.unused(&queue.out("room"));
        let has = queue.out("has");
        if self.spec.is_external() {
            m.drive(&out.valid, has.clone());
            m.drive(&out.data, queue.out("head"));
            m.drive(&push, arrives);
        } else {
            m.drive(&out.valid, has.or(&arrives));
            m.drive(&out.data, has.mux(&queue.out("head"), data));
            m.drive(&push, arrives.and(&has.or(&out.ready.not())));
        }
        m.drive(&pop, has.and(&out.ready));
        m.wire(&format!("{name}_leaves"), out.valid.and(&out.ready))
    }

    /// A port that the lanes share: a tag tells whose token it shows, and they take turns.
    fn shared(&self, m: &mut Module, name: &str, out: &Channel, data: &Expr) -> Vec<Expr> {
        let lanes = self.lanes;
        let queues = lane_queues(lanes, self.spec.queue, data.width());
        let pop = m.declare(&format!("{name}_pop"), 1);
        let index = m.declare(&format!("{name}_lane"), choice_bits(lanes));
        let queues = m.instance(
            &format!("{name}_queues"),
            &queues,
            &with_lanes(
                &[("push", self.arrives.clone()), ("push_data", data.clone()), ("pop", pop.clone())],
                &self.lane,
                &index,
            ),
        );
        m.unused(&queues.out("room"));
        let has = queues.out("has");
        let leaves = m.wire(&format!("{name}_leaves"), out.valid.and(&out.ready));
        m.drive(&out.valid, has.reduce_or());
        m.drive(&out.data, queues.out("head"));
        m.drive(&out.tag, index.resize(out.tag.width()));
        m.drive(&pop, leaves.clone());
        if lanes > 1 {
            // A token that waits keeps the pointer on its lane, and a lane's head does not go by itself: so the
            // contract's lock needs no register.
            let pointer = m.reg(&format!("{name}_pointer_q"), index.width(), 0u32);
            let first = first_from(m, name, &has, &pointer.q);
            // Number 0 has no bits to add.
            m.unused(&first.lanes.bit(0));
            m.drive(&index, first.number);
            m.next(&pointer, Some(out.valid.clone()), out.ready.mux(&after(&index, lanes), &index));
        }
        by_lane(&leaves, &index, lanes)
    }
}
