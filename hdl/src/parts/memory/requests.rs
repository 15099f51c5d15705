//! Requests of a memory interface: which lane's it is, where it goes, whether it is bad, and what is owed for it.

use super::queues::{after, counter, first_from, lane_queues, with_lanes};
use crate::ir::{Expr, Module, Reg};
use crate::parts::{out_of_range, sticky, Config};
use crate::Channel;
use loom_adg::layout::FieldKind;
use loom_adg::model::MemoryInterface;
use loom_adg::HwError;
use loom_base::choice_bits;

/// A region of the table.
pub(super) struct Region {
    /// Valid and not empty.
    pub(super) used: Expr,
    pub(super) start: Expr,
    pub(super) end: Expr,
    pub(super) offset: Expr,
    pub(super) size: Expr,
}

/// A request of this cycle.
pub(super) struct Request {
    /// Whether it is taken.
    pub(super) taken: Expr,
    /// Its lane: as wide as the tag, or as the lanes need.
    pub(super) lane: Expr,
    /// Its byte address below the memory's end.
    pub(super) address: Expr,
    /// log2 of the element's bytes.
    pub(super) size: Expr,
    /// The element at the low end; empty for a load.
    pub(super) data: Expr,
}

/// Run-time errors by code, each with the conditions that set it.
pub(super) struct Errors {
    pub(super) conditions: Vec<(HwError, Vec<Expr>)>,
    /// One has been set in an earlier cycle.
    pub(super) failed: Expr,
}

impl Errors {
    pub(super) fn add(&mut self, error: HwError, condition: Expr) {
        match self.conditions.iter_mut().find(|(e, _)| *e == error) {
            Some((_, all)) => all.push(condition),
            None => self.conditions.push((error, vec![condition])),
        }
    }

    /// A register for each code that can occur, smallest first.
    pub(super) fn registers(mut self, m: &mut Module) -> Vec<(Expr, HwError)> {
        m.comment("Errors: each code has a register; the smallest shows.");
        let mut set = Vec::new();
        self.conditions.sort_by_key(|(e, _)| e.code());
        for (error, conditions) in &self.conditions {
            let condition = Expr::any_of(conditions);
            if condition.as_const().is_some() {
                continue;
            }
            let q = sticky(m, &format!("error{}_q", error.code()));
            m.next(&q, None, q.q.or(&condition));
            set.push((q.q, *error));
        }
        let any: Vec<Expr> = set.iter().map(|(q, _)| q.clone()).collect();
        m.drive(&self.failed, Expr::any_of(&any));
        set
    }
}

pub(super) fn no_match(spec: &MemoryInterface) -> HwError {
    if spec.is_external() {
        HwError::RtExtmemoryNoMatch
    } else {
        HwError::RtMemoryNoMatch
    }
}

/// The region table, and the errors it can have, smallest code first.
pub(super) fn regions(
    m: &mut Module,
    spec: &MemoryInterface,
    config: &Config,
) -> (Vec<Region>, Vec<(Expr, HwError)>) {
    let mut table: Vec<Region> = Vec::new();
    let (mut overlaps, mut empties, mut wide) = (Vec::new(), Vec::new(), Vec::new());
    for r in 0..spec.regions {
        m.comment(&format!(
            "Region {r}: lanes from start up to end; it overlaps when one before it has one of them."
        ));
        let mut field = |what: &str, kind: FieldKind| config.field(m, &format!("region{r}_{what}"), kind);
        let valid = field("valid", FieldKind::RegionValid(r));
        let start = field("start", FieldKind::RegionStart(r));
        let end = field("end", FieldKind::RegionEnd(r));
        let offset = field("offset", FieldKind::RegionOffset(r));
        let size = field("size", FieldKind::RegionSize(r));
        let from = start.zext(17);
        let some = m.wire(&format!("region{r}_some"), from.ult(&end));
        empties.push(valid.and(&some.not()));
        if spec.word_size_log2() < 3 {
            wide.push(valid.and(&size.ugt(&Expr::konst(2, spec.word_size_log2()))));
        }
        let used = m.wire(&format!("region{r}_used"), valid.and(&some));
        let both: Vec<Expr> = (table.iter())
            .map(|o| Expr::all_of(&[o.used.clone(), from.ult(&o.end), o.start.zext(17).ult(&end)]))
            .collect();
        if !both.is_empty() {
            overlaps.push(m.wire(&format!("region{r}_overlaps"), used.and(&Expr::any_of(&both))));
        }
        table.push(Region { used, start, end, offset, size });
    }
    // Fields begin on words; the bits between them are nothing.
    let mut at = 0;
    for field in &config.layout.fields {
        m.unused(&config.bits.slice(at, field.low - at));
        at = field.low + field.width;
    }
    m.unused(&config.bits.slice(at, config.bits.width() - at));
    let (overlap, empty) = if spec.is_external() {
        (HwError::CfgExtmemoryOverlap, HwError::CfgExtmemoryEmpty)
    } else {
        (HwError::CfgMemoryOverlap, HwError::CfgMemoryEmpty)
    };
    let errors = vec![
        (Expr::any_of(&overlaps), overlap),
        (Expr::any_of(&empties), empty),
        (Expr::any_of(&wide), HwError::CfgMemoryElementSize),
    ];
    (table, errors)
}

/// A request before it is judged: its lane is below the lanes.
pub(super) struct Entry {
    pub(super) valid: Expr,
    pub(super) lane: Expr,
    pub(super) element: Expr,
    pub(super) data: Expr,
}

/// Finds the region and the byte address of a request, and takes it when nothing is wrong and it `may` be taken.
pub(super) fn take(
    m: &mut Module,
    spec: &MemoryInterface,
    kind: &str,
    regions: &[Region],
    entry: Entry,
    may: Expr,
    errors: &mut Errors,
) -> Request {
    let holds: Vec<Expr> = (regions.iter().enumerate())
        .map(|(r, region)| {
            let inside = if entry.lane.width() == 0 {
                region.start.reduce_or().not()
            } else {
                region.start.ule(&entry.lane.zext(16)).and(&entry.lane.zext(17).ult(&region.end))
            };
            m.wire(&format!("{kind}_in{r}"), region.used.and(&inside))
        })
        .collect();
    let hit = m.wire(&format!("{kind}_hit"), Expr::any_of(&holds));
    let of_region = |width: u32, field: &dyn Fn(&Region) -> Expr| {
        let choices: Vec<(Expr, Expr)> = holds.iter().cloned().zip(regions.iter().map(field)).collect();
        Expr::onehot_mux(width, &choices)
    };
    let offset = m.wire(&format!("{kind}_offset"), of_region(32, &|r| r.offset.clone()));
    let most = spec.word_size_log2();
    let size = if most == 0 {
        Expr::zero(2)
    } else {
        m.wire(&format!("{kind}_size"), of_region(2, &|r| r.size.clone()))
    };
    // One bit more than the wider of the two, so that nothing wraps.
    let width = (entry.element.width() + most).max(32) + 1;
    let scaled: Vec<Expr> =
        (0..=most).map(|k| Expr::concat(&[entry.element.clone(), Expr::zero(k)]).zext(width)).collect();
    let scaled = Expr::select(width, &size.slice(0, choice_bits(most as usize + 1)), &scaled);
    let sum = m.wire(&format!("{kind}_sum"), offset.zext(width).add(&scaled));
    let bits = address_bits(spec);
    let beyond = m.wire(&format!("{kind}_beyond"), sum.slice(bits, width - bits).reduce_or());
    // The low `size` bits are 0.
    let low: Vec<Expr> = (0..bits)
        .map(|b| if b < most { sum.bit(b).and(&size.ugt(&Expr::konst(2, b)).not()) } else { sum.bit(b) })
        .collect();
    let aligned = most.min(bits);
    let parts: Vec<Expr> = std::iter::once(sum.slice(aligned, bits - aligned))
        .chain(low[..aligned as usize].iter().rev().cloned())
        .collect();
    let address = m.wire(&format!("{kind}_address"), Expr::concat(&parts));

    errors.add(no_match(spec), entry.valid.and(&hit.not()));
    errors.add(HwError::RtMemoryAddress, Expr::all_of(&[entry.valid.clone(), hit.clone(), beyond.clone()]));
    let good = Expr::all_of(&[entry.valid, hit, beyond.not(), may, errors.failed.not()]);
    let taken = m.wire(&format!("{kind}_taken"), good);
    Request { taken, lane: entry.lane, address, size, data: entry.data }
}

/// The store request of an interface with tags: addresses and data meet in queues of their lane.
#[allow(clippy::too_many_arguments)]
pub(super) fn paired(
    m: &mut Module,
    spec: &MemoryInterface,
    channels: [&Channel; 2],
    regions: &[Region],
    owed: &Owed,
    ready: &Expr,
    errors: &mut Errors,
    held: &mut Vec<Expr>,
) -> Request {
    let lanes = spec.stores;
    m.comment("Store addresses and data wait for each other in queues of their lane.");
    let turn = Turn::new(m, "store", lanes);
    let index = turn.index.clone();
    let taken = m.declare("store_leaves", 1);
    let mut heads = Vec::new();
    let mut there = Vec::new();
    for (name, channel) in ["st_addr", "st_data"].into_iter().zip(channels) {
        let into = channel.tag.resize(index.width());
        let alien = out_of_range(&channel.tag, lanes);
        errors.add(HwError::RtMemoryTagOob, channel.valid.and(&alien));
        let enter = m.declare(&format!("{name}_enters"), 1);
        let queues = m.instance(
            &format!("{name}_queues"),
            &lane_queues(lanes, spec.queue, channel.data.width()),
            &with_lanes(
                &[("push", enter.clone()), ("push_data", channel.data.clone()), ("pop", taken.clone())],
                &into,
                &index,
            ),
        );
        let room = queues.out("room");
        let rooms: Vec<Expr> = (0..lanes as u32).map(|l| room.bit(l)).collect();
        let free = Expr::select(1, &into, &rooms);
        let all = Expr::all_of(&[channel.valid.clone(), alien.not(), free, errors.failed.not()]);
        m.drive(&enter, all);
        m.drive(&channel.ready, enter);
        held.push(queues.out("has").reduce_or());
        there.push(queues.out("has"));
        heads.push(queues.out("head"));
    }
    m.comment("The first lane with both, from store_pointer_q on.");
    let both = m.wire("store_both", there[0].and(&there[1]));
    let valid = turn.choose(m, "store", &both);
    let entry =
        Entry { valid, lane: index.resize(spec.tag), element: heads[0].clone(), data: heads[1].clone() };
    let request = take(m, spec, "store", regions, entry, owed.room(&index).and(ready), errors);
    m.drive(&taken, request.taken.clone());
    turn.pass(m, &taken);
    request
}

/// Lanes of requests that take turns.
pub(super) struct Turn {
    /// The lane whose turn it is.
    pub(super) index: Expr,
    pointer: Reg,
    lanes: usize,
}

impl Turn {
    pub(super) fn new(m: &mut Module, kind: &str, lanes: usize) -> Turn {
        let bits = choice_bits(lanes);
        let index = m.declare(&format!("{kind}_index"), bits);
        Turn { index, pointer: m.reg(&format!("{kind}_pointer_q"), bits, 0u32), lanes }
    }

    /// The first lane that asks, from the pointer on, has its turn. Gives whether any asks.
    pub(super) fn choose(&self, m: &mut Module, kind: &str, asks: &Expr) -> Expr {
        let first = first_from(m, kind, asks, &self.pointer.q);
        m.drive(&self.index, first);
        m.wire(&format!("{kind}_valid"), asks.reduce_or())
    }

    /// When its request is taken, the lane after it is first.
    pub(super) fn pass(self, m: &mut Module, taken: &Expr) {
        m.next(&self.pointer, Some(taken.clone()), after(&self.index, self.lanes));
    }
}

/// Requests of each lane whose token of one kind has not left.
pub(super) struct Owed {
    pub(super) counts: Vec<Reg>,
    /// By lane: whether it may owe one more.
    pub(super) rooms: Vec<Expr>,
}

impl Owed {
    pub(super) fn new(m: &mut Module, token: &str, lanes: usize, queue: usize) -> Owed {
        m.comment(&format!("Tokens of {token} that are owed."));
        let bits = choice_bits(queue + 1);
        let counts: Vec<Reg> = (0..lanes).map(|l| m.reg(&format!("{token}_owed{l}_q"), bits, 0u32)).collect();
        let rooms = counts.iter().map(|c| c.q.eq_const(queue as u64).not()).collect();
        Owed { counts, rooms }
    }

    /// Whether a lane may owe one more.
    pub(super) fn room(&self, lane: &Expr) -> Expr {
        Expr::select(1, lane, &self.rooms)
    }

    pub(super) fn count(&self, m: &mut Module, taken: &[Expr], left: &[Expr], held: &mut Vec<Expr>) {
        for (c, (up, down)) in self.counts.iter().zip(taken.iter().zip(left)) {
            counter(m, c, up, down);
            held.push(c.q.reduce_or());
        }
    }
}

/// log2 of the bytes that addresses reach.
pub(super) fn address_bits(spec: &MemoryInterface) -> u32 {
    spec.bytes().ilog2()
}
