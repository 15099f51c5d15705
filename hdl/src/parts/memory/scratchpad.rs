//! The back end of a `memory`: words in the fabric, read and written in every cycle.
//!
//! A read shows the word as it was before a write of the same cycle. The host, where it has a port, goes first.

use super::requests::{address_bits, Request};
use super::{element_of, word_of, Loaded, Results, Stored};
use crate::ir::{Expr, Module};
use loom_adg::model::MemoryInterface;
use loom_base::choice_bits;

/// The host's side of the words.
struct Host {
    request: Expr,
    write: Expr,
    address: Expr,
    data: Expr,
    strobe: Expr,
    read: Expr,
}

/// The words, opened.
pub(super) struct Scratchpad {
    pub load_ready: Expr,
    pub store_ready: Expr,
    bytes: u64,
    host: Option<Host>,
}

impl Scratchpad {
    pub fn open(m: &mut Module, spec: &MemoryInterface, bytes: u64, host: bool) -> Scratchpad {
        let host = host.then(|| Host {
            request: m.input("host_req", 1),
            write: m.input("host_we", 1),
            address: m.input("host_addr", 32),
            data: m.input("host_wdata", spec.width),
            strobe: m.input("host_wstrb", spec.width / 8),
            read: m.output("host_rdata", spec.width),
        });
        let (load_ready, store_ready) = match &host {
            Some(h) => {
                m.comment("The host goes first.");
                let reads = m.wire("host_reads", h.request.and(&h.write.not()));
                let writes = m.wire("host_writes", h.request.and(&h.write));
                (reads.not(), writes.not())
            }
            None => (Expr::ones(1), Expr::ones(1)),
        };
        Scratchpad { load_ready, store_ready, bytes, host }
    }

    pub fn close(
        self,
        m: &mut Module,
        spec: &MemoryInterface,
        load: Option<&Request>,
        store: Option<&Request>,
    ) -> Results {
        let most = spec.word_size_log2();
        let words = (self.bytes / u64::from(spec.width / 8)) as u32;
        let parts = spec.width / 8;
        // The number of a byte address's word. A single word still has an address bit.
        let number = |address: &Expr| {
            let bits = address_bits(spec) - most;
            if bits == 0 {
                Expr::zero(1)
            } else {
                address.slice(most, bits)
            }
        };
        m.comment("The words. What is read is what was there before a write of the same cycle.");
        let memory = m.memory("words", words, spec.width);
        let none = Expr::zero(1);
        let (mut write, mut at, mut data) =
            (Expr::zero(parts), number(&Expr::zero(32)), Expr::zero(spec.width));
        if let Some(s) = store {
            let (word, strobe) = word_of(m, spec, s);
            (write, at, data) = (strobe.and(&s.taken.repeat(parts)), number(&s.address), word);
        }
        if let Some(h) = &self.host {
            let host = self.store_ready.not();
            write = host.mux(&h.strobe, &write);
            at = host.mux(&number(&h.address), &at);
            data = host.mux(&h.data, &data);
        }
        let (at, data) = (m.wire("write_at", at), m.wire("write_word", data));
        let write = m.wire("write", write);
        m.mem_write(&memory, write, at, data);

        let (mut read, mut from) = (load.map_or(none, |l| l.taken.clone()), number(&Expr::zero(32)));
        if let Some(l) = load {
            from = number(&l.address);
        }
        if let Some(h) = &self.host {
            let host = self.load_ready.not();
            read = read.or(&host);
            from = host.mux(&number(&h.address), &from);
        }
        let word = m.mem_read("word", &memory, from);
        let word_q = m.reg_no_reset("word_q", spec.width);
        m.next(&word_q, Some(read), word);
        if let Some(h) = &self.host {
            // Loads read after the host; what it read stays.
            let was = m.reg("host_read_q", 1, 0u32);
            m.next(&was, None, self.load_ready.not());
            let kept = m.reg_no_reset("host_kept_q", spec.width);
            m.next(&kept, Some(was.q.clone()), word_q.q.clone());
            m.drive(&h.read, was.q.mux(&word_q.q, &kept.q));
            let used = address_bits(spec);
            m.unused(&h.address.slice(used, 32 - used));
            m.unused(&h.address.slice(0, most));
        } else if load.is_none() {
            m.unused(&word_q.q);
        }

        let loaded = load.map(|l| {
            m.comment("A load taken in one cycle arrives in the next.");
            let arrives = m.reg("load_arrives_q", 1, 0u32);
            m.next(&arrives, None, l.taken.clone());
            let mut kept = |name: &str, value: Expr| {
                let reg = m.reg_no_reset(name, value.width());
                m.next(&reg, Some(l.taken.clone()), value);
                reg.q
            };
            let lane = kept("load_lane_q", l.lane.resize(choice_bits(spec.loads)));
            let element = if most == 0 {
                word_q.q.clone()
            } else {
                let low = kept("load_low_q", l.address.slice(0, most));
                let size = kept("load_size_q", l.size.slice(0, choice_bits(most as usize + 1)));
                element_of(m, spec, &word_q.q, &low, &size)
            };
            Loaded { arrives: arrives.q, lane, element }
        });
        let stored = store.map(|s| {
            m.comment("So does the done of a store.");
            let arrives = m.reg("store_arrives_q", 1, 0u32);
            m.next(&arrives, None, s.taken.clone());
            let lane = m.reg_no_reset("store_lane_q", choice_bits(spec.stores));
            m.next(&lane, Some(s.taken.clone()), s.lane.resize(choice_bits(spec.stores)));
            Stored { arrives: arrives.q, lane: lane.q }
        });
        Results { load: loaded, store: stored, held: Expr::zero(1), failed: Expr::zero(1) }
    }
}
