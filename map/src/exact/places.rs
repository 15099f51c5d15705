//! Placement as clauses: every node on one candidate, every port and site for one; accesses as regions allow.

use super::alike;
use super::sat::Sat;
use super::turns::{Interval, Turn, Turns};
use crate::model::memory;
use crate::model::problem::Problem;
use crate::model::resources::NO_WAY;
use crate::model::site::Site;
use batsat::Lit;
use std::collections::BTreeMap;

/// Sites that are alike, of one node.
struct Group {
    class: usize,
    /// Whether the node is at one of them.
    inside: Lit,
    sites: Vec<usize>,
}

/// Where everything may be.
pub struct PlaceLiterals {
    /// By node, then by candidate: whether it is there.
    pub at: Vec<Vec<Lit>>,
    /// By argument, then by choice of ports.
    pub arguments: Vec<Vec<Lit>>,
    /// By result, then by choice of ports.
    pub outputs: Vec<Vec<Lit>>,
    /// By site: the first one like it.
    class: Vec<usize>,
    /// By node: the classes that it may be in.
    groups: Vec<Vec<Group>>,
    /// By node and memory port: whether an access is there.
    on_unit: BTreeMap<(usize, usize), Lit>,
}

impl PlaceLiterals {
    /// The clauses of a legal placement.
    pub fn new(problem: &Problem, sat: &mut Sat) -> PlaceLiterals {
        let mut one_of = |count: usize| -> Vec<Lit> { (0..count).map(|_| sat.var()).collect() };
        let at: Vec<Vec<Lit>> = problem.candidates.iter().map(|list| one_of(list.len())).collect();
        let arguments: Vec<Vec<Lit>> = problem.inputs.iter().map(|p| one_of(p.ports.len())).collect();
        let outputs: Vec<Vec<Lit>> = problem.outputs.iter().map(|p| one_of(p.ports.len())).collect();
        let class = alike::classes(problem);
        let mut places =
            PlaceLiterals { at, arguments, outputs, class, groups: Vec::new(), on_unit: BTreeMap::new() };
        for list in places.at.iter().chain(&places.arguments).chain(&places.outputs) {
            // An argument without uses is nowhere.
            if !list.is_empty() {
                sat.clause(list.iter().copied());
                sat.at_most_one(list, None);
            }
        }
        places.sites(problem, sat);
        places.group(problem, sat);
        for (choices, literals) in [(&problem.inputs, &places.arguments), (&problem.outputs, &places.outputs)]
        {
            let mut by_port: BTreeMap<usize, Vec<Lit>> = BTreeMap::new();
            for (choice, list) in choices.iter().zip(literals) {
                choice.ports.iter().zip(list).for_each(|(&k, &l)| by_port.entry(k).or_default().push(l));
            }
            by_port.values().for_each(|here| sat.at_most_one(here, None));
        }
        places
    }

    fn sites(&mut self, problem: &Problem, sat: &mut Sat) {
        let resources = &problem.resources;
        let mut here: Vec<Vec<(usize, Lit)>> = vec![Vec::new(); resources.sites.len()];
        for (n, list) in problem.candidates.iter().enumerate() {
            for (&site, &l) in list.iter().zip(&self.at[n]) {
                here[resources.site(site)].push((n, l));
            }
        }
        for list in &here {
            let literals: Vec<Lit> = list.iter().map(|&(_, l)| l).collect();
            sat.at_most_one(&literals, None);
        }
        // Of PEs that are alike the first ones are taken, by nodes in their order: everything else is the same but for names.
        let mut before: BTreeMap<usize, usize> = BTreeMap::new();
        for site in 0..resources.pes {
            if let Some(last) = before.insert(self.class[site], site) {
                for &(n, l) in &here[site] {
                    sat.implies(&[l], here[last].iter().filter(|&&(m, _)| m < n).map(|&(_, l)| l));
                }
            }
        }
        let memory = |n: usize| memory::access(problem.graph.nodes[n].op).map(|a| a.0);
        for site in 0..resources.sites.len() {
            // The two lanes of one number serve one memory, for a region holds both.
            if let Some(partner) = resources.partner(site).filter(|&p| p > site) {
                for &(a, at) in &here[site] {
                    for &(b, there) in here[partner].iter().filter(|&&(b, _)| memory(a) != memory(b)) {
                        debug_assert_ne!(a, b);
                        sat.implies(&[at, there], []);
                    }
                }
            }
            if let Some(unit) = resources.shared_unit(site) {
                for &(n, l) in &here[site] {
                    let on = *self.on_unit.entry((n, unit)).or_insert_with(|| sat.var());
                    sat.implies(&[l], [on]);
                }
            }
        }
    }

    fn group(&mut self, problem: &Problem, sat: &mut Sat) {
        for (list, at) in problem.candidates.iter().zip(&self.at) {
            let mut classes: BTreeMap<usize, (Vec<Lit>, Vec<usize>)> = BTreeMap::new();
            for (&site, &l) in list.iter().zip(at) {
                let number = problem.resources.site(site);
                let (literals, sites) = classes.entry(self.class[number]).or_default();
                literals.push(l);
                sites.push(number);
            }
            let group = |(class, (literals, sites)): (usize, (Vec<Lit>, Vec<usize>))| {
                let inside = sat.var();
                literals.iter().for_each(|&l| sat.implies(&[l], [inside]));
                sat.implies(&[inside], literals);
                Group { class, inside, sites }
            };
            self.groups.push(classes.into_iter().map(group).collect());
        }
    }

    /// Fewest registers on a connection between sites of two groups.
    fn between(problem: &Problem, turn: &Turn, a: &Group, b: &Group) -> u8 {
        let distance = |to: usize| problem.resources.distance(a.sites[0], to);
        match (turn.from == turn.to, a.class == b.class) {
            (true, false) => NO_WAY,
            (true, true) | (false, false) => distance(b.sites[0]),
            // Two nodes never share a site.
            (false, true) => a.sites.get(1).map_or(NO_WAY, |&second| distance(second)),
        }
    }

    /// Registers between the two sites of a connection that are furthest apart.
    pub fn furthest(&self, problem: &Problem, turn: &Turn) -> u8 {
        let (from, to) = (&self.groups[turn.from], &self.groups[turn.to]);
        let all = from.iter().flat_map(|a| to.iter().map(move |b| Self::between(problem, turn, a, b)));
        all.filter(|&d| d != NO_WAY).max().unwrap_or(0)
    }

    /// Where a literal holds, or always where there is none, the two nodes of a connection are at most so many registers apart.
    pub fn keep_near(&self, problem: &Problem, sat: &mut Sat, turn: &Turn, registers: u8, when: Option<Lit>) {
        for a in &self.groups[turn.from] {
            let near = (self.groups[turn.to].iter())
                .filter(|b| Self::between(problem, turn, a, b) <= registers)
                .map(|b| b.inside);
            let when: Vec<Lit> = [a.inside].into_iter().chain(when).collect();
            sat.implies(&when, near);
        }
    }

    /// Leaves out units that fire too seldom for an interval below this.
    pub fn below(&self, problem: &Problem, sat: &mut Sat, target: Interval) {
        for (units, list) in problem.units.iter().zip(&self.at) {
            for (unit, &l) in units.iter().zip(list) {
                let own = Interval { cycles: unit.interval.max(1) as u64, tokens: 1 };
                if !own.is_below(target) {
                    sat.clause([!l]);
                }
            }
        }
    }

    /// By node: its site in the model found last.
    pub fn found(&self, problem: &Problem, sat: &Sat) -> Vec<Site> {
        let one = |(list, at): (&Vec<Site>, &Vec<Lit>)| {
            let option = at.iter().position(|&l| sat.holds(l));
            list[option.expect("every node is somewhere")]
        };
        problem.candidates.iter().zip(&self.at).map(one).collect()
    }

    /// Forbids, of a placement, more nodes of one rate at one memory port than fire there in an interval below the target;
    /// whether there were any.
    pub fn part(
        &self,
        turns: &Turns,
        problem: &Problem,
        sat: &mut Sat,
        sites: &[Site],
        target: Interval,
    ) -> bool {
        let most = target.reached_with(1) as usize;
        let mut any = false;
        for ((unit, _), nodes) in turns.sharing(problem, sites) {
            if nodes.len() >= most {
                any = true;
                sat.clause(nodes[..most].iter().map(|&n| !self.on_unit[&(n, unit)]));
            }
        }
        any
    }
}
