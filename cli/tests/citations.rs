//! Everything that code and pages refer to is in the repository: labels of `docs/design.md`, sections of `docs/hardware.md`,
//! pages, and files that a page names; and nothing is called by a word that the glossary replaced.

use crate::common::root;
use std::collections::BTreeSet;
use std::path::Path;

/// Written like labels, but C standards and float types.
const NOT_LABELS: [&str; 9] = ["C89", "C90", "C99", "C11", "C17", "C23", "F16", "F32", "F64"];
/// What the glossary has another word for, or what is not in the repository.
const RETIRED: [&str; 5] = ["the seeds", "older seed", "DESIGN section", "reference/", "seed's example"];

/// Every text of the repository below `folder`, by path from the root.
fn texts(folder: &Path, found: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().and_then(|n| n.to_str()).expect("UTF-8");
        if path.is_dir() {
            if !name.starts_with('.') && !["target", "rtl-out"].contains(&name) {
                texts(&path, found);
            }
        } else if name == "Makefile"
            || ["rs", "md", "toml", "mlir", "v", "h", "py", "cpp"]
                .iter()
                .any(|e| name.ends_with(&format!(".{e}")))
        {
            let place =
                path.strip_prefix(root()).expect("below the root").to_str().expect("UTF-8").to_string();
            // Reports are what a run printed, of files as they were then.
            if place != "cli/tests/citations.rs" && !place.starts_with("docs/reports/") {
                found.push((place, std::fs::read_to_string(&path).expect("text")));
            }
        }
    }
}

fn all() -> Vec<(String, String)> {
    let mut found = Vec::new();
    texts(&root(), &mut found);
    assert!(found.len() > 300, "{} files", found.len());
    found
}

/// Words of letters, digits and what `also` has.
fn words<'a>(text: &'a str, also: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(move |c: char| !(c.is_ascii_alphanumeric() || also.contains(c)))
}

/// What of a line speaks to people: all of a page, comments elsewhere.
fn prose<'a>(place: &str, line: &'a str) -> &'a str {
    match place.rsplit('.').next() {
        Some("md") => line,
        Some("toml" | "py") => line.find('#').map_or("", |at| &line[at..]),
        _ => line.find("//").map_or("", |at| &line[at..]),
    }
}

fn is_label(word: &str) -> bool {
    let Some(number) = word.strip_prefix(['H', 'C', 'D', 'F']) else { return false };
    matches!(number.len(), 1 | 2) && number.bytes().all(|b| b.is_ascii_digit()) && !NOT_LABELS.contains(&word)
}

#[test]
fn every_label_is_defined() {
    let design = std::fs::read_to_string(root().join("docs/design.md")).expect("docs/design.md");
    let defined: BTreeSet<&str> = design
        .lines()
        .filter_map(|l| l.trim_start_matches("- ").strip_prefix("**"))
        .filter_map(|l| words(l, "").next())
        .filter(|w| is_label(w))
        .collect();
    assert!(
        defined.contains("H12")
            && defined.contains("C12")
            && defined.contains("D13")
            && defined.contains("F9")
    );
    let mut cited = BTreeSet::new();
    for (place, text) in all() {
        for (number, line) in text.lines().enumerate() {
            for label in words(prose(&place, line), "_").filter(|w| is_label(w)) {
                assert!(defined.contains(label), "{place}:{}: no {label} in docs/design.md", number + 1);
                cited.insert(label.to_string());
            }
        }
    }
    assert!(cited.contains("H7") && cited.contains("D1"), "{cited:?}");
}

#[test]
fn every_named_file_exists() {
    let (all, mut checked, mut missing) = (all(), 0, Vec::new());
    // Generated tables name what was there when they were made.
    for (place, text) in all.iter().filter(|(place, _)| !place.starts_with("docs/reports/")) {
        for (number, line) in text.lines().enumerate() {
            let prose = prose(place, line);
            for word in words(prose, "_-./<>*$%{}") {
                let word = word.trim_end_matches('.');
                let page = word.starts_with("docs/") && word.ends_with(".md");
                let source = place.ends_with(".md") && word.ends_with(".rs") && word.contains('/');
                if (page || source) && !word.contains(['<', '*', '$', '{']) {
                    checked += 1;
                    if !root().join(word).is_file() {
                        missing.push(format!("{place}:{}: {word}", number + 1));
                    }
                }
            }
        }
    }
    assert!(missing.is_empty(), "there is no\n{}", missing.join("\n"));
    assert!(checked > 80, "{checked}");
}

#[test]
fn every_section_of_the_contract_exists() {
    let contract = std::fs::read_to_string(root().join("docs/hardware.md")).expect("docs/hardware.md");
    let sections: BTreeSet<&str> = contract
        .lines()
        .filter_map(|l| l.strip_prefix("## ")?.split_once(". "))
        .map(|(number, _)| number)
        .collect();
    let mut cited = 0;
    for (place, text) in all() {
        for (number, line) in text.lines().enumerate() {
            let line = prose(&place, line);
            if place != "docs/hardware.md" && !line.contains("contract") && !line.contains("hardware.md") {
                continue;
            }
            for (at, _) in line.match_indices("section ") {
                let section = words(&line[at + "section ".len()..], "").next().expect("a word");
                if section.bytes().all(|b| b.is_ascii_digit()) {
                    assert!(sections.contains(section), "{place}:{}: no section {section}", number + 1);
                    cited += 1;
                }
            }
        }
    }
    assert!(cited > 10, "{cited}");
}

#[test]
fn one_word_for_one_thing() {
    for (place, text) in all() {
        for (number, line) in text.lines().enumerate() {
            for word in RETIRED {
                assert!(!line.contains(word), "{place}:{}: `{word}`", number + 1);
            }
        }
    }
}

/// What programs and graphs both have, by the name that MLIR gives it in both; `docs/glossary.md` says so.
const OF_BOTH: [&str; 3] = ["Value", "ValueDef", "ValueId"];

#[test]
fn one_type_for_one_name() {
    let mut crates: std::collections::BTreeMap<String, BTreeSet<String>> = Default::default();
    for (place, text) in all() {
        let Some((package, _)) = place.split_once("/src/") else { continue };
        for line in text.lines().map(str::trim_start) {
            let mut words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            if words.next() == Some("pub")
                && words.next().is_some_and(|w| ["struct", "enum", "trait", "type"].contains(&w))
            {
                crates.entry(words.next().unwrap_or("").to_string()).or_default().insert(package.to_string());
            }
        }
    }
    crates.retain(|name, packages| packages.len() > 1 && !OF_BOTH.contains(&name.as_str()));
    assert!(crates.is_empty(), "types of one name: {crates:#?}");
}
