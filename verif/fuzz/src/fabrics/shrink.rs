//! Makes a fabric on which the models differ small: first what comes to it, then what is configured, then its components.
//!
//! Guarantees: every step kept is a legal fabric on which something differs still. Instances keep their names, so that an image is
//! carried over slice by slice; ports of the boundary stay, connected or not, since stalls are drawn by their numbers.

use super::{compare, verilated, FabricPlay};
use loom_adg::model::{Adg, Body, End, Of};
use loom_adg::{legality, Fabric, Image};
use loom_base::diag::has_errors;
use loom_base::Diagnostics;
use loom_cosim::Built;
use loom_testkit::random_fabric::toml_of;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

/// A fabric on which the models differ, made small.
#[derive(Clone, Debug)]
pub struct FabricFailure {
    /// What it was drawn from.
    pub seed: u64,
    /// What differs.
    pub message: String,
    /// Components before and after.
    pub components: (usize, usize),
    /// The fabric.
    pub fabric: Fabric,
    /// The image and what comes to it.
    pub play: FabricPlay,
}

impl FabricFailure {
    /// Names and contents of its files: the fabric, its image, and the case for `loom cosim`.
    pub fn files(&self) -> [(String, Vec<u8>); 3] {
        let image: Vec<u8> = self.play.image.words.iter().flat_map(|w| w.to_le_bytes()).collect();
        [
            (format!("fabric{}.toml", self.seed), toml_of(self.fabric.adg()).into_bytes()),
            (format!("fabric{}.config.bin", self.seed), image),
            (format!("fabric{}.case.toml", self.seed), self.case().into_bytes()),
        ]
    }

    fn case(&self) -> String {
        let FabricPlay { stimulus, stalls, axi, cycles, .. } = &self.play;
        let mut text = format!(
            "# {}\n[limits]\nmax_cycles = {cycles}\n\n[inputs]\n",
            self.message.replace('\n', "\n# ")
        );
        for (k, (tokens, port)) in stimulus.inputs.iter().zip(&self.fabric.adg().top.inputs).enumerate() {
            if !tokens.is_empty() {
                let tokens: Vec<String> = tokens
                    .iter()
                    .map(|t| (u128::from(t.tag) << port.ty.width | u128::from(t.data)).to_string())
                    .collect();
                let _ = writeln!(text, "in{k} = [{}]", tokens.join(", "));
            }
        }
        let _ = write!(
            text,
            "\n[stalls]\nseed = {}\nsource_percent = {}\nsink_percent = {}\n\n[axi]\nlatency = {}\nstall_percent = {}\n\
             reorder = {}\nseed = {}\n",
            stalls.seed, stalls.source_percent, stalls.sink_percent, axi.latency, axi.stall_percent, axi.reorder, axi.seed
        );
        text
    }
}

/// The fabric and play of a failure while it gets smaller.
struct Shrinking<'a> {
    fabric: Fabric,
    play: FabricPlay,
    /// What fails: the generator, Verilator, or the comparison in a model that was built.
    stage: Stage,
    message: String,
    cache: &'a Path,
    more: &'a dyn Fn() -> bool,
}

/// What a fabric fails in.
enum Stage {
    Generator,
    Build,
    Run(Arc<Built>),
}

impl Stage {
    /// How far a fabric comes, and what was said there.
    fn of(fabric: &Fabric, cache: &Path) -> (Stage, String) {
        let text = |d: Diagnostics| d.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("\n");
        match loom_gen::elaborate(fabric) {
            Err(d) => (Stage::Generator, text(d)),
            Ok(_) => match verilated(fabric, cache) {
                Err(d) => (Stage::Build, text(d)),
                Ok(built) => (Stage::Run(built), String::new()),
            },
        }
    }
}

/// Makes a failing play small, while `more` says that there is time.
pub fn shrink_fabric(
    seed: u64,
    fabric: Fabric,
    play: FabricPlay,
    message: String,
    cache: &Path,
    more: &dyn Fn() -> bool,
) -> FabricFailure {
    let before = fabric.flat().components.len();
    let (stage, _) = Stage::of(&fabric, cache);
    let mut s = Shrinking { fabric, play, stage, message, cache, more };
    loop {
        let any = s.traffic() | s.slices() | s.components();
        if !any || !more() {
            break;
        }
    }
    let after = s.fabric.flat().components.len();
    FabricFailure { seed, message: s.message, components: (before, after), fabric: s.fabric, play: s.play }
}

impl Shrinking<'_> {
    /// Takes a smaller play on the same fabric, if it still fails.
    fn try_play(&mut self, play: FabricPlay) -> bool {
        let Stage::Run(built) = &self.stage else { return false };
        if !(self.more)() {
            return false;
        }
        match compare(&self.fabric, built, &play) {
            Err(message) => {
                (self.play, self.message) = (play, message);
                true
            }
            Ok(_) => false,
        }
    }

    /// Fewer cycles, tokens and stalls, and a faster memory.
    fn traffic(&mut self) -> bool {
        let mut any = false;
        let mut with = |s: &mut Self, change: &dyn Fn(&mut FabricPlay)| {
            let mut play = s.play.clone();
            change(&mut play);
            let smaller = s.try_play(play);
            any |= smaller;
            smaller
        };
        while self.play.cycles > 8 && with(self, &|p| p.cycles /= 2) {}
        while self.play.cycles > 1 && with(self, &|p| p.cycles -= 1) {}
        if self.play.stalls.source_percent > 0 {
            with(self, &|p| p.stalls.source_percent = 0);
        }
        if self.play.stalls.sink_percent > 0 {
            with(self, &|p| p.stalls.sink_percent = 0);
        }
        if self.play.axi.stall_percent > 0 {
            with(self, &|p| p.axi.stall_percent = 0);
        }
        if self.play.axi.reorder {
            with(self, &|p| p.axi.reorder = false);
        }
        if self.play.axi.latency > 1 {
            with(self, &|p| p.axi.latency = 1);
        }
        for k in 0..self.play.stimulus.inputs.len() {
            let count = |s: &Self| s.play.stimulus.inputs[k].len();
            if count(self) > 0 {
                with(self, &|p| p.stimulus.inputs[k].clear());
            }
            while count(self) > 1 && with(self, &|p| halve(&mut p.stimulus.inputs[k])) {}
            while count(self) > 1 && with(self, &|p| shorten(&mut p.stimulus.inputs[k])) {}
            for at in 0..count(self) {
                if self.play.stimulus.inputs[k][at].data > 1 {
                    let _ = with(self, &|p| p.stimulus.inputs[k][at].data = 0)
                        || with(self, &|p| p.stimulus.inputs[k][at].data = 1);
                }
            }
        }
        any
    }

    /// Slices that are not needed, as in an image that uses nothing.
    fn slices(&mut self) -> bool {
        let mut any = false;
        let unused = Image::unused(&self.fabric);
        for slice in self.fabric.clone().layout().slices.iter() {
            let range = slice.word_offset..slice.word_offset + slice.word_count;
            if self.play.image.words[range.clone()] != unused.words[range.clone()] {
                let mut play = self.play.clone();
                play.image.words[range.clone()].copy_from_slice(&unused.words[range]);
                any |= self.try_play(play);
            }
        }
        any
    }

    /// Instances that are not needed.
    fn components(&mut self) -> bool {
        let mut any = false;
        let tiles = self.fabric.adg().tiles.len();
        for body in std::iter::once(None).chain((0..tiles).map(Some)) {
            let mut at = 0;
            while at < instances(self.fabric.adg(), body) && (self.more)() {
                let mut adg = self.fabric.adg().clone();
                let of = match body {
                    None => &mut adg.top,
                    Some(t) => &mut adg.tiles[t].body,
                };
                drop_instance(of, at);
                drop_unused(&mut adg);
                let legal = !has_errors(&legality::check(&adg, &Default::default()));
                // Tiles are numbered anew when one is gone: this round is over.
                let renumbered = adg.tiles.len() != self.fabric.adg().tiles.len();
                if legal && self.try_fabric(adg) {
                    any = true;
                    if renumbered {
                        return true;
                    }
                } else {
                    at += 1;
                }
            }
        }
        any
    }

    fn try_fabric(&mut self, adg: Adg) -> bool {
        let fabric = Fabric::new(adg);
        let mut play = self.play.clone();
        play.image = carried(&self.fabric, &play.image, &fabric);
        // What fails in the generator is not worth a build that does not.
        if matches!(self.stage, Stage::Generator) && loom_gen::elaborate(&fabric).is_ok() {
            return false;
        }
        let (stage, said) = Stage::of(&fabric, self.cache);
        let said = match (&stage, &self.stage) {
            (Stage::Generator, Stage::Generator) | (Stage::Build, Stage::Build) => said,
            (Stage::Run(built), Stage::Run(_)) => match compare(&fabric, built, &play) {
                Err(message) => message,
                Ok(_) => return false,
            },
            _ => return false,
        };
        (self.fabric, self.play, self.stage, self.message) = (fabric, play, stage, said);
        true
    }
}

fn shorten<T>(list: &mut Vec<T>) {
    list.truncate(list.len() - 1);
}

fn halve<T>(list: &mut Vec<T>) {
    list.truncate(list.len() / 2);
}

fn instances(adg: &Adg, body: Option<usize>) -> usize {
    body.map_or(&adg.top, |t| &adg.tiles[t].body).instances.len()
}

fn drop_instance(body: &mut Body, at: usize) {
    body.instances.remove(at);
    let here = |end: &End| matches!(end, End::Instance { instance, .. } if *instance == at);
    body.connections.retain(|c| !here(&c.from) && !here(&c.to));
    for c in &mut body.connections {
        for end in [&mut c.from, &mut c.to] {
            if let End::Instance { instance, .. } = end {
                *instance -= usize::from(*instance > at);
            }
        }
    }
}

/// Takes definitions and tiles away that have no instance any more.
fn drop_unused(adg: &mut Adg) {
    let used = |adg: &Adg, of: Of| {
        let mut bodies = std::iter::once(&adg.top).chain(adg.tiles.iter().map(|t| &t.body));
        bodies.any(|b| b.instances.iter().any(|i| i.of == of))
    };
    for t in (0..adg.tiles.len()).rev().collect::<Vec<_>>() {
        if !used(adg, Of::Tile(t)) {
            adg.tiles.remove(t);
            for instance in &mut adg.top.instances {
                if let Of::Tile(k) = &mut instance.of {
                    *k -= usize::from(*k > t);
                }
            }
        }
    }
    for d in (0..adg.definitions.len()).rev().collect::<Vec<_>>() {
        if !used(adg, Of::Component(d)) {
            adg.definitions.remove(d);
            let Adg { top, tiles, .. } = adg;
            for body in std::iter::once(top).chain(tiles.iter_mut().map(|t| &mut t.body)) {
                for instance in &mut body.instances {
                    if let Of::Component(k) = &mut instance.of {
                        *k -= usize::from(*k > d);
                    }
                }
            }
        }
    }
}

/// An image on a fabric of which components were taken away.
fn carried(from: &Fabric, image: &Image, to: &Fabric) -> Image {
    let mut carried = Image::unused(to);
    for id in to.flat().ids() {
        let old = from.find(to.path(id)).expect("a component keeps its name");
        if let (Some(new), Some(old)) = (to.layout().slice(id), from.layout().slice(old)) {
            let words = &image.words[old.word_offset..old.word_offset + old.word_count];
            carried.words[new.word_offset..new.word_offset + new.word_count].copy_from_slice(words);
        }
    }
    carried
}
