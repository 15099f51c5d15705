//! Every crate we stand on has a licence and a source that `deny.toml` allows, and no second version that it does not give a reason for.

use loom_testkit::fabrics::root;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

fn packages() -> Vec<Value> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let arguments = ["metadata", "--format-version", "1", "--locked", "--offline"];
    let target = ["--filter-platform", "x86_64-unknown-linux-gnu"];
    let run =
        Command::new(cargo).args(arguments).args(target).current_dir(root()).output().expect("cargo runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let mut all: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    serde_json::from_value(all["packages"].take()).expect("a list")
}

fn rules() -> toml::Table {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("the rules");
    text.parse().expect("TOML")
}

/// Whether an SPDX expression, of `AND` around `OR` at most, can be met with some licences.
fn is_allowed(expression: &str, allowed: &BTreeSet<&str>) -> bool {
    // The old way to write a choice.
    let expression = expression.replace('/', " OR ");
    expression.split(" AND ").all(|choice| {
        let choice = choice.trim().trim_start_matches('(').trim_end_matches(')');
        choice.split(" OR ").any(|licence| allowed.contains(licence.trim()))
    })
}

#[test]
fn licences_and_sources_are_allowed() {
    let rules = rules();
    let list = |table: &str, key: &str| -> BTreeSet<String> {
        let list = rules[table][key].as_array().expect("a list");
        list.iter().map(|v| v.as_str().expect("a text").to_string()).collect()
    };
    let (licences, registries) = (list("licenses", "allow"), list("sources", "allow-registry"));
    let allowed: BTreeSet<&str> = licences.iter().map(String::as_str).collect();
    for choice in ["MIT OR GPL-3.0", "MIT/Apache-2.0", "(MIT OR GPL-3.0) AND Unicode-3.0"] {
        assert!(is_allowed(choice, &allowed), "{choice}");
    }
    for choice in ["GPL-3.0", "MIT AND GPL-3.0", "(GPL-3.0 OR GPL-2.0) AND MIT", ""] {
        assert!(!is_allowed(choice, &allowed), "{choice}");
    }
    for package in packages() {
        let name = &package["name"];
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(is_allowed(licence, &allowed), "{name} is under `{licence}`");
        if let Some(source) = package["source"].as_str() {
            let registry = source.trim_start_matches("registry+");
            assert!(registries.contains(registry), "{name} is from {source}");
        }
    }
}

#[test]
fn second_versions_have_a_reason() {
    let rules = rules();
    let skipped = rules["bans"]["skip"].as_array().expect("a list");
    let mut reasons: BTreeSet<&str> = skipped.iter().map(|s| s["crate"].as_str().expect("a crate")).collect();
    assert!(skipped.iter().all(|s| s["reason"].as_str().is_some_and(|r| !r.is_empty())));
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages() {
        let text = |key: &str| package[key].as_str().expect("a text").to_string();
        versions.entry(text("name")).or_default().insert(text("version"));
    }
    for (name, versions) in versions.into_iter().filter(|(_, versions)| versions.len() > 1) {
        let without = |version: &&String| {
            let reason = reasons.iter().copied().find(|r| {
                let (of, begin) = r.split_once('@').expect("a version");
                of == name && version.strip_prefix(begin).is_some_and(|rest| rest.starts_with('.'))
            });
            reason.is_none_or(|r| !reasons.remove(r))
        };
        let left: Vec<&String> = versions.iter().filter(without).collect();
        assert!(left.len() == 1, "{name}: {left:?} have no reason in deny.toml");
    }
    assert!(reasons.is_empty(), "nobody has these any more: {reasons:?}");
}
