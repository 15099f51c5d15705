//! Readers never panic: random damage to good texts gives an architecture or diagnostics.

use loom_adg::{mlir, toml, topology};
use loom_base::{Rng, Source};

fn damaged(text: &str, rng: &mut Rng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + rng.below(3) {
        let at = rng.below(bytes.len());
        match rng.below(4) {
            0 => bytes[at] = *rng.pick(b" \n\"[]{}()<>=,.:%@!-+0159azN#\\"),
            1 => drop(bytes.remove(at)),
            2 => {
                let end = (at + rng.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let end = (at + rng.below(40)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                let to = rng.below(bytes.len());
                bytes.splice(to..to, part);
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn rendered(source: &Source, result: Result<loom_adg::Adg, loom_base::Diagnostics>) {
    for d in result.err().unwrap_or_default() {
        assert!(!d.render(source).is_empty());
    }
}

#[test]
fn damaged_texts_are_refused_politely() {
    let tags = std::fs::read_to_string(format!("{}/../configs/tags.toml", env!("CARGO_MANIFEST_DIR")))
        .expect("tags");
    let texts = [tags, topology::mesh_toml(2, 1)];
    let mut rng = Rng::new(1);
    for text in texts {
        let adg = toml::read(&Source::new("x.toml", text.clone())).expect("good");
        let canonical = mlir::write(&adg);
        for _ in 0..400 {
            let source = Source::new("x.toml", damaged(&text, &mut rng));
            rendered(&source, toml::read(&source));
            let source = Source::new("x.fabric.mlir", damaged(&canonical, &mut rng));
            rendered(&source, mlir::read(&source));
        }
    }
}
