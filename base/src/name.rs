//! Names that leave a text: as files, modules of Verilog, macros and functions of C.
//!
//! A [`Name`] is checked once, where text becomes an IR. Whatever is made of names only then stays in its folder, needs no
//! quoting in a shell, and is an identifier in Verilog and C.

use std::fmt;
use std::ops::Deref;

/// Characters of a name, at most: three of them and what stands behind fit into a file name of any system.
pub const MAX_NAME: usize = 64;

/// What [`Name::new`] takes, for messages.
pub const NAME_RULE: &str = "a letter or `_`, then letters, digits and `_`; at most 64 characters";

/// A letter or `_`, then letters, digits and `_`, of ASCII; at most [`MAX_NAME`] of them.
///
/// ```
/// use loom_base::Name;
/// assert_eq!(&*Name::new("vecadd_2").unwrap(), "vecadd_2");
/// assert!(["", "2x", "a.b", "../up", "/abs", "a b", "$(x)", "größe"].iter().all(|n| Name::new(n).is_none()));
/// assert_eq!(&*Name::cleaned("a.b", "x"), "a_b");
/// assert_eq!(Name::hyphenated("mesh-2x2_b").unwrap().identifier(), "mesh_2x2__b");
/// assert_eq!(&*Name::cleaned("..", "x"), "x");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

impl Name {
    /// The text as a name, when it is one.
    pub fn new(text: &str) -> Option<Name> {
        let first = text.bytes().next()?;
        let good = !first.is_ascii_digit()
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && text.len() <= MAX_NAME;
        good.then(|| Name(text.to_string()))
    }

    /// As [`Name::new`], with single `-` between the others: `mesh-4x4`, as fabrics are called. For files only; an
    /// identifier has `_` there.
    pub fn hyphenated(text: &str) -> Option<Name> {
        let single = !text.ends_with('-') && !text.contains("--") && !text.starts_with('-');
        Name::new(&text.replace('-', "_")).filter(|_| single).map(|_| Name(text.to_string()))
    }

    /// The name as a part of an identifier: `_` for `-` and `__` for `_`. Two names without separators that follow each other or
    /// stand at an end, as those of fabrics are, never give the same.
    pub fn identifier(&self) -> String {
        self.0.replace('_', "__").replace('-', "_")
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A name as near to the text as can be: other characters become `_`, what is too long is cut. `otherwise` where nothing
    /// of the text can be kept.
    pub fn cleaned(text: &str, otherwise: &str) -> Name {
        let clean: String =
            text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(MAX_NAME).collect();
        let something = clean.contains(|c: char| c != '_') || text == clean;
        let clean = if something { Name::new(&clean) } else { None };
        clean.or_else(|| Name::new(otherwise)).unwrap_or_else(|| Name("_".to_string()))
    }

    /// The text, cut to fit; a cut one ends in a number made of the whole, so that two of them differ.
    pub fn fitted(text: &str) -> Option<Name> {
        if text.len() <= MAX_NAME {
            return Name::new(text);
        }
        let hash = fnv(text);
        let start = text.get(..MAX_NAME - 9)?;
        Name::new(&format!("{start}_{hash:08x}"))
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A number made of a text: FNV-1a, 32 bits.
pub fn fnv(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5u32, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193))
}

/// A text that may be no name, for a message: in one line, and cut where it is longer than a name.
pub fn shown(text: &str) -> String {
    let mut shown: String = text.escape_debug().take(MAX_NAME).collect();
    if text.escape_debug().count() > MAX_NAME {
        shown.push_str("...");
    }
    shown
}

/// The file of some names: `sum.mesh-2x2.map.json`. Being made of names it lies in the folder it is joined to.
pub fn file_name(names: &[&Name], suffix: &'static str) -> String {
    let names: Vec<&str> = names.iter().map(|n| n.as_str()).collect();
    format!("{}.{suffix}", names.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Component, Path};

    const HOSTILE: [&str; 14] = [
        "",
        ".",
        "..",
        "../../up",
        "/abs/x",
        "a/b",
        "a\\b",
        "a\nb",
        "$(reboot)",
        "`x`",
        "a b",
        "-o",
        "größe",
        "a\0b",
    ];

    #[test]
    fn hostile_texts_are_no_names() {
        let long = "x".repeat(300);
        for text in HOSTILE.into_iter().chain([long.as_str(), &long[..65], "3d"]) {
            assert_eq!(Name::new(text), None, "{text}");
            assert_eq!(Name::hyphenated(text), None, "{text}");
            let cleaned = Name::cleaned(text, "other");
            assert!(Name::new(&cleaned).is_some(), "{text}");
            let file = file_name(&[&cleaned], "map.json");
            assert_eq!(Path::new(&file).components().count(), 1, "{file}");
            assert!(matches!(Path::new(&file).components().next(), Some(Component::Normal(_))), "{file}");
        }
        assert!(Name::new(&long[..64]).is_some());
    }

    #[test]
    fn fabrics_have_hyphens() {
        assert_eq!(Name::new("mesh-4x4"), None);
        assert!(Name::hyphenated("mesh-4x4").is_some());
        assert!(["-a", "a-", "a--b"].iter().all(|n| Name::hyphenated(n).is_none()));
    }

    #[test]
    fn identifiers_differ() {
        // All of up to seven characters.
        let mut texts = vec![String::new()];
        for k in 0..3usize.pow(7) {
            let longer = ["a", "-", "_"].map(|c| format!("{}{c}", texts[k]));
            texts.extend(longer);
        }
        let apart = |t: &&String| ["--", "__", "-_", "_-"].iter().all(|pair| !t.contains(pair));
        let inside = |t: &&String| t.starts_with('a') && t.ends_with('a');
        let names: Vec<Name> =
            texts.iter().filter(apart).filter(inside).filter_map(|t| Name::hyphenated(t)).collect();
        let made: std::collections::BTreeSet<String> = names.iter().map(Name::identifier).collect();
        assert!(names.len() > 100 && made.iter().all(|m| Name::new(m).is_some()));
        assert_eq!(made.len(), names.len());
    }

    #[test]
    fn cut_names_differ() {
        let [a, b] =
            ["a", "b"].map(|end| Name::fitted(&format!("{}{end}", "for0_".repeat(20))).expect("a name"));
        assert_eq!(a.len(), MAX_NAME);
        assert_ne!(a, b);
        assert_eq!(Name::fitted("short").as_deref(), Some("short"));
        assert_eq!(Name::fitted(&"ä".repeat(80)), None);
    }
}
