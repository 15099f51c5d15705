//! Random fabrics: every component with every parameter, joined at random or as meshes of tiles.
//!
//! Guarantees: a seed always draws the same fabric, legal by construction (nothing is drawn twice because legality refused it; what
//! [`RandomFabric::refused`] says is a mistake here or there), small enough to be verilated in seconds, and within what the native model
//! carries: boundaries of at most 64 bits. Its text reads back to it. [`traits`] says what a fabric has of all there is to have.

mod body;
mod detours;
mod mesh;
mod parts;
mod text;
mod traits;
mod units;

pub use detours::detoured;
pub use text::toml_of;
pub use traits::{traits, EXPECTED};

use loom_adg::model::{Adg, Body, Tile};
use loom_adg::Fabric;
use loom_base::rng::mix;
use loom_base::{Diagnostics, Rng, Source};

/// A drawn fabric.
#[derive(Clone, Debug)]
pub struct RandomFabric {
    /// What it was drawn from.
    pub seed: u64,
    /// Its text, to be read by anybody.
    pub toml: String,
    /// The architecture as it was drawn; of a mesh as its text was read, of one that is refused nothing.
    pub adg: Option<Adg>,
    /// What legality says against it: nothing, if all is well.
    pub refused: Diagnostics,
}

impl RandomFabric {
    /// The fabric; panics, with what legality said, where it was refused.
    pub fn fabric(&self) -> Fabric {
        let said =
            || self.refused.iter().map(|d| format!("{}: {}\n", d.code.id, d.message)).collect::<String>();
        assert!(self.refused.is_empty(), "seed {}: {}{}", self.seed, said(), self.toml);
        Fabric::new(self.adg.clone().expect("it was not refused"))
    }
}

/// An architecture with nothing in it.
fn empty(name: &str, index_width: u32) -> Adg {
    Adg { name: name.into(), index_width, definitions: Vec::new(), tiles: Vec::new(), top: Body::default() }
}

fn index_width(rng: &mut Rng) -> u32 {
    *rng.pick(&[32, 32, 32, 32, 33, 40, 48, 63, 64, 64])
}

/// Draws the fabric of a seed.
///
/// ```
/// let drawn = loom_testkit::random_fabric::draw(7);
/// assert!(drawn.refused.is_empty());
/// assert_eq!(drawn.toml, loom_testkit::random_fabric::draw(7).toml);
/// ```
pub fn draw(seed: u64) -> RandomFabric {
    // Mixed: neighbouring seeds must not give neighbouring sequences.
    let mut rng = Rng::new(mix(seed));
    let name = format!("random-{seed}");
    let explicit = rng.chance(65).then(|| explicit(&mut rng, &name));
    let toml = explicit.as_ref().map_or_else(|| mesh::draw(&mut rng, &name), toml_of);
    let (read, refused) = loom_adg::toml::load(&Source::new(format!("{name}.toml"), toml.clone()), &|_| None);
    let refused =
        refused.into_iter().filter(|d| loom_base::diag::has_errors(std::slice::from_ref(d))).collect();
    RandomFabric { seed, toml, adg: explicit.or(read), refused }
}

/// A fabric of components and, now and then, tiles of components.
fn explicit(rng: &mut Rng, name: &str) -> Adg {
    let index_width = index_width(rng);
    let mut adg = empty(name, index_width);
    let mut tiles = Vec::new();
    if rng.chance(30) {
        for t in 0..1 + rng.below(2) {
            let components = 1 + rng.below(4);
            let inner = body::draw(rng, &mut adg, &format!("t{t}"), components, &[], body::Boundary::Tile);
            adg.tiles.push(Tile { name: format!("tile{t}"), body: inner });
            tiles.extend(std::iter::repeat_n(t, 1 + rng.below(2)));
        }
    }
    let least = if tiles.is_empty() { 2 } else { 0 };
    let most = if rng.chance(30) { 11 } else { 6 };
    let components = least + rng.below(most);
    let top = body::draw(rng, &mut adg, "x", components, &tiles, body::Boundary::Fabric);
    adg.top = top;
    adg
}
