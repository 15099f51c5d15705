//! `spatial_sw`: a crossbar whose routes are set by configuration.

use super::{first_error, shape_hash, sticky, two_of, unused_above, width_name, Config};
use crate::ir::{Expr, Module, Reg};
use crate::Channel;
use loom_adg::layout::FieldKind;
use loom_adg::model::{Component, SpatialSw};
use loom_adg::HwError;
use std::sync::Arc;

/// Name of a switch module.
fn name(sw: &SpatialSw) -> String {
    let full = sw.connectivity.iter().flatten().all(|&c| c);
    let lanes = sw.decomposable_bits.map(|l| format!("_l{l}")).unwrap_or_default();
    let shape = format!(
        "loom_spatial_sw_{}x{}_{}{lanes}",
        sw.inputs.len(),
        sw.outputs.len(),
        width_name(sw.inputs.iter().chain(&sw.outputs).copied())
    );
    if full && !shape.contains("mixed") {
        shape
    } else {
        format!("{shape}_{}", shape_hash(sw))
    }
}

/// A switch. Ports: channels `in<i>`, `out<o>`; `cfg`; `error_code`; `busy`.
pub fn spatial_sw(sw: &SpatialSw) -> Arc<Module> {
    let mut m = Module::new(name(sw));
    m.doc(&format!(
        "Spatial switch, {} inputs, {} outputs. A route bit connects an output to one input; an input that feeds\n\
         several outputs is an eager fork: each output takes its copy when it is ready, once, and the token leaves\n\
         when all have it. Guarantees: ready never reaches valid; what is offered stays. `busy` while some output\n\
         has a copy that another still lacks. Errors: {} an output with two inputs; {} a token at an input without\n\
         a route, after which no token is accepted until reset.",
        sw.inputs.len(),
        sw.outputs.len(),
        HwError::CfgSwitchRouteMix.code(),
        HwError::RtSwitchUnroutedInput.code(),
    ));
    let inputs = Channel::inputs(&mut m, "in", &sw.inputs);
    let outputs = Channel::outputs(&mut m, "out", &sw.outputs);
    let config = Config::new(&mut m, &Component::SpatialSw(sw.clone()), 32);
    let error_code = m.output("error_code", 16);
    let busy = m.output("busy", 1);
    let failed = sticky(&mut m, "error_q");
    let mut sw = Switch { m, sw, config, inputs, outputs, failed, mixed: Vec::new(), unrouted: Vec::new() };
    let held = match sw.sw.decomposable_bits {
        None => sw.plain(),
        Some(lane) => sw.decomposed(lane),
    };
    sw.errors(&error_code);
    sw.m.drive(&busy, Expr::any_of(&held));
    sw.m.finish()
}

/// By output: the inputs that may feed it, each with the bit that says so.
type Routes = Vec<Vec<(usize, Expr)>>;

/// A switch under construction.
struct Switch<'a> {
    m: Module,
    sw: &'a SpatialSw,
    config: Config,
    inputs: Vec<Channel>,
    outputs: Vec<Channel>,
    failed: Reg,
    /// Outputs with two inputs.
    mixed: Vec<Expr>,
    /// Tokens at inputs without a route.
    unrouted: Vec<Expr>,
}

impl Switch<'_> {
    /// Routes from input to output. Gives what is held.
    fn plain(&mut self) -> Vec<Expr> {
        let routes = self.routes();
        let mut dones = Vec::new();
        let mut taken = Vec::new();
        for (o, row) in routes.iter().enumerate() {
            let done = self.output(o, row);
            taken.push(self.m.wire(&format!("taken_o{o}"), done.q.or(&self.outputs[o].ready)));
            self.refuse_two(format!("mixed_o{o}"), row.iter().map(|(_, bit)| bit));
            dones.push(done);
        }
        let leaves: Vec<Expr> = (0..self.inputs.len())
            .map(|i| {
                let outs: Vec<(usize, &Expr)> = to_outputs(&routes, i).collect();
                let all = outs.iter().map(|(o, route)| route.not().or(&taken[*o])).collect();
                let text =
                    format!("Input {i}: its token leaves when every output it is routed to has taken it.");
                self.input(i, &text, outs.iter().map(|(_, route)| (*route).clone()).collect(), all)
            })
            .collect();
        for (i, input) in self.inputs.iter().enumerate() {
            let types = || to_outputs(&routes, i).map(|(o, _)| self.sw.outputs[o]);
            unused_above(&mut self.m, &input.data, types().map(|t| t.width).max().unwrap_or(0));
            unused_above(&mut self.m, &input.tag, types().map(|t| t.tag).max().unwrap_or(0));
        }
        self.m.comment("The token that an output shows leaves its input.");
        for (o, done) in dones.iter().enumerate() {
            let gone: Vec<Expr> = routes[o].iter().map(|(i, route)| route.and(&leaves[*i])).collect();
            let gone = self.m.wire(&format!("gone_o{o}"), Expr::any_of(&gone));
            let takes = self.outputs[o].moves();
            self.m.next(done, None, takes.or(&done.q).and(&gone.not()));
        }
        dones.into_iter().map(|done| done.q).collect()
    }

    /// The route bits.
    fn routes(&mut self) -> Routes {
        let mut routes = Vec::new();
        for (output, row) in self.sw.connectivity.iter().enumerate() {
            self.m.comment(&format!("Routes of output {output}."));
            let mut bits = Vec::new();
            for input in (0..row.len()).filter(|&input| row[input]) {
                let name = format!("route_o{output}_i{input}");
                bits.push((input, self.config.field(&mut self.m, &name, FieldKind::Route { output, input })));
            }
            routes.push(bits);
        }
        routes
    }

    /// An output that takes one input at most; gives its done bit.
    fn output(&mut self, o: usize, row: &[(usize, Expr)]) -> Reg {
        let (m, out, ty) = (&mut self.m, &self.outputs[o], self.sw.outputs[o]);
        m.comment(&format!(
            "Output {o}. done_o{o}_q fills when it takes a copy, drains when the token leaves its input."
        ));
        let done = m.reg(&format!("done_o{o}_q"), 1, 0u32);
        let offers: Vec<Expr> = row.iter().map(|(i, route)| route.and(&self.inputs[*i].valid)).collect();
        m.drive(&out.valid, Expr::any_of(&offers).and(&done.q.not()));
        let choose = |field: &dyn Fn(&Channel) -> Expr, width: u32| {
            let choices: Vec<(Expr, Expr)> = (row.iter())
                .map(|(i, route)| (route.clone(), field(&self.inputs[*i]).resize(width)))
                .collect();
            Expr::onehot_mux(width, &choices)
        };
        m.drive(&out.data, choose(&|c| c.data.clone(), ty.width));
        m.drive(&out.tag, choose(&|c| c.tag.clone(), ty.tag));
        done
    }

    /// An input with the bits that route it; `all` that it goes to have its token. Gives that its token leaves.
    fn input(&mut self, i: usize, text: &str, routes: Vec<Expr>, all: Vec<Expr>) -> Expr {
        let (m, input) = (&mut self.m, &self.inputs[i]);
        m.comment(text);
        let routed = m.wire(&format!("routed_i{i}"), Expr::any_of(&routes));
        m.drive(&input.ready, Expr::all_of(&[routed.clone(), Expr::all_of(&all), self.failed.q.not()]));
        self.unrouted.push(input.valid.and(&routed.not()));
        if routes.is_empty() {
            return Expr::zero(1);
        }
        m.wire(&format!("leaves_i{i}"), input.moves())
    }

    /// Two of the bits are an error.
    fn refuse_two<'b>(&mut self, name: String, bits: impl Iterator<Item = &'b Expr>) {
        let bits: Vec<Expr> = bits.cloned().collect();
        if bits.len() > 1 {
            self.mixed.push(self.m.wire(&name, two_of(&bits)));
        }
    }

    fn errors(&mut self, error_code: &Expr) {
        let m = &mut self.m;
        m.comment(
            "A token at an input without a route stops the switch; two inputs on one output are a static error.",
        );
        let unrouted = m.wire("unrouted", Expr::any_of(&self.unrouted));
        m.next(&self.failed, None, self.failed.q.or(&unrouted));
        let mixed = m.wire("mixed", Expr::any_of(&self.mixed));
        let errors =
            [(mixed, HwError::CfgSwitchRouteMix), (self.failed.q.clone(), HwError::RtSwitchUnroutedInput)];
        m.drive(error_code, first_error(&errors));
    }

    /// Routes from lane to lane. Gives what is held.
    fn decomposed(&mut self, lane: u32) -> Vec<Expr> {
        let feeds: Routes = (0..self.outputs.len()).map(|o| self.lanes(o, lane)).collect();
        // An output joins its inputs, so it has one done bit for each of them.
        let mut dones: Vec<Vec<Reg>> = Vec::new();
        let mut fires = Vec::new();
        for (o, row) in feeds.iter().enumerate() {
            let (done, fire) = self.joined_output(o, row);
            dones.push(done);
            fires.push(fire);
        }
        let mut leaves = Vec::new();
        for i in 0..self.inputs.len() {
            let mut routes = Vec::new();
            let mut all = Vec::new();
            for (o, row) in feeds.iter().enumerate() {
                if let Some(at) = row.iter().position(|(k, _)| *k == i) {
                    routes.push(row[at].1.clone());
                    all.push(row[at].1.not().or(&dones[o][at].q.or(&fires[o])));
                }
            }
            let text = format!("Input {i}: its token leaves when every output it feeds has used it.");
            if routes.is_empty() {
                self.m.unused(&self.inputs[i].data);
            }
            leaves.push(self.input(i, &text, routes, all));
        }
        let mut held = Vec::new();
        for (o, row) in dones.iter().enumerate() {
            for ((i, feeds), done) in feeds[o].iter().zip(row) {
                let used = done.q.or(&fires[o].and(feeds));
                self.m.next(done, None, used.and(&leaves[*i].not()));
                held.push(done.q.clone());
            }
        }
        held
    }

    /// The lanes of an output, and which inputs feed some of them.
    fn lanes(&mut self, o: usize, lane: u32) -> Vec<(usize, Expr)> {
        self.m.comment(&format!("Lanes of output {o}, each with at most one source lane."));
        let lanes_of = |width: u32| (width / lane) as usize;
        let connected: Vec<usize> = (0..self.inputs.len()).filter(|&i| self.sw.connectivity[o][i]).collect();
        let mut by_input: Vec<Vec<Expr>> = vec![Vec::new(); connected.len()];
        let mut lanes = Vec::new();
        for output_lane in 0..lanes_of(self.sw.outputs[o].width) {
            let mut choices = Vec::new();
            for (bits, &input) in by_input.iter_mut().zip(&connected) {
                for input_lane in 0..lanes_of(self.sw.inputs[input].width) {
                    let kind = FieldKind::LaneRoute { output: o, output_lane, input, input_lane };
                    let name = format!("route_o{o}_{output_lane}_i{input}_{input_lane}");
                    let bit = self.config.field(&mut self.m, &name, kind);
                    bits.push(bit.clone());
                    choices.push((bit, self.inputs[input].data.slice(input_lane as u32 * lane, lane)));
                }
            }
            self.refuse_two(format!("mixed_o{o}_{output_lane}"), choices.iter().map(|(bit, _)| bit));
            lanes.push(Expr::onehot_mux(lane, &choices));
        }
        lanes.reverse();
        self.m.drive(&self.outputs[o].data, Expr::concat(&lanes));
        connected
            .iter()
            .zip(&by_input)
            .map(|(&i, bits)| (i, self.m.wire(&format!("feeds_o{o}_i{i}"), Expr::any_of(bits))))
            .collect()
    }

    /// An output of lanes: its done bits by input, and that it fires.
    fn joined_output(&mut self, o: usize, feeds: &[(usize, Expr)]) -> (Vec<Reg>, Expr) {
        let (m, out) = (&mut self.m, &self.outputs[o]);
        m.comment(&format!(
            "Output {o} waits for all its inputs. done_o{o}_i<i>_q: it has used the token of input i."
        ));
        let dones: Vec<Reg> =
            feeds.iter().map(|(i, _)| m.reg(&format!("done_o{o}_i{i}_q"), 1, 0u32)).collect();
        let some = Expr::any_of(&feeds.iter().map(|(_, f)| f.clone()).collect::<Vec<_>>());
        let all: Vec<Expr> = (feeds.iter().zip(&dones))
            .map(|((i, f), done)| f.not().or(&self.inputs[*i].valid.and(&done.q.not())))
            .collect();
        m.drive(&out.valid, some.and(&Expr::all_of(&all)));
        (dones, m.wire(&format!("fire_o{o}"), out.moves()))
    }
}

/// Outputs that an input may feed, with their bits.
fn to_outputs(routes: &Routes, input: usize) -> impl Iterator<Item = (usize, &Expr)> {
    routes
        .iter()
        .enumerate()
        .filter_map(move |(o, row)| row.iter().find(|(i, _)| *i == input).map(|(_, bit)| (o, bit)))
}
