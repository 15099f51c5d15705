//! Placement and routing together: each value a tree of channels from where its node is to where its users are, no channel in two.
//!
//! A channel that a value takes has one before it that the value takes too, or is where it starts. That alone would let a value go
//! round in a loop that it never enters; a model that has one is refused, and the loop must be entered from then on. Of values
//! on recurrences it is known within how many registers each channel is reached, as far as circles that were too slow asked for it.

use super::nearest::{faster, fewest};
use super::places::PlaceLiterals;
use super::sat::{Answer, Conflicts, Sat};
use super::turns::{Interval, Turns};
use crate::model::place::Place;
use crate::model::problem::Problem;
use crate::model::resources::{RouteTarget, NO_WAY};
use crate::model::site::Site;
use crate::route::RouteTree;
use crate::timing::routed;
use batsat::Lit;
use loom_adg::ChannelId;
use loom_dfg::graph::{Use, ValueDef};
use loom_dfg::ValueId;
use std::collections::{BTreeMap, VecDeque};

/// One use of a value.
struct End {
    use_: Use,
    /// Channels it may come by.
    by: BTreeMap<u32, Lit>,
    /// For 0, 1, ...: whether at most so many registers lie before it.
    within: Vec<Lit>,
}

/// The channels into a place, and what must hold for a use to be there.
type Entrance = (Vec<u32>, Lit);

/// One value.
struct Net {
    value: ValueId,
    /// Channels that it may take.
    takes: BTreeMap<u32, Lit>,
    /// Those among them that it may start in.
    starts: Vec<u32>,
    ends: Vec<End>,
    /// For 0, 1, ...: by channel, whether it is reached within so many registers.
    reached: Vec<BTreeMap<u32, Lit>>,
}

/// What may be lifted, so that what cannot be had says why.
pub struct Grounds {
    /// By value that travels: whether it must arrive.
    pub values: Vec<(ValueId, Lit)>,
    /// By channel: whether it has room for one value only.
    pub channels: Vec<(ChannelId, Lit)>,
}

/// The search for placements with their routes.
pub struct Ways<'a> {
    problem: &'a Problem<'a>,
    turns: &'a Turns,
    sat: Sat,
    places: PlaceLiterals,
    nets: Vec<Net>,
    /// By channel: what leads to it, with the registers between.
    before: Vec<Vec<(u32, u32)>>,
    /// By connection of a recurrence: the use of the value.
    use_of: Vec<(usize, usize)>,
    grounds: Option<Grounds>,
    /// Where it is assumed, no use has more registers before it than sites lie apart: that a value goes round in a loop is excluded then.
    short: Option<Lit>,
}

/// Which values are routed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those on recurrences, to their uses there.
    Turning,
    /// All of them.
    All,
    /// All of them, with grounds that can be lifted.
    Explained,
}

/// A placement with its routes.
pub struct Found {
    /// Where everything sits.
    pub place: Place,
    /// By value that travels: its ways.
    pub trees: Vec<RouteTree>,
}

impl<'a> Ways<'a> {
    /// All placements and routes.
    pub fn new(problem: &'a Problem<'a>, turns: &'a Turns, budget: &Conflicts, scope: Scope) -> Ways<'a> {
        let mut sat = Sat::new(budget);
        let places = PlaceLiterals::new(problem, &mut sat);
        let mut before = vec![Vec::new(); problem.resources.hops.len()];
        for (c, hops) in problem.resources.hops.iter().enumerate() {
            for hop in hops {
                before[hop.to.0 as usize].push((c as u32, hop.delay));
            }
        }
        let grounds =
            (scope == Scope::Explained).then(|| Grounds { values: Vec::new(), channels: Vec::new() });
        let (nets, use_of) = (Vec::new(), Vec::new());
        let mut ways = Ways { problem, turns, sat, places, nets, before, use_of, grounds, short: None };
        for (value, mut uses) in routed::routed_values(problem.graph) {
            let turns = |u: &Use| turns.list.iter().any(|t| t.value == value && t.is(*u));
            uses.retain(|u| scope != Scope::Turning || turns(u));
            if !uses.is_empty() {
                ways.net(value, &uses);
            }
        }
        ways.share();
        let place_of = |t: &super::turns::Turn| {
            let net = ways.nets.iter().position(|n| n.value == t.value)?;
            Some((net, ways.nets[net].ends.iter().position(|e| t.is(e.use_))?))
        };
        ways.use_of = turns.list.iter().map(|t| place_of(t).expect("what turns travels")).collect();
        if scope == Scope::All {
            ways.keep_short();
        }
        ways
    }

    /// Assumes of every use that it is no further away than the furthest sites, and one register more.
    fn keep_short(&mut self) {
        let resources = &self.problem.resources;
        let sites = 0..resources.sites.len();
        let all = sites.clone().flat_map(|a| sites.clone().map(move |b| resources.distance(a, b)));
        let most = usize::from(all.filter(|&d| d != NO_WAY).max().unwrap_or(0)) + 1;
        let short = self.sat.var();
        for n in 0..self.nets.len() {
            for e in 0..self.nets[n].ends.len() {
                let within = self.within(n, e, most);
                self.sat.implies(&[short], [within]);
            }
        }
        self.short = Some(short);
    }

    /// Keeps each connection of a recurrence below what makes one of its circles too slow by itself.
    fn keep_below(&mut self, target: Interval) {
        for t in 0..self.turns.list.len() {
            let (n, e) = self.use_of[t];
            match self.turns.most_registers(self.problem, t, target) {
                None => self.sat.clause([]),
                Some(most) => {
                    let within = self.within(n, e, most as usize);
                    self.sat.clause([within]);
                }
            }
        }
    }

    /// Where a value may start: channels, each with what must hold for it.
    fn starts(&self, value: ValueId) -> Vec<(u32, Lit)> {
        let Problem { resources, candidates, inputs, .. } = self.problem;
        let mut starts = Vec::new();
        match self.problem.graph.value(value).def {
            ValueDef::Literal(_) => {}
            ValueDef::Argument(a) => {
                for (&k, &l) in inputs[a].ports.iter().zip(&self.places.arguments[a]) {
                    let channels = resources.starts(crate::model::resources::RouteStart::Input(k));
                    starts.extend(channels.into_iter().map(|c| (c.0, l)));
                }
            }
            ValueDef::Result { node, result } => {
                let n = node.0 as usize;
                for (&site, &l) in candidates[n].iter().zip(&self.places.at[n]) {
                    match resources.lane(site) {
                        Some(lane) => starts.push((lane.answers[result].0, l)),
                        None => starts.extend(resources.outs[resources.site(site)].iter().map(|c| (c.0, l))),
                    }
                }
            }
        }
        starts
    }

    /// Where a use may be: targets, each with what must hold for it.
    fn targets(&self, use_: Use) -> Vec<(RouteTarget, Lit)> {
        let Problem { resources, candidates, outputs, .. } = self.problem;
        match use_ {
            Use::Output(o) => {
                let choices = outputs[o].ports.iter().zip(&self.places.outputs[o]);
                choices.map(|(&k, &l)| (RouteTarget::Output(k), l)).collect()
            }
            Use::Operand { node, operand } => {
                let n = node.0 as usize;
                let target = |site: Site| match resources.lane(site) {
                    Some(lane) => RouteTarget::Channel(lane.requests[operand]),
                    None => RouteTarget::Pe(site.component),
                };
                candidates[n].iter().zip(&self.places.at[n]).map(|(&site, &l)| (target(site), l)).collect()
            }
        }
    }

    /// The clauses of one value.
    fn net(&mut self, value: ValueId, uses: &[Use]) {
        let resources = &self.problem.resources;
        let width = self.problem.widths[value.0 as usize];
        let wide = |c: u32| resources.width[c as usize] >= width;
        let mut starts = self.starts(value);
        starts.retain(|s| wide(s.0));
        let ends: Vec<(Use, Vec<Entrance>)> = (uses.iter())
            .map(|&use_| {
                let channels = |target: RouteTarget| -> Vec<u32> {
                    let all = 0..resources.hops.len() as u32;
                    all.filter(|&c| wide(c) && resources.ends_at(ChannelId(c), target)).collect()
                };
                (use_, self.targets(use_).into_iter().map(|(t, l)| (channels(t), l)).collect())
            })
            .collect();
        let into = ends.iter().flat_map(|(_, list)| list.iter().flat_map(|(channels, _)| channels));
        let useful = self.useful(&starts, into.copied(), &wide);
        let takes: BTreeMap<u32, Lit> = useful.into_iter().map(|c| (c, self.sat.var())).collect();
        starts.retain(|s| takes.contains_key(&s.0));
        let must = self.grounds.as_mut().map(|grounds| {
            let must = self.sat.var();
            grounds.values.push((value, must));
            must
        });
        // It starts in one channel of where its node is.
        let mut by_place: BTreeMap<Lit, Vec<u32>> = BTreeMap::new();
        for &(c, at) in &starts {
            self.sat.implies(&[takes[&c]], [at]);
            by_place.entry(at).or_default().push(c);
        }
        for channels in by_place.values() {
            let literals: Vec<Lit> = channels.iter().map(|c| takes[c]).collect();
            self.sat.at_most_one(&literals, None);
        }
        let starts: Vec<u32> = starts.into_iter().map(|s| s.0).collect();
        let is_start = |c: &u32| starts.contains(c);
        for (&c, &l) in takes.iter().filter(|(c, _)| !is_start(c)) {
            let before = self.before[c as usize].iter().filter_map(|(b, _)| takes.get(b).copied());
            self.sat.implies(&[l], before);
        }
        let ends: Vec<End> =
            ends.into_iter().map(|(use_, list)| self.end(use_, list, &takes, must)).collect();
        // A channel into a node is one operand's.
        let mut operands: BTreeMap<u32, Vec<Lit>> = BTreeMap::new();
        for end in &ends {
            end.by.iter().for_each(|(&c, &l)| operands.entry(c).or_default().push(l));
        }
        for (c, list) in operands {
            self.sat.at_most_one(&list, None);
            self.sat.implies(&[takes[&c]], list);
        }
        self.nets.push(Net { value, takes, starts, ends, reached: Vec::new() });
    }

    /// A use comes by one channel of where it is.
    fn end(&mut self, use_: Use, list: Vec<Entrance>, takes: &BTreeMap<u32, Lit>, must: Option<Lit>) -> End {
        let mut by = BTreeMap::new();
        for (channels, at) in list {
            let here: Vec<Lit> = (channels.iter().filter(|c| takes.contains_key(c)))
                .map(|&c| {
                    let l = self.sat.var();
                    self.sat.implies(&[l], [at]);
                    self.sat.implies(&[l], [takes[&c]]);
                    by.insert(c, l);
                    l
                })
                .collect();
            let when: Vec<Lit> = [at].into_iter().chain(must).collect();
            self.sat.implies(&when, here.iter().copied());
            self.sat.at_most_one(&here, None);
        }
        End { use_, by, within: Vec::new() }
    }

    /// Channels on any way from a start to an end.
    fn useful(
        &self,
        starts: &[(u32, Lit)],
        ends: impl Iterator<Item = u32>,
        wide: &dyn Fn(u32) -> bool,
    ) -> Vec<u32> {
        let hops = &self.problem.resources.hops;
        let spread = |todo: Vec<u32>, next: &dyn Fn(u32) -> Vec<u32>| {
            let mut seen = vec![false; hops.len()];
            let mut todo = todo;
            todo.iter().for_each(|&c| seen[c as usize] = true);
            while let Some(c) = todo.pop() {
                for n in next(c) {
                    if wide(n) && !std::mem::replace(&mut seen[n as usize], true) {
                        todo.push(n);
                    }
                }
            }
            seen
        };
        let from = spread(starts.iter().map(|s| s.0).collect(), &|c| {
            hops[c as usize].iter().map(|h| h.to.0).collect()
        });
        let to = spread(ends.collect(), &|c| self.before[c as usize].iter().map(|b| b.0).collect());
        (0..hops.len() as u32).filter(|&c| from[c as usize] && to[c as usize]).collect()
    }

    /// No channel is taken by two values.
    fn share(&mut self) {
        let mut takers: BTreeMap<u32, Vec<Lit>> = BTreeMap::new();
        for net in &self.nets {
            net.takes.iter().for_each(|(&c, &l)| takers.entry(c).or_default().push(l));
        }
        for (c, list) in takers.into_iter().filter(|(_, list)| list.len() > 1) {
            let alone = self.grounds.as_mut().map(|grounds| {
                let alone = self.sat.var();
                grounds.channels.push((ChannelId(c), alone));
                alone
            });
            self.sat.at_most_one(&list, alone.map(|l| !l));
        }
    }

    /// A mapping whose interval is below the target, or any where there is none. Intervals asked for must not grow.
    pub fn below(&mut self, target: Option<Interval>) -> Result<Found, Answer> {
        if let Some(target) = target {
            self.places.below(self.problem, &mut self.sat, target);
            self.keep_below(target);
        }
        loop {
            let all: Vec<Lit> = self.grounds.iter().flat_map(Grounds::all).chain(self.short).collect();
            match self.sat.solve(&all) {
                Answer::Yes => {}
                // Longer ways may do what short ones do not.
                Answer::No if self.short.take().is_some_and(|l| self.sat.refused(&all).contains(&l)) => {
                    continue
                }
                other => return Err(other),
            }
            let sites = self.places.found(self.problem, &self.sat);
            let trees: Option<Vec<RouteTree>> = {
                let trees: Vec<Option<RouteTree>> = (0..self.nets.len()).map(|n| self.tree(n)).collect();
                trees.into_iter().collect()
            };
            let Some(trees) = trees else { continue };
            let Some(target) = target else { return Ok(self.found(sites, trees)) };
            let registers: Vec<u64> =
                (self.use_of.iter()).map(|&(n, e)| routed::registers(&trees[n], trees[n].ends[e])).collect();
            let stages = |e: usize| self.turns.stages(self.problem, &sites, e);
            let circles = self.turns.too_slow(target, &|e| stages(e) + registers[e]);
            let parted = self.places.part(self.turns, self.problem, &mut self.sat, &sites, target);
            if circles.is_empty() && !parted {
                return Ok(self.found(sites, trees));
            }
            for circle in circles {
                let fixed = circle.iter().map(|&e| stages(e)).sum();
                let own = circle.iter().map(|&e| registers[e]).collect();
                let needed = fewest(own, fixed, target.reached_with(self.turns.tokens(&circle)));
                let mut literals = faster(self.problem, self.turns, &self.places, &circle, &sites);
                for (&e, &k) in circle.iter().zip(&needed).filter(|(_, &k)| k > 0) {
                    let (n, end) = self.use_of[e];
                    literals.push(self.within(n, end, k as usize - 1));
                }
                self.sat.clause(literals);
            }
        }
    }

    /// Whether at most so many registers lie before a use.
    fn within(&mut self, n: usize, end: usize, most: usize) -> Lit {
        while self.nets[n].reached.len() <= most {
            self.layer(n);
        }
        let Ways { nets, sat, .. } = self;
        let net = &mut nets[n];
        while net.ends[end].within.len() <= most {
            let end = &mut net.ends[end];
            let (k, l) = (end.within.len(), sat.var());
            for (c, &by) in &end.by {
                sat.implies(&[l, by], [net.reached[k][c]]);
            }
            if let Some(&fewer) = end.within.last() {
                sat.implies(&[fewer], [l]);
            }
            end.within.push(l);
        }
        net.ends[end].within[most]
    }

    /// Says of every channel of a value whether it is reached within one register more.
    fn layer(&mut self, n: usize) {
        let Ways { nets, sat, before, .. } = self;
        let net = &mut nets[n];
        let layer: BTreeMap<u32, Lit> = net.takes.keys().map(|&c| (c, sat.var())).collect();
        let last = net.reached.last();
        for (&c, &l) in &layer {
            sat.implies(&[l], [net.takes[&c]]);
            if let Some(last) = last {
                sat.implies(&[last[&c]], [l]);
            }
            if net.starts.contains(&c) {
                sat.implies(&[net.takes[&c]], [l]);
                continue;
            }
            let from = before[c as usize].iter().filter_map(|(b, delay)| match delay {
                0 => layer.get(b).copied(),
                _ => last?.get(b).copied(),
            });
            sat.implies(&[l], from);
        }
        net.reached.push(layer);
    }

    /// The tree of a value in the model found last, with the fewest registers; `None` where it goes round in a loop that it
    /// never enters, which is forbidden.
    fn tree(&mut self, n: usize) -> Option<RouteTree> {
        let net = &self.nets[n];
        let taken = |c: u32| net.takes.get(&c).is_some_and(|&l| self.sat.holds(l));
        let hops = &self.problem.resources.hops;
        let mut tree = RouteTree::default();
        let mut from: BTreeMap<u32, (u64, Option<(ChannelId, crate::Step)>)> = BTreeMap::new();
        let mut todo: VecDeque<(u32, u64)> = VecDeque::new();
        if let Some(&start) = net.starts.iter().find(|&&c| taken(c)) {
            tree.source = Some(ChannelId(start));
            from.insert(start, (0, None));
            todo.push_back((start, 0));
        }
        while let Some((c, registers)) = todo.pop_front() {
            if from[&c].0 < registers {
                continue;
            }
            for hop in hops[c as usize].iter().filter(|h| taken(h.to.0)) {
                let (to, there) = (hop.to.0, registers + u64::from(hop.delay));
                if from.get(&to).is_none_or(|f| there < f.0) {
                    from.insert(to, (there, Some((ChannelId(c), hop.step))));
                    match hop.delay {
                        0 => todo.push_front((to, there)),
                        _ => todo.push_back((to, there)),
                    }
                }
            }
        }
        let mut lost = Vec::new();
        for end in &net.ends {
            let by = end.by.iter().find(|(_, &l)| self.sat.holds(l)).map(|(&c, _)| c);
            // Where it need not arrive it has none.
            let Some(mut c) = by else { continue };
            tree.ends.push(ChannelId(c));
            if !from.contains_key(&c) {
                lost.push(c);
                continue;
            }
            loop {
                let before = from[&c].1;
                tree.channels.insert(ChannelId(c), (before, 0));
                match before {
                    Some((next, _)) => c = next.0,
                    None => break,
                }
            }
        }
        if lost.is_empty() {
            return Some(tree);
        }
        let loops: Vec<Vec<u32>> = lost.iter().map(|&c| self.behind(n, c)).collect();
        loops.iter().for_each(|inside| self.enter(n, inside));
        None
    }

    /// What a value takes on its ways to a channel.
    fn behind(&self, n: usize, c: u32) -> Vec<u32> {
        let net = &self.nets[n];
        let mut inside = vec![c];
        let mut at = 0;
        while let Some(&c) = inside.get(at) {
            at += 1;
            for (b, _) in &self.before[c as usize] {
                let taken = net.takes.get(b).is_some_and(|&l| self.sat.holds(l));
                if taken && !inside.contains(b) {
                    inside.push(*b);
                }
            }
        }
        inside
    }

    /// What is taken of these channels must be entered from outside.
    fn enter(&mut self, n: usize, inside: &[u32]) {
        let Ways { nets, sat, before, .. } = self;
        let net = &nets[n];
        let mut doors: Vec<u32> =
            inside.iter().flat_map(|&c| before[c as usize].iter().map(|b| b.0)).collect();
        doors.sort_unstable();
        doors.dedup();
        doors.retain(|b| !inside.contains(b));
        let doors: Vec<Lit> = doors.iter().filter_map(|b| net.takes.get(b).copied()).collect();
        for i in inside {
            sat.implies(&[net.takes[i]], doors.iter().copied());
        }
    }

    fn found(&self, sites: Vec<Site>, trees: Vec<RouteTree>) -> Found {
        let Problem { inputs, outputs, .. } = self.problem;
        let chosen = |list: &[Lit]| list.iter().position(|&l| self.sat.holds(l));
        let arguments = inputs.iter().zip(&self.places.arguments);
        let results = outputs.iter().zip(&self.places.outputs);
        let place = Place {
            nodes: sites,
            arguments: arguments.map(|(choice, list)| chosen(list).map(|o| choice.ports[o])).collect(),
            outputs: results.map(|(choice, list)| choice.ports[chosen(list).expect("one port")]).collect(),
        };
        Found { place, trees }
    }

    /// Grounds that suffice for there being none, after it was said: none of them can be left out, as far as the budget goes.
    pub fn why(&mut self) -> (Vec<ValueId>, Vec<ChannelId>) {
        let Some(grounds) = self.grounds.take() else { return Default::default() };
        let all: Vec<Lit> = grounds.all().collect();
        let mut core = self.sat.refused(&all);
        let mut at = 0;
        while at < core.len() {
            let mut fewer = core.clone();
            fewer.remove(at);
            match self.sat.solve(&fewer) {
                Answer::No => core = self.sat.refused(&fewer),
                Answer::Yes => at += 1,
                Answer::Unknown => break,
            }
        }
        let values = grounds.values.iter().filter(|v| core.contains(&v.1)).map(|v| v.0).collect();
        (values, grounds.channels.iter().filter(|c| core.contains(&c.1)).map(|c| c.0).collect())
    }
}

impl Grounds {
    fn all(&self) -> impl Iterator<Item = Lit> + '_ {
        // Values first: a core is found in the order of what is assumed.
        self.values.iter().map(|v| v.1).chain(self.channels.iter().map(|c| c.1))
    }
}
