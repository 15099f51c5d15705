//! The back end of an `extmemory`: an AXI4 master of single beats, the ID is the lane.
//!
//! Each of AR, AW and W has a skid of one entry, so that a request is taken without looking at the slave's ready.
//! All signals of the standard are there, whatever the lanes.

use super::queues::{lane_queues, with_lanes};
use super::requests::Request;
use super::{element_of, word_of, Loaded, Results, Stored};
use crate::ir::{Expr, Module, Reg};
use crate::parts::out_of_range;
use loom_adg::model::MemoryInterface;
use loom_base::choice_bits;

/// AR or AW.
struct AddressChannel {
    valid: Expr,
    ready: Expr,
    address: Expr,
    id: Expr,
    size: Expr,
}

impl AddressChannel {
    fn open(m: &mut Module, name: &str, id: u32) -> AddressChannel {
        let signal = |what: &str| format!("axi_{name}{what}");
        let valid = m.output(&signal("valid"), 1);
        let ready = m.input(&signal("ready"), 1);
        let address = m.output(&signal("addr"), 32);
        let id = m.output(&signal("id"), id);
        m.assign_output(&signal("len"), Expr::zero(8));
        let size = m.output(&signal("size"), 3);
        m.assign_output(&signal("burst"), Expr::konst(2, 1u32));
        m.assign_output(&signal("lock"), Expr::zero(1));
        m.assign_output(&signal("cache"), Expr::zero(4));
        m.assign_output(&signal("prot"), Expr::zero(3));
        m.assign_output(&signal("qos"), Expr::zero(4));
        AddressChannel { valid, ready, address, id, size }
    }

    fn drive(self, m: &mut Module, name: &str, full: &Reg, request: &Request) {
        let id = request.lane.zext(self.id.width());
        let fields = [
            ("addr", self.address, request.address.clone()),
            ("id", self.id, id),
            ("size", self.size, request.size.zext(3)),
        ];
        skid(m, name, full, &request.taken, &self.valid, &self.ready, fields.to_vec());
    }

    fn tie_off(self, m: &mut Module) {
        for e in [self.valid, self.address, self.id, self.size] {
            m.drive(&e, Expr::zero(e.width()));
        }
        m.unused(&self.ready);
    }
}

/// Shows a request from the skid when that is full, else as it is taken, and keeps what the slave does not take.
fn skid(
    m: &mut Module,
    name: &str,
    full: &Reg,
    taken: &Expr,
    valid: &Expr,
    ready: &Expr,
    fields: Vec<(&str, Expr, Expr)>,
) {
    m.comment(&format!("The skid of {name}."));
    m.drive(valid, full.q.or(taken));
    m.next(full, None, valid.and(&ready.not()));
    for (what, out, value) in fields {
        if value.as_const().is_some() {
            m.drive(&out, value);
            continue;
        }
        let kept = m.reg_no_reset(&format!("{name}_{what}_q"), value.width());
        m.next(&kept, Some(taken.clone()), value.clone());
        m.drive(&out, full.q.mux(&kept.q, &value));
    }
}

/// The master, opened.
pub(super) struct Axi {
    pub load_ready: Expr,
    pub store_ready: Expr,
    read: AddressChannel,
    read_valid: Expr,
    read_data: Expr,
    read_id: Expr,
    read_response: Expr,
    write: AddressChannel,
    data_valid: Expr,
    data_ready: Expr,
    data: Expr,
    strobe: Expr,
    done_valid: Expr,
    done_id: Expr,
    done_response: Expr,
    read_full: Option<Reg>,
    write_full: Option<(Reg, Reg)>,
}

impl Axi {
    pub fn open(m: &mut Module, spec: &MemoryInterface) -> Axi {
        let id = spec.id_bits();
        let read = AddressChannel::open(m, "ar", id);
        let read_valid = m.input("axi_rvalid", 1);
        m.assign_output("axi_rready", Expr::ones(1));
        let read_data = m.input("axi_rdata", spec.width);
        let read_id = m.input("axi_rid", id);
        let read_response = m.input("axi_rresp", 2);
        let read_last = m.input("axi_rlast", 1);
        m.unused(&read_last);
        let write = AddressChannel::open(m, "aw", id);
        let data_valid = m.output("axi_wvalid", 1);
        let data_ready = m.input("axi_wready", 1);
        let data = m.output("axi_wdata", spec.width);
        let strobe = m.output("axi_wstrb", spec.width / 8);
        m.assign_output("axi_wlast", Expr::ones(1));
        let done_valid = m.input("axi_bvalid", 1);
        m.assign_output("axi_bready", Expr::ones(1));
        let done_id = m.input("axi_bid", id);
        let done_response = m.input("axi_bresp", 2);
        let read_full = (spec.loads > 0).then(|| m.reg("ar_full_q", 1, 0u32));
        let write_full = (spec.stores > 0).then(|| (m.reg("aw_full_q", 1, 0u32), m.reg("w_full_q", 1, 0u32)));
        let load_ready = read_full.as_ref().map_or(Expr::ones(1), |f| f.q.not());
        let store_ready = write_full.as_ref().map_or(Expr::ones(1), |(a, w)| a.q.or(&w.q).not());
        Axi {
            load_ready,
            store_ready,
            read,
            read_valid,
            read_data,
            read_id,
            read_response,
            write,
            data_valid,
            data_ready,
            data,
            strobe,
            done_valid,
            done_id,
            done_response,
            read_full,
            write_full,
        }
    }

    pub fn close(
        self,
        m: &mut Module,
        spec: &MemoryInterface,
        load: Option<&Request>,
        store: Option<&Request>,
    ) -> Results {
        let mut held = Vec::new();
        let mut failed = Vec::new();
        let most = spec.word_size_log2();
        let mut loaded = None;
        if let (Some(l), Some(full)) = (load, self.read_full) {
            self.read.drive(m, "ar", &full, l);
            held.push(full.q);
            m.comment("A response arrives when it comes. Where its element stands is kept by lane.");
            failed.push(self.read_valid.and(&self.read_response.reduce_or()));
            let lane = self.read_id.resize(choice_bits(spec.loads));
            let arrives = self.read_valid.and(&out_of_range(&self.read_id, spec.loads).not());
            let arrives = m.wire("load_arrives", arrives);
            let element = if most == 0 {
                self.read_data
            } else {
                let size_bits = choice_bits(most as usize + 1);
                let place = Expr::concat(&[l.size.slice(0, size_bits), l.address.slice(0, most)]);
                let places = m.instance(
                    "places",
                    &lane_queues(spec.loads, spec.queue, place.width()),
                    &with_lanes(
                        &[("push", l.taken.clone()), ("push_data", place), ("pop", arrives.clone())],
                        &l.lane.resize(choice_bits(spec.loads)),
                        &lane,
                    ),
                );
                m.unused(&places.out("has"));
                m.unused(&places.out("room"));
                let head = places.out("head");
                element_of(m, spec, &self.read_data, &head.slice(0, most), &head.slice(most, size_bits))
            };
            loaded = Some(Loaded { arrives, lane, element });
        } else {
            self.read.tie_off(m);
            for e in [&self.read_valid, &self.read_data, &self.read_id, &self.read_response] {
                m.unused(e);
            }
        }
        let mut stored = None;
        if let (Some(s), Some((address_full, data_full))) = (store, self.write_full) {
            self.write.drive(m, "aw", &address_full, s);
            let (word, strobe) = word_of(m, spec, s);
            let fields = vec![("data", self.data, word), ("strb", self.strobe, strobe)];
            skid(m, "w", &data_full, &s.taken, &self.data_valid, &self.data_ready, fields);
            held.extend([address_full.q, data_full.q]);
            failed.push(self.done_valid.and(&self.done_response.reduce_or()));
            let arrives = self.done_valid.and(&out_of_range(&self.done_id, spec.stores).not());
            let arrives = m.wire("store_arrives", arrives);
            stored = Some(Stored { arrives, lane: self.done_id.resize(choice_bits(spec.stores)) });
        } else {
            self.write.tie_off(m);
            for e in [self.data_valid, self.data, self.strobe] {
                m.drive(&e, Expr::zero(e.width()));
            }
            for e in [&self.data_ready, &self.done_valid, &self.done_id, &self.done_response] {
                m.unused(e);
            }
        }
        Results { load: loaded, store: stored, held: Expr::any_of(&held), failed: Expr::any_of(&failed) }
    }
}
