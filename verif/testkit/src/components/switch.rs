//! The spatial switch, section 3 of the contract.

use super::bench::{BenchToken, Config, ContractModel, Log, Shown, StallRates, TestBench};
use super::planted::{planted, tests};
use loom_adg::layout::FieldKind;
use loom_adg::model::{ChannelType, Component, SpatialSw};
use loom_base::Rng;
use loom_hdl::ir::Evaluator;
use loom_hdl::parts;

/// The switch as the contract has it; `route[o]` is the input that feeds output o.
struct Plain {
    sw: SpatialSw,
    route: Vec<Option<usize>>,
    done: Vec<bool>,
    failed: bool,
}

impl ContractModel for Plain {
    fn show(&self, offered: &[Option<BenchToken>], ready: &[bool]) -> Shown {
        let out = (0..self.route.len())
            .map(|o| offered[self.route[o]?].filter(|_| !self.done[o]).map(|t| t.resized(self.sw.outputs[o])))
            .collect();
        let in_ready = (0..offered.len())
            .map(|i| {
                let mut fed = (0..self.route.len()).filter(|&o| self.route[o] == Some(i)).peekable();
                fed.peek().is_some() && fed.all(|o| self.done[o] || ready[o]) && !self.failed
            })
            .collect();
        let error = if self.failed { 262 } else { 0 };
        Shown { out, ready: in_ready, error, busy: self.done.contains(&true) }
    }

    fn edge(&mut self, offered: &[Option<BenchToken>], ready: &[bool], shown: &Shown) {
        for (o, route) in self.route.iter().enumerate() {
            let leaves = route.is_some_and(|i| offered[i].is_some() && shown.ready[i]);
            self.done[o] = (self.done[o] || shown.out[o].is_some() && ready[o]) && !leaves;
        }
        self.failed |= (0..offered.len()).any(|i| offered[i].is_some() && !self.route.contains(&Some(i)));
    }
}

fn random_shape(rng: &mut Rng) -> SpatialSw {
    let tagged = rng.chance(40);
    let mut types = |n: usize| -> Vec<ChannelType> {
        (0..n)
            .map(|_| ChannelType {
                width: *rng.pick(&[0, 1, 8, 16, 16, 32]),
                tag: if tagged { *rng.pick(&[1, 4, 16]) } else { 0 },
            })
            .collect()
    };
    let (inputs, outputs) = (types(1), types(1));
    let inputs = [inputs, types(4)].concat();
    let outputs = [outputs, types(4)].concat();
    let (n, k) = (1 + rng.below(5), 1 + rng.below(5));
    let density = *rng.pick(&[40, 100]);
    let mut connectivity: Vec<Vec<bool>> =
        (0..k).map(|_| (0..n).map(|_| rng.chance(density)).collect()).collect();
    for row in &mut connectivity {
        let at = rng.below(n);
        row[at] = true;
    }
    SpatialSw {
        inputs: inputs[..n].to_vec(),
        outputs: outputs[..k].to_vec(),
        connectivity,
        decomposable_bits: None,
    }
}

/// Nothing lost, twice or overtaken: an output has its input's tokens, one more when a copy left before the others.
fn check_copies(log: &Log, route: &[Option<usize>], outputs: &[ChannelType]) {
    for (o, input) in route.iter().enumerate() {
        let Some(i) = *input else {
            assert!(log.left[o].is_empty(), "output {o} has no input");
            continue;
        };
        let mut want: Vec<BenchToken> =
            log.taken[i].iter().chain(&log.waiting[i]).map(|t| t.resized(outputs[o])).collect();
        assert!(log.left[o].len() >= log.taken[i].len(), "output {o} lost a token of input {i}");
        want.truncate(log.left[o].len());
        assert_eq!(log.left[o], want, "output {o}");
    }
}

#[test]
fn routes_and_broadcasts_as_the_contract_says() {
    let mut moved = 0;
    for seed in 0..150 {
        let mut rng = Rng::new(seed);
        let sw = random_shape(&mut rng);
        moved += routed(sw, &mut rng, seed);
    }
    assert!(moved > 30_000, "only {moved} tokens");
}

/// Random routes; the tokens that left.
pub fn routed(sw: SpatialSw, rng: &mut Rng, seed: u64) -> usize {
    let component = Component::SpatialSw(sw.clone());
    let mut config = Config::new(&component, 32);
    let route: Vec<Option<usize>> = (0..sw.outputs.len())
        .map(|output| {
            let choices: Vec<usize> = (0..sw.inputs.len()).filter(|&i| sw.connectivity[output][i]).collect();
            let input = *rng.pick(&choices);
            (!rng.chance(15)).then(|| {
                config.set(FieldKind::Route { output, input }, 1);
                input
            })
        })
        .collect();
    // Every fifth run also feeds inputs that lead nowhere, late and rarely.
    let stray = if seed.is_multiple_of(5) { 2 } else { 0 };
    let mut model =
        Plain { sw: sw.clone(), route: route.clone(), done: vec![false; sw.outputs.len()], failed: false };
    let mut bench = TestBench::new(&component, 32, &config, seed);
    assert_eq!(bench.config_error(), 0);
    let stalls = StallRates::random(rng);
    let log = bench.run(&mut model, rng, stalls, 300, &mut |rng, i| {
        (route.contains(&Some(i)) || rng.chance(stray)).then(|| BenchToken::random(rng, sw.inputs[i]))
    });
    check_copies(&log, &route, &sw.outputs);
    assert!(stray > 0 || log.error == 0);
    log.left.iter().map(Vec::len).sum()
}

#[test]
fn a_broadcast_runs_at_full_rate() {
    let w = ChannelType::bits(32);
    let connectivity = vec![vec![true; 2]; 3];
    let sw = SpatialSw { inputs: vec![w; 2], outputs: vec![w; 3], connectivity, decomposable_bits: None };
    let component = Component::SpatialSw(sw.clone());
    let mut config = Config::new(&component, 32);
    for output in 0..3 {
        config.set(FieldKind::Route { output, input: 1 }, 1);
    }
    let mut model = Plain { sw, route: vec![Some(1); 3], done: vec![false; 3], failed: false };
    let mut bench = TestBench::new(&component, 32, &config, 0);
    let stalls = StallRates { sources: 0, sinks: 0 };
    let log = bench.run(&mut model, &mut Rng::new(0), stalls, 100, &mut |rng, i| {
        (i == 1).then(|| BenchToken::random(rng, w))
    });
    assert_eq!(log.left.iter().map(Vec::len).collect::<Vec<_>>(), [100; 3]);
}

#[test]
fn two_routes_of_an_output_are_error_1() {
    for seed in 0..100 {
        let mut rng = Rng::new(seed);
        let sw = random_shape(&mut rng);
        routed_twice(sw, &mut rng, seed);
    }
}

/// Any routes: an output with two of them is told.
pub fn routed_twice(sw: SpatialSw, rng: &mut Rng, seed: u64) {
    let component = Component::SpatialSw(sw.clone());
    let mut config = Config::new(&component, 32);
    let mut most = 0;
    for (output, row) in sw.connectivity.iter().enumerate() {
        let mut set = 0;
        for input in (0..row.len()).filter(|&i| row[i]) {
            if rng.chance(30) {
                config.set(FieldKind::Route { output, input }, 1);
                set += 1;
            }
        }
        most = most.max(set);
    }
    let got = TestBench::new(&component, 32, &config, seed).config_error();
    assert_eq!(got, u16::from(most > 1), "seed {seed}: {most} routes of one output");
}

/// The switch with lanes; `source[o][lane]` is the (input, lane) that feeds it.
struct Lanes {
    sw: SpatialSw,
    lane: u32,
    source: Vec<Vec<Option<(usize, usize)>>>,
    done: Vec<Vec<bool>>,
    failed: bool,
}

impl Lanes {
    /// S(o).
    fn feeds(&self, o: usize, i: usize) -> bool {
        self.source[o].iter().flatten().any(|&(input, _)| input == i)
    }

    fn joined(&self, o: usize, token: &dyn Fn(usize) -> BenchToken) -> BenchToken {
        let mut data = 0;
        for (at, source) in self.source[o].iter().enumerate() {
            if let Some((input, lane)) = source {
                let bits = token(*input).data >> (*lane as u32 * self.lane) & ((1 << self.lane) - 1);
                data |= bits << (at as u32 * self.lane);
            }
        }
        BenchToken { data, tag: 0 }
    }

    fn inputs_of(&self, o: usize) -> Vec<usize> {
        (0..self.sw.inputs.len()).filter(|&i| self.feeds(o, i)).collect()
    }
}

impl ContractModel for Lanes {
    fn show(&self, offered: &[Option<BenchToken>], ready: &[bool]) -> Shown {
        let out: Vec<Option<BenchToken>> = (0..self.source.len())
            .map(|o| {
                let of = self.inputs_of(o);
                let valid = !of.is_empty() && of.iter().all(|&i| offered[i].is_some() && !self.done[o][i]);
                valid.then(|| self.joined(o, &|i| offered[i].expect("valid")))
            })
            .collect();
        let fire = |o: usize| out[o].is_some() && ready[o];
        let in_ready = (0..offered.len())
            .map(|i| {
                let fed: Vec<usize> = (0..out.len()).filter(|&o| self.feeds(o, i)).collect();
                !fed.is_empty() && fed.iter().all(|&o| self.done[o][i] || fire(o)) && !self.failed
            })
            .collect();
        let busy = self.done.iter().flatten().any(|&d| d);
        Shown { out, ready: in_ready, error: if self.failed { 262 } else { 0 }, busy }
    }

    fn edge(&mut self, offered: &[Option<BenchToken>], ready: &[bool], shown: &Shown) {
        for o in 0..self.source.len() {
            for i in 0..offered.len() {
                let fire = shown.out[o].is_some() && ready[o] && self.feeds(o, i);
                let leaves = offered[i].is_some() && shown.ready[i];
                self.done[o][i] = (self.done[o][i] || fire) && !leaves;
            }
        }
        let outputs = 0..self.source.len();
        self.failed |=
            (0..offered.len()).any(|i| offered[i].is_some() && !outputs.clone().any(|o| self.feeds(o, i)));
    }
}

#[test]
fn lanes_are_joined_as_the_contract_says() {
    let mut moved = 0;
    for seed in 0..120 {
        let mut rng = Rng::new(seed);
        let lane = *rng.pick(&[1, 4, 8]);
        let mut ports = |n: usize| -> Vec<ChannelType> {
            (0..n).map(|_| ChannelType::bits(lane * (1 + rng.below(3) as u32))).collect()
        };
        let (inputs, outputs) = (ports(3), ports(3));
        let mut connectivity: Vec<Vec<bool>> =
            (0..3).map(|_| (0..3).map(|_| rng.chance(70)).collect()).collect();
        for row in &mut connectivity {
            let at = rng.below(3);
            row[at] = true;
        }
        let sw = SpatialSw { inputs, outputs, connectivity, decomposable_bits: Some(lane) };
        moved += joined(sw, &mut rng, seed);
    }
    assert!(moved > 8_000, "only {moved} tokens");
}

/// Random lane routes of a switch of 3 by 3; the tokens that left.
pub fn joined(sw: SpatialSw, rng: &mut Rng, seed: u64) -> usize {
    let lane = sw.decomposable_bits.expect("a switch with lanes");
    let mut moved = 0;
    let component = Component::SpatialSw(sw.clone());
    let mut config = Config::new(&component, 32);
    let mut source = Vec::new();
    for (output, ty) in sw.outputs.iter().enumerate() {
        let used = !rng.chance(20);
        source.push(
            (0..(ty.width / lane) as usize)
                .map(|output_lane| {
                    let choices: Vec<usize> = (0..3).filter(|&i| sw.connectivity[output][i]).collect();
                    let input = *rng.pick(&choices);
                    let input_lane = rng.below((sw.inputs[input].width / lane) as usize);
                    (used && !rng.chance(10)).then(|| {
                        config.set(FieldKind::LaneRoute { output, output_lane, input, input_lane }, 1);
                        (input, input_lane)
                    })
                })
                .collect(),
        );
    }
    let mut model = Lanes { sw: sw.clone(), lane, source, done: vec![vec![false; 3]; 3], failed: false };
    let mut bench = TestBench::new(&component, 32, &config, seed);
    assert_eq!(bench.config_error(), 0);
    let stalls = StallRates::random(rng);
    let fed: Vec<bool> = (0..3).map(|i| (0..3).any(|o| model.feeds(o, i))).collect();
    let stray = if seed.is_multiple_of(6) { 2 } else { 0 };
    let log = bench.run(&mut model, rng, stalls, 300, &mut |rng, i| {
        (fed[i] || rng.chance(stray)).then(|| BenchToken::random(rng, sw.inputs[i]))
    });
    for o in 0..3 {
        for (k, token) in log.left[o].iter().enumerate() {
            let kth = |i: usize| log.taken[i].get(k).copied().or(log.waiting[i]).expect("a token was there");
            assert_eq!(*token, model.joined(o, &kth), "seed {seed}: token {k} of output {o}");
        }
        let least = model.inputs_of(o).into_iter().map(|i| log.taken[i].len()).max().unwrap_or(0);
        assert!(log.left[o].len() >= least, "seed {seed}: output {o} lost a token");
        moved += log.left[o].len();
    }
    moved
}

/// Every pair of routes, and every route alone.
pub fn two_routes_of_a_lane_are_error_1() {
    let w = ChannelType::bits(8);
    let connectivity = vec![vec![true; 3]; 3];
    let sw = SpatialSw { inputs: vec![w; 3], outputs: vec![w; 3], connectivity, decomposable_bits: Some(4) };
    let component = Component::SpatialSw(sw);
    let mut module = Evaluator::new(&planted(&parts::component(&component, 32)));
    let mut error = |routes: &[FieldKind]| {
        let mut config = Config::new(&component, 32);
        routes.iter().for_each(|route| config.set(*route, 1));
        module.set("cfg", config.bits());
        module.get_u64("error_code")
    };
    let target = |k: &FieldKind| match *k {
        FieldKind::LaneRoute { output, output_lane, .. } => (output, output_lane),
        _ => unreachable!("a switch of lanes has lane routes only"),
    };
    let routes: Vec<FieldKind> = Config::new(&component, 32).layout.fields.iter().map(|f| f.kind).collect();
    for (at, a) in routes.iter().enumerate() {
        assert_eq!(error(&[*a]), 0, "{a} alone");
        for b in &routes[at + 1..] {
            assert_eq!(error(&[*a, *b]), u64::from(target(a) == target(b)), "{a} and {b}");
        }
    }
}

tests! { two_routes_of_a_lane_are_error_1 }
