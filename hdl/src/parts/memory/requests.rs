//! Requests of a memory interface: which lane's it is, where it goes, whether it is bad, and what is owed for it.

use super::queues::{after, counter, first_from, lane_queues, with_lanes, First};
use crate::ir::{Expr, Module, Reg};
use crate::parts::{out_of_range, sticky, Config};
use crate::Channel;
use loom_adg::layout::FieldKind;
use loom_adg::model::MemoryInterface;
use loom_adg::HwError;
use loom_base::choice_bits;

/// A region of the table.
struct Region {
    /// By lane: whether it is valid and holds it.
    lanes: Expr,
    offset: Expr,
    size: Expr,
}

/// The region table.
pub(super) struct Regions {
    table: Vec<Region>,
    /// The two bits of the size of a lane's elements, each by lane.
    sizes: [Expr; 2],
}

/// A request of this cycle.
pub(super) struct Request {
    /// Whether it is taken.
    pub(super) taken: Expr,
    /// Its lane: as wide as the tag, or as the lanes need.
    pub(super) lane: Expr,
    /// The same, with a bit for each lane.
    pub(super) chosen: Expr,
    /// Its byte address below the memory's end.
    pub(super) address: Expr,
    /// log2 of the element's bytes.
    pub(super) size: Expr,
    /// The element at the low end; empty for a load.
    pub(super) data: Expr,
}

impl Request {
    /// By lane: whether a request of it is taken.
    pub(super) fn taken_by_lane(&self) -> Vec<Expr> {
        (0..self.chosen.width()).map(|lane| self.taken.and(&self.chosen.bit(lane))).collect()
    }
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
) -> (Regions, Vec<(Expr, HwError)>) {
    let mut table: Vec<Region> = Vec::new();
    let mut ranges: Vec<[Expr; 3]> = Vec::new();
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
        let both: Vec<Expr> = (ranges.iter())
            .map(|[other, first, last]| Expr::all_of(&[other.clone(), from.ult(last), first.ult(&end)]))
            .collect();
        if !both.is_empty() {
            overlaps.push(m.wire(&format!("region{r}_overlaps"), used.and(&Expr::any_of(&both))));
        }
        let holds = |lane: u64| match lane {
            // It ends later than it begins.
            0 => used.and(&start.reduce_or().not()),
            lane => {
                let begun = start.ule(&Expr::konst(16, lane));
                Expr::all_of(&[used.clone(), begun, Expr::konst(17, lane).ult(&end)])
            }
        };
        let lanes: Vec<Expr> = (0..spec.loads.max(spec.stores) as u64).rev().map(holds).collect();
        let lanes = m.wire(&format!("region{r}_lanes"), Expr::concat(&lanes));
        ranges.push([used, from, end]);
        table.push(Region { lanes, offset, size });
    }
    let lanes = spec.loads.max(spec.stores) as u32;
    let sizes = [0, 1].map(|bit| {
        if spec.word_size_log2() == 0 {
            return Expr::zero(lanes);
        }
        let of_lanes: Vec<Expr> =
            table.iter().map(|region| region.lanes.and(&region.size.bit(bit).repeat(lanes))).collect();
        m.wire(&format!("size{bit}_lanes"), of_lanes.iter().fold(Expr::zero(lanes), |all, of| all.or(of)))
    });
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
    (Regions { table, sizes }, errors)
}

/// A request before it is judged: its lane is below the lanes.
pub(super) struct Entry {
    pub(super) valid: Expr,
    pub(super) lane: Expr,
    /// The same, with a bit for each lane.
    pub(super) chosen: Expr,
    pub(super) element: Expr,
    pub(super) data: Expr,
}

/// Finds the region and the byte address of a request, and takes it when nothing is wrong and it `may` be taken.
pub(super) fn take(
    m: &mut Module,
    spec: &MemoryInterface,
    kind: &str,
    regions: &Regions,
    entry: Entry,
    may: Expr,
    errors: &mut Errors,
) -> Request {
    let lanes = entry.chosen.width();
    let holds = |region: &Region| region.lanes.slice(0, lanes).and(&entry.chosen).reduce_or();
    let holds: Vec<Expr> = (regions.table.iter().enumerate())
        .map(|(r, region)| m.wire(&format!("{kind}_in{r}"), holds(region)))
        .collect();
    let hit = m.wire(&format!("{kind}_hit"), Expr::any_of(&holds));
    let of_region = |width: u32, field: &dyn Fn(&Region) -> Expr| {
        let choices: Vec<(Expr, Expr)> = holds.iter().cloned().zip(regions.table.iter().map(field)).collect();
        Expr::onehot_mux(width, &choices)
    };
    let bits = address_bits(spec);
    let offset = m.wire(&format!("{kind}_offset"), of_region(bits, &|r| r.offset.slice(0, bits)));
    let most = spec.word_size_log2();
    let size = if most == 0 {
        Expr::zero(2)
    } else {
        // By lane, which is there before the region is.
        let [low, high] = &regions.sizes;
        let bit = |of: &Expr| of.slice(0, lanes).and(&entry.chosen).reduce_or();
        m.wire(&format!("{kind}_size"), Expr::concat(&[bit(high), bit(low)]))
    };
    // What reaches beyond the memory is told without a sum of all bits.
    let width = (entry.element.width() + most).max(bits);
    let scaled: Vec<Expr> =
        (0..=most).map(|k| Expr::concat(&[entry.element.clone(), Expr::zero(k)]).zext(width)).collect();
    let scaled = Expr::select(width, &size.slice(0, choice_bits(most as usize + 1)), &scaled);
    let scaled = m.wire(&format!("{kind}_scaled"), scaled);
    let low = scaled.slice(0, bits).zext(bits + 1);
    let sum = m.wire(&format!("{kind}_sum"), offset.zext(bits + 1).add(&low));
    let far = [
        sum.bit(bits),
        scaled.slice(bits, width - bits).reduce_or(),
        of_region(1, &|r| r.offset.slice(bits, 32 - bits).reduce_or()),
    ];
    let beyond = m.wire(&format!("{kind}_beyond"), Expr::any_of(&far));
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
    Request { taken, lane: entry.lane, chosen: entry.chosen, address, size, data: entry.data }
}

/// The store request of an interface with tags: addresses and data meet in queues of their lane.
#[allow(clippy::too_many_arguments)]
pub(super) fn paired(
    m: &mut Module,
    spec: &MemoryInterface,
    channels: [&Channel; 2],
    regions: &Regions,
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
    let (valid, chosen) = turn.choose(m, "store", &both);
    let [element, data] = [heads[0].clone(), heads[1].clone()];
    let entry = Entry { valid, lane: index.resize(spec.tag), chosen, element, data };
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

    /// The first lane that asks, from the pointer on, has its turn. Gives whether any asks, and a bit for each lane that says whether it is the one.
    pub(super) fn choose(&self, m: &mut Module, kind: &str, asks: &Expr) -> (Expr, Expr) {
        let First { lanes, number } = first_from(m, kind, asks, &self.pointer.q);
        m.drive(&self.index, number);
        (m.wire(&format!("{kind}_valid"), asks.reduce_or()), lanes)
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
