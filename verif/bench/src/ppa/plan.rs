//! What of a fabric is measured: each distinct module that stands in its top is a *subject*, mapped once however often it stands
//! there.
//!
//! Guarantees: the instances of all subjects are those of the top; a fabric is measured tile by tile only where the signals between
//! subjects have an order, in which each comes after those it follows from: with links that are registered (H6) one step, with memory
//! interfaces between tiles two.
//! Refuses: a tile that is not there.

use super::class;
use crate::codes;
use loom_adg::cost::area::CostClass;
use loom_adg::model::{Body, End, Of};
use loom_adg::Fabric;
use loom_base::{Diagnostic, Diagnostics};
use loom_gen::Elaborated;
use loom_hdl::ir::check::CombDeps;
use loom_hdl::ir::Module;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What has a row of its own.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The tile's name, or that of the instance in the top.
    pub name: String,
    /// Its module.
    pub module: Arc<Module>,
    /// How often it stands in the fabric.
    pub instances: u64,
    /// Whether it is a tile, or the whole fabric.
    pub is_tile: bool,
    /// The fabric's names of instances in it, by those in the Verilog, which may not be keywords.
    pub names: BTreeMap<String, String>,
    /// Whether it is nothing but the gates of the top around the others, which no path is counted through.
    pub is_frame: bool,
}

/// A signal of a subject.
pub type Signal = (usize, String);

/// What is measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Tiles in the order in which they stand in the top, then the rest by name.
    pub subjects: Vec<Subject>,
    /// The distinct modules to map, by name: those of subjects, and those that composed ones are made of.
    pub modules: BTreeMap<String, Arc<Module>>,
    /// Modules that are mapped around their instances, not with them.
    pub composed: BTreeSet<String>,
    /// From each input signal of a tile the output signals that may drive it, by the connections of the top.
    pub drivers: BTreeMap<Signal, BTreeSet<Signal>>,
    /// The output signals that drive others, by how many subjects' inputs they follow from within the cycle: the first from none.
    pub levels: Vec<BTreeSet<Signal>>,
}

impl Plan {
    /// Everything of a fabric, or one tile as if all its neighbours were registers.
    pub fn new(fabric: &Fabric, made: &Elaborated, tile: Option<&str>) -> Result<Plan, Diagnostics> {
        let top = made.design.get(&made.top).expect("the top is in the design");
        let tiles = tile_kinds(fabric, top);
        let mut composed: BTreeSet<String> = tiles.keys().cloned().collect();
        composed.insert(top.name.clone());
        let mut subjects = subjects(top, &tiles);
        let mut drivers = drivers(fabric, top, &subjects);
        let paths = subjects.iter().map(|s| made.design.comb_deps(&s.module.name)).collect::<Vec<_>>();
        let mut levels = levels(&paths, &drivers);
        if fabric.adg().tiles.is_empty() || levels.is_none() {
            subjects = vec![subject(fabric.name().as_str(), top, Some(&names(&fabric.adg().top, top)))];
            drivers.clear();
            levels = None;
        }
        if let Some(name) = tile {
            let known: Vec<String> =
                subjects.iter().filter(|s| s.is_tile).map(|s| format!("`{}`", s.name)).collect();
            subjects.retain(|s| s.is_tile && s.name == name);
            drivers.clear();
            levels = None;
            if subjects.is_empty() {
                let message = format!("fabric `{}` has no tile `{name}`", fabric.name());
                return Err(vec![Diagnostic::error(codes::NO_TILE, message)
                    .help(format!("what it has is {}", known.join(", ")))]);
            }
        }
        let mut modules = BTreeMap::new();
        for s in &subjects {
            collect(&s.module, &composed, s.is_frame, &mut modules);
        }
        Ok(Plan { subjects, modules, composed, drivers, levels: levels.unwrap_or_default() })
    }

    /// The modules whose instances make up a subject, itself among them, each with how often it is there.
    pub fn parts<'a>(&self, subject: &'a Subject) -> BTreeMap<&'a str, u64> {
        let mut counts = BTreeMap::new();
        self.count(&subject.module, subject.is_frame, 1, &mut counts);
        counts
    }

    fn count<'a>(&self, module: &'a Module, alone: bool, times: u64, counts: &mut BTreeMap<&'a str, u64>) {
        *counts.entry(module.name.as_str()).or_default() += times;
        if self.composed.contains(&module.name) && !alone {
            for instance in &module.instances {
                self.count(&instance.module, false, times, counts);
            }
        }
    }
}

/// A tile, by the name of its module.
struct TileKind {
    name: String,
    names: BTreeMap<String, String>,
}

/// The tiles of the top, where instances stand in the fabric's order.
fn tile_kinds(fabric: &Fabric, top: &Module) -> BTreeMap<String, TileKind> {
    let mut kinds = BTreeMap::new();
    for (instance, placed) in fabric.adg().top.instances.iter().zip(&top.instances) {
        let kind = match instance.of {
            Of::Tile(tile) => {
                let tile = &fabric.adg().tiles[tile];
                TileKind { name: tile.name.to_string(), names: names(&tile.body, &placed.module) }
            }
            Of::Component(definition) => {
                let name = fabric.adg().definitions[definition].name.to_string();
                TileKind { names: [("unit".into(), name.clone())].into(), name }
            }
        };
        kinds.insert(placed.module.name.clone(), kind);
    }
    kinds
}

/// The names that a body gives its instances, by those they have in its module: there they stand in their order, in a tile
/// after the slices of the configuration.
fn names(body: &Body, module: &Module) -> BTreeMap<String, String> {
    let is_slice = |name: &str| class::of_module(name) == CostClass::Configuration;
    let placed = module.instances.iter().skip_while(|i| is_slice(&i.module.name));
    body.instances.iter().zip(placed).map(|(i, placed)| (placed.name.clone(), i.name.to_string())).collect()
}

fn subject(name: &str, module: &Arc<Module>, names: Option<&BTreeMap<String, String>>) -> Subject {
    Subject {
        name: name.into(),
        module: module.clone(),
        instances: 1,
        is_tile: names.is_some(),
        names: names.cloned().unwrap_or_default(),
        is_frame: false,
    }
}

/// Each distinct module of the top, and the top around them.
fn subjects(top: &Arc<Module>, tiles: &BTreeMap<String, TileKind>) -> Vec<Subject> {
    let mut list: Vec<Subject> = Vec::new();
    for instance in &top.instances {
        let module = &instance.module;
        match list.iter_mut().find(|s| s.module.name == module.name) {
            Some(there) => there.instances += 1,
            None => list.push(match tiles.get(&module.name) {
                Some(tile) => subject(&tile.name, module, Some(&tile.names)),
                None => subject(&module.name, module, None),
            }),
        }
    }
    list.sort_by_key(|s| (!s.is_tile, if s.is_tile { String::new() } else { s.name.clone() }));
    list.push(Subject { is_frame: true, ..subject("top", top, None) });
    list
}

fn collect(
    module: &Arc<Module>,
    composed: &BTreeSet<String>,
    alone: bool,
    found: &mut BTreeMap<String, Arc<Module>>,
) {
    if found.insert(module.name.clone(), module.clone()).is_none()
        && composed.contains(&module.name)
        && !alone
    {
        for instance in &module.instances {
            collect(&instance.module, composed, false, found);
        }
    }
}

/// What may drive each input signal of the tiles: valid, data and tag come with the channel, ready against it.
fn drivers(fabric: &Fabric, top: &Module, subjects: &[Subject]) -> BTreeMap<Signal, BTreeSet<Signal>> {
    let body = &fabric.adg().top;
    let at = |instance: usize| {
        let module = &top.instances[instance].module.name;
        subjects.iter().position(|s| s.module.name == *module).expect("each has a subject")
    };
    let port = |instance: usize, port: usize, side: &str| match body.instances[instance].of {
        Of::Component(_) => format!("{side}{port}"),
        Of::Tile(tile) => {
            let tile = &fabric.adg().tiles[tile].body;
            let ports = if side == "in" { &tile.inputs } else { &tile.outputs };
            ports[port].name.to_string()
        }
    };
    let mut found: BTreeMap<Signal, BTreeSet<Signal>> = BTreeMap::new();
    for c in &body.connections {
        let (End::Instance { instance: from, port: out }, End::Instance { instance: to, port: into }) =
            (c.from, c.to)
        else {
            continue;
        };
        let source = (at(from), port(from, out, "out"));
        let sink = (at(to), port(to, into, "in"));
        let signal = |(s, name): &Signal, part: &str| (*s, format!("{name}_{part}"));
        for part in ["valid", "data", "tag"] {
            found.entry(signal(&sink, part)).or_default().insert(signal(&source, part));
        }
        found.entry(signal(&source, "ready")).or_default().insert(signal(&sink, "ready"));
    }
    found
}

/// The signals that drive others in an order in which each comes after those it follows from; none where they have no order.
fn levels(paths: &[CombDeps], drivers: &BTreeMap<Signal, BTreeSet<Signal>>) -> Option<Vec<BTreeSet<Signal>>> {
    let mut left: BTreeSet<&Signal> = drivers.values().flatten().collect();
    let mut levels: Vec<BTreeSet<Signal>> = Vec::new();
    while !left.is_empty() {
        let open = |&(at, name): &(usize, &String)| {
            drivers.get(&(at, name.clone())).is_some_and(|from| from.iter().any(|s| left.contains(s)))
        };
        let follows = |(at, name): &Signal| {
            paths[*at].get(name).is_some_and(|inputs| inputs.iter().map(|i| (*at, i)).any(|i| open(&i)))
        };
        let next: BTreeSet<Signal> = left.iter().filter(|s| !follows(s)).map(|&s| s.clone()).collect();
        if next.is_empty() {
            return None;
        }
        left.retain(|s| !next.contains(*s));
        levels.push(next);
    }
    Some(levels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom_flow::load;

    fn plan(name: &str, tile: Option<&str>) -> Result<(Fabric, Plan), Diagnostics> {
        let fabric = load::fabric(&load::built_in(name).expect("it comes with LOOM")).expect("legal");
        let made = loom_gen::elaborate(&fabric).expect("well formed");
        Plan::new(&fabric, &made, tile).map(|plan| (fabric, plan))
    }

    #[test]
    fn a_mesh_is_its_distinct_tiles() {
        let (fabric, plan) = plan("mesh-4x4", None).expect("a plan");
        let tiles: Vec<&Subject> = plan.subjects.iter().filter(|s| s.is_tile).collect();
        assert_eq!(tiles.iter().map(|s| s.instances).sum::<u64>(), 16);
        assert_eq!(tiles.len(), fabric.adg().tiles.len());
        let frame = plan.subjects.last().expect("the top");
        assert!(frame.is_frame && plan.parts(frame).len() == 1);
        assert!(plan.subjects.iter().any(|s| s.name.starts_with("loom_config_loader")));
        for tile in tiles {
            assert!(tile.names.values().any(|n| n == "sw"), "{:?}", tile.names);
            assert!(tile.names.iter().all(|(verilog, name)| verilog.starts_with(name)));
            assert!(plan.parts(tile).len() > 5);
        }
        // A link: its data come with it, its ready against it.
        let ends = |end: &str| plan.drivers.keys().filter(|(_, signal)| signal.ends_with(end)).count();
        assert!(ends("_data") > 0 && ends("_data") == ends("_ready"));
    }

    #[test]
    fn signals_have_an_order_across_memory_between_tiles() {
        assert_eq!(plan("mesh-2x2", None).expect("a plan").1.levels.len(), 1);
        let (fabric, plan) = plan("general-8x8", None).expect("a plan");
        let spread = plan.subjects.iter().position(|s| s.name == "spread").expect("it stands in the top");
        assert!(plan.subjects.iter().filter(|s| s.is_tile).count() > fabric.adg().tiles.len() - 1);
        assert_eq!(plan.levels.len(), 2);
        let ready =
            |level: &BTreeSet<Signal>| level.iter().any(|(s, name)| *s == spread && name.ends_with("_ready"));
        assert!(ready(&plan.levels[1]), "what is ready follows from the requests of all tiles");
    }

    #[test]
    fn a_fabric_without_tiles_is_one() {
        let (_, plan) = plan("tags", None).expect("a plan");
        assert_eq!((plan.subjects.len(), plan.subjects[0].name.as_str()), (1, "tags"));
        assert_eq!(plan.subjects[0].names["cross_w"], "cross");
        assert!(plan.drivers.is_empty());
    }

    #[test]
    fn one_tile_and_none() {
        let (_, one) = plan("mesh-2x2", Some("control")).expect("a plan");
        assert_eq!(one.subjects.len(), 1);
        let refused = plan("mesh-2x2", Some("nowhere")).expect_err("no such tile");
        assert_eq!(refused[0].code, codes::NO_TILE);
        assert!(refused[0].help.as_ref().is_some_and(|h| h.contains("`control`")), "{refused:?}");
    }
}
